"""The tables of the door in factory.db, made by numbered migrations.

Answers and ledger rows are committed in one transaction before an answer is handed on, so a killed process
never pays for an answer twice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from factory.errors import WorkspaceError
from factory.workspace import Workspace

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE llm_runs (
        run INTEGER PRIMARY KEY AUTOINCREMENT,
        mode TEXT NOT NULL
    ) STRICT;
    CREATE TABLE llm_answers (
        key TEXT PRIMARY KEY,
        request TEXT NOT NULL,
        answer_model TEXT NOT NULL,
        response TEXT NOT NULL
    ) STRICT;
    CREATE TABLE llm_ledger (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES llm_runs (run),
        stage TEXT NOT NULL,
        number INTEGER NOT NULL,
        item TEXT NOT NULL,
        sample INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        role TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt TEXT NOT NULL,
        prompt_digest TEXT NOT NULL,
        key TEXT NOT NULL,
        status TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        reserved REAL NOT NULL,
        cost REAL NOT NULL,
        seconds REAL NOT NULL,
        source TEXT NOT NULL CHECK (source IN ('live', 'cache', 'replay', 'manual', 'carry'))
    ) STRICT;
    CREATE INDEX llm_ledger_stage ON llm_ledger (stage, run);
    """,
    """
    CREATE TABLE llm_carried (
        stage TEXT NOT NULL,
        item TEXT NOT NULL,
        sample INTEGER NOT NULL,
        response TEXT NOT NULL,
        PRIMARY KEY (stage, item, sample)
    ) STRICT;
    CREATE TABLE llm_failures (
        key TEXT PRIMARY KEY,
        request TEXT NOT NULL,
        answer_model TEXT NOT NULL,
        reason TEXT NOT NULL
    ) STRICT;
    """,
)


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn a database error into WorkspaceError: a full disk, a damaged file, a lock held too long."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text:
            raise WorkspaceError(
                f"the disk is full while writing {path.name}; free some space and run the same command "
                "again, answers stored so far are kept"
            ) from error
        if "locked" in text:
            raise WorkspaceError(
                f"{path} is locked by another process; wait until it ends and run again"
            ) from error
        raise WorkspaceError(
            f"the database {path} cannot be used ({text}); move it away and run again: "
            "finished stages stay, answers stored in it are asked again"
        ) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction; rolled back when the block raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # SQLite has rolled back by itself when the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def open_tables(workspace: Workspace) -> sqlite3.Connection:
    """Connect to factory.db and bring its tables to the newest version.

    Raises WorkspaceError when the file is damaged or was written by a newer version.
    """
    path = workspace.path("factory.db")
    connection = workspace.connect()
    try:
        with guarded(path):
            connection.execute(
                "CREATE TABLE IF NOT EXISTS llm_migrations (version INTEGER PRIMARY KEY) STRICT"
            )
            with transaction(connection):
                (version,) = connection.execute(
                    "SELECT coalesce(max(version), 0) FROM llm_migrations"
                ).fetchone()
                if version > len(MIGRATIONS):
                    raise WorkspaceError(
                        f"{path} was written by a newer version of factory; upgrade to use it"
                    )
                for number, script in enumerate(MIGRATIONS[version:], version + 1):
                    for statement in script.split(";"):
                        if statement.strip():
                            connection.execute(statement)
                    connection.execute("INSERT INTO llm_migrations VALUES (?)", (number,))
    except BaseException:
        connection.close()
        raise
    return connection
