"""Events on disk: creating, opening and listing them. `event.toml` is the event's own settings file."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomli_w

from factory.errors import BadInput, WorkspaceError
from factory.recording import RunFile, event_from, load_run
from factory.settings import Settings, load_settings, merge, read_toml
from factory.workspace import Workspace
from schemas import EventConfig, Keys

TOPIC_LIMIT = 500
SLUG_LIMIT = 80
KEYS = "secret/keys.json"


@dataclass(frozen=True)
class Event:
    """An opened event: its folder, its settings and, in replay, its recording."""

    workspace: Workspace
    config: EventConfig
    settings: Settings
    keys: Keys
    run_file: RunFile | None

    @property
    def now(self) -> datetime:
        """The recorded clock in replay and manual runs of a recording, else the real one."""
        return self.run_file.now if self.run_file else datetime.now(UTC)

    @property
    def scripted(self) -> bool:
        """True when answers are written by hand."""
        return self.config.mode == "manual" or bool(self.run_file and self.run_file.scripted)


def check_topic(topic: str) -> str:
    """A topic as one clean line; BadInput when it is empty or too long."""
    line = " ".join(topic.split())
    if not any(character.isalnum() for character in line):
        raise BadInput(
            'the topic is empty; describe the event in one line, for example "the Harbour Line ferry closure"'
        )
    if len(line) > TOPIC_LIMIT:
        raise BadInput(
            f"the topic has {len(line):,} characters; one line of at most {TOPIC_LIMIT} is enough, "
            "longer material belongs into an import (--import PATH)"
        )
    return line


def make_slug(topic: str) -> str:
    """A folder name from a topic: its ASCII words, else a short digest."""
    ascii_text = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", ascii_text.lower())
    slug = "-".join(words)[:40].strip("-")
    return slug or "event-" + hashlib.sha256(topic.encode()).hexdigest()[:8]


def check_slug(slug: str) -> str:
    """An event's name that is one folder inside the workspace; BadInput when it could be more than that."""
    name = unicodedata.normalize("NFC", slug)
    if len(name) > SLUG_LIMIT or not re.fullmatch(r"\w[\w.-]*", name):
        raise BadInput(
            f"--name {slug!r} cannot be a folder name; use letters, digits, hyphens, underscores and dots, "
            f"no hyphen or dot first, at most {SLUG_LIMIT} of them"
        )
    return name


def new_keys() -> Keys:
    """Fresh keys from the system's randomness."""
    return Keys(public_id="e" + secrets.token_hex(4), salt=secrets.token_hex(16))


def event_settings(event_file: dict[str, Any]) -> dict[str, Any]:
    """The settings table of event.toml."""
    table = event_file.get("settings", {})
    return table if isinstance(table, dict) else {}


def create(
    root: Path,
    fields: dict[str, Any],
    *,
    settings: dict[str, Any] | None = None,
    recording: RunFile | None = None,
    keys: Keys | None = None,
    fill: Callable[[Workspace], None] | None = None,
) -> Event:
    """Make a new event folder and open it.

    `fields` are EventConfig fields; a recording supplies those not given, and its keys unless `keys` are
    given. `fill` writes the event's first artefacts. BadInput when the folder already holds another event.
    When anything fails, nothing of the event is left; event.toml is written last.
    """
    if root.exists() and not root.is_dir():
        raise BadInput(f"{root} is a file, not a folder; choose another --name or --workspace")
    if (root / "event.toml").exists():
        raise BadInput(
            f"event {root.name} exists; continue it with `factory run {root.name}` or choose another --name"
        )
    merged = merge(recording.event if recording else {}, fields)
    config = event_from(merged, "the new event")
    workspace = Workspace(root)
    keys = keys or (recording.keys if recording else None) or new_keys()
    body = json.loads(config.model_dump_json(exclude_none=True))
    if settings:
        body["settings"] = settings
    with _all_or_nothing(root):
        workspace.write(KEYS, keys)
        if fill is not None:
            fill(workspace)
        workspace.write_text("event.toml", tomli_w.dumps(body))
        return open_event(root)


@contextmanager
def _all_or_nothing(root: Path) -> Iterator[None]:
    """When the block fails, remove what it added: the folder with the parents made for it, or the new files."""
    new = [folder for folder in (root, *root.parents) if not folder.exists()]
    before = set(root.rglob("*"))
    try:
        yield
    except BaseException:
        with suppress(OSError):
            if new:
                shutil.rmtree(root, ignore_errors=True)
                for folder in new[1:]:
                    folder.rmdir()
            else:
                for path in sorted(set(root.rglob("*")) - before, reverse=True):
                    path.rmdir() if path.is_dir() else path.unlink()
        raise


def update(root: Path, fields: dict[str, Any]) -> list[str]:
    """Lay newly given flags over event.toml; returns the names that changed."""
    data = read_toml(root / "event.toml")
    config = event_from(
        {key: value for key, value in data.items() if key != "settings"}, f"{root / 'event.toml'}"
    )
    before = json.loads(config.model_dump_json(exclude_none=True))
    after = json.loads(
        event_from(before | fields, "the command line").model_dump_json(exclude_none=True)
    )
    changed = sorted(key for key in after if after[key] != before.get(key))
    if changed:
        body = after | ({"settings": data["settings"]} if "settings" in data else {})
        Workspace(root).write_text("event.toml", tomli_w.dumps(body))
    return changed


def open_event(root: Path, *, flags: dict[str, Any] | None = None) -> Event:
    """Open an event with its settings; BadInput when the folder is none or a setting is unknown."""
    workspace = Workspace.open(root)
    data = read_toml(root / "event.toml")
    own = _own_prompts(event_settings(data), root)
    config = event_from(
        {key: value for key, value in data.items() if key != "settings"}, f"{root / 'event.toml'}"
    )
    run_file = load_run(config.recording) if config.recording else None
    settings = load_settings(
        event=own, flags=flags, recording=run_file.settings if run_file else None
    )
    return Event(workspace, config, settings, _read_keys(workspace), run_file)


def _own_prompts(settings: dict[str, Any], root: Path) -> dict[str, Any]:
    """The event's settings; a prompts folder that lies in the event's own folder is found wherever that is."""
    name = settings.get("prompts_dir")
    if isinstance(name, str) and name and (root / name).is_dir():
        return settings | {"prompts_dir": str(root / name)}
    return settings


def _read_keys(workspace: Workspace) -> Keys:
    """The event's keys; WorkspaceError when they are gone, because no run can make them again."""
    try:
        return workspace.read(Keys, KEYS)
    except WorkspaceError as error:
        if workspace.exists(KEYS):
            raise
        raise WorkspaceError(
            f"{KEYS} is missing in {workspace.root}, and the event's ids and date offset cannot be recovered "
            "without it; restore it from a copy, or start the event anew under another --name"
        ) from error


def find(name: str, folder: Path) -> Path:
    """The folder of an event given by name or path; BadInput lists the known ones."""
    given = Path(name)
    for candidate in (given, folder / name):
        if (candidate / "event.toml").is_file():
            return candidate
    known = [path.parent.name for path in sorted(folder.glob("*/event.toml"))]
    raise BadInput(
        f"no event {name!r} in {folder}; "
        + (f"there is {', '.join(known)}" if known else "create one with `factory new-event`")
    )


def listed(folder: Path) -> list[Path]:
    """Folders of all events."""
    return [path.parent for path in sorted(folder.glob("*/event.toml"))]
