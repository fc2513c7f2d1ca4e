"""Which families stay out of the calibration exam so that the temporal exam of their points can ask their day.

An outcome that the calibration exam of a point asks is no question for the temporal exam of that point. On a long
arc pairing leaves enough outcomes over at most points (twins live on at points of their partners, not at their own
last ones), so only what a trial without reserve lacks is kept back. An arc of few points has no such slack: there
the trial would be eaten up by the pairing that follows it, and the reserve is kept back at once.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from factory.bank.drafts import Draft
from factory.bank.material import HORIZON, Family
from schemas import PredictionPoint

RESERVED_EVENTS = 3
"""Outcomes a point that its calibration exam leaves to its temporal exam, where the arc holds them."""
RESERVED_SHARE = 0.3
"""Most of the outcome families kept for the temporal exam."""
FEW_POINTS = 6
"""Points up to which an arc has no slack."""


def in_reach(family: Family, point: PredictionPoint, until: date) -> bool:
    """Whether the temporal exam of a point could ask the day of this family's outcome."""
    return (
        point.cutoff <= family.first <= point.cutoff + timedelta(days=HORIZON)
        and family.first <= until
    )


def lacking(
    families: Sequence[Family],
    points: Sequence[PredictionPoint],
    until: date,
    drafts: Iterable[Draft],
    family_of: Mapping[str, str],
) -> Counter[int]:
    """Outcomes that each point of a trial lacks for its temporal exam; `family_of` maps claims to families."""
    asked: set[tuple[int, str]] = set()
    for draft in drafts:
        sides = {draft.true.family_id, family_of.get(draft.false_id, draft.true.family_id)}
        asked |= {(p, side) for p, _, _ in draft.cells for side in sides}
    missing: Counter[int] = Counter()
    for p, point in enumerate(points):
        left = sum(in_reach(f, point, until) and (p, f.family_id) not in asked for f in families)
        missing[p] = max(0, RESERVED_EVENTS - left)
    return missing


def reserve(
    families: Sequence[Family],
    points: Sequence[PredictionPoint],
    until: date,
    seed: int,
    wanted: Mapping[int, int],
) -> set[str]:
    """Families kept for the temporal exam: a greedy cover of what points want, few and spread over nodes."""
    open_at = {
        f.family_id: {p for p, point in enumerate(points) if in_reach(f, point, until)}
        for f in families
    }
    by_id = {f.family_id: f for f in families}
    draws = {f: random.Random(f"{seed}:reserve:{f}").random() for f in by_id}
    limit = int(len(families) * RESERVED_SHARE)
    missing = Counter(wanted)
    days: Counter[date] = Counter()
    chosen: set[str] = set()
    while len(chosen) < limit and any(count > 0 for count in missing.values()):
        best = min(
            (f for f in by_id if f not in chosen),
            key=lambda f: (
                -sum(missing[p] > 0 for p in open_at[f]),
                days[by_id[f].first],
                draws[f],
                f,
            ),
        )
        if not any(missing[p] > 0 for p in open_at[best]):
            break
        chosen.add(best)
        days[by_id[best].first] += 1
        for p in open_at[best]:
            missing[p] -= 1
    return chosen
