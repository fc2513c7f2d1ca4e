"""A comparison of two banks as lines of text, at most 100 columns wide; a Chinese character takes two."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from factory.differing import CHANGES
from schemas import LANGS, BankDiff, FigureDiff, Lang, RowDiff, RowsDiff

WIDTH = 100
NAME, VALUE, STATE = 46, 16, 14
"""Columns of a figure's name, of each of its values and of a gate's state."""

SMALLEST = 0.0005
"""Difference from which a figure is printed as another one: three digits are shown."""


def print_lines(diff: BankDiff, *, limit: int | None) -> Iterator[str]:
    """The whole comparison; of each list at most `limit` rows, with the number of those left out."""
    names = f"{_side(diff, 'a')}  ->  {_side(diff, 'b')}"
    yield _fit(names, WIDTH)
    for note in diff.notes:
        yield from _wrapped(f"note: {note}", WIDTH, "      ")
    if diff.prompts:
        yield from _wrapped(
            "other prompts: " + ", ".join(p.name for p in diff.prompts), WIDTH, "  "
        )
    yield from _figures("counts", diff.counts, whole=True, limit=None)
    yield from _gates(diff)
    yield from _figures("shares", diff.quotas, limit=None)
    yield from _figures("score of what reads no context", diff.shortcuts, limit=limit)
    yield from _figures("score of systems that read no text", diff.scores, limit=limit)
    yield from _rows("questions", diff.questions, limit)
    yield from _rows("dated events", diff.events, limit)


def _side(diff: BankDiff, side: str) -> str:
    about = diff.a if side == "a" else diff.b
    return f"{about.name} ({about.kind}, {about.public_id})"


# -- tables ----------------------------------------------------------------------------------------


def _figures(
    title: str, rows: Sequence[FigureDiff], *, limit: int | None, whole: bool = False
) -> Iterator[str]:
    """A table of figures; with a limit those that differ, the largest difference first, and a count of the others."""
    if not rows:
        return
    yield ""
    for side, missing in (
        ("A", all(r.a is None for r in rows)),
        ("B", all(r.b is None for r in rows)),
    ):
        if missing:
            yield f"{title}: not held by {side}"
            return
    differing = [row for row in rows if _distance(row) >= SMALLEST]
    shown = list(rows)
    if limit is not None:
        shown = sorted(differing, key=lambda row: -_distance(row))[:limit]
    if not shown:
        yield f"{title}: all {len(rows):,} are the same"
        return
    yield f"{title:<{NAME}}{'A':>{VALUE}}{'B':>{VALUE}}{'B - A':>{VALUE}}"
    for row in shown:
        gap = "" if row.a is None or row.b is None else _number(row.b - row.a, whole, sign=True)
        yield (
            f"{_fit('  ' + row.name, NAME):<{NAME}}"
            f"{_number(row.a, whole):>{VALUE}}{_number(row.b, whole):>{VALUE}}{gap:>{VALUE}}"
        ).rstrip()
    if limit is not None:
        yield from _left_out(len(differing) - len(shown), "that differ less")
        if len(rows) > len(differing):
            yield f"  {len(rows) - len(differing):,} others are the same"


def _distance(row: FigureDiff) -> float:
    """How much a row has to say: one that a side lacks comes first."""
    if row.a is None or row.b is None:
        return float("inf")
    return abs(row.b - row.a)


def _number(value: float | None, whole: bool, *, sign: bool = False) -> str:
    if value is None:
        return "-"
    if value == 0 and sign:
        return "="
    return f"{value:{'+' if sign else ''}{',.0f' if whole else '.3f'}}"


def _gates(diff: BankDiff) -> Iterator[str]:
    if not diff.gates:
        return
    yield ""
    yield f"{'gates':<{NAME - STATE}}{'A':<{STATE}}  {'B':<{STATE}}"
    for row in diff.gates:
        mark = "  <-" if row.state_a != row.state_b and row.state_a and row.state_b else ""
        yield (
            f"{'  ' + row.name:<{NAME - STATE}}{row.state_a or '-':<{STATE}}  {row.state_b or '-':<{STATE}}{mark}"
        ).rstrip()
        if row.measure_a == row.measure_b:
            yield from _wrapped(f"      {row.measure_a}", WIDTH, "      ")
        else:
            for side, measure in (("A", row.measure_a), ("B", row.measure_b)):
                if measure:
                    yield from _wrapped(f"      {side}: {measure}", WIDTH, "         ")


# -- lists -----------------------------------------------------------------------------------------


def _rows(title: str, rows: RowsDiff, limit: int | None) -> Iterator[str]:
    counts = Counter(row.change for row in rows.changes)
    yield ""
    yield (
        f"{title}: {rows.a:,} -> {rows.b:,}; {rows.same:,} the same, "
        + ", ".join(f"{counts[change]:,} {change}" for change in CHANGES)
    )
    for change in CHANGES:
        found = [row for row in rows.changes if row.change == change]
        if found:
            yield f"  {change}"
        for row in found[:limit]:
            yield from _row(row)
        yield from _left_out(len(found) - len(found[:limit]), change)


def _row(row: RowDiff) -> Iterator[str]:
    ids = " -> ".join(dict.fromkeys(i for i in (row.id_a, row.id_b) if i))
    window = "" if row.window_days is None else f", {row.window_days} days"
    answers = " -> ".join(dict.fromkeys(a for a in (row.answer_a, row.answer_b) if a))
    yield f"    {ids}  cutoff {row.cutoff}{window}  answer {answers}"
    lang = _lang(row)
    before, after = row.text_a.get(lang, ""), row.text_b.get(lang, "")
    if before and after and before != after:
        yield from _wrapped(f"      - {before}", WIDTH, "        ")
        yield from _wrapped(f"      + {after}", WIDTH, "        ")
    else:
        yield from _wrapped(f"      {before or after}", WIDTH, "      ")


def _lang(row: RowDiff) -> Lang:
    """The edition to show: the first in which the two differ, else the first that both sides that exist have."""
    sides = [text for text in (row.text_a, row.text_b) if text]
    shared = [lang for lang in LANGS if all(lang in text for text in sides)]
    differing = [lang for lang in shared if len({text[lang] for text in sides}) > 1]
    return (differing or shared or list(LANGS))[0]


def _left_out(count: int, what: str) -> Iterator[str]:
    if count > 0:
        yield f"    … {count:,} more {what} (--limit 0 or --json shows all)"


# -- width -----------------------------------------------------------------------------------------


def _columns(text: str) -> int:
    return sum(_wide(character) for character in text)


def _wide(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fit(text: str, width: int) -> str:
    """A text cut to a width, with a mark where it was cut."""
    if _columns(text) <= width:
        return text
    kept, used = "", 1
    for character in text:
        used += _wide(character)
        if used > width:
            break
        kept += character
    return kept + "…"


def _wrapped(text: str, width: int, indent: str) -> Iterator[str]:
    """Lines of at most `width` columns, broken at spaces, or anywhere in a text without any."""
    line = ""
    for word in _pieces(text):
        if line.strip() and _columns(line + word.rstrip()) > width:
            yield line.rstrip()
            line = indent + word.lstrip()
        else:
            line += word
    yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """Words with the spaces before them; each wide character, and each part of an overlong word, for itself."""
    piece = ""
    for character in text:
        if _wide(character) == 2:
            if piece:
                yield piece
            yield character
            piece = ""
        elif (character == " " and piece.strip()) or len(piece) >= WIDTH // 2:
            yield piece
            piece = character
        else:
            piece += character
    if piece:
        yield piece
