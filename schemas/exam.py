"""Sitting the exam and its grades."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from schemas.base import Day, Lang, Record, Share, Text

Axis = Literal["calibration", "temporal"]
ForecastStatus = Literal["answered", "unparsed", "refused", "error"]


class ExamQuestion(Record):
    """A probability question as an examinee may see it: no answer, type, level, difficulty or family."""

    question_id: Text
    """Opaque id."""
    point_id: Text
    """The point, whose context is contexts/<edition>/<point_id>.md."""
    prompt: int = Field(ge=0)
    """Exam prompt at that point; questions of different prompts are never shown together."""
    cutoff: Day
    """Day 0: everything on or after it is hidden."""
    window_start: Day
    """First day of the window, included."""
    window_end: Day
    """Last day of the window, included."""
    text: Text
    """The question, with its window in words."""


class ExamEvent(Record):
    """A dated event as an examinee may see it."""

    event_id: Text
    """Opaque id."""
    point_id: Text
    """The point, whose context is contexts/<edition>/<point_id>.md."""
    cutoff: Day
    """Day 0: the event lies on or after it."""
    text: Text
    """What happens; its day is asked."""


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
