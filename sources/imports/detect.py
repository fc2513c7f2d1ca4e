"""Which importer reads a file, by its name and first bytes; and a walk in which every file ends somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemas import Item
from sources.base import Importer, Report, SourceContext, SourceError
from sources.imports.ndjson import RedditArchive
from sources.imports.rows import first_row, json_problem
from sources.imports.streams import blocks, head_of
from sources.registry import importer, importers

HEAD = 65_536
LOOKED_FOR = ". Looked for "
"""Begins the list of all formats in the message about a file that fits none."""
_SKIPPED = frozenset({".git", "__pycache__", "__MACOSX", ".DS_Store", "node_modules"})
_JOURNALS = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database; they are read with it."""


class Undetected(SourceError):
    """No importer, or more than one, reads a file."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def fitting(path: Path) -> list[str]:
    """Names of the importers that fit a file."""
    return _fitting(path, head_of(path, HEAD))


def _fitting(path: Path, head: bytes) -> list[str]:
    return [found.name for found in importers() if found.fits(path, head)]


def readable(path: Path, columns: Mapping[str, str] | None = None) -> bool:
    """Whether some importer reads a file, with a column map of the settings as in `detect`."""
    head = head_of(path, HEAD)
    return bool(_fitting(path, head)) or _is_mapped(first_row(path, head), columns)


def _is_mapped(row: Mapping[str, Any], columns: Mapping[str, str] | None) -> bool:
    return columns is not None and "text" in columns and columns["text"] in row


def detect(path: Path, columns: Mapping[str, str] | None = None) -> str:
    """The importer of a file; Undetected says so when none fits or several do, or when it is broken JSON.

    With `columns`, the column map of the settings, a table that has its column of words is a `table`.
    """
    head = head_of(path, HEAD)
    names = _fitting(path, head)
    if len(names) == 1:
        return names[0]
    if names:
        raise Undetected(
            f"{path.name} could be {' or '.join(names)}; name the format instead of auto",
            "several formats fit",
        )
    row = first_row(path, head)
    if _is_mapped(row, columns):
        return "table"
    if not head:
        _check_packing(path)
    problem = json_problem(path, head)
    if problem:
        raise Undetected(
            f"{path.name} is no valid JSON ({problem}); correct that line or export it again",
            "invalid JSON",
        )
    raise Undetected(_looked_for(path, list(row)), "no format fits")


def _check_packing(path: Path) -> None:
    """Undetected when a file cannot be unpacked, not even its first block."""
    try:
        next(blocks(path), b"")
    except SourceError as error:
        raise Undetected(str(error), "unreadable") from error


def _looked_for(path: Path, columns: list[str]) -> str:
    """Why no format fits a file: what it has and what each format needs."""
    wanted = "; ".join(f"{found.name}: {found.reads}" for found in importers())
    if columns:
        has = f" (its columns are {', '.join(columns[:12])}{', ...' if columns[12:] else ''})"
        step = "describe its columns with table:text=NAME;published=NAME, or name a format"
    else:
        has, step = "", "convert it to one of them, or name its format"
    return f"no import format fits {path.name}{has}; {step}{LOOKED_FOR}{wanted}"


def open_importer(format_: str, path: Path, context: SourceContext) -> Importer:
    """The importer of a file: detected for `auto`, else by name; `table:` carries a column map."""
    name, _, options = format_.partition(":")
    found = detect(path, context.setting("columns", {})) if name == "auto" else name
    chosen = importer(found)(context)
    if options:
        configure = getattr(chosen, "configure", None)
        if configure is None:
            raise SourceError(f"the format {name!r} takes no options; write {name!r} alone")
        configure(options)
    return chosen


@dataclass
class FileResult:
    """What one file gave."""

    name: str
    """Path below the import's root."""
    format: str
    """Importer that read it; empty when none did."""
    report: Report = field(default_factory=Report)
    """Outcomes and refusals."""


def files_below(path: Path) -> list[Path]:
    """The file itself, or all files of a folder in a stable order, without hidden ones."""
    if path.is_file():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.is_file()
        and not file.name.endswith(_JOURNALS)
        and not any(
            part.startswith(".") or part in _SKIPPED for part in file.relative_to(path).parts
        )
    )


def read_files(
    path: Path, context: SourceContext, format_: str = "auto", *, strict: bool = False
) -> Iterator[tuple[FileResult, Iterator[Item]]]:
    """Each file with its items; the result is complete once the items are consumed.

    In a folder read as `auto`, files that no importer fits are refused and the walk goes on; a single file
    raises SourceError instead. With `strict` a single file that its importer cannot read raises it too.
    """
    files = files_below(path)
    if not files:
        raise SourceError(f"{path} holds no files; check the path")
    opened: list[tuple[Path, FileResult, Importer | None]] = []
    for file in files:
        name = file.name if path.is_file() else file.relative_to(path).as_posix()
        result = FileResult(name, "")
        reader: Importer | None = None
        if file.stat().st_size == 0:
            result.report.end("empty")
            result.report.refuse(name, "empty", "a file without content")
        else:
            try:
                reader = open_importer(format_, file, context)
            except SourceError as error:
                if path.is_file() or format_ != "auto":
                    raise
                reason = error.reason if isinstance(error, Undetected) else "unreadable"
                result.report.refuse(name, reason, str(error))
        opened.append((file, result, reader))
    _share_deletions([(file, reader) for file, _, reader in opened if reader is not None])
    for file, result, reader in opened:
        if reader is None:
            yield result, iter(())
        else:
            alone = strict and path.is_file()
            found = _guarded(reader, file, result.name, alone)
            yield FileResult(result.name, reader.name, reader.report), found


def _share_deletions(readers: list[tuple[Path, Importer]]) -> None:
    """Tell each archive of posts what the other files of the import know to be deleted."""
    archives = [(file, reader) for file, reader in readers if isinstance(reader, RedditArchive)]
    if len(archives) > 1:
        gone = frozenset().union(*(reader.withdrawn(file) for file, reader in archives))
        for _, reader in archives:
            reader.gone = gone


def _guarded(reader: Importer, file: Path, name: str, strict: bool) -> Iterator[Item]:
    given = 0
    try:
        for item in reader.read(file):
            given += 1
            yield item
    except SourceError as error:
        if strict and not given:
            raise
        reader.report.end("error")
        reader.report.refuse(name, "unreadable", str(error))
