"""Reads the invented world back from its files: the tables of STORY.md, pages, feeds and posts.

Tests hold these against each other; nothing here uses the parsers of the project.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from tests.outside_world.world import HERE, SITE, Request, World

ROOT = HERE.parent.parent
RUN = ROOT / "cassettes" / "small-demo"
EXPORT = RUN / "imports" / "weibo" / "jsonl"
ZONE = ZoneInfo("Asia/Shanghai")
FEEDS = (
    "http://www.landuzaobao.example/rss/houwei.xml",
    "http://www.chaohen.example/atom/houwei.xml",
    "http://www.landucourier.example/feeds/houwei-ferry.rss",
    "http://harbourledger.example/feed.atom",
)
ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass(frozen=True)
class Page:
    """One news page as served, with the words a reader sees of its article."""

    address: str
    published: datetime
    text: str

    @property
    def day(self) -> date:
        return self.published.astimezone(ZONE).date()


@dataclass(frozen=True)
class Post:
    """One post or comment, from whichever platform."""

    platform: str
    key: str
    published: datetime
    text: str

    @property
    def day(self) -> date:
        return self.published.astimezone(ZONE).date()


def all_told() -> tuple[Page | Post, ...]:
    return (*read_pages(), *read_posts())


def read_table(heading: str) -> list[list[str]]:
    section = (HERE / "STORY.md").read_text(encoding="utf-8").split(f"## {heading}\n")[1]
    lines = [row for row in section.split("\n## ")[0].splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in lines[2:]]


DAYS = [date.fromisoformat(row[0]) for row in read_table("Days")]


@cache
def the_world() -> World:
    return World()


def fetch(address: str) -> str:
    reply = the_world().answer(Request.of("GET", address))
    return reply.body.decode("utf-8")


@cache
def read_feed(address: str) -> list[tuple[str, str, str]]:
    """(link, title, date as written) of every entry."""
    root = ET.fromstring(fetch(address))
    if root.tag == "rss":
        return [
            (i.findtext("link", ""), i.findtext("title", ""), i.findtext("pubDate", ""))
            for i in root.iter("item")
        ]
    return [
        (
            e.find(f"{ATOM}link").attrib["href"],  # type: ignore[union-attr]
            e.findtext(f"{ATOM}title", ""),
            e.findtext(f"{ATOM}published", ""),
        )
        for e in root.iter(f"{ATOM}entry")
    ]


def feed_instant(raw: str) -> datetime:
    return parsedate_to_datetime(raw) if "," in raw else datetime.fromisoformat(raw)


@cache
def read_pages() -> tuple[Page, ...]:
    """Every page that is an article, by publication."""
    pages = []
    for path in sorted(SITE.rglob("*")):
        if not path.is_file() or path.suffix in {".xml", ".rss", ".atom", ".txt", ".json"}:
            continue
        text = path.read_text(encoding="utf-8")
        stamp = re.search(
            r'(?:article:published_time" content|datePublished"): ?"|article:published_time" content="',
            text,
        )
        if stamp is None:
            continue
        value = re.match(r"[^\"]+", text[stamp.end() :])
        assert value is not None
        body = re.search(r"<h1.*?</h1>(.*?)(?:责任编辑|（责编|<aside|Earlier)", text, re.DOTALL)
        assert body is not None, path
        headline = re.search(r"<h1[^>]*>(.*?)</h1>", text, re.DOTALL)
        assert headline is not None
        words = re.sub(r"<[^>]+>", " ", headline.group(1) + body.group(1))
        address = "http://" + path.relative_to(SITE).as_posix()
        pages.append(Page(address, datetime.fromisoformat(value.group()), words))
    return tuple(sorted(pages, key=lambda page: page.published))


def export_rows(name: str) -> list[dict[str, Any]]:
    path = EXPORT / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def read_posts() -> tuple[Post, ...]:
    posts = []
    for name in ("search_contents_2026-05-26.jsonl", "search_comments_2026-05-26.jsonl"):
        for row in export_rows(name):
            key = row.get("comment_id") or row["note_id"]
            when = datetime.fromtimestamp(row["create_time"], UTC)
            posts.append(Post("weibo", key, when, row["content"]))

    def walk(comments: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for comment in comments:
            yield comment
            yield from walk(comment["replies"])

    reddit = json.loads((HERE / "reddit.json").read_text(encoding="utf-8"))
    for row in reddit["submissions"]:
        when = datetime.fromisoformat(row["when"])
        posts.append(Post("reddit", row["id"], when, f"{row['title']} {row['selftext']}"))
        for comment in walk(row["comments"]):
            when = datetime.fromisoformat(comment["when"])
            posts.append(Post("reddit", comment["id"], when, comment["body"]))
    mastodon = json.loads((HERE / "mastodon.json").read_text(encoding="utf-8"))
    for row in mastodon["statuses"]:
        when = datetime.fromisoformat(row["when"])
        posts.append(Post("mastodon", row["key"], when, row["content"]))
    return tuple(dict.fromkeys(posts))


def is_chinese(text: str) -> bool:
    return len(re.findall(r"[\u4e00-\u9fff]", text)) > len(re.findall(r"[A-Za-z]+", text))
