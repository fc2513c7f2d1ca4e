"""A number with its noun, for lines that a person reads."""

from __future__ import annotations


def count_of(number: int, noun: str, plural: str = "") -> str:
    """`1 rule`, `2 rules`, `1,200 rules`; `plural` for a noun that takes more than an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
