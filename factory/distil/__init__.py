"""Distil: a day's news and posts become statements with verified quotes, and days become a timeline."""
