"""Figures of the panel: hits, reciprocal ranks and distances in time, with intervals.

An interval is Wilson's score interval (Wilson 1927, Probable inference, equation for the two roots of
(p - p0)^2 = z^2 p0 (1 - p0) / n); it stays inside 0..1 and has a width for 0 of n. For a mean of values between 0
and 1, such as reciprocal ranks, it is conservative, because their variance is at most p (1 - p).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from statistics import fmean, median

from factory.anonymise.grade import actors_named
from schemas import (
    AuditorReply,
    Guess,
    PanelFigures,
    PeriodFigures,
    Proportion,
    ShownText,
    TruthCard,
)

Z = 1.959963984540054
"""97.5 % point of the normal distribution."""


def wilson(hits: float, total: int) -> Proportion:
    """A share with its Wilson interval of 95 %; 0 <= hits <= total, total > 0, else ValueError."""
    if total <= 0 or not 0 <= hits <= total:
        raise ValueError(f"{hits} of {total} is no share")
    share = hits / total
    spread = Z * Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return Proportion(
        hits=hits,
        total=total,
        share=share,
        # Rounding may leave the ends a hair inside 0 of n or n of n.
        low=max(0.0, min(middle - half, share)),
        high=min(1.0, max(middle + half, share)),
    )


def panel_figures(
    text: ShownText, replies: Sequence[AuditorReply], *, scripted: bool = False
) -> PanelFigures:
    """How often the replies name the event; failed ones are counted apart, never as misses.

    Answers written by hand say nothing about a model: with `scripted` no share is evaluated.
    """
    graded = [reply for reply in replies if reply.grade != "UNKNOWN"]
    unknown = len(replies) - len(graded)
    if scripted or not graded:
        return PanelFigures(text=text, replies=len(graded), unknown=unknown)
    total = len(graded)
    return PanelFigures(
        text=text,
        replies=total,
        unknown=unknown,
        hit1=wilson(sum(reply.rank == 1 for reply in graded), total),
        hit5=wilson(sum(reply.rank is not None for reply in graded), total),
        mrr=wilson(math.fsum(1 / reply.rank for reply in graded if reply.rank), total),
        confidence=round(fmean(reply.guesses[0].confidence for reply in graded), 4),
    )


def period_figures(replies: Sequence[AuditorReply], truth: TruthCard) -> PeriodFigures:
    """How near the first guesses come to the real period, and how many real actors the guesses name."""
    first = [reply.guesses[0] for reply in replies if reply.guesses]
    dated = [(g.period_start, g) for g in first if g.period_start is not None]
    spans = [
        overlap(g.period_start, g.period_end, truth)
        for g in first
        if g.period_start is not None and g.period_end is not None
    ]
    guesses: list[Guess] = [guess for reply in replies for guess in reply.guesses]
    return PeriodFigures(
        replies=len(dated),
        error_days=(
            float(median(abs((start - truth.period_start).days) for start, _ in dated))
            if dated
            else "not evaluated"
        ),
        iou=fmean(spans) if spans else "not evaluated",
        actors_named=(
            wilson(actors_named(guesses, truth), len(truth.actors))
            if truth.actors and guesses
            else "not evaluated"
        ),
    )


def overlap(start: date, end: date, truth: TruthCard) -> float:
    """Days in both periods by days in either, both ends included."""
    both = (min(end, truth.period_end) - max(start, truth.period_start)).days + 1
    if both <= 0:
        return 0.0
    guessed = (end - start).days + 1
    real = (truth.period_end - truth.period_start).days + 1
    return both / (guessed + real - both)
