"""What an attacker knows about the calendar: festivals as windows of days, and how far from its report a day lies.

The windows hold every day on which a movable feast can fall, so no table of years is needed. The densities say how often
a news report names its own day, the day before, its own month or another one. Those of weekdays, months and days are
shares counted in the published SocietyBench contexts (226 weekday words against the offset that this attack infers;
80 bare months of the Chinese edition and 1,394 written days, which moved with their reports), rounded and made even on
both sides where counts are small. Those of festivals, seasons and period ends are judgement: too few words to count.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

Window = tuple[tuple[int, int], tuple[int, int]]
"""First and last (month, day) of a year, both included."""

Rounding = Literal["first day", "middle"]
"""Which day of a month a rewriting moves."""


def _day(month: int, day: int) -> Window:
    return (month, day), (month, day)


FESTIVALS: dict[str, Window] = {
    r"\bchristmas\b|\bxmas\b|圣诞": _day(12, 25),
    r"\bnew year['’]s (?:day|eve)\b|元旦|跨年": ((12, 31), (1, 1)),
    r"\bapril fools?\b|\bapril fool['’]s\b|愚人节": _day(4, 1),
    r"\bhalloween\b|万圣": _day(10, 31),
    r"\bvalentine['’]?s\b|(?<!\w)情人节": _day(2, 14),
    r"\b(?:fourth|4th) of july\b|美国独立日": _day(7, 4),
    r"\bst\.? patrick['’]s day\b": _day(3, 17),
    r"\bjuneteenth\b": _day(6, 19),
    r"\binauguration day\b": _day(1, 20),
    r"\bthanksgiving\b|感恩节": ((11, 22), (11, 28)),
    r"\bblack friday\b|黑色星期五|\bcyber monday\b": ((11, 23), (12, 2)),
    r"\blabor day\b": ((9, 1), (9, 7)),
    r"\bmemorial day\b": ((5, 25), (5, 31)),
    r"\bmother['’]s day\b|母亲节": ((5, 8), (5, 14)),
    r"\bfather['’]s day\b|父亲节": ((6, 15), (6, 21)),
    r"\beaster\b|复活节": ((3, 22), (4, 25)),
    r"\bsuper bowl\b|超级碗": ((2, 1), (2, 14)),
    r"\b(?:chinese|lunar) new year\b|\bspring festival\b|春节|除夕|大年(?:初|三十)|春晚": (
        (1, 20),
        (2, 20),
    ),
    r"\blantern festival\b|元宵": ((2, 4), (3, 6)),
    r"\bqingming\b|\btomb[- ]sweeping\b|清明节": ((4, 4), (4, 6)),
    r"\bdragon boat\b|端午": ((5, 28), (6, 25)),
    r"七夕": ((7, 31), (8, 30)),
    r"\bmid-autumn\b|中秋": ((9, 7), (10, 8)),
    r"重阳": ((10, 1), (10, 31)),
    r"国庆(?:节|假期|长假|黄金周)|十一(?:假期|长假|黄金周)": ((10, 1), (10, 7)),
    r"五一(?:假期|长假|节|劳动节|黄金周)|劳动节|\bmay day\b": ((5, 1), (5, 5)),
    r"妇女节|三八节|\bwomen['’]s day\b": _day(3, 8),
    r"儿童节|六一节": _day(6, 1),
    r"教师节": _day(9, 10),
    r"双十一|双11|\bsingles['’]? day\b": _day(11, 11),
    r"双十二|双12": _day(12, 12),
    r"全国两会": ((3, 3), (3, 15)),
    r"高考|\bgaokao\b": ((6, 7), (6, 10)),
}
"""Words (case ignored) -> days on which the festival falls."""
FESTIVAL = {re.compile(words, re.IGNORECASE): window for words, window in FESTIVALS.items()}

SEASON: dict[re.Pattern[str], Window] = {
    re.compile(
        r"\b(?:[Tt]his|[Nn]ext|[Ll]ast|[Ll]ate|[Ee]arly|in|the|by|since) (?:the )?spring\b(?! (?:festival|water|roll|board))"
        r"|今春|春季|春天|入春|初春|暮春|(?<=\d\d年)春(?![节运晚])"
    ): ((3, 1), (5, 31)),
    re.compile(
        r"\b(?:[Tt]his|[Nn]ext|[Ll]ast|[Ll]ate|[Ee]arly|in|the|by|since) (?:the )?summer\b"
        r"|(?<=\d\d年)夏(?!令)|今夏|夏季|夏天|入夏|盛夏|初夏|暑假|暑期"
    ): ((6, 1), (8, 31)),
    re.compile(
        r"\b(?:[Tt]his|[Nn]ext|[Ll]ast|[Ll]ate|[Ee]arly|in|the|by|since) (?:the )?autumn\b"
        r"|\b(?:[Tt]his|[Ll]ast|[Nn]ext|[Ii]n the|[Ss]ince the|[Bb]y the) fall\b(?! (?:of|in|from|to|on|by|into)\b)"
        r"|(?<=\d\d年)秋(?![招收分])|今秋|秋季|秋天|入秋|深秋|初秋"
    ): ((9, 1), (11, 30)),
    re.compile(
        r"\b(?:[Tt]his|[Nn]ext|[Ll]ast|[Ll]ate|[Ee]arly|in|the|by|since) (?:the )?winter\b"
        r"|(?<=\d\d年)冬(?![奥至训])|今冬|冬季|冬天|入冬|寒冬|寒假"
    ): ((12, 1), (2, 28)),
}
"""Season words -> the season of the northern half of the earth."""

_WEEKDAY = {0: 0.39, -1: 0.19, 1: 0.08, -2: 0.11, 2: 0.10, -3: 0.07, 3: 0.06}
_MONTH = {0: 0.15, -1: 0.17, 1: 0.17, -2: 0.10, 2: 0.10, -3: 0.10, 3: 0.10}
_MONTH_FAR = (1 - sum(_MONTH.values())) / 5


def weekday_density(lag: int) -> float:
    """How often a report names the weekday `lag` days from its own; `lag` counts modulo 7."""
    return _WEEKDAY[(lag + 3) % 7 - 3]


def month_density(lag: int) -> float:
    """How often a report names the month `lag` months from its own; `lag` counts modulo 12."""
    return _MONTH.get((lag + 6) % 12 - 6, _MONTH_FAR)


def day_density(lag: int) -> float:
    """How often a report names the day `lag` days from its own; the sum over all lags is about 1."""
    far = abs(lag)
    if far == 0:
        return 0.30
    if far == 1:
        return 0.095
    if far <= 7:
        return 0.015
    if far <= 31:
        return 0.0037
    return 0.00022 if far <= 365 else 0.00001


def _distance(day: date, window: Window) -> tuple[int, int]:
    """Days from the nearest occurrence of the window (0 inside) and the window's length."""
    (first_month, first_day), (last_month, last_day) = window
    best, length = 366, 1
    for year in (day.year - 1, day.year, day.year + 1):
        first = date(year, first_month, first_day)
        wraps = (last_month, last_day) < (first_month, first_day)
        last = date(year + wraps, last_month, last_day)
        length = (last - first).days + 1
        best = min(best, max((first - day).days, (day - last).days, 0))
    return best, length


def festival_density(day: date, window: Window) -> float:
    """How often a report of this day names the festival, as a density over the year's days."""
    far, length = _distance(day, window)
    if far <= 3:
        return 0.5 / (length + 6)
    if far <= 10:
        return 0.25 / 14
    return 0.15 / 42 if far <= 31 else 0.1 / 300


def season_density(day: date, window: Window) -> float:
    """How often a report of this day names the season, as a density over the year's days."""
    far, length = _distance(day, window)
    if far == 0:
        return 0.7 / length
    return 0.15 / 60 if far <= 30 else 0.15 / 210


def beside_density(day: date, window: Window) -> float:
    """How often a written day stands beside the name of a festival and is its day."""
    far, length = _distance(day, window)
    return 0.8 / length if far == 0 else 0.1 / 6 if far <= 3 else 0.1 / 358


def period_end_density(day: date) -> float:
    """How often "the period ended on" names this day: ends of quarters, then of months."""
    if (day + timedelta(days=1)).day > 1:
        return 0.3 / 353
    return 0.5 / 4 if day.month % 3 == 0 else 0.2 / 8


def month_matches(month: int, near: date, offset: int, rounding: Rounding, seen: int) -> float:
    """How likely an edition shows the month numbered `seen` where the raw text has `month`, moved by `offset`.

    A month has no exact place after a shift: rewriting by rules moves its first day or its middle. A tenth is
    left to mistakes.
    """
    day = date(near.year, month, 1 if rounding == "first day" else 15) + timedelta(days=offset)
    return 0.9 if day.month == seen else 0.1 / 11
