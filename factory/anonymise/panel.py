"""Phase B: three auditors try to say what a timeline is about, without any source but memory.

Each has its own lens; the text is shown as a forecaster reads it. Code grades their guesses. A quote that is not
verbatim in the text is dropped, and so is a reported leak. A failed auditor is UNKNOWN, never a pass. The same
panel, prompt for prompt, reads the control texts of controls.py.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pydantic import Field

from factory.anonymise.entities import Answer, Kind
from factory.anonymise.grade import grade, worst
from factory.errors import AnswerFailed
from factory.stage import StageContext
from schemas import AuditorReply, EntityClass, Grade, Guess, Lang, TruthCard

PROMPT = "anonymise/guess"
LENSES = {
    "auditor1": "world",
    "auditor2": "calendar",
    "auditor3": "voices",
}
"""Role -> what it looks at: world knowledge, dates and figures, words and voices."""
LANGUAGE: dict[Lang, str] = {"en": "English", "zh": "Chinese"}
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
    """A verified leak: its words stand in the text that was shown."""

    words: str
    nature: Literal["name", "date", "number", "phrase"]
    cls: EntityClass


@dataclass(frozen=True)
class Audit:
    """One hearing of the panel: replies, their worst grade, what they found."""

    replies: tuple[AuditorReply, ...]
    leaks: tuple[Leak, ...]
    digest: str = ""
    """sha256 of what was shown, see shown_digest."""

    @property
    def grade(self) -> Grade:
        """The worst reply."""
        return worst(self.replies)

    @property
    def by_period(self) -> bool:
        """Whether an auditor was graded MID because its period was near."""
        return any(reply.by == "period" for reply in self.replies)


@dataclass(frozen=True)
class Heard:
    """An answer after checking it against the text."""

    guesses: tuple[Guess, ...]
    leaks: tuple[Leak, ...]
    dropped: tuple[str, ...]
    """Quotes and leaks that are not verbatim in the text."""


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def read_answer(answer: AuditAnswer, shown: str) -> Heard:
    """Guesses and leaks of an answer; what is not verbatim in the shown text is left out and named.

    An impossible day and an end before its start count as not said.
    """
    guesses, dropped = [], []
    for given in answer.guesses:
        start, end = _day(given.period_start), _day(given.period_end)
        dropped += [quote for quote in given.quotes if not quote or quote not in shown]
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
    leaks = []
    for leak in answer.leaks:
        if leak.words in shown:
            leaks.append(Leak(leak.words, leak.nature, leak.kind))
        else:
            dropped.append(leak.words)
    return Heard(tuple(guesses), tuple(leaks), tuple(dropped))


def shown_digest(shown: str, language: str) -> str:
    """sha256 of what the auditors are shown: prompt name, lenses, language and text, as canonical JSON."""
    parts = {"prompt": PROMPT, "lenses": LENSES, "language": language, "text": shown}
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


async def hold(ctx: StageContext, shown: str, truth: TruthCard, item: str, lang: Lang) -> Audit:
    """Hear the panel on a text; `item` names the hearing, such as round-1 or raw.

    What an auditor claims to have read and did not is rejected with the auditor's name.
    """
    language = LANGUAGE[lang]
    answers = await ctx.ask.gather(
        *(
            ctx.ask(
                PROMPT,
                AuditAnswer,
                item=f"{item}-{auditor}",
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
        heard = read_answer(answer, shown)
        for words in heard.dropped:
            ctx.reject(f"{item}-{auditor}", "quotes what is not in the text", words)
        found = grade(heard.guesses, truth)
        replies.append(
            AuditorReply(
                auditor=auditor,
                guesses=heard.guesses,
                grade=found.grade,
                reason=found.reason,
                rank=found.rank,
                by=found.by,
            )
        )
        leaks += heard.leaks
    unique = {(leak.words, leak.nature): leak for leak in leaks}
    return Audit(tuple(replies), tuple(unique.values()), shown_digest(shown, language))
