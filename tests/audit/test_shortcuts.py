"""Structure is worth exactly nothing; text attackers are measured with honest intervals."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from factory.audit import structure
from factory.audit.intervals import Scored, bootstrap
from factory.audit.shortcuts import LETTERS, ShortcutAudit, audit_events, audit_shortcuts, judge
from factory.audit.text_attackers import clause_of, positions
from factory.bank.phrasing import QUESTIONS, question_text
from factory.segments import from_tokens, render
from schemas import LANGS, AnonStatement, Bank, Lang
from tests.bank.arcs import Arc, Built, arc16, build, demo_arc, make_arc


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


def wide_arc() -> Arc:
    return make_arc([i * 9 for i in range(26)], [40 + 18 * i for i in range(9)], tail_days=90)


@pytest.fixture(scope="module")
def audited(built: Built) -> ShortcutAudit:
    return audit_shortcuts(built.bank, built.arc.timeline)


@pytest.fixture(scope="module")
def wide() -> Built:
    return build(wide_arc())


def test_every_structural_rule_and_model_scores_exactly_fifty(built: Built) -> None:
    chances = structure.rules(built.bank) | structure.fitted(built.bank)
    assert {f"fitted boosting: {view}" for view in structure.VIEWS} <= set(chances)
    assert {"fitted logistic: whole bank", "constant 0", "window"} <= set(chances)
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
    assert structure.score(kept, structure.fitted(bank)["fitted boosting: window"]) > 60


def alone(bank: Bank) -> Bank:
    """False claims come alone, true ones with the rest of their family in the prompt."""
    shortest = {
        (q.claim_id, q.point_id): min(
            r.window_days
            for r in bank.questions
            if (r.claim_id, r.point_id) == (q.claim_id, q.point_id)
        )
        for q in bank.questions
    }
    return bank.model_copy(
        update={
            "questions": tuple(
                q
                for q in bank.questions
                if q.answer or q.window_days == shortest[q.claim_id, q.point_id]
            )
        }
    )


def once(bank: Bank) -> Bank:
    """Every false claim is asked at one point and another takes its place at the next; true ones live on."""
    rows = tuple(
        q
        if q.answer
        else q.model_copy(
            update={n: f"{getattr(q, n)} {q.point_id}" for n in ("claim_id", "family_id")}
        )
        for q in bank.questions
    )
    return bank.model_copy(update={"questions": rows})


@pytest.mark.parametrize(("change", "sees"), [(alone, "siblings"), (once, "earlier points")])
def test_each_view_sees_what_the_one_before_does_not(
    wide: Built, change: Callable[[Bank], Bank], sees: structure.View
) -> None:
    bank = change(wide.bank)
    chances = structure.fitted(bank)
    scores = {
        view: structure.score(bank.questions, chances[f"fitted boosting: {view}"])
        for view in structure.VIEWS
    }
    views = list(structure.VIEWS)
    assert structure.unequal_twins(bank, sees)
    assert scores[sees] > 60
    assert scores[sees] > scores[views[views.index(sees) - 1]] + 4
    if change is once:
        assert structure.unequal_twins(bank, "siblings") == []
        assert scores["siblings"] == pytest.approx(50)


def test_labels_are_no_feature(built: Built) -> None:
    swapped = tuple(
        q.model_copy(update={"answer": 1 - q.answer, "type": "D"}) for q in built.bank.questions
    )
    bank = built.bank.model_copy(update={"questions": swapped})
    assert structure.features(bank) == structure.features(built.bank)


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


def test_who_knows_the_type_letter_gains_and_it_is_printed(audited: ShortcutAudit) -> None:
    assert audited.letter is not None
    assert audited.letter > 55
    assert audited.scores[LETTERS] == audited.letter
    assert audited.scores["fitted boosting: type and level (never shown)"] > 52
    assert not any("never shown" in name for name in audited.intervals)


def tell(bank: Bank) -> Bank:
    """Write a giveaway into every false question."""
    rows = tuple(
        q if q.answer else q.model_copy(update={"text": {k: f"{v} 彻底 entirely" for k, v in q.text.items()}})
        for q in bank.questions
    )  # fmt: skip
    return bank.model_copy(update={"questions": rows})


def test_words_that_mark_made_up_claims_fail_the_audit(wide: Built) -> None:
    audit = audit_shortcuts(tell(wide.bank))
    assert audit.state == "failed"
    assert audit.scores["absolute words en"] > 70
    assert audit.scores["absolute words zh"] > 70
    assert audit.scores["constant 1"] == 50
    assert audit.scores["words en rounded"] > 70
    assert audit.scores["neighbours en rounded"] > 55
    assert len(audit.intervals) == 2 * (
        1 + 4 * 2
    )  # each as it is and rounded; no timeline, no contexts


def test_a_question_that_its_context_foretells_is_found(wide: Built) -> None:
    said = {
        q.claim_id: AnonStatement(
            statement_id=f"s-{q.claim_id}",
            text={lang: from_tokens(clause_of(q.text[lang], lang)) for lang in LANGS},
        )
        for q in wide.bank.questions
        if q.answer
    }
    first, *rest = wide.arc.timeline.nodes
    told = wide.arc.timeline.model_copy(
        update={"nodes": (first.model_copy(update={"fact": tuple(said.values())}), *rest)}
    )
    audit = audit_shortcuts(wide.bank, told)
    assert audit.state == "failed"
    for lang in LANGS:
        assert audit.scores[f"context words {lang} rounded"] > 90
        assert audit.scores[f"context meaning {lang} rounded"] > 90


def test_same_input_same_figures(built: Built, audited: ShortcutAudit) -> None:
    assert audited == audit_shortcuts(built.bank, built.arc.timeline)
    assert {"context words en", "context meaning zh rounded"} <= set(audited.intervals)


@pytest.mark.parametrize("lang", LANGS)
def test_attackers_see_the_clause_without_its_window(lang: Lang) -> None:
    clause = from_tokens("⟦GOV:A⟧ approves the plan" if lang == "en" else "⟦GOV:A⟧批准方案")
    for variant in range(len(QUESTIONS)):
        text = question_text(clause, date(2031, 5, 2), date(2031, 6, 1), lang, variant)
        assert clause_of(text, lang) == render(clause, lang)
    assert clause_of("Is it so?", lang) == "Is it so?"


def test_a_place_in_the_prompt_is_an_attacker(built: Built, audited: ShortcutAudit) -> None:
    # Ids are opaque; a bank whose ids sort by answer is caught.
    rows = sorted(built.bank.questions, key=lambda q: (q.point_id, -q.answer))
    named = tuple(q.model_copy(update={"question_id": f"q{i:04d}"}) for i, q in enumerate(rows))
    bank = built.bank.model_copy(update={"questions": named})
    assert positions(bank).shape == (len(rows), 2)
    assert audit_shortcuts(bank).scores["position rounded"] > 90
    assert audited.scores["position rounded"] < 65


def test_several_events_are_attacked_by_models_of_the_others(built: Built) -> None:
    banks = {"e-one": built.bank, "e-two": build(arc16(seed=3), seed=5).bank}
    clean = audit_events({name: (bank, None) for name, bank in banks.items()})
    assert clean.scores["fitted boosting: whole bank"] == pytest.approx(50)
    assert set(clean.by_event) == set(banks)
    assert clean == audit_events({name: (banks[name], None) for name in reversed(banks)})
    told = audit_events({name: (tell(bank), None) for name, bank in banks.items()})
    assert told.state == "failed"
    assert all(scores["absolute words en"] > 70 for scores in told.by_event.values())


def test_one_event_cannot_be_left_out() -> None:
    audit = audit_events({"e-one": (build(demo_arc()).bank, None)})
    assert (audit.state, audit.scores) == ("not evaluated", {})
    assert "two are needed" in audit.reason


def test_intervals_resample_pairs_and_not_questions(built: Built) -> None:
    questions = built.bank.questions
    chances = [0.9 if q.answer else 0.3 for q in questions[: len(questions) // 2]]
    chances += [0.2 if q.answer else 0.6 for q in questions[len(questions) // 2 :]]
    pairs = {p: i for i, p in enumerate(sorted({q.pair_id for q in questions}))}
    found = bootstrap(
        questions, {"a": chances, "b": chances}, [pairs[q.pair_id] for q in questions]
    )
    clustered = found["a"]
    assert found["b"] == clustered
    single = bootstrap(questions, {"a": chances}, list(range(len(questions))))["a"]
    assert clustered.floor < clustered.low <= clustered.score <= clustered.high
    assert single.floor == single.low
    assert clustered.score == single.score
    assert clustered.half_width != pytest.approx(single.half_width, rel=0.02)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [(49, 53, "passed"), (54, 58, "passed"), (56, 58, "failed"), (40, 60, "not evaluated")],
)
def test_the_lower_end_decides_and_a_wide_interval_says_nothing(
    low: float, high: float, state: str
) -> None:
    assert judge({"words en": Scored((low + high) / 2, low, high, low)})[0] == state


def test_the_best_of_many_must_exceed_a_lower_end_of_its_own() -> None:
    assert judge({"words en": Scored(60, 56, 64, 54)})[0] == "passed"


def test_a_claim_never_stands_on_both_sides_of_a_fold(wide: Built) -> None:
    # Each claim lives at many points with one label: a fold that split it would measure memory and find it.
    named = tuple(
        q.model_copy(update={"text": {k: f"{v} {q.claim_id}" for k, v in q.text.items()}})
        for q in wide.bank.questions
    )
    audit = audit_shortcuts(wide.bank.model_copy(update={"questions": named}))
    assert audit.intervals["words en"].score < 75
    assert audit.intervals["neighbours en"].score < 75
