"""People's answer files: JSON lines of `schemas.Forecast`, read in bounded memory and without trust.

Faulty lines never stop a file. A line that names a question of the bank but holds no usable value keeps its row as
`unparsed`, so it shows in the coverage; every other faulty line is left out. Either way it is counted by reason, and
no line vanishes: each one that is not blank is an answer or stands in exactly one problem.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from factory.errors import BadInput
from factory.score.lines import (
    LINE_LIMIT,
    Fault,
    Problems,
    Undecodable,
    bounded_lines,
    decode_object,
)
from schemas import Axis, Forecast, Lang, Problem, Question, TemporalEvent

NAME_LIMIT = 200
"""Characters of a system's or run's name."""
RUN_LIMIT = 200
"""Systems times runs in one reading. A file that gives each line a run of its own would make a matrix of the square
of its lines."""
SHOWN = 60
"""Characters of a bad value that an example shows."""
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
"""Stricter than `date.fromisoformat`, which takes weeks (2024-W05-3) and compact days (20240301) too."""
SURROGATE = re.compile("[\ud800-\udfff]")

UNPARSED = "counted as unparsed"
LEFT_OUT = "left out"
REPEATED = f"the same answer again: {LEFT_OUT}"
CONFLICT = f"different answers of one run to one question, none of them used: {UNPARSED}"


def read_answers(
    paths: Path | Sequence[Path],
    *,
    questions: Iterable[Question],
    events: Iterable[TemporalEvent],
    taken: Collection[str] = (),
) -> tuple[list[Forecast], tuple[Problem, ...]]:
    """The answers in some files, in order, and what was wrong with them, by reason in order of appearance.

    `taken` are names of systems that come with every bank. A question answered twice by one run, within a
    file or across them: an equal repeat is dropped and counted; of answers that differ none is used, their row
    becomes unparsed and each of the lines is counted. Half a surrogate pair in `raw` (text that was cut inside an
    emoji) becomes U+FFFD.

    BadInput: a file that cannot be read, is empty, or holds no line about this bank.
    """
    sitting = _Sitting(
        asked={
            "calibration": {q.question_id: _asked(q.point_id, q.text) for q in questions},
            "temporal": {e.event_id: _asked(e.point_id, e.text) for e in events},
        },
        taken=frozenset(taken),
    )
    for path in [paths] if isinstance(paths, Path) else paths:
        _read(path, sitting)
    return [entry.forecast for entry in sitting.entries.values()], sitting.problems.records()


def _read(path: Path, sitting: _Sitting) -> None:
    name = path.name.encode("utf-8", "backslashreplace").decode("utf-8")
    lines = used = 0
    first = ""
    try:
        stream = path.open("rb")
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise _unreadable(path, error) from error
    with stream:
        try:
            for number, line in bounded_lines(stream):
                lines += 1
                where = f"{name} line {number}"
                try:
                    forecast, fault = _forecast(line, sitting)
                    sitting.take(forecast, fault, where)
                    used += 1
                except _LeftOut as left:
                    example = f"{where}: {left.detail}" if left.detail else where
                    first = first or f"{left.reason} ({example})"
                    sitting.problems.add(f"{left.reason}: {LEFT_OUT}", example)
        except OSError as error:
            raise _unreadable(path, error) from error
    if not lines:
        raise BadInput(f"{path} holds no forecast; write one JSON line an answer")
    if not used:
        raise BadInput(
            f"{path} holds no answer to this bank in {lines} line{'s' if lines > 1 else ''}, the first for this "
            f"reason: {first}; `factory schema Forecast` shows the fields, docs/scoring.md an example, and the ids "
            "stand in exam/<lang>/<axis>.jsonl of the bundle"
        )


def _unreadable(path: Path, error: OSError | ValueError) -> BadInput:
    reason = error.strerror if isinstance(error, OSError) else None
    return BadInput(
        f"cannot read the forecasts {path}: {reason or error}; give a file of JSON lines"
    )


class _Asked(NamedTuple):
    """A question or dated event as far as an answer has to agree with it."""

    point_id: str
    editions: frozenset[Lang]


def _asked(point_id: str, text: Mapping[Lang, str]) -> _Asked:
    return _Asked(point_id, frozenset(text))


class _LeftOut(Exception):
    """A line that belongs to no question of this bank."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class _Unusable(NamedTuple):
    """Why a line about a question of this bank has no value."""

    reason: str
    value: Any


@dataclass
class _Entry:
    """What is held for one question of one run."""

    forecast: Forecast
    where: str
    clean: bool
    """Whether its line stands in no problem."""
    conflict: bool = False


@dataclass
class _Sitting:
    """What the files held so far."""

    asked: Mapping[Axis, Mapping[str, _Asked]]
    taken: frozenset[str]
    entries: dict[tuple[str, ...], _Entry] = field(default_factory=dict)
    runs: set[tuple[str, str]] = field(default_factory=set)
    problems: Problems = field(default_factory=Problems)

    def take(self, new: Forecast, fault: _Unusable | None, where: str) -> None:
        """Keep an answer, or count it as a repeat or conflict. _LeftOut for a run too many."""
        run = (new.system, new.run)
        if run not in self.runs and len(self.runs) >= RUN_LIMIT:
            raise _LeftOut(
                f"more than {RUN_LIMIT} systems and runs, although run names a whole sitting",
                f"{new.system!r}, {new.run!r}",
            )
        self.runs.add(run)
        key = (*run, new.axis, new.lang, new.ref)
        entry = self.entries.get(key)
        if entry is None:
            self.entries[key] = _Entry(new, where, clean=fault is None)
            if fault is not None:
                self.problems.add(f"{fault.reason}: {UNPARSED}", f"{where}: {_shown(fault.value)}")
            return
        if not entry.conflict and _value(new) == _value(entry.forecast):
            self.problems.add(REPEATED, f"{where}: {new.ref} in {new.lang}, after {entry.where}")
            return
        both = f"{entry.where}: {new.ref} in {new.lang}, and {where}"
        if entry.clean:
            self.problems.add(CONFLICT, both)
        self.problems.add(CONFLICT, both)
        entry.clean, entry.conflict = False, True
        entry.forecast = entry.forecast.model_copy(
            update={"status": "unparsed", "probability": None, "date": None}
        )


def _value(forecast: Forecast) -> tuple[object, ...]:
    return forecast.status, forecast.probability, forecast.date


def _forecast(line: bytes | None, sitting: _Sitting) -> tuple[Forecast, _Unusable | None]:
    """The answer that a line holds; with a fault it is unparsed."""
    row = _object(line)
    values = {name: row.pop(name, None) for name in ("probability", "date")}
    status = row.get("status")
    for name in ("raw", "prompt_digest"):
        if isinstance(row.get(name), str):
            row[name] = SURROGATE.sub("\ufffd", row[name])
    try:
        # Everything but the value is the record's own business; the value has reasons of its own below.
        bare = Forecast.model_validate(
            row | {"status": "unparsed"} if status == "answered" else row
        )
    except ValidationError as error:
        raise _field_fault(error, row) from error
    _belongs(bare, sitting)
    value = _answer(bare.axis, status, values)
    if isinstance(value, _Unusable):
        raw = bare.raw or _shown(value.value)
        return bare.model_copy(update={"status": "unparsed", "raw": raw}), value
    own = "probability" if bare.axis == "calibration" else "date"
    return bare.model_copy(update={"status": status, own: value}), None


_UNDECODABLE: dict[Fault, str] = {
    "encoding": "line is not UTF-8",
    "json": "line is not JSON",
    "depth": "line is nested too deeply",
    "twice": "a field is given twice",
    "object": "line is not a JSON object",
}


def _object(line: bytes | None) -> dict[str, Any]:
    if line is None:
        raise _LeftOut(f"line is longer than {LINE_LIMIT} bytes")
    try:
        return decode_object(line)
    except Undecodable as error:
        told = error.fault in ("encoding", "json", "depth")
        detail = str(error.detail) if told else _shown(error.detail)
        raise _LeftOut(_UNDECODABLE[error.fault], detail) from error


def _field_fault(error: ValidationError, row: Mapping[str, Any]) -> _LeftOut:
    """The first fault of the record. Names of fields of its own are no part of a reason: they are the file's."""
    problem = error.errors(include_url=False, include_input=False)[0]
    name = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        return _LeftOut("a forecast has no such field", _shown(name))
    if problem["type"] == "missing":
        return _LeftOut(f"field {name} is missing")
    return _LeftOut(f"field {name} cannot be used: {problem['msg']}", _shown(row[name]))


def _belongs(bare: Forecast, sitting: _Sitting) -> None:
    """_LeftOut unless the forecast is about something that this bank asks, under a name of its own."""
    for name in (bare.system, bare.run):
        if fault := _name_fault(name):
            raise _LeftOut(f"name of a system or run {fault}", _shown(name))
    if bare.system in sitting.taken:
        raise _LeftOut("a system of this name comes with every bank", _shown(bare.system))
    known = sitting.asked[bare.axis].get(bare.ref)
    if known is None:
        raise _LeftOut(f"this bank asks no such id on the {bare.axis} axis", _shown(bare.ref))
    if bare.point_id != known.point_id:
        raise _LeftOut(
            "point_id is not the point of that question",
            f"{bare.ref} is asked at {known.point_id}, not {_shown(bare.point_id)}",
        )
    if bare.lang not in known.editions:
        raise _LeftOut(f"this bank has no {bare.lang} edition of that question", bare.ref)


@lru_cache(maxsize=1024)
def _name_fault(name: str) -> str:
    """Names are printed to terminals and pages: nothing invisible, nothing that cannot be written."""
    if len(name) > NAME_LIMIT:
        return f"has more than {NAME_LIMIT} characters"
    if name != name.strip():
        return "starts or ends with a blank"
    if any(unicodedata.category(c)[0] == "C" or c in "\u2028\u2029" for c in name):
        return "holds an invisible character"
    return ""


def _answer(
    axis: Axis, status: object, values: Mapping[str, Any]
) -> float | date | _Unusable | None:
    """The value of an answer: a probability, a day, None for a status that has none, or why it is unusable."""
    own, other = values["probability"], values["date"]
    if axis == "temporal":
        own, other = other, own
    if status != "answered":
        given = own if own is not None else other
        return None if given is None else _Unusable(f"a value beside status {status}", given)
    if other is not None:
        word = "date" if axis == "calibration" else "probability"
        return _Unusable(f"a {word} on the {axis} axis", other)
    if own is None:
        return _Unusable("status answered without a value", None)
    return _probability(own) if axis == "calibration" else _day(own)


def _probability(value: Any) -> float | _Unusable:
    if isinstance(value, str):
        return _Unusable("probability is text instead of a number from 0 to 1", value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _Unusable("probability is no number", value)
    if math.isnan(value):
        return _Unusable("probability is NaN", value)
    if not 0 <= value <= 1:
        return _Unusable("probability lies outside 0 to 1", value)
    return float(value)


def _day(value: Any) -> date | _Unusable:
    if not isinstance(value, str) or not DAY.fullmatch(value):
        return _Unusable("date is not written YYYY-MM-DD", value)
    try:
        return date.fromisoformat(value)
    except ValueError:
        return _Unusable("date is no day of the calendar", value)


def _shown(value: object) -> str:
    """A value of a file, short and safe to print."""
    if isinstance(value, str):
        return repr(value[:SHOWN]) + ("..." if len(value) > SHOWN else "")
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value)
