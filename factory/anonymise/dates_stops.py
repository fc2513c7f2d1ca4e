"""The full stop of a short month where a sentence ends: "They met in Dec." keeps it when December becomes February.

Such a stop closes the word and the sentence at once. The reference that takes the word's place is written in full, so
the stop is left to the sentence.
"""

from __future__ import annotations

import re

from factory.anonymise.intervals import Mention

_ENDS = re.compile(r"[\"”’')\]]*(?:\s*$|\s*\n)")
_NEXT = re.compile(r"[\"”’')\]]* [\"“‘(]?[A-Z]")
_OPENING = re.compile(
    r"(?:^|[.!?:;,]|\n)\s*[\"“‘(]?(?:[A-Z][a-z]+|and|but)(?: (?:in|since|by|late|early|mid))? $"
)
"""The sentence has only begun: "In Dec. Apple sold", where the stop is the word's alone."""


def stopped(text: str, mentions: list[Mention]) -> list[Mention]:
    """The mentions, those that end a sentence without its full stop."""
    return [
        _without(mention)
        if mention.kind == "shift" and text[mention.end - 1] == "." and _closes(text, mention)
        else mention
        for mention in mentions
    ]


def _closes(text: str, mention: Mention) -> bool:
    if _ENDS.match(text, mention.end):
        return True
    before = text[max(mention.start - 24, 0) : mention.start]
    return _NEXT.match(text, mention.end) is not None and not _OPENING.search(before)


def _without(mention: Mention) -> Mention:
    last = mention.parts[-1]
    if last.end != mention.end or last.end - last.start < 2 or isinstance(last.ref, str):
        return mention
    parts = (*mention.parts[:-1], last._replace(end=last.end - 1))
    return mention._replace(
        end=mention.end - 1, surface=mention.surface.removesuffix("."), parts=parts
    )
