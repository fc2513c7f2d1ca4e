"""Pooling of losses into groups, and the means that make a headline of them.

A pooled score is `scale(sum w * loss / sum w)` over the answered rows of a group. A cell is the pool of an event and
edition, an axis the mean over events of the mean of the editions that a system sat. Nothing is filled in: a group
without an answer is nan, and so is every mean over a part that should have been answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from factory.score.formula import Formula
from factory.score.sheet import Codes, Flags, Floats, Sheet

_Number = TypeVar("_Number", np.float64, np.int64)


@dataclass(frozen=True)
class Pooled:
    """Weighted sums of S systems over G groups; sums of groups are sums of their members'."""

    loss: Floats
    """S x G: sum of w * loss over answered rows."""
    weight: Floats
    """S x G: sum of w over the same rows."""
    answered: Codes
    """S x G: answered rows."""
    total: Codes
    """S x G: rows of the events and editions that the system sat."""

    def score(self, formula: Formula) -> Floats:
        """S x G; nan where nothing was answered.

        Halves stay exact: when every loss is 1/2 both sums round alike in each step, because halving a binary
        number is exact, and their quotient is 1/2 to the last bit.
        """
        mean = np.full(self.loss.shape, np.nan)
        np.divide(self.loss, self.weight, out=mean, where=self.answered > 0)
        return formula.scale(mean)

    def merged(self, members: Flags) -> Pooled:
        """H groups made of the G: `members` is H x G and says which belong to which; groups may overlap."""
        return Pooled(
            loss=_gather(self.loss, members),
            weight=_gather(self.weight, members),
            answered=_gather(self.answered, members),
            total=_gather(self.total, members),
        )


def _gather(sums: NDArray[_Number], members: Flags) -> NDArray[_Number]:
    """S x H sums of S x G columns, chosen before they are summed: a product with 0 would make inf a nan."""
    gathered = np.empty((len(sums), len(members)), dtype=sums.dtype)
    for h, chosen in enumerate(members):
        gathered[:, h] = sums[:, chosen].sum(axis=1)
    return gathered


def pool(sheet: Sheet, formula: Formula, group: Codes, size: int) -> Pooled:
    """Pool the N rows by `group`, codes 0..size-1; shapes S x size.

    ValueError for a group column of another length or with other codes.
    """
    if group.shape != (len(sheet),) or (
        len(group) and not 0 <= int(group.min()) <= int(group.max()) < size
    ):
        raise ValueError(f"groups are {len(sheet)} codes from 0 to {size - 1}")
    shape = (len(sheet.systems), size)
    pooled = Pooled(
        loss=np.zeros(shape),
        weight=np.zeros(shape),
        answered=np.zeros(shape, dtype=np.int64),
        total=np.zeros(shape, dtype=np.int64),
    )
    if not len(sheet):
        return pooled
    loss, weight, answered = formula.loss(sheet), formula.weight(sheet), sheet.answered
    for s in range(len(sheet.systems)):
        used = np.flatnonzero(answered[s])
        at, w = group[used], weight[used]
        pooled.loss[s] = np.bincount(at, w * loss[s, used], size)
        pooled.weight[s] = np.bincount(at, w, size)
        pooled.answered[s] = np.bincount(at, minlength=size)
    sat, cells = sheet.sat(), len(sheet.cells())
    rows = np.bincount(sheet.cell * size + group, minlength=cells * size).reshape(cells, size)
    pooled.total[:] = sat.astype(np.int64) @ rows
    return pooled


def cell_scores(sheet: Sheet, formula: Formula) -> Floats:
    """S x C scores of the cells of `sheet.cells()`; nan where a system did not sit or answered nothing."""
    return pool(sheet, formula, sheet.cell, len(sheet.cells())).score(formula)


def headline(sheet: Sheet, cells: Floats) -> Floats:
    """S: mean over events of the mean of the editions sat.

    `cells` is S x C. nan as soon as a cell that was sat is nan, since a mean over the others would compare unlike
    things, and nan for a system that sat nothing.
    """
    shape = (len(sheet.systems), len(sheet.event.names), len(sheet.edition.names))
    sat = sheet.sat().reshape(shape)
    events = np.asarray(sat.any(axis=2))
    return mean_where(mean_where(cells.reshape(shape), sat), events)


def axis_scores(sheet: Sheet, formula: Formula) -> Floats:
    """S headlines: `headline` of `cell_scores`."""
    return headline(sheet, cell_scores(sheet, formula))


def mean_where(values: Floats, keep: Flags) -> Floats:
    """Mean over the last axis of the values kept, nan among them included; nan where none is."""
    count = keep.sum(axis=-1)
    total = np.where(keep, values, 0.0).sum(axis=-1)
    mean = np.full(count.shape, np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return mean
