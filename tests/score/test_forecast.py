"""FOReCAst's measures against independent vectors, quadrature and other libraries, and the rule set on banks."""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score import forecast as rules
from factory.score.formula import Formula
from factory.score.sheet import ANSWERED, ERROR, MISSING, UNPARSED, Factor, Floats, Sheet
from schemas import Axis

DIGITS = 5.1e-7
"""Vectors are printed with six digits."""

quick = settings(max_examples=50)
means = st.floats(-1e4, 1e4)
widths = st.floats(0, 1e3)


@pytest.fixture(scope="session")
def vectors(testdata: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((testdata / "data/scoring/vectors.json").read_text())
    return found


def sheet(axis: Axis, truth: list[float], values: Floats, status: Any = None) -> Sheet:
    n = len(truth)
    one = Factor.of(["e"] * n)
    return Sheet(
        axis=axis,
        systems=tuple(f"s{i}" for i in range(len(values))),
        refs=tuple(map(str, range(n))),
        event=one,
        edition=Factor.of(["en"] * n),
        point=one,
        cluster=one,
        truth=np.array(truth, dtype=float),
        distance=np.ones(n),
        window=np.full(n, 7.0),
        values=values,
        status=np.full(values.shape, ANSWERED, dtype=np.int8) if status is None else status,
    )


def score(formula: Formula | None, rows: Sheet) -> Floats:
    """Weighted mean loss on the formula's scale, from its definition."""
    assert formula is not None
    loss, weight = formula.loss(rows), formula.weight(rows)
    return formula.scale(
        np.array(
            [
                np.sum((weight * line)[ok]) / np.sum(weight[ok])
                for line, ok in zip(loss, rows.answered, strict=True)
            ]
        )
    )


def test_vectors_of_the_normaliser(vectors: dict[str, Any]) -> None:
    for row in vectors["norm"]:
        assert rules.normalise(row["err"], row["alpha"]) == pytest.approx(row["E"], abs=DIGITS)


def test_vectors_of_two_gaussians(vectors: dict[str, Any]) -> None:
    for row in vectors["cramer"]:
        crps = rules.crps_gaussians(row["m1"], row["s1"], row["m2"], row["s2"])
        assert crps == pytest.approx(row["mp"], abs=DIGITS)
        assert rules.normalise(crps) == pytest.approx(row["norm_alpha05"], abs=DIGITS)


def test_vectors_of_timeframes(vectors: dict[str, Any]) -> None:
    for row in vectors["timeframe"]:
        days = (date.fromisoformat(row["pred"]) - date.fromisoformat(row["gold"])).days
        assert days == row["days"]
        ours, gold = (rules.sigma(row[c], rules.TIMEFRAME_SIGMA) for c in ("c_pred", "c_gold"))
        both = rules.crps_gaussians(days, ours, 0, gold)
        point = rules.crps_point(days, ours, 0)
        got = {
            "E_ADE": rules.normalise(days),
            "sigma_pred": ours,
            "sigma_gold": gold,
            "crps2": both,
            "norm_crps2": rules.normalise(both),
            "crps_point": point,
            "norm_crps_point": rules.normalise(point),
        }
        assert {k: float(v) for k, v in got.items()} == pytest.approx(
            {k: row[k] for k in got}, abs=DIGITS
        )


def test_vectors_of_quantities(vectors: dict[str, Any]) -> None:
    for row in vectors["quantity"]:
        ours, gold = (rules.sigma(row[c], rules.QUANTITY_SIGMA) for c in ("c_pred", "c_gold"))
        ape = rules.percentage_error(row["pred"], row["gold"])
        crps = rules.crps_gaussians(row["pred"], ours, row["gold"], gold)
        got = {
            "APE_eps1e9": ape,
            "E_APE": rules.normalise(ape),
            "E_MAE": rules.normalise(row["pred"] - row["gold"]),
            "crps2": crps,
            "norm_crps2": rules.normalise(crps),
        }
        assert {k: float(v) for k, v in got.items()} == pytest.approx(
            {k: row[k] for k in got}, abs=DIGITS
        )


def test_vector_of_gold_confidence_mse(vectors: dict[str, Any]) -> None:
    row = vectors["modified_brier"]
    assert rules.gold_confidence_mse(row["pred"], row["gold"]) == pytest.approx(
        row["value"], abs=DIGITS
    )


@pytest.mark.parametrize(
    ("observed", "mean", "width", "expected"),
    [
        (0, 0, 1, 0.233695),
        (1.3, 0, 1, 0.826866),
        (-5, 2, 3, 5.327348),
        (100, 80, 12.5, 13.528679),
        (0.2, 0.5, 0.05, 0.271791),
    ],
)
def test_point_crps_of_known_gaussians(
    observed: float, mean: float, width: float, expected: float
) -> None:
    assert rules.crps_point(mean, width, observed) == pytest.approx(expected, abs=DIGITS)


@pytest.mark.parametrize(
    ("one", "other", "crps", "share"),
    [
        ((0, 1), (1, 1), 0.270903, 0.006772),
        ((0, 1), (0, 2), 0.091555, 0.002289),
        ((10, 9.7), (0, 11.15), 2.629373, 0.065640),
        ((-45, 8), (0, 4.3), 38.060469, 0.740467),
        ((365, 1), (0, 30), 347.510123, 1.0),
    ],
)
def test_known_distances_of_two_gaussians(
    one: tuple[float, float], other: tuple[float, float], crps: float, share: float
) -> None:
    got = rules.crps_gaussians(*one, *other)
    assert got == pytest.approx(crps, abs=DIGITS)
    assert rules.normalise(got) == pytest.approx(share, abs=DIGITS)


@quick
@given(st.floats(-50, 50), st.floats(0.2, 30), st.floats(-50, 50), st.floats(0.2, 30))
def test_two_gaussians_equal_the_integral_of_their_squared_difference(
    m1: float, s1: float, m2: float, s2: float
) -> None:
    special = pytest.importorskip("scipy.special")
    edge = 9 * max(s1, s2)
    x = np.linspace(min(m1, m2) - edge, max(m1, m2) + edge, 40_001)
    gap = (special.ndtr((x - m1) / s1) - special.ndtr((x - m2) / s2)) ** 2
    # Trapezoids of a smooth function that vanishes at both ends converge faster than any power.
    assert rules.crps_gaussians(m1, s1, m2, s2) == pytest.approx(
        np.trapezoid(gap, x), rel=1e-5, abs=1e-9
    )


def test_point_crps_agrees_with_scoringrules() -> None:
    oracle = pytest.importorskip("scoringrules")
    rng = np.random.default_rng(5)
    y, m, s = rng.normal(0, 40, 500), rng.normal(0, 40, 500), rng.uniform(0.01, 60, 500)
    assert rules.crps_point(m, s, y) == pytest.approx(oracle.crps_normal(y, m, s), abs=1e-7)


@quick
@given(means, widths, means, widths)
def test_crps_is_a_symmetric_distance_that_knows_no_origin(
    m1: float, s1: float, m2: float, s2: float
) -> None:
    forth = float(rules.crps_gaussians(m1, s1, m2, s2))
    assert forth >= 0
    assert forth == float(rules.crps_gaussians(m2, s2, m1, s1))
    assert forth == pytest.approx(
        float(rules.crps_gaussians(m1 + 64, s1, m2 + 64, s2)), rel=1e-6, abs=1e-6
    )
    assert forth <= abs(m1 - m2) + (s1 + s2)
    assert float(rules.crps_gaussians(m1, s1, m1, s1)) == 0.0


@quick
@given(means, means)
def test_crps_without_any_width_is_the_exact_distance(m1: float, m2: float) -> None:
    assert float(rules.crps_gaussians(m1, 0, m2, 0)) == abs(m1 - m2)


def test_the_sharpest_expected_point_crps_is_the_honest_one() -> None:
    rng = np.random.default_rng(1)
    outcomes = rng.normal(0, 10, 20_000)
    mean = {s: float(np.mean(rules.crps_point(0.0, s, outcomes))) for s in (3, 7, 10, 14, 30)}
    assert min(mean, key=lambda s: mean[s]) == 10


@quick
@given(st.floats(allow_nan=False))
def test_a_normalised_error_is_a_share_whatever_the_error(error: float) -> None:
    share = float(rules.normalise(error))
    assert 0 <= share <= 1
    assert share == float(rules.normalise(-error))


def test_confidence_becomes_width_between_its_bounds() -> None:
    assert rules.sigma([0, 0.5, 1], rules.TIMEFRAME_SIGMA).tolist() == [30, 15.5, 1]
    assert rules.sigma([0, 1], rules.QUANTITY_SIGMA).tolist() == [20, 1]
    assert np.isnan(rules.sigma(np.nan, rules.QUANTITY_SIGMA))
    with pytest.raises(BadInput, match="outside 0 to 1"):
        rules.sigma([0.5, 70], rules.TIMEFRAME_SIGMA)
    with pytest.raises(BadInput, match="negative"):
        rules.crps_gaussians(0, -1, 0, 1)


def test_a_missing_confidence_gives_no_crps() -> None:
    crps = rules.crps_gaussians([1.0, 1.0], [np.nan, 2.0], [0.0, 0.0], [3.0, 3.0])
    assert np.isnan(crps[0])
    assert crps[1] > 0


def test_the_share_of_a_negative_number_is_taken_of_its_size() -> None:
    assert rules.percentage_error(-12, -10) == pytest.approx(0.2)
    assert rules.percentage_error(12, 10) == pytest.approx(0.2)
    assert float(rules.normalise(rules.percentage_error(1e-6, 0))) == 1


@quick
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_accuracy_and_f1_agree_with_scikit_learn(rows: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import accuracy_score, f1_score

    said, truth = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assert rules.accuracy(said, truth) == pytest.approx(accuracy_score(truth, said))
    ours = rules.f1(said, truth)
    if said.any() or truth.any():
        assert ours == pytest.approx(f1_score(truth, said, zero_division=0))
    else:
        assert math.isnan(ours)


def test_nothing_answered_has_no_figure() -> None:
    assert all(
        math.isnan(figure([], []))
        for figure in (rules.accuracy, rules.f1, rules.brier, rules.gold_confidence_mse)
    )


def test_the_two_briers_differ_where_a_confident_answer_is_wrong() -> None:
    assert rules.brier([0.9], [0]) == pytest.approx(0.81)
    assert rules.gold_confidence_mse([0.9], [0.9]) == 0


@quick
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=50))
def test_a_constant_half_scores_exactly_fifty(truth: list[float]) -> None:
    assert (
        score(
            rules.FORECAST.calibration, sheet("calibration", truth, np.full((1, len(truth)), 0.5))
        )
        == 50.0
    )


def test_accuracy_of_a_bank_counts_sides_only() -> None:
    rows = sheet("calibration", [1, 0, 1, 0], np.array([[0.51, 0.49, 0.2, 0.5], [1, 0, 1, 0]]))
    assert score(rules.FORECAST.calibration, rows).tolist() == [62.5, 100]


def test_dates_of_a_bank_lose_by_their_distance_and_a_missing_one_all() -> None:
    rows = sheet("temporal", [10, 40], np.array([[10.0, 60.0], [10.0, np.inf]]))
    got = score(rules.FORECAST.temporal, rows)
    assert got == pytest.approx([100 * (1 - 0.462117 / 2), 50], abs=1e-3)


def test_unanswered_rows_enter_no_figure() -> None:
    status = np.array([[ANSWERED, UNPARSED, MISSING], [ERROR, ERROR, ERROR]], dtype=np.int8)
    values = np.array([[0.8, np.nan, np.nan], [np.nan] * 3])
    got = rules.bank_metrics(sheet("calibration", [1, 0, 0], values, status))
    assert got == [{"accuracy": 1, "f1": 1, "brier": pytest.approx(0.04)}, {}]
    days = rules.bank_metrics(sheet("temporal", [5, 0, 0], values * 10, status))
    assert days[0]["ade_days"] == pytest.approx(3)
    assert days[0]["ade_normalised"] == pytest.approx(math.tanh(0.075))
    assert days[1] == {}


def test_f1_is_left_out_where_nothing_was_to_be_found() -> None:
    got = rules.bank_metrics(sheet("calibration", [0, 0], np.array([[0.1, 0.2]])))
    assert got[0].keys() == {"accuracy", "brier"}
