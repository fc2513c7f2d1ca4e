"""The publication time of a row whose columns part the day from the clock: 日期 and 时间, date and time.

What a column holds is told by its cells, since 时间 and `time` name a clock in one table and a whole time in another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from sources.clocks import read_clock
from sources.moments import Moment, Untold

_MIDNIGHT = re.compile(r"[ T]0{1,2}:00(?::00(?:\.0+)?)?$")
"""What spreadsheets write behind a day that has no clock."""
_ZONE = re.compile(r"\s*(?:[A-Za-z]{1,5}|(?:UTC|GMT)?[+-]\d\d?:?(?:\d\d)?)?\s*")
_LONGEST = 40
"""Characters of a clock, with its part of the day and its zone."""


def is_clock(cell: object) -> bool:
    """Whether a cell holds a time of day and no day."""
    if not isinstance(cell, str) or len(cell) > _LONGEST:
        return False
    try:
        clock = read_clock(cell)
    except Untold:  # the small hours of a night, whose day is still another cell's
        return True
    except ValueError:
        return False
    return clock is not None and not clock.before.strip() and bool(_ZONE.fullmatch(clock.rest))


def written_time(cells: Sequence[Any], read: Callable[[Any], Moment]) -> tuple[Any, Moment]:
    """What a row's cells of time say together, as written and as read; the first is the usual one.

    A clock in it is joined with the first cell that has a day, a day in it with the first cell that is a clock. What
    cannot be read when joined is worth its day.
    """
    first, others = cells[0], cells[1:]
    if is_clock(first):
        clock, days = first, [cell for cell in others if not is_clock(cell)]
        found = ((day, read(day)) for day in days)
        day, moment = next((pair for pair in found if pair[1].at is not None), (first, read(first)))
    else:
        clock = next((cell for cell in others if is_clock(cell)), None)
        day, moment = first, read(first)
    alone = _MIDNIGHT.sub("", str(day))
    if clock is None or moment.at is None or (moment.precision != "day" and alone == str(day)):
        return day, moment
    both = f"{alone} {clock}"
    joined = read(both)
    return (day, moment) if joined.at is None else (both, joined)
