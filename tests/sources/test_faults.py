"""Inputs that today's libraries get wrong: each case has its right value or its named outcome here.

The first half reads the collected cases; the second half is our own inputs of the same kinds, so that a kind
is handled and not the sample.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sources.articles import Article, read_article
from sources.counts import read_count
from sources.feeds import Feed, read_feed
from sources.publication import publication
from sources.text import decode
from sources.times import Moment, read_time

SHANGHAI = "Asia/Shanghai"
FETCHED = datetime.fromisoformat("2026-11-30T10:00:00+08:00")
PARAGRAPH = (
    "岚渡市交通局发言人周四表示，渡轮停航期间将开通免费快线，首批投入十六辆车，票价另行公布。"
)


def cases(group: str) -> list[Any]:
    """Parameters of one group of `faults/cases.json`; one visible skip without test data."""
    folder = Path(os.environ.get("FACTORY_TESTDATA", ""), "data", "faults")
    if not os.environ.get("FACTORY_TESTDATA") or not folder.is_dir():
        skipped = pytest.mark.skip(
            reason="FACTORY_TESTDATA is not set: the fault cases are skipped"
        )
        return [pytest.param({}, marks=skipped, id=f"{group}-without-test-data")]
    rows = json.loads((folder / "cases.json").read_text(encoding="utf-8"))[group]
    return [
        pytest.param(row, id=str(row.get("file") or f"{row.get('field', group)}-{row['input']}"))
        for row in rows
    ]


def moment(raw: object, fetched: datetime = FETCHED, zone: str = SHANGHAI) -> Moment:
    return read_time(raw, fetched_at=fetched, zone=zone)


def local(found: Moment, zone: str = SHANGHAI) -> str:
    return found.at.astimezone(ZoneInfo(zone)).isoformat() if found.at else ""


def article(data: bytes) -> Article:
    return read_article(data, url="", content_type="", fetched_at=FETCHED, zone=SHANGHAI)


def published(html: str) -> Moment:
    return publication(html, url="", fetched_at=FETCHED, zone=SHANGHAI)[0]


def page(body: str, head: str = "") -> str:
    return f"<html><head><title>渡轮停航</title>{head}</head><body>{body}</body></html>"


def prose(times: int = 6) -> str:
    return f"<p>{PARAGRAPH}</p>" * times


# -- the collected cases ----------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("feed_dates"))
def test_feed_dates(case: dict[str, Any]) -> None:
    found = moment(case["input"])
    if case["expected"].startswith("relative"):
        assert found.tz_source == "relative"
        assert local(found) == "2026-11-30T07:00:00+08:00"
        return
    assert found.at == datetime.fromisoformat(case["expected"].split()[0])


@pytest.mark.parametrize("case", cases("relative_dates"))
def test_relative_dates(case: dict[str, Any]) -> None:
    found = moment(case["input"], fetched=datetime.fromisoformat(case["relative_base"]))
    wanted = case["expected"].split()[0].removesuffix("+08:00")
    assert local(found).startswith(wanted)
    assert (found.precision == "day") == ("T" not in wanted)


@pytest.mark.parametrize("case", cases("html_dates"))
def test_page_dates(case: dict[str, Any], testdata: Path) -> None:
    found = published(decode((testdata / "data/faults" / case["file"]).read_bytes()).text)
    if case["expected"] is None:
        assert found.at is None
    elif case["expected"].startswith("ambiguous"):
        assert found.at is None
        assert "cannot be told apart" in found.note
    else:
        assert local(found).startswith(case["expected"])


@pytest.mark.parametrize("case", cases("extraction"))
def test_extraction(case: dict[str, Any], testdata: Path) -> None:
    found = article((testdata / "data/faults" / case["file"]).read_bytes())
    outcomes = {
        "reject: consent wall": ("blocked", "consent"),
        "reject: bot wall": ("blocked", "bot"),
        "reject: login wall": ("blocked", "login"),
        "must be flagged as mojibake": ("decode_error", "garbled"),
    }
    if case["expected"] in outcomes:
        outcome, why = outcomes[case["expected"]]
        assert (found.outcome, found.text) == (outcome, "")
        assert why in found.note
        return
    assert found.outcome == "ok"
    assert "\ufffd" not in found.text
    assert "将继续就相关议题与各方保持沟通" in found.text
    if "镕" in case["expected"]:
        assert "镕堃喆" in found.text
    if "5 paragraphs" in case["expected"]:
        assert len(found.text.splitlines()) == 5


@pytest.mark.parametrize("case", cases("feeds"))
def test_feeds(case: dict[str, Any], testdata: Path) -> None:
    found = read_feed((testdata / "data/faults" / case["file"]).read_bytes())
    if case["expected"].startswith("error"):
        outcome = {"error: not a feed": "not_a_feed", "error: empty": "empty"}[case["expected"]]
        assert (found.outcome, found.entries) == (outcome, ())
        assert found.note
    elif case["expected"].startswith("one item"):
        (entry,) = found.entries
        assert entry.native_id == "http://e.com/a?id=1"
        assert moment(entry.published_raw).at is None
    else:
        assert [entry.title for entry in found.entries] == [case["expected"]]


@pytest.mark.parametrize("case", cases("social_values"))
def test_social_values(case: dict[str, Any]) -> None:
    if case["field"] == "count":
        assert read_count(case["input"]) == case["expected"]
    elif case["expected"].startswith("lossy"):
        found = moment(case["input"])
        assert found.at is None
        assert "lost its digits" in found.note
    else:
        wanted = case["expected"].split(" (")[0].replace(" ", "T") + "+08:00"
        assert local(moment(case["input"])) == wanted


# -- the same kinds, our own inputs -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2019/11/02 07:08:09", "2019-11-02T07:08:09+08:00"),
        ("2019年11月2日 07:08", "2019-11-02T07:08:00+08:00"),
        ("2019.11.02 07:08", "2019-11-02T07:08:00+08:00"),
        ("Sat, 02 Nov 2019 07:08:09 CST", "2019-11-02T07:08:09+08:00"),
        ("Sat, 02 Nov 2019 07:08:09 GMT+8", "2019-11-02T07:08:09+08:00"),
        ("Sat, 02 Nov 2019 07:08:09 UTC+08:00", "2019-11-02T07:08:09+08:00"),
        ("Sa, 02 Nov 2019 07:08:09 +0100", "2019-11-02T14:08:09+08:00"),
        ("sam., 02 Nov 2019 07:08:09 +0100", "2019-11-02T14:08:09+08:00"),
        ("週六, 02 Nov 2019 07:08:09 +0800", "2019-11-02T07:08:09+08:00"),
        ("2019-11-02T24:00:00+08:00", "2019-11-03T00:00:00+08:00"),
        ("Saturday, November 2, 2019 7:08 PM", "2019-11-02T19:08:00+08:00"),
        ("1572649689", "2019-11-02T07:08:09+08:00"),
        ("1572649689000", "2019-11-02T07:08:09+08:00"),
        ("1572649689000000", "2019-11-02T07:08:09+08:00"),
        ("20191102070809", "2019-11-02T07:08:09+08:00"),
        ("201911020708", "2019-11-02T07:08:00+08:00"),
    ],
)
def test_feed_dates_of_each_kind(raw: str, expected: str) -> None:
    assert local(moment(raw)) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (page(prose() + "<footer>Copyright © 2011-2024 岚渡早报</footer>"), ""),
        (page("<span>2小时前</span>" + prose() + "<p>© 2018</p>"), ""),
        (page("<p>2010年6月1日，渡轮曾经停航。</p>" + prose()), ""),
        (page("<div>民國一百一十五年三月五日</div>" + prose()), "2026-03-05"),
        (page("<div>中华民国115年03月05日</div>" + prose()), "2026-03-05"),
        (page("<div>二〇二五年十二月三十一日</div>" + prose()), "2025-12-31"),
        (page("<div>2026年03月05日08:30　来源：岚渡早报</div>" + prose()), "2026-03-05T08:30"),
        (page("<div>04/07/2026</div>" + prose()), ""),
        (page("<div>25/07/2026</div>" + prose()), "2026-07-25"),
        (page("<div>1988-07-25</div>" + prose()), "1988-07-25"),
        (
            page(
                prose(),
                '<meta property="article:modified_time" content="2026-06-01T08:00:00+08:00">'
                '<meta property="article:published_time" content="2026-03-05T08:30:00+08:00">',
            ),
            "2026-03-05T08:30",
        ),
        (
            page(
                prose()
                + '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":1772670600000,'
                '"dateModified":"2026-06-01"}</script>'
            ),
            "2026-03-05T08:30",
        ),
        (page(prose(), '<meta name="publishdate" content="1772670600">'), "2026-03-05T08:30"),
    ],
)
def test_page_dates_of_each_kind(html: str, expected: str) -> None:
    found = local(published(html))
    assert found.startswith(expected) if expected else not found


@pytest.mark.parametrize(
    ("data", "outcome", "why"),
    [
        (page(prose(2)).encode("utf-8").decode("cp1252", "ignore").encode(), "decode_error", "garbled"),
        (page(prose(2)).encode("utf-8").decode("gb18030", "ignore").encode(), "decode_error", "garbled"),
        (page("我们和 812 个合作伙伴会存储和访问设备上的信息").encode(), "blocked", "consent"),
        (page("<h1>We value your privacy</h1><p>Accept all cookies</p>").encode(), "blocked", "consent"),
        (page("<p>Checking your browser before accessing e.com</p>").encode(), "blocked", "bot"),
        (page("<p>请完成安全验证后继续访问</p>").encode(), "blocked", "bot"),
        (page("<p>请先登录，登录后查看全文</p>").encode(), "blocked", "login"),
        (page("<p>Sign in to continue reading</p>").encode(), "blocked", "login"),
        (page("<p>抱歉，您访问的页面不存在</p>").encode(), "soft404", "gone"),
        (page("<div id=app></div><script>" + "x();" * 900 + "</script>").encode(), "needs_js", "scripts"),
        (b" \n", "empty", "empty"),
    ],
)  # fmt: skip
def test_pages_without_an_article_of_each_kind(data: bytes, outcome: str, why: str) -> None:
    found = article(data)
    assert (found.outcome, found.text) == (outcome, "")
    assert why in found.note


@pytest.mark.parametrize("element", ["aside", "div", "section", "main"])
@pytest.mark.parametrize("codec", ["gb18030", "utf-8", "big5hkscs"])
@pytest.mark.parametrize("declared", ["gb2312", "gbk", "utf-8", "big5"])
def test_an_article_is_read_in_any_element_and_any_declared_encoding(
    element: str, codec: str, declared: str
) -> None:
    words = "香港特別行政區政府發言人表示，市民的意見已經收到，將會在適當時候公布安排，請耐心等候。"
    body = "".join(f"<p>{words}（{number}）</p>" for number in range(5))
    html = page(f"<{element}>{body}</{element}>", f'<meta charset="{declared}">')
    html = html.replace("渡轮停航", "渡輪停航")
    found = article(html.encode(codec))
    assert found.outcome == "ok"
    assert len(found.text.splitlines()) == 5
    assert found.text.splitlines()[0] == f"{words}（0）"


def feed(items: str, head: str = '<?xml version="1.0" encoding="utf-8"?>') -> bytes:
    return f"{head}<rss version='2.0'><channel><title>T</title>{items}</channel></rss>".encode()


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \r\n", "empty"),
        (b"<!doctype html><html><body><h1>Just a moment...</h1></body></html>", "not_a_feed"),
        (b'{"items": []}', "not_a_feed"),
        (b"Please limit requests to one every 5 seconds", "not_a_feed"),
        (feed(""), "empty"),
    ],
)
def test_what_is_no_feed_has_a_name(data: bytes, outcome: str) -> None:
    found = read_feed(data)
    assert (found.outcome, found.entries) == (outcome, ())
    assert found.note


def test_entries_without_a_guid_are_one_when_their_links_differ_in_tracking_only() -> None:
    links = ("http://e.com/a?utm_source=x&amp;id=1", "http://e.com/a?id=1&amp;utm_medium=y")
    found: Feed = read_feed(
        feed("".join(f"<item><title>a</title><link>{link}</link></item>" for link in links))
    )
    assert [entry.native_id for entry in found.entries] == ["http://e.com/a?id=1"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Q&amp;amp;A", "Q&A"),
        ("&amp;lt;b&amp;gt;bold", "<b>bold"),
        ("it&amp;#39;s", "it's"),
        ("AT&amp;T", "AT&T"),
        ("渡轮 &amp;ldquo;停航&amp;rdquo;", "渡轮 “停航”"),
    ],
)
def test_titles_that_were_escaped_twice_are_words(written: str, read: str) -> None:
    (entry,) = read_feed(
        feed(f"<item><title>{written}</title><link>http://e.com/1</link></item>")
    ).entries
    assert entry.title == read


@pytest.mark.parametrize(
    ("raw", "count"),
    [("3.4万", 34000), ("10万+", 100000), ("赞", 0), ("Like", 0), ("", 0), ("None", 0), (None, 0), ("7.5K", 7500),
     ("1.02億", 102000000), ("2W", 20000), ("1,234", 1234), ("1.2E+5", None)],
)  # fmt: skip
def test_counts_of_each_kind(raw: str | None, count: int | None) -> None:
    assert read_count(raw) == count
