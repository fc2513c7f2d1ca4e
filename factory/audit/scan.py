"""The leak scanner: reads every public byte of a bundle and reports what must not be there.

It shares no code with the anonymiser and fails closed: a file that cannot be read is a finding. Classes: names of
the table in any normal form or one letter off, in texts, paths and keys; secrets and keys; days of the raw calendar;
date forms that our rendering never writes and false weekdays; real names of a gazetteer; handles, tags and addresses;
notes of the process; broken placeholders; editions and points that differ. A finding whose rule begins with `secret`
is a secret, every other one a leak; `factory.audit.rules` says what each means.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from factory.audit import leak_editions as editions
from factory.audit.leak_dates import false_weekdays
from factory.audit.leak_days import WrittenDay, written_days
from factory.audit.leak_editions import OURS, Layout
from factory.audit.leak_files import Words, read_words
from factory.audit.leak_placeholders import bad_tokens, broken, placeholders
from factory.audit.leak_prose import Allowed, told
from factory.audit.leak_texts import keys_shown
from factory.audit.names_within import NamesWithin
from factory.audit.rules import Hit, collect
from factory.nameforms.letters import plain
from factory.nameforms.near_names import NearNames, ordinary_words
from factory.nameforms.normal_forms import NameSearch
from schemas import Finding, ReplacementTable

NEEDS_TABLE = ("leak-name", "leak-near-name", "leak-date", "secret-value")
"""Rules that rest on secrets: without them they are not evaluated, which is not the same as clean."""


def scan_files(
    files: Mapping[str, bytes],
    table: ReplacementTable | None,
    *,
    secrets: Sequence[str] = (),
    raw_dates: Sequence[date] = (),
    layout: Layout = OURS,
    allowed: Sequence[Allowed] = (),
) -> list[Finding]:
    """Findings over the bytes of a release, by rule; empty when clean.

    `table` None scans what needs no table; the rules in NEEDS_TABLE are then not evaluated. `secrets` are strings
    that may stand nowhere (salt, topic, folder), compared without case from three characters on; `raw_dates` are
    days that may stand nowhere with their year, in any form, so the caller leaves out those that the shifted timeline rightfully
    holds. `allowed` are hits that a person let stand, each in its own statement.
    """
    return collect(
        scan_hits(
            files, table, secrets=secrets, raw_dates=raw_dates, layout=layout, allowed=allowed
        )
    )


def scan_hits(
    files: Mapping[str, bytes],
    table: ReplacementTable | None,
    *,
    secrets: Sequence[str] = (),
    raw_dates: Sequence[date] = (),
    layout: Layout = OURS,
    allowed: Sequence[Allowed] = (),
) -> list[Hit]:
    """Every single hit behind the findings of `scan_files`, as pairs of rule and place."""
    hits: list[Hit] = []
    read: list[Words] = []
    for path in sorted(files):
        try:
            read.append(read_words(path, files[path]))
        except (ValueError, OSError, RecursionError) as error:
            hits.append(("leak-unreadable", f"{path}: {str(error)[:80]}"))
    if table is not None:
        hits += _names(read, sorted(files), table)
    hits += _secrets(read, sorted(files), secrets)
    hits += _days(read, raw_dates)
    hits += _paths(read, sorted(files), layout)
    known = (
        None
        if table is None
        else frozenset((entity.cls, entity.label) for entity in table.entities)
    )
    seen: dict[tuple[str, bool], list[Hit]] = {}
    for file in read:
        if not file.path.startswith(layout.prose):
            continue
        shown = file.path.startswith(layout.rendered)
        for text in file.texts:
            if (text, shown) not in seen:
                # Points repeat their contexts: a text is read once and reported wherever it stands.
                seen[text, shown] = list(_prose(text, known, layout, shown, allowed))
            hits += [(rule, f"{file.path}: {place}") for rule, place in seen[text, shown]]
            for bad, at in bad_tokens(text, known):
                if bad or shown:
                    hits.append(("leak-placeholder", f"{file.path}: token: {_around(text, at)}"))
    hits += _compared(read, files, layout)
    return hits


def _names(read: Sequence[Words], paths: Sequence[str], table: ReplacementTable) -> Iterator[Hit]:
    # Points repeat their contexts, so each distinct text is searched once and reported wherever it stands.
    where: dict[str, list[str]] = defaultdict(list)
    keys: dict[str, list[str]] = defaultdict(list)
    for file in read:
        for text in dict.fromkeys(file.searched()):
            where[text].append(file.path)
        for key in dict.fromkeys(file.keys):
            keys[key].append(file.path)
    search = NameSearch(table)
    for text, words in search.find(where):
        for path in where[text]:
            yield "leak-name", f"{path}: {words!r} in {_short(text)!r}"
    for key, words in search.find(keys):
        for path in keys[key]:
            yield "leak-path", f"{path}: key {key!r} holds {words!r}"
    for path, words in search.find(paths):
        yield "leak-path", f"{path}: holds {words!r}"
    ordinary = ordinary_words(where)
    for text, words in NamesWithin(table).find(where, ordinary):
        for path in where[text]:
            yield "leak-name", f"{path}: {words!r} in {_short(text)!r}"
    for text, words in NearNames(table).find(where, ordinary):
        for path in where[text]:
            yield "leak-near-name", f"{path}: {words!r} in {_short(text)!r}"


def _secrets(read: Sequence[Words], paths: Sequence[str], secrets: Sequence[str]) -> Iterator[Hit]:
    wanted = sorted({plain(s).casefold() for s in secrets if len(s) >= 3})
    where: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        where[path].append(path)
    for file in read:
        for text in dict.fromkeys((*file.searched(), *file.keys)):
            where[text].append(file.path)
    for text, places in where.items():
        low = plain(text).casefold() if wanted else ""
        # The secret itself never enters a report.
        found = [
            ("secret-value", f"a secret of {len(secret)} characters")
            for secret in wanted
            if secret in low
        ]
        found += [("secret-key", kind) for kind in keys_shown(text)]
        for path in places:
            yield from ((rule, f"{path}: {what}") for rule, what in found)


def _days(read: Sequence[Words], raw_dates: Sequence[date]) -> Iterator[Hit]:
    wanted = frozenset(raw_dates)
    if not wanted:
        return
    # Points repeat their contexts: a text is read once and reported wherever it stands.
    told: dict[str, tuple[WrittenDay, ...]] = {}

    def raw(text: str) -> tuple[WrittenDay, ...]:
        if text not in told:
            told[text] = tuple(found for found in written_days(text) if found.day in wanted)
        return told[text]

    for file in read:
        whole = dict.fromkeys((file.path, *file.texts, *file.keys))
        found = [each for text in whole for each in raw(text)]
        known = {each.day for each in found}
        # A day may be broken over two lines; what a line holds whole is reported there.
        seams = (text for text in dict.fromkeys(file.searched()) if text not in whole)
        found += [each for text in seams for each in raw(text) if each.day not in known]
        for each in found:
            yield "leak-date", f"{file.path}: {each.day} in {each.words!r}"


def _paths(read: Sequence[Words], paths: Sequence[str], layout: Layout) -> Iterator[Hit]:
    for path, word in editions.telling_paths(paths, layout):
        yield "leak-path", f"{path}: {word!r} is no word of the layout and no opaque id"
    for file in read:
        values = dict.fromkeys(editions.paths_in(file.texts))
        for value, word in editions.telling_paths(values, layout):
            yield "leak-path", f"{file.path}: the path {value!r} holds {word!r}"


def _prose(
    text: str,
    known: frozenset[tuple[str, str]] | None,
    layout: Layout,
    shown: bool,
    allowed: Sequence[Allowed],
) -> Iterator[Hit]:
    for hit in told(text, shown=shown):
        if not any(each.covers(text, hit) for each in allowed):
            yield hit.rule, f"{hit.kind}: {_around(text, hit.start)}"
    for kind, at in broken(text, ours=layout.ours):
        yield "leak-placeholder", f"{kind}: {_around(text, at)}"
    if known is not None and layout.ours:
        for cls, label, at, _ in placeholders(text):
            if (cls, label) not in known:
                yield "leak-placeholder", f"unknown label: {_around(text, at)}"


def _compared(read: Sequence[Words], files: Mapping[str, bytes], layout: Layout) -> Iterator[Hit]:
    contexts = {
        file.path: files[file.path].decode("utf-8")
        for file in read
        if layout.contexts.fullmatch(file.path)
    }
    rows = {file.path: file.records for file in read if file.records}
    banks = {file.path: file.texts for file in read if file.path.endswith((".json", ".jsonl"))}
    for place in editions.unequal_prefixes(contexts, layout):
        yield "leak-points", place
    for place in editions.unequal_editions(contexts, rows, layout):
        yield "leak-editions", place
    for path, name in editions.not_introduced(contexts, banks, layout):
        yield "leak-placeholder", f"{path}: not introduced: {name!r}"
    # Points repeat their contexts: a node is read once, at its first wording.
    seen: set[tuple[date | None, str]] = set()
    near: dict[str, list[tuple[date | None, str]]] = {
        path: list(editions.nodes(text)) for path, text in contexts.items()
    }
    for file in read:
        if not file.path.startswith(layout.prose):
            continue
        for day, text in near.get(file.path) or [(None, text) for text in file.texts]:
            if (day, text) in seen:
                continue
            seen.add((day, text))
            for at, _ in false_weekdays(text, day):
                yield "leak-calendar", f"{file.path}: false weekday: {_around(text, at)}"


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def _around(text: str, at: int) -> str:
    return repr(text[max(at - 20, 0) : at + 40])
