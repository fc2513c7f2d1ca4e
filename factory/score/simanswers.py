"""Scores answers about simulated worlds under the rule set `sim`, from files to a card.

Forecasts are scored by template and horizon beside a rule that reads nothing and, where people answered, their crowd.
H0, which asks for what the report says, is kept apart: it tells whether a system can read, not whether it can forecast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from factory.errors import BadInput
from factory.score.lines import Problems
from factory.score.sheet import MISSING, STATUS, Factor, Floats
from factory.score.sim import BINS, LEVELS, RANGES, SIM, histogram_quantiles
from factory.score.simcard import COIN, CROWD, READING, UNIFORM, SimSheet, beside, sim_rows
from factory.score.simrecords import Answers, Given, read_sim_answers, read_sim_questions
from schemas.simexam import BINS_TOLERANCE, SimKind, SimQuestion
from schemas.typed import TypedCard, TypedRow

Cluster = Literal["world", "question"]
"""What a bootstrap draws."""
LEVEL = 0.95
"""Nominal coverage of an interval."""
FEW = 10
"""Below so many worlds an interval is far too narrow to lean on; the card says so."""


def score_sim(
    questions: Path | None,
    forecasts: Sequence[Path] = (),
    *,
    ranges: Mapping[str, float] = RANGES,
    cluster: Cluster = "world",
    seed: int = 0,
    replicates: int = 2000,
    level: float = LEVEL,
) -> TypedCard:
    """Score files of answers: JSON lines of `schemas.SimForecast`, or the tables of ForecastBench-Sim (.csv).

    `questions` holds JSON lines of `schemas.SimQuestion` or a table with outcomes. Tables of answers state outcomes
    themselves and need no questions: give None, or the table as `questions` and no forecasts. `ranges` is what a
    CRPS of a template is divided by where its question states no range. Intervals draw whole worlds, or questions
    where no world is known or `cluster` says so. BadInput for a file that cannot be used.
    """
    if cluster not in get_args(Cluster):
        raise BadInput(f"no cluster {cluster!r}; intervals draw a world or a question")
    if bad := sorted(name for name, width in ranges.items() if not 0 < width < np.inf):
        raise BadInput(f"the range of {bad[0]} is not a positive number; give its width")
    if replicates < 1 or not 0 < level < 1:
        raise BadInput("intervals need at least one replicate and a level between 0 and 1")
    answered = list(forecasts) or ([questions] if questions is not None else [])
    if not answered:
        raise BadInput("there is nothing to score; give files of answers")
    own = questions is None or not forecasts
    if own and (bare := [path for path in answered if path.suffix.lower() != ".csv"]):
        raise BadInput(
            f"{bare[0]} is no table that states outcomes; give the questions and, with --forecasts, the answers"
        )
    problems = Problems()
    asked = read_sim_questions(
        answered if questions is None or own else [questions], ranges, problems, tables=own
    )
    answers = read_sim_answers(answered, asked, problems, reserved=(COIN, UNIFORM, CROWD))
    rows: list[TypedRow] = []
    outside = 0
    kinds: tuple[SimKind, ...] = get_args(SimKind)
    for kind in kinds:
        mine = tuple(question for question in asked.values() if question.kind == kind)
        if not mine:
            continue
        sheet = beside(_sheet(kind, mine, answers), answers.people)
        outside += _outside(sheet)
        clusters = Factor.of(
            [
                f"world {question.world}"
                if question.world and cluster == "world"
                else f"question {question.question_id}"
                for question in mine
            ]
        )
        rows += sim_rows(sheet, clusters, seed=seed, replicates=replicates, level=level)
    return TypedCard(
        rules=SIM.name,
        rules_version=SIM.version,
        rows=tuple(rows),
        problems=problems.records(),
        notes=tuple(_notes(rows, cluster, outside, replicates, level)),
    )


def _sheet(kind: SimKind, questions: tuple[SimQuestion, ...], answers: Answers) -> SimSheet:
    """Answers as arrays; histograms become quantiles."""
    shape = (len(answers.given), len(questions))
    values = np.full((*shape, 1 if kind == "binary" else len(LEVELS)), np.nan)
    bins = np.full((*shape, BINS), np.nan)
    status = np.full(shape, MISSING, dtype=np.int64)
    low = np.array([question.low for question in questions])
    span = np.array([question.range or np.nan for question in questions])
    for s, mine in enumerate(answers.given.values()):
        for n, question in enumerate(questions):
            if (given := mine.get(question.question_id)) is not None:
                status[s, n] = _place(given, values[s, n], bins[s, n])
    there = ~np.isnan(bins).any(axis=-1)
    if there.any():
        values[there] = histogram_quantiles(
            bins[there], np.broadcast_to(low, shape)[there], np.broadcast_to(span, shape)[there]
        )
    return SimSheet(kind, questions, tuple(answers.given), low, span, values, bins, status)


def _place(given: Given, values: Floats, bins: Floats) -> int:
    """Put an answer into its places; the code of its status."""
    if given.values:
        values[:] = given.values
    if given.bins:
        bins[:] = given.bins
    return STATUS.index(given.status)


def _outside(sheet: SimSheet) -> int:
    """Questions with an outcome outside of their bins."""
    if sheet.kind == "binary":
        return 0
    return sum(
        min(question.outcomes) < low or max(question.outcomes) > low + span
        for question, low, span in zip(sheet.questions, sheet.low, sheet.span, strict=True)
    )


def _notes(
    rows: Sequence[TypedRow], cluster: Cluster, outside: int, replicates: int, level: float
) -> list[str]:
    drawn = "worlds, or questions where no world is known" if cluster == "world" else "questions"
    notes = [
        "brier, crps and mae (in the outcome's unit), ncrps and nmae (divided by the range) and rps are losses",
        f"intervals: {level:.0%}, percentiles of {replicates} bootstraps over {drawn}",
        f"skill is 1 - loss / loss of a rule that reads nothing: {COIN} for brier, {UNIFORM} for ncrps",
    ]
    if any(row.group.startswith(READING) for row in rows):
        notes.append(
            "H0 asks for what the report says: it checks reading and enters no other group"
        )
    if any(row.kind == "continuous" for row in rows):
        notes.append(
            "crps is 2/5 of the pinball losses of five quantiles, crossed ones as they are; crps and mae over several "
            "templates mix their units"
        )
    if any(row.metrics.get("rps") is not None for row in rows):
        notes.append(
            f"bins may miss a sum of 1 by {BINS_TOLERANCE} and are divided by their sum; rps is over answers in bins only"
        )
    if outside:
        notes.append(
            f"{outside} questions have an outcome outside of their bins, which the nearest bin takes"
        )
    if cluster == "world" and any(
        row.intervals and (row.metrics["clusters"] or 0.0) < FEW for row in rows
    ):
        notes.append(f"some intervals rest on fewer than {FEW} clusters and are too narrow")
    return notes
