"""The door: `ask` renders a prompt, calls through instructor, validates, and stores before it hands on.

Cache, ledger, budget and pacing sit below instructor, in the create function that it is given, so that each
re-ask is cached, billed and paced on its own. Live, replay and manual differ only in who answers a request.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, cast

from pydantic import ValidationError

from factory.errors import (
    AnswerFailed,
    BadInput,
    FactoryError,
)
from factory.llm.ask import StageAsk
from factory.llm.budget import Budget
from factory.llm.cache import AnswerCache, make_request
from factory.llm.calls import Asked, Call, Served
from factory.llm.ledger import Entry, Ledger, Usage
from factory.llm.prompts import PromptLibrary
from factory.llm.reply import Reply, completion
from factory.llm.shapes import unwrap
from factory.llm.tables import guarded, open_tables, transaction
from factory.sections import Profile
from factory.settings import Settings
from factory.stage import Answer
from factory.workspace import Workspace, first_problem
from schemas import EventConfig, Keys

Say = Callable[[str], None]
_current: ContextVar[Call] = ContextVar("call")


class Answerer(Protocol):
    """Who answers a request that is not served from the store."""

    async def answer(self, asked: Asked) -> Served:
        """The answer, or an error that says why there is none."""
        ...


class Gateway:
    """One event's door to models, open while a run lasts. Use as an async context manager."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        settings: Settings,
        event: EventConfig,
        keys: Keys,
        recording: Path | None,
        record_into: Path | None,
        say: Say,
    ) -> None:
        self.workspace = workspace
        self.settings = settings
        self.event = event
        self.keys = keys
        self.recording = recording
        self.record_into = record_into
        self.say = say
        self._database = workspace.path("factory.db")
        self._connection: sqlite3.Connection | None = None
        self._lines: dict[str, Any] = {}
        self._creates: dict[str, Callable[..., Awaitable[Any]]] = {}
        self._flights: dict[str, asyncio.Future[Served]] = {}
        self._asked: dict[tuple[str, str, int], str] = {}

    async def __aenter__(self) -> Gateway:
        overlay = Path(self.settings.prompts_dir) if self.settings.prompts_dir else None
        self.prompts = PromptLibrary(overlay)
        self._answerer = self._make_answerer()
        self._connection = open_tables(self.workspace)
        self.cache = AnswerCache(self._connection)
        self.ledger = Ledger(self._connection, self.event.mode)
        with guarded(self._database):
            self.budget = Budget(self.event.budget, self.ledger.spent())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for line in self._lines.values():
                await line.aclose()
            if self.record_into is not None and kind is None:
                from factory.llm.replay import record_answers

                record_answers(self.workspace, self.event, self.record_into)
        finally:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def for_stage(self, name: str, number: int) -> StageAsk:
        """The door bound to a stage; `number` is its place in the graph and names its recording."""
        if self.record_into is not None:
            from factory.llm.replay import refuse_raw_side

            refuse_raw_side([name], self.event)
        return StageAsk(self, name, number)

    def usage(self, stage: str) -> Usage:
        """What a stage used since the gateway was opened."""
        return self.ledger.usage(stage)

    # -- one call ------------------------------------------------------------------------------

    async def ask(self, call: Call, answer: type[Answer]) -> Answer:
        """Take a rendered call through instructor; AnswerFailed when no attempt gave a valid answer."""
        from instructor.v2.core.errors import InstructorRetryException

        create = self._create_for(call.profile)
        token = _current.set(call)
        try:
            parsed = await create(
                response_model=call.shape.wrapped,
                messages=[
                    {"role": "system", "content": call.system},
                    {"role": "user", "content": call.user},
                ],
                max_retries=call.profile.reasks,
                strict=False,
                model=call.profile.model,
                **call.sampling(),
            )
        except InstructorRetryException as error:
            cause = error.__cause__
            if isinstance(cause, FactoryError):
                raise cause from cause.__cause__
            if isinstance(cause, ValidationError | ValueError):
                problem = first_problem(cause) if isinstance(cause, ValidationError) else str(cause)
                raise AnswerFailed(
                    f"{call.where}: the answer of {call.profile.model} does not fit {answer.__name__} after "
                    f"{call.attempt} attempts ({problem})",
                    reason="invalid",
                    raw=call.last.text if call.last else "",
                ) from cause
            raise
        finally:
            _current.reset(token)
        return cast(Answer, unwrap(parsed, answer))

    def _create_for(self, profile: Profile) -> Callable[..., Awaitable[Any]]:
        if profile.mode not in self._creates:
            import instructor

            # instructor logs a failed attempt with its text; failures are reported by us, without secrets.
            logging.getLogger("instructor").addHandler(logging.NullHandler())
            patched = instructor.patch(
                create=self._create, mode=getattr(instructor.Mode, profile.mode)
            )
            self._creates[profile.mode] = cast(Callable[..., Awaitable[Any]], patched)
        return self._creates[profile.mode]

    async def _create(self, **body: Any) -> Any:
        """What instructor takes for the endpoint's create function: one attempt of the current call."""
        call = _current.get()
        attempt, messages = call.attempt, body["messages"]
        call.attempt += 1
        if attempt == 0:
            call.opening = len(messages)
        request = make_request(
            family=call.profile.family,
            model=call.profile.model,
            # instructor's JSON modes write the schema into the messages; the key has its fingerprint.
            messages=[
                {"role": "system", "content": call.system},
                {"role": "user", "content": call.user},
                *messages[call.opening :],
            ],
            schema=call.shape.fingerprint,
            sampling=call.sampling(),
            sample=call.sample,
            attempt=attempt,
        )
        if attempt == 0:
            self._expect_one(call, request.key)
        mark_strict(body, call.profile)
        asked = Asked(call, request, attempt, body)
        call.last = (await self._served(asked)).reply
        tools = body.get("tools")
        tool = tools[0]["function"]["name"] if tools else None
        return completion(call.last, tool, f"call_{request.key[:16]}")

    def _expect_one(self, call: Call, key: str) -> None:
        """Recordings and manual files name a call by stage, item and sample: it must be one request."""
        known = self._asked.setdefault((call.stage, call.item, call.sample), key)
        if known != key:
            raise BadInput(
                f"stage {call.stage} asks two different things as item {call.item!r}, sample {call.sample} "
                f"(the second with prompt {call.prompt}); give each its own item or sample"
            )

    async def _served(self, asked: Asked) -> Served:
        """Store, a request in flight for the same key, or the answerer; one of them per request."""
        key = asked.request.key
        while key in self._flights:
            try:
                shared = await asyncio.shield(self._flights[key])
            except asyncio.CancelledError:
                # Only the leader was stopped: take its place. If it was us, stop.
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                continue
            return self._write(asked, Served(shared.reply, "cache"))
        flight: asyncio.Future[Served] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        try:
            served = await self._find(asked)
            flight.set_result(served)
            return served
        except asyncio.CancelledError:
            flight.cancel()
            raise
        except Exception as error:
            flight.set_exception(error)
            flight.exception()  # retrieved here: nobody else may be waiting
            raise
        finally:
            del self._flights[key]

    async def _find(self, asked: Asked) -> Served:
        if self.event.mode == "live":
            with guarded(self._database):
                stored = self.cache.get(asked.request.key)
            if stored is not None:
                return self._write(asked, Served(stored, "cache"))
            carried = self.carried(asked)
            if carried is not None:
                return self._write(asked, carried, keep=True)
        try:
            served = await self._answerer.answer(asked)
        except AnswerFailed as error:
            with guarded(self._database):
                name = asked.call.shape.answer.__name__
                self.cache.put_failure(asked.request, name, error.reason)
                if self.event.mode == "replay":
                    failed = Served(Reply("", finish_reason=error.reason), "replay")
                    self.ledger.add(self._entry(asked, error.reason, failed))
            raise
        return self._write(asked, served, keep=served.source != "cache")

    def carried(self, asked: Asked) -> Served | None:
        """An earlier recording's answer to this item, when it still fits the answer model."""
        if asked.attempt:
            return None
        call = asked.call
        with guarded(self._database):
            reply = self.cache.carried(call.stage, call.item, call.sample)
        if reply is None:
            return None
        try:
            call.shape.answer.model_validate_json(reply.text)
        except ValidationError as error:
            self.say(f"{call.where}: the earlier answer no longer fits ({first_problem(error)})")
            return None
        return Served(reply, "carry")

    def _write(self, asked: Asked, served: Served, *, keep: bool = False) -> Served:
        """Ledger row, and the answer if it is new, in one transaction, before anybody sees the answer."""
        with guarded(self._database):
            if not keep:
                self.ledger.add(self._entry(asked, "ok", served))
                return served
            assert self._connection is not None
            run = self.ledger.run
            assert run
            with transaction(self._connection):
                self.cache.put(asked.request, asked.call.shape.answer.__name__, served.reply)
                self.ledger.add(self._entry(asked, "ok", served))
        return served

    def _write_failed(self, asked: Asked, status: str, served: Served) -> None:
        with guarded(self._database):
            self.ledger.add(self._entry(asked, status, served))

    def _entry(self, asked: Asked, status: str, served: Served) -> Entry:
        call, reply = asked.call, served.reply
        return Entry(
            run=self.ledger.run,
            stage=call.stage,
            number=call.number,
            item=call.item,
            sample=call.sample,
            attempt=asked.attempt,
            role=call.role,
            model=call.profile.model,
            prompt=call.prompt,
            prompt_digest=call.digest,
            key=asked.request.key,
            status=status,
            prompt_tokens=reply.prompt_tokens,
            cached_tokens=reply.cached_tokens,
            completion_tokens=reply.completion_tokens,
            reserved=served.reserved,
            cost=served.cost,
            seconds=round(served.seconds, 4),
            source=served.source,
        )

    # -- who answers -----------------------------------------------------------------------------

    def _make_answerer(self) -> Answerer:
        if self.event.mode == "replay":
            from factory.llm.playback import Replayer

            if self.recording is None:
                raise BadInput(
                    f"event {self.event.slug} is in replay mode without a recording; name one with --replay"
                )
            return Replayer(self.recording, self.event.slug, self.carried)
        if self.event.mode == "manual":
            from factory.llm.manual import Clerk

            if not self.event.manual_dir:
                raise BadInput(
                    f"event {self.event.slug} is in manual mode without a folder; name one with --manual"
                )
            return Clerk(Path(self.event.manual_dir), lambda key: self.cache.get(key), self.carried)
        return _Switchboard(self)

    def line(self, name: str, profile: Profile) -> Any:
        """The live line of a profile, opened on first use; BadInput when its key is not set."""
        if name not in self._lines:
            from factory.llm.endpoint import Endpoint
            from factory.llm.live import LiveLine

            endpoint = Endpoint(name, profile)
            if self.event.budget is not None and not (profile.price.input or profile.price.output):
                self.say(
                    f"the budget cannot watch profile {name}: it has no price; set [profiles.{name}.price]"
                )
            self._lines[name] = LiveLine(endpoint, self.budget, self._write_failed)
        return self._lines[name]


class _Switchboard:
    """Live mode: each request to the line of its profile."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def answer(self, asked: Asked) -> Served:
        line = self._gateway.line(asked.call.profile_name, asked.call.profile)
        return cast(Served, await line.answer(asked))


def mark_strict(body: dict[str, Any], profile: Profile) -> None:
    """Ask for constrained answers where the mode and the dialect allow it."""
    if profile.mode == "TOOLS_STRICT":
        body["tools"] = [
            {**tool, "function": {**tool["function"], "strict": True}} for tool in body["tools"]
        ]
    elif profile.mode == "JSON_SCHEMA" and profile.dialect == "openai":
        form = body["response_format"]
        body["response_format"] = {**form, "json_schema": {**form["json_schema"], "strict": True}}


def open_gateway(
    *,
    workspace: Workspace,
    settings: Settings,
    event: EventConfig,
    keys: Keys,
    recording: Path | None,
    record_into: Path | None = None,
    say: Say = lambda _line: None,
) -> Gateway:
    """A gateway to be entered with `async with`.

    `recording` is the folder that replay reads; `record_into` the folder that gets the calls of this run when
    it ends well. Entering raises WorkspaceError for a damaged database and BadInput for missing settings.
    """
    return Gateway(
        workspace=workspace,
        settings=settings,
        event=event,
        keys=keys,
        recording=recording,
        record_into=record_into,
        say=say,
    )
