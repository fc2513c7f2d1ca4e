"""Days written with their year, in any form in which a reader would read one: English and Chinese, figures and
words, lists and ranges with every end.

The scanner's own reading, without the date engine. It is generous: a form with two readings (`1/12/26`) gives both,
since a reading counts only when it is a day that may not stand there. A day without a year is not read: a shifted
one falls on some raw one too often to prove anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from factory.nameforms.normal_forms import views

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth",
    "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip
_ZH_DIGITS = {**{char: n for n, char in enumerate("零一二三四五六七八九")}, "〇": 0, "○": 0, "o": 0}
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−─━~〜∼⁓﹣ー", "-"),
        **dict.fromkeys("’‘ʼ`´′", "'"),
        **dict.fromkeys("*\u200b"),
    }
)
_YEAR = r"[12]\d{3}"
_SPACE = r"[^\S\n]?"

# -- English: a month beside days, with the year before, after or at the other end of a range ------
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])"
)
_DAY = rf"(?:\d{{1,2}}{_SPACE}(?:st|nd|rd|th)(?![a-z])|\d{{1,2}}(?![\d%])|(?:{'|'.join(sorted(_ORDINALS, key=len, reverse=True)).replace('-', '[ -]')})(?![a-z]))"
_WORD = r"(?:-|to|and|or|&|,|;|/|through|thru|till|until|,\s*and)"
_JOIN = rf"\s*{_WORD}\s*(?:the\s+)?"
_NEAR = r"[\s._/,-]{0,3}"
_UNIT = re.compile(
    rf"(?<![\da-z])(?P<days>{_DAY}(?:{_JOIN}{_DAY})*){_NEAR}(?:day\s+)?(?:of\s+)?(?:the\s+)?(?P<month>{_MONTH})"
    rf"|(?<![a-z])(?P<month2>{_MONTH}){_NEAR}(?:the\s+)?(?P<days2>{_DAY}(?:{_JOIN}{_DAY}(?!{_NEAR}(?:of\s+)?{_MONTH}))*)"
)
_AFTER = re.compile(
    rf"[\s,.()\[_/-]{{0,3}}(?:(?:of|in)\s+)?(?:the\s+year\s+)?(?:(?P<full>{_YEAR})(?![\d]|[-/.]\d)|'(?P<two>\d\d)(?!\d))"
)
_AFTER_TWO = re.compile(r"[-/.](\d\d)(?![\d:%]|\.\d)| (\d\d)(?![\d:.%]|\s*[a-z])")
_BEFORE = re.compile(rf"(?<!\d)({_YEAR})[\s,.()\[_/-]{{0,3}}(?:on\s+)?(?:the\s+)?$")
_BETWEEN = re.compile(
    rf"[\s,]*(?:\((?:[a-z]{{3,9}})\))?\s*{_WORD}\s*(?:on\s+)?(?:[a-z]{{3,6}}day,?\s+)?(?:the\s+)?"
)
_ANY_MONTH = re.compile("|".join(MONTHS))

# -- Chinese -----------------------------------------------------------------------------------
_ZH_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十廿卅]{1,4})"
_ZH_DAY = re.compile(
    rf"(?<!\d)(?P<year>{_YEAR}|\d\d|[一二][零〇○o一二三四五六七八九]{{3}}|[零〇○一二三四五六七八九]{{2}})\s?年\s?的?,?\s?"
    rf"(?P<month>{_ZH_NUMBER}|元)\s?月(?:份)?\s?的?(?P<day>{_ZH_NUMBER})(?!\s?[\d个人名万亿千百元%])"
)
_ZH_MORE = re.compile(
    rf"\s?[日号]?\s?(?:\([^()\n]{{1,6}}\))?\s?(?:-|至|到|、|,|和|及|与|或|以及|/)\s?(?:(?P<month>{_ZH_NUMBER}|元)\s?月\s?)?"
    rf"(?P<day>{_ZH_NUMBER})\s?(?=[日号]|(?:-|至|到|、|和|及|与|或)\s?{_ZH_NUMBER}\s?[日号])"
)

# -- figures -----------------------------------------------------------------------------------
_YMD = re.compile(
    rf"(?<![\d.])(?P<year>{_YEAR}){_SPACE}(?P<mark>[-/._]){_SPACE}(?P<month>\d{{1,2}}){_SPACE}(?P=mark){_SPACE}"
    rf"(?P<day>\d{{1,2}})(?!\d)(?:{_SPACE}(?:-|/|\.\.|to|and|至|到){_SPACE}(?P<last>\d{{1,2}})(?![\d:./-]))?"
)
_COMPACT = re.compile(
    r"(?<!\d)([12]\d{3})(\d\d)(\d\d)(?!\d)|(?<!\d)([12]\d{3}) (\d\d) (\d\d)(?!\d)"
)
_YEAR_LAST = re.compile(
    rf"(?<![\d.])(?:(?P<first>\d{{1,2}})\.?{_SPACE}(?:-|to|and){_SPACE})?(?P<a>\d{{1,2}}){_SPACE}(?P<mark>[-/._]){_SPACE}"
    rf"(?P<b>\d{{1,2}}){_SPACE}(?P=mark){_SPACE}(?P<year>{_YEAR})(?!\d)"
)
_US_RANGE = re.compile(rf"(?<![\d/])(\d{{1,2}})/(\d{{1,2}})-(\d{{1,2}})/({_YEAR})(?!\d)")
_TWO_FIGURES = re.compile(
    r"(?<![\d/.-])(?:(\d{1,2})/(\d{1,2})/(\d\d)|(\d{1,2})-(\d{1,2})-(\d\d)|(\d\d)\.(\d\d)\.(\d\d))(?![\d/.-]\d|\d)"
)
_WEEK = re.compile(r"(?<!\d)([12]\d{3})-?w(\d\d)-?([1-7])(?!\d)")


@dataclass(frozen=True)
class WrittenDay:
    """A place that names a day with its year."""

    words: str
    """The place with a few characters around it, in plain form."""
    day: date
    """The day, or one of the days, that it can be read as."""


def written_days(text: str) -> Iterator[WrittenDay]:
    """Every day with a year that a text names, also behind escapes and tags; each day once."""
    seen: set[date] = set()
    for view in dict.fromkeys(views(text)):
        shown = view.translate(_SIGNS).casefold()
        for at, day in _days(shown):
            if day not in seen:
                seen.add(day)
                yield WrittenDay(shown[max(at - 20, 0) : at + 40], day)


def _days(text: str) -> Iterator[tuple[int, date]]:
    if "年" in text:
        yield from _chinese(text)
    if any(char.isdigit() for char in text):
        yield from _figures(text)
    if _ANY_MONTH.search(text):
        yield from _english(text)


def _valid(at: int, readings: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, date]]:
    """Readings (year, month, day) that are days of the calendar."""
    for year, month, day in readings:
        try:
            yield at, date(year, month, day)
        except ValueError:  # such as a month 13: that reading is none
            continue


def _centuries(two: int) -> tuple[int, int]:
    return 2000 + two, 1900 + two


# -- English -----------------------------------------------------------------------------------


@dataclass
class _Unit:
    """A month with its days, and the years that it may be of."""

    start: int
    end: int
    month: int
    days: list[int]
    years: tuple[int, ...]


def _english(text: str) -> Iterator[tuple[int, date]]:
    units: list[_Unit] = []
    for found in _UNIT.finditer(text):
        units.append(_unit(found, text, units[-1].end if units else 0))
    # A range states its year once, at either end; over New Year the other end is of the next or the last year.
    for this, other in pairwise(units):
        if this.years and not other.years and _BETWEEN.fullmatch(text, this.end, other.start):
            other.years = _neighbours(this.years, +1, other.month < this.month)
    for this, other in zip(units[-2::-1], units[:0:-1], strict=True):
        if not this.years and other.years and _BETWEEN.fullmatch(text, this.end, other.start):
            this.years = _neighbours(other.years, -1, this.month > other.month)
    for unit in units:
        readings = ((year, unit.month, day) for year in unit.years for day in unit.days)
        yield from _valid(unit.start, readings)


def _neighbours(years: tuple[int, ...], step: int, crossed: bool) -> tuple[int, ...]:
    return (*years, *(year + step for year in years)) if crossed else years


def _unit(found: re.Match[str], text: str, free: int) -> _Unit:
    """A month with its days and its own year; what stands before `free` belongs to the unit before."""
    name, listed = found["month"] or found["month2"], found["days"] or found["days2"]
    days = []
    for day in re.findall(_DAY, listed):
        figure = re.match(r"\d+", day)
        days.append(int(figure[0]) if figure else _ORDINALS.index(day.replace(" ", "-")) + 1)
    start, end = found.span()
    years: tuple[int, ...] = ()
    if after := _AFTER.match(text, end):
        years = (int(after["full"]),) if after["full"] else _centuries(int(after["two"]))
        end = after.end()
    elif before := _BEFORE.search(text[max(start - 20, free) : start]):
        years = (int(before[1]),)
    elif short := _AFTER_TWO.match(text, end):
        years, end = _centuries(int(short[1] or short[2])), short.end()
    return _Unit(start, end, MONTHS.index(name[:3]) + 1, days, years)


# -- Chinese -----------------------------------------------------------------------------------


def _chinese(text: str) -> Iterator[tuple[int, date]]:
    for found in _ZH_DAY.finditer(text):
        years = _zh_years(found["year"])
        month = _zh_number(found["month"])
        yield from _valid(found.start(), ((y, month, _zh_number(found["day"])) for y in years))
        more = _ZH_MORE.match(text, found.end())
        while more is not None:
            later = _zh_number(more["month"]) if more["month"] else month
            years = _neighbours(years, +1, later < month)
            month = later
            yield from _valid(more.start(), ((y, month, _zh_number(more["day"])) for y in years))
            more = _ZH_MORE.match(text, more.end())


def _zh_years(words: str) -> tuple[int, ...]:
    year = int("".join(str(_ZH_DIGITS.get(char, char)) for char in words))
    return (year,) if len(words) == 4 else _centuries(year)


def _zh_number(words: str) -> int:
    """A number up to 39 in figures or characters; 0 for what is none."""
    if words == "元":
        return 1
    if words.isdigit() and words.isascii():
        return int(words)
    tens, _, ones = words.replace("廿", "二十").replace("卅", "三十").partition("十")
    if "十" in ones or len(tens) > 1 or len(ones) > 1:
        return 0
    if "十" not in words and "廿" not in words and "卅" not in words:
        return _ZH_DIGITS[words]
    return 10 * _ZH_DIGITS.get(tens, 1) + _ZH_DIGITS.get(ones, 0)


# -- figures -----------------------------------------------------------------------------------


def _figures(text: str) -> Iterator[tuple[int, date]]:
    for found in _YMD.finditer(text):
        days = [int(day) for day in found.group("day", "last") if day]
        yield from _valid(
            found.start(), ((int(found["year"]), int(found["month"]), d) for d in days)
        )
    for found in _COMPACT.finditer(text):
        year, month, day = (int(part) for part in found.groups() if part)
        yield from _valid(found.start(), [(year, month, day)])
    for found in _YEAR_LAST.finditer(text):
        year, a, b = (int(found[name]) for name in ("year", "a", "b"))
        first = [(year, b, int(found["first"]))] if found["first"] else []
        yield from _valid(found.start(), [(year, b, a), (year, a, b), *first])
    for found in _US_RANGE.finditer(text):
        month, first_day, last_day, year = (int(part) for part in found.groups())
        yield from _valid(found.start(), [(year, month, first_day), (year, month, last_day)])
    for found in _TWO_FIGURES.finditer(text):
        a, b, c = (int(part) for part in found.groups() if part)
        last = [r for year in _centuries(c) for r in ((year, b, a), (year, a, b))]
        yield from _valid(found.start(), [*last, *((year, b, c) for year in _centuries(a))])
    for found in _WEEK.finditer(text):
        try:
            yield found.start(), date.fromisocalendar(*(int(part) for part in found.groups()))
        except ValueError:  # a week 54 names no day
            continue
