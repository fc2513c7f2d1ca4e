"""Arcs as hypothesis draws them, and what real arcs have beyond them: claims that recur, never happen or fall away."""

from __future__ import annotations

import random
from datetime import timedelta

from hypothesis import strategies as st

from schemas import Occurrence
from tests.bank.arcs import Arc, make_arc, occurrence, resolved


@st.composite
def arcs(draw: st.DrawFn, *, most_points: int = 4) -> Arc:
    """A random arc; from seven cutoffs on the composer holds trials first."""
    gaps = draw(st.lists(st.integers(2, 25), min_size=6, max_size=14))
    days = [sum(gaps[:i]) for i in range(len(gaps))]
    middle = days[2] + 1
    last = max(middle + 3, days[-1] - 8)
    cutoffs = sorted(draw(st.sets(st.integers(middle, last), min_size=1, max_size=most_points)))
    arc = make_arc(
        days,
        cutoffs,
        outcomes=draw(st.integers(1, 4)),
        details=draw(st.integers(0, 2)),
        variants=draw(st.integers(0, 2)),
        tail_days=draw(st.sampled_from([0, 10, 90])),
    )
    return disturb(arc, draw(st.integers(0, 10_000)))


def disturb(arc: Arc, seed: int, *, never: float = 0.2) -> Arc:
    """Some families never happen, some recur, some are known late; some claims are annulled."""
    rng = random.Random(seed)
    fate = {
        family: rng.choices(
            ["as it is", "never", "recurs", "known late"], [0.8 - never, never, 0.1, 0.1]
        )[0]
        for family in sorted({claim.family_id for claim in arc.claims})
    }
    again: dict[str, Occurrence] = {}
    claims, resolutions = [], []
    for claim, resolution in zip(arc.claims, arc.resolutions, strict=True):
        what = fate[claim.family_id]
        if what == "never":
            resolution = resolved(claim.claim_id, ())
        elif what == "recurs":
            claim = claim.model_copy(update={"cadence": "recurring"})
            if resolution.occurrences:
                node = rng.choice(arc.timeline.nodes[1:])
                if claim.family_id not in again:
                    again[claim.family_id] = occurrence(node, node.fact[0])
                both = {*resolution.occurrences, again[claim.family_id]}
                ordered = tuple(
                    sorted(both, key=lambda o: (o.happened_on, o.node_id, o.statement_id))
                )
                resolution = resolved(claim.claim_id, ordered)
        elif what == "known late":
            known = arc.points[0].cutoff + timedelta(days=20)
            claim = claim.model_copy(update={"known_from": known})
        if rng.random() < 0.05:
            resolution = resolution.model_copy(update={"state": "annulled", "occurrences": ()})
        claims.append(claim)
        resolutions.append(resolution)
    return Arc(arc.timeline, arc.points, claims, resolutions)
