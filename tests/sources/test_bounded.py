"""Bodies that `requests` reads for other libraries stop at a bound, packed or not."""

from __future__ import annotations

import gzip
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from sources.bounded import Bounded, TooLarge
from tests.waiting import PATIENCE

BOUND = 100_000


def serving(body: bytes, *, packed: bool, declared: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            if packed:
                self.send_header("Content-Encoding", "gzip")
            if declared:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(OSError):  # the client may have seen enough
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def served(body: bytes, *, packed: bool = False, declared: bool = True) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), serving(body, packed=packed, declared=declared))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def fetch(url: str) -> bytes:
    with requests.Session() as session:
        session.trust_env = False
        session.mount("http://", Bounded(BOUND))
        return session.get(url, timeout=PATIENCE).content


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("declared", [False, True])
def test_a_body_within_the_bound_arrives_whole(packed: bool, declared: bool) -> None:
    body = b"abc" * (BOUND // 3)
    with served(gzip.compress(body) if packed else body, packed=packed, declared=declared) as url:
        assert fetch(url) == body


@pytest.mark.parametrize("declared", [False, True])
def test_a_larger_body_is_refused(declared: bool) -> None:
    with (
        served(b"x" * (BOUND + 1), declared=declared) as url,
        pytest.raises(TooLarge, match="larger"),
    ):
        fetch(url)


def test_a_small_body_that_unpacks_to_a_huge_one_is_refused() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    assert len(bomb) < BOUND
    with served(bomb, packed=True) as url, pytest.raises(TooLarge, match="larger"):
        fetch(url)
