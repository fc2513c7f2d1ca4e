"""Every importer of rows under damage: cuts, foreign bytes, values of every type. Each row ends somewhere."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sources.base import SourceError
from sources.imports.detect import open_importer
from tests.sources.reading import CONTEXT, SECONDS, registered
from tests.sources.test_import_official import COLUMNS, article, row
from tests.sources.test_import_reddit_archive import comment, submission
from tests.sources.test_import_warc import archive, page
from tests.sources.test_import_zeeschuimer import DOUYIN, TIKTOK, XHS, XHS_PAGE, X, line

__all__ = ["registered"]

WEIBO = {"note_id": "5001", "content": "停航了", "create_time": SECONDS, "liked_count": "1.2万", "comments_count": "3",
         "shared_count": "1", "last_modify_ts": SECONDS * 1000}  # fmt: skip
ROWS: dict[str, list[dict[str, Any]]] = {
    "mediacrawler": [WEIBO, WEIBO | {"comment_id": "9", "comment_like_count": "5"}],
    "reddit-archive": [submission(_meta={"retrieved_2nd_on": SECONDS}), comment()],
    "zeeschuimer": [
        line("xiaohongshu.com", XHS),
        line("xiaohongshu.com", XHS_PAGE),
        line("douyin.com", DOUYIN),
        line("tiktok.com", TIKTOK),
        line("twitter.com", X),
    ],
    "articles": [article(), article(text="x")],
    "societybench": [row(), row(type="comment", id="9", parent_id="8")],
    "table": [{"id": "1", "text": "x", "published": "2026-03-05", "likes": "3", "url": "https://a.example/1"}],
}  # fmt: skip
ODD: list[Any] = [None, True, -1, 0, 7.3e18, float("nan"), float("inf"), 10**400, "", "x" * 5000, "\ud83d", "\x00", [], {},
                  [[1]], {"a": {"b": []}}, "1e999", "9999999999999", "0000-00-00", "<p>", "\U0001f600" * 9]  # fmt: skip


def written(format_: str, rows: list[Any]) -> bytes:
    if format_ == "societybench":
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(values for values in rows if isinstance(values, dict))
        return stream.getvalue().encode("utf-8", "replace")
    if format_ == "articles":
        return json.dumps(rows).encode()
    return "".join(json.dumps(values) + "\n" for values in rows).encode()


def survives(path: Path, format_: str) -> tuple[int, int]:
    """Items and refusals of a file; anything but SourceError fails the test."""
    reader = open_importer(format_, path, CONTEXT)
    items = 0
    try:
        for item in reader.read(path):
            item.model_dump_json()
            items += 1
    except SourceError as error:
        reader.report.refuse(path.name, "unreadable", str(error))
    for refusal in reader.report.refusals:
        f"{refusal.item} {refusal.reason} {refusal.detail}".encode()
    return items, len(reader.report.refusals)


def spoiled(value: Any, rng: random.Random) -> Any:
    """The same value with one member, at any depth, of another type or absent."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {other: kept for other, kept in value.items() if other != key}
        return value | {key: spoiled(value[key], rng)}
    return rng.choice(ODD)


@pytest.mark.parametrize("format_", sorted(ROWS))
def test_values_of_any_type_give_an_item_or_a_refusal_for_each_row(
    tmp_path: Path, format_: str
) -> None:
    rng = random.Random(7)
    suffix = {"articles": "json", "societybench": "csv"}.get(format_, "jsonl")
    good = ROWS[format_]
    rows = [*good, *(spoiled(rng.choice(good), rng) for _ in range(400))]
    if format_ == "table":  # what has no column of words at all is refused as a whole
        rows = [values if isinstance(values, dict) else {"text": values} for values in rows]
    path = tmp_path / f"weibo.{suffix}"
    path.write_bytes(written(format_, rows))
    items, refusals = survives(path, format_)
    seen = [values for values in rows if isinstance(values, dict)]
    expected = len(seen) if format_ == "societybench" else len(rows)
    assert items + refusals == expected
    assert items >= len(good)


@pytest.mark.parametrize("format_", sorted(ROWS))
@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cuts_and_foreign_bytes_never_crash_an_importer(
    tmp_path: Path, format_: str, data: st.DataObject
) -> None:
    suffix = {"articles": "json", "societybench": "csv"}.get(format_, "jsonl")
    text = bytearray(written(format_, ROWS[format_]))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    del text[data.draw(st.integers(0, len(text))) :]
    path = tmp_path / f"weibo.{suffix}"
    path.write_bytes(bytes(text))
    items, refusals = survives(path, format_)
    whole = [part for part in bytes(text).split(b"\n") if part.strip()]
    if suffix == "jsonl" and whole:
        assert items + refusals >= 1


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cuts_and_foreign_bytes_never_crash_the_reading_of_an_archive(
    tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / "a.warc"
    packed = data.draw(st.booleans())
    archive(path, *[("https://a.example/1", "200 OK", "text/html", page())] * 2, packed=packed)
    text = bytearray(path.read_bytes())  # its ids and so its length differ each time
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, 4000)) % len(text)
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    path.write_bytes(bytes(text))
    items, refusals = survives(path, "warc")
    assert items + refusals >= 1
