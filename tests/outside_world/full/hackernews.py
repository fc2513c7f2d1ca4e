"""Hacker News as its search interface shows it: stories and comments in a span of seconds, and whole discussions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from tests.outside_world.full.posts import Post, answers, read_posts, root

Json = dict[str, Any]
Outcome = tuple[int, Any, Mapping[str, str]]


class HackerNews:
    """Answers searches by date, discussions, and the site's own interface for single items."""

    def __init__(self) -> None:
        self.posts = read_posts("hackernews")
        self.by_key = {post.key: post for post in self.posts}

    def answer(self, path: str, query: Mapping[str, str]) -> Outcome:
        """Status, JSON and headers of one call."""
        if path == "/api/v1/search_by_date":
            return 200, self._search(query), {}
        if match := re.fullmatch(r"/api/v1/items/(\d+)", path):
            post = self.by_key.get(match[1])
            return (
                (404, {"error": "Not Found"}, {}) if post is None else (200, self._item(post), {})
            )
        if match := re.fullmatch(r"/v0/item/(\d+)\.json", path):
            post = self.by_key.get(match[1])
            gone = {"deleted": True} if post is not None and not post.author else {}
            return 200, None if post is None else {"id": int(post.key)} | gone, {}
        return 404, {"error": "Not Found"}, {}

    def _search(self, query: Mapping[str, str]) -> Json:
        words = query.get("query", "").lower().split()
        low, high = (
            int(match[1]) if (match := re.search(rf"created_at_i{mark}(\d+)", query.get("numericFilters", ""))) else None
            for mark in (">=", "<")
        )  # fmt: skip
        wanted = [
            post
            for post in reversed(self.posts)
            if post.author
            and bool(post.parent) == (query.get("tags") == "comment")
            and all(word in f"{post.title} {post.text} {post.link}".lower() for word in words)
            and (low is None or low <= post.when.timestamp())
            and (high is None or post.when.timestamp() < high)
        ]
        most = min(int(query.get("hitsPerPage", "20")), 1000)
        hits = [self._hit(post) for post in wanted[:most]]
        return {"hits": hits, "nbHits": len(wanted), "page": 0, "nbPages": 1, "hitsPerPage": most}

    def _hit(self, post: Post) -> Json:
        common: Json = {
            "objectID": post.key,
            "author": post.author,
            "created_at": post.when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "created_at_i": int(post.when.timestamp()),
        }
        if post.parent:
            start = root(self.by_key, post)
            return common | {
                "comment_text": post.text,
                "parent_id": int(post.parent),
                "story_id": int(start.key),
                "story_title": start.title,
            }
        return common | {
            "title": post.title,
            "url": post.link,
            "points": post.score,
            "num_comments": self._talk(post),
        }

    def _talk(self, post: Post) -> int:
        return sum(1 + self._talk(reply) for reply in answers(self.posts, post.key))

    def _item(self, post: Post) -> Json:
        gone = not post.author
        return {
            "id": int(post.key),
            "type": "comment" if post.parent else "story",
            "author": post.author or None,
            "created_at": post.when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "created_at_i": int(post.when.timestamp()),
            "title": post.title or None,
            "url": post.link or None,
            "text": None if gone or not post.text else post.text,
            "points": post.score if post.title else None,
            "parent_id": int(post.parent) if post.parent else None,
            "story_id": int(root(self.by_key, post).key),
            "children": [self._item(reply) for reply in answers(self.posts, post.key)],
        }
