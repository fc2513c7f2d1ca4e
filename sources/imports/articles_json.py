"""Web articles as SocietyBench's pipeline hands them on: `articles.json`, an array of {url, title, content, date}.

The body is called content or text; what else an article carries is left alone. Articles get the ids of web
pages, so that a page that is fetched and imported is one item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schemas import Item, Origin
from sources.base import Importer
from sources.deletions import is_mark
from sources.imports.cells import words
from sources.imports.crawls import crawl_time, published
from sources.imports.rows import Row, each_item, first_row, read_rows, shape_of
from sources.imports.standins import words_id
from sources.imports.streams import file_digest
from sources.language import language
from sources.text import headline
from sources.urls import canonical, is_web_address, site, without_tokens

_BODIES = ("content", "text", "body")
_DATES = ("date", "published", "published_at", "publish_date", "publishedAt")
_AUTHORS = ("author", "authors", "byline")
_CRAWLS = ("fetched_at", "crawled_at", "scraped_at")
_POSTS = frozenset({"platform", "comment_id", "parent_id", "interactions", "__import_meta"})
"""Members of rows that are posts, whatever else they have."""


class ArticlesJson(Importer):
    """One array of articles."""

    name = "articles"
    reads = "articles.json: an array of {url, title, content or text, date}"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """A JSON array whose first element has an address, a title, a body and a date, and is no post."""
        if shape_of(path, head) != "array":
            return False
        row = first_row(path, head)
        return (
            {"url", "title"} <= row.keys()
            and any(name in row for name in _BODIES)
            and any(name in row for name in _DATES)
            and not _POSTS & row.keys()
        )

    def read(self, path: Path) -> Iterator[Item]:
        """Yield the articles; one without words or with an address that is none is refused."""
        mark = Origin(source=self.name, file=path.name, digest=file_digest(path))
        yield from each_item(
            read_rows(path, self.report), lambda row: self._item(row, mark), self.report
        )

    def _item(self, row: Row, origin: Origin) -> Item | None:
        title = headline(words(row.values.get("title")))
        text = words(_first(row.values, _BODIES))
        if is_mark(text) or is_mark(title):
            self.report.refuse(row.where, "deleted", text or title)
            return None
        text = text or title
        if not text:
            self.report.refuse(row.where, "no words")
            return None
        given = row.values.get("url")
        url = without_tokens(str(given).strip()) if isinstance(given, str) else ""
        if given and not is_web_address(url):
            self.report.refuse(row.where, "no web address", str(given)[:100])
            return None
        address = canonical(url) if url else ""
        context = self.context
        crawled = crawl_time(_first(row.values, _CRAWLS), context)
        raw = _first(row.values, _DATES)
        lang = language(text)
        moment = published(raw, crawled, context, context.zone_of(url, lang))
        if moment.at is None:
            self.report.note(f"some articles have no readable date ({moment.note})")
        author = context.ids.author("web", _first(row.values, _AUTHORS))
        native = address or "text:" + words_id(
            title, text, author=author, raw=raw, moment=moment, where=row.where
        )
        return Item(
            item_id=context.ids.item("web", native),
            platform="web",
            kind="article",
            native_id=native,
            url=url,
            canonical_url=address,
            publisher=words(row.values.get("publisher") or row.values.get("source")) or site(url),
            title=title if title != text else "",
            text=text,
            lang=lang,
            published_at=moment.at,
            published_raw="" if raw is None else str(raw)[:200],
            precision=moment.precision,
            tz_source=moment.tz_source,
            confidence=moment.confidence,
            fetched_at=crawled or context.fetched_at,
            licence="publisher",
            origin=origin,
        )


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The first of several members that is there and not empty."""
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)
