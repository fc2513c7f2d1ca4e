"""Reddit through praw, read-only with application credentials: submissions of a search and whole comment trees.

Reddit has no search by date: a listing gives at most about 1,000 results, and the window is applied to what came.
Where the newest do not reach the window, the best of all time are asked for too. Traffic goes through `requests`,
so it does not pass our client; its bodies are bounded as there, and its addresses come from settings.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from schemas import Item, Origin, Outcome, SourceQuery
from sources import existence
from sources.base import Connector, Paused, SourceError
from sources.http import retry_seconds
from sources.reddit_json import thing_item
from sources.reddit_tree import MORE_REQUESTS, Tree, Unreadable
from sources.threads import Replies, begin, begun, by_chance, discussions, replies_given
from sources.windows import day_window, spread

T = TypeVar("T")
_SUB = re.compile(r"^/?r/([A-Za-z0-9_]{2,24})(?:\s*:\s*(.+)|\s+(.+))?$")
LISTING = 1000
"""Reddit gives no more than about this many results of one listing."""
FULL = 200
"""Results from which on a listing may have been cut, since searches often end well before the limit."""
PAGE = 100
"""Results of one answer, after which the position is saved."""
THREADS = 25
"""Comment trees fetched, unless `collect.reddit_threads` says otherwise."""
TRIES = 3
LONGEST_WAIT = 120.0
"""Seconds that are waited at most for a rate limit; a longer one stops the query until it is run again."""
_FIELDS = (
    "id",
    "title",
    "selftext",
    "body",
    "created_utc",
    "permalink",
    "parent_id",
    "link_id",
    "edited",
    "score",
    "num_comments",
    "removed_by_category",
)


class Reddit(Connector):
    """Search of all of Reddit or of one subreddit, with the comment trees of the most-discussed submissions."""

    name = "reddit"
    needs = ("REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET")
    takes = "search words, `r/NAME: search words`, or `r/NAME` for its newest posts"
    cap = "newest 1,000 a search"
    sleep: Callable[[float], None] = staticmethod(time.sleep)
    """Waits for a rate limit; never in replay."""

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield submissions of the window, then comment trees of the most-discussed ones.

        Where there are too many, half of `query.max_items` are submissions: the most-discussed ones, then days
        in turn; what the comments leave goes to further ones. SourceError when Reddit refuses the credentials,
        Paused when its rate limit is used up for long.
        """
        import prawcore.exceptions as failures

        try:
            yield from self._search(query, since, until)
        except (failures.OAuthException, failures.InvalidToken) as error:
            raise self._refused() from error
        except (failures.ResponseException, failures.RequestException, Unreadable) as error:
            self._failed(query.query, error)

    def still_there(self, native_ids: Sequence[str]) -> Mapping[str, bool | None]:
        """Asks by fullname, 100 a call."""
        return existence.reddit(self._client(), self.report, native_ids)

    def _search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        self._window = day_window(since, until, self.context.zone)
        self._origin = Origin(source=self.name, query=query.query)
        self._closed = False
        self._reddit = self._client()
        threads = max(int(self.context.setting("reddit_threads", THREADS)), 0)
        cursor = self.context.cursor.part("threads")
        going_on = begun(cursor)
        if not going_on:
            self._find(query.query)
        found = self._ranked(self._listed(), threads, query.max_items)
        room = self._room(found, query.max_items, threads)
        if not going_on:
            yield from found[:room]
            talked = [item for item in found[:room] if item.engagement.get("replies", 0)]
            talked.sort(key=lambda item: (-item.engagement["replies"], by_chance(item.native_id)))
            todo = [item.native_id for item in talked]
            begin(cursor, todo[:threads], query.max_items - len(found[:room]))
        yield from discussions(self._comments, cursor=cursor, report=self.report)
        kept = query.max_items - replies_given(cursor)
        yield from found[room:kept]
        if len(found) > kept:
            self.report.capped = True
            self.report.note(
                f"{len(found)} submissions were found; {kept} are kept, most-discussed ones and some of every day"
            )

    # -- submissions -----------------------------------------------------------------------------

    def _find(self, asked: str) -> None:
        """List the submissions of the window; they are kept in the cursor."""
        import prawcore.exceptions as failures

        match = _SUB.match(asked.strip())
        words = (match[2] or match[3]) if match else asked
        subreddit = self._reddit.subreddit(match[1] if match else "all")
        cursor = self.context.cursor.part("listing")
        state = cursor.load() or {"sort": 0, "after": "", "count": 0, "rows": {}, "reached": False}
        sorts = ("new", "relevance", "comments", "top") if words else ("new", "top")
        while state["sort"] < len(sorts) and not state["reached"]:
            before = len(state["rows"])
            try:
                self._list(subreddit, words, sorts[state["sort"]], state, cursor)
            except (failures.ResponseException, failures.RequestException, Unreadable) as error:
                cursor.save(state)  # a listing goes on behind what came last
                self._failed(asked, error)
                self.report.capped = True
                cursor.save(state | {"sort": len(sorts)})
                break
            self._tell_cut(state, len(state["rows"]) - before)
            state |= {"sort": state["sort"] + 1, "after": "", "count": 0}
            cursor.save(state)

    def _listed(self) -> list[Item]:
        """What was listed, most-discussed first."""
        listed = self.context.cursor.part("listing").load().get("rows", {})
        items = [Item.model_validate_json(json.dumps(row)) for row in listed.values()]
        return sorted(
            items, key=lambda item: (-item.engagement.get("replies", 0), by_chance(item.native_id))
        )

    def _tell_cut(self, state: dict[str, Any], new: int) -> None:
        """After a listing: whether the window was reached, and what is said when it was not."""
        self.report.end("ok" if state["count"] else "empty")
        if state["sort"] == 0:
            state["reached"] = state["reached"] or state["count"] < FULL
            if state["count"] >= LISTING - 10 and not state["reached"]:
                self._cut()
        elif new:
            self._cut()

    def _cut(self) -> None:
        self.report.capped = True
        self.report.note(
            "Reddit gives about 1,000 results a listing; the newest did not reach the window, so the best of all "
            "time were searched too and others are missing"
        )

    def _list(
        self, subreddit: Any, words: str, sort: str, state: dict[str, Any], cursor: Any
    ) -> None:
        """Read one listing from where `state` stands and put the submissions of the window into its rows."""
        more: dict[str, Any] = {"limit": LISTING - state["count"]}
        if state["after"]:
            more["params"] = {"after": state["after"]}
        if words:
            found = iter(subreddit.search(words, sort=sort, time_filter="all", **more))
        elif sort == "new":
            found = iter(subreddit.new(**more))
        else:
            found = iter(subreddit.top(time_filter="all", **more))
        while (thing := self.retrying(lambda: next(found, None))) is not None:
            data = raw_fields(thing)
            native = f"t3_{data['id']}"
            state["count"] += 1
            state["after"] = native
            at = _created(data)
            if sort == "new" and at is not None and at < self._window.start:
                if not vars(thing).get("stickied"):  # pinned ones stand before newer ones
                    state["reached"] = True
                    return
            elif at is not None and not self._window.start <= at < self._window.end:
                self.report.refuse(native, "outside the window", f"{at:%Y-%m-%d}")
            elif native not in state["rows"]:
                item = thing_item("t3", data, self.context, self.report, origin=self._origin)
                if item is not None:
                    state["rows"][native] = item.model_dump(mode="json")
            if state["count"] % PAGE == 0:
                cursor.save(state)

    def _ranked(self, found: list[Item], threads: int, most: int) -> list[Item]:
        """Submissions in the order in which they are given: the most-discussed ones, then those of each day in turn."""
        room = self._room(found, most, threads)
        if len(found) <= room:
            return found
        first = min(threads, room // 2)
        by_day = sorted(found[first:], key=lambda item: str(item.published_at))
        return found[:first] + spread(by_day, self._day)

    def _room(self, found: list[Item], most: int, threads: int) -> int:
        """How many submissions are given before the comments: half where there are any to ask for."""
        talked = any(item.engagement.get("replies", 0) for item in found)
        return most - most // 2 if threads and talked else most

    def _day(self, item: Item) -> str:
        at = item.published_at
        return "" if at is None else at.astimezone(ZoneInfo(self.context.zone)).date().isoformat()

    # -- comments --------------------------------------------------------------------------------

    def _comments(self, native: str, _: str, share: int) -> Replies:
        if self._closed:
            self.report.capped = True
            return Replies()
        return Replies(self._tree(native))

    def _tree(self, native: str) -> Iterator[Item]:
        """Comments of one submission that lie in the window, level by level, folded ones as they are taken."""
        import prawcore.exceptions as failures

        most = max(int(self.context.setting("reddit_more", MORE_REQUESTS)), 0)
        tree = Tree(self._reddit.submission(native.removeprefix("t3_")), self.retrying, most)
        try:
            for comment in tree.comments():
                data = raw_fields(comment)
                at = _created(data)
                if at is not None and not self._window.start <= at < self._window.end:
                    self.report.refuse(f"t1_{data['id']}", "outside the window", f"{at:%Y-%m-%d}")
                    continue
                item = thing_item("t1", data, self.context, self.report, origin=self._origin)
                if item is not None:
                    yield item
        except (failures.ResponseException, failures.RequestException, Unreadable) as error:
            self._failed(native, error)
            self.report.capped = True
            if not tree.left:
                return
        else:
            self.report.end("ok")
        for why in tree.failures:
            self.report.refuse(native, "comments not unfolded", why)
        if tree.left:
            self.report.refuse(native, "comments not unfolded", f"{tree.left} of them folded away")
        if tree.left or tree.failures:
            self.report.capped = True
            self.report.note("some threads have more comments than were unfolded")

    # -- asking ----------------------------------------------------------------------------------

    def retrying(self, ask: Callable[[], T]) -> T:
        """What a request of praw gives; a 429 is waited for as its reset header says, in seconds left.

        After some tries, or when the wait is long, the exception of prawcore passes. Unreadable when praw stumbles
        over the answer.
        """
        import prawcore.exceptions as failures
        from praw.exceptions import PRAWException

        for left in reversed(range(TRIES)):
            try:
                return ask()
            except failures.TooManyRequests as error:
                wait = self._wait(error)
                if wait > LONGEST_WAIT or not left:
                    raise
                if not self.context.replay:
                    self.sleep(wait)
            except (
                PRAWException,
                AssertionError,
                AttributeError,
                LookupError,
                TypeError,
                ValueError,
            ) as error:
                raise Unreadable(type(error).__name__) from error
        raise AssertionError("the last try returns or raises")

    def _wait(self, error: Any) -> float:
        headers = {name.lower(): value for name, value in error.response.headers.items()}
        wait = retry_seconds(headers, self.context.fetched_at)
        return 10.0 if wait is None else wait

    def _failed(self, what: str, error: Any) -> None:
        """Report why a listing or tree was not given. Paused for a rate limit where runs wait, so that a rerun goes on.

        What is no failure of the network, such as a miss of a recording, is raised.
        """
        import prawcore.exceptions as failures

        if isinstance(error, Unreadable):
            self.report.end("decode_error")
            self.report.refuse(what, "decode_error", f"praw cannot read the answer ({error})")
            return
        if isinstance(error, failures.TooManyRequests):
            self.report.end("blocked")
            why = f"Reddit allows no further request for {self._wait(error):.0f} seconds"
            if self.context.waits:
                raise Paused(why) from error
            self._closed = True
            self.report.note(why)
            return
        if isinstance(error, failures.RequestException):
            import requests

            from sources.bounded import TooLarge

            cause = error.original_exception
            if not isinstance(cause, requests.exceptions.RequestException):
                raise cause from error
            self.report.end("error")
            said = str(cause) if isinstance(cause, TooLarge) else type(cause).__name__
            self.report.refuse(what, "error", said)
            return
        status = error.response.status_code
        if status == 401:
            raise self._refused() from error
        gone: Outcome = "soft404"
        outcome = {403: "blocked", 451: "blocked", 301: gone, 302: gone, 404: gone}.get(
            status, "error"
        )
        self.report.end(outcome)
        self.report.refuse(what, outcome, f"Reddit answered {status}")

    def _refused(self) -> SourceError:
        return SourceError(
            "Reddit refused the credentials; check REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET"
        )

    def _client(self) -> Any:
        import praw
        import requests

        from sources.bounded import Bounded

        session = requests.Session()
        session.trust_env = False
        api = str(self.context.setting("reddit_url", "https://oauth.reddit.com"))
        bounded = Bounded(
            int(self.context.setting("max_bytes", 5_000_000)), self.context.answers, api
        )
        for scheme in ("https://", "http://"):
            session.mount(scheme, bounded)
        proxy = str(self.context.setting("proxy", ""))
        if proxy:
            session.proxies = {"http": proxy, "https": proxy}
        return praw.Reddit(
            client_id=self.context.env.get("REDDIT_CLIENT_ID", ""),
            client_secret=self.context.env.get("REDDIT_CLIENT_SECRET", ""),
            user_agent=str(self.context.setting("user_agent", "event-factory")),
            reddit_url=str(self.context.setting("reddit_auth_url", "https://www.reddit.com")),
            oauth_url=str(self.context.setting("reddit_url", "https://oauth.reddit.com")),
            requestor_kwargs={"session": session},
            timeout=float(self.context.setting("timeout", 20.0)),
            check_for_updates=False,
            check_for_async=False,
        )


def raw_fields(thing: Any) -> dict[str, Any]:
    """The fields of a praw object as Reddit sent them, without causing a request."""
    values = vars(thing)
    data = {name: values.get(name) for name in _FIELDS}
    data["author"] = str(values["author"]) if values.get("author") else None
    data["subreddit"] = str(values["subreddit"]) if values.get("subreddit") else None
    return data


def _created(data: dict[str, Any]) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(data["created_utc"]), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
