"""Saved web pages: one article a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from schemas import Item, Origin
from sources.articles import read_article
from sources.base import Importer, digest
from sources.imports.crawls import UNCRAWLED
from sources.imports.rows import suffix_of
from sources.imports.streams import document
from sources.times import Moment
from sources.urls import canonical, is_web_address
from sources.web import article_item

_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]", re.IGNORECASE)
_ADDRESS = re.compile(
    r"""<link[^>]+rel=["']canonical["'][^>]*href=["']([^"']+)|"""
    r"""<meta[^>]+property=["']og:url["'][^>]*content=["']([^"']+)|<!--\s*saved from url=\(\d+\)(\S+)""",
    re.IGNORECASE,
)


class HtmlPage(Importer):
    """An HTML file, plain or gzip."""

    name = "html"
    reads = "saved web pages (.html, .htm, .html.gz), alone or in folders"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """HTML by its tags, whatever the name; a feed is none."""
        wide = head.replace(b"\x00", b"")[:20_000]
        if wide.lstrip().startswith((b"interactions:", b"{", b"[", b"WARC/")):
            return False
        if suffix_of(path) in {".csv", ".tsv"}:  # a table may have pages in its cells
            return False
        return bool(_HTML.search(wide)) and not _FEED.search(wide[:2000])

    def read(self, path: Path) -> Iterator[Item]:
        """Yield the page's article, with the address that the page names itself, else the file's name."""
        data = document(path)
        match = _ADDRESS.search(data[:200_000].decode("utf-8", errors="replace"))
        url = next((group for group in match.groups() if group), "") if match else ""
        if not is_web_address(url):
            url = ""
        article = read_article(
            data,
            url=url,
            content_type="",
            fetched_at=self.context.fetched_at,
            zone=self.context.zone,
            named=self.context.zone_named,
        )
        self.report.end(article.outcome)
        if article.outcome != "ok":
            self.report.refuse(path.name, article.outcome, article.note)
            return
        if article.moment.tz_source == "relative":  # to a crawl of which a saved page says nothing
            article = replace(article, moment=Moment(note=UNCRAWLED))
        address = canonical(url) if url else f"file:{digest(data)[:16]}"
        if article.moment.at is None:
            self.report.note(f"{path.name}: {article.moment.note}")
        yield article_item(
            article,
            self.context,
            url=address,
            origin=Origin(source=self.name, file=path.name, digest=digest(data)),
        )
