"""The files in which pages and posts are written: entries that start with `@` and fields parted by `|`.

An entry's first lines of the form `name: value` are its settings where the caller names them; the rest is its
words, paragraphs parted by an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

ZONE = timezone(timedelta(hours=8))
"""Offset of all times that are written without one."""


@dataclass(frozen=True)
class Entry:
    """One page or post as it was written."""

    fields: tuple[str, ...]
    """What the line with `@` holds, without surrounding spaces."""
    settings: tuple[tuple[str, str], ...]
    """Name and value of each setting, in order; a name may come again."""
    paragraphs: tuple[str, ...]
    """Its words."""

    def all(self, name: str) -> tuple[str, ...]:
        """Values of one setting."""
        return tuple(value for key, value in self.settings if key == name)

    def one(self, name: str, default: str = "") -> str:
        """The last value of a setting."""
        return (default, *self.all(name))[-1]


def moment(text: str) -> datetime:
    """A written time as an instant; ValueError when it is none."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=ZONE)


def read_entries(path: Path, settings: Collection[str] = ()) -> tuple[Entry, ...]:
    """All entries of a file, in its order; ValueError for words before the first one."""
    before, *parts = re.split(r"(?m)^@ ", path.read_text(encoding="utf-8"))
    if before.strip():
        raise ValueError(f"{path.name} starts with words that belong to no entry")
    return tuple(_entry(part, settings) for part in parts)


def _entry(part: str, settings: Collection[str]) -> Entry:
    head, _, rest = part.partition("\n")
    lines = rest.split("\n")
    found = []
    while lines and (line := lines[0].partition(": "))[0] in settings and line[1]:
        found.append((line[0], line[2].strip()))
        lines.pop(0)
    words = "\n".join(lines).strip()
    return Entry(
        tuple(field.strip() for field in head.split(" | ")),
        tuple(found),
        tuple(filter(None, (text.strip() for text in re.split(r"\n\s*\n", words)))),
    )
