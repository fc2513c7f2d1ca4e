"""Rare words: a commodity or an event that gives the case away is listed wherever it stands, an ordinary word never."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.leaks import read_files
from factory.audit.leak_editions import OURS, PUBLISHED
from factory.audit.leak_lists import listed, rare_by_edition
from factory.audit.rare_words import OFTEN, ONCE, RARE, TWICE, rare_words
from factory.audit.word_counts import UNKNOWN, chinese_nats, cut, english_nats, singular
from schemas import Lang

EN = (
    "### 2025-11-04",
    "**Event**: Organisation A called a strike from Monday, 10 November 2025; fares fell 12.5 percent, says Person B.",
    "**Opinion**: People were angry, and many said that the company and the government would lose money.",
    "### 2025-11-11",
    "**Event**: Country C and Company D signed an agreement on 3,100 jobs in the first quarter of 2026.",
)
ZH = (
    "### 2025-11-04",
    "**事件**：组织A宣布自2025年11月10日（周一）起罢工，人物B称票价下降12.5%。",
    "**舆论**：人们十分气愤，许多人说公司和政府会损失金钱。",
    "### 2025-11-11",
    "**事件**：国家C与公司D签署协议，2026年第一季度保留3,100个岗位。",
)
TEXTS: dict[Lang, tuple[str, ...]] = {"en": EN, "zh": ZH}
# In any text one mention is enough for these, three for those.
AT_ONCE: dict[Lang, tuple[str, ...]] = {
    "en": ("fentanyl", "derailment", "capybara", "pangolin"),
    "zh": ("脱轨", "液冷"),
}
WITH_TIME: dict[Lang, tuple[str, ...]] = {
    "en": ("balloon", "syrup", "mosquito"),
    "zh": ("气球", "糖浆", "芬太尼"),
}
COMMON: dict[Lang, tuple[str, ...]] = {
    "en": ("government", "school", "money", "water", "people", "company", "train", "children"),
    "zh": ("政府", "学校", "火车", "孩子", "公司", "问题", "城市", "经济"),
}
LANGS: tuple[Lang, ...] = ("en", "zh")


def sentence(word: str, lang: Lang) -> str:
    return f"It was about {word} again." if lang == "en" else f"又是{word}。"


def with_words(lang: Lang, *placed: tuple[int, str]) -> str:
    """The text of an edition with a sentence about each word at the end of the paragraph of that number."""
    lines = list(TEXTS[lang])
    for place, word in placed:
        lines[place] += (" " if lang == "en" else "") + sentence(word, lang)
    return "\n\n".join(lines) + "\n"


def release(**editions: str) -> dict[str, bytes]:
    return {f"contexts/{lang}/p1.md": text.encode() for lang, text in editions.items()}


def found(text: str, lang: Lang) -> dict[str, int]:
    return {one.word: one.count for one in rare_words(text, lang)}


PARAGRAPHS = st.sampled_from([1, 2, 4])


# -- promises -------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_a_plain_text_lists_nothing(lang: Lang) -> None:
    assert found(with_words(lang), lang) == {}


@settings(max_examples=60)
@given(st.data(), st.sampled_from(LANGS))
def test_a_very_rare_word_is_listed_wherever_it_stands(data: st.DataObject, lang: Lang) -> None:
    word = data.draw(st.sampled_from(AT_ONCE[lang]))
    places = data.draw(st.lists(PARAGRAPHS, min_size=1, max_size=5))
    texts = {one: with_words(one) for one in LANGS}
    texts[lang] = with_words(lang, *((place, word) for place in places))
    assert listed(release(**texts), OURS)["rare word"] == {word: len(places)}
    by_edition = rare_by_edition(release(**texts), OURS)
    assert [one.word for one in by_edition["", lang]] == [word]
    (other,) = set(LANGS) - {lang}
    assert by_edition["", other] == []


@settings(max_examples=60)
@given(st.data(), st.sampled_from(LANGS))
def test_a_rare_word_is_listed_from_its_third_mention_on(data: st.DataObject, lang: Lang) -> None:
    word = data.draw(st.sampled_from(WITH_TIME[lang]))
    places = data.draw(st.lists(PARAGRAPHS, min_size=1, max_size=6))
    text = with_words(lang, *((place, word) for place in places))
    assert found(text, lang) == ({word: len(places)} if len(places) >= OFTEN else {})


@settings(max_examples=60)
@given(st.data(), st.sampled_from(LANGS))
def test_a_common_word_is_never_listed(data: st.DataObject, lang: Lang) -> None:
    word = data.draw(st.sampled_from(COMMON[lang]))
    places = data.draw(st.lists(PARAGRAPHS, max_size=40))
    assert found(with_words(lang, *((place, word) for place in places)), lang) == {}


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_the_list_depends_on_the_words_alone(rng: random.Random) -> None:
    """Not on the order of paragraphs, files or earlier calls."""
    lines = [sentence(word, "en") for word in (*AT_ONCE["en"], *WITH_TIME["en"] * 4)]
    before = rare_words("\n".join(lines), "en")
    rng.shuffle(lines)
    assert rare_words("\n".join(lines), "en") == before
    files = release(en="\n".join(lines), zh=with_words("zh", (1, "脱轨")))
    backwards = dict(reversed(files.items()))
    assert rare_by_edition(files, OURS) == rare_by_edition(backwards, OURS)


def test_the_heaviest_come_first_and_none_is_dropped() -> None:
    text = "\n".join(sentence(w, "en") for w in ("derailment", *["balloon"] * 4, *["syrup"] * 3))
    words = rare_words(text, "en")
    assert [(one.word, one.count) for one in words] == [
        ("balloon", 4), ("syrup", 3), ("derailment", 1),
    ]  # fmt: skip
    assert [one.weight for one in words] == sorted((one.weight for one in words), reverse=True)


# -- what is a word -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Two derailments after a derailment.", {"derailment": 2}),
        ("Derailment closed the line. “Derailment again”, said one.", {"derailment": 2}),
        ("The derailment's cause", {"derailment": 1}),
        ("a post-derailment report", {"derailment": 1}),
        # A capital inside a sentence looks like a name, which is another list.
        ("They met at Derailment.", {}),
        ("It doesn't, they weren’t, we cannot", {}),
        ("confusedly, unbudgeable, flabbergasted", {}),
        ("see x.org/derailment, #derailment and @derailment", {}),
        ("Organisation A, Person BC and Event D", {}),
        ("netizen mockery sarcasm schadenfreude", {}),
        ("from Monday 3 November to 12.5 percent in 2026", {}),
    ],
)
def test_english_words(text: str, words: dict[str, int]) -> None:
    assert found(text, "en") == words


def test_a_compound_of_two_less_common_words_counts_with_and_without_hyphen() -> None:
    text = "A liquid-cooling firm. Its liquid-cooling pumps. Liquid cooling sells."
    assert found(text, "en") == {"liquid-cooling": 3}
    assert found("A liquid-cooling firm.", "en") == {}
    assert found("a long-term plan, a long-term aim, a long term", "en") == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("火车脱轨后，又一列火车脱轨。", {"脱轨": 2}),
        ("加征芬太尼关税，芬太尼问题，对芬太尼的关税", {"芬太尼": 3}),
        ("芬太尼关税", {}),  # an unknown run once may be a wrong cut
        ("组织A、人物BC和事件D", {}),
        ("嘲讽嘲讽嘲讽，调侃调侃调侃", {}),
        ("自2025年11月3日（周一）起", {}),
    ],
)
def test_chinese_words(text: str, words: dict[str, int]) -> None:
    assert found(text, "zh") == words


def test_a_placeholder_of_a_published_bank_is_no_word() -> None:
    assert rare_words("Agency R and Chipmaker D met. Agency R left.", "en", ours=False) == []
    assert rare_words("芯片商D与机构R，芯片商D与机构R，芯片商D。", "zh", ours=False) == []


@settings(max_examples=100)
@given(st.text(alphabet="火车脱轨液冷气球的了在与关税政府芬太尼一", max_size=30))
def test_cutting_chinese_loses_no_character(han: str) -> None:
    words = cut(han)
    assert "".join(words) == han
    nats, _ = chinese_nats()
    assert all(len(word) == 1 or word in nats for word in words)


def test_singulars_keep_words_that_only_look_like_plurals() -> None:
    same = ("species", "series", "bus", "crisis", "gas", "chess", "his")
    assert [singular(word) for word in same] == list(same)
    pairs = {"balloons": "balloon", "countries": "country", "boxes": "box", "knives": "knife"}
    assert {word: singular(word) for word in pairs} == pairs


def test_questions_add_words_of_their_own_once_and_no_mentions() -> None:
    row = {"question_id": "q1", "text": "Will a derailment or a balloon happen before the strike?"}
    rows = "".join(json.dumps({**row, "question_id": f"q{n}"}) + "\n" for n in range(9))
    files = release(en=with_words("en", (1, "fentanyl"))) | {
        "exam/en/calibration.jsonl": rows.encode()
    }
    words = rare_by_edition(files, OURS)["", "en"]
    assert {one.word: one.count for one in words} == {"fentanyl": 1, "derailment": 1}


# -- the lists behind it --------------------------------------------------------------------------


def test_the_lists_hold_each_word_once_in_a_band_that_the_thresholds_use() -> None:
    nats, may_be_listed = chinese_nats()
    assert {nats[word] for word in may_be_listed} == set(range(RARE["zh"], ONCE + 1))
    assert len(may_be_listed) > 40_000
    assert len(nats) - len(may_be_listed) > 20_000
    assert all(2 <= len(word) <= 4 for word in nats)
    english = english_nats()
    assert set(english.values()) == set(range(9, ONCE))
    assert len(english) > 25_000
    assert all(word.isascii() and word.islower() for word in english)
    assert RARE["en"] < TWICE["en"] < ONCE < UNKNOWN > max(nats.values())


@pytest.mark.parametrize(("rarer", "commoner"), [("balloon", "train"), ("uranium", "liquid")])
def test_rarer_words_have_more_nats(rarer: str, commoner: str) -> None:
    assert english_nats()[rarer] > english_nats()[commoner]


# -- published banks ------------------------------------------------------------------------------

KNOWN = {
    ("event2_trump_tariff", "en"): {"fentanyl": 49, "syrup": 3},
    ("event2_trump_tariff", "zh"): {"芬太尼": 54, "糖浆": 3},
    ("event3_tiktok", "en"): {"balloon": 5, "derailment": 1},
    ("event3_tiktok", "zh"): {"气球": 5, "脱轨": 1},
    ("event5_smci", "en"): {"liquid-cooling": 3, "mosquito-repellent": 2},
    ("event5_smci", "zh"): {"液冷": 3, "蚊香": 2},
}
"""Words by which the published events are recognised, as often as they were counted by hand in the last context."""
LONGEST_LIST = {"event1": 130, "event2": 470, "event3": 300, "event4": 140, "event5": 130}


def test_known_words_of_the_published_events_are_listed(testdata: Path) -> None:
    files = read_files(testdata / "official" / "demo")
    lists = rare_by_edition(files, PUBLISHED)
    assert len(lists) == 10
    for place, known in KNOWN.items():
        group, lang = place
        counts = {one.word: one.count for one in lists[group, "zh" if lang == "zh" else "en"]}
        assert {word: counts.get(word, 0) for word in known} == known
    longer = {
        (group, lang): len(words)
        for (group, lang), words in lists.items()
        if not 20 < len(words) <= LONGEST_LIST[group.split("_")[0]]
    }
    assert longer == {}
