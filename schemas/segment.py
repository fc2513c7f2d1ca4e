"""Anonymised text as a document of segments. Both editions are rendered from the same references."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.base import Day, Lang, Record, Text

EntityClass = Literal[
    "PER", "ORG", "GOV", "COM", "PLC", "CTY", "MED", "PLT", "PRD", "GRP", "DOC", "EVT"
]
"""Person, organisation, public body, company, place, country, media, platform, product, group, document or law, event."""

DatePrecision = Literal["day", "range", "month", "quarter", "season", "part_of_month", "year"]

Label = Annotated[str, Field(pattern=r"^[A-Z]{1,2}$")]
"""Letters only, so that it never glues to a digit."""


class Plain(Record):
    """Plain words that identify nothing."""

    kind: Literal["text"] = "text"
    """Discriminator."""
    text: Text
    """The words."""


class EntityRef(Record):
    """A mention of a replaced entity."""

    kind: Literal["entity"] = "entity"
    """Discriminator."""
    cls: EntityClass
    """Class, rendered by the closed bilingual class map."""
    label: Label
    """Letters within the class."""


class DateRef(Record):
    """A mention of a day or an interval, already shifted."""

    kind: Literal["date"] = "date"
    """Discriminator."""
    start: Day
    """First day."""
    end: Day
    """Last day, included."""
    precision: DatePrecision
    """What the mention names."""
    style: Text = "full"
    """How it is worded: full (with year), short (without year), weekday, ..."""

    @model_validator(mode="after")
    def _ordered(self) -> DateRef:
        if self.end < self.start:
            raise ValueError("a date reference ends before it starts")
        return self


class Number(Record):
    """A figure in the text; its value must agree between editions."""

    kind: Literal["number"] = "number"
    """Discriminator."""
    text: Text
    """The figure as written."""
    value: float
    """Its value with 万, 亿, million, billion and per cent resolved."""


Segment = Annotated[Plain | EntityRef | DateRef | Number, Field(discriminator="kind")]

SegmentText = tuple[Segment, ...]
"""A text as segments, in order."""

Wording = dict[Lang, SegmentText]
"""The same text in one or both editions."""
