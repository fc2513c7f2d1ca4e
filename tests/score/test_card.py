"""Cards: pooling, means and what an unanswered question does to them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from factory.errors import BadInput
from factory.score.card import DateAnswer, Probability, bank_card, event_score, score_card
from schemas import Forecast, ScoreCard
from tests import example_event as example


def forecast(
    ref: str, p: float | None, *, system: str = "m", run: str = "r1", lang: str = "en"
) -> Forecast:
    return Forecast.model_validate_json(
        Forecast.model_construct(
            system=system,
            run=run,
            axis="calibration",
            ref=ref,
            point_id="t-1",
            lang=lang,
            status="answered" if p is not None else "unparsed",
            probability=p,
        ).model_dump_json()
    )


def card(forecasts: list[Forecast]) -> ScoreCard:
    return bank_card(
        forecasts,
        event="e-test",
        points=example.points().points,
        questions=example.questions(),
        events=example.events(),
    )


def perfect(lang: str = "en", **fields: str) -> list[Forecast]:
    return [
        forecast(q.question_id, float(q.answer), lang=lang, **fields) for q in example.questions()
    ]


def test_unanswered_questions_are_counted_and_never_filled() -> None:
    answers = perfect()
    answers[0] = forecast(answers[0].ref, None)
    (cell,) = card(answers[:-1]).cells
    assert (cell.score, cell.answered, cell.total) == (pytest.approx(100.0), 8, 10)


def test_a_system_that_answers_nothing_is_not_scored() -> None:
    result = card([forecast(q.question_id, None) for q in example.questions()])
    assert result.cells[0].score == "not scored"
    assert result.cells[0].answered == 0
    assert result.overall == {"m": "not scored"}


def test_every_constant_scores_fifty_on_twins() -> None:
    for p in (0.0, 0.3, 1.0):
        (cell,) = card([forecast(q.question_id, p) for q in example.questions()]).cells
        assert cell.score == pytest.approx(50.0)


def test_a_system_that_sat_one_axis_has_no_overall() -> None:
    assert card(perfect()).overall == {"m": "not scored"}


def test_both_axes_and_editions_make_the_overall() -> None:
    dates = [
        Forecast(
            system="m",
            run="r1",
            axis="temporal",
            ref=event.event_id,
            point_id=event.point_id,
            lang=lang,
            status="answered",
            date=event.date + timedelta(days=error),
        )
        for lang, error in (("en", 0), ("zh", 3))
        for event in example.events()
    ]
    result = card(perfect("en") + perfect("zh") + dates)
    temporal = event_score(result.cells, "m", "e-test", "temporal")
    assert isinstance(temporal, float)
    assert temporal < 100
    assert result.overall["m"] == pytest.approx((100 + temporal) / 2)


def test_runs_of_one_system_are_scored_apart() -> None:
    wrong = [forecast(q.question_id, 1.0 - q.answer, run="r2") for q in example.questions()]
    scores = {cell.system: cell.score for cell in card(perfect() + wrong).cells}
    assert scores == {"m (r1)": pytest.approx(100.0), "m (r2)": pytest.approx(0.0)}


def test_two_answers_to_one_question_are_refused() -> None:
    with pytest.raises(BadInput, match="twice"):
        card([*perfect(), perfect()[0]])


def test_an_answer_to_a_question_of_another_bank_is_refused() -> None:
    with pytest.raises(BadInput, match="does not ask"):
        card([forecast("q-elsewhere", 0.5)])


def test_scores_are_pooled_over_answers_and_averaged_over_editions_then_events() -> None:
    rows = [
        Probability("m", "one", "en", 1.0, 1, 10, 10),
        Probability("m", "one", "zh", 0.0, 1, 10, 10),
        Probability("m", "two", "en", 1.0, 1, 10, 10),
    ]
    dates = [DateAnswer("m", event, "en", 10, 0.0) for event in ("one", "two")]
    result = score_card(rows, dates)
    assert event_score(result.cells, "m", "one", "calibration") == pytest.approx(50.0)
    assert result.overall["m"] == pytest.approx((75 + 100) / 2)


def test_weight_depends_on_the_window_never_on_the_outcome() -> None:
    """An outcome on another day of the window leaves every score as it is."""
    answers = [forecast(q.question_id, 0.2 if q.answer else 0.9) for q in example.questions()]
    moved = [question.model_copy(update={"evidence": ()}) for question in example.questions()]
    bank = {"event": "e-test", "points": example.points().points, "events": example.events()}
    assert bank_card(answers, questions=moved, **bank) == card(answers)
