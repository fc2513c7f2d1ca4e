"""A small Mastodon instance: hashtag timelines with Link paging, statuses (nobody answers any), search, instance facts.

Ids are snowflakes (milliseconds shifted by 16 bits). The instance serves at most five statuses a page, so
that a client which stops after the first page is found out. Unlike most instances it shows boosts in
hashtag timelines; clients must unwrap them. Search shows statuses to clients with a token only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from tests.outside_world.world import Request

PAGE = 5
Json = dict[str, Any]
Outcome = tuple[int, Any, Mapping[str, str]]
_TAG = re.compile(r"\{#(\w+)\}")
LIMITS = {
    "x-ratelimit-limit": "300",
    "x-ratelimit-remaining": "299",
    "x-ratelimit-reset": "2026-05-28T02:05:00.000000Z",
}


class Mastodon:
    """Statuses of `mastodon.json`, newest first; `{#tag}` in a content stands for the tag's link."""

    def __init__(self, path: Path, host: str) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        self.root = f"http://{host}"
        self.names: dict[str, str] = data["accounts"]
        self.rows: dict[str, Json] = {row["key"]: row for row in data["statuses"]}
        self.statuses = sorted(
            (self._status(row) for row in self.rows.values()),
            key=lambda status: int(status["id"]),
            reverse=True,
        )

    def answer(self, request: Request) -> Outcome:
        """Status, JSON and headers of one API call."""
        path = request.path.rstrip("/")
        if match := re.fullmatch(r"/api/v1/timelines/tag/(.+)", path):
            return self._timeline(match.group(1), request.query)
        if match := re.fullmatch(r"/api/v1/statuses/(\d+)(/context)?", path):
            for status in self.statuses:
                if status["id"] == match.group(1):
                    alone: Json = {"ancestors": [], "descendants": []}
                    return 200, alone if match.group(2) else status, LIMITS
        if match := re.fullmatch(r"/api/v1/statuses/(\d+)/context", path):
            return self._context(match.group(1))
        if path == "/api/v2/search":
            return 200, self._search(request.query, bool(request.authorization)), LIMITS
        if path in ("/api/v1/instance", "/api/v2/instance"):
            return 200, {"domain": self.root[7:], "title": "Square", "version": "4.5.2"}, LIMITS
        return 404, {"error": "Record not found"}, LIMITS

    def _context(self, number: str) -> Outcome:
        """What a status answers and what answers it, as far as it reached this instance."""
        known = {status["id"]: status for status in self.statuses}
        if number not in known:
            return 404, {"error": "Record not found"}, LIMITS
        above: list[Json] = []
        while parent := known.get((above[0] if above else known[number])["in_reply_to_id"]):
            above.insert(0, parent)
        below, waiting = [], [number]
        while waiting:
            parent_id = waiting.pop(0)
            replies = [row for row in self.statuses if row["in_reply_to_id"] == parent_id]
            below += replies
            waiting += [row["id"] for row in replies]
        return 200, {"ancestors": above, "descendants": below}, LIMITS

    def _timeline(self, tag: str, query: Mapping[str, str]) -> Outcome:
        rows = [status for status in self.statuses if _carries(status, tag)]
        for name in ("max_id", "since_id", "min_id"):
            if query.get(name, "0").isdigit() is False:
                return 400, {"error": f"{name} is not a number"}, LIMITS
        if "max_id" in query:
            rows = [status for status in rows if int(status["id"]) < int(query["max_id"])]
        if "since_id" in query:
            rows = [status for status in rows if int(status["id"]) > int(query["since_id"])]
        limit = min(int(query.get("limit", "20")), PAGE)
        if "min_id" in query:
            # min_id walks upwards: the page holds the oldest statuses above it, not the newest.
            rows = [status for status in rows if int(status["id"]) > int(query["min_id"])][-limit:]
        page = rows[:limit]
        return 200, page, dict(LIMITS) | self._links(tag, page, query)

    def _links(self, tag: str, page: list[Json], query: Mapping[str, str]) -> dict[str, str]:
        if not page:
            return {}
        address = f"{self.root}/api/v1/timelines/tag/{quote(tag)}"
        # As on real instances the links keep the limit and drop since_id: a client bounds its own walk.
        kept = {"limit": query["limit"]} if "limit" in query else {}
        older = urlencode(kept | {"max_id": page[-1]["id"]})
        newer = urlencode(kept | {"min_id": page[0]["id"]})
        return {"Link": f'<{address}?{older}>; rel="next", <{address}?{newer}>; rel="prev"'}

    def _search(self, query: Mapping[str, str], known: bool) -> Json:
        words = query.get("q", "").lower().lstrip("#").split()
        found = [
            status
            for status in self.statuses
            if known and words and all(word in status["content"].lower() for word in words)
        ]
        return {"accounts": [], "statuses": found[: int(query.get("limit", "20"))], "hashtags": []}

    def _status(self, row: Json) -> Json:
        moment = datetime.fromisoformat(row["when"]).astimezone(UTC)
        number = str((int(moment.timestamp() * 1000) << 16) + int(row["key"][1:]))
        original = self._status(self.rows[row["reblog_of"]]) if row["reblog_of"] else None
        name = row["account"]
        tags = _TAG.findall(row["content"])
        return {
            "id": number,
            "created_at": moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "in_reply_to_id": None,
            "in_reply_to_account_id": None,
            "sensitive": False,
            "spoiler_text": "",
            "visibility": "public",
            "language": row["language"],
            "uri": f"{self.root}/users/{name}/statuses/{number}",
            "url": f"{self.root}/@{name}/{number}",
            "replies_count": row["replies"],
            "reblogs_count": row["reblogs"],
            "favourites_count": row["favourites"],
            "quotes_count": 0,
            "edited_at": None,
            "content": _TAG.sub(lambda match: self._link(match.group(1)), row["content"]),
            "reblog": original,
            "account": self._account(name),
            "media_attachments": [],
            "mentions": [],
            "tags": [
                {"name": tag.lower(), "url": f"{self.root}/tags/{quote(tag)}"} for tag in tags
            ],
            "emojis": [],
            "card": None,
            "poll": None,
        }

    def _link(self, tag: str) -> str:
        return (
            f'<a href="{self.root}/tags/{quote(tag)}" class="mention hashtag" rel="tag">'
            f"#<span>{tag}</span></a>"
        )

    def _account(self, name: str) -> Json:
        return {
            "id": str(1100 + sorted(self.names).index(name)),
            "username": name,
            "acct": name,
            "display_name": self.names[name],
            "bot": False,
            "url": f"{self.root}/@{name}",
        }


def _carries(status: Json, tag: str) -> bool:
    shown = status["reblog"] or status
    return any(entry["name"] == tag.lower() for entry in shown["tags"])
