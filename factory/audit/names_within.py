"""Names inside longer words: run together in an address or tag, and surnames with an ending (Kestrinism).

In an address nobody parts the words, so a name of five letters is looked for without edges there; elsewhere that
would find names in ordinary words. A word formed from a surname counts where it has a capital, unless a list of
English words holds it (Realism) or the release writes it in small letters, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from factory.audit.leak_texts import addresses
from factory.audit.word_counts import english_nats, singular
from factory.nameforms.letters import plain, squeeze
from schemas import ReplacementTable

IN_ADDRESS = 5
"""Letters from which a name is found inside an address."""
IN_WORD = 4
"""Letters from which a surname is found before an ending."""
_ENDINGS = "isms?|ists?|ites?|ians?|esque|(?:o?n)?omics|care|world|mania"
_ENDING = re.compile(_ENDINGS)
_WORD = re.compile(rf"(?<![^\W_])[A-Z][A-Za-z]{{2,}}?(?i:{_ENDINGS})(?![^\W_])")
_NAME = re.compile(r"(?<![^\W_])[A-Z][A-Za-z'’-]+$")


class NamesWithin:
    """The table's names of five letters for addresses, and its persons' surnames for words formed from them."""

    def __init__(self, table: ReplacementTable) -> None:
        self._whole: set[str] = set()
        self._surnames: set[str] = set()
        for entity in table.entities:
            for alias in entity.aliases:
                name, key = plain(alias.surface), squeeze(alias.surface)
                # 对美 and "the Kestrins" hold more than a name; a common word says nothing about an address.
                if alias.kept != (0, 0):
                    continue
                if len(key) >= IN_ADDRESS and key.isascii() and not _common(key):
                    self._whole.add(key)
                if entity.cls == "PER":
                    last = _NAME.search(name)
                    if last is not None and len(squeeze(last.group())) >= IN_WORD:
                        self._surnames.add(squeeze(last.group()))

    def find(self, texts: Iterable[str], ordinary: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Pairs of a text and the words in it that hold a name.

        `ordinary` are words in lower case that the release writes without a capital.
        """
        for text in dict.fromkeys(texts):
            if any(sign in text for sign in ".@#/＠＃"):
                for address in addresses(text):
                    key = squeeze(address)
                    if any(name in key for name in self._whole):
                        yield text, address
            shown = plain(text)
            for found in _WORD.finditer(shown):
                word = found.group().casefold()
                if word not in ordinary and not _common(word) and self._formed(word):
                    yield text, found.group()

    def _formed(self, word: str) -> bool:
        """Whether a word in small letters is a surname and an ending; an e before i may be lost."""
        return any(
            word[:at] in self._surnames or (word[at] == "i" and word[:at] + "e" in self._surnames)
            for at in range(IN_WORD - 1, len(word))
            if _ENDING.fullmatch(word[at:])
        )


def _common(word: str) -> bool:
    return word in english_nats() or singular(word) in english_nats()
