"""The files of a release as texts, keys and names: every byte that a reader can turn into words.

JSON is read with repeated keys kept, Parquet with its column names, its footer and the metadata of every field.
What is not what its name says raises ValueError, so that the scanner reports it instead of passing it by.
Out of reach on purpose: words inside compressed, encrypted or base64 data, and pictures (which do not decode
as UTF-8 and are therefore findings).
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

SEAM = 100
"""Characters before and after the end of a line that are also read as one text: a name may be broken over lines."""
BREAK = "\x1f"
"""Stands for a reference between segments, so that words around it do not run together."""


@dataclass(frozen=True)
class Words:
    """One file as words."""

    path: str
    """Path inside the release."""
    texts: tuple[str, ...]
    """Lines, values and metadata in order."""
    keys: tuple[str, ...]
    """Keys of objects, names of columns."""
    records: tuple[dict[str, Any], ...] = ()
    """Top-level objects of a JSON or JSON lines file, for comparing rows of the editions."""

    def searched(self) -> tuple[str, ...]:
        """Texts, and the seams between neighbouring ones."""
        seams = []
        for number, text in enumerate(self.texts[:-1]):
            after = ""
            for later in self.texts[number + 1 : number + 1 + SEAM]:
                after = f"{after}\n{later[:SEAM]}"
                if len(after) >= SEAM:
                    break
            seams.append(text[-SEAM:] + after)
        return (*self.texts, *seams)


def read_words(path: str, data: bytes) -> Words:
    """A file as words. Raises ValueError when its bytes are not what its name says."""
    if path.endswith(".parquet"):
        return Words(path, *_parquet(data))
    text = data.decode("utf-8")
    if path.endswith((".json", ".jsonl")):
        lines = [text] if path.endswith(".json") else [x for x in text.splitlines() if x.strip()]
        keys: dict[str, None] = {}
        texts: list[str] = []
        records: list[dict[str, Any]] = []
        for line in lines:
            value = json.loads(line, object_pairs_hook=_Object)
            texts += _walk(value, keys)
            if isinstance(value, _Object):
                records.append(json.loads(line))
        return Words(path, tuple(texts), tuple(keys), tuple(records))
    return Words(path, tuple(line for line in text.splitlines() if line.strip()), ())


class _Object:
    """A JSON object whose repeated keys are all kept; a plain dict would hide all but the last."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        self.pairs = tuple(pairs)

    def get(self, key: str, default: Any = None) -> Any:
        return dict(self.pairs).get(key, default)


def _walk(value: object, keys: dict[str, None]) -> Iterable[str]:
    """Strings below a value in reading order; the keys on the way are added to `keys`."""
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield from value.splitlines()
        elif isinstance(value, _Object):
            keys.update(dict.fromkeys(key for key, _ in value.pairs))
            todo += [item for _, item in value.pairs][::-1]
        elif isinstance(value, list):
            parts = [part for part in value if isinstance(part, _Object) and part.get("kind")]
            if parts and len(parts) == len(value):
                # A name could be spread over neighbouring segments: read them as one text as well.
                yield "".join(str(part.get("text", BREAK)) for part in parts)
            todo += value[::-1]
        elif isinstance(value, bytes):
            yield value.decode("utf-8")


def _parquet(data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    keys: dict[str, None] = {}
    texts: list[str] = []
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        table = file.read()
        footer = [file.metadata.created_by or ""]
        pairs = dict(file.metadata.metadata or {})
        fields = list(table.schema)
        while fields:
            field = fields.pop()
            keys[field.name] = None
            pairs.update(field.metadata or {})
            fields += [field.type.field(n) for n in range(field.type.num_fields)]
    except pa.ArrowException as error:
        raise ValueError(f"not a Parquet file ({error})") from error
    for key, value in pairs.items():
        # The Arrow schema is a flatbuffer of the names and metadata read above.
        if key != b"ARROW:schema":
            footer.append(f"{key.decode('utf-8')}={value.decode('utf-8')}")
    for row in table.to_pylist():
        texts += _walk(_objects(row), keys)
    return (*texts, *(line for text in footer for line in text.splitlines())), tuple(keys)


def _objects(value: object) -> object:
    if isinstance(value, dict):
        return _Object((str(key), _objects(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return [_objects(item) for item in value]
    return value
