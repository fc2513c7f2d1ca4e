"""How fast an endpoint may be asked: requests and tokens a minute, requests in flight, pauses, a breaker.

The limit of requests in flight grows like TCP's window: by one an answer until the first 429, then by one a
round, and it is halved when a round meets a 429. `Retry-After` pauses this endpoint only. A 429 costs a call
none of its tries as long as the endpoint answers others; when several rounds in a row meet nothing but 429s,
the breaker ends the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from factory.errors import FactoryError

FIRST_LIMIT = 16.0
"""Requests in flight before anything is known of the endpoint."""
BURST_SECONDS = 1.0
"""A bucket lets through at once what it would in this time."""
LONGEST_PAUSE = 120.0
"""Seconds; an endpoint that asks for more stops the run, which can be resumed."""


def backoff(round_: int, *, first: float = 0.5, longest: float = 30.0) -> float:
    """Seconds before try number `round_` (from 1): doubled each time, with jitter in [0.5, 1]."""
    return float(min(longest, first * 2 ** (round_ - 1)) * random.uniform(0.5, 1.0))


class Bucket:
    """A rate a minute as a schedule (GCRA): no timer, no queue, fair in order of arrival."""

    def __init__(self, per_minute: int) -> None:
        self.rate = per_minute / 60
        self._at = 0.0

    def book(self, amount: float, now: float) -> float:
        """Take a place in the schedule; returns the seconds to wait."""
        if not self.rate:
            return 0.0
        self._at = max(self._at, now - BURST_SECONDS)
        wait = max(0.0, self._at - now)
        self._at += amount / self.rate
        return wait

    def settle(self, difference: float) -> None:
        """Correct a booking by what was really used beyond it (negative: less)."""
        if self.rate:
            self._at += difference / self.rate


@dataclass
class Ticket:
    """One request on its way."""

    tokens: int
    sent_at: float = 0.0
    done: bool = False


@dataclass
class Pacer:
    """The pace of one endpoint. Not thread-safe: it lives in one event loop."""

    rpm: int
    tpm: int
    concurrency: int
    patience: int
    """Rounds of nothing but 429s before the breaker opens."""
    clock: Callable[[], float] = time.monotonic
    limit: float = 0.0
    in_flight: int = 0
    most_in_flight: int = 0
    rounds: int = 0
    """Rounds in a row that met nothing but 429s."""
    broken: FactoryError | None = None
    """Set when the endpoint cannot be used any more: every further request raises it."""
    _growing: bool = True
    _paused_until: float = 0.0
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.limit = min(FIRST_LIMIT, float(self.concurrency))
        self._requests = Bucket(self.rpm)
        self._tokens = Bucket(self.tpm)
        self._broke = asyncio.Event()

    async def enter(self, tokens: int) -> Ticket:
        """Wait for a place; `tokens` is the estimate of prompt and answer together."""
        if self._waiting or self.in_flight >= int(self.limit):
            await self._queue()
        else:
            self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        ticket = Ticket(tokens)
        try:
            now = self.clock()
            wait = max(self._requests.book(1, now), self._tokens.book(tokens, now))
            if wait > 0:
                await self._sleep(wait)
            while self.broken is None and (wait := self._paused_until - self.clock()) > 0:
                await self._sleep(wait)
            if self.broken is not None:
                raise self.broken
        except BaseException:
            self.leave(ticket)
            raise
        ticket.sent_at = self.clock()
        return ticket

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._broke.wait(), seconds)

    async def _queue(self) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.in_flight -= 1
                self._wake()
            else:
                self._waiting.remove(place)
            raise

    def _wake(self) -> None:
        while self._waiting and (self.in_flight < int(self.limit) or self.broken is not None):
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)

    def leave(self, ticket: Ticket) -> None:
        """Give the place back; may be called more than once."""
        if not ticket.done:
            ticket.done = True
            self.in_flight -= 1
            self._wake()

    def answered(self, ticket: Ticket, tokens: int) -> None:
        """The endpoint answered, using `tokens`."""
        self.rounds = 0
        self._tokens.settle(tokens - ticket.tokens)
        if self.limit < self.concurrency:
            step = 1.0 if self._growing else 1.0 / self.limit
            self.limit = min(float(self.concurrency), self.limit + step)
        self.leave(ticket)

    def throttled(self, ticket: Ticket, retry_after: float | None) -> None:
        """The endpoint answered 429. A round is what was sent between two pauses: it counts once."""
        now = self.clock()
        if ticket.sent_at >= self._paused_until:
            self.rounds += 1
            self._growing = False
            self.limit = max(1.0, self.limit / 2)
            self._paused_until = now + (
                backoff(self.rounds) if retry_after is None else retry_after
            )
        elif retry_after is not None:
            self._paused_until = max(self._paused_until, now + retry_after)
        self._tokens.settle(-ticket.tokens)
        self.leave(ticket)

    @property
    def blocked(self) -> bool:
        """Whether the breaker should open."""
        return self.rounds > self.patience

    def break_with(self, error: FactoryError) -> None:
        """Let nothing through any more."""
        if self.broken is None:
            self.broken = error
            self._broke.set()
        self._wake()
