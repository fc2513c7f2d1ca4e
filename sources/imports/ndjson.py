"""Archives of Reddit: dumps and downloads of Arctic Shift and Pushshift, one submission or comment a line.

A thing may be scanned several times, in one file or in several. The latest scan counts, with two exceptions:
a scan that found `[removed]`, because moderators or a filter had taken the text away, never replaces an
earlier text, and a thing that any scan found deleted by its author is dropped from all of them, as are
takedowns by Reddit itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from schemas import Item, Origin
from sources.base import Importer, Refusal, SourceContext, SourceError
from sources.imports.cells import part, text_id
from sources.imports.rows import Row, each_item, first_row, read_rows, shape_of
from sources.imports.streams import file_digest, lines_holding
from sources.reddit_json import thing_item
from sources.times import read_instant

_AUTHOR = frozenset({"deleted", "author"})
"""How `removal_type` and `removed_by_category` say that the author deleted a thing."""
_TAKEDOWNS = frozenset(
    {
        "removed by reddit",
        "reddit",
        "content_takedown",
        "copyright_takedown",
        "anti_evil_ops",
        "community_ops",
        "legal",
    }
)
_LONGEST_MARK = 100
"""Characters, with blanks around, that a platform's mark in the place of a text has at most."""
_SCANS = ("retrieved_on", "retrieved_utc", "retrieved_at")


class RedditArchive(Importer):
    """One dump."""

    name = "reddit-archive"
    reads = "Arctic Shift and Pushshift dumps of Reddit: NDJSON of submissions or comments, also .zst and .gz"

    def __init__(self, context: SourceContext) -> None:
        super().__init__(context)
        self.gone: frozenset[str] | None = None
        """Full names that the files of the import say were deleted by their authors; none when it has one file."""

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """Rows of Reddit's own members."""
        row = first_row(path, head)
        return {"subreddit", "created_utc", "id"} <= row.keys() and (
            "body" in row or "selftext" in row or "title" in row
        )

    @classmethod
    def withdrawn(cls, path: Path) -> set[str]:
        """Full names (t1_..., t3_...) of what a file says was deleted by its author; empty when it is damaged."""
        found = set()
        try:
            for line in lines_holding(path, b"deleted"):
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):  # the reading pass refuses the line
                    continue
                if isinstance(row, dict) and _fate(row) == "deleted by its author":
                    found.add(_full_name(row))
        except SourceError:
            pass  # the reading pass says so
        return found

    def read(self, path: Path) -> Iterator[Item]:
        """Yield what is there to read; deleted and removed rows are refused and so counted."""
        if shape_of(path, b"{") != "lines":
            raise SourceError(
                f"{path.name} is no NDJSON file of Reddit posts; give a dump of Arctic Shift or Pushshift, "
                "plain, .zst or .gz"
            )
        gone = frozenset(self.withdrawn(path)) if self.gone is None else self.gone
        origin = Origin(source=self.name, file=path.name, digest=file_digest(path))
        yield from each_item(
            read_rows(path, self.report), lambda row: self._item(row, origin, gone), self.report
        )

    def _item(self, row: Row, origin: Origin, gone: frozenset[str]) -> Item | None:
        data, report = row.values, self.report
        if text_id(data.get("id")) is None or not _is_thing(data):
            report.refuse(row.where, "no submission or comment", f"it has {sorted(data)[:8]}")
            return None
        name = _full_name(data)
        fate = "deleted by its author" if name in gone else _fate(data)
        if fate:
            report.refuse(row.where, fate, name)
            return None
        if data.get("stickied"):
            report.note("some posts were pinned when they were scanned")
        if "_meta" in data and part(data, "_meta", "was_deleted_later"):
            report.note(
                "some posts were removed by moderators after the scan that holds their text"
            )
        before = len(report.refusals)
        if data.get("removed_by_category"):
            data = {key: value for key, value in data.items() if key != "removed_by_category"}
        item = thing_item(
            name[:2],
            _unescaped(data),
            self.context,
            report,
            origin=origin,
            fetched_at=self._scanned(data),
        )
        if len(report.refusals) == before:
            return item
        report.refusals[before:] = [
            Refusal(row.where, refusal.reason, f"{refusal.item} {refusal.detail}".strip())
            for refusal in report.refusals[before:]
        ]
        return item

    def _scanned(self, data: Mapping[str, Any]) -> datetime:
        """When the thing was last looked at, as far as the row says."""
        last, now = None, self.context.fetched_at
        for value in (*map(data.get, _SCANS), part(data.get("_meta"), "retrieved_2nd_on")):
            at = read_instant(value, fetched_at=now, zone="UTC") if value else None
            if at is not None and (last is None or at > last):
                last = at
        return last or now


_WRITTEN = ("title", "selftext", "body")
"""Members that people wrote."""
_ESCAPES = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ESCAPE = re.compile("|".join(_ESCAPES))


def _unescaped(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A thing with its words as they were written: archives keep the three escapes of Reddit's answers.

    They are resolved once: who writes of `&lt;` is stored with `&amp;lt;`.
    """
    found = {
        name: _ESCAPE.sub(lambda escape: _ESCAPES[escape[0]], text)
        for name in _WRITTEN
        if isinstance(text := data.get(name), str) and "&" in text
    }
    return {**data, **found} if found else data


def _is_thing(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("body", row.get("selftext", row.get("title"))), str)


def _full_name(row: Mapping[str, Any]) -> str:
    return f"{'t1' if 'body' in row else 't3'}_{row.get('id')}"


def _fate(row: Mapping[str, Any]) -> str:
    """Why the words of a row may not be used; nothing when they may."""
    words = _mark(row["body"] if "body" in row else row.get("selftext"))
    title = _mark(row.get("title"))
    found = part(row.get("_meta"), "removal_type"), row.get("removed_by_category")
    if not (words or title or any(found)):
        return ""
    causes = {str(cause).lower() for cause in found if cause}
    if causes & _AUTHOR or "[deleted]" in (words, title) or title == "[deleted by user]":
        return "deleted by its author"
    if causes & _TAKEDOWNS or "[ removed by reddit ]" in (words, title):
        return "taken down by Reddit"
    return "removed" if "[removed]" in (words, title) else ""


def _mark(words: object) -> str:
    """A text that may be a mark of deletion, in lower case; else nothing."""
    text = words if isinstance(words, str) else str(words or "")
    return text.strip().lower() if len(text) < _LONGEST_MARK and "[" in text else ""
