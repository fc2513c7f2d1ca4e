"""A recorded run: its event settings, fixed keys and clock, from `run.toml` in the recording's folder.

Only a fictional event may fix its keys and put its raw side into a recording.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from factory.errors import BadInput, CassetteBroken
from factory.resources import recording_folder
from factory.settings import read_toml
from factory.workspace import first_problem
from schemas import EventConfig, Keys

RUN_FILE = "run.toml"
_KNOWN = {"event", "keys", "now", "scripted", "settings"}


@dataclass(frozen=True)
class RunFile:
    """What run.toml says."""

    folder: Path
    event: dict[str, Any]
    """Fields of EventConfig without slug, mode and paths."""
    now: datetime
    """The clock of the recorded run."""
    scripted: bool
    """True when the answers were written by hand."""
    keys: Keys | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        """The one line of the recorded event."""
        return str(self.event.get("topic", ""))


def load_run(name: str) -> RunFile:
    """Read a recording's run.toml by the recording's name or folder.

    Raises BadInput when there is no such recording, CassetteBroken when run.toml is missing or damaged.
    """
    folder = recording_folder(name)
    path = folder / RUN_FILE
    if not path.is_file():
        raise CassetteBroken(
            f"{folder} has no {RUN_FILE}, so it is not a recording; give the folder that `factory cassette record` wrote"
        )
    try:
        data = read_toml(path)
    except BadInput as error:
        raise CassetteBroken(str(error)) from error
    unknown = sorted(set(data) - _KNOWN)
    if unknown:
        raise CassetteBroken(
            f"{path} has unknown entries {', '.join(unknown)}; known are {', '.join(sorted(_KNOWN))}"
        )
    now = data.get("now")
    if not isinstance(now, datetime) or now.tzinfo is None:
        raise CassetteBroken(
            f"{path} needs `now`, an instant with a zone such as 2026-06-01T00:00:00Z"
        )
    event = data.get("event", {})
    keys = None
    if "keys" in data:
        if not event.get("fictional", False):
            raise CassetteBroken(
                f"{path} fixes keys, which only a recording of a fictional event may do"
            )
        try:
            keys = Keys.model_validate(data["keys"])
        except ValidationError as error:
            raise CassetteBroken(f"{path}: keys.{first_problem(error)}") from error
    return RunFile(
        folder=folder,
        event=event,
        now=now.astimezone(UTC),
        scripted=bool(data.get("scripted", False)),
        keys=keys,
        settings=data.get("settings", {}),
    )


def event_from(fields: dict[str, Any], origin: str) -> EventConfig:
    """Build EventConfig from TOML values; BadInput names the field and the file."""
    try:
        return EventConfig.model_validate_json(json.dumps(fields, default=str))
    except ValidationError as error:
        raise BadInput(f"bad entry in {origin}: {first_problem(error)}") from error


def refuse_raw_recording(folder: Path, event: EventConfig) -> None:
    """BadInput when source traffic of a real event would be recorded inside a version-controlled folder.

    What sources send names the event and real people, and a repository is published as a whole.
    """
    if event.fictional:
        return
    place = folder.resolve()
    for parent in (place, *place.parents):
        if any((parent / mark).exists() for mark in (".git", ".hg", ".svn", ".jj")):
            raise BadInput(
                f"{folder} lies in the repository {parent}, and source traffic of a real event shows real names; "
                "give a folder outside any repository, or set fictional = true if nothing in it is real"
            )
