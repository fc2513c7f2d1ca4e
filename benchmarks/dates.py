"""What the date engine makes of the published timelines, judged by the independent calendar net.

    FACTORY_TESTDATA=... python -m benchmarks.dates [--list]

Reads the largest point of every published event in both editions. Of the mentions that the net finds: the share
inside a mention that the engine resolved (moved, or left because it stays true), the share flagged for a person,
by reason, and those it does not see; `--list` prints the last two. Targets: resolved 92 % (en) and 96 % (zh),
flagged below 6 %. The net knows no grammar, so a mention inside another kind of mention counts as seen.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from factory.anonymise.dates import find_dates
from factory.audit.calendar_net import calendar_words

OFFSET = 49
TARGETS = {"en": 92.0, "zh": 96.0}
MAX_FLAGGED = 6.0
_NODE = re.compile(r"### .*?(\d{4}-\d{2}-\d{2})")


def paragraphs(text: str) -> Iterator[tuple[date, str]]:
    """Paragraphs of a timeline with the day of their node."""
    day: date | None = None
    for line in text.splitlines():
        if head := _NODE.match(line):
            day = date.fromisoformat(head[1])
        elif day is not None and line:
            yield day, line


def judged(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind (shift, leave, flag, missed), reason and surroundings of every mention that the net finds."""
    for day, line in paragraphs(text):
        mentions = find_dates(line, day, OFFSET)
        for start, end, words in calendar_words(line):
            mention = next((m for m in mentions if m.start <= start and end <= m.end), None)
            around = f"{line[max(start - 30, 0) : start]}[{words}]{line[end : end + 20]}"
            yield (
                mention.kind if mention else "missed",
                mention.reason if mention else "not seen",
                f"{day} {around}",
            )


def main() -> int:
    root = Path(os.environ.get("FACTORY_TESTDATA", "")) / "official" / "demo"
    if not root.is_dir():
        print("benchmarks.dates needs FACTORY_TESTDATA with the published timelines; skipped")
        return 0
    missed_target = False
    for lang, target in TARGETS.items():
        kinds: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        for folder in sorted((root / lang).iterdir()):
            largest = max(folder.glob("P*_context.md"), key=lambda path: path.stat().st_size)
            for kind, reason, around in judged(largest.read_text(encoding="utf-8")):
                kinds[kind] += 1
                if kind in ("flag", "missed"):
                    reasons[reason] += 1
                    if "--list" in sys.argv:
                        print(f"  {kind:6} {reason:28} {around}")
        total = kinds.total()
        resolved = 100 * (kinds["shift"] + kinds["leave"]) / total
        flagged = 100 * kinds["flag"] / total
        missed_target |= resolved < target or flagged >= MAX_FLAGGED
        print(
            f"{lang}: {total} mentions, resolved {resolved:.1f} % (target {target:.0f}), flagged {flagged:.1f} % "
            f"(below {MAX_FLAGGED:.0f}), not seen {kinds['missed']}"
        )
        print("    " + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()))
    return int(missed_target)


if __name__ == "__main__":
    sys.exit(main())
