"""Phase C as the stage runs it: compare every statement with its raw form, mend what may be mended, ask a person.

Detection is code at three levels and one typed call. What no repair settles is an open flag and a review; a
decision of a person settles it in the next run, and until then a release is refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from factory.anonymise.apply import compared, parse_timeline
from factory.anonymise.asked import KEEP, REMOVE, REPLACE, place_id
from factory.anonymise.drift_levels import compare_arc, compare_events, compare_statement
from factory.anonymise.match import Matcher
from factory.anonymise.repair import (
    Compared,
    DriftAnswer,
    DriftProblem,
    Edit,
    Guard,
    Mended,
    flag,
    mend,
    shown,
)
from factory.anonymise.scanned import choices, scanned
from factory.anonymise.segments import Parsed, plain_words
from factory.errors import AnswerFailed
from factory.stage import StageContext
from schemas import (
    AnonTimeline,
    DriftFlag,
    Lang,
    ReplacementTable,
    ReviewRequest,
    Timeline,
)

LANGUAGE: dict[Lang, str] = {"en": "English", "zh": "Chinese"}
STATEMENTS_A_CALL = 80
"""Statements compared in one drift call; a small event needs one."""
NOT_COMPARED = "the comparison with the raw text could not be made"


async def compare(
    ctx: StageContext,
    timeline: Timeline,
    parsed: dict[str, Parsed],
    matcher: Matcher,
    offset: int,
) -> tuple[list[Compared], list[DriftFlag]]:
    """Statements as they leave the stage, and every flag on them with its state.

    `parsed` is the timeline parsed with `matcher` and moved by `offset` days.
    """
    lang = timeline.lang
    unshifted = parse_timeline(timeline, matcher, 0)
    guard = Guard.of(matcher, lang)
    table = ReplacementTable(entities=tuple(matcher.entities.values()))
    statements = scanned(compared(timeline, parsed), table, lang)
    proposals, missed = await _drift(ctx, statements, LANGUAGE[lang])
    flags = [flag("event", each.statement_id, NOT_COMPARED, "code") for each in missed]
    done = []
    for statement in statements:
        given = proposals.get(statement.statement_id, [])
        plain = unshifted[statement.statement_id].segments
        problems = compare_statement(statement, plain, offset, matcher, lang)
        words = [*(d.words for d in statement.doubts), *(p.words for p in given), *problems]
        mended = mend(statement, problems, given, _decisions(ctx, statement, words), guard)
        _ask_person(ctx, mended)
        flags += mended.flags
        done.append(mended.statement)
    return done, flags


async def _drift(
    ctx: StageContext, statements: Sequence[Compared], language: str
) -> tuple[dict[str, list[DriftProblem]], list[Compared]]:
    """Proposals of the typed call by statement id, and the first statement of every part whose call failed."""
    parts = [
        statements[i : i + STATEMENTS_A_CALL] for i in range(0, len(statements), STATEMENTS_A_CALL)
    ]
    answers = await ctx.ask.gather(
        *(
            ctx.ask(
                "anonymise/drift",
                DriftAnswer,
                item=f"part-{number:02d}",
                statements=[shown(statement) for statement in part],
                language=language,
            )
            for number, part in enumerate(parts, 1)
        )
    )
    found: dict[str, list[DriftProblem]] = defaultdict(list)
    missed = []
    for part, answer in zip(parts, answers, strict=True):
        if isinstance(answer, AnswerFailed):
            missed.append(part[0])
            continue
        known = {statement.statement_id: statement for statement in part}
        for problem in answer.problems:
            statement = known.get(problem.statement_id)
            if statement is None:
                ctx.reject(
                    problem.statement_id, "drift of a statement that was not shown", problem.problem
                )
            elif problem.words not in plain_words(statement.text):
                ctx.reject(
                    problem.statement_id, "drift at words that are not in the text", problem.words
                )
            else:
                found[problem.statement_id].append(problem)
    return found, missed


def _decisions(
    ctx: StageContext, statement: Compared, words: Sequence[str]
) -> dict[str, Edit | None]:
    """A person's latest decisions on a statement's words: an edit, or None where they may stand.

    The note of a decision holds the other words; without any it decides nothing, and is rejected, so that a
    forgotten note removes nothing.
    """
    decided: dict[str, Edit | None] = {}
    for each in words:
        for decision in ctx.decisions:
            if decision.review_id != place_id(ctx, statement.statement_id, each):
                continue
            note = decision.note.strip()
            if decision.choice == KEEP:
                decided[each] = None
            elif decision.choice == REMOVE or (decision.choice == REPLACE and note):
                decided[each] = Edit(each, "" if decision.choice == REMOVE else note)
            else:
                decided.pop(each, None)
                ctx.reject(statement.statement_id, "decision without the words of a note", each)
    return decided


def _ask_person(ctx: StageContext, mended: Mended) -> None:
    """Put what is open to a person, and what is decided too, so that another decision can replace the first."""
    for words, problem in (*mended.open_words, *mended.settled_words):
        ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=place_id(ctx, mended.statement.statement_id, words or problem),
                kind="date" if "date" in problem or "calendar" in problem else "drift",
                question=f"{words or mended.statement.statement_id!r}: {problem}. What should stand there?",
                detail=mended.statement.raw,
                options=choices(mended.statement, words) if words else (KEEP,),
            )
        )


def compare_timelines(
    ctx: StageContext, raw: Timeline, anonymised: AnonTimeline, offset: int
) -> list[DriftFlag]:
    """Flags at narrative and event level, each put to a person; one that a person lets stand is waived."""
    flags = []
    found = [*compare_arc(raw, anonymised, offset), *compare_events(raw, anonymised, offset)]
    for each in found:
        choice = ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=place_id(ctx, each.statement_id, f"{each.level}: {each.problem}"),
                kind="drift",
                question=f"{each.statement_id}: {each.problem}. May it stand?",
                options=(KEEP, "it may not"),
            )
        )
        state = {"state": "waived"} if choice == KEEP else {}
        flags.append(each.model_copy(update=state))
    return flags
