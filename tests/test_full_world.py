"""The full demo event's invented world agrees with its story and holds what a hard event holds."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime

import pytest

from factory.audit.gazetteer import real_names
from factory.recording import event_from, load_run
from factory.settings import load_settings
from sources.counts import read_count
from sources.pages import judge_page
from tests.outside_world.full.news import FEEDS, read_pages, read_traps
from tests.outside_world.full.posts import PLATFORMS, read_posts
from tests.outside_world.full.story import (
    export_rows,
    is_chinese,
    page_texts,
    post_texts,
    read_table,
)
from tests.outside_world.full.world import HERE, RECORDING, FullWorld
from tests.outside_world.world import Request

DAYS = [date.fromisoformat(row[0]) for row in read_table("Days")]
FACTS = read_table("Facts")
MONTHS = "January February March April May June July August September October November December"
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def test_days_of_the_story_are_in_order_and_have_their_weekdays() -> None:
    assert sorted(set(DAYS)) == DAYS
    assert len(DAYS) >= 16
    assert (DAYS[-1] - DAYS[0]).days >= 30 * 7
    for row in read_table("Days"):
        assert WEEKDAYS[date.fromisoformat(row[0]).weekday()] == row[1]


def test_pages_are_many_in_both_languages_and_a_quarter_are_copies_or_updates() -> None:
    pages = read_pages().values()
    languages = Counter(page.lang for page in pages)
    assert min(languages["en"], languages["zh"]) >= 10
    assert languages.total() >= 30
    assert sum(bool(page.copies) for page in pages) >= len(pages) / 4
    assert all(is_chinese(page.words) == (page.lang == "zh") for page in pages)
    assert len({page.address for page in pages}) == len(pages)


def test_posts_are_many_on_every_platform_and_in_both_languages() -> None:
    live = [text for text in post_texts() if not text.where.startswith("weibo")]
    assert len(live) >= 100
    assert all(len(read_posts(platform)) >= 20 for platform in PLATFORMS)
    assert len(export_rows("contents")) + len(export_rows("comments")) >= 30
    assert min(Counter(is_chinese(text.words) for text in live).values()) >= 30
    assert sum(not post.author for platform in PLATFORMS for post in read_posts(platform)) == 3


def test_every_day_of_the_story_has_pages_and_a_public_that_argues() -> None:
    pages = Counter(text.day for text in page_texts())
    posts = Counter(text.day for text in post_texts())
    assert all(pages[day] >= 2 for day in DAYS)
    assert all(posts[day] >= 5 for day in DAYS)


@pytest.mark.parametrize("row", FACTS, ids=[f"{row[0]} {row[1]}" for row in FACTS])
def test_a_fact_becomes_public_on_its_day_and_not_before(row: list[str]) -> None:
    day = date.fromisoformat(row[0])
    assert day in DAYS
    for words in filter(None, row[2:4]):
        end = r"(?!\d)" if words[-1].isdigit() else ""
        spoken = re.compile(rf"(?<![\d.]){re.escape(words)}{end}", re.IGNORECASE)
        assert any(text.day == day and spoken.search(text.words) for text in page_texts()), words
        earlier = [
            text.where
            for text in (*page_texts(), *post_texts())
            if text.day < day and spoken.search(text.words)
        ]
        assert not earlier, (words, earlier)


def test_facts_are_at_least_two_a_day() -> None:
    assert min(Counter(row[0] for row in FACTS).values()) >= 2
    assert len({row[0] for row in FACTS}) == len(DAYS)


def test_written_weekdays_are_those_of_the_calendar() -> None:
    found = 0
    for text in page_texts():
        for match in re.finditer(rf"({'|'.join(WEEKDAYS)}) (\d+) ({MONTHS.replace(' ', '|')})", text.words):  # fmt: skip
            month = MONTHS.split().index(match[3]) + 1
            year = text.day.year + (month < text.day.month - 6)
            assert WEEKDAYS[date(year, month, int(match[2])).weekday()] == match[1], text.where
            found += 1
        for match in re.finditer(r"(\d+)月(\d+)日（周(.)）", text.words):
            year = text.day.year + (int(match[1]) < text.day.month - 6)
            weekday = "一二三四五六日"[date(year, int(match[1]), int(match[2])).weekday()]
            assert weekday == match[3], text.where
            found += 1
    assert found >= 4


def test_names_of_the_story_are_used() -> None:
    words = "\n".join(text.words for text in (*page_texts(), *post_texts()))
    for _, kind, english, chinese, _ in read_table("Names"):
        names = (re.sub(r"\(.*?\)", "", english).strip(), chinese)
        if kind != "media":
            assert all(name in words for name in names), names


def test_nobody_names_a_place_or_paper_of_the_real_world() -> None:
    named = {
        text.where: found
        for text in (*page_texts(), *post_texts())
        if (found := list(real_names(text.words)))
    }
    assert not named


def test_the_rumour_is_older_than_its_refutation_and_the_secret_younger_than_its_cause() -> None:
    first = next(text for text in (*page_texts(), *post_texts()) if "埋了三个工人" in text.words)
    refuted = next(text for text in page_texts() if "41名工人全部在册" in text.words)
    assert first.when < refuted.when
    told = next(text for text in page_texts() if "17 March 2023" in text.words)
    assert (told.day - date(2023, 3, 17)).days > 1000


def test_somebody_tries_to_instruct_the_reader_and_somebody_speaks_of_yesterday() -> None:
    words = [text.words for text in post_texts()]
    assert sum("ignore the instructions" in text or "忽略之前" in text or "SYSTEM NOTE" in text for text in words) == 3  # fmt: skip
    assert sum("3小时前" in text or "昨晚" in text or "昨天" in text for text in words) >= 4


def test_feeds_list_every_page_and_every_trap_and_nothing_else() -> None:
    world = FullWorld()
    listed = [
        link
        for feed in FEEDS
        for link in re.findall(
            r"<link>(http://[^<]+/[^<]+)</link>|rel=\"alternate\" href=\"([^\"]+)\"",
            world.answer(Request.of("GET", feed)).body.decode(),
        )
    ]
    links = {a or b for a, b in listed}
    assert links == {page.address for page in read_pages().values()} | {
        trap.address for trap in read_traps()
    }


def test_traps_end_as_they_should() -> None:
    world = FullWorld()
    ended = Counter[str]()
    for trap in read_traps():
        reply = world.answer(Request.of("GET", trap.address))
        page = judge_page(reply.body.decode())
        ended[page.outcome if reply.status == 200 else str(reply.status)] += 1
    assert ended == {"403": 1, "soft404": 1, "blocked": 1, "needs_js": 1}


def test_one_page_is_left_in_the_archive_only() -> None:
    world = FullWorld()
    (page,) = (page for page in read_pages().values() if page.archived)
    assert world.answer(Request.of("GET", page.address)).status == 404
    copy = world.answer(
        Request.of(
            "GET", f"http://archive.example/web/{page.archived:%Y%m%d%H%M%S}id_/{page.address}"
        )
    )
    assert copy.status == 200
    assert "3 hours ago" in copy.body.decode()
    assert page.archived is not None
    assert (page.archived - page.when).total_seconds() == 3 * 3600


def test_links_that_posts_share_lead_to_pages() -> None:
    addresses = {page.address for page in read_pages().values()}
    links = [post.link for post in read_posts("hackernews") if post.link]
    assert links
    assert set(links) <= addresses


def test_export_has_seconds_matching_its_local_times_and_one_post_crawled_twice() -> None:
    contents, comments = export_rows("contents"), export_rows("comments")
    for row in (*contents, *comments):
        assert datetime.fromisoformat(row["create_date_time"]).timestamp() == row["create_time"]
        likes = row["liked_count"] if "liked_count" in row else row["comment_like_count"]
        assert read_count(likes) is not None, likes
    posted = {row["note_id"]: row["create_time"] for row in contents}
    assert all(posted[row["note_id"]] < row["create_time"] for row in comments)
    assert len(contents) == len(posted) + 1
    assert len({row["comment_id"] for row in comments}) == len(comments)


def test_answers_are_younger_than_what_they_answer() -> None:
    for platform in PLATFORMS:
        when = {post.key: post.when for post in read_posts(platform)}
        assert all(when[post.parent] < post.when for post in read_posts(platform) if post.parent), (
            platform
        )


def test_run_file_is_a_valid_fictional_event_with_keys_and_settings() -> None:
    run = load_run(str(RECORDING))
    event = event_from(run.event, "run.toml")
    settings = load_settings(recording=run.settings)
    assert event.fictional
    assert event.points == 5
    assert run.scripted
    assert run.keys is not None
    assert run.keys.offset_days is not None
    assert run.keys.offset_days % 7 == 0
    assert settings.collect.feeds == FEEDS
    assert event.topic in (HERE / "STORY.md").read_text(encoding="utf-8")
    assert event.since is not None
    assert event.until is not None
    assert event.since <= DAYS[0]
    assert DAYS[-1] <= event.until < run.now.date()
    assert all((RECORDING / "imports" / spec.path).is_dir() for spec in event.imports)
