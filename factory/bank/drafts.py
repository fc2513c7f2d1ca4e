"""Rows of a bank under construction, and the records that come of them.

A draft is one claim with its twin, or one claim alone, and the cells where it is asked. A draft whose false side
is still to be written becomes an order, every other one a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal

from factory.bank.quotas import Tally
from factory.sections import ComposeSettings
from schemas import (
    WINDOWS,
    BankReport,
    Cell,
    Claim,
    Order,
    Pair,
    PredictionPoint,
    QuestionType,
    Resolution,
)

NewId = Callable[..., str]
Relation = Literal["late", "never", "own", "fabrication", "flip", "single"]
Place = tuple[int, int, int]
"""A cell as (point index, prompt, window index)."""


@dataclass(frozen=True)
class BankPlan:
    """What is asked where, fabrications still to be written, and what was reached."""

    pairs: tuple[Pair, ...]
    orders: tuple[Order, ...]
    report: BankReport


@dataclass
class Draft:
    """One row under construction."""

    relation: Relation
    true: Claim
    true_type: QuestionType
    false_type: QuestionType
    false_id: str = ""
    """Claim of the false side, the true side's own for a row without a twin; empty until it is written."""
    cells: set[Place] = field(default_factory=set)

    @property
    def alone(self) -> bool:
        """Whether the row asks one claim, without a twin."""
        return self.relation in ("flip", "single")

    @property
    def kinds(self) -> tuple[QuestionType, ...]:
        """Types of the questions at each cell."""
        return (self.true_type,) if self.alone else (self.true_type, self.false_type)

    def count(self, tally: Tally, cells: Iterable[Place], sign: int = 1) -> None:
        """Add cells of this row to a tally, or take them off."""
        for _, _, window in cells:
            tally.add(self.kinds, window, sign)


def usable(
    fabrications: Iterable[Claim],
    resolutions: Iterable[Resolution],
    dropped: set[str],
) -> dict[str, Claim]:
    """The written fabrications that never happen and were not dropped, by the claim they mirror."""
    states = {r.claim_id: r.state for r in resolutions}
    return {
        claim.mirrors: claim
        for claim in sorted(fabrications, key=lambda c: c.claim_id)
        if claim.mirrors and claim.claim_id not in dropped and states.get(claim.claim_id) == "never"
    }


def refuted_days(resolutions: Iterable[Resolution]) -> dict[str, date]:
    """First day on which the timeline contradicts a claim, for the claims that it contradicts."""
    return {r.claim_id: r.refuted_on for r in resolutions if r.refuted_on is not None}


def drop_answered(
    draft: Draft, points: Sequence[PredictionPoint], refuted: date | None, tally: Tally
) -> int:
    """Take off the cells whose context already contradicts the false side; how many they were."""
    if refuted is None:
        return 0
    late = {place for place in draft.cells if points[place[0]].cutoff > refuted}
    draft.count(tally, late, -1)
    draft.cells -= late
    return len(late)


def finish(
    points: Sequence[PredictionPoint],
    drafts: Sequence[Draft],
    tally: Tally,
    lost: Mapping[str, int],
    settings: ComposeSettings,
    new_id: NewId,
) -> BankPlan:
    """Records of what was composed; `points` in the order of the cells' indexes."""
    pairs: list[Pair] = []
    orders: list[Order] = []
    per_point: Counter[str] = Counter()
    for draft in drafts:
        cells = tuple(
            Cell(point_id=points[p].point_id, prompt=s, window=WINDOWS[w])
            for p, s, w in sorted(draft.cells)
        )
        for cell in cells:
            per_point[cell.point_id] += len(draft.kinds)
        if not draft.false_id:
            orders.append(_order(points, draft, new_id))
            continue
        mark = draft.relation if draft.alone else draft.false_id
        pairs.append(
            Pair(
                pair_id=new_id("p", draft.true.claim_id, mark),
                true_claim=draft.true.claim_id,
                false_claim=draft.false_id,
                true_type=draft.true_type,
                false_type=draft.false_type,
                relation=draft.relation,
                cells=cells,
            )
        )
    report = BankReport(
        preset=settings.preset,
        questions=sum(per_point.values()),
        events=0,
        pairs=len(drafts),
        points={p.point_id: per_point[p.point_id] for p in points},
        quotas=tally.lines(),
        dropped={reason: count for reason, count in sorted(lost.items()) if count},
    )
    return BankPlan(
        tuple(sorted(pairs, key=lambda pair: pair.pair_id)),
        tuple(sorted(orders, key=lambda order: order.order_id)),
        report,
    )


def _order(points: Sequence[PredictionPoint], draft: Draft, new_id: NewId) -> Order:
    first = points[min(draft.cells)[0]]
    last = max(points[p].cutoff + timedelta(days=WINDOWS[w]) for p, _, w in draft.cells)
    return Order(
        order_id=new_id("o", draft.true.claim_id),
        mirrors=draft.true.claim_id,
        point_id=first.point_id,
        first=first.cutoff,
        last=last,
        level=draft.true.level,
        dimension=draft.true.dimension,
    )
