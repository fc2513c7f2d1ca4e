"""Dated events: the outcomes whose day the temporal exam of a point asks.

Every outcome that happens within 90 observed days from the cutoff is asked once at that point, unless it has happened
before (which of its days would be the first?), its calibration exam asks the same family or another event says the
same. Rows are ordered by opaque id, so their order
says nothing about time.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date

from factory.bank.draws import draw
from factory.bank.material import HORIZON
from factory.bank.phrasing import EVENTS as EVENT_PHRASINGS
from factory.bank.phrasing import event_text, normal
from factory.segments import to_tokens
from schemas import (
    LANGS,
    Claim,
    Occurrence,
    PredictionPoint,
    Question,
    Resolution,
    Span,
    TemporalEvent,
)

EDGES = (0, 30, 31, 60, 61, 90)
"""Edges of the temporal buckets, days from the cutoff."""

NewId = Callable[..., str]


def dated_events(
    points: Iterable[PredictionPoint],
    claims: Mapping[str, Claim],
    found: Mapping[str, Resolution],
    questions: Iterable[Question],
    span: Span,
    dropped: set[str],
    counts: Counter[str],
    seed: int,
    new_id: NewId,
    *,
    disjoint: bool = True,
) -> list[TemporalEvent]:
    """Outcomes within 90 days of a cutoff, each once; what is left out is counted by reason.

    `disjoint` leaves out families that the point's calibration exam asks; without it they are counted only.
    """
    asked: dict[str, set[str]] = {}
    told: dict[str, set[tuple[str, ...]]] = {}
    for question in questions:
        asked.setdefault(question.point_id, set()).add(question.family_id)
        if disjoint and question.claim_id in claims:
            told.setdefault(question.point_id, set()).add(_words(claims[question.claim_id]))
    events = []
    for point in points:
        said: set[tuple[str, ...]] = set()
        told_here = told.get(point.point_id, set())
        for claim in sorted(claims.values(), key=lambda c: c.claim_id):
            resolution = found.get(claim.claim_id)
            if (
                claim.kind != "outcome"
                or claim.level != 1
                or claim.claim_id in dropped
                or set(claim.text) != set(LANGS)
                or resolution is None
                or resolution.state != "occurs"
            ):
                continue
            day = first_day(resolution.occurrences, point.cutoff, span.observed_until)
            if day is None:
                continue
            if any(o.happened_on < point.cutoff for o in resolution.occurrences):
                counts["dated events left out: they have happened before the cutoff"] += 1
                continue
            if claim.known_from is not None and point.cutoff < claim.known_from:
                counts["dated events left out: they name what is not known yet"] += 1
                continue
            if claim.family_id in asked.get(point.point_id, set()):
                if disjoint:
                    counts["dated events left out: in the calibration exam of their point"] += 1
                    continue
                counts[
                    "dated events kept although the calibration exam of their point asks them"
                ] += 1
            words = _words(claim)
            if words in said or words in told_here:
                counts["dated events left out: another question of their point says the same"] += 1
                continue
            said.add(words)
            variant = draw(seed, claim.claim_id, point.point_id) % len(EVENT_PHRASINGS)
            events.append(
                TemporalEvent(
                    event_id=new_id("e", claim.claim_id, point.point_id),
                    point_id=point.point_id,
                    claim_id=claim.claim_id,
                    family_id=claim.family_id,
                    text={lang: event_text(claim.text[lang], lang, variant) for lang in LANGS},
                    date=day,
                    evidence=tuple(o for o in resolution.occurrences if o.happened_on == day),
                )
            )
    return events


def _words(claim: Claim) -> tuple[str, ...]:
    """What a claim says in each of its editions, without marks of form."""
    return tuple(
        normal(to_tokens(claim.text[lang])) if lang in claim.text else "" for lang in LANGS
    )


def first_day(occurrences: Iterable[Occurrence], cutoff: date, until: date) -> date | None:
    """First occurrence at or after the cutoff, within 90 days and observed."""
    later = sorted(o.happened_on for o in occurrences if o.happened_on >= cutoff)
    if not later or (later[0] - cutoff).days > HORIZON or later[0] > until:
        return None
    return later[0]


def thin_out(
    events: list[TemporalEvent],
    points: Mapping[str, PredictionPoint],
    share: float,
    seed: int,
    counts: Counter[str],
) -> list[TemporalEvent]:
    """Keep a share of the events, those near bucket edges rather: the middle is the best constant guess.

    Weighted sampling without replacement with weight 1 / (1 + days to the nearest edge), by the keys of
    Efraimidis and Spirakis.
    """

    def key(event: TemporalEvent) -> float:
        distance = min(abs((event.date - points[event.point_id].cutoff).days - e) for e in EDGES)
        draw = random.Random(f"{seed}:thin:{event.event_id}").random()
        return float(draw ** (1 + distance))

    keep = sorted(events, key=lambda e: (-key(e), e.event_id))[: math.ceil(share * len(events))]
    counts["dated events thinned out"] += len(events) - len(keep)
    return keep
