"""The form of a claim without its content: what a made-up twin must look like, and nothing of what happens.

References keep their class, figures become `[figure]`, function words stay, and each other word (each other
character in Chinese) becomes `_`: "[GOV] _ the _ _ by a _ of [figure] to [figure]".
"""

from __future__ import annotations

import re

from factory.bank.clause import CJK
from schemas import EntityRef, Lang, Number, Plain, SegmentText

_FUNCTION_EN = frozenset(
    re.findall(
        r"\w+",
        "a an the of to in on at by for from with without into onto over under about against between among "
        "through during as than and or but nor that which who whose whom where when while if because so "
        "its their his her it they them he she is are was be been being has have had not no more less "
        "one two three at least most both either other another up down out off",
    )
)
_FUNCTION_ZH = frozenset("的了以与和及或对向由被把将在于为从到至给并但而不未其该某个名项条家所之等")
_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")


def skeleton(text: SegmentText, lang: Lang) -> str:
    """A claim's form for prompts. Deterministic; it holds no content word of the claim."""
    parts = []
    for segment in text:
        if isinstance(segment, EntityRef):
            parts.append(f"[{segment.cls}]")
        elif isinstance(segment, Number):
            parts.append("[figure]")
        elif isinstance(segment, Plain):
            parts.append(_plain(segment.text, lang))
    return re.sub(r" +", " ", "".join(parts)).strip()


def _plain(words: str, lang: Lang) -> str:
    hidden = _WORD.sub(
        lambda m: m.group() if lang == "en" and m.group().lower() in _FUNCTION_EN else "_", words
    )
    return CJK.sub(lambda m: m.group() if m.group() in _FUNCTION_ZH else "_", hidden)
