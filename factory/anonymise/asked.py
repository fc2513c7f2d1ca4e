"""What a person should look at and nothing waits for: unexplained names, figures that could be looked up, rare words.

Shapes find names that no table knows, and common words, too: most of them name nothing, so an open question about
one blocks nothing; it is counted in the card. A decision does count: a word that a person calls a name goes into the
table, and the event is anonymised again with it. An event that never happened has nobody to find, so nothing is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from factory.anonymise.apply import parse_timeline
from factory.anonymise.coverage import CONTEXTS, Unexplained, unexplained
from factory.anonymise.entities import timeline_text
from factory.anonymise.match import Matcher, fold
from factory.anonymise.numbers import RareNumber
from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.table import Named, build_table, unusable
from factory.audit.rare_words import RareWord
from factory.segments import CLASS_NAMES
from factory.stage import StageContext
from schemas import EntityClass, ReplacementTable, ReviewRequest, Timeline
from schemas.anoncard import ReviewState

ADVISORY = frozenset({"name", "figures", "words"})
"""Kinds of questions that nothing waits for."""
_TITLE = re.compile(
    r"(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Sen|Gov|Rep|Gen|Lt|Col|Capt|Sgt|Rev)\.? |(?:President|Premier|Chancellor|Professor|"
    r"Doctor|Chairman|Chairwoman|Governor|Mayor|Senator|Congressman|Congresswoman|Ambassador|Prime Minister|Minister) "
)
"""Titles that belong to a person and not to the name behind them."""
_RANK = re.compile(
    rf"(?:{_TITLE.pattern})|(?:General|Colonel|Captain|Judge|Justice|Secretary|Sir|Lord|Lady|King|Queen|Prince|Princess) "
)
"""The same, and those that also begin names of other things (General Motors)."""
OFTEN = 3
"""Mentions from which an unexplained name is put to a person wherever it stands."""
NOTHING = "names nothing"
MAY_STAND = "may stand"
MUST_CHANGE = "must change"
HIDE_AS: dict[str, EntityClass] = {f"hide as {row['en']}": cls for cls, row in CLASS_NAMES.items()}  # type: ignore[misc]
KEEP = "let it stand"
REPLACE = "replace with the words of the note"
REMOVE = "remove it"
"""Choices for words of one statement."""
SHOWN = 40
"""Figures or words that a person is shown; how many more there are is said."""


def place_id(ctx: StageContext, where: str, words: str) -> str:
    """Id of the question about words of a statement or node."""
    return ctx.new_id("drift-", where, words)


def telling(found: Unexplained) -> bool:
    """Whether an unexplained name is worth a person's time.

    It is when it occurs often, when a reference stands beside it, or when a title says that it is a person.
    """
    words = re.escape(found.words)
    joint = r"[\s·•&/()（）「」“”\"-]{0,2}"
    beside = re.compile(rf"\|{joint}{words}|{words}{joint}\|")
    titled = re.compile(rf"(?<![^\W_])(?:{_RANK.pattern}){words}")
    return (
        found.count >= OFTEN
        or _RANK.match(found.words) is not None
        or any(beside.search(each) or titled.search(each) for each in found.contexts)
    )


def questions(found: Sequence[Unexplained]) -> list[Unexplained]:
    """What a person is asked of unexplained names: each once, without a title before it (Mr Chen and Chen)."""
    merged: dict[str, Unexplained] = {}
    for each in found:
        bare = _TITLE.sub("", each.words, count=1) if _TITLE.match(each.words) else each.words
        if each.shape == "handle" or unusable(bare):
            continue
        key = fold(bare)
        known = merged.get(key)
        contexts = (*known.contexts, *each.contexts) if known else each.contexts
        count = each.count + (known.count if known else 0)
        merged[key] = Unexplained(bare, each.shape, count, contexts)
    return [
        replace(each, contexts=each.contexts[:CONTEXTS])
        for each in merged.values()
        if telling(each)
    ]


def put_names(
    ctx: StageContext, timeline: Timeline, table: ReplacementTable, corpus: Sequence[str]
) -> tuple[ReplacementTable, int]:
    """Put unexplained names of the timeline to a person; gives the table with those decided, and how many are open.

    `corpus` are raw texts of the event, which tell its ordinary words. A handle or an address is no question here:
    it blocks as a doubt of its own.
    """
    if ctx.event.fictional:
        return table, 0
    parsed = parse_timeline(timeline, Matcher(table), 0)
    found = unexplained(
        (one.segments for one in parsed.values()),
        timeline.lang,
        Vocabulary.of([timeline_text(timeline), *corpus]),
    )
    named, open_ = [], 0
    for each in questions(found):
        choice = ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=ctx.new_id("name-", fold(each.words)),
                kind="name",
                question=f"{each.words!r} stands in no table ({each.count} times). Does it name somebody or something?",
                detail=" / ".join(each.contexts),
                options=(NOTHING, *HIDE_AS),
            )
        )
        if choice in HIDE_AS:
            named.append(Named(HIDE_AS[choice], (each.words,), "human"))
        open_ += choice is None
    if named:
        table = build_table(named, corpus, ctx.keys.salt, base=table)
    return table, open_


def put_figures(ctx: StageContext, rare: Sequence[RareNumber]) -> ReviewState:
    """Put the figures that could be looked up to a person, all at once; a changed list is a new question."""
    if ctx.event.fictional:
        return "not evaluated"
    if not rare:
        return "reviewed"
    kinds = sorted({row.kind for row in rare})
    written = dict.fromkeys(row.words for row in rare)
    choice = ctx.request_review(
        ReviewRequest(
            stage=ctx.stage,
            review_id=ctx.new_id(
                "figures-", "\x1f".join(sorted({f"{row.kind} {row.value!r}" for row in rare}))
            ),
            kind="figures",
            question=f"{len(rare)} figures could be looked up ({', '.join(kinds)}). May they stand?",
            detail=_first([*written]),
            options=(MAY_STAND, MUST_CHANGE),
        )
    )
    return _state(choice)


def put_words(ctx: StageContext, rare: Sequence[RareWord]) -> ReviewState:
    """Put the rare words to a person, all at once; a changed list is a new question."""
    if ctx.event.fictional:
        return "not evaluated"
    if not rare:
        return "reviewed"
    return _state(
        ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=ctx.new_id("words-", *sorted(one.word for one in rare)),
                kind="words",
                question=f"{len(rare)} rare words could tell which event this is. May they stand?",
                detail=_first([f"{one.word} {one.count}" for one in rare]),
                options=(MAY_STAND, MUST_CHANGE),
            )
        )
    )


def _first(written: Sequence[str]) -> str:
    left = len(written) - SHOWN
    more = [f"and {left} more in the private audit"] if left > 0 else []
    return " / ".join([*written[:SHOWN], *more])


def _state(choice: str | None) -> ReviewState:
    if choice == MAY_STAND:
        return "reviewed"
    return "not reviewed" if choice is None else "refused"
