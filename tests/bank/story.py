"""A small anonymised story for tests of claims: one ferry line, its closure and what came of it."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

from factory.points import ANON, POINTS
from factory.resolve import PASSAGES
from factory.segments import from_tokens
from factory.settings import Settings
from factory.stage import StageContext
from schemas import (
    AnonNode,
    AnonOpinion,
    AnonPassage,
    AnonStatement,
    AnonTimeline,
    Claim,
    ClaimKind,
    Lang,
    PointSet,
    PredictionPoint,
    Span,
)
from tests.scripted import Handler, make_context

START = date(2031, 3, 3)
EN = [
    "⟦GOV:A⟧ says that the pier of the ferry line of ⟦COM:A⟧ has cracks.",
    "⟦GRP:A⟧ hands in a petition with 4,200 signatures against closing the line.",
    "⟦GOV:A⟧ orders ⟦COM:A⟧ to run fewer crossings.",
    "The council of ⟦PLC:A⟧ debates the closure and puts off its vote.",
    "⟦GOV:B⟧ rules that the order against ⟦COM:A⟧ stands.",
    "⟦COM:A⟧ stops the line at the old pier.",
    "⟦COM:B⟧ wins the tender for a new pier at 36 million.",
    "The new pier opens for a trial of three months.",
]
ZH = [
    "⟦GOV:A⟧称⟦COM:A⟧渡轮线路的码头出现裂缝。",
    "⟦GRP:A⟧递交反对停运的请愿书，有4,200人签名。",
    "⟦GOV:A⟧要求⟦COM:A⟧减少班次。",
    "⟦PLC:A⟧议会讨论停运事宜，推迟表决。",
    "⟦GOV:B⟧裁定对⟦COM:A⟧的命令有效。",
    "⟦COM:A⟧停运老码头的线路。",
    "⟦COM:B⟧以3600万中标新码头工程。",
    "新码头开放试运行三个月。",
]


def timeline(
    *,
    lang: Lang = "en",
    gaps: int = 20,
    nodes: int = 8,
    after: int = 30,
    happened: dict[int, date] | None = None,
) -> AnonTimeline:
    """`nodes` days `gaps` days apart, observed until `after` days after the last; ids n0, s0, o1, …"""
    sentences = EN if lang == "en" else ZH
    rows = []
    for number in range(nodes):
        day = START + timedelta(days=gaps * number)
        opinion = None
        if number == 1:
            words = (
                "Most posts oppose the closure of the line."
                if lang == "en"
                else "多数帖子反对停运。"
            )
            theme = "safety at the pier" if lang == "en" else "码头安全"
            opinion = AnonOpinion(
                statements=(AnonStatement(statement_id="o1", text={lang: from_tokens(words)}),),
                stances={"support": 0.2, "oppose": 0.8},
                themes=(AnonStatement(statement_id="t1", text={lang: from_tokens(theme)}),),
                emotion="anger",
                n_items=10,
            )
        rows.append(
            AnonNode(
                node_id=f"n{number}",
                date=day,
                fact=(
                    AnonStatement(
                        statement_id=f"s{number}",
                        text={lang: from_tokens(sentences[number % 8])},
                        happened_on=(happened or {}).get(number),
                    ),
                ),
                opinion=opinion,
            )
        )
    return AnonTimeline(
        public_id="e-test",
        lang=lang,
        span=Span(observed_from=START, observed_until=rows[-1].date + timedelta(days=after)),
        nodes=tuple(rows),
    )


def point(arc: AnonTimeline, cutoff: date, point_id: str) -> PredictionPoint:
    return PredictionPoint(
        point_id=point_id,
        cutoff=cutoff,
        context=tuple(n.node_id for n in arc.nodes if n.date < cutoff),
        truth=tuple(n.node_id for n in arc.nodes if n.date >= cutoff),
    )


def make_claim(
    claim_id: str,
    text: str,
    *,
    family: str = "",
    kind: ClaimKind = "outcome",
    level: int = 1,
    node: str | None = "n5",
    lang: Lang = "en",
    **fields: Any,
) -> Claim:
    values: dict[str, Any] = {
        "claim_id": claim_id,
        "family_id": family or f"f-{claim_id}",
        "kind": kind,
        "level": level,
        "occasion": "the future of the line",
        "dimension": "event",
        "difficulty": "medium",
        "node_id": node,
        "text": {lang: from_tokens(text)},
    }
    return Claim(**(values | fields))


def story(
    root: Path,
    stage: str,
    handler: Handler | None = None,
    *,
    arc: AnonTimeline | None = None,
    settings: Settings | None = None,
    cutoffs: tuple[int, ...] = (3, 5),
    passages: tuple[AnonPassage, ...] = (),
) -> StageContext:
    """A context whose workspace holds the story, its passages and a point at the days of `cutoffs` nodes."""
    arc = arc or timeline()
    ctx = make_context(root, stage, handler, settings=settings, lang=arc.lang)
    ctx.workspace.write(ANON, arc)
    ctx.workspace.write_lines(PASSAGES, passages)
    points = tuple(point(arc, arc.nodes[n].date, f"p{n}") for n in cutoffs)
    ctx.workspace.write(POINTS, PointSet(points=points))
    return ctx
