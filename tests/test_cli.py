"""The command line: documented commands, one sentence for every mistake, and no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from factory.cli import app

ROOT = Path(__file__).resolve().parent.parent


def commands() -> list[str]:
    found = []
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found += [f"{name} {sub}" for sub in inner] if inner else [name]
    return found


def factory(
    *arguments: str, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "factory", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "XDG_CONFIG_HOME": str(cwd / "none"),
            **(env or {}),
        },
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


@pytest.mark.parametrize("command", commands())
def test_every_command_is_documented_and_has_help(command: str) -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"factory {command}" in text
    node = get_command(app)
    for part in command.split():
        node = node.commands[part]  # type: ignore[attr-defined]
    assert node.help


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["new-event", "   "], ["topic is empty"]),
        (["new-event", "x" * 10_000], ["10,000 characters", "--import"]),
        (["new-event", "a topic", "--replay", "nowhere"], ["no recording 'nowhere'"]),
        (["new-event", "another topic", "--replay", "demo"], ["answers only its own topic"]),
        (["new-event", "a topic", "--since", "05/03/2026"], ["--since", "YYYY-MM-DD"]),
        (["new-event", "a topic", "--lang", "fr"], ["--lang", "en or zh"]),
        (["new-event", "a topic", "--to", "finish"], ["no stage 'finish'"]),
        (["new-event", "a topic", "--import", "missing.jsonl"], ["missing.jsonl does not exist"]),
        (["new-event", "a topic", "--name", "../up"], ["folder name"]),
        (["run", "nothing"], ["no event 'nothing'"]),
        (["status", "nothing"], ["no event 'nothing'"]),
        (["import", "auto", "missing"], ["missing does not exist"]),
        (["check", "missing"], ["missing does not exist"]),
        (["score", "missing"], ["missing does not exist"]),
        (["schema", "Nothing"], ["no record 'Nothing'"]),
        (["cassette", "check", "nowhere"], ["no recording 'nowhere'"]),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_2(
    arguments: list[str], words: list[str], tmp_path: Path
) -> None:
    done = factory(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


def test_an_unknown_setting_names_itself_and_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "factory.toml").write_text("[points]\ncuont = 3\n")
    done = factory("new-event", "a topic", "--yes", cwd=tmp_path)
    assert done.returncode == 2
    assert "points.cuont" in done.stderr
    assert "'count'" in done.stderr


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    done = factory("new-event", "a topic", "--yes", cwd=tmp_path, env={"OPENAI_API_KEY": ""})
    assert done.returncode == 2, done.stderr
    assert "OPENAI_API_KEY" in done.stderr
    assert "factory init" in done.stderr or "doctor" in done.stderr


def test_init_writes_settings_that_load(tmp_path: Path) -> None:
    from factory.settings import load_settings

    done = factory("init", cwd=tmp_path)
    assert done.returncode == 0
    assert load_settings(folder=tmp_path).profile("claims").api_key_env == "OPENAI_API_KEY"
    again = factory("init", cwd=tmp_path)
    assert again.returncode == 2
    assert "exists" in again.stderr
