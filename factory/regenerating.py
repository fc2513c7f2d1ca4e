"""A version of an event with other prompts, beside the original and made from what the original already holds.

The version gets a folder of its own with the original's artefacts, keys, decisions and stored answers, and the
changed prompts. Stages that the prompts do not touch stay done; the others run again, and of their calls only those
that ask something else go out. The original is only read.
"""

from __future__ import annotations

import fcntl
import glob
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factory import __version__
from factory.errors import BadInput, FactoryError, WorkspaceBusy, WorkspaceError
from factory.events import Event, check_slug, create, event_settings, open_event
from factory.llm.manual import check_folder
from factory.llm.tables import guarded, open_tables, transaction
from factory.overlay import Overlay, read_overlay
from factory.pipeline import STAGES
from factory.running import MANIFEST, fingerprint, read_manifest, selected, stage_named, stage_state
from factory.settings import read_toml
from factory.stage import Stage
from factory.workspace import DECISIONS, PRIVATE_MODE, REJECTED, REVIEWS, Workspace
from schemas import StageRecord, WorkspaceManifest

DATABASE = "factory.db"
PROMPTS = "prompts"
"""Where a version keeps its prompts, inside its own folder."""
LEFT_OUT = ("release",)
"""Stages whose outputs stay with the original: a bundle belongs to the bank that it was made from."""


@dataclass(frozen=True)
class Version:
    """A version of an event, new or begun, not run yet."""

    event: Event
    changed: tuple[str, ...]
    """Prompts that differ from the original's."""
    kept: tuple[str, ...]
    """Stages that stay done."""
    again: tuple[str, ...]
    """Stages that ask the changed prompts."""
    resumed: bool = False
    """Whether it was begun before: an unfinished version with the same prompts, gone on with as it is."""


def make_version(
    original: Event, prompts: Path, *, name: str | None = None, manual: Path | None = None
) -> Version:
    """Make the sibling folder of a version with these prompts; nothing is asked yet.

    `name` is its folder name, `<event>-v2` and so on otherwise; `manual` a folder to answer it by hand in. A version
    that stopped half way is not made twice: one with the same prompts, made from the original as it is now and not
    finished, is returned as it stands (`resumed`; `manual` is then left to the caller). Raises BadInput for prompts that cannot be used (see overlay.py), a name that is taken, or an original that is not
    finished up to the first changed stage; WorkspaceBusy while the original is run. When anything fails nothing
    of the version is left.
    """
    root = original.workspace.root
    if name is not None:
        check_slug(name)
    earlier = original.settings.prompts_dir
    overlay = read_overlay(prompts, Path(earlier) if earlier else None)
    touched = [s for s in selected(original, None, None) if set(s.prompts) & set(overlay.changed)]
    if not touched:
        raise BadInput(
            f"event {original.config.slug} was made from a {original.config.entry} and never asks "
            f"{', '.join(overlay.changed)}; change a prompt of a later stage"
        )
    with _reading(root):
        done = _finished_before(original, touched[0])
        names = tuple(stage.name for stage in selected(original, None, None))
        unbroken = names[: names.index(touched[0].name)]
        asked = tuple(stage.name for stage in touched)
        begun = _unfinished(original, name, overlay, [done[stage] for stage in unbroken])
        if begun is not None:
            return Version(begun, overlay.changed, unbroken, asked, resumed=True)
        slug = _free_name(original, name)
        fields = json.loads(original.config.model_dump_json(exclude_none=True)) | {
            "slug": slug,
            "made_from": original.config.slug,
            "overlay": overlay.digests,
            **_answered(original, slug, manual),
        }
        settings = event_settings(read_toml(root / "event.toml")) | {"prompts_dir": PROMPTS}
        event = create(
            root.parent / slug,
            fields,
            settings=settings,
            keys=original.keys,
            fill=lambda workspace: _fill(original.workspace, workspace, overlay),
        )
        again = {*LEFT_OUT, *asked}
        try:
            keep_done(event, {n: _without_cost(done[n]) for n in done if n not in again})
        except BaseException:
            shutil.rmtree(event.workspace.root, ignore_errors=True)
            raise
    return Version(event, overlay.changed, unbroken, asked)


# -- what was begun before -------------------------------------------------------------------------


def _unfinished(
    original: Event, name: str | None, overlay: Overlay, kept: list[StageRecord]
) -> Event | None:
    """The latest version of this event that has these prompts, rests on the same files and is not finished."""
    folder, own = original.workspace.root.parent, original.workspace.root.name
    base = re.sub(r"-v\d+$", "", own)
    found = [folder / name] if name is not None else list(folder.glob(f"{glob.escape(base)}-v*"))
    for root in sorted(found, key=_number, reverse=True):
        if root.name == own or not (root / "event.toml").is_file():
            continue
        try:
            event = open_event(root)
            records = read_manifest(event.workspace).stages
            same = (
                event.config.made_from == original.config.slug
                and event.config.overlay == overlay.digests
                and all(
                    row.name in records and records[row.name].outputs == row.outputs for row in kept
                )
            )
            if same and len(done_stages(event)) < len(selected(event, None, None)):
                return event
        except FactoryError:
            continue  # a damaged folder is nobody's version; its name stays taken
    return None


def _number(root: Path) -> int:
    """The number of a version by its folder's name; 0 without one."""
    found = re.search(r"-v(\d+)$", root.name)
    return int(found[1]) if found else 0


# -- what is refused -------------------------------------------------------------------------------


def _free_name(original: Event, name: str | None) -> str:
    """The version's name: the given one if nothing has it, else the next number."""
    folder, own = original.workspace.root.parent, original.workspace.root.name
    if name is None:
        base = re.sub(r"-v\d+$", "", own)
        return check_slug(
            next(f"{base}-v{n}" for n in range(2, 10**6) if not (folder / f"{base}-v{n}").exists())
        )
    slug = check_slug(name)
    if slug == own:
        raise BadInput(
            f"--name {slug} is the event itself, and a version gets a folder of its own; choose another --name"
        )
    if (folder / slug).exists():
        raise BadInput(
            f"--name {slug} is taken by {folder / slug}; continue that event with `factory run {slug}` or choose "
            "another --name"
        )
    return slug


def _finished_before(original: Event, first: Stage) -> dict[str, StageRecord]:
    """Records of the original's finished stages; BadInput when one before the first changed stage is not."""
    manifest = read_manifest(original.workspace)
    done = done_stages(original)
    slug = original.config.slug
    for stage in selected(original, None, first.name):
        if stage.name == first.name:
            break
        record = done.get(stage.name)
        if record is None:
            state = stage_state(original, stage, manifest.stages.get(stage.name))
            raise BadInput(
                f"event {slug} is not finished up to {first.name}: stage {stage.name} is {state}; run "
                f"`factory run {slug}` first, so that both versions rest on the same files"
            )
        if set(record.outputs) != set(stage.outputs):
            raise BadInput(
                f"event {slug} has the layout of factory {manifest.factory_version}: its stage {stage.name} wrote "
                f"other files than that of {__version__}; run `factory run {slug} --from {stage.name}` first, so "
                "that both versions rest on the same files"
            )
    return {n: row for n, row in done.items() if set(row.outputs) == set(stage_named(n).outputs)}


# -- the copy --------------------------------------------------------------------------------------


def _answered(original: Event, slug: str, manual: Path | None) -> dict[str, Any]:
    """Mode and folder of a version that is answered by hand; nothing where the original's mode stays."""
    config = original.config
    if manual is not None:
        folder = manual.resolve() / slug
    elif config.mode == "manual":
        own = Path(config.manual_dir)
        folder = (own.parent if own.name == config.slug else own) / slug
    else:
        return {}
    check_folder(folder)
    return {"mode": "manual", "manual_dir": str(folder)}


def _fill(source: Workspace, target: Workspace, overlay: Overlay) -> None:
    """Copy what the stages of a version rest on, and lay its prompts beside."""
    for path in sorted(source.root.glob("[0-9][0-9]_*/**/*")) + sorted(
        source.path("secret").glob("*")
    ):
        relative = path.relative_to(source.root).as_posix()
        if path.is_file() and not path.name.startswith(".tmp-") and not _left_out(relative):
            target.write_bytes(relative, path.read_bytes())
    for name in (DECISIONS, REVIEWS, REJECTED):
        if source.exists(name):
            target.write_bytes(name, source.path(name).read_bytes())
    overlay.write(target.path(PROMPTS))
    if source.exists(DATABASE):
        _copy_database(source, target)


def _left_out(relative: str) -> bool:
    outputs = [path for stage in STAGES if stage.name in LEFT_OUT for path in stage.outputs]
    return any(relative == path or relative.startswith(path + "/") for path in outputs)


def _copy_database(source: Workspace, target: Workspace) -> None:
    """Copy items, stored answers and ledger; what the original paid is no cost of the version.

    Answers carried over from a recording are withdrawn: they would answer changed prompts.
    """
    for suffix in ("", "-wal"):
        path = source.path(DATABASE + suffix)
        if path.is_file():
            copy = target.path(DATABASE + suffix)
            copy.touch(mode=PRIVATE_MODE)
            shutil.copyfile(path, copy)
    with closing(open_tables(target)) as connection, guarded(source.path(DATABASE)):
        if connection.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the copy is not whole")
        with transaction(connection):
            connection.execute("DELETE FROM llm_carried")
            connection.execute(
                "UPDATE llm_ledger SET cost = 0, reserved = 0, source = 'cache' WHERE source = 'live'"
            )


def done_stages(event: Event) -> dict[str, StageRecord]:
    """Records of the stages that are up to date, in order."""
    records = read_manifest(event.workspace).stages
    return {
        stage.name: records[stage.name]
        for stage in selected(event, None, None)
        if stage_state(event, stage, records.get(stage.name)) == "done"
    }


def keep_done(event: Event, records: dict[str, StageRecord]) -> None:
    """Mark stages as done in an event that is answered in another way, or elsewhere, than when they ran.

    The caller knows that nothing else which decides what they make has changed.
    """
    kept = {
        name: record.model_copy(update={"fingerprint": fingerprint(event, stage_named(name))})
        for name, record in records.items()
    }
    known = read_manifest(event.workspace).stages
    event.workspace.write(
        MANIFEST, WorkspaceManifest(factory_version=__version__, stages=known | kept)
    )


def _without_cost(record: StageRecord) -> StageRecord:
    """The record in a version, which did not pay for it."""
    return record.model_copy(
        update={"paid_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}
    )


@contextmanager
def _reading(root: Path) -> Iterator[None]:
    """Keep runs of an event away while it is read, without writing to its folder. Raises WorkspaceBusy."""
    lock = root / ".lock"
    if not lock.is_file():
        yield
        return
    try:
        stream = lock.open()
    except OSError as error:
        raise WorkspaceError(
            f"cannot read {lock}: {error.strerror}; check its permissions"
        ) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            owner = stream.read().strip() or "unknown"
            raise WorkspaceBusy(
                f"event {root.name} is being run by process {owner}; wait until it ends or stop it"
            ) from error
        yield
