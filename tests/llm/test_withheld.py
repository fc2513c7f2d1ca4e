"""Recordings without the words of their prompts: whoever has the text replays them, nobody else learns it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.errors import BadInput, CassetteBroken, CassetteMiss
from factory.llm.cache import canonical
from factory.llm.replay import (
    Line,
    carry_answers,
    check_recording,
    files_of,
    read_file,
    record_answers,
    show_calls,
)
from factory.llm.withheld import readable, restored, withhold
from schemas import EventConfig
from tests.llm.conftest import Desk
from tests.mock_server import MockServer

PROMPT_TEXT = "Chronicle: ⟦GOV:A⟧ closes the ferry. 渡轮停航三天。 Ids: s4f00aa, occurs."
NOTES = ("停电三天。居民不满。Power is back.", "second note. It is short.", "third")


def line(
    answer: object, *, stage: str = "resolve", item: str = "one", text: str = PROMPT_TEXT
) -> Line:
    messages = [{"role": "system", "content": "Read."}, {"role": "user", "content": text}]
    request = {"family": "f", "messages": messages, "model": "m", "sampling": {}, "schema": "s"}
    made = Line(
        key="", stage=stage, item=item, sample=0, attempt=0, prompt=f"{stage}/p",
        request=request | {"answer": "Answer"},
        response={"answer": answer, "finish_reason": "stop", "usage": {}},
    )  # fmt: skip
    return replace(made, key=made.expected_key())


def asked(full: Line) -> str:
    return canonical({name: value for name, value in full.request.items() if name != "answer"})


def test_a_quote_becomes_a_place_and_ids_stay_readable() -> None:
    full = line({"id": "s4f00aa", "state": "occurs", "quote": "渡轮停航三天", "note": "stated"})
    bare = withhold(full)
    assert "messages" not in bare.request
    kept = bare.response["answer"]
    assert kept == {
        "id": "s4f00aa", "state": "occurs", "note": "stated",
        "quote": {"at": len("Read.\n") + PROMPT_TEXT.index("渡轮"), "length": 6},
    }  # fmt: skip
    assert restored(bare, asked(full)) == full.response


def test_words_of_the_writer_stay_as_they_are() -> None:
    full = line({"text": "a bridge is built", "list": ["x", 3, None, True]})
    assert withhold(full).response == full.response
    assert readable(withhold(full).response)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["渡轮停航三天", "the ferry. 渡轮"]) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=12,
    ),
    st.sampled_from(["resolve", "translate"]),
)  # fmt: skip
def test_every_answer_comes_back_as_it_was(answer: object, stage: str) -> None:
    full = line(answer, stage=stage)
    bare = Line(**json.loads(withhold(full).text()))
    assert restored(bare, asked(full)) == full.response


def test_an_answer_that_retells_its_prompt_opens_for_the_same_request_only() -> None:
    full = line({"text": "The ferry stops for three days."}, stage="translate", item="timeline-001")
    bare = withhold(full)
    assert "ferry" not in bare.text()
    assert set(bare.response) == {"sealed", "check"}
    assert restored(bare, asked(full)) == full.response
    other = line({}, stage="translate", item="timeline-001", text=PROMPT_TEXT + " ")
    with pytest.raises(CassetteBroken, match=r"stage translate, item 'timeline-001' does not open"):
        restored(bare, asked(other))


def test_claims_are_the_writers_own_words_in_a_translation_too() -> None:
    full = line({"text": "⟦GOV:A⟧ reopens"}, stage="translate", item="claims-001")
    assert withhold(full).response == full.response


@pytest.mark.parametrize("place", [{"at": 5, "length": 999}, {"at": -1, "length": 4}, {"at": "x", "length": 1}])  # fmt: skip
def test_a_place_outside_the_prompt_is_a_damaged_recording(place: dict[str, object]) -> None:
    full = line({"quote": "渡轮停航三天"})
    bare = replace(withhold(full), response={"answer": {"quote": place}})
    with pytest.raises(CassetteBroken, match="does not open"):
        restored(bare, asked(full))


# -- through the door --------------------------------------------------------------------------


@pytest.fixture
def recording(desk: Desk, server: MockServer) -> Path:
    """Three calls of stage distil, whose answers retell their prompts, recorded without them."""
    desk.ask(*NOTES)
    event = EventConfig.model_validate({"slug": "test", "topic": "a test", "fictional": True})
    record_answers(desk.workspace, event, desk.root / "recording", prompts=False)
    server.requests.clear()
    return desk.root / "recording"


def test_no_word_of_a_prompt_is_recorded_and_replay_is_the_same(
    desk: Desk, server: MockServer, recording: Path
) -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in files_of(recording))
    for words in ("停电三天", "居民不满", "second note", "Power is back"):
        assert words not in written
    live = desk.ask(*NOTES)
    for path in desk.workspace.root.glob("factory.db*"):
        path.unlink()
    assert desk.ask(*NOTES, mode="replay", record_into=desk.root / "again") == live
    assert server.requests == []
    # The workspace of a replay holds the whole calls, so it can be recorded with its prompts.
    assert "停电三天" in next((desk.root / "again").glob("*.jsonl")).read_text(encoding="utf-8")


def test_a_miss_names_stage_and_item_and_says_that_the_words_are_not_held(
    desk: Desk, recording: Path
) -> None:
    with pytest.raises(CassetteMiss) as miss:
        desk.ask("停电四天。", *NOTES[1:], mode="replay")
    said = str(miss.value)
    assert "stage distil, item" in said
    assert "asked in other words or of another text" in said
    assert "without the words of its prompts" in said
    with pytest.raises(CassetteMiss, match="it holds 3 calls of this stage, none for that item"):
        desk.ask(*NOTES, "a fourth", mode="replay")
    desk.profile = {"temperature": 0.7}
    with pytest.raises(CassetteMiss, match=r"sampling: recorded .*0\.0.*asked .*0\.7"):
        desk.ask(*NOTES, mode="replay")


def test_check_and_show_say_that_the_prompt_is_not_there(recording: Path) -> None:
    report = check_recording(recording)
    assert report.problems == ()
    assert "3 without the prompt" in report.lines[0]
    (path,) = files_of(recording)
    shown = show_calls(recording, read_file(path)[0].item)
    assert "does not hold the words of this prompt" in shown


def test_an_answer_that_needs_its_prompt_cannot_be_carried_over(
    desk: Desk, recording: Path
) -> None:
    with pytest.raises(BadInput, match="quotes or retells a prompt"):
        carry_answers(recording, desk.workspace)
