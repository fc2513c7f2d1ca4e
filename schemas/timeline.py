"""The raw timeline: what became public on which day, facts and public opinion apart, with evidence."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from pydantic import Field, model_validator

from schemas.base import Day, Lang, Record, Share, Text, Zone

Stance = Literal["support", "oppose", "question", "neutral"]
"""Attitude of a post towards the plan's stance target."""

Emotion = Literal["anger", "fear", "sadness", "hope", "joy", "mockery", "calm"]


class Span(Record):
    """The observed part of the arc, both days included."""

    observed_from: Day
    """First day with coverage."""
    observed_until: Day
    """Last day with coverage; nothing is asked beyond it."""

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.observed_until < self.observed_from:
            raise ValueError("observed_until lies before observed_from")
        return self


class Evidence(Record):
    """A quote that occurs verbatim in an item published on or before the node's day."""

    item_id: Text
    """The item quoted."""
    quote: Text
    """Its exact words, in its own language."""


class Statement(Record):
    """One sentence of a node with what supports it."""

    statement_id: Text
    """Stable short id."""
    text: Text
    """One sentence in the master language."""
    happened_on: Day | None = None
    """When it happened, if that is stated and differs or equals the day; none for states and opinions."""
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    """At least one verified quote."""


class Fact(Record):
    """What was reported on a day."""

    statements: tuple[Statement, ...] = Field(min_length=1)
    """Sentences in reading order."""


class Opinion(Record):
    """What people said on a day."""

    statements: tuple[Statement, ...] = Field(min_length=1)
    """Sentences in reading order."""
    stances: dict[Stance, Share]
    """Shares computed from the classified posts; they sum to 1."""
    themes: tuple[Text, ...] = ()
    """What the posts were about, short phrases in the master language."""
    emotion: Emotion
    """The dominant feeling."""
    n_items: int = Field(gt=0)
    """How many posts were classified."""


class Node(Record):
    """One day of the timeline."""

    node_id: Text
    """Stable short id."""
    date: Day
    """The day on which it became public."""
    fact: Fact | None = None
    """News of that day."""
    opinion: Opinion | None = None
    """Public opinion of that day."""
    follows: tuple[Text, ...] = ()
    """Earlier nodes that this one continues, set by the consistency pass."""

    @model_validator(mode="after")
    def _says_something(self) -> Node:
        if self.fact is None and self.opinion is None:
            raise ValueError("a node needs a fact or an opinion")
        return self


class Timeline(Record):
    """The whole observed arc in the master language. Raw side: real names and dates."""

    title: Text
    """Name of the event for the private report."""
    lang: Lang
    """Master language."""
    zone: Zone
    """IANA zone of its days."""
    span: Span
    """What was observed."""
    nodes: tuple[Node, ...] = Field(min_length=1)
    """Strictly increasing in date."""

    @model_validator(mode="after")
    def _increasing(self) -> Timeline:
        days = [node.date for node in self.nodes]
        if any(later <= earlier for earlier, later in pairwise(days)):
            raise ValueError("timeline nodes must be strictly increasing in date")
        if days[0] < self.span.observed_from or days[-1] > self.span.observed_until:
            raise ValueError("a timeline node lies outside the observed span")
        return self


class PostStance(Record):
    """How one post was classified."""

    item_id: Text
    """The post or comment."""
    day: Day
    """Day of the node that it counts for."""
    stance: Stance
    """Attitude towards the plan's stance target."""
    emotion: Emotion
    """Its feeling."""
    relevant: bool
    """False for noise, spam and posts about something else."""
