"""Invented points in the form of the published project page."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

QUESTION: dict[str, Any] = {
    "q": "Will the ferry sail again within the next 7 days?",
    "wd": 7,
    "dfc": 3,
    "diff": "easy",
    "dim": "event",
    "qt": "A_true",
    "gt": 1,
    "wt": 0.568,
    "r": [[0, 0.7], [1, 0.2]],
}
EVENT: dict[str, Any] = {
    "eid": "E01",
    "desc": "The ferry sails again.",
    "gt": "2031-05-13",
    "dfc": 3,
    "r": [[0, "2031-05-15", 2.0], [1, "2031-05-10", 3.0]],
}


def question(**changes: Any) -> dict[str, Any]:
    """A question with some fields changed."""
    return copy.deepcopy(QUESTION) | changes


def event(**changes: Any) -> dict[str, Any]:
    """A dated event with some fields changed."""
    return copy.deepcopy(EVENT) | changes


def point(
    cal: list[Any] | None = None, time: list[Any] | None = None, **changes: Any
) -> dict[str, Any]:
    """A point with cutoff 2031-05-10 and the models a and b."""
    return {
        "point_id": "P01",
        "cutoff": "2031-05-10",
        "models": ["a", "b"],
        "cal": [question()] if cal is None else cal,
        "time": [event()] if time is None else time,
    } | changes


def write(
    folder: Path,
    content: dict[str, Any] | str | bytes,
    *,
    edition: str = "en",
    event: str = "ferry",
    name: str = "P01",
    context: str | None = "### 2031-05-01\n\n**Event**: The ferry stops.\n",
) -> Path:
    """Write a point and its context; the path of the point."""
    path = folder / edition / event / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content, ensure_ascii=False)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if context is not None:
        path.with_name(f"{name}_context.md").write_text(context, encoding="utf-8")
    return path
