"""The invented outside world as data: which answer each address gives.

News pages and feeds are files under `site/<host>/`; `site/statuses.json` names the addresses that do not answer
200. The two social platforms are `reddit.json` and `mastodon.json`. Nothing here opens a socket.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from tests.outside_world.mastodon import Mastodon
from tests.outside_world.reddit import Reddit

HERE = Path(__file__).parent
SITE = HERE / "site"
REDDIT_HOST = "reddit.example"
MASTODON_HOST = "square.example"
_TYPES = {
    ".xml": "application/xml; charset=utf-8",
    ".rss": "application/rss+xml; charset=utf-8",
    ".atom": "application/atom+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Request:
    """One request as the server understood it."""

    method: str
    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    authorization: str = ""

    @classmethod
    def of(
        cls, method: str, address: str, *, body: bytes = b"", authorization: str = ""
    ) -> Request:
        """Read an absolute address; repeated parameters keep their last value."""
        parts = urlsplit(address)
        return cls(
            method=method,
            host=(parts.hostname or "").lower(),
            path=unquote(parts.path) or "/",
            query=_last(parts.query),
            form=_last(body.decode("utf-8", "replace")),
            authorization=authorization,
        )

    @property
    def address(self) -> str:
        """Host and path, for logs and tables."""
        return f"http://{self.host}{self.path}"


@dataclass(frozen=True)
class Reply:
    """What the world answers."""

    status: int
    body: bytes
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


def _last(text: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}


def _json(status: int, value: object, headers: Mapping[str, str] | None = None) -> Reply:
    body = json.dumps(value, ensure_ascii=False).encode("utf-8")
    return Reply(status, body, "application/json; charset=utf-8", headers or {})


class World:
    """All hosts. `answer` is a pure function of the request and the files."""

    def __init__(self, here: Path = HERE) -> None:
        self.site = here / "site"
        self.statuses: dict[str, int] = json.loads(
            (self.site / "statuses.json").read_text(encoding="utf-8")
        )
        self.reddit = Reddit(here / "reddit.json", REDDIT_HOST)
        self.mastodon = Mastodon(here / "mastodon.json", MASTODON_HOST)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host that exists in this world."""
        sites = sorted(path.name for path in self.site.iterdir() if path.is_dir())
        return (*sites, REDDIT_HOST, MASTODON_HOST)

    def answer(self, request: Request) -> Reply:
        """The reply to a request; 502 for a host that does not exist here, as a proxy would say."""
        if request.host not in self.hosts:
            return Reply(502, f"no such host: {request.host}\n".encode(), "text/plain")
        if request.path == "/robots.txt" and request.host in (REDDIT_HOST, MASTODON_HOST):
            return Reply(200, b"User-agent: *\nAllow: /\n", "text/plain")
        if request.host == REDDIT_HOST:
            return _json(*self.reddit.answer(request))
        if request.host == MASTODON_HOST:
            return _json(*self.mastodon.answer(request))
        return self._page(request)

    def _page(self, request: Request) -> Reply:
        if request.method not in ("GET", "HEAD"):
            return Reply(405, b"method not allowed\n", "text/plain")
        root = (self.site / request.host).resolve()
        path = (root / request.path.lstrip("/")).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            return Reply(404, b"<!doctype html><title>404 Not Found</title><h1>404 Not Found</h1>")
        kind = _TYPES.get(path.suffix, "text/html; charset=utf-8")
        return Reply(self.statuses.get(request.address, 200), path.read_bytes(), kind)
