"""Which words give made-up claims away, so that whoever wrote them can be asked for other words.

Each word or phrase is a rule of its own ("made up when it stands there"), judged by Fisher's exact test on the
claims that hold it and kept under a false discovery rate (Benjamini and Hochberg 1995). That is another model
than the fitted ones of the shortcut gate, and it has no seed: claims reworded after this feedback are still
measured by something that they were not fitted to. Names, figures and dates are never named as a giveaway.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from factory.segments import TOKEN
from schemas import Lang

RATE = 0.05
"""Expected share of harmless words among those named."""
SUPPORT = 3
"""Made-up claims that must use a phrase before it can be called a habit."""
LIFT = 2.0
"""Times that made-up claims must use it more often than real ones."""
LIMIT = 12
"""Phrases named at most: a longer list is not read."""

_EN = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_ZH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_LABEL = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)* [A-Z]{1,3}\b")
"""A name as readers see it: a class and its letters, such as "Organization AB"."""
_LENGTHS: dict[Lang, tuple[int, ...]] = {"en": (1, 2, 3), "zh": (2, 3, 4)}


def tell_tale_words(
    real: Sequence[str], fabricated: Sequence[str], lang: Lang, *, limit: int = LIMIT
) -> tuple[str, ...]:
    """Phrases that made-up claims use and real ones hardly do, strongest first; empty when there are none.

    `real` and `fabricated` are token texts or rendered texts of one edition, one a claim (levels of one occasion
    repeat each other: give one of them). English phrases are 1 to 3 words in lower case, Chinese ones 2 to 4
    characters. Of phrases that stand in the same claims the longest is named. At most `limit`.
    """
    sides = [[_phrases(text, lang) for text in texts] for texts in (real, fabricated)]
    found = _ranked(*sides)
    named: list[str] = []
    for phrase, ceiling in found:
        # What an earlier phrase already explains ("surprise move" after "a surprise") is not named again.
        left = [[held for held in side if not held & {*named}] for side in sides]
        if _odds(phrase, *left) <= ceiling:
            named.append(phrase)
        if len(named) == limit:
            break
    return tuple(named)


def uses(text: str, words: Iterable[str], lang: Lang) -> tuple[str, ...]:
    """Those of `words` that a claim uses, in their given order."""
    found = _phrases(text, lang)
    return tuple(word for word in words if word in found)


def _phrases(text: str, lang: Lang) -> frozenset[str]:
    """Runs of words (en) or characters (zh); none spans a name, a figure or a punctuation mark."""
    bare = TOKEN.sub(" | ", text)
    found: set[str] = set()
    if lang == "en":
        for piece in re.split(r"[^\w\s'’-]|\d+", _LABEL.sub(" | ", bare).lower()):
            words = _EN.findall(piece)
            for size in _LENGTHS["en"]:
                found |= {" ".join(words[i : i + size]) for i in range(len(words) - size + 1)}
    else:
        for run in _ZH.findall(bare):
            for size in _LENGTHS["zh"]:
                found |= {run[i : i + size] for i in range(len(run) - size + 1)}
    return frozenset(found)


Side = Sequence[frozenset[str]]
"""The phrases of each claim of one side."""


def _ranked(real: Side, made: Side) -> list[tuple[str, float]]:
    """Phrases under the false discovery rate, strongest first, each with the largest odds that are kept."""
    n, m = len(real), len(made)
    in_real = Counter(phrase for held in real for phrase in held)
    in_made = Counter(phrase for held in made for phrase in held)
    tried = _longest({p: count for p, count in in_made.items() if count >= SUPPORT}, in_real)
    odds = {p: _tail(in_made[p], in_made[p] + in_real[p], m, n + m) for p in tried}
    ranked = sorted(tried, key=lambda p: (odds[p], -in_made[p], -len(p), p))
    ceiling = -1.0
    for rank, phrase in enumerate(ranked, 1):
        if odds[phrase] <= RATE * rank / len(ranked):
            ceiling = odds[phrase]
    return [
        (p, ceiling)
        for p in ranked
        if odds[p] <= ceiling and in_made[p] * n >= LIFT * in_real[p] * m
    ]


def _odds(phrase: str, real: Side, made: Side) -> float:
    """Fisher's exact probability of a phrase on these claims; 1 when too few made-up ones use it."""
    hits = sum(phrase in held for held in made)
    if hits < SUPPORT:
        return 1.0
    marked = hits + sum(phrase in held for held in real)
    return _tail(hits, marked, len(made), len(real) + len(made))


def _longest(counts: Mapping[str, int], in_real: Mapping[str, int]) -> list[str]:
    """Phrases that no longer phrase with the same counts contains."""
    alike: dict[tuple[int, int], list[str]] = {}
    for phrase in sorted(counts, key=lambda p: (-len(p), p)):
        longer = alike.setdefault((counts[phrase], in_real.get(phrase, 0)), [])
        if not any(phrase in other for other in longer):
            longer.append(phrase)
    return sorted(phrase for group in alike.values() for phrase in group)


def _tail(hits: int, marked: int, drawn: int, total: int) -> float:
    """Probability of at least `hits` marked ones among `drawn` of `total` (hypergeometric, Fisher's exact test)."""
    whole = math.comb(total, drawn)
    return sum(
        math.comb(marked, k) * math.comb(total - marked, drawn - k)
        for k in range(hits, min(marked, drawn) + 1)
    ) / whole  # fmt: skip
