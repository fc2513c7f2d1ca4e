"""Chinese names that are ordinary words wait for a person, with the places where they stand."""

from __future__ import annotations

import pytest

from factory.anonymise.ordinary_zh import ordinary_chinese
from factory.anonymise.table import Named, build_table, contested, settle
from factory.audit.word_counts import cut
from schemas import EntityClass, ReplacementTable

TEXT = "他喝小米粥，苹果吃苹果。市长江泽今天说，长江以北停航。"
GIVEN: list[tuple[EntityClass, tuple[str, ...]]] = [
    ("COM", ("小米",)),
    ("COM", ("苹果",)),
    ("PLC", ("长江",)),
    ("PLC", ("美国",)),
    ("PER", ("蒋韦骆",)),
    ("PLC", ("西港市",)),
    ("COM", ("凯尔普渡轮公司",)),
]


def table(origin: str = "model") -> ReplacementTable:
    return build_table([Named(cls, names, origin) for cls, names in GIVEN], [TEXT], "salt")


def test_words_of_the_language_and_names_run_through_by_others_are_asked_about() -> None:
    found = {row.surface: row for row in ordinary_chinese(table(), TEXT)}
    assert set(found) == {"小米", "苹果", "长江"}
    assert found["小米"].reason == found["苹果"].reason == "also an ordinary word"
    assert "市长|江" in found["长江"].reason
    assert found["长江"].contexts == (TEXT,)
    assert len(found["苹果"].contexts) == 2
    assert found["小米"].owners == ("小米",)


@pytest.mark.parametrize(
    "text",
    [
        "他在美国运营渡轮，对美国议员说话，美国人多。",
        "蒋韦骆说，蒋韦骆的西港市和西港都停航了。",
        "凯尔普渡轮公司停航，凯尔普渡轮的人在西港等。",
        "长江的水位上涨，武汉的长江上有人。",
    ],
)
def test_names_that_stand_as_names_are_not_asked_about(text: str) -> None:
    assert ordinary_chinese(table(), text) == []


def test_traditional_characters_are_the_same_word() -> None:
    named = build_table([Named("COM", ("蘋果",))], [], "salt")
    assert [row.surface for row in ordinary_chinese(named, "他吃蘋果。")] == ["蘋果"]


def test_a_persons_own_name_and_a_settled_one_are_not_asked_about() -> None:
    assert ordinary_chinese(table("human"), TEXT) == []
    left = settle(table(), "小米", None)
    assert "小米" not in {row.surface for row in ordinary_chinese(left, TEXT)}


def test_a_name_contested_for_another_reason_is_asked_about_once() -> None:
    two = build_table([Named("COM", ("小米",)), Named("PRD", ("小米粥厂", "小米"))], [], "salt")
    assert "小米" in {row.surface for row in contested(two)}
    assert ordinary_chinese(two, TEXT) == []


def test_names_are_words_of_the_cut_but_weaker_than_those_of_the_list() -> None:
    assert cut("武汉长江大桥", frozenset({"长江"}))[-2:] == ["长江", "大桥"]
    assert cut("市长江泽", frozenset({"长江"})) == ["市长", "江", "泽"]
    assert "".join(cut(TEXT[:5], frozenset({"小米"}))) == TEXT[:5]
