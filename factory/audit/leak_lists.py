"""What the scanner cannot judge and a person must look at: rare figures and words, names by their shape, titles.

None of these is a leak by itself, so nothing here blocks; a list that nobody looked at is shown as such.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from factory.audit.leak_dates import MONTH_NAMES
from factory.audit.leak_editions import Layout, masters
from factory.audit.leak_files import read_words
from factory.audit.leak_placeholders import CLASSES, placeholders
from factory.audit.rare_words import RareWord, rare_words
from schemas import Lang

LISTS = {
    "exact number": "three significant digits or more",
    "money": "an amount with its currency",
    "votes": "a pair of counted votes",
    "age or birth": "an age or a year of birth",
    "capitalised word": "a capital inside an English sentence that is no placeholder",
    "Latin in Chinese": "a run of Latin letters in a Chinese text that is no placeholder",
    "title": "words between title marks",
    "rare word": "a noun or verb that ordinary text seldom uses, seldomer words from fewer mentions on",
}
"""Lists by name, with what stands in them."""
NAME_LIKE = ("capitalised word", "Latin in Chinese", "title")
"""Lists of words that look like names."""
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\d-]|\.\d)")
_MONEY = re.compile(
    r"[$€£¥]\s?\d[\d,.]*(?: (?:million|billion|trillion))?|\d[\d,.]*(?: ?(?:million|billion|trillion|万|亿|万亿))? ?(?:dollars|euros|pounds|yuan|yen|rubles|美元|欧元|英镑|日元|元)"
)
_VOTES = re.compile(r"\b\d{1,3} ?(?:-|to|–) ?\d{1,3} vote|\bvot\w+ \d{1,3} ?(?:-|to|–) ?\d{1,3}\b|\d{1,4}票(?:对|比|赞成)\D{0,4}\d{1,4}票?|\d{1,3}比\d{1,3}")  # fmt: skip
_AGE = re.compile(r"\b(?:aged|now) \d{1,3}\b|\b\d{1,3}[- ]years?[- ]old\b|\bborn in \d{4}\b|\d{1,3}岁|\d{4}年出?生")  # fmt: skip
_WORD = re.compile(r"(?<=[a-z,;:)] )[A-Z][A-Za-z'’-]+(?: [A-Z][a-z][A-Za-z'’-]*)*|\b[a-z]+[A-Z]\w*")
_LATIN = re.compile(r"(?<![A-Za-z])[A-Za-z][A-Za-z0-9&.'-]+")
_TITLE = re.compile(r"《[^《》]{1,40}》")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_KNOWN = {*MONTH_NAMES, *_WEEKDAYS, *(en for en, _ in CLASSES.values()), "I", "Event", "Opinion"}


def listed(files: Mapping[str, bytes], layout: Layout) -> dict[str, Counter[str]]:
    """Distinct words by list, with how often each stands in the longest context of every event and edition.

    Raises UnicodeDecodeError for a context that is not UTF-8, which the scanner reports first.
    """
    texts = {
        path: data.decode("utf-8")
        for path, data in files.items()
        if layout.contexts.fullmatch(path)
    }
    found: dict[str, Counter[str]] = {name: Counter() for name in LISTS}
    for (_, lang), path in sorted(masters(texts, layout).items()):
        for name, words in _entries(texts[path], lang, layout):
            found[name][words] += 1
    for rare in rare_by_edition(files, layout).values():
        for one in rare:
            found["rare word"][one.word] += one.count
    return found


def rare_by_edition(
    files: Mapping[str, bytes], layout: Layout
) -> dict[tuple[str, Lang], list[RareWord]]:
    """Rare words by event and edition, heaviest first: of the longest context, and of its questions.

    Questions say the same words over again, so a word that stands there alone counts once. Raises UnicodeDecodeError or ValueError
    for a file that is not what its name says, which the scanner reports first.
    """
    texts = {
        path: data.decode("utf-8")
        for path, data in files.items()
        if layout.contexts.fullmatch(path)
    }
    asked: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted(files):
        bank = layout.banks.fullmatch(path) if layout.banks else None
        if bank is not None:
            place = "" if layout.ours else bank["group"]
            asked[place, bank["lang"]] += read_words(path, files[path]).texts
    found: dict[tuple[str, Lang], list[RareWord]] = {}
    for (group, lang), path in sorted(masters(texts, layout).items()):
        edition: Lang = "zh" if lang == "zh" else "en"
        found[group, edition] = rare_words(
            texts[path], edition, ours=layout.ours, asides=asked[group, lang]
        )
    return found


def _entries(text: str, lang: str, layout: Layout) -> Iterator[tuple[str, str]]:
    for found in _NUMBER.finditer(text):
        digits = found.group().replace(",", "").replace(".", "").strip("0")
        if len(digits) >= 3 and not re.fullmatch(r"(?:19|20)\d{2}", found.group()):
            yield "exact number", found.group()
    for name, net in (
        ("money", _MONEY),
        ("votes", _VOTES),
        ("age or birth", _AGE),
        ("title", _TITLE),
    ):
        yield from ((name, found.group()) for found in net.finditer(text))
    # A placeholder is cut out with its noun, so that only what stands beside it is listed.
    bare = list(text)
    for _, _, start, end in placeholders(text, ours=layout.ours):
        bare[start:end] = "\x1f" * (end - start)
    rest = "".join(bare)
    if lang == "zh":
        yield from (("Latin in Chinese", found.group()) for found in _LATIN.finditer(rest))
        return
    for found in _WORD.finditer(rest):
        words = [word for word in found.group().split() if word not in _KNOWN]
        if words:
            yield "capitalised word", " ".join(words)
