"""Recorded traffic: what goes in comes out, secrets do not go in."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from sources.scrub import clean_address, clean_body
from sources.traffic import RecordingBroken, RecordingMissing, traffic
from tests.sources.test_http import World, client
from tests.waiting import PATIENCE

PAGE = "<html><body>渡轮停航了。\r\n 第二行\t\u2028\n</body></html>"


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    handler: Any = made.server.RequestHandlerClass

    def post(self: BaseHTTPRequestHandler) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        answer = {"access_token": "s3cr3t-token"} if "grant" in body else {"got": body}
        self.send_response(200)
        self.send_header("Set-Cookie", "session=s3cr3t-cookie")
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    handler.do_POST = post
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_bodies_replay_byte_by_byte(world: World, tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    bodies = {
        "/utf8": ({"content-type": "text/html"}, PAGE.encode()),
        "/gbk": (
            {"content-type": "text/html; charset=gbk"},
            PAGE.replace("\u2028", "").encode("gbk"),
        ),
        "/gzip": ({"content-encoding": "gzip"}, gzip.compress(PAGE.encode())),
        "/x-gzip": ({"content-encoding": "x-gzip"}, gzip.compress(PAGE.encode())),
        "/deflate": ({"content-encoding": "deflate"}, zlib.compress(PAGE.encode())),
        "/binary": ({}, bytes(range(256))),
    }
    for path, (headers, body) in bodies.items():
        world.pages[path] = (200, headers, body)
    with traffic(file, record=True):
        first = {path: client().get(world.base + path) for path in bodies}
    asked = len(world.asked)
    with traffic(file, record=False):
        again = {path: client().get(world.base + path) for path in bodies}
    assert len(world.asked) == asked
    for path in bodies:
        assert again[path].body == first[path].body
        assert again[path].content_type == first[path].content_type
    assert "渡轮停航了" in file.read_text(encoding="utf-8")


def test_what_a_run_refused_its_replay_refuses_too(world: World, tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    packed = gzip.compress(PAGE.encode())
    world.pages["/cut"] = (200, {"content-encoding": "gzip"}, packed[:-9])
    world.pages["/br"] = (200, {"content-encoding": "br"}, b"words")
    world.pages["/bomb"] = (200, {"content-encoding": "gzip"}, gzip.compress(b"0" * 70_000_000))
    with traffic(file, record=True):
        first = [client().get(world.base + path) for path in ("/cut", "/br", "/bomb")]
    with traffic(file, record=False):
        again = [client().get(world.base + path) for path in ("/cut", "/br", "/bomb")]
    assert [row.outcome for row in first] == ["error"] * 3
    assert [(row.outcome, row.note, row.body) for row in again] == [
        (row.outcome, row.note, row.body) for row in first
    ]
    assert file.stat().st_size < 1_000_000


def test_pages_are_followed_in_a_replay_by_links_that_lost_their_values(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "traffic.yaml"
    world.pages["/a"] = (
        200,
        {"link": f'<{world.base}/b?ticket=s3cret&max_id=3>; rel="next"'},
        b"1",
    )
    world.pages["/b?ticket=s3cret&max_id=3"] = (302, {"location": "c?code=s3cret"}, b"")
    world.pages["/c?code=s3cret"] = (200, {}, b"2")

    def walk() -> list[bytes]:
        first = client().get(world.base + "/a")
        link = first.headers["link"].partition(">")[0].removeprefix("<")
        return [first.body, client().get(link).body]

    with traffic(file, record=True):
        assert walk() == [b"1", b"2"]
    asked = list(world.asked)
    with traffic(file, record=False):
        assert walk() == [b"1", b"2"]
    assert world.asked == asked
    assert "s3cret" not in file.read_text(encoding="utf-8")


def test_posts_are_told_apart_by_their_body_and_lose_their_secrets(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "traffic.yaml"
    forms: list[dict[str, str]] = [
        {"grant_type": "password", "username": "s3cr3t-user", "password": "s3cr3t-word"},
        {"children": "a"},
        {"children": "b"},
    ]
    with traffic(file, record=True):
        for form in forms:
            requests.post(
                world.base + "/api?key=s3cr3t-key",
                data=form,
                timeout=PATIENCE,
                auth=("s3cr3t-id", "x"),
            )
    text = file.read_text(encoding="utf-8")
    assert "s3cr3t" not in text
    assert "set-cookie" not in text.lower()
    with traffic(file, record=False):
        address = world.base + "/api?key=other"
        assert requests.post(address, data={"children": "b"}, timeout=PATIENCE).json() == {
            "got": "children=b"
        }
        assert requests.post(address, data={"children": "a"}, timeout=PATIENCE).json() == {
            "got": "children=a"
        }
        login = {"grant_type": "password", "username": "replay", "password": "replay"}
        assert (
            requests.post(address, data=login, timeout=PATIENCE).json()["access_token"] == "REMOVED"
        )


def test_what_was_not_recorded_is_named(world: World, tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    world.pages["/a"] = (200, {}, b"a")
    with traffic(file, record=True):
        client().get(world.base + "/a")
    with pytest.raises(RecordingMissing) as caught, traffic(file, record=False):
        client().get(world.base + "/b?token=s3cr3t")
    assert caught.value.address == f"{world.base}/b?token=REMOVED"
    with pytest.raises(RecordingMissing), traffic(tmp_path / "none.yaml", record=False):
        client().get(world.base + "/a")


@pytest.mark.parametrize("text", ["a: [", "interactions: 3", "- x", "interactions:\n- {}\n"])
def test_a_damaged_recording_is_broken_not_missing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "traffic.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RecordingBroken), traffic(file, record=False):
        pass


@given(
    st.dictionaries(st.from_regex("[a-z]{1,6}", fullmatch=True), st.text(max_size=8), max_size=4)
)
def test_keys_do_not_depend_on_order_and_are_stable(values: dict[str, str]) -> None:
    turned = dict(reversed(values.items()))
    assert clean_body(json.dumps(values)) == clean_body(json.dumps(turned))
    query = "&".join(f"{name}=1" for name in values)
    back = "&".join(f"{name}=1" for name in turned)
    address = clean_address(f"http://E.com/x?{query}")
    assert address == clean_address(f"http://e.com/x?{back}") == clean_address(address)
