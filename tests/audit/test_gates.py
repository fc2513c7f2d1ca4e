"""The table of gates: what passes, fails, is not evaluated, waived or forced."""

from __future__ import annotations

import re
from typing import Any

import pytest

from factory.audit import gates
from factory.audit.gates import FORCEABLE, GateResult, evaluate
from factory.audit.shortcuts import ShortcutAudit, audit_shortcuts
from factory.sections import ComposeSettings
from schemas import AnonTimeline, AnonymisationCard, Bank, Finding, Gate, GateName
from tests.bank.arcs import Built, arc16, build

ORDER: tuple[GateName, ...] = (
    "leak", "secret", "identity", "labels", "structure",
    "parity", "mirror", "shortcuts", "quotas", "review",
)  # fmt: skip


def card(**changes: Any) -> AnonymisationCard:
    fields: dict[str, Any] = {
        "entities": 12, "aliases": 40, "aliases_hit": 30, "mentions": 90, "dates_shifted": 20,
        "dates_flagged": 0, "calendar_residue": 0, "offset_candidates": 30, "panel_grade": "LOW",
        "panel_rounds": 1, "panel_state": "evaluated", "drift_open": 0,
    }  # fmt: skip
    return AnonymisationCard(**(fields | changes))


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


@pytest.fixture(autouse=True)
def measured_once(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real shortcut audit, run once for the unchanged bank: fitting takes a second."""

    def cached(bank: Bank, timeline: AnonTimeline) -> ShortcutAudit:
        if bank is not built.bank:
            return audit_shortcuts(bank, timeline)
        if "audit" not in CACHE:
            CACHE["audit"] = audit_shortcuts(bank, timeline)
        return CACHE["audit"]

    monkeypatch.setattr(gates, "audit_shortcuts", cached)


CACHE: dict[str, ShortcutAudit] = {}


def run(built: Built, **changes: Any) -> GateResult:
    arguments: dict[str, Any] = {
        "bank": built.bank,
        "claims": built.claims,
        "resolutions": built.resolutions,
        "pairs": built.pairs,
        "timeline": built.arc.timeline,
        "card": card(),
        "drift_open": 0,
        "leak": [],
        "secret": [],
        "report": built.report,
        "fictional": False,
        "scripted": False,
        "reviewed": 20,
        "settings": ComposeSettings(),
    }
    return evaluate(**(arguments | changes))


def gate(result: GateResult, name: str) -> Gate:
    return next(g for g in result.gates if g.name == name)


def test_gates_stand_in_the_order_of_the_design_and_only_three_can_be_forced(built: Built) -> None:
    result = run(built)
    assert tuple(g.name for g in result.gates) == ORDER
    assert {g.name for g in result.gates if g.forceable} == set(FORCEABLE)
    assert all(g.measure for g in result.gates)


def test_a_clean_bank_passes_all_that_can_be_measured(built: Built) -> None:
    result = run(built)
    states = {g.name: g.state for g in result.gates}
    # Invented texts say nothing about style, so only its basis is tested here.
    measure = gate(result, "shortcuts").measure
    best = max(CACHE["audit"].intervals.items(), key=lambda row: row[1].score)
    worst = max(CACHE["audit"].intervals.items(), key=lambda row: row[1].floor)
    assert measure.startswith(f"highest score: {best[0]} {best[1].score:.1f}, interval ")
    assert f"; largest lower end: {worst[0]} {worst[1].floor:.1f}, score " in measure
    assert measure.endswith(f"; corrected for {len(CACHE['audit'].intervals)} attackers")
    states.pop("shortcuts")
    assert set(states.values()) == {"passed"}
    assert result.shortcuts["fitted boosting: whole bank"] == pytest.approx(50)
    assert result.findings == ()


@pytest.mark.parametrize("name", ["leak", "secret"])
def test_one_scanner_finding_fails_its_gate_for_good(built: Built, name: str) -> None:
    finding = Finding(rule=f"{name}-residual", count=1)
    result = run(built, **{name: [finding]}, fictional=True, force=True)
    assert gate(result, name).state == "failed"
    assert name in result.blocking
    assert finding in result.findings


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"card": card(panel_grade="HIGH")}, "failed"),
        ({"card": card(panel_grade="MID")}, "failed"),
        ({"card": card(panel_grade="UNKNOWN")}, "failed"),
        ({"card": card(offset_candidates=9)}, "failed"),
        ({"card": card(panel_state="not evaluated")}, "not evaluated"),
        ({"scripted": True}, "not evaluated"),
        ({"scripted": True, "fictional": True}, "waived"),
        ({"card": card(panel_grade="HIGH"), "fictional": True}, "waived"),
    ],
)
def test_identity(built: Built, changes: dict[str, Any], state: str) -> None:
    result = run(built, **changes)
    assert gate(result, "identity").state == state
    assert ("identity" in result.blocking) == (state in ("failed", "not evaluated"))
    assert ("identity" in result.waived) == (state == "waived")
    assert result.ungated == ()
    assert "possible offsets" in gate(result, "identity").measure


def test_open_drift_fails_the_structure_even_of_a_fictional_event(built: Built) -> None:
    result = run(built, drift_open=2, fictional=True)
    assert gate(result, "structure").state == "failed"
    assert "drift (2)" in gate(result, "structure").reason


def test_a_wrong_label_fails_labels_and_mirror(built: Built) -> None:
    first = built.bank.questions[0]
    rows = (first.model_copy(update={"answer": 1 - first.answer}), *built.bank.questions[1:])
    result = run(built, bank=built.bank.model_copy(update={"questions": rows}), force=True)
    assert {"labels", "mirror"} <= set(result.blocking)


def test_review_needs_a_recorded_sample(built: Built) -> None:
    assert gate(run(built, reviewed=0), "review").state == "not evaluated"
    assert gate(run(built, reviewed=3), "review").state == "failed"
    assert gate(run(built, reviewed=20), "review").state == "passed"
    assert gate(run(built, reviewed=0, fictional=True), "review").state == "waived"


def test_force_makes_ungated_and_fiction_waives(built: Built) -> None:
    forced = run(built, reviewed=0, force=True)
    assert "review" in forced.ungated
    assert "review" not in forced.blocking
    assert forced.waived == ()
    refused = run(built, reviewed=0)
    assert "review" in refused.blocking
    assert refused.ungated == ()
    fictional = run(built, reviewed=0, scripted=True, fictional=True, force=True)
    assert {"identity", "review"} <= set(fictional.waived)
    assert not {"identity", "review"} & {*fictional.ungated, *fictional.blocking}


def test_quotas_are_counted_from_the_questions(built: Built) -> None:
    only = tuple(q for q in built.bank.questions if q.type == "A")
    result = run(built, bank=built.bank.model_copy(update={"questions": only}))
    assert gate(result, "quotas").state == "failed"
    assert "type D" in gate(result, "quotas").reason
    assert "report-counts" in {f.rule for f in result.findings}


def test_windows_off_their_plan_are_listed_in_both_directions_and_fail_nothing(
    built: Built,
) -> None:
    windows = [line.name for line in built.report.quotas if line.name.startswith("window")][:2]
    more, fewer = windows
    moved = {more: 0.06, fewer: -0.06}
    report = built.report.model_copy(
        update={
            "quotas": tuple(
                line.model_copy(update={"wanted": line.got + moved[line.name]})
                if line.name in moved
                else line
                for line in built.report.quotas
            )
        }
    )
    told = gate(run(built, report=report), "quotas")
    assert told.state == "passed"
    assert told.reason.startswith("off plan: ")
    assert {more, fewer} <= set(re.findall(r"window \d+", told.reason))


def test_a_report_that_says_something_else_is_a_finding(built: Built) -> None:
    report = built.report.model_copy(update={"events": built.report.events + 1})
    result = run(built, report=report)
    assert gate(result, "structure").state == "failed"


def test_an_empty_bank_is_never_green(built: Built) -> None:
    empty = Bank(points=built.bank.points, questions=(), events=())
    result = run(built, bank=empty, pairs=(), fictional=True, force=True)
    states = {g.name: g.state for g in result.gates}
    for name in ("labels", "structure", "parity", "mirror", "quotas"):
        assert states[name] == "not evaluated"
    assert {"labels", "structure", "parity", "mirror"} <= set(result.blocking)


def test_a_waived_gate_keeps_its_figures_and_its_reason(built: Built) -> None:
    waived = gate(run(built, scripted=True, fictional=True), "identity")
    assert "fictional" in waived.reason
    assert "scripted" in waived.reason
    assert waived.measure == gate(run(built), "identity").measure
