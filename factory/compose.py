"""Stage `compose`: questions and dated events from pairs and claims in both editions. Code only, no model.

A pair is asked at its cells with the claim's words, one explicit window and one phrasing for both twins. A side
that lacks an edition takes its twin along, so that no cell is left with one answer. Rows are ordered by opaque
id, which says nothing about label, kind or time.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from factory.bank.material import HORIZON, majority_dropped, occurs_in
from factory.bank.phrasing import EVENTS as EVENT_PHRASINGS
from factory.bank.phrasing import QUESTIONS as QUESTION_PHRASINGS
from factory.bank.phrasing import event_text, question_text
from factory.bank.quotas import quota_lines
from factory.errors import BadInput
from factory.sections import ComposeSettings
from factory.stage import StageContext
from schemas import (
    LANGS,
    AnonTimeline,
    Bank,
    BankReport,
    Cell,
    Claim,
    Counts,
    Occurrence,
    Pair,
    PointSet,
    PredictionPoint,
    Question,
    QuestionType,
    Resolution,
    Span,
    TemporalEvent,
    Verdict,
)

ANON = "04_anonymised/timeline.json"
POINTS = "05_points/points.json"
RESOLUTIONS = "06_claims/resolutions.jsonl"
VERDICTS = "06_claims/verdicts.jsonl"
FABRICATION_RESOLUTIONS = "06_claims/fabrication_resolutions.jsonl"
PAIRS = "06_claims/pairs.jsonl"
PAIRING = "06_claims/pairing.json"
EDITION_CLAIMS = "07_editions/claims.jsonl"
QUESTIONS = "08_bank/questions.jsonl"
EVENTS = "08_bank/events.jsonl"
BANK_REPORT = "08_bank/report.json"

EDGES = (0, 30, 31, 60, 61, 90)
"""Edges of the temporal buckets, days from the cutoff."""

NewId = Callable[..., str]


@dataclass(frozen=True)
class Composed:
    """The bank and what could not be asked."""

    bank: Bank
    lost_pairs: tuple[tuple[str, str], ...]
    """(pair id, reason)."""
    dropped: dict[str, int]
    """Temporal events and twin cells not asked, by reason."""


async def run(ctx: StageContext) -> Counts:
    """Write questions, events and the bank report. Raises BadInput when nothing is left to ask."""
    read = ctx.workspace.read_lines
    settings = ctx.settings.compose
    if settings.preset != "mirror":
        raise BadInput(
            'compose.preset = "paper" is not available yet; remove it or set compose.preset = "mirror"'
        )
    pairs = read(Pair, PAIRS)
    claims = read(Claim, EDITION_CLAIMS)
    pairing = ctx.workspace.read(BankReport, PAIRING)
    composed = compose(
        ctx.workspace.read(PointSet, POINTS).points,
        claims,
        read(Resolution, RESOLUTIONS) + read(Resolution, FABRICATION_RESOLUTIONS),
        pairs,
        span=ctx.workspace.read(AnonTimeline, ANON).span,
        dropped=majority_dropped(read(Verdict, VERDICTS)),
        settings=settings,
        seed=ctx.event.seed,
        new_id=ctx.new_id,
    )
    bank = composed.bank
    if not bank.questions:
        raise BadInput(
            "no question is left: every pair lacks an edition; see translate's rows in rejected.jsonl"
        )
    for pair_id, reason in composed.lost_pairs:
        ctx.reject(pair_id, reason)
    report = bank_report(bank, settings, pairing, composed.dropped)
    ctx.workspace.write_lines(QUESTIONS, bank.questions)
    ctx.workspace.write_lines(EVENTS, bank.events)
    ctx.workspace.write(BANK_REPORT, report)
    ctx.say(f"{report.questions} questions and {report.events} dated events an edition")
    return Counts(
        received=len(pairs),
        kept=len(pairs) - len(composed.lost_pairs),
        rejected=len(composed.lost_pairs),
    )


def compose(
    points: Sequence[PredictionPoint],
    claims: Iterable[Claim],
    resolutions: Iterable[Resolution],
    pairs: Iterable[Pair],
    *,
    span: Span,
    dropped: set[str],
    settings: ComposeSettings,
    seed: int,
    new_id: NewId,
) -> Composed:
    """The bank of these pairs; every label is date arithmetic on the resolutions' occurrences."""
    by_point = {point.point_id: point for point in points}
    by_claim = {claim.claim_id: claim for claim in claims}
    found = {r.claim_id: r for r in resolutions}
    questions: list[Question] = []
    lost: list[tuple[str, str]] = []
    counts: Counter[str] = Counter()
    for pair in sorted(pairs, key=lambda p: p.pair_id):
        sides = (
            (by_claim.get(pair.true_claim), pair.true_type),
            (by_claim.get(pair.false_claim), pair.false_type),
        )
        if any(claim is None or set(claim.text) != set(LANGS) for claim, _ in sides):
            lost.append((pair.pair_id, "a side of the pair lacks an edition"))
            counts["questions lost with a twin that lacks an edition"] += 2 * len(pair.cells)
            continue
        for cell in pair.cells:
            point = by_point[cell.point_id]
            for claim, kind in sides:
                if claim is not None:
                    questions.append(
                        _question(
                            pair, cell, point, claim, kind, found[claim.claim_id], seed, new_id
                        )
                    )
    events = _events(
        by_point.values(), by_claim, found, questions, span, dropped, counts, seed, new_id
    )
    if settings.thin < 1:
        events = _thin(events, by_point, settings.thin, seed, counts)
    bank = Bank(
        points=tuple(sorted(points, key=lambda p: (p.cutoff, p.point_id))),
        questions=tuple(sorted(questions, key=lambda q: q.question_id)),
        events=tuple(sorted(events, key=lambda e: e.event_id)),
    )
    return Composed(bank, tuple(lost), {k: v for k, v in sorted(counts.items()) if v})


def _question(
    pair: Pair,
    cell: Cell,
    point: PredictionPoint,
    claim: Claim,
    kind: QuestionType,
    resolution: Resolution,
    seed: int,
    new_id: NewId,
) -> Question:
    first = point.cutoff
    last = first + timedelta(days=cell.window)
    inside = tuple(o for o in resolution.occurrences if occurs_in([o.happened_on], first, last))
    answer: Literal[0, 1] = 1 if inside else 0
    # One draw a twin cell: both sides must read alike.
    variant = _draw(seed, pair.pair_id, cell.point_id, cell.prompt, cell.window)
    return Question(
        question_id=new_id("q", claim.claim_id, cell.point_id, cell.window),
        point_id=cell.point_id,
        prompt=cell.prompt,
        pair_id=pair.pair_id,
        claim_id=claim.claim_id,
        family_id=claim.family_id,
        type=kind,
        level=claim.level,
        dimension=claim.dimension,
        difficulty=claim.difficulty,
        window_start=first,
        window_end=last,
        window_days=cell.window,
        text={
            lang: question_text(
                claim.text[lang], first, last, lang, variant % len(QUESTION_PHRASINGS)
            )
            for lang in LANGS
        },
        answer=answer,
        evidence=inside or tuple(o for o in resolution.occurrences if o.happened_on > last),
    )


def _draw(*parts: object) -> int:
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def _events(
    points: Iterable[PredictionPoint],
    claims: Mapping[str, Claim],
    found: Mapping[str, Resolution],
    questions: Iterable[Question],
    span: Span,
    dropped: set[str],
    counts: Counter[str],
    seed: int,
    new_id: NewId,
) -> list[TemporalEvent]:
    """Outcomes within 90 days of a cutoff whose family that point's calibration exam does not ask."""
    asked: dict[str, set[str]] = {}
    for question in questions:
        asked.setdefault(question.point_id, set()).add(question.family_id)
    events = []
    for point in points:
        for claim in claims.values():
            resolution = found.get(claim.claim_id)
            if (
                claim.kind != "outcome"
                or claim.level != 1
                or claim.claim_id in dropped
                or set(claim.text) != set(LANGS)
                or resolution is None
                or resolution.state != "occurs"
            ):
                continue
            day = first_day(claim, resolution.occurrences, point.cutoff, span.observed_until)
            if day is None:
                continue
            if claim.known_from is not None and point.cutoff < claim.known_from:
                counts["dated events left out: they name what is not known yet"] += 1
                continue
            if claim.family_id in asked.get(point.point_id, set()):
                counts["dated events left out: in the calibration exam of their point"] += 1
                continue
            variant = _draw(seed, claim.claim_id, point.point_id) % len(EVENT_PHRASINGS)
            events.append(
                TemporalEvent(
                    event_id=new_id("e", claim.claim_id, point.point_id),
                    point_id=point.point_id,
                    claim_id=claim.claim_id,
                    family_id=claim.family_id,
                    text={lang: event_text(claim.text[lang], lang, variant) for lang in LANGS},
                    date=day,
                    evidence=tuple(o for o in resolution.occurrences if o.happened_on == day),
                )
            )
    return events


def first_day(
    claim: Claim, occurrences: Iterable[Occurrence], cutoff: date, until: date
) -> date | None:
    """First occurrence at or after the cutoff, within 90 days and observed; none if it is over already."""
    days = sorted(o.happened_on for o in occurrences)
    if claim.cadence == "once" and days and days[0] < cutoff:
        return None
    later = [day for day in days if day >= cutoff]
    if not later or (later[0] - cutoff).days > HORIZON or later[0] > until:
        return None
    return later[0]


def _thin(
    events: list[TemporalEvent],
    points: Mapping[str, PredictionPoint],
    share: float,
    seed: int,
    counts: Counter[str],
) -> list[TemporalEvent]:
    """Keep a share of the events, those near bucket edges rather: the middle is the best constant guess.

    Weighted sampling without replacement with weight 1 / (1 + days to the nearest edge), by the keys of
    Efraimidis and Spirakis.
    """

    def key(event: TemporalEvent) -> float:
        distance = min(abs((event.date - points[event.point_id].cutoff).days - e) for e in EDGES)
        draw = random.Random(f"{seed}:thin:{event.event_id}").random()
        return float(draw ** (1 + distance))

    keep = sorted(events, key=lambda e: (-key(e), e.event_id))[: math.ceil(share * len(events))]
    counts["dated events thinned out"] += len(events) - len(keep)
    return keep


def bank_report(
    bank: Bank, settings: ComposeSettings, pairing: BankReport, dropped: Mapping[str, int]
) -> BankReport:
    """What the bank reached; quotas are counted again from the questions themselves."""
    points = Counter(q.point_id for q in bank.questions)
    return BankReport(
        questions=len(bank.questions),
        events=len(bank.events),
        pairs=len({q.pair_id for q in bank.questions}),
        points={point.point_id: points[point.point_id] for point in bank.points},
        quotas=quota_lines(
            Counter(q.type for q in bank.questions),
            Counter(q.window_days for q in bank.questions),
            settings,
        ),
        dropped={**pairing.dropped, **dropped},
    )
