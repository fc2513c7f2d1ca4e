"""Promises of the anonymised stance target: names and days are replaced, and what is in doubt is left out."""

from __future__ import annotations

from datetime import date

import pytest

from factory.anonymise.match import Matcher
from factory.anonymise.target import stance_target
from factory.segments import to_tokens
from schemas import Alias, Entity, Lang, ReplacementTable, StanceTarget

DOCUMENTS = ["The city closed the ferry. People oppose the decision to close the ferry."] * 3
TABLE = ReplacementTable(
    entities=(
        Entity(
            entity_id="e1",
            cls="PLC",
            label="A",
            aliases=(
                Alias(surface="Houwei", lang="any", origin="model"),
                Alias(surface="后尾", lang="zh", match="exact", origin="model"),
            ),
        ),
    )
)


def target(words: str, lang: Lang = "en") -> StanceTarget:
    return stance_target(
        words, lang, Matcher(TABLE), DOCUMENTS, anchor=date(2026, 5, 1), offset=-63
    )


@pytest.mark.parametrize(
    ("words", "lang", "shown"),
    [
        ("the decision to close the Houwei ferry", "en", "the decision to close the ⟦PLC:A⟧ ferry"),
        ("后尾渡轮停运的决定", "zh", "⟦PLC:A⟧渡轮停运的决定"),
    ],
)
def test_names_become_references(words: str, lang: Lang, shown: str) -> None:
    made = target(words, lang)
    assert made.text is not None
    assert to_tokens(made.text) == shown
    assert made.reason == ""


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("", "names no stance target"),
        ("the decision of 3 May 2026 on the ferry", "a date or a figure"),
        ("the 40 million plan for the ferry", "a date or a figure"),
        ("the plan of Councillor Ostrander for the ferry", "a name that no table knows"),
    ],
)
def test_what_cannot_be_shown_safely_is_left_out_with_its_reason(words: str, reason: str) -> None:
    made = target(words)
    assert made.text is None
    assert reason in made.reason
