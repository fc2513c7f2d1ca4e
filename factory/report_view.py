"""What the public report shows of a bundle, in one language: days, points, samples with their evidence, gates.

Everything is read from the bundle; nothing of the workspace's raw side is known here. A view holds finished words and
figures, so that the template only places them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from factory.audit.announced import announced_days
from factory.audit.grounds import words_against
from factory.bundle import Bundle
from factory.evidence import percent, readable, sample_questions
from factory.report_words import words
from factory.segments import render
from schemas import (
    AnonNode,
    AnonStatement,
    Claim,
    Lang,
    Occurrence,
    Pair,
    PredictionPoint,
    Question,
    Resolution,
    Stance,
    TemporalEvent,
)

STANCES: tuple[Stance, ...] = ("support", "neutral", "question", "oppose")
"""From the top of a bar down: the two ends of an opinion lie at its two ends."""
TWINS = 2
"""Pairs of twins shown for a point."""
EVENTS = 2
"""Date questions shown for a point."""


@dataclass(frozen=True)
class Day:
    """One day of the timeline."""

    node_id: str
    date: date
    news: tuple[str, ...]
    opinion: tuple[str, ...]
    stances: tuple[tuple[Stance, float], ...]
    """In the order of STANCES."""
    emotion: str
    posts: int
    cuts: tuple[Cut, ...]
    """Points that are cut right before this day."""


@dataclass(frozen=True)
class Cut:
    """One point as a place on the timeline."""

    number: int
    """From 1, by cutoff."""
    point: PredictionPoint
    questions: int
    events: int
    windows: Mapping[int, int]
    """Days -> questions."""
    last: date
    """Last day of the longest window asked here; the cutoff when nothing is asked."""


@dataclass(frozen=True)
class Step:
    """A day of the later timeline that decides an answer: its sentence, the quoted words marked."""

    day: str
    node_id: str
    pieces: tuple[tuple[str, bool], ...]
    """(words, whether they are the quote)."""
    quote: str
    """The quote in the master language, where the sentence is shown in the other one."""
    counted: str = ""
    """For a claim about shares: the day's share and how many posts it is of."""


@dataclass(frozen=True)
class Asked:
    """One question with its answer and what proves it."""

    ref: str
    text: str
    answer: str
    right: bool | None
    """Answer of a probability question."""
    traits: str
    claim: str
    resolved: str
    late: bool
    by_shares: bool
    """Whether the answer was counted, not read."""
    chain: tuple[Step, ...]
    against: tuple[Step, ...]
    """For what never happens: the sentences that say otherwise."""


@dataclass(frozen=True)
class Twins:
    """A true question and its false twin."""

    days: int
    relation: str
    sides: tuple[Asked, ...]


@dataclass(frozen=True)
class PointView:
    """One point with samples."""

    cut: Cut
    twins: tuple[Twins, ...]
    single: tuple[Asked, ...]
    events: tuple[Asked, ...]


def cuts_of(bundle: Bundle) -> list[Cut]:
    """Every point in order of its cutoff."""
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in bundle.questions:
        asked[question.point_id].append(question)
    dated: dict[str, int] = defaultdict(int)
    for event in bundle.events:
        dated[event.point_id] += 1
    cuts = []
    for number, point in enumerate(sorted(bundle.points.points, key=lambda p: p.cutoff), 1):
        rows = asked[point.point_id]
        windows: dict[int, int] = defaultdict(int)
        for row in rows:
            windows[row.window_days] += 1
        cuts.append(
            Cut(
                number=number,
                point=point,
                questions=len(rows),
                events=dated[point.point_id],
                windows=dict(sorted(windows.items())),
                last=max((row.window_end for row in rows), default=point.cutoff),
            )
        )
    return cuts


def days_of(bundle: Bundle, cuts: Sequence[Cut], lang: Lang) -> list[Day]:
    """Every day of the timeline with the points that are cut before it."""
    before: dict[str, list[Cut]] = defaultdict(list)
    for cut in cuts:
        before[cut.point.truth[0]].append(cut)
    return [_day(node, tuple(before[node.node_id]), lang) for node in bundle.timeline.nodes]


def _day(node: AnonNode, cuts: tuple[Cut, ...], lang: Lang) -> Day:
    opinion = node.opinion
    return Day(
        node_id=node.node_id,
        date=node.date,
        news=_sentences(node.fact, lang),
        opinion=_sentences(opinion.statements, lang) if opinion else (),
        stances=tuple((s, opinion.stances.get(s, 0.0)) for s in STANCES) if opinion else (),
        emotion=words(opinion.emotion, lang) if opinion else "",
        posts=opinion.n_items if opinion else 0,
        cuts=cuts,
    )


def _sentences(statements: Iterable[AnonStatement], lang: Lang) -> tuple[str, ...]:
    return tuple(render(row.text[lang], lang) for row in statements)


# -- samples -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Key:
    """What samples are explained with."""

    bundle: Bundle
    lang: Lang
    claims: Mapping[str, Claim]
    resolutions: Mapping[str, Resolution]
    pairs: Mapping[str, Pair]
    statements: Mapping[str, AnonStatement]
    nodes: Mapping[str, AnonNode]
    announced: frozenset[str]
    """Ids of the dated events whose context names their day."""

    @classmethod
    def of(cls, bundle: Bundle, lang: Lang) -> Key:
        """By id."""
        rows = (
            row
            for node in bundle.timeline.nodes
            for row in (*node.fact, *(node.opinion.statements if node.opinion else ()))
        )
        return cls(
            bundle=bundle,
            lang=lang,
            claims={claim.claim_id: claim for claim in bundle.claims},
            resolutions={row.claim_id: row for row in bundle.resolutions},
            pairs={pair.pair_id: pair for pair in bundle.pairs},
            statements={row.statement_id: row for row in rows},
            nodes={node.node_id: node for node in bundle.timeline.nodes},
            announced=frozenset(
                announced_days(bundle.points.points, bundle.events, bundle.timeline).events
            ),
        )


def points_of(bundle: Bundle, cuts: Sequence[Cut], lang: Lang) -> list[PointView]:
    """Every point with a few of its twins and date questions, the same ones in both languages."""
    key = Key.of(bundle, lang)
    views = []
    for cut in cuts:
        here = cut.point.point_id
        asked = [row for row in bundle.questions if row.point_id == here]
        dated = [row for row in bundle.events if row.point_id == here]
        chosen = sample_twins(asked)
        views.append(
            PointView(
                cut=cut,
                twins=tuple(_twins(cell, key) for cell in chosen),
                single=()
                if chosen
                else tuple(_question(row, key) for row in sample_questions(asked)),
                events=tuple(_event(row, key) for row in dated[:EVENTS]),
            )
        )
    return views


def sample_twins(asked: Sequence[Question]) -> list[tuple[Question, Question]]:
    """A few cells of twins, the true side first: one a pair, kinds of false sides as different as possible."""
    cells: dict[tuple[str, int, int], list[Question]] = defaultdict(list)
    for row in asked:
        cells[row.pair_id, row.prompt, row.window_days].append(row)
    whole = [
        (one, other) if one.answer else (other, one)
        for one, other in (cell for cell in cells.values() if len(cell) == 2)
        if one.answer != other.answer
    ]
    chosen: list[tuple[Question, Question]] = []
    for fresh in (True, False):
        for true, false in whole:
            kinds = {_kind(f) for _, f in chosen}
            pairs = {t.pair_id for t, _ in chosen}
            if len(chosen) == TWINS or true.pair_id in pairs:
                continue
            if not fresh or _kind(false) not in kinds:
                chosen.append((true, false))
    return chosen


def _kind(false: Question) -> str:
    """What makes a false question false: made up, another end of the occasion, or later than its window."""
    return false.type if false.type in ("C", "D") else "late"


def _twins(cell: tuple[Question, Question], key: Key) -> Twins:
    pair = key.pairs.get(cell[0].pair_id)
    return Twins(
        days=cell[0].window_days,
        relation=words(f"relation-{pair.relation}", key.lang) if pair else "",
        sides=tuple(_question(row, key) for row in cell),
    )


def _question(row: Question, key: Key) -> Asked:
    dimension = "figures-dim" if row.dimension == "figures" else row.dimension
    traits = [
        words(f"type-{row.type}", key.lang),
        words(dimension, key.lang),
        words("unexpected", key.lang, what=words(row.difficulty, key.lang)),
    ]
    return _asked(
        row.question_id,
        row,
        words("yes" if row.answer else "no", key.lang),
        key,
        right=bool(row.answer),
        traits=" · ".join(traits),
    )


def _event(row: TemporalEvent, key: Key) -> Asked:
    traits = words("announced", key.lang) if row.event_id in key.announced else ""
    return _asked(row.event_id, row, row.date.isoformat(), key, right=None, traits=traits)


def _asked(
    ref: str,
    row: Question | TemporalEvent,
    answer: str,
    key: Key,
    *,
    right: bool | None,
    traits: str,
) -> Asked:
    claim = key.claims.get(row.claim_id)
    resolution = key.resolutions.get(row.claim_id)
    resolved = ""
    if claim and claim.stance:
        resolved = words("by-shares", key.lang)
    elif resolution:
        resolved = words(
            "resolved",
            key.lang,
            n=len(resolution.passes),
            what=words(resolution.basis, key.lang),
        )
    return Asked(
        ref=ref,
        text=row.text[key.lang],
        answer=answer,
        right=right,
        traits=traits,
        claim=render(claim.text[key.lang], key.lang) if claim and key.lang in claim.text else "",
        resolved=resolved,
        late=right is False and bool(row.evidence),
        by_shares=bool(claim and claim.stance),
        chain=tuple(_step(occurrence, key, claim) for occurrence in row.evidence),
        against=tuple(_step(shown, key) for shown in words_against(resolution)),
    )


def _counted(claim: Claim | None, node: AnonNode | None, key: Key) -> str:
    if claim is None or claim.stance is None or node is None or node.opinion is None:
        return ""
    return words(
        "counted",
        key.lang,
        share=percent(node.opinion.stances.get(claim.stance.stance, 0.0)),
        n=node.opinion.n_items,
        stance=words(claim.stance.stance, key.lang),
    )


def _step(occurrence: Occurrence, key: Key, claim: Claim | None = None) -> Step:
    master = key.bundle.timeline.lang
    quote = readable(occurrence.quote, master)
    statement = key.statements.get(occurrence.statement_id)
    sentence = render(statement.text[key.lang], key.lang) if statement else ""
    pieces: tuple[tuple[str, bool], ...] = ((sentence, False),) if sentence else ((quote, True),)
    at = sentence.find(quote) if key.lang == master else -1
    if at >= 0:
        end = at + len(quote)
        cut = ((sentence[:at], False), (quote, True), (sentence[end:], False))
        pieces = tuple((text, marked) for text, marked in cut if text)
    return Step(
        day=occurrence.happened_on.isoformat(),
        node_id=occurrence.node_id,
        pieces=pieces,
        quote="" if key.lang == master or not sentence else quote,
        counted=_counted(claim, key.nodes.get(occurrence.node_id), key),
    )
