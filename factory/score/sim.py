"""Scores of forecasts about simulated worlds, as ForecastBench-Sim computes them, on whole arrays.

Shapes: `...` is any number of leading axes, the last axis holds quantiles (K) or bins (B). Everything but the rule set
is a loss: lower is better. nan in gives nan out. Two conventions of the source matter: the CRPS of five quantiles is
twice their mean pinball loss, without the tails and without sorting quantiles that cross; and a histogram is turned
into quantiles by spreading the mass of a bin evenly inside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from factory.score.formula import Formula, RuleSet
from factory.score.losses import equal, percent, squared_error
from factory.score.sheet import Codes, Flags, Floats

LEVELS: tuple[float, ...] = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Levels of the five quantiles that are asked for."""
BINS = 5
"""Equal bins of the human pilot."""
RANGES: dict[str, float] = {"cities": 40.0, "techs": 60.0, "treasury": 2000.0}
"""What a CRPS is divided by for each continuous template: the width of the human pilot's bins together."""
BITS_CLIP = 0.001
"""Excess bits move probabilities into [clip, 1 - clip]."""
_ROUNDING = 1e-12
"""A cumulated mass this far below a level reaches it: 0.1 + 0.2 has to be 0.3."""


def brier(p: ArrayLike, outcome: ArrayLike) -> Floats:
    """(p - y)^2, elementwise (Brier 1950)."""
    return np.asarray((np.asarray(p, dtype=float) - np.asarray(outcome, dtype=float)) ** 2)


def excess_brier(p: ArrayLike, rate: ArrayLike) -> Floats:
    """(p - q)^2: what a Brier score over replays is above that of their rate q, whose own is q (1 - q)."""
    return brier(p, rate)


def excess_bits(p: ArrayLike, rate: ArrayLike, *, clip: float = BITS_CLIP) -> Floats:
    """Kullback-Leibler divergence of Bernoulli(p) from the replays' Bernoulli(q), in bits, p clipped (third edition of
    the source)."""
    p_ = np.clip(np.asarray(p, dtype=float), clip, 1 - clip)
    q = np.asarray(rate, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        true = np.where(q > 0, q * np.log2(q / p_), np.where(np.isnan(q), np.nan, 0.0))
        false = np.where(q < 1, (1 - q) * np.log2((1 - q) / (1 - p_)), 0.0)
    return np.asarray(true + false)


def pinball(quantiles: ArrayLike, outcome: ArrayLike, levels: Sequence[float] = LEVELS) -> Floats:
    """Quantile loss `tau r` above and `(tau - 1) r` below, r = outcome - quantile (Koenker and Bassett 1978).

    `quantiles` is ... x K, `outcome` is ... ; the result is ... x K in the outcome's unit.
    """
    taus = np.asarray(levels, dtype=float)
    residual = np.asarray(outcome, dtype=float)[..., None] - np.asarray(quantiles, dtype=float)
    return np.asarray(np.maximum(taus * residual, (taus - 1) * residual))


def crps(quantiles: ArrayLike, outcome: ArrayLike, levels: Sequence[float] = LEVELS) -> Floats:
    """(2/K) sum of the pinball losses, ... in the outcome's unit; for five levels the source's own approximation.

    The CRPS is twice the integral of the pinball loss over all levels (Gneiting and Ranjan 2011, eq. 8); this is the
    sum over the levels asked for, each with the same weight, and nothing for the tails.
    """
    return np.asarray(2 * pinball(quantiles, outcome, levels).mean(axis=-1))


def crossed(quantiles: ArrayLike) -> Flags:
    """... : whether a quantile is below one of a lower level."""
    return np.asarray((np.diff(np.asarray(quantiles, dtype=float), axis=-1) < 0).any(axis=-1))


def within(quantiles: ArrayLike, outcome: ArrayLike) -> Flags:
    """... : whether the outcome lies between the outermost quantiles, both included; never if these cross."""
    q, y = np.asarray(quantiles, dtype=float), np.asarray(outcome, dtype=float)
    return np.asarray((q[..., 0] <= y) & (y <= q[..., -1]))


def histogram_quantiles(
    bins: ArrayLike, low: ArrayLike, span: ArrayLike, levels: Sequence[float] = LEVELS
) -> Floats:
    """Quantiles ... x K of histograms ... x B of equal bins from `low` to `low + span`, mass even inside a bin.

    Mass is divided by its sum, as in the source. A level that the mass reaches exactly at an edge lies at that edge,
    also when empty bins follow. nan without mass (the source answers evenly there).
    """
    mass, total = _normalised(bins)
    cumulated = np.cumsum(mass, axis=-1)
    taus = np.asarray(levels, dtype=float)
    below = (cumulated[..., None, :] < taus[:, None] - _ROUNDING).sum(axis=-1)
    index = np.minimum(below, mass.shape[-1] - 1)
    own = np.take_along_axis(mass, index, axis=-1)
    before = np.take_along_axis(cumulated, index, axis=-1) - own
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.clip((taus - before) / own, 0.0, 1.0)
    width = np.asarray(span, dtype=float)[..., None] / mass.shape[-1]
    values = np.asarray(low, dtype=float)[..., None] + (index + inside) * width
    return np.where(total > 0, values, np.nan)


def observed_bin(outcome: ArrayLike, low: ArrayLike, span: ArrayLike, bins: int = BINS) -> Codes:
    """Bin of the outcome: floor((y - low) / width), an edge belonging to the bin above it; what lies outside belongs
    to the nearest bin."""
    width = np.asarray(span, dtype=float) / bins
    offset = np.asarray(outcome, dtype=float) - np.asarray(low, dtype=float)
    return np.asarray(np.clip(np.floor(offset / width), 0, bins - 1).astype(np.int64))


def rps(bins: ArrayLike, observed: ArrayLike) -> Floats:
    """Ranked probability score: sum over the first B - 1 bins of (F_k - 1[observed <= k])^2, divided by B - 1.

    Epstein 1969, in the normalised form of the source; `bins` is ... x B, divided by its sum, `observed` a bin index.
    """
    mass, _ = _normalised(bins)
    size = mass.shape[-1]
    reached = np.asarray(observed)[..., None] <= np.arange(size - 1)
    difference = np.cumsum(mass, axis=-1)[..., :-1] - reached
    return np.asarray((difference**2).sum(axis=-1) / (size - 1))


def crowd(bins: ArrayLike) -> Floats:
    """One histogram B of several, P x B: their mean bin by bin, not normalised first; nan rows are left out."""
    rows = np.asarray(bins, dtype=float)
    rows = rows[~np.isnan(rows).any(axis=-1)]
    return np.asarray(rows.mean(axis=0)) if len(rows) else np.full(np.shape(bins)[-1], np.nan)


def floor(outcomes: ArrayLike, levels: Sequence[float] = LEVELS) -> float:
    """The least mean CRPS that any quantiles can have over these outcomes: that of their own quantiles.

    R outcomes of replays, in their unit. The quantile is the inverse of the empirical distribution (type 1 of Hyndman
    and Fan 1996), as in the source: it minimises the mean pinball loss at every level. One outcome has floor 0.
    """
    replays = np.asarray(outcomes, dtype=float)
    own = np.quantile(replays, levels, method="inverted_cdf")
    return float(crps(own, replays, levels).mean())


def _normalised(bins: ArrayLike) -> tuple[Floats, Floats]:
    """Mass divided by its sum, nan without mass, and the sum, ... x 1."""
    mass = np.asarray(bins, dtype=float)
    total = mass.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(mass / total), np.asarray(total)


SIM = RuleSet(
    name="sim",
    version="1",
    source="ForecastBench-Sim: the Brier score of binary questions, unweighted; the source prints it as a loss",
    calibration=Formula(
        name="100 (1 - Brier)",
        source="Brier (p - y)^2, every question alike (ForecastBench-Sim); the scale 100 (1 - B) is ours",
        loss=squared_error,
        weight=equal,
        scale=percent,
        proper=True,
    ),
    temporal=None,
)
"""For banks of ours. Its continuous questions are about simulated worlds only: `factory.score.simanswers`."""
