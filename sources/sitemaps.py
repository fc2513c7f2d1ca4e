"""Sitemaps as rows: the index and url lists of sitemaps.org, Google's news extension, plain lists; gzip or not.

Rows give an address and up to two dates. `news:publication_date` is when an article was published; `lastmod` is
when a page was last changed, which is never a publication: it only says that the page was not published after it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal
from urllib.parse import unquote, urlsplit

from sources.text import decode, headline
from sources.urls import absolute

MOST_BYTES = 52_428_800
"""Bytes of an unpacked sitemap; the protocol allows 50 MB."""
MOST_ROWS = 50_000
"""Rows of a sitemap; the protocol allows as many."""
_DAY_IN_PATH = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-/_.]?(0[1-9]|1[0-2])[-/_.]?(0[1-9]|[12]\d|3[01])(?!\d)"
)
_MONTH_IN_PATH = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/_.]?(0[1-9]|1[0-2])(?!\d)")
_YEAR_IN_PATH = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")


@dataclass(frozen=True)
class Row:
    """One entry of a sitemap."""

    url: str
    """Absolute address."""
    published: str = ""
    """news:publication_date as written."""
    changed: str = ""
    """lastmod as written."""
    title: str = ""
    """news:title."""


@dataclass(frozen=True)
class Sitemap:
    """A parsed sitemap, or why it is none."""

    kind: Literal["index", "pages", "none"]
    """Whether rows are further sitemaps or pages."""
    rows: tuple[Row, ...] = ()
    """In order."""
    note: str = ""
    """Why it is none, or that it was cut."""


def unpacked(body: bytes) -> bytes:
    """The bytes of a sitemap, gunzipped where they are gzip; ValueError for a damaged file or a bomb."""
    if body[:2] != b"\x1f\x8b":
        return body
    machine = zlib.decompressobj(wbits=31)
    try:
        data = machine.decompress(body, MOST_BYTES)
    except zlib.error as error:
        raise ValueError("a damaged gzip file") from error
    if machine.unconsumed_tail:
        raise ValueError(f"larger than {MOST_BYTES} bytes")
    return data


def read_sitemap(body: bytes, *, url: str, content_type: str = "") -> Sitemap:
    """Parse the bytes of a sitemap; never raises for its content. Entities are not expanded."""
    try:
        data = unpacked(body)
    except ValueError as error:
        return Sitemap("none", note=str(error))
    decoded = decode(data, "" if data is not body else content_type)
    if not decoded.ok:
        return Sitemap("none", note=decoded.note)
    text = decoded.text.lstrip("\ufeff").strip()
    if not text.startswith("<"):
        return _plain(text, url)
    return _xml(text, url)


def _plain(text: str, url: str) -> Sitemap:
    lines = [line.strip() for line in text.splitlines()[:MOST_ROWS]]
    rows = tuple(Row(line) for line in lines if absolute(url, line) == line and line)
    if not rows:
        return Sitemap("none", note="neither XML nor a list of addresses")
    return Sitemap("pages", rows)


def _xml(text: str, url: str) -> Sitemap:
    from lxml import etree

    body = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).encode("utf-8", errors="replace")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, recover=True, huge_tree=False, load_dtd=False
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        return Sitemap("none", note="it cannot be parsed as XML")
    kind = _local(root)
    if kind not in ("sitemapindex", "urlset"):
        return Sitemap("none", note=f"a document of {kind or 'no'} elements")
    rows = []
    for number, entry in enumerate(root):
        if number >= MOST_ROWS:
            break
        values: dict[str, str] = {}
        for part in entry.iter():
            values.setdefault(_local(part), (part.text or "").strip())
        address = absolute(url, values.get("loc", ""))
        if address:
            rows.append(
                Row(
                    address,
                    published=values.get("publication_date", ""),
                    changed=values.get("lastmod", ""),
                    title=headline(values.get("title", "")),
                )
            )
    note = f"cut after {MOST_ROWS} rows" if len(root) > MOST_ROWS else ""
    return Sitemap("index" if kind == "sitemapindex" else "pages", tuple(rows), note)


def _local(element: object) -> str:
    tag = getattr(element, "tag", "")
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def day_in_path(url: str) -> date | None:
    """The one day that the path of an address names; none when it names none or several."""
    found = set()
    for year, month, day in _DAY_IN_PATH.findall(urlsplit(url).path):
        try:
            found.add(date(int(year), int(month), int(day)))
        except ValueError:
            continue
    return found.pop() if len(found) == 1 else None


def may_hold(url: str, since: date, until: date) -> bool:
    """Whether a sitemap named by day, month or year may hold articles of these days; unnamed ones may."""
    name = urlsplit(url).path + "?" + urlsplit(url).query
    for pattern, parts in ((_DAY_IN_PATH, 3), (_MONTH_IN_PATH, 2), (_YEAR_IN_PATH, 1)):
        named = [match if isinstance(match, tuple) else (match,) for match in pattern.findall(name)]
        if named:
            low = tuple(map(int, since.isoformat().split("-")))[:parts]
            high = tuple(map(int, until.isoformat().split("-")))[:parts]
            return any(low <= tuple(map(int, match)) <= high for match in named)
    return True


def slug_words(url: str) -> str:
    """The words in the path of an address, lower case, parted by spaces."""
    return " ".join(re.findall(r"[^\W\d_]+", unquote(urlsplit(url).path).lower()))


def sitemaps_of_robots(text: str, base: str) -> tuple[str, ...]:
    """Addresses of the Sitemap lines of a robots.txt, each once."""
    lines: Iterable[str] = re.findall(r"(?im)^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", text)
    return tuple(dict.fromkeys(found for line in lines if (found := absolute(base, line))))
