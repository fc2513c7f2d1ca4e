"""Names that follow from a name by rule: surnames, initials, plurals, joined forms, accents off, other scripts, short forms.

Rules add only forms that a reader would take for the same entity. Which of them may be used without a person is
decided by `table`, where all names and the texts are in view.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from factory.anonymise import expand_en, expand_zh
from factory.anonymise.expand_en import initials
from factory.anonymise.folding import unaccented
from factory.anonymise.match import fold, is_wordy
from schemas import Alias, EntityClass

__all__ = ["bracketed", "expand", "has_cjk", "initials", "make_alias"]

_BODIES = frozenset({"ORG", "GOV", "COM", "MED", "PLT", "GRP", "PRD", "DOC", "EVT", "PLC"})
_TAGGED = re.compile(r"[@#$]|[A-Z]{2,8}: ?[A-Z]|(?:https?://|www\.)|[\w.-]+\.[a-z]{2,}/?$")


def has_cjk(text: str) -> bool:
    """Whether the text holds a Chinese character."""
    return any(
        "\u3400" <= char <= "\u9fff" or "\U00020000" <= char <= "\U0003ffff" for char in text
    )


def _match_rule(surface: str) -> str:
    letters = [char for char in surface if char.isalpha()]
    if has_cjk(surface) or not any(map(str.isascii, letters)):
        return "word"
    one_word = " " not in surface
    return "case" if one_word and len(letters) <= 6 and surface[0] not in "@#" else "word"


def make_alias(surface: str, origin: str, *, cased: bool = False) -> Alias:
    """An alias whose match rule fits its script: short single words keep their case, so that May is not may.

    `cased` asks for the exact case whatever the length.
    """
    match = "case" if cased and not has_cjk(surface) else _match_rule(surface)
    return Alias.model_validate(
        {"surface": surface, "lang": "any", "match": match, "origin": origin}
    )


def bracketed(names: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Abbreviations that texts give in brackets right after one of the names.

    English ones must be the name's initials, Chinese ones must keep the order of its characters.
    """
    wanted = sorted({name for name in names if len(name) >= 3}, key=lambda name: (-len(name), name))
    if not wanted:
        return []
    pattern = re.compile(
        "("
        + "|".join(re.escape(name) for name in wanted)
        + r")\s?[（(](?:以下简称|简称|下称|the )?[“\"'‘]?([^（()）“\"”'’]{2,12})[”\"'’]?[）)]"
    )
    found: list[str] = []
    for text in texts:
        for match in pattern.finditer(text):
            name, short = match.group(1), match.group(2).strip()
            rest = iter(name)
            if has_cjk(name):
                fits = has_cjk(short) and all(char in rest for char in short)
            else:
                fits = short.isupper() and short in (initials(name), initials(name)[: len(short)])
            if fits and short != name and short not in found:
                found.append(short)
    return found


def _latin(cls: EntityClass, name: str) -> Iterator[str]:
    if _TAGGED.match(name):
        yield from expand_en.tag(name)
        return
    yield from expand_en.joined(name)
    if cls == "PER":
        yield from expand_en.person(name)
    else:
        yield from expand_en.body(name)
    if cls in ("CTY", "PLC"):
        yield from expand_en.people_of(name)
        yield from expand_en.hyphened(name)
    if cls == "PRD":
        yield from expand_en.model_number(name)
    yield from expand_en.plural(name)


def _chinese(cls: EntityClass, name: str) -> Iterator[str]:
    tagged = name.strip("#@")
    if tagged != name:
        yield tagged
    if cls == "PER":
        yield from expand_zh.person(name)
    elif cls in ("PLC", "CTY"):
        yield from expand_zh.place(name)
    if cls in _BODIES:
        yield from expand_zh.body(name)


def expand(cls: EntityClass, names: Iterable[str]) -> list[str]:
    """Further surfaces of an entity by rule, in a stable order, without those given."""
    given = [unicodedata.normalize("NFC", name) for name in names]
    derived: list[str] = []
    for name in given:
        if not has_cjk(name):
            latin = list(_latin(cls, name))
            derived += latin
            derived += [unaccented(form) for form in (name, *latin) if not form.isascii()]
            continue
        chinese = list(_chinese(cls, name))
        derived += chinese
        for form in (name, *chinese):
            derived += expand_zh.scripts(form)
        # A country's English name is its name; pinyin of one is no word that a reader knows it by.
        if cls != "CTY":
            derived += expand_zh.pinyin(expand_zh.simplified(name), of_person=cls == "PER")
    seen = {fold(name) for name in given}
    out = []
    for surface in derived:
        long_enough = len(surface) >= (2 if has_cjk(surface) or surface.isupper() else 3)
        if (
            long_enough
            and fold(surface) not in seen
            and any(is_wordy(c) or has_cjk(c) for c in surface)
        ):
            seen.add(fold(surface))
            out.append(surface)
    return out
