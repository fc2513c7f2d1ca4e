"""Comparisons between the files of a release: the two editions of a unit, the points of a master, paths.

Two editions that differ in a name, a day or a figure tell a reader what was changed; so do two points whose
contexts differ on the same day. Everything is read from the released bytes, nothing from the key.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from factory.audit.leak_dates import MONTH_NAMES
from factory.audit.leak_placeholders import placeholders


@dataclass(frozen=True)
class Layout:
    """How the files of a release are named."""

    ours: bool
    """Our closed placeholders; otherwise any noun with letters."""
    prose: tuple[str, ...]
    """Folders whose texts tell the event; cards, manifest and README describe the bundle and may hold links."""
    rendered: tuple[str, ...]
    """Folders that show rendered text only, where a token would be a defect."""
    contexts: re.Pattern[str]
    """Path of a context, with groups `lang`, `group` and `point`."""
    rows: re.Pattern[str] | None
    """Path of a file of rows with an id, with groups `lang` and `axis`; None: rows have no common id."""
    banks: re.Pattern[str] | None
    """Path of a bank whose placeholders must occur in its longest context, with groups `lang` and `group`."""
    words: frozenset[str]
    """Words that a path may hold; everything else in it is an opaque id or a leak."""


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


OURS = Layout(
    ours=True,
    prose=("contexts/", "truth/", "timeline/", "exam/", "societybench/", "key/", "parquet/"),
    rendered=("contexts/", "truth/", "timeline/", "exam/", "societybench/"),
    contexts=re.compile(
        r"(?P<group>contexts|timeline|societybench)/(?P<lang>en|zh)(?:/contexts)?(?:/|(?=\.md))(?P<point>[^/]*?)(?:_context)?\.md"
    ),
    rows=re.compile(r"exam/(?P<lang>en|zh)/(?P<axis>[^/]+)\.jsonl"),
    banks=re.compile(r"(?P<group>exam)/(?P<lang>en|zh)/[^/]+\.jsonl"),
    words=_words(
        """README LICENSE CITATION CHANGELOG contexts context truth timeline exam key parquet cards card societybench
        manifest en zh md json jsonl txt html svg csv calibration temporal questions events claims resolutions pairs
        silenced points point prediction anonymisation bank questionbank gt anon report croissant schema data leaderboard
        """
    ),
)
"""A bundle of this factory."""
PUBLISHED = Layout(
    ours=False,
    prose=("",),
    rendered=("",),
    contexts=re.compile(r"(?P<lang>en|zh)/(?P<group>[^/]+)/(?P<point>P\d+)_context\.md"),
    rows=None,
    banks=re.compile(r"(?P<lang>en|zh)/(?P<group>[^/]+)/P\d+\.json"),
    words=_words("en zh event context md json demo"),
)
"""The pages of the published benchmark: <language>/<event>/P01_context.md and P01.json."""

_OPAQUE = re.compile(r"[A-Za-z]{1,2}-?\d+|[a-z]{1,2}[0-9a-f]{6,}|\d+")
_PATH_VALUE = re.compile(r"[\w.-]+(?:/[\w.-]+)+\.(?:md|json|jsonl|parquet|csv|html)")
_HEAD = re.compile(r"^### (\d{4}-\d{2}-\d{2})[^\n]*$", re.MULTILINE)
_MONTHS = "|".join(MONTH_NAMES)
_EN_MONTH = re.compile(rf"\b(?P<name>{_MONTHS})\b")
_EN_SURE = re.compile(
    rf"(?:\d|\b(?:[Ii]n|by|[Ss]ince|until|of|from|to|through|during|before|after|early|late|last|this|next|every)|mid-)\s?(?:{_MONTHS})\b|\b(?:{_MONTHS}),? \d"
)
_ZH_MONTH = re.compile(r"(?<!\d)(\d{1,2}) ?月(?!球|饼)")
_EN_DAY = re.compile(rf"\b(\d{{1,2}}) ({_MONTHS})\b|\b({_MONTHS}) (\d{{1,2}})\b(?!\d)")
_ZH_DAY = re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})日")


def nodes(text: str) -> Iterator[tuple[date, str]]:
    """The days of a context and what stands below each heading."""
    heads = list(_HEAD.finditer(text))
    for at, head in enumerate(heads):
        end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
        try:
            yield date.fromisoformat(head[1]), text[head.end() : end]
        except ValueError:  # a heading that looks like a day and is none holds no node
            continue


def masters(texts: Mapping[str, str], layout: Layout) -> dict[tuple[str, str], str]:
    """Path of the longest context by group and edition."""
    longest: dict[tuple[str, str], str] = {}
    for path in sorted(texts):
        found = layout.contexts.fullmatch(path)
        if found is None:
            continue
        place = (_group(found, layout), found["lang"])
        if place not in longest or len(texts[path]) > len(texts[longest[place]]):
            longest[place] = path
    return longest


def _group(found: re.Match[str], layout: Layout) -> str:
    """Contexts of one event: ours share one timeline, apart from the copy in the published layout."""
    return "" if layout.ours and found["group"] != "societybench" else found["group"]


def _told(text: str) -> str:
    """A context from its first day on: a whole timeline may have a title of its own."""
    head = _HEAD.search(text)
    return text[head.start() :] if head is not None else text


def unequal_prefixes(texts: Mapping[str, str], layout: Layout) -> Iterator[str]:
    """Contexts that are not the beginning of the longest one of their group and edition."""
    longest = masters(texts, layout)
    for path in sorted(texts):
        found = layout.contexts.fullmatch(path)
        if found is None:
            continue
        place = (_group(found, layout), found["lang"])
        master = _told(texts[longest[place]])
        text = _told(texts[path]).rstrip()
        if not master.startswith(text):
            at = next((n for n, (a, b) in enumerate(zip(master, text, strict=False)) if a != b), 0)
            yield f"{path}: differs from {longest[place]} at {text[max(at - 10, 0) : at + 30]!r}"


def unequal_editions(
    texts: Mapping[str, str], rows: Mapping[str, Sequence[Mapping[str, object]]], layout: Layout
) -> Iterator[str]:
    """Nodes and rows whose editions differ in their names, days, months or figures."""
    longest = masters(texts, layout)
    for group in sorted({group for group, _ in longest}):
        if (group, "en") not in longest or (group, "zh") not in longest:
            continue
        path = longest[group, "en"]
        en, zh = dict(nodes(texts[path])), dict(nodes(texts[longest[group, "zh"]]))
        for day in sorted({*en, *zh}):
            if day not in en or day not in zh:
                yield f"{path}: {day} stands in one edition only"
                continue
            for problem in _differences(en[day], zh[day], layout):
                yield f"{path}: {day}: {problem}"
    if layout.rows is None:
        return
    sides: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for path, records in rows.items():
        found = layout.rows.fullmatch(path)
        for record in records if found else ():
            name = record.get("question_id") or record.get("event_id")
            if found and isinstance(name, str) and isinstance(record.get("text"), str):
                sides[found["axis"]][name][found["lang"]] = str(record["text"])
    for axis, named in sorted(sides.items()):
        for name, pair in sorted(named.items()):
            if len(pair) == 2:
                for problem in _differences(pair["en"], pair["zh"], layout):
                    yield f"exam {axis} {name}: {problem}"


def _differences(en: str, zh: str, layout: Layout) -> Iterator[str]:
    en_days = {
        (MONTH_NAMES.index(m[2] or m[3]) + 1, int(m[1] or m[4])) for m in _EN_DAY.finditer(en)
    }
    zh_days = {(int(m[1]), int(m[2])) for m in _ZH_DAY.finditer(zh)}
    if not layout.ours:
        # Published editions are worded freely; only a unit in which each names exactly one is comparable.
        months = _bare_months(en, zh)
        if months is not None:
            yield f"en names month {months[0]}, zh month {months[1]}"
        if len(en_days) == len(zh_days) == 1 and en_days != zh_days:
            yield f"en names {_named(en_days)}, zh {_named(zh_days)}"
        return
    refs = [Counter((cls, label) for cls, label, *_ in placeholders(text)) for text in (en, zh)]
    if refs[0] != refs[1]:
        odd = sorted({*(refs[0] - refs[1]), *(refs[1] - refs[0])})
        yield f"other names: {', '.join(f'{cls} {label}' for cls, label in odd)}"
    if en_days != zh_days:
        yield f"en names {_named(en_days - zh_days) or 'no other day'}, zh {_named(zh_days - en_days) or 'no other day'}"
    maybe = {MONTH_NAMES.index(m["name"]) + 1 for m in _EN_MONTH.finditer(en)}
    sure = {
        MONTH_NAMES.index(m["name"]) + 1
        for found in _EN_SURE.finditer(en)
        for m in _EN_MONTH.finditer(found.group())
    }
    months_zh = {int(m[1]) for m in _ZH_MONTH.finditer(zh)}
    if not sure <= months_zh <= maybe:
        yield f"en names months {sorted(maybe)}, zh {sorted(months_zh)}"
    digits = [_digits(en), _digits(_ZH_MONTH.sub("", zh))]
    if digits[0] != digits[1]:
        yield f"other figures: {''.join(sorted((digits[0] - digits[1]) + (digits[1] - digits[0])))}"


def _digits(text: str) -> Counter[str]:
    """Digits above zero: the same for 3.1 million and 310万, 10.30 and 10时30分."""
    return Counter(char for char in text if char in "123456789")


def _named(days: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{day} {MONTH_NAMES[month - 1]}" for month, day in sorted(days) if 0 < month < 13)  # fmt: skip


def _bare_months(en: str, zh: str) -> tuple[int, int] | None:
    """The one month without a day that each edition names, when they differ."""
    bare_en = {
        MONTH_NAMES.index(m["name"]) + 1
        for m in re.finditer(rf"\b(?:in|of|since|until|by|early|late|mid-) ?(?P<name>{_MONTHS})\b(?! \d)", en)
    }  # fmt: skip
    bare_zh = {int(m[1]) for m in re.finditer(r"(?<!\d)(\d{1,2})月(?!\d)", zh)}
    if len(bare_en) == len(bare_zh) == 1 and bare_en != bare_zh:
        return bare_en.pop(), bare_zh.pop()
    return None


def not_introduced(
    texts: Mapping[str, str], bank_texts: Mapping[str, Sequence[str]], layout: Layout
) -> Iterator[tuple[str, str]]:
    """Path and placeholder: those of a bank that occur nowhere in the longest context of its event and edition."""
    longest = masters(texts, layout)
    missing: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for path, asked in sorted(bank_texts.items()):
        found = layout.banks.fullmatch(path) if layout.banks is not None else None
        if found is None:
            continue
        group = "" if layout.ours else found["group"]
        if (group, found["lang"]) not in longest:
            continue
        told = texts[longest[group, found["lang"]]]
        for text in asked:
            for _, _, start, end in placeholders(text, ours=layout.ours):
                name = text[start:end]
                if name not in told:
                    missing[group, found["lang"]].setdefault(name, path)
    for _, names in sorted(missing.items()):
        yield from ((path, name) for name, path in names.items())


def telling_paths(paths: Iterable[str], layout: Layout) -> Iterator[tuple[str, str]]:
    """Paths that hold a word beside layout and opaque ids, with that word."""
    for path in paths:
        for part in re.split(r"[/._]", path):
            bare = re.sub(r"\d+$", "", part) if part.startswith("event") else part
            if bare and bare not in layout.words and _OPAQUE.fullmatch(bare) is None:
                yield path, part
                break


def paths_in(texts: Iterable[str]) -> Iterator[str]:
    """Values that are themselves the path of a file."""
    return (text for text in texts if _PATH_VALUE.fullmatch(text))
