"""X through tweepy (extra `x`): posts of the full archive or the last seven days, evenly over them, and replies.

Reads are paid by the post, so reposts are not asked for and days share what is wanted. tweepy makes the requests
and our guarded client sends them: nothing sleeps through a rate limit, the query stops with the time at which it
may go on, and a rerun goes on there.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from importlib import import_module
from typing import Any
from urllib.parse import urlencode, urlsplit

from schemas import Item, Origin, SourceQuery
from sources import existence
from sources.base import Connector, Paused, SourceError
from sources.http import Response
from sources.lenient import json_object, mapping, rows, words
from sources.limits import until
from sources.rounds import Page, Rounds, parts_of
from sources.threads import (
    Replies,
    begin,
    begun,
    discussions,
    most_discussed,
    note_talk,
    search_on,
)
from sources.windows import Window, day_window
from sources.x_json import post_item, referenced

ADDRESS = "https://api.x.com"
PAGE = {"all": 500, "recent": 100}
"""Most posts of one answer."""
LEAST = 10
"""Fewest posts that may be asked for."""
RECENT = timedelta(days=7)
LAG = timedelta(seconds=30)
"""How long ago the end of a search has to be."""
THREADS = 5
"""Discussions fetched, unless `collect.x_threads` says otherwise."""
MOST_PARTS = 60
MOST_REQUESTS = 1_000
_FIELDS = [
    "author_id", "conversation_id", "created_at", "edit_history_tweet_ids", "entities", "lang", "note_tweet",
    "public_metrics", "referenced_tweets",
]  # fmt: skip
_EXPANSIONS = ["referenced_tweets.id"]


class _Failed(Exception):
    """An answer that is no page of posts."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.note)
        self.response = response


class X(Connector):
    """Search of posts and of the conversations that the most-discussed ones opened."""

    name = "x"
    needs = ("X_BEARER_TOKEN",)
    window = "days"
    takes = "search words and operators of X; lang:xx and from:name narrow them"
    cap = "500 a page (full archive) or 100 (last 7 days); 300 or 450 in 15 min, 1 a second; reads are paid"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield posts of every day with those they quote or answer, then replies to the most-discussed ones.

        A third of `query.max_items` is kept for replies; what they leave goes to further posts. SourceError when
        tweepy is missing or X refuses the token or the kind of search, Paused when a limit is used up.
        """
        self._which = str(self.context.setting("x_search", "all"))
        if self._which not in PAGE:
            raise SourceError(f"collect.x_search is {self._which!r}; it is 'all' or 'recent'")
        self._origin = Origin(source=self.name, query=query.query)
        self._query = query.query.strip()
        self._seen = self.context.cursor.given()
        self._ask_x = self._client()
        window = self._open(day_window(since, until, self.context.zone))
        if window is None:
            return
        self._window = window
        threads = max(int(self.context.setting("x_threads", THREADS)), 0)
        posts = query.max_items - (query.max_items // 3 if threads else 0)
        rounds = Rounds(
            self._page,
            parts_of(window, timedelta(days=1), max(min(MOST_PARTS, posts // LEAST), 1)),
            room=posts,
            page=PAGE[self._which],
            reach=10**9,
            asks=MOST_REQUESTS,
            step=timedelta(seconds=1),
            report=self.report,
            cursor=self.context.cursor.part("search"),
            seen=self._seen,
        )
        cursor = self.context.cursor.part("threads")
        if not begun(cursor):
            talk: dict[str, int] = rounds.memory.setdefault("talk", {})
            for items in rounds.pages():
                note_talk(talk, items, threads)
                yield from items
            begin(cursor, most_discussed(talk, threads), query.max_items - rounds.given)
        yield from discussions(self._replies, cursor=cursor, report=self.report)
        yield from search_on(rounds, query.max_items, cursor=cursor)

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Asks by id, 100 a call; each post that is found costs a read. tweepy is not needed."""
        token = self.context.env.get("X_BEARER_TOKEN", "").strip()
        base = str(self.context.setting("x_url", ADDRESS))
        return existence.x(self.context.client, self.report, base, token, native_ids)

    def _open(self, window: Window) -> Window | None:
        """The part of a window that may be searched now; none, said in the report, when there is none."""
        end = min(window.end, self.context.fetched_at - LAG)
        start = window.start
        if self._which == "recent":
            start = max(start, self.context.fetched_at - RECENT + timedelta(minutes=1))
        start, end = (at.replace(microsecond=0) for at in (start, end))
        if start >= end:
            self.report.end("empty")
            self.report.capped = True
            self.report.note(
                'the search of the last seven days cannot reach the window; set collect.x_search to "all"'
                if self._which == "recent"
                else "the window has not begun"
            )
            return None
        if start > window.start:
            self.report.capped = True
            self.report.note(f"X was searched for the last seven days only, from {start:%Y-%m-%d}")
        return Window(start, end)

    # -- asking ----------------------------------------------------------------------------------

    def _page(self, window: Window, token: str, limit: int) -> Page:
        asked = self._query
        if "is:retweet" not in asked:
            asked = f"({asked}) -is:retweet"
        try:
            body = self._get(asked, window, token, limit)
        except _Failed as failure:
            if token and failure.response.status == 400:
                self.report.end("error")
                return Page(refused=True)
            return Page(closed=self._failed(failure.response), failed=True)
        posts = rows(body.get("data"))
        found = [item for item in map(self._item, posts) if item is not None]
        times = [item.published_at for item in found if item.published_at is not None]
        return Page(
            items=found + self._referenced(posts, body),
            size=len(posts),
            token=words(mapping(body.get("meta")).get("next_token")),
            oldest=min(times, default=None),
        )

    def _replies(self, native: str, token: str, share: int) -> Replies:
        """One page of a conversation."""
        try:
            body = self._get(f"conversation_id:{native} -is:retweet", self._window, token, share)
        except _Failed as failure:
            self.report.capped = True
            self._failed(failure.response)
            return Replies()
        found = (self._item(raw) for raw in rows(body.get("data")))
        return Replies(self._new(found), words(mapping(body.get("meta")).get("next_token")))

    def _new(self, items: Iterator[Item | None]) -> Iterator[Item]:
        for item in items:
            if item is not None and item.native_id not in self._seen:
                self._seen.add(item.native_id)
                yield item

    def _item(self, raw: object) -> Item | None:
        return post_item(raw, self.context, self.report, origin=self._origin)

    def _referenced(self, posts: list[Any], body: Mapping[str, Any]) -> list[Item]:
        """Posts of the window that the found ones quote or answer."""
        wanted = {
            referenced(mapping(raw), kind) for raw in posts for kind in ("quoted", "replied_to")
        }
        found = []
        for raw in rows(mapping(body.get("includes")).get("tweets")):
            item = self._item(raw) if mapping(raw).get("id") in wanted else None
            at = item.published_at if item is not None else None
            if item is not None and at is not None and self._window.start <= at < self._window.end:
                found.append(item)
        return found

    def _get(self, asked: str, window: Window, token: str, limit: int) -> Mapping[str, Any]:
        """One page of a search. _Failed when the answer is none."""
        response = self._ask_x(
            asked,
            start_time=window.start,
            end_time=window.end,
            max_results=min(max(limit, LEAST), PAGE[self._which]),
            next_token=token or None,
            tweet_fields=_FIELDS,
            expansions=_EXPANSIONS,
        )
        body: Mapping[str, Any] = json_object(response.content) or {}
        self.report.end("ok" if rows(body.get("data")) else "empty")
        return body

    def _failed(self, response: Response) -> bool:
        """Report a failed answer; true when no further search makes sense. SourceError with what to do."""
        said = _said(response)
        if response.status == 401:
            raise SourceError("X refused the token; check X_BEARER_TOKEN")
        if response.status == 403:
            raise SourceError(
                'this X project may not search the full archive (403); set collect.x_search to "recent" or '
                "give the project access to it"
                if self._which == "all"
                else "this X project may not search (403); check its access in the developer console"
            )
        if response.status == 402 or (response.status == 429 and "usage" in said.lower()):
            self.report.end("blocked")
            why = "the reads that this X project has paid for are used up"
            if self.context.waits:
                raise Paused(f"{why}, until more are bought or the next month begins")
            self.report.note(why)
            return True
        if response.status == 429:
            self.report.end("blocked")
            raise Paused(
                f"X allows no further search{until(response.headers, ' for up to fifteen minutes')}"
            )
        outcome = "decode_error" if response.outcome == "ok" else response.outcome
        self.report.end(outcome)
        self.report.refuse(response.url, outcome, said or response.note)
        return response.status == 400

    def _client(self) -> Any:
        """The search of tweepy's client, sent by ours."""
        try:
            tweepy = import_module("tweepy")
        except ImportError as error:
            raise SourceError(
                'the source x needs tweepy; install it with: pip install "event-factory[x]"'
            ) from error
        token = self.context.env.get("X_BEARER_TOKEN", "").strip()
        if not re.fullmatch(r"[!-~]+", token):  # an error about a header would print it
            raise SourceError(
                "X_BEARER_TOKEN is no token; copy it again from the developer console"
            )
        import requests

        client = tweepy.Client(token, return_type=requests.Response, wait_on_rate_limit=False)
        client.session = _Sender(self.context.client, str(self.context.setting("x_url", ADDRESS)))
        return client.search_all_tweets if self._which == "all" else client.search_recent_tweets


class _Sender:
    """What tweepy takes for its session: sends by the guarded client, and lets pages of posts through only."""

    def __init__(self, http: Any, base: str) -> None:
        self._http = http
        self._base = base.rstrip("/")
        http.pace(self._base, 1.0)

    def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        **_: Any,
    ) -> Any:
        import requests

        if method != "GET":
            raise ValueError(f"a search is no {method}")
        address = f"{self._base}{urlsplit(url).path}?{urlencode(params)}"
        sent = {"authorization": headers["Authorization"]}
        response: Response = self._http.get(address, headers=sent, robots=False)
        if response.outcome != "ok" or json_object(response.body) is None:
            raise _Failed(response)
        made = requests.Response()
        made.status_code = response.status
        made.raw = io.BytesIO(response.body)
        return made


def _said(response: Response) -> str:
    """What X says about a failure: the title of its problem and the first message."""
    body = json_object(response.body) or {}
    problem = next(iter(rows(body.get("errors"))), None)
    parts = (
        body.get("type"),
        body.get("title"),
        mapping(problem).get("message"),
        body.get("detail"),
    )
    return "; ".join(word for part in parts if (word := words(part)))[:200]
