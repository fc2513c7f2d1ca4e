"""The paper composer: full ladders as the published bank asks them, for comparison with the mirror.

Every outcome is asked at all windows at each point within 90 days before it, ladder levels and variants beside
it in the same prompt, and made-up claims at the cells of an outcome. Labels, windows and evidence follow the
same rules as everywhere; what is missing is the twin, so structure gives answers away, and the bank says how much.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from factory.bank.drafts import (
    BankPlan,
    Draft,
    NewId,
    Place,
    drop_answered,
    finish,
    refuted_days,
    usable,
)
from factory.bank.material import HORIZON, Arc, Family, Material, gather, points_of, windows_at
from factory.bank.quotas import Tally
from factory.sections import ComposeSettings
from schemas import Claim, PredictionPoint, QuestionType, Resolution, Span

NEVER_POINTS = 5
"""Points at which an outcome that never happens is asked: it has no day to be near to."""
VARIANTS = 2
"""Variants beside an outcome, as published."""


class _Ladders:
    """State of one run."""

    def __init__(
        self, points: Sequence[PredictionPoint], arc: Arc, settings: ComposeSettings, seed: int
    ) -> None:
        self.points = points
        self.arc = arc
        self.settings = settings
        self.seed = seed
        self.tally = Tally(settings)
        self.labels = 0
        """True questions less false ones."""
        self.drafts: list[Draft] = []

    def rng(self, purpose: str) -> random.Random:
        return random.Random(f"{self.seed}:paper:{purpose}")

    def families(self) -> None:
        """Ask every family: its outcome as A or beside its variants as C, and its levels as B."""
        order = [*self.arc.happening, *self.arc.never]
        order.sort(key=lambda f: f.family_id)
        self.rng("families").shuffle(order)
        for family in order:
            near = self._near(family)
            if not near:
                continue
            if family.variants and self.tally.filled("C") < self.tally.filled("A"):
                self._variants(family, near)
            else:
                self._ladder(family.outcome, near)
            for detail in family.details:
                self._levels(detail, near)

    def _near(self, family: Family) -> list[int]:
        """Points where a family is asked: within 90 days before its outcome, or a seeded run of points."""
        askable = list(points_of(family.outcome.asked))
        if family.outcome.days:
            return [p for p in askable if self._ahead(family.outcome.days, p)]
        start = self.rng(f"run:{family.family_id}").randrange(
            max(1, len(askable) - NEVER_POINTS + 1)
        )
        return askable[start : start + NEVER_POINTS]

    def _ahead(self, days: Sequence[date], point: int) -> bool:
        cutoff = self.points[point].cutoff
        return any(cutoff <= day <= cutoff + timedelta(days=HORIZON) for day in days)

    def _add(self, draft: Draft, claim: Material, point: int, window: int) -> None:
        place: Place = (point, 0, window)
        draft.cells.add(place)
        draft.count(self.tally, [place])
        self.labels += 1 if window in windows_at(claim.true, point) else -1

    def _row(self, claim: Claim, kind: QuestionType) -> Draft:
        draft = Draft("single", claim, kind, kind, claim.claim_id)
        self.drafts.append(draft)
        return draft

    def _ladder(self, outcome: Material, near: list[int]) -> None:
        row = self._row(outcome.claim, "A")
        for p in near:
            for w in windows_at(outcome.asked, p):
                self._add(row, outcome, p, w)

    def _variants(self, family: Family, near: list[int]) -> None:
        """Outcome and variants over one window a point, the emptiest in which the outcome is true if there is one."""
        sides = [family.outcome, *family.variants[:VARIANTS]]
        rows = [self._row(side.claim, "C") for side in sides]
        for p in near:
            windows = windows_at(family.outcome.true, p) or windows_at(family.outcome.false, p)
            w = min(windows, key=lambda w: (self.tally.load(w), w))
            for row, side in zip(rows, sides, strict=True):
                if w in windows_at(side.asked, p):
                    self._add(row, side, p, w)

    def _levels(self, detail: Material, near: list[int]) -> None:
        """A ladder level over as many windows as the share of B allows, the label that is behind first."""
        row = self._row(detail.claim, "B")
        for p in near:
            true, false = windows_at(detail.true, p), windows_at(detail.false, p)
            while (true or false) and self.tally.filled("B") < self.tally.filled("A", "C"):
                side = (true or false) if self.labels <= 0 else (false or true)
                w = min(side, key=lambda w: (self.tally.load(w), w))
                side.remove(w)
                self._add(row, detail, p, w)

    def fabrications(self) -> None:
        """Places for made-up claims at the cells of outcomes, as many as the share of D needs."""
        ladders = [draft for draft in self.drafts if draft.true_type == "A" and draft.cells]
        ladders.sort(key=lambda draft: draft.true.claim_id)
        self.rng("fabrications").shuffle(ladders)
        for mirrored in ladders:
            if self.tally.deficit("D") <= 0:
                break
            draft = Draft("single", mirrored.true, "D", "D")
            for place in sorted(mirrored.cells):
                if self.tally.deficit("D") > 0:
                    draft.cells.add(place)
                    self.tally.add(("D",), place[2])
            self.drafts.append(draft)

    def bind(self, written: dict[str, Claim], refuted: Mapping[str, date]) -> int:
        """Put written fabrications in their places; the number of those that are missing.

        `refuted` are the days on which the arc contradicts a claim: it is not asked after them.
        """
        missing = 0
        for draft in self.drafts:
            if draft.false_id:
                continue
            claim = written.get(draft.true.claim_id)
            if claim is None:
                for _, _, w in draft.cells:
                    self.tally.add(("D",), w, -1)
                draft.cells.clear()
                missing += 1
            else:
                drop_answered(draft, self.points, refuted.get(claim.claim_id), self.tally)
                draft.true, draft.false_id = claim, claim.claim_id
        return missing


def paper(
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
    """Compose full ladders; the arguments are those of `mirror`.

    Rows have no twin (relation `single`) and stand in one prompt a point, so that of the settings prompts, rungs,
    max_points, tolerance and flips play no part in the choice. What an arc does not give to a share stays lacking and is stated.
    """
    ordered = sorted(points, key=lambda p: (p.cutoff, p.point_id))
    lost: Counter[str] = Counter()
    arc = gather(ordered, claims, resolutions, dropped, span.observed_until, lost)
    ladders = _Ladders(ordered, arc, settings, seed)
    ladders.families()
    ladders.fabrications()
    if fabrications is not None:
        resolved = list(fabrication_resolutions)
        lost["fabrication missing, refuted or dropped"] += ladders.bind(
            usable(fabrications, resolved, dropped), refuted_days(resolved)
        )
    rows = [draft for draft in ladders.drafts if draft.cells]
    lost["claims without a cell"] += len(ladders.drafts) - len(rows)
    return finish(ordered, rows, ladders.tally, lost, settings, new_id)
