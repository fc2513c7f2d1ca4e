"""Window phrases in published question texts: which questions ask one thing over several windows.

The page stores a window in days beside each text, and the text says it in words, or does not. Two meanings are
mixed there: days after the cutoff and days before a target day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from schemas import Lang

_SPELLED: dict[str, dict[int, tuple[str, ...]]] = {
    "en": {
        7: ("seven[ -]days?", "(?:one|a)[ -]week"),
        14: ("fourteen[ -]days?", "two[ -]weeks?"),
        30: ("thirty[ -]days?", "(?:one|a)[ -]month"),
        60: ("sixty[ -]days?", "two[ -]months?"),
        90: ("ninety[ -]days?", "three[ -]months?"),
    },
    "zh": {
        7: ("七[天日]", "一周"),
        14: ("十四[天日]", "两周"),
        30: ("三十[天日]", "一个月"),
        60: ("六十[天日]", "两个月"),
        90: ("九十[天日]", "三个月"),
    },
}
_TARGET: dict[str, re.Pattern[str]] = {
    "zh": re.compile("目标日"),
    "en": re.compile(r"\btarget (?:date|day)\b", re.IGNORECASE),
}
_AHEAD: dict[str, re.Pattern[str]] = {
    "zh": re.compile(r"(?:未来|接下来)(?:的)?\s*(\d+)\s*(?:天|日)(?:之内|以内|内)"),
    "en": re.compile(r"\b(?:within|in|over|during) the next (\d+) days\b", re.IGNORECASE),
}


@lru_cache(maxsize=1024)
def _phrases(days: int, lang: Lang) -> tuple[re.Pattern[str], ...]:
    """How a text may say a window. Each pattern starts with plain letters, which lets `re` search fast."""
    unit = r"\s*[天日]" if lang == "zh" else r"[ -]days?\b"
    # A day of a month (10月7日) and the end of a longer number (17 days) are no such duration.
    digits = rf"{days}(?<!\d{days})(?<!月{days}){unit}"
    return tuple(re.compile(pattern) for pattern in (digits, *_SPELLED[lang].get(days, ())))


def base_text(text: str, days: int, lang: Lang) -> str:
    """The text without its own window of so many days, in figures or spelled."""
    for phrase in _phrases(days, lang):
        text = phrase.sub("#", text)
    return text


def names_target(text: str, lang: Lang) -> bool:
    """Whether the window is counted from a target day, so that windows nest only for one target."""
    return _TARGET[lang].search(text) is not None


def days_ahead(text: str, lang: Lang) -> int | None:
    """Days of a window that the text counts from the cutoff ("within the next 7 days"); None otherwise."""
    found = {int(days) for days in _AHEAD[lang].findall(text)}
    return found.pop() if len(found) == 1 else None


def window_groups(
    texts: Sequence[str],
    windows: Sequence[float],
    distances: Sequence[float],
    lang: Lang,
    *,
    first: int = 0,
) -> list[int]:
    """Group of each question of one point and edition, numbered from `first`; -1 when it stands alone.

    Questions of one group have the same text but for the window and at least two windows between them. Where the
    text counts from a target day the stored distance has to agree as well, since other windows do not nest.
    """
    members: dict[str, list[int]] = {}
    for row, (text, window) in enumerate(zip(texts, windows, strict=True)):
        members.setdefault(base_text(text, int(window), lang), []).append(row)
    groups = [-1] * len(texts)
    for base, rows in members.items():
        if len(rows) < 2 or not base:
            continue
        by_target: dict[float, list[int]] = {}
        counted_from_target = names_target(base, lang)
        for row in rows:
            by_target.setdefault(distances[row] if counted_from_target else 0.0, []).append(row)
        for nested in by_target.values():
            if len({windows[row] for row in nested}) > 1:
                for row in nested:
                    groups[row] = first
                first += 1
    return groups
