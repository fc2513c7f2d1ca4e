"""Wayback Machine: pages that are gone, by their address or by the beginning of it, from archived copies.

A page's item says which copy it was read from; its date is the page's own, never that of the copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

from schemas import Item, SourceQuery
from sources.archive import Archive, Capture
from sources.base import Connector
from sources.urls import canonical, is_web_address
from sources.web import archived_article
from sources.windows import spread

ROWS = 3_000
"""Captures asked of a prefix."""
PAGES = 100
"""Pages of a prefix that are fetched, unless `collect.wayback_pages` says otherwise."""


def split_query(query: str) -> tuple[str, bool, tuple[str, ...]]:
    """Address, whether it is a prefix, and words that the address of each page must contain, lower case."""
    address, *words = query.split()
    return address.rstrip("*"), address.endswith("*"), tuple(word.lower() for word in words)


class Wayback(Connector):
    """Archived pages of one address or of all addresses with one beginning."""

    name = "wayback"
    window = "days"
    asks = "address"
    takes = (
        "the address of one page, or the beginning of addresses ended by `*`, then words that each page's "
        "address must contain"
    )
    cap: ClassVar[str] = "24 requests a minute; 3,000 captures a prefix, 100 pages fetched"

    @classmethod
    def unfit(cls, query: str, env: Mapping[str, str]) -> str:
        """The first word must be an address."""
        address = split_query(query)[0]
        return "" if is_web_address(address) else f"{address[:80]} is no web address"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield the article of each page captured within the days or in the month after them."""
        address, prefix, words = split_query(query.query)
        if not is_web_address(address):
            self.report.refuse(query.query, "not a web address")
            return
        archive = Archive(self.context, self.report)
        if not prefix:
            if not self._is_new(address):
                return
            item = archived_article(
                address, archive, archive.candidates(address, since), source=self.name, query=query.query
            )  # fmt: skip
            if item is None:
                self.report.refuse(address, "no archived copy with an article")
            else:
                yield item
            return
        state = self.context.cursor.load()
        if "todo" not in state:
            state = self._list(archive, address, words, since, until)
            self.context.cursor.save(state)
        while state["todo"] and state["given"] < query.max_items and not archive.closed:
            row = state["todo"].pop(0)
            item = self._page(archive, row, query.query)
            if item is not None:
                state["given"] += 1
                yield item
            self.context.cursor.save(state)
        left = len(state["todo"]) + state["more"]
        if left:
            self.report.capped = True
            self.report.note(
                f"{left} of the pages listed were not fetched, the days evenly; "
                "raise max_items or collect.wayback_pages for more"
            )
        for row in state["todo"]:
            self.report.refuse(row["url"], "listed, not fetched")

    def _is_new(self, url: str) -> bool:
        address = canonical(url)
        if address in self.context.seen:
            self.report.refuse(url, "page fetched before")
            return False
        self.context.seen.add(address)
        return True

    def _list(
        self, archive: Archive, address: str, words: tuple[str, ...], since: date, until: date
    ) -> dict[str, Any]:
        """The first capture of each page under a prefix, the days of captures evenly; the outcome is counted."""
        asked = {
            "url": address,
            "matchType": "prefix",
            "collapse": "urlkey",
            "limit": str(ROWS),
        }
        last = until + timedelta(days=31)
        span = {"from": f"{since:%Y%m%d}", "to": f"{last:%Y%m%d}"}
        found = archive.ask(asked | span)
        if found.outcome == "error":
            # prefixes with days are known to end in 504: the days are then picked here
            found = archive.ask(asked)
        if found.outcome not in ("ok", "empty"):
            self.report.refuse(address, found.outcome, found.note)
        first: dict[str, Capture] = {}
        for capture in sorted(found.captures, key=lambda one: (one.at, one.url)):
            here = since <= capture.at.date() <= last
            if here and all(word in capture.url.lower() for word in words):
                first.setdefault(canonical(capture.url), capture)
        if len(found.captures) >= ROWS:
            self.report.capped = True
            self.report.note(f"only {ROWS} captures were listed, there are more")
        most = max(int(self.context.setting("wayback_pages", PAGES)), 0)
        rows = [
            {"url": capture.url, "at": capture.at.isoformat()}
            for capture in spread(list(first.values()), lambda one: one.at.date())
        ]
        for row in rows[most:]:
            self.report.refuse(row["url"], "listed, not fetched")
        return {"todo": rows[:most], "more": len(rows[most:]), "given": 0}

    def _page(self, archive: Archive, row: Mapping[str, str], query: str) -> Item | None:
        if not self._is_new(row["url"]):
            return None
        capture = Capture(datetime.fromisoformat(row["at"]), row["url"])
        item = archived_article(row["url"], archive, [capture], source=self.name, query=query)
        if item is None:
            self.report.refuse(row["url"], "no archived copy with an article")
        return item
