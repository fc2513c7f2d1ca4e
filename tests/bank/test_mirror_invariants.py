"""What holds for every mirrored bank, whatever the arc: invariants as properties."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factory.audit.structure import features, unequal_twins
from factory.bank.mirror import mirror
from factory.sections import ComposeSettings
from schemas import Question
from tests.bank.arcs import Arc, Built, build, new_id
from tests.bank.disturbed import arcs

QUIET = settings(max_examples=25, suppress_health_check=list(HealthCheck))


def twin_cells(built: Built) -> dict[tuple[str, str, int, int], list[Question]]:
    flips = {pair.pair_id for pair in built.pairs if pair.relation == "flip"}
    cells: dict[tuple[str, str, int, int], list[Question]] = defaultdict(list)
    for q in built.bank.questions:
        if q.pair_id not in flips:
            cells[q.pair_id, q.point_id, q.prompt, q.window_days].append(q)
    return cells


@QUIET
@given(
    arcs(most_points=9),
    st.integers(0, 10_000),
    st.sampled_from([1, 2, 3]),
    st.integers(1, 3),
    st.sampled_from([0, 2]),
    st.sampled_from([0.0, 0.04]),
)
def test_any_arc_gives_a_bank_that_keeps_every_promise(
    arc: Arc, seed: int, prompts: int, rungs: int, most: int, flips: float
) -> None:
    rule = ComposeSettings(prompts=prompts, rungs=rungs, max_points=most, flips=flips)
    built = build(arc, seed=seed, settings=rule)
    assert built.check() == []
    tally: Counter[tuple[str, int, int]] = Counter()
    for group in twin_cells(built).values():
        assert sorted(q.answer for q in group) == [0, 1]
        assert len({(q.window_start, q.window_end) for q in group}) == 1
        for q in group:
            tally[q.point_id, q.prompt, q.window_days] += 2 * q.answer - 1
    assert set(tally.values()) <= {0}
    if not flips:
        assert unequal_twins(built.bank) == []
    assert built.report.flips <= flips
    asked = [(q.claim_id, q.point_id, q.window_days) for q in built.bank.questions]
    assert len(set(asked)) == len(asked)
    types: dict[str, set[str]] = defaultdict(set)
    for q in built.bank.questions:
        types[q.claim_id].add(q.type)
    assert all(len(found) == 1 for found in types.values())


@QUIET
@given(arcs(most_points=9), st.randoms(use_true_random=False), st.sampled_from([0.0, 0.04]))
def test_input_order_changes_nothing(arc: Arc, random: object, flips: float) -> None:
    def plan(some: Arc) -> object:
        return mirror(
            some.points, some.claims, some.resolutions, dropped=set(),
            settings=ComposeSettings(flips=flips), span=some.timeline.span, seed=7, new_id=new_id,
        )  # fmt: skip

    shuffled = Arc(arc.timeline, list(arc.points), list(arc.claims), list(arc.resolutions))
    for rows in (shuffled.points, shuffled.claims, shuffled.resolutions):
        random.shuffle(rows)  # type: ignore[attr-defined]
    assert plan(shuffled) == plan(arc)


@QUIET
@given(arcs(most_points=9), st.integers(0, 1000), st.sampled_from([1, 2]), st.data())
def test_swapping_the_sides_of_a_pair_leaves_the_feature_table_unchanged(
    arc: Arc, seed: int, prompts: int, data: st.DataObject
) -> None:
    built = build(arc, seed=seed, settings=ComposeSettings(prompts=prompts))
    if not built.pairs:
        return
    pair = data.draw(st.sampled_from(built.pairs))
    side = {pair.true_claim: pair.false_claim, pair.false_claim: pair.true_claim}
    family = {q.claim_id: q.family_id for q in built.bank.questions}

    def swapped(q: Question) -> Question:
        other = side.get(q.claim_id, q.claim_id)
        return q.model_copy(
            update={"claim_id": other, "family_id": family[other], "answer": q.answer}
        )

    # The other claim now stands where this one stood with this one's label: nobody can tell from structure.
    turned = tuple(swapped(q) for q in built.bank.questions)
    other = built.bank.model_copy(update={"questions": turned})
    if prompts == 1:
        assert features(other) == features(built.bank)
    labelled = Counter(
        (features(built.bank)[q.question_id], q.answer) for q in built.bank.questions
    )
    assert all(labelled[row, 1] == labelled[row, 0] for row, _ in labelled)


@QUIET
@given(arcs(), st.integers(0, 1000), st.data())
def test_a_question_removed_without_its_twin_is_caught(
    arc: Arc, seed: int, data: st.DataObject
) -> None:
    built = build(arc, seed=seed)
    if not built.bank.questions:
        return
    gone = data.draw(st.sampled_from(built.bank.questions))
    left = tuple(q for q in built.bank.questions if q is not gone)
    bank = built.bank.model_copy(update={"questions": left})
    assert {"twin-missing", "balance"} <= built.rules(bank=bank)
    assert unequal_twins(bank)
    pairs = tuple(
        p.model_copy(
            update={
                "cells": tuple(
                    c
                    for c in p.cells
                    if (p.pair_id, c.point_id, c.prompt, int(c.window))
                    != (gone.pair_id, gone.point_id, gone.prompt, gone.window_days)
                )
            }
        )
        for p in built.pairs
    )
    # A pair that no longer lists the cell hides nothing: the other side then stands alone.
    assert "balance" in built.rules(bank=bank, pairs=pairs)


@QUIET
@given(arcs(most_points=9), st.integers(0, 1000))
def test_temporal_events_are_each_outcome_once_within_reach(arc: Arc, seed: int) -> None:
    built = build(arc, seed=seed)
    cutoffs = {p.point_id: p.cutoff for p in built.bank.points}
    asked = {(q.point_id, q.family_id) for q in built.bank.questions}
    seen = [(e.point_id, e.claim_id) for e in built.bank.events]
    assert len(set(seen)) == len(seen)
    assert [e.event_id for e in built.bank.events] == sorted(e.event_id for e in built.bank.events)
    for event in built.bank.events:
        cutoff = cutoffs[event.point_id]
        assert cutoff <= event.date <= cutoff + timedelta(days=90)
        assert event.date <= arc.timeline.span.observed_until
        assert (event.point_id, event.family_id) not in asked
