"""Rules that read no text: what a score is worth is what it adds to theirs.

`frequency` and `momentum` are the two baselines of the published benchmark, p = clip(rate * W, .02, .98) with the
rate in dates a day; the rule is kept as published although rate * W is no probability. The other rules are ours:
constants, rules on the distance and the window that every examinee is told, a logistic regression on those two,
and fixed or random days inside the bucket that the published protocol tells to everyone.

A rule sees the columns `distance`, `window`, `point` and `edition` of a sheet, the days with news before a cutoff,
and of a dated event the bucket that its prompt names. Outcomes are seen by the logistic regression alone, and only
those of other events (of other points, when there is one event).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from factory.score.horizon import BUCKETS, HORIZON
from factory.score.known import Known, KnownAt
from factory.score.losses import calibration_weights
from factory.score.sheet import Codes, Flags, Floats, Sheet
from schemas.bank import WINDOWS

LOW, HIGH = 0.02, 0.98
"""The clip of the published baselines."""
MOMENTUM_DAYS = 7
LONG_WINDOW = 30
AFTER_START = 10
"""Days after the bucket's first day; the best constant on the published bank."""

WITHIN = "days from cutoff within window"
LONG = "window of 30 days or more"
LOGISTIC = "metadata logistic"
ROUNDED = "metadata logistic, rounded"
MIDPOINT = "bucket midpoint"
START = "bucket start + 10 days"
RANDOM = "random day in bucket"

CONSTANTS: dict[str, float] = {"constant 0": 0.0, "constant 0.5": 0.5, "constant 1": 1.0}
"""One probability for all questions."""
FIXED_DAYS: dict[str, float] = {"day 15": 15.0, "day 45": 45.0}
"""One day after the cutoff for all events."""

PROBABILITY_RULES: dict[str, str] = {
    "constant 0": "nothing: 0 for every question",
    "constant 0.5": "nothing: 0.5 for every question",
    "constant 1": "nothing: 1 for every question",
    WITHIN: "distance and window: 1 when the distance is at most the window, else 0",
    LONG: "the window: 1 when it has 30 days or more, else 0",
    "frequency": "the days with news: how many a day since the first, times the window, within .02 and .98",
    "momentum": "the days with news: how many a day in the last 7, times the window, within .02 and .98",
    LOGISTIC: "distance and window: a logistic regression fitted on the other events, or points, of the bank",
    ROUNDED: "as the metadata logistic, then rounded to 0 or 1: some scoring rules pay for feigned certainty",
}
"""Rules for probabilities: name -> what it sees."""
DAY_RULES: dict[str, str] = {
    MIDPOINT: "the bucket that the published protocol tells (0-30, 31-60 or 61-90 days): its middle, 15, 45.5 or 75.5 days after the cutoff",
    START: "the bucket that the published protocol tells (0-30, 31-60 or 61-90 days): 10 days after its first day",
    RANDOM: "the bucket that the published protocol tells (0-30, 31-60 or 61-90 days): any of its days, equally likely",
    "day 15": "nothing: 15 days after the cutoff",
    "day 45": "nothing: 45 days after the cutoff",
}
"""Rules for dates: name -> what it sees."""
PAIRED: dict[str, tuple[str, str]] = {
    "metadata only": (WITHIN, START),
    "chance": ("constant 0.5", RANDOM),
}
"""A rule for each axis under one name, so that a system without text has an overall score."""
RULE_NOTES: dict[str, str] = {
    **PROBABILITY_RULES,
    **DAY_RULES,
    **{name: f"{p} for probabilities, {day} for dates" for name, (p, day) in PAIRED.items()},
}
"""What each rule and each pair sees, in one sentence."""
TEXT_FREE: frozenset[str] = frozenset(RULE_NOTES)
"""Every name under which a rule or a pair may stand in a sheet."""

DECIMALS = 6
"""Fitted probabilities are cut here, so that the last bits of linear algebra never decide a rounding."""


@dataclass(frozen=True)
class TextFree:
    """Answers of every rule that could be computed, by its name; a value for each row of the axis' sheet."""

    probabilities: dict[str, Floats]
    """Calibration: probabilities; nan where something needed is missing."""
    days: dict[str, Floats]
    """Temporal: days from the cutoff, also fractions of a day; nan where something needed is missing."""

    def with_pairs(self) -> TextFree:
        """The same, and after it the answers of each pair of PAIRED under its own name; a pair needs both rules."""
        whole = {
            name: rules
            for name, rules in PAIRED.items()
            if rules[0] in self.probabilities and rules[1] in self.days
        }
        return TextFree(
            self.probabilities | {name: self.probabilities[p] for name, (p, _) in whole.items()},
            self.days | {name: self.days[day] for name, (_, day) in whole.items()},
        )


def text_free(
    calibration: Sheet | None, temporal: Sheet | None, known: KnownAt, *, seed: int
) -> TextFree:
    """Answers of every rule to every row of both sheets, ready for `Sheet.beside`.

    A rule without any answer is left out: frequency and momentum when `known` holds none of the points, the
    logistic regression when there is nothing to learn from. `seed` decides the random days only.
    """
    return TextFree(
        probabilities={} if calibration is None else _answering(probabilities(calibration, known)),
        days={} if temporal is None else _answering(days(temporal, seed=seed)),
    )


def with_text_free(
    calibration: Sheet | None, temporal: Sheet | None, known: KnownAt, *, seed: int
) -> tuple[Sheet | None, Sheet | None]:
    """Both sheets with every rule and every pair beside the systems that sat them."""
    rules = text_free(calibration, temporal, known, seed=seed).with_pairs()
    return (
        None if calibration is None else calibration.beside(rules.probabilities),
        None if temporal is None else temporal.beside(rules.days),
    )


def _answering(rules: Mapping[str, Floats]) -> dict[str, Floats]:
    return {name: values for name, values in rules.items() if not np.isnan(values).all()}


def probabilities(sheet: Sheet, known: KnownAt) -> dict[str, Floats]:
    """N probabilities a rule of PROBABILITY_RULES, in its order; nan where something needed is missing."""
    frequency, momentum = _rates(sheet, known)
    fitted = metadata_logistic(sheet)
    found = {name: np.full(len(sheet), value) for name, value in CONSTANTS.items()}
    found[WITHIN] = _certain(
        sheet.distance <= sheet.window, np.isnan(sheet.distance) | np.isnan(sheet.window)
    )
    found[LONG] = _certain(sheet.window >= LONG_WINDOW, np.isnan(sheet.window))
    found["frequency"] = published_probability(frequency, sheet.window)
    found["momentum"] = published_probability(momentum, sheet.window)
    found[LOGISTIC] = fitted
    found[ROUNDED] = _certain(fitted >= 0.5, np.isnan(fitted))
    return {name: found[name] for name in PROBABILITY_RULES}


def days(sheet: Sheet, *, seed: int) -> dict[str, Floats]:
    """N days from the cutoff a rule of DAY_RULES, in its order.

    nan for an event outside 0..90 days where a rule needs the bucket. A random day depends on the seed, the point
    and the stated id alone: it is the same in both editions, whatever else the sheet holds.
    """
    low, high = _told_bucket(sheet.truth)
    drawn = np.array(
        [
            _uniform(seed, point, ref)
            for point, ref in zip(sheet.point.labels(), sheet.refs, strict=True)
        ],
        dtype=float,
    )
    found = {name: np.full(len(sheet), day) for name, day in FIXED_DAYS.items()}
    found[MIDPOINT] = (low + high) / 2.0
    found[START] = low + AFTER_START
    found[RANDOM] = low + np.floor(drawn * (high - low + 1.0))
    return {name: found[name] for name in DAY_RULES}


def _certain(yes: Flags, unknown: Flags) -> Floats:
    return np.where(unknown, np.nan, yes.astype(float))


def _told_bucket(t: Floats) -> tuple[Floats, Floats]:
    """First and last day of the bucket that the prompt names; nan outside the horizon, as for nan."""
    edges = np.array(BUCKETS, dtype=float)
    inside = (t >= 0) & (t <= HORIZON)
    index = np.searchsorted(edges[:, 1], np.where(inside, t, 0.0))
    return np.where(inside, edges[index, 0], np.nan), np.where(inside, edges[index, 1], np.nan)


def _uniform(seed: int, point: str, ref: str) -> float:
    """A number in [0, 1) with 53 bits, the same for the same three values on every machine."""
    digest = hashlib.sha256(f"{seed}\x1f{point}\x1f{ref}".encode()).digest()
    return float((int.from_bytes(digest[:8], "big") >> 11) / (1 << 53))


def published_probability(rate: Floats, window: Floats) -> Floats:
    """clip(rate * W, .02, .98), the published rule; `rate` in dates a day, `window` in days. nan stays nan."""
    return np.clip(rate * window, LOW, HIGH)


def frequency_rate(known: Known) -> float:
    """Distinct days over the days from the first of them to the last, at least 1: the published rule.

    A span up to the cutoff is the more natural reading of its description, but gives 53.6 on the published bank,
    not the published 53.8; this one gives 53.9, with 48.5 and 64.6 in the two editions of one event as published.
    """
    if not known.days:
        return 0.0
    span = (max(known.days) - min(known.days)).days
    return len(set(known.days)) / max(span, 1)


def momentum_rate(known: Known) -> float:
    """Distinct days from 7 days before the cutoff up to the cutoff itself, over 7: the published rule.

    A published context may speak of the cutoff; in our own banks nothing of that day is known. With the cutoff the
    published bank gives the published 54.2, without it 54.1.
    """
    start = known.cutoff - timedelta(days=MOMENTUM_DAYS)
    return len({day for day in known.days if start <= day <= known.cutoff}) / MOMENTUM_DAYS


def _rates(sheet: Sheet, known: KnownAt) -> tuple[Floats, Floats]:
    """N rates of frequency and of momentum, in dates a day; nan where a point is not known."""
    editions = len(sheet.edition.names)
    codes, inverse = np.unique(
        sheet.point.codes * editions + sheet.edition.codes, return_inverse=True
    )
    rates = np.full((2, len(codes)), np.nan)
    for column, code in enumerate(codes.tolist()):
        point, edition = divmod(code, editions)
        there = known.get((sheet.point.names[point], sheet.edition.names[edition]))
        if there is not None:
            rates[:, column] = frequency_rate(there), momentum_rate(there)
    return rates[0, inverse], rates[1, inverse]


def metadata_logistic(sheet: Sheet) -> Floats:
    """N probabilities from distance and window, learnt elsewhere in the same bank.

    L2-penalised logistic regression (C = 1) with the weights of the paper's calibration score. Each event is
    answered by a fit on the other events; a sheet of one event leaves out one point at a time. Both editions fall
    into the same fold. Points of one event ask about partly the same claims, but distance and window do not tell
    which. nan where a fold's training rows have one outcome only: nothing was learnt there, and it is not said
    to be .5.
    """
    found = np.full(len(sheet), np.nan)
    usable = ~np.isnan(sheet.distance) & (sheet.window > 0)
    if not usable.any():
        return found
    fold = sheet.event.codes if len(np.unique(sheet.event.codes)) > 1 else sheet.point.codes
    # Rows with the same metadata are one row to this rule, so they get the same answer to the last bit.
    kinds, kind = np.unique(
        np.column_stack([sheet.distance, sheet.window])[usable], axis=0, return_inverse=True
    )
    kind = kind.reshape(-1).astype(np.int64)
    distance, window = kinds[:, 0], kinds[:, 1]
    features, weight = _features(distance, window), calibration_weights(distance, window)
    truth, held = sheet.truth[usable], fold[usable]
    answers = np.full(len(kind), np.nan)
    for code in np.unique(held).tolist():
        out = held == code
        fitted = _fit(features, weight, kind[~out], truth[~out])
        if fitted is not None:
            answers[out] = fitted[kind[out]]
    found[usable] = answers
    return found


def _features(distance: Floats, window: Floats) -> Floats:
    """K x F: sides of the cutoff and of the window, log distance, the window as a category, and interactions."""
    inside = (distance <= window).astype(float)
    far = np.log1p(np.abs(distance))
    category = np.eye(len(WINDOWS))[np.searchsorted(np.array(WINDOWS[:-1], dtype=float), window)]
    return np.column_stack(
        [
            np.sign(distance),
            far,
            inside,
            distance == window,
            inside * far,
            category,
            inside[:, None] * category,
        ]
    )


def _fit(features: Floats, weight: Floats, kind: Codes, truth: Floats) -> Floats | None:
    """Probability of each of K kinds, learnt from rows of these kinds; None for rows with one outcome only.

    `features` K x F and `weight` K describe the kinds; `kind` and `truth` are the training rows.
    """
    from sklearn.linear_model import LogisticRegression

    size = len(features)
    yes = weight * np.bincount(kind, weights=truth, minlength=size)
    no = weight * np.bincount(kind, weights=1.0 - truth, minlength=size)
    if not yes.any() or not no.any():
        return None
    outcome = np.repeat([1, 0], size)
    mass = np.concatenate([yes, no])
    seen = mass > 0
    model = LogisticRegression(C=1.0, max_iter=1000)
    model.fit(np.concatenate([features, features])[seen], outcome[seen], sample_weight=mass[seen])
    fitted: Floats = model.predict_proba(features)[:, 1]
    return np.round(fitted, DECIMALS)
