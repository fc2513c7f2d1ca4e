"""A news site: the articles of a window that its sitemaps and feeds list, with the search words in them.

Where the site gives a headline or readable addresses, articles without any of the words there are not fetched; of
the rest those with most of them come first and the days evenly. An article is kept when its text has all words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any, ClassVar
from urllib.parse import urlsplit

from schemas import Item, SourceQuery
from sources.base import Connector
from sources.discovery import Discovery, Listed
from sources.language import language
from sources.sitemaps import slug_words
from sources.times import Moment
from sources.urls import is_web_address
from sources.web import fetch_article
from sources.windows import spread

PAGES = 150
"""Article pages fetched for a query, unless `collect.site_articles` says otherwise."""
_READABLE = 3
"""Words in the path of an address from which it says what an article is about."""
_HOST = re.compile(r"(?:[\w-]+\.)+[^\W\d_]{2,}(?::\d+)?(?:/\S*)?")


def split_query(query: str) -> tuple[str, tuple[str, ...]]:
    """Home address, and search words or quoted phrases, lower case. The address is empty when there is none."""
    first, _, rest = query.strip().partition(" ")
    home = first if "://" in first else f"https://{first}" if _HOST.fullmatch(first) else ""
    found = re.findall(r'"([^"]+)"|(\S+)', rest.lower())
    return (home if is_web_address(home) else ""), tuple(phrase or word for phrase, word in found)


class Site(Connector):
    """Articles that one site lists."""

    name = "site"
    asks = "home"
    window = "days"
    takes = (
        'the home address of a news site, then words or "a phrase" that each article must contain'
    )
    cap: ClassVar[str] = "60 sitemaps and 8 feeds read, 150 articles fetched"

    @classmethod
    def unfit(cls, query: str, env: Mapping[str, str]) -> str:
        """The first word must be a site's address."""
        home, _ = split_query(query)
        return "" if home else f"{query.split(' ', 1)[0][:80]} is no address of a site"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield articles of the window or without a date, the days evenly among those equally likely."""
        home, words = split_query(query.query)
        if not home:
            self.report.refuse(query.query, "not a web address")
            return
        state = self.context.cursor.load()
        if "todo" not in state:
            state = self._list(home, words, since, until)
            self.context.cursor.save(state)
        while state["todo"] and state["given"] < query.max_items:
            row = state["todo"].pop(0)
            item = self._article(row, words, query.query)
            if item is not None:
                state["given"] += 1
                yield item
            self.context.cursor.save(state)
        left = len(state["todo"]) + state["more"]
        if left:
            self.report.capped = True
            self.report.note(
                f"{left} of the articles listed were not fetched; raise max_items or collect.site_articles for more"
            )
        for row in state["todo"]:
            self.report.refuse(row["url"], "listed, not fetched")

    def _list(self, home: str, words: tuple[str, ...], since: date, until: date) -> dict[str, Any]:
        found = Discovery(self.context, self.report, home, since, until).articles()
        if not found:
            self.report.note(f"{urlsplit(home).netloc} lists no article of these days")
        ranks: dict[int, list[Listed]] = {}
        for listed in found:
            hits = _hits(listed, words)
            ranks.setdefault(-1 if hits is None else hits, []).append(listed)
        if wordless := ranks.pop(0, []):
            self.report.note(
                f"{len(wordless)} articles listed have no search word in headline or address and were not fetched"
            )
        rows = [
            row
            for rank in sorted(ranks, reverse=True)
            for row in spread(sorted(ranks[rank], key=lambda one: one.day), lambda one: one.day)
        ]
        most = max(int(self.context.setting("site_articles", PAGES)), 0)
        todo = [asdict(row) | {"summary": ""} for row in rows[:most]]
        return {"todo": todo, "more": len(rows[most:]), "given": 0}

    def _listed(self, row: Mapping[str, str]) -> Moment:
        return self.context.time(
            row["published"], self.context.zone_of(row["url"], language(row["title"]))
        )

    def _article(self, row: Mapping[str, str], words: tuple[str, ...], query: str) -> Item | None:
        item = fetch_article(
            row["url"],
            self.context,
            self.report,
            source=self.name,
            query=query,
            listed=self._listed(row) if row["published"] else None,
            listed_raw=row["published"],
            title=row["title"],
        )
        if item is None:
            return None
        text = f"{item.title} {item.text}".lower()
        if not all(word in text for word in words):
            self.report.refuse(row["url"], "without the search words")
            return None
        return item


def _hits(listed: Listed, words: tuple[str, ...]) -> int | None:
    """Search words in what the site says of an article; none when it says too little to tell."""
    if not words:
        return None
    slug = slug_words(listed.url)
    said = f"{listed.title} {listed.summary} {slug}".lower()
    hits = sum(word in said or word.replace(" ", "-") in listed.url.lower() for word in words)
    telling = bool(listed.title) or len(slug.split()) >= _READABLE
    return hits if hits or telling else None
