"""Mastodon's statuses as items, from the interface or from recorded answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from schemas import Item, Origin
from sources.base import Report, SourceContext
from sources.counts import read_counts
from sources.lenient import glimpse, words
from sources.spoken import spoken
from sources.text import headline, plain
from sources.urls import canonical

_QUOTED = re.compile(
    r'<p class="quote-inline">.*?</p>|<span class="quote-inline">.*?</span>', re.DOTALL
)
"""The link to a quoted post that servers put into the text for readers that know no quotes."""


def snowflake(at: datetime) -> int:
    """The smallest status id of an instant: milliseconds since 1970, shifted by 16 bits."""
    return int(at.timestamp() * 1000) << 16


def snowflake_time(status_id: int) -> datetime:
    """The instant inside a status id, to the millisecond. ValueError or OverflowError when it is none."""
    return datetime.fromtimestamp((status_id >> 16) / 1000, UTC)


def sorted_at(raw: Mapping[str, Any]) -> datetime | None:
    """The instant by which a server sorts a status: that inside its id, else its own time (other software)."""
    native = str(raw.get("id", ""))
    if native.isascii() and native.isdigit() and 15 <= len(native) <= 19:
        return snowflake_time(int(native))
    try:
        at = datetime.fromisoformat(str(raw.get("created_at")))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def is_status(value: object) -> bool:
    """Whether a JSON value has the shape of a status."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("account"), Mapping)
        and {"id", "content", "created_at"} <= value.keys()
        and "visibility" in value
    )


def status_item(
    raw: Mapping[str, Any],
    context: SourceContext,
    report: Report,
    *,
    origin: Origin,
    root: str = "",
) -> Item | None:
    """One status as an item, a boost as the status that it boosts; what cannot be kept is refused with its reason.

    `root` is the native id of the status that opens the thread, where the caller knows it. The language is the
    author's setting where the text does not contradict it.
    """
    inner = raw.get("reblog")
    if isinstance(inner, Mapping) and is_status(inner):
        raw = inner
    native = words(str(raw.get("id") or ""))
    if not native:
        report.refuse(glimpse(raw), "not a status")
        return None
    if raw.get("visibility") not in (None, "public", "unlisted"):
        report.refuse(native, "not public")
        return None
    warning = headline(words(raw.get("spoiler_text")))
    text = plain(_QUOTED.sub("", words(raw.get("content"))))
    if not text and not warning:
        report.refuse(native, "no words")
        return None
    moment = context.time(raw.get("created_at"), "UTC")
    parent, author = words(str(raw.get("in_reply_to_id") or "")), raw["account"]
    edited = bool(raw.get("edited_at"))
    if edited:
        report.note("some posts were edited after publication; only their last wording is known")
    url = words(raw.get("url")) or words(raw.get("uri"))
    return Item(
        item_id=context.ids.item("mastodon", native),
        platform="mastodon",
        kind="comment" if parent else "post",
        native_id=native,
        parent_id=context.ids.item("mastodon", parent) if parent else None,
        root_id=context.ids.item("mastodon", root) if root and root != native else None,
        url=url,
        canonical_url=canonical(url),
        author_hash=context.ids.author(
            "mastodon", words(author.get("uri")) or words(author.get("acct"))
        ),
        title=warning,
        text=text or warning,
        lang=spoken(text or warning, raw.get("language")),
        published_at=moment.at,
        published_raw=words(str(raw.get("created_at") or "")),
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=min(moment.confidence, 0.6) if edited else moment.confidence,
        fetched_at=context.fetched_at,
        engagement=read_counts(
            replies=raw.get("replies_count"),
            reposts=raw.get("reblogs_count"),
            likes=raw.get("favourites_count"),
        ),
        licence="platform-terms",
        origin=origin,
    )
