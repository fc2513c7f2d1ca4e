"""Published timelines in markdown: `### YYYY-MM-DD`, then a paragraph of facts and one of public opinion.

Each paragraph becomes an item of kind `timeline`, so that statements can quote it. A day is also read in other clear
writings (see `day_headings`); a heading that holds a date and is no clear day is refused, and any other heading ends
the day, so that no text is put under a day that it was not written for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal

from schemas import Item, Origin
from sources.base import Importer, Report, SourceContext, SourceError, digest
from sources.imports.day_headings import Heading, read_day, read_heading
from sources.imports.rows import suffix_of
from sources.imports.streams import document
from sources.language import language
from sources.text import decode, tidy

_LABEL = re.compile(
    r"^\*\*\s*(事件|事实|事實|Event|Fact|Facts|舆论|輿論|舆情|Public Opinion|Opinion)\s*[:：]?\s*\*\*\s*[:：]?\s*",
    re.IGNORECASE,
)
_OPINION = frozenset({"舆论", "輿論", "舆情", "public opinion", "opinion"})
_SHOWN = 60
"""Characters of a heading or line that a message shows."""
Part = Literal["fact", "opinion"]


@dataclass(frozen=True)
class Paragraph:
    """One labelled paragraph of a day."""

    day: date
    part: Part
    text: str


@dataclass(frozen=True)
class Loose:
    """A line that belongs to no paragraph of a day."""

    number: int
    """Its number in the file, from 1."""
    text: str


@dataclass
class TimelineText:
    """A parsed timeline file."""

    title: str = ""
    """First heading, when it stands before every day."""
    paragraphs: list[Paragraph] = field(default_factory=list)
    """In file order."""
    loose: list[Loose] = field(default_factory=list)
    """In file order; each is left out."""


def read_timeline(text: str, name: str) -> TimelineText:
    """Parse a markdown timeline.

    SourceError when it has no dated paragraph, or text stands under a heading that holds a date and is not one
    clear day: the error names the line, the reason and what to write.
    """
    parsed = TimelineText()
    day: date | None = None
    part: Part | None = None
    unclear: tuple[int, Heading] | None = None
    begun = False
    lines: list[str] = []

    def close() -> None:
        words = tidy("\n".join(lines))
        if day is not None and part is not None and words:
            parsed.paragraphs.append(Paragraph(day, part, words))
        lines.clear()

    for number, raw in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        line = tidy(raw)
        heading = read_heading(line)
        if heading is not None:
            close()
            part, day, unclear = None, heading.day, None
            if heading.day is not None:
                begun = True
                continue
            if heading.why_not:
                unclear = (number, heading)
            if begun:
                parsed.loose.append(Loose(number, line))
            elif not parsed.title:
                parsed.title = heading.words
            continue
        label = _LABEL.match(line)
        if unclear is not None and line and (label is not None or _is_for_a_day(unclear[1])):
            raise SourceError(_refusal(name, *unclear))
        if label is not None and lines and (bare := _bare_day(lines)):
            words, back = bare
            lone = Heading(0, words, why_not="has no ### before it")
            raise SourceError(_refusal(name, number - back, lone))
        if label is not None and day is not None:
            close()
            part = "opinion" if label[1].lower() in _OPINION else "fact"
            line = line[label.end() :]
        if part is None:
            if not begun and not parsed.title and line.startswith("#"):
                parsed.title = line.lstrip("#")
            elif line:
                parsed.loose.append(Loose(number, line))
            continue
        lines.append(line)
    close()
    if not parsed.paragraphs:
        raise SourceError(
            f"{name} has no timeline; it needs `### YYYY-MM-DD` headings with **Event**: or **Public Opinion**:"
        )
    return parsed


def _bare_day(lines: list[str]) -> tuple[str, int] | None:
    """A date alone on the last line of a paragraph, underlined or not, and how many lines back it stands.

    Before a label it can only be meant as the heading of another day.
    """
    for back, line in enumerate(reversed(lines), 1):
        if line.strip("-="):
            alone = isinstance(read_day(line), date) and back < len(lines)
            return (line, back) if alone else None
    return None


def _is_for_a_day(heading: Heading) -> bool:
    """Whether any text below belongs to a day; below a title or a whole month only what carries a label does."""
    return heading.level != 1 and not heading.whole_month


def _refusal(name: str, number: int, heading: Heading) -> str:
    words = heading.words if len(heading.words) <= _SHOWN else heading.words[:_SHOWN] + "…"
    return (
        f"{name} line {number}: the heading {words!r} {heading.why_not}; write the day alone, as ### YYYY-MM-DD, and "
        "any other words below it"
    )


def paragraph_item(paragraph: Paragraph, context: SourceContext, origin: Origin) -> Item:
    """A paragraph as an item, dated to its day."""
    native = f"{paragraph.day.isoformat()}:{paragraph.part}"
    moment = context.time(paragraph.day.isoformat())
    return Item(
        item_id=context.ids.item("timeline", native),
        platform="timeline",
        kind="timeline",
        native_id=native,
        text=paragraph.text,
        lang=language(paragraph.text),
        published_at=moment.at,
        published_raw=paragraph.day.isoformat(),
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=moment.confidence,
        fetched_at=context.fetched_at,
        licence="unknown",
        origin=origin,
    )


def merged(parsed: TimelineText, report: Report) -> list[Paragraph]:
    """Paragraphs by day, facts before opinion; a day's several paragraphs of one kind become one."""
    groups: dict[tuple[date, Part], list[str]] = {}
    for paragraph in parsed.paragraphs:
        groups.setdefault((paragraph.day, paragraph.part), []).append(paragraph.text)
    for line in parsed.loose:
        where = f"line {line.number}: {line.text[:_SHOWN]}"
        report.refuse(where, "outside every paragraph", line.text)
    return [
        Paragraph(day, part, "\n".join(texts))
        for (day, part), texts in sorted(groups.items(), key=lambda row: (row[0][0], row[0][1]))
    ]


def _dates(line: str) -> bool:
    """Whether a line is a heading of a day, or of something that was meant to be one."""
    heading = read_heading(line.strip())
    return heading is not None and (heading.day is not None or bool(heading.why_not))


class TimelineFile(Importer):
    """A markdown timeline."""

    name = "timeline"
    reads = "timelines in markdown: ### YYYY-MM-DD, **Event**: or **事件**：, **Public Opinion**: or **舆论**："

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """Dated headings with at least one label below."""
        if suffix_of(path) not in {".md", ".markdown", ".txt"}:
            return False
        lines = head.decode("utf-8", errors="replace").splitlines()
        return any(_LABEL.match(line) for line in lines) and any(map(_dates, lines))

    def read(self, path: Path) -> Iterator[Item]:
        """Yield one item a paragraph."""
        data = document(path)
        parsed = read_timeline(decode(data).text, path.name)
        self.report.end("ok")
        origin = Origin(source=self.name, file=path.name, digest=digest(data))
        for paragraph in merged(parsed, self.report):
            yield paragraph_item(paragraph, self.context, origin)
