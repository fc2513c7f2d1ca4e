"""Tables and paragraphs for a terminal of 100 columns.

Wide East Asian characters count as two columns and control characters are replaced, so no name from outside can
shift a column or move the cursor.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 100
"""Columns of a terminal that the tables fit."""
NAME = 28
"""Most columns of a system's name."""


def plain(text: str) -> str:
    """Text from outside in one line without control, format or unassigned characters.

    They could move a terminal's cursor or turn the reading direction of what follows.
    """
    return "".join(
        " " if char.isspace() else "�" if unicodedata.category(char)[0] == "C" else char
        for char in text
    )


def columns(text: str) -> int:
    """Width in terminal columns: wide East Asian characters take two, combining ones none."""
    return sum(
        0
        if unicodedata.combining(char)
        else 2
        if unicodedata.east_asian_width(char) in ("W", "F")
        else 1
        for char in text
    )


def clipped(text: str, width: int) -> str:
    """`plain` text in at most `width` columns, an ellipsis where it was cut."""
    text = plain(text)
    if columns(text) <= width:
        return text
    kept = ""
    used = 1
    for char in text:
        used += columns(char)
        if used > width:
            break
        kept += char
    return f"{kept}…"


def paragraphs(lines: list[str]) -> list[str]:
    """The lines after an empty one; nothing for none."""
    return ["", *lines] if lines else []


def wrapped(text: str, *, first: str = "") -> list[str]:
    """A text in lines of at most WIDTH columns, indented by two after the first; words that are longer are cut up."""
    lines = []
    line = first
    for word in plain(text).split():
        gap = " " if line.strip() and not line.endswith(" ") else ""
        if columns(line) + len(gap) + columns(word) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line, gap = "  ", ""
        line += gap
        for char in word:
            if columns(line) + columns(char) > WIDTH:
                lines.append(line)
                line = "  "
            line += char
    return [*lines, line.rstrip()] if line.strip() else lines


def chunks(head: Sequence[str], body: Sequence[Sequence[str]], *, fixed: int) -> Iterator[str]:
    """A grid cut into several where it is too wide; the first `fixed` columns are repeated."""
    head = [clipped(text, NAME) for text in head]
    body = [[clipped(text, NAME) for text in row] for row in body]
    widths = [max(columns(row[i]) for row in (head, *body)) for i in range(len(head))]
    start = sum(widths[:fixed]) + 2 * (fixed - 1)
    used = start
    taken: list[list[int]] = [[]]
    for index in range(fixed, len(head)):
        if taken[-1] and used + 2 + widths[index] > WIDTH:
            taken.append([])
            used = start
        taken[-1].append(index)
        used += 2 + widths[index]
    for number, part in enumerate(taken):
        keep = [*range(fixed), *part]
        if number:
            yield ""
        yield from grid(
            [head[i] for i in keep], [[row[i] for i in keep] for row in body], left=(0,)
        )


def grid(
    head: Sequence[str],
    body: Sequence[Sequence[str]],
    *,
    left: Iterable[int],
    name: int = NAME,
) -> list[str]:
    """Aligned columns two apart; text columns are cut, at first to `name` and then until the grid fits WIDTH."""
    aligned = set(left)
    rows = [[plain(text) for text in row] for row in (head, *body)]
    widths = [max(columns(row[i]) for row in rows) for i in range(len(head))]
    widths = [min(w, name) if i in aligned else w for i, w in enumerate(widths)]
    while sum(widths) + 2 * (len(widths) - 1) > WIDTH:
        widest = max(aligned, key=lambda i: widths[i], default=-1)
        if widest < 0 or widths[widest] <= 8:
            break
        widths[widest] -= 1

    def padded(text: str, index: int) -> str:
        text = clipped(text, widths[index])
        space = " " * (widths[index] - columns(text))
        return text + space if index in aligned else space + text

    lines = ["  ".join(padded(text, i) for i, text in enumerate(row)).rstrip() for row in rows]
    return [lines[0], "-" * columns(lines[0]), *lines[1:]]
