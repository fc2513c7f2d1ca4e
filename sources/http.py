"""The one HTTP client of connectors: bounded, polite, and unable to reach private addresses.

Hosts are checked before every request and redirect, and addresses where connections are made (`sources.network`).
In replay nothing is looked up and nothing sleeps: vcrpy answers in the transport.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from schemas import Outcome
from sources.answers import GOOD, Answers
from sources.limits import RESETS, said
from sources.network import AddressRefused, Deadline, literal_is_private, transport
from sources.robots import BYTES, Robots
from sources.unpacking import PACKINGS, NotUnpacked, Unpacker
from sources.urls import absolute, is_web_address

if TYPE_CHECKING:
    import httpx2

MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FRAMING = 1_000_000
"""Bytes of headers and framing that may come beside twice the largest body."""
_PATIENCE = 6
"""Timeouts that a whole answer may take."""
_TOO_SLOW = "the answer took too long"
_CUT_SHORT = "the answer was cut short"
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 120.0
"""Seconds that we wait at most because a server asks for it."""


@dataclass(frozen=True)
class Response:
    """One finished fetch."""

    url: str
    """Address after redirects."""
    status: int
    """HTTP status; 0 when nothing was received."""
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes
    """Decompressed body."""
    outcome: Outcome
    """ok, blocked, soft404, empty or error."""
    note: str = ""
    """Why it is not ok."""

    @property
    def content_type(self) -> str:
        """The content-type header."""
        return self.headers.get("content-type", "")


def retry_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long a server asks us to wait: Retry-After, else the reset of its rate limit.

    Both come as seconds left, as an epoch in seconds or milliseconds, or as a date. None when neither says.
    """
    found = said(headers)
    if isinstance(found, datetime):
        return max((found - now).total_seconds(), 0.0)
    return found


class Http:
    """A client for one run. Not thread-safe.

    `timeout` is for each wait for the network, `deadline` for a whole answer (six timeouts when none is given),
    both in seconds; `max_bytes` bounds a body as received and as unpacked. `allow_private` lets tests reach loopback; `proxy` sends all traffic through an HTTP proxy, which then does
    the DNS; `replay` never sleeps and never looks up a name; `sleep` and `clock` are injectable.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        timeout: float = 20.0,
        deadline: float | None = None,
        max_bytes: int = 5_000_000,
        per_host_seconds: float = 1.0,
        respect_robots: bool = True,
        retries: int = 3,
        allow_private: bool = False,
        proxy: str = "",
        replay: bool = False,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        import httpx2

        self.user_agent = user_agent
        self.max_bytes = max_bytes
        self.retries = retries
        self._pause = 0.0 if replay else per_host_seconds
        self._robots = respect_robots
        self._allow_private = allow_private
        self._replay = replay
        self._sleep = sleep
        self._clock = clock
        self._wall = wall
        self.answers = Answers()
        """Answers of the running query that an earlier run had; set for each query."""
        self._last: dict[tuple[str, int], float] = {}
        self._paces: dict[tuple[str, int], float] = {}
        self._rules: dict[str, Robots | Response] = {}
        self._deadline = Deadline(deadline or _PATIENCE * timeout, 2 * max_bytes + _FRAMING)
        self._client = httpx2.Client(
            transport=transport(self._deadline, guarded=not (allow_private or replay), proxy=proxy),
            timeout=httpx2.Timeout(timeout),
            follow_redirects=False,
            trust_env=False,
            headers={"user-agent": user_agent, "accept-encoding": "gzip"},
        )

    def pace(self, url: str, seconds: float) -> None:
        """Leave at least this many seconds between two requests to the host of an address, except in replay."""
        if not self._replay:
            self._paces[_place(url)] = seconds

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, robots: bool | None = None
    ) -> Response:
        """Fetch an address. Every failure of the network is an outcome; only a missing recording raises.

        `robots=False` is for documented programming interfaces, which robots.txt is not about. What a stopped run
        was answered is not asked again.
        """
        kept = self.answers.take(url)
        if kept is not None:
            return kept
        response = self._fetch(url, headers or {}, self._robots if robots is None else robots)
        if response.outcome in GOOD:
            self.answers.keep(url, response)
        return response

    def _fetch(self, url: str, headers: Mapping[str, str], ask_robots: bool) -> Response:
        for _ in range(MAX_REDIRECTS + 1):
            refused = self._refused(url)
            if refused:
                return Response(url, 0, {}, b"", "error", refused)
            if ask_robots and (instead := self._closed(url)) is not None:
                return instead
            response = self._one(url, headers)
            if response.status not in _REDIRECTS:
                return response
            location = response.headers.get("location", "").strip()
            target = absolute(url, location) if location else ""
            if not target:
                return Response(
                    url, response.status, {}, b"", "error", "a redirect without an address"
                )
            if urlsplit(target)[:2] != urlsplit(url)[:2]:
                headers = {}  # whatever a caller adds may be a credential, by any name
            url = target
        return Response(url, 0, {}, b"", "error", f"more than {MAX_REDIRECTS} redirects")

    def post(self, url: str, *, body: bytes, headers: Mapping[str, str] | None = None) -> Response:
        """Send one JSON body to a documented programming interface.

        No redirect is followed, since a body may hold a password, and robots.txt is not asked.
        """
        refused = self._refused(url)
        if refused:
            return Response(url, 0, {}, b"", "error", refused)
        response = self._one(url, {"content-type": "application/json"} | dict(headers or {}), body)
        if 300 <= response.status < 400:
            return Response(url, response.status, {}, b"", "error", "a redirect of a form")
        return response

    def allowed(self, url: str) -> bool:
        """Whether robots.txt lets us fetch an address; its Crawl-delay is kept from then on."""
        return self._closed(url) is None

    def _closed(self, url: str) -> Response | None:
        """What stands for a page that robots.txt keeps from us; none when it may be fetched."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        rules = self._rules.get(origin) or self._read_rules(origin)
        if isinstance(rules, Response):
            return replace(rules, url=url)
        if rules.allow(url):
            return None
        return Response(url, 0, {}, b"", "blocked", "robots.txt forbids it")

    def _read_rules(self, origin: str) -> Robots | Response:
        """The rules of a site, or what stands for all its pages.

        Where there is no file all is allowed. A server that fails or refuses for now allows nothing in this run
        (RFC 9309, 2.3.1.4); a host that gives no answer at all is asked again with the next page.
        """
        found = self._robots_of(origin)
        if found.status in (401, 403):
            why = f"robots.txt is kept from us (status {found.status})"
            rules: Robots | Response = Response(origin, 0, {}, b"", "blocked", why)
        elif found.status == 429 or found.status >= 500:
            why = f"robots.txt could not be read (status {found.status})"
            rules = Response(origin, 0, {}, b"", "blocked", why)
        elif found.status == 0 or (found.status == 200 and found.outcome == "error"):
            why = f"robots.txt could not be read ({found.note})"
            rules = Response(origin, 0, {}, b"", "error", why)
        else:
            rules = Robots(found.body if found.status == 200 else b"", self.user_agent)
            if rules.delay and not self._replay:
                place = _place(origin)
                self._paces[place] = max(self._paces.get(place, 0.0), rules.delay)
        if found.status:
            self._rules[origin] = rules
        return rules

    def _robots_of(self, origin: str) -> Response:
        """robots.txt of a site, through the redirects that RFC 9309 asks for."""
        url = origin + "/robots.txt"
        for _ in range(MAX_REDIRECTS + 1):
            refused = self._refused(url)
            if refused:
                return Response(url, 0, {}, b"", "error", refused)
            found = self._one(url, {}, None, BYTES)
            target = absolute(url, found.headers.get("location", ""))
            if found.status not in _REDIRECTS or not target:
                return found
            url = target
        return found

    def _refused(self, url: str) -> str:
        import httpx2

        if not is_web_address(url):
            return "not an http or https address"
        try:  # the client may read an address otherwise than the standard library does
            hosts = {urlsplit(url).hostname or "", httpx2.URL(url).host}
        except (httpx2.InvalidURL, ValueError) as error:
            return f"not an http or https address ({error})"
        for host in sorted(hosts):
            if not self._allow_private and literal_is_private(host):
                return f"{host} is not a public address"
        return ""

    def _one(
        self, url: str, headers: Mapping[str, str], body: bytes | None = None, first: int = 0
    ) -> Response:
        """One answer, asked for again while its server is busy; with `first` just beyond that many bytes of it."""
        response = Response(url, 0, {}, b"", "error", "not asked")
        for attempt in range(self.retries + 1):
            self._be_polite(url)
            response = self._send(url, headers, body, first)
            again = response.status in _RETRIED or response.note == "timed out"
            if not again or attempt == self.retries:
                break
            headers_of = response.headers
            if response.status != 429:  # the reset of a limit that was not reached says nothing
                headers_of = {
                    name: value for name, value in headers_of.items() if name not in RESETS
                }
            wait = retry_seconds(headers_of, self._wall())
            if wait is not None and wait > _LONGEST_WAIT:
                break
            if not self._replay:
                self._sleep(wait if wait is not None else min(2.0**attempt, 30.0))
        return response

    def _be_polite(self, url: str) -> None:
        host = _place(url)
        pause = max(self._pause, self._paces.get(host, 0.0))
        if not pause:
            return
        now = self._clock()
        wait = self._last.get(host, -1e9) + pause - now
        if wait > 0:
            self._sleep(wait)
        self._last[host] = max(now, now + wait)

    def _send(
        self, url: str, headers: Mapping[str, str], sent: bytes | None, first: int
    ) -> Response:
        import httpx2

        method = "GET" if sent is None else "POST"
        self._deadline.start()
        try:
            with self._client.stream(method, url, headers=dict(headers), content=sent) as answer:
                seen = {name.lower(): value for name, value in answer.headers.items()}
                body, fault = self._received(answer, seen, first)
                if fault:
                    return Response(url, answer.status_code, seen, b"", "error", fault)
                return _finished(url, answer.status_code, seen, body)
        except httpx2.TimeoutException:
            late = self._deadline.passed()
            return Response(url, 0, {}, b"", "error", _TOO_SLOW if late else "timed out")
        except AddressRefused as error:
            return Response(url, 0, {}, b"", "error", str(error))
        except httpx2.RemoteProtocolError as error:
            if "without sending complete" not in str(error):  # h11 on lengths and last chunks
                return Response(url, 0, {}, b"", "error", f"not an answer of HTTP: {error}"[:200])
            return Response(url, 0, {}, b"", "error", _CUT_SHORT)
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            fault = self._too_big() if self._deadline.full() else f"{type(error).__name__}: {error}"
            return Response(url, 0, {}, b"", "error", fault[:200])

    def _received(
        self, answer: httpx2.Response, headers: Mapping[str, str], first: int
    ) -> tuple[bytes, str]:
        """The unpacked body and why there is none; nothing is read beyond what shows that.

        With `first` a longer body is cut one byte behind so many, which tells that it goes on.
        """
        packing = headers.get("content-encoding", "").strip().lower()
        most = first or self.max_bytes
        if "," in packing:
            return b"", "packed twice"
        if packing not in PACKINGS:
            return b"", f"packed as {packing[:20]}, which was not asked for"
        if not first and int(headers.get("content-length") or 0) > most:
            return b"", self._too_big()
        body, unpacker = bytearray(), Unpacker(packing)
        try:
            for chunk in answer.iter_raw():
                body += unpacker.feed(chunk, most + 1 - len(body))
                if first and len(body) > first:
                    return bytes(body), ""
                if len(body) > most or answer.num_bytes_downloaded > max(self.max_bytes, most):
                    return b"", self._too_big()
                if self._deadline.passed():
                    return b"", _TOO_SLOW
            unpacker.end()
        except NotUnpacked as fault:
            return b"", str(fault)
        return bytes(body), ""

    def _too_big(self) -> str:
        return f"larger than {self.max_bytes} bytes"


def _place(url: str) -> tuple[str, int]:
    """Host and port of an address, however they are written."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _finished(url: str, status: int, headers: Mapping[str, str], body: bytes) -> Response:
    if status in (404, 410):
        return Response(url, status, headers, body, "soft404", f"status {status}")
    if status in (401, 402, 403, 429, 451):
        return Response(url, status, headers, body, "blocked", f"status {status}")
    if status >= 400:
        return Response(url, status, headers, body, "error", f"status {status}")
    if not body and 200 <= status < 300:
        return Response(url, status, headers, body, "empty", "empty body")
    return Response(url, status, headers, body, "ok")
