"""Three auditors read every claim against what an examinee will know, before anything is paired.

Each auditor has its own lens and may name any fault. The context shown is that of the latest cutoff at which
the claim can be asked: whatever is answerable there gives its answer away, and whatever a claim takes for
granted beyond it comes from the future. Two of three drop a claim; a failed auditor is not known and counts
for neither side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.bank.material import majority_dropped
from factory.bank.reading import LANGUAGES, recent
from factory.counting import count_of
from factory.errors import AnswerFailed, WorkspaceError
from factory.segments import to_tokens
from factory.stage import StageContext, ask_in_parts
from schemas import (
    AnonTimeline,
    Claim,
    Counts,
    Order,
    PointSet,
    PredictionPoint,
    Resolution,
    Verdict,
)

ANON = "04_anonymised/timeline.json"
POINTS = "05_points/points.json"
CLAIMS = "06_claims/claims.jsonl"
RESOLUTIONS = "06_claims/resolutions.jsonl"
VERDICTS = "06_claims/verdicts.jsonl"
ORDERS = "06_claims/orders.jsonl"
FABRICATIONS = "06_claims/fabrications.jsonl"
FABRICATION_RESOLUTIONS = "06_claims/fabrication_resolutions.jsonl"
FABRICATION_VERDICTS = "06_claims/fabrication_verdicts.jsonl"

LENSES = {"auditor1": "answerable", "auditor2": "premise", "auditor3": "sibling"}
"""Role of each auditor and what it looks for first."""
CONTEXT_CHARS = 40_000
"""Most recent characters of the context that an auditor sees; an answer far back is found by the next one."""

Fault = Literal["none", "answerable", "ambiguous", "future_premise", "leaks_sibling"]


class AuditDraft(BaseModel):
    """One claim's verdict."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    claim_id: str
    """The claim."""
    state: Literal["pass", "drop"]
    """drop when a fault is shown, pass otherwise."""
    fault: Fault
    """The gravest fault; none with pass."""
    quote: str
    """Words copied from the context or from a claim that show the fault; empty with pass."""


class AuditAnswer(BaseModel):
    """One verdict for each claim listed."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    verdicts: Annotated[list[AuditDraft], Field(max_length=200)]
    """Exactly one for each claim, in the order listed."""


@dataclass(frozen=True)
class _Job:
    auditor: str
    point: PredictionPoint
    families: tuple[tuple[Claim, ...], ...]
    item: str


async def run(ctx: StageContext) -> Counts:
    """Audit outcomes, details and variants that were resolved."""
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    points = ctx.workspace.read(PointSet, POINTS).points
    claims = ctx.workspace.read_lines(Claim, CLAIMS)
    day_of = {node.node_id: node.date for node in timeline.nodes}
    at: dict[str, PredictionPoint] = {}
    for claim in claims:
        if claim.node_id is None:
            raise WorkspaceError(
                f"{CLAIMS} is damaged (claim {claim.claim_id} names no node); "
                "run `factory run EVENT --from claims` to rebuild it"
            )
        # Claims are written from nodes at or after the first cutoff, so one point always qualifies.
        at[claim.family_id] = max(
            (p for p in points if p.cutoff <= day_of[claim.node_id]), key=lambda p: p.cutoff
        )
    return await _audit(ctx, timeline, claims, at, RESOLUTIONS, VERDICTS)


async def run_fabrications(ctx: StageContext) -> Counts:
    """Audit fabrications at the first point of their orders."""
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    points = {p.point_id: p for p in ctx.workspace.read(PointSet, POINTS).points}
    orders = {order.mirrors: order for order in ctx.workspace.read_lines(Order, ORDERS)}
    claims = ctx.workspace.read_lines(Claim, FABRICATIONS)
    at = {c.family_id: points[orders[c.mirrors].point_id] for c in claims if c.mirrors in orders}
    return await _audit(ctx, timeline, claims, at, FABRICATION_RESOLUTIONS, FABRICATION_VERDICTS)


async def _audit(
    ctx: StageContext,
    timeline: AnonTimeline,
    claims: Sequence[Claim],
    at: Mapping[str, PredictionPoint],
    resolutions: str,
    target: str,
) -> Counts:
    annulled = {
        row.claim_id
        for row in ctx.workspace.read_lines(Resolution, resolutions)
        if row.state == "annulled"
    }
    asked = [claim for claim in claims if claim.claim_id not in annulled]
    jobs = _jobs(asked, at, ctx.settings.vet.claims_a_call)
    answers = await ask_in_parts(ctx.ask, jobs, lambda job: _ask(ctx, timeline, job), _halves)
    verdicts: dict[tuple[str, str], Verdict] = {}
    for job, answer in answers:
        for verdict in judge(job, answer, timeline):
            verdicts[verdict.claim_id, verdict.auditor] = verdict
    rows = [verdicts[claim.claim_id, auditor] for claim in asked for auditor in LENSES]
    dropped = majority_dropped(rows)
    for claim in asked:
        if claim.claim_id in dropped:
            against = [verdicts[claim.claim_id, auditor] for auditor in LENSES]
            detail = "; ".join(
                f"{row.auditor}: {row.fault} ({row.quote})"
                for row in against
                if row.state == "drop"
            )
            ctx.reject(claim.claim_id, "dropped by two of three auditors", detail)
    ctx.workspace.write_lines(target, rows)
    ctx.say(
        f"{len(asked) - len(dropped)} of {count_of(len(asked), 'claim')} passed by the auditors"
    )
    return Counts(received=len(asked), kept=len(asked) - len(dropped), rejected=len(ctx.rejections))


def _halves(job: _Job) -> tuple[_Job, _Job] | None:
    """The job with half of its families each; a single family stays whole."""
    middle = len(job.families) // 2
    if not middle:
        return None
    first, second = job.families[:middle], job.families[middle:]
    return (
        replace(job, families=first, item=job.item + "-a"),
        replace(job, families=second, item=job.item + "-b"),
    )


def _jobs(
    claims: Sequence[Claim], at: Mapping[str, PredictionPoint], claims_a_call: int
) -> list[_Job]:
    families: dict[str, list[Claim]] = {}
    for claim in claims:
        families.setdefault(claim.family_id, []).append(claim)
    by_point: dict[str, list[tuple[Claim, ...]]] = defaultdict(list)
    points = {point.point_id: point for point in at.values()}
    for family_id in sorted(families):
        # Opaque order: neither kind nor level shows.
        members = tuple(sorted(families[family_id], key=lambda c: c.claim_id))
        by_point[at[family_id].point_id].append(members)
    jobs = []
    for point_id in sorted(by_point, key=lambda key: points[key].cutoff):
        batches: list[list[tuple[Claim, ...]]] = []
        for family in by_point[point_id]:
            if batches and sum(map(len, batches[-1])) + len(family) <= claims_a_call:
                batches[-1].append(family)
            else:
                batches.append([family])
        jobs += [
            _Job(
                auditor,
                points[point_id],
                tuple(batch),
                f"{points[point_id].cutoff}-{number:02}-{auditor}",
            )
            for auditor in LENSES
            for number, batch in enumerate(batches, 1)
        ]
    return jobs


async def _ask(ctx: StageContext, timeline: AnonTimeline, job: _Job) -> AuditAnswer:
    lang = timeline.lang
    seen = set(job.point.context)
    return await ctx.ask(
        "vet/audit",
        AuditAnswer,
        item=job.item,
        role=job.auditor,
        lang=lang,
        language=LANGUAGES[lang],
        lens=LENSES[job.auditor],
        cutoff=job.point.cutoff.isoformat(),
        context=recent([n for n in timeline.nodes if n.node_id in seen], lang, CONTEXT_CHARS),
        families=[
            {
                "occasion": family[0].occasion,
                "claims": [
                    {"claim_id": c.claim_id, "text": to_tokens(c.text[lang])} for c in family
                ],
            }
            for family in job.families
        ],
        counted=any(claim.stance is not None for family in job.families for claim in family),
    )


def judge(job: _Job, answer: AuditAnswer | AnswerFailed, timeline: AnonTimeline) -> list[Verdict]:
    """One verdict a claim; unknown when the call failed, the claim has none, or a drop shows no fault.

    A drop must quote words that stand in the context, in the claim or in a sibling: an auditor that cannot
    show its fault is not believed and not counted.
    """
    context = "\n".join(
        recent([node], timeline.lang, 1)
        for node in timeline.nodes
        if node.node_id in set(job.point.context)
    )
    rows = []
    for family in job.families:
        words = [to_tokens(claim.text[timeline.lang]) for claim in family]
        for claim in family:
            found = (
                []
                if isinstance(answer, AnswerFailed)
                else [row for row in answer.verdicts if row.claim_id == claim.claim_id]
            )
            state: Literal["pass", "drop", "unknown"] = "unknown"
            fault: Fault = "none"
            quote = ""
            if len(found) == 1 and found[0].state == "pass":
                state = "pass"
            elif len(found) == 1 and found[0].fault != "none":
                quote = found[0].quote.strip()
                if quote and any(quote in text for text in [context, *words]):
                    state, fault = "drop", found[0].fault
            rows.append(
                Verdict(
                    claim_id=claim.claim_id,
                    auditor=job.auditor,
                    state=state,
                    fault=fault,
                    quote=quote,
                )
            )
    return rows
