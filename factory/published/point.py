"""One file of the project page: questions and dated events of a point with everybody's answers, as columns.

A file in which everything has its type is read by whole columns. Anything off in one of its two lists sends that
list through the careful reading, row by row, which keeps what is sound and counts the rest by reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from factory.errors import BadInput
from factory.published.careful import CarefulReader, Rows
from factory.published.values import FARTHEST, Days, load, writable
from factory.score.lines import Problems
from factory.score.sheet import ANSWERED, Codes, Floats
from schemas import Axis

_CALIBRATION = itemgetter("wd", "dfc", "gt", "q", "qt", "dim", "diff", "r")
_TEMPORAL = itemgetter("dfc", "gt", "eid", "desc", "r")


@dataclass(frozen=True)
class Point:
    """One file."""

    cutoff: str
    """YYYY-MM-DD; empty when the file states none that can be read."""
    calibration: Rows
    temporal: Rows


class Reader:
    """Reads files one after the other; systems get their index when they are met first."""

    def __init__(self, problems: Problems, wanted: frozenset[str] | None = None) -> None:
        self.systems: dict[str, int] = {}
        self._longest: list[str] = []
        self._problems = problems
        self._wanted = wanted
        self._days = Days()
        self._careful = CarefulReader(problems, self._days, self.systems)

    def point(self, path: Path, where: str) -> Point:
        """One file; BadInput when it holds no point at all."""
        data = load(path)
        for name in ("models", "cal", "time"):
            if not isinstance(data.get(name), list):
                raise BadInput(
                    f"{path} is no published point: its field {name} is no list; fetch it again"
                )
        models = self._models(data["models"], where)
        if len(models) > len(self._longest):
            self._longest = [name for name in data["models"] if isinstance(name, str)]
        cutoff = data.get("cutoff")
        if not isinstance(cutoff, str) or isinstance(self._days(cutoff), str):
            self._problems.add("point whose cutoff is no day; kept without a cutoff", where)
            cutoff = ""
        stated = data.get("point_id", path.stem)
        if stated != path.stem:
            self._problems.add(
                "point that states another point_id than its file; the file's name is used",
                f"{where} states {stated!a}"[:200],
            )
        return Point(
            cutoff,
            self._axis("calibration", data["cal"], models, where),
            self._axis("temporal", data["time"], models, where),
        )

    def order(self) -> list[str]:
        """The systems met, in the order of the longest list of models and then of their appearance."""
        return [
            name for name in dict.fromkeys([*self._longest, *self.systems]) if name in self.systems
        ]

    def _models(self, listed: Sequence[Any], where: str) -> Codes:
        """Index over all files of each model of this file; -1 unusable, -2 not wanted."""
        codes = []
        for name in listed:
            if not isinstance(name, str) or not name.strip() or not writable(name):
                self._problems.add(
                    "model without a name; its answers are not used", f"{where}: {name!a}"[:200]
                )
                codes.append(-1)
            elif self._wanted is not None and name not in self._wanted:
                codes.append(-2)
            else:
                codes.append(self.systems.setdefault(name, len(self.systems)))
        return np.array(codes, dtype=np.int64)

    def _axis(self, axis: Axis, rows: list[Any], models: Codes, where: str) -> Rows:
        fast = self._fast_calibration if axis == "calibration" else self._fast_temporal
        try:
            columns = fast(rows, models) if rows else None
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            columns = None
        return columns if columns is not None else self._careful.rows(axis, rows, models, where)

    def _fast_calibration(self, rows: list[Any], models: Codes) -> Rows | None:
        """By whole columns; None, or an error of a conversion, when anything is off."""
        window, distance, truth, q, qt, dim, diff, answers = zip(
            *map(_CALIBRATION, rows), strict=True
        )
        if not (_all(int, window) and _all(int, distance) and _all(int, truth)) or not _all(
            str, q, qt, dim, diff
        ):
            return None
        windows, outcome = np.array(window, dtype=float), np.array(truth, dtype=float)
        days = np.array(distance, dtype=float)
        if (
            windows.min() <= 0
            or not np.isin(outcome, (0, 1)).all()
            or np.abs(days).max() > FARTHEST
        ):
            return None
        flat = list(chain.from_iterable(answers))
        given: Floats = np.empty(0)
        index: tuple[Any, ...] = ()
        if flat:
            index, values = zip(*flat, strict=True)
            if not _all(int, index) or set(map(type, values)) - {float, int}:
                return None
            given = np.array(values, dtype=float)
            if not bool(np.all((given >= 0) & (given <= 1))):
                return None
        row, system = _answers(answers, index, models)
        keep = system >= 0
        return Rows(
            {"q": q, "qt": qt, "dim": dim, "diff": diff},
            days,
            windows,
            outcome,
            row[keep],
            system[keep],
            given[keep],
            np.full(int(keep.sum()), ANSWERED, dtype=np.int64),
        )

    def _fast_temporal(self, rows: list[Any], models: Codes) -> Rows | None:
        distance, target, eid, desc, answers = zip(*map(_TEMPORAL, rows), strict=True)
        if not _all(int, distance) or not _all(str, target, eid, desc):
            return None
        days = np.array(distance, dtype=float)
        if np.abs(days).max() > FARTHEST or len(set(eid)) < len(eid) or "" in eid:
            return None
        truth = np.array([self._days(text) for text in target], dtype=np.int64)
        flat = list(chain.from_iterable(answers))
        index: tuple[Any, ...] = ()
        predicted: Codes = np.empty(0, dtype=np.int64)
        errors: Floats = np.empty(0)
        if flat:
            index, texts, stored = zip(*flat, strict=True)
            if not _all(int, index) or not _all(str, texts):
                return None
            predicted = np.array([self._days(text) for text in texts], dtype=np.int64)
            errors = np.array(stored, dtype=float)
        row, system = _answers(answers, index, models)
        error = predicted - truth[row]
        if not bool(np.all(np.abs(error) == errors)):
            return None
        keep = system >= 0
        return Rows(
            {"eid": eid, "desc": desc},
            days,
            np.zeros(len(rows)),
            days,
            row[keep],
            system[keep],
            (days[row] + error)[keep],
            np.full(int(keep.sum()), ANSWERED, dtype=np.int64),
        )


def _all(kind: type, *columns: Sequence[Any]) -> bool:
    """Whether everything is exactly of a type: a bool is no int here."""
    return all(set(map(type, column)) == {kind} for column in columns)


def _answers(
    answers: Sequence[list[Any]], index: Sequence[int], models: Codes
) -> tuple[Codes, Codes]:
    """Row and system of each answer; ValueError for an unlisted, unnamed or repeated model."""
    listed = np.array(index, dtype=np.int64)
    row = np.repeat(np.arange(len(answers)), np.fromiter(map(len, answers), np.int64, len(answers)))
    if listed.size == 0:
        return row, listed
    if listed.min() < 0 or listed.max() >= len(models):
        raise ValueError("a model that the file does not list")
    system = models[listed]
    if (system == -1).any():
        raise ValueError("a model without a name")
    # Models that are not wanted get numbers of their own, so that they never seem repeated.
    who = np.where(system < 0, int(models.max(initial=0)) + 1 + listed, system)
    if int(np.bincount(row * (int(who.max()) + 1) + who).max()) > 1:
        raise ValueError("a model answers twice")
    return row, system
