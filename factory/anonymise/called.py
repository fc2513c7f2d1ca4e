"""What a person is called by besides the full name: a surname that stands first, a title with it, a first name alone.

A surname alone is used like any other name. What others may be called by as well (a first name, a given name of one
syllable, a father's name, a surname that the texts also give to others) waits for a person, and only where the texts
use it by itself. English shows the rest: a plural with an article is the family, one without may be a town.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from factory.anonymise import expand_en, expand_zh
from factory.anonymise.expand import has_cjk
from factory.anonymise.family_first import family_first, one_syllable
from factory.anonymise.folding import unaccented
from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.ordinary_places import OPENS
from factory.audit.word_counts import chinese_nats, english_nats, singular

TITLES = tuple(
    re.findall(
        r"\S+",
        "Mr Mrs Ms Miss Mx Mr. Mrs. Ms. Dr Dr. Prof Prof. Doctor Professor Teacher Coach Sir Madam Madame Lord Lady President "
        "Premier Chancellor Chairman Chairwoman Chair Minister Secretary Governor Mayor Senator Sen. Gov. Rep. Representative "
        "Congressman Congresswoman Councillor Councilor Commissioner Ambassador Director Judge Justice Inspector Chief "
        "Superintendent Speaker Leader Comrade General Gen. Colonel Col. Captain Capt. Major Lieutenant Lt. Sergeant Sgt. "
        "Officer Admiral Marshal King Queen Prince Princess Emperor Pope Bishop Reverend Rev. Father Sister Brother Uncle "
        "Auntie Aunt Granny Grandma Grandpa Engineer",
    )
)
"""Words before a person's name."""
_PRONOUNS = frozenset(
    re.findall(
        r"\S+",
        "he she an as at am be by do so to in is it if on or of no us we me my up you may are was has had can will her him his "
        "its our the and but for not how who why all any now one two see say",
    )
)
"""Surnames that open an English sentence as another word far too often to be asked about each time (He Jiankui)."""
_PLACES = frozenset(
    re.findall(
        r"\S+",
        "vegas wales paris naples athens brussels cannes nantes rhodes orleans angeles dallas texas kansas arkansas leeds "
        "hastings wells antilles honduras maldives seychelles philippines netherlands alps andes pyrenees rockies",
    )
)
"""Places that look like the plural of a surname and that a list of ordinary words need not hold."""
_BEGIN_PLACES = frozenset({"San", "Santa", "Saint", "Los", "Las", "New", "Mount", "Fort", "Port"})
"""Middle words that begin the names of many places."""
_FATHER = frozenset({"bin", "ibn", "ben", "bint", "abu"})
_LEAST = 3
FIRST_NAME = "a first name, which others may have"
SHORT_GIVEN = "a given name of one syllable"
SHARED = "a surname that others in the texts bear"
COMMON = "a surname that very many bear"
FATHERS = "a father's name"
PLURAL = "a plural that may be another name"
PART = "a part of a double name"
OLD_YOUNG = "said of many persons of that surname"
FORMED = "may be a word of its own"
COINED = "a coined word that could be looked up"
SHORT_TITLE = "a short title that may belong to other words"
DOUBTS = frozenset(
    {
        FIRST_NAME, SHORT_GIVEN, SHARED, COMMON, FATHERS, PLURAL, PART, OLD_YOUNG, FORMED, COINED, SHORT_TITLE,
    }
)  # fmt: skip
_FORMING = ("ism", "isms", "ist", "ists", "ite", "ites", "ian", "ians", "esque", "world", "mania")
"""Endings that make a word of a surname; they stay behind the reference, for what they say of it."""
_COINING = ("omics", "onomics", "nomics", "care")
"""Endings of words that are known for one person each."""
_FORMED_FROM = 4
"""Letters of a surname from which words are formed."""


@dataclass(frozen=True)
class Call:
    """A form with the reason why it waits for a person; none when it is used at once."""

    form: str
    doubt: str = ""
    kept: tuple[int, int] = (0, 0)
    """Characters at its start and end that stay in the text: the title, the article."""


def calls(names: Sequence[str], texts: Sequence[str], vocabulary: Vocabulary) -> Iterator[Call]:
    """Further forms of a person, those with a doubt to be kept only where the texts use them alone."""
    latin = [name for name in names if not has_cjk(name)]
    for name in latin:
        words = expand_en.name_words(name)
        if not words:
            continue
        tradition = family_first(" ".join(words), names)
        found = (
            _first_family(words, tradition, texts, vocabulary) if tradition else _last_family(words)
        )
        for call in (*found, *formed(words[0] if tradition else words[-1])):
            yield call
            if not call.form.isascii():
                yield Call(unaccented(call.form), call.doubt, call.kept)
    for name in names:
        if has_cjk(name) and expand_zh.full_name(name):
            family = expand_zh.surname(name)
            given = name[len(family) :]
            doubtful = [("老" + family, OLD_YOUNG), ("小" + family, OLD_YOUNG)]
            doubtful += [
                (family + title, SHORT_TITLE)
                for title in expand_zh.SHORT_TITLES
                if family + title not in chinese_nats()[0]
            ]
            if len(given) == 2 and expand_zh.simplified(given) not in chinese_nats()[0]:
                doubtful.append((given, FIRST_NAME))
            for form, doubt in doubtful:
                yield from (Call(each, doubt) for each in (form, *expand_zh.scripts(form)))


def _first_family(
    words: Sequence[str], tradition: str, texts: Sequence[str], vocabulary: Vocabulary
) -> Iterator[Call]:
    family, given = words[0], words[1:]
    whole = " ".join(given)
    if not one_syllable(whole):
        hyphened = "-".join(given)
        for form in (whole, "".join(given).capitalize(), hyphened, hyphened.capitalize()):
            yield Call(form)
            yield Call(f"{family} {form}")
            yield Call(f"{form} {family}")
        if len(given) > 1 and tradition != "vietnamese":
            yield Call(given[-1], SHORT_GIVEN)
    elif tradition != "vietnamese":
        yield Call(whole, SHORT_GIVEN)
    if tradition != "vietnamese":
        parts = [part for word in given for part in word.split("-")]
        for initial in dict.fromkeys(
            (parts[0][0] + ".", ".".join(p[0].upper() for p in parts) + ".")
        ):
            yield Call(f"{initial} {family}")
            yield Call(f"{family} {initial}")
    if family.lower() in _PRONOUNS:
        yield from (Call(f"{title} {family}", kept=(len(title) + 1, 0)) for title in TITLES)
        for before in _before(family, texts):
            kept = (len(before) + 1, 0)
            yield Call(f"{before} {family}", "also an ordinary word", kept)
        return
    shared = _bearer(family, words, texts, vocabulary)
    doubt = COMMON if tradition == "vietnamese" else SHARED if shared else ""
    yield Call(family, doubt)
    if not shared and (doubt or vocabulary.holds(family)):
        yield from (Call(f"{title} {family}", kept=(len(title) + 1, 0)) for title in TITLES)
    yield from _plurals(family)


def _last_family(words: Sequence[str]) -> Iterator[Call]:
    start = expand_en.surname_start(list(words))
    for number, word in enumerate(words[:start]):
        letters = word.strip(".")
        if word.endswith(".") or len(letters) < 2 or not word[0].isupper():
            continue
        if number == 0 or (len(letters) >= _LEAST and letters not in _BEGIN_PLACES):
            yield Call(word, FIRST_NAME)
    if words[-2].lower() in _FATHER:
        yield Call(words[-1], FATHERS)
    parts = words[-1].split("-") if "-" in words[-1] and words[-1][0].isupper() else []
    for part in (*words[start:-1], *parts):
        if len(part) >= _LEAST and part[0].isupper():
            yield Call(part, PART)
    yield from _plurals(words[-1])


def _plurals(family: str) -> Iterator[Call]:
    if re.search(r"(?:[sxz]|ch|sh)$", family) and len(family) > _LEAST:
        plurals = [f"{family}es"]
    else:
        plurals = list(expand_en.plural(family))
    for plural in plurals:
        yield Call(plural, PLURAL)
        if not another_word(plural):
            yield from (Call(f"{the} {plural}", kept=(4, 0)) for the in ("the", "The"))


def formed(family: str) -> Iterator[Call]:
    """Words formed from a surname, of which the ending stays: Kestrinism, Kestrinites."""
    if len(family) < _FORMED_FROM or not family.isalpha() or not family[0].isupper():
        return
    for ending in (*_FORMING, *_COINING):
        stems = (family, family[:-1]) if family[-1] == "e" and ending[0] == "i" else (family,)
        for stem in stems:
            form = stem + ending
            doubt = COINED if ending in _COINING else ""
            if form.lower() in english_nats() or singular(form.lower()) in english_nats():
                doubt = FORMED
            yield Call(form, doubt, kept=(0, len(ending)))


def another_word(plural: str) -> bool:
    """Whether a plural by rule is a word or a place of its own: Vegas, Wales."""
    return plural.lower() in _PLACES or plural.lower() in english_nats()


def _before(word: str, texts: Iterable[str]) -> list[str]:
    """Words in lower case after which a text writes `word` with its capital: there it is no pronoun."""
    pattern = re.compile(rf"(?<![^\W_])([a-z]+) {re.escape(word)}(?![^\W_])")
    return list(dict.fromkeys(found for text in texts for found in pattern.findall(text)))


def _bearer(
    family: str, words: Sequence[str], texts: Iterable[str], vocabulary: Vocabulary
) -> bool:
    """Whether the texts give a surname to somebody else: Chen Wei or Alex Chen beside Chen Guangcheng."""
    own = {part.lower() for word in words for part in word.split("-")}
    own |= {title.lower().strip(".") for title in TITLES} | {
        "".join(words[1:]).replace("-", "").lower()
    }
    shape = r"[A-Z][a-z]+(?:-[A-Za-z][a-z]+)?"
    pattern = re.compile(
        rf"(?<![^\W_])(?:(?P<before>{shape}) )?{re.escape(family)}(?: (?P<after>{shape}))?(?![^\W_])"
    )

    def others(word: str | None) -> bool:
        return word is not None and not vocabulary.holds(word) and not known(word)

    def known(word: str) -> bool:
        return word.replace("-", "").lower() in own

    for text in texts:
        for found in pattern.finditer(text):
            before, after = found["before"], found["after"]
            if any(word and known(word) for word in (before, after)):
                continue
            # A sentence may open with any word: Meanwhile Xi, Meanwhile Kim.
            opens = before is not None and OPENS.search(text[: found.start()][-6:]) is not None
            plain = opens and before is not None and before.lower() in english_nats()
            if others(after) or (others(before) and not plain):
                return True
    return False
