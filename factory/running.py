"""Running the stage graph: fingerprints, skipping what is unchanged, resuming, and the state of each stage.

A stage is skipped while the digest of its inputs, prompts, settings, endpoints, event fields, decisions and
revision is unchanged and its outputs are as it left them. Whatever stops a run leaves finished stages done.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from factory import __version__
from factory.errors import BadInput, FactoryError, Stopped, WorkspaceError
from factory.estimate import has_price, price_missing
from factory.events import Event
from factory.pipeline import STAGES, external_stages
from factory.recording import refuse_raw_recording
from factory.settings import Settings
from factory.stage import Run, Stage, StageContext
from factory.workspace import Workspace, first_problem, sha256_bytes
from schemas import Counts, EventConfig, StageRecord, WorkspaceManifest

MANIFEST = "manifest.json"
State = Literal["done", "stale", "failed", "waiting", "pending", "external"]


@dataclass
class RunOutcome:
    """What a run did."""

    ran: list[str] = field(default_factory=list)
    """Stages that ran."""
    skipped: list[str] = field(default_factory=list)
    """Stages that were up to date."""


def read_manifest(workspace: Workspace) -> WorkspaceManifest:
    """manifest.json, or an empty one."""
    if not workspace.exists(MANIFEST):
        return WorkspaceManifest(factory_version=__version__)
    try:
        return workspace.read(WorkspaceManifest, MANIFEST)
    except WorkspaceError as error:
        cause = error.__cause__
        problem = f" ({first_problem(cause)})" if isinstance(cause, ValidationError) else ""
        raise WorkspaceError(
            f"{workspace.path(MANIFEST)} is damaged{problem}; restore it from a copy, or delete it and run again: "
            "all stages will run again, stored model answers are reused and sources are asked again"
        ) from error


def stage_named(name: str) -> Stage:
    """A stage by name; BadInput lists all."""
    for stage in STAGES:
        if stage.name == name:
            return stage
    raise BadInput(f"no stage {name!r}; stages are {', '.join(stage.name for stage in STAGES)}")


def _endpoints(event: Event, stage: Stage) -> dict[str, Any]:
    """What of each role's endpoint changes answers; the same for live, replay and manual runs of one recording."""
    found = {}
    for role in stage.roles:
        profile = event.settings.profile(role)
        found[role] = {
            "family": profile.family,
            "model": profile.model,
            "mode": profile.mode,
            "temperature": profile.temperature,
            "max_tokens": profile.max_tokens,
            "extra": profile.extra,
        }
    return found


def _import_digests(event: Event) -> list[list[str]]:
    base = event.run_file.folder / "imports" if event.run_file else Path()
    digests = []
    for spec in event.config.imports:
        path = Path(spec.path)
        path = path if path.is_absolute() or not event.run_file else base / path
        folder = Workspace(path.parent)
        digests.append([spec.path, spec.format, folder.digest(path.name)])
    return digests


def _answer_digests(folder: Path, pattern: str) -> dict[str, str]:
    """Digests of a stage's hand-written or recorded answers, so that a changed answer counts."""
    return {path.name: sha256_bytes(path.read_bytes()) for path in sorted(folder.glob(pattern))}


def fingerprint(event: Event, stage: Stage) -> str:
    """sha256 over everything that decides what the stage makes."""
    from factory.llm.prompts import PromptLibrary

    overlay = Path(event.settings.prompts_dir) if event.settings.prompts_dir else None
    library = PromptLibrary(overlay)
    config = json.loads(event.config.model_dump_json())
    parts: dict[str, Any] = {
        "stage": stage.name,
        "revision": stage.revision,
        "inputs": {path: event.workspace.digest(path) for path in stage.inputs},
        "prompts": {name: library.digest(name) for name in stage.prompts},
        "settings": {
            name: json.loads(getattr(event.settings, name).model_dump_json())
            for name in stage.sections
        },
        "endpoints": _endpoints(event, stage),
        "event": {name: config[name] for name in stage.event},
        "decisions": [row.model_dump_json() for row in event.workspace.decisions(stage.name)],
    }
    if stage.roles:
        parts["mode"] = "live" if event.config.mode == "live" else "recorded"
    if stage.prompts and event.config.mode == "manual" and event.config.manual_dir:
        parts["answers"] = _answer_digests(
            Path(event.config.manual_dir), f"*_{stage.name}/*.answer.json"
        )
    if stage.prompts and event.config.mode == "replay" and event.run_file:
        parts["answers"] = _answer_digests(event.run_file.folder, f"*_{stage.name}.jsonl")
    if "imports" in stage.event:
        parts["imports"] = _import_digests(event)
        if event.run_file:
            parts["traffic"] = Workspace(event.run_file.folder).digest("sources")
    return sha256_bytes(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode())


def _outputs_intact(workspace: Workspace, record: StageRecord) -> bool:
    return all(workspace.digest(path) == digest for path, digest in record.outputs.items())


def _set_aside(event: Event, stage: Stage, say: Callable[[str], None]) -> None:
    """Keep a person's edit of an output that is about to be made anew, beside it as `name.edited.ext`."""
    record = read_manifest(event.workspace).stages.get(stage.name)
    if not stage.editable or record is None:
        return
    for path, made in record.outputs.items():
        if event.workspace.exists(path) and event.workspace.digest(path) != made:
            name = Path(path)
            aside = name.with_name(f"{name.stem}.edited{name.suffix}").as_posix()
            event.workspace.write_bytes(aside, event.workspace.path(path).read_bytes())
            say(f"{path} was edited and is made anew; the edit is kept as {aside}")


def stage_state(event: Event, stage: Stage, record: StageRecord | None) -> State:
    """done, stale, failed, waiting, pending or external."""
    if stage.name in external_stages(event.config.entry):
        return "external"
    if record is None:
        return "pending"
    if record.state == "done":
        same = record.fingerprint == fingerprint(event, stage)
        if stage.editable:
            kept = all(event.workspace.exists(path) for path in stage.outputs)
        else:
            kept = _outputs_intact(event.workspace, record)
        return "done" if same and kept else "stale"
    return record.state


def selected(event: Event, from_stage: str | None, to_stage: str | None) -> Sequence[Stage]:
    """The stages of a run in order; BadInput when a name is unknown or the order is reversed."""
    names = [stage.name for stage in STAGES]
    if from_stage:
        stage_named(from_stage)
    if to_stage:
        stage_named(to_stage)
    last = names.index(to_stage) if to_stage else len(names) - 1
    if from_stage and names.index(from_stage) > last:
        raise BadInput(f"--from {from_stage} comes after --to {to_stage}; swap them")
    outside = external_stages(event.config.entry)
    return [stage for stage in STAGES[: last + 1] if stage.name not in outside]


def check_budget(config: EventConfig, settings: Settings) -> None:
    """BadInput for a live event whose budget cannot be kept because no profile that it uses has a price."""
    if config.budget is None or config.mode != "live":
        return
    outside = external_stages(config.entry)
    roles = {role for stage in STAGES if stage.name not in outside for role in stage.roles}
    if roles and not any(has_price(settings.profile(role)) for role in roles):
        names = (settings.roles.get(role, "default") for role in roles)
        raise BadInput(
            f"the budget of {config.budget:g} cannot be kept: {price_missing(names)}, or leave the budget out "
            "(--budget, `budget` in event.toml)"
        )


async def _run(
    event: Event,
    *,
    from_stage: str | None,
    to_stage: str | None,
    force: bool,
    record_sources: Path | None,
    say: Callable[[str], None],
) -> RunOutcome:
    from factory.llm.gateway import open_gateway

    outcome = RunOutcome()
    workspace = event.workspace
    redo = False
    gateway = open_gateway(
        workspace=workspace,
        settings=event.settings,
        event=event.config,
        keys=event.keys,
        recording=event.run_file.folder if event.run_file else None,
        say=say,
    )
    async with gateway:
        for stage in selected(event, from_stage, to_stage):
            record = read_manifest(workspace).stages.get(stage.name)
            redo = redo or stage.name == from_stage
            if not redo and stage_state(event, stage, record) == "done":
                outcome.skipped.append(stage.name)
                continue
            number = next(i for i, known in enumerate(STAGES) if known.name == stage.name)
            await _run_stage(event, stage, gateway, number, force, record_sources, say)
            outcome.ran.append(stage.name)
    return outcome


async def _run_stage(
    event: Event,
    stage: Stage,
    gateway: Any,
    number: int,
    force: bool,
    record_sources: Path | None,
    say: Callable[[str], None],
) -> None:
    workspace = event.workspace
    context = StageContext(
        stage=stage.name,
        workspace=workspace,
        event=event.config,
        settings=event.settings,
        keys=event.keys,
        ask=gateway.for_stage(stage.name, number),
        now=event.now,
        scripted=event.scripted,
        recording=event.run_file.folder if event.run_file else None,
        record_sources=record_sources,
        force=force,
        say=say,
        decisions=tuple(workspace.decisions(stage.name)),
    )
    module, _, function = stage.run.partition(":")
    run: Run = getattr(importlib.import_module(module), function)
    mark = fingerprint(event, stage)
    started = time.monotonic()
    state: Literal["done", "failed", "waiting"] = "failed"
    message = ""
    counts: Counts | None = None
    say(f"{stage.name} …")
    _set_aside(event, stage, say)
    try:
        counts = await run(context)
        state = "done"
    except Stopped as error:
        state, message = "waiting", str(error)
        raise
    except FactoryError as error:
        message = str(error)
        raise
    except (KeyboardInterrupt, asyncio.CancelledError):
        state, message = "waiting", "interrupted"
        raise
    finally:
        workspace.replace_rows("rejected.jsonl", stage.name, context.rejections)
        workspace.replace_rows("reviews.jsonl", stage.name, context.reviews)
        usage = gateway.usage(stage.name)
        record = StageRecord(
            name=stage.name,
            state=state,
            fingerprint=mark,
            outputs={path: workspace.digest(path) for path in stage.outputs}
            if state == "done"
            else {},
            counts=counts,
            calls=usage.calls,
            paid_calls=usage.paid_calls,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost=usage.cost,
            seconds=round(time.monotonic() - started, 3),
            finished_at=datetime.now(UTC),
            message=message,
        )
        manifest = read_manifest(workspace)
        workspace.write(
            MANIFEST,
            WorkspaceManifest(
                factory_version=__version__, stages=manifest.stages | {stage.name: record}
            ),
        )
    assert counts is not None
    rejected = f", {counts.rejected} rejected" if counts.rejected else ""
    say(f"{stage.name}: {counts.received} in, {counts.kept} out{rejected}")


def run_event(
    event: Event,
    *,
    from_stage: str | None = None,
    to_stage: str | None = None,
    force: bool = False,
    record_sources: Path | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> RunOutcome:
    """Run what is not up to date, holding the event's lock.

    Raises WorkspaceBusy, BadInput, Stopped and the other FactoryErrors; a run that raised can be repeated.
    """
    check_budget(event.config, event.settings)
    if record_sources is not None:
        refuse_raw_recording(record_sources, event.config)
    with event.workspace.lock():
        event.workspace.check_rows()
        try:
            return asyncio.run(
                _run(
                    event,
                    from_stage=from_stage,
                    to_stage=to_stage,
                    force=force,
                    record_sources=record_sources,
                    say=say,
                )
            )
        except KeyboardInterrupt as error:
            raise Stopped(
                f"interrupted; continue with `factory run {event.config.slug}`, finished calls are kept"
            ) from error
        except sqlite3.DatabaseError as error:
            raise WorkspaceError(
                f"the database of {event.config.slug} cannot be used ({error}); move factory.db away and run "
                "again: finished stages stay, answers stored in it are asked again"
            ) from error
