"""Times counted back from the fetch: 3小时5分钟前, 两个半小时前, 1 day 2 hours ago, an hour and a half ago, 5h.

All parts of a duration are summed; one whose parts are not all understood is no duration. What is counted in
hours or less is known to the minute, in days to the day, in weeks or months to the month, in years to nothing.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sources.calendar import ZH_NUMERAL, parse_zh_numeral
from sources.moments import Moment, Untold, whole_day, whole_month

UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
"""From the largest to the smallest, the order in which a duration names them."""
_ZH_UNITS = {
    "秒钟": "second", "秒鐘": "second", "秒": "second", "分钟": "minute", "分鐘": "minute", "分": "minute",
    "小时": "hour", "小時": "hour", "钟头": "hour", "鐘頭": "hour", "天": "day", "日": "day", "周": "week",
    "週": "week", "星期": "week", "礼拜": "week", "禮拜": "week", "月": "month", "年": "year",
}  # fmt: skip
_EN_UNITS = {
    "seconds": "second", "second": "second", "secs": "second", "sec": "second", "s": "second",
    "minutes": "minute", "minute": "minute", "mins": "minute", "min": "minute", "m": "minute",
    "hours": "hour", "hour": "hour", "hrs": "hour", "hr": "hour", "h": "hour", "days": "day", "day": "day",
    "d": "day", "weeks": "week", "week": "week", "wks": "week", "wk": "week", "w": "week", "months": "month",
    "month": "month", "mos": "month", "mo": "month", "years": "year", "year": "year", "yrs": "year",
    "yr": "year", "y": "year",
}  # fmt: skip
_EN_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip


def _any(words: Mapping[str, object]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_ZH_PART = re.compile(
    rf"(?:(?P<half>半)|(?P<count>\d+(?:\.\d+)?|[{ZH_NUMERAL}]+))\s*(?P<of>[个個]\s*(?P<and>半)?)?\s*"
    rf"(?P<unit>{_any(_ZH_UNITS)})(?P<more>半)?"
)
_EN_PART = re.compile(
    rf"(?:(?P<half>half)(?:\s+|-)(?:an?\s+)?|(?P<count>\d+(?:\.\d+)?|(?:{_any(_EN_COUNTS)})\b)"
    rf"(?P<and>\s+and\s+a\s+half)?\s*)(?P<unit>{_any(_EN_UNITS)})(?![a-z])(?P<more>\s+and\s+a\s+half\b)?",
    re.IGNORECASE,
)
_SHORT_PART = re.compile(
    r"(?P<count>\d+)\s*(?P<unit>(?i:secs?|mins?|hrs?|wks?|yrs?|mo|s|h|d|w|y)|m)(?![A-Za-z])"
)
"""Durations that platforms write without "ago"; a capital M may be months."""
_LINK = re.compile(r"\s*(?:,\s*and\b|,|、|and\b|零|又)?\s*", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:(?:大约|大約|约|約|大概|about|around|approximately)\s*|[~≈]\s*)?", re.IGNORECASE
)
_ZH_AGO = re.compile(r"\s*(?:以前|之前|前)")
_EN_AGO = re.compile(r"\s*\bago\b|(?<=\d[smhdwy])\s*ago\b", re.IGNORECASE)
_UNCOUNTED = re.compile(
    r"(?:[几幾数數]|好些|些|多)[^\d前]{0,6}前|\b(?:few|several|couple|some|many)\b.{0,20}\bago\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Ago:
    """A duration found at the beginning of a text."""

    amounts: Mapping[str, float]
    """Unit -> how many, largest unit first."""
    end: int
    """Where the text goes on."""
    bare: bool = False
    """Whether nothing but its brevity says that it is counted back."""

    @property
    def unit(self) -> str:
        """Its smallest unit."""
        return list(self.amounts)[-1]

    @property
    def days(self) -> int | None:
        """Its length when it is a whole number of days and nothing else."""
        count = self.amounts.get("day")
        return int(count) if len(self.amounts) == 1 and count and count % 1 == 0 else None


def find_ago(text: str) -> Ago | None:
    """The duration with which a text begins; Untold when it is counted as "several"."""
    start = _match_end(_ABOUT, text, 0)
    for part, behind in ((_ZH_PART, _ZH_AGO), (_EN_PART, _EN_AGO)):
        amounts, end = _sum(part, text, start)
        mark = behind.match(text, end) if amounts else None
        if mark is not None:
            return Ago(amounts, mark.end())
    amounts, end = _sum(_SHORT_PART, text, 0)
    if amounts:
        return Ago(amounts, end, bare=True)
    if _UNCOUNTED.search(text):
        raise Untold("an uncounted time ago")
    return None


def counted_back(ago: Ago, now: datetime) -> Moment:
    """The moment that lies a duration before `now`, which is in the source's zone."""
    amounts, unit = ago.amounts, ago.unit
    if unit == "year":
        return Moment(note="known only to the year")
    whole = timedelta(**{f"{name}s": amounts[name] for name in UNITS[2:] if name in amounts})
    months = amounts.get("year", 0) * 12 + amounts.get("month", 0)
    whole += timedelta(days=round(months % 1 * 30))
    if unit in ("hour", "minute", "second"):
        at = _months_before(now, int(months)).astimezone(UTC) - whole
        return Moment(at, "minute", "relative", 0.75 if unit == "hour" else 0.85)
    here = now.tzinfo or UTC
    day = (_months_before(now, int(months)) - whole).date()
    if unit == "day":
        return whole_day(day, here, 0.7, "relative")
    return whole_month(day, here, 0.4, "relative")  # "two weeks ago" says no day


def _months_before(at: datetime, months: int) -> datetime:
    if not months:
        return at
    year, month = divmod(at.year * 12 + at.month - 1 - months, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, monthrange(year, month + 1)[1]))


def _sum(part: re.Pattern[str], text: str, start: int) -> tuple[dict[str, float], int]:
    """Units and counts of the parts that follow each other from largest to smallest, and where they end."""
    amounts: dict[str, float] = {}
    end = start
    for unit, count, stop in _parts(part, text, start):
        if amounts and UNITS.index(unit) <= UNITS.index(list(amounts)[-1]):
            return {}, start
        amounts[unit] = count
        end = stop
    return amounts, end


def _parts(part: re.Pattern[str], text: str, start: int) -> Iterator[tuple[str, float, int]]:
    match = part.match(text, start)
    while match is not None:
        found = match.groupdict()
        unit = _ZH_UNITS.get(found["unit"]) or _EN_UNITS[found["unit"].lower()]
        if found["unit"] == "月" and not found["of"]:  # 3月前 is "before March"
            return
        count = 0.5 if found.get("half") else _count(found["count"])
        if found.get("and") or found.get("more"):
            count += 0.5
        yield unit, count, match.end()
        match = part.match(text, _match_end(_LINK, text, match.end()))


def _count(word: str) -> float:
    if word[0].isdigit():
        return float(word)
    return _EN_COUNTS.get(word.lower()) or parse_zh_numeral(word)


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return start if match is None else match.end()
