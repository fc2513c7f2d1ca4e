"""Saved RSS and Atom feeds: one article an entry, with the words that the feed itself holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from schemas import Item, Origin
from sources.base import Importer, digest
from sources.feeds import read_feed
from sources.imports.streams import document
from sources.rss import entry_item, entry_time, refuse_repeated

_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]", re.IGNORECASE)


class FeedFile(Importer):
    """A feed file. Pages behind its links are not fetched."""

    name = "feed"
    reads = "RSS and Atom files"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """A feed by its root element, in one- or two-byte encodings."""
        wide = head.replace(b"\x00", b"")[:6000].lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")
        return wide.startswith(b"<") and bool(_FEED.search(wide))

    def read(self, path: Path) -> Iterator[Item]:
        """Yield entries that have words."""
        data = document(path)
        feed = read_feed(data)
        self.report.end(feed.outcome)
        if feed.outcome != "ok":
            self.report.refuse(path.name, feed.outcome, feed.note)
            return
        refuse_repeated(feed, self.report)
        for entry in feed.entries:
            if not (entry.summary or entry.title):
                self.report.refuse(f"{path.name} {entry.native_id}"[:200], "an entry without words")
                continue
            moment = entry_time(entry, entry.link, self.context)
            if moment.at is None and entry.published_raw:
                self.report.note(f"{path.name}: {moment.note}: {entry.published_raw[:60]}")
            yield entry_item(
                entry,
                self.context,
                origin=Origin(source=self.name, file=path.name, digest=digest(data)),
            )
