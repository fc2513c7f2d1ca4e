"""What the table covers: names hit and never hit, and names by shape that nothing explains, with their contexts.

Two uses. The report of an event and edition, whose unexplained names a person looks at; and the passages of the
corpus, whose own names the table of the timeline does not know: there every name by shape is blanked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from factory.anonymise.expand import has_cjk
from factory.anonymise.match import Matcher, fold, on_edges
from factory.anonymise.name_shapes import Shape, Stray, strays
from factory.anonymise.ordinary import Vocabulary
from factory.anonymise.segments import join, plain_words
from schemas import Lang, Number, Plain, ReplacementTable, Segment, SegmentText

BLANK: dict[Lang, str] = {"en": "[name]", "zh": "[名称]"}
"""What stands for a name of a passage that no table knows."""
MOST_BLANK = 0.3
"""A passage of which a larger share would be blanked says too little to be kept."""
CONTEXTS = 3
_AROUND = 40


@dataclass(frozen=True)
class Unexplained:
    """Words by shape a name, in no table."""

    words: str
    shape: Shape
    count: int
    contexts: tuple[str, ...]
    """Up to three, 40 characters to each side; a bar stands for a reference."""


@dataclass(frozen=True)
class NameCoverage:
    """How well the table covers one edition."""

    lang: Lang
    aliases: int
    """Names of this edition's script that someone gave."""
    hit: int
    """Of those, found in the raw texts."""
    zero_hit: tuple[str, ...]
    """Of those, never found: a spelling that nobody uses, or material in the other language."""
    rule_aliases: int
    """Forms made by rule."""
    rule_hit: int
    """Of those, found in the raw texts."""
    unexplained: tuple[Unexplained, ...]
    """Names by shape in the anonymised texts, most frequent first."""


def contexts(texts: Iterable[str], words: str, limit: int = CONTEXTS) -> tuple[str, ...]:
    """Where words stand free in texts: up to `limit` stretches with 40 characters to each side."""
    key = fold(words)
    found: list[str] = []
    for text in texts:
        folded = fold(text)
        at = folded.find(key)
        while at >= 0 and len(found) < limit:
            if on_edges(text, at, at + len(key)):
                found.append(surroundings(text, at, at + len(key)))
            at = folded.find(key, at + 1)
        if len(found) >= limit:
            break
    return tuple(found)


def surroundings(text: str, start: int, end: int) -> str:
    """The line around a stretch, up to 40 characters to each side, cut between words; a cut shows as an ellipsis."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    left, right = max(first, start - _AROUND), min(last, end + _AROUND)
    while first < left < start and _inside_word(text, left):
        left += 1
    while end < right < last and _inside_word(text, right):
        right -= 1
    stretch = " ".join(text[left:right].replace("\x1f", "|").split())
    return f"{'…' if left > first else ''}{stretch}{'…' if right < last else ''}"


def _inside_word(text: str, at: int) -> bool:
    """Whether a cut before `at` parts a word; between Chinese characters every place is as good."""
    return all(c.isalnum() and not has_cjk(c) for c in text[at - 1 : at + 1])


def unexplained(
    texts: Iterable[SegmentText], lang: Lang, vocabulary: Vocabulary
) -> tuple[Unexplained, ...]:
    """Names by shape in the plain words of anonymised texts, with counts, most frequent first."""
    counts: Counter[tuple[str, Shape]] = Counter()
    around: dict[tuple[str, Shape], list[str]] = {}
    for text in texts:
        words = plain_words(text)
        for stray in strays(words, lang, vocabulary):
            key = (stray.words, stray.shape)
            counts[key] += 1
            if len(around.setdefault(key, [])) < CONTEXTS:
                around[key].append(surroundings(words, stray.start, stray.end))
    order = sorted(counts, key=lambda key: (-counts[key], key))
    return tuple(Unexplained(*key, counts[key], tuple(around[key])) for key in order)


def coverage(
    table: ReplacementTable,
    matcher: Matcher,
    raw: Iterable[str],
    shown: Mapping[Lang, Iterable[SegmentText]],
) -> list[NameCoverage]:
    """One report an edition of `shown` (anonymised texts), in the order en, zh.

    `raw` are the raw texts in which names count as hit: the timeline, and the documents for names of the other
    language.
    """
    corpus = list(raw)
    hits = {hit.form for text in corpus for hit in matcher.find(text)}
    vocabulary = Vocabulary.of(corpus)
    reports = []
    for lang in sorted(shown):
        given: dict[str, str] = {}
        made: set[str] = set()
        for entity in table.entities:
            for alias in entity.aliases:
                if has_cjk(alias.surface) != (lang == "zh"):
                    continue
                if alias.origin == "rule":
                    made.add(fold(alias.surface))
                else:
                    given.setdefault(fold(alias.surface), alias.surface)
        made -= given.keys()
        reports.append(
            NameCoverage(
                lang=lang,
                aliases=len(given),
                hit=len(given.keys() & hits),
                zero_hit=tuple(sorted(given[key] for key in given.keys() - hits)),
                rule_aliases=len(made),
                rule_hit=len(made & hits),
                unexplained=unexplained(shown[lang], lang, vocabulary),
            )
        )
    return reports


@dataclass(frozen=True)
class Blanked:
    """A text whose unknown names are blanked."""

    text: SegmentText
    names: tuple[str, ...]
    """What was blanked, as written."""
    share: float
    """Share of the plain characters that was blanked."""

    @property
    def usable(self) -> bool:
        """Whether enough words are left."""
        return self.share <= MOST_BLANK


def blank_names(text: SegmentText, lang: Lang, vocabulary: Vocabulary) -> Blanked:
    """Blank every name by shape of an anonymised text; quoted speech stays, references and dates stay.

    Apply to passages after phase A: what the table knows is a reference by then.
    """
    letters = sum(char.isalnum() for char in plain_words(text))
    names: list[str] = []
    # A name that was glued to a blanked one shows only then.
    while found := _unknown(text, lang, vocabulary):
        names += [stray.words for stray in found]
        text = _without(text, found, lang)
    blanked = sum(len(name) for name in names)
    return Blanked(text, tuple(names), min(1.0, blanked / max(1, letters)))


def _unknown(text: SegmentText, lang: Lang, vocabulary: Vocabulary) -> list[Stray]:
    found = strays(plain_words(text), lang, vocabulary)
    blank = BLANK[lang]
    return [stray for stray in found if stray.shape != "quoted" and blank not in stray.words]


def _without(text: SegmentText, found: list[Stray], lang: Lang) -> SegmentText:
    out: list[Segment | None] = []
    position, pending = 0, found
    for segment in text:
        if not isinstance(segment, Plain | Number):
            out.append(segment)
            position += 1
            continue
        end = position + len(segment.text)
        out += _cut(segment, position, pending, lang)
        pending = [stray for stray in pending if stray.end > end]
        position = end
    return join(out)


def _cut(
    segment: Plain | Number, start: int, pending: Iterable[Stray], lang: Lang
) -> list[Segment | None]:
    """A segment that begins at `start`, without the strays that touch it; each blank stands where its name began."""
    pieces: list[Segment | None] = []
    at, end = start, start + len(segment.text)
    touched = [stray for stray in pending if stray.start < end and start < stray.end]
    if not touched:
        return [segment]
    for stray in touched:
        if stray.start > at:
            pieces.append(Plain(text=segment.text[at - start : stray.start - start]))
        if stray.start >= start:
            pieces.append(Plain(text=BLANK[lang]))
        at = min(stray.end, end)
    if at < end:
        pieces.append(Plain(text=segment.text[at - start :]))
    return pieces
