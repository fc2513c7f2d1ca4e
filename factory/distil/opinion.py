"""Figures of public opinion, computed from classified posts. A model never states a share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from schemas import Emotion, PostStance, Stance

STANCES: tuple[Stance, ...] = get_args(Stance)
EMOTIONS: tuple[Emotion, ...] = get_args(Emotion)


def shares(rows: Sequence[PostStance]) -> dict[Stance, float]:
    """Share of each stance among the posts, to four decimals, summing to 1 (largest remainder).

    Raises ZeroDivisionError without posts: there is no opinion of nobody.
    """
    counts = Counter(row.stance for row in rows)
    units = {stance: counts[stance] * 10_000 // len(rows) for stance in STANCES}
    remainders = sorted(
        STANCES, key=lambda s: (-(counts[s] * 10_000 % len(rows)), STANCES.index(s))
    )
    for stance in remainders[: 10_000 - sum(units.values())]:
        units[stance] += 1
    return {stance: units[stance] / 10_000 for stance in STANCES}


def dominant(rows: Sequence[PostStance]) -> Emotion:
    """The most frequent feeling; of two equally frequent ones the first in the schema's order."""
    counts = Counter(row.emotion for row in rows)
    return max(EMOTIONS, key=lambda emotion: (counts[emotion], -EMOTIONS.index(emotion)))
