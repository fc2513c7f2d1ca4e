"""The date engine: every date mention of a text in English or Chinese, and what one offset makes of it.

Rule engine over `sources/calendar.py`, without any library: published date finders either miss Chinese,
eat words or give no spans. Mentions are chosen leftmost, then longest, and never overlap. Written-out days are
read first, because months, seasons and "that year" of the same text must agree with them. What the engine does
not see is caught by the calendar net of `factory/audit`, which has its own words.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from typing import Literal

from factory.anonymise import date_marks, dates_en, dates_recurring, dates_short, dates_zh
from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import MONTH_NAME, month_number
from factory.anonymise.dates_guard import guarded
from factory.anonymise.dates_joined import joined
from factory.anonymise.dates_scan import Rule, Scanner
from factory.anonymise.dates_stops import stopped
from factory.anonymise.intervals import Frame, Mention
from schemas import DateRef

__all__ = [
    "RULES",
    "Frame",
    "Mention",
    "draw_offset",
    "find_dates",
    "offsets",
    "resolve",
    "shift_text",
]

_RANK = {"shift": 0, "flag": 1, "leave": 2}
RULES: tuple[Rule, ...] = (
    *dates_en.RULES,
    *dates_zh.RULES,
    *dates_short.RULES,
    *date_marks.RULES,
    *dates_recurring.RULES,
)
"""Every rule of both languages, in the order in which they win a tie."""

_REFERS = re.compile("that year|same year|当年|同年")
"""Words that take their year from a date before them."""
_YEAR = re.compile(
    r"(?:19|20)\d\d(?<![\d.,$#/-]\d{4})(?![\d%]|[.,-]\d)(?: ?年(?P<m>1[0-2]|[1-9])月)?", re.ASCII
)
_MONTH_BEFORE = re.compile(rf"(?P<m>{MONTH_NAME})(?:,? | of )$", re.ASCII)
_JOINED_AFTER = re.compile(
    r"(?: to | until | through | and | or |, (?=\d{4}(?:,| and | or ))|[-–—]|至|到|和|及|—+)(?P<y>(?:19|20)\d\d年?)(?![\d月])"
)
_JOINED_BEFORE = re.compile(
    r"(?<![\d月日])(?P<y>(?:19|20)\d\d年?)(?: to | until | through | and | or |[-–—]|至|到|和|及|—+)$"
)
_NEAR = r"(?:on|in|by|around|about|of|at|late|early|the|from|since|until|before|after)"
_YEAR_BEFORE = re.compile(rf"(?<![\d$£€.,/-])(?P<y>(?:19|20)\d\d),?(?: {_NEAR}){{0,3}} $", re.ASCII)
_YEAR_AFTER = re.compile(
    rf"(?:,? \(?(?:{_NEAR}|noon|midnight|night|morning|\d{{1,2}}(?::\d\d){{1,2}}|\d{{1,2}} ?[ap]\.?m\.?|[AaPp]\.?[Mm]\.?|[+-]\d{{4}}|[A-Z]{{2,4}})){{0,4}},? \(?(?P<y>(?:19|20)\d\d)(?![\d%]|[.,/-]\d|['’]s)",
    re.ASCII,
)
"""A year that an English date without one belongs to, with nothing but a time or small words between."""


_TYPESET = dict.fromkeys("\u00a0\u2000\u2002\u2003\u2007\u2009\u202f", " ") | dict.fromkeys(
    "\u2010\u2011", "-"
)
"""Spaces and hyphens of typesetters, one character each, so that places in the text stay."""


@cache
def _scanner() -> Scanner:
    return Scanner(RULES)


def find_dates(
    text: str,
    anchor: date,
    offset: int,
    hint: date | None = None,
    days: Iterable[date] = (),
) -> list[Mention]:
    """All mentions in order, none overlapping.

    `anchor` is the raw day of the text, `offset` the days added, `hint` the raw day of what the sentence
    tells if known, `days` raw days written out elsewhere in the same node, which its units must agree with.
    """
    frame = Frame(anchor=anchor, offset=offset, hint=hint, days=tuple(sorted(set(days))))
    plain = text
    for mark, usual in _TYPESET.items():
        plain = plain.replace(mark, usual)
    found = resolve(plain, frame, _scanner().matches(plain))
    if plain == text:
        return found
    return [m if m.kind == "shift" else m._replace(surface=text[m.start : m.end]) for m in found]


def resolve(
    text: str, frame: Frame, matches: Iterable[tuple[Rule, re.Match[str]]]
) -> list[Mention]:
    """The mentions that matches of the rules stand for: read, chosen and checked beside each other.

    A flag of the same length loses to a shift: a rule that can compute is better than a doubt.
    """
    frame, chosen = _chosen(text, frame, matches)

    def alone(words: str) -> list[Mention]:
        return _chosen(words, frame, _scanner().matches(words))[1]

    return stopped(text, _beside(text, joined(text, chosen, frame, alone), frame))


def _chosen(
    text: str, frame: Frame, matches: Iterable[tuple[Rule, re.Match[str]]]
) -> tuple[Frame, list[Mention]]:
    """The mentions, each read by itself, and what the text says about all of them."""
    candidates: list[Mention] = []
    later: list[tuple[Rule, re.Match[str]]] = []
    refers = False
    for rule, found in matches:
        if _REFERS.search(found.group()) is not None:
            refers = True
            later.append((rule, found))
        elif not rule.exact:
            later.append((rule, found))
        elif (mention := rule.read(found, frame)) is not None:
            candidates.append(mention)
    written = {day for mention in candidates for day in _raw_days(mention, frame.offset)}
    frame = replace(
        frame,
        days=tuple(sorted({*frame.days, *written})),
        years=_years(text, candidates, frame.offset) if refers else (),
    )
    for rule, found in later:
        mention = rule.read(found, frame)
        if mention is not None:
            candidates.append(mention)
    candidates.sort(key=lambda m: (m.start, m.start - m.end, _RANK[m.kind]))
    chosen: list[Mention] = []
    position = 0
    for mention in candidates:
        if mention.start >= position:
            chosen.append(mention)
            position = mention.end
    return frame, guarded(text, chosen)


def _raw_days(mention: Mention, offset: int) -> list[date]:
    """Days before the shift that a mention writes out."""
    back = timedelta(days=offset)
    return [
        day - back
        for part in mention.parts
        if isinstance(part.ref, DateRef)
        and part.ref.precision in ("day", "range")
        and part.ref.style in ("full", "short")
        for day in {part.ref.start, part.ref.end}
    ]


def _years(text: str, exact: list[Mention], offset: int) -> tuple[tuple[int, int, int], ...]:
    """Position, year and year after the shift of every year written in the text."""
    spans = sorted(
        (mention.start, mention.end, part.ref.start.year)
        for mention in exact
        for part in mention.parts
        if isinstance(part.ref, DateRef) and part.ref.style == "full"
    )
    said = []
    for found in _YEAR.finditer(text):
        year = after = int(found.group()[:4])
        at = found.start()
        before = bisect_right(spans, (at, len(text), 0)) - 1
        if before >= 0 and at < spans[before][1]:
            after = spans[before][2]
        elif found["m"]:
            after = iv.shift_month(iv.month_unit(year, int(found["m"])), offset)[0].year
        elif named := _MONTH_BEFORE.search(text, max(at - 14, 0), at):
            unit = iv.month_unit(year, month_number(named["m"]))
            after = iv.shift_month(unit, offset)[0].year
        said.append((at, year, after))
    return tuple(said)


def _crossing(mention: Mention, step: timedelta) -> tuple[int, int] | None:
    """Year of a shifted mention before and after the shift; None when it has no reference."""
    if mention.kind != "shift":
        return None
    for part in reversed(mention.parts):
        if isinstance(part.ref, DateRef):
            return (part.ref.start - step).year, part.ref.start.year
    return None


def _yearless(mention: Mention) -> bool:
    """Whether a mention moves a day or a unit of an English text and names no year itself."""
    refs = [part.ref for part in mention.parts if isinstance(part.ref, DateRef)]
    return all(ref.style in ("short", "attributive") for ref in refs) and mention.surface.isascii()


def _beside(text: str, chosen: list[Mention], frame: Frame) -> list[Mention]:
    """Years that depend on the date beside them.

    "that year" after a date stays while it is true; a bare year joined to a date ("from May 2024 to 2025") is
    left like every bare year, unless the date has moved into another year: then a person must look.
    """
    doubts: list[Mention] = []
    out: list[Mention] = []
    step = timedelta(days=frame.offset)
    for mention in chosen:
        if mention.reason == date_marks.SAME_YEAR:
            before = out[-1] if out and out[-1].end == mention.start else None
            said = iv.year_said(frame, before.start if before else mention.start)
            years = _crossing(before, step) if before else None
            if said is None or (years[1] if years else said[0]) != said[1]:
                mention = mention._replace(kind="flag", reason="year said by reference")
        years = _crossing(mention, step)
        if years is not None and years[0] != years[1]:
            low = max(mention.start - 16, 0)
            beside = [
                (_JOINED_BEFORE.search(text[low : mention.start]), low),
                (_JOINED_AFTER.match(text[mention.end : mention.end + 20]), mention.end),
            ]
            if _yearless(mention):
                far = max(mention.start - 28, 0)
                beside += [
                    (_YEAR_BEFORE.search(text[far : mention.start]), far),
                    (_YEAR_AFTER.match(text[mention.end : mention.end + 48]), mention.end),
                ]
            for found, base in beside:
                if found is not None:
                    start, end = base + found.start("y"), base + found.end("y")
                    doubts.append(
                        Mention(start, end, "flag", "year beside a shifted date", text[start:end])
                    )
        out.append(mention)
    if not doubts:
        return out
    shifted = [m for m in out if m.kind == "shift"]
    doubts = [d for d in doubts if not any(m.start < d.end and d.start < m.end for m in shifted)]
    kept = [m for m in out if not any(m.start < d.end and d.start < m.end for d in doubts)]
    return sorted({(m.start, m.end): m for m in (*kept, *doubts)}.values(), key=lambda m: m.start)


def shift_text(text: str, anchor: date, offset: int, hint: date | None = None) -> str:
    """The text with every shiftable mention moved, in the words it was written in."""
    parts, position = [], 0
    for mention in find_dates(text, anchor, offset, hint):
        parts += [text[position : mention.start], mention.surface]
        position = mention.end
    return "".join(parts) + text[position:]


def offsets(policy: Literal["weeks", "paper"]) -> list[int]:
    """Every offset that a policy may draw.

    weeks: multiples of 7 with 28 <= |d| <= 175 (44 values, 5.5 bits), weekdays stay true; paper: any day
    within +-180 but 0 (8.5 bits), weekday words move.
    """
    if policy == "weeks":
        return [sign * days for sign in (-1, 1) for days in range(28, 176, 7)]
    return [days for days in range(-180, 181) if days != 0]


def draw_offset(policy: Literal["weeks", "paper"], *, other_than: int | None = None) -> int:
    """An offset from the system's randomness, never the one given."""
    return random.SystemRandom().choice([d for d in offsets(policy) if d != other_than])
