"""Imports: each platform's export, recorded traffic, tables; real payloads as one folder."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas import Item
from sources.base import Refusal, SourceContext, SourceError
from sources.imports.detect import detect, open_importer, read_files
from sources.imports.mediacrawler import SHAPES

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
CONTEXT = SourceContext(fetched_at=FETCHED, zone="Asia/Shanghai", salt="s")
WHEN = datetime(2026, 3, 5, 0, 30, tzinfo=UTC)
SECONDS = 1772670600


def read(path: Path, format_: str = "auto") -> tuple[list[Item], list[Refusal]]:
    items: list[Item] = []
    refusals: list[Refusal] = []
    for result, found in read_files(path, CONTEXT, format_):
        items += found
        refusals += result.report.refusals
    return items, refusals


def strictly(path: Path, format_: str = "auto") -> list[Item]:
    return [item for _, found in read_files(path, CONTEXT, format_, strict=True) for item in found]


POSTS: dict[str, dict[str, Any]] = {
    "xhs": {"note_id": "65a1", "time": SECONDS * 1000, "title": "渡轮", "desc": "停航了", "liked_count": "1.2万",
            "collected_count": "3", "comment_count": "10+", "share_count": "", "tag_list": "", "note_url": "https://x/1"},
    "douyin": {"aweme_id": "7300000000000000001", "create_time": SECONDS, "title": "停航了", "desc": "停航了",
               "liked_count": "12000", "comment_count": "10", "aweme_url": "https://d/1"},
    "bilibili": {"video_id": 987, "create_time": SECONDS, "title": "渡轮", "desc": "停航了", "liked_count": "1.2w",
                 "video_play_count": "10", "video_danmaku": "1", "video_comment": "10", "video_url": "https://b/1"},
    "weibo": {"note_id": 5001, "create_time": SECONDS, "create_date_time": "2026-03-05 08:30:00", "content": "停航了",
              "liked_count": "1.2万", "comments_count": "10", "shared_count": "0", "note_url": "https://w/1"},
    "zhihu": {"content_id": "55", "content_type": "answer", "created_time": SECONDS, "title": "渡轮", "desc": "短",
              "content_text": "停航了", "voteup_count": 12000, "comment_count": 10, "content_url": "https://z/1"},
    "tieba": {"note_id": "88", "publish_time": "2026-03-05 08:30", "title": "渡轮", "desc": "停航了",
              "tieba_name": "蓝渡吧", "total_replay_num": 10, "note_url": "https://t/1"},
    "kuaishou": {"video_id": "3x", "create_time": SECONDS * 1000, "title": "停航了", "desc": "停航了",
                 "liked_count": "12000", "viewd_count": "10", "video_url": "https://k/1"},
}  # fmt: skip
for _row in POSTS.values():
    _row |= {"last_modify_ts": SECONDS * 1000 + 86_400_000, "source_keyword": "渡轮"}


def comment(platform: str, **extra: Any) -> dict[str, Any]:
    shape = SHAPES[platform]
    time = "publish_time" if platform in ("zhihu", "tieba") else "create_time"
    value: Any = SECONDS * (1000 if platform in ("xhs", "kuaishou") else 1)
    row = {
        "comment_id": "9001",
        shape.post: POSTS[platform][shape.post],
        "content": "太远了",
        time: value,
    }
    return row | {shape.comment_likes: "5", "last_modify_ts": SECONDS * 1000 + 86_400_000} | extra


@pytest.mark.parametrize("platform", sorted(SHAPES))
@pytest.mark.parametrize("ext", ["json", "jsonl", "csv", "db"])
def test_every_platforms_export_is_read_in_every_format(
    tmp_path: Path, platform: str, ext: str
) -> None:
    post, reply = POSTS[platform], comment(platform, parent_comment_id="0")
    folder = tmp_path / platform
    folder.mkdir()
    if ext == "db":
        with sqlite3.connect(folder / "media.db") as database:
            for table, row in zip(SHAPES[platform].tables, (post, reply), strict=True):
                database.execute(f"CREATE TABLE {table} ({', '.join(row)})")
                database.execute(
                    f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", list(row.values())
                )
        database.close()
    for name, row in (("contents", post), ("comments", reply)):
        path = folder / f"search_{name}_2026-03-06.{ext}"
        if ext == "json":
            path.write_text(json.dumps([row], ensure_ascii=False), encoding="utf-8")
        elif ext == "jsonl":
            path.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
        elif ext == "csv":
            with path.open("w", encoding="utf-8-sig", newline="") as stream:
                writer = csv.DictWriter(stream, list(row))
                writer.writeheader()
                writer.writerow(row)
    items, refusals = read(folder)
    assert not refusals
    by_kind = {item.kind: item for item in items}
    assert by_kind.keys() == {"post", "comment"}
    made = by_kind["post"]
    assert (made.platform, made.published_at, made.text) == (platform, WHEN, "停航了")
    assert made.fetched_at == datetime(2026, 3, 6, 0, 30, tzinfo=UTC)
    assert 10 in made.engagement.values()
    if platform != "tieba":
        assert made.engagement["likes"] == 12000
    answer = by_kind["comment"]
    assert answer.parent_id == answer.root_id == made.item_id
    assert answer.published_at == WHEN
    assert answer.item_id != made.item_id


def test_a_reply_answers_its_comment_and_ids_keep_their_digits(tmp_path: Path) -> None:
    path = tmp_path / "douyin_comments.jsonl"
    first, second = (
        comment("douyin"),
        comment("douyin", comment_id=7300000000000000123, parent_comment_id="9001"),
    )
    path.write_text("\n".join(map(json.dumps, (first, second))), encoding="utf-8")
    items, _ = read(path)
    assert items[1].native_id == "7300000000000000123"
    assert items[1].parent_id == items[0].item_id
    assert items[1].root_id == items[0].root_id


def test_ids_that_a_spreadsheet_rounded_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weibo.jsonl"
    path.write_text(json.dumps(POSTS["weibo"] | {"note_id": "5.0E+15"}), encoding="utf-8")
    items, refusals = read(path)
    assert not items
    assert refusals[0].reason == "no usable id"


def test_a_table_is_read_by_its_column_map(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("楼层,说了什么,几时\n1,渡轮停了,2026年3月5日 08:30\n2,,x\n", encoding="gb18030")
    with pytest.raises(SourceError, match="no import format fits"):
        detect(path)
    items, refusals = read(path, "table:text=说了什么;published=几时;id=楼层")
    assert [(i.text, i.published_at, i.kind) for i in items] == [("渡轮停了", WHEN, "post")]
    assert refusals[0].reason == "no words"
    for wrong, why in (
        ("table:colour=x", "field of"),
        ("table:id=楼层", "text column"),
        ("html:x=y", "no options"),
    ):
        with pytest.raises(SourceError, match=why):
            open_importer(wrong, path, CONTEXT)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_the_separator_of_a_table_is_told_from_its_heading(
    tmp_path: Path, delimiter: str, suffix: str
) -> None:
    path = tmp_path / f"t.{suffix}"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["text", "published", "id"])
        writer.writerow(["渡轮停了, 他说; 明天也停\t", "2026-03-05 08:30", "1"])
    assert detect(path) == "table"
    items, refusals = read(path)
    assert not refusals
    assert [(i.text, i.published_at, i.native_id) for i in items] == [
        ("渡轮停了, 他说; 明天也停", WHEN, "1")
    ]


def test_one_column_and_commas_in_words_are_no_other_separator(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Was\nso it goes\n", encoding="utf-8")
    assert [item.text for item in read(path, "table:text=Was")[0]] == ["so it goes"]
    path.write_text('"text","a;b;c"\n"x;y;z","7"\n', encoding="utf-8")
    assert [item.text for item in read(path, "table")[0]] == ["x;y;z"]


@pytest.mark.parametrize("body", ["Nr,Was\n1,x\n", "Nr;Was\n1;x\n"])
def test_a_column_that_a_table_lacks_is_said_once_with_those_it_has(
    tmp_path: Path, body: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(body + f"2{body[2]}y\n", encoding="utf-8")
    for format_, why in (
        ("table:text=Wass", "no column 'Wass'; its columns are Nr, Was"),
        ("table:text=Was;published=Wan;id=N", "no column 'Wan' and no column 'N'"),
        ("table", "table:text=NAME.* its columns are Nr, Was"),
    ):
        with pytest.raises(SourceError, match=why):
            strictly(path, format_)
        items, refusals = read(path, format_)
        assert not items
        assert [row.reason for row in refusals] == ["unreadable"]


def test_a_column_that_only_some_rows_have_is_there(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"w": "x"}\n{"w": "y", "d": "2026-03-05"}\n', encoding="utf-8")
    items, refusals = read(path, "table:text=w;published=d")
    assert len(items) == 2
    assert not refusals


@pytest.mark.parametrize("mark", [",", "，", "；", " ", " , ", "&"])
def test_a_column_map_parted_otherwise_is_refused_with_the_right_form(
    tmp_path: Path, mark: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Was,Wann\nx,2026-03-05\n", encoding="utf-8")
    with pytest.raises(SourceError, match="'table:text=Was;published=Wann;id=Nr'"):
        open_importer(f"table:text=Was{mark}published=Wann; id=Nr", path, CONTEXT)


@pytest.mark.parametrize(
    ("name", "body", "place"),
    [
        ("a.json", '[{"x": 1},\n {"x": }]', "line 2, column 8"),
        ("a.json", " ", "line 1, column 2"),
        ("a.json", '[{"text": "x", "date": "2026-03-05"},\n {"text": }]', "line 2, column 11"),
        ("a.jsonl", '{"x": 1}\n\n{broken\n', "line 3, column 2"),
    ],
)
def test_broken_json_is_called_so_with_its_line(
    tmp_path: Path, name: str, body: str, place: str
) -> None:
    path = tmp_path / name
    path.write_text(body, encoding="utf-8")
    with pytest.raises(SourceError, match=rf"{name} is no valid JSON \({place}"):
        strictly(path)
    (tmp_path / "other.bin").write_bytes(b"\x00")
    _, refusals = read(tmp_path)
    reasons = {row.item: row.reason for row in refusals}
    assert reasons.pop("other.bin") == "no format fits"
    assert set(reasons.values()) <= {"invalid JSON", "unreadable"}
    assert any(place in row.detail for row in refusals)


def test_valid_json_of_no_format_and_a_named_format_that_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"x": 1}', encoding="utf-8")
    with pytest.raises(SourceError, match="no import format fits"):
        detect(path)
    note = tmp_path / "note.txt"
    note.write_text("hello", encoding="utf-8")
    for format_, why in (("mediacrawler", "of MediaCrawler; give"), ("table", "is no csv, tsv")):
        with pytest.raises(SourceError, match=f"note.txt .*{why}"):
            strictly(note, format_)


def test_a_row_beyond_the_csv_limit_and_a_table_without_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"text,id\nx,1\n{'y' * 10_000_001},2\n", encoding="utf-8")
    items, refusals = read(path)
    assert [item.text for item in items] == ["x"]
    assert [row.reason for row in refusals] == ["damaged row"]
    path.write_text("text,id\n", encoding="utf-8")
    assert [row.reason for row in read(path, "table")[1]] == ["no rows"]


def test_usual_columns_need_no_map(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        json.dumps({"id": 5, "content": "The ferry is gone.", "created_at": "2026-03-05T08:30:00+08:00", "platform": "wb",
                    "type": "comment", "parent_id": "4", "liked_count": "3"}),
        encoding="utf-8",
    )  # fmt: skip
    items, _ = read(path)
    assert (items[0].platform, items[0].kind, items[0].published_at) == ("weibo", "comment", WHEN)
    assert items[0].engagement == {"likes": 3}


def test_a_file_that_two_formats_fit_asks_for_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sources.imports.html_folder import HtmlPage

    monkeypatch.setattr(HtmlPage, "fits", classmethod(lambda cls, path, head: True))
    path = tmp_path / "f.xml"
    path.write_text("<rss><channel><item><title>x</title></item></channel></rss>", encoding="utf-8")
    with pytest.raises(SourceError, match="feed or html"):
        detect(path)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.yaml", "interactions:\n- request: {uri: [\n"),
        ("a.json", '{"interactions": [{"request": 1'),
        ("w.gz", "\x1f\x8b\x08broken"),
    ],
)
def test_damaged_files_are_refused_with_a_reason(tmp_path: Path, name: str, body: str) -> None:
    path = tmp_path / name
    path.write_bytes(body.encode("latin-1"))
    (tmp_path / "other.bin").write_bytes(b"\x00")
    items, refusals = read(tmp_path)
    assert not items
    assert {Path(row.item.split("#")[0]).name for row in refusals} == {name, "other.bin"}


@pytest.fixture(scope="module")
def payloads(testdata: Path) -> tuple[list[Item], Counter[str], Counter[str], Counter[str]]:
    """Everything recorded and saved by others, imported as one folder."""
    items: list[Item] = []
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    formats: Counter[str] = Counter()
    for result, found in read_files(testdata / "data" / "payloads", CONTEXT):
        items += found
        outcomes.update(result.report.outcomes)
        reasons.update(row.reason for row in result.report.refusals)
        formats[result.format] += 1
    return items, outcomes, reasons, formats


def test_real_payloads_give_plausible_items(
    payloads: tuple[list[Item], Counter[str], Counter[str], Counter[str]],
) -> None:
    items, outcomes, reasons, formats = payloads
    kinds = Counter((item.platform, item.kind) for item in items)
    assert 2200 <= kinds["reddit", "comment"] <= 2600
    assert 120 <= kinds["reddit", "post"] <= 160
    assert 200 <= kinds["mastodon", "post"] <= 240
    assert kinds["mastodon", "comment"] >= 3
    assert kinds["web", "article"] == 29
    assert kinds["rss", "article"] >= 20
    languages = Counter(item.lang for item in items if item.platform == "web")
    assert languages == {"zh": 24, "en": 5}
    assert formats["captures"] >= 43
    assert formats["html"] == 29
    assert formats["feed"] == 146
    assert outcomes["ok"] > 200
    assert reasons["deleted"] >= 30
    assert reasons["not public"] == 3
    assert {"empty", "no format fits", "no items in the answer", "status 404"} <= set(reasons)


def test_real_payloads_are_dated_and_hide_their_authors(
    payloads: tuple[list[Item], Counter[str], Counter[str], Counter[str]],
) -> None:
    items = payloads[0]
    social = [item for item in items if item.platform in ("reddit", "mastodon")]
    assert all(item.published_at and item.tz_source == "explicit" for item in social)
    assert all(item.published_at is not None for item in items if item.platform == "web")
    assert all(len(item.author_hash) in (0, 16) for item in items)
    first = next(item for item in items if item.native_id == "117020593741189701")
    assert first.published_at == datetime(2026, 8, 1, 13, 55, 55, tzinfo=UTC)
    assert "#hoot (hashtag toot)" in first.text
    assert first.engagement == {"replies": 0, "reposts": 0, "likes": 0}


def test_the_recorded_thread_keeps_its_tree(testdata: Path) -> None:
    items, _ = read(
        testdata / "data" / "payloads" / "reddit" / "TestCommentForest.test_replace__all.json"
    )
    comments = {item.item_id: item for item in items if item.kind == "comment"}
    posts = {item.item_id for item in items if item.kind == "post"}
    assert len(comments) > 480
    assert {item.root_id for item in comments.values()} == posts
    linked = sum(
        item.parent_id in comments or item.parent_id in posts for item in comments.values()
    )
    assert linked > 0.9 * len(comments)


@pytest.mark.parametrize("form", ["jsonl", "csv", "db"])
def test_a_comment_without_an_id_is_refused_and_never_replaces_its_post(
    tmp_path: Path, form: str
) -> None:
    post, lost = POSTS["weibo"], comment("weibo", comment_id="")
    folder = tmp_path / "weibo"
    folder.mkdir()
    if form == "db":
        with sqlite3.connect(folder / "media.db") as database:
            for table, row in zip(SHAPES["weibo"].tables, (post, lost), strict=True):
                database.execute(f"CREATE TABLE {table} ({', '.join(row)})")
                marks = ", ".join("?" * len(row))
                database.execute(f"INSERT INTO {table} VALUES ({marks})", list(row.values()))
        database.close()
    else:
        for name, row in (("contents", post), ("comments", lost)):
            path = folder / f"{name}.{form}"
            with path.open("w", encoding="utf-8", newline="") as stream:
                if form == "jsonl":
                    stream.write(json.dumps(row, ensure_ascii=False))
                else:
                    writer = csv.DictWriter(stream, list(row))
                    writer.writeheader()
                    writer.writerow(row)
    items, refusals = read(folder)
    assert [(item.kind, item.text) for item in items] == [("post", "停航了")]
    assert [row.reason for row in refusals] == ["no usable id"]
    place = {"jsonl": "comments.jsonl:1", "csv": "comments.csv:2", "db": "media.db:weibo_note_comment:1"}  # fmt: skip
    assert refusals[0].item == place[form]


def test_addresses_of_posts_hold_no_tokens(tmp_path: Path) -> None:
    path = tmp_path / "xhs.jsonl"
    url = "https://www.xiaohongshu.com/explore/65a1?xsec_token=ABc%3D&xsec_source=pc_search&type=b"
    path.write_text(json.dumps(POSTS["xhs"] | {"note_url": url}), encoding="utf-8")
    items, _ = read(path)
    assert items[0].url == "https://www.xiaohongshu.com/explore/65a1?type=b"
    assert "token" not in items[0].model_dump_json()


def test_relative_times_of_an_export_without_its_crawl_are_no_dates(tmp_path: Path) -> None:
    path = tmp_path / "tieba.jsonl"
    row = POSTS["tieba"] | {"publish_time": "3天前"}
    undated = row | {"note_id": "89", "last_modify_ts": None}
    path.write_text("\n".join(map(json.dumps, (row, undated))), encoding="utf-8")
    items, _ = read(path)
    assert [item.published_at for item in items] == [datetime(2026, 3, 3, 4, tzinfo=UTC), None]
