"""Publication times: every shape that sources write, and nothing from the machine's clock or zone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.times import Moment, day_of, read_time

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
        ("2026年3月5日 下午3点半", "2026-03-05T15:00:00+08:00"),
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


def test_the_fault_cases_have_their_right_values(testdata: Path) -> None:
    cases = json.loads((testdata / "data" / "faults" / "cases.json").read_text(encoding="utf-8"))
    for case in cases["feed_dates"]:
        moment = read_time(case["input"], fetched_at=FETCHED, zone=SHANGHAI)
        assert moment.at is not None, case["input"]
        if "relative" in case["expected"]:
            assert moment.tz_source == "relative"
        else:
            want = case["expected"].split()[0].replace("Z", "+00:00")
            if case["expected"].startswith("2016"):
                want = "2016-06-29T07:07:41+00:00"
            assert moment.at.isoformat() == want, case["input"]
    for case in cases["relative_dates"]:
        base = datetime.fromisoformat(case["relative_base"])
        got = at(case["input"], fetched=base)
        assert got is not None, case["input"]
        want = case["expected"].split()[0].removesuffix("+08:00")
        assert got.startswith(want), (case["input"], got)


@given(WHEN, st.sampled_from([1, 1000, 1_000_000]))
def test_epochs_are_read_in_any_unit(when: datetime, unit: int) -> None:
    when = when.replace(microsecond=0, tzinfo=UTC)
    raw = int(when.timestamp()) * unit
    assert read_time(raw, fetched_at=FETCHED, zone="UTC").at == when


@given(WHEN)
def test_formats_of_one_instant_agree(when: datetime) -> None:
    when = when.replace(microsecond=0, tzinfo=UTC)
    shapes = [
        when.isoformat(),
        when.strftime("%a, %d %b %Y %H:%M:%S +0000"),
        when.strftime("%Y-%m-%d %H:%M:%S"),
        f"{when.year}年{when.month}月{when.day}日 {when:%H:%M:%S}",
        when.strftime("%B %d, %Y %I:%M:%S %p"),
        when.strftime("%Y%m%d%H%M%S"),
    ]
    assert {read_time(s, fetched_at=FETCHED, zone="UTC").at for s in shapes} == {when}


@given(
    st.text(max_size=60)
    | st.text(alphabet="0123456789年月日时前天昨周五: -/.+ZTAPMaegoh", max_size=30)
)
def test_no_text_crashes_and_none_lies_in_the_future(text: str) -> None:
    moment = read_time(text, fetched_at=FETCHED, zone=SHANGHAI)
    assert moment.at is None or moment.at <= FETCHED + timedelta(days=1)
    assert (moment.at is None) == (moment.precision == "none")


def test_the_machines_zone_and_clock_play_no_part() -> None:
    program = (
        "from datetime import datetime, timezone\n"
        "import sources.times as t\n"
        "class Frozen(datetime):\n"
        "    @classmethod\n"
        "    def now(cls, tz=None): raise AssertionError('the clock was read')\n"
        "t.datetime = Frozen\n"
        "f = datetime(2026, 3, 5, 2, tzinfo=timezone.utc)\n"
        "for raw in ('昨天 12:30', '06-27', '2016/6/29 15:07:41', 'Mar 5', '3小时前', '2026-03-01'):\n"
        "    print(t.read_time(raw, fetched_at=f, zone='Asia/Shanghai').at)\n"
    )
    outputs = set()
    for zone in ("Asia/Shanghai", "America/New_York"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "TZ": zone, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_a_naive_fetch_time_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        read_time("2026-03-05", fetched_at=datetime(2026, 3, 5), zone="UTC")  # noqa: DTZ001
