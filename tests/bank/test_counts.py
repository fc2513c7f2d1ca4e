"""How many questions published dates give: the benchmark's arcs, held as promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.composer import EVENTS, LEAST, MANY, SHARES, SIMULATED, bank_of, off, plan_of
from benchmarks.composer_arcs import even_dates, published_dates, simulated
from factory.audit.structure import unequal_twins
from factory.sections import ComposeSettings

CASES = [
    (event, outcomes, prompts, wanted)
    for (outcomes, prompts), counts in SIMULATED.items()
    for event, wanted in zip(EVENTS, counts, strict=True)
]


@pytest.mark.slow
@pytest.mark.parametrize(("event", "outcomes", "prompts", "wanted"), CASES)
def test_published_dates_give_a_full_bank_within_its_shares(
    testdata: Path, event: str, outcomes: int, prompts: int, wanted: int
) -> None:
    dates = published_dates(testdata / "official" / "demo" / "zh" / event)
    report = plan_of(simulated(*dates, outcomes), ComposeSettings(prompts=prompts)).report
    assert report.questions >= LEAST * wanted
    assert off(report) <= SHARES
    assert min(report.points.values()) > 0
    windows = {line.name: line.got for line in report.quotas if line.name.startswith("window")}
    assert min(windows.values()) >= 0.075, windows


@pytest.mark.slow
@pytest.mark.parametrize("event", EVENTS)
def test_an_arc_observed_to_its_last_node_says_what_it_lacks(testdata: Path, event: str) -> None:
    dates = published_dates(testdata / "official" / "demo" / "zh" / event)
    report = plan_of(simulated(*dates, 4, after=0), ComposeSettings()).report
    assert report.questions > 0
    for line in report.quotas:
        low = line.got < 0.08 if line.name.startswith("window") else abs(line.got - line.wanted) > 0.05  # fmt: skip
        assert bool(line.note) == low
        if low:
            gap = 0.08 - line.got if line.name.startswith("window") else abs(line.got - line.wanted)
            assert f"{gap:.3f}" in line.note


def test_a_dense_arc_gives_more_than_eight_thousand_questions() -> None:
    arc = simulated(*even_dates(168, 500, 25), 6)
    assert plan_of(arc, ComposeSettings(prompts=2)).report.questions >= MANY


@pytest.mark.parametrize("prompts", [1, 2])
def test_twins_of_a_large_bank_are_equal_to_every_reader_of_structure(prompts: int) -> None:
    bank, report = bank_of(simulated(*even_dates(36, 300, 12), 4), ComposeSettings(prompts=prompts))
    assert report.questions > 800
    assert unequal_twins(bank) == []
