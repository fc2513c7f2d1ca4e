"""Collecting from an invented outside world: recorded once through a proxy, replayed without a network."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import shutil
import socket
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from factory import collect
from factory.errors import BadInput, CassetteBroken, CassetteMiss
from factory.sections import CollectSettings
from factory.settings import Settings
from factory.stage import StageContext
from schemas import Coverage, ImportSpec, Item, Plan, SourceQuery
from sources.traffic import TRAFFIC
from tests.outside_world import server
from tests.scripted import make_context

QUERIES = (
    ("rss", "http://www.landucourier.example/feeds/houwei-ferry.rss", "en"),
    ("rss", "http://www.landuzaobao.example/rss/houwei.xml", "zh"),
    ("reddit", "r/landu: ferry", "en"),
    ("mastodon", "#HouweiFerry", "en"),
    ("mastodon", "ferry", "en"),
    ("web", "http://www.landuzaobao.example/tiyu/2026/0122/dongyong.html", "zh"),
)


def plan(queries: tuple[tuple[str, str, str], ...] = QUERIES) -> Plan:
    return Plan(
        topic="the Houwei ferry",
        title="Houwei ferry closure",
        since=date(2025, 11, 1),
        until=date(2026, 5, 20),
        zone="Asia/Shanghai",
        languages=("en", "zh"),
        domain="transport",
        stance_target="the closure of the ferry",
        queries=tuple(
            SourceQuery.model_validate({"source": s, "query": q, "lang": lang})
            for s, q, lang in queries
        ),
    )


def context(root: Path, proxy: str = "", asked: Plan | None = None, **event: Any) -> StageContext:
    settings = Settings(
        collect=CollectSettings(
            proxy=proxy,
            mastodon_url="http://square.example",
            reddit_url="http://reddit.example",
            reddit_auth_url="http://reddit.example",
        )
    )
    ctx = make_context(root, "collect", settings=settings, **event)
    ctx.now = datetime(2026, 5, 28, 2, tzinfo=UTC)
    ctx.workspace.write(collect.PLAN, asked or plan())
    return ctx


def run(ctx: StageContext) -> tuple[list[Item], list[Coverage]]:
    asyncio.run(collect.run(ctx))
    return (
        ctx.workspace.read_lines(Item, collect.ITEMS),
        ctx.workspace.read_lines(Coverage, collect.COVERAGE),
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The world's traffic, recorded once; beside it the workspace that it gave."""
    base = tmp_path_factory.mktemp("recorded")
    with server.running() as served:
        ctx = context(base / "event", served.url)
        ctx.record_sources = base / "recording"
        run(ctx)
    return base


def test_a_recording_replays_to_the_same_bytes_without_any_socket(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("replay opened a socket or looked up a name")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr("time.sleep", refuse)
    ctx = context(tmp_path / "event")
    ctx.recording = recorded / "recording"
    run(ctx)
    for name in (collect.ITEMS, collect.COVERAGE):
        assert ctx.workspace.path(name).read_bytes() == (recorded / "event" / name).read_bytes()


def test_every_connector_yields_what_the_world_holds(recorded: Path, tmp_path: Path) -> None:
    ctx = context(tmp_path / "event")
    ctx.recording = recorded / "recording"
    items, coverage = run(ctx)
    kinds = Counter((item.platform, item.kind) for item in items)
    assert kinds["web", "article"] >= 10
    assert kinds["reddit", "post"] >= 4
    assert kinds["reddit", "comment"] >= 8
    assert kinds["mastodon", "post"] >= 8
    assert {item.lang for item in items} >= {"en", "zh"}
    assert all(item.published_at for item in items if item.platform in ("reddit", "mastodon"))
    assert all(item.text not in ("[deleted]", "[removed]") for item in items)
    assert {row.source for row in coverage} == {"rss", "web", "reddit", "mastodon"}
    assert all(row.outcomes or row.note for row in coverage)
    gone = {row.reason for row in ctx.rejections}
    assert "deleted" in gone
    assert len({(item.platform, item.native_id, item.kind) for item in items}) == len(items)
    parents = {item.parent_id for item in items if item.platform == "reddit" and item.parent_id}
    assert parents & {item.item_id for item in items}


def test_a_recording_holds_no_credential_and_only_allowed_headers(recorded: Path) -> None:
    text = (recorded / "recording" / TRAFFIC).read_text(encoding="utf-8")
    lower = text.lower()
    for secret in (
        "a-token-of-the-invented-world",
        "authorization",
        "bearer ",
        "basic ",
        "set-cookie",
    ):
        assert secret not in lower
    assert "鲎尾" in text, "recordings are readable Unicode"
    assert "\\u" not in text.split("square.example")[0]


def test_a_request_that_the_recording_lacks_is_named(recorded: Path, tmp_path: Path) -> None:
    asked = plan((("web", "http://www.landucourier.example/not-recorded", "en"),))
    ctx = context(tmp_path / "event", asked=asked)
    ctx.recording = recorded / "recording"
    with pytest.raises(CassetteMiss, match=r"GET http://www\.landucourier\.example/not-recorded"):
        run(ctx)


def test_a_miss_inside_the_reddit_client_is_named_too(recorded: Path, tmp_path: Path) -> None:
    ctx = context(tmp_path / "event", asked=plan((("reddit", "r/landu: bicycles", "en"),)))
    ctx.recording = recorded / "recording"
    with pytest.raises(CassetteMiss, match=r"reddit\.example.*bicycles"):
        run(ctx)


@pytest.mark.parametrize(
    "damage", ["interactions: [", "{}", "- 1", "interactions:\n- request: 3\n"]
)
def test_a_broken_recording_is_refused(recorded: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(recorded / "recording", tmp_path / "recording")
    (tmp_path / "recording" / TRAFFIC).write_text(damage, encoding="utf-8")
    ctx = context(tmp_path / "event")
    ctx.recording = tmp_path / "recording"
    with pytest.raises(CassetteBroken, match=r"traffic\.yaml"):
        run(ctx)


def test_a_stopped_collection_asks_finished_queries_no_more(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = context(tmp_path / "event")
    ctx.recording = recorded / "recording"
    asked: list[str] = []
    real = collect._class

    def counting(query: SourceQuery) -> Any:
        found = real(query)

        class Watched(found):  # type: ignore[misc, valid-type]
            def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
                asked.append(query.query)
                if len(asked) == 4:
                    for number, item in enumerate(super().search(query, since, until)):
                        if number == 2:
                            raise KeyboardInterrupt
                        yield item
                yield from super().search(query, since, until)

        return Watched

    monkeypatch.setattr(collect, "_class", counting)
    with pytest.raises(KeyboardInterrupt):
        run(ctx)
    first = list(asked)
    again = dataclasses.replace(ctx, rejections=[], reviews=[])
    run(again)
    assert set(first[:3]).isdisjoint(asked[len(first) :])
    items = again.workspace.path(collect.ITEMS).read_bytes()
    assert items == (recorded / "event" / collect.ITEMS).read_bytes()


def test_a_source_asked_for_without_credentials_names_the_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REDDIT_CLIENT_ID", raising=False)
    monkeypatch.delenv("REDDIT_CLIENT_SECRET", raising=False)
    asked = plan((("reddit", "ferry", "en"),))
    with pytest.raises(BadInput, match="REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET"):
        run(context(tmp_path / "a", asked=asked, sources=("reddit",)))
    _, coverage = run(context(tmp_path / "b", asked=asked))
    assert "REDDIT_CLIENT_ID" in coverage[0].note


def rows(path: Path, *values: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(json.dumps(v, ensure_ascii=False) + "\n" for v in values), encoding="utf-8"
    )
    return path


def weibo(note: str, at: int, text: str, crawled: int) -> dict[str, Any]:
    return {
        "note_id": note, "create_time": at, "content": text, "liked_count": "1.2万", "comments_count": "3",
        "shared_count": "", "note_url": f"https://m.weibo.cn/detail/{note}", "last_modify_ts": crawled,
        "source_keyword": "渡轮", "user_id": "77",
    }  # fmt: skip


def test_imports_count_what_lies_outside_and_keep_the_latest_crawl(tmp_path: Path) -> None:
    inside, outside = 1767000000, 1600000000
    rows(
        tmp_path / "weibo" / "search_contents_2026-01-02.jsonl",
        weibo("5001", inside, "渡轮停航了", 1767100000000),
        weibo("5001", inside, "渡轮停航了，现已更正", 1767200000000),
        weibo("5002", outside, "旧帖", 1767100000000),
    )
    ctx = context(
        tmp_path / "event",
        asked=plan(()),
        imports=(ImportSpec(path=str(tmp_path / "weibo")),),
    )
    said: list[str] = []
    ctx.say = said.append
    items, coverage = run(ctx)
    assert [item.text for item in items] == ["渡轮停航了，现已更正"]
    assert any("1 item, 1 left out as outside the window (ok 1)" in line for line in said)
    assert items[0].engagement == {"likes": 12000, "replies": 3}
    assert (coverage[0].items, coverage[0].outside) == (1, 1)
    assert Counter(row.reason for row in ctx.rejections) == {
        "duplicate": 1,
        "outside the window": 1,
    }


def test_imports_of_a_recording_stay_inside_it(recorded: Path, tmp_path: Path) -> None:
    ctx = context(tmp_path / "event", asked=plan(()), imports=(ImportSpec(path="../../secret"),))
    ctx.recording = recorded / "recording"
    with pytest.raises(BadInput, match="outside the recording"):
        run(ctx)


def test_a_plan_that_asks_nothing_and_imports_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--import"):
        run(context(tmp_path, asked=plan(())))
