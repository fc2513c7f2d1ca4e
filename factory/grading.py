"""Grading for `factory score`: an event's or bundle's baselines, one's own forecasts, or a published bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from factory import pipeline
from factory.bundle import MANIFEST, Bundle
from factory.errors import BadInput
from factory.forecast.baselines import baseline_forecasts
from factory.score.card import DateAnswer, Probability, bank_card, score_card
from factory.score.foreign import read_published
from factory.score.rules import NOT_SCORED, PAPER, RuleSet
from factory.workspace import Workspace, first_problem
from schemas import (
    LANGS,
    AnonTimeline,
    Forecast,
    PointSet,
    PredictionPoint,
    Question,
    ScoreCard,
    TemporalEvent,
)

RULES: dict[str, RuleSet] = {"paper": PAPER}
"""Rule sets by name."""


@dataclass(frozen=True)
class Key:
    """One of our banks with its answers and the forecasts that come with it."""

    event: str
    points: Sequence[PredictionPoint]
    questions: Sequence[Question]
    events: Sequence[TemporalEvent]
    forecasts: Sequence[Forecast]


def score_path(path: Path, *, rules: str = "paper", forecasts: Path | None = None) -> ScoreCard:
    """Score an event's folder, a released bundle, or published points (`zh/`, `en/`, or `demo/` with both).

    `forecasts` is a file of one's own answers, scored beside the baselines of an event or bundle. BadInput names
    an unknown rule set, a folder that is none of them, or the line of a forecast that cannot be scored.
    """
    if rules not in RULES:
        raise BadInput(f"no rule set {rules!r}; there is {', '.join(RULES)}")
    key = _key(path)
    if key is not None:
        own = read_forecasts(forecasts, key) if forecasts else []
        return bank_card(
            [*key.forecasts, *own],
            event=key.event,
            points=key.points,
            questions=key.questions,
            events=key.events,
            rules=RULES[rules],
        )
    folder = path / "demo" if (path / "demo").is_dir() else path
    if not any((folder / edition).is_dir() for edition in ("zh", "en")):
        raise BadInput(
            f"{path} is neither an event's folder, a bundle nor a published bank; give workspaces/<event>, its "
            "09_release, or the folder that holds zh/ and en/"
        )
    if forecasts:
        raise BadInput(
            f"{path} is a published bank, which holds its own answers; give --forecasts with an event or a bundle"
        )
    rows = list(read_published(folder))
    return score_card(
        (row for row in rows if isinstance(row, Probability)),
        (row for row in rows if isinstance(row, DateAnswer)),
        RULES[rules],
    )


def _key(path: Path) -> Key | None:
    """The bank of an event or bundle; None when the path is neither."""
    if (path / "event.toml").is_file():
        workspace = Workspace(path)
        key = Key(
            event=workspace.read(AnonTimeline, pipeline.ANON).public_id,
            points=workspace.read(PointSet, pipeline.POINTS).points,
            questions=workspace.read_lines(Question, pipeline.QUESTIONS),
            events=workspace.read_lines(TemporalEvent, pipeline.EVENTS),
            forecasts=workspace.read_lines(Forecast, pipeline.FORECASTS),
        )
        _whole(path, key.points, key.questions, key.events)
        return key
    if not (path / MANIFEST).is_file():
        return None
    bundle = Bundle.read(path)
    points = bundle.points.points
    _whole(path, points, bundle.questions, bundle.events)
    return Key(
        event=bundle.public_id,
        points=points,
        questions=bundle.questions,
        events=bundle.events,
        forecasts=list(
            baseline_forecasts(bundle.timeline, points, bundle.questions, bundle.events)
        ),
    )


def _whole(
    path: Path,
    points: Sequence[PredictionPoint],
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
) -> None:
    known = {point.point_id for point in points}
    rows: list[Question | TemporalEvent] = [*questions, *events]
    for row in rows:
        if row.point_id not in known:
            raise BadInput(
                f"{path} asks something at point {row.point_id}, which it does not hold; "
                f"run `factory check {path}`"
            )


def read_forecasts(path: Path, key: Key) -> list[Forecast]:
    """One's own forecasts as JSON lines of `schemas.Forecast`.

    BadInput names the line that is no forecast, answers what the bank does not ask there, answers the same twice,
    or takes the system and run of a forecast that comes with the bank.
    """
    taken = {(row.system, row.run) for row in key.forecasts}
    asked: dict[str, dict[str, Question | TemporalEvent]] = {
        "calibration": {row.question_id: row for row in key.questions},
        "temporal": {row.event_id: row for row in key.events},
    }
    found: dict[tuple[str, ...], int] = {}
    rows = []
    for number, row in _forecast_lines(path):
        where = f"{path} line {number}"
        if (row.system, row.run) in taken:
            raise BadInput(
                f"{where}: system {row.system!r} with run {row.run!r} comes with this bank; name yours otherwise"
            )
        known = asked[row.axis].get(row.ref)
        if known is None:
            raise BadInput(
                f"{where}: this bank asks no {row.ref!r} on the {row.axis} axis; take ids from "
                f"exam/{row.lang}/{row.axis}.jsonl of the bundle that was sat"
            )
        if row.point_id != known.point_id:
            raise BadInput(
                f"{where}: {row.ref} is asked at point {known.point_id}, not {row.point_id}; correct point_id"
            )
        if row.lang not in known.text:
            raise BadInput(
                f"{where}: {row.ref} has no {row.lang} edition; correct lang to one of "
                f"{', '.join(lang for lang in LANGS if lang in known.text)}"
            )
        first = found.setdefault((row.system, row.run, row.axis, row.lang, row.ref), number)
        if first != number:
            raise BadInput(
                f"{where}: {row.system} answers {row.ref} in {row.lang} already on line {first}; keep one of the "
                "lines, or give another run"
            )
        rows.append(row)
    if not rows:
        raise BadInput(f"{path} holds no forecast; write one JSON line an answer")
    return rows


def _forecast_lines(path: Path) -> Iterator[tuple[int, Forecast]]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise BadInput(
            f"cannot read the forecasts {path}: {error.strerror}; give a file of JSON lines"
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, Forecast.model_validate_json(line)
        except ValidationError as error:
            raise BadInput(
                f"{path} line {number} is no forecast ({first_problem(error)}); "
                "`factory schema Forecast` shows its fields, docs/scoring.md an example"
            ) from error


def why_not_scored(card: ScoreCard, system: str) -> str:
    """Why a system has no overall score, in a few words; empty when it has one."""
    if card.overall.get(system) != NOT_SCORED:
        return ""
    cells = [cell for cell in card.cells if cell.system == system]
    axes = sorted({cell.axis for cell in cells})
    if len(axes) == 1:
        return f"sat the {axes[0]} axis only"
    empty = [f"{c.axis} {c.edition}" for c in cells if c.score == NOT_SCORED]
    return f"nothing answered in {', '.join(empty)}"
