"""Shares of a bank by type and window against their targets, and what fell short."""

from __future__ import annotations

from collections.abc import Mapping

from factory.sections import ComposeSettings
from schemas import WINDOWS, QuestionType, QuotaLine, Window

TYPES: tuple[QuestionType, ...] = ("A", "B", "C", "D")


def quota_lines(
    types: Mapping[str, int], windows: Mapping[Window, int], settings: ComposeSettings
) -> tuple[QuotaLine, ...]:
    """Shares reached by type and window, each with a sentence where the arc did not give enough."""
    lines = []
    total = sum(types.values())
    for kind in TYPES:
        wanted = settings.shares.get(kind, 0.0)
        got = types.get(kind, 0) / total if total else 0.0
        note = ""
        if abs(got - wanted) > settings.tolerance:
            side = "short of" if got < wanted else "above"
            note = f"{abs(got - wanted):.3f} {side} the target with {total} questions; nothing is padded"
        lines.append(QuotaLine(name=f"type {kind}", wanted=wanted, got=round(got, 6), note=note))
    for window in WINDOWS:
        wanted = settings.window_weights.get(str(window), 0.0)
        got = windows.get(window, 0) / total if total else 0.0
        note = ""
        if got < settings.window_floor:
            note = (
                f"below the floor of {settings.window_floor:.2f}: too few cells with a true claim and "
                f"{window} observed days"
            )
        lines.append(
            QuotaLine(name=f"window {window}", wanted=wanted, got=round(got, 6), note=note)
        )
    return tuple(lines)


def _gaps(types: Mapping[str, int], settings: ComposeSettings) -> list[float]:
    total = sum(types.values())
    if not total:
        return []
    return [types.get(kind, 0) / total - settings.shares.get(kind, 0.0) for kind in TYPES]


def deviation(types: Mapping[str, int], settings: ComposeSettings) -> float:
    """Sum of the squared gaps between type shares and their targets."""
    return sum(gap * gap for gap in _gaps(types, settings))


def is_off(types: Mapping[str, int], settings: ComposeSettings) -> bool:
    """Whether any type share misses its target by more than the tolerance."""
    return any(abs(gap) > settings.tolerance for gap in _gaps(types, settings))
