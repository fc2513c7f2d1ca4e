"""Stems of a published bank: what their words tell that they should not, and windows that they state wrongly or not at all."""

from __future__ import annotations

from collections import Counter
from datetime import date
from math import sqrt

from factory.audit.foreign_bank import PublishedBank, Row
from factory.audit.foreign_hits import Broken
from factory.audit.foreign_texts import (
    Named,
    asks,
    days_named,
    displaced,
    internal_ids,
    lengths,
    months_named,
)
from factory.audit.text_attackers import ABSOLUTE
from schemas import LANGS, Lang

MONTHS_OFF = 2
"""A stem may name the month of its target day or a neighbouring one: windows reach over the end of a month."""
CONFIDENCE = 2.576
"""Normal quantile of 99 % of a two-sided interval: a bank of a few rows is not accused by chance."""


def check_windows(bank: PublishedBank, broken: Broken) -> None:
    """The window that a text states against the stored one.

    A text states a window as a length in days, weeks or months, or by two days. It conflicts when it states lengths
    and none is the stored one; it is unstated when there is no exact length and no pair of days so far apart.
    """
    about = 0
    for row in bank.questions:
        if row.window is None:
            continue
        stated = lengths(row.text, row.edition)
        if row.window in stated.exact:
            continue
        days = sorted(days_named(row.text).days)
        apart = {(b - a).days for a in days for b in days if a < b}
        if apart & {row.window, row.window - 1, row.window + 1}:
            continue
        if (stated.exact or stated.about) and row.window not in stated.all:
            named = ", ".join(map(str, sorted(stated.exact | stated.about)))
            broken.add(
                "published-window-text",
                row.edition,
                row.event,
                f"{row.where}: text {named} days, field {row.window}",
            )
        elif not stated.exact:
            about += bool(stated.about)
            broken.add(
                "published-window-unstated",
                row.edition,
                row.event,
                f"{row.where}: the field says {row.window} days",
            )
    broken.note("published-window-unstated", f"{about} of them say about how long it is")


def check_days(bank: PublishedBank, broken: Broken) -> None:
    """Days in stems: of a sibling's answer, before the cutoff, far from the target, or no day at all."""
    dated: Counter[Lang] = Counter()
    for place, rows in sorted(bank.questions_at.items()):
        told: dict[date | None, Row] = {}
        for event in bank.events_at.get(place, ()):
            told.setdefault(event.target, event)
        for row in rows:
            named = days_named(row.text)
            dated[row.edition] += bool(named.days)
            _days_of(row, named, broken)
            sibling = next((told[day] for day in sorted(named.days) if day in told), None)
            if sibling is not None:
                broken.add(
                    "published-sibling-date",
                    row.edition,
                    row.event,
                    f"{row.where}: {sibling.target} answers {sibling.name}",
                )
    for lang in LANGS:
        broken.note("published-sibling-date", f"{dated[lang]} {lang} stems name a day")


def _days_of(row: Row, named: Named, broken: Broken) -> None:
    if row.cutoff is not None and any(day < row.cutoff for day in named.days):
        broken.add(
            "published-past-date",
            row.edition,
            row.event,
            f"{row.where}: {min(named.days)} lies before the cutoff {row.cutoff}",
        )
    for written in named.impossible:
        broken.add("published-impossible-date", row.edition, row.event, f"{row.where}: {written!r}")
    months = months_named(row.text)
    if row.target is not None and months and not _near(row.target, row.window or 0, months, named):
        broken.add(
            "published-far-date",
            row.edition,
            row.event,
            f"{row.where}: its target day is {row.target}",
        )


def _near(target: date, window: int, months: frozenset[tuple[int, int]], named: Named) -> bool:
    """Whether a named day lies within a window of the target day, or a named month next to its month."""
    return any(abs((day - target).days) <= window for day in named.days) or any(
        abs((year - target.year) * 12 + month - target.month) < MONTHS_OFF for year, month in months
    )


def check_words(bank: PublishedBank, broken: Broken) -> None:
    """Internal ids, names before the verb, statements among questions, and words that give the answer away."""
    asking = {
        lang: sum(asks(row.text, lang) for row in bank.questions if row.edition == lang)
        for lang in LANGS
    }
    rows = Counter(row.edition for row in bank.questions)
    for row in bank.questions:
        for found in internal_ids(row.text):
            broken.add("published-internal-id", row.edition, row.event, f"{row.where}: {found!r}")
            break
        if row.edition == "en" and displaced(row.text):
            broken.add("published-word-order", row.edition, row.event, row.where)
        # In a bank of statements a statement is no slip.
        if asking[row.edition] > rows[row.edition] / 2 and not asks(row.text, row.edition):
            broken.add("published-no-question", row.edition, row.event, row.where)
    for lang in LANGS:
        _absolute([row for row in bank.questions if row.edition == lang], lang, broken)


def _absolute(rows: list[Row], lang: Lang, broken: Broken) -> None:
    """Flag the false questions with an absolute word when the word makes false more likely beyond chance."""
    marked = [row for row in rows if ABSOLUTE[lang].search(row.text)]
    false = [row for row in marked if not row.answer]
    if not marked or len(marked) == len(rows):
        return
    rate = len(false) / len(marked)
    others = [row for row in rows if not ABSOLUTE[lang].search(row.text)]
    plain = sum(not row.answer for row in others) / len(others)
    pooled = sum(not row.answer for row in rows) / len(rows)
    error = sqrt(pooled * (1 - pooled) * (1 / len(marked) + 1 / len(others)))
    if error == 0 or (rate - plain) / error < CONFIDENCE:
        return
    for row in false:
        word = ABSOLUTE[lang].search(row.text)
        broken.add(
            "published-absolute-word",
            lang,
            row.event,
            f"{row.where}: {word[0] if word else ''!r}",
        )
    broken.note(
        "published-absolute-word",
        f"{lang}: P(false | word) = {rate:.2f}, without one {plain:.2f}; "
        f"{100 * len(false) / max(1, sum(not r.answer for r in rows)):.1f} % of false and "
        f"{100 * (len(marked) - len(false)) / max(1, sum(r.answer for r in rows)):.1f} % of true questions hold one",
    )
