"""From answers to a score card.

Answers are pooled over all points of one event and edition. An unanswered question is never filled in:
it is left out of the score and stays visible as the difference between `answered` and `total`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from factory.errors import BadInput
from factory.score.rules import (
    HORIZON,
    PAPER,
    RuleSet,
    Score,
    calibration_score,
    mean,
    temporal_score,
)
from schemas import (
    Axis,
    Forecast,
    Lang,
    PredictionPoint,
    Question,
    ScoreCard,
    ScoreCell,
    TemporalEvent,
)


class Probability(NamedTuple):
    """One system's answer to one question, ready to be scored."""

    system: str
    event: str
    edition: Lang
    p: float | None
    """None when unanswered."""
    y: int
    dt: int
    """Days from the cutoff, as the rule set of the bank defines them."""
    window: int
    """Days."""


class DateAnswer(NamedTuple):
    """One system's answer to one dated event, ready to be scored."""

    system: str
    event: str
    edition: Lang
    t: int
    """True day counted from the cutoff, 0..90."""
    error: float | None
    """Predicted minus true day; None when unanswered."""


def score_card(
    probabilities: Iterable[Probability],
    dates: Iterable[DateAnswer],
    rules: RuleSet = PAPER,
) -> ScoreCard:
    """Pool per system, event and edition, score, and average.

    Cells exist for what a system sat. Its `overall` is the mean of both axes and "not scored" when an axis
    was not sat or a cell has no answer at all.
    """
    calibration: dict[tuple[str, str, Lang], list[Probability]] = {}
    for row in probabilities:
        calibration.setdefault((row.system, row.event, row.edition), []).append(row)
    temporal: dict[tuple[str, str, Lang], list[DateAnswer]] = {}
    for answer in dates:
        temporal.setdefault((answer.system, answer.event, answer.edition), []).append(answer)

    cells = [_calibration_cell(*key, rows) for key, rows in calibration.items()]
    cells += [_temporal_cell(*key, rows) for key, rows in temporal.items()]
    cells.sort(key=lambda cell: (cell.system, cell.event, cell.edition, cell.axis))
    systems = sorted({cell.system for cell in cells})
    return ScoreCard(
        rules=rules.name,
        rules_version=rules.version,
        cells=tuple(cells),
        overall={system: overall_score(cells, system) for system in systems},
    )


def _calibration_cell(
    system: str, event: str, edition: Lang, rows: Sequence[Probability]
) -> ScoreCell:
    used = [row for row in rows if row.p is not None]
    score = calibration_score(
        [row.p for row in used if row.p is not None],
        [row.y for row in used],
        [row.dt for row in used],
        [row.window for row in used],
    )
    return ScoreCell(
        system=system,
        event=event,
        edition=edition,
        axis="calibration",
        score=score,
        answered=len(used),
        total=len(rows),
    )


def _temporal_cell(system: str, event: str, edition: Lang, rows: Sequence[DateAnswer]) -> ScoreCell:
    used = [row for row in rows if row.error is not None]
    score = temporal_score(
        [row.t for row in used], [row.error for row in used if row.error is not None]
    )
    return ScoreCell(
        system=system,
        event=event,
        edition=edition,
        axis="temporal",
        score=score,
        answered=len(used),
        total=len(rows),
    )


def event_score(cells: Iterable[ScoreCell], system: str, event: str, axis: Axis) -> Score:
    """Mean of the editions that the system sat for one event and axis."""
    return mean(
        [
            cell.score
            for cell in cells
            if (cell.system, cell.event, cell.axis) == (system, event, axis)
        ]
    )


def axis_score(cells: Sequence[ScoreCell], system: str, axis: Axis) -> Score:
    """Mean over events of the mean of editions; "not scored" when the axis was not sat."""
    events = sorted({cell.event for cell in cells if cell.system == system and cell.axis == axis})
    return mean([event_score(cells, system, event, axis) for event in events])


def overall_score(cells: Sequence[ScoreCell], system: str) -> Score:
    """Mean of the two axes."""
    return mean([axis_score(cells, system, "calibration"), axis_score(cells, system, "temporal")])


def bank_card(
    forecasts: Iterable[Forecast],
    *,
    event: str,
    points: Iterable[PredictionPoint],
    questions: Iterable[Question],
    events: Iterable[TemporalEvent],
    rules: RuleSet = PAPER,
) -> ScoreCard:
    """Score forecasts on one of our banks, with dt = window_end - cutoff.

    A system sat an axis of an edition when it has a forecast there; questions without one count as
    unanswered. Runs of one system are scored apart when there are several. BadInput when a forecast names
    nothing of this bank or answers the same question twice.
    """
    cutoffs = {point.point_id: point.cutoff for point in points}
    asked = {question.question_id: question for question in questions}
    dated = {item.event_id: item for item in events}
    answers: dict[tuple[str, str, Axis, Lang], dict[str, Forecast]] = {}
    for forecast in forecasts:
        known: Mapping[str, object] = asked if forecast.axis == "calibration" else dated
        if forecast.ref not in known:
            raise BadInput(
                f"{forecast.system} answers {forecast.ref}, which this bank does not ask on the "
                f"{forecast.axis} axis; score it with the bank that it sat"
            )
        sitting = answers.setdefault(
            (forecast.system, forecast.run, forecast.axis, forecast.lang), {}
        )
        if forecast.ref in sitting:
            raise BadInput(
                f"{forecast.system} answers {forecast.ref} twice in run {forecast.run}; keep one"
            )
        sitting[forecast.ref] = forecast

    runs: dict[str, set[str]] = {}
    for system, run, _, _ in answers:
        runs.setdefault(system, set()).add(run)
    probabilities: list[Probability] = []
    dates: list[DateAnswer] = []
    for (system, run, axis, lang), sitting in answers.items():
        name = system if len(runs[system]) == 1 else f"{system} ({run})"
        if axis == "calibration":
            for ref, question in asked.items():
                given = sitting.get(ref)
                cutoff = cutoffs[question.point_id]
                probabilities.append(
                    Probability(
                        name,
                        event,
                        lang,
                        given.probability if given else None,
                        question.answer,
                        (question.window_end - cutoff).days,
                        question.window_days,
                    )
                )
            continue
        for ref, item in dated.items():
            t = (item.date - cutoffs[item.point_id]).days
            if 0 <= t <= HORIZON:
                given = sitting.get(ref)
                dates.append(
                    DateAnswer(name, event, lang, t, _error(given.date if given else None, item))
                )
    return score_card(probabilities, dates, rules)


def _error(predicted: date | None, item: TemporalEvent) -> float | None:
    return None if predicted is None else float((predicted - item.date).days)
