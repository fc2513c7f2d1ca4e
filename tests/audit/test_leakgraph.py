"""Texts that one system sees in one session must not answer each other."""

from __future__ import annotations

from typing import Any

import pytest

from factory.audit.leakgraph import leak_graph
from factory.segments import from_tokens
from schemas import Claim
from tests.bank.arcs import Built, arc16, build


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


def neighbours(built: Built) -> tuple[Claim, Claim]:
    """Two claims of one calibration session that are no twins of an `own` pair."""
    own = {p.pair_id for p in built.pairs if p.relation == "own"}
    first = next(q for q in built.bank.questions if q.pair_id not in own)
    second = next(
        q
        for q in built.bank.questions
        if q.pair_id not in own
        and (q.point_id, q.prompt) == (first.point_id, first.prompt)
        and q.claim_id != first.claim_id
    )
    by_id = {c.claim_id: c for c in built.claims}
    return by_id[first.claim_id], by_id[second.claim_id]


def reworded(built: Built, claim: Claim, text: dict[str, str]) -> list[Claim]:
    changed = claim.model_copy(update={"text": {k: from_tokens(v) for k, v in text.items()}})
    return [changed if c.claim_id == claim.claim_id else c for c in built.claims]


def rules(built: Built, claims: list[Claim], **changes: Any) -> set[str]:
    return {f.rule for f in leak_graph(changes.get("bank", built.bank), claims, built.pairs)}


BASE = {
    "en": "⟦GOV:A⟧ closes the old ferry pier to all passenger boats",
    "zh": "⟦GOV:A⟧对所有客船关闭旧渡轮码头",
}


def asked(built: Built, text: dict[str, str]) -> set[str]:
    a, b = neighbours(built)
    first = reworded(built, a, BASE)
    changed = b.model_copy(update={"text": {k: from_tokens(v) for k, v in text.items()}})
    return rules(built, [changed if c.claim_id == b.claim_id else c for c in first])


def test_a_composed_bank_has_no_edge(built: Built) -> None:
    assert leak_graph(built.bank, built.claims, built.pairs) == []


def test_a_text_inside_a_sibling_is_found(built: Built) -> None:
    assert "sibling-answers" in asked(
        built, {"en": BASE["en"] + " after a storm", "zh": "风暴过后" + BASE["zh"]}
    )


def test_punctuation_and_case_do_not_hide_it(built: Built) -> None:
    assert "sibling-answers" in asked(
        built, {"en": BASE["en"].replace("the old", "the OLD,"), "zh": BASE["zh"]}
    )


def test_nearly_the_same_words_of_the_same_names_are_found(built: Built) -> None:
    assert "near-duplicate" in asked(
        built, {"en": BASE["en"].replace("to all", "for all"), "zh": "⟦GOV:A⟧撤销港口许可"}
    )


@pytest.mark.parametrize(
    "text",
    [
        {k: v.replace("GOV:A", "GOV:B") for k, v in BASE.items()},
        {"en": "⟦GOV:A⟧ opens a public inquiry into rents", "zh": "⟦GOV:A⟧就租金展开公开调查"},
    ],
    ids=["other names", "other words"],
)
def test_other_names_or_other_words_are_no_edge(built: Built, text: dict[str, str]) -> None:
    assert not asked(built, text)


def test_the_axes_are_separate_sessions(built: Built) -> None:
    event = built.bank.events[0]
    question = next(q for q in built.bank.questions if q.point_id == event.point_id)
    claim = next(c for c in built.claims if c.claim_id == question.claim_id)
    twin = next(c for c in built.claims if c.claim_id == event.claim_id)
    same = [
        claim.model_copy(update={"text": twin.text}) if c.claim_id == claim.claim_id else c
        for c in built.claims
    ]
    others = {e.claim_id for e in built.bank.events} | {q.claim_id for q in built.bank.questions}
    here = {
        f.rule
        for f in leak_graph(
            built.bank.model_copy(update={"questions": (question,), "events": (event,)}),
            [c for c in same if c.claim_id in others],
            (),
        )
    }
    assert here == set()


def test_two_events_of_one_point_are_one_session(built: Built) -> None:
    first = built.bank.events[0]
    second = next(
        e
        for e in built.bank.events
        if e.point_id == first.point_id and e.claim_id != first.claim_id
    )
    claim = next(c for c in built.claims if c.claim_id == first.claim_id)
    claims = [
        c.model_copy(update={"text": claim.text}) if c.claim_id == second.claim_id else c
        for c in built.claims
    ]
    assert "sibling-answers" in rules(built, claims)


def test_the_two_sides_of_an_own_pair_are_no_edge(built: Built) -> None:
    pair = next(p for p in built.pairs if p.relation == "own")
    true = next(c for c in built.claims if c.claim_id == pair.true_claim)
    claims = [
        c.model_copy(update={"text": true.text}) if c.claim_id == pair.false_claim else c
        for c in built.claims
    ]
    bank = built.bank.model_copy(
        update={"questions": tuple(q for q in built.bank.questions if q.pair_id == pair.pair_id)}
    )
    assert rules(built, claims, bank=bank) == set()
