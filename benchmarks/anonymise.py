"""CPU of replacing names and moving dates, against compiled `re` alternations of the names on the same text.

    python -m benchmarks.anonymise [CHARACTERS]

One text an edition, 1,000,000 characters: prose of ordinary words with one of 500 names every 60 characters and a
date every 800 (English) or 90 (Chinese) characters, as densely as the published timelines speak of dates. Ours finds
the names with the matcher of the replacement table (edges, any case, hidden characters, owners), and finds, reads and
shifts every date. Two baselines, both one alternation, longest name first, that finds the names and nothing else:

- bare: the names as they are written, also inside longer words. It answers an easier question. Where every name
  begins with a capital it skips from capital to capital and is some ten times faster, so that case has a row of its own.
- like ours: names in any case at word edges, by the rule of the matcher; it must find the same places.

The least CPU time of several rounds counts, in which all take turns, after one round that fills the caches; the last
baseline is far behind and runs once. Target: names and dates together at most 1.5 times either baseline.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from itertools import product

from factory.anonymise.dates import find_dates
from factory.anonymise.match import Matcher, is_wordy
from schemas import Alias, Entity, Lang, ReplacementTable

SIZE = 1_000_000
NAMES = 500
NAME_EVERY = 60
DATE_EVERY: dict[Lang, int] = {"en": 800, "zh": 90}
TARGET = 1.5
ROUNDS = 5
ANCHOR = date(2026, 3, 10)
OFFSET = 49
_WORDS = tuple(
    word
    for line in (
        "The ferry was cancelled again this morning and nobody at the Port could tell us why so we waited for two hours in",
        "the rain before they said that the Company had not paid its crew while opinion stayed sharply divided over whether",
        "Council members should have acted earlier given what Inspectors reported about all those hulls",
    )
    for word in line.split()
)
_HAN = (
    "今早港口宣布停止所有渡轮航班据说是因为船东拖欠工资旅客只能改乘巴士排队的人很多孩子哭闹没有人出来解释希望"
    "有关部门尽快给个说法大家注意安全看到现场视频真的很心疼不知道什么时候恢复官方回应来得太慢了舆论总体偏向批评"
)
_GIVEN = "既明可棠燕秋慕禾海事技术公司委员会交通局码头"
_DATES: dict[Lang, tuple[str, ...]] = {
    "en": ("on 4 May 2026", "on March 17", "in September", "on Friday", "last month", "late August 2025", "Q2 2026"),
    "zh": ("2026年5月4日", "3月17日", "9月", "周五", "上月", "8月底", "第二季度", "12日", "去年", "3月10日至12日"),
}  # fmt: skip


def names(lang: Lang, draw: random.Random, *, handles: bool = True) -> list[str]:
    """NAMES different names: one to three capitalised words, or two to five characters.

    With `handles` one in ten is a handle or a domain, as the expansion of a table adds them in both editions.
    """
    found: dict[str, None] = {}
    syllables = ["".join(pair) for pair in product("bcdfghjklmnprstvwz", "aeiou")]
    while len(found) < NAMES:
        words = [
            "".join(draw.choices(syllables, k=draw.randint(2, 4)))
            for _ in range(draw.randint(1, 3))
        ]
        if handles and len(found) % 10 == 9:
            found[words[0] + draw.choice((".com", "_official", "daily"))] = None
        elif lang == "zh":
            found[draw.choice(_HAN) + "".join(draw.choices(_GIVEN, k=draw.randint(1, 4)))] = None
        else:
            found[" ".join(word.capitalize() for word in words)] = None
    return list(found)


def pieces(lang: Lang, known: list[str], draw: random.Random) -> Iterator[str]:
    """Words, names and dates without end."""
    length = name_at = date_at = 0
    while True:
        if length >= name_at:
            piece, name_at = draw.choice(known), length + NAME_EVERY
        elif length >= date_at:
            piece, date_at = draw.choice(_DATES[lang]), length + DATE_EVERY[lang]
        elif lang == "zh":
            start = draw.randrange(len(_HAN) - 8)
            piece = _HAN[start : start + draw.randint(3, 8)] + draw.choice(("", "", "，", "。"))
        else:
            piece = draw.choice(_WORDS) + draw.choice(("", "", "", "", ",", "."))
        piece += " " if lang == "en" else ""
        length += len(piece)
        yield piece


def text_of(lang: Lang, known: list[str], size: int, seed: int = 7) -> str:
    """A text of `size` characters."""
    parts, length = [], 0
    for piece in pieces(lang, known, random.Random(seed)):
        parts.append(piece)
        length += len(piece)
        if length >= size:
            break
    return "".join(parts)[:size]


def table(known: list[str]) -> ReplacementTable:
    """A replacement table with one entity a name."""
    return ReplacementTable(
        entities=tuple(
            Entity(
                entity_id=f"n{number}",
                cls="ORG",
                label=chr(65 + number // 26) + chr(65 + number % 26),
                aliases=(Alias(surface=name, lang="any", origin="rule"),),
            )
            for number, name in enumerate(known)
        )
    )


def alternations(known: list[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The bare alternation, and the one that asks what the matcher asks."""
    longest = sorted(known, key=len, reverse=True)
    letter = r"[^\W_\u4e00-\u9fff]"
    before = rf"(?<!{letter})"
    # A figure that counts something Chinese begins a word of its own.
    after = rf"(?:(?!{letter})|(?<=[a-z])(?=[0-9]+(?:[.,][0-9]+)* ?[\u3400-\u9fff]))"
    if all(is_wordy(name[0]) and is_wordy(name[-1]) for name in known):
        like = rf"{before}(?:{'|'.join(map(re.escape, longest))}){after}"
    else:
        like = "|".join(
            (before if is_wordy(name[0]) else "")
            + re.escape(name)
            + (after if is_wordy(name[-1]) else "")
            for name in longest
        )
    return re.compile("|".join(map(re.escape, longest))), re.compile(like, re.IGNORECASE)


def cpu(works: Sequence[Callable[[], object]]) -> list[float]:
    """Seconds of CPU of each, the least of ROUNDS in which all take turns after a first one."""
    least = [float("inf")] * len(works)
    for number in range(ROUNDS + 1):
        for at, work in enumerate(works):
            start = time.process_time()
            work()
            if number:
                least[at] = min(least[at], time.process_time() - start)
    return least


def main() -> int:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else SIZE
    worst, differ = 0.0, False
    rows: tuple[tuple[Lang, bool], ...] = (("en", True), ("en", False), ("zh", True))
    for lang, handles in rows:
        known = names(lang, random.Random(5), handles=handles)
        text = text_of(lang, known, size)
        bare, like = alternations(known)
        matcher = Matcher(table(known))
        places = [(hit.start, hit.end) for hit in matcher.find(text)]
        start = time.process_time()
        same = places == [found.span() for found in like.finditer(text)]
        base = time.process_time() - start
        easy, replacing, moving = cpu(
            (
                partial(bare.findall, text),
                partial(matcher.find, text),
                partial(find_dates, text, ANCHOR, OFFSET),
            )
        )
        ours = replacing + moving
        worst = max(worst, ours / easy, ours / base)
        differ = differ or not same
        print(
            f"{lang}{'' if handles else ', capitalised names only'}: names {1000 * replacing:.0f} ms, dates {1000 * moving:.0f} ms; "
            f"bare re {1000 * easy:.0f} ms, together {ours / easy:.2f}; re like ours {1000 * base:.0f} ms, together "
            f"{ours / base:.2f}, {len(places)} names{'' if same else ' BUT NOT THE SAME'} (target {TARGET})"
        )
    return int(worst > TARGET or differ)


if __name__ == "__main__":
    sys.exit(main())
