"""What every claim's words must keep to, whoever wrote them: a model, a translator or a person.

A claim is one clause without any date, window or absolute word, so that a question template can put its own
window in front of it and so that true and made-up claims share one form (absolute words alone give away
made-up claims in published banks). The rules here are code; the prompts ask for the same things.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta

from factory.segments import TOKEN, TokenError, entity_refs, from_tokens, to_tokens
from schemas import AnonNode, AnonStatement, AnonTimeline, DateRef, Lang, SegmentText

CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WHOLE = re.compile(rf"{TOKEN.pattern}|\d+(?:[.,]\d+)+|(?:(?!{CJK.pattern})[^\W_])+")
"""What a quote does not cut: a token, a figure with its separators, a word of a script that is written with spaces."""

_MONTHS = (
    "January|February|March|April|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_NUMBER_EN = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|sixty|ninety|"
    r"(?:a )?few)"
)
_UNITS = r"(?:days?|weeks?|months?|quarters?|years?|hours?|fortnight)"
# Months are matched with their capital: residents may march, and an approval may come.
_TIME_EN = re.compile(
    rf"\b(?:{_MONTHS})\b|\bMay \d|\d May\b"
    r"|\b(?:in|by|until|since|before|after|early|late|mid) May\b"
    r"|(?i:\b(?:in|of|by|since|until|before|after|during|from|early|late|mid|year) (?:19|20|21)\d\d\b)"
    r"|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)"
    r"|(?i:\b(?:today|tonight|tomorrow|yesterday|soon|shortly|recently|currently|meanwhile|by now)\b)"
    rf"|(?i:\b(?:next|last|this|coming|following|previous) {_UNITS}\b)"
    rf"|(?i:\b(?:within|in|after) (?:the )?(?:next |coming |first |another )?{_NUMBER_EN} {_UNITS}\b)"
    rf"|(?i:\b{_NUMBER_EN} {_UNITS} (?:later|earlier|ago|from now)\b)"
    r"|(?i:\b(?:by|before|until|till|at|since) the (?:end|start|beginning|middle) of "
    r"(?:the |this |next )?(?:day|week|month|quarter|year)\b)"
    r"|(?i:\b(?:in|by|before|until|this|next|last|during) (?:the )?(?:spring|summer|autumn|winter)\b)"
)
_TIME_ZH = re.compile(
    r"\d{4}\s*年|[〇零一二三四五六七八九]{4}年"
    r"|\d{1,2}\s*月(?!饼)|(?<![个几])(?:十[一二]?|[一二三四五六七八九])月(?:[份底初末]|[上中下]旬|[一二三四五六七八九十]+日)"
    r"|\d{1,2}\s*日(?![均常])"
    r"|星期[一二三四五六日天]|(?<![一二三四五六七两每几])周[一二三四五六日天]"
    r"|今天|明天|昨天|今日|(?<!说)明日(?!期)|昨日|近日|日前|即将|目前|当前|不久|随后|届时"
    r"|(?:本|上个?|下个?)(?:周|月|季度)|(?:今|去|本)年|明年(?!度)|(?:月|年|季)[底初末](?!数)"
    r"|(?:\d+|[一二三四五六七八九十两几]+)\s*(?:天|周|个月|年|小时)(?:之内|以内|内|以后|之后|后)"
    r"|春季|夏季|秋季|冬季|年内"
)
_ABSOLUTE_EN = re.compile(
    r"\b(?:all|every|everyone|everybody|everything|always|never|none|nobody|nothing|entirely|completely|"
    r"totally|fully|wholly|permanent|permanently|immediate|immediately|instantly|absolutely|forever|"
    r"unprecedented|at once|no one)\b",
    re.IGNORECASE,
)
_ABSOLUTE_ZH = re.compile(
    r"全部|所有(?![权者人制])|一切|完全|永久|永远|从不|从未|立即|立刻|马上|彻底|一律|任何|毫无|(?<!拒)绝对|"
    r"全体(?!会议|大会)|史无前例|每一"
)
_SENTENCE_BREAK = re.compile(r"[.!?;]\s|[。！？；?!]")
_PUNCTUATION = re.compile(r"[\W_]+", re.UNICODE)


class ClauseError(ValueError):
    """A claim's words break a rule."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        """Short, the same words for the same cause."""
        self.detail = detail
        """The words or tokens at fault."""


def statements(node: AnonNode) -> tuple[AnonStatement, ...]:
    """The sentences of a node in reading order, facts before opinion; themes are not sentences."""
    return node.fact + (node.opinion.statements if node.opinion else ())


def known_refs(nodes: Iterable[AnonNode]) -> set[tuple[str, str]]:
    """The (class, label) pairs that occur in the nodes' sentences, in either language.

    Over the whole timeline: the references that exist. Over a context: those that its reader has met.
    """
    return {
        ref
        for node in nodes
        for statement in statements(node)
        for text in statement.text.values()
        for ref in entity_refs(text)
    }


def first_mentions(nodes: Iterable[AnonNode]) -> dict[tuple[str, str], date]:
    """The day of the first node that names each reference."""
    first: dict[tuple[str, str], date] = {}
    for node in nodes:
        for ref in known_refs([node]):
            first[ref] = min(first.get(ref, node.date), node.date)
    return first


def known_from(
    text: SegmentText, first: Mapping[tuple[str, str], date], *needed: date
) -> date | None:
    """The first cutoff at which a reader has met everyone whom the text names and has read the `needed` days.

    A context holds the days before its cutoff, so this is the day after the last of the first mentions and
    of the needed days; none when there are neither.
    """
    days = [*needed, *(first[ref] for ref in entity_refs(text))]
    return max(days) + timedelta(days=1) if days else None


def by_statement(timeline: AnonTimeline) -> dict[str, tuple[AnonNode, AnonStatement]]:
    """Each sentence of the timeline by its id, with its node."""
    return {s.statement_id: (node, s) for node in timeline.nodes for s in statements(node)}


def whole_words(quote: str, sentence: str) -> str:
    """A quote that stands in a sentence, widened to the words and tokens that it cuts at its ends.

    Where the quote occurs more than once, an occurrence that cuts nothing is meant.
    """
    first: str | None = None
    start = sentence.find(quote)
    while start >= 0:
        begin, stop = start, start + len(quote)
        for found in _WHOLE.finditer(sentence):
            if found.start() < start < found.end():
                begin = found.start()
            if found.start() < start + len(quote) < found.end():
                stop = found.end()
        if sentence[begin:stop] == quote:
            return quote
        first = first or sentence[begin:stop]
        start = sentence.find(quote, start + 1)
    return first or quote


def clause(
    text: str,
    lang: Lang,
    known: Collection[tuple[str, str]],
    *,
    before: Collection[tuple[str, str]] | None = None,
) -> SegmentText:
    """A claim's words as segments, tidied to the clause form that question templates expect.

    English begins in lower case unless a token, figure or acronym comes first; neither language ends with a
    full stop. `known` are the references of the timeline, `before` (when given) those that a reader of the
    context has met. Raises ClauseError with the reason when a rule is broken.
    """
    tidy = tidy_clause(text, lang)
    if not tidy:
        raise ClauseError("empty text")
    try:
        segments = from_tokens(tidy, known)
    except TokenError as error:
        raise ClauseError("unusable token", str(error)) from error
    if any(isinstance(segment, DateRef) for segment in segments):
        raise ClauseError("holds a date")
    words = TOKEN.sub(" ", tidy)
    if found := time_words(words, lang):
        raise ClauseError("holds a time expression", found)
    if found := absolute_words(words, lang):
        raise ClauseError("holds an absolute word", found)
    if _SENTENCE_BREAK.search(words):
        raise ClauseError("is not one clause")
    if lang == "en" and CJK.search(words):
        raise ClauseError("is not in English")
    if lang == "zh" and not CJK.search(words):
        raise ClauseError("is not in Chinese")
    if before is not None:
        unseen = sorted(set(entity_refs(segments)) - set(before))
        if unseen:
            names = ", ".join(f"{code}:{label}" for code, label in unseen)
            raise ClauseError("names someone not yet known", names)
    return segments


def tidy_clause(text: str, lang: Lang) -> str:
    """White space joined, outer quotes and the closing full stop removed, the English first letter lowered."""
    tidy = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    if len(tidy) > 1 and tidy[0] in '"“' and tidy[-1] in '"”' and not set(tidy[1:-1]) & set('"“”'):
        tidy = tidy[1:-1].strip()
    tidy = tidy.rstrip("。.；;，, ")
    # Names are tokens by now, so a capital is the start of a sentence; acronyms keep theirs.
    if lang == "en" and re.match(r"[A-Z](?=[a-z' ])", tidy):
        tidy = tidy[0].lower() + tidy[1:]
    return tidy


def time_words(words: str, lang: Lang) -> str:
    """The first date, window or calendar expression in plain words; empty when there is none."""
    match = (_TIME_EN if lang == "en" else _TIME_ZH).search(words)
    return match.group() if match else ""


def absolute_words(words: str, lang: Lang) -> str:
    """The first absolute word; empty when there is none."""
    match = (_ABSOLUTE_EN if lang == "en" else _ABSOLUTE_ZH).search(words)
    return match.group() if match else ""


def comparable(text: SegmentText) -> str:
    """Token text reduced to what counts when two texts are compared: NFKC, case folded, no punctuation."""
    return _PUNCTUATION.sub("", unicodedata.normalize("NFKC", to_tokens(text)).casefold())


def trigrams(text: SegmentText) -> frozenset[str]:
    """Character trigrams of a text as it is compared."""
    words = comparable(text)
    return frozenset(words[i : i + 3] for i in range(max(1, len(words) - 2)))


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Jaccard similarity of two texts' trigrams, 0 to 1; only within one language."""
    return len(left & right) / len(left | right)
