"""How a claim is asked: bilingual question texts with one explicit window, both days included and said so.

A claim is a clause without a date: in English it opens in lower case unless with a name ("⟦GOV:A⟧ approves the
plan"), in Chinese it is a full clause. Phrasings come in pairs, one an edition, so that both editions of a
question ask alike; the twin of a question uses the same one.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from factory.segments import MONTHS, render
from schemas import DateRef, Lang, Plain, Segment, SegmentText

FIRST, LAST = "{first}", "{last}"

QUESTIONS: tuple[dict[Lang, str], ...] = (
    {
        "en": "Will the following happen between {first} and {last}, both days included: {clause}?",
        "zh": "以下情况是否会在{first}至{last}（含首尾两日）发生：{clause}？",
    },
    {
        "en": "What is the probability that, from {first} to {last}, both days included, {clause}?",
        "zh": "从{first}到{last}（含首尾两日），以下情况发生的概率有多大：{clause}？",
    },
    {
        "en": "Consider the period from {first} to {last}, both days included. How likely is it that within this period {clause}?",
        "zh": "请考虑{first}至{last}这段时间（含首尾两日）。在此期间，以下情况发生的可能性有多大：{clause}？",
    },
    {
        "en": "How likely is it that, between {first} and {last}, both days included, {clause}?",
        "zh": "在{first}至{last}（含首尾两日）之间，发生以下情况的可能性有多大：{clause}？",
    },
)
"""Probability questions. Each names the first and the last day once and says that both count.

None states the clause as a sentence of its own, and in Chinese the clause follows a colon: a clause with commas
before 的可能性 would leave only its last part in question.
"""

EVENTS: tuple[dict[Lang, str], ...] = (
    {
        "en": "On which day will the following first happen: {clause}?",
        "zh": "以下情况最早会在哪一天发生：{clause}？",
    },
    {
        "en": "Name the first day on which the following happens: {clause}.",
        "zh": "请指出以下情况最早发生的日期：{clause}。",
    },
    {
        "en": "What is the date on which the following first happens: {clause}?",
        "zh": "以下情况最早于何日发生：{clause}？",
    },
)
"""Temporal questions. They name no date and say nothing of an order."""

BOTH_INCLUDED: dict[Lang, str] = {"en": "both days included", "zh": "含首尾两日"}
"""Words by which each edition says that both days count."""

_END = " \t\n.。!！?？;；,，:："
_SLOT = re.compile(r"\{(?:clause|first|last)\}")
_OPENERS = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those some several many most more few fewer no both each every all "
        "another at on in by of for from after before during within under over up with without public "
        "people residents it its they their there one two three four five six seven eight nine ten",
    )
)
"""English words that open a clause in lower case; any other capital may be a name and stays."""

_EN_DAY = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})\b")
_ZH_DAY = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")
_ISO_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


def question_text(clause: SegmentText, first: date, last: date, lang: Lang, variant: int) -> str:
    """A probability question over [first, last] in one edition."""
    return _fill(QUESTIONS[variant % len(QUESTIONS)][lang], clause, lang, first, last)


def event_text(clause: SegmentText, lang: Lang, variant: int) -> str:
    """A temporal question in one edition."""
    return _fill(EVENTS[variant % len(EVENTS)][lang], clause, lang, None, None)


def _fill(
    template: str, clause: SegmentText, lang: Lang, first: date | None, last: date | None
) -> str:
    parts: list[Segment] = []
    position = 0
    for slot in _SLOT.finditer(template):
        if slot.start() > position:
            parts.append(Plain(text=template[position : slot.start()]))
        if slot.group() in (FIRST, LAST):
            day = first if slot.group() == FIRST else last
            if day is None:
                raise ValueError("a template with a window needs both its days")
            parts.append(DateRef(start=day, end=day, precision="day"))
        else:
            parts += fit_clause(clause, lang)
        position = slot.end()
    if position < len(template):
        parts.append(Plain(text=template[position:]))
    return render(tuple(parts), lang)


def fit_clause(clause: SegmentText, lang: Lang) -> list[Segment]:
    """The clause without its own end mark.

    An ordinary English opening word is put in lower case; a capital of any other word may belong to a name.
    """
    parts = list(clause)
    while parts and isinstance(parts[-1], Plain):
        text = parts[-1].text.rstrip(_END)
        if text:
            parts[-1] = Plain(text=text)
            break
        parts.pop()
    while parts and isinstance(parts[0], Plain):
        text = parts[0].text.lstrip()
        if text:
            parts[0] = Plain(text=_first_letter(text) if lang == "en" else text)
            break
        parts.pop(0)
    return parts


def _first_letter(text: str) -> str:
    word = re.match(r"[A-Za-z]+", text)
    if word is not None and word.group().lower() in _OPENERS:
        return text[0].lower() + text[1:]
    return text


def dates_in(text: str, lang: Lang) -> list[date]:
    """Full days that a rendered text names, in order; a day that no calendar has is left out."""
    found: list[tuple[int, date]] = []
    for match in _EN_DAY.finditer(text) if lang == "en" else _ZH_DAY.finditer(text):
        a, b, c = match.groups()
        year, month, day = (
            (int(c), MONTHS.index(b) + 1, int(a)) if lang == "en" else (int(a), int(b), int(c))
        )
        found += _day(match.start(), year, month, day)
    for match in _ISO_DAY.finditer(text):
        found += _day(match.start(), *(int(part) for part in match.groups()))
    return [day for _, day in sorted(found)]


def _day(position: int, year: int, month: int, day: int) -> list[tuple[int, date]]:
    try:
        return [(position, date(year, month, day))]
    except ValueError:
        return []


def normal(text: str) -> str:
    """Text for comparison: NFKC, case folded, punctuation and spaces removed."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(ch for ch in folded if unicodedata.category(ch)[0] in "LN")
