"""The language of a text, told by its script and, between languages of Latin letters, by its commonest words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_letters
from typing import Literal

_EN_WORDS = frozenset(
    re.findall(
        r"\w+",
        "the a an and or of to in is are was were be been it that this for on with as at by from not have "
        "has he she they we you i my your his her their our but so if what who how all can will would there "
        "no just about more up out do did when than its me",
    )
)
_OTHER_WORDS = frozenset(
    re.findall(
        r"\w+",
        "de la el los las que un una es por con para lo se su del al y o le les des une et est pas dans pour sur qui ce il du au "
        "der die das und ist nicht ein eine den dem zu mit von im auf wir ich sie wird hat il di che non per e i gli della sono si "
        "os um uma com na em da do como mais het een van en niet dat met voor zijn op yang dan di ini itu untuk dengan tidak "
        "w z na nie to jest sie do og er det ikke som av till och att som inte ve bir bu ile ng sa mga ang va la si cu je ne",
    )
)
"""Common words of other languages in Latin letters, as they are written without accents."""
_EN_ONLY = (
    _EN_WORDS
    - _OTHER_WORDS
    - frozenset(
        [
            "a",
            "an",
            "as",
            "at",
            "in",
            "is",
            "on",
            "no",
            "me",
            "so",
            "all",
            "can",
            "will",
            "was",
            "we",
            "he",
        ]
    )
)
"""English function words that other languages do not write, too."""
_SOME_SENTENCES = 60
"""Words up to which a text may be short of function words and yet be English."""

_NOISE = re.compile(r"https?://\S+|@[A-Za-z0-9_]+|#[A-Za-z0-9_]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_KANA = re.compile("[\u3040-\u30ff]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN_WORD = re.compile("[a-z']+")
_EN_BYTES = frozenset(word.encode() for word in _EN_WORDS)
_ASCII_LETTERS = ascii_letters.encode()
_ASCII = bytes(range(128))
_NO_LEADS = bytes(range(0xC0))
"""All bytes but the first ones of characters outside ASCII in UTF-8."""
_HAN_LEADS = bytes(range(0xE4, 0xEA))
"""First bytes of U+4000 to U+9FFF in UTF-8: all of them Han characters but for the hexagrams."""
_HEXAGRAM = b"\xe4\xb7"
"""First two bytes of U+4DC0 to U+4DFF."""
_FIRST_WORDS = 20
"""Words of a text in ASCII that mostly settle whether it is English."""
_ASCII_WORDS = bytes(
    ord(char.lower()) if char in ascii_letters else ord(char) if char == "'" else ord(" ")
    for char in map(chr, range(256))
)
"""Bytes of a text in ASCII -> those of its words in lower case, and blanks."""


def _amount(runs: re.Pattern[str], text: str) -> int:
    """Characters in the runs of a text; counting runs is many times faster than counting characters."""
    return sum(map(len, runs.findall(text)))


def language(text: str) -> Literal["en", "zh", "other", "unknown"]:
    """Language of a text: zh by Han characters without kana, en by Latin letters and English function words."""
    sample = text[:5000]
    if not sample.isascii() and _is_plainly_han(sample):
        return "zh"
    if "://" in sample or "@" in sample or "#" in sample:
        sample = _NOISE.sub(" ", sample)
    data = sample.encode("utf-8", errors="replace")
    if sample.isascii():
        return _language_of_ascii(data)
    latin = len(data) - len(data.translate(None, _ASCII_LETTERS))
    han = _amount(_HAN, sample)
    beyond = len(sample) - len(data) + len(data.translate(None, _ASCII)) - han
    if han < 2 or beyond > 0.1 * han or 3 * han < 0.5 * latin:  # else it is zh whatever they are
        kana, letters = _amount(_KANA, sample), _amount(_LETTERS, sample)
        if letters == 0:
            return "unknown"
        if kana > 0.1 * (han + kana):
            return "other"
        if han < 2 or 3 * han < 0.5 * latin or han + latin <= 0.7 * letters:
            if latin <= 0.7 * letters:
                return "other"
            words = _LATIN_WORD.findall(sample.lower())
            return _english(sum(map(_EN_WORDS.__contains__, words)), words, letters - latin - han)
    return "zh"


def _language_of_ascii(data: bytes) -> Literal["en", "other", "unknown"]:
    blanked = data.translate(_ASCII_WORDS)
    first = blanked.split(None, _FIRST_WORDS)
    # There are no more words than blanks and one: mostly the first of them settle it.
    if sum(map(_EN_BYTES.__contains__, first)) >= 0.15 * (blanked.count(b" ") + 1):
        return "en"
    if not blanked.translate(None, b" '"):
        return "unknown"
    words = blanked.decode("ascii").split()
    return _english(sum(map(_EN_WORDS.__contains__, words)), words, accented=0)


def _is_plainly_han(sample: str) -> bool:
    """Whether `language` will say zh, told from bytes alone: most posts in Chinese are known by it.

    Fewer Han characters than there are, and more of all other letters, already fulfil its conditions. Names
    and hashtags that it takes out first are ASCII, so that without them they hold as well; of addresses, which
    run into the words behind them, this says nothing.
    """
    if "://" in sample:
        return False
    data = sample.encode("utf-8", errors="replace")
    leads = data.translate(None, _NO_LEADS)
    han = len(leads) - len(leads.translate(None, _HAN_LEADS)) - data.count(_HEXAGRAM)
    plain_ascii = len(sample) - len(leads)
    beyond = len(leads) - han
    if beyond > 0.1 * han:
        beyond -= sample.count("，") + sample.count("。")
    return han >= 2 and beyond <= 0.1 * han and 3 * han >= 0.5 * plain_ascii


def _english(known: int, words: Sequence[str], accented: int) -> Literal["en", "other"]:
    """en for words enough of which are English function words; a short text without accents is taken for it.

    So is one of some sentences with at least one such word and fewer of other languages: headlines and comments
    leave most of them out.
    """
    if known >= 0.15 * len(words) or (len(words) < 6 and accented == 0):
        return "en"
    if known == 0 or accented or len(words) > _SOME_SENTENCES:
        return "other"
    telling = sum(word in _EN_ONLY for word in words)
    return "en" if telling > 2 * sum(map(_OTHER_WORDS.__contains__, words)) else "other"
