"""A recorded run: its event settings, fixed keys and clock, from `run.toml` in the recording's folder.

Only a fictional event may put its raw side into a recording. Keys may be fixed for one too, and for an event that
enters as a timeline whose names and dates were replaced elsewhere: it has no offset, no table and no raw side here, and
without its keys no id, and so no prompt, would come out the same. Such a recording names the timeline that it belongs
to by its digest and does not hold it.
"""

from __future__ import annotations

import hashlib
import json
import re
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
_KNOWN = {"event", "keys", "now", "scripted", "settings", "timeline"}


@dataclass(frozen=True)
class TimelineFile:
    """The timeline with which the recorded event begins, which is somebody else's text and not part of it."""

    digest: str
    """sha256 of the file's bytes, 64 hexadecimal digits."""
    origin: str
    """Where the file is found, who made it and under which licence, for a person."""


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
    timeline: TimelineFile | None = None
    """Set when the event begins with a timeline from elsewhere."""

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
        if not event.get("fictional", False) and not event.get("already_anonymised", False):
            raise CassetteBroken(
                f"{path} fixes keys, which only a recording of a fictional event, or of a timeline that was "
                "anonymised elsewhere, may do"
            )
        try:
            keys = Keys.model_validate(data["keys"], strict=False)  # TOML has lists only
        except ValidationError as error:
            raise CassetteBroken(f"{path}: keys.{first_problem(error)}") from error
    return RunFile(
        folder=folder,
        event=event,
        now=now.astimezone(UTC),
        scripted=bool(data.get("scripted", False)),
        keys=keys,
        settings=data.get("settings", {}),
        timeline=_timeline(data, path),
    )


def _timeline(data: dict[str, Any], path: Path) -> TimelineFile | None:
    """The table `timeline` of run.toml: digest and origin, both needed."""
    table = data.get("timeline")
    if table is None:
        return None
    digest, origin = (
        table.get(name) if isinstance(table, dict) else None for name in ("digest", "origin")
    )
    good = isinstance(digest, str) and re.fullmatch(r"[0-9a-f]{64}", digest)
    if not good or not isinstance(origin, str) or not origin or set(table) != {"digest", "origin"}:
        raise CassetteBroken(
            f"{path}: [timeline] needs `digest`, the sha256 of the file with which the event begins, and `origin`, "
            "where a reader finds it, and nothing else"
        )
    return TimelineFile(str(digest), origin)


def check_timeline(run: RunFile, file: Path) -> None:
    """BadInput unless a file is the timeline of a recording, to the byte: its prompts would be other ones."""
    if run.timeline is None:
        raise BadInput(
            f"the recording {run.folder.name} does not begin with a timeline; replay it with "
            f"`factory new-event --replay {run.folder.name}`"
        )
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != run.timeline.digest:
        raise BadInput(
            f"{file} is not the timeline of the recording {run.folder.name} (sha256 {found[:12]}…, recorded "
            f"{run.timeline.digest[:12]}…); it is found here: {run.timeline.origin}"
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
