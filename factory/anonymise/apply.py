"""Phase A on a whole event: the raw timeline and the corpus become an anonymised timeline and passages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from factory.anonymise.coverage import blank_names
from factory.anonymise.match import Matcher
from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.repair import Compared
from factory.anonymise.segments import Parsed, parse
from factory.anonymise.shapes import SHAPES, ends_domain
from factory.stage import StageContext
from schemas import (
    AnonNode,
    AnonOpinion,
    AnonPassage,
    AnonStatement,
    AnonTimeline,
    Cluster,
    Item,
    Lang,
    Node,
    SegmentText,
    Span,
    Timeline,
)


@dataclass(frozen=True)
class RawStatement:
    """A sentence or a theme of the raw timeline with the day that it is read against."""

    statement_id: str
    text: str
    anchor: date
    happened_on: date | None


def raw_statements(node: Node) -> Iterator[RawStatement]:
    """Sentences of the fact, of the opinion, then themes; a theme's id derives from its node's."""
    for part in (node.fact, node.opinion):
        for statement in part.statements if part is not None else ():
            yield RawStatement(
                statement.statement_id, statement.text, node.date, statement.happened_on
            )
    if node.opinion is not None:
        for number, theme in enumerate(node.opinion.themes, 1):
            yield RawStatement(f"{node.node_id}-t{number}", theme, node.date, None)


def parse_timeline(timeline: Timeline, matcher: Matcher, offset: int) -> dict[str, Parsed]:
    """Every statement and theme, parsed from the raw text, by statement id."""
    return {
        raw.statement_id: parse(
            raw.text, matcher, anchor=raw.anchor, offset=offset, hint=raw.happened_on
        )
        for node in timeline.nodes
        for raw in raw_statements(node)
    }


def compared(timeline: Timeline, parsed: dict[str, Parsed]) -> list[Compared]:
    """Statements in both forms, in reading order."""
    return [
        Compared(
            raw.statement_id,
            raw.text,
            parsed[raw.statement_id].segments,
            parsed[raw.statement_id].doubts,
        )
        for node in timeline.nodes
        for raw in raw_statements(node)
    ]


def build_timeline(
    timeline: Timeline, texts: dict[str, SegmentText], public_id: str, offset: int
) -> AnonTimeline:
    """The anonymised timeline in the master language; every date is moved by the offset."""
    step = timedelta(days=offset)

    def statement(statement_id: str, happened_on: date | None) -> AnonStatement:
        return AnonStatement(
            statement_id=statement_id,
            text={timeline.lang: texts[statement_id]},
            happened_on=happened_on + step if happened_on is not None else None,
        )

    nodes = []
    for node in timeline.nodes:
        opinion = None
        if node.opinion is not None:
            opinion = AnonOpinion(
                statements=tuple(
                    statement(s.statement_id, s.happened_on) for s in node.opinion.statements
                ),
                stances=node.opinion.stances,
                themes=tuple(
                    statement(f"{node.node_id}-t{number}", None)
                    for number in range(1, len(node.opinion.themes) + 1)
                ),
                emotion=node.opinion.emotion,
                n_items=node.opinion.n_items,
            )
        facts = node.fact.statements if node.fact is not None else ()
        nodes.append(
            AnonNode(
                node_id=node.node_id,
                date=node.date + step,
                fact=tuple(statement(s.statement_id, s.happened_on) for s in facts),
                opinion=opinion,
            )
        )
    span = Span(
        observed_from=timeline.span.observed_from + step,
        observed_until=timeline.span.observed_until + step,
    )
    return AnonTimeline(public_id=public_id, lang=timeline.lang, span=span, nodes=tuple(nodes))


def without_shapes(text: str, matcher: Matcher) -> str:
    """A document's text without addresses and handles; Chinese tags keep their words, Latin ones go.

    A name of the table with the ending of a web domain (Velloway.com) is a name and stays.
    """

    def word(found: re.Match[str]) -> str:
        shape = found.group()
        if any(
            hit.start == 0 and ends_domain(shape, 0, len(shape), hit.end)
            for hit in matcher.find(shape)
        ):
            return shape
        return shape.strip("#") if shape[0] == "#" and not re.search("[A-Za-z]", shape) else ""

    return re.sub(r"[ \t]{2,}", " ", SHAPES.sub(word, text)).strip()


def passages(
    ctx: StageContext,
    clusters: Sequence[Cluster],
    items: Iterable[Item],
    matcher: Matcher,
    offset: int,
) -> list[AnonPassage]:
    """Representatives of the corpus after phase A, in a stable order; the others are rejected with a reason.

    Names that only the corpus knows are in no table: whatever has the shape of a name is blanked.
    """
    by_id = {item.item_id: item for item in items}
    vocabulary = Vocabulary.of(item.text for item in by_id.values())
    kept = []
    for cluster in clusters:
        item = by_id.get(cluster.representative)
        name = f"passage {cluster.cluster_id}"
        if item is None:
            ctx.reject(name, "its document is missing", cluster.representative)
            continue
        if cluster.day is None:
            ctx.reject(name, "undated", item.item_id)
            continue
        if item.lang not in ("en", "zh"):
            ctx.reject(name, "neither English nor Chinese", item.lang)
            continue
        text = without_shapes("\n".join(p for p in (item.title, item.text) if p), matcher)
        if not text:
            ctx.reject(name, "no words", item.item_id)
            continue
        parsed = parse(text, matcher, anchor=cluster.day, offset=offset)
        if parsed.doubts:
            detail = "; ".join(f"{d.kind}: {d.words} ({d.reason})" for d in parsed.doubts[:5])
            ctx.reject(name, "holds a name or date that needs a person", detail)
            continue
        lang: Lang = "zh" if item.lang == "zh" else "en"
        blanked = blank_names(parsed.segments, lang, vocabulary)
        if not blanked.usable:
            ctx.reject(name, "mostly names that no table knows", ", ".join(blanked.names[:10]))
            continue
        kept.append(
            AnonPassage(
                passage_id=ctx.new_id("g", item.item_id),
                date=cluster.day + timedelta(days=offset),
                lang=lang,
                text=blanked.text,
            )
        )
    return sorted(kept, key=lambda passage: (passage.date, passage.passage_id))
