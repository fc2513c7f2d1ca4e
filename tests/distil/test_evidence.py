"""What code checks about a proposed sentence."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.distil.evidence import find_quote, foreign_figures, in_language, parse_day, verified
from factory.distil.opinion import EMOTIONS, STANCES, dominant, shares
from schemas import PostStance
from tests.corpus.items import item

SOURCE = item(
    "a",
    "Fares will rise by\n 12 percent, the  authority said.\n票价将上调12%。",
    title="Ferry fares rise",
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Fares will rise by 12 percent", "Fares will rise by\n 12 percent"),
        ("the authority said.", "the  authority said."),
        ("票价将上调12%", "票价将上调12%"),
        ("Ferry fares rise", "Ferry fares rise"),
        ("fares will rise", None),
        ("Fares will rise by 15 percent", None),
        ("Fares ... said", None),
        ("票价 将上调", None),
        ("by", None),
        ("", None),
    ],
)
def test_a_quote_is_verbatim_but_for_whitespace(quote: str, found: str | None) -> None:
    assert find_quote(quote, SOURCE) == found


@given(st.text(min_size=8, max_size=60), st.data())
def test_every_passage_of_a_text_is_found_as_it_stands(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    source = item("a", text, title="")
    passage = find_quote(text[start:end], source)
    if passage is not None:
        assert passage in text
        assert passage.split() == text[start:end].split()
    else:
        assert sum(char.isalnum() for char in text[start:end]) < 4


def test_bad_quotes_are_named_and_good_ones_stay() -> None:
    kept, dropped = verified(
        [(1, "12 percent, the authority"), (2, "12 percent"), (1, "13 percent of them")], [SOURCE]
    )
    assert [found.item_id for found in kept] == ["a"]
    assert ["there is no source 2" in dropped[0], "not verbatim in a" in dropped[1]] == [True, True]


def test_figures_must_come_from_the_support_and_dates_may_be_worked_out() -> None:
    support = ["Fares rise 12 percent for 1.8 million people on Thursday, eleven years on."]
    day = date(2026, 4, 2)
    assert (
        foreign_figures("On 2 April 2026 fares rose 12% for 1,800,000 people.", support, [day])
        == []
    )
    assert foreign_figures("2026年4月2日票价上调12%，影响180万人，时隔11年。", support, [day]) == []
    assert foreign_figures("Fares rose 15 percent.", support, [day]) == ["15"]


def test_language_is_told_by_script() -> None:
    assert in_language("港务局上调票价", "zh")
    assert not in_language("The authority raised fares", "zh")
    assert in_language("Fares rose, said 港务局 officials of the harbour", "en")
    assert not in_language("港务局上调票价", "en")


def test_days_that_do_not_exist_are_none() -> None:
    assert parse_day("2026-02-30") is None
    assert parse_day("") is None
    assert parse_day("2026-02-28") == date(2026, 2, 28)


def row(stance: str, emotion: str = "calm") -> PostStance:
    return PostStance.model_validate(
        {
            "item_id": "p",
            "day": date(2026, 3, 1),
            "stance": stance,
            "emotion": emotion,
            "relevant": True,
        }
    )


@given(st.lists(st.sampled_from(STANCES), min_size=1, max_size=300))
def test_shares_sum_to_one_and_keep_their_order(stances: list[str]) -> None:
    found = shares([row(stance) for stance in stances])
    assert round(sum(found.values()), 9) == 1
    for a in STANCES:
        assert abs(found[a] - stances.count(a) / len(stances)) <= 1e-4
        for b in STANCES:
            if stances.count(a) > stances.count(b):
                assert found[a] >= found[b]


def test_the_dominant_feeling_does_not_depend_on_order() -> None:
    rows = [
        row("oppose", "fear"),
        row("oppose", "anger"),
        row("oppose", "mockery"),
        row("oppose", "fear"),
    ]
    assert dominant(rows) == dominant(rows[::-1]) == "fear"
    tied = [row("oppose", emotion) for emotion in EMOTIONS]
    assert dominant(tied) == dominant(tied[::-1]) == EMOTIONS[0]
