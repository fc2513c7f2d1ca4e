"""The money cap of an event: reserved before a request, settled after it, never crossed.

The reservation is the most that a request can cost, so calls that would only seem to cross the cap wait
until calls in flight have settled; the run stops when a request would cross it for certain.
"""

from __future__ import annotations

import asyncio

from factory.errors import BudgetReached


class Budget:
    """`cap` in the currency of the price table, None for no cap; `spent` by earlier runs of the event."""

    def __init__(self, cap: float | None, spent: float) -> None:
        self.cap = cap
        self.spent = spent
        self.reserved = 0.0
        self._open = 0
        self._settled = asyncio.Event()

    async def reserve(self, amount: float) -> None:
        """Set money aside; BudgetReached when it would cross the cap with nothing left to settle."""
        while self.cap is not None and self.spent + self.reserved + amount > self.cap:
            if not self._open:
                raise BudgetReached(
                    f"the budget of {self.cap:g} is reached: {self.spent:.4f} is spent and the next call may "
                    f"cost {amount:.4f}; raise --budget and run the same command to go on"
                )
            self._settled.clear()
            await self._settled.wait()
        self.reserved += amount
        self._open += 1

    def settle(self, reserved: float, spent: float) -> None:
        """Replace a reservation by what was really spent."""
        self._open -= 1
        self.reserved = self.reserved - reserved if self._open else 0.0
        self.spent += spent
        self._settled.set()
