"""Nobody is named: no source lets an account's id, handle or name into an item, on real and on planted payloads.

Exempt is what platforms build into their own ids and addresses, and what people write themselves: an item's
words may hold a name only where the payload's own words do.
"""

from __future__ import annotations

import csv
import gzip
import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from schemas import Item, Origin
from sources import registry
from sources.base import Report, SourceContext
from sources.bluesky_json import post_item as bluesky_item
from sources.gdelt import Gdelt
from sources.googlenews import GoogleNews
from sources.hackernews import comment_item as news_comment
from sources.hackernews import story_item
from sources.imports.detect import open_importer
from sources.mastodon_json import is_status, status_item
from sources.reddit_json import thing_item, walk_things
from sources.rss import Rss
from sources.site import Site
from sources.wayback import Wayback
from sources.web import Web
from sources.x_json import post_item as x_item
from sources.youtube_json import comment_item as youtube_comment
from sources.youtube_json import video_item
from tests.sources import test_import_official as official
from tests.sources import test_import_reddit_archive as archive
from tests.sources import test_import_zeeschuimer as browser
from tests.sources import test_imports as crawled
from tests.sources.reading import CONTEXT, registered
from tests.sources.test_bluesky import snapshots, views

__all__ = ["registered"]

ORIGIN = Origin(source="test", query="ferry")
PLAIN = SourceContext(fetched_at=datetime(2026, 11, 30, tzinfo=UTC), zone="UTC", salt="s")
ADDRESSES = ("url", "canonical_url", "native_id")
"""Fields whose form a platform decides."""
WORDS = ("title", "text")
WHO = "Wilhelmina"
"""Planted as every id, handle and name that an export may hold."""

# -- real payloads ---------------------------------------------------------------------------------

PEOPLE = {"author", "account", "user", "owner", "users"}
"""Keys below which everything short is about a person."""
NAMES = {
    "author", "author_fullname", "author_id", "user_id", "acct", "username", "display_name", "displayName",
    "screen_name", "handle", "did", "channelId", "channelTitle", "authorDisplayName", "authorChannelUrl",
    "authorProfileImageUrl",
}  # fmt: skip
SPOKEN = {
    "title", "selftext", "body", "text", "full_text", "content", "spoiler_text", "alt", "description",
    "textOriginal", "textDisplay",
}  # fmt: skip


def names(value: Any, about_a_person: bool = False) -> Iterator[str]:
    """Every string of a payload by which an account can be told."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(inner, str) and (
                key in NAMES or (about_a_person and key in ("id", "name", "url", "uri", "avatar"))
            ):
                yield inner
            yield from names(inner, key in PEOPLE or key == "authorChannelId")
    elif isinstance(value, list):
        for inner in value:
            yield from names(inner, about_a_person)


def spoken(value: Any) -> Iterator[str]:
    """Every string of a payload that people wrote."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in SPOKEN and isinstance(inner, str):
                yield html.unescape(inner)
            yield from spoken(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from spoken(inner)


def told(found: set[str], text: str) -> set[str]:
    """The names that a text holds, as whole words where they are words."""
    words = set(re.findall(r"[\w-]+", text))
    return {name for name in found if name in (words if re.fullmatch(r"[\w-]+", name) else text)}


def check(items: list[Item], payload: Any) -> int:
    """Assert that no item tells a name of its payload; returns how many names there were to tell."""
    found = {name for name in names(payload) if len(name) >= 4 and not name.startswith("[")}
    allowed = told(found, "\n".join(spoken(payload)))
    for item in items:
        rest = json.loads(item.model_dump_json())
        words = "\n".join(rest.pop(name) for name in WORDS)
        for name in ADDRESSES:
            rest.pop(name)
        assert not told(found, json.dumps(rest, ensure_ascii=False)), rest
        assert told(found, words) <= allowed, words
    return len(found)


def cassette(path: Path) -> Iterator[Any]:
    """The JSON bodies of a recording."""
    text = path.read_text(encoding="utf-8")
    loaded = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    for entry in loaded["interactions"]:
        body = entry["response"].get("body") or entry["response"].get("content") or ""
        data = body.get("string", "") if isinstance(body, dict) else body
        raw = data.encode() if isinstance(data, str) else data
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        try:
            yield json.loads(raw)
        except ValueError:
            continue


def statuses(value: Any) -> Iterator[Any]:
    if is_status(value):
        yield value
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from statuses(inner)


def of_reddit(folder: Path) -> Iterator[tuple[list[Item | None], Any]]:
    for path in sorted((folder / "reddit").glob("*.json")):
        for body in cassette(path):
            things = walk_things(body)
            yield (
                [thing_item(kind, data, PLAIN, Report(), origin=ORIGIN) for kind, data in things],
                body,
            )


def of_mastodon(folder: Path) -> Iterator[tuple[list[Item | None], Any]]:
    for path in sorted((folder / "mastodon").glob("*.yaml")):
        for body in cassette(path):
            yield [status_item(row, PLAIN, Report(), origin=ORIGIN) for row in statuses(body)], body


def of_x(folder: Path) -> Iterator[tuple[list[Item | None], Any]]:
    for path in sorted((folder / "x_tweepy").glob("*client*.yaml")):
        for body in cassette(path):
            data = body.get("data")
            rows = data if isinstance(data, list) else [data]
            yield [x_item(row, PLAIN, Report(), origin=ORIGIN) for row in rows], body


def of_youtube(folder: Path) -> Iterator[tuple[list[Item | None], Any]]:
    for path in sorted((folder / "youtube").glob("*.json")):
        body = json.loads(path.read_text(encoding="utf-8"))
        items: list[Item | None] = []
        for row in body["items"]:
            comment = row.get("snippet", {}).get("topLevelComment") or row
            if "textDisplay" in comment.get("snippet", {}):
                items.append(youtube_comment(comment, PLAIN, Report(), origin=ORIGIN, video="v"))
            else:
                items.append(video_item(row, PLAIN, Report(), origin=ORIGIN))
        yield items, body


def of_bluesky(folder: Path) -> Iterator[tuple[list[Item | None], Any]]:
    for name in ("thread.test.ts.snap", "posts.test.ts.snap"):
        for body in snapshots(folder / "bluesky" / name):
            posts = views(body)
            yield [bluesky_item(post, PLAIN, Report(), origin=ORIGIN) for post in posts], body


REAL: dict[str, Callable[[Path], Iterator[tuple[list[Item | None], Any]]]] = {
    "reddit": of_reddit,
    "mastodon": of_mastodon,
    "x": of_x,
    "youtube": of_youtube,
    "bluesky": of_bluesky,
}


@pytest.mark.parametrize("platform", REAL)
def test_real_payloads_name_nobody(platform: str, testdata: Path) -> None:
    people = kept = hashed = 0
    for found, payload in REAL[platform](testdata / "data" / "payloads"):
        items = [item for item in found if item is not None]
        people += check(items, payload)
        kept += len(items)
        hashed += sum(bool(re.fullmatch("[0-9a-f]{16}", item.author_hash)) for item in items)
        assert not any(item.deleted for item in items)
    assert kept
    if platform != "x":  # its recordings were made without the fields of authors; see below
        assert people
        assert hashed


# -- planted payloads ------------------------------------------------------------------------------

PLANTED: dict[str, Any] = {
    name: f"{WHO}-{name}"
    for name in (
        "author", "author_id", "author_name", "author_fullname", "author_flair_text", "user_id", "user_name",
        "username", "nickname", "avatar", "user_link", "user_nickname", "sec_uid", "short_user_id", "user_unique_id",
        "creator_hash", "gender", "ip_location", "user_url_token", "profile_url", "signature", "sign", "user_avatar",
        "screen_name", "display_name",
    )
}  # fmt: skip


def nobody(items: list[Item]) -> None:
    assert items
    for item in items:
        assert WHO not in item.model_dump_json()


def read(path: Path, format_: str) -> list[Item]:
    source = open_importer(format_, path, CONTEXT)
    return list(source.read(path))


def lines(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("platform", sorted(crawled.POSTS))
def test_mediacrawler(platform: str, tmp_path: Path) -> None:
    folder = tmp_path / platform
    folder.mkdir()
    reply = crawled.comment(platform, parent_comment_id="0")
    for name, row in (("contents", crawled.POSTS[platform]), ("comments", reply)):
        path = lines(folder / f"search_{name}_2026-03-06.jsonl", PLANTED | row)
        items = read(path, "mediacrawler")
        nobody(items)


def test_the_verified_csv(tmp_path: Path) -> None:
    who = {"user_id": WHO, "user_name": WHO, "ip_location": WHO}
    path = official.table(
        tmp_path / "valid_data_llm_verified.csv",
        official.row(**who),
        official.row(**who, type="comment", id="9", parent_id="5233000445291476"),
    )
    nobody(read(path, "societybench"))


def test_archives_of_reddit(tmp_path: Path) -> None:
    for name, row in (("RS_2026-03", archive.submission()), ("RC_2026-03", archive.comment())):
        items = read(
            lines(tmp_path / f"{name}.ndjson", PLANTED | row | {"author": WHO}), "reddit-archive"
        )
        nobody(items)
        assert items[0].author_hash


def plant(value: Any) -> Any:
    """A capture with everything about its account replaced."""
    if not isinstance(value, dict):
        return value
    made = {}
    for key, inner in value.items():
        if key in ("user", "author", "authorInfo", "core", "user_info"):
            made[key] = replaced(inner)
        elif key in ("user_id_str", "user_id"):
            made[key] = WHO
        else:
            made[key] = plant(inner)
    return made


def replaced(value: Any) -> Any:
    if isinstance(value, dict):
        inside = {key: replaced(inner) for key, inner in value.items()}
        return inside | dict.fromkeys(("nickname", "unique_id", "nick_name"), WHO)
    return WHO if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("platform", "data"),
    [
        ("xhs", browser.XHS), ("xhs", browser.XHS_PAGE), ("xhs", browser.XHS_SEARCH), ("douyin", browser.DOUYIN),
        ("douyin", browser.DOUYIN_PAGE), ("tiktok", browser.TIKTOK), ("x", browser.X),
    ],
)  # fmt: skip
def test_browser_captures(platform: str, data: dict[str, Any], tmp_path: Path) -> None:
    planted = plant(data)
    assert WHO in json.dumps(planted)
    path = lines(
        tmp_path / "zeeschuimer-export.ndjson", browser.line(browser.PAGES[platform], planted)
    )
    nobody(read(path, "zeeschuimer"))


def test_tables(tmp_path: Path) -> None:
    row = {"id": "1", "text": "停航了", "published": "2026-03-05 08:30"} | PLANTED
    path = tmp_path / "posts.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(row))
        writer.writeheader()
        writer.writerow(row)
    nobody(read(path, "table"))
    nobody(read(lines(tmp_path / "posts.jsonl", row), "table"))


def test_articles_of_the_official_pipeline(tmp_path: Path) -> None:
    row = PLANTED | {
        "url": "http://c.example/a",
        "title": "The ferry stops",
        "content": "The ferry between the islands stopped on Monday.",
        "date": "2026-03-05",
    }
    path = tmp_path / "articles.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    nobody(read(path, "articles"))


PAGE = f"""<html><head><title>The ferry stops</title><meta name="author" content="{WHO}">
<meta property="article:author" content="{WHO}"><script type="application/ld+json">
{{"@type": "NewsArticle", "headline": "The ferry stops", "author": {{"@type": "Person", "name": "{WHO}"}},
"datePublished": "2026-03-05T08:30:00+08:00"}}</script></head><body><article><h1>The ferry stops</h1>
<p>{"The ferry between the islands stopped on Monday, and nobody could say for how long. " * 6}</p>
</article></body></html>"""
FEED = f"""<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Courier</title><managingEditor>{WHO}</managingEditor><item><title>The ferry stops</title>
<link>http://c.example/a</link><guid>g1</guid><author>{WHO}@c.example ({WHO})</author><dc:creator>{WHO}</dc:creator>
<pubDate>Thu, 05 Mar 2026 08:30:00 +0800</pubDate><description>The ferry stopped on Monday.</description>
</item></channel></rss>"""


def test_pages_and_feeds(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    nobody(read(tmp_path / "page.html", "html"))
    (tmp_path / "feed.xml").write_text(FEED, encoding="utf-8")
    nobody(read(tmp_path / "feed.xml", "feed"))
    record = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://c.example/a\r\n"
        "WARC-Date: 2026-03-05T03:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + PAGE.encode()
    (tmp_path / "pages.warc").write_bytes((record % len(http)).encode() + http + b"\r\n\r\n")
    nobody(read(tmp_path / "pages.warc", "warc"))


def test_timelines(tmp_path: Path) -> None:
    text = "### 2026-03-05\n\n**Event**:\nThe ferry stopped.\n\n**Public Opinion**:\nPeople are angry.\n"
    (tmp_path / "timeline.md").write_text(text, encoding="utf-8")
    assert all(not item.author_hash for item in read(tmp_path / "timeline.md", "timeline"))


def test_hacker_news() -> None:
    story = {"objectID": "1", "title": "The ferry stops", "created_at_i": 1772670600, "author": WHO}
    reply = {"objectID": "2", "comment_text": "sad", "created_at_i": 1772670601, "author": WHO,
             "story_id": 1, "parent_id": 1, "_tags": ["comment", f"author_{WHO}", "story_1"]}  # fmt: skip
    tagged = story | {"_tags": ["story", f"author_{WHO}", "story_1"]}
    items = [
        story_item(tagged, PLAIN, Report(), origin=ORIGIN),
        news_comment(reply, PLAIN, Report(), origin=ORIGIN),
    ]
    found = [item for item in items if item is not None]
    assert len(found) == 2
    nobody(found)
    assert found[0].author_hash == found[1].author_hash != ""


def test_x() -> None:
    post = {"id": "1900000000000000001", "text": "sad", "author_id": WHO, "in_reply_to_user_id": WHO,
            "created_at": "2026-03-05T00:30:00.000Z", "source": f"{WHO}'s phone",
            "entities": {"mentions": [{"username": WHO}]}}  # fmt: skip
    item = x_item(post, PLAIN, Report(), origin=ORIGIN)
    assert item is not None
    assert item.author_hash
    nobody([item])


def test_the_hash_tells_accounts_apart_within_an_event_only() -> None:
    other = SourceContext(fetched_at=PLAIN.fetched_at, zone="UTC", salt="another")
    mine = {PLAIN.ids.author("reddit", name) for name in ("a", "b")}
    assert len(mine) == 2
    assert not mine & {other.ids.author("reddit", name) for name in ("a", "b")}
    assert PLAIN.ids.author("reddit", "a") != PLAIN.ids.author("x", "a")


# -- nothing is forgotten --------------------------------------------------------------------------

ARTICLES = {Gdelt, GoogleNews, Rss, Site, Wayback, Web}
"""Connectors of articles: they read pages and feeds, as above, and yield no author at all."""


def test_every_source_is_covered_here() -> None:
    connectors = {*REAL, "hackernews", *(source.name for source in ARTICLES)}
    importers = {
        "mediacrawler", "societybench", "reddit-archive", "zeeschuimer", "table", "articles", "html", "feed",
        "warc", "timeline", "captures",
    }  # fmt: skip
    assert set(registry.CONNECTORS) <= connectors
    assert set(registry.IMPORTERS) <= importers


def test_recordings_name_nobody(testdata: Path) -> None:
    for path in (
        testdata / "data/payloads/reddit/TestCommentForest.test_replace__all.json",
        testdata / "data/payloads/mastodon/test_hashtag_tl.yaml",
    ):
        items = [item for item in read(path, "captures") if item.platform in ("reddit", "mastodon")]
        assert items
        check(items, list(cassette(path)))
