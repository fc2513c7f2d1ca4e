"""The tables that ForecastBench-Sim publishes, as fields of our records.

A row is an answer and states its question and the outcome beside it: five quantiles p10 to p90 of a `model`, or the
mass of five bins, b1 to b5 as shares or prob_bin_1_pct to prob_bin_5_pct in percent of a `participant_id`. Cells become
numbers where they are numbers and stay text otherwise: the records decide what can be used.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from factory.errors import BadInput
from factory.score.lines import LINE_LIMIT, Problems, bounded_lines

_PROBABILITY = ("probability",)
_QUANTILES = ("p10", "p25", "p50", "p75", "p90")
_BINS = ("b1", "b2", "b3", "b4", "b5")
_PERCENT = tuple(f"prob_bin_{i}_pct" for i in range(1, 6))
SHAPES: dict[tuple[str, ...], str] = {
    _PROBABILITY: "probability",
    _QUANTILES: "quantiles",
    _BINS: "bins",
    _PERCENT: "bins",
}
"""Columns of a table's answers -> field of the answer."""
_SYSTEM = ("model", "participant_id", "system")
_WORLD = ("world_id", "game_id", "world")
_TEMPLATE = ("human_template", "family", "template", "template_id")

_COUNTS = {"cities_count": "cities"}

LEFT_OUT = "it is left out"


def is_table(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def family(template: str) -> str:
    """A template without its marks: h0_cities_count_continuous is cities."""
    bare = template.removeprefix("h0_").removesuffix("_continuous")
    return _COUNTS.get(bare, bare)


def table_rows(path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, str]]]:
    """(where, column -> cell) of each row of a UTF-8 table with a header, in bounded memory.

    A row is one line, so that a stray quote costs no more than its own row; a faulty one is counted and left out.
    BadInput when the file cannot be read, or its header lacks question_id or names a column twice.
    """
    header: list[str] | None = None
    try:
        with path.open("rb") as stream:
            for count, line in bounded_lines(stream):
                where = f"{path.name} line {count}"
                row = _cells(line, where, problems)
                if row is None:
                    continue
                if header is None:
                    header = [name.strip() for name in row]
                    if "question_id" not in header or len(set(header)) < len(header):
                        raise BadInput(
                            f"the header of {path} has to name question_id, and every column once; correct its first line"
                        )
                elif len(row) != len(header):
                    reason = f"a row has another number of cells than the header; {LEFT_OUT}"
                    problems.add(reason, where)
                else:
                    yield where, dict(zip(header, row, strict=True))
    except OSError as error:
        raise BadInput(
            f"cannot read {path}: {error.strerror}; give a table or JSON lines"
        ) from error


def _cells(line: bytes | None, where: str, problems: Problems) -> list[str] | None:
    """Cells of a line; None, with the reason counted, when it has none."""
    if line is None:
        problems.add(f"a line is longer than {LINE_LIMIT:,} bytes; {LEFT_OUT}", where)
        return None
    try:
        return next(csv.reader([line.decode("utf-8")], strict=True))
    except UnicodeDecodeError:
        problems.add(f"a line is not UTF-8; {LEFT_OUT}", where)
    except csv.Error:
        problems.add(f"a line is no row of a table; {LEFT_OUT}", where)
    return None


def question_of(row: Mapping[str, str]) -> dict[str, Any]:
    """Fields of the question that a row of a table states."""
    low, high = number(row.get("bin_min", "")), number(row.get("bin_max", ""))
    span = number(row.get("range", ""))
    if isinstance(low, float) and isinstance(high, float):
        span = high - low
    fields = {
        "question_id": row.get("question_id", ""),
        "kind": row.get("kind") or ("binary" if "probability" in row else "continuous"),
        "template": family(_first(row, _TEMPLATE)),
        "horizon": row.get("horizon")
        or ("H0" if row.get("template_id", "")[:3] == "h0_" else None),
        "world": _first(row, _WORLD),
        "text": row.get("question_text", ""),
        "outcomes": (number(row["ground_truth"]),),
    }
    scale = {"low": low, "range": span} if fields["kind"] == "continuous" else {}
    return fields | {key: value for key, value in scale.items() if value != ""}


def forecast_of(row: Mapping[str, str], shape: tuple[str, ...], name: str) -> dict[str, Any]:
    """Fields of the answer in a row of a table. Blank cells are a failed call where the row tells of an error."""
    system = next((row[column] for column in _SYSTEM if column in row), name)
    fields: dict[str, Any] = {"system": system, "question_id": row.get("question_id", "")}
    cells = [row[column].strip() for column in shape]
    if not any(cells):
        return fields | ({"status": "error"} if row.get("error", "").strip() else {})
    numbers = [number(cell) for cell in cells]
    if shape == _PERCENT:
        numbers = [n / 100 if isinstance(n, float) else n for n in numbers]
    return fields | {SHAPES[shape]: numbers[0] if shape == _PROBABILITY else tuple(numbers)}


def _first(row: Mapping[str, str], columns: Sequence[str]) -> str:
    return next((row[column] for column in columns if row.get(column)), "")


def number(cell: str) -> float | str:
    """The number in a cell, or the cell itself, which no field of numbers accepts."""
    try:
        return cell if "_" in cell else float(cell)
    except ValueError:
        return cell
