"""Redirects that answer for a page that is gone: sites send those who ask for it to their home or a section.

The page that comes is alive and has words, so that nothing but its address says that it is not what was asked
for. An address with less of an article in it than the one asked for is taken for such a place.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

_HOME = frozenset({
    "index", "default", "home", "homepage", "main", "start", "front", "www", "portal", "en", "zh", "cn", "tw", "hk",
    "us", "uk", "gb", "int", "intl", "global", "international", "english", "chinese", "m", "mobile", "wap",
})  # fmt: skip
"""Segments that name a site's front page, or one of its editions."""
_SECTIONS = frozenset({
    "news", "latest", "archive", "archives", "world", "china", "sport", "sports", "business", "politics", "opinion",
    "culture", "tech", "technology", "local", "national", "video", "videos", "search", "sitemap", "topics",
    "xinwen", "gn", "gj", "guonei", "guoji", "shehui", "sh", "cj", "ty",
})  # fmt: skip
_ERRORS = re.compile(
    r"(?:page[-_]?)?(?:404|410|not[-_]?found|errors?(?:[-_]?page)?|gone|missing)", re.IGNORECASE
)
_LOCALE = re.compile(r"[a-z]{2}[-_][a-z]{2,4}", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(?:html?|s?html|php\d?|aspx?|jsp|do)$", re.IGNORECASE)
_IDS = frozenset({
    "p", "id", "aid", "nid", "cid", "docid", "newsid", "articleid", "article", "story", "page_id", "contentid",
    "itemid", "sid", "url", "guid", "post", "tid", "uuid", "key", "doc",
})  # fmt: skip
"""Parameters that name one thing of many."""
_DATE = re.compile(r"(?:19|20)\d\d(?:[-_]?[01]?\d(?:[-_]?[0-3]?\d)?)?|[01]\d[-_]?[0-3]\d|\d{1,2}")
_NUMBER = re.compile(r"\d+|.*\d.*\d.*\d.*")
"""A word that counts something: channels are called n1 and c2 too."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORDS = 3
"""Words of a segment from which it is a headline."""
_HAN_LETTERS = 5
"""Chinese letters from which it is one."""


def leads_away(asked: str, landed: str) -> bool:
    """Whether a redirect from an article ended at a front page, a section above the article or an error page."""
    before, after = _segments(asked), _segments(landed)
    if _names_one(landed) or (before == after and not _names_one(asked)):
        return False
    if after and _ERRORS.fullmatch(after[-1]):
        return True
    if _is_front(after):
        return _names_one(asked) or not _is_front(before)
    if any(map(_is_headline, after)):
        return False
    above = len(after) < len(before) and before[: len(after)] == after
    return above or (len(after) == 1 and len(before) > 1 and after[0] in _SECTIONS)


def _segments(url: str) -> list[str]:
    """Lower-case segments of a path without its file's extension; a file called index is its folder."""
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        return []
    found = [part for part in path.lower().split("/") if part]
    if found:
        found[-1] = _EXTENSION.sub("", found[-1])
        if found[-1] in ("index", "default"):
            found.pop()
    return found


def _names_one(url: str) -> bool:
    """Whether the query names one thing, as `?p=123` does."""
    try:
        pairs = parse_qsl(urlsplit(url).query)
    except ValueError:
        return False
    return any(name.lower() in _IDS for name, _ in pairs)


def _is_front(segments: list[str]) -> bool:
    return len(segments) <= 2 and all(
        part in _HOME or _LOCALE.fullmatch(part) is not None for part in segments
    )


def _is_headline(segment: str) -> bool:
    """Whether a segment tells an article from others: a number that is no date, or several words."""
    if _DATE.fullmatch(segment):
        return False
    words = [word for word in re.split(r"[-_.~+ ]", segment) if word]
    numbers = (_NUMBER.fullmatch(word) and not _DATE.fullmatch(word) for word in words)
    return any(numbers) or len(words) >= _WORDS or len(_HAN.findall(segment)) >= _HAN_LETTERS
