"""Whether a name may be an ordinary word at a place: 小米 in 小米粥, 长江 in 市长江泽, Summit that opens a sentence.

Chinese has no capitals and no spaces, so a name is taken for a word of the language when the list of Chinese words
holds it, or when the likeliest cut of the text into words runs through it. An English word with a capital inside a
sentence is a name; at its start it may be the word, unless somebody speaks or owns there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from factory.anonymise.folding import folded
from factory.audit.word_counts import chinese_nats, cut

_HAN = re.compile(r"[\u4e00-\u9fff]+")
_OF_A_PLACE = frozenset("人民语文军队籍裔方")
"""What follows the name of a place without changing what it names."""
OPENS = re.compile(r"(?:^|[.!?。！？:：;…\n\"“‘'(（\[*>-])[\s\"“‘'(（*]*$")
"""What stands before a word that opens a sentence."""
ACTS = re.compile(
    r"['’]s\b| (?:said|says|told|has|had|was|is|will|would|did|does|announced|denied|confirmed|declined|added|wrote|called|warned|"
    r"urged|replied|refused|plans|wants|and [A-Z])\b"
)
"""What follows a name that opens a sentence."""
_AROUND = 6
_AROUND_LATIN = 24
_DATED = re.compile(r"[0-9０-９年月日号季周期]")
"""Characters at which a stretch ends, for dates beside it are rewritten."""


def why_ordinary(text: str, start: int, end: int, names: frozenset[str], *, place: bool) -> str:
    """Why a name at `start:end` may be something else; empty when nothing speaks for it.

    `names` are Chinese names that the cut may use, `place` says that it names a country or a place.
    """
    if not _HAN.match(text[start]):
        opens = OPENS.search(text[max(0, start - 6) : start]) is not None
        return "opens a sentence" if opens and not ACTS.match(text, end) else ""
    word = folded(text[start:end])
    if word in chinese_nats()[0]:
        return "also an ordinary word"
    first, last = start, end
    while first > 0 and _HAN.match(text[first - 1]):
        first -= 1
    # 中国人 is 中国 and 人, whatever 国人 is.
    if not (place and text[last : last + 1] in _OF_A_PLACE):
        while last < len(text) and _HAN.match(text[last]):
            last += 1
    position, through = first, []
    for piece in _words(text[first:last], names):
        after = position + len(piece)
        if position < end and after > start:
            through.append((position, after, piece))
        position = after
    if through[0][0] == start and through[-1][1] == end:
        return ""
    return f"its characters may belong to other words: {'|'.join(p for _, _, p in through)}"


@lru_cache(maxsize=4096)
def _words(han: str, names: frozenset[str]) -> tuple[str, ...]:
    return tuple(cut(han, names))


def stretch(text: str, start: int, end: int, others: Iterable[tuple[int, int]]) -> str:
    """The words around a name by which its place is known: up to the next name (`others`), date or line."""
    around = _AROUND if _HAN.match(text[start]) else _AROUND_LATIN
    first = max([start - around, 0, *(stop for _, stop in others if stop <= start)])
    last = min([end + around, len(text), *(begin for begin, _ in others if begin >= end)])
    for found in _DATED.finditer(text, first, start):
        first = found.end()
    dated = _DATED.search(text, end, last)
    last = dated.start() if dated else last
    for found in re.finditer("\n", text[first:last]):
        at = first + found.start()
        first, last = (at + 1, last) if at < start else (first, min(last, at))
    return text[first:last]
