"""The invented outside world over HTTP, on loopback.

It answers as a plain HTTP proxy (`GET http://www.landucourier.example/... HTTP/1.1`) and by Host header, so
that clients need nothing but a proxy setting. Run it with `python -m tests.outside_world.server --port N`.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol

from tests.outside_world.world import Reply, Request, World
from tests.waiting import PATIENCE


class Answering(Protocol):
    """An invented world."""

    def answer(self, request: Request) -> Reply:
        """The reply to a request."""


@dataclass
class Served:
    """A running server and what it was asked."""

    url: str
    """Address to give to clients as their HTTP proxy."""
    log: list[str] = field(default_factory=list)
    """`METHOD status address?query`, in the order of arrival."""


def _handler(world: Answering, served: Served, *, loud: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = PATIENCE

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            address = self.path
            if address.startswith("/"):
                address = f"http://{self.headers.get('Host', '')}{address}"
            request = Request.of(
                self.command,
                address,
                body=body,
                authorization=self.headers.get("Authorization", ""),
            )
            reply = world.answer(request)
            line = f"{self.command} {reply.status} {address}"
            served.log.append(line)
            if loud:
                print(line, file=sys.stderr, flush=True)
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        do_GET = do_HEAD = do_POST = _serve

        def do_CONNECT(self) -> None:
            self.send_error(501, "this world speaks plain http only")

        def log_message(self, format: str, *args: object) -> None:
            """Requests are logged by `_serve`."""

    return Handler


@contextmanager
def running(
    port: int = 0, *, loud: bool = False, world: Answering | None = None
) -> Iterator[Served]:
    """Serve a world (the small one unless given) on 127.0.0.1 (port 0: any free one) until the block ends."""
    served = Served(url="")
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(world or World(), served, loud=loud))
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main(world: Answering | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8931)
    with running(parser.parse_args().port, loud=True, world=world) as served:
        print(f"the invented world listens on {served.url}; stop with Ctrl-C", file=sys.stderr)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)


if __name__ == "__main__":
    main()
