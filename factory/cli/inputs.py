"""Commands around sources and items: import, sources, export."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, open_named, say
from factory.counting import count_of

if TYPE_CHECKING:
    from schemas import Recheck, SourceStatus


def import_(
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help="Importer name, or auto.")],
    path: Annotated[Path, typer.Argument(help="File or folder.")],
    as_: Annotated[str, typer.Option("--as", help="items or timeline.")] = "items",
    already_anonymised: Annotated[
        bool,
        typer.Option(
            "--already-anonymised",
            help="Timeline: its names and dates were replaced elsewhere.",
        ),
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(help="Timeline: name of the event made from it; the file's name otherwise."),
    ] = None,
    topic: Annotated[
        str | None, typer.Option(help="Timeline: what it is about, in one line.")
    ] = None,
    lang: Annotated[
        str | None, typer.Option(help="Timeline: its language, en (as without) or zh.")
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(
            help="IANA zone of times without one; otherwise that of their publisher, or UTC."
        ),
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(help="Timeline: the event answers from this recording of it."),
    ] = None,
    corpus: Annotated[
        bool, typer.Option("--corpus", help="Items: also deduplicate and print clusters.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Read files that you already have and say what became of each of them."""
    from factory.errors import BadInput

    if as_ not in ("items", "timeline"):
        raise BadInput(f"--as {as_!r} is unknown; use items or timeline")
    if lang not in (None, "en", "zh"):
        raise BadInput(f"--lang {lang!r} is not an edition; use en or zh")
    if not path.exists():
        raise BadInput(f"{path} does not exist; check the path")
    if as_ == "timeline":
        if format_ not in ("auto", "timeline"):
            raise BadInput(
                f"the format {format_!r} gives items, and --as timeline makes an event from a markdown "
                "timeline; write auto or timeline as the format, or leave --as timeline out"
            )
        if corpus:
            raise BadInput(
                "--corpus groups copies among items, and a timeline has none; leave it out, or read the file "
                "--as items"
            )
        _import_timeline(
            path,
            name,
            workspace,
            {
                "topic": topic,
                "lang": lang or "en",
                "zone": zone or "UTC",
                "entry": "anonymised" if already_anonymised else "timeline",
                "already_anonymised": already_anonymised,
            },
            as_json=as_json,
            replay=replay,
        )
        return
    given = {
        "--name": name,
        "--topic": topic,
        "--lang": lang,
        "--already-anonymised": already_anonymised or None,
        "--replay": replay,
    }
    for option, value in given.items():
        if value is not None:
            raise BadInput(
                f"{option} belongs to an event, and reading items makes none; leave it out, make an event from "
                f"a timeline with --as timeline, or import items into one with `factory new-event TOPIC "
                f"--import {path}`"
            )
    from factory.importing import import_report
    from factory.settings import load_settings

    report = import_report(path, load_settings(), format_=format_, zone=zone, corpus=corpus)
    if as_json:
        print(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
    else:
        for line in report.lines():
            print(line)
    if not report.items:
        say("no items: see the reasons above")
        sys.exit(1)


def _import_timeline(
    path: Path,
    name: str | None,
    workspace: Path,
    fields: dict[str, Any],
    *,
    as_json: bool,
    replay: str | None = None,
) -> None:
    """Make an event from a timeline; the file is read and checked before anything is written.

    With a recording the event has its keys, clock, settings and fields, and answers from it.
    """
    from datetime import UTC, datetime

    from factory.errors import BadInput
    from factory.events import check_slug, check_topic, create, make_slug, new_keys
    from factory.importing import read_entry
    from factory.recording import check_timeline, event_from, load_run
    from factory.settings import merge

    recording = load_run(replay) if replay else None
    if recording is not None:
        if not path.is_file():
            raise BadInput(f"{path} is no file; give one timeline in markdown")
        check_timeline(recording, path)
        name = name or recording.event.get("slug")
        given = {"topic": fields["topic"]} if fields["topic"] else {}
        fields = merge(fields | {"topic": recording.topic}, recording.event) | given
        fields |= {
            "mode": "replay",
            "recording": str(recording.folder.resolve()) if Path(str(replay)).is_dir() else replay,
        }
    if name is None:
        try:
            slug = check_slug(path.stem)
        except BadInput:
            slug = make_slug(path.stem)
        say(f"no --name given: the event is called {slug} after the file")
    else:
        slug = check_slug(name)
    fields = {"slug": slug, **fields, "topic": check_topic(fields["topic"] or path.stem)}
    keys = (recording.keys if recording else None) or new_keys()
    now = recording.now if recording else datetime.now(UTC)
    found = read_entry(event_from(fields, "the command line"), keys, path, now)
    create(workspace / slug, fields, keys=keys, fill=found.write)
    if as_json:
        print(json.dumps({"event": slug, "nodes": found.nodes}, ensure_ascii=False))
        return
    print(f"event {slug}: {found.nodes} nodes; continue with `factory run {slug} --to points`")


sources_app = typer.Typer()


@sources_app.callback(invoke_without_command=True)
def sources(
    context: typer.Context,
    check: Annotated[
        bool, typer.Option("--check", help="Make one cheap call to each that is configured.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List connectors and importers: what each needs, takes or reads, whether it is configured, limits."""
    if context.invoked_subcommand is not None:
        if check or as_json:
            from factory.errors import BadInput

            raise BadInput(
                f"--check and --json of `factory sources` do not go with {context.invoked_subcommand}; "
                "write options after it"
            )
        return
    import os

    from factory.settings import load_settings
    from factory.sourcecheck import failed, offline, status

    rows = status(os.environ, check=load_settings().collect if check else None)
    if as_json:
        print(
            json.dumps([row.model_dump(mode="json") for row in rows], ensure_ascii=False, indent=2)
        )
    elif check:
        _print_checks(rows)
    else:
        _print_sources(rows)
    for row in rows:
        if row.fault:
            say(row.fault)
    if check and offline(rows):
        say("nothing could be reached: this machine seems to be offline, or collect.proxy is wrong")
    if check and failed(rows):
        sys.exit(1)


def _print_sources(rows: list[SourceStatus]) -> None:
    """Connectors with what each needs, what a query is and its limits; importers with what each reads."""
    connectors = [row for row in rows if row.kind == "connector"]
    importers = [row for row in rows if row.kind == "importer"]
    width = max(len(row.name) for row in rows) + 2
    print(f"{'connector':<{width}}{'ready':<8}{'window':<8}needs")
    for row in connectors:
        needs = ", ".join(row.needs) or "nothing"
        if row.optional:
            needs += f" (can use {', '.join(row.optional)})"
        print(f"{row.name:<{width}}{_ready(row):<8}{row.window:<8}{needs}")
        for word, text in (("query", row.takes), ("limits", row.cap)):
            if text and not row.fault:
                print(f"{'':<{width}}{word + ':':<8}{text}")
    print(f"\n{'importer':<{width}}{'ready':<8}reads")
    for row in importers:
        print(f"{row.name:<{width}}{_ready(row):<8}{row.takes}".rstrip())


def _ready(row: SourceStatus) -> str:
    return "broken" if row.fault else "yes" if row.configured else "no"


def _print_checks(rows: list[SourceStatus]) -> None:
    for row in rows:
        if row.check is not None:
            took = "" if row.check.seconds is None else f"{row.check.seconds:.2f} s"
            line = (
                f"{row.name:<15}{row.check.state:<16}{row.check.outcome or '':<14}{took:<10}"
                f"{row.check.note}"
            )
            print(line.rstrip())


@sources_app.command("recheck")
def recheck_(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Ask each platform whether stored posts and pages still exist; what is gone leaves the next run."""
    import os
    from datetime import UTC, datetime

    from factory.people import recheck

    found = recheck(open_named(event, workspace), env=os.environ, now=datetime.now(UTC), say=say)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print_recheck(found)
    changed = found.newly_gone + found.back
    if changed:
        say(
            f"{found.newly_gone} newly gone, {found.back} back again; "
            f"`factory run {event}` takes that into the corpus and all that follows"
        )
    elif not any(row.there or row.gone for row in found.platforms):
        say("no platform gave an answer, so nothing is known and nothing was changed")
    else:
        say("nothing changed since the last look")


def _print_recheck(found: Recheck) -> None:
    print(f"{'platform':<15}{'stored':>8}{'there':>8}{'gone':>8}{'not known':>11}")
    for row in found.platforms:
        print(f"{row.platform:<15}{row.asked:>8}{row.there:>8}{row.gone:>8}{row.not_known:>11}")
        if row.note:
            print(f"  {row.note}")


def export(
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help="What to export: items.")],
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    out: Annotated[Path, typer.Argument(help="New folder for the export.")],
    mode: Annotated[
        str, typer.Option(help="text: items with their words; ids: platform, id, address and day.")
    ] = "text",
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Write an event's items without authors and without what was deleted."""
    from factory.errors import BadInput
    from factory.exporting import export_items

    if format_ != "items":
        raise BadInput(f"the export format {format_!r} is unknown; write items")
    done = export_items(open_named(event, workspace), out, mode)
    print(done.folder)
    left = f", {done.deleted} left out because they were deleted" if done.deleted else ""
    say(
        f"{count_of(done.items, 'item')}{left}; {out / 'README.md'} says what may be done with them"
    )


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("import")(import_)
    app.add_typer(sources_app, name="sources")
    app.command("export")(export)
