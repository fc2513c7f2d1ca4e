"""Engagement counts as platforms print them: 1.2万, 10万+, 3.5k, 1,234, 赞."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from math import prod

from sources.calendar import ZH_BIG_UNITS, ZH_NUMERAL, ZH_UNITS, parse_zh_numeral

_WORDS = {
    "k": 10**3, "w": 10**4, "m": 10**6, "b": 10**9, "thousand": 10**3, "million": 10**6, "billion": 10**9,
    "lakh": 10**5, "crore": 10**7,
}  # fmt: skip
_SCALES = ZH_UNITS | ZH_BIG_UNITS
_COUNT = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:\s*(?:(?P<units>[{''.join(_SCALES)}]{{1,3}})|(?P<word>{'|'.join(_WORDS)})(?![^\W\d_\u3040-\u9fff])))?(?:\s*(?:\+|余|多))?",
)
"""A letter scales only where no word goes on: 7k, but 7 kudos are seven."""
_OTHER_SCALE = re.compile(
    r"\s*(?:mil|mio|mln|mrd|tsd|tys|mi|bn|trillion|hundred|dozen|тыс|млн|млрд)\b|[kwmb][a-z]"
)
"""Scales of other languages, and a letter that may be a scale or begin a word."""
_NO_NUMBER = frozenset({"nan", "<na>", "nat", "inf", "-inf", "infinity", "-infinity"})
"""What programs write where a number is missing."""
_MINUS = ("-", "\u2212", "\u2010")
_DASHES = ("\u2013", "\u2014")
_LETTER = re.compile(r"\s*[^\W\d_]")
_LARGEST = 10**12
_PLAIN_DIGITS = 12
"""Digits that are a count without more ado."""


def read_count(raw: object) -> int | None:
    """A count as an integer >= 0; None when the text holds no count.

    Absent values and bare labels ("", "None", "赞", "Like") are 0: platforms print a label where nobody
    has counted yet. Text such as "1.77E+5" has lost digits and gives None, as "nan", "-5" and "1½" do.
    """
    if type(raw) is str and raw.isascii() and raw.isdigit() and len(raw) <= _PLAIN_DIGITS:
        return int(raw)
    if raw is None or raw is False:
        return 0
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        return int(raw) if math.isfinite(raw) and 0 <= raw <= _LARGEST else None
    text = unicodedata.normalize("NFKC", str(raw)).strip().lower()
    if (
        re.search(r"\de[+-]?\d", text) or "\u2044" in text or text in _NO_NUMBER
    ):  # 1½ has become 11⁄2
        return None
    match = _COUNT.search(text)
    if match is None:
        if text and all(char in _SCALES for char in text) and text[0] not in "十拾":
            return None  # a unit without its number
        if text and all(char in ZH_NUMERAL for char in text):
            return min(parse_zh_numeral(text), _LARGEST)
        return 0 if not any(char.isdigit() for char in text) else None
    before, behind = text[: match.start()].strip(), text[match.end() :]
    if before.endswith(_MINUS) or before in _DASHES:
        return None
    if re.match(r"[.,/ ]?\d", behind):  # 1.234.567, 1/10, 1 234
        return None
    scale = prod(_SCALES[char] for char in match["units"] or "") * _WORDS.get(match["word"], 1)
    if scale == 1 and (
        _OTHER_SCALE.match(behind) or ("." in match["number"] and _LETTER.match(behind))
    ):
        return None
    value = float(match["number"].replace(",", "")) * scale
    return round(value) if value <= _LARGEST else None


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
