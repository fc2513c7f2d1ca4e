"""Years that joined dates share: "in January and November 2024", "Q3 and Q4 2024", 2024年1月3日和3月5日.

One year is written for all of them, so each is read in it; what is nearest to the day of the text may lie in another.
Where the shift leaves them in one year the list keeps its short form. Where it parts them, a year written once would
be false of the others, so every one of them carries its own; one that cannot is a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import TO
from factory.anonymise.intervals import Frame, Mention, Part
from schemas import DateRef

Read = Callable[[str], list[Mention]]
"""The mentions of a text, each read by itself."""

YEAR_UNSAID = "year shared by a list"
_KINDS = frozenset(
    {
        "day",
        "days",
        "two days",
        "range",
        "month",
        "months",
        "two months",
        "part of month",
        "quarter",
    }
)
_RANGE = re.compile(rf"(?:{TO}| ?[-–—－~～] ?|—+|[ ]?[至到][ ]?)(?:the )?")
_LIST = re.compile(
    r"(?:,? (?:and|or|&|then|plus|as well as|and then|and again|but also)(?: (?:on|in|by|for|of|from))? |/)(?:the )?"
    r"|[ ]?(?:以及|[、和及与或暨])[ ]?(?:在|于)?"
)
_COMMA = re.compile(r", (?:(?:on|in) )?(?:the )?")
_YEAR_WORDS = re.compile(r"\b(?:last|this|next|that|same) year\b|[去今明前后同当]年", re.IGNORECASE)
_LONGEST = 24
"""Characters of the longest joint."""
_LOOK = 40
"""Characters before a mention that it is read with."""
_WITH_YEAR = {"short": "full", "attributive": "attributive-full"}
_WITHOUT_YEAR = {style: bare for bare, style in _WITH_YEAR.items()}
_NAMED_QUARTER = re.compile(r" quarters?$")
_DAY_LAST = re.compile(r"\d(?:st|nd|rd|th)?$")


@dataclass
class _Member:
    """One mention of a list."""

    mention: Mention
    dated: bool
    """Its year is written in it."""
    first: date
    """A day of the first that it names, before the shift."""
    last: date
    """A day of the last that it names, before the shift."""
    joint: str = ""
    """The words between it and the mention before it; empty for the first."""


def _refs(mention: Mention) -> list[DateRef]:
    return [part.ref for part in mention.parts if isinstance(part.ref, DateRef)]


def _years(mention: Mention) -> set[int]:
    return {day.year for ref in _refs(mention) for day in (ref.start, ref.end)}


def _ends(mention: Mention, step: timedelta) -> tuple[date, date]:
    """A day of the first and of the last unit before the shift; the middle of a unit stays inside it."""
    refs = _refs(mention)
    first, last = (ref.start + (ref.end - ref.start) / 2 - step for ref in (refs[0], refs[-1]))
    return first, last


def _carries(mention: Mention) -> bool:
    return any(ref.style in _WITHOUT_YEAR for ref in _refs(mention))


def _runs(text: str, chosen: list[Mention]) -> list[list[int]]:
    """Places of mentions that stand joined; a comma joins only before an "and"."""
    runs: list[list[int]] = []
    run: list[int] = []
    held = 0
    """Members of the run up to the last joint that is no comma."""
    for place, mention in enumerate(chosen):
        if mention.kind != "shift" or mention.reason not in _KINDS or not _refs(mention):
            continue
        kind = ""
        if run and chosen[run[-1]].end <= mention.start <= chosen[run[-1]].end + _LONGEST:
            gap = text[chosen[run[-1]].end : mention.start]
            kind = "comma" if _COMMA.fullmatch(gap) else "whole" if _joins(gap) else ""
        if not kind:
            runs.append(run[:held])
            run, held = [], 0
        run.append(place)
        if kind == "whole":
            held = len(run)
    runs.append(run[:held])
    return [each for each in runs if len(each) > 1]


def _joins(gap: str) -> bool:
    return bool(_RANGE.fullmatch(gap) or _LIST.fullmatch(gap))


def joined(text: str, chosen: list[Mention], frame: Frame, read: Read) -> list[Mention]:
    """The mentions, those of a list that shares a year read in it and true of it after the shift."""
    runs = _runs(text, chosen)
    if not runs:
        return chosen
    out = list(chosen)
    step = timedelta(days=frame.offset)
    for run in runs:
        members = [
            _Member(chosen[place], _is_dated(text, chosen, place), *_ends(chosen[place], step))
            for place in run
        ]
        if all(each.dated for each in members) or not any(each.dated for each in members):
            continue
        for before, member in pairwise(members):
            member.joint = text[before.mention.end : member.mention.start]
        for place, mention in zip(run, _settled(text, members, step, read), strict=True):
            out[place] = mention
    return out


def _is_dated(text: str, chosen: list[Mention], place: int) -> bool:
    mention = chosen[place]
    if _carries(mention) or _YEAR_WORDS.search(text[mention.start : mention.end]):
        return True
    follows = chosen[place + 1] if place + 1 < len(chosen) else None
    return (
        follows is not None
        and follows.start == mention.end
        and _YEAR_WORDS.search(text[follows.start : follows.end]) is not None
    )


def _settled(text: str, members: list[_Member], step: timedelta, read: Read) -> list[Mention]:
    """Each mention in the year of the list, with that year written where the shift parts them."""
    full: dict[int, Mention | None] = {}
    for at, beside in _order(text, members):
        told = _with_year(text, members[at].mention, _year_beside(members, at, beside), read)
        full[at] = told
        if told is not None:
            members[at].first, members[at].last = _ends(told, step)
    told_all = [full.get(at) or each.mention for at, each in enumerate(members)]
    parted = len(set().union(*map(_years, told_all))) > 1
    out: list[Mention] = []
    for at, (member, told) in enumerate(zip(members, told_all, strict=True)):
        if at in full and full[at] is None:
            right = not parted and member.first.year == _shared(members)
            out.append(member.mention if right else _doubt(text, member.mention))
        elif not parted:
            out.append(_short(text, told, member.mention) if at in full else told)
        else:
            out.append(_styled(told, _WITH_YEAR) if _carries(told) else _doubt(text, told))
    return out


def _shared(members: list[_Member]) -> int:
    return next(each.first.year for each in members if each.dated)


def _order(text: str, members: list[_Member]) -> list[tuple[int, int]]:
    """Undated members with the neighbour whose year they take, each after that neighbour.

    English writes the year last, Chinese first.
    """
    ahead: list[tuple[int, int]] = []
    known = {at for at, each in enumerate(members) if each.dated}

    def backward() -> None:
        for at in range(len(members) - 2, -1, -1):
            if at not in known and at + 1 in known:
                known.add(at)
                ahead.append((at, at + 1))

    def forward() -> None:
        for at in range(1, len(members)):
            if at not in known and at - 1 in known:
                known.add(at)
                ahead.append((at, at - 1))

    first = members[0].mention
    steps = (backward, forward) if text[first.start : first.end].isascii() else (forward, backward)
    for step in steps:
        step()
    return ahead


def _year_beside(members: list[_Member], at: int, beside: int) -> int:
    """The raw year of an undated member beside a dated one.

    What goes on past December has crossed New Year, unless it is one of a list out of order that the day of the text
    puts into the year that is written.
    """
    member, other = members[at], members[beside]
    if beside < at:
        year, side = other.last.year, other.last.year + 1
        crossed = member.first.month < other.last.month
        ranged = _RANGE.fullmatch(member.joint) is not None
        if ranged and member.joint.isascii() and member.first.year == side:
            return side  # "from March 2023 to July"
    else:
        year, side = other.first.year, other.first.year - 1
        crossed = member.last.month > other.first.month
        ranged = _RANGE.fullmatch(other.joint) is not None
    return side if crossed and (ranged or member.first.year != year) else year


def _with_year(text: str, mention: Mention, year: int, read: Read) -> Mention | None:
    """The mention as it is read with its year written; None where that is no one mention."""
    low = max(mention.start - _LOOK, 0)
    words = text[mention.start : mention.end]
    lead, tail = _year_around(words, year)
    context = text[low : mention.start] + lead
    whole = context + words + tail
    start = len(context) - len(lead)
    found = next((m for m in read(whole) if m.start == start and m.end == len(whole)), None)
    if found is None or found.kind != "shift" or not _carries(found):
        return None
    parts = []
    for part in found.parts:
        first = max(part.start - len(context), 0) + mention.start
        last = min(part.end - len(context) + mention.start, mention.end)
        if first < last:
            parts.append(Part(first, last, part.ref))
    return Mention(mention.start, mention.end, "shift", mention.reason, found.surface, tuple(parts))


def _year_around(words: str, year: int) -> tuple[str, str]:
    """What is written before and behind words to give them their year."""
    if not words.isascii():
        return f"{year}年", ""
    if _NAMED_QUARTER.search(words):
        return "", f" of {year}"
    return "", f", {year}" if words[0].isalpha() and _is_day(words) else f" {year}"


def _is_day(words: str) -> bool:
    return not words.startswith("Q") and _DAY_LAST.search(words) is not None


def _short(text: str, told: Mention, written: Mention) -> Mention:
    """The mention without its year, as it was written; untouched where it says the same."""
    parts = _styled(told, _WITHOUT_YEAR).parts
    if [part.ref for part in parts] == [part.ref for part in written.parts]:
        return written
    lead, tail = _year_around(text[written.start : written.end], max(_years(told)))
    surface = told.surface.removeprefix(lead).removesuffix(tail)
    return told._replace(surface=surface, parts=parts)


def _styled(mention: Mention, styles: Mapping[str, str]) -> Mention:
    """The mention with another style of its dates, where one is given for theirs."""
    parts = tuple(
        part._replace(ref=part.ref.model_copy(update={"style": styles.get(part.ref.style, part.ref.style)}))
        if isinstance(part.ref, DateRef)
        else part
        for part in mention.parts
    )  # fmt: skip
    return mention._replace(parts=parts)


def _doubt(text: str, mention: Mention) -> Mention:
    words = text[mention.start : mention.end]
    return iv.Mention(mention.start, mention.end, "flag", YEAR_UNSAID, words)
