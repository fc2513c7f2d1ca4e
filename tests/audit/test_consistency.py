"""Records that contradict each other without moving a label are named, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schemas import AnonOpinion, AnonStatement, AnonTimeline, Claim, Number, Pair, Resolution
from tests.bank.arcs import Built, arc16, build, segments, wording


@pytest.fixture(scope="module")
def built() -> Built:
    return build(arc16())


def claims(built: Built, chosen: Callable[[Claim], bool], **changes: Any) -> list[Claim]:
    """The claims with the first chosen one changed."""
    first = next(c for c in built.claims if chosen(c))
    return [c.model_copy(update=changes) if c is first else c for c in built.claims]


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("outcome", {"kind": "detail"}),
        ("detail", {"kind": "outcome"}),
        ("detail", {"kind": "variant"}),
        ("variant", {"level": 2}),
        ("outcome", {"node_id": "n-none"}),
        ("outcome", {"node_id": None}),
        ("outcome", {"mirrors": "c-none"}),
        ("fabrication", {"mirrors": "c-none"}),
        ("fabrication", {"kind": "variant"}),
        ("detail", {"occasion": "another occasion"}),
    ],
)
def test_a_kind_fits_level_node_and_occasion(
    built: Built, kind: str, changes: dict[str, Any]
) -> None:
    assert "claim-kind" in built.rules(claims=claims(built, lambda c: c.kind == kind, **changes))


def pairs(built: Built, which: str, **changes: Any) -> tuple[Pair, ...]:
    first = next(p for p in built.pairs if p.relation == which)
    return tuple(p.model_copy(update=changes) if p is first else p for p in built.pairs)


@pytest.mark.parametrize("relation", ["late", "own", "fabrication"])
@pytest.mark.parametrize("said", ["late", "own", "fabrication", "never", "flip", "single"])
def test_a_relation_follows_from_the_claims(built: Built, relation: str, said: str) -> None:
    found = built.rules(pairs=pairs(built, relation, relation=said))
    assert ("pair-relation" in found) == (said != relation)


def test_a_letter_says_what_is_made_up_and_a_cell_stands_once(built: Built) -> None:
    assert "pair-relation" in built.rules(pairs=pairs(built, "fabrication", false_type="A"))
    assert "pair-relation" in built.rules(pairs=pairs(built, "late", false_type="D"))
    cells = next(p for p in built.pairs if p.relation == "late").cells
    twice = pairs(built, "late", cells=(*cells, cells[0]))
    assert "pair-relation" in built.rules(pairs=twice)


def resolutions(
    built: Built, happens: bool, change: Callable[[Resolution], dict[str, Any]]
) -> list[Resolution]:
    asked = {q.claim_id for q in built.bank.questions}
    first = next(
        r for r in built.resolutions if r.claim_id in asked and bool(r.occurrences) == happens
    )
    changed = first.model_copy(update=change(first))
    return [changed if r is first else r for r in built.resolutions]


def in_pass(number: int, **changes: Any) -> Callable[[Resolution], dict[str, Any]]:
    return lambda r: {
        "passes": tuple(
            p.model_copy(update=changes) if i == number else p for i, p in enumerate(r.passes)
        )
    }


@pytest.mark.parametrize(
    ("happens", "change", "rule"),
    [
        (True, lambda r: {"basis": "absent"}, "basis"),
        (False, lambda r: {"basis": "contradicted"}, "basis"),
        (False, lambda r: {"basis": "stated"}, "basis"),
        (True, in_pass(0, basis="absent"), "basis"),
        (False, in_pass(1, basis="stated"), "basis"),
        (True, lambda r: {"passes": r.passes[::-1]}, "passes"),
        (True, lambda r: {"passes": (*r.passes, r.passes[0])}, "passes"),
        (True, lambda r: {"passes": tuple(p.model_copy(update={"occurrences": p.occurrences * 2}) for p in r.passes)}, "passes"),
        (True, lambda r: {"passes": tuple(p.model_copy(update={"occurrences": tuple(o.model_copy(update={"quote": "other"}) for o in p.occurrences)}) for p in r.passes)}, "passes"),
    ],
)  # fmt: skip
def test_a_resolution_is_what_both_passes_found(
    built: Built, happens: bool, change: Callable[[Resolution], dict[str, Any]], rule: str
) -> None:
    assert rule in built.rules(resolutions=resolutions(built, happens, change))


def with_node(built: Built, number: int, **changes: Any) -> AnonTimeline:
    nodes = list(built.arc.timeline.nodes)
    nodes[number] = nodes[number].model_copy(update=changes)
    return built.arc.timeline.model_copy(update={"nodes": tuple(nodes)})


def opinion(posts: int, **shares: float) -> AnonOpinion:
    zero: dict[Any, float] = {"support": 0.0, "oppose": 0.0, "question": 0.0, "neutral": 0.0}
    said = AnonStatement(statement_id="s-o", text=segments(wording(0)))
    return AnonOpinion(
        statements=(said,), stances=zero | shares, themes=(), emotion="anger", n_items=posts
    )


@pytest.mark.parametrize(
    ("posts", "shares", "whole"),
    [
        (7, {"support": 0.1429, "oppose": 0.4286, "question": 0.1428, "neutral": 0.2857}, True),
        (3, {"support": 0.3333, "oppose": 0.3333, "neutral": 0.3334}, True),
        (8, {"support": 0.1429, "oppose": 0.4286, "question": 0.1428, "neutral": 0.2857}, False),
        (10, {"support": 0.5, "oppose": 0.4}, False),
        (10, {"support": 0.55, "oppose": 0.45}, False),
    ],
)
def test_shares_are_of_whole_posts(
    built: Built, posts: int, shares: dict[str, float], whole: bool
) -> None:
    timeline = with_node(built, 1, opinion=opinion(posts, **shares))
    assert ("stance-shares" not in built.rules(timeline=timeline)) == whole


def test_ids_of_statements_are_unique_and_nodes_are_observed(built: Built) -> None:
    node = built.arc.timeline.nodes[1]
    again = node.fact[0].model_copy(
        update={"statement_id": built.arc.timeline.nodes[2].fact[0].statement_id}
    )
    assert "repeated-id" in built.rules(timeline=with_node(built, 1, fact=(*node.fact, again)))
    span = built.arc.timeline.span.model_copy(update={"observed_from": node.date})
    late = built.arc.timeline.model_copy(update={"span": span})
    assert "beyond-observed" in built.rules(timeline=late)


def test_the_value_of_a_figure_is_what_its_words_say(built: Built) -> None:
    asked = next(iter(q.claim_id for q in built.bank.questions))
    claim = next(c for c in built.claims if c.claim_id == asked)
    for value, wrong in ((1200.0, False), (1300.0, True)):
        text = {
            lang: (*segments, Number(text="1,200", value=value))
            for lang, segments in claim.text.items()
        }
        changed = claims(built, lambda c: c.claim_id == asked, text=text)
        assert ("figure-value" in built.rules(claims=changed)) == wrong
