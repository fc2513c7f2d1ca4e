"""What a text says once its escapes and tags are read, as a browser, a mail program or a parser would read them.

Character references, percent signs (also %uXXXX), backslash escapes of every common language (\\xNN, \\uXXXX, \\u{N},
\\UXXXXXXXX, bytes in octal), quoted-printable and tags inside a word. Up to three layers are read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

DEPTH = 3
"""Layers of escapes that are read."""
_CODE = re.compile(
    r"\\U([0-9a-fA-F]{8})|\\u\{([0-9a-fA-F]{1,6})\}|(?:\\[uU]|%[uU])([0-9a-fA-F]{4})"
)
_BYTES = re.compile(r"(?:\\x[0-9a-fA-F]{2})+|(?:\\[0-3][0-7]{2})+|(?:=[0-9a-fA-F]{2})+")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SOFT_BREAK = re.compile(r"=[ \t]*\r?\n")
_TAG = re.compile(r"<[/!?a-zA-Z][^<>]{0,200}>")


def unescaped(text: str) -> str:
    """One layer of escapes read; the same text when it holds none."""
    if "&" in text or "%" in text:
        text = unquote(html.unescape(text))
    if "\\" in text or "%" in text:
        text = _PAIR.sub(_joined, _CODE.sub(_character, text))
    if "\\" in text or "=" in text:
        text = _BYTES.sub(_decoded, _SOFT_BREAK.sub("", text))
    return text


def untagged(text: str) -> str:
    """The text without tags, so that a word parted by them is one again."""
    return _TAG.sub("", text) if "<" in text else text


def layers(text: str) -> Iterator[str]:
    """What the text says after each layer of escapes and without tags; nothing when it holds neither."""
    read = text
    for _ in range(DEPTH):
        before, read = read, unescaped(read)
        if read != before:
            yield read
        shown = untagged(read)
        if shown != read:
            yield shown
        if read == before:
            break


def _character(found: re.Match[str]) -> str:
    number = int(found[1] or found[2] or found[3], 16)
    return chr(number) if number <= 0x10FFFF else found.group()


def _joined(found: re.Match[str]) -> str:
    """One character of a surrogate pair, as JSON writes what lies beyond four digits."""
    return found.group().encode("utf-16", "surrogatepass").decode("utf-16")


def _decoded(found: re.Match[str]) -> str:
    """A run of bytes as UTF-8, or each byte as the character of its number."""
    run = found.group()
    if run[0] == "\\" and run[1] != "x":
        data = bytes(int(part, 8) for part in run.split("\\")[1:])
    else:
        data = bytes.fromhex(run.replace("\\x", "").replace("=", ""))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
