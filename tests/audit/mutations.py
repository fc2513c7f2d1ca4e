"""Every small change that can be made to a released bundle: one field, one row or one character at a time.

A change is applied to one file, the digests of the manifest are made to agree again, and what `factory check` says
is compared with the rules that the field's promise belongs to. `rebuilt` goes further: it also derives every other
file from the changed key, as a careful forger would.
"""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from factory.bundle import (
    ANONYMISATION_CARD,
    BANK_CARD,
    CLAIMS,
    EVENTS,
    MANIFEST,
    PAIRS,
    POINTS,
    QUESTIONS,
    RESOLUTIONS,
    TIMELINE,
    Bundle,
    build_files,
)
from factory.workspace import sha256_bytes
from schemas import (
    AnonTimeline,
    AnonymisationCard,
    BankCard,
    Claim,
    ExamEvent,
    ExamQuestion,
    Pair,
    PointSet,
    Question,
    ReleaseManifest,
    Resolution,
    TemporalEvent,
)

MODELS: dict[str, type[BaseModel]] = {
    QUESTIONS: Question,
    EVENTS: TemporalEvent,
    CLAIMS: Claim,
    RESOLUTIONS: Resolution,
    PAIRS: Pair,
    POINTS: PointSet,
    TIMELINE: AnonTimeline,
    ANONYMISATION_CARD: AnonymisationCard,
    BANK_CARD: BankCard,
    MANIFEST: ReleaseManifest,
    **{f"exam/{lang}/calibration.jsonl": ExamQuestion for lang in ("en", "zh")},
    **{f"exam/{lang}/temporal.jsonl": ExamEvent for lang in ("en", "zh")},
}
KEY: dict[str, str] = {
    QUESTIONS: "questions",
    EVENTS: "events",
    CLAIMS: "claims",
    RESOLUTIONS: "resolutions",
    PAIRS: "pairs",
    POINTS: "points",
    TIMELINE: "timeline",
    ANONYMISATION_CARD: "card",
}
"""Files of the key and the part of a Bundle that each one is."""

Files = Mapping[str, bytes]
Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutation:
    """One change of one file."""

    file: str
    field: str
    """Path inside a record with [] for any element; "row" for whole rows, "bytes" for texts."""
    how: str
    place: Path_
    """Where, as keys and indices from the file's list of records."""
    value: Any
    """What stands there afterwards; for rows the whole new list of records."""

    @property
    def name(self) -> str:
        return f"{self.file} {self.field}: {self.how}"


def records(file: str, data: bytes) -> list[Any]:
    """The records of a JSON or JSON lines file."""
    if file.endswith(".jsonl"):
        return [json.loads(line) for line in data.splitlines() if line.strip()]
    return [json.loads(data)]


def dumped(file: str, rows: list[Any]) -> bytes:
    """Records as the release writes them, so that nothing but the change differs."""
    model = MODELS.get(file)
    try:
        if model is None:
            raise ValueError
        typed = [model.model_validate_json(json.dumps(row)) for row in rows]
        if file.endswith(".jsonl"):
            return "".join(row.model_dump_json() + "\n" for row in typed).encode()
        return (typed[0].model_dump_json(indent=2) + "\n").encode()
    except ValueError:
        if file.endswith(".jsonl"):
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        return (json.dumps(rows[0], ensure_ascii=False, indent=2) + "\n").encode()


def leaves(value: Any, place: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every field with its value, lists before their elements."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list):
        yield place, value
        for index, inner in enumerate(value):
            yield from leaves(inner, (*place, index))
    else:
        yield place, value


def field_name(place: Path_) -> str:
    """A place without its row number, with [] for indices: `evidence[].quote`."""
    text = ""
    for part in place[1:]:
        text += "[]" if isinstance(part, int) else f".{part}" if text else part
    return text


def schema_choices(model: type[BaseModel]) -> dict[str, frozenset[Any]]:
    """Field name -> allowed values, for every closed list in a record and those inside it."""
    found: dict[str, frozenset[Any]] = {}
    schema = TypeAdapter(model).json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        for name, field in part.get("properties", {}).items():
            if "enum" in field:
                found[name] = frozenset(field["enum"])
    return found


ID = re.compile(
    r"(?:_id|_claim|^mirrors|^context\[\]|^truth\[\]|points\[\]\.(?:context|truth)\[\])$"
)
DAY = re.compile(r"\d{4}-\d\d-\d\d")


def other_values(
    field: str, value: Any, known: list[Any], allowed: frozenset[Any]
) -> Iterator[tuple[str, Any]]:
    """Every kind of change of one value, named."""
    if isinstance(value, bool):
        yield "flip", not value
    elif allowed and value in allowed:
        others = sorted(allowed - {value})
        if others:
            yield "other choice", others[0]
    elif isinstance(value, int):
        yield ("flip", 1 - value) if field.endswith("answer") else ("one more", value + 1)
    elif isinstance(value, float):
        yield "a little less", round(value - 0.01, 6)
    elif isinstance(value, list):
        if value:
            yield "delete an element", value[:-1]
            yield "repeat an element", [*value, value[-1]]
        if len(value) > 1 and value[0] != value[-1]:
            yield "swap elements", [value[-1], *value[1:-1], value[0]]
    elif isinstance(value, str) and DAY.fullmatch(value):
        for days, how in ((1, "a day later"), (-1, "a day earlier")):
            yield how, (date.fromisoformat(value) + timedelta(days=days)).isoformat()
    elif isinstance(value, str) and ID.search(field):
        yield "unknown id", value + "x"
        other = next((v for v in known if v != value and isinstance(v, str)), None)
        if other is not None:
            yield "other id", other
    elif isinstance(value, str):
        yield from other_texts(value)


def other_texts(value: str) -> Iterator[tuple[str, str]]:
    """A character and a digit changed, near the middle."""
    letters = [i for i, ch in enumerate(value) if ch.isalpha()]
    if letters:
        at = letters[len(letters) // 2]
        new = "q" if value[at].isascii() else "丁"
        new = new if value[at] != new else "z"
        yield "a character", value[:at] + new + value[at + 1 :]
    digits = [i for i, ch in enumerate(value) if ch in "0123456789"]
    if digits:
        at = digits[len(digits) // 2]
        yield "a digit", value[:at] + str((int(value[at]) + 1) % 10) + value[at + 1 :]


def mutations(
    file: str, data: bytes, preferred: Callable[[Any], bool] = lambda row: True
) -> list[Mutation]:
    """Every change of a JSON file: for each field that occurs, at its first place in a preferred row."""
    rows = records(file, data)
    allowed = schema_choices(MODELS[file]) if file in MODELS else {}
    known: dict[str, list[Any]] = {}
    first: dict[str, tuple[Path_, Any]] = {}
    ranked = sorted(range(len(rows)), key=lambda i: not preferred(rows[i]))
    for index in ranked:
        for place, value in leaves(rows[index], (index,)):
            name = field_name(place)
            known.setdefault(name, []).append(value)
            if value not in (None, [], ""):
                first.setdefault(name, (place, value))
    found = []
    for name, (place, value) in first.items():
        last = name.rsplit(".", 1)[-1].removesuffix("[]")
        for how, new in other_values(name, value, known[name], allowed.get(last, frozenset())):
            found.append(Mutation(file, name, how, place, new))
    if file.endswith(".jsonl") and len(rows) > 1:
        at = ranked[0]
        end = 0 if at else len(rows) - 1
        swapped = list(rows)
        swapped[at], swapped[end] = rows[end], rows[at]
        found += [
            Mutation(file, "row", "delete", (), rows[:at] + rows[at + 1 :]),
            Mutation(file, "row", "repeat", (), [*rows[: at + 1], *rows[at:]]),
            Mutation(file, "row", "swap", (), swapped),
        ]
    return found


def changed_rows(data: bytes, mutation: Mutation) -> list[Any]:
    """The records after a change."""
    if not mutation.place:
        return list(mutation.value)
    rows = copy.deepcopy(records(mutation.file, data))
    target: Any = rows
    for key in mutation.place[:-1]:
        target = target[key]
    target[mutation.place[-1]] = mutation.value
    return rows


def changed_file(files: Files, mutation: Mutation) -> bytes:
    """The bytes of the file that a change is made in."""
    if mutation.field == "bytes":
        data: bytes = mutation.value
        return data
    return dumped(mutation.file, changed_rows(files[mutation.file], mutation))


def mutated(files: Files, mutation: Mutation) -> dict[str, bytes]:
    """The bundle with one file changed and its digest made to agree; a changed manifest is kept as it is."""
    changed = {**files, mutation.file: changed_file(files, mutation)}
    if mutation.file == MANIFEST:
        return changed
    manifest = json.loads(files[MANIFEST])
    for entry in manifest["files"]:
        if entry["path"] == mutation.file:
            data = changed[mutation.file]
            entry |= {"sha256": sha256_bytes(data), "size": len(data)}
    return {**changed, MANIFEST: dumped(MANIFEST, [manifest])}


def rebuilt(bundle: Bundle, files: Files, mutation: Mutation) -> dict[str, bytes] | None:
    """The bundle with everything derived anew from the changed key; none when the change is no valid record."""
    model = MODELS[mutation.file]
    try:
        rows = [
            model.model_validate_json(json.dumps(row))
            for row in changed_rows(files[mutation.file], mutation)
        ]
        part: Any = tuple(rows) if mutation.file.endswith(".jsonl") else rows[0]
        return build_files(replace(bundle, **{KEY[mutation.file]: part}))
    except (ValueError, KeyError):
        return None


def text_mutations(file: str, data: bytes) -> list[Mutation]:
    """Changes of a text file: a character, a digit, a line less, twice or elsewhere."""
    text = data.decode()
    lines = text.splitlines(keepends=True)
    full = [i for i, line in enumerate(lines) if line.strip()]
    middle = full[len(full) // 2]
    swapped = list(lines)
    swapped[full[0]], swapped[full[-1]] = lines[full[-1]], lines[full[0]]
    changes = [
        *other_texts(text),
        ("delete a line", "".join(lines[:middle] + lines[middle + 1 :])),
        ("repeat a line", "".join([*lines[: middle + 1], *lines[middle:]])),
        ("swap lines", "".join(swapped)),
    ]
    return [Mutation(file, "bytes", how, (), new.encode()) for how, new in changes]


def table_mutations(file: str, data: bytes) -> list[Mutation]:
    """Changes of a Parquet file: every column in one row, a row less, twice or elsewhere, a column more."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(data))

    def written(rows: list[dict[str, Any]], schema: pa.Schema = table.schema) -> bytes:
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), sink)
        return sink.getvalue()

    rows = table.to_pylist()
    found = []
    for column in table.schema.names:
        for how, new in other_values(
            column, rows[0][column], [r[column] for r in rows], frozenset()
        ):
            found.append((f"{column}: {how}", written([{**rows[0], column: new}, *rows[1:]])))
    found += [
        ("delete a row", written(rows[1:])),
        ("repeat a row", written([*rows, rows[-1]])),
        ("swap rows", written([rows[-1], *rows[1:-1], rows[0]])),
        (
            "a column more",
            written(
                [{**row, "type": "A"} for row in rows],
                table.schema.append(pa.field("type", pa.string())),
            ),
        ),
    ]
    return [Mutation(file, "bytes", how, (), new) for how, new in found]


def all_mutations(files: Files, preferred: Callable[[Any], bool]) -> list[Mutation]:
    """Every change of every file of a bundle."""
    found: list[Mutation] = []
    for file, data in files.items():
        if file.endswith((".json", ".jsonl")):
            found += mutations(file, data, preferred)
        elif file.endswith(".parquet"):
            found += table_mutations(file, data)
        else:
            found += text_mutations(file, data)
    return found


def write(folder: Path, files: Files) -> Path:
    """Put a bundle into a folder, taking away what is not of it."""
    for old in folder.rglob("*"):
        if old.is_file() and old.relative_to(folder).as_posix() not in files:
            old.unlink()
    for name, data in files.items():
        target = folder / name
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return folder


def schema_fields(model: type[BaseModel]) -> set[str]:
    """Every field of a record that holds a value, in the spelling of `field_name`; `*` for keys of a map."""
    schema = TypeAdapter(model).json_schema()
    definitions = schema.get("$defs", {})
    found: set[str] = set()

    def walk(part: dict[str, Any], name: str) -> None:
        if "$ref" in part:
            walk(definitions[part["$ref"].rsplit("/", 1)[-1]], name)
        elif "anyOf" in part or "oneOf" in part:
            for inner in part.get("anyOf") or part["oneOf"]:
                walk(inner, name)
        elif part.get("type") == "array":
            found.add(name)
            inner = part.get("items") or {}
            if inner.get("type") not in ("string", "integer", "number"):
                walk(inner, f"{name}[]")
        elif "properties" in part:
            for key, inner in part["properties"].items():
                walk(inner, f"{name}.{key}" if name else key)
        elif isinstance(part.get("additionalProperties"), dict):
            walk(part["additionalProperties"], f"{name}.*")
        elif part.get("type") != "null":
            found.add(name)

    walk(schema, "")
    return found
