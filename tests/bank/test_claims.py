"""Promises of outcome claims and of made-up ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.bank.clause import overlap
from factory.claims import stage as claims
from factory.claims.collect import SAME, _Said
from factory.errors import AnswerFailed
from factory.sections import ClaimsSettings
from factory.segments import to_tokens
from factory.settings import Settings
from factory.stage import StageContext
from schemas import Claim, Order
from tests.bank.story import make_claim, story, timeline
from tests.scripted import Call, ScriptedAsk

OUTCOMES: dict[str, dict[str, Any]] = {
    "n3": {
        "statement_id": "s3",
        "text": "The council of ⟦PLC:Z⟧ puts off its vote",
        "variants": [],
    },
    "n4": {
        "statement_id": "s4",
        "text": "A review body upholds the order against ⟦COM:A⟧.",
        "details": [
            "a review body upholds the order against ⟦COM:A⟧ on crossings",
            "a review body upholds the order against ⟦COM:A⟧ on fewer crossings at the pier",
        ],
        "variants": [
            "a review body annuls the order against ⟦COM:A⟧",
            "⟦COM:A⟧ withdraws its complaint against the order",
        ],
    },
    "n5": {
        "statement_id": "s5",
        "text": "⟦COM:A⟧ stops the line at the old pier",
        "cadence": "recurring",
        "dimension": "policy",
        "difficulty": "hard",
        "variants": [
            "⟦COM:A⟧ sells the line by the end of the year",
            "⟦COM:A⟧ sells the line",
        ],
    },
}


def draft(**fields: Any) -> dict[str, Any]:
    values = {
        "occasion": "the outcome of the dispute over the line",
        "cadence": "once",
        "dimension": "event",
        "difficulty": "medium",
        "relies_on": "",
        "details": [],
        "variants": [],
    }
    return values | fields


def answer_outcomes(call: Call) -> dict[str, Any]:
    if call.item in OUTCOMES:
        return {"outcomes": [draft(**OUTCOMES[call.item])]}
    return {"outcomes": []}


def outgoing(ctx: StageContext) -> list[Call]:
    assert isinstance(ctx.ask, ScriptedAsk)
    return ctx.ask.calls


def write(
    root: Path, handler: Callable[[Call], Any] = answer_outcomes, **setting: Any
) -> tuple[StageContext, list[Claim]]:
    ctx = story(
        root,
        "claims",
        handler,
        settings=Settings(claims=ClaimsSettings(**setting)),
        cutoffs=(4, 6),
    )
    counts = asyncio.run(claims.run(ctx))
    kept = ctx.workspace.read_lines(Claim, claims.CLAIMS)
    assert counts.kept == len(kept)
    assert counts.rejected == len(ctx.rejections)
    return ctx, kept


def test_nodes_before_the_first_cutoff_are_not_asked_about(tmp_path: Path) -> None:
    ctx, _ = write(tmp_path)
    assert [call.item for call in outgoing(ctx)] == ["n4", "n5", "n6", "n7"]


def test_a_writer_sees_the_past_and_its_day_and_nothing_later(tmp_path: Path) -> None:
    ctx, _ = write(tmp_path)
    call = next(c for c in outgoing(ctx) if c.item == "n5")
    shown = call.system + call.user
    assert "[s5] ⟦COM:A⟧ stops the line" in shown
    assert "⟦GOV:B⟧ rules" in shown
    assert "tender" not in shown
    assert "[s4]" not in shown


def test_a_family_holds_outcome_ladder_and_variants_of_one_occasion(tmp_path: Path) -> None:
    _, kept = write(tmp_path)
    family = [c for c in kept if c.node_id == "n4"]
    assert len({c.family_id for c in family}) == 1
    assert [(c.kind, c.level) for c in family] == [
        ("outcome", 1),
        ("detail", 2),
        ("detail", 3),
        ("variant", 1),
        ("variant", 1),
    ]
    assert len({c.occasion for c in family}) == 1
    assert to_tokens(family[0].text["en"]) == "a review body upholds the order against ⟦COM:A⟧"


def test_one_bad_claim_is_rejected_and_the_rest_is_kept(tmp_path: Path) -> None:
    ctx, kept = write(tmp_path)
    family = [to_tokens(c.text["en"]) for c in kept if c.node_id == "n5"]
    assert family == ["⟦COM:A⟧ stops the line at the old pier", "⟦COM:A⟧ sells the line"]
    reasons = {row.reason for row in ctx.rejections}
    assert "holds a time expression" in reasons


def test_an_outcome_that_names_someone_new_on_its_day_is_rejected(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        if call.item != "n6":
            return {"outcomes": []}
        text = "⟦COM:B⟧ wins the tender for a new pier"
        return {"outcomes": [draft(statement_id="s6", text=text)]}

    ctx, kept = write(tmp_path, handler)
    assert kept == []
    assert ("names someone not yet known", "COM:B") in {
        (r.reason, r.detail) for r in ctx.rejections
    }


def test_a_day_without_a_usable_answer_is_rejected_and_the_others_go_on(tmp_path: Path) -> None:
    def handler(call: Call) -> Any:
        if call.item == "n4":
            return AnswerFailed("no", reason="truncated")
        return answer_outcomes(call)

    ctx, kept = write(tmp_path, handler)
    assert {c.node_id for c in kept} == {"n5"}
    assert ("n4", "no usable answer") in {(r.item, r.reason) for r in ctx.rejections}
    assert ("n4", "no outcome claim") not in {(r.item, r.reason) for r in ctx.rejections}
    # Once more, and no third time.
    assert [call.sample for call in outgoing(ctx) if call.item == "n4"] == [0, 1]


def test_a_day_whose_outcomes_were_all_refused_is_asked_once_more_with_the_reasons(
    tmp_path: Path,
) -> None:
    def handler(call: Call) -> dict[str, Any]:
        if call.item != "n6":
            return answer_outcomes(call)
        text = "⟦COM:B⟧ wins the tender" if call.sample == 0 else "an outside firm wins the tender"
        return {"outcomes": [draft(statement_id="s6", text=text)]}

    ctx, kept = write(tmp_path, handler)
    first, second = (call for call in outgoing(ctx) if call.item == "n6")
    assert "thrown away" not in first.user
    assert "⟦COM:B⟧ wins the tender (names someone not yet known: COM:B)" in second.user
    assert second.user.startswith(first.user[: first.user.index("Write up to")])
    assert "an outside firm wins the tender" in {to_tokens(c.text["en"]) for c in kept}
    assert "n6" not in {r.item for r in ctx.rejections}


def test_a_day_with_nothing_to_say_is_not_asked_again(tmp_path: Path) -> None:
    ctx, _ = write(tmp_path)
    assert [call.item for call in outgoing(ctx) if call.sample] == []
    assert ("n7", "no outcome claim") in {(r.item, r.reason) for r in ctx.rejections}


def test_a_failed_call_about_two_days_is_asked_again_a_day_at_a_time(tmp_path: Path) -> None:
    def handler(call: Call) -> Any:
        if call.item == "n4+1":
            return AnswerFailed("no", reason="truncated")
        return answer_outcomes(call)

    ctx, kept = write(tmp_path, handler, nodes_a_call=2)
    assert [(c.item, c.sample) for c in outgoing(ctx)] == [
        ("n4+1", 0), ("n6+1", 0), ("n4", 1), ("n5", 1)
    ]  # fmt: skip
    assert list(dict.fromkeys(c.node_id for c in kept)) == ["n4", "n5"]


def test_a_variant_that_says_what_happens_elsewhere_is_refused(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        if call.item != "n4":
            return answer_outcomes(call)
        ends = ["⟦COM:A⟧ stops the line at the older pier", "⟦COM:A⟧ withdraws its complaint"]
        return {"outcomes": [draft(**OUTCOMES["n4"] | {"variants": ends, "details": []})]}

    ctx, kept = write(tmp_path, handler)
    variants = [to_tokens(c.text["en"]) for c in kept if c.node_id == "n4" and c.kind == "variant"]
    assert variants == ["⟦COM:A⟧ withdraws its complaint"]
    reasons = [r.reason for r in ctx.rejections if "older pier" in r.item]
    assert reasons == ["a variant that says what another claim says"]


def test_the_same_outcome_on_two_days_is_asked_once(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        number = call.item[1:]
        text = "⟦COM:A⟧ reduces the crossings of the line" + (" again" if number == "6" else "")
        if call.sample:
            return {"outcomes": []}
        return {"outcomes": [draft(statement_id=f"s{number}", text=text)]}

    ctx, kept = write(tmp_path, handler)
    assert [c.node_id for c in kept] == ["n4"]
    reasons = [r.reason for r in ctx.rejections if r.item.startswith("n") and ":" in r.item]
    assert sorted(reasons) == [
        "same words as another claim",
        "same words as another claim",
        "says the same as another outcome",
    ]
    (near,) = (r for r in ctx.rejections if r.reason == "says the same as another outcome")
    assert "(n4)" in near.detail


def test_what_happens_later_does_not_lose_its_words_to_a_variant(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        rows = {
            "n4": draft(
                statement_id="s4",
                text="a review body upholds the order",
                variants=["⟦COM:A⟧ stops the line at the old pier", "the court stays the order"],
            ),
            "n5": draft(statement_id="s5", text="⟦COM:A⟧ stops the line at the old pier"),
        }
        return {"outcomes": [rows[call.item]] if call.item in rows else []}

    _, kept = write(tmp_path, handler)
    words = {to_tokens(c.text["en"]): (c.kind, c.node_id) for c in kept}
    assert words["⟦COM:A⟧ stops the line at the old pier"] == ("outcome", "n5")
    assert words["the court stays the order"] == ("variant", "n4")


def test_rungs_and_variants_beyond_those_asked_for_are_rejected_not_lost(tmp_path: Path) -> None:
    texts = [f"residents block the old pier in {n} boats" for n in (4, 5, 6, 7)]

    def handler(call: Call) -> dict[str, Any]:
        row = draft(statement_id="s5", text="residents block the old pier", details=texts)
        return {"outcomes": [row] if call.item == "n5" else []}

    ctx, kept = write(tmp_path, handler)
    assert [c.level for c in kept] == [1, 2, 3]
    assert len([r for r in ctx.rejections if r.reason == "more than asked for"]) == 2


def test_an_outcome_must_cite_a_sentence_of_its_day(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        return {"outcomes": [draft(statement_id="s1", text="⟦COM:A⟧ stops the line")]}

    ctx, kept = write(tmp_path, handler)
    assert kept == []
    assert "cites a sentence that its day does not hold" in {r.reason for r in ctx.rejections}


def test_no_more_outcomes_are_kept_than_asked_for(tmp_path: Path) -> None:
    texts = ["⟦COM:A⟧ sells its ships", "residents block the old pier", "⟦GOV:A⟧ pays for buses"]

    def handler(call: Call) -> dict[str, Any]:
        if call.item != "n5":
            return {"outcomes": []}
        return {"outcomes": [draft(statement_id="s5", text=text) for text in texts]}

    ctx, kept = write(tmp_path, handler, outcomes=2)
    assert len(kept) == 2
    assert "more than asked for" in {r.reason for r in ctx.rejections}


def test_ids_depend_on_words_alone(tmp_path: Path) -> None:
    def reversed_order(call: Call) -> dict[str, Any]:
        answer = answer_outcomes(call)
        for outcome in answer["outcomes"]:
            outcome["variants"] = list(reversed(outcome["variants"]))
        return answer

    _, first = write(tmp_path / "a")
    _, second = write(tmp_path / "b", reversed_order)
    assert {c.claim_id for c in first} == {c.claim_id for c in second}
    assert len({c.claim_id for c in first}) == len(first)
    # An id that a family shares with its outcome would tell the outcome from its variants.
    assert not {c.claim_id[1:] for c in first} & {c.family_id[1:] for c in first}
    assert all(c.kind not in c.claim_id for c in first)


def test_a_claim_waits_for_the_day_that_it_takes_for_granted(tmp_path: Path) -> None:
    arc = timeline()
    relied = arc.nodes[3].date

    def handler(call: Call) -> dict[str, Any]:
        if call.item != "n5":
            return {"outcomes": []}
        texts = {
            "residents block the old pier": "",
            "the council holds the vote that it put off": relied.isoformat(),
            "⟦GOV:A⟧ pays for more buses": "2031-05-03",
        }
        return {
            "outcomes": [
                draft(statement_id="s5", text=text, relies_on=day) for text, day in texts.items()
            ]
        }

    ctx, kept = write(tmp_path, handler)
    assert [c.known_from for c in kept] == [None, relied + timedelta(days=1)]
    assert "relies on a day that is no earlier day" in {r.reason for r in ctx.rejections}


def test_a_claim_waits_until_everyone_it_names_is_known(tmp_path: Path) -> None:
    _, kept = write(tmp_path)
    arc = timeline()
    assert {c.known_from for c in kept} == {arc.nodes[0].date + timedelta(days=1)}


def test_several_nodes_can_share_a_call(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        assert "[s4]" in call.user
        rows = [draft(**OUTCOMES[n]) for n in ("n4", "n5")] if call.item == "n4+1" else []
        return {"outcomes": rows}

    ctx = story(
        tmp_path,
        "claims",
        lambda call: handler(call) if call.item == "n4+1" else {"outcomes": []},
        settings=Settings(claims=ClaimsSettings(nodes_a_call=2)),
        cutoffs=(4, 6),
    )
    asyncio.run(claims.run(ctx))
    kept = ctx.workspace.read_lines(Claim, claims.CLAIMS)
    assert {c.node_id for c in kept} == {"n4", "n5"}
    assert len(outgoing(ctx)) == 2


def test_a_chinese_arc_is_asked_and_answered_in_chinese(tmp_path: Path) -> None:
    def handler(call: Call) -> dict[str, Any]:
        assert "Simplified Chinese" in call.system
        if call.item != "n5":
            return {"outcomes": []}
        text = "⟦COM:A⟧停运老码头的线路。"
        return {"outcomes": [draft(statement_id="s5", text=text, occasion="线路的去留")]}

    ctx = story(tmp_path, "claims", handler, arc=timeline(lang="zh"), cutoffs=(4, 6))
    asyncio.run(claims.run(ctx))
    (kept,) = ctx.workspace.read_lines(Claim, claims.CLAIMS)
    assert to_tokens(kept.text["zh"]) == "⟦COM:A⟧停运老码头的线路"


# -- fabrications ------------------------------------------------------------------------------

MIRRORED = make_claim("c-real", "⟦COM:A⟧ stops the line at the old pier")
GOOD = "⟦GRP:A⟧ occupies the ticket office of ⟦COM:A⟧"


def order(number: int, mirrors: str = "c-real", cutoff: int = 3) -> Order:
    arc = timeline()
    first = arc.nodes[cutoff].date
    return Order(
        order_id=f"o{number}",
        mirrors=mirrors,
        point_id=f"p{cutoff}",
        first=first,
        last=first + timedelta(days=60),
        level=1,
        dimension="event",
    )


def fill(
    root: Path,
    texts: dict[str, str] | AnswerFailed,
    orders: list[Order] | None = None,
    second: dict[str, str] | None = None,
) -> tuple[StageContext, list[Claim]]:
    """Fill the orders; `second` are the texts that are given when orders are asked again."""

    def handler(call: Call) -> Any:
        if isinstance(texts, AnswerFailed):
            return texts
        rows = [
            {"order_id": key, "text": text, "occasion": "the protest at the pier"}
            for key, text in (second or texts if call.sample else texts).items()
        ]
        return {"claims": rows}

    ctx = story(root, "fabricate", handler)
    ctx.workspace.write_lines(claims.CLAIMS, [MIRRORED])
    ctx.workspace.write_lines(claims.ORDERS, [order(1)] if orders is None else orders)
    counts = asyncio.run(claims.fabricate(ctx))
    kept = ctx.workspace.read_lines(Claim, claims.FABRICATIONS)
    assert counts.kept == len(kept)
    return ctx, kept


def test_an_order_becomes_a_claim_bound_to_what_it_mirrors(tmp_path: Path) -> None:
    ctx, (claim,) = fill(tmp_path, {"o1": GOOD})
    assert (claim.kind, claim.mirrors, claim.level) == ("fabrication", "c-real", 1)
    assert claim.node_id is None
    assert claim.difficulty == MIRRORED.difficulty
    assert claim.family_id != MIRRORED.family_id
    assert ctx.rejections == []


def test_the_writer_sees_the_form_of_the_mirrored_claim_and_not_its_words(tmp_path: Path) -> None:
    ctx, _ = fill(tmp_path, {"o1": GOOD})
    (call,) = outgoing(ctx)
    assert "[COM] _ the _ at the _ _" in call.user
    assert "stops" not in call.user
    assert "s5" not in call.user
    assert "⟦GOV:B⟧" not in call.user
    assert "c-real" not in call.system + call.user


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("⟦GRP:A⟧ permanently occupies the office of ⟦COM:A⟧", "holds an absolute word"),
        ("⟦GRP:A⟧ occupies the office of ⟦COM:A⟧ in June", "holds a time expression"),
        ("⟦GRP:A⟧ occupies the office of ⟦COM:B⟧ today or so", "unusable token"),
        ("⟦GOV:B⟧ occupies the ticket office", "unusable token"),
        ("⟦COM:A⟧ strikes", "length differs from the mirrored claim"),
        (
            "⟦COM:A⟧ stops the line at the old pier of the town",
            "too similar to something that happens or to another claim",
        ),
        (
            "⟦COM:A⟧ halts the line at the old pier",
            "too similar to something that happens or to another claim",
        ),
    ],
)
def test_a_made_up_claim_that_breaks_a_rule_is_rejected(
    tmp_path: Path, text: str, reason: str
) -> None:
    ctx, kept = fill(tmp_path, {"o1": text})
    assert kept == []
    assert [(r.item, r.reason) for r in ctx.rejections] == [
        ("o1", reason), ("o1", reason), ("o1", "order not filled")
    ]  # fmt: skip


def test_a_refused_order_is_asked_once_more_with_the_reason(tmp_path: Path) -> None:
    bad = "⟦GRP:A⟧ permanently occupies the office of ⟦COM:A⟧"
    orders = [order(1), order(2)]
    other = "a passenger sues the harbour master over delay"
    ctx, kept = fill(tmp_path, {"o1": bad, "o2": other}, orders, second={"o1": GOOD})
    assert [to_tokens(c.text["en"]) for c in kept] == [GOOD, other]
    first, second = outgoing(ctx)
    assert (first.item, first.sample) == (second.item, 0) != (second.item, second.sample)
    assert [row["order_id"] for row in second.variables["orders"]] == ["o1"]
    assert f"o1: {bad} (holds an absolute word: permanently)" in second.user
    assert "was not taken" not in first.user
    assert [(r.item, r.reason) for r in ctx.rejections] == [("o1", "holds an absolute word")]


def test_two_orders_never_get_the_same_claim(tmp_path: Path) -> None:
    ctx, kept = fill(tmp_path, {"o1": GOOD, "o2": GOOD}, [order(1), order(2)])
    assert len(kept) == 1
    assert ctx.rejections[0].reason.startswith("too similar")


def test_orders_of_one_point_share_a_call(tmp_path: Path) -> None:
    orders = [order(1), order(2), order(3, cutoff=5)]
    ctx, _ = fill(tmp_path, {"o1": GOOD}, orders)
    asked = [(call.item, call.sample) for call in outgoing(ctx)]
    assert asked[:2] == [("2031-05-02-1", 0), ("2031-06-11-1", 0)]
    assert asked[2:] == [("2031-05-02-1", 1), ("2031-06-11-1", 1)]
    assert {r.item for r in ctx.rejections if r.reason == "no claim for the order"} == {"o2", "o3"}


def test_a_failed_call_rejects_its_orders(tmp_path: Path) -> None:
    ctx, kept = fill(tmp_path, AnswerFailed("no", reason="refused"))
    assert kept == []
    assert [(r.item, r.reason) for r in ctx.rejections] == [
        ("o1", "no usable answer"), ("o1", "no usable answer"), ("o1", "order not filled")
    ]  # fmt: skip


def test_no_orders_ask_nothing(tmp_path: Path) -> None:
    ctx, kept = fill(tmp_path, {}, [])
    assert kept == []
    assert outgoing(ctx) == []


def test_outcomes_and_fabrications_are_written_by_the_same_rules(tmp_path: Path) -> None:
    ctx, _ = fill(tmp_path / "f", {"o1": GOOD})
    other, _ = write(tmp_path / "o")
    rules = "How a claim is worded"
    first, second = outgoing(ctx)[0].system, outgoing(other)[0].system
    assert first[first.index(rules) :][:1500] == second[second.index(rules) :][:1500]


def test_paths_agree_with_the_stage_graph() -> None:
    from factory import pipeline, points, resolve, translate, vet

    for module in (points, claims, resolve, vet, translate):
        for name in dir(pipeline):
            if name.isupper() and isinstance(getattr(module, name, None), str):
                assert getattr(module, name) == getattr(pipeline, name), (module, name)


QUIET = [
    "⟦COM:A⟧ quietly buys a floating crane for the yard",
    "⟦COM:A⟧ quietly leases the quay to fishermen abroad",
    "⟦GRP:A⟧ quietly adopts a flag for the harbour",
    "a court quietly hears the widow of a diver in person",
    "an auditor quietly counts the cash of the kiosks",
    "⟦GOV:A⟧ quietly plants trees along the promenade",
]
REAL = [
    "⟦COM:A⟧ hires an outside engineer for the mast", "⟦GOV:A⟧ fences off the car deck of the pier",
    "⟦COM:A⟧ raises the fare of the night boat", "⟦GRP:A⟧ meets the traders of the quay",
    "a court grants a stay to the kiosks", "⟦COM:A⟧ opens a hotline for commuters",
    "⟦COM:A⟧ withdraws a captain from duty", "⟦GOV:A⟧ orders new mooring ropes abroad",
    "⟦COM:A⟧ sells the oldest vessel of the fleet", "⟦GOV:A⟧ names a mediator for the dispute",
]  # fmt: skip


def test_claims_with_tell_tale_words_are_asked_once_for_other_words(tmp_path: Path) -> None:
    orders = [order(number) for number in range(1, 7)]

    def handler(call: Call) -> dict[str, Any]:
        rows = []
        for row in call.variables["orders"]:
            number = int(row["order_id"][1:]) - 1
            text = QUIET[number]
            # The last one cannot do without; the fifth breaks another rule on the second try.
            if call.sample and number < 4:
                text = text.replace("quietly ", "")
            elif call.sample and number == 4:
                text = "an auditor counts the cash of the kiosks in June"
            rows.append({"order_id": row["order_id"], "text": text, "occasion": "the works"})
        return {"claims": rows}

    ctx = story(tmp_path, "fabricate", handler)
    reals = [make_claim(f"c{number}", text) for number, text in enumerate(REAL)]
    ctx.workspace.write_lines(claims.CLAIMS, [MIRRORED, *reals])
    ctx.workspace.write_lines(claims.ORDERS, orders)
    asyncio.run(claims.fabricate(ctx))
    first, second = outgoing(ctx)
    assert "quietly" not in first.user
    assert "Do without these words" in second.user
    assert second.variables["avoid"] == ["quietly"]
    assert [row["order_id"] for row in second.variables["orders"]] == [o.order_id for o in orders]
    texts = [to_tokens(c.text["en"]) for c in ctx.workspace.read_lines(Claim, claims.FABRICATIONS)]
    # What is no better the second time stays as it was: an order is never lost over its wording.
    assert texts == [t.replace("quietly ", "") for t in QUIET[:4]] + QUIET[4:]


def test_a_call_takes_as_many_orders_as_are_estimated() -> None:
    from factory import estimate
    from factory.claims import fabrications

    assert fabrications.ORDERS_A_CALL == estimate.ORDERS_A_CALL


@given(
    st.lists(st.text(alphabet="abc ", min_size=3, max_size=12), min_size=1, max_size=8),
    st.text(alphabet="abc ", min_size=3, max_size=12),
    st.integers(0, 7),
)
def test_the_short_cut_finds_what_comparing_everything_finds(
    said: list[str], text: str, family: int
) -> None:
    shapes = [frozenset(one[i : i + 3] for i in range(len(one) - 2)) for one in [*said, text]]
    rows = list(enumerate(shapes[:-1]))
    expected = any(n != family and overlap(shapes[-1], shape) >= SAME for n, shape in rows)
    assert _Said(rows).elsewhere(shapes[-1], family) == expected
