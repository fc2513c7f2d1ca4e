"""Phase C, paragraph level: damage to the grammar around placeholders, seen by code.

A sentence is judged against its raw form, so that a writer's own slip is nobody's drift: a pattern counts only
where it occurs more often than in the raw text. The rules are the damage found in published anonymised
timelines: doubled placeholders, words cut by a name, glued figures, orphaned possessives, wrong articles and
measure words, brackets that no longer close.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.segments import CLASS_NAMES, render
from schemas import DateRef, EntityRef, Lang, Number, Plain, Segment, SegmentText

_JOINER = re.compile(r"\s*[（(·•/／、-]?\s*")
_PAIRS = (
    ("(", ")"),
    ("（", "）"),
    ("“", "”"),
    ("「", "」"),
    ("《", "》"),
    ("[", "]"),
    ("【", "】"),
)
_COUNTRY_WORDS = "内民会务际家防人籍歌旗债企产宝库语土界门道情体庆君王主有营"
"""Characters that make a word with 国 of their own: 美国国内 loses nothing, 在美国 cut after 美 does."""
_DOUBLED_COUNTRY = re.compile(rf"国(?![{_COUNTRY_WORDS}])")
_DATE_REST = {
    "en": re.compile(r"(?:st|nd|rd|th)\b"),
    "zh": re.compile(r"[日号](?=$|[，。、；！？）])"),
}
_ENDS_PHRASE = re.compile(r"$|[，。、；！？）]")
_PERSON_MEASURE = re.compile(r"[一两二三四五六七八九十几数多0-9]\s?(?:名|位)$")
_PEOPLE = frozenset({"PER", "GRP"})
_REPEATED = re.compile(r"\b([a-z]) \1\b|\b((?i:[a-z]{2,})) (?i:\2)\b")
"""A single letter repeated counts in small letters only: "Person A a week ago"."""
_ORPHANED = re.compile(r"(?:^|\s)['’]s\b")
_TWICE = re.compile(r"['’]s['’]s\b|['’]s ['’]")
_PUNCTUATION = re.compile(
    r"\s(?:[,;:!?]|\.(?![\w.]))|,,|;;|，，|、、|。。|；；|\(\s*\)|（\s*）|^\s*[,;:，、；：]"
)
_GAPS = re.compile(r"\S {2,}\S")
_ARTICLE = re.compile(r"(\ban?|(?:^|(?<=[.!?:] )|(?<=[\"“‘(]))An?) ([A-Za-z0-9][\w-]*)")
"""A capital A counts only where a sentence begins; elsewhere it is a placeholder's letter."""
_AN_BY_SOUND = re.compile(
    r"(?:[aeio]|u(?!n[ia]|s[aeiu]|ti|ber|rani|k\b)|hour|hono|heir|8|11(?!\d)|18(?!\d))", re.I
)
_A_BY_SOUND = re.compile(
    r"(?:eu|ewe|one\b|once\b|one-|ouija|unit|unio|univ|uniq|use|usu|uti)", re.I
)
_GLUED: dict[Lang, re.Pattern[str]] = {
    lang: re.compile(
        rf"(?:{'|'.join(re.escape(names[lang]) for names in CLASS_NAMES.values())}) ?[A-Z]{{1,2}}[0-9a-z]"
    )
    for lang in ("en", "zh")
}


def damage(raw: str, text: SegmentText, lang: Lang) -> list[str]:
    """What a reader of the anonymised sentence would stumble over, one short clause each; empty when nothing.

    `raw` is the sentence before anonymisation, `lang` the language of both.
    """
    found = dict.fromkeys([*_between(raw, text, lang), *_in_words(raw, render(text, lang), lang)])
    return list(found)


def _between(raw: str, text: SegmentText, lang: Lang) -> Iterator[str]:
    """Damage at the seams of segments."""
    for index, segment in enumerate(text):
        before = text[index - 1] if index else None
        after = text[index + 1] if index + 1 < len(text) else None
        if isinstance(segment, EntityRef):
            if _repeats(text, index):
                yield "a placeholder stands twice in a row"
            if _cuts(raw, before, after, lang):
                yield "a placeholder cuts a word"
            if lang == "zh" and segment.cls == "CTY" and _DOUBLED_COUNTRY.match(_words(after)):
                yield "a class word is doubled after a placeholder"
            if (
                lang == "zh"
                and segment.cls not in _PEOPLE
                and _PERSON_MEASURE.search(_words(before))
                and _ENDS_PHRASE.match(_words(after))
            ):
                yield "a measure word for people stands before a placeholder that is none"
        elif isinstance(segment, DateRef):
            if isinstance(before, Number) or _words(before)[-1:].isdigit():
                yield "a figure is glued to a date"
            if _DATE_REST[lang].match(_words(after)):
                yield "a rest of a date stands behind it"


def _words(segment: Segment | None) -> str:
    return segment.text if isinstance(segment, Plain | Number) else ""


def _repeats(text: SegmentText, index: int) -> bool:
    """Whether the reference at `index` repeats the one before it with nothing but a joiner between."""
    if index >= 1 and text[index - 1] == text[index]:
        return True
    return (
        index >= 2
        and text[index - 2] == text[index]
        and _JOINER.fullmatch(_words(text[index - 1])) is not None
    )


def _cuts(raw: str, before: Segment | None, after: Segment | None, lang: Lang) -> bool:
    """Whether a Latin word goes on at an edge of a name.

    In English a name never touches a letter. In Chinese it may (苹果CEO), if that Latin word stood by itself in
    the raw sentence.
    """
    left = re.search(r"[A-Za-z]+$", _words(before))
    right = re.match(r"[A-Za-z]+", _words(after))
    if lang == "en":
        return left is not None or right is not None
    return (left is not None and not _alone(raw, left.group())) or (
        right is not None and not _alone(raw, right.group())
    )


def _alone(raw: str, word: str) -> bool:
    return re.search(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", raw) is not None


def _in_words(raw: str, shown: str, lang: Lang) -> Iterator[str]:
    """Damage in the rendered sentence that the raw one does not have."""
    for pattern, problem in (
        (_REPEATED, "a word stands twice in a row"),
        (_ORPHANED, "a possessive lost its name"),
        (_TWICE, "a possessive is doubled"),
        (_PUNCTUATION, "punctuation lost the words before it"),
        (_GAPS, "a gap is left between words"),
        (_GLUED[lang], "letters or figures are glued to a placeholder"),
    ):
        if len(pattern.findall(shown)) > len(pattern.findall(raw)):
            yield problem
    for opening, closing in _PAIRS:
        if shown.count(opening) - shown.count(closing) != raw.count(opening) - raw.count(closing):
            yield f"the brackets or quotes {opening}{closing} no longer pair"
    if lang == "en":
        yield from _articles(raw, shown)


def _articles(raw: str, shown: str) -> Iterator[str]:
    written = {(a.lower(), word.lower()) for a, word in _ARTICLE.findall(raw)}
    for article, word in _ARTICLE.findall(shown):
        if (article.lower(), word.lower()) in written or len(word) == 1 or word.isupper():
            # A letter or an acronym is spelled out when it is read: its sound is not in its spelling.
            continue
        vowel = _AN_BY_SOUND.match(word) is not None and _A_BY_SOUND.match(word) is None
        if vowel != (article.lower() == "an"):
            yield f"the article of {article} {word!r} is wrong"
