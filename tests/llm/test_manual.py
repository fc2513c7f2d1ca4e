"""Manual mode: prompts out, answers in, nothing used for a prompt it was not written for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.errors import AnswersWaiting, BadInput
from factory.llm.ask import together
from factory.llm.manual import file_stem
from factory.llm.replay import carry_answers
from tests.llm.conftest import PROMPT, Desk, NoteAnswer

ANSWER = {"kind": "fact", "day": "2031-04-05", "text": "停电三天。"}


def folder(desk: Desk) -> Path:
    return desk.root / "manual/03_distil"


def ask(desk: Desk, *notes: str) -> list[NoteAnswer]:
    return desk.ask(*notes, mode="manual", manual_dir=str(desk.root / "manual"))


def write(desk: Desk, name: str, answer: object) -> None:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    (folder(desk) / f"{name}.answer.json").write_text(text, encoding="utf-8")


def test_all_prompts_are_written_before_the_run_stops(desk: Desk) -> None:
    with pytest.raises(AnswersWaiting, match="3 answers are waiting") as caught:
        ask(desk, "a", "停电", "c ~~~~ `````")
    assert caught.value.waiting == 3
    assert caught.value.exit_code == 3
    names = sorted(path.name for path in folder(desk).iterdir())
    assert names == ["n0.0.prompt.md", "n1.0.prompt.md", "n2.0.prompt.md"]
    page = (folder(desk) / "n1.0.prompt.md").read_text(encoding="utf-8")
    for word in ("Read the note.", "停电", "n1.0.answer.json", "role: distil", '"YYYY', "pattern"):
        assert word.strip('"') in page


def test_one_sentence_counts_what_several_groups_of_calls_wait_for() -> None:
    groups = [
        together([AnswersWaiting(f"{group}{number} waits", 1) for number in range(3)])
        for group in "ab"
    ]
    assert str(together(groups)) == "6 answers are waiting; the first: a0 waits"


def test_written_answers_resume_the_run_and_are_stored(desk: Desk) -> None:
    with pytest.raises(AnswersWaiting):
        ask(desk, "a", "b")
    write(desk, "n0.0", ANSWER)
    with pytest.raises(AnswersWaiting) as caught:
        ask(desk, "a", "b")
    assert caught.value.waiting == 1
    write(desk, "n1.0", "```json\n" + json.dumps(ANSWER) + "\n```")
    answers = ask(desk, "a", "b")
    assert answers == [NoteAnswer.model_validate(ANSWER)] * 2
    for path in folder(desk).glob("*.answer.json"):
        path.unlink()
    assert ask(desk, "a", "b") == answers


def test_a_corrected_answer_replaces_the_stored_one(desk: Desk) -> None:
    with pytest.raises(AnswersWaiting):
        ask(desk, "a")
    write(desk, "n0.0", ANSWER)
    ask(desk, "a")
    write(desk, "n0.0", ANSWER | {"kind": "opinion"})
    assert ask(desk, "a")[0].kind == "opinion"
    (folder(desk) / "n0.0.answer.json").unlink()
    assert ask(desk, "a")[0].kind == "opinion"


def test_an_invalid_answer_waits_with_its_problem_beside_it(desk: Desk) -> None:
    with pytest.raises(AnswersWaiting):
        ask(desk, "a")
    write(desk, "n0.0", ANSWER | {"day": "April", "more": 1})
    with pytest.raises(AnswersWaiting, match=r"n0\.0\.error\.md"):
        ask(desk, "a")
    problem = (folder(desk) / "n0.0.error.md").read_text(encoding="utf-8")
    assert "`day`" in problem
    assert "`more`" in problem
    assert desk.rows("SELECT count(*) FROM llm_answers") == [(0,)]
    write(desk, "n0.0", ANSWER)
    assert ask(desk, "a")[0].text == "停电三天。"
    assert not (folder(desk) / "n0.0.error.md").exists()


def test_an_answer_to_an_older_prompt_is_set_aside(desk: Desk) -> None:
    with pytest.raises(AnswersWaiting):
        ask(desk, "a")
    write(desk, "n0.0", ANSWER)
    (desk.prompts / "desk/note.md").write_text(PROMPT.replace("Read", "Study"), encoding="utf-8")
    with pytest.raises(AnswersWaiting):
        ask(desk, "a")
    assert json.loads((folder(desk) / "n0.0.stale.json").read_text(encoding="utf-8")) == ANSWER
    page = (folder(desk) / "n0.0.prompt.md").read_text(encoding="utf-8")
    assert "Study the note." in page
    assert "n0.0.stale.json" in page
    (folder(desk) / "n0.0.stale.json").rename(folder(desk) / "n0.0.answer.json")
    assert ask(desk, "a")[0].kind == "fact"


def test_an_answer_without_its_prompt_is_not_trusted(desk: Desk) -> None:
    folder(desk).mkdir(parents=True)
    write(desk, "n0.0", ANSWER)
    with pytest.raises(AnswersWaiting):
        ask(desk, "a")
    assert (folder(desk) / "n0.0.stale.json").exists()


def test_recorded_answers_are_carried_into_manual_mode(desk: Desk) -> None:
    with pytest.raises(AnswersWaiting):
        ask(desk, "a", "b")
    write(desk, "n0.0", ANSWER)
    write(desk, "n1.0", ANSWER)
    desk.ask(
        "a", "b", mode="manual", manual_dir=str(desk.root / "manual"), record_into=desk.root / "r"
    )
    for path in folder(desk).iterdir():
        path.unlink()
    (desk.prompts / "desk/note.md").write_text(PROMPT.replace("Read", "Study"), encoding="utf-8")
    carry_answers(desk.root / "r", desk.workspace)
    with pytest.raises(AnswersWaiting) as caught:
        ask(desk, "a", "b", "new")
    assert caught.value.waiting == 1
    assert [path.name for path in folder(desk).iterdir()] == ["n2.0.prompt.md"]


@pytest.mark.parametrize("inside", ["", "/in/it"])
def test_a_file_in_the_place_of_the_folder_is_refused(desk: Desk, inside: str) -> None:
    (desk.root / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(BadInput, match="taken is a file, and manual mode needs a folder"):
        desk.ask("a", mode="manual", manual_dir=str(desk.root / "taken") + inside)


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300), st.integers(0, 9))
def test_file_names_are_safe_and_differ_when_items_differ(a: str, b: str, sample: int) -> None:
    stem = file_stem(a, sample)
    assert "/" not in stem
    assert "\\" not in stem
    assert not stem.startswith(".")
    assert len(f"{stem}.prompt.md".encode()) < 200
    assert (stem.lower() == file_stem(b, sample).lower()) == (a == b)


def test_plain_items_keep_their_names() -> None:
    assert file_stem("2031-04-05", 0) == "2031-04-05.0"
    assert file_stem("family-batch-03", 2) == "family-batch-03.2"
    assert file_stem("../../etc/passwd", 0).startswith("etc-passwd-")
