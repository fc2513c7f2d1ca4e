"""The published SocietyBench dataset layout, written from one of our banks.

Field names and file names follow the published dataset. Two things differ on purpose: `days_from_cutoff` is
the distance to the window's end, never to the outcome's own day, so that weight does not tell the answer;
and rows are sorted by opaque id, so that order does not tell it either. The folder holds answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from factory.score.rules import HORIZON
from factory.segments import context_text, node_text
from schemas import AnonTimeline, Lang, PredictionPoint, Question, TemporalEvent

ROOT = "societybench"
TITLES: dict[Lang, str] = {"en": "Timeline", "zh": "时间线"}
DIMENSIONS: dict[Lang, dict[str, str]] = {
    "en": {"event": "event", "policy": "policy", "opinion": "opinion", "figures": "figures"},
    "zh": {"event": "事件", "policy": "政策", "opinion": "舆论", "figures": "数字"},
}
MAJOR_DAYS = 60


def societybench_files(
    lang: Lang,
    *,
    timeline: AnonTimeline,
    points: Sequence[PredictionPoint],
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
) -> dict[str, bytes]:
    """Path -> bytes of one edition under societybench/<lang>/; points are P01… in order of cutoff."""
    root = f"{ROOT}/{lang}"
    numbered = {f"P{number:02d}": point for number, point in enumerate(points, 1)}
    markdown, lines = _timeline(timeline, lang)
    files = {
        f"{root}/timeline_anon.md": markdown.encode(),
        f"{root}/prediction_points.json": _json(_points(timeline, numbered, lines)),
    }
    nodes = {node.node_id: node for node in timeline.nodes}
    for name, point in numbered.items():
        context = context_text((nodes[node_id] for node_id in point.context), lang)
        truth = context_text((nodes[node_id] for node_id in point.truth), lang)
        files[f"{root}/contexts/{name}_context.md"] = context.encode()
        files[f"{root}/gt/{name}_gt.md"] = truth.encode()
        bank = _bank(name, point, timeline, questions, events, lang)
        files[f"{root}/questionbank/{name}_questionbank.json"] = _json(bank)
    return files


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


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


def _points(
    timeline: AnonTimeline,
    numbered: dict[str, PredictionPoint],
    lines: dict[str, tuple[int, int]],
) -> dict[str, Any]:
    names = {node.node_id: f"N{number:02d}" for number, node in enumerate(timeline.nodes, 1)}
    days = {node.node_id: node.date for node in timeline.nodes}
    return {
        "meta": {"total_nodes": len(names), "selected_points": len(numbered)},
        "nodes": [
            {
                "node_id": names[node.node_id],
                "date": node.date.isoformat(),
                "date_raw": node.date.isoformat(),
                "stage": "",
                "line_start": lines[node.node_id][0],
                "line_end": lines[node.node_id][1],
            }
            for node in timeline.nodes
        ],
        "prediction_points": [
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
        ],
    }


def _bank(
    name: str,
    point: PredictionPoint,
    timeline: AnonTimeline,
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
    lang: Lang,
) -> dict[str, Any]:
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
    return {
        "point_id": name,
        "cutoff_date": point.cutoff.isoformat(),
        "gt_span_days": (timeline.span.observed_until - point.cutoff).days,
        "events": {
            "base": dated,
            "all": dated,
            "major": [event for event in dated if event["days_from_cutoff"] <= MAJOR_DAYS],
        },
        "brier_questions": asked,
        "eval_config": {},
        "meta": {
            "base_event_count": len(dated),
            "all_count": len(dated),
            "brier_count": len(asked),
        },
    }
