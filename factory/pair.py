"""Stages `order` and `pair`: each true claim gets a persistent false twin, by seeded code and no model.

Preset `paper` asks full ladders without twins in the same two stages. `order` composes with places for the fabrications that are missing and orders them; `pair` composes again with
the written ones. A fabrication that turned out to happen, was annulled or dropped takes its pair along, and
what that frees is paired once more.
"""

from __future__ import annotations

from factory.bank.drafts import BankPlan
from factory.bank.material import majority_dropped
from factory.bank.mirror import mirror
from factory.bank.paper import paper
from factory.counting import count_of
from factory.errors import BadInput
from factory.stage import StageContext
from schemas import AnonTimeline, BankReport, Claim, Counts, Order, PointSet, Resolution, Verdict

ANON = "04_anonymised/timeline.json"
POINTS = "05_points/points.json"
CLAIMS = "06_claims/claims.jsonl"
RESOLUTIONS = "06_claims/resolutions.jsonl"
VERDICTS = "06_claims/verdicts.jsonl"
ORDERS = "06_claims/orders.jsonl"
FABRICATIONS = "06_claims/fabrications.jsonl"
FABRICATION_RESOLUTIONS = "06_claims/fabrication_resolutions.jsonl"
FABRICATION_VERDICTS = "06_claims/fabrication_verdicts.jsonl"
PAIRS = "06_claims/pairs.jsonl"
PAIRING = "06_claims/pairing.json"


async def order(ctx: StageContext) -> Counts:
    """Write the orders for fabrications. Raises BadInput when no question can be composed at all."""
    plan, claims = _plan(ctx, with_fabrications=False)
    if not plan.orders and not plan.pairs:
        raise BadInput(
            "no question can be composed: no claim that happens is askable at any cutoff "
            f"({_reasons(plan.report)}); collect a longer arc or ask for more outcomes a node"
        )
    ctx.workspace.write_lines(ORDERS, plan.orders)
    ctx.say(
        f"{count_of(len(plan.pairs), 'pair')} of real claims, {count_of(len(plan.orders), 'fabrication')} ordered"
    )
    return Counts(received=len(claims), kept=len(plan.orders))


async def run(ctx: StageContext) -> Counts:
    """Write the final pairs and the account of every quota."""
    plan, claims = _plan(ctx, with_fabrications=True)
    if not plan.pairs:
        raise BadInput(
            f"no pair of twins is left ({_reasons(plan.report)}); look at 06_claims and rejected.jsonl"
        )
    used = {claim_id for pair in plan.pairs for claim_id in (pair.true_claim, pair.false_claim)}
    lost = [claim for claim in claims if claim.mirrors and claim.claim_id not in used]
    states = {
        r.claim_id: r.state for r in ctx.workspace.read_lines(Resolution, FABRICATION_RESOLUTIONS)
    }
    for claim in lost:
        state = states.get(claim.claim_id, "not resolved")
        reason = {"never": "fabrication not needed or dropped", "occurs": "fabrication happens"}
        ctx.reject(claim.claim_id, reason.get(state, "fabrication annulled"))
    ctx.workspace.write_lines(PAIRS, plan.pairs)
    ctx.workspace.write(PAIRING, plan.report)
    ctx.say(
        f"{count_of(len(plan.pairs), 'pair')}, {count_of(plan.report.questions, 'question')} an edition"
    )
    return Counts(received=len(claims), kept=len(used), rejected=len(lost))


def _plan(ctx: StageContext, *, with_fabrications: bool) -> tuple[BankPlan, list[Claim]]:
    composer = paper if ctx.settings.compose.preset == "paper" else mirror
    read = ctx.workspace.read_lines
    claims = read(Claim, CLAIMS)
    verdicts = read(Verdict, VERDICTS)
    fabrications: list[Claim] | None = None
    fabrication_resolutions: list[Resolution] = []
    if with_fabrications:
        known = {o.mirrors for o in read(Order, ORDERS)}
        fabrications = [c for c in read(Claim, FABRICATIONS) if c.mirrors in known]
        fabrication_resolutions = read(Resolution, FABRICATION_RESOLUTIONS)
        verdicts = verdicts + read(Verdict, FABRICATION_VERDICTS)
    plan = composer(
        ctx.workspace.read(PointSet, POINTS).points,
        claims,
        read(Resolution, RESOLUTIONS),
        dropped=majority_dropped(verdicts),
        settings=ctx.settings.compose,
        span=ctx.workspace.read(AnonTimeline, ANON).span,
        seed=ctx.event.seed,
        new_id=ctx.new_id,
        fabrications=fabrications,
        fabrication_resolutions=fabrication_resolutions,
    )
    return plan, claims + (fabrications or [])


def _reasons(report: BankReport) -> str:
    return "; ".join(f"{reason}: {count}" for reason, count in report.dropped.items()) or "no claim"
