"""English calendar words as they are written: patterns, and a month or ordinal in the form of another."""

from __future__ import annotations

import re
from functools import lru_cache

from sources.calendar import EN_MONTH_ABBR, EN_MONTH_NUMBER, EN_MONTHS

MONTH_NAME = (
    "(?:"
    + "|".join([*(m.capitalize() for m in EN_MONTHS), *(m.upper() for m in EN_MONTHS)])
    + "|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\\.?(?![a-z]))"
)
DAY = r"(?:3[01]|[12]\d|0?[1-9])"
CENTURIES = ("19", "20")
MONTH_WORDS = tuple(
    word for name in EN_MONTHS for word in (name[:3].capitalize(), name[:3].upper())
)
"""Triggers: every month as written begins with one of these."""
MONTH_FORMS = (
    *(name.capitalize() for name in EN_MONTHS),
    *(name.upper() for name in EN_MONTHS),
    *(short.capitalize() + dot for short in (*EN_MONTH_ABBR, "sept") for dot in ("", ".")),
)
"""Triggers: every month as written, whole."""
_FUTURE = re.compile(
    r"\b(?:will|shall|to be|due|expected|scheduled|slated|plans?|planned|set (?:to|for)|would|must|upcoming|deadline)\b",
    re.ASCII,
)
_PAST = re.compile(
    r"\b(?!(?:scheduled|planned|expected|slated|proposed)\b)(?:was|were|had|[a-z]{2,20}ed|held|took|began|made|went|rose|fell|sold|won|lost)"
    r"(?: \w{1,20}){0,2} (?:in|on|since|from|last) $",
    re.ASCII,
)


def tense(text: str, position: int) -> int:
    """1 when the words of the sentence before a position speak of the future, -1 of the past, else 0."""
    before = text[max(position - 90, 0) : position]
    before = re.split(r"[.;!?]\s", before)[-1]
    if _FUTURE.search(before):
        return 1
    return -1 if _PAST.search(before) else 0


def case_like(like: str, word: str) -> str:
    """A word in the case of another: upper, capitalised or as it is."""
    return (
        word.upper()
        if like.isupper() and len(like) > 1
        else word.capitalize()
        if like[:1].isupper()
        else word
    )


@lru_cache(maxsize=1024)
def month_like(written: str, month: int) -> str:
    """A month in the form of another: full, abbreviated, with its full stop."""
    bare = written.rstrip(".")
    if bare.lower() in EN_MONTHS and (bare.lower() != "may" or not written.endswith(".")):
        return case_like(written, EN_MONTHS[month - 1])
    if month == 5:
        return "May"
    name = (
        "Sept"
        if month == 9 and (bare == "Sept" or written.endswith("."))
        else EN_MONTH_ABBR[month - 1]
    )
    return case_like(bare, name) + ("." if written.endswith(".") else "")


def month_number(written: str) -> int:
    """1..12 of a month as written."""
    return EN_MONTH_NUMBER[written.rstrip(".").lower()]


def ordinal(day: int, written: str) -> str:
    """A day with an ordinal suffix if the other had one."""
    if not written:
        return str(day)
    return f"{day}" + (
        "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    )
