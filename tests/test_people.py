"""Rechecking what people published: what is gone leaves the event, what was not told stays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from factory import corpus, people
from factory.deletions import deletion, gone_ids
from factory.errors import BadInput, WorkspaceBusy, WorkspaceError
from factory.events import Event, create, open_event
from factory.pipeline import STAGES
from factory.running import fingerprint
from schemas import Item, Origin, PlatformRecheck, Recheck
from tests.corpus.items import at, fill
from tests.scripted import make_context
from tests.sources.answering import Asked, Server, answering, client

NOW = datetime(2026, 7, 1, tzinfo=UTC)
ENV = {"REDDIT_CLIENT_ID": "an-id", "REDDIT_CLIENT_SECRET": "a-secret"}
CORPUS = next(stage for stage in STAGES if stage.name == "corpus")
WORDS = "The ferry fare rise is a scandal for night workers of Lanmere, number"


def stored(platform: str, native: str, kind: str = "post", **fields: Any) -> Item:
    moment = at(3)
    return Item.model_validate(
        {
            "item_id": f"i-{platform}-{native.rpartition('/')[2]}",
            "platform": platform,
            "kind": kind,
            "native_id": native,
            "text": f"{WORDS} {native}",
            "lang": "en",
            "published_at": moment,
            "precision": "second",
            "fetched_at": moment,
            "origin": Origin(source=platform, archive=fields.pop("archive", "")),
        }
        | fields
    )


@dataclass
class Net:
    """Reddit, an instance of Mastodon and a newspaper on one address; names in `gone` are deleted there."""

    gone: set[str] = field(default_factory=set)
    down: bool = False

    def __call__(self, asked: Asked) -> tuple[int, bytes]:
        name = asked.path.rpartition("/")[2]
        if self.down:
            return 503, b"{}"
        if asked.path.endswith("/access_token"):
            token = {"access_token": "t", "token_type": "bearer", "expires_in": 3600, "scope": "*"}
            return 200, json.dumps(token).encode()
        if asked.path.startswith("/api/v1/statuses/"):
            return (404, b"{}") if name in self.gone else (200, json.dumps({"id": name}).encode())
        if asked.path.startswith("/api/info"):
            wanted = asked.path.partition("id=")[2].partition("&")[0].replace("%2C", ",").split(",")
            here = [{"data": {"name": n}} for n in wanted if n not in self.gone]
            return 200, json.dumps({"data": {"children": here}}).encode()
        return (404, b"<p>") if name in self.gone else (200, b"<html>words of a page</html>")


@dataclass
class Place:
    """An event with items of three platforms, and the net that they came from."""

    event: Event
    net: Net
    server: Server

    def recheck(self, env: dict[str, str] | None = None) -> Recheck:
        return people.recheck(self.event, env=ENV if env is None else env, now=NOW, http=client())

    def row(self, found: Recheck, platform: str) -> PlatformRecheck:
        return next(row for row in found.platforms if row.platform == platform)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    net = Net()
    with answering(net) as server:
        settings = dict.fromkeys(("mastodon_url", "reddit_url", "reddit_auth_url"), server.url)
        event = create(
            tmp_path / "ferry",
            {"slug": "ferry", "topic": "Lanmere ferry fares"},
            settings={"collect": settings},
        )
        items = [
            *(stored("mastodon", str(number)) for number in range(11, 17)),
            stored("reddit", "t3_a"),
            stored("reddit", "t1_b", "comment", parent_id="i-reddit-t3_a"),
            stored("weibo", "5001"),
            stored("web", f"{server.url}/p1", "article", url=f"{server.url}/p1"),
            stored("rss", f"{server.url}/p2", "article", url=f"{server.url}/p2"),
            stored(
                "web",
                f"{server.url}/p3",
                "article",
                url=f"{server.url}/p3",
                archive="http://web.archive.example/p3",
            ),
        ]
        fill(make_context(event.workspace.root, "corpus"), items)
        yield Place(event, net, server)


def dropped(place: Place) -> set[str]:
    """Items that the next run of the corpus drops as deleted."""
    ctx = make_context(place.event.workspace.root, "corpus")
    ctx.decisions = tuple(ctx.workspace.decisions("corpus"))
    asyncio.run(corpus.run(ctx))
    kept = {item.item_id for item in ctx.workspace.read_lines(Item, corpus.DOCUMENTS)}
    gone = {row.item for row in ctx.rejections if row.reason == "deleted by its platform"}
    assert not kept & gone
    return gone


def test_what_is_gone_leaves_the_next_corpus_with_a_reason(place: Place) -> None:
    before = fingerprint(place.event, CORPUS)
    place.net.gone = {"12", "t1_b", "p2"}
    found = place.recheck()
    states = {row.platform: (row.there, row.gone, row.not_known) for row in found.platforms}
    assert states == {
        "mastodon": (5, 1, 0),
        "reddit": (1, 1, 0),
        "web": (1, 1, 1),
        "weibo": (0, 0, 1),
    }
    assert found.newly_gone == 3
    assert fingerprint(place.event, CORPUS) != before
    assert dropped(place) == {"i-mastodon-12", "i-reddit-t1_b", "i-rss-p2"}


def test_a_second_look_that_finds_nothing_new_decides_nothing(place: Place) -> None:
    place.net.gone = {"12"}
    place.recheck()
    decisions = place.event.workspace.path("decisions.jsonl").read_bytes()
    again = place.recheck()
    assert again.newly_gone == again.back == 0
    assert place.row(again, "mastodon").gone == 1
    assert place.event.workspace.path("decisions.jsonl").read_bytes() == decisions


def test_what_is_back_is_kept_again(place: Place) -> None:
    place.net.gone = {"12"}
    place.recheck()
    place.net.gone = set()
    assert place.recheck().back == 1
    assert dropped(place) == set()


def test_a_platform_that_fails_loses_nothing(place: Place) -> None:
    place.net.down = True
    found = place.recheck({})
    assert all(row.gone == row.there == 0 for row in found.platforms)
    assert place.row(found, "mastodon").not_known == 6
    assert "503" in place.row(found, "mastodon").note
    assert not place.event.workspace.exists("decisions.jsonl")


def test_missing_credentials_are_named_and_nothing_is_asked(place: Place) -> None:
    row = place.row(place.recheck({}), "reddit")
    assert (row.there, row.gone, row.not_known) == (0, 0, 2)
    assert "REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET" in row.note
    assert not any("/api/info" in path for path in place.server.paths)


def test_pages_from_an_archive_were_gone_before_and_are_not_asked(place: Place) -> None:
    place.net.gone = {"p3"}
    row = place.row(place.recheck(), "web")
    assert (row.asked, row.gone, row.not_known) == (3, 0, 1)
    assert "/p3" not in place.server.paths
    assert "archive" in row.note


def test_platforms_that_nobody_can_ask_are_said_to_be_so(place: Place) -> None:
    assert "weibo" in place.row(place.recheck(), "weibo").note


def test_a_decision_of_a_person_stays_beside_those_of_a_recheck(place: Place) -> None:
    workspace = place.event.workspace
    mine = deletion("i-weibo-5001", gone=True, note="asked by mail", at=NOW)
    workspace.decide(mine)
    place.net.gone = {"12"}
    place.recheck()
    assert workspace.decisions()[0] == mine
    assert dropped(place) == {"i-weibo-5001", "i-mastodon-12"}


def test_decisions_are_stored_as_it_goes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "CHUNK", 3)
    place.net.gone = {"12"}

    def stop(line: str) -> None:
        if line.startswith("reddit"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        people.recheck(place.event, env=ENV, now=NOW, http=client(), say=stop)
    assert gone_ids(place.event.workspace.decisions()) == {"i-mastodon-12"}


@pytest.mark.parametrize(
    ("count", "chunk"), [(1, 500), (500, 500), (501, 500), (1003, 500), (7, 2)]
)
def test_parts_are_even(count: int, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "CHUNK", chunk)
    items = [stored("x", str(number)) for number in range(count)]
    parts = list(people._parts(items))
    assert [item for part in parts for item in part] == items
    sizes = [len(part) for part in parts]
    assert max(sizes) <= chunk
    assert max(sizes) - min(sizes) < len(parts)


def test_an_event_that_is_running_is_left_alone(place: Place) -> None:
    with place.event.workspace.lock(), pytest.raises(WorkspaceBusy):
        place.recheck()


def test_an_event_without_items_says_what_to_run(tmp_path: Path) -> None:
    event = create(tmp_path / "new", {"slug": "new", "topic": "a topic"})
    with pytest.raises(WorkspaceError, match="factory run new"):
        people.recheck(event, env={}, now=NOW, http=client())


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"entry": "timeline"}, "made from a timeline"),
        ({"recording": "demo", "mode": "replay"}, "recording"),
    ],
)
def test_events_whose_sources_are_never_asked_are_refused(
    tmp_path: Path, fields: dict[str, str], words: str
) -> None:
    create(tmp_path / "odd", {"slug": "odd", "topic": "a topic"} | fields)
    with pytest.raises(BadInput, match=words):
        people.recheck(open_event(tmp_path / "odd"), env={}, now=NOW, http=client())
