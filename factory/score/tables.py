"""Tables of further analysis, as the paper prints them, for any sheets.

All of them use the rule set `paper`. Where the paper pools over all events of an edition and then takes the mean of
the editions, so do we; such a figure differs from the headline, which is a mean over events, and the paper then
prints headline + change ("re-anchored"). Here both parts stand as they are. A table that the sheets cannot fill is
left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from factory.score.formula import Formula
from factory.score.horizon import BUCKETS
from factory.score.pooling import cell_scores, headline, mean_where, pool
from factory.score.rules import ALTERNATIVES, PAPER
from factory.score.sheet import Codes, Factor, Flags, Floats, Sheet
from schemas.score import Table, TableRow

PAPER_POINTS = 25
"""Points an event of the published bank, some of them not released."""
SMALL_LABEL = 1.0
"""Several labels below this share of the rows, in percent, are shown together."""

_POOLED = "pooled over all events of an edition, then mean of the editions"
_SHARE = "share, %"
_NONE = "none stated"
_PARTIAL = "A system that sat a part of the bank stands here with that part alone."


def tables(calibration: Sheet | None, temporal: Sheet | None) -> tuple[Table, ...]:
    """Every table that the sheets can fill, under the rule set `paper`.

    Columns are the systems that sat the axis. BadInput where the paper's rule cannot be computed: a window of 0
    days, a date outside the horizon.
    """
    parts = [
        _Part.of(sheet, formula)
        for sheet, formula in ((calibration, PAPER.calibration), (temporal, PAPER.temporal))
        if sheet is not None and formula is not None
    ]
    kinds: tuple[Callable[[_Part], Table | None], ...] = (
        _composition,
        _formulas,
        _bias,
        _segments,
        _dimensions,
        _terciles,
        _leave_one_out,
    )
    sat = [part for part in parts if part.sheet.systems]
    made = [table for kind in kinds for part in sat if (table := kind(part)) is not None]
    gaps = _gaps(sat)
    return (*made, gaps) if gaps else tuple(made)


@dataclass(frozen=True)
class _Part:
    """One axis of the systems that sat it."""

    sheet: Sheet
    formula: Formula
    headline: Floats
    """S."""
    events: Floats
    """S x E: mean of the editions sat; nan where there is none or one has no answer."""

    @classmethod
    def of(cls, sheet: Sheet, formula: Formula) -> _Part:
        present = np.flatnonzero(sheet.sat().any(axis=1))
        sat = sheet.only([sheet.systems[s] for s in present.tolist()])
        cells = cell_scores(sat, formula)
        shape = (len(sat.systems), len(sat.event.names), len(sat.edition.names))
        events = mean_where(cells.reshape(shape), sat.sat().reshape(shape))
        return cls(sat, formula, headline(sat, cells), events)

    @property
    def calibration(self) -> bool:
        return self.sheet.axis == "calibration"

    def pooled(self, members: Flags, by: Factor, formula: Formula | None = None) -> Floats:
        """S x H x (1 + L): scores of H groups of the labels of `by` as mean of the editions, then each edition.

        `members` is H x labels. The mean is over the editions that the system sat and that hold such rows.
        """
        rule = formula or self.formula
        editions = len(self.sheet.edition.names)
        code = by.codes * editions + self.sheet.edition.codes
        # Group (h, l) takes the pools (label, l) of the labels in h.
        wide = np.kron(members, np.eye(editions, dtype=bool)).astype(bool)
        sums = pool(self.sheet, rule, code, len(by.names) * editions).merged(wide)
        shape = (len(self.sheet.systems), len(members), editions)
        scores, asked = sums.score(rule).reshape(shape), sums.total.reshape(shape) > 0
        return np.concatenate([mean_where(scores, asked)[..., None], scores], axis=2)

    def whole(self, formula: Formula | None = None) -> Floats:
        """S: everything pooled, mean of the editions."""
        one = Factor(("all",), np.zeros(len(self.sheet), dtype=np.int64))
        return self.pooled(np.ones((1, 1), dtype=bool), one, formula)[:, 0, 0]

    def table(
        self, name: str, title: str, source: str, rows: Iterable[TableRow], *, share: bool = True
    ) -> Table:
        return Table(
            name=f"{name}-{self.sheet.axis}",
            title=f"{title}, {self.sheet.axis}",
            source=source,
            columns=((_SHARE,) if share else ()) + self.sheet.systems,
            rows=tuple(rows),
            note=_PARTIAL,
        )


def _row(label: str, values: Floats, *share: float | None) -> TableRow:
    """A row of S values, a share before them where the table has that column."""
    known = [None if np.isnan(value) else float(value) for value in values]
    return TableRow(label=label, values=(*share, *known))


def _shares(by: Factor) -> Floats:
    """Share of the rows of each label, in percent."""
    return np.asarray(100.0 * np.bincount(by.codes, minlength=len(by.names)) / max(1, len(by)))


def _present(by: Factor) -> list[int]:
    return [int(code) for code in np.unique(by.codes)]


def _only(by: Factor, labels: Sequence[Sequence[int]]) -> Flags:
    """H x labels: group h holds the given codes."""
    members = np.zeros((len(labels), len(by.names)), dtype=bool)
    for h, codes in enumerate(labels):
        members[h, list(codes)] = True
    return members


def _bucket_of(sheet: Sheet) -> Factor:
    """Bucket of each date, by its day from the cutoff."""
    highs = np.array([high for _, high in BUCKETS])
    names = tuple(f"{low}-{high}" for low, high in BUCKETS)
    return Factor(names, np.searchsorted(highs, sheet.truth).astype(np.int64))


def _composition(part: _Part) -> Table | None:
    """One type of question, or one bucket of dates, left out at a time."""
    by = part.sheet.keys.get("type") if part.calibration else _bucket_of(part.sheet)
    if by is None or len(present := _present(by)) < 2:
        return None
    without = ~_only(by, [[code] for code in present])
    whole, scores, shares = part.whole(), part.pooled(without, by)[:, :, 0], _shares(by)

    def rows() -> Iterator[TableRow]:
        yield _row("headline (mean of events)", part.headline, None)
        yield _row("full bank, pooled", whole, 100.0)
        for h, code in enumerate(present):
            label = f"minus {by.names[code] or _NONE}"
            yield _row(label, scores[:, h], float(shares[code]))
            yield _row(f"{label}: change", scores[:, h] - whole, None)

    return part.table(
        "composition",
        "One part of the bank left out",
        f"SocietyBench, Table 4: {_POOLED}; change relative to the full bank pooled in the same way. The paper "
        "prints headline + change. The share is of the part left out.",
        rows(),
    )


def _formulas(part: _Part) -> Table | None:
    """The same answers under the other calibration formulas."""
    if not part.calibration:
        return None
    whole = part.whole()

    def rows() -> Iterator[TableRow]:
        yield _row("headline (mean of events)", part.headline)
        yield _row("the paper's, pooled", whole)
        for formula in ALTERNATIVES:
            score = part.whole(formula)
            yield _row(formula.name, score)
            yield _row(f"{formula.name}: change", score - whole)

    return part.table(
        "formulas",
        "Other scoring formulas",
        f"SocietyBench, Table 5: {_POOLED}; change relative to the paper's formula pooled in the same way. The paper "
        "prints headline + change.",
        rows(),
        share=False,
    )


def _bias(part: _Part) -> Table | None:
    """Questions whose answer is yes against those whose answer is no."""
    if not part.calibration:
        return None
    by = Factor(("false", "true"), (part.sheet.truth > 0.5).astype(np.int64))
    if len(_present(by)) < 2:
        return None
    false, true = np.moveaxis(part.pooled(_only(by, [[0], [1]]), by)[:, :, 0], 1, 0)
    shares = _shares(by)
    return part.table(
        "bias",
        "True and false questions",
        f"SocietyBench, Table 6: {_POOLED}; bias = false - true.",
        (
            _row("true", true, float(shares[1])),
            _row("false", false, float(shares[0])),
            _row("bias", false - true, None),
        ),
    )


def _alone(part: _Part, by: Factor, groups: Sequence[tuple[str, Sequence[int]]]) -> list[TableRow]:
    """Each group of labels by itself: mean of the editions, then each edition where several hold it.

    Labels may be in the language of their edition; such a group names the one edition that holds it.
    """
    scores = part.pooled(_only(by, [codes for _, codes in groups]), by)
    shares, editions = _shares(by), part.sheet.edition
    rows = []
    for h, (label, codes) in enumerate(groups):
        held = _present(editions[np.isin(by.codes, list(codes))])
        share = float(shares[list(codes)].sum())
        if len(held) == 1 < len(editions.names):
            label = f"{label} ({editions.names[held[0]]})"
        rows.append(_row(label, scores[:, h, 0], share))
        if len(held) > 1:
            rows += [
                _row(f"{label} ({editions.names[at]})", scores[:, h, 1 + at], None) for at in held
            ]
    return rows


def _segments(part: _Part) -> Table | None:
    """Dates of one bucket alone."""
    if part.calibration:
        return None
    by = _bucket_of(part.sheet)
    groups = [(f"{by.names[code]} days", [code]) for code in _present(by)]
    whole = ("full window", _present(by))
    return part.table(
        "segments",
        "Window segments",
        f"Project page of SocietyBench: {_POOLED}; the published figures are of the zh edition alone.",
        _alone(part, by, [*groups, whole]),
    )


def _dimensions(part: _Part) -> Table | None:
    """Questions of one dimension alone; rare labels together."""
    by = part.sheet.keys.get("dimension")
    if by is None or not part.calibration or len(present := _present(by)) < 2:
        return None
    shares = _shares(by)
    present.sort(key=lambda code: (-shares[code], by.names[code]))
    small = [code for code in present if shares[code] < SMALL_LABEL]
    if len(small) < 2:
        small = []
    groups = [(by.names[code] or _NONE, [code]) for code in present if code not in small]
    if small:
        groups.append((f"{len(small)} rare labels", small))
    return part.table(
        "dimensions",
        "Question dimension",
        f"Project page of SocietyBench: {_POOLED}; the published figures are of the zh edition alone. Several "
        f"labels with less than {SMALL_LABEL:g} % of the questions are shown together.",
        _alone(part, by, groups),
    )


def _terciles(part: _Part) -> Table | None:
    """Early, middle and late points of each event."""
    found = terciles(part.sheet)
    if found is None:
        return None
    by, convention = found
    present = _present(by)
    scores = part.pooled(_only(by, [[code] for code in range(3)]), by)[:, :, 0]
    shares = _shares(by)
    rows = [_row(by.names[code], scores[:, code], float(shares[code])) for code in present]
    if len(present) == 3:
        rows.append(_row("late minus early", scores[:, 2] - scores[:, 0], None))
    return part.table(
        "terciles",
        "Terciles of the cutoff",
        f"SocietyBench, Table 7: {_POOLED}; {convention}.",
        rows,
    )


def terciles(sheet: Sheet) -> tuple[Factor, str] | None:
    """Third of its event's points that each row belongs to, and how that was decided.

    Points named P1 to P25 are split by that number into 8, 8 and 9, as published: some of the 25 are not released,
    so thirds of what is there would be others. Other points are ranked by cutoff within their event, and n of them
    are cut after n // 3 and 2n // 3. None without cutoffs, or when an event has fewer than three points.
    """
    used = _present(sheet.point)
    found = [re.search(r"(?:^|/)P(\d{1,3})$", sheet.point.names[code]) for code in used]
    numbers = np.array([int(match[1]) if match else 0 for match in found])
    third = np.zeros(len(sheet.point.names), dtype=np.int64)
    if used and numbers.min() >= 1 and numbers.max() <= PAPER_POINTS:
        convention = "points by number, 1-8, 9-16 and 17-25, as published"
        third[used] = _thirds(numbers - 1, PAPER_POINTS)
    elif sheet.cutoff:
        convention = "points of each event ranked by cutoff, cut after n // 3 and 2n // 3"
        first = np.unique(sheet.point.codes, return_index=True)[1]
        order = sorted(
            (int(sheet.event.codes[i]), sheet.cutoff[i], code)
            for code, i in zip(used, first.tolist(), strict=True)
        )
        for event in _present(sheet.event):
            points = [code for of, _, code in order if of == event]
            if len(points) < 3:
                return None
            third[points] = _thirds(np.arange(len(points)), len(points))
    else:
        return None
    return Factor(("early", "middle", "late"), third[sheet.point.codes]), convention


def _thirds(rank: Codes, count: int) -> Codes:
    cuts = np.array([count // 3, 2 * count // 3])
    return np.searchsorted(cuts, rank, side="right").astype(np.int64)


def _leave_one_out(part: _Part) -> Table | None:
    """The headline without each event."""
    sheet = part.sheet
    present = _present(sheet.event)
    if len(present) < 2:
        return None
    sat = sheet.sat().reshape(*part.events.shape, -1).any(axis=2)

    def rows() -> Iterator[TableRow]:
        yield _row("all events", part.headline)
        for code in present:
            keep = sat & (np.arange(len(sheet.event.names)) != code)
            score = mean_where(part.events, keep)
            label = f"without {sheet.event.names[code]}"
            yield _row(label, score)
            yield _row(f"{label}: change", score - part.headline)

    return part.table(
        "leave-one-out",
        "Headline without one event",
        "Mean over the other events of the mean of editions; change relative to the headline over all events.",
        rows(),
        share=False,
    )


def _gaps(parts: Sequence[_Part]) -> Table | None:
    """Best and worst system of each event and axis, beside the length of the event's arc."""
    arcs = _arcs(part.sheet for part in parts)
    rows = []
    for part in parts:
        for code in _present(part.sheet.event):
            scores = part.events[:, code]
            if np.count_nonzero(~np.isnan(scores)) < 2:
                continue
            best, worst = int(np.nanargmax(scores)), int(np.nanargmin(scores))
            event, systems = part.sheet.event.names[code], part.sheet.systems
            high, low = float(scores[best]), float(scores[worst])
            rows.append(
                TableRow(
                    label=f"{event}, {part.sheet.axis}: {systems[best]} over {systems[worst]}",
                    values=(arcs.get(event), high, low, high - low),
                )
            )
    if not rows:
        return None
    return Table(
        name="gaps",
        title="Best and worst system of each event",
        source="SocietyBench, gaps within events: mean of the editions sat. The arc is counted from the first to "
        "the last cutoff, which gives the published arc days.",
        columns=("arc, days", "best", "worst", "gap"),
        rows=tuple(rows),
        note="Systems that sat a part of an event stand here with that part.",
    )


def _arcs(sheets: Iterable[Sheet]) -> dict[str, float]:
    """Days from the first to the last cutoff of each event, over all sheets that state cutoffs."""
    days: dict[str, set[str]] = {}
    for sheet in sheets:
        for event, cutoff in set(zip(sheet.event.labels(), sheet.cutoff, strict=False)):
            days.setdefault(event, set()).add(cutoff)
    return {
        event: float((date.fromisoformat(max(known)) - date.fromisoformat(min(known))).days)
        for event, known in days.items()
    }
