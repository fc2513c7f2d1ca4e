"""YouTube's videos and comments as items, from the Data API's JSON, one at a time.

A video is a post: its title and description. `textOriginal` is a comment's plain text; where only `textDisplay`
is given, it is markup.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from schemas import Item, ItemKind, Origin
from sources.base import Report, SourceContext
from sources.counts import read_counts
from sources.language import language
from sources.lenient import glimpse, mapping, words
from sources.spoken import Language, spoken
from sources.text import headline, plain, tidy
from sources.urls import canonical

PLATFORM = "youtube"
_ID = re.compile(r"[A-Za-z0-9_.=-]{1,200}")
_COUNT = re.compile(r"\d{1,12}")


def count(value: object) -> int | None:
    """A count as the API writes it: digits in a string, or a number; none for anything else."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if _COUNT.fullmatch(text) else None


def video_id(raw: object) -> str:
    """The id of a video resource or of a search result; empty for channels, playlists and anything else."""
    native = mapping(raw).get("id")
    if isinstance(native, Mapping):
        native = native.get("videoId")
    return native if isinstance(native, str) and _ID.fullmatch(native) else ""


def video_item(
    raw: object, context: SourceContext, report: Report, *, origin: Origin
) -> Item | None:
    """A video, or a search result of one, as a post. Never raises for its content."""
    native = video_id(raw)
    snippet = mapping(mapping(raw).get("snippet"))
    if not native or not snippet:
        report.refuse(native or glimpse(raw), "not a video")
        return None
    title = headline(words(snippet.get("title")))
    text = tidy(words(snippet.get("description"))) or title
    if not text:
        report.refuse(native, "no words")
        return None
    statistics = mapping(mapping(raw).get("statistics"))
    return _item(
        native,
        snippet,
        context,
        kind="post",
        origin=origin,
        url=f"https://www.youtube.com/watch?v={native}",
        author=words(snippet.get("channelId")),
        title=title,
        text=text,
        lang=spoken(
            f"{title}\n{text}",
            words(snippet.get("defaultAudioLanguage")) or words(snippet.get("defaultLanguage")),
        ),
        engagement=read_counts(
            views=count(statistics.get("viewCount")),
            likes=count(statistics.get("likeCount")),
            replies=count(statistics.get("commentCount")),
        ),
    )


def comment_item(
    raw: object,
    context: SourceContext,
    report: Report,
    *,
    origin: Origin,
    video: str,
    replies: object = None,
) -> Item | None:
    """A comment or a reply as a comment below its video. Never raises for its content."""
    native = mapping(raw).get("id")
    snippet = mapping(mapping(raw).get("snippet"))
    if not isinstance(native, str) or not _ID.fullmatch(native) or not snippet:
        report.refuse(words(native) or glimpse(raw), "not a comment")
        return None
    status = snippet.get("moderationStatus")
    if status not in (None, "published"):
        report.refuse(native, "held back by moderators")
        return None
    text = tidy(words(snippet.get("textOriginal"))) or plain(words(snippet.get("textDisplay")))
    if not text:
        report.refuse(native, "no words")
        return None
    edited = words(snippet.get("updatedAt")) not in ("", words(snippet.get("publishedAt")))
    if edited:
        report.note("some comments were edited after publication; only their last wording is known")
    return _item(
        native,
        snippet,
        context,
        kind="comment",
        origin=origin,
        url=f"https://www.youtube.com/watch?v={video}&lc={native}",
        author=words(mapping(snippet.get("authorChannelId")).get("value"))
        or words(snippet.get("authorChannelUrl")).rpartition("/")[2],
        text=text,
        lang=language(text),
        parent=words(snippet.get("parentId")) or video,
        root=video,
        edited=edited,
        engagement=read_counts(likes=count(snippet.get("likeCount")), replies=count(replies)),
    )


def _item(
    native: str,
    snippet: Mapping[str, Any],
    context: SourceContext,
    *,
    kind: ItemKind,
    origin: Origin,
    url: str,
    author: str,
    text: str,
    lang: Language,
    engagement: dict[str, int],
    title: str = "",
    parent: str = "",
    root: str = "",
    edited: bool = False,
) -> Item:
    raw = words(snippet.get("publishedAt"))
    moment = context.time(raw, "UTC")
    return Item(
        item_id=context.ids.item(PLATFORM, native),
        platform=PLATFORM,
        kind=kind,
        native_id=native,
        parent_id=context.ids.item(PLATFORM, parent) if parent else None,
        root_id=context.ids.item(PLATFORM, root) if root else None,
        url=url,
        canonical_url=canonical(url),
        author_hash=context.ids.author(PLATFORM, author),
        title=title,
        text=text,
        lang=lang,
        published_at=moment.at,
        published_raw=raw[:100],
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=min(moment.confidence, 0.6) if edited else moment.confidence,
        fetched_at=context.fetched_at,
        engagement=engagement,
        licence="platform-terms",
        origin=origin,
    )
