"""A Reddit comment tree read level by level, its folded parts fetched one by one, the largest first.

Reddit shows some hundred comments of a thread and folds the others away: `more` nodes with ids cost one request
for up to 100 comments, those without (id `_`, "continue this thread") one for what lies below one comment. A
request that fails costs that fold, never the tree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MORE_REQUESTS = 32
"""Requests for folded comments of one tree, unless `collect.reddit_more` says otherwise."""
FLOOR = 5
"""Comments below which a fold is not worth its request, where there are more folds than requests."""
FAILURES = 3
"""Requests in a row that fail, after which no further fold of the tree is asked for."""


class Unreadable(Exception):
    """praw could not make sense of an answer."""


class Tree:
    """The comments of one submission of praw; `retrying` makes a request and waits for rate limits."""

    def __init__(
        self, submission: Any, retrying: Callable[[Callable[[], Any]], Any], requests: int
    ) -> None:
        self._submission = submission
        self._retrying = retrying
        self._requests = requests
        self._folds: list[Any] = []
        self._seen: set[str] = set()
        self.failures: list[str] = []
        """How requests for folded comments failed."""

    @property
    def left(self) -> int:
        """Comments known to be folded away still; a fold that does not say how many counts as one."""
        return sum(max(int(fold.count), 1) for fold in self._folds)

    def comments(self) -> Iterator[Any]:
        """Yield each comment of praw once. Requests are made when what came before was taken.

        Raises what prawcore raises, or Unreadable, when the thread itself is not given or a rate limit is used up.
        """
        import prawcore.exceptions as gone

        shown = self._retrying(lambda: self._submission.comments)
        yield from self._take(shown)
        failed = 0
        while self._folds and self._requests > 0 and failed < FAILURES:
            self._folds.sort(key=lambda fold: int(fold.count))
            if len(self._folds) > self._requests and int(self._folds[-1].count) < FLOOR:
                return
            fold = self._folds.pop()
            self._requests -= 1
            try:
                found = self._retrying(lambda fold=fold: self._unfold(fold))  # type: ignore[misc]
            except gone.TooManyRequests:
                self._folds.append(fold)
                raise
            except (gone.ResponseException, Unreadable) as error:
                failed += 1
                self.failures.append(_why(error, int(fold.count)))
                continue
            failed = 0
            yield from self._take(found)

    def _unfold(self, fold: Any) -> Iterable[Any]:
        fold.submission = self._submission
        found: Iterable[Any] = fold.comments(update=False)
        return found

    def _take(self, nodes: Iterable[Any]) -> Iterator[Any]:
        """The comments among these and below them that are new; folds are put by."""
        from praw.models import Comment, MoreComments

        waiting = deque(nodes)
        while waiting:
            node = waiting.popleft()
            if isinstance(node, MoreComments):
                if node.children or not int(node.count):  # some say a number and name nobody
                    self._folds.append(node)
            elif isinstance(node, Comment):
                node.submission = self._submission
                waiting.extend(node.replies)
                if node.id not in self._seen:
                    self._seen.add(node.id)
                    yield node


def _why(error: Exception, count: int) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    answer = "gave no tree" if status is None else f"answered {status}"
    return f"Reddit {answer} for {count or 'some'} of them"
