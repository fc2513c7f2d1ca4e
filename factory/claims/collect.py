"""From the drafts of a writer to outcome claims with ladders and variants: one set of rules, one reason a refusal.

What breaks a rule is rejected with its reason; a day of which every outcome was refused can be asked again once
with these reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
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
from factory.segments import TokenError, from_tokens, to_tokens
from factory.stage import StageContext
from schemas import AnonNode, AnonTimeline, Claim, ClaimKind, SegmentText

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


@dataclass(frozen=True)
class Family:
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
    call: date
    """First day of the call that brought it: what was asked again takes its place in the arc."""


@dataclass(frozen=True)
class Refused:
    """A draft that was not taken."""

    text: str
    """Its words; empty when there was no usable answer."""
    reason: str
    """The rule that it broke, with the words at fault."""


class _Said:
    """What happens in each family, by its trigrams."""

    def __init__(self, rows: Iterable[tuple[int, frozenset[str]]]) -> None:
        self.rows = list(rows)
        self.index: dict[str, list[int]] = defaultdict(list)
        for place, (_, shape) in enumerate(self.rows):
            for piece in shape:
                self.index[piece].append(place)

    def elsewhere(self, shape: frozenset[str], family: int) -> bool:
        """Whether another family says the same.

        Texts with an overlap of `SAME` lack at most 1 - SAME of each other's trigrams, so one of any larger number
        of them, here the rarest, is shared: only what shares one is compared.
        """
        needed = int((1 - SAME) * len(shape)) + 1
        rare = sorted(shape, key=lambda piece: (len(self.index.get(piece, ())), piece))[:needed]
        near = {place for piece in rare for place in self.index.get(piece, ())}
        return any(
            self.rows[place][0] != family and overlap(shape, self.rows[place][1]) >= SAME
            for place in near
        )


class Collector:
    """Turns drafts into claims, in the order of the arc, and rejects what breaks a rule.

    All outcomes come first, then their details, then variants: what happens on a later day must not lose its words
    to a mere variant. `outcomes` is the most that a node keeps.
    """

    def __init__(self, ctx: StageContext, timeline: AnonTimeline, outcomes: int) -> None:
        self.ctx = ctx
        self.settings = ctx.settings.claims
        self.outcomes = outcomes
        self.timeline = timeline
        self.lang = timeline.lang
        self.first = first_mentions(timeline.nodes)
        self.families: list[Family] = []
        self.taken: set[str] = set()
        self.tried: dict[str, list[Refused]] = defaultdict(list)

    def add(self, group: Sequence[AnonNode], drafts: Sequence[OutcomeDraft]) -> None:
        """Take the outcomes of one call."""
        sentences = {s.statement_id: node for node in group for s in statements(node)}
        count: dict[str, int] = defaultdict(int)
        for draft in drafts:
            node = sentences.get(draft.statement_id)
            if node is None:
                reason = "cites a sentence that its day does not hold"
                place = f"{group[0].node_id}: {draft.text[:80]}"
                self.ctx.reject(place, reason, draft.statement_id)
                for one in group:
                    self.tried[one.node_id].append(
                        Refused(draft.text, f"{reason}: {draft.statement_id}")
                    )
            elif count[node.node_id] == self.outcomes:
                self._refuse(node, draft.text, "more than asked for")
            elif (family := self._family(node, draft, group[0].date)) is not None:
                count[node.node_id] += 1
                self.families.append(family)
                self.taken.add(comparable(family.outcome))

    def failed(self, group: Sequence[AnonNode], reason: str) -> None:
        """Note that a call about these nodes had no usable answer."""
        for node in group:
            self.tried[node.node_id].append(Refused("", f"no usable answer: {reason}"))

    def barren(self, nodes: Iterable[AnonNode]) -> list[tuple[AnonNode, tuple[Refused, ...]]]:
        """Nodes of which nothing was kept although something was tried, with what was refused and why."""
        kept = {family.node.node_id for family in self.families}
        return [
            (node, tuple(self.tried[node.node_id]))
            for node in nodes
            if node.node_id not in kept and self.tried.get(node.node_id)
        ]

    def claims(self) -> list[Claim]:
        """All claims in the order of the arc, family by family: the outcome, its ladder, its variants."""
        families = sorted(self.families, key=lambda family: family.call)
        happening = [self._happening(family) for family in families]
        said = _Said(
            (number, trigrams(claim.text[self.lang]))
            for number, row in enumerate(happening)
            for claim in row
        )
        result: list[Claim] = []
        for number, (family, row) in enumerate(zip(families, happening, strict=True)):
            result += [*row, *self._variants(family, number, said)]
        return result

    def _refuse(self, node: AnonNode, text: str, reason: str, detail: str = "") -> None:
        self.ctx.reject(f"{node.node_id}: {text[:80]}", reason, detail)
        self.tried[node.node_id].append(Refused(text, f"{reason}: {detail}" if detail else reason))

    def _family(self, node: AnonNode, draft: OutcomeDraft, call: date) -> Family | None:
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
        return Family(node, draft, outcome, shape, occasion, needed, before, call)

    def _happening(self, family: Family) -> list[Claim]:
        """The outcome and its ladder."""
        claims = [self._claim(family, "outcome", 1, family.outcome)]
        # A lost rung does not lose the ones above it, but levels stay without gaps.
        level = 1
        count = min(self.settings.details, TOP_LEVEL - 1)
        for words in self._asked(family, family.draft.details, count):
            text = self._text(family.node, words, family.before)
            if text is not None:
                level += 1
                claims.append(self._claim(family, "detail", level, text))
        return claims

    def _variants(self, family: Family, number: int, said: _Said) -> list[Claim]:
        """Other ends of the occasion, none of them what happens in another family."""
        claims = []
        for words in self._asked(family, family.draft.variants, self.settings.variants):
            text = self._text(family.node, words, family.before)
            if text is None:
                continue
            if said.elsewhere(trigrams(text), number):
                self._refuse(family.node, words, "a variant that says what another claim says")
                continue
            claims.append(self._claim(family, "variant", 1, text))
        return claims

    def _asked(self, family: Family, texts: Sequence[str], count: int) -> Sequence[str]:
        for words in texts[count:]:
            self._refuse(family.node, words, "more than asked for")
        return texts[:count]

    def _claim(self, family: Family, kind: ClaimKind, level: int, text: SegmentText) -> Claim:
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
