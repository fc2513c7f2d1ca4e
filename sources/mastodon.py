"""Mastodon: hashtag timelines within days, and full-text search where a token is configured.

Ids are snowflakes that carry their time, so a hashtag timeline can be entered at any day; pages follow the
Link header. Boosts are unwrapped to what they boost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import quote, urlencode, urlsplit
from zoneinfo import ZoneInfo

from schemas import Item, Origin, SourceQuery
from sources.base import Connector, Report, SourceContext, SourceError
from sources.counts import read_counts
from sources.text import headline, language, plain
from sources.urls import canonical

PAGE = 40
"""Most statuses that the server gives at once."""
MOST_PAGES = 500
_NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="?next"?')


def snowflake(at: datetime) -> int:
    """The smallest status id of an instant: milliseconds since 1970, shifted by 16 bits."""
    return int(at.timestamp() * 1000) << 16


def snowflake_time(status_id: int) -> datetime:
    """The instant inside a status id, to the millisecond."""
    return datetime.fromtimestamp((status_id >> 16) / 1000, UTC)


def is_status(value: object) -> bool:
    """Whether a JSON value has the shape of a status."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("account"), Mapping)
        and {"id", "content", "created_at"} <= value.keys()
        and "visibility" in value
    )


def status_item(
    raw: Mapping[str, Any], context: SourceContext, report: Report, *, origin: Origin
) -> Item | None:
    """One status as an item; what cannot be kept is refused with its reason."""
    inner = raw.get("reblog")
    if isinstance(inner, Mapping) and is_status(inner):
        raw = inner
    native = str(raw.get("id", ""))
    if raw.get("visibility") not in (None, "public", "unlisted"):
        report.refuse(native, "not public")
        return None
    warning = headline(str(raw.get("spoiler_text") or ""))
    text = plain(str(raw.get("content") or ""))
    if not text and not warning:
        report.refuse(native, "no words")
        return None
    moment = context.time(raw.get("created_at"), "UTC")
    parent, author = raw.get("in_reply_to_id"), raw["account"]
    edited = bool(raw.get("edited_at"))
    if edited:
        report.note("some posts were edited after publication; only their last wording is known")
    url = str(raw.get("url") or raw.get("uri") or "")
    return Item(
        item_id=context.ids.item("mastodon", native),
        platform="mastodon",
        kind="comment" if parent else "post",
        native_id=native,
        parent_id=context.ids.item("mastodon", str(parent)) if parent else None,
        url=url,
        canonical_url=canonical(url),
        author_hash=context.ids.author("mastodon", author.get("uri") or author.get("acct")),
        title=warning,
        text=text or warning,
        lang=language(text or warning),
        published_at=moment.at,
        published_raw=str(raw.get("created_at") or ""),
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=min(moment.confidence, 0.6) if edited else moment.confidence,
        fetched_at=context.fetched_at,
        engagement=read_counts(
            replies=raw.get("replies_count"),
            reposts=raw.get("reblogs_count"),
            likes=raw.get("favourites_count"),
        ),
        licence="platform-terms",
        origin=origin,
    )


class Mastodon(Connector):
    """One instance's view of a hashtag, or its full-text search."""

    name = "mastodon"
    optional: ClassVar[tuple[str, ...]] = ("MASTODON_TOKEN",)
    window = "days"
    takes = "one hashtag with #, or search words (these need MASTODON_TOKEN)"
    cap = "40 a page, 300 in 5 min"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield statuses, newest first. SourceError when the instance refuses the token."""
        zone = ZoneInfo(self.context.zone)
        start = datetime(since.year, since.month, since.day, tzinfo=zone)
        stop = datetime(until.year, until.month, until.day, tzinfo=zone) + timedelta(days=1)
        base = str(self.context.setting("mastodon_url", "https://mastodon.social")).rstrip("/")
        words = query.query.strip()
        if words.startswith("#") and " " not in words:
            address = (
                f"{base}/api/v1/timelines/tag/{quote(words.lstrip('#'), safe='')}?"
                + urlencode(
                    {"limit": PAGE, "max_id": snowflake(stop), "since_id": snowflake(start)}
                )
            )
            pages = self._timeline(address)
        else:
            if not self.context.env.get("MASTODON_TOKEN"):
                self.report.end("blocked")
                self.report.note("full-text search needs MASTODON_TOKEN; a hashtag does not")
                return
            dated = f"{words} after:{since - timedelta(days=1)} before:{until + timedelta(days=1)}"
            pages = self._found(base, dated)
        found = 0
        seen: set[str] = set()
        for raw in pages:
            origin = Origin(source=self.name, query=query.query)
            item = status_item(raw, self.context, self.report, origin=origin)
            if item is None or item.native_id in seen:
                continue
            seen.add(item.native_id)
            if (
                item.published_at is not None
                and item.published_at < start
                and not raw.get("reblog")
            ):
                return
            if found >= query.max_items:
                self.report.capped = True
                return
            found += 1
            yield item

    def _timeline(self, address: str) -> Iterator[Mapping[str, Any]]:
        for _ in range(MOST_PAGES):
            body, link = self._get(address)
            if not isinstance(body, list) or not body:
                return
            yield from self._statuses(body)
            match = _NEXT.search(link)
            if match is None:
                return
            if urlsplit(match[1]).netloc != urlsplit(address).netloc:
                self.report.note("a page link led to another host and was not followed")
                return
            address = match[1]
        self.report.capped = True

    def _found(self, base: str, words: str) -> Iterator[Mapping[str, Any]]:
        for page in range(MOST_PAGES):
            address = f"{base}/api/v2/search?" + urlencode(
                {"q": words, "type": "statuses", "limit": PAGE, "offset": page * PAGE}
            )
            body, _ = self._get(address)
            rows = body.get("statuses", []) if isinstance(body, dict) else []
            if not rows:
                return
            yield from self._statuses(rows)

    def _statuses(self, rows: list[Any]) -> Iterator[Mapping[str, Any]]:
        for row in rows:
            if is_status(row):
                yield row
            else:
                self.report.refuse(str(row)[:60], "not a status")

    def _get(self, address: str) -> tuple[Any, str]:
        token = self.context.env.get("MASTODON_TOKEN")
        headers = {"authorization": f"Bearer {token}"} if token else {}
        response = self.context.client.get(address, headers=headers, robots=False)
        if response.status == 401:
            raise SourceError(
                "the Mastodon instance refused the request (401); set MASTODON_TOKEN to a valid token"
            )
        if response.outcome != "ok":
            self.report.end(response.outcome)
            self.report.refuse(address, response.outcome, response.note)
            return None, ""
        try:
            body = json.loads(response.body)
        except ValueError:
            self.report.end("decode_error")
            self.report.refuse(address, "decode_error", "the answer is no JSON")
            return None, ""
        self.report.end("ok" if body else "empty")
        return body, response.headers.get("link", "")
