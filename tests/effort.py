"""How the cost of work grows with its input, which a slow or busy machine does not change.

A limit in seconds says something about the machine too; the law of growth does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable

STEP = 16
"""The large input beside the small one: linear work costs as much more, quadratic work the square of it."""
ROOM = 4
"""Times a linear cost that are let pass: caches end, and collections of garbage fall into one of the two."""
TRIES = 4
"""A neighbour on the machine can only add to a cost, so that the least of several is the nearest."""


def grows_linearly(work: Callable[[int], object], size: int) -> bool:
    """Whether work on `size` costs no more CPU than work on a part of it, times what it is larger."""
    small = large = float("inf")
    for _ in range(TRIES):
        for _ in range(TRIES):
            small = min(small, _cpu(work, size // STEP))
        large = min(large, _cpu(work, size))
        if large <= ROOM * STEP * small:
            return True
    return False


def _cpu(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
