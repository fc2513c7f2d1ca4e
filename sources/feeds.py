"""RSS and Atom as a list of entries, under our own decoding and date rules.

feedparser reads the structure; the text is decoded before it and dates are taken as written, because its
date parser reads the machine's clock and guesses zones.

An entry is known by its guid, unless the feed gives the same one to entries with other links or titles; then by its
link, then by its words. What a feed says twice is listed, so that no entry is gone without a word.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from schemas import Outcome
from sources.language import language
from sources.text import decode, headline, plain
from sources.urls import absolute, canonical, full_address, is_web_address

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
    """Its guid or id, else its canonical link with the place on the page, else a digest of its words."""
    link: str
    """Absolute address of its page; empty when it has none but that of the feed or the site."""
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
    shares_page: bool = False
    """Whether other entries of the feed lead to the same page, such as the posts of a ticker."""


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
    """Entries in order, the same id once; some may have no words."""
    repeated: tuple[Entry, ...] = ()
    """What the feed says again, under the id of the entry that is kept."""


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
    home = str(parsed.feed.get("link") or "")
    base, homes = url or home, {canonical(url), canonical(home)}
    found = [_entry(raw, base, homes, title, chinese=chinese) for raw in parsed.entries]
    entries: dict[str, Entry] = {}
    repeated: list[Entry] = []
    for entry in _named(found):
        if entries.setdefault(entry.native_id, entry) is not entry:
            repeated.append(entry)
    if not entries:
        if parsed.get("bozo") and not parsed.get("version"):
            return Feed("not_a_feed", "it cannot be parsed as a feed")
        return Feed("empty", "a feed without entries", title)
    pages = Counter(canonical(entry.link) for entry in entries.values() if entry.link)
    kept = (
        replace(entry, shares_page=bool(entry.link) and pages[canonical(entry.link)] > 1)
        for entry in entries.values()
    )
    return Feed("ok", decoded.note, title, tuple(kept), tuple(repeated))


def _named(entries: list[Entry]) -> Iterable[Entry]:
    """Entries under the id that tells them from the others: their guid, their address, or their words."""
    addresses = [full_address(entry.link) if entry.link else "" for entry in entries]
    under: dict[str, set[tuple[str, str]]] = defaultdict(set)
    at: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for entry, address in zip(entries, addresses, strict=True):
        under[entry.native_id].add((address, entry.title))
        titles, summaries = at[address]
        titles.add(entry.title)
        summaries.add(entry.summary)
    for number, (entry, address) in enumerate(zip(entries, addresses, strict=True), 1):
        titles, summaries = at[address]
        if entry.native_id and len(under[entry.native_id]) == 1:
            yield entry
        elif address and (len(titles) == 1 or len(summaries) == 1):
            yield replace(entry, native_id=address)
        elif entry.title or entry.summary:
            words = "\x1f".join((entry.title, entry.summary, entry.published_raw))
            digest = hashlib.sha256(words.encode()).hexdigest()[:16]
            yield replace(entry, native_id=f"{address} {digest}" if address else f"text:{digest}")
        else:
            yield replace(entry, native_id=address or f"entry {number}")


def _character(match: re.Match[str]) -> str:
    """A numeric reference as it is, or the mark of a lost character when there is no such character."""
    digits = match[1] or match[2]
    value = int(digits, 16 if match[1] else 10) if len(digits) < 9 else _BEYOND
    return "\ufffd" if value >= _BEYOND or 0xD800 <= value <= 0xDFFF else match[0]


_BEYOND = 0x110000
"""The first number after the last character."""


def _entry(raw: Any, base: str, homes: set[str], feed_title: str, *, chinese: bool) -> Entry:
    """One entry under its guid, if it has one."""
    title = headline(str(raw.get("title") or ""))
    contents = [str(part.get("value") or "") for part in raw.get("content", [])]
    summary = plain(max([*contents, str(raw.get("summary") or "")], key=len))
    native = str(raw.get("id") or "").strip()
    source = raw.get("source") or {}
    dates = [raw["published"]] if "published" in raw else [raw.get("created") or ""]
    if not dates[0] and dict.__contains__(raw, "updated"):
        dates = [dict.__getitem__(raw, "updated")]
    return Entry(
        native_id=native,
        link=_page(raw, native, base, homes),
        title=title,
        summary=summary,
        published_raw=str(dates[0] or "").strip(),
        publisher=headline(str(source.get("title") or "")) or feed_title,
        author=str(raw.get("author") or ""),
        lang="zh" if chinese else language(f"{title} {summary}"),
    )


def _page(raw: Any, guid: str, base: str, homes: set[str]) -> str:
    """Address of an entry's page, empty when it has none: a guid is one only as a whole address or a path."""
    link = str(raw.get("link") or "").strip()
    if not link or (link == guid and not (is_web_address(link) or link.startswith("/"))):
        return ""
    link = absolute(base, link) if base else link
    return link if is_web_address(link) and full_address(link) not in homes else ""
