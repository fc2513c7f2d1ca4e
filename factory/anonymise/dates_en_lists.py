"""English mentions of several days or months at once, and days named by their number alone.

"March 15, 16 and 17", "15, 16 and 17 March", "March–April 2026", "from the 12th to the 15th", "the fourteenth of
March", "the fifth and sixth of March": each day or month is a reference of its own, and the words between them stay.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import (
    DAY,
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
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part

_D = rf"{DAY}(?:st|nd|rd|th)?(?!\d)"
_DAYS = rf"(?P<days>{_D}(?:, {_D})+,? (?:and|or|&) {_D})"
MONTH_FIRST = re.compile(
    rf"(?<![A-Za-z\d])(?P<m>{MONTH_NAME}) {_DAYS}(?![\d:%]|,\d){YEAR_AFTER}", re.ASCII
)
DAYS_FIRST = re.compile(
    rf"(?<![A-Za-z\d.,/-]){_DAYS}(?P<of> of|) (?P<m>{MONTH_NAME})(?![a-z]){YEAR_AFTER}", re.ASCII
)
_ONE = re.compile(rf"(?P<d>{DAY})(?P<o>st|nd|rd|th)?", re.ASCII)

TWO_MONTHS = re.compile(
    rf"(?<![A-Za-z\d-])(?P<m>{MONTH_NAME})(?P<j>[-–—])(?P<m2>{MONTH_NAME})(?![A-Za-z]| \d{{1,2}}(?!\d)){YEAR_AFTER}",
    re.ASCII,
)

NTH = re.compile(
    r"\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Ss]ince|[Ff]rom|[Bb]efore|[Aa]fter|[Bb]etween|[Tt]hrough|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?) "
    rf"(?P<the>the )(?P<d>{DAY})(?:st|nd|rd|th)"
    rf"(?:(?P<j> and | or | to | through | until |[-–—])(?P<the2>the )?(?P<d2>{DAY})(?:st|nd|rd|th)"
    rf"|(?! (?:and|or|to|through|until) (?:the )?\d|[-–—/]\d)){NO_NOUN}",
    re.ASCII,
)
"""A day by its number alone, where no noun follows: "on the 15th floor" names none."""

_WRITTEN = re.compile(
    rf"(?P<m>{MONTH_NAME}) (?P<d>{DAY})(?!\d)|(?<!\d)(?P<d2>{DAY})(?:st|nd|rd|th)? (?:of )?(?P<m2>{MONTH_NAME})",
    re.ASCII,
)

_TEENS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
SPELLED = (*_TEENS, *(f"twenty-{one}" for one in _TEENS[:9]), "thirtieth", "thirty-first")
"""The days of a month in words."""
_SPELLED = "|".join(sorted(SPELLED, key=len, reverse=True))
WORDED_TWO = re.compile(
    rf"\b(?:[Tt]he )?(?P<n>{_SPELLED})(?P<j>,? and |,? or | & |{TO})(?P<the2>the )?(?P<n2>{_SPELLED}) of (?P<m>{MONTH_NAME})(?![A-Za-z]){YEAR_AFTER}",
    re.ASCII | re.IGNORECASE,
)
WORDED = re.compile(
    rf"\b(?:[Tt]he )?(?:(?P<n>{_SPELLED})(?P<day> day)?|(?P<d>{DAY})(?:st|nd|rd|th) day) of (?P<m>{MONTH_NAME})(?![A-Za-z]){YEAR_AFTER}",
    re.ASCII | re.IGNORECASE,
)


def _days(found: re.Match[str], frame: Frame) -> Mention | None:
    """Each day with the month where it is another than that of the day before; the year with the last, or with each
    where the shift parts them.
    """
    group = found.groupdict()
    month = month_number(group["m"])
    written = [*_ONE.finditer(found.string, found.start("days"), found.end("days"))]
    numbers = [int(one["d"]) for one in written]
    if sorted(set(numbers)) != numbers:
        return iv.flagged(found, "days out of order")
    year = year_told(group, frame)
    style = "short" if year is None else "full"
    if year is None:
        position = found.start()
        near = iv.nearest(
            frame.anchor,
            iv.day_unit,
            (month, numbers[0]),
            lambda: tense(found.string, position),
        )
        year = near[0].year if near else None
    days = [iv.day_or_none(year, month, number) if year else None for number in numbers]
    if any(day is None for day in days):
        return iv.flagged(found, "no such day")
    after = [day + timedelta(days=frame.offset) for day in days if day is not None]
    parted = style == "full" and len({day.year for day in after}) > 1
    month_first = found.re is MONTH_FIRST
    surface = ""
    for index, (one, day) in enumerate(zip(written, after, strict=True)):
        name = month_like(group["m"], day.month)
        number = ordinal(day.day, one["o"] or "")
        before = index and after[index - 1].month == day.month
        last = index + 1 == len(after) or after[index + 1].month != day.month
        year_too = year_after(group, day.year, frame) if parted and index + 1 < len(after) else ""
        if index:
            surface += found.string[written[index - 1].end() : one.start()]
        if month_first:
            surface += (number if before and not parted else f"{name} {number}") + year_too
        else:
            surface += f"{number}{group['of']} {name}{year_too}" if last or parted else number
    surface += year_after(group, after[-1].year, frame)
    starts = [one.start() for one in written]
    ends = [one.end() for one in written]
    starts[0] = found.start() if month_first else starts[0]
    ends[-1] = found.end()
    early = "full" if parted else "short"
    refs = [iv.day_ref(day, early) for day in after[:-1]] + [iv.day_ref(after[-1], style)]
    parts = [Part(*row) for row in zip(starts, ends, refs, strict=True)]
    return iv.compound(found, surface, "days", parts)


def _two_months(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    months = month_number(group["m"]), month_number(group["m2"])
    year = year_told(group, frame)
    style = "short" if year is None else "full"
    if year is not None:
        last = iv.month_unit(year, months[1])
    else:
        position = found.start()
        last = iv.sure(
            iv.nearest(
                frame.anchor, iv.month_unit, (months[1],), lambda: tense(found.string, position)
            )
        )
    first = iv.month_unit(last[0].year - (months[0] > months[1]), months[0])
    a, b = (iv.shift_month(unit, frame.offset, frame.days) for unit in (first, last))
    head = f" {a[0].year}" if style == "full" and a[0].year != b[0].year else ""
    surface = f"{month_like(group['m'], a[0].month)}{head}{group['j']}{month_like(group['m2'], b[0].month)}"
    parts = [
        Part(found.start(), found.end("m"), iv.unit_ref(a, "month", "full" if head else "short")),
        Part(found.start("m2"), found.end(), iv.unit_ref(b, "month", style)),
    ]
    return iv.compound(found, surface + year_after(group, b[0].year, frame), "two months", parts)


def _of_anchor(day: int, frame: Frame) -> date | None:
    """The day of this number that the text means: the one told of, else that of the anchor's month."""
    if frame.hint and frame.hint.day == day:
        return frame.hint
    return iv.day_or_none(frame.anchor.year, frame.anchor.month, day)


def _governed(found: re.Match[str], number: int, frame: Frame) -> date | None:
    """The later day of this number in the month of a day written before it in the sentence; None without one."""
    before = found.string[max(found.start() - 120, 0) : found.start()]
    written = [*_WRITTEN.finditer(re.split(r"[.;!?]\s(?=[A-Z])", before)[-1])]
    if not written:
        return None
    last = written[-1]
    month, day = month_number(last["m"] or last["m2"]), int(last["d"] or last["d2"])
    if number <= day or month == frame.anchor.month:
        return None
    near = iv.nearest(frame.anchor, iv.day_unit, (month, number))
    return near[0] if near else None


def _nth(found: re.Match[str], frame: Frame) -> Mention | None:
    keys = [key for key in ("d", "d2") if found[key]]
    days = [_of_anchor(int(found[key]), frame) for key in keys]
    parts, surface = [], ""
    for key, the, day in zip(keys, ("the", "the2"), days, strict=False):
        if day is None:
            return iv.flagged(found, "no such day")
        other = _governed(found, int(found[key]), frame) if frame.hint != day else None
        if other is not None and day > frame.anchor and tense(found.string, found.start()) < 1:
            day = other
        to = day + timedelta(days=frame.offset)
        if other is not None and (other + timedelta(days=frame.offset)).day != to.day:
            return iv.flagged(found, "a day of one of two months")
        start = found.start(the) if found[the] else found.start(key)
        parts.append(Part(start, found.end(key) + 2, iv.day_ref(to, "monthday")))
        surface += (found["j"] or "") * (key == "d2") + (found[the] or "") + ordinal(to.day, "th")
    return iv.compound(found, surface, "day of month", parts, start=found.start("the"))


def _worded(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    number = SPELLED.index(group["n"].lower()) + 1 if group["n"] else int(group["d"])
    month = month_number(group["m"])
    if (number, month) == (4, 7) and not group["y"]:
        return None  # a holiday
    year = year_told(group, frame)
    style = "short" if year is None else "full"
    if year is not None:
        day = iv.day_or_none(year, month, number)
    else:
        position = found.start()
        near = iv.nearest(
            frame.anchor, iv.day_unit, (month, number), lambda: tense(found.string, position)
        )
        day = near[0] if near else None
    if day is None:
        return iv.flagged(found, "no such day")
    to = day + timedelta(days=frame.offset)
    lead = found.group()[: found.start("n" if group["n"] else "d") - found.start()]
    word = case_like(group["n"], SPELLED[to.day - 1]) if group["n"] else ordinal(to.day, "th")
    middle = " day" if group["day"] or not group["n"] else ""
    surface = f"{lead}{word}{middle} of {month_like(group['m'], to.month)}"
    return iv.shifted(
        found, surface + year_after(group, to.year, frame), iv.day_ref(to, style), "day"
    )


def _worded_two(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    month = month_number(group["m"])
    numbers = [SPELLED.index(group[key].lower()) + 1 for key in ("n", "n2")]
    if numbers[0] >= numbers[1]:
        return iv.flagged(found, "days out of order")
    year = year_told(group, frame)
    style = "short" if year is None else "full"
    if year is None:
        near = iv.nearest(
            frame.anchor,
            iv.day_unit,
            (month, numbers[0]),
            lambda: tense(found.string, found.start()),
        )
        year = near[0].year if near else None
    days = [iv.day_or_none(year, month, number) if year else None for number in numbers]
    if days[0] is None or days[1] is None:
        return iv.flagged(found, "no such day")
    a, b = (day + timedelta(days=frame.offset) for day in days if day is not None)
    parted = style == "full" and a.year != b.year
    first, second = (
        case_like(group[key], SPELLED[day.day - 1]) for key, day in (("n", a), ("n2", b))
    )
    lead = found.group()[: found.start("n") - found.start()]
    middle = "" if a.month == b.month else f" of {month_like(group['m'], a.month)}"
    middle += year_after(group, a.year, frame) if parted else ""
    surface = f"{lead}{first}{middle}{group['j']}{group['the2'] or ''}{second} of {month_like(group['m'], b.month)}"
    parts = [
        Part(found.start(), found.end("n"), iv.day_ref(a, "full" if parted else "short")),
        Part(found.end("j"), found.end(), iv.day_ref(b, style)),
    ]
    return iv.compound(found, surface + year_after(group, b.year, frame), "two days", parts)


_DIGITS = tuple("0123456789")
_LAST = pairs((" and ", " or ", " & "), _DIGITS)
RULES = (
    Rule(MONTH_FIRST, _days, _LAST, exact=True, reach=(160, 40)),
    Rule(DAYS_FIRST, _days, _LAST, exact=True, reach=(140, 48)),
    Rule(TWO_MONTHS, _two_months, pairs(("-", "–", "—"), MONTHS_JOINED), reach=(16, 48)),
    Rule(NTH, _nth, pairs(("the ",), _DIGITS), reach=(14, 32)),
    Rule(
        WORDED_TWO,
        _worded_two,
        pairs((" of ",), MONTHS_JOINED),
        exact=True,
        reach=(44, 48),
    ),
    Rule(WORDED, _worded, pairs((" of ",), MONTHS_JOINED), exact=True, reach=(28, 48)),
)
