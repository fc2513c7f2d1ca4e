"""Mutated feeds, pages and answers through every reader; run as a program it prints what they cost.

    python -m tests.sources.fuzzing COUNT SEED

An input that makes a reader raise anything but SourceError, or that takes more than 5 seconds of CPU, ends the
program with its number, so that the same seed shows it again.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from schemas import Origin, SourceQuery
from sources.articles import read_article
from sources.base import Report, SourceContext, SourceError
from sources.feeds import read_feed
from sources.http import Http, Response
from sources.imports.detect import open_importer
from sources.reddit_json import thing_item, walk_things
from sources.registry import connector
from sources.sitemaps import read_sitemap
from tests.memory import peak_kb

LONGEST = 5.0
"""CPU seconds that one input may take."""
NOW = datetime(2026, 11, 30, tzinfo=UTC)
SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
ANSWERS = 40
"""Requests of one query that are answered; then the source is gone."""
SECONDS = 1772670600
ODD: list[Any] = [
    None, True, -1, 0, 7.3e18, 1e308, 10**30, "", "x" * 3000, "\ud83d", "\x00", [], {}, [[1]], {"a": {"b": []}}, "1e999",
    "9999999999999", "0000-00-00", "2026-13-45T99:99:99Z", "+292277026596-12-04T15:30:08Z", "<p>&#x110000;", "//",
    "http://[::1", "http://a.example:99999/", "\U0001f600" * 9, "<" * 4000,
]  # fmt: skip
TOKENS = [
    b"<!--", b"-->", b"<![CDATA[", b"]]>", b"&#x110000;", b"&#0;", b"&a;", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud83d",
    b"9" * 400, b"-1e99999", b"NaN", b"[" * 3000, b'{"a":' * 1000, b"<div>" * 2000, b"<b " * 2000, b'"', b"'", b"<script>",
    b"<?xml version='1.0' encoding='utf-7'?>", b"<?xml version='1.0' encoding='ebcdic'?>", b" " * 20_000, b"\n" * 20_000,
    b"<a href='" * 500, b"&amp;" * 3000, b"\xe4\xb8\xad" * 2000,
]  # fmt: skip
LAUGHS = (
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))
    + "]>"
)
QUADRATIC = f"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a9 '{'x' * 50_000}'>]>"
RSS = (
    "<rss version='2.0'><channel><title>t</title><item><guid>1</guid><title>渡轮 &amp; ferry</title>"
    "<link>https://a.example/1</link><pubDate>Thu, 05 Mar 2026 08:30:00 +0800</pubDate>"
    "<description>&lt;p&gt;The ferry stops&lt;/p&gt;</description></item></channel></rss>"
)
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title><entry><id>1</id><title>Ferry</title>"
    "<link href='https://a.example/1'/><published>2026-03-05T08:30:00Z</published><summary>It stops</summary>"
    "</entry></feed>"
)
SITEMAP = (
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://a.example/2026/03/05/ferry</loc>"
    "<lastmod>2026-03-05</lastmod></url></urlset>"
)
PAGE = (
    "<html><head><meta charset='utf-8'><title>Ferry stops</title><meta property='article:published_time' "
    "content='2026-03-05T08:30:00+08:00'></head><body><article>"
    + "<p>The ferry between the islands stops on Monday, the company said, and nobody knows for how long.</p>"
    * 8
    + "<p>公司表示，渡轮周一停航，恢复时间未定。</p></article></body></html>"
)
BOMBS = [
    (LAUGHS + RSS.replace("<title>t", "<title>&a9;")).encode(),
    (QUADRATIC + RSS.replace("<title>t", "<title>" + "&a9;" * 2000)).encode(),
    (LAUGHS + SITEMAP.replace("</loc>", "&a9;</loc>")).encode(),
    gzip.compress(b"\0" * 100_000_000),
    b"[" * 200_000,
    b'{"a":' * 100_000,
    b"<div>" * 100_000,
    b"<" * 500_000,
    b"<!--" * 100_000,
    b"&" * 500_000,
    b"9" * 1_000_000,
]
"""Inputs that were made to exhaust a reader."""


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


POST = {"uri": "at://did:plc:a/app.bsky.feed.post/3k", "cid": "c", "author": {"did": "did:plc:a", "handle": "a.example"},
        "record": {"$type": "app.bsky.feed.post", "text": "The ferry stops", "createdAt": "2026-03-05T08:30:00Z", "langs": ["en"]},
        "indexedAt": "2026-03-05T08:30:01Z", "likeCount": 3, "replyCount": 2}  # fmt: skip
STATUS = {"id": "116174000000000000", "created_at": "2026-03-05T08:30:00.000Z", "content": "<p>The ferry stops</p>",
          "uri": "https://m.example/1", "url": "https://m.example/@a/1", "account": {"id": "1", "acct": "a", "url": "https://m.example/@a"},
          "visibility": "public", "language": "en", "replies_count": 1, "reblogs_count": 0, "favourites_count": 2, "tags": []}  # fmt: skip
HIT = {"objectID": "47000001", "author": "a", "created_at": "2026-03-05T08:30:00Z", "created_at_i": SECONDS, "title": "The ferry stops",
       "url": "https://a.example/1", "points": 3, "num_comments": 2, "_tags": ["story", "author_a", "story_47000001"]}  # fmt: skip
TWEET = {"id": "2029500000000000000", "text": "The ferry stops", "created_at": "2026-03-05T08:30:00.000Z", "author_id": "1", "lang": "en",
         "conversation_id": "2029500000000000000", "public_metrics": {"like_count": 1, "reply_count": 2}}  # fmt: skip
VIDEO = {"kind": "youtube#searchResult", "id": {"kind": "youtube#video", "videoId": "abcdefghijk"},
         "snippet": {"publishedAt": "2026-03-05T08:30:00Z", "channelId": "c", "title": "Ferry", "description": "It stops"}}  # fmt: skip
THREAD = {"kind": "youtube#commentThread", "id": "t", "snippet": {"videoId": "abcdefghijk", "totalReplyCount": 1, "topLevelComment": {
    "id": "t", "snippet": {"textOriginal": "No!", "publishedAt": "2026-03-05T08:30:00Z", "likeCount": 1, "authorChannelId": {"value": "c"}}}}}  # fmt: skip
THING = {"kind": "t3", "data": {"id": "1a", "title": "Ferry", "selftext": "It stops", "created_utc": SECONDS, "score": 3, "author": "a",
         "subreddit": "s", "permalink": "/r/s/comments/1a/x/", "num_comments": 1}}  # fmt: skip
ROW = {"url": "https://a.example/1", "title": "Ferry", "seendate": "20260305T083000Z", "language": "English", "domain": "a.example"}  # fmt: skip
CDX = [["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"],
       ["k", "20260305083000", "https://a.example/1", "text/html", "200", "D", "9"]]  # fmt: skip
CONNECTORS: dict[str, tuple[str, list[bytes]]] = {
    "rss": ("https://a.example/feed", [RSS.encode(), ATOM.encode(), PAGE.encode()]),
    "web": ("https://a.example/1", [PAGE.encode()]),
    "site": ("https://a.example ferry", [SITEMAP.encode(), RSS.encode(), PAGE.encode()]),
    "wayback": ("https://a.example/*", [_json(CDX), PAGE.encode()]),
    "googlenews": ("ferry", [RSS.encode()]),
    "gdelt": ("ferry", [_json({"articles": [ROW, ROW | {"url": "https://b.example/2"}]})]),
    "hackernews": ("ferry", [_json({"hits": [HIT], "nbHits": 1, "nbPages": 1}), _json(HIT | {"id": 47000001, "children": [HIT]})]),
    "bluesky": ("ferry", [_json({"posts": [POST], "cursor": "25"}), _json({"thread": {"post": POST, "replies": [{"post": POST}]}}),
                          _json({"accessJwt": "a", "refreshJwt": "b", "did": "did:plc:a", "handle": "a.example"})]),
    "mastodon": ("#ferry", [_json([STATUS]), _json({"statuses": [STATUS]}), _json({"ancestors": [], "descendants": [STATUS]})]),
    "youtube": ("ferry", [_json({"items": [VIDEO], "nextPageToken": "x"}), _json({"items": [THREAD]}),
                          _json({"items": [VIDEO | {"id": "abcdefghijk", "statistics": {"viewCount": "3"}}]})]),
    "x": ("ferry", [_json({"data": [TWEET], "meta": {"result_count": 1, "next_token": "n"}, "includes": {"users": []}})]),
}  # fmt: skip
"""A query and answers of the platform, for each connector that asks through our client."""


class Foe(Http):
    """A client whose every answer is hostile; after a while the source is gone."""

    def __init__(self, answers: Iterator[bytes]) -> None:
        super().__init__(user_agent="t", respect_robots=True, replay=True)
        self._answers = itertools.islice(answers, ANSWERS)

    def _one(self, url: str, *_: Any) -> Response:
        found = next(self._answers, None)
        if found is None:
            return Response(url, 404, {}, b"", "soft404", "status 404")
        return Response(url, 200, {"content-type": "text/html"}, found, "ok")


class Hang(Exception):
    """A reader took longer than it may."""


@contextmanager
def bounded() -> Iterator[None]:
    """Raise Hang inside the block when it has used more than `LONGEST` seconds of CPU."""

    def stop(*_: object) -> None:
        raise Hang(f"more than {LONGEST} seconds of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def spoiled(value: Any, rng: random.Random) -> Any:
    """The same value with one member, at any depth, of another type or absent."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {other: kept for other, kept in value.items() if other != key}
        return value | {key: spoiled(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        return [*value[:at], spoiled(value[at], rng), *value[at + 1 :]]
    return rng.choice(ODD)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A damaged copy: values of other types, flipped bits, cuts, repeats, foreign tokens."""
    if rng.random() < 0.01:
        return rng.choice(BOMBS)
    if data[:1] in b"[{" and rng.random() < 0.6:
        with suppress(ValueError):
            return _json(spoiled(json.loads(data), rng))
    text = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(text):
            text[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del text[at : at + rng.randint(1, 200)]
        elif kind == 2:
            text[at:at] = text[max(at - rng.randint(1, 2000), 0) : at] * rng.randint(1, 4)
        elif kind == 3:
            text[at:at] = rng.choice(TOKENS)
        elif kind == 4:
            text[at:at] = rng.randbytes(rng.randint(1, 8))
        elif rng.random() < 0.3:
            del text[at:]
    return bytes(text[:2_000_000])


def context(http: Http | None = None) -> SourceContext:
    env = dict.fromkeys(
        ["YOUTUBE_API_KEY", "BLUESKY_HANDLE", "BLUESKY_APP_PASSWORD", "MASTODON_TOKEN", "X_BEARER_TOKEN"], "x"
    )  # fmt: skip
    return SourceContext(
        fetched_at=NOW, zone="Asia/Shanghai", salt="s", http=http, env=env, replay=True, settings={"wayback": "on"}
    )  # fmt: skip


def through_connector(name: str, answers: Iterator[bytes]) -> int:
    query, _ = CONNECTORS[name]
    source = connector(name)(context(Foe(answers)))
    try:
        found = source.search(
            SourceQuery(source=name, query=query, lang="en", max_items=20), SINCE, UNTIL
        )
        return sum(len(item.model_dump_json()) > 0 for item in itertools.islice(found, 20))
    except SourceError:
        return 0


def through_importer(name: str, data: bytes, folder: Path, suffix: str) -> int:
    path = folder / f"weibo{suffix}"
    path.write_bytes(data)
    try:
        return sum(
            len(item.model_dump_json()) > 0
            for item in open_importer(name, path, context()).read(path)
        )
    except SourceError:
        return 0


def through_reddit(data: bytes) -> int:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return 0
    report, given = Report(), 0
    for kind, row in walk_things(value):
        with suppress(
            ValueError, TypeError, OverflowError
        ):  # which the connector and the importer refuse
            given += thing_item(kind, row, context(), report, origin=Origin(source="t")) is not None
    return given


def _lines(*rows: Any) -> bytes:
    return b"".join(_json(row) + b"\n" for row in rows)


WEIBO = {"note_id": "5001", "content": "停航了", "create_time": SECONDS, "liked_count": "1.2万", "comments_count": "3",
         "shared_count": "1", "last_modify_ts": SECONDS * 1000}  # fmt: skip
IMPORTS: dict[str, tuple[str, list[bytes]]] = {
    "mediacrawler": (".jsonl", [_lines(WEIBO, WEIBO | {"comment_id": "9", "comment_like_count": "5"})]),
    "reddit-archive": (".ndjson", [_lines(THING["data"], {"id": "k", "body": "No", "created_utc": SECONDS, "subreddit": "s",
                                                          "link_id": "t3_1a", "parent_id": "t3_1a"})]),
    "articles": (".json", [_json([{"url": "https://a.example/1", "title": "Ferry", "content": "It stops.", "date": "2026-03-05"}])]),
    "societybench": (".csv", [b"platform,type,id,content,create_time,liked_count\nweibo,post,1,\xe5\x81\x9c,2026-03-05,1\n"]),
    "zeeschuimer": (".ndjson", [_lines({"nav_index": "1", "source_platform": "twitter.com", "timestamp_collected": SECONDS * 1000,
                                        "item_id": "1", "data": {"rest_id": "1", "legacy": {"full_text": "x"}}})]),
    "warc": (".warc", [b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/1\r\nWARC-Date: 2026-03-05T08:30:00Z"
                       b"\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d"
                       b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%s\r\n\r\n" % (len(PAGE.encode()) + 44, PAGE.encode())]),
    "table": (".jsonl", [_lines({"id": "1", "text": "The ferry stops", "published": "2026-03-05", "likes": "3", "url": "https://a.example/1"})]),
    "captures": (".json", [_json({"interactions": [{"request": {"method": "GET", "uri": "https://m.example/api/v1/timelines/tag/a"},
        "response": {"status": {"code": 200}, "headers": {"content-type": ["application/json"]}, "body": {"string": json.dumps([STATUS])}}}]})]),
    "timeline": (".md", [b"# Ferry\n\n### 2026-03-05\n**Event**: The ferry stops.\n**Public Opinion**: People are angry.\n"]),
    "html": (".html", [PAGE.encode()]),
    "feed": (".xml", [RSS.encode(), ATOM.encode()]),
}  # fmt: skip
"""Suffix and files of each importer."""


def payloads() -> dict[str, list[bytes]]:
    """Real pages, feeds and answers, where the test data is at hand."""
    root = Path(os.environ.get("FACTORY_TESTDATA", "")) / "data"
    found: dict[str, list[bytes]] = {"page": [], "feed": [], "youtube": [], "bluesky": []}
    if not os.environ.get("FACTORY_TESTDATA") or not root.is_dir():
        return found
    for key, pattern in (("page", "payloads/news_*/**/*.html"), ("page", "payloads/trafilatura_zh/**/*.html"),
                         ("feed", "payloads/feeds/**/*.xml"), ("feed", "faults/feeds/*"),
                         ("youtube", "payloads/youtube/*.json"), ("bluesky", "payloads/bluesky/*.json")):  # fmt: skip
        found[key] += [
            file.read_bytes()[:300_000] for file in sorted(root.glob(pattern)) if file.is_file()
        ]
    return found


def run(count: int, seed: int, folder: Path) -> Counter[str]:
    """Inputs by reader; whatever a reader must not do is raised with the number of the input."""
    rng = random.Random(seed)
    real = payloads()
    pages = [PAGE.encode(), *real["page"]]
    feeds = [RSS.encode(), ATOM.encode(), *real["feed"]]
    seen: Counter[str] = Counter()

    def article(data: bytes) -> object:
        return read_article(
            data, url="https://a.example/1", content_type="", fetched_at=NOW, zone="UTC"
        )

    def sitemap(data: bytes) -> object:
        return read_sitemap(data, url="https://a.example/sitemap.xml")

    whole: list[tuple[str, int, list[bytes], Callable[[bytes], object]]] = [
        ("feed", 20, feeds, read_feed),
        ("page", 4, pages, article),
        ("sitemap", 8, [SITEMAP.encode()], sitemap),
        ("reddit", 8, [_json(THING), _json({"kind": "Listing", "data": {"children": [THING]}})], through_reddit),
    ]  # fmt: skip
    choices: list[tuple[str, int, Callable[[], object]]] = [
        (name, weight, lambda seeds=seeds, read=read: read(mutated(rng.choice(seeds), rng)))  # type: ignore[misc]
        for name, weight, seeds, read in whole
    ]
    for name, (_, answers) in CONNECTORS.items():
        own = answers + real.get(name, [])
        weight = 1 if name in ("rss", "web", "site", "wayback", "gdelt") else 5

        def ask(name: str = name, own: list[bytes] = own) -> object:
            return through_connector(
                name, (mutated(rng.choice(own), rng) for _ in itertools.count())
            )

        choices.append((name, weight, ask))
    for name, (suffix, files) in IMPORTS.items():
        weight = 1 if name in ("html", "warc") else 6

        def load(name: str = name, suffix: str = suffix, files: list[bytes] = files) -> object:
            return through_importer(name, mutated(rng.choice(files), rng), folder, suffix)

        choices.append((f"import {name}", weight, load))
    for number, (name, _, act) in enumerate(
        rng.choices(choices, [weight for _, weight, _ in choices], k=count)
    ):
        try:
            with bounded():
                act()
        except Exception as error:
            raise AssertionError(
                f"input {number} of seed {seed}: {name} raised {error!r}"
            ) from error
        seen[name] += 1
    return seen


def main() -> int:
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        seen = run(count, seed, Path(folder))
    print(
        json.dumps(
            {
                "readers": dict(seen),
                "cpu": round(time.process_time() - began, 1),
                "peak_mb": peak_kb() // 1024,
            }
        )
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
