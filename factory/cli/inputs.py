"""Commands around what goes in: import, sources."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, say


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
    zone: Annotated[str, typer.Option(help="IANA zone of dates without one.")] = "UTC",
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
                "zone": zone,
                "entry": "anonymised" if already_anonymised else "timeline",
                "already_anonymised": already_anonymised,
            },
            as_json=as_json,
        )
        return
    given = {
        "--name": name,
        "--topic": topic,
        "--lang": lang,
        "--already-anonymised": already_anonymised or None,
    }
    for option, value in given.items():
        if value is not None:
            raise BadInput(
                f"{option} belongs to an event, and reading items makes none; leave it out, make an event from "
                f"a timeline with --as timeline, or import items into one with `factory new-event TOPIC "
                f"--import {path}`"
            )
    from factory.importing import import_report

    report = import_report(path, format_=format_, zone=zone, corpus=corpus)
    if as_json:
        print(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
    else:
        for line in report.lines():
            print(line)
    if not report.items:
        say("no items: see the reasons above")
        sys.exit(1)


def _import_timeline(
    path: Path, name: str | None, workspace: Path, fields: dict[str, Any], *, as_json: bool
) -> None:
    """Make an event from a timeline; the file is read and checked before anything is written."""
    from datetime import UTC, datetime

    from factory.errors import BadInput
    from factory.events import check_slug, check_topic, create, make_slug, new_keys
    from factory.importing import read_entry
    from factory.recording import event_from

    if name is None:
        try:
            slug = check_slug(path.stem)
        except BadInput:
            slug = make_slug(path.stem)
        say(f"no --name given: the event is called {slug} after the file")
    else:
        slug = check_slug(name)
    fields = {"slug": slug, **fields, "topic": check_topic(fields["topic"] or path.stem)}
    keys = new_keys()
    found = read_entry(event_from(fields, "the command line"), keys, path, datetime.now(UTC))
    create(workspace / slug, fields, keys=keys, fill=found.write)
    if as_json:
        print(json.dumps({"event": slug, "nodes": found.nodes}, ensure_ascii=False))
        return
    print(f"event {slug}: {found.nodes} nodes; continue with `factory run {slug} --to points`")


def sources(as_json: JsonOption = False) -> None:
    """List connectors and importers: what each needs, whether it is configured, windows and caps."""
    import os

    from sources.registry import connectors

    rows: list[dict[str, Any]] = []
    for connector in connectors():
        missing = [variable for variable in connector.needs if not os.environ.get(variable)]
        rows.append(
            {
                "name": connector.name,
                "kind": connector.kind,
                "needs": list(connector.needs),
                "configured": not missing,
                "window": connector.window,
                "cap": connector.cap,
            }
        )
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    print(f"{'name':<14}{'kind':<10}{'ready':<7}{'window':<22}{'cap':<28}needs")
    for row in rows:
        print(
            f"{row['name']:<14}{row['kind']:<10}{'yes' if row['configured'] else 'no':<7}"
            f"{row['window']:<22}{row['cap']:<28}{', '.join(row['needs']) or 'nothing'}"
        )


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("import")(import_)
    app.command("sources")(sources)
