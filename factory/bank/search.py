"""The search before "absent": what in the timeline and the corpus comes nearest to a claim.

A reader who finds nothing may have overlooked it. So the nearest sentences of the timeline and the nearest
passages of the documents behind it are found by embedding and put before the reader with the claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from factory.bank.clause import statements
from factory.encode import MIN_CONTENT, Encoder
from factory.segments import from_tokens, render, to_tokens
from schemas import AnonPassage, AnonTimeline, Claim

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PIECE_CHARS = 300
"""Longest piece of a document that is embedded and shown: about two sentences."""
_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Hit:
    """A sentence of the timeline or a piece of a document."""

    id: str
    """Statement id or passage id."""
    day: date
    """Day of its node or of its publication."""
    text: str
    """Its token text."""
    in_timeline: bool
    """Whether it is a sentence of the timeline."""


class Search:
    """Sentences and document pieces with their vectors, ready to be asked about claims."""

    def __init__(
        self, encoder: Encoder, timeline: AnonTimeline, passages: Sequence[AnonPassage]
    ) -> None:
        self.encoder = encoder
        self.lang = timeline.lang
        self.hits: list[Hit] = []
        words: list[str] = []
        for node in timeline.nodes:
            for statement in statements(node):
                text = statement.text[timeline.lang]
                self.hits.append(Hit(statement.statement_id, node.date, to_tokens(text), True))
                words.append(render(text, timeline.lang))
        for passage in passages:
            for piece in pieces(to_tokens(passage.text)):
                self.hits.append(Hit(passage.passage_id, passage.date, piece, False))
                words.append(render(from_tokens(piece), passage.lang))
        kept = [i for i, text in enumerate(words) if sum(map(str.isalnum, text)) >= MIN_CONTENT]
        self.hits = [self.hits[i] for i in kept]
        self.kinds = [
            [i for i, hit in enumerate(self.hits) if hit.in_timeline == in_timeline]
            for in_timeline in (True, False)
        ]
        self.vectors: NDArray[np.float32] = encoder.encode([words[i] for i in kept])

    def nearest(self, family: Sequence[Claim], count: int) -> list[Hit]:
        """The `count` sentences and the `count` document pieces nearest to any claim of a family.

        Sentences first, each kind in order of likeness; ties go to the earlier one.
        """
        import numpy as np

        if not self.hits:
            return []
        queries = self.encoder.encode([render(c.text[self.lang], self.lang) for c in family])
        likeness = (self.vectors @ queries.T).max(axis=1)
        found: list[Hit] = []
        for rows in self.kinds:
            order = np.argsort(-likeness[rows], kind="stable")[:count]
            found += [self.hits[rows[i]] for i in order]
        return found


def pieces(text: str, limit: int = PIECE_CHARS) -> list[str]:
    """Consecutive sentences joined up to `limit` characters; a longer sentence stays whole."""
    result: list[str] = []
    current = ""
    for part in _SENTENCE_END.split(text):
        sentence = part.strip()
        if not sentence:
            continue
        if current and len(current) + 1 + len(sentence) > limit:
            result.append(current)
            current = sentence
        else:
            gap = " " if current and current[-1] not in "。！？" else ""
            current += gap + sentence
    return [*result, current] if current else result
