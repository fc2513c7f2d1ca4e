"""How far a score can be trusted: intervals, paired tests and effective numbers, for every formula.

Questions about one occasion share their fate, so nothing here treats rows as independent: what is resampled or
flipped is always a whole cluster, with all its points and both editions. On resolved market questions an interval
that resamples rows is a third too narrow; families of questions about one outcome are tied closer still.

A replicate of the bootstrap is a vector of counts, how often each cluster was drawn, and its sums are the counts
times the clusters' sums: no loop over replicates or rows. Same seed, same result; what an event draws depends on
its own clusters only, not on the systems or events beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from factory.errors import BadInput
from factory.score.formula import Formula
from factory.score.pooling import mean_where, pool
from factory.score.sheet import Codes, Flags, Floats, Sheet
from schemas import Comparison, Interval

REPLICATES = 2000
"""Draws of the bootstrap and of the permutation test; the smallest possible p is 1 / (1 + REPLICATES)."""
LEVEL = 0.95
"""Nominal coverage of intervals."""
LEAST_CLUSTERS = 2
"""With one cluster there is nothing to resample: an interval of width zero would claim certainty."""
DRAWN_AT_ONCE = 2**21
"""Counts held in memory at once."""
PAIRED_AT_ONCE = 2**22
"""Sums of pairs held in memory at once."""
ROUNDING = 1e-12
"""Part of the sum of absolute differences by which two equal test statistics may differ."""


@dataclass(frozen=True)
class Intervals:
    """Percentile intervals of one axis under one formula."""

    headline: tuple[Interval | None, ...]
    """S: of the mean over events of the mean of the editions sat."""
    cells: dict[tuple[int, int], Interval]
    """(system index, cell code) -> interval; cells without one are left out."""


@dataclass(frozen=True)
class _Clusters:
    """C clusters over V events and E editions."""

    codes: Codes
    """N: cluster of each row, 0..C-1."""
    event: Codes
    """C: event of each cluster."""
    key: Codes
    """N: code of (cluster, edition), cluster-major."""
    shape: tuple[int, int]
    """C x E."""
    events: tuple[str, ...]
    """V names."""

    @classmethod
    def of(cls, sheet: Sheet) -> _Clusters:
        used, codes = np.unique(sheet.cluster.codes, return_inverse=True)
        event = np.zeros(len(used), dtype=np.int64)
        event[codes] = sheet.event.codes
        if bool(np.any(event[codes] != sheet.event.codes)):
            raise ValueError("a cluster belongs to one event; its name says which")
        editions = len(sheet.edition.names)
        key = codes * editions + sheet.edition.codes
        return cls(codes, event, key, (len(used), editions), sheet.event.names)

    def by_cell(self, sums: Floats | Codes) -> Floats:
        """M x C x E -> M x V x E sums over the clusters of each event."""
        total = np.zeros((len(sums), len(self.events), self.shape[1]))
        for v in range(len(self.events)):
            total[:, v] = sums[:, self.event == v].sum(axis=1)
        return total


def intervals(
    sheet: Sheet,
    formula: Formula,
    *,
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
) -> Intervals:
    """Cluster-bootstrap percentile intervals of every cell and headline (Efron and Tibshirani 1993, 13.3; 8.5).

    Each event draws its clusters with replacement; a replicate of a cell is scale(sum w * loss / sum w) over what
    was drawn and answered, a replicate of a headline the same mean of means as the headline. Replicates in which a
    cell has no answer are left out. A cell whose answers lie in fewer than two clusters has no interval, and
    neither has a headline over such a cell, since its spread cannot be known.

    BadInput for fewer than one replicate or a level outside 0 to 1.
    """
    _check(replicates, level)
    if not len(sheet):
        return Intervals((None,) * len(sheet.systems), {})
    clusters = _Clusters.of(sheet)
    pooled = pool(sheet, formula, clusters.key, clusters.shape[0] * clusters.shape[1])
    size = (len(sheet.systems), *clusters.shape)
    loss, weight = pooled.loss.reshape(size), pooled.weight.reshape(size)
    sat = sheet.sat().reshape(len(sheet.systems), len(clusters.events), clusters.shape[1])
    known = sat & _resampled(clusters, pooled.answered.reshape(size) > 0, loss)
    cells: dict[tuple[int, int], Interval] = {}
    means = np.full((replicates, len(sheet.systems), len(clusters.events)), np.nan)
    for v, drawn in _bootstrap(clusters, loss[None], weight, formula, seed, replicates):
        for s, e in np.argwhere(known[:, v]).tolist():
            if (found := _percentiles(drawn[:, 0, s, e], level)) is not None:
                cells[s, v * clusters.shape[1] + e] = found
        means[:, :, v] = _mean(drawn[:, 0], np.asarray(sat[:, v]))
    heads = _mean(means, np.asarray(sat.any(axis=2)))
    whole = sat.any(axis=(1, 2)) & (known == sat).all(axis=(1, 2))
    return Intervals(
        tuple(
            _percentiles(heads[:, s], level) if whole[s] else None
            for s in range(len(sheet.systems))
        ),
        dict(sorted(cells.items())),
    )


def compare(
    sheet: Sheet, formula: Formula, *, seed: int, replicates: int = REPLICATES
) -> tuple[Comparison, ...]:
    """All pairs of systems, each on the rows that both answered, in the order of the systems.

    difference: headline of the first less headline of the second on those rows, with its cluster-bootstrap
    interval. p: two-sided sign-flip test over clusters, (1 + draws at least as far from 0) / (1 + draws)
    (Phipson and Smyth 2010); its statistic is the same difference on the scale of losses, a sum of one term a
    cluster, whose signs are exchangeable when the systems are equally good. q: Benjamini-Hochberg over all pairs.

    A pair without a common row is left out, and so is one whose difference can have no interval: fewer than two
    common clusters in a cell, or a loss without bound.
    """
    _check(replicates, LEVEL)
    if not len(sheet):
        return ()
    clusters = _Clusters.of(sheet)
    answered, weight = sheet.answered, formula.weight(sheet)
    lost = np.where(answered, formula.loss(sheet) * weight, 0.0)
    pairs = [
        (a, b)
        for a, b in combinations(range(len(sheet.systems)), 2)
        if bool(np.any(answered[a] & answered[b]))
    ]
    size = clusters.shape[0] * clusters.shape[1]
    step = max(1, PAIRED_AT_ONCE // max(size, replicates * clusters.shape[1]))
    found: list[tuple[int, int, float, Interval, float, int, int]] = []
    for start in range(0, len(pairs), step):
        block = pairs[start : start + step]
        loss = np.zeros((2, len(block), size))
        weights = np.zeros((len(block), size))
        questions = []
        for m, (a, b) in enumerate(block):
            common = np.flatnonzero(answered[a] & answered[b])
            key = clusters.key[common]
            loss[0, m] = np.bincount(key, lost[a, common], size)
            loss[1, m] = np.bincount(key, lost[b, common], size)
            weights[m] = np.bincount(key, weight[common], size)
            questions.append(len(common))
        shaped = loss.reshape(2, len(block), *clusters.shape)
        for m, difference, interval, p, shared in _paired(
            clusters, shaped, weights.reshape(shaped.shape[1:]), formula, seed, replicates
        ):
            found.append((*block[m], difference, interval, p, questions[m], shared))
    q = benjamini_hochberg([row[4] for row in found])
    return tuple(
        Comparison(
            axis=sheet.axis,
            a=sheet.systems[a],
            b=sheet.systems[b],
            difference=difference,
            interval=interval,
            p=p,
            q=adjusted,
            questions=common,
            clusters=shared,
        )
        for (a, b, difference, interval, p, common, shared), adjusted in zip(found, q, strict=True)
    )


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given: the smallest false discovery rate at which each is rejected.

    The step-up procedure of Benjamini and Hochberg (1995): min over larger p of p * n / rank, at most 1.
    """
    values = np.asarray(p, dtype=float)
    if not bool(np.all((values >= 0.0) & (values <= 1.0))):
        raise BadInput("a p value lies outside 0 to 1 and cannot be adjusted")
    order = np.argsort(values, kind="stable")[::-1]
    rank = np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(values[order] * len(values) / rank))
    return [float(value) for value in adjusted]


def effective(sheet: Sheet, formula: Formula) -> list[tuple[int, float]]:
    """Per system the clusters with an answer and (sum q)^2 / sum q^2 of their weights q (Kish 1965).

    q is what a cluster weighs in the headline: its part of each cell, over editions and events. As many clusters
    of equal weight would tell as much; (0, 0.0) without an answer.
    """
    if not len(sheet):
        return [(0, 0.0) for _ in sheet.systems]
    clusters = _Clusters.of(sheet)
    pooled = pool(sheet, formula, clusters.key, clusters.shape[0] * clusters.shape[1])
    size = (len(sheet.systems), *clusters.shape)
    weight, touched = pooled.weight.reshape(size), pooled.answered.reshape(size) > 0
    q = (weight * _headline_factor(clusters, weight)).sum(axis=2)
    return [
        (count, float(row.sum() ** 2 / (row**2).sum()) if count else 0.0)
        for count, row in zip(touched.any(axis=2).sum(axis=1).tolist(), q, strict=True)
    ]


def _check(replicates: int, level: float) -> None:
    if replicates < 1:
        raise BadInput(f"{replicates} replicates make no interval; ask for at least 1")
    if not 0.0 < level < 1.0:
        raise BadInput(f"an interval cannot cover {level}; take a level between 0 and 1")


def _resampled(clusters: _Clusters, touched: Flags, loss: Floats) -> Flags:
    """M x V x E: whether a cell can be resampled; `touched` and `loss` are M x C x E."""
    enough = clusters.by_cell(touched.astype(np.int64)) >= LEAST_CLUSTERS
    return np.asarray(enough & np.isfinite(clusters.by_cell(loss)))


def _headline_factor(clusters: _Clusters, weight: Floats) -> Floats:
    """M x C x E: what a unit of weight counts in the headline over the cells with answers; 0 in others."""
    cells = clusters.by_cell(weight)
    used = cells > 0
    editions = used.sum(axis=2, keepdims=True)
    events = (editions > 0).sum(axis=1, keepdims=True)
    factor = np.zeros(cells.shape)
    np.divide(1.0, cells * editions * events, out=factor, where=used)
    return np.asarray(factor[:, clusters.event])


def _bootstrap(
    clusters: _Clusters,
    loss: Floats,
    weight: Floats,
    formula: Formula,
    seed: int,
    replicates: int,
) -> Iterator[tuple[int, Floats]]:
    """(event, R x B x M x E scores of its cells); `loss` is B x M x C x E over the `weight` M x C x E.

    nan where nothing was drawn. Sums without bound count as 0 here: callers know their cells by `_resampled`.
    """
    sides, columns, _, editions = loss.shape
    for v, name in enumerate(clusters.events):
        at = np.flatnonzero(clusters.event == v)
        if not len(at):
            continue
        part = np.moveaxis(loss[:, :, at], 2, 0).reshape(len(at), -1)
        part = np.where(np.isfinite(part), part, 0.0)
        base = np.moveaxis(weight[:, at], 1, 0).reshape(len(at), -1)
        lost = np.empty((replicates, part.shape[1]))
        weighed = np.empty((replicates, base.shape[1]))
        start = 0
        for counts in _draws(_generator(seed, f"event {name}"), len(at), replicates):
            lost[start : start + len(counts)] = counts @ part
            weighed[start : start + len(counts)] = counts @ base
            start += len(counts)
        total = lost.reshape(replicates, sides, columns, editions)
        shared = np.broadcast_to(weighed.reshape(replicates, 1, columns, editions), total.shape)
        mean = np.full(total.shape, np.nan)
        np.divide(total, shared, out=mean, where=shared > 0)
        yield v, formula.scale(mean)


def _draws(rng: np.random.Generator, size: int, replicates: int) -> Iterator[Floats]:
    """Chunks of rows, each how often `size` draws with replacement hit each of `size` clusters.

    Drawn one by one and counted: the same distribution as a multinomial, and several times faster.
    """
    step = max(1, DRAWN_AT_ONCE // size)
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        hit = rng.integers(size, size=(rows, size)) + np.arange(rows)[:, None] * size
        yield np.bincount(hit.ravel(), minlength=rows * size).reshape(rows, size).astype(np.float64)


def _paired(
    clusters: _Clusters,
    loss: Floats,
    weight: Floats,
    formula: Formula,
    seed: int,
    replicates: int,
) -> Iterator[tuple[int, float, Interval, float, int]]:
    """(index, difference, interval, p, clusters) of M pairs, without those that can have no interval.

    `loss` is 2 x M x C x E over the common `weight` M x C x E.
    """
    touched = weight > 0
    cells = clusters.by_cell(weight)
    sat = cells > 0
    known = [_resampled(clusters, touched, side) for side in loss]
    whole = ((known[0] & known[1]) == sat).all(axis=(1, 2))
    score = np.full((2, *cells.shape), np.nan)
    for side, sums in zip(score, loss, strict=True):
        np.divide(clusters.by_cell(sums), cells, out=side, where=sat)
    score = formula.scale(score)
    events = np.asarray(sat.any(axis=2))
    with np.errstate(invalid="ignore"):
        difference = _mean(_mean(score[0] - score[1], sat), events)
    drawn = np.full((replicates, *events.shape), np.nan)
    for v, scores in _bootstrap(clusters, loss, weight, formula, seed, replicates):
        drawn[:, :, v] = _mean(scores[:, 0] - scores[:, 1], np.asarray(sat[:, v]))
    heads = _mean(drawn, events)
    finite = np.where(whole[:, None, None], loss, 0.0)
    terms = ((finite[0] - finite[1]) * _headline_factor(clusters, weight)).sum(axis=2)
    p = _sign_flips(terms, seed, replicates)
    shared = touched.any(axis=2).sum(axis=1)
    for m in np.flatnonzero(whole).tolist():
        if (found := _percentiles(heads[:, m], LEVEL)) is not None:
            yield m, float(difference[m]), found, float(p[m]), int(shared[m])


def _sign_flips(terms: Floats, seed: int, replicates: int) -> Floats:
    """M two-sided p values of the sums of M x C terms against sums with random signs."""
    rng = _generator(seed, "signs")
    bound = np.abs(terms.sum(axis=1)) - ROUNDING * np.abs(terms).sum(axis=1)
    further = np.zeros(len(terms), dtype=np.int64)
    step = max(1, DRAWN_AT_ONCE // max(terms.shape))
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        signs = 2.0 * rng.integers(2, size=(rows, terms.shape[1])) - 1.0
        further += (np.abs(signs @ terms.T) >= bound).sum(axis=0)
    return np.asarray((1.0 + further) / (1.0 + replicates))


def _mean(values: Floats, keep: Flags) -> Floats:
    """`mean_where` of every replicate; `keep` has no axis for those."""
    return mean_where(values, np.broadcast_to(keep, values.shape))


def _percentiles(replicates: Floats, level: float) -> Interval | None:
    """The middle `level` of the replicates that exist; none without any."""
    known = replicates[np.isfinite(replicates)]
    if not len(known):
        return None
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(low=float(low), high=float(high), level=level)


def _generator(seed: int, label: str) -> np.random.Generator:
    """A stream of its own for each label; the seed may be negative."""
    return np.random.default_rng([seed % 2**64, *label.encode()])
