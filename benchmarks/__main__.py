"""`make bench`: run every benchmark and print its ratios."""

from __future__ import annotations

import subprocess
import sys

MODULES = (
    "startup",
    "gateway",
    "replay",
    "corpus",
    "scoring",
    "extraction",
    "dates",
    "anonymise",
    "attackers",
    "shortcuts",
    "leaks",
    "rarewords",
    "composer",
    "imports",
)


def main() -> int:
    worst = 0
    for name in MODULES:
        print(f"== {name}", flush=True)
        worst = max(
            worst,
            subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode,
        )
    return worst


if __name__ == "__main__":
    sys.exit(main())
