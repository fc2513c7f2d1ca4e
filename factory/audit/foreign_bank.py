"""A published bank as one thing that can be audited: rows, contexts and files of both its forms.

The project page (`<lang>/<event>/P01.json` beside `P01_context.md`) and the dataset layout name their fields
differently; here each row has the same columns, taken as stored. Rows are never corrected.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from factory.audit.leak_editions import PUBLISHED, Layout
from factory.errors import BadInput
from factory.published.contexts import read_context
from factory.published.folder import page_folder, point_files
from factory.published.keys import type_of
from factory.published.layout import layout_files, read_layout
from factory.published.pages import foreign_questions
from factory.published.rows import DISTANCES, TEXTS, WINDOWS, outcome
from factory.score.lines import Problems
from schemas import LANGS, Axis, ForeignDataset, ForeignEdition, ForeignQuestion, Lang

Form = Literal["project page", "dataset layout"]
Place = tuple[str, str, Lang]
"""(event, point, edition)."""

TYPES = ("qt", "question_type")
HARD = ("diff", "difficulty")
DIMENSIONS = ("dim", "dimension")
WEIGHTS = ("wt", "weight")
NO_DATA = frozenset({"README.md", "LICENSE", ".gitattributes", ".gitignore", "silenced.json"})
"""Files beside a dataset that are no part of it."""


@dataclass(frozen=True)
class Row:
    """A question or dated event of one edition, as stored."""

    ref: str
    """<event>/<point>/<key>, the same in both editions."""
    event: str
    point: str
    edition: Lang
    axis: Axis
    text: str
    kind: str
    """Type as stored: A_true, ...; empty for dated events and where none is stored."""
    difficulty: str
    dimension: str
    answer: int
    """0 or 1; -1 for dated events."""
    window: int | None
    """Window in days, where stored."""
    distance: int | None
    """Days from the cutoff, where stored; of a dated event its day counted from the cutoff, where nothing is stored."""
    weight: float | None
    cutoff: date | None
    target: date | None
    """Target day as stored, else cutoff + distance; of a dated event its day."""

    @property
    def place(self) -> Place:
        """Where it is asked."""
        return self.event, self.point, self.edition

    @property
    def letter(self) -> str:
        """A, B, C or D, else the type as it stands."""
        return type_of(self.kind)

    @property
    def where(self) -> str:
        """A place that a person can find: event, point, edition, key of the row and the beginning of its text."""
        text = self.text if len(self.text) <= 90 else self.text[:87] + "..."
        return f"{self.name}: {text!r}"

    @property
    def name(self) -> str:
        """Event, point, edition and key of the row."""
        stem = "/".join(part for part in (self.event, self.point) if part)
        return f"{stem} {self.edition} {self.ref.removeprefix(stem + '/')}"


@dataclass(frozen=True)
class PublishedBank:
    """Everything of a published bank in both editions."""

    form: Form
    target: str
    """Name of the folder."""
    questions: tuple[Row, ...]
    events: tuple[Row, ...]
    contexts: Mapping[Place, str]
    cutoffs: Mapping[Place, date]
    """Where stated."""
    files: Mapping[str, bytes]
    """Every file of the bank by its path below the folder of the editions."""
    layout: Layout

    @cached_property
    def questions_at(self) -> Mapping[Place, tuple[Row, ...]]:
        """Questions of each point and edition."""
        return _grouped(self.questions)

    @cached_property
    def events_at(self) -> Mapping[Place, tuple[Row, ...]]:
        """Dated events of each point and edition."""
        return _grouped(self.events)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every point and edition with a row, a context or a cutoff."""
        return tuple(sorted({*self.questions_at, *self.events_at, *self.contexts, *self.cutoffs}))


def _grouped(rows: Iterable[Row]) -> dict[Place, tuple[Row, ...]]:
    found: dict[Place, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.place].append(row)
    return {place: tuple(group) for place, group in found.items()}


def read_page_bank(folder: Path) -> PublishedBank:
    """A bank in the form of the project page, from its folder or the folder that holds `demo/`.

    BadInput names what is missing or broken: an edition, a context without its point or the other way round, a file
    that is no JSON, a row with a field that cannot be used.
    """
    root = page_folder(folder)
    problems = Problems()
    files = list(point_files(root, problems))
    stray = next((record for record in problems.records()), None)
    if stray is not None:
        raise BadInput(f"{root}: {stray.reason}: {stray.example}; rename it or move it away")
    _both_editions(root, {file.edition for file in files})
    contexts: dict[Place, str] = {}
    for file in files:
        if not file.context.is_file():
            raise BadInput(
                f"{file.path} has no context beside it; fetch {file.context.name} of {file.event}, too"
            )
        contexts[file.event, file.path.stem, file.edition] = read_context(file.context)
    known = {file.context for file in files}
    for edition in LANGS:
        for path in sorted((root / edition).glob("*/*_context.md")):
            if path not in known:
                raise BadInput(
                    f"{path} is the context of a point that is missing; fetch "
                    f"{path.name.replace('_context.md', '.json')}, too"
                )
    rows = [_row(record) for record in foreign_questions(root)]
    paths = [path for edition in LANGS for path in sorted((root / edition).rglob("*"))]
    return _bank(
        "project page",
        folder,
        rows,
        contexts,
        {row.place: row.cutoff for row in rows if row.cutoff is not None},
        {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.is_file()},
        PUBLISHED,
    )


def read_dataset_bank(folder: Path, layout: Layout) -> PublishedBank:
    """A bank in the dataset layout: `<event>/<zh|en>/` or `<zh|en>/` at the root.

    BadInput names what is missing or broken: an edition, a context or bank of a point, a field that cannot be used.
    """
    dataset = read_layout(folder)
    for event in dict.fromkeys(edition.event for edition in dataset.editions):
        _both_editions(
            folder / event, {part.edition for part in dataset.editions if part.event == event}
        )
    rows: list[Row] = []
    contexts: dict[Place, str] = {}
    cutoffs: dict[Place, date] = {}
    for edition in dataset.editions:
        for point in edition.points:
            place = (edition.event, point.point_id, edition.edition)
            if point.bank is None or point.context is None:
                lacking = "question bank" if point.bank is None else "context"
                raise BadInput(
                    f"{folder}: point {'/'.join(filter(None, place))} has no {lacking}; fetch it again"
                )
            contexts[place] = point.context
            rows += [_row(record) for record in point.bank.questions]
            rows += [_row(record) for record in _dated(point.bank.events)]
            stated = point.bank.cutoff or _outlined(edition, point.point_id)
            if stated is not None:
                cutoffs[place] = stated
    cutoffs |= {row.place: row.cutoff for row in rows if row.cutoff is not None}
    files = layout_files(ForeignDataset(editions=dataset.editions))
    files |= {file.path: file.data for file in dataset.files if file.path not in NO_DATA}
    return _bank("dataset layout", folder, rows, contexts, cutoffs, files, layout)


def _bank(
    form: Form,
    folder: Path,
    rows: list[Row],
    contexts: Mapping[Place, str],
    cutoffs: Mapping[Place, date],
    files: Mapping[str, bytes],
    layout: Layout,
) -> PublishedBank:
    return PublishedBank(
        form=form,
        target=folder.resolve().name,
        questions=tuple(row for row in rows if row.axis == "calibration"),
        events=tuple(row for row in rows if row.axis == "temporal"),
        contexts=contexts,
        cutoffs=cutoffs,
        files=files,
        layout=layout,
    )


def _both_editions(folder: Path, found: Iterable[Lang]) -> None:
    held = sorted(set(found))
    if len(held) == 1:
        other = next(lang for lang in LANGS if lang != held[0])
        raise BadInput(
            f"{folder} holds the edition {held[0]} alone; a published bank is checked in both editions, "
            f"so put {other}/ beside {held[0]}/"
        )


def _dated(lists: Mapping[str, tuple[ForeignQuestion, ...]]) -> Iterable[ForeignQuestion]:
    """Each dated event once: the list `all`, and what only another list holds."""
    seen: dict[str, ForeignQuestion] = {}
    for name in sorted(lists, key=lambda name: (name != "all", name)):
        for record in lists[name]:
            seen.setdefault(record.ref, record)
    return seen.values()


def _outlined(edition: ForeignEdition, point: str) -> date | None:
    """The cutoff that prediction_points.json states for a point."""
    for row in edition.outline.points if edition.outline else ():
        if row.get("point_id") == point:
            value = row.get("cutoff_date") or row.get("target_date")
            return date.fromisoformat(value) if isinstance(value, str) else None
    return None


def _row(record: ForeignQuestion) -> Row:
    fields = record.fields
    distance = _whole(fields, DISTANCES)
    if distance is None and record.axis == "temporal" and record.target and record.cutoff:
        distance = (record.target - record.cutoff).days
    return Row(
        ref=record.ref,
        event=record.event,
        point=record.point_id,
        edition=record.edition,
        axis=record.axis,
        text=_label(fields, TEXTS[record.axis]),
        kind=_label(fields, TYPES),
        difficulty=_label(fields, HARD),
        dimension=_label(fields, DIMENSIONS),
        answer=outcome(fields) if record.axis == "calibration" else -1,
        window=_whole(fields, WINDOWS),
        distance=distance,
        weight=_number(fields, WEIGHTS),
        cutoff=record.cutoff,
        target=record.target,
    )


def _label(fields: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((fields[name] for name in names if isinstance(fields.get(name), str)), "")


def _whole(fields: Mapping[str, Any], names: Iterable[str]) -> int | None:
    value = _number(fields, names)
    return None if value is None else int(value)


def _number(fields: Mapping[str, Any], names: Iterable[str]) -> float | None:
    for name in names:
        value = fields.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:  # a whole number of some hundred digits measures nothing
                return None
    return None
