"""Sheets built by hand and at random, for tests of what grades them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from factory.score.sheet import ANSWERED, MISSING, Factor, Sheet
from schemas import Axis


class Row(NamedTuple):
    """A question or date with the answers of all systems; None is missing."""

    event: str
    edition: str
    point: str
    truth: float
    distance: float
    window: float
    answers: Sequence[float | None]


def sheet(
    axis: Axis,
    rows: Sequence[Row],
    *,
    systems: Sequence[str] = (),
    keys: Mapping[str, Sequence[str]] | None = None,
    cutoff: Sequence[str] = (),
) -> Sheet:
    """A sheet of the rows; systems are called s0, s1... where not named."""
    count = len(rows[0].answers) if rows else len(systems)
    values = np.array(
        [[np.nan if a is None else a for a in row.answers] for row in rows], dtype=float
    ).reshape(len(rows), count)
    return Sheet(
        axis=axis,
        systems=tuple(systems) or tuple(f"s{i}" for i in range(count)),
        refs=tuple(f"r{i}" for i in range(len(rows))),
        event=Factor.of([row.event for row in rows]),
        edition=Factor.of([row.edition for row in rows]),
        point=Factor.of([f"{row.event}/{row.point}" for row in rows]),
        cluster=Factor.of([f"{row.event}/{row.point}" for row in rows]),
        truth=np.array([row.truth for row in rows], dtype=float),
        distance=np.array([row.distance for row in rows], dtype=float),
        window=np.array([row.window for row in rows], dtype=float),
        values=values.T.copy(),
        status=np.where(np.isnan(values.T), MISSING, ANSWERED).astype(np.int8),
        keys={name: Factor.of(labels) for name, labels in (keys or {}).items()},
        cutoff=tuple(cutoff),
    )


def question_rows(systems: int = 2, missing: bool = True) -> st.SearchStrategy[list[Row]]:
    """Rows of a calibration sheet over three events and both editions."""
    answer: st.SearchStrategy[float | None] = st.floats(0, 1, allow_subnormal=False)
    return st.lists(
        st.builds(
            Row,
            event=st.sampled_from(["a", "b", "c"]),
            edition=st.sampled_from(["en", "zh"]),
            point=st.sampled_from(["t1", "t2"]),
            truth=st.sampled_from([0.0, 1.0]),
            distance=st.integers(-20, 600).map(float),
            window=st.integers(1, 90).map(float),
            answers=st.tuples(*[st.none() | answer if missing else answer] * systems),
        ),
        min_size=1,
        max_size=40,
    )


def date_rows(systems: int = 2) -> st.SearchStrategy[list[Row]]:
    """Rows of a temporal sheet over three events and both editions."""

    def row(event: str, edition: str, day: int, answers: tuple[float | None, ...]) -> Row:
        return Row(event, edition, "t1", float(day), float(day), 0.0, answers)

    return st.lists(
        st.builds(
            row,
            st.sampled_from(["a", "b", "c"]),
            st.sampled_from(["en", "zh"]),
            st.integers(0, 90),
            st.tuples(*[st.none() | st.integers(-30, 400).map(float)] * systems),
        ),
        min_size=1,
        max_size=40,
    )
