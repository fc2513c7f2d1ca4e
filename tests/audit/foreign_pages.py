"""A small published bank of invented events that breaks no rule, in both published forms, to be broken on purpose."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

Place = tuple[str, str, str]
"""(event, point, edition)."""

START = date(2031, 5, 1)
POINTS = {"P01": 10, "P02": 20, "P03": 30}
"""Cutoff of each point, in days from the start."""
WINDOWS = (7, 14, 30)
EVENTS = ("event1", "event2")

CLAIMS: dict[str, dict[str, str]] = {
    "ferry": {"en": "the ferry sail again", "zh": "渡轮恢复航行"},
    "pier": {"en": "the old pier be rebuilt", "zh": "旧码头重建"},
    "bridge": {"en": "a bridge over the bay be ordered", "zh": "海湾大桥获得订单"},
    "fare": {"en": "fares for residents rise", "zh": "居民票价上涨"},
}
"""Outcome -> words of the question."""
TOLD: dict[str, dict[str, str]] = {
    "ferry": {"en": "The boat leaves the harbour with passengers aboard", "zh": "船只载客驶离港湾"},
    "pier": {"en": "Workers begin with the landing stage", "zh": "工人开始修建栈桥"},
    "bridge": {"en": "The council signs for a crossing", "zh": "议会签署跨海工程"},
}
"""Outcome -> words of the dated event, which share little with the question."""
DISTANCE = {"ferry": 10, "pier": 25, "bridge": 5}
"""Days from the first cutoff of its point to the outcome; `fare` never happens."""
DIMENSIONS = {"en": "event", "zh": "事件"}
NODES: tuple[tuple[int, dict[str, str]], ...] = (
    (0, {"en": "**Event**: The ferry stops after a storm.", "zh": "**事件**：渡轮因风暴停航。"}),
    (
        6,
        {
            "en": "**Event**: The harbour office meets residents.",
            "zh": "**事件**：港务处会见居民。",
        },
    ),
    (13, {"en": "**Event**: Repairs on the hull begin.", "zh": "**事件**：船体开始维修。"}),
    (24, {"en": "**Event**: Divers look at the pier.", "zh": "**事件**：潜水员查看码头。"}),
)


def stem(claim: str, window: int, edition: str) -> str:
    """The text of a question."""
    words = CLAIMS[claim][edition]
    if edition == "zh":
        return f"未来{window}天内，{words}这件事是否会发生？"
    return f"Will {words} within the next {window} days?"


def weight(distance: int, window: int) -> float:
    return round(1 / (1 + 0.04 * max(0, distance)) * window / (window + 4), 3)


def question(claim: str, window: int, distance: int, answer: int, edition: str, kind: str) -> dict[str, Any]:  # fmt: skip
    return {
        "q": stem(claim, window, edition),
        "wd": window,
        "dfc": distance,
        "diff": "easy",
        "dim": DIMENSIONS[edition],
        "qt": f"{kind}_{'true' if answer else 'false'}",
        "gt": answer,
        "wt": weight(distance, window),
        "r": [[0, 0.5]],
    }


@dataclass
class Pages:
    """A project page in memory."""

    points: dict[Place, dict[str, Any]] = field(default_factory=dict)
    contexts: dict[Place, str] = field(default_factory=dict)

    def copy(self) -> Pages:
        return copy.deepcopy(self)

    def at(self, edition: str = "en", event: str = "event1", point: str = "P01") -> dict[str, Any]:
        return self.points[event, point, edition]

    def both(self, event: str = "event1", point: str = "P01") -> list[dict[str, Any]]:
        return [self.at(edition, event, point) for edition in ("en", "zh")]

    def write(self, folder: Path) -> Path:
        """As project page."""
        for (event, point, edition), content in self.points.items():
            path = folder / edition / event / f"{point}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content), encoding="utf-8")
        for (event, point, edition), text in self.contexts.items():
            path = folder / edition / event / f"{point}_context.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    def write_dataset(self, folder: Path) -> Path:
        """In the dataset layout, with its names of fields."""
        for (event, point, edition), content in self.points.items():
            dated = [
                {"id": row["eid"], "event": row["desc"], "date": row["gt"], "days_from_cutoff": row["dfc"]}
                for row in content["time"]
            ]  # fmt: skip
            asked = [
                {
                    "event_desc": row["q"],
                    "answer": row["gt"],
                    "difficulty": row["diff"],
                    "dimension": row["dim"],
                    "window_days": row["wd"],
                    "days_from_cutoff": row["dfc"],
                    "question_type": row["qt"],
                    "qid": f"Q{number:02d}",
                }
                for number, row in enumerate(content["cal"], 1)
            ]
            bank = {
                "point_id": point,
                "cutoff_date": content["cutoff"],
                "events": {"base": dated, "all": dated, "major": dated[:1]},
                "brier_questions": asked,
            }
            root = folder / event / edition
            for part in ("questionbank", "contexts"):
                (root / part).mkdir(parents=True, exist_ok=True)
            (root / "questionbank" / f"{point}_questionbank.json").write_text(
                json.dumps(bank, ensure_ascii=False), encoding="utf-8"
            )
            (root / "contexts" / f"{point}_context.md").write_text(
                self.contexts[event, point, edition], encoding="utf-8"
            )
        return folder


def context(cutoff: date, edition: str) -> str:
    parts = ["# The harbour" if edition == "en" else "# 港口"]
    for offset, words in NODES:
        if START + timedelta(days=offset) < cutoff:
            parts.append(f"### {START + timedelta(days=offset)}\n\n{words[edition]}")
    return "\n\n".join(parts) + "\n"


def clean_pages() -> Pages:
    """Two events of three points: ladders of three windows, made-up questions, three dated events a point."""
    pages = Pages()
    for event in EVENTS:
        for point, offset in POINTS.items():
            cutoff = START + timedelta(days=offset)
            for edition in ("en", "zh"):
                asked = [
                    question(claim, window, distance, int(distance <= window), edition, "A")
                    for claim, distance in DISTANCE.items()
                    for window in WINDOWS
                ]
                asked += [question("fare", window, 60, 0, edition, "D") for window in WINDOWS]
                dated = [
                    {
                        "eid": eid,
                        "desc": TOLD[claim][edition],
                        "gt": (cutoff + timedelta(days=DISTANCE[claim])).isoformat(),
                        "dfc": DISTANCE[claim],
                        "r": [],
                    }
                    for eid, claim in (("E01", "pier"), ("E02", "bridge"), ("E03", "ferry"))
                ]
                place = (event, point, edition)
                pages.points[place] = {
                    "point_id": point,
                    "cutoff": cutoff.isoformat(),
                    "models": ["a"],
                    "cal": asked,
                    "time": dated,
                }
                pages.contexts[place] = context(cutoff, edition)
    return pages
