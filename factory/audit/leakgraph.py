"""Which words that one system sees in one session repeat another question: the leak graph of a bank.

It compares wording only. That the meaning of one question entails another's answer is not tested.

A session is one exam prompt of a point (calibration) or one point's dated events (temporal); the two axes are
separate sessions. An edge joins two claims of a session when one text contains the other, or when both say
nearly the same of the same names. The two sides of an `own` pair contradict each other by design and are no edge; nor
are the claims of one family that preset `paper` asks together, which its report counts as what structure tells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from factory.audit.rules import Hit, collect
from factory.bank.phrasing import normal
from factory.segments import entity_refs, numbers, to_tokens
from schemas import LANGS, Bank, Claim, Finding, Lang, Pair

CONTAINMENT = 0.85
"""Share of the shorter text's three-letter pieces that the longer one repeats, from which both say the same.

Claims that differ in one word of ten stay below it; reworded function words stay above.
"""


@dataclass(frozen=True)
class _Said:
    """A claim's words in one edition, ready for comparison."""

    claim_id: str
    family_id: str
    words: str
    pieces: frozenset[str]
    names: frozenset[tuple[str, str]]
    figures: frozenset[float]


def leak_graph(bank: Bank, claims: Sequence[Claim], pairs: Sequence[Pair]) -> list[Finding]:
    """Findings `sibling-answers` and `near-duplicate` over all sessions and both editions."""
    return collect(_edges(bank, claims, pairs))


def _edges(bank: Bank, claims: Sequence[Claim], pairs: Sequence[Pair]) -> Iterator[Hit]:
    by_claim = {claim.claim_id: claim for claim in claims}
    own = {frozenset((p.true_claim, p.false_claim)) for p in pairs if p.relation == "own"}
    ladders = {p.true_claim for p in pairs if p.relation == "single"}
    sessions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for question in bank.questions:
        sessions[question.point_id, f"calibration {question.prompt}"].add(question.claim_id)
    for event in bank.events:
        sessions[event.point_id, "temporal"].add(event.claim_id)
    verdicts: dict[tuple[Lang, str, str], str | None] = {}
    for lang in LANGS:
        said = {
            claim_id: _said(claim, lang)
            for claim_id, claim in by_claim.items()
            if lang in claim.text
        }
        for (point_id, session), members in sorted(sessions.items()):
            here = sorted(member for member in members if member in said)
            for a, b in combinations(here, 2):
                if frozenset((a, b)) in own or (
                    {a, b} <= ladders and said[a].family_id == said[b].family_id
                ):
                    continue
                key = (lang, a, b)
                if key not in verdicts:
                    verdicts[key] = _relation(said[a], said[b])
                rule = verdicts[key]
                if rule is not None:
                    yield rule, f"{point_id} {session}: {a} {b} {lang}"


def _said(claim: Claim, lang: Lang) -> _Said:
    text = claim.text[lang]
    words = normal(to_tokens(text))
    return _Said(
        claim.claim_id,
        claim.family_id,
        words,
        frozenset(words[i : i + 3] for i in range(max(1, len(words) - 2))),
        frozenset(entity_refs(text)),
        frozenset(numbers(text)),
    )


def _relation(a: _Said, b: _Said) -> str | None:
    short, long = sorted((a, b), key=lambda said: (len(said.words), said.claim_id))
    if short.words and short.words in long.words:
        return "sibling-answers"
    if a.names != b.names or a.figures != b.figures:
        return None
    if len(short.pieces & long.pieces) / len(short.pieces) >= CONTAINMENT:
        return "near-duplicate"
    return None
