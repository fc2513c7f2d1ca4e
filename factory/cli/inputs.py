"""Commands around what goes in: import, sources."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from factory.cli.events import WORKSPACES, JsonOption, WorkspaceOption, say


def import_(
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help="Importer name, or auto.")],
    path: Annotated[Path, typer.Argument(help="File or folder.")],
    as_: Annotated[str, typer.Option("--as", help="items or timeline.")] = "items",
    already_anonymised: Annotated[
        bool,
        typer.Option(
            "--already-anonymised", help="Names and dates of this timeline were replaced elsewhere."
        ),
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(help="Event to make from it; a timeline needs one, items only with a corpus."),
    ] = None,
    topic: Annotated[str | None, typer.Option(help="What it is about, one line.")] = None,
    lang: Annotated[str, typer.Option(help="Master language: en or zh.")] = "en",
    zone: Annotated[str, typer.Option(help="IANA zone of dates without one.")] = "UTC",
    corpus: Annotated[
        bool, typer.Option("--corpus", help="Also deduplicate and print clusters.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Read files that you already have and say what became of each of them."""
    from factory.errors import BadInput

    if not path.exists():
        raise BadInput(f"{path} does not exist; check the path")
    if as_ == "timeline":
        from factory.events import check_topic, create, make_slug
        from factory.importing import write_timeline

        slug = name or make_slug(path.stem)
        event = create(
            workspace / slug,
            {
                "slug": slug,
                "topic": check_topic(topic or path.stem),
                "lang": lang,
                "zone": zone,
                "entry": "anonymised" if already_anonymised else "timeline",
                "already_anonymised": already_anonymised,
            },
        )
        nodes = write_timeline(event.workspace, event.config, event.keys, path, event.now)
        print(f"event {slug}: {nodes} nodes; continue with `factory run {slug} --to points`")
        return
    if as_ != "items":
        raise BadInput(f"--as {as_!r} is unknown; use items or timeline")
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
