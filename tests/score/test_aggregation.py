"""Aggregation of several outputs against independent vectors, and what it promises about order and ties."""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score import aggregation as agg
from factory.score.aggregation import Aggregate, Sample, Value

quick = settings(max_examples=50)
shares = st.floats(0, 1)
kinds: list[st.SearchStrategy[Value]] = [
    st.sampled_from(["yes", "no"]),
    st.sampled_from([date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)]),
    st.sampled_from([-1.5, 0.0, 3.5]),
]
outputs = st.one_of(
    *[
        st.lists(st.builds(Sample, kind, shares, shares, shares), min_size=1, max_size=7)
        for kind in kinds
    ]
)


def near(got: Aggregate, value: Value, confidence: float) -> bool:
    """Equal but for rounding of the confidence."""
    assert got.confidence is not None
    return got.value == value and math.isclose(got.confidence, confidence, rel_tol=1e-9)


def test_vectors_of_four_methods(testdata: Path) -> None:
    vectors = json.loads((testdata / "data/scoring/vectors.json").read_text())
    samples = [
        Sample(row["value"], row["normalized"], row["avg"], row["raw"])
        for row in vectors["aggregation_inputs"]
    ]
    for name, (value, confidence) in vectors["aggregation"].items():
        got = agg.METHODS[name](samples)
        assert got.value == value
        assert got.confidence == pytest.approx(confidence, abs=5.1e-7)


def test_vectors_of_pooling(testdata: Path) -> None:
    row = json.loads((testdata / "data/scoring/vectors.json").read_text())["pooling"]
    p = row["p_yes"]
    got = {
        "mean": agg.mean(p),
        "median": agg.median(p),
        "geo_odds": agg.geometric_mean_of_odds(p),
        "bayes_prior_half": agg.log_odds_sum(p),
        "geo_prob": agg.geometric_mean(p),
    }
    assert got == pytest.approx({name: row[name] for name in got}, abs=5.1e-7)


@quick
@given(outputs, st.randoms(use_true_random=False))
def test_no_method_looks_at_the_order_of_outputs(samples: list[Sample], random: object) -> None:
    shuffled = list(samples)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for name, method in agg.METHODS.items():
        forth, back = method(samples), method(shuffled)
        assert forth.value == back.value, name
        assert forth.confidence == pytest.approx(back.confidence, abs=1e-12), name


@quick
@given(outputs)
def test_the_five_published_methods_answer_with_a_value_that_was_given(
    samples: list[Sample],
) -> None:
    given_values = {sample.value for sample in samples}
    for name in ("majority", "highest", "weighted", "logit_mean"):
        got = agg.METHODS[name](samples)
        assert got.value in given_values
        assert got.confidence is not None
        assert 0 <= got.confidence <= 1


@quick
@given(st.lists(st.tuples(st.sampled_from(["yes", "no"]), st.floats(0.01, 0.99)), min_size=1))
def test_the_bayesian_answer_to_yes_or_no_is_the_sum_of_log_odds(
    rows: list[tuple[str, float]],
) -> None:
    got = agg.bayesian([Sample(value, confidence) for value, confidence in rows])
    p = agg.log_odds_sum([agg.yes_probability(value, c) for value, c in rows])
    assert got.value in ("yes", "no")
    assert got.confidence is not None
    assert agg.yes_probability(got.value, got.confidence) == pytest.approx(p, abs=1e-9)
    assert got.confidence >= 0.5 - 1e-12


def test_a_second_witness_makes_the_bayesian_answer_surer() -> None:
    day = date(2024, 3, 1)
    one = agg.bayesian([Sample(day, 0.7)])
    two = agg.bayesian([Sample(day, 0.7), Sample(day, 0.7)])
    against = agg.bayesian([Sample(day, 0.7), Sample(date(2024, 5, 1), 0.6)])
    assert near(one, day, 0.7)
    assert near(two, day, 0.49 / (0.49 + 0.09))
    assert near(against, day, 0.28 / (0.28 + 0.18))


def test_a_prior_is_not_counted_once_a_sample() -> None:
    assert agg.log_odds_sum([0.1, 0.1, 0.1], prior=0.1) == pytest.approx(0.1)
    assert agg.log_odds_sum([0.5], prior=0.2) == pytest.approx(0.5)
    with pytest.raises(BadInput, match="prior"):
        agg.log_odds_sum([0.5], prior=1)


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_a_pool_lies_between_its_members(p: list[float]) -> None:
    slack = 1e-9
    assert min(p) - slack <= agg.mean(p) <= max(p) + slack
    assert min(p) <= agg.median(p) <= max(p)
    edge = agg.CLIP + slack
    assert min(p) - edge <= agg.geometric_mean_of_odds(p) <= max(p) + edge


def test_one_certain_output_does_not_end_the_vote() -> None:
    assert 0 < agg.log_odds_sum([1.0, 0.0]) < 1
    assert agg.geometric_mean_of_odds([1.0, 0.0]) == pytest.approx(0.5)
    assert math.isfinite(agg.log_odds_sum([1.0] * 500))


def test_equal_votes_go_to_the_surer_side_then_to_the_smallest() -> None:
    assert agg.majority([Sample("yes", 0.6), Sample("no", 0.7)]) == Aggregate("no", 0.7)
    assert agg.majority([Sample("no", 0.6), Sample("yes", 0.7)]) == Aggregate("yes", 0.7)
    assert agg.majority([Sample("yes", 0.6), Sample("no", 0.6)]) == Aggregate("no", 0.6)
    assert agg.majority([Sample(3.0), Sample(-2.5)]) == Aggregate(-2.5, None)
    two = [Sample("yes", 0.9), Sample("no", 0.9), Sample("yes", 0.1)]
    assert agg.highest(two) == Aggregate("yes", 0.9)


def test_logit_mean_asks_all_outputs_and_the_others_the_winners_only() -> None:
    samples = [
        Sample("yes", 0.6, 0.5, 0.4),
        Sample("yes", 0.5, 0.3, 0.1),
        Sample("no", 0.9, 0.9, 0.2),
    ]
    assert agg.majority(samples).confidence == 0.6
    assert agg.weighted(samples).confidence == pytest.approx(0.4)
    assert agg.logit_mean(samples).confidence == pytest.approx(0.008 ** (1 / 3))
    assert agg.logit_mean([*samples, Sample("no", 1, 1, 0)]).confidence == 0


def test_a_confidence_that_was_not_stated_is_not_made_up() -> None:
    bare = [Sample("yes"), Sample("yes", 0.8)]
    assert agg.majority(bare) == Aggregate("yes", None)
    assert agg.weighted(bare) == Aggregate("yes", None)
    assert agg.logit_mean(bare) == Aggregate("yes", None)
    assert agg.highest(bare) == Aggregate("yes", 0.8)
    assert agg.highest([Sample("yes")]) == Aggregate(None, None)
    assert agg.bayesian(bare) == Aggregate(None, None)
    assert agg.odds(bare) == Aggregate(None, None)


def test_days_and_numbers_pool_by_their_own_middle() -> None:
    days = [Sample(date(2024, 2, 28), 0.5), Sample(date(2024, 3, 1), 0.7)]
    assert near(agg.mean_answer(days), date(2024, 2, 29), 0.6)
    numbers = [Sample(1.0, 0.2), Sample(2.5, 0.3), Sample(100.0, 0.4)]
    assert near(agg.median_answer(numbers), 2.5, 0.3)
    assert agg.odds(numbers).value == 2.5
    assert agg.mean_answer(numbers).value == pytest.approx(34.5)


def test_pooled_odds_can_turn_a_majority() -> None:
    samples = [Sample("yes", 0.55), Sample("yes", 0.55), Sample("no", 0.95)]
    assert agg.majority(samples).value == "yes"
    assert agg.odds(samples).value == "no"
    assert agg.odds([Sample("yes", 0.5)]) == Aggregate("no", 0.5)


@pytest.mark.parametrize("method", agg.METHODS.values(), ids=agg.METHODS)
def test_no_outputs_have_no_aggregate(method: agg.Method) -> None:
    with pytest.raises(BadInput, match="no outputs"):
        method([])
