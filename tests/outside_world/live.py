"""The demo's topic through the live path: real connectors against the invented platforms, a model server that answers.

Without an endpoint the mock server of the tests answers every call with nonsense that fits the schema. It must end in
a refusal in one sentence, never in a bundle. With DEMO_LIVE_BASE_URL (and DEMO_LIVE_MODEL, and DEMO_LIVE_KEY_ENV
naming the variable that holds the key) a real model answers instead, and the run goes as far as it carries.

Run it with `make demo-live`, or `python -m tests.outside_world.live [FOLDER]`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tomli_w

from factory.llm.replay import read_file
from factory.recording import RunFile, load_run
from factory.workspace import Workspace
from schemas import Coverage, Plan, SourceQuery
from tests.mock_server import serve
from tests.outside_world.server import Served, running

ROOT = Path(__file__).resolve().parent.parent.parent
RUN = ROOT / "cassettes" / "small-demo"
NAME = "demo-live"
PLAN = "00_plan/plan.json"
HONEST = (1, 2, 3)
"""Exit codes of a run that stops with a reason."""


@dataclass
class Ended:
    """How the live run ended."""

    code: int
    """Exit code of the command line."""
    sentence: str
    """Last line that it said."""
    root: Path
    """The event's folder."""
    mocked: bool
    """Whether the mock server answered."""
    asked: list[str]
    """Requests that reached the invented platforms, as `METHOD status address`."""
    calls: int
    """Requests that reached the mock server; 0 for a given endpoint."""
    coverage: list[Coverage] = field(default_factory=list)
    """What each source gave; empty when nothing was collected."""

    @property
    def bundle(self) -> bool:
        """Whether a bundle was released."""
        return (self.root / "09_release" / "manifest.json").exists()

    @property
    def honest(self) -> bool:
        """Whether it ended as it must: nonsense is refused in a sentence and releases nothing."""
        if not self.mocked:
            return self.code == 0 or bool(self.sentence)
        return self.code in HONEST and not self.bundle and self.sentence.startswith("factory: ")


@contextmanager
def model_server() -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """The profile of the server that answers, and the requests that a mock has seen."""
    given = os.environ.get("DEMO_LIVE_BASE_URL", "")
    if given:
        yield (
            {
                "base_url": given,
                "model": os.environ.get("DEMO_LIVE_MODEL", "gpt-4.1-mini"),
                "api_key_env": os.environ.get("DEMO_LIVE_KEY_ENV", ""),
            },
            [],
        )
        return
    with serve() as mock:
        yield (
            {
                "base_url": mock.url,
                "model": "mock",
                "api_key_env": "",
                "family": "mock",
                "concurrency": 8,
            },
            mock.requests,
        )


def write_settings(folder: Path, profile: dict[str, Any], world: Served, run: RunFile) -> None:
    """factory.toml: the demo's settings, with the given model and all source traffic sent to the invented world."""
    settings = {name: dict(table) for name, table in run.settings.items() if name != "profiles"}
    settings["collect"] |= {"proxy": world.url}
    settings["profiles"] = {"default": profile}
    (folder / "factory.toml").write_text(tomli_w.dumps(settings), encoding="utf-8")


def recorded_queries() -> tuple[SourceQuery, ...]:
    """The queries of the demo's recorded plan."""
    [line] = read_file(RUN / "00_plan.jsonl")
    return tuple(SourceQuery(**row) for row in line.response["answer"]["queries"])


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, with its stderr shown as it comes."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    process = subprocess.Popen(
        [sys.executable, "-m", "factory", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "XDG_CONFIG_HOME": str(folder / "none")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", file=sys.stderr, flush=True)
        lines.append(line)
    return subprocess.CompletedProcess(process.args, process.wait(), "".join(lines))


def go(folder: Path) -> Ended:
    """Plan, then everything after it, in `folder`."""
    run = load_run(str(RUN))
    event = run.event
    root = folder / "workspaces" / NAME
    with running() as world, model_server() as (profile, calls):
        write_settings(folder, profile, world, run)
        mocked = not os.environ.get("DEMO_LIVE_BASE_URL")
        done = command(
            folder, "new-event", run.topic, "--name", NAME, "--yes", "--to", "plan",
            "--since", str(event["since"]), "--until", str(event["until"]), "--zone", event["zone"],
            "--points", str(event["points"]),
            *(part for source in event["sources"] for part in ("--source", source)),
            *(part for row in event["imports"] for part in ("--import", str(RUN / "imports" / row["path"]))),
        )  # fmt: skip
        if done.returncode == 0:
            if mocked:
                # as a person would who reads a senseless plan: the queries are corrected, then the run goes on
                workspace = Workspace(root)
                plan = workspace.read(Plan, PLAN)
                workspace.write(
                    PLAN, plan.model_copy(update={"queries": recorded_queries(), "origin": "file"})
                )
            done = command(folder, "run", NAME)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        sentence = next((line for line in reversed(lines) if line.startswith("factory: ")), "")
        ended = Ended(
            done.returncode, sentence or (lines or [""])[-1], root, mocked, list(world.log), len(calls)
        )  # fmt: skip
    if (root / "01_items" / "coverage.jsonl").exists():
        ended.coverage = list(Workspace(root).read_lines(Coverage, "01_items/coverage.jsonl"))
    return ended


def summary(ended: Ended) -> str:
    """What a person should see, as JSON."""
    hosts = Counter(urlsplit(line.split(" ", 2)[2]).hostname or "" for line in ended.asked)
    items = Counter[str]()
    for row in ended.coverage:
        items[row.source] += row.items
    return json.dumps(
        {
            "exit_code": ended.code,
            "ended": ended.sentence,
            "bundle": ended.bundle,
            "model": "mock" if ended.mocked else "given endpoint",
            "model_calls": ended.calls,
            "requests_by_host": dict(sorted(hosts.items())),
            "items_by_source": dict(sorted(items.items())),
            "honest": ended.honest,
        },
        ensure_ascii=False,
        indent=1,
    )


def main() -> int:
    """0 when the run ended as it must, else 1; with a given endpoint the code of the run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument(
        "folder", nargs="?", type=Path, help="where to work; a temporary folder otherwise"
    )
    folder: Path | None = parser.parse_args().folder
    with tempfile.TemporaryDirectory(prefix="demo-live-") as spare:
        place = (folder or Path(spare)).resolve()
        place.mkdir(parents=True, exist_ok=True)
        ended = go(place)
        print(summary(ended))
    if not ended.mocked:
        return ended.code
    return 0 if ended.honest else 1


if __name__ == "__main__":
    sys.exit(main())
