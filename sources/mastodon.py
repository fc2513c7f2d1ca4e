"""Mastodon: hashtag timelines within days, full-text search where a token is configured, and the replies.

Ids are snowflakes that carry their time, so a timeline can be entered at any day; pages follow the Link header.
A tag with more than is wanted is read day by day, so that few statuses still cover the window. Boosts are
copies: they are unwrapped to what they boost, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import quote, urlencode, urlsplit

from schemas import Item, Origin, SourceQuery
from sources import existence
from sources.base import Connector, SourceError
from sources.http import Response
from sources.lenient import glimpse, mapping, rows
from sources.mastodon_json import is_status, snowflake, sorted_at, status_item
from sources.rounds import Page, Rounds, parts_of
from sources.threads import Replies, begin, begun, discussions, most_discussed, note_talk
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

        A third of `query.max_items` is kept for replies of the most-discussed ones. SourceError when the
        instance refuses the token or its rate limit is used up.
        """
        self._base = str(self.context.setting("mastodon_url", ADDRESS)).rstrip("/")
        self._words = query.query.strip()
        self._tag = self._words.lstrip("#") if re.fullmatch(r"#[^\s#]+", self._words) else ""
        self._window = day_window(since, until, self.context.zone)
        self._origin = Origin(source=self.name, query=query.query)
        self._seen: set[str] = set()
        if not self._tag and not self._token():
            self.report.end("blocked")
            self.report.note("full-text search needs MASTODON_TOKEN; a hashtag does not")
            return
        threads = max(int(self.context.setting("mastodon_threads", THREADS)), 0)
        cursor = self.context.cursor.part("threads")
        if not begun(cursor):
            rest = query.max_items // 3 if threads else 0
            self._room = query.max_items - rest
            talk: dict[str, int] = {}
            for items in self._statuses(talk):
                note_talk(talk, items, threads)
                yield from items
            begin(cursor, most_discussed(talk, threads), rest + self._room)
        yield from discussions(self._context, cursor=cursor, report=self.report)

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Asks the instance that was searched, one status a call, one call a second."""
        base = str(self.context.setting("mastodon_url", ADDRESS))
        token = self.context.env.get("MASTODON_TOKEN", "")
        return existence.mastodon(self.context.client, self.report, base, token, native_ids)

    # -- statuses --------------------------------------------------------------------------------

    def _statuses(self, talk: dict[str, int]) -> Iterator[list[Item]]:
        """Statuses in pages, `self._room` in all. A query that was killed while it went by days goes on there."""
        cursor = self.context.cursor.part("days")
        if not cursor.load():
            refused = len(self.report.refusals)
            found = self._look(min(self._room, LOOK))
            if found is not None:
                self._room -= len(found)
                yield found
                return
            self._seen.clear()
            del self.report.refusals[refused:]  # the same posts are met again by days
        width = _DAY if self._tag else _WEEK
        rounds = Rounds(
            self._ask,
            parts_of(self._window, width, min(MOST_PARTS, self._room)),
            room=self._room,
            page=PAGE,
            reach=10**9 if self._tag else _REACH,
            asks=MOST_REQUESTS,
            step=timedelta(milliseconds=1),
            report=self.report,
            cursor=cursor,
            seen=self._seen,
        )
        talk.update(rounds.memory.get("talk", {}))
        for items in rounds.pages():
            yield items
            rounds.memory["talk"] = dict(talk)
        self._room = rounds.room

    def _look(self, most: int) -> list[Item] | None:
        """All statuses of the window, newest first; none when there are more than `most`."""
        found: list[Item] = []
        token = ""
        for _ in range(LOOK_PAGES):
            answer = self._ask(self._window, token, PAGE)
            if answer.failed:
                self.report.capped = True
                self.report.note(
                    "some pages of the search gave no answer, so older posts may be missing"
                )
                return found
            for item in answer.items:
                if item.native_id not in self._seen:
                    self._seen.add(item.native_id)
                    found.append(item)
            if len(found) > most:
                return None
            if not answer.token or answer.token == token:
                return found
            token = answer.token
        return None

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
            self.report.capped = True
            raise SourceError(
                f"{urlsplit(address).netloc} allows no further request"
                f"{_until(response.headers.get('x-ratelimit-reset', ''))}; run again then: the search goes on "
                "where it stopped"
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


def _until(raw: str) -> str:
    """When a server takes requests again, from its ISO time; empty when it does not say."""
    try:
        at = datetime.fromisoformat(raw)
    except ValueError:
        return " for some minutes"
    return f" before {at:%H:%M} UTC"
