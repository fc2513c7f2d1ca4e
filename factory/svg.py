"""Small pictures for score pages as inline SVG.

Each function is pure and returns escaped markup whose bytes depend on its arguments only: coordinates have at most
two decimals. Colours come from the classes of the page's style sheet, so the same picture serves light, dark and
print. Every picture carries a title and a description that says in words what it shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from factory.standings import figure
from factory.textgrid import clipped, plain
from schemas import ReliabilityBin

EMPTY = Markup("")


def number(value: float) -> str:
    """A coordinate: at most two decimals, no trailing zeros, never "-0"."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def picture(
    width: float, height: float, body: Markup, *, title: str, description: str, name: str = "plot"
) -> Markup:
    """A whole picture of the given size in user units; `name` is its class."""
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" role="img"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(name, number(width), number(height), plain(title), plain(description), body)


@dataclass(frozen=True)
class Scale:
    """A linear scale of values from `low` to `high` onto pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; values beyond the scale lie on its ends."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + max(0.0, min(1.0, share)) * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Round values inside the scale, at most `most`: multiples of 1, 2, 2.5 or 5 times a power of ten."""
        least = (self.high - self.low) / max(1, most - 1)
        power = 10.0 ** math.floor(math.log10(least))
        step = next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= least * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(i * step, 10) for i in range(first, last + 1)]


def span(values: Iterable[float], *, low: float = 0.0, high: float = 100.0) -> tuple[float, float]:
    """The scale from `low` to `high`, widened to tens where values lie beyond it; nan and inf are not looked at."""
    known = [value for value in values if math.isfinite(value)]
    return (
        min([low, *(10.0 * math.floor(value / 10) for value in known)]),
        max([high, *(10.0 * math.ceil(value / 10) for value in known)]),
    )


def axis(scale: Scale, top: float, bottom: float) -> Markup:
    """Grid lines over the height of a plot with their values beneath."""
    return EMPTY.join(
        Markup(
            '<line class="grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"></line>'
            '<text class="tick" x="{0}" y="{3}" text-anchor="middle">{4}</text>'
        ).format(number(scale.at(t)), number(top), number(bottom), number(bottom + 12), number(t))
        for t in scale.ticks()
    )


@dataclass(frozen=True)
class Bar:
    """One bar; `value` None means that there is no score."""

    value: float | None
    low: float | None = None
    """Lower end of its interval."""
    high: float | None = None
    """Upper end."""
    kind: str = "first"
    """Class of its fill: first, second or rule."""
    name: str = ""
    """What the bar is, in words."""
    subset: bool = False
    """The score is about a subset of the questions and is drawn hatched."""


@dataclass(frozen=True)
class BarGroup:
    """Bars of one system."""

    label: str
    bars: tuple[Bar, ...]


LABEL = 120.0
BAR = 8.5
GAP = 7.0
FULL = 340.0
"""Widths and heights in user units; a plot is meant to be shown 300 to 480 CSS pixels wide."""


def bar_chart(groups: Sequence[BarGroup], *, title: str) -> Markup:
    """Horizontal bars by group, one below the other, from 0 on the common scale of `span`, with error bars."""
    every = [bar for group in groups for bar in group.bars]
    known = [v for bar in every for v in (bar.value, bar.low, bar.high) if v is not None]
    low, high = span(known)
    scale = Scale(low, high, LABEL, FULL - 34)
    parts: list[Markup] = []
    y = 4.0
    for group in groups:
        tall = BAR * max(1, len(group.bars))
        parts.append(
            Markup('<text class="name" x="{}" y="{}" text-anchor="end">{}</text>').format(
                number(LABEL - 6), number(y + tall / 2 + 3.5), clipped(group.label, 19)
            )
        )
        for index, bar in enumerate(group.bars):
            parts.append(_bar(bar, scale, y + BAR * index))
        y += tall + GAP
    lines = axis(scale, 0, y - GAP / 2)
    words = "; ".join(
        f"{group.label}: " + ", ".join(_bar_words(bar) for bar in group.bars) for group in groups
    )
    return picture(
        FULL,
        y + 14,
        lines + EMPTY.join(parts),
        title=title,
        description=words or "nothing to show",
        name="plot bars",
    )


def _bar(bar: Bar, scale: Scale, y: float) -> Markup:
    if bar.value is None:
        return Markup('<text class="value" x="{}" y="{}">not scored</text>').format(
            number(scale.at(0) + 3), number(y + BAR - 0.8)
        )
    zero, end = scale.at(0), scale.at(bar.value)
    parts = [
        Markup('<rect class="b-{}{}" x="{}" y="{}" width="{}" height="{}"></rect>').format(
            bar.kind,
            " subset" if bar.subset else "",
            number(min(zero, end)),
            number(y + 0.6),
            number(abs(end - zero)),
            number(BAR - 1.2),
        )
    ]
    if bar.low is not None and bar.high is not None:
        x1, x2, mid = scale.at(bar.low), scale.at(bar.high), y + BAR / 2
        parts.append(
            Markup('<path class="whisker" d="M{0} {2}H{1}M{0} {3}V{4}M{1} {3}V{4}"></path>').format(
                number(x1), number(x2), number(mid), number(mid - 2), number(mid + 2)
            )
        )
    mark = "*" if bar.subset else ""
    parts.append(
        Markup('<text class="value" x="{}" y="{}" text-anchor="end">{}</text>').format(
            number(FULL), number(y + BAR - 1.2), figure(bar.value) + mark
        )
    )
    return EMPTY.join(parts)


def _bar_words(bar: Bar) -> str:
    words = f"{bar.name} " if bar.name else ""
    if bar.value is None:
        return f"{words}not scored"
    words += figure(bar.value)
    if bar.low is not None and bar.high is not None:
        words += f" ({figure(bar.low)} to {figure(bar.high)})"
    return words + (" on a subset" if bar.subset else "")


def interval_bar(
    value: float,
    low: float | None,
    high: float | None,
    *,
    ends: tuple[float, float],
    kind: str = "first",
    reference: float | None = None,
    said: tuple[str, str] | None = None,
) -> Markup:
    """A score as a tick on a line from `ends[0]` to `ends[1]` with its interval as a band.

    It stretches to the width of its table cell, so it holds only shapes that may be stretched; the numbers stand
    beside it. `reference` draws a thin line across, for the score that anybody could have. `said` are title and
    description in the language of the page; English otherwise.
    """
    scale = Scale(ends[0], ends[1], 0, 100)
    parts = [Markup('<rect class="track" x="0" y="4.5" width="100" height="1"></rect>')]
    if reference is not None:
        parts.append(
            Markup('<line class="reference" x1="{0}" x2="{0}" y1="0" y2="10"></line>').format(
                number(scale.at(reference))
            )
        )
    words = figure(value)
    if low is not None and high is not None:
        x1, x2 = scale.at(low), scale.at(high)
        parts.append(
            Markup('<rect class="band b-{}" x="{}" y="2.5" width="{}" height="5"></rect>').format(
                kind, number(x1), number(max(x2 - x1, 0.4))
            )
        )
        words += f", interval {figure(low)} to {figure(high)}"
    parts.append(
        Markup('<line class="mark m-{0}" x1="{1}" x2="{1}" y1="1" y2="9"></line>').format(
            kind, number(scale.at(value))
        )
    )
    return Markup(
        '<svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" role="img">'
        "<title>{}</title><desc>{}</desc>{}</svg>"
    ).format(
        *(said or (words, f"on a line from {number(ends[0])} to {number(ends[1])}")),
        EMPTY.join(parts),
    )


@dataclass(frozen=True)
class ReliabilityWords:
    """What a reliability plot says, in the language of its page."""

    given: str = "probability given"
    """Below the horizontal line."""
    came_true: str = "came true"
    """Beside the vertical line."""
    filled: str = "{low} to {high}: {count} answers, mean {forecast}, came true {outcome}"
    """A bin with answers."""
    empty: str = "{low} to {high}: no answers"
    """A bin without."""
    nothing: str = "no answers"
    """No bin at all."""
    between: str = "; "
    """Between two bins."""


ENGLISH = ReliabilityWords()


def reliability_plot(
    bins: Sequence[ReliabilityBin], *, title: str, words: ReliabilityWords = ENGLISH
) -> Markup:
    """Share of true outcomes over mean probability, a dot a bin whose area grows with its answers.

    Dots on the diagonal mean that the probabilities hold. Empty bins have no dot.
    """
    x = Scale(0, 1, 44, 214)
    y = Scale(0, 1, 186, 10)
    parts = [
        Markup('<path class="frame" d="M44 10V186H214"></path>'),
        Markup('<line class="diagonal" x1="44" y1="186" x2="214" y2="10"></line>'),
    ]
    for t in (0.0, 0.5, 1.0):
        parts.append(
            Markup(
                '<text class="tick" x="{}" y="199" text-anchor="middle">{}</text>'
                '<text class="tick" x="31" y="{}" text-anchor="end">{}</text>'
            ).format(number(x.at(t)), number(t), number(y.at(t) + 3.5), number(t))
        )
    parts.append(
        Markup(
            '<text class="tick" x="129" y="211" text-anchor="middle">{}</text>'
            '<text class="tick" x="10" y="98" text-anchor="middle" transform="rotate(-90 10 98)">{}</text>'
        ).format(words.given, words.came_true)
    )
    most = max((row.count for row in bins), default=0)
    dots: list[tuple[float, float]] = []
    circles: list[Markup] = []
    said: list[str] = []
    for row in bins:
        low, high = figure(row.low), figure(row.high)
        if not row.count or row.forecast is None or row.outcome is None:
            said.append(words.empty.format(low=low, high=high))
            continue
        dots.append((x.at(row.forecast), y.at(row.outcome)))
        circles.append(
            Markup('<circle class="dot" cx="{}" cy="{}" r="{}"></circle>').format(
                number(dots[-1][0]),
                number(dots[-1][1]),
                number(max(1.6, 11 * math.sqrt(row.count / most))),
            )
        )
        said.append(
            words.filled.format(
                low=low,
                high=high,
                count=row.count,
                forecast=figure(row.forecast, 2),
                outcome=figure(row.outcome, 2),
            )
        )
    if len(dots) > 1:
        line = "L".join(f"{number(a)} {number(b)}" for a, b in dots)
        parts.append(Markup('<path class="curve" d="M{}"></path>').format(line))
    return picture(
        226,
        216,
        EMPTY.join([*parts, *circles]),
        title=title,
        description=words.between.join(said) or words.nothing,
        name="plot reliability",
    )
