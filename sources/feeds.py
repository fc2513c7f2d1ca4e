"""RSS and Atom as a list of entries, under our own decoding and date rules.

feedparser reads the structure; the text is decoded before it and dates are taken as written, because its
date parser reads the machine's clock and guesses zones.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

from schemas import Outcome
from sources.language import language
from sources.text import decode, headline, plain
from sources.urls import absolute, canonical

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>\s*")
_REFERENCE = re.compile(r"&#(?:[xX]0*([0-9A-Fa-f]{4,})|0*([0-9]{5,}));?")
_FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What feedparser raises for markup that it did not foresee, such as a character beyond Unicode."""
_FEED = re.compile(r"<(?:\w+:)?(?:rss|feed|RDF|channel)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Entry:
    """One entry of a feed."""

    native_id: str
    """guid or id; the canonical link when there is none."""
    link: str
    """Absolute address of its page, or empty."""
    title: str
    """Headline, plain text."""
    summary: str
    """Its words in the feed, plain text."""
    published_raw: str
    """Publication date as written; empty when there is none. Never the updated date of RSS."""
    publisher: str
    """Source element or feed title."""
    author: str
    """Author as written."""
    lang: str
    """Language of its words; zh also when the feed says so."""


@dataclass(frozen=True)
class Feed:
    """A parsed feed, or why it is none."""

    outcome: Outcome
    """ok, empty, not_a_feed or decode_error."""
    note: str = ""
    """Why."""
    title: str = ""
    """Title of the feed."""
    entries: tuple[Entry, ...] = ()
    """Entries in order, the same id once."""


def read_feed(data: bytes, *, url: str = "", content_type: str = "") -> Feed:
    """Parse the bytes of a feed; never raises for its content."""
    import feedparser

    if not data.strip():
        return Feed("empty", "empty body")
    decoded = decode(data, content_type)
    if not decoded.ok:
        return Feed("decode_error", decoded.note)
    text = _DECLARATION.sub("", decoded.text.lstrip("\ufeff"))
    if not text.strip():
        return Feed("empty", "empty body")
    if not _FEED.search(text[:3000]):
        return Feed("not_a_feed", "no rss, feed or rdf element")
    text = _REFERENCE.sub(_character, text)
    try:
        parsed: Any = feedparser.parse(
            io.BytesIO(b'<?xml version="1.0" encoding="utf-8"?>\n' + text.encode("utf-8")),
            response_headers={"content-type": "application/xml; charset=utf-8"},
            resolve_relative_uris=False,
        )
    except _FAILURES as error:
        return Feed("not_a_feed", f"its markup cannot be read ({type(error).__name__})")
    title = headline(str(parsed.feed.get("title", "")))
    chinese = str(parsed.feed.get("language", "")).lower().startswith("zh")
    entries: dict[str, Entry] = {}
    for raw in parsed.entries:
        entry = _entry(raw, url, title, chinese=chinese)
        if entry is not None:
            entries.setdefault(entry.native_id, entry)
    if not entries:
        if parsed.get("bozo") and not parsed.get("version"):
            return Feed("not_a_feed", "it cannot be parsed as a feed")
        return Feed("empty", "a feed without entries", title)
    return Feed("ok", decoded.note, title, tuple(entries.values()))


def _character(match: re.Match[str]) -> str:
    """A numeric reference as it is, or the mark of a lost character when there is no such character."""
    digits = match[1] or match[2]
    value = int(digits, 16 if match[1] else 10) if len(digits) < 9 else _BEYOND
    return "\ufffd" if value >= _BEYOND or 0xD800 <= value <= 0xDFFF else match[0]


_BEYOND = 0x110000
"""The first number after the last character."""


def _entry(raw: Any, url: str, feed_title: str, *, chinese: bool) -> Entry | None:
    link = str(raw.get("link") or "")
    link = (absolute(url, link) if url else link) or link
    title = headline(str(raw.get("title") or ""))
    contents = [str(part.get("value") or "") for part in raw.get("content", [])]
    summary = plain(max([*contents, str(raw.get("summary") or "")], key=len))
    native = str(raw.get("id") or "").strip() or canonical(link)
    if not native:
        native = f"{title}\n{summary[:200]}".strip()
    if not native:
        return None
    source = raw.get("source") or {}
    dates = [raw["published"]] if "published" in raw else [raw.get("created") or ""]
    if not dates[0] and dict.__contains__(raw, "updated"):
        dates = [dict.__getitem__(raw, "updated")]
    return Entry(
        native_id=native,
        link=link,
        title=title,
        summary=summary,
        published_raw=str(dates[0] or "").strip(),
        publisher=headline(str(source.get("title") or "")) or feed_title,
        author=str(raw.get("author") or ""),
        lang="zh" if chinese else language(f"{title} {summary}"),
    )
