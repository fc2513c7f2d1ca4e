"""Phase C in the stage: what is asked, what a person's decision does, and what blocks."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from factory.anonymise import phase_c
from factory.anonymise.apply import build_timeline, parse_timeline
from factory.anonymise.asked import KEEP, REMOVE, REPLACE
from factory.anonymise.match import Matcher
from factory.anonymise.phase_c import NOT_COMPARED, compare
from factory.errors import AnswerFailed
from factory.segments import render
from factory.stage import StageContext
from schemas import Decision, DriftFlag, ReplacementTable, Timeline
from tests.anonymise import event
from tests.scripted import Call

NOBODY = Matcher(ReplacementTable(entities=()))
OFFSET = -63


def festive() -> Timeline:
    raw = event.timeline()
    nodes = list(raw.nodes)
    fact = nodes[1].fact
    assert fact is not None
    text = "The council met before Christmas, said @nobody."
    statement = fact.statements[0].model_copy(update={"text": text})
    nodes[1] = nodes[1].model_copy(
        update={"fact": fact.model_copy(update={"statements": (statement,)})}
    )
    return raw.model_copy(update={"nodes": tuple(nodes)})


def run(ctx: StageContext, raw: Timeline) -> tuple[dict[str, str], list[DriftFlag]]:
    parsed = parse_timeline(raw, NOBODY, OFFSET)
    statements, flags = asyncio.run(compare(ctx, raw, parsed, NOBODY, OFFSET))
    return {each.statement_id: render(each.text, raw.lang) for each in statements}, flags


def decided(ctx: StageContext, words: str, choice: str, note: str = "") -> Decision:
    asked = {review.question.split(":")[0]: review for review in ctx.reviews}
    request = asked[repr(words)]
    assert choice in request.options
    return Decision(
        stage="anonymise",
        review_id=request.review_id,
        choice=choice,
        note=note,
        decided_at=ctx.now,
    )


@pytest.mark.parametrize(
    ("choice", "note", "state", "shown"),
    [
        (KEEP, "", "waived", "before Christmas, said"),
        (REPLACE, "a holiday", "repaired", "before a holiday, said"),
        (REPLACE, " ", "open", "before Christmas, said"),
        (REPLACE, "Easter", "open", "before Christmas, said"),
        (REPLACE, "7 holidays", "open", "before Christmas, said"),
    ],
)
def test_a_decision_settles_its_place_unless_it_brings_a_clue(
    tmp_path: Path, choice: str, note: str, state: str, shown: str
) -> None:
    first = event.context(tmp_path / "a")
    run(first, festive())
    again = event.context(tmp_path / "b")
    again.decisions = (decided(first, "Christmas", choice, note),)
    texts, flags = run(again, festive())
    assert [flag.state for flag in flags] == [state, "open"]
    # Whatever was decided can be decided again.
    assert {row.review_id for row in again.reviews} == {row.review_id for row in first.reviews}
    assert shown in texts["n2s1"]


def test_a_person_may_remove_words(tmp_path: Path) -> None:
    first = event.context(tmp_path / "a")
    run(first, festive())
    again = event.context(tmp_path / "b")
    again.decisions = (decided(first, "@nobody", REMOVE),)
    texts, flags = run(again, festive())
    assert [flag.state for flag in flags] == ["open", "repaired"]
    assert texts["n2s1"] == "The council met before Christmas, said."


def test_a_part_that_could_not_be_compared_blocks_and_the_others_are_still_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phase_c, "STATEMENTS_A_CALL", 4)

    def handler(call: Call) -> Any:
        ids = [shown["id"] for shown in call.variables["statements"]]
        if "n2s1" not in ids:
            return AnswerFailed("no", reason="truncated")
        problem = {"statement_id": "n2s1", "problem": "a clue", "words": "Christmas",
                   "remedy": "replace", "replacement": "a holiday"}  # fmt: skip
        return {"problems": [problem]}

    texts, flags = run(event.context(tmp_path, handler), festive())
    assert {flag.statement_id for flag in flags if flag.problem == NOT_COMPARED} >= {"n1s1"}
    assert {flag.state for flag in flags if flag.problem == NOT_COMPARED} == {"open"}
    assert "before a holiday" in texts["n2s1"]


def test_answers_about_other_statements_or_words_are_rejected(tmp_path: Path) -> None:
    def handler(call: Call) -> Any:
        common = {"problem": "p", "remedy": "remove", "replacement": ""}
        return {
            "problems": [
                {"statement_id": "elsewhere", "words": "x", **common},
                {"statement_id": "n1s1", "words": "words that are not there", **common},
            ]
        }

    ctx = event.context(tmp_path, handler)
    run(ctx, event.timeline())
    assert [row.reason for row in ctx.rejections] == [
        "drift of a statement that was not shown",
        "drift at words that are not in the text",
    ]


def test_damage_of_the_whole_timeline_is_put_to_a_person_and_may_be_waived(tmp_path: Path) -> None:
    raw = event.timeline()
    texts = {k: v.segments for k, v in parse_timeline(raw, NOBODY, OFFSET).items()}
    public = build_timeline(raw, texts, "p", OFFSET)
    nodes = list(public.nodes)
    nodes[1] = nodes[1].model_copy(update={"date": nodes[1].date + timedelta(days=1)})
    broken = public.model_copy(update={"nodes": tuple(nodes)})
    ctx = event.context(tmp_path)
    assert phase_c.compare_timelines(ctx, raw, public, OFFSET) == []
    flags = phase_c.compare_timelines(ctx, raw, broken, OFFSET)
    assert [(flag.level, flag.state) for flag in flags] == [("narrative", "open")]
    ctx.decisions = (
        Decision(
            stage="anonymise",
            review_id=ctx.reviews[0].review_id,
            choice=KEEP,
            decided_at=ctx.now,
        ),
    )
    waived = phase_c.compare_timelines(ctx, raw, broken, OFFSET)
    assert [flag.state for flag in waived] == ["waived"]
