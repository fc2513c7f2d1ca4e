"""English date mentions: days, ranges, months, thirds of a month, quarters, seasons, weekdays, relative units.

Each rule reads one form and writes the shifted mention in the same form. A form that could be an ordinary
word (May, March, Friday as a name) needs a preposition, a figure or a possessive beside it.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from factory.anonymise import (
    dates_en_lists,
    dates_en_parts,
    dates_en_relative,
    dates_en_stamps,
    dates_en_units,
    dates_figures,
)
from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import (
    CENTURIES,
    DAY,
    MONTH_FORMS,
    MONTH_NAME,
    MONTHS_JOINED,
    NO_NOUN,
    TO,
    YEAR_AFTER,
    case_like,
    month_like,
    month_number,
    ordinal,
    tense,
    year_after,
    year_told,
)
from factory.anonymise.dates_figures import padded
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part
from sources.calendar import (
    EN_WEEKDAY_NUMBER,
    EN_WEEKDAYS,
)

_WDAY = (
    "(?:"
    + "|".join(form for w in EN_WEEKDAYS for form in (w.capitalize(), w.upper()))
    + "|(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun|MON|TUES?|WED|THUR?S?|FRI|SAT|SUN)\\.?(?=,? ))"
)
_ORD = "(?:st|nd|rd|th)?"
_DASH = rf"(?: ?[-–—] ?|{TO})"
_AND = "(?: and | or | & |/)"
"""Two days of one month: each is a mention of its own, "between 15 and 21 December"."""
_THE = r"the (?=\d{1,2}[snrt])"
_PARTS = "early|mid|late|beginning|start|middle|end"

MONTH_FIRST = re.compile(
    rf"(?<![A-Za-z\d])(?:(?P<w>{_WDAY}),? )?(?P<m>{MONTH_NAME}) (?P<d>{DAY})(?P<o>{_ORD})"
    rf"(?:(?P<dash>{_DASH}|{_AND}(?=(?:{_THE})?{DAY}{_ORD}(?:,? (?:19|20)\d\d|{NO_NOUN})))"
    rf"(?:(?P<m2>{MONTH_NAME}) |(?P<the2>{_THE}))?(?P<d2>{DAY})(?P<o2>{_ORD})(?![\d:%]))?"
    rf"(?![\d:%]|[.,]\d){YEAR_AFTER}",
    re.ASCII,
)
DAY_FIRST = re.compile(
    rf"(?:(?<![A-Za-z\d.,/-])|(?<=[a-z][/-]))(?:(?P<w>{_WDAY}),? )?(?:the )?(?P<d>{DAY})(?P<o>{_ORD})"
    rf"(?:(?P<dash>{_DASH}|{_AND})(?P<the2>the )?(?P<d2>{DAY})(?P<o2>{_ORD}))?(?P<of> of|) (?P<m>{MONTH_NAME})(?![a-z])"
    rf"{YEAR_AFTER}",
    re.ASCII,
)
ISO = re.compile(
    r"(?<![\w#/.-])(?P<y>(?:19|20)\d{2})(?P<s> ?[-/.–—] ?)(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d|[-/]\d|\.\d|(?:[–—]| to )\d{1,2}(?![\d年月]))"
    r"(?P<t>T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)


_COUNTED = re.compile(rf"(?!{NO_NOUN}) [a-z]", re.ASCII)
"""A noun after a figure: "in December 25 people died" names a month and a number."""


def _after_the(found: re.Match[str], start: int) -> int:
    """Where the reference begins behind an article: "the 12 March vote" keeps it, "the 12th of March" is a date whole."""
    return start if found["o"] or found["of"] else found.start("d")


def _ranged(found: re.Match[str], frame: Frame, first: date, last: date) -> Mention:
    """A day or a range of days with month names, written month first or day first."""
    group = found.groupdict()
    a, b = first + timedelta(days=frame.offset), last + timedelta(days=frame.offset)
    month_first = found.re is MONTH_FIRST
    year = year_told(group, frame) is not None
    tail = year_after(group, b.year, frame)
    head_year = year_after(group, a.year, frame) if year and a.year != b.year else ""
    first_month = month_like(group["m"], a.month)
    last_month = month_like(group.get("m2") or group["m"], b.month)
    first_day, last_day = ordinal(a.day, group["o"]), ordinal(b.day, group["o2"] or "")
    worded = group.get("m2") is not None and group["dash"].strip().isalpha()
    split = worded or (a.year, a.month) != (b.year, b.month)
    if group["dash"] is None:
        body = (
            f"{first_month} {first_day}"
            if month_first
            else f"{first_day}{group['of']} {first_month}"
        )
    elif month_first:
        body = (
            f"{first_month} {first_day}{head_year}{group['dash']}"
            + (f"{last_month} " if split else group["the2"] or "")
            + last_day
        )
    else:
        middle = f"{group['of']} {first_month}{head_year}" if split else ""
        second = f"{group['the2'] or ''}{last_day}{group['of']} {last_month}"
        body = f"{first_day}{middle}{group['dash']}{second}"
    style = "full" if year else "short"
    ref = iv.day_ref(a, style) if group["dash"] is None else iv.unit_ref((a, b), "range", style)
    lead, parts, start = "", [], found.start()
    if group["w"]:
        name = case_like(group["w"], EN_WEEKDAYS[a.weekday()])
        if len(group["w"].rstrip(".")) <= 5:
            name = name[:3] + ("." if group["w"].endswith(".") else "")
        gap = ", " if found.string.startswith(",", found.end("w")) else " "
        parts.append(Part(found.start("w"), found.end("w"), iv.day_ref(a, "weekday")))
        start = found.end("w") + len(gap)
        lead = name + gap
    if not month_first and start < found.start("d"):
        lead += "the "
        start = _after_the(found, start)
    parts.append(Part(start, found.end(), ref))
    reason = "range" if group["dash"] else "day"
    return iv.compound(found, lead + body + tail, reason, parts)


def _paired(found: re.Match[str], frame: Frame, first: date, last: date) -> Mention:
    """Two days that share a month name: two references with the joining word between them."""
    group = found.groupdict()
    a, b = first + timedelta(days=frame.offset), last + timedelta(days=frame.offset)
    style = "short" if year_told(group, frame) is None else "full"
    tail = year_after(group, b.year, frame)
    split = (a.year, a.month) != (b.year, b.month)
    start_month, end_month = month_like(group["m"], a.month), month_like(group["m"], b.month)
    first_day, last_day = ordinal(a.day, group["o"]), ordinal(b.day, group["o2"] or "")
    if found.re is MONTH_FIRST:
        start = found.start("m")
        second = f"{end_month} {last_day}" if split else (group["the2"] or "") + last_day
        text = f"{start_month} {first_day}{group['dash']}{second}{tail}"
    else:
        lead = found.string[found.start() : found.start("d")]
        start = _after_the(found, found.start())
        middle = f"{group['of']} {start_month}" if split else ""
        second = f"{group['the2'] or ''}{last_day}{group['of']} {end_month}{tail}"
        text = f"{lead}{first_day}{middle}{group['dash']}{second}"
    first_style = "full" if style == "full" and a.year != b.year else "short"
    at = found.start("the2") if group["the2"] else found.start("d2")
    parts = [
        Part(start, found.end("o"), iv.day_ref(a, first_style)),
        Part(at, found.end(), iv.day_ref(b, style)),
    ]
    return iv.compound(found, text, "two days", parts)


def _days(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    month, day = month_number(group["m"]), int(group["d"])
    month2 = month_number(group["m2"]) if group.get("m2") else month
    day2 = int(group["d2"]) if group["d2"] else day
    year = year_told(group, frame)
    if year is not None:
        last = iv.day_or_none(year, month2, day2)
        first = iv.day_or_none(year - (month > month2), month, day)
    else:
        unit = iv.nearest(
            frame.anchor,
            iv.day_unit,
            (month, day),
            None if group["w"] else lambda: tense(found.string, found.start()),
        )
        first = unit[0] if unit else None
        last = iv.day_or_none(first.year + (month2 < month), month2, day2) if first else None
    if first is None or last is None or last < first:
        return iv.flagged(found, "no such day")
    if found.re is MONTH_FIRST and year is None and not (group["o"] or group["dash"]):
        before = found.string[max(found.start() - 3, 0) : found.start()]
        if before.lower().endswith("in ") and _COUNTED.match(found.string, found.end()):
            return iv.flagged(found, "a day or a number")
    if group["w"] and EN_WEEKDAY_NUMBER.get(group["w"].rstrip(".").lower()) != first.weekday():
        return iv.flagged(found, "weekday and date disagree")
    if group["dash"] in (" and ", " or ", " & ", "/"):
        if group["w"]:
            return iv.flagged(found, "a weekday before two days")
        loose = found.re is MONTH_FIRST and not (group["o2"] or year)
        between = found.string.endswith(("between ", "Between "), 0, found.start())
        far = (last - first).days > 1 and found.string.startswith(" ", found.end())
        if loose and far and not between:
            return iv.flagged(found, "a day or a number")
        return _paired(found, frame, first, last)
    return _ranged(found, frame, first, last)


def _iso(found: re.Match[str], frame: Frame) -> Mention | None:
    day = iv.day_or_none(int(found["y"]), int(found["m"]), int(found["d"]))
    if day is None:
        return None
    to = day + timedelta(days=frame.offset)
    sep = found["s"]
    month, day_of = padded((to.month, to.day), (found["m"], found["d"]))
    surface = f"{to.year}{sep}{month}{sep}{day_of}{found['t'] or ''}"
    parts = [Part(found.start(), found.end("d"), iv.day_ref(to, "full"))]
    if found["t"]:
        parts.append(Part(found.end("d"), found.end("d") + 1, " "))
    return iv.compound(found, surface, "day", parts)


_DIGITS = tuple("0123456789")
_BEFORE_MONTH = pairs(("st", "nd", "rd", "th", "of", *_DIGITS), (" ",))
RULES = (
    Rule(
        MONTH_FIRST, _days, pairs(pairs(MONTH_FORMS, (" ",)), _DIGITS), exact=True, reach=(16, 84)
    ),
    Rule(DAY_FIRST, _days, pairs(_BEFORE_MONTH, MONTHS_JOINED), exact=True, reach=(48, 48)),
    Rule(ISO, _iso, CENTURIES, exact=True, reach=(0, 52)),
    *dates_figures.RULES,
    *dates_en_stamps.RULES,
    *dates_en_lists.RULES,
    *dates_en_relative.RULES,
    *dates_en_parts.RULES,
    *dates_en_units.RULES,
)
