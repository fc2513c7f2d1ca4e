"""Publication times: every shape that sources write, and nothing from the machine's clock or zone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.times import Moment, day_of, read_time
from sources.zones import publisher_zone

SHANGHAI = "Asia/Shanghai"
FETCHED = datetime.fromisoformat("2026-11-30T10:00:00+08:00")
WHEN = st.datetimes(datetime(1990, 1, 1), datetime(2026, 11, 1))  # noqa: DTZ001
ROOT = Path(__file__).resolve().parents[2]


def at(raw: object, zone: str = SHANGHAI, fetched: datetime = FETCHED) -> str | None:
    moment = read_time(raw, fetched_at=fetched, zone=zone)
    return moment.at.astimezone(ZoneInfo(zone)).isoformat() if moment.at else None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2026-03-05T08:30:00Z", "2026-03-05T16:30:00+08:00"),
        ("2026-03-05T08:30:00.123-05:00", "2026-03-05T21:30:00+08:00"),
        ("2026-03-05 08:30:00", "2026-03-05T08:30:00+08:00"),
        ("2026-03-05T24:00:00", "2026-03-06T00:00:00+08:00"),
        ("Thu, 05 Mar 2026 08:30:00 GMT", "2026-03-05T16:30:00+08:00"),
        ("Thu, 05 Mar 2026 08:30:00 -0000", "2026-03-05T16:30:00+08:00"),
        ("Sun, 05 Mar 26 08:30 EST", "2026-03-05T21:30:00+08:00"),
        ("Sun, 05 Mar 2026 08:30:00 MEST", "2026-03-05T14:30:00+08:00"),
        ("Thu Mar 05 08:30:00 +0800 2026", "2026-03-05T08:30:00+08:00"),
        ("March 5, 2026, 8:30 PM", "2026-03-05T20:30:00+08:00"),
        ("12:15 a.m. 5 March 2026", "2026-03-05T00:15:00+08:00"),
        ("2026年03月05日08:30", "2026-03-05T08:30:00+08:00"),
        ("2026年3月5日 下午3点半", "2026-03-05T15:30:00+08:00"),
        ("2026/3/5 8:30:07", "2026-03-05T08:30:07+08:00"),
        ("民国115年3月5日", "2026-03-05T12:00:00+08:00"),
        ("中華民國一百一十五年三月五日", "2026-03-05T12:00:00+08:00"),
        ("二〇二六年三月五日", "2026-03-05T12:00:00+08:00"),
        ("25/12/2025", "2025-12-25T12:00:00+08:00"),
        (1772670600, "2026-03-05T08:30:00+08:00"),
        (1772670600.0, "2026-03-05T08:30:00+08:00"),
        ("1772670600000", "2026-03-05T08:30:00+08:00"),
        (1772670600000000, "2026-03-05T08:30:00+08:00"),
        ("20260305", "2026-03-05T12:00:00+08:00"),
        ("20260831T120000Z", "2026-08-31T20:00:00+08:00"),
        ("发布于 2026-03-05 08:30 来源：新华网", "2026-03-05T08:30:00+08:00"),
        ("an hour ago", "2026-11-30T09:00:00+08:00"),
        ("2h ago", "2026-11-30T08:00:00+08:00"),
        ("yesterday at 12:30", "2026-11-29T12:30:00+08:00"),
        ("刚刚", "2026-11-30T10:00:00+08:00"),
        ("半小时前", "2026-11-30T09:30:00+08:00"),
        ("1个半小时前", "2026-11-30T08:30:00+08:00"),
        ("三天前", "2026-11-27T12:00:00+08:00"),
        ("12-25", "2025-12-25T12:00:00+08:00"),
    ],
)
def test_known_shapes(raw: object, expected: str) -> None:
    assert at(raw) == expected


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("03/05/2026", "cannot be told apart"),
        ("1.77267E+12", "lost its digits"),
        ("2026-13-45", "no such date"),
        ("2026-02-30", "no such date"),
        ("2027-05-01", "later than its fetch"),
        ("一年前", "only to the year"),
        ("几天前", "uncounted"),
        ("hello", "not a date"),
        ("", "no date"),
        (None, "no date"),
        (7123456789012345678, "not a date"),
        (float("nan"), "not a date"),
    ],
)
def test_what_cannot_be_told_is_not_guessed(raw: object, why: str) -> None:
    moment = read_time(raw, fetched_at=FETCHED, zone=SHANGHAI)
    assert moment.at is None
    assert why in moment.note


def test_precision_says_how_much_is_known() -> None:
    def precision(raw: str) -> str:
        return read_time(raw, fetched_at=FETCHED, zone=SHANGHAI).precision

    assert precision("2026-03-05 08:30:01") == "second"
    assert precision("2026-03-05 08:30") == "minute"
    assert precision("2026-03-05") == "day"
    assert precision("2026年3月") == "month"
    assert precision("March 2026") == "month"
    assert precision("两个月前") == "month"


def test_an_item_known_to_the_month_has_no_day() -> None:
    moment = read_time("2026年3月", fetched_at=FETCHED, zone=SHANGHAI)
    assert moment.at is not None
    assert day_of(moment, SHANGHAI) is None
    assert day_of(Moment(), SHANGHAI) is None


def test_cst_is_chinas_or_americas_by_the_publisher() -> None:
    raw = "Thu, 05 Mar 2026 08:30:00 CST"
    assert at(raw) == "2026-03-05T08:30:00+08:00"
    assert at(raw, "America/Chicago") == "2026-03-05T08:30:00-06:00"
    assert at(raw, "Europe/Paris") == "2026-03-05T15:30:00+01:00"


@given(WHEN, st.sampled_from([1, 1000, 1_000_000]))
def test_epochs_are_read_in_any_unit(when: datetime, unit: int) -> None:
    when = when.replace(microsecond=0, tzinfo=UTC)
    raw = int(when.timestamp()) * unit
    assert read_time(raw, fetched_at=FETCHED, zone="UTC").at == when


def hanzi(number: int) -> str:
    """A number below one hundred as Chinese dates write it: 三十一."""
    tens, ones = divmod(number, 10)
    digits = "零一二三四五六七八九"
    if not tens:
        return digits[ones]
    return ("" if tens == 1 else digits[tens]) + "十" + (digits[ones] if ones else "")


def spelled(year: int) -> str:
    return "".join("〇一二三四五六七八九"[int(digit)] for digit in str(year))


SECOND_SHAPES: dict[str, Callable[[datetime], str]] = {
    "iso": lambda w: w.isoformat(),
    "iso with a blank": lambda w: w.strftime("%Y-%m-%d %H:%M:%S+00:00"),
    "iso Z": lambda w: w.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    "rfc 822": lambda w: w.strftime("%a, %d %b %Y %H:%M:%S GMT"),
    "rfc 822, localized weekday": lambda w: "Mo, " + w.strftime("%d %b %Y %H:%M:%S +0000"),
    "asctime with an offset": lambda w: w.strftime("%a %b %d %H:%M:%S +0000 %Y"),
    "JavaScript": lambda w: w.strftime("%a %b %d %Y %H:%M:%S GMT+0000 (UTC)"),
    "slashes": lambda w: w.strftime("%Y/%m/%d %H:%M:%S"),
    "dots": lambda w: w.strftime("%Y.%m.%d %H:%M:%S"),
    "Chinese": lambda w: f"{w.year}年{w.month}月{w.day}日 {w:%H:%M:%S}",
    "Chinese without a blank": lambda w: f"{w.year}年{w:%m}月{w:%d}日{w:%H}时{w:%M}分{w:%S}秒",
    "Chinese weekday": lambda w: f"{w.year}年{w.month}月{w.day}日 星期{'一二三四五六日'[w.weekday()]} {w:%H:%M:%S}",
    "full width": lambda w: w.strftime("%Y-%m-%d %H:%M:%S").translate({n: n + 0xFEE0 for n in range(0x30, 0x3B)}),
    "American": lambda w: w.strftime("%B %d, %Y %I:%M:%S %p"),
    "British": lambda w: w.strftime("%d %B %Y, %H:%M:%S"),
    "time first": lambda w: w.strftime("%H:%M:%S, %B %d, %Y"),
    "packed": lambda w: w.strftime("%Y%m%d%H%M%S"),
    "published at": lambda w: f"发布于 {w:%Y-%m-%d %H:%M:%S} 岚渡",
    "edited at": lambda w: f"编辑于 {w:%Y-%m-%d %H:%M:%S}",
    "source behind": lambda w: f"{w:%Y-%m-%d %H:%M:%S} 来源：岚渡早报",
    "time by the part of the day": lambda w: (
        f"{w.year}年{w.month}月{w.day}日{'下午' if w.hour >= 12 else '凌晨'}{w.hour % 12 or (12 if w.hour < 12 else 0)}点{w.minute}分{w.second}秒"
    ),
}  # fmt: skip
DAY_SHAPES: dict[str, Callable[[datetime], str]] = {
    "iso": lambda w: w.strftime("%Y-%m-%d"),
    "packed": lambda w: w.strftime("%Y%m%d"),
    "Chinese": lambda w: f"{w.year}年{w.month}月{w.day}日",
    "号": lambda w: f"{w.year}年{w.month}月{w.day}号",
    "hanzi digits": lambda w: f"{spelled(w.year)}年{hanzi(w.month)}月{hanzi(w.day)}日",
    "era": lambda w: f"民国{w.year - 1911}年{w.month}月{w.day}日",
    "era, traditional": lambda w: f"中華民國{w.year - 1911}年{w:%m}月{w:%d}日",
    "American": lambda w: w.strftime("%B %d, %Y"),
    "American, short": lambda w: w.strftime("%b. %d, %Y"),
    "ordinal": lambda w: w.strftime("%dth of %B %Y"),
}


@given(WHEN, st.sampled_from(sorted(SECOND_SHAPES)))
def test_every_format_gives_its_instant_back(when: datetime, shape: str) -> None:
    when = when.replace(microsecond=0, tzinfo=UTC)
    found = read_time(SECOND_SHAPES[shape](when), fetched_at=FETCHED, zone="UTC")
    assert found.at == when
    assert found.precision == "second"


@given(WHEN, st.sampled_from(sorted(DAY_SHAPES)), st.sampled_from([SHANGHAI, "America/New_York"]))
def test_every_format_gives_its_day_back_in_any_zone(when: datetime, shape: str, zone: str) -> None:
    found = read_time(DAY_SHAPES[shape](when), fetched_at=FETCHED, zone=zone)
    assert day_of(found, zone) == when.date()
    assert found.precision == "day"


@given(WHEN, st.integers(-12, 14), st.sampled_from(["UTC", "GMT", ""]), st.booleans())
def test_a_written_offset_beats_the_zone_of_the_source(
    when: datetime, hours: int, name: str, short: bool
) -> None:
    when = when.replace(microsecond=0)
    offset = f"{hours:+d}" if short and name else f"{hours:+03d}:00"
    found = read_time(f"{when:%Y-%m-%d %H:%M:%S} {name}{offset}", fetched_at=FETCHED, zone=SHANGHAI)
    assert found.at == when.replace(tzinfo=timezone(timedelta(hours=hours)))
    assert found.tz_source == "explicit"


@given(WHEN, st.sampled_from([SHANGHAI, "America/New_York", "Europe/London", "Asia/Kolkata"]))
def test_a_time_without_a_zone_is_that_of_the_source_and_says_so(when: datetime, zone: str) -> None:
    when = when.replace(microsecond=0)
    found = read_time(f"{when:%Y-%m-%d %H:%M:%S}", fetched_at=FETCHED, zone=zone)
    assert found.at == when.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    assert found.tz_source == "assumed"


@given(
    st.integers(1, 59),
    st.sampled_from(
        [("分钟前", "minutes ago", 60), ("小时前", "hours ago", 3600), ("天前", "days ago", 86400)]
    ),
)
def test_relative_times_agree_in_both_languages_and_count_from_the_fetch(
    count: int, unit: tuple[str, str, int]
) -> None:
    chinese = read_time(f"发布于 {count}{unit[0]}", fetched_at=FETCHED, zone=SHANGHAI)
    english = read_time(f"Posted {count} {unit[1]}", fetched_at=FETCHED, zone=SHANGHAI)
    assert chinese == english
    assert chinese.tz_source == "relative"
    assert chinese.at is not None
    earlier = FETCHED - timedelta(seconds=count * unit[2])
    assert abs((chinese.at - earlier).total_seconds()) <= (0 if unit[2] < 86400 else 12 * 3600)


def test_weeks_and_months_ago_say_no_day() -> None:
    for raw in ("2周前", "2 weeks ago", "半个月前", "3个月前"):
        found = read_time(raw, fetched_at=FETCHED, zone=SHANGHAI)
        assert found.precision == "month"
        assert day_of(found, SHANGHAI) is None


@given(st.dates(date(2000, 1, 1), date(2026, 11, 1)))
def test_two_digit_years_are_read_or_refused_but_never_wrong(day: date) -> None:
    for shape in ("%d/%m/%y", "%m/%d/%y", "%y-%m-%d"):
        found = read_time(day.strftime(shape), fetched_at=FETCHED, zone=SHANGHAI)
        others = {day_of(found, SHANGHAI)}
        assert others <= {None, day}


def test_two_digit_years_that_have_one_reading() -> None:
    assert at("25/12/25") == at("12/25/25") == "2025-12-25T12:00:00+08:00"
    assert at("99-03-05") == "1999-03-05T12:00:00+08:00"
    assert at("26年3月5日") == "2026-03-05T12:00:00+08:00"
    assert at("5 Mar 26") == "2026-03-05T12:00:00+08:00"
    assert at("26-03-05") is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("115年3月5日", "2026-03-05T12:00:00+08:00"),
        ("民国元年1月1日", "1912-01-01T12:00:00+08:00"),
        ("2026-03-05T08:30:00\u221205:00", "2026-03-05T21:30:00+08:00"),
        ("March 5, 2026 at 10:30 a.m. ET", "2026-03-05T23:30:00+08:00"),
        ("July 5, 2026 at 10:30 a.m. ET", "2026-07-05T22:30:00+08:00"),
        ("10:30 March 5, 2026", "2026-03-05T10:30:00+08:00"),
        ("3月5日晚上12点", "2026-03-06T00:00:00+08:00"),
        ("3月5日凌晨12:30", "2026-03-05T00:30:00+08:00"),
        ("3月5日中午12:30", "2026-03-05T12:30:00+08:00"),
        ("元月5日", "2026-01-05T12:00:00+08:00"),
        ("2月29日", "2024-02-29T12:00:00+08:00"),
        ("Sun, 99 Jun 2009 12:00:00 GMT", None),
        ("2026-03-05T09:xx:00Z", "2026-03-05T12:00:00+08:00"),
    ],
)
def test_shapes_at_the_edge(raw: str, expected: str | None) -> None:
    assert at(raw) == expected


@given(
    st.text(max_size=60)
    | st.text(alphabet="0123456789年月日时前天昨周五: -/.+ZTAPMaegoh", max_size=30)
    | st.binary(max_size=20)
    | st.floats()
    | st.integers()
    | st.lists(st.integers(), max_size=2)
)
def test_nothing_crashes_and_nothing_lies_in_the_future(raw: object) -> None:
    moment = read_time(raw, fetched_at=FETCHED, zone=SHANGHAI)
    assert moment.at is None or moment.at <= FETCHED + timedelta(days=1)
    assert (moment.at is None) == (moment.precision == "none")
    assert moment.at is not None or moment.note


PROGRAM = """
import datetime as real, sys, time

def refuse(*args, **more):
    raise AssertionError("the machine's clock or zone was read")

class Frozen(real.datetime):
    now = today = utcnow = refuse
    def astimezone(self, tz=None):
        return refuse() if tz is None else super().astimezone(tz)

class FrozenDay(real.date):
    today = refuse

import sources.times, sources.ago, sources.clocks, sources.dates, sources.moments, sources.relative, sources.written_zones, sources.feeds
for module in (sources.times, sources.ago, sources.clocks, sources.dates, sources.moments, sources.relative, sources.written_zones):
    for name, frozen in (("datetime", Frozen), ("date", FrozenDay)):
        if hasattr(module, name):
            setattr(module, name, frozen)
kept = time.time, time.localtime, time.mktime
time.time = time.localtime = time.mktime = refuse
fetched = real.datetime(int(sys.argv[1]), 3, 5, 2, tzinfo=real.timezone.utc)
for raw in ("昨天 12:30", "06-27", "2016/6/29 15:07:41", "Mar 5", "3小时前", "2016-03-01", "周五", "Thu, 05 Mar 2015 08:30:00 CST",
            "1436067000", "民国104年3月5日", "3月4日", "25/12/14", "two weeks ago", "last monday",
            "去年3月4日", "1天2小时前", "03/04", "yesterday at 3 pm ET", "3天前 23:05", "115/03/04"):
    print(raw, sources.times.read_time(raw, fetched_at=fetched, zone="Asia/Shanghai"))
time.time, time.localtime, time.mktime = kept  # feedparser reads dates too; its readings are not used
feed = b"<rss version='2.0'><channel><item><guid>1</guid><pubDate>2016/6/29 15:07:41</pubDate></item></channel></rss>"
print(sources.feeds.read_feed(feed).entries[0].published_raw)
"""


@pytest.mark.parametrize("year", [2026, 2031])
def test_the_machines_zone_and_clock_play_no_part(year: int) -> None:
    outputs = set()
    for zone in ("Asia/Shanghai", "America/New_York"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(year)],
            env={**os.environ, "TZ": zone, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 21


def test_a_naive_fetch_time_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        read_time("2026-03-05", fetched_at=datetime(2026, 3, 5), zone="UTC")  # noqa: DTZ001


@pytest.mark.parametrize(
    ("url", "zone"),
    [
        ("http://www.people.com.cn/a", SHANGHAI),
        ("https://www.bbc.co.uk/news", "Europe/London"),
        ("https://news.ltn.com.tw/x", "Asia/Taipei"),
        ("https://www.nytimes.com/x", "America/New_York"),
        ("https://abc.net.au/x", "America/New_York"),
        ("no address", "America/New_York"),
    ],
)
def test_a_country_domain_tells_the_zone_of_its_publisher(url: str, zone: str) -> None:
    assert publisher_zone(url, "America/New_York") == zone
    ZoneInfo(publisher_zone(url, "UTC"))
