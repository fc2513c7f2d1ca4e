"""YouTube through its Data API: videos with the search words within days, and comments under the most discussed.

The key travels in a header, so that no address, log or recording holds it, and what the API says of a failure
is kept as its reason alone, because its sentences may repeat the key. Searches are scarce (100 a day), so a
window is asked in few parts, best results first; `totalResults` is a guess of the platform and is not read.
YouTube's policy lets data of the API be stored for 30 days, then it must be deleted or fetched again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from schemas import Item, Origin, SourceQuery
from sources import existence
from sources.base import Connector, Paused, SourceError
from sources.http import Response
from sources.lenient import glimpse, json_object, mapping, rows, words
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
from sources.youtube_json import comment_item, count, video_id, video_item

ADDRESS = "https://www.googleapis.com/youtube/v3"
PAGE = 50
"""Most results of a search, and most videos asked for by id."""
COMMENTS = 100
"""Most comments of one answer."""
REACH = 450
"""Results after which pages end although there is more (about 500)."""
SEARCHES = 12
"""Searches of one query, unless `collect.youtube_searches` says otherwise; a key has 100 a day."""
THREADS = 10
"""Videos whose comments are fetched, unless `collect.youtube_threads` says otherwise."""
_WEEK = timedelta(days=7)
_SPENT = frozenset(
    {"quotaExceeded", "dailyLimitExceeded", "rateLimitExceeded", "userRateLimitExceeded",
     "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"}
)  # fmt: skip
_BAD_KEY = frozenset({"keyInvalid", "keyExpired", "API_KEY_INVALID", "API_KEY_EXPIRED"})
_NOT_ALLOWED = frozenset(
    {"accessNotConfigured", "SERVICE_DISABLED", "API_KEY_SERVICE_BLOCKED", "ipRefererBlocked",
     "API_KEY_HTTP_REFERRER_BLOCKED", "API_KEY_IP_ADDRESS_BLOCKED", "CONSUMER_SUSPENDED",
     "CONSUMER_INVALID"}
)  # fmt: skip


class _Failed(Exception):
    """The API gave no answer to use; why is in the report."""

    def __init__(self, *, spent: bool = False) -> None:
        super().__init__()
        self.spent = spent
        """Whether a quota is used up, so that more calls would only fail."""


def reasons(body: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The names under which the API gives the causes of an error, the most telling ones first."""
    error = mapping(mapping(body).get("error"))
    found = [words(mapping(row).get("reason")) for row in rows(error.get("details"))]
    found += [words(mapping(row).get("reason")) for row in rows(error.get("errors"))]
    found.append(words(error.get("status")))
    return tuple(name for name in found if name.replace("_", "").isalnum() and len(name) <= 60)


def instant(at: datetime) -> str:
    """A time as the API wants it: UTC, whole seconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class YouTube(Connector):
    """Search of all public videos, with their comments."""

    name = "youtube"
    needs = ("YOUTUBE_API_KEY",)
    window = "days"
    takes = "search words; `-word` leaves out, `|` is or"
    cap = "50 a search, 100 searches and 10,000 other calls a day; about 500 a window, split where it is hit"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield videos, the weeks evenly and each week's best first, then comments of the most-discussed ones.

        Two thirds of `query.max_items` are kept for comments; what they leave goes to further videos. SourceError
        when the key is refused, Paused when a quota is used up.
        """
        self._key = self._checked_key()
        self._query = query
        self._origin = Origin(source=self.name, query=query.query)
        self._window = day_window(since, until, self.context.zone)
        self._seen = self.context.cursor.given()
        self._spent = False
        searches = max(int(self.context.setting("youtube_searches", SEARCHES)), 1)
        threads = max(int(self.context.setting("youtube_threads", THREADS)), 0)
        videos = max(query.max_items // 3, 1) if threads else query.max_items
        rounds = Rounds(
            self._page,
            parts_of(self._window, _WEEK, max(min(searches // 2, videos), 1)),
            room=videos,
            page=PAGE,
            reach=REACH,
            asks=searches,
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
        yield from discussions(self._threads, cursor=cursor, report=self.report)
        yield from search_on(rounds, query.max_items, cursor=cursor)

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Asks by id, 50 videos or comments a call."""
        base = str(self.context.setting("youtube_url", ADDRESS))
        key = self._checked_key()
        return existence.youtube(self.context.client, self.report, base, key, native_ids)

    # -- videos ----------------------------------------------------------------------------------

    def _page(self, window: Window, token: str, limit: int) -> Page:
        asked = {
            "part": "snippet",
            "type": "video",
            "q": self._query.query,
            "order": "relevance",
            "safeSearch": "none",
            "relevanceLanguage": {"en": "en", "zh": "zh-Hans"}[self._query.lang],
            "publishedAfter": instant(window.start),
            "publishedBefore": instant(window.end),
            "maxResults": str(limit),
        }
        try:
            body = self._get("search", asked | ({"pageToken": token} if token else {}))
            found = rows(body.get("items"))
            ids = [native for row in found if (native := self._id(row))]
            videos = self._videos(ids)
        except _Failed as failure:
            return Page(closed=failure.spent, failed=not failure.spent)
        if videos is None:
            self.report.note(
                "descriptions of some videos are cut, because the whole ones were not given"
            )
            videos = {video_id(row): row for row in found}
        items = []
        for native in dict.fromkeys(ids):
            if native not in videos:
                self.report.refuse(native, "deleted", "found, but no longer there")
                continue
            item = video_item(videos[native], self.context, self.report, origin=self._origin)
            if item is not None:
                items.append(item)
        return Page(items=items, size=len(found), token=words(body.get("nextPageToken")))

    def _id(self, row: object) -> str:
        native = video_id(row)
        if not native:
            self.report.refuse(glimpse(row), "not a video")
        return native

    def _videos(self, ids: list[str]) -> Mapping[str, Any] | None:
        """Whole descriptions and counts by id; none when the API gives none, so that the search is not lost."""
        if not ids:
            return {}
        try:
            body = self._get("videos", {"part": "snippet,statistics", "id": ",".join(ids)})
        except _Failed:
            return None
        return {video_id(row): row for row in rows(body.get("items"))}

    # -- comments --------------------------------------------------------------------------------

    def _threads(self, video: str, token: str, limit: int) -> Replies:
        """One page of a video's comments."""
        if self._spent:
            self.report.capped = True
            return Replies()
        asked = {
            "part": "snippet,replies",
            "videoId": video,
            "order": "relevance",
            "textFormat": "html",
            "maxResults": str(max(min(COMMENTS, limit), 1)),
        }
        try:
            body = self._get(
                "commentThreads", asked | ({"pageToken": token} if token else {}), video
            )
        except _Failed as failure:
            self._spent = failure.spent
            self.report.capped = self.report.capped or failure.spent
            return Replies()
        found = rows(body.get("items"))
        return Replies(
            items=(item for thread in found for item in self._comments(video, mapping(thread))),
            token=words(body.get("nextPageToken")) if found else "",
        )

    def _comments(self, video: str, thread: Mapping[str, Any]) -> Iterator[Item]:
        """An opening comment, then its replies, asked for only when they are taken."""
        snippet = mapping(thread.get("snippet"))
        top = mapping(snippet.get("topLevelComment"))
        answers = count(snippet.get("totalReplyCount")) or 0
        shown = rows(mapping(thread.get("replies")).get("comments"))
        opening = self._comment(top, video, answers)
        replies = self._replies(video, words(top.get("id")), shown, answers)
        yield from (item for item in chain([opening], replies) if item is not None)

    def _replies(
        self, video: str, parent: str, shown: list[Any], answers: int
    ) -> Iterator[Item | None]:
        """Replies to one comment: those shown with it, or all of them where it has more."""
        if answers <= len(shown) or not parent:
            for raw in shown:
                yield self._comment(raw, video)
            return
        token = ""
        while True:
            asked = {
                "part": "snippet",
                "parentId": parent,
                "textFormat": "html",
                "maxResults": str(COMMENTS),
            }
            try:
                body = self._get(
                    "comments", asked | ({"pageToken": token} if token else {}), parent
                )
            except _Failed:
                self.report.capped = True
                for raw in shown if not token else ():
                    yield self._comment(raw, video)
                return
            for raw in rows(body.get("items")):
                yield self._comment(raw, video)
            following = words(body.get("nextPageToken"))
            if not following or following == token or not rows(body.get("items")):
                return
            token = following

    def _comment(self, raw: object, video: str, answers: object = None) -> Item | None:
        """One comment of the window that was not given before."""
        item = comment_item(
            raw, self.context, self.report, origin=self._origin, video=video, replies=answers
        )
        if item is None or item.native_id in self._seen:
            return None
        at = item.published_at
        if at is not None and not self._window.start <= at < self._window.end:
            self.report.refuse(item.native_id, "outside the window", item.published_raw)
            return None
        self._seen.add(item.native_id)
        return item

    def _checked_key(self) -> str:
        """The key; SourceError when no header can carry it, because an error about the header would print it."""
        key = self.context.env.get("YOUTUBE_API_KEY", "").strip()
        if not re.fullmatch(r"[!-~]+", key):
            raise SourceError(
                "YOUTUBE_API_KEY is no key; copy it again from the Google Cloud console"
            )
        return key

    # -- asking ----------------------------------------------------------------------------------

    def _get(self, resource: str, asked: Mapping[str, str], about: str = "") -> Mapping[str, Any]:
        """The JSON object of an answer. _Failed otherwise, SourceError when the key is the reason."""
        base = str(self.context.setting("youtube_url", ADDRESS)).rstrip("/")
        address = f"{base}/{resource}?{urlencode(asked)}"
        response = self.context.client.get(
            address,
            headers={"x-goog-api-key": self._key},
            robots=False,
        )
        body = json_object(response.body) if response.body else None
        if response.outcome == "ok" and body is not None and "error" not in body:
            self.report.end("ok" if rows(body.get("items")) else "empty")
            return body
        raise self._failure(response, body, resource, about or response.url)

    def _failure(
        self, response: Response, body: Mapping[str, Any] | None, resource: str, about: str
    ) -> Exception:
        """Report a failed answer under its cause and say what to raise."""
        found = set(reasons(body))
        if found & _BAD_KEY or response.status == 401:
            return SourceError("YouTube refused the key; check YOUTUBE_API_KEY")
        if found & _NOT_ALLOWED:
            return SourceError(
                f"the key in YOUTUBE_API_KEY may not use the YouTube Data API ({sorted(found & _NOT_ALLOWED)[0]}); "
                "enable the API for its project and check the key's restrictions"
            )
        if found & _SPENT or response.status == 429:
            self.report.end("blocked")
            why = f"YouTube's quota for {resource} is used up; it is filled again at midnight Pacific time"
            if self.context.waits:
                return Paused(why)
            self.report.note(why)
            return _Failed(spent=True)
        if "commentsDisabled" in found:
            self.report.end("empty")
            self.report.refuse(about, "comments are turned off")
        elif response.status == 404:
            self.report.end("soft404")
            self.report.refuse(about, "deleted")
        elif response.outcome == "ok":
            self.report.end("decode_error")
            self.report.refuse(about, "decode_error", "the answer is no JSON object of the API")
        else:
            self.report.end(response.outcome)
            detail = ", ".join(sorted(found)) or response.note
            self.report.refuse(about, response.outcome, detail)
        return _Failed()
