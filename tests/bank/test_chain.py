"""From cutoffs to composed questions in one go: the stages' artefacts fit each other and keep their promises."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from factory import compose, pair, points, resolve, translate, vet
from factory.bank.material import occurs_in
from factory.claims import stage as claims
from factory.sections import PointsSettings
from factory.segments import TOKEN, from_tokens
from factory.settings import Settings
from factory.stage import StageContext
from schemas import (
    AnonNode,
    AnonStatement,
    AnonTimeline,
    Claim,
    Counts,
    Pair,
    PointSet,
    Question,
    Resolution,
    Span,
    TemporalEvent,
)
from tests.bank.story import START
from tests.scripted import Call, make_context

DEEDS = [
    "publishes the load figures of the pier", "hires an outside engineer", "fences off the car deck",
    "raises the fare of the night boat", "meets the traders of the quay", "asks the court for a stay",
    "opens a hotline for commuters", "withdraws a captain from duty", "orders new mooring ropes",
    "sells the oldest vessel", "grants rent relief to kiosks", "files a claim with its insurer",
    "starts divers on the piles", "cancels the harbour festival", "lends two buses to schools",
    "tests a battery barge", "names a mediator", "prints bilingual notices", "cuts the evening timetable",
    "pays back season tickets", "moves the ticket hall", "drafts a rescue budget", "polls the islanders",
    "paints the signal mast", "rents a pontoon abroad", "audits the cash desks", "trains reserve crews",
    "reopens the east gangway", "blocks the parking lot", "archives the inspection files",
    "honours a retired pilot", "replaces the lifeboat",
]  # fmt: skip
FAKES = [
    "buys a floating crane", "closes the museum ship", "tows the barge to the yard",
    "settles with the widow of a diver", "bans dogs on deck", "plants trees along the promenade",
    "leases the quay to fishermen", "loses its safety certificate", "merges two dockside offices",
    "adopts a flag for the harbour", "digs a second channel", "doubles the pilots' allowance",
]  # fmt: skip
NODES = 8


def arc() -> AnonTimeline:
    nodes = []
    for number in range(NODES):
        deeds = DEEDS[number * 4 : number * 4 + 4]
        rows = tuple(
            AnonStatement(
                statement_id=f"s{number}-{k}", text={"en": from_tokens(f"⟦COM:A⟧ {deed}.")}
            )
            for k, deed in enumerate(deeds)
        )
        day = START + timedelta(days=20 * number)
        nodes.append(AnonNode(node_id=f"n{number}", date=day, fact=rows))
    span = Span(observed_from=START, observed_until=nodes[-1].date + timedelta(days=30))
    return AnonTimeline(public_id="e-test", lang="en", span=span, nodes=tuple(nodes))


def answer(call: Call) -> dict[str, Any]:
    """A careful scripted expert: reads only what the call shows."""
    return {
        "claims/outcomes": _outcomes,
        "claims/fabrications": _fabrications,
        "resolve/resolve": _readings,
        "vet/audit": _verdicts,
        "translate/translate": _translations,
    }[call.prompt](call)


def _outcomes(call: Call) -> dict[str, Any]:
    found = re.findall(r"\[(s\S+)\] (.*)\.", call.variables["news"])
    return {
        "outcomes": [
            {
                "statement_id": sentence,
                "text": text,
                "occasion": "the next step of the operator",
                "cadence": "once",
                "dimension": "event",
                "difficulty": "medium",
                "relies_on": "",
                "details": [f"{text} under supervision"],
                "variants": [f"{text} too late for the season", f"{text} against advice"],
            }
            for sentence, text in found
        ]
    }


def _fabrications(call: Call) -> dict[str, Any]:
    start = int(call.variables["cutoff"][-2:])
    rows = []
    for number, order in enumerate(call.variables["orders"]):
        text = f"⟦COM:A⟧ {FAKES[(start + number) % len(FAKES)]}"
        missing = order["length"] - len(text) - 4
        if missing > 8:
            text += " in the old harbour basin"[: max(0, missing)].rstrip()
        rows.append({"order_id": order["order_id"], "text": text, "occasion": "the harbour works"})
    return {"claims": rows}


def _readings(call: Call) -> dict[str, Any]:
    lines = re.findall(r"\[(\S+) (\S+)\] (.*)\.", call.variables["timeline"])
    rows = []
    for claim in call.variables["claims"]:
        evidence = [
            {"statement_id": sentence, "happened_on": day, "quote": text}
            for sentence, day, text in lines
            if claim["text"] == text
        ]
        rows.append(
            {
                "claim_id": claim["claim_id"],
                "state": "occurs" if evidence else "never",
                "basis": "stated" if evidence else "absent",
                "evidence": evidence,
                "note": "as read",
            }
        )
    return {"readings": rows}


def _verdicts(call: Call) -> dict[str, Any]:
    return {
        "verdicts": [
            {"claim_id": claim["claim_id"], "state": "pass", "fault": "none", "quote": ""}
            for family in call.variables["families"]
            for claim in family["claims"]
        ]
    }


def _translations(call: Call) -> dict[str, Any]:
    rows = []
    for text in call.variables["texts"]:
        kept = "".join(f"⟦{token}⟧" for token in TOKEN.findall(text["text"]))
        words = "办理码头某项事务" * max(1, len(text["text"]) // 40)
        rows.append({"number": text["number"], "text": kept + words})
    return {"translations": rows}


STAGES: list[tuple[str, Callable[[StageContext], Coroutine[Any, Any, Counts]]]] = [
    ("points", points.run),
    ("claims", claims.run),
    ("resolve", resolve.run),
    ("vet", vet.run),
    ("order", pair.order),
    ("fabricate", claims.fabricate),
    ("resolve_fabrications", resolve.run_fabrications),
    ("vet_fabrications", vet.run_fabrications),
    ("pair", pair.run),
    ("translate", translate.run),
    ("compose", compose.run),
]


@pytest.fixture(scope="module")
def ctx(tmp_path_factory: pytest.TempPathFactory) -> StageContext:
    root: Path = tmp_path_factory.mktemp("chain")
    base = make_context(
        root, "points", answer, points=3, settings=Settings(points=PointsSettings(min_future=2))
    )
    base.workspace.write(points.ANON, arc())
    base.workspace.write_lines(resolve.PASSAGES, [])
    for name, run in STAGES:
        counts = asyncio.run(run(replace(base, stage=name, rejections=[], reviews=[])))
        assert counts.received >= 0
    return base


def _days(ctx: StageContext) -> dict[str, list[date]]:
    rows = ctx.workspace.read_lines(Resolution, resolve.RESOLUTIONS)
    rows += ctx.workspace.read_lines(Resolution, resolve.FABRICATION_RESOLUTIONS)
    return {row.claim_id: [o.happened_on for o in row.occurrences] for row in rows}


def test_questions_and_dated_events_come_out(ctx: StageContext) -> None:
    questions = ctx.workspace.read_lines(Question, compose.QUESTIONS)
    events = ctx.workspace.read_lines(TemporalEvent, compose.EVENTS)
    assert len(questions) >= 40
    assert len(events) >= 8


def test_every_label_is_date_arithmetic_on_resolved_days(ctx: StageContext) -> None:
    days = _days(ctx)
    for question in ctx.workspace.read_lines(Question, compose.QUESTIONS):
        truth = occurs_in(days[question.claim_id], question.window_start, question.window_end)
        assert question.answer == int(truth)


def test_true_and_false_are_even_in_every_point_and_window(ctx: StageContext) -> None:
    sides: Counter[tuple[str, int, int]] = Counter()
    for question in ctx.workspace.read_lines(Question, compose.QUESTIONS):
        sides[question.point_id, question.prompt, question.window_days] += 2 * question.answer - 1
    assert set(sides.values()) == {0}


def test_no_claim_that_is_asked_was_rejected_on_the_way(ctx: StageContext) -> None:
    known = {c.claim_id for c in ctx.workspace.read_lines(Claim, translate.EDITION_CLAIMS)}
    for row in ctx.workspace.read_lines(Pair, pair.PAIRS):
        assert {row.true_claim, row.false_claim} <= known


def test_fabrications_are_asked_and_bound_to_real_claims(ctx: StageContext) -> None:
    written = ctx.workspace.read_lines(Claim, claims.FABRICATIONS)
    real = {c.claim_id for c in ctx.workspace.read_lines(Claim, claims.CLAIMS)}
    assert written
    assert {c.mirrors for c in written} <= real


def test_questions_begin_on_the_hidden_day_of_their_point(ctx: StageContext) -> None:
    cutoffs = {p.point_id: p.cutoff for p in ctx.workspace.read(PointSet, points.POINTS).points}
    until = arc().span.observed_until
    for question in ctx.workspace.read_lines(Question, compose.QUESTIONS):
        assert question.window_start == cutoffs[question.point_id]
        assert question.window_end <= until
