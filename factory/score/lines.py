"""Files of JSON lines that strangers wrote, read in bounded memory and without trusting a byte.

Every line that is not blank ends as an object or as a reason; nothing stops the file and nothing is skipped in silence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from factory.errors import BadInput
from schemas import Problem

LINE_LIMIT = 1 << 20
"""Bytes of a line that are read; a forecast with a long reasoning takes some thousands."""
SKIP = 1 << 16
"""Bytes at a time in which the rest of a longer line is passed over."""
BOM = b"\xef\xbb\xbf"
_DIGITS = 18
"""Digits of a whole number that stays one; Python refuses to read those of thousands of digits."""


Fault = Literal["encoding", "json", "depth", "twice", "object"]
"""Not UTF-8, not JSON, nested too deeply, a field given twice, no object."""


class Undecodable(Exception):
    """A line holds no JSON object."""

    def __init__(self, fault: Fault, detail: object = "") -> None:
        super().__init__(fault)
        self.fault: Fault = fault
        self.detail = detail
        """Where or what, for messages; the value itself where it is no object."""


@dataclass(frozen=True)
class Line:
    """One line that is not blank."""

    where: str
    """File name and line number, for messages."""
    fields: dict[str, Any]
    """The object's fields; NaN and infinite numbers are floats. Empty when there is a reason."""
    reason: str = ""
    """Why it is no object that can be read; empty when it is one."""


class Problems:
    """Counts what could not be used, by reason, and remembers where each was met first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, reason: str, where: str, count: int = 1) -> None:
        """Count some; `where` says where the first of them was."""
        self._counts[reason] += count
        self._first.setdefault(reason, where)

    def __len__(self) -> int:
        return len(self._first)

    def first_of(self, start: int = 0) -> str:
        """The first reason from the `start`-th on with its place, in brackets after a space; empty without one."""
        later = list(self._first.items())[start:]
        return f" ({later[0][1]}: {later[0][0]})" if later else ""

    def records(self) -> tuple[Problem, ...]:
        """In the order in which the reasons were met."""
        return tuple(
            Problem(reason=reason, count=self._counts[reason], example=where)
            for reason, where in self._first.items()
        )


def bounded_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """(number from 1, line without its end) of each line that is not blank; None for one above `LINE_LIMIT` bytes.

    Lines end at LF; a CR before it and a byte order mark at the start of a line (files joined with `cat`) are no
    part of it. Memory is bounded by `LINE_LIMIT` whatever the stream holds.
    """
    number = 0
    while line := stream.readline(LINE_LIMIT + 1):
        number += 1
        if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            while (rest := stream.readline(SKIP)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        elif line := line.removeprefix(BOM).strip():
            yield number, line


def json_lines(path: Path) -> Iterator[Line]:
    """Lines of a UTF-8 file (a byte order mark and CRLF are fine), as they come.

    BadInput when the file cannot be opened or read; a faulty line is yielded with its reason.
    """
    name = path.name.encode("utf-8", "backslashreplace").decode()
    try:
        with path.open("rb") as stream:
            for number, data in bounded_lines(stream):
                where = f"{name} line {number}"
                if data is None:
                    reason = f"a line is longer than {LINE_LIMIT:,} bytes; it is left out"
                    yield Line(where, {}, reason)
                else:
                    yield _line(where, data)
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL. What a line can hold has become a reason.
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise BadInput(f"cannot read {path}: {why}; give a file of JSON lines") from error


_REASONS: dict[Fault, str] = {
    "encoding": "a line is not UTF-8; it is left out",
    "json": "a line is not JSON; it is left out",
    "depth": "a line is not JSON; it is left out",
    "twice": "a line gives a field twice; it is left out",
    "object": "a line is no JSON object; it is left out",
}


def _line(where: str, data: bytes) -> Line:
    try:
        return Line(where, decode_object(data))
    except Undecodable as error:
        return Line(where, {}, _REASONS[error.fault])


def decode_object(data: bytes) -> dict[str, Any]:
    """The JSON object of a line. Undecodable says why there is none.

    NaN and Infinity are floats, for the reader to refuse by name.
    """
    try:
        value = json.loads(data.decode(), parse_int=_whole, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise Undecodable("encoding", f"byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        raise Undecodable("json", f"{error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise Undecodable("depth") from error
    if not isinstance(value, dict):
        raise Undecodable("object", value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Undecodable("twice", next(name for i, name in enumerate(names) if name in names[:i]))
    return found


def _whole(digits: str) -> int | float:
    """A whole number; a long one is a float like any other number, and infinite beyond 308 digits."""
    return int(digits) if len(digits) <= _DIGITS else float(digits)
