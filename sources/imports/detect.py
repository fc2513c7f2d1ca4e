"""Which importer reads a file, by its name and first bytes; and a walk in which every file ends somewhere."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from schemas import Item
from sources.base import Importer, Report, SourceContext, SourceError
from sources.imports.rows import json_problem
from sources.registry import importer, importer_names

HEAD = 65_536
_SKIPPED = frozenset({".git", "__pycache__", "__MACOSX", ".DS_Store", "node_modules"})


class Undetected(SourceError):
    """No importer, or more than one, reads a file."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def head_of(path: Path) -> bytes:
    """The first 64 KiB of a file, unpacked when it is gzip; empty when it cannot be unpacked."""
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    if head[:2] == b"\x1f\x8b":
        try:
            with gzip.open(path, "rb") as packed:
                return packed.read(HEAD)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return b""
    return head


def fitting(path: Path) -> list[str]:
    """Names of the importers that fit a file."""
    head = head_of(path)
    return [name for name in importer_names() if importer(name).fits(path, head)]


def detect(path: Path) -> str:
    """The importer of a file; Undetected says so when none fits or several do, or when it is broken JSON."""
    names = fitting(path)
    if len(names) == 1:
        return names[0]
    if not names:
        problem = json_problem(path)
        if problem:
            raise Undetected(
                f"{path.name} is no valid JSON ({problem}); correct that line or export it again",
                "invalid JSON",
            )
        raise Undetected(
            f"no import format fits {path.name}; name one of {', '.join(importer_names())}, "
            "or describe its columns with table:text=NAME;published=NAME",
            "no format fits",
        )
    raise Undetected(
        f"{path.name} could be {' or '.join(names)}; name the format instead of auto",
        "several formats fit",
    )


def open_importer(format_: str, path: Path, context: SourceContext) -> Importer:
    """The importer of a file: detected for `auto`, else by name; `table:` carries a column map."""
    name, _, options = format_.partition(":")
    chosen = importer(detect(path) if name == "auto" else name)(context)
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
    for file in files:
        name = file.name if path.is_file() else file.relative_to(path).as_posix()
        if file.stat().st_size == 0:
            result = FileResult(name, "")
            result.report.end("empty")
            result.report.refuse(name, "empty", "a file without content")
            yield result, iter(())
            continue
        try:
            reader = open_importer(format_, file, context)
        except SourceError as error:
            if path.is_file() or format_ != "auto":
                raise
            result = FileResult(name, "")
            reason = error.reason if isinstance(error, Undetected) else "unreadable"
            result.report.refuse(name, reason, str(error))
            yield result, iter(())
            continue
        alone = strict and path.is_file()
        yield FileResult(name, reader.name, reader.report), _guarded(reader, file, name, alone)


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
