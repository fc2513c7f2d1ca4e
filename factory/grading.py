"""Grading for `factory score`: banks of ours, published banks, and one's own answers to either kind of exam.

A path is an event's folder, a released bundle, or the folder of a published bank; several are graded as one
benchmark. Rules that read no text sit every bank beside the systems, so that a score can be told from what the
bank's structure gives away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from factory import pipeline
from factory.bundle import MANIFEST, Bundle
from factory.errors import BadInput
from factory.forecast.baselines import known_days
from factory.published.beside import anchors, published_notes, published_table
from factory.published.leaderboard import Leaderboard, published_figures
from factory.published.pages import read_pages
from factory.score.answers import read_answers
from factory.score.bank import bank_sheets
from factory.score.card import DEFAULT, SEED, Wanted, score_card
from factory.score.known import Known
from factory.score.rules import rule_set
from factory.score.sheet import Sheet, join
from factory.score.textfree import TEXT_FREE, with_text_free
from factory.workspace import Workspace
from schemas import (
    AnonTimeline,
    Claim,
    Forecast,
    PointSet,
    PredictionPoint,
    Problem,
    Question,
    ScoreCard,
    TemporalEvent,
    TypedCard,
)

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True)
class Sat:
    """What was sat at one path: sheets with the systems' answers, and what the rules without text may know."""

    calibration: Sheet | None
    temporal: Sheet | None
    known: Mapping[tuple[str, str], Known]
    problems: tuple[Problem, ...] = ()
    figures: Leaderboard | None = None


def score_paths(
    paths: Sequence[Path],
    *,
    rules: str = "paper",
    forecasts: Sequence[Path] = (),
    runs: Sequence[str] = (),
    horizon: float = 90.0,
    wanted: Wanted = DEFAULT,
    seed: int = SEED,
) -> ScoreCard:
    """Grade everything at the paths under one rule set, text-free rules included.

    `forecasts` are files of one's own answers, which belong to an event or bundle; `runs` limits those and the runs
    stored with an event to the named ones; `horizon` is T of the rule set overview, in days. BadInput names an
    unknown rule set, a path that is no bank, the same bank given twice, or answers that fit none.
    """
    chosen = rule_set(rules, horizon=horizon)
    banks = [bank for path in paths if (bank := _bank(path)) is not None]
    published = [path for path in paths if _bank_kind(path) == "published"]
    if forecasts and not banks:
        raise BadInput(
            f"{paths[0]} is a published bank, which holds its own answers; give --forecasts with an event or a bundle"
        )
    _distinct([bank.event for bank in banks] + [str(path.resolve()) for path in published])
    sat = [*_sit(banks, forecasts, runs), *(_published(path) for path in published)]
    calibration = _joined(part.calibration for part in sat)
    temporal = _joined(part.temporal for part in sat)
    known = {key: value for part in sat for key, value in part.known.items()}
    card = score_card(
        *with_text_free(calibration, temporal, known, seed=seed),
        rules=chosen,
        text_free=TEXT_FREE,
        wanted=wanted,
        seed=seed,
    )
    figures = next((part.figures for part in sat if part.figures), None)
    if chosen.name != "paper":
        figures = None
    beside = published_table(card, figures)
    return card.model_copy(
        update={
            "anchors": anchors(card, figures, TEXT_FREE),
            "tables": (*beside, *card.tables),
            "problems": tuple(problem for part in sat for problem in part.problems),
            "notes": (*published_notes(beside), *card.notes),
        }
    )


def score_records(
    questions: Path,
    *,
    rules: str,
    forecasts: Sequence[Path],
    aggregate: str = "majority",
    model_cutoff: date | None = None,
) -> TypedCard:
    """Grade answers to a file of typed questions under `forecast` (FOReCAst) or `sim` (ForecastBench-Sim).

    BadInput for other rule sets, unreadable files and answers that fit no question.
    """
    if rules == "forecast":
        from factory.score.typed import score_typed

        if not forecasts:
            raise BadInput(f"{questions} holds questions; give the answers with --forecasts FILE")
        return score_typed(questions, forecasts, aggregate=aggregate, cutoff=model_cutoff)
    if rules == "sim":
        from factory.score.simanswers import score_sim

        return score_sim(questions, forecasts)
    raise BadInput(
        f"{questions} is a file of typed questions; grade it with --rules forecast or --rules sim"
    )


def _joined(sheets: Iterable[Sheet | None]) -> Sheet | None:
    held = [sheet for sheet in sheets if sheet is not None]
    return join(held) if held else None


def _distinct(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"the bank {name} is given twice; give each once")


# Banks of ours


@dataclass(frozen=True)
class Key:
    """One of our banks with what was answered in its own folder."""

    path: Path
    event: str
    timeline: AnonTimeline
    points: Sequence[PredictionPoint]
    questions: Sequence[Question]
    events: Sequence[TemporalEvent]
    claims: Sequence[Claim]
    stored: Sequence[Path]
    """Answer files of runs stored with the event."""


def _bank_kind(path: Path) -> str:
    if (path / "event.toml").is_file():
        return "event"
    if (path / MANIFEST).is_file():
        return "bundle"
    folder = path / "demo" if (path / "demo").is_dir() else path
    if any((folder / edition).is_dir() for edition in ("zh", "en")):
        return "published"
    raise BadInput(
        f"{path} is neither an event's folder, a bundle nor a published bank; give workspaces/<event>, its "
        "09_release, or the folder that holds zh/ and en/"
    )


def _bank(path: Path) -> Key | None:
    """The bank of an event or bundle; None for a published one. BadInput when the path is no bank at all."""
    kind = _bank_kind(path)
    if kind == "published":
        return None
    if kind == "event":
        workspace = Workspace(path)
        timeline = workspace.read(AnonTimeline, pipeline.EDITION_TIMELINE)
        key = Key(
            path=path,
            event=timeline.public_id,
            timeline=timeline,
            points=workspace.read(PointSet, pipeline.POINTS).points,
            questions=workspace.read_lines(Question, pipeline.QUESTIONS),
            events=workspace.read_lines(TemporalEvent, pipeline.EVENTS),
            claims=workspace.read_lines(Claim, pipeline.EDITION_CLAIMS),
            stored=sorted(path.glob("runs/*/forecasts.jsonl")),
        )
    else:
        bundle = Bundle.read(path)
        key = Key(
            path=path,
            event=bundle.public_id,
            timeline=bundle.timeline,
            points=bundle.points.points,
            questions=bundle.questions,
            events=bundle.events,
            claims=bundle.claims,
            stored=(),
        )
    return key


def _sit(banks: Sequence[Key], forecasts: Sequence[Path], runs: Sequence[str]) -> list[Sat]:
    """Sheets of our banks with the answers that belong to each of them."""
    if not banks:
        return []
    files = [*forecasts, *(path for bank in banks for path in bank.stored)]
    answers: list[Forecast] = []
    problems: tuple[Problem, ...] = ()
    if files:
        answers, problems = read_answers(
            files,
            questions=[row for bank in banks for row in bank.questions],
            events=[row for bank in banks for row in bank.events],
            taken=TEXT_FREE,
        )
    if runs:
        met = {row.run for row in answers}
        for run in runs:
            if run not in met:
                raise BadInput(
                    f"no answer belongs to run {run!r}; there is {', '.join(sorted(met)) or 'none'}"
                )
        answers = [row for row in answers if row.run in runs]
    sat = []
    for number, bank in enumerate(banks):
        refs = {row.question_id for row in bank.questions} | {row.event_id for row in bank.events}
        calibration, temporal = bank_sheets(
            event=bank.event,
            points=bank.points,
            questions=bank.questions,
            events=bank.events,
            claims=bank.claims,
            forecasts=[row for row in answers if row.ref in refs],
        )
        known = known_days(bank.event, bank.timeline, bank.points)
        sat.append(Sat(calibration, temporal, known, problems if number == 0 else ()))
    return sat


# Published banks


def _published(path: Path) -> Sat:
    folder = path / "demo" if (path / "demo").is_dir() else path
    pages = read_pages(folder)
    return Sat(
        calibration=pages.calibration,
        temporal=pages.temporal,
        known=pages.known(),
        problems=pages.problems,
        figures=published_figures(folder),
    )
