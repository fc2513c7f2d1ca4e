"""A published timeline as the start of an event: raw, or already anonymised elsewhere.

Each paragraph becomes an item of kind `timeline` and its sentences become statements that quote it, so that
everything behind works as if the stages before had run. Shares of stances are not known and stay empty.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from factory.errors import BadInput
from factory.importing.files import check_zone
from factory.importing.placeholders import Placeholders
from factory.workspace import Workspace, first_problem
from schemas import (
    AnonNode,
    AnonOpinion,
    AnonPassage,
    AnonStatement,
    AnonTimeline,
    Cluster,
    Coverage,
    Emotion,
    EventConfig,
    Evidence,
    Fact,
    Item,
    Keys,
    Lang,
    Member,
    Node,
    Opinion,
    Plan,
    Record,
    Rejection,
    Span,
    Statement,
    Timeline,
)
from sources.base import Report, SourceContext, SourceError, digest
from sources.imports.streams import document
from sources.imports.timeline import Paragraph, merged, paragraph_item, read_timeline
from sources.language import language
from sources.sentences import sentences
from sources.text import decode
from sources.times import read_time

PLAN = "00_plan/plan.json"
ITEMS = "01_items/items.jsonl"
COVERAGE = "01_items/coverage.jsonl"
DOCUMENTS = "02_corpus/documents.jsonl"
CLUSTERS = "02_corpus/clusters.jsonl"
TIMELINE = "03_timeline/timeline.json"
STANCES = "03_timeline/stances.jsonl"
ANON = "04_anonymised/timeline.json"
PASSAGES = "04_anonymised/passages.jsonl"

_NAMES: dict[Lang, str] = {"en": "English (en)", "zh": "Chinese (zh)"}
_FEELINGS: dict[Emotion, str] = {
    "anger": r"愤怒|愤慨|愤懑|怒|谴责|声讨|anger|angry|outrage|fury|furious|condemn",
    "fear": r"恐慌|恐惧|担忧|担心|焦虑|不安|fear|anxi|worr|panic|alarm",
    "sadness": r"悲伤|悲痛|惋惜|哀悼|无力感|失望|sad|grief|mourn|sorrow|disappoint",
    "hope": r"期待|希望|乐观|呼吁|hope|optimis|expect",
    "joy": r"喜悦|欣慰|欢呼|支持与赞|高兴|joy|celebrat|cheer|reliev",
    "mockery": r"嘲讽|讽刺|戏谑|调侃|揶揄|玩梗|mock|sarcas|ridicul|satir|jok",
}


@dataclass(frozen=True)
class ReadTimeline:
    """The artefacts that a timeline entry supplies, checked and not yet written."""

    artefacts: dict[str, Record | Sequence[Record]]
    """One record, or its lines, by path."""
    rejections: list[Rejection]
    """What of the file was not kept."""
    nodes: int
    """Days of the timeline."""

    def write(self, workspace: Workspace) -> None:
        """Write them into an event's folder."""
        for path, value in self.artefacts.items():
            if isinstance(value, Record):
                workspace.write(path, value)
            else:
                workspace.write_lines(path, value)
        workspace.replace_rows("rejected.jsonl", "import", self.rejections)


def write_timeline(
    workspace: Workspace, event: EventConfig, keys: Keys, path: Path, now: datetime
) -> int:
    """Write the artefacts of `read_entry`; returns the number of nodes."""
    found = read_entry(event, keys, path, now)
    found.write(workspace)
    return found.nodes


def read_entry(
    event: EventConfig, keys: Keys, path: Path, now: datetime, *, short: bool = False
) -> ReadTimeline:
    """Read the timeline with which an event begins; nothing is written.

    A raw timeline gives items, corpus and timeline with a plan of its span; with
    `event.already_anonymised` it gives the anonymised timeline and its passages. BadInput when the file holds
    no timeline or one in the other language, the zone is none, or a raw timeline spans less than four weeks.
    `short` takes a raw timeline of any length, without a plan where none can be made: it can be anonymised, not
    cut into forecasts.
    """
    if not path.is_file():
        raise BadInput(f"{path} is no file; give one timeline in markdown")
    report = Report()
    zone = check_zone(event.zone or ("Asia/Shanghai" if event.lang == "zh" else "UTC"))
    context = SourceContext(fetched_at=now, zone=zone, salt=keys.salt)
    try:
        data = document(path)
        decoded = decode(data)
        if not decoded.ok:
            raise BadInput(f"{path.name} cannot be decoded ({decoded.note}); save it as UTF-8")
        parsed = read_timeline(decoded.text, path.name)
    except SourceError as error:
        raise BadInput(str(error)) from error
    paragraphs = merged(parsed, report)
    _check_language(paragraphs, event.lang, path)
    origin = {"source": "timeline", "file": path.name, "digest": digest(data)}
    if event.already_anonymised:
        artefacts = _anonymised(event, keys, paragraphs, report)
    else:
        items = [
            paragraph_item(paragraph, context, _origin(origin)).model_copy(
                update=_midday(paragraph, zone, now)
            )
            for paragraph in paragraphs
        ]
        artefacts = _raw(event, keys, paragraphs, items, parsed.title, zone, short=short)
    timeline = artefacts[ANON if event.already_anonymised else TIMELINE]
    assert isinstance(timeline, AnonTimeline | Timeline)
    return ReadTimeline(
        artefacts,
        [
            Rejection(stage="import", item=row.item, reason=row.reason, detail=row.detail)
            for row in report.refusals
        ],
        len(timeline.nodes),
    )


def _check_language(paragraphs: list[Paragraph], lang: Lang, path: Path) -> None:
    """BadInput when most paragraphs are plainly in the other language."""
    counts = Counter(language(paragraph.text) for paragraph in paragraphs)
    other: Lang = "en" if lang == "zh" else "zh"
    if 2 * counts[other] > len(paragraphs):
        raise BadInput(
            f"{path.name} is written in {_NAMES[other]}, but the event's language is {_NAMES[lang]}; "
            f"give --lang {other}, or the timeline's {_NAMES[lang]} version"
        )


def _origin(values: dict[str, str]) -> Any:
    from schemas import Origin

    return Origin(**values)


def _midday(paragraph: Paragraph, zone: str, now: datetime) -> dict[str, Any]:
    """A shifted timeline may lie in the future of its import: its days hold all the same."""
    later = max(now, datetime.combine(paragraph.day, now.timetz()))
    moment = read_time(paragraph.day.isoformat(), fetched_at=later, zone=zone)
    return {
        "published_at": moment.at,
        "precision": moment.precision,
        "tz_source": moment.tz_source,
        "confidence": moment.confidence,
    }


def _ids(keys: Keys) -> Callable[..., str]:
    def make(prefix: str, *parts: object) -> str:
        text = "\x1f".join(str(part) for part in parts)
        return prefix + hmac.new(keys.salt.encode(), text.encode(), hashlib.sha256).hexdigest()[:10]

    return make


def _feeling(text: str) -> Emotion:
    """The feeling that an opinion paragraph names most often; calm when it names none."""
    counts = {
        name: len(re.findall(words, text, re.IGNORECASE)) for name, words in _FEELINGS.items()
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else "calm"


def _span(paragraphs: list[Paragraph]) -> Span:
    days = [paragraph.day for paragraph in paragraphs]
    return Span(observed_from=min(days), observed_until=max(days))


def _by_day(paragraphs: list[Paragraph]) -> dict[date, dict[str, Paragraph]]:
    days: dict[date, dict[str, Paragraph]] = {}
    for paragraph in paragraphs:
        days.setdefault(paragraph.day, {})[paragraph.part] = paragraph
    return dict(sorted(days.items()))


def _raw(
    event: EventConfig,
    keys: Keys,
    paragraphs: list[Paragraph],
    items: list[Item],
    title: str,
    zone: str,
    *,
    short: bool,
) -> dict[str, Record | Sequence[Record]]:
    make = _ids(keys)
    item_of = {(p.day, p.part): item for p, item in zip(paragraphs, items, strict=True)}
    span = _span(paragraphs)
    nodes = []
    for day, parts in _by_day(paragraphs).items():
        node_id = make("n", "node", day)
        statements = {
            part: tuple(
                Statement(
                    statement_id=make("s", node_id, part, number),
                    text=sentence,
                    evidence=(
                        Evidence(item_id=item_of[day, paragraph.part].item_id, quote=sentence),
                    ),
                )
                for number, sentence in enumerate(sentences(paragraph.text))
            )
            for part, paragraph in parts.items()
        }
        opinion = None
        if "opinion" in parts:
            opinion = Opinion(
                statements=statements["opinion"],
                stances={},
                emotion=_feeling(parts["opinion"].text),
                n_items=1,
            )
        fact = Fact(statements=statements["fact"]) if "fact" in parts else None
        nodes.append(Node(node_id=node_id, date=day, fact=fact, opinion=opinion))
    name = title or event.topic
    plan: Plan | None = None
    try:
        plan = Plan(
            topic=event.topic,
            title=name,
            since=span.observed_from,
            until=span.observed_until,
            zone=zone,
            languages=(event.lang,),
            domain="imported",
            stance_target=event.topic,
            origin="file",
        )
    except ValidationError as error:
        if not short:
            raise BadInput(
                f"the timeline cannot become an event ({first_problem(error)}); import a longer one"
            ) from error
    clusters = [
        Cluster(
            cluster_id=make("c", item.item_id),
            representative=item.item_id,
            day=paragraph.day,
            members=(Member(item_id=item.item_id, rule="representative", similarity=1.0),),
        )
        for paragraph, item in zip(paragraphs, items, strict=True)
    ]
    return {
        **({PLAN: plan} if plan is not None else {}),
        ITEMS: items,
        COVERAGE: [_coverage(items, paragraphs)],
        DOCUMENTS: items,
        CLUSTERS: clusters,
        TIMELINE: Timeline(title=name, lang=event.lang, zone=zone, span=span, nodes=tuple(nodes)),
        STANCES: [],
    }


def _coverage(items: list[Item], paragraphs: list[Paragraph]) -> Coverage:
    span = _span(paragraphs)
    times = [item.published_at for item in items if item.published_at is not None]
    return Coverage(
        source="timeline",
        query=items[0].origin.file,
        since=span.observed_from,
        until=span.observed_until,
        first=min(times, default=None),
        last=max(times, default=None),
        items=len(items),
        outcomes={"ok": 1},
        note="a timeline made elsewhere: its paragraphs are the only evidence",
    )


def _anonymised(
    event: EventConfig,
    keys: Keys,
    paragraphs: list[Paragraph],
    report: Report,
) -> dict[str, Record | Sequence[Record]]:
    make, lang = _ids(keys), event.lang
    placeholders = Placeholders((paragraph.text for paragraph in paragraphs), lang)
    nodes, passages = [], []
    for day, parts in _by_day(paragraphs).items():
        node_id = make("n", "node", day)
        statements: dict[str, tuple[AnonStatement, ...]] = {}
        for part, paragraph in parts.items():
            kept = []
            for number, sentence in enumerate(sentences(paragraph.text, placeholders.nouns)):
                try:
                    segments = placeholders.parse(sentence)
                except ValueError as error:
                    report.refuse(sentence[:60], "cannot be parsed", str(error))
                    continue
                statement_id = make("s", node_id, part, number)
                kept.append(AnonStatement(statement_id=statement_id, text={lang: segments}))
            if kept:
                statements[part] = tuple(kept)
                segments = tuple(segment for statement in kept for segment in statement.text[lang])
                passages.append(
                    AnonPassage(
                        passage_id=make("p", node_id, part), date=day, lang=lang, text=segments
                    )
                )
        if not statements:
            report.refuse(day.isoformat(), "a day without usable sentences")
            continue
        opinion = None
        if "opinion" in statements:
            opinion = AnonOpinion(
                statements=statements["opinion"],
                stances={},
                emotion=_feeling(parts["opinion"].text),
                n_items=1,
            )
        nodes.append(
            AnonNode(node_id=node_id, date=day, fact=statements.get("fact", ()), opinion=opinion)
        )
    if not nodes:
        first = report.refusals[0]
        raise BadInput(
            f"no paragraph of the timeline can be used ({first.reason}: {first.detail or first.item}); "
            "correct the file and import it again"
        )
    timeline = AnonTimeline(
        public_id=keys.public_id, lang=lang, span=_span(paragraphs), nodes=tuple(nodes)
    )
    return {ANON: timeline, PASSAGES: passages}
