"""Scoring the published bank: our columns against a plain loop, and reading plus scoring against bare JSON.

    python -m benchmarks.scoring

The data is the published project page under FACTORY_TESTDATA: both editions of all events, every system. All
figures are CPU seconds measured in one run, the least of some rounds. (a) Paper scoring of all answers by our
code against a plain Python loop over the same parsed rows; both have to agree. (b) Reading the files and scoring
them against a bare json.load of the same files.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from factory.published.pages import Published
    from factory.score.sheet import Sheet

FASTER = 10.0
SLOWER = 3.0
ROUNDS = 5

Row = tuple[str, str, str, float, float, float, float]
"""System, event, edition, answer, truth, distance, window."""
Scores = dict[tuple[str, str, str], float]
T = TypeVar("T")


def least(work: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds of the fastest round, and what came of the last."""
    best = float("inf")
    for _ in range(ROUNDS):
        before = time.process_time()
        result = work()
        best = min(best, time.process_time() - before)
    return best, result


def json_files(folder: Path) -> int:
    """Load every point and forget it; the number of files."""
    count = 0
    for path in sorted(folder.glob("*/*/P*.json")):
        with path.open(encoding="utf-8") as file:
            json.load(file)
        count += 1
    return count


def scored(pages: Published) -> tuple[Scores, Scores]:
    """Every cell of both axes under the paper's rules, by our code."""
    from factory.score.pooling import cell_scores
    from factory.score.rules import PAPER

    assert PAPER.calibration is not None
    assert PAPER.temporal is not None
    found = []
    for sheet, formula in (
        (pages.calibration, PAPER.calibration),
        (pages.temporal, PAPER.temporal),
    ):
        table = cell_scores(sheet, formula).tolist()
        found.append(
            {
                (system, *cell): score
                for system, scores in zip(sheet.systems, table, strict=True)
                for cell, score in zip(sheet.cells(), scores, strict=True)
                if score == score
            }
        )
    return found[0], found[1]


def rows(sheet: Sheet) -> list[Row]:
    """The answers of a sheet as plain rows."""
    columns = list(
        zip(
            sheet.event.labels(),
            sheet.edition.labels(),
            sheet.truth.tolist(),
            sheet.distance.tolist(),
            sheet.window.tolist(),
            strict=True,
        )
    )
    return [
        (system, event, edition, value, truth, distance, window)
        for system, values, answered in zip(
            sheet.systems, sheet.values.tolist(), sheet.answered.tolist(), strict=True
        )
        for (event, edition, truth, distance, window), value, used in zip(
            columns, values, answered, strict=True
        )
        if used
    ]


def plain_calibration(answers: list[Row]) -> Scores:
    """The paper's calibration score of each cell, row by row."""
    sums: dict[tuple[str, str, str], list[float]] = {}
    for system, event, edition, p, y, distance, window in answers:
        cell = sums.setdefault((system, event, edition), [0.0, 0.0])
        weight = 1.0 / (1.0 + 0.04 * max(0.0, distance)) * window / (window + 4.0)
        cell[0] += weight * abs(p - y)
        cell[1] += weight
    return {key: 100.0 * max(0.0, 1.0 - loss / weight) for key, (loss, weight) in sums.items()}


def plain_temporal(answers: list[Row]) -> Scores:
    """The paper's temporal score of each cell, row by row."""
    sums: dict[tuple[str, str, str], list[float]] = {}
    for system, event, edition, predicted, t, _, _ in answers:
        cell = sums.setdefault((system, event, edition), [0.0, 0.0])
        low, high = (0, 30) if t <= 30 else (31, 60) if t <= 60 else (61, 90)
        error = abs(predicted - t)
        miss = min(1.0, (min(high, t + error) - max(low, t - error)) / 30.0)
        weight = 1.0 / (1.0 + 0.04 * t)
        cell[0] += weight * miss
        cell[1] += weight
    return {key: 100.0 * (1.0 - loss / weight) for key, (loss, weight) in sums.items()}


def agree(ours: Scores, plain: Scores) -> bool:
    """Whether two ways of scoring give the same cells and figures."""
    return ours.keys() == plain.keys() and all(abs(ours[key] - plain[key]) < 1e-6 for key in ours)


def scoring_ratio(folder: Path) -> bool:
    """Print (a); whether it holds."""
    from factory.published.pages import read_pages

    pages = read_pages(folder)
    calibration, temporal = rows(pages.calibration), rows(pages.temporal)
    answers = len(calibration) + len(temporal)
    columns, ours = least(lambda: scored(pages))
    loop, plain = least(lambda: (plain_calibration(calibration), plain_temporal(temporal)))
    same = all(agree(*pair) for pair in zip(ours, plain, strict=True))
    print(
        f"paper scoring of {answers:,} answers: {columns:.3f} s CPU, plain Python loop over the same rows "
        f"{loop:.3f} s, {loop / columns:.1f} times faster (target >= {FASTER:g}), "
        + ("same scores" if same else "DIFFERENT SCORES")
    )
    return same and loop / columns >= FASTER


def reading_ratio(folder: Path) -> bool:
    """Print (b); whether it holds."""
    from factory.published.pages import read_pages

    whole, _ = least(lambda: scored(read_pages(folder)))
    bare, files = least(lambda: json_files(folder))
    print(
        f"reading and paper scoring of {files} files: {whole:.2f} s CPU, bare json.load of the same files "
        f"{bare:.2f} s, ratio {whole / bare:.2f} (target <= {SLOWER:g})"
    )
    return whole / bare <= SLOWER


def main() -> int:
    """Print both ratios; 1 when a target is missed or the two scorings disagree."""
    name = os.environ.get("FACTORY_TESTDATA", "")
    folder = Path(name) / "official" / "demo"
    if not name or not folder.is_dir():
        print("SKIPPED: FACTORY_TESTDATA names no folder with official/demo, the published bank")
        return 0
    held = [scoring_ratio(folder), reading_ratio(folder)]
    return int(not all(held))


if __name__ == "__main__":
    raise SystemExit(main())
