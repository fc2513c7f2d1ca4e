"""Reddit through praw, read-only with application credentials: submissions of a search and their comments.

Reddit has no search by date: a search gives its newest about 1,000 results, and the window is applied to
what came. Traffic goes through `requests`, so it does not pass our client; its addresses come from settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from schemas import Item, Origin, Outcome, SourceQuery
from sources.base import Connector, SourceError
from sources.reddit_json import thing_item

_SUB = re.compile(r"^/?r/([A-Za-z0-9_]{2,24})(?:\s*:\s*(.+)|\s+(.+))?$")
LISTING = 1000
"""Reddit gives no more than about this many results of one listing."""
MORE_REQUESTS = 8
"""Most requests for folded comments a thread."""
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
    """Search of all of Reddit or of one subreddit, with the threads' comments."""

    name = "reddit"
    needs = ("REDDIT_CLIENT_ID", "REDDIT_CLIENT_SECRET")
    takes = "search words, `r/NAME: search words`, or `r/NAME` for its newest posts"
    cap = "newest 1,000 a search"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield submissions newest first, each followed by its comments.

        Comments are asked for only below submissions of the window. SourceError when Reddit refuses the
        credentials.
        """
        import prawcore.exceptions as failures

        try:
            yield from self._search(query, since, until)
        except (failures.OAuthException, failures.InvalidToken) as error:
            raise self._refused() from error
        except failures.ResponseException as error:
            status = error.response.status_code
            if status == 401:
                raise self._refused() from error
            outcome: Outcome = {403: "blocked", 429: "blocked", 404: "soft404"}.get(status, "error")  # type: ignore[assignment]
            self._failed(outcome, f"Reddit answered {status}", query)
        except failures.RequestException as error:
            import requests

            if not isinstance(error.original_exception, requests.exceptions.RequestException):
                raise error.original_exception from error
            self._failed("error", type(error.original_exception).__name__, query)

    def _failed(self, outcome: Outcome, why: str, query: SourceQuery) -> None:
        self.report.end(outcome)
        self.report.refuse(query.query, outcome, why)

    def _refused(self) -> SourceError:
        return SourceError(
            "Reddit refused the credentials; check REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET"
        )

    def _search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        zone = ZoneInfo(self.context.zone)
        start = datetime(since.year, since.month, since.day, tzinfo=zone)
        stop = datetime(until.year, until.month, until.day, tzinfo=zone) + timedelta(days=1)
        origin = Origin(source=self.name, query=query.query)
        found = seen = 0
        for submission in self._submissions(query):
            seen += 1
            at = datetime.fromtimestamp(float(vars(submission)["created_utc"]), UTC)
            if at < start:
                break
            item = thing_item("t3", _raw(submission), self.context, self.report, origin=origin)
            if item is not None:
                found += 1
                yield item
            if at < stop:
                for comment in self._comments(submission):
                    if found >= query.max_items:
                        self.report.capped = True
                        break
                    reply = thing_item(
                        "t1", _raw(comment), self.context, self.report, origin=origin
                    )
                    if reply is not None:
                        found += 1
                        yield reply
            if found >= query.max_items:
                self.report.capped = True
                break
        self.report.end("ok" if seen else "empty")
        if seen >= LISTING - 10:
            self.report.capped = True
            self.report.note("Reddit gives about 1,000 results a search; older ones are missing")

    def _submissions(self, query: SourceQuery) -> Iterator[Any]:
        reddit = self._client()
        match = _SUB.match(query.query.strip())
        words = (match[2] or match[3]) if match else query.query
        subreddit = reddit.subreddit(match[1] if match else "all")
        if words:
            listing = subreddit.search(words, sort="new", time_filter="all", limit=LISTING)
        else:
            listing = subreddit.new(limit=LISTING)
        yield from listing

    def _comments(self, submission: Any) -> Iterator[Any]:
        if not vars(submission).get("num_comments"):
            return
        forest = submission.comments
        folded = forest.replace_more(limit=MORE_REQUESTS)
        if folded:
            self.report.capped = True
            self.report.note("some threads have more comments than were unfolded")
        yield from forest.list()

    def _client(self) -> Any:
        import praw
        import requests

        session = requests.Session()
        session.trust_env = False
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


def _raw(thing: Any) -> dict[str, Any]:
    """The fields of a praw object as Reddit sent them, without causing a request."""
    values = vars(thing)
    data = {name: values.get(name) for name in _FIELDS}
    data["author"] = str(values["author"]) if values.get("author") else None
    data["subreddit"] = str(values["subreddit"]) if values.get("subreddit") else None
    return data
