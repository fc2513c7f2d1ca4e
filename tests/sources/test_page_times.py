"""A date that a page shows is read with its half of the day and its zone, and with nothing else of its line."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.publication import publication
from sources.stamps import shown_time
from sources.times import Moment, day_of, read_time
from tests.sources.test_publication import page

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
SHANGHAI, NEW_YORK, LONDON, TAIPEI = "Asia/Shanghai", "America/New_York", "Europe/London", "Asia/Taipei"  # fmt: skip


def shown(line: str, zone: str, language: str = "en") -> Moment:
    html = page(f'<div class="date">{line}</div>', language=language)
    return publication(html, url="", fetched_at=FETCHED, zone=zone)[0]


def utc(moment: Moment) -> str:
    return moment.at.isoformat()[:16] if moment.at else ""


@pytest.mark.parametrize(
    ("line", "zone", "expected"),
    [
        ("2026/3/5 8:30 PM", NEW_YORK, "2026-03-06T01:30"), ("2026-03-05 08:30 p.m.", NEW_YORK, "2026-03-06T01:30"),
        ("2026-03-05 8:30 下午", SHANGHAI, "2026-03-05T12:30"), ("2026/03/05 下午 08:30", TAIPEI, "2026-03-05T12:30"),
        ("2026/03/05 PM 08:30", TAIPEI, "2026-03-05T12:30"), ("2026年3月5日 下午8时30分", SHANGHAI, "2026-03-05T12:30"),
        ("2026年3月5日 星期四 晚上8点半", SHANGHAI, "2026-03-05T12:30"), ("2026年3月5日20时30分", SHANGHAI, "2026-03-05T12:30"),
        ("二〇二六年三月五日 下午八点", SHANGHAI, "2026-03-05T12:00"), ("民國115年3月5日 下午 8:30", TAIPEI, "2026-03-05T12:30"),
        ("2026-03-05 20:30 UTC", NEW_YORK, "2026-03-05T20:30"), ("2026-03-05T20:30:00Z", NEW_YORK, "2026-03-05T20:30"),
        ("2026-03-05T20:30:00.125Z", NEW_YORK, "2026-03-05T20:30"), ("2026-03-05 20:30 +0000", NEW_YORK, "2026-03-05T20:30"),
        ("2026-03-05T20:30:00+01:00", NEW_YORK, "2026-03-05T19:30"), ("2026-03-05 20:30+08", NEW_YORK, "2026-03-05T12:30"),
        ("2026-03-05 20:30 GMT", TAIPEI, "2026-03-05T20:30"), ("2026-03-05 20:30 (GMT+8)", NEW_YORK, "2026-03-05T12:30"),
        ("2026-03-05 20:30（北京时间）", LONDON, "2026-03-05T12:30"), ("2026-03-05 20:30 北京时间", LONDON, "2026-03-05T12:30"),
        ("美东时间2026年3月5日 20:30", SHANGHAI, "2026-03-06T01:30"), ("2026年3月5日 美东时间 20:30", SHANGHAI, "2026-03-06T01:30"),
        ("2026-03-05 8:30 PM ET", LONDON, "2026-03-06T01:30"), ("2026-03-05 20:30 Europe/Paris", LONDON, "2026-03-05T19:30"),
        ("March 5, 2026 8:30 PM", NEW_YORK, "2026-03-06T01:30"), ("Published: Thu, Mar 5, 2026 at 8:30 p.m. EST", LONDON, "2026-03-06T01:30"),
        ("5 March 2026, 20:30 GMT", TAIPEI, "2026-03-05T20:30"), ("MARCH 5, 2026 – 8:30PM PST", LONDON, "2026-03-06T04:30"),
        ("25.12.2025 20:30", "Europe/Berlin", "2025-12-25T19:30"), ("20:30, 5 March 2026", LONDON, "2026-03-05T20:30"),
        ("Published 8:30 PM EST, Thu, March 5, 2026", LONDON, "2026-03-06T01:30"),
        ("March 5, 2026 / 8:30 PM EST / Harbour News", LONDON, "2026-03-06T01:30"), ("2026. 3. 5. 오후 8:30", "Asia/Seoul", "2026-03-05T11:30"),
        ("2026-03-05</span> <span>8:30</span> <span>PM", NEW_YORK, "2026-03-06T01:30"),
        ("2026-03-05</div><div>20:30 UTC", NEW_YORK, "2026-03-05T20:30"),
    ],
)  # fmt: skip
def test_a_shown_time_is_read_to_its_end(line: str, zone: str, expected: str) -> None:
    found = shown(line, zone, "zh" if zone in (SHANGHAI, TAIPEI) else "en")
    assert utc(found) == expected
    assert found.precision in ("minute", "second")


OTHER_WORDS = [
    "By Jane Doe", "by Amy Pm", "1234 views", "12 comments", "- 12 comments", "+12", "| 5 min read", "阅读 1234", "12评论",
    "来源：岚渡早报", "来源: CCTV", "岚渡早报", "BBC News", "CGTN", "AT&amp;T", "下午茶 专栏", "早上好", "晚报 记者", "Local Time", "当地时间",
    "Reuters, London", "MSNBC", "(Thursday)", "· Harbour Ledger", "责任编辑：王五", "字号", "#UTC", "/ GMT news", "A. M. Doe",
]  # fmt: skip


@pytest.mark.parametrize("behind", OTHER_WORDS)
@pytest.mark.parametrize("day", ["2026-03-05", "2026年3月5日", "March 5, 2026"])
def test_other_words_in_the_line_neither_spoil_a_time_nor_are_read_into_it(
    behind: str, day: str
) -> None:
    found = shown(f"{day} 08:30 {behind}", NEW_YORK)
    assert (utc(found), found.precision) == ("2026-03-05T13:30", "minute")
    assert found.tz_source == "assumed"


@pytest.mark.parametrize(
    "rest",
    ["20:30 XYT", "20:30 Lagos Time", "20:30 +25:00", "15:30 AM", "20:30 MET Office", "20:30 ICT department", "8:30 夜间",
     "10:00 - 12:00", "25:61"],
)  # fmt: skip
@pytest.mark.parametrize("day", ["2026-03-05", "2026年3月5日", "March 5, 2026"])
def test_of_a_time_whose_end_is_not_understood_the_day_is_left(rest: str, day: str) -> None:
    found = shown(f"{day} {rest}", SHANGHAI)
    assert (str(day_of(found, SHANGHAI)), found.precision) == ("2026-03-05", "day")


@pytest.mark.parametrize(
    "line",
    [
        "The ferry sank on March 5, 2026 at 8:30 PM.", "Open until March 5, 2026 8:30 PM", "When: March 5, 2026 8:30 PM",
        "It was seen on March 5, 2026 8:30 PM", "3:45 March 5, 2026", "March 5, 2026 | 3:45", "12:30 March 5, 2026",
    ],
)  # fmt: skip
def test_a_time_in_a_sentence_or_of_something_else_is_not_that_of_the_page(line: str) -> None:
    html = page(f'<div class="date">March 5, 2026</div><div>{line}</div>')
    found = publication(html, url="", fetched_at=FETCHED, zone=NEW_YORK)[0]
    assert (str(day_of(found, NEW_YORK)), found.precision) == ("2026-03-05", "day")


WAYS = {
    "iso": lambda w: f"{w:%Y-%m-%d %H:%M}",
    "Chinese": lambda w: f"{w.year}年{w.month}月{w.day}日 {'下午' if w.hour >= 12 else '上午'}{w.hour % 12 or 12}:{w:%M}",
    "American": lambda w: f"{w:%B} {w.day}, {w.year} {w:%I:%M %p}",
    "half behind": lambda w: f"{w:%Y/%m/%d %I:%M} {'下午' if w.hour >= 12 else '上午'}",
}  # fmt: skip


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2026, 11, 28)),  # noqa: DTZ001
    st.sampled_from(sorted(WAYS)),
    st.sampled_from(["", " UTC", " +0000", " (GMT+0)", " +0530", " EST"]),
    st.sampled_from(["", " By Jane Doe", " 来源：岚渡早报", " | 12 comments"]),
)
def test_a_line_is_read_as_its_stamp_alone_is(
    when: datetime, way: str, zone: str, other: str
) -> None:
    stamp = WAYS[way](when) + zone
    line = stamp + other
    date = WAYS[way](when).rsplit(" ", 2 if way in ("American", "half behind") else 1)[0]
    found = shown_time(line, 0, len(date))
    assert found is not None
    assert read_time(found, fetched_at=FETCHED, zone=SHANGHAI) == read_time(
        stamp, fetched_at=FETCHED, zone=SHANGHAI
    )


@pytest.mark.parametrize("unit", ["2026-03-05 8:30 ", "March 5, 2026 ", "8:30 PM ", "UTC ", "（", "2026年3月5日下午", "\n", " - "])  # fmt: skip
def test_hostile_lines_take_no_more_than_linear_time(unit: str) -> None:
    html = page(f"<div>{unit * (200_000 // len(unit))}</div>")
    started = time.process_time()
    publication(html, url="", fetched_at=FETCHED, zone=SHANGHAI)
    assert time.process_time() - started < 5
