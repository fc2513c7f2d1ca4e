"""One's own forecasts on an event and on a bundle, and a line number for every mistake."""

from __future__ import annotations

import asyncio
import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from factory.bundle import build_files
from factory.errors import BadInput
from factory.forecast.baselines import run as run_baselines
from factory.grading import score_paths
from factory.release import load_bundle, replace_folder
from factory.standings import why_no_overall
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
    card = score_paths([bank])
    stored = bank.parent / "harwick" / "08_bank" / "scorecard.json"
    assert card == ScoreCard.model_validate_json(stored.read_bytes())


def test_own_forecasts_stand_beside_the_baselines(bank: Path, tmp_path: Path) -> None:
    alone = score_paths([bank])
    card = score_paths([bank], forecasts=[write(tmp_path / "mine.jsonl", answers())])
    own = {cell.axis: cell for cell in card.cells if cell.system == "mine"}
    assert own["calibration"].score == pytest.approx(100)
    assert own["calibration"].total == own["calibration"].answered == len(example.questions())
    assert own["temporal"].answered == len(example.events())
    assert card.overall["mine"] != "not scored"
    assert why_no_overall(card, "mine") == ""
    assert [cell for cell in card.cells if cell.system != "mine"] == list(alone.cells)


@pytest.mark.parametrize(
    ("change", "words", "answered"),
    [
        ({"ref": "q-elsewhere"}, "asks no such id on the calibration axis", 9),
        ({"point_id": "t-9"}, "point_id is not the point of that question", 9),
        ({"probability": 1.5}, "counted as unparsed", 9),
        ({"probability": "70%"}, "counted as unparsed", 9),
        ({"lang": "fr"}, "left out", 9),
        ({"ref": answers()[0]["ref"], "probability": 0.4}, "different answers of one run", 8),
        ({"system": "frequency"}, "comes with every bank", 9),
    ],
)
def test_an_answer_that_cannot_be_scored_is_counted_by_reason_and_the_rest_is_scored(
    bank: Path, tmp_path: Path, change: dict[str, Any], words: str, answered: int
) -> None:
    rows = answers()
    rows[1] = rows[1] | change
    card = score_paths([bank], forecasts=[write(tmp_path / "mine.jsonl", rows)])
    (problem,) = card.problems
    assert words in problem.reason
    assert "mine.jsonl line" in problem.example
    own = next(c for c in card.cells if c.system == "mine" and c.axis == "calibration")
    assert (own.answered, own.total) == (answered, 10)


def test_a_file_that_is_missing_or_empty_is_named(bank: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.jsonl"):
        score_paths([bank], forecasts=[tmp_path / "none.jsonl"])
    with pytest.raises(BadInput):
        score_paths([bank], forecasts=[tmp_path])
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(BadInput, match="empty"):
        score_paths([bank], forecasts=[tmp_path / "empty.jsonl"])


def test_a_changed_bundle_and_a_published_bank_are_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(BadInput, match=r"manifest\.json of the bundle is damaged"):
        score_paths([tmp_path])
    (tmp_path / "published" / "en").mkdir(parents=True)
    with pytest.raises(BadInput, match="published bank, which holds its own answers"):
        score_paths([tmp_path / "published"], forecasts=[tmp_path / "mine.jsonl"])


def test_why_there_is_no_overall_score_is_said(bank: Path, tmp_path: Path) -> None:
    only = score_paths([bank], forecasts=[write(tmp_path / "one.jsonl", answers("temporal"))])
    assert why_no_overall(only, "mine") == "dates only"
    rows = answers()
    for row in rows:
        if row.pop("date", None):
            row["status"] = "refused"
    empty = score_paths([bank], forecasts=[write(tmp_path / "two.jsonl", rows)])
    assert why_no_overall(empty, "mine") == "nothing answered on dates"
    for row in rows:
        row.pop("probability", None)
        row["status"] = "refused"
    none = score_paths([bank], forecasts=[write(tmp_path / "three.jsonl", rows)])
    assert why_no_overall(none, "mine") == "nothing answered"
    (note,) = [note for note in none.notes if note.startswith("mine ")]
    assert note.endswith("nothing of it is scored")


def score(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "factory", "score", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def test_the_command_prints_a_table_json_csv_and_a_page(bank: Path, tmp_path: Path) -> None:
    file = str(write(tmp_path / "mine.jsonl", answers()))
    done = score(str(bank), "--forecasts", file, "--strict", "--compare", "--tables")
    assert done.returncode == 0, done.stderr
    assert "mine" in done.stdout
    page = tmp_path / "board.html"
    done = score(str(bank), "--forecasts", file, "--json", "--by", "type", "--html", str(page))
    assert done.returncode == 0, done.stderr
    card = ScoreCard.model_validate_json(done.stdout)
    assert {row.keys["type"] for row in card.groups} <= {"A", "B", "C", "D"}
    assert "mine" in page.read_text(encoding="utf-8")
    done = score(str(bank), "--forecasts", file, "--csv")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert {row["system"] for row in rows} >= {"mine", "constant 0.5"}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--rules", "best"], 2, "paper, overview, proper, forecast, sim"),
        (["--by", "colour"], 2, "no key"),
        (["--runs", "seven"], 2, "no answer belongs to run 'seven'"),
        (["--json", "--csv"], 2, "one of them"),
        (["--horizon", "0", "--rules", "overview"], 2, "horizon"),
        (["--horizon", "30"], 2, "--horizon belongs to --rules overview"),
        (["--aggregate", "mean"], 2, "--aggregate belongs to a file of typed questions"),
        (["--model-cutoff", "2025-01-01"], 2, "--model-cutoff belongs to a file of typed"),
    ],
)
def test_wrong_options_are_one_sentence(
    bank: Path, arguments: list[str], code: int, words: str
) -> None:
    done = score(str(bank), *arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_answers_with_problems_end_in_exit_code_one_with_the_scores_printed(
    bank: Path, tmp_path: Path
) -> None:
    rows = answers()
    rows[0]["probability"] = 70
    done = score(str(bank), "--forecasts", str(write(tmp_path / "mine.jsonl", rows)), "--json")
    assert done.returncode == 1
    assert ScoreCard.model_validate_json(done.stdout).problems
    assert "counted as unparsed" in done.stderr


def test_runs_can_be_chosen(bank: Path, tmp_path: Path) -> None:
    rows = answers() + [row | {"run": "2"} for row in answers()]
    file = write(tmp_path / "mine.jsonl", rows)
    assert {"mine (1)", "mine (2)"} <= set(score_paths([bank], forecasts=[file]).overall)
    assert "mine" in score_paths([bank], forecasts=[file], runs=["2"]).overall


def test_the_same_bank_twice_is_refused(bank: Path) -> None:
    with pytest.raises(BadInput, match="given twice"):
        score_paths([bank, bank])


def test_the_documented_example_is_two_forecasts() -> None:
    page = (ROOT / "docs" / "scoring.md").read_text(encoding="utf-8")
    block = page.partition("```json\n")[2].partition("```")[0]
    rows = [Forecast.model_validate_json(line) for line in block.splitlines()]
    assert [row.axis for row in rows] == ["calibration", "temporal"]
