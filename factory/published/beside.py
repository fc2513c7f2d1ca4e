"""Published figures beside the computed ones: cells of systems, and anchors of the rules that read no text.

A published cell counts as reproduced when ours lies within a tolerance of it: four points of the published bank were
never released, which moves probabilities by up to 0.17; dates are asked at none of the four, so rounding is all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from factory.published.leaderboard import Leaderboard
from schemas import Anchor, Axis, ScoreCard, Table, TableRow

TOLERANCE: Mapping[Axis, float] = {"calibration": 0.17, "temporal": 0.06}
"""Points of 100 within which a cell is reproduced."""


def anchors(
    card: ScoreCard, figures: Leaderboard | None, names: Collection[str]
) -> tuple[Anchor, ...]:
    """Scores of the rules `names` on each axis, with the figure that was published for the rule, if any."""
    return tuple(
        Anchor(
            system=grade.system,
            axis=grade.axis,
            score=grade.score,
            published=figures.anchors.get((grade.system, grade.axis)) if figures else None,
        )
        for grade in card.axes
        if grade.system in names
    )


def published_table(card: ScoreCard, figures: Leaderboard | None) -> tuple[Table, ...]:
    """Each published cell, ours (mean of the editions) and the difference; nothing without figures."""
    if figures is None:
        return ()
    ours = _event_scores(card)
    rows = []
    missed: dict[str, float] = {}
    for (system, event, axis), published in figures.scores.items():
        computed = ours.get((system, event, axis))
        difference = None if computed is None else computed - published
        rows.append(
            TableRow(label=f"{system}, {event}, {axis}", values=(published, computed, difference))
        )
        if difference is not None:
            over = abs(difference) / TOLERANCE[axis]
            missed[system] = max(missed.get(system, 0.0), over)
    if not rows:
        return ()
    kept = [system for system, over in missed.items() if over <= 1]
    lost = [system for system, over in missed.items() if over > 1]
    note = f"Reproduced in every cell: {', '.join(kept) or 'nobody'}."
    if lost:
        note += (
            f" Not reproduced: {', '.join(lost)}; what was released of their answers covers a part of the bank, "
            "and nothing says which points the published cells are of."
        )
    if figures.unmapped:
        note += f" Events of unknown folders: {', '.join(figures.unmapped)}."
    return (
        Table(
            name="published",
            title="Published cells beside ours",
            source="leaderboard.json of the published bank"
            + (f", as of {figures.updated}" if figures.updated else ""),
            columns=("published", "computed", "difference"),
            rows=tuple(rows),
            note=note,
        ),
    )


def published_notes(tables: tuple[Table, ...]) -> Iterator[str]:
    """The verdict of the table as a note of the card."""
    for table in tables:
        if table.name == "published":
            yield f"{table.title}: {table.note}"


def _event_scores(card: ScoreCard) -> dict[tuple[str, str, Axis], float]:
    """Mean of the editions that a system sat of an event; none where one of them is not scored."""
    parts: dict[tuple[str, str, Axis], list[float]] = {}
    whole: set[tuple[str, str, Axis]] = set()
    for cell in card.cells:
        key = (cell.system, cell.event, cell.axis)
        if isinstance(cell.score, str):
            whole.add(key)
        else:
            parts.setdefault(key, []).append(cell.score)
    return {key: sum(found) / len(found) for key, found in parts.items() if key not in whole}
