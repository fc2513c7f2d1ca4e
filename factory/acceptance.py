"""What a person accepted and rejected of the finished bank: rows of decisions.jsonl, and what follows from them.

Which rows are put to a person is drawn by rank of a seeded digest of the row's id, so the same content gives the
same sample and a row that goes changes one place of it. An acceptance holds for the content that was seen: its id
carries a digest, so other words, another answer or other evidence are open again. A rejected question is an input
of the composer, which leaves out the claim with its twin; a rejected node blocks the release.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas import AnonNode, Decision, Question

ACCEPT, REJECT, KEEP = "accept", "reject", "keep"
COMPOSE, RELEASE = "compose", "release"
"""Stages that read the decisions: the composer rejected claims and cells, the release all others."""
NODE_SHARE = 4
"""One row in so many of a sample is a node, as far as there are enough questions."""
DIGITS = 10
"""Hexadecimal digits of a content digest: a chance of 1 in 10^12 that changed content keeps its digest."""


@dataclass(frozen=True)
class Drawn:
    """One row of the sample."""

    row: Question | AnonNode

    @property
    def kind(self) -> str:
        """question or node."""
        return "question" if isinstance(self.row, Question) else "node"

    @property
    def row_id(self) -> str:
        """Id of the question or node."""
        return self.row.question_id if isinstance(self.row, Question) else self.row.node_id

    @property
    def review_id(self) -> str:
        """Id of a decision about this row with this content."""
        return f"{self.kind}:{self.row_id}:{content(self.row)}"


def content(row: Question | AnonNode) -> str:
    """Digest of what a person judges: words in both editions, window, answer and evidence; all of a node."""
    judged = None
    if isinstance(row, Question):
        judged = {"text", "window_start", "window_end", "answer", "evidence"}
    text = row.model_dump_json(include=judged)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def draw(
    questions: Sequence[Question], nodes: Sequence[AnonNode], *, seed: int, size: int
) -> list[Drawn]:
    """The sample: `size` rows, or all when there are fewer; nodes first, each kind in the order of its ranks."""

    def rank(row: Drawn) -> bytes:
        return hashlib.sha256(f"{seed}:review:{row.kind}:{row.row_id}".encode()).digest()

    days = min(len(nodes), max(size // NODE_SHARE, size - len(questions)))
    ranked = [sorted((Drawn(row) for row in rows), key=rank) for rows in (nodes, questions)]
    return ranked[0][:days] + ranked[1][: size - days]


# -- reading decisions -----------------------------------------------------------------------------


def latest(decisions: Iterable[Decision]) -> dict[str, Decision]:
    """The decision that counts for each review id: the last one."""
    return {decision.review_id: decision for decision in decisions}


@dataclass(frozen=True)
class Rejected:
    """What a person took out of the bank."""

    claims: frozenset[str] = frozenset()
    """Claim ids: asked nowhere, nor is a twin beside them."""
    cells: frozenset[str] = frozenset()
    """Question ids: this question and its twin in the cell are not asked."""

    @classmethod
    def among(cls, decisions: Iterable[Decision]) -> Rejected:
        """The rejections that stand among the composer's decisions."""
        found: dict[str, set[str]] = {"claim": set(), "cell": set()}
        for review_id, decision in latest(decisions).items():
            kind, _, name = review_id.partition(":")
            if decision.stage == COMPOSE and kind in found and decision.choice == REJECT:
                found[kind].add(name)
        return cls(frozenset(found["claim"]), frozenset(found["cell"]))

    def holds(self, question: Question) -> bool:
        """Whether this question was rejected, itself or with its claim."""
        return question.claim_id in self.claims or question.question_id in self.cells


NOTHING_REJECTED = Rejected()


def accepted(sample: Iterable[Drawn], decisions: Sequence[Decision]) -> list[Drawn]:
    """Rows of a sample that a person accepted with the content that they have now, and did not reject since."""
    found, rejected = latest(decisions), Rejected.among(decisions)
    return [
        drawn
        for drawn in sample
        if drawn.review_id in found
        and found[drawn.review_id].choice == ACCEPT
        and not (isinstance(drawn.row, Question) and rejected.holds(drawn.row))
    ]


def rejected_nodes(
    nodes: Iterable[AnonNode], decisions: Iterable[Decision]
) -> list[tuple[AnonNode, str]]:
    """Nodes that a person rejected with the content that they have now, each with the reason."""
    found = latest(decisions)
    ids = {node.node_id: Drawn(node).review_id for node in nodes}
    return [
        (node, found[ids[node.node_id]].note)
        for node in nodes
        if ids[node.node_id] in found and found[ids[node.node_id]].choice == REJECT
    ]


# -- making decisions --------------------------------------------------------------------------------


def decided(review_id: str, choice: str, *, note: str, at: datetime) -> Decision:
    """A decision about a row, claim or cell, for the stage that reads it."""
    kind = review_id.partition(":")[0]
    stage = COMPOSE if kind in ("claim", "cell") else RELEASE
    return Decision(stage=stage, review_id=review_id, choice=choice, note=note, decided_at=at)
