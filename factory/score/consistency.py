"""Answers that contradict each other, whatever happens: checks inside families of questions.

Three rules of probability that need no outcome: a longer window contains the shorter one, a detailed claim
implies the general one, and ends that exclude each other share a probability of 1 (the monotonicity and
consequence checks of Paleka et al. 2024, "Consistency checks for language model forecasters"). Only answered
questions are compared; the cases say how many comparisons an answer sheet allowed.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from factory.score.sheet import Codes, Families, Flags, Floats, Sheet
from schemas import Violations

TOLERANCE = 1e-9
"""An excess up to this is rounding."""


def violations(sheet: Sheet, tolerance: float = TOLERANCE) -> list[tuple[Violations, ...]]:
    """Per system the three rules in a fixed order; an empty tuple where no families are known.

    windows: each two neighbouring answered windows of a group are a case, violated when the longer one is less
    likely. ladder: the same for neighbouring levels, violated when the more detailed one is more likely. Where a
    window or level was asked more than once, the two answers that agree least are compared. variants: each group
    with two or more answered ends is a case, violated when they sum to more than 1.
    """
    families = sheet.families
    if families is None or sheet.axis != "calibration":
        return [() for _ in sheet.systems]
    return [
        _of_system(families, sheet.window, value, answered, tolerance)
        for value, answered in zip(sheet.values, sheet.answered, strict=True)
    ]


def _of_system(
    families: Families, window: Floats, value: Floats, answered: Flags, tolerance: float
) -> tuple[Violations, ...]:
    chain = answered & (families.windows >= 0)
    ladder = answered & (families.ladder >= 0)
    ends = answered & (families.occasion >= 0)
    return (
        _record("windows", _drops(families.windows[chain], window[chain], value[chain]), tolerance),
        # More detail is never more likely: read from the detailed end, a ladder never drops either.
        _record(
            "ladder",
            _drops(families.ladder[ladder], -families.level[ladder].astype(float), value[ladder]),
            tolerance,
        ),
        _record("variants", _overfull(families.occasion[ends], value[ends]), tolerance),
    )


def _drops(group: Codes, position: Floats, value: Floats) -> Floats:
    """By how much a value falls from each position of a group to the next one; negative where it rises.

    Ties in position are sorted by value, so that the highest value before a step meets the lowest one after it.
    """
    order = np.lexsort((value, position, group))
    group, position, value = group[order], position[order], value[order]
    step = (group[1:] == group[:-1]) & (position[1:] != position[:-1])
    return np.asarray((value[:-1] - value[1:])[step])


def _overfull(group: Codes, value: Floats) -> Floats:
    """Sum of each group of two or more, less 1."""
    _, code, count = np.unique(group, return_inverse=True, return_counts=True)
    total = np.bincount(code, weights=value, minlength=len(count))
    return np.asarray(total[count >= 2] - 1.0)


def _record(
    rule: Literal["windows", "ladder", "variants"], excess: Floats, tolerance: float
) -> Violations:
    over = excess[excess > tolerance]
    return Violations(
        rule=rule,
        cases=len(excess),
        violated=len(over),
        mean_excess=float(np.mean(over)) if len(over) else 0.0,
    )
