"""Commands that run an event: new-event, run."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factory.cli.common import WORKSPACES, WorkspaceOption, open_named, parse_day, say
from factory.cli.progress import print_estimate

if TYPE_CHECKING:
    from factory.events import Event
    from factory.recording import RunFile
    from schemas import ImportSpec

BAD_INPUT = 2


def finish(
    event: Event,
    *,
    from_stage: str | None = None,
    to_stage: str | None = None,
    force: bool = False,
    record_sources: Path | None = None,
) -> None:
    """Run the event, write its report once a stage ran, and print where things are."""
    from factory.errors import FactoryError
    from factory.report import write_report
    from factory.running import MANIFEST, run_event

    before = event.workspace.digest(MANIFEST)
    try:
        outcome = run_event(
            event,
            from_stage=from_stage,
            to_stage=to_stage,
            force=force,
            record_sources=record_sources,
            say=say,
        )
    except FactoryError as error:
        if event.workspace.digest(MANIFEST) != before:
            with suppress(FactoryError):
                written = write_report(event.workspace)
                if error.exit_code != BAD_INPUT:
                    say(f"report: {written}")
        raise
    # Nothing was ever run when all stages up to --to are supplied from outside.
    report = write_report(event.workspace) if event.workspace.exists(MANIFEST) else None
    if not outcome.ran:
        say(f"nothing to do: all {len(outcome.skipped)} stages are up to date")
    release = event.workspace.path("09_release")
    if release.is_dir() and to_stage in (None, "release"):
        manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
        counts = manifest["counts"]
        marks = [word for word in ("fictional", "scripted") if manifest[word]]
        if manifest.get("waived"):
            marks.append("waived: " + ", ".join(manifest["waived"]))
        if manifest["ungated"]:
            marks.append("ungated: " + ", ".join(manifest["ungated"]))
        print(f"bundle: {release}")
        print(f"report: {report}")
        print(
            f"{counts.get('nodes', 0)} nodes, {counts.get('points', 0)} points, "
            f"{counts.get('questions', 0)} questions and {counts.get('events', 0)} dated events an edition"
            + (f" ({'; '.join(marks)})" if marks else "")
        )
    elif report:
        say(f"report: {report}")


def manual_folder(given: Path, slug: str) -> str:
    """The folder of one event's prompts and answers inside the one given with --manual."""
    from factory.llm.manual import check_folder

    folder = given.resolve() / slug
    check_folder(folder)
    return str(folder)


def answer_by_hand(event: Event, given: Path) -> Event:
    """Switch an event to manual mode, in event.toml, and open it again; a folder that it already uses stays."""
    from factory.events import open_event, update
    from factory.regenerating import done_stages, keep_done

    root, config = event.workspace.root, event.config
    folder = manual_folder(given, config.slug)
    if config.mode == "manual" and config.manual_dir in (folder, str(given.resolve())):
        return event
    with event.workspace.lock():
        done = done_stages(event)
        update(root, {"mode": "manual", "manual_dir": folder})
        switched = open_event(root)
        keep_done(switched, done)
    say(
        f"event {config.slug} is answered by hand from now on, in {folder}; stored answers are kept"
    )
    return switched


def print_plan(event: Event) -> None:
    """The plan and its estimate, for a person to confirm."""
    from schemas import Plan

    plan = event.workspace.read(Plan, "00_plan/plan.json")
    say(f"\n{plan.title}\n  window   {plan.since} to {plan.until} ({plan.zone})")
    say(f"  domain   {plan.domain}\n  stance   towards {plan.stance_target}")
    for query in plan.queries:
        say(f"  {query.source:<9}{query.lang}  {query.query}")
    print_estimate(event, sys.stderr)


def _imports(given: list[str], recording: RunFile | None) -> list[ImportSpec]:
    """What is to be imported, checked before an event is made."""
    from factory.importing import check_importable, import_spec
    from factory.settings import load_settings

    settings = load_settings(recording=recording.settings if recording else None)
    specs = [import_spec(text) for text in given]
    for spec in specs:
        check_importable(Path(spec.path), settings.collect, spec.format)
    return specs


def new_event(
    topic: Annotated[str, typer.Argument(help="The event in one line.")] = "",
    name: Annotated[
        str | None, typer.Option(help="Folder name; made from the topic otherwise.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="First day, YYYY-MM-DD.")] = None,
    until: Annotated[str | None, typer.Option(help="Last day, YYYY-MM-DD.")] = None,
    lang: Annotated[str | None, typer.Option(help="Master language: en or zh.")] = None,
    zone: Annotated[str | None, typer.Option(help="IANA time zone of the event.")] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Use only this connector; repeatable.")
    ] = None,
    imports: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="[FORMAT=]PATH",
            help="Import a file or folder, its format told from it or given; repeatable.",
        ),
    ] = None,
    points: Annotated[int | None, typer.Option(help="Cutoffs wanted.", min=1)] = None,
    to: Annotated[str | None, typer.Option(help="Stop after this stage.")] = None,
    budget: Annotated[
        float | None, typer.Option(help="Stop cleanly before this cost.", min=0.0)
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before spending.")] = False,
    replay: Annotated[str | None, typer.Option(help="Answer from this recording.")] = None,
    manual: Annotated[
        Path | None,
        typer.Option(help="Answer by hand: prompts and answers in this folder's <name>/."),
    ] = None,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Make a benchmark from one line: plan, collect, distil, anonymise, ask, resolve, audit, release."""
    from factory.errors import BadInput, Stopped
    from factory.events import check_slug, check_topic, create, make_slug, open_event, update
    from factory.plan import check_given
    from factory.recording import event_from, load_run
    from factory.running import check_budget, stage_named
    from factory.settings import load_settings, merge

    recording = load_run(replay) if replay else None
    if recording and recording.timeline:
        raise BadInput(
            f"recording {replay!r} begins with a timeline that it does not hold; get the file "
            f"({recording.timeline.origin}) and make its event with `factory import auto FILE --as timeline "
            f"--already-anonymised --replay {replay}`"
        )
    topic = check_topic(topic or (recording.topic if recording else ""))
    if recording and topic != recording.topic:
        raise BadInput(
            f"recording {replay!r} answers only its own topic, {recording.topic!r}; use that topic, or leave "
            "--replay out to ask a model"
        )
    if lang not in (None, "en", "zh"):
        raise BadInput(f"--lang {lang!r} is not an edition; use en or zh")
    if to:
        stage_named(to)
    specs = _imports(imports, recording) if imports else []
    slug = check_slug(
        name or (recording.event.get("slug") if recording else None) or make_slug(topic)
    )
    fields: dict[str, Any] = {"slug": slug, "topic": topic}
    given = {
        "since": parse_day(since, "--since"),
        "until": parse_day(until, "--until"),
        "lang": lang,
        "zone": zone,
        "points": points,
        "budget": budget,
        "sources": source or None,
        "imports": [spec.model_dump(exclude_defaults=True) for spec in specs] or None,
    }
    fields |= {key: value for key, value in given.items() if value is not None}
    fields["mode"] = "manual" if manual else "replay" if recording else "live"
    if replay:
        fields["recording"] = replay if not Path(replay).is_dir() else str(Path(replay).resolve())
    if manual:
        fields["manual_dir"] = manual_folder(manual, slug)
    root = workspace / slug
    if (root / "event.toml").exists():
        event = open_event(root)
        if event.config.topic != topic or event.config.mode != fields["mode"]:
            by_hand = " --manual DIR" if manual and event.config.topic == topic else ""
            raise BadInput(
                f"event {slug} exists with another topic or mode; continue it with `factory run {slug}{by_hand}` "
                "or choose another --name"
            )
        flags = {key: value for key, value in fields.items() if key in given}
        config = event_from(json.loads(event.config.model_dump_json()) | flags, "the command line")
        check_given(config, event.now)
        check_budget(config, event.settings)
        changed = update(root, flags)
        say(
            f"event {slug} exists; continuing it"
            + (f" with new {', '.join(changed)}" if changed else "")
        )
        event = open_event(root)
        if manual and event.config.manual_dir not in (fields["manual_dir"], str(manual.resolve())):
            say(
                f"its prompts stay in {event.config.manual_dir}; `factory run {slug} --manual DIR` chooses another"
            )
    else:
        config = event_from(merge(recording.event if recording else {}, fields), "the new event")
        check_given(config, recording.now if recording else datetime.now(UTC))
        check_budget(config, load_settings(recording=recording.settings if recording else None))
        event = create(root, fields, recording=recording)
        say(f"event {slug} in {root}")
    if not yes:
        from factory.running import run_event

        run_event(event, to_stage="plan", say=say)
        print_plan(event)
        if not sys.stdin.isatty():
            raise Stopped(
                f"the plan waits for you: read or edit {root / '00_plan' / 'plan.json'}, then `factory run {slug}`"
            )
        try:
            agreed = typer.confirm("Go on?", err=True)
        except typer.Abort:
            say("")
            agreed = False
        if not agreed:
            raise Stopped(f"stopped after the plan; continue with `factory run {slug}`")
    finish(event, to_stage=to)


def run(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    from_: Annotated[str | None, typer.Option("--from", help="Redo from this stage.")] = None,
    to: Annotated[str | None, typer.Option(help="Stop after this stage.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Release although forceable gates did not pass.")
    ] = False,
    record_sources: Annotated[
        Path | None, typer.Option(help="Record source traffic into this recording's folder.")
    ] = None,
    manual: Annotated[
        Path | None,
        typer.Option(
            help="Answer by hand from now on: prompts and answers in this folder's <name>/."
        ),
    ] = None,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Continue an event: run what is missing or out of date, in the event's own mode."""
    opened = open_named(event, workspace)
    if manual:
        opened = answer_by_hand(opened, manual)
    finish(
        opened,
        from_stage=from_,
        to_stage=to,
        force=force,
        record_sources=record_sources,
    )


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("new-event")(new_event)
    app.command("run")(run)
