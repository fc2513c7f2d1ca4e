"""Trimming: whole cells of rows that bring every type share within its tolerance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from factory.bank.drafts import Draft, Place
from factory.bank.quotas import Tally, deviation, is_off
from schemas import QuestionType

TRIM_LIMIT = 0.25
"""Most of the cells that trimming may cost; beyond it the shortfall is stated instead."""


def trim(drafts: Sequence[Draft], tally: Tally) -> int:
    """Drop whole twin cells until every type share is within tolerance; undone when it costs too much.

    Longest pairs lose first, and of a pair the windows that are most over their weight. Rows without a twin are
    left alone. Returns the number of cells dropped.
    """
    queues: dict[tuple[QuestionType, ...], list[tuple[int, str, int]]] = {}
    ranked: list[list[Place]] = []
    for number, draft in enumerate(drafts):
        ranked.append(sorted(draft.cells, key=lambda c: (tally.load(c[2]), c)))
        if not draft.alone:
            queues.setdefault(draft.kinds, []).extend(
                (rank, draft.true.claim_id, number) for rank in range(len(draft.cells))
            )
    for queue in queues.values():
        queue.sort()
    removed: list[tuple[Draft, Place]] = []
    limit = int(sum(len(cells) for cells in ranked) * TRIM_LIMIT)
    while is_off(tally.types, tally.settings) and len(removed) < limit:
        after = {
            kinds: deviation(tally.types - Counter(kinds), tally.settings)
            for kinds, queue in queues.items()
            if queue
        }
        if not after:
            break
        kinds = min(after, key=lambda k: (after[k], k))
        if after[kinds] >= deviation(tally.types, tally.settings):
            break
        rank, _, number = queues[kinds].pop()
        draft, place = drafts[number], ranked[number][rank]
        draft.cells.discard(place)
        draft.count(tally, [place], -1)
        removed.append((draft, place))
    if is_off(tally.types, tally.settings):
        for draft, place in removed:
            draft.cells.add(place)
            draft.count(tally, [place])
        removed = []
    return len(removed)
