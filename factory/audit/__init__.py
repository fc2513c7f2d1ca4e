"""Promises as code: scanners, rules and gates over finished artefacts. Nothing here asks a model."""
