"""Words of the calendar in English and Chinese: the one lexicon behind both date grammars.

`sources/times.py` reads publication stamps with it and `factory/anonymise/dates.py` reads dates in prose.
Lists are in calendar order; maps go from a lower-case word to its number.
"""

from __future__ import annotations

import re

EN_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
EN_MONTH_ABBR = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
EN_MONTH_NUMBER: dict[str, int] = {
    **{name: number for number, name in enumerate(EN_MONTHS, 1)},
    **{name: number for number, name in enumerate(EN_MONTH_ABBR, 1)},
    "sept": 9,
}
"""Full and abbreviated English month names (without a full stop) -> 1..12."""

ZH_MONTHS = (
    "一月",
    "二月",
    "三月",
    "四月",
    "五月",
    "六月",
    "七月",
    "八月",
    "九月",
    "十月",
    "十一月",
    "十二月",
)
ZH_MONTH_NUMBER: dict[str, int] = {
    **{name: number for number, name in enumerate(ZH_MONTHS, 1)},
    **{f"{number}月": number for number in range(1, 13)},
    "元月": 1,
    "正月": 1,
    "冬月": 11,
    "腊月": 12,
    "臘月": 12,
}
"""Chinese month names -> 1..12. 正月, 冬月 and 腊月 are lunar: prose only, never a publication stamp."""
EN_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
EN_WEEKDAY_ABBR = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EN_WEEKDAY_NUMBER: dict[str, int] = {
    **{name: number for number, name in enumerate(EN_WEEKDAYS)},
    **{name: number for number, name in enumerate(EN_WEEKDAY_ABBR)},
    "tues": 1,
    "weds": 2,
    "thur": 3,
    "thurs": 3,
}
"""English weekday -> 0 (Monday) .. 6 (Sunday), as `date.weekday()`."""

ZH_WEEKDAY_PREFIXES = ("星期", "礼拜", "禮拜", "周", "週")
ZH_WEEKDAY_DIGITS: dict[str, int] = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "末": 5,
}
"""The character after 周 or 星期 -> weekday. 末 (weekend) gives Saturday; 周天 is colloquial for Sunday."""
ZH_WEEKDAY_NUMBER: dict[str, int] = {
    prefix + digit: number
    for prefix in ZH_WEEKDAY_PREFIXES
    for digit, number in ZH_WEEKDAY_DIGITS.items()
    if digit != "末"
}
"""周一, 星期三, 礼拜天, 週五 ... -> 0..6."""

EN_SEASONS: dict[str, int] = {"spring": 1, "summer": 2, "autumn": 3, "fall": 3, "winter": 4}
ZH_SEASONS: dict[str, int] = {
    **{name: n for n, name in enumerate(("春", "夏", "秋", "冬"), 1)},
    **{name: n for n, name in enumerate(("春季", "夏季", "秋季", "冬季"), 1)},
    **{name: n for n, name in enumerate(("春天", "夏天", "秋天", "冬天"), 1)},
}
"""Season words -> 1 spring .. 4 winter. A lone 春, 夏, 秋 or 冬 needs a year beside it to be a season."""
EN_ORDINALS: dict[str, int] = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
ZH_RELATIVE_DAYS: dict[str, int] = {
    "大前天": -3,
    **dict.fromkeys(("前天", "前日", "前晚", "前夜"), -2),
    **dict.fromkeys(("昨天", "昨日", "昨晨", "昨早", "昨午", "昨晚", "昨夜"), -1),
    **dict.fromkeys(("今天", "今日", "今晨", "今早", "今午", "今晚", "今夜", "当天"), 0),
    **dict.fromkeys(("明天", "明日"), 1),
    **dict.fromkeys(("后天", "後天"), 2),
    "大后天": 3,
}
EN_RELATIVE_DAYS: dict[str, int] = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
}
"""Words for a day by its distance from today."""

ZH_DAY_PARTS: dict[str, int] = {
    **dict.fromkeys(
        ("凌晨", "清晨", "早上", "早晨", "早间", "早間", "上午", "午前", "早", "오전"), 0
    ),
    **dict.fromkeys(("中午", "正午", "午后", "午後", "下午", "傍晚", "午", "오후"), 12),
    **dict.fromkeys(
        (
            "晚上",
            "晚间",
            "晚間",
            "夜里",
            "夜裡",
            "夜间",
            "夜間",
            "深夜",
            "半夜",
            "午夜",
            "晚",
            "夜",
        ),
        12,
    ),
}
"""Part of the day -> hours to add to a twelve-hour clock time that is below twelve; also as pages in Japanese and
Korean write a.m. and p.m."""

ZH_DIGITS: dict[str, int] = {
    "零": 0,
    "〇": 0,
    "○": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "兩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "肆": 4,
    "伍": 5,
    "陆": 6,
    "柒": 7,
    "捌": 8,
    "玖": 9,
}
ZH_UNITS: dict[str, int] = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
ZH_BIG_UNITS: dict[str, int] = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
ZH_DECADE_MARKS: dict[str, int] = {"廿": 20, "卅": 30}
ZH_NUMERAL = "".join((*ZH_DIGITS, *ZH_UNITS, *ZH_BIG_UNITS, *ZH_DECADE_MARKS))
"""Every character of a Chinese numeral, for use in a character class."""

ROC_ERA_NAMES = ("中华民国", "中華民國", "民国", "民國")
ROC_OFFSET = 1911
"""Year of the Republic of China + 1911 = Gregorian year."""
JAPANESE_ERAS: dict[str, tuple[int, int]] = {
    "令和": (2018, 99),
    "平成": (1988, 31),
    "昭和": (1925, 64),
    "大正": (1911, 15),
    "明治": (1867, 45),
}
"""Era -> the Gregorian year before its first, and its last year."""
ZH_RELATIVE_YEARS: dict[str, int] = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0}
ZH_RELATIVE_MONTHS: dict[str, int] = {
    **dict.fromkeys(("上上个月", "上上個月"), -2),
    **dict.fromkeys(("上个月", "上個月", "上月"), -1),
    **dict.fromkeys(("这个月", "這個月", "本月"), 0),
}
"""Words for a year or a month by its distance from this one."""


def parse_zh_numeral(text: str) -> int:
    """Value of a Chinese or ASCII numeral: 二〇二六 -> 2026, 三十一 -> 31, 廿三 -> 23, 一万二千 -> 12000.

    Raises ValueError when a character is no numeral.
    """
    if re.fullmatch(r"[0-9]+", text):
        return int(text)
    if not text or any(char not in ZH_NUMERAL for char in text):
        raise ValueError(f"not a Chinese numeral: {text!r}")
    if all(char in ZH_DIGITS for char in text):
        return int("".join(str(ZH_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in ZH_DIGITS:
            digit = ZH_DIGITS[char]
        elif char in ZH_DECADE_MARKS:
            section += ZH_DECADE_MARKS[char]
        elif char in ZH_UNITS:
            section += (digit or 1) * ZH_UNITS[char]
            digit = 0
        else:
            unit = ZH_BIG_UNITS[char]
            if total > unit:  # 一亿三千万
                total += (section + digit) * unit
            else:
                total = (total + section + digit) * unit
            section = digit = 0
    return total + section + digit
