"""From a day's verified sentences to the sentences of its node.

A merged sentence keeps the evidence of everything it is made of. When its wording brings in a figure, a language
or a second day that its parts do not have, the parts stand in their own words instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from factory.distil.answers import MergedSentence
from factory.distil.evidence import Draft, foreign_figures, in_language
from factory.stage import StageContext
from schemas import Evidence, Statement

EARLIER_DAYS = 3
"""Earlier days with news whose sentences are shown, so that a repetition can be left out."""


def merged(
    ctx: StageContext,
    day: date,
    layer: str,
    sentences: Sequence[MergedSentence],
    drafts: Sequence[Draft],
) -> list[Draft]:
    """The layer (`F` or `O`) as merged; every draft is used, falls back to its own words, or is rejected."""
    used: set[int] = set()
    result: list[Draft] = []
    for number, sentence in enumerate(sentences, 1):
        name = f"{day}:merge:{layer}{number}"
        picks = _picks(sentence, layer, len(drafts))
        if not picks:
            ctx.reject(name, "merged from nothing", ", ".join(sentence.picks))
            continue
        fresh = [pick for pick in picks if pick not in used]
        if not fresh:
            ctx.reject(name, "merged twice", ", ".join(sentence.picks))
            continue
        used.update(picks)
        parts = [drafts[pick] for pick in picks]
        text = " ".join(sentence.text.split())
        problem = _problem(ctx, day, text, parts)
        if problem:
            ctx.reject(name, problem, text[:200])
            result += [drafts[pick] for pick in fresh]
        else:
            result.append(_join(text, parts))
    for index, draft in enumerate(drafts):
        if index not in used:
            ctx.reject(f"{day}:{layer}{index + 1}", "left out when merging", draft.text[:200])
    return result


def _picks(sentence: MergedSentence, layer: str, count: int) -> list[int]:
    numbers = [int(label[1:]) - 1 for label in sentence.picks if label[0] == layer]
    return list(dict.fromkeys(n for n in numbers if 0 <= n < count))


def _problem(ctx: StageContext, day: date, text: str, parts: Sequence[Draft]) -> str:
    days = {part.happened_on for part in parts if part.happened_on is not None}
    if len(days) > 1:
        return "merged over different days"
    if not in_language(text, ctx.event.lang):
        return "not in the master language"
    support = [words for part in parts for words in (part.text, *(e.quote for e in part.evidence))]
    if foreign_figures(text, support, [day, *days]):
        return "figure not in its parts"
    return ""


def _join(text: str, parts: Sequence[Draft]) -> Draft:
    evidence: list[Evidence] = []
    for part in parts:
        evidence += [found for found in part.evidence if found not in evidence]
    days = [part.happened_on for part in parts if part.happened_on is not None]
    return Draft(text, tuple(evidence), days[0] if days else None)


def statements(
    ctx: StageContext, node_id: str, drafts: Iterable[Draft], taken: set[str]
) -> tuple[Statement, ...]:
    """Statements with ids that follow from their evidence, so that a reworded sentence keeps its id."""
    result = []
    for draft in drafts:
        parts = sorted({f"{found.item_id}\x1e{found.quote}" for found in draft.evidence})
        statement_id, turn = ctx.new_id("s", node_id, *parts), 1
        while statement_id in taken:
            turn += 1
            statement_id = ctx.new_id("s", node_id, *parts, turn)
        taken.add(statement_id)
        result.append(
            Statement(
                statement_id=statement_id,
                text=draft.text,
                happened_on=draft.happened_on,
                evidence=draft.evidence,
            )
        )
    return tuple(result)
