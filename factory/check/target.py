"""What a path holds: a bundle, a workspace with one, or a published bank in one of its two forms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

from factory.audit.foreign_bank import Form
from factory.bundle import MANIFEST
from factory.check.bundles import check_bundle
from factory.check.published import check_published
from factory.check.several import check_bundles
from factory.errors import BadInput
from factory.published.folder import page_folder
from factory.published.layout import OUTLINE, TIMELINE
from schemas import LANGS, CheckReport

Format = Literal["auto", "factory", "societybench"]
FORMATS: tuple[str, ...] = get_args(Format)
RELEASE = "09_release"
"""Folder of a workspace that holds its bundle."""
_PAGE = re.compile(r"P\d+(?:\.json|_context\.md)", re.ASCII)
_PARTS = ("contexts", "gt", "questionbank")


def check_path(path: Path, *, format: str = "auto") -> CheckReport:
    """Check what lies at a path; `auto` finds out what it is.

    A folder of several bundles, or of events with one, is checked as a whole. BadInput when the format is unknown, when the path is neither a bundle, a workspace with one, nor a published
    bank, when it is more than one of them, or when what it is cannot be read.
    """
    if format not in FORMATS:
        raise BadInput(f"unknown format {format!r}; the formats are {', '.join(FORMATS)}")
    if not path.is_dir():
        what = "is a file" if path.exists() else "does not exist"
        raise BadInput(f"{path} {what}; give the folder of a bundle, an event or a published bank")
    bundle = _bundle(path)
    forms = published_forms(path)
    if format == "factory":
        forms = ()
    elif format == "societybench":
        bundle = None
    if bundle is not None and forms:
        raise BadInput(
            f"{path} holds both a bundle ({MANIFEST}) and a published bank ({forms[0]}); say which one is meant with "
            "--format factory or --format societybench, or part them"
        )
    if len(forms) > 1:
        raise BadInput(
            f"{path} holds a published bank both as {forms[0]} and in the {forms[1]}; check each in a folder of its own"
        )
    if bundle is not None:
        return check_bundle(bundle)
    if forms:
        return check_published(path, forms[0])
    several = [] if format == "societybench" else _bundles(path)
    if len(several) > 1:
        return check_bundles(path.resolve().name, several)
    if several:
        return check_bundle(several[0])
    raise BadInput(_neither(path, format))


def _bundle(path: Path) -> Path | None:
    """The folder of the bundle at a path or in the workspace there; the manifest of an event's run is none."""
    folders = (path / RELEASE,) if _is_event(path) else (path / RELEASE, path)
    return next((f for f in folders if (f / MANIFEST).is_file()), None)


def unreleased(path: Path) -> list[str]:
    """Names of the events in a folder of events that have no bundle yet, so that a check of it passes them over."""
    if not path.is_dir() or _is_event(path) or (path / MANIFEST).is_file():
        return []
    return [f.name for f in sorted(path.iterdir()) if _is_event(f) and _bundle(f) is None]


def _is_event(path: Path) -> bool:
    return (path / "event.toml").is_file()


def _bundles(path: Path) -> list[Path]:
    """The bundles in the folders of a path, such as a folder of events."""
    children = sorted(child for child in path.iterdir() if child.is_dir())
    return [bundle for child in children if (bundle := _bundle(child)) is not None]


def published_forms(path: Path) -> tuple[Form, ...]:
    """The forms of a published bank of which there is a file below a path."""
    page = page_folder(path)
    forms: list[Form] = []
    pages = (file for lang in LANGS for file in (page / lang).glob("*/P*"))
    # contexts/ and questionbank/ of a dataset with one event are no events of a page.
    if any(_PAGE.fullmatch(file.name) and file.parent.name not in _PARTS for file in pages):
        forms.append("project page")
    # A folder at the root may be an event, or an edition of the only event.
    roots = [path / lang for lang in LANGS]
    roots += [f / lang for f in sorted(path.iterdir()) if f.is_dir() for lang in LANGS]
    if any(
        (root / name).exists() for root in roots for name in (TIMELINE, OUTLINE, *_PARTS)
    ) and not _is_ours(path):
        forms.append("dataset layout")
    return tuple(forms)


def _is_ours(path: Path) -> bool:
    """Whether what looks like the dataset layout is the export inside a bundle of ours."""
    return (path / MANIFEST).is_file() and not any(
        (path / lang / name).exists() for lang in LANGS for name in (TIMELINE, OUTLINE, *_PARTS)
    )


def _neither(path: Path, format: str) -> str:
    if _is_event(path) and format != "societybench":
        return f"event {path.name} has no release yet; continue it with `factory run {path.name}`"
    ours = f"no bundle ({MANIFEST})"
    theirs = (
        "no published bank (zh/ and en/ with <event>/P01.json, or <event>/<zh|en>/questionbank/)"
    )
    lacking = {"factory": ours, "societybench": theirs}.get(format, f"{ours} and {theirs}")
    return f"{path} holds {lacking}; give the folder that `factory new-event` printed, or the one that was downloaded"
