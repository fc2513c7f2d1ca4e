"""Clues to the offset: words of a released text that may have stayed behind when its days moved.

Every clue carries two figures: how likely its words are if they moved with the text, and, for each offset, how
likely they are if they stayed. Whether they stayed is not known for a text that one only reads (`known` false);
for our own segments it is, since references moved and plain words did not. Days are public days, raw = public -
offset.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from statistics import fmean
from typing import Literal

from factory.anonymise.attack_calendar import (
    FESTIVAL,
    SEASON,
    Rounding,
    Window,
    beside_density,
    day_density,
    festival_density,
    month_density,
    month_matches,
    period_end_density,
    season_density,
    weekday_density,
)
from factory.anonymise.attack_days import DayMention, day_mentions
from factory.segments import MONTHS, WEEKDAYS
from schemas import Lang

Route = Literal[
    "weekdays", "dated weekdays", "months", "days", "festivals", "seasons", "edition months",
    "edition days", "period ends", "coverage", "trading days",
]  # fmt: skip


@dataclass(frozen=True)
class Passage:
    """A stretch of one edition's text under a node's day."""

    day: date
    """Public day of its node."""
    lang: Lang
    """Edition."""
    unit: str
    """Name that the same stretch carries in the other edition."""
    text: str
    """Words as released; \\x1f stands where a reference is known to have moved."""
    known: bool = False
    """Every calendar word left in `text` is known to have stayed."""
    full: str = ""
    """Words as a reader sees them, with moved references in words; empty when that is `text`."""

    @property
    def read(self) -> str:
        """What a reader sees."""
        return self.full or self.text


@dataclass(frozen=True)
class Clue:
    """Words that speak for some offsets."""

    route: Route
    day: date
    lang: Lang | None
    words: str
    moved: float
    """Likelihood of the words if they moved with the text."""
    stayed: tuple[float, ...]
    """Likelihood of the words if they stayed, for each offset in order."""
    known: bool = False
    reading: str = ""
    """Clues of one route that share a reading stand or fall together: which edition moved, how it rounded."""


_MONTH = "|".join(MONTHS)
_EN_MONTH = re.compile(
    rf"(?<!\d )(?<!\d[a-z][a-z] )\b(?P<m>{_MONTH})\b(?!\.? ?\d|,? (?:19|20)\d\d)"
)
_EN_SHORT_MONTH = re.compile(
    r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Tt]ill|[Ll]ast|[Nn]ext|[Bb]y|[Aa]lready|[Ee]arly|[Ll]ate|[Mm]id) "
    r"(?P<m>[Jj]an|[Ff]eb|Mar|[Aa]pr|[Jj]un|[Jj]ul|[Aa]ug|Sep|[Ss]ept|[Oo]ct|[Nn]ov|[Dd]ec)\b(?!\.? ?\d)"
)
_MAY_IS_A_MONTH = re.compile(
    r"\b(?:in|since|until|till|by|from|for|of|to|through|during|before|after|early|late|last|next|this|mid-?|and|or) ?$",
    re.IGNORECASE,
)
_ZH_MONTH = re.compile(r"(?<![\d年至到—-])(?<!年 )(?P<m>1[0-2]|[1-9])月(?!\d| \d|球|饼)")
_WEEKDAY: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(rf"\b({'|'.join(WEEKDAYS['en'])})\b"),
    "zh": re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])(?![年围边期])"),
}
_EN_DATED = re.compile(
    rf"\b({'|'.join(WEEKDAYS['en'])}),? (?:\()?(?={_MONTH}|\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTH}))"
)
_ZH_DATED = re.compile(r"^\s?[（(，,]?\s?(?:周|星期|礼拜)([一二三四五六日天])")
_MARKET = re.compile(
    r"\b(?:shares?|stocks?|market|index|futures) (?:\w+ )?(?:closed|opened|rose|fell|plunged|surged|jumped|tumbled|slid|soared|dropped)\b"
    r"|\btrading (?:day|session)\b|\bat the close\b|收盘|开盘|收于|收报|盘前|盘后|盘中|跌停|涨停",
    re.IGNORECASE,
)


_PERIOD_END: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:quarter|year|half|period|months?|weeks?) (?:that )?end(?:ed|ing)(?: on)? $|\b[Aa]s of $"
    ),
    "zh": re.compile(r"(?:截至|截止|截止至|截止到)$"),
}
_BOOKS = re.compile(
    r"\b(?:quarter|fiscal|cash|debt|assets|inventory|revenue|balance)\b|现金|债务|负债|资产|库存|财年|财季|季度|营收|报告期",
    re.IGNORECASE,
)
"""Whose absence makes "as of" an ordinary day."""
_CLOSE = 2
"""Characters between a festival and the day that it is said to be."""


_EDITIONS: tuple[Lang, Lang] = ("zh", "en")
_DIRECTIONS: tuple[tuple[Lang, Lang], ...] = (("zh", "en"), ("en", "zh"))
_ROUNDINGS: tuple[Rounding, ...] = ("first day", "middle")
_EDITION_SLIP = 14
"""Days by which editions differ without an offset: a slip, or two different days of one story."""


def bare_months(text: str, lang: Lang) -> Iterator[tuple[int, str]]:
    """Months named without a day or year: number from 1 and the words."""
    if lang == "zh":
        for hit in _ZH_MONTH.finditer(text):
            yield int(hit["m"]), hit.group()
        return
    for hit in _EN_MONTH.finditer(text):
        # "May" at the start of a sentence and in questions is a verb.
        if hit["m"] != "May" or _MAY_IS_A_MONTH.search(text, 0, hit.start()):
            yield MONTHS.index(hit["m"]) + 1, hit.group()
    for hit in _EN_SHORT_MONTH.finditer(text):
        start = hit["m"][:3].capitalize()
        yield next(n for n, name in enumerate(MONTHS, 1) if name.startswith(start)), hit["m"]


def weekday_words(text: str, lang: Lang) -> Iterator[tuple[int, int, str]]:
    """Weekdays named: position, number (0 is Monday) and the words."""
    for hit in _WEEKDAY[lang].finditer(text):
        name = hit.group(1)
        number = (
            WEEKDAYS["en"].index(name) if lang == "en" else min("一二三四五六日天".index(name), 6)
        )
        yield hit.start(), number, hit.group()


def clues(passages: Sequence[Passage], offsets: Sequence[int]) -> list[Clue]:
    """Every clue of a release, in the order of its passages; the editions' differences and the days come last."""
    found: list[Clue] = []
    for passage in passages:
        found += _calendar(passage, offsets)
        found += _weekdays(passage, offsets)
    found = _once(found)
    found += _between_editions(passages, offsets)
    found += _coverage(passages, offsets)
    return found


def _once(found: Iterable[Clue]) -> list[Clue]:
    """One deadline named in thirty reports of a month is one clue, not thirty."""
    seen: set[tuple[str, str | None, str, str]] = set()
    kept = []
    for clue in found:
        key = (clue.route, clue.lang, clue.words, f"{clue.day:%Y-%m}")
        if clue.route in ("months", "seasons", "festivals", "period ends"):
            if key in seen:
                continue
            seen.add(key)
        kept.append(clue)
    return kept


def _months_between(month: int, day: date) -> int:
    return month - day.month


def _calendar(passage: Passage, offsets: Sequence[int]) -> Iterator[Clue]:
    day, lang, text, known = passage.day, passage.lang, passage.text, passage.known
    raw = _raw_days(day, tuple(offsets))
    for month, words in bare_months(text, lang):
        yield Clue(
            "months", day, lang, words, month_density(_months_between(month, day)),
            tuple(month_density(_months_between(month, r)) for r in raw), known,
        )  # fmt: skip
    for mention in day_mentions(text, lang, day):
        # In a text that was only read the usual forms count as moved: the past that a report recalls would
        # otherwise vote.
        if not (known or mention.odd):
            continue
        yield Clue(
            "days", day, lang, text[mention.start : mention.end],
            fmean(day_density((each - day).days) for each in mention.readings),
            tuple(fmean(map(day_density, _lags(mention, r))) for r in raw), known,
        )  # fmt: skip
    yield from _festivals(passage, offsets)
    yield from _period_ends(passage, offsets)
    for season, months in SEASON.items():
        hit = season.search(text)
        if hit is not None:
            yield Clue(
                "seasons", day, lang, hit.group(), season_density(day, months),
                tuple(season_density(r, months) for r in raw), known,
            )  # fmt: skip


def _festivals(passage: Passage, offsets: Sequence[int]) -> Iterator[Clue]:
    """Festivals, against the day written beside them or else against their node's day."""
    text = passage.read
    mentions = list(day_mentions(text, passage.lang, passage.day))
    for words, window in FESTIVAL.items():
        hit = words.search(text)
        if hit is None:
            continue
        beside = next(
            (m for m in mentions if max(m.start - hit.end(), hit.start() - m.end) <= _CLOSE), None
        )
        day = beside.day if beside else passage.day
        density: Callable[[date, Window], float] = beside_density if beside else festival_density
        shown = hit.group() if beside is None else f"{hit.group()} beside {beside.day}"
        yield Clue(
            "festivals", passage.day, passage.lang, shown, 1 / 365,
            tuple(density(r, window) for r in _raw_days(day, tuple(offsets))), passage.known,
        )  # fmt: skip


def _period_ends(passage: Passage, offsets: Sequence[int]) -> Iterator[Clue]:
    """Moved days that once closed a month or quarter: books are not closed on the fourth."""
    text = passage.read
    for mention in day_mentions(text, passage.lang, passage.day):
        around = text[max(0, mention.start - 50) : mention.end + 50]
        before = text[max(0, mention.start - 24) : mention.start]
        if _PERIOD_END[passage.lang].search(before) and _BOOKS.search(around):
            yield Clue(
                "period ends", passage.day, passage.lang, text[mention.start : mention.end], 1 / 365,
                tuple(period_end_density(r) for r in _raw_days(mention.day, tuple(offsets))),
            )  # fmt: skip


def _lags(mention: DayMention, raw: date) -> Iterator[int]:
    """Days from a raw day to each reading of a mention that stayed; without a year to its nearest occurrence."""
    for day in mention.readings:
        lag = (day - raw).days
        yield lag if mention.dated else (lag + 182) % 365 - 182


@lru_cache(maxsize=4096)
def _raw_days(day: date, offsets: tuple[int, ...]) -> tuple[date, ...]:
    return tuple(day - timedelta(days=d) for d in offsets)


def _weekdays(passage: Passage, offsets: Sequence[int]) -> Iterator[Clue]:
    """Weekday words against their node's day, or exactly against the date that they stand beside."""
    text, lang, day = passage.text, passage.lang, passage.day
    mentions = list(day_mentions(text, lang, day))
    for at, number, words in weekday_words(text, lang):
        beside = next((m for m in mentions if _beside(text, lang, at, m)), None)
        if beside is not None and not passage.known:
            lag = (number - beside.day.weekday()) % 7
            yield Clue(
                "dated weekdays", day, lang, text[min(at, beside.start) : max(at + len(words), beside.end)],
                0.94 if lag == 0 else 0.01,
                tuple(0.94 if (lag + d) % 7 == 0 else 0.01 for d in offsets),
            )  # fmt: skip
        else:
            lag = number - day.weekday()
            yield Clue(
                "weekdays", day, lang, words, weekday_density(lag),
                tuple(weekday_density(lag + d) for d in offsets), passage.known,
            )  # fmt: skip


def _beside(text: str, lang: Lang, at: int, mention: DayMention) -> bool:
    if lang == "zh":
        after = _ZH_DATED.match(text[mention.end : mention.end + 8])
        return after is not None and mention.end <= at < mention.end + after.end()
    hit = _EN_DATED.match(text, at)
    return hit is not None and hit.end() == mention.start


def _between_editions(passages: Sequence[Passage], offsets: Sequence[int]) -> Iterator[Clue]:
    """The same stretch names one month, or one day, in one edition and another in the other: one of them stayed."""
    pairs: dict[tuple[date, str], dict[Lang, str]] = defaultdict(dict)
    for passage in passages:
        pairs[passage.day, passage.unit][passage.lang] = passage.read
    for (day, _), texts in pairs.items():
        if len(texts) == 2:
            yield from _edition_months(day, texts, offsets)
            yield from _edition_days(day, texts, offsets)


def _edition_months(day: date, texts: dict[Lang, str], offsets: Sequence[int]) -> Iterator[Clue]:
    zh = {month for month, _ in bare_months(texts["zh"], "zh")}
    en = {month for month, _ in bare_months(texts["en"], "en")}
    if len(zh) != 1 or len(en) != 1 or zh == en:
        return
    shown: dict[Lang, int] = {"zh": zh.pop(), "en": en.pop()}
    words = f"zh {shown['zh']}月, en {MONTHS[shown['en'] - 1]}"
    for moved, raw in _DIRECTIONS:
        for rounding in _ROUNDINGS:
            yield Clue(
                "edition months", day, None, words, 1 / 11,
                tuple(month_matches(shown[raw], day, d, rounding, shown[moved]) for d in offsets),
                reading=f"{moved} moved by {rounding}",
            )  # fmt: skip


def _edition_days(day: date, texts: dict[Lang, str], offsets: Sequence[int]) -> Iterator[Clue]:
    zh, en = (
        {m.day: m.dated for m in day_mentions(texts[lang], lang, day) if m.other is None}
        for lang in _EDITIONS
    )
    only_zh, only_en = sorted(zh.keys() - en.keys()), sorted(en.keys() - zh.keys())
    if len(only_zh) != 1 or len(only_en) != 1:
        return
    gap = (only_zh[0] - only_en[0]).days
    if not (zh[only_zh[0]] and en[only_en[0]]):
        gap = (gap + 182) % 365 - 182
    if abs(gap) < _EDITION_SLIP:
        return
    for moved, sign in (("zh", 1), ("en", -1)):
        yield Clue(
            "edition days", day, None, f"zh {only_zh[0]}, en {only_en[0]}", 1 / 365,
            tuple(_near(sign * gap - d) for d in offsets), reading=f"{moved} moved",
        )  # fmt: skip


def _near(miss: int) -> float:
    """A moved day is the raw day plus the offset, up to a day's slip of a translator."""
    return {0: 0.7, 1: 0.1}.get(abs(miss), 0.1 / 365)


def _coverage(passages: Iterable[Passage], offsets: Sequence[int]) -> Iterator[Clue]:
    """Days of nodes: reports are fewer on weekends, market reports much fewer."""
    days: dict[date, bool] = {}
    for passage in passages:
        days[passage.day] = days.get(passage.day, False) or bool(_MARKET.search(passage.read))
    for day, market in days.items():
        weekend = tuple((day - timedelta(days=d)).weekday() >= 5 for d in offsets)
        yield Clue(
            "trading days" if market else "coverage", day, None, f"{day:%A}", 1 / 7,
            tuple(1.0 if rest else 0.0 for rest in weekend), True,
        )  # fmt: skip
