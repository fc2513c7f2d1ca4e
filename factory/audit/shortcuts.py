"""How far one gets without reading the context: no-text rules, and models that see the question alone.

Structural rules are exact (see structure.py). Text attackers (text_attackers.py) are trained family-disjoint: a
claim asked at many points has one label, so a fold that shares it with the training rows would measure memory. Of
several banks each is attacked by models fitted on all others. Scores are the paper's calibration score; intervals
resample whole chains of pairs and families, since questions of a pair are not independent, and the lower end that
decides is corrected for the number of attackers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from factory.audit import structure, text_attackers
from factory.audit.intervals import Scored, bootstrap, cluster_numbers, score
from schemas import LANGS, AnonTimeline, Bank, Question

LIMIT = 55.0
"""Lower ends of intervals above this fail."""
HALF_WIDTH = 5.0
"""Wider intervals say nothing: not evaluated."""
MIN_PAIRS = 20
"""Fewer independent pairs are not enough to train and test a text model."""
FOLDS = 5
SEED = 29

State = Literal["passed", "failed", "not evaluated"]
LETTERS = "type letters (never shown)"
"""Name of the rule that knows each question's type, printed for information."""


@dataclass(frozen=True)
class ShortcutAudit:
    """Scores of everything that reads no context."""

    scores: dict[str, float]
    """Attacker -> score; 50 means nothing to learn. Names that end in "(never shown)" are information."""
    intervals: dict[str, Scored]
    """Attackers that are measured by statistics with their intervals, the basis of the gate."""
    unequal: tuple[str, ...]
    """Twin cells that structure tells apart, for a reader of the whole bank."""
    unequal_in_prompt: tuple[str, ...]
    """Twin cells that the structure of one prompt tells apart."""
    state: State
    """Outcome for the attackers with intervals."""
    reason: str
    """One sentence on the outcome."""
    letter: float | None
    """Score of whoever knows the type letters, for information: D is always false."""


def audit_shortcuts(bank: Bank, timeline: AnonTimeline | None = None) -> ShortcutAudit:
    """Run every attacker on a bank; `not evaluated` says what is missing.

    The timeline gives the contexts with which questions are compared; without it those attackers are left out.
    """
    if not bank.questions:
        return ShortcutAudit({}, {}, (), (), "not evaluated", "the bank holds no question", None)
    questions = bank.questions
    letter = score(questions, _letters(bank))
    exact = structure.rules(bank) | structure.fitted(bank)
    known = {LETTERS: _letters(bank)} | structure.fitted_letters(bank)
    scores = {name: score(questions, values) for name, values in (exact | known).items()}
    clusters = _clusters(questions)
    count = len(set(clusters))
    attacks: dict[str, list[float]] = {}
    state: State = "not evaluated"
    intervals: dict[str, Scored] = {}
    if count < MIN_PAIRS:
        reason = (
            f"{count} independent pairs are too few for a text attacker; {MIN_PAIRS} are needed"
        )
    else:
        folds = _family_folds(clusters)
        position = text_attackers.attack_position(bank, questions, folds)
        attacks |= text_attackers.both_ways("position", position)
        for lang in LANGS:
            if all(lang in q.text for q in questions):
                columns = text_attackers.read_columns(bank, timeline, lang)
                for name, values in text_attackers.attack(columns, questions, folds, lang).items():
                    attacks |= text_attackers.both_ways(f"{name} {lang}", values)
        intervals = bootstrap(questions, attacks, clusters)
        scores |= {name: found.score for name, found in intervals.items()}
        state, reason = judge(intervals)
    return ShortcutAudit(
        scores={name: round(value, 3) for name, value in scores.items()},
        intervals=intervals,
        unequal=tuple(structure.unequal_twins(bank)),
        unequal_in_prompt=tuple(structure.unequal_twins(bank, "siblings")),
        state=state,
        reason=reason,
        letter=round(letter, 3),
    )


@dataclass(frozen=True)
class EventAudit:
    """What models fitted on other events score on each event."""

    scores: dict[str, float]
    """Attacker -> score pooled over the events; each row's model never saw its event."""
    by_event: dict[str, dict[str, float]]
    """Event -> attacker -> score."""
    intervals: dict[str, Scored] = field(default_factory=dict)
    """Pooled scores with their intervals."""
    state: State = "not evaluated"
    """As for one bank: judged by the corrected lower ends."""
    reason: str = ""
    """One sentence on the outcome."""


def audit_events(events: Mapping[str, tuple[Bank, AnonTimeline | None]]) -> EventAudit:
    """Attack each bank with models fitted on all others (leave one event out).

    `events` maps an event's public id to its bank and, for comparison with the contexts, its timeline. Banks
    without questions are left out; fewer than two others are `not evaluated`. An edition counts when every bank
    has it. Same banks in any order give the same figures.
    """
    banks = {name: bank for name, (bank, _) in sorted(events.items()) if bank.questions}
    if len(banks) < 2:
        return EventAudit({}, {}, reason=f"{len(banks)} banks with questions; two are needed")
    questions = [q for bank in banks.values() for q in bank.questions]
    event_of = [name for name, bank in banks.items() for _ in bank.questions]
    folds = cluster_numbers(event_of)
    clusters = cluster_numbers(
        [
            f"{name} {number:06d}"
            for name, bank in banks.items()
            for number in _clusters(bank.questions)
        ]
    )
    attacks = _across(banks, questions, folds)
    for lang in LANGS:
        if all(lang in q.text for q in questions):
            columns = text_attackers.joined(
                [text_attackers.read_columns(bank, events[name][1], lang) for name, bank in banks.items()]
            )  # fmt: skip
            for name, values in text_attackers.attack(columns, questions, folds, lang).items():
                attacks |= text_attackers.both_ways(f"{name} {lang}", values)
    intervals = bootstrap(questions, attacks, clusters)
    state, reason = judge(intervals)
    return EventAudit(
        scores={name: round(found.score, 3) for name, found in intervals.items()},
        by_event={
            event: {
                name: round(_score_of(event, event_of, questions, values), 3)
                for name, values in attacks.items()
            }
            for event in banks
        },
        intervals=intervals,
        state=state,
        reason=reason,
    )


def _across(
    banks: Mapping[str, Bank], questions: Sequence[Question], folds: Sequence[int]
) -> dict[str, list[float]]:
    """Structural attackers of each view, fitted on the other events."""
    import numpy as np

    tables = [structure.features(bank) for bank in banks.values()]
    x = np.array(
        [table[q.question_id] for table, bank in zip(tables, banks.values(), strict=True) for q in bank.questions]
    )  # fmt: skip
    y = np.array([q.answer for q in questions])
    attacks: dict[str, list[float]] = {}
    for view, width in structure.VIEWS.items():
        for model, values in structure.out_of_fold(x[:, :width], y, folds).items():
            attacks |= text_attackers.both_ways(f"fitted {model}: {view}", values)
    return attacks


def _score_of(
    event: str, event_of: Sequence[str], questions: Sequence[Question], values: Sequence[float]
) -> float:
    rows = [i for i, name in enumerate(event_of) if name == event]
    return score([questions[i] for i in rows], [values[i] for i in rows])


def judge(intervals: Mapping[str, Scored]) -> tuple[State, str]:
    """The rule of the gate: a corrected lower end above LIMIT fails, a wide interval says nothing."""
    if not intervals:
        return "not evaluated", "no edition is complete"
    worst = max(intervals, key=lambda name: intervals[name].floor)
    widest = max(intervals, key=lambda name: intervals[name].half_width)
    floor, wide = intervals[worst].floor, intervals[widest].half_width
    if floor > LIMIT:
        return "failed", f"{worst} scores {intervals[worst].score:.1f}, at least {floor:.1f}"
    if wide > HALF_WIDTH:
        return (
            "not evaluated",
            f"the interval of {widest} is {wide:.1f} points to each side; more pairs are needed",
        )
    return "passed", f"the highest lower end is {floor:.1f} ({worst})"


def _letters(bank: Bank) -> list[float]:
    """1 for the letters whose questions are mostly true, in sample."""
    tally: dict[str, list[int]] = defaultdict(list)
    for q in bank.questions:
        tally[q.type].append(q.answer)
    return [float(sum(tally[q.type]) / len(tally[q.type]) >= 0.5) for q in bank.questions]


def _clusters(questions: Sequence[Question]) -> list[int]:
    """Number of each question's cluster, for folds and for the bootstrap."""
    from factory.score.bank import clusters

    return cluster_numbers(clusters(questions))


def _family_folds(clusters: Sequence[int]) -> list[int]:
    """A fold a cluster, by a seeded shuffle: rows of one family never part."""
    import numpy as np

    order = np.random.default_rng(SEED).permutation(max(clusters) + 1)
    return [int(order[cluster]) % FOLDS for cluster in clusters]
