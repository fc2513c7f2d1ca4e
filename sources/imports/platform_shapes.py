"""The objects that social platforms send to their own pages, as browser captures keep them.

Each platform has several shapes: answers of its interface with names_like_this, states in a page with
namesLikeThis, and cards that hold a title only. One function a platform finds the words, ids and counts, and
says in a few words why an object has none. What they know is from captures, not from a specification:
a member that is absent or of another type is taken as not given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import unescape
from typing import Any, NamedTuple

from sources.imports.cells import part, parts, text_id

Data = Mapping[str, Any]


class Capture(NamedTuple):
    """One post or comment, as the platform wrote it; nothing is checked."""

    native: object
    """The platform's id."""
    text: object
    """Words of the body."""
    when: object = None
    """Publication: an epoch or text."""
    title: object = None
    """Headline of a post."""
    author: object = None
    """Account id."""
    comment: bool = False
    """Whether it is a comment and no post."""
    post: object = None
    """Id of the post that a comment belongs to, as far as it is known."""
    answers: object = None
    """Id of the comment that a comment answers."""
    url: str = ""
    """Address of a post, without tokens."""
    counts: Mapping[str, object] = {}
    """Engagement by our names."""


def captures_of(platform: str, data: Data) -> list[Capture] | str:
    """What a captured object holds, or why it holds nothing to read."""
    return _READERS[platform](data)


def _first(*values: object) -> Any:
    """The first value that is given; pages write `$undefined` where there is none."""
    for value in values:
        if value is not None and value != "" and value != "$undefined":
            return value
    return None


# -- Xiaohongshu ---------------------------------------------------------------------------------


def _xhs(data: Data) -> list[Capture] | str:
    if "sub_comment_count" in data or "subCommentCount" in data:
        return _xhs_comments(data)
    note = _first(part(data, "note_card"), part(data, "noteCard"), part(data, "note"), data)
    native = _first(
        data.get("id"), data.get("note_id"), part(note, "note_id"), part(note, "noteId")
    )
    likes = _first(part(note, "interact_info"), part(note, "interactInfo"), {})
    title = _first(part(note, "title"), part(note, "display_title"), part(note, "displayTitle"))
    text = part(note, "desc")
    if not title and not text:
        return "a card without words"
    user = part(note, "user")
    known = text_id(native)
    return [
        Capture(
            native=native,
            text=text,
            title=title,
            when=_first(part(note, "time"), _xhs_label(note)),
            author=_first(part(user, "user_id"), part(user, "userId"), part(user, "userid")),
            url=f"https://www.xiaohongshu.com/explore/{known}" if known and known.isalnum() else "",
            counts={
                "likes": _first(
                    part(likes, "liked_count"), part(likes, "likedCount"), part(note, "likes")
                ),
                "saves": _first(part(likes, "collected_count"), part(likes, "collectedCount")),
                "replies": _first(part(likes, "comment_count"), part(likes, "commentCount")),
                "reposts": _first(
                    part(likes, "shared_count"),
                    part(likes, "share_count"),
                    part(likes, "shareCount"),
                ),
            },
        )
    ]


def _xhs_label(note: object) -> object:
    """The date that a search result shows in its corner: 3天前, 06-27, 2025-11-02."""
    for tag in parts(_first(part(note, "corner_tag_info"), part(note, "cornerTagInfo"))):
        if tag.get("type") == "publish_time":
            return tag.get("text")
    return None


def _xhs_comments(data: Data, post: object = None, parent: object = None) -> list[Capture]:
    post = _first(data.get("note_id"), data.get("noteId"), post)
    own = data.get("id")
    user = _first(data.get("user_info"), data.get("userInfo"))
    target = _first(data.get("target_comment"), data.get("targetComment"))
    found = [
        Capture(
            native=own,
            text=data.get("content"),
            when=_first(data.get("create_time"), data.get("createTime")),
            author=_first(part(user, "user_id"), part(user, "userId")),
            comment=True,
            post=post,
            answers=_first(part(target, "id"), parent),
            counts={
                "likes": _first(data.get("like_count"), data.get("likeCount")),
                "replies": _first(data.get("sub_comment_count"), data.get("subCommentCount")),
            },
        )
    ]
    for reply in parts(_first(data.get("sub_comments"), data.get("subComments"))):
        found += _xhs_comments({**reply, "sub_comments": None, "subComments": None}, post, own)
    return found


# -- Douyin and TikTok ---------------------------------------------------------------------------


def _douyin(data: Data) -> list[Capture] | str:
    if _first(data.get("cid")):
        return _video_comment(data)
    room = _first(data.get("cell_room"), data.get("cellRoom"))
    if _first(data.get("rawdata"), part(room, "rawdata")):
        return "a live stream"
    counts = _first(data.get("statistics"), data.get("stats"), {})
    author = _first(data.get("author"), data.get("authorInfo"))
    native = _first(data.get("aweme_id"), data.get("awemeId"))
    known = text_id(native)
    return [
        Capture(
            native=native,
            text=data.get("desc"),
            when=_first(data.get("create_time"), data.get("createTime")),
            author=_first(
                data.get("author_user_id"), data.get("authorUserId"), part(author, "uid")
            ),
            url=f"https://www.douyin.com/video/{known}" if known and known.isdigit() else "",
            counts=_video_counts(counts),
        )
    ]


def _tiktok(data: Data) -> list[Capture] | str:
    if _first(data.get("cid")):
        return _video_comment(data)
    author = data.get("author")
    name = _first(part(author, "uniqueId"), part(author, "unique_id"), data.get("authorId"), author)
    native = _first(data.get("id"), data.get("aweme_id"))
    known = text_id(native)
    return [
        Capture(
            native=native,
            text=data.get("desc"),
            when=_first(data.get("createTime"), data.get("create_time")),
            author=_first(part(author, "id"), part(author, "uid"), name),
            # The address needs no account name to lead to the video.
            url=f"https://www.tiktok.com/@/video/{known}" if known and known.isdigit() else "",
            counts=_video_counts(
                _first(data.get("statsV2"), data.get("stats"), data.get("statistics"), {})
            ),
        )
    ]


def _video_counts(counts: object) -> dict[str, object]:
    if not isinstance(counts, Mapping):
        return {}

    def count(snake: str, camel: str) -> object:
        return _first(counts.get(snake), counts.get(camel))

    return {
        "likes": count("digg_count", "diggCount"),
        "replies": count("comment_count", "commentCount"),
        "reposts": count("share_count", "shareCount"),
        "saves": count("collect_count", "collectCount"),
        "views": count("play_count", "playCount"),
    }


def _video_comment(data: Data) -> list[Capture]:
    answered = _first(data.get("reply_to_reply_id"), "0")
    if str(answered) == "0":
        answered = _first(data.get("reply_id"), "0")
    return [
        Capture(
            native=data.get("cid"),
            text=data.get("text"),
            when=data.get("create_time"),
            author=_first(part(data, "user", "uid"), part(data, "user", "unique_id")),
            comment=True,
            post=data.get("aweme_id"),
            answers=None if str(answered) == "0" else answered,
            counts={
                "likes": data.get("digg_count"),
                "replies": _first(data.get("reply_comment_total"), data.get("reply_total")),
            },
        )
    ]


# -- X -------------------------------------------------------------------------------------------


def _x(data: Data) -> list[Capture] | str:
    data = _first(part(data, "tweet"), data)  # some are wrapped with who may see them
    legacy = part(data, "legacy")
    if part(data, "tombstone") is not None or not isinstance(legacy, Mapping):
        return "deleted or withheld"
    if legacy.get("retweeted_status_result") or legacy.get("retweeted_status_id_str"):
        return "a repost without own words"
    native = text_id(_first(data.get("rest_id"), legacy.get("id_str")))
    user = part(data, "core", "user_results", "result")
    answered = text_id(legacy.get("in_reply_to_status_id_str"))
    thread = text_id(legacy.get("conversation_id_str"))
    long = part(data, "note_tweet", "note_tweet_results", "result", "text")
    text = _first(long, legacy.get("full_text"))
    return [
        Capture(
            native=native,
            text=unescape(text) if isinstance(text, str) else None,
            when=legacy.get("created_at"),
            author=_first(legacy.get("user_id_str"), part(user, "rest_id")),
            comment=answered is not None,
            post=_first(thread, answered),
            answers=answered,
            url=f"https://x.com/i/status/{native}" if native and native.isdigit() else "",
            counts={
                "likes": legacy.get("favorite_count"),
                "reposts": legacy.get("retweet_count"),
                "replies": legacy.get("reply_count"),
                "quotes": legacy.get("quote_count"),
                "views": _first(part(data, "views", "count"), part(data, "ext_views", "count")),
            },
        )
    ]


_READERS: dict[str, Callable[[Data], list[Capture] | str]] = {
    "xhs": _xhs,
    "douyin": _douyin,
    "tiktok": _tiktok,
    "x": _x,
}
