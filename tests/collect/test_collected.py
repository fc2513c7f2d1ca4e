"""The store of a running collection: pages and cursors together, what each query found, bounded memory."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory import collect
from factory.collected import ItemStore
from factory.importing.files import latest
from factory.sections import CollectSettings
from factory.settings import Settings
from factory.stage import StageContext
from schemas import Coverage, Item, Origin, SourceQuery
from sources.base import Connector, Refusal, Report
from tests.collect.test_collect import plan, run
from tests.scripted import make_context
from tests.waiting import PATIENCE

AT = datetime(2026, 2, 1, tzinfo=UTC)
ROOT = Path(__file__).resolve().parents[2]


def item(
    number: int, *, query: str = "", day: int = 0, crawled: int = 0, kind: Any = "post"
) -> Item:
    return Item(
        item_id=f"i{number}", platform="p", kind=kind, native_id=str(number), text=f"word {number}",
        canonical_url=f"http://a.example/{number}" if kind == "article" else "",
        published_at=AT + timedelta(days=day), published_raw="raw", precision="second",
        fetched_at=AT + timedelta(hours=crawled), origin=Origin(source="notices", query=query),
    )  # fmt: skip


def store(database: sqlite3.Connection, session: str = "s", days: int = 100) -> ItemStore:
    made = ItemStore(
        database,
        session,
        lambda item: item.published_at is None or item.published_at <= AT + timedelta(days=days),
    )
    made.open()
    return made


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "factory.db", isolation_level=None)) as connection:
        yield connection


def test_what_follows_the_last_cursor_is_forgotten_and_what_precedes_it_is_kept(
    database: sqlite3.Connection,
) -> None:
    first = store(database).begin("query:a")
    report = Report()
    first.follow(report)
    first.add(item(1))
    report.end("ok")
    report.refuse("x\ud800", "deleted", "gone")
    report.note("edited")
    first.save({"page": 2, "odd": "\ud800"})
    for number in range(2, 900):  # more than a batch, so that some are written before any cursor
        first.add(item(number))
    report.end("blocked")
    report.refuse("y", "blocked")
    assert database.execute("SELECT count(*) FROM collect_items").fetchone()[0] > 1

    again = store(database)
    intake = again.begin("query:a")
    resumed = Report()
    intake.follow(resumed)
    assert intake.load() == {"page": 2, "odd": "\ud800"}
    assert intake.count == again.count() == 1
    assert resumed.outcomes == {"ok": 1}
    assert resumed.refusals == [Refusal("x?", "deleted", "gone")]
    assert resumed.notes == ["edited"]
    intake.add(item(2))
    resumed.refuse("z", "no words")
    intake.done(Coverage(source="notices", query="q"))
    assert again.is_done("query:a")
    assert [json.loads(line)["native_id"] for line in again.kept()] == ["1", "2"]
    assert [row.item for row in again.rejections("collect")] == ["x?", "z"]
    assert database.execute("SELECT count(*) FROM collect_cursors").fetchone()[0] == 0


def test_a_query_without_a_cursor_starts_anew(database: sqlite3.Connection) -> None:
    intake = store(database).begin("query:a")
    for number in range(700):
        intake.add(item(number))
    assert database.execute("SELECT count(*) FROM collect_items").fetchone()[0] == 500
    again = store(database).begin("query:a")
    assert (again.load(), again.count) == ({}, 0)


def test_another_plan_forgets_and_so_do_tables_of_another_layout(
    database: sqlite3.Connection,
) -> None:
    database.execute("CREATE TABLE collect_items (job TEXT, seq INTEGER, item TEXT)")
    database.execute("CREATE TABLE collect_state (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    database.execute("INSERT INTO collect_state VALUES ('session', 's')")
    kept = store(database)
    kept.import_all("import:a", [item(1)], list, list)
    assert store(database).is_done("import:a")
    assert not store(database, "another").is_done("import:a")
    assert store(database).count() == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 2)),
        max_size=30,
    )
)
def test_each_thing_is_kept_once_as_its_latest_crawl_and_every_query_is_credited(
    found: list[tuple[int, str, int, int]],
) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        made = store(database, days=2)
        jobs: dict[str, list[Item]] = {}
        for number, job, day, crawled in found:
            jobs.setdefault(job, []).append(item(number, query=job, day=day, crawled=crawled))
        for job, items in jobs.items():
            made.import_all(job, items, list, list)
        gathered = [one for job in sorted(jobs) for one in jobs[job]]
        unique, dropped = latest(gathered)
        inside = [
            one for one in unique if one.published_at and one.published_at <= AT + timedelta(days=2)
        ]
        kept = [Item.model_validate_json(line) for line in made.kept()]
        assert sorted(kept, key=repr) == sorted(inside, key=repr)
        assert [one.published_at for one in kept] == sorted(one.published_at or AT for one in kept)
        reasons = [reason for reason, _ in made.left_out()]
        assert reasons.count("duplicate") == len(dropped)
        assert len(kept) + len(reasons) == len(gathered)
        credited = made.found()
        assert sum(row.items - row.shared for row in credited.values()) <= len(kept)
        for job, items in jobs.items():
            own, _ = latest(items)
            row = credited[job, "notices"]
            times = [
                one.published_at
                for one in own
                if one.published_at and one.published_at <= AT + timedelta(days=2)
            ]
            assert (row.items, row.outside) == (len(times), len(own) - len(times))
            assert (row.first, row.last) == (min(times, default=None), max(times, default=None))


# -- the stage --------------------------------------------------------------------------------------


class Paged(Connector):
    """Three pages of two notices; `calls` and `stop_at` are set by the tests."""

    name = "paged"
    calls: ClassVar[list[tuple[str, int]]] = []
    stop_at: ClassVar[tuple[str, int] | None] = None

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        for page in range(self.context.cursor.load().get("page", 0), 3):
            if (query.query, page) == self.stop_at:
                raise KeyboardInterrupt
            self.calls.append((query.query, page))
            self.report.end("ok")
            for number in (2 * page, 2 * page + 1):
                if f"http://a.example/{number}" in self.context.seen:
                    self.report.refuse(str(number), "page fetched before")
                else:
                    yield item(number, query=query.query, kind="article").model_copy(
                        update={"origin": Origin(source=self.name, query=query.query)}
                    )
            self.report.refuse(f"{query.query} {page}", "no words")
            self.context.cursor.save({"page": page + 1})


@pytest.fixture
def paged(monkeypatch: pytest.MonkeyPatch) -> type[Paged]:
    monkeypatch.setattr(collect, "_class", lambda query: Paged)
    monkeypatch.setattr(Paged, "calls", [])
    monkeypatch.setattr(Paged, "stop_at", None)
    return Paged


def asking(root: Path, *words: str, most: int = 200, **settings: Any) -> StageContext:
    ctx = make_context(root, "collect", settings=Settings(collect=CollectSettings(**settings)))
    queries = tuple(
        SourceQuery(source="paged", query=word, lang="en", max_items=most) for word in words
    )
    ctx.workspace.write(collect.PLAN, plan(()).model_copy(update={"queries": queries}))
    return ctx


def test_a_stopped_query_goes_on_at_its_page_and_its_report_is_whole(
    tmp_path: Path, paged: type[Paged], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paged, "stop_at", ("a", 2))
    with pytest.raises(KeyboardInterrupt):
        run(asking(tmp_path, "a"))
    monkeypatch.setattr(paged, "stop_at", None)
    ctx = asking(tmp_path, "a")
    items, (row,) = run(ctx)
    assert paged.calls == [("a", 0), ("a", 1), ("a", 2)]
    assert [one.native_id for one in items] == ["0", "1", "2", "3", "4", "5"]
    assert row.outcomes == {"ok": 3}
    assert [rejection.item for rejection in ctx.rejections] == ["a 0", "a 1", "a 2"]


def test_a_query_that_finds_what_another_had_is_credited_with_it(
    tmp_path: Path, paged: type[Paged], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unseeing(paged):  # type: ignore[misc, valid-type]
        def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
            self.context.seen.clear()
            yield from super().search(query, since, until)

    monkeypatch.setattr(collect, "_class", lambda query: Unseeing)
    items, coverage = run(asking(tmp_path, "a", "b"))
    assert len(items) == 6
    assert [row.items for row in coverage] == [6, 6]
    assert sorted(row.shared for row in coverage) == [0, 6]


@pytest.mark.parametrize(("most", "room", "kept"), [(3, 5000, 3), (200, 4, 4), (6, 5000, 6)])
def test_limits_hold_whatever_a_connector_yields_also_when_it_is_resumed(
    tmp_path: Path,
    paged: type[Paged],
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    room: int,
    kept: int,
) -> None:
    monkeypatch.setattr(paged, "stop_at", ("a", 1))
    with pytest.raises(KeyboardInterrupt):
        run(asking(tmp_path, "a", most=most, max_items=room))
    monkeypatch.setattr(paged, "stop_at", None)
    items, (row,) = run(asking(tmp_path, "a", most=most, max_items=room))
    assert (len(items), row.capped) == (kept, kept < 6)


MANY = """
import asyncio, sys
from pathlib import Path
from tests.collect import test_collected as t
from tests.memory import peak_kb

class Many(t.Connector):
    name = "paged"
    def search(self, query, since, until):
        for number in range(100_000):
            one = t.item(number % 90_000, query=query.query)
            yield one.model_copy(update={"text": f"{number} " + "words of a post " * 60})
            if number % 1000 == 999:
                self.context.cursor.save({"at": number})

t.collect._class = lambda query: Many
before = peak_kb()
ctx = t.asking(Path(sys.argv[1]), "a", most=10**6, max_items=10**6)
counts = asyncio.run(t.collect.run(ctx))
print(counts.kept, counts.rejected, peak_kb() - before)
"""


@pytest.mark.slow
def test_a_hundred_thousand_items_need_little_memory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kept, rejected, kilobytes = (int(word) for word in done.stdout.split())
    assert (kept, rejected) == (90_000, 10_000)
    assert kilobytes < 60_000
