"""Hacker News through Algolia's search interface: stories, whole discussions of the most discussed, comments.

A query gives at most 1,000 hits and pages no further, whatever `nbPages` says, so days are swept in windows.
Stories are posts whether they link somewhere or not; the linked page is not read.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from schemas import Item, Origin, SourceQuery
from sources import existence
from sources.base import Connector, Paused, Report, SourceContext
from sources.counts import read_counts
from sources.language import language
from sources.lenient import glimpse, json_object, rows, words
from sources.limits import until
from sources.text import headline, plain
from sources.urls import canonical, site
from sources.windows import MOST_ROWS, Haul, Window, day_window, listing, spread, sweep

ADDRESS = "https://hn.algolia.com"
PAGE = 1000
"""Most hits that a query gives."""
THREADS = 10
"""Discussions fetched whole, unless `collect.hackernews_threads` says otherwise."""
SMALLEST = timedelta(minutes=1)
_GONE = frozenset({"[deleted]", "[dead]", "[flagged]", "[removed]"})


def story_item(
    raw: Mapping[str, Any], context: SourceContext, report: Report, *, origin: Origin
) -> Item | None:
    """A story of a search or the root of a thread as a post; deleted and wordless ones are refused."""
    native = _id(raw.get("objectID")) or _id(raw.get("id"))
    title = headline(words(raw.get("title")))
    text = plain(words(raw.get("story_text")) or words(raw.get("text")))
    link = words(raw.get("url"))
    if title.lower() in _GONE or text.lower() in _GONE or not words(raw.get("author")):
        report.refuse(native, "deleted")
        return None
    return _item(
        raw,
        context,
        report,
        native=native,
        origin=origin,
        title=title,
        text=text or title,
        publisher=site(link),
    )


def comment_item(
    raw: Mapping[str, Any],
    context: SourceContext,
    report: Report,
    *,
    origin: Origin,
    root: str = "",
) -> Item | None:
    """A comment of a search or a thread; `root` is its story where the comment does not name it."""
    native = _id(raw.get("objectID")) or _id(raw.get("id"))
    text = plain(words(raw.get("comment_text")) or words(raw.get("text")))
    if text.lower() in _GONE or not words(raw.get("author")):
        report.refuse(native, "deleted")
        return None
    return _item(
        raw,
        context,
        report,
        native=native,
        origin=origin,
        text=text,
        parent=_id(raw.get("parent_id")) or root,
        root=_id(raw.get("story_id")) or root,
    )


def _item(
    raw: Mapping[str, Any],
    context: SourceContext,
    report: Report,
    *,
    native: str,
    origin: Origin,
    text: str,
    title: str = "",
    publisher: str = "",
    parent: str = "",
    root: str = "",
) -> Item | None:
    if not native or not text:
        report.refuse(native or glimpse(dict(raw)), "no words")
        return None
    seconds, written = raw.get("created_at_i"), words(raw.get("created_at"))
    moment = context.time(seconds if isinstance(seconds, int) else written, "UTC")
    url = f"https://news.ycombinator.com/item?id={native}"
    return Item(
        item_id=context.ids.item("hackernews", native),
        platform="hackernews",
        kind="comment" if parent else "post",
        native_id=native,
        parent_id=context.ids.item("hackernews", parent) if parent else None,
        root_id=context.ids.item("hackernews", root) if root else None,
        url=url,
        canonical_url=canonical(url),
        author_hash=context.ids.author("hackernews", words(raw.get("author"))),
        publisher=publisher,
        title=title,
        text=text,
        lang=language(text),
        published_at=moment.at,
        published_raw=written or _id(seconds),
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=moment.confidence,
        fetched_at=context.fetched_at,
        engagement=read_counts(likes=raw.get("points"), replies=raw.get("num_comments")),
        licence="platform-terms",
        origin=origin,
    )


def replies(root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Comments of a thread, level by level, so that any number from the start holds the answers to the story."""
    waiting = deque([root])
    while waiting:
        for child in rows(waiting.popleft().get("children")):
            if isinstance(child, Mapping):
                yield child
                waiting.append(child)


def _id(value: object) -> str:
    """An id, a number in some answers and a string in others; empty when it is neither."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return words(value)


def _read(row: Mapping[str, Any]) -> Item:
    return Item.model_validate_json(json.dumps(row))


class HackerNews(Connector):
    """Stories and comments of Hacker News within days."""

    name = "hackernews"
    window = "days"
    takes = "search words"
    cap: ClassVar[str] = "1,000 a window, split where it is hit; 10,000 requests an hour"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield stories, then the discussions of the most discussed ones, then other comments with the words.

        Where the window holds more than `query.max_items`, half of them are stories, those with the most
        comments and of equal ones some of every day, oldest first; the discussions share what is left evenly.
        Stories beyond the half come last.
        Paused when the limit of requests is used up.
        """
        self._window = day_window(since, until, self.context.zone)
        self._origin = Origin(source=self.name, query=query.query)
        self._words = query.query
        state = self.context.cursor.load()
        if state.get("step", "stories") == "stories":
            self._choose(query.max_items)
            state = self.context.cursor.load()
        posts = [_read(row) for row in state["posts"]]
        self._room = query.max_items - int(state.get("given", 0))
        if state["step"] == "posts":
            yield from self._give(iter(posts[: int(state["first"])]))
            state = self._save(state, step="threads")
        while state["step"] == "threads" and state["threads"]:
            if self._room <= 0:
                self.report.capped = True
                break
            share = max(self._room // len(state["threads"]), 1)
            yield from self._give(self._thread(state["threads"][0], share))
            state = self._save(state, threads=state["threads"][1:])
        if state["step"] == "threads":
            state = self._save(state, step="comments")
        if state["step"] == "comments":
            if self._room > 0:
                yield from self._give(self._comments())
            state = self._save(self.context.cursor.load(), step="rest")
        rest = iter(posts[int(state["first"]) :])
        yield from self._give(rest)
        if any(True for _ in rest):
            self.report.capped = True

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Asks the site's own interface, because the search index keeps what was deleted."""
        base = str(self.context.setting("hackernews_items_url", existence.HACKERNEWS_ADDRESS))
        return existence.hackernews(self.context.client, self.report, base, native_ids)

    def _save(self, state: dict[str, Any], **changed: Any) -> dict[str, Any]:
        state = state | changed | {"given": state["max"] - self._room}
        self.context.cursor.save(state)
        return state

    def _give(self, items: Iterator[Item]) -> Iterator[Item]:
        """Items while there is room; the report is capped when one more came."""
        if self._room <= 0:
            return
        for item in items:
            if self._room <= 0:
                self.report.capped = True
                return
            self._room -= 1
            yield item

    def _choose(self, most: int) -> None:
        """Sweep the stories and put down which are given first and whose discussions are fetched."""
        found = listing(
            partial(self._ask, "story"),
            self._window,
            key="item_id",
            smallest=SMALLEST,
            report=self.report,
            cursor=self.context.cursor.part("listing"),
        )
        by_talk = self._by_talk(found)
        if len(by_talk) > most:
            self.report.capped = True
            self.report.note(
                f"{len(by_talk)} stories were found; the {most} with the most comments are kept, "
                "where equally many have them some of every day"
            )
        first = min(len(by_talk), max(most // 2, 1))
        threads = int(self.context.setting("hackernews_threads", THREADS))
        talked = [row["native_id"] for row in by_talk if row["engagement"].get("replies", 0)]
        posts = [
            *sorted(by_talk[:first], key=lambda row: str(row["published_at"])),
            *by_talk[first:most],
        ]
        self.context.cursor.save(
            {
                "step": "posts",
                "posts": posts,
                "first": first,
                "threads": talked[: max(threads, 0)],
                "max": most,
                "given": 0,
            }
        )

    def _by_talk(self, found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Stories with most comments first, days in turn among equal ones: most stories have none."""
        equal: dict[int, list[dict[str, Any]]] = {}
        for row in sorted(found, key=lambda row: str(row["published_at"])):
            equal.setdefault(row["engagement"].get("replies", 0), []).append(row)
        return [
            row for count in sorted(equal, reverse=True) for row in spread(equal[count], self._day)
        ]

    def _ask(self, tag: str, window: Window) -> Haul[dict[str, Any]]:
        """One window of stories or comments, as items in JSON."""
        low, high = (int(at.timestamp()) for at in (window.start, window.end))
        body, note = self._get(
            "/api/v1/search_by_date?"
            + urlencode(
                {
                    "query": self._words,
                    "tags": tag,
                    "numericFilters": f"created_at_i>={low},created_at_i<{high}",
                    "hitsPerPage": PAGE,
                }
            )
        )
        if note.startswith("larger than"):
            return Haul((), capped=True)
        hits = body.get("hits")
        if not isinstance(hits, list):
            return Haul((), capped=False, failed=True)
        page, total = (body.get(name) for name in ("hitsPerPage", "nbHits"))
        page = min(PAGE, page) if isinstance(page, int) and page > 0 else PAGE
        capped = len(hits) >= page or (isinstance(total, int) and total > PAGE)
        if capped and window.halves(SMALLEST) is not None:
            return Haul((), capped=True)
        make = story_item if tag == "story" else comment_item
        found = []
        for hit in hits:
            if not isinstance(hit, Mapping):
                self.report.refuse(glimpse(hit), "not a hit")
                continue
            item = make(hit, self.context, self.report, origin=self._origin)
            if item is not None:
                found.append(item.model_dump(mode="json"))
        return Haul(found, capped)

    def _comments(self) -> Iterator[Item]:
        """Comments with the words: the days evenly where few are wanted, else as they come, oldest first."""
        ask = partial(self._ask, "comment")
        cursor = self.context.cursor.part("comments")
        given: Iterable[dict[str, Any]]
        if self._room < MOST_ROWS // 2:
            found = listing(
                ask,
                self._window,
                key="item_id",
                smallest=SMALLEST,
                report=self.report,
                cursor=cursor,
            )
            given = spread(found, self._day)
        else:
            given = sweep(ask, self._window, smallest=SMALLEST, report=self.report, cursor=cursor)
        return (_read(row) for row in given)

    def _day(self, row: Mapping[str, Any]) -> str:
        at = _read(row).published_at
        return "" if at is None else at.astimezone(ZoneInfo(self.context.zone)).date().isoformat()

    def _thread(self, story: str, share: int) -> Iterator[Item]:
        """Up to `share` comments of one discussion that lie in the window."""
        root, _ = self._get(f"/api/v1/items/{story}")
        given = 0
        for raw in replies(root):
            if raw.get("type", "comment") != "comment":
                self.report.refuse(_id(raw.get("id")) or glimpse(dict(raw)), "not a comment")
                continue
            item = comment_item(raw, self.context, self.report, origin=self._origin, root=story)
            if item is None:
                continue
            if not self._holds(item.published_at):
                self.report.refuse(item.native_id, "outside the window", item.published_raw)
                continue
            if given >= share:
                self.report.capped = True
                self.report.note("some discussions are longer than their share of max_items")
                return
            given += 1
            yield item

    def _holds(self, at: datetime | None) -> bool:
        return at is None or self._window.start <= at < self._window.end

    def _get(self, path: str) -> tuple[Mapping[str, Any], str]:
        """The JSON object of an answer, or an empty one with the reason of the client."""
        address = str(self.context.setting("hackernews_url", ADDRESS)).rstrip("/") + path
        response = self.context.client.get(address, robots=False)
        if response.status == 429 and self.context.waits:
            raise Paused(
                f"Hacker News allows no further search{until(response.headers, ' for up to an hour')}"
            )
        if response.outcome != "ok":
            self.report.end(response.outcome)
            self.report.refuse(address, response.outcome, response.note)
            return {}, response.note
        body = json_object(response.body)
        if body is None:
            self.report.end("decode_error")
            self.report.refuse(address, "decode_error", "the answer is no JSON object")
            return {}, ""
        self.report.end("empty" if body.get("hits") == [] else "ok")
        return body, ""
