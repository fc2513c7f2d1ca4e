"""Calendar arithmetic of the shift: every mention is an interval, moving it is adding days.

A unit (month, third of a month, quarter, season) rarely lands on a unit again: the one that covers most of
the shifted interval is named, the later one on a tie. A day that the same text writes out inside the unit comes
first: "early September, on the 3rd" must not become "late October" beside 4 November. Days and ranges of days
move exactly.
"""

from __future__ import annotations

import calendar
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from schemas import DateRef
from schemas.segment import DatePrecision

Unit = tuple[date, date]


@dataclass(frozen=True)
class Frame:
    """What a mention is read against."""

    anchor: date
    """Raw day of the text: missing years and relative words count from it."""
    offset: int
    """Days added to every date."""
    hint: date | None = None
    """Raw day on which the sentence's matter happened, if it is known."""
    days: tuple[date, ...] = ()
    """Raw days that the same text writes out, in order: a shifted unit must go on holding those that it held."""
    years: tuple[tuple[int, int, int], ...] = ()
    """Years that the text writes out: position, raw year and year after the shift, in order."""

    @property
    def moved(self) -> date:
        """The anchor after the shift."""
        return self.anchor + timedelta(days=self.offset)


@lru_cache(maxsize=4096)
def month_unit(year: int, month: int) -> Unit:
    """First and last day of a month."""
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def third_unit(year: int, month: int, third: int) -> Unit:
    """Days 1-10, 11-20 or 21-end of a month; `third` is 1..3."""
    first, last = month_unit(year, month)
    return (
        first + timedelta(days=10 * (third - 1)),
        last if third == 3 else first + timedelta(days=10 * third - 1),
    )


def quarter_unit(year: int, quarter: int) -> Unit:
    """First and last day of a calendar quarter, 1..4."""
    return date(year, 3 * quarter - 2, 1), month_unit(year, 3 * quarter)[1]


def season_unit(year: int, season: int) -> Unit:
    """Meteorological season of the north, 1 spring .. 4 winter; winter begins in December of `year`."""
    first = date(year, 3 * season, 1)
    return first, month_unit(year + 1, 2)[1] if season == 4 else month_unit(year, 3 * season + 2)[1]


def year_unit(year: int) -> Unit:
    """First and last day of a year."""
    return date(year, 1, 1), date(year, 12, 31)


def _overlap(a: Unit, b: Unit) -> int:
    return (min(a[1], b[1]) - max(a[0], b[0])).days + 1


def majority(interval: Unit, units: list[Unit], days: tuple[date, ...] = ()) -> Unit:
    """The unit that covers most days of the interval; the later one on a tie.

    `days` come first: a unit that touches the interval and holds more of them wins.
    """

    def weight(unit: Unit) -> tuple[int, int, date]:
        covered = _overlap(unit, interval)
        held = sum(unit[0] <= day <= unit[1] for day in days) if covered > 0 else 0
        return held, covered, unit[0]

    return max(units, key=weight)


def moved(interval: Unit, offset: int) -> Unit:
    """The interval after the shift. Raises OverflowError outside the calendar."""
    step = timedelta(days=offset)
    return interval[0] + step, interval[1] + step


_UNITS: dict[str, Callable[[int], list[Unit]]] = {
    "month": lambda year: [month_unit(year, m) for m in range(1, 13)],
    "third": lambda year: [third_unit(year, m, t) for m in range(1, 13) for t in (1, 2, 3)],
    "quarter": lambda year: [quarter_unit(year, q) for q in range(1, 5)],
    "season": lambda year: [season_unit(year, s) for s in range(1, 5)],
    "year": lambda year: [year_unit(year)],
}


@lru_cache(maxsize=8192)
def _landed(kind: str, unit: Unit, offset: int, inside: tuple[date, ...]) -> Unit:
    target = moved(unit, offset)
    years = range(target[0].year - 1, target[1].year + 2)
    units = [each for year in years for each in _UNITS[kind](year)]
    return majority(target, units, tuple(day + timedelta(days=offset) for day in inside))


def _shift(kind: str, unit: Unit, offset: int, days: tuple[date, ...]) -> Unit:
    inside = days[bisect_left(days, unit[0]) : bisect_right(days, unit[1])]
    return _landed(kind, unit, offset, inside)


def shift_month(unit: Unit, offset: int, days: tuple[date, ...] = ()) -> Unit:
    """The month that a shifted month mostly falls into; `days` are raw days of the same text."""
    return _shift("month", unit, offset, days)


def shift_third(unit: Unit, offset: int, days: tuple[date, ...] = ()) -> Unit:
    """The third of a month that a shifted third mostly falls into."""
    return _shift("third", unit, offset, days)


def shift_quarter(unit: Unit, offset: int, days: tuple[date, ...] = ()) -> Unit:
    """The quarter that a shifted quarter mostly falls into."""
    return _shift("quarter", unit, offset, days)


def shift_season(unit: Unit, offset: int, days: tuple[date, ...] = ()) -> Unit:
    """The season that a shifted season mostly falls into."""
    return _shift("season", unit, offset, days)


def shift_year(unit: Unit, offset: int) -> Unit:
    """The year that a shifted year mostly falls into."""
    return _shift("year", unit, offset, ())


def distance(day: date, unit: Unit) -> int:
    """Days between a day and an interval; 0 inside."""
    return max((unit[0] - day).days, (day - unit[1]).days, 0)


FAR = 60
"""Days from which the tense of the sentence outweighs nearness when a year is missing."""


@lru_cache(maxsize=8192)
def _around(
    anchor: date, unit_of: Callable[..., Unit | None], of: tuple[int, ...]
) -> tuple[Unit | None, bool, list[Unit]]:
    """The nearest unit of three years, whether it is far away, and all of them."""
    units = [unit_of(year, *of) for year in (anchor.year - 1, anchor.year, anchor.year + 1)]
    found = [unit for unit in units if unit is not None]
    if not found:
        return None, False, found
    best = min(found, key=lambda unit: (distance(anchor, unit), unit[0]))
    return best, distance(anchor, best) > FAR, found


def nearest(
    anchor: date,
    unit_of: Callable[..., Unit | None],
    of: tuple[int, ...],
    tense: Callable[[], int] | None = None,
) -> Unit | None:
    """The unit of last, this or next year nearest to the anchor; the past on a tie. None when none exists.

    `unit_of` is one of the functions above, called with a year and `of`. When the nearest is more than FAR days
    away, `tense` is asked: 1 takes the nearest of the future, -1 of the past, 0 leaves it.
    """
    best, far, found = _around(anchor, unit_of, of)
    if best is None or tense is None or not far or not (side := tense()):
        return best
    right = [unit for unit in found if side * (unit[0] - anchor).days >= 0]
    return min(right or [best], key=lambda unit: distance(anchor, unit))


def sure(unit: Unit | None) -> Unit:
    """The unit of a kind that every year has: a month, a third, a quarter, a season."""
    if unit is None:
        raise ValueError("a year without this unit")
    return unit


def day_or_none(year: int, month: int, day: int) -> date | None:
    """The day, or None when the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def day_unit(year: int, month: int, day: int) -> Unit | None:
    """A one-day interval, or None when the calendar has no such day."""
    found = day_or_none(year, month, day)
    return None if found is None else (found, found)


@lru_cache(maxsize=8192)
def unit_ref(unit: Unit, precision: DatePrecision, style: str = "full") -> DateRef:
    """Reference to an interval. Texts name the same days again and again, and references never change."""
    return DateRef(start=unit[0], end=unit[1], precision=precision, style=style)


def day_ref(day: date, style: str) -> DateRef:
    """Reference to one day."""
    return unit_ref((day, day), "day", style)


def months_apart(a: date, b: date) -> int:
    """Whole calendar months from b to a."""
    return (a.year - b.year) * 12 + a.month - b.month


def relative_month(frame: Frame, step: int, third: int = 0) -> tuple[int, Unit]:
    """Last (-1), this (0) or next (1) month, or a third (1..3) of it, after the shift.

    Gives its distance in months from the shifted anchor and the month or third that it becomes.
    """
    index = frame.anchor.year * 12 + frame.anchor.month - 1 + step
    year, month = index // 12, index % 12 + 1
    if third:
        to = shift_third(third_unit(year, month, third), frame.offset, frame.days)
    else:
        to = shift_month(month_unit(year, month), frame.offset, frame.days)
    return months_apart(to[0], frame.moved), to


def relative_quarter(frame: Frame, step: int) -> int:
    """Quarters from the shifted anchor to what the last, this or next quarter becomes."""
    index = frame.anchor.year * 4 + (frame.anchor.month - 1) // 3 + step
    to = shift_quarter(quarter_unit(index // 4, index % 4 + 1), frame.offset, frame.days)[0]
    then = frame.moved
    return (to.year * 4 + (to.month - 1) // 3) - (then.year * 4 + (then.month - 1) // 3)


def relative_year(frame: Frame, step: int) -> int:
    """Years from the shifted anchor to what the last, this or next year becomes."""
    return shift_year(year_unit(frame.anchor.year + step), frame.offset)[0].year - frame.moved.year


def relative_side(frame: Frame, kind: str, later: bool) -> int:
    """Months or quarters (`kind`) from the shifted anchor to where "earlier" or "later" of this one mostly falls.

    The day of what is told decides where it is known; else the stretch from the unit's first day to the anchor, or
    from the anchor to its last day, of which the unit of the shifted anchor is preferred on a tie.
    """
    anchor = frame.anchor
    quarter = (anchor.month + 2) // 3
    own = month_unit if kind == "month" else quarter_unit
    unit = own(anchor.year, anchor.month if kind == "month" else quarter)
    part = (anchor, unit[1]) if later else (unit[0], anchor)
    if frame.hint is not None and part[0] <= frame.hint <= part[1]:
        part = (frame.hint, frame.hint)
    first, last = moved(part, frame.offset)
    then = frame.moved

    def index(day: date) -> int:
        return day.year * 12 + day.month if kind == "month" else day.year * 4 + (day.month + 2) // 3

    side = last if later else first
    if index(side) == index(then):
        return 0
    held = own(then.year, then.month if kind == "month" else (then.month + 2) // 3)
    inside = _overlap(held, (first, last))
    return 0 if 2 * inside >= (last - first).days + 1 else index(side) - index(then)


def year_said(frame: Frame, position: int) -> tuple[int, int] | None:
    """The last year written before a position, raw and after the shift: what "that year" means."""
    before = bisect_right(frame.years, (position, 0, 0))
    return frame.years[before - 1][1:] if before else None


class Part(NamedTuple):
    """A piece of a mention: raw characters start..end of the text and what stands there afterwards."""

    start: int
    end: int
    ref: DateRef | str
    """A reference, or words that replace these characters; empty where they go."""


class Mention(NamedTuple):
    """A date mention in a text and what becomes of it."""

    start: int
    """First character."""
    end: int
    """One past the last character."""
    kind: str
    """shift, leave, or flag (a person must look)."""
    reason: str
    """What it names: day, month, holiday, ..."""
    surface: str
    """The mention after the shift in the words it was written in; unchanged unless kind is shift."""
    parts: tuple[Part, ...] = ()
    """For shift: references inside the mention; characters between them stay."""


def shifted(
    found: re.Match[str], surface: str, ref: DateRef | str, reason: str, *, start: int | None = None
) -> Mention:
    """A mention of one part: the whole match, or from `start` on. `surface` stands for the same characters."""
    first = found.start() if start is None else start
    return Mention(first, found.end(), "shift", reason, surface, (Part(first, found.end(), ref),))


def compound(
    found: re.Match[str], surface: str, reason: str, parts: list[Part], *, start: int | None = None
) -> Mention:
    """A mention of several parts; characters between them stay."""
    first = found.start() if start is None else start
    return Mention(first, found.end(), "shift", reason, surface, tuple(parts))


def reworded(found: re.Match[str], surface: str) -> Mention:
    """Relative words that give way to other relative words."""
    return shifted(found, surface, surface, "relative")


def kept(found: re.Match[str], reason: str) -> Mention:
    """A mention that is true on both sides of the shift."""
    return Mention(found.start(), found.end(), "leave", reason, found.group())


def flagged(found: re.Match[str], reason: str) -> Mention:
    """A mention that a person must settle."""
    return Mention(found.start(), found.end(), "flag", reason, found.group())
