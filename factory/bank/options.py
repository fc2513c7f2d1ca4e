"""The false twins that a family could have now, and which of them serves the shares best.

In order of honesty at equal shares: a real outcome that comes later, then a claim that both resolver passes call
never, then the family's own contradiction; text that was made up is asked for when type D is behind.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from factory.bank.drafts import Draft, Relation
from factory.bank.free import CANDIDATES, FreeFamilies, cells_of
from factory.bank.material import Family, Material
from factory.bank.quotas import Tally
from schemas import QuestionType

AHEAD = 0.5
"""Part of the tolerance by which a type may be ahead and still be chosen for its size."""


@dataclass(frozen=True)
class Option:
    """One way to give a family its twin."""

    relation: Relation
    true_type: QuestionType
    false_type: QuestionType
    true: Material
    false: Material | None
    """None for a fabrication: it is false wherever it may be asked."""
    partner: Family | None = None
    """The other family, which has no further role."""

    @property
    def bits(self) -> int:
        """Cells where the true side is true and the false side false."""
        return self.true.true if self.false is None else self.true.true & self.false.false

    def draft(self) -> Draft:
        """An empty row for this choice."""
        false_id = self.false.claim.claim_id if self.false else ""
        relation = self.relation
        if relation == "late" and self.false is not None and not self.false.days:
            relation = "never"  # a level that does not come, of an outcome that does
        return Draft(relation, self.true.claim, self.true_type, self.false_type, false_id)


class Partners:
    """Families that may still become the false twin of another: later ones, and those that never happen."""

    def __init__(self, families: Iterable[Family], never: Iterable[Family], rungs: int) -> None:
        self.free = FreeFamilies(families, rungs)
        self.never = {family.family_id: family for family in never}
        self.rungs = rungs

    def take(self, option: Option) -> None:
        """Give the partner of a choice its role."""
        if option.partner is None:
            return
        if option.relation == "never":
            del self.never[option.partner.family_id]
        else:
            self.free.take(option.partner, as_twin=True)

    def options(
        self, family: Family, rng: Callable[[str], random.Random], *, fabricate: bool
    ) -> list[Option]:
        """Every twin that this family could have now; `rng` gives the draws of a purpose."""
        outcome = family.outcome
        found: list[Option] = []
        details = [d for d in family.details if d.true]
        if fabricate:
            found.append(Option("fabrication", "A", "D", outcome, None))
            if details:
                pick = rng(f"level:{family.family_id}").choice(details)
                found.append(Option("fabrication", "B", "D", pick, None))
        for variant in family.variants:
            found.append(Option("own", "C", "C", outcome, variant))
        later = self.free.later(family, rng(f"late:{family.family_id}"))
        found += self._first(family, "late", later)
        found += self._first(family, "never", self._fitting(family, rng))
        return [option for option in found if option.bits]

    def _fitting(self, family: Family, rng: Callable[[str], random.Random]) -> list[Family]:
        """A seeded sample of the families that never happen, that with most common cells first."""
        pool = sorted(self.never)
        if len(pool) > CANDIDATES:
            pool = rng(f"never:{family.family_id}").sample(pool, CANDIDATES)
        true = family.outcome.true
        return sorted(
            (self.never[family_id] for family_id in pool),
            key=lambda f: (-cells_of(true & f.outcome.false, self.rungs), f.family_id),
        )

    @staticmethod
    def _first(family: Family, relation: Relation, ranked: list[Family]) -> list[Option]:
        """The first outcome that fits as A twin and the first equal ladder level as B twin."""
        found: list[Option] = []
        for other in ranked:
            option = plain(family, relation, other)
            if option.bits:
                found.append(option)
                break
        for other in ranked:
            level = equal_level(family, relation, other)
            if level is not None:
                found.append(level)
                break
        return found


def plain(family: Family, relation: Relation, other: Family) -> Option:
    """Outcome against outcome."""
    return Option(relation, "A", "A", family.outcome, other.outcome, other)


def equal_level(family: Family, relation: Relation, other: Family) -> Option | None:
    """A true ladder level against one of the same height, if both can stand in one cell."""
    for mine in (d for d in family.details if d.true):
        for theirs in other.details:
            option = Option(relation, "B", "B", mine, theirs, other)
            if theirs.claim.level == mine.claim.level and option.bits:
                return option
    return None


def size(option: Option, rungs: int) -> float:
    """Cells that a choice fills in one prompt, less half of those that its partner would fill as a true side."""
    cells = cells_of(option.bits, rungs if option.true_type == "A" else 1)
    if option.partner is None or not option.partner.outcome.days:
        return cells
    return cells - cells_of(option.partner.outcome.true, rungs) / 2


def best(options: Iterable[Option], tally: Tally, rungs: int, yield_weight: float = 0.0) -> Option:
    """The option whose types are furthest behind; ValueError when there is none.

    With a `yield_weight` large choices are preferred too, as long as neither of their types is ahead of its share
    by more than half the tolerance.
    """
    found = list(options)
    most = max((size(option, rungs) for option in found), default=0) or 1.0

    def key(option: Option) -> tuple[float, str, str, str, str]:
        lacks = [tally.deficit(option.true_type), tally.deficit(option.false_type)]
        value = sum(lacks)
        if min(lacks) > -AHEAD * tally.settings.tolerance:
            value += yield_weight * size(option, rungs) / most
        return (
            -round(value, 9),
            option.true_type,
            option.relation,
            option.true.claim.claim_id,
            option.false.claim.claim_id if option.false else "",
        )

    return min(found, key=key)
