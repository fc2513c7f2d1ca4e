"""Time windows of a search, halved wherever a platform cuts its answer.

Most search interfaces give at most N results whatever was found (Hacker News 1,000, GDELT 250, Google News
about 100) and page no further. A window whose answer is cut is asked again as two halves, down to a smallest
width; what is cut there is missing, and the report says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo

from sources.base import Cursor, Report

T = TypeVar("T")
FAILURES = 3
"""Windows in a row without an answer after which a sweep gives up."""
MOST_ASKED = 1000
"""Windows that one sweep asks at most, so that a platform that always says that there is more ends too."""
MOST_ROWS = 10_000
"""Rows up to which a listing is kept."""
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Window:
    """The instants from `start` up to `end`, which is not part of it. Both UTC, whole seconds."""

    start: datetime
    """First instant."""
    end: datetime
    """First instant after it."""

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError("a window needs instants with a time zone")
        if self.start >= self.end:
            raise ValueError(f"a window cannot run from {self.start} to {self.end}")

    def __str__(self) -> str:
        return f"{self.start.astimezone(UTC):%Y-%m-%d %H:%M:%S} to {self.end.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"

    @property
    def width(self) -> timedelta:
        """Length."""
        return self.end - self.start

    def halves(self, smallest: timedelta) -> tuple[Window, Window] | None:
        """Earlier and later half, parted at a whole multiple of `smallest` from the start.

        None when the window is too narrow for two parts of at least `smallest` each.
        """
        steps = self.width // smallest
        if steps < 2:
            return None
        middle = self.start + (steps // 2) * smallest
        return Window(self.start, middle), Window(middle, self.end)


def day_window(since: date, until: date, zone: str) -> Window:
    """The instants of the days `since` to `until`, both included, as the IANA zone counts days."""
    here = ZoneInfo(zone)
    after = until + timedelta(days=1)
    return Window(
        datetime(since.year, since.month, since.day, tzinfo=here).astimezone(UTC),
        datetime(after.year, after.month, after.day, tzinfo=here).astimezone(UTC),
    )


@dataclass(frozen=True)
class Haul(Generic[T]):
    """What asking one window gave."""

    items: Sequence[T]
    """Everything found, in the platform's order."""
    capped: bool
    """True when the platform has more in this window than it gave."""
    failed: bool = False
    """True when there was no answer; why is in the report's outcomes."""


def sweep(
    ask: Callable[[Window], Haul[T]],
    window: Window,
    *,
    smallest: timedelta,
    report: Report,
    cursor: Cursor,
    newest_first: bool = False,
) -> Iterator[T]:
    """Yield what a window holds, its parts oldest first (or newest first), each part in the order of its answer.

    A capped answer is asked again as two halves and its items are dropped, since the halves hold them too. At
    `smallest` (a whole number of seconds, at least one) its items are yielded and the report is capped.
    The cursor holds the windows still to ask, next one last; it is saved after the items of each were yielded
    and after each halving, so that a query that is resumed asks only what it has not asked. After three
    windows in a row without an answer, or after `MOST_ASKED` windows, the rest is given up, which the report
    says too.
    """
    if smallest < _SECOND or smallest % _SECOND:
        raise ValueError("the smallest window is a whole number of seconds, at least one")
    state = cursor.load()
    todo = [_read(pair) for pair in state["todo"]] if "todo" in state else [window]
    failures, count = int(state.get("failures", 0)), int(state.get("asked", 0))
    while todo:
        if failures >= FAILURES or count >= MOST_ASKED:
            report.capped = True
            why = (
                f"{failures} windows without an answer"
                if failures >= FAILURES
                else f"{count} windows"
            )
            report.note(f"gave up after {why}; not asked: {_span(todo)}")
            return
        asked = todo.pop()
        haul = ask(asked)
        halves = asked.halves(smallest) if haul.capped and not haul.failed else None
        if halves is not None:
            todo += halves if newest_first else reversed(halves)
        else:
            yield from haul.items
            _tell(asked, haul, report)
        failures, count = failures + 1 if haul.failed else 0, count + 1
        left = [_write(part) for part in todo]
        cursor.save({"todo": left, "failures": failures, "asked": count})


def _tell(asked: Window, haul: Haul[Any], report: Report) -> None:
    if haul.failed:
        report.capped = True
        report.note(f"no answer for {asked}")
    elif haul.capped:
        report.capped = True
        report.note(f"only {len(haul.items)} results were given of {asked}, there are more")


def _span(todo: list[Window]) -> str:
    return str(Window(min(part.start for part in todo), max(part.end for part in todo)))


def _write(window: Window) -> list[str]:
    return [window.start.astimezone(UTC).isoformat(), window.end.astimezone(UTC).isoformat()]


def _read(pair: list[str]) -> Window:
    return Window(datetime.fromisoformat(pair[0]), datetime.fromisoformat(pair[1]))


class _Beside(Cursor):
    """The cursor of a sweep that keeps the rows found so far beside the windows still to ask."""

    def __init__(self, whole: Cursor, rows: dict[str, dict[str, Any]]) -> None:
        self._whole = whole
        self._rows = rows

    def load(self) -> dict[str, Any]:
        state: dict[str, Any] = self._whole.load().get("sweep", {})
        return state

    def save(self, state: Mapping[str, Any]) -> None:
        self._whole.save({"sweep": dict(state), "rows": list(self._rows.values())})


def listing(
    ask: Callable[[Window], Haul[dict[str, Any]]],
    window: Window,
    *,
    key: str,
    smallest: timedelta,
    report: Report,
    cursor: Cursor,
    most: int = MOST_ROWS,
) -> list[dict[str, Any]]:
    """All rows of a swept window, oldest part first, each value of `key` once; for sources that choose among them.

    Rows are JSON objects, at most `most`. They are kept in the cursor, so that a listing that was killed goes on
    with what it had. The cursor is the listing's alone: give it a part of the query's.
    """
    rows = {str(row[key]): row for row in cursor.load().get("rows", [])}
    found = sweep(ask, window, smallest=smallest, report=report, cursor=_Beside(cursor, rows))
    for row in found:
        rows.setdefault(str(row[key]), row)
        if len(rows) >= most:
            report.capped = True
            report.note(f"listing stopped at {most} results")
            break
    return list(rows.values())


def evenly(rows: Sequence[T]) -> list[T]:
    """Rows in an order in which any beginning is spread evenly over all of them: by the bits of a place reversed."""
    bits = max((len(rows) - 1).bit_length(), 1)
    places = sorted(range(len(rows)), key=lambda place: int(f"{place:0{bits}b}"[::-1], 2))
    return [rows[place] for place in places]


def spread(rows: Sequence[T], day: Callable[[T], Any]) -> list[T]:
    """All rows in rounds over their days: the first of each day, then the second of each, and so on.

    Days keep the order of their rows and come so that any number of rows from the start covers them as evenly as
    they allow, also where there are fewer rows than days.
    """
    days: dict[Any, list[T]] = {}
    for row in rows:
        days.setdefault(day(row), []).append(row)
    turns = [days[one] for one in evenly(sorted(days))]
    deepest = max(map(len, turns), default=0)
    return [of_day[place] for place in range(deepest) for of_day in turns if place < len(of_day)]
