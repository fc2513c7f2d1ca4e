"""The exam as sat by rules that read no text: what they know, what they answer, and what they score on twins."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from factory.forecast.baselines import (
    SCORECARD,
    known_at,
    known_days,
    run,
)
from factory.score.bank import bank_sheets
from factory.score.textfree import (
    PAIRED,
    PROBABILITY_RULES,
    TEXT_FREE,
    text_free,
)
from schemas import LANGS, ScoreCard
from tests import example_event as example
from tests.scripted import make_context

ROOT = Path(__file__).resolve().parents[2]


def test_a_rule_never_sees_a_day_on_or_after_the_cutoff() -> None:
    timeline, (first, second) = example.anonymised(), example.points().points
    assert all(day < first.cutoff for day in known_at(first, timeline).days)
    careless = first.model_copy(update={"context": second.context + second.truth})
    assert all(day < first.cutoff for day in known_at(careless, timeline).days)


def test_every_point_of_a_sheet_is_known_by_its_name_there() -> None:
    timeline, points = example.anonymised(), example.points().points
    calibration, temporal = bank_sheets(
        event=timeline.public_id,
        points=points,
        questions=example.questions(),
        events=example.events(),
        forecasts=(),
    )
    known = known_days(timeline.public_id, timeline, points)
    for sheet in (calibration, temporal):
        assert sheet is not None
        assert {(name, lang) for name in sheet.point.names for lang in LANGS} <= set(known)


def test_dates_are_counted_from_nodes_so_that_editions_agree() -> None:
    timeline, points = example.anonymised(), example.points().points
    sheet, _ = bank_sheets(
        event=timeline.public_id,
        points=points,
        questions=example.questions(),
        events=(),
        forecasts=(),
    )
    assert sheet is not None
    rules = text_free(sheet, None, known_days(timeline.public_id, timeline, points), seed=1)
    assert set(rules.probabilities) == set(PROBABILITY_RULES)
    editions = sheet.edition.labels()
    for values in rules.probabilities.values():
        by_lang = {
            lang: {
                ref: value
                for ref, there, value in zip(sheet.refs, editions, values.tolist(), strict=True)
                if there == lang
            }
            for lang in LANGS
        }
        assert by_lang["en"] == by_lang["zh"]


def test_every_rule_scores_fifty_on_twins_and_is_marked(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path)
    counts = asyncio.run(run(make_context(tmp_path, "baselines")))
    assert (counts.received, counts.rejected) == (12, 0)
    card = workspace.read(ScoreCard, SCORECARD)
    calibration = {cell.system: cell.score for cell in card.cells if cell.axis == "calibration"}
    assert set(calibration) == {*PROBABILITY_RULES, *PAIRED}
    assert list(calibration.values()) == [pytest.approx(50.0)] * len(calibration)
    assert all(cell.event == "e-test" for cell in card.cells)
    assert {grade.system for grade in card.axes if grade.text_free} == TEXT_FREE
    assert {name for name, score in card.overall.items() if score != "not scored"} == set(PAIRED)


def test_the_same_bank_gives_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        workspace = example.write_workspace(tmp_path / name)
        asyncio.run(run(make_context(tmp_path / name, "baselines")))
        written.append((workspace.root / SCORECARD).read_bytes())
    assert written[0] == written[1]


def test_an_event_beyond_the_horizon_is_rejected_with_a_reason(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path)
    far = example.events()[0]
    late = far.model_copy(update={"event_id": "d-far", "date": far.date + timedelta(days=200)})
    workspace.write_lines("08_bank/events.jsonl", [*example.events(), late])
    ctx = make_context(tmp_path, "baselines")
    counts = asyncio.run(run(ctx))
    assert counts.rejected == 1
    assert [(row.item, row.reason) for row in ctx.rejections] == [("d-far", "beyond the horizon")]
    card = workspace.read(ScoreCard, SCORECARD)
    totals = {cell.total for cell in card.cells if cell.axis == "temporal"}
    assert totals == {len(example.events())}


def test_importing_the_stage_loads_no_array_library() -> None:
    program = (
        "import sys, factory.forecast.baselines\n"
        "print(sorted({'numpy', 'sklearn', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
