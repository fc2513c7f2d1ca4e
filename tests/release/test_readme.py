"""README.md and the Makefile: what a new user is told to type is what works."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks() -> list[str]:
    """Blocks of commands in order."""
    return re.findall(r"^```\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def test_the_environment_is_entered_before_its_command_is_used() -> None:
    entered = README.index(". .venv/bin/activate")
    used = [match.start() for match in re.finditer(r"^factory ", README, flags=re.MULTILINE)]
    assert used
    assert entered < min(used)


def test_make_demo_runs_what_the_readme_says() -> None:
    (told,) = [block for block in blocks() if "--replay demo" in block]
    dry = subprocess.run(
        ["make", "--dry-run", "--always-make", "demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    run = [
        line.removeprefix(".venv/bin/")
        for line in dry.stdout.splitlines()
        if line.startswith(".venv/bin/factory")
    ]
    assert run == told.splitlines()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"^factory (\S+)", README, re.MULTILINE))))
def test_every_command_of_the_readme_exists(name: str) -> None:
    assert f"factory {name}" in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
