"""What the rules are checked against: a bank with its claims, resolutions, pairs and timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from factory.bank.clause import statements
from factory.segments import entity_refs
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

    def met_before(self, point_id: str) -> frozenset[tuple[str, str]]:
        """Names that the context of a point introduces."""
        return self._met[point_id]

    @cached_property
    def _met(self) -> dict[str, frozenset[tuple[str, str]]]:
        refs = {
            node.node_id: {
                ref for s in statements(node) for t in s.text.values() for ref in entity_refs(t)
            }
            for node in self.timeline.nodes
        }
        return {
            p.point_id: frozenset(ref for node_id in p.context for ref in refs.get(node_id, ()))
            for p in self.bank.points
        }
