"""From answer sheets to a score card: the headline, and what has to stand beside it.

Answers are pooled over all points of one event and edition; a cell's editions are averaged, then events, then the
axes. Unanswered questions are never filled in: they leave the score and stay visible in the coverage. A system that
sat one axis has no overall score.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factory.errors import BadInput
from factory.score.consistency import violations
from factory.score.forecast import FORECAST, bank_metrics
from factory.score.formula import Formula, RuleSet
from factory.score.pooling import axis_scores, cell_scores, headline, pool
from factory.score.reliability import reliability
from factory.score.sheet import ANSWERED, STATUS, Floats, Sheet
from factory.score.stats import compare, effective, intervals
from factory.score.tables import tables
from schemas import (
    LANGS,
    AxisGrade,
    Comparison,
    GroupScore,
    Interval,
    Reliability,
    Score,
    ScoreCard,
    ScoreCell,
)
from schemas.score import SUBSET

SEED = 29
"""Of every interval and test of a card, so that equal answers give equal bytes."""


@dataclass(frozen=True)
class Wanted:
    """What a card holds beyond its cells."""

    intervals: bool = True
    grades: bool = True
    """Coverage, skill, proper scores and consistency per system and axis."""
    strict: bool = False
    compare: bool = False
    tables: bool = False
    by: tuple[str, ...] = ()
    """Keys of group scores."""


DEFAULT = Wanted()
"""Intervals and grades."""


def score_card(
    calibration: Sheet | None,
    temporal: Sheet | None,
    *,
    rules: RuleSet,
    text_free: Collection[str] = (),
    wanted: Wanted = DEFAULT,
    seed: int = SEED,
) -> ScoreCard:
    """Grade every system of the sheets under a rule set; `text_free` names those that read no text.

    Sheets may hold systems that sat nothing of them; those get no row. BadInput for an unknown key in `wanted.by`.
    """
    graded = [
        (sheet, formula)
        for sheet, formula in ((calibration, rules.calibration), (temporal, rules.temporal))
        if sheet is not None and formula is not None and len(sheet)
    ]
    if wanted.by:
        _check_keys(wanted.by, [sheet for sheet, _ in graded])
    cells: list[ScoreCell] = []
    axes: list[AxisGrade] = []
    comparisons: list[Comparison] = []
    groups: list[GroupScore] = []
    headlines: dict[str, dict[str, float]] = {}
    for sheet, formula in graded:
        sat = sheet.only(
            [name for name, row in zip(sheet.systems, sheet.sat(), strict=True) if row.any()]
        )
        axis = _Axis.of(sat, formula, wanted=wanted, seed=seed)
        cells += axis.cells()
        for name, value in zip(sat.systems, axis.headlines.tolist(), strict=True):
            headlines.setdefault(name, {})[sheet.axis] = value
        if wanted.grades:
            axes += axis.grades(text_free, rules)
        if wanted.compare:
            read = sat.only([name for name in sat.systems if name not in text_free])
            comparisons += compare(read, formula, seed=seed)
        if wanted.by:
            groups += _groups(sat, formula, wanted.by)
    cells.sort(key=lambda cell: (cell.system, cell.event, cell.edition, cell.axis))
    axes.sort(key=lambda grade: (grade.system, grade.axis))
    overall = {name: _overall(scores) for name, scores in headlines.items()}
    return ScoreCard(
        rules=rules.name,
        rules_version=rules.version,
        cells=tuple(cells),
        overall=dict(sorted(overall.items(), key=_best_first)),
        axes=tuple(axes),
        comparisons=tuple(comparisons),
        groups=tuple(groups),
        formulas={sheet.axis: _stated(formula) for sheet, formula in graded},
        tables=tables(*_read_only(calibration, temporal, text_free)) if wanted.tables else (),
        notes=tuple(_notes(axes)),
    )


def _best_first(row: tuple[str, Score]) -> tuple[bool, float, str]:
    name, value = row
    return (isinstance(value, str), 0.0 if isinstance(value, str) else -value, name)


def _overall(scores: dict[str, float]) -> Score:
    """Mean of both axes; not scored when one was not sat or is not scored."""
    if len(scores) < 2 or any(np.isnan(value) for value in scores.values()):
        return "not scored"
    return sum(scores.values()) / len(scores)


_NOISE = 9
"""Decimals of a score beyond which two sums of the same shares differ by their order alone: 49.99999999999999 is 50."""


def _score(value: float) -> Score:
    return "not scored" if np.isnan(value) else round(float(value), _NOISE)


@dataclass(frozen=True)
class _Axis:
    """One axis of the systems that sat it, pooled once for cells and grades."""

    sheet: Sheet
    formula: Formula
    scores: Floats
    headlines: Floats
    strict_scores: Floats | None
    cell_intervals: dict[tuple[int, int], Interval]
    intervals: tuple[Interval | None, ...]
    counts: dict[str, Floats]
    """Status -> S x cells."""

    @classmethod
    def of(cls, sheet: Sheet, formula: Formula, *, wanted: Wanted, seed: int) -> _Axis:
        scores = cell_scores(sheet, formula)
        size = len(sheet.cells())
        spread = intervals(sheet, formula, seed=seed) if wanted.intervals else None
        return cls(
            sheet=sheet,
            formula=formula,
            scores=scores,
            headlines=headline(sheet, scores),
            strict_scores=cell_scores(sheet.strict(), formula) if wanted.strict else None,
            cell_intervals=dict(spread.cells) if spread else {},
            intervals=spread.headline if spread else (None,) * len(sheet.systems),
            counts={
                name: np.stack(
                    [np.bincount(sheet.cell[row == code], minlength=size) for row in sheet.status]
                )
                if len(sheet.systems)
                else np.zeros((0, size))
                for code, name in enumerate(STATUS)
            },
        )

    def cells(self) -> Iterator[ScoreCell]:
        sat = self.sheet.sat()
        names = self.sheet.cells()
        for s, c in zip(*np.nonzero(sat), strict=True):
            event, edition = names[c]
            count = {name: int(table[s, c]) for name, table in self.counts.items()}
            yield ScoreCell(
                system=self.sheet.systems[s],
                event=event,
                edition=next(lang for lang in LANGS if lang == edition),
                axis=self.sheet.axis,
                score=_score(self.scores[s, c]),
                total=sum(count.values()),
                interval=self.cell_intervals.get((int(s), int(c))),
                strict=None if self.strict_scores is None else _score(self.strict_scores[s, c]),
                **count,
            )

    def grades(self, text_free: Collection[str], rules: RuleSet) -> Iterator[AxisGrade]:
        sheet = self.sheet
        sat = sheet.sat()
        strict = (
            None
            if self.strict_scores is None
            else headline(replace(sheet).strict(), self.strict_scores)
        )
        independent = effective(sheet, self.formula)
        calibration = sheet.axis == "calibration"
        broken = violations(sheet) if calibration else [()] * len(sheet.systems)
        metrics: Sequence[dict[str, float]] = (
            bank_metrics(sheet) if rules.name == FORECAST.name else [{}] * len(sheet.systems)
        )
        point = sheet.point.codes * len(sheet.edition.names) + sheet.edition.codes
        for s, system in enumerate(sheet.systems):
            answered = sheet.status[s] == ANSWERED
            free = system in text_free
            reference, skill = (None, None) if free else self._skill(s, text_free)
            count = {name: int(table[s].sum(where=sat[s])) for name, table in self.counts.items()}
            yield AxisGrade(
                system=system,
                axis=sheet.axis,
                score=_score(self.headlines[s]),
                interval=self.intervals[s],
                strict=None if strict is None else _score(strict[s]),
                total=sum(count.values()),
                points=len(np.unique(point[answered])),
                points_total=len(np.unique(point[sat[s][sheet.cell]])),
                text_free=free,
                skill=skill,
                reference=reference,
                clusters=independent[s][0],
                effective_n=independent[s][1],
                reliability=self._reliability(s) if calibration else None,
                violations=broken[s],
                metrics=metrics[s],
                **count,
            )

    def _skill(self, s: int, text_free: Collection[str]) -> tuple[str | None, float | None]:
        """The best text-free rule on what the system answered, and the system's skill against it."""
        system = self.sheet.systems[s]
        free = [name for name in self.sheet.systems if name in text_free]
        answered = self.sheet.status[s] == ANSWERED
        if not free or not answered.any():
            return None, None
        same = self.sheet.only([*free, system]).rows(answered)
        own, rest = (values := axis_scores(same, self.formula))[-1], values[:-1]
        if np.isnan(own) or np.isnan(rest).all():
            return None, None
        # Of equal rules the first by name, as a standing lists them.
        known = [i for i in range(len(free)) if not np.isnan(rest[i])]
        best = min(known, key=lambda i: (-round(float(rest[i]), _NOISE), free[i]))
        room = 100.0 - float(rest[best])
        return free[best], float(own - rest[best]) / room if room > 0 else None

    def _reliability(self, s: int) -> Reliability | None:
        answered = self.sheet.status[s] == ANSWERED
        return reliability(self.sheet.values[s, answered], self.sheet.truth[answered])


def _read_only(
    calibration: Sheet | None, temporal: Sheet | None, text_free: Collection[str]
) -> tuple[Sheet | None, Sheet | None]:
    """Sheets of the systems that read, which the tables of the paper are about."""

    def read(sheet: Sheet | None) -> Sheet | None:
        return sheet and sheet.only([name for name in sheet.systems if name not in text_free])

    return read(calibration), read(temporal)


BASE_KEYS = ("event", "edition", "point")


def _stated(formula: Formula) -> str:
    honest = "honest answers score best" if formula.proper else "not a proper score"
    return f"{formula.name} ({formula.source}); {honest}"


def _check_keys(by: Sequence[str], sheets: Sequence[Sheet]) -> None:
    known = list(dict.fromkeys([*BASE_KEYS, *(key for sheet in sheets for key in sheet.keys)]))
    for key in by:
        if key not in known:
            raise BadInput(f"--by {key!r} is no key of these questions; use {', '.join(known)}")
    if not any(all(key in BASE_KEYS or key in sheet.keys for key in by) for sheet in sheets):
        raise BadInput(f"no axis has all of {', '.join(by)}; group by fewer keys")


def _groups(sheet: Sheet, formula: Formula, by: Sequence[str]) -> Iterator[GroupScore]:
    """Scores pooled by the keys; an axis that lacks one of them has none."""
    own = {"event": sheet.event, "edition": sheet.edition, "point": sheet.point, **sheet.keys}
    if any(key not in own for key in by):
        return
    columns = np.stack([own[key].codes for key in by], axis=1)
    combinations, group = np.unique(columns, axis=0, return_inverse=True)
    pooled = pool(sheet, formula, group.reshape(-1).astype(np.int64), len(combinations))
    scores = pooled.score(formula)
    for s, system in enumerate(sheet.systems):
        for g, combination in enumerate(combinations.tolist()):
            if pooled.total[s, g]:
                yield GroupScore(
                    keys={
                        key: own[key].names[code] for key, code in zip(by, combination, strict=True)
                    },
                    system=system,
                    axis=sheet.axis,
                    score=_score(scores[s, g]),
                    answered=int(pooled.answered[s, g]),
                    total=int(pooled.total[s, g]),
                )


def _notes(grades: Sequence[AxisGrade]) -> Iterator[str]:
    """A note for each system that answered too little of an axis to stand beside the others."""
    parts: dict[str, list[AxisGrade]] = {}
    for grade in grades:
        if grade.total and grade.answered < SUBSET * grade.total:
            parts.setdefault(grade.system, []).append(grade)
    for system, short in parts.items():
        counts = " and ".join(
            f"{grade.answered} of {grade.total} questions of the {grade.axis} axis"
            for grade in short
        )
        points = min(grade.points for grade in short)
        if not any(grade.answered for grade in short):
            yield f"{system} answered {counts}: nothing of it is scored"
            continue
        yield (
            f"{system} answered {counts}, at {points} of {short[0].points_total} points: its score is of those alone "
            "and not comparable with systems that answered all"
        )
