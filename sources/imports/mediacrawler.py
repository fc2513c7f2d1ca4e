"""Exports of MediaCrawler: posts and comments of seven Chinese platforms as JSON, JSON lines, CSV or SQLite.

The format is known from its files; no code of it is used. Times are seconds on some platforms and
milliseconds on others, counts may read "1.2万", ids have 19 digits, re-runs append duplicates.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schemas import Item, Origin
from sources.base import Importer, SourceError, digest, read_bytes
from sources.counts import read_counts
from sources.imports.rows import first_row, read_rows, suffix_of, text_id
from sources.text import headline, language, plain, tidy
from sources.urls import canonical


@dataclass(frozen=True)
class Shape:
    """How one platform names its columns."""

    post: str
    """Column of the post's id, in posts and in comments."""
    times: tuple[str, ...]
    """Columns of the publication time, the first that is filled counts."""
    texts: tuple[str, ...]
    """Columns of the post's body, the first that is filled counts."""
    counts: Mapping[str, str]
    """Our name of a count -> its column in posts."""
    url: str
    """Column of the post's address."""
    tables: tuple[str, str]
    """Names of its two SQLite tables."""
    marks: frozenset[str]
    """Columns that only this platform's posts have."""
    comment_likes: str = "like_count"
    """Column of a comment's likes."""
    comment_marks: frozenset[str] = frozenset()
    """Columns that only this platform's comments have."""


SHAPES: dict[str, Shape] = {
    "xhs": Shape(
        "note_id", ("time", "create_time"), ("desc",),
        {"likes": "liked_count", "saves": "collected_count", "replies": "comment_count", "reposts": "share_count"},
        "note_url", ("xhs_note", "xhs_note_comment"), frozenset({"note_url", "tag_list", "collected_count", "time"}),
        comment_marks=frozenset({"pictures"}),
    ),
    "douyin": Shape(
        "aweme_id", ("create_time",), ("desc",),
        {"likes": "liked_count", "saves": "collected_count", "replies": "comment_count", "reposts": "share_count"},
        "aweme_url", ("douyin_aweme", "douyin_aweme_comment"), frozenset({"aweme_id"}),
        comment_marks=frozenset({"aweme_id"}),
    ),
    "bilibili": Shape(
        "video_id", ("create_time",), ("desc",),
        {"likes": "liked_count", "views": "video_play_count", "replies": "video_comment", "danmaku": "video_danmaku",
         "saves": "video_favorite_count", "reposts": "video_share_count"},
        "video_url", ("bilibili_video", "bilibili_video_comment"), frozenset({"video_play_count", "video_danmaku"}),
        comment_marks=frozenset({"sub_comment_count", "video_id"}),
    ),
    "weibo": Shape(
        "note_id", ("create_time", "create_date_time"), ("content",),
        {"likes": "liked_count", "replies": "comments_count", "reposts": "shared_count"},
        "note_url", ("weibo_note", "weibo_note_comment"), frozenset({"comments_count", "shared_count"}),
        comment_likes="comment_like_count", comment_marks=frozenset({"comment_like_count"}),
    ),
    "zhihu": Shape(
        "content_id", ("created_time", "publish_time"), ("content_text", "desc"),
        {"likes": "voteup_count", "replies": "comment_count"},
        "content_url", ("zhihu_content", "zhihu_comment"), frozenset({"content_id", "voteup_count"}),
        comment_marks=frozenset({"content_id"}),
    ),
    "tieba": Shape(
        "note_id", ("publish_time",), ("desc",),
        {"replies": "total_replay_num"},
        "note_url", ("tieba_note", "tieba_comment"), frozenset({"total_replay_num", "tieba_name"}),
        comment_marks=frozenset({"tieba_name"}),
    ),
    "kuaishou": Shape(
        "video_id", ("create_time",), ("desc",),
        {"likes": "liked_count", "views": "viewd_count"},
        "video_url", ("kuaishou_video", "kuaishou_video_comment"), frozenset({"viewd_count"}),
    ),
}  # fmt: skip
ALIASES = {
    "xhs": "xhs", "xiaohongshu": "xhs", "douyin": "douyin", "dy": "douyin", "bili": "bilibili",
    "bilibili": "bilibili", "weibo": "weibo", "wb": "weibo", "zhihu": "zhihu", "tieba": "tieba",
    "kuaishou": "kuaishou", "ks": "kuaishou",
}  # fmt: skip
_POST_IDS = frozenset(shape.post for shape in SHAPES.values())
_SQLITE = b"SQLite format 3\x00"


def platform_of(path: Path, columns: frozenset[str]) -> str | None:
    """The platform of a table: posts by columns that only one has, else by a folder or file name.

    Comments of several platforms have the same columns, so there the name is believed first.
    """
    named = _named(path, columns)
    if "comment_id" in columns:
        return named or _only(columns, lambda shape: shape.comment_marks)
    return _only(columns, lambda shape: shape.marks) or named


def _named(path: Path, columns: frozenset[str]) -> str | None:
    for part in list(reversed(path.parts))[:4]:
        for token in re.split(r"[^a-z]+", part.lower()):
            name = ALIASES.get(token)
            if name and SHAPES[name].post in columns:
                return name
    return None


def _only(columns: frozenset[str], marks: Callable[[Shape], frozenset[str]]) -> str | None:
    found = [
        name
        for name, shape in SHAPES.items()
        if shape.post in columns
        and marks(shape)
        and len(marks(shape) & columns) >= min(2, len(marks(shape)))
    ]
    return found[0] if len(found) == 1 else None


def _is_export(columns: frozenset[str]) -> bool:
    crawl = {"last_modify_ts", "source_keyword", "add_ts", "creator_hash"} & columns
    if "comment_id" in columns:
        return bool(_POST_IDS & columns) and "content" in columns
    return bool(_POST_IDS & columns) and bool(crawl or {"liked_count", "voteup_count"} & columns)


class MediaCrawler(Importer):
    """One exported file or database."""

    name = "mediacrawler"
    reads = "MediaCrawler json, jsonl, csv and sqlite of xhs, douyin, bilibili, weibo, zhihu, tieba, kuaishou"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """A table with a platform's id columns, or a database with its tables."""
        if head.startswith(_SQLITE):
            return bool(_tables(path))
        return _is_export(frozenset(first_row(path, head)))

    def read(self, path: Path) -> Iterator[Item]:
        """Yield posts and comments. A row that gives no item is refused with its place and reason."""
        with path.open("rb") as stream:
            database = stream.read(16) == _SQLITE
        if database:
            yield from self._database(path)
            return
        if suffix_of(path) not in {".json", ".jsonl", ".csv"}:
            raise SourceError(
                f"{path.name} is no json, jsonl, csv or sqlite file of MediaCrawler; give one of its exports, "
                "or auto to have the format told"
            )
        mark = digest(read_bytes(path))
        kept = 0
        platforms: dict[frozenset[str], str | None] = {}
        for row in read_rows(path, self.report):
            columns = frozenset(row.values)
            if columns not in platforms:
                platforms[columns] = platform_of(path, columns)
            platform = platforms[columns]
            if platform is None:
                self.report.refuse(
                    row.where, "platform unknown", "name the folder after it, as weibo/"
                )
                continue
            item = self._item(platform, row.values, row.where, path, mark)
            if item is not None:
                kept += 1
                yield item
        self.report.end("ok" if kept else "empty")

    def _database(self, path: Path) -> Iterator[Item]:
        mark = digest(read_bytes(path))
        try:
            connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error as error:
            raise SourceError(f"{path.name} cannot be opened as SQLite ({error})") from error
        try:
            connection.row_factory = sqlite3.Row
            for table, platform in _tables(path).items():
                kept = 0
                for number, row in enumerate(connection.execute(f'SELECT * FROM "{table}"'), 1):
                    where = f"{path.name}:{table}:{number}"
                    item = self._item(platform, dict(row), where, path, mark)
                    if item is not None:
                        kept += 1
                        yield item
                self.report.end("ok" if kept else "empty")
        except sqlite3.DatabaseError as error:
            raise SourceError(f"{path.name} is a damaged database ({error})") from error
        finally:
            connection.close()

    def _item(
        self, platform: str, row: Mapping[str, Any], where: str, path: Path, mark: str
    ) -> Item | None:
        shape = SHAPES[platform]
        comment = bool(row.get("comment_id"))
        native = text_id(row.get("comment_id" if comment else shape.post))
        post = text_id(row.get(shape.post))
        if native is None or post is None:
            self.report.refuse(where, "no usable id", "absent, or rounded by a spreadsheet")
            return None
        title = "" if comment else headline(_words(row.get("title")))
        bodies = ("content",) if comment else shape.texts
        text = next((words for name in bodies if (words := _words(row.get(name)))), "") or title
        if not text:
            self.report.refuse(where, "no words")
            return None
        context = self.context
        crawled = context.time(row.get("last_modify_ts"))
        fetched = crawled.at or context.fetched_at
        raw = next((row[name] for name in self._times(shape, comment) if row.get(name)), None)
        moment = replace(context, fetched_at=fetched).time(raw)
        if moment.at is None:
            self.report.note(f"some times cannot be read ({moment.note})")
        parent = text_id(row.get("parent_comment_id"))
        ids = context.ids
        counts = (
            {"likes": row.get(shape.comment_likes), "replies": row.get("sub_comment_count")}
            if comment
            else {ours: row.get(theirs) for ours, theirs in shape.counts.items()}
        )
        root = ids.item(platform, post)
        answers = (
            ids.item(platform, parent, "comment")
            if parent not in (None, "0", "") and parent
            else root
        )
        url = "" if comment else str(row.get(shape.url) or "")
        return Item(
            item_id=ids.item(platform, native, "comment") if comment else root,
            platform=platform,
            kind="comment" if comment else "post",
            native_id=native,
            parent_id=answers if comment else None,
            root_id=root if comment else None,
            url=url,
            canonical_url=canonical(url),
            author_hash=ids.author(platform, row.get("user_id") or row.get("creator_hash")),
            title=title if title != text else "",
            text=text,
            lang=language(text),
            published_at=moment.at,
            published_raw="" if raw is None else str(raw),
            precision=moment.precision,
            tz_source=moment.tz_source,
            confidence=moment.confidence,
            fetched_at=fetched,
            engagement=read_counts(**counts),
            licence="platform-terms",
            origin=Origin(
                source=self.name,
                query=str(row.get("source_keyword") or ""),
                file=path.name,
                digest=mark,
            ),
        )

    @staticmethod
    def _times(shape: Shape, comment: bool) -> tuple[str, ...]:
        return ("create_time", "publish_time", "created_time") if comment else shape.times


def _words(value: object) -> str:
    text = "" if value is None else str(value)
    return plain(text) if "<" in text and ">" in text else tidy(text)


def _tables(path: Path) -> dict[str, str]:
    """Tables of a database that belong to a platform, in a stable order; empty when it cannot be read."""
    known = {table: name for name, shape in SHAPES.items() for table in shape.tables}
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        try:
            rows = connection.execute(
                "SELECT name FROM sqlite_master WHERE type='table'"
            ).fetchall()
        finally:
            connection.close()
    except sqlite3.Error:
        return {}
    present = {row[0] for row in rows}
    return {table: name for table, name in known.items() if table in present}
