"""Promises of claims about counted posts: written, resolved and refuted by arithmetic, and never by a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from factory import resolve
from factory.audit.case import Case
from factory.audit.counted import counted_posts
from factory.bank.clause import clause
from factory.bank.parity import translated
from factory.bank.stances import (
    ASKED,
    BAND,
    STEP,
    account,
    counted,
    holds,
    is_clear,
    moves,
    occasion,
    resolve_by_count,
    share,
    unreached,
    words,
)
from factory.claims import stage as claims
from factory.claims.measured import STANCE_TARGET
from factory.segments import from_tokens, to_tokens
from factory.stage import StageContext
from schemas import (
    AnonOpinion,
    AnonStatement,
    AnonTimeline,
    Bank,
    Claim,
    Lang,
    Order,
    Resolution,
    SegmentText,
    Stance,
    StanceTarget,
    StanceTest,
)
from tests.bank.story import START, make_claim, story, timeline
from tests.scripted import Call, ScriptedAsk

TARGET = from_tokens("the decision of ⟦GOV:A⟧ to close the line")
TARGETS: dict[Lang, SegmentText] = {
    "en": TARGET,
    "zh": from_tokens("⟦GOV:A⟧停运线路的决定"),
}
KNOWN = {("GOV", "A")}
SHARES = [0.20, 0.22, 0.55, 0.50, 0.30, 0.72, 0.71, 0.35]
"""Share of opposing posts at each of the story's eight days."""


def counted_arc(
    shares: Sequence[float] = SHARES, posts: int = 20, lang: Lang = "en", **fields: Any
) -> AnonTimeline:
    """The story with posts counted on every day: the share given opposes, the rest is neutral."""
    arc = timeline(lang=lang, nodes=len(shares), **fields)
    nodes = []
    for number, (node, value) in enumerate(zip(arc.nodes, shares, strict=True)):
        opinion = AnonOpinion(
            statements=(
                AnonStatement(
                    statement_id=f"op{number}",
                    text={lang: from_tokens(f"Posts speak of the closure, day {number}.")},
                ),
            ),
            stances={"oppose": value, "neutral": round(1 - value, 4)},
            emotion="anger",
            n_items=posts,
        )
        nodes.append(node.model_copy(update={"opinion": opinion}))
    return arc.model_copy(update={"nodes": tuple(nodes)})


def at_least(mark: int, stance: Stance = "oppose", posts: int = 10) -> StanceTest:
    return StanceTest(stance=stance, at_least=mark, posts=posts)


def counted_claim(test: StanceTest, claim_id: str = "c1", **fields: Any) -> Claim:
    claim = make_claim(claim_id, words(test, TARGET, "en"), cadence="recurring", **fields)
    return claim.model_copy(update={"stance": test})


# -- the test itself ---------------------------------------------------------------------------


def test_a_test_without_a_bound_or_without_room_cannot_be_built() -> None:
    with pytest.raises(ValidationError, match="needs a bound"):
        StanceTest(stance="oppose", posts=10)
    with pytest.raises(ValidationError, match="leave no share"):
        StanceTest(stance="oppose", at_least=40, below=40, posts=10)


def test_bounds_are_exact_and_a_day_with_few_posts_is_not_known() -> None:
    arc = counted_arc([0.6, 0.5999, 0.6001])
    on, under, over = arc.nodes
    assert [holds(at_least(60), node) for node in (on, under, over)] == [True, False, True]
    below = StanceTest(stance="oppose", below=60, posts=10)
    assert [holds(below, node) for node in (on, under, over)] == [False, True, False]
    assert share(on, "oppose", 21) is None
    assert not holds(at_least(60, posts=21), on)
    assert not holds(StanceTest(stance="oppose", below=99, posts=21), on)
    # A stance that nobody took is none of the posts, not unknown.
    assert share(on, "support", 10) == 0


def test_nothing_is_counted_without_posts() -> None:
    arc = counted_arc()
    assert len(counted(arc.nodes, 10)) == 8
    assert counted(arc.nodes, 0) == []
    assert counted(timeline().nodes, 11) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_form_is_a_claim_in_both_languages(lang: Lang) -> None:
    for stance in ("support", "oppose", "question", "neutral"):
        for low, high in ((60, None), (None, 30), (30, 60)):
            test = StanceTest.model_validate(
                {"stance": stance, "at_least": low, "below": high, "posts": 10}
            )
            text = clause(words(test, TARGETS[lang], lang), lang, KNOWN)
            assert to_tokens(text) == words(test, TARGETS[lang], lang)
            other: Lang = "zh" if lang == "en" else "en"
            # Either rendering is an acceptable translation of the other: same names, same figures.
            translated(words(test, TARGETS[other], other), text, other, KNOWN, is_claim=True)
        assert occasion(stance, TARGETS[lang], lang)


def test_the_words_say_the_bound_the_posts_and_the_target() -> None:
    assert words(at_least(60), TARGET, "en") == (
        "at least 60% of the posts about the event on a day with at least 10 such posts oppose the decision of "
        "⟦GOV:A⟧ to close the line"
    )
    assert words(StanceTest(stance="support", at_least=20, below=40, posts=10), TARGETS["zh"], "zh") == (
        "单日关于该事件的帖子不少于10条，其中至少20%但不到40%支持⟦GOV:A⟧停运线路的决定"
    )  # fmt: skip
    assert "oppose the closure" in words(at_least(60), from_tokens("The closure"), "en")


# -- resolution --------------------------------------------------------------------------------


def test_code_finds_every_day_and_quotes_the_days_opinion() -> None:
    arc = counted_arc()
    row = resolve_by_count(counted_claim(at_least(50)), arc)
    assert [o.node_id for o in row.occurrences] == ["n2", "n3", "n5", "n6"]
    assert (row.state, row.basis) == ("occurs", "stated")
    assert row.occurrences[0].quote == "Posts speak of the closure, day 2."
    assert [p.occurrences for p in row.passes] == [row.occurrences] * 2
    never = resolve_by_count(counted_claim(at_least(80)), arc)
    assert (never.state, never.basis) == ("never", "contradicted")
    unknown = resolve_by_count(counted_claim(at_least(80, posts=21)), arc)
    assert (unknown.state, unknown.basis) == ("never", "absent")


def test_a_day_that_cannot_be_quoted_annuls_the_claim() -> None:
    arc = counted_arc()
    node = arc.nodes[5]
    assert node.opinion is not None
    late = node.opinion.statements[0].model_copy(update={"happened_on": START})
    opinion = node.opinion.model_copy(update={"statements": (late,)})
    nodes = tuple(n.model_copy(update={"opinion": opinion}) if n is node else n for n in arc.nodes)
    row = resolve_by_count(counted_claim(at_least(70)), arc.model_copy(update={"nodes": nodes}))
    assert row.state == "annulled"
    assert "n5" in row.reason


def test_no_model_is_asked_about_counted_claims(tmp_path: Path) -> None:
    ctx = story(tmp_path, "resolve", arc=counted_arc())
    family = [
        counted_claim(at_least(40), "c1", family="f"),
        counted_claim(at_least(60), "c2", family="f", kind="detail", level=2),
        counted_claim(at_least(90), "c3", family="f", kind="variant"),
    ]
    ctx.workspace.write_lines(resolve.CLAIMS, family)
    counts = asyncio.run(resolve.run(ctx))
    rows = {r.claim_id: r for r in ctx.workspace.read_lines(Resolution, resolve.RESOLUTIONS)}
    assert [rows[key].state for key in ("c1", "c2", "c3")] == ["occurs", "occurs", "never"]
    assert (counts.received, counts.kept) == (3, 3)
    assert isinstance(ctx.ask, ScriptedAsk)
    assert ctx.ask.calls == []


def test_counted_and_read_claims_are_resolved_side_by_side(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        rows = call.variables["claims"]
        return {
            "readings": [
                {"claim_id": row["claim_id"], "state": "never", "basis": "absent", "evidence": [], "note": "no"}
                for row in rows
            ]
        }  # fmt: skip

    ctx = story(tmp_path, "resolve", handler, arc=counted_arc())
    both = [counted_claim(at_least(50)), make_claim("c2", "⟦COM:A⟧ sells the line")]
    ctx.workspace.write_lines(resolve.CLAIMS, both)
    asyncio.run(resolve.run(ctx))
    rows = ctx.workspace.read_lines(Resolution, resolve.RESOLUTIONS)
    assert [(r.claim_id, r.state) for r in rows] == [("c1", "occurs"), ("c2", "never")]
    assert isinstance(ctx.ask, ScriptedAsk)
    assert all("posts about the event" not in call.user for call in ctx.ask.calls)


# -- which claims an arc offers ----------------------------------------------------------------


def test_moves_make_ladders_and_variants_that_keep_their_promises() -> None:
    arc = counted_arc()
    rise, fall = moves(arc.nodes, arc.nodes[1].date, 10, 3, 2)
    assert (rise.node.node_id, rise.direction) == ("n5", "rise")
    assert rise.change == pytest.approx(42)
    assert [test.at_least for test in rise.ladder] == [40, 60, 65]
    assert (fall.node.node_id, fall.direction) == ("n7", "fall")
    # Before it the share lay above 50% on three of seven days: what is usual is no outcome.
    # At 40% a single post more would decide its day, at 50% one post less another day.
    assert [test.below for test in fall.ladder] == [45]


@given(
    st.lists(st.integers(0, 100), min_size=2, max_size=14),
    st.integers(1, 3),
    st.integers(0, 3),
)
def test_ladders_are_monotone_variants_exclude_and_nothing_is_asked_twice(
    values: list[int], levels: int, variants: int
) -> None:
    arc = counted_arc([value / 100 for value in values])
    found = moves(arc.nodes, arc.nodes[0].date, 10, levels, variants)
    assert len({(move.stance, move.direction) for move in found}) == len(found)
    assert len({move.node.node_id for move in found}) == len(found)
    marks = [test.at_least or test.below for move in found for test in move.ladder]
    assert len(set(marks)) == len(marks)
    row = counted(arc.nodes, 10)
    assert all(is_clear(test, n) for move in found for test in move.ladder for n in row)
    for move in found:
        assert 1 <= len(move.ladder) <= levels
        assert len(move.variants) <= variants
        assert move.change >= STEP
        before = counted(arc.nodes, 10)[counted(arc.nodes, 10).index(move.node) - 1]
        for test in move.ladder:
            assert holds(test, move.node)
            assert not holds(test, before)
        for general, detailed in zip(move.ladder, move.ladder[1:], strict=False):
            days = [{n.node_id for n in arc.nodes if holds(t, n)} for t in (detailed, general)]
            assert days[0] <= days[1]
        for test in move.variants:
            assert not any(holds(test, node) for node in arc.nodes)
        whole = counted_arc([n / 100 for n in range(101)])
        for node in whole.nodes:
            assert sum(holds(t, node) for t in (move.ladder[0], *move.variants)) <= 1
        for test in move.variants:
            low, high = test.at_least or 0, test.below or 100
            assert 0 < high - low <= BAND


def test_small_changes_and_thin_days_make_no_claim() -> None:
    arc = counted_arc([0.30, 0.49, 0.31, 0.50])
    assert moves(arc.nodes, arc.nodes[0].date, 10, 3, 2) == []
    assert moves(counted_arc(posts=9).nodes, START, 10, 3, 2) == []


# -- the stages --------------------------------------------------------------------------------


def write(root: Path, arc: AnonTimeline, target: StanceTarget | None) -> StageContext:
    ctx = story(root, "claims", lambda call: {"outcomes": []}, arc=arc, cutoffs=(4, 6))
    if target is not None:
        ctx.workspace.write(STANCE_TARGET, target)
    asyncio.run(claims.run(ctx))
    return ctx


def test_the_claims_stage_writes_them_without_a_call_of_their_own(tmp_path: Path) -> None:
    ctx = write(tmp_path, counted_arc(), StanceTarget(text=TARGET))
    kept = ctx.workspace.read_lines(Claim, claims.CLAIMS)
    family = [c for c in kept if c.node_id == "n5"]
    assert [(c.kind, c.level) for c in family][:3] == [("outcome", 1), ("detail", 2), ("detail", 3)]
    assert {c.cadence for c in family} == {"recurring"}
    assert {c.dimension for c in family} == {"opinion"}
    assert {c.difficulty for c in family} == {"hard"}
    # The target needs no later day than that on which people were first seen to take sides.
    assert family[0].known_from == START + timedelta(days=1)
    assert isinstance(ctx.ask, ScriptedAsk)
    assert [call.item for call in ctx.ask.calls] == ["n4", "n5", "n6", "n7"]
    assert all("a program makes those claims" in call.system for call in ctx.ask.calls)


def test_without_a_target_or_without_posts_nothing_is_counted(tmp_path: Path) -> None:
    ctx = write(tmp_path / "a", counted_arc(), StanceTarget(text=None, reason="a date"))
    assert ctx.workspace.read_lines(Claim, claims.CLAIMS) == []
    assert "no anonymised stance target" in {r.reason for r in ctx.rejections}
    ctx = write(tmp_path / "b", counted_arc(posts=6), StanceTarget(text=TARGET))
    assert ctx.workspace.read_lines(Claim, claims.CLAIMS) == []
    assert isinstance(ctx.ask, ScriptedAsk)
    assert all("counted posts" not in call.system for call in ctx.ask.calls)


def order_for(mirrored: Claim, number: int = 1) -> Order:
    arc = timeline()
    return Order(
        order_id=f"o{number}",
        mirrors=mirrored.claim_id,
        point_id="p4",
        first=arc.nodes[4].date,
        last=arc.nodes[4].date + timedelta(days=60),
        level=mirrored.level,
        dimension="opinion",
    )


def test_its_made_up_twin_is_another_share_that_no_day_reaches(tmp_path: Path) -> None:
    ctx = write(tmp_path, counted_arc(), StanceTarget(text=TARGET))
    kept = ctx.workspace.read_lines(Claim, claims.CLAIMS)
    real = next(c for c in kept if c.node_id == "n5" and c.kind == "outcome")
    orders = [order_for(real, number) for number in (1, 2, 3)]
    ctx.workspace.write_lines(claims.ORDERS, orders)
    asyncio.run(claims.fabricate(ctx))
    made = ctx.workspace.read_lines(Claim, claims.FABRICATIONS)
    assert [c.mirrors for c in made] == [real.claim_id] * 2
    for claim in made:
        assert claim.stance is not None
        assert claim.stance.stance in {"support", "question"}
        assert claim.stance.at_least is not None
        assert resolve_by_count(claim, counted_arc()).state == "never"
        assert claim.family_id != real.family_id
    assert len({c.stance.stance for c in made if c.stance}) == 2
    assert len({c.stance.at_least for c in (real, *made) if c.stance}) == 3
    # Two other stances are left for a rise; a third order has none.
    assert ("o3", "no claim for the order") in {(r.item, r.reason) for r in ctx.rejections}
    assert isinstance(ctx.ask, ScriptedAsk)
    assert all(call.prompt == "claims/outcomes" for call in ctx.ask.calls)


@given(st.lists(st.integers(0, 100), min_size=1, max_size=10), st.integers(0, 9))
def test_what_is_unreached_never_happens(values: list[int], seed: int) -> None:
    import random

    arc = counted_arc([value / 100 for value in values])
    for mirrored in (at_least(50), StanceTest(stance="support", below=50, posts=10)):
        test = unreached(mirrored, arc.nodes, [mirrored], random.Random(seed))
        if test is not None:
            assert test.stance != mirrored.stance
            assert test.stance in ASKED
            assert (test.at_least is None) == (mirrored.at_least is None)
            assert resolve_by_count(counted_claim(test), arc).state == "never"


# -- the audit ---------------------------------------------------------------------------------


def case(claim: Claim, resolution: Resolution, arc: AnonTimeline) -> Case:
    bank = Bank(points=(), questions=(), events=())
    made = Case(bank, [claim], [resolution], [], arc)
    made.__dict__["asked"] = {claim.claim_id}
    return made


def test_check_counts_again_and_reads_the_figures() -> None:
    arc = counted_arc()
    claim = counted_claim(at_least(50))
    row = resolve_by_count(claim, arc)
    assert list(counted_posts(case(claim, row, arc))) == []
    short = row.model_copy(update={"occurrences": row.occurrences[:-1]})
    assert list(counted_posts(case(claim, short, arc))) == [("stance-days", "c1")]
    moved = claim.model_copy(update={"stance": at_least(55)})
    assert list(counted_posts(case(moved, row, arc))) == [
        ("stance-days", "c1"), ("stance-figures", "c1 en")
    ]  # fmt: skip
    turned = claim.model_copy(
        update={"text": {"en": from_tokens(words(at_least(50, "support"), TARGET, "en"))}}
    )
    assert list(counted_posts(case(turned, row, arc))) == [("stance-figures", "c1 en")]
    fewer = counted_arc(posts=9)
    assert ("stance-days", "c1") in list(counted_posts(case(claim, row, fewer)))


def test_the_account_of_a_test_names_every_counted_day() -> None:
    lines = account(at_least(50), counted_arc([0.2, 0.55]).nodes)
    assert lines == [
        f"{START}: 20% of 20 posts oppose, misses the test",
        f"{START + timedelta(days=20)}: 55% of 20 posts oppose, meets the test",
    ]
    assert account(at_least(50, posts=21), counted_arc().nodes) == []
