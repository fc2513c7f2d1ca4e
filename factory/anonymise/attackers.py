"""Attackers without a model: which offsets do the released days leave possible, and does the text link back.

This is the door to them: `attack_offset` reads an anonymised timeline, `linkage` compares it with its raw one.
The parts are `attack_calendar` (what is known of the calendar), `attack_days` (days as a reader finds them),
`attack_clues` (words that may betray the offset), `attack_offset` (the inference) and `attack_linkage`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from factory.anonymise.attack_clues import Passage
from factory.anonymise.attack_linkage import Linkage, link_by_meaning, link_by_words
from factory.anonymise.attack_offset import ASSUMPTIONS, OffsetAttack, Policy, infer_offset
from factory.encode import Encoder
from factory.segments import render
from schemas import AnonStatement, AnonTimeline, Lang, Number, Plain, Timeline

__all__ = [
    "ASSUMPTIONS",
    "Linkage",
    "OffsetAttack",
    "Passage",
    "attack_offset",
    "infer_offset",
    "linkage",
    "markdown_passages",
    "offset_candidates",
    "passages",
    "statements",
]


def statements(timeline: AnonTimeline) -> Iterable[tuple[int, AnonStatement]]:
    """Node index and statement, in reading order; themes included."""
    for index, node in enumerate(timeline.nodes):
        for statement in node.fact:
            yield index, statement
        if node.opinion is not None:
            for statement in (*node.opinion.statements, *node.opinion.themes):
                yield index, statement


def passages(timeline: AnonTimeline) -> list[Passage]:
    """What an attacker reads of our own timeline: every statement in every edition that it holds.

    Plain words are known to have stayed, since references moved with their day.
    """
    return [
        Passage(
            day=timeline.nodes[index].date,
            lang=lang,
            unit=statement.statement_id,
            text="".join(s.text if isinstance(s, Plain | Number) else "\x1f" for s in text),
            known=True,
            full=render(text, lang),
        )
        for index, statement in statements(timeline)
        for lang, text in sorted(statement.text.items())
    ]


_HEADING = re.compile(r"^### (\d{4}-\d\d-\d\d)\s*$", re.MULTILINE)


def markdown_passages(text: str, lang: Lang) -> list[Passage]:
    """A released context as a stranger reads it: paragraphs under headings `### YYYY-MM-DD`.

    Paragraphs of one day pair up with those of the other edition by their order.
    """
    parts = _HEADING.split(text)
    return [
        Passage(day=date.fromisoformat(day), lang=lang, unit=str(number), text=paragraph)
        for day, body in zip(parts[1::2], parts[2::2], strict=True)
        for number, paragraph in enumerate(p for p in body.split("\n\n") if p.strip())
    ]


def attack_offset(timeline: AnonTimeline, policy: Policy = "weeks") -> OffsetAttack:
    """Infer the offset of our own timeline."""
    return infer_offset(passages(timeline), policy)


def offset_candidates(timeline: AnonTimeline, policy: Policy = "weeks") -> list[int]:
    """Offsets of the policy that the timeline leaves possible; its number is the gate's figure."""
    return list(attack_offset(timeline, policy).left)


def linkage(
    anonymised: AnonTimeline,
    raw: Timeline,
    decoys: Sequence[Sequence[str]],
    encoder: Encoder | None = None,
) -> tuple[Linkage, ...]:
    """Rank of the raw timeline among decoys by words and, with an encoder, by meaning.

    A decoy is another event's raw text as a list of passages; with none the state is `not evaluated`.
    """
    shown = [render(s.text[anonymised.lang], anonymised.lang) for _, s in statements(anonymised)]
    truth = [
        statement.text
        for node in raw.nodes
        for part in (node.fact, node.opinion)
        if part is not None
        for statement in part.statements
    ]
    found = [link_by_words("\n".join(shown), "\n".join(truth), ["\n".join(d) for d in decoys])]
    if encoder is not None:
        found.append(link_by_meaning(shown, truth, decoys, encoder))
    return tuple(found)
