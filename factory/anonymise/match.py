"""Finds every name of the table in a raw text, in one pass over the text as it stands.

All overlapping matches of an Aho-Corasick automaton, then a filter on word edges, then leftmost-longest:
filtering after a leftmost-longest search would lose a short valid name behind a long invalid one. The text is
folded one character to one character (case, width, quotes, spaces), so positions never drift.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from schemas import Alias, Entity, ReplacementTable

_SAME = {"’": "'", "‘": "'", "＇": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-"}
_CJK = (
    (0x2E80, 0x2FFF),
    (0x3005, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


class _Fold(dict[int, int]):
    """Code point to folded code point, filled as characters are met."""

    def __missing__(self, point: int) -> int:
        char = _SAME.get(chr(point), chr(point))
        if char.isspace():
            char = " "
        wide = unicodedata.normalize("NFKC", char)
        char = wide if len(wide) == 1 else char
        lower = char.lower()
        self[point] = ord(lower if len(lower) == 1 else char)
        return self[point]


_FOLD = _Fold()


def fold(text: str) -> str:
    """The text with case, width, quotes, dashes and spaces evened out; always of the same length."""
    return text.translate(_FOLD)


@lru_cache(maxsize=8192)
def is_wordy(char: str) -> bool:
    """Whether a character continues a word written with letters and spaces (not Chinese)."""
    point = ord(char)
    if any(low <= point <= high for low, high in _CJK):
        return False
    return char.isalnum() or unicodedata.combining(char) != 0


_COUNTED = re.compile(r"[0-9０-９]+(?:[.,][0-9]+)* ?[\u3400-\u9fff]")
"""A figure before a Chinese character: in 公司AB2026年 the name ends where the figure begins."""


def on_edges(text: str, start: int, end: int) -> bool:
    """Whether a stretch begins and ends at word edges; Chinese characters are always edges."""
    if start > 0 and is_wordy(text[start]) and is_wordy(text[start - 1]):
        return False
    if end == len(text):
        return True
    if unicodedata.combining(text[end]):
        return False
    if not (is_wordy(text[end - 1]) and is_wordy(text[end])):
        return True
    return text[end - 1].isalpha() and _COUNTED.match(text, end) is not None


@dataclass(frozen=True)
class Hit:
    """A name in a text."""

    start: int
    end: int
    owners: tuple[str, ...]
    """Entity ids that claim these words; more than one is ambiguous."""


class Matcher:
    """The table compiled for searching."""

    def __init__(self, table: ReplacementTable, *, withheld: Iterable[str] = ()) -> None:
        """`withheld` are folded surfaces that need a person: found, never replaced."""
        from ahocorasick_rs import AhoCorasick

        self.entities: dict[str, Entity] = {entity.entity_id: entity for entity in table.entities}
        self.withheld = frozenset(withheld)
        forms: dict[str, list[tuple[str, Alias]]] = defaultdict(list)
        for entity in table.entities:
            for alias in entity.aliases:
                for form in (
                    unicodedata.normalize("NFC", alias.surface),
                    unicodedata.normalize("NFD", alias.surface),
                ):
                    key = fold(form)
                    if key and (entity.entity_id, alias) not in forms[key]:
                        forms[key].append((entity.entity_id, alias))
        self._keys = sorted(key for key in forms if key)
        self._forms = forms
        self._automaton = AhoCorasick(self._keys) if self._keys else None

    def find(self, text: str) -> list[Hit]:
        """Names in order, none overlapping, leftmost first and longest among those."""
        if self._automaton is None:
            return []
        folded = fold(text)
        found: list[tuple[int, int, str]] = []
        for index, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=True):
            key = self._keys[index]
            owners = [
                (entity, alias)
                for entity, alias in self._forms[key]
                if self._holds(alias, text, start, end)
            ]
            if owners:
                found.append((start, end, key))
        found.sort(key=lambda item: (item[0], -item[1]))
        hits: list[Hit] = []
        position = 0
        for start, end, key in found:
            if start < position:
                continue
            owners_ids = {
                entity for entity, alias in self._forms[key] if self._holds(alias, text, start, end)
            }
            hits.append(Hit(start, end, tuple(sorted(owners_ids))))
            position = end
        return hits

    def ambiguous(self, hit: Hit, text: str) -> bool:
        """Whether a hit must not be replaced without a person."""
        return len(hit.owners) != 1 or fold(text[hit.start : hit.end]) in self.withheld

    @staticmethod
    def _holds(alias: Alias, text: str, start: int, end: int) -> bool:
        if alias.match == "exact":
            return not (end < len(text) and unicodedata.combining(text[end]))
        if not on_edges(text, start, end):
            return False
        if alias.match == "case":
            written, name = _plain(text[start:end]), _plain(alias.surface)
            shouted = len(name) >= 4 and written == name.upper()
            return written == name or shouted
        return True


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'")
