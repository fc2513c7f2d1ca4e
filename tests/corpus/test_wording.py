"""What is kept keeps its words; what is compared has only the words that are the text's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factory.dedup.wording import (
    clean,
    comparable,
    exact_key,
    language,
    learn_boilerplate,
    names,
    sentences,
    shingles,
    tokens,
)


@given(st.text())
def test_cleaning_keeps_every_letter_and_digit_and_is_done_once(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    letters = [char for char in clean("x" + text + "x") if char.isalnum()]
    import unicodedata

    assert letters == [c for c in "x" + unicodedata.normalize("NFC", text) + "x" if c.isalnum()]


def test_kept_text_keeps_hashtags_and_addresses_that_comparison_leaves_out() -> None:
    post = "渡轮又涨价了！#兰米尔# @港口观察 http://t.example/zZ91 😂"
    assert clean(post) == post
    assert comparable("", post) == "渡轮又涨价了!"


def test_footers_do_not_make_two_articles_alike() -> None:
    footer = " Sign up for our newsletter. Follow us on social media. All rights reserved."
    assert comparable("", "The dam is safe." + footer) == "The dam is safe."
    assert (
        comparable("", "大坝安全。 点击关注本报公众号，获取更多资讯。版权所有，未经授权不得转载。")
        == "大坝安全。"
    )


def test_agency_marks_and_flash_marks_are_no_words_of_the_text() -> None:
    assert comparable("", "(Meridian Wire) - Fares rise.") == "Fares rise."
    assert comparable("", "快讯：票价上调。") == "票价上调。"


def test_decimals_do_not_end_sentences() -> None:
    assert sentences("It costs 3.40 crowns. It was 3.05.") == [
        "It costs 3.40 crowns.",
        "It was 3.05.",
    ]
    assert sentences("涨至3.40克朗。原为3.05克朗！") == ["涨至3.40克朗。", "原为3.05克朗！"]


def test_a_closing_sentence_of_many_articles_is_learned_and_that_of_copies_is_not() -> None:
    footer = "Our reporters work for you."
    various = [("Harbour News", f"Story {n} begins. More of it. {footer}") for n in range(6)]
    copies = [("Harbour News", "One story begins. It ends like this.")] * 9
    learned = learn_boilerplate(various + copies)
    assert footer in learned
    assert "It ends like this." not in learned


def test_chinese_is_cut_into_characters_and_latin_into_words() -> None:
    assert tokens("票价涨12%, Fares up 3.40") == ["票", "价", "涨", "12", "fares", "up", "3.40"]
    assert shingles(["a", "b"]) == {"a b"}
    assert shingles([]) == frozenset()


def test_case_width_and_signs_do_not_make_a_text_new() -> None:
    assert exact_key("Please leave NOW！") == exact_key("please, leave ｎｏｗ")
    assert exact_key("🙂 !") == ""


def test_names_are_capitalised_words_inside_sentences() -> None:
    assert names("The Tessel plant in Gorwick stopped on Thursday.") == {"tessel", "gorwick"}


def test_language_is_told_from_script_and_common_words() -> None:
    assert language("渡轮票价上调 12%") == "zh"
    assert language("The fares will rise in March") == "en"
    assert language("フェリー運賃が上がる") == "other"
    assert language("Fahrpreise steigen") == "unknown"
    assert language("anything", "zh") == "zh"
