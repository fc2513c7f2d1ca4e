"""Web pages with all their parts in one file (MHTML, RFC 2557), as browsers save them: a message of MIME parts."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message
from typing import NamedTuple

_HEADER = re.compile(rb"(?:[!-9;-~]+:[^\n]*(?:\n[ \t]+[^\n]*)*(?:\n|$))+")
_KIND = re.compile(rb"^content-type:\s*(?:multipart/related|text/html)\b", re.MULTILINE)
_MARK = re.compile(rb"^(?:mime-version|snapshot-content-location):", re.MULTILINE)
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class NoPage(Exception):
    """A file from which no page can be taken; the message says why."""


class Page(NamedTuple):
    """The page of a file."""

    body: bytes
    """HTML without its transfer encoding."""
    content_type: str
    """As its part says, with the charset if it has one."""
    addresses: tuple[str, ...]
    """Where it was, as far as the file says; the surest first."""
    when: str
    """When it was saved, as written."""


def is_mhtml(head: bytes) -> bool:
    """Whether a file begins as a page with its parts does: a header of MIME for related parts or one of HTML."""
    header = _HEADER.match(head.lstrip().replace(b"\r\n", b"\n")[:16_384])
    if header is None:
        return False
    lines = header[0].lower()
    return _KIND.search(lines) is not None and _MARK.search(lines) is not None


def page_of(data: bytes) -> Page:
    """The page that a file is about. NoPage when it holds none, or was cut short within it."""
    try:
        message = message_from_bytes(data)
        parts = [part for part in message.walk() if not part.is_multipart()]
        chosen = _chosen(message, [part for part in parts if part.get_content_type() in _HTML])
        cut = any(
            isinstance(defect, CloseBoundaryNotFoundDefect)
            for part in message.walk()
            for defect in part.defects
        )
        if cut and chosen is parts[-1]:
            raise NoPage("it is cut short")
        body = chosen.get_payload(decode=True)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise NoPage(f"it is damaged ({type(error).__name__})") from error
    if not isinstance(body, bytes):
        raise NoPage("it is damaged")
    addresses = (
        _address(message, "Snapshot-Content-Location"),
        _address(message, "Content-Location"),
        _address(chosen, "Content-Location"),
    )
    kind = str(chosen.get("Content-Type", ""))
    return Page(body, kind, addresses, str(message.get("Date", "")).strip())


def _chosen(message: Message, pages: list[Message]) -> Message:
    """The page among the parts: the one that the message starts with or is about, else the first."""
    if not pages:
        raise NoPage("it holds no page")
    start = str(message.get_param("start") or "").strip("<> ")
    place = _address(message, "Snapshot-Content-Location")
    for page in pages:
        if start and str(page.get("Content-ID", "")).strip("<> ") == start:
            return page
    about = [page for page in pages if place and _address(page, "Content-Location") == place]
    return (about or pages)[0]


def _address(part: Message, name: str) -> str:
    """An address in a header, which may be folded."""
    return re.sub(r"\s+", "", str(part.get(name, "")))
