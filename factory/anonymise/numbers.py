"""Figures that a reader could look up: what each one counts, and which are rare.

"218 to 217", "109.77 %" or "22.5 billion" point at one event as surely as a name, in digits or in words. What becomes of
those in digits is the policy of `number_plan`; those in words are listed and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Literal

from factory.anonymise.worded import Worded, worded
from schemas import DateRef, EntityRef, Number, Segment, SegmentText

NumberKind = Literal["money", "percent", "votes", "age", "time", "code", "year", "figure"]

FIXED: frozenset[NumberKind] = frozenset({"time", "code", "year"})
"""Kinds that no policy changes: they are names, or arithmetic with days depends on them."""
RARE_DIGITS = 3
"""Significant digits from which a figure is rare whatever it counts."""
RARE_WORDED = 2
"""The same for amounts, shares, votes and ages in words, so that "two votes" and "twenty dollars" are no finds."""
_CURRENCY = r"US\$|HK\$|[$€£¥₩₽]|\b(?:USD|EUR|GBP|RMB|CNY)\b"
_MONEY_BEFORE = re.compile(rf"({_CURRENCY})\s?$")
_MONEY_AFTER = re.compile(
    r"^\s?(?:(?:thousand|million|billion|trillion|[mb]n|[KMB])\b[ -])?[- ]?"
    r"(dollars?|euros?|pounds?|crowns?|yuan|yen|rubles?|francs?|cents?|美元|欧元|英镑|克朗|日元|港元|卢布|法郎|人民币|元|块钱"
    r"|(?:of |in )?Currency [A-Z]{1,2}\b|货币[A-Z]{1,2})"
)
_PERCENT_AFTER = re.compile(r"^\s?(?:per ?cent\b|percentage points?\b|个?百分点)")
_AGE_BEFORE = re.compile(r"\b(?:[Aa]ged?|[Nn]ow) $|(?:年仅|现年|年龄)$")
_AGE_AFTER = re.compile(r"^(?:[- ]years?[- ]old\b|\s?岁)")
_VOTE_WORDS = re.compile(
    r"\bvot(?:e|ed|es|ing)\b|\bballots?\b|票|表决|\bpassed\b|\brejected\b|\badopted\b"
)
_VOTES_AFTER = re.compile(
    r"^\s?(?:votes?\b|(?:张|赞成|反对)?票|in favou?r\b|against\b|ayes\b|nays\b)"
)
_VOTES_JOINT = re.compile(r"^\s?(?:[-–—:比对]|-?to-?|against|votes? to|票[对比])\s?$")
_CODE_BEFORE = re.compile(
    r"(?:\b(?:[Ss]ection|[Aa]rticle|[Cc]lause|[Cc]hapter|[Rr]ule|[Ff]orm|[Rr]oute|[Ff]light|[Ll]ine|[Rr]oom|[Tt]itle|"
    r"[Nn]o\.?|[Nn]r\.?) ?|第|[A-Za-z]-?|#|/)$"
)
_CODE_AFTER = re.compile(r"^(?:[A-Za-z]|-[A-Z]|号|条|路|频道)")
_TIME_AFTER = re.compile(
    r"^(?:st|nd|rd|th)\b|^[- ]?(?:days?|nights?|weeks?|fortnights?|months?|years?|hours?|minutes?|seconds?|decades?)\b|^ ?(?:[ap]\.?m\b|o['’]clock)"
    r"|^\s?(?:个?(?:交易|工作)日|天|日|周|个?月|个?星期|个?(?:多|半)?小时|分钟?|秒|年|时|点(?!名))"
)
_UNIT_LETTERS = re.compile(r"^(?:[kKmMbB]n?|km|kg|[mkGMT]?W|GB|TB)\b")


@dataclass(frozen=True)
class RareNumber:
    """A figure that a reader could look up."""

    where: str
    """Statement in which it stands."""
    kind: NumberKind
    words: str
    """With a few characters of its surroundings."""
    value: float
    digits: int
    """Significant digits."""


def significant_digits(written: str) -> int:
    """Significant digits of a figure as it is written, zeros at its end not counted: 120 and 0.012 have two.

    The written form counts and not the value, which a factor such as "billion" makes longer: 4.217 billion has four.
    """
    found = re.match(r"[\d,]*\.?\d+", written)
    if found is None:
        return 1
    return len(Decimal(found.group().replace(",", "")).normalize().as_tuple().digits)


def figures(text: SegmentText) -> Iterator[tuple[int, NumberKind]]:
    """Position and kind of every figure of a text."""
    votes = bool(_VOTE_WORDS.search("".join(segment_words(segment) for segment in text)))
    for index, segment in enumerate(text):
        if isinstance(segment, Number):
            before = "".join(segment_words(s) for s in text[max(0, index - 2) : index])
            after = "".join(segment_words(s) for s in text[index + 1 : index + 3])
            if votes and not segment.text.endswith("%") and _is_vote(text, index, after):
                yield index, "votes"
            else:
                yield index, _kind(segment, before, after)


def segment_words(segment: Segment) -> str:
    """Words of a segment, a bar for a reference."""
    return "\x1f" if isinstance(segment, EntityRef | DateRef) else segment.text


def _kind(number: Number, before: str, after: str) -> NumberKind:
    if number.text.rstrip().endswith(("%", "‰")) or _PERCENT_AFTER.match(after):
        return "percent"
    if _MONEY_BEFORE.search(before) or _MONEY_AFTER.match(after):
        return "money"
    if _AGE_BEFORE.search(before) or _AGE_AFTER.match(after):
        return "age"
    if _TIME_AFTER.match(after) or (after.startswith("号") and number.value <= 31):
        return "time"
    if _CODE_BEFORE.search(before) or (_CODE_AFTER.match(after) and not _UNIT_LETTERS.match(after)):
        return "code"
    if re.fullmatch(r"(?:19|20)\d\d", number.text):
        return "year"
    return "figure"


def _is_vote(text: SegmentText, index: int, after: str) -> bool:
    """Followed by what was cast, or one of two figures joined as the sides of a vote."""
    if _VOTES_AFTER.match(after):
        return True
    pairs = (
        (text[index + step] if 0 <= index + step < len(text) else None, index + 2 * step)
        for step in (-1, 1)
    )
    return any(
        joint is not None
        and not isinstance(joint, Number)
        and _VOTES_JOINT.match(segment_words(joint))
        and 0 <= other < len(text)
        and isinstance(text[other], Number)
        for joint, other in pairs
    )


def rare_numbers(texts: Iterable[tuple[str, SegmentText]]) -> list[RareNumber]:
    """Figures of three significant digits or more, amounts, percentages, votes and ages, in digits and in words;
    (name, text) pairs.

    Years, durations and clock times are the business of the date engine and are left out.
    """
    found = []
    for where, text in texts:
        for index, kind in figures(text):
            number = text[index]
            assert isinstance(number, Number)
            digits = significant_digits(number.text)
            if kind in FIXED - {"code"} or (kind == "figure" and digits < RARE_DIGITS):
                continue
            before = "".join(segment_words(s) for s in text[max(0, index - 2) : index])[-12:]
            after = "".join(segment_words(s) for s in text[index + 1 : index + 3])[:12]
            words = f"{before}{number.text}{after}".replace("\x1f", "…")
            found.append(RareNumber(where, kind, words, number.value, digits))
        for each, kind, words in worded_figures(text):
            digits = significant_digits(str(each.value))
            if digits >= (RARE_DIGITS if kind == "figure" else RARE_WORDED):
                found.append(RareNumber(where, kind, words, float(each.value), digits))
    return found


def worded_figures(text: SegmentText) -> list[tuple[Worded, NumberKind, str]]:
    """Figures spelled in words with their kind and a few characters of their surroundings; no days, years or codes."""
    # A reference and a figure in digits are one sign each, so that no figure in words runs over them.
    plain = "".join("\x1f" if isinstance(s, Number) else segment_words(s) for s in text)
    votes = bool(_VOTE_WORDS.search(plain))
    every = sorted(worded(plain))
    found: list[tuple[Worded, NumberKind, str]] = []
    for index, each in enumerate(every):
        before, after = plain[: each.start], plain[each.end :]
        if before.endswith("\x1f"):
            continue  # the rest of a figure in digits: 3 in 3千万
        beside = [
            plain[left.end : right.start]
            for left, right in pairwise(every[max(index - 1, 0) : index + 2])
        ]
        number = Number(text=str(each.value), value=float(each.value))
        kind: NumberKind
        if votes and (_VOTES_AFTER.match(after) or any(map(_VOTES_JOINT.match, beside))):
            kind = "votes"
        elif before.endswith(("百分之", "千分之")):
            kind = "percent"
        else:
            kind = _kind(number, before[-12:], after[:24])
        if kind not in FIXED:
            shown = f"{before[-12:]}{plain[each.start : each.end]}{after[:12]}"
            found.append((each, kind, shown.replace("\x1f", "…")))
    return found


def currency(text: SegmentText, index: int) -> str:
    """The currency of an amount, symbols and both languages made one."""
    before = "".join(segment_words(s) for s in text[max(0, index - 2) : index])
    after = "".join(segment_words(s) for s in text[index + 1 : index + 3])
    found = _MONEY_BEFORE.search(before) or _MONEY_AFTER.match(after)
    return _CURRENCIES.get(found.group(1).rstrip("s"), found.group(1).rstrip("s")) if found else ""


_CURRENCIES = {
    "$": "dollar", "US$": "dollar", "USD": "dollar", "美元": "dollar", "cent": "dollar", "€": "euro", "EUR": "euro",
    "欧元": "euro", "£": "pound", "GBP": "pound", "英镑": "pound", "¥": "yuan", "RMB": "yuan", "CNY": "yuan",
    "元": "yuan", "人民币": "yuan", "块钱": "yuan", "克朗": "crown",
}  # fmt: skip
