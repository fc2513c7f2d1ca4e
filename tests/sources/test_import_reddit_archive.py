"""Dumps of Reddit: packed and plain, several scans of one thing, and what may not be used."""

from __future__ import annotations

import gzip
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import Origin
from sources.base import Report, SourceError
from sources.imports.detect import detect
from sources.imports.ndjson import RedditArchive
from sources.reddit_json import thing_item, walk_things
from tests.sources.reading import CONTEXT, SECONDS, WHEN, read, reasons, registered

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["registered"]


def submission(**extra: Any) -> dict[str, Any]:
    return {
        "id": "1abc",
        "name": "t3_1abc",
        "subreddit": "ferries",
        "author": "someone",
        "created_utc": SECONDS,
        "title": "The ferry stops",
        "selftext": "They closed it without a word.",
        "score": 12,
        "num_comments": 3,
        "permalink": "/r/ferries/comments/1abc/the_ferry_stops/",
        "retrieved_on": SECONDS + 60,
    } | extra


def comment(**extra: Any) -> dict[str, Any]:
    return {
        "id": "k9",
        "subreddit": "ferries",
        "author": "other",
        "created_utc": str(SECONDS),
        "body": "I take it every day.",
        "link_id": "t3_1abc",
        "parent_id": "t3_1abc",
        "score": -4,
        "retrieved_on": SECONDS + 60,
    } | extra


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["RS_2026-03", "r_ferries_posts.jsonl", "dump.ndjson", "RS.json"])
@pytest.mark.parametrize("packing", ["", ".zst", ".gz"])
def test_a_dump_is_told_from_its_rows_whatever_its_name_and_packing(
    tmp_path: Path, name: str, packing: str
) -> None:
    plain = write(tmp_path / name, submission(), comment())
    pack = {"": bytes, ".zst": zstd.compress, ".gz": gzip.compress}[packing]
    path = tmp_path / (name + packing)
    path.write_bytes(pack(plain.read_bytes()))
    assert detect(path) == "reddit-archive"
    (post, reply), refusals = read(path)
    assert not refusals
    assert (post.kind, post.native_id, post.published_at) == ("post", "t3_1abc", WHEN)
    assert (reply.kind, reply.native_id, reply.published_at) == ("comment", "t1_k9", WHEN)
    assert reply.parent_id == reply.root_id == post.item_id
    assert post.engagement == {"likes": 12, "replies": 3}
    assert post.fetched_at == datetime.fromtimestamp(SECONDS + 60, UTC)
    assert {item.licence for item in (post, reply)} == {"platform-terms"}
    assert all(len(item.author_hash) == 16 for item in (post, reply))


def test_windows_beyond_the_default_of_a_reader_are_unpacked(tmp_path: Path) -> None:
    plain = write(tmp_path / "x", submission()).read_bytes()
    packer = zstd.ZstdCompressor(
        options={
            zstd.CompressionParameter.compression_level: 1,
            zstd.CompressionParameter.window_log: 28,
        }
    )
    path = tmp_path / "RS_2026-03.zst"
    # Unpledged size, as a pipe writes it: then the window is what the head announces.
    path.write_bytes(packer.compress(plain) + packer.flush())
    with pytest.raises(zstd.ZstdError):
        zstd.ZstdDecompressor().decompress(path.read_bytes())
    assert len(read(path)[0]) == 1


def test_frames_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "RC_2026-03.zst"
    rows = [json.dumps(comment(id=f"k{number}")).encode() + b"\n" for number in range(5)]
    path.write_bytes(b"".join(map(zstd.compress, rows)))
    assert [item.native_id for item in read(path)[0]] == [f"t1_k{number}" for number in range(5)]


@pytest.mark.parametrize("packing", ["zst", "gz"])
def test_a_dump_that_is_cut_short_gives_its_rows_and_says_so(tmp_path: Path, packing: str) -> None:
    rows = [comment(id=f"k{n}", body=f"{n} {hash((n, 7)):x}" * 40) for n in range(2000)]
    plain = write(tmp_path / "x", *rows).read_bytes()
    packed = zstd.compress(plain) if packing == "zst" else gzip.compress(plain)
    path = tmp_path / f"RC.{packing}"
    path.write_bytes(packed[: len(packed) // 2])
    items, refusals = read(path)
    assert 0 < len(items) < 2000
    assert "cut short" in refusals[-1].detail
    path.write_bytes(packed[:-3] + b"\x00\x00\x00" + b"garbage")
    assert any("damaged" in row.detail or "damaged" in row.reason for row in read(path)[1])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (comment(body="[deleted]", author="[deleted]"), "deleted by its author"),
        (comment(_meta={"removal_type": "deleted", "was_deleted_later": True}), "deleted by its author"),
        (submission(title="[deleted by user]", selftext=""), "deleted by its author"),
        (submission(removed_by_category="deleted"), "deleted by its author"),
        (comment(body="[removed]"), "removed"),
        (submission(selftext="[removed]", removed_by_category="moderator"), "removed"),
        (comment(_meta={"removal_type": "removed by reddit"}), "taken down by Reddit"),
        (submission(selftext="", title=""), "no words"),
        ({"id": "q1", "subreddit": "ferries"}, "no submission or comment"),
        (comment(body=["x"]), "no submission or comment"),
    ],
)  # fmt: skip
def test_what_may_not_be_used_is_refused_with_its_line(
    tmp_path: Path, row: dict[str, Any], reason: str
) -> None:
    path = write(tmp_path / "RC.ndjson", submission(id="ok"), row)
    items, refusals = read(path)
    assert [item.native_id for item in items] == ["t3_ok"]
    assert [(refusal.item, refusal.reason) for refusal in refusals] == [("RC.ndjson:2", reason)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_removal_by_moderators_never_replaces_an_earlier_text(tmp_path: Path, order: int) -> None:
    scans = [comment(), comment(body="[removed]", retrieved_on=SECONDS + 9000)][::order]
    items, refusals = read(write(tmp_path / "RC.ndjson", *scans))
    assert [item.text for item in items] == ["I take it every day."]
    assert reasons(refusals) == {"removed": 1}
    later = comment(_meta={"removal_type": "removed", "was_deleted_later": True})
    assert len(read(write(tmp_path / "RC.ndjson", later))[0]) == 1


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("files", [1, 2])
def test_a_deletion_by_the_author_drops_every_scan(tmp_path: Path, order: int, files: int) -> None:
    scans = [comment(), comment(body="[deleted]", retrieved_on=SECONDS + 9000)][::order]
    if files == 1:
        write(tmp_path / "RC.ndjson", *scans)
    else:
        for name, row in zip("ab", scans, strict=True):
            write(tmp_path / f"RC_{name}.ndjson", row, submission(id=name))
    items, refusals = read(tmp_path)
    assert not [item for item in items if item.kind == "comment"]
    assert len(items) == (0 if files == 1 else 2)
    assert reasons(refusals) == {"deleted by its author": 2}


def test_an_account_that_is_gone_leaves_its_words_without_an_author(tmp_path: Path) -> None:
    (item,), _ = read(write(tmp_path / "RC.ndjson", comment(author="[deleted]")))
    assert item.author_hash == ""
    assert item.text == "I take it every day."


def test_the_latest_of_several_moments_of_scanning_counts(tmp_path: Path) -> None:
    row = comment(_meta={"retrieved_2nd_on": SECONDS + 129600})
    (item,), _ = read(write(tmp_path / "RC.ndjson", row))
    assert item.fetched_at == datetime.fromtimestamp(SECONDS + 129600, UTC)


def test_a_file_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html></html>", encoding="utf-8")
    with pytest.raises(SourceError, match="is no NDJSON file of Reddit posts"):
        list(RedditArchive(CONTEXT).read(path))


def test_recorded_things_of_reddit_are_read_as_a_dump(testdata: Path, tmp_path: Path) -> None:
    name = "TestCommentForest.test_replace__all.json"
    cassette = json.loads((testdata / "data" / "payloads" / "reddit" / name).read_text("utf-8"))
    rows, kinds = [], []
    for entry in cassette["interactions"]:
        body = entry["response"]["body"].get("string", "")
        try:
            value = json.loads(body)
        except ValueError:
            continue
        for kind, data in walk_things(value):
            rows.append({key: data[key] for key in data if key != "replies"})
            kinds.append(kind)
    assert len(rows) > 500
    path = tmp_path / "RC_2014-01.zst"
    path.write_bytes(zstd.compress(write(tmp_path / "rows", *rows).read_bytes()))
    items, refusals = read(path)
    assert len(items) + len(refusals) == len(rows)
    assert set(reasons(refusals)) == {"deleted by its author"}
    assert sum(item.kind == "comment" for item in items) > 0.9 * kinds.count("t1")
    assert all(item.published_at is not None for item in items)


def escaped(text: str) -> str:
    """A text as Reddit answers it unless it is asked for raw JSON."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@given(st.text("&<>;ampltgq#39nbs x", min_size=1, max_size=30).map(str.strip).filter(bool))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_words_of_an_archive_are_those_that_were_written(tmp_path: Path, text: str) -> None:
    path = write(
        tmp_path / "RC_2026-03", submission(selftext=escaped(text)), comment(body=escaped(text))
    )
    raw = comment(body=text)
    live = thing_item("t1", raw, CONTEXT, Report(), origin=Origin(source="reddit"))
    items, _ = read(path)
    assert live is not None
    assert [item.text for item in items] == [live.text] * 2


def test_a_title_of_an_archive_is_resolved_and_escapes_of_markdown_stay(tmp_path: Path) -> None:
    path = write(
        tmp_path / "RS_2026-03",
        submission(
            title="Ferries &amp; trains &gt; cars", selftext="&gt; quoted\n\n&amp;#x200B; R&amp;D"
        ),
    )
    (item,), _ = read(path)
    assert item.title == "Ferries & trains > cars"
    assert item.text == "> quoted\n\n&#x200B; R&D"
