"""Flips: families asked alone over a window that ends too early and over one that does not.

A growing ladder is what the published bank asks of every outcome, and whoever sees both rungs in one prompt knows
the answers from their order: a bank scores 50 + 50 x (share of the weight that flips) for a reader of positions.
So flips are off by default, and their share of the paper's weight is bounded by `compose.flips`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from factory.bank.drafts import Draft
from factory.bank.material import Family, Material, windows_at
from factory.bank.quotas import Tally, weight
from schemas import WINDOWS


def total_weight(drafts: Iterable[Draft]) -> float:
    """Weight of all questions of these rows."""
    return sum(len(d.kinds) * weight(WINDOWS[w]) for d in drafts for _, _, w in d.cells)


def flip_share(drafts: Sequence[Draft]) -> float:
    """Share of the weight on rows that flip; 0 for no rows."""
    total = total_weight(drafts)
    return total_weight(d for d in drafts if d.relation == "flip") / total if total else 0.0


def flip_rows(families: Iterable[Family], budget: float, rng: random.Random) -> list[Draft]:
    """Rows of seeded families whose weight stays within `budget`, each asked at its points that flip."""
    order = sorted(families, key=lambda f: f.family_id)
    rng.shuffle(order)
    rows: list[Draft] = []
    for family in order:
        row = Draft("flip", family.outcome.claim, "A", "A", family.outcome.claim.claim_id)
        for p, short, long in _flips(family.outcome):
            pair_weight = weight(WINDOWS[short]) + weight(WINDOWS[long])
            if pair_weight <= budget:
                budget -= pair_weight
                row.cells |= {(p, 0, short), (p, 0, long)}
        if row.cells:
            rows.append(row)
    return rows


def _flips(outcome: Material) -> Iterable[tuple[int, int, int]]:
    """(point, longest false window, shortest true window) where an outcome is both within its windows."""
    size = len(WINDOWS)
    for p in range(outcome.asked.bit_length() // size + 1):
        true, false = windows_at(outcome.true, p), windows_at(outcome.false, p)
        if true and false:
            yield p, false[-1], true[0]


def shorten(drafts: Sequence[Draft], tally: Tally, budget: float) -> int:
    """Drop flipping points until their share of the weight is within budget; the number of questions dropped."""
    dropped = 0
    rows = [draft for draft in drafts if draft.relation == "flip"]
    while rows and flip_share(drafts) > budget:
        row = max(rows, key=lambda d: (len(d.cells), d.true.claim_id))
        point = max(row.cells)[0]
        gone = {place for place in row.cells if place[0] == point}
        row.cells -= gone
        row.count(tally, gone, -1)
        dropped += len(gone)
        rows = [draft for draft in rows if draft.cells]
    return dropped
