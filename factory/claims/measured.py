"""Claims that code makes: shares of counted posts that reach a mark, and made-up ones that no day reaches.

`factory/bank/stances.py` says which tests an arc offers; here they become families of claims and fillings of orders.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date

from factory.bank.clause import ClauseError, clause, first_mentions, known_from
from factory.bank.stances import HARD, Move, counted, moves, occasion, unreached, words
from factory.claims.collect import TOP_LEVEL
from factory.segments import to_tokens
from factory.stage import StageContext
from schemas import (
    AnonTimeline,
    Claim,
    ClaimKind,
    Order,
    PredictionPoint,
    SegmentText,
    StanceTarget,
    StanceTest,
)

STANCE_TARGET = "04_anonymised/stance_target.json"


def read_target(ctx: StageContext) -> SegmentText | None:
    """Towards what stances were counted; none for an arc that brings no target or whose target is not usable."""
    if not ctx.workspace.exists(STANCE_TARGET):
        return None
    return ctx.workspace.read(StanceTarget, STANCE_TARGET).text


def measured_claims(ctx: StageContext, timeline: AnonTimeline, first: date) -> list[Claim]:
    """Families about shares of stances, in the order of the arc; empty when too few posts were counted."""
    settings = ctx.settings.claims
    found = moves(
        timeline.nodes,
        first,
        settings.stance_posts,
        1 + min(settings.details, TOP_LEVEL - 1),
        settings.variants,
    )
    if not found:
        return []
    target = read_target(ctx)
    if target is None:
        ctx.reject(
            "claims about counted posts", "no anonymised stance target", f"{len(found)} moves"
        )
        return []
    return [claim for move in found for claim in _family(ctx, timeline, move, target)]


def _family(
    ctx: StageContext, timeline: AnonTimeline, move: Move, target: SegmentText
) -> list[Claim]:
    lang = timeline.lang
    first = first_mentions(timeline.nodes)
    # A reader of the first counted day has seen people take sides, so the target needs no later day.
    begun = counted(timeline.nodes, move.ladder[0].posts)[0].date
    family_id = ctx.new_id("f", "family", words(move.ladder[0], target, lang))

    def claim(kind: ClaimKind, level: int, test: StanceTest) -> Claim:
        text = clause(words(test, target, lang), lang, first)
        return Claim(
            claim_id=ctx.new_id("c", to_tokens(text)),
            family_id=family_id,
            kind=kind,
            level=level,
            occasion=occasion(move.stance, target, lang),
            cadence="recurring",
            dimension="opinion",
            difficulty="hard" if move.change >= HARD else "medium",
            node_id=move.node.node_id,
            known_from=known_from(text, first, begun),
            stance=test,
            text={lang: text},
        )

    try:
        return [
            claim("outcome" if level == 1 else "detail", level, test)
            for level, test in enumerate(move.ladder, 1)
        ] + [claim("variant", 1, test) for test in move.variants]
    except ClauseError as error:
        ctx.reject(f"{move.node.node_id}: share of posts", error.reason, error.detail)
        return []


def fill_by_count(
    ctx: StageContext,
    timeline: AnonTimeline,
    order: Order,
    mirrored: Claim,
    point: PredictionPoint,
    taken: Iterable[StanceTest],
    target: SegmentText | None,
    others: Collection[StanceTest] = (),
) -> Claim | None:
    """The made-up twin of a claim about counted posts: another share's mark that no day reaches, by the same words.

    None after a rejection when no such mark is left, or when the target is not yet known at the order's point.
    """
    lang = timeline.lang
    first = first_mentions(timeline.nodes)
    if mirrored.stance is None or target is None:
        ctx.reject(order.order_id, "no claim for the order", "no share of posts can be asked about")
        return None
    rng = ctx.rng(f"unreached {order.order_id}")
    test = unreached(mirrored.stance, timeline.nodes, taken, rng, others)
    if test is None:
        ctx.reject(order.order_id, "no claim for the order", "no share of posts is left unreached")
        return None
    known = {ref for ref, day in first.items() if day < point.cutoff}
    begun = counted(timeline.nodes, test.posts)[0].date
    try:
        text = clause(words(test, target, lang), lang, known)
    except ClauseError as error:
        ctx.reject(order.order_id, error.reason, error.detail)
        return None
    return Claim(
        claim_id=ctx.new_id("c", to_tokens(text)),
        family_id=ctx.new_id("f", "family", to_tokens(text)),
        kind="fabrication",
        level=order.level,
        occasion=occasion(test.stance, target, lang),
        cadence=mirrored.cadence,
        dimension=order.dimension,
        difficulty=mirrored.difficulty,
        mirrors=order.mirrors,
        known_from=known_from(text, first, begun),
        stance=test,
        text={lang: text},
    )
