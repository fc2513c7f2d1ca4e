"""Month and day in figures without a year: 12/15, Sat 1/4, 12/28-1/3, 12-05 10:23, 12.5讯, 周五（12.5）, 12.5-12.7停课.

The same shapes are scores, votes, fractions, prices and versions, so a pair is read only beside words that make it a
date: a weekday, a time of day, a second pair, "on" or "until" before it at the end of a clause, 讯 or what people do
on a day after it. It moves when such words are certain and its order is: between Chinese words the month is first;
else a part above 12 tells, or the weekday, or the other dates of the text, or the day of the text (`dates_figures`). A
weekday must agree. What is a date but not certain is a doubt; a pair without such words is left to the calendar net.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

from factory.anonymise import intervals as iv
from factory.anonymise.dates_en_words import tense
from factory.anonymise.dates_figures import NEAR, ordered
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.intervals import Frame, Mention, Part
from sources.calendar import EN_WEEKDAY_NUMBER, EN_WEEKDAYS, ZH_WEEKDAY_DIGITS

_WEEKDAY = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun)\.?)"
)
_TIME = r"(?:,? ?(?:at |@ ?)?(?:[01]?\d|2[0-3]):[0-5]\d(?!\d)|,? (?:at )?(?:1[0-2]|[1-9]) ?[ap]\.?m\b|,? (?:at )?noon\b)"
_DEED = (
    "(?:停[课水电工航运产业]|放假|休[市假馆息]|开[庭幕拍学课会业工售奖赛放馆抢]|闭[幕馆]|集[合结中]|截[止至稿]|报[名到]|上[映线市班课午]|下[线午架]"
    "|出发|开始|起[，。、 ]|值班|调休|发[布售车文帖]|举[行办]|考试|期间|日程|行程|活动|展[出览]|巡演|演出|更新|打卡|首[发映播]|当[天日晚]|[早晚][上间]|凌晨|中午|之?前[，。、交完]|宣判|庭审|现场|直播|夜里|见[！。!])"
)
"""What people do on a day."""
_EDGE = r"(?<![\w/.,$£€¥￥#=&:+~%@-])"

SLASH = re.compile(
    rf"{_EDGE}(?:(?P<w>{_WEEKDAY})(?P<g>,? \(?))?(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})"
    r"(?:(?P<to> ?[-–—~～至到] ?| to )(?P<a2>\d{1,2})/(?P<b2>\d{1,2}))?(?![\w/%％‰°]|[.,:]\d)",
    re.ASCII,
)
DASH = re.compile(
    rf"{_EDGE}(?P<a>0\d|1[0-2])-(?P<b>[0-3]\d)(?= ?(?:[01]?\d|2[0-3]):[0-5]\d(?!\d))",
    re.ASCII,
)
"""With a time of day behind it; scores have no leading zero."""
DOT = re.compile(
    rf"{_EDGE}(?P<a>1[0-2]|0?[1-9])\.(?P<b>3[01]|[12]\d|0?[1-9])"
    r"(?:(?P<to> ?[-–—~～至到] ?)(?P<a2>1[0-2]|0?[1-9])\.(?P<b2>3[01]|[12]\d|0?[1-9]))?"
    rf"(?=讯|[）)]|[（(](?:周|週|星期|礼拜)[一二三四五六日天][）)]|{_DEED})",
    re.ASCII,
)

_ZH = re.compile(r"[\u3400-\u9fff]")
_BEFORE_ZH_DAY = re.compile(r"(?:周|週|星期|礼拜)(?P<d>[一二三四五六日天])[ ]?[（(]?$")
_AFTER_ZH_DAY = re.compile(r"[ ]?[（(]?(?:周|週|星期|礼拜)(?P<d>[一二三四五六日天])(?![年围边])")
_AFTER_DAY = re.compile(rf" ?\((?P<w>{_WEEKDAY})\)")
_CLOSED = re.compile(r"(?=[.,;:!?)\n，。；！？、）]|\s*$)")
_ON = re.compile(
    r"\b(?:on|since|until|till|dated|due|through|effective|starting|beginning|tomorrow|tonight|today|see (?:you|u|ya))(?: on)? $|[于在自从截至定到期]$",
    re.IGNORECASE,
)
_MAYBE_ON = re.compile(
    r"\b(?:by|before|after|from|between|(?:called|set|scheduled|planned|slated|down) for) $",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"\b(?:pages?|pp?\.?|parts?|ep(?:isode|\.)?|ch(?:apter|\.)?|steps?|scor\w+|rat(?:e[ds]?|ing|io)|vot\w+|passed|ratio|version|ver\.?|v\.?|odds|room|apt\.?|unit|no\.|gate"
    r"|tier|level|round|size|aspect|bp|pressure|about|roughly|nearly|almost|only|under|over|than|an?|another|of|slide|figure|table|item|question|answered|got) $"
    r"|(?:[第共约近超占达仅只比分票胜负率版高低长宽]|得[分票]?|评分|打分)[ ]?$",
    re.IGNORECASE,
)
_AMOUNT_BEFORE = re.compile(r"(?:[A-Za-z®™]|版本|系统|[涨跌至到达为价率值元每增减])[ ]?$")
"""Before a decimal figure."""
_NOT_AFTER = re.compile(
    r"(?:[ -]?(?:%|percent\b|of\b|in(?:ch(?:es)?)?\b(?! [A-Z])|cups?\b|tsp|tbsp|tea|table|ounces?|oz\b|lbs?\b|pounds?|miles?|acres?|hours?\b|votes?\b|would\b|stars?|points?|split\b|odds"
    r"|time\b|times\b|majority|chance|full\b|done\b|complete|members|people|seats|share\b|margin|wins?\b|loss|lead\b|record\b|ratio|scale|ft\b|[kcm]m\b|size|vision|way\b|[mbtr]illion|ton"
    r"|against\b|in favou?r|questions|correct|right\b|episodes|pages?))"
    r"|[ ]?(?:[的以左上下个名人票分比胜负杯勺局页场节倍强多数股者米处季英寸码席位家项次种成条层室号％%]|决赛|赛|左右|以[上下内])",
    re.IGNORECASE,
)
_FRACTION = frozenset({2, 3, 4, 5, 6, 8, 10, 16})
"""Second figures of usual fractions and marks."""
_SAYINGS = frozenset({(24, 7), (9, 11)})
"""Pairs that are words of their own."""


def _like_a_share(a: int, b: int) -> bool:
    """A fraction or a mark out of five or ten, as numbers go; also 24/7 and 9/11, which are words."""
    return (a < b and b in _FRACTION) or (a == b and b in (5, 10)) or (a, b) in _SAYINGS


def _unit(anchor: date, month: int, day: int, text: str, at: int) -> date | None:
    if not 1 <= month <= 12:
        return None
    unit = iv.nearest(anchor, iv.day_unit, (month, day), lambda: tense(text, at))
    return unit[0] if unit else None


def _weekdays(found: re.Match[str], before: str, after: str) -> set[int]:
    """Numbers of the weekdays beside the pair."""
    out = set()
    for hit in (_BEFORE_ZH_DAY.search(before), _AFTER_ZH_DAY.match(after)):
        if hit is not None:
            out.add(ZH_WEEKDAY_DIGITS[hit["d"]])
    names = [found.groupdict().get("w")]
    if paren := _AFTER_DAY.match(after):
        names.append(paren["w"])
    for name in names:
        if name:
            out.add(EN_WEEKDAY_NUMBER[name.rstrip(".").lower()])
    return out


def _certainty(
    found: re.Match[str], before: str, after: str, zh: bool
) -> Literal["sure", "near", "perhaps", ""]:
    """How far the words beside a pair without a weekday make it a date; "near" only if it is one of the next days."""
    a, b = int(found["a"]), int(found["b"])
    ranged = found["to"] is not None if "to" in found.re.groupindex else False
    if found.re is DASH:
        return "sure"
    if found.re is DOT:
        if _NOT_BEFORE.search(before) or _AMOUNT_BEFORE.search(before):
            return ""
        if after.startswith("讯"):
            return "near"
        if re.match(_DEED, after) is None:
            return ""
        return "sure" if ranged else "near"
    if (a, b) in _SAYINGS or _NOT_BEFORE.search(before) or _NOT_AFTER.match(after):
        return ""
    if ranged:
        shares = _like_a_share(a, b) and _like_a_share(int(found["a2"]), int(found["b2"]))
        return "perhaps" if shares else "sure"
    share = _like_a_share(a, b)
    if zh and re.match(_DEED, after):
        return "near" if share else "sure"
    if re.match(_TIME, after):
        return "perhaps" if share else "sure"
    if _ON.search(before):
        closed = _CLOSED.match(after) is not None
        return "near" if closed and not share else "perhaps" if closed or not share else ""
    return "perhaps" if _MAYBE_ON.search(before) and not share else ""


def _pair(found: re.Match[str], frame: Frame) -> Mention | None:
    text, start = found.string, found.start("a")
    a, b = int(found["a"]), int(found["b"])
    before, after = text[max(start - 24, 0) : start], text[found.end() : found.end() + 24]
    zh = found.re is DOT or bool(_ZH.match(after) or _ZH.search(before[-2:]))
    month_first = _unit(frame.anchor, a, b, text, start)
    day_first = None if zh or found.re is not SLASH else _unit(frame.anchor, b, a, text, start)
    readings = [day for day in (month_first, day_first) if day is not None]
    if not readings:
        return None
    weekdays = _weekdays(found, before, after)
    certainty = _certainty(found, before, after, zh)
    if weekdays and not _NOT_AFTER.match(after):
        agreeing = [day for day in readings if {day.weekday()} == weekdays]
        if not agreeing:
            return iv.flagged(found, "weekday and date disagree")
        month_first = month_first if month_first in agreeing else None
        day_first = day_first if day_first in agreeing else None
        certainty = "sure"
    if not certainty:
        return None
    readings = [*ordered(text, frame, month_first, day_first)]
    if len(readings) > 1:
        return iv.flagged(found, "order of day and month")
    day = readings[0]
    far = abs((day - frame.anchor).days)
    if frame.offset % 7 and _AFTER_DAY.match(after):
        return iv.flagged(found, "short weekday")
    if certainty == "perhaps" or far > (NEAR if certainty == "near" else iv.FAR):
        return iv.flagged(found, "a date or another pair of figures")
    return _moved(found, frame, day, month_first == day)


def _moved(found: re.Match[str], frame: Frame, first: date, month_first: bool) -> Mention:
    """A day or a range of days, with a weekday before it, in the form in which it is written."""
    group = found.groupdict()
    mark = found.string[found.end("a")]
    zeros = any((group.get(key) or "").startswith("0") for key in ("a", "b", "a2", "b2"))

    def written(day: date) -> str:
        head, tail = (day.month, day.day) if month_first else (day.day, day.month)
        return f"{head:02d}{mark}{tail:02d}" if zeros else f"{head}{mark}{tail}"

    step = timedelta(days=frame.offset)
    to = first + step
    surface, ref, reason = written(to), iv.day_ref(to, "short"), "day"
    if group.get("to"):
        x, y = int(group["a2"]), int(group["b2"])
        month, day = (x, y) if month_first else (y, x)
        last = (
            iv.day_or_none(first.year + (month < first.month), month, day)
            if 1 <= month <= 12
            else None
        )
        if last is None or not first <= last <= first + timedelta(days=iv.FAR):
            return iv.flagged(found, "no such range")
        end = last + step
        surface += group["to"] + written(end)
        ref, reason = iv.unit_ref((to, end), "range", "short"), "range"
    parts = [Part(found.start("a"), found.end(), ref)]
    if group.get("w"):
        name = EN_WEEKDAYS[to.weekday()].capitalize()
        if len(group["w"].rstrip(".")) <= 5:
            name = name[:3] + ("." if group["w"].endswith(".") else "")
        surface = f"{name}{group['g']}{surface}"
        parts.insert(0, Part(found.start(), found.end("w"), iv.day_ref(to, "weekday")))
    return iv.compound(found, surface, reason, parts)


_DIGITS = tuple("0123456789")
RULES = (
    Rule(SLASH, _pair, pairs(("/",), _DIGITS), exact=True, reach=(14, 20)),
    Rule(DASH, _pair, pairs("-", "0123"), exact=True, reach=(4, 12)),
    Rule(DOT, _pair, pairs((".",), _DIGITS), exact=True, reach=(12, 20)),
)
