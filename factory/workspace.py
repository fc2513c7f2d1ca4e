"""One event's folder: typed artefacts, manifest, lock, rejections, reviews and the database.

Every write is atomic (a temporary file beside the target, then a rename), so a killed process leaves
either the old file or the new one. Files hold records as JSON or JSON lines that people can read and diff.
"""

from __future__ import annotations

import codecs
import errno
import fcntl
import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from factory.errors import BadInput, WorkspaceBusy, WorkspaceError
from schemas import Decision, Record, Rejection, ReviewRequest

R = TypeVar("R", bound=Record)

PLAN = "00_plan/plan.json"
SECRET = "secret"
KEYS = "secret/keys.json"
REJECTED = "rejected.jsonl"
REVIEWS = "reviews.jsonl"
DECISIONS = "decisions.jsonl"
PRIVATE_MODE = 0o600
PRIVATE_FOLDERS = frozenset({SECRET, "00_plan", "01_items", "02_corpus", "03_timeline"})
"""Folders that hold the raw side and nothing else; closed to others."""
PUBLIC = (
    "04_anonymised/timeline.json",
    "04_anonymised/card.json",
    "05_points/",
    "06_claims/",
    "07_editions/",
    "08_bank/",
    "09_release/",
    "prompts/",
    "runs/",
    "report.public.html",
)
"""Files, and folders with a slash, that derive from the anonymised timeline alone."""
CHECK = "08_bank/check.json"
"""Private among public files: a refused release names there what would have leaked."""


def _umask() -> int:
    """What the user's umask takes away; asking sets it for a moment, so it is asked once, at import."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


UMASK = _umask()


def is_private(relative: str) -> bool:
    """Whether a file of an event's folder is its owner's alone: all but the public side, whatever is added later."""
    if relative == CHECK:
        return True
    return not any(
        relative.startswith(path) if path.endswith("/") else relative == path for path in PUBLIC
    )


def sha256_bytes(data: bytes) -> str:
    """Hex sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def write_atomic(path: Path, data: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Write bytes, or parts one after the other, so that a reader sees the old content or the new, never a part.

    A private file is readable by its owner alone, any other one as the user's umask has it. Raises WorkspaceError
    when the disk is full or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines([data] if isinstance(data, bytes) else data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, PRIVATE_MODE if private else 0o666 & ~UMASK)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise WorkspaceError(
                f"the disk is full while writing {path.name}; free some space and run the same command again"
            ) from error
        raise WorkspaceError(
            f"cannot write {path}: {error.strerror}; check the folder's permissions and run again"
        ) from error


def first_problem(error: ValidationError) -> str:
    """The first validation problem as `field: reason`."""
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"]) or "record"
    # pydantic's mark of our own sentences is no word for a person.
    return f"{where}: {problem['msg'].removeprefix('Value error, ')}"


def mend(relative: str, number: int | None = None) -> str:
    """What to do about a damaged file or line of an event, without losing what no run can make again."""
    if relative == DECISIONS:
        return (
            f"correct or remove line {number} and keep the other lines; never delete the file, for no run can make "
            "a person's decisions again"
        )
    if relative in (REVIEWS, REJECTED):
        return (
            f"remove line {number} and keep the other lines; the stage that wrote it writes it again when it runs "
            "(`factory run EVENT --from STAGE`)"
        )
    if relative == PLAN:
        return "correct it, or delete it and run again to have the plan made anew"
    if relative == KEYS:
        return "restore it from a copy; never delete it, for with other keys every id of the event changes"
    return "restore it from a copy, or delete it and run again to rebuild it"


class Workspace:
    """Typed access to one event's folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def open(cls, root: Path) -> Workspace:
        """Open an existing workspace; BadInput names the folder when it is none."""
        if not (root / "event.toml").is_file():
            raise BadInput(
                f"no event at {root}; list events with `factory status` or create one with `factory new-event`"
            )
        return cls(root)

    def path(self, relative: str) -> Path:
        """Absolute path of an artefact."""
        return self.root / relative

    def exists(self, relative: str) -> bool:
        """Whether the artefact is there."""
        return self.path(relative).exists()

    def digest(self, relative: str) -> str:
        """sha256 of a file, or of the names and digests of a folder's files; empty when absent."""
        path = self.path(relative)
        if path.is_dir():
            rows = [
                f"{file.relative_to(path).as_posix()} {sha256_bytes(file.read_bytes())}"
                for file in sorted(path.rglob("*"))
                if file.is_file() and not file.name.startswith(".tmp-")
            ]
            return sha256_bytes("\n".join(rows).encode())
        return sha256_bytes(path.read_bytes()) if path.is_file() else ""

    # -- records -----------------------------------------------------------------------------

    def read(self, model: type[R], relative: str) -> R:
        """Read one record; WorkspaceError names the file and field when it does not validate."""
        path = self.path(relative)
        try:
            # Some editors begin a text with a byte order mark.
            return model.model_validate_json(path.read_bytes().removeprefix(codecs.BOM_UTF8))
        except FileNotFoundError as error:
            raise WorkspaceError(
                f"{relative} is missing in {self.root}; run `factory run {self.root.name}` to make it"
            ) from error
        except OSError as error:
            raise WorkspaceError(
                f"{relative} cannot be read ({error.strerror}); {mend(relative)}"
            ) from error
        except ValidationError as error:
            raise WorkspaceError(
                f"{relative} is damaged ({first_problem(error)}); {mend(relative)}"
            ) from error

    def read_lines(self, model: type[R], relative: str) -> list[R]:
        """Read a JSON-lines artefact."""
        path = self.path(relative)
        if not path.is_file():
            raise WorkspaceError(
                f"{relative} is missing in {self.root}; run `factory run {self.root.name}` to make it"
            )
        records = []
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    records.append(model.model_validate_json(line.strip()))
                except ValidationError as error:
                    raise WorkspaceError(
                        f"{relative} line {number} is damaged ({first_problem(error)}); "
                        f"{mend(relative, number)}"
                    ) from error
        return records

    def write(self, relative: str, record: Record) -> None:
        """Write one record, indented."""
        self.write_text(relative, record.model_dump_json(indent=2) + "\n")

    def write_lines(self, relative: str, records: Iterable[Record]) -> None:
        """Write records, one a line."""
        self.write_text(relative, "".join(record.model_dump_json() + "\n" for record in records))

    def write_text(self, relative: str, text: str) -> None:
        """Write UTF-8 text; what is not of the public side is readable by the owner only."""
        self.write_bytes(relative, text.encode())

    def write_bytes(self, relative: str, data: bytes | Iterable[bytes]) -> None:
        """Write bytes, or parts one after the other, atomically."""
        folder = relative.split("/", 1)[0]
        if folder in PRIVATE_FOLDERS:
            self.path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(self.path(relative), data, private=is_private(relative))

    # -- what was not kept, what waits for a person --------------------------------------------

    def replace_rows(
        self, relative: str, stage: str, rows: Iterable[Rejection | ReviewRequest]
    ) -> None:
        """Replace a stage's rows in rejected.jsonl or reviews.jsonl, keeping other stages' rows.

        Raises WorkspaceError when a line there is damaged; nothing is written then.
        """
        known: list[Rejection] | list[ReviewRequest] = (
            self.reviews() if relative == REVIEWS else self.rejections()
        )
        self.write_lines(relative, [*(row for row in known if row.stage != stage), *rows])

    def rejections(self, stage: str | None = None) -> list[Rejection]:
        """Rejected inputs, of one stage or all."""
        if not self.exists(REJECTED):
            return []
        rows = self.read_lines(Rejection, REJECTED)
        return [row for row in rows if stage in (None, row.stage)]

    def reviews(self) -> list[ReviewRequest]:
        """Everything that was put to a person."""
        return self.read_lines(ReviewRequest, REVIEWS) if self.exists(REVIEWS) else []

    def decisions(self, stage: str | None = None) -> list[Decision]:
        """Decisions, the latest per review id last."""
        if not self.exists(DECISIONS):
            return []
        rows = self.read_lines(Decision, DECISIONS)
        return [row for row in rows if stage in (None, row.stage)]

    def decide(self, *decisions: Decision) -> None:
        """Append decisions, all or none."""
        self.write_lines(DECISIONS, [*self.decisions(), *decisions])

    def check_rows(self) -> None:
        """Raise WorkspaceError for a damaged line among rejections, reviews and decisions."""
        self.rejections()
        self.reviews()
        self.decisions()

    # -- database and lock ---------------------------------------------------------------------

    def connect(self) -> sqlite3.Connection:
        """Open factory.db (WAL, owner only). Raises WorkspaceError when it is damaged or locked."""
        path = self.path("factory.db")
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.touch(mode=PRIVATE_MODE)
            connection = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=ON")
            return connection
        except sqlite3.DatabaseError as error:
            raise WorkspaceError(
                f"the database {path} cannot be used ({error}); move it away and run again: "
                "finished stages stay, answers stored in it are asked again"
            ) from error
        except OSError as error:
            raise WorkspaceError(
                f"cannot open {path}: {error.strerror}; check the folder"
            ) from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the event for this process; the kernel frees it when the process dies."""
        self.root.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE_MODE)
        with os.fdopen(handle, "a+") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                stream.seek(0)
                owner = stream.read().strip() or "unknown"
                raise WorkspaceBusy(
                    f"event {self.root.name} is being run by process {owner}; wait until it ends or stop it"
                ) from error
            stream.seek(0)
            stream.truncate()
            stream.write(str(os.getpid()))
            stream.flush()
            yield
