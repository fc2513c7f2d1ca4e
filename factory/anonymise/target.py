"""Towards what posts take a stand, in anonymised words, so that claims about their shares can say it.

The plan's stance target is a phrase of the raw side. It passes through the same table and shift as the timeline;
a phrase with a date, a doubt or a name that no table knows is left out, because nobody reviews it later.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from factory.anonymise.apply import without_shapes
from factory.anonymise.coverage import blank_names
from factory.anonymise.match import Matcher
from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.segments import parse
from factory.segments import date_refs, numbers
from schemas import Lang, StanceTarget


def stance_target(
    words: str, lang: Lang, matcher: Matcher, documents: Iterable[str], *, anchor: date, offset: int
) -> StanceTarget:
    """The phrase after phase A, or the reason why there is none. `documents` tell names from ordinary words."""
    text = without_shapes(words, matcher)
    if not text:
        return StanceTarget(text=None, reason="the plan names no stance target")
    parsed = parse(text, matcher, anchor=anchor, offset=offset)
    if parsed.doubts:
        return StanceTarget(text=None, reason="the stance target holds a name or date in doubt")
    if date_refs(parsed.segments) or numbers(parsed.segments):
        return StanceTarget(text=None, reason="the stance target holds a date or a figure")
    if blank_names(parsed.segments, lang, Vocabulary.of(documents)).names:
        return StanceTarget(text=None, reason="the stance target holds a name that no table knows")
    return StanceTarget(text=parsed.segments)
