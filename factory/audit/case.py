"""What the rules are checked against: a bank with its claims, resolutions, pairs and timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from schemas import AnonTimeline, Bank, Claim, Pair, PredictionPoint, Resolution


@dataclass(frozen=True)
class Case:
    """A bank with everything that its promises are checked against."""

    bank: Bank
    claims: Sequence[Claim]
    resolutions: Sequence[Resolution]
    pairs: Sequence[Pair]
    timeline: AnonTimeline
    """Both editions where they exist; quotes are checked in its master language."""

    @cached_property
    def by_claim(self) -> dict[str, Claim]:
        return {c.claim_id: c for c in self.claims}

    @cached_property
    def by_point(self) -> dict[str, PredictionPoint]:
        return {p.point_id: p for p in self.bank.points}

    @cached_property
    def by_pair(self) -> dict[str, Pair]:
        return {p.pair_id: p for p in self.pairs}

    @cached_property
    def resolved(self) -> dict[str, Resolution]:
        return {r.claim_id: r for r in self.resolutions}

    @cached_property
    def asked(self) -> set[str]:
        """Claims that a question or a dated event asks."""
        return {q.claim_id for q in self.bank.questions} | {e.claim_id for e in self.bank.events}

    def days(self, claim_id: str) -> list[date]:
        resolution = self.resolved.get(claim_id)
        return sorted(o.happened_on for o in resolution.occurrences) if resolution else []
