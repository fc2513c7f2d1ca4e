"""Days in figures for the calendar net: 12/15, 1/4-1/6, 12-05 10:23, 12.5讯, 10.12.25, 12-09-2025, 20251205.

A month and a day in figures look like a score, a vote, a fraction or a price, so every pair of that size is judged by
its neighbours: words of counting beside it make it none, words of dates make it one, and a slashed pair with neither
is one unless it is usual as a share, such as 1/2 or 7/10. Nothing is resolved and the order is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_FREE = r"(?<![\w/.,$£€¥￥#=&:+~%@-])"
_FULL = re.compile(
    r"(?<![\w.,#$/-])(?:\d{1,2}(?P<mark>[-.])\d{1,2}(?P=mark)(?:19|20)\d\d|(?:19[89]|20[0-3])\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T\d{4,6}\w{0,5})?)(?!\w|[-.]\d|[,]\d{3})"
    r"|(?<![\d.,#])(?:19[89]|20[0-3])\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?=[_-]?(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?!\d))"
    r"|(?<=[A-Za-z_-])(?<!\d-)(?:19[89]|20[0-3])\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?<![\w.,$/-])(?<![Oo][Ss] )(?<!ersion )(?<!elease )(?<!pdate )(?<!uild )(?:(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])\.(?:1[3-9]|2\d|3[01]))\.[0-3]\d(?!\w|\.\d|-)",
    re.ASCII,
)
"""Three parts, of which one is a year, or glued as machines write them."""
_PAIR = re.compile(
    _FREE
    + r"(?P<a>\d{1,2})(?P<mark>[/.-])(?P<b>\d{1,2})(?:(?: ?[-–—~～至到] ?| to )(?P<c>\d{1,2})(?P=mark)(?P<d>\d{1,2}))?(?![\w/%％‰°]|[.,:-]\d)",
    re.ASCII,
)
_EN_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}\.?"
_CLOCK = re.compile(r",? ?(?:at |@ ?)?(?:\d?\d:\d\d|\d{1,2} ?[ap]\.?m\b|noon\b)")
_WEEKDAY_BEFORE = re.compile(rf"{_EN_DAY},? \(?$|(?:周|星期|礼拜)[一二三四五六日天][ ]?[（(]?$")
_DATING = re.compile(r"\b(?:on|since|until|till|dated|due|see (?:you|u|ya)) $", re.IGNORECASE)
_CLOSED = re.compile(r"\s*$|[.,;:!?)，。；！？、）]")
_AMOUNT = re.compile(r"(?:[A-Za-z]|版本?|系统|[涨跌至到达为约近价值率元每超增减])[ ]?$")
_DATED = re.compile(
    rf"讯|[ ]?[（(]?(?:周|星期|礼拜)[一二三四五六日天]| ?\({_EN_DAY}\)"
    "|[停放开闭集截报出值调考宣庭直][课水电工航运业假庭幕拍学会赛合止名到发班休试判审播]|上[映线市班课]|休[市假]|期间|活动|日程|演出|打卡|举[行办]|当[天日晚]|[早晚]上|凌晨|首[发映播]"
)
_COUNTING = re.compile(
    r"\b(?:pages?|pp?\.|parts?|episodes?|chapter|step|scor\w+|rat\w+|vot\w+|passed|version|odds|room|unit|gate|level|round|about|nearly|almost|only|than|another|an?|of|figure|table|question|got) $"
    r"|[第共约近超占达仅只比分票胜负率版][ ]?$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"[ -]?(?:%|percent|of\b|inch|cups?\b|tsp|tbsp|tea|table|ounce|oz\b|lbs?\b|pound|mile|acre|hours?\b|votes?\b|would\b|star|point|split\b|odds|times?\b|majority|chance|full\b|done\b"
    r"|complete|members|people|seats|share\b|margin|wins?\b|loss|record\b|ratio|scale|size|vision|[mbtr]illion|ton\b|against\b|in favou?r|questions|correct|right\b)"
    r"|[ ]?(?:[的以左下个名人票分比胜负杯勺局页场节倍强多数股者米处季英寸码席位家项次种成条层室号％%]|上(?![映线市班课])|决赛|赛)",
    re.IGNORECASE,
)


_LOOK = 60
"""Characters in which pairs stand together."""


def _is_day(a: int, b: int) -> bool:
    """Month and day in either order."""
    return min(a, b) >= 1 and min(a, b) <= 12 and max(a, b) <= 31


def _usual(a: int, b: int) -> bool:
    """Shares, marks in full, round the clock, the attacks."""
    return (
        (a < b and b in (2, 3, 4, 5, 6, 8, 10, 16)) or a == b <= 10 or (a, b) in ((24, 7), (9, 11))
    )


def figure_days(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every day in figures, in order of their kinds."""
    for found in _FULL.finditer(text):
        yield found.span()
    for found in _PAIR.finditer(text):
        a, b = int(found["a"]), int(found["b"])
        if not _is_day(a, b) or (found["c"] and not _is_day(int(found["c"]), int(found["d"]))):
            continue
        before = text[max(found.start() - 20, 0) : found.start()]
        after = text[found.end() : found.end() + 12]
        if _TELLS[found["mark"]](found, before, after):
            yield found.span()


def _slashed(found: re.Match[str], before: str, after: str) -> bool:
    """A day, unless something is counted, or its figures are those of a share and nothing dates them."""
    weekday = _WEEKDAY_BEFORE.search(before) is not None
    if _COUNTED.match(after) or (_COUNTING.search(before) and not weekday):
        return False
    usual = _usual(int(found["a"]), int(found["b"])) or _among_tallies(found)
    if found["c"] is not None:
        return not (usual and _usual(int(found["c"]), int(found["d"])))
    if not usual or weekday or _CLOCK.match(after) or _DATED.match(after):
        return True
    return bool(_DATING.search(before) and _CLOSED.match(after))


def _among_tallies(found: re.Match[str]) -> bool:
    """Whether a pair nearby can be no day: figures like 31/31 or 7/0 count something, and so do those beside them."""
    text = found.string
    near = _PAIR.finditer(text, max(found.start() - _LOOK, 0), found.end() + _LOOK)
    return any(one["mark"] == "/" and not _is_day(int(one["a"]), int(one["b"])) for one in near)


def _dashed(found: re.Match[str], _before: str, after: str) -> bool:
    """A score, unless a clock stands behind it or a zero before one of its figures."""
    a, b = found["a"], found["b"]
    if len(b) == 2 and _CLOCK.match(after):
        return True
    return len(a) == len(b) == 2 and "0" in (a[0], b[0]) and not _COUNTED.match(after)


def _dotted(found: re.Match[str], before: str, after: str) -> bool:
    """A decimal figure, unless a Chinese text says its weekday or what happens on it."""
    if int(found["a"]) > 12:
        return False
    if after[:1] in tuple("）)") and _WEEKDAY_BEFORE.search(before):
        return True
    return bool(_DATED.match(after)) and not _AMOUNT.search(before)


_TELLS: dict[str, Callable[[re.Match[str], str, str], bool]] = {
    "/": _slashed,
    "-": _dashed,
    ".": _dotted,
}
