"""Published banks of others, kept verbatim: rows, and the files of the dataset layout."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from schemas.base import Day, Lang, Record, Text
from schemas.exam import Axis


def _one_name(value: str) -> str:
    if value in (".", "..") or any(sign in value for sign in "/\\\0"):
        raise ValueError("must be the name of one folder or file, without a path")
    return value


def _inside(value: str) -> str:
    for part in value.split("/"):
        if not part or part in (".", "..") or any(sign in part for sign in "\\\0"):
            raise ValueError("must be a path below the root, with / between its parts")
    return value


FolderName = Annotated[str, AfterValidator(_one_name)]
"""Name of a folder."""
RelativePath = Annotated[str, AfterValidator(_inside)]
"""Path below a root."""


class ForeignQuestion(Record):
    """A row of a published bank, verbatim, with what our reader could derive from it."""

    ref: Text
    """Stated id: event, point and row key shared by both editions."""
    event: FolderName
    """Event folder; empty where the editions stand at the root."""
    point_id: Text
    """Point as published."""
    axis: Axis
    """Whether a probability or a day is asked."""
    edition: Lang
    """Edition."""
    fields: dict[str, JsonValue]
    """Every field as published, in its order, answers included."""
    cutoff: Day | None = None
    """Cutoff, where stated."""
    window_end: Day | None = None
    """Last day of the window, where the text counts it from the cutoff and agrees with the stored window."""
    target: Day | None = None
    """Target day: as stated; else, on the calibration axis, cutoff + stored distance; of a dated event its day."""


class ForeignBank(Record):
    """One questionbank file."""

    keys: tuple[str, ...]
    """Top-level fields in the order of the file."""
    cutoff: Day | None = None
    """Its cutoff_date, where stated."""
    questions: tuple[ForeignQuestion, ...] = ()
    """brier_questions."""
    events: dict[str, tuple[ForeignQuestion, ...]] = Field(default_factory=dict)
    """Lists of dated events by name: base, all, major. One event may be in several."""
    fields: dict[str, JsonValue] = Field(default_factory=dict)
    """Every other top-level field, verbatim."""


class ForeignPoint(Record):
    """The files of one point in one edition."""

    point_id: FolderName
    """P01, ..."""
    context: str | None = None
    """contexts/<point>_context.md; none where there is no such file."""
    truth: str | None = None
    """gt/<point>_gt.md; none where there is no such file."""
    bank: ForeignBank | None = None
    """questionbank/<point>_questionbank.json; none where there is no such file."""


class ForeignOutline(Record):
    """prediction_points.json."""

    keys: tuple[str, ...]
    """Top-level fields in the order of the file."""
    nodes: tuple[dict[str, JsonValue], ...] = ()
    """Nodes of the timeline, verbatim."""
    points: tuple[dict[str, JsonValue], ...] = ()
    """prediction_points, verbatim."""
    fields: dict[str, JsonValue] = Field(default_factory=dict)
    """Every other top-level field, verbatim."""


class ForeignEdition(Record):
    """One edition of one event."""

    event: FolderName
    """Event folder; empty where the editions stand at the root."""
    edition: Lang
    """Edition."""
    timeline: str | None = None
    """timeline_anon.md; none where there is no such file."""
    outline: ForeignOutline | None = None
    """prediction_points.json; none where there is no such file."""
    points: tuple[ForeignPoint, ...] = ()
    """Points that have a file, by number."""


class ForeignFile(Record):
    """A file that the layout does not name."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    path: RelativePath
    """Path below the root."""
    data: bytes
    """Its bytes; base64 in JSON."""


class ForeignDataset(Record):
    """A published bank in the dataset layout."""

    editions: tuple[ForeignEdition, ...]
    """By event and edition."""
    files: tuple[ForeignFile, ...] = ()
    """Everything else, by path."""
