"""The public bundle of an event: its layout, its bytes and its reader.

Everything derives from the anonymised timeline and the bank. A bundle holds no time, cost, topic, folder or
name of the event beside its opaque `public_id`, so equal content is equal bytes. `exam/` and `contexts/` are
all that an examinee may see; `key/`, `truth/`, `parquet/` and `societybench/` hold answers.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pydantic import ValidationError

from factory.audit.silence import SILENCED, read_silenced, silenced_file
from factory.bank.clause import statements
from factory.errors import BadInput
from factory.readme import readme
from factory.segments import context_text
from factory.societybench import societybench_files
from factory.workspace import first_problem, sha256_bytes
from schemas import (
    LANGS,
    AnonTimeline,
    AnonymisationCard,
    Bank,
    BankCard,
    BankReport,
    Claim,
    ExamEvent,
    ExamQuestion,
    FileEntry,
    Gate,
    Lang,
    Pair,
    PointSet,
    PredictionPoint,
    Question,
    Record,
    ReleaseManifest,
    Resolution,
    ScoreCard,
    Silenced,
    TemporalEvent,
)

R = TypeVar("R", bound=Record)

MANIFEST = "manifest.json"
README = "README.md"
CONTEXTS = "contexts"
TRUTH = "truth"
TIMELINES = "timeline"
EXAM = "exam"
QUESTIONS = "key/questions.jsonl"
EVENTS = "key/events.jsonl"
CLAIMS = "key/claims.jsonl"
RESOLUTIONS = "key/resolutions.jsonl"
PAIRS = "key/pairs.jsonl"
POINTS = "key/points.json"
TIMELINE = "key/timeline.json"
ANONYMISATION_CARD = "cards/anonymisation.json"
BANK_CARD = "cards/bank.json"
PARQUET = "parquet"


@dataclass(frozen=True)
class Bundle:
    """A bundle as typed records; rows are sorted by their opaque ids, points by cutoff."""

    timeline: AnonTimeline
    points: PointSet
    claims: tuple[Claim, ...]
    resolutions: tuple[Resolution, ...]
    pairs: tuple[Pair, ...]
    questions: tuple[Question, ...]
    events: tuple[TemporalEvent, ...]
    report: BankReport
    card: AnonymisationCard
    baselines: ScoreCard
    gates: tuple[Gate, ...]
    ungated: tuple[str, ...]
    fictional: bool
    scripted: bool
    licence: str
    models: Mapping[str, str]
    factory_version: str
    waived: tuple[str, ...] = ()
    silenced: tuple[Silenced, ...] = ()

    @property
    def public_id(self) -> str:
        """The only name of the event on its public side."""
        return self.timeline.public_id

    @property
    def bank(self) -> Bank:
        """Points, questions and dated events in one record."""
        return Bank(points=self.points.points, questions=self.questions, events=self.events)

    @classmethod
    def read(cls, path: Path) -> Bundle:
        """Read a bundle folder. BadInput when it is none, incomplete, changed since release or damaged."""
        manifest = read_manifest(path)
        files = verified_files(path, manifest)

        def record(model: type[R], name: str) -> R:
            return _parse(model, _file(files, name), name)

        def rows(model: type[R], name: str) -> tuple[R, ...]:
            lines = _file(files, name).splitlines()
            return tuple(
                _parse(model, line, f"{name} line {number}")
                for number, line in enumerate(lines, 1)
                if line.strip()
            )

        card = record(BankCard, BANK_CARD)
        return cls(
            timeline=record(AnonTimeline, TIMELINE),
            points=record(PointSet, POINTS),
            claims=rows(Claim, CLAIMS),
            resolutions=rows(Resolution, RESOLUTIONS),
            pairs=rows(Pair, PAIRS),
            questions=rows(Question, QUESTIONS),
            events=rows(TemporalEvent, EVENTS),
            report=card.report,
            card=record(AnonymisationCard, ANONYMISATION_CARD),
            baselines=card.baselines,
            gates=manifest.gates,
            ungated=manifest.ungated,
            fictional=manifest.fictional,
            scripted=manifest.scripted,
            licence=manifest.licence,
            models=manifest.models,
            factory_version=manifest.factory_version,
            waived=manifest.waived,
            silenced=read_silenced(files[SILENCED], SILENCED) if SILENCED in files else (),
        )


def read_manifest(path: Path) -> ReleaseManifest:
    """The manifest of a bundle folder; BadInput when the folder is no bundle."""
    try:
        data = (path / MANIFEST).read_bytes()
    except OSError as error:
        raise BadInput(
            f"{path} is no bundle: it has no readable {MANIFEST}; give the folder that a release wrote (09_release)"
        ) from error
    return _parse(ReleaseManifest, data, MANIFEST)


def verified_files(path: Path, manifest: ReleaseManifest) -> dict[str, bytes]:
    """Every file of a bundle but the manifest, each with the digest that the manifest states.

    BadInput for a missing, changed or unlisted file and for a path that leaves the folder. Files and folders
    whose names start with a dot (version control, the desktop) are passed over.
    """
    files: dict[str, bytes] = {}
    for entry in manifest.files:
        parts = PurePosixPath(entry.path)
        if parts.is_absolute() or ".." in parts.parts or (path / parts).is_symlink():
            raise BadInput(
                f"the manifest of {path} names {entry.path!r}, which is no file inside it"
            )
        try:
            data = (path / parts).read_bytes()
        except OSError as error:
            raise BadInput(f"{path} lacks {entry.path}; copy the bundle again") from error
        if sha256_bytes(data) != entry.sha256:
            raise BadInput(
                f"{entry.path} in {path} differs from its manifest; copy the bundle again"
            )
        files[entry.path] = data
    for found in sorted(path.rglob("*")):
        relative = found.relative_to(path)
        hidden = any(part.startswith(".") for part in relative.parts)
        if found.is_file() and not hidden and relative.as_posix() not in {*files, MANIFEST}:
            raise BadInput(
                f"{path} holds {relative.as_posix()}, which its manifest does not list; remove it"
            )
    return files


def _file(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise BadInput(f"the bundle lists no {name}, which every bundle holds; release it again")
    return files[name]


def _parse(model: type[R], data: bytes, name: str) -> R:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise BadInput(
            f"{name} of the bundle is damaged ({first_problem(error)}); copy the bundle again"
        ) from error


def public_resolutions(
    resolutions: Iterable[Resolution], claims: Iterable[Claim], timeline: AnonTimeline
) -> tuple[Resolution, ...]:
    """Resolutions of the released claims, without notes and without search hits in the corpus.

    Readers' notes may quote passages of the corpus, which are never released. Where nothing was found (`absent`) the
    nearest sentences of the timeline are named, since nothing else can be shown for such an answer.
    """
    released = {claim.claim_id for claim in claims}
    told = {row.statement_id for node in timeline.nodes for row in statements(node)}
    return tuple(
        resolution.model_copy(
            update={
                "searched": tuple(name for name in resolution.searched if name in told)
                if resolution.basis == "absent"
                else (),
                "passes": tuple(
                    reading.model_copy(update={"note": ""}) for reading in resolution.passes
                ),
            }
        )
        for resolution in resolutions
        if resolution.claim_id in released
    )


def build_files(bundle: Bundle) -> dict[str, bytes]:
    """Path -> bytes of every file of the bundle, manifest included, sorted by path."""
    points = sorted(bundle.points.points, key=lambda point: point.cutoff)
    questions = sorted(bundle.questions, key=lambda question: question.question_id)
    events = sorted(bundle.events, key=lambda event: event.event_id)
    claims = sorted(bundle.claims, key=lambda claim: claim.claim_id)
    resolutions = sorted(bundle.resolutions, key=lambda row: row.claim_id)
    pairs = sorted(bundle.pairs, key=lambda pair: pair.pair_id)
    files: dict[str, bytes] = {
        QUESTIONS: _lines(questions),
        EVENTS: _lines(events),
        CLAIMS: _lines(claims),
        RESOLUTIONS: _lines(resolutions),
        PAIRS: _lines(pairs),
        POINTS: _one(bundle.points.model_copy(update={"points": tuple(points)})),
        TIMELINE: _one(bundle.timeline),
        ANONYMISATION_CARD: _one(bundle.card),
        BANK_CARD: _one(
            BankCard(report=bundle.report, gates=bundle.gates, baselines=bundle.baselines)
        ),
    }
    files[README] = readme(bundle, fingerprint(files))
    if bundle.silenced:
        files[SILENCED] = silenced_file(bundle.silenced)
    for lang in LANGS:
        files |= _edition(bundle.timeline, points, questions, events, lang)
        files |= societybench_files(
            lang, timeline=bundle.timeline, points=points, questions=questions, events=events
        )
    manifest = ReleaseManifest(
        public_id=bundle.public_id,
        factory_version=bundle.factory_version,
        fictional=bundle.fictional,
        scripted=bundle.scripted,
        waived=bundle.waived,
        ungated=bundle.ungated,
        gates=bundle.gates,
        counts={
            "nodes": len(bundle.timeline.nodes),
            "points": len(points),
            "questions": len(questions),
            "events": len(events),
            "pairs": len(bundle.pairs),
        },
        models=dict(sorted(bundle.models.items())),
        licence=bundle.licence,
        files=tuple(
            FileEntry(path=path, sha256=sha256_bytes(files[path]), size=len(files[path]))
            for path in sorted(files)
        ),
    )
    files[MANIFEST] = _one(manifest)
    return dict(sorted(files.items()))


def fingerprint(files: Mapping[str, bytes]) -> str:
    """Name of a version by which a bank can be cited: 12 hex digits over the digests of its key and cards."""
    key = sorted(path for path in files if path.startswith(("key/", "cards/")))
    return sha256_bytes("\n".join(f"{p} {sha256_bytes(files[p])}" for p in key).encode())[:12]


def _edition(
    timeline: AnonTimeline,
    points: Sequence[PredictionPoint],
    questions: Sequence[Question],
    events: Sequence[TemporalEvent],
    lang: Lang,
) -> dict[str, bytes]:
    nodes = {node.node_id: node for node in timeline.nodes}
    files = {f"{TIMELINES}/{lang}.md": context_text(timeline.nodes, lang).encode()}
    contexts = {}
    for point in points:
        contexts[point.point_id] = context_text((nodes[name] for name in point.context), lang)
        truth = context_text((nodes[name] for name in point.truth), lang)
        files[f"{CONTEXTS}/{lang}/{point.point_id}.md"] = contexts[point.point_id].encode()
        files[f"{TRUTH}/{lang}/{point.point_id}.md"] = truth.encode()

    cutoffs = {point.point_id: point.cutoff for point in points}
    asked = [
        ExamQuestion(
            question_id=question.question_id,
            point_id=question.point_id,
            prompt=question.prompt,
            cutoff=cutoffs[question.point_id],
            window_start=question.window_start,
            window_end=question.window_end,
            text=question.text[lang],
        )
        for question in questions
    ]
    dated = [
        ExamEvent(
            event_id=event.event_id,
            point_id=event.point_id,
            cutoff=cutoffs[event.point_id],
            text=event.text[lang],
        )
        for event in events
    ]
    files[f"{EXAM}/{lang}/calibration.jsonl"] = _lines(asked)
    files[f"{EXAM}/{lang}/temporal.jsonl"] = _lines(dated)
    files[f"{PARQUET}/calibration/{lang}.parquet"] = _parquet(
        ExamQuestion, asked, "answer", [question.answer for question in questions]
    )
    files[f"{PARQUET}/temporal/{lang}.parquet"] = _parquet(
        ExamEvent, dated, "date", [event.date.isoformat() for event in events]
    )
    files[f"{PARQUET}/contexts/{lang}.parquet"] = _table(
        {
            "point_id": [point.point_id for point in points],
            "cutoff": [point.cutoff.isoformat() for point in points],
            "context": [contexts[point.point_id] for point in points],
        }
    )
    return files


def _parquet(
    model: type[Record], rows: Sequence[Record], answer: str, answers: Sequence[int | str]
) -> bytes:
    """Rows of one record type beside their answers."""
    dumped = [row.model_dump(mode="json") for row in rows]
    columns: dict[str, list[Any]] = {
        name: [row[name] for row in dumped] for name in model.model_fields
    }
    return _table(columns | {answer: list(answers)})


INTEGER_COLUMNS = frozenset({"prompt", "answer"})


def _table(columns: Mapping[str, Sequence[int | str]]) -> bytes:
    """Parquet bytes: strings stay strings (days too, which readers of JSON turn into timestamps)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [
            pa.field(name, pa.int64() if name in INTEGER_COLUMNS else pa.string(), nullable=False)
            for name in columns
        ]
    )
    table = pa.table({name: list(values) for name, values in columns.items()}, schema=schema)
    sink = io.BytesIO()
    pq.write_table(table, sink, version="2.6", compression="zstd", use_dictionary=False)
    return sink.getvalue()


def _one(record: Record) -> bytes:
    return (record.model_dump_json(indent=2) + "\n").encode()


def _lines(records: Iterable[Record]) -> bytes:
    return "".join(record.model_dump_json() + "\n" for record in records).encode()
