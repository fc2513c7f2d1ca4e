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
from typing import Literal, NamedTuple

from factory.anonymise.fixed_forms import stands_free
from factory.anonymise.ordinary_places import why_ordinary
from factory.anonymise.squeezed import Squeezed, holds_spare
from factory.errors import BadInput
from schemas import Alias, Entity, ReplacementTable

APOSTROPHES = "’‘＇‛`´′‵ʼʻʹˈʽʾʿˊˋ\ua78b\ua78c"
"""Characters that are written for an apostrophe, some of which Unicode counts as letters."""
_SAME = {
    **dict.fromkeys(APOSTROPHES, "'"),
    **{"“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-"},
}
_NORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
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
_ASCII = {point: _FOLD[point] for point in range(128)}
_COMMON = {
    char: chr(_FOLD[ord(char)])
    for char in "\n\t\r`\u00a0\u3000，。、；：？！“”‘’（）《》…—–「」0１２３４５６７８９０·"
    if chr(_FOLD[ord(char)]) != char
}
_RARE = re.compile("[^\\x00-\\x7f\u4e00-\u9fff]+|[\x0b\x0c\x1c-\x1f]+")
_SHORT = 400
_GROWS = "\u0130"
"""The one letter (İ) whose lower case is longer than itself."""


def fold(text: str) -> str:
    """The text with case, width, quotes, dashes and spaces evened out; always of the same length."""
    if text.isascii():
        return text.translate(_ASCII)
    if len(text) < _SHORT or _GROWS in text:
        return text.translate(_FOLD)
    # The same character for character; frequent characters at once, Chinese ones not at all.
    for char, folded in _COMMON.items():
        text = text.replace(char, folded)
    return _RARE.sub(lambda rare: rare.group().translate(_FOLD), text).lower()


class _Wordy(dict[str, bool]):
    """Character to whether it is wordy, filled as characters are met."""

    def __missing__(self, char: str) -> bool:
        point = ord(char)
        cjk = any(low <= point <= high for low, high in _CJK)
        letter = char.isalnum() or unicodedata.combining(char) != 0
        self[char] = letter and not cjk and char not in APOSTROPHES
        return self[char]


_WORDY = _Wordy()


def is_wordy(char: str) -> bool:
    """Whether a character continues a word written with letters and spaces (not Chinese)."""
    return _WORDY[char]


_COUNTED = re.compile(r"[0-9０-９]+(?:[.,][0-9]+)* ?[\u3400-\u9fff]")
"""A figure before a Chinese character: in 公司AB2026年 the name ends where the figure begins."""


_LONGER = re.compile(rf"['{APOSTROPHES}](?!(?:s|d|ll|re|ve|m|t)(?![^\W_]))[a-z]{{2,}}")
"""What makes a short name a part of a longer one: Xi in Xi'an."""


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


class Hit(NamedTuple):
    """A name in a text."""

    start: int
    end: int
    owners: tuple[str, ...]
    """Entity ids that claim these words; more than one is ambiguous."""
    form: str = ""
    """The folded form of the table that was found; longer than the words where some of it stays (对 in 对美)."""


_SMALL = 16_384
"""Characters of all forms up to which the automaton is built as one table."""


class Matcher:
    """The table compiled for searching."""

    def __init__(self, table: ReplacementTable, *, withheld: Iterable[str] = ()) -> None:
        """`withheld` are folded surfaces that need a person: found, never replaced.

        Raises BadInput when two entities share an id or a placeholder, or a name has nothing to search for.
        """
        from ahocorasick_rs import AhoCorasick, Implementation

        check(table)
        self.entities: dict[str, Entity] = {entity.entity_id: entity for entity in table.entities}
        self.withheld = frozenset(withheld)
        self._forms = _forms(table)
        self._guards = any(not owners for owners in self._forms.values())
        self._by_place = {
            key: alias
            for key, rows in self._forms.items()
            for _, alias in rows
            if alias.by_place and alias.kept == (0, 0)
        }
        self._chinese = frozenset(
            key for key in self._forms if 2 <= len(key) <= 4 and not any(map(is_wordy, key))
        )
        self._keys = sorted(self._forms)
        self._anywhere = frozenset(
            index
            for index, key in enumerate(self._keys)
            if any(alias.match == "exact" for _, alias in self._forms[key])
        )
        # Most forms ask for word edges alone; their owners are known beforehand.
        self._simple = [
            tuple(sorted({entity for entity, _ in self._forms[key]}))
            if all(a.match == "word" and a.kept == (0, 0) for _, a in self._forms[key])
            else None
            for key in self._keys
        ]
        # As a table of its own a state costs one look-up a byte, but the table grows with the names.
        small = sum(map(len, self._keys)) <= _SMALL
        self._automaton = (
            AhoCorasick(self._keys, implementation=Implementation.DFA if small else None)
            if self._keys
            else None
        )

    def find(self, text: str) -> list[Hit]:
        """Names in order, none overlapping, leftmost first and longest among those.

        Invisible characters and repeated spaces inside a name do not hide it.
        """
        if self._automaton is None:
            return []
        if not holds_spare(text):
            found = self._find(text)
            return [hit for hit in found if hit.owners] if self._guards else found
        squeezed = Squeezed(text)
        return [
            Hit(
                squeezed.position(hit.start),
                squeezed.position(hit.end - 1) + 1,
                hit.owners,
                hit.form,
            )
            for hit in self._find(squeezed.text)
            if hit.owners
        ]

    def _find(self, text: str) -> list[Hit]:
        assert self._automaton is not None
        met = self._automaton.find_matches_as_indexes(fold(text), overlapping=True)
        keys, simple, wordy, last = self._keys, self._simple, _WORDY, len(text)
        hits: list[Hit] = []
        append, make = hits.append, tuple.__new__
        free = 0
        # Forms come in the order of their ends, so a longer one can only take the place of the last ones.
        for index, start, end in met:
            owners = simple[index]
            if owners is None:
                return self._find_any(text, met)
            if start and wordy[text[start - 1]] and wordy[text[start]]:
                continue
            if end < last and wordy[text[end]] and not on_edges(text, start, end):
                continue
            if start < free:
                at = len(hits) - 1
                while at and hits[at - 1].end > start:
                    at -= 1
                if hits[at].start < start:
                    continue
                del hits[at:]
            append(make(Hit, (start, end, owners, keys[index])))
            free = end
        return hits

    def _find_any(self, text: str, met: list[tuple[int, int, int]]) -> list[Hit]:
        """The same where forms with rules of their own were met."""
        found: list[tuple[int, int, int, int, int]] = []
        keys, simple, anywhere, last = self._keys, self._simple, self._anywhere, len(text)
        for index, start, end in met:
            if index not in anywhere:
                if start and is_wordy(text[start - 1]) and is_wordy(text[start]):
                    continue
                if end < last and is_wordy(text[end]) and not on_edges(text, start, end):
                    continue
            if simple[index] is not None:
                found.append((start, -end, start - end, index, start))
                continue
            spans = {
                (start + alias.kept[0], alias.kept[1] - end)
                for _, alias in self._forms[keys[index]]
                if self._holds(alias, text, start, end)
            }
            found += [(first, final, start - end, index, start) for first, final in spans]
        # Leftmost first, then longest; of equal words the longer form, which says more about them.
        found.sort()
        hits: list[Hit] = []
        position = 0
        for start, negative, _, index, whole in found:
            if start < position:
                continue
            position = -negative
            owners = simple[index] or self._owners(index, text, start, position, whole)
            hits.append(Hit(start, position, owners, keys[index]))
        return hits

    def _owners(self, index: int, text: str, start: int, end: int, whole: int) -> tuple[str, ...]:
        """Entities that claim the words from `start` to `end` of a form found at `whole`."""
        key = self._keys[index]
        last = whole + len(key)
        return tuple(
            sorted(
                {
                    entity
                    for entity, alias in self._forms[key]
                    if alias.kept == (start - whole, last - end)
                    and self._holds(alias, text, whole, last)
                }
            )
        )

    def ambiguous(self, hit: Hit, text: str) -> bool:
        """Whether a hit must not be replaced without a person."""
        if len(hit.owners) != 1 or hit.form in self.withheld:
            return True
        alias = self._by_place.get(hit.form)
        if alias is None or any(
            text.startswith(words, hit.start - fold(words).find(hit.form))
            for words in alias.names_in
        ):
            return False
        place = self.entities[hit.owners[0]].cls in ("CTY", "PLC")
        return bool(why_ordinary(text, hit.start, hit.end, self._chinese, place=place))

    def reason(self, hit: Hit) -> str:
        """Why an ambiguous hit is one, in a few words."""
        if len(hit.owners) != 1:
            return f"claimed by {len(hit.owners)} entities"
        doubts = [alias.doubt for _, alias in self._forms.get(hit.form, ()) if alias.doubt]
        return doubts[0] if doubts else "also an ordinary word"

    @staticmethod
    def _holds(alias: Alias, text: str, start: int, end: int) -> bool:
        """Whether an alias's own rule allows it at a place."""
        if alias.match == "exact":
            return not (end < len(text) and unicodedata.combining(text[end]))
        if not on_edges(text, start, end):
            return False
        if alias.match == "case":
            written, name = even(text[start:end]), even(alias.surface)
            shouted = len(name) >= 4 and written == name.upper()
            return (written == name or shouted) and not _LONGER.match(text, end)
        return alias.kept == (0, 0) or stands_free(text, start, end)


def _forms(table: ReplacementTable) -> dict[str, list[tuple[str, Alias]]]:
    """Folded form -> its entities and aliases, composed and decomposed.

    A stretch in which a name is an ordinary word has none: found, it hides the name inside.
    """
    forms: dict[str, list[tuple[str, Alias]]] = defaultdict(list)
    for entity in table.entities:
        for alias in entity.aliases:
            surface = Squeezed(alias.surface).text
            for norm in _NORMS:
                key = fold(unicodedata.normalize(norm, surface))
                if key and (entity.entity_id, alias) not in forms[key]:
                    forms[key].append((entity.entity_id, alias))
                for words in alias.stands_in:
                    forms[fold(unicodedata.normalize(norm, Squeezed(words).text))] += []
    return dict(forms)


def check(table: ReplacementTable) -> None:
    """Refuse a table that could not be applied or undone.

    Raises BadInput when two entities share an id or a placeholder, or when a name holds nothing to search for or
    a token bracket.
    """
    ids: set[str] = set()
    labels: dict[tuple[str, str], str] = {}
    for entity in table.entities:
        name = entity.aliases[0].surface
        if entity.entity_id in ids:
            raise BadInput(
                f"two entities of the table share the id {entity.entity_id!r}; give {name!r} another"
            )
        ids.add(entity.entity_id)
        placeholder = (entity.cls, entity.label)
        if placeholder in labels:
            raise BadInput(
                f"{labels[placeholder]!r} and {name!r} both become {entity.cls} {entity.label}; give one of them other letters"
            )
        labels[placeholder] = name
        for alias in entity.aliases:
            if "⟦" in alias.surface or "⟧" in alias.surface:
                raise BadInput(
                    f"the name {alias.surface!r} of the table holds a token bracket; write it without"
                )
            if not any(char.isalnum() for char in alias.surface):
                raise BadInput(
                    f"the name {alias.surface!r} of the table holds no letter or figure; take it out"
                )
            if sum(alias.kept) >= len(alias.surface) or min(alias.kept) < 0:
                raise BadInput(
                    f"nothing of the name {alias.surface!r} would be replaced; correct its `kept`"
                )


def even(text: str) -> str:
    """Width, quotes, dashes and spaces evened out, case kept; as long as the text where NFC is."""
    return "".join(
        " " if char.isspace() else _SAME.get(char, char)
        for char in unicodedata.normalize("NFKC", text)
    )
