"""Pages and feeds: walls are not articles, dates are of publication, damage has a name."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.articles import Article, read_article
from sources.boilerplate import clean_lines
from sources.feeds import read_feed
from sources.pages import judge_page
from sources.publication import publication
from sources.text import decode
from tests.effort import grows_linearly

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
SHANGHAI = "Asia/Shanghai"


def article(data: bytes, url: str = "") -> Article:
    return read_article(data, url=url, content_type="", fetched_at=FETCHED, zone=SHANGHAI)


def day(data: bytes) -> str | None:
    moment, _ = publication(decode(data).text, url="", fetched_at=FETCHED, zone=SHANGHAI)
    return moment.at.astimezone(ZoneInfo(SHANGHAI)).date().isoformat() if moment.at else None


def gold(testdata: Path) -> list[tuple[Path, str]]:
    payloads = testdata / "data" / "payloads"
    rows = []
    for folder in ("trafilatura_zh", "htmldate"):
        values = json.loads((payloads / folder / "gold.json").read_text(encoding="utf-8"))
        rows += [(payloads / folder / row["file"], row["date"]) for row in values.values()]
    return rows


def test_publication_days_of_real_pages_match_their_gold(testdata: Path) -> None:
    rows = gold(testdata)
    assert len(rows) >= 5
    assert {path.name: day(path.read_bytes()) for path, _ in rows} == {
        path.name: date for path, date in rows
    }


@pytest.mark.parametrize(
    ("page", "name", "version", "zone"),
    [
        ("cn/People_2024_04_24", "cn/People", "V1", "Asia/Shanghai"),
        ("tw/TaipeiTimes_2024_10_15", "tw/TaipeiTimes", "V1", "Asia/Taipei"),
        ("uk/BBC_2024_08_01", "uk/BBC", "V1", "Europe/London"),
        ("uk/BBC_2026_04_25", "uk/BBC", "V2", "Europe/London"),
        ("uk/TheGuardian_2024_02_24", "uk/TheGuardian", "V1", "Europe/London"),
        ("us/APNews_2024_09_03", "us/APNews", "V1_1", "America/New_York"),
    ],
)
def test_publication_instants_of_real_pages_match_their_gold(
    testdata: Path, page: str, name: str, version: str, zone: str
) -> None:
    folder = testdata / "data" / "payloads" / "news_fundus"
    values = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))[version]
    with gzip.open(folder / f"{page}.html.gz") as packed:
        found = read_article(packed.read(), url="", content_type="", fetched_at=FETCHED, zone=zone)
    expected = datetime.fromisoformat(values["publishing_date"])
    assert found.moment.at is not None
    got = found.moment.at.astimezone(expected.tzinfo or ZoneInfo(zone))
    assert got.date() == expected.date()
    if found.moment.precision == "second":
        assert abs((got - expected).total_seconds()) < 60
    paragraphs = [
        words
        for section in values["body"]["sections"]
        for words in section["paragraphs"]
        if len(words) > 30
    ]
    seen = "".join(found.text.split())
    held = sum("".join(words.split())[:30] in seen for words in paragraphs)
    assert held >= 0.8 * len(paragraphs), "most paragraphs of the article are there"


@pytest.mark.parametrize(
    ("html", "outcome"),
    [
        ("<title>404 Not Found</title><h1>404</h1>", "soft404"),
        ("<title>x</title><body>该文章已被删除</body>", "soft404"),
        ("<title>Just a moment...</title><body>Enable JavaScript and cookies to continue</body>", "blocked"),
        ("<body>我们和我们的 1432 个合作伙伴会在您的设备上存储和访问信息，例如 Cookie</body>", "blocked"),
        ("<body>Please log in to continue</body>", "blocked"),
        ("<body><div id=root></div><script>window.__INITIAL_STATE__ = {'a': '" + "x" * 500 + "'}</script></body>", "needs_js"),
        ("<body></body>", "empty"),
        ("<body>" + "<p>The council said cookies and captchas were a page not found joke.</p>" * 30 + "</body>", "ok"),
    ],
)  # fmt: skip
def test_a_page_is_judged_before_it_is_read(html: str, outcome: str) -> None:
    assert judge_page(html).outcome == outcome


def test_lines_around_a_chinese_article_are_dropped_and_its_words_kept() -> None:
    text = (
        "首页 > 新闻 > 正文\n停航通知\n来源：蓝渡早报 作者：林一\n渡轮十二月一日起停航。\n市民说：“免责声明谁都会写。”\n"
        "扫描二维码下载客户端\n责任编辑：张迪\n免责声明：本文仅代表作者观点"
    )
    assert clean_lines(text, "停航通知") == "渡轮十二月一日起停航。\n市民说：“免责声明谁都会写。”"


def test_a_page_is_dated_against_its_fetch_and_not_the_machines_day() -> None:
    page = (
        '<html><body><div class="date">2058-03-05</div>' + "<p>The ferry is closed today.</p>" * 20
    )
    later = datetime(2058, 4, 1, tzinfo=UTC)
    moment, _ = publication(page, url="", fetched_at=later, zone=SHANGHAI)
    assert moment.at == datetime(2058, 3, 5, 4, tzinfo=UTC)
    moment, _ = publication(page, url="", fetched_at=FETCHED, zone=SHANGHAI)
    assert moment.at is None


def test_the_day_of_modification_is_never_the_day_of_publication() -> None:
    page = (
        '<html><head><meta property="article:modified_time" content="2026-05-01T00:00:00Z">'
        '<meta property="article:published_time" content="2026-03-05T23:30:00Z"></head>'
        "<body><article>"
        + "<p>Words of an article about the ferry.</p>" * 9
        + "</article></body></html>"
    )
    found = article(page.encode(), url="http://e.com/2026/03/06/x")
    assert found.moment.at == datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
    assert found.moment.precision == "second"


def test_feed_dates_are_as_written_and_never_the_updated_one() -> None:
    feed = read_feed(
        b"<rss version='2.0'><channel><title>T</title><item><title>a</title><link>http://e.com/1</link>"
        b"<pubDate>2016/6/29 15:07:41</pubDate></item><item><title>b</title><link>/2</link></item></channel></rss>",
        url="http://e.com/feed",
    )
    assert [entry.published_raw for entry in feed.entries] == ["2016/6/29 15:07:41", ""]
    assert feed.entries[1].link == "http://e.com/2"


@settings(max_examples=60)
@given(st.binary(max_size=300), st.integers(0, 500))
def test_damaged_feeds_and_pages_never_crash(noise: bytes, where: int) -> None:
    whole = (
        b"<rss><channel><item><title>x</title><pubDate>2026-03-05</pubDate></item></channel></rss>"
    )
    read_feed(whole[: where % len(whole)] + noise + whole[where % len(whole) :])
    judge_page(decode(b"<html><body>" + noise).text)


@pytest.mark.parametrize(
    "unit",
    [
        "<script>",
        "<script type=application/ld+json>",
        "<span property=",
        "<title>",
        "<!--",
        "<link rel=canonical ",
        "<div>",
        "&#",
    ],
)
def test_hostile_markup_takes_no_more_than_linear_time(unit: str) -> None:
    def read(length: int) -> None:
        page = unit * (length // len(unit))
        judge_page(page)
        publication(page[: length * 3 // 20], url="", fetched_at=FETCHED, zone=SHANGHAI)

    assert grows_linearly(read, 400_000)
