"""Promises of the resolver: days are shown by verbatim quotes, two passes agree, or the claim is annulled."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory import resolve
from factory.bank.agree import consistent_family, join, settle
from factory.bank.chunks import chunks
from factory.bank.material import occurs_in
from factory.bank.reading import dated
from factory.bank.search import pieces
from factory.errors import AnswerFailed
from factory.sections import ResolveSettings
from factory.segments import from_tokens
from factory.settings import Settings
from factory.stage import StageContext
from schemas import AnonPassage, AnonTimeline, Claim, Occurrence, Resolution, ResolverPass
from tests.bank.story import START, make_claim, point, story, timeline
from tests.scripted import Call, ScriptedAsk

STOP = "⟦COM:A⟧ stops the line at the old pier"
DAY5 = START + timedelta(days=100)


def reading(claim_id: str, state: str, basis: str, *evidence: dict[str, str]) -> dict[str, Any]:
    return {
        "claim_id": claim_id,
        "state": state,
        "basis": basis,
        "evidence": list(evidence),
        "note": "because",
    }


def shown(sentence: str = "s5", day: date = DAY5, quote: str = "stops the line") -> dict[str, str]:
    return {"statement_id": sentence, "happened_on": day.isoformat(), "quote": quote}


def occurs(claim_id: str, *evidence: dict[str, str]) -> dict[str, Any]:
    return reading(claim_id, "occurs", "stated", *(evidence or (shown(),)))


def never(claim_id: str) -> dict[str, Any]:
    return reading(claim_id, "never", "absent")


def listed(call: Call) -> list[str]:
    return [row["claim_id"] for row in call.variables["claims"]]


def outgoing(ctx: StageContext) -> list[Call]:
    assert isinstance(ctx.ask, ScriptedAsk)
    return ctx.ask.calls


def settle_all(
    root: Path,
    handler: Callable[[Call], Any],
    claims: list[Claim] | None = None,
    *,
    arc: AnonTimeline | None = None,
    passages: tuple[AnonPassage, ...] = (),
    **setting: Any,
) -> tuple[StageContext, dict[str, Resolution]]:
    ctx = story(
        root,
        "resolve",
        handler,
        arc=arc,
        passages=passages,
        settings=Settings(resolve=ResolveSettings(**setting)),
    )
    ctx.workspace.write_lines(resolve.CLAIMS, claims or [make_claim("c1", STOP)])
    counts = asyncio.run(resolve.run(ctx))
    rows = ctx.workspace.read_lines(Resolution, resolve.RESOLUTIONS)
    assert counts.received == len(rows)
    assert counts.kept == sum(r.state != "annulled" for r in rows)
    annulled = {r.claim_id for r in rows if r.state == "annulled"}
    assert annulled == {r.item for r in ctx.rejections}
    return ctx, {r.claim_id: r for r in rows}


def answer(*per_sample: Callable[[str], dict[str, Any]]) -> Callable[[Call], Any]:
    def handler(call: Call) -> dict[str, Any]:
        pick = per_sample[min(call.sample, len(per_sample) - 1)]
        return {"readings": [pick(claim_id) for claim_id in listed(call)]}

    return handler


def test_two_passes_that_agree_settle_a_claim_with_its_evidence(tmp_path: Path) -> None:
    _, rows = settle_all(tmp_path, answer(occurs))
    (found,) = rows["c1"].occurrences
    assert (found.happened_on, found.node_id, found.statement_id) == (DAY5, "n5", "s5")
    assert found.quote == "stops the line"
    assert [p.sample for p in rows["c1"].passes] == [0, 1]


def test_passes_that_disagree_annul(tmp_path: Path) -> None:
    _, rows = settle_all(tmp_path, answer(occurs, never))
    assert rows["c1"].state == "annulled"
    assert rows["c1"].occurrences == ()
    assert "disagree" in rows["c1"].reason


def test_passes_that_agree_on_the_state_but_not_on_the_days_annul(tmp_path: Path) -> None:
    first = START + timedelta(days=80)
    other = shown("s4", first, "the order against ⟦COM:A⟧ stands")
    _, rows = settle_all(tmp_path, answer(occurs, lambda c: occurs(c, shown(), other)))
    assert rows["c1"].state == "annulled"
    assert "on the days" in rows["c1"].reason


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        (shown(quote="stopped the line"), "the quote is not in s5"),
        (shown(quote="Stops the line"), "the quote is not in s5"),
        (shown(quote=""), "too short"),
        (shown("s99"), "no sentence of the text"),
        (shown("s4"), "the quote is not in s4"),
        (shown(day=DAY5 + timedelta(days=1)), f"is about {DAY5}"),
    ],
)
def test_a_day_without_a_verified_quote_never_counts(
    tmp_path: Path, evidence: dict[str, str], problem: str
) -> None:
    _, rows = settle_all(tmp_path, answer(lambda c: occurs(c, evidence)))
    assert rows["c1"].state == "annulled"
    assert rows["c1"].passes[0].state == "unclear"
    assert problem in rows["c1"].reason


def test_one_bad_quote_does_not_lose_a_good_one(tmp_path: Path) -> None:
    bad = shown("s5", DAY5, "sinks the line")
    _, rows = settle_all(tmp_path, answer(lambda c: occurs(c, shown(), bad)))
    assert len(rows["c1"].occurrences) == 1
    assert "not in s5" in rows["c1"].passes[0].note


def test_a_quote_that_ends_inside_a_word_is_kept_to_the_end_of_the_word(tmp_path: Path) -> None:
    _, rows = settle_all(tmp_path, answer(lambda c: occurs(c, shown(quote="ops the li"))))
    assert [o.quote for o in rows["c1"].occurrences] == ["stops the line"]


def test_the_day_is_the_sentence_s_own_when_it_states_one(tmp_path: Path) -> None:
    earlier = DAY5 - timedelta(days=12)
    arc = timeline(happened={5: earlier})
    ctx, rows = settle_all(tmp_path, answer(lambda c: occurs(c, shown(day=earlier))), arc=arc)
    assert rows["c1"].occurrences[0].happened_on == earlier
    assert f"[s5 {earlier}]" in outgoing(ctx)[0].user


def test_a_sentence_about_a_day_after_its_publication_shows_nothing(tmp_path: Path) -> None:
    later = DAY5 + timedelta(days=9)
    arc = timeline(happened={5: later})
    _, rows = settle_all(tmp_path, answer(lambda c: occurs(c, shown(day=later))), arc=arc)
    assert rows["c1"].state == "annulled"


def test_a_failed_reading_is_not_known_and_never_no(tmp_path: Path) -> None:
    def handler(call: Call) -> Any:
        if call.sample:
            return AnswerFailed("no", reason="invalid")
        return {"readings": [never(c) for c in listed(call)]}

    _, rows = settle_all(tmp_path, handler)
    assert rows["c1"].state == "annulled"
    assert rows["c1"].reason.startswith("not known")


def test_a_claim_left_out_or_read_twice_is_not_known(tmp_path: Path) -> None:
    claims = [make_claim("c1", STOP), make_claim("c2", "⟦COM:A⟧ sells the line")]

    def handler(call: Call) -> dict[str, Any]:
        return {"readings": [never("c1"), never("c1")]}

    _, rows = settle_all(tmp_path, handler, claims)
    assert rows["c1"].reason == "not known: pass 1, 2 readings in one answer"
    assert rows["c2"].reason == "not known: pass 1, 0 readings in one answer"


def test_contradicted_needs_a_verified_sentence_in_both_passes(tmp_path: Path) -> None:
    def against(claim_id: str) -> dict[str, Any]:
        return reading(claim_id, "never", "contradicted", shown())

    _, rows = settle_all(tmp_path / "both", answer(against))
    assert (rows["c1"].state, rows["c1"].basis) == ("never", "contradicted")
    assert "stops the line" in rows["c1"].passes[0].note
    _, rows = settle_all(tmp_path / "one", answer(against, never))
    assert (rows["c1"].state, rows["c1"].basis) == ("never", "absent")
    _, rows = settle_all(
        tmp_path / "none", answer(lambda c: reading(c, "never", "contradicted", shown(quote="x")))
    )
    assert rows["c1"].state == "annulled"


def test_the_search_before_absent_shows_the_nearest_sentence_and_document(tmp_path: Path) -> None:
    passages = (
        AnonPassage(
            passage_id="d1",
            date=DAY5,
            lang="zh",
            text=from_tokens("⟦COM:A⟧宣布停止老码头的渡轮线路。居民表示失望。"),
        ),
        AnonPassage(
            passage_id="d2",
            date=DAY5,
            lang="en",
            text=from_tokens("A bakery opens a second branch with four kinds of bread."),
        ),
    )
    ctx, rows = settle_all(tmp_path, answer(never), passages=passages, search_hits=1)
    assert rows["c1"].searched == ("s5", "d1")
    for call in outgoing(ctx):
        assert "sentences s5" in call.user
        assert "停止老码头" in call.user
        assert "bakery" not in call.user


def test_every_call_of_a_chunk_begins_with_the_same_bytes(tmp_path: Path) -> None:
    claims = [
        make_claim(f"c{n}", f"{STOP} for {word}", family=f"f{n % 3}")
        for n, word in enumerate(["repairs", "a strike", "a fair", "tests", "a film", "painting"])
    ]
    ctx, _ = settle_all(tmp_path, answer(never), claims, claims_a_call=2)
    calls = outgoing(ctx)
    assert len(calls) == 6
    heads = {(call.system, call.user.partition("Claims:")[0]) for call in calls}
    assert len(heads) == 1


def test_families_are_never_split_and_passes_differ_in_order(tmp_path: Path) -> None:
    claims = [
        make_claim(f"c{n:02}", f"⟦COM:A⟧ runs line {n}", family=f"f{n // 3}") for n in range(24)
    ]
    ctx, _ = settle_all(tmp_path, answer(never), claims, claims_a_call=7)
    batches: dict[int, list[list[str]]] = {0: [], 1: []}
    for call in outgoing(ctx):
        batches[call.sample].append(listed(call))
    for rows in batches.values():
        assert sorted(c for row in rows for c in row) == [c.claim_id for c in claims]
        for row in rows:
            families = {int(c[1:]) // 3 for c in row}
            assert len(row) == 3 * len(families) <= 7
    assert batches[0] != batches[1]


def test_kind_and_level_do_not_show_in_a_resolver_s_call(tmp_path: Path) -> None:
    claims = [
        make_claim("c9", STOP, family="f"),
        make_claim("c1", "⟦COM:A⟧ sells the line", family="f", kind="variant"),
    ]
    ctx, _ = settle_all(tmp_path, answer(never), claims)
    for call in outgoing(ctx):
        assert "variant" not in call.user
        assert "outcome" not in call.user
    assert listed(outgoing(ctx)[0]) == ["c1", "c9"]


def test_a_long_timeline_is_read_in_parts_and_joined(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        part = call.variables["timeline"]
        found = "[s5 " in part
        assert "a part of the whole" in call.system
        return {"readings": [occurs(c) if found else never(c) for c in listed(call)]}

    ctx, rows = settle_all(tmp_path, handler, chunk_tokens=75, overlap_nodes=1)
    assert len(outgoing(ctx)) > 4
    # Every seam is seen whole by one of two neighbours, and the passes have different seams.
    days = {
        sample: [
            set(re.findall(r"^### (\S+)", call.variables["timeline"], re.MULTILINE))
            for call in outgoing(ctx)
            if call.sample == sample
        ]
        for sample in (0, 1)
    }
    assert all(left & right for row in days.values() for left, right in pairwise(row))
    assert {frozenset(row) for row in days[0]} != {frozenset(row) for row in days[1]}
    assert [o.happened_on for o in rows["c1"].occurrences] == [DAY5]


def test_no_claims_ask_nothing(tmp_path: Path) -> None:
    ctx = story(tmp_path, "resolve_fabrications")
    ctx.workspace.write_lines(resolve.FABRICATIONS, [])
    assert asyncio.run(resolve.run_fabrications(ctx)).received == 0
    assert ctx.workspace.read_lines(Resolution, resolve.FABRICATION_RESOLUTIONS) == []


def test_fabrications_are_resolved_by_the_same_reading(tmp_path: Path) -> None:
    ctx = story(tmp_path, "resolve_fabrications", answer(never))
    ctx.workspace.write_lines(
        resolve.FABRICATIONS,
        [make_claim("c1", "⟦GRP:A⟧ occupies the pier", kind="fabrication", node=None)],
    )
    asyncio.run(resolve.run_fabrications(ctx))
    (row,) = ctx.workspace.read_lines(Resolution, resolve.FABRICATION_RESOLUTIONS)
    assert (row.state, row.basis) == ("never", "absent")


def test_an_outcome_on_the_last_observed_day_counts(tmp_path: Path) -> None:
    arc = timeline(nodes=6, after=0)
    assert arc.span.observed_until == DAY5
    _, rows = settle_all(tmp_path, answer(occurs), arc=arc)
    assert rows["c1"].occurrences[0].happened_on == arc.span.observed_until


@pytest.mark.parametrize(
    ("cutoff", "true"),
    [(100, True), (99, True), (93, True), (92, False), (101, False)],
    ids=["on the first day", "a day later", "on the last day", "the day after", "before it"],
)
def test_a_resolved_day_counts_from_day_zero_to_the_last_day_of_a_window(
    tmp_path: Path, cutoff: int, true: bool
) -> None:
    ctx, rows = settle_all(tmp_path, answer(occurs))
    arc = ctx.workspace.read(AnonTimeline, resolve.ANON)
    start = START + timedelta(days=cutoff)
    days = [o.happened_on for o in rows["c1"].occurrences]
    assert occurs_in(days, start, start + timedelta(days=7)) is true
    # The day is in a window only if its node is hidden: no context that ends at the cutoff holds it.
    assert ("n5" in point(arc, start, "p").truth) is (cutoff <= 100)


# -- pure parts ----------------------------------------------------------------------------------


def seen(sample: int, state: Any, *days: int, basis: Any = None, note: str = "n") -> ResolverPass:
    return ResolverPass(
        sample=sample,
        state=state,
        basis=basis or ("stated" if state == "occurs" else "absent"),
        occurrences=tuple(
            Occurrence(
                happened_on=START + timedelta(days=day),
                node_id=f"n{day}",
                statement_id=f"s{day}",
                quote="words",
            )
            for day in days
        ),
        note=note,
    )


def test_a_part_that_is_not_known_leaves_the_pass_unclear_even_beside_a_find() -> None:
    claim = make_claim("c1", STOP)
    lost = seen(0, "unclear", note="not known: no usable answer (invalid)")
    assert join(claim, 0, [seen(0, "occurs", 3), lost]).state == "unclear"


def test_a_doubt_elsewhere_matters_only_for_what_can_recur() -> None:
    parts = [seen(0, "occurs", 3), seen(0, "unclear", note="unclear: a rumour")]
    assert join(make_claim("c1", STOP), 0, parts).state == "occurs"
    assert join(make_claim("c1", STOP, cadence="recurring"), 0, parts).state == "unclear"


def test_a_claim_of_one_occasion_keeps_all_its_days() -> None:
    row = settle(make_claim("c1", STOP), [seen(0, "occurs", 3, 9), seen(1, "occurs", 9, 3)])
    assert [o.happened_on for o in row.occurrences] == [
        START + timedelta(days=3),
        START + timedelta(days=9),
    ]


@given(
    st.lists(st.integers(0, 5), max_size=4, unique=True),
    st.lists(st.integers(0, 5), max_size=4, unique=True),
)
@settings(max_examples=60)
def test_a_settled_claim_has_exactly_the_days_that_both_passes_found(
    left: list[int], right: list[int]
) -> None:
    def one(sample: int, days: list[int]) -> ResolverPass:
        return seen(sample, "occurs", *days) if days else seen(sample, "never")

    row = settle(make_claim("c1", STOP), [one(0, left), one(1, right)])
    if set(left) == set(right):
        days = [START + timedelta(days=d) for d in sorted(left)]
        assert [o.happened_on for o in row.occurrences] == days
        assert row.state == ("occurs" if left else "never")
    else:
        assert row.state == "annulled"


def family(*rows: tuple[str, Any, int, list[int]], cadence: Any = "once") -> dict[str, Resolution]:
    claims = [
        make_claim(name, f"{STOP} {name}", family="f", kind=kind, level=level, cadence=cadence)
        for name, kind, level, _ in rows
    ]
    settled = [
        settle(claim, [seen(i, "occurs", *days) if days else seen(i, "never") for i in (0, 1)])
        for claim, (_, _, _, days) in zip(claims, rows, strict=True)
    ]
    return {row.claim_id: row for row in consistent_family(claims, settled)}


def test_a_variant_that_comes_true_beside_the_outcome_is_annulled() -> None:
    rows = family(("o", "outcome", 1, [3]), ("v", "variant", 1, [8]), ("w", "variant", 1, []))
    assert [rows[k].state for k in "ovw"] == ["occurs", "annulled", "never"]


def test_two_variants_that_come_true_annul_each_other() -> None:
    rows = family(("o", "outcome", 1, []), ("v", "variant", 1, [8]), ("w", "variant", 1, [9]))
    assert [rows[k].state for k in "ovw"] == ["never", "annulled", "annulled"]


def test_variants_of_a_recurring_occasion_may_have_days_of_their_own() -> None:
    rows = family(("o", "outcome", 1, [3]), ("v", "variant", 1, [8]), cadence="recurring")
    assert rows["v"].state == "occurs"
    rows = family(("o", "outcome", 1, [3]), ("v", "variant", 1, [3, 8]), cadence="recurring")
    assert rows["v"].state == "annulled"


def test_more_detail_is_never_true_where_less_detail_is_not() -> None:
    rows = family(("o", "outcome", 1, [3]), ("d", "detail", 2, [3]), ("e", "detail", 3, [4]))
    assert [rows[k].state for k in "ode"] == ["occurs", "occurs", "annulled"]
    rows = family(("o", "outcome", 1, []), ("d", "detail", 2, [3]), ("e", "detail", 3, []))
    assert [rows[k].state for k in "ode"] == ["never", "annulled", "never"]


@given(
    nodes=st.integers(1, 30),
    limit=st.integers(50, 900),
    overlap=st.integers(0, 3),
    from_end=st.booleans(),
)
@settings(max_examples=80)
def test_chunks_cover_the_timeline_in_order_and_keep_to_their_size(
    nodes: int, limit: int, overlap: int, from_end: bool
) -> None:
    arc = timeline(nodes=nodes)
    parts = chunks(arc.nodes, lambda n: len(dated(n, "en")), limit, overlap, from_end=from_end)
    in_order = list(reversed(parts)) if from_end else parts
    numbers = [[int(n.node_id[1:]) for n in part] for part in in_order]
    assert sorted({n for row in numbers for n in row}) == list(range(nodes))
    for row in numbers:
        assert row == list(range(row[0], row[-1] + 1))
    for left, right in pairwise(numbers):
        assert right[0] <= left[-1] + 1
        assert left[-1] - right[0] + 1 <= overlap
    for part in parts:
        assert len(part) == 1 or sum(len(dated(n, "en")) for n in part) <= limit


def test_passages_are_cut_at_sentences_and_lose_nothing() -> None:
    text = "⟦COM:A⟧ stops the line. Why now? 居民表示失望。议会休会！\nA new paragraph"
    parts = pieces(text, 30)
    assert "".join(parts).replace(" ", "") == "".join(text.split())
    assert max(map(len, parts)) <= 30
