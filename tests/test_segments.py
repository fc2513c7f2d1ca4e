"""Anonymised text: tokens go out and come back, and renderings read well in both editions."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.segments import (
    TokenError,
    context_text,
    from_tokens,
    number_value,
    numbers,
    render,
    to_tokens,
)
from schemas import AnonNode, AnonStatement, DateRef, EntityRef, Plain, SegmentText

DAYS = st.dates(date(1990, 1, 1), date(2089, 12, 31))
REFS = st.builds(
    EntityRef,
    cls=st.sampled_from(["PER", "ORG", "GOV", "COM", "PLC", "PRD", "DOC", "EVT"]),
    label=st.from_regex(r"[A-Z]{1,2}", fullmatch=True),
)
DATES = st.one_of(
    DAYS.map(lambda day: DateRef(start=day, end=day, precision="day")),
    st.tuples(DAYS, st.integers(1, 40)).map(
        lambda pair: DateRef(
            start=pair[0], end=pair[0] + timedelta(days=pair[1]), precision="range", style="short"
        )
    ),
)
WORDS = st.text(alphabet="abc 市议会，。.", min_size=1, max_size=12).map(
    lambda text: Plain(text=text)
)


@given(
    st.lists(st.one_of(REFS, DATES), min_size=1, max_size=5),
    st.lists(WORDS, min_size=6, max_size=6),
)
def test_tokens_come_back_as_the_same_segments(
    refs: list[EntityRef | DateRef], words: list[Plain]
) -> None:
    text: SegmentText = tuple(
        part for ref, word in zip(refs, words, strict=False) for part in (word, ref)
    )
    assert from_tokens(to_tokens(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "⟦PER:A",
        "PER:A⟧",
        "⟦PER:a⟧",
        "⟦PER:ABC⟧",
        "⟦XYZ:A⟧",
        "⟦D:2031-13-01⟧",
        "⟦D:⟧",
        "⟦⟧",
        "⟦D:2031-05-02/2031-05-01⟧",
    ],
)
def test_a_malformed_token_is_refused(text: str) -> None:
    with pytest.raises(TokenError):
        from_tokens(text)


def test_an_unknown_reference_is_refused() -> None:
    with pytest.raises(TokenError, match="PER:B"):
        from_tokens("⟦PER:B⟧ resigns", known={("PER", "A")})


@pytest.mark.parametrize(
    ("tokens", "en", "zh"),
    [
        ("⟦GOV:A⟧ agrees", "Authority A agrees", "机关A agrees"),
        ("a ⟦ORG:B⟧ poll", "an Organisation B poll", "a 组织B poll"),
        ("An ⟦PLC:B⟧ paper", "A Place B paper", "An 地点B paper"),
        ("in ⟦M:2031-04⟧", "in April 2031", "in 2031年4月"),
        ("⟦PER:A⟧2 votes", "Person A 2 votes", "人物A 2 votes"),
        ("the 41X bus", "the 41X bus", "the 41X bus"),
    ],
)
def test_references_read_as_names(tokens: str, en: str, zh: str) -> None:
    text = from_tokens(tokens)
    assert render(text, "en") == en
    assert render(text, "zh") == zh


def test_in_chinese_the_year_stands_with_the_first_of_two_days() -> None:
    text = from_tokens("⟦D:2031-08-18|short⟧至⟦D:2031-08-24⟧")
    assert render(text, "zh") == "2031年8月18日至8月24日"
    assert render(text, "en").endswith("24 August 2031")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.2万", 12_000),
        ("12,000", 12_000),
        ("4 million", 4_000_000),
        ("12.5%", 0.125),
        ("3亿", 3e8),
        ("41", 41),
    ],
)
def test_figures_have_one_value_in_both_languages(text: str, value: float) -> None:
    assert number_value(text) == value
    assert numbers(from_tokens(f"约{text}人")) == {value: 1}


def test_a_shorter_context_is_a_prefix_of_a_longer_one() -> None:
    nodes = [
        AnonNode(
            node_id=f"n{day}",
            date=date(2031, 5, day),
            fact=(
                AnonStatement(
                    statement_id=f"s{day}", text={"en": from_tokens(f"⟦GOV:A⟧ meets {day}.")}
                ),
            ),
        )
        for day in range(1, 9)
    ]
    texts = [context_text(nodes[:size], "en") for size in range(len(nodes) + 1)]
    for shorter, longer in pairwise(texts):
        assert longer.startswith(shorter)
