"""Any CSV, TSV, JSON or JSON-lines table, by a column map: `table:text=内容;published=发布时间;id=编号`.

Without a map that of the settings (`collect.columns`) is used for files that have its columns, else the usual
English and Chinese column names are recognised. Fields: text (needed), title, published, id, url, author,
platform, kind, parent, likes, replies, reposts, views.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schemas import Item, ItemKind, Origin
from sources.base import Importer, Report, SourceContext, SourceError
from sources.counts import read_counts
from sources.imports.articles_json import ArticlesJson
from sources.imports.cells import is_cut, text_id, words
from sources.imports.mediacrawler import ALIASES, MediaCrawler
from sources.imports.ndjson import RedditArchive
from sources.imports.rows import SUFFIXES, Row, each_item, first_row, read_rows, shape_of, suffix_of
from sources.imports.societybench import VerifiedCsv
from sources.imports.streams import file_digest, head_of
from sources.imports.zeeschuimer import Zeeschuimer
from sources.language import language
from sources.text import headline
from sources.urls import canonical, is_web_address, site

FIELDS: dict[str, tuple[str, ...]] = {
    "text": ("text", "content", "body", "正文", "内容", "內容", "全文", "微博正文", "full_text", "message"),
    "title": ("title", "headline", "标题", "標題"),
    "published": (
        "published", "published_at", "date", "datetime", "created_at", "create_time", "created_utc", "timestamp",
        "time", "pubdate", "发布时间", "發布時間", "时间", "日期", "发布日期",
    ),
    "id": ("id", "native_id", "post_id", "编号", "mid", "bid"),
    "url": ("url", "link", "链接", "網址", "网址", "href"),
    "author": ("author", "user_id", "user", "username", "作者", "用户", "用户id", "user_name"),
    "platform": ("platform", "source", "平台", "来源"),
    "kind": ("kind", "type", "类型"),
    "parent": ("parent", "parent_id", "parent_comment_id"),
    "likes": ("likes", "like_count", "liked_count", "score", "点赞数", "点赞"),
    "replies": ("replies", "comment_count", "comments_count", "num_comments", "评论数"),
    "reposts": ("reposts", "share_count", "shared_count", "retweets", "转发数"),
    "views": ("views", "view_count", "阅读数", "播放量"),
}  # fmt: skip
_NEXT = re.compile(rf"\s*[,，；、|&\s]\s*(?=(?:{'|'.join(FIELDS)})\s*=)")
"""What stands between two assignments when it is not the semicolon."""
_KINDS: dict[str, ItemKind] = {
    "article": "article", "news": "article", "post": "post", "status": "post", "note": "post",
    "comment": "comment", "sub_comment": "comment", "reply": "comment", "文章": "article", "新闻": "article",
    "帖子": "post", "评论": "comment", "回复": "comment",
}  # fmt: skip


SHOWN_COLUMNS = 30
"""Columns listed in a message."""
_BETTER_KNOWN = (MediaCrawler, VerifiedCsv, ArticlesJson, RedditArchive, Zeeschuimer)
"""Formats whose rows have the usual columns of a table, and more."""


class Table(Importer):
    """A generic table."""

    name = "table"
    reads = "csv, tsv, json, jsonl with columns given as table:text=NAME;published=NAME or recognised by name"

    def __init__(self, context: SourceContext) -> None:
        super().__init__(context)
        self._given: dict[str, str] = {}

    def configure(self, options: str) -> None:
        """Set the column map from `field=column;field=column`; SourceError names what is wrong with it."""
        for part in filter(None, (piece.strip() for piece in options.split(";"))):
            field, mark, column = part.partition("=")
            if not mark or field.strip() not in FIELDS or not column.strip():
                raise SourceError(
                    f"the column map has {part!r}; write field=column with a field of {', '.join(FIELDS)}"
                )
            if _NEXT.search(part):
                right = ";".join(_NEXT.sub(";", piece.strip()) for piece in options.split(";"))
                raise SourceError(
                    f"the column map has {part!r}; part its assignments with semicolons: 'table:{right}'"
                )
            self._given[field.strip()] = column.strip()
        if "text" not in self._given:
            raise SourceError("the column map names no text column; add text=NAME")

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """A table with a column of words and one of dates, addresses or ids, and no better-known format."""
        row = first_row(path, head)
        if not row or b'"interactions"' in head[:4096]:
            return False
        if any(known.fits(path, head) for known in _BETTER_KNOWN):
            return False
        found = _columns(row, {})
        return "text" in found and bool({"published", "url", "id"} & found.keys())

    def read(self, path: Path) -> Iterator[Item]:
        """Yield a row's item; rows without words or with a damaged shape are refused.

        SourceError lists the columns when the map names one that no row has, or no row has one of words.
        The file is read twice: columns may appear in any row.
        """
        present: dict[str, None] = {}
        rows = 0
        for row in read_rows(path, Report()):
            present.update(dict.fromkeys(row.values))
            rows += 1
        self._check(path, list(present), rows)
        origin = Origin(source=self.name, file=path.name, digest=file_digest(path))
        columns_of: dict[tuple[str, ...], dict[str, str]] = {}

        def make(row: Row) -> Item | None:
            key = tuple(row.values)
            if key not in columns_of:
                columns_of[key] = _columns(row.values, self._given)
            columns = columns_of[key]
            if "text" not in columns:
                self.report.refuse(row.where, "no text column", f"columns are {_shown(list(key))}")
                return None
            return self._item(row, columns, origin)

        yield from each_item(read_rows(path, self.report), make, self.report)

    def _check(self, path: Path, present: list[str], rows: int) -> None:
        if not rows:
            if not shape_of(path, head_of(path, 4096)) and suffix_of(path) not in SUFFIXES:
                raise SourceError(
                    f"{path.name} is no csv, tsv, json or jsonl table; give one, or auto to have the format told"
                )
            self.report.refuse(path.name, "no rows", "a table without rows")
            return
        if not self._given:
            ours = self.context.setting("columns", {})
            if ours.get("text") in present:
                self._given = {field: ours[field] for field in ours if ours[field] in present}
        absent = [repr(column) for column in self._given.values() if column not in present]
        if absent:
            raise SourceError(
                f"{path.name} has no column {' and no column '.join(absent)}; "
                f"its columns are {_shown(present)}"
            )
        if "text" not in _columns(dict.fromkeys(present), self._given):
            raise SourceError(
                f"{path.name} has no column that is known to hold words; name it with table:text=NAME, "
                f"its columns are {_shown(present)}"
            )

    def _item(self, row: Row, columns: Mapping[str, str], origin: Origin) -> Item | None:
        def value(field: str) -> Any:
            return row.values.get(columns[field]) if field in columns else None

        text, title = words(value("text")), headline(words(value("title")))
        text = text or title
        if not text:
            self.report.refuse(row.where, "no words")
            return None
        url = str(value("url") or "").strip()
        url = url if is_web_address(url) else ""
        given = value("id")
        native = text_id(given)
        cut = columns.get("id") in row.cut and is_cut(given)
        if cut or (given not in (None, "") and native is None):
            self.report.refuse(row.where, "no usable id", "rounded by a spreadsheet")
            return None
        native = (
            native or canonical(url) or hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:20]
        )
        kind = _KINDS.get(str(value("kind") or "").strip().lower())
        platform = str(value("platform") or "").strip().lower()
        platform = ALIASES.get(platform, platform if platform.isidentifier() else "") or "table"
        if kind is None:
            kind = "article" if url and title and platform == "table" else "post"
        moment = self.context.time(value("published"), self.context.zone_of(url, language(text)))
        if moment.at is None:
            self.report.note(f"some rows have no readable date ({moment.note})")
        space = "comment" if kind == "comment" else ""
        known = columns.get("parent") not in row.cut or not is_cut(value("parent"))
        parent = text_id(value("parent")) if known else None
        ids = self.context.ids
        return Item(
            item_id=ids.item(platform, native, space),
            platform=platform,
            kind=kind,
            native_id=native,
            parent_id=ids.item(platform, parent) if parent and parent != "0" else None,
            url=url,
            canonical_url=canonical(url),
            author_hash=ids.author(platform, value("author")),
            publisher=site(url) if kind == "article" else "",
            title=title if title != text else "",
            text=text,
            lang=language(text),
            published_at=moment.at,
            published_raw=str(value("published") or "")[:200],
            precision=moment.precision,
            tz_source=moment.tz_source,
            confidence=moment.confidence,
            fetched_at=self.context.fetched_at,
            engagement=read_counts(
                likes=value("likes"),
                replies=value("replies"),
                reposts=value("reposts"),
                views=value("views"),
            ),
            licence="unknown",
            origin=origin,
        )


def _shown(columns: list[str]) -> str:
    """The first columns of a table for a message."""
    more = f" and {len(columns) - SHOWN_COLUMNS} more" if len(columns) > SHOWN_COLUMNS else ""
    return ", ".join(str(column) for column in columns[:SHOWN_COLUMNS]) + more


def _columns(row: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """Our field -> the row's column: as given, else the first usual name that the row has."""
    if given:
        return {field: column for field, column in given.items() if column in row}
    names = {str(column).strip().lower(): str(column) for column in row}
    return {
        field: names[usual]
        for field, usuals in FIELDS.items()
        for usual in [next((name for name in usuals if name in names), None)]
        if usual is not None
    }
