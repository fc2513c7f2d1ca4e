"""Finds a name in any of the forms in which it may hide: width, case, spacing, invisible characters, look-alike
letters, escapes, tags, traditional characters, pinyin, glued to a figure or another word, taken apart.

This is the scanner's own search and shares nothing with the code that replaced the names. A Chinese name is
found anywhere; a Latin one at word edges, with its words joined or parted in any way or its letters spaced out,
and without edges once it has ten letters. From five letters on, a figure, an underscore and a change of case beside
it are edges too, and it may be parted by spaces where it is written with a capital. A name whose case matters (a
short acronym) is searched in that case. The pinyin of a Chinese name is searched like a Latin name from six letters
on, a person's in both orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from factory.nameforms.escapes import layers
from factory.nameforms.letters import plain, squeeze
from factory.nameforms.pinyin import syllables
from schemas import ReplacementTable

_CHINESE = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_GAP = r"[\W_]{0,5}"
_WRAP = r"(?:-?[^\S\n]?\n[^\S\n]?)?"
"""A line that ends inside a word."""
_MARK = r"(?:-?[^\S\n]?\n[^\S\n]?|[^\w\s'’]{1,2}|_{1,2})?"
"""The same, or a mark inside a word; an apostrophe is none, for "she'll" is not Shell."""
_PART = r"(?:-?[^\S\n]?\n[^\S\n]?|[^\w\s'’]{1,2}|_{1,2}|[^\S\n]{1,3})?"
"""The same, or spaces: only where the name is written with a capital."""
_ZH_GAP = r"[^\w，。、；：！？,;:!?()（）《》“”‘’\"']{0,3}|_{1,3}"
"""Between the characters of a short Chinese name: anything but letters and the signs that end a clause."""
_PINYIN = 6
"""Letters from which the pinyin of a name is searched for; shorter ones are too often other words."""
LONG = 10
"""Letters from which a Latin name is also found inside a longer word."""
GLUED = 5
"""Letters from which a Latin name is found beside a figure or a change of case, and taken apart by spaces."""
ACRONYM = 4
"""The same for a name in capitals alone, beside a figure or a change of case."""
SHORT = 4
"""Letters up to which a name whose case matters is none before an apostrophe and more letters: Xi in Xi'an."""
_NO_LONGER = r"(?!'(?!(?:s|d|ll|re|ve|m|t)(?![^\W_]))[a-z]{2,})"
_MIXED = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[A-Z][a-z])|[A-Za-z]{4}(?=\d)|\d(?=[A-Za-z]{4})")
_EDGE = re.compile(
    r"(?<=[a-z])(?<!\bMc)(?<!\bMac)(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])"
)
"""Where a word is glued to another: a change of case, a figure. McDonald and MacArthur are one name each."""
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe"}
)  # fmt: skip
"""Letters that are also written as two where a keyboard lacks them."""


def views(text: str) -> Iterator[str]:
    """The plain text, and what it says once its escapes and tags are read."""
    shown = plain(text)
    yield shown
    for start in dict.fromkeys((text, shown)):
        for read in layers(start):
            yield plain(read)


def parted(text: str) -> str | None:
    """A plain text with a space wherever words are glued together; None when none are."""
    return _EDGE.sub(" ", text) if _MIXED.search(text) else None


@dataclass(frozen=True)
class _View:
    """One text in one of its forms."""

    kept: str
    """In its own case."""
    low: str
    """In lower case."""
    glued: str | None
    """With its glued words apart, when it has any."""
    squeezed: str
    """Letters and digits of `low`: what does not hold a name here holds it in no form."""

    @classmethod
    def of(cls, kept: str) -> _View:
        low = kept.casefold()
        return cls(kept, low, parted(kept), re.sub(r"[\W_]+", "", low))

    def without(self, stretches: Iterable[str]) -> _View:
        """The view with stretches of text blanked, in which a person says that a name is an ordinary word."""
        kept = self.kept
        for stretch in stretches:
            kept = kept.replace(stretch, "\n")
        return self if kept == self.kept else _View.of(kept)


class NameSearch:
    """The table's names as patterns over normal forms; a pattern is built when its letters occur at all."""

    def __init__(self, table: ReplacementTable) -> None:
        # A name of one word may not be parted by spaces, so Weiluowei and Wei Luo Wei are two.
        self._names: dict[tuple[str, bool, int], str] = {}
        self._stands: dict[str, set[str]] = {}
        for entity in table.entities:
            for alias in entity.aliases:
                for surface in dict.fromkeys((alias.surface, alias.surface.translate(_UMLAUTS))):
                    name = plain(surface)
                    if squeeze(name):
                        self._names[squeeze(name), alias.match == "case", name.count(" ")] = name
                name = plain(alias.surface)
                if alias.stands_in:
                    self._stands.setdefault(name, set()).update(map(plain, alias.stands_in))
                for spelt in _pinyin(name, person=entity.cls == "PER"):
                    self._names.setdefault((spelt.replace(" ", ""), False, spelt.count(" ")), spelt)

    def find(self, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Pairs of a text and the words in it that are a name; each text is given once a name."""
        prepared = [
            (text, [_View.of(view) for view in dict.fromkeys(views(text))])
            for text in dict.fromkeys(texts)
        ]
        squeezed = "\x00".join(view.squeezed for _, seen in prepared for view in seen)
        ordinary: frozenset[str] | None = None
        for (key, cased, _), name in self._names.items():
            if key not in squeezed:
                continue
            forms = _Forms(name, cased)
            stands = sorted(self._stands.get(name, ()), key=lambda words: (-len(words), words))
            for text, seen in prepared:
                for each in seen:
                    view = each.without(stands)
                    if key not in view.squeezed:
                        continue
                    words = forms.sure(view)
                    if words is None and (split := forms.split(view)):
                        if ordinary is None:
                            ordinary = _lower_words(
                                one.kept for _, all_ in prepared for one in all_
                            )
                        words = next((w for w in split if not _happens(w, ordinary)), None)
                    if words is not None:
                        yield text, words
                        break


class _Forms:
    """The patterns of one plain name."""

    def __init__(self, name: str, cased: bool) -> None:
        self._cased = cased
        self._sure = _pattern(name, cased)
        letters = re.sub(r"[\W_]+", "", name)
        latin = letters.isascii() and letters.isalpha()
        self._glued = latin and (
            len(letters) >= GLUED or (len(letters) >= ACRONYM and letters.isupper())
        )
        self._split = _split_pattern(name, cased) if latin and len(letters) >= GLUED else None

    def sure(self, view: _View) -> str | None:
        """The name in a form that nothing else has."""
        found = self._sure.search(view.kept if self._cased else view.low)
        if found is None and self._glued and view.glued is not None:
            found = self._sure.search(view.glued if self._cased else view.glued.casefold())
        return None if found is None else found.group()

    def split(self, view: _View) -> list[str]:
        """Stretches that begin with a capital and spell the name over several words."""
        if self._split is None:
            return []
        found = (match.group() for match in self._split.finditer(view.kept))
        return [words for words in found if not words.isalnum()]


def _lower_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(
        word for text in texts for word in re.findall(r"(?<![^\W_])[a-z]+(?![^\W_])", text)
    )


def _happens(words: str, ordinary: frozenset[str]) -> bool:
    """Whether a stretch such as `Good man` can be the beginning of a sentence: each word is an ordinary one."""
    parts = re.findall(r"[^\W_]+", words)
    lower = [part for part in parts[1:] if part.islower()]
    return bool(lower) and all(part.casefold() in ordinary for part in parts)


def _split_pattern(name: str, cased: bool) -> re.Pattern[str]:
    """Pattern of a plain name whose letters are parted, over text in its own case: it begins with a capital."""
    words = re.findall(r"[^\W_]+", name)

    def spelt(*written: str) -> str:
        return _GAP.join(_PART.join(re.escape(char) for char in word) for word in written)

    if cased:
        forms = "|".join(dict.fromkeys((spelt(*words), spelt(*map(str.upper, words)))))
    else:
        forms = f"{words[0][0].upper()}(?i:{spelt(*words)[1:]})"
    return re.compile(rf"(?<![^\W_])(?:{forms})(?![^\W_])")


def _pattern(name: str, cased: bool) -> re.Pattern[str]:
    """Pattern of a plain name over plain text: in its own case, or over lower-case text."""
    name = name if cased else name.casefold()
    words = re.findall(r"[^\W_]+", name)
    letters = "".join(words)
    if _CHINESE.search(name):
        gap = _GAP if len(letters) >= 4 else f"(?:{_ZH_GAP})"
        return re.compile(gap.join(re.escape(char) for char in letters))
    inside = _MARK if len(letters) >= 4 else _WRAP
    joined = _GAP.join(inside.join(re.escape(char) for char in word) for word in words)
    forms = [joined]
    if len(letters) >= 3:
        forms.append(r"[\W_]{1,3}".join(re.escape(char) for char in letters))
    if cased and len(letters) >= 4:
        forms.append(_GAP.join(re.escape(word.upper()) for word in words))
    # A Chinese character is a letter to \w but no continuation of a Latin word.
    edged = (
        r"(?:(?<![^\W_])|(?<=[\u3400-\u9fff]))"
        + f"(?:{'|'.join(forms)})"
        + r"(?:(?![^\W_])|(?=\d*[.,]?\d* ?[\u3400-\u9fff]))"
        + (_NO_LONGER if cased and len(letters) <= SHORT else "")
    )
    if not cased and len(letters) >= LONG:
        loose = _GAP.join(re.escape(char) for char in letters)
        return re.compile(f"{edged}|{loose}")
    return re.compile(edged)


def _pinyin(name: str, *, person: bool) -> Iterator[str]:
    """A Chinese name in pinyin, syllables parted by a space; ü as v, u and yu; a person's surname first and last."""
    letters = re.sub(r"[\W_]+", "", name)
    if len(letters) < 2 or not all(_CHINESE.match(char) for char in letters):
        return
    spelt = syllables(letters)
    if spelt is None or sum(map(len, spelt)) < _PINYIN:
        return
    orders = [spelt, (*spelt[1:], spelt[0])] if person and len(spelt) <= 4 else [spelt]
    for order in orders:
        joined = " ".join(order)
        yield from dict.fromkeys(joined.replace("v", letter) for letter in ("v", "u", "yu"))
