"""What the official pipeline hands on: articles.json and the verified CSV; and their neighbours in a folder."""

from __future__ import annotations

import csv
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from factory import importing
from factory.settings import Settings
from sources.ids import Ids
from sources.imports.detect import detect
from tests.sources.reading import CONTEXT, SECONDS, WHEN, read, reasons, registered
from tests.sources.test_import_reddit_archive import comment
from tests.sources.test_import_warc import archive, page
from tests.sources.test_import_zeeschuimer import TIKTOK, line

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["registered"]

COLUMNS = [
    *("platform", "type", "id", "parent_id", "parent_comment_id", "user_id", "user_name", "title", "content"),
    *("create_time", "create_timestamp", "liked_count", "comment_count", "share_count", "ip_location"),
    *("source_keyword", "url"),
]  # fmt: skip


def row(**values: Any) -> dict[str, Any]:
    usual = {
        "platform": "weibo",
        "type": "post",
        "id": "5233000445291476",
        "content": "停航了",
        "user_id": "77",
        "user_name": "洲菜",
        "create_time": "2026-03-05 08:30:00",
        "source_keyword": "渡轮",
        "ip_location": "广东",
    }
    return dict.fromkeys(COLUMNS, "") | usual | values  # fmt: skip


def table(path: Path, *rows: dict[str, Any], encoding: str = "utf-8-sig") -> Path:
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_posts_comments_and_answers_keep_their_tree(tmp_path: Path) -> None:
    path = table(
        tmp_path / "valid_data_llm_verified.csv",
        row(title="渡轮", url="https://weibo.com/1", liked_count="1.2万", comment_count="10万+", share_count="1,234"),
        row(type="comment", id="9001", parent_id="5233000445291476", content="太远了"),
        row(type="sub_comment", id="9002", parent_id="5233000445291476", parent_comment_id="9001", content="是啊"),
    )  # fmt: skip
    assert detect(path) == "societybench"
    (post, first, second), refusals = read(path)
    assert not refusals
    assert post.engagement == {"likes": 12_000, "replies": 100_000, "reposts": 1_234}
    assert [item.kind for item in (post, first, second)] == ["post", "comment", "comment"]
    assert first.parent_id == first.root_id == second.root_id == post.item_id
    assert second.parent_id == first.item_id
    assert {item.origin.query for item in (post, first, second)} == {"渡轮"}
    assert {item.licence for item in (post, first, second)} == {"platform-terms"}
    everything = "".join(item.model_dump_json() for item in (post, first, second))
    assert "广东" not in everything, "where a person was is not taken"
    assert "洲菜" not in everything
    assert '"77"' not in everything


@pytest.mark.parametrize(
    ("create_time", "stamp"),
    [
        ("2026-03-05 08:30:00", ""),
        (str(SECONDS), ""),
        (str(SECONDS * 1000), ""),
        ("", str(SECONDS * 1000)),
        ("garbled", str(SECONDS)),
        ("2026-03-05 08:30:00", "1.77267E+12"),
    ],
)
@pytest.mark.parametrize("platform", ["xhs", "kuaishou", "weibo"])
def test_every_kind_of_time_finds_its_day(
    tmp_path: Path, platform: str, create_time: str, stamp: str
) -> None:
    path = table(
        tmp_path / "v.csv", row(platform=platform, create_time=create_time, create_timestamp=stamp)
    )
    elsewhere = type(CONTEXT)(fetched_at=CONTEXT.fetched_at, zone="America/New_York", salt="s")
    (item,), _ = read(path, context=elsewhere)
    assert item.published_at == WHEN


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"id": "7.3E+18"}, "no usable id"),
        ({"id": ""}, "no usable id"),
        ({"type": "comment", "parent_id": "7.3E+18"}, "no usable id"),
        ({"type": "comment", "parent_id": ""}, "a comment without its post"),
        ({"content": ""}, "no words"),
        ({"platform": "myspace"}, "unknown platform or type"),
        ({"type": "like"}, "unknown platform or type"),
    ],
)
def test_rows_that_are_no_item_are_refused_with_their_line(
    tmp_path: Path, values: dict[str, str], reason: str
) -> None:
    items, refusals = read(table(tmp_path / "v.csv", row(), row(**values)))
    assert len(items) == 1
    assert [(refusal.item, refusal.reason) for refusal in refusals] == [("v.csv:3", reason)]


def test_digits_that_a_spreadsheet_zeroed_are_told_by_their_column(tmp_path: Path) -> None:
    eaten = [row(platform="douyin", id=f"73000000{n:07d}0000") for n in range(1, 8)]
    items, refusals = read(table(tmp_path / "v.csv", *eaten))
    assert not items
    assert reasons(refusals) == {"no usable id": 7}
    whole = [row(platform="douyin", id=f"73000000{n:07d}{n:04d}") for n in range(1, 8)]
    by_chance = row(platform="douyin", id="7300000000000000000")
    items, refusals = read(table(tmp_path / "v.csv", *whole, by_chance))
    assert len(items) == 8
    assert not refusals


def test_gb18030_and_a_later_line_in_another_encoding(tmp_path: Path) -> None:
    rows = [row(id=str(n), content=f"渡轮今天停航了，大家都在问为什么 {n}") for n in range(1, 41)]
    path = table(tmp_path / "v.csv", *rows, encoding="gb18030")
    items, refusals = read(path)
    assert [item.text for item in items] == [values["content"] for values in rows]
    assert not refusals
    path.write_bytes(path.read_bytes() + b"weibo,post,77,,,,,,\xff\xfe\xff\xfe broken,,,,,,,,\r\n")
    items, refusals = read(path)
    assert len(items) == 40
    assert reasons(refusals) == {"decode_error": 1}


def article(**values: Any) -> dict[str, Any]:
    usual = {
        "url": "https://news.example/a?utm_source=x",
        "title": "渡轮停航",
        "date": "2026年3月5日 08:30",
        "content": "<p>渡轮停航了。</p><p>居民不满。</p>",
    }
    return usual | values  # fmt: skip


def test_articles_are_web_pages(tmp_path: Path) -> None:
    path = tmp_path / "articles.json"
    rows = [article(), article(url="https://news.example/b", content=None, text="另一篇")]
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    assert detect(path) == "articles"
    (first, second), refusals = read(path)
    assert not refusals
    assert (first.platform, first.kind, first.licence) == ("web", "article", "publisher")
    assert first.text == "渡轮停航了。\n\n居民不满。" or first.text == "渡轮停航了。\n居民不满。"
    assert (first.published_at, first.tz_source) == (WHEN, "assumed")
    assert first.native_id == first.canonical_url == "https://news.example/a"
    assert first.item_id == Ids("s").item("web", "https://news.example/a")
    assert second.text == "另一篇"


def test_relative_dates_count_back_from_the_crawl_that_an_article_names(tmp_path: Path) -> None:
    path = tmp_path / "articles.json"
    path.write_text(json.dumps([article(date="3小时前", fetched_at="2026-03-05T03:30:00Z")]))
    ((item,), _) = read(path)
    assert item.published_at == WHEN
    assert item.fetched_at == datetime(2026, 3, 5, 3, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"content": "", "title": ""}, "no words"),
        ({"url": "javascript:alert(1)"}, "no web address"),
        ({"content": {"a": 1}, "title": None}, "no words"),
    ],
)
def test_articles_that_are_none_are_refused(
    tmp_path: Path, values: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "articles.json"
    path.write_text(json.dumps([article(), article(**values), 7]), encoding="utf-8")
    items, refusals = read(path)
    assert len(items) == 1
    assert [(row.item, row.reason) for row in refusals] == [
        ("articles.json#2", reason),
        ("articles.json#3", "damaged row"),
    ]


def test_lists_of_posts_are_no_articles(tmp_path: Path) -> None:
    path = tmp_path / "posts.json"
    path.write_text(json.dumps([article(platform="weibo", id="1")]), encoding="utf-8")
    assert detect(path) == "table"


def test_a_folder_of_all_formats_is_one_import_and_a_page_in_two_of_them_one_item(
    tmp_path: Path,
) -> None:
    table(tmp_path / "verified.csv", row(), row(type="comment", id="9", parent_id="5"))
    older = article(url="https://a.example/1", fetched_at="2026-03-05T12:00:00Z")
    (tmp_path / "articles.json").write_text(json.dumps([older, article()]), encoding="utf-8")
    archive(
        tmp_path / "crawl.warc.gz",
        ("https://a.example/1?utm_source=x", "200 OK", "text/html", page()),
    )
    (tmp_path / "RC_2026-03.zst").write_bytes(zstd.compress(json.dumps(comment()).encode()))
    (tmp_path / "captures.ndjson").write_text(
        json.dumps(line("tiktok.com", TIKTOK)), encoding="utf-8"
    )
    report = importing.import_report(tmp_path, Settings(), zone="Asia/Shanghai")
    assert report.formats == {
        "societybench": 1, "articles": 1, "warc": 1, "reddit-archive": 1, "zeeschuimer": 1,
    }  # fmt: skip
    assert len(report.items) == 6
    kept = next(item for item in report.items if item.native_id == "https://a.example/1")
    assert kept.origin.source == "warc", "the later crawl"
    assert [(refused.reason, place) for refused, place in zip(report.rejections, report.places, strict=True)] == [
        ("duplicate", "articles.json")
    ]  # fmt: skip
    assert {coverage.source: coverage.items for coverage in report.coverage} == {
        "societybench": 2, "articles": 1, "warc": 1, "reddit-archive": 1, "zeeschuimer": 1,
    }  # fmt: skip


# -- platforms of comments -----------------------------------------------------------------------

_NO_MARKS = {
    "comment_id": "1122", "create_time": SECONDS, "content": "支持", "user_id": "9", "sub_comment_count": "0",
    "last_modify_ts": SECONDS * 1000,
}  # fmt: skip
_BILIBILI = {"parent_comment_id": "0", "like_count": 5, "sex": "保密"}
_NOTE = "66fad51c000000001b0224b8"


@pytest.mark.parametrize(
    ("extra", "platform"),
    [
        ({"video_id": "3xf8enb8dbj6uig"}, "kuaishou"),
        ({"video_id": "3xf8enb8dbj6uig"} | _BILIBILI, "kuaishou"),
        ({"video_id": "113455"} | _BILIBILI, "bilibili"),
        ({"video_id": 113455, "parent_comment_id": "0", "like_count": "5"}, "bilibili"),
        ({"video_id": "BV1xx411c7mD"}, "bilibili"),
        ({"video_id": "113455"}, ""),
        ({"video_id": "113455", "parent_comment_id": "0"}, ""),
        ({"video_id": ""}, ""),
        ({"note_id": _NOTE, "pictures": ""}, "xhs"),
        ({"note_id": _NOTE}, "xhs"),
        ({"note_id": "5227761321345678", "comment_like_count": "1"}, "weibo"),
        ({"note_id": "9117888152", "tieba_name": "吧"}, "tieba"),
        ({"note_id": "9117888152"}, ""),
        ({"aweme_id": "7566756334578830627", "pictures": ""}, "douyin"),
        ({"content_id": "826896610"}, "zhihu"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ext", ["csv", "jsonl"])
def test_a_comments_platform_is_told_by_what_no_other_has_or_not_at_all(
    tmp_path: Path, extra: dict[str, Any], platform: str, ext: str
) -> None:
    values = _NO_MARKS | extra
    path = tmp_path / f"search_comments_2026-03-06.{ext}"
    if ext == "csv":
        with path.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.DictWriter(stream, list(values))
            writer.writeheader()
            writer.writerow(values)
    else:
        path.write_text(json.dumps(values), encoding="utf-8")
    items, refusals = read(path)
    assert [item.platform for item in items] == ([platform] if platform else [])
    if not platform:
        assert reasons(refusals) == {"platform unknown": 1}
        assert "name the folder after its platform" in refusals[0].detail
        for name in ("bilibili", "kuaishou") if "video_id" in extra else ("weibo", "tieba"):
            assert name in refusals[0].detail


@pytest.mark.parametrize(
    ("folder", "video", "platform"),
    [
        ("kuaishou", "113455", "kuaishou"),
        ("bili", "113455", "bilibili"),
        ("bili and ks", "3xf8enb8dbj6uig", "kuaishou"),
        ("bilibili", "3xf8enb8dbj6uig", "kuaishou"),
    ],
)
def test_the_form_of_an_id_is_surer_than_a_folders_name(
    tmp_path: Path, folder: str, video: str, platform: str
) -> None:
    path = tmp_path / folder / "search_comments_2026-03-06.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps(_NO_MARKS | {"video_id": video}), encoding="utf-8")
    (item,), _ = read(path)
    assert item.platform == platform
