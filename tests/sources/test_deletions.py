"""Marks of deletion: whole texts only, in every importer, dropped and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sources.deletions import is_mark
from tests.sources.reading import SECONDS, read, reasons

MARKS = [
    "[deleted]", "[removed]", " [Deleted] ", "[deleted by user]", "[ removed by reddit ]", "该评论已被删除", "该评论已删除",
    "该条评论已被up主删除", "该内容已被作者删除", "此微博已被作者删除。", "该回答已被删除", "抱歉，此微博已被作者删除。查看帮助：http://t.cn/Rfd3rQV",
    "抱歉，根据作者设置的微博可见时间范围设置，此微博已不可见", "该微博因被多人投诉，根据《微博社区公约》，已被删除。", "评论已被删除",
    "This post has been removed", "This comment was deleted by its author.", "This Post was deleted by the Post author. Learn more",
    "This tweet is no longer available.", "deleted by creator",
]  # fmt: skip
WORDS = [
    "", "deleted", "删除", "已删除好友", "有人说该评论已被删除，其实没有", "他的微博已被删除，大家都在问为什么", "[deleted] was right about it",
    "This post has been removed from the wall by the mayor himself", "I deleted the app, it is no longer available",
    "该内容已被作者删除？我看不是，是被平台删的", "请删除该评论", "评论区已经翻车了", "The council removed the post.",
]  # fmt: skip


@pytest.mark.parametrize("text", MARKS)
def test_what_a_platform_writes_in_the_place_of_a_text_is_a_mark(text: str) -> None:
    assert is_mark(text)


@pytest.mark.parametrize("text", WORDS)
def test_words_about_a_deletion_are_words(text: str) -> None:
    assert not is_mark(text)


EXPORTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "mediacrawler": (
        "weibo.jsonl",
        {"note_id": "1", "content": "x", "create_time": SECONDS, "comments_count": "1", "shared_count": "1",
         "last_modify_ts": SECONDS * 1000},
        "content",
    ),
    "table": ("t.jsonl", {"id": "1", "text": "x", "published": "2026-03-05"}, "text"),
    "societybench": (
        "v.jsonl",
        {"platform": "wb", "type": "post", "id": "1", "parent_id": "", "content": "x", "create_time": "2026-03-05",
         "source_keyword": "k"},
        "content",
    ),
    "articles": (
        "a.json",
        {"url": "https://a.example/1", "title": "t", "content": "x", "date": "2026-03-05"},
        "content",
    ),
    "reddit-archive": (
        "r.ndjson",
        {"subreddit": "s", "created_utc": SECONDS, "id": "a", "body": "x", "link_id": "t3_a", "parent_id": "t3_a"},
        "body",
    ),
}  # fmt: skip


@pytest.mark.parametrize("format_", EXPORTS)
def test_deleted_rows_are_dropped_and_counted_by_every_importer(
    tmp_path: Path, format_: str
) -> None:
    name, row, column = EXPORTS[format_]
    mark = "[removed]" if format_ == "reddit-archive" else "该内容已被作者删除"
    id_ = next(key for key in ("note_id", "id", "url") if key in row)
    gone = row | {column: mark, id_: row[id_] + "2"}
    path = tmp_path / name
    values = [row, gone]
    path.write_text(
        json.dumps(values) if name.endswith(".json") else "\n".join(map(json.dumps, values)),
        encoding="utf-8",
    )
    items, refusals = read(path, format_)
    assert [item.text for item in items] == ["x"]
    assert sum(reasons(refusals).values()) == 1
    assert refusals[0].reason in ("deleted", "removed")
    assert refusals[0].item in (f"{name}:2", f"{name}#2")
