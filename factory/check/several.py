"""Several bundles together: each against its own promises, and all against models that learnt on the others.

A style that one bank cannot show, since its families are few, may show from event to event: attackers are fitted on
all bundles but one and tried on that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from factory.audit.rules import MAX_EXAMPLES, RULES
from factory.audit.shortcuts import EventAudit, audit_events
from factory.bundle import Bundle
from factory.check.bundles import check_bundle
from factory.errors import BadInput
from schemas import AnnouncedDays, CheckReport, Finding, Gate, GateState, ShortcutInterval

FORM = "bundles"
"""Name of this form of a bank in reports."""
ORDER: tuple[GateState, ...] = ("failed", "not evaluated", "waived", "passed")
"""States from the worst."""


def check_bundles(name: str, folders: Sequence[Path]) -> CheckReport:
    """One report on several bundle folders; places and gates name the event by its public id.

    `shortcuts` are the scores of attackers fitted on the other events, pooled. BadInput as for one bundle, and when
    two folders hold the same event.
    """
    reports: dict[str, CheckReport] = {}
    for folder in folders:
        report = check_bundle(folder)
        if report.target in reports:
            raise BadInput(
                f"{folder} holds event {report.target}, which another folder holds too; keep one of them"
            )
        reports[report.target] = report
    # A changed file makes a bundle's figures void, and a bundle that cannot be read has none.
    whole = {
        target: Bundle.read(folder)
        for folder, (target, report) in zip(folders, reports.items(), strict=True)
        if not any(finding.rule == "bundle-digest" for finding in report.findings)
    }
    audit = audit_events({target: (b.bank, b.timeline) for target, b in whole.items()})
    return CheckReport(
        target=name,
        findings=tuple(_findings(reports)),
        shortcuts=audit.scores,
        intervals={
            attacker: ShortcutInterval(
                low=round(found.low, 3), high=round(found.high, 3), floor=round(found.floor, 3)
            )
            for attacker, found in audit.intervals.items()
        },
        gates=tuple(_gates(reports, audit)),
        form=FORM,
        announced=_announced(reports),
    )


def _findings(reports: dict[str, CheckReport]) -> list[Finding]:
    """Findings of one rule over all events as one, in the registry's order; silenced ones stay apart by reason."""
    merged: dict[tuple[str, str], Finding] = {}
    for target, report in reports.items():
        for finding in report.findings:
            places = tuple(f"{target}: {place}" for place in finding.examples)
            key = (finding.rule, finding.silenced)
            old = merged.get(key)
            merged[key] = finding.model_copy(
                update={
                    "count": finding.count + (old.count if old else 0),
                    "examples": ((old.examples if old else ()) + places)[:MAX_EXAMPLES],
                }
            )
    order = list(RULES)
    return [merged[key] for key in sorted(merged, key=lambda k: (order.index(k[0]), k[1]))]


def _announced(reports: dict[str, CheckReport]) -> AnnouncedDays | None:
    """Dated events of all events whose day is announced; none where no bundle could be read for them."""
    known = {target: row.announced for target, row in reports.items() if row.announced}
    if not known:
        return None
    return AnnouncedDays(
        total=sum(row.total for row in known.values()),
        events=tuple(f"{target}: {name}" for target, row in known.items() for name in row.events),
    )


def _gates(reports: dict[str, CheckReport], audit: EventAudit) -> list[Gate]:
    """Each gate once, in its worst state, with the state in every event."""
    by_name: dict[str, dict[str, Gate]] = {}
    for target, report in reports.items():
        for gate in report.gates:
            by_name.setdefault(gate.name, {})[target] = gate
    found = []
    for name, gates in by_name.items():
        worst = min(gates.values(), key=lambda gate: ORDER.index(gate.state))
        measure = ", ".join(f"{target} {gate.state}" for target, gate in gates.items())
        state, reason = worst.state, worst.reason
        if name == "shortcuts":
            measure += f"; by models of the other events {audit.state}"
            if audit.state == "failed":
                state, reason = "failed", audit.reason
        found.append(
            worst.model_copy(update={"state": state, "measure": measure, "reason": reason})
        )
    return found
