"""JSON that can be written again without loss: what Python would silently drop or change is refused."""

from __future__ import annotations

import json
import math
from typing import Any


def parse(data: bytes) -> Any:
    """The value; ValueError says what is wrong.

    Refused are, beside broken JSON: a field twice in one object, numbers that are none or overflow a double, and
    halves of characters (lone surrogates), which UTF-8 cannot hold.
    """
    try:
        value = json.loads(
            data, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
        )
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half a character (a lone surrogate)") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def dump(value: Any) -> bytes:
    """The form in which every JSON file of the layout is written: two spaces, no escapes, one closing newline."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice!a} stands twice in one object")
    return found


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value
