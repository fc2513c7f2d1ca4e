"""What a query was answered since its position was last saved, so that a query that is stopped asks nothing twice.

A step of a query can take many requests: a timeline is looked through before it is known whether it is kept, a
tree of comments is unfolded part by part. A run that is stopped within a step leaves its answers; the next one
takes them in place of asking. Refusals and failures are asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas import Outcome

if TYPE_CHECKING:
    from sources.http import Response

GOOD: frozenset[Outcome] = frozenset({"ok", "empty", "soft404"})
"""Outcomes of answers that are kept."""


class Answers:
    """Answers by what was asked; this one keeps none."""

    def take(self, asked: str) -> Response | None:
        """What an earlier run was answered, once."""
        return None

    def keep(self, asked: str, answer: Response) -> None:
        """Keep an answer until the query's position is saved."""
