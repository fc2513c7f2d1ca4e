"""Sentences of a text, each verbatim in it, in Chinese and English."""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        "mr mrs ms dr prof sen rep gov gen col lt st jr sr no vol art sec fig inc ltd co corp dept est "
        "vs etc e.g i.e a.m p.m u.s u.k u.n d.c jan feb mar apr jun jul aug sep sept oct nov dec",
    )
)
_END = re.compile(r"[。！？!?…]+[”’」』）)\"']*|\.+[\"'”’)]*(?=\s|$)")


def sentences(text: str) -> list[str]:
    """Sentences in order, stripped; together they hold every word of the text."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match[0].startswith("."):
            word = re.search(r"(\S+)$", text[start : match.start()])
            last = word[1].lower().strip("(\"'“‘") if word else ""
            following = text[end:].lstrip()[:1]
            single = len(last) == 1 and last.isalpha() and not following.isupper()
            if last in _ABBREVIATIONS or single or (following and following.islower()):
                continue
        elif _inside(match[0], text[end : end + 2]):
            continue
        found.append(text[start:end].strip())
        start = end
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _inside(stop: str, following: str) -> bool:
    """Whether a stop ends a quotation or a name inside a sentence that goes on."""
    if stop[0] in "!?…" and following.isascii() and following[:1].strip():
        return True
    if following[:1] == " " and following[1:].islower():
        return True
    return stop[-1] in "”’」』）)" and following[:1] in ("，", "、", "；", "的")
