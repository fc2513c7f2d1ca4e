"""Answers of a running query in factory.db, so that a stopped collection sends no answered request again.

They are written as they come and forgotten with the next position that the query saves: what follows the
last position of a stopped query is asked anew, and answered from here.
"""

from __future__ import annotations

import json
import sqlite3

from sources.answers import Answers
from sources.http import Response

TABLE = """
CREATE TABLE IF NOT EXISTS collect_answers (
    job TEXT, asked TEXT, url TEXT, status INTEGER, headers TEXT, outcome TEXT, note TEXT, body BLOB,
    PRIMARY KEY (job, asked));
"""


class StoredAnswers(Answers):
    """Answers of one job. Those of the run before are given once, since a repeated request wants a new answer."""

    def __init__(self, database: sqlite3.Connection, job: str) -> None:
        self._database = database
        self._job = job
        rows = database.execute("SELECT asked FROM collect_answers WHERE job = ?", (job,))
        self._before = {str(row[0]) for row in rows}

    def take(self, asked: str) -> Response | None:
        if asked not in self._before:
            return None
        self._before.remove(asked)
        row = self._database.execute(
            "SELECT url, status, headers, body, outcome, note FROM collect_answers "
            "WHERE job = ? AND asked = ?",
            (self._job, asked),
        ).fetchone()
        url, status, headers, body, outcome, note = row
        return Response(url, status, json.loads(headers), body, outcome, note)

    def keep(self, asked: str, answer: Response) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO collect_answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._job,
                asked,
                answer.url,
                answer.status,
                json.dumps(dict(answer.headers)),
                answer.outcome,
                answer.note,
                answer.body,
            ),
        )

    def forget(self) -> None:
        """The query's position was saved: what came before is not asked for again."""
        self._before.clear()
        self._database.execute("DELETE FROM collect_answers WHERE job = ?", (self._job,))
