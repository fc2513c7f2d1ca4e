"""A person's name as a text writes it around the forms of the table: middle names, initials, Jr., the family's plural.

"Donald J. Kestrin" is one reference although the table knows "Donald Kestrin" alone; replacing its two halves would
leave "Person A J. Person A". Where the text may mean somebody else (other initials than the table's, an initial of
no known name, a Jr. that no name has), the words that stay are a doubt. A plural with its article is the family, which
is more than one person: "the Person A family".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from factory.anonymise.called import PLURAL, TITLES
from factory.anonymise.expand import has_cjk
from factory.anonymise.expand_en import name_words, surname_start
from factory.anonymise.match import APOSTROPHES, Hit, Matcher, fold
from factory.anonymise.ordinary_places import OPENS, why_ordinary
from schemas import Entity
from sources.sentences import LETTERED

OTHER_MIDDLE = "another middle name than the table's"
OTHER_GIVEN = "an initial that no name of the table has"
OTHER_SUFFIX = "may tell this person from another of that name"
_INITIALS = re.compile(r"[A-Z]\.?(?:-?[A-Z]\.){0,2}")
_WORD = re.compile(r"[A-Z\u00c0-\u00de][^\W\d_]+(?:['’-][^\W\d_]+)*")
_TOKEN = re.compile(r"[^\s\"“‘(（\u3000-\u9fff\uff00-\uffef]+$")
_SUFFIX = re.compile(r",? (Jr|Sr|Junior|Senior|II|III|IV)(?![^\W_])(\.?)")
_SURNAME = re.compile(r" [A-Z]")
_DOTS = "·•・‧．"
_ZH_MIDDLE = re.compile(
    rf"[{_DOTS}](?:(?:[A-Z]\.?[{_DOTS}]?){{1,3}}|(?:[\u3400-\u9fff]{{1,6}}[{_DOTS}]){{1,2}})"
)
_COUNTED = re.compile(
    r"(?:^|[.!?。…\"“(]\s*|(?<![^\W_])(?:of|by|with|to|from|for|and|or|against|between|about|on|in|that|when|while|as|than|if|"
    r"but|because) )$"
)
"""Before a plural that no number and no other word counts out."""
_OF_A_KIND = re.compile(r" of (?:this|the|our) (?:world|time|age)")
_MOST_WORDS, _MOST_INITIALS, _BACK = 2, 3, 80
_TITLE_WORDS = frozenset(title.strip(".").lower() for title in TITLES)


@dataclass(frozen=True)
class Whole:
    """A name in a text, or words beside one that rules cannot settle."""

    start: int
    end: int
    hit: Hit
    """The form of the table that says whose name it is."""
    reason: str = ""
    """Why the words stay and wait for a person; empty when they are replaced."""
    before: str = ""
    """Words that the text lacks before the reference: The."""
    after: str = ""
    """Words that stand for the rest of the name behind the reference: family, a hyphen."""


class Persons:
    """What the given names of the table's persons say of their first and middle names and suffixes."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.first: dict[str, frozenset[str]] = {}
        self.middle: dict[str, frozenset[str]] = {}
        self.suffix: dict[str, frozenset[str]] = {}
        self.rule: dict[str, frozenset[str]] = {}
        """Folded forms that rules made."""
        for entity in entities:
            if entity.cls != "PER":
                continue
            given = [a.surface for a in entity.aliases if a.origin != "rule"]
            names = [name_words(name) for name in given if not has_cjk(name)]
            self.first[entity.entity_id] = frozenset(fold(words[0]) for words in names if words)
            self.middle[entity.entity_id] = frozenset(
                initials
                for words in names
                if words and (initials := _initials(words[1 : surname_start(words)]))
            )
            self.suffix[entity.entity_id] = frozenset(
                found[1] for name in given if (found := _SUFFIX.search(name)) is not None
            )
            self.rule[entity.entity_id] = frozenset(
                fold(a.surface) for a in entity.aliases if a.origin == "rule"
            )


@lru_cache(maxsize=4)
def _persons(matcher: Matcher) -> Persons:
    return Persons(matcher.entities.values())


def whole_names(text: str, hits: Sequence[Hit], matcher: Matcher) -> list[Whole]:
    """The hits of a text, those of persons with what belongs to the name around them, in order."""
    persons = _persons(matcher)
    found: list[Whole] = []
    for hit in hits:
        doubtful = matcher.ambiguous(hit, text)
        before: list[Whole] = []
        if any(owner not in persons.first for owner in hit.owners):
            reason = matcher.reason(hit) if doubtful else ""
            found.append(Whole(hit.start, hit.end, hit, reason))
            continue
        if doubtful:
            named = _told_by_first_name(text, hit, found, persons)
            if named is None:
                found.append(Whole(hit.start, _word_end(text, hit), hit, matcher.reason(hit)))
                continue
            whole = named
        else:
            whole = _family(text, hit, persons)
            if not whole.reason and not whole.after:
                whole, before = _with_middle(text, whole, found, persons)
        while found and found[-1].end > whole.start:
            found.pop()
        whole, beside = _with_suffix(text, whole, persons)
        found += [*before, whole, *beside]
    return found


def used_forms(texts: Iterable[str], matcher: Matcher, words: frozenset[str]) -> set[str]:
    """Folded forms that texts use by themselves, those of `words` only where nothing speaks for other words."""
    return {
        whole.hit.form
        for text in texts
        for whole in whole_names(text, matcher.find(text), matcher)
        if whole.hit.form not in words
        or not why_ordinary(text, whole.start, whole.end, words, place=False)
    }


def _told_by_first_name(
    text: str, hit: Hit, before: Sequence[Whole], persons: Persons
) -> Whole | None:
    """The whole name of the one person whose first name stands before a contested surname."""
    names = (
        _with_middle(
            text, Whole(hit.start, hit.end, hit._replace(owners=(owner,))), before, persons
        )
        for owner in hit.owners
    )
    told = [whole for whole, _ in names if whole.start < hit.start and not whole.reason]
    return told[0] if len(told) == 1 else None


def _word_end(text: str, hit: Hit) -> int:
    """Where the word ends that is formed from a name: a person is asked about Kestrinomics, not about Kestrin."""
    end = hit.start + len(hit.form)
    if end <= hit.end:
        return hit.end
    return end if fold(text[hit.start : end]) == hit.form else hit.end


def _initials(words: Iterable[str]) -> str:
    return "".join(
        "".join(re.findall("[A-Z]", word)) if _INITIALS.fullmatch(word) else word[:1].upper()
        for word in words
    )


def _with_middle(
    text: str, whole: Whole, before: Sequence[Whole], persons: Persons
) -> tuple[Whole, list[Whole]]:
    """The name from its first name on, and the words before it that may be another person's."""
    owner = whole.hit.owners[0]
    if has_cjk(text[whole.start : whole.end]):
        last = before[-1] if before else None
        same = last is not None and last.hit.owners == whole.hit.owners
        if same and last is not None and _ZH_MIDDLE.fullmatch(text, last.end, whole.start):
            return replace(whole, start=last.start), []
        return whole, []
    near = {each.start: each for each in before[-2 * (_MOST_WORDS + _MOST_INITIALS) :]}
    middle: list[str] = []
    at = whole.start
    while word := _word_before(text, at):
        start = at - 1 - len(word)
        other = near.get(start)
        own = other is not None and other.hit.owners == whole.hit.owners
        if middle and (own or fold(word) in persons.first[owner]):
            if _fits(_initials(middle), persons.middle[owner]):
                return replace(whole, start=start), []
            return replace(whole, start=start, reason=OTHER_MIDDLE), []
        if not _may_be_middle(word, middle, other is not None and not own):
            break
        middle.insert(0, word)
        at = start
    return whole, list(_strange(text, whole, middle, at))


def _word_before(text: str, at: int) -> str:
    """The word that ends one space before a place, without an opening quote or Chinese before it."""
    if at < 2 or text[at - 1] not in " \u00a0":
        return ""
    if not text[at - 2].isalpha() and text[at - 2] != ".":
        return ""
    start = max(text.rfind(" ", max(0, at - _BACK), at - 1) + 1, at - _BACK, 0)
    token = _TOKEN.search(text[start : at - 1])
    return token.group() if token else ""


def _may_be_middle(word: str, middle: Sequence[str], taken: bool) -> bool:
    """Whether one more word may stand between a first name and what follows it."""
    spelt = _INITIALS.fullmatch(word) is not None
    same = sum((_INITIALS.fullmatch(each) is not None) == spelt for each in middle)
    if spelt:
        return same < _MOST_INITIALS
    named = _WORD.fullmatch(word) is not None and word.lower() not in _TITLE_WORDS
    return named and not taken and same < _MOST_WORDS


def _fits(initials: str, known: frozenset[str]) -> bool:
    return not known or any(
        each.startswith(initials) or initials.startswith(each) for each in known
    )


def _strange(text: str, whole: Whole, middle: Sequence[str], at: int) -> Iterator[Whole]:
    """Initials before a surname that no name of the table explains: Joseph R. of Joe Kestrin."""
    if not middle or not _INITIALS.fullmatch(middle[-1]) or not middle[-1].endswith("."):
        return
    words: list[str] = []
    for word in reversed(middle):
        words.insert(0, word)
        if not _INITIALS.fullmatch(word):
            break
    noun = _word_before(text, at) if _INITIALS.fullmatch(words[0]) else words[0]
    if noun.lower() not in LETTERED:
        start = whole.start - len(" ".join(words)) - 1
        yield Whole(start, whole.start - 1, whole.hit, reason=OTHER_GIVEN)


def _with_suffix(text: str, whole: Whole, persons: Persons) -> tuple[Whole, list[Whole]]:
    """The name with a Jr. that belongs to it, and a Jr. that may be another person's."""
    found = _SUFFIX.match(text, whole.end)
    if (
        found is None
        or whole.reason
        or whole.after
        or (not found[2] and _SURNAME.match(text, found.end()))
    ):
        return whole, []
    if found[1] not in persons.suffix[whole.hit.owners[0]]:
        return whole, [Whole(found.start(1), found.end(), whole.hit, reason=OTHER_SUFFIX)]
    # The point of "met Kestrin Jr." ends the sentence, too.
    point = found[2] and re.match(r" [a-z]|[,;:'’)]", text[found.end() : found.end() + 2])
    return replace(whole, end=found.end() if point else found.end(1)), []


def _family(text: str, hit: Hit, persons: Persons) -> Whole:
    """A plural as the family, a word formed from the name with a hyphen; any other name as it is."""
    whole = Whole(hit.start, hit.end, hit)
    rules = persons.rule[hit.owners[0]]
    if hit.form not in rules:
        return whole
    if _word_end(text, hit) > hit.end:
        return replace(whole, after="-")
    article = hit.end - hit.start < len(hit.form) and hit.form.startswith("the ")
    if not article and not (hit.form.endswith("s") and f"the {hit.form}" in rules):
        return whole
    if _OF_A_KIND.match(text, hit.end):
        return replace(whole, reason=PLURAL)
    before = ""
    if not article:
        if not _COUNTED.search(text[max(0, hit.start - 12) : hit.start]):
            return replace(whole, reason=PLURAL)
        before = "The " if OPENS.search(text[max(0, hit.start - 6) : hit.start]) else "the "
    mark = text[hit.end : hit.end + 1]
    owns = mark and mark in f"'{APOSTROPHES}" and not text[hit.end + 1 : hit.end + 2].isalpha()
    end = hit.end + 1 if owns else hit.end
    return replace(whole, end=end, before=before, after=" family's" if owns else " family")
