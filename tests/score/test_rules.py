"""The rule sets: worked values computed elsewhere, and what holds for every bank."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score.formula import Formula
from factory.score.horizon import bucket
from factory.score.losses import calibration_weights, miss
from factory.score.pooling import axis_scores
from factory.score.rules import ALTERNATIVES, OVERVIEW, PAPER, PROPER, RULE_SETS, rule_set
from factory.score.sheet import Sheet
from tests.score.sheets import Row, question_rows, sheet

P = [0.7, 0.2, 0.9, 0.5]
Y = [1, 0, 0, 1]
DT = [7, 30, 3, 90]
W = [7, 30, 1, 90]


def questions(p: list[float], y: list[int], dt: list[int], w: list[int]) -> Sheet:
    return sheet(
        "calibration",
        [
            Row("e", "en", "t1", float(b), float(c), float(d), [a])
            for a, b, c, d in zip(p, y, dt, w, strict=True)
        ],
    )


def dates(days: list[int], predicted: list[float]) -> Sheet:
    return sheet(
        "temporal",
        [Row("e", "en", "t1", t, t, 0.0, [d]) for t, d in zip(days, predicted, strict=True)],
    )


def of(formula: Formula | None, graded: Sheet) -> float:
    assert formula is not None
    return float(axis_scores(graded, formula)[0])


WORKED = questions(P, Y, DT, W)


def test_weights_and_score_agree_with_worked_values() -> None:
    assert calibration_weights(DT, W) == pytest.approx(
        [0.497159, 0.401070, 0.178571, 0.208141], abs=1e-6
    )
    assert of(PAPER.calibration, WORKED) == pytest.approx(61.543265, abs=1e-6)


def test_brier_under_the_papers_weights_agrees_with_the_worked_value() -> None:
    brier = next(formula for formula in ALTERNATIVES if formula.name.startswith("Brier"))
    assert of(brier, WORKED) == pytest.approx(100 * (1 - 2 * 0.200371), abs=1e-3)


def test_unweighted_rules_agree_with_sums_by_hand() -> None:
    brier = (0.09 + 0.04 + 0.81 + 0.25) / 4
    assert of(OVERVIEW.calibration, WORKED) == pytest.approx(100 * (1 - brier))
    assert of(PROPER.calibration, WORKED) == pytest.approx(100 * (1 - 2 * brier))
    off = dates([10, 80], [40, 75])
    assert of(OVERVIEW.temporal, off) == pytest.approx(100 * (1 - 35 / 2 / 90))
    assert of(rule_set("overview", horizon=20).temporal, off) == pytest.approx(100 * (0 + 0.75) / 2)
    assert of(PROPER.temporal, off) == pytest.approx(100 * (1 - 35 / 2 / 90))


@pytest.mark.parametrize(
    ("t", "predicted", "expected"),
    [
        (10, 15, 0.333333),
        (0, 15, 0.5),
        (30, 15, 0.5),
        (15, 0, 1.0),
        (29, 31, 0.1),
        (10, -5, 0.833333),
        (45, 46, 0.066667),
        (31, 45.5, 0.483333),
        (45, 145, 0.966667),
        (90, 61, 0.966667),
        (12, math.inf, 1.0),
        (45, math.inf, 1.0),
        (90, -math.inf, 1.0),
    ],
)
def test_miss_agrees_with_worked_values(t: int, predicted: float, expected: float) -> None:
    assert miss([t], [predicted - t])[0] == pytest.approx(expected, abs=1e-6)


def test_misses_of_many_systems_are_those_of_each() -> None:
    errors = np.array([[5.0, -40.0, math.inf], [0.0, math.nan, 3.0]])
    together = miss([3, 35, 70], errors)
    for row, alone in zip(errors, together, strict=True):
        np.testing.assert_array_equal(miss([3, 35, 70], row), alone)
    assert np.isnan(together[1, 1])


def test_bucket_midpoint_earns_what_was_computed_elsewhere_for_dates_spread_evenly() -> None:
    all_days: list[int] = []
    middles: list[float] = []
    for low, high, expected in ((0, 30, 61.5854), (31, 60, 63.1757), (61, 90, 63.2564)):
        days = list(range(low, high + 1))
        middle = [(low + high) / 2] * len(days)
        assert of(PAPER.temporal, dates(days, middle)) == pytest.approx(expected, abs=1e-4)
        all_days += days
        middles += middle
    assert of(PAPER.temporal, dates(all_days, middles)) == pytest.approx(62.3527, abs=1e-4)


@given(question_rows(systems=1, missing=False))
@settings(max_examples=40)
def test_truth_is_best_and_nothing_leaves_the_papers_scale(bank: list[Row]) -> None:
    graded = sheet("calibration", bank)
    score = of(PAPER.calibration, graded)
    assert 0 <= score <= 100
    true = sheet("calibration", [row._replace(answers=[row.truth]) for row in bank])
    for formula in (PAPER.calibration, OVERVIEW.calibration, PROPER.calibration, *ALTERNATIVES):
        best = of(formula, true)
        assert best >= of(formula, graded) - 1e-9
        # The logarithm's clip keeps even the truth a hair below 100.
        assert best == pytest.approx(100.0, abs=0.1)


@given(st.integers(0, 90), st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=100)
def test_a_larger_error_is_never_a_smaller_miss(t: int, one: int, other: int) -> None:
    near, far = sorted((one, other))
    small, large = miss([t, t], [near, far])
    assert 0 <= small <= large <= 1
    assert miss([t], [-near])[0] == small


PROBABILITIES = np.linspace(0.0, 1.0, 1001)


@pytest.mark.parametrize("belief", [0.02, 0.3, 0.5, 0.77, 0.98])
def test_formulas_called_proper_are_best_answered_with_what_one_believes(belief: float) -> None:
    """Expected loss over a grid: its lowest point is the belief exactly for the formulas that say so."""
    same = [Row("e", "en", "t1", y, 9.0, 30.0, PROBABILITIES.tolist()) for y in (0.0, 1.0)]
    graded = sheet("calibration", same)
    formulas = [PAPER.calibration, OVERVIEW.calibration, PROPER.calibration, *ALTERNATIVES]
    for formula in formulas:
        assert formula is not None
        false, true = formula.loss(graded).T
        best = PROBABILITIES[int(np.argmin((1 - belief) * false + belief * true))]
        if formula.proper:
            assert best == pytest.approx(belief), formula.name
        elif belief != 0.5:
            assert best == round(belief), formula.name


@given(st.lists(st.integers(0, 90), min_size=1, max_size=9), st.sampled_from([60.0, 90.0, 400.0]))
@settings(max_examples=60)
def test_a_median_is_a_best_date_where_the_rule_is_called_proper(
    days: list[int], horizon: float
) -> None:
    candidates = [float(day) for day in range(-120, 250)]
    graded = sheet("temporal", [Row("e", "en", "t1", t, t, 0.0, candidates) for t in days])
    at = candidates.index(float(sorted(days)[len(days) // 2]))
    for formula in (PROPER.temporal, rule_set("overview", horizon=horizon).temporal):
        assert formula is not None
        if formula.proper:
            expected = formula.loss(graded).mean(axis=1)
            assert expected[at] <= expected.min() + 1e-12


def test_a_short_horizon_is_not_called_proper() -> None:
    short, long = rule_set("overview", horizon=30).temporal, rule_set("overview").temporal
    assert short is not None
    assert long is not None
    assert (short.proper, long.proper) == (False, True)


def test_far_events_weigh_less_under_the_papers_rule_alone() -> None:
    near_wrong, far_wrong = dates([5, 80], [25, 80]), dates([5, 80], [5, 60])
    assert of(PAPER.temporal, near_wrong) < of(PAPER.temporal, far_wrong)
    assert of(PROPER.temporal, near_wrong) == of(PROPER.temporal, far_wrong)


def test_a_single_wild_date_costs_no_more_than_everything() -> None:
    wild = dates([0], [math.inf])
    assert [of(r.temporal, wild) for r in (PAPER, OVERVIEW, PROPER)] == [0.0, 0.0, 0.0]


def test_negative_distances_weigh_like_the_cutoff_itself() -> None:
    for formula in (PAPER.calibration, *ALTERNATIVES):
        assert formula is not None
        weights = formula.weight(questions([0.1, 0.1], [1, 1], [-9, 0], [7, 7]))
        assert weights[0] == weights[1]


def test_alternatives_differ_from_the_papers_weights_exactly_where_they_say_so() -> None:
    assert PAPER.calibration is not None
    own = PAPER.calibration.weight(WORKED)
    kept = [bool(np.array_equal(f.weight(WORKED), own)) for f in ALTERNATIVES]
    assert kept == [False] * 5 + [True] * 3
    linear = ALTERNATIVES[1].weight(questions([0.5] * 3, [1] * 3, [0, 365, 900], [6] * 3))
    assert linear[0] == pytest.approx(0.6)
    assert (linear > 0).all()
    assert linear[1:].max() < 1e-8
    alphas = [float(f.weight(questions([0.5], [1], [50], [4]))[0]) for f in ALTERNATIVES[2:5]]
    assert alphas == pytest.approx([0.5, 0.5 / 5, 0.5 / 9])


@pytest.mark.parametrize("window", [0, -3, math.nan])
def test_a_window_without_days_is_refused_where_it_weighs(window: float) -> None:
    graded = sheet("calibration", [Row("e", "en", "t1", 1.0, 1.0, window, [0.5])])
    for formula in (PAPER.calibration, *ALTERNATIVES[1:]):
        with pytest.raises(BadInput, match="window"):
            of(formula, graded)
    assert of(PROPER.calibration, graded) == 50.0
    assert of(ALTERNATIVES[0], graded) == 50.0


def test_events_outside_the_horizon_have_no_bucket() -> None:
    assert [bucket(t) for t in (0, 30, 31, 60, 61, 90)] == [
        (0, 30),
        (0, 30),
        (31, 60),
        (31, 60),
        (61, 90),
        (61, 90),
    ]
    for t in (-1, 91, math.nan):
        with pytest.raises(BadInput):
            miss([t], [0])
    for day in (-1, 91):
        with pytest.raises(BadInput):
            bucket(day)


def test_every_rule_set_answers_to_its_name_and_others_are_refused() -> None:
    for name in RULE_SETS:
        found = rule_set(name)
        assert found.name == name
        assert found.version
        assert found.calibration or found.temporal
    assert rule_set("paper") is PAPER
    with pytest.raises(BadInput, match=r"'brier'; use paper, overview, proper, forecast, sim"):
        rule_set("brier")


@pytest.mark.parametrize("horizon", [0.0, -1.0, math.nan, math.inf])
def test_a_horizon_without_days_is_refused(horizon: float) -> None:
    with pytest.raises(BadInput, match="horizon"):
        rule_set("overview", horizon=horizon)


def test_longer_horizons_forgive_more() -> None:
    off = dates([3, 40, 66], [50, 41, 2])
    scores = [of(rule_set("overview", horizon=t).temporal, off) for t in (10.0, 30.0, 90.0, 365.0)]
    assert all(short < long for short, long in pairwise(scores))
