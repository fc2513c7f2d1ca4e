"""Hostile sources: no path that fetches reaches a private address, and no answer takes more than its share.

A listener on loopback counts connections; the hostile addresses all lead to it. What is fetched from the
"public" side goes through names that only these tests resolve.
"""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from schemas import SourceQuery
from sources.base import Connector, SourceContext
from sources.gdelt import Gdelt
from sources.http import Http
from sources.network import literal_is_private
from sources.rss import Rss
from sources.wayback import Wayback
from sources.web import Web
from tests.sources.answering import Asked, answering, client

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)


class Listener:
    """A socket on loopback that accepts and counts every connection."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                found, _ = self.socket.accept()
            except OSError:  # closed
                return
            self.connections += 1
            found.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.socket.close()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Names that resolve as a test says, and no others."""
    known: dict[str, list[str]] = {}

    def resolve(host: str, port: int, *_: object, **__: object) -> list[object]:
        if host.replace(".", "").isdigit() or ":" in host:
            known.setdefault(host, [host])
        if host not in known:
            raise socket.gaierror(f"{host} is unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (at, port)) for at in known[host]]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return known


def guarded(**settings: object) -> Http:
    """The client as a run has it, which never waits."""
    return client(allow_private=False, **settings)


class HalfGuarded(Http):
    """The guarded client with one hole: the server that plays the public side may be reached."""

    public = ""

    def _refused(self, url: str) -> str:
        return "" if url.startswith(self.public) else super()._refused(url)


def addresses(port: int) -> list[str]:
    return [
        f"http://127.0.0.1:{port}/a",
        f"http://localhost:{port}/a",
        f"http://[::1]:{port}/a",
        f"http://[::ffff:127.0.0.1]:{port}/a",
        f"http://0.0.0.0:{port}/a",
        f"http://2130706433:{port}/a",
        f"http://0x7f.1:{port}/a",
        f"http://0177.0.0.1:{port}/a",
        f"http://127.1:{port}/a",
        f"http://１２７.0.0.1:{port}/a",
        f"http://127。0。0。1:{port}/a",
        f"http://127.0.0.1.:{port}/a",
        f"http://user@127.0.0.1:{port}/a",
        f"http://a.example\\@127.0.0.1:{port}/a",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1%25eth0]/a",
        "http://[64:ff9b::7f00:1]/a",
        f"http://inside.example:{port}/a",
        f"http://mixed.example:{port}/a",
    ]


def context(http: Http, **settings: object) -> SourceContext:
    return SourceContext(
        fetched_at=datetime(2026, 4, 1, tzinfo=UTC),
        zone="UTC",
        salt="s",
        http=http,
        settings=settings,
    )


def drained(source: Connector, query: str) -> int:
    return sum(
        1
        for _ in source.search(
            SourceQuery(source=source.name, query=query, lang="en"), SINCE, UNTIL
        )
    )


@pytest.fixture
def hostile(listener: Listener, names: dict[str, list[str]]) -> list[str]:
    names["inside.example"] = ["127.0.0.1"]
    names["mixed.example"] = ["93.184.216.34", "127.0.0.1"]
    names["localhost"] = ["127.0.0.1"]
    return addresses(listener.port)


def test_no_hostile_address_gets_a_connection(listener: Listener, hostile: list[str]) -> None:
    http = guarded()
    for url in hostile:
        for robots in (False, True):
            response = http.get(url, robots=robots)
            assert (response.outcome, response.status) == ("error", 0), url
        assert http.post(url, body=b"{}").outcome == "error"
        http.allowed(url)  # robots.txt itself
    assert listener.connections == 0


def test_the_listener_would_have_seen_a_connection(listener: Listener) -> None:
    client().get(f"http://127.0.0.1:{listener.port}/a", robots=False)
    assert listener.connections == 1


def test_hosts_in_foreign_digits_and_dots_are_read_as_what_they_are() -> None:
    for host in ("１２７.0.0.1", "127。0。0。1", "127.0.0.1.", "LOCALHOST", "localhost.", "[::1]"):
        assert literal_is_private(host), host
    assert not literal_is_private("例え.example")


def test_pages_of_the_web_connector_at_hostile_addresses_are_refused(
    listener: Listener, hostile: list[str]
) -> None:
    for url in hostile:
        source = Web(context(guarded()))
        assert drained(source, url) == 0
        assert len(source.report.refusals) == 1
    assert listener.connections == 0


def test_a_name_that_turns_private_after_it_was_checked_is_not_followed(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def turning(host: str, port: int, *_: object, **__: object) -> list[object]:
        asked.append(host)
        at = "127.0.0.1" if len(asked) > 1 else "93.184.216.34"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (at, port))]

    connected: list[str] = []

    def connect(address: tuple[str, int], *_: object, **__: object) -> socket.socket:
        connected.append(address[0])
        raise ConnectionRefusedError("nobody is there")

    monkeypatch.setattr(socket, "getaddrinfo", turning)
    monkeypatch.setattr(socket, "create_connection", connect)
    response = guarded().get(f"http://turning.example:{listener.port}/", robots=False)
    assert response.outcome == "error"
    assert connected == ["93.184.216.34"]  # the very address that was checked, not the name again


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets the connection guard pass one port of loopback: that of the server that plays the public side."""
    from sources import network

    real = network.public_addresses

    def let(url: str) -> None:
        port = int(url.rsplit(":", 1)[1])

        def addresses(host: str, asked: int) -> tuple[str, ...]:
            return (host,) if (host, asked) == ("127.0.0.1", port) else real(host, asked)

        monkeypatch.setattr(network, "public_addresses", addresses)

    return let


def public_side(url: str) -> HalfGuarded:
    http = HalfGuarded(
        user_agent="t", per_host_seconds=0.0, respect_robots=False, retries=0, sleep=lambda _: None
    )
    http.public = url
    return http


def test_entries_of_a_hostile_feed_get_no_request(
    listener: Listener, hostile: list[str], reachable: Callable[[str], None]
) -> None:
    entries = "".join(
        f"<item><guid>{n}</guid><title>Ferry</title><link>{url.replace('&', '&amp;')}</link></item>"
        for n, url in enumerate(hostile)
    )
    feed = f"<?xml version='1.0'?><rss version='2.0'><channel><title>t</title>{entries}</channel></rss>"
    with answering(lambda asked: (200, feed.encode())) as server:
        reachable(server.url)
        source = Rss(context(public_side(server.url)))
        assert drained(source, server.url + "/feed") == 0
        assert server.paths == ["/feed"]
    assert listener.connections == 0
    assert len(source.report.refusals) >= len(hostile) - 1


def test_redirects_to_hostile_addresses_are_not_followed(
    listener: Listener, hostile: list[str], reachable: Callable[[str], None]
) -> None:
    with answering(lambda asked: (200, b"{}")) as server:
        reachable(server.url)
        for url in hostile:
            http = public_side(server.url)
            real = http._one

            def moved(asked: str, *rest: object, _real: object = real, _to: str = url) -> object:
                found = _real(asked, *rest)  # type: ignore[operator]
                return replace(found, status=302, headers={"location": _to})

            http._one = moved  # type: ignore[method-assign, assignment]
            assert http.get(server.url + "/go", robots=False).outcome == "error", url
            assert http._robots_of(server.url).outcome in ("error", "ok"), url
    assert listener.connections == 0


def test_articles_that_gdelt_lists_at_hostile_addresses_get_no_request(
    listener: Listener, hostile: list[str], reachable: Callable[[str], None]
) -> None:
    rows = [
        {"url": url, "title": f"Ferry {n}", "seendate": "20260305T080000Z", "language": "English"}
        for n, url in enumerate(hostile)
    ]
    body = json.dumps({"articles": rows}).encode()
    with answering(lambda asked: (200, body)) as server:
        reachable(server.url)
        source = Gdelt(context(public_side(server.url), gdelt_url=server.url, gdelt_articles=100))
        assert drained(source, "ferry") == 0
        assert server.asked
    refused = {refusal.item for refusal in source.report.refusals}
    assert len(refused & set(hostile)) >= len(hostile) // 2
    assert listener.connections == 0


def test_archived_copies_of_hostile_addresses_come_from_the_archive_alone(
    listener: Listener, hostile: list[str], reachable: Callable[[str], None]
) -> None:
    def answer(asked: Asked) -> tuple[int, bytes]:
        rows = [["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]]
        rows += [
            ["k", "20260305080000", url, "text/html", "200", f"D{n}", "9"]
            for n, url in enumerate(hostile)
        ]
        return 200, json.dumps(rows).encode() if "/cdx/" in asked.path else b"<html></html>"

    with answering(answer) as server:
        reachable(server.url)
        settings = {"wayback_url": server.url, "wayback": "on"}
        for url in ("https://gone.example/a", "https://gone.example/*"):
            source = Wayback(context(public_side(server.url), **settings))
            assert drained(source, url) == 0
        assert any("/cdx/" not in path for path in server.paths)  # copies were asked for
    assert listener.connections == 0


# -- answers without end --------------------------------------------------------------------------


class Endless:
    """A raw server that sends a head and then pieces for as long as it is let, counting the bytes sent."""

    def __init__(self, head: bytes, piece: Callable[[], bytes], pause: float = 0.0) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        # What was sent and not read yet is in a buffer, whose size is the machine's own unless it is set.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        self.sent = 0
        self._head, self._piece, self._pause = head, piece, pause
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        try:
            found, _ = self.socket.accept()
        except OSError:  # closed before anyone came
            return
        with found:
            found.recv(65_536)
            try:
                found.sendall(self._head)
                while self.sent < 1_000_000_000:
                    piece = self._piece()
                    found.sendall(piece)
                    self.sent += len(piece)
                    time.sleep(self._pause)
            except OSError:  # the client has gone, as it should
                return


@pytest.fixture
def endless() -> Iterator[Callable[..., Endless]]:
    made: list[Endless] = []

    def start(head: bytes, piece: Callable[[], bytes], pause: float = 0.0) -> Endless:
        made.append(Endless(head, piece, pause))
        return made[-1]

    yield start
    for server in made:
        server.socket.close()


OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"


def test_a_body_of_a_gigabyte_is_refused_after_the_cap(endless: Callable[..., Endless]) -> None:
    server = endless(OK + b"\r\n", lambda: b"x" * 65_536)
    response = client(max_bytes=1_000_000).get(server.url, robots=False)
    assert response.note == "larger than 1000000 bytes"
    assert server.sent < 20_000_000  # the cap and what the sockets held


def test_a_body_that_says_it_is_a_gigabyte_is_not_read(endless: Callable[..., Endless]) -> None:
    server = endless(OK + b"content-length: 1000000000\r\n\r\n", lambda: b"x" * 65_536)
    response = client(max_bytes=1_000_000).get(server.url, robots=False)
    assert response.note == "larger than 1000000 bytes"
    assert server.sent < 20_000_000


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_bomb_is_refused_while_it_is_unpacked(name: str, endless: Callable[..., Endless]) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31 if name == "gzip" else 15)
    server = endless(
        OK + f"content-encoding: {name}\r\n\r\n".encode(),
        lambda: packer.compress(b"\0" * 10_000_000) + packer.flush(zlib.Z_SYNC_FLUSH),
    )
    response = client(max_bytes=1_000_000).get(server.url, robots=False)
    assert response.note == "larger than 1000000 bytes"
    assert server.sent < 5_000_000


def test_packed_parts_that_unpack_to_nothing_are_bounded_too(
    endless: Callable[..., Endless],
) -> None:
    empty = zlib.compressobj(9, zlib.DEFLATED, 31)
    server = endless(
        OK + b"content-encoding: gzip\r\n\r\n" + empty.flush(zlib.Z_SYNC_FLUSH),
        lambda: b"\x00\x00\x00\xff\xff" * 10_000,
    )
    response = client(max_bytes=200_000, deadline=5.0).get(server.url, robots=False)
    assert response.outcome == "error"
    assert server.sent < 1_000_000_000


@pytest.mark.parametrize("packing", ["br", "zstd", "compress", "gzip, gzip"])
def test_packings_that_were_not_asked_for_are_refused(
    packing: str, endless: Callable[..., Endless]
) -> None:
    server = endless(
        OK + f"content-encoding: {packing}\r\n\r\n".encode(), lambda: gzip.compress(b"x" * 1000)
    )
    assert "packed" in client().get(server.url, robots=False).note


@pytest.mark.parametrize(
    ("head", "piece"),
    [(OK + b"\r\n", b"x"), (b"HTTP/1.1 200 OK\r\nx-slow: ", b"x"), (b"", b"H")],
    ids=["body", "headers", "status line"],
)
def test_a_slow_drip_ends_with_the_deadline(
    head: bytes, piece: bytes, endless: Callable[..., Endless]
) -> None:
    server = endless(head, lambda: piece, 0.05)
    began = time.monotonic()
    response = client(timeout=60.0, deadline=0.6).get(server.url, robots=False)
    assert (response.outcome, response.note) == ("error", "the answer took too long")
    assert time.monotonic() - began < 60  # the first wait for the network would take as long
