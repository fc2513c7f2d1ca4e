"""The leak scan of what `factory anonymise` would write: clean, or one sentence with the decisions that help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factory.anonymise.apply import raw_statements
from factory.anonymise.asked import ADVISORY
from factory.audit.leak_files import BREAK
from factory.audit.leak_prose import Allowed, allowed_in, statements
from factory.audit.scan import scan_files
from factory.errors import GateRefused
from factory.events import Event
from factory.release import SHIFT, TABLE, raw_dates, raw_timeline
from factory.segments import render
from schemas import AnonTimeline, AnonymisationCard, ReplacementTable, Shift, Timeline

STAGE = "anonymise"
RAW = "03_timeline/timeline.json"
_SHOWN = 3
"""Findings of a rule that the sentence names."""


def check_clean(
    event: Event, files: Mapping[str, bytes], timeline: AnonTimeline, card: AnonymisationCard
) -> None:
    """GateRefused when the scanner finds anything in the bytes that would be written."""
    # The scanner knows the places of a bundle; the texts are shown to it as the bundle would hold them.
    places = {
        f"timeline.{timeline.lang}.md": f"contexts/{timeline.lang}/p1.md",
        "timeline.json": "key/timeline.json",
        "card.json": "cards/anonymisation.json",
    }
    workspace = event.workspace
    table = workspace.read(ReplacementTable, TABLE)
    allowed = allowed_in(timeline, card.allowed)
    findings = scan_files(
        {places[name]: data for name, data in files.items()},
        table,
        secrets=[event.keys.salt, str(workspace.root.resolve())],
        raw_dates=raw_dates(timeline, workspace.read(Shift, SHIFT), raw_timeline(workspace)),
        allowed=allowed,
    )
    if findings:
        shown = "; ".join(
            f"{finding.rule} {finding.count} ({', '.join(finding.examples[:_SHOWN])})"
            for finding in findings
        )
        for name, place in places.items():
            shown = shown.replace(place, name)
        shown = shown.replace(repr(BREAK)[1:-1], "…")  # where a placeholder or date stands
        helping = _deciding(event, timeline, table, allowed)
        advice = (
            f"decide otherwise on {', '.join(helping)} (`factory review {event.config.slug} --decide ID=CHOICE`)"
            if helping
            else "no decision mends that: change the timeline and give it another --name"
        )
        raise GateRefused(
            f"nothing is handed out: the leak scan found {shown}; {advice}, then run again"
        )


def _deciding(
    event: Event, timeline: AnonTimeline, table: ReplacementTable, allowed: Sequence[Allowed]
) -> list[str]:
    """Ids of the decisions on statements in which the scan finds something, each statement scanned by itself."""
    raw = {
        each.statement_id: each.text
        for node in event.workspace.read(Timeline, RAW).nodes
        for each in raw_statements(node)
    }
    lang = timeline.lang
    found = {
        raw[each.statement_id]
        for each in statements(timeline)
        if scan_files(
            {f"contexts/{lang}/p1.md": render(each.text[lang], lang).encode()},
            table,
            allowed=allowed,
        )
    }
    rows = [row for row in event.workspace.reviews() if row.stage == STAGE]
    return sorted(
        {row.review_id for row in rows if row.detail in found and row.kind not in ADVISORY}
    )
