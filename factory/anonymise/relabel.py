"""Whether hiding the event changed a label: each question is answered again from the raw timeline's own days.

A resolution names sentences of the timeline by id. Their raw days are looked up, the window is moved back, and the
answer must come out the same. What this cannot show is whether a model that reads the raw words would find other
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from factory.anonymise.apply import raw_statements
from factory.anonymise.figures import wilson
from schemas import Proportion, Question, Resolution, Timeline


def labels_unchanged(
    timeline: Timeline,
    questions: Sequence[Question],
    resolutions: Sequence[Resolution],
    offset: int,
) -> Proportion | None:
    """Share of answers that the raw days confirm; None without a question that is resolved.

    An occurrence in a sentence that the raw timeline does not have counts as no occurrence.
    """
    days = {
        raw.statement_id: raw.happened_on or node.date
        for node in timeline.nodes
        for raw in raw_statements(node)
    }
    resolved = {row.claim_id: row for row in resolutions if row.state != "annulled"}
    step = timedelta(days=offset)
    same = total = 0
    for question in questions:
        resolution = resolved.get(question.claim_id)
        if resolution is None:
            continue
        start, end = question.window_start - step, question.window_end - step
        told = (days.get(o.statement_id) for o in resolution.occurrences)
        total += 1
        same += question.answer == any(day is not None and start <= day <= end for day in told)
    return wilson(same, total) if total else None
