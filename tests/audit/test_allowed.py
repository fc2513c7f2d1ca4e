"""What a person lets stand passes the scan in its own statement, and nowhere else."""

from __future__ import annotations

import json
from datetime import date

import pytest

from factory.audit.leak_prose import allowed_in
from factory.audit.scan import scan_files
from factory.segments import context_text, from_tokens
from schemas import AllowedHit, AnonNode, AnonStatement, AnonTimeline, ReplacementTable, Span

DAY = date(2026, 3, 2)


def arc(*texts: str) -> AnonTimeline:
    facts = tuple(
        AnonStatement(statement_id=f"s{number}", text={"en": from_tokens(text)}, happened_on=None)
        for number, text in enumerate(texts, 1)
    )
    node = AnonNode(node_id="n1", date=DAY, fact=facts, opinion=None)
    span = Span(observed_from=DAY, observed_until=DAY)
    return AnonTimeline(public_id="e-1", lang="en", span=span, nodes=(node,))


def found(timeline: AnonTimeline, *hits: AllowedHit) -> list[str]:
    files = {
        "contexts/en/p1.md": context_text(timeline.nodes, "en").encode(),
        "key/timeline.json": json.dumps(timeline.model_dump(mode="json")).encode(),
    }
    allowed = allowed_in(timeline, hits)
    table = ReplacementTable(entities=())
    return [row.rule for row in scan_files(files, table, allowed=allowed)]


FRIES = AllowedHit(statement_id="s1", rule="leak-real-name", words="French")


@pytest.mark.parametrize(
    ("texts", "passes"),
    [
        (("They ate French fries.", "They left."), True),
        (("Group met 12 people over French fries on ⟦D:2026-03-01⟧.",), True),
        (("They ate French fries.", "They spoke French."), False),
        (("They ate French fries.", "On Sunday: They ate French fries. They left."), False),
        (("They ate French fries in Paris.",), False),
        (("They left.", "They ate French fries."), False),
        (("They ate French fries on Good Friday.",), False),
    ],
)  # fmt: skip
def test_an_allowed_hit_passes_in_its_own_statement_only(
    texts: tuple[str, ...], passes: bool
) -> None:
    assert found(arc(*texts))
    assert (found(arc(*texts), FRIES) == []) == passes


def test_an_allowed_hit_of_another_rule_or_of_no_statement_allows_nothing() -> None:
    timeline = arc("They ate French fries.")
    for update in ({"rule": "leak-calendar"}, {"statement_id": "s9"}, {"words": "fries"}):
        assert found(timeline, FRIES.model_copy(update=update)) == ["leak-real-name"]
