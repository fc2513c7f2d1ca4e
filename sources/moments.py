"""A time as far as it is known: what every reader of times gives back, and how a day or a month is held.

A time known only to the day is held as noon of that day in the source's zone, so that no other zone's calendar
moves it; one known only to the month as noon of its first day.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo
from typing import NamedTuple

from schemas.item import Precision, TzSource


class Moment(NamedTuple):
    """A time as far as it is known."""

    at: datetime | None = None
    """UTC; none when nothing is known."""
    precision: Precision = "none"
    """second, minute, day, month or none."""
    tz_source: TzSource = "none"
    """explicit when the zone was written, assumed when it was the source's, relative when counted back."""
    confidence: float = 0.0
    """0 to 1."""
    note: str = ""
    """Why nothing, or why less, is known."""


class Untold(ValueError):
    """A time is written, but not which one; the message is the moment's note."""


def whole_day(day: date, here: tzinfo, confidence: float, source: TzSource = "assumed") -> Moment:
    """A day of a zone as a moment."""
    return Moment(_noon(day, here), "day", source, confidence)


def whole_month(day: date, here: tzinfo, confidence: float, source: TzSource = "assumed") -> Moment:
    """The month of a day as a moment."""
    return Moment(_noon(day.replace(day=1), here), "month", source, confidence)


def _noon(day: date, here: tzinfo) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=here).astimezone(UTC)
