"""Three platforms without keys, invented: they cap, lie and complain as the real ones do.

No recorded answers of theirs exist; the shapes are those of their documentation. Each stands in for the guarded
client (`get`) and keeps the addresses it was asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from schemas import Outcome, SourceQuery
from sources.base import Connector, Cursor, SourceContext
from sources.http import Response

FETCHED = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass
class Platform:
    """Answers by address; `asked` holds every address in order, `paced` what was asked of the pace."""

    asked: list[str] = field(default_factory=list)
    paced: dict[str, float] = field(default_factory=dict)

    def pace(self, url: str, seconds: float) -> None:
        self.paced[url] = seconds

    def get(self, url: str, *, headers: Any = None, robots: bool | None = None) -> Response:
        self.asked.append(url)
        status, body = self.answer(url)
        outcome: Outcome = "ok"
        if status == 404:
            outcome = "soft404"
        elif status != 200:
            outcome = "blocked"
        elif not body:
            outcome = "empty"
        return Response(url, status, {}, body, outcome, "" if status == 200 else f"status {status}")

    def answer(self, url: str) -> tuple[int, bytes]:
        """Status and body."""
        raise NotImplementedError

    def queries(self) -> list[dict[str, str]]:
        """Parameters of every request."""
        return [
            {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
            for url in self.asked
        ]


def context(
    client: Platform, *, zone: str = "Asia/Shanghai", cursor: Cursor | None = None, **settings: Any
) -> SourceContext:
    return SourceContext(
        fetched_at=FETCHED, zone=zone, salt="s", http=client, settings=settings,  # type: ignore[arg-type]
        cursor=cursor or Cursor(),
    )  # fmt: skip


def query(source: type[Connector], words: str = "ferry", **extra: Any) -> SourceQuery:
    return SourceQuery.model_validate({"source": source.name, "query": words, "lang": "en"} | extra)


# -- Hacker News ----------------------------------------------------------------------------------


@dataclass
class Algolia(Platform):
    """A search that gives the newest hits of a window, at most `page` of them, and whole threads."""

    hits: list[dict[str, Any]] = field(default_factory=list)
    threads: dict[str, Any] = field(default_factory=dict)
    page: int = 1000

    def answer(self, url: str) -> tuple[int, bytes]:
        parts = urlsplit(url)
        if parts.path.startswith("/api/v1/items/"):
            thread = self.threads.get(parts.path.rpartition("/")[2])
            return (404, b"{}") if thread is None else (200, json.dumps(thread).encode())
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        low, high = asked["numericFilters"].split(",")
        low_at, high_at = (
            int(low.removeprefix("created_at_i>=")),
            int(high.removeprefix("created_at_i<")),
        )
        found = [
            hit
            for hit in self.hits
            if asked["tags"] in hit["_tags"] and low_at <= hit["created_at_i"] < high_at
        ]
        found.sort(key=lambda hit: (-hit["created_at_i"], hit["objectID"]))
        given = found[: min(self.page, int(asked["hitsPerPage"]))]
        body = {
            "hits": given,
            "nbHits": len(found),
            "nbPages": 50,
            "page": 0,
            "hitsPerPage": self.page,
        }
        return 200, json.dumps(body).encode()


def story(number: int, at: datetime, comments: int = 0, **extra: Any) -> dict[str, Any]:
    return {
        "objectID": str(number), "story_id": number, "author": f"writer{number}", "title": f"Ferry {number}",
        "url": "https://www.harbour.example/ferry", "points": 7, "num_comments": comments, "story_text": None,
        "created_at": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "created_at_i": int(at.timestamp()),
        "_tags": ["story", f"author_writer{number}", f"story_{number}"],
    } | extra  # fmt: skip


def comment(number: int, at: datetime, parent: int, root: int, **extra: Any) -> dict[str, Any]:
    return {
        "objectID": str(number), "author": f"reader{number}", "parent_id": parent, "story_id": root,
        "comment_text": f"The ferry &#x27;runs&#x27;<p>see <a href=\"https:&#x2F;&#x2F;a.example\">it</a> {number}",
        "created_at": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "created_at_i": int(at.timestamp()), "points": None,
        "_tags": ["comment", f"author_reader{number}", f"story_{root}"],
    } | extra  # fmt: skip


def node(number: int, at: datetime, *children: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {
        "id": number, "type": "comment", "author": f"reader{number}", "text": f"<i>Answer</i> {number}",
        "created_at": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "created_at_i": int(at.timestamp()),
        "parent_id": 1, "points": None, "children": list(children),
    } | extra  # fmt: skip


# -- GDELT ----------------------------------------------------------------------------------------


@dataclass
class Doc(Platform):
    """An article list of at most 250 rows a request; `pages` are the articles' own pages."""

    articles: list[dict[str, Any]] = field(default_factory=list)
    pages: dict[str, bytes] = field(default_factory=dict)
    odd: list[tuple[int, bytes]] = field(default_factory=list)
    """Answers that come before any real one."""

    def answer(self, url: str) -> tuple[int, bytes]:
        if "/api/v2/doc/doc" not in url:
            page = self.pages.get(url)
            return (404, b"") if page is None else (200, page)
        if self.odd:
            return self.odd.pop(0)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        low, high = asked["startdatetime"], asked["enddatetime"]
        found = [
            row
            for row in self.articles
            if low <= row["seendate"].replace("T", "").removesuffix("Z") <= high
        ]
        rows = found[: int(asked["maxrecords"])]
        return 200, (json.dumps({"articles": rows}) if rows else "{}").encode()


def seen(number: int, at: datetime, **extra: Any) -> dict[str, Any]:
    return {
        "url": f"https://paper{number % 7}.example/ferry/{number}?utm_source=x", "url_mobile": "",
        "title": f"Ferry {number}", "seendate": at.strftime("%Y%m%dT%H%M%SZ"), "socialimage": "",
        "domain": f"paper{number % 7}.example", "language": "English", "sourcecountry": "China",
    } | extra  # fmt: skip


# -- Google News ----------------------------------------------------------------------------------


@dataclass
class News(Platform):
    """A feed of at most 100 entries of the days asked for."""

    entries: list[tuple[str, datetime, str, str]] = field(default_factory=list)
    """id, publication, headline, outlet."""
    forgets_days_from: int = 10**9
    """Results from which the days are forgotten and the newest of all are given."""

    def answer(self, url: str) -> tuple[int, bytes]:
        words = parse_qs(urlsplit(url).query)["q"][0].split()
        after, before = (
            datetime.fromisoformat(
                next(w for w in words if w.startswith(name))[len(name) :]
            ).replace(tzinfo=UTC)
            for name in ("after:", "before:")
        )
        found = [row for row in self.entries if after <= row[1] < before]
        if len(found) >= self.forgets_days_from:
            found = sorted(self.entries, key=lambda row: row[1], reverse=True)[:60]
        rows = "".join(_entry(*row) for row in found[:100])
        return 200, (
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><rss version="2.0"><channel>'
            f'<title>"ferry" - Google News</title>{rows}</channel></rss>'
        ).encode()


def _entry(native: str, at: datetime, title: str, outlet: str) -> str:
    link = f"https://news.google.com/rss/articles/{native}?oc=5"
    words = escape(
        f'<a href="{link}" target="_blank">{title}</a>&nbsp;&nbsp;<font color="#6f6f6f">{outlet}</font>'
    )
    source = (
        f'<source url="https://{native.lower()}.example">{escape(outlet)}</source>'
        if outlet
        else ""
    )
    suffix = f" - {outlet}" if outlet else ""
    return (
        f'<item><title>{escape(title + suffix)}</title><link>{link}</link><guid isPermaLink="false">{native}</guid>'
        f"<pubDate>{format_datetime(at, usegmt=True)}</pubDate><description>{words}</description>{source}</item>"
    )
