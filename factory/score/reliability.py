"""How probabilities agree with what happened: proper scores and calibration, each answer counting the same.

The figures stand beside every headline, whatever its rule set. All functions take one-dimensional arrays of
probabilities in [0, 1] and of outcomes 0 or 1 and raise BadInput for anything else; without answers a mean is nan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factory.errors import BadInput
from factory.score.sheet import Codes, Floats
from schemas import Reliability, ReliabilityBin

LOG_CLIP = 1e-6
"""Probabilities are moved into [clip, 1 - clip] before the logarithm, so one certain miss costs at most 13.8."""
BINS = 10
"""Bins of the reliability table."""
EDGE_DIGITS = 12
"""Decimals to which probabilities are rounded before they are compared with an edge."""


class Murphy(NamedTuple):
    """The parts of a Brier score: brier = reliability - resolution + uncertainty."""

    reliability: float
    """Mean squared distance of a probability from the share of true outcomes under it; lower is better."""
    resolution: float
    """Mean squared distance of those shares from the base rate; higher is better."""
    uncertainty: float
    """base rate * (1 - base rate); the same for everybody."""


def reliability(p: Floats, y: Floats, *, clip: float = LOG_CLIP) -> Reliability | None:
    """All figures of one system's answers; none without answers."""
    p, y = _checked(p, y)
    if not len(p):
        return None
    parts = murphy(p, y)
    return Reliability(
        brier=brier(p, y),
        log_loss=log_loss(p, y, clip=clip),
        log_clip=clip,
        ece=ece(p, y),
        ece_adaptive=ece_adaptive(p, y),
        murphy_reliability=parts.reliability,
        murphy_resolution=parts.resolution,
        murphy_uncertainty=parts.uncertainty,
        bins=bin_table(p, y),
    )


def brier(p: Floats, y: Floats) -> float:
    """Mean (p - y)^2, 0 to 1 (Brier 1950, for one of two outcomes)."""
    p, y = _checked(p, y)
    return float(np.mean((p - y) ** 2)) if len(p) else float("nan")


def brier_index(score: float) -> float:
    """100 * (1 - sqrt(Brier)): 100 perfect, 50 for always one half (ForecastBench)."""
    return float(100.0 * (1.0 - np.sqrt(score)))


def log_loss(p: Floats, y: Floats, *, clip: float = LOG_CLIP) -> float:
    """Mean -ln of the probability given to what happened (Good 1952), clipped to [clip, 1 - clip]."""
    if not 0.0 < clip < 0.5:
        raise BadInput(
            f"a clip of {clip} cannot keep logarithms finite; take one between 0 and 0.5"
        )
    p, y = _checked(p, y)
    if not len(p):
        return float("nan")
    inside = np.clip(p, clip, 1.0 - clip)
    return float(-np.mean(np.where(y == 1.0, np.log(inside), np.log1p(-inside))))


def murphy(p: Floats, y: Floats) -> Murphy:
    """Parts of the Brier score over groups of equal probability (Murphy 1973).

    Grouped by unique values and not by bins: only then does the identity hold exactly, since bins add the
    variance and covariance inside them.
    """
    p, y = _checked(p, y)
    if not len(p):
        return Murphy(float("nan"), float("nan"), float("nan"))
    values, group = np.unique(p, return_inverse=True)
    count = np.bincount(group)
    share = np.bincount(group, weights=y) / count
    base = float(np.mean(y))
    return Murphy(
        float(np.sum(count * (values - share) ** 2) / len(p)),
        float(np.sum(count * (share - base) ** 2) / len(p)),
        base * (1.0 - base),
    )


def ece(p: Floats, y: Floats, *, bins: int = BINS) -> float:
    """Expected calibration error: sum n/N |mean p - share of true outcomes| over bins of equal width.

    Bins are [low, high) and the last one is closed. The rule matters: models answer in tenths, and whether a
    tenth opens or closes a bin moves the figure by up to .02 (Naeini, Cooper and Hauskrecht 2015).
    """
    p, y = _checked(p, y)
    return _calibration_error(p, y, _by_width(p, bins))


def ece_adaptive(p: Floats, y: Floats, *, bins: int = BINS) -> float:
    """The calibration error over bins of equal counts (Nguyen and O'Connor 2015).

    Equal probabilities stay together: such a group goes into the bin in which the middle of its ranks lies, so
    bins are equal only as far as ties allow, and the order of the answers does not matter.
    """
    p, y = _checked(p, y)
    return _calibration_error(p, y, _by_count(p, bins))


def bin_table(p: Floats, y: Floats, *, bins: int = BINS) -> tuple[ReliabilityBin, ...]:
    """The bins behind `ece`, the empty ones too."""
    p, y = _checked(p, y)
    index = _by_width(p, bins)
    count = np.bincount(index, minlength=bins).tolist()
    forecast = np.bincount(index, weights=p, minlength=bins).tolist()
    outcome = np.bincount(index, weights=y, minlength=bins).tolist()
    return tuple(
        ReliabilityBin(
            low=k / bins,
            high=(k + 1) / bins,
            count=n,
            # A mean of numbers below 1 may round above it.
            forecast=min(1.0, forecast[k] / n) if n else None,
            outcome=outcome[k] / n if n else None,
        )
        for k, n in enumerate(count)
    )


def auc(p: Floats, y: Floats) -> float:
    """Probability that a true outcome got the higher probability, ties one half; nan with one kind of outcome."""
    p, y = _checked(p, y)
    values, group = np.unique(p, return_inverse=True)
    true = np.bincount(group, weights=y, minlength=len(values))
    false = np.bincount(group, weights=1.0 - y, minlength=len(values))
    pairs = true.sum() * false.sum()
    if not pairs:
        return float("nan")
    return float(np.sum(true * (np.cumsum(false) - false / 2.0)) / pairs)


def _checked(p: Floats, y: Floats) -> tuple[Floats, Floats]:
    given, outcome = np.asarray(p, dtype=float), np.asarray(y, dtype=float)
    if given.ndim != 1 or given.shape != outcome.shape:
        raise BadInput(
            f"probabilities of shape {given.shape} and outcomes of shape {outcome.shape} do not belong together; "
            "give one outcome for each probability"
        )
    # Written so that nan fails too.
    if not bool(np.all((given >= 0.0) & (given <= 1.0))):
        raise BadInput("a probability lies outside 0 to 1; mark that answer as unparsed")
    if not bool(np.all((outcome == 0.0) | (outcome == 1.0))):
        raise BadInput("an outcome is neither 0 nor 1; leave questions without an outcome out")
    return given, outcome


def _by_width(p: Floats, bins: int) -> Codes:
    """Bin of each probability. 1 - 0.9 is not quite 0.1: rounding keeps such errors from crossing an edge."""
    edges = np.arange(1, bins) / bins
    return np.searchsorted(
        np.round(edges, EDGE_DIGITS), np.round(p, EDGE_DIGITS), side="right"
    ).astype(np.int64)


def _by_count(p: Floats, bins: int) -> Codes:
    """Bin of each probability by the middle of its ranks, in whole numbers."""
    _, group, count = np.unique(p, return_inverse=True, return_counts=True)
    twice_middle = 2 * (np.cumsum(count) - count) + count
    return np.asarray(bins * twice_middle // (2 * max(1, len(p))))[group].astype(np.int64)


def _calibration_error(p: Floats, y: Floats, index: Codes) -> float:
    if not len(p):
        return float("nan")
    return float(np.sum(np.abs(np.bincount(index, weights=p - y))) / len(p))
