"""Bluesky's public interface: search within times, and a post with its replies. A deleted reply shows as not found."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.outside_world.full.posts import Post, answers, read_posts, root

Json = dict[str, Any]
Outcome = tuple[int, Any, Mapping[str, str]]
TOKEN = "a-session-of-the-invented-world"
_DEFS = "app.bsky.feed.defs"


def _did(author: str) -> str:
    return "did:plc:" + hashlib.sha256(author.encode()).hexdigest()[:24]


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Bluesky:
    """Posts of `posts/bluesky.md`."""

    def __init__(self) -> None:
        self.posts = read_posts("bluesky")
        self.by_key = {post.key: post for post in self.posts}
        self.by_uri = {self._uri(post): post for post in self.posts}

    def answer(self, path: str, query: Mapping[str, str]) -> Outcome:
        """Status, JSON and headers of one call."""
        if path == "/xrpc/com.atproto.server.createSession":
            return 200, {"accessJwt": TOKEN, "did": _did("reader"), "handle": "reader.example"}, {}
        if path == "/xrpc/app.bsky.feed.searchPosts":
            return 200, self._search(query), {}
        if path == "/xrpc/app.bsky.feed.getPostThread":
            post = self.by_uri.get(query.get("uri", ""))
            if post is None or not post.author:
                return 400, {"error": "NotFound", "message": "Post not found"}, {}
            return 200, {"thread": self._thread(post, int(query.get("depth", "6")))}, {}
        if path == "/xrpc/app.bsky.feed.getPosts":
            post = self.by_uri.get(query.get("uris", ""))
            return (
                200,
                {"posts": [self._view(post)] if post is not None and post.author else []},
                {},
            )
        return 404, {"error": "MethodNotImplemented"}, {}

    def _search(self, query: Mapping[str, str]) -> Json:
        words = query.get("q", "").lower().split()
        found = [
            post
            for post in reversed(self.posts)
            if post.author
            and all(word in post.text.lower() for word in words)
            and query.get("since", "") <= _time(post.when) < query.get("until", "9")
        ]
        if query.get("sort") == "top":
            found.sort(key=lambda post: -post.score)
        start, most = int(query.get("cursor") or 0), min(int(query.get("limit", "25")), 100)
        page: Json = {"posts": [self._view(post) for post in found[start : start + most]]}
        return page | ({"cursor": str(start + most)} if start + most < len(found) else {})

    def _thread(self, post: Post, depth: int) -> Json:
        if not post.author:
            return {"$type": f"{_DEFS}#notFoundPost", "uri": self._uri(post), "notFound": True}
        replies = answers(self.posts, post.key) if depth else ()
        return {
            "$type": f"{_DEFS}#threadViewPost",
            "post": self._view(post),
            "replies": [self._thread(reply, depth - 1) for reply in replies],
        }

    def _uri(self, post: Post) -> str:
        return f"at://{_did(post.author)}/app.bsky.feed.post/3{post.key}"

    def _reference(self, post: Post) -> Json:
        digest = hashlib.sha256(post.text.encode()).hexdigest()
        return {"uri": self._uri(post), "cid": f"bafyrei{digest[:52]}"}

    def _view(self, post: Post) -> Json:
        record: Json = {
            "$type": "app.bsky.feed.post",
            "text": post.text,
            "createdAt": _time(post.when),
            "langs": [post.lang or root(self.by_key, post).lang],
        }
        if post.parent:
            record["reply"] = {
                "parent": self._reference(self.by_key[post.parent]),
                "root": self._reference(root(self.by_key, post)),
            }
        return self._reference(post) | {
            "author": {
                "did": _did(post.author),
                "handle": f"{post.author.replace('_', '-')}.example",
                "displayName": post.author,
            },
            "record": record,
            "replyCount": len(answers(self.posts, post.key)),
            "repostCount": post.score // 4,
            "likeCount": post.score,
            "quoteCount": 0,
            "indexedAt": _time(post.when + timedelta(seconds=2)),
            "labels": [],
        }
