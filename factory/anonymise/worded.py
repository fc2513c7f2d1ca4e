"""Figures that are spelled in words: where they stand and what they are worth, in English and in Chinese.

"forty-one votes" and 五千三百二十七万美元 can be looked up like figures in digits. They are found so that a person sees
them and so that no policy changes the same figure in digits beside them; they themselves are never rewritten, since
"about forty-two" would need the grammar of both languages. Ordinals, decimals in words and years in pairs
(nineteen eighty-four) are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sources.calendar import ZH_DIGITS, parse_zh_numeral

_UNITS = {
    word: number
    for number, word in enumerate(
        re.findall(
            r"\w+",
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
            "eighteen nineteen",
        ),
        1,
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety"), 2
    )
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONE, _TEN, _SCALE = "|".join(list(_UNITS)[:9]), "|".join(_TENS), "|".join(_SCALES)
_SMALL = rf"(?:(?:{_TEN})(?:[ -](?:{_ONE}))?|{'|'.join(sorted(_UNITS, key=lambda w: -len(w)))})"
_BELOW_1000 = rf"(?:(?:{_SMALL}|an?)[ -]hundred(?:(?:[ -]and)?[ -]{_SMALL})?|{_SMALL})"
_ENGLISH = re.compile(
    rf"(?<![\w-])(?:{_BELOW_1000}|an?(?=[ -](?:{_SCALE})))(?:[ -](?:{_SCALE})(?:(?:,|,? and)?[ -]{_BELOW_1000}(?![\w-]))?)*"
    r"(?![\w]|-(?!(?:year|vote|dollar|to|strong)))",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    "(?<![0-9第几数多一二两三四五六七八九十百千万亿])[一二两兩三四五六七八九十百千万萬亿億零〇]{2,}"
)
_UNIT = re.compile("[十百千万萬亿億]")
_LAST = re.compile("([百千万萬亿億])([一二两兩三四五六七八九])$")
_UNIT_OF = {"百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}


class Worded(NamedTuple):
    """A figure in words at a place of a text."""

    start: int
    end: int
    value: int


def worded(text: str) -> Iterator[Worded]:
    """Figures in words, in the order of the text, English before Chinese."""
    for found in _ENGLISH.finditer(text):
        yield Worded(found.start(), found.end(), english_numeral(found.group()))
    for found in _CHINESE.finditer(text):
        if _UNIT.search(found.group()):
            value = chinese_numeral(found.group())
            if value:
                yield Worded(found.start(), found.end(), value)


def english_numeral(words: str) -> int:
    """Value of an English cardinal: two hundred and seventeen is 217."""
    total = section = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in ("a", "an"):
            section += 1
        elif word == "hundred":
            section *= 100
        elif word in _SCALES:
            total, section = total + section * _SCALES[word], 0
        else:
            section += _UNITS.get(word) or _TENS.get(word, 0)
    return total + section


def chinese_numeral(words: str) -> int:
    """Value of a Chinese cardinal, 三百五 read as 350; 0 when the characters make none."""
    head, mark, tail = words.replace("億", "亿").rpartition("亿")
    try:
        value = (parse_zh_numeral(head) * 10**8 if head else 10**8) if mark else 0
        if not tail:
            return value
        if tail[0] in "百千万萬" and not mark:
            return 0  # 千万, 百万: an amount of no certain size, or an adverb
        value += parse_zh_numeral(tail)
    except ValueError:
        return 0
    short = _LAST.search(words)
    if short is not None:
        digit = ZH_DIGITS[short[2]]
        value += digit * (_UNIT_OF[short[1]] // 10 - 1)
    return value
