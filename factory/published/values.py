"""Single values of the project page: a file, a day, a whole number, a probability, each with why it is none."""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF8
from datetime import date
from pathlib import Path
from stat import S_ISREG
from typing import Any

from pydantic_core import from_json

from factory.errors import BadInput

MAX_BYTES = 64 * 2**20
"""A larger file is no point and no context: the largest published ones have 0.2 and 0.4 MB."""
FARTHEST = 100_000
"""Days; anything further from its cutoff is a damaged row, not an event."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Days:
    """Ordinals of days as written, each text looked at once; the reason where there is none."""

    def __init__(self) -> None:
        self._known: dict[str, int | str] = {}

    def __call__(self, text: str) -> int | str:
        """Ordinal of YYYY-MM-DD, or why it has none."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = _ordinal(text)
        return found


def _ordinal(text: str) -> int | str:
    if not text.strip():
        return "an empty text"
    if _DAY.fullmatch(text) is None:
        return "not written YYYY-MM-DD"
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return "no day of the calendar"


def writable(text: str) -> bool:
    """Whether a text can be written as UTF-8; JSON escapes and file names may hold lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def load(path: Path) -> dict[str, Any]:
    """The JSON object in a file; BadInput names the file and what is wrong with it."""
    try:
        about = path.stat()
        if not S_ISREG(about.st_mode):
            raise BadInput(f"{path} is no file; fetch it again")
        if about.st_size > MAX_BYTES:
            raise BadInput(
                f"{path} has {about.st_size / 2**20:.0f} MB, more than the {MAX_BYTES // 2**20} MB that are read; "
                "fetch it again"
            )
        data = from_json(path.read_bytes().removeprefix(BOM_UTF8))
    except OSError as error:
        raise BadInput(
            f"cannot read {path}: {error.strerror}; check its permissions or fetch it again"
        ) from error
    except ValueError as error:
        raise BadInput(f"{path} is no JSON file ({error}); fetch it again") from error
    if not isinstance(data, dict):
        raise BadInput(f"{path} holds no JSON object; fetch it again")
    return data


def whole(value: Any) -> float | None:
    """A whole number as a float, None for anything else: text, truth values, fractions, nan."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if number.is_integer() else None


def probability(value: Any) -> tuple[float, str]:
    """The value and "", or nan and why it is no probability. Nothing is guessed: 70 and "70%" are none."""
    if value is None:
        return math.nan, "no value"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan, "not a number"
    if isinstance(value, float) and not math.isfinite(value):
        return math.nan, "not a finite number"
    if not 0 <= value <= 1:
        return math.nan, "a probability outside 0 to 1"
    return float(value), ""
