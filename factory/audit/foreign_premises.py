"""Stems that take for granted what a sibling asks: a clause such as "after the ruling upheld ..." tells the future.

Questions about opinion have such clauses by nature: they name the occasion on which people spoke. A search by shared
characters (zh) or words (en) between the clause and the dated events of the same point proposes; a person decides.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from factory.audit.foreign_bank import PublishedBank, Row
from factory.audit.foreign_hits import Broken
from factory.audit.foreign_texts import plain
from factory.published.keys import dimension_of
from schemas import Lang

SHARE = 0.4
"""Share of the pairs of characters, or words, of the shorter of clause and event that stand in the other."""
LEAST = {"zh": 7, "en": 5}
"""A clause or event of fewer pairs or words is too short to be recognised."""
_CLAUSE: dict[Lang, re.Pattern[str]] = {
    "zh": re.compile(
        r"(?:^|[，,。；;]|是否|会)\s*(?:在|随着|鉴于|由于|自|就|对)?(?P<clause>[^，,？?；;]{8,80}?)"
        r"(?:(?<![最先随今幕然落以])之?后|之际|背景下|情况下|的同时|以来)(?![天日周]|续|果|者|期|台)"
    ),
    "en": re.compile(
        r"\b(?:after|following|since|once|now that|in the wake of|given that|as|when) (?P<clause>[^,?]{20,200})[,?]",
        re.IGNORECASE,
    ),
}
_WORD = re.compile(r"[a-z0-9]{3,}")
_COMMON = frozenset({
    "the", "and", "for", "that", "with", "has", "have", "had", "was", "were", "will", "from", "this", "its", "are",
    "been", "not", "any", "who", "whether",
})  # fmt: skip


def check_premises(bank: PublishedBank, broken: Broken) -> None:
    """Opinion questions with a clause that shares two fifths of a dated event of their point, open at the cutoff."""
    for place, rows in sorted(bank.questions_at.items()):
        lang = place[2]
        events = [
            (event, grams)
            for event in bank.events_at.get(place, ())
            if (event.distance or 0) > 0 and len(grams := _grams(event.text, lang)) >= LEAST[lang]
        ]
        for row in rows:
            if dimension_of(row.dimension) != "opinion":
                continue
            clauses = [
                grams
                for match in _CLAUSE[lang].finditer(unicodedata.normalize("NFKC", row.text))
                if len(grams := _grams(match["clause"], lang)) >= LEAST[lang]
            ]
            found = _told(clauses, events)
            if found is not None:
                broken.add(
                    "published-premise",
                    row.edition,
                    row.event,
                    f"{row.where} takes for granted {found.name}: {found.text[:60]!r}",
                )


def _told(clauses: list[frozenset[str]], events: list[tuple[Row, frozenset[str]]]) -> Row | None:
    """The event that has most in common with a clause, if that is enough."""
    shares = [
        (len(told & grams) / min(len(told), len(grams)), event)
        for told in clauses
        for event, grams in events
    ]
    share, event = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return event if share >= SHARE else None


@lru_cache(maxsize=1 << 16)
def _grams(text: str, lang: Lang) -> frozenset[str]:
    """Pairs of neighbouring characters (zh), or words of three letters or more without common ones (en)."""
    if lang == "en":
        return frozenset(_WORD.findall(unicodedata.normalize("NFKC", text).casefold())) - _COMMON
    words = plain(text)
    return frozenset(words[at : at + 2] for at in range(len(words) - 1))
