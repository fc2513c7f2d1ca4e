"""What a rule set is: one formula an axis, each a weighted mean loss on a stated scale.

Every score of every rule set is `scale(sum w * loss / sum w)` over answered rows. So pooling, intervals, paired
tests and skill are written once, for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from factory.score.sheet import Floats, Sheet

LossFunction = Callable[[Sheet], Floats]
"""Sheet -> S x N loss of each answer; the value of rows that are not answered is not looked at."""
WeightFunction = Callable[[Sheet], Floats]
"""Sheet -> N weights, positive."""
ScaleFunction = Callable[[Floats], Floats]
"""Mean loss -> score, elementwise and decreasing; nan stays nan."""


@dataclass(frozen=True)
class Formula:
    """How one axis is scored."""

    name: str
    """What the figure is, for people."""
    source: str
    """Where it is defined, and what is ours."""
    loss: LossFunction
    weight: WeightFunction
    scale: ScaleFunction
    proper: bool = False
    """Whether telling what one believes is the best answer in expectation."""


@dataclass(frozen=True)
class RuleSet:
    """Name and version under which a card is published."""

    name: str
    version: str
    source: str
    """Where the set comes from, in a line."""
    calibration: Formula | None
    """None: the set does not score probabilities."""
    temporal: Formula | None
    """None: the set does not score dates."""
