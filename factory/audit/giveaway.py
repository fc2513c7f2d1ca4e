"""What the structure of a bank gives away, in figures and sentences for its report.

A pair of twins gives nothing: both sides have the same record, so any rule that reads no text scores exactly 50 on
them. Rows without a twin do, and so do twins that a reader of several prompts can tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from factory.audit import structure
from schemas import Bank, Pair


@dataclass(frozen=True)
class Giveaway:
    """Scores of readers who read no text, where they can differ from 50."""

    flips: float
    """Share of the weight on rows that flip in one prompt."""
    scores: dict[str, float]
    """Rule or fitted model -> score of 100; empty when all are 50 by proof."""
    notes: tuple[str, ...]
    """One sentence for each thing that structure tells."""


def lone_rows(pairs: Iterable[Pair]) -> frozenset[str]:
    """Ids of the rows that flip: asked without a twin, within a budget, in a bank of twins."""
    return frozenset(pair.pair_id for pair in pairs if pair.relation == "flip")


def flip_share(bank: Bank, pairs: Iterable[Pair]) -> float:
    """Share of the paper's weight on questions of rows that flip; 0 for an empty bank."""
    flips = lone_rows(pairs)
    total = sum(structure.weight(q) for q in bank.questions)
    return (
        sum(structure.weight(q) for q in bank.questions if q.pair_id in flips) / total
        if total
        else 0.0
    )


def giveaway(bank: Bank, pairs: Iterable[Pair]) -> Giveaway:
    """Measure a bank; fitted models run only where twins do not decide the matter."""
    rows = list(pairs)
    single = {pair.pair_id for pair in rows if pair.relation == "single"}
    if single and bank.questions:
        return _ladders(bank)
    notes = []
    share = flip_share(bank, rows)
    if share:
        notes.append(
            f"flips: {share:.3f} of the weight is asked false and then true in one prompt; a reader of rung "
            f"positions scores {50 + 50 * share:.1f}"
        )
    flips = lone_rows(rows)
    twins = bank.model_copy(
        update={"questions": tuple(q for q in bank.questions if q.pair_id not in flips)}
    )
    told = structure.unequal_twins(twins)
    prompts = 1 + max((q.prompt for q in bank.questions), default=0)
    if not told:
        if prompts > 1:
            notes.append(
                f"{prompts} prompts a point: readers of several prompts and points gain 0.0, for a pair keeps its "
                "partner family in all of them, so both sides have the same record everywhere"
            )
        return Giveaway(share, {}, tuple(notes))
    scores = _scores(twins)
    best = max(scores.values(), default=50.0)
    notes.append(
        f"{len(told)} twin cells differ in what other prompts or points ask of their families; a reader of the whole "
        f"bank scores up to {best:.1f} of 50"
    )
    return Giveaway(share, scores, tuple(notes))


def _ladders(bank: Bank) -> Giveaway:
    scores = _scores(bank)
    best = max(scores, key=lambda name: (scores[name], name))
    true = sum(q.answer for q in bank.questions) / len(bank.questions)
    return Giveaway(
        0.0,
        scores,
        (
            f"preset paper: families are asked without twins, so structure alone gives answers away; {best} scores "
            f"{scores[best]:.1f} of 50 without reading a word, and {true:.3f} of the answers are true",
        ),
    )


def _scores(bank: Bank) -> dict[str, float]:
    chances = structure.rules(bank) | structure.fitted(bank)
    return {
        name: round(structure.score(bank.questions, values), 3) for name, values in chances.items()
    }
