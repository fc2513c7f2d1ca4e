"""Plots of the private report: how much was written a day and where, how opinion was shared out, which days hold news.

Days are those of the event's zone, before the shift; cutoffs are moved back by it. What has no day of its own (an
item known only to the month) is counted beside the picture, never put on a day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from markupsafe import Markup

from factory.counting import count_of
from factory.report_plots import (
    NARROW,
    WIDE,
    Panel,
    day_chart,
    mark_panel,
    volume_panel,
    volume_step,
)
from factory.report_shares import by_step, share_panel, share_step
from factory.report_view import STANCES
from schemas import Item, PointSet, Shift, Span, Stance, Timeline

PLATFORMS = 5
"""Platforms drawn on their own; the others are drawn together."""
OTHERS = "other platforms"


@dataclass(frozen=True)
class Volume:
    """Items a day by platform."""

    platforms: tuple[str, ...]
    """Most items first; the n-th has the style v<n>."""
    days: tuple[tuple[date, tuple[int, ...]], ...]
    """Days with items, in order."""
    outside: int
    """Items of days outside the chart."""
    undated: int
    """Items without a day of their own."""

    @property
    def totals(self) -> tuple[int, ...]:
        """Items of each platform."""
        columns = zip(*(row for _, row in self.days), strict=True)
        return tuple(sum(column) for column in columns) or (0,) * len(self.platforms)

    def steps(self, first: date, step: int) -> list[tuple[date, tuple[int, ...]]]:
        """Counts of every `step` days from `first` on that hold items."""
        sums: dict[date, list[int]] = {}
        for day, row in self.days:
            start = first + timedelta(days=(day - first).days // step * step)
            old = sums.setdefault(start, [0] * len(row))
            sums[start] = [a + b for a, b in zip(old, row, strict=True)]
        return [(day, tuple(row)) for day, row in sorted(sums.items())]


def volume_of(items: Sequence[Item], zone: str, span: Span) -> Volume:
    """Items by day and platform over the observed span."""
    where = ZoneInfo(zone)
    counts: Counter[tuple[date, str]] = Counter()
    outside = undated = 0
    for item in items:
        if item.published_at is None or item.precision in ("month", "none"):
            undated += 1
            continue
        day = item.published_at.astimezone(where).date()
        if span.observed_from <= day <= span.observed_until:
            counts[day, item.platform] += 1
        else:
            outside += 1
    totals: Counter[str] = Counter()
    for (_, platform), count in counts.items():
        totals[platform] += count
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    shown = ranked if len(ranked) <= PLATFORMS + 1 else [*ranked[:PLATFORMS], OTHERS]
    place = {name: min(n, len(shown) - 1) for n, name in enumerate(ranked)}
    days: dict[date, list[int]] = {}
    for (day, platform), count in counts.items():
        days.setdefault(day, [0] * len(shown))[place[platform]] += count
    return Volume(
        platforms=tuple(shown),
        days=tuple((day, tuple(row)) for day, row in sorted(days.items())),
        outside=outside,
        undated=undated,
    )


def stances_of(timeline: Timeline) -> list[tuple[date, tuple[tuple[Stance, float], ...], int]]:
    """(day, shares in the order of STANCES, posts) of every day with opinion."""
    return [
        (
            node.date,
            tuple((name, node.opinion.stances.get(name, 0.0)) for name in STANCES),
            node.opinion.n_items,
        )
        for node in timeline.nodes
        if node.opinion and node.opinion.stances
    ]


def facts_of(timeline: Timeline) -> list[tuple[date, str, int]]:
    """(day, first sentence, sentences) of every day with news."""
    return [
        (node.date, node.fact.statements[0].text, len(node.fact.statements))
        for node in timeline.nodes
        if node.fact
    ]


def course(
    timeline: Timeline, volume: Volume, points: PointSet | None, shift: Shift | None
) -> dict[str, Markup]:
    """The course of the event as one chart of days, drawn wide and narrow."""
    span = timeline.span
    first, last = span.observed_from, span.observed_until
    stances = stances_of(timeline)
    facts = [day for day, _, _ in facts_of(timeline)]
    cuts = []
    if points and shift:
        back = timedelta(days=shift.offset_days)
        cuts = sorted(point.cutoff - back for point in points.points)
    counted = ", ".join(
        f"{platform} {total}"
        for platform, total in zip(volume.platforms, volume.totals, strict=True)
    )
    said = (
        f"{first} to {last}: items {counted or 'none'}; stances on {count_of(len(stances), 'day')}; news on "
        f"{count_of(len(facts), 'day')}; {count_of(len(cuts), 'cutoff')}. The tables below hold the figures."
    )

    def written(width: float) -> list[Panel]:
        step = volume_step(first, last, width)
        name = "Items a day, by platform" if step == 1 else "Items a week, by platform"
        return [volume_panel(name, volume.steps(first, step), step=step)] if volume.days else []

    def held(width: float) -> list[Panel]:
        step = share_step(first, last, [day for day, _, _ in stances], width)
        name = "Stances, shares of posts" if step == 1 else "Stances by week, shares of posts"
        return [share_panel(name, by_step(stances, first, step), step=step)] if stances else []

    return {
        size: day_chart(
            [*written(width), *held(width), mark_panel("Days with news", facts)],
            first=first,
            last=last,
            width=width,
            title="Course of the event",
            description=said,
            cuts=cuts,
        )
        for size, width in (("wide", WIDE), ("narrow", NARROW))
    }
