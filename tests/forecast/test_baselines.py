"""Rules that read no text: what they know, what they answer, and what they score on twins."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.forecast.baselines import (
    DAY_RULES,
    FORECASTS,
    PROBABILITY_RULES,
    SCORECARD,
    Known,
    baseline_forecasts,
    frequency_rate,
    known_at,
    momentum_rate,
    published_probability,
    run,
)
from factory.score.rules import BUCKETS
from schemas import Forecast, ScoreCard
from tests import example_event as example
from tests.scripted import make_context

CUTOFF = date(2030, 3, 1)
days_before = st.lists(st.integers(1, 400), max_size=30).map(
    lambda ages: tuple(CUTOFF - timedelta(days=age) for age in ages)
)


def test_frequency_is_dates_over_the_days_since_the_first() -> None:
    known = Known(CUTOFF, tuple(CUTOFF - timedelta(days=age) for age in (40, 20, 10, 10)))
    assert frequency_rate(known) == pytest.approx(3 / 40)
    assert published_probability(frequency_rate(known), 7) == pytest.approx(0.525)


def test_momentum_counts_the_last_seven_days_only() -> None:
    known = Known(CUTOFF, tuple(CUTOFF - timedelta(days=age) for age in (30, 8, 7, 1)))
    assert momentum_rate(known) == pytest.approx(2 / 7)


@given(days_before)
def test_published_probability_stays_within_its_clip_and_grows_with_the_window(
    days: tuple[date, ...],
) -> None:
    known = Known(CUTOFF, days)
    for rate in (frequency_rate(known), momentum_rate(known)):
        values = [published_probability(rate, window) for window in (7, 14, 30, 60, 90)]
        assert values == sorted(values)
        assert values[0] >= 0.02
        assert values[-1] <= 0.98


def test_a_rule_never_sees_a_day_on_or_after_the_cutoff() -> None:
    timeline, (first, second) = example.anonymised(), example.points().points
    assert all(day < first.cutoff for day in known_at(first, timeline).days)
    careless = first.model_copy(update={"context": second.context + second.truth})
    assert all(day < first.cutoff for day in known_at(careless, timeline).days)


def test_dates_are_counted_from_nodes_so_that_editions_agree() -> None:
    timeline, points = example.anonymised(), example.points().points
    asked, dated = example.questions(), example.events()
    rows = list(baseline_forecasts(timeline, points, asked, dated))
    by_lang = {
        lang: [(r.system, r.ref, r.probability, r.date) for r in rows if r.lang == lang]
        for lang in ("en", "zh")
    }
    assert by_lang["en"] == by_lang["zh"]
    assert len(by_lang["en"]) == len(asked) * len(PROBABILITY_RULES) + len(dated) * len(DAY_RULES)


def test_guessed_days_lie_inside_the_told_bucket() -> None:
    for rule in DAY_RULES.values():
        for low, high in BUCKETS:
            assert low <= rule(low) <= high
    assert [DAY_RULES["bucket midpoint"](low) for low, _ in BUCKETS] == [15, 45, 75]


def test_every_rule_without_text_scores_fifty_on_twins(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path)
    counts = asyncio.run(run(make_context(tmp_path, "baselines")))
    assert (counts.received, counts.rejected) == (12, 0)
    card = workspace.read(ScoreCard, SCORECARD)
    calibration = {cell.system: cell.score for cell in card.cells if cell.axis == "calibration"}
    assert set(calibration) == set(PROBABILITY_RULES)
    assert list(calibration.values()) == [pytest.approx(50.0)] * len(PROBABILITY_RULES)
    assert all(cell.event == "e-test" for cell in card.cells)
    rows = workspace.read_lines(Forecast, FORECASTS)
    assert all(row.status == "answered" for row in rows)


def test_an_event_beyond_the_horizon_is_rejected_with_a_reason(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path)
    far = example.events()[0]
    late = far.model_copy(update={"event_id": "d-far", "date": far.date + timedelta(days=200)})
    workspace.write_lines("08_bank/events.jsonl", [*example.events(), late])
    ctx = make_context(tmp_path, "baselines")
    counts = asyncio.run(run(ctx))
    assert counts.rejected == 1
    assert [(row.item, row.reason) for row in ctx.rejections] == [("d-far", "beyond the horizon")]
    assert all(row.ref != "d-far" for row in workspace.read_lines(Forecast, FORECASTS))
