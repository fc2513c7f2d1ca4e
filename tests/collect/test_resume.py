"""A collection killed in the middle of a paged query goes on: nothing lost, nothing twice, nothing asked again."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from factory import collect
from factory.workspace import Workspace
from schemas import Coverage, Item
from tests.sources.keyless import Algolia, comment, node, story
from tests.sources.test_hackernews import DAY1
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
HUNG = (2, 9, 21, 33)
"""Requests that are killed: in a listing of stories, in threads, in a listing of comments, in the second query."""


@dataclass
class Served:
    """A platform behind an HTTP proxy; `hang_at` is the number of the request that is never answered."""

    platform: Algolia
    url: str = ""
    hang_at: int = -1
    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    hanging: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(platform: Algolia) -> Iterator[Served]:
    served = Served(platform)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = len(served.asked)
            served.asked.append(self.path)
            if number == served.hang_at:
                served.hanging.set()
                served.release.wait(PATIENCE)
                return
            status, body = served.platform.answer(self.path)
            # Noted before the last byte goes out: the next request may follow at once.
            served.answered.append(self.path)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """The requests are in `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield served
    finally:
        served.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


def platform() -> Algolia:
    made = Algolia(
        hits=[story(n, DAY1 + timedelta(hours=11 * n), comments=n % 3) for n in range(60)]
        + [comment(900 + n, DAY1 + timedelta(hours=13 * n), 1, 1) for n in range(50)],
        page=20,
    )
    for root in range(1, 60, 3):
        at = DAY1 + timedelta(days=1)
        made.threads[str(root)] = node(
            root, at, node(100 * root, at), node(100 * root + 1, at, author=None), type="story"
        )
    return made


def start(root: Path, served: Served) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.collect.resumable", str(root), served.url],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(root: Path, served: Served) -> str:
    with start(root, served) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return out


def collected(root: Path) -> tuple[list[Item], list[Coverage]]:
    workspace = Workspace(root)
    return workspace.read_lines(Item, collect.ITEMS), workspace.read_lines(
        Coverage, collect.COVERAGE
    )


@pytest.mark.slow
def test_a_collection_killed_again_and_again_ends_as_one_that_was_not(tmp_path: Path) -> None:
    with serving(platform()) as served:
        counts = finish(tmp_path / "whole", served)
        whole = list(served.asked)
    assert len(whole) >= 40
    with serving(platform()) as served:
        for hang_at in HUNG:
            served.hang_at = hang_at
            served.hanging.clear()
            process = start(tmp_path / "killed", served)
            assert served.hanging.wait(PATIENCE), process.poll()
            process.kill()
            process.communicate(timeout=PATIENCE)
        served.hang_at = -1
        again = finish(tmp_path / "killed", served)
        answered, asked = list(served.answered), list(served.asked)
    assert answered == whole, "an answered request was sent again, or one was left out"
    assert Counter(asked) - Counter(whole) == Counter(asked[number] for number in HUNG), (
        "more than what was in flight was sent again"
    )
    assert again == counts
    for name in (collect.ITEMS, collect.COVERAGE):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    items, coverage = collected(tmp_path / "killed")
    assert len({item.item_id for item in items}) == len(items)
    assert sum(sum(row.outcomes.values()) for row in coverage) == len(whole)
