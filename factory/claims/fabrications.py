"""Made-up claims: the composer orders what it lacks, a model writes it, code screens it.

A made-up claim must not happen, must read like the real claim that it mirrors and must live over many points.
The mirrored claim reaches the writer as a skeleton without content words, because a writer who knew it would
contradict it, and a reader could then tell the two apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
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
from factory.encode import load_encoder
from factory.errors import AnswerFailed
from factory.segments import TokenError, from_tokens, render, to_tokens
from factory.stage import StageContext
from schemas import AnonTimeline, Claim, Order, PredictionPoint

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


async def fill(
    ctx: StageContext,
    timeline: AnonTimeline,
    points: Mapping[str, PredictionPoint],
    claims: Mapping[str, Claim],
    orders: Iterable[Order],
) -> list[Claim]:
    """Ask for what the orders want and screen what comes back, in the orders' sequence of points.

    `points` and `claims` are by id and hold those that the orders name. An order that is not filled is a
    rejection with its reason.
    """
    orders = sorted(orders, key=lambda o: (o.first, o.order_id))
    jobs = list(_jobs(orders, points))
    answers = await ctx.ask.gather(*(_ask_fabrications(ctx, timeline, job, claims) for job in jobs))
    drafts: dict[str, FabricationDraft] = {}
    failed: dict[str, str] = {}
    for job, answer in zip(jobs, answers, strict=True):
        asked = {order.order_id for order in job.orders}
        if isinstance(answer, AnswerFailed):
            failed |= dict.fromkeys(asked, answer.reason)
            continue
        for draft in answer.claims:
            if draft.order_id not in asked or draft.order_id in drafts:
                ctx.reject(draft.order_id, "answers no open order of its call", draft.text[:80])
            else:
                drafts[draft.order_id] = draft
    screen = _Screen(ctx, timeline, claims.values()) if drafts else None
    kept: list[Claim] = []
    for order in orders:
        found = drafts.get(order.order_id)
        if order.order_id in failed:
            ctx.reject(order.order_id, "no usable answer", failed[order.order_id])
        elif found is None or screen is None:
            ctx.reject(order.order_id, "no claim for the order")
        else:
            claim = screen.claim(order, found, claims[order.mirrors], points[order.point_id])
            if claim is not None:
                kept.append(claim)
    return kept


def _jobs(orders: Iterable[Order], points: Mapping[str, PredictionPoint]) -> Iterable[_Job]:
    by_point: dict[str, list[Order]] = defaultdict(list)
    for order in orders:
        by_point[order.point_id].append(order)
    for point_id in sorted(by_point, key=lambda key: points[key].cutoff):
        rows = by_point[point_id]
        for start in range(0, len(rows), ORDERS_A_CALL):
            item = f"{points[point_id].cutoff}-{start // ORDERS_A_CALL + 1}"
            yield _Job(points[point_id], tuple(rows[start : start + ORDERS_A_CALL]), item)


async def _ask_fabrications(
    ctx: StageContext, timeline: AnonTimeline, job: _Job, claims: Mapping[str, Claim]
) -> FabricationAnswer:
    lang = timeline.lang
    seen = set(job.point.context)
    rows = []
    for order in job.orders:
        text = claims[order.mirrors].text[lang]
        rows.append(
            {
                "order_id": order.order_id,
                "level": order.level,
                "dimension": order.dimension,
                "first": order.first.isoformat(),
                "last": order.last.isoformat(),
                "length": len(render(text, lang)),
                "form": skeleton(text, lang),
            }
        )
    return await ctx.ask(
        "claims/fabrications",
        FabricationAnswer,
        item=job.item,
        lang=lang,
        language=LANGUAGES[lang],
        cutoff=job.point.cutoff.isoformat(),
        context=recent([n for n in timeline.nodes if n.node_id in seen], lang, CONTEXT_CHARS),
        orders=rows,
    )


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
        self, order: Order, draft: FabricationDraft, mirrored: Claim, point: PredictionPoint
    ) -> Claim | None:
        """The claim that fills the order, or none after a rejection with its reason."""
        import numpy as np

        known = {ref for ref, day in self.first.items() if day < point.cutoff}
        try:
            text = clause(draft.text, self.lang, known)
            occasion = to_tokens(from_tokens(" ".join(draft.occasion.split()), known))
        except ClauseError as error:
            self._refuse(order, draft, error.reason, error.detail)
            return None
        except TokenError as error:
            self._refuse(order, draft, "unusable occasion", str(error))
            return None
        words = render(text, self.lang)
        like = len(render(mirrored.text[self.lang], self.lang))
        if not (
            like * LENGTH_BAND[0] - LENGTH_SLACK
            <= len(words)
            <= like * LENGTH_BAND[1] + LENGTH_SLACK
        ):
            self._refuse(
                order, draft, "length differs from the mirrored claim", f"{len(words)} for {like}"
            )
            return None
        vector = self.encoder.encode([words])
        likeness = self.vectors @ vector[0]
        nearest = int(np.argmax(likeness))
        if comparable(text) in self.taken or likeness[nearest] >= self.encoder.mono:
            self._refuse(
                order,
                draft,
                "too similar to something that happens or to another claim",
                f"{self.ids[nearest]}, cosine {float(likeness[nearest]):.2f}",
            )
            return None
        if not occasion:
            self._refuse(order, draft, "unusable occasion", "empty")
            return None
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

    def _refuse(self, order: Order, draft: FabricationDraft, reason: str, detail: str = "") -> None:
        self.ctx.reject(order.order_id, reason, f"{draft.text[:80]}: {detail}")
