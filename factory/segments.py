"""Anonymised text: from segments to words, to the opaque tokens that prompts show, and back.

A token is `⟦PER:AB⟧` for an entity and `⟦D:2031-04-05⟧`, `⟦D:2031-04-05/2031-04-09⟧` or `⟦M:2031-04⟧` … for
a date. Numbers stay digits in prompts and are recognised again when an answer is parsed. Both editions are
rendered from the same references, never translated as words (the class map is closed).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import date, timedelta

from schemas import AnonNode, DateRef, EntityRef, Lang, Number, Plain, Segment, SegmentText

CLASS_NAMES: dict[str, dict[Lang, str]] = {
    "PER": {"en": "Person", "zh": "人物"},
    "ORG": {"en": "Organisation", "zh": "组织"},
    "GOV": {"en": "Authority", "zh": "机关"},
    "COM": {"en": "Company", "zh": "公司"},
    "PLC": {"en": "Place", "zh": "地点"},
    "CTY": {"en": "Country", "zh": "国家"},
    "MED": {"en": "Media", "zh": "媒体"},
    "PLT": {"en": "Platform", "zh": "平台"},
    "PRD": {"en": "Product", "zh": "产品"},
    "GRP": {"en": "Group", "zh": "团体"},
    "DOC": {"en": "Document", "zh": "文件"},
    "EVT": {"en": "Event", "zh": "事件"},
}
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
SEASONS: dict[Lang, tuple[str, str, str, str]] = {
    "en": ("spring", "summer", "autumn", "winter"),
    "zh": ("春季", "夏季", "秋季", "冬季"),
}
WEEKDAYS: dict[Lang, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}
_DATE_CODES = {
    "day": "D",
    "range": "D",
    "month": "M",
    "quarter": "Q",
    "season": "S",
    "part_of_month": "P",
    "year": "Y",
}
TOKEN = re.compile(r"⟦([^⟦⟧]*)⟧")
NUMBER = re.compile(
    r"(?<![A-Za-z0-9.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:\s?(?:%|‰|万|亿|million|billion|thousand))?"
    r"|(?<![A-Za-z0-9.,])\d+(?:\.\d+)?(?:\s?(?:%|‰|万|亿|million|billion|thousand))?"
)
_SCALE = {
    "万": 1e4,
    "亿": 1e8,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "%": 0.01,
    "‰": 0.001,
}


class TokenError(ValueError):
    """A text holds a token that is malformed or unknown."""


def number_value(text: str) -> float:
    """Value of a figure as written: `1.2万` is 12000, `4 million` is 4000000, `12.5%` is 0.125."""
    match = re.match(r"([\d,]+(?:\.\d+)?)\s?(\D*)$", text)
    if match is None:
        raise TokenError(f"not a number: {text!r}")
    return round(
        float(match.group(1).replace(",", "")) * _SCALE.get(match.group(2).strip(), 1.0), 9
    )


def split_numbers(text: str) -> list[Segment]:
    """Plain words and figures, in order; joined they give the text back."""
    segments: list[Segment] = []
    position = 0
    for match in NUMBER.finditer(text):
        if match.start() > position:
            segments.append(Plain(text=text[position : match.start()]))
        segments.append(Number(text=match.group(), value=number_value(match.group())))
        position = match.end()
    if position < len(text):
        segments.append(Plain(text=text[position:]))
    return segments


def date_token(ref: DateRef) -> str:
    """The token of a date reference."""
    code = _DATE_CODES[ref.precision]
    if ref.precision == "year":
        body = f"{ref.start:%Y}"
    elif ref.precision == "month":
        body = f"{ref.start:%Y-%m}"
    elif ref.precision == "day":
        body = ref.start.isoformat()
    else:
        body = f"{ref.start.isoformat()}/{ref.end.isoformat()}"
    style = "" if ref.style == "full" else f"|{ref.style}"
    return f"⟦{code}:{body}{style}⟧"


def _month_end(start: date) -> date:
    return (start.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def parse_date_token(body: str) -> DateRef:
    """The reference behind a date token's body, for example `D:2031-04-05`; TokenError when malformed."""
    code, _, rest = body.partition(":")
    value, _, style = rest.partition("|")
    style = style or "full"
    try:
        if code == "Y":
            year = int(value)
            return DateRef(
                start=date(year, 1, 1), end=date(year, 12, 31), precision="year", style=style
            )
        if code == "M":
            start = date.fromisoformat(value + "-01")
            return DateRef(start=start, end=_month_end(start), precision="month", style=style)
        first, _, last = value.partition("/")
        start, end = date.fromisoformat(first), date.fromisoformat(last or first)
        if code == "D":
            return DateRef(start=start, end=end, precision="range" if last else "day", style=style)
        precision = {"Q": "quarter", "S": "season", "P": "part_of_month"}[code]
        return DateRef.model_validate(
            {"start": start, "end": end, "precision": precision, "style": style}
        )
    except (ValueError, KeyError) as error:
        raise TokenError(f"malformed date token ⟦{body}⟧") from error


def to_tokens(text: SegmentText) -> str:
    """The text as prompts show it."""
    parts = []
    for segment in text:
        if isinstance(segment, EntityRef):
            parts.append(f"⟦{segment.cls}:{segment.label}⟧")
        elif isinstance(segment, DateRef):
            parts.append(date_token(segment))
        else:
            parts.append(segment.text)
    return "".join(parts)


def from_tokens(text: str, known: Collection[tuple[str, str]] | None = None) -> SegmentText:
    """Parse a token text; `known` are the allowed (class, label) pairs.

    Raises TokenError for a malformed token, an unknown reference or an unbalanced bracket.
    """
    segments: list[Segment] = []
    position = 0
    for match in TOKEN.finditer(text):
        segments += _plain(text[position : match.start()])
        body = match.group(1)
        code, _, label = body.partition(":")
        if code in CLASS_NAMES:
            if re.fullmatch(r"[A-Z]{1,2}", label) is None:
                raise TokenError(f"malformed token ⟦{body}⟧")
            if known is not None and (code, label) not in known:
                raise TokenError(f"unknown reference ⟦{body}⟧")
            segments.append(EntityRef.model_validate({"cls": code, "label": label}))
        else:
            segments.append(parse_date_token(body))
        position = match.end()
    segments += _plain(text[position:])
    return tuple(segments)


def _plain(text: str) -> list[Segment]:
    if "⟦" in text or "⟧" in text:
        raise TokenError("unbalanced ⟦ or ⟧")
    return split_numbers(text)


def entity_refs(text: SegmentText) -> Counter[tuple[str, str]]:
    """Multiset of entity references."""
    return Counter((s.cls, s.label) for s in text if isinstance(s, EntityRef))


def date_refs(text: SegmentText) -> Counter[tuple[date, date]]:
    """Multiset of date references."""
    return Counter((s.start, s.end) for s in text if isinstance(s, DateRef))


def numbers(text: SegmentText) -> Counter[float]:
    """Multiset of figures by value."""
    return Counter(s.value for s in text if isinstance(s, Number))


def render_date(ref: DateRef, lang: Lang) -> str:
    """A date reference in words.

    Styles: `full` names the year, `short` does not; `weekday` names the weekday alone, `monthday` the
    day of the month alone; `attributive` makes "third-quarter" out of a quarter, `attributive-full` "third-quarter 2031".
    """
    start, end = ref.start, ref.end
    year = ref.style not in ("short", "attributive")
    if ref.precision == "day" and ref.style == "weekday":
        return WEEKDAYS[lang][start.weekday()]
    if ref.precision == "day" and ref.style == "monthday":
        return f"{start.day}日" if lang == "zh" else f"the {_ordinal(start.day)}"
    if ref.precision == "day":
        return _day(start, lang, year)
    if ref.precision == "range":
        return (
            f"{_day(start, lang, year)}至{_day(end, lang, year)}"
            if lang == "zh"
            else (f"{_day(start, lang, year)} to {_day(end, lang, year)}")
        )
    if ref.precision == "month":
        if lang == "zh":
            return f"{start.year}年{start.month}月" if year else f"{start.month}月"
        return f"{MONTHS[start.month - 1]} {start.year}" if year else MONTHS[start.month - 1]
    if ref.precision == "year":
        return f"{start.year}年" if lang == "zh" else str(start.year)
    middle = start + (end - start) / 2
    if ref.precision == "quarter":
        quarter = (middle.month - 1) // 3
        if lang == "zh":
            name = f"第{'一二三四'[quarter]}季度"
            return f"{middle.year}年{name}" if year else name
        name = ("first", "second", "third", "fourth")[quarter]
        if ref.style in ("attributive", "attributive-full"):
            return f"{name}-quarter {middle.year}" if year else f"{name}-quarter"
        return f"the {name} quarter of {middle.year}" if year else f"the {name} quarter"
    if ref.precision == "season":
        name = SEASONS[lang][((middle.month - 3) % 12) // 3]
        return f"{middle.year}年{name}" if lang == "zh" else f"{name} {middle.year}"
    third = min((middle.day - 1) // 10, 2)
    if lang == "zh":
        month = f"{middle.year}年{middle.month}月" if year else f"{middle.month}月"
        return month + ("上旬", "中旬", "下旬")[third]
    month = f"{MONTHS[middle.month - 1]} {middle.year}" if year else MONTHS[middle.month - 1]
    return f"{('early ', 'mid-', 'late ')[third]}{month}"


def _ordinal(number: int) -> str:
    suffix = (
        "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{suffix}"


def _day(day: date, lang: Lang, year: bool) -> str:
    if lang == "zh":
        return f"{day.year}年{day.month}月{day.day}日" if year else f"{day.month}月{day.day}日"
    return f"{day.day} {MONTHS[day.month - 1]}" + (f" {day.year}" if year else "")


def render(text: SegmentText, lang: Lang) -> str:
    """The text as a forecaster reads it in one edition.

    A reference is never glued to a Latin letter or digit: a space is put between. Words and figures of the
    text itself stay as they stand (41X).
    """
    parts: list[str] = []
    after_reference = False
    for segment in _year_first(text) if lang == "zh" else text:
        if isinstance(segment, EntityRef):
            name = CLASS_NAMES[segment.cls][lang]
            words = f"{name} {segment.label}" if lang == "en" else f"{name}{segment.label}"
        elif isinstance(segment, DateRef):
            words = render_date(segment, lang)
        else:
            words = segment.text
        reference = isinstance(segment, EntityRef | DateRef)
        if parts and (reference or after_reference) and _glues(parts[-1], words):
            parts.append(" ")
        if lang == "en" and isinstance(segment, DateRef):
            words = _in_sentence(parts[-1] if parts else "", words)
        if parts and lang == "en" and reference:
            parts[-1] = _with_article(parts[-1], words)
        parts.append(words)
        after_reference = reference
    return "".join(parts)


_ZH_JOINTS = frozenset("至到和与及或、")


def _year_first(text: SegmentText) -> SegmentText:
    """Of joined days of one year the first carries the year in Chinese: 2031年8月18日、8月24日和9月2日."""
    out = list(text)
    run: list[int] = []
    for place, ref in enumerate(out):
        if not isinstance(ref, DateRef):
            continue
        if run and not (run[-1] == place - 2 and _joins(out[place - 1])):
            run = []
        first = out[run[0]] if run else None
        if ref.style == "short":
            if isinstance(first, DateRef) and first.start.year != ref.start.year:
                run = []
            run.append(place)
            continue
        if (
            isinstance(first, DateRef)
            and ref.style == "full"
            and first.start.year == ref.start.year
        ):
            out[run[0]] = first.model_copy(update={"style": "full"})
            out[place] = ref.model_copy(update={"style": "short"})
        run = []
    return tuple(out)


def _joins(between: Segment) -> bool:
    return isinstance(between, Plain) and between.text in _ZH_JOINTS


_DETERMINER = re.compile(
    r"(?:\b(?:[Tt]he|[Aa]n?|[Ii]ts|[Tt]heir|[Oo]ur|[Hh]is|[Hh]er|[Mm]y|[Yy]our|[Tt]his|[Tt]hat|[Aa]ny|[Ee]ach|[Ee]very|[Nn]o)|['’]s|s['’])"
    r"(?: (?:strong|weak|solid|slow|soft|good|bad|poor|record|latest|upcoming|coming|past|tough|key|full|entire|whole|robust|disappointing))? $|\b[Aa]n? [a-z-]+ $"
)
"""Words behind which no article stands: its, the company's, a weak."""
_STARTS = re.compile(r"(?:^|[.!?][\"”’)]?\s+)[\"“‘(]?$")


def _in_sentence(before: str, words: str) -> str:
    """A date's words without their article behind a determiner, and with a capital where a sentence begins."""
    if words.startswith("the ") and _DETERMINER.search(before):
        words = words[4:]
    return words[0].upper() + words[1:] if _STARTS.search(before) else words


_INDEFINITE = re.compile(r"(?:(?<![A-Za-z])a|(?:^|(?<=[.!?:] )|(?<=[\"“‘(]))A)n? $")
"""An article; a capital A only where a sentence begins, as elsewhere it is a letter."""
_VOWEL = re.compile(r"[AEIOaei]|8|1[18](?!\d)")
"""What a name, a month, a part of a month or a day begins with when it is spoken with a vowel."""


def _with_article(before: str, name: str) -> str:
    """`before` with its closing a or an as the next words need it: "an Organisation B poll", "an 8 March vote"."""
    found = _INDEFINITE.search(before)
    if found is None:
        return before
    return before[: found.start()] + found.group()[0] + ("n " if _VOWEL.match(name) else " ")


def _glues(left: str, right: str) -> bool:
    a, b = left[-1:], right[:1]
    return a.isascii() and a.isalnum() and b.isascii() and b.isalnum()


def node_text(node: AnonNode, lang: Lang) -> str:
    """A node as markdown in one edition: the day, **Event** and **Public Opinion** paragraphs."""
    return _node(node, lang, lambda text: render(text, lang))


def node_tokens(node: AnonNode, lang: Lang) -> str:
    """A node as prompts show it, in the master language's tokens."""
    return _node(node, lang, to_tokens)


def _node(node: AnonNode, lang: Lang, words: Callable[[SegmentText], str]) -> str:
    heads = {"en": ("**Event**: ", "**Public Opinion**: "), "zh": ("**事件**：", "**舆论**：")}[
        lang
    ]
    gap = " " if lang == "en" else ""
    lines = [f"### {node.date.isoformat()}"]
    if node.fact:
        lines.append(heads[0] + gap.join(words(s.text[lang]) for s in node.fact))
    if node.opinion is not None:
        lines.append(heads[1] + gap.join(words(s.text[lang]) for s in node.opinion.statements))
    return "\n\n".join(lines)


def context_text(nodes: Iterable[AnonNode], lang: Lang) -> str:
    """A context: nodes in order. A shorter context is a byte-exact prefix of a longer one."""
    return "".join(node_text(node, lang) + "\n\n" for node in nodes)
