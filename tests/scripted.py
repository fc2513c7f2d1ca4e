"""A model that answers from a function, for tests of stage logic. It renders the real prompt first,

so a prompt with a missing variable fails the test, and keeps every outgoing call to be asserted on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from factory.errors import AnswerFailed
from factory.llm.prompts import PromptLibrary
from factory.settings import Settings
from factory.stage import StageContext
from factory.workspace import Workspace
from schemas import EventConfig, Keys


@dataclass
class Call:
    """One call as it went out."""

    prompt: str
    item: str
    sample: int
    role: str | None
    lang: str | None
    variables: dict[str, Any]
    system: str
    user: str
    answer: type[Any]


Handler = Callable[[Call], "dict[str, Any] | AnswerFailed"]


@dataclass
class ScriptedAsk:
    """Stands in for the gateway: `handler` maps a call to the answer's fields or to a failure."""

    handler: Handler
    calls: list[Call] = field(default_factory=list)
    library: PromptLibrary = field(default_factory=PromptLibrary)

    async def __call__(
        self,
        prompt: str,
        answer: type[Any],
        *,
        item: str,
        sample: int = 0,
        role: str | None = None,
        lang: str | None = None,
        **variables: Any,
    ) -> Any:
        rendered = self.library.render(prompt, lang=lang, variables=variables, fence_key="test")
        call = Call(
            prompt, item, sample, role, lang, variables, rendered.system, rendered.user, answer
        )
        self.calls.append(call)
        result = self.handler(call)
        if isinstance(result, AnswerFailed):
            raise result
        return answer.model_validate(result)

    async def gather(self, *calls: Awaitable[Any]) -> list[Any]:
        results = await asyncio.gather(*calls, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, AnswerFailed):
                raise result
        return list(results)


def make_context(
    root: Path,
    stage: str,
    handler: Handler | None = None,
    *,
    settings: Settings | None = None,
    **event: Any,
) -> StageContext:
    """A stage context over an empty workspace with fixed keys and a frozen clock."""

    def refuse(call: Call) -> dict[str, Any]:
        raise AssertionError(f"unexpected model call {call.prompt} {call.item}")

    root.mkdir(parents=True, exist_ok=True)
    config = EventConfig(**({"slug": "test", "topic": "a test event"} | event))
    return StageContext(
        stage=stage,
        workspace=Workspace(root),
        event=config,
        settings=settings or Settings(),
        keys=Keys(public_id="e-test", salt="test-salt", offset_days=-63),
        ask=ScriptedAsk(handler or refuse),
        now=datetime(2026, 6, 1, tzinfo=UTC),
        scripted=True,
    )
