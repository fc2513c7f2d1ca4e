"""The published rules: worked values computed elsewhere, and what holds for every bank."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score.rules import (
    NOT_SCORED,
    bucket,
    calibration_score,
    calibration_weights,
    mean,
    miss,
    temporal_score,
)

P = [0.7, 0.2, 0.9, 0.5]
Y = [1, 0, 0, 1]
DT = [7, 30, 3, 90]
W = [7, 30, 1, 90]

rows = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 1),
        st.integers(-20, 400),
        st.integers(1, 90),
    ),
    min_size=1,
    max_size=40,
)


def test_weights_and_score_agree_with_worked_values() -> None:
    assert calibration_weights(DT, W) == pytest.approx(
        [0.497159, 0.401070, 0.178571, 0.208141], abs=1e-6
    )
    assert calibration_score(P, Y, DT, W) == pytest.approx(61.543265, abs=1e-6)


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
    ],
)
def test_miss_agrees_with_worked_values(t: int, predicted: float, expected: float) -> None:
    assert miss([t], [predicted - t])[0] == pytest.approx(expected, abs=1e-6)


def test_bucket_midpoint_earns_what_was_computed_elsewhere_for_dates_spread_evenly() -> None:
    all_days: list[int] = []
    all_errors: list[float] = []
    for low, high, expected in ((0, 30, 61.5854), (31, 60, 63.1757), (61, 90, 63.2564)):
        days = list(range(low, high + 1))
        errors = [(low + high) / 2 - day for day in days]
        assert temporal_score(days, errors) == pytest.approx(expected, abs=1e-4)
        all_days += days
        all_errors += errors
    assert temporal_score(all_days, all_errors) == pytest.approx(62.3527, abs=1e-4)


@given(rows)
@settings(max_examples=60, deadline=None)
def test_one_half_scores_exactly_fifty_on_any_bank(bank: list[tuple[float, int, int, int]]) -> None:
    _, y, dt, w = zip(*bank, strict=True)
    assert calibration_score([0.5] * len(bank), y, dt, w) == pytest.approx(50.0)


@given(rows)
@settings(max_examples=60, deadline=None)
def test_scores_stay_between_zero_and_hundred_and_truth_is_best(
    bank: list[tuple[float, int, int, int]],
) -> None:
    p, y, dt, w = zip(*bank, strict=True)
    score = calibration_score(p, y, dt, w)
    assert isinstance(score, float)
    assert 0 <= score <= 100
    assert calibration_score(y, y, dt, w) == pytest.approx(100.0)
    opposite = calibration_score([1 - value for value in p], y, dt, w)
    assert isinstance(opposite, float)
    assert score + opposite == pytest.approx(100.0)


@given(st.integers(0, 90), st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=100, deadline=None)
def test_a_larger_error_is_never_a_smaller_miss(t: int, one: int, other: int) -> None:
    near, far = sorted((one, other))
    small, large = miss([t, t], [near, far])
    assert 0 <= small <= large <= 1
    assert miss([t], [-near])[0] == small


def test_far_events_weigh_less() -> None:
    near_wrong = temporal_score([5, 80], [20, 0])
    far_wrong = temporal_score([5, 80], [0, 20])
    assert isinstance(near_wrong, float)
    assert isinstance(far_wrong, float)
    assert near_wrong < far_wrong


def test_nothing_answered_is_not_scored_instead_of_zero() -> None:
    assert calibration_score([], [], [], []) == NOT_SCORED
    assert temporal_score([], []) == NOT_SCORED


def test_a_mean_with_a_missing_part_is_not_scored() -> None:
    assert mean([50.0, NOT_SCORED]) == NOT_SCORED
    assert mean([]) == NOT_SCORED
    assert mean([50.0, 60.0]) == 55.0


@pytest.mark.parametrize("p", [70.0, -0.1, math.nan, math.inf])
def test_a_number_that_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(BadInput, match="0 to 1"):
        calibration_score([p], [1], [7], [7])


def test_a_window_without_days_is_refused() -> None:
    with pytest.raises(BadInput, match="window"):
        calibration_weights([1], [0])


def test_events_outside_the_horizon_have_no_bucket() -> None:
    assert [bucket(t) for t in (0, 30, 31, 60, 61, 90)] == [
        (0, 30),
        (0, 30),
        (31, 60),
        (31, 60),
        (61, 90),
        (61, 90),
    ]
    for t in (-1, 91):
        with pytest.raises(BadInput):
            bucket(t)
        with pytest.raises(BadInput):
            miss([t], [0])
