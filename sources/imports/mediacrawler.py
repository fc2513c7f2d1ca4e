"""Exports of MediaCrawler: posts and comments of seven Chinese platforms as JSON, JSON lines, CSV or SQLite.

The format is known from its files; no code of it is used. Times are seconds on some platforms and
milliseconds on others, counts may read "1.2万", ids have 19 digits, re-runs append duplicates.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from schemas import Item, Origin
from sources.base import Importer, SourceError, make_item
from sources.counts import counts_at
from sources.deletions import is_mark
from sources.imports.cells import is_cut, text_id, words
from sources.imports.crawls import UNCRAWLED
from sources.imports.rows import Row, each_item, first_row, read_rows, shape_of
from sources.imports.streams import file_digest, head_of, unpacked
from sources.language import language
from sources.text import headline
from sources.times import Moment, read_instant, read_time
from sources.urls import canonical, without_tokens


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
    ids: re.Pattern[str] | None = None
    """Form of its posts' ids that no other platform with this column has; it tells comments apart."""

    @cached_property
    def comment_counts(self) -> Mapping[str, str]:
        """Our name of a count -> its column in comments."""
        return {"likes": self.comment_likes, "replies": "sub_comment_count"}


SHAPES: dict[str, Shape] = {
    "xhs": Shape(
        "note_id", ("time", "create_time"), ("desc",),
        {"likes": "liked_count", "saves": "collected_count", "replies": "comment_count", "reposts": "share_count"},
        "note_url", ("xhs_note", "xhs_note_comment"), frozenset({"note_url", "tag_list", "collected_count", "time"}),
        comment_marks=frozenset({"pictures"}), ids=re.compile(r"[0-9a-f]{24}"),
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
        comment_marks=frozenset({"parent_comment_id", "like_count", "sex"}),
        ids=re.compile(r"BV[0-9A-Za-z]{10}"),
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
        ids=re.compile(r"3x[0-9a-z]+"),
    ),
}  # fmt: skip
ALIASES = {
    "xhs": "xhs", "xiaohongshu": "xhs", "douyin": "douyin", "dy": "douyin", "bili": "bilibili",
    "bilibili": "bilibili", "weibo": "weibo", "wb": "weibo", "zhihu": "zhihu", "tieba": "tieba",
    "kuaishou": "kuaishou", "ks": "kuaishou",
}  # fmt: skip
_POST_IDS = frozenset(shape.post for shape in SHAPES.values())
_FORMS = tuple((name, shape.post, shape.ids) for name, shape in SHAPES.items() if shape.ids)
_SQLITE = b"SQLite format 3\x00"


def platforms_of(path: Path) -> Callable[[Mapping[str, Any]], str | None]:
    """The platform of a file's rows: posts by columns that only one has, else by a folder or file name.

    Comments of several platforms have the same columns (Kuaishou has none that Bilibili lacks), so there the form
    of the post's id is believed first, then the name, then columns that only one has.
    """

    @cache
    def told(columns: tuple[str, ...]) -> str | None:
        present = frozenset(columns)
        named = _named(path, present)
        if "comment_id" in present:
            return named or _only(present, lambda shape: shape.comment_marks)
        return _only(present, lambda shape: shape.marks) or named

    def platform(row: Mapping[str, Any]) -> str | None:
        return ("comment_id" in row and _by_id(row)) or told(tuple(row))

    return platform


def _by_id(row: Mapping[str, Any]) -> str | None:
    for name, column, form in _FORMS:
        if form.fullmatch(text_id(row.get(column)) or ""):
            return name
    return None


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


def _candidates(row: Mapping[str, Any]) -> str:
    """What a row of an unknown platform could be, and how to say what it is."""
    found = [name for name, shape in SHAPES.items() if shape.post in row] or ["weibo"]
    return (
        f"it could be of {' or '.join(found)}; name the folder after its platform, as {found[-1]}/"
    )


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
            try:
                with _opened(path) as connection:
                    return bool(_tables(connection))
            except (sqlite3.Error, SourceError):  # whoever names the format is told of the damage
                return False
        return _is_export(frozenset(first_row(path, head)))

    def read(self, path: Path) -> Iterator[Item]:
        """Yield posts and comments. A row that gives no item is refused with its place and reason."""
        head = head_of(path, 4096)
        if head.startswith(_SQLITE):
            yield from self._database(path)
            return
        if not shape_of(path, head):
            raise SourceError(
                f"{path.name} is no json, jsonl, csv or sqlite file of MediaCrawler; give one of its exports, "
                "or auto to have the format told"
            )
        origin = self._origins(path)
        platform_of = platforms_of(path)

        def make(row: Row) -> Item | None:
            platform = platform_of(row.values)
            if platform is None:
                self.report.refuse(row.where, "platform unknown", _candidates(row.values))
                return None
            return self._item(platform, row, origin)

        yield from each_item(read_rows(path, self.report), make, self.report)

    def _database(self, path: Path) -> Iterator[Item]:
        origin = self._origins(path)
        try:
            with _opened(path) as connection:
                connection.row_factory = sqlite3.Row
                for table, platform in _tables(connection).items():
                    make = partial(self._item, platform, origin=origin)
                    yield from each_item(_table_rows(connection, table, path), make, self.report)
        except sqlite3.Error as error:
            raise SourceError(
                f"{path.name} is a damaged or locked database ({error}); copy or export it again"
            ) from error

    def _item(self, platform: str, source: Row, origin: Callable[[str], Origin]) -> Item | None:
        shape, row = SHAPES[platform], source.values
        comment = (
            "comment_id" in row
        )  # which no post has: with an empty one the row is still no post
        post = text_id(row.get(shape.post))
        native = text_id(row["comment_id"]) if comment else post
        rounded = source.cut and any(
            name in source.cut and is_cut(row.get(name))
            for name in (("comment_id", shape.post) if comment else (shape.post,))
        )
        if native is None or post is None or rounded:
            self.report.refuse(source.where, "no usable id", "absent, or rounded by a spreadsheet")
            return None
        title = "" if comment or not row.get("title") else headline(words(row["title"]))
        text = _first_words(row, _COMMENT_TEXTS if comment else shape.texts)
        if is_mark(text) or (title and is_mark(title)):
            self.report.refuse(source.where, "deleted", native)
            return None
        text = text or title
        if not text:
            self.report.refuse(source.where, "no words")
            return None
        context = self.context
        crawled = read_instant(
            row.get("last_modify_ts"), fetched_at=context.fetched_at, zone=context.zone
        )
        fetched = crawled or context.fetched_at
        raw = _filled(row, _COMMENT_TIMES if comment else shape.times)
        at, precision, tz_source, confidence, note = read_time(
            raw, fetched_at=fetched, zone=context.zone_of(lang="zh")
        )
        if tz_source == "relative" and crawled is None:
            at, precision, tz_source, confidence, note = Moment(note=UNCRAWLED)
        if at is None:
            self.report.note(f"some times cannot be read ({note})")
        ids = context.ids
        if comment:
            item_id, root = ids.item(platform, native, "comment"), ids.item(platform, post)
            above = row.get("parent_comment_id")
            cut = "parent_comment_id" in source.cut and is_cut(above)
            parent = None if cut else text_id(above)
            answers = ids.item(platform, parent, "comment") if parent and parent != "0" else root
        else:
            item_id, root, answers = ids.item_once(platform, post), None, None
        url = "" if comment else without_tokens(str(row.get(shape.url) or ""))
        return make_item(
            {
                "item_id": item_id,
                "platform": platform,
                "kind": "comment" if comment else "post",
                "native_id": native,
                "parent_id": answers,
                "root_id": root,
                "url": url,
                "canonical_url": canonical(url),
                "author_hash": ids.author(platform, row.get("user_id") or row.get("creator_hash")),
                "title": title if title != text else "",
                "text": text,
                "lang": language(text),
                "published_at": at,
                "published_raw": "" if raw is None else str(raw)[:200],
                "precision": precision,
                "tz_source": tz_source,
                "confidence": confidence,
                "fetched_at": fetched,
                "engagement": counts_at(row, shape.comment_counts if comment else shape.counts),
                "licence": "platform-terms",
                "origin": origin(str(row.get("source_keyword") or "")),
            }
        )

    def _origins(self, path: Path) -> Callable[[str], Origin]:
        """The origin of a file's rows by the query that found them; rows of one query stand together."""
        make = partial(Origin, source=self.name, file=path.name, digest=file_digest(path))
        return lru_cache(_QUERIES)(lambda query: make(query=query))


_QUERIES = 16
"""Queries whose origin is kept while a file is read."""
_COMMENT_TIMES = ("create_time", "publish_time", "created_time")
_COMMENT_TEXTS = ("content",)


def _filled(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these columns that has one."""
    for name in names:
        if value := row.get(name):
            return value
    return None


def _first_words(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        if text := words(row.get(name)):
            return text
    return ""


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A database, packed or not. SourceError when what is packed is damaged or too large."""
    with unpacked(path) as plain, closing(_open(plain)) as connection:
        yield connection


def _open(path: Path) -> sqlite3.Connection:
    """A database for reading only. Its journal, if it has one, is read too; else the file is taken as it is."""
    journal = path.with_name(path.name + "-wal")
    live = journal.is_file() and journal.stat().st_size > 0
    mode = "mode=ro" if live else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", errors="replace")
    return connection


def _tables(connection: sqlite3.Connection) -> dict[str, str]:
    """Tables of a database that belong to a platform, in a stable order."""
    known = {table: name for name, shape in SHAPES.items() for table in shape.tables}
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
    present = {row[0] for row in rows}
    return {table: name for table, name in known.items() if table in present}


def _table_rows(connection: sqlite3.Connection, table: str, path: Path) -> Iterator[Row]:
    for number, row in enumerate(connection.execute(f'SELECT * FROM "{table}"'), 1):
        yield Row(f"{path.name}:{table}:", number, dict(row))
