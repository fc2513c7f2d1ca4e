"""Preset `paper`: full ladders in the same stages, the same labels, and an open word about what structure gives."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factory import compose as composing
from factory import pair as pairing
from factory.audit.gates import evaluate
from factory.audit.leakgraph import leak_graph
from factory.bank.paper import paper
from factory.compose import bank_report, compose
from factory.sections import ComposeSettings
from factory.settings import Settings
from schemas import AnonymisationCard, BankReport, Claim, Order, Pair, Question, Resolution, Span
from tests.bank.arcs import Arc, Built, arc16, build, demo_arc, fabricate, make_arc, new_id
from tests.bank.disturbed import arcs
from tests.scripted import make_context

PAPER = ComposeSettings(preset="paper")
MIRROR_ONLY = {"twin-missing", "balance", "one-bundle"}


def ladders(arc: Arc, *, seed: int = 7, **lost: Any) -> Built:
    """Order, fabricate, compose an arc in the preset."""
    common: dict[str, Any] = {
        "dropped": set(), "settings": PAPER, "span": arc.timeline.span, "seed": seed, "new_id": new_id,
    }  # fmt: skip
    made, found = fabricate(paper(arc.points, arc.claims, arc.resolutions, **common).orders)
    made = made[lost.get("fabrications", 0) :]
    plan = paper(
        arc.points, arc.claims, arc.resolutions, fabrications=made, fabrication_resolutions=found,
        **common,
    )  # fmt: skip
    claims, resolutions = arc.claims + made, arc.resolutions + found
    composed = compose(arc.points, claims, resolutions, plan.pairs, **common)
    report = bank_report(composed.bank, PAPER, plan.report, composed.dropped, plan.pairs)
    return Built(arc, composed.bank, claims, resolutions, plan.pairs, report)


@pytest.fixture(scope="module")
def built() -> Built:
    return ladders(arc16(outcomes=3, tail_days=90))


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(arcs(), st.integers(0, 1000))
def test_any_arc_breaks_no_promise_but_those_of_the_mirror(arc: Arc, seed: int) -> None:
    built = ladders(arc, seed=seed)
    assert {finding.rule for finding in built.check()} <= MIRROR_ONLY
    until = arc.timeline.span.observed_until
    assert all(q.window_end <= until for q in built.bank.questions)


def test_every_outcome_is_asked_over_every_window_within_ninety_days_before_it() -> None:
    arc = arc16(outcomes=2, variants=0, tail_days=90)
    asked: dict[tuple[str, str], set[int]] = defaultdict(set)
    for q in ladders(arc).bank.questions:
        asked[q.claim_id, q.point_id].add(q.window_days)
    happens = {r.claim_id: r.occurrences[0].happened_on for r in arc.resolutions if r.occurrences}
    for claim in arc.claims:
        if claim.kind != "outcome":
            continue
        for point in arc.points:
            near = 0 <= (happens[claim.claim_id] - point.cutoff).days <= 90
            assert (asked[claim.claim_id, point.point_id] == {7, 14, 30, 60, 90}) == near


def test_shares_are_the_published_ones(built: Built) -> None:
    for line in built.report.quotas:
        if line.name.startswith("type"):
            assert abs(line.got - line.wanted) <= 0.02, line


def test_variants_stand_beside_their_outcome_in_the_same_window(built: Built) -> None:
    kinds = {claim.claim_id: claim.kind for claim in built.claims}
    beside: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for q in built.bank.questions:
        if q.type == "C":
            beside[q.family_id, q.point_id, q.window_days].append(kinds[q.claim_id])
    assert beside
    assert all(sorted(group) == ["outcome", "variant", "variant"] for group in beside.values())


def test_made_up_claims_stand_at_the_cells_of_the_outcome_that_they_mirror(built: Built) -> None:
    cells = {pair.true_claim: set(pair.cells) for pair in built.pairs}
    made = [claim for claim in built.claims if claim.kind == "fabrication"]
    assert made
    for claim in made:
        assert claim.mirrors is not None
        assert cells[claim.claim_id] <= cells[claim.mirrors]
    assert not any(q.answer for q in built.bank.questions if q.type == "D")


def test_a_missing_fabrication_is_stated_and_nothing_is_put_in_its_place() -> None:
    arc = arc16(outcomes=3)
    whole, less = ladders(arc), ladders(arc, fabrications=2)
    assert less.report.dropped["fabrication missing, refuted or dropped"] == 2
    kept = {q.question_id for q in less.bank.questions}
    assert kept < {q.question_id for q in whole.bank.questions}
    assert Counter(q.type for q in whole.bank.questions) - Counter(
        q.type for q in less.bank.questions
    ) == {"D": len(whole.bank.questions) - len(kept)}


def test_input_order_changes_nothing() -> None:
    arc = arc16(outcomes=2)
    turned = Arc(arc.timeline, arc.points[::-1], arc.claims[::-1], arc.resolutions[::-1])
    assert ladders(turned).pairs == ladders(arc).pairs


def test_the_report_says_what_structure_gives_away(built: Built) -> None:
    assert built.report.preset == "paper"
    assert max(built.report.structure.values()) > 65
    (note,) = built.report.notes
    assert f"{max(built.report.structure.values()):.1f}" in note
    mirrored = build(arc16(outcomes=3, tail_days=90)).report
    assert (mirrored.structure, mirrored.notes) == ({}, ())


def test_both_axes_ask_about_a_family_as_published(built: Built) -> None:
    asked = {(q.point_id, q.family_id) for q in built.bank.questions}
    shared = [e for e in built.bank.events if (e.point_id, e.family_id) in asked]
    assert (
        len(shared)
        == built.report.dropped[
            "dated events kept although the calibration exam of their point asks them"
        ]
    )
    assert shared


def gates_of(built: Built, report: BankReport | None = None) -> Any:
    card = AnonymisationCard(
        entities=3, aliases=5, aliases_hit=5, mentions=9, dates_shifted=2, dates_flagged=0,
        calendar_residue=0, offset_candidates=30, panel_grade="LOW", panel_rounds=1,
        panel_state="not evaluated", drift_open=0,
    )  # fmt: skip
    # As a reader of the bundle sees it: the settings of the run are not there.
    return evaluate(
        bank=built.bank, claims=built.claims, resolutions=built.resolutions, pairs=built.pairs,
        timeline=built.arc.timeline, card=card, drift_open=0, leak=[], secret=[],
        report=report or built.report, fictional=True, scripted=True, reviewed=0,
        settings=ComposeSettings(),
    )  # fmt: skip


def test_the_gates_waive_the_mirror_and_nothing_else() -> None:
    built = ladders(demo_arc())
    result = gates_of(built)
    states = {gate.name: gate.state for gate in result.gates}
    assert states["mirror"] == "waived"
    assert {states[name] for name in ("labels", "structure", "parity", "quotas")} == {"passed"}
    assert result.findings == ()
    reason = next(gate.reason for gate in result.gates if gate.name == "mirror")
    assert f"twin-missing ({len(built.bank.questions)})" in reason
    assert leak_graph(built.bank, built.claims, built.pairs) == []


def test_a_mirrored_bank_cannot_call_itself_paper() -> None:
    built = build(demo_arc())
    result = gates_of(built, built.report.model_copy(update={"preset": "paper"}))
    assert {finding.rule for finding in result.findings} == {"report-counts"}


def test_the_stages_compose_it_over_a_workspace(tmp_path: Path) -> None:
    arc = demo_arc()
    settings = Settings(compose=PAPER)
    workspace = make_context(tmp_path, "order", settings=settings).workspace
    workspace.write(pairing.ANON, arc.timeline)
    workspace.write(pairing.POINTS, arc.point_set)
    workspace.write_lines(pairing.CLAIMS, arc.claims)
    workspace.write_lines(pairing.RESOLUTIONS, arc.resolutions)
    workspace.write_lines(pairing.VERDICTS, [])
    workspace.write_lines(pairing.FABRICATION_VERDICTS, [])
    asyncio.run(pairing.order(make_context(tmp_path, "order", settings=settings)))
    made, found = fabricate(tuple(workspace.read_lines(Order, pairing.ORDERS)))
    workspace.write_lines(pairing.FABRICATIONS, made)
    workspace.write_lines(pairing.FABRICATION_RESOLUTIONS, found)
    asyncio.run(pairing.run(make_context(tmp_path, "pair", settings=settings)))
    workspace.write_lines(composing.EDITION_CLAIMS, [*arc.claims, *made])
    ctx = make_context(tmp_path, "compose", settings=settings)
    asyncio.run(composing.run(ctx))
    report = workspace.read(BankReport, composing.BANK_REPORT)
    questions = workspace.read_lines(Question, composing.QUESTIONS)
    assert report.preset == "paper"
    assert report.questions == len(questions) > 100
    assert {pair.relation for pair in workspace.read_lines(Pair, composing.PAIRS)} == {"single"}


def test_nothing_is_asked_beyond_the_observed_span() -> None:
    arc = make_arc([i * 14 for i in range(12)], [45, 70], outcomes=2)
    span = Span(observed_from=arc.timeline.span.observed_from, observed_until=arc.points[0].cutoff + timedelta(days=30))  # fmt: skip
    plan = paper(
        arc.points, arc.claims, arc.resolutions, dropped=set(), settings=PAPER, span=span, seed=7,
        new_id=new_id,
    )  # fmt: skip
    assert plan.pairs
    assert {int(cell.window) for pair in plan.pairs for cell in pair.cells if cell.point_id == arc.points[0].point_id} <= {7, 14, 30}  # fmt: skip


def test_dropped_and_annulled_claims_are_not_asked() -> None:
    arc = arc16(outcomes=2)
    gone: Claim = arc.claims[0]
    found: list[Resolution] = list(arc.resolutions)
    found[5] = found[5].model_copy(update={"state": "annulled", "occurrences": ()})
    plan = paper(
        arc.points, arc.claims, found, dropped={gone.claim_id}, settings=PAPER,
        span=arc.timeline.span, seed=7, new_id=new_id,
    )  # fmt: skip
    assert not {gone.claim_id, found[5].claim_id} & {pair.true_claim for pair in plan.pairs}
    assert plan.report.dropped["annulled"] == 1
    assert plan.report.dropped["dropped by auditors"] == 1
