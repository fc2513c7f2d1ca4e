"""The project page of SocietyBench: `<zh|en>/<event>/P<NN>.json` beside `P<NN>_context.md`, as two sheets.

Distances, weights' windows and outcomes are taken as stored, never recomputed: the published scores were made with
them, though they disagree with the text of many questions. What cannot be used is counted by reason, never
dropped in silence.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from factory.errors import BadInput
from factory.published.contexts import days_in, read_context
from factory.published.folder import PointFile, page_folder, point_files
from factory.published.keys import event_key, question_key
from factory.published.point import Point, Reader
from factory.published.rows import FieldError, day, foreign_question
from factory.published.sheets import page_sheet
from factory.published.values import load, whole
from factory.score.known import Known, KnownAt
from factory.score.lines import Problems
from factory.score.sheet import Sheet
from schemas import Axis, ForeignQuestion, Problem


@dataclass(frozen=True)
class Published:
    """Everybody's answers on all that was published.

    A row's `ref` is `<event>/<point>/<key>`. Of an event the key is its published id. The page gives a question no
    id; its key is made of the fields that agree one to one between the editions (qt, wd, dfc, diff and the
    dimension) and, where several questions of a point share them, the position among those. So a ref says the same
    type, window, distance, outcome and difficulty in both editions. Of the questions of one point 33 in 100 share
    their key with another, and there the ref does not say that it is the same sentence: the page sorts by text, and
    the order differs between the editions.
    """

    calibration: Sheet
    temporal: Sheet
    problems: tuple[Problem, ...]
    files: tuple[PointFile, ...] = ()
    """Points that were read."""
    _days: dict[tuple[str, str], Known] = field(default_factory=dict, repr=False, compare=False)

    def known(self) -> KnownAt:
        """Days that each point's context speaks of, by (point, edition), up to and with the cutoff.

        Reads the contexts when it is first called. Where the last week runs from cutoff - 7 to the cutoff, both
        included, and the span from the first to the last day found, the published frequency and momentum rules
        give 53.88 and 54.17 with it (published: 53.8 and 54.2). A point without cutoff or context is not among
        the keys: nothing is known of it. BadInput names a context that cannot be read.
        """
        if not self._days:
            cutoffs: dict[tuple[str, str], str] = {}
            for sheet in (self.calibration, self.temporal):
                points = zip(sheet.point.labels(), sheet.edition.labels(), strict=True)
                cutoffs.update(zip(points, sheet.cutoff, strict=True))
            for file in self.files:
                stated = cutoffs.get((file.name, file.edition), "")
                if stated and file.context.is_file():
                    cutoff = date.fromisoformat(stated)
                    days = days_in(read_context(file.context), cutoff)
                    self._days[file.name, file.edition] = Known(cutoff, days)
        return dict(self._days)


def read_pages(folder: Path, systems: Collection[str] | None = None) -> Published:
    """Answers of all systems, or of some, to everything under `folder` (or its `demo/`).

    Temporal rows outside 0 to 90 days from the cutoff are no part of that axis: they are left out, and counted.
    An answer that the page does not list is MISSING; one that it lists without a usable value is UNPARSED and
    counted by reason. BadInput when there is no point that can be read, or a system that nobody knows.
    """
    folder = page_folder(folder)
    problems = Problems()
    reader = Reader(problems, None if systems is None else frozenset(systems))
    read: list[tuple[PointFile, Point]] = []
    first_error: BadInput | None = None
    with _no_collections():
        for file in point_files(folder, problems):
            try:
                read.append((file, reader.point(file.path, file.where)))
            except BadInput as error:
                first_error = first_error or error
                problems.add("file that is no published point; left out", str(error))
                continue
            if not file.context.is_file():
                problems.add(
                    "point without its context; rules that read days of the context leave it out",
                    f"{file.edition}/{file.event}/{file.context.name}",
                )
    if first_error is not None and not read:
        raise first_error
    if not read:
        raise _no_points(folder)
    unknown = sorted(set(systems or ()) - set(reader.systems))
    if unknown:
        raise BadInput(
            f"no point under {folder} lists the system {unknown[0]!r}; take a name as the files spell it"
        )
    _compare_cutoffs(read, problems)
    return Published(
        calibration=page_sheet("calibration", read, reader, problems),
        temporal=page_sheet("temporal", read, reader, problems),
        problems=problems.records(),
        files=tuple(file for file, _ in read),
    )


@contextmanager
def _no_collections() -> Iterator[None]:
    """Hold the cycle collector: half a million small lists without a cycle would be walked again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _compare_cutoffs(read: list[tuple[PointFile, Point]], problems: Problems) -> None:
    first: dict[str, str] = {}
    for file, point in read:
        if point.cutoff and first.setdefault(file.name, point.cutoff) != point.cutoff:
            problems.add(
                "point whose editions state different cutoffs; each is kept",
                f"{file.name}: {first[file.name]} and {point.cutoff}",
            )


def foreign_questions(folder: Path) -> Iterator[ForeignQuestion]:
    """Every question and dated event of every point under `folder` (or its `demo/`), one record a row.

    All fields stay verbatim, answers included; refs are those of `read_pages`. What is derived is said at
    `foreign_question`: the page states no target day, and says in words only of some questions where their window
    starts. BadInput names the file, row and field that cannot be used.
    """
    folder = page_folder(folder)
    found = False
    for file in point_files(folder, Problems()):
        found = True
        data = load(file.path)
        try:
            cutoff = day(data, "cutoff")
        except FieldError as error:
            raise BadInput(f"{file.path}: {error}; correct the file or fetch it again") from error
        axes: tuple[tuple[str, Axis], ...] = (("cal", "calibration"), ("time", "temporal"))
        for name, axis in axes:
            rows = data.get(name)
            if not isinstance(rows, list):
                raise BadInput(f"{file.path}: {name} is no list; fetch it again")
            yield from _records(file, name, axis, rows, cutoff)
    if not found:
        raise _no_points(folder)


def _no_points(folder: Path) -> BadInput:
    return BadInput(
        f"{folder} holds no published points; give the folder with zh/ and en/ that hold <event>/P01.json"
    )


def _records(
    file: PointFile, name: str, axis: Axis, rows: list[Any], cutoff: date | None
) -> Iterator[ForeignQuestion]:
    met: dict[str, int] = {}
    for position, fields in enumerate(rows):
        at = f"{file.path}: {name}[{position}]"
        if not isinstance(fields, dict):
            raise BadInput(f"{at} is no object; fetch the file again")
        try:
            if axis == "temporal":
                key = event_key(fields.get("eid"), position)
            else:
                key = question_key(
                    _label(fields, "qt"),
                    _number(fields, "wd"),
                    _number(fields, "dfc"),
                    _number(fields, "gt"),
                    _label(fields, "diff"),
                    _label(fields, "dim"),
                )
            count = met[key] = met.get(key, 0) + 1
            yield foreign_question(
                fields,
                ref=f"{file.name}/{key}" if count == 1 else f"{file.name}/{key}.{count}",
                event=file.event,
                point_id=file.path.stem,
                axis=axis,
                edition=file.edition,
                cutoff=cutoff,
            )
        except FieldError as error:
            raise BadInput(f"{at}: {error}; correct the file or fetch it again") from error


def _number(fields: dict[str, Any], name: str) -> float:
    value = whole(fields.get(name))
    if value is None:
        raise FieldError(f"{name} is {fields.get(name)!a}, not a whole number"[:200])
    return value


def _label(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
