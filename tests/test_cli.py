"""The command line: documented commands, one sentence for every mistake, and no traceback."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from typer.main import get_command

from factory import __version__
from factory.cli import app
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
NO_KEY = {"OPENAI_API_KEY": ""}


def commands() -> list[str]:
    found = []
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found += [f"{name} {sub}" for sub in inner] if inner else [name]
    return found


def factory(
    *arguments: str, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
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
        timeout=PATIENCE,
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
        (["new-event", "another topic", "--replay", "small-demo"], ["answers only its own topic"]),
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
        (["new-event", "t", "--zone", "Mars/X"], ["'Mars/X' is no time zone"]),
        (["new-event", "t", "--source", "nope"], ["no source 'nope'", "sources are"]),
        (
            ["new-event", "t", "--since", "2025-05-05", "--until", "2025-05-01"],
            ["ends on 2025-05-01, before it begins", "at least 28"],
        ),
        (
            ["new-event", "t", "--since", "2025-05-01", "--until", "2025-05-20"],
            ["has 20 days", "at least 28"],
        ),
        (["new-event", "t", "--until", "2999-01-01"], ["still unfolding on 2999-01-01"]),
        (["new-event", "t", "--budget", "5"], ["budget of 5", "no price is set for profile"]),
        (["new-event", "t", "--manual", __file__], ["is a file", "--manual DIR"]),
        (["new-event", "t", "--manual", f"{__file__}/in"], ["is a file", "--manual DIR"]),
        (["nonsense"], ["factory: No such command 'nonsense'; see `factory --help`"]),
        (["run"], ["factory: Missing argument", "; see `factory run --help`"]),
        (["run", "x", "--nope"], ["factory: No such option", "--nope", "`factory run --help`"]),
        (["new-event", "t", "--points", "some"], ["'--points'", "`factory new-event --help`"]),
        (["cassette", "check"], ["Missing argument", "`factory cassette check --help`"]),
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
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


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
    assert "factory doctor" in done.stderr
    assert "--manual DIR" in done.stderr
    assert "report:" not in done.stderr


def test_init_writes_settings_that_load(tmp_path: Path) -> None:
    from factory.settings import load_settings

    done = factory("init", cwd=tmp_path)
    assert done.returncode == 0
    assert load_settings(folder=tmp_path).profile("claims").api_key_env == "OPENAI_API_KEY"
    again = factory("init", cwd=tmp_path)
    assert again.returncode == 2
    assert "exists" in again.stderr


def test_the_version_is_printed(tmp_path: Path) -> None:
    done = factory("--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"factory {__version__}\n")


def test_a_live_event_becomes_one_that_is_answered_by_hand(tmp_path: Path) -> None:
    assert factory("new-event", "t", "--yes", cwd=tmp_path, env=NO_KEY).returncode == 2
    done = factory("run", "t", "--manual", "answers", cwd=tmp_path, env=NO_KEY)
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("report:") == 1
    assert "factory: the prompt " in done.stderr
    again = factory("run", "t", cwd=tmp_path, env=NO_KEY)
    assert again.returncode == 3, again.stderr
    assert [path.name for path in (tmp_path / "answers/t/00_plan").iterdir()] == [
        "plan.0.prompt.md"
    ]


def test_two_events_share_a_manual_folder_and_keep_their_answers(tmp_path: Path) -> None:
    for name in ("one", "two"):
        arguments = ("new-event", f"topic {name}", "--name", name, "--yes", "--manual", "answers")
        assert factory(*arguments, cwd=tmp_path).returncode == 3
    pages = {
        name: (tmp_path / f"answers/{name}/00_plan/plan.0.prompt.md").read_text(encoding="utf-8")
        for name in ("one", "two")
    }
    assert "topic one" in pages["one"]
    assert "topic two" in pages["two"]


def test_an_event_keeps_the_manual_folder_that_it_has(tmp_path: Path) -> None:
    assert factory("new-event", "t", "--yes", "--manual", "answers", cwd=tmp_path).returncode == 3
    path = tmp_path / "workspaces/t/event.toml"
    old = path.read_text(encoding="utf-8").replace("answers/t", "answers")
    path.write_text(old, encoding="utf-8")
    assert factory("run", "t", "--manual", "answers", cwd=tmp_path).returncode == 3
    assert path.read_text(encoding="utf-8") == old
    assert (tmp_path / "answers/00_plan/plan.0.prompt.md").is_file()


def test_status_goes_on_after_a_damaged_event(tmp_path: Path) -> None:
    for name in ("one", "two", "zoe"):
        assert factory("new-event", name, "--yes", cwd=tmp_path, env=NO_KEY).returncode == 2
    (tmp_path / "workspaces/one/event.toml").write_text("= broken", encoding="utf-8")
    (tmp_path / "workspaces/two/secret/keys.json").unlink()
    done = factory("status", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    one, two, zoe = done.stdout.splitlines()
    assert "damaged: workspaces/one/event.toml" in one
    assert "cannot be recovered" in two
    assert "stages done" in zoe


def test_lost_keys_and_a_damaged_manifest_say_what_a_way_out_costs(tmp_path: Path) -> None:
    assert factory("new-event", "t", "--yes", cwd=tmp_path, env=NO_KEY).returncode == 2
    (tmp_path / "workspaces/t/manifest.json").write_text("{", encoding="utf-8")
    done = factory("run", "t", cwd=tmp_path)
    assert done.returncode == 2
    assert "all stages will run again" in done.stderr
    assert "sources are asked again" in done.stderr
    assert "report:" not in done.stderr
    (tmp_path / "workspaces/t/secret/keys.json").unlink()
    done = factory("run", "t", cwd=tmp_path)
    assert done.returncode == 2
    assert "restore it from a copy" in done.stderr
    assert "to make it" not in done.stderr


def test_the_estimate_shows_what_is_left_and_knows_no_cost_without_a_price(tmp_path: Path) -> None:
    assert factory("new-event", "t", "--yes", cwd=tmp_path, env=NO_KEY).returncode == 2
    path = tmp_path / "workspaces/t/event.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace('entry = "topic"', 'entry = "timeline"'),
        encoding="utf-8",
    )
    done = factory("estimate", "t", cwd=tmp_path)
    rows = {line.split()[0]: line.split()[-1] for line in done.stdout.splitlines() if line}
    assert "plan" not in rows
    assert "distil" not in rows
    assert rows["claims"] == rows["all"] == "?"
    assert "no price is set for profile default, so cost is unknown" in done.stdout
    (tmp_path / "factory.toml").write_text(
        "[profiles.default.price]\ninput = 1.0\noutput = 2.0\n", encoding="utf-8"
    )
    done = factory("estimate", "t", cwd=tmp_path)
    assert "?" not in done.stdout
    assert "no price" not in done.stdout


def _on_a_terminal() -> None:
    """In the child: the terminal is its own, and Ctrl-C counts even if the test run ignores it (nohup, CI)."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("reply", [b"n\n", b"\x03"])
def test_no_and_an_interrupt_at_the_question_stop_alike(reply: bytes, tmp_path: Path) -> None:
    main, side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "factory", "new-event", "--replay", "small-demo", "--name", "d"],
        stdin=side,
        stdout=subprocess.DEVNULL,
        stderr=side,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path / "none")},
        start_new_session=True,
        preexec_fn=_on_a_terminal,
    )
    os.close(side)
    seen, answered = b"", False
    silent = 0
    while True:
        if not select.select([main], [], [], 5)[0]:
            silent += 1
            if silent * 5 > PATIENCE:
                process.kill()
                pytest.fail(f"no answer within {PATIENCE:g} seconds after {seen.decode()!r}")
            if answered and reply == b"\x03":
                # A signal between Python's look for signals and its read waits for the next key, as for a person.
                os.write(main, reply)
            continue
        silent = 0
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
        if b"Go on?" in seen and not answered:
            os.write(main, reply)
            answered = True
    os.close(main)
    assert process.wait(timeout=PATIENCE) == 3, seen.decode()
    assert b"factory: stopped after the plan; continue with `factory run d`" in seen
    assert b"Aborted" not in seen
    assert b"Traceback" not in seen


def test_the_report_is_named_once_when_a_run_ends(tmp_path: Path) -> None:
    done = factory("new-event", "--replay", "small-demo", "--to", "plan", "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).count("report: ") == 1
    path = next((tmp_path / "workspaces").glob("*/event.toml"))
    rows = factory("estimate", path.parent.name, cwd=tmp_path).stdout.splitlines()
    assert [row.split()[0] for row in rows if row][1] == "distil", "the plan is done"
    (path.parent / "manifest.json").unlink()
    path.write_text(
        path.read_text(encoding="utf-8").replace('entry = "topic"', 'entry = "timeline"'),
        encoding="utf-8",
    )
    done = factory("run", path.parent.name, "--to", "plan", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "report: " not in done.stdout + done.stderr
