"""A Reddit that knows one community: the parts of the API that read-only clients use.

Shapes follow recorded answers: listings, comment trees with `more` nodes, `created` running eight hours
ahead of `created_utc`, deleted comments whose author and body are `[deleted]`, rate limit headers in seconds left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.outside_world.world import Request

TOKEN = "a-token-of-the-invented-world"
# Plenty left and a window well under way: clients that pace themselves by these do not sleep.
LIMITS = {"x-ratelimit-used": "4", "x-ratelimit-remaining": "996.0", "x-ratelimit-reset": "590"}
Json = dict[str, Any]
Outcome = tuple[int, Any, Mapping[str, str]]


class Reddit:
    """Submissions and comments of `reddit.json`, answered as the API answers."""

    def __init__(self, path: Path, host: str) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        self.host = host
        self.subreddit: str = data["subreddit"]
        self.submissions: list[Json] = sorted(
            data["submissions"], key=lambda row: str(row["when"]), reverse=True
        )

    def answer(self, request: Request) -> Outcome:
        """Status, JSON and headers of one API call."""
        path = request.path.removesuffix(".json").rstrip("/")
        if path == "/api/v1/access_token":
            if request.method != "POST" or not request.authorization.startswith("Basic "):
                return 401, {"message": "Unauthorized", "error": 401}, {}
            return 200, self._token(), {}
        if request.authorization.lower() != f"bearer {TOKEN}":
            return 403, {"message": "Forbidden", "error": 403}, {}
        if path == "/api/morechildren":
            wanted = request.form or request.query
            return 200, self._more_children(wanted), LIMITS
        if path == "/api/info":
            names = request.query.get("id", "").split(",")
            return 200, _listing([t for t in self._things() if t["data"]["name"] in names]), LIMITS
        if match := re.fullmatch(r"(?:/r/\w+)?/comments/(\w+)(?:/[^/]*)?", path):
            return self._thread(match.group(1))
        if match := re.fullmatch(rf"(?:/r/(all|{self.subreddit}))?/(search|new|hot|top|)", path):
            return 200, self._list(match.group(2), request.query), LIMITS
        if path == f"/r/{self.subreddit}/about":
            return 200, {"kind": "t5", "data": self._about()}, LIMITS
        return 404, {"message": "Not Found", "error": 404}, LIMITS

    def _token(self) -> Json:
        return {
            "access_token": TOKEN,
            "token_type": "bearer",
            "expires_in": 86400,
            "scope": "*",
        }

    def _about(self) -> Json:
        return {"id": "2landu", "name": "t5_2landu", "display_name": self.subreddit}

    def _list(self, kind: str, query: Mapping[str, str]) -> Json:
        rows = self.submissions
        if kind == "search":
            words = set(re.findall(r"\w{3,}", query.get("q", "").lower())) - {"and", "not"}
            rows = [row for row in rows if words & set(_words(row))]
        start = 0
        names = ["t3_" + row["id"] for row in rows]
        if query.get("after") in names:
            start = names.index(query["after"]) + 1
        limit = max(1, min(int(query.get("limit", "25")), 100))
        page = rows[start : start + limit]
        after = "t3_" + page[-1]["id"] if page and start + limit < len(rows) else None
        return _listing([self._submission(row) for row in page], after)

    def _thread(self, submission_id: str) -> Outcome:
        for row in self.submissions:
            if row["id"] == submission_id:
                tree = self._replies(row["comments"], "t3_" + row["id"], row, 0)
                return 200, [_listing([self._submission(row)]), _listing(tree)], LIMITS
        return 404, {"message": "Not Found", "error": 404}, LIMITS

    def _more_children(self, wanted: Mapping[str, str]) -> Json:
        ids = wanted.get("children", "").split(",")
        things = [
            thing
            for thing in self._things()
            if thing["kind"] == "t1"
            and thing["data"]["id"] in ids
            and thing["data"]["link_id"] == wanted.get("link_id")
        ]
        return {"json": {"errors": [], "data": {"things": things}}}

    def _things(self) -> Iterator[Json]:
        for row in self.submissions:
            yield self._submission(row)
            yield from self._flat(row["comments"], "t3_" + row["id"], row, 0)

    def _flat(self, comments: list[Json], parent: str, link: Json, depth: int) -> Iterator[Json]:
        for comment in comments:
            yield self._comment(comment, parent, link, depth, "")
            yield from self._flat(comment["replies"], "t1_" + comment["id"], link, depth + 1)

    def _replies(self, comments: list[Json], parent: str, link: Json, depth: int) -> list[Json]:
        shown = [
            self._comment(
                comment,
                parent,
                link,
                depth,
                _listing(self._replies(comment["replies"], "t1_" + comment["id"], link, depth + 1))
                if comment["replies"]
                else "",
            )
            for comment in comments
            if not comment.get("folded", False)
        ]
        folded = [comment["id"] for comment in comments if comment.get("folded", False)]
        if folded:
            more = {
                "id": folded[0],
                "name": "t1_" + folded[0],
                "parent_id": parent,
                "depth": depth,
                "count": len(folded),
                "children": folded,
            }
            shown.append({"kind": "more", "data": more})
        return shown

    def _common(self, row: Json) -> Json:
        seconds = datetime.fromisoformat(row["when"]).timestamp()
        author = row["author"]
        known = {} if author is None else {"author_fullname": "t2_" + author.replace("_", "")[:7]}
        return known | {
            "id": row["id"],
            "author": author or "[deleted]",
            "subreddit": self.subreddit,
            "subreddit_id": "t5_2landu",
            "subreddit_name_prefixed": "r/" + self.subreddit,
            "created_utc": seconds,
            "created": seconds + 28800.0,
            "score": row["score"],
            "ups": row["score"],
            "edited": False,
            "stickied": False,
            "locked": False,
        }

    def _submission(self, row: Json) -> Json:
        slug = "_".join(re.findall(r"[a-z0-9]+", row["title"].lower()))[:50].strip("_")
        link = f"/r/{self.subreddit}/comments/{row['id']}/{slug}/"
        data = self._common(row) | {
            "name": "t3_" + row["id"],
            "title": row["title"],
            "selftext": row["selftext"],
            "num_comments": sum(1 for _ in self._flat(row["comments"], "", row, 0)),
            "permalink": link,
            "url": f"http://{self.host}{link}",
            "domain": "self." + self.subreddit,
            "is_self": True,
            "over_18": False,
            "upvote_ratio": 0.9,
            "removed_by_category": None,
        }
        return {"kind": "t3", "data": data}

    def _comment(self, row: Json, parent: str, link: Json, depth: int, replies: Any) -> Json:
        data = self._common(row) | {
            "name": "t1_" + row["id"],
            "body": row["body"],
            "parent_id": parent,
            "link_id": "t3_" + link["id"],
            "depth": depth,
            "replies": replies,
            "score_hidden": False,
            "is_submitter": row["author"] is not None and row["author"] == link["author"],
            "permalink": f"/r/{self.subreddit}/comments/{link['id']}/_/{row['id']}/",
        }
        return {"kind": "t1", "data": data}


def _words(row: Json) -> list[str]:
    return re.findall(r"\w+", f"{row['title']} {row['selftext']}".lower())


def _listing(children: list[Json], after: str | None = None) -> Json:
    return {
        "kind": "Listing",
        "data": {
            "after": after,
            "before": None,
            "dist": len(children),
            "modhash": "",
            "geo_filter": "",
            "children": children,
        },
    }
