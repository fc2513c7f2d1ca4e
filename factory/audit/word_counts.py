"""Words of a text in either language, with how often each stands and how seldom ordinary text uses it.

English is cut at letters, plurals made one; Chinese along the cheapest path through a list of words (as jieba does),
and what no list knows is joined from its characters where it recurs. Placeholders must be cut out before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from factory.resources import wordlist
from schemas import Lang

UNKNOWN = 16
"""Nats of a word that no list holds: it is rarer than all that are listed."""
ADJECTIVES = re.compile(
    r"(?:ly|ings?|ed|ive|ous|ful|ish|able|ible|less|ness|ity|ities|ical|istic|i[sz]e|i[sz]es)$"
)
"""Endings of adjectives, adverbs, participles and qualities: they tell how, not what."""
_TOKEN = re.compile(r"(?<![\w'’@#/.-])[A-Za-z]+(?:-[A-Za-z]+)*(?![\w@/-])(?!['’](?!s\b))")
_STARTS = re.compile(r"(?:^|[\n*(\"“]|[.!?:][\"”*)]* |- )$")
_PREFIXES = re.compile(r"all|anti|co|ex|half|inter|mid|multi|non|post|pre|pro|quasi|semi|sub")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_FUNCTION = frozenset(
    "的了在是和与及或对将把被从为于以并而但也都还就才又再更最很不没未无有要会能可应其此该这那之所者们等各每某至到向往由据因"
    "如若即虽且后前中上下内外间时年月日个次件条项名位一二三四五六七八九十百千万亿两多数第只仅均已曾正仍亦则却让使令给跟同比称说"
    "表示他她它我你谁何么吗呢吧啊着过得地起来去出进回自身性化式型级率度力感派方区省市县国党人民众家员长官量案版号点段句词字"
    "遭受获持呈拟约近逾超达满半余几许些尽当待需须愿敢肯想望看听指按照凭靠随经通关否非勿莫别请"
)
"""Characters that join words and seldom belong to a name of a thing."""
_LONGEST = 4
_FUNCTION_COST, _CHARACTER_COST = 7, 12
"""Nats of a character that stands alone, below and above the word of middling frequency."""
_NAME_COST = 14
"""Nats of a name: dear enough that 市长 and 江泽 are read in 市长江泽, cheap enough that 长江 is in 长江大桥."""


def english(text: str) -> tuple[Counter[str], Counter[str]]:
    """Nouns and verbs in the singular, and compounds of two parts, each with its count.

    A word with a capital counts at the start of a sentence only; elsewhere it looks like a name. A compound that has
    a hyphen somewhere counts without it, too.
    """
    words: Counter[str] = Counter()
    compounds: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    before, ended = "", -1
    for found in _TOKEN.finditer(text):
        parts = found.group().split("-")
        if len(parts) == 1:
            if found.start() == ended + 1 and text[ended] in " \n":
                beside[f"{before}-{found.group().lower()}"] += 1
            before, ended = found.group().lower(), found.end()
        first = parts[0]
        if not first.islower() and not (
            first.capitalize() == first
            and _STARTS.search(text[max(found.start() - 4, 0) : found.start()])
        ):
            continue
        parts = [part.lower() for part in parts]
        words.update(
            singular(part) for part in parts if len(part) > 2 and not _PREFIXES.fullmatch(part)
        )
        if len(parts) == 2 and not any(map(_PREFIXES.fullmatch, parts)):
            compounds["-".join(parts)] += 1
    return words, Counter({name: count + beside[name] for name, count in compounds.items()})


def singulars(word: str) -> Iterator[str]:
    """What a plural may be the plural of, likeliest first."""
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        yield word[:-2]
    if word.endswith("ves"):
        yield word[:-3] + "f"
        yield word[:-3] + "fe"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield word[:-1]


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular that the list holds; a word that it holds itself, or that has none there, stays."""
    known = english_nats()
    if word in known:
        return word
    found = [one for one in singulars(word) if one in known]
    if found:
        return found[0]
    if word.endswith("ves") or len(word) < 5:
        return word.removesuffix("s")
    return next(singulars(word), word)


def _listed(lang: Lang) -> Iterator[tuple[str, int, bool]]:
    """Each word of a list, its surprisal, and whether its line is marked with a plus."""
    for line in wordlist(lang).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            nats, _, words = line.partition(": ")
            yield from ((word, int(nats), nats.startswith("+")) for word in words.split())


@lru_cache(maxsize=1)
def english_nats() -> dict[str, int]:
    """Surprisal by word."""
    return {word: nats for word, nats, _ in _listed("en")}


@lru_cache(maxsize=1)
def chinese_nats() -> tuple[dict[str, int], frozenset[str]]:
    """Surprisal by word, and the words that may be listed."""
    rows = [*_listed("zh")]
    return {word: nats for word, nats, _ in rows}, frozenset(
        word for word, _, seldom in rows if seldom
    )


def chinese(text: str) -> tuple[Counter[str], Counter[str]]:
    """Words of the list, and runs of two to four characters that no word of it covers, each with its count."""
    words: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for found in _HAN.finditer(text):
        run = ""
        for word in cut(found.group()):
            if len(word) == 1 and word not in _FUNCTION:
                run += word
                continue
            runs[run] += 1
            run = ""
            if len(word) > 1:
                words[word] += 1
        runs[run] += 1
    return words, _parts(runs)


def cut(han: str, names: frozenset[str] = frozenset()) -> list[str]:
    """Chinese characters as the words of least surprisal; what no word covers comes out one by one.

    `names` are words that no list holds but that the text may use.
    """
    nats, _ = chinese_nats()
    longest = max([_LONGEST, *map(len, names)])
    best = [0] + [0] * len(han)
    start = [0] * (len(han) + 1)
    for end in range(1, len(han) + 1):
        alone = _FUNCTION_COST if han[end - 1] in _FUNCTION else _CHARACTER_COST
        best[end], start[end] = best[end - 1] + alone, end - 1
        for begin in range(max(end - longest, 0), end - 1):
            word = han[begin:end]
            cost = nats.get(word, _NAME_COST if word in names else None)
            if cost is not None and best[begin] + cost < best[end]:
                best[end], start[end] = best[begin] + cost, begin
    words = []
    end = len(han)
    while end:
        words.append(han[start[end] : end])
        end = start[end]
    return words[::-1]


def _parts(runs: Counter[str]) -> Counter[str]:
    """Pieces of runs with their counts, without those that only occur inside one longer piece."""
    counts: Counter[str] = Counter()
    for run, count in runs.items():
        for size in range(2, _LONGEST + 1):
            for at in range(len(run) - size + 1):
                counts[run[at : at + size]] += count
    inside = {
        part
        for longer, count in counts.items()
        for part in (longer[:-1], longer[1:])
        if counts.get(part) == count
    }
    return Counter({part: count for part, count in counts.items() if part not in inside})
