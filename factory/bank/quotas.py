"""Shares of a bank by type and window against their targets, and what fell short."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from factory.sections import ComposeSettings
from schemas import WINDOWS, QuestionType, QuotaLine, Window

TYPES: tuple[QuestionType, ...] = ("A", "B", "C", "D")


def weight(window: int) -> float:
    """The paper's weight w = 1 / (1 + 0.04 W) * W / (W + 4) of a question over W days from its cutoff."""
    return 1 / (1 + 0.04 * window) * window / (window + 4)


class Tally:
    """What a bank under construction holds, by type and by window index, and what it lacks most."""

    def __init__(self, settings: ComposeSettings) -> None:
        self.settings = settings
        self.types: Counter[QuestionType] = Counter()
        self.windows: Counter[int] = Counter()

    def add(self, kinds: Iterable[QuestionType], window: int, sign: int = 1) -> None:
        """Count a cell that asks one question of each of `kinds`."""
        for kind in kinds:
            self.types[kind] += sign
            self.windows[window] += sign

    def deficit(self, kind: QuestionType) -> float:
        """How far the share of a type lies below its target."""
        total = sum(self.types.values())
        return self.settings.shares.get(kind, 0.0) - (self.types[kind] / total if total else 0.0)

    def filled(self, *kinds: QuestionType) -> float:
        """How full these types are together against their targets; a type without a target is always full."""
        target = sum(self.settings.shares.get(kind, 0.0) for kind in kinds)
        return sum(self.types[kind] for kind in kinds) / target if target else math.inf

    def load(self, window: int) -> float:
        """How full a window is against its weight; the emptiest is filled next."""
        target = self.settings.window_weights.get(str(WINDOWS[window]), 0.0)
        return self.windows[window] / max(target, 1e-9)

    def lines(self) -> tuple[QuotaLine, ...]:
        """Shares reached against their targets."""
        windows = {WINDOWS[w]: self.windows[w] for w in range(len(WINDOWS))}
        return quota_lines(self.types, windows, self.settings)


def quota_lines(
    types: Mapping[QuestionType, int], windows: Mapping[Window, int], settings: ComposeSettings
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
                f"{settings.window_floor - got:.3f} below the floor of {settings.window_floor:.2f} with {total} "
                f"questions: too few cells with a true claim and {window} observed days; nothing is padded"
            )
        lines.append(
            QuotaLine(name=f"window {window}", wanted=wanted, got=round(got, 6), note=note)
        )
    return tuple(lines)


def _gaps(types: Mapping[QuestionType, int], settings: ComposeSettings) -> list[float]:
    total = sum(types.values())
    if not total:
        return []
    return [types.get(kind, 0) / total - settings.shares.get(kind, 0.0) for kind in TYPES]


def deviation(types: Mapping[QuestionType, int], settings: ComposeSettings) -> float:
    """Sum of the squared gaps between type shares and their targets."""
    return sum(gap * gap for gap in _gaps(types, settings))


def is_off(types: Mapping[QuestionType, int], settings: ComposeSettings) -> bool:
    """Whether any type share misses its target by more than the tolerance."""
    return any(abs(gap) > settings.tolerance for gap in _gaps(types, settings))
