"""What became of the dates: mentions by kind, weekdays beside their date, gaps between days, error of months.

Mentions are found in the raw text by the engine; gaps compare its reading at offset 0 with the references that the
finished text holds, so a date that repair or a rule moved by another number of days shows. Weekdays are checked in
the rendered words by the scanner's own net.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from factory.anonymise.apply import raw_statements
from factory.anonymise.dates import find_dates
from factory.anonymise.match import Matcher
from factory.anonymise.segments import Parsed, plain_words
from factory.audit.leak_dates import false_weekdays
from factory.segments import WEEKDAYS, node_text, render
from schemas import (
    AnonTimeline,
    DateFigures,
    DateRef,
    DriftFlag,
    SegmentText,
    Timeline,
)

_DAY_PRECISE = ("day", "range")
_ROUNDED = ("month", "quarter", "season", "part_of_month")
CALENDAR_NET = "unread calendar word"
"""Kind of a calendar word that no mention covers."""


@dataclass(frozen=True)
class Gaps:
    """Distances between day-precise dates, nodes and mentions together."""

    pairs: int
    preserved: int
    """Pairs with the same distance as in the raw text."""
    month_error_days: int
    """Largest distance of a rounded unit's first day from its exact shift."""


def date_figures(
    timeline: Timeline,
    matcher: Matcher,
    offset: int,
    parsed: Mapping[str, Parsed],
    texts: Mapping[str, SegmentText],
    flags: Sequence[DriftFlag],
) -> list[DateFigures]:
    """Date mentions by kind, in the order of their names; mentions inside a name belong to the name.

    A flagged mention counts as repaired when its words are gone from the finished text, as open when they are there
    and its statement has an open flag, and as neither when a person let them stand. `parsed` are the statements
    as parsed, `texts` as they leave phase C with its `flags`.
    """
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    unsettled = {flag.statement_id for flag in flags if flag.state == "open"}

    def state(statement_id: str, words: str) -> str:
        if words not in plain_words(texts[statement_id]):
            return "repaired"
        return "open" if statement_id in unsettled else "waived"

    for node in timeline.nodes:
        for raw in raw_statements(node):
            names = [(hit.start, hit.end) for hit in matcher.find(raw.text)]
            for mention in find_dates(raw.text, raw.anchor, offset, raw.happened_on):
                if any(start < mention.end and mention.start < end for start, end in names):
                    continue
                row = rows[mention.reason]
                row["mentions"] += 1
                if mention.kind != "flag":
                    row["shifted" if mention.kind == "shift" else "left"] += 1
                    continue
                words = raw.text[mention.start : mention.end]
                row["flagged"] += 1
                row[state(raw.statement_id, words)] += 1
            for doubt in parsed[raw.statement_id].doubts:
                if doubt.kind == "calendar":
                    row = rows[CALENDAR_NET]
                    row.update(("mentions", "flagged"))
                    row[state(raw.statement_id, doubt.words)] += 1
    return [
        DateFigures(
            kind=kind,
            mentions=row["mentions"],
            shifted=row["shifted"],
            left=row["left"],
            flagged=row["flagged"],
            repaired=row["repaired"],
            open=row["open"],
        )
        for kind, row in sorted(rows.items())
    ]


def merged(rows: Iterable[DateFigures]) -> list[DateFigures]:
    """The rows with every kind that holds a mention not shifted added up as `other`.

    Whether "last year" or a season may stand depends on the offset, so their counts by kind would tell of it.
    """
    kept, rest = (
        [],
        DateFigures(kind="other", mentions=0, shifted=0, left=0, flagged=0, repaired=0, open=0),
    )
    for row in rows:
        if row.kind in ("day", "range", "weekday", "month"):
            kept.append(row)
            continue
        rest = DateFigures(
            kind="other",
            mentions=rest.mentions + row.mentions,
            shifted=rest.shifted + row.shifted,
            left=rest.left + row.left,
            flagged=rest.flagged + row.flagged,
            repaired=rest.repaired + row.repaired,
            open=rest.open + row.open,
        )
    return [*kept, rest] if rest.mentions else kept


def weekday_figures(timeline: AnonTimeline) -> tuple[int, int]:
    """Weekday words of the rendered text, and those that disagree with the date beside them."""
    lang = timeline.lang
    words = re.compile(
        "|".join(
            WEEKDAYS[lang] if lang == "en" else ("周[一二三四五六日]", "星期[一二三四五六日天]")
        )
    )
    said = false = 0
    for node in timeline.nodes:
        themes = node.opinion.themes if node.opinion is not None else ()
        text = "\n".join([node_text(node, lang), *(render(t.text[lang], lang) for t in themes)])
        said += len(words.findall(text))
        false += sum(1 for _ in false_weekdays(text, node.date))
    return said, false


def _refs(text: SegmentText, precisions: Sequence[str]) -> list[DateRef]:
    return [s for s in text if isinstance(s, DateRef) and s.precision in precisions]


def gap_figures(
    timeline: Timeline,
    anonymised: AnonTimeline,
    unshifted: Mapping[str, SegmentText],
    texts: Mapping[str, SegmentText],
    offset: int,
) -> Gaps:
    """Compare every day-precise date with its raw one; `unshifted` are the statements at offset 0.

    A pair keeps its distance when both days moved alike. A statement that lost or gained a date keeps none.
    """
    moved: Counter[int | str] = Counter()
    for before, after in zip(timeline.nodes, anonymised.nodes, strict=False):
        moved[(after.date - before.date).days] += 1
    happened: dict[str, date | None] = {}
    for shown in anonymised.nodes:
        opinion = shown.opinion.statements if shown.opinion is not None else ()
        happened |= {s.statement_id: s.happened_on for s in (*shown.fact, *opinion)}
    error = 0
    for node in timeline.nodes:
        for raw in raw_statements(node):
            told = happened.get(raw.statement_id)
            if raw.happened_on is not None and told is not None:
                moved[(told - raw.happened_on).days] += 1
            before_refs = _refs(unshifted[raw.statement_id], _DAY_PRECISE)
            after_refs = _refs(texts[raw.statement_id], _DAY_PRECISE)
            if len(before_refs) != len(after_refs):
                for number in range(max(len(before_refs), len(after_refs))):
                    moved[f"{raw.statement_id} {number}"] += 1
                continue
            for old, new in zip(before_refs, after_refs, strict=True):
                moved[(new.start - old.start).days] += 1
                if old.precision == "range":
                    moved[(new.end - old.end).days] += 1
            rounded = zip(
                _refs(unshifted[raw.statement_id], _ROUNDED),
                _refs(texts[raw.statement_id], _ROUNDED),
                strict=False,
            )
            for old, new in rounded:
                error = max(error, abs((new.start - old.start).days - offset))
    total = moved.total()
    return Gaps(
        pairs=total * (total - 1) // 2,
        preserved=sum(n * (n - 1) // 2 for n in moved.values()),
        month_error_days=error,
    )
