"""Scores of Boolean, timeframe and quantity answers: the rule set `forecast` on FOReCAst's own kind of questions.

Every figure is a ratio of two sums over questions, so that one bootstrap over questions serves them all. Only answers
that state what a figure needs enter it, and the card says how many they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from factory.errors import BadInput
from factory.score import forecast as rules
from factory.score.aggregation import METHODS, Value, yes_probability
from factory.score.lines import Problems
from factory.score.sheet import Floats
from factory.score.typedanswers import KINDS, Answer, read_questions, read_typed_answers
from schemas.score import Interval
from schemas.typed import TypedCard, TypedKind, TypedQuestion, TypedRow

LEVEL = 0.95
"""Nominal coverage of an interval."""
FEW = 20
"""Below so many answers a bootstrap interval is far too narrow to lean on; the card says so."""
_BLOCK = 2_000_000
"""Drawn questions held at once while resampling."""


@dataclass(frozen=True)
class Figure:
    """Of N questions: a figure is sum(above) / sum(below) over any of them; undefined where that is 0 / 0."""

    above: Floats
    below: Floats

    @classmethod
    def mean(cls, values: Floats) -> Figure:
        """The mean of what is not nan."""
        known = np.isfinite(values)
        return cls(np.where(known, values, 0.0), known.astype(float))

    @property
    def value(self) -> float | None:
        """Over all questions, each once."""
        below = float(self.below.sum())
        return float(self.above.sum()) / below if below > 0 else None


def score_typed(
    questions: Path,
    forecasts: Sequence[Path],
    *,
    aggregate: str = "majority",
    cutoff: date | None = None,
    seed: int = 0,
    replicates: int = 2000,
) -> TypedCard:
    """Score files of answers (`schemas.TypedForecast`) to a file of questions (`schemas.TypedQuestion`).

    `aggregate` turns several outputs into one answer (aggregation.METHODS). With the `cutoff` of a model's knowledge
    only questions resolved on or after it are asked, as in FOReCAst. Each system has a row a kind of question. BadInput for
    an unknown method, a file that cannot be used, or a cutoff after every question.
    """
    if aggregate not in METHODS:
        raise BadInput(f"no aggregation method {aggregate!r}; there is {', '.join(METHODS)}")
    problems = Problems()
    known = read_questions(questions, problems)
    answers = read_typed_answers(forecasts, known, METHODS[aggregate], problems)
    asked = [q for q in known.values() if cutoff is None or q.resolution_time >= cutoff]
    if not asked:
        raise BadInput(
            f"every question of {questions} was resolved before the cutoff {cutoff}; give an earlier one"
        )
    rows: list[TypedRow] = []
    for kind in KINDS:
        mine = [question for question in asked if question.type == kind]
        if mine:
            rows += _rows(kind, mine, answers, seed=seed, replicates=replicates)
    return TypedCard(
        rules=rules.FORECAST.name,
        rules_version=rules.FORECAST.version,
        rows=tuple(rows),
        problems=problems.records(),
        notes=tuple(_notes(rows, aggregate, cutoff, len(known) - len(asked), replicates)),
    )


def _rows(
    kind: TypedKind,
    questions: Sequence[TypedQuestion],
    answers: Mapping[str, Mapping[str, Answer]],
    *,
    seed: int,
    replicates: int,
) -> list[TypedRow]:
    """A row a system; all of them share the replicates."""
    found = {
        system: [given.get(question.id) for question in questions]
        for system, given in answers.items()
    }
    figures = {system: FIGURES[kind](questions, given) for system, given in found.items()}
    flat = [figure for named in figures.values() for figure in named.values()]
    intervals = iter(resample(flat, seed=seed, replicates=replicates))
    rows = []
    for system, given in found.items():
        status = [answer.status if answer else "missing" for answer in given]
        bounds = {name: next(intervals) for name in figures[system]}
        stated = [
            q for q, a in zip(questions, given, strict=True) if a and a.confidence is not None
        ]
        rows.append(
            TypedRow(
                system=system,
                kind=kind,
                n=len(questions),
                answered=status.count("answered"),
                unparsed=status.count("unparsed"),
                refused=status.count("refused"),
                error=status.count("error"),
                missing=status.count("missing"),
                metrics={
                    **{name: figure.value for name, figure in figures[system].items()},
                    "n_confidence": float(len(stated)),
                    "n_gold_confidence": float(sum(q.confidence is not None for q in stated)),
                },
                intervals={name: bound for name, bound in bounds.items() if bound is not None},
            )
        )
    return rows


def resample(
    figures: Sequence[Figure], *, seed: int, replicates: int = 2000, level: float = LEVEL
) -> list[Interval | None]:
    """Percentile intervals of figures over the same N questions, from one bootstrap over questions.

    Questions are drawn whether or not they were answered; a replicate in which a figure is undefined is left out of its
    interval. None when fewer than two questions enter a figure.
    """
    if not figures:
        return []
    above = np.stack([figure.above for figure in figures], axis=1)
    below = np.stack([figure.below for figure in figures], axis=1)
    n = len(above)
    rng = np.random.default_rng(seed)
    parts = []
    step = max(1, _BLOCK // n)
    for start in range(0, replicates, step):
        size = min(step, replicates - start)
        drawn = rng.integers(0, n, (size, n)) + np.arange(size)[:, None] * n
        counts = np.bincount(drawn.reshape(-1), minlength=size * n).reshape(size, n).astype(float)
        total = counts @ below
        parts.append(
            np.divide(counts @ above, total, out=np.full(total.shape, np.nan), where=total > 0)
        )
    values = np.concatenate(parts)
    tail = (1.0 - level) / 2.0
    found: list[Interval | None] = []
    for column, weights in zip(values.T, below.T, strict=True):
        usable = column[np.isfinite(column)]
        if np.count_nonzero(weights) < 2 or not usable.size:
            found.append(None)
            continue
        low, high = np.quantile(usable, [tail, 1.0 - tail])
        found.append(Interval(low=float(low), high=float(high), level=level))
    return found


# -- the figures of each kind ----------------------------------------------------------------------


def _boolean(
    questions: Sequence[TypedQuestion], answers: Sequence[Answer | None]
) -> dict[str, Figure]:
    """accuracy and f1 of the word said; brier of its confidence as a probability of yes; Eq. 3 under its own name."""
    truth = np.array([float(question.resolution == "yes") for question in questions])
    said = _column(answers, lambda value, _: float(value == "yes"))
    p = _column(answers, lambda value, c: np.nan if c is None else yes_probability(value, c))
    confidence = _column(answers, lambda _, c: np.nan if c is None else c)
    known = np.isfinite(said)
    found = np.where(known, said, 0.0)
    return {
        "accuracy": Figure.mean(1.0 - np.abs(said - truth)),
        "f1": Figure(2.0 * found * truth, np.where(known, found + truth, 0.0)),
        "brier": Figure.mean((p - truth) ** 2),
        "gold_confidence_mse": Figure.mean((confidence - _gold(questions)) ** 2),
    }


def _timeframe(
    questions: Sequence[TypedQuestion], answers: Sequence[Answer | None]
) -> dict[str, Figure]:
    """Absolute days (ade) and CRPS in days, each as it is and normalised."""
    truth = np.array([_number(question.resolution) for question in questions])
    given = _column(answers, lambda value, _: _number(value))
    return {
        **_both("ade", np.abs(given - truth), raw="ade_days"),
        **_crps(given, truth, questions, answers, rules.TIMEFRAME_SIGMA),
    }


def _quantity(
    questions: Sequence[TypedQuestion], answers: Sequence[Answer | None]
) -> dict[str, Figure]:
    """Share of the gold number (ape), absolute error (mae) and CRPS in the question's unit, as it is and normalised."""
    truth = np.array([_number(question.resolution) for question in questions])
    given = _column(answers, lambda value, _: _number(value))
    return {
        **_both("ape", rules.percentage_error(given, truth)),
        **_both("mae", np.abs(given - truth)),
        **_crps(given, truth, questions, answers, rules.QUANTITY_SIGMA),
    }


FIGURES = {"boolean": _boolean, "timeframe": _timeframe, "quantity": _quantity}
"""Figures of each kind."""


def _crps(
    given: Floats,
    truth: Floats,
    questions: Sequence[TypedQuestion],
    answers: Sequence[Answer | None],
    bounds: tuple[float, float],
) -> dict[str, Figure]:
    confidence = _column(answers, lambda _, c: np.nan if c is None else c)
    width = rules.sigma(confidence, bounds)
    gold = rules.sigma(_gold(questions), bounds)
    return {
        **_both("crps", rules.crps_gaussians(given, width, truth, gold)),
        **_both("crps_point", rules.crps_point(given, width, truth)),
    }


def _both(name: str, errors: Floats, *, raw: str = "") -> dict[str, Figure]:
    return {
        f"{name}_normalised": Figure.mean(rules.normalise(errors)),
        raw or name: Figure.mean(errors),
    }


def _column(
    answers: Sequence[Answer | None], read: Callable[[Value, float | None], float]
) -> Floats:
    """N: what `read` takes from each value and confidence; nan where nothing was answered."""
    return np.array(
        [
            np.nan
            if answer is None or answer.value is None
            else read(answer.value, answer.confidence)
            for answer in answers
        ],
        dtype=float,
    )


def _gold(questions: Sequence[TypedQuestion]) -> Floats:
    return np.array([np.nan if q.confidence is None else q.confidence for q in questions])


def _number(value: Value) -> float:
    """A number as it is, a day as days of the calendar."""
    if isinstance(value, str):
        raise ValueError(f"{value!r} is neither a day nor a number")
    return float(value.toordinal()) if isinstance(value, date) else value


# -- what a reader has to know ---------------------------------------------------------------------


def _notes(
    rows: Sequence[TypedRow], aggregate: str, cutoff: date | None, early: int, replicates: int
) -> list[str]:
    notes = [
        f"several outputs of a question become one answer by {aggregate}",
        f"intervals: {LEVEL:.0%}, percentiles of {replicates} bootstraps over the questions",
        "f1 is not defined where nothing was and nothing should have been yes; FOReCAst's code prints 0 there",
        "brier compares with the outcome; gold_confidence_mse is Eq. 3 of FOReCAst, which compares confidences only",
        "crps compares with the Gaussian of the gold confidence, crps_point with the resolution itself",
    ]
    if cutoff is not None:
        notes.append(f"asked are questions resolved on or after {cutoff}; {early} earlier are not")
    if few := sorted({row.kind for row in rows if 0 < row.answered < FEW}):
        notes.append(
            f"fewer than {FEW} answers in some {', '.join(few)} rows: their intervals are too narrow"
        )
    if bare := sorted({row.kind for row in rows if row.metrics["n_confidence"] != row.answered}):
        notes.append(
            f"some {', '.join(bare)} answers state no confidence and enter neither brier nor crps"
        )
    return notes
