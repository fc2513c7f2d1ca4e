"""The columns of a table: our fields, the names that they usually have, and maps that name them otherwise.

A map is `text=内容;published=发布时间` on the command line, or `collect.columns` in the settings; both are held against
the same fields. It imports nothing of its own kind, so that the settings can be checked without the importers.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from typing import Any

FIELDS: dict[str, tuple[str, ...]] = {
    "text": ("text", "content", "body", "正文", "内容", "內容", "全文", "微博正文", "full_text", "message"),
    "title": ("title", "headline", "标题", "標題"),
    "published": (
        "published", "published_at", "date", "datetime", "created_at", "create_time", "created_utc", "timestamp",
        "time", "pubdate", "发布时间", "發布時間", "时间", "時間", "日期", "发布日期", "發布日期",
    ),
    "crawled": (
        "crawled", "crawled_at", "crawl_time", "fetched_at", "fetch_time", "collected_at", "scraped_at",
        "scrape_time", "retrieved_at", "last_modify_ts", "抓取时间", "抓取時間", "采集时间", "採集時間", "爬取时间",
    ),
    "id": ("id", "native_id", "post_id", "编号", "mid", "bid"),
    "url": ("url", "link", "链接", "網址", "网址", "href"),
    "author": ("author", "user_id", "user", "username", "作者", "用户", "用户id", "user_name"),
    "platform": ("platform", "source", "平台", "来源"),
    "publisher": ("publisher", "outlet", "source", "媒体", "媒体名称", "来源", "來源"),
    "kind": ("kind", "type", "类型"),
    "parent": ("parent", "parent_id"),
    "answers": ("parent_comment_id", "reply_to_comment_id"),
    "likes": ("likes", "like_count", "liked_count", "score", "点赞数", "点赞"),
    "replies": ("replies", "comment_count", "comments_count", "num_comments", "评论数"),
    "reposts": ("reposts", "share_count", "shared_count", "retweets", "转发数"),
    "views": ("views", "view_count", "阅读数", "播放量"),
}  # fmt: skip
"""Our field -> its usual columns, in lower case, the first that a table has counts."""
_NEXT = re.compile(rf"\s*[,，；、|&\s]\s*(?=(?:{'|'.join(FIELDS)})\s*=)")
"""What stands between two assignments when it is not the semicolon."""


NOTHING = "-"
"""Given in the place of a column: the field is left out, whatever the table has."""


class BadMap(ValueError):
    """A column map that cannot be used; the message is a sentence without its full stop."""


def check_map(columns: Mapping[str, str]) -> None:
    """BadMap names a field that is none, with the nearest one, or one without a column."""
    for field, column in columns.items():
        if field not in FIELDS:
            near = difflib.get_close_matches(field, FIELDS, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise BadMap(f"there is no field {field!r}{hint}; fields are {', '.join(FIELDS)}")
        if not column.strip():
            raise BadMap(
                f"the field {field!r} has no column; name the one that holds it, or leave it out"
            )


def read_map(options: str) -> dict[str, str]:
    """A map from `field=column;field=column`; BadMap names what is wrong with it."""
    found: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in options.split(";"))):
        field, mark, column = (word.strip() for word in part.partition("="))
        if not mark or not column or field not in FIELDS:
            near = difflib.get_close_matches(field, FIELDS, n=1) if mark and column else []
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise BadMap(
                f"the column map has {part!r}{hint}; write field=column with a field of {', '.join(FIELDS)}"
            )
        if _NEXT.search(part):
            right = ";".join(_NEXT.sub(";", piece.strip()) for piece in options.split(";"))
            raise BadMap(
                f"the column map has {part!r}; part its assignments with semicolons: 'table:{right}'"
            )
        found[field] = column
    if "text" not in found:
        raise BadMap("the column map names no text column; add text=NAME")
    return found


def columns_of(row: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """Our field -> the row's column: as given, and for other fields the first usual name that the row has.

    A column that is given for a field is taken for no other.
    """
    names = _names(row, given.values())
    found = {
        field: names[usual]
        for field, usuals in FIELDS.items()
        if field not in given
        for usual in [next((name for name in usuals if name in names), None)]
        if usual is not None
    }
    return found | {field: column for field, column in given.items() if column in row}


def times_of(row: Mapping[str, Any], columns: Mapping[str, str]) -> list[str]:
    """The row's columns of the publication time, that of our field first, then what else is usually called so."""
    if "published" not in columns:
        return []
    names = _names(row, columns.values())
    return [columns["published"], *(names[name] for name in FIELDS["published"] if name in names)]


def _names(row: Mapping[str, Any], without: Collection[str]) -> dict[str, str]:
    """Columns of a row by their names in lower case."""
    return {str(column).strip().lower(): str(column) for column in row if column not in without}
