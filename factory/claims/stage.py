"""Claims: what happens, said in one clause without any date, and what could have happened instead.

Each node's call asks for outcome claims with a ladder of more detailed levels and with variants on the same
occasion that exclude the outcome and each other; the model sees nothing that came after the node. A node of which
every outcome was refused is asked once more with the reasons. Claims about shares of counted posts are made by
code. `fabricate` is the other way to a claim: one that an order of the composer asks for and that must not happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from factory.bank.reading import LANGUAGES, numbered, recent
from factory.claims.collect import Collector, OutcomeAnswer, Refused
from factory.claims.fabrications import fill
from factory.claims.measured import measured_claims, read_target
from factory.errors import AnswerFailed
from factory.stage import StageContext
from schemas import AnonNode, AnonTimeline, Claim, Counts, Order, PointSet

ANON = "04_anonymised/timeline.json"
POINTS = "05_points/points.json"
CLAIMS = "06_claims/claims.jsonl"
ORDERS = "06_claims/orders.jsonl"
FABRICATIONS = "06_claims/fabrications.jsonl"

CONTEXT_CHARS = 12_000
"""Most recent characters of the context that a writer sees; older nodes seldom shape an outcome's words."""


async def run(ctx: StageContext) -> Counts:
    """Write outcome claims for every node at or after the first cutoff."""
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    points = ctx.workspace.read(PointSet, POINTS).points
    first = points[0].cutoff
    nodes = [node for node in timeline.nodes if node.date >= first]
    made = measured_claims(ctx, timeline, first)
    writer = _Writer(ctx, timeline, ctx.settings.claims.asked(len(nodes)), counted=bool(made))
    collector = Collector(ctx, timeline, writer.outcomes)
    size = ctx.settings.claims.nodes_a_call
    groups = [nodes[i : i + size] for i in range(0, len(nodes), size)]
    answers = await ctx.ask.gather(*(writer.ask(group) for group in groups))
    for group, answer in zip(groups, answers, strict=True):
        if isinstance(answer, AnswerFailed):
            collector.failed(group, answer.reason)
        else:
            collector.add(group, answer.outcomes)
    barren = collector.barren(nodes)
    again = await ctx.ask.gather(*(writer.ask([node], refused) for node, refused in barren))
    for (node, _), answer in zip(barren, again, strict=True):
        if isinstance(answer, AnswerFailed):
            ctx.reject(node.node_id, "no usable answer", answer.reason)
        else:
            collector.add([node], answer.outcomes)
    written = collector.claims()
    claims = [*written, *made]
    failed = {row.item for row in ctx.rejections if row.reason == "no usable answer"}
    for node in nodes:
        if node.node_id not in {c.node_id for c in written} | failed:
            ctx.reject(node.node_id, "no outcome claim")
    ctx.workspace.write_lines(CLAIMS, claims)
    ctx.say(f"{len(claims)} claims from {len(nodes)} nodes: {_shape(ctx, claims)}")
    return Counts(received=len(nodes), kept=len(claims), rejected=len(ctx.rejections))


async def fabricate(ctx: StageContext) -> Counts:
    """Fill the composer's orders with claims that must not happen."""
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    points = {p.point_id: p for p in ctx.workspace.read(PointSet, POINTS).points}
    claims = {c.claim_id: c for c in ctx.workspace.read_lines(Claim, CLAIMS)}
    orders = ctx.workspace.read_lines(Order, ORDERS)
    kept = await fill(ctx, timeline, points, claims, orders, read_target(ctx))
    ctx.workspace.write_lines(FABRICATIONS, kept)
    ctx.say(f"{len(kept)} of {len(orders)} orders filled")
    return Counts(received=len(orders), kept=len(kept), rejected=len(ctx.rejections))


def _shape(ctx: StageContext, claims: Sequence[Claim]) -> str:
    """How many families have the ladder and the variants that were asked for."""
    asked = ctx.settings.claims
    kinds = Counter((claim.family_id, claim.kind) for claim in claims)
    families = {claim.family_id for claim in claims}
    ladders = sum(kinds[f, "detail"] >= min(asked.details, 2) for f in families)
    variants = sum(kinds[f, "variant"] >= asked.variants for f in families)
    return (
        f"{len(families)} families, {ladders} with all {1 + min(asked.details, 2)} levels, "
        f"{variants} with all {asked.variants} variants"
    )


class _Writer:
    """Asks for the outcomes of nodes; `counted` says that code writes about shares of posts."""

    def __init__(
        self, ctx: StageContext, timeline: AnonTimeline, outcomes: int, *, counted: bool
    ) -> None:
        self.ctx = ctx
        self.timeline = timeline
        self.outcomes = outcomes
        self.counted = counted

    async def ask(
        self, group: Sequence[AnonNode], refused: Sequence[Refused] = ()
    ) -> OutcomeAnswer:
        """One call; with what was refused before it is the second sample of its first node."""
        settings, lang = self.ctx.settings.claims, self.timeline.lang
        earlier = [node for node in self.timeline.nodes if node.date < group[0].date]
        return await self.ctx.ask(
            "claims/outcomes",
            OutcomeAnswer,
            item=group[0].node_id if len(group) == 1 else f"{group[0].node_id}+{len(group) - 1}",
            sample=1 if refused else 0,
            lang=lang,
            language=LANGUAGES[lang],
            context=recent(earlier, lang, CONTEXT_CHARS),
            news="\n\n".join(numbered(node, lang) for node in group),
            outcomes=self.outcomes * len(group),
            details=settings.details,
            variants=settings.variants,
            counted=self.counted,
            refused=[{"text": row.text, "reason": row.reason} for row in refused],
        )
