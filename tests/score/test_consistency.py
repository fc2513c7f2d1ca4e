"""Contradictions inside families: each rule against every case counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.published.pages import read_pages
from factory.score.consistency import violations
from factory.score.sheet import ANSWERED, REFUSED, Factor, Families, Sheet
from schemas import Violations

Row = tuple[int, int, int, int, int, float, bool]
"""windows, window, ladder, level, occasion, probability, answered."""


def sheet_of(rows: list[Row], *, families: bool = True) -> Sheet:
    n = len(rows)
    one = Factor.of(["e"] * n)

    def column(k: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([row[k] for row in rows], dtype=np.int64)

    answered = np.array([[row[6] for row in rows]], dtype=bool)
    return Sheet(
        axis="calibration",
        systems=("s",),
        refs=tuple(str(i) for i in range(n)),
        event=one,
        edition=Factor.of(["en"] * n),
        point=one,
        cluster=one,
        truth=np.zeros(n),
        distance=np.zeros(n),
        window=np.array([row[1] for row in rows], dtype=float),
        values=np.where(answered, [[row[5] for row in rows]], np.nan),
        status=np.where(answered, ANSWERED, REFUSED).astype(np.int8),
        families=Families(column(0), column(2), column(3), column(4)) if families else None,
    )


def named(found: tuple[Violations, ...]) -> dict[str, tuple[int, int, float]]:
    return {row.rule: (row.cases, row.violated, row.mean_excess) for row in found}


def row(
    p: float,
    *,
    windows: int = -1,
    window: int = 7,
    ladder: int = -1,
    level: int = 1,
    occasion: int = -1,
    answered: bool = True,
) -> Row:
    return windows, window, ladder, level, occasion, p, answered


def test_a_longer_window_is_never_less_likely() -> None:
    rows = [row(p, windows=0, window=w) for w, p in ((30, 0.5), (7, 0.3), (90, 0.2), (14, 0.3))]
    assert named(violations(sheet_of(rows))[0])["windows"] == (3, 1, pytest.approx(0.3))


def test_more_detail_is_never_more_likely() -> None:
    rows = [row(p, ladder=4, level=k) for k, p in ((3, 0.4), (1, 0.6), (2, 0.1))]
    assert named(violations(sheet_of(rows))[0])["ladder"] == (2, 1, pytest.approx(0.3))


def test_ends_that_exclude_each_other_share_one() -> None:
    rows = [row(p, occasion=2) for p in (0.6, 0.5, 0.1)]
    rows += [row(p, occasion=3) for p in (0.7, 0.3)]
    rows += [row(0.9, occasion=5)]
    assert named(violations(sheet_of(rows))[0])["variants"] == (2, 1, pytest.approx(0.2))


def test_the_sum_of_tenths_is_not_held_against_anybody() -> None:
    rows = [row(0.1, occasion=0) for _ in range(10)] + [row(0.1 + 0.2, windows=0, window=7)]
    rows += [row(0.3, windows=0, window=14)]
    found = named(violations(sheet_of(rows))[0])
    assert found["variants"][:2] == (1, 0)
    assert found["windows"][:2] == (1, 0)


def test_what_is_not_answered_is_stepped_over() -> None:
    rows = [row(0.6, windows=0, window=7), row(0.0, windows=0, window=14, answered=False)]
    rows += [row(0.5, windows=0, window=30)]
    assert named(violations(sheet_of(rows))[0])["windows"] == (1, 1, pytest.approx(0.1))
    alone = [row(0.9, occasion=0), row(0.9, occasion=0, answered=False)]
    assert named(violations(sheet_of(alone))[0])["variants"] == (0, 0, 0.0)


def test_without_families_nothing_is_claimed() -> None:
    rows = [row(0.9, windows=0, window=7), row(0.1, windows=0, window=14)]
    assert violations(sheet_of(rows, families=False)) == [()]
    nobody = named(violations(sheet_of([row(0.9), row(0.1)]))[0])
    assert nobody == dict.fromkeys(("windows", "ladder", "variants"), (0, 0, 0.0))


group = st.integers(-1, 3)
hundredths = st.integers(0, 20).map(lambda k: k / 20)
any_row = st.tuples(
    group, st.sampled_from([7, 14, 30]), group, st.integers(1, 3), group, hundredths, st.booleans()
)


def chain(
    rows: list[Row], key: Callable[[Row], int], place: Callable[[Row], int], sign: int
) -> list[float]:
    """Excess of every neighbouring pair of positions, the two answers that agree least."""
    found = []
    for name in {key(r) for r in rows} - {-1}:
        members = [r for r in rows if key(r) == name and r[6]]
        for before, after in pairwise(sorted({place(r) for r in members})):
            found.append(
                max(
                    sign * (x[5] - y[5])
                    for x in members
                    for y in members
                    if place(x) == before and place(y) == after
                )
            )
    return found


@given(st.lists(any_row, max_size=30), st.randoms(use_true_random=False))
def test_every_case_is_counted_once_in_any_order(
    rows: list[Row], random: np.random.Generator
) -> None:
    ends = [
        sum(members) - 1
        for name in range(4)
        if len(members := [r[5] for r in rows if r[4] == name and r[6]]) >= 2
    ]
    expected = {
        "windows": chain(rows, lambda r: r[0], lambda r: r[1], 1),
        "ladder": chain(rows, lambda r: r[2], lambda r: r[3], -1),
        "variants": ends,
    }
    random.shuffle(rows)
    for rule, (cases, violated, mean) in named(violations(sheet_of(rows))[0]).items():
        over = [value for value in expected[rule] if value > 1e-9]
        assert (cases, violated) == (len(expected[rule]), len(over))
        assert mean == pytest.approx(sum(over) / len(over) if over else 0.0, abs=1e-12)


def test_a_tolerance_forgives_what_lies_within() -> None:
    rows = [row(0.6, windows=0, window=7), row(0.5, windows=0, window=14)]
    assert named(violations(sheet_of(rows), tolerance=0.2)[0])["windows"] == (1, 0, 0.0)


def test_published_answers_contradict_themselves_by_about_what_was_counted_elsewhere(
    testdata: Path,
) -> None:
    """By another count elsewhere: 1.5 % for Gemini, the least, to 13.8 % for Grok, the most."""
    sheet = read_pages(testdata / "official" / "demo").calibration
    found = {
        system: named(record)["windows"]
        for system, record in zip(sheet.systems, violations(sheet), strict=True)
    }
    share = {system: violated / cases for system, (cases, violated, _) in found.items()}
    assert min(share, key=lambda name: share[name]) == "Gemini-3.5-Flash"
    assert max(share, key=lambda name: share[name]) == "Grok-3-Mini"
    assert share["Gemini-3.5-Flash"] < 0.02
    assert 0.08 < share["Grok-3-Mini"] < 0.15
    assert all(cases > 2000 for cases, _, _ in found.values())
