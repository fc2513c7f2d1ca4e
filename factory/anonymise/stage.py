"""The stage anonymise: phase A (replace and shift), phase B (panel), phase C (compare and mend).

Every round starts again from the raw timeline with a better table or another offset. Whatever cannot be settled
stays visible: in the card, in the panel's last grade, in open flags and in review; release gates read those.
The offset is stored as soon as it is drawn, so that an interrupted run goes on with the same one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from factory.anonymise.apply import (
    build_timeline,
    compared,
    parse_timeline,
    passages,
)
from factory.anonymise.attackers import offset_candidates
from factory.anonymise.entities import ask_entities, ask_truth, timeline_text
from factory.anonymise.match import fold
from factory.anonymise.repair import (
    Compared,
    DriftAnswer,
    DriftProblem,
    Edit,
    Mended,
    compare_arc,
    compare_statement,
    mend,
    shown,
)
from factory.anonymise.rounds import LANGUAGE, SHIFT, Panel, hold_rounds
from factory.anonymise.segments import plain_words
from factory.anonymise.table import build_table
from factory.errors import AnswerFailed
from factory.stage import StageContext
from schemas import (
    AnonTimeline,
    AnonymisationCard,
    Cluster,
    Counts,
    DriftFlag,
    Item,
    Member,
    Plan,
    PostStance,
    ReviewRequest,
    SegmentText,
    Timeline,
    TruthCard,
)

PLAN = "00_plan/plan.json"
ITEMS = "01_items/items.jsonl"
DOCUMENTS = "02_corpus/documents.jsonl"
CLUSTERS = "02_corpus/clusters.jsonl"
TIMELINE = "03_timeline/timeline.json"
ANON = "04_anonymised/timeline.json"
STANCES = "03_timeline/stances.jsonl"
PASSAGES = "04_anonymised/passages.jsonl"
CARD = "04_anonymised/card.json"
PANEL = "04_anonymised/panel.jsonl"
DRIFT = "04_anonymised/drift.jsonl"
TABLE = "secret/table.json"
TRUTH = "secret/truth.json"
STATEMENTS_A_CALL = 80
"""Statements compared in one drift call; a small event needs one."""
KEEP = "let it stand"
REPLACE = "replace with the words of the note"


async def _drift(
    ctx: StageContext, statements: Sequence[Compared], language: str
) -> dict[str, list[DriftProblem]] | None:
    """Proposals of the comparison by statement id; None when a call failed."""
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
    failed = False
    for part, answer in zip(parts, answers, strict=True):
        if isinstance(answer, AnswerFailed):
            failed = True
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
    return None if failed else found


def _decisions(
    ctx: StageContext, statement: Compared, words: Sequence[str]
) -> dict[str, Edit | None]:
    """A person's latest decisions on a statement's words; the note of a decision holds the other words."""
    decided: dict[str, Edit | None] = {}
    for each in words:
        for decision in ctx.decisions:
            if decision.review_id == ctx.new_id("drift-", statement.statement_id, each):
                decided[each] = Edit(each, decision.note) if decision.choice == REPLACE else None
    return decided


async def _compare(
    ctx: StageContext, timeline: Timeline, panel: Panel
) -> tuple[list[Compared], list[DriftFlag]]:
    """Phase C: statements as they leave the stage, and every flag with its state."""
    offset = panel.shift.offset_days
    unshifted = parse_timeline(timeline, panel.matcher, 0)
    statements = compared(timeline, panel.parsed)
    proposals = await _drift(ctx, statements, LANGUAGE[timeline.lang])
    flags: list[DriftFlag] = []
    if proposals is None:
        flags.append(
            DriftFlag(
                level="event",
                statement_id=statements[0].statement_id,
                problem="the comparison with the raw text could not be made",
                detected_by="code",
            )
        )
        proposals = {}
    done = []
    for statement in statements:
        given = proposals.get(statement.statement_id, [])
        problems = compare_statement(
            statement, unshifted[statement.statement_id].segments, offset, panel.matcher
        )
        words = [*(d.words for d in statement.doubts), *(p.words for p in given), *problems]
        mended = mend(statement, problems, given, _decisions(ctx, statement, words), panel.matcher)
        _ask_person(ctx, mended)
        flags += mended.flags
        done.append(mended.statement)
    return done, flags


def _ask_person(ctx: StageContext, mended: Mended) -> None:
    for words, problem in mended.open_words:
        ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=ctx.new_id("drift-", mended.statement.statement_id, words or problem),
                kind="date" if "date" in problem or "calendar" in problem else "drift",
                question=f"{words or mended.statement.statement_id!r}: {problem}. What should stand there?",
                detail=mended.statement.raw,
                options=(REPLACE, KEEP) if words else (KEEP,),
            )
        )


def _card(
    ctx: StageContext,
    panel: Panel,
    anonymised: AnonTimeline,
    texts: dict[str, SegmentText],
    flags: Sequence[DriftFlag],
) -> AnonymisationCard:
    parsed = panel.parsed.values()
    doubts = [doubt for one in parsed for doubt in one.doubts]
    surfaces = [fold(surface) for one in parsed for surface in one.surfaces]
    aliases = {fold(alias.surface) for entity in panel.table.entities for alias in entity.aliases}
    residue = sum(
        1
        for key, one in panel.parsed.items()
        for doubt in one.doubts
        if doubt.kind == "calendar" and doubt.words in plain_words(texts[key])
    )
    return AnonymisationCard(
        entities=len(panel.table.entities),
        aliases=len(aliases),
        aliases_hit=len(set(surfaces) & aliases),
        mentions=len(surfaces),
        dates_shifted=sum(one.dates for one in parsed),
        dates_flagged=sum(doubt.kind == "date" for doubt in doubts),
        calendar_residue=residue,
        offset_candidates=len(offset_candidates(anonymised, ctx.settings.anonymise.offset_policy)),
        panel_grade=panel.rounds[-1].grade,
        panel_rounds=len(panel.rounds),
        panel_state="not evaluated" if ctx.scripted else "evaluated",
        drift_open=sum(flag.state == "open" for flag in flags),
    )


def _corpus(ctx: StageContext, timeline: Timeline) -> tuple[list[Item], list[Cluster]]:
    """Documents and clusters; for an imported timeline its own paragraphs, each standing for itself."""
    workspace = ctx.workspace
    if ctx.event.entry != "timeline" or workspace.exists(CLUSTERS):
        noise = {
            row.item_id for row in workspace.read_lines(PostStance, STANCES) if not row.relevant
        }
        clusters = workspace.read_lines(Cluster, CLUSTERS)
        kept = [cluster for cluster in clusters if cluster.representative not in noise]
        for cluster in clusters:
            if cluster.representative in noise:
                ctx.reject(cluster.cluster_id, "no passage: classified as not relevant")
        return workspace.read_lines(Item, DOCUMENTS), kept
    items = workspace.read_lines(Item, ITEMS)
    zone = ZoneInfo(timeline.zone)
    clusters = [
        Cluster(
            cluster_id=f"c-{item.item_id}",
            representative=item.item_id,
            day=item.published_at.astimezone(zone).date() if item.published_at else None,
            members=(Member(item_id=item.item_id, rule="representative", similarity=1.0),),
        )
        for item in items
    ]
    return items, clusters


async def run(ctx: StageContext) -> Counts:
    """Anonymise the event. Raises AnswerFailed when entities or truth card cannot be had.

    A blocked panel, an open flag or an undecided name does not stop the stage: the artefacts say so.
    """
    workspace = ctx.workspace
    timeline = workspace.read(Timeline, TIMELINE)
    items, clusters = _corpus(ctx, timeline)
    known: Sequence[str] = ()
    # An imported timeline has no plan: nobody asked for sources.
    if ctx.event.entry != "timeline" or workspace.exists(PLAN):
        known = workspace.read(Plan, PLAN).entities

    answers = await ctx.ask.gather(
        ask_entities(ctx, timeline, known), ask_truth(ctx, timeline, ctx.event.topic, known)
    )
    named, truth = answers
    if isinstance(named, AnswerFailed):
        raise named
    if isinstance(truth, AnswerFailed):
        raise truth
    assert isinstance(named, list)
    assert isinstance(truth, TruthCard)
    if not named:
        ctx.say("no named entity was found; only dates are changed")
    corpus = [timeline_text(timeline), *(item.text for item in items)]
    table = build_table(named, corpus, ctx.keys.salt)

    panel = await hold_rounds(ctx, timeline, table, truth)
    statements, flags = await _compare(ctx, timeline, panel)
    texts = {statement.statement_id: statement.text for statement in statements}
    offset = panel.shift.offset_days
    anonymised = build_timeline(timeline, texts, ctx.keys.public_id, offset)
    flags = [*compare_arc(timeline, anonymised, offset), *flags]
    kept = passages(ctx, clusters, items, panel.matcher, offset)

    workspace.write(ANON, anonymised)
    workspace.write_lines(PASSAGES, kept)
    workspace.write(CARD, _card(ctx, panel, anonymised, texts, flags))
    workspace.write_lines(PANEL, panel.rounds)
    workspace.write_lines(DRIFT, flags)
    workspace.write(TABLE, panel.table)
    workspace.write(TRUTH, truth)
    workspace.write(SHIFT, panel.shift)
    return Counts(
        received=len(timeline.nodes) + len(clusters),
        kept=len(anonymised.nodes) + len(kept),
        rejected=len(ctx.rejections),
    )
