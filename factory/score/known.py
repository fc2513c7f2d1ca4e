"""What a rule that reads no text may know of a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Known:
    """The cutoff and the days with news before it."""

    cutoff: date
    days: tuple[date, ...]


KnownAt = Mapping[tuple[str, str], Known]
"""(name of the point in the sheet, edition) -> what is known there."""
