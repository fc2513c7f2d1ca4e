"""Hacker News: windows at the cap, threads of the most discussed stories, text, time and links of items."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import Item
from sources.base import Cursor
from sources.hackernews import HackerNews, replies
from sources.http import Response
from tests.sources.keyless import Algolia, comment, context, node, query, story

FIELDS = st.sampled_from(
    ["objectID", "id", "author", "title", "story_text", "comment_text", "text", "url", "created_at", "created_at_i",
     "points", "num_comments", "parent_id", "story_id", "children", "type"]
)  # fmt: skip
SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
DAY1 = datetime(2026, 2, 28, 16, tzinfo=UTC)
"""The first instant of the window in Shanghai."""


def search(
    world: Algolia, *, most: int = 200, cursor: Cursor | None = None, **settings: Any
) -> tuple[list[Item], HackerNews]:
    source = HackerNews(context(world, cursor=cursor, **settings))
    return list(source.search(query(HackerNews, max_items=most), SINCE, UNTIL)), source


def test_the_request_names_the_days_of_the_events_zone_in_seconds() -> None:
    world = Algolia()
    items, source = search(world, hackernews_url="http://hn.example/")
    assert not items
    assert world.asked[0].startswith("http://hn.example/api/v1/search_by_date?")
    assert world.queries() == [
        {
            "query": "ferry",
            "tags": tag,
            "numericFilters": f"created_at_i>={int(DAY1.timestamp())},created_at_i<{int(DAY1.timestamp()) + 31 * 86400}",
            "hitsPerPage": "1000",
        }
        for tag in ("story", "comment")
    ]
    assert source.report.outcomes == {"empty": 2}
    assert not source.report.capped


def test_a_story_with_a_link_is_a_post_and_a_comment_knows_its_story() -> None:
    at = DAY1 + timedelta(hours=5)
    world = Algolia(hits=[story(1, at), comment(9, at + timedelta(hours=1), parent=5, root=1)])
    items, source = search(world)
    post, reply = items
    assert (post.kind, post.native_id, post.text, post.publisher) == (
        "post",
        "1",
        "Ferry 1",
        "harbour.example",
    )
    assert post.url == "https://news.ycombinator.com/item?id=1"
    assert post.published_at == at
    assert (post.precision, post.tz_source) == ("second", "explicit")
    assert post.engagement == {"likes": 7, "replies": 0}
    assert (post.licence, post.lang) == ("platform-terms", "en")
    assert reply.kind == "comment"
    assert reply.text == "The ferry 'runs'\nsee it 9"
    assert reply.root_id == post.item_id
    assert reply.parent_id not in (None, post.item_id)
    assert "reader9" not in reply.model_dump_json()
    assert len(reply.author_hash) == 16
    assert source.report.outcomes == {"ok": 2}


def test_more_than_a_thousand_hits_are_all_found_by_halving() -> None:
    hits = [story(number, DAY1 + timedelta(seconds=number * 1700)) for number in range(1500)]
    world = Algolia(hits=hits)
    items, source = search(world, most=5000)
    assert sorted(int(item.native_id) for item in items) == list(range(1500))
    assert not source.report.capped
    bounds = [row["numericFilters"] for row in world.queries()]
    assert len(bounds) == len(set(bounds)) + 1, "only stories and comments share a window"


def test_a_minute_with_too_many_hits_is_said_to_be_cut() -> None:
    hits = [story(number, DAY1 + timedelta(seconds=number % 60)) for number in range(1200)]
    items, source = search(Algolia(hits=hits), most=5000)
    assert len(items) == 1000
    assert source.report.capped
    assert "only 1000 results were given of 2026-02-28 16:00:00" in source.report.notes[0]


def test_the_servers_own_smaller_page_is_a_cap_too() -> None:
    hits = [story(number, DAY1 + timedelta(hours=number)) for number in range(300)]
    items, _ = search(Algolia(hits=hits, page=40), most=5000)
    assert len(items) == 300


@pytest.mark.parametrize("most", [20, 100, 450])
@pytest.mark.parametrize("comments", [[0] * 3000, [n % 2 for n in range(3000)], [500, *[3] * 2999]])
def test_stories_with_equally_many_comments_are_kept_from_every_day(
    comments: list[int], most: int
) -> None:
    """The platform lists newest first, so that whoever keeps the first of them keeps one day."""
    hits = [
        story(n, DAY1 + timedelta(minutes=14 * n), comments=count)
        for n, count in enumerate(comments)
    ]
    items, source = search(Algolia(hits=hits), most=most, hackernews_threads=0)
    assert len(items) == most
    talk = [item.engagement.get("replies", 0) for item in items]
    assert sorted(talk, reverse=True) == sorted(comments, reverse=True)[:most]
    days = Counter(((item.published_at or DAY1) - DAY1).days for item in items)
    assert max(days.values()) <= -(-most // 30) + 1
    numbers = sorted(days)
    assert max(after - before for before, after in pairwise([-1, *numbers, 30])) <= 3
    assert any("some of every day" in note for note in source.report.notes)


def test_discussions_of_equally_discussed_stories_are_read_on_every_day() -> None:
    world = Algolia(
        hits=[story(n, DAY1 + timedelta(hours=2 * n), comments=4) for n in range(31 * 12)]
    )
    search(world, hackernews_threads=8)
    fetched = [int(url.rpartition("/")[2]) // 12 for url in world.asked if "/items/" in url]
    assert len(fetched) == 8
    assert max(after - before for before, after in pairwise([0, *sorted(fetched), 30])) <= 8


def threads(world: Algolia, *roots: int, each: int = 5) -> None:
    for root in roots:
        at = DAY1 + timedelta(days=1)
        leaf = [
            node(root * 100 + number, at + timedelta(minutes=number)) for number in range(1, each)
        ]
        world.threads[str(root)] = node(
            root, at, node(root * 100, at, *leaf), type="story", title="t"
        )


def test_the_most_discussed_stories_are_read_whole() -> None:
    world = Algolia(
        hits=[
            story(n, DAY1 + timedelta(hours=n), comments=c)
            for n, c in ((1, 5), (2, 50), (3, 7), (4, 0))
        ]
    )
    threads(world, 1, 2, 3)
    items, source = search(world, hackernews_threads=2)
    fetched = [url.rpartition("/")[2] for url in world.asked if "/items/" in url]
    assert fetched == ["2", "3"]
    kinds = Counter(item.kind for item in items)
    assert kinds == {"post": 4, "comment": 10}
    (top,) = (item for item in items if item.native_id == "200")
    assert top.text == "Answer 200"
    assert top.root_id == next(item.item_id for item in items if item.native_id == "2")
    assert not source.report.capped


def test_deleted_answers_are_dropped_with_their_reason_and_answers_to_them_kept() -> None:
    at = DAY1 + timedelta(days=1)
    late = datetime(2026, 4, 2, tzinfo=UTC)
    world = Algolia(hits=[story(1, at, comments=4)])
    gone = node(11, at, node(12, at, parent_id=11), author=None, text=None)
    world.threads["1"] = node(
        1, at, gone, node(13, late), node(14, at, text="[flagged]"), type="story"
    )
    items, source = search(world)
    assert [item.native_id for item in items] == ["1", "12"]
    assert Counter((row.item, row.reason) for row in source.report.refusals) == {
        ("11", "deleted"): 1,
        ("14", "deleted"): 1,
        ("13", "outside the window"): 1,
    }


def test_a_thread_that_is_gone_is_an_outcome_and_costs_nothing_else() -> None:
    world = Algolia(hits=[story(1, DAY1, comments=4), story(2, DAY1, comments=3)])
    threads(world, 2)
    items, source = search(world)
    assert len(items) == 2 + 5
    assert source.report.outcomes["soft404"] == 1
    assert source.report.refusals[0].item.endswith("/api/v1/items/1")


def test_a_small_limit_leaves_room_for_what_people_say() -> None:
    world = Algolia(hits=[story(n, DAY1 + timedelta(hours=n), comments=100 - n) for n in range(60)])
    threads(world, *range(60), each=30)
    items, source = search(world, most=40)
    kinds = Counter(item.kind for item in items)
    assert kinds == {"post": 20, "comment": 20}
    assert sorted(int(item.native_id) for item in items if item.kind == "post") == list(range(20))
    told = Counter(item.root_id for item in items if item.kind == "comment")
    assert set(told.values()) == {2}, "the discussions share evenly"
    assert source.report.capped


def test_comments_found_by_words_cover_the_days_evenly() -> None:
    hits = [
        comment(1000 * day + number, DAY1 + timedelta(days=day, seconds=number), 1, 1)
        for day in range(30)
        for number in range(5)
    ]
    items, source = search(Algolia(hits=hits), most=60)
    days = Counter((item.published_at or DAY1).date() for item in items)
    assert set(days.values()) == {2}
    assert source.report.capped


def test_a_query_killed_at_any_request_goes_on_at_its_cursor() -> None:
    hits = [story(n, DAY1 + timedelta(hours=5 * n), comments=n % 3) for n in range(60)]
    hits += [comment(900 + n, DAY1 + timedelta(hours=7 * n), 1, 1) for n in range(50)]
    threads(held := Algolia(), *range(60))

    def world() -> Algolia:
        return Algolia(hits=hits, threads=held.threads, page=20)

    whole, _ = search(full := world(), most=150)
    for killed_at in range(len(full.asked)):
        cursor, broken = Cursor(), world()
        stored: list[Item] = []
        pending: list[Item] = []

        class Stored(Cursor):
            """Keeps items with the state, as the collector does."""

            def save(self, state: Any) -> None:
                cursor.save(state)  # noqa: B023
                stored.extend(pending)  # noqa: B023
                pending.clear()  # noqa: B023

            def load(self) -> dict[str, Any]:
                return cursor.load()  # noqa: B023

        class KilledError(Exception):
            pass

        def get(url: str, *, at: int = killed_at, broken: Algolia = broken, **_: Any) -> Response:
            if len(broken.asked) == at:
                raise KilledError
            return Algolia.get(broken, url)

        broken.get = get  # type: ignore[method-assign]
        running = HackerNews(context(broken, cursor=Stored()))
        with contextlib.suppress(KilledError):
            for item in running.search(query(HackerNews, max_items=150), SINCE, UNTIL):
                pending.append(item)
        resumed = world()
        rest, _ = search(resumed, most=150, cursor=Cursor(cursor.load()))
        assert stored + rest == whole
        assert broken.asked + resumed.asked == full.asked


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (200, b"<html>Service unavailable</html>", "decode_error"),
        (429, b"{}", "blocked"),
        (200, b"", "empty"),
    ],
)
def test_no_answer_is_never_an_empty_window(status: int, body: bytes, outcome: str) -> None:
    world = Algolia()
    world.answer = lambda url: (status, body)  # type: ignore[method-assign]
    items, source = search(world, on_limit="accept")
    assert not items
    assert set(source.report.outcomes) == {outcome}
    assert source.report.capped
    assert source.report.notes[0].startswith("no answer for 2026-02-28 16:00:00")


def test_odd_hits_are_refused_and_the_rest_is_kept() -> None:
    hits: list[Any] = [
        3, None, {"objectID": "4"}, story(5, DAY1, title=None), story(6, DAY1, title="[dead]"),
        story(7, DAY1, author=None), story(8, DAY1, story_text="<p>Why &amp; how"),
    ]  # fmt: skip
    world = Algolia()
    world.answer = lambda url: (200, json.dumps({"hits": hits if "=story" in url else []}).encode())  # type: ignore[method-assign]
    items, source = search(world)
    assert [(item.native_id, item.title, item.text) for item in items] == [
        ("8", "Ferry 8", "Why & how")
    ]
    assert Counter(row.reason for row in source.report.refusals) == {
        "not a hit": 2,
        "deleted": 3,
        "no words": 1,
    }


def test_an_answer_that_is_too_large_is_asked_in_halves() -> None:
    world = Algolia(hits=[story(n, DAY1 + timedelta(hours=n)) for n in range(200)])
    real = world.get

    def get(url: str, **_: Any) -> Response:
        answer = real(url)
        if len(answer.body) > 20_000:
            return Response(url, 200, {}, b"", "error", "larger than 20000 bytes")
        return answer

    world.get = get  # type: ignore[method-assign]
    items, source = search(world)
    assert len(items) == 200
    assert not source.report.capped


def test_replies_come_level_by_level_at_any_depth() -> None:
    deep: dict[str, Any] = node(0, DAY1)
    for number in range(1, 3000):
        deep = node(number, DAY1, deep)
    assert [raw["id"] for raw in replies({"children": [deep, "odd", None]})] == list(
        range(2999, -1, -1)
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=6),
    max_leaves=12,
)


@settings(max_examples=80)
@given(st.dictionaries(st.sampled_from(["hits", "nbHits", "hitsPerPage", "children"]), JSON))
def test_whatever_the_answer_holds_the_search_ends(body: dict[str, Any]) -> None:
    world = Algolia()
    world.answer = lambda url: (200, json.dumps(body).encode())  # type: ignore[method-assign]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sources.windows.MOST_ASKED", 20)
        items, source = search(world)
    assert len(world.asked) <= 50
    assert source.report.outcomes
    assert all(item.text and item.native_id for item in items)


def test_an_answer_nested_too_deeply_is_no_answer() -> None:
    world = Algolia()
    world.answer = lambda url: (200, b'{"hits":' + b"[" * 100_000)  # type: ignore[method-assign]
    _, source = search(world)
    assert set(source.report.outcomes) == {"decode_error"}
