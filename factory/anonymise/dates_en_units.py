"""English mentions of units and weekdays: thirds of a month, months, quarters, seasons, "last month", "the 22nd".

A word that could be ordinary (May, March, Friday as a name) needs a preposition, a year or a possessive beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import (
    DAY,
    MONTH_NAME,
    case_like,
    flag,
    month_like,
    month_number,
    ordinal,
)
from factory.anonymise.intervals import Frame, Mention, Part
from schemas import DateRef
from sources.calendar import (
    EN_MONTH_NUMBER,
    EN_ORDINALS,
    EN_SEASONS,
    EN_WEEKDAY_NUMBER,
    EN_WEEKDAYS,
)

PART = re.compile(
    rf"\b(?P<at>[Aa]t )?(?P<the>[Tt]he )?(?P<p>[Ee]arly|[Mm]id|[Ll]ate|[Bb]eginning of|[Ss]tart of|[Mm]iddle of|[Ee]nd of)(?:[ -])(?P<m>{MONTH_NAME})(?! \d{{1,2}}(?!\d))(?:,? (?P<y>(?:19|20)\d{{2}}))?",
    re.ASCII,
)
MONTH = re.compile(
    rf"(?<![A-Za-z\d-])(?P<pre>(?:[Ii]n|[Bb]y|[Ss]ince|[Uu]ntil|[Dd]uring|[Oo]f|[Bb]efore|[Aa]fter|[Ff]rom|[Tt]o|[Tt]hrough|[Tt]hroughout|[Ff]or|[Tt]his|[Ll]ast|[Nn]ext|[Tt]hat|and|between|or) |)(?P<m>{MONTH_NAME})(?![A-Za-z])(?:,? (?P<y>(?:19|20)\d{{2}})(?!\d))?",
    re.ASCII,
)
QUARTER = re.compile(
    r"\b(?P<q>Q[1-4])(?: (?P<y1>(?:19|20)\d{2}))?\b|\b(?P<the>[Tt]he )?(?P<n>[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth)(?P<j>[ -])quarter\b(?! of (?:the|a|an) )(?! final)(?: of (?P<y2>(?:19|20)\d{2}))?",
    re.ASCII,
)
SEASON = re.compile(
    r"\b(?P<the>the )?(?P<s>[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)(?P<of> of)? (?P<y>(?:19|20)\d{2})\b",
    re.ASCII,
)
WEEKDAY = re.compile(
    r"(?<![A-Za-z#@])(?P<pre>(?:[Ll]ast|[Nn]ext|[Tt]his|[Oo]n|[Bb]y|[Uu]ntil|[Ss]ince|[Ff]rom|[Bb]efore|[Aa]fter|[Ee]very|[Tt]he following|[Tt]he previous|late|early|[Cc]oming|[Bb]etween|through|to|and|met|of) |)"
    rf"(?P<w>{'|'.join(w.capitalize() for w in EN_WEEKDAYS)})s?(?![A-Za-z])",
    re.ASCII,
)
RELATIVE = re.compile(
    r"\b(?P<rel>[Ll]ast|[Tt]his|[Nn]ext) (?P<unit>month|quarter|year)\b", re.ASCII
)
NTH = re.compile(rf"(?<=\b[Oo]n )the (?P<d>{DAY})(?:st|nd|rd|th)(?=[,.;)]|$)", re.ASCII)
_FUTURE = re.compile(
    r"\b(?:will|shall|to be|is to|are to|due|expected|scheduled|plans?|set to|would|must|until|by)\b[^.;]{0,60}$",
    re.ASCII,
)

_OTHER_MONTH = re.compile(rf"{MONTH_NAME}(?:,? \d{{4}})? (?:and|or|to|through) $", re.ASCII)


def _part(found: re.Match[str], frame: Frame) -> Mention | None:
    word = found["p"].lower().split(" ")[0]
    third = {"early": 1, "beginning": 1, "start": 1, "mid": 2, "middle": 2}.get(word, 3)
    month = month_number(found["m"])
    if found["y"]:
        unit = iv.third_unit(int(found["y"]), month, third)
    else:
        near = iv.nearest(frame.anchor, lambda year: iv.third_unit(year, month, third))
        assert near is not None  # every year has every third
        unit = near
    to = iv.shift_third(unit, frame.offset)
    name = ("early ", "mid-", "late ")[min((to[0].day - 1) // 10, 2)]
    if found["p"][0].isupper() or (found["the"] or "").startswith("T"):
        name = name.capitalize()
    lead = ("In " if found["at"].startswith("A") else "in ") if found["at"] else ""
    surface = (
        lead + name + month_like(found["m"], to[0].month) + (f" {to[0].year}" if found["y"] else "")
    )
    ref = DateRef(
        start=to[0], end=to[1], precision="part_of_month", style="full" if found["y"] else "short"
    )
    parts = [Part(found.start(), found.end(), ref)]
    if found["at"]:
        parts = [
            Part(found.start(), found.end("at"), lead),
            Part(found.end("at"), found.end(), ref),
        ]
    return Mention(found.start(), found.end(), "shift", "part of month", surface, tuple(parts))


def _surely_month(found: re.Match[str], bare: str) -> bool:
    """Whether a month name without a year is a month: May, March, April, June and August are words or names, too."""
    pre = found["pre"].strip().lower()
    if bare not in ("may", "march", "mar", "april", "june", "august"):
        return bool(pre) or len(bare) > 3
    before, after = found.string[: found.start("m")], found.string[found.end() :]
    if pre in ("and", "or", "to", "through") and _OTHER_MONTH.search(before):
        return True
    if bare in ("april", "june", "august") and (
        pre in ("to", "and", "or") or before.endswith(("'s ", "’s ", "as early as "))
    ):
        return True
    if re.search(r"\b[Tt]he $", before) and re.match(
        r" [a-z]+(?<! for)(?<! of)(?<! on)(?<! to)(?<! against)(?<! from)(?<! in)(?<! was)(?<! is)\b",
        after,
    ):
        return True
    return pre not in ("", "and", "or", "to", "for") and not (
        bare in ("may", "march") and pre == "that"
    )


def _month(found: re.Match[str], frame: Frame) -> Mention | None:
    after = found.string[found.end() : found.end() + 12]
    if found["y"] is None and re.match(r"\.? \d{1,2}(?!\d)|[-–]", after):
        return None
    bare = found["m"].rstrip(".").lower()
    if not found["y"] and not _surely_month(found, bare):
        return None
    month = EN_MONTH_NUMBER[bare]
    if found["y"]:
        unit = iv.month_unit(int(found["y"]), month)
    else:
        base = frame.anchor + timedelta(
            days={"last": -183, "next": 183}.get(found["pre"].strip().lower(), 0)
        )
        near = iv.nearest(base, lambda year: iv.month_unit(year, month))
        assert near is not None  # every year has every month
        unit = near
    to = iv.shift_month(unit, frame.offset)
    surface = (
        found["pre"]
        + month_like(found["m"], to[0].month)
        + (
            found.group()[found.end("m") - found.start() : found.start("y") - found.start()]
            + str(to[0].year)
            if found["y"]
            else ""
        )
    )
    ref = DateRef(
        start=to[0], end=to[1], precision="month", style="full" if found["y"] else "short"
    )
    return Mention(
        found.start("m"),
        found.end(),
        "shift",
        "month",
        surface[len(found["pre"]) :],
        (Part(found.start("m"), found.end(), ref),),
    )


def _quarter(found: re.Match[str], frame: Frame) -> Mention | None:
    number = int(found["q"][1]) if found["q"] else EN_ORDINALS[found["n"].lower()]
    year = found["y1"] or found["y2"]
    if year:
        unit = iv.quarter_unit(int(year), number)
    else:
        near = iv.nearest(frame.anchor, lambda y: iv.quarter_unit(y, number))
        assert near is not None  # every year has every quarter
        unit = near
    to = iv.shift_quarter(unit, frame.offset)
    number = (to[0].month + 2) // 3
    style = "full" if year else "short"
    if found["q"]:
        surface = f"Q{number}" + (f" {to[0].year}" if year else "")
    else:
        word = case_like(found["n"], ("first", "second", "third", "fourth")[number - 1])
        surface = f"{found['the'] or ''}{word}{found['j']}quarter" + (
            f" of {to[0].year}" if year else ""
        )
        attributive = found["j"] == "-" or (found["the"] is None and not year)
        style = "attributive" if attributive else style
    start = found.end("the") if found["the"] and style == "attributive" else found.start()
    ref = DateRef(start=to[0], end=to[1], precision="quarter", style=style)
    return Mention(
        found.start(), found.end(), "shift", "quarter", surface, (Part(start, found.end(), ref),)
    )


def _season(found: re.Match[str], frame: Frame) -> Mention | None:
    season = EN_SEASONS[found["s"].lower()]
    to = iv.shift_season(iv.season_unit(int(found["y"]), season), frame.offset)
    if 4 in (season, (to[0].month // 3)):
        return flag(found, "a winter belongs to two years")
    name = case_like(found["s"], ("spring", "summer", "autumn", "winter")[to[0].month // 3 - 1])
    surface = f"{found['the'] or ''}{name}{found['of'] or ''} {to[0].year}"
    ref = DateRef(start=to[0], end=to[1], precision="season")
    return Mention(
        found.start(),
        found.end(),
        "shift",
        "season",
        surface,
        (Part(found.start(), found.end(), ref),),
    )


def _weekday(found: re.Match[str], frame: Frame) -> Mention | None:
    pre = found["pre"].strip().lower()
    rest = found.string[found.end() :]
    possessive = rest.startswith(("'s", "’s"))
    if not pre and not possessive and re.match(r", (?:an?|the) |[ -][A-Z]", rest):
        return None  # "Friday, a band": a name, left to the calendar net
    number = EN_WEEKDAY_NUMBER[found["w"].lower()]
    plural = found.group().endswith("s") and not found["w"].endswith("s")
    back = (frame.anchor.weekday() - number) % 7
    hint = frame.hint
    if hint is not None and hint.weekday() == number and abs((hint - frame.anchor).days) <= 7:
        day = hint
    elif pre in ("last", "the previous"):
        day = frame.anchor - timedelta(days=back or 7)
    elif pre in ("next", "the following", "coming") or _FUTURE.search(
        found.string[max(found.start() - 80, 0) : found.start()]
    ):
        day = frame.anchor + timedelta(days=(7 - back) % 7 or 7)
    else:
        day = frame.anchor - timedelta(days=back)
    to = day + timedelta(days=frame.offset)
    word = EN_WEEKDAYS[to.weekday()].capitalize() + ("s" if plural else "")
    return Mention(
        found.start("w"),
        found.end(),
        "shift",
        "weekday",
        word,
        (Part(found.start("w"), found.end("w"), iv.day_ref(to, "weekday")),),
    )


def _relative(found: re.Match[str], frame: Frame) -> Mention | None:
    """last / this / next month, quarter, year: kept while true, reworded while one of the three is."""
    step = {"last": -1, "this": 0, "next": 1}[found["rel"].lower()]
    now, then = frame.anchor, frame.moved
    if found["unit"] == "year":
        apart = iv.shift_year(iv.year_unit(now.year + step), frame.offset)[0].year - then.year
    elif found["unit"] == "month":
        index = now.year * 12 + now.month - 1 + step
        unit = iv.month_unit(index // 12, index % 12 + 1)
        apart = iv.months_apart(iv.shift_month(unit, frame.offset)[0], then)
    else:
        index = now.year * 4 + (now.month - 1) // 3 + step
        to = iv.shift_quarter(iv.quarter_unit(index // 4, index % 4 + 1), frame.offset)[0]
        apart = (to.year * 4 + (to.month - 1) // 3) - (then.year * 4 + (then.month - 1) // 3)
    if apart == step:
        return Mention(found.start(), found.end(), "leave", "relative", found.group())
    words = {-1: "last", 0: "this", 1: "next"}.get(apart)
    if words is None:
        return flag(found, "relative unit moves too far")
    surface = f"{case_like(found['rel'], words)} {found['unit']}"
    return Mention(
        found.start(),
        found.end(),
        "shift",
        "relative",
        surface,
        (Part(found.start(), found.end(), surface),),
    )


def _nth(found: re.Match[str], frame: Frame) -> Mention | None:
    day = int(found["d"])
    hint = frame.hint if frame.hint and frame.hint.day == day else None
    first = hint or iv.day_or_none(frame.anchor.year, frame.anchor.month, day)
    if first is None:
        return flag(found, "no such day")
    to = first + timedelta(days=frame.offset)
    return Mention(
        found.start(),
        found.end(),
        "shift",
        "day of month",
        "the " + ordinal(to.day, "th"),
        (Part(found.start(), found.end(), iv.day_ref(to, "monthday")),),
    )


RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Frame], Mention | None]], ...] = (
    (PART, _part),
    (MONTH, _month),
    (QUARTER, _quarter),
    (SEASON, _season),
    (WEEKDAY, _weekday),
    (RELATIVE, _relative),
    (NTH, _nth),
)
