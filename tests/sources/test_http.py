"""The client: bounded, polite, and unable to reach what is not public."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sources.http import Http, retry_seconds
from sources.network import is_public, literal_is_private

Answer = tuple[int, dict[str, str], bytes]


class World:
    """A loopback server that answers from a table and remembers what it was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, list[Answer] | Answer] = {}
        self.asked: list[str] = []
        world = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                world.asked.append(self.path)
                found = world.pages.get(self.path, (404, {}, b"none"))
                if isinstance(found, list):
                    found = found.pop(0) if len(found) > 1 else found[0]
                status, headers, body = found
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.server.shutdown()
    made.server.server_close()


def client(sleep: Callable[[float], None] = lambda _: None, **options: object) -> Http:
    values: dict[str, object] = {
        "user_agent": "test", "per_host_seconds": 0.0, "respect_robots": False, "allow_private": True, "sleep": sleep,
    }  # fmt: skip
    return Http(**(values | options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "172.16.0.1", "0.0.0.0", "100.64.0.1", "::1", "::",
     "fe80::1", "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "224.0.0.1", "2002:7f00:1::"],
)  # fmt: skip
def test_private_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_public_addresses_are_public() -> None:
    assert is_public("93.184.216.34")
    assert is_public("2606:2800:220:1:248:1893:25c8:1946")


@pytest.mark.parametrize(
    "host", ["localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "a.localhost", "::1"]
)
def test_private_addresses_in_any_notation(host: str) -> None:
    assert literal_is_private(host)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://2130706433/",
     "http://localhost/", "file:///etc/passwd", "ftp://e.com/", "http:///x"],
)  # fmt: skip
def test_hostile_addresses_get_no_request(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket, "create_connection", refuse)
    response = client(allow_private=False).get(url)
    assert response.outcome == "error"
    assert response.status == 0


def test_a_name_that_resolves_to_a_private_address_gets_no_request(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = world.server.server_address[1]
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))],
    )
    response = client(allow_private=False).get(f"http://rebound.example:{port}/x")
    assert response.outcome == "error"
    assert "not a public address" in response.note
    assert world.asked == []


def test_a_redirect_to_a_private_address_is_not_followed(world: World) -> None:
    world.pages["/go"] = (302, {"location": "http://169.254.169.254/"}, b"")
    http = client()
    http._allow_private = False
    http._refused = lambda url: "" if url.startswith(world.base) else Http._refused(http, url)  # type: ignore[method-assign]
    response = http.get(world.base + "/go")
    assert response.outcome == "error"
    assert "169.254.169.254" in response.note


def test_redirects_are_followed_but_not_for_ever(world: World) -> None:
    world.pages["/a"] = (301, {"location": "/b"}, b"")
    world.pages["/b"] = (200, {"content-type": "text/plain"}, b"here")
    world.pages["/loop"] = (302, {"location": "/loop"}, b"")
    found = client().get(world.base + "/a")
    assert (found.body, found.url) == (b"here", world.base + "/b")
    assert "redirects" in client().get(world.base + "/loop").note


def test_bodies_beyond_the_cap_are_refused_packed_or_not(world: World) -> None:
    world.pages["/big"] = (200, {}, b"x" * 20_000)
    world.pages["/bomb"] = (200, {"content-encoding": "gzip"}, gzip.compress(b"\x00" * 30_000_000))
    world.pages["/twice"] = (
        200,
        {"content-encoding": "gzip, gzip"},
        gzip.compress(gzip.compress(b"x")),
    )
    for page in ("/big", "/bomb", "/twice"):
        response = client(max_bytes=10_000).get(world.base + page)
        assert response.outcome == "error", page
        assert response.body == b""


def test_retry_after_is_honoured_in_its_shapes() -> None:
    now = datetime(2026, 3, 5, 8, tzinfo=UTC)
    assert retry_seconds({"retry-after": "7"}, now) == 7
    assert retry_seconds({"retry-after": "Thu, 05 Mar 2026 08:00:09 GMT"}, now) == 9
    assert retry_seconds({"x-ratelimit-reset": "2026-03-05T08:05:00.000000Z"}, now) == 300
    assert retry_seconds({"x-ratelimit-reset": str(int(now.timestamp()) + 20)}, now) == 20
    assert retry_seconds({"retry-after": "soon"}, now) is None
    assert retry_seconds({}, now) is None


def test_a_busy_server_is_asked_again_after_the_pause_it_wants(world: World) -> None:
    waited: list[float] = []
    world.pages["/busy"] = [(429, {"retry-after": "3"}, b""), (503, {}, b""), (200, {}, b"now")]
    response = client(waited.append).get(world.base + "/busy")
    assert response.body == b"now"
    assert waited == [3.0, 2.0]
    world.pages["/never"] = (429, {"retry-after": "9999"}, b"")
    assert client(waited.append).get(world.base + "/never").outcome == "blocked"
    assert len(waited) == 2, "a pause beyond reason is not slept"


def test_robots_are_respected(world: World) -> None:
    world.pages["/robots.txt"] = (200, {}, b"User-agent: *\nDisallow: /private/\n")
    world.pages["/private/x"] = (200, {}, b"x")
    world.pages["/open"] = (200, {}, b"x")
    http = client(respect_robots=True)
    assert http.get(world.base + "/private/x").outcome == "blocked"
    assert http.get(world.base + "/open").outcome == "ok"
    assert "/private/x" not in world.asked
    assert world.asked.count("/robots.txt") == 1


def test_one_host_is_not_hurried(world: World) -> None:
    waited: list[float] = []
    world.pages["/x"] = (200, {}, b"x")
    http = client(waited.append, per_host_seconds=2.0, clock=lambda: 100.0)
    for _ in range(3):
        http.get(world.base + "/x")
    assert waited == [2.0, 4.0]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(404, "soft404"), (410, "soft404"), (403, "blocked"), (500, "error"), (204, "empty")],
)
def test_statuses_end_as_outcomes(world: World, status: int, outcome: str) -> None:
    world.pages["/s"] = (status, {}, b"" if status == 204 else b"x")
    assert client(retries=0).get(world.base + "/s").outcome == outcome


def test_a_server_that_is_not_there_is_an_outcome() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert client().get(f"http://127.0.0.1:{port}/").outcome == "error"
