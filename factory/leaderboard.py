"""A score card as a page: one self-contained HTML file without scripts that needs no network.

It shows what the card holds and computes no score. What must not be missed comes first: notes, input that could not
be used, and systems that answered a subset. Names come from outside, so all of them are escaped and isolated in
their writing direction. Pictures are inline SVG and repeat in a table or in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from factory.standings import (
    AXES,
    AXIS_NAMES,
    Answers,
    Standing,
    axis_standings,
    decimals,
    figure,
    held,
    overall_standings,
    pivots,
    signed,
    text_free,
    why_no_overall,
)
from factory.svg import Bar, BarGroup, bar_chart, interval_bar, reliability_plot, span
from factory.textgrid import plain
from schemas import AxisGrade, Comparison, Reliability, ScoreCard, ScoreCell
from schemas.exam import Axis

FOLD = 12
"""Longer lists of pictures and rows start folded behind a summary."""
KINDS = {"en": "first", "zh": "second"}
"""Bar style of an edition."""


@dataclass(frozen=True)
class AxisView:
    """One axis of the leaderboard."""

    axis: Axis
    name: str
    rows: list[Standing]
    ends: tuple[float, float]
    """Of the lines that the bars are drawn on."""
    bars: dict[str, Markup]
    """By system."""
    best_rule: Standing | None
    """The rule without text with the highest score."""
    metrics: list[str]
    """Names of further figures."""

    @property
    def grades(self) -> list[tuple[Standing, AxisGrade]]:
        """Each standing with its grade."""
        return [(row, row.grades[self.axis]) for row in self.rows]

    @property
    def ranked(self) -> bool:
        """Whether paired tests give rank ranges."""
        return any(row.ranks for row in self.rows)

    @property
    def strict(self) -> bool:
        """Whether anything was also scored strictly."""
        return any(grade.strict is not None for _row, grade in self.grades)

    @property
    def skilled(self) -> tuple[int, int]:
        """(systems that read and score above their reference, systems that read and have one)."""
        known = [g.skill for row, g in self.grades if not row.text_free and g.skill is not None]
        return sum(skill > 0 for skill in known), len(known)


@dataclass(frozen=True)
class Tested:
    """What the paired tests of one axis say."""

    name: str
    holds: list[Comparison]
    open: list[Comparison]
    words: list[tuple[str, list[str], list[str], list[str]]]
    """(system, those it beats, those that beat it, those it is not told apart from)."""


def leaderboard_page(card: ScoreCard, *, title: str) -> str:
    """The page of a card as HTML text; the same card and title give the same bytes."""
    return _template().render(**shown(card, title))


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("factory", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(figure=figure, signed=signed, plain=plain, percent=percent)
    return environment.get_template("leaderboard.html.j2")


def shown(card: ScoreCard, title: str) -> dict[str, Any]:
    """Everything that the template shows."""
    overall = overall_standings(card)
    views = [view for view in (axis_view(card, axis) for axis in AXES) if view.rows]
    best = {view.axis: view.best_rule for view in views}
    scored = [row for row in overall if not isinstance(row.score, str)]
    lines = {view.axis: interval_bars(scored, view.axis, view.best_rule) for view in views}
    subsets = [row for row in overall if row.answers.subset]
    return {
        "title": plain(title),
        "card": card,
        "axis_names": AXIS_NAMES,
        "overall": overall,
        "scored": scored,
        "free": text_free(card),
        "readers": sum(not row.text_free for row in overall),
        "rules": sum(row.text_free for row in overall),
        "ranked": any(row.ranks for row in overall),
        "why": {row.system: why_no_overall(card, row.system) for row in overall},
        "views": views,
        "lines": lines,
        "best": best,
        "subsets": subsets,
        "unnoted": [row for row in subsets if not any(row.system in note for note in card.notes)],
        "editions": [row for row in KINDS.items() if row[0] in {c.edition for c in card.cells}],
        "events": event_charts(card, overall, best),
        "reliability": reliabilities(card, overall),
        "consistency": consistency(overall),
        "tested": [test for test in (tested(card, axis) for axis in AXES) if test],
        "pivots": pivots(card),
        "decimals": {table.name: decimals(table) for table in card.tables},
        "cells": [(cell, Answers.of([cell])) for cell in card.cells],
        "cell_strict": any(cell.strict is not None for cell in card.cells),
        "fold": FOLD,
    }


def percent(share: float | None) -> str:
    """A share as whole percent, and never 100 or 0 unless it is exactly that."""
    if share is None:
        return ""
    whole = round(share * 100)
    if whole == 100 and share < 1:
        return "over 99%"
    if whole == 0 and share > 0:
        return "under 1%"
    return f"{whole}%"


# -- leaderboard ---------------------------------------------------------------------------------


def axis_view(card: ScoreCard, axis: Axis) -> AxisView:
    """Order, bars and reference of one axis."""
    rows = axis_standings(card, axis)
    best = next((row for row in rows if row.text_free and not isinstance(row.score, str)), None)
    metrics = sorted({name for row in rows for name in row.grades[axis].metrics})
    ends, bars = interval_bars(rows, axis, best)
    return AxisView(axis, AXIS_NAMES[axis], rows, ends, bars, best, metrics)


def interval_bars(
    rows: Sequence[Standing], axis: Axis, best: Standing | None
) -> tuple[tuple[float, float], dict[str, Markup]]:
    """Ends of the lines, and the line of each system whose score lies between them.

    The ends are tens around the systems that read and the best rule that does not: a rule far below all of them
    would press the others together, so it gets no line.
    """
    reference = best.score if best and not isinstance(best.score, str) else None
    known = [
        (row, grade, grade.score)
        for row in rows
        if (grade := row.grades.get(axis)) and not isinstance(grade.score, str)
    ]
    if not known:
        return (0.0, 100.0), {}
    wanted = [entry for entry in known if not entry[0].text_free] or known
    values = [score for _row, _grade, score in wanted]
    values += [end for _, g, _ in wanted if g.interval for end in (g.interval.low, g.interval.high)]
    values += [] if reference is None else [reference]
    low, high = span(values, low=min(values), high=max(values))
    high = high if high > low else low + 10.0
    return (low, high), {
        row.system: interval_bar(
            score,
            grade.interval.low if grade.interval else None,
            grade.interval.high if grade.interval else None,
            ends=(low, high),
            kind="rule" if row.text_free else "first",
            reference=reference,
        )
        for row, grade, score in known
        if low <= score <= high
    }


def event_charts(
    card: ScoreCard, overall: Sequence[Standing], best: dict[Axis, Standing | None]
) -> list[tuple[str, list[tuple[str, Markup]]]]:
    """(event, (axis, picture)): bars by system, one an edition; of the rules without text the best one only."""
    cells: dict[tuple[str, str], dict[str, list[ScoreCell]]] = {}
    for cell in card.cells:
        cells.setdefault((cell.event, cell.axis), {}).setdefault(cell.system, []).append(cell)
    charts = []
    for event in dict.fromkeys(cell.event for cell in card.cells):
        row: list[tuple[str, Markup]] = []
        for axis in AXES:
            found = cells.get((event, axis), {})
            reference = best.get(axis)
            groups = [
                BarGroup(
                    standing.system,
                    tuple(
                        cell_bar(cell, rule=standing.text_free) for cell in found[standing.system]
                    ),
                )
                for standing in overall
                if standing.system in found
                and (
                    not standing.text_free
                    or (reference is not None and reference.system == standing.system)
                )
            ]
            if groups:
                heading = f"{AXIS_NAMES[axis].capitalize()} of {event}"
                row.append((AXIS_NAMES[axis], bar_chart(groups, title=heading)))
        if row:
            charts.append((event, row))
    return charts


def cell_bar(cell: ScoreCell, *, rule: bool) -> Bar:
    """The bar of a cell."""
    return Bar(
        value=None if isinstance(cell.score, str) else cell.score,
        low=cell.interval.low if cell.interval else None,
        high=cell.interval.high if cell.interval else None,
        kind="rule" if rule else KINDS[cell.edition],
        name=cell.edition,
        subset=Answers.of([cell]).subset,
    )


# -- what stands beside a score ------------------------------------------------------------------


def reliabilities(
    card: ScoreCard, overall: Sequence[Standing]
) -> dict[bool, list[tuple[str, Reliability, Markup]]]:
    """By whether they read no text: (system, figures, picture)."""
    found: dict[bool, list[tuple[str, Reliability, Markup]]] = {False: [], True: []}
    free = text_free(card)
    for row in overall:
        grade = row.grades.get("calibration")
        if grade and grade.reliability:
            plot = reliability_plot(grade.reliability.bins, title=f"Reliability of {row.system}")
            found[row.system in free].append((row.system, grade.reliability, plot))
    return found


def consistency(overall: Sequence[Standing]) -> list[Standing]:
    """Systems with at least one checked pair or group; a rule without text repeats itself, so it is left out."""
    return [
        row
        for row in overall
        if not row.text_free
        and "calibration" in row.grades
        and any(v.cases for v in row.grades["calibration"].violations)
    ]


def tested(card: ScoreCard, axis: Axis) -> Tested | None:
    """The comparisons of an axis in words; None without any."""
    holds, undecided = held(card.comparisons, axis)
    if not holds and not undecided:
        return None
    order = [row.system for row in axis_standings(card, axis)]
    compared = {name for row in (*holds, *undecided) for name in (row.a, row.b)}
    order += sorted(compared - set(order))
    beats: dict[str, set[str]] = {name: set() for name in order}
    loses: dict[str, set[str]] = {name: set() for name in order}
    even: dict[str, set[str]] = {name: set() for name in order}
    for row in holds:
        beats[row.a].add(row.b)
        loses[row.b].add(row.a)
    for row in undecided:
        even[row.a].add(row.b)
        even[row.b].add(row.a)

    def listed(names: set[str]) -> list[str]:
        return [name for name in order if name in names]

    words = [
        (name, listed(beats[name]), listed(loses[name]), listed(even[name]))
        for name in order
        if name in compared
    ]
    return Tested(AXIS_NAMES[axis], holds, undecided, words)
