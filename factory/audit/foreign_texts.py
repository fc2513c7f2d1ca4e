"""What the words of a published question say: the days that they name, the windows that they state, their base.

Published texts follow no grammar of ours: windows are counted from the cutoff or around a target day, in figures or
spelled, exact or "about". Everything here is a search by pattern, in either edition, after NFKC.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import chain

from factory.audit.leak_dates import MONTH_NAMES
from schemas import Lang

TEXTS = 1 << 17
"""Texts remembered: several rules look at each."""

_DIGITS_ZH = {sign: value for value, sign in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_WORDS_EN = {
    "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "fourteen": 14, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "sixty": 60,
    "ninety": 90,
}  # fmt: skip
_UNIT_DAYS = {"天": 1, "日": 1, "周": 7, "个月": 30, "day": 1, "week": 7, "month": 30}

_NUMBER_ZH = r"(?:(?<![\d月.])\d{1,3}|[一二两三四五六七八九十]+)"
# A day of a month (10月7日) and days of age or of an average (35天均线) are no duration of a window.
_LENGTH_ZH = rf"(?P<number>{_NUMBER_ZH})\s*(?P<unit>天|日(?!月)|周(?!年)|个月)(?!均线|内瓦)"
_LENGTH_EN = (
    rf"\b(?P<number>\d{{1,3}}|{'|'.join(sorted(_WORDS_EN))})[ -](?P<unit>day|week|month)s?\b"
)
_LENGTHS: dict[Lang, re.Pattern[str]] = {
    "zh": re.compile(
        r"(?P<before>未来|接下来|随后)?(?P<about>大约|约|大概|近)?\s*"
        rf"{_LENGTH_ZH}(?P<after>之内|以内|内|窗口|期间)?"
    ),
    "en": re.compile(
        r"(?P<before>\b(?:within|next|coming|following) (?:the )?(?:next )?)?"
        rf"(?P<about>\b(?:about|around|roughly|approximately|nearly|some) )?{_LENGTH_EN}(?P<after> window| period)?",
        re.IGNORECASE,
    ),
}
_PHRASES: dict[Lang, re.Pattern[str]] = {
    "zh": re.compile(
        r"(?:(?:在|于|自|从|截至|截止|至|到|并在)?\s*(?:cutoff|截止日期?|截止点|目标日期?|节点|该日期?|此)?\s*"
        r"(?:之?后|之?前|前后|起|当日)?\s*(?:的|未来|接下来|随后|约|大约)*\s*)"
        rf"{_NUMBER_ZH}\s*(?:天|日|周|个月)"
        r"(?:\s*(?:之内|以内|内|左右|窗口期?|期间|之?后|之?前|前后|的|里|中|，|,))*"
    ),
    "en": re.compile(
        r"(?:\b(?:within|in|over|during|for|as of|by|after|before|about|around|the|an?|next|coming|following|first|"
        r"window|period|of) )*"
        rf"{_LENGTH_EN.replace('(?P<number>', '(?:').replace('(?P<unit>', '(?:')}"
        r"(?: (?:window|period|before|after|and|or|of|around|from|ending|as|on|the|target|cutoff|date|day)\b)*",
        re.IGNORECASE,
    ),
}
_ISO = re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d)")
_MONTHS = "|".join(MONTH_NAMES)
_DAYS: tuple[re.Pattern[str], ...] = (
    _ISO,
    re.compile(
        r"(?<!\d)(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]"
    ),
    re.compile(rf"\b(?P<month>{_MONTHS}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b"),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTHS}),? (?P<year>\d{{4}})\b"
    ),
)
# Two days that share a year: the first in English, the second in Chinese, stands without it.
_SHARED: tuple[re.Pattern[str], ...] = (
    re.compile(
        rf"\b(?P<month>{_MONTHS}) (?P<day>\d{{1,2}})(?: ?[-–] ?| to | and | through )"
        rf"(?:{_MONTHS}) \d{{1,2}},? (?P<year>\d{{4}})\b"
    ),
    re.compile(
        r"(?<!\d)(?P<year>\d{4})\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*[日号]\s*(?:至|到|-|–|—|~|和|与)\s*"
        r"(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]"
    ),
)
_YEAR_MONTHS: tuple[re.Pattern[str], ...] = (
    re.compile(r"(?<!\d)(?P<year>\d{4})\s*年\s*(?P<number>\d{1,2})\s*月"),
    re.compile(rf"\b(?P<name>{_MONTHS})(?: of)?,? (?P<year>\d{{4}})\b"),
)
_INTERNAL = re.compile(
    r"(?<![\w-])(?:[ED]\d{2}|[ED]_\d{1,2})(?!\w|-\d)|事件\s*[ED]\d{1,2}|\b[Ee]vent [ED]\d{1,2}\b",
    re.ASCII,
)
_DISPLACED = re.compile(
    r"^[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)? [A-Z]\d? "
    r"(?:Will|Would|Has|Have|Had|Is|Are|Was|Were|Did|Does|Do|Can|Could|Should|In|On|By|At|After|Before|During|The)\b"
)


@cache
def _signs() -> dict[int, None]:
    """Punctuation, symbols and separators, each mapped to nothing; for `str.translate`."""
    return {
        code: None
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code))[0] in "PSZ"
    }


@lru_cache(maxsize=TEXTS)
def plain(text: str) -> str:
    """A text after NFKC without case, punctuation and spaces: what is equal here is the same question."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_signs())


@lru_cache(maxsize=TEXTS)
def base(text: str, lang: Lang) -> str:
    """The plain text without its window: phrases of a length in days, weeks or months, and ISO dates, are cut out."""
    words = unicodedata.normalize("NFKC", text)
    return plain(_PHRASES[lang].sub("", _ISO.sub("", words)))


@dataclass(frozen=True)
class Lengths:
    """Lengths of time in a text, in days; a month has 30."""

    exact: frozenset[int]
    """Those of windows: in figures, or spelled with a word such as within or 内 beside them."""
    about: frozenset[int]
    """The same, where the text calls them approximate."""
    other: frozenset[int]
    """Spelled lengths of whatever else, such as a truce of two weeks."""

    @property
    def all(self) -> frozenset[int]:
        """Every length."""
        return self.exact | self.about | self.other


def lengths(text: str, lang: Lang) -> Lengths:
    """Every length in days, weeks or months that the text states."""
    exact, about, other = set(), set(), set()
    for match in _LENGTHS[lang].finditer(unicodedata.normalize("NFKC", text)):
        number = _number(match["number"])
        if not number:
            continue
        days = number * _UNIT_DAYS[match["unit"].casefold()]
        if not (match["number"].isdecimal() or match["before"] or match["after"]):
            other.add(days)
        elif match["about"]:
            about.add(days)
        else:
            exact.add(days)
    return Lengths(frozenset(exact), frozenset(about), frozenset(other))


def _number(word: str) -> int:
    """The value of a number in figures or spelled up to 99; 0 for none."""
    if word.isdecimal():
        return int(word)
    if word.casefold() in _WORDS_EN:
        return _WORDS_EN[word.casefold()]
    tens, ten, ones = word.partition("十")
    if ten:
        return 10 * _DIGITS_ZH.get(tens, 1 if not tens else 0) + (_DIGITS_ZH.get(ones, 0))
    return _DIGITS_ZH.get(word, 0)


@dataclass(frozen=True)
class Named:
    """Days that a text names with their year."""

    days: frozenset[date]
    impossible: tuple[str, ...]
    """What is written like a day and is none, such as 2031-02-30."""


@lru_cache(maxsize=TEXTS)
def days_named(text: str) -> Named:
    """Days written YYYY-MM-DD, YYYY年M月D日, 7 May 2031 or May 7, 2031."""
    days: set[date] = set()
    impossible = []
    words = unicodedata.normalize("NFKC", text)
    for match in chain.from_iterable(pattern.finditer(words) for pattern in (*_DAYS, *_SHARED)):
        month = match["month"]
        number = int(month) if month.isdecimal() else MONTH_NAMES.index(month) + 1
        try:
            days.add(date(int(match["year"]), number, int(match["day"])))
        except ValueError:
            impossible.append(match[0])
    return Named(frozenset(days), tuple(impossible))


def months_named(text: str) -> frozenset[tuple[int, int]]:
    """Months written with their year, as (year, month); those of whole days among them."""
    words = unicodedata.normalize("NFKC", text)
    found = {(day.year, day.month) for day in days_named(words).days}
    for pattern in _YEAR_MONTHS:
        for match in pattern.finditer(words):
            named = match.groupdict()
            month = (
                MONTH_NAMES.index(named["name"]) + 1 if "name" in named else int(named["number"])
            )
            if 1 <= month <= 12:
                found.add((int(named["year"]), month))
    return frozenset(found)


def internal_ids(text: str) -> list[str]:
    """Ids of dated events or groups (E01, D_2) that stand in a text."""
    return [match[0] for match in _INTERNAL.finditer(unicodedata.normalize("NFKC", text))]


def displaced(text: str) -> bool:
    """Whether an English question opens with a name that stands before its verb ("Country X Will a ...")."""
    return _DISPLACED.match(text) is not None


def asks(text: str, lang: Lang) -> bool:
    """Whether a text ends as a question, or, in Chinese, holds an interrogative."""
    words = unicodedata.normalize("NFKC", text).rstrip("\"'”’ )）")
    return words.endswith("?") or (
        lang == "zh" and re.search("是否|会否|能否|有无|吗", words) is not None
    )
