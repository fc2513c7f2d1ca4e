"""Columns of tables: a day and a clock apart, and what a map leaves to the usual names."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import Item
from sources.base import SourceContext
from sources.imports.columns import FIELDS, NOTHING, columns_of, times_of
from sources.imports.day_and_clock import is_clock, written_time
from sources.times import Moment, read_time
from tests.sources.reading import FETCHED, WHEN, read


def table(path: Path, *rows: dict[str, Any]) -> Path:
    """A CSV file, or JSON lines by its name."""
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
        return path
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def mapped(columns: dict[str, str]) -> SourceContext:
    return SourceContext(
        fetched_at=FETCHED, zone="Asia/Shanghai", salt="s", settings={"columns": columns}
    )


def only(path: Path, format_: str = "auto", **more: Any) -> Item:
    (item,), refusals = read(path, format_, **more)
    assert not refusals
    return item


# -- a day and a clock apart ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "raw"),
    [
        ({"日期": "2026-03-05", "时间": "08:30"}, "2026-03-05 08:30"),
        ({"时间": "08:30", "日期": "2026-03-05"}, "2026-03-05 08:30"),
        ({"发布日期": "2026年3月5日", "时间": "上午8点30分"}, "2026年3月5日 上午8点30分"),
        ({"發布日期": "民國115年3月5日", "時間": "早上8:30"}, "民國115年3月5日 早上8:30"),
        ({"发布时间": "08:30:00", "日期": "2026/3/5"}, "2026/3/5 08:30:00"),
        ({"date": "2026-03-05", "time": "08:30"}, "2026-03-05 08:30"),
        ({"Date": "5 March 2026", "Time": "8:30 AM"}, "5 March 2026 8:30 AM"),
        ({"date": "2026-03-05", "time": "00:30 UTC"}, "2026-03-05 00:30 UTC"),
        ({"date": "2026-03-05", "time": "00:30+00:00"}, "2026-03-05 00:30+00:00"),
        ({"date": "2026-03-05 00:00:00", "time": "08:30:00"}, "2026-03-05 08:30:00"),
        ({"date": "2026/3/5 0:00", "time": "8:30"}, "2026/3/5 8:30"),
        ({"time": "2026-03-05 08:30", "日期": "2026-03-05"}, "2026-03-05 08:30"),
        ({"时间": "2026-03-05 08:30", "日期": "2026-03-04"}, "2026-03-05 08:30"),
        ({"created_at": "2026-03-05 08:30", "time": "12:45"}, "2026-03-05 08:30"),
        ({"time": "12:45", "日期": "2026-03-05 08:30"}, "2026-03-05 08:30"),
        ({"发布时间": "08:30", "时间": "soon", "日期": "2026-03-05"}, "2026-03-05 08:30"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_day_is_joined_with_a_clock_and_never_lost_to_it(
    tmp_path: Path, cells: dict[str, str], raw: str, name: str
) -> None:
    item = only(table(tmp_path / name, cells | {"id": "1", "text": "停航了，大家都在问"}))
    assert (item.published_at, item.published_raw) == (WHEN, raw)


@pytest.mark.parametrize(
    ("cells", "raw", "precision"),
    [
        ({"date": "2026-03-05", "time": ""}, "2026-03-05", "day"),
        ({"date": "2026-03-05", "time": "25:99"}, "2026-03-05", "day"),
        ({"date": "2026-03-05", "time": "long"}, "2026-03-05", "day"),
        ({"date": "2026-03", "time": "08:30"}, "2026-03", "month"),
        ({"date": "", "time": "08:30"}, "", "none"),
        ({"date": "soon", "time": "08:30"}, "soon", "none"),
        ({"time": "08:30"}, "08:30", "none"),
        ({"time": "08:30", "日期": ""}, "08:30", "none"),
        ({"published": "", "timestamp": "2026-03-05 08:30"}, "", "none"),
    ],
)
def test_what_cannot_be_joined_is_worth_what_it_says_alone(
    tmp_path: Path, cells: dict[str, str], raw: str, precision: str
) -> None:
    item = only(table(tmp_path / "t.csv", cells | {"id": "1", "text": "停航了，大家都在问"}))
    assert (item.published_raw, item.precision) == (raw, precision)


def test_each_row_says_itself_what_its_columns_hold(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "text": "停航了", "日期": "2026-03-05", "时间": "08:30"},
        {"id": "2", "text": "停航了", "日期": "2026-03-04", "时间": "2026-03-05 08:30"},
        {"id": "3", "text": "停航了", "时间": "2026-03-05 08:30"},
    ]
    items, _ = read(table(tmp_path / "t.jsonl", *rows))
    assert [item.published_at for item in items] == [WHEN] * 3


def test_a_relative_day_with_a_clock_is_counted_from_the_crawl(tmp_path: Path) -> None:
    row = {
        "id": "1",
        "text": "停航了",
        "日期": "昨天",
        "时间": "08:30",
        "抓取时间": "2026-03-06 09:00",
    }
    assert only(table(tmp_path / "t.csv", row)).published_at == WHEN


@given(st.dates(date(2000, 1, 1), date(2026, 10, 1)), st.times(), st.booleans())
def test_a_day_and_a_clock_apart_are_the_time_together(
    day: date, clock: time, clock_first: bool
) -> None:
    def moment(cell: Any) -> Moment:
        return read_time(cell, fetched_at=FETCHED, zone="Asia/Shanghai")

    cells = [day.isoformat(), clock.strftime("%H:%M:%S")]
    assert [is_clock(cell) for cell in cells] == [False, True]
    _, found = written_time(cells[::-1] if clock_first else cells, moment)
    whole = datetime.combine(day, clock.replace(microsecond=0), timezone(timedelta(hours=8)))
    assert (found.at, found.precision) == (whole.astimezone(UTC), "second")


@pytest.mark.parametrize(
    "cell",
    [None, 830, True, [], "", "2026-03-05", "2026-03-05 08:30", "08:30 2026-03-05", "3小时前", "昨天", "25:99", "08:30 - 09:30"],
)  # fmt: skip
def test_what_is_no_clock_alone(cell: object) -> None:
    assert not is_clock(cell)


# -- maps ----------------------------------------------------------------------------------------

ROW = {"说了什么": "渡轮停航了，大家都在问", "标题": "停航", "发布时间": "2026-03-05 08:30", "点赞数": "1.2万",
       "评论数": "3", "作者": "someone", "编号": "77"}  # fmt: skip


@pytest.mark.parametrize("how", ["option", "settings"])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_map_of_the_words_alone_leaves_the_rest_to_the_usual_names(
    tmp_path: Path, how: str, name: str
) -> None:
    path = table(tmp_path / name, ROW)
    if how == "option":
        item = only(path, "table:text=说了什么")
    else:
        item = only(path, context=mapped({"text": "说了什么"}))
    assert (item.title, item.published_at, item.native_id) == ("停航", WHEN, "77")
    assert item.engagement == {"likes": 12000, "replies": 3}
    assert item.author_hash


@pytest.mark.parametrize("how", ["option", "settings"])
def test_a_map_says_otherwise_with_another_column_or_none(tmp_path: Path, how: str) -> None:
    path = table(tmp_path / "t.csv", ROW | {"几时": "2026-03-04 09:00"})
    columns = {"text": "说了什么", "published": "几时", "title": "-", "likes": "-"}
    if how == "option":
        item = only(path, "table:" + ";".join(f"{key}={value}" for key, value in columns.items()))
    else:
        item = only(path, context=mapped(columns))
    assert item.published_at == datetime(2026, 3, 4, 1, tzinfo=UTC)
    assert (item.title, item.engagement) == ("", {"replies": 3})


def test_a_day_that_a_map_names_is_joined_with_a_usual_clock(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", {"说了什么": "停航了", "几号": "2026-03-05", "时间": "08:30"})
    assert only(path, "table:text=说了什么;published=几号").published_at == WHEN
    assert only(path, "table:text=说了什么;published=-").published_at is None


def test_a_column_that_a_map_names_is_taken_for_no_other_field(tmp_path: Path) -> None:
    row = {"title": "停航了", "source": "新华网", "time": "2026-03-05 08:30", "date": "2026-03-04"}
    given_ = {"text": "title", "publisher": "source", "crawled": "time"}
    columns = columns_of(row, given_)
    assert columns == given_ | {"published": "date"}
    assert times_of(row, columns) == ["date"]


def test_an_answer_is_known_by_the_usual_name_beside_a_map(tmp_path: Path) -> None:
    rows = [
        {"id": "P1", "w": "渡轮停了"},
        {"id": "C1", "w": "什么时候", "type": "comment", "parent_id": "P1"},
        {"id": "C2", "w": "下周", "type": "comment", "parent_id": "C1"},
    ]
    items, _ = read(table(tmp_path / "t.jsonl", *rows), "table:text=w")
    post, first, second = items
    assert (first.parent_id, second.parent_id) == (post.item_id, first.item_id)
    assert [item.parent_id for item in read(tmp_path, "table:text=w;parent=-")[0]] == [None] * 3


@given(
    st.dictionaries(st.sampled_from(sorted(FIELDS)), st.sampled_from(["a", "b", NOTHING])),
    st.sets(st.sampled_from(["a", "b", *(usual for usuals in FIELDS.values() for usual in usuals)])),
)  # fmt: skip
def test_a_map_adds_to_the_usual_names_and_is_never_overruled(
    given_: dict[str, str], row: set[str]
) -> None:
    found = columns_of(dict.fromkeys(row), given_)
    usual = columns_of(dict.fromkeys(row - {"a", "b"}), {})
    assert found == {field: column for field, column in usual.items() if field not in given_} | {
        field: column for field, column in given_.items() if column in row
    }
