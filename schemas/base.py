"""What every record shares: strict, frozen, closed to unknown fields, read from and written to JSON.

A date is a day in the event's time zone; an instant is UTC. Records carry no logic beyond validation.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Lang = Literal["en", "zh"]
"""The two editions; one of them is the event's master language."""

LANGS: tuple[Lang, Lang] = ("en", "zh")

Day = date
"""A calendar day, `YYYY-MM-DD`, in the event's time zone."""


def _to_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return value if value.tzinfo is UTC else value.astimezone(UTC)


Instant = Annotated[datetime, AfterValidator(_to_utc)]
"""A point in time, always UTC."""

Share = Annotated[float, Field(ge=0, le=1)]
"""A fraction between 0 and 1."""

Text = Annotated[str, Field(min_length=1)]
"""A string that says something."""


def is_zone(name: str) -> bool:
    """Whether this machine knows a time zone of that name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return bool(name)


def _known_zone(name: str) -> str:
    if not is_zone(name):
        raise ValueError(
            f"{name[:60]!r} is no time zone; write an IANA name such as Asia/Shanghai or Europe/Paris"
        )
    return name


Zone = Annotated[Text, AfterValidator(_known_zone)]
"""An IANA time zone."""


class Record(BaseModel):
    """Base of every record: strict, immutable, no unknown fields, field docstrings as descriptions."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
    )
