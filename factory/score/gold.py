"""Gold confidences of FOReCAst (arXiv 2502.19676): how sure the crowd was of what came true, as a number in 0..1.

The paper starts from the crowd's final probability P or density f, its code from the Metaculus baseline score of the
question, averaged over time. Both are one logistic transform of a log score; they differ in which P goes in, so a
published confidence can be turned back into *a* probability, not into the crowd's last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from factory.errors import BadInput
from factory.score.sheet import Floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

HIGHEST_BOOLEAN = float(1.0 / (1.0 + np.exp(-1.0)))
"""Gold confidence of a crowd that gave probability 1 to what happened: .731. Boolean ones never exceed it."""


def boolean_confidence(p: ArrayLike) -> Floats:
    """Logistic of (ln P - ln .5) / ln 2 = 1 + log2 P, for the probability P that the crowd gave to what happened.

    0 gives 0, .5 gives .5, 1 gives `HIGHEST_BOOLEAN`. BadInput outside 0..1.
    """
    return _logistic(boolean_baseline(p) / 100.0)


def continuous_confidence(density: ArrayLike, uniform: ArrayLike) -> Floats:
    """Logistic of (ln f - ln fu) / 2 = sqrt r / (1 + sqrt r) with r = f / fu.

    f is the crowd's density at what happened, fu that of a uniform forecast over the question's range (> 0). BadInput
    for a negative density or a uniform one that is not positive.
    """
    root = np.sqrt(_ratio(density, uniform))
    # Dividing 1 by the root first would lose f = 0, whose limit is 0.
    return np.asarray(root / (1.0 + root))


def baseline_confidence(score: ArrayLike) -> Floats:
    """Logistic of score / 100, as the paper's code has it, for a Metaculus baseline score (-inf gives 0)."""
    return _logistic(np.asarray(score, dtype=float) / 100.0)


def boolean_baseline(p: ArrayLike) -> Floats:
    """Metaculus baseline score 100 (1 + log2 P) of the probability P given to what happened; 0 gives -inf."""
    given = np.asarray(p, dtype=float)
    if bool(np.any((given < 0) | (given > 1))):
        raise BadInput("a crowd's probability lies outside 0 to 1; correct the gold forecasts")
    with np.errstate(divide="ignore"):
        return np.asarray(100.0 * (1.0 + np.log2(given)))


def continuous_baseline(density: ArrayLike, uniform: ArrayLike) -> Floats:
    """Metaculus baseline score 100 ln(f / fu) / 2 of a continuous question; f = 0 gives -inf."""
    with np.errstate(divide="ignore"):
        return np.asarray(50.0 * np.log(_ratio(density, uniform)))


def boolean_probability(confidence: ArrayLike) -> Floats:
    """Inverse of `boolean_confidence`: P = 2 ^ (logit C - 1); nan above `HIGHEST_BOOLEAN`, where no P leads."""
    given = np.asarray(confidence, dtype=float)
    p = np.exp2(_logit(given) - 1.0)
    # One unit of rounding above 1 is still the crowd that was certain.
    return np.asarray(np.where(p > 1.0 + 1e-12, np.nan, np.minimum(p, 1.0)))


def continuous_ratio(confidence: ArrayLike) -> Floats:
    """Inverse of `continuous_confidence`: r = f / fu = (C / (1 - C))^2; inf for 1."""
    return np.asarray(np.exp(2.0 * _logit(confidence)))


def _ratio(density: ArrayLike, uniform: ArrayLike) -> Floats:
    f, fu = np.asarray(density, dtype=float), np.asarray(uniform, dtype=float)
    if bool(np.any(f < 0) | np.any(fu <= 0)):
        raise BadInput(
            "a density is negative or a uniform one not positive; correct the gold forecasts"
        )
    return np.asarray(f / fu)


def _logistic(x: Floats) -> Floats:
    # tanh has no overflow, but loses everything below 1e-16; exp keeps tiny confidences.
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, small) / (1.0 + small))


def _logit(confidence: ArrayLike) -> Floats:
    given = np.asarray(confidence, dtype=float)
    if bool(np.any((given < 0) | (given > 1))):
        raise BadInput("a gold confidence lies outside 0 to 1; correct the questions")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(given) - np.log1p(-given))
