"""Dates that a text names by words such as `last year`, `去年`, `本月底` or `昨天`, counted from its publication.

A chronicle writes dates out in full, so a year or day that a sentence states may stand in its source only as a word.
Only what the words name to the year, month or day is given; `recently` names nothing.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from factory.figures import value_of_word

_YEARS = {
    r"大前年": -3,
    r"前年|\byear before last\b": -2,
    r"去年|上年|上一年|\b(?:last|previous|prior|past) (?:\w+ )?year\b|\ba year (?:ago|earlier|before)\b": -1,
    r"今年|本年|年内|年[初中底末]|\b(?:this|current) (?:\w+ )?year\b|\byear[- ]end\b|\bend of the year\b": 0,
    r"明年|来年|下一年|\b(?:next|coming|following) (?:\w+ )?year\b": 1,
    r"(?<![以之])后年|\byear after next\b": 2,
}
_MONTHS = {
    r"上上个?月": -2,
    r"上个?月|\b(?:last|previous|past) month\b|\ba month ago\b": -1,
    r"本月|这个?月|当月|月[初中底末]|\b(?:this|current) month\b|\b(?:end|start|beginning|middle) of the month\b": 0,
    r"下个?月|次月|\b(?:next|coming|following) month\b": 1,
}
_DAYS = {
    r"大前[天日]": -3,
    r"前[天晚]|\bday before yesterday\b": -2,
    r"昨[天日晚夜]|\byesterday\b|\blast (?:night|evening)\b|\bovernight\b": -1,
    r"今[天日晚早夜]|当[天日晚]|\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b": 0,
    r"明[天日晚早]|\btomorrow\b": 1,
    r"(?<!之)(?<!以)后天|\bday after tomorrow\b": 2,
}
_NUMBER = r"(\d{1,3}|[零〇一二两三四五六七八九十百]+|an?|(?:twenty|thirty|forty|fifty)?-?(?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|twenty|thirty|forty|fifty)"
_AGO = re.compile(
    rf"(?<![\d第]){_NUMBER}\s?(?:个)?(年|月|周|星期|天|日)(?:多|半)?(之?前|以前|之?后|以后)"
    rf"|\b{_NUMBER}[- ](year|month|week|day)s? (ago|earlier|later|from now)\b"
    rf"|\b(in) {_NUMBER} (year|month|week|day)s?(?: ?['’]s?)?(?: time)?\b",
    re.IGNORECASE,
)
_UNITS = {"年": "year", "月": "month", "周": "week", "星期": "week", "天": "day", "日": "day"}
_WEEKDAYS = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip
_WEEKDAY_EN = re.compile(rf"\b(?:(last|next|this) )?({'|'.join(_WEEKDAYS)}|weekend)\b", re.I)
_WEEKDAY_ZH = re.compile(r"([上下本这])?个?(?:周|星期|礼拜)([一二三四五六日天末])")
_NAMED = re.compile(
    r"\b(?:last|past|next|this|coming) (spring|summer|autumn|fall|winter|january|february|march|april|may"
    r"|june|july|august|september|october|november|december)\b",
    re.I,
)


@dataclass(frozen=True)
class NamedDates:
    """What the relative words of a text name."""

    years: frozenset[int]
    days: frozenset[int]
    """Days of the month, from words that name a day."""


def named_dates(text: str, published: date) -> NamedDates:
    """Years and days of the month that words of a text name, for a text published on a day."""
    text = unicodedata.normalize("NFKC", text)
    years = {
        published.year + offset for pattern, offset in _YEARS.items() if _has(pattern, text)
    }
    days: set[int] = set()
    for pattern, offset in _MONTHS.items():
        if _has(pattern, text):
            years.add(_month(published, offset).year)
            days |= _edges(text, pattern, _month(published, offset))
    for day in (*_near(text, published), *_counted_days(text, published), *_weekdays(text, published)):
        years.add(day.year)
        days.add(day.day)
    years |= _counted_years(text, published)
    if _NAMED.search(text):
        # "last December" and "next spring" lie up to a year away on their side.
        years |= {published.year - 1, published.year, published.year + 1}
    return NamedDates(frozenset(years), frozenset(days))


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _month(day: date, offset: int) -> date:
    """First day of the month so many months away."""
    months = 12 * day.year + day.month - 1 + offset
    return date(months // 12, months % 12 + 1, 1)


def _edges(text: str, pattern: str, month: date) -> set[int]:
    """The last and first day where the words speak of the end or start of that month."""
    last = calendar.monthrange(month.year, month.month)[1]
    named = rf"(?:{pattern})"
    days: set[int] = set()
    if _has(rf"{named}?月?[底末]|\b(?:end|close) of (?:the month|{pattern})", text):
        days.add(last)
    if _has(rf"{named}?月?初|\b(?:start|beginning) of (?:the month|{pattern})", text):
        days.add(1)
    return days


def _near(text: str, published: date) -> Iterator[date]:
    for pattern, offset in _DAYS.items():
        if _has(pattern, text):
            yield published + timedelta(days=offset)


def _counts(text: str) -> Iterator[tuple[int, str]]:
    """Each counted distance with its sign, such as -3 and `year` for `三年前`."""
    for match in _AGO.finditer(text):
        zh, zh_unit, zh_side, en, en_unit, en_side, ahead, en_ahead, unit_ahead = match.groups()
        number = value_of_word(zh or en or en_ahead)
        if number is None:
            continue
        unit = _UNITS[zh_unit] if zh_unit else (en_unit or unit_ahead).lower()
        later = bool(ahead) or (zh_side or en_side or "").lower().endswith(("后", "later", "now"))
        yield int(number) * (1 if later else -1), unit


def _counted_years(text: str, published: date) -> set[int]:
    years: set[int] = set()
    for count, unit in _counts(text):
        if unit == "year":
            years.add(published.year + count)
        elif unit == "month":
            years.add(_month(published, count).year)
    return years


def _counted_days(text: str, published: date) -> Iterator[date]:
    for count, unit in _counts(text):
        if unit in ("day", "week"):
            yield published + timedelta(days=count * (7 if unit == "week" else 1))


def _weekdays(text: str, published: date) -> Iterator[date]:
    """Days that a weekday can mean: of the named week in Chinese, up to two weeks on its side in English."""
    monday = published - timedelta(days=published.weekday())
    for match in _WEEKDAY_ZH.finditer(text):
        week, name = match.groups()
        numbers = (5, 6) if name == "末" else ("一二三四五六日".find(name.replace("天", "日")),)
        weeks = {"上": (-1,), "下": (1,), "本": (0,), "这": (0,)}.get(week or "", (-1, 0, 1))
        for offset in weeks:
            for number in numbers:
                yield monday + timedelta(days=7 * offset + number)
    for match in _WEEKDAY_EN.finditer(text):
        side, name = (match.group(1) or "").lower(), match.group(2).lower()
        numbers = (5, 6) if name == "weekend" else (_WEEKDAYS.index(name),)
        reach = {"last": range(-14, 0), "next": range(1, 15)}.get(side, range(-7, 8))
        for distance in reach:
            if (day := published + timedelta(days=distance)).weekday() in numbers:
                yield day
