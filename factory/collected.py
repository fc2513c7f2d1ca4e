"""Items on their way in: the tables of factory.db through which a stopped collection resumes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from schemas import Coverage, Item, Rejection

_TABLES = """
CREATE TABLE IF NOT EXISTS collect_items (job TEXT, seq INTEGER, item TEXT NOT NULL, PRIMARY KEY (job, seq));
CREATE TABLE IF NOT EXISTS collect_done (job TEXT PRIMARY KEY, coverage TEXT NOT NULL, rejections TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS collect_state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_BATCH = 500


@dataclass
class ItemStore:
    """Items and finished jobs of one collection. A job is one query or one import."""

    database: sqlite3.Connection
    session: str

    def open(self, *, fresh: bool = False) -> None:
        """Make the tables; forget an earlier collection unless this one resumes it.

        A recording starts fresh, because a query that is not asked leaves no traffic to record.
        """
        self.database.executescript(_TABLES)
        rows = dict(self.database.execute("SELECT name, value FROM collect_state"))
        if fresh or rows.get("session") != self.session or rows.get("complete") == "yes":
            with self._transaction():
                for table in ("collect_items", "collect_done", "collect_state"):
                    self.database.execute(f"DELETE FROM {table}")
                self.database.execute(
                    "INSERT INTO collect_state VALUES ('session', ?)", (self.session,)
                )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
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

    def clear(self, job: str) -> None:
        """Forget what an interrupted job left."""
        self.database.execute("DELETE FROM collect_items WHERE job = ?", (job,))

    def add(self, job: str, seq: int, item: Item) -> None:
        """Store one item."""
        self.database.execute(
            "INSERT INTO collect_items VALUES (?, ?, ?)", (job, seq, item.model_dump_json())
        )

    def add_all(self, job: str, items: list[Item]) -> None:
        """Store many items, in batches."""
        for start in range(0, len(items), _BATCH):
            with self._transaction():
                self.database.executemany(
                    "INSERT INTO collect_items VALUES (?, ?, ?)",
                    [
                        (job, start + number, item.model_dump_json())
                        for number, item in enumerate(items[start : start + _BATCH], 1)
                    ],
                )

    def done(self, job: str, coverage: list[Coverage], rejections: list[Rejection]) -> None:
        """Mark a job as finished."""
        self.database.execute(
            "INSERT OR REPLACE INTO collect_done VALUES (?, ?, ?)",
            (
                job,
                json.dumps([row.model_dump(mode="json") for row in coverage]),
                json.dumps([row.model_dump(mode="json") for row in rejections]),
            ),
        )

    def complete(self) -> None:
        """The outputs are written: the next run collects anew."""
        self.database.execute("INSERT OR REPLACE INTO collect_state VALUES ('complete', 'yes')")

    def count(self) -> int:
        """Items stored so far."""
        return int(self.database.execute("SELECT count(*) FROM collect_items").fetchone()[0])

    def jobs(self) -> list[str]:
        """Finished jobs, in a stable order."""
        return [
            row[0] for row in self.database.execute("SELECT job FROM collect_done ORDER BY job")
        ]

    def result(self, job: str) -> tuple[list[Coverage], list[Rejection]]:
        """Coverage and rejections of a finished job."""
        row = self.database.execute(
            "SELECT coverage, rejections FROM collect_done WHERE job = ?", (job,)
        ).fetchone()
        return (
            [Coverage.model_validate_json(json.dumps(value)) for value in json.loads(row[0])],
            [Rejection.model_validate_json(json.dumps(value)) for value in json.loads(row[1])],
        )

    def items(self, job: str) -> list[Item]:
        """Items of a job in the order in which they came."""
        rows = self.database.execute(
            "SELECT item FROM collect_items WHERE job = ? ORDER BY seq", (job,)
        )
        return [Item.model_validate_json(row[0]) for row in rows]
