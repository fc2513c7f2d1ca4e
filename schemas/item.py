"""What a source yields: one article, post, comment or timeline paragraph, and what happened while asking."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Day, Instant, Record, Share, Text

ItemKind = Literal["article", "post", "comment", "timeline"]
Precision = Literal["second", "minute", "day", "month", "none"]
TzSource = Literal["explicit", "assumed", "relative", "none"]
Outcome = Literal[
    "ok", "empty", "blocked", "soft404", "needs_js", "decode_error", "not_a_feed", "error"
]


class Origin(Record):
    """Where an item came from."""

    source: Text
    """Connector or importer name."""
    query: str = ""
    """The query or address that found it."""
    file: str = ""
    """Name of the imported file, without folders."""
    digest: str = ""
    """sha256 of the bytes that it was read from."""
    archive: str = ""
    """Address of the archived copy that it was read from, when the page itself was gone."""


class Item(Record):
    """One published thing, as plain text with an honest date."""

    item_id: Text
    """Short id, stable for the same platform and native id."""
    platform: Text
    """web, rss, reddit, mastodon, weibo, ..."""
    kind: ItemKind
    """Articles carry facts; posts and comments carry opinion."""
    native_id: Text
    """The platform's own id, always a string."""
    parent_id: str | None = None
    """item_id of what it answers."""
    root_id: str | None = None
    """item_id of the post that opens the thread."""
    url: str = ""
    """Address as found."""
    canonical_url: str = ""
    """Address without tracking parts, for exact duplicates."""
    author_hash: str = ""
    """Salted hash of the author's id; never the name."""
    publisher: str = ""
    """Site or outlet name of an article."""
    title: str = ""
    """Headline, plain text."""
    text: str
    """Body, plain text."""
    lang: Literal["en", "zh", "other", "unknown"] = "unknown"
    """Language of the body."""
    published_at: Instant | None = None
    """When it was published, UTC."""
    published_raw: str = ""
    """The date exactly as the source wrote it."""
    precision: Precision = "none"
    """How much of published_at is known; items known only to the month never support a day."""
    tz_source: TzSource = "none"
    """Whether the zone was written, assumed or counted back from fetched_at."""
    confidence: Share = 0.0
    """How sure the date is."""
    fetched_at: Instant
    """When it was fetched or exported."""
    engagement: dict[str, int] = Field(default_factory=dict)
    """Counts by name: likes, reposts, replies, views."""
    deleted: bool = False
    """True when the platform says that it was deleted or removed."""
    licence: Literal["public-domain", "cc", "platform-terms", "publisher", "own", "unknown"] = (
        "unknown"
    )
    """What may be done with the text."""
    origin: Origin
    """Where it came from."""


class Coverage(Record):
    """What one query of one connector really covered."""

    source: Text
    """Connector name."""
    query: str
    """The query as asked."""
    since: Day | None = None
    """First day asked for."""
    until: Day | None = None
    """Last day asked for."""
    first: Instant | None = None
    """Earliest item got."""
    last: Instant | None = None
    """Latest item got."""
    items: int = Field(default=0, ge=0)
    """Items that it found in the window, each thing once."""
    shared: int = Field(default=0, ge=0)
    """Those of them that another query found too and that are kept under it."""
    outside: int = Field(default=0, ge=0)
    """Items dropped because they lie outside the window."""
    capped: bool = False
    """True when the platform or our cap cut the answer."""
    outcomes: dict[Outcome, int] = Field(default_factory=dict)
    """Fetches by how they ended."""
    note: str = ""
    """Anything a person should know, one sentence."""
