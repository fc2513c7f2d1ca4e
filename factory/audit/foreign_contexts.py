"""Contexts of a published bank against its cutoffs and each other, and its two editions against each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from math import comb

from factory.audit.foreign_bank import Place, PublishedBank, Row
from factory.audit.foreign_hits import Broken
from factory.audit.leak_editions import nodes
from factory.published.keys import dimension_of
from schemas import LANGS, Lang

CHANCE = 0.001
"""A share of chronological neighbours that chance gives less often than this tells the order."""
_TWINS: tuple[tuple[Lang, Lang], ...] = (("en", "zh"), ("zh", "en"))


def check_contexts(bank: PublishedBank, broken: Broken) -> None:
    """Nodes at or after the cutoff, nodes out of order, and contexts that do not begin the next one."""
    told: dict[Place, tuple[tuple[date, str], ...]] = {
        place: tuple((day, " ".join(text.split())) for day, text in nodes(text))
        for place, text in bank.contexts.items()
    }
    open_questions = open_events = 0
    for place, held in sorted(told.items()):
        event, point, edition = place
        cutoff = bank.cutoffs.get(place)
        name = f"{_stem(event, point)} {edition}"
        if cutoff is None:
            broken.add("published-fields", edition, event, f"{name} states no cutoff")
            continue
        if not held:
            broken.add(
                "published-fields",
                edition,
                event,
                f"{name}: the context has no heading ### YYYY-MM-DD",
            )
        late = [day for day, _ in held if day >= cutoff]
        if late:
            broken.add(
                "published-context-cutoff",
                edition,
                event,
                f"{name}: node of {late[0]}, cutoff {cutoff}",
            )
            last = (max(late) - cutoff).days
            open_questions += sum(
                row.distance is not None and 0 <= row.distance <= last
                for row in bank.questions_at.get(place, ())
            )
            open_events += sum(
                row.distance is not None and 0 <= row.distance <= last
                for row in bank.events_at.get(place, ())
            )
        for (before, _), (after, _) in pairwise(held):
            if after <= before:
                broken.add(
                    "published-context-order", edition, event, f"{name}: {after} after {before}"
                )
    broken.note(
        "published-context-cutoff",
        f"{open_questions} questions and {open_events} dated events lie on days that these contexts tell",
    )
    for place, following in _steps(bank):
        event, _, edition = place
        here, there = told[place], told[following]
        if there[: len(here)] != here:
            broken.add(
                "published-prefix",
                edition,
                event,
                f"{_stem(*place[:2])} {edition} to {following[1]}: {_difference(here, there)}",
            )


def _steps(bank: PublishedBank) -> Iterator[tuple[Place, Place]]:
    """Neighbouring points of one event and edition by cutoff."""
    by_event: dict[tuple[str, Lang], list[tuple[date, str]]] = defaultdict(list)
    for event, point, edition in bank.contexts:
        cutoff = bank.cutoffs.get((event, point, edition))
        if cutoff is not None:
            by_event[event, edition].append((cutoff, point))
    for (event, edition), points in sorted(by_event.items()):
        ordered = [point for _, point in sorted(points)]
        for before, after in pairwise(ordered):
            yield (event, before, edition), (event, after, edition)


def _difference(here: tuple[tuple[date, str], ...], there: tuple[tuple[date, str], ...]) -> str:
    for number, (day, text) in enumerate(here):
        if number >= len(there) or there[number][0] != day:
            return f"node {day} is missing"
        if there[number][1] != text:
            return f"node {day} reads otherwise"
    return "a node is missing"


def check_parity(bank: PublishedBank, broken: Broken) -> None:
    """Points, cutoffs, fields of questions and days of dated events: the same in both editions."""
    for event, point in sorted({place[:2] for place in bank.places}):
        name = _stem(event, point)
        held: dict[Lang, Place] = {
            lang: (event, point, lang) for lang in LANGS if (event, point, lang) in bank.places
        }
        if len(held) < len(LANGS):
            (edition,) = held
            broken.add("published-parity", edition, event, f"{name} is in {edition} only")
            continue
        cutoffs = {lang: bank.cutoffs.get(place) for lang, place in held.items()}
        if len(set(cutoffs.values())) > 1:
            told = ", ".join(f"{lang} {day}" for lang, day in cutoffs.items())
            broken.add("published-parity", "en", event, f"{name}: cutoffs {told}")
        for axis, rows in (("question", bank.questions_at), ("dated event", bank.events_at)):
            counts = {
                lang: Counter(map(_fields, rows.get(place, ()))) for lang, place in held.items()
            }
            for lang, other in _TWINS:
                for fields, surplus in sorted((counts[lang] - counts[other]).items()):
                    for _ in range(surplus):
                        broken.add(
                            "published-parity",
                            lang,
                            event,
                            f"{name}: {axis} {fields} has no twin in {other}",
                        )


def _fields(row: Row) -> str:
    """The fields on which both editions have to agree, in words."""
    if row.axis == "temporal":
        return f"{row.ref.rsplit('/', 1)[-1]} on {row.target}"
    shared = (
        row.kind or "-",
        f"window {row.window}",
        f"distance {row.distance}",
        f"answer {row.answer}",
        row.difficulty or "-",
        dimension_of(row.dimension),
    )
    return ", ".join(shared)


def check_order(bank: PublishedBank, broken: Broken) -> None:
    """Dated events by their id: an order that follows time tells the days.

    In each point neighbours with different days are counted; a share that chance gives in less than one of a
    thousand points is a hit.
    """
    forward = backward = 0
    for (event, point, edition), rows in sorted(bank.events_at.items()):
        days = [row.target for row in sorted(rows, key=lambda row: row.ref) if row.target]
        up = sum(a < b for a, b in pairwise(days))
        down = sum(a > b for a, b in pairwise(days))
        forward, backward = forward + up, backward + down
        if _at_least(up, up + down) < CHANCE:
            broken.add(
                "published-event-order",
                edition,
                event,
                f"{_stem(event, point)} {edition}: {up} of {up + down} neighbours by id follow in time",
            )
    broken.note(
        "published-event-order",
        f"{forward} of {forward + backward} neighbours in all points follow in time",
    )


def _at_least(hits: int, of: int) -> float:
    """Chance of so many heads or more in `of` throws of a fair coin."""
    return float(sum(comb(of, k) for k in range(hits, of + 1)) / 2**of)


def _stem(event: str, point: str) -> str:
    return "/".join(part for part in (event, point) if part)
