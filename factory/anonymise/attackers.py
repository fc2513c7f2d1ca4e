"""Attackers without a model: which offsets do the released dates leave possible, and does the text link back.

The offset attacker knows the calendar and the offset policy but not the event: holidays, month names and
weekday words that were left behind rule offsets out. Linkage asks how high the true raw timeline
ranks among decoys by shared character n-grams; it is printed, not gated, because prose alone links.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Literal

from factory.anonymise.dates import offsets
from factory.segments import MONTHS, WEEKDAYS
from schemas import AnonStatement, AnonTimeline, Plain

_HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas": (12, 25),
    "圣诞": (12, 25),
    "new year's day": (1, 1),
    "元旦": (1, 1),
    "april fool": (4, 1),
    "愚人节": (4, 1),
    "halloween": (10, 31),
    "万圣": (10, 31),
    "valentine": (2, 14),
    "情人节": (2, 14),
    "fourth of july": (7, 4),
    "独立日": (7, 4),
    "国庆": (10, 1),
    "五一": (5, 1),
    "劳动节": (5, 1),
    "may day": (5, 1),
    "妇女节": (3, 8),
    "儿童节": (6, 1),
    "教师节": (9, 10),
    "双十一": (11, 11),
}
_TOLERANCE = 7
"""A holiday word stands within this many days of its day."""
_MONTHS = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)\b(?! \d)"
)


def statements(timeline: AnonTimeline) -> Iterable[tuple[int, AnonStatement]]:
    """Node index and statement, in reading order; themes included."""
    for index, node in enumerate(timeline.nodes):
        for statement in node.fact:
            yield index, statement
        if node.opinion is not None:
            for statement in (*node.opinion.statements, *node.opinion.themes):
                yield index, statement


def offset_candidates(
    timeline: AnonTimeline, policy: Literal["weeks", "paper"] = "weeks"
) -> list[int]:
    """Offsets of the policy that the text leaves possible to a reader who knows the calendar and the policy.

    Only plain words can betray the offset: references moved with their day. A holiday must lie near its day, a
    bare month near the raw month, and weekday words left behind (two or more) vote on the offset modulo 7.
    """
    lang = timeline.lang
    candidates = offsets(policy)
    votes: Counter[int] = Counter()
    for index, statement in statements(timeline):
        shown = timeline.nodes[index].date
        words = "\n".join(s.text for s in statement.text.get(lang, ()) if isinstance(s, Plain))
        low = words.casefold()
        for word, (month, day) in _HOLIDAYS.items():
            if word in low:
                candidates = [d for d in candidates if _near(shown - timedelta(days=d), month, day)]
        for number, word in enumerate(WEEKDAYS[lang]):
            votes[(shown.weekday() - number) % 7] += words.count(word)
        for name in _MONTHS.findall(words):
            month = MONTHS.index(name) + 1
            candidates = [
                d
                for d in candidates
                if abs(((shown - timedelta(days=d)).month - month + 6) % 12 - 6) <= 1
            ]
    most = max(votes.values(), default=0)
    if most >= 2:
        candidates = [d for d in candidates if votes[d % 7] == most]
    return candidates


def _near(raw: date, month: int, day: int) -> bool:
    return any(
        abs((raw - date(year, month, day)).days) <= _TOLERANCE
        for year in (raw.year - 1, raw.year, raw.year + 1)
    )


def _grams(text: str) -> Counter[str]:
    flat = re.sub(r"\s+", " ", text.casefold())
    return Counter(flat[i : i + 4] for i in range(max(len(flat) - 3, 1)))


def linkage_rank(anonymised: str, raw: str, decoys: Sequence[str]) -> int:
    """Rank (1 is best) of the true raw text among decoys by TF-IDF cosine of character 4-grams.

    Ties count against the anonymiser.
    """
    texts = [raw, *decoys]
    counts = [_grams(text) for text in texts]
    documents = Counter(gram for count in counts for gram in count)
    total = len(texts)

    def weights(count: Counter[str]) -> dict[str, float]:
        return {
            gram: (1 + math.log(n)) * (math.log((1 + total) / (1 + documents.get(gram, 0))) + 1)
            for gram, n in count.items()
        }

    query = weights(_grams(anonymised))

    def cosine(count: Counter[str]) -> float:
        other = weights(count)
        dot = sum(weight * other.get(gram, 0.0) for gram, weight in query.items())
        norm = math.sqrt(sum(w * w for w in query.values()) * sum(w * w for w in other.values()))
        return dot / norm if norm else 0.0

    scores = [cosine(count) for count in counts]
    return 1 + sum(score > scores[0] for score in scores[1:])
