"""Grades: rule sets by name and version, and the cards they fill. Nothing here asks a model."""
