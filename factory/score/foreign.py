"""Reader of the published SocietyBench demo files: one JSON a point with questions, truth and answers.

The stored weight distance (`dfc`) is taken as it is, never recomputed: in the published bank it disagrees
with the text of many questions, and the published scores were made with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from factory.errors import BadInput
from factory.score.card import DateAnswer, Probability
from factory.score.rules import HORIZON
from schemas import Lang


def read_published(
    folder: Path, *, systems: frozenset[str] | None = None
) -> Iterator[Probability | DateAnswer]:
    """Answers under `folder`, which holds <zh|en>/<event>/P<NN>.json.

    `systems` limits which are read. A system's answer list holds only what it answered; questions of a
    point that it answered in part count as unanswered, points that it never sat are not counted. Events
    outside 0..90 days are left out, as published. BadInput names the file that cannot be read.
    """
    editions: tuple[Lang, ...] = ("en", "zh")
    found = False
    for edition in editions:
        for path in sorted((folder / edition).glob("*/P*.json")):
            found = True
            yield from _point(path, edition, systems)
    if not found:
        raise BadInput(
            f"{folder} holds no published points; give the folder with zh/ and en/ that hold <event>/P01.json"
        )


def _point(
    path: Path, edition: Lang, systems: frozenset[str] | None
) -> Iterator[Probability | DateAnswer]:
    event = path.parent.name
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        names: list[str] = data["models"]
        wanted = {
            index: name for index, name in enumerate(names) if systems is None or name in systems
        }
        sat = {row[0] for question in data["cal"] for row in question["r"]}
        for question in data["cal"]:
            answers = {row[0]: row[1] for row in question["r"]}
            for index in sorted(sat & wanted.keys()):
                p = answers.get(index)
                yield Probability(
                    wanted[index],
                    event,
                    edition,
                    None if p is None else float(p),
                    int(question["gt"]),
                    int(question["dfc"]),
                    int(question["wd"]),
                )
        dated = [item for item in data["time"] if 0 <= int(item["dfc"]) <= HORIZON]
        sat = {row[0] for item in dated for row in item["r"]}
        for item in dated:
            days = {row[0]: row[1] for row in item["r"]}
            truth = date.fromisoformat(item["gt"])
            for index in sorted(sat & wanted.keys()):
                day = days.get(index)
                error = None if not day else float((date.fromisoformat(day) - truth).days)
                yield DateAnswer(wanted[index], event, edition, int(item["dfc"]), error)
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise BadInput(
            f"{path} is not a published point ({type(error).__name__}: {error}); fetch it again"
        ) from error
