"""A search shared out over the parts of a window, so that few items still cover all of it.

Platforms answer newest first or best first: the first 200 results of a month are its last day, or one week's
scandal. A window is therefore asked in parts, the part with the fewest items next, and what quiet parts leave
goes to busy ones. A part that has more than the platform pages through is entered again below its oldest
result where answers come newest first, else as two halves. A search that stopped for want of room goes on when it
is given more, with what it held back first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from schemas import Item
from sources.base import Cursor, Report
from sources.windows import FAILURES, Window, evenly

EMPTY_PAGES = 3
"""Pages in a row that lead nowhere after which a platform's token is followed no further."""
Ask = Callable[[Window, str, int], "Page"]
"""Asks for at most so many results of a window, from the start or from a token on."""


@dataclass(frozen=True)
class Page:
    """One answer of a search."""

    items: Sequence[Item] = ()
    """What of it can be kept, in the platform's order."""
    size: int = 0
    """Results in the answer, with those that cannot be kept."""
    token: str = ""
    """Where the next page starts; empty when there is none."""
    oldest: datetime | None = None
    """The time of the last result as the platform sorts; none where it does not sort by time."""
    failed: bool = False
    """No answer; why is in the report's outcomes."""
    refused: bool = False
    """The platform takes no token, though it gave one."""
    closed: bool = False
    """The platform takes no further search at all now, such as when a quota is used up."""


@dataclass
class _Part:
    start: datetime
    end: datetime
    rank: int
    """Parts with equally many items are asked in this order, which leaves even gaps."""
    token: str = ""
    got: int = 0
    """New items given so far."""
    passed: int = 0
    """Results since the part was last entered without a token."""
    fresh: int = 0
    """New items among those."""
    empty: int = 0
    """Pages in a row that led nowhere: without a new item, and none older than before."""
    oldest: datetime | None = None
    open: bool = True

    @property
    def window(self) -> Window:
        return Window(self.start, self.end)

    def write(self) -> dict[str, Any]:
        return {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in vars(self).items()
        }


def _read(row: Mapping[str, Any]) -> _Part:
    times = {
        name: datetime.fromisoformat(row[name])
        for name in ("start", "end", "oldest")
        if row[name] is not None
    }
    return _Part(**(dict(row) | times))


def parts_of(window: Window, width: timedelta, most: int) -> list[Window]:
    """A window in equal parts of at least `width` each, the last one shorter, at most `most` of them.

    Widths are whole multiples of `width`, so that days stay days.
    """
    times = max(-(-window.width // (width * most)), 1)
    parts, start = [], window.start
    while start < window.end:
        end = min(start + width * times, window.end)
        parts.append(Window(start, end))
        start = end
    return parts


def _ranks(count: int) -> list[int]:
    """For each of some places, when its turn is."""
    ranks = [0] * count
    for rank, place in enumerate(evenly(range(count))):
        ranks[place] = rank
    return ranks


class Rounds:
    """One search over parts of a window that can be stopped and resumed at every page.

    `room` is how many items may be given in all, `page` the most results of one answer, `reach` how many the platform pages through, `asks` how many
    requests may be made, `step` the unit of the platform's times. `memory` is the caller's own JSON object; it
    is saved with the position, so change it only while a page is taken. `seen` holds native ids that count as
    known. What is missing is told in the report, by `finish` what the room left out.
    """

    def __init__(
        self,
        ask: Ask,
        parts: Sequence[Window],
        *,
        room: int,
        page: int,
        reach: int,
        asks: int,
        step: timedelta,
        report: Report,
        cursor: Cursor,
        seen: set[str],
    ) -> None:
        state = cursor.load()
        ranks = _ranks(len(parts))
        self._parts = (
            [_read(row) for row in state["parts"]]
            if state
            else [
                _Part(part.start, part.end, rank) for part, rank in zip(parts, ranks, strict=True)
            ]
        )
        self.given = int(state.get("given", 0))
        """Items given, with those of the run before and those that the caller gave itself."""
        self._most = room
        self._held = [Item.model_validate_json(json.dumps(row)) for row in state.get("held", [])]
        """Items of a page that came when there was no more room."""
        self.memory: dict[str, Any] = state.get("memory", {})
        """Whatever the caller wants to find again."""
        self._asks = int(state.get("asks", asks))
        self._tokens = bool(state.get("tokens", True))
        self._failures = int(state.get("failures", 0))
        self._closed = False
        self._ask, self._page, self._reach, self._step = ask, page, reach, step
        self._report, self._cursor, self._seen = report, cursor, seen

    @property
    def room(self) -> int:
        """Items that may still be given."""
        return self._most - self.given

    def widen(self, most: int) -> None:
        """Let so many items be given in all; `pages` then goes on."""
        self._most = most

    def pages(self) -> Iterator[list[Item]]:
        """Yield new items page by page; the position is saved after each, when the next one is asked for."""
        if self._held and self.room > 0:
            yield self._fitting(self._held)
            self.save()
        while not self._closed and (part := self._next()) is not None:
            if self._asks <= 0:
                self._cut("the search stopped at the number of requests that it may make")
                return
            if self._failures >= FAILURES:
                self._cut(f"the search gave up after {FAILURES} requests without an answer")
                return
            answer = self._ask(part.window, part.token if self._tokens else "", self._limit(part))
            self._asks -= 1
            if answer.closed:
                self._closed = self._report.capped = True
                return
            yield self._take(part, answer)
            self.save()

    def finish(self) -> None:
        """Tell what was left out for want of room."""
        if self.room <= 0 and (self._held or any(row.open for row in self._parts)):
            self._cut(
                "max_items was reached; its posts are spread evenly over the days, there may be more"
            )

    def _next(self) -> _Part | None:
        rows = [row for row in self._parts if row.open]
        if not rows or self.room <= 0:
            return None
        return min(rows, key=lambda row: (row.got, row.rank))

    def _limit(self, part: _Part) -> int:
        """What brings a part to the level that all open ones reach with the room that is left."""
        got = [row.got for row in self._parts if row.open]
        level = (self.room + sum(got)) // len(got)
        return min(self._page, max(level - part.got, 1))

    def _cut(self, why: str) -> None:
        self._report.capped = True
        self._report.note(why)

    def _take(self, part: _Part, answer: Page) -> list[Item]:
        if answer.refused:
            self._tokens = False
            self._enter(part)
            return []
        if answer.failed:
            self._failures += 1
            part.open = False
            self._cut(f"no answer for {part.window}")
            return []
        self._failures = 0
        new = []
        for item in answer.items:
            if item.native_id not in self._seen:
                self._seen.add(item.native_id)
                new.append(item)
        part.got += len(new)
        part.fresh += len(new)
        part.passed += answer.size
        older = answer.oldest is not None and (part.oldest is None or answer.oldest < part.oldest)
        part.empty = 0 if new or older else part.empty + 1
        part.oldest = answer.oldest or part.oldest
        if answer.token and part.empty < EMPTY_PAGES:
            part.token = answer.token
            if not self._tokens:
                self._enter(part)
        elif part.passed >= self._reach:
            self._enter(part)
        else:
            part.open = False
            if answer.token:
                self._cut(f"pages of {part.window} gave nothing new and were followed no further")
        return self._fitting(new)

    def _fitting(self, new: list[Item]) -> list[Item]:
        """The items that there is room for; the others are held back."""
        fitting, self._held = new[: self.room], new[self.room :]
        self.given += len(fitting)
        return fitting

    def _enter(self, part: _Part) -> None:
        """Enter a part again where its pages end."""
        fresh, oldest = part.fresh, part.oldest
        full = part.passed >= self._reach  # also of what an earlier part gave: there may be more
        part.token, part.passed, part.fresh, part.empty, part.oldest = "", 0, 0, 0, None
        if oldest is not None:
            end = min(oldest + self._step, part.end)
            if end == part.end:  # all of it within one step: what else is there cannot be asked for
                end = oldest
                self._cut(f"more may have been published at {oldest} than the platform gives")
            part.end = end
            part.open = end > part.start
        elif fresh or full:
            self._halve(part)
        else:
            part.open = False

    def _halve(self, part: _Part) -> None:
        halves = part.window.halves(timedelta(hours=1))
        part.open = False
        if halves is None:
            self._cut(f"the platform gives no more than it did of {part.window}")
            return
        self._parts += [_Part(half.start, half.end, part.rank, got=part.got) for half in halves]

    def save(self) -> None:
        """Store the position; what was given before it is not asked for again."""
        self._cursor.save(
            {
                "parts": [part.write() for part in self._parts],
                "given": self.given,
                "held": [item.model_dump(mode="json") for item in self._held],
                "asks": self._asks,
                "tokens": self._tokens,
                "failures": self._failures,
                "memory": self.memory,
            }
        )
