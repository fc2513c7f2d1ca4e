"""Phase C by code: the anonymised timeline against the raw one at paragraph, event and narrative level.

Paragraph: figures, references, dates, words and grammar of a sentence. Event: the same statements under the
same ids with their days moved. Narrative: the same days in the same order with the same gaps, and every day that
continues another still behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from difflib import SequenceMatcher

from factory.anonymise.drift_grammar import damage
from factory.anonymise.match import Matcher, fold
from factory.anonymise.repair import Compared, flag
from factory.anonymise.segments import plain_words
from factory.audit.calendar_net import calendar_words
from factory.segments import numbers
from schemas import (
    AnonNode,
    AnonStatement,
    AnonTimeline,
    DateRef,
    DriftFlag,
    EntityRef,
    Lang,
    Node,
    SegmentText,
    Statement,
    Timeline,
)

_OFF = {
    "day": 0,
    "range": 0,
    "part_of_month": 8,
    "month": 16,
    "quarter": 46,
    "season": 46,
    "year": 183,
}
"""Days by which a shifted mention may miss the offset: half of its unit, as the largest overlap chooses it."""
_RELATIVE = frozenset(
    {"this", "last", "next", "coming", "previous", "past", *"本上下这今明去前后周"}
)
_COUNTED = re.compile(
    r"\b(?:[Tt]he (?P<a>week|month|quarter|year) (?:before last|after next)|(?:(?:[Ee]arlier|[Ll]ater) )?(?:[Ll]ast|[Tt]he coming|[Tt]his|[Nn]ext) (?P<b>week|month|quarter|year))\b"
)
"""A unit counted from the text's day: any such words may stand for any other."""
_TOKEN = re.compile(r"[A-Za-z]+|\s+|.", re.DOTALL)


def leftovers(text: SegmentText, matcher: Matcher) -> list[str]:
    """Names of the table that the plain words still hold."""
    words = plain_words(text)
    return [words[hit.start : hit.end] for hit in matcher.find(words)]


def compare_statement(
    statement: Compared, unshifted: SegmentText, offset: int, matcher: Matcher, lang: Lang
) -> list[str]:
    """Paragraph level: what code sees wrong with a statement before any repair, one sentence each.

    `unshifted` is the same raw text parsed with an offset of zero: figures, references and words must be equal,
    every day must have moved by `offset` days, and every longer unit to the one that overlaps most.
    """
    problems = []
    if numbers(statement.text) != numbers(unshifted):
        problems.append("the figures differ from the raw text")
    if _entities(statement.text) != _entities(unshifted):
        problems.append("the references to names differ from the raw text")
    problems += _moved(statement.text, unshifted, offset)
    if _other_words(unshifted, statement.text):
        problems.append("the words between names and dates differ from the raw text")
    known = {fold(doubt.words) for doubt in statement.doubts}
    for words in leftovers(statement.text, matcher):
        if fold(words) not in known:
            problems.append(f"the name {words!r} is left in the text")
    problems += damage(statement.raw, statement.text, lang)
    return problems


def _entities(text: SegmentText) -> list[tuple[str, str]]:
    """References in order: two that changed places say who did what to whom."""
    return [(s.cls, s.label) for s in text if isinstance(s, EntityRef)]


def _moved(text: SegmentText, unshifted: SegmentText, offset: int) -> Iterator[str]:
    before = [s for s in unshifted if isinstance(s, DateRef)]
    after = [s for s in text if isinstance(s, DateRef)]
    days = {day for s in after if s.precision in ("day", "range") for day in (s.start, s.end)}
    if len(before) != len(after):
        yield "a date was lost or gained"
        return
    for a, b in zip(before, after, strict=True):
        off = max(abs((b.start - a.start).days - offset), abs((b.end - a.end).days - offset))
        if a.precision != b.precision:
            yield "a date names another unit than in the raw text"
        elif off > _OFF[a.precision] and not _holds_a_day(a, b, days, offset):
            exact = a.precision in ("day", "range")
            yield (
                "a day did not move by the offset"
                if exact
                else f"a {a.precision.replace('_', ' ')} moved to one that hardly overlaps it"
            )


def _holds_a_day(a: DateRef, b: DateRef, days: set[date], offset: int) -> bool:
    """Whether a unit keeps a day that the text writes out, which outweighs the larger overlap."""
    if a.precision in ("day", "range"):
        return False
    step = timedelta(days=offset)
    return any(b.start <= day <= b.end and a.start + step <= day <= a.end + step for day in days)


def _other_words(unshifted: SegmentText, text: SegmentText) -> bool:
    """Whether plain words changed, apart from calendar words and the small words that count from today."""
    old, new = (
        _COUNTED.sub(lambda found: f"this {found['a'] or found['b']}", plain_words(each))
        for each in (unshifted, text)
    )
    if old == new:
        return False
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal" or (_relative(a[i1:i2]) and _relative(b[j1:j2])):
            continue
        # A unit is written with its neighbours ("next Friday", 3月): the stretch is judged with them.
        stretches = "".join(a[max(i1 - 2, 0) : i2 + 2]), "".join(b[max(j1 - 2, 0) : j2 + 2])
        if not all(next(calendar_words(each), None) for each in stretches):
            return True
    return False


def _relative(tokens: Sequence[str]) -> bool:
    words = [token.lower() for token in tokens if not token.isspace()]
    return bool(words) and all(word in _RELATIVE for word in words)


def compare_events(raw: Timeline, anonymised: AnonTimeline, offset: int) -> list[DriftFlag]:
    """Event level: on each day the same statements in the same order, with what happened when, and how people felt.

    A day that one of the two timelines lacks is the narrative level's business.
    """
    public = {node.node_id: node for node in anonymised.nodes}
    flags = []
    for node in raw.nodes:
        if node.node_id in public:
            flags += list(_compare_node(node, public[node.node_id], offset, anonymised.lang))
    return flags


def _compare_node(node: Node, public: AnonNode, offset: int, lang: Lang) -> Iterator[DriftFlag]:
    opinion = node.opinion
    shown = public.opinion
    yield from _compare_statements(
        node, node.fact.statements if node.fact else (), public.fact, offset, lang
    )
    if (opinion is None) != (shown is None):
        yield flag("event", node.node_id, "public opinion of the day was lost or gained", "code")
    if opinion is None or shown is None:
        return
    yield from _compare_statements(node, opinion.statements, shown.statements, offset, lang)
    before = (opinion.stances, opinion.emotion, opinion.n_items, len(opinion.themes))
    after = (shown.stances, shown.emotion, shown.n_items, len(shown.themes))
    if before != after:
        yield flag("event", node.node_id, "the figures of public opinion differ", "code")


def _compare_statements(
    node: Node,
    raw: Sequence[Statement],
    public: Sequence[AnonStatement],
    offset: int,
    lang: Lang,
) -> Iterator[DriftFlag]:
    ids = [statement.statement_id for statement in raw]
    if ids != [statement.statement_id for statement in public]:
        where = _first_difference(ids, [statement.statement_id for statement in public])
        yield flag(
            "event", where or node.node_id, "statements were lost, gained or reordered", "code"
        )
        return
    for a, b in zip(raw, public, strict=True):
        if not b.text.get(lang):
            yield flag("event", a.statement_id, "the statement says nothing any more", "code")
        if (a.happened_on is None) != (b.happened_on is None):
            yield flag(
                "event", a.statement_id, "the day on which it happened was lost or gained", "code"
            )
        elif a.happened_on and b.happened_on and (b.happened_on - a.happened_on).days != offset:
            yield flag(
                "event",
                a.statement_id,
                "the day on which it happened did not move by the offset",
                "code",
            )


def _first_difference(before: Sequence[str], after: Sequence[str]) -> str:
    missing = Counter(before) - Counter(after)
    if missing:
        return next(iter(missing))
    return next((a for a, b in zip(before, after, strict=False) if a != b), "")


def compare_arc(raw: Timeline, anonymised: AnonTimeline, offset: int) -> list[DriftFlag]:
    """Narrative level: the same days in the same order, each gap unchanged, and causes before what follows."""
    flags = []
    ids = [node.node_id for node in raw.nodes]
    public = {node.node_id: node.date for node in anonymised.nodes}
    if ids != [node.node_id for node in anonymised.nodes]:
        where = _first_difference(ids, list(public)) or ids[-1]
        flags.append(flag("narrative", where, "days were lost, gained or reordered", "code"))
    for node in raw.nodes:
        day = public.get(node.node_id)
        if day is None:
            continue
        if (day - node.date).days != offset:
            flags.append(
                flag("narrative", node.node_id, "the day did not move by the offset", "code")
            )
        for earlier in node.follows:
            if earlier not in public or public[earlier] > day:
                flags.append(
                    flag(
                        "narrative",
                        node.node_id,
                        "a day that it continues is gone or comes later",
                        "code",
                    )
                )
    moved = (
        (anonymised.span.observed_from - raw.span.observed_from).days,
        (anonymised.span.observed_until - raw.span.observed_until).days,
    )
    if moved != (offset, offset):
        flags.append(flag("narrative", ids[0], "the observed span did not move with it", "code"))
    return flags
