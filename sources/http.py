"""The one HTTP client of connectors: bounded, polite, and unable to reach private addresses.

Addresses are checked where connections are made, after DNS and for every redirect, and the checked address
is the one connected to, so a name cannot change its mind between check and use. In replay nothing is looked
up and nothing sleeps: vcrpy answers in the transport.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from schemas import Outcome
from sources.urls import absolute, is_web_address

if TYPE_CHECKING:
    import httpx2

MAX_REDIRECTS = 5
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 120.0
"""Seconds that we wait at most because a server asks for it."""


class AddressRefused(Exception):
    """A host is private, link-local, loopback or otherwise not of the public network."""


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


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public network; IPv4 inside IPv6 is looked at as IPv4."""
    ip = ipaddress.ip_address(address.split("%", 1)[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            ip = inner
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def public_address(host: str, port: int) -> str:
    """The first address of a host; AddressRefused if any of its addresses is not public, OSError if none."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(row[4][0]) for row in rows]
    for address in addresses:
        if not is_public(address):
            raise AddressRefused(f"{host} is at {address}, which is not a public address")
    return addresses[0]


def literal_is_private(host: str) -> bool:
    """Whether a host is written as an address, in any notation, that is not public."""
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return not is_public(host)
    except ValueError:
        pass
    if re.fullmatch(r"[0-9a-fx.]+", host.lower()):
        try:  # 127.1, 0x7f000001 and 2130706433 are addresses too
            return not is_public(socket.inet_ntoa(socket.inet_aton(host)))
        except OSError:
            return False
    return False


def retry_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long a server asks us to wait: Retry-After or x-ratelimit-reset as seconds left, epoch or date."""
    for name in ("retry-after", "x-ratelimit-reset"):
        raw = headers.get(name, "").strip()
        if not raw:
            continue
        try:
            value = float(raw)
        except ValueError:
            value = _until(raw, now)
            if value < 0:
                continue
            return value
        if value > 1e9:
            value -= now.timestamp()
        return max(value, 0.0)
    return None


def _until(raw: str, now: datetime) -> float:
    try:
        at = datetime.fromisoformat(raw)
    except ValueError:
        try:
            at = parsedate_to_datetime(raw)
        except ValueError:
            return -1.0
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max((at - now).total_seconds(), 0.0)


def _transport(allow_private: bool, proxy: str) -> httpx2.HTTPTransport:
    import httpcore2
    import httpx2

    if proxy:
        return httpx2.HTTPTransport(proxy=proxy, trust_env=False)
    transport = httpx2.HTTPTransport(trust_env=False)
    if not allow_private:

        class Guarded(httpcore2.SyncBackend):
            """Connects to the very address that was found public."""

            def connect_tcp(
                self,
                host: str,
                port: int,
                timeout: float | None = None,
                local_address: str | None = None,
                socket_options: Iterable[Any] | None = None,
            ) -> httpcore2.NetworkStream:
                try:
                    address = public_address(host, port)
                except OSError as error:
                    raise httpcore2.ConnectError(f"{host} is not known ({error})") from error
                return super().connect_tcp(address, port, timeout, local_address, socket_options)

        transport._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(trust_env=False),
            max_connections=20,
            network_backend=Guarded(),
        )
    return transport


class Http:
    """A client for one run. Not thread-safe.

    `allow_private` lets tests reach loopback; `proxy` sends all traffic through an HTTP proxy, which then does
    the DNS; `replay` never sleeps and never looks up a name; `sleep` and `clock` are injectable.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        timeout: float = 20.0,
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
        self._last: dict[str, float] = {}
        self._rules: dict[str, RobotFileParser] = {}
        self._client = httpx2.Client(
            transport=_transport(allow_private or replay, proxy),
            timeout=httpx2.Timeout(timeout),
            follow_redirects=False,
            trust_env=False,
            headers={"user-agent": user_agent, "accept-encoding": "gzip"},
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, robots: bool | None = None
    ) -> Response:
        """Fetch an address. Every failure of the network is an outcome; only a missing recording raises.

        `robots=False` is for documented programming interfaces, which robots.txt is not about.
        """
        ask_robots = self._robots if robots is None else robots
        for _ in range(MAX_REDIRECTS + 1):
            refused = self._refused(url)
            if refused:
                return Response(url, 0, {}, b"", "error", refused)
            if ask_robots and not self.allowed(url):
                return Response(url, 0, {}, b"", "blocked", "robots.txt forbids it")
            response = self._one(url, headers or {})
            if response.status not in (301, 302, 303, 307, 308):
                return response
            target = absolute(url, response.headers.get("location", ""))
            if not target:
                return Response(
                    url, response.status, {}, b"", "error", "a redirect without an address"
                )
            if urlsplit(target).netloc != urlsplit(url).netloc:
                headers = {k: v for k, v in (headers or {}).items() if k.lower() != "authorization"}
            url = target
        return Response(url, 0, {}, b"", "error", f"more than {MAX_REDIRECTS} redirects")

    def allowed(self, url: str) -> bool:
        """Whether robots.txt lets us fetch an address. No or an unreadable robots.txt allows all."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        rules = self._rules.get(origin)
        if rules is None:
            rules = RobotFileParser()
            found = self._one(origin + "/robots.txt", {})
            if found.status in (401, 403):
                rules.parse(["User-agent: *", "Disallow: /"])
            elif found.status == 200 and b"<html" not in found.body[:500].lower():
                rules.parse(found.body.decode("utf-8", errors="replace").splitlines())
            else:
                rules.parse([])
            self._rules[origin] = rules
        return rules.can_fetch(self.user_agent, url)

    def _refused(self, url: str) -> str:
        if not is_web_address(url):
            return "not an http or https address"
        host = urlsplit(url).hostname or ""
        if not self._allow_private and literal_is_private(host):
            return f"{host} is not a public address"
        return ""

    def _one(self, url: str, headers: Mapping[str, str]) -> Response:
        response = Response(url, 0, {}, b"", "error", "not asked")
        for attempt in range(self.retries + 1):
            self._be_polite(url)
            response = self._send(url, headers)
            again = response.status in _RETRIED or response.note == "timed out"
            if not again or attempt == self.retries:
                break
            wait = retry_seconds(response.headers, self._wall())
            if wait is not None and wait > _LONGEST_WAIT:
                break
            if not self._replay:
                self._sleep(wait if wait is not None else min(2.0**attempt, 30.0))
        return response

    def _be_polite(self, url: str) -> None:
        if not self._pause:
            return
        host = urlsplit(url).netloc
        now = self._clock()
        wait = self._last.get(host, -1e9) + self._pause - now
        if wait > 0:
            self._sleep(wait)
        self._last[host] = max(now, now + wait)

    def _send(self, url: str, headers: Mapping[str, str]) -> Response:
        import httpx2

        try:
            with self._client.stream("GET", url, headers=dict(headers)) as answer:
                seen = {name.lower(): value for name, value in answer.headers.items()}
                if "," in seen.get("content-encoding", ""):
                    return Response(url, answer.status_code, seen, b"", "error", "packed twice")
                if int(seen.get("content-length") or 0) > self.max_bytes:
                    return Response(url, answer.status_code, seen, b"", "error", self._too_big())
                body = bytearray()
                for chunk in answer.iter_bytes():
                    body += chunk
                    if len(body) > self.max_bytes:
                        return Response(
                            url, answer.status_code, seen, b"", "error", self._too_big()
                        )
                return _finished(url, answer.status_code, seen, bytes(body))
        except httpx2.TimeoutException:
            return Response(url, 0, {}, b"", "error", "timed out")
        except AddressRefused as error:
            return Response(url, 0, {}, b"", "error", str(error))
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            return Response(url, 0, {}, b"", "error", f"{type(error).__name__}: {error}"[:200])

    def _too_big(self) -> str:
        return f"larger than {self.max_bytes} bytes"


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
