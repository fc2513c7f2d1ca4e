"""The SocietyBench dataset layout, into records and out again without loss.

    <event>/<zh|en>/timeline_anon.md          the anonymised timeline
                    prediction_points.json    nodes and points
                    contexts/P01_context.md   what is known at a point
                    gt/P01_gt.md              what comes after it
                    questionbank/P01_questionbank.json

The editions may also stand at the root. Texts come out byte for byte and JSON with equal values; JSON in the form
of `strict.dump`, in which our own files are written, comes out byte for byte too. Fields and files that are not
known here are kept as they are, whatever they hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from factory.errors import BadInput
from factory.published import strict
from factory.published.rows import FieldError, day, foreign_question
from schemas import (
    Axis,
    ForeignBank,
    ForeignDataset,
    ForeignEdition,
    ForeignFile,
    ForeignOutline,
    ForeignPoint,
    ForeignQuestion,
    Lang,
)

TIMELINE = "timeline_anon.md"
OUTLINE = "prediction_points.json"
CONTEXT = "contexts/{}_context.md"
TRUTH = "gt/{}_gt.md"
BANK = "questionbank/{}_questionbank.json"
MAX_BYTES = 256 * 2**20
"""A larger file is refused: the largest published data file has less than 1 MB."""

_PATH = re.compile(
    r"(?:(?P<event>[^/]+)/)?(?P<edition>zh|en)/(?:"
    r"(?P<timeline>timeline_anon\.md)|(?P<outline>prediction_points\.json)|"
    r"contexts/(?P<context>P\d+)_context\.md|gt/(?P<truth>P\d+)_gt\.md|"
    r"questionbank/(?P<bank>P\d+)_questionbank\.json)",
    re.ASCII,
)
_KINDS = ("timeline", "outline", "context", "truth", "bank")
_LANGS: dict[str, Lang] = {"en": "en", "zh": "zh"}


def read_layout(folder: Path) -> ForeignDataset:
    """Everything under `folder` but version control (`.git`) and empty folders.

    BadInput names the file, and inside JSON the field, that cannot be read; it is also raised where nothing has
    the layout.
    """
    found: dict[tuple[str, Lang], dict[str, dict[str, Path]]] = {}
    extra = []
    for name, path in _files(folder):
        match = _PATH.fullmatch(name)
        if match is None:
            extra.append(ForeignFile(path=name, data=_bytes(path)))
            continue
        key = (match["event"] or "", _LANGS[match["edition"]])
        kind = next(kind for kind in _KINDS if match[kind])
        found.setdefault(key, {kind: {} for kind in _KINDS})[kind][match[kind]] = path
    if not found:
        raise BadInput(
            f"{folder} holds no bank in the dataset layout; give the folder with <event>/<zh|en>/ or <zh|en>/ that "
            f"hold {TIMELINE}, {OUTLINE} and {BANK.format('P01')}"
        )
    editions = tuple(_edition(*key, found[key]) for key in sorted(found))
    return ForeignDataset(editions=editions, files=tuple(extra))


def layout_files(dataset: ForeignDataset) -> dict[str, bytes]:
    """Path below the root -> bytes. Rows are written from their `fields`; what was derived is not written.

    BadInput when two parts of the dataset claim one path.
    """
    files: dict[str, bytes] = {}
    for path, data in _written(dataset):
        if path in files:
            raise BadInput(f"{path} stands twice in the data set; rename one of the two")
        files[path] = data
    return files


def _written(dataset: ForeignDataset) -> Iterator[tuple[str, bytes]]:
    for edition in dataset.editions:
        root = f"{edition.event}/{edition.edition}" if edition.event else edition.edition
        if edition.timeline is not None:
            yield f"{root}/{TIMELINE}", edition.timeline.encode()
        if edition.outline is not None:
            outline = edition.outline
            known: dict[str, Any] = {
                "nodes": list(outline.nodes),
                "prediction_points": list(outline.points),
            }
            yield f"{root}/{OUTLINE}", _ordered(outline.keys, known, outline.fields, OUTLINE)
        for point in edition.points:
            name = point.point_id
            if point.context is not None:
                yield f"{root}/{CONTEXT.format(name)}", point.context.encode()
            if point.truth is not None:
                yield f"{root}/{TRUTH.format(name)}", point.truth.encode()
            if point.bank is not None:
                bank = point.bank
                known = {
                    "brier_questions": [row.fields for row in bank.questions],
                    "events": {
                        kind: [row.fields for row in rows] for kind, rows in bank.events.items()
                    },
                }
                path = f"{root}/{BANK.format(name)}"
                yield path, _ordered(bank.keys, known, bank.fields, path)
    for file in dataset.files:
        yield file.path, file.data


def _ordered(
    keys: tuple[str, ...], known: dict[str, Any], fields: dict[str, Any], path: str
) -> bytes:
    missing = [key for key in keys if key not in known and key not in fields]
    unnamed = [key for key in fields if key not in keys]
    unnamed += [key for key, rows in known.items() if rows and key not in keys]
    if missing or unnamed:
        raise BadInput(
            f"{path} has no value, or no place, for its field {(missing + unnamed)[0]!r}; name every field in keys"
        )
    return strict.dump({key: known[key] if key in known else fields[key] for key in keys})


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Path below the folder, with /, of each file, in order."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder; give the folder that holds the bank")

    def fail(error: OSError) -> None:
        raise BadInput(
            f"cannot read {error.filename}: {error.strerror}; check its permissions"
        ) from error

    names = []
    for root, folders, files in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if name != ".git"]
        names += [Path(root, name) for name in files]
    for path in sorted(names):
        name = path.relative_to(folder).as_posix()
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise BadInput(f"{name!a} is no UTF-8 name; rename the file") from error
        yield name, path


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(
                f"{path} has more than {MAX_BYTES // 2**20} MB; move it out of the folder"
            )
        return path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"cannot read {path}: {error.strerror}; check it or fetch it again"
        ) from error


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode()
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path} is no UTF-8 text (byte {error.start}: {error.reason}); fetch it again"
        ) from error


def _json(path: Path) -> dict[str, Any]:
    try:
        value = strict.parse(_bytes(path))
    except ValueError as error:
        raise BadInput(
            f"{path} is no JSON that could be kept without loss: {error}; correct it or fetch it again"
        ) from error
    if not isinstance(value, dict):
        raise BadInput(f"{path} holds no JSON object; fetch it again")
    return value


def _edition(event: str, edition: Lang, kinds: dict[str, dict[str, Path]]) -> ForeignEdition:
    outline = next((_outline(path) for path in kinds["outline"].values()), None)
    points = []
    stated = {row["point_id"]: row for row in outline.points} if outline else {}
    for name in sorted(
        kinds["context"] | kinds["truth"] | kinds["bank"], key=lambda name: (int(name[1:]), name)
    ):
        context, truth, bank = (kinds[kind].get(name) for kind in ("context", "truth", "bank"))
        listed = stated.get(name, {})
        points.append(
            ForeignPoint(
                point_id=name,
                context=None if context is None else _text(context),
                truth=None if truth is None else _text(truth),
                bank=None if bank is None else _bank(bank, event, edition, name, listed),
            )
        )
    return ForeignEdition(
        event=event,
        edition=edition,
        timeline=next((_text(path) for path in kinds["timeline"].values()), None),
        outline=outline,
        points=tuple(points),
    )


def _outline(path: Path) -> ForeignOutline:
    data = _json(path)
    points = _objects(path, data, "prediction_points")
    seen: set[str] = set()
    for position, point in enumerate(points):
        where = f"prediction_points[{position}]"
        name = point.get("point_id")
        if not isinstance(name, str) or not name:
            raise _wrong(path, f"{where}.point_id is {name!a}, not a text")
        if name in seen:
            raise _wrong(path, f"{where}.point_id {name!a} stands twice")
        seen.add(name)
        with _naming(path, where):
            for key in ("cutoff_date", "target_date"):
                day(point, key)
    return ForeignOutline(
        keys=tuple(data),
        nodes=tuple(_objects(path, data, "nodes")),
        points=tuple(points),
        fields=_rest(data, "nodes", "prediction_points"),
    )


def _bank(path: Path, event: str, edition: Lang, name: str, listed: dict[str, Any]) -> ForeignBank:
    data = _json(path)
    if data.get("point_id", name) != name:
        raise _wrong(path, f"point_id is {data['point_id']!a} in the file of {name}")
    with _naming(path):
        cutoff = day(data, "cutoff_date")
    # Without a cutoff_date of its own a point is cut off on the day of its target node.
    known = cutoff or next(
        (found for key in ("cutoff_date", "target_date") if (found := day(listed, key))), None
    )

    def rows(values: list[dict[str, Any]], axis: Axis, where: str) -> tuple[ForeignQuestion, ...]:
        return tuple(_rows(path, values, axis, where, (event, name, edition), known))

    lists = data.get("events", {})
    if not isinstance(lists, dict):
        raise _wrong(path, "events is no object of lists")
    return ForeignBank(
        keys=tuple(data),
        cutoff=cutoff,
        questions=rows(_objects(path, data, "brier_questions"), "calibration", "brier_questions"),
        events={
            kind: rows(_objects(path, lists, kind, f"events.{kind}"), "temporal", f"events.{kind}")
            for kind in lists
        },
        fields=_rest(data, "brier_questions", "events"),
    )


def _rows(
    path: Path,
    values: list[dict[str, Any]],
    axis: Axis,
    where: str,
    at: tuple[str, str, Lang],
    cutoff: date | None,
) -> Iterator[ForeignQuestion]:
    event, name, edition = at
    met: dict[str, int] = {}
    for position, fields in enumerate(values):
        stated = fields.get("qid") if axis == "calibration" else fields.get("id", fields.get("eid"))
        # The editions are copies of each other, so a row without an id has its position in both.
        key = f"#{position + 1}" if stated is None or stated == "" else str(stated)
        count = met[key] = met.get(key, 0) + 1
        ref = "/".join(filter(None, (event, name, key if count == 1 else f"{key}.{count}")))
        with _naming(path, f"{where}[{position}]"):
            row = foreign_question(
                fields,
                ref=ref,
                event=event,
                point_id=name,
                axis=axis,
                edition=edition,
                cutoff=cutoff,
            )
        yield row


def _objects(path: Path, data: dict[str, Any], name: str, shown: str = "") -> list[dict[str, Any]]:
    """A list of objects; empty where the field is absent."""
    values = data.get(name, [])
    if not isinstance(values, list):
        raise _wrong(path, f"{shown or name} is no list")
    for position, value in enumerate(values):
        if not isinstance(value, dict):
            raise _wrong(path, f"{shown or name}[{position}] is no object")
    return values


def _rest(data: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in names}


@contextmanager
def _naming(path: Path, where: str = "") -> Iterator[None]:
    """Name the file and the place of a field that cannot be used."""
    try:
        yield
    except FieldError as error:
        raise _wrong(path, f"{where}: {error}" if where else str(error)) from error


def _wrong(path: Path, what: str) -> BadInput:
    return BadInput(f"{path}: {what}; correct the file or fetch it again")
