"""A small OpenAI-compatible server for tests and benchmarks: real HTTP on loopback, faults on request.

Answers are instances of the schema in the request, deterministic in the messages. It keeps a ledger of every
request as it came in, so that tests can assert on what went out.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import random
import socket
import threading
import urllib.request
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.waiting import PATIENCE, wait_until

Answer = Callable[[dict[str, Any]], Any]


def instance(schema: dict[str, Any], root: dict[str, Any], rng: random.Random) -> Any:
    """An instance of a JSON schema."""
    if "$ref" in schema:
        node: Any = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node[part]
        return instance(node, root, rng)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        options = [part for part in schema["anyOf"] if part.get("type") != "null"]
        return instance(options[0], root, rng)
    kind = schema.get("type")
    if kind == "object":
        return {k: instance(v, root, rng) for k, v in schema.get("properties", {}).items()}
    if kind == "array":
        count = min(max(schema.get("minItems", 0), 2), schema.get("maxItems", 2))
        return [instance(schema["items"], root, rng) for _ in range(count)]
    if kind == "integer":
        return rng.randint(
            math.ceil(schema.get("minimum", 0)), math.floor(schema.get("maximum", 9))
        )
    if kind == "number":
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        return round(low + (high - low) * rng.random(), 3)
    if kind == "boolean":
        return rng.random() < 0.5
    if schema.get("pattern", "").startswith(r"^\d{4}-\d{2}-\d{2}"):
        return "2031-04-05"
    return "网友讨论停电 and the outage “lasted” two days"[: schema.get("maxLength", 60)]


def _digest(body: dict[str, Any]) -> str:
    """A name for the messages of a request."""
    return hashlib.sha256(json.dumps(body["messages"], sort_keys=True).encode()).hexdigest()


@dataclass
class MockServer:
    """State that tests read and set."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of chat requests in order of arrival, with `_headers` and `_outcome`."""
    faults: deque[str] = field(default_factory=deque)
    """Outcomes of the next requests: 429, 500, 401, 404, truncated, invalid, refusal, filter, hang, echo,
    or ok; then `shares` apply."""
    shares: dict[str, float] = field(default_factory=dict)
    """Share of each fault among requests. What a request meets hangs on its messages and on how often they came,
    not on the order of arrival, which is chance."""
    marked: dict[str, str] = field(default_factory=dict)
    """Word in the messages -> outcome, before everything else."""
    always: str = ""
    """One outcome for every request."""
    answer: Answer | None = None
    """Makes the answer object from the body; None makes an instance of the schema."""
    latency: float = 0.0
    retry_after_ms: int = 20
    models: tuple[str, ...] = ("mock",)
    in_flight: int = 0
    most_in_flight: int = 0
    answered: list[str] = field(default_factory=list)
    """Digest of the messages of each whole answer that was sent."""
    came: Counter[str] = field(default_factory=Counter)
    """How often the messages of each digest came."""
    busy: Callable[[], bool] = lambda: False
    """Whether a connection is open or a request is being answered."""

    def settle(self) -> None:
        """Return when everything that was sent by clients that are gone by now has been read."""
        # Connections are accepted in order: those that wait to be accepted came before this one.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        direct.open(f"{self.url}/models", timeout=PATIENCE).read()
        wait_until(lambda: not self.busy(), "the server at rest")

    def outcome(self, body: dict[str, Any]) -> str:
        """What happens to the next request."""
        asked = str(body["messages"])
        for word, name in self.marked.items():
            if word in asked:
                return name
        if self.faults:
            return self.faults.popleft()
        if self.always:
            return self.always
        digest = _digest(body)
        self.came[digest] += 1
        draw = random.Random(f"{digest} {self.came[digest]}").random()
        for name, share in self.shares.items():
            draw -= share
            if draw < 0:
                return name
        return "ok"

    async def chat(self, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        """Status, JSON and headers for a chat request."""
        outcome = self.outcome(body)
        body["_outcome"] = outcome
        self.requests.append(body)
        if outcome == "hang":
            await asyncio.sleep(3600)
        await asyncio.sleep(self.latency)
        key = body["_headers"].get("authorization", "")
        if outcome in ("429", "500", "400", "401", "404"):
            headers = {"retry-after-ms": str(self.retry_after_ms)} if outcome == "429" else {}
            message = f"error {outcome} for {key}"
            return int(outcome), {"error": {"message": message, "type": "x", "code": None}}, headers
        tool, schema = None, {}
        if body.get("tools"):
            tool = body["tools"][0]["function"]["name"]
            schema = body["tools"][0]["function"]["parameters"]
        elif body.get("response_format", {}).get("type") == "json_schema":
            schema = body["response_format"]["json_schema"]["schema"]
        messages, digest = json.dumps(body["messages"], sort_keys=True), _digest(body)
        made = (
            self.answer(body)
            if self.answer is not None
            else instance(schema, schema, random.Random(digest))
        )
        if outcome == "invalid" and isinstance(made, dict) and made:
            made = {k: v for k, v in made.items() if k != sorted(made)[0]}
        if outcome == "echo":
            made = {k: f"{v} {key}" if isinstance(v, str) else v for k, v in made.items()}
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        finish = "tool_calls" if tool else "stop"
        if outcome == "truncated":
            text, finish = text[: len(text) // 2], "length"
        if outcome == "filter":
            text, finish = "", "content_filter"
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        if outcome == "refusal":
            message |= {"content": None, "refusal": "I cannot help with that"}
        elif tool and outcome != "filter":
            function = {"name": tool, "arguments": text}
            call = {"id": f"call_{digest[:24]}", "type": "function", "function": function}
            message |= {"content": None, "tool_calls": [call]}
        if outcome == "ok":
            self.answered.append(digest)
        usage = {
            "prompt_tokens": len(messages) // 4,
            "completion_tokens": max(1, len(text) // 4),
            "total_tokens": len(messages) // 4 + max(1, len(text) // 4),
            "prompt_tokens_details": {"cached_tokens": 0},
        }
        reply = {
            "id": f"chatcmpl-{digest[:24]}",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "system_fingerprint": "fp",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": usage,
        }
        return 200, reply, {"openai-organization": "org-planted", "set-cookie": "session=planted"}

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI application."""
        if scope["type"] != "http":
            return
        raw = b""
        while True:
            message = await receive()
            raw += message.get("body", b"")
            if not message.get("more_body"):
                break
        if scope["path"].endswith("/models"):
            listed = [
                {"id": name, "object": "model", "created": 0, "owned_by": "x"}
                for name in self.models
            ]
            status, reply, headers = 200, {"object": "list", "data": listed}, {}
        else:
            body = json.loads(raw)
            body["_headers"] = {k.decode(): v.decode() for k, v in scope["headers"]}
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            try:
                status, reply, headers = await self.chat(body)
            finally:
                self.in_flight -= 1
        payload = json.dumps(reply, ensure_ascii=False).encode()
        lines = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(payload)).encode()),
        ]
        lines += [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": lines})
        await send({"type": "http.response.body", "body": payload})


@contextmanager
def serve(**options: Any) -> Iterator[MockServer]:
    """A running server in a thread of this process."""
    import uvicorn

    state = MockServer(**options)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    state.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    config = uvicorn.Config(
        state.app,
        interface="asgi3",
        log_level="critical",  # a stop without patience is logged as an error
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=0,
    )
    server = uvicorn.Server(config)
    state.busy = lambda: bool(server.server_state.connections or server.server_state.tasks)
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started, "the server at its port")
        yield state
    finally:
        server.should_exit = True
        thread.join(timeout=PATIENCE)
        listener.close()


if __name__ == "__main__":
    import sys
    import time

    with serve(latency=float(sys.argv[1]) if len(sys.argv) > 1 else 0.0) as running:
        print(running.url, flush=True)
        while True:
            time.sleep(3600)
