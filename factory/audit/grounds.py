"""What the answers of a bank rest on: quoted words, words against, counted posts, or silence.

An answer "no" because nothing of the kind is told has no words to quote. It rests on two readings of the whole
timeline that found nothing, with the sentences nearest to the claim put before them, and is counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from schemas import Claim, Occurrence, Question, Resolution

Ground = Literal["quoted", "against", "counted", "silence"]


def words_against(resolution: Resolution | None) -> tuple[Occurrence, ...]:
    """The sentences with which readings contradict a claim, each once."""
    found = [p.against for p in resolution.passes if p.against] if resolution else []
    return tuple({shown.statement_id: shown for shown in found}.values())


def ground(question: Question, claim: Claim | None, resolution: Resolution | None) -> Ground:
    """What one answer rests on.

    `quoted`: words that say on which day it happens, inside the window or outside it; `against`: it never happens
    and a reading quotes words that contradict it; `counted`: shares of posts; `silence`: nothing says that it happens.
    """
    if claim is not None and claim.stance is not None:
        return "counted"
    if question.evidence:
        return "quoted"
    if words_against(resolution):
        return "against"
    return "silence"


def grounds(
    questions: Sequence[Question], claims: Sequence[Claim], resolutions: Sequence[Resolution]
) -> Counter[Ground]:
    """Questions by what their answers rest on."""
    by_claim = {claim.claim_id: claim for claim in claims}
    resolved = {row.claim_id: row for row in resolutions}
    return Counter(
        ground(row, by_claim.get(row.claim_id), resolved.get(row.claim_id)) for row in questions
    )


def measured(
    questions: Sequence[Question], claims: Sequence[Claim], resolutions: Sequence[Resolution]
) -> str:
    """The same as the figure of a gate."""
    found = grounds(questions, claims, resolutions)
    return (
        f"{len(questions)} labels recomputed: {found['quoted']} from quoted words, {found['against']} from words "
        f"against, {found['counted']} from counted posts, {found['silence']} from silence"
    )
