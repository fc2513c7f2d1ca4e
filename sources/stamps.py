"""Dates in a page's text with the clock and the zone that belong to them.

In the line of a date stand a byline, a source, a number of views. What belongs to it is told from the date on, word
by word: a link, a clock with its half of the day, a zone, as `sources.times` reads them; there it ends.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from sources.calendar import EN_MONTH_NUMBER, EN_WEEKDAY_NUMBER, ZH_WEEKDAY_NUMBER
from sources.clocks import read_clock
from sources.moments import Untold
from sources.written_zones import zone_before, zone_behind

_NUMBERS = (
    r"(?:(?:19|20)\d\d\s*[年\-/.]\s*\d{1,2}\s*[月\-/.]\s*\d{1,2}(?:\s*[日号號])?)|"
    r"(?:(?:中华民国|中華民國|民国|民國)\s*[\d〇零一二三四五六七八九十百元]{1,6}\s*年\s*[\d一二三四五六七八九十]{1,3}\s*月\s*"
    r"[\d一二三四五六七八九十]{1,3}\s*[日号號])|"
    r"(?:[〇○零一二三四五六七八九]{4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号號])"
)
_MONTH = rf"(?:{'|'.join(sorted(EN_MONTH_NUMBER, key=len, reverse=True))})\b\.?"
_WRITTEN = (
    rf"\b{_MONTH}\s{{0,2}}\d{{1,2}}(?:st|nd|rd|th)?,?\s{{1,2}}(?:19|20)\d\d(?!\d)|"
    rf"(?<![\w/.:])\d{{1,2}}(?:st|nd|rd|th)?[\s-](?:of\s)?{_MONTH},?[\s-](?:19|20)\d\d(?!\d)|"
    r"(?<![\w/.:-])\d{1,2}([/.-])\d{1,2}\1(?:19|20)\d\d(?!\d)"
)
_YEAR_FIRST = re.compile(_NUMBERS)
_ANY = re.compile(f"{_NUMBERS}|(?P<written>{_WRITTEN})".replace(r"\1", r"\2"), re.IGNORECASE)
_MOST = 12
"""Dates of a page that are looked at."""
_LONGEST = 90
"""Characters of a line that can be a stamp's."""
_NOT_PUBLISHED = re.compile(
    r"©|版权|版權|copyright|备案|ICP|更新(?:时间|于)|修改|截至|截止|\b(?:updated|modified|since|founded)\b|创刊|成立|今天是|现在是|生于|出生|报名|活动时间|有效期",
    re.IGNORECASE,
)
_IN_PROSE = re.compile(r"[a-z]{3}[.!?][\"'”’)]?\s*$")
_OF_ANOTHER_THING = re.compile(
    r"(?:\b(?:until|till|from|before|after|between|by|of|to|for|in|and|when|doors|begins|opens|tickets)\b|"
    r"\b(?!(?:published|posted|updated|created|uploaded|date)\b)[a-z]+\s+(?:on|at))[\s:,]*$",
    re.IGNORECASE,
)
"""What stands before a date in English that is in a sentence, or of an event."""
_NEXT_LINE = re.compile(r"\s*\n\s*(?=[^\d\n]{0,3}\d{1,2}[:：]\d\d)")
"""Behind a date in numbers whose clock has a line of its own."""
_WEEKDAY = (
    rf"(?:[(\[]?(?:{'|'.join(ZH_WEEKDAY_NUMBER)}|(?:{'|'.join(EN_WEEKDAY_NUMBER)})\b\.?)[)\]]?)"
)
_LINK = re.compile(rf"\.?\s?,?\s?{_WEEKDAY}?\s?(?:T(?=\d)|[,@–—|·•/-]|at\b|的)?\s?", re.IGNORECASE)
"""What stands between a date and the clock behind it."""
_PARTED = re.compile(r"\s?[|·•/]")
"""A link behind which bare figures may be a length: March 5, 2026 | 3:45."""
_LINK_BACK = re.compile(rf"\s?[,–—-]?\s?(?:on\s)?(?P<weekday>{_WEEKDAY})?\s?,?\s?", re.IGNORECASE)
"""What stands between a clock and the date behind it."""
_CLOCK = re.compile(
    r"[^\W\d_]{0,4}\s?(?:\d{1,2}\s?(?:[:时時点點]|(?:\.\d\d)?\s?[ap]\.?m)|[一二三四五六七八九十]{1,3}[点點])",
    re.IGNORECASE,
)
"""How a clock begins."""
_CLOCKS = re.compile(r"(?<![\w:.])\d{1,2}(?::\d\d|(?:\.\d\d)?\s?[ap]\.?\s?m\b)", re.IGNORECASE)
_SPAN = re.compile(r"\s?(?:[-–—~至到]|to\b)\s?\d{1,2}\s?(?:[:时時点點]|[ap]\.?m)", re.IGNORECASE)


@dataclass(frozen=True)
class Stamp:
    """A date in a page's text."""

    day: str
    """The date alone."""
    time: str | None
    """The date with its clock and zone; empty when it has no clock, none when its end is not understood."""


def stamps(words: str, *, written: bool) -> Iterator[Stamp]:
    """The first dates of a page's text that may be those of its publication, as they stand.

    Without `written` those alone that have their year first or are Chinese: others are more often of the story.
    """
    for count, match in enumerate((_ANY if written else _YEAR_FIRST).finditer(words)):
        if count == _MOST:
            return
        start = words.rfind("\n", 0, match.start()) + 1
        in_words = match.groupdict().get("written") is not None
        below = None if in_words else _NEXT_LINE.match(words, match.end())
        end = words.find("\n", below.end() if below else match.end())
        line = words[start : end if end >= 0 else len(words)]
        if len(line) > _LONGEST or _NOT_PUBLISHED.search(line) or re.search(r"[。！？]", line):
            continue
        before = line[: match.start() - start]
        if in_words and (_IN_PROSE.search(line) or _OF_ANOTHER_THING.search(before)):
            continue
        yield Stamp(match[0], shown_time(line, len(before), match.end() - start))


def shown_time(line: str, start: int, end: int) -> str | None:
    """The date at a place of a line with the clock and zone that belong to it.

    Empty when no clock stands beside it; none when there is one and what stands at its end is not understood.
    """
    day = _even(line[start:end])
    before, behind = _even(line[:start]), _even(line[end:])
    link = _LINK.match(behind)
    place = link.end() if link else 0
    zone = zone_behind(behind[place:])
    if zone and _CLOCK.match(behind[place + len(zone) :].lstrip()):
        place = len(behind) - len(behind[place + len(zone) :].lstrip())
    if not _CLOCK.match(behind, place):
        return _behind_clock(before, day)
    stop = _end_of_clock(behind, place)
    if not stop:
        return None if stop is None else ""
    return before[zone_before(before) :] + day + behind[:stop]


def _even(text: str) -> str:
    """Text in one width, with single blanks and one kind of minus."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).replace("\u2212", "-"))


def _end_of_clock(text: str, place: int) -> int | None:
    """Where the clock at a place and its zone end; 0 when it is none, none when its end is not understood."""
    try:
        clock = read_clock(text[place:])
    except (Untold, ValueError):
        return None
    if clock is None or clock.before.strip():
        return 0
    zone = zone_behind(clock.rest)
    if zone is None or _SPAN.match(clock.rest):
        return None
    end = len(text) - len(clock.rest) + len(zone)
    parted = _PARTED.match(text) and not re.search(r"[^\W\d_]", text[:end])
    return 0 if parted else end


def _behind_clock(before: str, day: str) -> str | None:
    """A date behind its clock: 8:30 PM EST, Thu March 5, 2026. A bare 3:45 is as often a length."""
    starts = [match.start() for match in _CLOCKS.finditer(before)]
    if not starts:
        return ""
    text = before[starts[-1] :]
    try:
        clock = read_clock(text)
    except (Untold, ValueError):
        return ""
    zone = zone_behind(clock.rest) if clock else None
    if clock is None or zone is None:
        return ""
    link = _LINK_BACK.fullmatch(clock.rest, len(zone))
    sure = link is not None and (link["weekday"] or re.search(r"[^\W\d]|,", text))
    return f"{text}{day}" if sure else ""
