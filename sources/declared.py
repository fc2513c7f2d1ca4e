"""What a page declares about its own publication: JSON-LD, meta tags and microdata, the surest first.

JSON-LD also dates the site, its sections and the articles that are linked: a date counts when its node is an
article or a page, stands for this page and not for one it mentions, and fits the headline or the address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sources.pages import page_title, split_scripts
from sources.text import headline, plain

_TAG = re.compile(r"<(?:meta|time|span|abbr)\b[^<>]{0,600}>", re.IGNORECASE)
_META_DATE = re.compile(
    r"""<(?:meta|time|span|abbr)\b[^>]{0,300}?\b(?:property|name|itemprop|class|pubdate)\s{0,3}=\s{0,3}["']?[^"'>]{0,80}?"""
    r"""(?:article:published_time|og:published_time|og:release_date|datepublished|(?<!un)(?:pubdate|publishdate|publish_date|"""
    r"""publish-date|publishtime)|apub:time|dc\.date(?:\.issued)?(?![\w.])|dcterms\.created|parsely-pub-date|sailthru\.date|"""
    r"""weibo:\s*article:create_at)[^>]{0,400}>""",
    re.IGNORECASE,
)
_VALUE = re.compile(r"""(?:content|datetime)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
LD_JSON = re.compile(r"<script[^>]{0,200}application/ld\+json[^>]{0,200}>", re.IGNORECASE)
"""Beginning of a script that holds JSON-LD."""
_CANONICAL = re.compile(
    r"""<(?:link\b[^<>]{0,200}\brel\s*=\s*["']?canonical|meta\b[^<>]{0,200}\bproperty\s*=\s*["']?og:url)[^<>]{0,600}>|"""
    r"""<link\b[^<>]{0,600}\brel\s*=\s*["']?canonical[^<>]{0,200}>""",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"""(?:href|content)\s*=\s*["']?(https?://[^"'\s<>]{4,600})""", re.IGNORECASE)
_HEADING = re.compile(r"<h1\b[^<>]{0,600}>(.{0,600}?)</h1", re.IGNORECASE | re.DOTALL)

_ARTICLE = re.compile(r"(?:Article|BlogPosting|LiveBlogPosting|Posting|^Report)$")
_PAGE = re.compile(r"(?:Page|^CreativeWork|^Dataset|^Thing)$")
_OTHERS = frozenset(
    [
        "about",
        "author",
        "breadcrumb",
        "citation",
        "comment",
        "creator",
        "discussesarticle",
        "hasparts",
        "haspart",
        "image",
        "isbasedon",
        "ispartof",
        "itemlistelement",
        "liveblogupdate",
        "mentions",
        "potentialaction",
        "provider",
        "publisher",
        "relateditem",
        "relatedlink",
        "review",
        "significantlink",
        "sourceorganization",
        "sponsor",
        "subjectof",
        "video",
        "workexample",
        "worktranslation",
    ]
)
"""Properties, in lower case, whose value is another thing than the page."""
_DEEPEST = 8
_SURE, _LIKELY, _STRANGE = range(3)


@dataclass(frozen=True)
class _Node:
    """A dated node of JSON-LD."""

    raw: str
    """datePublished as written."""
    rank: int
    """How sure it is that the date is the page's; lower is surer."""


class Declared(NamedTuple):
    """Dates of publication that a page declares, as written."""

    own: list[str]
    """Those of itself, the surest first."""
    strange: list[str]
    """The one of an article with another headline or address than the page's; none when several differ."""


def declared(html: str, url: str = "") -> Declared:
    """Dates of publication that the page declares in JSON-LD and meta tags."""
    titles = [headline(plain(part)) for part in (page_title(html), *_HEADING.findall(html)[:2])]
    nodes: list[_Node] = []
    for script in split_scripts(html[:2_000_000])[1]:
        if (tag := LD_JSON.match(script)) is not None:
            nodes += _nodes(script[tag.end() :], titles, _paths(html, url))
    strange = [node.raw for node in nodes if node.rank == _STRANGE]
    sure = [node.raw for rank in (_SURE, _LIKELY) for node in nodes if node.rank == rank]
    return Declared(
        [*sure, *_tags(html)], strange if len({raw[:10] for raw in strange}) == 1 else []
    )


def _tags(html: str) -> list[str]:
    values = []
    for tag in _TAG.findall(html[:400_000]):
        match = _VALUE.search(tag) if _META_DATE.search(tag) else None
        if match and (match[1] or match[2]):
            values.append(plain(match[1] or match[2]))
    return values


def _paths(html: str, url: str) -> set[str]:
    """Paths by which the page calls itself; that of a home page says nothing."""
    found = [url] + [
        match[1] for tag in _CANONICAL.findall(html[:400_000]) if (match := _ADDRESS.search(tag))
    ]
    return {path for address in found if (path := _path(address))}


def _path(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return unquote(f"{parts.path.rstrip('/')}?{parts.query}").removesuffix("?").casefold()


def _nodes(block: str, titles: list[str], paths: set[str]) -> list[_Node]:
    try:
        value = json.loads(block, strict=False)
    except (ValueError, RecursionError):  # malformed: a date that is the only one of its block
        dates = re.findall(r'"datePublished"\s*:\s*"([^"]{8,40})"', block)
        return [_Node(dates[0], _LIKELY)] if len({raw[:10] for raw in dates}) == 1 else []
    found = []
    for node in _dicts(value):
        raw = node.get("datePublished")
        if isinstance(raw, list) and len(raw) == 1:
            [raw] = raw
        if isinstance(raw, str | int | float) and not isinstance(raw, bool):
            rank = _rank(node, titles, paths)
            if rank is not None:
                found.append(_Node(str(raw), rank))
    return found


def _dicts(node: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The nodes that are the page or its main entity, outer ones first."""
    if depth > _DEEPEST:
        return
    if isinstance(node, list):
        for child in node:
            yield from _dicts(child, depth + 1)
    elif isinstance(node, dict):
        yield node
        for key, child in node.items():
            if key.lower() not in _OTHERS:
                yield from _dicts(child, depth + 1)


def _rank(node: dict[str, Any], titles: list[str], paths: set[str]) -> int | None:
    kinds = node.get("@type", "")
    names = [str(kind) for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind]
    article = any(_ARTICLE.search(name) for name in names)
    if names and not article and not any(_PAGE.search(name) for name in names):
        return None
    fits = _fits(node, titles, paths)
    if fits is False:
        return _STRANGE if article else None
    return _SURE if article else _LIKELY


def _fits(node: dict[str, Any], titles: list[str], paths: set[str]) -> bool | None:
    """Whether a node is about the page: by its headline or its address; none when it names neither."""
    heads = [str(node[key]) for key in ("headline", "name") if isinstance(node.get(key), str)]
    places = []
    for key in ("url", "@id", "mainEntityOfPage"):
        value = node.get(key)
        if isinstance(value, dict):
            value = value.get("@id") or value.get("url")
        if isinstance(value, str) and value.startswith(("http", "/")) and _path(value):
            places.append(_path(value))
    if any(_same_words(headline(head), title) for head in heads for title in titles):
        return True
    if paths & set(places):
        return True
    known = (heads and any(titles)) or (places and paths)
    return False if known else None


def _same_words(left: str, right: str) -> bool:
    """Whether two headlines are one: one holds the other, or most of the shorter one's words are in both."""
    one, two = sorted((_letters(left), _letters(right)), key=len)
    if not one:
        return False
    if one in two:
        return True
    few, many = sorted((_words(left), _words(right)), key=len)
    return bool(few) and len(few & many) >= 0.6 * len(few)


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text).casefold()


def _words(text: str) -> set[str]:
    """Latin words and pairs of Han characters."""
    han = re.findall(r"(?=([\u3400-\u9fff]{2}))", text)
    return set(re.findall(r"[^\W\u3400-\u9fff]{2,}", text.casefold())) | set(han)
