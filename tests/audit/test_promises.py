"""Every promise of a bank is caught when it is broken, under its own rule's name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from factory.audit.rules import RULES, collect
from factory.segments import from_tokens
from schemas import Bank, Claim, Question, Resolution, TemporalEvent
from tests.bank.arcs import Built, arc16, build


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


def first_true(built: Built) -> Question:
    return next(q for q in built.bank.questions if q.answer and q.window_days == 30)


def with_question(built: Built, question: Question, **changes: Any) -> Bank:
    changed = question.model_copy(update=changes)
    rows = tuple(changed if q is question else q for q in built.bank.questions)
    return built.bank.model_copy(update={"questions": rows})


def with_event(built: Built, **changes: Any) -> Bank:
    first = built.bank.events[0]
    rows = (first.model_copy(update=changes), *built.bank.events[1:])
    return built.bank.model_copy(update={"events": rows})


def test_a_composed_bank_is_clean(built: Built) -> None:
    assert built.check() == []


QUESTION_MUTATIONS: list[tuple[str, Callable[[Question], dict[str, Any]], str]] = [
    ("answer", lambda q: {"answer": 1 - q.answer}, "label"),
    ("answer", lambda q: {"answer": 1 - q.answer}, "twin-labels"),
    ("evidence", lambda q: {"evidence": ()}, "label-evidence"),
    ("evidence day", lambda q: {"evidence": (q.evidence[0].model_copy(update={"happened_on": q.window_end}),)}, "label-evidence"),
    ("window start", lambda q: {"window_start": q.window_start + timedelta(days=1)}, "window-start"),
    ("window end", lambda q: {"window_end": q.window_end + timedelta(days=1)}, "window-text"),
    ("window days", lambda q: {"window_days": 14}, "twin-missing"),
    ("window far", lambda q: {"window_end": q.window_end + timedelta(days=900)}, "beyond-observed"),
    ("text en day", lambda q: {"text": {**q.text, "en": q.text["en"].replace(str(q.window_end.year), "2049")}}, "window-text"),
    ("text zh day", lambda q: {"text": {**q.text, "zh": q.text["zh"].replace("日", "号")}}, "window-text"),
    ("text word", lambda q: {"text": {**q.text, "en": q.text["en"].replace("Authority", "Company")}}, "text-of-claim"),
    ("text past", lambda q: {"text": {**q.text, "en": q.text["en"] + " (since 1 January 2030)"}}, "stem-date"),
    ("text included", lambda q: {"text": {**q.text, "zh": q.text["zh"].replace("（含首尾两日）", "")}}, "window-text"),
    ("text id", lambda q: {"text": {**q.text, "en": q.text["en"] + " " + q.claim_id}}, "internal-id"),
    ("text token", lambda q: {"text": {**q.text, "en": q.text["en"] + " ⟦PER:A⟧"}}, "internal-id"),
    ("text missing", lambda q: {"text": {"en": q.text["en"]}}, "edition-missing"),
    ("claim", lambda q: {"claim_id": "c-none"}, "unknown-reference"),
    ("point", lambda q: {"point_id": "x-none"}, "unknown-reference"),
    ("pair", lambda q: {"pair_id": "p-none"}, "twin-missing"),
    ("prompt", lambda q: {"prompt": 3}, "balance"),
    ("family", lambda q: {"family_id": "f-none"}, "claim-fields"),
    ("level", lambda q: {"level": 3 if q.level != 3 else 1}, "claim-fields"),
    ("dimension", lambda q: {"dimension": "figures"}, "claim-fields"),
    ("difficulty", lambda q: {"difficulty": "hard"}, "claim-fields"),
    ("type", lambda q: {"type": "D" if q.type != "D" else "A"}, "twin-type"),
    ("id", lambda q: {"question_id": "zz"}, "order"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "change", "rule"), QUESTION_MUTATIONS, ids=[f"{m[0]} -> {m[2]}" for m in QUESTION_MUTATIONS]
)  # fmt: skip
def test_a_changed_question_is_named_by_the_right_rule(
    built: Built, field: str, change: Callable[[Question], dict[str, Any]], rule: str
) -> None:
    question = first_true(built)
    assert rule in built.rules(bank=with_question(built, question, **change(question)))


EVENT_MUTATIONS: list[tuple[str, Callable[[TemporalEvent], dict[str, Any]], str]] = [
    ("date", lambda e: {"date": e.date + timedelta(days=1)}, "event-day"),
    ("date far", lambda e: {"date": e.date + timedelta(days=200)}, "event-range"),
    ("date past", lambda e: {"date": e.date - timedelta(days=200)}, "event-range"),
    ("date unobserved", lambda e: {"date": e.date + timedelta(days=900)}, "beyond-observed"),
    ("evidence", lambda e: {"evidence": (e.evidence[0].model_copy(update={"quote": "x"}),)}, "label-evidence"),
    ("text date", lambda e: {"text": {**e.text, "en": e.text["en"] + " 5 May 2031"}}, "event-date-in-text"),
    ("text", lambda e: {"text": {**e.text, "zh": e.text["zh"] + "吗"}}, "text-of-claim"),
    ("text missing", lambda e: {"text": {"zh": e.text["zh"]}}, "edition-missing"),
    ("claim", lambda e: {"claim_id": "c-none"}, "unknown-reference"),
    ("family", lambda e: {"family_id": "f-none"}, "claim-fields"),
    ("id", lambda e: {"event_id": "zz"}, "order"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "change", "rule"), EVENT_MUTATIONS, ids=[f"{m[0]} -> {m[2]}" for m in EVENT_MUTATIONS]
)  # fmt: skip
def test_a_changed_event_is_named_by_the_right_rule(
    built: Built, field: str, change: Callable[[TemporalEvent], dict[str, Any]], rule: str
) -> None:
    assert rule in built.rules(bank=with_event(built, **change(built.bank.events[0])))


def change_claim(built: Built, claim_id: str, **changes: Any) -> list[Claim]:
    return [c.model_copy(update=changes) if c.claim_id == claim_id else c for c in built.claims]


def change_resolution(built: Built, claim_id: str, **changes: Any) -> list[Resolution]:
    return [
        r.model_copy(update=changes) if r.claim_id == claim_id else r for r in built.resolutions
    ]


def test_changed_claims_are_named(built: Built) -> None:
    question = first_true(built)
    claim = next(c for c in built.claims if c.claim_id == question.claim_id)

    def rules(**changes: Any) -> set[str]:
        return built.rules(claims=change_claim(built, claim.claim_id, **changes))

    zh = claim.text["zh"]
    assert "text-of-claim" in rules(text={**claim.text, "en": from_tokens("⟦GOV:A⟧ resigns")})
    assert "edition-refs" in rules(text={**claim.text, "zh": from_tokens("⟦GOV:ZZ⟧批准方案")})
    assert "edition-numbers" in rules(text={**claim.text, "zh": (*zh, *from_tokens("共30人"))})
    dated = from_tokens("⟦D:2031-04-05⟧")
    assert {"edition-dates", "claim-date"} <= rules(text={**claim.text, "zh": (*zh, *dated)})
    assert "edition-missing" in rules(text={"en": claim.text["en"]})
    assert "claim-fields" in rules(family_id="f-other")
    assert "claim-fields" in rules(level=3 if claim.level == 1 else 1)
    event = built.bank.events[0].claim_id
    assert "event-claim" in built.rules(claims=change_claim(built, event, kind="detail"))


def test_changed_resolutions_are_named(built: Built) -> None:
    question = first_true(built)
    resolution = next(r for r in built.resolutions if r.claim_id == question.claim_id)
    (occurs,) = resolution.occurrences

    def rules(**changes: Any) -> set[str]:
        return built.rules(resolutions=change_resolution(built, question.claim_id, **changes))

    def moved(**changes: Any) -> dict[str, Any]:
        return {"occurrences": (occurs.model_copy(update=changes),)}

    assert "quote" in rules(**moved(quote=occurs.quote + "!"))
    assert "occurrence-place" in rules(**moved(node_id="n-none"))
    assert "occurrence-place" in rules(**moved(statement_id="s-none"))
    late = occurs.happened_on + timedelta(days=300)
    assert {"occurrence-day", "label", "passes"} <= rules(**moved(happened_on=late))
    early = question.window_start - timedelta(days=1)
    assert {"after-occurrence", "label"} <= rules(**moved(happened_on=early))
    assert "unresolved" in rules(state="annulled", occurrences=())
    assert "label" in rules(state="never", occurrences=())
    assert "passes" in rules(passes=resolution.passes[:1])
    other = resolution.passes[1].model_copy(update={"state": "never", "occurrences": ()})
    assert "passes" in rules(passes=(resolution.passes[0], other))
    missing = [r for r in built.resolutions if r is not resolution]
    assert "unresolved" in built.rules(resolutions=missing)
    assert "repeated-id" in built.rules(resolutions=[*built.resolutions, resolution])


def test_changed_pairs_are_named(built: Built) -> None:
    pair = built.pairs[0]

    def rules(**changes: Any) -> set[str]:
        return built.rules(pairs=(pair.model_copy(update=changes), *built.pairs[1:]))

    assert {"twin-labels"} <= rules(true_claim=pair.false_claim, false_claim=pair.true_claim)
    assert "twin-missing" in rules(cells=pair.cells[:-1] or built.pairs[1].cells)
    extra = pair.cells[0].model_copy(update={"prompt": 5})
    assert "twin-missing" in rules(cells=(*pair.cells, extra))
    assert "unknown-reference" in rules(false_claim="c-none")
    assert "twin-missing" in built.rules(pairs=built.pairs[1:])
    assert "repeated-id" in built.rules(pairs=(pair, *built.pairs))
    other = next(p for p in built.pairs if p.relation == "late" and p != pair)
    assert "one-role" in rules(relation="late", false_claim=other.true_claim)
    types = {"true_type": "B" if pair.true_type != "B" else "A"}
    assert "twin-type" in rules(**types)


def test_changed_points_and_timelines_are_named(built: Built) -> None:
    point = built.bank.points[0]

    def rules(**changes: Any) -> set[str]:
        rows = (point.model_copy(update=changes), *built.bank.points[1:])
        return built.rules(bank=built.bank.model_copy(update={"points": rows}))

    assert "context-split" in rules(context=point.context[:-1])
    assert "context-split" in rules(context=(*point.context, point.truth[0]))
    assert "context-split" in rules(truth=point.truth[1:])
    assert "context-split" in rules(context=tuple(reversed(point.context)))
    assert {"window-start"} <= rules(cutoff=point.cutoff + timedelta(days=1))
    assert "unknown-reference" in rules(point_id="x-none")
    timeline = built.arc.timeline
    node = timeline.nodes[-1]
    statement = node.fact[0].model_copy(update={"text": {"en": node.fact[0].text["en"]}})
    nodes = (*timeline.nodes[:-1], node.model_copy(update={"fact": (statement, *node.fact[1:])}))
    assert "edition-missing" in built.rules(timeline=timeline.model_copy(update={"nodes": nodes}))
    cut = timeline.model_copy(update={"nodes": timeline.nodes[:-1]})
    assert "context-split" in built.rules(timeline=cut)


def test_a_question_without_its_twin_is_caught_wherever_it_is_removed(built: Built) -> None:
    for index in range(0, len(built.bank.questions), 7):
        rows = built.bank.questions[:index] + built.bank.questions[index + 1 :]
        found = built.rules(bank=built.bank.model_copy(update={"questions": rows}))
        assert {"twin-missing", "balance"} <= found


def test_a_repeated_question_and_event_are_caught(built: Built) -> None:
    question, event = built.bank.questions[0], built.bank.events[0]
    twice = built.bank.model_copy(
        update={
            "questions": (question, *built.bank.questions),
            "events": (event, *built.bank.events),
        }
    )
    assert {"repeated-id", "duplicate", "twin-missing", "event-claim"} <= built.rules(bank=twice)


def test_a_premise_from_the_future_is_caught(built: Built) -> None:
    question, event = first_true(built), built.bank.events[0]
    cutoffs = {p.point_id: p.cutoff for p in built.bank.points}
    for row in (question, event):
        claims = [
            c.model_copy(update={"known_from": cutoffs[row.point_id] + timedelta(days=1)})
            if c.claim_id == row.claim_id
            else c
            for c in built.claims
        ]
        assert "future-premise" in built.rules(claims=claims)
        known = [
            c.model_copy(update={"known_from": min(cutoffs.values())})
            if c.claim_id == row.claim_id
            else c
            for c in built.claims
        ]
        assert "future-premise" not in built.rules(claims=known)


def test_same_words_with_two_answers_contradict(built: Built) -> None:
    pair = next(p for p in built.pairs if p.relation == "late")
    true = next(c for c in built.claims if c.claim_id == pair.true_claim)
    claims = change_claim(built, pair.false_claim, text=true.text)
    assert "contradiction" in built.rules(claims=claims)


def test_a_longer_window_is_never_less_true(built: Built) -> None:
    rungs = [
        (a, b)
        for a in built.bank.questions
        for b in built.bank.questions
        if a.claim_id == b.claim_id
        and a.point_id == b.point_id
        and a.answer == b.answer == 1
        and a.window_days < b.window_days
    ]
    assert "window-monotone" in built.rules(bank=with_question(built, rungs[0][1], answer=0))


def test_a_variant_that_happens_beside_the_outcome_is_caught(built: Built) -> None:
    variant = next(c for c in built.claims if c.kind == "variant")
    outcome = next(
        r
        for c in built.claims
        if c.family_id == variant.family_id and c.kind == "outcome"
        for r in built.resolutions
        if r.claim_id == c.claim_id
    )
    changed = change_resolution(
        built, variant.claim_id, state="occurs", occurrences=outcome.occurrences
    )
    assert "variants-exclusive" in built.rules(resolutions=changed)


def test_a_detail_that_is_true_where_the_outcome_is_not_is_caught(built: Built) -> None:
    question = next(q for q in built.bank.questions if q.type == "B" and q.answer)
    outcome = next(
        c for c in built.claims if c.family_id == question.family_id and c.kind == "outcome"
    )
    false = question.model_copy(
        update={"question_id": "zz", "claim_id": outcome.claim_id, "level": 1, "answer": 0}
    )
    bank = built.bank.model_copy(update={"questions": (*built.bank.questions, false)})
    assert {"ladder-monotone", "one-bundle"} <= built.rules(bank=bank)


def test_an_event_of_a_family_in_the_calibration_exam_is_printed_but_blocks_no_gate(
    built: Built,
) -> None:
    event = built.bank.events[0]
    question = next(q for q in built.bank.questions if q.point_id == event.point_id)
    bank = with_event(built, family_id=question.family_id)
    assert "axes-share-claim" in built.rules(bank=bank)
    assert RULES["axes-share-claim"].gate is None


def test_findings_count_all_and_show_five() -> None:
    (finding,) = collect([("label", f"q{i}") for i in range(9)])
    assert (finding.count, len(finding.examples)) == (9, 5)
    assert finding.why
    assert finding.fix
    with pytest.raises(KeyError, match="no-such-rule"):
        collect([("no-such-rule", "q")])
