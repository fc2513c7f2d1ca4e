"""What an arc offers the composer: claims by family, with the cells where each is true and where it is false.

A cell is (point, window). The label of a claim in a cell is date arithmetic on its occurrences and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from schemas import WINDOWS, Claim, PredictionPoint, Resolution, Verdict

HORIZON = 90
"""Days after the cutoff within which a day may be asked."""


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

    @property
    def asked(self) -> int:
        """Cells where the claim is askable."""
        return self.true | self.false


@dataclass
class Family:
    """What one occasion offers: an outcome, its ladder, and other ends that never come."""

    family_id: str
    outcome: Material
    details: list[Material] = field(default_factory=list)
    variants: list[Material] = field(default_factory=list)

    @property
    def first(self) -> date:
        """Day of the outcome; only for a family whose outcome happens."""
        return self.outcome.days[0]


@dataclass(frozen=True)
class Arc:
    """The families of an arc by what their outcome does; each list in a stable order."""

    happening: list[Family]
    """Families with an outcome that happens, by its day."""
    never: list[Family]
    """Families in which nothing happens: an outcome that both passes call never, and levels of it."""


def cell(point: int, window: int) -> int:
    """The bit of a cell."""
    return 1 << (point * len(WINDOWS) + window)


def windows_at(bits: int, point: int) -> list[int]:
    """Indexes of the windows that `bits` holds at a point, growing."""
    here = bits >> (point * len(WINDOWS))
    return [w for w in range(len(WINDOWS)) if here >> w & 1]


def points_of(bits: int) -> Iterator[int]:
    """Indexes of the points at which `bits` holds any window, growing."""
    size = len(WINDOWS)
    full = (1 << size) - 1
    # Most arcs reach far beyond a claim's life: begin at its first point.
    point = max(0, (bits & -bits).bit_length() - 1) // size
    bits >>= point * size
    while bits:
        if bits & full:
            yield point
        bits >>= size
        point += 1


def material(
    claim: Claim, resolution: Resolution, points: Sequence[PredictionPoint], until: date
) -> Material:
    """Bit `point * 5 + window` of `true` and `false` for every cell where the claim is askable."""
    days = tuple(sorted({o.happened_on for o in resolution.occurrences}))
    true = false = 0
    for p, point in enumerate(points):
        if not askable(claim, days, point.cutoff, point.cutoff, until):
            continue
        # A context that contradicts a claim for good answers it.
        refuted = resolution.refuted_on if claim.cadence == "once" else None
        if refuted is not None and point.cutoff > refuted:
            continue
        for w, window in enumerate(WINDOWS):
            end = point.cutoff + timedelta(days=window)
            if end > until:
                break
            if occurs_in(days, point.cutoff, end):
                true |= cell(p, w)
            else:
                false |= cell(p, w)
    return Material(claim, days, true, false)


def gather(
    points: Sequence[PredictionPoint],
    claims: Iterable[Claim],
    resolutions: Iterable[Resolution],
    dropped: set[str],
    until: date,
    lost: Counter[str],
) -> Arc:
    """Families by what happens in them; what cannot be used is counted in `lost` by reason."""
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
    happening, never = [], []
    known: dict[tuple[object, ...], Material] = {}

    def cells(claim: Claim, resolution: Resolution) -> Material:
        """Claims of a family mostly share what decides their cells."""
        days = frozenset(o.happened_on for o in resolution.occurrences)
        key = (days, claim.cadence, claim.known_from, resolution.refuted_on)
        if key not in known:
            known[key] = material(claim, resolution, points, until)
        return replace(known[key], claim=claim)

    for family_id, members in usable.items():
        outcomes = [(c, r) for c, r in members if c.kind == "outcome" and c.level == 1]
        occurring = [(c, r) for c, r in outcomes if r.state == "occurs"]
        if occurring:
            family = Family(family_id, cells(*occurring[0]))
            happening.append(family)
        elif outcomes and all(r.state == "never" for _, r in members):
            family = Family(family_id, cells(*outcomes[0]))
            never.append(family)
        else:
            lost["no outcome that happens in the family"] += len(members)
            continue
        for claim, resolution in members:
            if claim.kind == "detail" and claim.level > 1:
                family.details.append(cells(claim, resolution))
            elif claim.kind == "variant" and resolution.state == "never":
                family.variants.append(cells(claim, resolution))
    return Arc(sorted(happening, key=lambda f: (f.first, f.family_id)), never)
