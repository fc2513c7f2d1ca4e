"""Bluesky's post views as items, one at a time: what one post carries never costs its page.

Dates are set by the author's program and may be anything; the network's own `indexedAt` bounds them. Only the
author's words are the text: a link card's headline and a quoted post are other people's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from schemas import Item, Origin
from sources.base import Report, SourceContext
from sources.counts import read_counts
from sources.lenient import glimpse, mapping, rows, words
from sources.spoken import spoken
from sources.text import tidy
from sources.times import Moment
from sources.urls import canonical

POST = "app.bsky.feed.post"
_AT = re.compile(r"at://(did:[a-z]+:[A-Za-z0-9._:%-]+)/app\.bsky\.feed\.post/([A-Za-z0-9._:~-]+)")
_PROMPT = timedelta(hours=1)
"""Delay between writing and indexing that networks and queues explain."""
_BACKDATED = timedelta(days=1)
_MOST = 10**12
_HIDDEN = {
    "!takedown": "taken down",
    "!suspend": "taken down",
    "!hide": "hidden by its author or moderators",
    "!no-unauthenticated": "the author shows posts to logged-in readers only",
}


def count(value: object) -> int | None:
    """A count as a JSON number; none for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        return None
    return value


def hidden(labels: object, context: SourceContext) -> str:
    """Why labels forbid showing something, empty when they do not. Negated and expired labels do not count."""
    marks = [mapping(label) for label in rows(labels)]
    negated = {(words(row.get("src")), words(row.get("val"))) for row in marks if row.get("neg")}
    for row in marks:
        value = words(row.get("val"))
        expires = context.time(words(row.get("exp")), "UTC").at
        if (
            value in _HIDDEN
            and (words(row.get("src")), value) not in negated
            and (expires is None or expires > context.fetched_at)
        ):
            return _HIDDEN[value]
    return ""


def when(created: object, indexed: object, context: SourceContext) -> tuple[Moment, str]:
    """When a post became public, and the raw text it was read from.

    `createdAt` is believed as far as `indexedAt` supports it: within an hour before it fully, within a day less.
    Anything else (no zone, a bare day, the future, long before) is dated by the moment the network saw it.
    """
    claimed = context.time(words(created), "UTC")
    seen = context.time(words(indexed), "UTC")
    if seen.at is None or seen.tz_source != "explicit":
        moment = Moment(
            claimed.at, claimed.precision, claimed.tz_source, min(claimed.confidence, 0.5)
        )
        return moment, words(created)
    exact = claimed.tz_source == "explicit" and claimed.precision in ("second", "minute")
    if claimed.at is None or not exact or claimed.at > seen.at + timedelta(minutes=5):
        return Moment(seen.at, seen.precision, "explicit", 0.8), words(indexed)
    late = seen.at - claimed.at
    if late > _BACKDATED:
        return Moment(seen.at, seen.precision, "explicit", 0.4, "backdated"), words(indexed)
    confidence = 0.95 if late <= _PROMPT else 0.7
    return Moment(claimed.at, claimed.precision, "explicit", confidence), words(created)


def sorted_at(raw: Mapping[str, Any], context: SourceContext) -> datetime | None:
    """The instant by which the network sorts a post: the earlier of `createdAt` and `indexedAt`."""
    record = mapping(raw.get("record"))
    claimed = context.time(words(record.get("createdAt")), "UTC").at
    seen = context.time(words(raw.get("indexedAt")), "UTC").at
    return min((at for at in (claimed, seen) if at is not None), default=None)


def post_item(
    raw: object, context: SourceContext, report: Report, *, origin: Origin
) -> Item | None:
    """One post view as an item; what cannot be kept is refused with its reason. Never raises for its content."""
    if not isinstance(raw, Mapping):
        report.refuse(glimpse(raw), "not a post")
        return None
    native = words(raw.get("uri"))
    record = raw.get("record")
    if not native or not isinstance(record, Mapping) or record.get("$type", POST) != POST:
        report.refuse(native or glimpse(raw), "not a post")
        return None
    author = mapping(raw.get("author"))
    reason = hidden(raw.get("labels"), context) or hidden(author.get("labels"), context)
    if reason:
        report.refuse(native, reason)
        return None
    text = tidy(words(record.get("text"))) or _described(record)
    if not text:
        report.refuse(native, "no words")
        return None
    moment, published_raw = when(record.get("createdAt"), raw.get("indexedAt"), context)
    if moment.note == "backdated":
        report.note(
            "some posts carry a date long before the network saw them; they are dated by that"
        )
    reply = mapping(record.get("reply"))
    parent = words(mapping(reply.get("parent")).get("uri"))
    root = words(mapping(reply.get("root")).get("uri"))
    match = _AT.fullmatch(native)
    url = f"https://bsky.app/profile/{match[1]}/post/{match[2]}" if match else ""
    return Item(
        item_id=context.ids.item("bluesky", native),
        platform="bluesky",
        kind="comment" if parent else "post",
        native_id=native,
        parent_id=context.ids.item("bluesky", parent) if parent else None,
        root_id=context.ids.item("bluesky", root) if root else None,
        url=url,
        canonical_url=canonical(url),
        author_hash=context.ids.author(
            "bluesky", words(author.get("did")) or (match[1] if match else "")
        ),
        text=text,
        lang=spoken(text, next(iter(rows(record.get("langs"))), None)),
        published_at=moment.at,
        published_raw=published_raw[:100],
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=moment.confidence,
        fetched_at=context.fetched_at,
        engagement=read_counts(
            replies=count(raw.get("replyCount")),
            reposts=count(raw.get("repostCount")),
            likes=count(raw.get("likeCount")),
            quotes=count(raw.get("quoteCount")),
        ),
        licence="platform-terms",
        origin=origin,
    )


def _described(record: Mapping[str, Any]) -> str:
    """The author's descriptions of the pictures of a post that has no other words."""
    embed = mapping(record.get("embed"))
    media = mapping(embed.get("media")) or embed
    pictures = rows(media.get("images")) or rows(media.get("items")) or [media]
    return tidy("\n".join(filter(None, (words(mapping(row).get("alt")) for row in pictures))))


def thread_posts(thread: object, report: Report) -> Iterator[Mapping[str, Any]]:
    """Every post view below the root of a thread, level by level; gone and blocked ones are refused."""
    level = [mapping(thread)]
    while level:
        below: list[Mapping[str, Any]] = []
        for node in level:
            for reply in rows(node.get("replies")):
                row = mapping(reply)
                if isinstance(row.get("post"), Mapping):
                    yield row["post"]
                    below.append(row)
                else:
                    report.refuse(words(row.get("uri")) or glimpse(reply), _gone(row))
        level = below


def _gone(row: Mapping[str, Any]) -> str:
    if row.get("notFound") or words(row.get("$type")).endswith("#notFoundPost"):
        return "deleted"
    if row.get("blocked") or words(row.get("$type")).endswith("#blockedPost"):
        return "blocked by its author"
    return "not a post"
