"""Intervals, paired tests and effective numbers: what they promise, on simulated and on real clustered answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.published.pages import read_pages
from factory.score import stats
from factory.score.formula import Formula
from factory.score.pooling import axis_scores, cell_scores, headline
from factory.score.rules import PAPER
from factory.score.sheet import ANSWERED, MISSING, Factor, Floats, Sheet
from factory.score.stats import benjamini_hochberg, compare, effective, intervals

LOSS = Formula(
    name="mean value",
    source="test: the value is the loss, the window the weight",
    loss=lambda sheet: sheet.values,
    weight=lambda sheet: sheet.window,
    scale=lambda mean: 100.0 * (1.0 - mean),
)
BRIER = replace(LOSS, name="Brier", loss=lambda sheet: (sheet.values - sheet.truth) ** 2)


def sheet_of(
    values: Floats,
    *,
    cluster: list[str],
    event: list[str] | None = None,
    edition: list[str] | None = None,
    weight: Floats | None = None,
    truth: Floats | None = None,
) -> Sheet:
    """S x N values, nan for missing; the loss of each under LOSS, with its weight in the window."""
    n = values.shape[1]
    names = event or ["e"] * n
    return Sheet(
        axis="calibration",
        systems=tuple(f"s{i}" for i in range(len(values))),
        refs=tuple(f"r{i}" for i in range(n)),
        event=Factor.of(names),
        edition=Factor.of(edition or ["en"] * n),
        point=Factor.of(names),
        cluster=Factor.of([f"{e}/{c}" for e, c in zip(names, cluster, strict=True)]),
        truth=np.zeros(n) if truth is None else truth,
        distance=np.zeros(n),
        window=np.ones(n) if weight is None else weight,
        values=values,
        status=np.where(np.isnan(values), MISSING, ANSWERED).astype(np.int8),
    )


def simulated(seed: int, *, systems: int = 2, clusters: int = 30, missing: float = 0.1) -> Sheet:
    """Two events in two editions, whose clusters of 1 to 9 rows share a part of the loss."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 10, size=2 * clusters)
    index = np.repeat(np.arange(2 * clusters), size)
    n = len(index)
    shared = rng.normal(0, 0.1, size=(systems, 2 * clusters))[:, index]
    values = 0.4 + shared + rng.normal(0, 0.1, size=(systems, n))
    values[rng.random(values.shape) < missing] = np.nan
    return sheet_of(
        values,
        cluster=[f"c{k:02}" for k in index],
        event=["a" if k < clusters else "b" for k in index],
        edition=["en" if u < 0.6 else "zh" for u in rng.random(n)],
        weight=rng.uniform(0.2, 1.0, size=n),
    )


# Intervals


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    covered = 0
    trials = 300
    for seed in range(trials):
        found = intervals(simulated(seed, systems=1), LOSS, seed=seed, replicates=300).headline[0]
        assert found is not None
        covered += found.low <= 60.0 <= found.high
    assert 0.90 <= covered / trials <= 0.99


def test_resolved_questions_have_the_known_intervals(testdata: Path) -> None:
    path = testdata / "data" / "scoring" / "forecastbench_market_resolved.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    p = np.array([[row["p_crowd"] for row in rows]])
    y = np.array([row["resolved_to"] for row in rows])
    questions = [f"{row['source']}/{row['id']}" for row in rows]
    ends = []
    for cluster in ([str(i) for i in range(len(rows))], questions):
        found = intervals(sheet_of(p, cluster=cluster, truth=y), BRIER, seed=0).headline[0]
        assert found is not None
        ends += [1 - found.high / 100, 1 - found.low / 100]
    assert ends == pytest.approx([0.0843, 0.0992, 0.0804, 0.1027], abs=0.0008)


def test_a_replicate_is_the_headline_of_what_was_drawn() -> None:
    """The matrix form against a plain loop that resamples rows and grades them."""
    sheet = simulated(3, systems=2, clusters=4, missing=0.2)
    clusters = stats._Clusters.of(sheet)
    rows = [np.flatnonzero(clusters.codes == c) for c in range(clusters.shape[0])]
    heads = []
    drawn = {
        v: np.concatenate(
            list(
                stats._draws(
                    stats._generator(7, f"event {name}"), int((clusters.event == v).sum()), 50
                )
            )
        )
        for v, name in enumerate(sheet.event.names)
    }
    for r in range(50):
        picked = [
            np.repeat(rows[c], int(drawn[v][r, k]) * np.ones(len(rows[c]), dtype=int))
            for v in drawn
            for k, c in enumerate(np.flatnonzero(clusters.event == v))
        ]
        heads.append(headline(sheet, cell_scores(sheet.rows(np.concatenate(picked)), LOSS)))
    assert 0 < np.isnan(heads).sum() < 20, "some replicates lack an edition, most do not"
    expected = np.nanquantile(np.array(heads), [0.025, 0.975], axis=0)
    for found, (low, high) in zip(
        intervals(sheet, LOSS, seed=7, replicates=50).headline, expected.T, strict=True
    ):
        assert found is not None
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("memory", [1, 100])
def test_memory_bounds_change_no_result(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = simulated(5, systems=3, clusters=6)
    whole = (
        intervals(sheet, LOSS, seed=1, replicates=40),
        compare(sheet, LOSS, seed=1, replicates=40),
    )
    monkeypatch.setattr(stats, "DRAWN_AT_ONCE", memory)
    monkeypatch.setattr(stats, "PAIRED_AT_ONCE", memory)
    found = (
        intervals(sheet, LOSS, seed=1, replicates=40),
        compare(sheet, LOSS, seed=1, replicates=40),
    )
    for one, other in zip(whole[0].headline, found[0].headline, strict=True):
        assert one is not None
        assert other is not None
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)
    for before, after in zip(whole[1], found[1], strict=True):
        assert before.p == after.p
        assert before.difference == pytest.approx(after.difference, abs=1e-9)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not() -> None:
    sheet = simulated(1)
    assert intervals(sheet, LOSS, seed=4, replicates=99) == intervals(
        sheet, LOSS, seed=4, replicates=99
    )
    assert compare(sheet, LOSS, seed=4, replicates=99) == compare(
        sheet, LOSS, seed=4, replicates=99
    )
    assert intervals(sheet, LOSS, seed=-4, replicates=99) != intervals(
        sheet, LOSS, seed=4, replicates=99
    )


def test_the_order_of_rows_and_the_other_systems_change_nothing() -> None:
    sheet = simulated(2, systems=3)
    mixed = sheet.rows(np.random.default_rng(0).permutation(len(sheet)))
    alone = sheet.only(["s1"])
    whole = intervals(sheet, LOSS, seed=9, replicates=200)
    one = whole.headline[1]
    assert one is not None
    for other in (
        intervals(mixed, LOSS, seed=9, replicates=200).headline[1],
        intervals(alone, LOSS, seed=9, replicates=200).headline[0],
    ):
        assert other is not None
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-9)
    for before, after in zip(
        compare(sheet, LOSS, seed=9, replicates=200),
        compare(mixed, LOSS, seed=9, replicates=200),
        strict=True,
    ):
        assert (after.p, after.q) == (before.p, before.q)
        assert after.difference == pytest.approx(before.difference, abs=1e-9)
        assert after.interval.low == pytest.approx(before.interval.low, abs=1e-9)


def test_a_cell_has_its_own_interval_around_its_score() -> None:
    sheet = simulated(8)
    found = intervals(sheet, LOSS, seed=0, replicates=500)
    scores = cell_scores(sheet, LOSS)
    assert set(found.cells) == {(s, c) for s in range(2) for c in range(4)}
    for (s, c), interval in found.cells.items():
        assert interval.low < scores[s, c] < interval.high


def test_one_cluster_has_no_interval_and_neither_has_a_headline_over_it() -> None:
    values = np.array([[0.1, 0.3, 0.2, 0.4], [0.1, 0.3, np.nan, np.nan]])
    sheet = sheet_of(values, cluster=["x", "y", "z", "z"], event=["a", "a", "b", "b"])
    found = intervals(sheet, LOSS, seed=0, replicates=100)
    assert set(found.cells) == {(0, 0), (1, 0)}
    assert found.headline[0] is None
    assert found.headline[1] is not None
    assert compare(sheet.only(["s0"]).beside({"other": values[0] + 0.1}), LOSS, seed=0) == ()


def test_what_is_not_scored_has_no_interval() -> None:
    values = np.array([[0.1, 0.3, 0.2], [np.nan, np.nan, np.nan]])
    sheet = sheet_of(values, cluster=["x", "y", "z"])
    assert intervals(sheet, LOSS, seed=0, replicates=50).headline[1] is None
    assert compare(sheet, LOSS, seed=0, replicates=50) == ()
    unusable = replace(sheet, status=np.where(np.isnan(values), 1, 0).astype(np.int8))
    assert intervals(unusable, LOSS, seed=0, replicates=50).headline[1] is None
    empty = sheet.rows(np.zeros(3, dtype=bool))
    assert intervals(empty, LOSS, seed=0).headline == (None, None)
    assert compare(empty, LOSS, seed=0) == ()


def test_a_loss_without_bound_has_no_interval_and_spoils_no_other() -> None:
    values = np.array([[0.1, 0.3, 0.2, 0.5], [0.1, np.inf, 0.2, 0.5], [0.3, 0.3, 0.3, 0.4]])
    sheet = sheet_of(values, cluster=["x", "y", "z", "w"])
    found = intervals(sheet, LOSS, seed=0, replicates=50)
    assert [interval is None for interval in found.headline] == [False, True, False]
    assert [(c.a, c.b) for c in compare(sheet, LOSS, seed=0, replicates=50)] == [("s0", "s2")]


def test_one_half_everywhere_scores_exactly_fifty_in_every_replicate() -> None:
    sheet = simulated(6, systems=1)
    rng = np.random.default_rng(1)
    half = replace(
        sheet,
        values=np.full(sheet.values.shape, 0.5),
        truth=rng.integers(2, size=len(sheet)).astype(float),
        window=rng.choice([7.0, 30.0, 90.0], size=len(sheet)),
    )
    assert PAPER.calibration is not None
    found = intervals(half, PAPER.calibration, seed=0, replicates=200).headline[0]
    assert found is not None
    assert (found.low, found.high) == pytest.approx((50.0, 50.0), abs=1e-9)


def test_impossible_requests_are_refused() -> None:
    sheet = simulated(0)
    with pytest.raises(BadInput, match="at least 1"):
        intervals(sheet, LOSS, seed=0, replicates=0)
    with pytest.raises(BadInput, match="between 0 and 1"):
        intervals(sheet, LOSS, seed=0, level=95)
    spread = replace(sheet, cluster=Factor.of(["one"] * len(sheet)))
    with pytest.raises(ValueError, match="belongs to one event"):
        intervals(spread, LOSS, seed=0)


# Paired tests


def test_p_is_uniform_when_two_systems_are_equally_good() -> None:
    kstest = pytest.importorskip("scipy.stats").kstest
    p = [
        compare(simulated(1000 + seed, clusters=15), LOSS, seed=seed, replicates=199)[0].p
        for seed in range(300)
    ]
    assert kstest(p, "uniform").pvalue > 0.01
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.09


def test_a_real_difference_is_found_and_has_its_sign() -> None:
    sheet = simulated(11)
    better = replace(sheet, values=sheet.values - np.array([[0.2], [0.0]]))
    (found,) = compare(better, LOSS, seed=0)
    assert (found.a, found.b) == ("s0", "s1")
    assert found.interval.low > 0 < found.difference
    assert found.p == pytest.approx(1 / 2001)
    assert found.interval.low < found.difference < found.interval.high


def test_a_difference_is_that_of_the_headlines_on_common_rows() -> None:
    sheet = simulated(12, systems=3, missing=0.3)
    for found in compare(sheet, LOSS, seed=0, replicates=20):
        pair = sheet.only([found.a, found.b])
        common = pair.rows(np.asarray(pair.answered.all(axis=0)))
        a, b = axis_scores(common, LOSS)
        assert found.difference == pytest.approx(a - b, abs=1e-9)
        assert found.questions == len(common)
        assert found.clusters == len(set(common.cluster.codes.tolist()))


def test_few_clusters_give_the_exact_test() -> None:
    """All 2^4 sign patterns by hand: the random ones have their share, up to chance."""
    values = np.array([[0.1, 0.2, 0.2, 0.7], [0.3, 0.6, 0.5, 0.5]])
    sheet = sheet_of(values, cluster=list("wxyz"))
    d = values[0] - values[1]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    exact = np.mean(np.abs(d @ signs) >= abs(d.sum()) - 1e-12)
    (found,) = compare(sheet, LOSS, seed=2, replicates=20000)
    assert found.p == pytest.approx(exact, abs=0.015)


def test_equal_answers_differ_in_nothing() -> None:
    sheet = simulated(13, systems=1)
    (found,) = compare(sheet.beside({"twin": sheet.values[0]}), LOSS, seed=0, replicates=100)
    assert (found.difference, found.interval.low, found.interval.high) == (0, 0, 0)
    assert (found.p, found.q) == (1, 1)


def test_pairs_that_share_no_row_are_left_out() -> None:
    nan = np.nan
    values = np.array([[0.1, 0.2, nan, nan], [nan, nan, 0.1, 0.2], [0.3, 0.1, 0.4, 0.1]])
    found = compare(sheet_of(values, cluster=list("wxyz")), LOSS, seed=0, replicates=20)
    assert [(row.a, row.b) for row in found] == [("s0", "s2"), ("s1", "s2")]


@given(st.lists(st.floats(0, 1), max_size=30))
def test_q_is_that_of_scipy(p: list[float]) -> None:
    oracle = pytest.importorskip("scipy.stats").false_discovery_control
    expected = oracle(p).tolist() if p else []
    assert benjamini_hochberg(p) == pytest.approx(expected, abs=1e-12)


def test_what_is_no_p_value_is_refused() -> None:
    for wrong in (float("nan"), 1.5):
        with pytest.raises(BadInput, match="outside 0 to 1"):
            benjamini_hochberg([0.1, wrong])


# Effective numbers


def test_equal_clusters_count_fully_and_a_heavy_one_hardly_adds() -> None:
    values = np.full((1, 8), 0.5)
    equal = sheet_of(values, cluster=list("aabbccdd"))
    assert effective(equal, LOSS) == [(4, pytest.approx(4.0))]
    heavy = sheet_of(values, cluster=list("abcddddd"), weight=np.array([1e-9] * 3 + [1.0] * 5))
    assert effective(heavy, LOSS) == [(4, pytest.approx(1.0))]


def test_events_weigh_the_same_whatever_their_size() -> None:
    """Ten clusters of one event share the weight that one cluster of the other has."""
    values = np.full((2, 11), 0.5)
    values[1] = np.nan
    sheet = sheet_of(values, cluster=list("abcdefghijk"), event=["a"] * 10 + ["b"])
    assert effective(sheet, LOSS) == [(11, pytest.approx(1 / (10 * 0.05**2 + 0.25))), (0, 0.0)]


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_there_are_never_more_effective_clusters_than_clusters(seed: int) -> None:
    for clusters, number in effective(simulated(seed, clusters=5, missing=0.5), LOSS):
        assert 1 - 1e-9 <= number <= clusters + 1e-9


def test_published_scores_are_told_apart_only_where_the_clusters_allow_it(testdata: Path) -> None:
    """Temporal scores of systems on one model, tenths of a point apart, differ no more than chance makes them."""
    sheet = read_pages(testdata / "official" / "demo").temporal
    assert PAPER.temporal is not None
    scores = axis_scores(sheet, PAPER.temporal)
    found = intervals(sheet, PAPER.temporal, seed=0)
    for score, interval in zip(scores, found.headline, strict=True):
        assert interval is not None
        assert interval.low < score < interval.high
        assert 2 < interval.high - interval.low < 7
    tests = {(row.a, row.b): row for row in compare(sheet, PAPER.temporal, seed=0)}
    assert len(tests) == 45
    assert tests["GPT-5.5", "Claude-Opus-4.8"].q < 0.01
    assert tests["Doubao-Seed-2.0-Pro", "AutoGen (Doubao)"].p > 0.1
    for (clusters, number), name in zip(
        effective(sheet, PAPER.temporal), sheet.systems, strict=True
    ):
        assert 100 < number < clusters < 400, name
