"""Who stands where in a score card, and how sure that is.

Order is by score. A rank is a range and comes from paired tests only: a system is placed behind those that were
shown to be better and before those that were shown to be worse, and among the rest it could be anywhere. Rules
that read no text stand in the order but take no rank. Everything here is read off the card; nothing is scored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from factory.textgrid import plain
from schemas import AxisGrade, Comparison, GroupScore, Score, ScoreCard, ScoreCell, Table
from schemas.exam import Axis
from schemas.score import SUBSET
from schemas.typed import TypedRow

AXES: tuple[Axis, ...] = ("calibration", "temporal")
AXIS_NAMES: dict[str, str] = {"calibration": "calibration", "temporal": "dates"}
"""What an axis is called in front of people."""
HOLDS = 0.05
"""A difference holds when its q (p after Benjamini-Hochberg) is at most this."""


@dataclass(frozen=True)
class Answers:
    """How many questions were asked and what became of them."""

    answered: int = 0
    total: int = 0
    unparsed: int = 0
    refused: int = 0
    error: int = 0
    missing: int = 0

    @classmethod
    def of(cls, rows: Iterable[ScoreCell | AxisGrade]) -> Answers:
        """Summed over cells or grades."""
        found = list(rows)
        return cls(
            *(
                sum(getattr(row, name) for row in found)
                for name in ("answered", "total", "unparsed", "refused", "error", "missing")
            )
        )

    @classmethod
    def of_typed(cls, row: TypedRow) -> Answers:
        """Of a row of a card of typed questions."""
        return cls(row.answered, row.n, row.unparsed, row.refused, row.error, row.missing)

    @property
    def share(self) -> float | None:
        """Answered share; None when nothing was asked."""
        return self.answered / self.total if self.total else None

    @property
    def subset(self) -> bool:
        """Whether too little was answered to stand beside complete answers without a mark."""
        return self.share is not None and self.share < SUBSET

    @property
    def lost(self) -> list[tuple[str, int]]:
        """(how it ended, count) of what was not answered, empty states left out."""
        names = ("unparsed", "refused", "error", "missing")
        return [(name, count) for name in names if (count := getattr(self, name))]


@dataclass(frozen=True)
class Standing:
    """A system in the order of one score."""

    system: str
    score: Score
    text_free: bool
    """A rule that reads no text."""
    place: int | None
    """1 for the highest score among systems that read; equal scores share it; None for rules and without a score."""
    ranks: tuple[int, int] | None
    """Best and worst rank that the paired tests leave open; None without tests, for rules and without a score."""
    answers: Answers
    grades: dict[str, AxisGrade]
    """By axis."""


@dataclass(frozen=True)
class Pivot:
    """Scores by keys: a row a system, a column a combination of the keys' values."""

    axis: Axis
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GroupScore | None, ...]], ...]
    """(system, its score in each column), systems in the order of the axis."""


def figure(value: Score | None, digits: int = 1) -> str:
    """A number with fixed decimals and never "-0.0"; "not scored" as it is, nothing for None."""
    if value is None or isinstance(value, str):
        return value or ""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def signed(value: float | None, digits: int = 1) -> str:
    """A number with its sign; nothing for None."""
    text = figure(value, digits)
    return text if not text or text.startswith("-") or not text.strip("0.") else f"+{text}"


def decimals(table: Table) -> list[int]:
    """Decimals of each column: none for whole numbers, one from 10 up, two from 1 up, three below."""
    width = max((len(row.values) for row in table.rows), default=0)
    found = []
    for column in range(width):
        values = [
            value
            for row in table.rows
            if column < len(row.values)
            and (value := row.values[column]) is not None
            and math.isfinite(value)
        ]
        most = max((abs(value) for value in values), default=0.0)
        whole = all(value == int(value) for value in values)
        found.append(0 if whole else 1 if most >= 10 else 2 if most >= 1 else 3)
    return found


def graded(card: ScoreCard) -> dict[str, dict[str, AxisGrade]]:
    """Axis -> system -> grade."""
    found: dict[str, dict[str, AxisGrade]] = {axis: {} for axis in AXES}
    for grade in card.axes:
        found[grade.axis][grade.system] = grade
    return found


def text_free(card: ScoreCard) -> set[str]:
    """Systems that are rules which read no text."""
    return {grade.system for grade in card.axes if grade.text_free}


def overall_standings(card: ScoreCard) -> list[Standing]:
    """Every system of the card by its overall score; last those without one, rules by axis and score.

    A rank range counts a system as better than another when it is shown to be better on both axes, so it exists
    only where both axes were compared.
    """
    grades = graded(card)
    names = dict.fromkeys(
        [*card.overall, *(g.system for g in card.axes), *(c.system for c in card.cells)]
    )
    free = text_free(card)
    scores: dict[str, Score] = {name: card.overall.get(name, "not scored") for name in names}
    wins = [_wins(card.comparisons, axis) for axis in AXES]

    def last(entry: tuple[str, int | None]) -> tuple[bool, bool, int, float]:
        name, _place = entry
        if not isinstance(scores[name], str):
            return False, False, 0, 0.0
        first = next((axis for axis in AXES if name in grades[axis]), AXES[0])
        score = grades[first][name].score if name in grades[first] else "not scored"
        height = 0.0 if isinstance(score, str) else -score
        return True, name in free, AXES.index(first) if name in free else 0, height

    return [
        Standing(
            system=name,
            score=scores[name],
            text_free=name in free,
            place=place,
            ranks=_range(name, scores, free, None if None in wins else _both(wins)),
            answers=_answers(card, name),
            grades={axis: grades[axis][name] for axis in AXES if name in grades[axis]},
        )
        for name, place in sorted(_order(scores, free), key=last)
    ]


def axis_standings(card: ScoreCard, axis: Axis) -> list[Standing]:
    """Every system that was graded on an axis by its score there, those without one last, by name."""
    grades = graded(card)[axis]
    free = {name for name, grade in grades.items() if grade.text_free}
    scores: dict[str, Score] = {name: grade.score for name, grade in grades.items()}
    wins = _wins(card.comparisons, axis)
    return [
        Standing(
            system=name,
            score=scores[name],
            text_free=name in free,
            place=place,
            ranks=_range(name, scores, free, wins),
            answers=Answers.of([grades[name]]),
            grades={axis: grades[name]},
        )
        for name, place in _order(scores, free)
    ]


def why_no_overall(card: ScoreCard, system: str) -> str:
    """Why a system has no overall score, in a few words; empty when it has one."""
    if not isinstance(card.overall.get(system, "not scored"), str):
        return ""
    cells = [cell for cell in card.cells if cell.system == system]
    sat = {cell.axis for cell in cells}
    if not sat:
        return "sat nothing"
    if len(sat) == 1:
        return f"{AXIS_NAMES[sat.pop()]} only"
    empty = [cell for cell in cells if cell.score == "not scored"]
    if len(empty) == len(cells):
        return "nothing answered"
    for axis in AXES:
        if all(cell.score == "not scored" for cell in cells if cell.axis == axis):
            return f"nothing answered on {AXIS_NAMES[axis]}"
    where = ", ".join(f"{AXIS_NAMES[c.axis]} {plain(c.event)} {c.edition}" for c in empty[:2])
    more = f" and {len(empty) - 2} more" if len(empty) > 2 else ""
    return f"nothing answered in {where}{more}" if empty else "no mean of its cells"


def pivots(card: ScoreCard) -> list[Pivot]:
    """Group scores as tables, one an axis and set of keys."""
    found: dict[tuple[Axis, tuple[str, ...]], dict[tuple[str, tuple[str, ...]], GroupScore]] = {}
    for group in card.groups:
        cells = found.setdefault((group.axis, tuple(group.keys)), {})
        cells[group.system, tuple(group.keys.values())] = group
    result = []
    for (axis, keys), cells in found.items():
        present = {system for system, _values in cells}
        order = [row.system for row in axis_standings(card, axis) if row.system in present]
        order += sorted(present - set(order))
        combinations = list(dict.fromkeys(values for _system, values in cells))
        rows = tuple(
            (system, tuple(cells.get((system, values)) for values in combinations))
            for system in order
        )
        result.append(Pivot(axis, keys, tuple(", ".join(v) for v in combinations), rows))
    return result


def held(comparisons: Iterable[Comparison], axis: str) -> tuple[list[Comparison], list[Comparison]]:
    """Comparisons of an axis, smallest q first: those whose difference holds, and the others.

    Each is turned so that its first system has the higher score.
    """
    rows = sorted(
        (_turned(row) for row in comparisons if row.axis == axis),
        key=lambda row: (row.q, row.p, -row.difference, row.a, row.b),
    )
    return [row for row in rows if _holds(row)], [row for row in rows if not _holds(row)]


def _turned(row: Comparison) -> Comparison:
    if row.difference >= 0:
        return row
    span = row.interval
    return row.model_copy(
        update={
            "a": row.b,
            "b": row.a,
            "difference": -row.difference,
            "interval": span.model_copy(update={"low": -span.high, "high": -span.low}),
        }
    )


def _holds(row: Comparison) -> bool:
    return row.q <= HOLDS and row.difference != 0


def _answers(card: ScoreCard, system: str) -> Answers:
    return Answers.of(
        [row for row in card.axes if row.system == system]
        or [row for row in card.cells if row.system == system]
    )


def _order(scores: dict[str, Score], free: set[str]) -> list[tuple[str, int | None]]:
    """(system, place) from the highest score down."""

    def key(name: str) -> tuple[int, float, str]:
        score = scores[name]
        return (1, 0.0, name) if isinstance(score, str) else (0, -score, name)

    ranked = [
        score for name, score in scores.items() if name not in free and not isinstance(score, str)
    ]

    def place(name: str) -> int | None:
        score = scores[name]
        if name in free or isinstance(score, str):
            return None
        return 1 + sum(other > score for other in ranked)

    return [(name, place(name)) for name in sorted(scores, key=key)]


def _wins(comparisons: Iterable[Comparison], axis: str) -> set[tuple[str, str]] | None:
    """(better, worse) wherever a difference holds; None when nothing was compared."""
    rows = [row for row in comparisons if row.axis == axis]
    if not rows:
        return None
    return {(row.a, row.b) if row.difference > 0 else (row.b, row.a) for row in rows if _holds(row)}


def _both(wins: list[set[tuple[str, str]] | None]) -> set[tuple[str, str]]:
    known = [pairs for pairs in wins if pairs is not None]
    return set.intersection(*known) if known else set()


def _range(
    name: str, scores: dict[str, Score], free: set[str], wins: set[tuple[str, str]] | None
) -> tuple[int, int] | None:
    if wins is None or name in free or isinstance(scores[name], str):
        return None
    others = [
        other
        for other, score in scores.items()
        if other != name and other not in free and not isinstance(score, str)
    ]
    better = sum((other, name) in wins for other in others)
    worse = sum((name, other) in wins for other in others)
    return 1 + better, len(others) + 1 - worse
