"""Waiting for what another thread or process does: for the thing itself, never for a time that should suffice."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds after which something has gone wrong, on however busy a machine; no test should take a tenth of it."""


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Return as soon as the condition holds; AssertionError names what never came."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE:g} seconds"
        time.sleep(0.005)
