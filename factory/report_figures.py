"""Pictures and tables of figures of the public report: the arc, the points, the rules that read no text.

Pictures repeat as tables on the page. Scores are those of the bundle's card, and what is not in it (scores by point,
attackers on the questions) is computed from the bundle's questions again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from markupsafe import Markup

from factory.bundle import Bundle
from factory.report_en import attacker, plain
from factory.report_page import coded
from factory.report_plots import (
    NARROW,
    WIDE,
    Panel,
    Series,
    count_chart,
    day_chart,
    mark_panel,
    point_chart,
    window_panel,
)
from factory.report_shares import by_step, share_panel, share_step
from factory.report_view import STANCES, Cut, Day
from factory.report_words import listed, words
from factory.report_zh import chinese
from factory.standings import axis_standings, figure
from factory.svg import ReliabilityWords, interval_bar, reliability_plot, span
from schemas import WINDOWS, AxisGrade, GroupScore, Lang, Reliability, ScoreCard
from schemas.exam import Axis

MOST_SYSTEMS = 6
"""Lines in a chart of points; the table holds all."""
UNSEEN = " (never shown)"
"""Ends the name of an attacker that uses what no examinee is shown."""
ALIKE = 3
"""Rules with equal figures from which they share a row."""


def machine(text: str, lang: Lang) -> Markup:
    """A sentence of the program in the page's language; one that has no Chinese is marked as English."""
    if lang == "en":
        return coded(plain(text))
    known = chinese(text)
    if known is not None:
        return coded(known)
    return Markup('<span lang="en">{}</span>').format(coded(text))


def looks_at(name: str, lang: Lang) -> Markup:
    """An attacker by what it looks at."""
    return Markup("{}").format(attacker(name)) if lang == "en" else machine(name, lang)


# -- the arc -------------------------------------------------------------------------------------


def arc(bundle: Bundle, days: Sequence[Day], cuts: Sequence[Cut], lang: Lang) -> dict[str, Markup]:
    """The arc as one chart of days, drawn wide and narrow."""
    first, last = bundle.timeline.span.observed_from, bundle.timeline.span.observed_until
    shares = [(day.date, day.stances, day.posts) for day in days if day.stances]
    asked = [(cut.point.cutoff, cut.last, cut.questions) for cut in cuts]
    below = [
        mark_panel(words("arc-facts", lang), [day.date for day in days if day.news]),
        window_panel(words("arc-windows", lang), asked),
    ]

    def held(width: float) -> list[Panel]:
        step = share_step(first, last, [day for day, _, _ in shares], width)
        name = words("arc-stances" if step == 1 else "arc-stances-week", lang)
        return [share_panel(name, by_step(shares, first, step), step=step)] if shares else []

    said = words(
        "arc-desc",
        lang,
        nodes=len(days),
        first=first,
        last=last,
        cuts=listed([cut.point.cutoff.isoformat() for cut in cuts], lang),
    )
    return {
        size: day_chart(
            [*held(width), *below],
            first=first,
            last=last,
            width=width,
            title=words("arc", lang),
            description=said,
            cuts=[cut.point.cutoff for cut in cuts],
        )
        for size, width in (("wide", WIDE), ("narrow", NARROW))
    }


def stance_names(lang: Lang) -> list[tuple[str, str]]:
    """(style, words) of each stance."""
    return [(stance, words(stance, lang)) for stance in STANCES]


def counts(cuts: Sequence[Cut], lang: Lang) -> Markup:
    """Questions a point by window."""
    return count_chart(
        [[cut.windows.get(days, 0) for days in WINDOWS] for cut in cuts],
        title=words("per-point", lang),
        description=words("per-point-desc", lang),
    )


# -- scores by point -----------------------------------------------------------------------------


@dataclass(frozen=True)
class PointScores:
    """One axis, point by point, in the order of the cutoffs."""

    axis: Axis
    ranges: tuple[tuple[float, float] | None, ...]
    """Lowest and highest rule without text."""
    systems: tuple[Series, ...]
    """Systems that read, best first."""

    def chart(self, lang: Lang) -> Markup:
        """As a picture; words for its pieces stand beside it."""
        return point_chart(
            self.ranges,
            self.systems[:MOST_SYSTEMS],
            title=words("scores-cal" if self.axis == "calibration" else "scores-tem", lang),
            description=words("scores-desc", lang),
        )


def point_scores(card: ScoreCard, points: Sequence[str], free: set[str]) -> list[PointScores]:
    """Scores by point of a card that was grouped by it; `points` are the ids in order, without the event."""
    found: dict[Axis, dict[str, dict[str, float]]] = {"calibration": {}, "temporal": {}}
    for group in card.groups:
        if not isinstance(group.score, str):
            found[group.axis].setdefault(group.system, {})[_point(group)] = group.score
    rows = []
    for axis, scores in found.items():
        rules = [scores[name] for name in scores if name in free]
        ranges = [[rule[point] for rule in rules if point in rule] for point in points]
        readers = [name for name in scores if name not in free]
        readers.sort(key=lambda name: (-sum(scores[name].values()) / len(scores[name]), name))
        if scores:
            rows.append(
                PointScores(
                    axis=axis,
                    ranges=tuple((min(row), max(row)) if row else None for row in ranges),
                    systems=tuple(
                        Series(name, tuple(scores[name].get(point) for point in points))
                        for name in readers
                    ),
                )
            )
    return rows


def _point(group: GroupScore) -> str:
    return group.keys["point"].rpartition("/")[2]


# -- rules and systems ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A rule or system on one axis."""

    name: Markup
    sees: Markup
    free: bool
    score: str
    interval: str
    bar: Markup
    answered: str
    alike: tuple[tuple[Markup, Markup], ...] = ()
    """(name, what it sees) of every rule that this row stands for, where there are several."""


@dataclass(frozen=True)
class Board:
    """One axis, best first; rules with the same figures share a row."""

    axis: Axis
    ends: tuple[str, str]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Curves:
    """Reliability of whoever answers with more than one probability."""

    plots: tuple[tuple[Markup, Markup], ...] = ()
    """(name, picture)."""
    single: tuple[Markup, ...] = ()
    """Names of those with one dot."""
    figures: tuple[tuple[Markup, Reliability], ...] = ()


def boards(card: ScoreCard, notes: Mapping[str, str], lang: Lang) -> list[Board]:
    """Both axes of a card; `notes` says what a rule sees."""
    found = []
    axes: tuple[Axis, ...] = ("calibration", "temporal")
    for axis in axes:
        grades = [row.grades[axis] for row in axis_standings(card, axis)]
        if not grades:
            continue
        known = [g.score for g in grades if not isinstance(g.score, str)]
        known += [end for g in grades if g.interval for end in (g.interval.low, g.interval.high)]
        ends = span(known)
        rows = [_row(grade, notes, ends, lang) for grade in grades]
        found.append(Board(axis, (figure(ends[0], 0), figure(ends[1], 0)), _together(rows, lang)))
    return found


def _together(rows: Sequence[Row], lang: Lang) -> tuple[Row, ...]:
    """Neighbouring rules with equal figures as one row, where there are at least ALIKE of them."""
    kept: list[Row] = []
    for _, group in groupby(rows, lambda row: (row.free, row.score, row.interval, row.answered)):
        same = list(group)
        if not same[0].free or len(same) < ALIKE:
            kept += same
            continue
        alike = tuple((row.name, row.sees) for row in same)
        name = Markup("{}").format(words("rules-alike", lang, n=len(same)))
        kept.append(replace(same[0], name=name, sees=Markup(""), alike=alike))
    return tuple(kept)


def _row(grade: AxisGrade, notes: Mapping[str, str], ends: tuple[float, float], lang: Lang) -> Row:
    interval, bar = "", Markup("")
    if grade.interval:
        interval = words(
            "line", lang, low=figure(grade.interval.low), high=figure(grade.interval.high)
        )
    if not isinstance(grade.score, str):
        on = words("on-line", lang, low=figure(ends[0], 0), high=figure(ends[1], 0))
        bar = interval_bar(
            grade.score,
            grade.interval.low if grade.interval else None,
            grade.interval.high if grade.interval else None,
            ends=ends,
            kind="rule" if grade.text_free else "first",
            reference=50.0,
            said=(f"{figure(grade.score)} ({interval})" if interval else figure(grade.score), on),
        )
    return Row(
        name=machine(grade.system, lang) if grade.text_free else Markup("{}").format(grade.system),
        sees=machine(notes[grade.system], lang) if grade.system in notes else Markup(""),
        free=grade.text_free,
        score=words("not scored", lang) if isinstance(grade.score, str) else figure(grade.score),
        interval=interval,
        bar=bar,
        answered=f"{grade.answered}/{grade.total}",
    )


def curves(card: ScoreCard, lang: Lang) -> Curves:
    """Reliability plots of everything in a card, best score first."""
    said = ReliabilityWords(
        given=words("given", lang),
        came_true=words("came-true", lang),
        filled=words("bin", lang),
        empty=words("bin-empty", lang),
        nothing=words("no-answers", lang),
        between=words("then", lang),
    )
    plots, single, figures = [], [], []
    for row in axis_standings(card, "calibration"):
        grade = row.grades["calibration"]
        if grade.reliability is None:
            continue
        name = machine(row.system, lang) if grade.text_free else Markup("{}").format(row.system)
        figures.append((name, grade.reliability))
        if sum(1 for part in grade.reliability.bins if part.count) > 1:
            title = words("reliability-of", lang, name=name.striptags())
            plots.append((name, reliability_plot(grade.reliability.bins, title=title, words=said)))
        else:
            single.append(name)
    return Curves(tuple(plots), tuple(single), tuple(figures))


# -- attackers -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attacks:
    """Attackers on the questions, alike ones in one row."""

    rows: tuple[tuple[Markup, str, str], ...] = ()
    """(name, score, interval)."""
    even: tuple[Markup, ...] = ()
    """Names of all that score exactly 50."""
    unseen: tuple[Markup, ...] = ()
    """Names and scores of those that use what no examinee is shown, for information."""
    reason: Markup = field(default_factory=Markup)
    """Outcome of the text attackers."""
    tested: bool = False
    """Whether text attackers could be trained."""


def attacks(
    scores: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    reason: str,
    lang: Lang,
) -> Attacks:
    """Attackers by score, highest first; those at exactly 50 are named together."""
    by_score: dict[bool, list[str]] = defaultdict(list)
    unseen = []
    for name, score in sorted(scores.items(), key=lambda row: (-row[1], row[0])):
        if name.endswith(UNSEEN):
            unseen.append(
                Markup("{} {}").format(looks_at(name.removesuffix(UNSEEN), lang), figure(score))
            )
        else:
            by_score[round(score, 3) == 50 and name not in intervals].append(name)
    return Attacks(
        rows=tuple(
            (
                looks_at(name, lang),
                figure(scores[name]),
                words("line", lang, low=figure(intervals[name][0]), high=figure(intervals[name][1]))
                if name in intervals
                else "",
            )
            for name in by_score[False]
        ),
        even=tuple(looks_at(name, lang) for name in by_score[True]),
        unseen=tuple(unseen),
        reason=machine(reason, lang),
        tested=bool(intervals),
    )
