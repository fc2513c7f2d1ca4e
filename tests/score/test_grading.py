"""One's own forecasts on an event and on a bundle, and a line number for every mistake."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from factory.bundle import build_files
from factory.errors import BadInput
from factory.forecast.baselines import run as run_baselines
from factory.grading import score_path, why_not_scored
from factory.release import load_bundle, replace_folder
from schemas import Forecast, ScoreCard
from tests import example_event as example
from tests.scripted import make_context

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["event", "bundle"])
def bank(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The same bank as an event's folder and as a bundle that was copied away."""
    root = example.write_workspace(tmp_path / "harwick").root
    asyncio.run(run_baselines(make_context(root, "baselines")))
    if request.param == "event":
        return root
    bundle = load_bundle(make_context(root, "release", fictional=True))
    replace_folder(tmp_path / "copy", build_files(bundle))
    return tmp_path / "copy"


def answers(axis: str = "both") -> list[dict[str, Any]]:
    """A perfect sitting of the English edition."""
    common = {"system": "mine", "run": "1", "lang": "en", "status": "answered"}
    questions = [
        common
        | {"axis": "calibration", "ref": q.question_id, "point_id": q.point_id}
        | {"probability": float(q.answer)}
        for q in example.questions()
    ]
    dates = [
        common
        | {"axis": "temporal", "ref": e.event_id, "point_id": e.point_id}
        | {"date": e.date.isoformat()}
        for e in example.events()
    ]
    return {"calibration": questions, "temporal": dates}.get(axis, questions + dates)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_bank_is_scored_by_itself(bank: Path) -> None:
    card = score_path(bank)
    stored = bank.parent / "harwick" / "08_bank" / "scorecard.json"
    assert card == ScoreCard.model_validate_json(stored.read_bytes())


def test_own_forecasts_stand_beside_the_baselines(bank: Path, tmp_path: Path) -> None:
    alone = score_path(bank)
    card = score_path(bank, forecasts=write(tmp_path / "mine.jsonl", answers()))
    own = {cell.axis: cell for cell in card.cells if cell.system == "mine"}
    assert own["calibration"].score == pytest.approx(100)
    assert own["calibration"].total == own["calibration"].answered == len(example.questions())
    assert own["temporal"].answered == len(example.events())
    assert card.overall["mine"] != "not scored"
    assert why_not_scored(card, "mine") == ""
    assert [cell for cell in card.cells if cell.system != "mine"] == list(alone.cells)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ref": "q-elsewhere"}, "line 2: this bank asks no 'q-elsewhere' on the calibration axis"),
        ({"ref": example.events()[0].event_id}, "line 2: this bank asks no .* calibration axis"),
        ({"point_id": "t-9"}, "line 2: .* is asked at point t-1, not t-9"),
        ({"probability": 1.5}, "line 2 is no forecast .*probability"),
        ({"probability": None}, "line 2 is no forecast .*answered"),
        ({"lang": "fr"}, "line 2 is no forecast .*lang"),
        ({"colour": "red"}, "line 2 is no forecast .*colour"),
        ({"ref": answers()[0]["ref"]}, "line 2: mine answers .* already on line 1"),
        ({"system": "frequency", "run": "baselines"}, "line 2: .* comes with this bank"),
    ],
)
def test_a_forecast_that_cannot_be_scored_is_named_by_its_line(
    bank: Path, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    rows = answers()
    rows[1] = rows[1] | change
    with pytest.raises(BadInput, match=words):
        score_path(bank, forecasts=write(tmp_path / "mine.jsonl", rows))


@pytest.mark.parametrize("data", [b'{"system": "mi', b"\xff\xfe", b"[]", b"null", b"a,b\n1,2"])
def test_a_line_that_is_no_record_is_named(bank: Path, tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / "mine.jsonl", answers()[:1])
    path.write_bytes(path.read_bytes() + b"\n" + data)
    with pytest.raises(BadInput, match="line 3 is no forecast"):
        score_path(bank, forecasts=path)


def test_a_file_that_is_missing_or_empty_is_named(bank: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read the forecasts .*none\.jsonl"):
        score_path(bank, forecasts=tmp_path / "none.jsonl")
    with pytest.raises(BadInput, match="cannot read the forecasts"):
        score_path(bank, forecasts=tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(BadInput, match="holds no forecast"):
        score_path(bank, forecasts=tmp_path / "empty.jsonl")


def test_a_changed_bundle_and_a_published_bank_are_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(BadInput, match=r"manifest\.json of the bundle is damaged"):
        score_path(tmp_path)
    (tmp_path / "published" / "en").mkdir(parents=True)
    with pytest.raises(BadInput, match="published bank, which holds its own answers"):
        score_path(tmp_path / "published", forecasts=tmp_path / "mine.jsonl")


def test_why_there_is_no_overall_score_is_said(bank: Path, tmp_path: Path) -> None:
    only = score_path(bank, forecasts=write(tmp_path / "one.jsonl", answers("temporal")))
    assert why_not_scored(only, "mine") == "sat the temporal axis only"
    rows = answers()
    for row in rows:
        if row.pop("date", None):
            row["status"] = "refused"
    empty = score_path(bank, forecasts=write(tmp_path / "two.jsonl", rows))
    assert why_not_scored(empty, "mine") == "nothing answered in temporal en"
    done = subprocess.run(
        [sys.executable, "-m", "factory", "score", str(bank)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert re.search(r"momentum +overall not scored \(sat the calibration axis only\)", done.stdout)


def test_the_documented_example_is_two_forecasts() -> None:
    page = (ROOT / "docs" / "scoring.md").read_text(encoding="utf-8")
    block = page.partition("```json\n")[2].partition("```")[0]
    rows = [Forecast.model_validate_json(line) for line in block.splitlines()]
    assert [row.axis for row in rows] == ["calibration", "temporal"]
