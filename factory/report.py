"""The private report of one event: what was found, what was made of it, and what it cost.

One self-contained HTML file, readable without JavaScript and without the network. It shows real names and
sources, so only its owner may read it. Every text from outside is escaped and only http(s) addresses become
links. Of an event that stopped early it shows what exists.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from markupsafe import Markup

from factory import pipeline
from factory.audit.announced import announced_days, announced_line
from factory.bundle import ANONYMISATION_CARD, MANIFEST, read_manifest, verified_files
from factory.errors import FactoryError, WorkspaceError
from factory.evidence import day_views, percent, point_views, raw_sentences
from factory.hiding import panel_words
from factory.recording import event_from, load_run
from factory.report_figures import PointScores, point_scores
from factory.report_page import environment
from factory.report_view import STANCES
from factory.report_volume import Volume, course, facts_of, stances_of, volume_of
from factory.settings import read_toml
from factory.workspace import Workspace, mend
from schemas import (
    LANGS,
    AnonTimeline,
    AnonymisationAudit,
    AnonymisationCard,
    BankReport,
    CheckReport,
    Claim,
    Cluster,
    Coverage,
    EventConfig,
    Item,
    Pair,
    PanelRound,
    Plan,
    PointSet,
    Proportion,
    Question,
    Record,
    ReleaseManifest,
    Resolution,
    ScoreCard,
    Shift,
    StageRecord,
    TemporalEvent,
    Timeline,
    WorkspaceManifest,
)

R = TypeVar("R", bound=Record)

REPORT = "report.private.html"
EXAMPLES = 3
"""Examples shown for a reason of rejection."""


@dataclass
class Found:
    """Artefacts of a workspace, each empty when it does not exist; damaged ones are named in `problems`."""

    workspace: Workspace
    problems: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Artefacts that were read, whole or damaged."""

    def one(self, model: type[R], path: str) -> R | None:
        """A record, or None."""
        self.seen.add(path)
        if not self.workspace.exists(path):
            return None
        try:
            return self.workspace.read(model, path)
        except WorkspaceError as error:
            self.problems.append(str(error))
            return None

    def many(self, model: type[R], path: str) -> list[R]:
        """Records, or none."""
        self.seen.add(path)
        if not self.workspace.exists(path):
            return []
        try:
            return self.workspace.read_lines(model, path)
        except WorkspaceError as error:
            self.problems.append(str(error))
            return []

    def rest(self) -> None:
        """Name what is damaged among the artefacts that the page does not show."""
        for path in (path for stage in pipeline.STAGES for path in stage.outputs):
            file = self.workspace.path(path)
            if path not in self.seen and file.is_file() and not _is_json(file):
                self.problems.append(f"{path} is damaged (it is not JSON); {mend(path)}")
        for rows in (self.workspace.reviews, self.workspace.decisions):
            try:
                rows()
            except WorkspaceError as error:
                self.problems.append(str(error))


def _is_json(file: Path) -> bool:
    """Whether a file holds JSON, or JSON lines by its name."""
    try:
        data = file.read_bytes()
        for text in data.split(b"\n") if file.suffix == ".jsonl" else (data,):
            if text.strip() or file.suffix != ".jsonl":
                json.loads(text)
    except ValueError:
        return False
    return True


def write_report(workspace: Workspace, say: Callable[[str], None] = lambda _line: None) -> Path:
    """Write report.private.html (readable by the owner only) from whatever the workspace holds.

    What is damaged is left out, named at the top of the page and said line by line.
    """
    shown = collect(workspace)
    html = environment().get_template("report.html.j2").render(**shown)
    workspace.write_text(REPORT, html)
    for problem in shown["problems"]:
        say(f"the report leaves out what is damaged: {problem}")
    return workspace.path(REPORT)


def collect(workspace: Workspace) -> dict[str, Any]:
    """Everything that the template shows."""
    found = Found(workspace)
    event = read_event(found)
    manifest = found.one(WorkspaceManifest, "manifest.json")
    items = found.many(Item, pipeline.ITEMS)
    known = {item.item_id: item for item in found.many(Item, pipeline.DOCUMENTS) + items}
    timeline = found.one(Timeline, pipeline.TIMELINE)
    editions = found.one(AnonTimeline, pipeline.EDITION_TIMELINE)
    released = editions or found.one(AnonTimeline, pipeline.ANON)
    sentences = raw_sentences(timeline, known)
    questions = found.many(Question, pipeline.QUESTIONS)
    events = found.many(TemporalEvent, pipeline.EVENTS)
    points = found.one(PointSet, pipeline.POINTS)
    claims = {claim.claim_id: claim for claim in found.many(Claim, pipeline.EDITION_CLAIMS)}
    resolutions = {
        row.claim_id: row
        for path in (pipeline.RESOLUTIONS, pipeline.FABRICATION_RESOLUTIONS)
        for row in found.many(Resolution, path)
    }
    stages = _stages(manifest)
    bundle = release_manifest(found)
    card = found.one(ScoreCard, pipeline.SCORECARD)
    shift = found.one(Shift, pipeline.SHIFT)
    volume = _volume(found, timeline, items)
    announced = announced_days(points.points, events, editions) if points and editions else None
    shown: dict[str, Any] = {
        "event": event,
        "plan": found.one(Plan, pipeline.PLAN),
        "title": timeline.title if timeline else event.topic,
        "zone": timeline.zone if timeline else event.zone,
        "days": day_views(timeline, released, sentences),
        "span": timeline.span if timeline else None,
        "bundle": bundle,
        "scripted": is_scripted(event, bundle, found),
        "stopped": [stage for stage in stages if stage.state in ("failed", "waiting")],
        "items": len(items),
        "clusters": len(found.many(Cluster, pipeline.CLUSTERS)),
        "coverage": found.many(Coverage, pipeline.COVERAGE),
        "rejects": _rejects(found),
        "cuts": point_views(
            points,
            questions,
            events,
            claims=claims,
            resolutions=resolutions,
            sentences=sentences,
            announced=announced.events if announced else (),
        ),
        "announced": announced_line(announced) if announced else "",
        "dropped_days": points.dropped if points else (),
        "questions": len(questions),
        "events": len(events),
        "pairs": len(found.many(Pair, pipeline.PAIRS)),
        "bank": found.one(BankReport, pipeline.BANK_REPORT),
        "check": found.one(CheckReport, pipeline.CHECK),
        "panel": found.many(PanelRound, pipeline.PANEL),
        "hidden": hidden_card(found, bundle),
        "audit": found.one(AnonymisationAudit, pipeline.AUDIT),
        "labels": _labels(shift, timeline, questions, list(resolutions.values())),
        "volume": volume,
        "course": course(timeline, volume, points, shift) if timeline and volume else None,
        "stances": stances_of(timeline) if timeline else [],
        "stance_names": STANCES,
        "facts": facts_of(timeline) if timeline else [],
        "point_scores": _point_scores(found, points) if questions else [],
        "scores": _scores(card),
        "card": card,
        "stages": stages,
        "total": {
            "calls": sum(stage.calls for stage in stages),
            "paid": sum(stage.paid_calls for stage in stages),
            "prompt": sum(stage.prompt_tokens for stage in stages),
            "completion": sum(stage.completion_tokens for stage in stages),
            "cost": sum(stage.cost for stage in stages),
            "seconds": sum(stage.seconds for stage in stages),
        },
        "problems": found.problems,
        "langs": LANGS,
        "panel_words": panel_words,
        "bar": stance_bar,
        "score_bar": score_bar,
    }
    found.rest()
    return shown


def read_event(found: Found) -> EventConfig:
    """The event's own settings; a placeholder when event.toml cannot be used, which is then named."""
    path = found.workspace.path("event.toml")
    try:
        fields = {key: value for key, value in read_toml(path).items() if key != "settings"}
        return event_from(fields, str(path))
    except FactoryError as error:
        found.problems.append(str(error))
        return EventConfig(slug=found.workspace.root.name, topic=found.workspace.root.name)


def is_scripted(event: EventConfig, bundle: ReleaseManifest | None, found: Found) -> bool:
    """Whether answers were written by hand: as the bundle says, else as the mode and recording do."""
    if bundle is not None:
        return bundle.scripted
    if event.mode != "replay" or not event.recording:
        return event.mode == "manual"
    try:
        return load_run(event.recording).scripted
    except FactoryError as error:
        found.problems.append(str(error))
        return False


def release_manifest(found: Found) -> ReleaseManifest | None:
    """The manifest of the released bundle, if there is one."""
    folder = found.workspace.path(pipeline.RELEASE)
    if not (folder / MANIFEST).is_file():
        return None
    try:
        manifest = read_manifest(folder)
    except FactoryError as error:
        found.problems.append(str(error))
        return None
    try:
        verified_files(folder, manifest)
    except FactoryError as error:
        found.problems.append(str(error))
    return manifest


def hidden_card(found: Found, bundle: ReleaseManifest | None) -> AnonymisationCard | None:
    """How well the event is hidden: the released card where there is one, which knows both editions.

    A bundle of an earlier anonymisation differs in more than that; then the workspace's own card stands.
    """
    own = found.one(AnonymisationCard, pipeline.CARD)
    if bundle is None:
        return own
    released = found.one(AnonymisationCard, f"{pipeline.RELEASE}/{ANONYMISATION_CARD}")
    if own is None or released is None:
        return own or released
    both = {"parity": own.parity, "names": own.names, "rare_words": own.rare_words}
    return released if released.model_copy(update=both) == own else own


def _labels(
    shift: Shift | None,
    timeline: Timeline | None,
    questions: Sequence[Question],
    resolutions: Sequence[Resolution],
) -> Proportion | str:
    """Share of labels that the raw timeline confirms."""
    from factory.anonymise.relabel import labels_unchanged

    if timeline is None or shift is None:
        return "not evaluated"
    return labels_unchanged(timeline, questions, resolutions, shift.offset_days) or "not evaluated"


# -- figures -------------------------------------------------------------------------------------


def _stages(manifest: WorkspaceManifest | None) -> list[StageRecord]:
    """Records of the stages that ran, in the order of the graph."""
    stages = manifest.stages if manifest else {}
    return [stages[stage.name] for stage in pipeline.STAGES if stage.name in stages]


def _rejects(found: Found) -> list[tuple[str, str, int, list[str]]]:
    """(stage, reason, count, examples), most frequent first within the order of stages."""
    try:
        rows = found.workspace.rejections()
    except WorkspaceError as error:
        found.problems.append(str(error))
        return []
    order = {stage.name: number for number, stage in enumerate(pipeline.STAGES)}
    counts = Counter((row.stage, row.reason) for row in rows)
    examples: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        shown = examples.setdefault((row.stage, row.reason), [])
        if len(shown) < EXAMPLES:
            shown.append(f"{row.item}: {row.detail}" if row.detail else row.item)
    ranked = sorted(counts, key=lambda key: (order.get(key[0], 99), -counts[key], key))
    return [(*key, counts[key], examples[key]) for key in ranked]


def _volume(found: Found, timeline: Timeline | None, items: Sequence[Item]) -> Volume | None:
    """Items by day and platform; None without a timeline or a zone that exists."""
    if timeline is None:
        return None
    try:
        return volume_of(items, timeline.zone, timeline.span)
    except (KeyError, ValueError):
        found.problems.append(
            f"{pipeline.TIMELINE}: its zone {timeline.zone!r} is unknown, so days cannot be counted; correct it there"
        )
        return None


def _point_scores(found: Found, points: PointSet | None) -> list[PointScores]:
    """Scores by point of everything that sat this bank, runs of the event included."""
    if points is None or not all(
        found.workspace.exists(path) for path in (pipeline.EDITION_TIMELINE, pipeline.EVENTS)
    ):
        return []
    from factory.grading import score_paths
    from factory.score.card import Wanted
    from factory.score.textfree import TEXT_FREE

    wanted = Wanted(intervals=False, grades=False, by=("point",))
    try:
        card = score_paths([found.workspace.root], wanted=wanted)
    except FactoryError as error:
        if str(error) not in found.problems:
            found.problems.append(str(error))
        return []
    order = sorted(points.points, key=lambda point: point.cutoff)
    return point_scores(card, [point.point_id for point in order], set(TEXT_FREE))


def _scores(card: ScoreCard | None) -> list[tuple[str, str, dict[str, float | str], int, int]]:
    """(system, axis, score by edition, answered, total), best first on each axis."""
    groups: dict[tuple[str, str], dict[str, float | str]] = {}
    answered: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for cell in card.cells if card else ():
        key = (cell.system, cell.axis)
        groups.setdefault(key, {})[cell.edition] = cell.score
        answered[key] += cell.answered
        total[key] += cell.total

    def rank(key: tuple[str, str]) -> tuple[str, float, str]:
        known = [score for score in groups[key].values() if not isinstance(score, str)]
        return key[1], -round(sum(known) / len(known), 6) if known else 1.0, key[0]

    return [(*key, groups[key], answered[key], total[key]) for key in sorted(groups, key=rank)]


def stance_bar(stances: Sequence[tuple[str, float]]) -> Markup:
    """Shares of stances as one inline SVG bar with a text alternative."""
    words = ", ".join(f"{name} {percent(share)}" for name, share in stances)
    parts = []
    x = 0.0
    for name, share in stances:
        width = share * 100
        parts.append(
            Markup('<rect class="s-{}" x="{:.2f}" y="0" width="{:.2f}" height="6"></rect>').format(
                name, x, width
            )
        )
        x += width
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="{0}">'
        "<title>{0}</title>{1}</svg>"
    ).format(words, Markup("").join(parts))


def score_bar(score: float) -> Markup:
    """A score between 0 and 100 as an inline SVG bar with a mark at 50."""
    return Markup(
        '<svg class="bar score" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="{0:.1f} of 100">'
        '<rect class="track" x="0" y="0" width="100" height="6"></rect>'
        '<rect class="fill" x="0" y="0" width="{0:.2f}" height="6"></rect>'
        '<rect class="half" x="49.7" y="0" width="0.6" height="6"></rect></svg>'
    ).format(max(0.0, min(100.0, score)))
