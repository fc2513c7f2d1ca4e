"""The small world's Reddit and Mastodon with the posts of this event."""

from __future__ import annotations

import html
import re
from typing import Any

from tests.outside_world.full.posts import Post, answers, read_posts
from tests.outside_world.mastodon import Json, Mastodon
from tests.outside_world.reddit import Reddit


class Community(Reddit):
    """r/wuqian."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.subreddit = "wuqian"
        posts = read_posts("reddit")
        self.submissions = [
            _row(post)
            | {"title": post.title, "selftext": post.text, "comments": _tree(posts, post)}
            for post in reversed(posts)
            if not post.parent
        ]

    def _about(self) -> Json:
        return {"id": "2wuqian", "name": "t5_2wuqian", "display_name": self.subreddit}

    def _common(self, row: Json) -> Json:
        return super()._common(row) | {"subreddit_id": "t5_2wuqian"}


def _row(post: Post) -> Json:
    return {
        "id": post.key,
        "when": post.when.isoformat(),
        "author": post.author or None,
        "score": post.score,
    }


def _tree(posts: tuple[Post, ...], above: Post) -> list[Json]:
    return [
        _row(post) | {"body": post.text, "replies": _tree(posts, post)}
        for post in answers(posts, above.key)
    ]


class Instance(Mastodon):
    """A small instance of the canton; `{#tag}` in a post stands for the tag's link."""

    def __init__(self, host: str) -> None:
        posts = read_posts("mastodon")
        self.root = f"http://{host}"
        self.names = {post.author: post.author.replace("_", " ") for post in posts}
        self.rows = {post.key: self._written(post) for post in posts}
        self.statuses = sorted(
            (self._status(row) for row in self.rows.values()),
            key=lambda status: int(status["id"]),
            reverse=True,
        )

    def _written(self, post: Post) -> dict[str, Any]:
        tags = "".join(re.findall(r" ?\{#\w+\}", post.text))
        words = html.escape(post.text.removesuffix(tags).strip())
        return {
            "key": post.key,
            "when": post.when.isoformat(),
            "account": post.author,
            "language": post.lang,
            "content": f"<p>{words}</p><p>{tags.strip()}</p>",
            "favourites": post.score,
            "reblogs": post.score // 3,
            "replies": 0,
            "reblog_of": None,
        }
