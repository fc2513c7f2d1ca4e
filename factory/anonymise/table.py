"""The replacement table: entities, their names, their letters. Secret, because it undoes everything.

Letters are dealt in an order keyed by the event's salt, never by appearance, so that A is not the one who
comes first. Names that two entities share, or that are words of the calendar or of our own placeholders, are
withheld: they are never replaced without a person.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import string
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from factory.anonymise.blind import ORDINARY, Judge
from factory.anonymise.called import DOUBTS, PLURAL, SHORT_TITLE, Call, another_word, calls
from factory.anonymise.expand import bracketed, expand, has_cjk, make_alias
from factory.anonymise.expand_zh import spelt_out
from factory.anonymise.fixed_forms import forms_beside, paired_forms, short_name
from factory.anonymise.folding import folded
from factory.anonymise.match import Matcher, fold
from factory.anonymise.whole_names import used_forms
from factory.errors import BadInput
from factory.segments import CLASS_NAMES
from schemas import Alias, Entity, EntityClass, ReplacementTable
from sources.calendar import EN_MONTH_NUMBER, EN_SEASONS, EN_WEEKDAY_NUMBER, ZH_SEASONS

_CALENDAR_WORDS = frozenset(
    {*EN_MONTH_NUMBER, *EN_SEASONS, *EN_WEEKDAY_NUMBER, *ZH_SEASONS, "today", "tomorrow"}
)
_CLASS_WORDS = frozenset(fold(word) for names in CLASS_NAMES.values() for word in names.values())
_PLACEHOLDER = re.compile(
    rf"(?i:{'|'.join(sorted(_CLASS_WORDS, key=len, reverse=True))}) ?[A-Z]{{1,2}}s?"
)
LABELS = [*string.ascii_uppercase] + [
    a + b for a in string.ascii_uppercase for b in string.ascii_uppercase
]


@dataclass(frozen=True)
class Named:
    """An entity before it has letters: its class and its names, the canonical one first."""

    cls: EntityClass
    names: tuple[str, ...]
    origin: str = "model"


@dataclass(frozen=True)
class Contested:
    """A name that must not be replaced without a person."""

    surface: str
    reason: str
    owners: tuple[str, ...]
    """Canonical names of the entities that claim it."""
    contexts: tuple[str, ...] = ()
    """Where it stands in the text, when that is why it is contested."""


def _key(salt: str, *parts: str) -> str:
    return hmac.new(salt.encode(), "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()


def unusable(surface: str) -> str:
    """Why words cannot be a name at all; empty when they can."""
    bare = surface.strip()
    if "⟦" in bare or "⟧" in bare:
        return "holds a token bracket"
    if not any(char.isalnum() for char in bare):
        return "holds no letter"
    if has_cjk(bare):
        return ""
    if len(bare) < 2:
        return "single letter"
    if bare.islower() and re.fullmatch(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*", bare):
        return "common word in lower case"
    return ""


def _risky(surface: str) -> str:
    key = fold(surface)
    if key in _CALENDAR_WORDS:
        return "also a word of the calendar"
    if key in _CLASS_WORDS or _PLACEHOLDER.fullmatch(unicodedata.normalize("NFKC", surface)):
        return "also a word of our placeholders"
    if has_cjk(surface) and len(surface) == 1:
        return "a single character"
    return ""


def deal_labels(
    entities: Iterable[tuple[str, EntityClass]], salt: str, taken: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """Entity id -> letters, unique within a class, in an order keyed by the salt.

    Raises BadInput when a class has more than 702 entities.
    """
    used = defaultdict(set)
    for cls, label in taken:
        used[cls].add(label)
    labels: dict[str, str] = {}
    by_class: dict[str, list[str]] = defaultdict(list)
    for entity_id, cls in entities:
        by_class[cls].append(entity_id)
    for cls, ids in by_class.items():
        free = [label for label in LABELS if label not in used[cls]]
        if len(ids) > len(free):
            raise BadInput(
                f"more than {len(LABELS)} entities of class {cls}; merge aliases in review"
            )
        # Shuffle within the shortest stretch of letters that suffices, keyed by the salt.
        stretch = sorted(free[: len(ids)], key=lambda label: _key(salt, "label", cls, label))
        for entity_id, label in zip(
            sorted(ids, key=lambda i: _key(salt, "order", i)), stretch, strict=True
        ):
            labels[entity_id] = label
    return labels


def _joined_entries(named: Iterable[Named]) -> list[Named]:
    """Entries with clean names, joined where one's canonical name is listed among another's of its class."""
    clean = []
    for one in named:
        names = [unicodedata.normalize("NFC", name.strip()) for name in one.names]
        names = [name for name in dict.fromkeys(names) if name and not unusable(name)]
        if names:
            clean.append(Named(one.cls, tuple(names), one.origin))
    clean.sort(key=lambda n: (n.cls, -len(n.names), fold(n.names[0]), n.names))
    kept: list[Named] = []
    for one in clean:
        for index, other in enumerate(kept):
            if other.cls == one.cls and fold(one.names[0]) in {fold(n) for n in other.names}:
                kept[index] = Named(
                    other.cls, tuple(dict.fromkeys((*other.names, *one.names))), other.origin
                )
                break
        else:
            kept.append(one)
    return kept


def build_table(
    named: Sequence[Named],
    texts: Iterable[str],
    salt: str,
    *,
    base: ReplacementTable | None = None,
) -> ReplacementTable:
    """A table from named entities, with forms added by rule and from brackets in the raw texts.

    Entities whose names overlap by their canonical name are merged. With `base`, its entities keep their
    letters and gain names, new ones get further letters, and the version is raised.
    """
    corpus = list(texts)
    entries = _joined_entries(named)
    merged: dict[tuple[EntityClass, str], list[Alias]] = {}
    owner: dict[str, tuple[EntityClass, str]] = {}
    if base is not None:
        for entity in base.entities:
            key = (entity.cls, fold(entity.aliases[0].surface))
            merged[key] = list(entity.aliases)
            owner[key[1]] = key
    keys = []
    for one in entries:
        key = owner.get(fold(one.names[0]), (one.cls, fold(one.names[0])))
        owner.setdefault(key[1], key)
        merged.setdefault(key, []).extend(make_alias(name, one.origin) for name in one.names)
        keys.append(key)
    judge = Judge(
        {
            "\x1f".join(key): [a.surface for a in aliases if a.origin != "rule"]
            for key, aliases in merged.items()
        },
        corpus,
    )
    for key, one in zip(keys, entries, strict=True):
        rules = expand(key[0], one.names)
        short = bracketed([*one.names, *rules], corpus)
        merged[key] += [make_alias(name, "rule") for name in short if not unusable(name)]
        for form in rules:
            verdict = judge("\x1f".join(key), key[0], form)
            if verdict is not None and not unusable(form):
                cased = key[0] != "PER" and " " in form and not spelt_out(form, one.names)
                alias = make_alias(form, "rule", cased=cased)
                merged[key].append(alias.model_copy(update={"doubt": verdict}))
        if key[0] == "PER":
            _add_calls(merged[key], one, "\x1f".join(key), judge, corpus)
        _doubt_plurals(merged[key], one.names)
    _add_fixed_forms(merged)
    old = (
        {(e.cls, fold(e.aliases[0].surface)): e for e in base.entities} if base is not None else {}
    )
    ids = {
        key: old[key].entity_id if key in old else "n" + _key(salt, "entity", *key)[:10]
        for key in merged
    }
    fresh = [(ids[key], key[0]) for key in merged if key not in old]
    labels = deal_labels(
        fresh,
        salt,
        [(e.cls, e.label) for e in old.values()],
    )
    entities = []
    for key, aliases in merged.items():
        unique: dict[tuple[str, tuple[int, int]], Alias] = {}
        for alias in aliases:
            # Of a form of which some stays the capital may tell: The Kestrins, the Kestrins.
            written_as = alias.surface if alias.kept != (0, 0) else fold(alias.surface)
            unique.setdefault((written_as, alias.kept), alias)
        entities.append(
            Entity.model_validate(
                {
                    "entity_id": ids[key],
                    "cls": key[0],
                    "label": old[key].label if key in old else labels[ids[key]],
                    "aliases": tuple(unique.values()),
                }
            )
        )
    entities.sort(key=lambda entity: (entity.cls, len(entity.label), entity.label))
    version = base.version + 1 if base else 1
    return _used(ReplacementTable(entities=tuple(entities), version=version), corpus)


def _add_calls(
    aliases: list[Alias], one: Named, key: str, judge: Judge, texts: Sequence[str]
) -> None:
    """Give a person what it is called by; a form that rules made before takes the doubt of the same call."""
    known = {fold(a.surface) for a in aliases if a.origin != "rule"}
    found: dict[tuple[str, tuple[int, int]], Call] = {}
    for call in calls(one.names, texts, judge.vocabulary):
        if fold(call.form) in known or len(call.form) < 2 or unusable(call.form):
            continue
        # A first name that is another thing's own name (Jordan) is that thing.
        if not (call.doubt and judge.of_another(key, call.form)):
            found.setdefault((call.form, call.kept), call)
    doubted = {fold(call.form) for call in found.values() if call.doubt and call.kept == (0, 0)}
    aliases[:] = [a for a in aliases if fold(a.surface) not in doubted or a.origin != "rule"]
    for call in found.values():
        alone = call.kept == (0, 0) and " " not in call.form
        verdict = judge(key, "PER", call.form) if alone else ""
        if verdict is None:
            continue
        cased = call.kept != (0, 0) or call.form.isalpha()
        alias = make_alias(call.form, "rule", cased=cased)
        doubt = call.doubt or verdict
        aliases.append(alias.model_copy(update={"doubt": doubt, "kept": call.kept}))


def _doubt_plurals(aliases: list[Alias], names: Sequence[str]) -> None:
    """Let plurals by rule that are words or places of their own wait for a person."""
    given = {f"{name}s" for name in names if " " not in name}
    for at, alias in enumerate(aliases):
        if alias.origin == "rule" and alias.surface in given and another_word(alias.surface):
            aliases[at] = alias.model_copy(update={"doubt": alias.doubt or PLURAL, "match": "case"})


def _used(table: ReplacementTable, texts: Sequence[str]) -> ReplacementTable:
    """The table without doubted calls that no text uses by itself: nobody need be asked about them."""
    doubted = {fold(a.surface) for e in table.entities for a in e.aliases if a.doubt in DOUBTS}
    if not doubted:
        return table
    matcher = Matcher(table)
    short = {fold(a.surface) for e in table.entities for a in e.aliases if a.doubt == SHORT_TITLE}
    met = used_forms(texts, matcher, frozenset(short))
    return table.model_copy(
        update={
            "entities": tuple(
                entity.model_copy(
                    update={
                        "aliases": tuple(
                            alias
                            for alias in entity.aliases
                            if alias.doubt not in DOUBTS or fold(alias.surface) in met
                        )
                    }
                )
                for entity in table.entities
            )
        }
    )


def _add_fixed_forms(merged: dict[tuple[EntityClass, str], list[Alias]]) -> None:
    """Give countries their one-character forms: 对美 and 美方 alone, 中美 with one another."""

    def alias(form: str, kept: tuple[int, int]) -> Alias:
        return make_alias(form, "rule").model_copy(update={"kept": kept, "lang": "zh"})

    shorts = {}
    for key, aliases in merged.items():
        if key[0] != "CTY":
            continue
        short = short_name(a.surface for a in aliases if a.kept == (0, 0))
        if short:
            shorts["\x1f".join(key)] = short
            merged[key] += [alias(form, kept) for form, kept in forms_beside(short)]
    by_name = {"\x1f".join(key): key for key in merged}
    for name, form, kept in paired_forms(shorts):
        merged[by_name[name]].append(alias(form, kept))


def contested(table: ReplacementTable) -> list[Contested]:
    """Names that two entities claim and names that are risky words, in a stable order."""
    owners: dict[str, dict[str, str]] = defaultdict(dict)
    first: dict[str, Alias] = {}
    for entity in table.entities:
        for alias in entity.aliases:
            if not _fixed(alias):
                owners[fold(alias.surface)][entity.entity_id] = entity.aliases[0].surface
                first.setdefault(fold(alias.surface), alias)
    found = []
    for key in sorted(owners):
        alias = first[key]
        reason = "claimed by more than one entity" if len(owners[key]) > 1 else ""
        reason = reason or _risky(alias.surface) or alias.doubt
        if reason:
            found.append(Contested(alias.surface, reason, tuple(sorted(owners[key].values()))))
    return found


def _fixed(alias: Alias) -> bool:
    """Whether an alias is a form of one-character names, which no rule contests and no decision drops."""
    return alias.kept != (0, 0) and has_cjk(alias.surface)


def may_be_word(alias: Alias) -> bool:
    """Whether a name may be an ordinary word at one place and a name at another: short Chinese, common English."""
    if alias.kept != (0, 0):
        return False
    if has_cjk(alias.surface):
        return 2 <= len(alias.surface) <= 4 and all(map(has_cjk, alias.surface))
    return alias.doubt == ORDINARY


def settle(
    table: ReplacementTable, surface: str, owner: str | None, *, everywhere: bool = False
) -> ReplacementTable:
    """The table with a contested name given to one entity (by its canonical name), or to none.

    A name that may be an ordinary word is its owner's where nothing speaks for the word; the other places stay
    questions of their own, unless it is the owner's `everywhere`. Simplified and traditional characters are one name.
    """
    key = written(surface)
    entities = []
    for entity in table.entities:
        keep = owner is not None and entity.aliases[0].surface == owner
        aliases = tuple(
            a.model_copy(update={"doubt": "", "by_place": may_be_word(a) and not everywhere})
            if written(a.surface) == key and not _fixed(a)
            else a
            for a in entity.aliases
            if written(a.surface) != key or _fixed(a) or keep
        )
        if aliases:
            entities.append(entity.model_copy(update={"aliases": aliases}))
    return table.model_copy(update={"entities": tuple(entities)})


def unused(table: ReplacementTable, surface: str) -> ReplacementTable:
    """The table without a name, in the very characters given."""
    key = fold(surface)
    entities = []
    for entity in table.entities:
        aliases = tuple(a for a in entity.aliases if fold(a.surface) != key or _fixed(a))
        if aliases:
            entities.append(entity.model_copy(update={"aliases": aliases}))
    return table.model_copy(update={"entities": tuple(entities)})


def written(surface: str) -> str:
    """A name as it is decided on: in lower and simplified characters and without accents."""
    return folded(surface)


def place(table: ReplacementTable, surface: str, words: str, *, named: bool) -> ReplacementTable:
    """The table with a decision on one place, known by the `words` around it: the name, or an ordinary word."""
    field = "names_in" if named else "stands_in"
    key = written(surface)
    entities = []
    for entity in table.entities:
        aliases = tuple(
            a.model_copy(update={field: tuple(dict.fromkeys((*getattr(a, field), words)))})
            if written(a.surface) == key and a.by_place
            else a
            for a in entity.aliases
        )
        entities.append(entity.model_copy(update={"aliases": aliases}))
    return table.model_copy(update={"entities": tuple(entities)})
