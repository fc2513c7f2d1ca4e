"""Promises of the three auditors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from factory import vet
from factory.bank.agree import settle
from factory.errors import AnswerFailed
from factory.sections import VetSettings
from factory.settings import Settings
from factory.stage import StageContext
from schemas import Claim, Order, Resolution, ResolverPass, Verdict
from tests.bank.story import START, make_claim, story, timeline
from tests.scripted import Call, ScriptedAsk

CLAIMS = [
    make_claim("c1", "⟦COM:A⟧ stops the line", family="fb", node="n5"),
    make_claim("c2", "⟦COM:A⟧ sells the line", family="fb", node="n5", kind="variant"),
    make_claim("c3", "⟦GOV:A⟧ orders fewer crossings again", family="fa", node="n4"),
]


def never(claim: Claim, *, annulled: bool = False) -> Resolution:
    states: tuple[Any, Any] = ("never", "unclear" if annulled else "never")
    return settle(
        claim,
        [ResolverPass(sample=i, state=s, basis="absent", note="n") for i, s in enumerate(states)],
    )


def outgoing(ctx: StageContext) -> list[Call]:
    assert isinstance(ctx.ask, ScriptedAsk)
    return ctx.ask.calls


def listed(call: Call) -> list[str]:
    return [c["claim_id"] for family in call.variables["families"] for c in family["claims"]]


def row(claim_id: str, fault: str = "none", quote: str = "") -> dict[str, Any]:
    state = "pass" if fault == "none" else "drop"
    return {"claim_id": claim_id, "state": state, "fault": fault, "quote": quote}


def audit(
    root: Path,
    pick: Callable[[str, str], Any],
    *,
    annulled: tuple[str, ...] = (),
    cutoffs: tuple[int, ...] = (3, 5),
    claims: list[Claim] | None = None,
    **setting: Any,
) -> tuple[StageContext, dict[tuple[str, str], Verdict]]:
    """`pick(auditor, claim id)` is a verdict or, for claim id "", a failure of the whole call or none."""

    def handler(call: Call) -> Any:
        assert call.role is not None
        failure = pick(call.role, "")
        if isinstance(failure, AnswerFailed):
            return failure
        return {"verdicts": [pick(call.role, claim_id) for claim_id in listed(call)]}

    ctx = story(
        root, "vet", handler, cutoffs=cutoffs, settings=Settings(vet=VetSettings(**setting))
    )
    claims = claims or CLAIMS
    ctx.workspace.write_lines(vet.CLAIMS, claims)
    ctx.workspace.write_lines(
        vet.RESOLUTIONS, [never(c, annulled=c.claim_id in annulled) for c in claims]
    )
    counts = asyncio.run(vet.run(ctx))
    rows = ctx.workspace.read_lines(Verdict, vet.VERDICTS)
    assert counts.received == len({v.claim_id for v in rows})
    assert counts.kept == counts.received - len(ctx.rejections)
    return ctx, {(v.claim_id, v.auditor): v for v in rows}


def test_every_claim_gets_one_verdict_of_each_auditor(tmp_path: Path) -> None:
    _, rows = audit(tmp_path, lambda _role, claim_id: row(claim_id))
    assert set(rows) == {(c.claim_id, a) for c in CLAIMS for a in vet.LENSES}
    assert {v.state for v in rows.values()} == {"pass"}


def test_two_of_three_drop_a_claim_and_one_does_not(tmp_path: Path) -> None:
    def pick(role: str, claim_id: str) -> dict[str, Any]:
        against = {"c1": ("auditor1", "auditor2"), "c2": ("auditor3",)}.get(claim_id, ())
        return row(claim_id, "ambiguous", "the line") if role in against else row(claim_id)

    ctx, rows = audit(tmp_path, pick)
    assert [r.item for r in ctx.rejections] == ["c1"]
    assert "auditor2: ambiguous (the line)" in ctx.rejections[0].detail
    assert rows["c2", "auditor3"].state == "drop"


def test_a_failed_auditor_is_unknown_and_counts_for_neither_side(tmp_path: Path) -> None:
    def pick(role: str, claim_id: str) -> Any:
        if not claim_id:
            return AnswerFailed("no", reason="refused") if role != "auditor1" else None
        return row(claim_id, "ambiguous", "the line")

    ctx, rows = audit(tmp_path, pick)
    assert ctx.rejections == []
    assert rows["c1", "auditor1"].state == "drop"
    assert rows["c1", "auditor2"].state == rows["c1", "auditor3"].state == "unknown"


def test_a_drop_must_quote_words_that_are_there(tmp_path: Path) -> None:
    quotes = {
        "c1": "has cracks",  # from the context
        "c2": "stops the line",  # from a sibling
        "c3": "words that stand nowhere",
    }
    ctx, rows = audit(tmp_path, lambda _r, c: row(c, "answerable", quotes.get(c, "")))
    assert rows["c1", "auditor1"].state == "drop"
    assert rows["c2", "auditor1"].state == "drop"
    assert rows["c3", "auditor1"].state == "unknown"
    assert rows["c3", "auditor1"].fault == "none"
    assert {r.item for r in ctx.rejections} == {"c1", "c2"}


def test_each_auditor_has_its_own_lens(tmp_path: Path) -> None:
    ctx, _ = audit(tmp_path, lambda _r, c: row(c))
    systems = {call.role: call.system for call in outgoing(ctx)}
    assert len(set(systems.values())) == 3
    assert "take for" in systems["auditor2"] or "must already be known" in systems["auditor2"]


def test_an_auditor_sees_what_the_latest_possible_cutoff_knows(tmp_path: Path) -> None:
    ctx, _ = audit(tmp_path, lambda _r, c: row(c))
    for call in outgoing(ctx):
        if "c1" in listed(call):  # written from n5, asked at the latest at the cutoff on n5's day
            assert "⟦GOV:B⟧ rules" in call.user
            assert "stops the line at the old pier" not in call.user
        else:  # written from n4: the cutoff on n3's day is the latest
            assert "c3" in listed(call)
            assert "⟦GOV:A⟧ orders" in call.user
            assert "debates the closure" not in call.user


def test_annulled_claims_are_not_audited(tmp_path: Path) -> None:
    ctx, rows = audit(tmp_path, lambda _r, c: row(c), annulled=("c2",))
    assert {claim_id for claim_id, _ in rows} == {"c1", "c3"}
    assert all("c2" not in listed(call) for call in outgoing(ctx))


def test_families_of_a_cutoff_are_batched_and_never_split(tmp_path: Path) -> None:
    claims = [make_claim(f"c{n}", f"⟦COM:A⟧ runs line {n}", family=f"f{n // 2}") for n in range(8)]
    ctx, _ = audit(tmp_path, lambda _r, c: row(c), claims=claims, claims_a_call=5)
    calls = outgoing(ctx)
    assert len(calls) == 6
    for call in calls:
        for family in call.variables["families"]:
            assert len(family["claims"]) == 2


def test_fabrications_are_judged_at_the_first_point_of_their_order(tmp_path: Path) -> None:
    arc = timeline()
    ctx = story(
        tmp_path,
        "vet_fabrications",
        lambda call: {"verdicts": [row(c) for c in listed(call)]},
        arc=arc,
    )
    claim = make_claim(
        "c7", "⟦GRP:A⟧ occupies the pier", kind="fabrication", node=None, mirrors="c1"
    )
    first: date = arc.nodes[3].date
    order = Order(
        order_id="o1",
        mirrors="c1",
        point_id="p3",
        first=first,
        last=first + timedelta(days=60),
        level=1,
        dimension="event",
    )
    ctx.workspace.write_lines(vet.ORDERS, [order])
    ctx.workspace.write_lines(vet.FABRICATIONS, [claim])
    ctx.workspace.write_lines(vet.FABRICATION_RESOLUTIONS, [never(claim)])
    asyncio.run(vet.run_fabrications(ctx))
    assert len(ctx.workspace.read_lines(Verdict, vet.FABRICATION_VERDICTS)) == 3
    for call in outgoing(ctx):
        assert call.variables["cutoff"] == (START + timedelta(days=60)).isoformat()
        assert "debates the closure" not in call.user
