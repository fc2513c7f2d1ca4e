"""A Bluesky and a YouTube, invented, over HTTP on loopback: they page, cap, refuse and forget as the real ones do.

Each keeps every request with its headers and body, so that tests see what went out.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sources.base import Cursor, SourceContext
from sources.http import Http

FETCHED = datetime(2026, 6, 1, tzinfo=UTC)
Json = dict[str, Any]


@dataclass
class Asked:
    """One request as it came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass
class Platform:
    """Answers requests; `log` holds them in order."""

    log: list[Asked] = field(default_factory=list)

    def answer(self, asked: Asked) -> tuple[int, Any]:
        """Status and JSON or bytes."""
        raise NotImplementedError

    def queries(self, name: str) -> list[dict[str, str]]:
        """Parameters of every request of one method."""
        return [asked.query for asked in self.log if asked.name == name]


@contextmanager
def serving(platform: Platform) -> Iterator[str]:
    """The address of a platform until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            asked = Asked(
                self.command,
                parts.path,
                {name: values[0] for name, values in parse_qs(parts.query).items()},
                {name.lower(): value for name, value in self.headers.items()},
                self.rfile.read(int(self.headers.get("content-length") or 0)),
            )
            platform.log.append(asked)
            status, value = platform.answer(asked)
            body = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _serve

        def log_message(self, format: str, *args: object) -> None:
            """Requests are in the platform's log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def context(
    address: str,
    *,
    cursor: Cursor | None = None,
    env: dict[str, str] | None = None,
    **settings: Any,
) -> SourceContext:
    """A context whose connectors ask a platform on loopback."""
    http = Http(
        user_agent="tests", per_host_seconds=0, allow_private=True, retries=0, sleep=lambda _: None
    )
    names = ("bluesky_url", "bluesky_public_url", "youtube_url")
    return SourceContext(
        fetched_at=FETCHED,
        zone="UTC",
        salt="s",
        http=http,
        env=env or {},
        settings=dict.fromkeys(names, address) | settings,
        cursor=cursor or Cursor(),
    )


# -- Bluesky --------------------------------------------------------------------------------------


@dataclass
class Bluesky(Platform):
    """Posts newest first by the earlier of their dates; pages end at `reach`; readers may have to log in."""

    posts: list[Json] = field(default_factory=list)
    threads: dict[str, Any] = field(default_factory=dict)
    reach: int = 10_000
    cursors_for_all: bool = True
    search_for_all: bool = True
    secret: str = "abcd-efgh"
    sessions: int = 0
    lives: int = 10**9
    """Requests after which a session has expired."""
    used: int = 0

    def answer(self, asked: Asked) -> tuple[int, Any]:
        if asked.name == "com.atproto.server.createSession":
            given = json.loads(asked.body)
            if given != {"identifier": "reader.example", "password": self.secret}:
                return 401, {
                    "error": "AuthenticationRequired",
                    "message": f"no {given['password']}",
                }
            self.sessions += 1
            self.used = 0
            return 200, {
                "accessJwt": f"access-{self.sessions}",
                "refreshJwt": "renewal-1",
                "did": "did:plc:r",
            }
        bearer = asked.headers.get("authorization", "")
        if bearer:
            self.used += 1
            if bearer != f"Bearer access-{self.sessions}" or self.used > self.lives:
                return 400, {"error": "ExpiredToken", "message": "Token has expired"}
        if asked.name == "app.bsky.feed.getPostThread":
            thread = self.threads.get(asked.query["uri"])
            return (
                (200, {"thread": thread}) if thread else (400, {"error": "NotFound", "message": ""})
            )
        if not bearer and not self.search_for_all:
            return 403, b"<html>403 Forbidden</html>"
        if not bearer and "cursor" in asked.query and not self.cursors_for_all:
            return 403, b"<html>Request forbidden by administrative rules.</html>"
        return 200, self._search(asked.query)

    def _search(self, query: dict[str, str]) -> Json:
        low, high = (datetime.fromisoformat(query[name]) for name in ("since", "until"))
        found = [post for post in self.posts if low <= moment(post) < high]
        if query["sort"] == "top":
            found.sort(key=lambda post: (-post.get("replyCount", 0), post["uri"]))
        else:
            found.sort(key=lambda post: (moment(post), post["uri"]), reverse=True)
        found = found[: self.reach]
        start = int(query.get("cursor", 0))
        end = start + int(query["limit"])
        more = {"cursor": str(end)} if end < len(found) else {}
        return {"posts": found[start:end], "hitsTotal": 5000} | more


def moment(post: Json) -> datetime:
    """When the network sorts a post."""
    return min(
        datetime.fromisoformat(post["indexedAt"]),
        datetime.fromisoformat(post["record"]["createdAt"]),
    )


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def post(number: int, at: datetime, *, replies: int = 0, **extra: Any) -> Json:
    did = f"did:plc:writer{number % 5}"
    record = {
        "$type": "app.bsky.feed.post", "text": f"The ferry is late again {number}",
        "createdAt": stamp(at), "langs": ["en"],
    } | extra.pop("record", {})  # fmt: skip
    return {
        "uri": f"at://{did}/app.bsky.feed.post/3k{number:011d}", "cid": f"cid{number}", "record": record,
        "author": {"did": did, "handle": f"writer{number % 5}.example", "displayName": "W", "labels": []},
        "indexedAt": stamp(at), "replyCount": replies, "repostCount": 1, "likeCount": 2, "quoteCount": 0,
        "labels": [],
    } | extra  # fmt: skip


def node(view: Json, *replies: Json) -> Json:
    return {
        "$type": "app.bsky.feed.defs#threadViewPost", "post": view, "replies": list(replies)
    }  # fmt: skip


# -- YouTube --------------------------------------------------------------------------------------


def failure(status: int, reason: str, /, **detail: Any) -> tuple[int, Json]:
    """An error as the API gives it; its sentence repeats the key, as some do."""
    message = "Permission denied: Consumer 'api_key:AIza-secret' has a problem."
    error = {
        "code": status, "message": message,
        "errors": [{"message": message, "domain": "youtube", "reason": reason}],
    } | detail  # fmt: skip
    return status, {"error": error}


@dataclass
class Videos(Platform):
    """Videos best first, comments best first; searches and other calls have a quota."""

    videos: list[Json] = field(default_factory=list)
    comments: dict[str, list[Json]] = field(default_factory=dict)
    """Threads by video; a video without a list has comments turned off."""
    replies: dict[str, list[Json]] = field(default_factory=dict)
    """All replies by opening comment."""
    key: str = "AIza-secret"
    searches: int = 100
    reach: int = 500
    page: int = 100
    """Most rows of an answer about comments."""
    gone: frozenset[str] = frozenset()

    def answer(self, asked: Asked) -> tuple[int, Any]:
        if asked.headers.get("x-goog-api-key") != self.key:
            return failure(400, "badRequest", details=[{"reason": "API_KEY_INVALID"}])
        query = asked.query
        if asked.name == "search":
            if self.searches <= 0:
                return failure(403, "quotaExceeded")
            self.searches -= 1
            low, high = (
                datetime.fromisoformat(query[name])
                for name in ("publishedAfter", "publishedBefore")
            )
            found = [
                {"id": {"kind": "youtube#video", "videoId": row["id"]}, "snippet": row["snippet"]}
                for row in self.videos
                if low <= datetime.fromisoformat(row["snippet"]["publishedAt"]) < high
            ]
            return 200, self._paged(found[: self.reach], query, int(query["maxResults"]))
        if asked.name == "videos":
            ids = query["id"].split(",")
            rows = [row for row in self.videos if row["id"] in ids and row["id"] not in self.gone]
            return 200, {"items": rows}
        size = min(self.page, int(query["maxResults"]))
        if asked.name == "commentThreads":
            if query["videoId"] not in self.comments:
                return failure(403, "commentsDisabled")
            return 200, self._paged(self.comments[query["videoId"]], query, size)
        return 200, self._paged(self.replies[query["parentId"]], query, size)

    def _paged(self, rows: list[Json], query: dict[str, str], size: int) -> Json:
        start = int(query.get("pageToken", "t0")[1:])
        more = {"nextPageToken": f"t{start + size}"} if start + size < len(rows) else {}
        return {"items": rows[start : start + size], "pageInfo": {"totalResults": 1_000_000}} | more


def video(native: str, at: datetime, *, comments: int = 0, **snippet: Any) -> Json:
    return {
        "kind": "youtube#video", "id": native,
        "snippet": {
            "publishedAt": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "channelId": "UC-channel", "channelTitle": "Harbour TV",
            "title": f"The ferry &amp; the bus {native}", "description": "What the town says about the ferry",
        } | snippet,
        "statistics": {"viewCount": "1200", "likeCount": "30", "commentCount": str(comments)},
    }  # fmt: skip


def remark(native: str, at: datetime, text: str = "This is a comment", **snippet: Any) -> Json:
    when = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "kind": "youtube#comment", "id": native,
        "snippet": {
            "authorDisplayName": "A Person", "authorChannelId": {"value": f"UC-{native}"}, "textDisplay": text,
            "textOriginal": text, "likeCount": 3, "publishedAt": when, "updatedAt": when,
        } | snippet,
    }  # fmt: skip


def talk(top: Json, *shown: Json, replies: int | None = None) -> Json:
    count = len(shown) if replies is None else replies
    thread: Json = {
        "kind": "youtube#commentThread", "id": top["id"],
        "snippet": {"topLevelComment": top, "totalReplyCount": count, "isPublic": True},
    }  # fmt: skip
    return thread | ({"replies": {"comments": list(shown)}} if shown else {})
