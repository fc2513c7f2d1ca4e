"""Rows without ids: what two people say in the same words, or at the same address, is two things."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from factory import importing
from factory.settings import Settings
from schemas import Item
from tests.sources.reading import read

CHEER = "支持！加油"
DAYS = ("2026-03-01", "2026-03-02", "2026-03-03")


def rows_of(path: Path, rows: list[dict[str, str]]) -> list[Item]:
    """Items of a csv, or of JSON lines when the path says so."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    items, refusals = read(path, "table")
    assert not refusals
    assert [item.item_id for item in items] == [item.item_id for item in read(path, "table")[0]]
    return items


def different(items: list[Item]) -> int:
    assert len({item.item_id for item in items}) == len({item.native_id for item in items})
    return len({item.item_id for item in items})


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([{"author": f"u{n}", "date": day} for n, day in enumerate(DAYS)], 3),
        ([{"author": "u1", "date": day} for day in DAYS], 3),
        ([{"author": f"u{n}", "date": DAYS[0]} for n in range(3)], 3),
        ([{"author": f"u{n}"} for n in range(3)], 3),
        ([{"date": day} for day in DAYS], 3),
        ([{"date": DAYS[0]}] * 3, 3),
        ([{}] * 3, 3),
        ([{"author": "[deleted]"}] * 3, 3),
        ([{"author": "u1", "date": DAYS[0]}] * 3, 1),
        ([{"date": "2026-03-01 10:00:07"}] * 3, 1),
    ],
)  # fmt: skip
def test_the_same_words_are_one_thing_when_who_and_when_are_the_same(
    tmp_path: Path, name: str, rows: list[dict[str, str]], count: int
) -> None:
    assert different(rows_of(tmp_path / name, [{"text": CHEER} | row for row in rows])) == count


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([{"url": f"https://forum.example/t/1#p{n}", "text": f"{CHEER}{n}"} for n in range(3)], 3),
        ([{"url": f"https://app.example/#/t/{n}", "text": CHEER} for n in range(3)], 3),
        ([{"url": "https://forum.example/t/1", "author": f"u{n}", "text": CHEER} for n in range(3)], 3),
        ([{"url": "https://forum.example/t/1", "date": f"{day} 10:00", "text": day} for day in DAYS], 3),
        ([{"url": f"https://forum.example/t/1?utm_source={n}#p1", "text": CHEER} for n in range(3)], 1),
        ([{"url": "https://forum.example/t/1#p1", "author": "u1", "text": f"edit {n}"} for n in range(3)], 1),
    ],
)  # fmt: skip
def test_the_whole_address_tells_posts_apart(
    tmp_path: Path, rows: list[dict[str, str]], count: int
) -> None:
    items = rows_of(tmp_path / "t.csv", rows)
    assert different(items) == count
    assert items[0].native_id.startswith("https://")


def test_an_article_is_its_page_whatever_place_on_it_is_named(tmp_path: Path) -> None:
    row = {"title": "渡轮停航", "text": "渡轮今天停航了。", "author": "u1"}
    rows = [row | {"url": f"https://news.example/a#p{n}"} for n in range(2)]
    assert {item.native_id for item in rows_of(tmp_path / "t.csv", rows)} == {"https://news.example/a"}  # fmt: skip


def test_no_author_can_be_read_from_an_id(tmp_path: Path) -> None:
    (item,) = rows_of(tmp_path / "t.csv", [{"text": CHEER, "author": "alice", "date": DAYS[0]}])
    assert "alice" not in item.model_dump_json()
    assert item.author_hash
    assert item.author_hash not in item.native_id


def test_the_days_of_short_posts_are_all_in_the_coverage(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows_of(path, [{"text": CHEER, "author": f"u{n}", "date": d} for n, d in enumerate(DAYS)])
    report = importing.import_report(path, Settings(), zone="Asia/Shanghai")
    (coverage,) = report.coverage
    assert not report.rejections
    assert (coverage.items, coverage.first, coverage.last) == (
        3, report.items[0].published_at, report.items[-1].published_at,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([{"author": f"u{n}"} for n in range(3)], 3),
        ([{"date": day} for day in DAYS], 3),
        ([{}] * 3, 3),
        ([{"author": "u1", "date": DAYS[0]}] * 3, 1),
    ],
)
def test_articles_without_an_address_are_told_by_who_and_when(
    tmp_path: Path, values: list[dict[str, Any]], count: int
) -> None:
    path = tmp_path / "articles.json"
    usual = {"url": "", "title": "", "content": CHEER, "date": ""}
    path.write_text(json.dumps([usual | row for row in values]), encoding="utf-8")
    items, refusals = read(path, "articles")
    assert not refusals
    assert different(items) == count
    assert [item.item_id for item in items] == [i.item_id for i in read(path, "articles")[0]]


def test_the_address_of_an_article_holds_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "articles.json"
    url = "https://user:SECRET@news.example/a?access_token=SECRET#access_token=SECRET"
    path.write_text(json.dumps([{"url": url, "title": "t", "content": CHEER, "date": ""}]))
    ((item,), _) = read(path, "articles")
    assert item.url == item.canonical_url == "https://news.example/a"
