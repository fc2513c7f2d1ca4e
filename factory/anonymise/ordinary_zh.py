"""Chinese names that may be ordinary words where they stand: 小米 in 小米粥, 苹果 that is eaten, 长江 in 市长江泽.

Chinese has no capitals and no spaces, so a name is taken for a word of the language when the list of Chinese words
holds it, or when the likeliest cut of the text into words runs through it. Such a name waits for a person with the
places where it stands. What a person named is not asked about.
"""

from __future__ import annotations

import re
from functools import lru_cache

from factory.anonymise.expand import has_cjk
from factory.anonymise.folding import folded
from factory.anonymise.match import Hit, Matcher, fold
from factory.anonymise.table import Contested, contested
from factory.audit.word_counts import chinese_nats, cut
from schemas import Alias, Entity, ReplacementTable

_HAN = re.compile(r"[\u4e00-\u9fff]+")
_LONGEST = 4
"""Characters up to which a name may be a word or be run through by others."""
_OF_A_PLACE = frozenset("人民语文军队籍裔方")
"""What follows the name of a place without changing what it names."""
_CONTEXTS = 3
_AROUND = 20


def ordinary_chinese(table: ReplacementTable, text: str) -> list[Contested]:
    """Names of the table that a text holds and that may be ordinary words in it, in a stable order.

    Names that are contested for another reason are left out: they are asked about as it is.
    """
    names = _short_names(table)
    known = {fold(each.surface) for each in contested(table)}
    asked = {key: row for key, row in names.items() if key not in known}
    if not asked:
        return []
    words = frozenset(names)
    places: dict[str, list[Hit]] = {}
    for hit in Matcher(table).find(text):
        row = asked.get(hit.form)
        if row is None or hit.owners != (row[0].entity_id,):
            continue
        places.setdefault(hit.form, []).append(hit)
    found = []
    for key, hits in sorted(places.items()):
        entity, alias = asked[key]
        place = entity.cls in ("CTY", "PLC")
        doubtful = [
            (hit, reason) for hit in hits if (reason := _reason(text, hit, words, place=place))
        ]
        if doubtful:
            around = tuple(_around(text, hit) for hit, _ in doubtful[:_CONTEXTS])
            owner = entity.aliases[0].surface
            found.append(Contested(alias.surface, doubtful[0][1], (owner,), around))
    return found


def _short_names(table: ReplacementTable) -> dict[str, tuple[Entity, Alias]]:
    """Chinese names of two to four characters by their folded form, with whose they are."""
    return {
        fold(alias.surface): (entity, alias)
        for entity in table.entities
        for alias in entity.aliases
        if alias.kept == (0, 0)
        and alias.origin != "human"
        and 2 <= len(alias.surface) <= _LONGEST
        and all(has_cjk(char) for char in alias.surface)
    }


def _reason(text: str, hit: Hit, names: frozenset[str], *, place: bool) -> str:
    """Why a name may be something else at a place; empty when nothing speaks for it."""
    word = folded(text[hit.start : hit.end])
    if word in chinese_nats()[0]:
        return "also an ordinary word"
    start, end = hit.start, hit.end
    while start > 0 and _HAN.match(text[start - 1]):
        start -= 1
    # 中国人 is 中国 and 人, whatever 国人 is.
    if not (place and text[end : end + 1] in _OF_A_PLACE):
        while end < len(text) and _HAN.match(text[end]):
            end += 1
    position, through = start, []
    for piece in _words(text[start:end], names):
        last = position + len(piece)
        if position < hit.end and last > hit.start:
            through.append((position, last, piece))
        position = last
    if through[0][0] == hit.start and through[-1][1] == hit.end:
        return ""
    return f"its characters may belong to other words: {'|'.join(p for _, _, p in through)}"


@lru_cache(maxsize=4096)
def _words(han: str, names: frozenset[str]) -> tuple[str, ...]:
    return tuple(cut(han, names))


def _around(text: str, hit: Hit) -> str:
    around = text[max(hit.start - _AROUND, 0) : hit.end + _AROUND]
    return around.replace("\n", " ").strip()
