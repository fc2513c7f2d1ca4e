"""What attackers without a model find: offsets left, linkage ranks, rare figures.

    python -m benchmarks.attackers [WORKSPACE…]

Three subjects, each under the knowledge that its attacker has: the published contexts (with FACTORY_TESTDATA; read
as a stranger reads them, both editions together, policy `paper`), a generated arc with a growing number of weekday
and festival words left behind (its offset is known, so this shows that the attack finds it), and workspaces named
on the command line (with what our own segments say; published contexts are the decoys of the linkage). Returns 1
when the attack misses the known offset.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import get_args

from factory.anonymise.attack_clues import Route
from factory.anonymise.attack_linkage import link_by_meaning
from factory.anonymise.attackers import (
    Linkage,
    OffsetAttack,
    Passage,
    attack_offset,
    infer_offset,
    linkage,
    markdown_passages,
    statements,
)
from factory.anonymise.numbers import rare_numbers
from factory.encode import load_encoder
from factory.segments import WEEKDAYS, split_numbers
from factory.settings import Settings
from schemas import AnonTimeline, Lang, Timeline

LANGS: tuple[Lang, ...] = get_args(Lang)
KNOWN_OFFSET = -103
SEED = 5


def published(root: Path) -> Iterator[tuple[str, dict[Lang, list[Passage]]]]:
    """Each published event with the longest context of both editions."""
    for folder in sorted(path for path in (root / LANGS[0]).iterdir() if path.is_dir()):
        editions: dict[Lang, list[Passage]] = {}
        for lang in LANGS:
            contexts = sorted((root / lang / folder.name).glob("P*_context.md"))
            editions[lang] = markdown_passages(contexts[-1].read_text("utf-8"), lang)
        yield folder.name, editions


def generated(left_behind: int, seed: int) -> list[Passage]:
    """An arc of 40 days moved by KNOWN_OFFSET with so many weekday words left in it; from 12 on also a festival."""
    rng = random.Random(seed)
    day = date(2031, 1, 6)
    days: list[date] = []
    for _ in range(40):
        day += timedelta(days=rng.randint(1, 4))
        days.append(day)
    texts = ["The council met again."] * len(days)
    for index in rng.sample(range(len(days)), left_behind):
        texts[index] = f"The council met on {WEEKDAYS['en'][days[index].weekday()]}."
    if left_behind >= 12:
        days.append(date(2031, 12, 20))
        texts.append("The lights were already up for Christmas.")
    return [
        Passage(day + timedelta(days=KNOWN_OFFSET), "en", str(i), text)
        for i, (day, text) in enumerate(zip(days, texts, strict=True))
    ]


def shown(name: str, attack: OffsetAttack) -> str:
    """One line of a table."""
    total = len(attack.left) + len(attack.excluded)
    clues = ", ".join(f"{route} {count}" for route, count in attack.clues.items())
    return f"{name:<22} {len(attack.left):>4} of {total} offsets left (effective {attack.effective:.1f}); {clues or 'no clue'}"


def shown_link(linked: Linkage) -> str:
    """Rank and margin in words."""
    if linked.rank is None or linked.margin is None:
        return f"{linked.method}: not evaluated ({linked.of} candidates)"
    return f"{linked.method}: rank {linked.rank} of {linked.of}, margin {linked.margin:+.3f}"


def attack_published(root: Path) -> dict[str, list[str]]:
    """Print the published events; return their texts as decoys."""
    decoys: dict[str, list[str]] = {}
    editions = dict(published(root))
    for name, texts in editions.items():
        start = time.process_time()
        attack = infer_offset([p for passages in texts.values() for p in passages], "paper")
        print(shown(name, attack), f"{time.process_time() - start:.1f} CPU s")
        for route, left in attack.alone.items():
            print(f"    {route} alone: {len(left)} left")
        kinds = {
            lang: Counter(
                each.kind
                for each in rare_numbers((p.unit, tuple(split_numbers(p.text))) for p in passages)
            )
            for lang, passages in texts.items()
        }
        for lang, count in kinds.items():
            print(f"    rare figures {lang}: {dict(count)}")
        decoys[name] = [passage.text for passage in texts["en"]]
    encoder = load_encoder(Settings().encoder)
    for name, texts in editions.items():
        zh = [passage.text for passage in texts["zh"]]
        others = [text for other, text in decoys.items() if other != name]
        linked = link_by_meaning(zh, decoys[name], others, encoder)
        print(f"{name:<22} its zh edition to its en edition by {shown_link(linked)}")
    return decoys


def attack_workspace(folder: Path, decoys: dict[str, list[str]]) -> None:
    """Print one of our events."""
    anonymised = AnonTimeline.model_validate_json(
        (folder / "04_anonymised" / "timeline.json").read_text("utf-8")
    )
    raw = Timeline.model_validate_json(
        (folder / "03_timeline" / "timeline.json").read_text("utf-8")
    )
    for policy in ("weeks", "paper"):
        print(shown(f"{folder.name}, {policy}", attack_offset(anonymised, policy)))
    encoder = load_encoder(Settings().encoder)
    for linked in linkage(anonymised, raw, list(decoys.values()), encoder):
        print(f"{folder.name:<22} {shown_link(linked)}")
    texts = [
        (statement.statement_id, statement.text[anonymised.lang])
        for _, statement in statements(anonymised)
    ]
    print(f"{folder.name:<22} rare figures: {dict(Counter(r.kind for r in rare_numbers(texts)))}")


def main() -> int:
    """Print every subject at hand; 1 when a known offset is missed."""
    missed = 0
    for left_behind in (0, 3, 6, 12):
        attack = infer_offset(generated(left_behind, SEED), "paper")
        missed += KNOWN_OFFSET not in attack.left
        print(shown(f"{left_behind} words left behind", attack))
    root = Path(os.environ.get("FACTORY_TESTDATA", "")) / "official" / "demo"
    decoys: dict[str, list[str]] = {}
    if os.environ.get("FACTORY_TESTDATA") and root.is_dir():
        decoys = attack_published(root)
    else:
        print("published contexts: not evaluated, FACTORY_TESTDATA is not set")
    for name in sys.argv[1:]:
        attack_workspace(Path(name), decoys)
    routes = ", ".join(get_args(Route))
    print(f"routes: {routes}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
