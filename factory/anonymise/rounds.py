"""Phases A and B in rounds: parse the raw timeline, hold the panel, and go again with a better table or offset.

A round never builds on the output of another: each starts from the raw timeline. HIGH, UNKNOWN and exhausted
rounds end the loop with an action that no release accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from factory.anonymise.apply import build_timeline, parse_timeline
from factory.anonymise.dates import draw_offset
from factory.anonymise.entities import timeline_text
from factory.anonymise.match import Matcher, fold
from factory.anonymise.panel import Audit, Leak, hold
from factory.anonymise.segments import Parsed, plain_words
from factory.anonymise.table import Named, build_table, contested, settle, unusable
from factory.errors import BadInput
from factory.segments import node_text, render
from factory.stage import StageContext
from schemas import (
    AnonTimeline,
    PanelRound,
    ReplacementTable,
    ReviewRequest,
    Shift,
    Timeline,
    TruthCard,
)

SHIFT = "secret/shift.json"
LANGUAGE = {"en": "English", "zh": "Chinese"}
LEAVE = "not a name"
Action = Literal["accept", "augment", "resample", "reject", "review", "block"]


@dataclass
class Panel:
    """How phase B ended."""

    rounds: list[PanelRound]
    table: ReplacementTable
    matcher: Matcher
    shift: Shift
    parsed: dict[str, Parsed]


def _offset(ctx: StageContext) -> Shift:
    """The event's offset: fixed by a fictional recording, else stored, else drawn and stored at once."""
    if ctx.keys.offset_days is not None:
        if ctx.keys.offset_days == 0:
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
    """Another offset, stored at once; None when a recording fixes it."""
    if ctx.keys.offset_days is not None:
        return None
    policy = ctx.settings.anonymise.offset_policy
    drawn = draw_offset(policy, other_than=shift.offset_days)
    after = Shift(offset_days=drawn, draws=shift.draws + 1)
    ctx.workspace.write(SHIFT, after)
    return after


def _settle(
    ctx: StageContext, table: ReplacementTable, raw_text: str
) -> tuple[ReplacementTable, Matcher]:
    """Apply decisions on contested names; what is undecided and occurs goes to review and is withheld."""
    withheld = set()
    for name in contested(table):
        decided = [
            d.choice for d in ctx.decisions if d.review_id == _alias_review(ctx, name.surface)
        ]
        occurs = fold(name.surface) in fold(raw_text)
        if not occurs and not decided:
            if len(name.owners) == 1:
                ctx.reject(
                    name.surface, "name not used", f"{name.reason} and absent from the timeline"
                )
                table = settle(table, name.surface, None)
            continue
        choice = ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=_alias_review(ctx, name.surface),
                kind="alias",
                question=f"Whom does {name.surface!r} name?",
                detail=f"{name.reason}; {_context(raw_text, name.surface)}",
                options=(*name.owners, LEAVE),
            )
        )
        if choice is None:
            withheld.add(fold(name.surface))
        else:
            table = settle(table, name.surface, None if choice == LEAVE else choice)
    return table, Matcher(table, withheld=withheld)


def _alias_review(ctx: StageContext, surface: str) -> str:
    return ctx.new_id("alias-", fold(surface))


def _context(text: str, words: str) -> str:
    at = fold(text).find(fold(words))
    return text[max(at - 60, 0) : at + len(words) + 60].replace("\n", " ") if at >= 0 else ""


def shown_text(timeline: AnonTimeline) -> str:
    """All that is public of the arc as a reader sees it: days, facts, opinion and, after each day, its themes."""
    lang = timeline.lang
    parts = []
    for node in timeline.nodes:
        parts.append(node_text(node, lang))
        themes = node.opinion.themes if node.opinion is not None else ()
        if themes:
            parts.append("; ".join(render(theme.text[lang], lang) for theme in themes))
    return "\n\n".join(parts)


def _gains(leaks: Sequence[Leak], plain: str, matcher: Matcher) -> list[Named]:
    """Leaked names that the table can take: they stand in plain words, and are short, usable and new."""
    named = []
    for leak in leaks:
        if (
            leak.nature == "name"
            and leak.words in plain
            and len(leak.words) <= 40
            and not unusable(leak.words)
            and not matcher.find(leak.words)
        ):
            named.append(Named(leak.cls, (leak.words,), "auditor"))
    return named


async def hold_rounds(
    ctx: StageContext, timeline: Timeline, table: ReplacementTable, truth: TruthCard
) -> Panel:
    """Phases A and B: rounds from the raw timeline until the panel accepts or nothing more can be done."""
    settings = ctx.settings.anonymise
    raw_text = timeline_text(timeline)
    shift = _offset(ctx)
    rounds: list[PanelRound] = []
    table, matcher = _settle(ctx, table, raw_text)
    while True:
        number = len(rounds) + 1
        parsed = parse_timeline(timeline, matcher, shift.offset_days)
        texts = {key: value.segments for key, value in parsed.items()}
        anonymised = build_timeline(timeline, texts, ctx.keys.public_id, shift.offset_days)
        audit = await hold(
            ctx,
            shown_text(anonymised),
            truth,
            number,
            LANGUAGE[timeline.lang],
        )
        gains = _gains(audit.leaks, "\x1f".join(plain_words(t) for t in texts.values()), matcher)
        action, after = _action(ctx, audit, gains, number, shift)
        rounds.append(
            PanelRound(
                round=number,
                table_version=table.version,
                replies=audit.replies,
                grade=audit.grade,
                action=action,
            )
        )
        ctx.say(f"panel round {number}: {audit.grade}, {action}")
        if action == "augment":
            table = build_table(gains, [raw_text], ctx.keys.salt, base=table)
            # Reviews of the round before are asked again, once, for the larger table.
            ctx.reviews[:] = [review for review in ctx.reviews if review.kind != "alias"]
            table, matcher = _settle(ctx, table, raw_text)
        elif action == "resample" and after is not None:
            shift = after
        else:
            if action != "accept":
                ctx.request_review(
                    ReviewRequest(
                        stage=ctx.stage,
                        review_id=f"panel-{number}",
                        kind="panel",
                        question=f"The panel ended with {audit.grade} after {number} of {settings.rounds} rounds. What now?",
                        detail="; ".join(
                            f"{r.auditor}: {r.grade}, {r.reason}" for r in audit.replies
                        ),
                        options=("keep it blocked", "I will change the material or the settings"),
                    )
                )
            return Panel(rounds, table, matcher, shift, parsed)


def _action(
    ctx: StageContext, audit: Audit, gains: Sequence[Named], number: int, shift: Shift
) -> tuple[Action, Shift | None]:
    """What follows a round; also the new offset when one was drawn."""
    settings = ctx.settings.anonymise
    if audit.grade == "LOW":
        return "accept", None
    if audit.grade == "UNKNOWN":
        return "block", None
    if audit.grade == "HIGH" and settings.on_high == "reject":
        return "reject", None
    if number >= settings.rounds:
        return settings.on_exhausted, None
    if gains:
        return "augment", None
    if any(leak.nature == "date" for leak in audit.leaks):
        after = _resample(ctx, shift)
        if after is not None:
            return "resample", after
    return "review", None
