"""Of a stamp that says what was done when, the publication is taken; a change alone is no publication."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.times import Moment, read_time

SHANGHAI = "Asia/Shanghai"
FETCHED = datetime.fromisoformat("2026-03-07T12:00:00+08:00")
DAYS = st.datetimes(datetime(2000, 1, 1), datetime(2026, 3, 6))  # noqa: DTZ001


def read(raw: str) -> Moment:
    return read_time(raw, fetched_at=FETCHED, zone=SHANGHAI)


def at(raw: str) -> str | None:
    moment = read(raw)
    return moment.at.astimezone(ZoneInfo(SHANGHAI)).isoformat()[:16] if moment.at else None


@pytest.mark.parametrize(
    "raw",
    [
        "更新时间：2026-03-06 09:00 发布时间：2026-03-05 08:30", "发布时间：2026-03-05 08:30 更新时间：2026-03-06 09:00",
        "最后修改于2026-03-06 09:00，发表于2026-03-05 08:30", "修改時間：2026/03/06 09:00 發布時間：2026/03/05 08:30",
        "2026-03-05 08:30 更新于 2026-03-06 09:00", "2026-03-05 08:30 发布 2026-03-06 09:00 更新",
        "2026-03-06 09:00 更新 2026-03-05 08:30 发布", "2026-03-05 08:30 发布 更新于 2026-03-06 09:00",
        "编辑于 2026-03-06 09:00 发布于 2026-03-05 08:30", "更新：3月6日 09:00 发布：3月5日 08:30",
        "Updated: March 6, 2026 9:00 AM Published: March 5, 2026 8:30 AM",
        "Last updated March 6, 2026 | First published March 5, 2026 8:30 AM",
        "Updated on 6 March 2026 at 09:00; originally posted on 5 March 2026 at 08:30",
        "March 5, 2026 8:30 AM | Updated March 6, 2026 9:00 AM", "Mar 5, 2026 8:30 AM (updated Mar 6, 2026)",
        "Published 5 March 2026 08:30, updated 09:15", "Updated 1 hour ago, published March 5, 2026 8:30 AM",
        "Update: Fri March 6, 2026. Published by Jane Doe March 5, 2026 8:30 AM",
        "更新于 2小时前 发布于 2026年3月5日 08:30", "last edited March 6, 2026, posted March 5, 2026 8:30 AM",
        "Updated daily. Published March 5, 2026 8:30 AM", "Posted 2 days ago at 8:30 (updated 1 hour ago)",
    ],
)  # fmt: skip
def test_of_both_dates_that_of_the_publication_is_taken(raw: str) -> None:
    assert at(raw) == "2026-03-05T08:30"


@pytest.mark.parametrize(
    "raw",
    [
        "最后更新 2026-03-06", "更新时间：2026-03-06 09:00", "更新於 2026/03/06", "修改日期：2026年3月6日", "2026-03-06 09:00 更新",
        "更新于 3小时前", "最后修改：昨天 12:30", "3小时前更新", "3月6日更新", "Last modified March 6, 2026",
        "Updated: March 6, 2026", "Updated Fri 6 Mar 2026 09:00 GMT", "Updated 3 hours ago", "Last update: 2026-03-06",
        "Revised on 6 March 2026", "By Jane Doe Updated March 6, 2026", "发布者：岚渡早报 更新：2026-03-06", "修订于二〇二六年三月六日",
    ],
)  # fmt: skip
def test_a_date_of_a_change_alone_is_no_publication(raw: str) -> None:
    found = read(raw)
    assert (found.at, found.note) == (None, "only a date of modification")


@pytest.mark.parametrize(
    "raw", ["更新于2026-03-06 发布于3月5日", "Updated Mar 6, 2019. Published Mar 5"]
)
def test_a_year_that_only_the_change_has_is_not_guessed(raw: str) -> None:
    assert (read(raw).at, read(raw).note) == (None, "its year cannot be read")


@pytest.mark.parametrize(
    "raw",
    [
        "2026-03-05 08:30 来源：更新日报", "2026-03-05 08:30 更新中", "2026-03-05 08:30 更新至第12集", "2026-03-05 08:30 · 更新",
        "发布时间：2026-03-05 08:30 更新", "2026-03-05 08:30 (updated)", "March 5, 2026 8:30 AM Software Update",
        "编辑于 2026-03-05 08:30", "最后编辑于 2026-03-05 08:30", "Edited March 5, 2026 8:30 AM", "更新日报 2026-03-05 08:30",
    ],
)  # fmt: skip
def test_words_that_date_no_change_and_platforms_that_show_only_the_edit_stay(raw: str) -> None:
    assert at(raw) == "2026-03-05T08:30"


@given(
    DAYS,
    DAYS,
    st.sampled_from([("发布于 ", "更新于 "), ("发表：", "修改："), ("Published ", "Updated "), ("Posted on: ", "Last modified: ")]),
    st.sampled_from([" ", "，", " | ", "\n", "; "]),
)  # fmt: skip
def test_the_order_of_both_dates_says_nothing(
    one: datetime, two: datetime, labels: tuple[str, str], between: str
) -> None:
    published, changed = (
        f"{label}{when:%Y-%m-%d %H:%M}" for label, when in zip(labels, (one, two), strict=True)
    )
    wanted = one.replace(second=0, microsecond=0, tzinfo=ZoneInfo(SHANGHAI))
    assert read(published + between + changed).at == wanted
    assert read(changed + between + published).at == wanted
    assert read(changed).at is None
