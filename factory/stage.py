"""What a stage is and what it is given.

A stage is an async function `run(ctx) -> Counts` that reads typed artefacts of the workspace, asks models
through `ctx.ask`, and writes typed artefacts. It imports no other stage. Item-level failures become
rejections; errors that stop a run (budget, waiting answers, endpoint) are never caught by a stage.
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from factory.errors import AnswerFailed
from factory.settings import Settings
from factory.workspace import Workspace
from schemas import Counts, Decision, EventConfig, Keys, Rejection, ReviewRequest

Answer = TypeVar("Answer", bound=BaseModel)
T = TypeVar("T")


class Ask(Protocol):
    """The door to models, bound to one stage."""

    async def __call__(
        self,
        prompt: str,
        answer: type[Answer],
        *,
        item: str,
        sample: int = 0,
        role: str | None = None,
        lang: str | None = None,
        **variables: Any,
    ) -> Answer:
        """Render a prompt, ask the role's model, return a validated answer.

        `prompt` is "stage/name"; `item` names what is asked about (stable, readable, unique in the stage
        together with `sample`); `role` overrides the prompt's own; `lang` picks name.<lang>.md if it exists.
        Raises AnswerFailed when this call has no usable answer, and Stopped, EndpointError, CassetteMiss
        or BadInput when the run cannot go on.
        """
        ...

    async def gather(self, *calls: Awaitable[T]) -> list[T | AnswerFailed]:
        """Await calls concurrently, in order; failed ones yield their AnswerFailed.

        All calls are finished before an error that stops the run is raised, so that manual mode writes
        every prompt it can before it stops.
        """
        ...


@dataclass
class StageContext:
    """Everything that a stage may use."""

    stage: str
    workspace: Workspace
    event: EventConfig
    settings: Settings
    keys: Keys
    ask: Ask
    now: datetime
    """UTC; frozen by a recording. Stages never read the clock."""
    scripted: bool = False
    """True when the answers come from hand-written recordings or manual mode."""
    recording: Path | None = None
    """Folder of the recording in replay mode, with `sources/` inside."""
    record_sources: Path | None = None
    """Folder to record source traffic into."""
    force: bool = False
    """True when the user asked to release although forceable gates did not pass."""
    say: Callable[[str], None] = lambda _line: None
    decisions: tuple[Decision, ...] = ()
    rejections: list[Rejection] = field(default_factory=list)
    reviews: list[ReviewRequest] = field(default_factory=list)

    def rng(self, purpose: str) -> random.Random:
        """A generator seeded by the event's seed, the stage and the purpose."""
        return random.Random(f"{self.event.seed}:{self.stage}:{purpose}")

    def new_id(self, prefix: str, *parts: object) -> str:
        """A short opaque id: HMAC of the parts under the event's salt. `prefix` is one letter or empty."""
        text = "\x1f".join(str(part) for part in parts)
        return (
            prefix
            + hmac.new(self.keys.salt.encode(), text.encode(), hashlib.sha256).hexdigest()[:10]
        )

    def reject(self, item: str, reason: str, detail: str = "") -> None:
        """Record that an input was not kept."""
        self.rejections.append(Rejection(stage=self.stage, item=item, reason=reason, detail=detail))

    def request_review(self, request: ReviewRequest) -> str | None:
        """Put something to a person; returns the latest decision if there is one."""
        self.reviews.append(request)
        choices = [d.choice for d in self.decisions if d.review_id == request.review_id]
        return choices[-1] if choices else None


Job = TypeVar("Job")


async def ask_in_parts(
    ask: Ask,
    jobs: Sequence[Job],
    call: Callable[[Job], Awaitable[T]],
    halve: Callable[[Job], tuple[Job, Job] | None],
) -> list[tuple[Job, T | AnswerFailed]]:
    """Make one call a job; where the answer is cut off at the largest limit, ask about each half instead.

    `halve` returns two jobs with item names of their own, or None when a job cannot be parted; such a job keeps
    its AnswerFailed. Whole jobs come back in order, halves after them.
    """
    done: list[tuple[Job, T | AnswerFailed]] = []
    parts: list[Job] = []
    answers = await ask.gather(*(call(job) for job in jobs))
    for job, answer in zip(jobs, answers, strict=True):
        cut = isinstance(answer, AnswerFailed) and answer.reason == "truncated"
        halves = halve(job) if cut else None
        if halves is None:
            done.append((job, answer))
        else:
            parts += halves
    if parts:
        done += await ask_in_parts(ask, parts, call, halve)
    return done


Run = Callable[[StageContext], Awaitable[Counts]]


@dataclass(frozen=True)
class Stage:
    """One node of the graph in pipeline.py."""

    name: str
    run: str
    """Dotted `module:function`, imported when the stage runs."""
    inputs: tuple[str, ...]
    """Artefacts read, relative to the workspace; all enter the fingerprint."""
    outputs: tuple[str, ...]
    """Artefacts written."""
    prompts: tuple[str, ...] = ()
    """Prompt names whose text enters the fingerprint."""
    roles: tuple[str, ...] = ()
    """Model roles; their endpoints enter the fingerprint."""
    sections: tuple[str, ...] = ()
    """Settings sections that enter the fingerprint."""
    event: tuple[str, ...] = ()
    """Fields of event.toml that enter the fingerprint."""
    revision: int = 1
    """Raised when the stage's code changes what it makes."""
    editable: bool = False
    """True when a person may edit its outputs: an edited one counts as done, and what reads it runs again."""
