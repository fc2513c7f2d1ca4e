"""The demo event's outside world agrees with its story bible."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from factory.recording import event_from, load_run
from factory.settings import load_settings
from sources.counts import read_count
from sources.pages import judge_page
from tests.outside_world.story import (
    DAYS,
    FEEDS,
    RUN,
    ZONE,
    all_told,
    export_rows,
    feed_instant,
    fetch,
    is_chinese,
    read_feed,
    read_pages,
    read_posts,
    read_table,
    the_world,
)
from tests.outside_world.world import HERE, Request

# Real names that fiction about a port city drifts towards. Latin ones are matched as words.
REAL_NAMES = (
    *(
        "北京",
        "上海",
        "天津",
        "重庆",
        "香港",
        "澳门",
        "台湾",
        "台北",
        "高雄",
        "广州",
        "深圳",
        "厦门",
    ),
    *(
        "青岛",
        "大连",
        "宁波",
        "舟山",
        "福州",
        "泉州",
        "汕头",
        "湛江",
        "珠海",
        "杭州",
        "南京",
        "武汉",
    ),
    *("中国", "新加坡", "马来西亚", "日本", "美国", "英国", "渡轮有限公司", "天星小轮", "招商局"),
    *(
        "中远",
        "万科",
        "碧桂园",
        "恒大",
        "新华社",
        "人民日报",
        "澎湃",
        "新浪",
        "腾讯",
        "网易",
        "头条",
    ),
    *("微信", "抖音", "小红书", "知乎", "支付宝", "美团", "人大", "国务院", "党委", "劳埃德"),
    *("China", "Chinese", "Beijing", "Shanghai", "Hong Kong", "Macau", "Taiwan", "Singapore"),
    *("Penang", "Manila", "Seoul", "Tokyo", "London", "Sydney", "Xiamen", "Ningbo", "Dalian"),
    *("Reuters", "BBC", "CNN", "Bloomberg", "Guardian", "Xinhua", "Twitter", "Facebook"),
    *("Instagram", "TikTok", "YouTube", "WhatsApp", "WeChat", "Weibo", "Google", "Uber"),
    *("Star Ferry", "Lloyd's", "Maersk", "COSCO", "Christmas", "Ramadan", "Easter"),
)


# the story


def test_eight_news_days_span_at_least_twenty_weeks_with_gaps_of_ten_to_thirty_days() -> None:
    gaps = [(later - day).days for day, later in pairwise(DAYS)]
    assert len(DAYS) == 8
    assert (DAYS[-1] - DAYS[0]).days >= 140
    assert all(10 <= gap <= 30 for gap in gaps)
    for row in read_table("Days"):
        assert f"{date.fromisoformat(row[0]):%A}" == row[1]


def test_everything_dated_lies_on_the_news_days() -> None:
    assert {page.day for page in read_pages()} == set(DAYS)
    assert {post.day for post in read_posts()} == set(DAYS)
    for feed in FEEDS:
        for _, _, raw in read_feed(feed):
            assert feed_instant(raw).astimezone(ZONE).date() in DAYS


def test_window_opens_before_the_first_day_and_closes_a_month_after_the_last() -> None:
    event = tomllib.loads((RUN / "run.toml").read_text(encoding="utf-8"))["event"]
    assert timedelta(1) <= DAYS[0] - event["since"] <= timedelta(3)
    assert timedelta(28) <= event["until"] - DAYS[-1] <= timedelta(31)
    assert event["until"] < date(2026, 6, 1)


@pytest.mark.parametrize("row", read_table("Facts"), ids=lambda row: f"{row[0]} {row[1]}")
def test_a_fact_is_told_on_its_day_and_never_before(row: list[str]) -> None:
    day = date.fromisoformat(row[0])
    surfaces = [words for words in row[2:4] if words]
    assert surfaces
    for words in surfaces:
        told = [item.day for item in all_told() if words in item.text]
        assert told, f"{words!r} is told nowhere"
        assert min(told) == day, f"{words!r} is told on {min(told)}"
        assert any(words in page.text for page in read_pages() if page.day == day)


def test_from_the_third_day_on_each_day_has_at_least_five_facts() -> None:
    facts = Counter(row[0] for row in read_table("Facts"))
    assert all(facts[day.isoformat()] >= 5 for day in DAYS[2:])


def test_announcements_come_before_what_they_announce() -> None:
    rows = read_table("What was announced and what came of it")
    assert len(rows) >= 10
    for announced, due, _ in rows:
        said = date.fromisoformat(announced.split(":")[0])
        assert said in DAYS
        assert said < date.fromisoformat(due)


def test_weekdays_written_beside_dates_are_right() -> None:
    names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    months = {f"{date(2026, m, 1):%B}": m for m in range(1, 13)}
    checked = 0
    for page in read_pages():
        for name, day, month in re.findall(
            rf"({'|'.join(names)}),? (\d+) ({'|'.join(months)})", page.text
        ):
            near = [date(year, months[month], int(day)) for year in (2025, 2026)]
            closest = min(near, key=lambda d: abs(d - page.day))
            assert f"{closest:%A}" == name, page.address
            checked += 1
        for month, day, name in re.findall(r"(\d+)月(\d+)日（周(.)）", page.text):
            near = [date(year, int(month), int(day)) for year in (2025, 2026)]
            closest = min(near, key=lambda d: abs(d - page.day))
            assert "一二三四五六日"[closest.weekday()] == name, page.address
            checked += 1
    assert checked >= 5


def test_no_real_name_occurs() -> None:
    for item in all_told():
        for name in REAL_NAMES:
            if name.isascii():
                assert not re.search(rf"\b{re.escape(name)}\b", item.text), (name, item)
            else:
                assert name not in item.text, (name, item)


def test_every_name_of_the_story_occurs() -> None:
    served = [fetch(page.address) for page in read_pages()]
    words = " ".join([*served, *(post.text for post in read_posts())])
    people_and_bodies = read_table("Names")
    assert len(people_and_bodies) >= 20
    for row in people_and_bodies:
        for cell in row[1:3]:
            for name in filter(None, (part.split(" (")[0].strip() for part in cell.split(","))):
                assert name in words, name


# counts


def test_there_are_about_twenty_articles_half_of_them_chinese() -> None:
    pages = read_pages()
    chinese = sum(is_chinese(page.text) for page in pages)
    assert 18 <= len(pages) <= 22
    assert 0.4 <= chinese / len(pages) <= 0.6


def test_articles_are_of_a_natural_length() -> None:
    for page in read_pages():
        size = len(page.text) if is_chinese(page.text) else len(page.text.split())
        assert 120 <= size <= 700, page.address


def test_each_news_day_has_posts_from_two_platforms_and_in_two_languages() -> None:
    for day in DAYS:
        posts = [post for post in read_posts() if post.day == day]
        assert 4 <= len(posts) <= 12, day
        assert len({post.platform for post in posts}) >= 2
        assert len({is_chinese(post.text) for post in posts}) == 2


def test_there_are_forty_to_sixty_posts() -> None:
    assert 40 <= len(read_posts()) <= 60


# feeds and pages


def test_feeds_list_every_article_once_with_its_own_date_and_title() -> None:
    entries = [entry for feed in FEEDS for entry in read_feed(feed)]
    dates = {link.split("?")[0]: feed_instant(raw) for link, _, raw in entries}
    assert len(dates) == len(entries)
    for page in read_pages():
        assert dates[page.address] == page.published, page.address


def test_every_entry_of_a_feed_answers() -> None:
    statuses = Counter(
        the_world().answer(Request.of("GET", link)).status
        for feed in FEEDS
        for link, _, _ in read_feed(feed)
    )
    assert statuses[403] == 1
    assert set(statuses) == {200, 403}


def test_one_page_each_is_blocked_gone_walled_and_script_only() -> None:
    judged = Counter(
        judge_page(fetch(link)).outcome
        for feed in FEEDS
        for link, _, _ in read_feed(feed)
        if the_world().answer(Request.of("GET", link)).status == 200
    )
    assert judged["soft404"] == 1
    assert judged["blocked"] == 1
    assert judged["needs_js"] == 1
    assert judged["ok"] == len(read_pages())


def test_a_feed_entry_crosses_midnight_between_utc_and_the_event_zone() -> None:
    crossing = [
        raw
        for _, _, raw in read_feed("http://harbourledger.example/feed.atom")
        if feed_instant(raw).date() != feed_instant(raw).astimezone(ZONE).date()
    ]
    assert crossing == ["2026-02-09T22:40:00Z"]


def test_a_page_links_only_to_earlier_pages_of_its_outlet() -> None:
    published = {page.address: page.published for page in read_pages()}
    for page in read_pages():
        host = page.address.split("/")[2]
        for href in re.findall(r'href="(/[^"]+)"', fetch(page.address)):
            other = published.get(f"http://{host}{href}")
            assert other is None or other <= page.published


def test_robots_allow_every_host() -> None:
    for host in the_world().hosts:
        reply = the_world().answer(Request.of("GET", f"http://{host}/robots.txt"))
        assert reply.status == 200
        assert b"Disallow" not in reply.body


def test_hosts_are_reserved_names() -> None:
    assert all(host.endswith(".example") for host in the_world().hosts)


def test_paths_cannot_leave_a_site() -> None:
    for path in ("/../statuses.json", "/%2e%2e/statuses.json", "/../../STORY.md"):
        reply = the_world().answer(Request.of("GET", f"http://harbourledger.example{path}"))
        assert reply.status == 404


# the export


def test_export_has_seconds_matching_its_local_times_and_counts_that_can_be_read() -> None:
    contents = export_rows("search_contents_2026-05-26.jsonl")
    comments = export_rows("search_comments_2026-05-26.jsonl")
    assert {row["note_id"] for row in comments} <= {row["note_id"] for row in contents}
    for row in (*contents, *comments):
        assert datetime.fromisoformat(row["create_date_time"]).timestamp() == row["create_time"]
        likes = row["liked_count"] if "liked_count" in row else row["comment_like_count"]
        assert read_count(likes) is not None, likes
    assert any("万" in row["liked_count"] for row in contents)
    comment_ids = {row["comment_id"] for row in comments}
    parents = {row["parent_comment_id"] for row in comments} - {""}
    assert len(comment_ids) == len(comments)
    assert len(parents) == 1
    assert parents <= comment_ids
    assert all(len(number) == 16 for number in comment_ids | {row["note_id"] for row in contents})


def test_export_holds_one_post_twice_with_a_later_crawl() -> None:
    contents = export_rows("search_contents_2026-05-26.jsonl")
    seen = Counter(row["note_id"] for row in contents)
    (again,) = [number for number, times in seen.items() if times > 1]
    first, second = [row for row in contents if row["note_id"] == again]
    assert first["content"] == second["content"]
    assert first["last_modify_ts"] < second["last_modify_ts"]
    first_likes, second_likes = (read_count(row["liked_count"]) for row in (first, second))
    assert first_likes is not None
    assert second_likes is not None
    assert first_likes < second_likes


# run.toml


def test_run_file_is_a_valid_event_with_keys_and_settings() -> None:
    run = load_run(str(RUN))
    event = event_from(run.event, "run.toml")
    settings = load_settings(recording=run.settings)
    assert event.fictional
    assert run.scripted
    assert run.keys is not None
    offset = run.keys.offset_days
    assert offset is not None
    assert offset % 7 == 0
    assert 28 <= abs(offset) <= 175
    assert settings.collect.feeds == FEEDS
    assert event.topic in (HERE / "STORY.md").read_text(encoding="utf-8")
    assert event.until is not None
    assert run.now.date() > event.until
    for spec in event.imports:
        assert (RUN / "imports" / spec.path).is_dir()


def test_every_file_of_the_world_is_readable_text() -> None:
    for path in (*HERE.rglob("*"), *Path(RUN / "imports").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            assert "\ufffd" not in path.read_text(encoding="utf-8"), path
