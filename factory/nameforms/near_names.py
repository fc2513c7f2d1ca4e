"""Misspelt names: a Latin name of six letters or more, one letter added, lost, changed or swapped.

Names are indexed by what is left after deleting one letter, as in symmetric-delete spelling correction (W. Garbe),
so the cost does not grow with the table. To keep ordinary words out, only words with a capital count, and none that
the release also writes without one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from factory.nameforms.letters import plain
from schemas import ReplacementTable

SHORTEST = 6
"""Letters from which a misspelt name is looked for."""
_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")


class NearNames:
    """The table's Latin names by their deletions."""

    def __init__(self, table: ReplacementTable) -> None:
        self._by_deletion: dict[str, set[str]] = defaultdict(set)
        self._names: set[str] = set()
        self._longest = 1
        for entity in table.entities:
            for alias in entity.aliases:
                words = _WORD.findall(plain(alias.surface))
                name = "".join(words).replace("-", "").casefold()
                if (
                    alias.match == "case"
                    or not plain(alias.surface).isascii()
                    or len(name) < SHORTEST
                ):
                    continue
                self._names.add(name)
                self._longest = max(self._longest, len(words))
        for name in self._names:
            for form in _deletions(name):
                self._by_deletion[form].add(name)

    def find(self, texts: Iterable[str], ordinary: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Pairs of a text and words in it that are one letter away from a name.

        `ordinary` are words in lower case that the release writes without a capital.
        """
        if not self._names:
            return
        seen: dict[str, bool] = {}
        for text in dict.fromkeys(texts):
            if not any("A" <= char <= "Z" for char in text):
                continue
            words = _WORD.findall(plain(text))
            for at, first in enumerate(words):
                if not first[0].isupper():
                    continue
                for size in range(1, min(self._longest, len(words) - at) + 1):
                    run = words[at : at + size]
                    name = re.sub(r"['’-]", "", "".join(run)).casefold()
                    if name not in seen:
                        seen[name] = self._near(name)
                    if seen[name] and not all(word.casefold() in ordinary for word in run):
                        yield text, " ".join(run)

    def _near(self, name: str) -> bool:
        if len(name) < SHORTEST - 1 or name in self._names:
            return False
        return any(
            one_edit(name, other)
            for form in _deletions(name)
            for other in self._by_deletion.get(form, ())
        )


def ordinary_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that the texts write without a capital."""
    return frozenset(
        word for text in texts for word in _WORD.findall(text) if word == word.casefold()
    )


def one_edit(a: str, b: str) -> bool:
    """Whether two words differ by one letter added, lost, changed or swapped with its neighbour."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    at = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    if len(a) == len(b):
        swapped = a[:at] + a[at : at + 2][::-1] + a[at + 2 :]
        return a[at + 1 :] == b[at + 1 :] or swapped == b
    short, long = sorted((a, b), key=len)
    return short[at:] == long[at + 1 :]


def _deletions(name: str) -> set[str]:
    return {name, *(name[:i] + name[i + 1 :] for i in range(len(name)))}
