"""Text that a page holds only in its data: script state, JSON-LD and JSON strings.

Pages drawn by scripts carry the article as JSON, and galleries show one caption and keep the others there.
What is read is data of the page, parsed as JSON; no script is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sources.text import plain

_START = re.compile(r"JSON\.parse\(\s*(?=[\"'])|(?:=|\(|^|>)\s*(?=[{\[])")
_DECODER = json.JSONDecoder(strict=False)
_MOST_TRIES = 200
"""Places of one script at which JSON is tried, so that hostile scripts cost no quadratic time."""
_MOST_CHARACTERS = 3_000_000
_STOP = re.compile(r"[。！？.!?](?=[\s”\"』」）)]|[^\x00-\x7f]|$)")
_DEEPEST = 40


def values(scripts: list[str]) -> Iterator[Any]:
    """Every JSON value in the scripts: whole blocks, assigned objects and `JSON.parse("...")` arguments."""
    for script in scripts:
        script = script[:_MOST_CHARACTERS]
        position = 0
        for _ in range(_MOST_TRIES):
            match = _START.search(script, position)
            if match is None:
                break
            position = match.end()
            try:
                value, position = _DECODER.raw_decode(script, position)
                if isinstance(value, str) and match[0].startswith("JSON"):
                    value = json.loads(value, strict=False)
            except json.JSONDecodeError as error:  # go on behind it, so that no part is read twice
                position = max(position, error.pos if error.doc is script else 0)
                continue
            except (ValueError, RecursionError):
                position += 1
                continue
            if isinstance(value, dict | list):
                yield value


def _lists(node: Any, depth: int = 0) -> Iterator[list[str]]:
    """Lists of strings in a JSON value; a lone string is a list of one."""
    if depth > _DEEPEST:
        return
    if isinstance(node, str):
        yield [node]
    elif isinstance(node, list):
        words = [child for child in node if isinstance(child, str)]
        if len(words) == len(node) and words:
            yield words
            return
        for child in node:
            yield from _lists(child, depth + 1)
    elif isinstance(node, dict):
        for child in node.values():
            yield from _lists(child, depth + 1)


def captions(scripts: list[str], shown: str) -> str:
    """The captions of a gallery of which the page shows one, in order, one a line; empty when there are none."""
    wanted = "".join(shown.split())
    for value in values(scripts):
        for words in _lists(value):
            if len(words) > 1 and wanted in ("".join(word.split()) for word in words):
                return "\n".join(plain(word) for word in words if word.strip())
    return ""


def longest_prose(scripts: list[str]) -> str:
    """The longest running text among the strings; empty when none has three sentences and 150 characters."""
    best = ""
    for value in values(scripts):
        for words in _lists(value):
            for word in words:
                if len(word) > len(best) and len(word) >= 150 and len(_STOP.findall(word)) >= 3:
                    best = word
    text = plain(best)
    return text if len(text) >= 150 and len(_STOP.findall(text)) >= 3 else ""
