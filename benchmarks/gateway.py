"""CPU per typed call through our gateway (cache, ledger, pacing and budget on) against instructor as documented.

    python -m benchmarks.gateway [CALLS]

Both ask the same mock server for the same answers in one run, at 64 and at 256 in flight, each repeated and
the best taken; CPU is this process alone. The target is a ratio of at most 0.45.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

from benchmarks.load import SYSTEM, TimelineAnswer, mock_server, scratch, settings, user_message

TARGET = 0.45
ROUNDS = 2


async def documented(url: str, calls: int, concurrency: int) -> float:
    """CPU seconds of `instructor.from_openai(AsyncOpenAI())` behind a semaphore."""
    import instructor
    from openai import AsyncOpenAI

    openai = AsyncOpenAI(base_url=url, api_key="none", timeout=120)
    client = instructor.from_openai(openai)
    gate = asyncio.Semaphore(concurrency)

    async def call(number: int) -> None:
        async with gate:
            answer = await client.chat.completions.create(
                model="mock",
                messages=[
                    {"role": "system", "content": SYSTEM},
                    {"role": "user", "content": user_message(number)},
                ],
                response_model=TimelineAnswer,
            )
            assert isinstance(answer, TimelineAnswer)

    await call(-1)
    before = time.process_time()
    await asyncio.gather(*(call(number) for number in range(calls)))
    spent = time.process_time() - before
    await openai.close()
    return spent


async def gateway(url: str, calls: int, concurrency: int, folder: Path) -> float:
    """CPU seconds of the gateway on an empty workspace."""
    from factory.llm.gateway import open_gateway
    from factory.workspace import Workspace
    from schemas import EventConfig, Keys

    door = open_gateway(
        workspace=Workspace(folder / f"workspace-{time.monotonic_ns()}"),
        settings=settings(folder, url, concurrency),
        event=EventConfig(slug="bench", topic="bench", budget=1000.0),
        keys=Keys(public_id="e-bench", salt="bench", offset_days=-63),
        recording=None,
    )
    async with door:
        ask = door.for_stage("points", 5)
        await ask("bench/node", TimelineAnswer, item="warm", posts=user_message(-1))
        before = time.process_time()
        answers = await ask.gather(
            *(
                ask("bench/node", TimelineAnswer, item=f"{number}", posts=user_message(number))
                for number in range(calls)
            )
        )
        spent = time.process_time() - before
        assert all(isinstance(answer, TimelineAnswer) for answer in answers)
        assert door.usage("points").paid_calls == calls + 1
    return spent


def main() -> int:
    """Print CPU milliseconds a call and the ratio at each concurrency; 1 when a target is missed."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    os.environ.pop("OPENAI_API_KEY", None)
    missed = False
    with mock_server(latency=0.05) as url, scratch() as folder:
        for concurrency in (64, 256):
            base, ours = float("inf"), float("inf")
            for _ in range(ROUNDS):
                base = min(base, asyncio.run(documented(url, calls, concurrency)))
                ours = min(ours, asyncio.run(gateway(url, calls, concurrency, folder)))
            ratio = ours / base
            missed = missed or ratio > TARGET
            print(
                f"gateway at {concurrency} in flight: {ours / calls * 1e3:.2f} ms CPU a call, instructor as "
                f"documented {base / calls * 1e3:.2f} ms, ratio {ratio:.2f} (target <= {TARGET})"
            )
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
