"""Systems that read no text: what a score is worth is what it adds to theirs.

`frequency` and `momentum` are the two baselines of the published benchmark, p = clip(lambda * W, .02, .98)
with lambda in dates per day. The rule is kept as published although lambda * W is no probability; only the
dates are counted from the timeline's nodes, not by a search for dates in prose, whose result depends on the
language (52.3 against 55.5 for the same published data). The others are constants, a rule on the window,
and fixed days inside the bucket that the published protocol tells to everyone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from factory.score.card import bank_card
from factory.score.rules import HORIZON, bucket
from factory.stage import StageContext
from schemas import (
    LANGS,
    AnonTimeline,
    Counts,
    Forecast,
    Lang,
    PointSet,
    PredictionPoint,
    Question,
    TemporalEvent,
)

TIMELINE = "07_editions/timeline.json"
POINTS = "05_points/points.json"
QUESTIONS = "08_bank/questions.jsonl"
EVENTS = "08_bank/events.jsonl"
FORECASTS = "08_bank/forecasts.jsonl"
SCORECARD = "08_bank/scorecard.json"

RUN = "baselines"
LOW, HIGH = 0.02, 0.98
MOMENTUM_DAYS = 7
LONG_WINDOW = 30


@dataclass(frozen=True)
class Known:
    """All that a rule may know of a point: the cutoff and the days with news before it."""

    cutoff: date
    days: tuple[date, ...]


def frequency_rate(known: Known) -> float:
    """Distinct dates in the context over the days from the first of them to the cutoff."""
    if not known.days:
        return 0.0
    span = (known.cutoff - min(known.days)).days
    return len(set(known.days)) / max(span, 1)


def momentum_rate(known: Known) -> float:
    """Distinct dates in the last 7 days before the cutoff, over 7."""
    start = known.cutoff - timedelta(days=MOMENTUM_DAYS)
    return len({day for day in known.days if start <= day < known.cutoff}) / MOMENTUM_DAYS


def published_probability(rate: float, window: int) -> float:
    """clip(rate * W, .02, .98), the published rule; `rate` in dates a day, `window` in days."""
    return min(HIGH, max(LOW, rate * window))


ProbabilityRule = Callable[[Known, int], float]
DayRule = Callable[[int], int]

PROBABILITY_RULES: dict[str, ProbabilityRule] = {
    "frequency": lambda known, window: published_probability(frequency_rate(known), window),
    "momentum": lambda known, window: published_probability(momentum_rate(known), window),
    "constant 0": lambda _known, _window: 0.0,
    "constant 0.5": lambda _known, _window: 0.5,
    "constant 1": lambda _known, _window: 1.0,
    "window of 30 days or more": lambda _known, window: float(window >= LONG_WINDOW),
}
"""Rules for probabilities: from what is known at a point and the window in days."""

DAY_RULES: dict[str, DayRule] = {
    "bucket midpoint": lambda low: low + 15 if low == 0 else low + 14,
    "bucket start + 10 days": lambda low: low + 10,
}
"""Rules for dates: from the first day of the told bucket to the guessed day, counted from the cutoff.

Buckets span 0-30, 31-60 and 61-90; the midpoints 45.5 and 75.5 are rounded down to whole days.
"""


def known_at(point: PredictionPoint, timeline: AnonTimeline) -> Known:
    """What the rules may know at a point; nodes on or after the cutoff are never among it."""
    context = set(point.context)
    days = tuple(
        node.date for node in timeline.nodes if node.node_id in context and node.date < point.cutoff
    )
    return Known(cutoff=point.cutoff, days=days)


def baseline_forecasts(
    timeline: AnonTimeline,
    points: Sequence[PredictionPoint],
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
) -> Iterator[Forecast]:
    """Answers of every rule to everything in its axis, in each edition that asks it."""
    known = {point.point_id: known_at(point, timeline) for point in points}
    for system, rule in PROBABILITY_RULES.items():
        for question in questions:
            p = rule(known[question.point_id], question.window_days)
            for lang in _editions(question.text):
                yield Forecast(
                    system=system,
                    run=RUN,
                    axis="calibration",
                    ref=question.question_id,
                    point_id=question.point_id,
                    lang=lang,
                    status="answered",
                    probability=p,
                )
    for system, guess in DAY_RULES.items():
        for event in events:
            cutoff = known[event.point_id].cutoff
            t = (event.date - cutoff).days
            if not 0 <= t <= HORIZON:
                continue
            day = cutoff + timedelta(days=guess(bucket(t)[0]))
            for lang in _editions(event.text):
                yield Forecast(
                    system=system,
                    run=RUN,
                    axis="temporal",
                    ref=event.event_id,
                    point_id=event.point_id,
                    lang=lang,
                    status="answered",
                    date=day,
                )


def _editions(text: dict[Lang, str]) -> list[Lang]:
    return [lang for lang in LANGS if lang in text]


async def run(ctx: StageContext) -> Counts:
    """Let every rule sit the exam in both editions and grade it."""
    timeline = ctx.workspace.read(AnonTimeline, TIMELINE)
    points = ctx.workspace.read(PointSet, POINTS).points
    questions = ctx.workspace.read_lines(Question, QUESTIONS)
    events = ctx.workspace.read_lines(TemporalEvent, EVENTS)
    cutoffs = {point.point_id: point.cutoff for point in points}
    for event in events:
        t = (event.date - cutoffs[event.point_id]).days
        if not 0 <= t <= HORIZON:
            ctx.reject(event.event_id, "beyond the horizon", f"{t} days from its cutoff")
    forecasts = list(baseline_forecasts(timeline, points, questions, events))
    card = bank_card(
        forecasts,
        event=timeline.public_id,
        points=points,
        questions=questions,
        events=events,
    )
    ctx.workspace.write_lines(FORECASTS, forecasts)
    ctx.workspace.write(SCORECARD, card)
    received = len(questions) + len(events)
    return Counts(
        received=received,
        kept=received - len(ctx.rejections),
        rejected=len(ctx.rejections),
    )
