"""Figures beside a headline: worked values, real resolved questions, other libraries, and what always holds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score.reliability import (
    auc,
    bin_table,
    brier,
    brier_index,
    ece,
    ece_adaptive,
    log_loss,
    murphy,
    reliability,
)
from factory.score.sheet import Floats

TOY_P = np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.8, 0.8, 0.8, 0.8, 1.0])
TOY_Y = np.array([0, 0, 1, 0, 1, 1, 1, 0, 1, 1], dtype=float)

probabilities = st.one_of(
    st.floats(0, 1), st.integers(0, 100).map(lambda k: k / 100), st.sampled_from([0.0, 0.5, 1.0])
)
answers = st.lists(st.tuples(probabilities, st.integers(0, 1)), min_size=1, max_size=60)


def columns(rows: list[tuple[float, int]]) -> tuple[Floats, Floats]:
    return np.array([p for p, _ in rows]), np.array([y for _, y in rows], dtype=float)


def test_the_worked_example_has_its_values() -> None:
    assert brier(TOY_P, TOY_Y) == pytest.approx(0.211, abs=1e-12)
    assert log_loss(TOY_P, TOY_Y) == pytest.approx(0.621929, abs=1e-6)
    assert ece(TOY_P, TOY_Y) == pytest.approx(0.11, abs=1e-12)
    assert murphy(TOY_P, TOY_Y) == pytest.approx((0.019333, 0.048333, 0.24), abs=1e-6)


@pytest.mark.parametrize(("score", "index"), [(0.0625, 75.0), (0.25, 50.0), (0.0, 100.0)])
def test_the_brier_index_has_its_values(score: float, index: float) -> None:
    assert brier_index(score) == pytest.approx(index)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("forecastbench_market_resolved.jsonl", "all_rows"),
        ("forecastbench_market_unique_small.jsonl", "unique_first"),
    ],
)
def test_resolved_market_questions_have_their_reference_figures(
    testdata: Path, name: str, key: str
) -> None:
    folder = testdata / "data" / "scoring"
    reference = json.loads((folder / "REFERENCE_forecastbench.json").read_text())[key]
    rows = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
    p = np.array([row["p_crowd"] for row in rows])
    y = np.array([row["resolved_to"] for row in rows])
    found = {
        "n": len(rows),
        "base_rate": float(np.mean(y)),
        "brier": brier(p, y),
        "log_loss_nat_clip1e6": log_loss(p, y),
        "auc": auc(p, y),
        "ece10_left_closed": ece(p, y),
    }
    for figure, value in found.items():
        assert round(value, 6) == reference[figure], figure
    assert round(brier_index(found["brier"]), 4) == reference["brier_index"]
    record = reliability(p, y)
    assert record is not None
    assert sum(row.count for row in record.bins) == len(rows)
    assert record.ece == found["ece10_left_closed"]


@given(answers)
def test_the_parts_of_murphy_sum_to_the_brier_score(rows: list[tuple[float, int]]) -> None:
    p, y = columns(rows)
    parts = murphy(p, y)
    assert parts.reliability - parts.resolution + parts.uncertainty == pytest.approx(
        brier(p, y), abs=1e-12
    )
    assert min(parts) >= 0


@given(answers)
def test_every_answer_lies_in_the_bin_that_the_table_states(rows: list[tuple[float, int]]) -> None:
    p, y = columns(rows)
    table = bin_table(p, y)
    assert [row.low for row in table] == [k / 10 for k in range(10)]
    assert sum(row.count for row in table) == len(p)
    for row in table:
        if row.forecast is None or row.outcome is None:
            assert row.count == 0
            continue
        assert row.low - 1e-12 <= row.forecast <= row.high
        assert 0 <= row.outcome <= 1
    from_table = sum(
        row.count * abs(row.forecast - row.outcome)
        for row in table
        if row.forecast is not None and row.outcome is not None
    )
    assert ece(p, y) == pytest.approx(from_table / len(p), abs=1e-12)


@pytest.mark.parametrize("k", range(101))
def test_a_percentage_falls_where_whole_numbers_put_it(k: int) -> None:
    expected = min(k // 10, 9)
    for p in (k / 100, k * 0.01, 1 - (100 - k) / 100, min(1.0, sum([0.01] * k))):
        counts = [row.count for row in bin_table(np.array([p]), np.array([1.0]))]
        assert counts.index(1) == expected, p


def test_certainty_is_never_dropped() -> None:
    table = bin_table(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    assert (table[-1].count, table[-1].forecast, table[-1].outcome) == (2, 1.0, 0.5)
    assert ece(np.array([1.0]), np.array([0.0])) == 1.0


@given(answers, st.randoms(use_true_random=False))
def test_the_order_of_answers_moves_no_adaptive_bin(
    rows: list[tuple[float, int]], random: np.random.Generator
) -> None:
    mixed = list(rows)
    random.shuffle(mixed)
    assert ece_adaptive(*columns(mixed)) == pytest.approx(ece_adaptive(*columns(rows)), abs=1e-12)


def test_adaptive_bins_hold_equal_counts_and_keep_ties_together() -> None:
    rng = np.random.default_rng(5)
    p = np.sort(rng.random(100))
    y = (rng.random(100) < p**2).astype(float)
    blocks = np.abs((p - y).reshape(10, 10).sum(axis=1)).sum() / 100
    assert ece_adaptive(p, y) == pytest.approx(blocks, abs=1e-12)
    # Split by position, the two certain halves of one answer would look badly calibrated.
    tied = np.full(40, 0.5)
    assert ece_adaptive(tied, np.repeat([0.0, 1.0], 20)) == 0.0


@given(answers)
def test_one_half_everywhere_has_the_scores_of_ignorance(rows: list[tuple[float, int]]) -> None:
    _, y = columns(rows)
    half = np.full(len(y), 0.5)
    assert brier(half, y) == 0.25
    assert log_loss(half, y) == pytest.approx(np.log(2))


@given(answers)
@settings(max_examples=50)
def test_scores_agree_with_sklearn(rows: list[tuple[float, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    p, y = columns(rows)
    inside = np.clip(p, 1e-6, 1 - 1e-6)
    assert brier(p, y) == pytest.approx(metrics.brier_score_loss(y, p, pos_label=1), abs=1e-12)
    assert log_loss(p, y) == pytest.approx(metrics.log_loss(y, inside, labels=[0, 1]), abs=1e-9)
    if 0 < y.sum() < len(y):
        assert auc(p, y) == pytest.approx(metrics.roc_auc_score(y, p), abs=1e-12)
    else:
        assert np.isnan(auc(p, y))


@given(answers)
@settings(max_examples=50)
def test_scores_agree_with_scoringrules(rows: list[tuple[float, int]]) -> None:
    oracle = pytest.importorskip("scoringrules")
    p, y = columns(rows)
    inside = np.clip(p, 1e-6, 1 - 1e-6)
    assert brier(p, y) == pytest.approx(float(np.mean(oracle.brier_score(y, p))), abs=1e-12)
    assert log_loss(p, y) == pytest.approx(float(np.mean(oracle.log_score(y, inside))), abs=1e-9)


def test_the_clip_bounds_the_price_of_a_certain_miss() -> None:
    sure, wrong = np.array([1.0]), np.array([0.0])
    assert log_loss(sure, wrong) == pytest.approx(-np.log(1e-6))
    assert log_loss(sure, wrong, clip=1e-3) == pytest.approx(-np.log(1e-3))
    record = reliability(sure, wrong, clip=1e-3)
    assert record is not None
    assert record.log_clip == 1e-3


def test_no_answers_have_no_figures() -> None:
    none = np.array([])
    assert reliability(none, none) is None
    values = (brier(none, none), log_loss(none, none), ece(none, none), ece_adaptive(none, none))
    assert np.isnan([*values, *murphy(none, none), auc(none, none)]).all()


@pytest.mark.parametrize(
    ("p", "y", "said"),
    [
        ([np.nan], [1.0], "outside 0 to 1"),
        ([70.0], [1.0], "outside 0 to 1"),
        ([0.5], [0.5], "neither 0 nor 1"),
        ([0.5], [np.nan], "neither 0 nor 1"),
        ([0.5, 0.5], [1.0], "belong together"),
    ],
)
def test_what_is_no_answer_is_refused(p: list[float], y: list[float], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        reliability(np.array(p), np.array(y))
    with pytest.raises(BadInput, match="between 0 and"):
        log_loss(np.array([0.5]), np.array([1.0]), clip=0.0)
