"""English parts of a month: "early March", "late in March", "mid-to-late March", "earlier in March".

A third of a month moves to the third that it mostly falls into, in the words it was written in.
"""

from __future__ import annotations

import re

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import (
    MONTH_NAME,
    MONTHS_JOINED,
    YEAR_AFTER,
    month_like,
    month_number,
    tense,
    year_after,
    year_told,
)
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part

PART = re.compile(
    rf"\b(?P<at>[Aa]t )?(?P<a>[Aa]n? )?(?P<the>[Tt]he )?(?P<p>(?:[Ee]arly|[Mm]id|[Ll]ate)(?:[ -]|(?P<in>(?: on)? in ))|(?:[Mm]id|[Hh]alf)way(?P<in2> through | in )|(?:[Bb]eginning|[Ss]tart|[Mm]iddle|[Ee]nd) of )(?P<m>{MONTH_NAME})(?! \d{{1,2}}(?!\d)){YEAR_AFTER}",
    re.ASCII,
)
TWO_PARTS = re.compile(
    rf"\b(?P<p>[Ee]arly|[Mm]id)(?P<j>-? ?(?:to|and|or)[- ])(?P<p2>mid|late)[- ](?P<m>{MONTH_NAME})(?! \d{{1,2}}(?!\d)){YEAR_AFTER}",
    re.ASCII,
)
SIDE_OF_MONTH = re.compile(
    rf"\b(?P<side>[Ee]arlier|[Ll]ater)(?: on)? in (?P<m>{MONTH_NAME})(?![A-Za-z]|,? ?\d|,? of)",
    re.ASCII,
)

_THIRDS = {"early": 1, "beginning": 1, "start": 1, "mid": 2, "middle": 2, "midway": 2, "halfway": 2}
_HOW = re.compile(r"\b(?:very|too|so|as|how|quite|rather|fairly) $", re.ASCII)
"""Before "late in March", which then cannot become "in late March"."""
_INTO = re.compile(r"\b(?:for|until|till|by|since|from|to|before|after|around) $", re.ASCII)
"""Before "late in March", which then becomes "late March"."""


def _part(found: re.Match[str], frame: Frame) -> Mention | None:
    word = re.split("[ -]", found["p"].lower())[0]
    third = _THIRDS.get(word, 3)
    said_in = found["in"] or found["in2"]
    if said_in and _HOW.search(found.string, max(found.start() - 12, 0), found.start()):
        return iv.flagged(found, "part of month")
    month = month_number(found["m"])
    year = year_told(found.groupdict(), frame)
    dated = year is not None
    if year is not None:
        unit = iv.third_unit(year, month, third)
    else:
        unit = iv.sure(
            iv.nearest(
                frame.anchor,
                iv.third_unit,
                (month, third),
                lambda: tense(found.string, found.start()),
            )
        )
    to = iv.shift_third(unit, frame.offset, frame.days)
    name = ("early ", "mid-", "late ")[min((to[0].day - 1) // 10, 2)]
    if found["p"][0].isupper() or (found["the"] or "").startswith("T"):
        name = name.capitalize()
    lead = "in " if found["at"] or said_in else ""
    if said_in and _INTO.search(found.string, max(found.start() - 8, 0), found.start()):
        lead = ""
    if lead and found.group()[0].isupper():
        lead, name = "In ", name.lower()
    if found["a"]:
        lead += found["a"][0] + ("n " if name[0].lower() == "e" else " ")
    tail = year_after(found.groupdict() | {"c": " ", "k": None}, to[0].year, frame) if dated else ""
    surface = lead + name + month_like(found["m"], to[0].month) + tail
    ref = iv.unit_ref(to, "part_of_month", "full" if dated else "short")
    if not lead:
        return iv.shifted(found, surface, ref, "part of month")
    after = found.start("m") if said_in else found.end("a" if found["a"] else "at")
    parts = [Part(found.start(), after, lead), Part(after, found.end(), ref)]
    return iv.compound(found, surface, "part of month", parts)


def _two_parts(found: re.Match[str], frame: Frame) -> Mention | None:
    """Two thirds of one month, each a reference of its own."""
    group = found.groupdict()
    month = month_number(found["m"])
    thirds = [_THIRDS.get(group[key].lower(), 3) for key in ("p", "p2")]
    year = year_told(group, frame)
    style = "short" if year is None else "full"
    if year is not None:
        units = [iv.third_unit(year, month, third) for third in thirds]
    else:
        first = iv.sure(
            iv.nearest(
                frame.anchor,
                iv.third_unit,
                (month, thirds[0]),
                lambda: tense(found.string, found.start()),
            )
        )
        units = [first, iv.third_unit(first[0].year, month, thirds[1])]
    a, b = (iv.shift_third(unit, frame.offset, frame.days) for unit in units)
    if a == b:
        return iv.flagged(found, "part of month")
    names = [("early ", "mid-", "late ")[min((to[0].day - 1) // 10, 2)] for to in (a, b)]
    if found["p"][0].isupper():
        names[0] = names[0].capitalize()
    joint = f" {found['j'].strip('- ')} "
    tail = year_after(group | {"c": " ", "k": None}, b[0].year, frame)
    months = [month_like(found["m"], to[0].month) for to in (a, b)]
    parted = style == "full" and a[0].year != b[0].year
    head = year_after(group | {"c": " ", "k": None}, a[0].year, frame) if parted else ""
    surface = f"{names[0]}{months[0]}{head}{joint}{names[1]}{months[1]}{tail}"
    parts = [
        Part(
            found.start(),
            found.end("p"),
            iv.unit_ref(a, "part_of_month", style if parted else "short"),
        ),
        Part(found.start("j"), found.end("j"), joint),
        Part(found.end("j"), found.end(), iv.unit_ref(b, "part_of_month", style)),
    ]
    return iv.compound(found, surface, "part of month", parts)


def _side_of_month(found: re.Match[str], frame: Frame) -> Mention | None:
    """Earlier or later in the month of the text; None in another month, which moves by itself."""
    month = month_number(found["m"])
    if month != frame.anchor.month:
        return None
    unit = iv.month_unit(frame.anchor.year, month)
    to = iv.shift_month(unit, frame.offset, frame.days)
    apart = iv.relative_side(frame, "month", found["side"].lower() == "later")
    if apart != iv.months_apart(to[0], frame.moved):
        return iv.flagged(found, "edge of a unit")
    name = month_like(found["m"], to[0].month)
    surface = found.group()[: found.start("m") - found.start()] + name
    part = Part(found.start("m"), found.end("m"), iv.unit_ref(to, "month", "short"))
    return iv.compound(found, surface, "month", [part])


_ENDS = ("ly", "id", "te", "of")
"""Ends of early, mid, late and of the words with "of" that stand before a month."""
_BEFORE_PART = (
    *pairs(_ENDS, (" ", "-")),
    *pairs(("ly", "id", "te", "on", "way"), (" in ",)),
    "way through ",
)
RULES = (
    Rule(
        TWO_PARTS, _two_parts, pairs(pairs(("id", "te"), (" ", "-")), MONTHS_JOINED), reach=(28, 44)
    ),
    Rule(PART, _part, pairs(_BEFORE_PART, MONTHS_JOINED), reach=(28, 44)),
    Rule(SIDE_OF_MONTH, _side_of_month, pairs(("er in ", "on in "), MONTHS_JOINED), reach=(12, 20)),
)
