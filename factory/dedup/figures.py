"""Figures in running text, by value, in both languages: the guard that tells an update from a copy.

All encoders rate `41 dead` and `57 dead` as the same sentence. Two texts contradict each other in numbers when
each states a number that the other does not have. Numbers written as words never raise a contradiction
across languages; they only answer for a digit on the other side (`eleven-day` and `11天`).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "bn": 1e9,
    "百": 1e2, "千": 1e3, "万": 1e4, "萬": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8, "億": 1e8, "万亿": 1e12,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?<!\d)(?<!\d[.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?(thousand|million|billion|trillion)\b|(bn|k|m)\b|\s?(万亿|百万|千万|[百千万萬亿億]))?",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH}\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)", re.IGNORECASE)
_CLOCK_EN = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?m\b\.?", re.IGNORECASE)
_CLOCK_ZH = re.compile(r"(?:下午|晚上|晚|傍晚|夜里)\s?(\d{1,2})\s?[点时:]")
_UNITS_EN = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_TENS = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS_EN = {
    **{word: float(value) for value, word in enumerate(_UNITS_EN)},
    **{word: float(10 * tens) for tens, word in enumerate(_TENS, 3)},
    **{"first": 1.0, "second": 2.0, "third": 3.0, "dozen": 12.0, "half": 50.0},
}
_WORD_EN = re.compile(
    r"\b(" + "|".join(sorted(_WORDS_EN, key=len, reverse=True)) + r")\b", re.IGNORECASE
)
_TENS_EN = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]"
    r"(one|two|three|four|five|six|seven|eight|nine)\b",
    re.IGNORECASE,
)
_DIGITS_ZH = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_WORD_ZH = re.compile(r"(?<![周期拜第])[零〇一二两三四五六七八九十百千万亿]+")
_YEAR_ZH = r"(?:\d{4}年)?"
_DAY_EN = r"\d{1,2}(?:st|nd|rd|th)?"
_SPAN_EN = r"\s?(?:-|–|to|and|or|until)\s?"
# Names with a capital, so that the first number of "41 and 17 may follow" stays a quantity.
_MONTH_NAME = r"(?-i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b\.?"
_STATED_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}"
    # 4月5日, 4月5日至7日, 4月5至7日, 4月5日、7日
    rf"|{_YEAR_ZH}\d{{1,2}}月\d{{1,2}}(?:[日号]?(?:[至到、和~—-]|——)(?:\d{{1,2}}月)?\d{{1,2}})*[日号]"
    r"|\d{4}年(?:\d{1,2}月)?|(?<!\d)\d{1,2}日|\d{1,2}月(?!\d)"
    # 5-7 April 2031, 5 and 7 April, April 5-7, 2031, April 5 and 7
    rf"|\b{_DAY_EN}{_SPAN_EN}{_DAY_EN}\s+{_MONTH_NAME}(?:,?\s+\d{{4}}\b)?"
    rf"|\b{_MONTH_NAME}\s+{_DAY_EN}{_SPAN_EN}{_DAY_EN}(?![\d,.]*\s?[a-z%])(?:,?\s+\d{{4}}\b)?"
    # 5 April 2031, April 5, 2031, April 2031
    rf"|\b{_DAY_EN}(?:\s+of)?\s+{_MONTH}(?:,?\s+\d{{4}})?\b"
    rf"|\b{_MONTH}\s+{_DAY_EN}(?:,?\s+\d{{4}})?\b|\b{_MONTH}\s+\d{{4}}\b"
    # on the 5th; not the 5th floor
    r"|\b(?:on|by|from|to|until|before|after|since) the \d{1,2}(?:st|nd|rd|th)\b(?=\s*(?:[,.;:)]|$|(?:and|of|at|to)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Figures:
    """The numbers of one text."""

    digits: frozenset[float]
    """Values written with digits."""
    words: frozenset[float]
    """Values written as words."""

    def missing_from(self, other: Figures) -> frozenset[float]:
        """Values written with digits here that the other text has in no form."""
        return self.digits - other.digits - other.words


def figures(text: str) -> Figures:
    """All numbers of a text by value: `70万` and `700,000` are one number, `12%` is 12, `3 March` is 3 and 3."""
    text = unicodedata.normalize("NFKC", text)
    digits: set[float] = set()
    for pattern, order in ((_DAY_MONTH, (2, 1)), (_MONTH_DAY, (1, 2))):
        for match in pattern.finditer(text):
            digits.add(float(_MONTHS.index(match.group(order[0])[:3].lower()) + 1))
            digits.add(float(match.group(order[1])))
    for match in _CLOCK_EN.finditer(text):
        hour = int(match.group(1)) % 12 + (12 if match.group(3).lower() == "p" else 0)
        digits |= {float(hour)} | ({float(match.group(2))} if match.group(2) else set())
    text = _CLOCK_EN.sub(" ", text)
    for match in _CLOCK_ZH.finditer(text):
        digits.add(float(int(match.group(1)) % 12 + 12))
    text = _CLOCK_ZH.sub(" ", text)
    for match in _NUMBER.finditer(text):
        value = float(match.group(1).replace(",", ""))
        scale = match.group(2) or match.group(3) or match.group(4) or ""
        digits.add(round(value * _SCALES.get(scale.lower(), 1.0), 6))
    return Figures(frozenset(digits), _words(text))


def contradict(a: Figures, b: Figures) -> bool:
    """Whether each text states a number that the other does not have."""
    return bool(a.missing_from(b)) and bool(b.missing_from(a))


def speak_for_one(a: Figures, b: Figures) -> bool | None:
    """Whether the numbers of two texts point to one report; none when there is nothing to compare.

    Half of the smaller set must stand in the other; several numbers against none point to two reports.
    """
    smaller, larger = sorted((a, b), key=lambda side: len(side.digits))
    if not smaller.digits:
        return False if len(larger.missing_from(smaller)) > 1 else None
    return 2 * len(smaller.missing_from(larger)) <= len(smaller.digits)


def without_dates(text: str) -> str:
    """A text with its absolute dates cut out, so that only quantities are left."""
    return _STATED_DATE.sub(" ", unicodedata.normalize("NFKC", text))


def _words(text: str) -> frozenset[float]:
    found: set[float] = set()
    for match in _TENS_EN.finditer(text):
        found.add(_WORDS_EN[match.group(1).lower()] + _WORDS_EN[match.group(2).lower()])
    found |= {_WORDS_EN[match.group().lower()] for match in _WORD_EN.finditer(text)}
    for match in _WORD_ZH.finditer(text):
        found.add(_chinese(match.group()))
    return frozenset(found)


def value_of_word(word: str) -> float:
    """Value of one number, in digits or as a word of either language: `3`, `three`, `twenty-one`, `a`, `三`."""
    if word.isdecimal():
        return float(word)
    if word.isascii():
        parts = re.split(r"[- ]", word.lower())
        return sum(1.0 if part in ("a", "an") else _WORDS_EN[part] for part in parts)
    return _chinese(word)


def _chinese(word: str) -> float:
    """Value of a Chinese numeral: `三百二十` is 320, `一千四百` is 1400, `二〇三一` is 2031."""
    if not any(char in "十百千万亿" for char in word):
        return float("".join(str(_DIGITS_ZH[char]) for char in word))
    total = section = digit = 0
    for char in word:
        if char in _DIGITS_ZH:
            digit = _DIGITS_ZH[char]
        elif char in "万亿":
            total = (total + section + digit) * (10_000 if char == "万" else 100_000_000)
            section = digit = 0
        else:
            section += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char]
            digit = 0
    return float(total + section + digit)
