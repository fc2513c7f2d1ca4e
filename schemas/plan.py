"""The plan: what one line of topic becomes before anything is fetched."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from schemas.base import Day, Lang, Record, Text, Zone


def _worded(text: str) -> str:
    if not text.strip():
        raise ValueError("there is nothing but spaces")
    return text


Words = Annotated[Text, AfterValidator(_worded)]
"""A text that is more than spaces; a person may edit what is written in a plan."""


class SourceQuery(Record):
    """One search or one address for one connector."""

    source: Words
    """Connector name as printed by `factory sources`."""
    query: Words
    """Search words, a hashtag or an address, as the connector takes it."""
    lang: Lang
    """Language that the query is written in."""
    max_items: int = Field(default=200, gt=0)
    """Stop after this many items."""


class Plan(Record):
    """Queries, window and scope of one event."""

    topic: Words
    """The line that the user typed."""
    title: Words
    """A short neutral name of the event, for the private report."""
    since: Day
    """First day of the collected window."""
    until: Day
    """Last day of the collected window, included."""
    zone: Zone
    """IANA time zone whose days index the timeline."""
    languages: tuple[Lang, ...] = Field(min_length=1)
    """Languages to search in."""
    domain: Words
    """Kind of event (labour, transport, health, ...), used to stratify results."""
    entities: tuple[Words, ...] = ()
    """People, organisations and places that the event is about."""
    stance_target: Words
    """The demand, decision or actor towards which opinion is measured."""
    queries: tuple[SourceQuery, ...] = ()
    """What is asked of which connector."""
    origin: Literal["model", "flags", "file"] = "model"
    """Who wrote the plan."""

    @model_validator(mode="after")
    def _window_is_long_enough(self) -> Plan:
        if self.until < self.since:
            raise ValueError(f"the window ends on {self.until}, before it begins on {self.since}")
        if (self.until - self.since).days < 27:
            raise ValueError(
                f"the window {self.since} … {self.until} is shorter than four weeks; "
                "an event needs at least 28 days to be cut into forecasts"
            )
        return self
