"""What a distil run says about the sentences that it did not keep: per day, how many and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from schemas import Rejection

DROPPED = (
    "no verified evidence",
    "not in the master language",
    "figure not in the source",
    "left out when merging",
)
"""Reasons of rejections that each cost one sentence of the timeline; others cost a quote, a wording or a post."""


def dropped_lines(rejections: Iterable[Rejection]) -> list[str]:
    """One line for each day with dropped sentences, in order of days, the most frequent reason first.

    Items are named `<day>...`, so the day is the first ten characters.
    """
    days: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rejections:
        if row.reason in DROPPED:
            days[row.item[:10]][row.reason] += 1
    return [_line(day, days[day]) for day in sorted(days)]


def _line(day: str, reasons: Counter[str]) -> str:
    total = reasons.total()
    ordered = sorted(reasons.items(), key=lambda row: (-row[1], DROPPED.index(row[0])))
    why = ", ".join(f"{count} {reason}" for reason, count in ordered)
    noun = "sentence" if total == 1 else "sentences"
    return f"distil: {day}: {total} {noun} dropped ({why}); see rejected.jsonl"
