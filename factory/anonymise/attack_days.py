"""Days that an attacker reads in a text: written out, or short and casual as in posts (12/15, jan 5, 12-05 10:23).

A reader needs no rule to know a date, so every form that the calendar net takes for a day is read here, too. Forms
other than the written-out one are marked as odd: a rewriting by rules may have missed them. Where the order of day
and month is open, a mention carries both readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from factory.audit.calendar_figures import figure_days
from factory.segments import MONTHS
from schemas import Lang

_MONTH = "|".join(MONTHS)
_EN_DAY = re.compile(
    rf"\b(?P<m1>{_MONTH})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y1>(?:19|20)\d\d)\b)?"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})\b(?:,? (?P<y2>(?:19|20)\d\d)\b)?"
)
_ZH_DAY = re.compile(
    r"(?:(?P<y>(?:19|20)\d\d)(?P<s0> ?)年(?P<s1> ?))?(?<!\d)(?P<m>\d{1,2})(?P<s2> ?)月(?P<s3> ?)(?P<d>\d{1,2})(?P<s4> ?)[日号]"
)
_SHORT = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
    r"|Mar|Sep|(?:(?<=[Oo]n )|(?<=[Bb]y )|(?<=ou )|(?<=il )|(?<=ce ))(?:may|march|mar|sep)"
)
_CASUAL = re.compile(
    rf"(?<![A-Za-z])(?P<m1>{_SHORT})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.,:]\d|%)(?:,? (?P<y1>(?:19|20)\d\d)\b)?"
    rf"|(?<![\d.,])\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?P<m2>{_SHORT})\b\.?(?:,? (?P<y2>(?:19|20)\d\d)\b)?"
)
_STARTS = tuple(month[:3].lower() for month in MONTHS)
_DATED = re.compile(
    r"(?<![\w/.-])(?:(?:19|20)\d\d(?P<m>[-/.])\d{1,2}(?P=m)\d{1,2}|\d{1,2}/\d{1,2}/(?:(?:19|20)\d\d|\d\d))(?!\d|[-/]\d)",
    re.ASCII,
)
_FIGURES = re.compile(r"\d+")


@dataclass(frozen=True)
class DayMention:
    """A day that a text names."""

    start: int
    end: int
    day: date
    """With the year of the text, or the year that brings it nearest to the node's day."""
    dated: bool
    """The text names the year."""
    odd: bool
    """Unlike the usual form, so that a rewriting by rules may have missed it."""
    other: date | None = None
    """The day if day and month change places, when figures leave that open."""

    @property
    def readings(self) -> tuple[date, ...]:
        """Every day that it may be."""
        return (self.day,) if self.other is None else (self.day, self.other)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _nearest(near: date, month: int, day: int) -> date | None:
    days = [_date(year, month, day) for year in (near.year - 1, near.year, near.year + 1)]
    return min((d for d in days if d), key=lambda d: abs((d - near).days), default=None)


def day_mentions(text: str, lang: Lang, near: date) -> Iterator[DayMention]:
    """Days with month and day, the written-out ones in order and then the short ones; none overlap."""
    taken: list[tuple[int, int]] = []
    for mention in (*_written(text, lang, near), *_short(text, near)):
        if not any(start < mention.end and mention.start < end for start, end in taken):
            taken.append((mention.start, mention.end))
            yield mention


def _written(text: str, lang: Lang, near: date) -> Iterator[DayMention]:
    for hit in (_EN_DAY if lang == "en" else _ZH_DAY).finditer(text):
        part = hit.groupdict()
        if lang == "en":
            month = MONTHS.index(part["m1"] or part["m2"]) + 1
            number, year = int(part["d1"] or part["d2"]), part["y1"] or part["y2"]
            odd = False
        else:
            month, number, year = int(part["m"]), int(part["d"]), part["y"]
            odd = bool(part["s2"] and part["s3"])
        found = _date(int(year), month, number) if year else _nearest(near, month, number)
        if found is not None:
            yield DayMention(hit.start(), hit.end(), found, bool(year), odd)


def _short(text: str, near: date) -> Iterator[DayMention]:
    for hit in _CASUAL.finditer(text):
        month = _STARTS.index((hit["m1"] or hit["m2"])[:3].lower()) + 1
        number, year = int(hit["d1"] or hit["d2"]), hit["y1"] or hit["y2"]
        found = _date(int(year), month, number) if year else _nearest(near, month, number)
        if found is not None:
            yield DayMention(hit.start(), hit.end(), found, bool(year), odd=True)
    spans = [hit.span() for hit in _DATED.finditer(text)]
    for start, end in (*spans, *figure_days(text)):
        yield from _figures(text[start:end], start, near)


def _figures(words: str, at: int, near: date) -> Iterator[DayMention]:
    """The day in figures; of a range the first, since its ends are no two clues."""
    found = [*_FIGURES.finditer(words)]
    numbers = [int(hit.group()) for hit in found]
    if len(found[0].group()) >= 8:
        glued = found[0].group()
        day = _date(int(glued[:4]), int(glued[4:6]), int(glued[6:8]))
        if day is not None:
            yield DayMention(at, at + len(words), day, dated=True, odd=True)
    elif len(numbers) == 3:
        a, b, c = numbers
        year = c + 2000 if c < 100 else c
        readings = [_date(a, b, c)] if a > 31 else [_date(year, a, b), _date(year, b, a)]
        yield from _either(at, at + len(words), readings, dated=True)
    else:
        a, b = numbers[:2]
        readings = [_nearest(near, a, b), _nearest(near, b, a) if "/" in words else None]
        yield from _either(at, at + len(words), readings, dated=False)


def _either(
    start: int, end: int, readings: list[date | None], *, dated: bool
) -> Iterator[DayMention]:
    days = [*dict.fromkeys(day for day in readings if day is not None)]
    if days:
        other = days[1] if len(days) > 1 else None
        yield DayMention(start, end, days[0], dated, odd=True, other=other)
