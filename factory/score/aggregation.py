"""One answer from several outputs of one system: FOReCAst's five methods, and pooling of probabilities.

The paper (arXiv 2502.19676) names majority, highest, weighted, logit mean and Bayesian aggregation without formulas;
four are those of its code. Its Bayesian one is a placeholder there that calls the majority vote, although the paper
prints other numbers for it: `bayesian` is ours. Nothing depends on the order of the outputs: the mode is the value
with the most votes, among equals the one with the larger sum of confidences, then the smallest (no before yes, the
earlier day, the smaller number).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from factory.errors import BadInput
from factory.score.sheet import Floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Value = str | date | float
"""A parsed answer: yes or no, a day, a number; all samples of a question hold the same kind."""

CLIP = 1e-6
"""Odds are taken of probabilities moved into [CLIP, 1 - CLIP], so that one certain sample does not outvote all others
without end."""


@dataclass(frozen=True)
class Sample:
    """One output: its value and the three confidences of FOReCAst, each in 0..1 or unknown."""

    value: Value
    confidence: float | None = None
    """Normalized confidence."""
    average: float | None = None
    """Mean token probability."""
    raw: float | None = None
    """Probability of all tokens together."""


@dataclass(frozen=True)
class Aggregate:
    """What the outputs amount to."""

    value: Value | None
    """None: the method needs a confidence that no output states."""
    confidence: float | None
    """None: the outputs that the method asks do not all state the confidence that it needs."""


Method = Callable[[Sequence[Sample]], Aggregate]


def majority(samples: Sequence[Sample]) -> Aggregate:
    """The mode, with the highest normalized confidence among its outputs."""
    value, chosen = _mode(samples)
    known = _all(sample.confidence for sample in chosen)
    return Aggregate(value, max(known) if known else None)


def highest(samples: Sequence[Sample]) -> Aggregate:
    """The output with the highest normalized confidence; among equals the value with more votes, then the smallest.

    Outputs without a confidence are not eligible.
    """
    _some(samples)
    eligible = [(s.confidence, s.value) for s in samples if s.confidence is not None]
    if not eligible:
        return Aggregate(None, None)
    top = max(confidence for confidence, _ in eligible)
    values = [value for confidence, value in eligible if confidence == top]
    votes = {value: sum(sample.value == value for sample in samples) for value in values}
    most = max(votes.values())
    return Aggregate(_smallest(value for value in values if votes[value] == most), top)


def weighted(samples: Sequence[Sample]) -> Aggregate:
    """The mode, with the mean of its outputs' average token probabilities."""
    value, chosen = _mode(samples)
    known = _all(sample.average for sample in chosen)
    return Aggregate(value, math.fsum(known) / len(known) if known else None)


def logit_mean(samples: Sequence[Sample]) -> Aggregate:
    """The mode, with exp(mean ln raw) over *all* outputs, also those of other values; 0 when one of them is 0."""
    value, _ = _mode(samples)
    known = _all(sample.raw for sample in samples)
    return Aggregate(value, geometric_mean(known) if known else None)


def bayesian(samples: Sequence[Sample]) -> Aggregate:
    """Posterior over the values given, outputs taken as independent witnesses; ours, for want of a published formula.

    A sample of value v and normalized confidence c has likelihood c under v and (1 - c) / (K - 1) under each of the
    other K - 1 candidates; the prior is 1 / K. Candidates are the distinct values, yes and no always both; a single day
    or number stands against "something else", which is never the answer. For yes and no this is `log_odds_sum` with
    prior one half. No value when an output states no confidence.
    """
    _some(samples)
    stated = _all(sample.confidence for sample in samples)
    if stated is None:
        return Aggregate(None, None)
    values = {sample.value for sample in samples}
    if values <= {"yes", "no"}:
        values = {"yes", "no"}
    elsewhere = len(values) == 1
    others = len(values) - 1 + elsewhere
    clipped = [min(max(c, CLIP), 1.0 - CLIP) for c in stated]

    def log_posterior(value: Value | None) -> float:
        return math.fsum(
            math.log(c if sample.value == value else (1.0 - c) / others)
            for sample, c in zip(samples, clipped, strict=True)
        )

    logs = {value: log_posterior(value) for value in values}
    rivals = [*logs.values(), *([log_posterior(None)] if elsewhere else [])]
    best, top = max(logs.values()), max(rivals)
    share = math.exp(best - top) / math.fsum(math.exp(log - top) for log in rivals)
    return Aggregate(_smallest(value for value, log in logs.items() if log == best), share)


def odds(samples: Sequence[Sample]) -> Aggregate:
    """The calibrated default: yes or no by the geometric mean of odds; days and numbers by their median."""
    return _pooled(samples, geometric_mean_of_odds, median)


def mean_answer(samples: Sequence[Sample]) -> Aggregate:
    """Mean probability of yes; mean day (the part of a day is dropped) or number."""
    return _pooled(samples, mean, mean)


def median_answer(samples: Sequence[Sample]) -> Aggregate:
    """Median probability of yes; median day (the part of a day is dropped) or number."""
    return _pooled(samples, median, median)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "majority": majority,
        "highest": highest,
        "weighted": weighted,
        "logit_mean": logit_mean,
        "bayesian": bayesian,
        "odds": odds,
        "mean": mean_answer,
        "median": median_answer,
    }
)
"""By name: FOReCAst's five, then ours."""


def yes_probability(value: Value, confidence: float) -> float:
    """Probability of yes that an answer of yes or no with its confidence states."""
    return confidence if value == "yes" else 1.0 - confidence


# -- pooling of numbers ----------------------------------------------------------------------------


def log_odds_sum(p: ArrayLike, prior: float = 0.5) -> float:
    """Posterior of yes from independent probabilities: logit = logit prior + sum (logit p_i - logit prior).

    `prior` in (0, 1) is the rate that each p_i started from. Overconfident when the p_i share what they know.
    """
    if not 0 < prior < 1:
        raise BadInput(f"the prior {prior} is not between 0 and 1; give a rate such as 0.5")
    start = math.log(prior / (1.0 - prior))
    return _logistic(start + math.fsum(_logits(p) - start))


def geometric_mean_of_odds(p: ArrayLike) -> float:
    """Logistic of the mean logit, the default pool: averaging log odds keeps calibration better than averaging
    probabilities (Satopaa et al. 2014, Int. J. Forecasting 30)."""
    return _logistic(math.fsum(_logits(p)) / np.size(p))


def mean(p: ArrayLike) -> float:
    """Arithmetic mean."""
    values = _given(p)
    return math.fsum(values) / values.size


def median(p: ArrayLike) -> float:
    """Median; of an even number the mean of the middle two."""
    return float(np.median(_given(p)))


def geometric_mean(p: ArrayLike) -> float:
    """exp(mean ln p); 0 when one is 0."""
    values = _given(p)
    if bool(np.any(values == 0)):
        return 0.0
    return math.exp(math.fsum(np.log(values)) / values.size)


def _given(p: ArrayLike) -> Floats:
    values = np.asarray(p, dtype=float).reshape(-1)
    if not values.size:
        raise BadInput("a pool of no probabilities; mark the question as unanswered")
    return values


def _logits(p: ArrayLike) -> Floats:
    clipped = np.clip(_given(p), CLIP, 1.0 - CLIP)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def _logistic(x: float) -> float:
    small = math.exp(-abs(x))
    return (1.0 if x >= 0 else small) / (1.0 + small)


def _some(samples: Sequence[Sample]) -> None:
    if not samples:
        raise BadInput("an aggregate of no outputs; mark the question as unanswered")


def _mode(samples: Sequence[Sample]) -> tuple[Value, list[Sample]]:
    """The value with the most votes and its outputs."""
    _some(samples)
    groups: dict[Value, list[Sample]] = {}
    for sample in samples:
        groups.setdefault(sample.value, []).append(sample)

    def rank(value: Value) -> tuple[int, float]:
        stated = [s.confidence for s in groups[value] if s.confidence is not None]
        return len(groups[value]), math.fsum(stated)

    best = max(map(rank, groups))
    value = _smallest(value for value in groups if rank(value) == best)
    return value, groups[value]


def _pooled(
    samples: Sequence[Sample],
    of_probabilities: Callable[[ArrayLike], float],
    of_numbers: Callable[[ArrayLike], float],
) -> Aggregate:
    """Yes or no from probabilities of yes, which all outputs have to state; days and numbers from themselves.

    Exactly .5 becomes no with confidence .5. A day or number keeps the mean of the outputs' confidences.
    """
    _some(samples)
    stated = _all(sample.confidence for sample in samples)
    values = [sample.value for sample in samples]
    if any(isinstance(value, str) for value in values):
        if stated is None:
            return Aggregate(None, None)
        p = of_probabilities([yes_probability(v, c) for v, c in zip(values, stated, strict=True)])
        return Aggregate("yes", p) if p > 0.5 else Aggregate("no", 1.0 - p)
    number = of_numbers([v.toordinal() if isinstance(v, date) else v for v in values])
    day = all(isinstance(value, date) for value in values)
    return Aggregate(
        date.fromordinal(math.floor(number)) if day else number, mean(stated) if stated else None
    )


def _smallest(values: Iterable[Value]) -> Value:
    """No before yes, the earlier day, the smaller number."""
    return min(values, key=_order)


def _order(value: Value) -> tuple[float, str]:
    if isinstance(value, str):
        return 0.0, value
    return float(value.toordinal()) if isinstance(value, date) else value, ""


def _all(values: Iterable[float | None]) -> list[float] | None:
    """Every value, or None as soon as one is unknown."""
    found = list(values)
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None
