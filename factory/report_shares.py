"""Shares of opinion along the calendar: a stacked bar a day, or a week where bars of single days would be too thin.

A week's shares are those of its posts counted together, so a day with few posts weighs little in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

from markupsafe import Markup

from factory.report_plots import LEFT, RIGHT, WIDE, Days, Panel, block
from factory.svg import EMPTY, number

READABLE = 5.0
"""Width in user units that a bar of shares needs, so that its colours can be told apart."""

Shares = Sequence[tuple[str, float]]
"""(kind, share) from the top of a bar down."""


def share_step(first: date, last: date, shown: Sequence[date], width: float = WIDE) -> int:
    """Days that one bar of shares stands for: 1, or 7 where bars of single days would be too thin to read."""
    return 1 if _share_width(Days(first, last, LEFT, width - RIGHT), shown) >= READABLE else 7


def _share_width(days: Days, shown: Sequence[date]) -> float:
    """Width of bars that do not touch."""
    least = min(((b - a).days for a, b in pairwise(shown)), default=14) * days.width
    return min(16.0, least * 0.7)


def by_step(
    rows: Sequence[tuple[date, Shares, int]], first: date, step: int
) -> list[tuple[date, Shares]]:
    """Shares of every `step` days from `first` on: each day counts by its posts, as if they were counted together."""
    groups: dict[date, list[tuple[Shares, int]]] = {}
    for day, shares, posts in rows:
        start = first + timedelta(days=(day - first).days // step * step)
        groups.setdefault(start, []).append((shares, posts))
    found: list[tuple[date, Shares]] = []
    for start, parts in sorted(groups.items()):
        total = sum(posts for _, posts in parts)
        columns = zip(*(shares for shares, _ in parts), strict=True)
        weights = [posts for _, posts in parts]
        mean = [
            (
                column[0][0],
                sum(share * posts for (_, share), posts in zip(column, weights, strict=True))
                / total,
            )
            for column in columns
        ]
        found.append((start, mean))
    return found


def share_panel(
    name: str, shares: Sequence[tuple[date, Shares]], *, step: int = 1, height: float = 76
) -> Panel:
    """A stacked bar of shares for `step` days from each day on; each share has the style s-<its name>."""

    def draw(days: Days, top: float) -> Markup:
        wide = max(2.0, _share_width(days, [day for day, _ in shares]))
        parts = [
            Markup('<text class="tick" x="{0}" y="{1}" text-anchor="end">{2}</text>').format(
                number(days.start - 5), number(y), words
            )
            for y, words in ((top + 8, "100%"), (top + height, "0%"))
        ]
        for day, row in shares:
            middle = days.middle(day + timedelta(days=step // 2))
            x = min(max(days.start, middle - wide / 2), days.end - wide)
            y = top
            for kind, share in row:
                if share > 0:
                    parts.append(block(f"s-{kind}", x, y, wide, share * height))
                y += share * height
        return EMPTY.join(parts)

    return Panel(name, height, draw)
