"""One axis of a point in which something is off, row by row: what is sound is kept, the rest counted by reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from factory.published.keys import event_key
from factory.published.values import FARTHEST, Days, probability, whole
from factory.score.lines import Problems
from factory.score.sheet import ANSWERED, UNPARSED, Codes, Floats
from schemas import Axis

Parser = Callable[[list[Any], str], tuple[float, str]]
"""An answer [model, value, ...] and whose it is -> its value and "", or nan and why it has none."""


@dataclass(frozen=True)
class Rows:
    """One axis of one point: n rows, and m answers that name their row."""

    labels: Mapping[str, tuple[str, ...]]
    """n labels a column: q, qt, dim, diff; temporal: eid, desc."""
    distance: Floats
    """n: stored days from the cutoff (dfc)."""
    window: Floats
    """n: stored window in days (wd); temporal: 0."""
    truth: Floats
    """n: outcome; temporal: the same as distance."""
    row: Codes
    """m: row of each answer."""
    system: Codes
    """m: index into the systems of all files."""
    value: Floats
    """m: probability, or days from the cutoff to the predicted day; nan when unusable."""
    status: Codes
    """m: ANSWERED or UNPARSED."""


class CarefulReader:
    """Reads what the reading by columns refuses."""

    def __init__(self, problems: Problems, days: Days, systems: Mapping[str, int]) -> None:
        self._problems = problems
        self._days = days
        self._systems = systems

    def rows(self, axis: Axis, rows: list[Any], models: Codes, where: str) -> Rows:
        """Row by row; what cannot be used is counted by reason."""
        names = ("q", "qt", "dim", "diff") if axis == "calibration" else ("eid", "desc")
        labels: dict[str, list[str]] = {name: [] for name in names}
        numbers: list[tuple[float, float, float]] = []
        given: dict[tuple[int, int], tuple[float, int]] = {}
        seen: set[str] = set()
        for position, item in enumerate(rows):
            at = f"{where}, {'cal' if axis == 'calibration' else 'time'}[{position}]"
            found = self._row(axis, item, at)
            if found is None:
                continue
            distance, window, truth, parse = found
            if axis == "temporal":
                eid = event_key(item.get("eid"), position)
                if eid in seen:
                    self._problems.add(
                        "event id stated twice at one point; the later is left out", f"{at}: {eid}"
                    )
                    continue
                seen.add(eid)
            for name in names:
                text = item.get(name)
                if not isinstance(text, str) or not text:
                    self._problems.add(f"row without the text {name}; kept, as unknown there", at)
                    text = event_key(text, position) if name == "eid" else ""
                labels[name].append(text)
            self._answers_of(item.get("r"), len(numbers), parse, models, given, at)
            numbers.append((distance, window, truth))
        columns = np.array(numbers, dtype=float).reshape(-1, 3)
        keys = np.array(list(given), dtype=np.int64).reshape(-1, 2)
        return Rows(
            {name: tuple(column) for name, column in labels.items()},
            columns[:, 0],
            columns[:, 1],
            columns[:, 2],
            keys[:, 0],
            keys[:, 1],
            np.array([value for value, _ in given.values()], dtype=float),
            np.array([status for _, status in given.values()], dtype=np.int64),
        )

    def _row(self, axis: Axis, item: Any, at: str) -> tuple[float, float, float, Parser] | None:
        """Distance, window, truth and the parser of its answers; None for a row that is left out."""
        if not isinstance(item, dict):
            self._problems.add("row that is no object; left out", at)
            return None

        def wrong(reason: str, name: str) -> None:
            self._problems.add(f"{reason}; left out", f"{at}: {name}={item.get(name)!a}"[:200])

        distance = whole(item.get("dfc"))
        if distance is None or abs(distance) > FARTHEST:
            wrong("row whose dfc is no number of days", "dfc")
            return None
        if axis == "calibration":
            window, truth = whole(item.get("wd")), whole(item.get("gt"))
            if window is None or not 0 < window <= FARTHEST:
                wrong("question whose wd is no window in days", "wd")
                return None
            if truth not in (0, 1):
                wrong("question whose gt is not 0 or 1", "gt")
                return None
            return distance, window, truth, lambda answer, _who: probability(answer[1])
        target = item.get("gt")
        day = self._days(target) if isinstance(target, str) else "not a text"
        if isinstance(day, str):
            wrong("event whose gt is no day", "gt")
            return None
        return distance, 0.0, distance, self._date_parser(day, distance, at)

    def _date_parser(self, day: int, distance: float, at: str) -> Parser:
        """Parser of days for an event on `day`, `distance` days from its cutoff."""

        def parse(answer: list[Any], who: str) -> tuple[float, str]:
            text = answer[1]
            if text is None:
                return math.nan, "no value"
            predicted = self._days(text) if isinstance(text, str) else "not a text"
            if isinstance(predicted, str):
                return math.nan, predicted
            error = float(predicted - day)
            if len(answer) > 2 and answer[2] != abs(error):
                self._problems.add(
                    "stored error that is not the distance between the stored dates; the dates are used",
                    f"{at}, {who}: {answer[2]!a}"[:200],
                )
            return distance + error, ""

        return parse

    def _answers_of(
        self,
        listed: Any,
        row: int,
        parse: Parser,
        models: Codes,
        given: dict[tuple[int, int], tuple[float, int]],
        at: str,
    ) -> None:
        """Add the answers of a row to `given`, by (row, system)."""
        if not isinstance(listed, list):
            self._problems.add("row without a list of answers; nobody has answered it", at)
            return
        names = {code: name for name, code in self._systems.items()}
        for answer in listed:
            shown = f"{at}: {answer!a}"[:200]
            if not isinstance(answer, list) or len(answer) < 2:
                self._problems.add("answer that is not [model, value]; not used", shown)
                continue
            index = answer[0]
            if type(index) is not int or not 0 <= index < len(models):
                self._problems.add("answer of a model that the file does not list; not used", shown)
                continue
            system = int(models[index])
            if system < 0:
                continue
            who = names[system]
            if (row, system) in given:
                self._problems.add(
                    "model that answers one question more than once; none of its answers there is used",
                    f"{at}, {who}",
                )
                given[row, system] = (math.nan, UNPARSED)
                continue
            value, reason = parse(answer, who)
            if reason:
                self._problems.add(
                    f"unparsed answer: {reason}", f"{at}, {who}: {answer[1]!a}"[:200]
                )
            given[row, system] = (value, UNPARSED if reason else ANSWERED)
