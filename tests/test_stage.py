"""Asking in parts: a call whose answer is cut off is asked again about its halves, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.errors import AnswerFailed, Stopped
from factory.stage import ask_in_parts


class Door:
    """Gathers calls as the gateway does."""

    async def __call__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("not used")

    async def gather(self, *calls: Awaitable[Any]) -> list[Any]:
        results = await asyncio.gather(*calls, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, AnswerFailed):
                raise result
        return list(results)


def halves(
    job: tuple[str, list[int]],
) -> tuple[tuple[str, list[int]], tuple[str, list[int]]] | None:
    item, rows = job
    middle = len(rows) // 2
    return ((item + "-a", rows[:middle]), (item + "-b", rows[middle:])) if middle else None


@given(st.integers(1, 40), st.integers(1, 12))
def test_every_row_is_answered_once_whatever_fits_into_one_answer(size: int, limit: int) -> None:
    async def call(job: tuple[str, list[int]]) -> list[int]:
        if len(job[1]) > limit:
            raise AnswerFailed("cut off", reason="truncated")
        return job[1]

    done = asyncio.run(ask_in_parts(Door(), [("all", list(range(size)))], call, halves))
    answered = sorted(row for _, answer in done for row in answer)  # type: ignore[union-attr]
    assert answered == list(range(size))
    items = [item for (item, _), _ in done]
    assert len(set(items)) == len(items)


def test_a_row_that_is_too_long_alone_keeps_its_failure() -> None:
    async def call(job: tuple[str, list[int]]) -> list[int]:
        if 3 in job[1]:
            raise AnswerFailed("cut off", reason="truncated")
        return job[1]

    done = asyncio.run(ask_in_parts(Door(), [("all", [1, 2, 3, 4])], call, halves))
    failed = [(rows, a.reason) for (_, rows), a in done if isinstance(a, AnswerFailed)]
    assert failed == [([3], "truncated")]
    assert sorted(row for (_, rows), a in done for row in rows) == [1, 2, 3, 4]


@pytest.mark.parametrize("reason", ["invalid", "refused"])
def test_other_failures_are_not_split(reason: str) -> None:
    asked: list[str] = []

    async def call(job: tuple[str, list[int]]) -> list[int]:
        asked.append(job[0])
        raise AnswerFailed("no", reason=reason)

    done = asyncio.run(ask_in_parts(Door(), [("all", [1, 2])], call, halves))
    assert asked == ["all"]
    assert len(done) == 1


def test_what_stops_a_run_is_not_caught() -> None:
    async def call(job: tuple[str, list[int]]) -> list[int]:
        raise Stopped("the budget is used up")

    with pytest.raises(Stopped):
        asyncio.run(ask_in_parts(Door(), [("all", [1, 2])], call, halves))
