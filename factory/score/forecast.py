"""The measures of FOReCAst (Yuan, Ding and Vlachos, arXiv 2502.19676) and the rule set `forecast` for our banks.

Errors of days and numbers are squashed into 0..1 by one normaliser; a confidence becomes the width of a Gaussian,
and two of them are compared by the CRPS between distributions. The paper leaves open whether its tables compare
with the gold Gaussian or with the gold value, and prints the CRPS without the normaliser that its code applies, so
all four figures exist here under names of their own. Nothing here drops or fills a value: nan goes in, nan comes out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from factory.errors import BadInput
from factory.score.formula import Formula, RuleSet
from factory.score.losses import equal, percent
from factory.score.sheet import Floats, Sheet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SOURCE = "FOReCAst (arXiv 2502.19676)"
ALPHA = 0.05
"""Slope of every normaliser: an error of 20 (days or units) costs 0.46."""
EPSILON = 1e-9
"""Added to the size of the gold number in APE. The paper names an epsilon without a value; with this one any miss of
a gold number 0 costs 1."""
TIMEFRAME_SIGMA = (1.0, 30.0)
"""Days at confidence 1 and at confidence 0."""
QUANTITY_SIGMA = (1.0, 20.0)
"""Units of the asked number, whatever its scale, at confidence 1 and at confidence 0."""

_ERF = np.frompyfunc(math.erf, 1, 1)


def normalise(error: ArrayLike, alpha: float = ALPHA) -> Floats:
    """2 / (1 + exp(-alpha |e|)) - 1 of each error, in 0..1; an infinite error costs 1.

    Written as tanh(alpha |e| / 2), which is the same and cannot overflow.
    """
    return np.asarray(np.tanh(alpha * np.abs(np.asarray(error, dtype=float)) / 2.0))


def sigma(confidence: ArrayLike, bounds: tuple[float, float]) -> Floats:
    """Standard deviation that stands for a confidence: high (1 - C) + low C, with `bounds` (low, high).

    BadInput outside 0..1; nan stays nan.
    """
    given = np.asarray(confidence, dtype=float)
    if bool(np.any((given < 0) | (given > 1))):
        raise BadInput(
            "a confidence lies outside 0 to 1; mark that answer as one without confidence"
        )
    low, high = bounds
    return np.asarray(high * (1.0 - given) + low * given)


def crps_gaussians(m1: ArrayLike, s1: ArrayLike, m2: ArrayLike, s2: ArrayLike) -> Floats:
    """Integral of (F1 - F2)^2 for the Gaussians N(m1, s1^2) and N(m2, s2^2), in the unit of the means.

    Eq. 7 of FOReCAst in closed form, half the energy distance of the two (Szekely and Rizzo 2013). With
    d = m1 - m2 and t = sqrt(s1^2 + s2^2): t sqrt(2/pi) exp(-d^2 / 2t^2) + d erf(d / (t sqrt 2)) - (s1 + s2) / sqrt(pi).
    A width of 0 is exact: both 0 give |d|, one 0 gives the CRPS of a Gaussian at a point. Equal distributions cost
    exactly 0, not a rounding error below it. BadInput for a negative width.
    """
    first, second = np.asarray(s1, dtype=float), np.asarray(s2, dtype=float)
    if bool(np.any(first < 0) | np.any(second < 0)):
        raise BadInput(
            "the width of a Gaussian is negative; give a standard deviation of 0 or more"
        )
    d = np.abs(np.asarray(m1, dtype=float) - np.asarray(m2, dtype=float))
    t = np.hypot(first, second)
    # Beyond 40 widths exp is 0 and erf 1 in double precision; the cap keeps the square from overflowing.
    far = np.full(np.broadcast(d, t).shape, 40.0)
    with np.errstate(over="ignore"):
        z = np.minimum(np.divide(d, t, out=far, where=t > 0), 40.0)
    spread = t * math.sqrt(2.0 / math.pi) * np.exp(-z * z / 2.0)
    shift = d * np.asarray(_ERF(z / math.sqrt(2.0)), dtype=float)
    crps = np.maximum(spread + shift - (first + second) / math.sqrt(math.pi), 0.0)
    # The clamp alone would leave +1e-16 where both are the same.
    same = (d == 0) & (first == second)
    return np.asarray(np.where(np.isnan(t), np.nan, np.where(same, 0.0, crps)))


def crps_point(mean: ArrayLike, width: ArrayLike, observed: ArrayLike) -> Floats:
    """CRPS of N(mean, width^2) at an observed value (Gneiting and Raftery 2007), in the unit of the mean.

    This is what FOReCAst's code computes under the name of its two-Gaussian Eq. 7.
    """
    return crps_gaussians(mean, width, observed, 0.0)


def percentage_error(predicted: ArrayLike, gold: ArrayLike, epsilon: float = EPSILON) -> Floats:
    """|Qp - Qg| / (|Qg| + epsilon), a share without unit.

    The paper writes Qg + epsilon, which is negative or 0 for some negative numbers; its size is taken instead, which
    agrees for all others.
    """
    truth = np.asarray(gold, dtype=float)
    return np.asarray(
        np.abs(np.asarray(predicted, dtype=float) - truth) / (np.abs(truth) + epsilon)
    )


def leaning(p: ArrayLike) -> Floats:
    """1 where a probability leans to yes, 0 where to no, a half at exactly .5, which leans nowhere; nan stays nan."""
    given = np.asarray(p, dtype=float)
    return np.asarray(
        np.where(np.isnan(given), np.nan, np.where(given == 0.5, 0.5, np.where(given > 0.5, 1, 0)))
    )


def accuracy(said: ArrayLike, y: ArrayLike) -> float:
    """Share of right answers, 0..1; `said` 1 for yes, 0 for no, a half for neither, `y` the outcomes. nan if empty."""
    return _mean(1.0 - np.abs(np.asarray(said, dtype=float) - np.asarray(y, dtype=float)))


def f1(said: ArrayLike, y: ArrayLike) -> float:
    """2 tp / (2 tp + fp + fn) with "yes" as the positive label; `said` and `y` as in `accuracy`.

    nan when neither anybody said yes nor anything came true: there is nothing to find. FOReCAst's code prints 0 there,
    which reads as the worst score for a system that was always right.
    """
    answers, outcomes = np.asarray(said, dtype=float), np.asarray(y, dtype=float)
    found = float(np.sum(answers * outcomes))
    below = float(np.sum(answers) + np.sum(outcomes))
    return 2.0 * found / below if below > 0 else math.nan


def brier(p: ArrayLike, y: ArrayLike) -> float:
    """Mean (p - y)^2 of the probabilities of yes against the outcomes (Brier 1950). nan if empty."""
    return _mean((np.asarray(p, dtype=float) - np.asarray(y, dtype=float)) ** 2)


def gold_confidence_mse(confidence: ArrayLike, gold: ArrayLike) -> float:
    """Mean (C_pred - C_gold)^2, Eq. 3 of FOReCAst, published there as a Brier score. nan if empty.

    It compares confidences, whatever answer each belongs to, and so is no score of a forecast: a wrong answer with the
    crowd's confidence costs 0. The published tables fit `brier` better than this.
    """
    return _mean((np.asarray(confidence, dtype=float) - np.asarray(gold, dtype=float)) ** 2)


def _mean(values: Floats) -> float:
    return float(np.mean(values)) if values.size else math.nan


# -- the rule set for banks of probabilities and dates -------------------------------------------


def _wrong(sheet: Sheet) -> Floats:
    return np.asarray(np.abs(leaning(sheet.values) - sheet.truth))


def _late(sheet: Sheet) -> Floats:
    return normalise(sheet.values - sheet.truth)


FORECAST = RuleSet(
    name="forecast",
    version="1",
    source=f"{SOURCE}: accuracy and normalised absolute date error; as 0-100 scores ours",
    calibration=Formula(
        name="100 * accuracy",
        source=f"{SOURCE}, accuracy of Boolean questions; that a probability of exactly .5 is half right is ours",
        loss=_wrong,
        weight=equal,
        scale=percent,
    ),
    temporal=Formula(
        name="100 * (1 - mean tanh(.05 |days| / 2))",
        source=f"{SOURCE}, normalised ADE of timeframe questions; 100 * (1 - E) is ours",
        loss=_late,
        weight=equal,
        scale=percent,
    ),
)
"""Unweighted. Neither axis is proper: accuracy rewards rounding, a normalised error the median only roughly."""


def bank_metrics(sheet: Sheet) -> list[dict[str, float]]:
    """FOReCAst's further figures for each system of a sheet, over its answered rows; undefined ones are left out.

    Calibration: accuracy, f1, brier. Temporal: ade_days (mean absolute days), ade_normalised.
    """
    found = []
    for values, answered in zip(sheet.values, sheet.answered, strict=True):
        given, truth = values[answered], sheet.truth[answered]
        if sheet.axis == "calibration":
            said = leaning(given)
            figures = {
                "accuracy": accuracy(said, truth),
                "f1": f1(said, truth),
                "brier": brier(given, truth),
            }
        else:
            figures = {
                "ade_days": _mean(np.abs(given - truth)),
                "ade_normalised": _mean(normalise(given - truth)),
            }
        found.append({name: value for name, value in figures.items() if math.isfinite(value)})
    return found
