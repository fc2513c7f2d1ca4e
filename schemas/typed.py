"""Boolean, timeframe and quantity questions, answers with a confidence, and the card of their scores.

The question record is the one that FOReCAst publishes (arXiv 2502.19676; id, question, type, resolution,
resolution_time, created_time, confidence), with its resolution as a typed value. A card has one row a system, kind
and group, because the kinds share no scale and are never averaged.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.base import Day, Record, Share, Text
from schemas.exam import ForecastStatus
from schemas.score import Interval, Problem

TypedKind = Literal["boolean", "timeframe", "quantity"]
"""yes or no; a day; a number."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
"""A number that is one."""

TypedValue = Literal["yes", "no"] | Day | Finite
"""A value of one of the three kinds."""


class TypedQuestion(Record):
    """One resolved question."""

    id: Text
    """As published."""
    question: Text
    """As asked."""
    type: TypedKind
    """Which kind of value answers it."""
    resolution: TypedValue
    """What came true: yes or no; a day; a number, never rounded."""
    resolution_time: Day
    """When it was resolved."""
    created_time: Day | None = None
    """When it was asked."""
    confidence: Share | None = None
    """Gold confidence of the resolution, from the crowd that forecast it; none when not published."""

    @model_validator(mode="after")
    def _resolution_is_of_its_type(self) -> TypedQuestion:
        expected = {"boolean": str, "timeframe": date, "quantity": float}[self.type]
        if not isinstance(self.resolution, expected):
            raise ValueError(f"the resolution of a {self.type} question has to be one")
        return self


class TypedSample(Record):
    """One of several outputs for one question."""

    value: str | Finite | bool
    """As answered: yes or no, a day YYYY-MM-DD, a number."""
    confidence: Share | None = None
    """How sure the system says it is of this value; FOReCAst's normalized confidence."""
    average: Share | None = None
    """Mean probability of the value's tokens."""
    raw: Share | None = None
    """Probability of the value's tokens together."""


class TypedForecast(Record):
    """One system's answer to one question: a line of a forecast file."""

    system: Text
    """Name of the system."""
    run: Text = "1"
    """Run; several runs of a system are scored apart."""
    id: Text
    """Question."""
    status: ForecastStatus = "answered"
    """How it ended; anything but answered carries no value."""
    value: str | Finite | bool | None = None
    """The answer, when there is one."""
    confidence: Share | None = None
    """How sure the system is of the value."""
    samples: tuple[TypedSample, ...] = ()
    """Several answers to be aggregated, instead of value."""
    text: str = ""
    """The text as answered."""

    @model_validator(mode="after")
    def _one_form(self) -> TypedForecast:
        forms = (self.value is not None) + bool(self.samples)
        if self.status == "answered" and forms != 1:
            raise ValueError("an answered forecast has either a value or samples")
        if self.status != "answered" and forms:
            raise ValueError(f"a forecast that is {self.status} has no value")
        if self.value is None and self.confidence is not None:
            raise ValueError("a confidence belongs to a value")
        return self


class TypedRow(Record):
    """One system on the questions of one kind and group."""

    system: Text
    """System; one name stands for one run."""
    kind: Text
    """Kind of question: boolean, timeframe, quantity, or what the rule set asks."""
    group: Text = "all"
    """Which of them: all, or a named part."""
    n: int = Field(ge=0)
    """Questions asked."""
    answered: int = Field(ge=0)
    """Answers used."""
    unparsed: int = Field(default=0, ge=0)
    """Answers without a usable value."""
    refused: int = Field(default=0, ge=0)
    """Refusals."""
    error: int = Field(default=0, ge=0)
    """Failed calls."""
    missing: int = Field(default=0, ge=0)
    """Questions without an answer."""
    metrics: dict[str, float | None] = Field(default_factory=dict)
    """Figures by name; none where the answers define none."""
    intervals: dict[str, Interval] = Field(default_factory=dict)
    """Bootstrap intervals of some of the figures."""

    @model_validator(mode="after")
    def _adds_up(self) -> TypedRow:
        if self.n != self.answered + self.unparsed + self.refused + self.error + self.missing:
            raise ValueError("answered, unparsed, refused, error and missing have to add up to n")
        return self


class TypedCard(Record):
    """Scores of several systems on typed questions under one rule set."""

    rules: Text
    """Name of the rule set."""
    rules_version: Text
    """Its version."""
    rows: tuple[TypedRow, ...]
    """A row a system, kind and group."""
    problems: tuple[Problem, ...] = ()
    """Input that could not be used."""
    notes: tuple[str, ...] = ()
    """What a reader has to know before comparing."""
