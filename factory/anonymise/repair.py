"""Phase C: does the anonymised timeline still say what the raw one says, and may a place be mended.

Code compares figures, references, dates, gaps and leftovers; one typed call may see drift of meaning and propose
other words for a flagged place. A proposal replaces those words alone and is taken only when every invariant
holds; otherwise the flag stays open, waits for a person and blocks a release.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from factory.anonymise.entities import Answer
from factory.anonymise.match import Matcher, fold
from factory.anonymise.segments import SHAPES, Doubt, join, plain_words
from factory.audit.calendar_net import calendar_words
from factory.segments import numbers, to_tokens
from schemas import (
    AnonTimeline,
    DateRef,
    DriftFlag,
    EntityRef,
    Number,
    Plain,
    Segment,
    SegmentText,
    Timeline,
)


class DriftProblem(Answer):
    """One place where the anonymised text says something else, or that must be worded without a clue."""

    statement_id: str = Field(min_length=1, max_length=60)
    """Id of the statement."""
    words: str = Field(min_length=1, max_length=200)
    """The shortest words of the anonymised text that are concerned, copied exactly, without any token."""
    problem: str = Field(min_length=1, max_length=300)
    """What is wrong, one sentence."""
    remedy: Literal["replace", "remove", "none"]
    """Whether other words, or none, can stand there; none when a person must decide."""
    replacement: str = Field(max_length=200)
    """The other words for replace; empty otherwise."""


class DriftAnswer(Answer):
    """What a careful comparison finds."""

    problems: list[DriftProblem] = Field(max_length=60)
    """Empty when both say the same."""


@dataclass(frozen=True)
class Compared:
    """One statement in both forms."""

    statement_id: str
    raw: str
    text: SegmentText
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True)
class Edit:
    """Other words for a place."""

    words: str
    replacement: str


def why_not(statement: Compared, edit: Edit, matcher: Matcher) -> str:
    """Why an edit may not be made; empty when every invariant holds."""
    have = plain_words(statement.text)
    if edit.words not in have:
        return "its words are not in the plain text"
    if "⟦" in edit.replacement or "⟧" in edit.replacement:
        return "it brings a token"
    after = apply(statement.text, edit)
    if not after:
        return "nothing is left of the statement"
    if numbers(after) != numbers(statement.text):
        # A clue may hold a figure (fiscal 2024) that has to go; no edit may bring one.
        clue = any(fold(doubt.words) in fold(edit.words) for doubt in statement.doubts)
        if not clue or any(char.isdigit() for char in edit.replacement):
            return "it changes a figure"
    if matcher.find(edit.replacement):
        return "it brings a name"
    if next(calendar_words(edit.replacement), None) is not None:
        return "it brings a calendar word"
    if SHAPES.search(edit.replacement):
        return "it brings a handle or an address"
    fresh = set(re.findall(r"\b[A-Z]\w+", edit.replacement)) - set(re.findall(r"\w+", have))
    if fresh and not have.startswith(edit.words):
        return "it brings a capitalised word"
    if len(edit.replacement) > 3 * len(edit.words) + 40:
        return "it is much longer"
    return ""


def apply(text: SegmentText, edit: Edit) -> SegmentText:
    """The text with one place reworded; references are untouched."""
    out: list[Segment | None] = []
    run = ""
    for segment in (*text, None):
        if isinstance(segment, Plain | Number):
            run += segment.text
            continue
        changed = run.replace(edit.words, edit.replacement)
        changed = re.sub(r" {2,}", " ", changed) if changed != run else changed
        if changed:
            out.append(Plain(text=changed))
        out.append(segment)
        run = ""
    return join(out)


def leftovers(text: SegmentText, matcher: Matcher) -> list[str]:
    """Names of the table that the plain words still hold."""
    words = plain_words(text)
    return [words[hit.start : hit.end] for hit in matcher.find(words)]


def compare_statement(
    statement: Compared, unshifted: SegmentText, offset: int, matcher: Matcher
) -> list[str]:
    """What code sees wrong with a statement, one sentence each.

    `unshifted` is the same raw text parsed with an offset of zero: figures and references must be equal and
    every day must have moved by exactly the offset.
    """
    problems = []
    if numbers(statement.text) != numbers(unshifted):
        problems.append("the figures differ from the raw text")
    if _entities(statement.text) != _entities(unshifted):
        problems.append("the references to names differ from the raw text")
    before = [s for s in unshifted if isinstance(s, DateRef) and s.precision in ("day", "range")]
    after = [
        s for s in statement.text if isinstance(s, DateRef) and s.precision in ("day", "range")
    ]
    moved = [
        ((b.start - a.start).days, (b.end - a.end).days)
        for a, b in zip(before, after, strict=False)
    ]
    if len(before) != len(after) or any(pair != (offset, offset) for pair in moved):
        problems.append("a day did not move by the offset")
    known = {fold(doubt.words) for doubt in statement.doubts}
    for words in leftovers(statement.text, matcher):
        if fold(words) not in known:
            problems.append(f"the name {words!r} is left in the text")
    return problems


def _entities(text: SegmentText) -> Counter[tuple[str, str]]:
    return Counter((s.cls, s.label) for s in text if isinstance(s, EntityRef))


def compare_arc(raw: Timeline, anonymised: AnonTimeline, offset: int) -> list[DriftFlag]:
    """Narrative level: same nodes in the same order, every gap unchanged."""
    flags = []
    if [node.node_id for node in raw.nodes] != [node.node_id for node in anonymised.nodes]:
        flags.append(
            _flag("narrative", raw.nodes[0].node_id, "nodes differ from the raw timeline", "code")
        )
    for a, b in zip(raw.nodes, anonymised.nodes, strict=False):
        if (b.date - a.date).days != offset:
            flags.append(
                _flag("narrative", a.node_id, "the day did not move by the offset", "code")
            )
    return flags


def _flag(
    level: Literal["paragraph", "event", "narrative"],
    where: str,
    problem: str,
    by: Literal["code", "model"],
    state: Literal["open", "repaired", "waived"] = "open",
) -> DriftFlag:
    return DriftFlag(level=level, statement_id=where, problem=problem, detected_by=by, state=state)


def describe(doubt: Doubt) -> str:
    """A doubt as a flag's sentence; it names the kind, not the raw words, since flags may be shown."""
    return {
        "alias": f"a name that is {doubt.reason} was not replaced",
        "date": f"a date mention ({doubt.reason}) cannot be shifted by rule",
        "calendar": "a calendar word lies outside every date mention",
        "shape": "a handle, tag or address was left",
    }[doubt.kind]


@dataclass
class Mended:
    """A statement after phase C."""

    statement: Compared
    flags: list[DriftFlag]
    open_words: list[tuple[str, str]]
    """Words that wait for a person, with the problem."""


def mend(
    statement: Compared,
    code_problems: Sequence[str],
    proposals: Sequence[DriftProblem],
    decisions: dict[str, Edit | None],
    matcher: Matcher,
) -> Mended:
    """Apply a person's decisions, then the model's proposals, and say what stays open.

    `decisions` maps words to an edit, or to None where a person lets them stand.
    """
    result = Mended(statement, [], [])
    for problem in code_problems:
        result.flags.append(_flag("paragraph", statement.statement_id, problem, "code"))
        result.open_words.append(("", problem))
    todo: list[tuple[str, str, Literal["code", "model"], Edit | None]] = []
    for doubt in statement.doubts:
        match = next((p for p in proposals if fold(doubt.words) in fold(p.words)), None)
        todo.append((doubt.words, describe(doubt), "code", _edit(match)))
    for proposal in proposals:
        if not any(fold(doubt.words) in fold(proposal.words) for doubt in statement.doubts):
            todo.append((proposal.words, proposal.problem, "model", _edit(proposal)))
    for words, problem, by, edit in todo:
        state: Literal["open", "repaired", "waived"] = "open"
        if words in decisions and decisions[words] is None:
            state = "waived"
        else:
            chosen = decisions.get(words) or edit
            if chosen is not None and not why_not(result.statement, chosen, matcher):
                after = apply(result.statement.text, chosen)
                result.statement = replace(result.statement, text=after)
                state = "repaired"
        level: Literal["paragraph", "event"] = "paragraph" if by == "code" else "event"
        result.flags.append(_flag(level, statement.statement_id, problem, by, state))
        if state == "open":
            result.open_words.append((words, problem))
    return result


def _edit(proposal: DriftProblem | None) -> Edit | None:
    if proposal is None or proposal.remedy == "none":
        return None
    if proposal.remedy == "replace" and not proposal.replacement.strip():
        return None
    return Edit(proposal.words, proposal.replacement if proposal.remedy == "replace" else "")


def shown(statement: Compared) -> dict[str, object]:
    """What the comparison prompt shows of a statement."""
    return {
        "id": statement.statement_id,
        "raw": statement.raw,
        "anonymised": to_tokens(statement.text),
        "clues": [doubt.words for doubt in statement.doubts],
    }
