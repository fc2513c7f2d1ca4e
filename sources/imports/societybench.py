"""Posts as SocietyBench's pipeline hands them on: the CSV of posts, comments and answers to comments that a
model found relevant, from seven Chinese platforms.

One row has `type` post, comment or sub_comment; `parent_id` is the post, `parent_comment_id` the comment that a
sub_comment answers. `create_time` is text in UTC+8, or the epoch that could not be read there: seconds or
milliseconds. Counts may read "1.2万". Where a person was (`ip_location`) and the person's name are not taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schemas import Item, Origin
from sources.base import Importer
from sources.counts import read_counts
from sources.deletions import is_mark
from sources.imports.cells import is_cut, text_id, words
from sources.imports.crawls import published
from sources.imports.mediacrawler import ALIASES
from sources.imports.rows import Row, each_item, first_row, read_rows
from sources.imports.streams import file_digest
from sources.language import language
from sources.text import headline
from sources.times import Moment
from sources.urls import canonical, is_web_address, without_tokens

_COLUMNS = frozenset({"platform", "type", "id", "parent_id", "content", "create_time"})
_OWN = frozenset({"parent_comment_id", "create_timestamp", "source_keyword"})
_ZONE = "Asia/Shanghai"
"""The pipeline writes all times in it."""


class VerifiedCsv(Importer):
    """One hand-over file."""

    name = "societybench"
    reads = "the verified CSV of SocietyBench's pipeline: platform, type, id, parent_id, content, create_time, ..."

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """A table with the pipeline's columns."""
        columns = first_row(path, head).keys()
        return columns >= _COLUMNS and bool(_OWN & columns)

    def read(self, path: Path) -> Iterator[Item]:
        """Yield posts and comments."""
        mark = file_digest(path)
        yield from each_item(
            read_rows(path, self.report), lambda row: self._item(row, path, mark), self.report
        )

    def _item(self, row: Row, path: Path, mark: str) -> Item | None:
        values = row.values
        platform = ALIASES.get(str(values.get("platform") or "").strip().lower())
        kind = str(values.get("type") or "").strip().lower()
        if platform is None or kind not in ("post", "comment", "sub_comment"):
            what = ", ".join(str(values.get(name) or f"no {name}") for name in ("platform", "type"))
            self.report.refuse(row.where, "unknown platform or type", what)
            return None
        native = _id(row, "id")
        parent, answered = _id(row, "parent_id"), _id(row, "parent_comment_id")
        if native is None or None in (parent, answered):
            self.report.refuse(row.where, "no usable id", "absent, or rounded by a spreadsheet")
            return None
        if kind != "post" and not parent:
            self.report.refuse(row.where, "a comment without its post")
            return None
        title = headline(words(values.get("title"))) if kind == "post" else ""
        text = words(values.get("content"))
        if is_mark(text) or is_mark(title):
            self.report.refuse(row.where, "deleted", native)
            return None
        text = text or title
        if not native or not text:
            self.report.refuse(row.where, "no words" if native else "no usable id")
            return None
        moment, raw = self._when(values)
        if moment.at is None:
            self.report.note(f"some times cannot be read ({moment.note})")
        ids = self.context.ids
        comment = kind != "post"
        root = ids.item(platform, parent or "") if comment else None
        url = str(values.get("url") or "").strip()
        url = without_tokens(url) if is_web_address(url) else ""
        return Item(
            item_id=ids.item(platform, native, "comment" if comment else ""),
            platform=platform,
            kind="comment" if comment else "post",
            native_id=native,
            parent_id=ids.item(platform, answered, "comment") if comment and answered else root,
            root_id=root,
            url="" if comment else url,
            canonical_url="" if comment or not url else canonical(url),
            author_hash=ids.author(platform, values.get("user_id")),
            title=title if title != text else "",
            text=text,
            lang=language(text),
            published_at=moment.at,
            published_raw=raw,
            precision=moment.precision,
            tz_source=moment.tz_source,
            confidence=moment.confidence,
            fetched_at=self.context.fetched_at,
            engagement=read_counts(
                likes=values.get("liked_count"),
                replies=values.get("comment_count"),
                reposts=values.get("share_count"),
            ),
            licence="platform-terms",
            origin=Origin(
                source=self.name,
                query=words(values.get("source_keyword")),
                file=path.name,
                digest=mark,
            ),
        )

    def _when(self, values: Mapping[str, Any]) -> tuple[Moment, str]:
        """The publication time, from the epoch first because it names no zone."""
        found = Moment(note="no date")
        for name in ("create_timestamp", "create_time"):
            raw = str(values.get(name) or "").strip()[:200]
            moment = published(raw, None, self.context, _ZONE)
            if moment.at is not None:
                return moment, raw
            found = moment if raw else found
        return found, str(values.get("create_time") or "").strip()[:200]


def _id(row: Row, column: str) -> str | None:
    """An id of the row; empty when the cell is, none when a spreadsheet rounded it."""
    value = row.values.get(column)
    if value is None or str(value).strip() in ("", "0"):
        return ""
    return None if column in row.cut and is_cut(value) else text_id(value)
