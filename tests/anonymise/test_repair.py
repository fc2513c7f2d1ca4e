"""Phase C by code: what is compared, and which edits are refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.apply import build_timeline, parse_timeline
from factory.anonymise.match import Matcher
from factory.anonymise.repair import Compared, Edit, apply, compare_arc, compare_statement, why_not
from factory.anonymise.segments import Doubt, parse
from factory.anonymise.table import Named, build_table
from factory.segments import date_refs, entity_refs, from_tokens, numbers, render, to_tokens
from schemas import SegmentText
from tests.anonymise import event

MATCHER = Matcher(
    build_table([Named("PER", ("Lena Ortiz",)), Named("PLC", ("Westhaven",))], [], "salt")
)
ANCHOR = date(2026, 3, 10)
RAW = (
    "Lena Ortiz told Westhaven on March 2, 2026 that 12.5% of 3,100 voters had come before Easter."
)


def statement(text: str = RAW, offset: int = 49) -> tuple[Compared, SegmentText]:
    parsed = parse(text, MATCHER, anchor=ANCHOR, offset=offset)
    plain = parse(text, MATCHER, anchor=ANCHOR, offset=0).segments
    return Compared("s1", text, parsed.segments, parsed.doubts), plain


def test_a_faithful_statement_has_no_problem() -> None:
    given_, unshifted = statement()
    assert compare_statement(given_, unshifted, 49, MATCHER) == []


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("12.5%", "13.5%", "figures"),
        ("⟦PLC:A⟧", "the town", "references"),
        ("⟦D:2026-04-20⟧", "⟦D:2026-04-21⟧", "day"),
        ("voters", "voters of Westhaven", "left in the text"),
    ],
)
def test_a_tampered_statement_is_seen(before: str, after: str, problem: str) -> None:
    given_, unshifted = statement()
    tokens = to_tokens(given_.text)
    assert before in tokens
    broken = replace(given_, text=from_tokens(tokens.replace(before, after)))
    assert any(problem in line for line in compare_statement(broken, unshifted, 49, MATCHER))


def test_order_and_gaps_of_nodes_are_compared() -> None:
    raw = event.timeline()
    texts = {k: v.segments for k, v in parse_timeline(raw, MATCHER, 49).items()}
    public = build_timeline(raw, texts, "p", 49)
    assert compare_arc(raw, public, 49) == []
    nodes = list(public.nodes)
    nodes[1] = nodes[1].model_copy(update={"date": nodes[1].date + timedelta(days=1)})
    assert len(compare_arc(raw, public.model_copy(update={"nodes": tuple(nodes)}), 49)) == 1
    assert compare_arc(raw, public.model_copy(update={"nodes": tuple(nodes[:2])}), 49)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (Edit("Easter", "a holiday"), ""),
        (Edit("before Easter", "in time"), ""),
        (Edit("Easter", "Westhaven day"), "name"),
        (Edit("Easter", "the first of May"), "calendar"),
        (Edit("Easter", "⟦D:2026-01-01⟧"), "token"),
        (Edit("Easter", "a day of the Rondell"), "capital"),
        (Edit("12.5%", "an eighth"), "figure"),
        (Edit("3,100", "3,200"), "figure"),
        (Edit("not there", "x"), "not in the plain text"),
        (Edit("Easter", "a " * 200), "longer"),
    ],
)
def test_only_edits_that_keep_every_invariant_are_made(edit: Edit, reason: str) -> None:
    refused = why_not(statement()[0], edit, MATCHER)
    assert (refused == "") == (reason == "")
    assert reason in refused


def test_an_edit_never_empties_a_statement() -> None:
    lone = Compared("s", "Easter", from_tokens("Easter"), (Doubt("date", "Easter", "holiday"),))
    assert "nothing is left" in why_not(lone, Edit("Easter", ""), MATCHER)


@given(
    st.sampled_from(["told", "on", "voters", "Easter", "%", " "]),
    st.sampled_from(["", "a word", "other"]),
)
def test_an_edit_never_touches_references_or_dates(words: str, replacement: str) -> None:
    before = statement()[0]
    edit = Edit(words, replacement)
    if why_not(before, edit, MATCHER):
        return
    after = apply(before.text, edit)
    assert entity_refs(after) == entity_refs(before.text)
    assert date_refs(after) == date_refs(before.text)
    assert numbers(after) == numbers(before.text)
    assert MATCHER.find(render(after, "en")) == []
