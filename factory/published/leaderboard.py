"""The published scores, to stand beside the computed ones: `leaderboard.json` beside the points of the project page.

Its events have short names ("Wuhan Lib."); `demo_index.json` beside it says which folder each is. Systems are named
there as in the points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factory.errors import BadInput
from factory.published.values import load
from schemas import Axis

SCORES = "leaderboard.json"
INDEX = "demo_index.json"
AXES: tuple[Axis, ...] = ("calibration", "temporal")
"""Order of the two figures of a cell."""
RULES = ("frequency", "momentum")
"""Rules that read no text and have a published row ("Frequency baseline"): the first word of its name."""
AXIS_RULES: Mapping[Axis, tuple[str, str]] = {
    "calibration": ("uniform 50%", "constant 0.5"),
    "temporal": ("midpoint", "bucket midpoint"),
}
"""What the stated baseline of an axis says that it is, and our name of that rule."""


@dataclass(frozen=True)
class Leaderboard:
    """Published figures on the scale 0 to 100, as printed: one decimal."""

    scores: Mapping[tuple[str, str, Axis], float]
    """(system, event folder, axis) -> mean of the editions."""
    averages: Mapping[tuple[str, Axis], float]
    """(system, axis) -> mean of the events."""
    overall: Mapping[str, float]
    """System -> mean of the axes."""
    anchors: Mapping[tuple[str, Axis], float]
    """(rule that reads no text, axis) -> its published figure.

    The two published heuristics answer no date: the 50 printed for them there is the stated baseline of the axis,
    which stands here once, as that of the bucket midpoint.
    """
    updated: str = ""
    """Its date, as stated."""
    unmapped: tuple[str, ...] = ()
    """Names of events that the index does not know; their cells are not among the scores."""


def published_figures(folder: Path) -> Leaderboard | None:
    """The leaderboard in `folder`, or beside it when it is a folder named demo; None when there is none.

    BadInput names the file, and the field, that cannot be read.
    """
    folder = folder.resolve()
    places = [folder, folder.parent] if folder.name == "demo" else [folder]
    path = next((place / SCORES for place in places if (place / SCORES).exists()), None)
    if path is None:
        return None
    data = load(path)
    folders = _event_folders(path.with_name(INDEX))
    scores: dict[tuple[str, str, Axis], float] = {}
    averages: dict[tuple[str, Axis], float] = {}
    overall: dict[str, float] = {}
    anchors = _axis_anchors(path, data)
    unmapped: dict[str, None] = {}
    for position, row in enumerate(_list(path, data, "validated", "validated")):
        where = f"validated[{position}]"
        system = _text(path, row, "system", where)
        if row.get("kind") == "baseline":
            rule = system.split()[0].lower()
            figures = _pair(path, row.get("avg"), f"{where}.avg")
            anchors[rule if rule in RULES else system, "calibration"] = figures["calibration"]
            continue
        cells = row.get("per_event")
        if not isinstance(cells, dict):
            raise _wrong(path, f"{where}.per_event is no object")
        for name, cell in cells.items():
            pair = _pair(path, cell, f"{where}.per_event.{name}")
            event = folders.get(name)
            if event is None:
                unmapped[name] = None
                continue
            for axis in AXES:
                scores[system, event, axis] = pair[axis]
        for axis, score in _pair(path, row.get("avg"), f"{where}.avg").items():
            averages[system, axis] = score
        overall[system] = _figure(path, row.get("overall"), f"{where}.overall")
    updated = data.get("last_updated", "")
    return Leaderboard(
        scores=scores,
        averages=averages,
        overall=overall,
        anchors=anchors,
        updated=updated if isinstance(updated, str) else "",
        unmapped=tuple(unmapped),
    )


def _axis_anchors(path: Path, data: dict[str, Any]) -> dict[tuple[str, Axis], float]:
    """The stated baseline of each axis, where its label says which rule it is."""
    axes = data.get("axes", {})
    if not isinstance(axes, dict):
        raise _wrong(path, "axes is no object")
    found: dict[tuple[str, Axis], float] = {}
    for axis, (sign, rule) in AXIS_RULES.items():
        stated = axes.get(axis, {})
        if not isinstance(stated, dict):
            raise _wrong(path, f"axes.{axis} is no object")
        label = stated.get("baseline_label", "")
        if isinstance(label, str) and sign in label:
            found[rule, axis] = _figure(path, stated.get("baseline"), f"axes.{axis}.baseline")
    return found


def _event_folders(path: Path) -> dict[str, str]:
    """Short name of each event -> its folder; a folder's own name stands for itself. Empty without the file."""
    if not path.exists():
        return {}
    found: dict[str, str] = {}
    for position, event in enumerate(_list(path, load(path), "events", "events")):
        name = _text(path, event, "id", f"events[{position}]")
        found[name] = found[_text(path, event, "short", f"events[{position}]")] = name
    return found


def _list(path: Path, data: dict[str, Any], name: str, where: str) -> list[dict[str, Any]]:
    rows = data.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _wrong(path, f"{where} is no list of objects")
    return rows


def _text(path: Path, row: dict[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(path, f"{where}.{name} is {value!a}, not a text"[:200])
    return value


def _pair(path: Path, value: Any, where: str) -> dict[Axis, float]:
    if not isinstance(value, list) or len(value) != len(AXES):
        raise _wrong(path, f"{where} is {value!a}, not [calibration, temporal]"[:200])
    return {axis: _figure(path, part, where) for axis, part in zip(AXES, value, strict=True)}


def _figure(path: Path, value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise _wrong(path, f"{where} is {value!a}, not a score from 0 to 100"[:200])
    return float(value)


def _wrong(path: Path, what: str) -> BadInput:
    return BadInput(f"{path}: {what}; fetch it again, or move it away to score without it")
