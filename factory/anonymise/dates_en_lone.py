"""Whether a month's name that stands without a day or a year is a month.

May, March, April, June and August are words or names as well, and so are most short forms: Jan and Jun are first names,
Dec is one of Ant and Dec, Mar is a sea. Words beside the name tell: a preposition, another month joined to it, what is
counted by the month ("the Dec payrolls"). What then may still be a name is a doubt, and a whole name ("Jan Hus") none.
"""

from __future__ import annotations

import re
from typing import Literal

from factory.anonymise.dates_en_words import MONTH_NAME, TO

Sense = Literal["month", "perhaps", "name"]

_BEFORE = frozenset(
    (
        "in", "by", "since", "until", "during", "of", "before", "after", "from", "to", "through", "throughout", "for", "this", "last", "next",
        "that", "and", "between", "or", "around", "till", "within", "toward", "towards", "starting", "beginning", "ending", "ended", "following",
        "previous", "coming", "just",
    )
)  # fmt: skip
"""Words after which a month's name is likely a month."""
_OF_TIME = frozenset(
    ("in", "by", "since", "until", "during", "throughout", "till", "within", "this", "last", "next", "previous", "coming")
)  # fmt: skip
"""Words after which a month stands even before another name: "in Jan Apple sold"."""
_SLASHED = re.compile(rf"{MONTH_NAME}/$", re.ASCII)
_SLASHING = re.compile(rf"/{MONTH_NAME}\b")
_THE = re.compile(r"\b[Tt]he $")
_NOUN = re.compile(
    r" [a-z]+(?<! for)(?<! of)(?<! on)(?<! to)(?<! against)(?<! from)(?<! in)(?<! was)(?<! is)\b"
)
_OTHER_MONTH = re.compile(rf"{MONTH_NAME}(?:,? \d{{4}})?,? (?:and|or|to|through) $", re.ASCII)
_SHORT = frozenset(
    ("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec")
)
_NAMES = frozenset(("jan", "jun", "dec", "mar"))
"""Short forms that are names of people and places, too."""
_JOINT = rf"(?:,? (?:and|or|&) |, |/| ?[-–—] ?|{TO})"
_JOINED_BEFORE = re.compile(rf"{MONTH_NAME}(?:,? \d{{4}})?{_JOINT}$", re.ASCII)
_JOINED_AFTER = re.compile(rf"{_JOINT}{MONTH_NAME}(?![A-Za-z])", re.ASCII)
_OF = re.compile(
    r"(?:\b(?:[Tt]he|[Ii]ts|[Tt]heir|[Oo]ur|[Hh]is|[Hh]er|[Tt]his|[Tt]hat|[Aa]n?|[Aa]ny|[Ee]ach|[Nn]o|[Bb]oth|[Vv]ersus|[Vv]s\.?)|['’]s|s['’]|[A-Z]{2,})(?: [a-z-]+)? $"
)
"""Before the month of a figure: "the weak Dec payrolls", "China's Dec exports"."""
_FIGURE = re.compile(
    r"(?: (?:payrolls?|figures?|data|numbers?|sales|exports?|imports?|inflation|prices?|jobs?|output|orders|claims|trade|rates?|cuts?|hikes?|meetings?|minutes|contracts?|futures|deliver\w+"
    r"|readings?|prints?|surveys?|reports?|estimates?|forecasts?|revisions?|index|indices|highs?|lows?|peaks?|totals?|levels?|core|retail|industrial|consumer|producer|unemployment|housing"
    r"|factory|services|manufacturing|earnings|revenues?|results?|profits?|shipments|bookings|polls?|ballot|deadline|releases?|lending|spending|output|deficit|surplus|budget|rents?)"
    r"| (?:[A-Z]{2,5}|[YMQyq]/?o/?[YMQyq]))\b"
)
"""What is told of a month."""
_PLACE = re.compile(r" (?:del|de|dos?|da|di|Vista|Menor|Thoma)\b")
_NAME_AFTER = re.compile(r" (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z][a-z]|[ -][A-Z]\. ")
_NAME_BEFORE = re.compile(
    r"\b(?!(?:The|This|That|These|Those|An?|Its|Their|Our|But|And|Or|While|When|As|If|For|Both|All|No|Only|Yet|So|Then|Now|Weak|Strong|Core|Retail|Final|Flash|Late|Early|Mid) )"
    r"[A-Z][a-z'’-]+(?: and| & |,| or)? $"
)


def preposition(text: str, at: int) -> str:
    """The word before a month's name if it is one of those; empty when it is not."""
    if text[at - 1 : at] != " ":
        return ""
    word = text[max(at - 16, 0) : at - 1].rsplit(None, 1)[-1:]
    return word[0].lower() if word and word[0].lower() in _BEFORE else ""


def sense(found: re.Match[str], bare: str, pre: str) -> Sense:
    """What a month's name without a year is; `bare` is its name in small letters, `pre` the preposition before it."""
    start = found.start("m")
    before = found.string[max(start - 40, 0) : start]
    after = found.string[found.end() : found.end() + 40]
    if bare in _SHORT:
        return _short(bare, pre, before, after, dotted=found["m"].endswith("."))
    if bare not in ("may", "march", "april", "june", "august"):
        return "month"
    return "month" if _long(bare, pre, before, after) else "name"


def _long(bare: str, pre: str, before: str, after: str) -> bool:
    """May, March, April, June or August."""
    if pre in ("and", "or", "to", "through") and _OTHER_MONTH.search(before):
        return True
    if _JOINED_BEFORE.search(before) and _JOINED_AFTER.match(after):
        return True
    if bare in ("april", "june", "august") and (
        pre in ("to", "and", "or") or before.endswith(("'s ", "’s ", "as early as "))
    ):
        return True
    if before.endswith(("the ", "The ")) and _THE.search(before) and _NOUN.match(after):
        return True
    if pre == "just" and re.search(r"\b(?:from|since|until|in) just $", before):
        return True
    if (before.endswith("/") and _SLASHED.search(before)) or _SLASHING.match(after):
        return True
    return pre not in ("", "and", "or", "to", "for", "just") and not (
        bare in ("may", "march") and pre == "that"
    )


def _short(bare: str, pre: str, before: str, after: str, *, dotted: bool) -> Sense:
    named = bare in _NAMES
    if bare == "mar" and _PLACE.match(after):
        return "name"
    if _FIGURE.match(after):
        return "month"
    if pre in _OF_TIME:
        return "month"
    if _NAME_AFTER.match(after) and not dotted:
        return "name" if named else "perhaps"
    if _JOINED_AFTER.match(after) or _JOINED_BEFORE.search(before):
        return "month"
    if pre and pre not in ("and", "or"):
        return "perhaps" if named and pre in ("to", "for", "that") else "month"
    if re.match(r" [a-z]", after) and (dotted or _OF.search(before)):
        return "month"
    if _NAME_BEFORE.search(before):
        return "perhaps" if pre or not named else "name"
    if bare == "mar":
        return "name"
    return "perhaps" if named else "month"
