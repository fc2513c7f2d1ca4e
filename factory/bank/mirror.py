"""The mirror composer: which claims are asked where, so that structure gives no answer away.

Every true claim has one persistent false twin that is asked at exactly the same cells (point, prompt,
window). Twins have identical structural records, so any rule that reads no meaning gives both the same
probability p, and |p - 1| + |p - 0| = 1 at equal weight: each cell scores exactly 50, by proof. The result
depends on the seed and the content of its inputs, never on their order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from factory.bank.drafts import (
    BankPlan,
    Draft,
    NewId,
    drop_answered,
    finish,
    refuted_days,
    usable,
)
from factory.bank.flips import flip_rows, flip_share, shorten, total_weight
from factory.bank.material import Family, gather, points_of, windows_at
from factory.bank.options import Option, Partners, best, equal_level, plain
from factory.bank.quotas import Tally, deviation, is_off
from factory.bank.reserve import FEW_POINTS, RESERVED_EVENTS, lacking, reserve
from factory.bank.trim import trim
from factory.sections import ComposeSettings
from schemas import Claim, PredictionPoint, QuestionType, Resolution, Span

JITTER = 60
"""Days by which the order of families is disturbed, so that pairing does not follow the calendar."""
YIELD = 0.1
"""Share by which types may be ahead for the sake of more questions; with 0.2 shares reach their tolerance of 0.05.

On arcs of few points the shares of some fifty questions decide alone.
"""


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
        self.seed = seed
        self.few = len(self.points) <= FEW_POINTS
        self.gain = 0.0 if self.few else YIELD
        self.lost: Counter[str] = Counter()
        arc = gather(self.points, claims, resolutions, dropped, span.observed_until, self.lost)
        self.families = arc.happening
        self.until = span.observed_until
        self.never = arc.never
        self.open = arc.happening
        self.start()

    def rng(self, purpose: str) -> random.Random:
        """Draws of one purpose, independent of all others."""
        return random.Random(f"{self.seed}:mirror:{purpose}")

    def best(self, options: Iterable[Option]) -> Option:
        """The choice that serves the shares, and on a long arc the number of questions too."""
        return best(options, self.tally, self.settings.rungs, self.gain)

    def start(self, aside: Collection[str] = (), flips: Iterable[Draft] = ()) -> None:
        """Begin again with rows that are there already and families that have their role."""
        self.drafts = list(flips)
        self.tally = Tally(self.settings)
        for draft in self.drafts:
            draft.count(self.tally, draft.cells)
        self.partners = Partners(
            (f for f in self.open if f.family_id not in aside), self.never, self.settings.rungs
        )

    def compose(self) -> None:
        """Pair every family, after trials that show what the temporal exam and the flips need."""
        wanted = Counter(dict.fromkeys(range(len(self.points)), RESERVED_EVENTS))
        if not self.few:
            self.pair_up(fabricate=True)
            wanted = self._lacking()
        reserved = reserve(self.families, self.points, self.until, self.seed, wanted)
        self.lost["kept for the temporal exam"] += len(reserved)
        if reserved or self.few:
            self.open = [f for f in self.families if f.family_id not in reserved]
            self.start()
            self.pair_up(fabricate=True)
        if self.settings.flips:
            budget = self.settings.flips * total_weight(self.drafts)
            flips = flip_rows(self.open, budget, self.rng("flips"))
            self.start({draft.true.family_id for draft in flips}, flips)
            self.pair_up(fabricate=True)
        self.trim()

    def _lacking(self) -> Counter[int]:
        real = [*self.families, *self.never]
        family_of = {
            m.claim.claim_id: f.family_id
            for f in real
            for m in (f.outcome, *f.details, *f.variants)
        }
        return lacking(self.families, self.points, self.until, self.drafts, family_of)

    # -- pairing ----------------------------------------------------------------------------------

    def pair_up(self, *, fabricate: bool) -> None:
        """Give each free family its twin; a family has one role in the whole bank."""
        free = self.partners.free
        families = free.all()
        jitter = {
            f.family_id: self.rng(f"jitter:{f.family_id}").uniform(0, JITTER) for f in families
        }
        order = sorted(
            families, key=lambda f: (f.first.toordinal() + jitter[f.family_id], f.family_id)
        )
        for family in order:
            if family.family_id not in free:
                continue
            free.take(family)
            options = self.partners.options(family, self.rng, fabricate=fabricate)
            if not options:
                free.put(family)  # may still serve as a later twin
                continue
            option = self.best(options)
            self.partners.take(option)
            self._emit(family, option)

    def _emit(self, family: Family, first: Option) -> None:
        made: dict[QuestionType, tuple[Draft, set[tuple[int, int]]]] = {}
        for prompt in range(self.settings.prompts):
            option = first
            if prompt and first.partner is not None:
                # Both sides are real families of one shape, so another prompt may hold another level.
                level = equal_level(family, first.relation, first.partner)
                choices = [first, level, plain(family, first.relation, first.partner)]
                option = self.best(o for o in choices if o is not None and o.bits)
            if option.true_type not in made:
                made[option.true_type] = (option.draft(), set())
            draft, seen = made[option.true_type]
            self._fill(draft, option, prompt, seen=seen)
        self.drafts += [draft for draft, _ in made.values() if draft.cells]

    def _fill(
        self, draft: Draft, option: Option, prompt: int, *, seen: set[tuple[int, int]]
    ) -> None:
        """Take up to `rungs` (A) or one (other types) of the least used windows at every point."""
        take = self.settings.rungs if option.true_type == "A" else 1
        for p in self._points_of(option.bits, option.true.claim.claim_id):
            allowed = [w for w in windows_at(option.bits, p) if (p, w) not in seen]
            for _ in range(min(take, len(allowed))):
                w = min(allowed, key=lambda w: (self.tally.load(w), w))
                allowed.remove(w)
                seen.add((p, w))
                draft.cells.add((p, prompt, w))
                draft.count(self.tally, [(p, prompt, w)])

    def _points_of(self, bits: int, claim_id: str) -> list[int]:
        """Points where the bits leave a window; at most `max_points`, a seeded run."""
        found = list(points_of(bits))
        limit = self.settings.max_points
        if limit and len(found) > limit:
            start = self.rng(f"run:{claim_id}").randrange(len(found) - limit + 1)
            found = found[start : start + limit]
        return found

    # -- after pairing ------------------------------------------------------------------------------

    def bind(self, written: Mapping[str, Claim], refuted: Mapping[str, date]) -> None:
        """Put written fabrications in their places; pairs without a usable one are lost whole.

        `refuted` are the days on which the arc contradicts a claim: later cells go, with both twins. What a lost
        pair frees goes through pairing once more, without further fabrications.
        """
        kept: list[Draft] = []
        freed: list[Family] = []
        by_id = {f.family_id: f for f in self.families}
        for draft in self.drafts:
            if draft.false_id:
                kept.append(draft)
                continue
            claim = written.get(draft.true.claim_id)
            if claim is not None:
                self.lost["twin cells answered by their context"] += drop_answered(
                    draft, self.points, refuted.get(claim.claim_id), self.tally
                )
            if claim is not None and draft.cells:
                draft.false_id = claim.claim_id
                kept.append(draft)
                continue
            self.lost["fabrication missing, refuted or dropped"] += 1
            freed.append(by_id[draft.true.family_id])
            draft.count(self.tally, draft.cells, -1)
        self.drafts = kept
        for family in freed:
            self.partners.free.put(family)
        before = len(self.drafts)
        self.pair_up(fabricate=False)
        self.lost["pairs saved by another twin"] += len(self.drafts) - before

    def trim(self) -> None:
        """Drop twin cells for the shares and what flips too much for its budget."""
        self.lost["twin cells trimmed for the type shares"] += trim(self.drafts, self.tally)
        self.lost["flips over their budget"] += shorten(
            self.drafts, self.tally, self.settings.flips
        )
        self.drafts = [draft for draft in self.drafts if draft.cells]

    def plan(self, new_id: NewId) -> BankPlan:
        """Records of what was composed, with what had no use."""
        lost = self.lost + Counter(
            {
                "no outcome that happens in the family": sum(
                    1 + len(f.details) + len(f.variants) for f in self.partners.never.values()
                ),
                "families without a twin": len(self.partners.free.all()),
            }
        )
        plan = finish(self.points, self.drafts, self.tally, lost, self.settings, new_id)
        report = plan.report.model_copy(update={"flips": round(flip_share(self.drafts), 6)})
        return BankPlan(plan.pairs, plan.orders, report)


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
) -> BankPlan:
    """Compose the bank's skeleton.

    Without `fabrications` the plan holds an order for each twin that must be made up; with them each is bound
    to the claim it mirrors, lost ones take their pair along, and survivors get another twin where there is one.
    `dropped` names claims and fabrications that the auditors dropped.
    """
    given = (list(points), list(claims), list(resolutions), dropped, settings, span, seed)
    composer = _Composer(*given)
    composer.compose()
    if composer.gain and is_off(composer.tally.types, settings):
        # More questions were bought with shares that trimming cannot mend: let shares alone decide.
        plain_shares = _Composer(*given)
        plain_shares.gain = 0.0
        plain_shares.compose()
        if deviation(plain_shares.tally.types, settings) < deviation(
            composer.tally.types, settings
        ):
            composer = plain_shares
    if fabrications is not None:
        resolved = list(fabrication_resolutions)
        composer.bind(usable(fabrications, resolved, dropped), refuted_days(resolved))
        composer.trim()
    return composer.plan(new_id)
