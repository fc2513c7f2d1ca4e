"""Chinese days without a month: 5日, 15号上午, 12、13日, 5至7号; what stands beside them tells whether they are days.

A number that is no day (朝阳路15号, 拘留10日) stays, and so do its words; one that may be either waits for a person.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from factory.anonymise import intervals as iv
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.dates_zh_beside import DEEDS, NOT_OF_DAYS, TIME_OF_DAY, sense
from factory.anonymise.dates_zh_lists import AND, RANGED, UNTIL
from factory.anonymise.dates_zh_words import DAY_OF, MONTH_WORDS, like, value
from factory.anonymise.intervals import Frame, Mention, Part

_UNIT = f"(?P<u>日{NOT_OF_DAYS}|号)"
_FREE = "(?<![0-9０-９月:.,-])(?<![0-9０-９]：)"
_DAY_IN_FIGURES = "(?P<d>3[01]|[12][0-9]|[1-9])"
MONTHDAY = re.compile(
    rf"{_FREE}(?P<d>3[01]|[12][0-9]|0?[1-9]|(?<![一二三四五六七八九十])(?:二?十[一二三四五六七八九]?|三十一?)){_UNIT}"
)
ONE_NUMERAL = re.compile(
    rf"(?<![0-9０-９年月周期拜一二三四五六七八九十廿初第每几数如某有])(?P<d>[一二三四五六七八九])(?P<u>日(?={TIME_OF_DAY}|{DEEDS}|[在对已]|将(?!军)|把(?!手)|起(?![重落草]))|号(?={TIME_OF_DAY}))"
)
"""Before a time of day or a deed: elsewhere 三日 is three days."""
_EDGES = (
    (
        "(?:(?<=[于在请须应限至到])|(?<=务必|必须|最迟|最晚|争取|力争|要求|计划))",
        ("日前", "日之前"),
    ),
    ("(?<=[自从])", ("日以来",)),
    ("(?<=[到至])", ("日以后", "日之后")),
)
"""15日前 is a day after 于 or 须; elsewhere it is a length of time."""
BARE_DAYS = re.compile(
    rf"(?<![0-9０-９年月一二三四五六七八九十:：.,/-])(?P<list>{DAY_OF}(?:(?:{AND}{DAY_OF})*{AND}|{UNTIL}){DAY_OF}){_UNIT}"
)
OF_MONTH = re.compile(
    rf"(?<![上下每])(?P<rel>上个?月|[本当该同]月|这个?月|下个?月)(?P<de>的?)(?P<list>{DAY_OF}(?:[日号]?(?:{AND}|{UNTIL}){DAY_OF})*){_UNIT}"
)
_DAY = re.compile(DAY_OF)
_DAY_AND_UNIT = re.compile(rf"(?P<d>{DAY_OF})(?P<u>[日号]?)")
_CHINESE = re.compile("[一二三四五六七八九十廿]")
UNCLEAR = "a day or a number"
NUMBER = "number"


def _of_anchor(number: int, frame: Frame) -> date | None:
    """The day of this number that the text means: the one told of, else that of the anchor's month."""
    hint = frame.hint
    if hint and hint.day == number and abs((hint - frame.anchor).days) <= 45:
        return hint
    return iv.day_or_none(frame.anchor.year, frame.anchor.month, number)


def _no_day(found: re.Match[str], frame: Frame, numbers: list[int], unit: str) -> Mention | None:
    """A mention that stays or waits for a person; None for what names a day.

    The day that the statement tells of settles an unclear number.
    """
    chinese = _CHINESE.match(found.group()) is not None
    said = sense(found.string, found.start(), found.end(), unit, chinese=chinese)
    if said == "day":
        return None
    if said == "other":
        return iv.kept(found, NUMBER)
    if frame.hint is not None and frame.hint.day in numbers:
        return None
    return iv.flagged(found, UNCLEAR)


def _monthday(found: re.Match[str], frame: Frame) -> Mention | None:
    written, unit = found["d"], found["u"]
    number = value(written)
    if (other := _no_day(found, frame, [number], unit)) is not None:
        return other
    day = _of_anchor(number, frame)
    if day is None:
        return iv.flagged(found, "no such day")
    to = day + timedelta(days=frame.offset)
    edge = found.groupdict().get("edge", "")
    part = Part(found.start(), found.end() - len(edge), iv.day_ref(to, "monthday"))
    return iv.compound(found, like(to.day, written) + unit + edge, "day of month", [part])


def _bare_days(found: re.Match[str], frame: Frame) -> Mention | None:
    written = [*_DAY.finditer(found.string, found.start("list"), found.end("list"))]
    numbers = [value(one.group()) for one in written]
    if (other := _no_day(found, frame, numbers, found["u"])) is not None:
        return other
    raw = [_of_anchor(number, frame) for number in numbers]
    days = [day + timedelta(days=frame.offset) for day in raw if day is not None]
    if len(days) < len(raw) or sorted(set(days)) != days:
        return iv.flagged(found, "days out of order")
    surface, parts = "", []
    for index, (one, day) in enumerate(zip(written, days, strict=True)):
        if index:
            surface += found.string[written[index - 1].end() : one.start()]
        surface += like(day.day, one.group())
        end = one.end() if index + 1 < len(written) else found.end()
        parts.append(Part(one.start(), end, iv.day_ref(day, "monthday")))
    return iv.compound(found, surface + found["u"], "day of month", parts)


def _of_month(found: re.Match[str], frame: Frame) -> Mention | None:
    """上月28日, 本月5号: the days of one month, which stays one and can be named from the shifted anchor."""
    step = {"上": -1, "本": 0, "这": 0, "下": 1}.get(found["rel"][0])
    if step is None:
        return iv.flagged(found, "month said by reference")
    written = [*_DAY_AND_UNIT.finditer(found.string, found.start("list"), found.end())]
    numbers = [value(one["d"]) for one in written]
    if found["u"] == "号":
        said = sense(found.string, found.start("list"), found.end(), "号", chinese=False)
        if said != "day":
            return iv.flagged(found, UNCLEAR)
    index = frame.anchor.year * 12 + frame.anchor.month - 1 + step
    raw = [iv.day_or_none(index // 12, index % 12 + 1, number) for number in numbers]
    days = [day + timedelta(days=frame.offset) for day in raw if day is not None]
    if len(days) < len(raw):
        return iv.flagged(found, "no such day")
    if len({(day.year, day.month) for day in days}) > 1 or days != sorted(set(days)):
        return iv.flagged(found, "days of two months")
    apart = iv.months_apart(days[0], frame.moved)
    if apart != step and apart not in MONTH_WORDS:
        return iv.flagged(found, "relative unit moves too far")
    words = found["rel"] if apart == step else MONTH_WORDS[apart]
    parts, surface = [Part(found.start(), found.end("rel"), words)], words + found["de"]
    for place, (one, day) in enumerate(zip(written, days, strict=True)):
        if place:
            surface += found.string[written[place - 1].end() : one.start()]
        surface += like(day.day, one["d"]) + one["u"]
        parts.append(Part(one.start(), one.end(), iv.day_ref(day, "monthday")))
    return iv.compound(found, surface, "day of month", parts)


RULES = (
    Rule(OF_MONTH, _of_month, ("月",), reach=(4, 64)),
    Rule(BARE_DAYS, _bare_days, RANGED, reach=(12, 64)),
    Rule(MONTHDAY, _monthday, ("日", "号"), reach=(6, 12)),
    Rule(ONE_NUMERAL, _monthday, pairs("一二三四五六七八九", "日号"), reach=(2, 8)),
    *(
        Rule(
            re.compile(
                rf"{before}{_DAY_IN_FIGURES}(?P<u>日)(?P<edge>{'|'.join(w[1:] for w in words)})"
            ),
            _monthday,
            words,
            reach=(4, 4),
        )
        for before, words in _EDGES
    ),
)
