"""Feeds: structure as feedparser reads it, text and dates by our rules."""

from __future__ import annotations

import ast
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sources.feeds import read_feed
from sources.text import declared_encoding, decode, plain
from sources.times import read_time

FETCHED = datetime(2026, 11, 30, tzinfo=UTC)
FEEDS = Path(os.environ.get("FACTORY_TESTDATA", ""), "data", "payloads", "feeds")
KNOWN = bool(os.environ.get("FACTORY_TESTDATA")) and FEEDS.is_dir()
NO_DATA = pytest.mark.skipif(not KNOWN, reason="FACTORY_TESTDATA is not set: payloads are skipped")


def payloads(folder: str) -> list[Path]:
    """The payload files, or one name for a visible skip."""
    return sorted((FEEDS / folder).glob("*.xml")) if KNOWN else [Path("without-test-data")]


def comment(path: Path) -> tuple[str, str]:
    """The expectation and the content type that a payload's comment gives."""
    text = decode(path.read_bytes()).text
    expect = re.search(r"Expect:\s*(.*)", text)
    header = re.search(r"Header:\s*Content-type:\s*(.*)", text, re.IGNORECASE)
    return expect[1].strip() if expect else "", header[1].strip() if header else ""


@NO_DATA
@pytest.mark.parametrize("path", payloads("feedparser_encoding"), ids=lambda path: path.stem)
def test_every_encoding_is_read_as_expected(path: Path) -> None:
    expect, header = comment(path)
    data = path.read_bytes()
    feed = read_feed(data, content_type=header)
    assert feed.outcome in ("ok", "empty")
    values = [
        feed.title,
        *(text for entry in feed.entries for text in (entry.title, entry.summary)),
    ]
    if wanted := re.search(r"\['(?:description|title)'\] == (u?'.*')", expect):
        literal = ast.literal_eval(wanted[1].removeprefix("u"))
        assert plain(literal) in values
        assert all(
            char in decode(data, header).text for char in literal if char > "\u2100" and char != "’"
        )
    if wanted := re.search(r"ord\(.*\) == (\d+)", expect):
        assert chr(int(wanted[1])) in values
    if wanted := re.search(r"encoding == '(utf-(?:16|32)[bl]e)'", expect):
        assert wanted[1].replace("-", "")[:5] in decode(data).encoding.replace("-", "").replace(
            "_", ""
        )
    if wanted := re.search(r"encoding == '(gb18030|big5)'", expect):
        assert (declared_encoding(data, header) or "").startswith(wanted[1])
    assert not any("\ufffd" in value for value in values if "bozo" not in path.stem)


@NO_DATA
@pytest.mark.parametrize("path", payloads("feedparser_wellformed_rss"), ids=lambda path: path.stem)
def test_every_field_of_rss_is_read_as_expected(path: Path) -> None:
    expect, _ = comment(path)
    feed = read_feed(path.read_bytes(), url="http://feed.example/rss")
    assert feed.outcome in ("ok", "empty")
    entry = feed.entries[0] if feed.entries else None
    if wanted := re.search(r"entries\[0\]\['(\w+)'\] == (u?'[^']*')$", expect):
        field, literal = wanted[1], ast.literal_eval(wanted[2].removeprefix("u"))
        if field == "title" and entry is not None:
            assert entry.title == literal
        if field in {"published", "updated"} and entry is not None:
            assert entry.published_raw == literal
        if field == "link" and entry is not None:
            assert entry.link == literal
        if field == "id" and entry is not None:
            assert entry.native_id == literal
    if wanted := re.search(r"entries\[0\]\['(?:published|updated)_parsed'\] == (\(.*\))", expect):
        assert entry is not None
        at = read_time(entry.published_raw, fetched_at=FETCHED, zone="Asia/Shanghai").at
        assert at is not None
        assert at.timetuple()[:6] == ast.literal_eval(wanted[1])[:6]
    if "source']['title']" in expect:
        assert entry is not None
        assert entry.publisher == "Example source"
    if path.stem.startswith("item_expirationDate"):
        assert entry is None or entry.published_raw == ""


UNREAD = re.compile(
    r"^(?:-?\d{4}|-?\d\d-\d\d|\d{5,6}|\d\d-\d\d-\d\d|\d{4}-\d{3}-.*|.*[\u0370-\u03ff\uac00-\ud7af\u00fa].*)$"
)
"""ISO 8601:1988 short forms, and Greek, Hungarian and Korean words: refused, or known to the day at most."""


def date_cases() -> list[tuple[str, str, tuple[int, ...]]]:
    """Parser name, text and expected UTC time of feedparser's own date tests, read as data."""
    if not KNOWN:
        return [("without-test-data", "", ())]
    tree = ast.parse((FEEDS / "test_date_parsers.py").read_text(encoding="utf-8"))
    rows = [
        (node.elts[0].id, ast.literal_eval(node.elts[1]), ast.literal_eval(node.elts[2]))
        for node in ast.walk(tree)
        if isinstance(node, ast.Tuple)
        and len(node.elts) == 3
        and isinstance(node.elts[0], ast.Name)
    ]
    return [
        row for row in rows if row[2] is not None and row[2][0] >= 1900 and not UNREAD.match(row[1])
    ]


@NO_DATA
@pytest.mark.parametrize(("parser", "text", "expected"), date_cases())
def test_dates_of_feedparsers_own_tests(parser: str, text: str, expected: tuple[int, ...]) -> None:
    found = read_time(text, fetched_at=FETCHED, zone="UTC")
    assert found.at is not None, parser
    if found.precision in ("second", "minute"):
        assert found.at.timetuple()[:5] == expected[:5]
    elif found.precision == "day":
        assert found.at.timetuple()[:3] == expected[:3]
    else:
        assert found.at.timetuple()[:2] == expected[:2]


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "utf-16"])
def test_a_feed_is_read_in_any_encoding(codec: str) -> None:
    text = (
        f'<?xml version="1.0" encoding="{codec}"?><rss version="2.0"><channel><title>岚渡早报</title><item>'
        "<title>渡轮停航了，市民的意见不一</title><guid>1</guid></item></channel></rss>"
    )
    (entry,) = read_feed(text.encode(codec)).entries
    assert entry.title == "渡轮停航了，市民的意见不一"
    assert entry.publisher == "岚渡早报"


def test_hong_kong_characters_and_borrowed_signs_survive() -> None:
    title = "香港特別行政區政府：我哋嘅意見已經收到，喺適當時候公布"
    text = f'<?xml version="1.0" encoding="big5"?><rss version="2.0"><channel><item><title>{title}</title><guid>1</guid></item></channel></rss>'
    (entry,) = read_feed(text.encode("big5hkscs"), content_type="text/xml; charset=big5").entries
    assert entry.title == title


def test_atom_gives_the_day_of_publication_before_that_of_the_update() -> None:
    text = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><id>a</id><title>x</title>'
        "<updated>2026-03-06T00:00:00Z</updated><published>2026-03-05T00:00:00Z</published></entry>"
        "<entry><id>b</id><title>y</title><updated>2026-03-07T00:00:00Z</updated></entry></feed>"
    )
    assert [entry.published_raw for entry in read_feed(text.encode()).entries] == [
        "2026-03-05T00:00:00Z",
        "2026-03-07T00:00:00Z",
    ]


def test_broken_markup_keeps_the_entries_before_it() -> None:
    text = (
        "<rss version='2.0'><channel><title>T</title><item><title>a & b</title><guid>1</guid></item>"
        "<item><title>c</title><guid>2</guid></item><item><title>d"
    )
    titles = [entry.title for entry in read_feed(text.encode()).entries]
    assert titles[:2] == ["a & b", "c"]
