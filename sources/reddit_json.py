"""Reddit's things (t3 submissions, t1 comments) as items, from the client or from recorded listings.

Only `created_utc` is read: `created` is in the server's local time. Deleted and removed text is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from schemas import Item, Origin
from sources.base import Report, SourceContext
from sources.counts import counts_of
from sources.deletions import BRACKETED
from sources.language import language
from sources.lenient import words
from sources.text import headline, tidy
from sources.times import read_time
from sources.urls import absolute, canonical


def is_gone(text: str) -> bool:
    """Whether a text is the platform's mark of a deletion."""
    return "[" in text and text.strip().lower() in BRACKETED


def thing_item(
    fullname_kind: str,
    data: Mapping[str, Any],
    context: SourceContext,
    report: Report,
    *,
    origin: Origin,
    fetched_at: datetime | None = None,
) -> Item | None:
    """One t3 or t1 as an item. Deleted, removed or wordless things are refused with the reason.

    `fetched_at` is when the thing was looked at, where that is not the context's instant.
    """
    fetched_at = fetched_at or context.fetched_at
    ids = context.ids
    native = words(f"{fullname_kind}_{data.get('id', '')}")
    post = fullname_kind == "t3"
    title = headline(words(data.get("title"))) if post else ""
    text = tidy(words(data.get("selftext" if post else "body")))
    if is_gone(text) or is_gone(title) or data.get("removed_by_category"):
        report.refuse(native, "deleted")
        return None
    text = text or title
    if not text or not data.get("id"):
        report.refuse(native, "no words")
        return None
    author, subreddit = words(data.get("author")), words(data.get("subreddit"))
    score = data.get("score")
    if isinstance(score, int | float) and score < 0:
        score = 0
    moment = read_time(data.get("created_utc"), fetched_at=fetched_at, zone="UTC")
    link = words(data.get("permalink"))
    url = absolute("https://www.reddit.com/", link) if link else ""
    parent = "" if post else words(str(data.get("parent_id") or ""))
    root = "" if post else words(str(data.get("link_id") or ""))
    if data.get("edited"):
        report.note("some posts were edited after publication; only their last wording is known")
    return Item(
        item_id=ids.item("reddit", native),
        platform="reddit",
        kind="post" if post else "comment",
        native_id=native,
        parent_id=ids.item("reddit", parent) if parent else None,
        root_id=ids.item("reddit", root) if root else None,
        url=url,
        canonical_url=canonical(url),
        author_hash=ids.author("reddit", author),
        publisher=f"r/{subreddit}" if subreddit else "",
        title=title,
        text=text,
        lang=language(text),
        published_at=moment.at,
        published_raw=words(str(data.get("created_utc") or "")),
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=min(moment.confidence, 0.6) if data.get("edited") else moment.confidence,
        fetched_at=fetched_at,
        engagement=counts_of({"likes": score or 0, "replies": data.get("num_comments")}),
        licence="platform-terms",
        origin=origin,
    )


def is_listing(value: object) -> bool:
    """Whether a JSON value holds Reddit things: a listing, a thread (two listings) or a morechildren answer."""
    if isinstance(value, list):
        return bool(value) and all(is_listing(part) for part in value)
    if not isinstance(value, Mapping):
        return False
    if value.get("kind") == "Listing":
        return isinstance(value.get("data"), Mapping)
    inner = value.get("json")
    return (
        isinstance(inner, Mapping)
        and isinstance(inner.get("data"), Mapping)
        and isinstance(inner["data"].get("things"), list)
    )


def walk_things(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every (kind, data) of t3 and t1 in a listing, thread or morechildren answer, replies included."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
            continue
        if not isinstance(node, Mapping):
            continue
        data = node.get("data")
        kind = node.get("kind")
        if kind in ("t1", "t3") and isinstance(data, Mapping):
            yield str(kind), data
            stack.append(data.get("replies"))
        elif kind == "Listing" and isinstance(data, Mapping):
            stack.append(data.get("children"))
        elif isinstance(node.get("json"), Mapping):
            inner = node["json"].get("data")
            if isinstance(inner, Mapping):
                stack.append(inner.get("things"))
