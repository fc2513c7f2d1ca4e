"""Engagement counts as platforms print them: 1.2万, 10万+, 3.5k, 1,234, 赞."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping

from sources.calendar import ZH_NUMERAL, parse_zh_numeral

_SCALE = {
    "": 1,
    "k": 10**3,
    "千": 10**3,
    "w": 10**4,
    "万": 10**4,
    "萬": 10**4,
    "m": 10**6,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "億": 10**8,
    "b": 10**9,
}
_COUNT = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(?P<unit>百万|千万|[千万萬亿億kwmb])?\s*(?:\+|余|多)?",
)
_LARGEST = 10**12
_PLAIN_DIGITS = 12
"""Digits that are a count without more ado."""


def read_count(raw: object) -> int | None:
    """A count as an integer >= 0; None when the text holds no count.

    Absent values and bare labels ("", "None", "赞", "Like") are 0: platforms print a label where nobody
    has counted yet. Text such as "1.77E+5" has lost digits and gives None.
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
    if re.search(r"\de[+-]?\d", text):
        return None
    match = _COUNT.search(text)
    if match is None:
        if text and text in _SCALE:  # a unit without its number
            return None
        if text and all(char in ZH_NUMERAL for char in text):
            return min(parse_zh_numeral(text), _LARGEST)
        return 0 if not any(char.isdigit() for char in text) else None
    before, behind = text[: match.start()].strip(), text[match.end() :]
    if before.endswith("-") or re.match(r"[.,/ ]?\d", behind):  # -5, 1.234.567, 1/10, 1 234
        return None
    value = round(float(match["number"].replace(",", "")) * _SCALE[match["unit"] or ""])
    return value if value <= _LARGEST else None


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
