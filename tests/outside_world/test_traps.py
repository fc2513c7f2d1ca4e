"""The project's own connectors and corpus meet the traps that the story lays."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from factory.corpus import run
from schemas import Cluster, Item, Plan, SourceQuery
from sources.base import Connector, Cursor, SourceContext
from sources.http import Http
from sources.imports.mediacrawler import MediaCrawler
from sources.mastodon import Mastodon
from sources.reddit import Reddit
from sources.rss import Rss
from tests.outside_world.server import running
from tests.outside_world.story import DAYS, EXPORT, FEEDS, RUN, ZONE, read_pages
from tests.outside_world.world import MASTODON_HOST, REDDIT_HOST
from tests.scripted import make_context

PLAN = Plan(
    topic="The closure of the Houwei ferry in Landu and the fight to bring it back, 2025-26",
    title="Closure of the Houwei ferry in Landu",
    since=date(2025, 11, 18),
    until=date(2026, 5, 23),
    zone="Asia/Shanghai",
    languages=("en", "zh"),
    domain="transport",
    entities=(
        *("Houwei ferry", "鲎尾渡轮", "Landu", "岚渡", "Old Custom Pier", "旧关码头"),
        *("Ji Yanqiu", "纪砚秋", "Tao Jiming", "陶既明", "Lixi Marine", "砺汐海事"),
        *("Zhanhai Properties", "栈海置业"),
    ),
    stance_target="the city's decision to suspend and close the Houwei ferry",
)
SEARCHES: tuple[tuple[type[Connector], tuple[str, ...]], ...] = (
    (Rss, FEEDS),
    (Reddit, ("r/landu: ferry",)),
    (Mastodon, ("#HouweiFerry", "#鲎尾渡轮")),
)

pytestmark = pytest.mark.slow


class Collected:
    """What the connectors brought home, and what the corpus made of it."""

    def __init__(self, folder: Path) -> None:
        self.items: dict[str, Item] = {}
        self.outcomes: Counter[str] = Counter()
        self.refused: list[str] = []
        with running() as served:
            context = SourceContext(
                fetched_at=datetime(2026, 5, 28, 2, tzinfo=UTC),
                zone=PLAN.zone,
                salt="salt",
                http=Http(
                    user_agent="test", per_host_seconds=0, allow_private=True, proxy=served.url
                ),
                env={"REDDIT_CLIENT_ID": "client", "REDDIT_CLIENT_SECRET": "secret"},
                settings={
                    "proxy": served.url,
                    "feeds": FEEDS,
                    "mastodon_url": f"http://{MASTODON_HOST}",
                    "reddit_url": f"http://{REDDIT_HOST}",
                    "reddit_auth_url": f"http://{REDDIT_HOST}",
                },
            )
            for kind, queries in SEARCHES:
                for words in queries:
                    connector = kind(replace(context, cursor=Cursor()))
                    query = SourceQuery(source=kind.name, query=words, lang="en")
                    for item in connector.search(query, PLAN.since, PLAN.until):
                        self.items[item.item_id] = item
                    self.outcomes.update(connector.report.outcomes)
                    self.refused += [refusal.reason for refusal in connector.report.refusals]
        for path in sorted(EXPORT.iterdir()):
            for item in MediaCrawler(context).read(path):
                self.items[item.item_id] = item
        stage = make_context(folder, "corpus")
        stage.workspace.write("00_plan/plan.json", PLAN)
        stage.workspace.write_lines("01_items/items.jsonl", list(self.items.values()))
        asyncio.run(run(stage))
        self.dropped = {row.item for row in stage.rejections}
        self.clusters = {
            row.cluster_id: row
            for row in stage.workspace.read_lines(Cluster, "02_corpus/clusters.jsonl")
        }

    def of(self, url_part: str) -> Cluster:
        """The cluster that holds the item whose address contains these words."""
        (found,) = [
            cluster
            for cluster in self.clusters.values()
            if any(
                self.items[member.item_id].url.split("?")[0].endswith(url_part)
                for member in cluster.members
            )
        ]
        return found


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Collected:
    return Collected(tmp_path_factory.mktemp("world") / "event")


def test_every_article_arrives_on_its_day(collected: Collected) -> None:
    articles = [item for item in collected.items.values() if item.kind == "article"]
    days = Counter(
        item.published_at.astimezone(ZONE).date() for item in articles if item.published_at
    )
    assert days == Counter(page.day for page in read_pages())


def test_walls_and_gone_pages_are_counted_not_read(collected: Collected) -> None:
    assert collected.outcomes["blocked"] == 2
    assert collected.outcomes["soft404"] == 1
    assert collected.outcomes["needs_js"] == 1
    assert "deleted" in collected.refused


def test_reprints_join_the_original(collected: Collected) -> None:
    for original, copy in (
        ("/shizheng/2025/1120/houwei-tinghang.html", "/a/20251120/100231.html"),
        ("/minsheng/2026/0423/fuhang.html", "/a/20260423/104277.html"),
        ("/the-option-on-old-custom-pier", "/option-on-pier-predates-ferry-stop"),
    ):
        cluster = collected.of(copy)
        assert cluster == collected.of(original)
        assert collected.items[cluster.representative].url.endswith(original)


def test_an_update_with_other_numbers_is_no_copy(collected: Collected) -> None:
    first = collected.of("/court-puts-ferry-closure-on-hold")
    assert collected.of("/court-puts-ferry-closure-on-hold-update").update_of == (first.cluster_id,)


def test_the_translation_is_linked_both_ways(collected: Collected) -> None:
    chinese = collected.of("/yongjiu-tinghang.html")
    english = collected.of("/mayor-closes-houwei-ferry-for-good")
    assert english.cluster_id in chinese.translation_of
    assert chinese.cluster_id in english.translation_of


def test_sport_restaurant_and_get_rich_posts_are_off_topic(collected: Collected) -> None:
    texts = [collected.items[item].text for item in collected.dropped]
    for words in ("羊肉锅", "one weekend", "冬泳"):
        assert any(words in text for text in texts)


def test_four_voices_at_least_are_left_on_each_day(collected: Collected) -> None:
    posts = Counter(
        cluster.day
        for cluster in collected.clusters.values()
        if collected.items[cluster.representative].kind != "article"
    )
    assert set(posts) == set(DAYS)
    assert min(posts.values()) >= 4


def test_the_run_imports_the_export(collected: Collected) -> None:
    assert EXPORT.is_relative_to(RUN / "imports" / "weibo")
    assert sum(item.platform == "weibo" for item in collected.items.values()) == 25
