"""What the answer of a question or dated event rests on: the chain down to the quotes and their sources, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from factory.audit.announced import mentions
from factory.audit.grounds import words_against
from factory.audit.promises import statements_of
from factory.bank.clause import statements
from factory.bank.stances import account
from factory.bundle import Bundle
from factory.counting import count_of
from factory.errors import BadInput
from factory.evidence import readable
from factory.segments import render
from factory.workspace import Workspace
from schemas import (
    AnonTimeline,
    Claim,
    Item,
    Lang,
    PointSet,
    PredictionPoint,
    Question,
    Resolution,
    Statement,
    TemporalEvent,
    Timeline,
)


def explain_question(path: Path, question_id: str) -> str:
    """The chain question or dated event -> claim -> occurrences -> nodes -> quotes -> source items, as text.

    `path` is a bundle or a workspace; only a workspace knows the source items. BadInput when neither a question
    nor a dated event has this id.
    """
    if (path / "event.toml").is_file():
        return _explain_workspace(Workspace.open(path), question_id)
    bundle = Bundle.read(path)
    chain = _chain(
        question_id,
        (*bundle.questions, *bundle.events),
        bundle.points.points,
        bundle.claims,
        bundle.resolutions,
    )
    return "\n".join(_lines(*chain, bundle.timeline, {}, {}))


def _explain_workspace(workspace: Workspace, question_id: str) -> str:
    read = workspace.read_lines
    resolutions = read(Resolution, "06_claims/resolutions.jsonl")
    if workspace.exists("06_claims/fabrication_resolutions.jsonl"):
        resolutions += read(Resolution, "06_claims/fabrication_resolutions.jsonl")
    chain = _chain(
        question_id,
        (*read(Question, "08_bank/questions.jsonl"), *read(TemporalEvent, "08_bank/events.jsonl")),
        workspace.read(PointSet, "05_points/points.json").points,
        read(Claim, "07_editions/claims.jsonl"),
        resolutions,
    )
    statements: dict[str, Statement] = {}
    if workspace.exists("03_timeline/timeline.json"):
        for node in workspace.read(Timeline, "03_timeline/timeline.json").nodes:
            for part in (node.fact, node.opinion):
                statements |= {s.statement_id: s for s in part.statements} if part else {}
    items: dict[str, Item] = {}
    if workspace.exists("01_items/items.jsonl"):
        items = {item.item_id: item for item in read(Item, "01_items/items.jsonl")}
    timeline = workspace.read(AnonTimeline, "07_editions/timeline.json")
    return "\n".join(_lines(*chain, timeline, statements, items))


def _chain(
    row_id: str,
    rows: Sequence[Question | TemporalEvent],
    points: Sequence[PredictionPoint],
    claims: Sequence[Claim],
    resolutions: Sequence[Resolution],
) -> tuple[Question | TemporalEvent, PredictionPoint, Claim, Resolution]:
    row = next((row for row in rows if _id(row) == row_id), None)
    if row is None:
        raise BadInput(
            f"there is no question or dated event {row_id!r}; ids are in the bank's questions.jsonl and events.jsonl"
        )
    point = next((p for p in points if p.point_id == row.point_id), None)
    claim = next((c for c in claims if c.claim_id == row.claim_id), None)
    resolution = next((r for r in resolutions if r.claim_id == row.claim_id), None)
    if point is None or claim is None or resolution is None:
        raise BadInput(
            f"{row_id} names a point or claim that is missing; run `factory check` on its bank"
        )
    return row, point, claim, resolution


def _id(row: Question | TemporalEvent) -> str:
    return row.question_id if isinstance(row, Question) else row.event_id


def _lines(
    row: Question | TemporalEvent,
    point: PredictionPoint,
    claim: Claim,
    resolution: Resolution,
    timeline: AnonTimeline,
    statements: dict[str, Statement],
    items: dict[str, Item],
) -> Iterator[str]:
    lang = timeline.lang
    yield from _asked(row, point, lang)
    if isinstance(row, TemporalEvent):
        yield from _announced(row, point, timeline)
    words = render(claim.text[lang], lang) if lang in claim.text else ""
    yield f"claim {claim.claim_id} ({claim.kind}, level {claim.level}, {claim.cadence}): {words}"
    how = (
        f"({resolution.basis}) by {len(resolution.passes)} passes"
        if claim.stance is None
        else "by counting posts, no reader judged it"
    )
    yield f"  resolved as {resolution.state} {how}"
    if not resolution.occurrences:
        yield f"  no occurrence in the timeline up to {timeline.span.observed_until}: the answer is 0"
    if claim.stance is not None:
        yield from (f"  {line}" for line in account(claim.stance, timeline.nodes))
    nodes = {node.node_id: node for node in timeline.nodes}
    for shown in words_against(resolution):
        said = nodes.get(shown.node_id)
        day = said.date if said else "a day that is missing"
        yield f"  contradicted on {day}, statement {shown.statement_id}: {readable(shown.quote, lang)}"
    if resolution.basis == "absent" and claim.stance is None:
        yield from _silence(resolution, timeline)
    for occurrence in resolution.occurrences:
        yield f"occurrence on {occurrence.happened_on}, {_place(row, point, occurrence.happened_on)}"
        node = nodes.get(occurrence.node_id)
        if node is None:
            yield f"  node {occurrence.node_id} is missing"
            continue
        yield f"  node {node.node_id} of {node.date}, statement {occurrence.statement_id}"
        yield f"  quote: {readable(occurrence.quote, lang)}"
        statement = statements_of(node).get(occurrence.statement_id)
        if statement is not None and lang in statement.text:
            yield f"  statement: {render(statement.text[lang], lang)}"
        raw = statements.get(occurrence.statement_id)
        for evidence in raw.evidence if raw else ():
            yield _source(evidence.item_id, evidence.quote, items)


def _silence(resolution: Resolution, timeline: AnonTimeline) -> Iterator[str]:
    """What an answer rests on that no words can show: what was read, and what came nearest."""
    found = {
        row.statement_id: (node.date, row) for node in timeline.nodes for row in statements(node)
    }
    near = [found[name] for name in resolution.searched if name in found]
    passages = len(resolution.searched) - len(near)
    yield "  rests on silence: both passes read the whole timeline and found no sentence that says so"
    if near:
        yield "  nearest sentences, which both were shown:"
    lang = timeline.lang
    for day, row in near:
        yield f"    {day}, statement {row.statement_id}: {render(row.text[lang], lang)}"
    if passages:
        yield f"  and {count_of(passages, 'passage')} of the corpus, which are not released"


def _asked(row: Question | TemporalEvent, point: PredictionPoint, lang: Lang) -> Iterator[str]:
    """What is asked, where, and its answer."""
    text = row.text.get(lang, "")
    if isinstance(row, Question):
        yield f"question {row.question_id}: {text}"
        yield (
            f"  point {point.point_id}, cutoff {point.cutoff}, window {row.window_start} to "
            f"{row.window_end}, both days included ({row.window_days} days)"
        )
        yield f"  answer {row.answer}, type {row.type}, twin cell of pair {row.pair_id}"
        return
    yield f"dated event {row.event_id}: {text}"
    yield f"  point {point.point_id}, cutoff {point.cutoff}"
    yield f"  answer {row.date}, {(row.date - point.cutoff).days} days after the cutoff"


def _announced(row: TemporalEvent, point: PredictionPoint, timeline: AnonTimeline) -> Iterator[str]:
    """Whether the context names the day that is asked, with every sentence that does."""
    found = list(mentions(timeline, point.cutoff, row.date))
    if not found:
        yield "  no announced day: no date in the context names this day alone"
        return
    yield "  announced day: the context names this day as a date, so a known calendar helps; that is no leak:"
    told = {s.statement_id: s for node in timeline.nodes for s in statements(node)}
    lang = timeline.lang
    for at in found:
        words = told[at.statement_id].text.get(lang, ())
        yield f"    {at.day}, statement {at.statement_id}: {render(words, lang)}"


def _place(row: Question | TemporalEvent, point: PredictionPoint, day: date) -> str:
    """Where an occurrence lies: by the window of a question, by the cutoff and the answer of a dated event."""
    if isinstance(row, Question):
        side = "before" if day < row.window_start else "after" if day > row.window_end else "inside"
        return f"{side} the window"
    if day == row.date:
        return "the answer"
    return "before the cutoff" if day < point.cutoff else "after the answer"


def _source(item_id: str, quote: str, items: dict[str, Item]) -> str:
    item = items.get(item_id)
    if item is None:
        return f"  source {item_id} is not among the items; quote: {quote}"
    return f"  source {item_id} ({item.platform}, {item.published_at}): {item.url or item.title} | {quote}"
