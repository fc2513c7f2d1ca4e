"""When a page was published, as far as it says so.

The date comes from what the page declares about its publication, then from htmldate without its guessing mode
and with the times of `<time>`, then from a stamp near the headline. Last, marked weak, come what its data say of an
article with another headline, and a guess. All but the declared ones look at the page without its other dates: a
modification is never a publication.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from sources.declared import declared
from sources.other_dates import without_other_dates
from sources.stamps import stamps
from sources.text import plain
from sources.time_elements import headline_time, without_times
from sources.times import Moment, day_of, read_time

_AMBIGUOUS = re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.]((?:19|20)\d\d)(?!\d)")
_STRANGE = 0.4
"""Confidence of a date that a page's data give an article of another name."""
_GUESSED = 0.3
"""Confidence of a day that is guessed."""
_A_DAY_APART = timedelta(hours=26)
"""Between an instant and noon of its day in any zone."""


def publication(html: str, *, url: str, fetched_at: datetime, zone: str) -> tuple[Moment, str]:
    """When a page was published and the words that say so.

    Declared times first (JSON-LD datePublished, meta tags, <time pubdate>), then htmldate's original date
    without its guessing mode, then a stamp in the page's head matter. Modified times are never used; the note
    says when there is nothing else. A date whose day and month cannot be told apart is refused.
    """
    said = declared(html, url)
    for raw in said.own:
        moment = read_time(raw, fetched_at=fetched_at, zone=zone)
        if moment.at is not None:
            return moment, raw
        if moment.note.startswith("day and month"):
            return moment, raw
    rest = without_other_dates(html)
    latest = (fetched_at + timedelta(days=1)).date().isoformat()
    shown = _shown(rest.html, url, fetched_at, zone, latest)
    if shown is not None:
        return shown
    for raw in said.strange:
        moment = read_time(raw, fetched_at=fetched_at, zone=zone)
        if moment.at is not None:
            return moment._replace(confidence=_STRANGE, note="of an article of another name"), raw
    return _guessed(rest.html, url, fetched_at, zone, latest) or (
        Moment(note="no publication date" + (", only one of modification" * rest.modified)),
        "",
    )


def _shown(
    html: str, url: str, fetched_at: datetime, zone: str, latest: str
) -> tuple[Moment, str] | None:
    """A date that a page shows without declaring it."""
    raw = headline_time(html)
    element = read_time(raw, fetched_at=fetched_at, zone=zone)
    if element.at is not None:
        html = without_times(html)
    found = _htmldate(html, url, latest, extensive=False)
    if element.at is not None and _agree(element, raw, found, fetched_at, zone):
        return element, raw
    if found:
        if _ambiguous(html, found):
            return Moment(note="day and month cannot be told apart"), found
        better = _stamp(html, fetched_at, zone, day=found)
        if better is not None:
            return better
        return read_time(found, fetched_at=fetched_at, zone=zone), found
    return _stamp(html, fetched_at, zone)


def _guessed(
    html: str, url: str, fetched_at: datetime, zone: str, latest: str
) -> tuple[Moment, str] | None:
    """A day that htmldate's guessing mode finds and that the page writes."""
    guess = _htmldate(html, url, latest, extensive=True)
    doubtful = not guess or guess.endswith("-01-01") or _ambiguous(html, guess)
    if not doubtful and (_written(html, guess) or _written_backwards(html, guess)):
        shown = _stamp(html, fetched_at, zone, day=guess)
        moment, raw = shown or (read_time(guess, fetched_at=fetched_at, zone=zone), guess)
        if moment.at is not None:
            return moment._replace(confidence=_GUESSED, note="guessed from the page"), raw
    return None


def _agree(element: Moment, raw: str, found: str, fetched_at: datetime, zone: str) -> bool:
    """Whether what else dates a page allows the time of its `<time>`: nothing does, or it is that day somewhere."""
    if not found or raw.startswith(found):
        return True
    day = read_time(found, fetched_at=fetched_at, zone=zone).at
    near = day is not None and element.at is not None and abs(element.at - day) <= _A_DAY_APART
    return near


def _htmldate(html: str, url: str, latest: str, *, extensive: bool) -> str:
    """htmldate's original date not after `latest`, which otherwise is the machine's day; empty when none."""
    from htmldate import find_date

    try:
        found = find_date(
            html,
            url=url or None,
            original_date=True,
            extensive_search=extensive,
            min_date="1985-01-01",
            max_date=latest,
            outputformat="%Y-%m-%d",
        )
    except (ValueError, TypeError, OverflowError):  # malformed markup that lxml cannot hold
        return ""
    return str(found or "")


def _ambiguous(html: str, day: str) -> bool:
    """Whether the only trace of a day is a numeric date that could be read the other way."""
    _, month, number = day.split("-")
    if month == number or int(number) > 12 or _written(html, day):
        return False
    return _written_backwards(html, day)


def _written(html: str, day: str) -> bool:
    """Whether a page writes a day with its year first or its month as a word, so that no clock supplied a part."""
    year, month, number = day.split("-")
    year_first = rf"{year}\s*[-/.年_]?\s*0?{int(month)}\s*[-/.月_]?\s*0?{int(number)}(?!\d)"
    named = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    return bool(
        re.search(year_first, html) or re.search(rf"{named}[^<]{{0,12}}{year}", html, re.IGNORECASE)
    )


def _written_backwards(html: str, day: str) -> bool:
    """Whether a page writes a day in numbers with its year last."""
    return any(
        match[3] == day[:4] and {int(match[1]), int(match[2])} == {int(day[5:7]), int(day[8:])}
        for match in _AMBIGUOUS.finditer(html)
    )


def _stamp(html: str, fetched_at: datetime, zone: str, day: str = "") -> tuple[Moment, str] | None:
    """A written stamp in the page: with `day`, one of that day that also has a time.

    A time whose end is not understood leaves the day.
    """
    for stamp in stamps(plain(html[:600_000]), written=bool(day)):
        moment = whole = read_time(stamp.day, fetched_at=fetched_at, zone=zone)
        if whole.at is None or (day and str(day_of(whole, zone)) != day):
            continue
        raw = stamp.time or stamp.day
        if stamp.time:
            moment = read_time(raw, fetched_at=fetched_at, zone=zone)
        if moment.at is None:
            moment, raw = whole, stamp.day
        if day and stamp.time == "":
            continue
        return (moment if day else moment._replace(confidence=min(moment.confidence, 0.6))), raw
    return None
