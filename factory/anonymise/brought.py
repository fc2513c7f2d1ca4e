"""What other words for a flagged place may not hold: the clue itself, a new capital, a foreign script, a name inside.

Each check compares folded forms, so that width, accents and traditional characters hide nothing. They err towards a
refusal: what is refused waits for a person.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from factory.anonymise.folding import folded
from factory.anonymise.ordinary import Vocabulary
from factory.audit.word_counts import UNKNOWN, english_nats, singular
from schemas import Lang, ReplacementTable

_WORD = re.compile(r"[^\W\d_]+")
_COMMON = Vocabulary.of([])
_INSIDE = 6
"""Letters from which a Latin name is looked for anywhere in a word; shorter ones (NATO in senator) only at its start."""
_START = 4
_SELDOM = 12
"""Nats from which a listed word is a surname (ortiz) rather than a word that begins others (port, unit)."""
_SEAM = "\x1f"


def keeps_clue(clue: str, words: str) -> bool:
    """Whether words still hold a clue: all of it, or a word of it that is written like a name (Easter)."""
    whole, said = folded(clue).strip(), folded(words)
    if not whole:
        return False
    if whole.isascii() and len(whole) < _START:
        return re.search(rf"(?<!\w){re.escape(whole)}(?!\w)", said) is not None
    if whole in said:
        return True
    telling = [
        word
        for word in _WORD.findall(unicodedata.normalize("NFKC", clue))
        if word[0].isupper() and len(word) >= _START and not _COMMON.holds(word)
    ]
    return any(folded(word) in said for word in telling)


def new_capitals(words: str, before: str, *, opens: bool) -> list[str]:
    """Words with a capital of any script that the statement does not hold.

    `opens` says that the words begin a sentence: their first one may then have a capital if it is an ordinary word.
    """
    known = set(_WORD.findall(unicodedata.normalize("NFKC", before)))
    found = []
    for number, word in enumerate(_WORD.findall(unicodedata.normalize("NFKC", words))):
        if word in known or word == "I" or not any(c.isupper() or c.istitle() for c in word):
            continue
        low = word.lower()
        ordinary = low in known or singular(low) in english_nats() or _COMMON.holds(low)
        if number == 0 and opens and word == word.capitalize() and ordinary:
            continue
        found.append(word)
    return found


def foreign_words(words: str, before: str, lang: Lang) -> list[str]:
    """Words in letters that the edition is not written in and the statement does not hold."""
    known = set(_WORD.findall(before))
    return [
        word
        for word in _WORD.findall(words)
        if word not in known and any(_script(char) != lang for char in word)
    ]


def _script(char: str) -> str:
    name = unicodedata.name(char, "")
    if name.startswith(("LATIN", "FULLWIDTH LATIN")):
        return "en"
    return "zh" if name.startswith("CJK") else name.partition(" ")[0]


class Inside:
    """The names of a table, to be found inside longer words (vellowaygate)."""

    def __init__(self, table: ReplacementTable) -> None:
        ordinary = english_nats()
        self._latin: dict[str, bool] = {}
        self._others: set[str] = set()
        for surface in {a.surface for entity in table.entities for a in entity.aliases}:
            name = folded(surface)
            if not name.isascii():
                self._others.update({name} if len(name) >= 2 else ())
                continue
            letters = "".join(_WORD.findall(name))
            common = ordinary.get(letters, UNKNOWN) < _SELDOM or _COMMON.holds(letters)
            if len(letters) >= _START and not common:
                self._latin[letters] = len(letters) >= _INSIDE

    def found(self, before: str, after: str) -> str:
        """A name that stands inside a word of the second text and did not in the first; empty when there is none."""
        old, new = _parts(before), _parts(after)
        fresh = [word for word in new if word not in set(old)]
        for word in fresh:
            for name, anywhere in self._latin.items():
                if word.startswith(name) or (anywhere and name in word):
                    return name
        was, now = folded(before), folded(after)
        return next(
            (name for name in sorted(self._others) if now.count(name) > was.count(name)), ""
        )


def _parts(text: str) -> Sequence[str]:
    """Folded words of a text, hyphens and apostrophes taken out, and parted at the seams of references."""
    out: list[str] = []
    runs: Iterable[str] = folded(text).split(_SEAM)
    for run in runs:
        out += _WORD.findall(re.sub(r"(?<=\w)['’-](?=\w)", "", run))
    return out
