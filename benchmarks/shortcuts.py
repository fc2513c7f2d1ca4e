"""The attackers that read no context: CPU seconds of auditing banks of growing size.

    python -m benchmarks.shortcuts

Banks are composed from invented arcs; what counts is the number of questions and of distinct texts. Each size runs
in a process of its own, so that no cache of another is used. A bank of 8,000 questions has to be audited in less
than LIMIT CPU seconds.
"""

from __future__ import annotations

import subprocess
import sys
import time

SIZES = ((35, 8, 4), (160, 25, 4), (168, 25, 12))
"""Nodes, cutoffs, outcomes a node."""
LIMIT = 180.0
LARGE = 8000


def audit(nodes: int, cutoffs: int, outcomes: int) -> None:
    """Audit one bank and print its size and its cost."""
    from factory.audit.shortcuts import audit_shortcuts
    from tests.bank.arcs import build, make_arc

    days = [i * 4 for i in range(nodes)]
    step = (days[-1] - days[3]) // cutoffs
    at = [days[3] + i * step for i in range(cutoffs)]
    built = build(make_arc(days, at, outcomes=outcomes, tail_days=90))
    before = time.process_time()
    found = audit_shortcuts(built.bank, built.arc.timeline)
    spent = time.process_time() - before
    print(
        f"{len(built.bank.questions)} questions of {len(built.pairs)} pairs: {spent:.1f} CPU s, "
        f"{len(found.scores)} attackers, {len(found.intervals)} of them with intervals",
        flush=True,
    )
    if len(built.bank.questions) >= LARGE and spent > LIMIT:
        sys.exit(1)


def main() -> int:
    worst = 0
    for size in SIZES:
        command = [sys.executable, "-m", "benchmarks.shortcuts", *map(str, size)]
        worst = max(worst, subprocess.run(command, check=False).returncode)
    return worst


if __name__ == "__main__":
    if len(sys.argv) == 4:
        audit(*map(int, sys.argv[1:]))
    else:
        sys.exit(main())
