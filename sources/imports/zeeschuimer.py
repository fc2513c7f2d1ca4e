"""Captures of the browser extension Zeeschuimer, as it exports them or as 4CAT hands them on: NDJSON.

A line has an envelope (when, on which page, from which platform) around the object that the platform sent to
its own page, which `platform_shapes` reads. 4CAT puts the envelope inside the object, as `__import_meta`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from schemas import Item, Origin
from sources.base import Importer, make_item
from sources.counts import counts_of
from sources.deletions import is_mark
from sources.imports.cells import text_id, words
from sources.imports.crawls import crawl_time, published
from sources.imports.platform_shapes import Capture, captures_of
from sources.imports.rows import Row, first_row, read_rows, shape_of
from sources.imports.rows import each_item as items_of
from sources.imports.streams import file_digest
from sources.language import language
from sources.text import headline
from sources.urls import canonical

_ENVELOPE = frozenset({"item_id", "timestamp_collected", "source_platform"})
_PLATFORMS = {
    "xiaohongshu": "xhs",
    "rednote": "xhs",
    "douyin": "douyin",
    "tiktok": "tiktok",
    "twitter": "x",
    "x": "x",
}
"""A word of the envelope's platform -> our name."""
_SEARCHES = ("keyword", "q", "query", "search_query")
"""Parameters of a page's address that hold its search words."""


class Zeeschuimer(Importer):
    """One capture file."""

    name = "zeeschuimer"
    reads = "Zeeschuimer and 4CAT captures (.ndjson) of xhs, douyin, tiktok and x, with comments"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """Lines with the extension's envelope, outside the captured object or inside it."""
        if shape_of(path, head) != "lines":
            return False
        row = first_row(path, head)
        return (
            len(_ENVELOPE & row.keys()) >= 2
            or isinstance(row.get("__import_meta"), Mapping)
            or (b'"__import_meta"' in head and b'"source_platform' in head)
        )

    def read(self, path: Path) -> Iterator[Item]:
        """Yield the captured posts and comments, the replies that a comment brought along after it."""
        origin = partial(Origin, source=self.name, file=path.name, digest=file_digest(path))
        by_page = lru_cache(_PAGES)(lambda page: origin(query=_page(page)))
        rows = self._captured(read_rows(path, self.report))
        make = partial(self._item, origin=by_page)
        yield from items_of(rows, make, self.report)

    def _captured(self, rows: Iterator[Row]) -> Iterator[Row]:
        """One row for each post or comment: the envelope as `meta`, what was read as `capture`."""
        for row in rows:
            inside = row.values.get("__import_meta")
            outside = row.values.get("data")
            meta = inside if isinstance(inside, Mapping) else row.values
            data = row.values if isinstance(inside, Mapping) else outside
            platform = _platform(str(meta.get("source_platform") or ""))
            if not isinstance(data, Mapping):
                self.report.refuse(row.where, "damaged row", "a line without a captured object")
                continue
            if not platform:
                what = str(meta.get("source_platform"))
                self.report.refuse(row.where, "platform not read", what[:100])
                continue
            found = captures_of(platform, data)
            if isinstance(found, str):
                self.report.refuse(row.where, found, platform)
                continue
            for capture in found:
                values = {"platform": platform, "meta": meta, "capture": capture}
                yield Row(row.file, row.number, values, row.cut)

    def _item(self, row: Row, origin: Callable[[str], Origin]) -> Item | None:
        platform, meta = row.values["platform"], row.values["meta"]
        capture: Capture = row.values["capture"]
        native, post = text_id(capture.native), text_id(capture.post)
        comment = capture.comment
        title = headline(words(capture.title))
        text = words(capture.text)
        if is_mark(text) or is_mark(title):
            self.report.refuse(row.where, "deleted", platform)
            return None
        text = text or title
        if native is None or not text:
            self.report.refuse(row.where, "no words" if native else "no usable id", platform)
            return None
        context, ids = self.context, self.context.ids
        crawled = crawl_time(meta.get("timestamp_collected"), context, "UTC")
        zone = "Asia/Shanghai" if platform in ("xhs", "douyin") else context.zone
        moment = published(capture.when, crawled, context, zone)
        if moment.at is None:
            self.report.note(f"some {platform} captures have no readable date ({moment.note})")
        space = "" if platform == "x" else "comment"  # X numbers posts and answers alike
        root = ids.item(platform, post) if comment and post is not None else None
        answered = text_id(capture.answers)
        page = meta.get("source_platform_url")
        return make_item(
            {
                "item_id": ids.item(platform, native, space if comment else ""),
                "platform": platform,
                "kind": "comment" if comment else "post",
                "native_id": native,
                "parent_id": ids.item(platform, answered, space) if comment and answered else root,
                "root_id": root,
                "url": capture.url,
                "canonical_url": canonical(capture.url),
                "author_hash": ids.author(platform, text_id(capture.author)),
                "title": title if title != text else "",
                "text": text,
                "lang": language(text),
                "published_at": moment.at,
                "published_raw": "" if capture.when is None else str(capture.when)[:200],
                "precision": moment.precision,
                "tz_source": moment.tz_source,
                "confidence": moment.confidence,
                "fetched_at": crawled or context.fetched_at,
                "engagement": counts_of(capture.counts),
                "licence": "platform-terms",
                "origin": origin(page if isinstance(page, str) else ""),
            }
        )


_PAGES = 64
"""Pages whose origin is kept while a file is read; captures of one page stand together."""


@lru_cache(_PAGES)
def _platform(given: str) -> str:
    """Our name of the platform of a capture; empty when it is none that is read."""
    given = given.lower()
    found = {_PLATFORMS[word] for word in given.replace("-", ".").split(".") if word in _PLATFORMS}
    return found.pop() if len(found) == 1 else ""


def _page(page: str) -> str:
    """The search words of the page of a capture, else its host: paths name accounts, queries hold tokens."""
    try:
        address = urlsplit(page)
        given = dict(parse_qsl(address.query))
    except ValueError:  # a host that is none
        return ""
    return next((given[name] for name in _SEARCHES if given.get(name)), address.hostname or "")
