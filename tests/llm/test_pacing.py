from __future__ import annotations

import asyncio

import pytest

from factory.errors import BudgetReached, EndpointError
from factory.llm.budget import Budget
from factory.llm.pacing import Bucket, Pacer, backoff


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def pacer(clock: Clock, **options: int) -> Pacer:
    return Pacer(**({"rpm": 0, "tpm": 0, "concurrency": 64, "patience": 3} | options), clock=clock)


def test_a_bucket_lets_through_its_rate_and_no_more() -> None:
    bucket, now = Bucket(120), 50.0
    waits = [bucket.book(1, now) for _ in range(10)]
    assert waits[:3] == [0.0, 0.0, 0.0]
    assert waits[-1] == pytest.approx(3.5)
    assert Bucket(0).book(1e9, now) == 0.0


def test_a_bucket_gives_back_what_was_not_used() -> None:
    bucket, now = Bucket(60), 50.0
    bucket.book(100, now)
    bucket.settle(-90)
    assert bucket.book(1, now) == pytest.approx(9.0)


def test_the_limit_doubles_until_a_429_and_is_halved_once_a_round() -> None:
    async def work() -> None:
        clock = Clock()
        pace = pacer(clock)
        for _ in range(16):
            pace.answered(await pace.enter(1), 1)
        assert pace.limit == 32
        round_ = [await pace.enter(1) for _ in range(8)]
        for ticket in round_:
            pace.throttled(ticket, 0.5)
        assert pace.limit == 16
        assert pace.rounds == 1
        clock.now += 1
        pace.answered(await pace.enter(1), 1)
        assert pace.rounds == 0
        assert 16 < pace.limit < 17

    asyncio.run(work())


def test_never_more_in_flight_than_the_limit_and_nobody_starves() -> None:
    async def work() -> None:
        pace = Pacer(rpm=0, tpm=0, concurrency=3, patience=3)
        done = []

        async def call(number: int) -> None:
            ticket = await pace.enter(1)
            await asyncio.sleep(0.001)
            pace.answered(ticket, 1)
            done.append(number)

        tasks = [asyncio.ensure_future(call(number)) for number in range(20)]
        await asyncio.sleep(0)
        tasks[5].cancel()
        tasks[10].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(done) == 18
        assert pace.most_in_flight == 3
        assert pace.in_flight == 0

    asyncio.run(work())


def test_a_broken_endpoint_lets_nobody_wait() -> None:
    async def work() -> None:
        pace = Pacer(rpm=0, tpm=0, concurrency=1, patience=3)
        ticket = await pace.enter(1)
        waiting = [asyncio.ensure_future(pace.enter(1)) for _ in range(3)]
        await asyncio.sleep(0)
        pace.throttled(ticket, 60)
        await asyncio.sleep(0)
        pace.break_with(EndpointError("down"))
        results = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 30)
        assert [type(result) for result in results] == [EndpointError] * 3
        assert pace.in_flight == 0

    asyncio.run(work())


def test_backoff_grows_and_is_bounded() -> None:
    assert 0.25 <= backoff(1) <= 0.5
    assert 15 <= backoff(50) <= 30


def test_a_reservation_waits_for_calls_in_flight_before_it_stops_the_run() -> None:
    async def work() -> None:
        budget = Budget(1.0, spent=0.2)
        await budget.reserve(0.6)
        second = asyncio.ensure_future(budget.reserve(0.6))
        await asyncio.sleep(0.01)
        assert not second.done()
        budget.settle(0.6, 0.1)
        await second
        budget.settle(0.6, 0.5)
        assert budget.spent == pytest.approx(0.8)
        with pytest.raises(BudgetReached):
            await budget.reserve(0.3)

    asyncio.run(work())
