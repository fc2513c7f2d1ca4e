"""A server on loopback that answers from a function and keeps what it was asked, headers included."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sources.http import Http

Answer = Callable[["Asked"], "tuple[int, bytes] | tuple[int, bytes, Mapping[str, str]]"]
"""Status, body and, where they matter, headers."""


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    """With its query; the whole address where the server is asked as a proxy."""
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes


@dataclass
class Server:
    """Where it listens and what it was asked, in order."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [row.path for row in self.asked]


@contextmanager
def answering(answer: Answer) -> Iterator[Server]:
    """Serve until the block ends, also as a proxy. A body is JSON unless it begins with `<` or headers say so."""
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            names = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, names, body)
            served.asked.append(asked)
            status, data, *more = answer(asked)
            self.send_response(status)
            kind = "text/html" if data.startswith(b"<") else "application/json"
            headers = {"content-type": kind, "content-length": str(len(data))}
            for name, value in (headers | dict(*more)).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = _serve

        def log_message(self, format: str, *args: object) -> None:
            """Requests are kept in `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def client(**settings: object) -> Http:
    """The real client, allowed to reach loopback, which never waits."""
    given: dict[str, object] = {
        "user_agent": "factory tests",
        "allow_private": True,
        "per_host_seconds": 0.0,
        "retries": 0,
        "sleep": lambda _seconds: None,
    }
    return Http(**(given | settings))  # type: ignore[arg-type]
