"""English calendar words as they are written: patterns, and a month, ordinal or year in the form of another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from factory.anonymise.dates_scan import pairs
from factory.anonymise.intervals import Frame
from sources.calendar import EN_MONTH_ABBR, EN_MONTH_NUMBER, EN_MONTHS

DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_SHORT = (*EN_MONTH_ABBR, "sept")
_LOWER = [month for month in EN_MONTHS if month not in ("may", "march")]
_ON = "|".join(
    rf"(?<=\b{word} )"
    for word in ("[Oo]n", "[Bb]y", "[Uu]ntil", "[Tt]ill", "[Ss]ince", "[Dd]ue", "[Dd]ated")
)
"""Words before a day, never before the verbs "may", "march" and "mar"."""
MONTH_NAME = (
    "(?=[JFMASONDjfmasond])(?:"
    + "|".join([*(m.capitalize() for m in EN_MONTHS), *(m.upper() for m in EN_MONTHS), *_LOWER])
    + "|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\\.?(?![a-z])"
    + r"|(?:JAN|FEB|MAR|APR|JUN|JUL|AUG|SEPT|SEP|OCT|NOV|DEC)(?:(?=\.? \d)|(?<=\d [A-Z]{3})|(?<=\d SEPT))\.?(?![A-Za-z])"
    + r"|(?:may|march|mar|sep)(?=\.? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d\d)\.?"
    + rf"|(?:{_ON})(?:may|march|mar|sep)(?=\.? {DAY}(?:st|nd|rd|th)?(?!\w|[.,:]\d|%| [a-z]{{3,}}s\b))\.?"
    + r"|(?:jan|feb|apr|jun|jul|aug|sept|oct|nov|dec)(?:(?=\.? \d)|(?<=\d [a-z]{3})|(?<=\d sept)|(?<=\d(?:st|nd|rd|th) [a-z]{3}))\.?(?![A-Za-z]))"
)
"""A month: its name, or its short form. In capitals and in small letters a short form needs a figure beside it, as DEC
is a firm, too; "may", "march", "mar" and "sep" without a capital are other words unless a year follows, or "on" and the
like stand before and a day behind them."""
YEAR_AFTER = (
    r"(?:(?P<c>,? |(?P<k> \())(?P<y>(?:19|20)\d{2})(?!\d)(?(k)\))"
    r"|(?P<rc>,? of |,? )(?P<rel>[Ll]ast|[Tt]his|[Nn]ext) year\b(?!['’]s))?"
)
"""The year after a day or month: in figures, in brackets too, or "last year", "of this year"."""
TO = " to | through | until | thru | till "
"""Words between the two ends of a range."""
NO_NOUN = (
    r"(?=[,.;:)!?]|$| (?:he|she|it|they|we|the|a|an|and|but|as|when|while|after|before|with|by|for|in|at|from|to|was|were|is|had|has"
    r"|said|that|which|who|his|her|its|their|because|if|until|through|amid|over|under|during|following|not)\b)"
)
"""What follows a number that counts nothing: "on the 15th floor" names no day."""
YEAR_STEPS = {"last": -1, "this": 0, "next": 1}
CENTURIES = ("19", "20")
MONTH_WORDS = (
    *(word for name in EN_MONTHS for word in (name[:3].capitalize(), name[:3].upper())),
    *_LOWER,
)
"""Triggers: every month as written begins with one of these, but for "may" and "march"."""
MONTHS_JOINED = (*MONTH_WORDS, *EN_MONTH_ABBR)
"""Triggers beside another word: every month as written begins with one of these."""
MONTHS_DATED = pairs(pairs(("march", *EN_MONTH_ABBR, "sept"), (" ", ". ")), CENTURIES)
"""Triggers: "march", "may" and short forms in small letters with a year."""
MONTH_FORMS = (
    *EN_MONTHS,
    *(name.capitalize() for name in EN_MONTHS),
    *(name.upper() for name in EN_MONTHS),
    *(short.capitalize() + dot for short in _SHORT for dot in ("", ".")),
    *(short.upper() + dot for short in _SHORT for dot in ("", ".")),
    *(short + dot for short in _SHORT for dot in ("", ".")),
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
        return case_like(bare, "may")
    name = (
        "sept"
        if month == 9 and (bare.lower() == "sept" or written.endswith("."))
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


_TOLD = re.compile(
    r"(?:['’]s)? (?:results?|earnings|revenues?|profits?|loss(?:es)?|sales|margins?|guidance|figures|numbers|reports?|calls?|growth|GDP|deliveries|output|exports|imports|orders|bookings|outlook|forecasts?|performance|income|shipments)\b",
    re.ASCII,
)
"""What a quarter's code stands before as an adjective: "Q4 results"."""
_WITHIN = re.compile(r"\b(?:[Ii]n|[Dd]uring|[Ss]ince|[Uu]ntil|[Bb]y) $", re.ASCII)
"""Behind these a quarter is a time: "in Q4 sales fell"."""


def code_style(found: re.Match[str], style: str) -> str:
    """The style of a quarter written as a code: that of an adjective before what is told of the quarter."""
    within = _WITHIN.search(found.string, max(found.start() - 8, 0), found.start())
    if within or _TOLD.match(found.string, found.end()) is None:
        return style
    return "attributive-full" if style == "full" else "attributive"


def year_before(written: str, frame: Frame) -> int:
    """The raw year of "last", "this" or "next" year."""
    return frame.anchor.year + YEAR_STEPS[written.lower()]


def year_told(group: Mapping[str, str | None], frame: Frame) -> int | None:
    """The raw year of a match of YEAR_AFTER, in figures or by reference; None where no year is told."""
    if group["y"]:
        return int(group["y"])
    return year_before(group["rel"], frame) if group["rel"] else None


def relative_year(year: int, frame: Frame) -> str | None:
    """ "last", "this" or "next" year of the shifted anchor; None when none of them is true."""
    apart = year - frame.moved.year
    return next((word for word, step in YEAR_STEPS.items() if step == apart), None)


def year_after(group: Mapping[str, str | None], year: int, frame: Frame) -> str:
    """What stands for the match of YEAR_AFTER when the year has become another; empty where no year is written."""
    if group["y"]:
        return f"{group['c']}{year}{')' if group.get('k') else ''}"
    if not group["rel"]:
        return ""
    word = relative_year(year, frame)
    return f" {year}" if word is None else f"{group['rc']}{word} year"
