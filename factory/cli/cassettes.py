"""Commands around recordings: cassette record, check, show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from factory.cli.common import WORKSPACES, WorkspaceOption, open_named, say
from factory.counting import count_of

group = typer.Typer(
    help="Record, check and look into recordings.", no_args_is_help=True, rich_markup_mode=None
)


@group.command("record")
def record(
    event: Annotated[str, typer.Argument(help="Name or folder of a finished event.")],
    into: Annotated[Path, typer.Option(help="Folder of the recording.")],
    stage: Annotated[list[str] | None, typer.Option(help="Only this stage; repeatable.")] = None,
    without_prompts: Annotated[
        bool,
        typer.Option(
            "--without-prompts",
            help="Leave out the words of the prompts and what answers copy of them; replay needs the text itself.",
        ),
    ] = False,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Write the model answers of an event into a recording, one readable line a call."""
    from factory.llm.replay import record_answers

    opened = open_named(event, workspace)
    for path, count in record_answers(
        opened.workspace, opened.config, into, stages=stage or None, prompts=not without_prompts
    ).items():
        print(f"{path}: {count_of(count, 'call')}")


@group.command("carry")
def carry(
    event: Annotated[str, typer.Argument(help="Name or folder of the event that will run.")],
    recording: Annotated[
        str, typer.Option("--from", help="Recording whose answers are carried over.")
    ],
    stage: Annotated[list[str] | None, typer.Option(help="Only this stage; repeatable.")] = None,
    workspace: WorkspaceOption = WORKSPACES,
) -> None:
    """Let an event reuse recorded answers by stage and item where a prompt changed; each is validated again."""
    from factory.llm.replay import carry_answers
    from factory.resources import recording_folder

    opened = open_named(event, workspace)
    count = carry_answers(recording_folder(recording), opened.workspace, stages=stage or None)
    say(f"{count} answers are offered to {event}; run `factory run {event}`")


@group.command("check")
def check(
    recording: Annotated[str, typer.Argument(help="Name or folder of a recording.")],
) -> None:
    """Validate a recording: every line reads, no secret, no header beyond the allow-list."""
    from factory.llm.replay import check_recording
    from factory.resources import recording_folder

    report = check_recording(recording_folder(recording))
    for line in report.lines:
        print(line)
    if report.problems:
        for problem in report.problems:
            print(f"problem: {problem}")
        sys.exit(1)


@group.command("show")
def show(
    recording: Annotated[str, typer.Argument(help="Name or folder of a recording.")],
    what: Annotated[str, typer.Argument(help="Key, item or stage.")],
) -> None:
    """Print recorded calls: the prompt as sent and the answer."""
    from factory.llm.replay import show_calls
    from factory.resources import recording_folder

    print(show_calls(recording_folder(recording), what))


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="cassette")
