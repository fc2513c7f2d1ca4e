"""The state of an event for `factory status`, read from its manifest and artefacts."""

from __future__ import annotations

from factory.events import Event
from factory.pipeline import STAGES
from factory.running import State, read_manifest, stage_state
from schemas import Record


class StageStatus(Record):
    """One stage as a person wants to see it."""

    name: str
    """Stage."""
    state: State
    """done, stale, failed, waiting, pending or external."""
    received: int | None
    """Inputs of the last run."""
    kept: int | None
    """Outputs of the last run."""
    rejected: int | None
    """Inputs not kept."""
    calls: int
    """Model calls, cached ones included."""
    paid_calls: int
    """Requests that went out."""
    tokens: int
    """Tokens in and out."""
    cost: float
    """Money by the price table."""
    message: str
    """Why it failed or waits."""


class EventStatus(Record):
    """All stages of an event."""

    event: str
    """Its name."""
    topic: str
    """Its line."""
    mode: str
    """live, replay or manual."""
    stages: tuple[StageStatus, ...]
    """In order."""
    waiting_reviews: int
    """Decisions that wait for a person."""


def event_status(event: Event) -> EventStatus:
    """Compute the state of every stage; a stage whose inputs changed is stale."""
    manifest = read_manifest(event.workspace)
    rows = []
    upstream_stale = False
    for stage in STAGES:
        record = manifest.stages.get(stage.name)
        state = stage_state(event, stage, record)
        if state == "done" and upstream_stale:
            state = "stale"
        upstream_stale = upstream_stale or state not in ("done", "external")
        counts = record.counts if record else None
        rows.append(
            StageStatus(
                name=stage.name,
                state=state,
                received=counts.received if counts else None,
                kept=counts.kept if counts else None,
                rejected=counts.rejected if counts else None,
                calls=record.calls if record else 0,
                paid_calls=record.paid_calls if record else 0,
                tokens=record.prompt_tokens + record.completion_tokens if record else 0,
                cost=record.cost if record else 0.0,
                message=record.message if record and state in ("failed", "waiting") else "",
            )
        )
    decided = {decision.review_id for decision in event.workspace.decisions()}
    waiting = sum(request.review_id not in decided for request in event.workspace.reviews())
    return EventStatus(
        event=event.config.slug,
        topic=event.config.topic,
        mode=event.config.mode,
        stages=tuple(rows),
        waiting_reviews=waiting,
    )
