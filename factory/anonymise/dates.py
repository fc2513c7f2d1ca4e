"""The date engine: every date mention of a text in English or Chinese, and what one offset makes of it.

Rule engine over `sources/calendar.py`, without any library: published date finders either miss Chinese,
eat words or give no spans. Mentions are chosen leftmost, then longest, and never overlap. What the engine
does not see is caught by the calendar net of `factory/audit`, which has its own words.
"""

from __future__ import annotations

import random
from datetime import date
from typing import Literal

from factory.anonymise import dates_en, dates_zh
from factory.anonymise.date_marks import CHINESE, marks
from factory.anonymise.intervals import Frame, Mention

__all__ = ["Frame", "Mention", "draw_offset", "find_dates", "offsets", "shift_text"]

_RANK = {"shift": 0, "flag": 1, "leave": 2}


def find_dates(text: str, anchor: date, offset: int, hint: date | None = None) -> list[Mention]:
    """All mentions in order, none overlapping.

    `anchor` is the raw day of the text, `offset` the days added, `hint` the raw day of what the sentence
    tells if known. A flag of the same length loses to a shift: a rule that can compute is better than a doubt.
    """
    frame = Frame(anchor=anchor, offset=offset, hint=hint)
    candidates = [
        *dates_en.mentions(text, frame),
        *(dates_zh.mentions(text, frame) if CHINESE.search(text) else ()),
        *marks(text, frame),
    ]
    candidates.sort(key=lambda m: (m.start, m.start - m.end, _RANK[m.kind]))
    chosen: list[Mention] = []
    position = 0
    for mention in candidates:
        if mention.start >= position:
            chosen.append(mention)
            position = mention.end
    return chosen


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
