"""The calendar net: every word of the calendar in a text, found by a word list of its own.

It shares nothing with the date engine, so that what the engine overlooks is still seen. It knows no grammar
and resolves nothing: whatever it catches outside a classified mention needs a person.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from factory.audit.calendar_figures import figure_days
from factory.audit.leak_holidays import holidays

_EN = (
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b",
    r"\b(?:january|february|april|june|july|september|october|november|december)\b|\b(?:may|march|august) \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b",
    r"\b(?:JAN|FEB|MAR|APR|JUN|JUL|AUG|SEPT?|OCT|NOV|DEC)\b\.?(?= ?\d)|(?<=\d[ -])(?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec|JAN|FEB|MAR|APR|JUN|JUL|AUG|SEPT?|OCT|NOV|DEC)\b",
    r"\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)-\d{2,4}\b",
    r"\b(?:JANUARY|FEBRUARY|APRIL|JUNE|JULY|AUGUST|SEPTEMBER|OCTOBER|NOVEMBER|DECEMBER)\b",
    r"\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?(?= ?\d)",
    r"\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?(?= ?(?:\d{1,2}(?:st|nd|rd|th)?\b(?![.,:]\d|%)|(?:19|20)\d\d\b))|(?<=\d(?:st|nd|rd|th) )(?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Mm]arch|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)\b",
    r"(?:(?<=\b[Oo]n )|(?<=\b[Bb]y )|(?<=\b[Ss]ince )|(?<=\b[Uu]ntil )|(?<=\b[Tt]ill )|(?<=\b[Dd]ue ))(?:may|march) (?:[12]?\d|3[01])(?:st|nd|rd|th)?\b(?![.,:]\d|%)",
    r"(?<![\d.,:/-])(?<!\d, )(?:[12]?\d|3[01])(?:st|nd|rd|th)? (?:may|march)\b(?=[.,;!?)]|\s*$| (?:19|20)\d\d\b)",
    r"(?:(?<=\b[Ii]n )|(?<=\b[Ss]ince )|(?<=\b[Uu]ntil )|(?<=\b[Tt]ill )|(?<=\b[Ll]ast )|(?<=\b[Nn]ext )|(?<=\b[Aa]lready )|(?<=\b[Ee]arly )|(?<=\b[Ll]ate )|(?<=\b[Mm]id )|(?<=\b[Mm]id-)|(?<=\b[Bb]y )|(?<=\b[Tt]his ))(?:jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)\b",
    r"\b(?:feb|sept)\b|(?<=\b[Ii]n )(?:may|march|mar)\b(?=[.,;!?)]|\s*$)|(?<=\b[Ll]ast )(?:may|march)\b",
    r"\b(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)days?\b|\b(?:MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAYS?\b",
    r"\b[Oo]n (?:Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)\b(?! [A-Z])",
    r"(?<= the )(?:[12]?\d|3[01])(?:st|nd|rd|th)\b(?=[.;:)]|$| (?:he|she|it|they|we|the|was|were) )",
    r"(?<=day )(?:[12]?\d|3[01])(?:st|nd|rd|th)\b|(?<=day, )(?:[12]?\d|3[01])(?:st|nd|rd|th)\b",
    r"\b(?:may|march) (?:[12]?\d|3[01])(?:st|nd|rd|th)?\b(?![\d,.]*\d| [a-z])",
    r"\b(?:spring|summer|autumn|winter)(?:time)?\b|\b(?:Spring|Summer|Autumn|Winter)\b",
    r"(?:(?<!njured )(?<!hurt )(?<!killed )(?<!died )\b(?:[Ii]n|[Bb]y|[Ss]ince|[Uu]ntil|[Ll]ate|[Ee]arly) the|\b(?:[Ll]ast|[Tt]his|[Nn]ext|[Ll]ate|[Ee]arly|[Bb]y)) fall\b(?! (?:in|of|from|to|on|by|into|off|behind|below|short|apart|down|back|under|over|victim|within|for|was|is|has|were|that|came|broke|left)\b)|\b[Ff]all (?:of )?(?:19|20)\d\d\b",
    r"\b(?:first|second|third|fourth|last|this|next|previous)[ -]quarter\b|\bQ[1-4]\b|\bquarterly\b|\b(?:[1-4]Q ?\d\d(?:\d\d)?|\d\d(?:\d\d)?[QH][1-4])\b|\b[1-4](?:st|nd|rd|th) quarters?\b",
    r"\b(?:[12]\d{3}) ?[-/.–—] ?(?:0?[1-9]|1[0-2]) ?[-/.–—] ?(?:0?[1-9]|[12]\d|3[01])\b",
    r"(?<![\w/.-])(?:(?:19|20)\d\d[-/](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])/(?:19|20)\d\d|(?:19|20)\d\d-?W\d\d?)(?![\w/-])|\b[Ww]eek \d{1,2} of (?:19|20)\d\d\b",
    r"\b\d{1,2}[/.]\d{1,2}[/.](?:19|20)\d{2}\b|\b\d{1,2}/\d{1,2}/\d\d\b(?!/)",
    r"\b[Ff]iscal\b|\bFY ?\d{2,4}\b|\b[Ff]inancial year\b|\bH[12] (?:19|20)\d{2}\b|\bhalf of (?:19|20)\d{2}\b",
    r"\b(?:[Aa]nniversar(?:y|ies)|[Cc]entenary|[Bb]irthday|[Ww]eekends?)\b",
    r"\b(?:Christmas|Xmas|Easter|Thanksgiving|Ramadan|Eid|Diwali|Hanukkah|Passover|Halloween|Lent|Juneteenth|New Year|Spring Festival)\b",
    r"\b(?:[Ll]ast|[Tt]his|[Nn]ext) (?:year|month)\b|\byear[- ]end\b|\b(?:end|turn|start|beginning) of the (?:year|month)\b|\bmid-?month\b|\bmonth[- ]end\b",
    r"\b(?:Labou?r|Memorial|Independence|Veterans|Valentine['’]s|Mother['’]s|Father['’]s|Boxing|May|National|Election|Fools['’]?) Day\b",
)
_ZH = (
    r"[0-9０-９一二三四五六七八九十正腊冬元]月(?!饼|球)|[上下本当这每]个?月|月[初底末中](?!心|国)|[上中下]旬",
    r"(?<![0-9０-９])[0-3０-３]?[0-9０-９][日号](?![线楼馆厅门机文均元])|[初廿][一二三四五六七八九十]|十[一二三四五六七八九]?日",
    r"(?:周|週|星期|礼拜)[一二三四五六日天末](?![年围边])|星期|礼拜",
    r"第[0-9]{1,2}周(?!年|岁)|[上下]半月(?![刊板弯])|季度|[春夏秋冬][天季日]|[今去明当][春夏秋冬]|(?:(?<=[0-9０-９]{2}年)|(?<=[今去明]年)|(?<=[〇零一二三四五六七八九]{2}年))[春夏秋冬](?![节运晚招收分至奥令训粮播耕茶游笋])",
    r"(?:1[5-9]|20|１[５-９]|２０)[0-9０-９]{2} ?年|[二一][〇零九][〇零一二三四五六七八九]{2}年|[今去明前后]年(?!轻|度)|[上下]半年|年[初底末终](?!期)|年内|财年|财政年度|周年|诞辰",
    r"春节|元旦|元宵|清明|端午|中秋|国庆|重阳|七夕|除夕|除岁|拜年|守岁|年夜饭|压岁|(?<![超通经度不])过年(?![度底均检初末中限轻])|圣诞|五一|十一(?:假期|黄金周|长假)|劳动节|儿童节|妇女节|教师节|愚人节|情人节|感恩节|万圣|双十一|黄金周|高考|中考|暑假|寒假|农历|阴历|立[春夏秋冬]|[冬夏]至|[春秋]分|两会",
)
_LONE = re.compile(
    r"(?<![\d@#/&-])(?<!\d )\b(?:(?P<name>Jan|Jun|Dec|Mar)|Feb|Apr|Jul|Aug|Sept?|Oct|Nov)\b(?!\.? ?\d|[-@/&][A-Za-z0-9]|['’]\d)(?! [A-Z]\.)(?! del\b)"
)
"""A short month without a figure; four of them are names of people and places, too."""
_OTHER = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.?"
_BESIDE = re.compile(rf"(?:, | (?:and|or|to|through|until) ){_OTHER}(?![a-z])")
_BEHIND = re.compile(rf"\b{_OTHER}(?:, | (?:and|or|to|through|until) )$")
_DEFINITE = re.compile(r"(?:\b[Tt]he|['’]s|\b[Ii]n|\b[Ss]ince|\b[Uu]ntil) $")
_FORENAME = re.compile(r"(?<![.!?] )(?<!^)\b(?!The |In |And |But |For )[A-Z][a-z]+ $")
_TYPESET = dict.fromkeys("\u00a0\u2000\u2002\u2003\u2007\u2009\u202f", " ") | dict.fromkeys(
    "\u2010\u2011", "-"
)
"""Spaces and hyphens of typesetters, one character each."""
_NET = re.compile("|".join((*_EN, *_ZH)), re.ASCII)


def calendar_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and words of everything that smells of the calendar."""
    plain = text
    for mark, usual in _TYPESET.items():
        plain = plain.replace(mark, usual)
    words = [
        *(found.span() for found in _NET.finditer(plain)),
        *(found.span() for found in _LONE.finditer(plain) if _is_month(found)),
    ]
    # What a release is refused for must be asked about before: every holiday of the scanner's list.
    if days := list(holidays(plain)):
        words = _outside(words, days)
        words += _outside(days, words)
    told = set(words)
    figures = [span for span in figure_days(plain) if span not in told]
    for start, end in sorted({*words, *figures}):
        yield start, end, text[start:end]


def _outside(spans: list[tuple[int, int]], others: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches that lie within none of the others."""
    return [span for span in spans if not any(o[0] <= span[0] and span[1] <= o[1] for o in others)]


def _is_month(found: re.Match[str]) -> bool:
    """Whether a short month may be one: no first name before a surname or behind another, and Mar only where it is told."""
    before = found.string[max(found.start() - 24, 0) : found.start()]
    after = found.string[found.end() : found.end() + 24]
    if _BESIDE.match(after) or _BEHIND.search(before):
        return True
    if found["name"] == "Mar":
        return _DEFINITE.search(before) is not None
    if found["name"] and re.match(r" [A-Z][a-z]", after):
        return False
    return not (found["name"] and _FORENAME.search(before))


def residue(text: str, classified: Iterable[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Calendar words that lie in none of the classified stretches (start, end), which do not overlap."""
    stretches = sorted(classified)
    firsts = [first for first, _ in stretches]

    def inside(start: int, end: int) -> bool:
        before = bisect_right(firsts, start)
        return before > 0 and end <= stretches[before - 1][1]

    return [hit for hit in calendar_words(text) if not inside(hit[0], hit[1])]
