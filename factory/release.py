"""From bank to public bundle: build the bytes, scan them, measure every gate, and only then write.

The scanner reads the very bytes that would be released, twice: before the gates, and again with the gates'
own figures written into the cards. A refused release leaves 08_bank/check.json and no half-written folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from factory import __version__
from factory.acceptance import accepted, draw, rejected_nodes
from factory.audit.announced import announced_days
from factory.audit.edition_figures import with_editions
from factory.audit.external import EXTERNAL, external_gates, unknown_card
from factory.audit.gates import SAMPLE, GateResult, evaluate
from factory.audit.leak_days import written_days
from factory.audit.leak_prose import allowed_in
from factory.audit.scan import scan_files
from factory.audit.silence import silenced_table
from factory.bundle import Bundle, build_files, public_resolutions
from factory.counting import count_of
from factory.errors import GateRefused
from factory.sections import ROLES
from factory.stage import StageContext
from factory.workspace import UMASK, Workspace, write_atomic
from schemas import (
    AnonTimeline,
    AnonymisationCard,
    BankReport,
    CheckReport,
    Claim,
    Counts,
    DateRef,
    DriftFlag,
    EventConfig,
    Finding,
    Gate,
    Pair,
    PointSet,
    Question,
    ReplacementTable,
    Resolution,
    ScoreCard,
    Shift,
    TemporalEvent,
    Timeline,
)

TIMELINE = "03_timeline/timeline.json"
EDITION_TIMELINE = "07_editions/timeline.json"
EDITION_CLAIMS = "07_editions/claims.jsonl"
POINTS = "05_points/points.json"
RESOLUTIONS = "06_claims/resolutions.jsonl"
FABRICATION_RESOLUTIONS = "06_claims/fabrication_resolutions.jsonl"
PAIRS = "06_claims/pairs.jsonl"
QUESTIONS = "08_bank/questions.jsonl"
EVENTS = "08_bank/events.jsonl"
BANK_REPORT = "08_bank/report.json"
SCORECARD = "08_bank/scorecard.json"
CARD = "04_anonymised/card.json"
DRIFT = "04_anonymised/drift.jsonl"
TABLE = "secret/table.json"
SHIFT = "secret/shift.json"
CHECK = "08_bank/check.json"
RELEASE = "09_release"

TOPIC_WIDTH = 12
"""Columns from which a topic counts as a phrase; a Chinese character takes two."""

ADVICE: dict[str, str] = {
    "leak": "review what the scanner found, extend the replacement table and run again from anonymise",
    "secret": "find which artefact carries the secret and run again from the stage that wrote it",
    "identity": "let three model auditors judge the event (a live run), or review the panel's rounds",
    "labels": "rerun from resolve; claims whose evidence does not hold must be annulled",
    "structure": "read the findings and rerun from claims or points",
    "parity": "rerun from translate",
    "mirror": "rerun from pair; a question without its twin must go with its cell",
    "shortcuts": "add points or outcomes, or rewrite the claims prompts; --force releases it as ungated",
    "quotas": "add outcomes (settings claims.outcomes) or points; --force releases it as ungated",
    "review": "accept or reject the sample with `factory review`; --force releases it as ungated",
}
"""What to do about each gate."""


def load_bundle(ctx: StageContext, card: AnonymisationCard | None = None) -> Bundle:
    """The bundle of this event before any gate was measured; `card` stands in for one that does not exist."""
    workspace = ctx.workspace
    claims = workspace.read_lines(Claim, EDITION_CLAIMS)
    resolutions = workspace.read_lines(Resolution, RESOLUTIONS)
    resolutions += workspace.read_lines(Resolution, FABRICATION_RESOLUTIONS)
    questions = workspace.read_lines(Question, QUESTIONS)
    models = {
        role: "written by hand" if ctx.scripted else ctx.settings.profile(role).model
        for role in ROLES
        if role != "forecast"
    }
    timeline = workspace.read(AnonTimeline, EDITION_TIMELINE)
    return Bundle(
        timeline=timeline,
        points=workspace.read(PointSet, POINTS),
        claims=tuple(claims),
        resolutions=public_resolutions(resolutions, claims, timeline),
        pairs=asked_pairs(workspace.read_lines(Pair, PAIRS), questions),
        questions=tuple(questions),
        events=tuple(workspace.read_lines(TemporalEvent, EVENTS)),
        report=workspace.read(BankReport, BANK_REPORT),
        card=card or workspace.read(AnonymisationCard, CARD),
        baselines=workspace.read(ScoreCard, SCORECARD),
        gates=(),
        ungated=(),
        fictional=ctx.event.fictional,
        scripted=ctx.scripted,
        licence=licence(ctx),
        models=models,
        factory_version=__version__,
        silenced=silenced_table(ctx.settings.release.silenced, "release.silenced"),
    )


def asked_pairs(pairs: Sequence[Pair], questions: Sequence[Question]) -> tuple[Pair, ...]:
    """The pairs with the cells that the composer asked; one lost whole, or rejected by a person, is no promise.

    A cell of which one side is asked stays, so that the missing twin is found.
    """
    asked = {(q.pair_id, q.point_id, q.prompt, int(q.window_days)) for q in questions}
    kept = []
    for pair in pairs:
        cells = tuple(
            cell
            for cell in pair.cells
            if (pair.pair_id, cell.point_id, cell.prompt, int(cell.window)) in asked
        )
        if cells:
            kept.append(pair.model_copy(update={"cells": cells}))
    return tuple(kept)


def licence(ctx: StageContext) -> str:
    """The event's own licence, else the one of the settings."""
    default = EventConfig.model_fields["licence"].default
    return ctx.event.licence if ctx.event.licence != default else ctx.settings.release.licence


def raw_dates(
    timeline: AnonTimeline,
    shift: Shift,
    raw: Timeline | None = None,
    claims: Iterable[Claim] = (),
) -> list[date]:
    """The event's real days that have no business in a bundle.

    The days of nodes and statements, and of the raw timeline also those that its prose names with a year. A real
    day that is also a day of the shifted arc, or that a shifted mention in timeline or claims names, may stand
    there by right; it is left out, since finding it proves nothing.
    """
    lawful = {
        timeline.span.observed_from + timedelta(days=n)
        for n in range((timeline.span.observed_until - timeline.span.observed_from).days + 1)
    }
    shifted = {node.date for node in timeline.nodes}
    texts = [text for claim in claims for text in claim.text.values()]
    for node in timeline.nodes:
        statements = [*node.fact]
        if node.opinion is not None:
            statements += [*node.opinion.statements, *node.opinion.themes]
        for statement in statements:
            if statement.happened_on is not None:
                shifted.add(statement.happened_on)
            texts += statement.text.values()
    for text in texts:
        for segment in text:
            if isinstance(segment, DateRef):
                lawful |= {segment.start, segment.end}
    lawful |= shifted
    real = {day - timedelta(days=shift.offset_days) for day in shifted}
    if raw is not None and shift.offset_days:
        real |= set(_days_told(raw))
    return sorted(real - lawful)


def _days_told(raw: Timeline) -> Iterator[date]:
    """Days of a raw timeline: its nodes, and whatever its prose names with a year."""
    for node in raw.nodes:
        yield node.date
        prose = list(node.opinion.themes if node.opinion is not None else ())
        for part in (node.fact, node.opinion):
            for statement in part.statements if part is not None else ():
                if statement.happened_on is not None:
                    yield statement.happened_on
                prose.append(statement.text)
        yield from (found.day for text in prose for found in written_days(text))


def raw_timeline(workspace: Workspace) -> Timeline | None:
    """The timeline with its real days, where this workspace holds one."""
    return workspace.read(Timeline, TIMELINE) if workspace.exists(TIMELINE) else None


def secrets(ctx: StageContext) -> list[str]:
    """Strings that may stand nowhere in a bundle: salt, folder, and the topic if it is a phrase.

    A topic of one or two common words may stand in a text by right; names in it are the table's business.
    """
    return secret_strings(ctx.keys.salt, ctx.workspace.root, ctx.event.topic)


def secret_strings(salt: str, folder: Path, topic: str) -> list[str]:
    """`secrets` of an event by its parts."""
    found = [salt, str(folder.resolve())]
    width = sum(2 if ord(character) > 0x2E7F else 1 for character in topic)
    if width >= TOPIC_WIDTH:
        found.append(topic)
    return found


def scan(
    files: Mapping[str, bytes], bundle: Bundle, ctx: StageContext
) -> tuple[list[Finding], list[Finding]]:
    """Findings of the scanner on public bytes: leaks, and secrets apart."""
    shift = ctx.workspace.read(Shift, SHIFT)
    findings = scan_files(
        files,
        ctx.workspace.read(ReplacementTable, TABLE),
        secrets=secrets(ctx),
        raw_dates=raw_dates(bundle.timeline, shift, raw_timeline(ctx.workspace), bundle.claims),
        allowed=allowed_in(bundle.timeline, bundle.card.allowed),
    )
    secret = [finding for finding in findings if finding.rule.startswith("secret")]
    leak = [finding for finding in findings if not finding.rule.startswith("secret")]
    return leak, secret


def measure(
    bundle: Bundle, ctx: StageContext, leak: list[Finding], secret: list[Finding]
) -> GateResult:
    """Every gate of this bundle."""
    workspace = ctx.workspace
    drift = workspace.read_lines(DriftFlag, DRIFT) if workspace.exists(DRIFT) else []
    sample = draw(bundle.questions, bundle.timeline.nodes, seed=ctx.event.seed, size=SAMPLE)
    return evaluate(
        bank=bundle.bank,
        claims=list(bundle.claims),
        resolutions=list(bundle.resolutions),
        pairs=list(bundle.pairs),
        timeline=bundle.timeline,
        card=bundle.card,
        drift_open=sum(flag.state == "open" for flag in drift),
        leak=leak,
        secret=secret,
        report=bundle.report,
        fictional=bundle.fictional,
        scripted=bundle.scripted,
        reviewed=len(accepted(sample, workspace.decisions())),
        settings=ctx.settings.compose,
        force=ctx.force,
    )


async def run(ctx: StageContext) -> Counts:
    """Write check.json, and the bundle if every gate that matters lets it pass.

    Raises GateRefused naming the gates and what to do about them. The manifest names the gates that are waived
    (a fictional event) and those that were forced (`ctx.force`), which make the bundle `ungated`.
    """
    if not ctx.workspace.exists(TABLE) or not ctx.workspace.exists(CARD):
        refuse_external(ctx)
    bundle = load_bundle(ctx)
    files = build_files(bundle)
    result = measure(bundle, ctx, *scan(files, bundle, ctx))
    bundle = replace(bundle, card=with_editions(bundle.card, files, result.gates, result.findings))
    final = replace(bundle, gates=result.gates, waived=result.waived, ungated=result.ungated)
    files = build_files(final)
    if not result.blocking:
        leak, secret = scan(files, final, ctx)
        if leak or secret:
            result = measure(bundle, ctx, leak, secret)
    write_check(ctx, result, bundle)
    refuse_rejected(ctx, bundle.timeline)
    refused = [gate for gate in result.gates if gate.name in result.blocking]
    if refused:
        raise GateRefused(refusal(refused))
    replace_folder(ctx.workspace.path(RELEASE), files)
    ctx.say(
        f"released {count_of(len(bundle.questions), 'question')} and {count_of(len(bundle.events), 'dated event')}"
        + (f", waived: {', '.join(final.waived)}" if final.waived else "")
        + (f", ungated: {', '.join(final.ungated)}" if final.ungated else "")
    )
    total = len(bundle.questions) + len(bundle.events)
    return Counts(received=total, kept=total)


def write_check(ctx: StageContext, result: GateResult, bundle: Bundle) -> None:
    """08_bank/check.json: findings, scores of rules that read no text, gates, announced days."""
    ctx.workspace.write(
        CHECK,
        CheckReport(
            target=ctx.keys.public_id,
            findings=result.findings,
            shortcuts=dict(result.shortcuts),
            intervals=dict(result.intervals),
            gates=result.gates,
            announced=announced_days(bundle.points.points, bundle.events, bundle.timeline),
        ),
    )


def refuse_rejected(ctx: StageContext, timeline: AnonTimeline) -> None:
    """Refuse while a person's rejection of a node stands: what a day says cannot be left out like a question."""
    rejected = rejected_nodes(timeline.nodes, ctx.workspace.decisions())
    if rejected:
        node, reason = rejected[0]
        more = f" and {len(rejected) - 1} more" if len(rejected) > 1 else ""
        raise GateRefused(
            f"the release is refused: a person rejected node {node.node_id} of {node.date}{more} ({reason}); correct "
            f"what it rests on and run again from distil, or withdraw the rejection with `factory review "
            f"{ctx.event.slug} --accept {node.node_id}`"
        )


def refuse_external(ctx: StageContext) -> None:
    """Refuse an event whose names were replaced elsewhere: nobody can measure how well.

    The bank's own gates are measured and written all the same.
    """
    bundle = load_bundle(ctx, unknown_card())
    findings = scan_files(build_files(bundle), None, secrets=secrets(ctx))
    secret = [finding for finding in findings if finding.rule.startswith("secret")]
    leak = [finding for finding in findings if not finding.rule.startswith("secret")]
    result = measure(bundle, ctx, leak, secret)
    result = replace(result, gates=external_gates(result.gates))
    write_check(ctx, result, bundle)
    others = [gate for gate in result.gates if gate.name not in EXTERNAL]
    short = [f"{gate.name} ({gate.state})" for gate in others if gate.state != "passed"]
    raise GateRefused(
        "the release is refused: names and dates of this event were replaced elsewhere, so nothing proves "
        "that it is hidden; start from the raw timeline (import without --already-anonymised) to release it. "
        f"Of the other gates {len(others) - len(short)} of {len(others)} passed"
        + (f", not {', '.join(short)}" if short else "")
        + f"; details are in {CHECK}"
    )


def refusal(refused: Sequence[Gate]) -> str:
    """One sentence for a person, with every gate and the next step."""
    parts = [
        f"{gate.name} ({gate.state}: {gate.reason or gate.measure}) -> {ADVICE[gate.name]}"
        for gate in refused
    ]
    return "the release is refused by " + "; ".join(parts) + f"; details are in {CHECK}"


def replace_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a new sibling folder and put it in place of `target`.

    A killed process leaves the old folder, the new one, or for an instant neither; never a mixture.
    Leftovers of a killed process are removed.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    for leftover in target.parent.glob(f".tmp-{target.name}-*"):
        shutil.rmtree(leftover)
    building = Path(tempfile.mkdtemp(prefix=f".tmp-{target.name}-new-", dir=target.parent))
    try:
        for path, data in files.items():
            write_atomic(building / path, data)
        building.chmod(0o777 & ~UMASK)
        if target.exists():
            old = building.with_name(building.name.replace("-new-", "-old-"))
            os.replace(target, old)
            os.replace(building, target)
            shutil.rmtree(old)
        else:
            os.replace(building, target)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
