"""Short written forms of months, quarters and weeks: 2025-03, 03/2025, 4Q24, Mar-25, 2025-W12.

Forms with one reading move in the form they have; those with two readings or without a unit to move to (numbered
weeks, halves, "Mar-25") are left to a person.
"""

from __future__ import annotations

import re

from factory.anonymise import dates_pairs
from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import code_style
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention
from sources.calendar import EN_MONTH_ABBR

_EDGE = r"(?<![\w#/.$-])"
YEAR_MONTH = re.compile(
    _EDGE
    + r"(?:(?P<y>(?:19|20)\d{2})(?P<s>[-/])(?P<m>0[1-9]|1[0-2])|(?P<m2>0[1-9]|1[0-2])(?P<s2>[-/])(?P<y2>(?:19|20)\d{2}))(?![\w/-]|\.\d)",
    re.ASCII,
)
QUARTER_CODE = re.compile(
    _EDGE
    + r"(?:(?P<n>[1-4])Q(?P<g> ?)(?P<y>(?:19|20)?\d{2})|(?P<y3>\d{2})Q(?P<n3>[1-4])|Q(?P<n2>[1-4])(?P<g2> ?['’])(?P<y2>\d{2}))(?![\w-])",
    re.ASCII,
)
_MONTH = "|".join(
    form for name in (*EN_MONTH_ABBR, "sept") for form in (name.capitalize(), name.upper())
)
CODES = re.compile(
    _EDGE
    + rf"(?:\d{{1,2}}-(?:{_MONTH})-(?:\d{{4}}|\d{{2}})|(?:{_MONTH})-\d{{2,4}}|\d{{1,2}}(?:{_MONTH})(?:\d{{4}}|\d{{2}})"
    r"|(?:19|20)\d{2}-?W\d{1,2}|(?:19|20)\d{2}H[12]|(?:19|20)\d{2}年第[0-9]{1,2}周)(?![\w-])",
    re.ASCII,
)
WEEK = re.compile(r"\b[Ww]eek \d{1,2} of (?:19|20)\d{2}\b|(?<!\w)第[0-9]{1,2}周(?!年|岁)", re.ASCII)


def _year_month(found: re.Match[str], frame: Frame) -> Mention | None:
    year, month = int(found["y"] or found["y2"]), int(found["m"] or found["m2"])
    if found["y"] and month == (year + 1) % 100:
        return iv.flagged(found, "a month or two years")
    to = iv.shift_month(iv.month_unit(year, month), frame.offset, frame.days)
    first = f"{to[0].year}{found['s']}{to[0].month:02d}"
    surface = first if found["y"] else f"{to[0].month:02d}{found['s2']}{to[0].year}"
    return iv.shifted(found, surface, iv.unit_ref(to, "month"), "month")


def _quarter_code(found: re.Match[str], frame: Frame) -> Mention | None:
    number = int(found["n"] or found["n2"] or found["n3"])
    written = found["y"] or found["y2"] or found["y3"]
    year = int(written)
    if year < 100:
        year = min((1900 + year, 2000 + year), key=lambda y: abs(y - frame.anchor.year))
    to = iv.shift_quarter(iv.quarter_unit(year, number), frame.offset, frame.days)
    number, after = (to[0].month + 2) // 3, str(to[0].year)[-len(written) :]
    if found["n"]:
        surface = f"{number}Q{found['g']}{after}"
    else:
        surface = f"Q{number}{found['g2']}{after}" if found["n2"] else f"{after}Q{number}"
    return iv.shifted(
        found, surface, iv.unit_ref(to, "quarter", code_style(found, "full")), "quarter"
    )


def _code(found: re.Match[str], _frame: Frame) -> Mention | None:
    return iv.flagged(found, "short form")


def _week(found: re.Match[str], _frame: Frame) -> Mention | None:
    return iv.flagged(found, "numbered week")


_DIGITS = tuple("0123456789")
_CENTURIES = ("19", "20")
_SHORT_MONTHS = (*pairs(_MONTH.split("|"), "-"), *pairs((*_DIGITS, "-"), _MONTH.split("|")))
RULES = (
    *dates_pairs.RULES,
    Rule(YEAR_MONTH, _year_month, _CENTURIES, reach=(4, 10)),
    Rule(
        QUARTER_CODE,
        _quarter_code,
        (*pairs("1234", ("Q",)), *pairs(_DIGITS, ("Q",)), "Q1", "Q2", "Q3", "Q4"),
        reach=(4, 10),
    ),
    Rule(
        CODES,
        _code,
        (*_SHORT_MONTHS, *pairs(_DIGITS, ("W", "-W", "H1", "H2")), "年第"),
        reach=(8, 10),
    ),
    Rule(WEEK, _week, ("eek ", "第"), reach=(4, 14)),
)
