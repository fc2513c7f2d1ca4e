"""A timeline that somebody already has, in markdown or JSONL, as the importer of timelines reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from factory.errors import BadInput
from factory.workspace import first_problem
from schemas import Lang

_HEADS: dict[Lang, tuple[str, str]] = {
    "en": ("**Event**: ", "**Public Opinion**: "),
    "zh": ("**事件**：", "**舆论**："),
}


_SHOWN = 60
"""Characters of a date that a message shows."""
_MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?$")
"""What tables of dates write behind a day."""


class _Words(BaseModel):
    """A sentence of our own node records; what else it holds is not needed."""

    text: str = Field(min_length=1)


class _Said(BaseModel):
    """A fact or an opinion of our own node records."""

    statements: list[_Words] = Field(min_length=1)


class NodeRow(BaseModel):
    """One line of a timeline in JSONL: a day with what was reported and what people said.

    Both are a text, a list of sentences, or the objects of a node of `03_timeline/timeline.json`.
    """

    model_config = ConfigDict(extra="forbid")

    date: date
    fact: str | list[str] | _Said | None = None
    event: str | list[str] | None = None
    opinion: str | list[str] | _Said | None = None
    public_opinion: str | list[str] | None = None
    node_id: str = ""
    follows: list[str] = []

    @field_validator("date", mode="before")
    @classmethod
    def _one_clear_day(cls, value: object) -> object:
        """The day in any writing that a heading may use; a number is none, for it says nothing a reader can check."""
        from sources.imports.day_headings import read_day

        if isinstance(value, date):
            value = value.isoformat()
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is no day written as text")
        read = read_day(_MIDNIGHT.sub("", value.strip()))
        if isinstance(read, str):
            raise ValueError(f"{value[:_SHOWN]!r} {read or 'holds no date'}")
        return read

    @model_validator(mode="after")
    def _says_something(self) -> NodeRow:
        if not self.facts and not self.opinions:
            raise ValueError("a day needs a fact (or event) or an opinion")
        return self

    @property
    def facts(self) -> str:
        """What was reported, as one paragraph."""
        return " ".join(part for part in (_paragraph(self.fact), _paragraph(self.event)) if part)

    @property
    def opinions(self) -> str:
        """What people said, as one paragraph."""
        parts = (_paragraph(self.opinion), _paragraph(self.public_opinion))
        return " ".join(part for part in parts if part)


def _paragraph(value: str | list[str] | _Said | None) -> str:
    """One line: a line break inside a text must not look like a heading of the timeline."""
    if value is None:
        return ""
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, _Said):
        texts = [words.text for words in texts.statements]
    return " ".join(" ".join(texts).split())


@dataclass(frozen=True)
class Given:
    """A timeline file as the importer reads it."""

    path: Path
    text: str
    """Markdown in the published format."""
    lang: Lang
    title: str


def read_given(path: Path, lang: Lang | None) -> Given:
    """A timeline in markdown, or in JSONL with one day a line, as markdown.

    Without `lang` the language is told from the text. BadInput when the file is neither, cannot be decoded, or
    one of its lines is no day.
    """
    from sources.base import SourceError
    from sources.imports.rows import suffix_of
    from sources.imports.streams import document
    from sources.imports.timeline import read_timeline
    from sources.language import language
    from sources.text import decode

    try:
        decoded = decode(document(path))
        if not decoded.ok:
            raise BadInput(f"{path.name} cannot be decoded ({decoded.note}); save it as UTF-8")
        text = decoded.text
        if suffix_of(path) in (".jsonl", ".ndjson"):
            rows = _rows(text, path.name)
            words = " ".join(f"{row.facts} {row.opinions}" for row in rows)
            spoken = lang or ("zh" if language(words) == "zh" else "en")
            text = _markdown(rows, spoken)
        parsed = read_timeline(text, path.name)
    except SourceError as error:
        raise BadInput(str(error)) from error
    words = " ".join(paragraph.text for paragraph in parsed.paragraphs)
    return Given(path, text, lang or ("zh" if language(words) == "zh" else "en"), parsed.title)


def _rows(text: str, name: str) -> list[NodeRow]:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(NodeRow.model_validate_json(line))
        except ValidationError as error:
            raise BadInput(
                f"{name} line {number} is no day of a timeline ({first_problem(error)}); write "
                '{"date": "YYYY-MM-DD", "event": "...", "opinion": "..."}, one day a line'
            ) from error
    if not rows:
        raise BadInput(
            f'{name} is empty; write one day a line: {{"date": "YYYY-MM-DD", "event": "..."}}'
        )
    return rows


def _markdown(rows: list[NodeRow], lang: Lang) -> str:
    parts = []
    for row in sorted(rows, key=lambda each: each.date):
        parts.append(f"### {row.date.isoformat()}")
        parts += [
            head + words
            for head, words in zip(_HEADS[lang], (row.facts, row.opinions), strict=True)
            if words
        ]
    return "\n\n".join(parts) + "\n"
