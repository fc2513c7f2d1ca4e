"""Structure is worth exactly nothing; text attackers are measured with honest intervals."""

from __future__ import annotations

import pytest

from factory.audit import structure
from factory.audit.shortcuts import Scored, _judge, audit_shortcuts, bootstrap
from schemas import Bank
from tests.bank.arcs import Arc, Built, arc16, build, demo_arc, make_arc


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


def test_every_structural_rule_and_model_scores_exactly_fifty(built: Built) -> None:
    chances = structure.rules(built.bank) | structure.fitted(built.bank)
    assert {"fitted tree", "fitted logistic", "constant 0", "window"} <= set(chances)
    for name, values in chances.items():
        assert structure.score(built.bank.questions, values) == pytest.approx(50, abs=1e-9), name


def test_a_single_removed_question_ends_the_proof(built: Built) -> None:
    bank = built.bank.model_copy(update={"questions": built.bank.questions[1:]})
    assert structure.unequal_twins(bank)
    assert structure.score(bank.questions, structure.rules(bank)["constant 1"]) != pytest.approx(50)


def test_an_unbalanced_bank_is_open_to_structure(built: Built) -> None:
    kept = tuple(q for q in built.bank.questions if q.answer or q.window_days <= 14)
    bank = built.bank.model_copy(update={"questions": kept})
    assert structure.score(kept, structure.rules(bank)["long window"]) > 60
    assert structure.score(kept, structure.fitted(bank)["fitted tree"]) > 60


def test_scores_follow_the_published_formula(built: Built) -> None:
    question = next(q for q in built.bank.questions if q.window_days == 30 and q.answer)
    assert structure.weight(question) == pytest.approx(1 / 2.2 * 30 / 34)
    assert structure.score([question], [0.8]) == pytest.approx(80)
    with pytest.raises(ValueError, match="no questions"):
        structure.score([], [])


def test_a_small_bank_is_not_evaluated_but_its_rules_are_printed() -> None:
    audit = audit_shortcuts(build(demo_arc()).bank)
    assert audit.state == "not evaluated"
    assert "pairs" in audit.reason
    assert audit.scores["constant 1"] == 50
    assert audit.unequal == ()


def test_an_empty_bank_is_not_evaluated() -> None:
    assert audit_shortcuts(Bank(points=(), questions=(), events=())).state == "not evaluated"


def test_who_knows_the_type_letter_gains_and_it_is_printed(built: Built) -> None:
    letter = audit_shortcuts(built.bank).letter
    assert letter is not None
    assert letter > 55


def wide_arc() -> Arc:
    return make_arc([i * 9 for i in range(26)], [40 + 18 * i for i in range(9)], tail_days=90)


def tell(built: Built) -> Bank:
    """Write a giveaway into every false question."""
    rows = tuple(
        q if q.answer else q.model_copy(update={"text": {k: f"{v} 彻底 entirely" for k, v in q.text.items()}})
        for q in built.bank.questions
    )  # fmt: skip
    return built.bank.model_copy(update={"questions": rows})


def test_words_that_mark_made_up_claims_fail_the_audit() -> None:
    built = build(wide_arc())
    audit = audit_shortcuts(tell(built))
    assert audit.state == "failed"
    assert audit.scores["absolute words en"] > 70
    assert audit.scores["absolute words zh"] > 70
    assert audit.scores["constant 1"] == 50


def test_intervals_resample_pairs_and_not_questions(built: Built) -> None:
    questions = built.bank.questions
    chances = [0.9 if q.answer else 0.3 for q in questions[: len(questions) // 2]]
    chances += [0.2 if q.answer else 0.6 for q in questions[len(questions) // 2 :]]
    pairs = {p: i for i, p in enumerate(sorted({q.pair_id for q in questions}))}
    clustered = bootstrap(questions, chances, [pairs[q.pair_id] for q in questions], tail=0.025)
    single = bootstrap(questions, chances, list(range(len(questions))), tail=0.025)
    assert clustered.low <= clustered.score <= clustered.high
    assert clustered.score == single.score
    assert clustered.half_width != pytest.approx(single.half_width, rel=0.02)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [(49, 53, "passed"), (54, 58, "passed"), (56, 58, "failed"), (40, 60, "not evaluated")],
)
def test_the_lower_end_decides_and_a_wide_interval_says_nothing(
    low: float, high: float, state: str
) -> None:
    assert _judge({"text en": Scored((low + high) / 2, low, high)})[0] == state


def test_a_claim_never_stands_on_both_sides_of_a_fold() -> None:
    # Each claim lives at many points with one label: a fold that split it would measure memory and find it.
    built = build(wide_arc())
    named = tuple(
        q.model_copy(update={"text": {k: f"{v} {q.claim_id}" for k, v in q.text.items()}})
        for q in built.bank.questions
    )
    audit = audit_shortcuts(built.bank.model_copy(update={"questions": named}))
    assert audit.intervals["text en"].score < 75
