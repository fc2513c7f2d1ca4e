"""English dates as machines and ledgers write them: the year before the day, behind a time, in two figures, or once.

"2025 Dec 5", "Fri Dec 05 10:11:12 +0000 2025", "5 Dec 25", "2025-12-05–08": read as the plain day rules do, such a date
would move without its year or without its end.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import (
    DAY,
    MONTH_FORMS,
    MONTH_NAME,
    MONTHS_JOINED,
    NO_NOUN,
    case_like,
    month_like,
    month_number,
    ordinal,
)
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part
from sources.calendar import EN_WEEKDAY_NUMBER, EN_WEEKDAYS

_WDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|MON|TUE|WED|THU|FRI|SAT|SUN)[a-zA-Z]{0,6}"
YEAR_FIRST = re.compile(
    rf"(?<![\w$£€.,/-])(?P<y>(?:19|20)\d\d) (?P<m>{MONTH_NAME}) (?P<d>{DAY})(?P<o>(?:st|nd|rd|th)?)"
    r"(?![\w:%]|[.,]\d|[-–—/]| (?:and|or|to|through|until|thru|till|&|-|–) (?:the )?\d|,? (?:19|20)\d\d)",
    re.ASCII,
)
STAMP = re.compile(
    rf"(?<![\w.,/-])(?:(?P<w>{_WDAY})\.?(?P<g>,? ))?(?P<m>{MONTH_NAME}) {{1,2}}(?P<d>{DAY}),? (?:at )?"
    r"\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?(?: (?:[+-]\d{2}:?\d{2}|[A-Z]{2,4}))?,? (?P<y>(?:19|20)\d\d)(?![\d:%]|[.,]\d)",
    re.ASCII,
)
SHORT_YEAR = re.compile(
    rf"(?<![\w.,/$£€-])(?:(?P<w>{_WDAY})\.?,? )?(?P<d>{DAY}) (?P<m>{MONTH_NAME}) (?P<y>\d\d)(?!\w|[:%]|[.,/-]\d)",
    re.ASCII,
)
YEAR_LAST = re.compile(
    rf"(?<![\w.,/$£€-])(?P<m>{MONTH_NAME}) (?P<d>{DAY}) (?P<y>\d\d)(?!\w|[:%]|[.,/-]\d)", re.ASCII
)
_ALONE = re.compile(NO_NOUN, re.ASCII)
ISO_RANGE = re.compile(
    r"(?<![\w#/.-])(?P<y>(?:19|20)\d\d)(?P<s>[-/.])(?P<m>\d\d)(?P=s)(?P<d>\d\d)(?P<j>–|—| to )"
    r"(?:(?P<m2>\d\d)(?P=s))?(?P<d2>\d\d)(?![\w%/-]|[.,:]\d)",
    re.ASCII,
)


def _year_first(found: re.Match[str], frame: Frame) -> Mention | None:
    day = iv.day_or_none(int(found["y"]), month_number(found["m"]), int(found["d"]))
    if day is None:
        return iv.flagged(found, "no such day")
    to = day + timedelta(days=frame.offset)
    surface = f"{to.year} {month_like(found['m'], to.month)} {ordinal(to.day, found['o'])}"
    return iv.shifted(found, surface, iv.day_ref(to, "full"), "day")


def _stamp(found: re.Match[str], frame: Frame) -> Mention | None:
    """The year goes to the day, so that the time stands behind the whole date."""
    day = iv.day_or_none(int(found["y"]), month_number(found["m"]), int(found["d"]))
    if day is None:
        return iv.flagged(found, "no such day")
    to = day + timedelta(days=frame.offset)
    parts, lead = [], ""
    if found["w"]:
        if EN_WEEKDAY_NUMBER.get(found["w"].lower()) != day.weekday():
            return iv.flagged(found, "weekday and date disagree")
        name = case_like(found["w"], EN_WEEKDAYS[to.weekday()])
        lead = (name if len(found["w"]) > 5 else name[:3]) + found.string[
            found.end("w") : found.start("m")
        ]
        parts.append(Part(found.start("w"), found.end("w"), iv.day_ref(to, "weekday")))
    parts += [
        Part(found.start("m"), found.end("d"), iv.day_ref(to, "full")),
        Part(found.start("y") - 1, found.end("y"), ""),
    ]
    gap = found.string[found.end("m") : found.start("d")]
    number = f"{to.day:0{len(found['d'])}d}"
    between = found.string[found.end("d") : found.start("y")]
    surface = f"{lead}{month_like(found['m'], to.month)}{gap}{number}{between}{to.year}"
    return iv.compound(found, surface, "stamp", parts)


def _year_of(written: str, frame: Frame) -> int | None:
    """The year that two figures name, if it is that of the text or one beside it."""
    years = range(frame.anchor.year - 1, frame.anchor.year + 2)
    return next((year for year in years if year % 100 == int(written)), None)


def _year_last(found: re.Match[str], frame: Frame) -> Mention | None:
    """ "Dec 5 25" is a date, or a day and a number."""
    if _year_of(found["y"], frame) is None:
        return None
    return iv.flagged(found, "a year or a number")


def _short_year(found: re.Match[str], frame: Frame) -> Mention | None:
    """5 Dec 25: a date where nothing is counted; behind a weekday or before a noun a doubt."""
    year = _year_of(found["y"], frame)
    if year is None:
        return None
    if found["w"] or not _ALONE.match(found.string, found.end()):
        return iv.flagged(found, "a year or a number")
    day = iv.day_or_none(year, month_number(found["m"]), int(found["d"]))
    if day is None:
        return iv.flagged(found, "no such day")
    to = day + timedelta(days=frame.offset)
    surface = f"{to.day} {month_like(found['m'], to.month)} {to.year % 100:02d}"
    return iv.shifted(found, surface, iv.day_ref(to, "full"), "day")


def _iso_range(found: re.Match[str], frame: Frame) -> Mention | None:
    year, month = int(found["y"]), int(found["m"])
    days: list[date] = []
    for m, d in ((month, int(found["d"])), (int(found["m2"] or month), int(found["d2"]))):
        day = iv.day_or_none(year, m, d)
        if day is None:
            return iv.flagged(found, "no such day")
        days.append(day)
    if days[0] >= days[1]:
        return iv.flagged(found, "days out of order")
    a, b = iv.moved((days[0], days[1]), frame.offset)
    sep = found["s"]
    second = f"{b.day:02d}"
    if found["m2"] or a.month != b.month:
        second = f"{b.month:02d}{sep}{second}"
    if a.year != b.year:
        second = f"{b.year}{sep}{second}"
    surface = f"{a.year}{sep}{a.month:02d}{sep}{a.day:02d}{found['j']}{second}"
    return iv.shifted(found, surface, iv.unit_ref((a, b), "range"), "range")


_DIGITS = tuple("0123456789")
RULES = (
    Rule(YEAR_FIRST, _year_first, pairs(_DIGITS, (f" {m}" for m in MONTHS_JOINED)), exact=True, reach=(4, 44)),
    Rule(STAMP, _stamp, pairs(_DIGITS, (":",)), exact=True, reach=(40, 44)),
    Rule(SHORT_YEAR, _short_year, pairs(_DIGITS, (f" {m} " for m in MONTH_FORMS)), exact=True, reach=(16, 16)),
    Rule(YEAR_LAST, _year_last, pairs(pairs(MONTH_FORMS, (" ",)), _DIGITS), exact=True, reach=(0, 16)),
    Rule(ISO_RANGE, _iso_range, pairs(_DIGITS, ("–", "—", " to ")), exact=True, reach=(16, 16)),
)  # fmt: skip
