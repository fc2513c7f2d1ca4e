"""Items on their way in: the tables of factory.db through which a stopped collection resumes.

A job is one query or one import. What a query found is stored page by page, each page in one transaction with
the connector's cursor and its report so far: after a kill, what follows the last saved cursor is forgotten
and asked again (answers that came are taken from `factory.answers`), what precedes it is kept. Nothing here holds more than one batch of items in memory.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any

from factory.answers import TABLE, StoredAnswers
from schemas import Coverage, Item, Rejection
from sources.base import Cursor, Refusal, Report

_TABLES = """
CREATE TABLE IF NOT EXISTS collect_items (
    job TEXT, seq INTEGER, source TEXT, platform TEXT, native TEXT, kind TEXT,
    fetched REAL, published REAL, inside INTEGER, item TEXT NOT NULL, PRIMARY KEY (job, seq));
CREATE TABLE IF NOT EXISTS collect_rejections (
    job TEXT, seq INTEGER, item TEXT, reason TEXT, detail TEXT, PRIMARY KEY (job, seq));
CREATE TABLE IF NOT EXISTS collect_cursors (
    job TEXT PRIMARY KEY, state TEXT, items INTEGER, rejections INTEGER, report TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS collect_done (job TEXT PRIMARY KEY, coverage TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS collect_state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_NAMES = (
    "collect_items",
    "collect_rejections",
    "collect_cursors",
    "collect_answers",
    "collect_done",
    "collect_state",
)
_LAYOUT = "3"
"""Changes with the tables: those of another layout hold a collection that cannot be resumed."""
_BATCH = 500
"""Items that are held at most."""
_TURN = 100
"""Items of an import that are read before they are stored: few enough to stay in the processor's cache."""
_TURNS = 100
"""Turns of an import in one transaction."""
_RANKED = """
SELECT job, seq, source, platform, native, kind, published, inside, item,
  row_number() OVER (PARTITION BY platform, native, kind ORDER BY fetched DESC, job DESC, seq DESC) AS place,
  row_number() OVER (PARTITION BY job, source, platform, native, kind ORDER BY fetched DESC, seq DESC) AS own
FROM collect_items
"""
"""Place 1 is the copy of a thing that is kept: the latest crawl, of equal ones the last in order."""


@dataclass(frozen=True)
class Found:
    """What one source of one job found of the window."""

    items: int = 0
    """Things in the window, each once."""
    shared: int = 0
    """Those of them that are kept as found by another job or source."""
    outside: int = 0
    """Things outside the window, each once."""
    first: datetime | None = None
    """Earliest dated one in the window."""
    last: datetime | None = None
    """Latest dated one in the window."""


class ItemStore:
    """Items and finished jobs of one collection; `inside` says whether an item is of the plan's window."""

    def __init__(
        self, database: sqlite3.Connection, session: str, inside: Callable[[Item], bool]
    ) -> None:
        self.database = database
        self.session = session
        self._inside = inside

    def open(self, *, fresh: bool = False) -> None:
        """Make the tables; forget an earlier collection unless this one resumes it.

        A recording starts fresh, because a query that is not asked leaves no traffic to record.
        """
        rows = {}
        if self._has("collect_state"):
            rows = dict(self.database.execute("SELECT name, value FROM collect_state"))
        known = (rows.get("layout"), rows.get("session")) == (_LAYOUT, self.session)
        if fresh or not known or rows.get("complete") == "yes":
            for table in _NAMES:
                self.database.execute(f"DROP TABLE IF EXISTS {table}")
        self.database.executescript(_TABLES + TABLE)
        for name, value in (("layout", _LAYOUT), ("session", self.session)):
            self.database.execute(
                "INSERT OR REPLACE INTO collect_state VALUES (?, ?)", (name, value)
            )

    def _has(self, table: str) -> bool:
        row = self.database.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
        ).fetchone()
        return row is not None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything in the block is stored, or nothing of it."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")

    def job(self, kind: str, text: str) -> str:
        """Key of a query or an import."""
        return f"{kind}:{hashlib.sha256(text.encode()).hexdigest()[:24]}"

    def is_done(self, job: str) -> bool:
        """Whether a job was finished before."""
        row = self.database.execute("SELECT 1 FROM collect_done WHERE job = ?", (job,)).fetchone()
        return row is not None

    # -- a job that is running -------------------------------------------------------------------

    def begin(self, job: str) -> Intake:
        """Open a query, at its cursor when an earlier run saved one; what came after it is forgotten."""
        row = self.database.execute(
            "SELECT state, items, rejections, report FROM collect_cursors WHERE job = ?", (job,)
        ).fetchone()
        state, items, rejections, report = row or ("{}", 0, 0, "{}")
        with self.transaction():
            self.forget(job, items, rejections)
        refusals = [
            Refusal(*found)
            for found in self.database.execute(
                "SELECT item, reason, detail FROM collect_rejections WHERE job = ? ORDER BY seq",
                (job,),
            )
        ]
        return Intake(self, job, json.loads(state), items, refusals, json.loads(report))

    def forget(self, job: str, items: int = 0, rejections: int = 0) -> None:
        self.database.execute("DELETE FROM collect_items WHERE job = ? AND seq > ?", (job, items))
        self.database.execute(
            "DELETE FROM collect_rejections WHERE job = ? AND seq > ?", (job, rejections)
        )

    def add(self, job: str, after: int, items: Iterable[Item]) -> None:
        """Store items with the numbers `after` + 1 and up; inside a transaction of the caller."""
        to_json = Item.__pydantic_serializer__.to_json  # model_dump_json without its options
        inside = self._inside
        self.database.executemany(
            # The cast takes the bytes as they are; a str would be decoded here and encoded there
            "INSERT INTO collect_items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT))",
            [
                (
                    job,
                    number,
                    item.origin.source,
                    item.platform,
                    item.native_id,
                    item.kind,
                    item.fetched_at.timestamp(),
                    at.timestamp() if (at := item.published_at) else None,
                    int(inside(item)),  # sqlite3 takes an int as it is and asks how to adapt a bool
                    bytearray(to_json(item)),  # bytes are asked as well
                )
                for number, item in enumerate(items, after + 1)
            ],
        )

    def add_refusals(self, job: str, after: int, refusals: Iterable[Refusal]) -> None:
        """Store refused inputs with the numbers `after` + 1 and up; inside a transaction of the caller."""
        self.database.executemany(
            "INSERT INTO collect_rejections VALUES (?, ?, ?, ?, ?)",
            (
                (job, number, *map(_sound, (refusal.item, refusal.reason, refusal.detail)))
                for number, refusal in enumerate(refusals, after + 1)
            ),
        )

    def import_all(
        self,
        job: str,
        items: Iterable[Item],
        coverage: Callable[[], list[Coverage]],
        refusals: Callable[[], Iterable[Refusal]],
    ) -> None:
        """Store a whole import in batches; coverage and refusals are asked for when all items were taken.

        Reading and storing take turns by some items, which is faster than by one.
        """
        with self.transaction():
            self.forget(job)
        source, count = iter(items), 0
        batches = iter(lambda: list(islice(source, _TURN)), [])
        for first in batches:
            with self.transaction():
                for batch in chain((first,), islice(batches, _TURNS - 1)):
                    self.add(job, count, batch)
                    count += len(batch)
        with self.transaction():
            self.add_refusals(job, 0, refusals())
            self.done(job, coverage())

    def done(self, job: str, coverage: list[Coverage]) -> None:
        """Mark a job as finished; inside a transaction of the caller."""
        self.database.execute(
            "INSERT OR REPLACE INTO collect_done VALUES (?, ?)",
            (job, json.dumps([row.model_dump(mode="json") for row in coverage])),
        )
        for table in ("collect_cursors", "collect_answers"):
            self.database.execute(f"DELETE FROM {table} WHERE job = ?", (job,))

    def complete(self) -> None:
        """The outputs are written: the next run collects anew."""
        self.database.execute("INSERT OR REPLACE INTO collect_state VALUES ('complete', 'yes')")

    # -- what is there ---------------------------------------------------------------------------

    def count(self) -> int:
        """Items stored so far."""
        return int(self.database.execute("SELECT count(*) FROM collect_items").fetchone()[0])

    def addresses(self, job: str) -> Iterator[str]:
        """Canonical addresses of a job's articles."""
        rows = self.database.execute(
            "SELECT json_extract(item, '$.canonical_url') FROM collect_items WHERE job = ? AND kind = 'article'",
            (job,),
        )
        return (str(row[0]) for row in rows)

    def coverage(self) -> list[tuple[str, Coverage]]:
        """Rows of all finished jobs with the job of each, in a stable order."""
        rows = self.database.execute("SELECT job, coverage FROM collect_done ORDER BY job")
        return [
            (job, Coverage.model_validate_json(json.dumps(value)))
            for job, text in rows
            for value in json.loads(text)
        ]

    def rejections(self, stage: str) -> Iterator[Rejection]:
        """Inputs that gave no item, by job, in the order in which they came."""
        rows = self.database.execute(
            "SELECT item, reason, detail FROM collect_rejections WHERE item != '' ORDER BY job, seq"
        )
        return (Rejection(stage=stage, item=row[0], reason=row[1], detail=row[2]) for row in rows)

    def found(self) -> dict[tuple[str, str], Found]:
        """What each job found, by job and source."""
        rows = self.database.execute(
            "SELECT job, source, sum(inside), sum(inside AND place > 1), sum(NOT inside), "
            "min(CASE WHEN inside THEN published END), max(CASE WHEN inside THEN published END) "
            f"FROM ({_RANKED}) WHERE own = 1 GROUP BY job, source"
        )
        return {
            (job, source): Found(items, shared, outside, _instant(first), _instant(last))
            for job, source, items, shared, outside, first, last in rows
        }

    def kept(self) -> Iterator[bytes]:
        """Lines of JSON of the items in the window, each thing once, by time of publication, undated ones last."""
        rows = self.database.execute(
            f"SELECT item FROM ({_RANKED}) WHERE place = 1 AND inside "
            "ORDER BY published IS NULL, published, platform, native, kind"
        )
        return (row[0].encode() + b"\n" for row in rows)

    def left_out(self) -> Iterator[tuple[str, Item]]:
        """Items that are not kept with the reason: `duplicate`, or `outside the window`."""
        rows = self.database.execute(
            f"SELECT place, item FROM ({_RANKED}) WHERE place > 1 OR NOT inside ORDER BY place = 1, job, seq"
        )
        for place, text in rows:
            reason = "duplicate" if place > 1 else "outside the window"
            yield reason, Item.model_validate_json(text)


def _sound(text: str) -> str:
    """Text without halves of surrogate pairs, which JSON from outside may hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _instant(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


class Intake(Cursor):
    """One running query: takes its items and is its connector's cursor.

    Items are held until the connector saves its cursor or a batch is full; those stored without a cursor after
    them are forgotten when the query is begun again.
    """

    def __init__(
        self,
        store: ItemStore,
        job: str,
        state: Mapping[str, Any],
        items: int,
        refusals: list[Refusal],
        report: Mapping[str, Any],
    ) -> None:
        super().__init__(state)
        self.count = items
        """Items taken, with those of the run before."""
        self.kept = items
        """Items up to the last state saved."""
        self.answers = StoredAnswers(store.database, job)
        """What the query was answered since then."""
        self._store = store
        self._job = job
        self._stored = items
        self._pending: list[Item] = []
        self._refused = self._known = len(refusals)
        self._report = Report()
        self._before = Report(refusals=refusals)
        self._before.outcomes.update(report.get("outcomes", {}))
        self._before.capped = bool(report.get("capped", False))
        self._before.notes += report.get("notes", [])

    def follow(self, report: Report) -> None:
        """Store this report with the items; it goes on where that of the run before stood."""
        report.outcomes.update(self._before.outcomes)
        report.refusals[:0] = self._before.refusals
        report.capped |= self._before.capped
        for note in self._before.notes:
            report.note(note)
        self._report = report

    def add(self, item: Item) -> None:
        """Take one item."""
        self._pending.append(item)
        self.count += 1
        if len(self._pending) >= _BATCH:
            with self._store.transaction():
                self._flush()

    def save(self, state: Mapping[str, Any]) -> None:
        """Store a state with the items that came before it, in one transaction."""
        super().save(state)
        with self._store.transaction():
            self._flush()
            self.kept, self._known = self._stored, self._refused
            self._put(_told(self._report))
            self.answers.forget()

    def stopped(self, note: str) -> None:
        """Leave the query at its last state, with one more refusal in its report; what came after is forgotten."""
        row = self._store.database.execute(
            "SELECT report FROM collect_cursors WHERE job = ?", (self._job,)
        ).fetchone()
        told = json.loads(row[0]) if row else _told(Report())
        told["outcomes"]["blocked"] = told["outcomes"].get("blocked", 0) + 1
        told["notes"] = list(dict.fromkeys([*told["notes"], note]))
        with self._store.transaction():
            self._store.forget(self._job, self.kept, self._known)
            self._put(told)

    def _put(self, told: Mapping[str, Any]) -> None:
        self._store.database.execute(
            "INSERT OR REPLACE INTO collect_cursors VALUES (?, ?, ?, ?, ?)",
            (self._job, json.dumps(self.load()), self.kept, self._known, json.dumps(told)),
        )

    def given(self) -> set[str]:
        """Native ids of the items up to the last state saved."""
        rows = self._store.database.execute(
            "SELECT native FROM collect_items WHERE job = ? AND seq <= ?", (self._job, self.kept)
        )
        return {str(row[0]) for row in rows}

    def done(self, coverage: Coverage) -> None:
        """Store what is left and mark the query as finished."""
        with self._store.transaction():
            self._flush()
            self._store.done(self._job, [coverage])

    def _flush(self) -> None:
        self._store.add(self._job, self._stored, self._pending)
        self._stored += len(self._pending)
        self._pending = []
        fresh = self._report.refusals[self._refused :]
        self._store.add_refusals(self._job, self._refused, fresh)
        self._refused += len(fresh)


def _told(report: Report) -> dict[str, Any]:
    """What of a report is stored with a position."""
    return {"outcomes": dict(report.outcomes), "capped": report.capped, "notes": report.notes[:]}
