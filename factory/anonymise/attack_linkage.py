"""Linkage: does an anonymised timeline lead back to its raw one among decoys?

Two attackers: TF-IDF over character 4-grams (Salton's weights, cosine), and the sentence encoder of the house,
where each anonymised passage is matched with its nearest raw passage and the cosines are averaged. Rank and
margin are printed, not gated: names and dates are gone, but prose alone links, and nobody who holds the raw
timeline needs the link. Without decoys nothing is measured and the state is `not evaluated`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from factory.encode import MIN_CONTENT, Encoder

Method = Literal["tfidf", "embedding"]

PASSAGES = 40
"""Passages of a text that the encoder reads, evenly spread."""


@dataclass(frozen=True)
class Linkage:
    """Where the true raw text stands among all candidates."""

    method: Method
    state: Literal["evaluated", "not evaluated"]
    of: int
    """Candidates: the true text and the decoys."""
    rank: int | None
    """1 is the best; ties count against the anonymiser. None when not evaluated."""
    margin: float | None
    """Similarity of the true text minus that of the best decoy, from -2 to 2; None when not evaluated."""


def link_by_words(anonymised: str, raw: str, decoys: Sequence[str]) -> Linkage:
    """TF-IDF cosine of character 4-grams."""
    return _linkage("tfidf", word_similarities(anonymised, [raw, *decoys]))


def link_by_meaning(
    anonymised: Sequence[str],
    raw: Sequence[str],
    decoys: Sequence[Sequence[str]],
    encoder: Encoder,
) -> Linkage:
    """Mean cosine of each anonymised passage to its nearest candidate passage; texts come as passages."""
    query = _spread(anonymised)
    texts = [_spread(text) for text in (raw, *decoys)]
    if not query or not all(texts):
        return Linkage("embedding", "not evaluated", len(texts), None, None)
    vectors = encoder.encode(query)
    scores = [
        float((vectors @ encoder.encode(passages).T).max(axis=1).mean()) for passages in texts
    ]
    return _linkage("embedding", scores)


def _linkage(method: Method, scores: Sequence[float]) -> Linkage:
    if len(scores) < 2:
        return Linkage(method, "not evaluated", len(scores), None, None)
    rank = 1 + sum(score > scores[0] for score in scores[1:])
    return Linkage(method, "evaluated", len(scores), rank, scores[0] - max(scores[1:]))


def _spread(passages: Sequence[str]) -> list[str]:
    """At most PASSAGES texts with enough content, evenly spread."""
    kept = [text for text in passages if sum(map(str.isalnum, text)) >= MIN_CONTENT]
    step = max(len(kept) / PASSAGES, 1.0)
    return [kept[int(i * step)] for i in range(min(len(kept), PASSAGES))]


def _grams(text: str) -> Counter[str]:
    flat = re.sub(r"\s+", " ", text.casefold())
    return Counter(flat[i : i + 4] for i in range(max(len(flat) - 3, 1)))


def word_similarities(text: str, candidates: Sequence[str]) -> list[float]:
    """TF-IDF cosine of a text to each candidate, from 0 to 1.

    Weights are (1 + ln tf) (ln((1 + n) / (1 + df)) + 1); df counts the n candidates.
    """
    counts = [_grams(candidate) for candidate in candidates]
    documents = Counter(gram for count in counts for gram in count)
    total = len(candidates)

    def weights(count: Counter[str]) -> dict[str, float]:
        return {
            gram: (1 + math.log(n)) * (math.log((1 + total) / (1 + documents.get(gram, 0))) + 1)
            for gram, n in count.items()
        }

    query = weights(_grams(text))
    norm = math.sqrt(sum(w * w for w in query.values()))

    def cosine(count: Counter[str]) -> float:
        other = weights(count)
        dot = sum(weight * other.get(gram, 0.0) for gram, weight in query.items())
        length = norm * math.sqrt(sum(w * w for w in other.values()))
        return dot / length if length else 0.0

    return [cosine(count) for count in counts]
