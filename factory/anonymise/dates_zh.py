"""Chinese date mentions: 年月日 in ASCII, full-width and Chinese numerals, ranges, 旬, 季度, 季, 周几, 本月底.

Each rule reads one form and writes the shifted mention in the same form; full-width figures become ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

from factory.anonymise import intervals as iv
from factory.anonymise.dates_scan import Rule
from factory.anonymise.intervals import Frame, Mention, Part
from sources.calendar import ZH_WEEKDAY_DIGITS, parse_zh_numeral

_CN = "零〇一二三四五六七八九十"
_Y = "(?:[12][09][0-9]{2}|[１２][０９][０-９]{2}|[二一][〇零○九][〇零○一二三四五六七八九]{2}|[0-9]{2})"
_REL = "今年|去年|明年|前年|后年|同年|当年"
_M = "(?:1[0-2]|0?[1-9]|１[０-２]|０?[１-９]|十[一二]?|[一二三四五六七八九]|元)"
_D = "(?:3[01]|[12][0-9]|0?[1-9]|３[０１]|[１２][０-９]|０?[１-９]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]|廿[一二三四五六七八九]?)"
_TO = "[ ]?(?:至|到|—+|–|-|－|~|～)[ ]?"
_WEEK = "周|週|星期|礼拜"

DAY = re.compile(
    rf"(?:(?P<y>{_Y})(?P<s1> ?)年(?P<s2> ?)|(?P<rel>{_REL}))?(?P<m>{_M})(?P<s3> ?)月(?P<s4> ?)(?P<d>{_D})(?P<s5> ?)(?P<u>[日号]?)"
    rf"(?:(?P<to>{_TO})(?:(?P<y2>{_Y})年)?(?:(?P<m2>{_M})月)?(?P<d2>{_D})(?P<u2>[日号]))?"
    rf"(?P<wp>[（(](?:{_WEEK})[一二三四五六日天][）)]|[，, ]?(?:{_WEEK})[一二三四五六日天](?![年围边刊期报至到—–~～-]))?"
)
MONTH = re.compile(
    rf"(?<![个每近前后近约第逾满])(?:(?P<y>{_Y})(?P<s1> ?)年(?P<s2> ?)|(?P<rel>{_REL}))?(?<![0-9０-９一二三四五六七八九])(?P<m>{_M}) ?月(?:份)?(?P<p>上旬|中旬|下旬|初(?!步|审|赛|选|中|期|始|心|衷)|底|末(?!端|尾|位))?(?! ?[0-9０-９]|[一二三四五六七八九十]{{1,3}}[日号、]|中下旬|上中旬|季|饼|球|内|后(?!$)|娘|嫂)"
)
REL_MONTH = re.compile(
    "(?P<rel>上个?月|本月|这个?月|当月|下个?月)(?P<p>上旬|中旬|下旬|初(?!步)|底|末)?(?!饼|球)|(?<![0-9０-９一二三四五六七八九十个上下本当])月(?P<q>初|中旬|底|末)"
)
QUARTER = re.compile(rf"(?:(?P<y>{_Y})年)?(?P<di>第?)(?P<q>[一二三四1-4])季度")
TWO_QUARTERS = re.compile(
    rf"(?:(?P<y>{_Y})年)?(?P<di>第?)(?P<a>[一二三])(?P<to>[、和至到及与]?第?)(?P<b>[二三四])季度"
)
Q_CODE = re.compile("(?<![A-Za-z0-9])(?:(?P<y>20[0-9]{2})年?)Q(?P<q>[1-4])(?![0-9])")
SEASON = re.compile("(?P<y>[12][09][0-9]{2})年(?P<k>的?)(?P<s>[春夏秋冬])(?P<t>[季天])")
WEEKDAY = re.compile(
    rf"(?P<rel>[上下本这]个?)?(?P<w>{_WEEK})(?P<d>[一二三四五六日天])(?![年围边刊期报])(?:(?P<to>{_TO})(?P<w2>{_WEEK})?(?P<d2>[一二三四五六日天]))?"
)
REL_YEAR = re.compile(
    "(?P<rel>今年|去年|明年|前年|后年)(?![春夏秋冬初底末年]|[上下]半年|[0-9一二三四五六七八九十]{1,3}月)"
)
MONTHDAY = re.compile(
    "(?<![0-9０-９年月第每近前后一二三四五六七八九十:：.,-])(?P<d>3[01]|[12][0-9]|[1-9]|二?十[一二三四五六七八九]?|三十一?)(?P<u>[日号])"
    "(?![内间游后前线楼馆厅门机文院柜台桌码令均元报本历趋班夜位选球坑井房室店铺车船口厂站](?!午|晚))(?!以[内来后前])"
)
_PARTS = {"上旬": 1, "初": 1, "中旬": 2, "下旬": 3, "底": 3, "末": 3}
_REL_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_REL_WORDS = {step: word for word, step in _REL_YEARS.items()}
_PLAN = re.compile("将|拟|定于|预计|计划|即将|有望|必须|须于|应于|应当|要求|须在|截止|最迟")
_DONE = re.compile("(?:曾|已|此前|早前|早在|当时|自|从)[^，。；]{0,6}$")
_SAID = re.compile(
    "[^，。；]{0,4}(?:回应|表示|宣布|称|说|通过了|公布了|发布了|召开了|举行了|证实|披露|透露)"
)
_FUTURE = re.compile("(?:将|拟|定于|预计|计划|即将|有望|须于|应于|不晚于|截至)[^。；，]{0,12}$")


def _cn(number: int) -> str:
    tens, ones = divmod(number, 10)
    return ("" if tens == 0 else "十" if tens == 1 else _CN[tens + 1] + "十") + (
        _CN[ones + 1] if ones else ""
    )


@lru_cache(maxsize=1024)
def _is_cn(written: str) -> bool:
    return any(char in _CN + "○廿元" for char in written)


@lru_cache(maxsize=1024)
def _value(written: str) -> int:
    return (
        1 if written == "元" else int(written) if written.isdigit() else parse_zh_numeral(written)
    )


def _like(number: int, written: str) -> str:
    if _is_cn(written):
        return _cn(number)
    return f"{number:02d}" if len(written) == 2 and written[0] in "0０" else str(number)


def _year_like(year: int, written: str) -> str:
    if _is_cn(written):
        zero = next((char for char in written if char in "零〇○"), "〇")
        return "".join(zero if char == "0" else _CN[int(char) + 1] for char in str(year))
    return str(year)[-2:] if len(written) == 2 else str(year)


def _year_of(written: str, anchor: date) -> int:
    year = _value(written)
    if len(written) > 2:
        return year
    century = anchor.year // 100 * 100
    return min((century - 100 + year, century + year), key=lambda y: abs(y - anchor.year))


def _tense(found: re.Match[str]) -> int:
    """1 for a deadline or a plan, -1 for what has happened, 0 when the sentence does not tell."""
    before = re.split("[，。；！？]", found.string[max(found.start() - 40, 0) : found.start()])[-1]
    after = found.string[found.end() : found.end() + 8]
    if before.endswith("截至"):
        return 0
    if _PLAN.search(before) or re.match("[之以]?前[须应将完提获]", after):
        return 1
    return -1 if _DONE.search(before) else 0


def _rel_word(written: str, year: int, frame: Frame, position: int) -> str:
    """今年, 去年 ... of the shifted anchor; 当年 and 同年 while they are true of the year before them."""
    if written in _REL_YEARS:
        return _REL_WORDS.get(year - frame.moved.year, f"{year}年")
    said = iv.year_said(frame, position)
    return written if said is not None and said[1] == year else f"{year}年"


def _day(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    if not group["u"] and not group["d2"]:
        return None
    if (
        group["y"]
        and len(group["y"]) == 2
        and found.start()
        and found.string[found.start() - 1].isdigit()
    ):
        return None
    month, day = _value(group["m"]), _value(group["d"])
    if group["y"]:
        first = iv.day_or_none(_year_of(group["y"], frame.anchor), month, day)
    elif group["rel"] in _REL_YEARS:
        first = iv.day_or_none(frame.anchor.year + _REL_YEARS[group["rel"]], month, day)
    elif group["rel"]:
        said = iv.year_said(frame, found.start())
        if said is None:
            return iv.flagged(found, "year said by reference")
        first = iv.day_or_none(said[0], month, day)
    else:
        unit = iv.nearest(
            frame.anchor,
            iv.day_unit,
            (month, day),
            None if group["wp"] else lambda: _tense(found),
        )
        first = unit[0] if unit else None
    if first is None:
        return iv.flagged(found, "no such day")
    last = first
    if group["d2"]:
        month2 = _value(group["m2"]) if group["m2"] else month
        year2 = (
            _year_of(group["y2"], frame.anchor) if group["y2"] else first.year + (month2 < month)
        )
        end = iv.day_or_none(year2, month2, _value(group["d2"]))
        if end is None or end < first:
            return iv.flagged(found, "no such range")
        last = end
    weekday = group["wp"]
    digit = weekday.rstrip("）)")[-1] if weekday else ""
    if weekday and ZH_WEEKDAY_DIGITS[digit] != (last if group["d2"] else first).weekday():
        return iv.flagged(found, "weekday and date disagree")
    a, b = first + timedelta(days=frame.offset), last + timedelta(days=frame.offset)
    words = ""
    if group["y"]:
        words = f"{_year_like(a.year, group['y'])}{group['s1']}年{group['s2']}"
    elif group["rel"]:
        words = _rel_word(group["rel"], a.year, frame, found.start())
    words += f"{_like(a.month, group['m'])}{group['s3']}月{group['s4']}{_like(a.day, group['d'])}"
    style = "full" if group["y"] or group["rel"] else "short"
    if group["d2"]:
        split = (a.year, a.month) != (b.year, b.month)
        words += group["s5"] + (group["u"] or (group["u2"] if split else "")) + group["to"]
        if split:
            if group["y"] and a.year != b.year:
                words += f"{_year_like(b.year, group['y'])}年"
            words += f"{_like(b.month, group['m2'] or group['m'])}月"
        words += f"{_like(b.day, group['d2'])}{group['u2']}"
        ref = iv.unit_ref((a, b), "range", style)
    else:
        words += group["s5"] + group["u"]
        ref = iv.day_ref(a, style)
    parts = [Part(found.start(), found.end(), ref)]
    if weekday:
        to = "天" if digit == "天" and b.weekday() == 6 else "一二三四五六日"[b.weekday()]
        lead = weekday[0] if weekday[0] in "（(，, " else ""
        closer = weekday[-1] if weekday[-1] in "）)" else ""
        words += weekday[: len(weekday) - 1 - len(closer)] + to + closer
        at = found.start("wp")
        parts = [
            Part(found.start(), at, ref),
            Part(at + len(lead), found.end() - len(closer), iv.day_ref(b, "weekday")),
        ]
    return iv.compound(found, words, "range" if group["d2"] else "day", parts)


def _month(found: re.Match[str], frame: Frame) -> Mention | None:
    month = _value(found["m"])
    third = _PARTS.get(found["p"] or "", 0)

    unit_of: Callable[..., iv.Unit] = iv.third_unit if third else iv.month_unit
    of = (month, third) if third else (month,)
    if found["y"]:
        unit = unit_of(_year_of(found["y"], frame.anchor), *of)
    elif found["rel"] in _REL_YEARS:
        unit = unit_of(frame.anchor.year + _REL_YEARS[found["rel"]], *of)
    elif found["rel"]:
        said = iv.year_said(frame, found.start())
        if said is None:
            return iv.flagged(found, "year said by reference")
        unit = unit_of(said[0], *of)
    else:
        unit = iv.sure(iv.nearest(frame.anchor, unit_of, of, lambda: _tense(found)))
    shift = iv.shift_third if third else iv.shift_month
    to = shift(unit, frame.offset, frame.days)
    words = ""
    if found["y"]:
        words = f"{_year_like(to[0].year, found['y'])}{found['s1']}年{found['s2']}"
    elif found["rel"]:
        words = _rel_word(found["rel"], to[0].year, frame, found.start())
    words += _like(to[0].month, found["m"]) + "月" + ("份" if "月份" in found.group() else "")
    if third:
        words += ("初", "中旬", "下旬")[min((to[0].day - 1) // 10, 2)]
    style = "full" if found["y"] or found["rel"] else "short"
    ref = iv.unit_ref(to, "part_of_month" if third else "month", style)
    return iv.shifted(found, words, ref, "month")


def _rel_month(found: re.Match[str], frame: Frame) -> Mention | None:
    """上月, 本月底, 月初: kept while true of the shifted day, reworded while 上/本/下月 can say it."""
    rel = found["rel"] or "本月"
    step = -1 if rel[0] == "上" else 1 if rel[0] == "下" else 0
    third = _PARTS.get(found["p"] or found["q"] or "", 0)
    apart, to = iv.relative_month(frame, step, third)
    after = min((to[0].day - 1) // 10, 2) + 1 if third else 0
    if apart == step and after == third:
        return iv.kept(found, "relative")
    words = {-2: "上上个月", -1: "上月", 0: "本月", 1: "下月", 2: "下下个月"}.get(apart)
    if words is None:
        return iv.flagged(found, "relative unit moves too far")
    return iv.reworded(found, words + ("", "初", "中旬", "底")[after])


def _nearest_quarter(frame: Frame, number: int) -> iv.Unit:
    return iv.sure(iv.nearest(frame.anchor, iv.quarter_unit, (number,)))


def _quarter(found: re.Match[str], frame: Frame) -> Mention | None:
    number = _value(found["q"])
    if found["y"]:
        unit = iv.quarter_unit(_year_of(found["y"], frame.anchor), number)
    else:
        unit = _nearest_quarter(frame, number)
    to = iv.shift_quarter(unit, frame.offset, frame.days)
    number = (to[0].month + 2) // 3
    year = f"{_year_like(to[0].year, found['y'])}年" if found["y"] else ""
    if found.re is Q_CODE:
        surface = found.group().replace(found["y"], str(to[0].year))[:-1] + str(number)
    else:
        surface = f"{year}{found['di']}{_like(number, found['q'])}季度"
    ref = iv.unit_ref(to, "quarter", "full" if found["y"] else "short")
    return iv.shifted(found, surface, ref, "quarter")


def _two_quarters(found: re.Match[str], frame: Frame) -> Mention | None:
    """一、二季度: each is a quarter of its own."""
    units = []
    for number in (_value(found["a"]), _value(found["b"])):
        if found["y"]:
            unit = iv.quarter_unit(_year_of(found["y"], frame.anchor), number)
        else:
            unit = _nearest_quarter(frame, number)
        units.append(iv.shift_quarter(unit, frame.offset, frame.days))
    a, b = ("一二三四"[(unit[0].month + 2) // 3 - 1] for unit in units)
    first = f"{_year_like(units[0][0].year, found['y'])}年" if found["y"] else ""
    split = bool(found["y"]) and units[0][0].year != units[1][0].year
    second = f"{_year_like(units[1][0].year, found['y'])}年" if split else ""
    styles = ("full" if found["y"] else "short", "full" if split else "short")
    refs = [iv.unit_ref(unit, "quarter", style) for unit, style in zip(units, styles, strict=True)]
    parts = [
        Part(found.start(), found.end("a"), refs[0]),
        Part(found.end("to") - found["to"].endswith("第"), found.end(), refs[1]),
    ]
    words = f"{first}{found['di']}{a}{found['to'].rstrip('第')}{second}"
    words += ("第" if found["to"].endswith("第") or (split and found["di"]) else "") + f"{b}季度"
    return iv.compound(found, words, "quarter", parts)


def _season(found: re.Match[str], frame: Frame) -> Mention | None:
    season = "春夏秋冬".index(found["s"]) + 1
    to = iv.shift_season(iv.season_unit(int(found["y"]), season), frame.offset, frame.days)
    after = to[0].month // 3
    if 4 in (season, after):
        return iv.flagged(found, "a winter belongs to two years")
    surface = f"{to[0].year}年{found['k']}{'春夏秋冬'[after - 1]}{found['t']}"
    ref = iv.unit_ref(to, "season")
    return iv.shifted(found, surface, ref, "season")


def _weekday(found: re.Match[str], frame: Frame) -> Mention | None:
    monday = frame.anchor - timedelta(days=frame.anchor.weekday())
    rel = (found["rel"] or "")[:1]
    week = {"上": -7, "下": 7}.get(rel, 0)
    day = monday + timedelta(days=week + ZH_WEEKDAY_DIGITS[found["d"]])
    hint = frame.hint
    if (
        not rel
        and hint
        and hint.weekday() == day.weekday()
        and abs((hint - frame.anchor).days) <= 7
    ):
        day = hint
    elif (
        not rel
        and day < frame.anchor
        and _FUTURE.search(found.string[max(found.start() - 30, 0) : found.start()])
    ):
        day += timedelta(days=7)
    elif not rel and day > frame.anchor and _SAID.match(found.string, found.end()):
        day -= timedelta(days=7)
    parts, words = [], found["rel"] or ""
    days = [(found.start("w"), found.end("d"), found["w"], found["d"], day)]
    if found["d2"]:
        gap = (ZH_WEEKDAY_DIGITS[found["d2"]] - day.weekday()) % 7
        start = found.start("w2") if found["w2"] else found.start("d2")
        days.append((start, found.end(), found["w2"] or "", found["d2"], day + timedelta(days=gap)))
    for index, (start, end, prefix, digit, each) in enumerate(days):
        to = each + timedelta(days=frame.offset)
        if index:
            words += found["to"]
        words += prefix + (
            "天" if digit == "天" and to.weekday() == 6 else "一二三四五六日"[to.weekday()]
        )
        parts.append(Part(start, end, iv.day_ref(to, "weekday")))
    return iv.compound(found, words, "weekday", parts)


def _rel_year(found: re.Match[str], frame: Frame) -> Mention | None:
    step = _REL_YEARS[found["rel"]]
    apart = iv.relative_year(frame, step)
    if apart == step:
        return iv.kept(found, "relative")
    if apart not in _REL_WORDS:
        return iv.flagged(found, "relative unit moves too far")
    return iv.reworded(found, _REL_WORDS[apart])


def _monthday(found: re.Match[str], frame: Frame) -> Mention | None:
    day = _value(found["d"])
    if frame.hint and frame.hint.day == day and abs((frame.hint - frame.anchor).days) <= 45:
        first: date | None = frame.hint
    else:
        first = iv.day_or_none(frame.anchor.year, frame.anchor.month, day)
    if first is None:
        return iv.flagged(found, "no such day")
    to = first + timedelta(days=frame.offset)
    surface = _like(to.day, found["d"]) + found["u"]
    return iv.shifted(found, surface, iv.day_ref(to, "monthday"), "day of month")


RULES = (
    Rule(DAY, _day, ("月",), exact=True, reach=(14, 44)),
    Rule(MONTH, _month, ("月",), reach=(14, 12)),
    Rule(REL_MONTH, _rel_month, ("月",), reach=(4, 6)),
    Rule(QUARTER, _quarter, ("季度",), reach=(10, 2)),
    Rule(TWO_QUARTERS, _two_quarters, ("季度",), reach=(12, 2)),
    Rule(Q_CODE, _quarter, ("Q1", "Q2", "Q3", "Q4"), reach=(8, 6)),
    Rule(SEASON, _season, ("春", "夏", "秋", "冬"), reach=(8, 4)),
    Rule(WEEKDAY, _weekday, ("周", "週", "星期", "礼拜"), reach=(6, 12)),
    Rule(REL_YEAR, _rel_year, tuple(_REL_YEARS), reach=(0, 8)),
    Rule(MONTHDAY, _monthday, ("日", "号"), reach=(6, 6)),
)
