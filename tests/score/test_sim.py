"""Losses of forecasts about simulated worlds against published figures, quadrature and other libraries."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from factory.score import sim
from factory.score.pooling import axis_scores
from factory.score.rules import rule_set
from factory.score.sheet import Floats
from tests.score.sheets import Row, question_rows, sheet

quick = settings(max_examples=50)
amounts = st.floats(-1e4, 1e4)
fives = arrays.arrays(float, 5, elements=amounts)
masses = arrays.arrays(float, 5, elements=st.floats(0, 1)).filter(lambda mass: mass.sum() > 0.01)
outcomes = arrays.arrays(float, st.integers(1, 20), elements=amounts)


@pytest.fixture(scope="session")
def pilot(testdata: Path) -> dict[str, Floats]:
    """The 24 questions of the human pilot with the crowd's mean histogram, a column a name."""
    with (testdata / "data/worlds/pilot_crowd_24.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    numbers = ["ground_truth", "range", "crowd_crps", "crowd_rps", "uniform_crps", "uniform_rps"]
    columns = {name: np.array([float(row[name]) for row in rows]) for name in numbers}
    columns["bins"] = np.array([[float(row[f"b{i}"]) for i in range(1, 6)] for row in rows])
    for name in ("template", "horizon"):
        columns[name] = np.array([row[name] for row in rows], dtype=object)
    return columns


def figures(pilot: dict[str, Floats], bins: Floats) -> dict[str, Floats]:
    y, span = pilot["ground_truth"], pilot["range"]
    low = np.zeros(len(y))
    quantiles = sim.histogram_quantiles(bins, low, span)
    mae = np.abs(quantiles[:, 2] - y)
    crps = sim.crps(quantiles, y)
    return {
        "crps": crps,
        "mae": mae,
        "normalized_crps": crps / span,
        "normalized_mae": mae / span,
        "rps": sim.rps(bins, sim.observed_bin(y, low, span)),
    }


# -- published figures -----------------------------------------------------------------------------


def test_pilot_is_reproduced_to_its_printed_digits(pilot: dict[str, Floats]) -> None:
    crowd = figures(pilot, pilot["bins"])
    uniform = figures(pilot, np.full((24, 5), 0.2))
    assert round(crowd["normalized_crps"].mean(), 6) == 0.154268
    assert round(crowd["rps"].mean(), 6) == 0.197346
    assert round(uniform["normalized_crps"].mean(), 6) == 0.152278
    assert round(uniform["rps"].mean(), 6) == 0.191667


def test_every_question_of_the_pilot_is_reproduced(pilot: dict[str, Floats]) -> None:
    crowd = figures(pilot, pilot["bins"])
    uniform = figures(pilot, np.full((24, 5), 0.2))
    assert uniform["crps"] == pytest.approx(pilot["uniform_crps"], abs=1e-9)
    assert uniform["rps"] == pytest.approx(pilot["uniform_rps"], abs=1e-9)
    # The crowd's bins are stored with six digits, which moves a quantile by up to a millionth of the range.
    assert crowd["crps"] / pilot["range"] == pytest.approx(
        pilot["crowd_crps"] / pilot["range"], abs=1e-6
    )
    assert crowd["rps"] == pytest.approx(pilot["crowd_rps"], abs=1e-6)


def test_published_aggregates_by_template_and_horizon_are_reproduced(
    pilot: dict[str, Floats], testdata: Path
) -> None:
    with (testdata / "data/worlds/aggregates.csv").open(newline="") as stream:
        published = [row for row in csv.DictReader(stream) if row["source"] != "human_individual"]
    bins = {"human_crowd_mean": pilot["bins"], "uniform_bins": np.full((24, 5), 0.2)}
    assert len(published) == 7
    for row in published:
        part = np.ones(24, bool)
        if row["group"] != "overall":
            part = pilot[row["group"]] == row["value"]
        assert part.sum() == int(row["n"])
        exact = row["source"] == "uniform_bins"
        for name, values in figures(pilot, bins[row["source"]]).items():
            scale = 1.0 if name.startswith(("norm", "rps")) else float(pilot["range"][part].max())
            assert values[part].mean() == pytest.approx(
                float(row[name]), abs=(1e-9 if exact else 1e-6) * scale
            ), (row["source"], row["value"], name)


def test_published_reading_rows_have_the_loss_of_their_pinballs(testdata: Path) -> None:
    with (testdata / "data/worlds/h0_rows.csv").open(newline="") as stream:
        rows = {(row["model"], row["question_id"]): row for row in csv.DictReader(stream)}
    found = {}
    for key, row in rows.items():
        quantiles = [float(row[name]) for name in ("p10", "p25", "p50", "p75", "p90")]
        found[key] = float(sim.crps(quantiles, float(row["ground_truth"])))
        assert bool(sim.crossed(quantiles)) == (key[0] == "DeepSeek-V3.1")
    # By hand: 2/5 of (.1 * 3 + .25 * 1 + 0 + .25 * 1 + .1 * 2), and of the crossed (.9, 1, 0, .25, .5).
    assert found["mistral-large-2407", "h0c0002"] == pytest.approx(0.4)
    assert found["DeepSeek-V3.1", "h0c0000"] == pytest.approx(0.4 * 2.65)
    assert found["gpt-4o", "h0c0001"] == pytest.approx(0.4 * (0.1 * 2 + 0.25 * 1))


# -- quantiles -------------------------------------------------------------------------------------


def test_pinball_of_one_quantile_agrees_with_a_worked_value() -> None:
    assert float(sim.pinball([0.5], 1.3, [0.9])[0]) == pytest.approx(0.72)
    assert float(sim.pinball([1.3], 0.5, [0.9])[0]) == pytest.approx(0.08)


def test_scoringrules_agrees() -> None:
    scoringrules = pytest.importorskip("scoringrules")
    rng = np.random.default_rng(1)
    quantiles = np.sort(rng.normal(0, 30, (200, 5)), axis=1)
    y = rng.normal(0, 30, 200)
    theirs = scoringrules.crps_quantile(y, quantiles, np.array(sim.LEVELS))
    assert sim.crps(quantiles, y) == pytest.approx(theirs)


def test_many_levels_approach_the_integral_of_the_squared_distance() -> None:
    """The CRPS of a uniform forecast on [0, 1] by quadrature of its definition, int (F(x) - 1[x >= y])^2 dx."""
    quad = pytest.importorskip("scipy.integrate").quad

    levels = (np.arange(4000) + 0.5) / 4000
    for y in (-0.4, 0.0, 0.3, 0.95, 1.7):
        exact = quad(
            lambda x, y=y: (min(max(x, 0.0), 1.0) - (x >= y)) ** 2, -1, 2, points=[0, y, 1]
        )[0]
        assert float(sim.crps(levels, y, levels.tolist())) == pytest.approx(exact, abs=1e-6)


@quick
@given(fives, amounts, amounts, st.floats(0.01, 100))
def test_crps_moves_and_scales_with_its_unit(
    quantiles: Floats, y: float, shift: float, scale: float
) -> None:
    base = float(sim.crps(quantiles, y))
    assert base >= 0
    assert float(sim.crps(np.full(5, y), y)) == 0
    assert float(sim.crps(quantiles + shift, y + shift)) == pytest.approx(base, abs=1e-8)
    assert float(sim.crps(quantiles * scale, y * scale)) == pytest.approx(base * scale, abs=1e-8)


@quick
@given(fives, amounts)
def test_crossed_quantiles_are_never_sorted(quantiles: Floats, y: float) -> None:
    """Each quantile is charged at its own level, so a shuffled forecast may not gain over the sorted one."""
    assert float(sim.crps(quantiles, y)) >= float(sim.crps(np.sort(quantiles), y)) - 1e-8
    assert bool(sim.crossed(quantiles)) == (sorted(quantiles.tolist()) != quantiles.tolist())


@quick
@given(outcomes, fives)
def test_no_quantiles_have_less_than_the_floor(replays: Floats, quantiles: Floats) -> None:
    least = sim.floor(replays)
    assert float(sim.crps(quantiles, replays).mean()) >= least - 1e-8
    assert least >= 0
    assert sim.floor(replays[:1]) == 0


def test_floor_takes_the_lower_outcome_where_a_level_is_reached() -> None:
    replays = np.arange(1.0, 11.0)
    own = [1.0, 3.0, 5.0, 8.0, 9.0]
    assert sim.floor(replays) == pytest.approx(float(sim.crps(own, replays).mean()))


def test_within_includes_both_ends() -> None:
    assert sim.within([[1, 2, 3, 4, 5]] * 4, [1, 5, 0.99, 5.01]).tolist() == [1, 1, 0, 0]
    assert not sim.within([5, 2, 3, 4, 1], 3)


# -- bins ------------------------------------------------------------------------------------------


@quick
@given(masses, st.floats(-100, 100), st.floats(0.1, 2000))
def test_a_quantile_has_its_level_of_the_mass_below(mass: Floats, low: float, span: float) -> None:
    """The mass below each quantile, added up bin by bin, is the quantile's level."""
    edges = low + np.arange(6) * span / 5
    for tau, x in zip(sim.LEVELS, sim.histogram_quantiles(mass, low, span), strict=True):
        share = np.clip((x - edges[:-1]) / (span / 5), 0, 1)
        assert float(mass @ share / mass.sum()) == pytest.approx(tau, abs=1e-6)


def test_quantiles_agree_with_quadrature_of_the_density() -> None:
    quad = pytest.importorskip("scipy.integrate").quad

    mass, width = np.array([0.05, 0.4, 0.1, 0.0, 0.45]), 8.0
    for tau, x in zip(sim.LEVELS, sim.histogram_quantiles(mass, 0.0, 40.0), strict=True):
        area = quad(lambda v: mass[min(int(v / width), 4)] / width, 0, x, points=[8, 16, 24, 32])[0]
        assert area == pytest.approx(tau, abs=1e-7)


@quick
@given(masses, st.floats(0.1, 10))
def test_mass_counts_by_its_share_only(mass: Floats, factor: float) -> None:
    assert sim.histogram_quantiles(mass * factor, 0, 1) == pytest.approx(
        sim.histogram_quantiles(mass, 0, 1), abs=1e-6
    )
    assert float(sim.rps(mass * factor, 2)) == pytest.approx(float(sim.rps(mass, 2)))


def test_a_level_reached_at_an_edge_lies_there_even_before_empty_bins() -> None:
    assert sim.histogram_quantiles([0.5, 0, 0, 0, 0.5], 0, 40)[2] == 8
    # 0.1 + 0.2 + 0.2 is 0.5 in decimals only.
    assert sim.histogram_quantiles([0.1, 0.2, 0.2, 0, 0.5], 0, 40)[2] == pytest.approx(24)


def test_rps_is_the_mean_brier_score_of_its_thresholds() -> None:
    mass = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    for observed in range(5):
        below = [mass[: k + 1].sum() for k in range(4)]
        by_hand = np.mean([sim.brier(p, float(observed <= k)) for k, p in enumerate(below)])
        assert float(sim.rps(mass, observed)) == pytest.approx(by_hand)
    assert float(sim.rps([0.2, 0.5, 0.3], 1)) * 2 == pytest.approx(0.13)


def test_rps_by_quadrature_over_the_bin_number() -> None:
    """int over bins of the squared distance of the two step functions, without the last one."""
    quad = pytest.importorskip("scipy.integrate").quad

    mass, observed = np.array([0.3, 0.0, 0.45, 0.05, 0.2]), 3
    area = quad(
        lambda v: (mass[: int(v) + 1].sum() - (int(v) >= observed)) ** 2, 0, 4, points=[1, 2, 3]
    )[0]
    assert float(sim.rps(mass, observed)) == pytest.approx(area / 4)


@quick
@given(masses, masses)
def test_rps_is_least_in_expectation_for_the_true_mass(truth: Floats, other: Floats) -> None:
    truth = truth / truth.sum()
    own = sum(p * float(sim.rps(truth, k)) for k, p in enumerate(truth))
    assert own <= sum(p * float(sim.rps(other, k)) for k, p in enumerate(truth)) + 1e-12
    assert 0 <= own <= 1


def test_edges_belong_to_the_bin_above_and_outliers_to_the_nearest() -> None:
    y = [-5, 0, 7.99, 8, 31.9, 32, 40, 99]
    assert sim.observed_bin(y, 0, 40).tolist() == [0, 0, 0, 1, 3, 4, 4, 4]
    assert sim.observed_bin([10, 20], 10, 50).tolist() == [0, 1]


def test_crowd_is_the_mean_of_those_who_answered() -> None:
    rows = np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [np.nan] * 5])
    assert sim.crowd(rows).tolist() == [0.5, 0, 0, 0, 0.5]
    assert np.isnan(sim.crowd(rows[2:])).all()


def test_nothing_is_filled_in() -> None:
    bad = np.array([0.2, np.nan, 0.2, 0.2, 0.2])
    assert np.isnan(sim.histogram_quantiles(bad, 0, 40)).all()
    assert np.isnan(sim.rps(bad, 2))
    assert np.isnan(sim.crps(bad, 1.0))
    assert np.isnan(sim.histogram_quantiles(np.zeros(5), 0, 40)).all()
    assert np.isnan(sim.rps(np.zeros(5), 2))
    assert np.isnan(sim.excess_bits(0.5, np.nan))
    assert np.isnan(sim.excess_bits(np.nan, 0.5))


# -- binary ----------------------------------------------------------------------------------------


@quick
@given(st.floats(0, 1), st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_excess_is_the_brier_score_over_replays_above_that_of_their_rate(
    p: float, replays: list[int]
) -> None:
    rate = float(np.mean(replays))
    mean = float(sim.brier(p, replays).mean())
    assert float(sim.excess_brier(p, rate)) == pytest.approx(mean - rate * (1 - rate))


@quick
@given(st.floats(0, 1), st.floats(0.001, 0.999))
def test_bits_are_least_at_the_rate(p: float, rate: float) -> None:
    assert float(sim.excess_bits(rate, rate)) == pytest.approx(0, abs=1e-12)
    assert float(sim.excess_bits(p, rate)) >= -1e-12


def test_bits_of_worked_values() -> None:
    assert float(sim.excess_bits(0.5, 1.0)) == pytest.approx(1)
    assert float(sim.excess_bits(0.0, 1.0)) == pytest.approx(np.log2(1000))
    assert float(sim.excess_bits(0.25, 0.5)) == pytest.approx(
        0.5 * np.log2(2) + 0.5 * np.log2(2 / 3)
    )


# -- the rule set on banks -------------------------------------------------------------------------


def test_rule_set_is_found_by_its_name() -> None:
    assert rule_set("sim") is sim.SIM
    assert sim.SIM.temporal is None


@quick
@given(question_rows(systems=1, missing=False))
def test_even_odds_lose_a_quarter_on_any_bank(rows: list[Row]) -> None:
    even = [row._replace(answers=(0.5,)) for row in rows]
    assert sim.SIM.calibration is not None
    scores = axis_scores(sheet("calibration", even, systems=("s0",)), sim.SIM.calibration)
    assert scores.tolist() == [75.0] if rows else np.isnan(scores).all()


def test_score_on_a_bank_is_a_hundred_less_the_mean_squared_error() -> None:
    rows = [
        Row("e", "en", "p", 1.0, 5, 7, (0.7,)),
        Row("e", "en", "p", 0.0, 50, 90, (0.2,)),
        Row("e", "en", "p", 0.0, 3, 1, (1.0,)),
    ]
    assert sim.SIM.calibration is not None
    score = axis_scores(sheet("calibration", rows), sim.SIM.calibration)
    assert score.tolist() == pytest.approx([100 * (1 - (0.09 + 0.04 + 1) / 3)])
