"""A real arc through the heart: a published timeline, answered by hand from the prompts alone, replayed to its bank.

The timeline is somebody else's text and lies in FACTORY_TESTDATA; the recording holds the answers without it.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
import tomli_w

from factory.audit.external import EXTERNAL
from factory.audit.rules import RULES
from factory.llm.replay import check_recording, files_of, read_file
from factory.pipeline import BANK_REPORT, CHECK, EVENTS, POINTS, QUESTIONS
from factory.workspace import Workspace
from schemas import LANGS, BankReport, CheckReport, PointSet, Question, TemporalEvent
from tests.real_arc.beside import (
    RECORDING,
    ROOT,
    best,
    factory,
    imported,
    published,
    table,
    timeline,
)

pytestmark = pytest.mark.slow
LONGEST_RUN = 20
"""Characters in a row that the recording may share with the timeline: names, figures and set phrases of a claim do."""


@pytest.fixture(scope="module")
def folder(testdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the recording was replayed once, to the refused release."""
    folder = tmp_path_factory.mktemp("real_arc")
    made = imported(folder, timeline(testdata))
    assert made.returncode == 0, made.stderr
    assert "33 nodes" in made.stdout
    done = factory(folder, "run", "real-arc")
    assert done.returncode == 1, done.stderr
    assert "names and dates of this event were replaced elsewhere" in done.stderr
    return folder


@pytest.fixture(scope="module")
def workspace(folder: Path) -> Workspace:
    return Workspace(folder / "workspaces" / "real-arc")


@pytest.fixture(scope="module")
def check(workspace: Workspace) -> CheckReport:
    return workspace.read(CheckReport, CHECK)


def test_the_replay_gives_the_bank_of_two_published_points(workspace: Workspace) -> None:
    points = workspace.read(PointSet, POINTS).points
    assert [point.cutoff for point in points] == [date(2025, 4, 23), date(2025, 5, 1)]
    questions = workspace.read_lines(Question, QUESTIONS)
    assert len(questions) >= 60
    assert all(set(question.text) == set(LANGS) for question in questions)
    assert {question.type for question in questions} == {"A", "B", "C", "D"}
    assert len(workspace.read_lines(TemporalEvent, EVENTS)) >= 8
    assert workspace.read(BankReport, BANK_REPORT).questions == len(questions)


def test_true_and_false_are_equal_at_every_point_and_window(workspace: Workspace) -> None:
    answers: dict[tuple[str, int], Counter[int]] = {}
    for question in workspace.read_lines(Question, QUESTIONS):
        place = (question.point_id, int(question.window_days))
        answers.setdefault(place, Counter())[question.answer] += 1
    assert len(answers) >= 5
    assert all(found[0] == found[1] for found in answers.values())


def test_every_gate_of_the_bank_itself_passes(check: CheckReport) -> None:
    """External: leak, secret and identity, because names and dates were replaced by those who published the timeline,
    and review, because no person has sampled the bank. The shortcut interval of 20 pairs is too wide to judge."""
    states = {gate.name: gate.state for gate in check.gates}
    for name in ("labels", "structure", "parity", "mirror", "quotas"):
        assert states[name] == "passed", name
    assert {name for name, state in states.items() if state == "not evaluated"} >= {
        "identity",
        "secret",
        "review",
    }
    assert states["shortcuts"] != "failed"
    assert {RULES[finding.rule].gate for finding in check.findings} <= set(EXTERNAL)


def test_nothing_that_reads_no_text_beats_a_coin(check: CheckReport) -> None:
    assert best(check)[1] == pytest.approx(50.0, abs=1e-9)


def test_the_published_bank_of_the_same_points_beside_it(
    check: CheckReport, testdata: Path, tmp_path: Path
) -> None:
    theirs = published(testdata, tmp_path / "published")
    print("\n" + table(check, theirs))
    counts = {finding.rule: finding.count for finding in theirs.findings}
    assert counts["published-window-unstated"] > 200
    assert counts["published-sibling-date"] > 20
    assert counts["published-premise"] > 0
    assert best(theirs)[1] > 60
    ours = {finding.rule for finding in check.findings}
    assert not [
        rule for rule in ours if rule.startswith("published-") or RULES[rule].gate == "structure"
    ]


def test_the_recording_holds_no_prompt_and_no_long_piece_of_the_timeline(testdata: Path) -> None:
    assert check_recording(RECORDING).problems == ()
    lines = [line for path in files_of(RECORDING) for line in read_file(path)]
    assert len(lines) <= 60
    assert all("messages" not in line.request for line in lines)
    source = plain(timeline(testdata).read_text(encoding="utf-8"))
    written = plain("\n".join(line.text() for line in lines))
    size = LONGEST_RUN + 1
    pieces = {source[i : i + size] for i in range(len(source) - size + 1)}
    shared = {written[i : i + size] for i in range(len(written) - size + 1)} & pieces
    assert not shared


def plain(text: str) -> str:
    """A text without the names of people and bodies, which tokens and renderings write differently."""
    return re.sub(r"⟦[^⟧]*⟧|(?:人物|机构|平台|媒体)[A-Z]", "", text)


def test_another_timeline_is_refused_before_anything_is_made(
    testdata: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.md"
    changed.write_text(timeline(testdata).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    done = imported(tmp_path, changed)
    assert done.returncode == 2
    assert "is not the timeline of the recording" in done.stderr
    assert "it is found here" in done.stderr
    assert not (tmp_path / "workspaces").exists()


def test_a_changed_prompt_is_a_miss_that_says_that_no_words_are_recorded(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "workspaces", tmp_path / "workspaces")
    overlay = tmp_path / "prompts" / "claims"
    overlay.mkdir(parents=True)
    for name in ("outcomes.md", "_style.md"):
        shutil.copy(ROOT / "prompts" / "claims" / name, overlay)
    with (overlay / "outcomes.md").open("a", encoding="utf-8") as file:
        file.write("Write plainly.\n")
    config = tmp_path / "workspaces" / "real-arc" / "event.toml"
    fields = tomllib.loads(config.read_text(encoding="utf-8"))
    fields["settings"] = {"prompts_dir": str(tmp_path / "prompts")}
    config.write_text(tomli_w.dumps(fields), encoding="utf-8")
    done = factory(tmp_path, "run", "real-arc")
    assert done.returncode == 2, done.stderr
    said = done.stderr.rsplit("factory:", 1)[1]
    assert "stage claims, item 'n" in said
    assert "recorded without the words of its prompts" in said


def test_new_event_says_how_a_recording_of_a_timeline_begins(tmp_path: Path) -> None:
    done = factory(tmp_path, "new-event", "--replay", str(RECORDING), "--yes")
    assert done.returncode == 2
    assert "factory import auto FILE --as timeline" in done.stderr
    assert not (tmp_path / "workspaces").exists()


def test_a_recording_of_calls_alone_shows_answers_and_places(tmp_path: Path) -> None:
    done = factory(tmp_path, "cassette", "show", str(RECORDING), "resolve")
    assert done.returncode == 0, done.stderr
    assert "does not hold the words of this prompt" in done.stdout
    assert '"at":' in done.stdout
    rows = [json.loads(row) for row in (RECORDING / "14_translate.jsonl").read_text().splitlines()]
    sealed = {row["item"] for row in rows if "sealed" in row["response"]}
    assert sealed == {"timeline-001", "timeline-002", "timeline-003"}
