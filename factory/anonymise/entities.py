"""What models are asked about the raw timeline: who appears in it, and what the event really is.

Answers are proposals. Names that do not occur in the material are kept (the other language may use them),
names that cannot be names are refused with a reason, and the period of the truth card comes from the timeline.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.anonymise.table import Named, unusable
from factory.stage import StageContext
from schemas import Timeline, TruthCard

Kind = Literal["PER", "ORG", "GOV", "COM", "PLC", "CTY", "MED", "PLT", "PRD", "GRP", "DOC", "EVT"]


class Answer(BaseModel):
    """Base of the anonymiser's answer models."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class FoundEntity(Answer):
    """One person, organisation, place or other named thing."""

    name: str = Field(min_length=1, max_length=120)
    """The fullest proper name, as the material writes it."""
    kind: Kind
    """PER person, ORG organisation, GOV public body, COM company, PLC place, CTY country, MED media, PLT platform, PRD product or brand, GRP group of people, DOC law or document, EVT named event."""
    english: list[str] = Field(max_length=30)
    """Every English form: full, short, abbreviation, surname, demonym, nickname, spelling variant."""
    chinese: list[str] = Field(max_length=30)
    """Every Chinese form, in the same way."""
    other: list[str] = Field(max_length=30)
    """Handles, hashtags, domains, tickers."""


class EntitiesAnswer(Answer):
    """All named things of the material."""

    entities: list[FoundEntity] = Field(max_length=250)
    """Each once."""


class TruthAnswer(Answer):
    """What the event really is."""

    event_names: list[str] = Field(min_length=1, max_length=20)
    """Names by which someone who knows the event would call it, in English and in Chinese."""
    actors: list[str] = Field(max_length=40)
    """Proper names of its main actors and places, in English and in Chinese."""
    event_class: list[str] = Field(min_length=1, max_length=20)
    """Short general terms for this kind of event, in English and in Chinese, without names."""


def timeline_text(timeline: Timeline) -> str:
    """The raw timeline as one text: days, facts and opinion."""
    lines = []
    for node in timeline.nodes:
        lines.append(f"### {node.date.isoformat()}")
        if node.fact is not None:
            lines += [statement.text for statement in node.fact.statements]
        if node.opinion is not None:
            lines += [statement.text for statement in node.opinion.statements]
            lines += list(node.opinion.themes)
    return "\n".join(lines)


async def ask_entities(ctx: StageContext, timeline: Timeline, known: Sequence[str]) -> list[Named]:
    """Named things of the timeline; `known` are names that the plan holds. Raises AnswerFailed when there is no usable answer."""
    quotes = dict.fromkeys(
        evidence.quote
        for node in timeline.nodes
        for statement in (
            *(node.fact.statements if node.fact else ()),
            *(node.opinion.statements if node.opinion else ()),
        )
        for evidence in statement.evidence
    )
    answer = await ctx.ask(
        "anonymise/entities",
        EntitiesAnswer,
        item="entities",
        material=timeline_text(timeline),
        quotes="\n".join(quotes),
        known=", ".join(known),
    )
    named = []
    for entity in answer.entities:
        surfaces = list(
            dict.fromkeys(
                name.strip()
                for name in (entity.name, *entity.english, *entity.chinese, *entity.other)
            )
        )
        for surface in surfaces:
            reason = unusable(surface)
            if reason:
                ctx.reject(surface or "empty name", f"not a name: {reason}", entity.name)
        names = tuple(surface for surface in surfaces if surface and not unusable(surface))
        if names:
            named.append(Named(entity.kind, names))
    return named


async def ask_truth(
    ctx: StageContext, timeline: Timeline, topic: str, known: Sequence[str]
) -> TruthCard:
    """The truth card, its period taken from the timeline's first and last node."""
    answer = await ctx.ask(
        "anonymise/truth",
        TruthAnswer,
        item="truth",
        topic=topic,
        title=timeline.title,
        names=list(known),
        material=timeline_text(timeline),
    )

    def clean(words: list[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))

    names = clean(answer.event_names) or (topic,)
    return TruthCard(
        event_names=names,
        actors=clean([*answer.actors, *known]),
        event_class=clean(answer.event_class) or names,
        period_start=timeline.nodes[0].date,
        period_end=timeline.nodes[-1].date,
    )
