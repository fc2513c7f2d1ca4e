"""One of our own banks as sheets: its questions and dated events as rows, its forecasts as matrix rows.

Every edition of the bank is there whether somebody sat it or not, and nothing is filled in: what a system left
out stays MISSING. Distances follow our convention, dt = window_end - cutoff, never the day of the outcome.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from factory.errors import BadInput
from factory.score.horizon import HORIZON, bucket
from factory.score.sheet import MISSING, STATUS, Codes, Factor, Families, Sheet
from schemas import (
    LANGS,
    Axis,
    Claim,
    Forecast,
    Lang,
    PredictionPoint,
    Question,
    TemporalEvent,
)


def bank_sheets(
    *,
    event: str,
    points: Iterable[PredictionPoint],
    questions: Iterable[Question],
    events: Iterable[TemporalEvent],
    claims: Sequence[Claim] = (),
    forecasts: Iterable[Forecast],
) -> tuple[Sheet | None, Sheet | None]:
    """(calibration, temporal) of one bank; None for an axis on which it asks nothing.

    A sheet lists the systems with a forecast on its axis, sorted, and may list none: what every rule needs to sit
    the exam is there without any forecast. Runs of one system are systems of their own, named "system (run)", when
    it has several on either axis. Dated events outside 0..90 days from their cutoff are no part of the axis: they
    and answers to them are left out (composing a bank never takes them, so this concerns banks of other makers).

    `claims` tells which questions are levels or ends of one occasion; without them only windows are known.

    BadInput: a question without its point or text, an id twice, a forecast of something that the bank does not ask
    in that edition, the same answered twice, two systems under one name.
    """
    asked, dated = list(questions), list(events)
    cutoffs = _cutoffs(event, points, asked, dated)
    axis_rows: dict[Axis, list[Row]] = {
        "calibration": [(q.question_id, lang) for lang in LANGS for q in asked if lang in q.text],
        "temporal": [
            (e.event_id, lang)
            for lang in LANGS
            for e in dated
            if lang in e.text and 0 <= _days(e.date, cutoffs[e.point_id]) <= HORIZON
        ],
    }
    beyond = {e.event_id for e in dated if not 0 <= _days(e.date, cutoffs[e.point_id]) <= HORIZON}
    sittings = _sittings(event, forecasts, axis_rows, beyond)
    names = _names([key for axis in sittings.values() for key in axis])
    calibration = _Columns.of(event, axis_rows["calibration"], sittings["calibration"], names)
    temporal = _Columns.of(event, axis_rows["temporal"], sittings["temporal"], names)
    return (
        _calibration(calibration, {q.question_id: q for q in asked}, cutoffs, claims),
        _temporal(temporal, {e.event_id: e for e in dated}, cutoffs),
    )


def clusters(questions: Sequence[Question]) -> list[str]:
    """N names of what is independent of each other: questions of a pair or of a family are in one cluster.

    Twins share their cell and a family its occasion, so a chain of pairs and families is one cluster; it is named
    by the first of its families in order.
    """
    parent: dict[str, str] = {}

    def find(family: str) -> str:
        parent.setdefault(family, family)
        while parent[family] != family:
            parent[family] = parent[parent[family]]
            family = parent[family]
        return family

    first_of_pair: dict[str, str] = {}
    for question in questions:
        one = find(question.family_id)
        other = find(first_of_pair.setdefault(question.pair_id, question.family_id))
        parent[max(one, other)] = min(one, other)
    return [find(question.family_id) for question in questions]


Row = tuple[str, Lang]
"""(question_id or event_id, edition)."""
Sitting = dict[Row, Forecast]
"""What one run of one system answered on an axis."""


class _Columns(NamedTuple):
    """The rows of an axis and who sat them."""

    event: str
    rows: list[Row]
    systems: dict[str, Sitting]

    @classmethod
    def of(
        cls,
        event: str,
        rows: list[Row],
        sittings: Mapping[tuple[str, str], Sitting],
        names: Mapping[tuple[str, str], str],
    ) -> _Columns:
        named = {names[key]: sitting for key, sitting in sittings.items()}
        return cls(event, rows, {name: named[name] for name in sorted(named)})

    def sheet(
        self,
        axis: Axis,
        *,
        points: Sequence[str],
        cluster: Sequence[str],
        truth: Sequence[float],
        distance: Sequence[float],
        window: Sequence[float],
        keys: Mapping[str, Sequence[str]],
        texts: Sequence[str],
        cutoff: Sequence[date],
        families: Families | None = None,
    ) -> Sheet:
        """The sheet from columns given as lists of N; dates in answers count from `cutoff`."""
        index = {row: i for i, row in enumerate(self.rows)}
        values = np.full((len(self.systems), len(self.rows)), np.nan)
        status = np.full(values.shape, MISSING, dtype=np.int8)
        for s, sitting in enumerate(self.systems.values()):
            for row, given in sitting.items():
                i = index[row]
                status[s, i] = STATUS.index(given.status)
                if given.probability is not None:
                    values[s, i] = given.probability
                elif given.date is not None:
                    values[s, i] = _days(given.date, cutoff[i])
        return Sheet(
            axis=axis,
            systems=tuple(self.systems),
            refs=tuple(ref for ref, _ in self.rows),
            event=Factor.of([self.event] * len(self.rows)),
            edition=Factor.of([lang for _, lang in self.rows]),
            point=Factor.of([f"{self.event}/{point}" for point in points]),
            cluster=Factor.of([f"{self.event}/{name}" for name in cluster]),
            truth=np.array(truth, dtype=float),
            distance=np.array(distance, dtype=float),
            window=np.array(window, dtype=float),
            values=values,
            status=status,
            keys={name: Factor.of(labels) for name, labels in keys.items()},
            texts=tuple(texts),
            cutoff=tuple(day.isoformat() for day in cutoff),
            families=families,
        )


def _calibration(
    columns: _Columns,
    asked: Mapping[str, Question],
    cutoffs: Mapping[str, date],
    claims: Sequence[Claim],
) -> Sheet | None:
    if not columns.rows:
        return None
    questions = [asked[ref] for ref, _ in columns.rows]
    # Both editions of a question are one cluster, so the union is taken over all rows at once.
    cluster = clusters(questions)
    cutoff = [cutoffs[q.point_id] for q in questions]
    return columns.sheet(
        "calibration",
        points=[q.point_id for q in questions],
        cluster=cluster,
        truth=[q.answer for q in questions],
        distance=[_days(q.window_end, day) for q, day in zip(questions, cutoff, strict=True)],
        window=[q.window_days for q in questions],
        keys={
            "type": [q.type for q in questions],
            "dimension": [q.dimension for q in questions],
            "difficulty": [q.difficulty for q in questions],
            "window": [str(q.window_days) for q in questions],
            "truth": [str(q.answer) for q in questions],
            "level": [str(q.level) for q in questions],
        },
        texts=[asked[ref].text[lang] for ref, lang in columns.rows],
        cutoff=cutoff,
        families=families(questions, [lang for _, lang in columns.rows], claims),
    )


def _temporal(
    columns: _Columns, dated: Mapping[str, TemporalEvent], cutoffs: Mapping[str, date]
) -> Sheet | None:
    if not columns.rows:
        return None
    events = [dated[ref] for ref, _ in columns.rows]
    cutoff = [cutoffs[e.point_id] for e in events]
    t = [_days(e.date, day) for e, day in zip(events, cutoff, strict=True)]
    return columns.sheet(
        "temporal",
        points=[e.point_id for e in events],
        cluster=[e.family_id for e in events],
        truth=t,
        distance=t,
        window=[0] * len(events),
        keys={"bucket": ["{}-{}".format(*bucket(days)) for days in t]},
        texts=[dated[ref].text[lang] for ref, lang in columns.rows],
        cutoff=cutoff,
    )


def families(
    questions: Sequence[Question], editions: Sequence[Lang], claims: Sequence[Claim]
) -> Families:
    """Groups inside which answers can contradict each other; N questions in N editions.

    windows: one claim at one point and edition over windows with one first day, so that they are nested.
    ladder: outcome and details of one family at one point, edition and window, with their level.
    occasion: outcome and variants of one family that name the same occasion, at one point, edition and window;
    not those that can come true again, for then each end may come in the same window.

    A question without a group of at least two is in none, and of one asked twice at the same place only the first
    is in a group: it has nothing to say about itself.
    """
    known = {claim.claim_id: claim for claim in claims}
    windows: list[tuple[Hashable, Hashable] | None] = []
    ladder: list[tuple[Hashable, Hashable] | None] = []
    occasion: list[tuple[Hashable, Hashable] | None] = []
    level = np.full(len(questions), -1, dtype=np.int64)
    for i, (question, lang) in enumerate(zip(questions, editions, strict=True)):
        claim = known.get(question.claim_id)
        place = (question.point_id, lang, question.window_start)
        at = (*place, question.window_end)
        windows.append(((*place, question.claim_id), question.window_end))
        ladder.append(None)
        occasion.append(None)
        if claim is None:
            continue
        if claim.kind in ("outcome", "detail"):
            ladder[-1] = ((*at, claim.family_id), claim.claim_id)
            level[i] = claim.level
        if claim.kind in ("outcome", "variant") and claim.cadence == "once":
            occasion[-1] = ((*at, claim.family_id, claim.occasion), claim.claim_id)
    steps = _groups(ladder)
    return Families(
        windows=_groups(windows),
        ladder=steps,
        level=np.where(steps < 0, -1, level),
        occasion=_groups(occasion),
    )


def _groups(members: Sequence[tuple[Hashable, Hashable] | None]) -> Codes:
    """Codes of (group, member): repeats of a member and groups of one member are -1."""
    seen: dict[Hashable, dict[Hashable, int]] = {}
    for i, member in enumerate(members):
        if member is not None:
            seen.setdefault(member[0], {}).setdefault(member[1], i)
    codes = np.full(len(members), -1, dtype=np.int64)
    groups = [rows for rows in seen.values() if len(rows) > 1]
    for code, rows in enumerate(groups):
        codes[list(rows.values())] = code
    return codes


def _sittings(
    event: str,
    forecasts: Iterable[Forecast],
    axis_rows: Mapping[Axis, Sequence[Row]],
    beyond: set[str],
) -> dict[Axis, dict[tuple[str, str], Sitting]]:
    """Axis -> (system, run) -> its answers."""
    known = {axis: set(rows) for axis, rows in axis_rows.items()}
    sittings: dict[Axis, dict[tuple[str, str], Sitting]] = {"calibration": {}, "temporal": {}}
    for given in forecasts:
        row = (given.ref, given.lang)
        if row not in known[given.axis]:
            if given.axis == "temporal" and given.ref in beyond:
                continue
            raise BadInput(
                f"{given.system} answers {given.ref} in {given.lang}, which the bank {event} does not ask on the "
                f"{given.axis} axis; score it with the bank that it sat"
            )
        sitting = sittings[given.axis].setdefault((given.system, given.run), {})
        if row in sitting:
            raise BadInput(
                f"{given.system} answers {given.ref} in {given.lang} twice in run {given.run}; keep one"
            )
        sitting[row] = given
    return sittings


def _names(sat: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """(system, run) -> the name under which it is listed."""
    runs: dict[str, set[str]] = {}
    for system, run in sat:
        runs.setdefault(system, set()).add(run)
    names = {
        (system, run): system if len(runs[system]) == 1 else f"{system} ({run})"
        for system, run in sat
    }
    owner: dict[str, tuple[str, str]] = {}
    for key, name in names.items():
        other = owner.setdefault(name, key)
        if other != key:
            raise BadInput(
                f"run {key[1]!r} of system {key[0]!r} and run {other[1]!r} of system {other[0]!r} would both be "
                f"listed as {name!r}; rename one of them"
            )
    return names


def _cutoffs(
    event: str,
    points: Iterable[PredictionPoint],
    asked: Sequence[Question],
    dated: Sequence[TemporalEvent],
) -> dict[str, date]:
    """Cutoff of each point; BadInput for a bank that cannot be laid out."""
    cutoffs = {point.point_id: point.cutoff for point in points}
    # Questions and events are looked up apart, so only ids of one kind have to differ.
    for kind in (
        [(q.question_id, q.point_id, q.text) for q in asked],
        [(e.event_id, e.point_id, e.text) for e in dated],
    ):
        seen: set[str] = set()
        for ref, point, text in kind:
            if point not in cutoffs:
                fault = f"asks {ref} at point {point}, which it does not hold"
            elif not text:
                fault = f"holds {ref} without a text in any edition"
            elif ref in seen:
                fault = f"holds {ref} twice"
            else:
                seen.add(ref)
                continue
            raise BadInput(f"the bank {event} {fault}; run `factory check` on it")
    return cutoffs


def _days(day: date, cutoff: date) -> int:
    return (day - cutoff).days
