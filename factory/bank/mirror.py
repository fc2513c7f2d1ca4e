"""The mirror composer: which claims are asked where, so that structure gives no answer away.

Every true claim has one persistent false twin that is asked at exactly the same cells (point, prompt,
window). Twins have identical structural records, so any rule that reads no meaning gives both the same
probability p, and |p - 1| + |p - 0| = 1 at equal weight: each cell scores exactly 50, by proof. The result
depends on the seed and the content of its inputs, never on their order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from factory.bank.material import Family, FreeFamilies, Material, gather, reserve
from factory.bank.quotas import TYPES, deviation, is_off, quota_lines
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
    Span,
)

JITTER = 60
"""Days by which the order of families is disturbed, so that pairing does not follow the calendar."""
TRIM_LIMIT = 0.25
"""Most of the cells that trimming may cost; beyond it the shortfall is stated instead."""

NewId = Callable[..., str]
Relation = Literal["late", "own", "fabrication"]


@dataclass(frozen=True)
class MirrorPlan:
    """Pairs with their cells, fabrications still to be written, and what was reached."""

    pairs: tuple[Pair, ...]
    orders: tuple[Order, ...]
    report: BankReport


@dataclass(frozen=True)
class _Option:
    """One way to give a family its twin."""

    relation: Relation
    true_type: QuestionType
    false_type: QuestionType
    true: Material
    false: Material | None
    """None for a fabrication: it is false wherever it may be asked."""
    partner: Family | None = None

    @property
    def bits(self) -> int:
        return self.true.true if self.false is None else self.true.true & self.false.false


@dataclass
class _Draft:
    """A pair under construction; `cells` as (point index, prompt, window index)."""

    option: _Option
    false_id: str
    cells: set[tuple[int, int, int]] = field(default_factory=set)


class _Composer:
    """State of one run of the algorithm."""

    def __init__(
        self,
        points: Sequence[PredictionPoint],
        claims: Iterable[Claim],
        resolutions: Iterable[Resolution],
        dropped: set[str],
        settings: ComposeSettings,
        span: Span,
        seed: int,
    ) -> None:
        self.points = sorted(points, key=lambda p: (p.cutoff, p.point_id))
        self.settings = settings
        self.span = span
        self.seed = seed
        self.lost: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.windows: Counter[int] = Counter()
        self.drafts: list[_Draft] = []
        self.families = gather(
            self.points, claims, resolutions, dropped, span.observed_until, self.lost
        )
        self.reserved = reserve(self.families, self.points, span.observed_until, seed)
        self.free = FreeFamilies(settings.rungs)
        for family in self.families:
            if family.family_id not in self.reserved:
                self.free.put(family)
        self.lost["kept for the temporal exam"] += len(self.reserved)

    def rng(self, purpose: str) -> random.Random:
        return random.Random(f"{self.seed}:mirror:{purpose}")

    # -- choice of a twin -------------------------------------------------------------------------

    def deficit(self, kind: str) -> float:
        """How far the share of a type lies below its target."""
        total = sum(self.types.values())
        return self.settings.shares.get(kind, 0.0) - (self.types[kind] / total if total else 0.0)

    def options(self, family: Family, *, fabricate: bool) -> list[_Option]:
        """Every twin that this family could have now."""
        outcome = family.outcome
        found: list[_Option] = []
        details = [d for d in family.details if d.true]
        if fabricate:
            found.append(_Option("fabrication", "A", "D", outcome, None))
            if details:
                pick = self.rng(f"level:{family.family_id}").choice(details)
                found.append(_Option("fabrication", "B", "D", pick, None))
        for variant in family.variants:
            found.append(_Option("own", "C", "C", outcome, variant))
        found += self._late(family, details)
        return [option for option in found if option.bits]

    def _late(self, family: Family, details: list[Material]) -> list[_Option]:
        """One later real outcome as A twin and one equal ladder level of it as B twin, where there are."""
        ranked = self.free.later(family, self.rng(f"late:{family.family_id}"))
        found: list[_Option] = []
        for other in ranked:
            option = _Option("late", "A", "A", family.outcome, other.outcome, other)
            if option.bits:
                found.append(option)
                break
        for other in ranked:
            level = self._equal_level(details, other)
            if level is not None:
                found.append(level)
                break
        return found

    def _equal_level(self, details: list[Material], other: Family) -> _Option | None:
        for mine in details:
            for theirs in other.details:
                option = _Option("late", "B", "B", mine, theirs, other)
                if theirs.claim.level == mine.claim.level and option.bits:
                    return option
        return None

    def best(self, options: list[_Option]) -> _Option:
        """The option whose types are furthest behind."""
        return min(
            options,
            key=lambda o: (
                -round(self.deficit(o.true_type) + self.deficit(o.false_type), 9),
                o.true_type,
                o.relation,
                o.true.claim.claim_id,
                o.false.claim.claim_id if o.false else "",
            ),
        )

    # -- cells ------------------------------------------------------------------------------------

    def _points_of(self, bits: int, claim_id: str) -> list[int]:
        """Points where the bits leave a window; at most `max_points`, a seeded run."""
        size = len(WINDOWS)
        found = [p for p in range(len(self.points)) if bits >> (p * size) & ((1 << size) - 1)]
        limit = self.settings.max_points
        if limit and len(found) > limit:
            start = self.rng(f"run:{claim_id}").randrange(len(found) - limit + 1)
            found = found[start : start + limit]
        return found

    def _fill(self, draft: _Draft, prompt: int, *, seen: set[tuple[int, int]]) -> None:
        """Take up to `rungs` (A) or one (other types) of the least used windows at every point."""
        option = draft.option
        take = self.settings.rungs if option.true_type == "A" else 1
        for p in self._points_of(option.bits, option.true.claim.claim_id):
            allowed = [
                w
                for w in range(len(WINDOWS))
                if option.bits >> (p * len(WINDOWS) + w) & 1 and (p, w) not in seen
            ]
            for _ in range(min(take, len(allowed))):
                w = min(allowed, key=lambda w: (self.windows[w] / self._weight(w), w))
                allowed.remove(w)
                seen.add((p, w))
                draft.cells.add((p, prompt, w))
                self._count(draft, [(p, prompt, w)], 1)

    def _weight(self, w: int) -> float:
        return max(self.settings.window_weights.get(str(WINDOWS[w]), 0.0), 1e-9)

    def pair_up(self, families: Iterable[Family], *, fabricate: bool) -> None:
        """Give each free family its twin; a family has one role in the whole bank."""
        jitter = {
            f.family_id: self.rng(f"jitter:{f.family_id}").uniform(0, JITTER) for f in families
        }
        order = sorted(
            families, key=lambda f: (f.first.toordinal() + jitter[f.family_id], f.family_id)
        )
        for family in order:
            if family.family_id not in self.free:
                continue
            self.free.take(family.family_id)
            options = self.options(family, fabricate=fabricate)
            if not options:
                self.free.put(family)  # may still serve as a later twin
                continue
            option = self.best(options)
            if option.partner is not None:
                self.free.take(option.partner.family_id)
            self._emit(family, option)

    def _emit(self, family: Family, first: _Option) -> None:
        made: dict[QuestionType, tuple[_Draft, set[tuple[int, int]]]] = {}
        for prompt in range(self.settings.prompts):
            option = first
            if prompt and first.partner is not None:
                # Both sides are real families of one shape, so another prompt may hold another level.
                choices = [first]
                details = [d for d in family.details if d.true]
                level = self._equal_level(details, first.partner)
                plain = _Option(
                    "late", "A", "A", family.outcome, first.partner.outcome, first.partner
                )
                choices += [o for o in (level, plain) if o is not None and o.bits]
                option = self.best(choices)
            if option.true_type not in made:
                false_id = option.false.claim.claim_id if option.false else ""
                made[option.true_type] = (_Draft(option, false_id), set())
            draft, seen = made[option.true_type]
            self._fill(draft, prompt, seen=seen)
        self.drafts += [draft for draft, _ in made.values() if draft.cells]

    # -- after pairing ------------------------------------------------------------------------------

    def bind(
        self, fabrications: Mapping[str, Claim], resolutions: Mapping[str, Resolution]
    ) -> None:
        """Put written fabrications in their places; pairs without a usable one are lost whole.

        What a lost pair frees goes through pairing once more, without further fabrications.
        """
        kept: list[_Draft] = []
        freed: list[Family] = []
        by_id = {f.family_id: f for f in self.families}
        for draft in self.drafts:
            if draft.option.relation != "fabrication":
                kept.append(draft)
                continue
            claim = fabrications.get(draft.option.true.claim.claim_id)
            resolution = resolutions.get(claim.claim_id) if claim else None
            if claim is not None and resolution is not None and resolution.state == "never":
                draft.false_id = claim.claim_id
                kept.append(draft)
                continue
            self.lost["fabrication missing, refuted or dropped"] += 1
            freed.append(by_id[draft.option.true.claim.family_id])
            self._count(draft, draft.cells, -1)
        self.drafts = kept
        for family in freed:
            self.free.put(family)
        again = self.free.all()
        before = len(self.drafts)
        self.pair_up(again, fabricate=False)
        self.lost["pairs saved by another twin"] += len(self.drafts) - before

    def _count(self, draft: _Draft, cells: Iterable[tuple[int, int, int]], sign: int) -> None:
        for _, _, w in cells:
            self.windows[w] += sign
            self.types[draft.option.true_type] += sign
            self.types[draft.option.false_type] += sign

    def trim(self) -> None:
        """Drop whole twin cells until every type share is within tolerance; undone when it costs too much.

        Longest pairs lose first, and of a pair the windows that are most over their weight.
        """
        queues: dict[tuple[QuestionType, QuestionType], list[tuple[int, str, int]]] = {}
        ranked: list[list[tuple[int, int, int]]] = []
        for number, draft in enumerate(self.drafts):
            ranked.append(
                sorted(draft.cells, key=lambda c: (self.windows[c[2]] / self._weight(c[2]), c))
            )
            kind = (draft.option.true_type, draft.option.false_type)
            queues.setdefault(kind, []).extend(
                (rank, draft.option.true.claim.claim_id, number) for rank in range(len(draft.cells))
            )
        for queue in queues.values():
            queue.sort()
        removed: list[tuple[_Draft, tuple[int, int, int]]] = []
        limit = int(sum(len(cells) for cells in ranked) * TRIM_LIMIT)
        while is_off(self.types, self.settings) and len(removed) < limit:
            after = {
                kind: deviation(self.types - Counter(kind), self.settings)
                for kind, queue in queues.items()
                if queue
            }
            kind = min(after, key=lambda k: (after[k], k))
            if after[kind] >= deviation(self.types, self.settings):
                break
            rank, _, number = queues[kind].pop()
            draft, cell = self.drafts[number], ranked[number][rank]
            draft.cells.discard(cell)
            self._count(draft, [cell], -1)
            removed.append((draft, cell))
        if is_off(self.types, self.settings):
            for draft, cell in removed:
                draft.cells.add(cell)
                self._count(draft, [cell], 1)
            removed = []
        self.lost["twin cells trimmed for the type shares"] += len(removed)
        self.drafts = [draft for draft in self.drafts if draft.cells]

    # -- results ------------------------------------------------------------------------------------

    def plan(self, new_id: NewId) -> MirrorPlan:
        """Records of what was composed; a fabrication not yet written becomes an order, not a pair."""
        pairs: list[Pair] = []
        orders: list[Order] = []
        per_point: Counter[str] = Counter()
        for draft in self.drafts:
            true = draft.option.true.claim
            cells = tuple(
                Cell(point_id=self.points[p].point_id, prompt=s, window=WINDOWS[w])
                for p, s, w in sorted(draft.cells)
            )
            per_point.update({cell.point_id: 0 for cell in cells})
            for cell in cells:
                per_point[cell.point_id] += 2
            if draft.false_id:
                pairs.append(
                    Pair(
                        pair_id=new_id("p", true.claim_id, draft.false_id),
                        true_claim=true.claim_id,
                        false_claim=draft.false_id,
                        true_type=draft.option.true_type,
                        false_type=draft.option.false_type,
                        relation=draft.option.relation,
                        cells=cells,
                    )
                )
            else:
                orders.append(self._order(draft, new_id))
        report = BankReport(
            questions=sum(per_point.values()),
            events=0,
            pairs=len(self.drafts),
            points={p.point_id: per_point[p.point_id] for p in self.points},
            quotas=quota_lines(
                Counter({t: self.types[t] for t in TYPES}),
                Counter({WINDOWS[w]: 2 * self.windows[w] for w in range(len(WINDOWS))}),
                self.settings,
            ),
            dropped={reason: count for reason, count in sorted(self.lost.items()) if count},
        )
        pairs.sort(key=lambda pair: pair.pair_id)
        orders.sort(key=lambda order: order.order_id)
        return MirrorPlan(tuple(pairs), tuple(orders), report)

    def _order(self, draft: _Draft, new_id: NewId) -> Order:
        true = draft.option.true.claim
        first = self.points[min(draft.cells)[0]]
        last = max(self.points[p].cutoff + timedelta(days=WINDOWS[w]) for p, _, w in draft.cells)
        return Order(
            order_id=new_id("o", true.claim_id),
            mirrors=true.claim_id,
            point_id=first.point_id,
            first=first.cutoff,
            last=last,
            level=true.level,
            dimension=true.dimension,
        )


def mirror(
    points: Sequence[PredictionPoint],
    claims: Iterable[Claim],
    resolutions: Iterable[Resolution],
    *,
    dropped: set[str],
    settings: ComposeSettings,
    span: Span,
    seed: int,
    new_id: NewId,
    fabrications: Iterable[Claim] | None = None,
    fabrication_resolutions: Iterable[Resolution] = (),
) -> MirrorPlan:
    """Compose the bank's skeleton.

    Without `fabrications` the plan holds an order for each twin that must be made up; with them each is bound
    to the claim it mirrors, lost ones take their pair along, and survivors get another twin where there is one.
    `dropped` names claims and fabrications that the auditors dropped.
    """
    composer = _Composer(points, claims, resolutions, dropped, settings, span, seed)
    composer.pair_up(composer.free.all(), fabricate=True)
    composer.trim()
    if fabrications is not None:
        written = {
            claim.mirrors: claim
            for claim in sorted(fabrications, key=lambda c: c.claim_id)
            if claim.mirrors and claim.claim_id not in dropped
        }
        composer.bind(written, {r.claim_id: r for r in fabrication_resolutions})
        composer.trim()
    return composer.plan(new_id)
