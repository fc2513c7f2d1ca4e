"""The temporal axis of the published exam: which days belong to it and into which buckets they fall."""

from __future__ import annotations

from factory.errors import BadInput

BUCKETS: tuple[tuple[int, int], ...] = ((0, 30), (31, 60), (61, 90))
"""Days from the cutoff, both ends included: 31, 30 and 30 days."""
HORIZON = 90
"""Events further away are no part of the temporal axis."""


def bucket(t: int) -> tuple[int, int]:
    """The bucket of an event `t` days after its cutoff; BadInput outside 0..90."""
    for low, high in BUCKETS:
        if low <= t <= high:
            return low, high
    raise BadInput(f"an event {t} days from its cutoff lies in no bucket of 0 to {HORIZON} days")
