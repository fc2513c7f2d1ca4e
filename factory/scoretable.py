"""A score card in a terminal: lines of at most 100 columns, the leaderboard first, problems and notes last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from factory.scorecsv import csv_text, typed_csv
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
    why_no_overall,
)
from factory.textgrid import (
    NAME,
    WIDTH,
    chunks,
    clipped,
    grid,
    paragraphs,
    plain,
    wrapped,
)
from schemas import AxisGrade, GroupScore, Interval, Problem, Score, ScoreCard, ScoreCell, Table
from schemas.score import SUBSET
from schemas.typed import TypedCard, TypedRow

__all__ = ["csv_text", "terminal_lines", "typed_csv", "typed_lines"]

SUBSET_MARK = f"* answered less than {SUBSET:.0%} of what was asked: a score about a subset"


def terminal_lines(card: ScoreCard, *, tables: bool = False) -> list[str]:
    """The card for people, without line ends: leaderboard, what stands beside it, cells, problems and notes.

    `tables` adds the tables of further analysis. A score followed by * is about less than 95 % of the questions.
    """
    lines = [
        clipped(
            f"Rules {card.rules}, version {card.rules_version}: higher is better, 100 is best",
            WIDTH,
        )
    ]
    lines += paragraphs(_leaderboard(card))
    lines += paragraphs(_beside(card))
    lines += paragraphs(_anchors(card))
    lines += paragraphs(_comparisons(card))
    lines += paragraphs(_cells(card))
    lines += paragraphs(_groups(card))
    if tables:
        for table in card.tables:
            lines += paragraphs(_table(table))
    return lines + _closing(card.problems, card.notes)


def typed_lines(card: TypedCard) -> list[str]:
    """A card of typed questions for people: a table a kind and group, its systems below each other."""
    lines = [clipped(f"Rules {card.rules}, version {card.rules_version}", WIDTH)]
    groups: dict[tuple[str, str], list[TypedRow]] = {}
    for row in card.rows:
        groups.setdefault((row.kind, row.group), []).append(row)
    for (kind, group), rows in groups.items():
        title = kind if group == "all" else f"{kind}, {group}"
        names = list(dict.fromkeys(name for row in rows for name in row.metrics))
        digits = {name: 0 if _counts_only(rows, name) else 4 for name in names}
        head = ["system", "answered", *names]
        body = [
            [
                row.system,
                _count(row.answered, row.n),
                *(_metric(row, name, digits[name]) for name in names),
            ]
            for row in rows
        ]
        lines += paragraphs([clipped(title, WIDTH), *chunks(head, body, fixed=2)])
        lost = [(row, Answers.of_typed(row).lost) for row in rows]
        lines += [
            clipped(f"  {row.system} left {_lost(states)}", WIDTH) for row, states in lost if states
        ]
    return lines + _closing(card.problems, card.notes)


# -- terminal ------------------------------------------------------------------------------------


def _leaderboard(card: ScoreCard) -> list[str]:
    rows = overall_standings(card)
    if not rows:
        return ["Nobody sat this bank."]
    ranked = any(row.ranks for row in rows)
    axes = [axis for axis in AXES if any(axis in row.grades for row in rows)]
    skilled = any(g.skill is not None for row in rows for g in row.grades.values())
    head = ["rank" if ranked else "#", "system", "overall", *(AXIS_NAMES[axis] for axis in axes)]
    head += ["answered", *(["skill"] if skilled else [])]
    body = []
    for row in rows:
        line = [_rank(row, ranked), row.system, _short(row.score)]
        line += [_with_interval(row.grades.get(axis)) for axis in axes]
        line.append(_count(row.answers.answered, row.answers.total))
        if skilled:
            found = [row.grades[a].skill if a in row.grades else None for a in axes]
            line.append(" ".join((signed(skill, 2) or "-").rjust(5) for skill in found))
        body.append(line)
    lines = grid(head, body, left=(1,))
    if any(row.text_free for row in rows):
        lines.append("  ~ a rule that reads no text: not ranked")
    if any(row.answers.subset for row in rows):
        lines.append(f"  {SUBSET_MARK}")
    if ranked:
        lines.append(
            "  rank: better and worse as shown on both axes; overlapping ranks are not told apart"
        )
    if skilled:
        names = ", ".join(AXIS_NAMES[axis] for axis in axes)
        lines.append(f"  skill ({names}): share of the way from the best such rule to 100")
    lines += [
        clipped(f"  {plain(row.system)}: no overall score, {why}", WIDTH)
        for row in rows
        if not row.text_free and (why := why_no_overall(card, row.system))
    ]
    return lines + paragraphs(_strict(rows))


def _strict(rows: Sequence[Standing]) -> list[str]:
    """The scores in which everything unanswered counts as wrong."""
    body = [
        [row.system, *(_short(row.grades[a].strict) if a in row.grades else "" for a in AXES)]
        for row in rows
        if any(grade.strict is not None for grade in row.grades.values())
        and not (row.text_free and row.answers.answered == row.answers.total)
    ]
    if not body:
        return []
    head = ["strict: unanswered is wrong", *(AXIS_NAMES[axis] for axis in AXES)]
    return grid(head, body, left=(0,))


def _short(score: Score | None) -> str:
    """A score in little space: - when it is not scored, nothing when nobody asked for it."""
    return "-" if isinstance(score, str) else figure(score)


def _with_interval(grade: AxisGrade | None) -> str:
    """A score with its mark and interval, aligned over rows with and without a mark."""
    if grade is None:
        return ""
    span = _span(grade.interval)
    text = _marked(grade)
    return f"{text if text.endswith('*') else f'{text} '} {span}" if span else text


def _rank(row: Standing, ranked: bool) -> str:
    if row.text_free:
        return "~"
    if not ranked:
        return str(row.place or "")
    if row.ranks is None:
        return ""
    best, worst = row.ranks
    return str(best) if best == worst else f"{best}-{worst}"


def _marked(grade: AxisGrade | ScoreCell | None) -> str:
    """A score, with * when it is about a subset."""
    if grade is None:
        return ""
    mark = "*" if Answers.of([grade]).subset and not isinstance(grade.score, str) else ""
    return _short(grade.score) + mark


def _span(interval: Interval | None) -> str:
    return f"[{figure(interval.low)} {figure(interval.high)}]" if interval else ""


def _count(answered: int, total: int) -> str:
    return str(total) if answered == total and total else f"{answered}/{total}"


def _beside(card: ScoreCard) -> list[str]:
    """Proper scores and contradictions of the probability axis."""
    rows = [row for row in axis_standings(card, "calibration") if not row.text_free]
    grades = [(row.system, row.grades["calibration"]) for row in rows]
    head = ["system", "Brier", "log loss", "ECE", "REL", "RES"]
    head += ["windows", "ladder", "variants", "eff. n"]
    body = []
    for system, grade in grades:
        figures = grade.reliability
        if figures is None and not grade.violations:
            continue
        shown = (
            [
                figures.brier,
                figures.log_loss,
                figures.ece,
                figures.murphy_reliability,
                figures.murphy_resolution,
            ]
            if figures
            else [None] * 5
        )
        broken = {v.rule: f"{v.violated}/{v.cases}" for v in grade.violations if v.cases}
        body.append(
            [
                system,
                *(figure(value, 3) for value in shown),
                *(broken.get(rule, "-") for rule in ("windows", "ladder", "variants")),
                figure(grade.effective_n, 0),
            ]
        )
    if not body:
        return []
    return [
        "Beside the probabilities: proper scores and Murphy's parts, contradictions of those checkable",
        *chunks(head, body, fixed=1),
    ]


def _anchors(card: ScoreCard) -> list[str]:
    """Rules beside their published figures; without any of those the leaderboard says it all."""
    if all(row.published is None for row in card.anchors):
        return []
    body = [
        [row.system, AXIS_NAMES[row.axis], figure(row.score), figure(row.published) or "-"]
        for row in card.anchors
    ]
    head = ["rule that reads no text", "axis", "computed", "published"]
    return grid(head, body, left=(0, 1))


def _comparisons(card: ScoreCard) -> list[str]:
    lines: list[str] = []
    for axis in AXES:
        holds, undecided = held(card.comparisons, axis)
        if not holds and not undecided:
            continue
        body = [
            [
                f"{clipped(row.a, NAME)} - {clipped(row.b, NAME)}",
                signed(row.difference),
                _span(row.interval),
                figure(row.q, 4),
                "holds" if row in holds else "not told apart",
                str(row.questions),
            ]
            for row in (*holds, *undecided)
        ]
        lines += [
            "",
            f"{AXIS_NAMES[axis].capitalize()}: {len(holds)} of {len(body)} differences hold (q <= 0.05)",
            *grid(
                ["pair", "difference", "interval", "q", "", "questions"], body, left=(0, 4), name=62
            ),
        ]
    return lines[1:]


def _cells(card: ScoreCard) -> list[str]:
    """A table an axis: systems by event and edition."""
    events = list(dict.fromkeys(cell.event for cell in card.cells))
    keys: dict[str, str] = {}
    short = {event: clipped(event, 10) for event in events}
    if any(plain(event) != short[event] for event in events):
        short = {event: f"e{number}" for number, event in enumerate(events, 1)}
        keys = {short[event]: event for event in events}
    lines: list[str] = []
    for axis in AXES:
        found = {
            (cell.system, cell.event, cell.edition): cell
            for cell in card.cells
            if cell.axis == axis
        }
        if not found:
            continue
        heads = sorted(
            {(event, edition) for _system, event, edition in found},
            key=lambda key: (events.index(key[0]), key[1]),
        )
        order = [row.system for row in overall_standings(card)]
        systems = [name for name in order if any((name, *head) in found for head in heads)]
        body = [
            [name, *(_marked(found.get((name, event, edition))) for event, edition in heads)]
            for name in systems
        ]
        head = [
            AXIS_NAMES[axis],
            *(f"{short[event]} {edition}" for event, edition in heads),
        ]
        lines += ["", *chunks(head, body, fixed=1)]
    if any(cell.score == "not scored" for cell in card.cells):
        lines.append("  - not scored: nothing answered")
    if any(Answers.of([cell]).subset for cell in card.cells):
        lines.append(f"  {SUBSET_MARK}")
    lines += [clipped(f"  {key} = {event}", WIDTH) for key, event in keys.items()]
    return lines[1:]


def _groups(card: ScoreCard) -> list[str]:
    lines: list[str] = []
    for pivot in pivots(card):
        head = [f"{AXIS_NAMES[pivot.axis]} by {', '.join(pivot.keys)}", *pivot.columns]
        body = [[system, *(_group(group) for group in row)] for system, row in pivot.rows]
        lines += ["", *chunks(head, body, fixed=1)]
    if any(_few(group) for group in card.groups):
        lines.append(f"  {SUBSET_MARK}")
    return lines[1:]


def _few(group: GroupScore) -> bool:
    return Answers(group.answered, group.total).subset and not isinstance(group.score, str)


def _group(group: GroupScore | None) -> str:
    return "" if group is None else _short(group.score) + ("*" if _few(group) else "")


def _table(table: Table) -> list[str]:
    digits = decimals(table)
    body = [
        [
            row.label,
            *("-" if v is None else figure(v, digits[i]) for i, v in enumerate(row.values)),
        ]
        for row in table.rows
    ]
    lines = [clipped(table.title, WIDTH), *chunks(["", *table.columns], body, fixed=1)]
    return lines + wrapped(
        f"{table.source.removesuffix('.')}. {table.note}" if table.note else table.source
    )


def _metric(row: TypedRow, name: str, digits: int) -> str:
    if name not in row.metrics:
        return ""
    value = row.metrics[name]
    if value is None:
        return "-"
    span = row.intervals.get(name)
    text = figure(value, digits)
    return f"{text} [{figure(span.low, digits)} {figure(span.high, digits)}]" if span else text


def _counts_only(rows: Sequence[TypedRow], name: str) -> bool:
    """Whether a figure is a count: named as one, or whole in every row and above 1 in one of them."""
    if name.startswith("n_") or name == "clusters":
        return True
    values = [value for row in rows if (value := row.metrics.get(name)) is not None]
    whole = all(value.is_integer() for value in values)
    return whole and max(values, default=0.0) > 1 and not any(name in r.intervals for r in rows)


def _lost(states: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{count} {state}" for state, count in states)


def _closing(problems: Sequence[Problem], notes: Sequence[str]) -> list[str]:
    """Problems and notes, last because that is what a terminal shows."""
    lines: list[str] = []
    for problem in problems:
        example = f" (first: {problem.example})" if problem.example else ""
        lines += wrapped(f"{problem.count} x {problem.reason}{example}", first="problem: ")
    for note in notes:
        lines += wrapped(note, first="note: ")
    return ["", *lines] if lines else []
