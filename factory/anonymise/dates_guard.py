"""What stands beside a mention and was not read with it: then the mention is a doubt, for it would move alone.

"third week of March", "on 12, 13 or 14 March", 前三季度 or 3月第二周 name something else than the month or day in them. The
rules read many such forms whole; this is the net below them: a figure joined to a date, an ordinal, a part of a
unit or a year word that no mention holds turns the mention into a flag, which covers the words that it belongs to.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from factory.anonymise.dates_en_lists import SPELLED
from factory.anonymise.dates_en_words import DAY, MONTH_NAME, NO_NOUN, TO
from factory.anonymise.intervals import Mention

UNREAD = "words beside it were not read"
_LOOK = 40
"""Characters looked at on either side."""
_NTH = "first|second|third|fourth|fifth|last|final|opening|closing|early|later|1st|2nd|3rd|4th|5th"
_UNIT = "(?:days?|weeks?|weekends?|half|fortnight|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)"
_SPELLED = "|".join(sorted(SPELLED, key=len, reverse=True))
_NUMBER = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)|(?!(?i:first|second|third|fourth) (?:in|to|since|for|from|after|under|by)\b)(?i:{_SPELLED}))(?![\w-])"
    + NO_NOUN
)
_CAPITAL = "|".join(word.capitalize() for word in SPELLED[3:])
"""Spelled days after a month, without those that begin titles (First Lady)."""
_JOINT = (
    rf"(?:,? (?:and|or|then|plus|&)(?: (?:also|again|then))?(?: on)? |{TO}| ?[-–—/] ?)(?:the )?"
)
"""Between two days of a list or range."""
_AND = f",? and |,? or | & |{TO}"
_UNITS = frozenset({"month", "months", "two months", "part of month", "quarter", "season"})
_DAYS = frozenset({"day", "days", "two days", "range", "day of month"})

BEFORE_UNIT = re.compile(
    rf"(?:\b(?:[Tt]he )?(?:(?:{_NTH}) )(?:(?:\w+ )?{_UNIT}|few days) (?:of|in) |\b(?:week|half) of |\b(?:early|mid|late)(?:[ -]|-? ?(?:to|and|or)[- ])"
    rf"|\b(?:[Tt]he )?(?:{_SPELLED})(?: day)? of |\b(?:[Tt]he )?\d{{1,2}}(?:st|nd|rd|th)? (?:day )?of |(?<![\d$£€.,:])\b{DAY}(?:st|nd|rd|th)? |\b(?:[Tt]he )?(?:{_SPELLED}) "
    rf"|\b(?:[Tt]he )?(?:end|start|beginning|middle|close|turn) of (?:the )?|\b(?:19|20)\d\d |(?:{MONTH_NAME})[-–—/] ?)$"
    r"|(?:(?:^|[^0-9０-９一二三四五六七八九十])(?P<lead>前|头|闰|[次翌]年|[前上后下]一年|[0-9一二两三四五六七八九十元]{1,3}年[前后]?的?)|(?:[0-9０-９]{1,2}|[一二三四五六七八九十]{1,2})[ ]?[、/至到—–－~～-][ ]?)$"
)
"""Before a month, a quarter or the like; the match begins with what is not read."""
AFTER_UNIT = re.compile(
    rf"(?: the)? {_NUMBER}| (?:the )?(?:{_CAPITAL})\b|['’]s (?:(?:{_NTH}|{_SPELLED}) (?:\w+ )?{_UNIT}|end|start|beginning|middle|close)\b|,? ?['’]\d\d\b|(?:,? of)? \(?(?:19|20)\d\d\b| FY|,? (?:of )?(?:last|this|next|the (?:previous|following)) year\b"
    r"|的?(?:(?:第|首|最?[前后头末初]|开头|最初)[0-9一二两三四五六几十]{0,3}个?(?:完整的?)?|[0-9一二两三四五六末几]个?)(?:(?:周|星期|礼拜)[一二三四五六日天末]?(?![年岁边围])|工作日|交易日|天(?!年)|日(?!本)|旬|半月|双休日)"
    r"|的?(?:第[一二三]|首|最?[前后末])个?月(?!球)|[前后上下]半[月段]|中段|季?(?:末(?![端尾位班期])|初(?![步审赛选期始心衷])|中(?![国心期旬间央]))|[初一二三四五六七八九十廿]{1,3}(?=[，。、；：,.;）)\s]|$)"
)
BEFORE_DAY = re.compile(
    rf"(?:(?:(?<![\d$£€.:])\b\d{{1,2}}(?:st|nd|rd|th)?(?:, |{_AND})|\b(?:[Tt]he )?(?i:{_SPELLED})(?:{_AND})|\b[Tt]he (?:{_SPELLED}), )(?:the )?"
    rf"|(?<![\d$£€.:])\b\d{{1,2}}(?:st|nd|rd|th)?(?:/| ?[-–—] ?)|\b(?:[Tt]he )?(?i:{_SPELLED})[-–—]"
    r"|(?<!\d)(?:19|20)\d\d "
    r"|(?:[0-9０-９]{1,2}|[一二三四五六七八九十]{1,3})[ ]?[、/至到和及—–－~～-][ ]?"
    r"|[次翌]年|[前上后下]一年|(?<![0-9０-９])[0-9一二两三四五六七八九十元]{1,3}年)$"
)
AFTER_DAY = re.compile(
    rf"{_JOINT}{_NUMBER}|(?:{TO})\d{{1,2}}(?![\d:%/-]|[.,]\d| ?[ap]\.?m)"
    r"|(?:, \d{1,2}(?:st|nd|rd|th)?)*(?:,? and |,? or | & |/)\d{1,2}(?:st|nd|rd|th)?(?=[.;:)]|, |$)"
    r"|(?:,? and |,? or | & )(?:3[01]|[12]\d|[1-9])(?= )(?! (?:million|billion|thousand|percent|per|people|men|women|children|days?|of|more|others?|[a-z]{4,}s)\b)"
    r"|(?:, \d{1,2}(?![\w%:]|[.,]\d)){2,}|, \d{1,2}(?=[.;:)!?](?!\d)|$)"
    r"|(?:, \d{1,2}(?:st|nd|rd|th)\b)+| (?:week|weekend|half|quarter)\b|,? ?['’]\d\d\b|,? (?:of )?(?:last|this|next|the (?:previous|following)) year\b"
)


_JOINTS = frozenset("、/至到和及—–－～~-")
_BETWEEN = frozenset(("and", "or", "the", *TO.replace("|", "").split()))
_PARTED = tuple(SPELLED)
_OF_A_UNIT = re.compile(
    rf"(?:{_UNIT}|week|end|start|beginning|middle|close|turn)$|\d(?:st|nd|rd|th)?$", re.I
)


def may_be_unread(text: str, low: int, start: int, unit: bool) -> bool:
    """Whether BEFORE_UNIT or BEFORE_DAY can match at all: told by the last words, which is cheap."""
    last = text[start - 1 : start]
    if last != " ":
        return last in _JOINTS or last == "年" or (unit and last in "前头闰的")
    words = text[low : start - 1].rsplit(" ", 2)
    word = words[-1]
    if not word:
        return False
    if word[-1].isdigit() or word[-1] in _JOINTS:
        return True
    before = words[-2] if len(words) > 1 else ""
    if unit:
        if word in ("of", "in"):
            return _OF_A_UNIT.search(before) is not None or before.lower().endswith(_PARTED)
        return word in ("the", "to", "and", "or") or word.lower().endswith(
            ("early", "mid", "late", *_PARTED)
        )
    return word[-1] in ",&" or word in _BETWEEN


def guarded(text: str, chosen: list[Mention]) -> list[Mention]:
    """The mentions, those that would move alone made flags over all the words that they belong to."""
    # A weekday is no reading of "first Monday in May", nor 上半月 one of 3月上半月.
    alone = ("weekday", "part of a unit")
    taken = sorted((m.start, m.end) for m in chosen if m.kind != "leave" and m.reason not in alone)
    out: list[Mention] = []
    for mention in chosen:
        stretch = _unread(text, mention) if mention.kind == "shift" else None
        if stretch is None or _overlap(taken, stretch, mention):
            out.append(mention)
        else:
            start, end = stretch
            out.append(Mention(start, end, "flag", UNREAD, text[start:end]))
    flags = sorted((m.start, m.end) for m in out if m.reason == UNREAD)
    if not flags:
        return out
    starts = [start for start, _ in flags]
    reach = list(accumulate((end for _, end in flags), max))

    def swallowed(mention: Mention) -> bool:
        before = bisect_left(starts, mention.end)
        return before > 0 and reach[before - 1] > mention.start

    return [m for m in out if m.reason == UNREAD or not swallowed(m)]


def _unread(text: str, mention: Mention) -> tuple[int, int] | None:
    """The mention with what stands unread beside it; None where nothing does."""
    if mention.reason in _UNITS:
        before, after = BEFORE_UNIT, AFTER_UNIT
    elif mention.reason in _DAYS:
        before, after = BEFORE_DAY, AFTER_DAY
    else:
        return None
    start, end = mention.start, mention.end
    low = max(start - _LOOK, 0)
    found = None
    if may_be_unread(text, low, start, before is BEFORE_UNIT):
        found = before.search(text[low:start])
    if found is not None:
        lead = found.start("lead") if found.groupdict().get("lead") else found.start()
        start = low + lead
    follows = after.match(text[end : end + _LOOK])
    if follows is not None:
        end += follows.end()
    return None if (start, end) == (mention.start, mention.end) else (start, end)


def _overlap(taken: list[tuple[int, int]], stretch: tuple[int, int], own: Mention) -> bool:
    """Whether another mention holds some of these words: then they were read."""
    start, end = stretch
    at = bisect_left(taken, (own.start, own.end))
    return (at > 0 and taken[at - 1][1] > start) or (at + 1 < len(taken) and taken[at + 1][0] < end)
