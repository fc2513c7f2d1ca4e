"""Tables: a quote that nothing closes, platforms and outlets, times without a crawl, answers to comments."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import Item
from sources.base import Refusal, SourceContext
from sources.ids import Ids
from sources.imports.quotes import records
from tests.sources.reading import CONTEXT, FETCHED, WHEN, read, reasons

HEADING = "id,text,published\n"


def rows(count: int = 100) -> list[str]:
    return [f"{n},what {n} said,2026-03-{n % 28 + 1:02d}\n" for n in range(1, count + 1)]


def table(tmp_path: Path, lines: list[str], heading: str = HEADING) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(heading + "".join(lines), encoding="utf-8")
    return path


def json_lines(tmp_path: Path, *values: dict[str, Any]) -> Path:
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in values), "utf-8")
    return path


def only(found: tuple[list[Item], list[Refusal]]) -> Item:
    items, refusals = found
    assert not refusals
    assert len(items) == 1
    return items[0]


# -- quotes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "later",
    [
        {},
        {59: '60,"quoted, text",2026-03-05\n'},
        {59: '60,"two\nlines, quoted",2026-03-05\n'},
        {30: '31,"a ""word"" of his",2026-03-05\n', 59: '60,"x",2026-03-05\n'},
    ],
)
def test_a_quote_that_is_not_closed_costs_its_own_row_only(
    tmp_path: Path, later: dict[int, str]
) -> None:
    lines = rows()
    lines[0] = '1,"unclosed text,2026-03-04\n'
    for place, line in later.items():
        lines[place] = line
    items, refusals = read(table(tmp_path, lines))
    assert [item.native_id for item in items] == [str(n) for n in range(2, 101)]
    assert [(row.item, row.reason) for row in refusals] == [("t.csv:2", "damaged row")]
    assert "a quote is not closed" in refusals[0].detail


def test_a_quote_that_another_rows_stray_quote_closes_swallows_nothing(tmp_path: Path) -> None:
    lines = rows()
    lines[0], lines[59] = '1,"unclosed text,2026-03-04\n', '60,stray text",2026-03-05\n'
    items, refusals = read(table(tmp_path, lines))
    assert len(items) == 99
    assert [row.item for row in refusals] == ["t.csv:2"]


def test_a_file_that_is_cut_inside_a_quoted_cell_says_how_many_lines_that_has(
    tmp_path: Path,
) -> None:
    path = table(tmp_path, ['1,x,2026-03-04\n2,"first line\nsecond line\nthi'])
    items, refusals = read(path)
    assert [item.text for item in items] == ["x"]
    assert [(row.item, row.detail) for row in refusals] == [
        ("t.csv:3", "a quote is not closed, 3 lines")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Yes, well, no\nthis, too, is three\n\nend",
        'he said "so", she\n"said" nothing, or, maybe',
        "list:\n2, milk, 3\n3, eggs, 4\nbread",
        "\n\n",
    ],
)
@pytest.mark.parametrize("order", [("id", "text", "url"), ("text", "id", "url"), ("url", "id", "text")])  # fmt: skip
def test_cells_of_several_lines_are_read_whole(
    tmp_path: Path, text: str, order: tuple[str, ...]
) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, order)
        writer.writeheader()
        for n in range(3):
            words = text if n == 1 else f"row {n}"
            writer.writerow({"id": n, "text": words, "url": f"https://a.example/{n}"})
    items, refusals = read(path)
    assert "damaged row" not in reasons(refusals)
    if text.strip():
        assert items[1].text == text


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\0")), min_size=2, max_size=2),
        min_size=1,
        max_size=8,
    )
)  # fmt: skip
@settings(max_examples=150)
def test_valid_tables_of_words_are_read_as_the_csv_module_reads_them(
    cells: list[list[str]],
) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([["a", "b"], *cells])
    text = stream.getvalue().splitlines(keepends=True) if "\n" in stream.getvalue() else []
    lines = io.StringIO("".join(text), newline="\n")
    found = [record.cells for record in records(iter(list(lines)), ",")]
    assert found == [["a", "b"], *cells]


# -- platforms and outlets -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "publisher"),
    [("新华网", "新华网"), ("reuters", "reuters"), ("https://www.bbc.co.uk/news", "bbc.co.uk"), ("", "a.example")],
)  # fmt: skip
def test_an_outlet_is_no_platform_and_its_row_an_article(
    tmp_path: Path, source: str, publisher: str
) -> None:
    row = {"标题": "渡轮停航", "内容": "渡轮今天停航了。", "来源": source, "发布时间": "2026-03-05 08:30"}  # fmt: skip
    item = only(read(json_lines(tmp_path, row | {"链接": "https://a.example/1"})))
    assert (item.platform, item.kind, item.publisher) == ("table", "article", publisher)


@pytest.mark.parametrize(
    ("named", "platform"),
    [("微博", "weibo"), ("小红书", "xhs"), ("抖音", "douyin"), ("知乎", "zhihu"), ("贴吧", "tieba"), ("B站", "bilibili"),
     ("Twitter", "x"), ("X", "x"), ("reddit", "reddit"), ("bluesky", "bluesky")],
)  # fmt: skip
@pytest.mark.parametrize("column", ["platform", "来源"])
def test_known_platforms_make_posts_whatever_they_are_called(
    tmp_path: Path, named: str, platform: str, column: str
) -> None:
    row = {
        "id": "5",
        "text": "停航了",
        "title": "渡轮",
        "url": "https://a.example/1",
        column: named,
    }
    item = only(read(json_lines(tmp_path, row)))
    assert (item.platform, item.kind, item.publisher) == (platform, "post", "")
    assert item.item_id == Ids("s").item(platform, "5")


# -- times ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["抓取时间", "crawl_time", "fetched_at", "collected_at", "scraped_at"])  # fmt: skip
def test_a_relative_time_is_counted_from_the_rows_own_crawl(tmp_path: Path, column: str) -> None:
    row = {"id": "5", "text": "停航了", "published": "3天前", column: "2026-03-08 09:00"}
    item = only(read(json_lines(tmp_path, row)))
    assert item.published_at == datetime(2026, 3, 5, 4, tzinfo=UTC)
    assert item.fetched_at == datetime(2026, 3, 8, 1, tzinfo=UTC)


@pytest.mark.parametrize("crawl", [{}, {"crawl_time": ""}, {"crawl_time": "昨天"}])
def test_a_relative_time_without_a_crawl_is_no_date_whenever_the_file_is_imported(
    tmp_path: Path, crawl: dict[str, str]
) -> None:
    row = {"id": "5", "text": "停航了", "published": "3天前"} | crawl
    item = only(read(json_lines(tmp_path, row)))
    assert (item.published_at, item.precision) == (None, "none")
    assert (item.published_raw, item.fetched_at) == ("3天前", FETCHED)


def test_the_table_says_that_relative_times_had_no_crawl(tmp_path: Path) -> None:
    from sources.imports.table import Table

    reader = Table(CONTEXT)
    list(reader.read(json_lines(tmp_path, {"id": "5", "text": "x", "published": "2 days ago"})))
    assert "relative to a crawl" in reader.report.notes[0]


def test_articles_without_a_crawl_have_no_relative_date(tmp_path: Path) -> None:
    path = tmp_path / "articles.json"
    row = {"url": "https://a.example/1", "title": "t", "content": "停航了", "date": "3天前"}
    crawled = row | {"url": "https://a.example/2", "fetched_at": "2026-03-08T01:00:00Z"}
    path.write_text(json.dumps([row, crawled]), encoding="utf-8")
    first, second = read(path)[0]
    assert first.published_at is None
    assert second.published_at == datetime(2026, 3, 5, 4, tzinfo=UTC)


# -- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_answer_to_a_comment_points_to_it(tmp_path: Path, newest_first: bool, form: str) -> None:
    found = [
        {"id": "P1", "type": "post", "text": "渡轮停了", "parent_id": ""},
        {"id": "C1", "type": "comment", "text": "什么时候", "parent_id": "P1"},
        {"id": "C2", "type": "comment", "text": "下周", "parent_id": "C1"},
    ]
    found = found[::-1] if newest_first else found
    if form == "csv":
        lines = [",".join(row.values()) + "\n" for row in found]
        path = table(tmp_path, lines, "id,type,text,parent_id\n")
    else:
        path = json_lines(tmp_path, *({k: v for k, v in row.items() if v} for row in found))
    items = {item.native_id: item for item in read(path)[0]}
    assert items["C1"].parent_id == items["P1"].item_id
    assert items["C2"].parent_id == items["C1"].item_id


def test_a_column_of_answered_comments_and_one_of_posts_are_told_apart(tmp_path: Path) -> None:
    rows_ = [
        {"id": "7", "type": "post", "text": "渡轮停了"},
        {"id": "7", "type": "comment", "text": "什么时候", "parent_id": "7", "parent_comment_id": "0"},
        {"id": "8", "type": "comment", "text": "下周", "parent_id": "7", "parent_comment_id": "7"},
    ]  # fmt: skip
    post, first, second = read(json_lines(tmp_path, *rows_))[0]
    assert first.parent_id == post.item_id
    assert (second.parent_id, second.root_id) == (first.item_id, post.item_id)


# -- the map of the settings ---------------------------------------------------------------------


def test_columns_of_the_settings_that_a_table_lacks_are_said(tmp_path: Path) -> None:
    from sources.imports.table import Table

    columns = {"text": "w", "published": "d"}
    context = SourceContext(fetched_at=FETCHED, zone="UTC", salt="s", settings={"columns": columns})
    reader = Table(context)
    assert len(list(reader.read(json_lines(tmp_path, {"w": "x"})))) == 1
    assert "t.jsonl lacks d of collect.columns" in reader.report.notes
    dated = Table(context)
    path = json_lines(tmp_path, {"w": "x"}, {"w": "y", "d": "2026-03-05 08:30+08:00"})
    assert [item.published_at for item in dated.read(path)] == [None, WHEN]


def test_a_saved_page_has_no_relative_date_and_an_absolute_one(tmp_path: Path) -> None:
    words = (
        "<p>渡轮今天停航了，港口的人说不知道什么时候恢复，旅客只能改乘巴士，排队的人很多。</p>" * 5
    )
    for name, when in (("a", "3小时前"), ("b", "2026-03-05T08:30:00+08:00")):
        head = f'<title>停航</title><meta property="article:published_time" content="{when}">'
        page = f"<html><head>{head}</head><body><article>{words}</article></body></html>"
        (tmp_path / f"{name}.html").write_text(page, encoding="utf-8")
    assert [item.published_at for item in read(tmp_path)[0]] == [None, WHEN]
