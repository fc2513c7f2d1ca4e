"""What the commands share: where events are, how a line is said, and how an event is opened."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from factory.events import Event

WORKSPACES = Path("workspaces")
"""Folder of the events, where no other is named."""
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


def located(path: Path, workspace: Path) -> Path:
    """A path as given, or the folder of an event of that name."""
    from factory.errors import BadInput

    if path.exists():
        return path
    if (workspace / path / "event.toml").is_file():
        return workspace / path
    raise BadInput(f"{path} does not exist, and no event of that name is in {workspace}")
