"""One of our banks as a bank in the published SocietyBench dataset layout.

Field names follow the published dataset; `factory.published.layout` writes the files. Two things differ on purpose: `days_from_cutoff` is
the distance to the window's end, never to the outcome's own day, so that weight does not tell the answer;
and rows are sorted by opaque id, so that order does not tell it either. The folder holds answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factory.published.layout import layout_files
from factory.published.rows import foreign_question
from factory.score.horizon import HORIZON
from factory.segments import context_text, node_text
from schemas import (
    AnonTimeline,
    Axis,
    ForeignBank,
    ForeignDataset,
    ForeignEdition,
    ForeignOutline,
    ForeignPoint,
    ForeignQuestion,
    Lang,
    PredictionPoint,
    Question,
    TemporalEvent,
)

ROOT = "societybench"
TITLES: dict[Lang, str] = {"en": "Timeline", "zh": "时间线"}
DIMENSIONS: dict[Lang, dict[str, str]] = {
    "en": {"event": "event", "policy": "policy", "opinion": "opinion", "figures": "figures"},
    "zh": {"event": "事件", "policy": "政策", "opinion": "舆论", "figures": "数字"},
}
MAJOR_DAYS = 60
BANK_KEYS = (
    "point_id",
    "cutoff_date",
    "gt_span_days",
    "events",
    "brier_questions",
    "eval_config",
    "meta",
)
"""Fields of a questionbank file in their order."""


def societybench_files(
    lang: Lang,
    *,
    timeline: AnonTimeline,
    points: Sequence[PredictionPoint],
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
) -> dict[str, bytes]:
    """Path -> bytes of one edition under societybench/<lang>/; points are P01… in order of cutoff."""
    edition = foreign_edition(
        lang, timeline=timeline, points=points, questions=questions, events=events
    )
    files = layout_files(ForeignDataset(editions=(edition,)))
    return {f"{ROOT}/{path}": data for path, data in files.items()}


def foreign_edition(
    lang: Lang,
    *,
    timeline: AnonTimeline,
    points: Sequence[PredictionPoint],
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
) -> ForeignEdition:
    """One edition of our bank in the published form; the event folder stays empty."""
    numbered = {f"P{number:02d}": point for number, point in enumerate(points, 1)}
    markdown, lines = _timeline(timeline, lang)
    nodes = {node.node_id: node for node in timeline.nodes}
    return ForeignEdition(
        event="",
        edition=lang,
        timeline=markdown,
        outline=_outline(timeline, numbered, lines),
        points=tuple(
            ForeignPoint(
                point_id=name,
                context=context_text((nodes[node_id] for node_id in point.context), lang),
                truth=context_text((nodes[node_id] for node_id in point.truth), lang),
                bank=_bank(name, point, timeline, questions, events, lang),
            )
            for name, point in numbered.items()
        ),
    )


def _timeline(timeline: AnonTimeline, lang: Lang) -> tuple[str, dict[str, tuple[int, int]]]:
    """The markdown timeline and the first and last line of each node, counted from 1."""
    text = f"# {TITLES[lang]}\n\n"
    lines: dict[str, tuple[int, int]] = {}
    for node in timeline.nodes:
        start = text.count("\n") + 1
        body = node_text(node, lang)
        lines[node.node_id] = (start, start + body.count("\n"))
        text += body + "\n\n"
    return text, lines


def _outline(
    timeline: AnonTimeline,
    numbered: dict[str, PredictionPoint],
    lines: dict[str, tuple[int, int]],
) -> ForeignOutline:
    names = {node.node_id: f"N{number:02d}" for number, node in enumerate(timeline.nodes, 1)}
    days = {node.node_id: node.date for node in timeline.nodes}
    return ForeignOutline(
        keys=("meta", "nodes", "prediction_points"),
        fields={"meta": {"total_nodes": len(names), "selected_points": len(numbered)}},
        nodes=tuple(
            {
                "node_id": names[node.node_id],
                "date": node.date.isoformat(),
                "date_raw": node.date.isoformat(),
                "stage": "",
                "line_start": lines[node.node_id][0],
                "line_end": lines[node.node_id][1],
            }
            for node in timeline.nodes
        ),
        points=tuple(
            {
                "point_id": name,
                "factory_point_id": point.point_id,
                "status": "selected",
                "cutoff_date": point.cutoff.isoformat(),
                "input_nodes": [names[node_id] for node_id in point.context],
                "target_node": names[point.truth[0]],
                "target_date": days[point.truth[0]].isoformat(),
                "target_stage": "",
                "gap_days": (days[point.truth[0]] - days[point.context[-1]]).days,
                "predictable": True,
                "context_depth": len(point.context),
                "remaining_nodes": len(point.truth),
            }
            for name, point in numbered.items()
        ),
    )


def _bank(
    name: str,
    point: PredictionPoint,
    timeline: AnonTimeline,
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
    lang: Lang,
) -> ForeignBank:
    dated: list[dict[str, Any]] = [
        {
            "id": event.event_id,
            "event": event.text[lang],
            "date": event.date.isoformat(),
            "group": event.family_id,
            "days_from_cutoff": (event.date - point.cutoff).days,
        }
        for event in events
        if event.point_id == point.point_id and (event.date - point.cutoff).days <= HORIZON
    ]
    asked = [
        {
            "qid": question.question_id,
            "q": question.text[lang],
            "answer": question.answer,
            "difficulty": question.difficulty,
            "dimension": DIMENSIONS[lang][question.dimension],
            "time_window": f"{question.window_days}天"
            if lang == "zh"
            else f"{question.window_days} days",
            "window_days": question.window_days,
            "d_target": question.window_end.isoformat(),
            "days_from_cutoff": (question.window_end - point.cutoff).days,
            "event_group": question.family_id,
            "question_type": f"{question.type}_{'true' if question.answer else 'false'}",
        }
        for question in questions
        if question.point_id == point.point_id
    ]

    def rows(axis: Axis, values: list[dict[str, Any]], key: str) -> tuple[ForeignQuestion, ...]:
        return tuple(
            foreign_question(
                fields,
                ref=f"{name}/{fields[key]}",
                event="",
                point_id=name,
                axis=axis,
                edition=lang,
                cutoff=point.cutoff,
            )
            for fields in values
        )

    major = [event for event in dated if event["days_from_cutoff"] <= MAJOR_DAYS]
    lists = {"base": dated, "all": dated, "major": major}
    return ForeignBank(
        keys=BANK_KEYS,
        cutoff=point.cutoff,
        questions=rows("calibration", asked, "qid"),
        events={kind: rows("temporal", values, "id") for kind, values in lists.items()},
        fields={
            "point_id": name,
            "cutoff_date": point.cutoff.isoformat(),
            "gt_span_days": (timeline.span.observed_until - point.cutoff).days,
            "eval_config": {},
            "meta": {
                "base_event_count": len(dated),
                "all_count": len(dated),
                "brier_count": len(asked),
            },
        },
    )
