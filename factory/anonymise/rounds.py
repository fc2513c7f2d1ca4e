"""Phases A and B in rounds: parse the raw timeline, hold the panel, and go again with a better table or offset.

A round never builds on the output of another: each starts from the raw timeline. The table grows only by names that
identify something and that the augmented table really removes; an offset that was shown once is never drawn again.
HIGH, UNKNOWN and exhausted rounds end the loop with an action that no release accepts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from factory.anonymise.apply import build_timeline, parse_timeline
from factory.anonymise.controls import shown_text
from factory.anonymise.coverage import surroundings
from factory.anonymise.dates import draw_offset, offsets
from factory.anonymise.entities import timeline_text
from factory.anonymise.match import Hit, Matcher, fold
from factory.anonymise.naming import names
from factory.anonymise.ordinary_places import stretch
from factory.anonymise.ordinary_zh import ordinary_chinese
from factory.anonymise.panel import Audit, hold
from factory.anonymise.segments import Parsed, plain_words
from factory.anonymise.table import (
    Named,
    build_table,
    contested,
    may_be_word,
    place,
    settle,
    unusable,
    unused,
    written,
)
from factory.errors import BadInput
from factory.stage import StageContext
from schemas import (
    Grade,
    PanelRound,
    ReplacementTable,
    ReviewRequest,
    Shift,
    Timeline,
    TruthCard,
)

SHIFT = "secret/shift.json"
LEAVE = "not a name"
EVERYWHERE = ", at every place"
"""Behind an owner: no place of a name that is also an ordinary word is asked about."""
CONTEXTS = 3
"""Places of a name that a person is shown."""
LONGEST_NAME = 40
"""Characters above which reported words are a phrase, not a name."""
Action = Literal["accept", "augment", "resample", "reject", "review", "block"]


@dataclass
class Panel:
    """How phase B ended."""

    rounds: list[PanelRound]
    table: ReplacementTable
    matcher: Matcher
    shift: Shift
    parsed: dict[str, Parsed]
    audit: Audit
    """The last hearing."""


def _offset(ctx: StageContext) -> Shift:
    """The event's offset: fixed by a fictional recording, else stored, else drawn and stored at once."""
    if ctx.keys.offset_days is not None:
        if 0 in (ctx.keys.offset_days, *ctx.keys.redraws):
            raise BadInput(
                "the recording fixes an offset of 0 days, which hides nothing; set another in run.toml"
            )
        shift = Shift(offset_days=ctx.keys.offset_days)
    elif ctx.workspace.exists(SHIFT):
        return ctx.workspace.read(Shift, SHIFT)
    else:
        shift = Shift(offset_days=draw_offset(ctx.settings.anonymise.offset_policy))
    ctx.workspace.write(SHIFT, shift)
    return shift


def _resample(ctx: StageContext, shift: Shift) -> Shift | None:
    """An offset that no panel has seen, stored at once: the recording's next or a drawn one; None when none is left."""
    tried = (*shift.tried, shift.offset_days)
    fixed = ctx.keys.offset_days is not None
    possible = ctx.keys.redraws if fixed else offsets(ctx.settings.anonymise.offset_policy)
    fresh = [d for d in possible if d not in tried]
    if not fresh:
        return None
    drawn = fresh[0] if fixed else random.SystemRandom().choice(fresh)
    after = Shift(offset_days=drawn, draws=shift.draws + 1, tried=tried)
    ctx.workspace.write(SHIFT, after)
    return after


def _settle(
    ctx: StageContext, table: ReplacementTable, raw_text: str
) -> tuple[ReplacementTable, Matcher]:
    """Apply decisions on contested names; what is undecided and occurs goes to review and is withheld."""
    withheld = set()
    places = Matcher(table).find(raw_text)
    met = {hit.form for hit in places}
    asked: dict[str, bool] = {}
    for name in [*contested(table), *ordinary_chinese(table, raw_text)]:
        review_id = _alias_review(ctx, name.surface)
        decided = [d.choice for d in ctx.decisions if d.review_id == review_id]
        if fold(name.surface) not in met and not decided:
            if len(name.owners) == 1:
                ctx.reject(
                    name.surface, "name not used", f"{name.reason} and absent from the timeline"
                )
                table = unused(table, name.surface)
            continue
        # Without accents or in the other script it is the same name and the same question.
        if written(name.surface) in asked:
            withheld |= set() if asked[written(name.surface)] else {fold(name.surface)}
            continue
        by_place = len(name.owners) == 1 and _by_place(table, name.surface)
        everywhere = tuple(f"{owner}{EVERYWHERE}" for owner in name.owners if by_place)
        choice = ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=review_id,
                kind="alias",
                question=f"Whom does {name.surface!r} name?",
                detail=f"{name.reason}; {' / '.join(name.contexts) or _contexts(raw_text, places, name.surface)}",
                options=(*name.owners, *everywhere, LEAVE),
            )
        )
        asked[written(name.surface)] = choice is not None
        if choice is None:
            withheld.add(fold(name.surface))
        elif choice in everywhere:
            owner = choice.removesuffix(EVERYWHERE)
            table = settle(table, name.surface, owner, everywhere=True)
        else:
            table = settle(table, name.surface, None if choice == LEAVE else choice)
            if by_place and choice != LEAVE:
                table = _ask_places(ctx, table, raw_text, name.surface, choice)
    return table, Matcher(table, withheld=withheld)


def _by_place(table: ReplacementTable, surface: str) -> bool:
    """Whether a name may be an ordinary word at one place and a name at another."""
    key = fold(surface)
    return any(fold(a.surface) == key and may_be_word(a) for e in table.entities for a in e.aliases)


def _ask_places(
    ctx: StageContext, table: ReplacementTable, raw_text: str, surface: str, owner: str
) -> ReplacementTable:
    """The table with decisions on places where a settled name may still be an ordinary word; each is asked once."""
    matcher = Matcher(table)
    places: dict[str, str] = {}
    for line in raw_text.splitlines():
        hits = matcher.find(line)
        for hit in hits:
            if hit.form == fold(surface) and matcher.ambiguous(hit, line):
                others = [(other.start, other.end) for other in hits if other is not hit]
                places.setdefault(stretch(line, hit.start, hit.end, others), line)
    for words, line in places.items():
        # Without a word beside it a place is like every other: it cannot be said to stand.
        alone = fold(words.strip()) == fold(surface)
        choice = ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=ctx.new_id("alias-", fold(surface), words),
                kind="alias",
                question=f"Does {surface!r} in {words.strip()!r} name {owner}?",
                detail=line,
                options=(owner,) if alone else (owner, LEAVE),
            )
        )
        if choice is not None:
            table = place(table, surface, words, named=choice != LEAVE)
    return table


def _alias_review(ctx: StageContext, surface: str) -> str:
    return ctx.new_id("alias-", fold(surface))


def _contexts(text: str, hits: Sequence[Hit], words: str) -> str:
    """The first places where words are a name by themselves."""
    found = [hit for hit in hits if hit.form == fold(words)][:CONTEXTS]
    return " / ".join(surroundings(text, hit.start, hit.end) for hit in found)


def _identifies(words: str, audit: Audit, truth: TruthCard, texts: Sequence[str]) -> bool:
    """Whether reported words single something out.

    They do when they are part of the truth card's names, when a reply that came near the event quotes or names them,
    or when they are written like a proper name: with a capital inside a sentence.
    """
    if any(names(name, words) for name in (*truth.event_names, *truth.actors)):
        return True
    for reply in audit.replies:
        if reply.grade not in ("HIGH", "MID"):
            continue
        for guess in reply.guesses:
            if any(words in quote for quote in guess.quotes):
                return True
            if any(names(said, words) for said in (guess.event, *guess.actors)):
                return True
    inside = re.compile(rf"[\w,;:’'\u201d)] {re.escape(words)}(?!\w)")
    return words[0].isupper() and any(inside.search(text) for text in texts)


def _gains(
    audit: Audit, texts: Sequence[str], matcher: Matcher, truth: TruthCard
) -> tuple[list[Named], list[str]]:
    """Reported names that the table can take, and those that it cannot, each with the reason."""
    named: dict[str, Named] = {}
    refused = []
    for leak in audit.leaks:
        if leak.nature != "name":
            continue
        words = leak.words
        if not any(words in text for text in texts):
            reason = "stands in no plain words"
        elif len(words) > LONGEST_NAME:
            reason = "longer than a name"
        elif unusable(words):
            reason = unusable(words)
        elif matcher.find(words):
            reason = "the table has it already"
        elif not _identifies(words, audit, truth, texts):
            reason = "identifies nothing"
        else:
            named.setdefault(fold(words), Named(leak.cls, (words,), "auditor"))
            continue
        refused.append(f"{words}: {reason}")
    return list(named.values()), refused


def _removed(named: Named, before: Sequence[str], after: Sequence[str]) -> bool:
    words = named.names[0]
    return sum(text.count(words) for text in after) < sum(text.count(words) for text in before)


def _augment(
    ctx: StageContext,
    timeline: Timeline,
    table: ReplacementTable,
    matcher: Matcher,
    audit: Audit,
    truth: TruthCard,
    texts: Sequence[str],
) -> tuple[ReplacementTable | None, list[str], list[str]]:
    """The table with the reported names that it really removes; names added, names refused with reasons.

    None when nothing would be removed: a table that grows without effect only costs the reader words.
    """
    raw_text = timeline_text(timeline)
    gains, refused = _gains(audit, texts, matcher, truth)
    if not gains:
        return None, [], refused
    trial = build_table(gains, [raw_text], ctx.keys.salt, base=table)
    doubted = [*contested(trial), *ordinary_chinese(trial, raw_text)]
    withheld = {fold(name.surface) for name in doubted}
    parsed = parse_timeline(timeline, Matcher(trial, withheld=withheld), 0)
    after = [plain_words(one.segments) for one in parsed.values()]
    useful = [gain for gain in gains if _removed(gain, texts, after)]
    refused += [f"{gain.names[0]}: removes nothing" for gain in gains if gain not in useful]
    if not useful:
        return None, [], refused
    grown = build_table(useful, [raw_text], ctx.keys.salt, base=table)
    return grown, [gain.names[0] for gain in useful], refused


async def hold_rounds(
    ctx: StageContext, timeline: Timeline, table: ReplacementTable, truth: TruthCard
) -> Panel:
    """Phases A and B: rounds from the raw timeline until the panel accepts or nothing more can be done."""
    raw_text = timeline_text(timeline)
    shift = _offset(ctx)
    rounds: list[PanelRound] = []
    table, matcher = _settle(ctx, table, raw_text)
    while True:
        number = len(rounds) + 1
        parsed = parse_timeline(timeline, matcher, shift.offset_days)
        texts = {key: value.segments for key, value in parsed.items()}
        anonymised = build_timeline(timeline, texts, ctx.keys.public_id, shift.offset_days)
        audit = await hold(ctx, shown_text(anonymised), truth, f"round-{number}", timeline.lang)
        action = _end(ctx, audit.grade, number)
        grown, fresh = None, None
        added: list[str] = []
        refused: list[str] = []
        if action is None:
            plain = [plain_words(text) for text in texts.values()]
            grown, added, refused = _augment(ctx, timeline, table, matcher, audit, truth, plain)
            action = "augment" if grown is not None else "review"
            dated = audit.by_period or any(leak.nature == "date" for leak in audit.leaks)
            if grown is None and dated:
                fresh = _resample(ctx, shift)
                action = "resample" if fresh is not None else "review"
        rounds.append(
            PanelRound(
                round=number,
                table_version=table.version,
                replies=audit.replies,
                grade=audit.grade,
                action=action,
                prompt_digest=audit.digest,
                draws=shift.draws,
                added=tuple(added),
                refused=tuple(refused),
            )
        )
        ctx.say(f"panel round {number}: {audit.grade}, {action}")
        if grown is not None:
            # Reviews of the round before are asked again, once, for the larger table.
            ctx.reviews[:] = [review for review in ctx.reviews if review.kind != "alias"]
            table, matcher = _settle(ctx, grown, raw_text)
        elif fresh is not None:
            shift = fresh
        else:
            if action != "accept":
                _ask_person(ctx, audit, number, refused)
            return Panel(rounds, table, matcher, shift, parsed, audit)


def _end(ctx: StageContext, grade: Grade, number: int) -> Action | None:
    """How a round ends the loop by its grade and the policies; None when another may help."""
    settings = ctx.settings.anonymise
    if grade == "LOW":
        return "accept"
    if grade == "UNKNOWN":
        return "block"
    if grade == "HIGH" and settings.on_high == "reject":
        return "reject"
    return settings.on_exhausted if number >= settings.rounds else None


def _ask_person(ctx: StageContext, audit: Audit, number: int, refused: Sequence[str]) -> None:
    """Put a panel that did not accept to a person, with what the auditors reported."""
    said = [f"{r.auditor}: {r.grade}, {r.reason}" for r in audit.replies]
    reported = [f"{leak.nature} {leak.words!r}" for leak in audit.leaks]
    if reported:
        said.append("reported: " + ", ".join(reported))
    if refused:
        said.append("not taken into the table: " + ", ".join(refused))
    ctx.request_review(
        ReviewRequest(
            stage=ctx.stage,
            review_id=f"panel-{number}",
            kind="panel",
            question=f"The panel ended with {audit.grade} after {number} of {ctx.settings.anonymise.rounds} rounds. What now?",
            detail="; ".join(said),
            options=("keep it blocked", "I will change the material or the settings"),
        )
    )
