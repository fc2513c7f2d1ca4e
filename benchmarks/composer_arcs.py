"""Simulated arcs for the composer: dates as published or evenly spread, claims without meaning, seeded.

What is simulated is structure. Every node from the first cutoff on has a number of families: an outcome, two
further true levels, and two variants that never happen, each with an invented name so that texts differ.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from schemas import (
    WINDOWS,
    Claim,
    Occurrence,
    Order,
    Plain,
    PredictionPoint,
    Resolution,
    ResolverPass,
    Span,
    Wording,
)

DAY0 = date(2031, 3, 3)
LEVELS = 3
VARIANTS = 2
ENDS = ("", " in full", " in full and in writing", " in part", " not at all")
"""Endings of the three levels and of the two variants."""


@dataclass(frozen=True)
class Arc:
    """What the composer needs of an event."""

    points: list[PredictionPoint]
    claims: list[Claim]
    resolutions: list[Resolution]
    span: Span
    nodes: int


def new_id(prefix: str, *parts: object) -> str:
    """An opaque id."""
    text = "\x1f".join(str(part) for part in parts)
    return prefix + hashlib.sha256(text.encode()).hexdigest()[:10]


def published_dates(folder: Path) -> tuple[list[date], list[date]]:
    """Distinct days of a published event's dated events within 0 to 90 days, and its distinct cutoffs.

    Published points that share a cutoff are one point here: the same exam twice is no second exam.
    """
    days: set[date] = set()
    cutoffs: set[date] = set()
    for file in sorted(folder.glob("P*.json")):
        point = json.loads(file.read_text(encoding="utf-8"))
        cutoff = date.fromisoformat(point["cutoff"])
        cutoffs.add(cutoff)
        found = (date.fromisoformat(event["gt"]) for event in point["time"])
        days |= {day for day in found if 0 <= (day - cutoff).days <= WINDOWS[-1]}
    return sorted(days), sorted(cutoffs)


def even_dates(nodes: int, length: int, points: int) -> tuple[list[date], list[date]]:
    """`nodes` days over `length` days, and cutoffs evenly over the middle eight tenths of them."""
    days = [DAY0 + timedelta(days=round(i * length / (nodes - 1))) for i in range(nodes)]
    places = [round(length * (0.1 + 0.8 * (i + 0.5) / points)) for i in range(points)]
    return days, [DAY0 + timedelta(days=place) for place in places]


def simulated(
    days: Sequence[date], cutoffs: Sequence[date], outcomes: int, *, after: int = 90
) -> Arc:
    """`outcomes` families at each of `days`; the arc is observed `after` days beyond the last of them."""
    span = Span(
        observed_from=min(days[0], cutoffs[0] - timedelta(days=1)),
        observed_until=days[-1] + timedelta(days=after),
    )
    claims: list[Claim] = []
    resolutions: list[Resolution] = []
    for number, day in enumerate(d for d in days if d >= cutoffs[0] for _ in range(outcomes)):
        node = new_id("n", day)
        happening = (
            Occurrence(happened_on=day, node_id=node, statement_id=new_id("s", number), quote="it"),
        )
        for end in range(LEVELS + VARIANTS):
            variant = end >= LEVELS
            claim = Claim(
                claim_id=new_id("c", number, end),
                family_id=new_id("f", number),
                kind="variant" if variant else "outcome" if end == 0 else "detail",
                level=1 if variant else end + 1,
                occasion="the decision",
                dimension="event",
                difficulty="medium",
                node_id=node,
                text=_wording(number, end),
            )
            claims.append(claim)
            resolutions.append(_resolved(claim.claim_id, () if variant else happening))
    before = new_id("n", "before")  # the first point needs a context
    points = [
        PredictionPoint(
            point_id=new_id("x", cutoff),
            cutoff=cutoff,
            context=(before, *(new_id("n", d) for d in days if d < cutoff)),
            truth=tuple(new_id("n", d) for d in days if d >= cutoff),
        )
        for cutoff in cutoffs
    ]
    return Arc(points, claims, resolutions, span, len(days))


def fabricated(
    orders: Sequence[Order], *, lost: float = 0.0
) -> tuple[list[Claim], list[Resolution]]:
    """A made-up claim for each order but a seeded share `lost`; all of them never happen."""
    made: list[Claim] = []
    for number, order in enumerate(sorted(orders, key=lambda o: o.order_id), start=100_000):
        if random.Random(order.order_id).random() < lost:
            continue
        made.append(
            Claim(
                claim_id=new_id("c", "made", order.order_id),
                family_id=new_id("f", "made", order.order_id),
                kind="fabrication",
                level=order.level,
                occasion="the decision",
                dimension=order.dimension,
                difficulty="medium",
                mirrors=order.mirrors,
                text=_wording(number, order.level - 1),
            )
        )
    return made, [_resolved(claim.claim_id, ()) for claim in made]


def _wording(number: int, end: int) -> Wording:
    letters = ""
    while number:
        number, digit = divmod(number, 26)
        letters = chr(65 + digit) + letters
    return {
        "en": (Plain(text=f"office {letters or 'A'} grants the request{ENDS[end]}"),),
        "zh": (Plain(text=f"{letters or 'A'} 处批准申请{ENDS[end]}"),),
    }


def _resolved(claim_id: str, occurrences: tuple[Occurrence, ...]) -> Resolution:
    passes = tuple(
        ResolverPass(
            sample=sample,
            state="occurs" if occurrences else "never",
            basis="stated" if occurrences else "absent",
            occurrences=occurrences,
        )
        for sample in (0, 1)
    )
    return Resolution(
        claim_id=claim_id,
        state="occurs" if occurrences else "never",
        basis=passes[0].basis,
        occurrences=occurrences,
        passes=passes,
    )
