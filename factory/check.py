"""`factory check`: lint a released bundle, and explain an answer down to its sources.

Every label is recomputed, every promise tested, every context compared with the timeline byte by byte, and every
byte scanned for what leaks without a table. Gates that need the secret table or the panel are taken from the
manifest, for a bundle alone cannot prove them again; a leak found here fails its gate all the same.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

from factory.audit.gates import evaluate
from factory.audit.promises import statements_of
from factory.audit.rules import RULES, Hit, collect
from factory.audit.scan import scan_files
from factory.bundle import (
    CONTEXTS,
    EXAM,
    MANIFEST,
    PARQUET,
    TIMELINES,
    Bundle,
    build_files,
    read_manifest,
)
from factory.errors import BadInput
from factory.evidence import readable
from factory.sections import ComposeSettings
from factory.segments import context_text, render
from factory.workspace import Workspace, sha256_bytes
from schemas import (
    LANGS,
    AnonTimeline,
    CheckReport,
    Claim,
    Item,
    Lang,
    PointSet,
    PredictionPoint,
    Question,
    ReleaseManifest,
    Resolution,
    Statement,
    TemporalEvent,
    Timeline,
)

Format = Literal["auto", "factory", "societybench"]
RELEASE = "09_release"
"""Folder of a workspace that holds its bundle."""
FROM_MANIFEST = frozenset({"leak", "secret", "identity", "review"})
"""Gates that a bundle alone cannot prove again."""


def check_path(path: Path, *, format: str = "auto") -> CheckReport:
    """Check a bundle folder, or a workspace by the bundle inside it.

    Raises BadInput when the path is none of them, or the format is unknown or not supported.
    """
    if format not in ("auto", "factory", "societybench"):
        raise BadInput(f"unknown format {format!r}; the formats are auto, factory and societybench")
    if format == "societybench":
        raise BadInput(
            "checking published banks (--format societybench) is not supported yet; give a bundle of ours"
        )
    folder = path / RELEASE if (path / RELEASE / MANIFEST).is_file() else path
    if folder == path and (path / "event.toml").is_file():
        raise BadInput(
            f"event {path.name} has no release yet; continue it with `factory run {path.name}`"
        )
    if not (folder / MANIFEST).is_file():
        raise BadInput(
            f"{path} is neither a bundle nor a workspace with one: it has no {MANIFEST}; "
            "give the folder that `factory new-event` printed, or release the event first"
        )
    manifest = read_manifest(folder)
    broken = list(_digests(folder, manifest))
    if broken:
        # A changed file makes every other figure void; name the files and stop.
        return CheckReport(
            target=manifest.public_id,
            findings=tuple(collect(("bundle-digest", name) for name in broken)),
            shortcuts={},
            gates=manifest.gates,
        )
    bundle = Bundle.read(folder)
    hits = [*_contexts(folder, bundle), *_exams(folder, bundle), *_counts(manifest, bundle)]
    scanned = scan_files(_files(folder), None)
    secret = [f for f in scanned if RULES[f.rule].gate == "secret"]
    leak = [f for f in scanned if f not in secret]
    result = evaluate(
        bank=bundle.bank,
        claims=bundle.claims,
        resolutions=bundle.resolutions,
        pairs=bundle.pairs,
        timeline=bundle.timeline,
        card=bundle.card,
        drift_open=bundle.card.drift_open,
        leak=leak,
        secret=secret,
        report=bundle.report,
        fictional=bundle.fictional,
        scripted=bundle.scripted,
        reviewed=0,
        settings=ComposeSettings(),
    )
    if not hits and not any(
        RULES[f.rule].gate for f in result.findings if f not in (*leak, *secret)
    ):
        # Copies can only be derived from a key that holds together.
        hits += _copies(folder, bundle)
    stated = {gate.name: gate for gate in manifest.gates}
    gates = tuple(
        stated.get(gate.name, gate)
        if gate.name in FROM_MANIFEST and gate.state != "failed"
        else gate
        for gate in result.gates
    )
    return CheckReport(
        target=manifest.public_id,
        findings=(*result.findings, *collect(hits)),
        shortcuts=result.shortcuts,
        gates=gates,
    )


def _files(folder: Path) -> dict[str, bytes]:
    """Every visible file of a bundle by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    }


def _digests(folder: Path, manifest: ReleaseManifest) -> Iterator[str]:
    for entry in manifest.files:
        target = folder / entry.path
        if not target.resolve().is_relative_to(folder.resolve()) or not target.is_file():
            yield f"{entry.path} is missing"
        elif sha256_bytes(target.read_bytes()) != entry.sha256:
            yield f"{entry.path} was changed"
    listed = {entry.path for entry in manifest.files} | {MANIFEST}
    for found in sorted(folder.rglob("*")):
        name = found.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if found.is_file() and not hidden and name.as_posix() not in listed:
            yield f"{name.as_posix()} is not listed"


def _contexts(folder: Path, bundle: Bundle) -> Iterator[Hit]:
    """Context files against the timeline: a byte-exact prefix in each edition."""
    nodes = bundle.timeline.nodes
    for lang in LANGS:
        if any(lang not in s.text for node in nodes for s in statements_of(node).values()):
            continue  # reported as edition-missing
        name = f"{TIMELINES}/{lang}.md"
        whole = _bytes(folder / name)
        if whole != context_text(nodes, lang).encode():
            yield "context-bytes", name
        for point in bundle.points.points:
            name = f"{CONTEXTS}/{lang}/{point.point_id}.md"
            wanted = context_text((n for n in nodes if n.date < point.cutoff), lang).encode()
            if _bytes(folder / name) != wanted or not whole.startswith(wanted):
                yield "context-bytes", name


def _exams(folder: Path, bundle: Bundle) -> Iterator[Hit]:
    """Exam files against the key: the rows that an examinee gets, and not a field more."""
    cutoffs = {p.point_id: p.cutoff.isoformat() for p in bundle.points.points}
    for lang in LANGS:
        asked: list[dict[str, Any]] = [
            {
                "question_id": q.question_id,
                "point_id": q.point_id,
                "prompt": q.prompt,
                "cutoff": cutoffs.get(q.point_id),
                "window_start": q.window_start.isoformat(),
                "window_end": q.window_end.isoformat(),
                "text": q.text.get(lang),
            }
            for q in bundle.questions
        ]
        dated: list[dict[str, Any]] = [
            {
                "event_id": e.event_id,
                "point_id": e.point_id,
                "cutoff": cutoffs.get(e.point_id),
                "text": e.text.get(lang),
            }
            for e in bundle.events
        ]
        for axis, wanted in (("calibration", asked), ("temporal", dated)):
            name = f"{EXAM}/{lang}/{axis}.jsonl"
            lines = _bytes(folder / name).decode("utf-8", "replace").splitlines()
            try:
                shown = [json.loads(line) for line in lines if line.strip()]
            except ValueError:
                yield "exam-view", f"{name} is not JSON lines"
                continue
            if shown != wanted:
                yield "exam-view", name


def _copies(folder: Path, bundle: Bundle) -> Iterator[Hit]:
    """Every other file of the bundle against what the key gives; tables are compared by content."""
    for name, wanted in build_files(bundle).items():
        kind = name.split("/", 1)[0]
        if kind in (CONTEXTS, TIMELINES, EXAM) or name == MANIFEST:
            continue
        found = _bytes(folder / name)
        if found != wanted and not (kind == PARQUET and _same_table(found, wanted)):
            yield "derived-file", name


def _same_table(found: bytes, wanted: bytes) -> bool:
    """Whether two Parquet files hold the same table; writers of other versions differ in bytes only."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return bool(pq.read_table(io.BytesIO(found)).equals(pq.read_table(io.BytesIO(wanted))))
    except (pa.ArrowException, OSError):
        return False


def _bytes(path: Path) -> bytes:
    """A file's bytes; empty when it is not there, which no comparison takes for equal."""
    return path.read_bytes() if path.is_file() else b""


def _counts(manifest: ReleaseManifest, bundle: Bundle) -> Iterator[Hit]:
    """Figures of the manifest against the rows."""
    real = {
        "nodes": len(bundle.timeline.nodes),
        "points": len(bundle.points.points),
        "questions": len(bundle.questions),
        "events": len(bundle.events),
        "pairs": len(bundle.pairs),
    }
    for name, count in manifest.counts.items():
        if name in real and real[name] != count:
            yield "report-counts", f"manifest {name} {count}, found {real[name]}"


def explain_question(path: Path, question_id: str) -> str:
    """The chain question or dated event -> claim -> occurrences -> nodes -> quotes -> source items, as text.

    `path` is a bundle or a workspace; only a workspace knows the source items. BadInput when neither a question
    nor a dated event has this id.
    """
    if (path / "event.toml").is_file():
        return _explain_workspace(Workspace.open(path), question_id)
    bundle = Bundle.read(path)
    chain = _chain(
        question_id,
        (*bundle.questions, *bundle.events),
        bundle.points.points,
        bundle.claims,
        bundle.resolutions,
    )
    return "\n".join(_lines(*chain, bundle.timeline, {}, {}))


def _explain_workspace(workspace: Workspace, question_id: str) -> str:
    read = workspace.read_lines
    resolutions = read(Resolution, "06_claims/resolutions.jsonl")
    if workspace.exists("06_claims/fabrication_resolutions.jsonl"):
        resolutions += read(Resolution, "06_claims/fabrication_resolutions.jsonl")
    chain = _chain(
        question_id,
        (*read(Question, "08_bank/questions.jsonl"), *read(TemporalEvent, "08_bank/events.jsonl")),
        workspace.read(PointSet, "05_points/points.json").points,
        read(Claim, "07_editions/claims.jsonl"),
        resolutions,
    )
    statements: dict[str, Statement] = {}
    if workspace.exists("03_timeline/timeline.json"):
        for node in workspace.read(Timeline, "03_timeline/timeline.json").nodes:
            for part in (node.fact, node.opinion):
                statements |= {s.statement_id: s for s in part.statements} if part else {}
    items: dict[str, Item] = {}
    if workspace.exists("01_items/items.jsonl"):
        items = {item.item_id: item for item in read(Item, "01_items/items.jsonl")}
    timeline = workspace.read(AnonTimeline, "07_editions/timeline.json")
    return "\n".join(_lines(*chain, timeline, statements, items))


def _chain(
    row_id: str,
    rows: Sequence[Question | TemporalEvent],
    points: Sequence[PredictionPoint],
    claims: Sequence[Claim],
    resolutions: Sequence[Resolution],
) -> tuple[Question | TemporalEvent, PredictionPoint, Claim, Resolution]:
    row = next((row for row in rows if _id(row) == row_id), None)
    if row is None:
        raise BadInput(
            f"there is no question or dated event {row_id!r}; ids are in the bank's questions.jsonl and events.jsonl"
        )
    point = next((p for p in points if p.point_id == row.point_id), None)
    claim = next((c for c in claims if c.claim_id == row.claim_id), None)
    resolution = next((r for r in resolutions if r.claim_id == row.claim_id), None)
    if point is None or claim is None or resolution is None:
        raise BadInput(
            f"{row_id} names a point or claim that is missing; run `factory check` on its bank"
        )
    return row, point, claim, resolution


def _id(row: Question | TemporalEvent) -> str:
    return row.question_id if isinstance(row, Question) else row.event_id


def _lines(
    row: Question | TemporalEvent,
    point: PredictionPoint,
    claim: Claim,
    resolution: Resolution,
    timeline: AnonTimeline,
    statements: dict[str, Statement],
    items: dict[str, Item],
) -> Iterator[str]:
    lang = timeline.lang
    yield from _asked(row, point, lang)
    words = render(claim.text[lang], lang) if lang in claim.text else ""
    yield f"claim {claim.claim_id} ({claim.kind}, level {claim.level}, {claim.cadence}): {words}"
    yield f"  resolved as {resolution.state} ({resolution.basis}) by {len(resolution.passes)} passes"
    if not resolution.occurrences:
        yield f"  no occurrence in the timeline up to {timeline.span.observed_until}: the answer is 0"
    nodes = {node.node_id: node for node in timeline.nodes}
    for occurrence in resolution.occurrences:
        yield f"occurrence on {occurrence.happened_on}, {_place(row, point, occurrence.happened_on)}"
        node = nodes.get(occurrence.node_id)
        if node is None:
            yield f"  node {occurrence.node_id} is missing"
            continue
        yield f"  node {node.node_id} of {node.date}, statement {occurrence.statement_id}"
        yield f"  quote: {readable(occurrence.quote, lang)}"
        statement = statements_of(node).get(occurrence.statement_id)
        if statement is not None and lang in statement.text:
            yield f"  statement: {render(statement.text[lang], lang)}"
        raw = statements.get(occurrence.statement_id)
        for evidence in raw.evidence if raw else ():
            yield _source(evidence.item_id, evidence.quote, items)


def _asked(row: Question | TemporalEvent, point: PredictionPoint, lang: Lang) -> Iterator[str]:
    """What is asked, where, and its answer."""
    text = row.text.get(lang, "")
    if isinstance(row, Question):
        yield f"question {row.question_id}: {text}"
        yield (
            f"  point {point.point_id}, cutoff {point.cutoff}, window {row.window_start} to "
            f"{row.window_end}, both days included ({row.window_days} days)"
        )
        yield f"  answer {row.answer}, type {row.type}, twin cell of pair {row.pair_id}"
        return
    yield f"dated event {row.event_id}: {text}"
    yield f"  point {point.point_id}, cutoff {point.cutoff}"
    yield f"  answer {row.date}, {(row.date - point.cutoff).days} days after the cutoff"


def _place(row: Question | TemporalEvent, point: PredictionPoint, day: date) -> str:
    """Where an occurrence lies: by the window of a question, by the cutoff and the answer of a dated event."""
    if isinstance(row, Question):
        side = "before" if day < row.window_start else "after" if day > row.window_end else "inside"
        return f"{side} the window"
    if day == row.date:
        return "the answer"
    return "before the cutoff" if day < point.cutoff else "after the answer"


def _source(item_id: str, quote: str, items: dict[str, Item]) -> str:
    item = items.get(item_id)
    if item is None:
        return f"  source {item_id} is not among the items; quote: {quote}"
    return f"  source {item_id} ({item.platform}, {item.published_at}): {item.url or item.title} | {quote}"
