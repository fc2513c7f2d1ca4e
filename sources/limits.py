"""When a server takes requests again, in words, from what its refusal says.

Servers tell it as seconds left, as an epoch or as a date, in one of four headers. A moment is said as a moment:
a run that was stopped is read later than it was written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RESETS = ("x-ratelimit-reset", "ratelimit-reset", "x-rate-limit-reset")
"""Headers with the moment at which a rate limit begins anew; servers send them with every answer."""
_MINUTES = 120
"""Seconds from which on minutes are said."""


def said(headers: Mapping[str, str]) -> float | datetime | None:
    """Seconds left or the UTC instant of the first header that says one of them; None when none does."""
    for name in ("retry-after", *RESETS):
        raw = headers.get(name, "").strip()
        found = _read(raw) if raw else None
        if found is not None:
            return found
    return None


def until(headers: Mapping[str, str], otherwise: str = "") -> str:
    """` before 13:55 UTC on 2026-06-01` or ` for 40 seconds`, with a space before it, else `otherwise`."""
    found = said(headers)
    if found is None:
        return otherwise
    if isinstance(found, datetime):
        return f" before {found:%H:%M} UTC on {found:%Y-%m-%d}"
    if found < _MINUTES:
        return f" for {math.ceil(found)} seconds"
    return f" for {math.ceil(found / 60)} minutes"


def _read(raw: str) -> float | datetime | None:
    try:
        value = float(raw)
    except ValueError:
        return _date(raw)
    if value > 1e12:
        value /= 1000
    if not math.isfinite(value) or value < 0:
        return None
    try:
        return datetime.fromtimestamp(value, UTC) if value > 1e9 else value
    except (OverflowError, ValueError, OSError):
        return None


def _date(raw: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(raw)
    except ValueError:
        try:
            at = parsedate_to_datetime(raw)
        except (ValueError, OverflowError):
            return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
