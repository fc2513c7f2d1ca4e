"""What the model benchmarks share: the answer model, the prompt, a mock server in its own process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.settings import Settings

SYSTEM = "Distil the posts into a timeline."
POSTS = ("社交平台帖子：台风过后供电恢复，网友讨论救灾款。" * 40)[:680]
"""About 2 KB of UTF-8, the size of a small call of the pipeline."""


# Descriptions are written with Field: instructor makes a subclass on every call, and pydantic would read the
# source file again each time for attribute docstrings, which would flatter us fourfold.
class NodeAnswer(BaseModel):
    """One thing that happened."""

    model_config = ConfigDict(extra="forbid")

    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$", description="Day it became public.")
    kind: Literal["fact", "opinion"] = Field(description="What it is.")
    text: str = Field(max_length=400, description="One neutral sentence.")
    sources: list[int] = Field(max_length=20, description="Numbers of the sources.")
    confidence: float = Field(ge=0, le=1, description="How sure.")


class TimelineAnswer(BaseModel):
    """Date-indexed nodes distilled from posts."""

    model_config = ConfigDict(extra="forbid")

    event: str = Field(description="Name.")
    nodes: list[NodeAnswer] = Field(max_length=40, description="Nodes in order of date.")


def user_message(number: int) -> str:
    """The user message of call `number`."""
    return f"#{number} {POSTS}"


PROMPT = f"""---
role = "distil"
answer = "TimelineAnswer"
description = "benchmark"
variables = ["posts"]
---
{SYSTEM}
===user===
{{{{ posts }}}}
"""


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder with the benchmark's prompt in `prompts/bench/node.md`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "prompts/bench").mkdir(parents=True)
        (folder / "prompts/bench/node.md").write_text(PROMPT, encoding="utf-8")
        yield folder


def settings(folder: Path, url: str, concurrency: int) -> Settings:
    """Settings of one endpoint without a key."""
    profile = {
        "base_url": url,
        "model": "mock",
        "api_key_env": "",
        "concurrency": concurrency,
        "temperature": None,
        "connect_timeout": 120,
        "price": {"input": 0.4, "output": 1.6},
    }
    return Settings.model_validate(
        {"prompts_dir": str(folder / "prompts"), "profiles": {"default": profile}}
    )


@contextmanager
def mock_server(latency: float) -> Iterator[str]:
    """Address of a mock server in a process of its own, so that its CPU is not counted."""
    command = [sys.executable, "-m", "tests.mock_server", str(latency)]
    root = Path(__file__).resolve().parent.parent
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()
