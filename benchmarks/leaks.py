"""Leaks that are known to be in the published benchmark, found by the scanner from the released files alone.

    FACTORY_TESTDATA=... python -m benchmarks.leaks

The bounds were counted by hand and by one-off searches, so each is a lower bound. A published bank comes without
its replacement table; what needs one is printed as not evaluated. Returns 1 when a bound is missed.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from factory.audit.leak_editions import PUBLISHED, masters
from factory.audit.leak_lists import LISTS, listed
from factory.audit.rules import Hit
from factory.audit.scan import NEEDS_TABLE, scan_hits

EVENTS = ("event1", "event2", "event3", "event4", "event5")


@dataclass(frozen=True)
class Known:
    """One class of leak with what is known of it."""

    name: str
    """What it is."""
    rule: str
    """Rule of the scanner."""
    kind: str
    """Kind within the rule; empty for all."""
    langs: tuple[str, ...]
    """Editions that count."""
    where: str
    """`context`: the longest context of an event; `bank`: its JSON files; `files`: everything."""
    least: tuple[int, ...]
    """Lower bound by event, or one for all events together."""


KNOWN = (
    Known("weekday beside a day of another weekday", "leak-calendar", "false weekday", ("en", "zh"), "files", (1, 2, 1, 0, 0)),
    Known("placeholder glued to a digit", "leak-placeholder", "glued", ("zh",), "context", (3, 46, 13, 6, 4)),
    Known("Latin name cut out of a longer word", "leak-placeholder", "inside a Latin word", ("zh",), "context", (0, 0, 5, 0, 0)),
    Known("Chinese name cut out of a longer word", "leak-placeholder", "cut word", ("zh",), "context", (0, 0, 71, 0, 0)),
    Known("the same, in questions", "leak-placeholder", "cut word", ("zh",), "bank", (4,)),
    Known("doubled placeholder, zh", "leak-placeholder", "doubled", ("zh",), "context", (44,)),
    Known("doubled placeholder, en", "leak-placeholder", "doubled", ("en",), "context", (7,)),
    Known("bank names what no context introduces", "leak-placeholder", "not introduced", ("en",), "bank", (9, 33, 19, 11, 30)),
    Known("note on the real name", "leak-meta", "note on the real name", ("zh",), "context", (1, 0, 0, 0, 0)),
    Known("note of the process", "leak-meta", "note of the process", ("zh",), "files", (1,)),
    Known("internal id", "leak-meta", "internal id", ("en", "zh"), "bank", (50,)),
    Known("cutoff, zh", "leak-meta", "cutoff", ("zh",), "bank", (1170,)),
    Known("cutoff, en", "leak-meta", "cutoff", ("en",), "files", (2514,)),
    Known("path that names the event", "leak-path", "", ("en", "zh"), "files", (242,)),
    Known("context that is no beginning of the last", "leak-points", "", ("zh",), "files", (0, 24, 0, 0, 0)),
)  # fmt: skip


def read_files(folder: Path) -> dict[str, bytes]:
    """Published pages by their path below the folder: <language>/<event>/P01.json and P01_context.md."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("P*"))
        if path.is_file()
    }


def counts(known: Known, hits: Iterable[Hit], files: Mapping[str, bytes]) -> tuple[int, ...]:
    """What the scanner found of a class, in the shape of its bound."""
    texts = {path: data.decode() for path, data in files.items() if path.endswith(".md")}
    longest = set(masters(texts, PUBLISHED).values())
    found: Counter[str] = Counter()
    for rule, place in hits:
        path, _, rest = place.partition(": ")
        lang, event, name = path.split("/")
        inside = {"context": path in longest, "bank": name.endswith(".json"), "files": True}
        if rule == known.rule and rest.startswith(known.kind) and lang in known.langs:
            found[event.split("_")[0]] += inside[known.where]
    if len(known.least) == 1:
        return (found.total(),)
    return tuple(found[event] for event in EVENTS)


def main() -> int:
    """Print the table; 1 when a bound is missed, 0 also without the pages."""
    folder = Path(os.environ.get("FACTORY_TESTDATA", "")) / "official" / "demo"
    if not os.environ.get("FACTORY_TESTDATA") or not folder.is_dir():
        print("leaks: skipped, FACTORY_TESTDATA does not name the folder of the published pages")
        return 0
    files = read_files(folder)
    before = time.process_time()
    hits = scan_hits(files, None, layout=PUBLISHED)
    seconds = time.process_time() - before
    missed = 0
    print(f"{'class of leak':42}{'found':>26}{'at least':>22}")
    for known in KNOWN:
        got = counts(known, hits, files)
        missed += any(a < b for a, b in zip(got, known.least, strict=True))
        print(f"{known.name:42}{'/'.join(map(str, got)):>26}{'/'.join(map(str, known.least)):>22}")
    print("\nall hits by rule, repeated contexts counted each time")
    by_rule = Counter(rule for rule, _ in hits)
    for rule in sorted({*by_rule, *NEEDS_TABLE}):
        print(f"{rule:42}{'not evaluated' if rule in NEEDS_TABLE else by_rule[rule]:>26}")
    print("\nlisted for a person, distinct")
    last = {path: files[path] for path in _longest(files)}
    for kind, found in listed(last, PUBLISHED).items():
        print(f"{kind:42}{len(found):>26}   {LISTS[kind]}")
    print(f"CPU {seconds:.1f} s for {sum(map(len, files.values())) / 1e6:.1f} MB")
    return int(missed > 0)


def _longest(files: Mapping[str, bytes]) -> list[str]:
    texts = {path: data.decode() for path, data in files.items() if path.endswith(".md")}
    return sorted(masters(texts, PUBLISHED).values())


if __name__ == "__main__":
    sys.exit(main())
