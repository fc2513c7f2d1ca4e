"""A connector whose own code fails ends its query, not the run; what stops the run itself still does."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from factory import collect
from factory.errors import Stopped, WorkspaceError
from schemas import Coverage, Item, Origin, SourceQuery
from sources.base import Connector, SourceContext
from tests.collect.test_collect import context, plan, run


def item(context: SourceContext, native: str) -> Item:
    return Item(
        item_id=context.ids.item("sound", native), platform="sound", kind="post", native_id=native, text="The ferry stops",
        published_at=datetime(2026, 3, 5, tzinfo=UTC), precision="second", fetched_at=context.fetched_at,
        origin=Origin(source="sound"),
    )  # fmt: skip


class Sound(Connector):
    """One post."""

    name = "sound"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        self.report.end("ok")
        yield item(self.context, "s1")


def failing(error: Callable[[], BaseException]) -> type[Connector]:
    class Failing(Connector):
        """One post, then its code fails."""

        name = "failing"

        def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
            yield item(self.context, "f1")
            raise error()

    return Failing


class Unmade(Connector):
    """Fails when it is made."""

    name = "failing"

    def __init__(self, context: SourceContext) -> None:
        raise AttributeError("no such option")


class Wrong(Connector):
    """Gives what is no item."""

    name = "failing"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Any]:
        yield {"text": "The ferry stops"}


def ran(
    root: Path, found: type[Connector], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Item], list[Coverage]]:
    classes = {"failing": found, "sound": Sound}
    monkeypatch.setattr(collect, "_class", lambda query: classes[query.source])
    queries = (("failing", "ferry", "en"), ("sound", "ferry", "en"))
    return run(context(root / "event", asked=plan(queries), sources=("failing", "sound")))


@pytest.mark.parametrize(
    ("found", "why", "kept"),
    [
        (failing(lambda: KeyError("date")), "KeyError: 'date'", 2),
        (failing(lambda: RuntimeError("a\nb")), "RuntimeError: a b", 2),
        (failing(lambda: RecursionError("deep")), "RecursionError: deep", 2),
        (failing(lambda: AssertionError()), "AssertionError", 2),
        (Unmade, "AttributeError: no such option", 1),
        (Wrong, "TypeError: it gave dict where an Item was due", 1),
    ],
)
def test_a_failing_connector_is_a_sentence_in_the_coverage_and_the_others_are_asked(
    found: type[Connector],
    why: str,
    kept: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    items, coverage = ran(tmp_path, found, monkeypatch)
    assert len(items) == kept
    rows = {row.source: row for row in coverage}
    assert rows["failing"].outcomes == {"error": 1}
    assert "the source 'failing' failed" in rows["failing"].note
    assert why in rows["failing"].note
    assert "leave it out" in rows["failing"].note
    assert rows["sound"].outcomes == {"ok": 1}


@pytest.mark.parametrize(
    ("error", "met"),
    [
        (KeyboardInterrupt, KeyboardInterrupt),
        (lambda: Stopped("stopped"), Stopped),
        (lambda: sqlite3.OperationalError("disk full"), WorkspaceError),
    ],
)
def test_what_stops_the_run_itself_is_not_taken_for_a_fault_of_the_connector(
    error: Callable[[], BaseException],
    met: type[BaseException],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(met):
        ran(tmp_path, failing(error), monkeypatch)
