"""A small invented event on the raw side: plan, timeline, documents and clusters, and a model that answers."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from factory.sections import AnonymiseSettings
from factory.settings import Settings
from factory.stage import StageContext
from schemas import (
    Cluster,
    Evidence,
    Fact,
    Item,
    Member,
    Node,
    Opinion,
    Origin,
    Plan,
    PostStance,
    Span,
    Statement,
    Timeline,
)
from tests.scripted import Call, make_context

OFFSET = -63
ENTITIES = {
    "entities": [
        {
            "name": "Brinmoor",
            "kind": "PLC",
            "english": ["Brinmoor"],
            "chinese": ["布林穆尔"],
            "other": [],
        },
        {
            "name": "Odalys Kestrin",
            "kind": "PER",
            "english": ["Mayor Kestrin", "Kestrin"],
            "chinese": ["奥达丽丝·凯斯特林"],
            "other": ["@okestrin"],
        },
        {
            "name": "Tramworkers Union of Brinmoor",
            "kind": "GRP",
            "english": ["Tramworkers' Union"],
            "chinese": ["电车工会"],
            "other": [],
        },
        {
            "name": "Velloway Ltd",
            "kind": "COM",
            "english": [],
            "chinese": ["维洛韦公司"],
            "other": [],
        },
    ]
}
TRUTH = {
    "event_names": ["Brinmoor tram strike", "布林穆尔电车罢工"],
    "actors": ["Odalys Kestrin", "Velloway"],
    "event_class": ["tram strike", "电车罢工"],
}
LOW_GUESS = {
    "guesses": [
        {
            "event": "a bus dispute in Lindhaven",
            "actors": [],
            "period_start": None,
            "period_end": None,
            "confidence": 0.1,
            "quotes": ["voted 31-9", "words that are not there"],
        }
    ],
    "leaks": [],
}
FACTS: tuple[tuple[date, tuple[tuple[str, date | None], ...], tuple[str, ...]], ...] = (
    (
        date(2026, 1, 6),
        (
            (
                "The Tramworkers Union of Brinmoor (TUB) called a strike from Monday, January 12, 2026.",
                None,
            ),
            (
                "Mayor Odalys Kestrin (Kestrin) said Velloway would lose 4.2 million a day.",
                date(2026, 1, 5),
            ),
        ),
        ("support for TUB", "anger at Velloway's fares"),
    ),
    (
        date(2026, 2, 3),
        (
            (
                "The council voted 31-9 on 2 February to freeze fares until the end of March.",
                date(2026, 2, 2),
            ),
        ),
        (),
    ),
    (
        date(2026, 3, 10),
        (
            (
                "A ruling is expected next Thursday, and fares fell 12.5% in the first quarter of 2026.",
                None,
            ),
        ),
        ("relief in Brinmoor",),
    ),
)


def timeline() -> Timeline:
    """Three days with facts and, on two of them, opinion."""
    nodes = []
    for number, (day, facts, themes) in enumerate(FACTS, 1):
        evidence = (Evidence(item_id=f"i{number}", quote="as reported"),)
        statements = tuple(
            Statement(
                statement_id=f"n{number}s{k}", text=text, happened_on=happened, evidence=evidence
            )
            for k, (text, happened) in enumerate(facts, 1)
        )
        opinion = None
        if themes:
            opinion = Opinion(
                statements=(
                    Statement(
                        statement_id=f"n{number}o1",
                        text="Most posts back the union, 7 in 10 by one count.",
                        evidence=evidence,
                    ),
                ),
                stances={"support": 0.7, "oppose": 0.3},
                themes=themes,
                emotion="anger",
                n_items=10,
            )
        nodes.append(
            Node(node_id=f"n{number}", date=day, fact=Fact(statements=statements), opinion=opinion)
        )
    return Timeline(
        title="Brinmoor tram strike",
        lang="en",
        zone="Europe/Oslo",
        span=Span(observed_from=date(2026, 1, 4), observed_until=date(2026, 4, 2)),
        nodes=tuple(nodes),
    )


def item(item_id: str, text: str, *, title: str = "", lang: Any = "en") -> Item:
    """An article."""
    return Item(
        item_id=item_id,
        platform="web",
        kind="article",
        native_id=item_id,
        title=title,
        text=text,
        lang=lang,
        fetched_at=datetime(2026, 6, 1, tzinfo=UTC),
        origin=Origin(source="web"),
    )


DOCUMENTS = (
    (
        item("i1", "Kestrin met the Tramworkers’ Union on 5 January.", title="Strike in Brinmoor"),
        date(2026, 1, 6),
    ),
    (item("i2", "电车工会表示，2月2日的表决结果是31比9。", lang="zh"), date(2026, 2, 3)),
    (item("i3", "No day is known for this one."), None),
    (item("i4", "Sales at Velloway rose on Black Friday."), date(2026, 1, 7)),
    (item("i5", "Le tram ne roule pas.", lang="other"), date(2026, 1, 7)),
)


def answers(call: Call) -> dict[str, Any]:
    """A quiet panel: nothing is recognised, nothing drifts."""
    if call.prompt == "anonymise/entities":
        return ENTITIES
    if call.prompt == "anonymise/truth":
        return TRUTH
    if call.prompt == "anonymise/guess":
        return LOW_GUESS
    return {"problems": []}


def context(
    root: Path,
    handler: Any = answers,
    *,
    settings: Settings | None = None,
    raw: Timeline | None = None,
) -> StageContext:
    """A stage context over a workspace that holds the event; without settings the panel has no controls."""
    ctx = make_context(
        root,
        "anonymise",
        handler,
        settings=settings or Settings(anonymise=AnonymiseSettings(controls=False)),
        topic="tram strike in Brinmoor",
    )
    workspace = ctx.workspace
    workspace.write(
        "00_plan/plan.json",
        Plan(
            topic="tram strike in Brinmoor",
            title="Brinmoor tram strike",
            since=date(2026, 1, 1),
            until=date(2026, 4, 2),
            zone="Europe/Oslo",
            languages=("en",),
            domain="labour",
            entities=("Brinmoor",),
            stance_target="the strike",
        ),
    )
    workspace.write("03_timeline/timeline.json", raw or timeline())
    workspace.write_lines(
        "03_timeline/stances.jsonl",
        [
            PostStance(
                item_id="x-none",
                day=date(2026, 1, 5),
                stance="neutral",
                emotion="calm",
                relevant=False,
            )
        ],
    )
    workspace.write_lines("02_corpus/documents.jsonl", [document for document, _ in DOCUMENTS])
    workspace.write_lines(
        "02_corpus/clusters.jsonl",
        [
            Cluster(
                cluster_id=f"c{document.item_id}",
                representative=document.item_id,
                day=day,
                members=(Member(item_id=document.item_id, rule="representative", similarity=1.0),),
            )
            for document, day in DOCUMENTS
        ],
    )
    return ctx
