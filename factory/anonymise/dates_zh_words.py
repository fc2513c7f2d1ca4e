"""Chinese calendar words as they are written: patterns, and a number or year in the form of another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from factory.anonymise import intervals as iv
from factory.anonymise.intervals import Frame
from sources.calendar import parse_zh_numeral

_CN = "零〇一二三四五六七八九十"
YEAR_OF = "(?:[12][09][0-9]{2}|[１２][０９][０-９]{2}|[二一][〇零○九][〇零○一二三四五六七八九]{2}|[0-9]{2})"
RELATIVE_YEAR = "今年|去年|明年|前年|后年|同年|当年"
MONTH_OF = "(?:1[0-2]|0?[1-9]|１[０-２]|０?[１-９]|十[一二]?|[一二三四五六七八九]|元)"
DAY_OF = "(?:3[01]|[12][0-9]|0?[1-9]|３[０１]|[１２][０-９]|０?[１-９]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]|廿[一二三四五六七八九]?)"
TO = "[ ]?(?:至|到|—+|–|-|－|~|～)[ ]?"
WEEK = "周|週|星期|礼拜"
REL_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
REL_WORDS = {step: word for word, step in REL_YEARS.items()}
MONTH_WORDS = {-2: "上上个月", -1: "上月", 0: "本月", 1: "下月", 2: "下下个月"}
_PLAN = re.compile("将|拟|定于|预计|计划|即将|有望|必须|须于|应于|应当|要求|须在|截止|最迟")
_DONE = re.compile("(?:曾|已|此前|早前|早在|当时|自|从)[^，。；]{0,6}$")


def _cn(number: int) -> str:
    tens, ones = divmod(number, 10)
    return ("" if tens == 0 else "十" if tens == 1 else _CN[tens + 1] + "十") + (
        _CN[ones + 1] if ones else ""
    )


@lru_cache(maxsize=1024)
def _is_cn(written: str) -> bool:
    return any(char in _CN + "○廿元" for char in written)


@lru_cache(maxsize=1024)
def value(written: str) -> int:
    """Number of a month or day, in figures of any width or Chinese numerals."""
    return (
        1 if written == "元" else int(written) if written.isdigit() else parse_zh_numeral(written)
    )


def like(number: int, written: str) -> str:
    """A number in the form of another: Chinese numerals, two figures, or plain."""
    if _is_cn(written):
        return _cn(number)
    return f"{number:02d}" if len(written) == 2 and written[0] in "0０" else str(number)


def pair_like(numbers: tuple[int, int], written: tuple[str, str]) -> tuple[str, str]:
    """Month and day in the form of another; without leading zeros only where neither had one."""
    zero = any(one[0] in "0０" for one in written) and all(len(one) == 2 for one in written)
    first, second = (
        f"{number:02d}" if zero and not _is_cn(one) else like(number, one)
        for number, one in zip(numbers, written, strict=True)
    )
    return first, second


def year_like(year: int, written: str) -> str:
    """A year in the form of another."""
    if _is_cn(written):
        zero = next((char for char in written if char in "零〇○"), "〇")
        return "".join(zero if char == "0" else _CN[int(char) + 1] for char in str(year))
    return str(year)[-2:] if len(written) == 2 else str(year)


def year_of(written: str, anchor: date) -> int:
    """Year of its numerals; of two figures the one nearest to the anchor."""
    year = value(written)
    if len(written) > 2:
        return year
    century = anchor.year // 100 * 100
    return min((century - 100 + year, century + year), key=lambda y: abs(y - anchor.year))


def tense(found: re.Match[str]) -> int:
    """1 for a deadline or a plan, -1 for what has happened, 0 when the sentence does not tell."""
    before = re.split("[，。；！？]", found.string[max(found.start() - 40, 0) : found.start()])[-1]
    after = found.string[found.end() : found.end() + 8]
    if before.endswith("截至"):
        return 0
    if _PLAN.search(before) or re.match("[之以]?前[须应将完提获]", after):
        return 1
    return -1 if _DONE.search(before) else 0


class YearUnsaidError(LookupError):
    """同年 or 当年 without a year before it."""


def raw_year(group: Mapping[str, str | None], frame: Frame, position: int) -> int | None:
    """The raw year of a match: written (`y`), by reference (`rel`), or None. Raises YearUnsaidError."""
    if group["y"]:
        return year_of(group["y"], frame.anchor)
    if not group["rel"]:
        return None
    if group["rel"] in REL_YEARS:
        return frame.anchor.year + REL_YEARS[group["rel"]]
    said = iv.year_said(frame, position)
    if said is None:
        raise YearUnsaidError(group["rel"])
    return said[0]


def year_words(group: Mapping[str, str | None], year: int, frame: Frame, position: int) -> str:
    """What stands for the year of a match when it has become another; empty where none is written."""
    if group["y"]:
        return f"{year_like(year, group['y'])}{group.get('s1') or ''}年{group.get('s2') or ''}"
    return rel_word(group["rel"], year, frame, position) if group["rel"] else ""


def rel_word(written: str, year: int, frame: Frame, position: int) -> str:
    """今年, 去年 ... of the shifted anchor; 当年 and 同年 while they are true of the year before them."""
    if written in REL_YEARS:
        return REL_WORDS.get(year - frame.moved.year, f"{year}年")
    said = iv.year_said(frame, position)
    return written if said is not None and said[1] == year else f"{year}年"
