"""Times of day in running text, in both languages: `7 p.m.`, `19:00`, `seven in the evening`, `晚上七点`, `19时`.

A time is compared as a time, not by the digits it is written with. A time that does not say which half of the
day it means (`7点`, `7:00`) can be read both ways.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from factory.dedup.figures import value_of_word

NOON, DAY = 720, 1440
_HOURS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_SPOKEN_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}

# re.ASCII, because Chinese characters are letters to a Unicode `\b`.
_START = r"(?<![\dA-Za-z.,:])"
_HOUR = rf"{_START}(?P<hour>\d{{1,2}}|{'|'.join(_HOURS)})"
_MINUTE = r"(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])"
_MERIDIEM = r"\s?(?P<half>[ap])\.?\s?m(?![A-Za-z])\.?"
_PART = (
    r"\s(?:in\sthe\s(?P<part>morning|afternoon|evening)|at\s(?P<night>night)"
    r"|(?P<that>this|that|tomorrow|yesterday)\s(?P<later>morning|afternoon|evening|night))\b"
)
_PERIOD = r"(?P<period>凌晨|清晨|早晨|早上|上午|中午|正午|午间|下午|午后|傍晚|黄昏|晚上|晚间|深夜|夜里|夜间|半夜|午夜|[早晚夜])"
_NUMERAL = r"[零〇一二两三四五六七八九十]{1,3}"
_HOUR_ZH = rf"(?<![\d.,:第])(?P<hour>\d{{1,2}}|(?<![零〇一二两三四五六七八九十百千万]){_NUMERAL})"
_COUNTED = r"(?!\d|[人名位个家辆艘万亿千百年月日多余米元票])"

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        # half past seven, quarter to eight p.m., ten past nine, 10 minutes to eight; "five to nine p.m." is a range
        rf"{_START}(?P<spoken>half|quarter|(?:twenty-five|twenty|five|ten|\d{{1,2}})(?=\sminutes|\spast))(?:\sminutes)?"
        rf"\s(?P<side>past|after|to|before)\s(?P<hour>\d{{1,2}}|{'|'.join(_HOURS)})\b(?:{_MERIDIEM}|{_PART}|\so'clock)?",
        # the first half of "7 to 9 p.m."; the second half is found as a time of its own
        rf"{_HOUR}(?:[:.]{_MINUTE})?\s?(?:-|–|—|to|and|until|till)\s?"
        rf"(?=(?:\d{{1,2}}|{'|'.join(_HOURS)})(?:[:.]\d\d)?\s?[ap]\.?\s?m(?![A-Za-z]))",
        rf"{_HOUR}(?:[:.]{_MINUTE})?{_MERIDIEM}",
        rf"{_HOUR}(?::{_MINUTE})?\s?o['’]clock(?:{_PART})?",
        rf"{_HOUR}(?::{_MINUTE})?{_PART}",
        rf"{_START}(?P<hour>[01]\d|2[0-4])(?P<minute>[0-5]\d)\s?(?:hours|hrs|h)\b",
        # the first half of 晚上7至9点
        rf"{_PERIOD}?\s?{_HOUR_ZH}\s?[至到~—-]\s?(?=(?:\d{{1,2}}|{_NUMERAL})[点时])",
        rf"{_PERIOD}?\s?(?:差(?P<before>\d{{1,2}}|{_NUMERAL})(?P<quarters>分|刻)钟?)?"
        rf"{_HOUR_ZH}\s?(?P<mark>点钟?|时)"
        rf"(?P<exact>整|半|[一三]刻|[过零〇]?(?:\d{{1,2}}|{_NUMERAL})(?:分|{_COUNTED}))?",
        rf"{_PERIOD}?\s?{_START}(?P<hour>\d{{1,2}}):{_MINUTE}",
        r"\b(?P<noon>noon|midday)\b|\b(?P<midnight>midnight)\b|(?P<noon_zh>正午|中午)|(?P<midnight_zh>午夜|子夜)",
    )
)
_POINTS = re.compile(
    r"(?:要求|意见|建议|原因|理由|声明|看法|希望|内容|共识|主张|诉求|计划|措施|倡议|方案|说明)"
)


@dataclass(frozen=True)
class ClockTime:
    """A time of day as a text states it."""

    text: str
    """Its words."""
    readings: frozenset[int]
    """Minutes since midnight; two when the half of the day is left open."""
    numbers: frozenset[float]
    """The same by number: 22 for `22:00`, 19 for `7 p.m.`, 7 and 30 for `7:30`. They may stand in no clock form."""

    @property
    def in_digits(self) -> bool:
        """Whether it is written with digits, at least in part."""
        return any(char.isdigit() for char in self.text)


def clock_times(text: str) -> tuple[list[ClockTime], str]:
    """The times of day of a text, and the text without them."""
    text = unicodedata.normalize("NFKC", text)
    found: list[ClockTime] = []

    def take(match: re.Match[str]) -> str:
        time = _read(match)
        if time is None:
            return match.group()
        found.append(time)
        return " "

    for pattern in _PATTERNS:
        text = pattern.sub(take, text)
    return found, text


def _read(match: re.Match[str]) -> ClockTime | None:
    groups = {name: value for name, value in match.groupdict().items() if value}
    if "hour" not in groups:
        noon = "noon" in groups or "noon_zh" in groups
        return ClockTime(match.group(), frozenset({NOON if noon else 0}), frozenset())
    if "mark" in groups and _is_idiom(match, groups):
        return None
    hour, shift = int(value_of_word(groups["hour"])), _minutes(groups)
    if hour > 24 or (hour == 24 and shift) or not -60 < shift < 60:
        return None
    hours = _hours(hour, groups)
    settled = "half" in groups or "period" in groups
    numbers = {float(min(hours) if settled else hour)} | ({float(abs(shift))} if shift else set())
    readings = frozenset((60 * value + shift) % DAY for value in hours)
    return ClockTime(match.group().strip(), readings, frozenset(numbers))


def _is_idiom(match: re.Match[str], groups: dict[str, str]) -> bool:
    """`提出三点要求` lists points, `一点` and `一时` are a little and a while."""
    if groups["mark"] == "点钟" or groups.keys() & {"period", "exact", "before"}:
        return False
    return groups["hour"] == "一" or bool(_POINTS.match(match.string, match.end()))


def _hours(hour: int, groups: dict[str, str]) -> set[int]:
    """Hours of the day that are meant."""
    if hour == 0 or hour > 12:
        return {hour % 24}
    half, period = groups.get("half", "").lower(), groups.get("period", "")
    part = (groups.get("part") or groups.get("night") or groups.get("later") or "").lower()
    if half == "a" or period == "凌晨":
        return {hour % 12}
    if part == "morning" or period in ("清晨", "早晨", "早上", "上午", "早"):
        return {hour}
    if (
        half == "p"
        or part in ("afternoon", "evening")
        or period in ("下午", "午后", "傍晚", "黄昏")
    ):
        return {hour % 12 + 12}
    if period in ("中午", "正午", "午间"):
        return {hour if hour >= 10 else hour + 12}
    if part or period:
        # The night ends in the morning: 夜里两点 is 02:00, 晚上十二点 is midnight.
        return {hour + 12 if 5 <= hour < 12 else hour % 12}
    return {hour, (hour + 12) % 24}


def _minutes(groups: dict[str, str]) -> int:
    """Minutes after the hour; negative before it."""
    if "spoken" in groups:
        spoken = groups["spoken"].lower()
        value = _SPOKEN_MINUTES[spoken] if spoken in _SPOKEN_MINUTES else int(spoken)
        return value if groups["side"].lower() in ("past", "after") else -value
    if "before" in groups:
        return -int(value_of_word(groups["before"])) * (15 if groups["quarters"] == "刻" else 1)
    exact = groups.get("exact", "").removesuffix("分")
    if exact in ("整", "半", "一刻", "三刻"):
        return {"整": 0, "半": 30, "一刻": 15, "三刻": 45}[exact]
    return (
        int(value_of_word(exact.lstrip("过零〇") or "0"))
        if exact
        else int(groups.get("minute", "0"))
    )
