"""What formulas are made of: losses of answers, weights of rows, scales of a mean loss.

A loss is S x N over a sheet, a weight N, a scale elementwise; `rules.py` puts them together under names.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from factory.errors import BadInput
from factory.score.horizon import BUCKETS, HORIZON
from factory.score.sheet import Floats, Sheet

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
    (no date at all, counted as wrong) is a full miss, which no finite one is in buckets of 29 days; nan stays nan.
    An event at a bucket's edge costs half of one in its middle for the same error; that is the published rule. BadInput for a day outside 0..90.
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
