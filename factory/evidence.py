"""From what is shown back to where it comes from: sentences with quotes, questions with evidence chains.

The chain runs from a question over its claim and the quotes of the released timeline to the sentence of the
raw timeline and the items that it quotes. It crosses from the public side to the raw side, so it serves
private views only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from factory.audit.grounds import words_against
from factory.segments import TokenError, from_tokens, node_text, render
from schemas import (
    LANGS,
    AnonNode,
    AnonTimeline,
    Claim,
    Evidence,
    Item,
    Lang,
    Node,
    Occurrence,
    PointSet,
    PredictionPoint,
    Question,
    Resolution,
    Statement,
    TemporalEvent,
    Timeline,
)

SAMPLE = 4
"""Questions shown for a point."""
QUOTES = 6
"""Quotes shown for a sentence; the others are counted."""
ANNOUNCED = "announced day: the context names this day as a date"
"""Said of a dated event whose day stands in its context."""
EXCERPT = 280
"""Characters of a text shown in a table."""


@dataclass(frozen=True)
class Source:
    """One quote with where it stands."""

    quote: str
    title: str
    platform: str
    day: str
    url: str
    link: bool


@dataclass(frozen=True)
class Sentence:
    """One sentence with its sources."""

    text: str
    happened_on: str
    sources: tuple[Source, ...]
    more: int


@dataclass(frozen=True)
class Day:
    """One day of the timeline, as found and as released."""

    date: str
    released_date: str
    fact: tuple[Sentence, ...]
    opinion: tuple[Sentence, ...]
    stances: tuple[tuple[str, float], ...]
    themes: tuple[str, ...]
    emotion: str
    n_items: int
    released: tuple[tuple[Lang, str], ...]


@dataclass(frozen=True)
class Step:
    """One link of an evidence chain: a quote of the released timeline and the sentence behind it."""

    day: str
    quote: str
    sentence: Sentence | None


@dataclass(frozen=True)
class Asked:
    """A question or dated event with its answer and what proves it."""

    ref: str
    text: dict[Lang, str]
    answer: str
    detail: str
    claim: str
    basis: str
    late: bool
    """True when it happened, but after the window."""
    chain: tuple[Step, ...]
    against: tuple[Step, ...]
    """For what never happens: the sentences that say otherwise."""


@dataclass(frozen=True)
class Cut:
    """One point with samples of what is asked there."""

    point: PredictionPoint
    total: int
    questions: tuple[Asked, ...]
    events: tuple[Asked, ...]


def safe_link(url: str) -> bool:
    """Whether an address may become a link: http or https, with a host, without control characters."""
    if any(ord(character) <= 32 or ord(character) == 127 for character in url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def readable(text: str, lang: Lang = "en") -> str:
    """A token text in words; a text that is none stays as it is."""
    try:
        return render(from_tokens(text), lang)
    except TokenError:
        return text


def clip(text: str, length: int = EXCERPT) -> str:
    """The beginning of a long text."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def percent(share: float) -> str:
    """A share in percent: whole where it is whole, else to one decimal, so that shares of a few add up to 100."""
    text = f"{100 * share:.1f}"
    return text.removesuffix(".0") + "%"


# -- timeline ------------------------------------------------------------------------------------


def raw_sentences(timeline: Timeline | None, items: dict[str, Item]) -> dict[str, Sentence]:
    """Statement id -> the sentence with its sources."""
    found: dict[str, Sentence] = {}
    for node in timeline.nodes if timeline else ():
        for part in (node.fact, node.opinion):
            for statement in part.statements if part else ():
                found[statement.statement_id] = _sentence(statement, items)
    return found


def _sentence(statement: Statement, items: dict[str, Item]) -> Sentence:
    shown = statement.evidence[:QUOTES]
    return Sentence(
        text=statement.text,
        happened_on=statement.happened_on.isoformat() if statement.happened_on else "",
        sources=tuple(_source(evidence, items.get(evidence.item_id)) for evidence in shown),
        more=len(statement.evidence) - len(shown),
    )


def _source(evidence: Evidence, item: Item | None) -> Source:
    if item is None:
        return Source(
            evidence.quote, f"item {evidence.item_id}", "not in this workspace", "", "", False
        )
    day = item.published_at.date().isoformat() if item.published_at else item.published_raw
    title = item.title or item.publisher or clip(item.text, 60) or item.item_id
    return Source(evidence.quote, title, item.platform, day, item.url, safe_link(item.url))


def day_views(
    timeline: Timeline | None, released: AnonTimeline | None, sentences: dict[str, Sentence]
) -> list[Day]:
    """Every day of the raw timeline beside what was released of it; without a raw one, the released days."""
    public = {node.node_id: node for node in released.nodes} if released else {}
    if timeline is not None:
        return [_day(node, public.get(node.node_id), sentences) for node in timeline.nodes]
    return [
        Day(node.date.isoformat(), node.date.isoformat(), (), (), (), (), "", 0, _editions(node))
        for node in public.values()
    ]


def _day(node: Node, public: AnonNode | None, sentences: dict[str, Sentence]) -> Day:
    fact, opinion = node.fact, node.opinion
    return Day(
        date=node.date.isoformat(),
        released_date=public.date.isoformat() if public else "",
        fact=tuple(sentences[row.statement_id] for row in fact.statements) if fact else (),
        opinion=tuple(sentences[row.statement_id] for row in opinion.statements) if opinion else (),
        stances=tuple(opinion.stances.items()) if opinion else (),
        themes=opinion.themes if opinion else (),
        emotion=opinion.emotion if opinion else "",
        n_items=opinion.n_items if opinion else 0,
        released=_editions(public) if public else (),
    )


def _editions(node: AnonNode) -> tuple[tuple[Lang, str], ...]:
    """The node's released text in each language that it has, without markdown marks."""
    statements = [*node.fact, *(node.opinion.statements if node.opinion else ())]
    langs = [lang for lang in LANGS if all(lang in row.text for row in statements)]
    texts = [(lang, node_text(node, lang).split("\n\n", 1)[-1]) for lang in langs]
    return tuple((lang, text.replace("**", "").replace("\n\n", "\n")) for lang, text in texts)


# -- bank ----------------------------------------------------------------------------------------


def point_views(
    points: PointSet | None,
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
    *,
    claims: dict[str, Claim],
    resolutions: dict[str, Resolution],
    sentences: dict[str, Sentence],
    announced: Collection[str] = (),
) -> list[Cut]:
    """Every point with a sample of its questions and all of its dated events.

    `announced` are the ids of the dated events whose context names their day.
    """
    view = partial(
        describe,
        claims=claims,
        resolutions=resolutions,
        sentences=sentences,
        announced=announced,
    )
    cuts = []
    for point in points.points if points else ():
        asked = [row for row in questions if row.point_id == point.point_id]
        dated = [row for row in events if row.point_id == point.point_id]
        cuts.append(
            Cut(
                point=point,
                total=len(asked),
                questions=tuple(view(row) for row in sample_questions(asked)),
                events=tuple(view(row) for row in dated),
            )
        )
    return cuts


def sample_questions(questions: Sequence[Question]) -> list[Question]:
    """A few questions in order of id, each about another claim, as many with answer 1 as with 0."""
    first: dict[str, Question] = {}
    for question in questions:
        first.setdefault(question.claim_id, question)
    half = SAMPLE // 2
    true = [question for question in first.values() if question.answer == 1][:half]
    false = [question for question in first.values() if question.answer == 0]
    return true + false[: SAMPLE - half]


def describe(
    row: Question | TemporalEvent,
    *,
    claims: dict[str, Claim],
    resolutions: dict[str, Resolution],
    sentences: dict[str, Sentence],
    announced: Collection[str] = (),
) -> Asked:
    """A question or dated event with the chain: claim, quotes of the released timeline, raw sources."""
    claim = claims.get(row.claim_id)
    resolution = resolutions.get(row.claim_id)
    if isinstance(row, Question):
        ref, answer = row.question_id, "yes" if row.answer else "no"
        detail = f"type {row.type}, level {row.level}, {row.dimension}, {row.difficulty}, {row.window_days} days"
    else:
        ref, answer = row.event_id, row.date.isoformat()
        detail = ANNOUNCED if ref in announced else ""
    lang: Lang = next(iter(claim.text)) if claim else "en"
    return Asked(
        ref=ref,
        text=dict(row.text),
        answer=answer,
        detail=detail,
        claim=render(claim.text[lang], lang) if claim else "",
        late=isinstance(row, Question) and row.answer == 0 and bool(row.evidence),
        basis=f"{resolution.state}, {resolution.basis}" if resolution else "",
        chain=tuple(_step(occurrence, sentences, lang) for occurrence in row.evidence),
        against=tuple(_step(shown, sentences, lang) for shown in words_against(resolution)),
    )


def _step(occurrence: Occurrence, sentences: dict[str, Sentence], lang: Lang) -> Step:
    return Step(
        day=occurrence.happened_on.isoformat(),
        quote=readable(occurrence.quote, lang),
        sentence=sentences.get(occurrence.statement_id),
    )
