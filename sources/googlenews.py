"""Google News as RSS: headlines of about 100 articles a search, so days are swept in windows.

A feed names the outlet and the headline and no more: links lead to an opaque address of Google's own and the
description repeats the headline. An item therefore holds its headline as its text, and the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from schemas import Item, Origin, SourceQuery
from sources.base import Connector, Paused
from sources.feeds import Entry, read_feed
from sources.language import language
from sources.lenient import words
from sources.limits import said, until
from sources.rss import refuse_repeated
from sources.times import Moment
from sources.urls import canonical
from sources.windows import Haul, Window, day_window, listing, spread

ADDRESS = "https://news.google.com"
FULL = 90
"""Entries from which an answer is taken to be cut; full ones have 97 to 100."""
DAY = timedelta(days=1)
EDITIONS = {
    "en": {"hl": "en-US", "gl": "US", "ceid": "US:en"},
    "zh": {"hl": "zh-CN", "gl": "CN", "ceid": "CN:zh-Hans"},
}
"""Edition that a language is searched in."""
_DAY_ONLY = re.compile(r"\b0[78]:00:00 GMT$")
"""Midnight in California: the time of an article of which only the day is known."""
HEADLINES = "Google News gives headlines only: the text of each item is its headline"


def utc_days(window: Window) -> Window:
    """The whole UTC days that a window touches; `after:` and `before:` count days and no hours."""
    first = window.start.astimezone(UTC).date()
    last = (window.end - timedelta(seconds=1)).astimezone(UTC).date()
    return day_window(first, last, "UTC")


def bare_title(title: str, publisher: str) -> str:
    """A headline without the outlet's name that the feed appends to it."""
    return title.removesuffix(f" - {publisher}").strip() if publisher else title


class GoogleNews(Connector):
    """Headlines that Google News knows of days."""

    name = "googlenews"
    window = "days"
    takes = 'search words; "a phrase", -word, OR, site:example.com'
    cap: ClassVar[str] = "about 100 a window, split down to days; headlines only"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield headlines, the days evenly. Paused when no more requests are taken and it is said until when."""
        self._base = str(self.context.setting("googlenews_url", ADDRESS)).rstrip("/")
        self._query = query
        rows = listing(
            self._ask,
            utc_days(day_window(since, until, self.context.zone)),
            key="id",
            smallest=DAY,
            report=self.report,
            cursor=self.context.cursor.part("listing"),
        )
        if rows:
            self.report.note(HEADLINES)
        for number, row in enumerate(spread(rows, self._day)):
            if number >= query.max_items:
                self.report.capped = True
                return
            yield self._item(row)

    def _ask(self, window: Window) -> Haul[dict[str, Any]]:
        dated = f"{self._query.query} after:{window.start:%Y-%m-%d} before:{window.end:%Y-%m-%d}"
        address = f"{self._base}/rss/search?" + urlencode(
            {"q": dated, **EDITIONS[self._query.lang]}
        )
        response = self.context.client.get(address, robots=False)
        if response.status == 429 and self.context.waits and said(response.headers):
            raise Paused(f"Google News allows no further request{until(response.headers)}")
        if response.outcome != "ok":
            self.report.end(response.outcome)
            self.report.refuse(address, response.outcome, response.note)
            return Haul((), capped=False, failed=True)
        feed = read_feed(response.body, url=response.url, content_type=response.content_type)
        self.report.end(feed.outcome)
        if feed.outcome not in ("ok", "empty"):
            self.report.refuse(address, feed.outcome, feed.note)
            return Haul((), capped=False, failed=True)
        astray = sum(not self._near(entry, window) for entry in feed.entries)
        # a search with too many results forgets its days
        capped = len(feed.entries) >= FULL or 2 * astray > max(len(feed.entries), 3)
        if capped and window.halves(DAY) is not None:
            return Haul((), capped=True)
        refuse_repeated(feed, self.report)
        rows = (self._row(entry, feed.title) for entry in feed.entries)
        return Haul([row for row in rows if row is not None], capped)

    def _near(self, entry: Entry, window: Window) -> bool:
        at = self._moment(entry.published_raw).at
        return at is None or window.start - DAY <= at < window.end + DAY

    def _row(self, entry: Entry, feed: str) -> dict[str, Any] | None:
        # without a source element the entry carries the feed's own title
        publisher = entry.publisher if entry.publisher != feed else ""
        if not publisher:
            publisher = entry.title.rpartition(" - ")[2] if " - " in entry.title else ""
        title = bare_title(entry.title, publisher)
        if not title:
            self.report.refuse(entry.link or entry.native_id, "no words")
            return None
        return {
            "id": words(entry.native_id),
            "url": words(entry.link),
            "title": words(title),
            "publisher": words(publisher),
            "published": words(entry.published_raw),
        }

    def _moment(self, raw: str) -> Moment:
        """When an entry was published; midnight in California stands for a day of which no hour is known."""
        moment = self.context.time(raw, "UTC")
        if moment.at is None or not _DAY_ONLY.search(raw.strip()):
            return moment
        day = moment.at.date()
        noon = datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo(self.context.zone))
        return Moment(noon.astimezone(UTC), "day", "explicit", min(moment.confidence, 0.5))

    def _day(self, row: Mapping[str, Any]) -> str:
        at = self._moment(row["published"]).at
        return "" if at is None else at.astimezone(ZoneInfo(self.context.zone)).date().isoformat()

    def _item(self, row: Mapping[str, Any]) -> Item:
        moment = self._moment(row["published"])
        return Item(
            item_id=self.context.ids.item(self.name, row["id"]),
            platform=self.name,
            kind="article",
            native_id=row["id"],
            url=row["url"],
            canonical_url=canonical(row["url"]),
            publisher=row["publisher"],
            title=row["title"],
            text=row["title"],
            lang=language(row["title"]),
            published_at=moment.at,
            published_raw=row["published"],
            precision=moment.precision,
            tz_source=moment.tz_source,
            confidence=moment.confidence,
            fetched_at=self.context.fetched_at,
            licence="publisher",
            origin=Origin(source=self.name, query=self._query.query),
        )
