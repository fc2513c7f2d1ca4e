"""YouTube: videos over the whole window, discussions, causes of failures told apart, and a key nobody sees."""

from __future__ import annotations

import copy
import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import Item, Origin, SourceQuery
from sources.base import Cursor, Paused, Report, SourceContext, SourceError
from sources.lenient import json_object
from sources.traffic import traffic
from sources.youtube import YouTube, reasons
from sources.youtube_json import comment_item, count, video_id, video_item
from tests.sources import social_platforms as fake
from tests.sources.test_bluesky import damaged

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 28)
START = datetime(2026, 3, 1, tzinfo=UTC)
KEY = {"YOUTUBE_API_KEY": "AIza-secret"}
ORIGIN = Origin(source="youtube", query="ferry")
PLAIN = SourceContext(fetched_at=fake.FETCHED, zone="UTC", salt="s")


def ask(most: int = 300, lang: str = "en") -> SourceQuery:
    return SourceQuery.model_validate(
        {"source": "youtube", "query": "ferry", "lang": lang, "max_items": most}
    )


def search(platform: fake.Videos, most: int = 300, **options: Any) -> tuple[list[Item], YouTube]:
    with fake.serving(platform) as address:
        source = YouTube(fake.context(address, **({"env": KEY} | options)))
        return list(source.search(ask(most), SINCE, UNTIL)), source


def weekly(count: int, **extra: Any) -> list[dict[str, Any]]:
    """Videos over four weeks, best first in no order of time."""
    return [
        fake.video(f"v{number:04d}", START + timedelta(hours=(number * 53) % 660), **extra)
        for number in range(count)
    ]


# -- what is asked --------------------------------------------------------------------------------


def test_the_key_travels_in_a_header_and_the_days_as_instants() -> None:
    platform = fake.Videos(videos=weekly(3))
    with fake.serving(platform) as address:
        context = fake.context(address, env={"YOUTUBE_API_KEY": " AIza-secret\n"})
        context.zone = "Asia/Shanghai"
        source = YouTube(context)
        list(source.search(ask(lang="zh"), date(2026, 3, 1), date(2026, 3, 5)))
    assert platform.queries("search")[0] == {
        "part": "snippet", "type": "video", "q": "ferry", "order": "relevance", "safeSearch": "none",
        "relevanceLanguage": "zh-Hans", "publishedAfter": "2026-02-28T16:00:00Z",
        "publishedBefore": "2026-03-05T16:00:00Z", "maxResults": "50",
    }  # fmt: skip
    for asked in platform.log:
        assert asked.headers["x-goog-api-key"] == "AIza-secret"
        assert "secret" not in asked.path + json.dumps(asked.query)


def test_few_videos_cover_all_weeks_within_the_searches_allowed() -> None:
    platform = fake.Videos(videos=weekly(600))
    items, source = search(platform, 40, youtube_threads=0, youtube_searches=12)
    weeks = [(item.published_at - START).days // 7 for item in items if item.published_at]
    assert [weeks.count(week) for week in range(4)] == [10, 10, 10, 10]
    assert len(platform.queries("search")) == 4
    assert source.report.capped


def test_searches_stop_at_their_number_and_say_so() -> None:
    platform = fake.Videos(videos=weekly(600))
    _, source = search(platform, 600, youtube_threads=0, youtube_searches=3)
    assert len(platform.queries("search")) == 3
    assert source.report.capped
    assert any("number of requests" in note for note in source.report.notes)


def test_more_than_a_window_gives_is_found_in_its_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.youtube.REACH", 90)
    platform = fake.Videos(videos=weekly(300), reach=100)
    items, source = search(platform, 1000, youtube_threads=0, youtube_searches=60)
    assert {item.native_id for item in items} == {row["id"] for row in platform.videos}
    assert len(items) == 300
    assert not source.report.capped


def test_the_guessed_total_is_not_believed() -> None:
    platform = fake.Videos(videos=weekly(5))
    items, source = search(platform)
    assert len(items) == 5
    assert not source.report.capped


# -- videos ---------------------------------------------------------------------------------------


def test_whole_descriptions_and_counts_come_from_the_videos_themselves() -> None:
    platform = fake.Videos(videos=weekly(2), gone=frozenset({"v0001"}))
    items, source = search(platform, youtube_threads=0)
    assert [(item.title, item.text) for item in items] == [
        ("The ferry & the bus v0000", "What the town says about the ferry")
    ]
    assert items[0].engagement == {"views": 1200, "likes": 30, "replies": 0}
    assert items[0].kind == "post"
    assert items[0].url == "https://www.youtube.com/watch?v=v0000"
    assert [(row.item, row.reason) for row in source.report.refusals] == [("v0001", "deleted")]
    assert "Harbour TV" not in items[0].model_dump_json()
    assert "UC-channel" not in items[0].model_dump_json()


def test_a_search_is_not_lost_when_the_videos_give_no_answer() -> None:
    class Half(fake.Videos):
        def answer(self, asked: fake.Asked) -> tuple[int, Any]:
            return (
                fake.failure(500, "backendError")
                if asked.name == "videos"
                else super().answer(asked)
            )

    items, source = search(Half(videos=weekly(2)), youtube_threads=0)
    assert len(items) == 2
    assert any("descriptions of some videos are cut" in note for note in source.report.notes)


# -- comments -------------------------------------------------------------------------------------


def discussed() -> fake.Videos:
    """One video with three threads, one of which has more replies than it shows."""
    at = START + timedelta(days=2)
    replies = [fake.remark(f"c2.r{number}", at, parentId="c2") for number in range(130)]
    threads = [
        fake.talk(fake.remark("c1", at), fake.remark("c1.r1", at, parentId="c1")),
        fake.talk(fake.remark("c2", at), *replies[:5], replies=130),
        fake.talk(fake.remark("c3", at + timedelta(days=60))),
    ]
    videos = [fake.video("v1", START, comments=134), fake.video("v2", START, comments=7)]
    return fake.Videos(videos=videos, comments={"v1": threads}, replies={"c2": replies}, page=2)


def test_comments_come_with_all_their_replies_and_parents() -> None:
    platform = discussed()
    items, source = search(platform)
    comments = {item.native_id: item for item in items if item.kind == "comment"}
    assert len(comments) == 2 + 131
    ids = PLAIN.ids
    assert comments["c1"].parent_id == comments["c1"].root_id == ids.item("youtube", "v1")
    assert comments["c2.r129"].parent_id == ids.item("youtube", "c2")
    assert comments["c2.r129"].root_id == ids.item("youtube", "v1")
    assert comments["c2"].engagement == {"likes": 3, "replies": 130}
    assert comments["c1"].url == "https://www.youtube.com/watch?v=v1&lc=c1"
    reasons = {row.item: row.reason for row in source.report.refusals}
    assert reasons == {"v2": "comments are turned off", "c3": "outside the window"}
    threads = platform.queries("commentThreads")
    assert threads[0] == {
        "part": "snippet,replies", "videoId": "v1", "order": "relevance", "textFormat": "html",
        "maxResults": "100",
    }  # fmt: skip
    assert [row.get("pageToken") for row in threads] == [None, "t2", None]


def test_a_long_discussion_gets_its_share_and_that_is_told() -> None:
    items, source = search(discussed(), 90)
    assert len(items) <= 90
    assert sum(item.kind == "comment" for item in items) >= 40
    assert source.report.capped
    assert any("share of max_items" in note for note in source.report.notes)


def test_replies_are_not_fetched_beyond_the_room() -> None:
    platform = discussed()
    search(platform, 12, youtube_threads=1)
    assert len(platform.queries("comments")) <= 5


def test_a_query_that_was_stopped_goes_on_where_it_stood() -> None:
    platform = discussed()
    whole = {item.native_id for item in search(copy.deepcopy(platform))[0]}
    with fake.serving(platform) as address:
        for stop_after in (1, 2, 3, 5, 134):
            kept = _Kept()
            first = YouTube(fake.context(address, cursor=kept, env=KEY)).search(ask(), SINCE, UNTIL)
            for _, item in zip(range(stop_after), first, strict=False):
                kept.taken.append(item.native_id)
            first.close()  # type: ignore[attr-defined]
            kept.taken.clear()
            for item in YouTube(fake.context(address, cursor=kept, env=KEY)).search(
                ask(), SINCE, UNTIL
            ):
                kept.taken.append(item.native_id)
            kept.save({})
            assert kept.stored == whole


class _Kept(Cursor):
    """Stores what was taken with the state, as the collector does."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []
        self.stored: set[str] = set()

    def save(self, state: Any) -> None:
        super().save(state)
        self.stored.update(self.taken)
        self.taken.clear()


# -- failures -------------------------------------------------------------------------------------


class Failing(fake.Videos):
    """Fails every call of one method in one way."""

    method = "search"
    how: tuple[int, Any] = (500, {})

    def answer(self, asked: fake.Asked) -> tuple[int, Any]:
        return self.how if asked.name == self.method else super().answer(asked)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        (
            fake.failure(400, "badRequest", details=[{"reason": "API_KEY_INVALID"}]),
            "refused the key",
        ),
        (fake.failure(400, "keyInvalid"), "refused the key"),
        (fake.failure(401, "authError"), "refused the key"),
        (fake.failure(403, "accessNotConfigured"), "may not use the YouTube Data API"),
        (
            fake.failure(403, "forbidden", details=[{"reason": "API_KEY_SERVICE_BLOCKED"}]),
            "restrictions",
        ),
        (fake.failure(403, "forbidden", details=[{"reason": "CONSUMER_SUSPENDED"}]), "may not use"),
    ],
)
def test_a_key_that_does_not_work_is_one_sentence_without_the_key(
    how: tuple[int, Any], sentence: str
) -> None:
    platform = Failing(videos=weekly(2))
    platform.how = how
    with pytest.raises(SourceError, match=sentence) as caught:
        search(platform)
    assert "AIza" not in str(caught.value)


@pytest.mark.parametrize("key", ["", "AIza secret", "AIza\nsecret", "ключ"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    platform = fake.Videos()
    with pytest.raises(SourceError, match="YOUTUBE_API_KEY") as caught:
        search(platform, env={"YOUTUBE_API_KEY": key})
    assert not platform.log
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize("count", [15, 80])
def test_what_comments_leave_of_max_items_goes_to_videos(count: int) -> None:
    platform = fake.Videos(videos=weekly(count))
    items, source = search(platform, most=30)
    assert len(items) == len({item.native_id for item in items}) == min(count, 30)
    assert source.report.capped == (count > 30)
    asked = [(row["publishedAfter"], row.get("pageToken")) for row in platform.queries("search")]
    assert len(asked) == len(set(asked)) <= 12


@pytest.mark.parametrize(
    "how",
    [
        fake.failure(403, "quotaExceeded"),
        fake.failure(403, "dailyLimitExceeded"),
        fake.failure(429, "rateLimitExceeded", status="RESOURCE_EXHAUSTED"),
        (429, b"slow down"),
    ],
)
def test_a_used_up_quota_ends_the_search_and_is_told(how: tuple[int, Any]) -> None:
    platform = Failing(videos=weekly(2))
    platform.how = how
    with pytest.raises(Paused, match="filled again at midnight Pacific time; run again then"):
        search(platform)
    items, source = search(platform, on_limit="accept")
    assert not items
    assert source.report.capped
    assert source.report.outcomes == {"blocked": 1}
    assert any("midnight Pacific" in note for note in source.report.notes)


def test_a_search_quota_that_ends_midway_keeps_what_was_found_and_its_comments() -> None:
    platform = discussed()
    platform.searches = 1
    items, source = search(platform, on_limit="accept")
    assert {item.kind for item in items} == {"post", "comment"}
    assert source.report.capped
    assert len(platform.queries("search")) == 2


@pytest.mark.parametrize(
    ("how", "outcome", "reason"),
    [
        (fake.failure(403, "commentsDisabled"), "empty", "comments are turned off"),
        (fake.failure(404, "videoNotFound"), "soft404", "deleted"),
        (fake.failure(403, "forbidden"), "blocked", "blocked"),
        (fake.failure(500, "backendError"), "error", "error"),
        ((200, b"<html>"), "decode_error", "decode_error"),
        ((200, b"[" * 100_000), "decode_error", "decode_error"),
    ],
)
def test_a_discussion_that_fails_costs_only_itself(
    how: tuple[int, Any], outcome: Any, reason: str
) -> None:
    platform = Failing(videos=discussed().videos)
    platform.method, platform.how = "commentThreads", how
    items, source = search(platform)
    assert len(items) == 2
    assert source.report.outcomes[outcome] >= 2
    assert {(row.item, row.reason) for row in source.report.refusals} == {
        ("v1", reason), ("v2", reason)
    }  # fmt: skip
    assert not any("AIza" in repr(row) for row in source.report.refusals)


def test_failures_of_the_search_are_given_up_after_a_few() -> None:
    platform = Failing()
    platform.how = fake.failure(500, "backendError")
    items, source = search(platform)
    assert not items
    assert source.report.capped
    assert len(platform.log) == 3


def test_reasons_are_names_and_never_sentences() -> None:
    _, body = fake.failure(
        403, "a sentence with a key", details=[{"reason": "GOOD_NAME"}, 5], status="S"
    )
    assert reasons(body) == ("GOOD_NAME", "S")
    assert reasons({"error": "text"}) == reasons(None) == ()


# -- real payloads --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def recorded(testdata: Path) -> dict[str, Any]:
    """Recorded answers by file name."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((testdata / "data/payloads/youtube").glob("*.json"))
    }


def test_recorded_searches_are_videos_with_dates(recorded: dict[str, Any]) -> None:
    for name in ("search_by_keywords_p1", "search_by_keywords_p2"):
        report = Report()
        items = [video_item(row, PLAIN, report, origin=ORIGIN) for row in recorded[name]["items"]]
        assert len(items) == 25
        assert not report.refusals
        for item, row in zip(items, recorded[name]["items"], strict=True):
            assert item is not None
            assert item.native_id == row["id"]["videoId"]
            assert "&#39;" not in item.title
            assert item.published_at is not None
            assert (
                item.published_at.strftime("%Y-%m-%dT%H:%M:%S")
                == row["snippet"]["publishedAt"][:19]
            )


def test_recorded_videos_keep_their_whole_description(recorded: dict[str, Any]) -> None:
    rows = recorded["videos_info_multi"]["items"]
    items = [video_item(row, PLAIN, Report(), origin=ORIGIN) for row in rows]
    assert next(item.text for item in items if item).endswith("https://bit.ly/googledevs")


def test_recorded_comments_are_plain_words(recorded: dict[str, Any]) -> None:
    found = []
    for name in ("comment_threads_by_video_paged_1", "comment_threads_by_video_paged_2"):
        for thread in recorded[name]["items"]:
            top = thread["snippet"]["topLevelComment"]
            item = comment_item(top, PLAIN, Report(), origin=ORIGIN, video="F1UP7wRCPH8")
            assert item is not None
            assert item.text.split() == top["snippet"]["textOriginal"].split()
            found.append(item)
    assert len(found) == 10
    for name in ("comments_by_parent_paged_1", "comments_by_parent_paged_2"):
        for raw in recorded[name]["items"]:
            item = comment_item(raw, PLAIN, Report(), origin=ORIGIN, video="v")
            assert item is not None
            assert item.parent_id == PLAIN.ids.item("youtube", raw["snippet"]["parentId"])
            assert raw["snippet"]["authorDisplayName"] not in item.model_dump_json()


def test_recorded_pages_are_followed_to_their_end(recorded: dict[str, Any]) -> None:
    """The connector over the recorded answers themselves."""

    class Replay(fake.Platform):
        def answer(self, asked: fake.Asked) -> tuple[int, Any]:
            if asked.name == "search":
                return 200, recorded["search_by_keywords_p1"] | {"nextPageToken": ""}
            if asked.name == "videos":
                ids = asked.query["id"].split(",")
                row = recorded["videos_info_single"]["items"][0]
                statistics = {"commentCount": "10"}
                return 200, {"items": [row | {"id": ids[0], "statistics": statistics}]}
            page = "2" if asked.query.get("pageToken") else "1"
            return 200, recorded[f"comment_threads_by_video_paged_{page}"]

    platform = Replay()
    with fake.serving(platform) as address:
        source = YouTube(fake.context(address, env=KEY))
        items = list(source.search(ask(), date(2019, 1, 1), date(2019, 12, 31)))
    assert (
        sum(item.kind == "comment" for item in items) == 5
    )  # both recorded pages hold the same five
    assert len(platform.queries("commentThreads")) == 2
    token = recorded["comment_threads_by_video_paged_1"]["nextPageToken"]
    assert platform.queries("commentThreads")[1]["pageToken"] == token


def test_markup_is_read_where_no_plain_text_is_given() -> None:
    raw = fake.remark(
        "c", START, textOriginal=None, textDisplay="Isn&#39;t it<br>so? &lt;3 <b>yes</b>"
    )
    item = comment_item(raw, PLAIN, Report(), origin=ORIGIN, video="v")
    assert item is not None
    assert item.text == "Isn't it\nso? <3 yes"


def test_an_edited_comment_is_less_sure_of_its_date() -> None:
    report = Report()
    raw = fake.remark("c", START, updatedAt="2026-04-01T00:00:00Z")
    item = comment_item(raw, PLAIN, report, origin=ORIGIN, video="v")
    assert item is not None
    assert item.confidence == 0.6
    assert "edited" in report.notes[0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("12", 12), (5, 5), (0, 0), ("", None), (None, None), ("1.2万", None), (-1, None), (True, None), (10**400, None)],
)  # fmt: skip
def test_counts_are_digits(value: object, expected: int | None) -> None:
    assert count(value) == expected


def test_results_that_are_no_videos_have_no_id() -> None:
    assert video_id({"id": {"kind": "youtube#channel", "channelId": "UC"}}) == ""
    assert video_id({"id": "a/../b"}) == video_id({"id": 5}) == video_id(None) == ""


# -- damaged payloads -----------------------------------------------------------------------------


@settings(max_examples=300)
@given(st.integers(0, 10**9))
def test_a_damaged_video_or_comment_is_an_item_or_a_refusal(seed: int) -> None:
    chance = random.Random(seed)
    video = damaged(fake.video("v1", START, comments=4), chance)
    comment = damaged(fake.remark("c1", START, parentId="c0"), chance)
    for make in (
        lambda report: video_item(video, PLAIN, report, origin=ORIGIN),
        lambda report: comment_item(comment, PLAIN, report, origin=ORIGIN, video="v1"),
    ):
        report = Report()
        item = make(report)
        assert (item is None) == (len(report.refusals) == 1)
        if item is not None:
            assert Item.model_validate_json(item.model_dump_json()) == item


@pytest.mark.parametrize("seed", range(12))
def test_damaged_answers_never_raise(seed: int) -> None:
    chance = random.Random(seed)

    class Damaged(fake.Videos):
        def answer(self, asked: fake.Asked) -> tuple[int, Any]:
            status, body = super().answer(asked)
            return status, json.dumps(damaged(body, chance)).encode()

    whole = discussed()
    platform = Damaged(videos=whole.videos, comments=whole.comments, replies=whole.replies)
    items, source = search(platform)
    assert len({item.native_id for item in items}) == len(items)
    assert source.report.outcomes


@given(st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_any_bytes_are_a_json_object_or_none(data: bytes) -> None:
    value = json_object(data)
    assert value is None or isinstance(value, dict)


# -- recordings -----------------------------------------------------------------------------------


def test_a_recording_replays_and_holds_no_key(tmp_path: Path) -> None:
    platform = discussed()
    file = tmp_path / "traffic.yaml"
    with fake.serving(platform) as address, traffic(file, record=True):
        first = list(YouTube(fake.context(address, env=KEY)).search(ask(), SINCE, UNTIL))
    text = file.read_text(encoding="utf-8")
    assert "AIza" not in text
    assert "x-goog" not in text.lower()
    with traffic(file, record=False):
        context = fake.context(address, env={"YOUTUBE_API_KEY": "replay"})
        assert list(YouTube(context).search(ask(), SINCE, UNTIL)) == first
