"""Grades an auditor's guesses against the truth card, by code and never by a model.

HIGH: the first guess names the event. MID: one of the first five names it, or one guess names the kind of event
together with an actor or with the period within 30 days. LOW: neither. UNKNOWN: there is no usable answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from factory.anonymise.naming import names, names_actor
from schemas import AuditorReply, Grade, Guess, TruthCard

PERIOD_DAYS = 30
"""A guessed start or end this near to the real one names the period."""
GUESSES = 5
"""Guesses of an auditor that count."""
_ORDER: tuple[Grade, ...] = ("UNKNOWN", "HIGH", "MID", "LOW")


def _any(texts: Iterable[str], wanted: Iterable[str]) -> bool:
    said = " ; ".join(texts)
    return any(names(said, name) for name in wanted)


def near_period(guess: Guess, truth: TruthCard) -> bool:
    """Whether the guessed start or end lies within 30 days of the real one; wide guesses gain nothing."""
    pairs = ((guess.period_start, truth.period_start), (guess.period_end, truth.period_end))
    return any(
        guessed is not None and abs((guessed - real).days) <= PERIOD_DAYS for guessed, real in pairs
    )


class Judgement(NamedTuple):
    """What code makes of one auditor's guesses."""

    grade: Grade
    reason: str
    rank: int | None = None
    """Place of the first guess that names the event, 1 to 5."""
    by: Literal["event", "actor", "period"] | None = None
    """What made a HIGH or MID."""


def grade(guesses: Sequence[Guess], truth: TruthCard) -> Judgement:
    """The grade of one auditor's ranked guesses; only the first five count."""
    if not guesses:
        return Judgement("UNKNOWN", "no guess")
    ranked = list(enumerate(guesses[:GUESSES], 1))
    rank = next((n for n, guess in ranked if _any([guess.event], truth.event_names)), None)
    if rank == 1:
        return Judgement("HIGH", "the first guess names the event", 1, "event")
    if rank is not None:
        return Judgement("MID", f"guess {rank} names the event", rank, "event")
    for number, guess in ranked:
        if not _any([guess.event], truth.event_class):
            continue
        if any(names_actor(guess.event, guess.actors, actor) for actor in truth.actors):
            reason = f"guess {number} names the kind of event and an actor"
            return Judgement("MID", reason, by="actor")
        if near_period(guess, truth):
            reason = f"guess {number} names the kind of event and the period"
            return Judgement("MID", reason, by="period")
    return Judgement("LOW", "no guess names the event, or its kind with an actor or the period")


def actors_named(guesses: Iterable[Guess], truth: TruthCard) -> int:
    """How many actors of the truth card the guesses name."""
    every = list(guesses)
    return sum(
        any(names_actor(guess.event, guess.actors, actor) for guess in every)
        for actor in truth.actors
    )


def worst(replies: Iterable[AuditorReply]) -> Grade:
    """The worst of the grades; UNKNOWN before HIGH before MID before LOW, and UNKNOWN of none."""
    found = {reply.grade for reply in replies} or {"UNKNOWN"}
    return next(grade for grade in _ORDER if grade in found)
