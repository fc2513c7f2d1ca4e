"""Browser captures of four platforms: each shape of their objects, and lines that hold nothing to read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas import Item
from sources.base import Refusal
from sources.imports.detect import detect
from tests.sources.reading import SECONDS, WHEN, read, reasons, registered

__all__ = ["registered"]

COLLECTED = datetime(2026, 3, 5, 3, 30, tzinfo=UTC)
PAGES = {
    "xhs": "xiaohongshu.com",
    "douyin": "douyin.com",
    "tiktok": "tiktok.com",
    "x": "twitter.com",
}


def line(platform: str, data: dict[str, Any], *, inside: bool = False) -> dict[str, Any]:
    """A line as the extension exports it, or with the envelope inside as 4CAT does."""
    envelope = {
        "nav_index": "1:1:0",
        "item_id": data.get("id"),
        "timestamp_collected": int(COLLECTED.timestamp() * 1000),
        "source_platform": platform,
        "source_platform_url": f"https://www.{platform}/search/@account?q=渡轮&xsec_token=SECRET",
        "source_url": "",
        "user_agent": "Mozilla/5.0",
    }
    return data | {"__import_meta": envelope} if inside else envelope | {"data": data}


def captured(tmp_path: Path, *rows: dict[str, Any]) -> tuple[list[Item], list[Refusal]]:
    path = tmp_path / "zeeschuimer-export.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert detect(path) == "zeeschuimer"
    return read(path)


XHS = {
    "id": "65e6c1d8000000000b01a2b3",
    "xsec_token": "SECRET",
    "note_card": {
        "display_title": "渡轮停航",
        "desc": "妈妈每天坐船上班 #渡轮[话题]#",
        "time": SECONDS * 1000,
        "user": {"user_id": "u1", "nickname": "某人"},
        "interact_info": {"liked_count": "1.2万", "collected_count": "3", "comment_count": "10+"},
    },
}
XHS_PAGE = {
    "id": "65e6c1d8000000000b01a2b4",
    "note": {
        "title": "渡轮停航",
        "desc": "我也在",
        "time": SECONDS * 1000,
        "user": {"userId": "u2", "nickname": "某人"},
        "interactInfo": {"likedCount": "12"},
    },
}
XHS_SEARCH = {
    "id": "65e6c1d8000000000b01a2b5",
    "note_card": {
        "display_title": "渡轮去哪了",
        "corner_tag_info": [{"type": "publish_time", "text": "3小时前"}],
        "user": {"user_id": "u3"},
        "interact_info": {"liked_count": "5"},
    },
}
DOUYIN = {
    "aweme_id": "7300000000000000123",
    "desc": "停航第一天",
    "create_time": SECONDS,
    "author": {"uid": "55", "sec_uid": "S", "nickname": "某人"},
    "statistics": {"digg_count": 12000, "comment_count": 10, "share_count": 2, "play_count": 0},
}
DOUYIN_PAGE = {
    "ZS_collected_from_embed": True,
    "awemeId": "7300000000000000124",
    "desc": "停航第二天",
    "createTime": SECONDS,
    "authorInfo": {"uid": "56"},
    "stats": {"diggCount": 7, "collectCount": "$undefined"},
    "cellRoom": "$undefined",
}
TIKTOK = {
    "id": "7300000000000000999",
    "desc": "the last ferry #ferry",
    "createTime": str(SECONDS),
    "author": {"id": "88", "uniqueId": "someone"},
    "stats": {"diggCount": 4, "commentCount": 1, "playCount": 100},
}
X = {
    "rest_id": "1900000000000000001",
    "core": {"user_results": {"result": {"rest_id": "9", "legacy": {"screen_name": "someone"}}}},
    "views": {"count": "1000"},
    "legacy": {
        "created_at": "Thu Mar 05 00:30:00 +0000 2026",
        "full_text": "Ferry &amp; bus both gone",
        "conversation_id_str": "1900000000000000001",
        "user_id_str": "9",
        "favorite_count": 3,
        "retweet_count": 1,
        "reply_count": 0,
        "quote_count": 0,
    },
}


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("platform", "data", "words", "counts"),
    [
        ("xhs", XHS, "妈妈每天坐船上班 #渡轮[话题]#", {"likes": 12000, "saves": 3, "replies": 10}),
        ("xhs", XHS_PAGE, "我也在", {"likes": 12}),
        ("xhs", XHS_SEARCH, "渡轮去哪了", {"likes": 5}),
        ("douyin", DOUYIN, "停航第一天", {"likes": 12000, "replies": 10, "reposts": 2, "views": 0}),
        ("douyin", DOUYIN_PAGE, "停航第二天", {"likes": 7}),
        ("tiktok", TIKTOK, "the last ferry #ferry", {"likes": 4, "replies": 1, "views": 100}),
        ("x", X, "Ferry & bus both gone", {"likes": 3, "reposts": 1, "replies": 0, "quotes": 0, "views": 1000}),
    ],
)  # fmt: skip
def test_each_shape_of_a_post_gives_its_words_time_and_counts(
    tmp_path: Path,
    platform: str,
    data: dict[str, Any],
    words: str,
    counts: dict[str, int],
    inside: bool,
) -> None:
    ((item,), refusals) = captured(tmp_path, line(PAGES[platform], data, inside=inside))
    assert not refusals
    assert (item.platform, item.kind, item.text) == (platform, "post", words)
    assert item.published_at == WHEN
    assert item.fetched_at == COLLECTED
    assert item.engagement == counts
    assert item.licence == "platform-terms"
    assert len(item.author_hash) == 16
    everything = item.model_dump_json()
    assert item.origin.query == "渡轮"
    assert "SECRET" not in everything
    assert "某人" not in everything


def test_comments_hang_on_their_post_and_replies_on_their_comment(tmp_path: Path) -> None:
    comment = {
        "id": "c1", "note_id": XHS["id"], "content": "太远了", "create_time": SECONDS * 1000, "like_count": "5",
        "sub_comment_count": "1", "user_info": {"user_id": "u9"},
        "sub_comments": [{"id": "c2", "content": "是啊", "create_time": SECONDS * 1000, "user_info": {"user_id": "u8"}}],
    }  # fmt: skip
    video = {"cid": "v1", "aweme_id": TIKTOK["id"], "text": "no!", "create_time": SECONDS, "reply_id": "0",
             "digg_count": 2, "reply_comment_total": 1, "user": {"uid": "5"}}  # fmt: skip
    answer = video | {"cid": "v2", "reply_id": "v1", "text": "yes"}
    items, refusals = captured(
        tmp_path,
        line("xiaohongshu.com", XHS),
        line("xiaohongshu-comments", comment),
        line("tiktok.com", TIKTOK),
        line("tiktok-comments", video),
        line("tiktok-comments", answer),
    )
    assert not refusals
    post, first, second, clip, third, fourth = items
    assert [item.kind for item in items] == ["post", *["comment"] * 2, "post", *["comment"] * 2]
    assert first.parent_id == first.root_id == second.root_id == post.item_id
    assert second.parent_id == first.item_id
    assert third.parent_id == third.root_id == fourth.root_id == clip.item_id
    assert fourth.parent_id == third.item_id
    assert first.engagement == {"likes": 5, "replies": 1}


def test_an_answer_on_x_hangs_on_what_it_answers(tmp_path: Path) -> None:
    legacy = X["legacy"] | {"in_reply_to_status_id_str": X["rest_id"]}  # type: ignore[operator]
    answer = {"tweet": X | {"rest_id": "1900000000000000002", "legacy": legacy}}
    (post, reply), _ = captured(tmp_path, line("twitter.com", X), line("x.com", answer))
    assert (post.kind, reply.kind) == ("post", "comment")
    assert reply.parent_id == reply.root_id == post.item_id


@pytest.mark.parametrize(
    ("platform", "data", "reason"),
    [
        ("xiaohongshu.com", {"id": "65e6", "cover": {"url": "https://x"}}, "a card without words"),
        ("xiaohongshu.com", XHS | {"id": None}, "no usable id"),
        ("douyin.com", {"aweme_id": "1", "rawdata": "{}"}, "a live stream"),
        ("douyin.com", DOUYIN | {"desc": ""}, "no words"),
        ("twitter.com", {"rest_id": "1", "tombstone": {}}, "deleted or withheld"),
        ("twitter.com", X | {"legacy": {"retweeted_status_result": {"result": {}}}}, "a repost without own words"),
        ("imgur.com", {"id": "1", "title": "x"}, "platform not read"),
        ("tiktok.com", TIKTOK | {"desc": {"a": 1}}, "no words"),
        ("tiktok.com", TIKTOK | {"id": 7.3e18}, "no usable id"),
    ],
)  # fmt: skip
def test_what_holds_nothing_to_read_is_refused_with_its_line(
    tmp_path: Path, platform: str, data: dict[str, Any], reason: str
) -> None:
    items, refusals = captured(tmp_path, line("tiktok.com", TIKTOK), line(platform, data))
    assert len(items) == 1
    assert reasons(refusals) == {reason: 1}
    assert refusals[0].item.endswith(".ndjson:2")


def test_objects_longer_than_what_detection_reads_are_told_by_their_envelope(
    tmp_path: Path,
) -> None:
    long = line("tiktok.com", TIKTOK | {"contents": ["x" * 1000] * 200})
    ((item,), _) = captured(tmp_path, long)
    assert item.native_id == TIKTOK["id"]
    inside = line("tiktok.com", {"contents": ["x" * 1000] * 30} | TIKTOK, inside=True)
    ((item,), _) = captured(tmp_path, inside)
    assert item.native_id == TIKTOK["id"]
