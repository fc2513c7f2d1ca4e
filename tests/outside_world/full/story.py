"""STORY.md of the full demo event as tables, and every text of its world with its instant."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

from tests.outside_world.full.entries import ZONE
from tests.outside_world.full.news import read_pages
from tests.outside_world.full.posts import PLATFORMS, read_posts
from tests.outside_world.full.world import HERE, RECORDING

EXPORT = RECORDING / "imports" / "weibo" / "jsonl"


@dataclass(frozen=True)
class Text:
    """Something that somebody published."""

    where: str
    when: datetime
    words: str

    @property
    def day(self) -> date:
        """Day of the event's zone."""
        return self.when.astimezone(ZONE).date()


def read_table(heading: str) -> list[list[str]]:
    """Rows of the first table under a heading of STORY.md, without its first row."""
    section = (HERE / "STORY.md").read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    lines = [row for row in section.split("\n## ")[0].splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in lines[2:]]


def export_rows(kind: str) -> list[dict[str, Any]]:
    """Rows of the export: `contents` or `comments`."""
    (path,) = EXPORT.glob(f"search_{kind}_*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def page_texts() -> tuple[Text, ...]:
    """All pages, oldest first."""
    texts = [Text(page.key, page.when, page.words) for page in read_pages().values()]
    return tuple(sorted(texts, key=lambda text: text.when))


@cache
def post_texts() -> tuple[Text, ...]:
    """All posts of the platforms and of the export, a post once, deleted ones left out, oldest first."""
    texts = [
        Text(f"{platform} {post.key}", post.when, f"{post.title} {post.text}".strip())
        for platform in PLATFORMS
        for post in read_posts(platform)
        if post.author
    ]
    rows = {row.get("comment_id", row["note_id"]): row for kind in ("contents", "comments") for row in export_rows(kind)}  # fmt: skip
    texts += [
        Text(f"weibo {key}", datetime.fromtimestamp(row["create_time"], UTC), row["content"])
        for key, row in rows.items()
    ]
    return tuple(sorted(texts, key=lambda text: text.when))


def is_chinese(text: str) -> bool:
    """Whether Chinese characters are more than Latin words."""
    return len(re.findall(r"[\u4e00-\u9fff]", text)) > len(re.findall(r"[A-Za-z]+", text))
