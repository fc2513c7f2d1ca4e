"""Two banks side by side: what `factory diff` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.base import Day, Lang, Record, Text

Change = Literal["added", "dropped", "relabelled", "reworded"]


class DiffSide(Record):
    """One of the two."""

    name: Text
    """Name of the event, or the bundle's folder."""
    kind: Literal["event", "bundle"]
    """What was read: an event's own files, or a released bundle."""
    public_id: Text
    """Its opaque name; equal ids mean that ids of questions can be compared."""
    current: bool
    """False when an event's bank is older than what it rests on, so that a run would change it."""


class FigureDiff(Record):
    """One figure on both sides; none where a side does not hold it."""

    name: Text
    """What it measures."""
    a: float | None
    """First side."""
    b: float | None
    """Second side."""


class GateDiff(Record):
    """One gate on both sides; empty where a side was not measured."""

    name: Text
    """Which gate."""
    state_a: str
    """passed, failed, not evaluated or waived."""
    state_b: str
    """The same of the second side."""
    measure_a: str
    """What was measured."""
    measure_b: str
    """The same of the second side."""


class PromptDiff(Record):
    """A prompt whose text differs between two events."""

    name: Text
    """stage/name."""
    a: str
    """sha256 of its texts on the first side."""
    b: str
    """The same of the second side."""


class RowDiff(Record):
    """One question or dated event that is not the same on both sides."""

    change: Change
    """relabelled wins over reworded."""
    id_a: str
    """Id on the first side; empty when it was added."""
    id_b: str
    """Id on the second side; empty when it was dropped."""
    cutoff: Day
    """Cutoff of its point."""
    window_days: int | None
    """Window of a question; none for a dated event."""
    answer_a: str
    """0 or 1, or the day; empty when it was added."""
    answer_b: str
    """The same on the second side."""
    text_a: dict[Lang, str]
    """What is asked on the first side."""
    text_b: dict[Lang, str]
    """What is asked on the second side."""


class RowsDiff(Record):
    """Questions or dated events of both sides."""

    a: int = Field(ge=0)
    """How many the first side has."""
    b: int = Field(ge=0)
    """How many the second side has."""
    same: int = Field(ge=0)
    """Same point, window, words and answer on both."""
    changes: tuple[RowDiff, ...]
    """All others, relabelled first, then reworded, dropped, added; by cutoff."""


class BankDiff(Record):
    """Two banks side by side."""

    a: DiffSide
    """First side."""
    b: DiffSide
    """Second side."""
    notes: tuple[str, ...] = ()
    """What a reader has to know first."""
    prompts: tuple[PromptDiff, ...] = ()
    """Prompts that differ, where both sides are events."""
    counts: tuple[FigureDiff, ...]
    """Nodes, points, claims, pairs, questions, dated events."""
    gates: tuple[GateDiff, ...]
    """Every gate."""
    quotas: tuple[FigureDiff, ...]
    """Shares of types and windows that were reached."""
    shortcuts: tuple[FigureDiff, ...]
    """Score of each rule and attacker that reads no context, where the side holds them."""
    scores: tuple[FigureDiff, ...]
    """Systems that read no text, by axis."""
    questions: RowsDiff
    """Probability questions."""
    events: RowsDiff
    """Dated events."""
