"""Questions about a simulated world whose future is known, and answers to them.

After ForecastBench-Sim: a world is played to a snapshot, and what is asked lies one of seven horizons behind it. H0
asks for what the report of the snapshot itself says: a check of reading, not a forecast. Continuous questions are
answered by five quantiles, or by the mass of five equal bins as the people of the human pilot did.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.base import Record, Share, Text
from schemas.exam import ForecastStatus

SimKind = Literal["binary", "continuous"]
"""Whether it happens, or how much of something there is."""

SimHorizon = Literal["H0", "H1", "H2", "H3", "H4", "H5", "H6", "H7"]
"""H0 is the snapshot itself; H1 to H7 lie 30 turns apart behind it, H7 and everything later."""

Quantity = Annotated[float, Field(ge=-1e100, le=1e100, allow_inf_nan=False)]
"""An amount; far larger ones would overflow where they are scored."""

Width = Annotated[float, Field(ge=1e-100, le=1e100, allow_inf_nan=False)]
"""A positive amount."""

Mass = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""Probability mass of a bin."""

BINS_TOLERANCE = 0.01
"""How far the mass of five bins may be from 1; the human pilot's answers are up to 0.005 off. It is normalised."""


class SimQuestion(Record):
    """One resolved question about one world."""

    question_id: Text
    """Id."""
    kind: SimKind
    """How it is answered."""
    template: Text
    """What is asked: cities, techs, treasury, score_comparative..."""
    horizon: SimHorizon | None = None
    """How far behind the snapshot; none where it is not told."""
    world: str = ""
    """World or seed: what shares it is resampled together; empty where it is not told."""
    text: str = ""
    """The question as asked."""
    low: Quantity = 0.0
    """Continuous: lower edge of the first bin."""
    range: Width | None = None
    """Continuous: from the lower edge to the upper edge of the last bin, which scores are divided by; none takes the
    template's."""
    outcomes: tuple[Quantity, ...] = ()
    """What came true, once or in each of several replays; 0 or 1 for a binary question."""
    rate: Share | None = None
    """Binary, instead of outcomes: the share of many replays in which it came true."""

    @model_validator(mode="after")
    def _is_resolved(self) -> SimQuestion:
        if not self.template.isprintable():
            raise ValueError("a template is printable text")
        if (self.rate is not None) == bool(self.outcomes):
            raise ValueError("a question has either outcomes or a rate")
        if self.kind == "continuous" and self.rate is not None:
            raise ValueError("only a binary question has a rate")
        if self.kind == "binary" and set(self.outcomes) - {0.0, 1.0}:
            raise ValueError("an outcome of a binary question is 0 or 1")
        if self.kind == "binary" and (self.range is not None or self.low):
            raise ValueError("only a continuous question has a range")
        return self


class SimForecast(Record):
    """One system's answer to one question: a line of a forecast file."""

    system: Text
    """Name of the system."""
    run: Text = "1"
    """Run; several runs of a system are scored apart."""
    question_id: Text
    """Question."""
    status: ForecastStatus = "answered"
    """How it ended; anything but answered carries no value."""
    probability: Share | None = None
    """Answer to a binary question."""
    quantiles: tuple[Quantity, Quantity, Quantity, Quantity, Quantity] | None = None
    """Answer to a continuous question: p10, p25, p50, p75, p90. Crossed ones are taken as they are and counted."""
    bins: tuple[Mass, Mass, Mass, Mass, Mass] | None = None
    """Answer to a continuous question: mass of five equal bins of its range, lowest first, 1 in sum."""
    raw: str = ""
    """The text as answered."""

    @model_validator(mode="after")
    def _one_form(self) -> SimForecast:
        forms = sum(form is not None for form in (self.probability, self.quantiles, self.bins))
        if forms != (self.status == "answered"):
            raise ValueError("an answered forecast has one form of value; others none")
        if self.bins is not None and abs(sum(self.bins) - 1) > BINS_TOLERANCE:
            raise ValueError(f"the mass of the bins has to be 1 within {BINS_TOLERANCE}")
        return self
