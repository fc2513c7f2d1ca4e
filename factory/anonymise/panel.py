"""Phase B: three auditors try to say what the anonymised timeline is about, without any source but memory.

Each has its own lens; the text is shown as a forecaster reads it. Code grades their guesses. A quote that is not
verbatim in the text is dropped, and so is a reported leak. A failed auditor is UNKNOWN, never a pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from pydantic import Field

from factory.anonymise.entities import Answer, Kind
from factory.anonymise.grade import grade, worst
from factory.errors import AnswerFailed
from factory.stage import StageContext
from schemas import AuditorReply, EntityClass, Grade, Guess, TruthCard

LENSES = {
    "auditor1": "world",
    "auditor2": "calendar",
    "auditor3": "voices",
}
"""Role -> what it looks at: world knowledge, dates and figures, words and voices."""
_DAY = r"^\d{4}-\d{2}-\d{2}$"


class GuessAnswer(Answer):
    """One guess."""

    event: str = Field(min_length=1, max_length=300)
    """The real event, by the name people call it, with its place."""
    actors: list[str] = Field(max_length=12)
    """Real people, organisations and places behind the placeholders."""
    period_start: str | None = Field(pattern=_DAY)
    """First day of the event as YYYY-MM-DD, or null when you cannot say."""
    period_end: str | None = Field(pattern=_DAY)
    """Last day of the event as YYYY-MM-DD, or null when you cannot say."""
    confidence: float = Field(ge=0, le=1)
    """Your probability that this guess is right."""
    quotes: list[str] = Field(max_length=8)
    """Passages that led you there, copied character by character."""


class LeakAnswer(Answer):
    """A name or a date that should have been hidden."""

    words: str = Field(min_length=2, max_length=80)
    """The shortest words that give something away, copied character by character."""
    nature: Literal["name", "date", "number", "phrase"]
    """What kind of clue it is."""
    kind: Kind
    """For a name: its class; otherwise EVT."""


class AuditAnswer(Answer):
    """What one auditor says."""

    guesses: list[GuessAnswer] = Field(min_length=1, max_length=5)
    """Up to five, best first."""
    leaks: list[LeakAnswer] = Field(max_length=30)
    """Everything that should not be in an anonymised text; empty when there is nothing."""


@dataclass(frozen=True)
class Leak:
    """A verified leak: its words stand in the text outside every placeholder."""

    words: str
    nature: Literal["name", "date", "number", "phrase"]
    cls: EntityClass


@dataclass(frozen=True)
class Audit:
    """One round: replies, their worst grade, what they found."""

    replies: tuple[AuditorReply, ...]
    leaks: tuple[Leak, ...]

    @property
    def grade(self) -> Grade:
        """The worst reply."""
        return worst(self.replies)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def read_answer(answer: AuditAnswer, shown: str) -> tuple[tuple[Guess, ...], tuple[Leak, ...]]:
    """Guesses and leaks of an answer; what is not verbatim in the shown text is left out."""
    guesses = []
    for given in answer.guesses:
        start, end = _day(given.period_start), _day(given.period_end)
        guesses.append(
            Guess(
                event=given.event,
                actors=tuple(given.actors),
                period_start=start,
                period_end=end if start is None or end is None or end >= start else None,
                confidence=given.confidence,
                quotes=tuple(quote for quote in given.quotes if quote and quote in shown),
            )
        )
    leaks = tuple(
        Leak(leak.words, leak.nature, leak.kind) for leak in answer.leaks if leak.words in shown
    )
    return tuple(guesses), leaks


async def hold(
    ctx: StageContext, shown: str, truth: TruthCard, number: int, language: str
) -> Audit:
    """One round of the panel over the rendered text."""
    answers = await ctx.ask.gather(
        *(
            ctx.ask(
                "anonymise/guess",
                AuditAnswer,
                item=f"round-{number}-{auditor}",
                role=auditor,
                lens=lens,
                text=shown,
                language=language,
            )
            for auditor, lens in LENSES.items()
        )
    )
    replies: list[AuditorReply] = []
    leaks: list[Leak] = []
    for auditor, answer in zip(LENSES, answers, strict=True):
        if isinstance(answer, AnswerFailed):
            replies.append(AuditorReply(auditor=auditor, grade="UNKNOWN", reason=answer.reason))
            continue
        guesses, found = read_answer(answer, shown)
        given, reason = grade(guesses, truth)
        replies.append(AuditorReply(auditor=auditor, guesses=guesses, grade=given, reason=reason))
        leaks += found
    unique = {(leak.words, leak.nature): leak for leak in leaks}
    return Audit(tuple(replies), tuple(unique.values()))
