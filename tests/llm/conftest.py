"""A door over an empty workspace, its prompts, and the mock server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field

from factory.llm.gateway import Gateway, open_gateway
from factory.settings import Settings
from factory.workspace import Workspace
from schemas import EventConfig, Keys
from tests.mock_server import MockServer, serve

R = TypeVar("R")
KEY = "sk-planted-0123456789abcdefghij"


class NoteAnswer(BaseModel):
    """What a note says."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    kind: Literal["fact", "opinion"]
    """What it is."""
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """Day as YYYY-MM-DD."""
    text: str = Field(max_length=200)
    """One sentence."""


PROMPT = """---
role = "distil"
answer = "NoteAnswer"
description = "A note."
variables = ["note"]
---
Read the note.
===user===
{{ fence(note) }}
"""


@dataclass
class Desk:
    """Opens gateways on one workspace and asks."""

    root: Path
    url: str = "http://127.0.0.1:9/v1"
    profile: dict[str, Any] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.root / "event")

    @property
    def prompts(self) -> Path:
        return self.root / "prompts"

    def settings(self) -> Settings:
        profile = {"base_url": self.url, "model": "mock", "price": {"input": 1.0, "output": 2.0}}
        return Settings.model_validate(
            {"prompts_dir": str(self.prompts), "profiles": {"default": profile | self.profile}}
        )

    def open(self, *, record_into: Path | None = None, **event: Any) -> Gateway:
        fields = {"slug": "test", "topic": "a test", "fictional": True} | event
        return open_gateway(
            workspace=self.workspace,
            settings=self.settings(),
            event=EventConfig.model_validate(fields),
            keys=Keys(public_id="e-test", salt="test-salt", offset_days=-63),
            recording=self.root / "recording",
            record_into=record_into,
            say=self.said.append,
        )

    def run(self, work: Callable[[Gateway], Awaitable[R]], **event: Any) -> R:
        """Open, work, close."""

        async def inside() -> R:
            async with self.open(**event) as gateway:
                return await work(gateway)

        return asyncio.run(inside())

    def ask(self, *notes: str, stage: str = "distil", **event: Any) -> list[Any]:
        """Ask about each note through gather; the item is `n0`, `n1`, …"""

        async def work(gateway: Gateway) -> list[Any]:
            ask = gateway.for_stage(stage, 3)
            return await ask.gather(
                *(
                    ask("desk/note", NoteAnswer, item=f"n{index}", note=note)
                    for index, note in enumerate(notes)
                )
            )

        return self.run(work, **event)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        connection = self.workspace.connect()
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "prompts/desk").mkdir(parents=True)
    (tmp_path / "prompts/desk/note.md").write_text(PROMPT, encoding="utf-8")
    return Desk(tmp_path)


@pytest.fixture
def server(desk: Desk) -> Iterator[MockServer]:
    with serve() as running:
        desk.url = running.url
        yield running
