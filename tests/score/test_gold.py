"""Gold confidences against independent vectors, their inverses, and the range that is published."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.errors import BadInput
from factory.score import gold

quick = settings(max_examples=50)
DIGITS = 5.1e-7


def test_vectors_of_boolean_gold(testdata: Path) -> None:
    for row in json.loads((testdata / "data/scoring/vectors.json").read_text())["gold_bool"]:
        assert gold.boolean_confidence(row["P"]) == pytest.approx(row["C"], abs=DIGITS)
        via = gold.baseline_confidence(gold.boolean_baseline(row["P"]))
        assert via == pytest.approx(row["via_baseline"], abs=DIGITS)


def test_vectors_of_continuous_gold(testdata: Path) -> None:
    for row in json.loads((testdata / "data/scoring/vectors.json").read_text())["gold_cont"]:
        got = gold.continuous_confidence(row["f"], row["f_uniform"])
        assert got == pytest.approx(row["C"], abs=DIGITS)


def test_published_boolean_confidences_lead_back_to_probabilities(testdata: Path) -> None:
    lines = (testdata / "data/scoring/forecast_hf_preview_MIT.jsonl").read_text().splitlines()
    published = np.array([json.loads(line)["confidence"] for line in lines])
    p = gold.boolean_probability(published)
    assert np.all((p > 0) & (p <= 1))
    assert gold.boolean_confidence(p) == pytest.approx(published)
    assert p[0] == pytest.approx(0.9405, abs=5e-5)
    assert p[6] == pytest.approx(0.1710, abs=5e-5)


@quick
@given(st.floats(0, 1))
def test_a_probability_survives_the_way_there_and_back(p: float) -> None:
    confidence = gold.boolean_confidence(p)
    assert 0 <= confidence <= gold.HIGHEST_BOOLEAN
    assert gold.boolean_probability(confidence) == pytest.approx(p, abs=1e-12)


@quick
@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_a_density_ratio_survives_the_way_there_and_back(f: float, uniform: float) -> None:
    confidence = gold.continuous_confidence(f, uniform)
    assert gold.continuous_ratio(confidence) == pytest.approx(f / uniform, rel=1e-6)
    via = gold.baseline_confidence(gold.continuous_baseline(f, uniform))
    assert via == pytest.approx(confidence, rel=1e-9)


@pytest.mark.parametrize(("p", "expected"), [(0.1, 0.089323), (0.5, 0.5), (0.9, 0.700147)])
def test_known_boolean_confidences(p: float, expected: float) -> None:
    assert gold.boolean_confidence(p) == pytest.approx(expected, abs=DIGITS)


@pytest.mark.parametrize(("ratio", "expected"), [(1, 0.5), (5, 0.690983), (0.05, 0.182744)])
def test_known_continuous_confidences(ratio: float, expected: float) -> None:
    assert gold.continuous_confidence(ratio, 1) == pytest.approx(expected, abs=DIGITS)


@pytest.mark.parametrize(("p", "expected"), [(0.01, -564.385619), (0.75, 58.496250), (1, 100)])
def test_baseline_score_as_the_platform_defines_it(p: float, expected: float) -> None:
    assert gold.boolean_baseline(p) == pytest.approx(expected, abs=1e-6)


def test_a_crowd_that_ruled_it_out_has_confidence_nought() -> None:
    assert gold.boolean_confidence(0) == 0
    assert gold.continuous_confidence(0, 1) == 0
    assert gold.baseline_confidence(-np.inf) == 0


def test_no_probability_leads_above_the_highest_confidence() -> None:
    assert gold.boolean_probability(gold.HIGHEST_BOOLEAN) == 1
    assert np.isnan(gold.boolean_probability(0.87))


@pytest.mark.parametrize(
    "call",
    [
        lambda: gold.boolean_confidence(1.2),
        lambda: gold.continuous_confidence(-1, 1),
        lambda: gold.continuous_confidence(1, 0),
        lambda: gold.boolean_probability(-0.1),
    ],
)
def test_what_is_no_probability_or_density_is_refused(call: object) -> None:
    assert callable(call)
    with pytest.raises(BadInput):
        call()
