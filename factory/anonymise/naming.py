"""Whether a text says a name: in any script, with or without accents, an actor also by the part that tells who it is.

Used to grade guesses, so it errs towards "says it": a name that is missed lets a recognised event pass. What a text
must hold is still more than a common word, and of two countries both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from factory.anonymise import expand_en, expand_zh
from factory.anonymise.countries import MARK, countries_said
from factory.anonymise.family_first import family_first
from factory.anonymise.folding import folded, unaccented
from factory.anonymise.ordinary import Vocabulary
from factory.audit.word_counts import chinese_nats, english_nats, singular

_STOP_WORDS = "the a an of in on at to and or for from by with its his her their is was over about case event affair"
_STOP = frozenset(_STOP_WORDS.split())
_UNSPACED = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\U00020000-\U0003ffff]"
)
"""Scripts whose words are not parted by spaces, or carry endings without one: compared by pairs of characters."""
_PAIRS = 0.7
"""Share of a name's pairs that a text must hold."""
_FEW = 4
"""Characters that may stand between two parts of a name."""
_FILLERS = re.compile("的|之|集团|公司|股份|有限|控股")
"""What a Chinese name is written with or without."""
_CONNECTED = re.compile(rf"[与和对的及同跟之间]*{MARK}[与和对的及同跟之间]*")
"""A country with the characters that only join it to what is around it."""
_END = "\n"
"""Where a sentence ends, of which no name is made on both sides."""
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?:\s?[-–—/]\s?(?:\d\d){1,2})?年?(?!\d)")
_POSSESSIVE = re.compile(r"['’]s(?![^\W_])")
_DOTTED = re.compile(r"\b(?:[a-z]\.){2,}")
_TITLES = frozenset(
    re.findall(
        r"\w+",
        "mr mrs ms miss dr prof sir dame lord lady judge justice mayor councillor councilor captain chair chairman chairwoman "
        "director minister president professor commissioner secretary governor senator inspector chief premier chancellor "
        "representative congressman congresswoman ambassador general colonel king queen prince princess pope ceo founder "
        "candidate ex former vice prime tsar czar tycoon billionaire activist whistleblower",
    )
)
_BODY = Vocabulary.of([])
"""Common words, among them those that bodies are called by."""


def _words(text: str) -> list[str]:
    """Runs of letters, figures and the marks that belong to them, in the order of the text."""
    out, word = [], ""
    for char in text:
        kind = unicodedata.category(char)[0]
        if kind in "LN" or (kind == "M" and word):
            word += char
        elif word:
            out.append(word)
            word = ""
    return [*out, word] if word else out


def _tokens(text: str) -> tuple[frozenset[str], str]:
    """Content words with a plural s removed, and the characters of scripts without spaces as one string."""
    low = _POSSESSIVE.sub("", folded(text))
    low = _DOTTED.sub(lambda found: found.group().replace(".", ""), low)
    unspaced = "".join(_UNSPACED.findall(low))
    words = set()
    for word in _words(_UNSPACED.sub(" ", low)):
        if word not in _STOP:
            words.add(word.removesuffix("s") if len(word) > 3 else word)
    return frozenset(words), unspaced


def _bigrams(text: str) -> frozenset[str]:
    return frozenset(text[i : i + 2] for i in range(len(text) - 1)) or frozenset({text} - {""})


def _pairs_held(text: str, name: str) -> bool:
    """Whether a text holds seven tenths of the pairs of characters of a name."""
    pairs = _bigrams(name)
    return len(pairs & (_bigrams(text) | frozenset(text))) >= _PAIRS * len(pairs)


def _in_order(text: str, name: str) -> bool:
    """Whether the parts of a name stand in a text in order with few characters between them.

    A part has two characters or more, the last one may have one (贸易大战 says 贸易战).
    """
    text, name = _FILLERS.sub("", text), _FILLERS.sub("", name)

    @cache
    def stands(at: int, place: int) -> bool:
        left = len(name) - at
        for size in range(left, min(left, 2) - 1, -1):
            if not text.startswith(name[at : at + size], place):
                continue
            if size == left:
                return True
            behind = place + size
            few = text[behind : behind + (_FEW if left - size > 1 else 1)].partition(_END)[0]
            if any(stands(at + size, behind + gap) for gap in range(len(few) + 1)):
                return True
        return False

    return len(name) >= 2 and any(stands(0, place) for place in range(len(text)))


def _line(text: str) -> str:
    """The characters of scripts without spaces in a folded text, with a mark where a sentence ends."""
    return "".join(
        char if _UNSPACED.match(char) else _END for char in text if _UNSPACED.match(char) or char in ";.!?\n。"
    )  # fmt: skip


def _same(word: str, said: str) -> bool:
    """Whether two words are one; a word of another alphabet may end in up to two other letters (Крокус, Крокусе)."""
    if word == said:
        return True
    if word.isascii() or len(word) < 5 or abs(len(word) - len(said)) > 2:
        return False
    stem = max(len(word) - 2, 4)
    return len(said) >= stem and word[:stem] == said[:stem]


def _words_held(words: frozenset[str], wanted: frozenset[str]) -> bool:
    return all(word in words or any(_same(word, said) for said in words) for word in wanted)


def names(text: str, name: str) -> bool:
    """Whether a text says a name: its countries in any spelling, and what else it says.

    That is all its content words; of Chinese seven tenths of its pairs of characters, or its parts in order with few
    characters between them. Countries are compared apart from the rest, so that neither their spelling hides a name
    nor two of them make up for the event that is missing.
    """
    # A year in a name helps nobody to recognise it and is often left out of a right guess.
    name = _undated(name)
    (words, unspaced), (wanted, wanted_unspaced) = _tokens(text), _tokens(name)
    found, asked = countries_said(text), countries_said(name)
    known = found.countries | (found.seats if len(asked.countries) > 1 else frozenset())
    told = bool(asked.countries) and asked.countries <= known and asked.bound <= found.forms
    other_words, _ = _tokens(found.rest)
    rest_words, rest = _tokens(_CONNECTED.sub(MARK, asked.rest))

    def characters_held() -> bool:
        if not wanted_unspaced or wanted_unspaced in unspaced:
            return True
        if told and (not rest or (len(rest) > 1 and _held(found.rest, rest))):
            return True
        another = asked.countries - found.countries and found.countries - asked.countries
        return len(asked.countries) < 2 and not another and _held(folded(text), wanted_unspaced)

    return (
        bool(wanted or wanted_unspaced)
        and (_words_held(words, wanted) or (told and _words_held(words | other_words, rest_words)))
        and characters_held()
    )


def _held(text: str, name: str) -> bool:
    line = _line(text)
    return _pairs_held(line.replace(_END, ""), name) or _in_order(line, name)


def _undated(name: str) -> str:
    """A name without its years, unless it is nothing else."""
    bare = _YEARS.sub(" ", name)
    return bare if any(map(str.isalnum, bare)) else name


def _names_whole(text: str, actor: str) -> bool:
    """Whether a text says an actor's name as it is written, or a country that is the actor by any of its names.

    A body that is called by its country (中国银行) is not meant where country and kind of body stand apart.
    """
    (words, unspaced), (wanted, wanted_unspaced) = _tokens(text), _tokens(actor)
    if not (wanted or wanted_unspaced):
        return False
    if _words_held(words, wanted) and (
        not wanted_unspaced or _pairs_held(unspaced, wanted_unspaced)
    ):
        return True
    asked = countries_said(actor)
    alone = not any(map(str.isalnum, asked.rest.replace(MARK, "")))
    return alone and bool(asked.countries) and asked.countries <= countries_said(text).countries


def names_actor(event: str, actors: tuple[str, ...], actor: str) -> bool:
    """Whether a guess, its event or its list of actors, names an actor: in full or by a part that tells who it is.

    Such a part is a surname ("President Trump", but not another person's: "Eric Trump"), a body without its legal
    form, a Chinese surname with a title, a given name or the last part of a transliterated name. A part that is also
    an ordinary word needs a title before it or a capital that the place does not explain.
    """
    if _names_whole(" ; ".join((event, *actors)), actor):
        return True
    if _UNSPACED.search(actor):
        wanted, entries = folded(actor), [folded(each) for each in actors]
        said = " ; ".join((folded(event), *entries))
        given = wanted[len(expand_zh.surname(wanted)) :] if expand_zh.full_name(wanted) else ""
        # A given name may be an ordinary word (建国); as an actor it stands for the person.
        return any(part in said for part in _chinese_parts(wanted)) or (
            len(given) == 2 and any(each.startswith(given) for each in entries)
        )
    bodies = [form for form in expand_en.body(actor) if not _BODY.made_of(form)]
    if any(_names_part(text, form, actor) for text in (event, *actors) for form in bodies):
        return True
    texts = [(event, False), *((each, True) for each in actors)]
    for part, titled in _called(actor):
        if any(_names_part(text, part, actor, entry=one, titled=titled) for text, one in texts):
            return True
    return False


def _chinese_parts(actor: str) -> Iterator[str]:
    ordinary, _ = chinese_nats()
    if expand_zh.full_name(actor):
        family = expand_zh.surname(actor)
        # 某 and 先生 say nothing of who it is: every tenth person is a 王先生.
        for form in expand_zh.person(actor):
            if form.startswith(family) and form[len(family) :] not in {
                "某",
                "某某",
                "先生",
                "女士",
                "小姐",
            }:
                yield form
        return
    parts = re.split("[·•・‧．]", actor)
    if len(parts) > 1 and len(parts[-1]) >= 2 and parts[-1] not in ordinary:
        yield parts[-1]
    yield from expand_zh.body(actor)


def _called(actor: str) -> Iterator[tuple[str, bool]]:
    """Words that alone name an actor who reads as a person of two to four words, nothing for a body or a thing.

    Each comes with whether it needs a title before it: a surname needs none, wherever it stands, but the first word
    of a name whose order nothing tells does (Orbán Viktor, Mohammed bin Salman).
    """
    bare = unaccented(unicodedata.normalize("NFKC", actor))
    words = bare.split()
    if any(word.lower() in _STOP or "&" in word for word in words):
        return
    found = list(expand_en.person(bare))
    if not found:
        return
    given = found[0].split()
    tradition = family_first(found[0])
    if tradition and not _plural(given[0]):
        yield given[0], False
    elif not 2 <= len(given) <= 4 or any(_BODY.holds(w) or _plural(w) for w in given[:-1]):
        return
    last = expand_en.without_article(found[2])
    if not _plural(last) and len(last) >= 3:
        yield last, False
    if not tradition and len(given[0]) >= 3:
        yield given[0], True


def _plural(word: str) -> bool:
    """Whether a word is the plural of a listed one, as in the names of bodies (Dock Workers)."""
    low, known = word.lower(), english_nats()
    return low not in known and singular(low) in known


def _names_part(
    text: str, part: str, actor: str, *, entry: bool = False, titled: bool = False
) -> bool:
    """Whether a text says a part of an actor's name and means that actor.

    `entry` is one actor of a list; `titled` asks for a title before the part.
    """
    said = _words(unaccented(unicodedata.normalize("NFKC", text)))
    wanted = _words(unaccented(part))
    own = {word.lower() for word in _words(unaccented(actor))}
    names_first = list(expand_en.person(unaccented(unicodedata.normalize("NFKC", actor))))
    first = names_first[0].split()[0] if names_first else ""
    low = [word.lower() for word in said]
    for at in range(len(said) - len(wanted) + 1):
        if low[at : at + len(wanted)] != [word.lower() for word in wanted]:
            continue
        before = low[at - 1] if at else ""
        after = said[at + len(wanted)] if at + len(wanted) < len(said) else ""
        # President Kim Dae-jung is not Kim Jong-un; what follows a surname that stands last is no given name.
        if part == first and after and _other_person(after, own, listed_is_none=False):
            continue
        if before in _TITLES:
            return True
        if titled:
            continue
        if any(map(_BODY.holds, wanted)):
            continue
        if at and _other_person(said[at - 1], own, listed_is_none=at == 1 and not entry):
            continue
        listed = all(word.lower() in english_nats() for word in wanted)
        if not listed or (said[at][:1].isupper() and (at > 0 or len(said) == len(wanted))):
            return True
    return False


def _other_person(before: str, own: set[str], *, listed_is_none: bool) -> bool:
    """Whether the word before a surname is another person's given name; a sentence may begin with any capital."""
    low = before.lower()
    if not before[:1].isupper() or low in own or _BODY.holds(low) or low in _STOP:
        return False
    if len(before) == 1:
        return not any(word.startswith(low) for word in own)
    return not (listed_is_none and low in english_nats())
