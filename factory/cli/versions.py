"""Commands around versions of an event: regenerate, diff."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from factory.cli.common import WORKSPACES, JsonOption, WorkspaceOption, located, open_named, say
from factory.cli.events import answer_by_hand, finish
from factory.cli.progress import print_estimate


def regenerate(
    event: Annotated[str, typer.Argument(help="Name or folder of the event.")],
    prompts: Annotated[
        Path, typer.Option(help="Folder of changed prompts, for example with claims/outcomes.md.")
    ],
    name: Annotated[
        str | None, typer.Option(help="Folder name of the version; EVENT-v2 and so on otherwise.")
    ] = None,
    to: Annotated[str | None, typer.Option(help="Stop after this stage.")] = None,
    manual: Annotated[
        Path | None,
        typer.Option(help="Answer by hand: prompts and answers in this folder's <name>/."),
    ] = None,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Make a version of an event with other prompts beside it, and run what they change."""
    from factory.regenerating import make_version
    from factory.running import stage_named

    if to:
        stage_named(to)
    original = open_named(event, workspace)
    version = make_version(original, prompts, name=name, manual=manual)
    made = version.event
    slug = made.config.slug
    say(
        f"event {slug} in {made.workspace.root}: a version of {original.config.slug} with another "
        f"{' and '.join(version.changed)}" + ("; it was begun before and goes on" * version.resumed)
    )
    if version.resumed and manual:
        made = answer_by_hand(made, manual)
    say(
        f"kept: {', '.join(version.kept) or 'nothing'}; asked again: {', '.join(version.again)}, "
        "and what depends on it"
    )
    print_estimate(made, sys.stderr)
    finish(made, to_stage=to)
    say(f"compare them with `factory diff {original.config.slug} {slug}`")


def diff(
    a: Annotated[Path, typer.Argument(help="An event's name or folder, or a bundle.")],
    b: Annotated[Path, typer.Argument(help="Another one.")],
    limit: Annotated[int, typer.Option(help="Rows shown of each list; 0 shows all.", min=0)] = 10,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Show two banks side by side: gates, counts, quotas, scores, and what became of each question."""
    from factory.differing import compare
    from factory.difftext import print_lines

    found = compare(located(a, workspace), located(b, workspace))
    if as_json:
        print(found.model_dump_json(indent=2))
        return
    for line in print_lines(found, limit=limit or None):
        print(line)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("regenerate")(regenerate)
    app.command("diff")(diff)
