"""Dates that give the raw calendar away: forms that are never rendered, false weekdays.

A weekday that does not fit the day beside it proves that one of the two was shifted and the other was not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTH = "|".join(MONTH_NAMES)
_SHORT = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_DAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS_ZH = "一二三四五六日"

CALENDAR: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "month before day",
        re.compile(rf"\b(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b(?!\d)", re.ASCII),
    ),
    (
        "short month",
        re.compile(rf"\b(?:{_SHORT})\.? \d{{1,4}}\b|\b\d{{1,2}} (?:{_SHORT})\b(?!\w)", re.ASCII),
    ),
    (
        "slashed date",
        re.compile(
            r"(?<![\d/.-])(?:19|20)\d{2}[/.]\d{1,2}[/.]\d{1,2}(?![\d/.])|(?<![\d/.-])\d{1,2}/\d{1,2}/(?:19|20)\d{2}(?!\d)",
            re.ASCII,
        ),
    ),
    (
        "unusual Chinese date",
        re.compile(
            r"[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号]|[0-9]{1,2} 月 ?[0-9]{1,2}|[0-9]{1,2}月[0-9]{1,2}号|[0-9０-９]月[初底末]|２０"
        ),
    ),
    (
        "spaced Chinese date",
        re.compile(r"(?:19|20)[0-9]{2} 年|年 [0-9]{1,2} ?月|月 [0-9]{1,2} ?日"),
    ),
    (
        "fiscal label",
        re.compile(
            r"\bFY ?\d{2,4}\b|\b[Ff]iscal (?:year )?\d{4}\b|\bH[12] (?:19|20)\d{2}\b|\bQ[1-4] (?:19|20)\d{2}\b|[0-9]{4}财年|[0-9]{4}年[上下]半年"
        ),
    ),
)
"""Forms that a rendered date never takes."""

_EN_WEEKDAY = rf"(?P<weekday>{'|'.join(_DAYS_EN)})"
_WITH_WEEKDAY = (
    re.compile(rf"{_EN_WEEKDAY},? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?P<month>{_MONTH})(?:,? (?P<year>\d{{4}}))?"),
    re.compile(rf"{_EN_WEEKDAY},? (?P<month>{_MONTH}) (?P<day>\d{{1,2}})\b(?:,? (?P<year>\d{{4}}))?"),
    re.compile(rf"\b(?P<day>\d{{1,2}}) (?P<month>{_MONTH})(?: (?P<year>\d{{4}}))? ?[(,]? ?(?:a )?{_EN_WEEKDAY}"),
    re.compile(rf"(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:, (?P<year>\d{{4}}))? ?[(,]? ?(?:a )?{_EN_WEEKDAY}"),
    re.compile(r"(?:(?P<year>\d{4}) ?年 ?)?(?P<month>\d{1,2}) ?月 ?(?P<day>\d{1,2}) ?[日号] ?[(（,，]?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"),
    re.compile(r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])[(（,，]?(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日"),
)  # fmt: skip


def false_weekdays(text: str, near: date | None) -> Iterator[tuple[int, str]]:
    """Place and words of every weekday beside a day of another weekday.

    A day without a year is read in the year that brings it closest to `near`, the day of its node; without
    either it is left alone.
    """
    for net in _WITH_WEEKDAY:
        for found in net.finditer(text):
            day = _day(found, near)
            if day is None:
                continue
            name = found["weekday"]
            said = (
                _DAYS_EN.index(name)
                if name in _DAYS_EN
                else _DAYS_ZH.index(name.replace("天", "日"))
            )
            if said != day.weekday():
                yield found.start(), found.group()


def _day(found: re.Match[str], near: date | None) -> date | None:
    name = found["month"]
    month = MONTH_NAMES.index(name) + 1 if name in MONTH_NAMES else int(name)
    if found["year"]:
        years: Iterable[int] = (int(found["year"]),)
    elif near is None:
        return None
    else:
        years = (near.year - 1, near.year, near.year + 1)
    days = []
    for year in years:
        try:
            days.append(date(year, month, int(found["day"])))
        except ValueError:  # no such day in that year
            continue
    return min(days, key=lambda d: abs((d - near).days) if near else 0, default=None)
