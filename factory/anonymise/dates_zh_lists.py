"""Chinese mentions of several days or months that share one 月 or 日: 1-3月, 3、4月份, 12、13日, 3月12日和13日.

Each day or month is a reference of its own, with its year where the shift parts them. Out of order they are left to
a person.
"""

from __future__ import annotations

import re
from datetime import timedelta

from factory.anonymise import intervals as iv
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.dates_zh_beside import NOT_OF_DAYS
from factory.anonymise.dates_zh_words import (
    DAY_OF,
    MONTH_OF,
    RELATIVE_YEAR,
    YEAR_OF,
    YearUnsaidError,
    like,
    pair_like,
    raw_year,
    tense,
    value,
    year_words,
)
from factory.anonymise.intervals import Frame, Mention, Part

_YEAR = rf"(?:(?P<y>{YEAR_OF})(?P<s1> ?)年(?P<s2> ?)|(?P<rel>{RELATIVE_YEAR}))?"
_FREE = "(?<![0-9０-９一二三四五六七八九十第每近前后约逾:：.,$-])"
AND = "[ ]?[、/和及与][ ]?"
UNTIL = "[ ]?(?:至|到|—+|–|-|－|~|～)[ ]?"
MONTHS = re.compile(
    rf"{_YEAR}{_FREE}(?P<list>{MONTH_OF}(?:(?:{AND}{MONTH_OF})+|{UNTIL}{MONTH_OF})) ?(?P<count>(?:[两二三四五六]个?)?)月(?P<fen>份?)"
    "(?! ?[0-9０-９]|[一二三四五六七八九十]{1,3}[日号、]|[上中下]旬|[初底末]|季|饼|球|嫂|娘)"
)
DAYS = re.compile(
    rf"{_YEAR}(?<!(?<![A-Za-z])[0-9０-９])(?P<m>{MONTH_OF}) ?月 ?(?P<list>{DAY_OF}[日号]?(?:{AND}{DAY_OF}[日号]?)*{AND}{DAY_OF}[日号])(?:(?<=日){NOT_OF_DAYS}|(?<=号))"
)
_MONTH = re.compile(MONTH_OF)
_DAY = re.compile(rf"(?P<d>{DAY_OF})(?P<u>[日号]?)")


def _months(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    try:
        year = raw_year(group, frame, found.start())
    except YearUnsaidError:
        return iv.flagged(found, "year said by reference")
    written = [*_MONTH.finditer(found.string, found.start("list"), found.end("list"))]
    numbers = [value(one.group()) for one in written]
    if sorted(set(numbers)) != numbers:
        return iv.flagged(found, "months out of order")
    if group["count"] and value(group["count"][0].replace("两", "二")) != len(numbers):
        return iv.flagged(found, "months and their number disagree")
    if year is None:
        near = iv.nearest(frame.anchor, iv.month_unit, (numbers[-1],), lambda: tense(found))
        year = iv.sure(near)[0].year
    units = [
        iv.shift_month(iv.month_unit(year, number), frame.offset, frame.days) for number in numbers
    ]
    dated = bool(group["y"] or group["rel"])
    parted = dated and len({unit[0].year for unit in units}) > 1
    if parted and group["count"]:
        return iv.flagged(found, "months of two years")
    surface = ""
    for index, (one, unit) in enumerate(zip(written, units, strict=True)):
        if index:
            surface += "月" * parted + found.string[written[index - 1].end() : one.start()]
        if not index or parted:
            surface += year_words(group, unit[0].year, frame, found.start())
        surface += like(unit[0].month, one.group())
    starts = [found.start(), *(one.start() for one in written[1:])]
    ends = [*(one.end() for one in written[:-1]), found.end()]
    styles = ["full" if dated else "short", *("full" if parted else "short" for _ in written[1:])]
    parts = [
        Part(start, end, iv.unit_ref(unit, "month", style))
        for start, end, unit, style in zip(starts, ends, units, styles, strict=True)
    ]
    return iv.compound(found, f"{surface}{group['count']}月{group['fen']}", "months", parts)


def _days(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    written = [*_DAY.finditer(found.string, found.start("list"), found.end("list"))]
    numbers = [value(one["d"]) for one in written]
    if sorted(set(numbers)) != numbers:
        return iv.flagged(found, "days out of order")
    try:
        year = raw_year(group, frame, found.start())
    except YearUnsaidError:
        return iv.flagged(found, "year said by reference")
    month = value(group["m"])
    if year is None:
        near = iv.nearest(frame.anchor, iv.day_unit, (month, numbers[0]), lambda: tense(found))
        year = near[0].year if near else None
    raw = [iv.day_or_none(year, month, number) if year else None for number in numbers]
    days = [day + timedelta(days=frame.offset) for day in raw if day is not None]
    if len(days) < len(raw):
        return iv.flagged(found, "no such day")
    dated = bool(group["y"] or group["rel"])
    parted = dated and len({day.year for day in days}) > 1
    surface = ""
    unit = written[-1]["u"]
    for index, (one, day) in enumerate(zip(written, days, strict=True)):
        if index:
            surface += found.string[written[index - 1].end() : one.start()]
        if not index or parted:
            surface += year_words(group, day.year, frame, found.start())
        if not index or parted or days[index - 1].month != day.month:
            surface += like(day.month, group["m"]) + "月"
        split = index + 1 < len(days) and (parted or days[index + 1].month != day.month)
        surface += pair_like((day.month, day.day), (group["m"], one["d"]))[1]
        surface += one["u"] or unit * split
    styles = ["full" if dated else "short", *("full" if parted else "short" for _ in days[1:])]
    starts = [found.start(), *(one.start() for one in written[1:])]
    parts = [
        Part(start, one.end(), iv.day_ref(day, style))
        for start, one, day, style in zip(starts, written, days, styles, strict=True)
    ]
    return iv.compound(found, surface, "days", parts)


_NUMERALS = (*"0123456789０１２３４５６７８９一二三四五六七八九十廿元", " ")
_JOINED = pairs("、/和及与", _NUMERALS)
"""Every list holds a joint with a number behind it; far fewer than figures, months or days."""
RANGED = (*_JOINED, *pairs("至到—–－～~-", _NUMERALS))
RULES = (
    Rule(MONTHS, _months, RANGED, reach=(24, 64)),
    Rule(DAYS, _days, _JOINED, exact=True, reach=(24, 64)),
)
