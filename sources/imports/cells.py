"""Values of imported rows as ids and words. Rows come from outside: any value may have any type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sources.imports.markup import fragment_words
from sources.text import tidy

_ROUNDED = re.compile(r"\d+(?:\.\d+)?E\+\d+|\d\.\d+E-?\d+", re.IGNORECASE)
"""How spreadsheets show a long number: 7.3E+18, 7E+18."""
_ARMOUR = re.compile(r"""'(?P<behind>\d[^']*)|="(?P<inside>[^"]*)\"""")
"""What keeps a spreadsheet from rounding an id, before it ('73…) or around it (="73…")."""
_LONG = re.compile(r"\d{17,}")
_KEPT_DIGITS = 15
"""Digits of a number that a spreadsheet keeps; the others become zeros."""


def text_id(value: object) -> str | None:
    """An id as text; None when it is absent or a rounded number that has lost its digits."""
    if type(value) is not str:
        if value is None or isinstance(value, bool | list | dict | bytes):
            return None
        if isinstance(value, float):
            return str(int(value)) if value.is_integer() and abs(value) < 2**53 else None
        value = str(value)
    text = value.strip()
    if text.isalnum():
        return text
    text = _bare(text)
    if "." in text or "+" in text:  # which every rounded number has
        return None if _ROUNDED.fullmatch(text) else text
    return text or None


def _bare(text: str) -> str:
    """A cell without what protects it from a spreadsheet; saved as text, it keeps that."""
    match = _ARMOUR.fullmatch(text)
    return text if match is None else (match["behind"] or match["inside"] or "").strip()


def is_cut(value: object) -> bool:
    """Whether a long number has nothing but zeros where a spreadsheet keeps no digits."""
    text = _bare(str(value).strip())
    return _LONG.fullmatch(text) is not None and not text[_KEPT_DIGITS:].strip("0")


def cut_columns(rows: list[dict[str, Any]]) -> frozenset[str]:
    """Columns whose long numbers went through a spreadsheet: most of them end in its zeros.

    One id in a hundred or fewer ends so by chance, hence a column is judged and not a single cell.
    """
    long: dict[str, int] = {}
    cut: dict[str, int] = {}
    for row in rows:
        for column, value in row.items():
            if isinstance(value, str) and _LONG.fullmatch(_bare(value.strip())):
                long[column] = long.get(column, 0) + 1
                cut[column] = cut.get(column, 0) + is_cut(value)
    return frozenset(column for column, count in long.items() if 2 * cut[column] > count)


def words(value: object) -> str:
    """Plain text of a cell: markup is resolved and nothing else that stands between < and >.

    Anything that is no text or number is none.
    """
    if type(value) is not str:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            return ""
        value = str(value)
    return fragment_words(value) if "<" in value or "&" in value else tidy(value)


def whole_text(text: str) -> str:
    """Text in which halves of characters, as JSON may hold after a cut, are marked as lost."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole(value: Any) -> Any:
    """A JSON value whose texts are all whole. RecursionError when it is nested too deeply."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [whole(child) for child in value]
    if isinstance(value, dict):
        return {whole_text(key): whole(child) for key, child in value.items()}
    return value


_HALF = re.compile(rb"\xed[\xa0-\xbf]")
"""The first bytes of a surrogate as some programs write it, which `json.loads` lets through."""


def has_halves(source: bytes | str) -> bool:
    """Whether a JSON text may hold halves of characters: escapes of surrogates, or their bytes."""
    if isinstance(source, bytes):
        escaped = b"\\" in source and (b"\\ud" in source or b"\\uD" in source)
        return escaped or (b"\xed" in source and _HALF.search(source) is not None)
    return "\\ud" in source or "\\uD" in source


def part(value: object, *path: str) -> Any:
    """The value at a path of keys; None where the path leads nowhere."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def parts(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; nothing when it is none."""
    if isinstance(value, list):
        yield from (child for child in value if isinstance(child, Mapping))
