"""Any CSV, TSV, JSON or JSON-lines table, by a column map: `table:text=内容;published=发布时间;id=编号`.

Without a map that of the settings (`collect.columns`) is used for files that have its column of words. Fields that no map
names are recognised by the usual English and Chinese names of columns; both are in `sources.imports.columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from schemas import Item, ItemKind, Origin
from sources.base import Importer, Report, SourceContext, SourceError, make_item
from sources.counts import counts_at
from sources.deletions import is_mark
from sources.imports.articles_json import ArticlesJson
from sources.imports.cells import is_cut, text_id, words
from sources.imports.columns import FIELDS, NOTHING, BadMap, columns_of, read_map, times_of
from sources.imports.crawls import crawl_time, published
from sources.imports.day_and_clock import written_time
from sources.imports.mediacrawler import MediaCrawler
from sources.imports.ndjson import RedditArchive
from sources.imports.rows import SUFFIXES, Row, each_item, first_row, read_rows, shape_of, suffix_of
from sources.imports.societybench import VerifiedCsv
from sources.imports.standins import Places, words_id
from sources.imports.streams import file_digest, head_of, holds_any
from sources.imports.zeeschuimer import Zeeschuimer
from sources.language import language
from sources.platforms import NEWS, PLATFORMS
from sources.text import headline
from sources.urls import canonical, is_web_address, site, without_tokens

_KINDS: dict[str, ItemKind] = {
    "article": "article", "news": "article", "post": "post", "status": "post", "note": "post",
    "comment": "comment", "sub_comment": "comment", "reply": "comment", "文章": "article", "新闻": "article",
    "帖子": "post", "评论": "comment", "回复": "comment",
}  # fmt: skip
_COUNTS = ("likes", "replies", "reposts", "views")
_HEAD = 65_536
"""Bytes in which a heading is looked for."""
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
        self._comments: frozenset[int] = frozenset()
        """What rows of the file that answer another may find among its comments."""
        self._places = Places()

    def configure(self, options: str) -> None:
        """Set the column map from `field=column;field=column`; SourceError names what is wrong with it."""
        try:
            self._given = read_map(options)
        except BadMap as error:
            raise SourceError(str(error)) from error

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """A table with a column of words and one of dates, addresses or ids, and no better-known format."""
        row = first_row(path, head)
        if not row or b'"interactions"' in head[:4096]:
            return False
        if any(known.fits(path, head) for known in _BETTER_KNOWN):
            return False
        found = columns_of(row, {})
        return "text" in found and bool({"published", "url", "id"} & found.keys())

    def check(self, path: Path) -> None:
        """SourceError when the heading of a csv or tsv lacks a column of the map."""
        head = head_of(path, _HEAD)
        columns = list(first_row(path, head))
        if columns and shape_of(path, head) == "csv":
            self._take_settings(path, columns)
            self._check(path, columns, 1)

    def read(self, path: Path) -> Iterator[Item]:
        """Yield a row's item; rows without words, with a mark of deletion or a damaged shape are refused.

        SourceError lists the columns when the map names one that no row has, or no row has one of words. The file
        is read ahead as far as that takes, and to its end when rows answer others.
        """
        self._look_ahead(path)
        self._places = Places()
        origin = Origin(source=self.name, file=path.name, digest=file_digest(path))
        makers: dict[tuple[str, ...], Callable[[Row], Item | None]] = {}

        def make(row: Row) -> Item | None:
            key = tuple(row.values)
            maker = makers.get(key)
            if maker is None:
                maker = makers[key] = self._maker(row.values, origin)
            return maker(row)

        yield from each_item(read_rows(path, self.report), make, self.report)

    # -- what the file has -----------------------------------------------------------------------

    def _look_ahead(self, path: Path) -> None:
        """Check the columns, and find the comments that other rows may answer."""
        ours = {} if self._given else dict(self.context.setting("columns", {}))
        wanted = set((self._given or ours).values()) - {NOTHING}
        present: dict[str, None] = {}
        rows = 0
        for row in read_rows(path, Report()):
            rows += 1
            if row.values.keys() <= present.keys():
                continue
            present.update(dict.fromkeys(row.values))
            if wanted <= present.keys() and (wanted or "text" in columns_of(present, {})):
                break
        self._take_settings(path, present)
        self._check(path, list(present), rows)
        if self._answers(path, present):
            self._comments = self._find_comments(path)

    def _take_settings(self, path: Path, present: Collection[str]) -> None:
        """Use the map of the settings when the file has its column of words and no other map was given."""
        ours = {} if self._given else dict(self.context.setting("columns", {}))
        if ours.get("text") in present:
            known = {*present, NOTHING}
            self._given = {field: ours[field] for field in ours if ours[field] in known}
            missing = [column for column in ours.values() if column not in known]
            if missing:
                self.report.note(f"{path.name} lacks {', '.join(missing)} of collect.columns")

    def _answers(self, path: Path, present: Mapping[str, Any]) -> bool:
        """Whether rows may say what they answer; those of JSON may be the only ones with that column."""
        if "parent" in columns_of(present, self._given):
            return True
        if shape_of(path, head_of(path, 4096)) == "csv" or "parent" in self._given:
            return False
        return holds_any(path, [f'"{name}"'.encode() for name in FIELDS["parent"]])

    def _check(self, path: Path, present: list[str], rows: int) -> None:
        if not rows:
            if not shape_of(path, head_of(path, 4096)) and suffix_of(path) not in SUFFIXES:
                raise SourceError(
                    f"{path.name} is no csv, tsv, json or jsonl table; give one, or auto to have the format told"
                )
            self.report.refuse(path.name, "no rows", "a table without rows")
            return
        known = {*present, NOTHING}
        absent = [repr(column) for column in self._given.values() if column not in known]
        if absent:
            raise SourceError(
                f"{path.name} has no column {' and no column '.join(absent)}; "
                f"its columns are {_shown(present)}"
            )
        if "text" not in columns_of(dict.fromkeys(present), self._given):
            raise SourceError(
                f"{path.name} has no column that is known to hold words; name it with table:text=NAME, "
                f"its columns are {_shown(present)}"
            )

    def _find_comments(self, path: Path) -> frozenset[int]:
        """The comments of a file whose ids no post of it has, as hashes: a parent of that id is a comment."""
        found: dict[bool, set[int]] = {True: set(), False: set()}
        for row in read_rows(path, Report()):
            columns = columns_of(row.values, self._given)
            native = text_id(row.values.get(columns.get("id", "")))
            if native is not None:
                kind = _KINDS.get(
                    str(row.values.get(columns.get("kind", "")) or "").strip().lower()
                )
                platform = _platform(row.values.get(columns.get("platform", "")))
                found[kind == "comment"].add(hash((platform or "table", native)))
        return frozenset(found[True] - found[False])

    # -- rows ------------------------------------------------------------------------------------

    def _maker(self, row: Mapping[str, Any], origin: Origin) -> Callable[[Row], Item | None]:
        """How rows with these columns become items."""
        columns = columns_of(row, self._given)
        if "text" not in columns:
            return partial(self._refuse_columns, _shown(list(row)))
        counts = {name: columns[name] for name in _COUNTS if name in columns}
        times = times_of(row, columns)
        return partial(self._item, columns=columns, counts=counts, times=times, origin=origin)

    def _refuse_columns(self, shown: str, row: Row) -> None:
        self.report.refuse(row.where, "no text column", f"columns are {shown}")

    def _item(
        self,
        row: Row,
        *,
        columns: Mapping[str, str],
        counts: Mapping[str, str],
        times: list[str],
        origin: Origin,
    ) -> Item | None:
        values, context = row.values, self.context
        text, title = words(values[columns["text"]]), ""
        if "title" in columns:
            title = headline(words(values[columns["title"]]))
        if is_mark(text) or is_mark(title):
            self.report.refuse(row.where, "deleted", text or title)
            return None
        text = text or title
        if not text:
            self.report.refuse(row.where, "no words")
            return None

        def value(field: str) -> Any:
            return values[columns[field]] if field in columns else None

        url = str(value("url") or "").strip()
        url = without_tokens(url) if is_web_address(url) else ""
        given = value("id")
        native = text_id(given)
        cut = bool(row.cut) and columns.get("id") in row.cut and is_cut(given)
        if cut or (given not in (None, "") and native is None):
            self.report.refuse(row.where, "no usable id", "rounded by a spreadsheet")
            return None
        address, ids = canonical(url), context.ids
        named = value("platform")
        platform = _platform(named) or "table"
        kind = _KINDS.get(str(value("kind") or "").strip().lower())
        if kind is None:
            kind = "article" if url and title and platform in NEWS else "post"
        crawled = crawl_time(value("crawled"), context)
        raw = value("published")
        lang = language(text)
        zone = context.zone_of(url, lang)
        if len(times) > 1:
            raw, moment = written_time(
                [values[column] for column in times],
                lambda cell: published(cell, crawled, context, zone),
            )
        else:
            moment = published(raw, crawled, context, zone)
        if moment.at is None:
            self.report.note(f"some rows have no readable date ({moment.note})")
        author = ids.author(platform, value("author"))
        if native is None and url and kind != "article":
            native = self._places.id_of(url, author=author, moment=moment)
        elif native is None:
            native = address or words_id(
                title, text, author=author, raw=raw, moment=moment, where=row.where
            )
        parent, root = self._answered(row, columns, platform)
        return make_item(
            {
                "item_id": ids.item(platform, native, "comment")
                if kind == "comment"
                else ids.item_once(platform, native),
                "platform": platform,
                "kind": kind,
                "native_id": native,
                "parent_id": parent,
                "root_id": root,
                "url": url,
                "canonical_url": address,
                "author_hash": author,
                "publisher": _outlet(value("publisher"), named, url) if kind == "article" else "",
                "title": title if title != text else "",
                "text": text,
                "lang": lang,
                "published_at": moment.at,
                "published_raw": str(raw or "")[:200],
                "precision": moment.precision,
                "tz_source": moment.tz_source,
                "confidence": moment.confidence,
                "fetched_at": crawled or context.fetched_at,
                "engagement": counts_at(values, counts),
                "licence": "unknown",
                "origin": origin,
            }
        )

    def _answered(
        self, row: Row, columns: Mapping[str, str], platform: str
    ) -> tuple[str | None, str | None]:
        """Item ids of what a row answers and, when a row names both its comment and its post, of the post."""

        def of(field: str) -> str | None:
            column = columns.get(field)
            if column is None or (column in row.cut and is_cut(row.values[column])):
                return None
            found = text_id(row.values[column])
            return None if found == "0" else found

        ids, parent, comment = self.context.ids, of("parent"), of("answers")
        if comment is not None:
            post = ids.item(platform, parent) if parent is not None else None
            return ids.item(platform, comment, "comment"), post
        if parent is None:
            return None, None
        among = self._comments and hash((platform, parent)) in self._comments
        return ids.item(platform, parent, "comment" if among else ""), None


def _platform(value: object) -> str:
    """Our name of the platform that a cell names; empty when it names none that is known."""
    return PLATFORMS.get(str(value).strip().lower(), "") if value else ""


def _outlet(named: object, source: object, url: str) -> str:
    """Who published an article: as a column says, which may hold an outlet or a platform, else its site."""
    for value in (named, source):
        text = words(value)
        if text and not _platform(text):
            return (site(text) if is_web_address(text) else text)[:200]
    return site(url)


def _shown(columns: list[str]) -> str:
    """The first columns of a table for a message."""
    more = f" and {len(columns) - SHOWN_COLUMNS} more" if len(columns) > SHOWN_COLUMNS else ""
    return ", ".join(str(column) for column in columns[:SHOWN_COLUMNS]) + more
