"""Stage `compose`: questions and dated events from pairs and claims in both editions. Code only, no model.

A pair is asked at its cells with the claim's words, one explicit window and one phrasing for both twins. A side
that lacks an edition takes its twin along, so that no cell is left with one answer. Rows are ordered by opaque
id, which says nothing about label, kind or time. The report says what structure gives away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from factory.acceptance import NOTHING_REJECTED, Rejected
from factory.audit.giveaway import giveaway
from factory.bank.dated import dated_events, thin_out
from factory.bank.draws import draw
from factory.bank.material import majority_dropped, occurs_in
from factory.bank.phrasing import QUESTIONS as QUESTION_PHRASINGS
from factory.bank.phrasing import question_text
from factory.bank.quotas import quota_lines
from factory.counting import count_of
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
    Pair,
    PointSet,
    PredictionPoint,
    Question,
    QuestionType,
    Resolution,
    Span,
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
        rejected=Rejected.among(ctx.decisions),
        settings=settings,
        seed=ctx.event.seed,
        new_id=ctx.new_id,
    )
    bank = composed.bank
    if not bank.questions:
        raise BadInput(
            "no question is left: every pair lacks an edition or was rejected by a person; see translate's rows in "
            "rejected.jsonl and `factory review`"
        )
    for pair_id, reason in composed.lost_pairs:
        ctx.reject(pair_id, reason)
    report = bank_report(bank, settings, pairing, composed.dropped, pairs)
    ctx.workspace.write_lines(QUESTIONS, bank.questions)
    ctx.workspace.write_lines(EVENTS, bank.events)
    ctx.workspace.write(BANK_REPORT, report)
    ctx.say(
        f"{count_of(report.questions, 'question')} and {count_of(report.events, 'dated event')} an edition"
    )
    for note in report.notes:
        ctx.say(note)
    for line in report.quotas:
        if line.note:
            ctx.say(f"{line.name}: {line.note}")
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
    rejected: Rejected = NOTHING_REJECTED,
) -> Composed:
    """The bank of these pairs; every label is date arithmetic on the resolutions' occurrences.

    What a person rejected is left out with its twin.
    """
    by_point = {point.point_id: point for point in points}
    by_claim = {claim.claim_id: claim for claim in claims}
    found = {r.claim_id: r for r in resolutions}
    questions: list[Question] = []
    lost: list[tuple[str, str]] = []
    counts: Counter[str] = Counter()
    for pair in sorted(pairs, key=lambda p: p.pair_id):
        sides = [(by_claim.get(pair.true_claim), pair.true_type)]
        if pair.false_claim != pair.true_claim:
            sides.append((by_claim.get(pair.false_claim), pair.false_type))
        if any(claim is None or set(claim.text) != set(LANGS) for claim, _ in sides):
            lost.append((pair.pair_id, "a side of the pair lacks an edition"))
            counts["questions lost with a twin that lacks an edition"] += len(sides) * len(
                pair.cells
            )
            continue
        if rejected.claims & {pair.true_claim, pair.false_claim}:
            lost.append((pair.pair_id, "a person rejected a side of the pair"))
            counts["questions that a person rejected, with their twins"] += len(sides) * len(
                pair.cells
            )
            continue
        for cell in pair.cells:
            point = by_point[cell.point_id]
            twins = [
                _question(pair, cell, point, claim, kind, found[claim.claim_id], seed, new_id)
                for claim, kind in sides
                if claim is not None
            ]
            if any(rejected.holds(question) for question in twins):
                counts["questions that a person rejected, with their twins"] += len(twins)
                continue
            questions += twins
    events = dated_events(
        by_point.values(),
        by_claim,
        found,
        questions,
        span,
        dropped | rejected.claims,
        counts,
        seed,
        new_id,
        disjoint=settings.preset == "mirror",
    )
    if settings.thin < 1:
        events = thin_out(events, by_point, settings.thin, seed, counts)
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
    variant = draw(seed, pair.pair_id, cell.point_id, cell.prompt, cell.window)
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


def bank_report(
    bank: Bank,
    settings: ComposeSettings,
    pairing: BankReport,
    dropped: Mapping[str, int],
    pairs: Iterable[Pair] = (),
) -> BankReport:
    """What the bank reached; quotas are counted again from the questions themselves."""
    points = Counter(q.point_id for q in bank.questions)
    told = giveaway(bank, pairs)
    return BankReport(
        preset=settings.preset,
        flips=round(told.flips, 6),
        structure=told.scores,
        notes=told.notes,
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
