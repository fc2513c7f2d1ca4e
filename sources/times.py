"""Publication times as sources write them, read against the moment of fetching and the source's zone.

Never the machine's clock or zone: "3小时前" is counted back from `fetched_at`, a time without a zone is
assumed in the source's zone and says so. A time known only to the day is held as noon of that day in the
source's zone, so that no other zone's calendar moves it. What cannot be told is not guessed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from schemas.item import Precision, TzSource
from sources.calendar import (
    EN_MONTH_NUMBER,
    EN_RELATIVE_DAYS,
    EN_WEEKDAY_NUMBER,
    ROC_ERA_NAMES,
    ROC_OFFSET,
    ZH_NUMERAL,
    ZH_RELATIVE_DAYS,
    ZH_WEEKDAY_DIGITS,
    ZH_WEEKDAY_PREFIXES,
    parse_zh_numeral,
)
from sources.clocks import read_clock, read_zone

_NUMBERS = (int, float)
_SHORTEST_YEAR = 1900
_LAST_YEAR = 2100


class Moment(NamedTuple):
    """A time as far as it is known."""

    at: datetime | None = None
    """UTC; none when nothing is known."""
    precision: Precision = "none"
    """second, minute, day, month or none."""
    tz_source: TzSource = "none"
    """explicit when the zone was written, assumed when it was the source's, relative when counted back."""
    confidence: float = 0.0
    """0 to 1."""
    note: str = ""
    """Why nothing, or why less, is known."""


def day_of(moment: Moment, zone: str) -> date | None:
    """Calendar day of a moment in a zone; none when it is not known to the day."""
    if moment.at is None or moment.precision in ("month", "none"):
        return None
    return moment.at.astimezone(ZoneInfo(zone)).date()


def read_time(raw: object, *, fetched_at: datetime, zone: str) -> Moment:
    """Read one publication time.

    `raw` is text, an epoch (s, ms or us as a number or digits) or none; `fetched_at` is aware; `zone` is the
    source's IANA zone. Raises ValueError when `fetched_at` is naive; never for the content of `raw`.
    """
    if fetched_at.tzinfo is None:
        raise ValueError("fetched_at needs a time zone")
    if raw is None or isinstance(raw, bool):
        return Moment(note="no date")
    if isinstance(raw, _NUMBERS):
        return _not_future(_epoch(raw), fetched_at)
    here = ZoneInfo(zone)
    text = unicodedata.normalize("NFKC", str(raw)[:200]).strip()
    text = text.replace("\u2212", "-").replace("元月", "一月")
    if not text:
        return Moment(note="no date")
    try:
        moment = (
            _digits(text, here)
            or _relative(text, fetched_at.astimezone(here))
            or _absolute(text, fetched_at.astimezone(here), here)
        )
    except (ValueError, OverflowError):
        return Moment(note="no such date")
    return _not_future(moment or Moment(note="not a date"), fetched_at)


def read_instant(raw: object, *, fetched_at: datetime, zone: str) -> datetime | None:
    """`read_time(...).at`, for which a number is not made a moment: of a fetch nothing else is asked."""
    if type(raw) is not int:
        return read_time(raw, fetched_at=fetched_at, zone=zone).at
    at = _instant(raw)
    return None if at is None or (at > fetched_at and _is_later(at, fetched_at)) else at


_DAY = timedelta(days=1)


def _is_later(at: datetime, fetched_at: datetime) -> bool:
    """Whether a time lies behind its fetch by more than clocks and zones may differ."""
    return at > fetched_at + _DAY


def _not_future(moment: Moment, fetched_at: datetime) -> Moment:
    at = moment.at
    if at is not None and at > fetched_at and _is_later(at, fetched_at):
        return Moment(note="later than its fetch")
    return moment


# -- numbers ------------------------------------------------------------------------------------


def _epoch(value: float) -> Moment:
    at = _instant(value)
    return Moment(note="not a date") if at is None else Moment(at, "second", "explicit", 0.95)


def _instant(value: float) -> datetime | None:
    """The UTC instant of an epoch in seconds, milliseconds or microseconds; none when it is something else."""
    if value < 100_000_000_000:
        seconds = value
    elif value < 100_000_000_000_000:
        seconds = value / 1_000
    elif value < 100_000_000_000_000_000:
        seconds = value / 1_000_000
    else:  # or no number at all
        return None
    # 1975 .. 2100: anything else is an id or a count
    return datetime.fromtimestamp(seconds, UTC) if 157_766_400 <= seconds <= 4_102_444_800 else None


def _digits(text: str, here: ZoneInfo) -> Moment | None:
    if re.fullmatch(r"\d+(?:\.\d+)?[eE][+-]?\d+", text):
        return Moment(note="a rounded number has lost its digits")
    if re.fullmatch(r"\d{9,11}(?:\.\d+)?|\d{13}|\d{16}", text):
        return _epoch(float(text) if "." in text else int(text))
    match = re.fullmatch(r"((?:19|20)\d\d)(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?)?(Z?)", text)
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups()[:3])
    zone: tzinfo = UTC if match[7] else here
    source: TzSource = "explicit" if match[7] else "assumed"
    if match[4] is None:
        return _day(date(year, month, day), here, 0.8)
    at = datetime(year, month, day, int(match[4]), int(match[5]), int(match[6] or 0), tzinfo=zone)
    return Moment(at.astimezone(UTC), "second" if match[6] else "minute", source, 0.85)


def _day(day: date, here: tzinfo, confidence: float, source: TzSource = "assumed") -> Moment:
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=here)
    return Moment(noon.astimezone(UTC), "day", source, confidence)


# -- relative to the fetch -------------------------------------------------------------------------

_ZH_AGO = re.compile(
    rf"([0-9{ZH_NUMERAL}]+|半|几)\s*(个半|個半)?\s*"
    r"(秒钟|秒鐘|秒|分钟|分鐘|分|小时|小時|个小时|個小時|个钟头|天|日|周|週|星期|个星期|个月|個月|月|年)\s*(?:以前|之前|前)"
)
_EN_AGO = re.compile(
    r"\b(\d+|an?|one|two|three|few)\s*"
    r"(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|months?|mo|years?|yrs?|y)\s+ago\b",
    re.IGNORECASE,
)
_EN_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}
_ZH_WEEKDAY = re.compile(
    rf"(上上|上|本|这|這|下)?(?:个|個)?(?:{'|'.join(ZH_WEEKDAY_PREFIXES)})([{''.join(ZH_WEEKDAY_DIGITS)}])"
)
_FULL_DATE = re.compile(
    r"\d{1,4}\s*[-/.年]\s*\d|\d\s*月|\b(?:19|20)\d\d\b|[〇零一二三四五六七八九十]+月|"
    rf"\b(?:{'|'.join(sorted(EN_MONTH_NUMBER, key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def _unit(word: str) -> str:
    if word.startswith("秒") or word in {"s"} or word.startswith("sec"):
        return "second"
    if word.startswith("分") or word == "m" or word.startswith("min"):
        return "minute"
    if "小" in word or "钟头" in word or word == "h" or word.startswith(("hour", "hr")):
        return "hour"
    if word in {"天", "日", "d"} or word.startswith("day"):
        return "day"
    if word.endswith(("周", "週", "星期")) or word == "w" or word.startswith("week"):
        return "week"
    if word.endswith("月") or word == "mo" or word.startswith("month"):
        return "month"
    return "year"


def _relative(text: str, now: datetime) -> Moment | None:
    lower = text.lower()
    if re.match(r"(?:(?:发布|发表|编辑|更新)于\s*)?(?:刚刚|剛剛|刚才|方才)", text) or lower in {
        "just now",
        "now",
    }:
        return Moment(now.astimezone(UTC), "minute", "relative", 0.8)
    match = _ZH_AGO.search(text) or _EN_AGO.search(text)
    if match is not None:
        return _ago(match, now)
    if _FULL_DATE.search(text):
        return None
    for words in (ZH_RELATIVE_DAYS, EN_RELATIVE_DAYS):
        for word in sorted(words, key=len, reverse=True):
            if word in lower:
                day = (now + timedelta(days=words[word])).date()
                rest = ("晚上" if word.endswith("晚") else "") + lower.replace(word, " ", 1)
                return _relative_day(day, rest, now)
    match = _ZH_WEEKDAY.search(text)
    if match is not None:
        weekday = ZH_WEEKDAY_DIGITS[match[2]]
        monday = now.date() - timedelta(days=now.weekday())
        weeks = {"上上": -2, "上": -1, "下": 1}.get(match[1] or "", 0)
        day = monday + timedelta(days=weekday, weeks=weeks)
        if match[1] is None and day > now.date():
            day -= timedelta(days=7)
        return _relative_day(day, text.replace(match[0], " ", 1), now)
    match = re.search(rf"\b(last |this )?({'|'.join(EN_WEEKDAY_NUMBER)})\b", lower)
    if match is not None:
        back = (now.weekday() - EN_WEEKDAY_NUMBER[match[2]]) % 7
        if match[1] == "last " and back == 0:
            back = 7
        return _relative_day(
            now.date() - timedelta(days=back), lower.replace(match[0], " ", 1), now
        )
    return None


def _ago(match: re.Match[str], now: datetime) -> Moment:
    groups = match.groups()
    count_word, unit = groups[0].lower(), _unit(groups[-1].lower())
    if count_word in {"几", "few"}:
        return Moment(note="an uncounted time ago")
    if count_word == "半":
        count = 0.5
    elif count_word in _EN_WORDS:
        count = _EN_WORDS[count_word]
    else:
        count = parse_zh_numeral(count_word)
    if len(groups) == 3 and groups[1]:
        count += 0.5
    if unit in {"second", "minute", "hour"}:
        at = now - timedelta(**{unit + "s": count})
        return Moment(at.astimezone(UTC), "minute", "relative", 0.75 if unit == "hour" else 0.85)
    if unit == "day":
        return _day((now - timedelta(days=count)).date(), now.tzinfo or UTC, 0.7, "relative")
    if unit == "month" and count < 1:
        unit, count = "week", 2
    if unit in {"week", "month"}:  # "two weeks ago" says no day
        if unit == "week":
            back = now.date() - timedelta(weeks=count)
            year, month = back.year, back.month
        else:
            year, month = divmod(now.year * 12 + now.month - 1 - int(count), 12)
            month += 1
        noon = datetime(year, month, 1, 12, tzinfo=now.tzinfo)
        return Moment(noon.astimezone(UTC), "month", "relative", 0.4)
    return Moment(note="known only to the year")


def _relative_day(day: date, rest: str, now: datetime) -> Moment:
    clock = read_clock(rest)
    if clock is None:
        return _day(day, now.tzinfo or UTC, 0.75, "relative")
    at = datetime(day.year, day.month, day.day, tzinfo=now.tzinfo) + clock.offset
    return Moment(at.astimezone(UTC), clock.precision, "relative", 0.85)


# -- absolute --------------------------------------------------------------------------------------

_MONTHS = "|".join(sorted(EN_MONTH_NUMBER, key=len, reverse=True))
_ERA = "|".join(ROC_ERA_NAMES)
_N = f"[0-9{ZH_NUMERAL}]"
_ROC_DATE = re.compile(rf"(?:{_ERA})\s*({_N}+|元)\s*年\s*({_N}+)\s*月\s*(?:({_N}+)\s*[日号號])?")
_ZH_DATE = re.compile(
    rf"(?<!\d)(?:([0-9]{{2,4}}|[〇○零一二三四五六七八九]{{4}})\s*年\s*)({_N}{{1,3}})\s*月(?:份)?\s*(?:({_N}{{1,3}})\s*[日号號]?)?"
)
_ZH_SHORT = re.compile(rf"({_N}{{1,3}})\s*月\s*({_N}{{1,3}})\s*[日号號]?")
_YMD = re.compile(r"(?<!\d)((?:19|20)\d\d)\s*([-/._])\s*(\d{1,2})\s*\2\s*(\d{1,2})(?!\d)")
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)")
_EN_WEEKDAY = re.compile(rf"\b(?:{'|'.join(EN_WEEKDAY_NUMBER)})\b", re.IGNORECASE)
_EN_DMY = re.compile(
    rf"(?<![\d:])(\d{{1,2}})(?:st|nd|rd|th)?[\s\-.,]*(?:of\s+)?({_MONTHS})\b\.?[\s\-,.]*(\d{{4}}|\d{{2}}(?!:|\d))?",
    re.IGNORECASE,
)
_EN_MDY = re.compile(
    rf"\b({_MONTHS})\b\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:\s*,?\s*(\d{{4}})\b)?",
    re.IGNORECASE,
)
_EN_MY = re.compile(rf"(?<!\d )\b({_MONTHS})\b\.?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_YM = re.compile(r"^((?:19|20)\d\d)[-/.](\d{1,2})$")
_MD = re.compile(r"^\D{0,8}?(\d{1,2})[-/](\d{1,2})(?![\d/-])")


@dataclass(frozen=True)
class _Found:
    day: date
    precision: Precision
    inferred: bool
    start: int
    end: int


def _year(text: str, now: datetime) -> int:
    value = parse_zh_numeral(text)
    if len(text) == 3:  # 115年 without its era, as Taiwan's papers write it
        value += ROC_OFFSET
    if len(text) == 2:
        value += 2000 if value <= now.year % 100 + 1 else 1900
    if not _SHORTEST_YEAR <= value <= _LAST_YEAR:
        raise ValueError("implausible year")
    return value


def _latest(month: int, day: int, now: datetime, weekday: int | None = None) -> date:
    """The latest such day that is not after tomorrow: a date without a year is in the past.

    A weekday that is written beside it has to fit.
    """
    for year in range(now.year, now.year - 9, -1):
        try:
            found = date(year, month, day)
        except ValueError:  # 29 February outside a leap year
            continue
        fits = weekday is None or found.weekday() == weekday
        if fits and found <= now.date() + timedelta(days=1):
            return found
    raise ValueError("no such day")


def _find_date(text: str, now: datetime) -> _Found | None:
    if match := _ROC_DATE.search(text):
        year = ROC_OFFSET + (1 if match[1] == "元" else parse_zh_numeral(match[1]))
        return _ymd(match, year, match[2], match[3])
    if match := _ZH_DATE.search(text):
        return _ymd(match, _year(match[1], now), match[2], match[3])
    if match := _YMD.search(text):
        return _ymd(match, int(match[1]), match[3], match[4])
    if match := _NUMERIC.search(text):
        return _Found(_numeric(match[1], match[3], match[4], now), "day", False, *match.span())
    if (match := _EN_DMY.search(text)) and int(match[1]) <= 31:
        return _named(match, match[2], match[1], match[3], text, now)
    if match := _EN_MDY.search(text):
        return _named(match, match[1], match[2], match[3], text, now)
    if match := _EN_MY.search(text):
        first = date(int(match[2]), EN_MONTH_NUMBER[match[1].lower()], 1)
        return _Found(first, "month", False, *match.span())
    if match := _YM.search(text):
        return _Found(date(int(match[1]), int(match[2]), 1), "month", False, *match.span())
    if match := _ZH_SHORT.search(text):
        latest = _latest(parse_zh_numeral(match[1]), parse_zh_numeral(match[2]), now)
        return _Found(latest, "day", True, *match.span())
    if match := _MD.search(text):
        return _Found(_latest(int(match[1]), int(match[2]), now), "day", True, *match.span())
    return None


def _numeric(left: str, middle: str, right: str, now: datetime) -> date:
    """The one day that 25/12/2025, 12/25/25 or 99-12-25 can be; raises "ambiguous" when there are several."""
    orders = [(right, middle, left), (right, left, middle)]
    if len(left) == 2 and len(right) == 2:
        orders.append((left, middle, right))
    days = set()
    for year, month, day in orders:
        try:
            days.add(date(_year(year, now), int(month), int(day)))
        except ValueError:  # this order gives no day
            continue
    days = {day for day in days if day <= now.date() + timedelta(days=1)} or days
    if len(days) > 1:
        raise ValueError("ambiguous")
    if not days:
        raise ValueError("no such day")
    return days.pop()


def _ymd(match: re.Match[str], year: int, month: str, day: str | None) -> _Found:
    number = parse_zh_numeral(month)
    if day is None:
        return _Found(date(year, number, 1), "month", False, *match.span())
    return _Found(date(year, number, parse_zh_numeral(day)), "day", False, *match.span())


def _named(
    match: re.Match[str], month: str, day: str, year: str | None, text: str, now: datetime
) -> _Found:
    number = EN_MONTH_NUMBER[month.lower()]
    if year is None:  # asctime and Weibo put the year last: Thu Mar 05 08:30:00 +0800 2026
        tail = re.search(r"(?<![\d+:-])((?:19|20)\d\d)\s*$", text[match.end() :])
        if tail is None:
            named = _EN_WEEKDAY.search(text)
            weekday = EN_WEEKDAY_NUMBER[named[0].lower()] if named else None
            latest = _latest(number, int(day), now, weekday)
            return _Found(latest, "day", True, *match.span())
        return _Found(date(int(tail[1]), number, int(day)), "day", False, *match.span())
    return _Found(date(_year(year, now), number, int(day)), "day", False, *match.span())


def _absolute(text: str, now: datetime, here: ZoneInfo) -> Moment | None:
    try:
        found = _find_date(text, now)
    except ValueError as error:
        if str(error) == "ambiguous":
            return Moment(note="day and month cannot be told apart")
        raise
    if found is None:
        return None
    if found.precision == "month":
        noon = datetime(found.day.year, found.day.month, 1, 12, tzinfo=here)
        return Moment(noon.astimezone(UTC), "month", "assumed", 0.5)
    rest = text[: found.start] + " " + text[found.end :]
    clock = read_clock(rest)
    if clock is None:
        return _day(found.day, here, 0.6 if found.inferred else 0.8)
    naive = datetime(found.day.year, found.day.month, found.day.day) + clock.offset  # noqa: DTZ001
    zone = read_zone(clock.rest, naive, here) or read_zone(text[: found.start], naive, here)
    if zone is None:
        return Moment(
            naive.replace(tzinfo=here).astimezone(UTC),
            clock.precision,
            "assumed",
            0.65 if found.inferred else 0.8,
        )
    at = naive.replace(tzinfo=zone[0]).astimezone(UTC)
    return Moment(at, clock.precision, zone[1], 0.95 if zone[1] == "explicit" else 0.75)
