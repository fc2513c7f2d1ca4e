"""Cells that may hold HTML, words, or both: what is a tag is told by its name, its attributes and its end.

People write `x < y`, `<b站>` and `if (i<n && j>m)`, programs write `<br>` and `<a href="…">`. Read as HTML, the former
would lose what stands between the signs; read as words, the latter would show its tags.
"""

from __future__ import annotations

import re
from html import unescape

from sources.text import plain, tidy

_ALONE = (
    "area|base|br|body|col|colgroup|dd|dt|embed|head|hr|html|img|input|li|link|meta|option|p|source|tbody|td|tfoot|th|"
    "thead|tr|track|wbr"
)
"""Elements that may stand without an end."""
_PAIRED = (
    "a|abbr|acronym|address|article|aside|audio|b|bdi|bdo|big|blockquote|button|canvas|caption|center|cite|code|data|"
    "datalist|del|details|dfn|dialog|dir|div|dl|em|fieldset|figcaption|figure|font|footer|form|h[1-6]|header|hgroup|i|"
    "iframe|ins|kbd|label|legend|main|map|mark|menu|meter|nav|nobr|noscript|object|ol|optgroup|output|picture|pre|"
    "progress|q|rp|rt|ruby|s|samp|script|search|section|select|slot|small|span|strike|strong|style|sub|summary|sup|svg|"
    "path|g|table|template|textarea|time|title|tt|u|ul|var|video"
)
_OWN = r"[a-z][a-z0-9]*+(?:[-:][a-z0-9]++)+"
"""Elements of somebody's own, such as `<o:p>`."""
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"'<>=`]++)"""
_SWITCH = (
    r"(?:hidden|disabled|async|defer|controls|autoplay|loop|muted|playsinline|allowfullscreen|checked|selected|nowrap|"
    r"noshade|download|itemscope|reversed|data-[\w-]++)(?![\w=-])"
)
"""Attributes that need no value."""
_TAG = re.compile(
    rf"<(?:/(?:(?:{_ALONE}|{_PAIRED})|{_OWN})\s*+>"
    rf"|(?:(?P<alone>{_ALONE})|(?P<name>{_PAIRED}|{_OWN}))(?![\w:-])"
    rf"(?P<with>(?:\s*+[\w:@.-]++\s*+=\s*+{_VALUE}|\s++{_SWITCH}){{0,60}}+)\s*+/?>"
    r"|!--|!doctype\b|!\[|\?xml\b)",
    re.IGNORECASE,
)
_END = re.compile(rf"</({_PAIRED}|{_OWN})\s*+>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)


def fragment_words(text: str) -> str:
    """Plain text of a cell: tags and entities are resolved, any other < and > are words.

    A tag has a known name or one with a hyphen or colon. One that needs an end and has neither that nor attributes
    is none: `a <b> c`. An entity has its semicolon.
    """
    ends = {name.lower() for name in _END.findall(text)}
    parts: list[str] = []
    position, found = 0, False
    commented = text.rfind("-->")
    for match in _TAG.finditer(text):
        name = match["name"]
        if name and not match["with"] and name.lower() not in ends:
            continue
        if match[0] == "<!--" and match.start() > commented:  # and not closed
            continue
        parts += (text[position : match.start()].replace("<", "&lt;"), match[0])
        position, found = match.end(), True
    if not found:
        return tidy(_ENTITY.sub(lambda entity: unescape(entity[0]), text))
    return plain("".join(parts) + text[position:].replace("<", "&lt;"))
