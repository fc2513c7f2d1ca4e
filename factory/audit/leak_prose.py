"""What a reader could look up in one text: holidays and dates as they are never rendered, real names, handles, notes.

The rules of the scanner that need no table and no other text, each hit with its place and words, so that a statement
is judged before anything is paid for by the same rules as the bytes of a release. A person may let a hit stand: it
then passes in that statement alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from factory.audit.gazetteer import real_names
from factory.audit.leak_dates import CALENDAR
from factory.audit.leak_files import BREAK
from factory.audit.leak_holidays import holidays
from factory.audit.leak_texts import cutoffs, notes, shapes
from factory.segments import render
from schemas import AllowedHit, AnonStatement, AnonTimeline, Number, Plain


@dataclass(frozen=True)
class Told:
    """One hit in one text."""

    rule: str
    kind: str
    """What was found, in a few words; of a real name the name."""
    start: int
    end: int


def told(text: str, *, shown: bool) -> Iterator[Told]:
    """Every hit of a text, rule by rule; one that an examinee is shown may not speak of the cutoff either."""
    for kind, start, end in shapes(text):
        yield Told("leak-shape", kind, start, end)
    for kind, start, end in notes(text):
        yield Told("leak-meta", kind, start, end)
    for kind, net in CALENDAR:
        for found in net.finditer(text):
            yield Told("leak-calendar", kind, *found.span())
    for start, end in holidays(text):
        yield Told("leak-calendar", "holiday", start, end)
    for name, start in real_names(text):
        yield Told("leak-real-name", name, start, start + len(name))
    for start, end in cutoffs(text) if shown else ():
        yield Told("leak-meta", "cutoff", start, end)


@dataclass(frozen=True)
class Allowed:
    """A hit that a person let stand, with its statement in every form that a release holds."""

    rule: str
    words: str
    shown: tuple[str, ...]
    """As a reader sees it, alone or among others."""
    stored: frozenset[str]
    """As a record holds it: whole with breaks for references, and each stretch between them."""
    others: frozenset[str]
    """What records hold of every other statement: a longer one that begins or ends alike is found there."""

    def covers(self, text: str, hit: Told) -> bool:
        """Whether the hit is this one, in this statement."""
        if hit.rule != self.rule or text[hit.start : hit.end] != self.words:
            return False
        if text in self.stored or text in self.others:
            return text in self.stored
        return any(
            start <= hit.start and hit.end <= start + len(shown)
            for shown in self.shown
            for start in _places(text, shown)
        )


def _places(text: str, words: str) -> Iterator[int]:
    start = text.find(words)
    while start >= 0:
        yield start
        start = text.find(words, start + 1)


def statements(timeline: AnonTimeline) -> Iterator[AnonStatement]:
    """Every statement and theme of a timeline, in order."""
    for node in timeline.nodes:
        yield from node.fact
        if node.opinion is not None:
            yield from node.opinion.statements
            yield from node.opinion.themes


def allowed_in(timeline: AnonTimeline, hits: Iterable[AllowedHit]) -> tuple[Allowed, ...]:
    """What the scanner passes by in a release of this timeline."""
    wanted = list(hits)
    if not wanted:
        return ()
    shown: dict[str, tuple[str, ...]] = {}
    parts: dict[str, list[list[str]]] = {}
    for each in statements(timeline):
        shown[each.statement_id] = tuple(render(text, lang) for lang, text in each.text.items())
        parts[each.statement_id] = [
            [s.text if isinstance(s, Plain | Number) else BREAK for s in text]
            for text in each.text.values()
        ]
    whole = {key: {"".join(each) for each in texts} for key, texts in parts.items()}
    return tuple(
        Allowed(
            hit.rule,
            hit.words,
            shown[hit.statement_id],
            frozenset({*whole[hit.statement_id], *chain(*parts[hit.statement_id])}),
            frozenset(chain(*(texts for key, texts in whole.items() if key != hit.statement_id))),
        )
        for hit in wanted
        if hit.statement_id in shown
    )
