"""The time of day in a stamp: 24-hour, a.m. and p.m., 晚上8点, 八点半, 下午 3:04.

An hour that its part of the day does not have (13 p.m., 凌晨15点) is no time, and the small hours of "last night"
are not guessed to one side of midnight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from schemas.item import Precision
from sources.calendar import ZH_DAY_PARTS, parse_zh_numeral
from sources.moments import Untold


@dataclass(frozen=True)
class Clock:
    """A time of day found in a text."""

    offset: timedelta
    """Since midnight; 24:00 is the next day."""
    precision: Precision
    """second or minute."""
    before: str
    """The text in front of it."""
    rest: str
    """The text behind it, where the zone stands."""


_PARTS = "|".join(sorted(ZH_DAY_PARTS, key=len, reverse=True))
_HALF = r"[ap]\.?\s?m\b\.?|[πμ]\.?\s?μ\.?(?!\w)|[صم](?!\w)"
"""a.m. and p.m., also as Greek (π.μ., μ.μ.) and Arabic (ص, م) pages write them."""
_UNCLEAR = ("夜间", "夜間", "夜", "午")
"""Parts of the day that behind a clock may be something else, as the button of a page's night mode."""
_HANZI = "[零〇一二两兩三四五六七八九十]"
_SPOKEN = rf"(?=\s*(?:$|[\s半钟鐘整,.;)，。]|[一三]刻|{_HANZI}{{1,3}}分))"
"""What follows an hour in Chinese numerals: 一点 is one o'clock, the publisher 一点资讯 is none."""
_LATE = (
    rf"(?:{_PARTS})(?=[)\]]?\s*(?:$|[^\w\s]|发布|發布|發佈|来源|來源|来自|來自|北京[时時][间間])|"
    rf"[)\]]?\s(?!\s|\d|{_HANZI}{{1,3}}[点點]))"
)
"""A part of the day behind its clock, as a word of its own: 下午茶 is none, and 晚上 9:30 is another time."""
_CLOCK = re.compile(
    rf"(?:(?P<part>{_PARTS})|(?<![A-Za-z])(?P<first>[ap]\.?m\b\.?))?\s*"
    rf"(?:(?<![\d+])(?P<hour>\d{{1,2}})\s*(?::\s*(?=\d)|[时時点點])|(?<!{_HANZI})(?P<spoken>{_HANZI}{{1,3}})[点點]{_SPOKEN})"
    rf"(?:\s*(?P<fraction>半|[一三]刻)|\s*(?P<minute>\d{{1,2}}|(?<=[时時点點]){_HANZI}{{1,3}}(?=分))(?:\s*分)?)?"
    rf"(?:(?:\s*:\s*|\s*(?=\d{{1,2}}\s*秒))(?P<second>\d{{1,2}})(?:[.,]\d+)?(?:\s*秒)?)?(?!\d)[钟鐘整]?"
    rf"(?:\s*(?P<last>{_HALF})|\s*[(\[]?(?P<late>{_LATE}))?",
    re.IGNORECASE,
)
_HOUR = re.compile(
    rf"(?<![\d.:])(?P<hour>\d{{1,2}})(?:\.(?P<minute>\d\d))?\s*(?P<last>{_HALF})", re.IGNORECASE
)
"""Hours that only a.m. or p.m. makes a time: 3 pm, 10.30am."""
_FRACTIONS = {"半": 30, "一刻": 15, "三刻": 45}
_MORNING = frozenset(part for part, add in ZH_DAY_PARTS.items() if add == 0)
_NIGHT = frozenset(
    {"晚上", "晚", "晚间", "晚間", "夜里", "夜裡", "夜间", "深夜", "半夜", "午夜", "夜"}
)
"""Parts of the day in which twelve o'clock is the midnight behind it."""


def read_clock(text: str, part: str = "") -> Clock | None:
    """The first time of day in a text without its date.

    `part` is the part of the day that the date's own word names, as 昨晚 does. ValueError for a time that does
    not exist, Untold for one that may lie on either side of midnight.
    """
    match = _CLOCK.search(text) or _HOUR.search(text)
    if match is None:
        return None
    found = match.groupdict()
    hour = int(found["hour"]) if found["hour"] else parse_zh_numeral(found["spoken"])
    fraction = found.get("fraction")
    minute = _FRACTIONS[fraction] if fraction else parse_zh_numeral(found.get("minute") or "0")
    second = int(found.get("second") or 0)
    halves = {_is_pm(half) for half in (found.get("first"), found["last"]) if half}
    if len(halves) == 2 or hour > 24 or minute > 59 or second > 60:
        raise ValueError("no such time")
    part = _part(found.get("part") or part, found.get("late") or "")
    if halves:
        hour = _of_half(hour, pm=halves.pop())
    elif part:
        hour = _of_part(hour, part, minute)
    if hour == 24 and (minute or second):
        raise ValueError("no such time")
    offset = timedelta(hours=hour, minutes=minute, seconds=min(second, 59))
    precision: Precision = "second" if found.get("second") else "minute"
    return Clock(offset, precision, text[: match.start()], text[match.end() :])


def _part(before: str, behind: str) -> str:
    """The part of the day that stands on either side of a clock."""
    if behind in _UNCLEAR and not before:
        raise Untold("a half of the day that cannot be told")
    if before and behind and ZH_DAY_PARTS[before] != ZH_DAY_PARTS[behind]:
        raise ValueError("no such time")
    return before or behind


def _is_pm(half: str) -> bool:
    return half.lower()[0] in "pμم"


def _of_half(hour: int, *, pm: bool) -> int:
    if hour > 12 or (pm and hour == 0):
        raise ValueError("no such time")
    return hour % 12 + (12 if pm else 0)


def _of_part(hour: int, part: str, minute: int) -> int:
    """The hour of the day that a part of the day makes of an hour."""
    if part in _MORNING:
        if hour > 12:
            raise ValueError("no such time")
        return hour % 12
    if part in _NIGHT:
        if hour < 5 or (hour == 12 and minute):
            raise Untold("the small hours of one day or of the next")
        if hour == 12:
            return 24
    if hour >= 12 or (ZH_DAY_PARTS[part] == 12 and part in _NOON and hour >= 10):
        return hour
    return hour + 12


_NOON = frozenset({"中午", "正午"})
"""Parts of the day that begin before twelve."""
