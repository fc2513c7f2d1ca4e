"""Files as streams: packing, encodings, arrays of any length, and rows that are no rows."""

from __future__ import annotations

import gzip
import json
import sqlite3
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.base import Report, SourceContext, SourceError
from sources.imports import arrays, streams
from sources.imports.arrays import BadJson, array_problem, elements
from sources.imports.cells import cut_columns, text_id, whole, words
from sources.imports.detect import detect
from sources.imports.rows import read_rows
from tests.sources.reading import FETCHED, SECONDS, WHEN, read, reasons, registered
from tests.sources.test_import_warc import page

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["registered"]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 7)


@given(
    data=st.binary(max_size=400), size=st.integers(4, 40), pack=st.sampled_from(["", "gz", "zst"])
)
@settings(max_examples=60)
def test_blocks_are_the_bytes_of_the_file_however_it_is_packed(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int, pack: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK", size)
        path = tmp_path_factory.mktemp("b") / "f"
        packed = {"": bytes, "gz": gzip.compress, "zst": zstd.compress}[pack](data)
        if not pack and streams.packing(data):
            return
        path.write_bytes(packed * (2 if pack else 1))
        assert b"".join(streams.blocks(path)) == data * (2 if pack else 1)
        assert all(len(block) <= size for block in streams.blocks(path))


@given(
    values=st.lists(JSON, max_size=6), indent=st.sampled_from([None, 1]), size=st.integers(1, 30)
)
@settings(max_examples=80)
def test_elements_are_those_of_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], indent: int | None, size: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK", size)
        path = tmp_path_factory.mktemp("e") / "f.json"
        path.write_text(json.dumps(values, indent=indent, ensure_ascii=False), "utf-8", "replace")
        assert list(elements(path)) == json.loads(path.read_text("utf-8"))


@given(values=st.lists(JSON, min_size=1, max_size=4), cut=st.data())
@settings(max_examples=80)
def test_a_broken_array_is_broken_for_json_too_and_at_the_same_place(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], cut: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK", 11)
        text = json.dumps(values, indent=1)
        at = cut.draw(st.integers(1, len(text) - 1))
        text = text[:at] + cut.draw(st.sampled_from(["", "}", ",", "x", '"', "]"])) + text[at:][1:]
        path = tmp_path_factory.mktemp("x") / "f.json"
        path.write_text(text, encoding="utf-8")
        wanted = ""
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            wanted = f"line {error.lineno}, "
        assert array_problem(path).startswith(wanted)
        assert bool(array_problem(path)) == bool(wanted)


def test_an_array_is_read_in_the_memory_of_an_element(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("w", encoding="utf-8") as stream:
        stream.write("[")
        for number in range(8_000):
            row = {"text": "停航了" * 300, "date": "2026-03-05", "id": str(number)}
            stream.write(("," if number else "") + json.dumps(row, ensure_ascii=False))
        stream.write("]")
    assert path.stat().st_size > 20_000_000
    tracemalloc.start()
    assert sum(1 for _ in read_rows(path, Report())) == 8_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12_000_000


def test_an_element_without_end_is_not_read_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "MAX_ROW", 2_000_000)
    path = tmp_path / "f.json"
    path.write_text('[{"x": "' + "y" * 9_000_000, encoding="utf-8")
    with pytest.raises(BadJson, match=r"line 1, column 8: Unterminated string.*an element of more"):
        list(elements(path))


def test_a_line_without_end_stops_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_ROW", 100_000)
    path = tmp_path / "f.jsonl.gz"
    row = json.dumps({"text": "x", "id": "1"}).encode() + b"\n"
    path.write_bytes(gzip.compress(row + b"\x00" * 30_000_000))
    items, refusals = read(path, "table")
    assert [item.text for item in items] == ["x"], "what stands before it is kept"
    assert "has a line of more than" in refusals[0].detail


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_encodings_of_tables(tmp_path: Path, encoding: str, suffix: str) -> None:
    rows = [(str(n), f"渡轮今天停航了，大家都在问为什么没有人通知 {n}") for n in range(1, 30)]
    if suffix == "csv":
        text = "id,text,published\n" + "".join(f"{n},{t},2026-03-05 08:30\n" for n, t in rows)
    else:
        text = "".join(
            json.dumps({"id": n, "text": t, "published": "2026-03-05 08:30"}, ensure_ascii=False)
            + "\n"
            for n, t in rows
        )
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(text.encode(encoding))
    items, refusals = read(path)
    assert [(item.native_id, item.text) for item in items] == rows
    assert {item.published_at for item in items} == {WHEN}
    assert not refusals


def test_one_line_in_another_encoding_does_not_spoil_the_others(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    good = '{"id": "%d", "text": "渡轮停航了，大家都在问为什么"}\n'
    path.write_bytes(
        (good % 1).encode() + (good % 2).encode("gb18030") + b'{"id": "3", "text": "' + b"\xff" * 40 + b'"}\n'
        + (good % 4).encode()
    )  # fmt: skip
    items, refusals = read(path)
    assert [item.native_id for item in items] == ["1", "2", "4"]
    assert [(row.item, row.reason) for row in refusals] == [("t.jsonl:3", "decode_error")]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_breaks_of_every_machine(tmp_path: Path, line_break: str) -> None:
    path = tmp_path / "t.csv"
    text = 'id,text\n1,"two\nlines"\n2,x\n'.replace("\n", line_break)
    path.write_bytes(text.encode())
    assert [item.text for item in read(path)[0]] == ["two\nlines", "x"]


@pytest.mark.parametrize(
    "wrong",
    ["7.3E+18", "7E+18", "7.3e18", 7.3e18, None, "", True, [1], {}, "'7.3E+18", '="7.3E+18"', '=""', '=" "'],
)  # fmt: skip
def test_ids_that_have_lost_digits_are_no_ids(wrong: object) -> None:
    assert text_id(wrong) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7300000000000000123, "7300000000000000123"),
        (" 65e6c1d8 ", "65e6c1d8"),
        (5.0, "5"),
        ("0", "0"),
        ("'7300000000000000123", "7300000000000000123"),
        (" '7300000000000000123 ", "7300000000000000123"),
        ('="7300000000000000123"', "7300000000000000123"),
        ('="3xf8enb8dbj6uig"', "3xf8enb8dbj6uig"),
        ("'3xf8enb8dbj6uig", "3xf8enb8dbj6uig"),
        ("'tis", "'tis"),
        ("'73'", "'73'"),
        ("=73", "=73"),
        ("t3_abc", "t3_abc"),
    ],
)
def test_ids_keep_every_digit_and_nothing_else(value: object, text: str) -> None:
    assert text_id(value) == text


def test_ids_that_were_rounded_before_they_were_protected_are_seen(tmp_path: Path) -> None:
    for guard in ("'%s", '"=""%s"""'):
        ids = [guard % f"730000000000{n}00000" for n in range(10, 30)]
        path = tmp_path / "t.csv"
        path.write_text("id,text\n" + "".join(f"{i},x y {i[-8:-4]}\n" for i in ids), "utf-8")
        items, refusals = read(path)
        assert not items
        assert reasons(refusals) == {"no usable id": 20}


@given(st.lists(st.integers(10**18, 10**19 - 1), min_size=1, max_size=60))
def test_columns_of_whole_ids_are_not_suspected(ids: list[int]) -> None:
    whole = [{"id": str(number // 10 * 10 + 1)} for number in ids]
    assert not cut_columns(whole)
    eaten = [{"id": str(number // 10_000 * 10_000), "n": "5"} for number in ids]
    assert cut_columns(eaten) == {"id"}


@given(st.text(st.characters()), st.sampled_from(["", "\ud83d", "\ude00"]))
def test_words_can_always_be_written(text: str, half: str) -> None:
    for value in (whole({text + half: [half + text]}), json.loads('"\\ud83d x"')):
        words(json.dumps(whole(value), ensure_ascii=False)).encode("utf-8")
    assert whole("\ud83d\ude00") == "\U0001f600"


@pytest.mark.parametrize("half", [b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\\ud800", b"\\uDFFF"])
@pytest.mark.parametrize("whole_file", [b"%s\n", b"[%s]"])
def test_halves_of_characters_are_lost_however_they_are_written(
    tmp_path: Path, half: bytes, whole_file: bytes
) -> None:
    row = b'{"id": "1", "text": "' + half + b'x", "published_at": "2026-03-05 08:30"}'
    path = tmp_path / "posts.json"
    path.write_bytes(whole_file % row)
    [item] = read(path, "table")[0]
    assert item.text.endswith("x")
    assert json.loads(item.model_dump_json())["text"] == item.text


def test_settings_map_the_columns_of_tables_that_have_them(tmp_path: Path) -> None:
    ours = tmp_path / "ours.csv"
    ours.write_text("楼层,说了什么,几时\n1,渡轮停了,2026年3月5日 08:30\n", encoding="utf-8")
    usual = tmp_path / "usual.csv"
    usual.write_text("id,text,published\n2,停了,2026-03-05 08:30\n", encoding="utf-8")
    columns = {"text": "说了什么", "published": "几时", "id": "楼层"}
    context = SourceContext(
        fetched_at=FETCHED, zone="Asia/Shanghai", salt="s", settings={"columns": columns}
    )
    items, refusals = read(tmp_path, context=context)
    assert not refusals
    assert [(item.native_id, item.text, item.published_at) for item in items] == [
        ("1", "渡轮停了", WHEN),
        ("2", "停了", WHEN),
    ]
    with pytest.raises(SourceError, match="no import format fits"):
        detect(ours)


def test_what_no_format_fits_says_what_was_looked_for_and_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Nr,Was\n1,x\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"columns are Nr, Was.*table:text=NAME") as caught:
        detect(path)
    for name in (
        "mediacrawler",
        "reddit-archive",
        "societybench",
        "zeeschuimer",
        "warc",
        "articles",
    ):
        assert f"{name}: " in str(caught.value)


def test_a_database_of_two_platforms_with_a_journal_and_bad_bytes(tmp_path: Path) -> None:
    path = tmp_path / "media #1.db"
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute(
        "CREATE TABLE weibo_note (note_id, content, create_time, comments_count, shared_count)"
    )
    database.execute("CREATE TABLE xhs_note (note_id, desc, time, note_url, tag_list, title)")
    database.execute("INSERT INTO weibo_note VALUES (5001, '停航了', ?, '3', '1')", [SECONDS])
    database.execute(
        "INSERT INTO xhs_note VALUES ('65a1', CAST(X'E5819CFFE888AA' AS TEXT), ?, '', '', '')",
        [SECONDS * 1000],
    )
    database.execute("INSERT INTO xhs_note VALUES ('65a2', X'00FF', 'soon', '', '', '')")
    database.commit()
    before = path.read_bytes()
    assert path.with_name("media #1.db-wal").stat().st_size, "the rows are in the journal only"
    items, refusals = read(tmp_path)
    assert [(item.platform, item.native_id, item.published_at) for item in items] == [
        ("xhs", "65a1", WHEN),
        ("weibo", "5001", WHEN),
    ]
    assert reasons(refusals) == {"no words": 1}
    assert refusals[0].item == "media #1.db:xhs_note:2"
    assert path.read_bytes() == before, "nothing is written"
    database.close()


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_packed_pages_and_exports_are_read_like_plain_ones(tmp_path: Path, packing: str) -> None:
    pack = gzip.compress if packing == "gz" else zstd.compress
    note = {"note_id": "1", "content": "停航了", "create_time": SECONDS, "comments_count": "1"}
    note |= {"shared_count": "1", "last_modify_ts": SECONDS * 1000}
    (tmp_path / f"weibo.jsonl.{packing}").write_bytes(pack(json.dumps(note).encode()))
    (tmp_path / f"page.html.{packing}").write_bytes(pack(page()))
    items, refusals = read(tmp_path)
    assert not refusals
    assert {(item.platform, item.published_at) for item in items} == {
        ("web", WHEN),
        ("weibo", WHEN),
    }


def test_a_document_that_grows_beyond_its_bound_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html.gz").write_bytes(gzip.compress(b"<html>" + b"\x00" * 70_000_000))
    items, refusals = read(tmp_path)
    assert not items
    assert "too large for one document" in refusals[0].detail


@given(st.lists(st.sampled_from([b"a", b"deleted", b"\n", b"dele", b"ted"])), st.integers(1, 9))
def test_lines_that_hold_a_word_are_those_of_all_lines(parts: list[bytes], block: int) -> None:
    data = b"".join(parts)
    cut = [data[i : i + block] for i in range(0, len(data), block)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "utf8_blocks", lambda _: iter(cut))
        found = list(streams.lines_holding(Path("x"), b"deleted"))
    assert found == [line for line in data.split(b"\n") if b"deleted" in line]


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_packed_databases_timelines_and_recordings_are_read(tmp_path: Path, packing: str) -> None:
    pack = gzip.compress if packing == "gz" else zstd.compress
    plain = tmp_path / "media.db"
    with sqlite3.connect(plain) as database:
        database.execute(
            "CREATE TABLE weibo_note (note_id, content, create_time, comments_count, shared_count)"
        )
        database.execute("INSERT INTO weibo_note VALUES (5001, '停航了', ?, '3', '1')", [SECONDS])
    database.close()
    folder = tmp_path / "packed"
    folder.mkdir()
    (folder / f"media.db.{packing}").write_bytes(pack(plain.read_bytes()))
    days = "# T\n\n### 2026-03-05\n\n**Event**: The ferry stopped.\n"
    (folder / f"t.md.{packing}").write_bytes(pack(days.encode()))
    feed = "<rss><channel><item><title>停航</title><guid>1</guid></item></channel></rss>"
    recording = {
        "request": {"uri": "https://a.example/feed", "method": "GET"},
        "response": {"status": {"code": 200}, "headers": {}, "body": {"string": feed}},
    }
    text = "interactions:\n- " + json.dumps(recording, ensure_ascii=False)
    (folder / f"traffic.yaml.{packing}").write_bytes(pack(text.encode()))
    items, refusals = read(folder)
    assert not refusals
    assert {item.origin.source for item in items} == {"mediacrawler", "timeline", "captures"}


def test_a_packed_database_beyond_its_bound_is_no_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "media.db.gz"
    path.write_bytes(gzip.compress(b"SQLite format 3\x00" + b"\x00" * 5_000_000))
    with streams.unpacked(path) as plain:
        assert plain.stat().st_size == 5_000_016
    assert not plain.exists(), "the copy is gone with its use"
    with (
        pytest.raises(SourceError, match="larger than 4 MiB"),
        streams.unpacked(path, limit=4 << 20),
    ):
        pass
