"""Made-up claims: the composer orders what it lacks, a model writes it, code screens it.

A made-up claim must not happen, must read like the real claim that it mirrors and must live over many points.
The mirrored claim reaches the writer as a skeleton without content words, because a writer who knew it would
contradict it, and a reader could then tell the two apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from factory.bank.clause import (
    ClauseError,
    clause,
    comparable,
    first_mentions,
    known_from,
    statements,
)
from factory.bank.reading import LANGUAGES, recent
from factory.bank.skeleton import skeleton
from factory.bank.wording import tell_tale_words, uses
from factory.claims.measured import fill_by_count
from factory.encode import load_encoder
from factory.errors import AnswerFailed
from factory.segments import TokenError, from_tokens, render, to_tokens
from factory.stage import StageContext
from schemas import AnonTimeline, Claim, Lang, Order, PredictionPoint, SegmentText

CONTEXT_CHARS = 12_000
"""Most recent characters of the context that the writer sees, as for outcomes."""
LENGTH_BAND = (0.6, 1.6)
"""A made-up claim's rendered length as a share of the mirrored claim's."""
LENGTH_SLACK = 4
"""Characters added to both sides of the band, so that short Chinese clauses have room."""
ORDERS_A_CALL = 12
"""Orders filled by one call."""


class FabricationDraft(BaseModel):
    """One made-up claim."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    order_id: str
    """The order that it fills."""
    text: str
    """One clause in the ordered form."""
    occasion: str
    """The occasion in a short noun phrase, neutral about how it ends."""


class FabricationAnswer(BaseModel):
    """One claim for each order."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    claims: Annotated[list[FabricationDraft], Field(max_length=60)]
    """One for each order, in the order asked."""


@dataclass(frozen=True)
class _Job:
    point: PredictionPoint
    orders: tuple[Order, ...]
    item: str


@dataclass(frozen=True)
class _Trouble:
    """Why an order is asked again."""

    text: str
    """The claim that was not taken; empty when there was none."""
    reason: str
    """What was wrong with it."""


async def fill(
    ctx: StageContext,
    timeline: AnonTimeline,
    points: Mapping[str, PredictionPoint],
    claims: Mapping[str, Claim],
    orders: Iterable[Order],
    target: SegmentText | None = None,
) -> list[Claim]:
    """Ask for what the orders want and screen what comes back, in the orders' sequence of points.

    `points` and `claims` are by id and hold those that the orders name; `target` is what stances are counted
    towards. An order whose claim was refused is asked once more with the reason, and so is one whose claim uses
    words that give made-up claims away; a claim that was only worded badly stays when the second try is no better.
    An order that is not filled is a rejection with its reason.
    """
    orders = sorted(orders, key=lambda o: (o.first, o.order_id))
    kept: dict[str, Claim] = {}
    taken = [c.stance for c in claims.values() if c.stance is not None and c.kind != "variant"]
    variants = [c.stance for c in claims.values() if c.stance is not None and c.kind == "variant"]
    for order in orders:
        mirrored = claims[order.mirrors]
        if mirrored.stance is None:
            continue
        point = points[order.point_id]
        claim = fill_by_count(ctx, timeline, order, mirrored, point, taken, target, variants)
        if claim is not None and claim.stance is not None:
            kept[order.order_id] = claim
            taken.append(claim.stance)
    written = [order for order in orders if claims[order.mirrors].stance is None]
    if written:
        filler = _Filler(ctx, timeline, points, claims, kept)
        trouble = await filler.round(written, {})
        avoid = tell_tale_words(
            plain_wordings(claims, orders, timeline.lang),
            [to_tokens(c.text[timeline.lang]) for c in kept.values() if c.stance is None],
            timeline.lang,
        )
        for order in written:
            claim = kept.get(order.order_id)
            text = to_tokens(claim.text[timeline.lang]) if claim else ""
            if claim and (found := uses(text, avoid, timeline.lang)):
                reason = f"uses words that give made-up claims away: {'; '.join(found)}"
                trouble[order.order_id] = _Trouble(text, reason)
                ctx.reject(order.order_id, "worded like made-up claims", f"{text}: {found}")
        again = [order for order in written if order.order_id in trouble]
        if again:
            lost = await filler.round(again, trouble, avoid)
            for order in again:
                if order.order_id in lost and order.order_id not in kept:
                    ctx.reject(order.order_id, "order not filled", lost[order.order_id].reason)
    return [kept[order.order_id] for order in orders if order.order_id in kept]


def plain_wordings(claims: Mapping[str, Claim], orders: Iterable[Order], lang: Lang) -> list[str]:
    """Token texts of real claims that made-up ones are compared with, one a family.

    The claim that an order mirrors stands for its family, so that both sides have the same mixture of levels.
    """
    mirrored = {order.mirrors for order in orders}
    chosen: dict[str, Claim] = {}
    for claim in claims.values():
        if claim.stance is not None or claim.kind not in ("outcome", "detail"):
            continue
        before = chosen.get(claim.family_id)
        if before is None or (claim.claim_id in mirrored and before.claim_id not in mirrored):
            chosen[claim.family_id] = claim
    return [to_tokens(claim.text[lang]) for claim in chosen.values()]


class _Filler:
    """Asks about orders and keeps what passes the screen, over both rounds."""

    def __init__(
        self,
        ctx: StageContext,
        timeline: AnonTimeline,
        points: Mapping[str, PredictionPoint],
        claims: Mapping[str, Claim],
        kept: dict[str, Claim],
    ) -> None:
        self.ctx = ctx
        self.timeline = timeline
        self.points = points
        self.claims = claims
        self.kept = kept
        self.screen: _Screen | None = None

    async def round(
        self,
        orders: Sequence[Order],
        before: Mapping[str, _Trouble],
        avoid: Sequence[str] = (),
    ) -> dict[str, _Trouble]:
        """Ask about the orders and keep what passes; what did not, by order, with the reason."""
        jobs = list(_jobs(orders, self.points))
        answers = await self.ctx.ask.gather(*(self._ask(job, before, avoid) for job in jobs))
        drafts: dict[str, FabricationDraft] = {}
        trouble: dict[str, _Trouble] = {}
        for job, answer in zip(jobs, answers, strict=True):
            asked = {order.order_id for order in job.orders}
            if isinstance(answer, AnswerFailed):
                self._trouble(trouble, asked, "no usable answer", answer.reason)
                continue
            for draft in answer.claims:
                if draft.order_id not in asked or draft.order_id in drafts:
                    reason = "answers no open order of its call"
                    self.ctx.reject(draft.order_id, reason, draft.text[:80])
                else:
                    drafts[draft.order_id] = draft
        for order in orders:
            draft_found = drafts.get(order.order_id)
            if draft_found is None:
                if order.order_id not in trouble:
                    self._trouble(trouble, [order.order_id], "no claim for the order")
                continue
            screen = self.screen or _Screen(self.ctx, self.timeline, self.claims.values())
            self.screen = screen
            result = screen.claim(
                order,
                draft_found,
                self.claims[order.mirrors],
                self.points[order.point_id],
                self.kept.get(order.order_id),
            )
            if isinstance(result, Claim):
                self.kept[order.order_id] = result
            else:
                trouble[order.order_id] = result
        return trouble

    def _trouble(
        self, trouble: dict[str, _Trouble], orders: Iterable[str], reason: str, detail: str = ""
    ) -> None:
        for order_id in sorted(orders):
            self.ctx.reject(order_id, reason, detail)
            trouble[order_id] = _Trouble("", f"{reason}: {detail}" if detail else reason)

    async def _ask(
        self, job: _Job, before: Mapping[str, _Trouble], avoid: Sequence[str]
    ) -> FabricationAnswer:
        lang = self.timeline.lang
        seen = set(job.point.context)
        rows = []
        for order in job.orders:
            text = self.claims[order.mirrors].text[lang]
            refused = before.get(order.order_id)
            rows.append(
                {
                    "order_id": order.order_id,
                    "level": order.level,
                    "dimension": order.dimension,
                    "first": order.first.isoformat(),
                    "last": order.last.isoformat(),
                    "length": len(render(text, lang)),
                    "form": skeleton(text, lang),
                    "refused": {"text": refused.text, "reason": refused.reason}
                    if refused
                    else None,
                }
            )
        return await self.ctx.ask(
            "claims/fabrications",
            FabricationAnswer,
            item=job.item,
            sample=1 if before else 0,
            lang=lang,
            language=LANGUAGES[lang],
            cutoff=job.point.cutoff.isoformat(),
            context=recent(
                [n for n in self.timeline.nodes if n.node_id in seen], lang, CONTEXT_CHARS
            ),
            orders=rows,
            avoid=list(avoid),
        )


def _jobs(orders: Iterable[Order], points: Mapping[str, PredictionPoint]) -> Iterable[_Job]:
    by_point: dict[str, list[Order]] = defaultdict(list)
    for order in orders:
        by_point[order.point_id].append(order)
    for point_id in sorted(by_point, key=lambda key: points[key].cutoff):
        rows = by_point[point_id]
        for start in range(0, len(rows), ORDERS_A_CALL):
            item = f"{points[point_id].cutoff}-{start // ORDERS_A_CALL + 1}"
            yield _Job(points[point_id], tuple(rows[start : start + ORDERS_A_CALL]), item)


class _Screen:
    """Compares made-up claims with everything that happens and with every other claim."""

    def __init__(self, ctx: StageContext, timeline: AnonTimeline, claims: Iterable[Claim]) -> None:
        self.ctx = ctx
        self.lang = timeline.lang
        self.first = first_mentions(timeline.nodes)
        self.encoder = load_encoder(ctx.settings.encoder)
        rows = [
            (s.statement_id, s.text[self.lang]) for node in timeline.nodes for s in statements(node)
        ]
        rows += [(claim.claim_id, claim.text[self.lang]) for claim in claims]
        self.ids = [row[0] for row in rows]
        self.vectors = self.encoder.encode([render(row[1], self.lang) for row in rows])
        self.taken = {comparable(row[1]) for row in rows}

    def claim(
        self,
        order: Order,
        draft: FabricationDraft,
        mirrored: Claim,
        point: PredictionPoint,
        replaced: Claim | None = None,
    ) -> Claim | _Trouble:
        """The claim that fills the order, or after a rejection its reason.

        A new wording is not compared with the claim that it replaces.
        """
        import numpy as np

        known = {ref for ref, day in self.first.items() if day < point.cutoff}
        try:
            text = clause(draft.text, self.lang, known)
            occasion = to_tokens(from_tokens(" ".join(draft.occasion.split()), known))
        except ClauseError as error:
            return self._refuse(order, draft, error.reason, error.detail)
        except TokenError as error:
            return self._refuse(order, draft, "unusable occasion", str(error))
        words = render(text, self.lang)
        like = len(render(mirrored.text[self.lang], self.lang))
        if not (
            like * LENGTH_BAND[0] - LENGTH_SLACK
            <= len(words)
            <= like * LENGTH_BAND[1] + LENGTH_SLACK
        ):
            return self._refuse(
                order, draft, "length differs from the mirrored claim", f"{len(words)} for {like}"
            )
        vector = self.encoder.encode([words])
        likeness = self.vectors @ vector[0]
        if replaced is not None:
            likeness[self.ids.index(replaced.claim_id)] = -1.0
        nearest = int(np.argmax(likeness))
        if comparable(text) in self.taken or likeness[nearest] >= self.encoder.mono:
            reason = "too similar to something that happens or to another claim"
            detail = f"{self.ids[nearest]}, cosine {float(likeness[nearest]):.2f}"
            self._refuse(order, draft, reason, detail)
            # The writer may not learn which of both it was.
            return _Trouble(draft.text, reason)
        if not occasion:
            return self._refuse(order, draft, "unusable occasion", "empty")
        claim = Claim(
            claim_id=self.ctx.new_id("c", to_tokens(text)),
            family_id=self.ctx.new_id("f", "family", to_tokens(text)),
            kind="fabrication",
            level=order.level,
            occasion=occasion,
            cadence="once",
            dimension=order.dimension,
            difficulty=mirrored.difficulty,
            mirrors=order.mirrors,
            known_from=known_from(text, self.first),
            text={self.lang: text},
        )
        self.ids.append(claim.claim_id)
        self.vectors = np.vstack([self.vectors, vector])
        self.taken.add(comparable(text))
        return claim

    def _refuse(
        self, order: Order, draft: FabricationDraft, reason: str, detail: str = ""
    ) -> _Trouble:
        self.ctx.reject(order.order_id, reason, f"{draft.text[:80]}: {detail}")
        return _Trouble(draft.text, f"{reason}: {detail}" if detail else reason)
