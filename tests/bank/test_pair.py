"""The mirror composer: invariants on random arcs, independence of input order, what a lost fabrication costs."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from factory import pair as stage
from factory.audit.promises import check_bank
from factory.bank.drafts import BankPlan
from factory.bank.material import askable, majority_dropped, occurs_in
from factory.bank.mirror import mirror
from factory.compose import compose
from factory.errors import BadInput
from factory.sections import ComposeSettings
from schemas import BankReport, Order, Pair, Span, Verdict
from tests.bank.arcs import (
    DAY0,
    Arc,
    arc16,
    build,
    demo_arc,
    fabricate,
    make_arc,
    make_claim,
    new_id,
    resolved,
    segments,
    wording,
)
from tests.scripted import make_context


def plan_of(arc: Arc, seed: int = 7, **changes: object) -> BankPlan:
    arguments: dict[str, object] = {
        "dropped": set(),
        "settings": ComposeSettings(),
        "span": arc.timeline.span,
        "seed": seed,
        "new_id": new_id,
    }
    return mirror(arc.points, arc.claims, arc.resolutions, **(arguments | changes))  # type: ignore[arg-type]


def test_same_seed_same_bank_and_other_seed_other_bank() -> None:
    assert plan_of(arc16()) == plan_of(arc16())
    assert plan_of(arc16()) != plan_of(arc16(), seed=8)


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_small_arc_gives_both_exams(seed: int) -> None:
    built = build(demo_arc(), seed=seed)
    assert built.report.questions >= 40
    assert built.report.events >= 8
    assert "axes-share-claim" not in built.rules()
    assert all(count > 0 for count in built.report.points.values())


def test_a_sixteen_node_arc_meets_its_shares() -> None:
    for seed in range(1, 6):
        built = build(arc16(), seed=seed)
        assert built.report.questions >= 150
        shares = {q.name: q for q in built.report.quotas if q.name.startswith("type")}
        assert all(abs(q.got - q.wanted) <= 0.05 for q in shares.values()), shares


def test_two_prompts_hold_more_than_one_and_stay_in_balance() -> None:
    one = build(arc16())
    two = build(arc16(), settings=ComposeSettings(prompts=2))
    assert two.report.questions > 1.4 * one.report.questions
    assert two.check() == []


def test_max_points_limits_where_a_claim_is_asked() -> None:
    plan = plan_of(arc16(), settings=ComposeSettings(max_points=2))
    assert max(len({c.point_id for c in pair.cells}) for pair in plan.pairs) == 2


def test_an_order_covers_the_life_of_its_twin() -> None:
    arc = arc16()
    plan = plan_of(arc)
    assert plan.orders
    claims = {c.claim_id: c for c in arc.claims}
    until = arc.timeline.span.observed_until
    for order in plan.orders:
        mirrored = claims[order.mirrors]
        assert order.level == mirrored.level
        assert order.first < order.last <= until
        assert order.first in {p.cutoff for p in arc.points}


def test_a_refuted_fabrication_takes_its_pair_along_and_the_survivor_finds_another_twin() -> None:
    arc = arc16()
    made, resolutions = fabricate(plan_of(arc).orders)
    whole = plan_of(arc, fabrications=made, fabrication_resolutions=resolutions)
    happening = arc.resolutions[0].occurrences
    broken = [resolved(made[0].claim_id, happening), *resolutions[1:]]
    assert made[0].claim_id == broken[0].claim_id
    plan = plan_of(arc, fabrications=made, fabrication_resolutions=broken)
    assert made[0].claim_id in {p.false_claim for p in whole.pairs}
    assert made[0].claim_id not in {p.false_claim for p in plan.pairs}
    assert plan.report.dropped["fabrication missing, refuted or dropped"] == 1
    mirrored = [p for p in plan.pairs if p.true_claim == made[0].mirrors]
    assert all(p.relation != "fabrication" for p in mirrored)
    claims, found = arc.claims + made, arc.resolutions + broken
    composed = compose(
        arc.points,
        claims,
        found,
        plan.pairs,
        span=arc.timeline.span,
        dropped=set(),
        settings=ComposeSettings(),
        seed=7,
        new_id=new_id,
    )
    assert check_bank(composed.bank, claims, found, plan.pairs, arc.timeline) == []


def test_dropped_annulled_and_missing_fabrications_are_never_asked() -> None:
    arc = arc16()
    made, resolutions = fabricate(plan_of(arc).orders)
    assert len(made) >= 4
    dropped, annulled, missing = (c.claim_id for c in made[:3])
    annul = [
        r.model_copy(update={"state": "annulled"}) if r.claim_id == annulled else r
        for r in resolutions
    ]
    plan = plan_of(
        arc,
        fabrications=[c for c in made if c.claim_id != missing],
        fabrication_resolutions=annul,
        dropped={dropped},
    )
    used = {p.false_claim for p in plan.pairs}
    assert not used & {dropped, annulled, missing}
    assert plan.report.dropped["fabrication missing, refuted or dropped"] == 3
    assert plan.report.dropped.get("pairs saved by another twin", 0) >= 1


def test_annulled_and_dropped_claims_are_never_asked() -> None:
    arc = arc16()
    annulled = arc.claims[0].claim_id
    dropped = arc.claims[20].claim_id
    arc.resolutions[0] = arc.resolutions[0].model_copy(
        update={"state": "annulled", "occurrences": ()}
    )
    plan = plan_of(arc, dropped={dropped})
    used = {c for p in plan.pairs for c in (p.true_claim, p.false_claim)}
    used |= {o.mirrors for o in plan.orders}
    assert not used & {annulled, dropped}
    assert plan.report.dropped["annulled"] == 1
    assert plan.report.dropped["dropped by auditors"] == 1


def test_two_of_three_auditors_drop_and_an_unknown_counts_for_neither() -> None:
    def verdict(claim: str, auditor: int, state: str) -> Verdict:
        return Verdict(claim_id=claim, auditor=f"auditor{auditor}", state=state)  # type: ignore[arg-type]

    votes = [
        verdict("a", 1, "drop"), verdict("a", 2, "drop"), verdict("a", 3, "pass"),
        verdict("b", 1, "drop"), verdict("b", 2, "unknown"), verdict("b", 3, "unknown"),
    ]  # fmt: skip
    assert majority_dropped(votes) == {"a"}


def test_the_window_holds_both_its_days() -> None:
    first, last = DAY0, DAY0 + timedelta(days=7)
    assert occurs_in([first], first, last)
    assert occurs_in([last], first, last)
    assert not occurs_in([last + timedelta(days=1)], first, last)
    assert not occurs_in([first - timedelta(days=1)], first, last)


def test_a_claim_is_askable_to_the_last_observed_day_and_not_after_it_happened() -> None:
    claim = make_claim(claim_id="c", family_id="f", text=segments(wording(1)))
    recurring = claim.model_copy(update={"cadence": "recurring"})
    end = DAY0 + timedelta(days=7)
    assert askable(claim, [], DAY0, end, until=end)
    assert not askable(claim, [], DAY0, end, until=end - timedelta(days=1))
    assert askable(claim, [DAY0], DAY0, end, until=end)
    past = [DAY0 - timedelta(days=1)]
    assert not askable(claim, past, DAY0, end, until=end)
    assert askable(recurring, past, DAY0, end, until=end)


def test_an_unreachable_share_is_stated_and_trimming_does_not_eat_the_bank() -> None:
    arc = make_arc([0, 10, 20, 60, 90, 120, 150], [30, 55], details=0, variants=0)
    plan = plan_of(arc)
    assert plan.report.questions > 0
    short = {q.name for q in plan.report.quotas if q.note}
    assert {"type B", "type C"} <= short


def write_inputs(root: Path, arc: Arc) -> None:
    context = make_context(root, "order")
    workspace = context.workspace
    workspace.write(stage.ANON, arc.timeline)
    workspace.write(stage.POINTS, arc.point_set)
    workspace.write_lines(stage.CLAIMS, arc.claims)
    workspace.write_lines(stage.RESOLUTIONS, arc.resolutions)
    workspace.write_lines(stage.VERDICTS, [])
    workspace.write_lines(stage.FABRICATION_VERDICTS, [])


def test_order_and_pair_run_over_a_workspace(tmp_path: Path) -> None:
    arc = arc16()
    write_inputs(tmp_path, arc)
    context = make_context(tmp_path, "order")
    counts = asyncio.run(stage.order(context))
    orders = tuple(context.workspace.read_lines(Order, stage.ORDERS))
    assert counts.kept == len(orders) > 0
    made, resolutions = fabricate(orders)
    broken = [resolved(made[0].claim_id, arc.resolutions[0].occurrences), *resolutions[1:]]
    context.workspace.write_lines(stage.FABRICATIONS, made)
    context.workspace.write_lines(stage.FABRICATION_RESOLUTIONS, broken)
    context = make_context(tmp_path, "pair")
    counts = asyncio.run(stage.run(context))
    pairs = context.workspace.read_lines(Pair, stage.PAIRS)
    assert made[0].claim_id not in {p.false_claim for p in pairs}
    assert [(r.item, r.reason) for r in context.rejections if r.item == made[0].claim_id] == [
        (made[0].claim_id, "fabrication happens")
    ]
    assert counts.rejected == len(context.rejections)
    report = context.workspace.read(BankReport, stage.PAIRING)
    assert report.questions == 2 * sum(len(p.cells) for p in pairs)


def test_an_arc_without_anything_to_ask_is_refused_with_reasons(tmp_path: Path) -> None:
    arc = demo_arc()
    never = [resolved(r.claim_id, ()) for r in arc.resolutions]
    write_inputs(tmp_path, Arc(arc.timeline, arc.points, arc.claims, never))
    with pytest.raises(BadInput, match="no outcome that happens"):
        asyncio.run(stage.order(make_context(tmp_path, "order")))


def test_nothing_is_composed_beyond_the_observed_span() -> None:
    arc = arc16()
    span = Span(
        observed_from=arc.timeline.span.observed_from,
        observed_until=arc.points[0].cutoff + timedelta(days=30),
    )
    plan = plan_of(arc, span=span)
    cutoffs = {p.point_id: p.cutoff for p in arc.points}
    for pair in plan.pairs:
        for cell in pair.cells:
            assert cutoffs[cell.point_id] + timedelta(days=cell.window) <= span.observed_until
