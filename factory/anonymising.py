"""A user's own timeline, anonymised without the rest of the pipeline: read, run to the stage anonymise, hand out.

The timeline becomes an ordinary event, so that answers are stored, a stopped run goes on where it was, and later
stages can follow. Nothing is handed out while a decision waits, a gate of anonymisation fails, or the leak scan of
the very bytes that would be written finds anything.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from factory.anonymise.given import Given, read_given
from factory.audit.gates import why_not_evaluated
from factory.counting import count_of
from factory.errors import BadInput, GateRefused, ReviewWaiting
from factory.events import (
    Event,
    check_slug,
    check_topic,
    create,
    make_slug,
    new_keys,
    open_event,
)
from factory.segments import context_text
from factory.workspace import write_atomic
from schemas import (
    AnonTimeline,
    AnonymisationCard,
    DriftFlag,
    Item,
    Lang,
    PanelRound,
    ReplacementTable,
    Shift,
)

STAGE = "anonymise"
PLAN = "00_plan/plan.json"
ITEMS = "01_items/items.jsonl"
ANON = "04_anonymised/timeline.json"
CARD = "04_anonymised/card.json"
PANEL = "04_anonymised/panel.jsonl"
DRIFT = "04_anonymised/drift.jsonl"
TABLE = "secret/table.json"
SHIFT = "secret/shift.json"
_SHOWN = 3
"""Findings named in one sentence."""
_WORDS = 60
"""Characters of a line that a message shows."""


def event_of(
    path: Path,
    workspace: Path,
    *,
    name: str | None = None,
    topic: str | None = None,
    lang: Lang | None = None,
    zone: str | None = None,
    offset_policy: str | None = None,
    manual: str | None = None,
    replay: str | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> Event:
    """The event of a timeline file: a new one, or the one that an earlier call made of the same bytes.

    `manual` is the folder of prompts and answers, `replay` a recording. BadInput when the file holds no timeline,
    an event of that name has another timeline, or an option differs from what the event was made with; then
    nothing is written.
    """
    from factory.importing import read_entry
    from factory.recording import event_from, load_run

    recording = load_run(replay) if replay else None
    own = recording.event if recording else {}
    given = read_given(path, lang or own.get("lang"))
    slug = event_name(path, name)
    title = topic or (recording.topic if recording else "") or given.title or path.stem
    fields: dict[str, Any] = {
        "slug": slug,
        "topic": check_topic(title),
        "entry": "timeline",
        "lang": given.lang,
        "mode": "manual" if manual else "replay" if recording else "live",
    }
    if zone:
        fields["zone"] = zone
    if replay:
        fields["recording"] = str(Path(replay).resolve()) if Path(replay).is_dir() else replay
    if manual:
        fields["manual_dir"] = manual
    root = workspace / slug
    asked = {"topic": topic, "lang": lang, "zone": zone, "offset_policy": offset_policy}
    if (root / "event.toml").exists():
        return _continued(open_event(root), given, asked, replay)
    keys = (recording.keys if recording else None) or new_keys()
    settings = {"anonymise": {"offset_policy": offset_policy}} if offset_policy else None
    now = recording.now if recording else datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        markdown = Path(folder) / f"{path.stem}.md"
        markdown.write_text(given.text, encoding="utf-8")
        config = event_from({**own, **fields}, "the command line")
        found = read_entry(config, keys, markdown, now, short=True)
    event = create(
        root, fields, settings=settings, recording=recording, keys=keys, fill=found.write
    )
    say(f"event {slug}: {found.nodes} {'day' if found.nodes == 1 else 'days'}")
    if found.rejections:
        say(_left_out([row.item for row in found.rejections], root / "rejected.jsonl"))
    if PLAN not in found.artefacts:
        say("the timeline spans less than four weeks: it can be anonymised, not cut into forecasts")
    return event


def _left_out(lines: list[str], names_each: Path) -> str:
    """What a person is told of lines that stand outside every paragraph of a day; each begins with its number."""
    count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    shown = ", ".join(repr(line[:_WORDS]) for line in lines[:_SHOWN])
    rest = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return f"{count} left out, outside every paragraph of a day: {shown}{rest}; {names_each} names each"


def event_name(path: Path, name: str | None) -> str:
    """The name of a file's event: the one given, else made from the file's; BadInput when it is no folder name."""
    if name:
        return check_slug(name)
    try:
        return check_slug(path.stem)
    except BadInput:
        return make_slug(path.stem)


def _continued(
    event: Event, given: Given, asked: Mapping[str, str | None], replay: str | None
) -> Event:
    """An event that exists, if it was made from the same timeline with the same options."""
    from sources.base import digest

    slug = event.config.slug
    items = (
        event.workspace.read_lines(Item, ITEMS)
        if event.config.entry == "timeline" and event.workspace.exists(ITEMS)
        else []
    )
    same = digest(given.text.encode("utf-8"))
    if {item.origin.digest for item in items} != {same}:
        raise BadInput(
            f"event {slug} exists with another timeline than {given.path.name}; choose another --name, or continue it "
            f"with `factory anonymise {slug}`"
        )
    check_options(event, asked, replay)
    return event


def check_options(event: Event, asked: Mapping[str, str | None], replay: str | None) -> None:
    """BadInput when an option differs from what an existing event was made with; None asks nothing."""
    made = {
        "topic": event.config.topic,
        "lang": event.config.lang,
        "zone": event.config.zone,
        "offset_policy": event.settings.anonymise.offset_policy,
    }
    for option, value in asked.items():
        if value is not None and value != made[option]:
            raise BadInput(
                f"event {event.config.slug} was made with {option.replace('_', ' ')} {made[option]!r}, not {value!r}; "
                "leave the option out, or give FILE with another --name"
            )
    if replay and replay not in (event.config.recording, Path(event.config.recording).name):
        raise BadInput(
            f"event {event.config.slug} is not answered from the recording {replay!r}; leave --replay out, or give "
            "FILE with another --name"
        )


@dataclass(frozen=True)
class HandedOut:
    """What was written."""

    timeline: Path
    """Markdown in the published format, in the event's own language."""
    record: Path
    """The same as a record."""
    card: Path
    table: Path
    """Secret: what each placeholder stands for and the offset; readable by the owner only."""
    lang: Lang
    panel_evaluated: bool
    panel_doubt: str
    """Why the panel is not evaluated; empty when it is."""
    to_look_at: int
    """Unexplained names and lists of figures that a person may look at; nothing waits for them."""

    def as_dict(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "timeline": str(self.timeline),
            "record": str(self.record),
            "card": str(self.card),
            "table": str(self.table),
            "lang": self.lang,
            "panel_evaluated": self.panel_evaluated,
            "panel_doubt": self.panel_doubt,
            "to_look_at": self.to_look_at,
        }


def check_places(event_root: Path, out: Path, table: Path | None) -> None:
    """BadInput when the results cannot be written there, or the secret table would lie beside them."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file, and the results need a folder; name another with --out")
    ours = {"card.json", "timeline.json", "timeline.en.md", "timeline.zh.md"}
    strange = sorted(p.name for p in out.iterdir() if p.name not in ours) if out.is_dir() else []
    if strange:
        raise BadInput(
            f"{out} holds other files ({', '.join(strange[:_SHOWN])}); name a new folder with --out"
        )
    inside = (event_root / "secret").resolve()
    if inside == out.resolve() or inside in out.resolve().parents:
        raise BadInput(
            f"{out} lies in the event's secret folder; name a folder outside it with --out"
        )
    if table is not None:
        if table.is_dir():
            raise BadInput(f"{table} is a folder; name a file with --table")
        if out.resolve() in table.resolve().parents:
            raise BadInput(
                f"the secret table {table} would lie among the results; name a place outside {out} with --table"
            )


def hand_out(event: Event, out: Path, table: Path | None = None) -> HandedOut:
    """Write the anonymised timeline and its card to `out`, and a copy of the secret table to `table` if given.

    Raises ReviewWaiting while a decision on the stage waits, GateRefused when the panel did not accept, a
    difference is open, a calendar word is left or the leak scan finds something; nothing is written then.
    """
    from factory.outgoing import check_clean

    check_places(event.workspace.root, out, table)
    workspace = event.workspace
    timeline = workspace.read(AnonTimeline, ANON)
    card = workspace.read(AnonymisationCard, CARD)
    to_look_at = _check_decided(event)
    _check_gates(event, card)
    files = {
        f"timeline.{timeline.lang}.md": context_text(timeline.nodes, timeline.lang).encode(),
        "timeline.json": (timeline.model_dump_json(indent=2) + "\n").encode(),
        "card.json": (card.model_dump_json(indent=2) + "\n").encode(),
    }
    check_clean(event, files, timeline, card)
    for name, data in files.items():
        write_atomic(out / name, data)
    secret = workspace.path(TABLE)
    if table is not None:
        body = {
            "offset_days": workspace.read(Shift, SHIFT).offset_days,
            **json.loads(workspace.read(ReplacementTable, TABLE).model_dump_json()),
        }
        text = json.dumps(body, ensure_ascii=False, indent=2) + "\n"
        write_atomic(table, text.encode(), private=True)
        secret = table
    evaluated = card.panel_state == "evaluated"
    return HandedOut(
        timeline=out / f"timeline.{timeline.lang}.md",
        record=out / "timeline.json",
        card=out / "card.json",
        table=secret,
        lang=timeline.lang,
        panel_evaluated=evaluated,
        panel_doubt="" if evaluated else why_not_evaluated(card, event.scripted),
        to_look_at=to_look_at,
    )


def _check_decided(event: Event) -> int:
    """ReviewWaiting while a decision waits that must be made; else the number of those that need not be."""
    from factory.anonymise.asked import ADVISORY

    slug = event.config.slug
    decided = {decision.review_id for decision in event.workspace.decisions()}
    undecided = [
        request
        for request in event.workspace.reviews()
        if request.stage == STAGE and request.review_id not in decided
    ]
    waiting = [request for request in undecided if request.kind not in ADVISORY]
    if waiting:
        count = count_of(len(waiting), "decision waits", "decisions wait")
        raise ReviewWaiting(
            f"{count}, the first: {waiting[0].question} Decide with `factory review {slug}`, then give the same "
            "command again; until then nothing is handed out"
        )
    return len(undecided)


def _check_gates(event: Event, card: AnonymisationCard) -> None:
    workspace = event.workspace
    last = workspace.read_lines(PanelRound, PANEL)[-1]
    still_open = [flag for flag in workspace.read_lines(DriftFlag, DRIFT) if flag.state == "open"]
    problems = []
    if last.action != "accept":
        problems.append(f"the panel ended with {last.grade} ({last.action})")
    if still_open:
        first = still_open[0]
        problems.append(
            f"{count_of(len(still_open), 'difference from the raw timeline is', 'differences from the raw timeline are')} open, the first at {first.statement_id}: "
            f"{first.problem}"
        )
    if card.rare_numbers_state == "refused":
        problems.append(
            "a person said that figures which could be looked up must change: set anonymise.numbers to round or scale"
        )
    if any(row.state == "refused" for row in card.rare_words):
        problems.append(
            "a person said that rare words must change: reword their sentences in the timeline, or add them to the "
            "replacement table"
        )
    if card.calendar_residue:
        problems.append(f"{card.calendar_residue} calendar words lie outside every date")
    if problems:
        raise GateRefused(
            f"nothing is handed out: {'; '.join(problems)}; see {workspace.path('report.private.html')}, change the "
            f"material or the decisions and run again"
        )
