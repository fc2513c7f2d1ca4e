"""Dated events whose day the context announces: a court's day, a vote, a deadline that is written there as a date.

Answering such an event is forecasting with a known calendar, as people do, and no leak; but it is easier than
finding a day that nobody told, so readers of a score are told how many there are. No gate judges it. A day counts
as written when a date of the context names it alone: a day or a weekday that was read as that day, or a span of one
day. A longer span, a month, or a length of time such as "in three weeks" does not name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from factory.bank.clause import statements
from factory.counting import count_of
from factory.segments import date_refs
from schemas import AnnouncedDays, AnonTimeline, PredictionPoint, TemporalEvent


@dataclass(frozen=True)
class Mention:
    """A sentence of a context that names a day."""

    day: date
    """Day of the node that tells it."""
    node_id: str
    """That node."""
    statement_id: str
    """The sentence."""


def mentions(timeline: AnonTimeline, cutoff: date, day: date) -> Iterator[Mention]:
    """Sentences known before a cutoff that name a day and no other by one date, in either edition, in order."""
    for node in timeline.nodes:
        if node.date >= cutoff:
            return
        for row in statements(node):
            if any((day, day) in date_refs(text) for text in row.text.values()):
                yield Mention(node.date, node.node_id, row.statement_id)


def announced_days(
    points: Iterable[PredictionPoint], events: Sequence[TemporalEvent], timeline: AnonTimeline
) -> AnnouncedDays:
    """The dated events whose day is written in the context of their point."""
    cutoffs = {point.point_id: point.cutoff for point in points}
    return AnnouncedDays(
        total=len(events),
        events=tuple(
            event.event_id
            for event in events
            if event.point_id in cutoffs
            and next(mentions(timeline, cutoffs[event.point_id], event.date), None)
        ),
    )


def announced_line(found: AnnouncedDays) -> str:
    """The count in one sentence."""
    return (
        f"{len(found.events)} of {count_of(found.total, 'dated event')}: the context names the day as a date, so a known "
        "calendar helps; no leak, no gate"
    )
