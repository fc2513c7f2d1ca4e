"""Rows of JSON, JSON lines and CSV files as dictionaries, with where each stood."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sources.base import Report, SourceError, read_bytes
from sources.text import decode

SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv"})
csv.field_size_limit(10_000_000)


@dataclass(frozen=True)
class Row:
    """One row of a file."""

    where: str
    """File name and line or position."""
    values: dict[str, Any]
    """Columns by name."""


def suffix_of(path: Path) -> str:
    """Suffix of a file's name, without a trailing `.gz`."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def first_row(path: Path, head: bytes) -> dict[str, Any]:
    """The first row of a table from the first bytes of its file; empty when it has none."""
    suffix = suffix_of(path)
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if suffix in {".csv", ".tsv"}:
        decoded = decode(head.rsplit(b"\n", 1)[0] if b"\n" in head else head)
        table = decoded.text.lstrip("\ufeff")
        lines = csv.DictReader(io.StringIO(table), delimiter=_delimiter(suffix, table))
        try:
            return dict(next(lines, {}))
        except csv.Error:
            return {}
    if suffix not in {".json", ".jsonl", ".ndjson"}:
        return {}
    decoder = json.JSONDecoder()
    try:
        value, _ = decoder.raw_decode(text.lstrip("[").lstrip())
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


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


def json_problem(path: Path) -> str:
    """Where and why a JSON or JSON-lines file does not parse; empty when it does or is none by its name."""
    whole = suffix_of(path) == ".json"
    if not whole and suffix_of(path) not in {".jsonl", ".ndjson"}:
        return ""
    text = read_bytes(path).decode("utf-8-sig", errors="replace")
    for number, piece in enumerate([text] if whole else text.split("\n")):
        try:
            if whole or piece.strip():
                json.loads(piece)
        except (ValueError, RecursionError) as error:
            return _problem(error, number)
    return ""


def _problem(error: ValueError | RecursionError, above: int = 0) -> str:
    """A JSON error with its line, of a text that begins that many lines down in its file."""
    if isinstance(error, json.JSONDecodeError):
        return f"line {above + error.lineno}, column {error.colno}: {error.msg}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def read_rows(path: Path, report: Report) -> Iterator[Row]:
    """Rows of a JSON array, JSON lines or CSV file; a damaged line is refused, the others are read.

    SourceError when a JSON array does not parse at all.
    """
    suffix = suffix_of(path)
    data = read_bytes(path)
    if suffix in {".csv", ".tsv"}:
        decoded = decode(data)
        if not decoded.ok:
            report.end("decode_error")
            report.refuse(path.name, "decode_error", decoded.note)
            return
        table = decoded.text.lstrip("\ufeff")
        reader = csv.DictReader(io.StringIO(table, newline=""), delimiter=_delimiter(suffix, table))
        try:
            for row in reader:
                where = f"{path.name}:{reader.line_num}"
                if None in row or None in row.values():
                    report.refuse(where, "damaged row", "its columns do not match the heading")
                    continue
                yield Row(where, dict(row))
        except csv.Error as error:
            where = f"{path.name}:{reader.line_num}"
            report.refuse(where, "damaged row", f"{error}; the rows from here on are not read")
        return
    text = data.decode("utf-8-sig", errors="replace")
    if suffix == ".json":
        yield from _array(path, text, report)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            report.refuse(where, "damaged row", str(error))
            continue
        if isinstance(value, dict):
            yield Row(where, value)
        else:
            report.refuse(where, "damaged row", "no JSON object")


def _array(path: Path, text: str, report: Report) -> Iterator[Row]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"{path.name} is no valid JSON ({_problem(error)}); correct that line or export it again"
        ) from error
    for number, value in enumerate(values if isinstance(values, list) else [values], 1):
        if isinstance(value, dict):
            yield Row(f"{path.name}#{number}", value)
        else:
            report.refuse(f"{path.name}#{number}", "damaged row", "no JSON object")


def text_id(value: object) -> str | None:
    """An id as text; None when it is absent or a rounded number that has lost its digits."""
    if value is None or isinstance(value, bool | list | dict):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else None
    text = str(value).strip()
    if text.replace(".", "", 1).replace("+", "", 1).upper().count("E") == 1:
        mantissa, _, exponent = text.upper().partition("E")
        if (
            mantissa.replace(".", "", 1).isdigit()
            and exponent.lstrip("+-").isdigit()
            and "." in mantissa
        ):
            return None
    return text or None
