"""Items as they may leave an event: with their words, or as ids and addresses only.

Neither holds authors, not even as hashes, nor anything that was deleted. A README beside the rows says how many
there are of each licence class and what may be done with them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from factory.counting import count_of
from factory.deletions import gone_ids
from factory.errors import BadInput, WorkspaceError
from factory.events import Event
from factory.pipeline import ITEMS, PLAN
from factory.workspace import UMASK, write_atomic
from schemas import ExportedId, ExportedItem, Item, Plan, Record
from sources.urls import without_tokens

Mode = Literal["text", "ids"]
MODES: tuple[Mode, ...] = get_args(Mode)
ROWS = "items.jsonl"
README = "README.md"

CLASSES = {
    "public-domain": "Free of rights: may be shared and changed.",
    "cc": "Under a Creative Commons licence: may be shared as the licence of the page says, with its attribution.",
    "platform-terms": "Posts and comments under the terms of their platform: for your own research; do not hand on the "
    "words. Others get the ids (`--mode ids`) and fetch what still exists themselves.",
    "publisher": "Articles; the rights are with the publisher: for your own analysis and short quotes with the source; "
    "do not republish the text.",
    "own": "Yours: what you wrote or invented, under whatever licence you choose.",
    "unknown": "Nobody has said what may be done; treat them like `publisher`.",
}
"""What may be done with the text of each licence class."""


@dataclass(frozen=True)
class Exported:
    """What an export holds."""

    folder: Path
    """Where it is."""
    items: int
    """Rows."""
    deleted: int
    """Items left out because they were deleted."""


def export_items(event: Event, out: Path, mode: str) -> Exported:
    """Write items.jsonl and README.md into a new folder; all of it appears at once or nothing does.

    BadInput for an unknown mode or a folder that holds something, WorkspaceError when nothing was collected or the
    folder cannot be written.
    """
    if mode not in MODES:
        raise BadInput(f"--mode {mode!r} is unknown; use {' or '.join(MODES)}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} exists already; choose a new folder for the export")
    workspace = event.workspace
    stored = workspace.read_lines(Item, ITEMS)
    zone = ZoneInfo(workspace.read(Plan, PLAN).zone)
    gone = gone_ids(workspace.decisions())
    kept = [item for item in stored if not item.deleted and item.item_id not in gone]
    rows: Iterable[Record] = (
        (_with_text(item) for item in kept)
        if mode == "text"
        else (_as_id(item, zone) for item in kept)
    )
    texts = {
        ROWS: (row.model_dump_json().encode() + b"\n" for row in rows),
        README: [_readme(event.config.slug, kept, mode).encode()],
    }
    _write_folder(out, texts)
    return Exported(out, len(kept), len(stored) - len(kept))


def _with_text(item: Item) -> ExportedItem:
    own = item.model_dump(
        include=set(ExportedItem.model_fields) - {"source", "fetched_at", "published_at", "url"}
    )
    return ExportedItem(
        **own,
        url=without_tokens(item.url),
        published_at=item.published_at,
        fetched_at=item.fetched_at,
        source=item.origin.source,
    )


def _as_id(item: Item, zone: ZoneInfo) -> ExportedId:
    return ExportedId(
        platform=item.platform,
        native_id=item.native_id,
        url=without_tokens(item.url),
        date=_date(item, zone),
    )


def _date(item: Item, zone: ZoneInfo) -> str | None:
    if item.published_at is None or item.precision == "none":
        return None
    day = item.published_at.astimezone(zone).date()
    return f"{day:%Y-%m}" if item.precision == "month" else day.isoformat()


def _readme(slug: str, items: list[Item], mode: str) -> str:
    counts: Counter[str] = Counter(item.licence for item in items)
    lines = [
        f"# Items of {slug}",
        "",
        f"`{ROWS}`: {count_of(len(items), 'item')}, one JSON object a line "
        + (
            "with its words (schema ExportedItem)."
            if mode == "text"
            else "without its words (schema ExportedId): platform, native id, address, day."
        ),
        "No authors, no author hashes, nothing that was deleted when it was last looked up. An address or an id that "
        "a platform builds from an account's name still holds that name, and people name each other in their texts.",
        "",
        "Before each use, look up what still exists: `factory sources recheck EVENT`, then export again.",
        "",
        "| licence class | items | what may be done with the text |",
        "|---|---|---|",
    ]
    lines += [
        f"| `{name}` | {counts[name]} | {CLASSES[name]} |" for name in CLASSES if counts[name]
    ]
    return "\n".join(lines) + "\n"


def _write_folder(out: Path, files: dict[str, Iterable[bytes]]) -> None:
    """Write files into a folder beside the target and put it in place when all are there."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".tmp-", dir=out.parent))
        try:
            for name, parts in files.items():
                write_atomic(draft / name, parts)
            draft.chmod(0o777 & ~UMASK)
            os.replace(draft, out)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    except OSError as error:
        raise WorkspaceError(
            f"cannot write {out}: {error.strerror}; check the folder's permissions and the free space"
        ) from error
