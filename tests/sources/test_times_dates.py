"""Dates as calendars write them: eras, words for years, halves of the day; what may be two days is none."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sources.times import Moment, day_of, read_time

SHANGHAI = "Asia/Shanghai"
FETCHED = datetime.fromisoformat("2026-03-05T12:00:00+08:00")


def read(raw: str, zone: str = SHANGHAI) -> Moment:
    return read_time(raw, fetched_at=FETCHED, zone=zone)


def at(raw: str, zone: str = SHANGHAI) -> str | None:
    moment = read(raw, zone)
    return moment.at.astimezone(ZoneInfo(zone)).isoformat()[:19] if moment.at else None


@pytest.mark.parametrize(
    ("raw", "day"),
    [
        ("去年3月4日", "2025-03-04"), ("前年1月2日", "2024-01-02"), ("今年3月4日", "2026-03-04"), ("去年的12月25日", "2025-12-25"),
        ("本月4日", "2026-03-04"), ("上月5日", "2026-02-05"), ("上个月5号", "2026-02-05"),
        ("115/03/04", "2026-03-04"), ("民國115/03/04", "2026-03-04"), ("中華民國115.3.4", "2026-03-04"), ("099-12-31", "2010-12-31"),
        ("民国99年12月31日", "2010-12-31"), ("令和5年3月4日", "2023-03-04"), ("令和元年5月1日", "2019-05-01"), ("㋿5年3月4日", "2023-03-04"),
        ("平成31年4月30日", "2019-04-30"), ("昭和64年1月7日", "1989-01-07"),
    ],
)  # fmt: skip
def test_a_year_in_words_or_of_an_era_is_that_year(raw: str, day: str) -> None:
    found = read(raw)
    assert str(day_of(found, SHANGHAI)) == day
    assert found.precision == "day"


def test_a_month_of_last_year_is_known_to_the_month() -> None:
    assert (at("去年12月"), read("去年12月").precision) == ("2025-12-01T12:00:00", "month")
    assert at("去年12月25日 下午3:04") == "2025-12-25T15:04:00"


@pytest.mark.parametrize(
    "raw",
    [
        "平成40年4月30日", "昭和99年1月1日", "大正16年1月1日", "光绪33年3月4日", "康熙五年三月四日", "公元前22年3月4日", "March 4, Reiwa 8", "R8/03/04",
        "H30.5.1", "March 4 last year", "3月4日（去年）", "2569-03-04", "04/03/2569", "4 Mar 2569", "2569年3月4日", "4 มี.ค. 2569",
        "1404/12/13", "1447-09-14", "2026年三月初四", "农历三月四日", "农历正月初五",
    ],
)  # fmt: skip
def test_a_year_or_day_of_another_calendar_is_read_or_refused_but_never_ignored(raw: str) -> None:
    assert read(raw).at is None


@pytest.mark.parametrize("zone", ["Asia/Bangkok", "Asia/Taipei", "Asia/Tokyo"])
def test_two_digits_are_no_year_where_years_are_counted_otherwise(zone: str) -> None:
    assert read("25/12/69", zone).at is None
    assert read("25/12/2025", zone).at is not None


@pytest.mark.parametrize(
    ("raw", "clock"),
    [
        ("4 March 2026 10.30am", "10:30:00"), ("4 March 2026 10.30pm", "22:30:00"), ("4 March 2026 at 10.30 p.m.", "22:30:00"),
        ("2026/3/4 上午 12:04:05", "00:04:05"), ("2026/3/4 下午 12:04:05", "12:04:05"), ("2026/3/4 早上12:04", "00:04:00"),
        ("2026/3/4 凌晨12:04", "00:04:00"), ("2026/3/4 中午12:04", "12:04:00"), ("2026/3/4 PM 03:04:05", "15:04:05"),
        ("2026/3/4 AM 12:04:05", "00:04:05"), ("2026. 3. 4. 오후 3:04", "15:04:00"), ("2026. 3. 4. 오전 12:04", "00:04:00"),
        ("2026/3/4 午後3:04", "15:04:00"), ("2026-03-04 3:04 p. m.", "15:04:00"), ("2026-03-04 3:04 μ.μ.", "15:04:00"),
        ("2026-03-04 3:04 م", "15:04:00"), ("2026年3月4日 十二点半", "12:30:00"), ("2026年3月4日 下午三点", "15:00:00"),
        ("2026年3月4日 8点整", "08:00:00"), ("March 4, 2026 - 8:30am", "08:30:00"), ("8:30 - March 4, 2026", "08:30:00"),
        ("2026-03-04 12:00 am", "00:00:00"), ("2026-03-04 12:00 pm", "12:00:00"),
    ],
)  # fmt: skip
def test_a_half_of_the_day_is_heeded_wherever_it_stands(raw: str, clock: str) -> None:
    assert at(raw) == f"2026-03-04T{clock}"


@pytest.mark.parametrize(
    ("raw", "clock"),
    [
        ("2026-03-04 8:30 下午", "20:30:00"), ("2026年3月4日 8:30 晚上", "20:30:00"), ("2026/3/4 08:30 午後", "20:30:00"),
        ("Mar 4, 2026 8:30 下午", "20:30:00"), ("2026-03-04 8:30下午", "20:30:00"), ("2026-03-04 8:30（下午）", "20:30:00"),
        ("2026-03-04 8:30:15 傍晚", "20:30:15"), ("2026. 3. 4. 8:30 오후", "20:30:00"), ("2026-03-04 12:04 上午", "00:04:00"),
        ("2026-03-04 8点半 晚上", "20:30:00"), ("2026-03-04 8:30 早上", "08:30:00"), ("2026-03-04 20:30 晚间", "20:30:00"),
        ("2026-03-04 8:30 下午 来源：岚渡早报", "20:30:00"), ("2026-03-04 8:30下午发布", "20:30:00"),
        ("8:30 下午 2026-03-04", "20:30:00"), ("2026-03-04 下午 8:30 下午", "20:30:00"), ("昨天 8:30 下午", "20:30:00"),
        ("2026-03-04 8:30 下午北京时间", "20:30:00"),
    ],
)  # fmt: skip
def test_a_chinese_half_of_the_day_behind_its_clock_is_heeded(raw: str, clock: str) -> None:
    assert at(raw) == f"2026-03-04T{clock}"


@pytest.mark.parametrize(
    "behind",
    [
        "下午茶",
        "早上好",
        "晚报",
        "早间新闻",
        "午后阳光",
        "夜间模式",
        "晚上8点直播",
        "晚上 9:30 重播",
        "早报 记者",
        "午夜场",
    ],
)
def test_a_word_that_begins_as_a_half_of_the_day_is_none(behind: str) -> None:
    assert at(f"2026-03-04 8:30 {behind}") == "2026-03-04T08:30:00"


@pytest.mark.parametrize("behind", ["上午 下午", "夜间", "午", "夜"])
def test_what_may_be_a_half_of_the_day_behind_a_clock_is_refused_and_not_dropped(
    behind: str,
) -> None:
    first, _, second = behind.rpartition(" ")
    assert read(f"2026-03-04 {first} 8:30 {second}").at is None


@pytest.mark.parametrize(
    "raw",
    ["2026-03-04 15:04 上午", "2026-03-04 13:04 早上", "2026-03-04 15:04 PM", "2026-03-04 13:04 am", "2026-03-04 0:04 pm", "2026/3/4 AM 3:04 PM", "2026/3/4 上午15:04", "3月4日凌晨13点",
     "3月4日夜里2点", "3月4日晚上12:30"],
)  # fmt: skip
def test_an_hour_that_its_half_of_the_day_does_not_have_is_refused(raw: str) -> None:
    assert read(raw).at is None


@pytest.mark.parametrize(
    "raw",
    [
        "3月4日至6日", "3月4日-3月6日", "2026年3月4日-6日", "3月4、5日", "2026-03-04 - 2026-03-06", "2026/03/03~03/04", "2026年1月至3月",
        "March 3-4, 2026", "3-4 March 2026", "3 to 4 March 2026", "Mar 3 - Mar 4", "2026-03-04 10:00 - 12:00",
        "2026年3月4日 10:00至12:00", "March 4, 2026 10 am to 3 pm",
    ],
)  # fmt: skip
def test_a_span_is_no_moment(raw: str) -> None:
    assert read(raw).at is None


def test_a_zone_behind_a_day_is_no_clock() -> None:
    assert at("2026-03-04+08:00") == at("2026-03-04-05:00") == "2026-03-04T12:00:00"
    assert read("2026-03-04+08:00").precision == "day"


def test_a_publisher_named_one_oclock_is_no_clock() -> None:
    assert read("2026-03-04 来源：一点资讯").precision == "day"


def test_the_number_of_a_phone_is_no_year() -> None:
    assert at("3月4日 12:30 来自 iPhone 15 Pro") == "2026-03-04T12:30:00"


@pytest.mark.parametrize("raw", ["1772670600000.0", "1772670600.0", "1772670600000000.0"])
def test_an_epoch_that_became_a_decimal_is_an_epoch(raw: str) -> None:
    assert at(raw) == "2026-03-05T08:30:00"


def test_month_and_day_in_numbers_are_read_by_the_order_of_the_zone_or_not_at_all() -> None:
    assert at("02-03") == at("02/03") == "2026-02-03T12:00:00"
    for zone in ("UTC", "America/New_York", "Europe/London", "Asia/Hong_Kong"):
        assert "cannot be told apart" in read("02/03", zone).note
        assert "cannot be told apart" in read("02/03/2025", zone).note
        assert at("25/12", zone) == at("12/25", zone) == "2025-12-25T12:00:00"
        assert at("03/03", zone) == "2026-03-03T12:00:00"


@given(st.dates(date(1990, 1, 1), date(2026, 3, 5)), st.sampled_from(["-", "/", "."]))
def test_years_of_the_republic_are_read_back(day: date, mark: str) -> None:
    year = day.year - 1911
    for raw in (f"{year:03}{mark}{day:%m}{mark}{day:%d}", f"民國{year}{mark}{day.month}{mark}{day.day}", f"中华民国{year}年{day.month}月{day.day}日"):  # fmt: skip
        assert day_of(read(raw), SHANGHAI) == day


@given(st.dates(date(1926, 12, 26), date(2026, 3, 5)))
def test_years_of_japanese_eras_are_read_back(day: date) -> None:
    first = {"令和": date(2019, 5, 1), "平成": date(1989, 1, 8), "昭和": date(1926, 12, 25)}
    era = next(name for name, begin in first.items() if day >= begin)
    year = day.year - first[era].year + 1
    raw = f"{era}{'元' if year == 1 else year}年{day.month}月{day.day}日"
    assert day_of(read(raw), SHANGHAI) == day


HALVES = {
    "suffix": lambda w: w.strftime("%d %B %Y %I.%M") + ("am" if w.hour < 12 else "pm"),
    "prefix": lambda w: w.strftime("%Y/%m/%d ") + ("AM" if w.hour < 12 else "PM") + w.strftime(" %I:%M"),
    "Chinese Windows": lambda w: w.strftime("%Y/%m/%d ") + ("上午" if w.hour < 12 else "下午") + w.strftime(" %I:%M"),
    "Korean": lambda w: w.strftime("%Y. %m. %d. ") + ("오전" if w.hour < 12 else "오후") + w.strftime(" %I:%M"),
    "Spanish": lambda w: w.strftime("%Y-%m-%d %I:%M") + (" a. m." if w.hour < 12 else " p. m."),
}  # fmt: skip


@given(st.datetimes(datetime(1990, 1, 1), datetime(2026, 3, 4)), st.sampled_from(sorted(HALVES)))  # noqa: DTZ001
def test_every_way_to_write_half_days_gives_the_instant_back(when: datetime, shape: str) -> None:
    when = when.replace(second=0, microsecond=0)
    found = read(HALVES[shape](when))
    assert found.at == when.replace(tzinfo=ZoneInfo(SHANGHAI))


@given(st.dates(date(2024, 1, 1), date(2026, 3, 5)), st.sampled_from(["去年", "前年", "今年"]))
def test_a_word_for_the_year_beats_the_latest_year(day: date, word: str) -> None:
    year = 2026 - {"今年": 0, "去年": 1, "前年": 2}[word]
    assume((day.month, day.day) != (2, 29))
    wanted = day.replace(year=year)
    assume(wanted <= FETCHED.date() + timedelta(days=0))
    assert day_of(read(f"{word}{day.month}月{day.day}日"), SHANGHAI) == wanted


# -- two digits behind a month ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("5 Dec 10.30am", "2025-12-05T10:30:00"), ("25 Feb 11am", "2026-02-25T11:00:00"), ("5 Dec, 10 pm", "2025-12-05T22:00:00"),
        ("5 Dec 25, 10:30", "2025-12-05T10:30:00"), ("5 Dec 25 at 10:30am", "2025-12-05T10:30:00"),
        ("5-Dec-25 10:30:00", "2025-12-05T10:30:00"), ("5 Dec 25 - 10:30", "2025-12-05T10:30:00"),
        ("05-DEC-25 10.15.00", "2025-12-05T12:00:00"), ("5 Dec 25", "2025-12-05T12:00:00"),
        ("5 Dec 25 | Ledger", "2025-12-05T12:00:00"), ("Thu, 05 Feb 26 08:30:00", "2026-02-05T08:30:00"),
    ],
)  # fmt: skip
def test_two_digits_behind_a_month_are_a_year_only_where_the_date_ends(raw: str, iso: str) -> None:
    assert at(raw) == iso


@pytest.mark.parametrize(
    "raw", ["5 December 25 comments", "5 Dec 10 - 12 pm", "8 Feb 14h30", "5 Dec 12 likes"]
)
def test_two_digits_that_may_be_a_count_or_an_hour_are_no_year(raw: str) -> None:
    assert read(raw).at is None
    assert read(raw).note == "its year cannot be read"


# -- zones in words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "utc"),
    [
        ("February 5, 2026 10:00 p.m. Eastern Time", "2026-02-06T03:00"), ("2026-02-05 22:00 Pacific Standard Time", "2026-02-06T06:00"),
        ("2026-02-05 22:00 美东时间", "2026-02-06T03:00"), ("美国东部时间2026年2月5日22:00", "2026-02-06T03:00"),
        ("Feb 5, 2026 8:00 p.m. Beijing Time", "2026-02-05T12:00"), ("北京时间2026年2月5日 8:30", "2026-02-05T00:30"),
        ("2026-02-05 22:00 Central European Time", "2026-02-05T21:00"), ("2025-07-05 22:00 伦敦时间", "2025-07-05T21:00"),
        ("2026-02-05T08:30:00+01:00[Europe/Paris]", "2026-02-05T07:30"), ("2026-02-05T08:30:00 [America/New_York]", "2026-02-05T13:30"),
        ("2026-02-05 22:00 BRT", "2026-02-06T01:00"), ("2026-02-05 22:00 (ICT)", "2026-02-05T15:00"),
    ],
)  # fmt: skip
def test_a_zone_in_words_is_read(raw: str, utc: str) -> None:
    found = read(raw, "Europe/London")
    assert found.at is not None
    assert (found.at.isoformat()[:16], found.tz_source) == (utc, "explicit")


@pytest.mark.parametrize(
    "raw",
    [
        "2026-02-05 22:00 XYT", "2026-02-05T08:30:00+25:00", "2026-02-05 08:30 Lagos Time", "2026-02-05 08:30 [Europe/Atlantis]",
    ],
)  # fmt: skip
def test_of_a_time_in_an_unknown_zone_the_day_is_left(raw: str) -> None:
    found = read(raw)
    assert (str(day_of(found, SHANGHAI)), found.precision) == ("2026-02-05", "day")
    assert (found.confidence, found.note) == (0.5, "its zone is not known")


@pytest.mark.parametrize(
    "behind",
    ["Local Time", "当地时间", "| Reading Time: 3 minutes", "POST", "by New York Times", "阅读时间：3分钟", "AT&T"],
)  # fmt: skip
def test_words_behind_a_time_are_no_zone(behind: str) -> None:
    assert at(f"2026-02-05 08:30 {behind}") == "2026-02-05T08:30:00"
    assert read(f"2026-02-05 08:30 {behind}").tz_source == "assumed"
