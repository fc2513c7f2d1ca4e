"""How much memory a program of a test held, measured inside it."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def peak_kb() -> int:
    """Most resident memory of this program, kB.

    ru_maxrss is the last resort: on Linux that of a child starts at its parent's.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.MULTILINE)
        if found:
            return int(found[1])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most
