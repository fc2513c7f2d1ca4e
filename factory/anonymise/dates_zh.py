"""Chinese date mentions: 年月日 in ASCII, full-width and Chinese numerals, ranges, 旬, 季度, 季, 周几, 本月底.

Each rule reads one form and writes the shifted mention in the same form; full-width figures become ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from factory.anonymise import dates_zh_days, dates_zh_lists
from factory.anonymise import intervals as iv
from factory.anonymise.dates_recurring import zh_habit
from factory.anonymise.dates_scan import Rule, pairs
from factory.anonymise.dates_zh_beside import goes_on
from factory.anonymise.dates_zh_words import (
    DAY_OF,
    MONTH_OF,
    MONTH_WORDS,
    REL_WORDS,
    REL_YEARS,
    RELATIVE_YEAR,
    TO,
    WEEK,
    YEAR_OF,
    YearUnsaidError,
    like,
    pair_like,
    raw_year,
    tense,
    value,
    year_like,
    year_of,
    year_words,
)
from factory.anonymise.intervals import Frame, Mention, Part
from sources.calendar import ZH_WEEKDAY_DIGITS

DAY = re.compile(
    rf"(?:(?P<y>{YEAR_OF})(?P<s1> ?)年(?P<s2> ?)|(?P<rel>{RELATIVE_YEAR}))?(?<!(?<![A-Za-z])[0-9０-９])(?P<m>{MONTH_OF})(?P<s3> ?)月(?P<s4> ?)(?P<d>{DAY_OF})(?P<s5> ?)(?P<u>[日号]?)"
    rf"(?:(?P<to>{TO})(?:(?P<y2>{YEAR_OF})年)?(?:(?P<m2>{MONTH_OF})月)?(?P<d2>{DAY_OF})(?P<u2>[日号]))?"
    rf"(?P<wp>[（(](?:{WEEK})[一二三四五六日天][）)]|[，, ]?(?:{WEEK})[一二三四五六日天](?![年围边刊期报至到—–~～-]|[、/][一二三四五六日天]))?"
)
MONTH = re.compile(
    rf"(?<![个每近前后近约第逾满])(?:(?P<y>{YEAR_OF})(?P<s1> ?)年(?P<s2> ?)|(?P<rel>{RELATIVE_YEAR}))?(?<![0-9０-９一二三四五六七八九])(?P<m>{MONTH_OF}) ?月(?:份)?(?P<p>上旬|中旬|下旬|初(?!步|审|赛|选|中|期|始|心|衷)|底|末(?!端|尾|位))?(?(p)|(?! ?[0-9０-９]|[一二三四五六七八九十]{{1,3}}[日号、]))(?!中下旬|上中旬|季|饼|球|内|后(?!$)|娘|嫂)"
)
REL_MONTH = re.compile(
    "(?<![上下])(?P<rel>上个?月|本月|这个?月|当月|下个?月)(?P<p>上旬|中旬|下旬|初(?!步)|底|末)?(?!饼|球)|(?<![0-9０-９一二三四五六七八九十个上下本当])月(?P<q>初|中旬|底|末)"
)
_QUARTER_YEAR = rf"(?:(?:(?P<y>{YEAR_OF})年|(?P<rel>{RELATIVE_YEAR}))(?P<s2>的?))?"
QUARTER = re.compile(rf"{_QUARTER_YEAR}(?P<di>第?)(?P<q>[一二三四1-4])季度")
TWO_QUARTERS = re.compile(
    rf"{_QUARTER_YEAR}(?P<di>第?)(?P<a>[一二三])(?P<to>[、和至到及与]?第?)(?P<b>[二三四])季度"
)
Q_CODE = re.compile("(?<![A-Za-z0-9])(?:(?P<y>20[0-9]{2})年?)Q(?P<q>[1-4])(?![0-9])")
SEASON = re.compile(
    "(?P<y>[12][09][0-9]{2})年(?P<k>的?)(?P<s>[春夏秋冬])(?:(?P<t>[季天])|(?![节运晚奥至分初末春夏秋冬]))"
)
_DAYS = "[一二三四五六日天]"
_NO_DAY = (
    "(?![点时刻月号年围边刊期报个名位人岁成折家种条只次场项批轮辆艘架件所部级度楼层分万千百十天]|[一二三四五六日](?![天日])"
    "|(?<=一)[早直定切般旦些起同样行带方战举]|(?<=[日天])[本军元语系报均文常前后益趋记程内子用出落照气])"
)
"""After a numeral that is no weekday: 周五六点, 周六日本队, 周五、一名男子."""
_MORE_DAYS = re.compile(rf"[^。！？\n]{{0,8}}[，,；;]{_DAYS}(?:、{_DAYS})+{_NO_DAY}")
"""The other weekdays of a list: 周一、三、五上班，二、四、六休息."""
WEEKDAY = re.compile(
    rf"(?P<rel>[上下本这]个?)?(?P<w>{WEEK})(?P<d>{_DAYS})(?![年围边刊期报])(?:(?P<to>{TO})(?P<w2>{WEEK})?(?P<d2>{_DAYS}))?"
    rf"(?P<list>(?:[、/和及与或]{_DAYS}{{1,2}})+{_NO_DAY}|{_DAYS}{{1,3}}{_NO_DAY})?"
)
SAME_TIME = re.compile(
    "(?:[去前明后上]年|[上下]个?(?:月|季度?|周|星期|礼拜)|上年度|上一(?:年度?|个?季度|个?月))的?(?:大约|差不多|几乎)?的?"
    "(?:同期|同[月日季周旬]|同一?(?:时期|时间|时段|季度|阶段)|今[天日]|此[时刻]|这个?(?:时候|时节|时间|月|季度)|这时|这会儿?|这一?天|现在(?!的)|眼下|当前)(?!起|报|头条)"
)
"""A whole unit before or after the anchor, not a unit of the calendar: true on both sides of the shift."""
REL_YEAR = re.compile(
    "(?P<rel>今年|去年|明年|前年|后年)(?![春夏秋冬初底末年]|[上下]半年|[0-9一二三四五六七八九十]{1,3}月)"
)
_PARTS = {"上旬": 1, "初": 1, "中旬": 2, "下旬": 3, "底": 3, "末": 3}
_SAID = re.compile(
    "[^，。；]{0,4}(?:回应|表示|宣布|称|说|通过了|公布了|发布了|召开了|举行了|证实|披露|透露)"
)
_FUTURE = re.compile("(?:将|拟|定于|预计|计划|即将|有望|须于|应于|不晚于|截至)[^。；，]{0,12}$")


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
    month, day = value(group["m"]), value(group["d"])
    try:
        year = raw_year(group, frame, found.start())
    except YearUnsaidError:
        return iv.flagged(found, "year said by reference")
    if year is not None:
        first = iv.day_or_none(year, month, day)
    else:
        unit = iv.nearest(
            frame.anchor,
            iv.day_unit,
            (month, day),
            None if group["wp"] else lambda: tense(found),
        )
        first = unit[0] if unit else None
    if first is None:
        return iv.flagged(found, "no such day")
    last = first
    if group["d2"]:
        month2 = value(group["m2"]) if group["m2"] else month
        year2 = year_of(group["y2"], frame.anchor) if group["y2"] else first.year + (month2 < month)
        end = iv.day_or_none(year2, month2, value(group["d2"]))
        if end is None or end < first:
            return iv.flagged(found, "no such range")
        last = end
    weekday = group["wp"]
    digit = weekday.rstrip("）)")[-1] if weekday else ""
    if weekday and ZH_WEEKDAY_DIGITS[digit] != (last if group["d2"] else first).weekday():
        return iv.flagged(found, "weekday and date disagree")
    a, b = first + timedelta(days=frame.offset), last + timedelta(days=frame.offset)
    words = year_words(group, a.year, frame, found.start())
    month_word, day_word = pair_like((a.month, a.day), (group["m"], group["d"]))
    words += f"{month_word}{group['s3']}月{group['s4']}{day_word}"
    style = "full" if group["y"] or group["rel"] else "short"
    if group["d2"]:
        split = (a.year, a.month) != (b.year, b.month)
        words += group["s5"] + (group["u"] or (group["u2"] if split else "")) + group["to"]
        if split:
            if group["y"] and a.year != b.year:
                words += f"{year_like(b.year, group['y'])}年"
            words += f"{like(b.month, group['m2'] or group['m'])}月"
        words += pair_like((b.month, b.day), (group["m"], group["d2"]))[1] + group["u2"]
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
    month = value(found["m"])
    third = _PARTS.get(found["p"] or "", 0)

    unit_of: Callable[..., iv.Unit] = iv.third_unit if third else iv.month_unit
    of = (month, third) if third else (month,)
    try:
        year = raw_year(found.groupdict(), frame, found.start())
    except YearUnsaidError:
        return iv.flagged(found, "year said by reference")
    if year is not None:
        unit = unit_of(year, *of)
    else:
        unit = iv.sure(iv.nearest(frame.anchor, unit_of, of, lambda: tense(found)))
    shift = iv.shift_third if third else iv.shift_month
    to = shift(unit, frame.offset, frame.days)
    words = year_words(found.groupdict(), to[0].year, frame, found.start())
    words += like(to[0].month, found["m"]) + "月" + ("份" if "月份" in found.group() else "")
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
    words = MONTH_WORDS.get(apart)
    if words is None:
        return iv.flagged(found, "relative unit moves too far")
    return iv.reworded(found, words + ("", "初", "中旬", "底")[after])


def _quarter_of(number: int, year: int | None, frame: Frame) -> iv.Unit:
    if year is None:
        unit = iv.sure(iv.nearest(frame.anchor, iv.quarter_unit, (number,)))
    else:
        unit = iv.quarter_unit(year, number)
    return iv.shift_quarter(unit, frame.offset, frame.days)


def _q_code(found: re.Match[str], frame: Frame) -> Mention | None:
    to = _quarter_of(int(found["q"]), int(found["y"]), frame)
    surface = found.group().replace(found["y"], str(to[0].year))[:-1] + str((to[0].month + 2) // 3)
    return iv.shifted(found, surface, iv.unit_ref(to, "quarter"), "quarter")


def _quarter(found: re.Match[str], frame: Frame) -> Mention | None:
    group = found.groupdict()
    try:
        year = raw_year(group, frame, found.start())
    except YearUnsaidError:
        return iv.flagged(found, "year said by reference")
    to = _quarter_of(value(found["q"]), year, frame)
    number = like((to[0].month + 2) // 3, found["q"])
    words = year_words(group, to[0].year, frame, found.start())
    ref = iv.unit_ref(to, "quarter", "short" if year is None else "full")
    return iv.shifted(found, f"{words}{found['di']}{number}季度", ref, "quarter")


def _two_quarters(found: re.Match[str], frame: Frame) -> Mention | None:
    """一、二季度: each is a quarter of its own."""
    group = found.groupdict()
    try:
        year = raw_year(group, frame, found.start())
    except YearUnsaidError:
        return iv.flagged(found, "year said by reference")
    units = [_quarter_of(value(found[key]), year, frame) for key in ("a", "b")]
    a, b = ("一二三四"[(unit[0].month + 2) // 3 - 1] for unit in units)
    years = [year_words(group, unit[0].year, frame, found.start()) for unit in units]
    split = year is not None and units[0][0].year != units[1][0].year
    second = years[1] if split else ""
    styles = ("short" if year is None else "full", "full" if split else "short")
    refs = [iv.unit_ref(unit, "quarter", style) for unit, style in zip(units, styles, strict=True)]
    parts = [
        Part(found.start(), found.end("a"), refs[0]),
        Part(found.end("to") - found["to"].endswith("第"), found.end(), refs[1]),
    ]
    words = f"{years[0]}{found['di']}{a}{found['to'].rstrip('第')}{second}"
    words += ("第" if found["to"].endswith("第") or (split and found["di"]) else "") + f"{b}季度"
    return iv.compound(found, words, "quarter", parts)


def _season(found: re.Match[str], frame: Frame) -> Mention | None:
    if not found["t"] and not goes_on(found.string, found.end()):
        return iv.flagged(found, "season")  # 夏 is a surname, and each begins words
    season = "春夏秋冬".index(found["s"]) + 1
    to = iv.shift_season(iv.season_unit(int(found["y"]), season), frame.offset, frame.days)
    after = to[0].month // 3
    if 4 in (season, after):
        return iv.flagged(found, "a winter belongs to two years")
    surface = f"{to[0].year}年{found['k']}{'春夏秋冬'[after - 1]}{found['t'] or ''}"
    ref = iv.unit_ref(to, "season")
    return iv.shifted(found, surface, ref, "season")


def _weekday(found: re.Match[str], frame: Frame) -> Mention | None:
    several = bool(found["d2"] or found["list"])
    if not found["rel"] and (habit := zh_habit(found, frame, several=several)) is not None:
        return habit
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
    written = [(found.start("w"), found.end("d"))]
    if found["d2"]:
        written.append((found.start("w2") if found["w2"] else found.start("d2"), found.end("d2")))
    if found["list"]:
        starts = range(found.start("list"), found.end("list"))
        listed = [(at, at + 1) for at in starts if found.string[at] in ZH_WEEKDAY_DIGITS]
        if len(listed) < len(starts):
            written += listed
        else:  # 周一三五: numerals without a joint, which also begin other words
            orders = [ZH_WEEKDAY_DIGITS[found.string[end - 1]] for _, end in (*written, *listed)]
            if orders == sorted(set(orders)):
                written += listed
                if frame.offset % 7 and not goes_on(found.string, found.end()):
                    return iv.flagged(found, "weekdays or a number")
    if frame.offset % 7 and _MORE_DAYS.match(found.string, found.end()):
        return iv.flagged(found, "weekdays without their word")
    parts, words, end = [], found["rel"] or "", found.start("w")
    for start, stop in written:
        digit = found.string[stop - 1]
        day += timedelta(days=(ZH_WEEKDAY_DIGITS[digit] - day.weekday()) % 7)
        to = day + timedelta(days=frame.offset)
        words += found.string[end : stop - 1]
        words += "天" if digit == "天" and to.weekday() == 6 else "一二三四五六日"[to.weekday()]
        parts.append(Part(start, stop, iv.day_ref(to, "weekday")))
        end = stop
    return Mention(found.start(), end, "shift", "weekday", words, tuple(parts))


def _same_time(found: re.Match[str], _frame: Frame) -> Mention | None:
    return iv.kept(found, "relative")


def _rel_year(found: re.Match[str], frame: Frame) -> Mention | None:
    step = REL_YEARS[found["rel"]]
    apart = iv.relative_year(frame, step)
    if apart == step:
        return iv.kept(found, "relative")
    if apart not in REL_WORDS:
        return iv.flagged(found, "relative unit moves too far")
    return iv.reworded(found, REL_WORDS[apart])


RULES = (
    Rule(DAY, _day, ("月",), exact=True, reach=(14, 44)),
    Rule(MONTH, _month, ("月",), reach=(14, 12)),
    *dates_zh_lists.RULES,
    Rule(REL_MONTH, _rel_month, ("月",), reach=(4, 6)),
    Rule(QUARTER, _quarter, ("季度",), reach=(12, 2)),
    Rule(TWO_QUARTERS, _two_quarters, ("季度",), reach=(14, 2)),
    Rule(Q_CODE, _q_code, ("Q1", "Q2", "Q3", "Q4"), reach=(8, 6)),
    Rule(SEASON, _season, ("春", "夏", "秋", "冬"), reach=(8, 4)),
    Rule(WEEKDAY, _weekday, ("周", "週", "星期", "礼拜"), reach=(6, 24)),
    Rule(SAME_TIME, _same_time, pairs("年月度季周期拜", "同今此这现眼当的大差几"), reach=(5, 12)),
    Rule(REL_YEAR, _rel_year, tuple(REL_YEARS), reach=(0, 8)),
    *dates_zh_days.RULES,
)
