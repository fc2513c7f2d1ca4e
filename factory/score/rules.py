"""Rule sets by name, and the calibration formulas that the paper compares with its own.

`paper` is the published rule of SocietyBench: a weighted mean absolute error and a clipped band around a wrong
date. Neither is a proper score: the first rewards rounding to 0 or 1, the second pays the middle of the told bucket
about 61 on the published bank. `overview` is the plain pair that surveys of the field use, `proper` asks for nothing
but honest answers. Dates are scored inside the horizon only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from factory.errors import BadInput
from factory.score.formula import Formula, LossFunction, RuleSet
from factory.score.horizon import BUCKETS, HORIZON, bucket
from factory.score.sheet import Floats, Sheet

__all__ = [
    "ALTERNATIVES",
    "BUCKETS",
    "HORIZON",
    "OVERVIEW",
    "PAPER",
    "PROPER",
    "RULE_SETS",
    "RuleSet",
    "bucket",
    "calibration_weights",
    "distance_weights",
    "miss",
    "rule_set",
]

DECAY = 0.04
"""The paper's alpha: loss of weight a day of distance from the cutoff, on both axes."""
WINDOW_OFFSET = 4.0
"""Days in W/(W + 4): the window that gets half of the weight of an endless one."""
BUCKET_DAYS = 30.0
"""Divisor of a miss in every bucket, also in those that span 29 days."""
LINEAR_DAYS = 365.0
"""Distance at which the linear alternative has no weight left."""
LINEAR_FLOOR = 1e-9
"""Weight of what is further away in the linear alternative: none, but weights are positive."""
LOG_CLIP = 1e-3
"""Probabilities are moved into [clip, 1 - clip] before a logarithm."""


def distance_weights(dt: ArrayLike, alpha: float = DECAY) -> Floats:
    """1/(1 + alpha dt); `dt` in days, negative counts as 0."""
    return np.asarray(1.0 / (1.0 + alpha * np.maximum(np.asarray(dt, dtype=float), 0.0)))


def window_weights(window: ArrayLike) -> Floats:
    """W/(W + 4) with the window W in days; BadInput for a window of 0 days or less."""
    days = np.asarray(window, dtype=float)
    if days.size and not float(days.min()) > 0:
        raise BadInput("a window of 0 days or less has no weight; correct the bank's windows")
    return np.asarray(days / (days + WINDOW_OFFSET))


def calibration_weights(dt: ArrayLike, window: ArrayLike, alpha: float = DECAY) -> Floats:
    """Weight of each question: 1/(1 + alpha dt) * W/(W + 4), as the paper defines it with alpha 0.04.

    `dt` is the distance in days (negative counts as 0), `window` the window W in days; both of one length.
    Our own banks take dt = window_end - cutoff, foreign banks their stored value. BadInput for windows <= 0.
    """
    return distance_weights(dt, alpha) * window_weights(window)


def miss(t: ArrayLike, error: ArrayLike) -> Floats:
    """Miss of each date: the part of [t - |error|, t + |error|] that lies in t's bucket, over 30, at most 1.

    `t` are N true days from the cutoff, `error` (N, or S x N) predicted minus true in days; an infinite error
    (no date at all, counted as wrong) is a full miss, which no finite one is in buckets of 29 days; nan stays nan. An event at a bucket's edge costs half of one in its middle
    for the same error; that is the published rule. BadInput for a day outside 0..90.
    """
    day = np.asarray(t, dtype=float)
    distance = np.abs(np.asarray(error, dtype=float))
    if day.size and not (float(day.min()) >= 0 and float(day.max()) <= HORIZON):
        raise BadInput(f"an event lies outside 0 to {HORIZON} days from its cutoff")
    edges = np.array(BUCKETS, dtype=float)
    index = np.searchsorted(edges[:, 1], day)
    low, high = edges[index, 0], edges[index, 1]
    band = np.minimum(high, day + distance) - np.maximum(low, day - distance)
    return np.asarray(np.where(np.isinf(distance), 1.0, np.minimum(1.0, band / BUCKET_DAYS)))


# Losses: Sheet -> S x N.


def absolute_error(sheet: Sheet) -> Floats:
    """|p - y|."""
    error = sheet.values - sheet.truth
    return np.abs(error, out=error)


def squared_error(sheet: Sheet) -> Floats:
    """(p - y)^2: Brier (1950) for two outcomes, counted once."""
    return np.asarray((sheet.values - sheet.truth) ** 2)


def log_error(sheet: Sheet, clip: float = LOG_CLIP) -> Floats:
    """-ln of the probability given to what happened (Good 1952), p moved into [clip, 1 - clip] first."""
    p = np.clip(sheet.values, clip, 1.0 - clip)
    return np.asarray(-np.log(np.where(sheet.truth > 0.5, p, 1.0 - p)))


def bucket_miss(sheet: Sheet) -> Floats:
    """`miss` of each date."""
    return miss(sheet.truth, sheet.values - sheet.truth)


def late_or_early(sheet: Sheet, horizon: float) -> Floats:
    """min(1, |days off| / horizon)."""
    return np.minimum(1.0, np.abs(sheet.values - sheet.truth) / horizon)


def days_off(sheet: Sheet, cap: float) -> Floats:
    """min(|days off|, cap)."""
    return np.minimum(np.abs(sheet.values - sheet.truth), cap)


# Weights: Sheet -> N.


def equal(sheet: Sheet) -> Floats:
    """1 for every row."""
    return np.ones(len(sheet))


def near(sheet: Sheet) -> Floats:
    """1/(1 + 0.04 t) for dates.

    Descriptions of the rule leave this weight out, but only with it are the published temporal cells reproduced:
    to 0.05 for every system with full coverage, against up to 2 points without.
    """
    return distance_weights(sheet.distance)


def near_and_long(sheet: Sheet, alpha: float = DECAY) -> Floats:
    """The paper's weight of a question, with another alpha where one is given."""
    return calibration_weights(sheet.distance, sheet.window, alpha)


def linear_and_long(sheet: Sheet) -> Floats:
    """max(0, 1 - d/365) * W/(W + 4); a floor of 1e-9 keeps weights positive beyond a year."""
    days = np.maximum(sheet.distance, 0.0)
    return np.maximum(1.0 - days / LINEAR_DAYS, LINEAR_FLOOR) * window_weights(sheet.window)


# Scales: mean loss -> score.


def percent(loss: Floats) -> Floats:
    """100 (1 - loss)."""
    return np.asarray(100.0 * (1.0 - loss))


def percent_floored(loss: Floats) -> Floats:
    """100 max(0, 1 - loss)."""
    return np.asarray(100.0 * np.maximum(0.0, 1.0 - loss))


def brier_percent(loss: Floats) -> Floats:
    """100 (1 - 2 loss): 50 for one half everywhere, 100 for the truth, -100 for its opposite."""
    return np.asarray(100.0 * (1.0 - 2.0 * loss))


def log_percent(loss: Floats) -> Floats:
    """100 (1 - loss / (2 ln 2)): 50 for one half everywhere, 100 for the truth, no lower end but the clip's."""
    return np.asarray(100.0 * (1.0 - loss / (2.0 * math.log(2.0))))


def hyperbolic_percent(loss: Floats) -> Floats:
    """100 / (1 + loss): 66.7 for one half everywhere."""
    return np.asarray(100.0 / (1.0 + loss))


def capped_percent(loss: Floats, cap: float) -> Floats:
    """100 (1 - loss / cap)."""
    return np.asarray(100.0 * (1.0 - loss / cap))


PAPER = RuleSet(
    name="paper",
    version="1",
    source="SocietyBench, its two published axes, pooled over all points of an event and edition",
    calibration=Formula(
        name="100 max(0, 1 - weighted mean |p - y|)",
        source="SocietyBench, calibration score; weight 1/(1 + 0.04 d) * W/(W + 4), negative d counted as 0",
        loss=absolute_error,
        weight=near_and_long,
        scale=percent_floored,
    ),
    temporal=Formula(
        name="100 (1 - weighted mean miss)",
        source=(
            "SocietyBench, temporal score; the weight 1/(1 + 0.04 t) is not in its description but in its "
            "published figures"
        ),
        loss=bucket_miss,
        weight=near,
        scale=percent,
    ),
)
"""Cell = pooled; axis = mean over events of the mean of editions; overall = mean of the axes."""


def _overview(horizon: float) -> RuleSet:
    """CalScore and TempScore; T has no published value. BadInput unless T is a positive number of days."""
    if not (math.isfinite(horizon) and horizon > 0):
        raise BadInput(
            f"a horizon of {horizon} days scores nothing; give a positive number of days"
        )
    return RuleSet(
        name="overview",
        version="1",
        source=f"CalScore and TempScore of the SocietyBench overview, T = {horizon:g} days (ours)",
        calibration=Formula(
            name="100 (1 - Brier)",
            source="CalScore of the SocietyBench overview; Brier (1950), unweighted: 75 for one half everywhere",
            loss=squared_error,
            weight=equal,
            scale=percent,
            proper=True,
        ),
        temporal=Formula(
            name=f"100 mean max(0, 1 - |days off| / {horizon:g})",
            source=f"TempScore of the SocietyBench overview; T = {horizon:g} is ours, the source gives none",
            loss=partial(late_or_early, horizon=horizon),
            weight=equal,
            scale=percent,
            # Below the longest possible error the loss is flat far away, and a median is no longer its optimum.
            proper=horizon >= HORIZON,
        ),
    )


OVERVIEW = _overview(float(HORIZON))
"""With T = 90 days."""

PROPER = RuleSet(
    name="proper",
    version="1",
    source="Proper scores: Brier (1950), absolute error for a median (Gneiting 2011), both unweighted",
    calibration=Formula(
        name="100 (1 - 2 Brier)",
        source="Brier (1950); scaled so that one half everywhere earns 50, as under the paper's rule",
        loss=squared_error,
        weight=equal,
        scale=brier_percent,
        proper=True,
    ),
    temporal=Formula(
        name="100 (1 - mean min(|days off|, 90) / 90)",
        source=(
            "Absolute error is consistent for the median (Gneiting 2011, Making and evaluating point forecasts). "
            "Events lie 0 to 90 days from the cutoff, so the cap of 90 touches only days outside of that, which "
            "never beat its nearer end: the median stays the best answer, and no single one costs more than 100"
        ),
        loss=partial(days_off, cap=float(HORIZON)),
        weight=equal,
        scale=partial(capped_percent, cap=float(HORIZON)),
        proper=True,
    ),
)
"""The paper's pooling and means over scores that honest answers maximise."""


def _weighted(name: str, source: str, weight: Callable[[Sheet], Floats]) -> Formula:
    """The paper's loss and scale under another weight."""
    return Formula(name, source, absolute_error, weight, percent_floored)


def _rescaled(
    name: str,
    source: str,
    loss: LossFunction,
    scale: Callable[[Floats], Floats],
    *,
    proper: bool = False,
) -> Formula:
    """Another loss or scale under the paper's weight."""
    return Formula(name, source, loss, near_and_long, scale, proper)


_TABLE = "SocietyBench, Table 5"
ALTERNATIVES: tuple[Formula, ...] = (
    _weighted("equal weights", f"{_TABLE}; neither distance nor window weighs", equal),
    _weighted(
        "linear decay", f"{_TABLE}; 1 - d/365 at least 0, window factor kept", linear_and_long
    ),
    *(
        _weighted(
            f"alpha {alpha:g}",
            f"{_TABLE}; 1/(1 + {alpha:g} d), window factor kept",
            partial(near_and_long, alpha=alpha),
        )
        for alpha in (0.0, 0.08, 0.16)
    ),
    _rescaled(
        "Brier, rescaled",
        f"{_TABLE}; 100 (1 - 2 B), the paper's weights",
        squared_error,
        brier_percent,
        proper=True,
    ),
    _rescaled(
        "log loss, rescaled",
        f"{_TABLE}; 100 (1 - LL / (2 ln 2)), the paper's weights; clip {LOG_CLIP:g}, found by reproduction",
        log_error,
        log_percent,
        proper=True,
    ),
    _rescaled(
        "hyperbolic",
        f"{_TABLE}; 100 / (1 + weighted mean |p - y|)",
        absolute_error,
        hyperbolic_percent,
    ),
)
"""The eight calibration formulas of the paper's Table 5 beside its own, in its order."""

RULE_SETS: tuple[str, ...] = ("paper", "overview", "proper", "forecast", "sim")
"""Names that `rule_set` knows."""


def rule_set(name: str, *, horizon: float = float(HORIZON)) -> RuleSet:
    """The rule set of a name; `horizon` is T of overview in days. BadInput for others, and for a T <= 0."""
    if name == "overview":
        return _overview(horizon)
    if name == "forecast":
        from factory.score.forecast import FORECAST

        return FORECAST
    if name == "sim":
        from factory.score.sim import SIM

        return SIM
    for known in (PAPER, PROPER):
        if known.name == name:
            return known
    raise BadInput(f"no rule set is named {name!r}; use {', '.join(RULE_SETS)}")
