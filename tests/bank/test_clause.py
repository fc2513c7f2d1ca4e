"""Promises of a claim's words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.bank.clause import (
    ClauseError,
    absolute_words,
    clause,
    comparable,
    first_mentions,
    known_from,
    known_refs,
    overlap,
    tidy_clause,
    time_words,
    trigrams,
    whole_words,
)
from factory.bank.skeleton import skeleton
from factory.segments import entity_refs, from_tokens, to_tokens
from schemas import Lang
from tests.bank.story import EN, ZH, timeline

KNOWN = known_refs(timeline().nodes)


@pytest.mark.parametrize("text", ["⟦GOV:A⟧拒绝对线路表态", "⟦GOV:A⟧说明日期的选择"])
def test_characters_of_two_words_are_no_word_of_the_lists(text: str) -> None:
    assert clause(text, "zh", KNOWN)


@pytest.mark.parametrize(
    ("lang", "text", "reason"),
    [
        ("en", "⟦GOV:A⟧ closes the line on ⟦D:2031-04-05⟧", "holds a date"),
        ("en", "⟦GOV:A⟧ closes the line in April", "holds a time expression"),
        ("en", "⟦GOV:A⟧ closes the line on 5 May", "holds a time expression"),
        ("en", "⟦GOV:A⟧ closes the line within 30 days", "holds a time expression"),
        ("en", "⟦GOV:A⟧ closes the line by the end of the year", "holds a time expression"),
        ("en", "⟦GOV:A⟧ closes the line on Friday", "holds a time expression"),
        ("en", "⟦GOV:A⟧ permanently closes the line", "holds an absolute word"),
        ("en", "⟦GOV:A⟧ closes all lines", "holds an absolute word"),
        ("en", "⟦GOV:Q⟧ closes the line", "unusable token"),
        ("en", "⟦GOV:A closes the line", "unusable token"),
        ("en", "⟦GOV:A⟧ closes the line. ⟦COM:A⟧ appeals", "is not one clause"),
        ("en", "⟦GOV:A⟧关闭线路", "is not in English"),
        ("en", " . ", "empty text"),
        ("zh", "⟦GOV:A⟧于4月关闭线路", "holds a time expression"),
        ("zh", "⟦GOV:A⟧三十天内关闭线路", "holds a time expression"),
        ("zh", "⟦GOV:A⟧周五关闭线路", "holds a time expression"),
        ("zh", "⟦GOV:A⟧年底前关闭线路", "holds a time expression"),
        ("zh", "⟦GOV:A⟧永久关闭线路", "holds an absolute word"),
        ("zh", "⟦GOV:A⟧关闭所有线路", "holds an absolute word"),
        ("zh", "⟦GOV:A⟧ closes the line", "is not in Chinese"),
        ("zh", "⟦GOV:A⟧关闭线路。⟦COM:A⟧上诉", "is not one clause"),
    ],
)
def test_a_claim_that_breaks_a_rule_is_refused_with_the_reason(
    lang: Lang, text: str, reason: str
) -> None:
    with pytest.raises(ClauseError) as caught:
        clause(text, lang, KNOWN)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "residents march to the town hall of ⟦PLC:A⟧"),
        ("en", "⟦COM:A⟧ suspends the line for six months"),
        ("en", "⟦GOV:A⟧ approves the plan by 12 votes to 9"),
        ("en", "2000 residents sign a petition"),
        ("zh", "⟦COM:A⟧在7号码头恢复2号线"),
        ("zh", "⟦GOV:A⟧开放每周三次的周末集市"),
        ("zh", "⟦GOV:B⟧确认⟦COM:A⟧对码头的所有权"),
        ("zh", "新码头试运行3个月"),
        ("zh", "议会全体会议推迟表决"),
    ],
)
def test_lengths_of_time_and_look_alikes_are_no_dates(lang: Lang, text: str) -> None:
    assert to_tokens(clause(text, lang, KNOWN)) == text


def test_a_name_that_the_context_does_not_hold_is_refused() -> None:
    before = known_refs(timeline().nodes[:2])
    with pytest.raises(ClauseError) as caught:
        clause("⟦GOV:B⟧ rules against ⟦COM:A⟧", "en", KNOWN, before=before)
    assert caught.value.reason == "names someone not yet known"
    assert caught.value.detail == "GOV:B"


def test_a_claim_is_known_from_the_day_after_all_its_names_were_met() -> None:
    arc = timeline()
    first = first_mentions(arc.nodes)
    text = from_tokens("⟦GRP:A⟧ sues ⟦GOV:A⟧ before ⟦GOV:B⟧")
    day = known_from(text, first)
    assert day == arc.nodes[4].date + timedelta(days=1)
    for cutoff in (day - timedelta(days=1), day):
        met = known_refs(n for n in arc.nodes if n.date < cutoff)
        assert (set(entity_refs(text)) <= met) is (cutoff >= day)
    assert known_from(from_tokens("residents march"), first) is None


@pytest.mark.parametrize(
    ("text", "tidy"),
    [
        ("The council puts off its vote.", "the council puts off its vote"),
        ("A new pier opens", "a new pier opens"),
        ("TV stations report a strike", "TV stations report a strike"),
        ("⟦GOV:A⟧ orders fewer crossings.", "⟦GOV:A⟧ orders fewer crossings"),
        ('"The line  stops"', "the line stops"),
    ],
)
def test_an_english_claim_becomes_a_clause(text: str, tidy: str) -> None:
    assert tidy_clause(text, "en") == tidy


@given(st.sampled_from([("en", t) for t in EN] + [("zh", t) for t in ZH]))
def test_tidying_twice_changes_nothing_more(case: tuple[Lang, str]) -> None:
    lang, text = case
    once = tidy_clause(text, lang)
    assert tidy_clause(once, lang) == once


def test_ordinary_news_sentences_hold_no_time_and_no_absolute_word() -> None:
    for lang, sentences in (("en", EN), ("zh", ZH)):
        for text in sentences:
            assert not time_words(text, lang)
            assert not absolute_words(text, lang)


@given(st.sampled_from(EN), st.sampled_from(EN))
def test_likeness_is_symmetric_and_one_for_the_same_text(left: str, right: str) -> None:
    a, b = from_tokens(left), from_tokens(right)
    assert overlap(trigrams(a), trigrams(b)) == overlap(trigrams(b), trigrams(a))
    assert overlap(trigrams(a), trigrams(a)) == 1
    assert (comparable(a) == comparable(b)) == (left == right)


def test_a_skeleton_keeps_the_form_and_no_content_word() -> None:
    text = from_tokens("⟦GOV:A⟧ approves the relocation plan by a majority of 12 to 9")
    assert skeleton(text, "en") == "[GOV] _ the _ _ by a _ of [figure] to [figure]"
    assert skeleton(from_tokens("⟦GOV:A⟧以12票通过搬迁方案"), "zh") == "[GOV]以[figure]_______"


@given(st.sampled_from(EN))
def test_a_skeleton_hides_every_name_figure_and_long_word(sentence: str) -> None:
    words = skeleton(from_tokens(sentence), "en")
    assert "⟦" not in words
    assert not any(character.isdigit() for character in words)
    assert "closure" not in words
    assert "pier" not in words


@pytest.mark.parametrize(
    ("quote", "sentence", "wide"),
    [
        ("claim damages for the stop", "it would claim damages for the stoppage", "claim damages for the stoppage"),
        ("aim damages", "it would claim damages", "claim damages"),
        ("claim damages", "it would claim damages", "claim damages"),
        ("stop", "the stoppage ends and they stop", "stop"),
        ("paid 1,2", "it paid 1,204.50 yuan", "paid 1,204.50"),
        ("paid 1,204", "it paid 1,204, not more", "paid 1,204"),
        ("A⟧ stops", "⟦COM:A⟧ stops the line", "⟦COM:A⟧ stops"),
        ("A⟧ stop", "⟦COM:A⟧ stops the line", "⟦COM:A⟧ stops"),
        ("⟧ stops", "⟦COM:A⟧ stops the line", "⟦COM:A⟧ stops"),
        ("宣布将就停工", "公司宣布将就停工索赔", "宣布将就停工"),
        ("paid 公", "it paid 公司", "paid 公"),
        ("aid 公", "it paid 公司", "paid 公"),
        ("née la", "Renée later", "Renée later"),
        ("not there", "another text", "not there"),
    ],
)  # fmt: skip
def test_a_quote_ends_on_whole_words(quote: str, sentence: str, wide: str) -> None:
    assert whole_words(quote, sentence) == wide


@given(st.text("ab 1,⟦⟧:公。", min_size=1, max_size=20), st.data())
def test_a_widened_quote_stands_in_its_sentence_and_is_widened_once(
    sentence: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(sentence) - 1))
    quote = sentence[start : data.draw(st.integers(start + 1, len(sentence)))]
    wide = whole_words(quote, sentence)
    assert quote in wide
    assert wide in sentence
    assert whole_words(wide, sentence) == wide
