"""A text without invisible characters and repeated spaces, in which a name may hide, and the way back to its positions."""

from __future__ import annotations

import re
from bisect import bisect_right

_SPACES = " \t\n\r\u00a0\u3000\u2002\u2003\u2009\u202f"
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef"
_REMOVED = re.compile(
    rf"[{_INVISIBLE}]+"
    rf"|(?:[ \t\u00a0\u3000][ \t\u00a0\u3000{_INVISIBLE}]*)?\r?\n(?:[{_INVISIBLE}]*[ \t])+"
    rf"|[ \t\u00a0][ \t\u00a0{_INVISIBLE}]*\r?\n"
    rf"|[ \t\u00a0\u3000](?:[{_INVISIBLE}]*[ \t\u00a0\u3000])+"
)
"""Invisible characters, and runs of spaces (with one line break at most, and invisible characters between them) of
which the first stays."""
_HIDDEN = re.compile(f"[{_INVISIBLE}]")


def holds_spare(text: str) -> bool:
    """Whether a text may hold what `Squeezed` takes out."""
    return _spaced(text) or not (text.isascii() or _HIDDEN.search(text) is None)


def _spaced(text: str) -> bool:
    """The same of runs of spaces; characters before pairs, they cost less."""
    return (
        "\t" in text
        or "\u00a0" in text
        or "\u3000" in text
        or ("\n" in text and (" \n" in text or "\n " in text))
        or ("\r" in text and " \r" in text)
        or "  " in text
    )


class Squeezed:
    """A text without invisible characters and repeated spaces, and the way back to its positions."""

    def __init__(self, text: str) -> None:
        kept: list[str] = []
        self._at = [0]
        self._shift = [0]
        position = length = 0
        for found in _REMOVED.finditer(text):
            start = found.start() + (1 if found.group()[0] in _SPACES else 0)
            kept.append(text[position:start])
            length += start - position
            position = found.end()
            self._at.append(length)
            self._shift.append(position - length)
        kept.append(text[position:])
        self.text = "".join(kept)

    def position(self, index: int) -> int:
        """Where a character of the squeezed text stands in the text."""
        return index + self._shift[bisect_right(self._at, index) - 1]
