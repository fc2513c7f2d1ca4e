"""CPU per recorded call through replay against the plainest replay there is.

    python -m benchmarks.replay [CALLS]

The baseline is openai + instructor (answer model wrapped once) over an httpx2 transport that looks the answer
up in a dict: no prompt files, no validation of keys, no ledger. Ours renders the prompt, computes the key,
reads the recording, validates and writes the ledger. Both answer the same calls in one run; the target is a
ratio of at most 2.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.load import SYSTEM, TimelineAnswer, scratch, settings, user_message

TARGET = 2.0
ROUNDS = 3
ANSWER = {
    "event": "台风过后的供电",
    "nodes": [
        {
            "day": "2031-04-05",
            "kind": "fact",
            "text": "官方称九成用户恢复供电。",
            "sources": [1, 2],
            "confidence": 0.9,
        }
    ],
}


def _dict_transport(answers: dict[str, bytes]) -> Any:
    import httpx2

    class DictTransport(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            body = json.loads(request.content)
            return httpx2.Response(
                200,
                headers={"content-type": "application/json"},
                content=answers[body["messages"][-1]["content"]],
            )

    return DictTransport()


def _completion(text: str) -> bytes:
    function = {"name": "TimelineAnswer", "arguments": text}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760}
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "mock",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(body).encode()


async def plain(calls: int) -> float:
    """CPU seconds of the dict transport."""
    import httpx2
    import instructor
    from instructor.v2.core.function_calls import response_schema
    from openai import AsyncOpenAI

    text = json.dumps(ANSWER, ensure_ascii=False)
    answers = {user_message(number): _completion(text) for number in range(calls)}
    http = httpx2.AsyncClient(transport=_dict_transport(answers))
    client = instructor.from_openai(
        AsyncOpenAI(base_url="http://cassette.invalid/v1", api_key="none", http_client=http)
    )
    wrapped = response_schema(TimelineAnswer)

    async def call(number: int) -> None:
        await client.chat.completions.create(
            model="mock",
            messages=[
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": user_message(number)},
            ],
            response_model=wrapped,
        )

    await call(0)
    before = time.process_time()
    await asyncio.gather(*(call(number) for number in range(calls)))
    spent = time.process_time() - before
    await http.aclose()
    return spent


async def ours(calls: int, folder: Path, mode: str) -> float:
    """CPU seconds of a gateway session in a mode; `manual` answers are written first."""
    from factory.llm.gateway import open_gateway
    from factory.workspace import Workspace
    from schemas import EventConfig, Keys

    recording = folder / "recording"
    door = open_gateway(
        workspace=Workspace(folder / f"workspace-{time.monotonic_ns()}"),
        settings=settings(folder, "http://cassette.invalid/v1", 64),
        event=EventConfig.model_validate(
            {
                "slug": "bench",
                "topic": "bench",
                "fictional": True,
                "mode": mode,
                "manual_dir": str(folder / "manual"),
            }
        ),
        keys=Keys(public_id="e-bench", salt="bench", offset_days=-63),
        recording=recording,
        record_into=recording if mode == "manual" else None,
    )
    async with door:
        ask = door.for_stage("points", 5)
        if mode == "replay":
            await ask("bench/node", TimelineAnswer, item="0", posts=user_message(0))
        before = time.process_time()
        await ask.gather(
            *(
                ask("bench/node", TimelineAnswer, item=f"{number}", posts=user_message(number))
                for number in range(calls)
            )
        )
        return time.process_time() - before


def write_recording(calls: int, folder: Path) -> None:
    """Make the recording the way a person does: prompts out, answers in, record."""
    from factory.errors import AnswersWaiting

    try:
        asyncio.run(ours(calls, folder, "manual"))
    except AnswersWaiting:
        for prompt in folder.glob("manual/*/*.prompt.md"):
            answer = prompt.with_name(prompt.name.replace(".prompt.md", ".answer.json"))
            answer.write_text(json.dumps(ANSWER, ensure_ascii=False), encoding="utf-8")
    asyncio.run(ours(calls, folder, "manual"))


def main() -> int:
    """Print CPU milliseconds a call and the ratio; 1 when the target is missed."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with scratch() as folder:
        write_recording(calls, folder)
        base, spent = float("inf"), float("inf")
        for _ in range(ROUNDS):
            base = min(base, asyncio.run(plain(calls)))
            spent = min(spent, asyncio.run(ours(calls, folder, "replay")))
    ratio = spent / base
    print(
        f"replay of {calls} recorded calls: {spent / calls * 1e3:.2f} ms CPU a call, openai + instructor over a "
        f"dict transport {base / calls * 1e3:.2f} ms, ratio {ratio:.2f} (target <= {TARGET:g})"
    )
    return int(ratio > TARGET)


if __name__ == "__main__":
    raise SystemExit(main())
