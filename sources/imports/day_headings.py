"""Which day a heading of a timeline names: one clear day, a date that is not one, or no date at all.

A heading that is wholly one date in a common writing is that day; one that holds a date in any other way gives the
reason why it is not taken, so that no text is put under a day that nobody wrote. Only years 1900 to 2099 are days.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from sources.calendar import (
    EN_MONTH_NUMBER,
    EN_WEEKDAY_NUMBER,
    EN_WEEKDAYS,
    ZH_WEEKDAY_NUMBER,
    parse_zh_numeral,
)

FIRST_YEAR, LAST_YEAR = 1900, 2099
_LONGEST = 200
"""Characters of a heading in which a date is looked for."""
_HEADING = re.compile(r"^(#{1,6})(\s*)(.*)$")
_MONTH = "|".join(sorted(EN_MONTH_NUMBER, key=lambda name: -len(name)))
_ZH = "[0-9〇零○一二两三四五六七八九十廿卅]"
_ISO = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
)
_CHINESE = re.compile(
    rf"(?P<year>{_ZH}{{4}}) ?年 ?(?P<month>{_ZH}{{1,3}}) ?月 ?(?P<day>{_ZH}{{1,3}}) ?[日号號]"
)
_DAY_FIRST = re.compile(
    rf"(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\.?,? (?P<year>[0-9]{{4}})",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"(?P<month>{_MONTH})\.? (?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,? (?P<year>[0-9]{{4}})",
    re.IGNORECASE,
)
_WRITINGS = (_ISO, _CHINESE, _DAY_FIRST, _MONTH_FIRST)
_WEEKDAYS = {**EN_WEEKDAY_NUMBER, **ZH_WEEKDAY_NUMBER}
_WEEKDAY = "|".join(sorted(_WEEKDAYS, key=lambda name: -len(name)))
_AFTER = re.compile(rf" ?\((?P<in>{_WEEKDAY})\.?\)|[, ] ?(?P<bare>{_WEEKDAY})", re.IGNORECASE)
_BEFORE = re.compile(rf"(?P<bare>{_WEEKDAY})\.?,? ", re.IGNORECASE)
_NUMBERS_ONLY = re.compile(r"[0-9]{1,2}([-/.])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})")
_NAMED = "|".join(name.capitalize() for name in _MONTH.split("|"))
_HOLDS_DAY = re.compile(
    r"(?<![0-9])(?:[0-9]{4} ?[-/.] ?[0-9]{1,2} ?[-/.] ?[0-9]{1,2}|[0-9]{1,2}([-/])[0-9]{1,2}\1[0-9]{2,4}|"
    r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}|(?:19|20)[0-9]{6})(?![0-9])|"
    rf"{_ZH}+ ?月 ?{_ZH}+ ?[日号號]|"
    rf"(?<![0-9])[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_NAMED})\b|\b(?:{_NAMED})\.? [0-9]{{1,2}}(?![0-9])"
)
_HOLDS_MONTH = re.compile(
    r"(?<![0-9])(?:19|20)[0-9]{2} ?[-/.] ?[0-9]{1,2}(?![0-9])|"
    rf"{_ZH}{{4}} ?年 ?{_ZH}+ ?月|\b(?:{_NAMED})\.?,? (?:19|20)[0-9]{{2}}\b"
)


@dataclass(frozen=True)
class Heading:
    """A heading line and what it says of a day; `day` and `why_not` are never both set."""

    level: int
    """Number of # signs; 0 for a date that stands alone without them."""
    words: str
    day: date | None = None
    why_not: str = ""
    """Why a heading that holds a date names no clear day; empty when it holds none."""
    whole_month: bool = False
    """It names a month and no day, as headings over several days do."""


def read_heading(line: str) -> Heading | None:
    """The heading that a line is; None when it is none.

    A heading of level two to four names a day; one of another level is never one, whatever it says. A line in bold
    that is wholly a date is a heading that somebody wrote without its signs.
    """
    found = _HEADING.match(line)
    if found is None:
        bold = re.fullmatch(r"(\*\*|__)([^*_]{6,40})\1:?", line)
        if bold is None or not isinstance(read_day(bold[2]), date):
            return None
        return Heading(0, bold[2], why_not="is in bold and has no ### before it")
    level, words = len(found[1]), found[3]
    read = read_day(words)
    if level == 1 and words and not found[2] and read == "":
        return None  # a hashtag at the start of a line
    if isinstance(read, date):
        if 2 <= level <= 4:
            return Heading(level, words, day=read)
        return Heading(level, words, why_not="has not two to four # signs")
    month = not _HOLDS_DAY.search(_plain(words[:_LONGEST]))
    return Heading(level, words, why_not=read, whole_month=bool(read) and month)


def read_day(text: str) -> date | str:
    """The day that a text wholly is, else why it is none: a clause about the text; empty when it holds no date."""
    if len(text) > _LONGEST:  # no day is that long, and the patterns take time
        return "is not one clear day with its year" if _HOLDS_DAY.search(text[:_LONGEST]) else ""
    words = _plain(text)
    before = _BEFORE.match(words)
    start = before.end() if before is not None else 0
    for writing in _WRITINGS:
        found = writing.match(words, start)
        if found is None:
            continue
        after = _AFTER.fullmatch(words, found.end())
        if found.end() != len(words) and after is None:
            continue
        weekdays = [
            name.lower()
            for match in (before, after)
            if match is not None
            for name in match.groupdict().values()
            if name
        ]
        return _checked(found, [_WEEKDAYS[name] for name in weekdays])
    if _NUMBERS_ONLY.fullmatch(words):
        return "can be read as more than one day"
    if _HOLDS_DAY.search(words):
        return "is not one clear day with its year"
    return "names no day" if _HOLDS_MONTH.search(words) else ""


def _plain(text: str) -> str:
    """One width, one kind of blank, without closing # signs, emphasis and a colon at the end."""
    words = " ".join(unicodedata.normalize("NFKC", text).split())
    words = re.sub(r"\s#+$", "", words)
    return re.sub(r"[*_\s:]+$", "", re.sub(r"^[*_\s]+", "", words))


def _checked(found: re.Match[str], weekdays: list[int]) -> date | str:
    month = found["month"].lower()
    try:
        year = parse_zh_numeral(found["year"])
        day = date(
            year,
            EN_MONTH_NUMBER.get(month) or parse_zh_numeral(month),
            parse_zh_numeral(found["day"]),
        )
    except (ValueError, OverflowError):
        return "is no day of the calendar"
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return f"lies outside the years {FIRST_YEAR} to {LAST_YEAR}"
    if any(number != day.weekday() for number in weekdays):
        return f"names another weekday than that day's, which is {EN_WEEKDAYS[day.weekday()].capitalize()}"
    return day
