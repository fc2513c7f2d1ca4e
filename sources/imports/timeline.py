"""Published timelines in markdown: `### YYYY-MM-DD`, then a paragraph of facts and one of public opinion.

Each paragraph becomes an item of kind `timeline`, so that statements can quote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal

from schemas import Item, Origin
from sources.base import Importer, Report, SourceContext, SourceError, digest, read_bytes
from sources.language import language
from sources.text import decode, tidy

_DAY = re.compile(r"^#{2,4}\s*((?:19|20)\d\d-\d\d-\d\d)\s*$")
_LABEL = re.compile(
    r"^\*\*\s*(事件|事实|事實|Event|Fact|Facts|舆论|輿論|舆情|Public Opinion|Opinion)\s*[:：]?\s*\*\*\s*[:：]?\s*",
    re.IGNORECASE,
)
_OPINION = frozenset({"舆论", "輿論", "舆情", "public opinion", "opinion"})
Part = Literal["fact", "opinion"]


@dataclass(frozen=True)
class Paragraph:
    """One labelled paragraph of a day."""

    day: date
    part: Part
    text: str


@dataclass
class TimelineText:
    """A parsed timeline file."""

    title: str = ""
    """First heading."""
    paragraphs: list[Paragraph] = field(default_factory=list)
    """In file order."""
    loose: list[str] = field(default_factory=list)
    """Lines that belong to no paragraph."""


def read_timeline(text: str, name: str) -> TimelineText:
    """Parse a markdown timeline. SourceError when it has no dated paragraph or a day that does not exist."""
    parsed = TimelineText()
    day: date | None = None
    part: Part | None = None
    lines: list[str] = []

    def close() -> None:
        words = tidy("\n".join(lines))
        if day is not None and part is not None and words:
            parsed.paragraphs.append(Paragraph(day, part, words))
        lines.clear()

    for line in tidy(text).split("\n"):
        heading = _DAY.match(line)
        if heading is not None:
            close()
            part = None
            try:
                day = date.fromisoformat(heading[1])
            except ValueError as error:
                raise SourceError(f"{name}: {heading[1]} is no day; correct the heading") from error
            continue
        label = _LABEL.match(line)
        if label is not None and day is not None:
            close()
            part = "opinion" if label[1].lower() in _OPINION else "fact"
            line = line[label.end() :]
        elif line.startswith("#"):
            close()
            part = None
            heading_text = line.lstrip("# ").strip()
            if not parsed.title:
                parsed.title = heading_text
            elif day is not None:
                parsed.loose.append(line)
            continue
        if part is None:
            if line:
                parsed.loose.append(line)
            continue
        lines.append(line)
    close()
    if not parsed.paragraphs:
        raise SourceError(
            f"{name} has no timeline; it needs `### YYYY-MM-DD` headings with **Event**: or **Public Opinion**:"
        )
    return parsed


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
        report.refuse(line[:60], "outside every paragraph", line)
    return [
        Paragraph(day, part, "\n".join(texts))
        for (day, part), texts in sorted(groups.items(), key=lambda row: (row[0][0], row[0][1]))
    ]


class TimelineFile(Importer):
    """A markdown timeline."""

    name = "timeline"
    reads = "timelines in markdown: ### YYYY-MM-DD, **Event**: or **事件**：, **Public Opinion**: or **舆论**："

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """Dated headings with at least one label below."""
        if path.suffix.lower() not in {".md", ".markdown", ".txt"}:
            return False
        lines = head.decode("utf-8", errors="replace").splitlines()
        return any(_DAY.match(line) for line in lines) and any(_LABEL.match(line) for line in lines)

    def read(self, path: Path) -> Iterator[Item]:
        """Yield one item a paragraph."""
        data = read_bytes(path)
        parsed = read_timeline(decode(data).text, path.name)
        self.report.end("ok")
        origin = Origin(source=self.name, file=path.name, digest=digest(data))
        for paragraph in merged(parsed, self.report):
            yield paragraph_item(paragraph, self.context, origin)
