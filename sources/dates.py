"""The day or month that a stamp writes: 2026-03-04, 2026年3月4日, 去年12月, 民國115/03/04, 令和8年3月4日, 4 March 2026.

A year that is not written is the latest that fits; one that is written in a way that is not understood, lunar
days, spans of days, and numbers that could be two days are Untold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from schemas.item import Precision
from sources.calendar import (
    EN_MONTH_NUMBER,
    EN_WEEKDAY_NUMBER,
    JAPANESE_ERAS,
    ROC_ERA_NAMES,
    ROC_OFFSET,
    ZH_NUMERAL,
    ZH_RELATIVE_MONTHS,
    ZH_RELATIVE_YEARS,
    parse_zh_numeral,
)
from sources.moments import Untold

_FIRST_YEAR = 1900
_LAST_YEAR = 2100
_MONTHS = "|".join(sorted(EN_MONTH_NUMBER, key=len, reverse=True))
_N = f"[0-9{ZH_NUMERAL}]"
_MONTH_DAY = rf"({_N}{{1,3}})\s*月(?:份)?\s*(?:({_N}{{1,3}})\s*[日号號]?)?"
_ERAS = "|".join((*ROC_ERA_NAMES, *JAPANESE_ERAS))
_ERA_DATE = re.compile(rf"({_ERAS})\s*({_N}+|元)\s*年\s*{_MONTH_DAY}")
_ROC_NUMBERS = re.compile(
    rf"(?:(?:{'|'.join(ROC_ERA_NAMES)})\s*(\d{{1,3}})|(?<![\w.])((?:0[5-9]|1\d)\d))([-/.])(\d{{1,2}})\3(\d{{1,2}})(?![\d/-]|\.\d)"
)
"""Years of the Republic of China before a slash, with the era's name or, as three digits, without it."""
_ZH_DATE = re.compile(
    rf"(?<!\d)(?:([0-9]{{2,4}}|[〇○零一二三四五六七八九]{{4}})\s*年\s*){_MONTH_DAY}"
)
_ZH_YEAR_WORD = re.compile(rf"({'|'.join(ZH_RELATIVE_YEARS)})的?\s*{_MONTH_DAY}")
_ZH_MONTH_WORD = re.compile(rf"({'|'.join(ZH_RELATIVE_MONTHS)})的?\s*({_N}{{1,3}})\s*[日号號]")
_ZH_SHORT = re.compile(rf"({_N}{{1,3}})\s*月\s*({_N}{{1,3}})\s*[日号號]?")
_YMD = re.compile(r"(?<!\d)((?:19|20)\d\d)\s*([-/._])\s*(\d{1,2})\s*\2\s*(\d{1,2})(?!\d)")
_NUMERIC = re.compile(r"(?<![\dA-Za-z])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)")
_EN_WEEKDAY = re.compile(rf"\b(?:{'|'.join(EN_WEEKDAY_NUMBER)})\b", re.IGNORECASE)
_YEAR_OF_TWO = (
    r"\d{2}(?=\s*(?:$|[,;|•·()\[\]\n]|[-–—](?!\s*\d)|[-–—]\s*\d{1,2}:\d\d|(?:at\s+)?\d{1,2}(?:[:.h]\d\d|\s*[ap]\.?m\b)|T\d\d:|"
    r"(?-i:[A-Z]{3,4}\b)))"
)
"""Two digits behind a month that end the date, or stand before a clock or zone; else they are an hour or a count."""
_EN_DMY = re.compile(
    rf"(?<![\d:])(\d{{1,2}})(?:st|nd|rd|th)?[\s\-.,]*(?:of\s+)?({_MONTHS})\b\.?[\s\-,.]*(\d{{4}}|{_YEAR_OF_TWO})?",
    re.IGNORECASE,
)
_EN_MDY = re.compile(
    rf"\b({_MONTHS})\b\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:\s*,?\s*(\d{{4}})\b)?",
    re.IGNORECASE,
)
_EN_MY = re.compile(rf"(?<!\d )\b({_MONTHS})\b\.?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_YM = re.compile(r"^((?:19|20)\d\d)[-/.](\d{1,2})$")
_MD = re.compile(r"^\D{0,8}?(\d{1,2})[-/](\d{1,2})(?![\d/-])")
_LUNAR = re.compile(r"[农農阴陰旧舊][历曆]|闰|閏|正月|腊月|臘月|冬月|月\s*初[一二三四五六七八九十]")
_OTHER_YEAR = re.compile(
    rf"{'|'.join(ZH_RELATIVE_YEARS)}|明年|后年|後年|\b(?:last|this|next|previous)\s+year\b",
    re.IGNORECASE,
)
_SPAN_BEHIND = re.compile(
    rf"\s*(?:[-~〜–—−至到、&]|to\b|through\b|until\b|and\b)\s*"
    rf"(?:{_N}{{1,3}}(?!\d)|(?:19|20)\d\d\s*[-/.年]|(?:{_MONTHS})\b)",
    re.IGNORECASE,
)
_SPAN_BEFORE = re.compile(
    rf"{_N}(?:st|nd|rd|th)?[日号號]?\s*(?:[-~〜–—−至到、&]|\bto|\band)\s*$", re.IGNORECASE
)
_CLOCK_BEHIND = re.compile(
    r"\s*[-–—−至到]?\s*(?:\d{1,2}\s*[:时時点點]|\d{1,2}(?:\.\d\d)?\s*[ap]\.?m\b|\d\d-\d\d-\d\d(?!\d))",
    re.IGNORECASE,
)
_CLOCK_BEFORE = re.compile(r"\d\s*:\s*\d\d(?::\d\d)?(?:\.\d+)?\s*[-–—−]\s*$")
_MONTH_FIRST = frozenset(
    {
        "Asia/Shanghai", "Asia/Chongqing", "Asia/Harbin", "Asia/Urumqi", "Asia/Taipei", "Asia/Tokyo", "Asia/Seoul",
        "PRC", "ROC", "ROK", "Japan",
    }
)  # fmt: skip
"""Zones in which every date begins with its largest part, so that 03-04 without a year is 4 March."""
_OTHER_CALENDARS = frozenset({"Asia/Bangkok", "Asia/Taipei", "Asia/Tokyo", "ROC", "Japan"})
"""Zones in which a year of two digits may be counted from another year than that of the Gregorian calendar."""


@dataclass(frozen=True)
class FoundDate:
    """A day or month in a text."""

    day: date
    """The day, or the month's first."""
    precision: Precision
    """day or month."""
    inferred: bool
    """Whether its year is not written."""
    start: int
    """Where it begins."""
    end: int
    """Where the text goes on."""


def find_date(text: str, now: datetime, zone: str) -> FoundDate | None:
    """The date in a text, read at `now` in the source's IANA zone.

    ValueError for a day that does not exist, Untold for one that is written but cannot be told.
    """
    if _LUNAR.search(text):
        raise Untold("a day of the lunar calendar")
    found = _chinese(text, now, zone) or _numbers_or_english(text, now, zone)
    if found is None:
        return None
    before, behind = text[: found.start], text[found.end :]
    if (_SPAN_BEHIND.match(behind) and not _CLOCK_BEHIND.match(behind)) or (
        _SPAN_BEFORE.search(before) and not _CLOCK_BEFORE.search(before)
    ):
        raise Untold("a span of several days")
    if found.inferred and before.rstrip().endswith("年"):
        raise Untold("its year cannot be read")
    return found


# -- Chinese and Japanese ----------------------------------------------------------------------------


def _chinese(text: str, now: datetime, zone: str) -> FoundDate | None:
    if match := _ERA_DATE.search(text):
        return _ymd(match, _year_of_era(match[1], match[2]), match[3], match[4])
    if match := _ROC_NUMBERS.search(text):
        return _ymd(match, ROC_OFFSET + int(match[1] or match[2]), match[4], match[5])
    if match := _ZH_YEAR_WORD.search(text):
        year = now.year + ZH_RELATIVE_YEARS[match[1]]
        return _ymd(match, year, match[2], match[3], inferred=True)
    if match := _ZH_MONTH_WORD.search(text):
        months = now.year * 12 + now.month - 1 + ZH_RELATIVE_MONTHS[match[1]]
        day = date(months // 12, months % 12 + 1, parse_zh_numeral(match[2]))
        return FoundDate(day, "day", True, *match.span())
    if match := _ZH_DATE.search(text):
        unknown_era = re.search(r"[\u4e00-\u9fff]$", text[: match.start()])
        if len(match[1]) < 4 and unknown_era and unknown_era[0] not in "于於在期间間":
            raise Untold("its year cannot be read")
        return _ymd(match, _year(match[1], now, zone), match[2], match[3])
    return None


def _year_of_era(era: str, number: str) -> int:
    count = 1 if number == "元" else parse_zh_numeral(number)
    before, last = JAPANESE_ERAS.get(era, (ROC_OFFSET, _LAST_YEAR - ROC_OFFSET))
    if not 1 <= count <= last:
        raise ValueError("no such year of its era")
    return before + count


def _ymd(
    match: re.Match[str], year: int, month: str, day: str | None, *, inferred: bool = False
) -> FoundDate:
    number = parse_zh_numeral(month)
    if day is None:
        return FoundDate(date(year, number, 1), "month", inferred, *match.span())
    return FoundDate(date(year, number, parse_zh_numeral(day)), "day", inferred, *match.span())


# -- numbers and English -----------------------------------------------------------------------------


def _numbers_or_english(text: str, now: datetime, zone: str) -> FoundDate | None:
    if match := _YMD.search(text):
        return _ymd(match, int(match[1]), match[3], match[4])
    named = _EN_DMY.search(text)
    match = _NUMERIC.search(text)
    if match is not None and (named is None or match.start() < named.start()):
        day = _numeric(match[1], match[3], match[4], now, zone)
        return FoundDate(day, "day", False, *match.span())
    if (match := named) is not None and int(match[1]) <= 31:
        return _named(match, match[2], match[1], match[3], text, now)
    if match := _EN_MDY.search(text):
        return _named(match, match[1], match[2], match[3], text, now)
    if match := _EN_MY.search(text):
        first = date(int(match[2]), EN_MONTH_NUMBER[match[1].lower()], 1)
        return FoundDate(first, "month", False, *match.span())
    if match := _YM.search(text):
        return FoundDate(date(int(match[1]), int(match[2]), 1), "month", False, *match.span())
    if match := _ZH_SHORT.search(text):
        month, number = parse_zh_numeral(match[1]), parse_zh_numeral(match[2])
        return _without_year(_latest(month, number, now), match, text)
    if match := _MD.search(text):
        day = _month_and_day(int(match[1]), int(match[2]), now, zone)
        return _without_year(day, match, text)
    return None


def _without_year(day: date, match: re.Match[str], text: str) -> FoundDate:
    if _OTHER_YEAR.search(text):
        raise Untold("its year cannot be read")
    return FoundDate(day, "day", True, *match.span())


def _year(text: str, now: datetime, zone: str = "") -> int:
    value = parse_zh_numeral(text)
    if len(text) == 3:  # 115年 without its era, as Taiwan's papers write it
        value += ROC_OFFSET
    if len(text) == 2:
        if zone in _OTHER_CALENDARS:
            raise Untold("a year of two digits in a zone of several calendars")
        value += 2000 if value <= now.year % 100 + 1 else 1900
    if not _FIRST_YEAR <= value <= _LAST_YEAR:
        raise ValueError("implausible year")
    return value


def _latest(month: int, day: int, now: datetime, weekday: int | None = None) -> date:
    """The latest such day that is not after tomorrow: a date without a year is in the past.

    A weekday that is written beside it has to fit.
    """
    for year in range(now.year, now.year - 9, -1):
        try:
            found = date(year, month, day)
        except ValueError:  # 29 February outside a leap year
            continue
        fits = weekday is None or found.weekday() == weekday
        if fits and found <= now.date() + timedelta(days=1):
            return found
    raise ValueError("no such day")


def _month_and_day(left: int, right: int, now: datetime, zone: str) -> date:
    """The one day that two numbers can be, or the one that the zone's own order makes of them."""
    days = []
    for month, day in ((left, right), (right, left)):
        try:
            days.append(_latest(month, day, now))
        except ValueError:  # this order gives no day
            continue
    return _only(set(days[:1] if zone in _MONTH_FIRST else days))


def _numeric(left: str, middle: str, right: str, now: datetime, zone: str) -> date:
    """The one day that 25/12/2025, 12/25/25 or 99-12-25 can be."""
    orders = [(right, middle, left), (right, left, middle)]
    if len(left) == 2 and len(right) == 2:
        orders.append((left, middle, right))
    days = set()
    for year, month, day in orders:
        try:
            days.add(date(_year(year, now, zone), int(month), int(day)))
        except Untold:
            raise
        except ValueError:  # this order gives no day
            continue
    return _only({day for day in days if day <= now.date() + timedelta(days=1)} or days)


def _only(days: set[date]) -> date:
    if len(days) > 1:
        raise Untold("day and month cannot be told apart")
    if not days:
        raise ValueError("no such day")
    return days.pop()


def _named(
    match: re.Match[str], month: str, day: str, year: str | None, text: str, now: datetime
) -> FoundDate:
    number = EN_MONTH_NUMBER[month.lower()]
    if year is not None:
        return FoundDate(date(_year(year, now), number, int(day)), "day", False, *match.span())
    # asctime and Weibo put the year last: Thu Mar 05 08:30:00 +0800 2026
    tail = re.search(r"(?<![\d+:-])((?:19|20)\d\d)\s*$", text[match.end() :])
    if tail is not None:
        return FoundDate(date(int(tail[1]), number, int(day)), "day", False, *match.span())
    named = _EN_WEEKDAY.search(text)
    weekday = EN_WEEKDAY_NUMBER[named[0].lower()] if named else None
    return _without_year(_latest(number, int(day), now, weekday), match, text)
