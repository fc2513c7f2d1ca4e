"""Where false sides come from: later outcomes, claims that never happen, and the points that keep their own."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from factory.audit.structure import unequal_twins
from factory.bank.free import FreeFamilies
from factory.bank.mirror import mirror
from factory.bank.reserve import RESERVED_EVENTS
from factory.sections import ComposeSettings
from schemas import Bank, Pair
from tests.bank.arcs import Arc, Built, arc16, build, demo_arc, make_arc, new_id, resolved
from tests.bank.disturbed import disturb


def with_never(arc: Arc, every: int) -> tuple[Arc, set[str]]:
    """The arc in which every n-th family never happens, and those families."""
    families = sorted({claim.family_id for claim in arc.claims})
    never = set(families[::every])
    resolutions = [
        resolved(claim.claim_id, ()) if claim.family_id in never else resolution
        for claim, resolution in zip(arc.claims, arc.resolutions, strict=True)
    ]
    return Arc(arc.timeline, arc.points, arc.claims, resolutions), never


def test_a_claim_that_never_happens_serves_as_a_false_twin_where_no_later_outcome_does() -> None:
    # All of it happens within a week, so no outcome is late enough to be false beside another.
    arc = make_arc([0, 10, 20, 60, 62, 64, 66], [45, 50], outcomes=4, variants=0, tail_days=90)
    arc, never = with_never(arc, 4)
    built = build(arc)
    assert built.check() == []
    relations = {pair.relation for pair in built.pairs}
    assert "never" in relations
    assert "late" not in relations
    family = {claim.claim_id: claim.family_id for claim in arc.claims}
    for pair in built.pairs:
        if pair.relation == "never":
            assert family[pair.false_claim] in never
            assert pair.true_type == pair.false_type


def test_a_later_outcome_goes_before_a_claim_that_never_happens() -> None:
    arc, _ = with_never(arc16(), 5)
    relations = [pair.relation for pair in build(arc).pairs]
    assert relations.count("late") > relations.count("never")


def test_families_that_never_happen_and_have_no_use_are_counted() -> None:
    arc, never = with_never(arc16(), 3)
    built = build(arc)
    family = {claim.claim_id: claim.family_id for claim in arc.claims}
    used = {family[p.false_claim] for p in built.pairs if p.relation == "never"}
    unused = never - used
    assert unused
    members = sum(claim.family_id in unused for claim in arc.claims)
    assert built.report.dropped["no outcome that happens in the family"] == members


def test_a_family_whose_level_happens_without_its_outcome_is_no_material() -> None:
    arc = arc16()
    first = arc.claims[0].family_id
    outcome = next(i for i, c in enumerate(arc.claims) if c.family_id == first and c.level == 1)
    arc.resolutions[outcome] = resolved(arc.claims[outcome].claim_id, ())
    members = [c.claim_id for c in arc.claims if c.family_id == first]
    plan = build(arc)
    assert not {c for p in plan.pairs for c in (p.true_claim, p.false_claim)} & set(members)


def late_cluster(outcomes: int = 4) -> Arc:
    """Many nodes early, a few late ones that every early family could have as its twin."""
    days = [0, 5, 10, *range(20, 80, 3), 300, 310, 320, 330]
    return make_arc(days, [15, 30, 40, 50, 60, 70, 280, 290], outcomes=outcomes, tail_days=90)


def test_late_points_keep_families_of_their_own() -> None:
    built = build(late_cluster())
    assert min(built.report.points.values()) > 0
    assert built.check() == []


def test_without_the_rule_late_points_would_be_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FreeFamilies, "_spare", lambda self, family: True)
    assert min(build(late_cluster()).report.points.values()) == 0


def reach(built: Built) -> dict[str, int]:
    """Outcomes within reach of each point's temporal exam, asked or not."""
    until = built.arc.timeline.span.observed_until
    days = {r.claim_id: r.occurrences for r in built.resolutions}
    outcomes = [c for c in built.arc.claims if c.kind == "outcome"]
    return {
        point.point_id: sum(
            point.cutoff <= o.happened_on <= min(until, point.cutoff + timedelta(days=90))
            for claim in outcomes
            for o in days[claim.claim_id][:1]
        )
        for point in built.arc.points
    }


@pytest.mark.parametrize("arc", [demo_arc(), arc16(), late_cluster(), late_cluster(6)])
def test_every_point_keeps_outcomes_for_its_temporal_exam(arc: Arc) -> None:
    built = build(arc)
    events = dict.fromkeys((p.point_id for p in arc.points), 0)
    for event in built.bank.events:
        events[event.point_id] += 1
    for point_id, near in reach(built).items():
        assert events[point_id] >= min(RESERVED_EVENTS, near) - 1, (point_id, near)


def test_a_long_arc_reserves_only_what_pairing_leaves_lacking() -> None:
    arc = make_arc([i * 9 for i in range(30)], [40 + 20 * i for i in range(10)], tail_days=90)
    built = build(arc)
    # Three outcomes for each of ten points, and outcomes within reach of five points each: six families.
    assert built.report.dropped.get("kept for the temporal exam", 0) < 6
    assert len(built.bank.events) >= 3 * len(arc.points)


@pytest.mark.parametrize("prompts", [1, 2, 3])
def test_no_reader_of_structure_learns_anything(prompts: int) -> None:
    built = build(disturb(late_cluster(), 3), settings=ComposeSettings(prompts=prompts))
    assert unequal_twins(built.bank) == []
    assert built.report.structure == {}
    assert bool(built.report.notes) == (prompts > 1)
    if prompts > 1:
        assert "0.0" in built.report.notes[0]


# -- flips -------------------------------------------------------------------------------------------


def flips_of(built: Built) -> list[Pair]:
    return [pair for pair in built.pairs if pair.relation == "flip"]


def test_flips_are_off_by_default_and_stay_within_their_budget() -> None:
    assert flips_of(build(arc16())) == []
    for budget in (0.02, 0.04):
        built = build(arc16(), settings=ComposeSettings(flips=budget))
        assert flips_of(built)
        assert 0 < built.report.flips <= budget
        assert built.check() == []
        assert f"{50 + 50 * built.report.flips:.1f}" in built.report.notes[0]


def test_a_flip_is_false_then_true_and_its_family_has_no_other_role() -> None:
    built = build(arc16(), settings=ComposeSettings(flips=0.04))
    flipping = {pair.pair_id for pair in flips_of(built)}
    rungs: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for q in built.bank.questions:
        if q.pair_id in flipping:
            rungs.setdefault((q.pair_id, q.point_id), []).append((q.window_days, q.answer))
    assert rungs
    assert all([answer for _, answer in sorted(group)] == [0, 1] for group in rungs.values())
    families = {q.family_id for q in built.bank.questions if q.pair_id in flipping}
    others = {q.family_id for q in built.bank.questions if q.pair_id not in flipping}
    assert not families & others


def test_flips_that_fabrications_leave_too_heavy_are_dropped() -> None:
    arc, settings = arc16(), ComposeSettings(flips=0.04)
    common: dict[str, Any] = {
        "dropped": set(), "settings": settings, "span": arc.timeline.span, "seed": 7, "new_id": new_id,
    }  # fmt: skip
    plan = mirror(
        arc.points, arc.claims, arc.resolutions, fabrications=[], fabrication_resolutions=[], **common
    )  # fmt: skip
    assert plan.report.flips <= 0.04


def test_the_audit_knows_flips_that_do_not_flip_or_weigh_too_much() -> None:
    built = build(arc16(), settings=ComposeSettings(flips=0.04))
    (first, *_) = flips_of(built)
    long = max(
        (q for q in built.bank.questions if q.pair_id == first.pair_id), key=lambda q: q.window_days
    )
    less = tuple(q for q in built.bank.questions if q is not long)
    assert {"flips", "twin-missing"} <= built.rules(
        bank=built.bank.model_copy(update={"questions": less})
    )
    own = {q.pair_id for q in built.bank.questions if q.pair_id == first.pair_id}
    only = tuple(q for q in built.bank.questions if q.pair_id in own)
    heavy = Bank(points=built.bank.points, questions=only, events=())
    assert "flips" in built.rules(bank=heavy, pairs=(first,))
    # A twin cannot be passed off as a flip.
    twin = next(p for p in built.pairs if p.relation == "late")
    turned = tuple(
        p.model_copy(update={"relation": "flip"}) if p is twin else p for p in built.pairs
    )
    assert "twin-missing" in built.rules(pairs=turned)
