"""What a sentence of the timeline must pass before it stands: quotes, figures, days and language.

Models propose sentences; this file decides by code alone. A quote counts only when its words occur in the item
that it names, a figure only when the cited items or quotes have it, and nothing rests on what was published later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from factory.dedup.figures import figures, without_dates
from factory.dedup.wording import content_length, script
from factory.distil.clock import clock_times
from factory.distil.relative import named_years
from schemas import Evidence, Item, Lang

SHORTEST_QUOTE = 4
"""Letters and digits below which a passage proves nothing, because it occurs anywhere."""


@dataclass(frozen=True)
class Draft:
    """A verified sentence that is not yet part of a node."""

    text: str
    evidence: tuple[Evidence, ...]
    happened_on: date | None = None
    status: str = "confirmed"


def find_quote(quote: str, item: Item) -> str | None:
    """The passage as it stands in the item's text or title; none when the words do not occur.

    Runs of whitespace count as one space. Case, signs and characters must agree.
    """
    words = quote.split()
    if content_length(quote) < SHORTEST_QUOTE:
        return None
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    for text in (item.text, item.title):
        match = pattern.search(text)
        if match is not None:
            return match.group()
    return None


def verified(
    quotes: Iterable[tuple[int, str]], items: list[Item]
) -> tuple[tuple[Evidence, ...], list[str]]:
    """Evidence for the quotes that stand in the items they number (from 1), and a reason for each that does not."""
    kept: list[Evidence] = []
    dropped: list[str] = []
    for number, quote in quotes:
        if not 1 <= number <= len(items):
            dropped.append(f"there is no source {number}: {quote[:80]}")
            continue
        item = items[number - 1]
        passage = find_quote(quote, item)
        if passage is None:
            dropped.append(f"not verbatim in {item.item_id}: {quote[:80]}")
        elif (evidence := Evidence(item_id=item.item_id, quote=passage)) not in kept:
            kept.append(evidence)
    return tuple(kept), dropped


def foreign_figures(
    text: str, support: Iterable[str], days: Iterable[date], published: date | None = None
) -> list[str]:
    """Numbers and times of day of a sentence that none of its supporting texts has, dates aside.

    Absolute dates are worked out from days of publication, so they need not occur in a source; the year,
    month and day of `days` are allowed for the same reason. With `published`, the day on which the supporting
    texts came out, a year is also allowed that they name by a relative word such as `last year`. Times of day
    are compared as times, so that `晚上七点` supports `7 p.m.`.
    """
    allowed = {float(part) for day in days for part in (day.year, day.month, day.day)}
    readings: set[int] = set()
    for source in support:
        found = figures(source)
        allowed |= found.digits | found.words
        readings |= {reading for time in clock_times(source)[0] for reading in time.readings}
        if published is not None:
            allowed |= {float(year) for year in named_years(source, published)}
    times, rest = clock_times(without_dates(text))
    alien_times = [
        time.text
        for time in times
        if time.in_digits and not time.readings & readings and not time.numbers <= allowed
    ]
    return alien_times + [f"{value:g}" for value in sorted(figures(rest).digits - allowed)]


def in_language(text: str, lang: Lang) -> bool:
    """Whether a sentence is written in the language, judged by its script."""
    return (script(text) == "zh") == (lang == "zh")


def parse_day(text: str) -> date | None:
    """The day of an answer; none when it is empty or no day of the calendar."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None
