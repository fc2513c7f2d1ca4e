"""What an arc offers the composer: claims by family, with the cells where each is true and where it is false.

A cell is (point, window). The label of a claim in a cell is date arithmetic on its occurrences and nothing else.
"""

from __future__ import annotations

import bisect
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from schemas import WINDOWS, Claim, PredictionPoint, Resolution, Verdict

HORIZON = 90
"""Days after the cutoff within which a day may be asked."""
LATE_GAP = 7
"""A real false twin happens more than this many days later: else hardly a window separates them."""
CANDIDATES = 32
"""Later families compared as a twin; a bound that keeps the composer linear in claims."""
RESERVED_EVENTS = 3
"""Outcomes a point that stay out of its calibration exam, for its temporal exam."""
RESERVED_SHARE = 0.3
"""Most of the outcome families kept for the temporal exam."""


def occurs_in(days: Iterable[date], start: date, end: date) -> bool:
    """The label rule of every question: one occurrence lies in [start, end], both included."""
    return any(start <= day <= end for day in days)


def majority_dropped(verdicts: Iterable[Verdict]) -> set[str]:
    """Claims that at least two auditors drop; an auditor without an answer counts for neither side."""
    votes = Counter(v.claim_id for v in verdicts if v.state == "drop")
    return {claim_id for claim_id, count in votes.items() if count >= 2}


def askable(claim: Claim, days: Sequence[date], cutoff: date, end: date, until: date) -> bool:
    """Whether a claim may be asked over [cutoff, end]: observed to the end, its names known, and not over already."""
    known = claim.known_from is None or cutoff >= claim.known_from
    over = claim.cadence == "once" and any(day < cutoff for day in days)
    return end <= until and known and not over


@dataclass(frozen=True)
class Material:
    """A claim with the cells where it is askable and true, and askable and false, as bit sets."""

    claim: Claim
    days: tuple[date, ...]
    true: int
    false: int


@dataclass
class Family:
    """What one occasion offers: an outcome that happens, its ladder, and ends that never come."""

    family_id: str
    outcome: Material
    details: list[Material] = field(default_factory=list)
    variants: list[Material] = field(default_factory=list)

    @property
    def first(self) -> date:
        return self.outcome.days[0]


def material(
    claim: Claim, resolution: Resolution, points: Sequence[PredictionPoint], until: date
) -> Material:
    """Bit `point * 5 + window` of `true` and `false` for every cell where the claim is askable."""
    days = tuple(sorted({o.happened_on for o in resolution.occurrences}))
    true = false = 0
    for p, point in enumerate(points):
        for w, window in enumerate(WINDOWS):
            end = point.cutoff + timedelta(days=window)
            if not askable(claim, days, point.cutoff, end, until):
                continue
            bit = 1 << (p * len(WINDOWS) + w)
            if occurs_in(days, point.cutoff, end):
                true |= bit
            else:
                false |= bit
    return Material(claim, days, true, false)


def gather(
    points: Sequence[PredictionPoint],
    claims: Iterable[Claim],
    resolutions: Iterable[Resolution],
    dropped: set[str],
    until: date,
    lost: Counter[str],
) -> list[Family]:
    """Families with an outcome that happens, by day; what cannot be used is counted in `lost` by reason."""
    resolved = {r.claim_id: r for r in resolutions}
    usable: dict[str, list[tuple[Claim, Resolution]]] = {}
    for claim in sorted(claims, key=lambda c: (c.family_id, c.level, c.claim_id)):
        resolution = resolved.get(claim.claim_id)
        if resolution is None or resolution.state == "annulled":
            lost["annulled"] += 1
        elif claim.claim_id in dropped:
            lost["dropped by auditors"] += 1
        else:
            usable.setdefault(claim.family_id, []).append((claim, resolution))
    families = []
    for family_id, members in usable.items():
        outcomes = [
            (c, r)
            for c, r in members
            if c.kind == "outcome" and c.level == 1 and r.state == "occurs"
        ]
        if not outcomes:
            lost["no outcome that happens in the family"] += len(members)
            continue
        family = Family(family_id, material(*outcomes[0], points, until))
        for claim, resolution in members:
            if claim.kind == "detail" and claim.level > 1:
                family.details.append(material(claim, resolution, points, until))
            elif claim.kind == "variant" and resolution.state == "never":
                family.variants.append(material(claim, resolution, points, until))
        families.append(family)
    return sorted(families, key=lambda f: (f.first, f.family_id))


def reserve(
    families: Sequence[Family], points: Sequence[PredictionPoint], until: date, seed: int
) -> set[str]:
    """Families kept for the temporal exam: a greedy cover of the points, few and spread over nodes."""
    open_at = {
        f.family_id: {
            p
            for p, point in enumerate(points)
            if point.cutoff <= f.first <= point.cutoff + timedelta(days=HORIZON)
            and f.first <= until
        }
        for f in families
    }
    by_id = {f.family_id: f for f in families}
    limit = int(len(families) * RESERVED_SHARE)
    missing = Counter(dict.fromkeys(range(len(points)), RESERVED_EVENTS))
    days: Counter[date] = Counter()
    chosen: set[str] = set()
    while len(chosen) < limit and any(count > 0 for count in missing.values()):
        best = min(
            (f for f in by_id if f not in chosen),
            key=lambda f: (
                -sum(missing[p] > 0 for p in open_at[f]),
                days[by_id[f].first],
                random.Random(f"{seed}:reserve:{f}").random(),
                f,
            ),
        )
        if not any(missing[p] > 0 for p in open_at[best]):
            break
        chosen.add(best)
        days[by_id[best].first] += 1
        for p in open_at[best]:
            missing[p] -= 1
    return chosen


class FreeFamilies:
    """Families without a role yet, by the day of their outcome."""

    def __init__(self, rungs: int) -> None:
        self.rungs = rungs
        self._by_id: dict[str, Family] = {}
        self._calendar: list[tuple[int, str]] = []
        self._worth: dict[str, float] = {}

    def __contains__(self, family_id: str) -> bool:
        return family_id in self._by_id

    def all(self) -> list[Family]:
        """Every free family, by day."""
        return [self._by_id[family_id] for _, family_id in self._calendar]

    def put(self, family: Family) -> None:
        """Make a family free."""
        self._by_id[family.family_id] = family
        bisect.insort(self._calendar, (family.first.toordinal(), family.family_id))

    def take(self, family_id: str) -> None:
        """Give a family its role; KeyError when it has one."""
        family = self._by_id.pop(family_id)
        self._calendar.remove((family.first.toordinal(), family_id))

    def later(self, family: Family, rng: random.Random) -> list[Family]:
        """A seeded sample of later families, the best false twin first.

        The best has many cells as a false twin here and few as a true side of its own, since a family has only
        one role; its own cells count half, for the other side of such a pair would be lost too.
        """
        start = bisect.bisect_right(self._calendar, (family.first.toordinal() + LATE_GAP, "~"))
        found = self._calendar[start:]
        if len(found) > CANDIDATES:
            found = rng.sample(found, CANDIDATES)
        return sorted(
            (self._by_id[family_id] for _, family_id in found),
            key=lambda f: (
                self._own(f) - self._cells(family.outcome.true & f.outcome.false),
                f.family_id,
            ),
        )

    def _own(self, family: Family) -> float:
        if family.family_id not in self._worth:
            self._worth[family.family_id] = self._cells(family.outcome.true) / 2
        return self._worth[family.family_id]

    def _cells(self, bits: int) -> int:
        """Cells that a pair over these bits would fill in one prompt."""
        size = len(WINDOWS)
        count = 0
        while bits:
            count += min(self.rungs, (bits & ((1 << size) - 1)).bit_count())
            bits >>= size
        return count
