"""Sitting the exam and its grades."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from schemas.base import Day, Lang, Record, Share, Text

Axis = Literal["calibration", "temporal"]
ForecastStatus = Literal["answered", "unparsed", "refused", "error"]


class Forecast(Record):
    """One system's answer to one question or event in one edition."""

    system: Text
    """Name of the system: a model, a baseline or a rule."""
    run: Text
    """Run id."""
    axis: Axis
    """Probability or date."""
    ref: Text
    """question_id or event_id."""
    point_id: Text
    """Point."""
    lang: Lang
    """Edition."""
    status: ForecastStatus
    """How it ended; anything but answered carries no value."""
    probability: Share | None = None
    """For calibration."""
    date: Day | None = None
    """For temporal."""
    raw: str = ""
    """The text as answered."""
    prompt_digest: str = ""
    """sha256 of the prompt shown."""

    @model_validator(mode="after")
    def _value_matches_axis(self) -> Forecast:
        value = self.probability if self.axis == "calibration" else self.date
        other = self.date if self.axis == "calibration" else self.probability
        if other is not None or (self.status == "answered") != (value is not None):
            raise ValueError("an answered forecast has exactly the value of its axis; others none")
        return self


class ScoreCell(Record):
    """One score."""

    system: Text
    """System."""
    event: Text
    """Event or public id."""
    edition: Lang
    """Edition."""
    axis: Axis
    """Axis."""
    score: float | Literal["not scored"]
    """0-100, or not scored when nothing was answered."""
    answered: int = Field(ge=0)
    """Answers used."""
    total: int = Field(ge=0)
    """Questions asked."""


class ScoreCard(Record):
    """Scores of several systems under one rule set."""

    rules: Text
    """Name of the rule set."""
    rules_version: Text
    """Its version."""
    cells: tuple[ScoreCell, ...]
    """Every system, event, edition and axis."""
    overall: dict[str, float | Literal["not scored"]]
    """Per system: mean over events of the mean of editions, mean of the axes."""


class ForeignQuestion(Record):
    """A row of a published bank, verbatim, with what our reader could derive from it."""

    ref: Text
    """Stated id: event, point and row key shared by both editions."""
    event: Text
    """Event folder."""
    point_id: Text
    """Point as published."""
    edition: Lang
    """Edition."""
    fields: dict[str, str | int | float | bool | None]
    """Every scalar field as published."""
    cutoff: Day | None = None
    """Cutoff, where stated."""
    window_end: Day | None = None
    """End of the window, where derivable."""
    target: Day | None = None
    """Target day, where derivable."""
