"""Recordings: made from a finished run, replayed without a network, explained when they miss, carried over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factory.errors import AnswerFailed, BadInput, CassetteBroken, CassetteMiss
from factory.llm.replay import (
    carry_answers,
    check_recording,
    read_file,
    record_answers,
    show_calls,
)
from schemas import EventConfig
from tests.llm.conftest import PROMPT, Desk
from tests.mock_server import MockServer

NOTES = ("停电三天。居民不满。Power is back.", "second note. It is short.", "third")


@pytest.fixture
def recording(desk: Desk, server: MockServer) -> Path:
    """A recording of three calls, the first of which was asked again."""
    server.faults.append("invalid")
    desk.ask(NOTES[0])  # alone: of three calls at once any may be the first to arrive
    desk.ask(*NOTES, record_into=desk.root / "recording")
    server.requests.clear()
    return desk.root / "recording"


def forget(desk: Desk) -> None:
    for path in desk.workspace.root.glob("factory.db*"):
        path.unlink()


def test_a_recording_is_readable_sorted_and_without_volatile_fields(recording: Path) -> None:
    (path,) = recording.glob("*.jsonl")
    assert path.name == "03_distil.jsonl"
    text = path.read_text(encoding="utf-8")
    assert "停电三天" in text
    for word in ("chatcmpl", 'fingerprint": "fp', "127.0.0.1", "created", "sk-planted"):
        assert word not in text
    rows = [json.loads(line) for line in text.splitlines()]
    assert list(rows[0]) == [
        "key", "stage", "item", "sample", "attempt", "prompt", "request", "response",
    ]  # fmt: skip
    assert len(rows) == 4
    assert rows == sorted(rows, key=lambda row: (row["item"], row["sample"], row["attempt"]))
    assert check_recording(recording).problems == ()


def test_replay_gives_the_same_answers_without_a_request_or_a_key(
    desk: Desk, server: MockServer, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = desk.ask(*NOTES)
    forget(desk)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert desk.ask(*NOTES, mode="replay") == live
    assert server.requests == []
    assert {row[0] for row in desk.rows("SELECT source FROM llm_ledger")} == {"replay"}


def test_replaying_and_recording_again_gives_the_same_bytes(desk: Desk, recording: Path) -> None:
    forget(desk)
    desk.ask(*NOTES, mode="replay", record_into=desk.root / "again")
    first, again = (next(folder.glob("*.jsonl")) for folder in (recording, desk.root / "again"))
    assert first.read_bytes() == again.read_bytes()


def test_a_miss_names_the_nearest_call_and_the_changed_sentence(
    desk: Desk, recording: Path
) -> None:
    forget(desk)
    changed = NOTES[0].replace("居民不满。", "居民高兴。")
    with pytest.raises(CassetteMiss) as caught:
        desk.ask(changed, *NOTES[1:], mode="replay")
    text = str(caught.value)
    assert "stage distil, item 'n0'" in text
    assert "nearest is item 'n0'" in text
    assert "- 居民不满。" in text
    assert "+ 居民高兴。" in text
    assert "停电三天" not in text.replace("- 居民", "")
    assert "`factory cassette record test --stage distil`" in text


def test_a_miss_names_changed_sampling_and_an_unrecorded_stage(desk: Desk, recording: Path) -> None:
    forget(desk)
    desk.profile = {"temperature": 0.7}
    with pytest.raises(CassetteMiss, match=r"sampling: recorded .*0\.0.*asked .*0\.7"):
        desk.ask(*NOTES, mode="replay")
    with pytest.raises(CassetteMiss, match="holds no calls of stage vet"):
        desk.ask(*NOTES, mode="replay", stage="vet")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[: len(text) // 2], "line 2"),
        (lambda text: text.replace('"item"', '"thing"', 1), "line 1.*lacks 'item'"),
        (lambda text: text.replace('"answer": {', '"nothing": {', 1), "line 1"),
    ],
)
def test_a_damaged_recording_names_file_and_line(
    desk: Desk, recording: Path, damage, words: str
) -> None:
    path = recording / "03_distil.jsonl"
    text = damage(path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    forget(desk)
    with pytest.raises(CassetteBroken, match=f"03_distil.jsonl {words}"):
        desk.ask(*NOTES, mode="replay")


def test_carried_answers_survive_a_changed_prompt(
    desk: Desk, server: MockServer, recording: Path
) -> None:
    before = desk.ask(*NOTES)
    forget(desk)
    (desk.prompts / "desk/note.md").write_text(PROMPT.replace("Read", "Study"), encoding="utf-8")
    with pytest.raises(CassetteMiss):
        desk.ask(*NOTES, mode="replay")
    assert carry_answers(recording, desk.workspace) == 3
    into = desk.root / "carried"
    assert desk.ask(*NOTES, mode="replay", record_into=into) == before
    assert server.requests == []
    forget(desk)
    (recording / "03_distil.jsonl").write_bytes((into / "03_distil.jsonl").read_bytes())
    assert desk.ask(*NOTES, mode="replay") == before


def test_a_carried_answer_that_no_longer_fits_is_not_used(
    desk: Desk, server: MockServer, recording: Path
) -> None:
    path = recording / "03_distil.jsonl"
    lines = [line for line in read_file(path) if line.item != "n1"]
    bad = next(line for line in read_file(path) if line.item == "n1")
    bad.response["answer"] = {"kind": "rumour"}
    path.write_text("".join(line.text() + "\n" for line in [*lines, bad]), encoding="utf-8")
    forget(desk)
    carry_answers(recording, desk.workspace)
    (desk.prompts / "desk/note.md").write_text(PROMPT.replace("Read", "Study"), encoding="utf-8")
    with pytest.raises(CassetteMiss, match="item 'n1'"):
        desk.ask(*NOTES, mode="replay")
    assert any("n1: the earlier answer no longer fits" in line for line in desk.said)


def test_the_raw_side_of_a_real_event_is_not_recorded(desk: Desk, server: MockServer) -> None:
    with pytest.raises(BadInput, match="fictional"):
        desk.ask("a", fictional=False, record_into=desk.root / "r")
    desk.ask("a", fictional=False)
    real = EventConfig(slug="test", topic="t", fictional=False)
    with pytest.raises(BadInput, match="fictional"):
        record_answers(desk.workspace, real, desk.root / "r")
    desk.ask("a", stage="claims", fictional=False)
    record_answers(desk.workspace, real, desk.root / "r", stages=["claims"])
    assert [path.name for path in (desk.root / "r").iterdir()] == ["03_claims.jsonl"]


def test_only_the_latest_run_of_a_stage_is_recorded(desk: Desk, server: MockServer) -> None:
    desk.ask("a", "b")
    desk.ask("a", "c")
    event = EventConfig(slug="test", topic="t", fictional=True)
    counts = record_answers(desk.workspace, event, desk.root / "r")
    assert counts == {"03_distil.jsonl": 2}
    assert "\\nb\\n" not in (desk.root / "r/03_distil.jsonl").read_text(encoding="utf-8")


def test_check_finds_keys_that_do_not_fit_doubles_and_secrets(recording: Path) -> None:
    path = recording / "03_distil.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[1]["request"]["messages"][0]["content"] = "sk-abcdefghijklmnopqrstuv"
    rows.append(rows[0])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    problems = " ".join(check_recording(recording).problems)
    for word in ("does not fit", "looks like a key", "not sorted", "twice"):
        assert word in problems


def test_show_prints_prompt_and_answer(recording: Path) -> None:
    shown = show_calls(recording, "n0")
    assert "停电三天。" in shown
    assert '"kind"' in shown
    assert show_calls(recording, "distil").count("## answer") == 4
    with pytest.raises(BadInput, match="nearest are n0"):
        show_calls(recording, "n00")


def test_a_missing_recording_is_said(desk: Desk) -> None:
    with pytest.raises(CassetteMiss, match="holds no calls"):
        desk.ask("a", mode="replay")


def test_a_refused_call_is_replayed_as_refused_and_asked_again_when_live(
    desk: Desk, server: MockServer
) -> None:
    server.marked = {"poison": "refusal"}
    live = desk.ask("a", "poison", record_into=desk.root / "recording")
    text = (desk.root / "recording/03_distil.jsonl").read_text(encoding="utf-8")
    assert '"response": {"failed": "refused"}' in text
    assert "I cannot help" not in text
    forget(desk)
    replayed = desk.ask("a", "poison", mode="replay", record_into=desk.root / "again")
    assert replayed[0] == live[0]
    assert isinstance(replayed[1], AnswerFailed)
    assert replayed[1].reason == "refused"
    assert (desk.root / "again/03_distil.jsonl").read_text(encoding="utf-8") == text
    assert check_recording(desk.root / "again").problems == ()
    server.marked = {}
    assert not isinstance(desk.ask("a", "poison")[1], AnswerFailed)
