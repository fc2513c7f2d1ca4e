"""X's posts (interface version 2) as items, from the interface or from recorded answers."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from schemas import Item, Origin
from sources.base import Report, SourceContext
from sources.counts import read_counts
from sources.lenient import glimpse, mapping, rows, words
from sources.spoken import spoken
from sources.text import tidy

_FIRST_SNOWFLAKE = 29_700_000_000
"""Ids up to November 2010 were counted up and hold no time."""
_EPOCH = 1_288_834_974_657
"""Milliseconds since 1970 that the ids count from."""
_REPOST = re.compile(r"^RT @\w{1,20}: ")
_ATTACHED = re.compile(r"/status/\d+/(?:photo|video)/\d+$")


def id_time(native: str) -> datetime | None:
    """The instant inside an id, to the millisecond; none for ids without one."""
    if not (native.isascii() and native.isdigit() and len(native) <= 20):
        return None
    value = int(native)
    if value <= _FIRST_SNOWFLAKE:
        return None
    try:
        return datetime.fromtimestamp(((value >> 22) + _EPOCH) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def referenced(raw: Mapping[str, Any], kind: str) -> str:
    """Id of what a post refers to as `replied_to`, `quoted` or `retweeted`; empty when there is none."""
    for row in rows(raw.get("referenced_tweets")):
        if mapping(row).get("type") == kind:
            return words(mapping(row).get("id"))
    return ""


def post_item(
    raw: object, context: SourceContext, report: Report, *, origin: Origin
) -> Item | None:
    """One post as an item; reposts are copies and refused, quotes and replies are kept with their own words.

    Where the answer holds no time, that inside the id is taken.
    """
    post = mapping(raw)
    native = words(post.get("id"))
    if not native:
        report.refuse(glimpse(raw), "not a post")
        return None
    text = _text(post)
    original = referenced(post, "retweeted")
    if original or _REPOST.match(text):
        report.refuse(native, "copy", f"reposts {original}" if original else "a repost")
        return None
    if not text:
        report.refuse(native, "no words")
        return None
    if len(rows(post.get("edit_history_tweet_ids"))) > 1:
        report.note("some posts were edited after publication; only their last wording is known")
    written = words(post.get("created_at"))
    raw_time = written or id_time(native)
    moment = context.time(raw_time.isoformat() if isinstance(raw_time, datetime) else raw_time)
    parent = referenced(post, "replied_to")
    root = words(post.get("conversation_id"))
    counts = mapping(post.get("public_metrics"))
    return Item(
        item_id=context.ids.item("x", native),
        platform="x",
        kind="comment" if parent else "post",
        native_id=native,
        parent_id=context.ids.item("x", parent) if parent else None,
        root_id=context.ids.item("x", root) if root and root != native else None,
        url=f"https://x.com/i/status/{native}",
        canonical_url=f"https://x.com/i/status/{native}",
        author_hash=context.ids.author("x", words(post.get("author_id"))),
        text=text,
        lang=spoken(text, post.get("lang")),
        published_at=moment.at,
        published_raw=written or (f"id {native}" if moment.at else ""),
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=moment.confidence,
        fetched_at=context.fetched_at,
        engagement=read_counts(
            likes=counts.get("like_count"),
            reposts=counts.get("retweet_count"),
            replies=counts.get("reply_count"),
            quotes=counts.get("quote_count"),
            views=counts.get("impression_count"),
        ),
        licence="platform-terms",
        origin=origin,
    )


def _text(post: Mapping[str, Any]) -> str:
    """The whole text: that of the long form where there is one, links as they lead, entities as characters."""
    long = mapping(post.get("note_tweet"))
    source = long if words(long.get("text")) else post
    text = words(source.get("text"))
    for link in rows(mapping(source.get("entities")).get("urls")):
        short, target = (words(mapping(link).get(name)) for name in ("url", "expanded_url"))
        if short and target:
            text = text.replace(short, "" if _ATTACHED.search(target) else target)
    return tidy(html.unescape(text))
