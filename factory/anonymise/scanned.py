"""What only the leak scan would refuse in a statement: asked about before the panel, and let pass where a person says so.

A real name that no table holds, a name glued into an address, a docket: no rule of phase A sees them, and a refusal
at the very end comes when everything is paid for. So the rules of the scan read each statement first. A name that a
person hides goes into the table and changes what the panel reads, hence the question comes before the panel. Other
words are mended in phase C, or stay and pass the scan in that statement alone, which the card tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from factory.anonymise.apply import compared, parse_timeline
from factory.anonymise.asked import HIDE_AS, KEEP, REMOVE, REPLACE, place_id
from factory.anonymise.match import Matcher, fold
from factory.anonymise.repair import Compared, describe
from factory.anonymise.segments import Doubt, plain_words
from factory.anonymise.table import Named, build_table, unusable
from factory.audit.leak_prose import Told, statements, told
from factory.counting import count_of
from factory.errors import ReviewWaiting
from factory.nameforms.near_names import NearNames, ordinary_words
from factory.nameforms.normal_forms import NameSearch
from factory.segments import render
from factory.stage import StageContext
from schemas import (
    AllowedHit,
    AnonTimeline,
    Lang,
    ReplacementTable,
    ReviewRequest,
    Timeline,
)

REAL_NAME = "a real name"
IN_WORDS = "a name of the table inside other words"
NEAR_NAME = "a word one letter away from a name"
_REASONS = {
    "leak-calendar": "a {kind} of the calendar",
    "leak-shape": "what can be looked up ({kind})",
    "leak-meta": "what sounds like a note of the process ({kind})",
}
_STOPS = ".,:;!?'’"
_WORD = re.compile(r"[A-Za-z0-9_@#$/.'’&:+-]*")


def scanned(given: Sequence[Compared], table: ReplacementTable, lang: Lang) -> list[Compared]:
    """The statements with a doubt for everything that the scan would refuse and that no other doubt holds."""
    shown = {each.statement_id: render(each.text, lang) for each in given}
    names: dict[str, list[tuple[str, str]]] = {text: [] for text in shown.values()}
    for text, words in NameSearch(table).find(names):
        names[text].append((words, IN_WORDS))
    for text, words in NearNames(table).find(names, ordinary_words(names)):
        names[text].append((words, NEAR_NAME))
    out = []
    for each in given:
        text = shown[each.statement_id]
        plain = plain_words(each.text)
        held = [
            found.span()
            for doubt in each.doubts
            for found in re.finditer(re.escape(doubt.words), text)
        ]
        doubts = {
            doubt.words: doubt
            for doubt in (_whole(words, why, plain) for words, why in names[text])
            if doubt.words and not any(fold(doubt.words) in fold(d.words) for d in each.doubts)
        }
        for hit in told(text, shown=True):
            if not any(hit.start < end and start < hit.end for start, end in held):
                doubt = _doubt(hit, text)
                doubts.setdefault(doubt.words, doubt)
        fresh = sorted(doubts.values(), key=lambda doubt: text.find(doubt.words))
        out.append(replace(each, doubts=(*each.doubts, *fresh)) if fresh else each)
    return out


def _doubt(hit: Told, text: str) -> Doubt:
    name = hit.rule == "leak-real-name"
    reason = REAL_NAME if name else _REASONS[hit.rule].format(kind=hit.kind)
    return Doubt("scan", text[hit.start : _end(hit, text)], reason)


def _end(hit: Told, text: str) -> int:
    """Where a hit ends; a handle or address takes the end of its sentence along."""
    words = text[hit.start : hit.end]
    return hit.start + len(words.rstrip(_STOPS) if hit.rule == "leak-shape" else words)


def _whole(words: str, why: str, plain: str) -> Doubt:
    """A name as it stands in the plain words, with the letters, dots and signs that it is glued to."""
    at = plain.casefold().find(words.casefold())
    if at < 0:
        return Doubt("scan", "", why)
    before = re.search(rf"{_WORD.pattern}$", plain[:at])
    after = _WORD.match(plain, at + len(words))
    start = before.start() if before else at
    end = after.end() if after else at + len(words)
    return Doubt("scan", plain[start:end].rstrip(_STOPS), why)


def choices(statement: Compared, words: str) -> tuple[str, ...]:
    """What a person may choose for words in doubt."""
    reasons = {d.reason for d in statement.doubts if d.kind == "scan" and d.words == words}
    if reasons & {IN_WORDS, NEAR_NAME}:
        return REPLACE, REMOVE  # nobody may let a name of the table stand
    hide = tuple(HIDE_AS) if REAL_NAME in reasons and not unusable(words) else ()
    return REPLACE, KEEP, REMOVE, *hide


def put_scanned(
    ctx: StageContext, timeline: Timeline, table: ReplacementTable, corpus: Sequence[str]
) -> ReplacementTable:
    """Put what only the scan refuses to a person; gives the table with the names that a person hides.

    Raises ReviewWaiting while a decision waits, so that no panel is paid for a text that could not be released.
    Nobody is asked here about an event that never happened: there it is a flag like any other.
    """
    if ctx.event.fictional:
        return table
    given = compared(timeline, parse_timeline(timeline, Matcher(table), 0))
    asked: list[tuple[str, ReviewRequest]] = []
    named: dict[str, Named] = {}
    latest = {decision.review_id: decision.choice for decision in ctx.decisions}
    for statement in scanned(given, table, timeline.lang):
        for doubt in (each for each in statement.doubts if each.kind == "scan"):
            request = ReviewRequest(
                stage=ctx.stage,
                review_id=place_id(ctx, statement.statement_id, doubt.words),
                kind="scan",
                question=f"{doubt.words!r}: {describe(doubt)}. What should stand there?",
                detail=statement.raw,
                options=choices(statement, doubt.words),
            )
            choice = latest.get(request.review_id, "")
            if choice in HIDE_AS:
                named[doubt.words] = Named(HIDE_AS[choice], (doubt.words,), "human")
                ctx.request_review(
                    request
                )  # its words are gone from now on, the decision may change
            elif choice not in request.options:  # one that is decided is put again by phase C
                asked.append((doubt.words, request))
    # A name that a person hides is gone from every place.
    waiting = [request for words, request in asked if words not in named]
    if waiting:
        ctx.reviews += waiting
        raise ReviewWaiting(
            f"{count_of(len(waiting), 'decision waits', 'decisions wait')} before the panel is asked, since the leak scan "
            f"would refuse what stands there, the first: {waiting[0].question} Decide with `factory review "
            f"{ctx.event.slug}`, then give the same command again"
        )
    return build_table(list(named.values()), corpus, ctx.keys.salt, base=table) if named else table


def kept_words(ctx: StageContext, given: Iterable[Compared]) -> frozenset[tuple[str, str]]:
    """Statement and words of every doubt that a person let stand."""
    latest: Mapping[str, str] = {d.review_id: d.choice for d in ctx.decisions}
    return frozenset(
        (each.statement_id, doubt.words)
        for each in given
        for doubt in each.doubts
        if latest.get(place_id(ctx, each.statement_id, doubt.words)) == KEEP
    )


def allowed_hits(
    timeline: AnonTimeline, kept: frozenset[tuple[str, str]]
) -> tuple[AllowedHit, ...]:
    """Hits of the scan that lie within words that a person let stand, in the statement where they stand."""
    found: dict[AllowedHit, None] = {}
    for each in statements(timeline) if kept else ():
        text = render(each.text[timeline.lang], timeline.lang)
        for where, words in kept:
            if where != each.statement_id:
                continue
            for at in re.finditer(re.escape(words), text):
                for hit in told(text, shown=True):
                    if at.start() <= hit.start and _end(hit, text) <= at.end():
                        row = AllowedHit(
                            statement_id=where, rule=hit.rule, words=text[hit.start : hit.end]
                        )
                        found.setdefault(row)
    return tuple(sorted(found, key=lambda row: (row.statement_id, row.rule, row.words)))
