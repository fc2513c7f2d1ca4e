"""Grading for `factory score`: an event's stored forecasts, or the answers of a published bank."""

from __future__ import annotations

from pathlib import Path

from factory import pipeline
from factory.errors import BadInput
from factory.score.card import DateAnswer, Probability, bank_card, score_card
from factory.score.foreign import read_published
from factory.score.rules import PAPER, RuleSet
from factory.workspace import Workspace
from schemas import AnonTimeline, Forecast, PointSet, Question, ScoreCard, TemporalEvent

RULES: dict[str, RuleSet] = {"paper": PAPER}
"""Rule sets by name."""


def score_path(path: Path, *, rules: str = "paper") -> ScoreCard:
    """Score an event's folder, or a folder of published points (`zh/`, `en/`, or `demo/` with both).

    BadInput names an unknown rule set or a folder that is neither.
    """
    if rules not in RULES:
        raise BadInput(f"no rule set {rules!r}; there is {', '.join(RULES)}")
    if (path / "event.toml").is_file():
        workspace = Workspace(path)
        return bank_card(
            workspace.read_lines(Forecast, pipeline.FORECASTS),
            event=workspace.read(AnonTimeline, pipeline.ANON).public_id,
            points=workspace.read(PointSet, pipeline.POINTS).points,
            questions=workspace.read_lines(Question, pipeline.QUESTIONS),
            events=workspace.read_lines(TemporalEvent, pipeline.EVENTS),
            rules=RULES[rules],
        )
    folder = path / "demo" if (path / "demo").is_dir() else path
    if not any((folder / edition).is_dir() for edition in ("zh", "en")):
        raise BadInput(
            f"{path} is neither an event's folder nor a published bank; give workspaces/<event> or the folder "
            "that holds zh/ and en/"
        )
    rows = list(read_published(folder))
    return score_card(
        (row for row in rows if isinstance(row, Probability)),
        (row for row in rows if isinstance(row, DateAnswer)),
        RULES[rules],
    )
