"""Families without a role yet, and which of them makes the best false twin of another.

A family has one role in the whole bank, so a later family that serves as a false twin is lost as a true side of
its own. Two rules follow: the best twin has many cells beside its partner and few of its own, and no point may
lose its last families to earlier points.
"""

from __future__ import annotations

import bisect
import random
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from factory.bank.material import Family, points_of
from schemas import WINDOWS

LATE_GAP = 7
"""A real false twin happens more than this many days later: else hardly a window separates them."""
CANDIDATES = 32
"""Later families compared as a twin; a bound that keeps the composer linear in claims."""
KEPT = 2
"""Families that stay with a point as true sides; below that none of them becomes a twin at an earlier point."""


@lru_cache(maxsize=1 << 16)
def cells_of(bits: int, rungs: int) -> int:
    """Cells that a pair over these bits would fill in one prompt with `rungs` windows a point."""
    size = len(WINDOWS)
    full = (1 << size) - 1
    bits >>= max(0, (bits & -bits).bit_length() - 1) // size * size
    count = 0
    while bits:
        here = (bits & full).bit_count()
        count += here if here < rungs else rungs
        bits >>= size
    return count


class FreeFamilies:
    """Families whose outcome happens and that have no role yet, by the day of their outcome."""

    def __init__(self, families: Iterable[Family], rungs: int) -> None:
        self.rungs = rungs
        self._by_id: dict[str, Family] = {}
        self._calendar: list[tuple[int, str]] = []
        self._worth: dict[str, float] = {}
        self._points: dict[str, tuple[int, ...]] = {}
        self._true_at: Counter[int] = Counter()
        """Families, free or true sides, that are true at a point."""
        for family in families:
            self._true_at.update(points_of(family.outcome.true))
            self.put(family)

    def __contains__(self, family_id: str) -> bool:
        return family_id in self._by_id

    def all(self) -> list[Family]:
        """Every free family, by day."""
        return [self._by_id[family_id] for _, family_id in self._calendar]

    def put(self, family: Family) -> None:
        """Make a family free."""
        self._by_id[family.family_id] = family
        bisect.insort(self._calendar, (family.first.toordinal(), family.family_id))

    def take(self, family: Family, *, as_twin: bool = False) -> None:
        """Give a family its role, that of a false twin if said so; KeyError when it has one."""
        del self._by_id[family.family_id]
        self._calendar.remove((family.first.toordinal(), family.family_id))
        if as_twin:
            self._true_at.subtract(points_of(family.outcome.true))

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
            (f for _, family_id in found if self._spare(f := self._by_id[family_id])),
            key=lambda f: (
                self._own(f) - cells_of(family.outcome.true & f.outcome.false, self.rungs),
                f.family_id,
            ),
        )

    def _spare(self, family: Family) -> bool:
        """Whether every point where the family is true keeps enough others."""
        if family.family_id not in self._points:
            self._points[family.family_id] = tuple(points_of(family.outcome.true))
        return all(self._true_at[p] > KEPT for p in self._points[family.family_id])

    def _own(self, family: Family) -> float:
        if family.family_id not in self._worth:
            self._worth[family.family_id] = cells_of(family.outcome.true, self.rungs) / 2
        return self._worth[family.family_id]
