"""Bluesky: posts with the search words within days, evenly over them, and the replies under the most discussed.

The interface is asked directly (XRPC over HTTPS) and read leniently. A search gives about 10,000 posts whatever
was found, newest first, so it is entered again below its oldest post; where pages are refused to readers
without an account, every page is entered that way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import urlencode

from schemas import Item, Origin, SourceQuery
from sources import existence
from sources.base import Connector, Paused, SourceError
from sources.bluesky_json import count, post_item, sorted_at, thread_posts
from sources.http import Response
from sources.lenient import json_object, mapping, words
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

ADDRESS = "https://bsky.social"
"""Asked with an account: the server that knows it, which hands searches on."""
PUBLIC_ADDRESS = "https://api.bsky.app"
"""Asked without an account."""
PAGE = 100
"""Most posts of one answer."""
REACH = 9_900
"""Posts after which pages end although there is more (about 10,000)."""
MOST_PARTS = 120
MOST_REQUESTS = 3_000
"""Searches of one query; the interface allows 3,000 requests in five minutes."""
THREADS = 10
"""Discussions fetched, unless `collect.bluesky_threads` says otherwise."""
DEPTH = 6
"""Levels of replies fetched, unless `collect.bluesky_depth` says otherwise."""
_STEP = timedelta(milliseconds=1)
_SESSION = "bluesky session"


def instant(at: datetime) -> str:
    """A time as the interface wants it: full, in UTC, to the millisecond."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


class Bluesky(Connector):
    """Search of the whole network, with an account or, where the server allows it, without."""

    name = "bluesky"
    optional: ClassVar[tuple[str, ...]] = ("BLUESKY_HANDLE", "BLUESKY_APP_PASSWORD")
    window = "days"
    takes = 'search words; "a phrase", #tag, from:handle and lang:xx narrow them'
    cap = "100 a page, about 10,000 a search (entered again below its oldest post); 3,000 requests in 5 min"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield the posts most engaged with, then posts of every day, then replies of the most-discussed ones.

        A third of `query.max_items` is kept for replies; what they leave goes to further posts. SourceError when
        the account is refused, Paused when the limit of requests is used up.
        """
        self._words = query.query.strip()
        self._origin = Origin(source=self.name, query=query.query)
        self._window = day_window(since, until, self.context.zone)
        self._seen = self.context.cursor.given()
        threads = max(int(self.context.setting("bluesky_threads", THREADS)), 0)
        posts = query.max_items - (query.max_items // 3 if threads else 0)
        rounds = Rounds(
            self._page,
            parts_of(self._window, timedelta(days=1), MOST_PARTS),
            room=posts,
            page=PAGE,
            reach=REACH,
            asks=MOST_REQUESTS,
            step=_STEP,
            report=self.report,
            cursor=self.context.cursor.part("search"),
            seen=self._seen,
        )
        cursor = self.context.cursor.part("threads")
        if not begun(cursor):
            talk: dict[str, int] = rounds.memory.setdefault("talk", {})
            if threads and "top" not in rounds.memory:
                yield from self._top(rounds, min(PAGE, max(2 * threads, 10), posts))
            self._seen.update(rounds.memory.get("top", ()))
            for items in rounds.pages():
                note_talk(talk, items, threads)
                yield from items
            begin(cursor, most_discussed(talk, threads), query.max_items - rounds.given)
        yield from discussions(self._thread, cursor=cursor, report=self.report)
        self._seen.update(rounds.memory.get("top", ()))
        yield from search_on(rounds, query.max_items, cursor=cursor)

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Asks the public interface, 25 posts a call; no account is needed."""
        base = str(self.context.setting("bluesky_public_url", PUBLIC_ADDRESS))
        return existence.bluesky(self.context.client, self.report, base, native_ids)

    # -- searching -------------------------------------------------------------------------------

    def _top(self, rounds: Rounds, limit: int) -> Iterator[Item]:
        """The posts of the whole window with most engagement: among them are the discussions worth fetching."""
        answer = self._ask(self._window, "", limit, "top")
        items = answer.items[: rounds.room]
        note_talk(rounds.memory["talk"], items, limit)
        rounds.memory["top"] = [item.native_id for item in items]
        rounds.given += len(items)
        yield from items
        rounds.save()

    def _page(self, window: Window, token: str, limit: int) -> Page:
        return self._ask(window, token, limit, "latest")

    def _ask(self, window: Window, token: str, limit: int, sort: str) -> Page:
        asked = {
            "q": self._words,
            "sort": sort,
            "since": instant(window.start),
            "until": instant(window.end),
            "limit": str(limit),
        }
        response = self._get(
            "app.bsky.feed.searchPosts", asked | ({"cursor": token} if token else {})
        )
        if token and response.status in (400, 401, 403):
            self.report.end("blocked")
            self.report.note(
                "the server refuses pages to readers without an account, so they were asked by time; "
                "set BLUESKY_HANDLE and BLUESKY_APP_PASSWORD"
                if not self._account()
                else "the server refused a page's cursor, so pages were asked by time"
            )
            return Page(refused=True)
        if response.status in (401, 403) and not self._account():
            self.report.note(
                "the server searches for accounts only; set BLUESKY_HANDLE and BLUESKY_APP_PASSWORD"
            )
        body = self._json(response)
        rows = body.get("posts") if body is not None else None
        if body is None or not isinstance(rows, list):
            return Page(failed=True)
        self.report.end("ok" if rows else "empty")
        items = (post_item(row, self.context, self.report, origin=self._origin) for row in rows)
        times = (sorted_at(mapping(row), self.context) for row in reversed(rows))
        return Page(
            items=[item for item in items if item is not None],
            size=len(rows),
            token=words(body.get("cursor")),
            oldest=next((at for at in times if at and window.start <= at < window.end), None),
        )

    # -- replies ---------------------------------------------------------------------------------

    def _thread(self, uri: str, token: str, limit: int) -> Replies:
        """The whole thread of a post, which comes in one answer: neither token nor limit is needed."""
        depth = max(int(self.context.setting("bluesky_depth", DEPTH)), 1)
        response = self._get(
            "app.bsky.feed.getPostThread",
            {"uri": uri, "depth": str(min(depth, 1000)), "parentHeight": "0"},
        )
        if response.status == 400 and _error(response) == "NotFound":
            self.report.end("soft404")
            self.report.refuse(uri, "deleted", "its replies are not known")
            return Replies()
        body = self._json(response)
        if body is None:
            self.report.capped = True
            return Replies()
        self.report.end("ok")
        return Replies(self._replies(mapping(body.get("thread"))))

    def _replies(self, thread: Mapping[str, Any]) -> Iterator[Item]:
        """Replies of a thread that lie in the window and were not given before."""
        found = 0
        for raw in thread_posts(thread, self.report):
            found += 1
            item = post_item(raw, self.context, self.report, origin=self._origin)
            if item is None or item.native_id in self._seen:
                continue
            at = item.published_at
            if at is not None and not self._window.start <= at < self._window.end:
                self.report.refuse(item.native_id, "outside the window", item.published_raw)
                continue
            self._seen.add(item.native_id)
            yield item
        answers = count(mapping(thread.get("post")).get("replyCount"))
        if answers is not None and answers > found:
            self.report.note("some discussions have more replies than the server shows")

    # -- asking ----------------------------------------------------------------------------------

    def _account(self) -> bool:
        return all(self.context.env.get(name) for name in self.optional)

    def _get(self, method: str, asked: Mapping[str, str]) -> Response:
        """One call; a session that has run out is renewed once."""
        if not self._account():
            base = str(self.context.setting("bluesky_public_url", PUBLIC_ADDRESS))
            address = f"{base.rstrip('/')}/xrpc/{method}?{urlencode(asked)}"
            return self._admitted(self.context.client.get(address, robots=False))
        base = str(self.context.setting("bluesky_url", ADDRESS)).rstrip("/")
        address = f"{base}/xrpc/{method}?{urlencode(asked)}"
        for attempt in range(2):
            token = self.context.shared.get(_SESSION) or self._log_in(base)
            response = self.context.client.get(
                address, headers={"authorization": f"Bearer {token}"}, robots=False
            )
            expired = response.status in (400, 401) and _error(response) in (
                "ExpiredToken",
                "InvalidToken",
                "AuthMissing",
            )
            if not expired or attempt:
                break
            del self.context.shared[_SESSION]
        return self._admitted(response)

    def _admitted(self, response: Response) -> Response:
        """The answer. Paused when it is that no more requests are taken."""
        if response.status == 429:
            self.report.end("blocked")
            raise Paused(
                f"Bluesky allows no further request{until(response.headers, ' for some minutes')}"
            )
        return response

    def _log_in(self, base: str) -> str:
        """A session's token by app password. SourceError says what to do when there is none."""
        name, secret = (self.context.env[key] for key in self.optional)
        response = self.context.client.post(
            f"{base}/xrpc/com.atproto.server.createSession",
            body=json.dumps({"identifier": name, "password": secret}).encode(),
        )
        self._admitted(response)
        if _error(response) == "AuthFactorTokenRequired":
            raise SourceError(
                "Bluesky asks for a second factor; put an app password (Settings, App passwords) "
                "into BLUESKY_APP_PASSWORD"
            )
        if response.status in (400, 401, 403):
            raise SourceError(
                "Bluesky refused the account; check BLUESKY_HANDLE and BLUESKY_APP_PASSWORD"
            )
        token = words((json_object(response.body) or {}).get("accessJwt"))
        if not re.fullmatch(r"[!-~]+", token):  # an error about a header would print it
            raise SourceError(
                f"Bluesky gave no session ({response.note or 'no token in the answer'}); "
                "run again later, or unset BLUESKY_HANDLE to search without an account"
            )
        self.context.shared[_SESSION] = token
        return token

    def _json(self, response: Response) -> Mapping[str, Any] | None:
        """The JSON object of an answer; none is reported."""
        if response.outcome != "ok":
            self.report.end(response.outcome)
            self.report.refuse(response.url, response.outcome, _error(response) or response.note)
            return None
        body = json_object(response.body)
        if body is None:
            self.report.end("decode_error")
            self.report.refuse(response.url, "decode_error", "the answer is no JSON object")
        return body


def _error(response: Response) -> str:
    """The name of an error as the interface gives it, such as ExpiredToken; its message is not kept."""
    name = words((json_object(response.body) or {}).get("error")) if response.status >= 400 else ""
    return name if name.isalnum() and len(name) <= 60 else ""
