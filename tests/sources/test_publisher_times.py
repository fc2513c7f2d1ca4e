"""Whose zone a time without one is in: named for the import, by the publisher's country, by its language, the event's."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from factory.importing import import_report
from factory.settings import Settings
from sources.articles import read_article
from sources.base import SourceContext
from sources.feeds import read_feed
from sources.rss import entry_time
from sources.zones import publisher_zone

FETCHED = datetime(2026, 3, 6, tzinfo=UTC)
PARAGRAPH = "岚渡市政府发言人表示，渡轮将于下周恢复开行，市民可以改乘巴士前往对岸，票价不变。"
ENGLISH = "The ferry company said that the boats will run again next week, and that the fares stay as they were. "


def feed(date: str, title: str = "渡轮停航", language: str = "") -> bytes:
    declared = f"<language>{language}</language>" if language else ""
    return (
        f"<rss version='2.0'><channel><title>T</title>{declared}<item><title>{title}</title><guid>1</guid>"
        f"<pubDate>{date}</pubDate></item></channel></rss>"
    ).encode()


def published(data: bytes, url: str, zone: str = "UTC", *, named: bool = False) -> str:
    context = SourceContext(fetched_at=FETCHED, zone=zone, salt="s", zone_named=named)
    (entry,) = read_feed(data).entries
    at = entry_time(entry, url, context).at
    return at.isoformat()[:16] if at else ""


@pytest.mark.parametrize(
    "data",
    [
        feed("Thu, 05 Mar 2026 08:30:00 CST", language="zh-cn"),
        feed("Thu, 05 Mar 2026 08:30:00 CST", language="en-us"),
        feed("Thu, 05 Mar 2026 08:30:00 CST", "Ferries stop for the day", "zh-Hans"),
        feed("2026-03-05 08:30:00"),
        feed("Thu, 05 Mar 2026 00:30:00 GMT"),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "America/Chicago", "Asia/Taipei"])
def test_a_chinese_feed_without_a_country_domain_writes_beijing_time(
    data: bytes, zone: str
) -> None:
    assert published(data, "https://news.ifeng.com/rss", zone) == "2026-03-05T00:30"


def test_an_english_feed_keeps_the_zone_of_the_event() -> None:
    data = feed("Thu, 05 Mar 2026 08:30:00 CST", "The ferries stop for the day", "en-us")
    assert published(data, "https://news.example.com/rss", "America/Chicago") == "2026-03-05T14:30"
    assert published(data, "https://news.example.com/rss") == "2026-03-05T14:30"
    assert published(data, "https://news.example.com/rss", "Asia/Shanghai") == "2026-03-05T00:30"


def test_a_zone_that_was_named_for_the_times_beats_address_and_language() -> None:
    data = feed("2026-03-05 08:30:00", language="zh")
    assert published(data, "https://a.com.cn/rss", "UTC", named=True) == "2026-03-05T08:30"
    assert published(data, "https://a.com/rss", "America/Chicago", named=True) == "2026-03-05T14:30"


def test_the_country_comes_before_the_language_and_zones_of_beijings_clocks_stay() -> None:
    assert publisher_zone("https://a.jp/x", "UTC", "zh") == "Asia/Tokyo"
    assert publisher_zone("https://a.com/x", "Asia/Taipei", "zh") == "Asia/Taipei"
    assert publisher_zone("", "UTC", "zh") == "Asia/Shanghai"
    assert publisher_zone("", "Europe/Paris", "en") == "Europe/Paris"


@pytest.mark.parametrize(
    ("words", "named", "hour"), [(PARAGRAPH, False, 0), (ENGLISH, False, 8), (PARAGRAPH, True, 8)]
)
def test_a_page_is_in_the_zone_of_its_language(words: str, named: bool, hour: int) -> None:
    html = f"<html><head><meta property='article:published_time' content='2026-03-05 08:30'></head><body>{f'<p>{words}</p>' * 6}</body></html>"
    found = read_article(
        html.encode(),
        url="https://a.com/x",
        content_type="",
        fetched_at=FETCHED,
        zone="UTC",
        named=named,
    )
    assert found.moment.at == datetime(2026, 3, 5, hour, 30, tzinfo=UTC)


TIEBA = {"note_id": "1", "tieba_name": "岚渡", "title": "渡轮停航", "desc": "渡轮停航了，旅客改乘巴士。", "publish_time": "2026-03-05 08:30:00", "total_replay_num": 1}  # fmt: skip
ARTICLE = {"url": "https://a.com/x", "title": "渡轮停航", "content": PARAGRAPH, "date": "2026-03-05 08:30:00"}  # fmt: skip
ROW = {"id": "1", "text": PARAGRAPH, "published": "2026-03-05 08:30:00"}


@pytest.mark.parametrize(
    ("format_", "row"), [("mediacrawler", TIEBA), ("articles", ARTICLE), ("table", ROW)]
)
def test_imported_chinese_times_are_beijings_unless_a_zone_is_given(
    format_: str, row: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "search_contents_2026-03-05.json"
    path.write_text(json.dumps([row], ensure_ascii=False), encoding="utf-8")

    def hour(zone: str | None) -> int:
        (item,) = import_report(path, Settings(), format_=format_, zone=zone).items
        assert item.published_at is not None
        assert item.tz_source == "assumed"
        return item.published_at.hour

    assert hour(None) == 0
    assert hour("UTC") == 8
    assert hour("America/Chicago") == 14
