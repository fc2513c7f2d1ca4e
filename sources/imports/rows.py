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
        lines = csv.DictReader(
            io.StringIO(decoded.text.lstrip("\ufeff")), delimiter=_delimiter(suffix)
        )
        return dict(next(lines, {}))
    if suffix not in {".json", ".jsonl", ".ndjson"}:
        return {}
    decoder = json.JSONDecoder()
    try:
        value, _ = decoder.raw_decode(text.lstrip("[").lstrip())
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _delimiter(suffix: str) -> str:
    return "\t" if suffix == ".tsv" else ","


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
        reader = csv.DictReader(
            io.StringIO(decoded.text.lstrip("\ufeff"), newline=""), delimiter=_delimiter(suffix)
        )
        for row in reader:
            where = f"{path.name}:{reader.line_num}"
            if None in row or None in row.values():
                report.refuse(where, "damaged row", "its columns do not match the heading")
                continue
            yield Row(where, dict(row))
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
        raise SourceError(f"{path.name} is no valid JSON ({error}); export it again") from error
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
