"""Attackers without a model: what the released text gives away about the offset, and whether prose links back."""

from __future__ import annotations

from datetime import date

from factory.anonymise.attackers import linkage_rank, offset_candidates
from factory.segments import from_tokens
from schemas import AnonNode, AnonStatement, AnonTimeline, Span


def arc(*rows: tuple[date, str]) -> AnonTimeline:
    nodes = tuple(
        AnonNode(
            node_id=f"n{i}",
            date=day,
            fact=(AnonStatement(statement_id=f"s{i}", text={"en": from_tokens(text)}),),
        )
        for i, (day, text) in enumerate(rows)
    )
    return AnonTimeline(
        public_id="p",
        lang="en",
        span=Span(observed_from=rows[0][0], observed_until=rows[-1][0]),
        nodes=nodes,
    )


def test_clean_text_leaves_every_offset_of_the_policy() -> None:
    clean = arc((date(2025, 11, 4), "A strike began on ⟦D:2025-11-03⟧, a ⟦D:2025-11-03|weekday⟧."))
    assert len(offset_candidates(clean, "weeks")) == 44
    assert len(offset_candidates(clean, "paper")) == 360


def test_a_holiday_left_in_the_text_gives_the_offset_away() -> None:
    # Raw day 2025-12-24, moved by -63.
    leaky = arc((date(2025, 10, 22), "Shops close for Christmas."))
    left = offset_candidates(leaky, "weeks")
    assert -63 in left
    assert len(left) < 10


def test_a_month_left_in_the_text_narrows_the_offset() -> None:
    left = offset_candidates(arc((date(2025, 10, 22), "Prices fell in December.")), "weeks")
    assert -63 in left
    assert len(left) < 44


def test_weekday_words_left_in_the_text_reveal_the_offset_modulo_seven() -> None:
    # Raw days are a Monday and a Tuesday, moved by +47.
    leaky = arc(
        (date(2026, 2, 28), "They met on Monday."),
        (date(2026, 3, 1), "They met on Tuesday."),
    )
    left = offset_candidates(leaky, "paper")
    assert 47 in left
    assert {d % 7 for d in left} == {47 % 7}


def test_prose_links_to_its_own_source_and_an_unrelated_text_does_not() -> None:
    raw = "The council of Brinmoor voted to freeze tram fares after a long strike over pay and night shifts."
    decoys = [
        "A flood closed two bridges in the north and cut off a village for three days.",
        "Parents protested against the merger of two schools and collected signatures.",
        "A dispute about a wind farm went to court, and the builder withdrew its plan.",
    ]
    anonymised = "The council of Place A voted to freeze tram fares after a long strike over pay and night shifts."
    assert linkage_rank(anonymised, raw, decoys) == 1
    assert linkage_rank(decoys[0], raw, decoys) > 1
    assert linkage_rank(anonymised, raw, []) == 1
