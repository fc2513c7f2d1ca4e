"""Mastodon: hashtag timelines within days, full-text search where a token is configured, and the replies.

Ids are snowflakes that carry their time, so a timeline can be entered at any day; pages follow the Link header.
A tag with more than is wanted is read day by day, so that few statuses still cover the window. Boosts are
copies: they are unwrapped to what they boost, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, ClassVar
from urllib.parse import quote, urlencode, urlsplit

from schemas import Item, Origin, SourceQuery
from sources import existence
from sources.base import Connector, Cursor, Paused, SourceError
from sources.http import Response
from sources.lenient import glimpse, mapping, rows
from sources.limits import until
from sources.mastodon_json import is_status, snowflake, sorted_at, status_item
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

ADDRESS = "https://mastodon.social"
PAGE = 40
"""Most statuses that a server gives at once, whatever is asked for."""
LOOK = 400
"""Statuses up to which a window is read newest first, in the hope that this is all of it."""
LOOK_PAGES = 40
THREADS = 10
"""Discussions fetched, unless `collect.mastodon_threads` says otherwise."""
SHOWN = 60
"""Replies that a server shows of one status to readers without an account."""
MOST_PARTS = 120
MOST_REQUESTS = 1_000
"""Pages of one query; a server allows 300 requests in five minutes."""
_REACH = 10_000
"""Results that a full-text search pages through."""
_NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="?next"?')
_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_HALF_DAY = timedelta(hours=12)


class Mastodon(Connector):
    """One instance's view of a hashtag, or its full-text search."""

    name = "mastodon"
    optional: ClassVar[tuple[str, ...]] = ("MASTODON_TOKEN",)
    window = "days"
    takes = "one hashtag with #, or search words (these need MASTODON_TOKEN)"
    cap = "40 a page, 300 in 5 min"

    @classmethod
    def unfit(cls, query: str, env: Mapping[str, str]) -> str:
        """Search words cannot be asked without a token."""
        is_tag = re.fullmatch(r"#[^\s#]+", query) is not None
        return "" if is_tag or env.get("MASTODON_TOKEN") else "search words need MASTODON_TOKEN"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield statuses newest first, or in rounds over the days where there are too many, then replies.

        A third of `query.max_items` is kept for replies of the most-discussed ones; what they leave goes to
        further statuses. SourceError when the instance refuses the token, Paused when its limit is used up.
        """
        self._base = str(self.context.setting("mastodon_url", ADDRESS)).rstrip("/")
        self._words = query.query.strip()
        self._tag = self._words.lstrip("#") if re.fullmatch(r"#[^\s#]+", self._words) else ""
        self._window = day_window(since, until, self.context.zone)
        self._origin = Origin(source=self.name, query=query.query)
        self._seen = self.context.cursor.given()
        if not self._tag and not self._token():
            self.report.end("blocked")
            self.report.note("full-text search needs MASTODON_TOKEN; a hashtag does not")
            return
        threads = max(int(self.context.setting("mastodon_threads", THREADS)), 0)
        room = query.max_items - (query.max_items // 3 if threads else 0)
        days = self.context.cursor.part("days")
        cursor = self.context.cursor.part("threads")
        if not begun(cursor):
            talk: dict[str, int] = {}
            given = 0
            for items in self._statuses(days, room, talk):
                note_talk(talk, items, threads)
                given += len(items)
                yield from items
            given = max(given, self._rounds(days, room).given)
            begin(cursor, most_discussed(talk, threads), query.max_items - given)
        yield from discussions(self._context, cursor=cursor, report=self.report)
        if days.load():  # else all statuses of the window were given
            yield from search_on(self._rounds(days, room), query.max_items, cursor=cursor)

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Asks the instance that was searched, one status a call, one call a second."""
        base = str(self.context.setting("mastodon_url", ADDRESS))
        token = self.context.env.get("MASTODON_TOKEN", "")
        return existence.mastodon(self.context.client, self.report, base, token, native_ids)

    # -- statuses --------------------------------------------------------------------------------

    def _statuses(self, days: Cursor, room: int, talk: dict[str, int]) -> Iterator[list[Item]]:
        """Statuses in pages, at most `room`. A query that was stopped while it went by days goes on there."""
        looked: list[Item] = []
        if not days.load():
            refused, known = len(self.report.refusals), set(self._seen)
            looked, whole = self._look(min(room, LOOK))
            if whole:
                yield looked
                return
            self._seen = known
            del self.report.refusals[refused:]  # the same posts are met again by days
        rounds = self._rounds(days, room)
        talk.update(rounds.memory.get("talk", {}))
        try:
            for items in rounds.pages():
                yield items
                rounds.memory["talk"] = dict(talk)
        except Paused:
            if not self.context.waits:  # what was seen while looking is all that there will be
                yield [item for item in looked if item.native_id not in self._seen][: rounds.room]
            raise

    def _rounds(self, days: Cursor, room: int) -> Rounds:
        width = _DAY if self._tag else _WEEK
        return Rounds(
            self._ask,
            parts_of(self._window, width, min(MOST_PARTS, room)),
            room=room,
            page=PAGE,
            reach=10**9 if self._tag else _REACH,
            asks=MOST_REQUESTS,
            step=timedelta(milliseconds=1),
            report=self.report,
            cursor=days,
            seen=self._seen,
        )

    def _look(self, most: int) -> tuple[list[Item], bool]:
        """Statuses of the window, newest first, and whether they are all of it, `most` or fewer."""
        found: list[Item] = []
        token = ""
        for _ in range(LOOK_PAGES):
            try:
                answer = self._ask(self._window, token, PAGE)
            except Paused:
                if self.context.waits:
                    raise
                return found, False
            if answer.failed:
                self.report.capped = True
                self.report.note(
                    "some pages of the search gave no answer, so older posts may be missing"
                )
                return found, True
            for item in answer.items:
                if item.native_id not in self._seen:
                    self._seen.add(item.native_id)
                    found.append(item)
            if len(found) > most:
                return found, False
            if not answer.token or answer.token == token:
                return found, True
            token = answer.token
        return found, False

    def _ask(self, window: Window, token: str, limit: int) -> Page:
        """One page of a window, newest first, from the start or from the address of a page on."""
        address = token or (
            self._tag_address(window, limit) if self._tag else self._words_address(window, 0)
        )
        body, response = self._get(address)
        given = body if self._tag else mapping(body).get("statuses")
        if not isinstance(given, list):
            if body is not None:
                self.report.refuse(address, "decode_error", "the answer is no list of statuses")
            return Page(failed=True)
        items, inside, oldest = [], True, None
        for raw in given:
            if not is_status(raw):
                self.report.refuse(glimpse(raw), "not a status")
                continue
            at = sorted_at(raw)
            inside = at is None or at >= window.start
            if at is not None and not window.start <= at < window.end:
                continue  # links forget where the window starts, and searches know whole days only
            oldest = at or oldest
            item = self._item(raw)
            if item is not None:
                items.append(item)
        following = self._next(address, given, response) if given and inside else ""
        return Page(items=items, size=len(given), token=following, oldest=oldest)

    def _item(self, raw: Any, root: str = "") -> Item | None:
        """A status of the window as an item; a boost of what was given before is refused as a copy."""
        item = status_item(raw, self.context, self.report, origin=self._origin, root=root)
        if item is None:
            return None
        if raw.get("reblog") and item.native_id in self._seen:
            self.report.refuse(str(raw["id"]), "copy", f"boosts {item.native_id}")
        at = item.published_at
        if at is not None and not self._window.start <= at < self._window.end:
            self.report.refuse(item.native_id, "outside the window", item.published_raw)
            return None
        return item

    def _tag_address(self, window: Window, limit: int) -> str:
        asked = {
            "limit": limit,
            "max_id": snowflake(window.end),
            "since_id": snowflake(window.start),
        }
        return f"{self._base}/api/v1/timelines/tag/{quote(self._tag, safe='')}?{urlencode(asked)}"

    def _words_address(self, window: Window, offset: int) -> str:
        """A search of days. A server counts days in the account's zone, so half a day is asked more at each end."""
        after = (window.start - _HALF_DAY).date() - _DAY
        before = (window.end + 3 * _HALF_DAY).date()
        asked = {
            "q": f"{self._words} after:{after} before:{before}",
            "type": "statuses",
            "limit": PAGE,
            "offset": offset,
        }
        return f"{self._base}/api/v2/search?{urlencode(asked)}"

    def _next(self, address: str, given: list[Any], response: Response) -> str:
        """Address of the page after this one; empty when there is none."""
        if not self._tag:
            head, _, offset = address.rpartition("offset=")
            return f"{head}offset={int(offset) + len(given)}"
        match = _NEXT.search(response.headers.get("link", ""))
        if match is None:
            return ""
        if urlsplit(match[1])[:2] != urlsplit(address)[:2]:
            self.report.note("a page link led to another host and was not followed")
            return ""
        return match[1]

    # -- replies ---------------------------------------------------------------------------------

    def _context(self, native: str, _: str, share: int) -> Replies:
        """The replies to one status that reached this instance, at any depth."""
        body, response = self._get(f"{self._base}/api/v1/statuses/{quote(native, safe='')}/context")
        if body is None:
            self.report.capped |= response.outcome != "soft404"
            return Replies()
        below = rows(mapping(body).get("descendants"))
        if len(below) >= SHOWN and not self._token():
            self.report.capped = True
            self.report.note(
                f"a server shows about {SHOWN} replies of a status to readers without MASTODON_TOKEN"
            )
        return Replies(self._replies(below, native))

    def _replies(self, below: list[Any], root: str) -> Iterator[Item]:
        for raw in below:
            if not is_status(raw):
                self.report.refuse(glimpse(raw), "not a status")
                continue
            item = self._item(raw, root)
            if item is not None and item.native_id not in self._seen:
                self._seen.add(item.native_id)
                yield item

    # -- asking ----------------------------------------------------------------------------------

    def _token(self) -> str:
        return self.context.env.get("MASTODON_TOKEN", "").strip()

    def _get(self, address: str) -> tuple[Any, Response]:
        """The JSON of an answer, or none, which is reported."""
        token = self._token()
        if token and not re.fullmatch(r"[!-~]+", token):  # an error about a header would print it
            raise SourceError(
                "MASTODON_TOKEN is no token; copy it again from the instance's settings"
            )
        headers = {"authorization": f"Bearer {token}"} if token else {}
        response = self.context.client.get(address, headers=headers, robots=False)
        if response.status == 401:
            raise SourceError(
                "the Mastodon instance refused the request (401); set MASTODON_TOKEN to a valid token"
            )
        if response.status == 429:
            self.report.end("blocked")
            raise Paused(
                f"{urlsplit(address).netloc} allows no further request"
                f"{until(response.headers, ' for some minutes')}"
            )
        if response.outcome not in ("ok", "empty"):
            self.report.end(response.outcome)
            self.report.refuse(address, response.outcome, response.note)
            return None, response
        try:
            body = json.loads(response.body)
        except (ValueError, RecursionError):
            self.report.end("decode_error")
            self.report.refuse(address, "decode_error", "the answer is no JSON")
            return None, response
        self.report.end("ok" if body else "empty")
        return body, response
