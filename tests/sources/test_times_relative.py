"""Times told by the moment of fetching: every part of a duration counts, and a name is no date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.times import Moment, read_time

SHANGHAI = "Asia/Shanghai"
FETCHED = datetime.fromisoformat("2026-03-05T12:00:00+08:00")
"""A Thursday."""
COUNT = st.integers(1, 99)


def read(raw: str, zone: str = SHANGHAI, fetched: datetime = FETCHED) -> Moment:
    return read_time(raw, fetched_at=fetched, zone=zone)


def at(raw: str, zone: str = SHANGHAI) -> str | None:
    moment = read(raw, zone)
    return moment.at.astimezone(ZoneInfo(zone)).isoformat()[:16] if moment.at else None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("1 day 2 hours ago", "2026-03-04T10:00"), ("1天2小时前", "2026-03-04T10:00"),
        ("3小时5分钟前", "2026-03-05T08:55"), ("1小时30分钟前", "2026-03-05T10:30"),
        ("3小时零5分钟前", "2026-03-05T08:55"), ("1 hour, 30 minutes ago", "2026-03-05T10:30"),
        ("3 days and 4 hours ago", "2026-03-02T08:00"), ("2h30m ago", "2026-03-05T09:30"),
        ("1.5小时前", "2026-03-05T10:30"), ("1.5 hours ago", "2026-03-05T10:30"),
        ("半小时前", "2026-03-05T11:30"), ("半个小时前", "2026-03-05T11:30"), ("两个半小时前", "2026-03-05T09:30"),
        ("3小时半前", "2026-03-05T08:30"), ("an hour and a half ago", "2026-03-05T10:30"),
        ("2 and a half hours ago", "2026-03-05T09:30"), ("half an hour ago", "2026-03-05T11:30"),
        ("about 3 hours ago", "2026-03-05T09:00"), ("约3小时前", "2026-03-05T09:00"),
        ("1年2个月前", "2025-01-01T12:00"), ("1 year 2 months ago", "2025-01-01T12:00"),
        ("1个月5天前", "2026-01-31T12:00"), ("3天半前", "2026-03-02T12:00"),
        ("3d", "2026-03-02T12:00"), ("5h", "2026-03-05T07:00"), ("2w", "2026-02-01T12:00"), ("45m", "2026-03-05T11:15"),
        ("3 hrs", "2026-03-05T09:00"), ("10 mins", "2026-03-05T11:50"), ("1d 2h", "2026-03-04T10:00"),
        ("2w • Edited", "2026-02-01T12:00"), ("Reuters · 3 hours ago", "2026-03-05T09:00"),
        ("Posted by u/x 3 hours ago", "2026-03-05T09:00"), ("1小時前 · 已編輯", "2026-03-05T11:00"),
    ],
)  # fmt: skip
def test_all_parts_of_a_duration_are_summed(raw: str, expected: str) -> None:
    found = read(raw)
    assert at(raw) == expected
    assert found.tz_source == "relative"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("3天前 23:05", "2026-03-02T23:05"), ("3 days ago at 11:05 pm", "2026-03-02T23:05"),
        ("昨夜11点", "2026-03-04T23:00"), ("昨晚八点", "2026-03-04T20:00"), ("昨晚12点", "2026-03-05T00:00"),
        ("今早8点半", "2026-03-05T08:30"), ("前天 晚上9:30", "2026-03-03T21:30"), ("大前天 8:30", "2026-03-02T08:30"),
        ("昨天下午三点二十分", "2026-03-04T15:20"), ("昨天下午3点一刻", "2026-03-04T15:15"),
        ("昨天 12:30 上海", "2026-03-04T12:30"), ("昨天 12:30 来自 iPhone 15", "2026-03-04T12:30"),
        ("发布于 昨天 12:30 来源：岚渡早报", "2026-03-04T12:30"), ("昨天北京时间 12:30", "2026-03-04T12:30"),
        ("yesterday at 3 pm", "2026-03-04T15:00"), ("3 pm yesterday", "2026-03-04T15:00"), ("Today at 3:04 AM", "2026-03-05T03:04"),
        ("the day before yesterday at 5:30 pm", "2026-03-03T17:30"), ("Published: yesterday, 10:30am by Jane Doe", "2026-03-04T10:30"),
        ("上周五 12:30", "2026-02-27T12:30"), ("周五晚上8点", "2026-02-27T20:00"), ("last Friday at 3 pm", "2026-02-27T15:00"),
        ("昨天下午", "2026-03-04T12:00"), ("yesterday evening", "2026-03-04T12:00"), ("Sun", "2026-03-01T12:00"),
    ],
)  # fmt: skip
def test_a_named_day_keeps_its_clock(raw: str, expected: str) -> None:
    assert at(raw) == expected


def test_a_day_is_counted_in_the_zone_of_its_clock() -> None:
    """At the fetch it is still Wednesday evening in New York."""
    assert at("yesterday at 23:30 GMT") == "2026-03-05T07:30"
    assert at("Friday, 3:05 pm ET") == at("2026-02-27 15:05 EST")
    assert at("yesterday at 10 am ET") == at("2026-03-03 10:00 EST")


@pytest.mark.parametrize(
    "raw",
    [
        "The Sun", "周日报", "周末", "南方周末", "今日头条", "今日 头条", "USA Today", "Yesterday's News", "昨天的新闻", "The Sun, 5 pm",
        "Sun | Opinion", "周一 报道", "Now and Then", "3天前的旅行", "去年今日", "去年的今天", "明天", "tomorrow", "3月前", "5M", "2 days",
        "1 fortnight 2 hours ago", "30+ days ago", "2 hours 3 hours ago", "more than 3 hours ago", "超过3小时前", "3 hours ago · 5 min read",
        "1個多小時前", "十几分钟前", "a few minutes ago", "a couple of hours ago", "1年前", "半年前", "1 year ago", "去年", "3 days from now",
        "昨晚00:30", "深夜1点 昨天", "昨天 14:30 pm", "昨天凌晨15点",
    ],
)  # fmt: skip
def test_words_that_do_not_cover_the_stamp_or_do_not_tell_the_time_give_none(raw: str) -> None:
    found = read(raw)
    assert found.at is None
    assert found.note


@given(COUNT, st.integers(1, 23), st.integers(1, 59), st.sampled_from(["天", "日"]), st.data())
def test_a_compound_is_the_fetch_minus_its_sum(
    days: int, hours: int, minutes: int, day: str, data: st.DataObject
) -> None:
    gap = data.draw(st.sampled_from(["", " "]))
    zone = data.draw(st.sampled_from([SHANGHAI, "America/New_York", "Europe/London"]))
    chinese = read(f"{days}{day}{gap}{hours}小时{gap}{minutes}分钟前", zone)
    english = read(f"{days} days, {hours} hours and {minutes} minutes ago", zone)
    assert chinese == english
    assert chinese.at == FETCHED - timedelta(days=days, hours=hours, minutes=minutes)


@given(st.integers(1, 999), st.sampled_from(["hour", "minute"]))
def test_decimals_count(tenths: int, unit: str) -> None:
    found = read(f"{tenths / 10} {unit}s ago")
    assert found.at is not None
    wanted = FETCHED - timedelta(**{f"{unit}s": tenths / 10})
    assert abs(found.at - wanted) < timedelta(milliseconds=1)


@given(st.permutations([(1, "天"), (2, "小时"), (3, "分钟")]))
def test_parts_in_another_order_are_no_duration(parts: list[tuple[int, str]]) -> None:
    found = read("".join(f"{count}{unit}" for count, unit in parts) + "前")
    in_order = [unit for _, unit in parts] == ["天", "小时", "分钟"]
    assert (found.at is not None) == in_order


@given(st.integers(0, 23), st.integers(0, 59), st.integers(1, 60))
def test_a_clock_on_a_counted_day_is_read_back_in_every_form(
    hour: int, minute: int, back: int
) -> None:
    day = FETCHED.date() - timedelta(days=back)
    wanted = datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(SHANGHAI))
    half = f"{hour % 12 or 12}:{minute:02} {'am' if hour < 12 else 'pm'}"
    names = {1: ("昨天", "yesterday"), 2: ("前天", "the day before yesterday"), 3: ("大前天", "")}
    chinese, english = names.get(back, ("", ""))
    for raw in (f"{back}天前 {hour:02}:{minute:02}", f"{back} days ago at {half}", chinese and f"{chinese} {hour}:{minute:02}",
                english and f"{english} at {half}", english and f"{half} {english}"):  # fmt: skip
        if raw:
            assert read(raw).at == wanted.astimezone(UTC), raw


def test_hours_are_counted_across_a_change_of_the_clocks() -> None:
    """At 01:00 on 29 March 2026 London's clocks went to 02:00."""
    fetched = datetime(2026, 3, 29, 3, tzinfo=UTC)
    assert read("5 hours ago", "Europe/London", fetched).at == fetched - timedelta(hours=5)
