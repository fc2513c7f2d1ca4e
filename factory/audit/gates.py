"""The gates of a release: every promise measured, in one table, with its figure and its state.

A gate that could not be evaluated blocks like a failed one and is never green. An event that never happened has
nobody to identify: its identity, review and too-wide shortcut gates are waived, with their figures still given.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from factory.audit.giveaway import flip_share, lone_rows
from factory.audit.grounds import measured
from factory.audit.leakgraph import leak_graph
from factory.audit.promises import check_bank
from factory.audit.rules import RULES, Hit, collect
from factory.audit.shortcuts import ShortcutAudit, audit_shortcuts
from factory.counting import count_of
from factory.sections import ComposeSettings
from schemas import (
    AnonTimeline,
    AnonymisationCard,
    Bank,
    BankReport,
    Claim,
    Finding,
    Gate,
    GateName,
    GateState,
    Pair,
    Resolution,
    ShortcutInterval,
)

MIN_OFFSETS = 10
"""Offsets that the released dates must leave possible."""
SAMPLE = 20
"""Questions and nodes that a person must have accepted, or all of them if there are fewer."""
FORCEABLE: frozenset[GateName] = frozenset({"shortcuts", "quotas", "review"})


@dataclass(frozen=True)
class GateResult:
    """All gates in the order of the design, with what they rest on."""

    gates: tuple[Gate, ...]
    findings: tuple[Finding, ...]
    """Every finding: leaks, secrets, promises and leak graph."""
    shortcuts: dict[str, float]
    """Score of each rule and attacker that reads no context."""
    intervals: dict[str, ShortcutInterval]
    """Intervals of the attackers that are measured by statistics."""
    waived: tuple[str, ...]
    """Gates that did not pass and need not: nobody can be harmed, or the preset is for comparison."""
    ungated: tuple[str, ...]
    """Gates that failed or were not evaluated and that `--force` passes."""
    blocking: tuple[str, ...]
    """Gates that forbid a release: failed or not evaluated and not forced."""


def evaluate(
    *,
    bank: Bank,
    claims: Sequence[Claim],
    resolutions: Sequence[Resolution],
    pairs: Sequence[Pair],
    timeline: AnonTimeline,
    card: AnonymisationCard,
    drift_open: int,
    leak: list[Finding],
    secret: list[Finding],
    report: BankReport,
    fictional: bool,
    scripted: bool,
    reviewed: int,
    settings: ComposeSettings,
    force: bool = False,
) -> GateResult:
    """Measure every gate on finished artefacts.

    `leak` and `secret` are the scanner's findings on the public bytes; `reviewed` counts nodes and questions that
    a person accepted; `drift_open` counts unrepaired differences between raw and anonymised text.
    """
    findings = check_bank(bank, claims, resolutions, pairs, timeline)
    findings += leak_graph(bank, claims, pairs)
    findings += collect([("drift", "timeline")] * drift_open + _report_hits(bank, report, pairs))
    shortcuts = audit_shortcuts(bank, timeline)
    paper = "paper" in (settings.preset, report.preset)
    gates = [
        _scanned("leak", "leaks in public bytes", leak),
        _scanned("secret", "secrets in public bytes", secret),
        _identity(card, fictional=fictional, scripted=scripted),
        _promise("labels", findings, measured(bank.questions, claims, resolutions), bank),
        _promise("structure", findings, f"{len(bank.questions)} questions, {len(bank.events)} events", bank),
        _promise("parity", findings, f"{len(timeline.nodes)} nodes and the bank in both editions", bank),
        _mirror(findings, shortcuts, bank, pairs, paper=paper),
        _shortcuts(shortcuts, fictional=fictional),
        _quotas(bank, report, settings),
        _review(reviewed, bank, timeline, fictional=fictional),
    ]  # fmt: skip
    if paper:
        # The gate names and counts them; as findings they would call every ladder of the preset a fault.
        findings = [finding for finding in findings if RULES[finding.rule].gate != "mirror"]
    short = [gate for gate in gates if gate.state in ("failed", "not evaluated")]
    return GateResult(
        gates=tuple(gates),
        findings=(*leak, *secret, *findings),
        shortcuts=shortcuts.scores,
        intervals={
            name: ShortcutInterval(
                low=round(found.low, 3), high=round(found.high, 3), floor=round(found.floor, 3)
            )
            for name, found in shortcuts.intervals.items()
        },
        waived=tuple(gate.name for gate in gates if gate.state == "waived"),
        ungated=tuple(gate.name for gate in short if force and gate.forceable),
        blocking=tuple(gate.name for gate in short if not (force and gate.forceable)),
    )


def _gate(name: GateName, state: GateState, measure: str, reason: str = "") -> Gate:
    return Gate(name=name, state=state, measure=measure, reason=reason, forceable=name in FORCEABLE)


def _waived(gate: Gate, fictional: bool) -> Gate:
    """The same figures, waived when nobody can be harmed."""
    if not fictional or gate.state == "passed":
        return gate
    reason = f"the event is fictional; otherwise {gate.state}"
    return gate.model_copy(
        update={"state": "waived", "reason": f"{reason}: {gate.reason}" if gate.reason else reason}
    )


def _scanned(name: GateName, what: str, findings: list[Finding]) -> Gate:
    total = sum(finding.count for finding in findings)
    return _gate(
        name,
        "failed" if total else "passed",
        f"{total} {what}",
        ", ".join(finding.rule for finding in findings),
    )


def _promise(name: GateName, findings: list[Finding], what: str, bank: Bank) -> Gate:
    if not bank.questions:
        return _gate(name, "not evaluated", what, "the bank holds no question")
    broken = [f for f in findings if RULES[f.rule].gate == name]
    total = sum(f.count for f in broken)
    return _gate(
        name,
        "failed" if total else "passed",
        f"{total} findings; {what}",
        ", ".join(f"{f.rule} ({f.count})" for f in broken),
    )


def _identity(card: AnonymisationCard, *, fictional: bool, scripted: bool) -> Gate:
    measure = (
        f"panel grade {card.panel_grade} after {count_of(card.panel_rounds, 'round')}, "
        f"{card.offset_candidates} possible offsets"
    )
    problems = []
    if card.panel_grade != "LOW":
        problems.append(f"the panel's grade is {card.panel_grade}")
    if card.offset_candidates < MIN_OFFSETS:
        problems.append(f"fewer than {MIN_OFFSETS} offsets remain possible")
    if scripted or card.panel_state == "not evaluated":
        gate = _gate(
            "identity",
            "not evaluated",
            measure,
            "; ".join([why_not_evaluated(card, scripted), *problems]),
        )
    else:
        gate = _gate("identity", "failed" if problems else "passed", measure, "; ".join(problems))
    return _waived(gate, fictional)


def why_not_evaluated(card: AnonymisationCard, scripted: bool) -> str:
    """Why the panel of a card that is not evaluated proves nothing."""
    if scripted:
        return "the panel's answers are scripted"
    if card.panel_power == 0:
        return "no auditor names the event even from the raw text"
    return "the panel was held without its controls"


def _mirror(
    findings: list[Finding],
    shortcuts: ShortcutAudit,
    bank: Bank,
    pairs: Sequence[Pair],
    *,
    paper: bool,
) -> Gate:
    flips = lone_rows(pairs)  # bounded by a rule of their own
    lone = {question.question_id for question in bank.questions if question.pair_id in flips}
    unequal = [place for place in shortcuts.unequal if place not in lone]
    what = f"{len(unequal)} twin cells that structure tells apart; one who knew the type letters scores "
    what += "-" if shortcuts.letter is None else f"{shortcuts.letter:.1f}"
    gate = _promise("mirror", findings, what, bank)
    # With one prompt a point equal records are a theorem; with more, each prompt still hides its twins, and
    # readers of several prompts see a small excess that is printed.
    single = not any(question.prompt for question in bank.questions)
    told = unequal if single else [p for p in shortcuts.unequal_in_prompt if p not in lone]
    if gate.state == "passed" and told:
        gate = gate.model_copy(
            update={"state": "failed", "reason": f"structure tells {told[0]} apart"}
        )
    if paper and gate.state == "failed":
        gate = gate.model_copy(
            update={"state": "waived", "reason": f"preset `paper`: {gate.reason}"}
        )
    return gate


def _shortcuts(audit: ShortcutAudit, *, fictional: bool) -> Gate:
    if audit.intervals:
        best = max(audit.intervals, key=lambda name: audit.intervals[name].score)
        worst = max(audit.intervals, key=lambda name: audit.intervals[name].floor)
        top, found = audit.intervals[best], audit.intervals[worst]
        measure = (
            f"highest score: {best} {top.score:.1f}, interval {top.low:.1f} to {top.high:.1f}; "
            f"largest lower end: {worst} {found.floor:.1f}, score {found.score:.1f}, interval {found.low:.1f} to "
            f"{found.high:.1f}; corrected for {len(audit.intervals)} attackers"
        )
    else:
        measure = f"{len(audit.scores)} rules without text, none fitted to text"
    gate = _gate("shortcuts", audit.state, measure, "" if audit.state == "passed" else audit.reason)
    return _waived(gate, fictional) if gate.state == "not evaluated" else gate


def _quotas(bank: Bank, report: BankReport, settings: ComposeSettings) -> Gate:
    """Type shares decide; windows off their plan are listed, since equal windows cost too much.

    Targets are the report's, shares are counted from the questions.
    """
    if not bank.questions:
        return _gate("quotas", "not evaluated", "no question", "the bank holds no question")
    shares = _shares(bank)
    wanted = {line.name: line.wanted for line in report.quotas}
    off = [
        n
        for n in wanted
        if abs(shares[n] - wanted[n]) > settings.tolerance
        or (n.startswith("window ") and shares[n] < settings.window_floor)
    ]
    measure = ", ".join(
        f"{name} {shares[name]:.3f} of {wanted[name]:.3f}"
        for name in wanted
        if name.startswith("type ")
    )
    if not measure:
        return _gate("quotas", "not evaluated", "no quota", "the report states no quota")
    listed = ", ".join(f"{name} {shares[name]:.3f} of {wanted[name]:.3f}" for name in off)
    failed = any(name.startswith("type ") for name in off)
    return _gate(
        "quotas", "failed" if failed else "passed", measure, f"off plan: {listed}" if off else ""
    )


def _shares(bank: Bank) -> dict[str, float]:
    """Share of each type and window by the name of its quota; 0 for one that is not asked."""
    shares: defaultdict[str, float] = defaultdict(float)
    for question in bank.questions:
        shares[f"type {question.type}"] += 1 / len(bank.questions)
        shares[f"window {question.window_days}"] += 1 / len(bank.questions)
    return shares


def _report_hits(bank: Bank, report: BankReport, pairs: Sequence[Pair]) -> list[Hit]:
    """Where the report says something else than the bank."""
    preset = "paper" if any(pair.relation == "single" for pair in pairs) else "mirror"
    points = Counter(q.point_id for q in bank.questions)
    real = {
        "questions": (report.questions, len(bank.questions)),
        "events": (report.events, len(bank.events)),
        "pairs": (report.pairs, len({q.pair_id for q in bank.questions})),
        **{f"point {p}": (report.points.get(p, 0), points[p]) for p in {*report.points, *points}},
    }
    hits = [("report-counts", f"{n}: {a}, found {b}") for n, (a, b) in real.items() if a != b]
    if report.preset != preset:
        hits.append(("report-counts", f"preset: {report.preset}, found {preset}"))
    if abs(report.flips - (share := flip_share(bank, pairs))) > 1e-5:
        hits.append(("report-counts", f"flips: {report.flips}, found {share:.6f}"))
    shares = _shares(bank)
    hits += [
        ("report-counts", f"{line.name}: {line.got}, found {shares[line.name]:.6f}")
        for line in report.quotas
        if abs(line.got - shares[line.name]) > 1e-5
    ]
    return hits


def _review(reviewed: int, bank: Bank, timeline: AnonTimeline, *, fictional: bool) -> Gate:
    needed = min(SAMPLE, len(bank.questions) + len(timeline.nodes))
    state: GateState = (
        "passed" if needed and reviewed >= needed else "failed" if reviewed else "not evaluated"
    )
    gate = _gate(
        "review",
        state,
        f"{reviewed} of {needed} sampled nodes and questions accepted by a person",
        ""
        if state == "passed"
        else "nobody has reviewed the sample; see it with `factory review EVENT`"
        if not reviewed
        else "the rest of the sample is not reviewed yet; see it with `factory review EVENT`",
    )
    return _waived(gate, fictional)
