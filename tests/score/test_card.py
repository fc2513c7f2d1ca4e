"""Cards: coverage, skill, the strict column, groups, and what an unanswered question does to them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from factory.errors import BadInput
from factory.score.bank import bank_sheets
from factory.score.card import Wanted, score_card
from factory.score.rules import OVERVIEW, PAPER, PROPER, rule_set
from factory.score.textfree import TEXT_FREE, with_text_free
from schemas import AxisGrade, Forecast, ScoreCard
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


def dates(error: int = 0, *, lang: str = "en", system: str = "m") -> list[Forecast]:
    return [
        Forecast(
            system=system,
            run="r1",
            axis="temporal",
            ref=event.event_id,
            point_id=event.point_id,
            lang=lang,
            status="answered",
            date=event.date + timedelta(days=error),
        )
        for event in example.events()
    ]


def perfect(lang: str = "en", **fields: str) -> list[Forecast]:
    return [
        forecast(q.question_id, float(q.answer), lang=lang, **fields) for q in example.questions()
    ]


def card(
    forecasts: list[Forecast],
    *,
    rules: str = "paper",
    free: bool = False,
    questions: list[Any] | None = None,
    **wanted: Any,
) -> ScoreCard:
    sheets = bank_sheets(
        event="e-test",
        points=example.points().points,
        questions=questions or example.questions(),
        events=example.events(),
        forecasts=forecasts,
    )
    if free:
        sheets = with_text_free(*sheets, {}, seed=1)
    return score_card(
        *sheets, rules=rule_set(rules), text_free=TEXT_FREE, wanted=Wanted(**wanted), seed=1
    )


def grade(result: ScoreCard, system: str = "m", axis: str = "calibration") -> AxisGrade:
    return next(row for row in result.axes if (row.system, row.axis) == (system, axis))


def test_unanswered_questions_are_counted_and_never_filled() -> None:
    answers = perfect()
    answers[0] = forecast(answers[0].ref, None)
    (cell,) = card(answers[:-1]).cells
    assert (cell.score, cell.answered, cell.total) == (pytest.approx(100.0), 8, 10)
    assert (cell.unparsed, cell.missing, cell.refused, cell.error) == (1, 1, 0, 0)


def test_a_system_that_answers_nothing_is_not_scored() -> None:
    result = card([forecast(q.question_id, None) for q in example.questions()])
    assert result.cells[0].score == "not scored"
    assert result.cells[0].answered == 0
    assert result.overall == {"m": "not scored"}
    assert grade(result).skill is None
    assert grade(result).reliability is None


@pytest.mark.parametrize("rules", [PAPER.name, PROPER.name])
def test_a_half_scores_fifty_exactly(rules: str) -> None:
    (cell,) = card([forecast(q.question_id, 0.5) for q in example.questions()], rules=rules).cells
    assert cell.score == 50.0


def test_every_constant_scores_fifty_on_twins() -> None:
    for p in (0.0, 0.3, 1.0):
        (cell,) = card([forecast(q.question_id, p) for q in example.questions()]).cells
        assert cell.score == pytest.approx(50.0)


def test_a_system_that_sat_one_axis_has_no_overall() -> None:
    assert card(perfect()).overall == {"m": "not scored"}


def test_both_axes_and_editions_make_the_overall() -> None:
    result = card(perfect("en") + perfect("zh") + dates(0, lang="en") + dates(3, lang="zh"))
    temporal = grade(result, axis="temporal").score
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


def test_weight_depends_on_the_window_never_on_the_outcome() -> None:
    """An outcome on another day of the window leaves every score as it is."""
    answers = [forecast(q.question_id, 0.2 if q.answer else 0.9) for q in example.questions()]
    moved = [question.model_copy(update={"evidence": ()}) for question in example.questions()]
    assert card(answers, questions=moved) == card(answers)


def test_strict_counts_everything_unanswered_as_wrong_and_says_both() -> None:
    answers = [*perfect()[:-2], *dates(0)[:-1]]
    result = card(answers, strict=True)
    for axis in ("calibration", "temporal"):
        found = grade(result, axis=axis)
        assert found.score == pytest.approx(100.0)
        assert isinstance(found.strict, float)
        assert found.strict < 100
    alone = card(answers)
    assert grade(alone).strict is None
    assert all(cell.strict is None for cell in alone.cells)


@pytest.mark.parametrize("rules", [PAPER.name, PROPER.name, OVERVIEW.name])
@pytest.mark.parametrize("answered", range(1, 4))
def test_leaving_questions_out_never_pays_under_strict(rules: str, answered: int) -> None:
    rng = np.random.default_rng(answered)
    some = [forecast(q.question_id, float(rng.uniform())) for q in example.questions()]
    for row in card([*some[:answered], *dates(40)[:1]], rules=rules, strict=True).axes:
        assert isinstance(row.score, float)
        assert isinstance(row.strict, float)
        assert row.strict <= row.score + 1e-9


def test_skill_is_measured_against_the_best_rule_without_text_on_the_same_questions() -> None:
    answers = [forecast(q.question_id, 0.8 if q.answer else 0.2) for q in example.questions()]
    result = card(answers, free=True)
    found = grade(result)
    free = [row.score for row in result.axes if row.text_free and row.axis == "calibration"]
    assert found.reference in TEXT_FREE
    assert found.skill == pytest.approx((80 - max(free)) / (100 - max(free)))
    assert all(row.skill is None for row in result.axes if row.text_free)
    one = card([row for row in answers if row.ref == answers[0].ref], free=True)
    assert grade(one).answered == 1
    assert grade(one).reference is not None


def test_rules_without_text_are_marked_and_never_compared() -> None:
    result = card(perfect() + perfect(system="n"), free=True, compare=True)
    assert {row.system for row in result.axes if row.text_free} <= TEXT_FREE
    assert [(row.a, row.b) for row in result.comparisons] == [("m", "n")]
    assert result.comparisons[0].difference == pytest.approx(0.0)


def test_a_subset_is_announced() -> None:
    (note,) = card(perfect()[:3]).notes
    assert "m answered 3 of 10 questions of the calibration axis" in note
    assert "not comparable" in note
    assert card(perfect()).notes == ()


def test_groups_hold_every_row_once() -> None:
    result = card(perfect() + dates(), by=("type", "window"))
    assert {row.axis for row in result.groups} == {"calibration"}
    assert sum(row.total for row in result.groups) == len(example.questions())
    assert {tuple(row.keys) for row in result.groups} == {("type", "window")}
    whole = card(perfect() + dates(), by=("event",))
    assert {row.axis for row in whole.groups} == {"calibration", "temporal"}


@pytest.mark.parametrize(
    ("by", "words"), [("colour", "no key"), ("type,bucket", "no axis has all")]
)
def test_a_key_that_the_questions_lack_is_named(by: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        card(perfect() + dates(), by=tuple(by.split(",")))


def test_a_set_without_a_date_rule_scores_probabilities_alone() -> None:
    result = card(perfect() + dates(), rules="sim")
    assert {cell.axis for cell in result.cells} == {"calibration"}
    assert result.overall == {"m": "not scored"}


def test_equal_answers_give_equal_bytes() -> None:
    rows = perfect() + perfect("zh") + dates()
    assert card(rows).model_dump_json() == card(rows[::-1]).model_dump_json()
