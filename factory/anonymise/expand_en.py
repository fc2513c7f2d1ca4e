"""Forms of a name in Latin letters: surnames, initials, joined words, short forms of bodies, adjectives of places.

Rules add what a reader would take for the same entity; whether a form may be used is decided with all other names
and the texts in view (see `table`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TITLES = re.compile(
    r"^(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Dame|Lord|Lady|Judge|Justice|Mayor|Councillor|Councilor|Cllr|Captain|Capt|Chair|Chairman|Chairwoman|Director|Minister|President|Professor|Commissioner|Secretary|Governor|Senator|Inspector|Chief|Deputy|Engineer|Father|Sister|Reverend|Rev)\.? )+"
)
_SUFFIX = re.compile(r",? (?:Jr|Sr|Junior|Senior|II|III|IV|MD|PhD|MP|QC|KC)\.?$")
_PARTICLES = frozenset(
    re.findall(
        r"\w+",
        "van von der den de del della di da das dos du la le el al bin ibn ben bint abu ter ten te op zu zum zur vom af av y",
    )
)
_JOINS = frozenset({"y"})
"""Between the two parts of a surname: Ortega y Gasset."""
_ARTICLED = re.compile(
    r"(?:a[lsdnrtz]|ash|el|ul)[-’'](?=[A-Z])|(?:[dlDL]|dell|'t|’t)[-’' ](?=[A-Z])"
)
"""An article that is written together with a surname: al-Assad, d'Estaing."""
_INITIALS = re.compile(r"(?:[A-Z]\.)+|[A-Z]")
_INITIALS_SPELT = ((".", " "), (".", ""), ("", ""), ("", " "))
"""What stands after each initial, and between two."""
_LAST_INITIALS = re.compile(r"(?:,? [A-Z]\.)+$")
_ORG_TAIL = re.compile(
    r",? (?:Inc|Ltd|Limited|LLC|LLP|PLC|plc|Corp|Corporation|Co|Company|Group|Holdings|GmbH|AG|SA|SE|NV|BV|Pty|Bhd)\.?$"
)
_SMALL = frozenset({"of", "the", "and", "for", "in", "on", "at", "to", "de", "la", "&"})
_PEOPLES: dict[str, tuple[str, ...]] = {
    "China": ("Chinese",), "France": ("French",), "Germany": ("German",), "Britain": ("British", "Briton"),
    "United Kingdom": ("British", "Briton", "UK"), "Spain": ("Spanish", "Spaniard"), "Japan": ("Japanese",),
    "Netherlands": ("Dutch",), "Switzerland": ("Swiss",), "Denmark": ("Danish", "Dane"), "Sweden": ("Swedish", "Swede"),
    "Norway": ("Norwegian",), "Finland": ("Finnish", "Finn"), "Poland": ("Polish", "Pole"), "Turkey": ("Turkish", "Turk"),
    "Greece": ("Greek",), "Portugal": ("Portuguese",), "Ireland": ("Irish",), "Scotland": ("Scottish",), "Wales": ("Welsh",),
    "England": ("English",), "Israel": ("Israeli",), "Iraq": ("Iraqi",), "Pakistan": ("Pakistani",), "Taiwan": ("Taiwanese",),
    "Vietnam": ("Vietnamese",), "Thailand": ("Thai",), "Philippines": ("Philippine", "Filipino"), "Ukraine": ("Ukrainian",),
    "Canada": ("Canadian",), "Mexico": ("Mexican",), "Brazil": ("Brazilian",), "Egypt": ("Egyptian",), "Iran": ("Iranian",),
    "United States": ("American", "US", "USA", "U.S.", "U.S.A."), "Lebanon": ("Lebanese",), "Hungary": ("Hungarian",),
    "Czech Republic": ("Czech",), "New Zealand": ("New Zealander",), "Hong Kong": ("Hongkonger",),
}  # fmt: skip


def _proper(words: list[str]) -> bool:
    return all(
        word[:1].isupper() or word.lower() in _PARTICLES or _ARTICLED.match(word) for word in words
    )


def name_words(name: str) -> list[str]:
    """The words of a person's name without titles, suffixes and initials behind it; empty when they are no name."""
    bare = _LAST_INITIALS.sub("", _SUFFIX.sub("", _TITLES.sub("", name)))
    words = bare.split()
    if len(words) < 2 or not _proper(words) or words[-1].lower() in _PARTICLES:
        return []
    return words


def without_article(surname: str) -> str:
    """A surname without the article that is written together with it: Assad of al-Assad."""
    return _ARTICLED.sub("", surname, count=1) if _ARTICLED.match(surname) else surname


def surname_start(words: list[str]) -> int:
    """Index of the first word of a surname that stands last: its particles and what y joins belong to it."""
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 2 if words[start - 1].lower() in _JOINS and start > 2 else 1
    return start


def person(name: str) -> Iterator[str]:
    """Short forms of a person's name: the name without title, surname, initials, the reversed form."""
    words = name_words(name)
    if not words:
        return
    start = surname_start(words)
    last = " ".join(words[start:])
    first = words[0]
    yield " ".join(words)
    yield last
    yield words[-1]
    if _ARTICLED.match(words[-1]):
        yield without_article(words[-1])
        yield words[-1][:1].upper() + words[-1][1:]
        yield words[-1].replace("-", " ")
    if start >= 2 and len(words[start - 1]) > 2:  # a surname of two words: Peña Nieto
        yield " ".join(words[start - 1 :])
    yield from plural(words[-1])
    yield f"{first} {last}"
    yield f"{first[0]}. {last}"
    yield f"{first[0]} {last}"
    yield f"{last} {first}"
    if len(words) > 2:
        yield f"{first[0]}. {' '.join(words[1:])}"
        yield f"{first[0]} {' '.join(words[1:])}"
    yield from _other_initials(words)
    given = words[:start]
    for after_each, between in _INITIALS_SPELT:
        yield between.join(f"{word[0]}{after_each}" for word in given) + f" {last}"
    yield f"{last}, {first}"
    yield f"{last}, {first[0]}."


def _other_initials(words: list[str]) -> Iterator[str]:
    """Initials before a name in their other spellings: A. P. J., A.P.J., APJ, A P J."""
    initials = 0
    while initials < len(words) - 1 and _INITIALS.fullmatch(words[initials]):
        initials += 1
    letters = [char for word in words[:initials] for char in word if char.isalpha()]
    rest = " ".join(words[initials:])
    if letters:
        for after_each, between in _INITIALS_SPELT:
            yield between.join(f"{char}{after_each}" for char in letters) + f" {rest}"


def body(name: str) -> Iterator[str]:
    """A body's name without its legal form or its article, and with & for and."""
    bare = _ORG_TAIL.sub("", name)
    while bare != name and len(bare) >= 3:
        yield bare
        name, bare = bare, _ORG_TAIL.sub("", bare)
    if name.lower().startswith("the ") and len(name) > 7:
        yield name[4:]
    for one, other in ((" and ", " & "), (" & ", " and ")):
        if one in name:
            yield name.replace(one, other)


def people_of(name: str) -> Iterator[str]:
    """Adjectives and names of a country's or place's people: a list for known ones, endings for the others."""
    bare = name[4:] if name.lower().startswith("the ") else name
    if bare in _PEOPLES:
        for word in _PEOPLES[bare]:
            yield word
            if word[-1] not in "shS." and len(word) > 3:
                yield word + "s"
        return
    if " " in bare:
        last = bare.split(" ")[-1]
        if last.isalpha() and last[0].isupper() and len(last) >= 4 and last[-1] not in "eiosuyS":
            people = bare + ("n" if last[-1] == "a" else "er")
            yield people
            yield people + "s"
        return
    if len(bare) < 5 or not bare.isalpha() or not bare[0].isupper():
        return
    stems: tuple[str, ...]
    if bare.endswith("ia"):
        stems = (bare + "n",)
    elif bare.endswith("land"):
        stems = (bare + "er", bare + "ic")
    elif bare.endswith("a"):
        stems = (bare + "n",)
    elif bare[-1] in "eiouy":
        stems = (bare + "an", bare[:-1] + "ian", bare + "ese")
    else:
        stems = (bare + "er", bare + "ian", bare + "ese", bare + "ite")
    for stem in stems:
        yield stem
        if not stem.endswith("ese"):
            yield stem + "s"


def hyphened(name: str) -> Iterator[str]:
    """A place's words with hyphens between them, as they stand before a noun: New-York."""
    words = name.split(" ")
    if 2 <= len(words) <= 3 and _proper(words):
        yield "-".join(words)


def joined(name: str) -> Iterator[str]:
    """The words of a name run together, as tags and addresses write them."""
    words = re.findall(r"[^\W_]+", name)
    if len(words) >= 2:
        yield "".join(word[:1].upper() + word[1:] for word in words)
        yield "_".join(words)
        if "-" in name:
            yield name.replace("-", " ")


def model_number(name: str) -> Iterator[str]:
    """Spellings of a model number (H100, H-100, H 100) and the number alone when it holds letters and figures."""
    for found in re.finditer(
        r"(?<![A-Za-z0-9])([A-Za-z]+)([ -]?)(\d+[A-Za-z]*)(?![A-Za-z0-9])", name
    ):
        for gap in ("", "-", " "):
            yield name[: found.start(2)] + gap + name[found.start(3) :]
    for word in name.split():
        if len(word) >= 3 and re.search(r"\d", word) and re.search(r"[A-Z]", word):
            yield word


def tag(name: str) -> Iterator[str]:
    """The words inside a handle, tag, ticker or web domain."""
    if name[:1] in "@#" and len(name) >= 4:
        bare = name.strip("@#")
        if len(bare) >= 3:
            yield bare
        parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)
        if name[0] == "#" and " " in parted:
            yield parted
    ticker = re.fullmatch(r"(?:\$|[A-Z]{2,8}: ?)([A-Z]{2,6})", name)
    if ticker:
        yield ticker.group(1)
        yield f"${ticker.group(1)}"
    domain = re.fullmatch(r"(?:https?://)?(?:www\.)?((?:[\w-]+\.)*([\w-]{4,})\.[a-z]{2,})/?", name)
    if domain:
        yield domain.group(1)
        yield domain.group(2)


def plural(name: str) -> Iterator[str]:
    """The plain plural of a name; names in s take es only as a person's family."""
    last = name[-1:]
    if last.isascii() and last.isalpha() and len(name) >= 4 and last not in "sS":
        yield name + "s"


def initials(name: str) -> str:
    """Capital initials of a name's main words: Harbour Workers Union gives HWU."""
    return "".join(
        word[0].upper()
        for word in re.findall(r"[^\W\d_](?:[^\W\d_]|['’])*", name)
        if word.lower() not in _SMALL
    )
