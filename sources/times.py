"""Publication times as sources write them, read against the moment of fetching and the source's zone.

Never the machine's clock or zone: "3小时前" is counted back from `fetched_at`, a time without a zone is
assumed in the source's zone and says so. What cannot be told is not guessed.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from schemas.item import Precision, TzSource
from sources.clocks import read_clock
from sources.dates import FoundDate, find_date
from sources.labels import publication_part
from sources.moments import Moment, Untold, whole_day, whole_month
from sources.relative import read_relative
from sources.written_zones import UnknownZone, read_zone

__all__ = ["Moment", "day_of", "read_instant", "read_time"]

_NUMBERS = (int, float)


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
    moment = _usual(raw, here) if type(raw) is str else None
    if moment is not None:
        return _not_future(moment, fetched_at)
    text = unicodedata.normalize("NFKC", str(raw)[:200]).strip()
    text = _BLANKS.sub(_one_blank, text.replace("\u2212", "-").replace("元月", "一月"))
    if not text:
        return Moment(note="no date")
    now = fetched_at.astimezone(here)
    try:
        moment = _digits(text, here) or _words(text, now, here, zone)
    except Untold as why:
        return Moment(note=str(why))
    except (ValueError, OverflowError):
        return Moment(note="no such date")
    return _not_future(moment or Moment(note="not a date"), fetched_at)


_BLANKS = re.compile(r"\s{2,}")


def _one_blank(blanks: re.Match[str]) -> str:
    """One blank for many, which patterns of several optional blanks would try in every way."""
    return "\n" if "\n" in blanks[0] else " "


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


_USUAL = re.compile(
    r"((?:19|20)[0-9]{2})-([0-9]{2})-([0-9]{2})[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?(Z|\+08:00|\+00:00)?"
)
"""How exports write nearly all their times."""
_USUAL_ZONES = {
    "Z": UTC,
    "+00:00": UTC,
    "+08:00": timezone(timedelta(hours=8)),
}


def _usual(text: str, here: ZoneInfo) -> Moment | None:
    """A time as exports write it, as the rules below would read it with many searches; none when it is another."""
    match = _USUAL.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, zone = match.groups()
    try:
        at = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0),
            tzinfo=here if zone is None else _USUAL_ZONES[zone],
        )  # fmt: skip
        at = at.astimezone(UTC)
    except (ValueError, OverflowError):  # 24:00 is a time, 25:00 is none: told below
        return None
    precision: Precision = "minute" if second is None else "second"
    return Moment(at, precision, *(("assumed", 0.8) if zone is None else ("explicit", 0.95)))


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
    if re.fullmatch(r"(?:\d{9,11}|\d{13}|\d{16})(?:\.\d+)?", text):
        return _epoch(float(text) if "." in text else int(text))
    match = re.fullmatch(r"((?:19|20)\d\d)(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?)?(Z?)", text)
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups()[:3])
    zone: tzinfo = UTC if match[7] else here
    source: TzSource = "explicit" if match[7] else "assumed"
    if match[4] is None:
        return whole_day(date(year, month, day), here, 0.8)
    at = datetime(year, month, day, int(match[4]), int(match[5]), int(match[6] or 0), tzinfo=zone)
    return Moment(at.astimezone(UTC), "second" if match[6] else "minute", source, 0.85)


# -- words --------------------------------------------------------------------------------------

_YEAR_FIRST = re.compile(r"(?:19|20)\d\d[-/.年]")
_OFFSET_ONLY = re.compile(r"\s?(?:Z|[+-]\d\d:?\d\d)")
"""What follows a day that has a zone and no clock: 2026-03-05+08:00."""
_SEVERAL_CLOCKS = re.compile(
    r"\s*(?:\s[-–—]\s|[~〜–—至到]|\bto\b)\s*\d{1,2}\s*(?:[:时時点點]|[ap]\.?m)", re.IGNORECASE
)
_FROM_WHOM = re.compile(
    r"(?:来源|來源|来自|來自|\b(?:via|by|from)\b|[·•|｜]).*", re.IGNORECASE | re.DOTALL
)


def _words(text: str, now: datetime, here: ZoneInfo, zone: str) -> Moment | None:
    text = publication_part(text)
    moment = None if _YEAR_FIRST.match(text) else read_relative(text, now, here)
    if moment is not None:
        return moment
    found = find_date(text, now, zone)
    if found is not None:
        return _absolute(text, found, here)
    if re.fullmatch(r"大?[去前今本]年", text):
        return Moment(note="known only to the year")
    return None


def _absolute(text: str, found: FoundDate, here: ZoneInfo) -> Moment:
    if found.precision == "month":
        return whole_month(found.day, here, 0.5)
    before, behind = text[: found.start], text[found.end :]
    clock = None if _OFFSET_ONLY.fullmatch(behind) else read_clock(before + " " + behind)
    if clock is not None and _SEVERAL_CLOCKS.match(clock.rest):
        raise Untold("a span of several hours")
    _nothing_else(
        found, (before + " " + behind) if clock is None else clock.before + " " + clock.rest
    )
    if clock is None:
        return whole_day(found.day, here, 0.6 if found.inferred else 0.8)
    naive = datetime(found.day.year, found.day.month, found.day.day) + clock.offset  # noqa: DTZ001
    try:
        zone = read_zone(clock.rest, naive, here) or read_zone(clock.before, naive, here)
    except UnknownZone as why:
        return whole_day(found.day, here, 0.5)._replace(note=str(why))
    if zone is None:
        at = naive.replace(tzinfo=here).astimezone(UTC)
        return Moment(at, clock.precision, "assumed", 0.65 if found.inferred else 0.8)
    at = naive.replace(tzinfo=zone[0]).astimezone(UTC)
    return Moment(at, clock.precision, zone[1], 0.95 if zone[1] == "explicit" else 0.75)


def _nothing_else(found: FoundDate, rest: str) -> None:
    """Untold when a date without a year has other numbers beside it: one of them may be its year."""
    if found.inferred and re.search(r"\d|年", _NO_YEAR.sub(" ", _FROM_WHOM.sub(" ", rest))):
        raise Untold("its year cannot be read")


_NO_YEAR = re.compile(r"(?:UTC|GMT)?\s*[+-]\s*\d{1,2}(?::?\d\d)?(?!\d)", re.IGNORECASE)
"""A numeric zone."""
