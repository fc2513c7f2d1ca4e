"""A server on loopback that answers from a function and keeps what it was asked, headers included."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sources.http import Http

Answer = Callable[["Asked"], "tuple[int, bytes]"]


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    """With its query."""
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
    """Serve until the block ends. An answer's body is JSON unless it begins with `<`."""
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, body)
            served.asked.append(asked)
            status, data = answer(asked)
            self.send_response(status)
            kind = "text/html" if data.startswith(b"<") else "application/json"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
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
