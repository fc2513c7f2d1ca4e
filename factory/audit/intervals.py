"""Scores of attackers with intervals that resample what is independent: whole chains of pairs and families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas import Question

RESAMPLES = 10_000
BLOCK = 500
"""Resamples drawn at once, so that memory stays small for banks of thousands of clusters."""
TAIL = 0.025
SEED = 23


@dataclass(frozen=True)
class Scored:
    """A score with its cluster bootstrap, in points of 100."""

    score: float
    low: float
    """2.5 % of the resampled scores lie below."""
    high: float
    """2.5 % of the resampled scores lie above."""
    floor: float
    """Lower end at 2.5 % divided by the number of attackers (Bonferroni): what the best of many must exceed."""

    @property
    def half_width(self) -> float:
        """Half the distance from low to high: how precise the score is, however many attackers there are."""
        return (self.high - self.low) / 2


def weight(question: Question) -> float:
    """The paper's weight w = 1 / (1 + 0.04 dt) * W / (W + 4) with dt = W, the window's end from the cutoff."""
    days = question.window_days
    return 1 / (1 + 0.04 * days) * days / (days + 4)


def score(questions: Sequence[Question], chances: Sequence[float]) -> float:
    """S = 100 * max(0, 1 - sum w |p - y| / sum w). Raises ValueError without questions."""
    if not questions:
        raise ValueError("no questions to score")
    total = sum(weight(q) for q in questions)
    missed = sum(weight(q) * abs(p - q.answer) for q, p in zip(questions, chances, strict=True))
    return 100 * max(0.0, 1 - missed / total)


def cluster_numbers(labels: Sequence[str]) -> list[int]:
    """Labels as numbers from 0, in the order of the sorted labels."""
    number = {label: i for i, label in enumerate(sorted(set(labels)))}
    return [number[label] for label in labels]


def bootstrap(
    questions: Sequence[Question],
    attackers: Mapping[str, Sequence[float]],
    clusters: Sequence[int],
    *,
    count: int | None = None,
) -> dict[str, Scored]:
    """Each attacker's score with percentile intervals over resampled clusters, the same draws for all.

    `clusters` numbers the cluster of each question from 0; `count` is the number of attackers that the floor is
    corrected for, by default those given.
    """
    import numpy as np

    if not attackers:
        return {}
    w = np.array([weight(q) for q in questions])
    y = np.array([q.answer for q in questions])
    index = np.array(clusters)
    size = int(index.max()) + 1
    missed = np.stack(
        [
            np.bincount(index, weights=w * np.abs(np.array(p) - y), minlength=size)
            for p in attackers.values()
        ],
        axis=1,
    )
    totals = np.bincount(index, weights=w, minlength=size)
    rng = np.random.default_rng(SEED)
    drawn = np.empty((RESAMPLES, len(attackers)))
    for start in range(0, RESAMPLES, BLOCK):
        times = rng.multinomial(size, np.full(size, 1 / size), size=BLOCK).astype(np.float64)
        # Sums of products in a fixed order: a threaded product may differ in its last bits.
        share = np.einsum("ij,jk->ik", times, missed) / np.einsum("ij,j->i", times, totals)[:, None]
        drawn[start : start + BLOCK] = 100 * np.maximum(0.0, 1 - share)
    floor = TAIL / max(1, len(attackers) if count is None else count)
    ends = np.quantile(drawn, [TAIL, 1 - TAIL, floor], axis=0)
    return {
        name: Scored(score(questions, p), *(float(end) for end in ends[:, column]))
        for column, (name, p) in enumerate(attackers.items())
    }
