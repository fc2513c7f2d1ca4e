"""What the commands around sources print and export: the table, its check, a recheck, exported items."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Instant, Record, Text
from schemas.item import ItemKind, Outcome, Precision


class SourceCheck(Record):
    """What one cheap call to a source gave."""

    state: Literal["ok", "failed", "not configured", "not checked"]
    """not configured: credentials are missing; not checked: there is nothing to ask without a query."""
    outcome: Outcome | None = None
    """How the call ended; none when none was made."""
    seconds: float | None = Field(default=None, ge=0)
    """How long it took."""
    note: str = ""
    """Why it failed or was not made, one sentence."""


class SourceStatus(Record):
    """One connector or importer as `factory sources` lists it."""

    name: Text
    """Name used in plans and settings."""
    kind: Literal["connector", "importer"]
    """A connector asks a platform, an importer reads files."""
    needs: tuple[Text, ...] = ()
    """Names of the environment variables that it needs."""
    optional: tuple[Text, ...] = ()
    """Names of environment variables that it can use."""
    missing: tuple[Text, ...] = ()
    """Those of `needs` that are not set."""
    configured: bool
    """True when nothing is missing and it can be loaded."""
    takes: str = ""
    """What a query is, or what files are read."""
    window: str = ""
    """How a search is restricted to days."""
    cap: str = ""
    """Limits of the platform."""
    fault: str = ""
    """Why it cannot be loaded, for a broken plug-in."""
    check: SourceCheck | None = None
    """With --check."""


class PlatformRecheck(Record):
    """What one platform said about the items that are stored of it."""

    platform: Text
    """Platform of the items; pages are under `web`."""
    asked: int = Field(ge=0)
    """Items stored."""
    there: int = Field(ge=0)
    """Still shown."""
    gone: int = Field(ge=0)
    """Deleted, removed or no longer public."""
    not_known: int = Field(ge=0)
    """Not told: a failure, missing credentials, or nobody to ask. Never taken for gone."""
    note: str = ""
    """Why some are not known."""


class Recheck(Record):
    """What `factory sources recheck` found and decided."""

    event: Text
    """Folder name."""
    platforms: tuple[PlatformRecheck, ...] = ()
    """By platform."""
    newly_gone: int = Field(ge=0)
    """Decisions recorded now that drop an item."""
    back: int = Field(ge=0)
    """Decisions recorded now that restore an item which was gone before."""


class ExportedItem(Record):
    """An item as it leaves the event: what was published, nothing of who published it."""

    item_id: Text
    """Salted id within the event."""
    platform: Text
    """web, reddit, mastodon, ..."""
    kind: ItemKind
    """article, post, comment or timeline."""
    native_id: Text
    """The platform's own id."""
    parent_id: str | None = None
    """item_id of what it answers."""
    root_id: str | None = None
    """item_id of the post that opens the thread."""
    url: str = ""
    """Address as found."""
    publisher: str = ""
    """Site, outlet or community of it."""
    title: str = ""
    """Headline, plain text."""
    text: str
    """Body, plain text."""
    lang: Literal["en", "zh", "other", "unknown"]
    """Language of the body."""
    published_at: Instant | None = None
    """When it was published, UTC."""
    precision: Precision
    """How much of published_at is known."""
    fetched_at: Instant
    """When it was fetched or exported."""
    engagement: dict[str, int] = Field(default_factory=dict)
    """Counts by name."""
    licence: Text
    """Class of what may be done with the text; the README beside it says what."""
    source: Text
    """Connector or importer that found it."""


class ExportedId(Record):
    """An item without its words: enough to fetch it again where it still exists."""

    platform: Text
    """web, reddit, mastodon, ..."""
    native_id: Text
    """The platform's own id."""
    url: str = ""
    """Address."""
    date: str | None = None
    """Day of publication in the event's zone as YYYY-MM-DD, its month as YYYY-MM, or null."""
