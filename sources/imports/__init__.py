"""Importers: one file format each."""
