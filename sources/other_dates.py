"""Dates of a page that are not of its publication, taken out of its markup before a date is looked for.

A modification, the founding of the site, its copyright, its footer, the list of other articles beside it, comments
under it, a table, a deadline, a birthday: a date finder that meets nothing else takes them for the publication. The
markup that is left is only good for finding dates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sources.declared import LD_JSON
from sources.pages import split_scripts

_META = re.compile(r"<meta\b[^<>]{0,800}>", re.IGNORECASE)
_META_NAME = re.compile(
    r"""\b(?:name|property|itemprop|http-equiv)\s{0,3}=\s{0,3}["']?[^"'>]{0,60}?"""
    r"""(modif|updat|last-?_?mod|lastdate|utime|moddate|revis|copyright|expire|unpublish)""",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"<(time|span|abbr|p|div|li|em|small|i|b|strong|dd|td)\b([^<>]{0,600})>[^<]{0,200}",
    re.IGNORECASE,
)
_NAMED_MODIFIED = re.compile(
    r"""\b(?:class|id|itemprop)\s{0,3}=\s{0,3}["']?[^"'>]{0,120}?(?:updated|modif|lastmod|last[-_]?update)""",
    re.IGNORECASE,
)
_NAMED_PUBLISHED = re.compile(r"publish|entry-date|pubdate", re.IGNORECASE)
_KEY = re.compile(
    r"""(?:modif|update|lastmod|revis)[\w-]{0,20}["']?\s{0,3}[:=]\s{0,3}["']?\d[^"',;}<>]{3,40}""",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_CLOCK = r"(?:[T\s,]{0,3}\d{1,2}:\d\d(?::\d\d)?)?"
_DAY = (
    r"(?:(?:19|20)\d\d\s?[年\-/.]\s?\d{1,2}(?:\s?[月\-/.]\s?\d{1,2}\s?日?)?(?!\d)|\d{1,2}[/.\-]\d{1,2}[/.\-](?:19|20)?\d\d(?!\d)|"
    rf"{_MONTH}\s{{1,3}}\d{{1,2}}(?:st|nd|rd|th)?,?\s{{1,3}}(?:19|20)\d\d|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s{{1,3}}{_MONTH},?\s{{1,3}}(?:19|20)\d\d)"
)
_BETWEEN = (
    r"(?:\s|[:：,，.|(\[~·–—-]|<[^<>]{0,300}>|&nbsp;|\d{1,2}[:.]\d\d(?!\d)|"
    r"\b(?:on|at|by|the|[ap]\.?m|gmt|utc|[ecmp][sd]t|bst|cet|ist|hkt|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b|"
    r"周[一二三四五六日]|星期[一二三四五六日]|[上下]午){0,24}?"
)
"""What may stand between a word and its date: other words belong to something else."""
_UPDATED = re.compile(
    r"(?:(?:\b(?:updated|modified|revised|edited|reviewed)\b|\blast update\b|\bupdate\s?:|"
    r"(?:更新|修改|修订|修訂)(?:时间|時間|日期|[于於在]|\s?[:：])|编辑[于於]|編輯於)"
    rf"{_BETWEEN}|(?:更新|修改|修订|修訂)\s{{0,3}})"
    rf"(?:<time\b[^<>]{{0,600}}>[^<]{{0,80}}|{_DAY}{_CLOCK})",
    re.IGNORECASE,
)
_FOUNDED = re.compile(
    rf"(?:\b(?:since|est\.?|established|founded)\s{{1,3}}(?:in\s|on\s)?|(?:成立|创办|創辦|创刊|創刊|创建|始建|建站|自)[于於]?\s?){_DAY}|"
    rf"(?:©|&copy;|&#169;|\(c\)|copyright|版权所有|版權所有)(?:[^<>=\d]|<[^<>]{{0,300}}>){{0,40}}?{_DAY}|"
    r"(?:\b(?:born|died|closes|expires|valid until|starts|ends)\b|\b(?:deadline|event date|due)(?:\s?:|\s(?:is|on|by)\b)|"
    r"今天是|现在是|現在是|生于|生於|出生|逝世|截止|截至|(?:报名|報名|活动|活動|演出|开赛|有效|举办)(?:截止|至)?(?:日期|时间|時間|期至|\s?[:：]))"
    rf"{_BETWEEN}{_DAY}{_CLOCK}",
    re.IGNORECASE,
)
"""Dates that the words before them give to the site, to a person or to what is still to come."""
_BEHIND = re.compile(
    r"(?:更新|修改|updated\b)(?!\)?\s{0,2}(?:时间|時間|日期|[于於:：\d]))|创刊|創刊|成立|创办|創辦|"
    r"曾(?:经|經)?(?:报|報|刊|发|發|在)|出生|逝世|起?施行|第[一二三四五六七八九十百\d]{1,4}[届屆次]|截止",
    re.IGNORECASE,
)
"""What says of the date before it that it is of something else."""
_CHANGES = ("updated", "modified", "revised", "edited", "reviewed", "last update", "update:", "update :", "更新", "修改", "修订", "修訂", "编辑", "編輯")  # fmt: skip
_FOUNDING = ("since", "est", "founded", "成立", "创", "創", "始建", "建站", "自", "©", "&copy;", "&#169;", "(c)", "copyright", "版权所有", "版權所有",
             "born", "died", "deadline", "closes", "expires", "valid until", "due", "starts", "ends", "event date", "今天是",
             "现在是", "現在是", "生于", "生於", "出生", "逝世", "报名", "報名", "活动", "活動", "演出", "开赛", "有效",
             "截止", "截至", "举办")  # fmt: skip
"""How the words begin at which the patterns are tried: finding these is many times faster than the patterns."""
_A_DAY = re.compile(_DAY, re.IGNORECASE)
_DAY_BEFORE = re.compile(rf"{_DAY}{_CLOCK}\s{{0,2}}\(?$", re.IGNORECASE)
_FARTHEST = 40
"""Characters in which such a date stands before its word."""
_MOST = 5_000
"""Words of a kind that are looked at; a page that repeats one more often is hostile."""
_DATES_IT = re.compile(
    r"<time\b(?![^<>]{0,300}\b(?:modif|updat))|publish|posted|pubdate|h1\b|发布|發布|发表|發表|来源|來源|日期",
    re.IGNORECASE,
)
"""What says that an element around an article dates it after all."""
_COMMENTS = re.compile(
    r"""<(?:div|section|ul|ol)\b[^<>]{0,300}\b(?:class|id)\s{0,3}=\s{0,3}["']?(?:[^"'<>]{0,80}[\s_])?"""
    r"""(?:comments?(?:[-_]?(?:list|area|section|wrap|box|container))?|commentlist|pinglun)["'\s>]""",
    re.IGNORECASE,
)
"""The beginning of a list of comments."""


@dataclass(frozen=True)
class Rest:
    """A page without the dates of other things."""

    html: str
    """Markup in which dates may be looked for."""
    modified: bool
    """Whether a date of modification was taken out."""


def without_other_dates(html: str) -> Rest:
    """The page without what says when it was changed or its site was founded; linear in its length."""
    visible, scripts = split_scripts(html[:2_000_000])
    modified = "datemodified" in html.lower()

    def meta(match: re.Match[str]) -> str:
        nonlocal modified
        name = _META_NAME.search(match[0])
        if name is None:
            return match[0]
        modified = modified or name[1].lower() not in ("copyright", "expire", "unpublish")
        return " "

    def named(match: re.Match[str]) -> str:
        nonlocal modified
        if not _NAMED_MODIFIED.search(match[2]) or _NAMED_PUBLISHED.search(match[2]):
            return match[0]
        modified = True
        return f"<{match[1]}>"

    visible = _NAMED.sub(named, _META.sub(meta, visible))
    visible, before = _cut(visible, _CHANGES, _UPDATED)
    visible, behind = _without_days_before(visible)
    visible = _cut(visible, _FOUNDING, _FOUNDED)[0]
    for name in ("footer", "aside", "table"):
        visible = _without(name, visible)
    visible = _without_comments(visible)
    data = "".join(f"{script}</script>" for script in scripts if LD_JSON.match(script) is None)
    visible, attributes = _KEY.subn(" ", visible)
    data, keys = _KEY.subn(" ", data)
    return Rest(visible + data, modified or before + behind + attributes + keys > 0)


def _cut(html: str, words: tuple[str, ...], pattern: re.Pattern[str]) -> tuple[str, int]:
    """Markup without what a pattern finds where one of the words begins, and how many these were."""
    lower = _lower(html)
    places = []
    for word in words:
        place = lower.find(word)
        while place >= 0:
            places.append(place)
            place = lower.find(word, place + 1)
    parts, position, found = [], 0, 0
    for place in sorted(places)[:_MOST]:
        match = pattern.match(html, place) if place >= position else None
        if match is not None:
            parts.append(html[position:place])
            position, found = match.end(), found + 1
    return " ".join([*parts, html[position:]]), found


def _lower(html: str) -> str:
    """Small letters at the same places; as it is when a letter's small form is longer."""
    lower = html.lower()
    return lower if len(lower) == len(html) else html


def _without_days_before(html: str) -> tuple[str, int]:
    """Markup without the dates that a word behind them gives to something else, and how many are of a change."""
    parts, position, found = [], 0, 0
    for match in _BEHIND.finditer(html):
        start = max(position, match.start() - _FARTHEST)
        day = _DAY_BEFORE.search(html, start, match.start())
        if day is not None:
            parts.append(html[position : day.start()])
            position = match.start()
            found += match[0].lower().startswith(("更新", "修改", "updated"))
    return "".join(parts) + html[position:], found


def _without(name: str, html: str) -> str:
    """Markup without the elements of a name that date no publication; an unclosed one stays."""
    lower = _lower(html)
    parts, position = [], 0
    while (start := lower.find(f"<{name}", position)) >= 0:
        end = lower.find(f"</{name}", start)
        if end < 0:
            break
        dates_it = _DATES_IT.search(html, start, end) or (
            name == "table" and _few(html, start, end)
        )
        parts.append(html[position : end if dates_it else start])
        position = end
    return "".join(parts) + html[position:]


def _few(html: str, start: int, end: int) -> bool:
    """Whether a table has a day at most: old pages are laid out in tables."""
    return len({match[0] for match in _A_DAY.finditer(html, start, end)}) < 2


def _without_comments(html: str) -> str:
    """Markup up to the list of comments under an article: what comes behind it is seldom the article's."""
    head = html.lower().find("<h1")
    found = _COMMENTS.search(html, head) if head >= 0 else None
    if found is None or _DATES_IT.search(html, found.end()):
        return html
    return html[: found.start()]
