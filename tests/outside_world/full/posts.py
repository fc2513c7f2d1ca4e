"""Posts of the four platforms as they were written, one record for all: `posts/<platform>.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from tests.outside_world.full.entries import moment, read_entries

HERE = Path(__file__).parent
PLATFORMS = ("reddit", "hackernews", "mastodon", "bluesky")


@dataclass(frozen=True)
class Post:
    """A post or an answer."""

    key: str
    when: datetime
    author: str
    """Account; empty for what was deleted."""
    score: int
    text: str
    parent: str = ""
    """Key of what it answers."""
    title: str = ""
    """Headline, on the platforms that have one."""
    link: str = ""
    """Address that it points to."""
    lang: str = ""
    """Language that its author's program declares."""


@cache
def read_posts(platform: str) -> tuple[Post, ...]:
    """Posts of one platform, oldest first. ValueError for an answer to nothing."""
    found: dict[str, Post] = {}
    for entry in read_entries(HERE / "posts" / f"{platform}.md"):
        key, when, author, score, *relation = entry.fields
        mark = relation[0] if relation else ""
        post = Post(
            key,
            moment(when),
            "" if author == "-" else author,
            int(score),
            "\n\n".join(entry.paragraphs),
            parent=mark.removeprefix("> ") if mark.startswith("> ") else "",
            title=mark.removeprefix("= ") if mark.startswith("= ") else "",
            link=relation[1] if len(relation) > 1 else "",
            lang=mark if mark in ("en", "zh") else "",
        )
        if key in found or (post.parent and post.parent not in found):
            raise ValueError(f"{platform} {key} stands twice or answers nothing")
        found[key] = post
    return tuple(sorted(found.values(), key=lambda post: (post.when, post.key)))


def answers(posts: tuple[Post, ...], key: str) -> tuple[Post, ...]:
    """Direct answers to a post."""
    return tuple(post for post in posts if post.parent == key)


def root(posts: Mapping[str, Post], post: Post) -> Post:
    """The post that a discussion starts with."""
    while post.parent:
        post = posts[post.parent]
    return post
