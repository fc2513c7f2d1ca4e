"""The published SocietyBench rules, vectorised and pure.

Calibration is a weighted mean absolute error and the temporal axis a clipped interval around the error, as
the paper defines them. Neither is a proper score: calibration rewards rounding to 0 or 1, and the bucket
midpoint earns about 61, not 50, on real arcs. They are kept for comparison with
published tables; the figures of the no-text systems beside them say what a score is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from factory.errors import BadInput

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[Any]

NotScored = Literal["not scored"]
Score = float | NotScored
NOT_SCORED: NotScored = "not scored"

BUCKETS: tuple[tuple[int, int], ...] = ((0, 30), (31, 60), (61, 90))
"""Days from the cutoff, both ends included: 31, 30 and 30 days."""
HORIZON = 90
"""Events further away are no part of the temporal axis."""
BUCKET_DAYS = 30.0
"""Divisor of a miss in every bucket, also in those that span 29 days."""


DECAY = 0.04
"""Loss of weight a day of distance from the cutoff, on both axes."""


def distance_weights(dt: ArrayLike) -> Floats:
    """1/(1 + 0.04 dt); `dt` in days, negative counts as 0."""
    import numpy as np

    return np.asarray(1.0 / (1.0 + DECAY * np.maximum(np.asarray(dt, dtype=float), 0.0)))


def calibration_weights(dt: ArrayLike, window: ArrayLike) -> Floats:
    """Weight of each question: 1/(1 + 0.04 dt) * W/(W + 4).

    `dt` is the distance in days (negative counts as 0), `window` the window W in days; both of one length.
    Our own banks take dt = window_end - cutoff, foreign banks their stored value.
    """
    import numpy as np

    days = np.asarray(window, dtype=float)
    if days.size and float(days.min()) <= 0:
        raise BadInput("a window of 0 days or less has no weight; correct the bank's windows")
    return np.asarray(distance_weights(dt) * days / (days + 4.0))


def calibration_score(p: ArrayLike, y: ArrayLike, dt: ArrayLike, window: ArrayLike) -> Score:
    """100 * max(0, 1 - sum w|p - y| / sum w) over answered questions; "not scored" when there are none.

    Probabilities outside 0..1 (nan included) raise BadInput: a reader has to mark them as unanswered.
    """
    import numpy as np

    given = np.asarray(p, dtype=float)
    if given.size == 0:
        return NOT_SCORED
    if not bool(np.all((given >= 0) & (given <= 1))):
        raise BadInput("a probability lies outside 0 to 1; mark that answer as unparsed")
    weights = calibration_weights(dt, window)
    error = np.abs(given - np.asarray(y, dtype=float))
    return float(100.0 * max(0.0, 1.0 - float(np.sum(weights * error) / np.sum(weights))))


def bucket(t: int) -> tuple[int, int]:
    """The bucket of an event `t` days after its cutoff; BadInput outside 0..90."""
    for low, high in BUCKETS:
        if low <= t <= high:
            return low, high
    raise BadInput(f"an event {t} days from its cutoff lies in no bucket of 0 to {HORIZON} days")


def miss(t: ArrayLike, error: ArrayLike) -> Floats:
    """Miss of each date: the part of [t - |error|, t + |error|] that lies in t's bucket, over 30, at most 1.

    `t` are true days from the cutoff, `error` predicted minus true in days. An event at a bucket's edge
    costs half of one in its middle for the same error; that is the published rule.
    """
    import numpy as np

    day = np.asarray(t, dtype=float)
    distance = np.abs(np.asarray(error, dtype=float))
    if day.size and (float(day.min()) < 0 or float(day.max()) > HORIZON):
        raise BadInput(f"an event lies outside 0 to {HORIZON} days from its cutoff")
    edges = np.array(BUCKETS, dtype=float)
    index = np.searchsorted(edges[:, 1], day)
    low, high = edges[index, 0], edges[index, 1]
    band = np.minimum(high, day + distance) - np.maximum(low, day - distance)
    return np.asarray(np.minimum(1.0, band / BUCKET_DAYS))


def temporal_score(t: ArrayLike, error: ArrayLike) -> Score:
    """100 * (1 - sum w m / sum w) over answered events within the horizon; "not scored" without any.

    w = 1/(1 + 0.04 t). Descriptions of the rule leave this weight out, but only with it are the published
    temporal cells reproduced: to 0.05 for every system with full coverage, against up to 2 points without.
    """
    import numpy as np

    if np.asarray(t).size == 0:
        return NOT_SCORED
    weights = distance_weights(t)
    return float(100.0 * (1.0 - float(np.sum(weights * miss(t, error)) / np.sum(weights))))


def mean(scores: list[Score]) -> Score:
    """Plain mean; "not scored" if any part is, since a mean over other parts compares unlike things."""
    known = [score for score in scores if not isinstance(score, str)]
    if not known or len(known) < len(scores):
        return NOT_SCORED
    return sum(known) / len(known)


@dataclass(frozen=True)
class RuleSet:
    """Name and version under which a card is published."""

    name: str
    version: str


PAPER = RuleSet(name="paper", version="1")
"""Pooled per event and edition; cell = mean of editions; axis = mean of events; overall = mean of axes."""
