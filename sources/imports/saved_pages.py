"""What a saved page says of itself: where it was, and when it was saved.

Browsers and extensions write the address into a comment at the top, the extension SingleFile also the moment; else the page
names its canonical address. Tags are read as HTML has them: attributes in any order, quoted or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from sources.urls import is_web_address

_START = re.compile(r"<!--|<(?:link|meta|script|style)(?=[\s/>])", re.IGNORECASE)
_SILENT = {
    "<script": re.compile(r"</script", re.IGNORECASE),
    "<style": re.compile(r"</style", re.IGNORECASE),
}
_TAG = re.compile(r"""<\w+((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE = re.compile(r"""([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_LONGEST = 4_000
"""Characters of a tag or a comment that are looked at."""
_MOST = 2_000
"""Tags that are looked at; what a page says of itself stands at its top."""
_SAVED_FROM = re.compile(r"\s*saved from url=\(\d+\)(\S+)", re.IGNORECASE)
_SINGLE_FILE = re.compile(r"\s*Page saved with SingleFile\b")
_URL = re.compile(r"^\s*url:\s*(\S+)", re.MULTILINE)
_DATE = re.compile(r"^\s*saved date:\s*(\S.*)", re.MULTILINE)
_FROM, _CANONICAL, _OPEN_GRAPH = range(3)


class Saved(NamedTuple):
    """What a page says of its saving."""

    address: str
    """The surest web address: the one it was saved from, its canonical one, that of its Open Graph; empty without."""
    when: str
    """When it was saved, as written; empty when it does not say."""


def saved(html: str) -> Saved:
    """What a page says of its saving. Linear, also for hostile pages."""
    addresses: list[tuple[int, str]] = []
    when = ""
    for kind, value in _told(html):
        if kind is None:
            when = when or value
            continue
        address = "https:" + value if value.startswith("//") else value
        if is_web_address(address):
            addresses.append((kind, address))
    return Saved(min(addresses, key=lambda found: found[0], default=(0, ""))[1], when)


def _told(html: str) -> Iterator[tuple[int | None, str]]:
    """Candidates for the address with their kind, and moments of saving without one, in the page's order."""
    position = seen = 0
    while seen < _MOST and (start := _START.search(html, position)) is not None:
        seen += 1
        position = start.end()
        name = start[0].lower()
        if name == "<!--":
            end = html.find("-->", position)
            if end < 0:
                return
            yield from _commented(html[position : min(end, position + _LONGEST)])
            position = end + 3
        elif name in _SILENT:
            closed = _SILENT[name].search(html, position)
            if closed is None:
                return
            position = closed.end()
        elif (tag := _TAG.match(html[start.start() : start.start() + _LONGEST])) is not None:
            position = start.start() + tag.end()
            yield from _tagged(name, tag[1])


def _commented(comment: str) -> Iterator[tuple[int | None, str]]:
    if (match := _SAVED_FROM.match(comment)) is not None:
        yield _FROM, match[1]
    elif _SINGLE_FILE.match(comment):
        yield from ((_FROM, match[1]) for match in _URL.finditer(comment))
        yield from ((None, match[1].strip()) for match in _DATE.finditer(comment))


def _tagged(name: str, attributes: str) -> Iterator[tuple[int | None, str]]:
    values: dict[str, str] = {}
    for key, *written in _ATTRIBUTE.findall(attributes):
        values.setdefault(key.lower(), unescape("".join(written)).strip())
    if name == "<link":
        if "canonical" in values.get("rel", "").lower().split():
            yield _CANONICAL, values.get("href", "")
    elif "og:url" in (values.get("property", "").lower(), values.get("name", "").lower()):
        yield _OPEN_GRAPH, values.get("content", "")
