"""What an event's folder says of a damaged file, and what a run does about it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from factory.errors import WorkspaceError
from factory.events import create, open_event
from factory.running import run_event
from factory.status import event_status
from factory.workspace import UMASK, Workspace, is_private
from schemas import Decision, Rejection, ReviewRequest

REQUEST = ReviewRequest(
    stage="anonymise", review_id="r1", kind="alias", question="Same person?", options=("yes", "no")
)
DECISION = Decision(
    stage="anonymise", review_id="r1", choice="yes", decided_at=datetime(2026, 1, 1, tzinfo=UTC)
)
REJECTION = Rejection(stage="corpus", item="i1", reason="duplicate")
ROWS = {"reviews.jsonl": REQUEST, "decisions.jsonl": DECISION, "rejected.jsonl": REJECTION}
DAMAGES = ['{"stage": "ano', "{}", "[]", "\udcff"]


def damage(root: Path, name: str, line: str) -> bytes:
    """A whole line, an empty one and a damaged one."""
    data = f"{ROWS[name].model_dump_json()}\n\n{line}\n".encode("utf-8", "surrogateescape")
    (root / name).write_bytes(data)
    return data


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fields = {"slug": "harwick", "topic": "Harwick Quay", "mode": "manual"}
    create(tmp_path / "harwick", fields | {"manual_dir": str(tmp_path / "answers")})
    return tmp_path / "harwick"


@pytest.mark.parametrize("line", DAMAGES)
@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_run_refuses_a_damaged_line_and_writes_nothing(root: Path, name: str, line: str) -> None:
    data = damage(root, name, line)
    with pytest.raises(
        WorkspaceError, match=rf"{name} line 3 is damaged .* line 3 and keep"
    ) as run:
        run_event(open_event(root))
    assert (root / name).read_bytes() == data
    assert not (root / "manifest.json").exists()
    assert "line 2" not in str(run.value), "the reason must not count lines of its own"
    if name != "rejected.jsonl":
        with pytest.raises(WorkspaceError, match=f"{name} line 3 is damaged"):
            event_status(open_event(root))


def test_nobody_is_told_to_delete_what_no_run_makes_again(root: Path) -> None:
    damage(root, "decisions.jsonl", "{")
    with pytest.raises(WorkspaceError, match="never delete the file") as decisions:
        Workspace(root).decide(DECISION)
    assert "rebuild" not in str(decisions.value)
    (root / "secret" / "keys.json").write_text("{")
    with pytest.raises(WorkspaceError, match="restore it from a copy; never delete it") as keys:
        open_event(root)
    assert "rebuild" not in str(keys.value)


def test_rows_of_a_file_that_runs_write_may_go_line_by_line(root: Path) -> None:
    damage(root, "rejected.jsonl", "{")
    with pytest.raises(WorkspaceError, match=r"remove line 3 .* writes it again when it runs"):
        Workspace(root).rejections()


@pytest.mark.parametrize("name", ["rejected.jsonl", "reviews.jsonl"])
def test_rows_of_other_stages_are_kept_and_damage_is_never_written_over(
    root: Path, name: str
) -> None:
    workspace = Workspace(root)
    row = ROWS[name]
    assert isinstance(row, Rejection | ReviewRequest)
    other = row.model_copy(update={"stage": "distil"})
    workspace.replace_rows(name, row.stage, [row])
    workspace.replace_rows(name, "distil", [other])
    workspace.replace_rows(name, row.stage, [])
    assert (root / name).read_text() == other.model_dump_json() + "\n"
    data = damage(root, name, "not json")
    with pytest.raises(WorkspaceError, match="line 3 is damaged"):
        workspace.replace_rows(name, "distil", [])
    assert (root / name).read_bytes() == data


# -- who may read what -----------------------------------------------------------------------------

RAW_FOLDERS = ("00_plan", "01_items", "02_corpus", "03_timeline", "secret")
DERIVED = ("05_points", "06_claims", "07_editions", "08_bank", "09_release")
"""Folders made from the anonymised timeline alone."""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def public(relative: str) -> bool:
    """Whether others may read a file of a finished event, told from its place alone."""
    anonymised = ("04_anonymised/timeline.json", "04_anonymised/card.json")
    derived = relative.startswith(tuple(f"{name}/" for name in DERIVED))
    return relative in anonymised or (derived and relative != "08_bank/check.json")


def test_every_file_of_the_raw_side_is_its_owners_alone(finished_demo: Path) -> None:
    files = [path for path in finished_demo.rglob("*") if path.is_file()]
    names = {path.relative_to(finished_demo).as_posix(): path for path in files}
    assert {"01_items/items.jsonl", "03_timeline/timeline.json", "event.toml"} <= names.keys()
    assert {"factory.db", "manifest.json", "rejected.jsonl", "secret/table.json"} <= names.keys()
    for name, path in names.items():
        assert mode(path) == ((0o666 & ~UMASK) if public(name) else 0o600), name
        assert is_private(name) != public(name), name


def test_folders_of_the_raw_side_alone_are_closed(finished_demo: Path) -> None:
    for name in RAW_FOLDERS:
        assert mode(finished_demo / name) == 0o700, name
    for name in DERIVED:
        assert mode(finished_demo / name) == 0o777 & ~UMASK, name


@pytest.mark.parametrize(
    "relative",
    [
        "04_anonymised/new.json",
        "09_releases/x",
        "05_points.json",
        "report.private.html",
        "new.json",
    ],
)
def test_a_file_that_nobody_classified_is_private(relative: str) -> None:
    assert is_private(relative)


@pytest.mark.parametrize(
    ("umask", "shown", "folder"),
    [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700), (0o002, 0o664, 0o775)],
)
def test_what_a_user_names_keeps_the_users_umask(
    tmp_path: Path, umask: int, shown: int, folder: int
) -> None:
    code = (
        "from pathlib import Path\n"
        "from factory.exporting import _write_folder\n"
        "from factory.workspace import Workspace\n"
        "_write_folder(Path('out'), {'items.jsonl': [b'x']})\n"
        "Workspace(Path('event')).write_text('01_items/items.jsonl', 'x')\n"
    )
    path = os.pathsep.join(
        [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, umask=umask, check=True,
    )  # fmt: skip
    assert mode(tmp_path / "out") == folder
    assert mode(tmp_path / "out" / "items.jsonl") == shown
    assert mode(tmp_path / "event" / "01_items") == 0o700
    assert mode(tmp_path / "event" / "01_items" / "items.jsonl") == 0o600
