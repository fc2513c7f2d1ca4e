"""The time of day and the zone in a stamp: 24-hour, a.m. and p.m., 晚上8点, +0800, GMT+8, EST, 北京时间."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from schemas.item import Precision, TzSource
from sources.calendar import ZH_DAY_PARTS


@dataclass(frozen=True)
class Clock:
    """A time of day found in a text."""

    offset: timedelta
    """Since midnight; 24:00 is the next day."""
    precision: Precision
    """second or minute."""
    rest: str
    """The text behind it, where the zone stands."""


_PARTS = "|".join(sorted(ZH_DAY_PARTS, key=len, reverse=True))
_CLOCK = re.compile(
    rf"({_PARTS})?\s*(?<!\d)(\d{{1,2}})\s*(?::\s*(?=\d)|[时時点點])\s*(?:(半)|(\d{{1,2}})\s*分?)?"
    r"(?:\s*:?\s*(\d{1,2})(?:[.,]\d+)?\s*秒?)?(?!\d)\s*([ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_MIDNIGHT = {"凌晨": 0, "晚上": 24, "晚": 24, "夜里": 24, "深夜": 24, "晚间": 24}
"""Twelve o'clock in these parts of the day is a midnight, the one before or the one after it."""
_HOUR = re.compile(r"(?<!\d)(\d{1,2})\s*([ap]\.?m)\b", re.IGNORECASE)


def read_clock(text: str) -> Clock | None:
    """The first time of day in a text without its date; ValueError for one that does not exist."""
    match = _CLOCK.search(text)
    if match is None:
        match = _HOUR.search(text)
        if match is None:
            return None
        part, hour, minute, second, half = None, int(match[1]), 0, None, match[2]
    else:
        part, hour = match[1], int(match[2])
        minute = 30 if match[3] else int(match[4] or 0)
        second, half = match[5], match[6]
    if half:
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    elif part and hour < 12:
        add = ZH_DAY_PARTS[part]
        hour += add if not (part == "中午" and hour >= 10) else 0
    elif hour == 12 and part in _MIDNIGHT:
        hour = _MIDNIGHT[part]
    seconds = int(second or 0)
    if hour == 24 and part in _MIDNIGHT and minute:
        hour = 0  # 晚上12点半: of the following day as spoken, of this day as dated
    if hour > 24 or minute > 59 or seconds > 60 or (hour == 24 and (minute or seconds)):
        raise ValueError("no such time")
    offset = timedelta(hours=hour, minutes=minute, seconds=min(seconds, 59))
    return Clock(offset, "second" if second else "minute", text[match.end() :])


_OFFSETS = {
    "UTC": 0, "GMT": 0, "Z": 0, "UT": 0, "WET": 0, "BST": 60, "WEST": 60, "CET": 60, "MET": 60,
    "CEST": 120, "MEST": 120, "MESZ": 120, "EET": 120, "EEST": 180, "MSK": 180, "IST": 330,
    "HKT": 480, "SGT": 480, "AWST": 480, "BJT": 480, "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660,
    "NZST": 720, "NZDT": 780, "EST": -300, "EDT": -240, "CDT": -300, "MST": -420, "MDT": -360,
    "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600, "北京时间": 480, "北京時間": 480,
}  # fmt: skip
"""Minutes east of UTC. CST is absent: it is China's or America's by the publisher."""
_PLACES = {
    "ET": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "PT": "America/Los_Angeles",
    "AT": "America/Halifax",
}
"""Names of North American zones that hold all year, with and without daylight saving."""
_NUMERIC_ZONE = re.compile(
    r"(?:UTC|GMT)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?(?!\d|:)", re.IGNORECASE
)
_NAMED_ZONE = re.compile(r"(北京时间|北京時間)|(?<![A-Za-z])([A-Z]{1,4})(?![A-Za-z])")


def read_zone(rest: str, at: datetime, here: ZoneInfo) -> tuple[tzinfo, TzSource] | None:
    """The zone in the text behind a time: a number, a name that the source's zone uses, or a known name.

    CST is China's for a source at +08:00, else America's; it counts as assumed.
    """
    match = _NUMERIC_ZONE.match(rest.lstrip(" (["))
    if match is not None and int(match[2]) <= 14:
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes)), "explicit"
    for match in _NAMED_ZONE.finditer(rest):
        name = match[1] or match[2]
        if name == "CST":
            chinese = at.replace(tzinfo=here).utcoffset() == timedelta(hours=8)
            return timezone(timedelta(hours=8 if chinese else -6)), "assumed"
        if name == at.replace(tzinfo=here).tzname():
            return here, "explicit"
        if name in _PLACES:
            return ZoneInfo(_PLACES[name]), "explicit"
        if name in _OFFSETS:
            return timezone(timedelta(minutes=_OFFSETS[name])), "explicit"
    return None
