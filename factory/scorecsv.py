"""Score cards as CSV after RFC 4180, in which no text starts a formula in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from factory.standings import figure
from schemas import ScoreCard, ScoreCell
from schemas.typed import TypedCard, TypedRow

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters that make a spreadsheet read a text as a formula (OWASP, CSV injection), full-width ones too."""

CELL_COLUMNS = [
    "system",
    "event",
    "edition",
    "axis",
    "score",
    "answered",
    "total",
    "unparsed",
    "refused",
    "error",
    "missing",
    "low",
    "high",
    "strict",
]
TYPED_COLUMNS = [
    "system",
    "kind",
    "group",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "answered",
    "unparsed",
    "refused",
    "error",
    "missing",
]


def csv_text(card: ScoreCard) -> str:
    """One row a cell; numbers with six decimals, empty where there is none, `not scored` as in the card."""
    return _csv(CELL_COLUMNS, (_cell_row(cell) for cell in card.cells))


def typed_csv(card: TypedCard) -> str:
    """One row a system, kind, group and figure; the value is empty where the answers define none."""
    return _csv(TYPED_COLUMNS, (row for one in card.rows for row in _typed_rows(one)))


def _csv(head: Sequence[str], rows: Iterable[Sequence[str | int | float | None]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    for row in rows:
        writer.writerow([_field(value) for value in row])
    return out.getvalue()


def _field(value: str | int | float | None) -> str:
    """A number as it is, however negative; a text that would start a formula behind an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return figure(value, 6) if isinstance(value, float) else str(value)


def _cell_row(cell: ScoreCell) -> list[str | int | float | None]:
    return [
        cell.system,
        cell.event,
        cell.edition,
        cell.axis,
        cell.score,
        cell.answered,
        cell.total,
        cell.unparsed,
        cell.refused,
        cell.error,
        cell.missing,
        cell.interval.low if cell.interval else None,
        cell.interval.high if cell.interval else None,
        cell.strict,
    ]


def _typed_rows(row: TypedRow) -> Iterator[list[str | int | float | None]]:
    counts = [row.n, row.answered, row.unparsed, row.refused, row.error, row.missing]
    if not row.metrics:
        yield [row.system, row.kind, row.group, "", None, None, None, *counts]
    for name, value in row.metrics.items():
        span = row.intervals.get(name)
        ends = [span.low, span.high] if span else [None, None]
        yield [row.system, row.kind, row.group, name, value, *ends, *counts]
