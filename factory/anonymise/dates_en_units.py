"""English mentions of units and weekdays: thirds of a month, months, quarters, seasons, "last month", "on Friday".

A word that could be ordinary (May, March, Friday as a name) needs a preposition, a year or a possessive beside it.
"""

from __future__ import annotations

import re
from datetime import timedelta

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_lone import preposition, sense
from factory.anonymise.dates_en_words import (
    MONTH_NAME,
    MONTH_WORDS,
    MONTHS_DATED,
    NO_NOUN,
    YEAR_STEPS,
    case_like,
    code_style,
    month_like,
    relative_year,
    tense,
    year_after,
    year_before,
    year_told,
)
from factory.anonymise.dates_recurring import recurring
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part
from sources.calendar import (
    EN_MONTH_NUMBER,
    EN_ORDINALS,
    EN_SEASONS,
    EN_WEEKDAY_NUMBER,
    EN_WEEKDAYS,
)

MONTH = re.compile(
    r"(?<![A-Za-z\d-])"
    rf"(?P<m>{MONTH_NAME})(?![A-Za-z])(?:(?:,? | of |(?P<k> \())(?P<y>(?:19|20)\d{{2}})(?!\d)(?(k)\))|(?P<ref>,? of (?:that|the same) year\b)"
    r"|(?P<rc>,? of |,? )(?P<rel>[Ll]ast|[Tt]his|[Nn]ext) year\b(?!['’]s))?",
    re.ASCII,
)
QUARTER = re.compile(
    r"\b(?:(?P<own>[Ll]ast|[Tt]his|[Nn]ext) year(?P<s>['’]s ))?"
    r"(?:(?P<q>Q[1-4])(?:(?P<s1>[ /-]|,? of |, )(?P<y1>(?:19|20)\d{2}))?\b"
    r"|(?P<the>[Tt]he )?(?P<n>[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth)(?P<j>[ -])quarter\b(?! of (?:the|a|an) )(?! final)"
    r"(?:(?P<s2>,? of |,? )(?P<y2>(?:19|20)\d{2})\b)?)"
    r"(?:(?P<rc>,? of |,? )(?P<rel>last|this|next) year\b(?!['’]s))?",
    re.ASCII,
)
TWO_QUARTERS = re.compile(
    r"\b(?P<the>[Tt]he )?(?P<a>[Ff]irst|[Ss]econd|[Tt]hird)(?P<and> and | or | to | through | and the )"
    r"(?P<b>second|third|fourth)(?P<q> quarters?)\b(?! of (?:the|a|an) )(?: of (?P<y>(?:19|20)\d{2}))?",
    re.ASCII,
)
SEASON = re.compile(
    r"\b(?P<the>the )?(?P<s>[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)(?P<of> of)? (?P<y>(?:19|20)\d{2})\b",
    re.ASCII,
)
_WEEKDAY_FORMS = tuple(form for w in EN_WEEKDAYS for form in (w.capitalize(), w, w.upper()))
WEEKDAY = re.compile(
    r"(?<![A-Za-z#@])(?P<pre>(?:[Ll]ast|[Nn]ext|[Tt]his|[Oo]n|[Bb]y|[Uu]ntil|[Ss]ince|[Ff]rom|[Bb]efore|[Aa]fter|[Ee]very|[Tt]he following|[Tt]he previous|late|early|[Cc]oming|[Bb]etween|through|to|and|met|of) |)"
    rf"(?P<w>{'|'.join(_WEEKDAY_FORMS)})[sS]?(?![A-Za-z])",
    re.ASCII,
)
RELATIVE = re.compile(
    r"\b(?:(?P<side>[Ee]arlier|[Ll]ater) )?(?P<rel>[Ll]ast|[Tt]his|[Nn]ext) (?P<unit>month|quarter|year)\b",
    re.ASCII,
)
_SOON = re.compile(
    r"\b(?:will|shall|to be|is to|are to|due|expected|scheduled|plans?|set to|would|must|until|by)\b[^.;]{0,60}$",
    re.ASCII,
)
"""A weekday after these is the coming one."""
_NAME_GOES_ON = re.compile(
    rf", (?:an?|the) |[ -](?!(?:{'|'.join(w.capitalize() for w in EN_WEEKDAYS)})\b)[A-Z]"
)
"""After "Friday" where it is somebody's name; two joined weekdays are weekdays."""
_ENDS_THERE = re.compile(NO_NOUN, re.ASCII)
_QUARTERS = ("first", "second", "third", "fourth")
_OF_A_DAY = re.compile(r"\.? \d{1,2}(?!\d)|[-–—]")
"""After a month that belongs to a day or a compound."""


def _month(found: re.Match[str], frame: Frame) -> Mention | None:
    if found["y"] is None and _OF_A_DAY.match(found.string, found.end(), found.end() + 12):
        return None
    bare = found["m"].rstrip(".").lower()
    year = year_told(found.groupdict(), frame)
    dated = year is not None
    pre = "" if dated else preposition(found.string, found.start())
    if not dated and not found["ref"] and (said := sense(found, bare, pre)) != "month":
        return iv.flagged(found, "a month or a name") if said == "perhaps" else None
    month = EN_MONTH_NUMBER[bare]
    name_at = found.start("m")
    if found["ref"]:
        years = iv.year_said(frame, name_at)
        if years is None:
            return iv.flagged(found, "year said by reference")
        to = iv.shift_month(iv.month_unit(years[0], month), frame.offset, frame.days)
        true = to[0].year == years[1]
        name = month_like(found["m"], to[0].month)
        surface = name + (found["ref"] if true else f" {to[0].year}")
        ref = iv.unit_ref(to, "month", "short" if true else "full")
        part = Part(name_at, found.end("m") if true else found.end(), ref)
        return iv.compound(found, surface, "month", [part], start=name_at)
    if year is not None:
        unit = iv.month_unit(year, month)
    else:
        base = frame.anchor + timedelta(days={"last": -183, "next": 183}.get(pre, 0))
        unit = iv.sure(
            iv.nearest(base, iv.month_unit, (month,), lambda: tense(found.string, name_at))
        )
    to = iv.shift_month(unit, frame.offset, frame.days)
    surface = month_like(found["m"], to[0].month)
    if dated:
        lead = found.string[found.end("m") : found.start("y")] if found["y"] else ""
        surface += year_after(found.groupdict() | {"c": lead}, to[0].year, frame)
    ref = iv.unit_ref(to, "month", "full" if dated else "short")
    return iv.shifted(found, surface, ref, "month", start=name_at)


def _nearest_quarter(frame: Frame, number: int, year: str | None) -> iv.Unit:
    if year:
        return iv.quarter_unit(int(year), number)
    return iv.sure(iv.nearest(frame.anchor, iv.quarter_unit, (number,)))


def _quarter(found: re.Match[str], frame: Frame) -> Mention | None:
    """A quarter, with the year in figures or by reference: "the fourth quarter of last year", "last year's Q4"."""
    group = found.groupdict()
    number = int(group["q"][1]) if group["q"] else EN_ORDINALS[group["n"].lower()]
    figures, gap = group["y1"] or group["y2"], group["s1"] or group["s2"]
    if sum(map(bool, (figures, group["own"], group["rel"]))) > 1:
        return iv.flagged(found, "two years of one quarter")
    said = group["own"] or group["rel"]
    written = str(year_before(said, frame)) if said else figures
    to = iv.shift_quarter(_nearest_quarter(frame, number, written), frame.offset, frame.days)
    number, year = (to[0].month + 2) // 3, to[0].year
    word = relative_year(year, frame)
    if group["own"] and word is None:
        return iv.flagged(found, "relative unit moves too far")
    own = f"{case_like(group['own'], word or '')} year{group['s']}" if group["own"] else ""
    name = (
        f"Q{number}"
        if group["q"]
        else f"{group['the'] or ''}{case_like(group['n'], _QUARTERS[number - 1])}{group['j']}quarter"
    )
    tail = year_after({**group, "c": gap, "y": figures}, year, frame)
    attributive = (
        group["j"] == "-"
        or bool(own)
        or (
            not group["q"]
            and not group["the"]
            and not group["rel"]
            and gap in (None, " ")
            and not _ENDS_THERE.match(found.string, found.end())
        )
    )
    style = "full" if written else "short"
    if attributive:
        style = "attributive-full" if tail[-4:].isdigit() else "attributive"
    elif group["q"]:
        style = code_style(found, style)
    ref = iv.unit_ref(to, "quarter", style)
    start = found.end("the") if group["the"] and attributive else found.start()
    parts = []
    if own:
        start = found.end("the") if group["the"] else found.end("s")
        parts.append(Part(found.start(), found.end("s"), own))
    end = found.end()
    if style == "attributive" and tail:
        end = found.start("s2") if gap else found.start("rc")
    parts.append(Part(start, end, ref))
    if end < found.end():
        parts.append(Part(end, found.end(), tail))
    return iv.compound(found, own + name + tail, "quarter", parts)


def _two_quarters(found: re.Match[str], frame: Frame) -> Mention | None:
    """ "the first and second quarters of 2024": each is a quarter of its own."""
    year = found["y"]
    units = [
        iv.shift_quarter(
            _nearest_quarter(frame, EN_ORDINALS[found[key].lower()], year), frame.offset, frame.days
        )
        for key in ("a", "b")
    ]
    names = [_QUARTERS[(unit[0].month + 2) // 3 - 1] for unit in units]
    noun = found["q"]
    if year and units[0][0].year != units[1][0].year:
        noun = " quarter"
        names[0] += f" quarter of {units[0][0].year}"
    surface = f"{found['the'] or ''}{case_like(found['a'], names[0])}{found['and']}{names[1]}{noun}"
    if year:
        surface += f" of {units[1][0].year}"
    first, last = (iv.unit_ref(unit, "quarter", "full" if year else "short") for unit in units)
    parts = [
        Part(found.start(), found.end("a"), first),
        Part(found.start("b"), found.end(), last),
    ]
    return iv.compound(found, surface, "quarter", parts)


def _season(found: re.Match[str], frame: Frame) -> Mention | None:
    season = EN_SEASONS[found["s"].lower()]
    to = iv.shift_season(iv.season_unit(int(found["y"]), season), frame.offset, frame.days)
    if 4 in (season, (to[0].month // 3)):
        return iv.flagged(found, "a winter belongs to two years")
    name = case_like(found["s"], ("spring", "summer", "autumn", "winter")[to[0].month // 3 - 1])
    surface = f"{found['the'] or ''}{name}{found['of'] or ''} {to[0].year}"
    ref = iv.unit_ref(to, "season")
    return iv.shifted(found, surface, ref, "season")


def _weekday(found: re.Match[str], frame: Frame) -> Mention | None:
    pre = found["pre"].strip().lower()
    rest = found.string[found.end() : found.end() + 12]
    possessive = rest.startswith(("'s", "’s"))
    named = found["w"][1].islower() and found["w"][0].isupper()
    if named and not pre and not possessive and _NAME_GOES_ON.match(rest):
        return None  # "Friday, a band": a name, left to the calendar net
    if found.end("w") < found.end():
        return recurring(found, frame)._replace(
            start=found.start("w"), surface=found.string[found.start("w") : found.end()]
        )
    number = EN_WEEKDAY_NUMBER[found["w"].lower()]
    back = (frame.anchor.weekday() - number) % 7
    hint = frame.hint
    if hint is not None and hint.weekday() == number and abs((hint - frame.anchor).days) <= 7:
        day = hint
    elif pre in ("last", "the previous"):
        day = frame.anchor - timedelta(days=back or 7)
    elif pre in ("next", "the following", "coming") or _SOON.search(
        found.string[max(found.start() - 80, 0) : found.start()]
    ):
        day = frame.anchor + timedelta(days=(7 - back) % 7 or 7)
    else:
        day = frame.anchor - timedelta(days=back)
    to = day + timedelta(days=frame.offset)
    word = case_like(found["w"], EN_WEEKDAYS[to.weekday()])
    part = Part(found.start("w"), found.end("w"), iv.day_ref(to, "weekday"))
    return iv.compound(found, word, "weekday", [part], start=part.start)


def _relative(found: re.Match[str], frame: Frame) -> Mention | None:
    """last / this / next month, quarter, year: kept while true, reworded while one of the three is."""
    step = YEAR_STEPS[found["rel"].lower()]
    span = found.string[max(found.start() - 4, 0) : found.start()].lower() == "the "
    if span and found["unit"] != "quarter":
        return iv.kept(found, "duration")  # "over the last year", "the last month of his term"
    if found["side"] and found["unit"] == "year":
        return None  # a mark of its own
    if found["side"] and step:
        return iv.flagged(found, "edge of a unit")
    if found["side"]:
        apart = iv.relative_side(frame, found["unit"], found["side"].lower() == "later")
    elif found["unit"] == "year":
        apart = iv.relative_year(frame, step)
    elif found["unit"] == "month":
        apart = iv.relative_month(frame, step)[0]
    else:
        apart = iv.relative_quarter(frame, step)
    if apart == step:
        return iv.kept(found, "relative")
    forms = {
        -2: "the {} before last",
        -1: "last {}",
        0: "this {}",
        1: "next {}",
        2: "the {} after next",
    }
    if span:
        return iv.flagged(found, "relative unit")
    possessive = found.string.startswith(("'s", "’s"), found.end())
    if apart not in forms or (possessive and abs(apart) == 2):
        return iv.flagged(found, "relative unit moves too far")
    words = forms[apart].format(found["unit"])
    return iv.reworded(found, words[0].upper() + words[1:] if found.group()[0].isupper() else words)


_NTHS = pairs(("rst", "ond", "ird", "rth"), (" quarter", "-quarter"))
_SEASON_WORDS = tuple(form for word in EN_SEASONS for form in (word, word.capitalize()))
RULES = (
    Rule(MONTH, _month, (*MONTH_WORDS, *MONTHS_DATED), reach=(0, 44)),
    Rule(QUARTER, _quarter, ("Q1", "Q2", "Q3", "Q4", *_NTHS), reach=(40, 44)),
    Rule(TWO_QUARTERS, _two_quarters, _NTHS, reach=(40, 28)),
    Rule(
        SEASON,
        _season,
        pairs(_SEASON_WORDS, (" 19", " 20", " of 19", " of 20")),
        reach=(8, 8),
    ),
    Rule(WEEKDAY, _weekday, _WEEKDAY_FORMS, reach=(18, 16)),
    Rule(
        RELATIVE,
        _relative,
        pairs(("ast ", "his ", "ext "), ("month", "quarter", "year")),
        reach=(14, 12),
    ),
)
