"""What a site's robots.txt asks of us (RFC 9309), read by protego: longest match, `*` and `$`, groups merged.

Around it is what a robots.txt needs before it can be read: byte order marks, the size to which files are read, a
page of HTML in its place, and our product's name alone, so that no word of a comment in it counts as a robot.
"""

from __future__ import annotations

import codecs
import re

BYTES = 500 * 1024
"""Bytes that are read; RFC 9309 (2.5) asks for no less."""
LONGEST_DELAY = 30.0
"""Seconds of a Crawl-delay that are kept at most: sites with more mean crawlers that read all of them."""
_PRODUCT = re.compile(r"[A-Za-z_-]+")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Robots:
    """The rules for one robot, by the product name at the beginning of its user agent."""

    def __init__(self, body: bytes, user_agent: str) -> None:
        from protego import Protego

        name = _PRODUCT.match(user_agent.strip())
        self._name = name[0] if name else "*"
        self._rules = Protego.parse("" if _is_page(body) else _text(body))

    def allow(self, url: str) -> bool:
        """Whether an address may be fetched; robots.txt itself always may."""
        return self._rules.can_fetch(url, self._name)

    @property
    def delay(self) -> float:
        """Seconds that the site wants between two requests, up to `LONGEST_DELAY`; 0 when it does not say."""
        return min(self._rules.crawl_delay(self._name) or 0.0, LONGEST_DELAY)


def _is_page(body: bytes) -> bool:
    return b"<html" in body[:500].lower()


def _text(body: bytes) -> str:
    """The lines as text; of a longer file the whole ones that fit, for half a path forbids more than a path."""
    if len(body) > BYTES:
        body = body[:BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, errors="replace")
    return body.decode("utf-8", errors="replace")
