"""Plots of a report along the calendar and along the points, as inline SVG.

A chart of days stacks panels over one scale of days: how much was written, how opinion was shared out, which days
hold news, where the points are cut and how far their windows reach. A chart of points puts its columns side by side.
Text inside a picture is ISO days and figures only; every word comes from the caller, so that a page can be in either
language, and so does the description that tells in words what a picture shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from markupsafe import Markup

from factory.svg import EMPTY, Scale, number, picture

WIDE, NARROW = 880.0, 400.0
"""Widths in user units of the two drawings of a chart of days: for a desktop and for a phone."""
LEFT, RIGHT = 34.0, 12.0
HEADING = 17.0
"""Height above a panel for its name."""
GAP = 12.0
NUMBERS = 13.0
"""Height of the row with the numbers of the cutoffs."""
DAILY = 2.0
"""Width in user units that a day needs for volume to be drawn by day; else it is drawn by week."""


@dataclass(frozen=True)
class Days:
    """A linear scale of days onto pixels; each day is as wide as the others."""

    first: date
    last: date
    start: float
    end: float

    @property
    def width(self) -> float:
        """Pixels of one day."""
        return (self.end - self.start) / ((self.last - self.first).days + 1)

    def at(self, day: date) -> float:
        """The pixel where a day begins; days beyond the scale lie on its ends."""
        return min(self.end, max(self.start, self.start + (day - self.first).days * self.width))

    def middle(self, day: date) -> float:
        """The pixel of a day's noon."""
        return min(self.end, self.at(day) + self.width / 2)

    def ticks(self) -> list[tuple[date, str]]:
        """Firsts of months with their names in ISO, as many as have room; single days where a span is short."""
        room = max(1, int((self.end - self.start) / 62))
        span = (self.last - self.first).days + 1
        if span <= 62:
            step = -(-span // room)
            days = [self.first + timedelta(days=n) for n in range(0, span, step)]
            return [(day, day.isoformat()[5:]) for day in days]
        firsts = []
        month = self.first.year * 12 + self.first.month - 1
        while (day := date(month // 12, month % 12 + 1, 1)) <= self.last:
            if day >= self.first:
                firsts.append(day)
            month += 1
        step = -(-len(firsts) // room)
        return [(day, day.isoformat()[:7]) for day in firsts[::step]]


@dataclass(frozen=True)
class Panel:
    """One drawing over the common scale of days."""

    name: str
    """Words above it."""
    height: float
    """Pixels without its name."""
    draw: Callable[[Days, float], Markup]
    """From the scale and the upper edge."""


def day_chart(
    panels: Sequence[Panel],
    *,
    first: date,
    last: date,
    width: float,
    title: str,
    description: str,
    cuts: Sequence[date] = (),
) -> Markup:
    """Panels below each other over the days from `first` to `last`; `cuts` are lines through all of them."""
    days = Days(first, last, LEFT, width - RIGHT)
    parts: list[Markup] = []
    drawn: list[tuple[float, float]] = []
    y = 2.0
    for panel in panels:
        parts.append(
            Markup('<text class="panel" x="{}" y="{}">{}</text>').format(
                number(LEFT), number(y + 11), panel.name
            )
        )
        # The numbers of the cutoffs stand between the first name and its drawing.
        y += HEADING + (NUMBERS if cuts and not drawn else 0)
        parts.append(panel.draw(days, y))
        drawn.append((y, y + panel.height + 4))
        y += panel.height + GAP
    y -= GAP - 4
    return picture(
        width,
        y + 16,
        EMPTY.join([_calendar(days, drawn, y), _cuts(days, cuts, drawn), *parts]),
        title=title,
        description=description,
        name="plot days",
    )


def _through(x: float, drawn: Sequence[tuple[float, float]]) -> str:
    """Path of an upright line through the drawings, without their names."""
    return "".join(f"M{number(x)} {number(top)}V{number(bottom)}" for top, bottom in drawn)


def _calendar(days: Days, drawn: Sequence[tuple[float, float]], bottom: float) -> Markup:
    lines = []
    for day, name in days.ticks():
        x = days.at(day)
        edge = "start" if x < days.start + 15 else "end" if x > days.end - 15 else "middle"
        lines.append(
            Markup(
                '<path class="grid" d="{0}"></path>'
                '<text class="tick" x="{1}" y="{2}" text-anchor="{3}">{4}</text>'
            ).format(_through(x, drawn), number(x), number(bottom + 13), edge, name)
        )
    return EMPTY.join(lines)


def _cuts(days: Days, cuts: Sequence[date], drawn: Sequence[tuple[float, float]]) -> Markup:
    lines = []
    before = -99.0
    for index, day in enumerate(cuts if drawn else (), 1):
        x = days.at(day)
        lines.append(Markup('<path class="cut" d="{}"></path>').format(_through(x, drawn)))
        if x - before >= 16:
            lines.append(
                Markup('<text class="cutname" x="{}" y="{}" text-anchor="middle">{}</text>').format(
                    number(x), number(drawn[0][0] - 3), index
                )
            )
            before = x
    return EMPTY.join(lines)


def volume_step(first: date, last: date, width: float = WIDE) -> int:
    """Days that one bar of the volume stands for: 1, or 7 where a chart of this width has no room for days."""
    return 1 if Days(first, last, LEFT, width - RIGHT).width >= DAILY else 7


def volume_panel(
    name: str, counts: Sequence[tuple[date, Sequence[int]]], *, step: int, height: float = 96
) -> Panel:
    """Stacked bars of `step` days from each day on; the n-th count of a day has the style v<n>."""
    most = max((sum(row) for _day, row in counts), default=0)

    def draw(days: Days, top: float) -> Markup:
        scale = Scale(0, max(most, 1), top + height, top)
        parts = [
            Markup('<line class="base" x1="{}" x2="{}" y1="{y}" y2="{y}"></line>').format(
                number(days.start), number(days.end), y=number(top + height)
            ),
            Markup('<text class="tick" x="{0}" y="{1}" text-anchor="end">{2}</text>').format(
                number(days.start - 5), number(top + 8), most
            ),
            Markup('<text class="tick" x="{0}" y="{1}" text-anchor="end">0</text>').format(
                number(days.start - 5), number(top + height)
            ),
        ]
        near = min((days.at(b) - days.at(a) for (a, _), (b, _) in pairwise(counts)), default=8.0)
        own = days.width * step
        for day, row in counts:
            x, below = days.at(day), 0
            wide = min(max(own * 0.86, min(4.0, near * 0.86), 0.8), days.end - x)
            for index, count in enumerate(row):
                if count:
                    upper, lower = scale.at(below + count), scale.at(below)
                    parts.append(block(f"v{index}", x, upper, wide, lower - upper))
                    below += count
        return EMPTY.join(parts)

    return Panel(name, height, draw)


def mark_panel(name: str, marks: Sequence[date]) -> Panel:
    """A dot for each day."""

    def draw(days: Days, top: float) -> Markup:
        line = Markup('<line class="base" x1="{}" x2="{}" y1="{y}" y2="{y}"></line>').format(
            number(days.start), number(days.end), y=number(top + 6)
        )
        return line + EMPTY.join(
            Markup('<circle class="fact" cx="{}" cy="{}" r="4"></circle>').format(
                number(days.middle(day)), number(top + 6)
            )
            for day in marks
        )

    return Panel(name, 12, draw)


def window_panel(name: str, windows: Sequence[tuple[date, date, int]]) -> Panel:
    """A lane for each point: a bar from its cutoff to the last day of its longest window, and a figure after it."""
    lane = 13.0 if len(windows) <= 10 else 9.0

    def draw(days: Days, top: float) -> Markup:
        parts = []
        for index, (start, end, count) in enumerate(windows):
            x, stop, y = days.at(start), days.at(end + timedelta(days=1)), top + lane * index
            wide = max(2.0, stop - x)
            parts.append(block("reach", x, y + 2, wide, lane - 4))
            inside = stop > days.end - 26
            parts.append(
                Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(
                    "within" if inside else "after",
                    number(stop - 4 if inside else stop + 4),
                    number(y + lane / 2 + 3.2),
                    "end" if inside else "start",
                    count,
                )
            )
        return EMPTY.join(parts)

    return Panel(name, lane * len(windows), draw)


def block(style: str, x: float, y: float, width: float, height: float) -> Markup:
    """A bar of a style by its upper left corner."""
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"></rect>').format(
        style, number(x), number(y), number(width), number(height)
    )


# -- along the points ----------------------------------------------------------------------------

TALL = 132.0
BROAD = 300.0
"""Height of the columns and width of a whole chart of points; three stand in a row on a desktop."""


@dataclass(frozen=True)
class Series:
    """What one system scored at each point; None where it has no score."""

    name: str
    scores: tuple[float | None, ...]


def _columns(count: int) -> tuple[list[float], float]:
    """Middles of the columns of a chart, and the width that each may take."""
    step = (BROAD - LEFT - RIGHT) / max(1, count)
    return [LEFT + step * (index + 0.5) for index in range(count)], step


def _frame(scale: Scale, middles: Sequence[float], step: float) -> Markup:
    parts = [
        Markup(
            '<line class="grid" x1="{0}" x2="{1}" y1="{2}" y2="{2}"></line>'
            '<text class="tick" x="{3}" y="{4}" text-anchor="end">{5}</text>'
        ).format(
            number(LEFT),
            number(BROAD - RIGHT),
            number(scale.at(t)),
            number(LEFT - 5),
            number(scale.at(t) + 4),
            number(t),
        )
        for t in scale.ticks()
    ]
    every = -(-18 // max(1, int(step)))
    parts += [
        Markup('<text class="tick" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            number(x), number(TALL + 14), index
        )
        for index, x in enumerate(middles, 1)
        if (index - 1) % every == 0
    ]
    return EMPTY.join(parts)


def count_chart(rows: Sequence[Sequence[int]], *, title: str, description: str) -> Markup:
    """A stacked column for each point; the n-th count has the style w<n>."""
    most = max((sum(row) for row in rows), default=0)
    scale = Scale(0, max(most, 1), TALL, 8)
    middles, step = _columns(len(rows))
    wide = min(34.0, step * 0.66)
    parts = [_frame(scale, middles, step)]
    for x, row in zip(middles, rows, strict=True):
        below = 0
        for index, count in enumerate(row):
            if count:
                upper, lower = scale.at(below + count), scale.at(below)
                parts.append(block(f"w{index}", x - wide / 2, upper, wide, lower - upper))
                below += count
    return picture(BROAD, TALL + 20, EMPTY.join(parts), title=title, description=description)


def point_chart(
    ranges: Sequence[tuple[float, float] | None],
    series: Sequence[Series],
    *,
    title: str,
    description: str,
) -> Markup:
    """Scores at each point: a bar from the lowest to the highest rule without text, and a line for each system.

    The n-th system has the style c<n>. The scale runs from 0 to 100, and further where a score lies beyond.
    """
    known = [end for row in ranges if row for end in row]
    known += [score for one in series for score in one.scores if score is not None]
    low = min([0.0, *(10.0 * (value // 10) for value in known)])
    scale = Scale(low, max([100.0, *known]), TALL, 8)
    middles, step = _columns(len(ranges))
    wide = min(16.0, step * 0.5)
    parts = [_frame(scale, middles, step)]
    for x, row in zip(middles, ranges, strict=True):
        if row:
            upper, lower = scale.at(row[1]), scale.at(row[0])
            tall = max(2.4, lower - upper)
            middle = (upper + lower) / 2
            parts.append(block("range", x - wide / 2, middle - tall / 2, wide, tall))
    for index, one in enumerate(series):
        dots = [
            (x, scale.at(score))
            for x, score in zip(middles, one.scores, strict=True)
            if score is not None
        ]
        if len(dots) > 1:
            line = "L".join(f"{number(x)} {number(y)}" for x, y in dots)
            parts.append(Markup('<path class="line c{}" d="M{}"></path>').format(index, line))
        parts += [
            Markup('<circle class="c{}" cx="{}" cy="{}" r="3.2"></circle>').format(
                index, number(x), number(y)
            )
            for x, y in dots
        ]
    return picture(BROAD, TALL + 20, EMPTY.join(parts), title=title, description=description)
