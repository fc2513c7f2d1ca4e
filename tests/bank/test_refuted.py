"""Promises of refutation: what the timeline contradicts is known by day and quote, and is not asked after it."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from factory import resolve
from factory.audit.case import Case
from factory.audit.refuted import refutations
from factory.bank.drafts import Draft, drop_answered, refuted_days
from factory.bank.material import cell, material
from factory.bank.quotas import Tally
from factory.sections import ComposeSettings, ResolveSettings
from factory.settings import Settings
from schemas import WINDOWS, Bank, Question, Resolution
from tests.bank.story import START, make_claim, point, story, timeline
from tests.scripted import Call

SALE = "⟦COM:A⟧ sells the line"
DAY4, DAY5 = START + timedelta(days=80), START + timedelta(days=100)


def reading(claim_id: str, *sentences: tuple[str, str, date]) -> dict[str, Any]:
    evidence = [
        {"statement_id": sentence, "happened_on": day.isoformat(), "quote": quote}
        for sentence, quote, day in sentences
    ]
    basis = "contradicted" if sentences else "absent"
    return {
        "claim_id": claim_id, "state": "never", "basis": basis, "evidence": evidence, "note": "so",
    }  # fmt: skip


def resolved(root: Path, handler: Any, **setting: Any) -> Resolution:
    ctx = story(
        root, "resolve", handler, settings=Settings(resolve=ResolveSettings(**setting))
    )  # fmt: skip
    ctx.workspace.write_lines(resolve.CLAIMS, [make_claim("c1", SALE)])
    asyncio.run(resolve.run(ctx))
    (row,) = ctx.workspace.read_lines(Resolution, resolve.RESOLUTIONS)
    return row


STOPS = ("s5", "stops the line", DAY5)
RULES = ("s4", "the order against", DAY4)


def test_the_first_contradiction_of_either_pass_is_kept_with_its_quote(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        return {"readings": [reading("c1", STOPS, RULES) if call.sample else reading("c1", STOPS)]}

    row = resolved(tmp_path, handler)
    assert (row.state, row.basis, row.refuted_on) == ("never", "contradicted", DAY4)
    first, second = row.passes
    assert first.against is not None
    assert second.against is not None
    assert (first.against.statement_id, second.against.statement_id) == ("s5", "s4")
    assert second.against.quote == "the order against"


def test_one_pass_that_sees_a_contradiction_is_enough(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        return {"readings": [reading("c1", STOPS) if call.sample else reading("c1")]}

    row = resolved(tmp_path, handler)
    assert (row.state, row.basis, row.refuted_on) == ("never", "absent", DAY5)


def test_over_chunks_the_earliest_contradiction_counts(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        part = call.variables["timeline"]
        found = [row for row in (RULES, STOPS) if f"[{row[0]} " in part]
        return {"readings": [reading("c1", *found)]}

    row = resolved(tmp_path, handler, chunk_tokens=75, overlap_nodes=1)
    assert row.refuted_on == DAY4
    assert all(p.against is not None and p.against.statement_id == "s4" for p in row.passes)


def test_what_nothing_contradicts_has_no_such_day(tmp_path: Path) -> None:
    row = resolved(tmp_path, lambda call: {"readings": [reading("c1")]})
    assert (row.state, row.refuted_on) == ("never", None)


def never(day: date | None) -> Resolution:
    return Resolution(claim_id="c1", state="never", basis="contradicted", refuted_on=day)


@pytest.mark.parametrize(("cadence", "asked"), [("once", [0, 1]), ("recurring", [0, 1, 2])])
def test_a_claim_is_false_material_up_to_the_day_that_contradicts_it(
    cadence: str, asked: list[int]
) -> None:
    arc = timeline(after=200)
    points = [point(arc, arc.nodes[n].date, f"p{n}") for n in (3, 5, 6)]
    claim = make_claim("c1", SALE, cadence=cadence)
    # Day 0 is hidden: at the cutoff of the very day the claim is still open.
    made = material(claim, never(DAY5), points, arc.span.observed_until)
    assert made.true == 0
    assert [p for p in range(3) if made.false & cell(p, 0)] == asked
    assert material(claim, never(None), points, arc.span.observed_until).false & cell(2, 0)


def test_cells_answered_by_their_context_leave_with_both_sides() -> None:
    arc = timeline(after=200)
    points = [point(arc, arc.nodes[n].date, f"p{n}") for n in (3, 5, 6)]
    draft = Draft("fabrication", make_claim("c0", "⟦COM:A⟧ stops the line"), "A", "D")
    draft.cells |= {(p, 0, 2) for p in range(3)}
    tally = Tally(ComposeSettings())
    draft.count(tally, draft.cells)
    assert refuted_days([never(DAY5), never(None)]) == {"c1": DAY5}
    assert drop_answered(draft, points, None, tally) == 0
    assert drop_answered(draft, points, DAY5, tally) == 1
    assert draft.cells == {(0, 0, 2), (1, 0, 2)}
    fewer = Tally(ComposeSettings())
    draft.count(fewer, draft.cells)
    assert tally.lines() == fewer.lines()


def test_check_sees_a_wrong_day_a_wrong_quote_and_a_question_asked_too_late(
    tmp_path: Path,
) -> None:
    row = resolved(tmp_path, lambda call: {"readings": [reading("c1", STOPS)]})
    arc = timeline(after=200)
    claim = make_claim("c1", SALE)

    def found(row: Resolution, cutoff: date) -> set[str]:
        question = Question(
            question_id="q1", point_id="p", prompt=0, pair_id="x", claim_id="c1", family_id="f",
            type="D", level=1, dimension="event", difficulty="medium", window_start=cutoff,
            window_end=cutoff + timedelta(days=WINDOWS[0]), window_days=WINDOWS[0],
            text={"en": "t"}, answer=0,
        )  # fmt: skip
        bank = Bank(points=(), questions=(question,), events=())
        return {rule for rule, _ in refutations(Case(bank, [claim], [row], [], arc))}

    assert found(row, DAY5) == set()
    assert found(row, DAY5 + timedelta(days=1)) == {"after-refutation"}
    assert found(row.model_copy(update={"refuted_on": None}), DAY4) == {"refutation"}
    shown = row.passes[0].against
    assert shown is not None
    invented = row.passes[0].model_copy(
        update={"against": shown.model_copy(update={"quote": "sells the line"})}
    )
    assert found(row.model_copy(update={"passes": (invented, row.passes[1])}), DAY4) == {
        "refutation"
    }
