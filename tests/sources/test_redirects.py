"""Redirects: to a front page they say that an article is gone, to an article they say what its address is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import Item
from sources.base import Report, SourceContext
from sources.redirects import leads_away
from sources.traffic import traffic
from sources.web import fetch_article
from tests.sources.keyless import context
from tests.sources.test_http import World, client
from tests.sources.test_wayback import ARCHIVE, Machine, page

OLD = "https://paper.example/news/2026/0305/the-ferry-stops-1234.html"


@pytest.mark.parametrize(
    ("asked", "landed"),
    [
        (OLD, "https://paper.example/"),
        (OLD, "https://www.paper.example"),
        (OLD, "https://paper.example/index.html"),
        (OLD, "https://paper.example/en-us/"),
        (OLD, "https://paper.example/zh/home"),
        (OLD, "https://paper.example/news/"),
        (OLD, "https://paper.example/news/2026/"),
        (OLD, "https://paper.example/news/2026/0305/index.shtml"),
        (OLD, "https://paper.example/404.html"),
        (OLD, "https://paper.example/error/not-found"),
        (OLD, "https://paper.example/latest"),
        (OLD, "https://other.example/?from=paper"),
        ("https://paper.example/news/old-1", "https://paper.example/"),
        ("https://paper.example/n1/2026/0305/c1001-40.html", "https://paper.example/n1/"),
        ("https://paper.example/?p=123", "https://paper.example/"),
        ("https://short.example/x3", "https://paper.example/"),
        ("https://paper.example/about", "https://paper.example/"),
        ("https://paper.example/news/2026-03-05/ferry", "https://paper.example/news/2026-03-05/"),
    ],
)
def test_less_of_an_article_than_was_asked_for_is_none(asked: str, landed: str) -> None:
    assert leads_away(asked, landed)


@pytest.mark.parametrize(
    ("asked", "landed"),
    [
        (OLD, OLD.replace("https", "http")),
        (OLD, OLD.replace("://", "://m.")),
        (OLD, OLD.removesuffix(".html")),
        (OLD, OLD + "?from=feed"),
        (OLD, "https://paper.example/2026/03/05/ferry-service-stops"),
        (OLD, "https://paper.example/story/987654"),
        ("https://paper.example/", "https://www.paper.example/en/"),
        ("https://paper.example/index.php", "https://paper.example/zh-cn/home"),
        ("https://short.example/x3", "https://paper.example/news/olympics"),
        ("https://short.example/x3", "https://paper.example/?p=123"),
        ("https://paper.example/?p=123", "https://paper.example/2026/03/the-ferry-stops/"),
        ("https://paper.example/story/12345/ferry", "https://paper.example/story/12345"),
        ("https://paper.example/a/the-ferry-stops/amp", "https://paper.example/a/the-ferry-stops"),
        ("https://paper.example/a/鲎尾轮渡停航/2", "https://paper.example/a/鲎尾轮渡停航"),
        ("https://paper.example/node/123/view", "https://paper.example/node/123"),
        ("https://paper.example/old/ferry", "https://paper.example/news/ferry"),
        ("https://[bad/x", "https://[bad/y"),
    ],
)
def test_an_article_elsewhere_is_an_article(asked: str, landed: str) -> None:
    assert not leads_away(asked, landed)


_PATH = st.lists(st.from_regex(r"\A[a-z0-9-]{1,9}\Z"), max_size=4).map("/".join)


@given(_PATH, st.sampled_from(["http://a.example/", "https://www.a.example/"]))
def test_the_same_path_on_another_host_is_the_same_page(path: str, host: str) -> None:
    assert not leads_away(f"https://a.example/{path}", host + path)


@given(_PATH, _PATH)
def test_nobody_is_led_away_from_a_front_page(asked: str, landed: str) -> None:
    assert not leads_away("https://a.example/", f"https://a.example/{landed}/x-1-2-3")
    leads_away(f"https://a.example/{asked}", f"https://a.example/{landed}")


# -- fetching --------------------------------------------------------------------------------------


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    made.pages["/"] = (200, {"content-type": "text/html"}, page("2026-11-30", "Home, sweet home"))
    for path in ("/news/old-1", "/news/old-2"):
        made.pages[path] = (302, {"location": "/"}, b"")
    made.pages["/short"] = (301, {"location": "/news/real-article?utm_source=t"}, b"")
    article = (200, {"content-type": "text/html"}, page("2026-03-05"))
    for path in (
        "/news/real-article",
        "/news/real-article?utm_source=t",
        "/news/real?ticket=s3cret",
    ):
        made.pages[path] = article
    made.pages["/sold"] = (301, {"location": "/news/real?ticket=s3cret"}, b"")
    yield made
    made.server.shutdown()
    made.server.server_close()


def fetched(made: SourceContext, url: str) -> tuple[Item | None, Report]:
    report = Report()
    return fetch_article(url, made, report, source="rss", query="q"), report


def over(world: World, **options: Any) -> SourceContext:
    return replace(context(Machine()), http=client(), **options)


def test_a_redirect_to_the_front_page_gives_no_article(world: World) -> None:
    made = over(world)
    for path in ("/news/old-1", "/news/old-2"):
        item, report = fetched(made, world.base + path)
        assert item is None
        assert report.outcomes == {"soft404": 1}
        assert [(row.reason, "front page" in row.detail) for row in report.refusals] == [
            ("soft404", True)
        ]
    assert world.asked == ["/news/old-1", "/", "/news/old-2", "/"]
    item, _ = fetched(made, world.base + "/")
    assert item is not None, "who asks for the front page gets it"


def test_a_page_that_is_led_away_is_looked_for_in_the_archive() -> None:
    class Leading(Machine):
        def get(self, url: str, *, headers: Any = None, robots: bool | None = None) -> Any:
            found = super().get(url, headers=headers, robots=robots)
            return replace(found, url="https://paper.example/") if url == OLD else found

    machine = Leading(
        live={OLD: (200, page("2026-11-30", "Home"))},
        copies=[("20260311080000", OLD, page("2026-03-10"))],
    )
    item, report = fetched(context(machine, wayback_url=ARCHIVE, wayback="on"), OLD)
    assert item is not None
    assert item.origin.archive == f"{ARCHIVE}/web/20260311080000id_/{OLD}"
    assert item.canonical_url == OLD
    assert report.outcomes == {"soft404": 1, "ok": 2}
    assert [url.partition("?")[0] for url in machine.asked] == [
        OLD, f"{ARCHIVE}/cdx/search/cdx", f"{ARCHIVE}/web/20260311080000id_/{OLD}"
    ]  # fmt: skip


def test_a_short_link_and_its_target_are_one_item(world: World) -> None:
    target = world.base + "/news/real-article"
    first, _ = fetched(over(world), world.base + "/short")
    second, _ = fetched(over(world), target)
    assert first is not None
    assert second is not None
    assert first.canonical_url == second.canonical_url == first.native_id == target
    assert (first.item_id, first.publisher) == (second.item_id, second.publisher)
    made = over(world)
    world.asked.clear()
    assert fetched(made, world.base + "/short")[0] is not None
    item, report = fetched(made, target)
    assert item is None
    assert [row.reason for row in report.refusals] == ["page fetched before"]
    assert world.asked == ["/short", "/news/real-article?utm_source=t"]
    item, report = fetched(over(world, seen={target}), world.base + "/short")
    assert item is None
    assert [row.reason for row in report.refusals] == ["page fetched before"]


def test_a_replay_finds_the_same_article_and_the_recording_no_ticket(
    world: World, tmp_path: Any
) -> None:
    file = tmp_path / "traffic.yaml"
    with traffic(file, record=True):
        first, _ = fetched(over(world, recorded=True), world.base + "/sold")
    asked = list(world.asked)
    assert asked == ["/sold", "/news/real?ticket=s3cret"], "the site itself gets its ticket"
    with traffic(file, record=False):
        again, _ = fetched(over(world, recorded=True, replay=True), world.base + "/sold")
    assert world.asked == asked
    assert first is not None
    assert first == again
    assert "s3cret" not in first.model_dump_json()
    assert "s3cret" not in file.read_text(encoding="utf-8")
