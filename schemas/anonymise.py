"""The anonymiser's records. Table, keys and truth card are secret; timeline and card are public."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from pydantic import Field, model_validator

from schemas.base import Day, Lang, Record, Share, Text
from schemas.segment import EntityClass, Label, SegmentText, Wording
from schemas.timeline import Emotion, Span, Stance

Grade = Literal["HIGH", "MID", "LOW", "UNKNOWN"]


class Alias(Record):
    """One surface form of an entity."""

    surface: Text
    """The words as they stand in texts."""
    lang: Literal["en", "zh", "any"]
    """Where it is searched for."""
    match: Literal["word", "exact", "case"] = "word"
    """word: Latin word edges; exact: anywhere; case: word edges and exact case."""
    origin: Literal["model", "rule", "auditor", "human"]
    """Who added it."""
    kept: tuple[int, int] = (0, 0)
    """Characters at its start and end that stay in the text: 对 in 对美 is (1, 0)."""
    doubt: str = ""
    """Why it is not replaced without a person; empty when it may be."""
    by_place: bool = False
    """Whether a place where it may be an ordinary word is a question of its own, although its owner is settled."""
    names_in: tuple[Text, ...] = ()
    """Stretches of raw text in which a person says that it is the name."""
    stands_in: tuple[Text, ...] = ()
    """Stretches of raw text in which a person says that it is an ordinary word, which stays."""


class Entity(Record):
    """One real person, organisation or place and what it becomes."""

    entity_id: Text
    """Short id within the table."""
    cls: EntityClass
    """Its class."""
    label: Label
    """Its letters."""
    aliases: tuple[Alias, ...] = Field(min_length=1)
    """All its names in both languages, the canonical one first."""


class ReplacementTable(Record):
    """Secret: which name becomes which reference."""

    entities: tuple[Entity, ...]
    """Every replaced entity."""
    version: int = Field(default=1, ge=1)
    """Raised when a panel round augments it."""


class TruthCard(Record):
    """Secret: what the event really is, in both languages, to grade the auditors' guesses."""

    event_names: tuple[Text, ...] = Field(min_length=1)
    """Names under which the event is known."""
    actors: tuple[Text, ...] = ()
    """Names of its main actors."""
    event_class: tuple[Text, ...] = Field(min_length=1)
    """Words that name the kind of event."""
    period_start: Day
    """First real day."""
    period_end: Day
    """Last real day."""


class Keys(Record):
    """Secret: drawn once an event from the system's randomness."""

    public_id: Text
    """The only name of the event on its public side."""
    salt: Text
    """Key of every id and every fence."""
    offset_days: int | None = None
    """Offset fixed by a fictional event's recording; none otherwise, then secret/shift.json holds it."""
    redraws: tuple[int, ...] = ()
    """Offsets that such a recording draws after the first, in order, each when the panel asks for another."""


class Shift(Record):
    """Secret: days added to every date of the event."""

    offset_days: int
    """Drawn from the system's randomness, or fixed by a fictional event's recording."""
    draws: int = Field(default=1, ge=1)
    """How often it was drawn; above 1 after the panel asked for another."""
    tried: tuple[int, ...] = ()
    """Offsets that a panel was shown before this one; none is drawn twice."""


class Guess(Record):
    """One ranked guess of an auditor."""

    event: str
    """The event guessed, in words."""
    actors: tuple[str, ...] = ()
    """Actors guessed."""
    period_start: Day | None = None
    """First day guessed."""
    period_end: Day | None = None
    """Last day guessed."""
    confidence: Share
    """The auditor's own probability."""
    quotes: tuple[str, ...] = ()
    """Passages that led there, verbatim."""


class AuditorReply(Record):
    """What one auditor answered in one round, graded by code."""

    auditor: Text
    """auditor1, auditor2 or auditor3."""
    guesses: tuple[Guess, ...] = ()
    """Ranked, best first."""
    grade: Grade
    """Graded by code against the truth card; UNKNOWN when the call failed."""
    reason: str = ""
    """Why that grade."""
    rank: int | None = Field(default=None, ge=1, le=5)
    """Place of the first guess that names the event; none when none of the first five does."""
    by: Literal["event", "actor", "period"] | None = None
    """What made a MID or HIGH: the event's name, or its class with an actor or with the period."""


class PanelRound(Record):
    """One round of the panel."""

    round: int = Field(ge=1)
    """From 1."""
    table_version: int = Field(ge=1)
    """Version of the table shown."""
    replies: tuple[AuditorReply, ...]
    """Three auditors."""
    grade: Grade
    """The worst reply, UNKNOWN first."""
    action: Literal["accept", "augment", "resample", "reject", "review", "block"]
    """What followed."""
    prompt_digest: str = ""
    """sha256 of what the auditors were shown: prompt name, lenses, language and text."""
    draws: int = Field(default=1, ge=1)
    """Which draw of the offset was shown."""
    added: tuple[Text, ...] = ()
    """Names that an augmentation took into the table, in the words of the raw text."""
    refused: tuple[Text, ...] = ()
    """Reported names that were not taken, each with the reason."""


class AnonStatement(Record):
    """One sentence of an anonymised node."""

    statement_id: Text
    """Same id as on the raw side, where its evidence is."""
    text: Wording
    """Master language after anonymise; both after translate."""
    happened_on: Day | None = None
    """Shifted."""


class AnonOpinion(Record):
    """Anonymised opinion of a day."""

    statements: tuple[AnonStatement, ...] = Field(min_length=1)
    """Sentences in order."""
    stances: dict[Stance, Share]
    """Shares by stance."""
    themes: tuple[AnonStatement, ...] = ()
    """Short phrases; ids derive from the node's."""
    emotion: Emotion
    """Dominant feeling."""
    n_items: int = Field(gt=0)
    """Classified posts."""


class AnonNode(Record):
    """One day of the anonymised timeline."""

    node_id: Text
    """Same id as the raw node."""
    date: Day
    """Shifted day on which it became public."""
    fact: tuple[AnonStatement, ...] = ()
    """Sentences of the news."""
    opinion: AnonOpinion | None = None
    """Public opinion."""


class AnonTimeline(Record):
    """The anonymised arc. Everything public derives from it alone."""

    public_id: Text
    """Name of the event on the public side."""
    lang: Lang
    """Master language."""
    span: Span
    """Shifted observed span."""
    nodes: tuple[AnonNode, ...] = Field(min_length=1)
    """Strictly increasing in date."""

    @model_validator(mode="after")
    def _increasing(self) -> AnonTimeline:
        days = [node.date for node in self.nodes]
        if any(later <= earlier for earlier, later in pairwise(days)):
            raise ValueError("timeline nodes must be strictly increasing in date")
        return self


class StanceTarget(Record):
    """Towards what the shares of stances are counted, anonymised. Never released on its own."""

    text: SegmentText | None
    """A noun phrase in the master language; none when it could not be anonymised."""
    reason: str = ""
    """Why there is none."""


class AnonPassage(Record):
    """A document of the corpus after phase A, searched before a claim counts as absent. Never released."""

    passage_id: Text
    """Opaque id."""
    date: Day
    """Shifted day of publication."""
    lang: Lang
    """Its language."""
    text: SegmentText
    """Its words with names and dates replaced."""


class DriftFlag(Record):
    """Phase C: a place where the anonymised text says something else than the raw one."""

    level: Literal["paragraph", "event", "narrative"]
    """Where it was seen."""
    statement_id: str
    """The statement, or the node for the narrative level."""
    problem: Text
    """One sentence."""
    detected_by: Literal["code", "model"]
    """Who saw it."""
    state: Literal["open", "repaired", "waived"] = "open"
    """Open flags block a release."""
