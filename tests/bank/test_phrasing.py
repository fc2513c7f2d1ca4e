"""Question texts: grammar around a clause, one explicit window, the same phrasing in both editions."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.bank.phrasing import (
    BOTH_INCLUDED,
    EVENTS,
    QUESTIONS,
    dates_in,
    event_text,
    fit_clause,
    normal,
    question_text,
)
from factory.segments import from_tokens, render

FIRST, LAST = date(2031, 4, 5), date(2031, 4, 12)
EN = from_tokens("⟦GOV:A⟧ approves the relocation plan by a majority vote")
ZH = from_tokens("⟦GOV:A⟧以多数票通过搬迁方案")


def test_a_question_reads_as_a_sentence_in_both_editions() -> None:
    assert question_text(EN, FIRST, LAST, "en", 0) == (
        "Will the following happen between 5 April 2031 and 12 April 2031, both days included: "
        "Authority A approves the relocation plan by a majority vote?"
    )
    assert question_text(ZH, FIRST, LAST, "zh", 0) == (
        "以下情况是否会在2031年4月5日至2031年4月12日（含首尾两日）发生：机关A以多数票通过搬迁方案？"
    )


@pytest.mark.parametrize("variant", range(len(QUESTIONS)))
def test_every_phrasing_shows_both_days_once_and_says_that_both_count(variant: int) -> None:
    for lang, clause in (("en", EN), ("zh", ZH)):
        text = question_text(clause, FIRST, LAST, lang, variant)  # type: ignore[arg-type]
        assert dates_in(text, lang) == [FIRST, LAST]  # type: ignore[arg-type]
        assert BOTH_INCLUDED[lang] in text  # type: ignore[index]
        assert text.endswith(("?", "？"))
        assert "{" not in text
        assert ".." not in text
        assert "。。" not in text


@pytest.mark.parametrize("variant", range(len(EVENTS)))
def test_a_temporal_question_names_no_day(variant: int) -> None:
    for lang, clause in (("en", EN), ("zh", ZH)):
        assert dates_in(event_text(clause, lang, variant), lang) == []  # type: ignore[arg-type]


def test_editions_have_the_same_phrasings() -> None:
    assert all(set(row) == {"en", "zh"} for row in (*QUESTIONS, *EVENTS))
    for lang in ("en", "zh"):
        assert len({row[lang] for row in QUESTIONS}) == len(QUESTIONS)  # type: ignore[index]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("The council votes.", "the council votes"),
        ("the council votes", "the council votes"),
        ("Residents petition ⟦GOV:B⟧!", "residents petition Authority B"),
        ("NATO observers arrive", "NATO observers arrive"),
        ("⟦PER:A⟧ resigns. ", "Person A resigns"),
        ("40% of residents object", "40% of residents object"),
    ],
)
def test_first_letters_and_end_marks_fit_their_place(clause: str, expected: str) -> None:
    assert render(tuple(fit_clause(from_tokens(clause), "en")), "en") == expected


def test_a_chinese_end_mark_is_not_doubled() -> None:
    text = question_text(from_tokens("⟦COM:B⟧宣布停工。"), FIRST, LAST, "zh", 3)
    assert text.endswith("公司B宣布停工？")


@given(
    st.dates(date(2000, 1, 1), date(2099, 12, 31)),
    st.dates(date(2000, 1, 1), date(2099, 12, 31)),
    st.integers(0, len(QUESTIONS) - 1),
)
def test_the_window_can_be_read_back_from_any_text(first: date, last: date, variant: int) -> None:
    assert dates_in(question_text(EN, first, last, "en", variant), "en") == [first, last]
    assert dates_in(question_text(ZH, first, last, "zh", variant), "zh") == [first, last]


def test_comparison_ignores_width_case_and_punctuation() -> None:
    assert normal("ＡＢＣ, the Plan!") == normal("abc the plan")
    assert normal("通过，方案。") == normal("通过方案")
