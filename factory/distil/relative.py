"""Years that a text names by words such as `last year`, `去年`, `上月` or `三年前`, counted from its publication.

A chronicle writes dates out in full, so a year that a sentence states may stand in its source only as a word.
`recently` names nothing.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta

from factory.dedup.figures import value_of_word

_FLAGS = re.IGNORECASE | re.ASCII
"""ASCII, because Chinese characters are letters to a Unicode word border."""
_YEARS = {
    r"大前年": -3,
    r"(?<![大空目之以此年])前年|\byear before last\b": -2,
    r"去年|上年(?!纪)|上一年|\b(?:last|previous|prior|past) (?:\w+ )?year\b(?! but)": -1,
    r"\ba year (?:ago|earlier|before)\b|\byear[- ]on[- ]year\b|同比": -1,
    r"今年|本年|年内|年[初中底末]|\b(?:this|current) (?:\w+ )?year\b|\byear[- ]end\b|\bend of the year\b": 0,
    r"明年|来年|下一?年|\b(?:next|coming|following) (?:\w+ )?year\b": 1,
    r"(?<![以之])后年|\byear after next\b": 2,
}
_MONTHS = {
    r"上上个?月": -2,
    r"上个?月|\b(?:last|previous|past) month\b": -1,
    r"本月|这个?月|当月|月[初中底末]|\b(?:this|current) month\b": 0,
    r"下个?月|次月|\b(?:next|coming|following) month\b": 1,
}
_DAYS = {
    r"昨[天日晚夜]|前[天晚]|上周|\byesterday\b|\b(?:last|previous|past) (?:night|evening|week\w*|\w+day)\b": -7,
    r"明[天日晚早]|下周|\btomorrow\b|\b(?:next|coming) (?:week\w*|\w+day)\b": 7,
}
_SEASONS = (
    "spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october"
    "|november|december"
)
_NAMED = {
    rf"\b(?:last|past) (?:{_SEASONS})\b": -1,
    rf"\b(?:next|coming) (?:{_SEASONS})\b": 1,
    rf"\bthis (?:{_SEASONS})\b": 0,
}
_TENS = "twenty|thirty|forty|fifty"
_COUNT = (
    rf"(\d{{1,3}}|an?|(?:(?:{_TENS})[- ])?(?:one|two|three|four|five|six|seven|eight|nine)|{_TENS}"
    r"|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
)
_AWAY_ZH = re.compile(
    r"(?<![\d第])(\d{1,3}|[一二两三四五六七八九十百]{1,5})\s?个?(年|月)[多半]?[之以]?([前后])"
)
_AWAY_EN = re.compile(
    rf"\b{_COUNT}[- ](year|month)s? (ago|earlier|before|later|from now)\b", _FLAGS
)
_AHEAD_EN = re.compile(rf"\b(?:in|within) {_COUNT} (year|month)s?\b", _FLAGS)


def named_years(text: str, published: date) -> frozenset[int]:
    """Years that relative words of a text name, for a text published on a day.

    Words that leave two years open, such as `last winter`, name both.
    """
    text = unicodedata.normalize("NFKC", text)
    years = {published.year + offset for offset in _offsets(_YEARS, text)}
    years |= {_year_of_month(published, offset) for offset in _offsets(_MONTHS, text)}
    years |= {(published + timedelta(days=offset)).year for offset in _offsets(_DAYS, text)}
    for offset in _offsets(_NAMED, text):
        years |= {published.year, published.year + offset}
    for count, unit in _counts(text):
        years.add(published.year + count if unit == "year" else _year_of_month(published, count))
    return frozenset(years)


def _offsets(table: dict[str, int], text: str) -> set[int]:
    return {offset for words, offset in table.items() if re.search(words, text, _FLAGS)}


def _year_of_month(day: date, offset: int) -> int:
    return (12 * day.year + day.month - 1 + offset) // 12


def _counts(text: str) -> set[tuple[int, str]]:
    """Counted distances, such as -3 and `year` for `三年前`."""
    found: set[tuple[int, str]] = set()
    for match in _AWAY_ZH.finditer(text):
        sign = 1 if match.group(3) == "后" else -1
        unit = "year" if match.group(2) == "年" else "month"
        found.add((sign * int(value_of_word(match.group(1))), unit))
    for match in _AWAY_EN.finditer(text):
        sign = 1 if match.group(3).lower() in ("later", "from now") else -1
        found.add((sign * int(value_of_word(match.group(1))), match.group(2).lower()))
    for match in _AHEAD_EN.finditer(text):
        # "in three years" looks ahead, "for the first time in three years" looks back.
        count, unit = int(value_of_word(match.group(1))), match.group(2).lower()
        found |= {(count, unit), (-count, unit)}
    return found
