"""Saved web pages: one article a file, plain HTML or with all its parts (MHTML)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from schemas import Item, Origin
from sources.articles import read_article
from sources.base import Importer, digest
from sources.imports.crawls import UNCRAWLED, crawl_time
from sources.imports.mhtml import NoPage, Page, is_mhtml, page_of
from sources.imports.rows import suffix_of
from sources.imports.saved_pages import saved
from sources.imports.streams import document
from sources.text import decode
from sources.times import Moment
from sources.urls import canonical, is_web_address
from sources.web import article_item

_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_HEAD = 65_536
"""Bytes in which the header of a page with its parts ends."""
_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]", re.IGNORECASE)


class HtmlPage(Importer):
    """An HTML or MHTML file, plain or packed."""

    name = "html"
    reads = "saved web pages (.html, .htm, .mhtml, .html.gz), alone or in folders"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """HTML by its tags or the header of its parts, whatever the name; a feed is none."""
        if is_mhtml(head):
            return True
        wide = head.replace(b"\x00", b"")[:20_000]
        if wide.lstrip().startswith((b"interactions:", b"{", b"[", b"WARC/")):
            return False
        if suffix_of(path) in {".csv", ".tsv"}:  # a table may have pages in its cells
            return False
        return bool(_HTML.search(wide)) and not _FEED.search(wide[:2000])

    def read(self, path: Path) -> Iterator[Item]:
        """Yield the page's article, with the address that it was saved from or names itself, else the file's name.

        A page that says when it was saved was fetched then; of another one nothing is known of its crawl.
        """
        data = document(path)
        page = Page(data, "", (), "")
        if is_mhtml(data[:_HEAD]):
            try:
                page = page_of(data)
            except NoPage as why:
                self.report.end("error")
                self.report.refuse(path.name, "damaged page", str(why))
                return
        told = saved(decode(page.body, page.content_type).text)
        url = next(filter(is_web_address, (*page.addresses, told.address)), "")
        crawled = crawl_time(page.when or told.when, self.context)
        context = replace(self.context, fetched_at=crawled or self.context.fetched_at)
        article = read_article(
            page.body,
            url=url,
            content_type=page.content_type,
            fetched_at=context.fetched_at,
            zone=context.zone,
            named=context.zone_named,
        )
        self.report.end(article.outcome)
        if article.outcome != "ok":
            self.report.refuse(path.name, article.outcome, article.note)
            return
        if crawled is None and article.moment.tz_source == "relative":
            article = replace(article, moment=Moment(note=UNCRAWLED))
        address = canonical(url) if url else f"file:{digest(data)[:16]}"
        if article.moment.at is None:
            self.report.note(f"{path.name}: {article.moment.note}")
        yield article_item(
            article,
            context,
            url=address,
            origin=Origin(source=self.name, file=path.name, digest=digest(data)),
        )
