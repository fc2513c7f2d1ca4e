"""Where the points of a project page lie: `<zh|en>/<event>/P<NN>.json` beside `P<NN>_context.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from factory.published.values import writable
from factory.score.lines import Problems
from schemas import Lang

_EDITIONS: tuple[Lang, ...] = ("en", "zh")
_POINT = re.compile(r"P\d+\.json", re.ASCII)


@dataclass(frozen=True)
class PointFile:
    """Where a point of an edition lies."""

    path: Path
    event: str
    edition: Lang

    @property
    def name(self) -> str:
        """<event>/<P..>, unique over events and the same in both editions."""
        return f"{self.event}/{self.path.stem}"

    @property
    def where(self) -> str:
        """Path inside the folder, for messages."""
        return f"{self.edition}/{self.event}/{self.path.name}"

    @property
    def context(self) -> Path:
        """Its context."""
        return self.path.with_name(f"{self.path.stem}_context.md")


def page_folder(folder: Path) -> Path:
    """The folder of the editions: the one given, or `demo/` in it."""
    return folder / "demo" if (folder / "demo").is_dir() else folder


def point_files(folder: Path, problems: Problems) -> Iterator[PointFile]:
    """Points under `folder` by edition, event and number; other JSON files there are counted."""
    for edition in _EDITIONS:
        for path in sorted((folder / edition).glob("*/*.json")):
            event = path.parent.name
            if not writable(f"{event}/{path.name}"):
                problems.add(
                    "path that is no UTF-8 text; left out", ascii(f"{edition}/{event}/{path.name}")
                )
            elif _POINT.fullmatch(path.name) is None:
                problems.add(
                    "file that is not named P<NN>.json; left out", f"{edition}/{event}/{path.name}"
                )
            else:
                yield PointFile(path, event, edition)
