"""Answers of many systems to one axis of an exam, as columns.

A row is one question of one edition (or one dated event), a matrix row is one system. Everything that grades works
on whole columns; nothing here knows a rule. A system sat an event and edition when it left any row there, be it
unusable; what it left out of what it sat is MISSING, and what it never sat is MISSING too but makes no cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas import Axis

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

ANSWERED, UNPARSED, REFUSED, ERROR, MISSING = range(5)
"""How an answer ended; the first four are `schemas.ForecastStatus` in its order."""
STATUS: tuple[str, ...] = ("answered", "unparsed", "refused", "error", "missing")
"""Names of the states, by code."""


@dataclass(frozen=True)
class Factor:
    """A column of labels: distinct names and a code for each row."""

    names: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, labels: Sequence[str]) -> Factor:
        """Codes in the order of the sorted names."""
        names, codes = np.unique(np.asarray(labels, dtype=object), return_inverse=True)
        return cls(tuple(str(name) for name in names), codes.astype(np.int64).reshape(-1))

    def __len__(self) -> int:
        return len(self.codes)

    def labels(self) -> list[str]:
        """The label of each row."""
        return [self.names[code] for code in self.codes.tolist()]

    def __getitem__(self, rows: Flags | Codes) -> Factor:
        """The same names over some rows; names without rows stay, so that codes stay comparable."""
        return Factor(self.names, self.codes[rows])


@dataclass(frozen=True)
class Sheet:
    """One axis: N rows, S systems."""

    axis: Axis
    systems: tuple[str, ...]
    """S names; one may stand for one run of a system."""
    refs: tuple[str, ...]
    """N stated ids; both editions of a question share one."""
    event: Factor
    edition: Factor
    """en or zh."""
    point: Factor
    """Points, unique over events."""
    cluster: Factor
    """What is resampled together: family or, where none is published, the outcome's own day; unique over events,
    the same in both editions."""
    truth: Floats
    """N: outcome 0 or 1; temporal: days from the cutoff to the true day."""
    distance: Floats
    """N: days of the paper's weight; negative ones count as 0 there. Temporal: the same as `truth`."""
    window: Floats
    """N: window in days; temporal: 0."""
    values: Floats
    """S x N: probability; temporal: days from the cutoff to the predicted day. nan unless answered."""
    status: NDArray[np.int8]
    """S x N: a code of STATUS."""
    keys: Mapping[str, Factor] = field(default_factory=dict)
    """Further labels of the rows: type, dimension, difficulty, window, bucket, truth."""
    texts: tuple[str, ...] = ()
    """N texts as shown, or empty."""
    cutoff: tuple[str, ...] = ()
    """N cutoffs YYYY-MM-DD, or empty."""
    families: Families | None = None
    """What is known of a question's siblings, for consistency; calibration only."""

    def __post_init__(self) -> None:
        rows = len(self.truth)
        columns = (self.event, self.edition, self.point, self.cluster, *self.keys.values())
        lengths = {len(column) for column in columns}
        lengths |= {len(self.refs), len(self.distance), len(self.window)}
        if lengths - {rows} or self.values.shape != (len(self.systems), rows):
            raise ValueError("columns of a sheet differ in length")
        if self.status.shape != self.values.shape:
            raise ValueError("status and values of a sheet differ in shape")

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def answered(self) -> Flags:
        """S x N: answers with a usable value."""
        return np.asarray(self.status == ANSWERED)

    @property
    def cell(self) -> Codes:
        """N: code of (event, edition), event-major; there are len(event.names) * len(edition.names)."""
        return np.asarray(self.event.codes * len(self.edition.names) + self.edition.codes)

    def cells(self) -> list[tuple[str, str]]:
        """(event, edition) of each cell code."""
        return [(event, edition) for event in self.event.names for edition in self.edition.names]

    def sat(self) -> Flags:
        """S x cells: whether a system left any row there."""
        left = self.status != MISSING
        size = len(self.event.names) * len(self.edition.names)
        return (
            np.stack([np.bincount(self.cell[row], minlength=size) > 0 for row in left])
            if len(self.systems)
            else np.zeros((0, size), dtype=bool)
        )

    def rows(self, keep: Flags | Codes) -> Sheet:
        """Some of the rows."""
        index = np.arange(len(self), dtype=np.int64)[keep]
        return replace(
            self,
            refs=_take(self.refs, index),
            event=self.event[index],
            edition=self.edition[index],
            point=self.point[index],
            cluster=self.cluster[index],
            truth=self.truth[index],
            distance=self.distance[index],
            window=self.window[index],
            values=self.values[:, index],
            status=self.status[:, index],
            keys={name: factor[index] for name, factor in self.keys.items()},
            texts=_take(self.texts, index),
            cutoff=_take(self.cutoff, index),
            families=self.families[index] if self.families else None,
        )

    def only(self, systems: Iterable[str]) -> Sheet:
        """Some of the systems, in the order given."""
        order = [self.systems.index(name) for name in systems]
        return replace(
            self,
            systems=tuple(self.systems[i] for i in order),
            values=self.values[order],
            status=self.status[order],
        )

    def beside(self, systems: Mapping[str, Floats]) -> Sheet:
        """The sheet with further systems whose values are given a row each; nan counts as missing."""
        if not systems:
            return self
        values = np.stack([np.asarray(row, dtype=float) for row in systems.values()])
        status = np.where(np.isnan(values), MISSING, ANSWERED).astype(np.int8)
        return replace(
            self,
            systems=(*self.systems, *systems),
            values=np.concatenate([self.values, values]),
            status=np.concatenate([self.status, status]),
        )

    def strict(self) -> Sheet:
        """Everything unanswered in what a system sat as the worst possible answer, marked as answered.

        A probability becomes 1 - outcome; a date becomes infinitely far from the true day.
        """
        sat = self.sat()[:, self.cell] if len(self) else self.answered
        worst = 1.0 - self.truth if self.axis == "calibration" else np.full(len(self), np.inf)
        fill = sat & ~self.answered
        return replace(
            self,
            values=np.where(fill, worst, self.values),
            status=np.where(fill, ANSWERED, self.status).astype(np.int8),
        )


@dataclass(frozen=True)
class Families:
    """How questions belong together inside a point; -1 where a question is in no such group."""

    windows: Codes
    """N: group of one claim at one point and edition, asked over several windows."""
    ladder: Codes
    """N: group of one outcome's levels at one point, edition and window."""
    level: Codes
    """N: level of detail inside the ladder, 1 general."""
    occasion: Codes
    """N: group of ends that exclude each other, at one point, edition and window."""

    def __getitem__(self, rows: Flags | Codes) -> Families:
        return Families(
            self.windows[rows], self.ladder[rows], self.level[rows], self.occasion[rows]
        )


def join(sheets: Sequence[Sheet]) -> Sheet:
    """Rows of several sheets of one axis below each other, over the union of their systems and keys.

    A system is MISSING in the rows of sheets that do not know it. ValueError without sheets or for mixed axes.
    """
    if len(sheets) == 1:
        return sheets[0]
    if len({sheet.axis for sheet in sheets}) != 1:
        raise ValueError("sheets of one axis are joined, and at least one")
    systems = tuple(dict.fromkeys(name for sheet in sheets for name in sheet.systems))
    total = sum(len(sheet) for sheet in sheets)
    values = np.full((len(systems), total), np.nan)
    status = np.full((len(systems), total), MISSING, dtype=np.int8)
    start = 0
    for sheet in sheets:
        at = [systems.index(name) for name in sheet.systems]
        values[at, start : start + len(sheet)] = sheet.values
        status[at, start : start + len(sheet)] = sheet.status
        start += len(sheet)

    def factors(columns: Iterable[Factor]) -> Factor:
        return Factor.of([label for column in columns for label in column.labels()])

    names = list(dict.fromkeys(name for sheet in sheets for name in sheet.keys))
    return Sheet(
        axis=sheets[0].axis,
        systems=systems,
        refs=tuple(ref for sheet in sheets for ref in sheet.refs),
        event=factors(sheet.event for sheet in sheets),
        edition=factors(sheet.edition for sheet in sheets),
        point=factors(sheet.point for sheet in sheets),
        cluster=factors(sheet.cluster for sheet in sheets),
        truth=np.concatenate([sheet.truth for sheet in sheets]),
        distance=np.concatenate([sheet.distance for sheet in sheets]),
        window=np.concatenate([sheet.window for sheet in sheets]),
        values=values,
        status=status,
        keys={
            name: factors(
                sheet.keys.get(name, Factor(("",), np.zeros(len(sheet), dtype=np.int64)))
                for sheet in sheets
            )
            for name in names
        },
        texts=_whole([sheet.texts for sheet in sheets], total),
        cutoff=_whole([sheet.cutoff for sheet in sheets], total),
        families=_families(sheets),
    )


def _whole(columns: Sequence[tuple[str, ...]], total: int) -> tuple[str, ...]:
    joined = tuple(value for column in columns for value in column)
    return joined if len(joined) == total else ()


def _families(sheets: Sequence[Sheet]) -> Families | None:
    """Group codes of each sheet moved apart; a sheet that knows no families is in no group."""
    if all(sheet.families is None for sheet in sheets):
        return None
    columns: dict[str, list[Codes]] = {"windows": [], "ladder": [], "level": [], "occasion": []}
    offset = dict.fromkeys(columns, 0)
    for sheet in sheets:
        for name, column in columns.items():
            known = sheet.families
            codes: Codes = (
                np.full(len(sheet), -1, dtype=np.int64) if known is None else getattr(known, name)
            )
            if name != "level":
                highest = int(codes.max(initial=-1)) + 1
                codes = np.where(codes < 0, -1, codes + offset[name])
                offset[name] += highest
            column.append(codes)
    return Families(**{name: np.concatenate(parts) for name, parts in columns.items()})


def _take(column: tuple[Any, ...], index: Codes) -> tuple[Any, ...]:
    return tuple(column[i] for i in index.tolist()) if column else column
