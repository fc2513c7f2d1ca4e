"""Ids of rows that have none: their address, else who said what and when.

Short posts of many people have the same words, and the posts of a thread may share its address: neither is enough to
call two rows one thing. The same file read again gives the same ids.
"""

from __future__ import annotations

import hashlib

from sources.times import Moment
from sources.urls import full_address

_LENGTH = 20
"""Hex digits of a digest."""


def has_clock(moment: Moment) -> bool:
    """Whether a time is one of its own to the minute; one that counts back from a crawl changes with it."""
    return moment.precision in ("second", "minute") and moment.tz_source != "relative"


def words_id(title: str, text: str, *, author: str, raw: object, moment: Moment, where: str) -> str:
    """An id by title, words, the author's hash and the date as written.

    Where neither an author nor a clock time tells who spoke, `where` the row stands tells it from others.
    """
    parts = [title, text, author, "" if raw is None else str(raw)]
    if not author and not has_clock(moment):
        parts.append(where)
    return _digest(parts)


class Places:
    """Posts by their full address, its fragment with it: `/t/1#p3` is another post than `/t/1#p4`.

    Rows that share an address are one thing unless they have other authors or other clock times; of these the first
    has the address as its id.
    """

    def __init__(self) -> None:
        self._first: dict[int, int] = {}

    def id_of(self, url: str, *, author: str, moment: Moment) -> str:
        """The id of a post at an address."""
        address = full_address(url)
        if not author and not has_clock(moment):
            return address
        voice = (author, moment.at if has_clock(moment) else None)
        if self._first.setdefault(hash(address), hash(voice)) == hash(voice):
            return address
        return f"{address} {_digest([author, str(voice[1])])}"


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:_LENGTH]
