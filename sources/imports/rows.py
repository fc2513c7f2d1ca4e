"""Rows of JSON, JSON lines and CSV files as dictionaries, with where each stood. Files are read as streams.

What a file is, is told from its name and its first byte: archives call JSON lines `.json`, or give them no
suffix at all. A damaged row is refused with its line and the others are read.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

from pydantic_core import from_json

from schemas import Item
from sources.base import Report, SourceError
from sources.imports.arrays import BadJson, array_problem, elements
from sources.imports.cells import cut_columns, has_halves, whole, whole_text
from sources.imports.quotes import Record, records
from sources.imports.streams import lines, split_lines, utf8_blocks
from sources.text import decode, looks_mojibake

SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv"})
_CSV = frozenset({".csv", ".tsv"})
_JSON = frozenset({".json", ".jsonl", ".ndjson", ".txt", ""})
"""Archives of Reddit have no suffix: RC_2023-01, packed as RC_2023-01.zst."""
_PACKED = re.compile(r"\.(?:gz|zst|zstd)$")
_FIRST_ROWS = 200
"""Rows of a CSV file by which its columns of long numbers are judged."""
_MAX_LOST = 0.005
"""Share of undecodable characters above which a row is damaged."""
_BACKSLASH = ord("\\")
"""Begins every escape; bytes are searched for a number sooner than for bytes."""
BAD_VALUES = (ValueError, TypeError, OverflowError, RecursionError)
"""What the conversion of a row from outside raises when a value is not of its type."""
csv.field_size_limit(10_000_000)


@dataclass(slots=True)
class Row:
    """One row of a file."""

    file: str
    """File name and what parts it from the number."""
    number: int
    """Line or position."""
    values: dict[str, Any]
    """Columns by name."""
    cut: frozenset[str] = frozenset()
    """Columns whose long numbers were rounded by a spreadsheet."""

    @property
    def where(self) -> str:
        """File name and line or position; put together for the rows that are refused."""
        return f"{self.file}{self.number}"


def suffix_of(path: Path) -> str:
    """Suffix of a file's name, without a trailing `.gz` or `.zst`."""
    return Path(_PACKED.sub("", path.name.lower())).suffix


def shape_of(path: Path, head: bytes) -> Literal["csv", "array", "lines", ""]:
    """How a file holds rows; nothing when it holds none. A file with one JSON object is an array of one."""
    suffix = suffix_of(path)
    if suffix in _CSV:
        return "csv"
    if suffix not in _JSON:
        return ""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"["):
        return "array"
    if not start.startswith(b"{"):
        return ""
    first, mark, _ = start.partition(b"\n")
    if suffix != ".json" or not mark:
        return "lines"
    try:
        json.loads(first.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError):
        return "array"
    return "lines"


def first_row(path: Path, head: bytes) -> dict[str, Any]:
    """The first row of a table from the first bytes of its file; empty when it has none.

    Of an object that is longer than the head, the members that are complete.
    """
    shape = shape_of(path, head)
    if shape == "csv":
        decoded = decode(head.rsplit(b"\n", 1)[0] if b"\n" in head else head)
        table = decoded.text.lstrip("\ufeff")
        reader = csv.DictReader(
            io.StringIO(table, newline=""), delimiter=_delimiter(suffix_of(path), table)
        )
        try:
            return {str(column): value for column, value in next(reader, {}).items() if column}
        except csv.Error:
            return {}
    if not shape:
        return {}
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    return _members(text.lstrip("[").lstrip() if shape == "array" else text)


def _members(text: str) -> dict[str, Any]:
    """Members of the object at the start of a text, up to where the text was cut."""
    decoder = json.JSONDecoder()
    try:
        value, _ = decoder.raw_decode(text)
    except (ValueError, RecursionError):
        pass
    else:
        return value if isinstance(value, dict) else {}
    found: dict[str, Any] = {}
    if not text.startswith("{"):
        return found
    position = 1
    blank = re.compile(r"[\s,:]*")
    while True:
        try:
            position = _after(blank, text, position)
            key, position = decoder.raw_decode(text, position)
            position = _after(blank, text, position)
            if not isinstance(key, str):
                return {}
            found[key] = None
            found[key], position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return found


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _delimiter(suffix: str, text: str) -> str:
    """The separator whose heading has most columns and the next row as many; else the usual one of the suffix."""
    usual = "\t" if suffix == ".tsv" else ","

    def worth(delimiter: str) -> tuple[bool, int, bool]:
        reader = csv.reader(io.StringIO(text[:1_000_000], newline=""), delimiter=delimiter)
        try:
            heading = len(next(reader, ()))
            agrees = len(next(reader, ())) in (0, heading)
        except csv.Error:
            return False, 0, delimiter == usual
        return heading > 1 and agrees, heading, delimiter == usual

    return max((",", ";", "\t"), key=worth)


def json_problem(path: Path, head: bytes) -> str:
    """Where and why a JSON or JSON-lines file does not parse; empty when it does or is none by its name."""
    suffix = suffix_of(path)
    if suffix not in {".json", ".jsonl", ".ndjson"}:
        return ""
    if shape_of(path, head) != "lines" and suffix == ".json":
        return array_problem(path)
    for number, line in lines(path):
        if line.strip():
            try:
                json.loads(line.decode("utf-8", errors="replace"))
            except json.JSONDecodeError as error:
                return f"line {number}, column {error.colno}: {error.msg}"
            except (ValueError, RecursionError):
                return f"line {number}: a number or a nesting beyond all bounds"
    return ""


def read_rows(path: Path, report: Report) -> Iterator[Row]:
    """Rows of a JSON array, JSON lines or CSV file; a damaged row is refused, the others are read.

    SourceError when a JSON array does not parse, before its first row, and when a packed file is damaged,
    after the rows before the damage.
    """
    first = next(filter(None, utf8_blocks(path)), b"")
    shape = shape_of(path, first)
    if shape == "csv":
        return _csv_rows(path, first, report)
    if shape == "lines":
        return _line_rows(path, report)
    if shape == "array" or suffix_of(path) in SUFFIXES:
        return _array_rows(path, report)
    return iter(())


def each_item(
    rows: Iterator[Row], make: Callable[[Row], Item | None], report: Report
) -> Iterator[Item]:
    """The item of each row. A row whose values have impossible types is refused; the file's end is reported."""
    kept = 0
    for row in rows:
        try:
            item = make(row)
        except BAD_VALUES as error:
            report.refuse(row.where, "damaged row", _fault(error))
            continue
        if item is not None:
            kept += 1
            yield item
    report.end("ok" if kept else "empty")


def _fault(error: Exception) -> str:
    return whole_text(" ".join(f"{type(error).__name__}: {error}".split()))


def parsed(line: bytes) -> Any:
    """The JSON value of a line, whole texts only. ValueError and RecursionError as `json.loads`.

    The parser of pydantic-core reads sound lines in half the time; what it refuses, `json.loads` judges.
    """
    if _BACKSLASH in line and has_halves(line):
        return whole(json.loads(line))
    try:
        return from_json(line, cache_strings="keys")  # texts of posts hardly ever come twice
    except ValueError:
        return whole(json.loads(line))


def _line_rows(path: Path, report: Report) -> Iterator[Row]:
    file = f"{path.name}:"
    for number, line in lines(path):
        try:
            value = parsed(line)
        except UnicodeDecodeError:
            decoded = decode(line)
            if not decoded.ok:
                report.refuse(f"{file}{number}", "decode_error", decoded.note)
                continue
            try:
                value = whole(json.loads(decoded.text))
            except (ValueError, RecursionError) as error:
                report.refuse(f"{file}{number}", "damaged row", _fault(error))
                continue
        except (ValueError, RecursionError) as error:
            if line.strip():
                report.refuse(f"{file}{number}", "damaged row", _fault(error))
            continue
        if isinstance(value, dict):
            yield Row(file, number, value)
        else:
            report.refuse(f"{file}{number}", "damaged row", "no JSON object")


def _array_rows(path: Path, report: Report) -> Iterator[Row]:
    problem = array_problem(path)
    if problem:
        raise SourceError(
            f"{path.name} is no valid JSON ({problem}); correct that line or export it again"
        )
    file = f"{path.name}#"
    try:
        for number, value in enumerate(elements(path), 1):
            if isinstance(value, dict):
                yield Row(file, number, value)
            else:
                report.refuse(f"{file}{number}", "damaged row", "no JSON object")
    except BadJson as error:
        raise SourceError(
            f"{path.name} changed while it was read ({error}); import it again"
        ) from error


# -- CSV -----------------------------------------------------------------------------------------


def _csv_rows(path: Path, first: bytes, report: Report) -> Iterator[Row]:
    codec, note = _csv_codec(path, first)
    if not codec:
        report.end("decode_error")
        report.refuse(path.name, "decode_error", note)
        return
    head = first.decode(codec, errors="replace")
    found = records(_csv_lines(path, codec), _delimiter(suffix_of(path), head))
    rows = _sound_rows(path, found, report, clean=not note)
    start = list(islice(rows, _FIRST_ROWS))
    cut = cut_columns([row.values for row in start])
    for row in chain(start, rows):
        yield replace(row, cut=cut) if cut else row


def _sound_rows(
    path: Path, found: Iterator[Record], report: Report, *, clean: bool
) -> Iterator[Row]:
    file = f"{path.name}:"
    heading = next(found, Record(1, 0, []))
    columns = heading.cells
    try:
        for line, _, cells, problem in found:
            if problem or len(cells) != len(columns):
                why = problem or "its columns do not match the heading"
                report.refuse(f"{file}{line}", "damaged row", why)
                continue
            row = dict(zip(columns, cells, strict=True))
            if not clean and _lost(row):
                report.refuse(f"{file}{line}", "decode_error", "characters of the row are lost")
            else:
                yield Row(file, line, row)
    except SourceError as error:
        report.refuse(path.name, "damaged row", f"{error}; the rows from here on are not read")


def _lost(row: dict[str, Any]) -> bool:
    text = "".join(map(str, row.values()))
    return text.count("\ufffd") > _MAX_LOST * len(text)


def _csv_codec(path: Path, first: bytes) -> tuple[str, str]:
    """Codec of a CSV file and what is wrong with it: no codec when it is soup, a note when bytes are damaged.

    UTF-8 when the whole file is; else what the first block that is not tells.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    sample = b""
    try:
        for block in utf8_blocks(path):
            sample = block
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except SourceError:
        pass  # the rows before the damage are read, and the damage is said then
    except UnicodeDecodeError:
        start, end = sample.find(b"\n") + 1, sample.rfind(b"\n")
        decoded = decode(sample[start:end] if first != sample and end > start else sample)
        return (decoded.encoding, "not UTF-8") if decoded.ok else ("", decoded.note)
    if looks_mojibake(first.decode("utf-8", errors="replace")):
        return "", "the text was already garbled when it was saved"
    return "utf-8", ""


def _csv_lines(path: Path, codec: str) -> Iterator[str]:
    """Lines of a text file with their breaks. SourceError where the file is damaged or a line can be no row."""
    for line in split_lines(path.name, utf8_blocks(path)):
        text = line.decode(codec, errors="replace")
        if "\r" in text[:-2]:  # breaks of old machines
            yield from io.StringIO(text, newline="")
        else:
            yield text
