"""Rows of a card for simulated worlds: the figures of `factory.score.sim` by system, kind, template and horizon.

Forecasts (H1 to H7, or no stated horizon) and checks of reading (H0) never share a row. Every figure is a ratio of
two sums over the questions of its group, so one bootstrap of whole clusters serves all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factory.score import sim
from factory.score.sheet import ANSWERED, MISSING, STATUS, Codes, Factor, Flags, Floats
from factory.score.typed import Figure, resample
from schemas.simexam import SimKind, SimQuestion
from schemas.typed import TypedRow

READING = "H0"
"""Group of the questions that ask for the snapshot itself."""
UNIFORM = "uniform bins"
"""Reads nothing: the same mass in each bin."""
COIN = "constant 0.5"
"""Reads nothing: even odds."""
CROWD = "crowd mean"
"""The mean histogram of the people who answered."""

Figures = dict[str, Figure]
"""Figures over N questions by name."""


@dataclass(frozen=True)
class SimSheet:
    """Answers of S systems to the N questions of one kind."""

    kind: SimKind
    questions: tuple[SimQuestion, ...]
    systems: tuple[str, ...]
    low: Floats
    """N: lower edge of the first bin."""
    span: Floats
    """N: width of all bins together, in the outcome's unit."""
    values: Floats
    """S x N x K: the probability (K = 1) or five quantiles (K = 5); nan unless answered."""
    bins: Floats
    """S x N x 5: mass of the bins; nan unless answered so."""
    status: Codes
    """S x N: a code of `factory.score.sheet.STATUS`."""

    @property
    def reading(self) -> Flags:
        """N: questions that check reading."""
        return np.array([question.horizon == READING for question in self.questions], dtype=bool)

    def with_bins(self, system: str, bins: Floats) -> SimSheet:
        """One more system, given by histograms N x 5; nan rows are missing."""
        quantiles = sim.histogram_quantiles(bins, self.low, self.span)
        return self._with(system, quantiles, bins)

    def with_probability(self, system: str, p: Floats) -> SimSheet:
        """One more system, given by N probabilities; nan is missing."""
        return self._with(system, p[:, None], np.full((len(p), sim.BINS), np.nan))

    def _with(self, system: str, values: Floats, bins: Floats) -> SimSheet:
        status = np.where(np.isnan(values).any(axis=-1), MISSING, ANSWERED)
        return replace(
            self,
            systems=(*self.systems, system),
            values=np.concatenate([self.values, values[None]]),
            bins=np.concatenate([self.bins, bins[None]]),
            status=np.concatenate([self.status, status[None]]),
        )


def beside(sheet: SimSheet, people: Sequence[str]) -> SimSheet:
    """The sheet with the crowd of `people`, two or more, and with the rule that reads nothing.

    The rule answers forecasts only: a check of reading has no chance level worth naming.
    """
    if sheet.kind == "continuous" and len(people) > 1:
        rows = sheet.bins[[sheet.systems.index(name) for name in people]]
        means = np.stack([sim.crowd(rows[:, i]) for i in range(len(sheet.questions))])
        sheet = sheet.with_bins(CROWD, means)
    forecasts = ~sheet.reading
    if not forecasts.any():
        return sheet
    if sheet.kind == "binary":
        return sheet.with_probability(COIN, np.where(forecasts, 0.5, np.nan))
    return sheet.with_bins(UNIFORM, np.where(forecasts[:, None], np.full(sim.BINS, 0.2), np.nan))


INTERVALS: dict[SimKind, tuple[str, ...]] = {
    "binary": ("brier", "accuracy", "skill"),
    "continuous": ("ncrps", "rps", "nmae", "skill"),
}
"""Figures that get an interval; skill is about the first."""


def sim_rows(
    sheet: SimSheet, clusters: Factor, *, seed: int, replicates: int, level: float
) -> Iterator[TypedRow]:
    """Rows by group and system; a system has rows of the forecasts, or of H0, when it left any answer there.

    `clusters` gives what is resampled together, N. Groups are `all`, `template NAME` and `horizon H1`... of the
    forecasts, and `H0` with `H0 template NAME`. Besides the figures a row holds `clusters`, how many it answers in.
    """
    figures = _figures(sheet)
    for reads in (False, True):
        part = sheet.reading == reads
        shown = [key for key in figures[0] if key != "skill" or not reads]
        sat = np.flatnonzero((sheet.status[:, part] != MISSING).any(axis=1)).tolist()
        for name, group in _groups(sheet, part, reads):
            rows = np.flatnonzero(group)
            codes = np.unique(clusters.codes[rows], return_inverse=True)[1].reshape(-1)
            names = [key for key in INTERVALS[sheet.kind] if key in shown]
            found = iter(
                resample(
                    [_sums(figures[s][key], rows, codes) for s in sat for key in names],
                    seed=seed,
                    replicates=replicates,
                    level=level,
                )
            )
            for s in sat:
                bounds = {key: interval for key in names if (interval := next(found)) is not None}
                answered = sheet.status[s, rows] == ANSWERED
                counts = np.bincount(sheet.status[s, rows], minlength=len(STATUS)).tolist()
                yield TypedRow(
                    system=sheet.systems[s],
                    kind=sheet.kind,
                    group=name,
                    n=len(rows),
                    **dict(zip(STATUS, counts, strict=True)),
                    metrics={key: _over(figures[s][key], rows).value for key in shown}
                    | {"clusters": float(len(np.unique(codes[answered])))},
                    intervals=bounds,
                )


def _over(figure: Figure, rows: Codes) -> Figure:
    return Figure(figure.above[rows], figure.below[rows])


def _sums(figure: Figure, rows: Codes, codes: Codes) -> Figure:
    """The figure over clusters instead of questions: what is drawn is a whole cluster."""
    return Figure(
        np.bincount(codes, figure.above[rows]).astype(float),
        np.bincount(codes, figure.below[rows]).astype(float),
    )


def _groups(sheet: SimSheet, part: Flags, reads: bool) -> Iterator[tuple[str, Flags]]:
    if not part.any():
        return
    yield READING if reads else "all", part
    by: list[tuple[str, Callable[[SimQuestion], str | None]]] = [
        ("H0 template" if reads else "template", lambda question: question.template)
    ]
    if not reads:
        by.append(("horizon", lambda question: question.horizon))
    for label, key in by:
        keys = [
            key(question) if own else None
            for question, own in zip(sheet.questions, part, strict=True)
        ]
        for value in sorted({value for value in keys if value is not None}):
            yield f"{label} {value}", np.array([own == value for own in keys], dtype=bool)


def _figures(sheet: SimSheet) -> list[Figures]:
    """Each system's figures; skill is 1 - loss / loss of the rule that reads nothing, on what both answered."""
    losses = [
        _binary(sheet, sheet.values[s, :, 0])
        if sheet.kind == "binary"
        else _continuous(sheet, sheet.values[s], sheet.bins[s])
        for s in range(len(sheet.systems))
    ]
    figures = [{key: Figure.mean(values) for key, values in own.items()} for own in losses]
    rule = COIN if sheet.kind == "binary" else UNIFORM
    if rule in sheet.systems:
        key = INTERVALS[sheet.kind][0]
        reference = losses[sheet.systems.index(rule)][key]
        for own, named in zip(losses, figures, strict=True):
            both = ~np.isnan(own[key] + reference)
            named["skill"] = Figure(
                np.where(both, reference - own[key], 0.0), np.where(both, reference, 0.0)
            )
    return figures


def _binary(sheet: SimSheet, p: Floats) -> dict[str, Floats]:
    """Brier and accuracy in expectation over the replays; excess over their rate where there are several."""
    rate = np.array(
        [
            q.rate if q.rate is not None else sum(q.outcomes) / len(q.outcomes)
            for q in sheet.questions
        ]
    )
    replayed = np.array([q.rate is not None or len(q.outcomes) > 1 for q in sheet.questions])
    right = np.select([p > 0.5, p < 0.5, p == 0.5], [rate, 1 - rate, np.full_like(p, 0.5)], np.nan)
    return {
        "brier": sim.brier(p, rate) + rate * (1 - rate),
        "accuracy": right,
        "excess_brier": np.where(replayed, sim.excess_brier(p, rate), np.nan),
        "excess_bits": np.where(replayed, sim.excess_bits(p, rate), np.nan),
    }


def _continuous(sheet: SimSheet, quantiles: Floats, bins: Floats) -> dict[str, Floats]:
    """Means over the replays of each question, computed on all pairs of question and outcome at once."""
    sizes = np.array([len(question.outcomes) for question in sheet.questions], dtype=np.int64)
    of = np.repeat(np.arange(len(sizes)), sizes)
    outcome = np.array([y for question in sheet.questions for y in question.outcomes])
    known = ~np.isnan(quantiles).any(axis=-1)

    def mean(pairs: Floats) -> Floats:
        totals = np.bincount(of, weights=pairs, minlength=len(sizes))
        return np.where(known, totals / sizes, np.nan)

    median = quantiles[of, sim.LEVELS.index(0.5)]
    crps = mean(sim.crps(quantiles[of], outcome))
    mae = mean(np.abs(median - outcome))
    observed = sim.observed_bin(outcome, sheet.low[of], sheet.span[of])
    floors = np.array(
        [sim.floor(q.outcomes) if len(q.outcomes) > 1 else np.nan for q in sheet.questions]
    )
    return {
        "ncrps": crps / sheet.span,
        "crps": crps,
        "nmae": mae / sheet.span,
        "mae": mae,
        "rps": mean(sim.rps(bins[of], observed)),
        "exact": mean((median == outcome).astype(float)),
        "within_10_90": mean(sim.within(quantiles[of], outcome).astype(float)),
        "crossed": np.where(known, sim.crossed(quantiles), np.nan),
        "excess_ncrps": (crps - floors) / sheet.span,
    }
