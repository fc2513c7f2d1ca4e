"""The sample of a bank that a person accepts or rejects: its rows with their evidence, and decisions about them.

What a decision means is in acceptance.py. Rows are shown down to the quotes of their sources, so this is a view of
the raw side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from factory import pipeline
from factory.acceptance import (
    ACCEPT,
    KEEP,
    REJECT,
    Drawn,
    Rejected,
    accepted,
    decided,
    draw,
    latest,
    rejected_nodes,
)
from factory.audit.gates import SAMPLE
from factory.errors import BadInput
from factory.events import Event
from factory.evidence import Asked, Sentence, day_views, describe, raw_sentences
from factory.status import event_status
from schemas import (
    AnonTimeline,
    Claim,
    Decision,
    Item,
    Question,
    RejectedRow,
    Resolution,
    ReviewRequest,
    ReviewSample,
    SampledRow,
    SampledState,
    TemporalEvent,
    Timeline,
)


@dataclass(frozen=True)
class Reviewed:
    """A bank as it is reviewed."""

    event: Event
    questions: Sequence[Question]
    events: Sequence[TemporalEvent]
    timeline: AnonTimeline
    sample: Sequence[Drawn]

    @classmethod
    def read(cls, event: Event) -> Reviewed | None:
        """The bank of an event, or None before there is one; WorkspaceError when a file is damaged."""
        workspace = event.workspace
        needed = (pipeline.QUESTIONS, pipeline.EVENTS, pipeline.EDITION_TIMELINE)
        if not all(workspace.exists(path) for path in needed):
            return None
        questions = workspace.read_lines(Question, pipeline.QUESTIONS)
        timeline = workspace.read(AnonTimeline, pipeline.EDITION_TIMELINE)
        return cls(
            event,
            questions,
            workspace.read_lines(TemporalEvent, pipeline.EVENTS),
            timeline,
            draw(questions, timeline.nodes, seed=event.config.seed, size=SAMPLE),
        )


# -- showing ---------------------------------------------------------------------------------------


def review_sample(event: Event) -> ReviewSample:
    """Everything a person can settle: what stages ask, the sample with its evidence, rejections that stand."""
    workspace = event.workspace
    decisions = workspace.decisions()
    bank = Reviewed.read(event)
    settled = latest(decisions)
    waiting = [row for row in _requests(event).values() if row.review_id not in settled]
    sample = bank.sample if bank else []
    return ReviewSample(
        event=event.config.slug,
        needed=len(sample),
        accepted=len(accepted(sample, decisions)),
        rows=tuple(_rows(bank, decisions)) if bank else (),
        rejected=tuple(_rejections(bank, decisions)),
        waiting=tuple(waiting),
    )


def _requests(event: Event) -> dict[str, ReviewRequest]:
    return {request.review_id: request for request in event.workspace.reviews()}


def _rows(bank: Reviewed, decisions: Sequence[Decision]) -> Iterator[SampledRow]:
    workspace = bank.event.workspace
    read = workspace.read_lines
    items: dict[str, Item] = {}
    if workspace.exists(pipeline.ITEMS):
        items = {item.item_id: item for item in read(Item, pipeline.ITEMS)}
    raw = (
        workspace.read(Timeline, pipeline.TIMELINE) if workspace.exists(pipeline.TIMELINE) else None
    )
    sentences = raw_sentences(raw, items)
    days = dict(
        zip(
            [node.node_id for node in (raw or bank.timeline).nodes],
            day_views(raw, bank.timeline, sentences),
            strict=True,
        )
    )
    resolutions = {
        row.claim_id: row
        for path in (pipeline.RESOLUTIONS, pipeline.FABRICATION_RESOLUTIONS)
        if workspace.exists(path)
        for row in read(Resolution, path)
    }
    claims = {claim.claim_id: claim for claim in read(Claim, pipeline.EDITION_CLAIMS)}
    taken, out = (
        {row.review_id for row in accepted(bank.sample, decisions)},
        Rejected.among(decisions),
    )
    refused = {node.node_id: note for node, note in rejected_nodes(bank.timeline.nodes, decisions)}
    notes = {review_id: decision.note for review_id, decision in latest(decisions).items()}
    for drawn in bank.sample:
        row = drawn.row
        state: SampledState = "accepted" if drawn.review_id in taken else "open"
        if isinstance(row, Question):
            asked = describe(row, claims=claims, resolutions=resolutions, sentences=sentences)
            chain = [
                f"claim: {asked.claim} ({asked.basis})" if asked.basis else f"claim: {asked.claim}"
            ]
            chain += _late(asked, row)
            for step in asked.chain or asked.against:
                chain.append(f"{step.day}: “{step.quote}”")
                chain += [f"  {line}" for line in _sources(step.sentence)]
            reason = notes.get(f"claim:{row.claim_id}", "") or notes.get(
                f"cell:{row.question_id}", ""
            )
            if out.holds(row):
                state = "rejected"
            yield SampledRow(
                kind="question",
                row_id=drawn.row_id,
                review_id=drawn.review_id,
                state=state,
                reason=reason if state == "rejected" else "",
                text=dict(row.text),
                answer="yes" if row.answer else "no",
                chain=tuple(chain),
            )
            continue
        if row.node_id in refused:
            state = "rejected"
        day = days[row.node_id]
        chain = [f"day {row.date}" + (f", really {day.date}" if raw is not None else "")]
        for sentence in (*day.fact, *day.opinion):
            chain.append(sentence.text)
            chain += [f"  {line}" for line in _sources(sentence, itself=False)]
        yield SampledRow(
            kind="node",
            row_id=drawn.row_id,
            review_id=drawn.review_id,
            state=state,
            reason=refused.get(row.node_id, ""),
            text=dict(day.released),
            chain=tuple(chain),
        )


def _late(asked: Asked, row: Question) -> list[str]:
    """What stands behind an answer that no occurrence proves."""
    if asked.late:
        return ["it happens after the window:"]
    if asked.against:
        return ["it does not happen; the timeline says otherwise:"]
    return [] if row.evidence else ["nothing in the timeline says that it happens"]


def _sources(sentence: Sentence | None, *, itself: bool = True) -> Iterator[str]:
    """The raw sentence and the quotes that it rests on."""
    if sentence is None:
        return
    if itself:
        yield f"from: {sentence.text}"
    for source in sentence.sources:
        where = ", ".join(part for part in (source.platform, source.day, source.title) if part)
        yield f"  {where}: “{source.quote}”"
    if sentence.more:
        yield f"  and {sentence.more} more quotes"


def _rejections(bank: Reviewed | None, decisions: Sequence[Decision]) -> Iterator[RejectedRow]:
    asked = bank.questions if bank else ()
    claims = {row.claim_id for row in asked}
    claims |= {row.claim_id for row in bank.events} if bank else set()
    cells = {row.question_id for row in asked}
    nodes = bank.timeline.nodes if bank else ()
    current = {Drawn(node).review_id for node in nodes}
    for review_id, decision in latest(decisions).items():
        kind, _, name = review_id.partition(":")
        if decision.choice != REJECT or kind not in ("claim", "cell", "node"):
            continue
        if kind == "node" and review_id not in current:
            continue  # void: the node says something else now
        in_force = kind == "node" or name not in (claims if kind == "claim" else cells)
        yield RejectedRow(review_id=review_id, reason=decision.note, in_force=in_force)


# -- settling --------------------------------------------------------------------------------------


def settle(
    event: Event,
    *,
    accept: Iterable[str] = (),
    reject: Iterable[str] = (),
    reason: str = "",
    cell: bool = False,
    now: datetime,
) -> list[Decision]:
    """Record acceptances and rejections by id of question, dated event or node; returns the new decisions.

    A rejected question takes its claim out of the bank with the next run, or with `cell` only its own twin cell;
    accepting a rejected one withdraws that. Raises BadInput for an unknown id, one outside the sample, a missing
    reason or a row that is both; nothing is recorded then.
    """
    accept, reject = list(dict.fromkeys(accept)), list(dict.fromkeys(reject))
    slug = event.config.slug
    bank = Reviewed.read(event)
    if bank is None:
        raise BadInput(
            f"event {slug} has no bank to review yet; continue it with `factory run {slug}`"
        )
    both = sorted(set(accept) & set(reject))
    if both:
        raise BadInput(f"{both[0]} is accepted and rejected at once; give it to one of the two")
    if reject and not reason.strip():
        raise BadInput('a rejection needs its reason; add --reason "WORDS"')
    if reason.strip() and not reject:
        raise BadInput("--reason belongs to a rejection; add --reject ID")
    if cell and not reject:
        raise BadInput("--cell belongs to a rejection; add --reject ID")
    _refuse_stale(bank)
    known = event.workspace.decisions()
    made = [row for row_id in accept for row in _accept(bank, row_id, known, now)]
    made += [_reject(bank, row_id, reason.strip(), cell, now) for row_id in reject]
    event.workspace.decide(*made)
    return made


def _refuse_stale(bank: Reviewed) -> None:
    """BadInput while the bank is older than what it rests on: the next run would put other rows in its place."""
    slug = bank.event.config.slug
    states = {row.name: row.state for row in event_status(bank.event).stages}
    # Earlier rejections of this review make the composer stale; they are no reason to stop reviewing.
    for stage in ("translate", "pair"):
        if states[stage] not in ("done", "external"):
            raise BadInput(
                f"the bank of {slug} is older than what it rests on (stage {stage} is {states[stage]}); "
                f"run `factory run {slug}` first and review what it makes"
            )


def _accept(
    bank: Reviewed, row_id: str, known: Sequence[Decision], now: datetime
) -> Iterator[Decision]:
    settled = latest(known)
    in_sample = {drawn.row_id: drawn for drawn in bank.sample}
    drawn = in_sample.get(row_id) or _node(bank, row_id)
    back = {row_id, f"claim:{row_id}", f"cell:{row_id}"}
    if drawn is not None and isinstance(drawn.row, Question):
        back |= {f"claim:{drawn.row.claim_id}"}
    withdrawn = [
        review_id
        for review_id in sorted(back)
        if review_id in settled
        and settled[review_id].choice == REJECT
        and review_id.partition(":")[0] in ("claim", "cell")
    ]
    for review_id in withdrawn:
        yield decided(review_id, KEEP, note="", at=now)
    if drawn is not None and (row_id in in_sample or _rejected(drawn, settled)):
        yield decided(drawn.review_id, ACCEPT, note="", at=now)
    elif not withdrawn:
        raise BadInput(_not_in_sample(bank, row_id))


def _node(bank: Reviewed, row_id: str) -> Drawn | None:
    return next((Drawn(node) for node in bank.timeline.nodes if node.node_id == row_id), None)


def _rejected(drawn: Drawn, settled: dict[str, Decision]) -> bool:
    return drawn.review_id in settled and settled[drawn.review_id].choice == REJECT


def _not_in_sample(bank: Reviewed, row_id: str) -> str:
    slug = bank.event.config.slug
    ids = {q.question_id for q in bank.questions} | {n.node_id for n in bank.timeline.nodes}
    if row_id in ids:
        return (
            f"{row_id} is not in the sample, so accepting it would count for nothing; see the sample with "
            f"`factory review {slug} --list`"
        )
    return (
        f"no question or node {row_id!r} is in the sample of {slug}, and nothing of that id was rejected; see "
        f"`factory review {slug} --list`"
    )


def _reject(bank: Reviewed, row_id: str, reason: str, cell: bool, now: datetime) -> Decision:
    drawn = _node(bank, row_id)
    if drawn is not None:
        if cell:
            raise BadInput(f"--cell takes a question out of its twin cell, and {row_id} is a node")
        return decided(drawn.review_id, REJECT, note=reason, at=now)
    for question in bank.questions:
        if question.question_id == row_id:
            review_id = f"cell:{row_id}" if cell else f"claim:{question.claim_id}"
            return decided(review_id, REJECT, note=reason, at=now)
    for dated in bank.events:
        if dated.event_id == row_id:
            if cell:
                raise BadInput(
                    f"--cell takes a question out of its twin cell, and {row_id} is a dated event; leave --cell out"
                )
            return decided(f"claim:{dated.claim_id}", REJECT, note=reason, at=now)
    slug = bank.event.config.slug
    raise BadInput(
        f"no question, dated event or node {row_id!r} in the bank of {slug}; see `factory review {slug} --list`"
    )
