"""Phase C, repair: other words for a flagged place, taken only when every invariant holds.

A model or a person proposes words for a flagged stretch of plain text. The stretch alone is replaced, and only
if the words in doubt are gone, references and dates stay as they are, no figure, name, calendar word, handle,
capitalised or foreign word comes in, no negation or cause is lost, the length changes by at most 30 %, and the
grammar is no worse. Otherwise the flag stays open, waits for a person and blocks a release.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from factory.anonymise.brought import Inside, foreign_words, keeps_clue, new_capitals
from factory.anonymise.drift_grammar import damage
from factory.anonymise.entities import Answer
from factory.anonymise.match import Matcher, fold, on_edges
from factory.anonymise.segments import Doubt, join, plain_words
from factory.anonymise.shapes import SHAPES
from factory.audit.calendar_net import calendar_words
from factory.nameforms.normal_forms import NameSearch
from factory.segments import numbers, to_tokens
from schemas import (
    DateRef,
    DriftFlag,
    EntityRef,
    Lang,
    Number,
    Plain,
    ReplacementTable,
    Segment,
    SegmentText,
)

Level = Literal["paragraph", "event", "narrative"]
State = Literal["open", "repaired", "waived"]
LENGTH = 0.3
"""Most by which a repair may lengthen or shorten a statement, as a share of its plain words."""
SLACK: dict[Lang, int] = {"en": 12, "zh": 6}
"""Characters that a repair may always add or take, so that a theme of three words can be mended at all."""
_FIGURE_WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|dozens?|half|twice)\b|[二三四五六七八九十百千万亿]",
    re.IGNORECASE,
)
_NEGATION_OR_CAUSE = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|because|since|so|therefore|thus|hence|due|despite|although|"
    r"though|unless|if|caused?|led)\b|n['’]t\b|[不没未无非勿]|因为|因此|由于|所以|导致|致使|尽管|虽然|除非|如果|若",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:。！？：]\s*[\"”’“‘]?\s*|[“\"‘(]\s*)$")


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


@dataclass(frozen=True)
class Guard:
    """What an edit is judged by: the substituter's names, and the scanner's own search for them."""

    matcher: Matcher
    search: NameSearch
    inside: Inside
    lang: Lang

    @classmethod
    def of(cls, matcher: Matcher, lang: Lang) -> Guard:
        """The guard of a table as its matcher holds it, for texts in `lang`."""
        table = ReplacementTable(entities=tuple(matcher.entities.values()))
        return cls(matcher, NameSearch(table), Inside(table), lang)

    def names(self, words: str) -> Counter[str]:
        """Names in plain words, by either search."""
        found = Counter(fold(words[hit.start : hit.end]) for hit in self.matcher.find(words))
        found.update(fold(name) for _, name in self.search.find([words]))
        return found


def flag(
    level: Level, where: str, problem: str, by: Literal["code", "model"], state: State = "open"
) -> DriftFlag:
    """A flag of phase C; `where` is a statement, or a node at narrative level."""
    return DriftFlag(level=level, statement_id=where, problem=problem, detected_by=by, state=state)


def _places(run: str, words: str) -> list[int]:
    """Where words stand in a run of plain text, not as a part of longer ones."""
    places, start = [], run.find(words)
    while start >= 0:
        if on_edges(run, start, start + len(words)):
            places.append(start)
        start = run.find(words, start + max(len(words), 1))
    return places


def _runs(text: SegmentText) -> Iterator[str | Segment]:
    """Runs of plain words and figures, and the references between them."""
    run = ""
    for segment in text:
        if isinstance(segment, Plain | Number):
            run += segment.text
            continue
        if run:
            yield run
            run = ""
        yield segment
    if run:
        yield run


def apply(text: SegmentText, edit: Edit) -> SegmentText:
    """The text with a place reworded, wherever its words stand by themselves; references are untouched."""
    out: list[Segment | None] = []
    for part in _runs(text):
        if not isinstance(part, str):
            out.append(part)
            continue
        changed = part
        for start in reversed(_places(part, edit.words)):
            before, after = changed[:start], changed[start + len(edit.words) :]
            if not edit.replacement and re.match(r"[,.;:!?)]|$", after):
                before = before.rstrip(" ")
            changed = before + edit.replacement + after
        if changed != part:
            changed = re.sub(r" {2,}", " ", changed)
        if changed:
            out.append(Plain(text=changed))
    return join(out)


def why_not(statement: Compared, edit: Edit, guard: Guard, *, by_person: bool = False) -> str:
    """Why an edit may not be made; empty when every invariant holds.

    A person may change length, negation and cause, and reword every place at once; nobody may bring in a name,
    a date or a figure, or keep the words in doubt and call them reworded.
    """
    before = plain_words(statement.text)
    places = sum(
        len(_places(part, edit.words)) for part in _runs(statement.text) if isinstance(part, str)
    )
    clues = [d.words for d in statement.doubts if fold(d.words) in fold(edit.words)]
    clue = bool(clues)
    if not places:
        return "its words are not in the plain text"
    if places > 1 and not clue and not by_person:
        return "its words stand at several places"
    if "⟦" in edit.replacement or "⟧" in edit.replacement:
        return "it brings a token"
    if any(keeps_clue(words, edit.replacement) for words in clues):
        return "it keeps the words in doubt"
    text = apply(statement.text, edit)
    after = plain_words(text)
    if not any(char.isalnum() for char in after) and not _references(text):
        return "nothing is left of the statement"
    if _references(text) != _references(statement.text):
        return "it changes a reference or a date"
    return (
        _figures(statement.text, text, edit, clue=clue)
        or _brought(before, after, edit, guard)
        or ("" if by_person else _meaning(before, after, guard.lang))
        or _worse(statement, text, guard.lang)
    )


def _references(text: SegmentText) -> list[Segment]:
    return [segment for segment in text if isinstance(segment, EntityRef | DateRef)]


def _figures(before: SegmentText, after: SegmentText, edit: Edit, *, clue: bool) -> str:
    if any(char.isdigit() for char in edit.replacement):
        kept = re.findall(r"\d+", edit.replacement)
        if Counter(kept) - Counter(re.findall(r"\d+", edit.words)):
            return "it changes a figure"
    spelled = Counter(word.lower() for word in _FIGURE_WORDS.findall(edit.replacement))
    if spelled - Counter(word.lower() for word in _FIGURE_WORDS.findall(edit.words)):
        return "it brings a figure in words"
    # A clue may hold a figure (fiscal 2024) that has to go; no edit may bring one.
    lost_only = not numbers(after) - numbers(before)
    if numbers(after) != numbers(before) and not (clue and lost_only):
        return "it changes a figure"
    return ""


def _brought(before: str, after: str, edit: Edit, guard: Guard) -> str:
    """What an edit brings in that gives something away, its seams included."""
    if guard.names(after) - guard.names(before):
        return "it brings a name"
    words = Counter(found.lower() for _, _, found in calendar_words(after))
    if words - Counter(found.lower() for _, _, found in calendar_words(before)):
        return "it brings a calendar word"
    if Counter(SHAPES.findall(after)) - Counter(SHAPES.findall(before)):
        return "it brings a handle or an address"
    if guard.inside.found(before, after):
        return "it brings a word that holds a name"
    at = before.find(edit.words)
    opens = _SENTENCE_START.search(before[:at]) is not None
    if new_capitals(edit.replacement, before, opens=opens):
        return "it brings a capitalised word"
    if foreign_words(edit.replacement, before, guard.lang):
        return "it brings a word in the letters of another language"
    return ""


def _meaning(before: str, after: str, lang: Lang) -> str:
    def small(text: str) -> Counter[str]:
        return Counter(found.lower() for found in _NEGATION_OR_CAUSE.findall(text))

    if small(before) != small(after):
        return "it changes a negation or a cause"
    if abs(len(after) - len(before)) > max(LENGTH * len(before), SLACK[lang]):
        return "it makes the statement much longer or shorter"
    return ""


def _worse(statement: Compared, after: SegmentText, lang: Lang) -> str:
    """New damage to the grammar."""
    known = damage(statement.raw, statement.text, lang)
    fresh = [each for each in damage(statement.raw, after, lang) if each not in known]
    return f"it leaves broken grammar: {fresh[0]}" if fresh else ""


def describe(doubt: Doubt) -> str:
    """A doubt as a flag's sentence; it names the kind, not the raw words, since flags may be shown."""
    if doubt.kind == "alias":
        # The reason is what the words are (claimed by two entities) or what they do (reads like a placeholder).
        is_ = "" if doubt.reason.startswith("reads") else "is "
        return f"a name that {is_}{doubt.reason} was not replaced"
    return {
        "date": f"a date mention ({doubt.reason}) cannot be shifted by rule",
        "calendar": "a calendar word lies outside every date mention",
        "shape": "a handle, tag or address was left",
        "scan": f"the leak scan refuses {doubt.reason}",
    }[doubt.kind]


@dataclass
class Mended:
    """A statement after phase C."""

    statement: Compared
    flags: list[DriftFlag]
    open_words: list[tuple[str, str]]
    """Words that wait for a person, with the problem; no words where the whole statement is meant."""
    settled_words: list[tuple[str, str]]
    """The same where a person has decided, who may decide otherwise."""


def mend(
    statement: Compared,
    code_problems: Sequence[str],
    proposals: Sequence[DriftProblem],
    decisions: Mapping[str, Edit | None],
    guard: Guard,
) -> Mended:
    """Apply a person's decisions, then the model's proposals, and say what stays open.

    `decisions` maps flagged words, or the problem of a whole statement, to an edit, or to None where a person lets
    it stand.
    """
    result = Mended(statement, [], [], [])
    for problem in code_problems:
        waived = problem in decisions and decisions[problem] is None
        result.flags.append(
            flag(
                "paragraph",
                statement.statement_id,
                problem,
                "code",
                "waived" if waived else "open",
            )
        )
        (result.settled_words if waived else result.open_words).append(("", problem))
    todo: list[tuple[str, str, Literal["code", "model"], Edit | None]] = []
    for doubt in statement.doubts:
        match = next((p for p in proposals if fold(doubt.words) in fold(p.words)), None)
        todo.append((doubt.words, describe(doubt), "code", _edit(match)))
    for proposal in proposals:
        if not any(fold(doubt.words) in fold(proposal.words) for doubt in statement.doubts):
            todo.append((proposal.words, proposal.problem, "model", _edit(proposal)))
    for words, problem, by, proposed in todo:
        decided = decisions.get(words)
        state: State = "open"
        refused = ""
        if words in decisions and decided is None:
            state = "waived"
        elif result.statement is not statement and _gone(words, result.statement, statement):
            state = "repaired"  # an edit of another flag took these words away too
        elif (chosen := decided or proposed) is not None:
            refused = why_not(result.statement, chosen, guard, by_person=decided is not None)
            if not refused:
                after = apply(result.statement.text, chosen)
                result.statement = replace(result.statement, text=after)
                state = "repaired"
        level: Level = "paragraph" if by == "code" else "event"
        result.flags.append(flag(level, statement.statement_id, problem, by, state))
        if state == "open":
            why = f"{problem.rstrip('.')} (other words were refused: {refused})"
            result.open_words.append((words, why if refused else problem))
        elif words in decisions:
            result.settled_words.append((words, problem))
    return result


def _gone(words: str, after: Compared, before: Compared) -> bool:
    return fold(words) in fold(plain_words(before.text)) and not keeps_clue(
        words, plain_words(after.text)
    )


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
