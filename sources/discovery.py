"""What a news site lists of its articles: feeds and sitemaps, found from its address, bounded.

robots.txt names sitemaps and the home page names feeds; only where both are silent usual paths are tried. Of an
index the parts that may hold the window come first, and parts last changed before it are never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlsplit

from sources.base import Report, SourceContext
from sources.feeds import read_feed
from sources.http import Response
from sources.language import language
from sources.rss import entry_time, refuse_repeated
from sources.sitemaps import Row, day_in_path, may_hold, read_sitemap, sitemaps_of_robots
from sources.text import decode, plain
from sources.times import Moment, day_of
from sources.urls import absolute, canonical, site
from sources.windows import evenly

FEED_PATHS = ("/feed", "/rss", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml")
SITEMAP_PATHS = ("/sitemap.xml", "/sitemap_index.xml", "/news-sitemap.xml", "/sitemap-news.xml")
FEEDS = 8
"""Feeds of a site that are read."""
SITEMAPS = 60
"""Sitemaps of a site that are read, unless `collect.site_sitemaps` says otherwise."""
DEPTH = 3
"""Indexes within indexes."""
MOST_LISTED = 20_000
"""Articles of a site that are listed."""
_LINK = re.compile(r"<link\b[^<>]{1,1000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


@dataclass(frozen=True)
class Listed:
    """One article that a site lists."""

    url: str
    """Its address."""
    title: str = ""
    """Headline, where it is given."""
    summary: str = ""
    """Words of a feed."""
    published: str = ""
    """Publication date as written, where it is given."""
    day: str = ""
    """The day it was published on or, told by its address, seems to be; ISO, empty when not known."""


def feed_links(html: str, base: str) -> tuple[str, ...]:
    """Addresses of the RSS and Atom feeds that a page names in its head, each once."""
    found = []
    for tag in _LINK.findall(html[:400_000]):
        values = {name.lower(): plain(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(tag)}
        kind = values.get("type", "").lower()
        is_feed = "alternate" in values.get("rel", "").lower().split() and (
            "rss+xml" in kind or "atom+xml" in kind
        )
        address = absolute(base, values.get("href", "")) if is_feed else ""
        if address:
            found.append(address)
    return tuple(dict.fromkeys(found))


class Discovery:
    """The articles of one site in a window of days. Everything fetched is counted in the report."""

    def __init__(
        self, context: SourceContext, report: Report, home: str, since: date, until: date
    ) -> None:
        self.context = context
        self.report = report
        parts = urlsplit(home)
        self.home = home
        self.root = f"{parts.scheme}://{parts.netloc}"
        self.since = since
        self.until = until

    def articles(self) -> list[Listed]:
        """What the site lists of the window or without a date, each address once; sitemaps before feeds."""
        rows: dict[str, Listed] = {}
        for listed in self._all():
            known = rows.get(canonical(listed.url))
            if known is None or (listed.published and not known.published):
                rows[canonical(listed.url)] = listed
            if len(rows) >= MOST_LISTED:
                self.report.capped = True
                self.report.note(f"listing stopped at {MOST_LISTED} articles")
                break
        return list(rows.values())

    def _all(self) -> Iterator[Listed]:
        sitemaps = self._of_robots()
        feeds = self._of_home()
        silent = not sitemaps and not feeds
        guessed = self._guess(SITEMAP_PATHS) if not sitemaps else []
        yield from self._walk(list(sitemaps), guessed)
        if silent:
            for response in self._guess(FEED_PATHS):
                yield from self._feed(response)
        if len(feeds) > FEEDS:
            self.report.capped = True
            self.report.note(f"{len(feeds) - FEEDS} feeds of {self.root} were not read")
        for address in feeds[:FEEDS]:
            if (found := self._get(address)) is not None:
                yield from self._feed(found)

    # -- where to look ------------------------------------------------------------------------------

    def _get(self, address: str) -> Response | None:
        response = self.context.client.get(address)
        self.report.end(response.outcome)
        if response.outcome == "ok":
            return response
        self.report.refuse(address, response.outcome, response.note)
        return None

    def _of_robots(self) -> tuple[str, ...]:
        response = self.context.client.get(f"{self.root}/robots.txt", robots=False)
        self.report.end(response.outcome)
        if response.outcome != "ok":
            return ()
        return sitemaps_of_robots(response.body.decode("utf-8", errors="replace"), response.url)

    def _of_home(self) -> tuple[str, ...]:
        response = self._get(self.home)
        if response is None:
            return ()
        return feed_links(decode(response.body, response.content_type).text, response.url)

    def _guess(self, paths: tuple[str, ...]) -> list[Response]:
        """The first usual path that answers; the others are guesses, so a miss is counted and not refused."""
        for path in paths:
            response = self.context.client.get(self.root + path)
            self.report.end(response.outcome)
            if response.outcome == "ok":
                return [response]
        return []

    # -- sitemaps -----------------------------------------------------------------------------------

    def _walk(self, addresses: list[str], given: list[Response]) -> Iterator[Listed]:
        """Articles of sitemaps and of those that they name, the likeliest first."""
        most = max(int(self.context.setting("site_sitemaps", SITEMAPS)), 0)
        todo = [(address, 0) for address in self._likeliest([Row(one) for one in addresses])]
        seen = {canonical(address) for address, _ in todo}
        fetched = 0
        waiting = [(response, 0) for response in given]
        while todo or waiting:
            if waiting:
                response, depth = waiting.pop()
            elif fetched >= most:
                self.report.capped = True
                self.report.note(f"{len(todo)} sitemaps of {self.root} were not read")
                return
            else:
                address, depth = todo.pop(0)
                found = self._get(address)
                if found is None:
                    continue
                response = found
            fetched += 1
            sitemap = read_sitemap(
                response.body, url=response.url, content_type=response.content_type
            )
            if sitemap.kind == "none":
                self.report.refuse(response.url, "not a sitemap", sitemap.note)
            elif sitemap.kind == "pages":
                if sitemap.note:
                    self.report.capped = True
                    self.report.note(f"{response.url}: {sitemap.note}")
                yield from self._pages(sitemap.rows)
            elif depth < DEPTH:
                more = [one for one in self._likeliest(sitemap.rows) if canonical(one) not in seen]
                seen.update(map(canonical, more))
                todo = [(one, depth + 1) for one in more] + todo

    def _likeliest(self, rows: tuple[Row, ...] | list[Row]) -> list[str]:
        """Sitemaps that may hold the window, each once: those named by a date, the dates evenly, then those named as news."""
        kept: dict[str, int] = {}
        for row in rows:
            changed = day_of(self.context.time(row.changed), self.context.zone)
            if changed is not None and changed < self.since:
                continue
            if not may_hold(row.url, self.since, self.until):
                continue
            dated = bool(re.search(r"(?<!\d)(?:19|20)\d\d", urlsplit(row.url).path))
            kept.setdefault(row.url, 0 if dated else 1 if "news" in row.url.lower() else 2)
        dated_ones = evenly(sorted(url for url, rank in kept.items() if rank == 0))
        return dated_ones + sorted((url for url in kept if kept[url]), key=lambda url: kept[url])

    def _pages(self, rows: tuple[Row, ...]) -> Iterator[Listed]:
        for row in rows:
            published = day_of(self._time(row.published, row), self.context.zone)
            day = published or day_in_path(row.url)
            changed = day_of(self._time(row.changed, row), self.context.zone)
            if not self._inside(day, slack=0 if published else 1) or not self._own(row.url):
                continue
            if day is None and changed is not None and changed < self.since:
                continue  # a page last changed before the window was not published in it
            yield Listed(
                row.url,
                row.title,
                published=row.published,
                day=day.isoformat() if day else "",
            )

    def _time(self, raw: str, row: Row) -> Moment:
        return self.context.time(raw, self.context.zone_of(row.url, language(row.title)))

    def _own(self, url: str) -> bool:
        """Whether an address is of this site or of a part of it; a sitemap speaks for no other."""
        host, own = site(url), site(self.root)
        return host == own or host.endswith("." + own)

    def _inside(self, day: date | None, *, slack: int) -> bool:
        margin = timedelta(days=slack)
        return day is None or self.since - margin <= day <= self.until + margin

    # -- feeds --------------------------------------------------------------------------------------

    def _feed(self, response: Response) -> Iterator[Listed]:
        feed = read_feed(response.body, url=response.url, content_type=response.content_type)
        if feed.outcome != "ok":
            self.report.refuse(response.url, feed.outcome, feed.note)
        refuse_repeated(feed, self.report)
        for entry in feed.entries:
            day = day_of(entry_time(entry, response.url, self.context), self.context.zone)
            if not self._inside(day, slack=0):
                continue
            if not entry.link:
                self.report.refuse(entry.native_id, "an entry without a page", entry.title)
            else:
                yield Listed(
                    entry.link,
                    entry.title,
                    entry.summary,
                    entry.published_raw,
                    day.isoformat() if day else "",
                )
