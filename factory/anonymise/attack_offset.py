"""Offset inference: which offsets does a release leave possible to someone who knows the calendar and the policy.

Every route (weekdays, months, festivals, differences of the editions, ...) gives each offset a likelihood. Which
share of a route's words stayed behind is unknown, so each offset is granted the share that suits it best (a profile
likelihood): words that moved say the same about every offset and exclude none. An offset counts as left unless the best one is ten times as likely, where
Jeffreys' scale of evidence begins to say "strong". An offset is therefore never excluded by one loose word, and
a text without clues leaves the whole policy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any, Literal

from factory.anonymise.attack_clues import Clue, Passage, Route, clues
from factory.anonymise.dates import offsets

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Policy = Literal["weeks", "paper"]

STRONG = 10.0
"""An offset is excluded when the best one is this many times as likely."""
_HAIR = 1e-9
"""Sums of equal terms differ in their last bits; a hair decides nothing."""
_STAYED: dict[Route, tuple[float, ...]] = {
    "weekdays": (0.0, 0.3, 0.6, 0.9),
    "dated weekdays": (0.0, 0.1, 0.3, 0.6, 0.9),
    "months": (0.0, 0.05, 0.3, 0.6, 0.9),
    "days": (0.05, 0.3, 0.6),
    "festivals": (0.3, 0.6, 0.9),
    "seasons": (0.0, 0.3, 0.6, 0.9),
    "edition months": (0.3, 0.6, 0.9),
    "edition days": (0.05, 0.3, 0.6, 0.9),
    "period ends": (0.3, 0.6, 0.9),
}
"""Shares of a route's words that may have stayed; without 0 where nothing moves such words."""
_KNOWN = (0.9,)
"""Words known to have stayed; a tenth still means something else than its report's time."""
_WEEKEND = (0.02, 0.05, 0.10, 0.15, 0.20, 0.25, 2 / 7)
"""Shares of nodes that may fall on a weekend; markets sit low, an even spread is 2/7."""

ASSUMPTIONS = (
    "the attacker knows the calendar, the offset policy and how news is dated, but not the event: whoever "
    "recognises the event needs no inference",
    "one offset moves all days; the days of nodes are moved",
    "seasons are those of the northern half of the earth; festivals stand near their day, quarters and fiscal "
    "years are not read",
    "in a text that is only read, days in their usual form count as moved; our own plain words count as left behind",
    "how news names days, weekdays and months was counted in the published contexts, so figures on those are in-sample; "
    "festivals, seasons and period ends are judgement",
    "words count as independent, which makes the attacker bolder than the evidence",
)


@dataclass(frozen=True)
class Excluded:
    """Why an offset is out: the routes that speak most against it."""

    offset: int
    odds: float
    """How many times as likely the best offset is."""
    against: tuple[tuple[Route, float, str], ...]
    """Route, natural logarithm of its odds against this offset, and the clue that weighs most."""


@dataclass(frozen=True)
class OffsetAttack:
    """What the attack leaves."""

    policy: Policy
    left: tuple[int, ...]
    """Offsets that stay possible, ascending."""
    best: tuple[int, ...]
    """Offsets that are most likely, more than one when nothing tells them apart."""
    effective: float
    """exp of the posterior's entropy: how many equally likely offsets would leave as much doubt."""
    clues: dict[Route, int]
    """Clues read, by route."""
    alone: dict[Route, tuple[int, ...]]
    """Offsets that each route would leave if it were the only one."""
    excluded: tuple[Excluded, ...]
    """Every other offset with the evidence."""
    assumptions: tuple[str, ...] = ASSUMPTIONS
    """What the figures rest on."""


def infer_offset(
    passages: Sequence[Passage], policy: Policy, routes: Sequence[Route] | None = None
) -> OffsetAttack:
    """Attack a release, by all routes or by those given."""
    import numpy as np

    candidates = offsets(policy)
    groups: dict[tuple[Route, str | None, bool], list[Clue]] = defaultdict(list)
    for clue in clues(passages, candidates):
        if routes is None or clue.route in routes:
            groups[clue.route, clue.lang, clue.known].append(clue)
    support = {key: _support(group) for key, group in groups.items()}
    total = np.zeros(len(candidates))
    for each in support.values():
        total += each
    top = int(np.argmax(total))
    left = _left(candidates, total)
    posterior = np.exp(total - total[top])
    posterior /= posterior.sum()
    counts: dict[Route, int] = {}
    for (route, _, _), group in groups.items():
        counts[route] = counts.get(route, 0) + len(group)
    return OffsetAttack(
        policy=policy,
        left=left,
        best=tuple(d for d, v in zip(candidates, total, strict=True) if total[top] - v <= _HAIR),
        effective=exp(-float(sum(p * log(p) for p in posterior if p > 0))),
        clues=dict(sorted(counts.items())),
        alone={
            route: _left(candidates, sum(v for (r, _, _), v in support.items() if r == route))
            for route in sorted(counts)
        },
        excluded=tuple(
            _excluded(index, top, candidates, total, groups, support)
            for index in range(len(candidates))
            if candidates[index] not in left
        ),
    )


def _left(candidates: Sequence[int], total: Any) -> tuple[int, ...]:
    limit = total.max() - log(STRONG) - _HAIR
    return tuple(d for d, value in zip(candidates, total, strict=True) if value > limit)


def _support(group: Sequence[Clue]) -> NDArray[np.float64]:
    """Log likelihood of a route's clues for each offset at its best share and reading, shape (offsets,)."""
    import numpy as np

    rows = []
    for reading in sorted({clue.reading for clue in group}):
        same = [clue for clue in group if clue.reading == reading]
        stayed = np.array([clue.stayed for clue in same])
        if same[0].route in ("coverage", "trading days"):
            weekends = stayed.sum(axis=0)
            rows += [
                weekends * log(share / 2) + (len(same) - weekends) * log((1 - share) / 5)
                for share in _WEEKEND
            ]
            continue
        moved = np.array([[clue.moved] for clue in same])
        shares = _KNOWN if same[0].known else _STAYED[same[0].route]
        rows += [np.log((1 - share) * moved + share * stayed).sum(axis=0) for share in shares]
    best: NDArray[np.float64] = np.array(rows).max(axis=0)
    return best


def _excluded(
    index: int,
    top: int,
    candidates: Sequence[int],
    total: NDArray[np.float64],
    groups: dict[tuple[Route, str | None, bool], list[Clue]],
    support: dict[tuple[Route, str | None, bool], NDArray[np.float64]],
) -> Excluded:
    against = []
    for key, values in support.items():
        odds = float(values[top] - values[index])
        if odds > 0.5:
            clue = max(
                groups[key], key=lambda c: log((c.stayed[top] + 1e-6) / (c.stayed[index] + 1e-6))
            )
            against.append((key[0], round(odds, 2), f"{clue.day} {clue.words}"))
    against.sort(key=lambda row: (-row[1], row[0]))
    return Excluded(
        offset=candidates[index],
        odds=exp(min(float(total[top] - total[index]), 700.0)),
        against=tuple(against[:3]),
    )
