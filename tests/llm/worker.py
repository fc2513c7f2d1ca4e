"""A real process that asks many notes through the gateway, to be killed: `python -m tests.llm.worker ROOT URL N`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.llm.conftest import Desk

CONCURRENCY = 8


def notes(count: int) -> list[str]:
    """The notes that are asked about."""
    return [f"note {number}" for number in range(count)]


if __name__ == "__main__":
    desk = Desk(Path(sys.argv[1]), url=sys.argv[2], profile={"concurrency": CONCURRENCY})
    desk.ask(*notes(int(sys.argv[3])))
