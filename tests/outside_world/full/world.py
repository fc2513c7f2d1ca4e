"""All hosts of the full demo event: four papers, four platforms and the web archive. Nothing here opens a socket.

Serve it with `python -m tests.outside_world.full.serve --port N`.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.outside_world.full.bluesky import Bluesky
from tests.outside_world.full.communities import Community, Instance
from tests.outside_world.full.hackernews import HackerNews
from tests.outside_world.full.news import (
    PAPERS,
    Archive,
    feed_xml,
    page_html,
    read_pages,
    read_traps,
)
from tests.outside_world.world import Reply, Request

HERE = Path(__file__).parent
RECORDING = HERE / "recording"
"""run.toml and imports of the recording that is made of this world."""
REDDIT = "reddit.example"
MASTODON = "terrace.example"
BLUESKY = "bsky.example"
HACKERNEWS = "hn.example"
ARCHIVE = "archive.example"
_GONE = Reply(404, b"<!doctype html><title>404 Not Found</title><h1>404 Not Found</h1>")
_ROBOTS = Reply(200, b"User-agent: *\nAllow: /\n", "text/plain")


class FullWorld:
    """`answer` is a pure function of the request and the files."""

    def __init__(self) -> None:
        self.reddit = Community(REDDIT)
        self.mastodon = Instance(MASTODON)
        self.bluesky = Bluesky()
        self.hackernews = HackerNews()
        self.archive = Archive()
        self.pages = {page.address: page for page in read_pages().values() if page.archived is None}
        self.traps = {trap.address: trap for trap in read_traps()}

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host that exists in this world."""
        return (*PAPERS, REDDIT, MASTODON, BLUESKY, HACKERNEWS, ARCHIVE)

    def answer(self, request: Request) -> Reply:
        """The reply to a request; 502 for a host that does not exist here, as a proxy would say."""
        if request.host not in self.hosts:
            return Reply(502, f"no such host: {request.host}\n".encode(), "text/plain")
        if request.path == "/robots.txt":
            return _ROBOTS
        if request.host == REDDIT:
            return _json(*self.reddit.answer(request))
        if request.host == BLUESKY:
            return _json(*self.bluesky.answer(request.path, request.query))
        if request.method not in ("GET", "HEAD"):
            return Reply(405, b"method not allowed\n", "text/plain")
        if request.host == MASTODON:
            return _json(*self.mastodon.answer(request))
        if request.host == HACKERNEWS:
            return _json(*self.hackernews.answer(request.path, request.query))
        if request.host == ARCHIVE:
            return self._archived(request)
        return self._paper(request)

    def _paper(self, request: Request) -> Reply:
        feed = PAPERS[request.host][2]
        if request.path == feed:
            kind = "atom" if "atom" in feed else "rss"
            return Reply(
                200, feed_xml(request.host).encode(), f"application/{kind}+xml; charset=utf-8"
            )
        if trap := self.traps.get(request.address):
            return Reply(trap.status, trap.html.encode())
        page = self.pages.get(request.address)
        return _GONE if page is None else Reply(200, page_html(page).encode())

    def _archived(self, request: Request) -> Reply:
        if request.path == "/cdx/search/cdx":
            return Reply(200, self.archive.index(request.query).encode(), "application/json")
        html = self.archive.copy(request.path)
        return _GONE if html is None else Reply(200, html.encode())


def _json(status: int, value: object, headers: object = None) -> Reply:
    body = json.dumps(value, ensure_ascii=False).encode("utf-8")
    known = dict(headers) if isinstance(headers, dict) else {}
    return Reply(status, body, "application/json; charset=utf-8", known)
