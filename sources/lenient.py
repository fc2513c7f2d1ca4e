"""JSON from outside, read without trust in its shape: what is not as expected is empty, and nothing raises."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def words(value: object) -> str:
    """A JSON string that UTF-8 can hold: halves of surrogate pairs become question marks; others are empty."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object, or an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> list[Any]:
    """A JSON array, or an empty one in the place of anything else."""
    return value if isinstance(value, list) else []


def glimpse(value: object) -> str:
    """The first characters of anything, to name it in a refusal."""
    return words(str(value)[:60])


def json_object(data: bytes) -> Mapping[str, Any] | None:
    """The JSON object that bytes hold; none when they hold anything else or nest too deeply."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None
