"""Who asked what, who answered, and what it took: one row per request that went out or was served.

Tokens are the truth; money is derived from the price table of the profile. The ledger holds no prompt
text, no host and no key.
"""

from __future__ import annotations

import sqlite3
from dataclasses import astuple, dataclass, fields
from typing import Literal

from factory.sections import Price

Source = Literal["live", "cache", "replay", "manual", "carry"]


@dataclass(frozen=True)
class Entry:
    """A row of llm_ledger."""

    run: int
    stage: str
    number: int
    item: str
    sample: int
    attempt: int
    """0 for the first question, then one more for each re-ask."""
    role: str
    model: str
    prompt: str
    prompt_digest: str
    key: str
    status: str
    """ok, truncated, refused, timeout, connection, or http_<code>."""
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reserved: float
    """Money set aside before the request."""
    cost: float
    """Money by the price table."""
    seconds: float
    source: Source


@dataclass(frozen=True)
class Usage:
    """What a stage used since the gateway was opened."""

    calls: int = 0
    """Answers asked for, those served without a request included."""
    paid_calls: int = 0
    """Requests that went out."""
    prompt_tokens: int = 0
    """Tokens in, of requests that went out."""
    completion_tokens: int = 0
    """Tokens out, of requests that went out."""
    cost: float = 0.0
    """Money by the price table."""


def cost_of(price: Price, prompt: int, cached: int, completion: int) -> float:
    """Money for tokens: prices are per million, cached prompt tokens at their own price."""
    cached_price = price.input if price.cached_input is None else price.cached_input
    fresh = max(prompt - cached, 0)
    return (fresh * price.input + cached * cached_price + completion * price.output) / 1e6


_COLUMNS = [field.name for field in fields(Entry)]
_INSERT = (
    f"INSERT INTO llm_ledger ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
)


class Ledger:
    """Table llm_ledger, and the sums of this session by stage."""

    def __init__(self, connection: sqlite3.Connection, mode: str) -> None:
        self.connection = connection
        self._mode = mode
        self._run: int | None = None
        self._usage: dict[str, Usage] = {}

    @property
    def run(self) -> int:
        """Number of this session; a session that asks nothing takes none."""
        if self._run is None:
            cursor = self.connection.execute(
                "INSERT INTO llm_runs (mode) VALUES (?)", (self._mode,)
            )
            self._run = int(cursor.lastrowid or 0)
        return self._run

    def add(self, entry: Entry) -> None:
        """Write a row; the caller holds the transaction if there is one."""
        self.connection.execute(_INSERT, astuple(entry))
        old = self._usage.get(entry.stage, Usage())
        served = entry.status == "ok" or entry.source != "live"
        sent = entry.source == "live"
        self._usage[entry.stage] = Usage(
            calls=old.calls + served,
            paid_calls=old.paid_calls + sent,
            prompt_tokens=old.prompt_tokens + (entry.prompt_tokens if sent else 0),
            completion_tokens=old.completion_tokens + (entry.completion_tokens if sent else 0),
            cost=old.cost + entry.cost,
        )

    def usage(self, stage: str) -> Usage:
        """Sums of this session."""
        return self._usage.get(stage, Usage())

    def spent(self) -> float:
        """Money of all sessions of this event."""
        (total,) = self.connection.execute(
            "SELECT coalesce(sum(cost), 0.0) FROM llm_ledger"
        ).fetchone()
        return float(total)
