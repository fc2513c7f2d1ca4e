"""The anonymisation card of a bundle: figures that need both editions are known only here."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factory.audit.edition_figures import with_editions
from factory.bundle import Bundle
from factory.forecast.baselines import run as run_baselines
from factory.hiding import hidden_rows
from factory.release import RELEASE, run
from schemas import Finding, Gate, NameFigures
from schemas.anoncard import ReviewState, WordFigures
from tests import example_event as example
from tests.scripted import make_context

NAMES = (
    NameFigures(lang="en", aliases=4, hit=3, zero_hit=1, unexplained=2),
    NameFigures(lang="zh", aliases=2, hit=0, zero_hit=2),
)
CARD = example.anonymisation_card().model_copy(update={"names": NAMES})
FILES = {
    "contexts/en/p1.md": b"The strike at Oxmere went on, said Oxmere Weekly.",
    "contexts/zh/p1.md": "公司 A 的 Oxmere 车库关闭，《晚报》报道，Oxmere 无人回应。".encode(),
}


def parity(state: str) -> Gate:
    return Gate.model_validate(
        {"name": "parity", "state": state, "measure": "-", "reason": "", "forceable": False}
    )


def finding(rule: str, count: int) -> Finding:
    return Finding(rule=rule, count=count, examples=("q1",))


def test_differences_between_the_editions_are_those_of_the_gate() -> None:
    rows = [finding("edition-refs", 2), finding("edition-dates", 1), finding("drift", 5)]
    assert with_editions(CARD, FILES, [parity("failed")], rows).parity == 3
    assert with_editions(CARD, FILES, [parity("passed")], []).parity == 0
    assert with_editions(CARD, FILES, [parity("not evaluated")], []).parity == "not evaluated"
    assert with_editions(CARD, FILES, [], []).parity == "not evaluated"


def test_names_of_the_second_edition_are_counted_and_those_of_the_first_kept() -> None:
    english, chinese = with_editions(CARD, FILES, [parity("passed")], []).names
    assert english == NAMES[0]
    assert chinese.unexplained == 2  # Oxmere and the title; the placeholder is none
    only = {"contexts/en/p1.md": FILES["contexts/en/p1.md"]}
    assert with_editions(CARD, only, [parity("passed")], []).names == NAMES


def rows(state: ReviewState) -> tuple[WordFigures, ...]:
    return (
        WordFigures(lang="en", words=4, mentions=9, state=state),
        WordFigures(lang="zh"),
    )


@pytest.mark.parametrize("state", ["reviewed", "not reviewed", "refused"])
def test_rare_words_of_the_second_edition_are_counted_and_nobody_has_seen_them(
    state: ReviewState,
) -> None:
    card = CARD.model_copy(update={"rare_words": rows(state)})
    files = {**FILES, "contexts/zh/p1.md": "火车脱轨后，又一列火车脱轨。".encode()}
    english, chinese = with_editions(card, files, [], []).rare_words
    assert english == rows(state)[0]
    assert (chinese.words, chinese.mentions, chinese.state) == (1, 2, "not reviewed")
    plain = {**FILES, "contexts/zh/p1.md": "火车来了。".encode()}
    assert with_editions(card, plain, [], []).rare_words[1].state == "reviewed"
    only = {"contexts/en/p1.md": FILES["contexts/en/p1.md"]}
    assert with_editions(card, only, [], []).rare_words == rows(state)


def test_rare_words_of_a_fictional_event_are_counted_without_a_state() -> None:
    card = CARD.model_copy(update={"rare_words": rows("not evaluated")})
    files = {**FILES, "contexts/zh/p1.md": "火车脱轨。".encode()}
    chinese = with_editions(card, files, [], []).rare_words[1]
    assert (chinese.words, chinese.state) == (1, "not evaluated")


def test_readers_see_rare_words_of_both_editions_in_both_languages() -> None:
    counted = WordFigures(lang="zh", words=1, mentions=2, state="not reviewed")
    card = CARD.model_copy(update={"rare_words": (rows("reviewed")[0], counted)})
    assert dict(hidden_rows(card, "en"))["Rare words that could tell which event it is"] == (
        "en edition: 4 words in 9 mentions (a person has looked at them); "
        "zh edition: 1 word in 2 mentions (nobody has looked at them yet)"
    )
    assert dict(hidden_rows(card, "zh"))["可能透露是哪个事件的罕见词"] == (
        "英文版：4个词，共出现9次（已有人查看）；中文版：1个词，共出现2次（尚无人查看）"
    )
    assert "Rare words that could tell which event it is" not in dict(hidden_rows(CARD, "en"))


def test_the_bundle_holds_them(tmp_path: Path) -> None:
    workspace = example.write_workspace(tmp_path)
    workspace.write("04_anonymised/card.json", CARD)
    asyncio.run(run_baselines(make_context(tmp_path, "baselines")))
    asyncio.run(run(make_context(tmp_path, "release", fictional=True, topic=example.TITLE)))
    card = Bundle.read(tmp_path / RELEASE).card
    assert card.parity == 0
    assert card.names[1].unexplained != "not evaluated"
