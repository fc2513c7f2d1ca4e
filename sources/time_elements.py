"""The `<time datetime=...>` of a page that stands with its headline.

Such elements hold the instant with its zone, which a day alone loses; they also date comments, linked articles
and days in the story.
"""

from __future__ import annotations

import re

from sources.text import plain

_TIME = re.compile(r"<time\b[^<>]{0,600}>|<h1\b", re.IGNORECASE)
_ANY = re.compile(r"<time\b[^<>]{0,600}\bdatetime\b", re.IGNORECASE)
_DATETIME = re.compile(
    r"""\bdatetime\s{0,3}=\s{0,3}["']?\s{0,3}([^"'<>]{8,40}?)\s{0,3}["'>]""", re.IGNORECASE
)
_MOST = 300
"""Elements that are looked at."""
_MARK, _HEADLINE = "\ue000", "\ue001"
_MARKS = re.compile(rf"{_MARK}(\d+){_MARK}")
_STOP = re.compile(r"[。！？]|[.!?](?=\s|$)")
_LONGEST = 160
"""Characters of a line that can stand with a headline; a longer one with a stop is of the story."""


def headline_time(html: str) -> str:
    """The `datetime` as written: of the first element behind the headline, or the only day there is; else empty."""
    if not _ANY.search(html):
        return ""
    values: list[str] = []

    def mark(match: re.Match[str]) -> str:
        if match[0].lower() == "<h1":
            return f"{_HEADLINE}<h1"
        value = _DATETIME.search(match[0])
        if value is None or len(values) >= _MOST:
            return match[0]
        values.append(value[1].strip())
        return f"{match[0]}{_MARK}{len(values) - 1}{_MARK}"

    words = plain(_TIME.sub(mark, html[:600_000]))
    if not values:
        return ""
    found = [
        (match.start(), values[int(match[1])])
        for match in _MARKS.finditer(words)
        if int(match[1]) < len(values) and not _in_story(words, match)
    ]
    if len({raw[:10] for _, raw in found}) == 1:
        return max((raw for _, raw in found), key=len)
    head = words.find(_HEADLINE)
    return next((raw for place, raw in found if place > head >= 0), "")


def _in_story(words: str, match: re.Match[str]) -> bool:
    """Whether the element stands in a sentence of the article."""
    start = words.rfind("\n", 0, match.start()) + 1
    end = words.find("\n", match.end())
    line = words[start : end if end >= 0 else len(words)]
    return len(line) > _LONGEST and bool(_STOP.search(line))


def without_times(html: str) -> str:
    """Markup without the elements that have a `datetime`, their words kept."""
    return _TIME.sub(
        lambda match: "<time>" if _DATETIME.search(match[0]) else match[0], html[:2_000_000]
    )
