"""A released bundle against every promise of ours.

Every label is recomputed, every promise tested, every context compared with the timeline byte by byte, and every
byte scanned for what leaks without a table. Gates that need the secret table or the panel are taken from the
manifest, for a bundle alone cannot prove them again; a leak found here fails its gate all the same.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from factory.audit.announced import announced_days
from factory.audit.gates import evaluate
from factory.audit.leak_prose import allowed_in
from factory.audit.promises import statements_of
from factory.audit.rules import RULES, Hit, collect
from factory.audit.scan import scan_files
from factory.audit.silence import SILENCED, silence
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
from factory.check.figures import baseline_hits, manifest_hits
from factory.counting import count_of
from factory.sections import ComposeSettings
from factory.segments import context_text
from factory.workspace import sha256_bytes
from schemas import LANGS, CheckReport, Gate, ReleaseManifest

FORM = "bundle"
"""Name of this form of a bank in reports."""
FROM_MANIFEST = frozenset({"leak", "secret", "identity", "review"})
"""Gates that a bundle alone cannot prove again."""


def check_bundle(folder: Path) -> CheckReport:
    """Check a bundle folder.

    BadInput when its manifest or key cannot be read, or it silences a rule that does not exist or without a reason.
    """
    manifest = read_manifest(folder)
    broken = list(_digests(folder, manifest))
    if broken:
        # A changed file makes every other figure void, those of the manifest too; name the files and stop.
        return CheckReport(
            target=manifest.public_id,
            findings=tuple(collect(("bundle-digest", name) for name in broken)),
            shortcuts={},
            gates=void_gates(manifest.gates, len(broken)),
            form=FORM,
        )
    bundle = Bundle.read(folder)
    hits = [
        *_contexts(folder, bundle),
        *_exams(folder, bundle),
        *_searched(bundle),
        *_counts(manifest, bundle),
        *manifest_hits(folder, manifest, bundle),
    ]
    scanned = scan_files(
        _files(folder), None, allowed=allowed_in(bundle.timeline, bundle.card.allowed)
    )
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
        hits += [*_copies(folder, bundle), *baseline_hits(bundle)]
    stated = {gate.name: gate for gate in manifest.gates}
    gates = tuple(
        stated.get(gate.name, gate)
        if gate.name in FROM_MANIFEST and gate.state != "failed"
        else gate
        for gate in result.gates
    )
    return CheckReport(
        target=manifest.public_id,
        findings=silence((*result.findings, *collect(hits)), bundle.silenced),
        shortcuts=result.shortcuts,
        intervals=dict(result.intervals),
        gates=gates,
        form=FORM,
        silenced=bundle.silenced,
        announced=announced_days(bundle.points.points, bundle.events, bundle.timeline),
    )


def void_gates(stated: Sequence[Gate], broken: int) -> tuple[Gate, ...]:
    """The gates of a bundle whose files are not those of its manifest: what it states of itself proves nothing."""
    owner = RULES["bundle-digest"].gate
    of_manifest = f"{count_of(broken, 'file')} not as the manifest states"
    return tuple(
        gate.model_copy(
            update={
                "state": "failed",
                "measure": of_manifest,
                "reason": f"bundle-digest ({broken})",
            }
            if gate.name == owner
            else {
                "state": "not evaluated",
                "measure": "no figure",
                "reason": "the bundle was changed after its release",
            }
        )
        for gate in stated
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
        if kind in (CONTEXTS, TIMELINES, EXAM) or name in (MANIFEST, SILENCED):
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


def _searched(bundle: Bundle) -> Iterator[Hit]:
    """Sentences that a search is said to have shown, which must be the timeline's."""
    told = {name for node in bundle.timeline.nodes for name in statements_of(node)}
    for row in bundle.resolutions:
        yield from (
            ("unknown-reference", f"{row.claim_id}: searched {name}")
            for name in row.searched
            if name not in told
        )


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
