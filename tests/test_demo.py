"""A recorded event as a new user meets it: offline, repeatable to the byte, honest about what it is.

The small demo stands for any recording here; `test_full_demo.py` holds what the demo itself promises.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest
import tomli_w
import yaml

ROOT = Path(__file__).resolve().parent.parent
RECORDING = ROOT / "cassettes" / "small-demo"
PLANTED = "sk-planted0123456789abcdefSECRET"

NO_NETWORK = """
import socket

def refuse(self, address, *rest):
    raise AssertionError(f"the demo opened a connection to {address}")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = lambda *rest, **more: refuse(None, rest)
"""


def factory(
    folder: Path, *arguments: str, prompts: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder where every connection fails and a secret is in the environment."""
    guard = folder / ".guard"
    guard.mkdir(exist_ok=True)
    (guard / "sitecustomize.py").write_text(NO_NETWORK)
    return subprocess.run(
        [sys.executable, "-m", "factory", *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{guard}{os.pathsep}{ROOT}",
            "XDG_CONFIG_HOME": str(folder / "none"),
            "OPENAI_API_KEY": PLANTED,
        },
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo ran once."""
    folder = tmp_path_factory.mktemp("demo")
    done = factory(folder, "new-event", "--replay", "small-demo", "--name", "demo", "--yes")
    assert done.returncode == 0, done.stderr
    assert "bundle:" in done.stdout
    assert "report:" in done.stdout
    return folder


@pytest.fixture
def workspace(demo: Path) -> Path:
    return demo / "workspaces" / "demo"


def test_the_bundle_is_as_large_as_promised_and_says_what_it_is(workspace: Path) -> None:
    manifest = json.loads((workspace / "09_release" / "manifest.json").read_text())
    counts = manifest["counts"]
    assert counts["nodes"] >= 8
    assert counts["points"] == 3
    assert counts["questions"] >= 40
    assert counts["events"] >= 8
    assert manifest["fictional"] is True
    assert manifest["scripted"] is True
    assert manifest["waived"], "gates that were not passed must be named"
    assert manifest["ungated"] == [], "nothing was forced"
    card = (workspace / "09_release" / "README.md").read_text().lower()
    assert "fictional" in card
    assert "by hand" in card or "scripted" in card


def test_the_arc_is_long_enough(workspace: Path) -> None:
    timeline = json.loads((workspace / "03_timeline" / "timeline.json").read_text())
    days = [date.fromisoformat(node["date"]) for node in timeline["nodes"]]
    assert (days[-1] - days[0]).days >= 20 * 7


def test_a_second_run_does_no_work_and_says_so(demo: Path) -> None:
    before = digests(demo / "workspaces" / "demo" / "09_release")
    done = factory(demo, "new-event", "--replay", "small-demo", "--name", "demo", "--yes")
    assert done.returncode == 0
    assert "nothing to do" in done.stderr
    assert digests(demo / "workspaces" / "demo" / "09_release") == before


def test_two_folders_give_the_same_bytes(demo: Path, tmp_path: Path) -> None:
    done = factory(tmp_path, "new-event", "--replay", "small-demo", "--name", "demo", "--yes")
    assert done.returncode == 0, done.stderr
    here = digests(tmp_path / "workspaces" / "demo" / "09_release")
    assert here == digests(demo / "workspaces" / "demo" / "09_release")


def test_the_bundle_passes_its_own_check(demo: Path) -> None:
    done = factory(demo, "check", "workspaces/demo/09_release", "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["findings"] == []


def test_nothing_secret_is_kept_anywhere(demo: Path) -> None:
    pattern = re.compile(rb"authorization|bearer |set-cookie|" + PLANTED.encode(), re.IGNORECASE)
    for path in (demo / "workspaces").rglob("*"):
        if path.is_file():
            assert not pattern.search(path.read_bytes()), path
    for path in RECORDING.rglob("*"):
        if path.is_file():
            assert not pattern.search(path.read_bytes()), path


def test_recorded_traffic_holds_an_allow_list_of_headers() -> None:
    allowed = {"content-type", "link", "location", "retry-after"}
    recorded = yaml.safe_load((RECORDING / "sources" / "traffic.yaml").read_text(encoding="utf-8"))
    assert len(recorded["interactions"]) > 20
    for interaction in recorded["interactions"]:
        for side in ("request", "response"):
            names = {name.lower() for name in interaction[side]["headers"]}
            assert {n for n in names if not n.startswith("x-ratelimit-")} <= allowed


def test_status_shows_every_stage_done(demo: Path) -> None:
    done = factory(demo, "status", "demo", "--json")
    rows = json.loads(done.stdout)["stages"]
    assert {row["state"] for row in rows} == {"done"}
    assert sum(row["calls"] for row in rows) >= 40
    assert sum(row["paid_calls"] for row in rows) == 0


def test_editing_one_prompt_asks_again_only_what_changed(demo: Path, tmp_path: Path) -> None:
    """The opinion prompt is edited: its eight calls wait for answers, every other answer is reused."""
    shutil.copytree(demo / "workspaces", tmp_path / "workspaces")
    root = tmp_path / "workspaces" / "demo"
    overlay = tmp_path / "prompts"
    (overlay / "distil").mkdir(parents=True)
    original = (ROOT / "prompts" / "distil" / "opinion.md").read_text()
    (overlay / "distil" / "opinion.md").write_text(
        original.replace("===user===", "Write plainly.\n===user===", 1)
    )
    config = tomllib.loads((root / "event.toml").read_text())
    config |= {
        "mode": "manual",
        "manual_dir": str(tmp_path / "answers"),
        "settings": {"prompts_dir": str(overlay)},
    }
    (root / "event.toml").write_text(tomli_w.dumps(config))
    recorded = [
        json.loads(line)
        for path in sorted(RECORDING.glob("*_distil.jsonl"))
        for line in path.read_text().splitlines()
    ]
    opinions = {row["item"] for row in recorded if row["prompt"] == "distil/opinion"}
    done = factory(tmp_path, "run", "demo")
    assert done.returncode == 3, done.stderr
    waiting = sorted((tmp_path / "answers").rglob("*.prompt.md"))
    assert len(waiting) == len(opinions) == 8
    assert all("Write plainly." in path.read_text() for path in waiting)


@pytest.mark.parametrize("damage", ["truncate", "garbage", "missing"])
def test_a_broken_recording_is_named(demo: Path, tmp_path: Path, damage: str) -> None:
    copy = tmp_path / "broken"
    shutil.copytree(RECORDING, copy)
    [path] = copy.glob("*_distil.jsonl")
    if damage == "truncate":
        path.write_bytes(path.read_bytes()[:-200])
    elif damage == "garbage":
        path.write_text("{not json\n")
    else:
        path.unlink()
    done = factory(
        tmp_path, "new-event", "--replay", str(copy), "--name", "demo", "--yes", "--to", "distil"
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "distil" in done.stderr.rsplit("factory:", 1)[1]
    status = json.loads(factory(tmp_path, "status", "demo", "--json").stdout)
    states = {row["name"]: row["state"] for row in status["stages"]}
    assert states["corpus"] == ("done" if damage == "missing" else states["corpus"])
