"""The full demo event's platforms over HTTP, on loopback, as a plain HTTP proxy: `python -m tests.outside_world.full.serve`."""

from __future__ import annotations

from tests.outside_world.full.world import FullWorld
from tests.outside_world.server import main

if __name__ == "__main__":
    main(FullWorld())
