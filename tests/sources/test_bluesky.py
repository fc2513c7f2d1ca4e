"""Bluesky: every post of the window or a word about what is missing, honest dates, and no secret anywhere."""

from __future__ import annotations

import copy
import json
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.collected import ItemStore
from schemas import Coverage, Item, Origin, SourceQuery
from sources.base import Cursor, Report, SourceContext, SourceError
from sources.bluesky import Bluesky, instant
from sources.bluesky_json import post_item, thread_posts, when
from sources.traffic import traffic
from tests.sources import social_platforms as fake

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 10)
START = datetime(2026, 3, 1, tzinfo=UTC)
ACCOUNT = {"BLUESKY_HANDLE": "reader.example", "BLUESKY_APP_PASSWORD": "abcd-efgh"}
ORIGIN = Origin(source="bluesky", query="ferry")
PLAIN = SourceContext(fetched_at=fake.FETCHED, zone="UTC", salt="s")


def ask(most: int = 1000, words: str = "ferry") -> SourceQuery:
    return SourceQuery(source="bluesky", query=words, lang="en", max_items=most)


def search(platform: fake.Bluesky, most: int = 1000, **options: Any) -> tuple[list[Item], Bluesky]:
    with fake.serving(platform) as address:
        source = Bluesky(fake.context(address, **options))
        return list(source.search(ask(most), SINCE, UNTIL)), source


def spaced(count: int, start: datetime = START, step: timedelta = timedelta(hours=1)) -> list[Any]:
    return [fake.post(number, start + number * step) for number in range(count)]


# -- what is asked --------------------------------------------------------------------------------


def test_days_go_out_as_full_instants_of_the_zone_and_pages_as_cursors() -> None:
    platform = fake.Bluesky(posts=spaced(400, step=timedelta(minutes=1)))
    with fake.serving(platform) as address:
        context = fake.context(address, bluesky_threads=0)
        context.zone = "Asia/Shanghai"
        items = list(Bluesky(context).search(ask(), date(2026, 3, 1), date(2026, 3, 1)))
    asked = platform.queries("app.bsky.feed.searchPosts")
    assert asked[0] == {
        "q": "ferry", "sort": "latest", "limit": "100",
        "since": "2026-02-28T16:00:00.000Z", "until": "2026-03-01T16:00:00.000Z",
    }  # fmt: skip
    assert [row.get("cursor") for row in asked] == [None, "100", "200", "300"]
    assert len(items) == 400
    assert all("authorization" not in row.headers for row in platform.log)


def test_an_account_logs_in_once_for_all_queries_and_sends_its_session() -> None:
    platform = fake.Bluesky(posts=spaced(5), search_for_all=False)
    with fake.serving(platform) as address:
        context = fake.context(address, env=ACCOUNT)
        for _ in range(2):
            context.cursor = Cursor()
            assert len(list(Bluesky(context).search(ask(), SINCE, UNTIL))) == 5
    assert platform.sessions == 1
    assert platform.log[0].method == "POST"
    assert all(row.headers["authorization"] == "Bearer access-1" for row in platform.log[1:])


def test_a_session_that_runs_out_is_renewed() -> None:
    platform = fake.Bluesky(posts=spaced(200), lives=4)
    items, source = search(platform, env=ACCOUNT)
    assert len(items) == 200
    assert platform.sessions > 1
    assert not source.report.refusals


def test_a_refused_account_is_one_sentence_without_the_password() -> None:
    with pytest.raises(SourceError, match="BLUESKY_APP_PASSWORD") as caught:
        search(fake.Bluesky(), env=ACCOUNT | {"BLUESKY_APP_PASSWORD": "wrong-word"})
    assert "wrong-word" not in str(caught.value)


def test_without_an_account_a_closed_search_says_what_would_open_it() -> None:
    items, source = search(fake.Bluesky(posts=spaced(3), search_for_all=False))
    assert not items
    assert source.report.capped
    assert source.report.outcomes["blocked"] >= 3
    assert any("BLUESKY_HANDLE" in note for note in source.report.notes)


# -- nothing is lost ------------------------------------------------------------------------------


@pytest.mark.parametrize("cursors", [True, False])
def test_refused_cursors_lose_nothing_and_are_told(cursors: bool) -> None:
    platform = fake.Bluesky(posts=spaced(1000, step=timedelta(minutes=10)), cursors_for_all=cursors)
    items, source = search(platform, 5000, bluesky_threads=0)
    assert {item.native_id for item in items} == {post["uri"] for post in platform.posts}
    assert len(items) == 1000
    assert any("asked by time" in note for note in source.report.notes) is not cursors
    assert not source.report.capped


def test_more_than_a_search_gives_is_found_below_its_oldest_post(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sources.bluesky.REACH", 290)
    platform = fake.Bluesky(posts=spaced(1000, step=timedelta(seconds=30)), reach=300)
    items, source = search(platform, 5000, bluesky_threads=0)
    assert len(items) == len({item.native_id for item in items}) == 1000
    assert not source.report.capped


def test_more_in_one_instant_than_can_be_paged_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.bluesky.REACH", 150)
    same = [fake.post(number, START + timedelta(hours=5)) for number in range(300)]
    earlier = [fake.post(1000, START + timedelta(hours=4))]
    items, source = search(fake.Bluesky(posts=same + earlier, reach=150), 5000, bluesky_threads=0)
    assert earlier[0]["uri"] in {item.native_id for item in items}
    assert source.report.capped
    assert any("more may have been published" in note for note in source.report.notes)


def test_few_items_cover_all_days_and_quiet_days_leave_room_for_busy_ones() -> None:
    posts = [
        fake.post(day * 1000 + number, START + timedelta(days=day, minutes=number))
        for day in range(10)
        for number in range(3 if day < 8 else 400)
    ]
    items, source = search(fake.Bluesky(posts=posts), 100, bluesky_threads=0)
    days = [item.published_at.day for item in items if item.published_at]
    assert len(items) == 100
    assert all(days.count(day) == 3 for day in range(1, 9))
    assert days.count(9) == days.count(10) == 38
    assert source.report.capped


def test_a_query_that_was_stopped_goes_on_where_it_stood() -> None:
    posts = spaced(220)
    for number in (50, 150):
        posts[number] |= {"replyCount": 2}
    thread = fake.node(
        posts[50], *(fake.node(fake.post(900 + n, START + timedelta(days=4))) for n in range(2))
    )
    platform = fake.Bluesky(posts=posts, threads={posts[50]["uri"]: thread})
    whole = {item.native_id for item in search(copy.deepcopy(platform))[0]}
    with fake.serving(platform) as address:
        for stop_after in (1, 30, 90, 221, 222):
            kept = _Kept()
            first = Bluesky(fake.context(address, cursor=kept)).search(ask(), SINCE, UNTIL)
            for _, item in zip(range(stop_after), first, strict=False):
                kept.take(item)
            first.close()  # type: ignore[attr-defined]
            kept.taken.clear()
            asked = len(platform.log)
            rest = Bluesky(fake.context(address, cursor=kept))
            for item in rest.search(ask(), SINCE, UNTIL):
                kept.take(item)
            kept.save({})
            assert kept.stored == whole
            assert stop_after < 90 or len(platform.log) - asked < 15


class _Kept(Cursor):
    """Stores what was taken with the state, as the collector does."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []
        self.stored: set[str] = set()

    def take(self, item: Item) -> None:
        self.taken.append(item.native_id)

    def save(self, state: Any) -> None:
        super().save(state)
        self.stored.update(self.taken)
        self.taken.clear()


@pytest.mark.parametrize("stop_after", [0, 45, 140, 221])
def test_the_collectors_store_holds_each_post_once_after_a_stop(
    tmp_path: Path, stop_after: int
) -> None:
    posts = spaced(220)
    posts[50] |= {"replyCount": 2}
    thread = fake.node(
        posts[50], *(fake.node(fake.post(900 + n, START + timedelta(days=4))) for n in range(2))
    )
    platform = fake.Bluesky(posts=posts, threads={posts[50]["uri"]: thread})
    with (
        fake.serving(platform) as address,
        closing(sqlite3.connect(tmp_path / "f.db", isolation_level=None)) as database,
    ):
        store = ItemStore(database, "session", lambda item: True)
        store.open()
        for most in (stop_after, 10_000):
            intake = store.begin("query:x")
            source = Bluesky(fake.context(address, cursor=intake))
            intake.follow(source.report)
            for _, item in zip(range(most), source.search(ask(), SINCE, UNTIL), strict=False):
                intake.add(item)
        intake.done(Coverage(source="bluesky", query="ferry"))
        kept = [json.loads(line)["native_id"] for line in store.kept()]
        stored = store.count()
    assert len(kept) == len(set(kept)) == stored == 222


# -- replies --------------------------------------------------------------------------------------


def test_replies_of_the_most_discussed_come_with_parents_and_gone_ones_with_reasons() -> None:
    posts = spaced(20)
    posts[3] |= {"replyCount": 5}
    reply = fake.post(501, START + timedelta(days=1))
    reply["record"]["reply"] = {
        "parent": {"uri": posts[3]["uri"]},
        "root": {"uri": posts[3]["uri"]},
    }
    late = fake.post(502, START + timedelta(days=60))
    gone = {"$type": "app.bsky.feed.defs#notFoundPost", "uri": "at://gone", "notFound": True}
    shut = {"$type": "app.bsky.feed.defs#blockedPost", "uri": "at://shut", "blocked": True}
    below = fake.node(fake.post(503, START + timedelta(days=2)))
    thread = fake.node(posts[3], fake.node(reply, below, gone), fake.node(late), shut)
    platform = fake.Bluesky(posts=posts, threads={posts[3]["uri"]: thread})
    items, source = search(platform, bluesky_threads=2, bluesky_depth=4)
    replies = [item for item in items if item.kind == "comment"]
    opening = next(item for item in items if item.native_id == posts[3]["uri"])
    assert [item.native_id for item in replies] == [reply["uri"]]
    assert replies[0].parent_id == replies[0].root_id == opening.item_id
    assert below["post"]["uri"] in {item.native_id for item in items}
    assert platform.queries("app.bsky.feed.getPostThread") == [
        {"uri": posts[3]["uri"], "depth": "4", "parentHeight": "0"}
    ]
    reasons = {row.item: row.reason for row in source.report.refusals}
    assert reasons["at://gone"] == "deleted"
    assert reasons["at://shut"] == "blocked by its author"
    assert reasons[late["uri"]] == "outside the window"
    assert any("more replies than the server shows" in note for note in source.report.notes)


def test_a_discussion_that_is_gone_costs_only_itself() -> None:
    posts = spaced(5)
    posts[2] |= {"replyCount": 9}
    items, source = search(fake.Bluesky(posts=posts))
    assert len(items) == 5
    assert [(row.item, row.reason) for row in source.report.refusals] == [
        (posts[2]["uri"], "deleted")
    ]


# -- one post -------------------------------------------------------------------------------------


def item_of(**extra: Any) -> tuple[Item | None, Report]:
    report = Report()
    view = fake.post(1, START + timedelta(hours=3), **extra)
    return post_item(view, PLAIN, report, origin=ORIGIN), report


def test_one_unknown_embed_does_not_kill_a_page() -> None:
    posts = spaced(3)
    posts[1]["embed"] = {"$type": "app.example.unheard#view", "deep": [{"x": None}]}
    posts[1]["record"]["embed"] = {"$type": "app.example.unheard"}
    items, source = search(fake.Bluesky(posts=posts))
    assert len(items) == 3
    assert not source.report.refusals


@pytest.mark.parametrize(
    ("created", "indexed", "at", "confidence"),
    [
        ("2026-03-05T10:00:00.000Z", "2026-03-05T10:00:02.000Z", "2026-03-05T10:00:00", 0.95),
        ("2026-03-05T18:00:00+08:00", "2026-03-05T10:00:02.000Z", "2026-03-05T10:00:00", 0.95),
        ("2026-03-05T02:00:00Z", "2026-03-05T10:00:00Z", "2026-03-05T02:00:00", 0.7),
        ("2019-03-05T10:00:00Z", "2026-03-05T10:00:00Z", "2026-03-05T10:00:00", 0.4),
        ("2026-03-05", "2026-03-05T10:00:00Z", "2026-03-05T10:00:00", 0.8),
        ("2026-03-05T10:00:00", "2026-03-05T10:00:09Z", "2026-03-05T10:00:09", 0.8),
        ("0000-01-01T00:00:00Z", "2026-03-05T10:00:00Z", "2026-03-05T10:00:00", 0.8),
        ("2099-01-01T00:00:00Z", "2026-03-05T10:00:00Z", "2026-03-05T10:00:00", 0.8),
        ("2026-03-06T10:00:00Z", "2026-03-05T10:00:00Z", "2026-03-05T10:00:00", 0.8),
        (None, "2026-03-05T10:00:00Z", "2026-03-05T10:00:00", 0.8),
        ("2026-03-05T10:00:00Z", None, "2026-03-05T10:00:00", 0.5),
        ("2026-03-05T10:00:00Z", "nonsense", "2026-03-05T10:00:00", 0.5),
    ],
)
def test_a_claimed_date_counts_as_far_as_the_network_saw_it(
    created: object, indexed: object, at: str, confidence: float
) -> None:
    moment, raw = when(created, indexed, PLAIN)
    assert moment.at == datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert moment.confidence == confidence
    assert raw in (created, indexed)


@given(st.datetimes(datetime(2015, 1, 1), datetime(2035, 1, 1)))  # noqa: DTZ001
def test_no_post_is_dated_after_the_network_saw_it(claimed: datetime) -> None:
    seen = datetime(2026, 3, 5, 10, tzinfo=UTC)
    moment, _ = when(fake.stamp(claimed), fake.stamp(seen), PLAIN)
    assert moment.at is not None
    assert moment.at <= seen + timedelta(minutes=5)
    assert moment.at >= seen - timedelta(days=1)


def test_a_date_the_network_does_not_support_is_said() -> None:
    _, report = item_of(record={"createdAt": "2011-01-01T00:00:00Z"})
    assert "long before" in report.notes[0]


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([{"val": "!takedown", "src": "did:mod"}], "taken down"),
        ([{"val": "!hide", "src": "did:mod"}], "hidden by its author or moderators"),
        ([{"val": "!hide", "src": "did:mod", "exp": "2026-01-01T00:00:00Z"}], ""),
        ([{"val": "!hide", "src": "a"}, {"val": "!hide", "src": "a", "neg": True}], ""),
        ([{"val": "porn", "src": "did:mod"}, None, 7], ""),
        ({"val": "!hide"}, ""),
    ],
)
def test_labels_that_hide_a_post_are_obeyed(labels: object, reason: str) -> None:
    item, report = item_of(labels=labels)
    assert (item is None) is bool(reason)
    assert [row.reason for row in report.refusals] == ([reason] if reason else [])


def test_an_author_who_shows_posts_to_members_only_is_respected() -> None:
    author = {"did": "did:plc:x", "labels": [{"val": "!no-unauthenticated", "src": "did:plc:x"}]}
    item, report = item_of(author=author)
    assert item is None
    assert "logged-in readers" in report.refusals[0].reason


def test_only_the_authors_words_are_the_text() -> None:
    card = {
        "$type": "app.bsky.embed.external", "external": {"title": "Ferry ends", "uri": "https://p.example"},
    }  # fmt: skip
    item, _ = item_of(record={"text": "Shame!", "embed": card})
    assert item is not None
    assert (item.title, item.text) == ("", "Shame!")
    item, report = item_of(record={"text": " ", "embed": card})
    assert item is None
    assert report.refusals[0].reason == "no words"


def test_descriptions_of_pictures_are_the_words_of_a_post_without_others() -> None:
    images = {"$type": "app.bsky.embed.images", "images": [{"alt": "The pier, empty"}, {"alt": ""}]}
    for embed in (images, {"$type": "app.bsky.embed.recordWithMedia", "media": images}):
        item, _ = item_of(record={"text": "", "embed": embed})
        assert item is not None
        assert item.text == "The pier, empty"


@pytest.mark.parametrize(
    ("text", "langs", "lang"),
    [
        ("The ferry is late", ["ja"], "en"),
        ("渡轮又晚点了，大家都在等", ["en"], "zh"),
        ("OK le ferry", ["fr"], "other"),
        ("东京都港区", ["ja"], "other"),
        ("🚢🚢", [], "unknown"),
        ("🚢🚢", [5], "unknown"),
    ],
)
def test_a_claimed_language_counts_where_the_words_do_not_tell(
    text: str, langs: list[Any], lang: str
) -> None:
    item, _ = item_of(record={"text": text, "langs": langs})
    assert item is not None
    assert item.lang == lang


def test_no_name_of_the_author_is_kept_but_in_the_address() -> None:
    item, _ = item_of()
    assert item is not None
    assert item.author_hash
    assert "writer1.example" not in item.model_dump_json()
    assert item.url == "https://bsky.app/profile/did:plc:writer1/post/3k00000000001"
    assert item.engagement == {"replies": 0, "reposts": 1, "likes": 2, "quotes": 0}
    assert item.licence == "platform-terms"


# -- real payloads --------------------------------------------------------------------------------


def views(value: object) -> Iterator[dict[str, Any]]:
    """Every post view inside a JSON value."""
    if isinstance(value, dict):
        if "uri" in value and "record" in value and "author" in value:
            yield value
        for child in value.values():
            yield from views(child)
    elif isinstance(value, list):
        for child in value:
            yield from views(child)


def snapshots(path: Path) -> Iterator[Any]:
    """JSON of a snapshot file, whose commas may trail."""
    text = path.read_text(encoding="utf-8")
    for body in re.findall(r"^exports\[`[^`]*`\] = `\n(.*?)\n`;$", text, re.DOTALL | re.MULTILINE):
        body = re.sub(r",(\s*[}\]])", r"\1", body)
        if body[:1] in "{[":
            yield json.loads(body)


@pytest.fixture(scope="session")
def recorded(testdata: Path) -> list[Any]:
    """Recorded threads and post views."""
    folder = testdata / "data/payloads/bluesky"
    values: list[Any] = [
        json.loads((folder / "thread_view_post_with_embed_media.json").read_text(encoding="utf-8"))
    ]
    for name in ("thread.test.ts.snap", "posts.test.ts.snap"):
        values += snapshots(folder / name)
    return values


def test_recorded_post_views_are_items_or_refusals(recorded: list[Any]) -> None:
    kept = refused = 0
    for view in views(recorded):
        report = Report()
        item = post_item(view, PLAIN, report, origin=ORIGIN)
        assert (item is None) == (len(report.refusals) == 1)
        kept += item is not None
        refused += item is None
        if item is not None and item.kind == "comment":
            assert item.parent_id
            assert item.root_id
    assert kept >= 35
    assert refused >= 1  # a picture without words or description


def test_recorded_threads_give_every_reply(recorded: list[Any]) -> None:
    threads = [value for value in recorded if "replies" in value and "post" in value]
    found = 0
    for thread in threads:
        report = Report()
        rows = list(thread_posts(thread, report))
        inner = list(views(thread["replies"]))
        assert len(rows) == len([view for view in inner if "replyCount" in view])
        found += len(rows)
    assert found >= 12


# -- damaged payloads -----------------------------------------------------------------------------

ODD: tuple[Any, ...] = (
    None, True, -1, 10**400, 1e308, "", "\ud800", "\x00", "9" * 5000, [], {}, [[]], {"$type": 5},
)  # fmt: skip


def damaged(value: Any, chance: random.Random) -> Any:
    """A copy of a JSON value with one to three parts replaced or dropped."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        node: Any = value
        while isinstance(node, dict | list) and node:
            key = chance.choice(list(node) if isinstance(node, dict) else range(len(node)))
            if chance.random() < 0.4 or not isinstance(node[key], dict | list):
                if isinstance(node, dict) and chance.random() < 0.3:
                    del node[key]
                else:
                    node[key] = chance.choice(ODD)
                break
            node = node[key]
    return value


@settings(max_examples=300)
@given(st.integers(0, 10**9))
def test_a_damaged_post_is_an_item_or_a_refusal(seed: int) -> None:
    chance = random.Random(seed)
    view = fake.post(seed % 50, START, replies=3)
    view["record"]["reply"] = {"parent": {"uri": "at://a"}, "root": {"uri": "at://b"}}
    view["record"]["embed"] = {"images": [{"alt": "a pier"}]}
    view["labels"] = [{"val": "!hide", "src": "x", "neg": True}]
    report = Report()
    item = post_item(damaged(view, chance), PLAIN, report, origin=ORIGIN)
    assert (item is None) == (len(report.refusals) == 1)
    if item is not None:
        assert Item.model_validate_json(item.model_dump_json()) == item


@pytest.mark.parametrize("seed", range(4))
def test_damaged_recorded_threads_never_raise(recorded: list[Any], seed: int) -> None:
    chance = random.Random(seed)
    for value in recorded:
        report = Report()
        thread = damaged(value, chance)
        for view in thread_posts(thread, report):
            refused = len(report.refusals)
            item = post_item(view, PLAIN, report, origin=ORIGIN)
            assert (item is None) == (len(report.refusals) == refused + 1)


def test_answers_that_are_no_search_are_told_and_given_up() -> None:
    for body in (b"<html>hello</html>", b"[]", b'{"posts": 5}', b"[" * 100_000):

        class Odd(fake.Bluesky):
            def answer(self, asked: fake.Asked, body: bytes = body) -> tuple[int, Any]:
                return 200, body

        platform = Odd()
        items, source = search(platform)
        assert not items
        assert source.report.capped
        assert len(platform.log) <= 5


# -- recordings -----------------------------------------------------------------------------------


def test_a_recording_replays_and_holds_neither_password_nor_session(tmp_path: Path) -> None:
    platform = fake.Bluesky(posts=spaced(130), search_for_all=False)
    file = tmp_path / "traffic.yaml"
    with fake.serving(platform) as address, traffic(file, record=True):
        first = list(Bluesky(fake.context(address, env=ACCOUNT)).search(ask(), SINCE, UNTIL))
    text = file.read_text(encoding="utf-8")
    for secret in ("abcd-efgh", "access-1", "renewal-1", "Bearer", "reader.example"):
        assert secret not in text
    with traffic(file, record=False):
        replay = dict.fromkeys(ACCOUNT, "replay")
        again = list(Bluesky(fake.context(address, env=replay)).search(ask(), SINCE, UNTIL))
    assert again == first


def test_instants_are_written_to_the_millisecond() -> None:
    at = datetime(2026, 3, 5, 8, 0, 0, 7000, tzinfo=UTC)
    assert instant(at) == "2026-03-05T08:00:00.007Z"


@pytest.mark.parametrize("count", [150, 320])
def test_what_replies_leave_of_max_items_goes_to_posts(count: int) -> None:
    platform = fake.Bluesky(posts=spaced(count))
    items, source = search(platform, most=200)
    assert len(items) == len({item.native_id for item in items}) == min(count, 200)
    assert any("max_items was reached" in note for note in source.report.notes) == (count > 200)
    asked = [tuple(sorted(row.items())) for row in platform.queries("app.bsky.feed.searchPosts")]
    assert len(asked) == len(set(asked))
