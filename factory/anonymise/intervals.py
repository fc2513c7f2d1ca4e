"""Calendar arithmetic of the shift: every mention is an interval, moving it is adding days.

A unit (month, third of a month, quarter, season) rarely lands on a unit again: the one that covers most of
the shifted interval is named, the later one on a tie. Days and ranges of days move exactly.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from schemas import DateRef

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

    @property
    def moved(self) -> date:
        """The anchor after the shift."""
        return self.anchor + timedelta(days=self.offset)


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


def majority(interval: Unit, units: list[Unit]) -> Unit:
    """The unit that covers most days of the interval; the later one on a tie."""
    return max(units, key=lambda unit: (_overlap(unit, interval), unit[0]))


def moved(interval: Unit, offset: int) -> Unit:
    """The interval after the shift. Raises OverflowError outside the calendar."""
    step = timedelta(days=offset)
    return interval[0] + step, interval[1] + step


def _around(interval: Unit, units_of: Callable[[int], list[Unit]]) -> list[Unit]:
    years = range(interval[0].year - 1, interval[1].year + 2)
    return [unit for year in years for unit in units_of(year)]


def shift_month(unit: Unit, offset: int) -> Unit:
    """The month that a shifted month mostly falls into."""
    target = moved(unit, offset)
    return majority(target, _around(target, lambda y: [month_unit(y, m) for m in range(1, 13)]))


def shift_third(unit: Unit, offset: int) -> Unit:
    """The third of a month that a shifted third mostly falls into."""
    target = moved(unit, offset)
    return majority(
        target,
        _around(target, lambda y: [third_unit(y, m, t) for m in range(1, 13) for t in (1, 2, 3)]),
    )


def shift_quarter(unit: Unit, offset: int) -> Unit:
    """The quarter that a shifted quarter mostly falls into."""
    target = moved(unit, offset)
    return majority(target, _around(target, lambda y: [quarter_unit(y, q) for q in range(1, 5)]))


def shift_season(unit: Unit, offset: int) -> Unit:
    """The season that a shifted season mostly falls into."""
    target = moved(unit, offset)
    return majority(target, _around(target, lambda y: [season_unit(y, s) for s in range(1, 5)]))


def shift_year(unit: Unit, offset: int) -> Unit:
    """The year that a shifted year mostly falls into."""
    target = moved(unit, offset)
    return majority(target, _around(target, lambda y: [year_unit(y)]))


def distance(day: date, unit: Unit) -> int:
    """Days between a day and an interval; 0 inside."""
    return max((unit[0] - day).days, (day - unit[1]).days, 0)


def nearest(anchor: date, unit_of: Callable[[int], Unit | None]) -> Unit | None:
    """The unit of last, this or next year nearest to the anchor; the past on a tie. None when none exists."""
    units = [unit_of(year) for year in (anchor.year - 1, anchor.year, anchor.year + 1)]
    found = [unit for unit in units if unit is not None]
    return min(found, key=lambda unit: (distance(anchor, unit), unit[0])) if found else None


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


def day_ref(day: date, style: str) -> DateRef:
    """Reference to one day."""
    return DateRef(start=day, end=day, precision="day", style=style)


def months_apart(a: date, b: date) -> int:
    """Whole calendar months from b to a."""
    return (a.year - b.year) * 12 + a.month - b.month


@dataclass(frozen=True)
class Part:
    """A piece of a mention: raw characters start..end of the text and what stands there afterwards."""

    start: int
    end: int
    ref: DateRef | str
    """A reference, or words that replace these characters."""


@dataclass(frozen=True)
class Mention:
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
