"""An installed wheel is whole: prompts and the demo recording are found away from a checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOT_SHIPPED = (
    ".*",
    "__pycache__",
    "*.egg-info",
    "build",
    "dist",
    "tests",
    "workspaces",
    "demo-run",
)
"""What no wheel needs, or what work in the checkout has left there."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel, built from a copy of the files that git would ship.

    A build leaves its work beside its sources: of the next wheel it would be a part, and in the way of a build that
    another test worker runs at the same time.
    """
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(*NOT_SHIPPED))
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            str(folder),
            str(sources),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    [wheel] = folder.glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def _run(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.wheel
@pytest.mark.slow
def test_every_package_is_in_the_wheel(installed: Path) -> None:
    for package in ("factory", "sources", "schemas"):
        here = {p.relative_to(ROOT).as_posix() for p in (ROOT / package).rglob("*.py")}
        there = {p.relative_to(installed).as_posix() for p in (installed / package).rglob("*.py")}
        assert here == there
    prompts = {p.relative_to(ROOT / "prompts") for p in (ROOT / "prompts").rglob("*.md")}
    shipped = {
        p.relative_to(installed / "factory" / "_prompts")
        for p in (installed / "factory" / "_prompts").rglob("*.md")
    }
    assert prompts == shipped


@pytest.mark.wheel
@pytest.mark.slow
def test_the_demo_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    where = _run(installed, tmp_path, "-c", "import factory; print(factory.__file__)")
    assert where.stdout.startswith(str(installed))
    done = _run(
        installed,
        tmp_path,
        "-m",
        "factory",
        "new-event",
        "--replay",
        "small-demo",
        "--name",
        "demo",
        "--yes",
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "workspaces" / "demo" / "09_release" / "manifest.json").is_file()
