"""The stage anonymise: phase A (replace and shift), phase B (panel), phase C (compare and mend).

Every round starts again from the raw timeline with a better table or another offset. Whatever cannot be settled
stays visible: in the card, in the panel's last grade, in open flags and in review; release gates read those.
The offset is stored as soon as it is drawn, so that an interrupted run goes on with the same one.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from factory.anonymise.apply import build_timeline, parse_timeline, passages
from factory.anonymise.asked import put_names
from factory.anonymise.card import Anonymised, make_card
from factory.anonymise.controls import Controls, hold_controls
from factory.anonymise.entities import ask_entities, ask_truth, timeline_text
from factory.anonymise.match import Matcher
from factory.anonymise.number_plan import plan_numbers, renumbered
from factory.anonymise.phase_c import compare, compare_timelines
from factory.anonymise.rounds import SHIFT, Panel, hold_rounds
from factory.anonymise.scanned import kept_words, put_scanned
from factory.anonymise.table import build_table
from factory.anonymise.target import stance_target
from factory.errors import AnswerFailed
from factory.stage import StageContext
from schemas import (
    Cluster,
    Counts,
    Item,
    Member,
    Plan,
    PostStance,
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
STANCE_TARGET = "04_anonymised/stance_target.json"
CARD = "04_anonymised/card.json"
PANEL = "04_anonymised/panel.jsonl"
AUDIT = "04_anonymised/audit.json"
DRIFT = "04_anonymised/drift.jsonl"
TABLE = "secret/table.json"
TRUTH = "secret/truth.json"


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


def _seed(ctx: StageContext) -> int:
    """Of the factor of the number policy: from the secret salt, so that a rerun gives the same figures."""
    return int.from_bytes(hmac.digest(ctx.keys.salt.encode(), b"numbers", "sha256")[:8])


async def run(ctx: StageContext) -> Counts:
    """Anonymise the event.

    Raises AnswerFailed when entities or truth card cannot be had, ReviewWaiting before the panel when the leak scan
    would refuse words that nothing else asks about. A blocked panel, an open flag or an undecided name does not stop the stage: the artefacts say so.
    """
    workspace = ctx.workspace
    timeline = workspace.read(Timeline, TIMELINE)
    items, clusters = _corpus(ctx, timeline)
    known: Sequence[str] = ()
    target = ""
    # An imported timeline has no plan: nobody asked for sources.
    if ctx.event.entry != "timeline" or workspace.exists(PLAN):
        asked = workspace.read(Plan, PLAN)
        known, target = asked.entities, asked.stance_target

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
    table, names_open = put_names(ctx, timeline, build_table(named, corpus, ctx.keys.salt), corpus)
    table = put_scanned(ctx, timeline, table, corpus)

    # Together, so that in manual mode one stop writes the prompts of both.
    held = await ctx.ask.gather(
        hold_rounds(ctx, timeline, table, truth),
        hold_controls(ctx, timeline, truth, Matcher(table)),
    )
    panel, controls = held
    assert isinstance(panel, Panel)
    assert isinstance(controls, Controls)
    statements, flags = await compare(
        ctx, timeline, panel.parsed, panel.matcher, panel.shift.offset_days
    )
    texts = {statement.statement_id: statement.text for statement in statements}
    offset = panel.shift.offset_days
    anonymised = build_timeline(timeline, texts, ctx.keys.public_id, offset)
    flags = [*compare_timelines(ctx, timeline, anonymised, offset), *flags]
    # After the comparison with the raw text, which sees every changed figure as damage.
    plan = plan_numbers(list(texts.values()), ctx.settings.anonymise.numbers, seed=_seed(ctx))
    anonymised = renumbered(anonymised, plan)
    kept = [
        passage.model_copy(update={"text": plan.apply(passage.text)})
        for passage in passages(ctx, clusters, items, panel.matcher, offset)
    ]

    unshifted = parse_timeline(timeline, panel.matcher, 0)
    card, audit = make_card(
        ctx,
        Anonymised(
            timeline=timeline,
            result=anonymised,
            panel=panel,
            controls=controls,
            truth=truth,
            texts=texts,
            unshifted={key: one.segments for key, one in unshifted.items()},
            flags=flags,
            documents=[item.text for item in items],
            names_open=names_open,
            kept=kept_words(ctx, statements),
        ),
    )

    card = card.model_copy(update={"numbers_policy": plan.policy})
    workspace.write(ANON, anonymised)
    workspace.write_lines(PASSAGES, kept)
    workspace.write(
        STANCE_TARGET,
        stance_target(
            target,
            timeline.lang,
            panel.matcher,
            [item.text for item in items],
            anchor=timeline.nodes[-1].date,
            offset=offset,
        ),
    )
    workspace.write(CARD, card)
    workspace.write_lines(PANEL, panel.rounds)
    workspace.write(AUDIT, audit)
    workspace.write_lines(DRIFT, flags)
    workspace.write(TABLE, panel.table)
    workspace.write(TRUTH, truth)
    workspace.write(SHIFT, panel.shift)
    return Counts(
        received=len(timeline.nodes) + len(clusters),
        kept=len(anonymised.nodes) + len(kept),
        rejected=len(ctx.rejections),
    )
