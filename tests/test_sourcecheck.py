"""The table of sources and its check: one cheap call each, every failure a sentence, nothing taken along."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import create_model

from factory.cli import main
from factory.events import create
from factory.sections import CollectSettings
from factory.sourcecheck import QUERIES, failed, offline, status
from schemas import Recheck, SourceStatus
from sources import registry
from tests.corpus.items import fill, item
from tests.scripted import make_context
from tests.sources.answering import Asked, Server, answering, client

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
BUNDLED = {
    "bluesky": "sources.bluesky:Bluesky",
    "gdelt": "sources.gdelt:Gdelt",
    "googlenews": "sources.googlenews:GoogleNews",
    "hackernews": "sources.hackernews:HackerNews",
    "mastodon": "sources.mastodon:Mastodon",
    "reddit": "sources.reddit:Reddit",
    "rss": "sources.rss:Rss",
    "wayback": "sources.wayback:Wayback",
    "web": "sources.web:Web",
    "x": "sources.x:X",
    "youtube": "sources.youtube:YouTube",
}
ADDRESSES = (
    "bluesky_public_url",
    "bluesky_url",
    "gdelt_url",
    "googlenews_url",
    "hackernews_url",
    "mastodon_url",
    "reddit_auth_url",
    "reddit_url",
    "wayback_url",
    "x_url",
    "youtube_url",
)
ENV = dict.fromkeys(
    ("REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET", "X_BEARER_TOKEN", "YOUTUBE_API_KEY"), "placeholder"
)
FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><item><title>A ferry - Courier</title>
<link>http://c.example/a</link><guid>g1</guid><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate>
<description>A ferry stopped.</description></item></channel></rss>"""
GOOD: dict[str, Any] = {
    "/xrpc/app.bsky.feed.searchPosts": {"posts": []},
    "/api/v2/doc/doc": {"articles": []},
    "/rss/search": FEED,
    "/api/v1/search_by_date": {"hits": [], "nbHits": 0},
    "/api/v1/timelines/tag/news": [],
    "/api/v1/access_token": {"access_token": "t", "token_type": "bearer", "expires_in": 60, "scope": "*"},
    "/r/announcements/": {"kind": "Listing", "data": {"children": [], "after": None}},
    "/cdx/search/cdx": [],
    "/2/tweets": {"data": [{"id": "20", "text": "words"}]},
    "/videos": {"items": [{"id": "jNQXAC9IVRw"}]},
    "/feed.rss": FEED,
}  # fmt: skip


def good(asked: Asked) -> tuple[int, bytes]:
    for path, answer in GOOD.items():
        if asked.path.partition("?")[0].startswith(path):
            return 200, answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return 404, b"{}"


def settings(url: str, **more: Any) -> CollectSettings:
    """Collect settings whose addresses all lead to one server."""
    fields: dict[str, Any] = dict.fromkeys(ADDRESSES, (str, url))
    made: CollectSettings = create_model("Addresses", __base__=CollectSettings, **fields)(**more)
    return made


@pytest.fixture(autouse=True)
def only_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "CONNECTORS", BUNDLED)
    monkeypatch.setattr(registry, "_plugins", lambda group: {})


@pytest.fixture
def server() -> Iterator[Server]:
    with answering(good) as served:
        yield served


def checked(url: str, env: dict[str, str] | None = None, **more: Any) -> dict[str, SourceStatus]:
    found = status(ENV if env is None else env, check=settings(url, **more), now=NOW, http=client())
    return {row.name: row for row in found if row.kind == "connector"}


def state(row: SourceStatus) -> str:
    assert row.check is not None
    return row.check.state


def test_every_configured_source_is_asked_a_little(server: Server) -> None:
    rows = checked(server.url)
    assert {name: state(row) for name, row in rows.items()} == dict.fromkeys(BUNDLED, "ok") | {
        "rss": "not checked",
        "web": "not checked",
    }
    assert not failed(list(rows.values()))
    assert len(server.asked) <= 20
    asked = {row.path.partition("?")[0] for row in server.asked}
    assert {"/videos", "/2/tweets", "/r/announcements/new"} <= asked
    assert not {"/search", "/2/tweets/search/all"} & asked, (
        "scarce and paid searches are left alone"
    )
    for row in rows.values():
        assert row.check is not None
        assert (row.check.seconds is not None) == (row.check.state == "ok")


def test_the_check_of_a_feed_reads_the_first_one(server: Server) -> None:
    rows = checked(server.url, feeds=(f"{server.url}/feed.rss", "http://other.example/b.rss"))
    assert state(rows["rss"]) == "ok"
    assert "/feed.rss" in server.paths


def test_credentials_go_where_they_belong(server: Server) -> None:
    checked(server.url, ENV | {"YOUTUBE_API_KEY": "key-of-youtube", "X_BEARER_TOKEN": "token-of-x"})
    for asked in server.asked:
        sent = "\n".join([asked.path, *asked.headers.values()])
        assert ("key-of-youtube" in sent) == asked.path.startswith("/videos")
        assert ("token-of-x" in sent) == asked.path.startswith("/2/tweets")
        assert "key-of-youtube" not in asked.path


def test_what_lacks_credentials_is_not_asked_and_names_them(server: Server) -> None:
    rows = checked(server.url, {})
    for name, variables in {
        "reddit": ("REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET"),
        "x": ("X_BEARER_TOKEN",),
        "youtube": ("YOUTUBE_API_KEY",),
    }.items():
        assert state(rows[name]) == "not configured"
        assert rows[name].missing == variables
        assert rows[name].check is not None
        assert all(variable in rows[name].check.note for variable in variables)  # type: ignore[union-attr]
    assert not failed(list(rows.values()))
    assert not any(asked.path.startswith(("/2/", "/videos", "/r/")) for asked in server.asked)


def test_one_failure_is_told_and_takes_nothing_along() -> None:
    def answer(asked: Asked) -> tuple[int, bytes]:
        if asked.path.startswith("/videos"):
            return 400, b'{"error": {"details": [{"reason": "API_KEY_INVALID"}]}}'
        return (403, b"{}") if asked.path.startswith("/xrpc") else good(asked)

    with answering(answer) as served:
        rows = checked(served.url)
    assert {row.name for row in failed(list(rows.values()))} == {"bluesky", "youtube"}
    assert rows["youtube"].check is not None
    assert "YOUTUBE_API_KEY" in rows["youtube"].check.note
    assert rows["bluesky"].check is not None
    assert rows["bluesky"].check.outcome == "blocked"
    assert not offline(list(rows.values()))


def test_a_machine_without_a_network_is_told_apart() -> None:
    with answering(good) as served:
        closed = served.url
    rows = list(checked(closed, {}).values())
    assert offline(rows)
    assert {row.name for row in failed(rows)} == {
        "bluesky", "gdelt", "googlenews", "hackernews", "mastodon", "wayback"
    }  # fmt: skip
    assert all(row.check.note for row in failed(rows) if row.check is not None)


def test_each_source_has_a_cursor_of_its_own(server: Server) -> None:
    checked(server.url)
    first = list(server.paths)
    server.asked.clear()
    checked(server.url)
    assert server.paths == first


def test_every_query_of_a_check_is_of_a_source_that_exists() -> None:
    assert set(QUERIES) <= set(BUNDLED)


# -- the command -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def factory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Runs the command line in an empty folder without credentials."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    for name in ENV:
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["factory", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    return run


def test_the_command_prints_records_and_exits_with_1_when_one_failed(
    factory: Callable[..., Done], tmp_path: Path
) -> None:
    with answering(good) as served:
        closed = served.url
    (tmp_path / "factory.toml").write_text(f'[collect]\nproxy = "{closed}"\n', encoding="utf-8")
    done = factory("sources", "--check", "--json")
    rows = [SourceStatus.model_validate_json(json.dumps(row)) for row in json.loads(done.out)]
    assert done.code == 1
    assert "offline" in done.err
    assert {row.kind for row in rows} == {"connector", "importer"}
    plain = factory("sources", "--json")
    assert plain.code == 0
    assert all(row["check"] is None for row in json.loads(plain.out))


def test_the_table_names_what_each_needs(factory: Callable[..., Done]) -> None:
    out = factory("sources").out
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert set(BUNDLED) | set(registry.IMPORTERS) <= set(lines)
    assert " no " in lines["reddit"]
    assert "REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET" in lines["reddit"]
    assert " yes " in lines["hackernews"]
    assert "can use MASTODON_TOKEN" in lines["mastodon"]
    assert "RSS and Atom" in lines["feed"]
    assert out.count("query:") == out.count("limits:") == len(BUNDLED)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sources", "recheck", "nothing"], "no event 'nothing'"),
        (["sources", "--json", "recheck", "nothing"], "write options after it"),
        (["sources", "refresh"], "refresh"),
        (["export", "items", "nothing", "out"], "no event 'nothing'"),
        (["export", "parquet", "nothing", "out"], "write items"),
    ],
)
def test_wrong_inputs_are_one_sentence(
    arguments: list[str], words: str, factory: Callable[..., Done]
) -> None:
    done = factory(*arguments)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_recheck_and_export_work_from_the_command_line(
    factory: Callable[..., Done], tmp_path: Path
) -> None:
    with answering(
        lambda asked: (404 if asked.path.endswith("12") else 200, b'{"id": "11"}')
    ) as at:
        event = create(
            tmp_path / "workspaces" / "ferry",
            {"slug": "ferry", "topic": "Lanmere ferry fares"},
            settings={"collect": {"proxy": at.url, "mastodon_url": "http://square.example"}},
        )
        posts = [
            item(native, "A post.", platform="mastodon", kind="post", native_id=native)
            for native in ("11", "12")
        ]
        fill(make_context(event.workspace.root, "corpus"), posts)
        looked = factory("sources", "recheck", "ferry", "--json")
    assert looked.code == 0
    assert Recheck.model_validate_json(looked.out).newly_gone == 1
    assert "factory run ferry" in looked.err
    assert at.paths[0] == "http://square.example/api/v1/statuses/11"
    done = factory("export", "items", "ferry", "out", "--mode", "ids")
    assert done.code == 0
    assert "1 item, 1 left out" in done.err
    lines = (tmp_path / "out" / "items.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["native_id"] for line in lines] == ["11"]


def test_a_recheck_without_any_answer_does_not_say_that_nothing_changed(
    factory: Callable[..., Done], tmp_path: Path
) -> None:
    event = create(tmp_path / "workspaces" / "ferry", {"slug": "ferry", "topic": "Ferry fares"})
    post = item("1", "A post.", platform="weibo", kind="post", native_id="1")
    fill(make_context(event.workspace.root, "corpus"), [post])
    looked = factory("sources", "recheck", "ferry")
    assert looked.code == 0
    assert "no platform gave an answer" in looked.err
    assert "asking about" not in looked.err


@pytest.mark.parametrize("proxy", ["zzz", "http://", "ftp://p.example", "http://p.example:x"])
def test_a_proxy_that_is_no_address_is_a_sentence(
    proxy: str, factory: Callable[..., Done], tmp_path: Path
) -> None:
    (tmp_path / "factory.toml").write_text(f'[collect]\nproxy = "{proxy}"\n', encoding="utf-8")
    done = factory("sources", "--check")
    assert done.code == 2
    assert "collect.proxy" in done.err
    assert "http://" in done.err
