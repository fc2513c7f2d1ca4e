"""Chinese names that may be ordinary words where they stand: 小米 in 小米粥, 苹果 that is eaten, 长江 in 市长江泽.

Such a name waits for a person with the places where it stands. What a person named is not asked about.
"""

from __future__ import annotations

from factory.anonymise.expand import has_cjk
from factory.anonymise.match import Hit, Matcher, fold
from factory.anonymise.ordinary_places import why_ordinary
from factory.anonymise.table import Contested, contested
from schemas import Alias, Entity, ReplacementTable

_LONGEST = 4
"""Characters up to which a name may be a word or be run through by others."""
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
            (hit, reason)
            for hit in hits
            if (reason := why_ordinary(text, hit.start, hit.end, words, place=place))
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


def _around(text: str, hit: Hit) -> str:
    around = text[max(hit.start - _AROUND, 0) : hit.end + _AROUND]
    return around.replace("\n", " ").strip()
