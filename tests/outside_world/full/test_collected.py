"""The full demo event through the live path: real connectors against its platforms, then the corpus."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from factory import collect, corpus
from factory.recording import load_run
from factory.settings import load_settings
from schemas import Cluster, Coverage, ImportSpec, Item, Plan, Rejection
from tests.outside_world.full.news import read_pages
from tests.outside_world.full.posts import PLATFORMS, read_posts
from tests.outside_world.full.story import post_texts
from tests.outside_world.full.world import HERE, RECORDING, FullWorld
from tests.outside_world.server import running
from tests.scripted import make_context

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Collected:
    """What the stages collect and corpus made of the world."""

    items: list[Item]
    coverage: list[Coverage]
    rejected: list[Rejection]
    clusters: list[Cluster]
    asked: list[str]
    """Requests as `METHOD status address`."""


def recorded_plan() -> Plan:
    """The plan that the scripted answer gives."""
    answer: dict[str, Any] = json.loads((HERE / "plan_answer.json").read_text(encoding="utf-8"))
    return Plan.model_validate_json(json.dumps(answer | {"topic": load_run(str(RECORDING)).topic}))


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Collected:
    run = load_run(str(RECORDING))
    root = tmp_path_factory.mktemp("full")
    event: dict[str, Any] = {"topic": run.topic, "sources": tuple(run.event["sources"])}
    imports = (ImportSpec(path=str(RECORDING / "imports" / "weibo")),)
    with running(world=FullWorld()) as served:
        settings = load_settings(recording=run.settings)
        proxied = settings.collect.model_copy(update={"proxy": served.url})
        settings = settings.model_copy(update={"collect": proxied})
        ctx = make_context(root, "collect", settings=settings, imports=imports, **event)
        ctx.now = run.now
        ctx.workspace.write(collect.PLAN, recorded_plan())
        asyncio.run(collect.run(ctx))
    after = make_context(root, "corpus", settings=settings, **event)
    after.now = run.now
    asyncio.run(corpus.run(after))
    return Collected(
        ctx.workspace.read_lines(Item, collect.ITEMS),
        ctx.workspace.read_lines(Coverage, collect.COVERAGE),
        list(ctx.rejections),
        ctx.workspace.read_lines(Cluster, "02_corpus/clusters.jsonl"),
        list(served.log),
    )


def test_every_page_comes_home_whole_and_with_its_instant(collected: Collected) -> None:
    found = {item.url: item for item in collected.items if item.kind == "article"}
    assert len(found) == len(read_pages())
    for page in read_pages().values():
        item = found[page.address]
        assert item.published_at == page.when, page.key
        assert item.lang == page.lang, page.key
        assert all(text in item.text for text in page.paragraphs), page.key
        assert bool(item.origin.archive) == bool(page.archived)


def test_every_post_comes_home_with_its_instant_and_no_deleted_one(collected: Collected) -> None:
    found = Counter((item.platform, item.published_at) for item in collected.items)
    wanted = Counter((text.where.split()[0], text.when) for text in post_texts())
    assert {key: count for key, count in found.items() if key[0] != "web"} == wanted
    gone = [row.item for row in collected.rejected if row.reason == "deleted"]
    assert len(gone) == sum(
        not post.author for platform in PLATFORMS for post in read_posts(platform)
    )


def test_discussions_keep_their_shape(collected: Collected) -> None:
    by_id = {item.item_id: item for item in collected.items}
    comments = [item for item in collected.items if item.kind == "comment"]
    assert len(comments) >= 60
    assert all(item.root_id in by_id for item in comments if item.platform != "weibo")


def test_coverage_names_what_was_walled_gone_or_empty(collected: Collected) -> None:
    outcomes = Counter[str]()
    for row in collected.coverage:
        if row.source == "rss":
            outcomes.update(row.outcomes)
    assert outcomes["blocked"] == 2  # the members' page and the consent wall
    assert outcomes["needs_js"] == 1
    assert outcomes["soft404"] == 2  # the page in disguise and the one that only the archive has
    assert all(row.items for row in collected.coverage)


def test_copies_are_one_cluster_and_changed_figures_are_not(collected: Collected) -> None:
    place = {
        member.item_id: cluster for cluster in collected.clusters for member in cluster.members
    }
    of = {item.url: place[item.item_id] for item in collected.items if item.item_id in place}
    pages = read_pages()
    same = 0
    for page in pages.values():
        if page.copies:
            source = pages[page.copies]
            if len(set(page.paragraphs) - set(source.paragraphs)) <= 1:
                assert of[page.address] == of[source.address], page.key
                same += 1
    assert same >= 12
    for update, first in (("s05", "w09"), ("c05u", "c05"), ("c09u", "c09")):
        later, earlier = of[pages[update].address], of[pages[first].address]
        assert later != earlier
        assert earlier.cluster_id in later.update_of, update


def test_no_request_leaves_the_world(collected: Collected) -> None:
    assert collected.asked
    assert not [line for line in collected.asked if line.split()[1] in ("502", "405")]
