"""Claims: what happens, said in one clause without any date, and what could have happened instead.

Each node's call asks for outcome claims with a ladder of more detailed levels and with variants on the same
occasion that exclude the outcome and each other; the model sees nothing that came after the node. `fabricate`
is the other way to a claim: one that an order of the composer asks for and that must not happen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.bank.clause import (
    ClauseError,
    clause,
    comparable,
    first_mentions,
    known_from,
    overlap,
    statements,
    trigrams,
)
from factory.bank.reading import LANGUAGES, numbered, recent
from factory.claims.fabrications import fill
from factory.errors import AnswerFailed
from factory.segments import TokenError, from_tokens, to_tokens
from factory.stage import StageContext
from schemas import AnonNode, AnonTimeline, Claim, ClaimKind, Counts, Order, PointSet, SegmentText

ANON = "04_anonymised/timeline.json"
POINTS = "05_points/points.json"
CLAIMS = "06_claims/claims.jsonl"
ORDERS = "06_claims/orders.jsonl"
FABRICATIONS = "06_claims/fabrications.jsonl"

CONTEXT_CHARS = 12_000
"""Most recent characters of the context that a writer sees; older nodes seldom shape an outcome's words."""
TOP_LEVEL = 3
"""Most detailed level of a ladder."""
SAME = 0.7
"""Trigram overlap from which two outcome claims say the same: short clauses that differ in one word keep
more than two thirds of their trigrams."""


class OutcomeDraft(BaseModel):
    """One outcome of a day with its ladder and its variants."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    statement_id: str
    """Id of the sentence that states the outcome."""
    text: str
    """Level 1: the outcome in general terms, one clause."""
    occasion: str
    """The occasion in a short noun phrase, neutral about how it ends."""
    cadence: Literal["once", "recurring"]
    """once: it can come true only once; recurring: it can come true again."""
    dimension: Literal["event", "policy", "opinion", "figures"]
    """What the claim is about."""
    difficulty: Literal["easy", "medium", "hard"]
    """How well a reader of the earlier days could foresee it."""
    relies_on: Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]
    """Latest earlier day whose news the family's words take for granted; empty when they need none."""
    details: Annotated[list[str], Field(max_length=4)]
    """Levels 2, 3, ...: the same outcome, each with one more detail than the one before."""
    variants: Annotated[list[str], Field(max_length=6)]
    """Other ends of the occasion, as general as level 1."""


class OutcomeAnswer(BaseModel):
    """The outcomes of one day."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    outcomes: Annotated[list[OutcomeDraft], Field(max_length=40)]
    """Distinct outcomes, the most consequential first."""


async def run(ctx: StageContext) -> Counts:
    """Write outcome claims for every node at or after the first cutoff."""
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    points = ctx.workspace.read(PointSet, POINTS).points
    first = points[0].cutoff
    nodes = [node for node in timeline.nodes if node.date >= first]
    size = ctx.settings.claims.nodes_a_call
    groups = [nodes[i : i + size] for i in range(0, len(nodes), size)]
    answers = await ctx.ask.gather(*(_ask_outcomes(ctx, timeline, group) for group in groups))
    collector = _Collector(ctx, timeline)
    for group, answer in zip(groups, answers, strict=True):
        if isinstance(answer, AnswerFailed):
            for node in group:
                ctx.reject(node.node_id, "no usable answer", answer.reason)
            continue
        collector.add(group, answer.outcomes)
    claims = collector.claims()
    ctx.workspace.write_lines(CLAIMS, claims)
    ctx.say(f"{len(claims)} claims from {len(nodes)} nodes")
    return Counts(received=len(nodes), kept=len(claims), rejected=len(ctx.rejections))


async def fabricate(ctx: StageContext) -> Counts:
    """Fill the composer's orders with claims that must not happen."""
    timeline = ctx.workspace.read(AnonTimeline, ANON)
    points = {p.point_id: p for p in ctx.workspace.read(PointSet, POINTS).points}
    claims = {c.claim_id: c for c in ctx.workspace.read_lines(Claim, CLAIMS)}
    orders = ctx.workspace.read_lines(Order, ORDERS)
    kept = await fill(ctx, timeline, points, claims, orders)
    ctx.workspace.write_lines(FABRICATIONS, kept)
    ctx.say(f"{len(kept)} of {len(orders)} orders filled")
    return Counts(received=len(orders), kept=len(kept), rejected=len(ctx.rejections))


async def _ask_outcomes(
    ctx: StageContext, timeline: AnonTimeline, group: Sequence[AnonNode]
) -> OutcomeAnswer:
    settings = ctx.settings.claims
    return await ctx.ask(
        "claims/outcomes",
        OutcomeAnswer,
        item=group[0].node_id if len(group) == 1 else f"{group[0].node_id}+{len(group) - 1}",
        lang=timeline.lang,
        language=LANGUAGES[timeline.lang],
        context=recent(
            [n for n in timeline.nodes if n.date < group[0].date], timeline.lang, CONTEXT_CHARS
        ),
        news="\n\n".join(numbered(node, timeline.lang) for node in group),
        outcomes=settings.outcomes * len(group),
        details=settings.details,
        variants=settings.variants,
    )


@dataclass(frozen=True)
class _Family:
    """An accepted outcome whose ladder and variants are still to be read."""

    node: AnonNode
    draft: OutcomeDraft
    outcome: SegmentText
    shape: frozenset[str]
    occasion: str
    needed: tuple[date, ...]
    """Earlier days that its words take for granted, none or one."""
    before: frozenset[tuple[str, str]]
    """References known before its node: no point that can ask it knows more."""


class _Collector:
    """Turns drafts into claims, in the order of the arc, and rejects what breaks a rule.

    All outcomes come first: what happens on a later day must not lose its words to a mere variant.
    """

    def __init__(self, ctx: StageContext, timeline: AnonTimeline) -> None:
        self.ctx = ctx
        self.settings = ctx.settings.claims
        self.timeline = timeline
        self.lang = timeline.lang
        self.first = first_mentions(timeline.nodes)
        self.families: list[_Family] = []
        self.taken: set[str] = set()

    def add(self, group: Sequence[AnonNode], drafts: Sequence[OutcomeDraft]) -> None:
        """Take the outcomes of one call."""
        sentences = {s.statement_id: node for node in group for s in statements(node)}
        count: dict[str, int] = defaultdict(int)
        for draft in drafts:
            node = sentences.get(draft.statement_id)
            if node is None:
                self.ctx.reject(
                    f"{group[0].node_id}: {draft.text[:80]}",
                    "cites a sentence that its day does not hold",
                    draft.statement_id,
                )
            elif count[node.node_id] == self.settings.outcomes:
                self._refuse(node, draft.text, "more than asked for")
            elif (family := self._family(node, draft)) is not None:
                count[node.node_id] += 1
                self.families.append(family)
                self.taken.add(comparable(family.outcome))
        for node in group:
            if not count[node.node_id]:
                self.ctx.reject(node.node_id, "no outcome claim")

    def claims(self) -> list[Claim]:
        """All claims, family by family: the outcome, its ladder, its variants."""
        return [claim for family in self.families for claim in self._claims(family)]

    def _refuse(self, node: AnonNode, text: str, reason: str, detail: str = "") -> None:
        self.ctx.reject(f"{node.node_id}: {text[:80]}", reason, detail)

    def _family(self, node: AnonNode, draft: OutcomeDraft) -> _Family | None:
        before = frozenset(ref for ref, day in self.first.items() if day < node.date)
        outcome = self._text(node, draft.text, before)
        if outcome is None:
            return None
        shape = trigrams(outcome)
        for other in self.families:
            likeness = overlap(shape, other.shape)
            if likeness >= SAME:
                detail = f"{to_tokens(other.outcome)} ({other.node.node_id}), {likeness:.2f}"
                self._refuse(node, draft.text, "says the same as another outcome", detail)
                return None
        try:
            occasion = to_tokens(from_tokens(" ".join(draft.occasion.split()), self.first))
        except TokenError as error:
            self._refuse(node, draft.text, "unusable occasion", str(error))
            return None
        if not occasion:
            self._refuse(node, draft.text, "unusable occasion", "empty")
            return None
        needed = tuple(
            n.date
            for n in self.timeline.nodes
            if n.date < node.date and n.date.isoformat() == draft.relies_on
        )
        if draft.relies_on and not needed:
            reason = "relies on a day that is no earlier day"
            self._refuse(node, draft.text, reason, draft.relies_on)
            return None
        return _Family(node, draft, outcome, shape, occasion, needed, before)

    def _claims(self, family: _Family) -> list[Claim]:
        draft = family.draft
        claims = [self._claim(family, "outcome", 1, family.outcome)]
        # A lost rung does not lose the ones above it, but levels stay without gaps.
        level = 1
        for words in self._asked(family, draft.details, min(self.settings.details, TOP_LEVEL - 1)):
            text = self._text(family.node, words, family.before)
            if text is not None:
                level += 1
                claims.append(self._claim(family, "detail", level, text))
        for words in self._asked(family, draft.variants, self.settings.variants):
            text = self._text(family.node, words, family.before)
            if text is not None:
                claims.append(self._claim(family, "variant", 1, text))
        return claims

    def _asked(self, family: _Family, texts: Sequence[str], count: int) -> Sequence[str]:
        for words in texts[count:]:
            self._refuse(family.node, words, "more than asked for")
        return texts[:count]

    def _claim(self, family: _Family, kind: ClaimKind, level: int, text: SegmentText) -> Claim:
        self.taken.add(comparable(text))
        return Claim(
            claim_id=self.ctx.new_id("c", to_tokens(text)),
            family_id=self.ctx.new_id("f", "family", to_tokens(family.outcome)),
            kind=kind,
            level=level,
            occasion=family.occasion,
            cadence=family.draft.cadence,
            dimension=family.draft.dimension,
            difficulty=family.draft.difficulty,
            node_id=family.node.node_id,
            known_from=known_from(text, self.first, *family.needed),
            text={self.lang: text},
        )

    def _text(
        self, node: AnonNode, words: str, before: frozenset[tuple[str, str]]
    ) -> SegmentText | None:
        try:
            text = clause(words, self.lang, self.first, before=before)
        except ClauseError as error:
            self._refuse(node, words, error.reason, error.detail)
            return None
        if comparable(text) in self.taken:
            self._refuse(node, words, "same words as another claim")
            return None
        return text
