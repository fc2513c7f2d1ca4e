"""Cutoffs: the days at which the arc is cut and an examinee is asked what comes next.

A cutoff hides its own day: the context is every node before it, day 0 counts as future (the published
benchmark leaked ten cutoff-day nodes). Cutoffs lie evenly over the arc in calendar time, with seeded jitter;
each day that could have been one and is none gets a reason.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from factory.errors import BadInput
from factory.sections import PointsSettings
from factory.stage import StageContext
from schemas import (
    WINDOWS,
    AnonTimeline,
    Counts,
    DroppedDay,
    Entry,
    KeptDay,
    PointSet,
    PredictionPoint,
)

ANON = "04_anonymised/timeline.json"
POINTS = "05_points/points.json"

MIN_ARC_DAYS = 28
"""An arc of fewer days leaves no room for context and windows (DESIGN: at least four weeks)."""
JITTER = 0.35
"""Largest shift of a cutoff from its even place, as a share of the distance between two places."""


async def run(ctx: StageContext) -> Counts:
    """Choose the cutoffs. Raises BadInput when no day can be one or the arc is under four weeks."""
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    settings = ctx.settings.points
    wanted = ctx.event.points or settings.count
    possible, dropped = candidates(timeline, settings)
    if not possible or _length(timeline) < MIN_ARC_DAYS:
        raise BadInput(_why_none(ctx.event.entry, timeline, settings, dropped))
    days = spread(possible, wanted, settings.min_gap_days, ctx.rng("cutoffs"))
    short = (
        f"not chosen: {wanted} cutoffs lie elsewhere"
        if len(days) == wanted
        else f"within {settings.min_gap_days} days of a cutoff"
    )
    dropped += [DroppedDay(day=day, reason=short) for day in possible if day not in days]
    points = tuple(
        PredictionPoint(
            point_id=ctx.new_id("p", day.isoformat()),
            cutoff=day,
            context=tuple(node.node_id for node in timeline.nodes if node.date < day),
            truth=tuple(node.node_id for node in timeline.nodes if node.date >= day),
        )
        for day in days
    )
    dropped.sort(key=lambda row: row.day)
    ctx.workspace.write(
        POINTS,
        PointSet(points=points, kept=tuple(_kept(timeline, days)), dropped=tuple(dropped)),
    )
    if len(points) < wanted:
        ctx.reject(
            f"{wanted - len(points)} cutoffs",
            "the arc holds no more cutoffs",
            f"{len(possible)} days are possible, {settings.min_gap_days} days apart",
        )
    ctx.say(f"{len(points)} of {wanted} cutoffs")
    return Counts(received=wanted, kept=len(points), rejected=len(ctx.rejections))


def candidates(
    timeline: AnonTimeline, settings: PointsSettings
) -> tuple[list[date], list[DroppedDay]]:
    """Days of the arc that can be cutoffs, and the others with their reasons.

    Preset `days` considers every day after the first node up to the end of the observed span, preset
    `nodes` the days of nodes. The shortest window must end within the observed span, because what was not
    observed is not "never".
    """
    node_days = [node.date for node in timeline.nodes]
    until = timeline.span.observed_until
    if settings.preset == "nodes":
        days = node_days
    else:
        days = [
            node_days[0] + timedelta(days=step) for step in range((until - node_days[0]).days + 1)
        ]
    possible, dropped = [], []
    for day in days:
        before = bisect_left(node_days, day)
        horizon = min(day + timedelta(days=WINDOWS[-1]), until)
        later = bisect_left(node_days, horizon + timedelta(days=1)) - before
        if before < settings.min_context:
            reason = f"fewer than {settings.min_context} nodes before it"
        elif day + timedelta(days=WINDOWS[0]) > until:
            reason = f"its {WINDOWS[0]}-day window ends after the observed span"
        elif later < settings.min_future:
            reason = f"fewer than {settings.min_future} nodes in the {WINDOWS[-1]} days from it"
        else:
            possible.append(day)
            continue
        dropped.append(DroppedDay(day=day, reason=reason))
    return possible, dropped


def spread(days: list[date], wanted: int, gap: int, rng: random.Random) -> list[date]:
    """At most `wanted` of the increasing `days`, at least `gap` days apart, evenly over their range.

    Takes as many as fit: `room[i]` is the most that can be chosen from `days[i:]` when `days[i]` is one of
    them (greedy from the left is optimal for a minimum distance, so it never grows with i), and no choice
    takes the room that later ones need.
    """
    room = [1] * len(days)
    for i in range(len(days) - 1, -1, -1):
        following = bisect_left(days, days[i] + timedelta(days=gap))
        if following < len(days):
            room[i] = 1 + room[following]
    if not days:
        return []
    count = min(wanted, room[0])
    step = ((days[-1] - days[0]).days + 1) / count
    chosen: list[date] = []
    for number in range(count):
        place = (number + 0.5 + rng.uniform(-JITTER, JITTER)) * step
        first = bisect_left(days, chosen[-1] + timedelta(days=gap)) if chosen else 0
        open_days = [i for i in range(first, len(days)) if room[i] >= count - number]
        best = min(open_days, key=lambda i: (abs((days[i] - days[0]).days - place), i))
        chosen.append(days[best])
    return chosen


def _kept(timeline: AnonTimeline, days: list[date]) -> Iterator[KeptDay]:
    """What each cutoff has: its place, its context and what is observed after it."""
    node_days = [node.date for node in timeline.nodes]
    until = timeline.span.observed_until
    for number, day in enumerate(days, 1):
        before = bisect_left(node_days, day)
        horizon = min(day + timedelta(days=WINDOWS[-1]), until)
        later = bisect_left(node_days, horizon + timedelta(days=1)) - before
        yield KeptDay(
            day=day,
            reason=f"place {number} of {len(days)}: {before} nodes before it, {later} in the {(horizon - day).days} "
            "observed days from it",
        )


def _why_none(
    entry: Entry, timeline: AnonTimeline, settings: PointsSettings, dropped: list[DroppedDay]
) -> str:
    if _length(timeline) < MIN_ARC_DAYS:
        next_step = (
            "import a timeline that covers more days"
            if entry in ("timeline", "anonymised")
            else "widen the window of the event (`--since`, `--until`) and run again"
        )
        return (
            f"the arc has no cutoff: it covers {_length(timeline)} days and four weeks are needed; "
            + next_step
        )
    needed = settings.min_context + settings.min_future
    if len(timeline.nodes) < needed:
        return (
            f"the arc has no cutoff: it has {len(timeline.nodes)} nodes and a cutoff needs "
            f"{settings.min_context} before and {settings.min_future} after it; "
            "collect more sources or lower points.min_context and points.min_future"
        )
    reason, count = Counter(row.reason for row in dropped).most_common(1)[0]
    return (
        f"the arc has no cutoff: {count} of {len(dropped)} days have {reason}; "
        "collect more sources or lower points.min_context and points.min_future"
    )


def _length(timeline: AnonTimeline) -> int:
    return (timeline.span.observed_until - timeline.nodes[0].date).days + 1
