"""RSS and Atom feeds: each entry's page is fetched, so that a feed yields whole articles.

A query is a feed address, or search words that are matched against the entries of all configured feeds.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import date, timedelta

from schemas import Item, Origin, SourceQuery
from sources.articles import Article
from sources.base import Connector, Report, SourceContext
from sources.feeds import Entry, Feed, read_feed
from sources.times import Moment, day_of
from sources.urls import is_web_address
from sources.web import article_item, fetch_article
from sources.windows import spread


def entry_item(entry: Entry, context: SourceContext, *, origin: Origin) -> Item:
    """A feed entry without its page: headline and the words of the feed.

    Its id is that of its page, or its own when it has none or shares it with others.
    """
    article = Article(
        "ok", title=entry.title, text=entry.summary or entry.title, publisher=entry.publisher
    )
    item = article_item(
        article,
        context,
        url=entry.link or entry.native_id,
        origin=origin,
        platform="rss",
        listed=entry_time(entry, entry.link, context),
        listed_raw=entry.published_raw,
    )
    if entry.link and not entry.shares_page:
        return item
    native = entry.native_id
    if not _GLOBAL.match(native):  # as "12", which other feeds have too
        native = f"{entry.publisher}: {native}"
    own = {"native_id": native, "item_id": context.ids.item("rss", native)}
    return item.model_copy(update=own if entry.link else own | {"url": "", "canonical_url": ""})


def refuse_repeated(feed: Feed, report: Report, query: str = "") -> None:
    """Report the entries that a feed has twice, those with the words of a query only."""
    for entry in feed.repeated:
        if not query or matches(entry, query):
            report.refuse(entry.link or entry.native_id, "repeated in its feed", entry.title)


def entry_time(entry: Entry, feed_url: str, context: SourceContext) -> Moment:
    """Publication of an entry; a time without a zone, and CST, is that of the feed's country or language."""
    return context.time(entry.published_raw, context.zone_of(feed_url, entry.lang))


def matches(entry: Entry, words: str) -> bool:
    """Whether an entry has every search word, or Chinese search words as a whole; case is ignored."""
    text = f"{entry.title} {entry.summary}".lower()
    wanted = re.findall(r'"([^"]+)"|(\S+)', words.lower())
    return all((phrase or word) in text for phrase, word in wanted)


_GLOBAL = re.compile(r"\w[\w+.-]*:\S")
"""Begins an id that no other feed has: an address, a tag, a urn, a digest of words."""


class Rss(Connector):
    """Feeds given in the query or configured in `collect.feeds`."""

    name = "rss"
    takes = "a feed address, or search words that every entry of the configured feeds must contain"
    cap = "newest 20 to 50 entries"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield an article for each entry that lies in the window or has no date.

        Where the feeds hold more than `query.max_items`, the days come in turn.
        """
        by_address = is_web_address(query.query)
        feeds = [query.query] if by_address else list(self.context.setting("feeds", ()))
        if not feeds:
            self.report.note("no feed is configured; set collect.feeds or give a feed address")
        listed = [row for address in feeds for row in self._entries(address, query, since, until)]
        if len(listed) > query.max_items:
            listed = spread(listed, lambda row: str(day_of(row[1], self.context.zone) or ""))
        found = 0
        for number, (entry, moment, digest) in enumerate(listed):
            if found >= query.max_items:
                self.report.capped = True
                self.report.note(
                    f"{len(listed) - number} of {len(listed)} entries were not read, the days evenly; "
                    "raise max_items for more"
                )
                return
            item = self._item(entry, moment, query, digest)
            if item is not None:
                found += 1
                yield item

    def _entries(
        self, address: str, query: SourceQuery, since: date, until: date
    ) -> Iterator[tuple[Entry, Moment, str]]:
        """Entries of one feed that are asked for, with their time and the digest of the feed."""
        response = self.context.client.get(address)
        if response.outcome != "ok":
            self.report.end(response.outcome)
            self.report.refuse(address, response.outcome, response.note)
            return
        feed = read_feed(response.body, url=response.url, content_type=response.content_type)
        self.report.end(feed.outcome)
        if feed.outcome != "ok":
            self.report.refuse(address, feed.outcome, feed.note)
            return
        words = "" if is_web_address(query.query) else query.query
        refuse_repeated(feed, self.report, words)
        digest = hashlib.sha256(response.body).hexdigest()
        for entry in feed.entries:
            if words and not matches(entry, words):
                continue
            moment = entry_time(entry, response.url, self.context)
            day = day_of(moment, self.context.zone)
            if day is not None and not (
                since - timedelta(days=1) <= day <= until + timedelta(days=1)
            ):
                self.report.refuse(entry.link or entry.native_id, "outside the window", str(day))
                continue
            yield entry, moment, digest

    def _item(self, entry: Entry, moment: Moment, query: SourceQuery, digest: str) -> Item | None:
        if entry.link and not (entry.shares_page and entry.summary):
            return fetch_article(
                entry.link,
                self.context,
                self.report,
                source=self.name,
                query=query.query,
                listed=moment,
                listed_raw=entry.published_raw,
                title=entry.title,
            )
        if not (entry.summary or entry.title):
            self.report.refuse(entry.native_id, "an entry without words")
            return None
        return entry_item(
            entry, self.context, origin=Origin(source=self.name, query=query.query, digest=digest)
        )
