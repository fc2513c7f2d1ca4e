"""Full dates in figures alone, the year last or glued: 12/31/2025, 31.12.2025, 12-31-25, 20251231, IMG_20251231.

Day or month first is told by a part above 12, or by the other dates of the text, or by the day of the text: of two
readings the one within NEAR days of it, when the other is farther away, since a report names the days around its
own. Whatever that leaves open is a doubt: half of such guesses would be wrong, and a wrong one looks like a right one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache

from factory.anonymise import intervals as iv
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part

NEAR = 10
"""Days from the day of its text within which a date decides its order of day and month."""
_DIGITS = tuple("0123456789")
_CENTURIES = ("19", "20")
_DECADES = ("198", "199", "200", "201", "202", "203")

NUMERIC = re.compile(
    r"(?<![\w#/.,$-])(?P<a>\d{1,2})(?P<s>[/.-])(?P<b>\d{1,2})(?P=s)(?P<y>(?:19|20)\d{2}|(?<=/)\d\d)(?![\d/-]|\.\d)",
    re.ASCII,
)
"""Month or day first; the year in four figures, after slashes also in two."""
COMPACT = re.compile(
    r"(?<![\w#/.-])(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])"
    r"(?:(?P<t>T(?P<h>[01]\d|2[0-3])(?P<n>[0-5]\d)(?P<sec>[0-5]\d)?(?P<z>Z|[+-]\d\d:?\d\d)?)(?!\w)|(?![\w-]))",
    re.ASCII,
)
_STAMPED = r"(?P<y{0}>(?:19[89]|20[0-3])\d)(?P<m{0}>0[1-9]|1[0-2])(?P<d{0}>0[1-9]|[12]\d|3[01])"
_CLOCK = r"[_-]?(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?\d{0,3}"
STAMP = re.compile(
    rf"(?<![\w#/.-])(?:[A-Za-z][A-Za-z0-9]{{0,20}}[_-]?{_STAMPED.format(1)}(?:{_CLOCK})?|{_STAMPED.format(2)}{_CLOCK})"
    r"(?:[_-][A-Za-z0-9]{1,12}){0,3}(?:\.[A-Za-z0-9]{2,4})?(?![\w-])",
    re.ASCII,
)
"""A date inside the name of a file or record, with or without a time."""

_VERSION = re.compile(r"\b(?:v|ver|version|release|build|update|OS|firmware)\.? $", re.IGNORECASE)


def padded(values: tuple[int, int], written: tuple[str, str]) -> tuple[str, str]:
    """Month and day as the other two were written: without leading zeros where one of them shows a single figure.

    Where they differ, as in 2024-03-5, each keeps its own form.
    """
    bare = any(len(one) == 1 for one in written)
    mixed = bare and any(one.startswith("0") for one in written)
    first, second = (
        f"{value:02d}" if (len(one) == 2 if mixed else not bare) else str(value)
        for value, one in zip(values, written, strict=True)
    )
    return first, second


@lru_cache(maxsize=4)
def orders(text: str) -> tuple[bool, bool]:
    """Whether a text writes a numeric date that can only be day first, and one that can only be month first."""
    written = [(int(one["a"]), int(one["b"])) for one in NUMERIC.finditer(text)]
    return any(a > 12 for a, _ in written), any(b > 12 for _, b in written)


def ordered(
    text: str, frame: Frame, month_first: date | None, day_first: date | None
) -> Sequence[date]:
    """The readings of a date in figures that nothing excludes: one where its order is certain, else both or none."""
    if month_first == day_first or month_first is None or day_first is None:
        return [day for day in (month_first or day_first,) if day is not None]
    only_day, only_month = orders(text)
    if only_day is not only_month:
        return [day_first if only_day else month_first]
    near = [day for day in (month_first, day_first) if abs((day - frame.anchor).days) <= NEAR]
    return near if len(near) == 1 else [month_first, day_first]


def _numeric(found: re.Match[str], frame: Frame) -> Mention | None:
    if found["s"] == "." and _VERSION.search(
        found.string[max(found.start() - 12, 0) : found.start()]
    ):
        return None
    a, b = int(found["a"]), int(found["b"])
    year = int(found["y"])
    if year < 100:
        year = min((1900 + year, 2000 + year), key=lambda y: abs(y - frame.anchor.year))
    month_first, day_first = iv.day_or_none(year, a, b), iv.day_or_none(year, b, a)
    readings = ordered(found.string, frame, month_first, day_first)
    if not readings:
        return None
    if len(readings) > 1:
        return iv.flagged(found, "order of day and month")
    to = readings[0] + timedelta(days=frame.offset)
    x, y = (to.month, to.day) if readings[0] == month_first else (to.day, to.month)
    mark, written = found["s"], str(to.year)[-len(found["y"]) :]
    one, two = padded((x, y), (found["a"], found["b"]))
    surface = f"{one}{mark}{two}{mark}{written}"
    return iv.shifted(found, surface, iv.day_ref(to, "full"), "day")


def _compact(found: re.Match[str], frame: Frame) -> Mention | None:
    day = iv.day_or_none(int(found["y"]), int(found["m"]), int(found["d"]))
    if day is None:
        return None
    to = day + timedelta(days=frame.offset)
    parts = [Part(found.start(), found.end("d"), iv.day_ref(to, "full"))]
    if found["t"]:
        clock = ":".join(filter(None, (found["h"], found["n"], found["sec"])))
        parts.append(Part(found.end("d"), found.end(), f" {clock}{found['z'] or ''}"))
    return iv.compound(found, f"{to:%Y%m%d}{found['t'] or ''}", "day", parts)


def _stamp(found: re.Match[str], _frame: Frame) -> Mention | None:
    """No written date can stand inside a name, and the name itself can be searched for: a person decides."""
    year, month, day_of = (int(found[key + "1"] or found[key + "2"]) for key in "ymd")
    day = iv.day_or_none(year, month, day_of)
    return None if day is None else iv.flagged(found, "date in a name")


RULES = (
    Rule(
        NUMERIC,
        _numeric,
        (*pairs(("/",), _DIGITS), *pairs(".-", _CENTURIES)),
        exact=True,
        reach=(8, 16),
    ),
    Rule(COMPACT, _compact, _CENTURIES, exact=True, reach=(0, 28)),
    Rule(STAMP, _stamp, pairs(pairs(_DECADES, _DIGITS), "01"), reach=(24, 80)),
)
