"""Claims that the timeline contradicts: the sentence stands there, and nobody is asked after having read it."""

from __future__ import annotations

from collections.abc import Iterator

from factory.audit.case import Case
from factory.audit.rules import Hit
from factory.bank.clause import by_statement
from factory.segments import to_tokens
from schemas import Occurrence


def refutations(case: Case) -> Iterator[Hit]:
    """Contradictions of asked claims can be read in the timeline and end the asking."""
    sentences = by_statement(case.timeline)
    lang = case.timeline.lang

    def stands(shown: Occurrence) -> bool:
        found = sentences.get(shown.statement_id)
        return (
            found is not None
            and found[0].node_id == shown.node_id
            and lang in found[1].text
            and shown.quote in to_tokens(found[1].text[lang])
        )

    published = {node.node_id: node.date for node in case.timeline.nodes}
    for resolution in case.resolutions:
        if resolution.claim_id not in case.asked:
            continue
        shown = [p.against for p in resolution.passes if p.against is not None]
        days = [published[o.node_id] for o in shown if o.node_id in published]
        first = min(days, default=None) if resolution.state == "never" else None
        if not all(map(stands, shown)) or resolution.refuted_on != first:
            yield "refutation", resolution.claim_id
    for question in case.bank.questions:
        claim = case.by_claim.get(question.claim_id)
        resolved = case.resolved.get(question.claim_id)
        if claim is None or resolved is None or claim.cadence != "once":
            continue
        if resolved.refuted_on is not None and question.window_start > resolved.refuted_on:
            yield "after-refutation", question.question_id
