"""Two banks side by side: what changed in gates, counts, quotas and scores, and what became of each question.

A side is an event's own files or a bundle. A question is the same when its id is (versions of one event share their
salt), or else when claim words, cutoff and window are; what is left on both sides at one cutoff and window is taken
for reworded when the claims' words overlap, the most alike first. Nothing of the raw side is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from factory import pipeline
from factory.bank.clause import comparable, overlap, trigrams
from factory.bundle import MANIFEST as BUNDLE_MANIFEST
from factory.bundle import Bundle
from factory.errors import BadInput, WorkspaceError
from factory.events import open_event
from factory.llm.prompts import PromptLibrary
from factory.overlay import PROMPTS
from factory.running import read_manifest
from factory.status import event_status
from schemas import (
    AnonTimeline,
    BankDiff,
    BankReport,
    CheckReport,
    Claim,
    DiffSide,
    FigureDiff,
    Gate,
    GateDiff,
    Lang,
    PointSet,
    PromptDiff,
    Question,
    RowDiff,
    RowsDiff,
    ScoreCard,
    TemporalEvent,
)
from schemas.diff import Change

ALIKE = 0.5
"""Trigram overlap (Jaccard) from which a claim at the same cutoff and window counts as another wording of one: below
it, two clauses about one occasion share little but the names in them."""
CHANGES: tuple[Change, ...] = ("relabelled", "reworded", "dropped", "added")
"""In the order in which they are listed."""


MEASURED = ("done", "failed")
"""States of the release whose gates belong to the bank as it is: a refused release writes them too."""


@dataclass(frozen=True)
class Side:
    """One bank with what stands beside it."""

    about: DiffSide
    timeline: AnonTimeline
    points: PointSet
    claims: Mapping[str, Claim]
    questions: Sequence[Question]
    events: Sequence[TemporalEvent]
    report: BankReport
    scores: ScoreCard | None
    check: CheckReport | None
    gates: Sequence[Gate]
    prompts: Mapping[str, str]
    """Prompt -> digest; empty for a bundle."""


def compare(a: Path, b: Path) -> BankDiff:
    """Compare two events (folders) or bundles. Raises BadInput when one has no bank or cannot be read."""
    left, right = load(a), load(b)
    return BankDiff(
        a=left.about,
        b=right.about,
        notes=tuple(_notes(left, right)),
        prompts=tuple(
            PromptDiff(name=name, a=left.prompts[name], b=right.prompts[name])
            for name in PROMPTS
            if name in left.prompts
            and name in right.prompts
            and left.prompts[name] != right.prompts[name]
        ),
        counts=_figures(_counts(left), _counts(right)),
        gates=_gates(left.gates, right.gates),
        quotas=_figures(
            {q.name: q.got for q in left.report.quotas},
            {q.name: q.got for q in right.report.quotas},
        ),
        shortcuts=_figures(
            left.check.shortcuts if left.check else {}, right.check.shortcuts if right.check else {}
        ),
        scores=_figures(_scores(left.scores), _scores(right.scores)),
        questions=_rows(left, right, left.questions, right.questions),
        events=_rows(left, right, left.events, right.events),
    )


# -- reading a side --------------------------------------------------------------------------------


def load(path: Path) -> Side:
    """Read an event's bank or a bundle. Raises BadInput that names the folder and what to do."""
    if (path / "event.toml").is_file():
        return _from_event(path)
    if (path / BUNDLE_MANIFEST).is_file():
        bundle = Bundle.read(path)
        return Side(
            DiffSide(
                name=_bundle_name(path), kind="bundle", public_id=bundle.public_id, current=True
            ),
            bundle.timeline,
            bundle.points,
            {claim.claim_id: claim for claim in bundle.claims},
            bundle.questions,
            bundle.events,
            bundle.report,
            bundle.baselines,
            None,
            bundle.gates,
            {},
        )
    raise BadInput(
        f"{path} is neither an event nor a bundle: it has no event.toml and no {BUNDLE_MANIFEST}; give an event's "
        "name or folder, or the folder that a release wrote"
    )


def _bundle_name(path: Path) -> str:
    """Folder of a bundle, with the event's before it where it lies in one."""
    path = path.resolve()
    return (
        f"{path.parent.name}/{path.name}" if path.name == Path(pipeline.RELEASE).name else path.name
    )


def _from_event(path: Path) -> Side:
    event = open_event(path)
    workspace = event.workspace
    if not workspace.exists(pipeline.QUESTIONS):
        raise BadInput(
            f"event {path.name} has no bank to compare yet; continue it with `factory run {path.name}`"
        )
    states = {row.name: row.state for row in event_status(event).stages}
    overlay = Path(event.settings.prompts_dir) if event.settings.prompts_dir else None
    library = PromptLibrary(overlay)
    try:
        claims = workspace.read_lines(Claim, pipeline.EDITION_CLAIMS)
        check = scores = None
        if states["release"] in MEASURED and workspace.exists(pipeline.CHECK):
            check = workspace.read(CheckReport, pipeline.CHECK)
        if states["baselines"] == "done":
            scores = workspace.read(ScoreCard, pipeline.SCORECARD)
        return Side(
            DiffSide(
                name=path.name,
                kind="event",
                public_id=event.keys.public_id,
                current=states["compose"] == "done",
            ),
            workspace.read(AnonTimeline, pipeline.EDITION_TIMELINE),
            workspace.read(PointSet, pipeline.POINTS),
            {claim.claim_id: claim for claim in claims},
            workspace.read_lines(Question, pipeline.QUESTIONS),
            workspace.read_lines(TemporalEvent, pipeline.EVENTS),
            workspace.read(BankReport, pipeline.BANK_REPORT),
            scores,
            check,
            check.gates if check else (),
            {name: library.digest(name) for name in PROMPTS},
        )
    except WorkspaceError as error:
        version = read_manifest(workspace).factory_version
        raise BadInput(
            f"the bank of event {path.name} cannot be read: {error}; it was written by factory {version}, and "
            f"`factory run {path.name}` brings it to this one"
        ) from error


# -- figures ---------------------------------------------------------------------------------------


def _notes(a: Side, b: Side) -> Iterable[str]:
    for side in (a, b):
        name = side.about.name
        if not side.about.current:
            yield f"the bank of {name} is older than what it rests on: `factory run {name}` would change it"
        elif not side.gates:
            yield f"the gates of {name} were not measured for this bank: `factory run {name}` does it"
    if a.about.public_id != b.about.public_id:
        yield "the two come from different events: their rows are compared by words, cutoff and window, not by id"


def _counts(side: Side) -> dict[str, float]:
    return {
        "nodes": len(side.timeline.nodes),
        "points": len(side.points.points),
        "claims": len(side.claims),
        "pairs": side.report.pairs,
        "questions": len(side.questions),
        "dated events": len(side.events),
    }


def _scores(card: ScoreCard | None) -> dict[str, float]:
    return {
        f"{row.system}, {row.axis}": row.score
        for row in (card.axes if card else ())
        if not isinstance(row.score, str)
    }


def _figures(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[FigureDiff, ...]:
    return tuple(FigureDiff(name=n, a=a.get(n), b=b.get(n)) for n in dict.fromkeys([*a, *b]))


def _gates(a: Sequence[Gate], b: Sequence[Gate]) -> tuple[GateDiff, ...]:
    left, right = {g.name: g for g in a}, {g.name: g for g in b}
    rows = []
    for name in dict.fromkeys([*left, *right]):
        one, two = left.get(name), right.get(name)
        rows.append(
            GateDiff(
                name=name,
                state_a=one.state if one else "",
                state_b=two.state if two else "",
                measure_a=one.measure if one else "",
                measure_b=two.measure if two else "",
            )
        )
    return tuple(rows)


# -- rows ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """A question or dated event as it is compared."""

    row_id: str
    cutoff: date
    window: int | None
    answer: str
    text: Mapping[Lang, str]
    words: str
    """Claim in the language of the first side, as texts are compared; empty when that edition is missing."""
    claim_id: str
    form: tuple[str, int]
    """Kind and level of the claim: an outcome and a variant that says the opposite are not one claim reworded."""


def _rows(
    a: Side,
    b: Side,
    rows_a: Sequence[Question] | Sequence[TemporalEvent],
    rows_b: Sequence[Question] | Sequence[TemporalEvent],
) -> RowsDiff:
    lang = a.timeline.lang
    left, right = _asked(a, rows_a, lang), _asked(b, rows_b, lang)
    pairs = _match(left, right, _shapes(a, lang), _shapes(b, lang))
    met = {(one.row_id, two.row_id) for one, two in pairs}
    known_a, known_b = {one for one, _ in met}, {two for _, two in met}
    changes = [row for one, two in pairs if (row := _changed(one, two)) is not None]
    changes += [_change("dropped", row, None) for row in left if row.row_id not in known_a]
    changes += [_change("added", None, row) for row in right if row.row_id not in known_b]
    changes.sort(
        key=lambda r: (CHANGES.index(r.change), r.cutoff, r.window_days or 0, r.id_a, r.id_b)
    )
    same = len(pairs) - sum(row.change in ("relabelled", "reworded") for row in changes)
    return RowsDiff(a=len(left), b=len(right), same=same, changes=tuple(changes))


def _asked(
    side: Side, rows: Sequence[Question] | Sequence[TemporalEvent], lang: Lang
) -> list[_Asked]:
    cutoffs = {point.point_id: point.cutoff for point in side.points.points}
    found = []
    for row in rows:
        claim = side.claims.get(row.claim_id)
        if claim is None or row.point_id not in cutoffs:
            raise BadInput(
                f"{_id(row)} of {side.about.name} names a point or claim that is missing; run `factory check` on it"
            )
        text = claim.text.get(lang)
        found.append(
            _Asked(
                row_id=_id(row),
                cutoff=cutoffs[row.point_id],
                window=int(row.window_days) if isinstance(row, Question) else None,
                answer=str(row.answer) if isinstance(row, Question) else row.date.isoformat(),
                text=row.text,
                words=comparable(text) if text else "",
                claim_id=row.claim_id,
                form=(claim.kind, claim.level),
            )
        )
    return found


def _id(row: Question | TemporalEvent) -> str:
    return row.question_id if isinstance(row, Question) else row.event_id


def _shapes(side: Side, lang: Lang) -> dict[str, frozenset[str]]:
    return {c.claim_id: trigrams(c.text[lang]) for c in side.claims.values() if lang in c.text}


def _match(
    left: Sequence[_Asked],
    right: Sequence[_Asked],
    shapes_a: Mapping[str, frozenset[str]],
    shapes_b: Mapping[str, frozenset[str]],
) -> list[tuple[_Asked, _Asked]]:
    """Rows of both sides that are one: by id, by words in their place, by like words in their place."""
    pairs: list[tuple[_Asked, _Asked]] = []

    def take(found: Iterable[tuple[_Asked, _Asked]]) -> None:
        for one, two in found:
            if one.row_id in rest_a and two.row_id in rest_b:
                pairs.append((rest_a.pop(one.row_id), rest_b.pop(two.row_id)))

    rest_a, rest_b = {r.row_id: r for r in left}, {r.row_id: r for r in right}
    take([(row, rest_b[row_id]) for row_id, row in rest_a.items() if row_id in rest_b])
    by_words = {(r.cutoff, r.window, r.words): r for r in rest_b.values() if r.words}
    take(
        [
            (row, by_words[row.cutoff, row.window, row.words])
            for row in rest_a.values()
            if (row.cutoff, row.window, row.words) in by_words
        ]
    )
    places: dict[tuple[date, int | None, tuple[str, int]], list[_Asked]] = defaultdict(list)
    for row in rest_b.values():
        places[row.cutoff, row.window, row.form].append(row)
    likeness: dict[tuple[str, str], float] = {}
    ranked = []
    for row in rest_a.values():
        for other in places.get((row.cutoff, row.window, row.form), ()):
            key = (row.claim_id, other.claim_id)
            if key not in likeness:
                one, two = shapes_a.get(key[0]), shapes_b.get(key[1])
                likeness[key] = overlap(one, two) if one and two else 0.0
            if likeness[key] >= ALIKE:
                ranked.append((-likeness[key], row.row_id, other.row_id, row, other))
    ranked.sort(key=lambda r: r[:3])
    take([(row, other) for *_, row, other in ranked])
    return pairs


def _changed(one: _Asked, two: _Asked) -> RowDiff | None:
    if one.answer != two.answer:
        return _change("relabelled", one, two)
    if dict(one.text) != dict(two.text):
        return _change("reworded", one, two)
    return None


def _change(change: Change, one: _Asked | None, two: _Asked | None) -> RowDiff:
    row = one or two
    assert row is not None
    return RowDiff(
        change=change,
        id_a=one.row_id if one else "",
        id_b=two.row_id if two else "",
        cutoff=row.cutoff,
        window_days=row.window,
        answer_a=one.answer if one else "",
        answer_b=two.answer if two else "",
        text_a=dict(one.text) if one else {},
        text_b=dict(two.text) if two else {},
    )
