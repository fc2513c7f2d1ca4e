"""GDELT DOC 2.0: addresses of news articles within days, each page then fetched as any web page.

The interface gives at most 250 articles a request and one request in 5 seconds; what is not a JSON object (the
sentence about the limit, an HTML page, a complaint about the query) is told apart and never read as data.
`seendate` is when the crawler saw a page, not when it was published: it is held as a day of low confidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from schemas import Item, SourceQuery
from sources.base import Connector, Paused, SourceError
from sources.lenient import glimpse, mapping, words
from sources.limits import said, until
from sources.text import decode, headline
from sources.times import Moment
from sources.urls import canonical, is_web_address
from sources.web import fetch_article
from sources.windows import Haul, Window, day_window, listing, spread

ADDRESS = "https://api.gdeltproject.org"
PAGE = 250
"""Most articles that a request gives."""
PACE = 5.0
"""Seconds between two requests that the interface asks for."""
PAGES = 200
"""Article pages fetched for a query, unless `collect.gdelt_articles` says otherwise."""
SMALLEST = timedelta(minutes=30)
"""Spans below it are refused as too short."""
_REACH = timedelta(days=92)
"""The interface promises to search the last three months."""
_ATTEMPTS = 3
_LIMITED = re.compile(r"limit requests|too many requests|rate limit", re.IGNORECASE)
_COMPLAINT = re.compile(
    r"\b(?:quer(?:y|ies)|phrase|keyword|timespan|parenthes[ie]s|invalid|unsupported)\b",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"""\\(?:(u[0-9a-fA-F]{4}|["\\/bfnrt])|(')|)""")
_LANGUAGES = {"en": "english", "zh": "chinese"}
_WEIGHT = 0.3
"""Confidence of a day that only the crawler gives."""


def read_answer(body: bytes, content_type: str = "") -> Mapping[str, Any]:
    """The JSON object of an answer. ValueError with the beginning of the text when it is none.

    Two faults of this interface are mended: backslashes that begin no escape of JSON stand for themselves
    (before an apostrophe for nothing), and raw control characters inside strings are taken.
    """
    text = decode(body, content_type).text.strip()
    if not text.startswith("{"):
        raise ValueError(" ".join(text.split())[:200] or "an empty answer")
    try:
        try:
            value: Mapping[str, Any] = json.loads(text, strict=False)
        except json.JSONDecodeError:
            value = json.loads(_ESCAPE.sub(_mended, text), strict=False)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def _mended(match: re.Match[str]) -> str:
    if match[1] is not None:
        return match[0]
    return "'" if match[2] else r"\\"


def asked_words(query: str, lang: str) -> str:
    """The query with the language operator of its language, unless it names one itself."""
    if re.search(r"(?<!\w)-?sourcelang:", query, re.IGNORECASE):
        return query
    return f"{query} sourcelang:{_LANGUAGES[lang]}"


class Gdelt(Connector):
    """News articles that GDELT saw within days."""

    name = "gdelt"
    window = "days"
    takes = (
        "search words, English ones for pages in any language; operators such as "
        'sourcecountry:china, sourcelang:chinese, domain:example.com, "a phrase", (a OR b)'
    )
    cap: ClassVar[str] = "250 a window, split where it is hit; 1 request in 5 s; the last 3 months"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield articles, the days evenly. SourceError when the interface complains about the query.

        Paused when it takes no more requests and says until when; it often refuses without, and that is not waited
        for.
        """
        self._base = str(self.context.setting("gdelt_url", ADDRESS)).rstrip("/")
        if not self.context.setting("proxy", ""):
            self.context.client.pace(self._base, PACE)
        self._words = asked_words(query.query, query.lang)
        window = day_window(since, until, self.context.zone)
        if window.start < self.context.fetched_at - _REACH:
            self.report.note(
                "GDELT promises the last three months only; of the days before it may know little"
            )
        cursor = self.context.cursor
        state = cursor.load()
        if "todo" not in state:
            state = self._list(window, query.max_items)
            cursor.save(state)
        while state["todo"] and state["given"] < query.max_items:
            row = state["todo"][0]
            item = self._article(row, query)
            state["todo"] = state["todo"][1:]
            if item is not None:
                state["given"] += 1
                yield item
            cursor.save(state)
        left = state["todo"]
        if left or state["more"]:
            self.report.capped = True
            self.report.note(
                f"{len(left) + state['more']} of the articles listed were not fetched; "
                "raise max_items or collect.gdelt_articles for more"
            )
        for row in left:
            self.report.refuse(row["url"], "listed, not fetched")

    def _list(self, window: Window, most: int) -> dict[str, Any]:
        """What is to be fetched, in the order of fetching."""
        rows = listing(
            self._ask,
            window,
            key="key",
            smallest=SMALLEST,
            report=self.report,
            cursor=self.context.cursor.part("listing"),
        )
        rows = spread(rows, lambda row: str(row["seen"])[:8])
        pages = max(int(self.context.setting("gdelt_articles", PAGES)), 0)
        for row in rows[pages:]:
            self.report.refuse(row["url"], "listed, not fetched")
        return {"todo": rows[:pages], "more": len(rows[pages:]), "given": 0}

    def _ask(self, window: Window) -> Haul[dict[str, Any]]:
        address = f"{self._base}/api/v2/doc/doc?" + urlencode(
            {
                "query": self._words,
                "mode": "artlist",
                "format": "json",
                "maxrecords": PAGE,
                "sort": "hybridrel",
                "startdatetime": f"{window.start:%Y%m%d%H%M%S}",
                # both ends are included by the interface
                "enddatetime": f"{window.end - timedelta(seconds=1):%Y%m%d%H%M%S}",
            }
        )
        articles = self._get(address)
        if articles is None:
            return Haul((), capped=False, failed=True)
        capped = len(articles) >= PAGE
        if capped and window.halves(SMALLEST) is not None:
            return Haul((), capped=True)
        rows = []
        for raw in articles:
            row = mapping(raw)
            url = words(row.get("url"))
            if not is_web_address(url):
                self.report.refuse(glimpse(raw), "not an article")
                continue
            rows.append(
                {
                    "key": canonical(url),
                    "url": url,
                    "title": headline(words(row.get("title"))),
                    "seen": words(row.get("seendate")),
                }
            )
        return Haul(rows, capped)

    def _get(self, address: str) -> list[Any] | None:
        """The articles of an answer, or none when there is no answer; the outcome is counted."""
        note = ""
        for _ in range(_ATTEMPTS):
            response = self.context.client.get(address, robots=False)
            if response.outcome == "empty":
                self.report.end("empty")
                return []
            if response.outcome != "ok":
                if response.status == 429 and self.context.waits and said(response.headers):
                    raise Paused(f"GDELT allows no further request{until(response.headers)}")
                self.report.end(response.outcome)
                self.report.refuse(address, response.outcome, response.note)
                return None
            try:
                body = read_answer(response.body, response.content_type)
            except ValueError as error:
                note = str(error)
                if _LIMITED.search(note):
                    continue
                self._refuse(address, response.body, note)
                return None
            articles = body.get("articles", [])
            if not isinstance(articles, list):
                self._refuse(address, response.body, "articles is no list")
                return None
            self.report.end("ok" if articles else "empty")
            return articles
        self.report.end("blocked")
        self.report.refuse(address, "blocked", note)
        return None

    def _refuse(self, address: str, body: bytes, note: str) -> None:
        """Count an answer that is no list of articles. SourceError when it says what is wrong with the query."""
        if body.lstrip()[:1] == b"<":
            self.report.end("blocked")
            self.report.refuse(address, "blocked", "an HTML page in place of an answer")
        elif len(body) < 500 and not body.lstrip().startswith(b"{") and _COMPLAINT.search(note):
            raise SourceError(f"GDELT refuses the query {self._words!r}: {note}")
        else:
            self.report.end("decode_error")
            self.report.refuse(address, "decode_error", note)

    def _article(self, row: Mapping[str, str], query: SourceQuery) -> Item | None:
        return fetch_article(
            row["url"],
            self.context,
            self.report,
            source=self.name,
            query=query.query,
            listed=self._seen(row["seen"]),
            listed_raw=row["seen"],
            title=row["title"],
        )

    def _seen(self, raw: str) -> Moment:
        """The day on which the crawler saw a page, in the event's zone."""
        moment = self.context.time(raw, "UTC")
        if moment.at is None:
            return moment
        here = ZoneInfo(self.context.zone)
        day = moment.at.astimezone(here).date()
        noon = datetime(day.year, day.month, day.day, 12, tzinfo=here)
        return Moment(
            noon.astimezone(self.context.fetched_at.tzinfo),
            "day",
            "explicit",
            _WEIGHT,
            "the day on which a crawler saw the page",
        )
