"""Commands around one event: new-event, run, status, estimate, review."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from factory.events import Event

WORKSPACES = Path("workspaces")
BAD_INPUT = 2
"""Exit code of what a person has to correct first; no report is shown before it."""
WorkspaceOption = Annotated[
    Path, typer.Option("--workspace", help="Folder that holds the events.", show_default=True)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]


def say(line: str) -> None:
    """Progress goes to stderr."""
    print(line, file=sys.stderr, flush=True)


def parse_day(text: str | None, option: str) -> date | None:
    """A day from an option; BadInput names the option."""
    from factory.errors import BadInput

    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"{option} {text!r} is not a date; write it as YYYY-MM-DD") from error


def open_named(name: str, workspace: Path) -> Event:
    """Open an event by name or path."""
    from factory.events import find, open_event

    return open_event(find(name, workspace))


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

    root, config = event.workspace.root, event.config
    folder = manual_folder(given, config.slug)
    if config.mode == "manual" and config.manual_dir in (folder, str(given.resolve())):
        return event
    with event.workspace.lock():
        update(root, {"mode": "manual", "manual_dir": folder})
    say(
        f"event {config.slug} is answered by hand from now on, in {folder}; stored answers are kept"
    )
    return open_event(root)


def print_plan(event: Event) -> None:
    """The plan and its estimate, for a person to confirm."""
    from schemas import Plan

    plan = event.workspace.read(Plan, "00_plan/plan.json")
    say(f"\n{plan.title}\n  window   {plan.since} to {plan.until} ({plan.zone})")
    say(f"  domain   {plan.domain}\n  stance   towards {plan.stance_target}")
    for query in plan.queries:
        say(f"  {query.source:<9}{query.lang}  {query.query}")
    print_estimate(event, sys.stderr)


def print_estimate(event: Event, stream: Any) -> None:
    """Calls, tokens and cost of each stage that is still to be asked."""
    from factory.estimate import estimate, price_missing, sizes_of
    from factory.status import event_status

    finished = {row.name for row in event_status(event).stages if row.state in ("done", "external")}
    rows = [
        row
        for row in estimate(event.settings, sizes_of(event.workspace, event.config))
        if row.calls and row.stage not in finished
    ]
    if not rows:
        print("nothing is left to ask: every stage that asks a model is done", file=stream)
        return
    # Recorded and hand-written answers cost nothing, so no price is missed.
    unknown = {row.unpriced for row in rows if row.unpriced and event.config.mode == "live"}
    cost = "?" if unknown else f"{sum(row.cost for row in rows):.2f}"
    print(
        f"\n{'stage':<22}{'calls':>7}{'tokens in':>12}{'tokens out':>12}{'cost':>10}", file=stream
    )
    for row in rows:
        own = "?" if row.unpriced in unknown else f"{row.cost:.2f}"
        print(
            f"{row.stage:<22}{row.calls:>7}{row.prompt_tokens:>12,}{row.completion_tokens:>12,}{own:>10}",
            file=stream,
        )
    print(
        f"{'all':<22}{sum(r.calls for r in rows):>7}{sum(r.prompt_tokens for r in rows):>12,}"
        f"{sum(r.completion_tokens for r in rows):>12,}{cost:>10}\n",
        file=stream,
    )
    if unknown:
        print(price_missing(unknown), file=stream)


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
        list[Path] | None, typer.Option("--import", help="Import a file or folder; repeatable.")
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
    if imports:
        from factory.importing import check_importable

        for path in imports:
            check_importable(path)
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
        "imports": [{"path": str(path.resolve())} for path in imports or ()] or None,
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


def status(
    event: Annotated[
        str | None, typer.Argument(help="Name or folder of the event; all events otherwise.")
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Show each stage: done, stale, failed, waiting; counts, calls, tokens and cost."""
    from factory.errors import FactoryError
    from factory.events import listed, open_event
    from factory.status import event_status

    if event is None:
        folders = listed(workspace)
        if as_json:
            print(json.dumps([folder.name for folder in folders]))
        elif not folders:
            say(f"no events in {workspace}; create one with `factory new-event`")
        for folder in folders if not as_json else ():
            try:
                rows = event_status(open_event(folder)).stages
            except FactoryError as error:
                print(f"{folder.name:<42}damaged: {error}")
                continue
            done = sum(row.state in ("done", "external") for row in rows)
            print(f"{folder.name:<42}{done} of {len(rows)} stages done")
        return
    report = event_status(open_named(event, workspace))
    if as_json:
        print(report.model_dump_json(indent=2))
        return
    print(
        f"{'stage':<22}{'state':<10}{'in':>7}{'out':>7}{'rejected':>10}{'calls':>7}{'tokens':>10}{'cost':>9}"
    )
    for row in report.stages:
        counts = (row.received, row.kept, row.rejected)
        cells = "".join(
            f"{'' if value is None else value:>{width}}"
            for value, width in zip(counts, (7, 7, 10), strict=True)
        )
        print(
            f"{row.name:<22}{row.state:<10}{cells}{row.calls:>7}{row.tokens:>10,}{row.cost:>9.2f}"
        )
        if row.message:
            print(f"  {row.message}")
    if report.waiting_reviews:
        print(f"{report.waiting_reviews} decisions wait: `factory review {report.event}`")


def estimate(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Print calls, tokens and cost per stage before any is spent."""
    print_estimate(open_named(event, workspace), sys.stdout)


def review(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    decide: Annotated[
        list[str] | None, typer.Option(help="Record a decision: REVIEW_ID=CHOICE; repeatable.")
    ] = None,
    note: Annotated[str, typer.Option(help="A note kept with the decisions.")] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """List what waits for a person and record decisions; they are inputs and survive reruns."""
    from factory.errors import BadInput
    from schemas import Decision

    opened = open_named(event, workspace)
    requests = {request.review_id: request for request in opened.workspace.reviews()}
    for row in decide or ():
        review_id, _, choice = row.partition("=")
        if review_id not in requests:
            raise BadInput(f"nothing with id {review_id!r} waits; see `factory review {event}`")
        request = requests[review_id]
        if choice not in request.options:
            raise BadInput(
                f"{choice!r} is no choice for {review_id}; choose {' or '.join(request.options)}"
            )
        opened.workspace.decide(
            Decision(
                stage=request.stage,
                review_id=review_id,
                choice=choice,
                note=note,
                decided_at=datetime.now(UTC),
            )
        )
        say(f"{review_id}: {choice}")
    decided = {decision.review_id for decision in opened.workspace.decisions()}
    waiting = [request for request in requests.values() if request.review_id not in decided]
    if as_json:
        print(
            json.dumps(
                [json.loads(request.model_dump_json()) for request in waiting], ensure_ascii=False
            )
        )
        return
    for request in waiting:
        print(f"{request.review_id}  [{request.stage}/{request.kind}] {request.question}")
        if request.detail:
            print("    " + request.detail.replace("\n", "\n    "))
        print(f"    --decide {request.review_id}=({'|'.join(request.options)})")
    if not waiting:
        say("nothing waits for a decision")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("new-event")(new_event)
    app.command("run")(run)
    app.command("status")(status)
    app.command("estimate")(estimate)
    app.command("review")(review)
