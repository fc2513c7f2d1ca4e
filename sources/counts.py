"""Engagement counts as platforms print them: 1.2万, 10万+, 3.5k, 1,234, 赞."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from math import prod

from sources.calendar import EN_MONTH_NUMBER, ZH_BIG_UNITS, ZH_NUMERAL, ZH_UNITS
from sources.numerals import MORE, read_amount

_WORDS = {
    "k": 10**3, "w": 10**4, "m": 10**6, "b": 10**9, "thousand": 10**3, "million": 10**6, "billion": 10**9,
    "lakh": 10**5, "crore": 10**7,
}  # fmt: skip
_SCALES = ZH_UNITS | ZH_BIG_UNITS
_UNITS = "".join(_SCALES)
_COUNT = re.compile(
    r"(?P<number>\d{1,3}(?:(?:,\d{3})+|(?:['\u2019]\d{3})+)(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:\s*[{MORE}](?=[{_UNITS}]))?"
    rf"(?:\s*(?:(?P<units>[{_UNITS}]{{1,3}})|(?P<word>{'|'.join(_WORDS)})(?![^\W\d_\u3040-\u9fff])))?"
    rf"(?:\s*(?:\+|[{MORE.translate(dict.fromkeys(map(ord, '来來')))}]))?",
)
"""A letter scales only where no word goes on: 7k, but 7 kudos are seven."""
_OTHER_SCALE = re.compile(
    r"\s*(?:mil|mio|mln|mrd|tsd|tys|mi|bn|trillion|hundred|dozen|тыс|млн|млрд)\b|\s*兆|[kwmb][a-z]"
)
"""Scales of other languages, and a letter that may be a scale or begin a word."""
_NO_NUMBER = frozenset({"nan", "<na>", "nat", "inf", "-inf", "infinity", "-infinity"})
"""What programs write where a number is missing."""
_LABEL = (
    "点赞|點讚|赞同|贊同|赞|讚|贊|喜欢|喜歡|评论|評論|留言|回复|回覆|回應|转发|轉發|转评赞|分享|收藏|浏览|瀏覽|播放|观看|觀看|"
    "阅读|閱讀|关注|關注|粉丝|粉絲|投币|弹幕|彈幕|在看|推荐|推薦|感谢|支持|反对|踩|顶|热度|"
    r"like|dislike|comment|share|repost|retweet|quote|repl(?:y|ie)|view|play|favou?rite|save|bookmark|upvote|vote|"
    "follower|follow|reaction|boost|point|score"
)
_BARE = re.compile(
    rf"(?:(?:添加|发表|發表|写|寫|抢首|搶首|暂无|暫無|无|無)?(?:{_LABEL})[数數量]?|抢首评|搶首評|抢沙发|暂无|暫無|无|無"
    rf"|(?:no |add an? |post an? |leave an? )?(?:{_LABEL})s?(?: this| count)?(?: yet)?"
    r"|be the first to (?:like|comment|reply|share)(?: this)?|none|null|)"
)
"""What platforms print where nobody has counted yet."""
_ICONS = re.compile(
    r"^[\s\ufe0f\u2600-\u27bf\U0001f300-\U0001faff:()\[\]]+|[\s\ufe0f\u2600-\u27bf\U0001f300-\U0001faff:()\[\]]+$"
)
_NAMED = re.compile(
    rf"^(?:(?:{_LABEL})[数數量]?s?|共|一共|总共|總共|共有|有|[~\u2248>\u2265])*[\s:]*"
    rf"|[\s,]*(?:[个個条條次人位名篇则則票楼樓]|人次)?[\s的]*(?:(?:{_LABEL})[数數量]?)?s?$"
)
"""What may stand around an amount in Chinese numerals: what is counted."""
_MONTHS = "|".join(sorted(EN_MONTH_NUMBER, key=len, reverse=True))
_NO_COUNT_BEFORE = re.compile(
    rf"(?:第|不到|不足|不满|未满|少于|低于|小于|至多|最多|百分之|<|\u2264|#|[$\u00a3\u20ac\u00a5]|(?<![^\W_])[a-z]"
    rf"|\b(?:top|no\.?|nr\.?|vol\.?|part|page|rank(?:ed)?|version|chapter|less than|fewer than|under|below|up to|at most"
    rf"|{_MONTHS}))\s*$"
)
"""Before a number: it is a rank, a price, an upper bound or a day."""
_NO_COUNT_BEHIND = re.compile(
    r"\s*(?:[%\u2030]|per ?cent\b|percentage\b|成(?![员員])|折|以下|以内|以內|or (?:less|fewer)\b"
    r"|[年日号號天周週秒元]|月(?!票)|小时|小時|分钟|分鐘|分(?!享)|[时時]|[点點](?!赞|讚|贊|评|評)"
    r"|(?:s|sec|seconds?|min|minutes?|h|hrs?|hours?|d|days?|weeks?|mo|months?|y|yrs?|years?|[ap]m|ago|[kmg]b)\b"
    rf"|(?:[-~\u2010-\u2015\u2212]|至|到|to\b)\s*[{ZH_NUMERAL}])"
)
"""Behind a number: it is a share, a time, a price, an upper bound or the lower end of a range."""
_MINUS = ("-", "\u2212", "\u2010")
_DASHES = ("\u2013", "\u2014")
_LETTER = re.compile(r"\s*[^\W\d_]")
_LARGEST = 10**12
_PLAIN_DIGITS = 12
"""Digits that are a count without more ado."""


def read_count(raw: object) -> int | None:
    """A count as an integer >= 0, the lower bound where it is one (10万+, 三百多); None when the text holds no count.

    Absent values and bare labels ("", "None", "赞", "Like") are 0: platforms print a label where nobody
    has counted yet. Any other text without a number gives None, as do a number that has lost digits (1.77E+5), one
    that can be read in two ways (1.234, 1,2), several numbers, and a number that counts nothing: a clock, a day, a
    share, a rank, the end of a range.
    """
    if type(raw) is str and raw.isascii() and raw.isdigit() and len(raw) <= _PLAIN_DIGITS:
        return int(raw)
    if raw is None or raw is False:
        return 0
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        return int(raw) if math.isfinite(raw) and 0 <= raw <= _LARGEST else None
    if not isinstance(raw, str):
        return None
    text = unicodedata.normalize("NFKC", raw).strip().lower()
    if "\u2044" in text or text in _NO_NUMBER or len(text) > _LONGEST:  # 1½ has become 11⁄2
        return None
    match = _COUNT.search(text)
    return _in_words(text) if match is None else _in_digits(text, match)


_LONGEST = 200
"""Characters beyond which a text is no count."""


def _in_words(text: str) -> int | None:
    """A count without a digit: a label, or Chinese numerals with what they count."""
    bare = _ICONS.sub("", text)
    if (bare or not text.startswith(("(", "[", ":"))) and _BARE.fullmatch(bare):
        return 0
    value = read_amount(bare)
    if value is None:
        value = read_amount(_NAMED.sub("", bare))
    return None if value is None or value > _LARGEST else value


def _in_digits(text: str, match: re.Match[str]) -> int | None:
    before, behind = text[: match.start()].strip(), text[match.end() :]
    if before and (before.endswith(_MINUS) or before in _DASHES or _NO_COUNT_BEFORE.search(before)):
        return None
    if behind and (
        behind[0] in _NUMERAL or _DIGIT.search(behind) or _NO_COUNT_BEHIND.match(behind)
    ):
        return None  # 1.234.567, 1/10, 1 234, 12:30, 1.7e+5
    number, units, word = match["number"], match["units"], match["word"]
    scale = prod(_SCALES[char] for char in units or "") * _WORDS.get(word, 1)
    if scale == 1 and (_OTHER_SCALE.match(behind) or ("." in number and _LETTER.match(behind))):
        return None
    if scale == 1 and _AMBIGUOUS.fullmatch(number):
        return None
    value = float(_GROUPS.sub("", number)) * scale
    return round(value) if value <= _LARGEST else None


_DIGIT = re.compile(r"\d")
_NUMERAL = frozenset(ZH_NUMERAL)
_AMBIGUOUS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
"""Thousands as half of Europe writes them, or a number with three decimals."""
_GROUPS = re.compile(r"[,'\u2019]")


def counts_at(row: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, int]:
    """`read_counts` of a row, whose columns are given by our names."""
    return {
        name: count
        for name, column in columns.items()
        if (value := row.get(column)) is not None
        and value != ""
        and (count := read_count(value)) is not None
    }


def read_counts(**raw: object) -> dict[str, int]:
    """Named counts without those that are absent or unreadable."""
    return counts_of(raw)


def counts_of(raw: Mapping[str, object]) -> dict[str, int]:
    """`read_counts` of a mapping."""
    counts = {}
    for name, value in raw.items():
        if value is None or value == "":
            continue
        count = read_count(value)
        if count is not None:
            counts[name] = count
    return counts
