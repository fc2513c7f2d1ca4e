"""The exam as sat by the rules that read no text: what a score is worth is what it adds to theirs.

The rules are those of `factory.score.textfree`. Here they get what they may know of a point, answer a whole bank in
every edition, and are graded like any other system. Days with news are counted from the timeline's nodes, not by a
search for dates in prose, whose result depends on the language (52.3 against 55.5 for the same published data).
"""

from __future__ import annotations

from collections.abc import Sequence

from factory.score.known import Known
from factory.stage import StageContext
from schemas import (
    LANGS,
    AnonTimeline,
    Claim,
    Counts,
    PointSet,
    PredictionPoint,
    Question,
    ScoreCard,
    TemporalEvent,
)

TIMELINE = "07_editions/timeline.json"
CLAIMS = "07_editions/claims.jsonl"
POINTS = "05_points/points.json"
QUESTIONS = "08_bank/questions.jsonl"
EVENTS = "08_bank/events.jsonl"
SCORECARD = "08_bank/scorecard.json"


def known_at(point: PredictionPoint, timeline: AnonTimeline) -> Known:
    """What the rules may know at a point; nodes on or after the cutoff are never among it."""
    context = set(point.context)
    days = tuple(
        node.date for node in timeline.nodes if node.node_id in context and node.date < point.cutoff
    )
    return Known(cutoff=point.cutoff, days=days)


def known_days(
    event: str, timeline: AnonTimeline, points: Sequence[PredictionPoint]
) -> dict[tuple[str, str], Known]:
    """`known_at` of every point by its name in the sheets of `bank_sheets(event=event)`, in both editions."""
    known = {f"{event}/{point.point_id}": known_at(point, timeline) for point in points}
    return {(name, lang): there for name, there in known.items() for lang in LANGS}


def baseline_card(
    *,
    timeline: AnonTimeline,
    claims: Sequence[Claim],
    points: Sequence[PredictionPoint],
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
) -> ScoreCard:
    """The grades of every rule in both editions of a bank; the same bank gives the same card.

    The card is the one that `factory score` makes of the bank without any system: it grades the rules' own values,
    so the exact midpoints, and the pairs of rules, which have an overall score.
    """
    from factory.published.beside import anchors
    from factory.score.bank import bank_sheets
    from factory.score.card import SEED, score_card
    from factory.score.rules import PAPER
    from factory.score.textfree import TEXT_FREE, with_text_free

    sheets = bank_sheets(
        event=timeline.public_id,
        points=points,
        questions=questions,
        events=events,
        claims=claims,
        forecasts=(),
    )
    known = known_days(timeline.public_id, timeline, points)
    calibration, temporal = with_text_free(*sheets, known, seed=SEED)
    card = score_card(calibration, temporal, rules=PAPER, text_free=TEXT_FREE, seed=SEED)
    return card.model_copy(update={"anchors": anchors(card, None, TEXT_FREE)})


async def run(ctx: StageContext) -> Counts:
    """Let every rule sit the exam in both editions and grade it."""
    from factory.score.horizon import HORIZON

    timeline = ctx.workspace.read(AnonTimeline, TIMELINE)
    claims = ctx.workspace.read_lines(Claim, CLAIMS)
    points = ctx.workspace.read(PointSet, POINTS).points
    questions = ctx.workspace.read_lines(Question, QUESTIONS)
    events = ctx.workspace.read_lines(TemporalEvent, EVENTS)
    cutoffs = {point.point_id: point.cutoff for point in points}
    for event in events:
        t = (event.date - cutoffs[event.point_id]).days
        if not 0 <= t <= HORIZON:
            ctx.reject(event.event_id, "beyond the horizon", f"{t} days from its cutoff")
    card = baseline_card(
        timeline=timeline, claims=claims, points=points, questions=questions, events=events
    )
    ctx.workspace.write(SCORECARD, card)
    received = len(questions) + len(events)
    return Counts(
        received=received,
        kept=received - len(ctx.rejections),
        rejected=len(ctx.rejections),
    )
