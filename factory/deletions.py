"""What people took back: decisions that an item is gone, or there again, as inputs of the stage corpus.

A recheck records them in decisions.jsonl; they survive reruns like every decision, and a new one makes the
corpus and all that follows from it run again without the item.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from schemas import Decision

STAGE = "corpus"
"""The stage that drops what is gone."""
GONE = "gone"
THERE = "there"
_PREFIX = "exists:"


def deletion(item_id: str, *, gone: bool, note: str, at: datetime) -> Decision:
    """The decision that an item is gone, or that it is there again."""
    return Decision(
        stage=STAGE,
        review_id=_PREFIX + item_id,
        choice=GONE if gone else THERE,
        note=note,
        decided_at=at,
    )


def gone_ids(decisions: Iterable[Decision]) -> frozenset[str]:
    """Ids of the items whose latest decision says that they are gone."""
    latest = {
        row.review_id.removeprefix(_PREFIX): row.choice
        for row in decisions
        if row.stage == STAGE and row.review_id.startswith(_PREFIX)
    }
    return frozenset(item_id for item_id, choice in latest.items() if choice == GONE)
