"""Pooling and means: equal to plain Python, exact where they promise it, nan where nothing was answered."""

from __future__ import annotations

import math
import random
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.score.formula import Formula
from factory.score.horizon import BUCKETS
from factory.score.pooling import axis_scores, cell_scores, headline, pool
from factory.score.rules import OVERVIEW, PAPER, PROPER
from factory.score.sheet import REFUSED, UNPARSED, Sheet
from tests.score.sheets import Row, date_rows, question_rows, sheet

assert PAPER.calibration
assert PAPER.temporal
assert PROPER.calibration
assert OVERVIEW.calibration
CALIBRATION: Formula = PAPER.calibration
TEMPORAL: Formula = PAPER.temporal
BRIER: Formula = PROPER.calibration


def plain_weight(row: Row) -> float:
    return 1 / (1 + 0.04 * max(0.0, row.distance)) * (row.window / (row.window + 4))


def plain_miss(day: float, predicted: float) -> float:
    low, high = next(bounds for bounds in BUCKETS if bounds[0] <= day <= bounds[1])
    off = abs(predicted - day)
    return min(1.0, (min(high, day + off) - max(low, day - off)) / 30)


def plain_headline(rows: list[Row], system: int, *, dates: bool) -> float:
    """Loops over rows: cells, then editions, then events; nan without answers."""
    cells: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows:
        given_answer = row.answers[system]
        if given_answer is None:
            continue
        if dates:
            weight, loss = 1 / (1 + 0.04 * row.truth), plain_miss(row.truth, given_answer)
        else:
            weight, loss = plain_weight(row), abs(given_answer - row.truth)
        editions = cells.setdefault(row.event, {})
        total, weights = editions.get(row.edition, (0.0, 0.0))
        editions[row.edition] = (total + weight * loss, weights + weight)
    if not cells:
        return math.nan
    return fmean(
        fmean(100 * (1 - total / weights) for total, weights in editions.values())
        for editions in cells.values()
    )


@given(question_rows())
@settings(max_examples=60)
def test_calibration_equals_plain_loops(rows: list[Row]) -> None:
    scores = axis_scores(sheet("calibration", rows), CALIBRATION)
    plain = [plain_headline(rows, s, dates=False) for s in range(2)]
    np.testing.assert_allclose(scores, plain, atol=1e-9)


@given(date_rows())
@settings(max_examples=60)
def test_dates_equal_plain_loops(rows: list[Row]) -> None:
    scores = axis_scores(sheet("temporal", rows), TEMPORAL)
    plain = [plain_headline(rows, s, dates=True) for s in range(2)]
    np.testing.assert_allclose(scores, plain, atol=1e-9)


@given(question_rows(systems=1))
@settings(max_examples=200)
def test_one_half_scores_exactly_fifty_on_any_bank(rows: list[Row]) -> None:
    half = sheet("calibration", [row._replace(answers=[0.5]) for row in rows])
    for formula in (CALIBRATION, BRIER):
        cells = cell_scores(half, formula)
        assert set(cells[~np.isnan(cells)].tolist()) == {50.0}
        assert axis_scores(half, formula).tolist() == [50.0]


@given(
    st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=60),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=100)
def test_one_half_is_exact_under_any_weights_and_groups(weights: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [Row("e", "en", "t", float(y), 0, 1, [0.5]) for y in rng.integers(0, 2, len(weights))]
    graded = sheet("calibration", rows)
    odd = Formula("", "", CALIBRATION.loss, lambda _: np.array(weights), CALIBRATION.scale)
    pooled = pool(graded, odd, rng.integers(0, 3, len(weights)), 3)
    merged = pooled.merged(np.array([[True, True, False], [True, True, True]]))
    for sums in (pooled, merged):
        scores = sums.score(odd)
        assert set(scores[~np.isnan(scores)].tolist()) == {50.0}


@given(question_rows(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_order_of_rows_changes_nothing(rows: list[Row], shuffle: random.Random) -> None:
    mixed = list(rows)
    shuffle.shuffle(mixed)
    for formula in (CALIBRATION, BRIER):
        before = axis_scores(sheet("calibration", rows), formula)
        after = axis_scores(sheet("calibration", mixed), formula)
        np.testing.assert_allclose(before, after, atol=1e-9)


@given(question_rows())
@settings(max_examples=40)
def test_a_system_scores_the_same_beside_any_others(rows: list[Row]) -> None:
    both = sheet("calibration", rows)
    np.testing.assert_array_equal(
        axis_scores(both, CALIBRATION)[1:], axis_scores(both.only(["s1"]), CALIBRATION)
    )


@given(question_rows())
@settings(max_examples=40)
def test_merged_groups_are_the_pools_of_their_rows(rows: list[Row]) -> None:
    graded = sheet("calibration", rows)
    fine = pool(graded, CALIBRATION, graded.cell, len(graded.cells()))
    by_event = np.repeat(np.eye(len(graded.event.names), dtype=bool), len(graded.edition.names), 1)
    coarse = pool(graded, CALIBRATION, graded.event.codes, len(graded.event.names))
    merged = fine.merged(by_event)
    np.testing.assert_allclose(merged.score(CALIBRATION), coarse.score(CALIBRATION), atol=1e-9)
    np.testing.assert_array_equal(merged.answered, coarse.answered)
    np.testing.assert_array_equal(merged.total, coarse.total)


def bank(*answers: tuple[str, str, float | None]) -> Sheet:
    return sheet("calibration", [Row(e, lang, "t1", 1.0, 5.0, 30.0, [p]) for e, lang, p in answers])


def test_an_event_weighs_the_same_however_many_editions_and_questions_it_has() -> None:
    graded = bank(("a", "en", 0.9), ("a", "en", 0.9), ("a", "zh", 0.7), ("b", "en", 0.2))
    assert axis_scores(graded, CALIBRATION)[0] == pytest.approx((80.0 + 20.0) / 2)


def test_what_was_not_sat_makes_no_cell_and_what_was_sat_without_answers_spoils_the_mean() -> None:
    graded = bank(("a", "en", 0.9), ("a", "zh", None), ("b", "en", None))
    cells = cell_scores(graded, CALIBRATION)
    assert cells[0, 0] == pytest.approx(90.0)
    assert np.isnan(cells[0, 1:]).all()
    assert headline(graded, cells)[0] == pytest.approx(90.0)
    graded.status[0, 1] = REFUSED
    assert np.isnan(axis_scores(graded, CALIBRATION)[0])


def test_a_system_that_sat_nothing_is_not_scored() -> None:
    assert np.isnan(axis_scores(bank(("a", "en", None)), CALIBRATION)).all()
    assert np.isnan(axis_scores(sheet("calibration", [], systems=["x", "y"]), CALIBRATION)).all()
    assert axis_scores(sheet("calibration", []), CALIBRATION).shape == (0,)


def test_unusable_answers_are_counted_and_never_filled() -> None:
    graded = bank(("a", "en", 0.9), ("a", "en", None), ("a", "zh", 0.9), ("b", "zh", None))
    graded.status[0, 1] = UNPARSED
    pooled = pool(graded, CALIBRATION, graded.cell, 4)
    assert graded.cells() == [("a", "en"), ("a", "zh"), ("b", "en"), ("b", "zh")]
    assert pooled.answered.tolist() == [[1, 1, 0, 0]]
    assert pooled.total.tolist() == [[2, 1, 0, 0]]
    assert pooled.score(CALIBRATION)[0, 0] == pytest.approx(90.0)


@given(question_rows())
@settings(max_examples=40)
def test_counting_the_unanswered_as_wrong_never_helps(rows: list[Row]) -> None:
    graded = sheet("calibration", rows)
    normal, strict = (axis_scores(s, CALIBRATION) for s in (graded, graded.strict()))
    known = ~np.isnan(normal)
    assert (strict[known] <= normal[known] + 1e-9).all()


@given(date_rows())
@settings(max_examples=40)
def test_unanswered_dates_counted_as_wrong_stay_finite(rows: list[Row]) -> None:
    graded = sheet("temporal", rows)
    for rules in (PAPER, OVERVIEW, PROPER):
        assert rules.temporal
        strict = axis_scores(graded.strict(), rules.temporal)
        normal = axis_scores(graded, rules.temporal)
        known = ~np.isnan(normal)
        assert np.isfinite(strict[known]).all()
        if rules is not PAPER:
            assert (strict[known] <= normal[known] + 1e-9).all()


def test_groups_of_another_shape_or_code_are_refused() -> None:
    graded = bank(("a", "en", 0.9), ("a", "zh", 0.4))
    for group in ([0], [0, 2], [-1, 0]):
        with pytest.raises(ValueError, match="2 codes from 0 to 1"):
            pool(graded, CALIBRATION, np.array(group), 2)
