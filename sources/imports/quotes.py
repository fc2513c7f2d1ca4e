"""Records of a CSV file with the lines they stand on; a quote that nothing closes costs its own row and no other.

The csv module reads on until some later quote closes a cell. Here a cell that went over lines which are rows
themselves is taken for unclosed: its row is named and those lines are read again. Cells of several lines stay.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

UNCLOSED = "a quote is not closed"
_RUNS = re.compile(r"\d+|[^\W\d_]+")
_MOST = 0.5
"""Share of the lines of a broken record that are rows when its quote is not closed."""
_NEARLY_ALL = 0.8
"""The same for a record that is valid, where another row closed the quote by chance."""
_TELLING = 2
"""Columns with a number or a date from which the rows of a table can be told from the lines of a text."""


class Record(NamedTuple):
    """One row as it stands in the file."""

    line: int
    """Its first line, from 1."""
    lines: int
    """How many it has."""
    cells: list[str]
    """What they hold."""
    problem: str = ""
    """Why it is no row; empty when it may be one."""


class _Lines:
    """Lines on their way to the reader, which can be given back."""

    def __init__(self, source: Iterator[str]) -> None:
        self._source = source
        self._back: deque[str] = deque()
        self.taken: list[str] = []
        """Lines of the record that is being read."""
        self.line = 1
        """Number of its first line."""

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._back.popleft() if self._back else next(self._source)
        self.taken.append(line)
        return line

    def advance(self) -> None:
        """The next line begins a record."""
        self.line += len(self.taken)
        self.taken.clear()

    def keep_first(self) -> None:
        """Give all lines of the record back but its first."""
        self._back.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


def records(source: Iterator[str], delimiter: str) -> Iterator[Record]:
    """The records of lines with their breaks, the heading first, empty lines left out."""
    lines = _Lines(source)
    reader = csv.reader(lines, delimiter=delimiter)
    columns = 0
    while True:
        lines.advance()
        cells: list[str] = []
        problem = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = str(error)
        if columns and len(lines.taken) > 1:
            problem = _swallowed(lines.taken, cells, columns, delimiter, problem)
            if problem == UNCLOSED:
                problem = f"{UNCLOSED}; the lines after this one are read for themselves"
                lines.keep_first()
                reader = csv.reader(lines, delimiter=delimiter)
        columns = columns or len(cells)
        if cells or problem:
            yield Record(lines.line, len(lines.taken), cells, problem)


def _swallowed(
    taken: Sequence[str], cells: Sequence[str], columns: int, delimiter: str, problem: str
) -> str:
    """`UNCLOSED` when the lines after the first are rows, else what is wrong with the record.

    A record that is no valid CSV is given up when half of its lines are rows. A valid one is believed unless its
    lines have the heading's columns and the numbers or dates of the record in two of them or more.
    """
    before = next(csv.reader(taken[:1], delimiter=delimiter), [])[:-1]
    strict = not problem and _is_strict(taken, delimiter)
    if strict and len(cells) == columns:
        behind = cells[len(before) + 1 :]
        shapes = [*map(_shape, before), "", *map(_shape, behind)]
        between, enough = taken[1:-1], _NEARLY_ALL
        if sum(map(bool, shapes)) < _TELLING:
            return ""
    else:
        shapes = [_shape(cell) for cell in before]
        between, enough = taken[1:], _MOST
    between = [line for line in between if line.strip()]
    alike = sum(_is_row(line, columns, shapes, delimiter) for line in between)
    if alike and alike >= enough * len(between):
        return UNCLOSED
    if not strict and not problem and _is_open(taken, delimiter):
        problem = UNCLOSED
    return f"{problem}, {len(taken)} lines" if problem else ""


def _is_open(taken: Sequence[str], delimiter: str) -> bool:
    """Whether a record ends inside a quoted cell: another line would still belong to it."""
    return len(list(csv.reader([*taken, "x"], delimiter=delimiter))) == 1


def _is_row(line: str, columns: int, shapes: Sequence[str], delimiter: str) -> bool:
    """Whether a line has the heading's columns, with numbers and dates where the record has them."""
    if line.count(delimiter) < columns - 1:
        return False
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return False
    return len(cells) == columns and all(
        not shape or _shape(cell) == shape for shape, cell in zip(shapes, cells, strict=False)
    )


def _shape(cell: str) -> str:
    """What a number, a date or an id looks like, its length apart; nothing for words."""
    if len(cell) > 40 or not any(char.isdigit() for char in cell):
        return ""
    return _RUNS.sub(lambda found: "9" if found[0].isdigit() else "a", cell.strip())


def _is_strict(taken: Sequence[str], delimiter: str) -> bool:
    try:
        list(csv.reader(taken, delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return True
