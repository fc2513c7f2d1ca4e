"""Figures: which are rare, and a policy that never changes the answer of a comparison."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.attackers import statements
from factory.anonymise.number_plan import (
    NumberPlan,
    ordered_cut,
    plan_numbers,
    renumbered,
    rewritten,
)
from factory.anonymise.numbers import figures, rare_numbers, significant_digits
from factory.errors import BadInput
from factory.segments import numbers, split_numbers
from schemas import (
    AnonNode,
    AnonOpinion,
    AnonStatement,
    AnonTimeline,
    Number,
    SegmentText,
    Span,
)


def text(words: str) -> SegmentText:
    return tuple(split_numbers(words))


def words(segments: SegmentText) -> str:
    return "".join(s.text for s in segments if s.kind in ("text", "number"))


def rounded(*sentences: str) -> list[str]:
    texts = [text(sentence) for sentence in sentences]
    plan = plan_numbers(texts, "round")
    assert plan.state == "applied"
    return [words(plan.apply(each)) for each in texts]


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("The house passed it by 218 to 217.", ["votes", "votes"]),
        ("The council voted 21-18 to spend 1.9 million crowns.", ["votes", "votes", "money"]),
        ("They passed it with 352 in favor and 65 against.", ["votes", "votes"]),
        ("The share fell 19.5% to $21.54.", ["percent", "money"]),
        ("A 68-year-old man, now 69, paid.", ["age", "age"]),
        ("Section 301 and Form 8 of 2019 apply.", ["code", "code", "year"]),
        ("It took 144 days, until 10.30 p.m. on the 22nd.", ["time", "time", "time"]),
        ("About 21,400 people signed.", ["figure"]),
        ("会议以50票对46票通过决议。", ["votes", "votes"]),
        ("现年68岁的他支付了17.25亿美元，增长109.77%。", ["age", "money", "percent"]),
        ("第301条在16频道播出，历时144天。", ["code", "code", "time"]),
    ],
)
def test_a_figure_is_known_by_what_it_counts(sentence: str, kinds: list[str]) -> None:
    assert [kind for _, kind in figures(text(sentence))] == kinds


def test_rare_figures_are_listed_with_their_words() -> None:
    found = rare_numbers(
        [("s1", text("About 21,400 of 40 people paid 5 euros in 2019 within 144 days."))]
    )
    assert [(each.kind, each.value, each.digits) for each in found] == [
        ("figure", 21400.0, 3),
        ("money", 5.0, 1),
    ]
    assert found[0].where == "s1"
    assert "21,400" in found[0].words


@pytest.mark.parametrize(
    ("written", "digits"),
    [
        ("120", 2), ("0.012", 2), ("1,204", 4), ("0", 1), ("109.77%", 5), ("1000000000", 1), ("4.217 billion", 4),
        ("17.25亿", 4), ("1.1 million", 2), ("3万", 1),
    ],
)  # fmt: skip
def test_digits_are_counted_on_what_is_written_without_zeros_at_the_end(
    written: str, digits: int
) -> None:
    assert significant_digits(written) == digits
    assert [row.digits for row in rare_numbers([("s", text(f"It cost ${written}."))])] == [digits]


def test_keep_changes_nothing() -> None:
    sentence = text("About 21,437 people signed.")
    assert plan_numbers([sentence], "keep").apply(sentence) is sentence


def test_rounding_keeps_the_form_in_which_a_figure_was_written() -> None:
    assert rounded(
        "About 21,437 people.",
        "增长109.77%，共17.25亿元。",
        "It cost 4.567 million euros.",
        "Just 0.0347 remained.",
    ) == [
        "About 21,000 people.",
        "增长110%，共17亿元。",
        "It cost 4.6 million euros.",
        "Just 0.035 remained.",
    ]


def test_figures_that_would_become_equal_keep_more_digits() -> None:
    assert rounded("It won 218.", "It lost 217.", "There are 219 or 435.") == [
        "It won 218.", "It lost 217.", "There are 219 or 440.",
    ]  # fmt: skip


def test_codes_years_and_durations_are_never_rounded() -> None:
    same = "Section 301 of 2019 applies for 144 days; 第301条."
    assert rounded(same) == [same]


@pytest.mark.parametrize(
    "sentence",
    [
        "Of 1,234 members 811 came and 423 stayed away.",
        "Each of 121 towns got 3,003 trees, 363,363 in all.",
        "With 1,117 of 3,351 votes it has 33.3%.",
    ],
)
def test_figures_that_add_up_stay_as_they_are(sentence: str) -> None:
    assert rounded(sentence) == [sentence]


positive = st.floats(1e-4, 1e12, allow_nan=False).map(lambda v: float(f"{v:.6g}"))


@given(st.lists(positive, min_size=1, max_size=30), st.floats(0.5, 2))
def test_cutting_keeps_every_figure_in_its_order(values: list[float], factor: float) -> None:
    cut = ordered_cut(values, factor=factor)
    ordered = [cut[value] for value in sorted(set(values))]
    assert all(a < b for a, b in pairwise(ordered))


@given(st.lists(positive, min_size=2, max_size=20), st.data())
def test_figures_of_neither_order_nor_place_change_a_cut(
    values: list[float], data: st.DataObject
) -> None:
    assert ordered_cut(values) == ordered_cut(data.draw(st.permutations(values)))


integers = st.integers(1, 10**7)


@given(st.lists(integers, min_size=1, max_size=12), integers, integers)
def test_figures_that_the_timeline_does_not_hold_fit_between_the_others(
    known: list[int], a: int, b: int
) -> None:
    plan = NumberPlan("round", "applied", values=ordered_cut(map(float, known)))
    low, high = sorted((a, b))

    def value(number: int) -> float:
        (changed,) = plan.apply(text(str(number)))
        assert isinstance(changed, Number)
        return changed.value

    assert value(low) <= value(high)
    for each in known:
        assert value(each) == plan.values[float(each)]


@given(st.lists(st.integers(100, 10**6), min_size=1, max_size=8), st.data())
def test_a_quote_of_a_changed_sentence_is_the_changed_quote(
    values: list[int], data: st.DataObject
) -> None:
    sentence = text(", ".join(f"about {value} people" for value in values))
    plan = plan_numbers([sentence], "round")
    first = data.draw(st.integers(0, len(sentence) - 1))
    last = data.draw(st.integers(first, len(sentence)))
    assert words(plan.apply(sentence[first:last])) in words(plan.apply(sentence))


def test_both_editions_show_the_same_figures() -> None:
    en, zh = text("Some 21,437 people paid 1.725 billion."), text("约2.1437万人支付了17.25亿。")
    plan = plan_numbers([en, zh], "round")
    assert numbers(plan.apply(en)) == numbers(plan.apply(zh)) == {21000.0: 1, 1.7e9: 1}


@given(
    st.sampled_from(["1,204", "12.5%", "4.5 million", "17.25亿", "0.35", "38万"]),
    st.integers(1, 9999),
)
def test_a_rewritten_figure_has_the_value_that_was_asked_for(form: str, tenths: int) -> None:
    (number,) = split_numbers(form)
    assert isinstance(number, Number)
    wanted = number.value * tenths / 1000
    assert rewritten(number, wanted).value == pytest.approx(wanted, rel=1e-6, abs=1e-9)


UNEVEN = [
    "The firm paid 3,217 euros, then 48,391 euros.",
    "A grant of 77,123 euros went to the club.",
    "The fine was 613,777 euros; the deposit was 9,411 euros.",
]


def scaled(sentences: list[str], seed: int = 4) -> NumberPlan:
    return plan_numbers([text(sentence) for sentence in sentences], "scale", seed=seed)


def test_scaling_changes_amounts_alone_and_keeps_their_ratios() -> None:
    plan = scaled([*UNEVEN, "It was 52% of 140 voters."])
    assert plan.state == "applied", plan.reason
    assert plan.factor != 1.0
    for old, new in plan.values.items():
        assert new == pytest.approx(old * plan.factor, rel=0.05)
    other = text("It was 52% of 140 voters.")
    assert plan.apply(other) == other
    (changed,) = rare_numbers(
        [("s", plan.apply(text("A grant of 77,123 euros went to the club.")))]
    )
    assert changed.value == plan.values[77123.0]


def test_the_seed_alone_decides_the_factor() -> None:
    assert scaled(UNEVEN, 4) == scaled(UNEVEN, 4)
    assert scaled(UNEVEN, 4).factor != scaled(UNEVEN, 5).factor


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("It hopes for a million euros.", "spelled in words"),
        ("他们希望得到三百万欧元。", "spelled in words"),
        ("That is 51,210 dollars.", "2 currencies"),
        ("Some 77,123 people came.", "something else in another"),
        ("Of 30,117 euros 10,002 euros were lost and 20,115 euros kept.", "tied to other figures"),
    ],
)
def test_scaling_is_refused_where_something_gives_the_factor_away(more: str, reason: str) -> None:
    plan = scaled([*UNEVEN, more])
    assert plan.state == "refused"
    assert reason in plan.reason
    sentence = text(UNEVEN[0])
    assert plan.apply(sentence) is sentence


def test_scaling_round_amounts_is_refused_because_roundness_gives_the_factor_away() -> None:
    amounts = (
        100,
        200,
        300,
        400,
        500,
        600,
        700,
        800,
        900,
        150,
        250,
        350,
        450,
        550,
        650,
        750,
        850,
        950,
    )
    plan = scaled([f"It paid {amount} million euros." for amount in amounts])
    assert plan.state == "refused"
    assert "round" in plan.reason


def test_without_amounts_there_is_nothing_to_scale() -> None:
    assert scaled(["It rained for 3 days."]).state == "refused"


def small_timeline() -> AnonTimeline:
    def statement(name: str, en: str, zh: str) -> AnonStatement:
        return AnonStatement(statement_id=name, text={"en": text(en), "zh": text(zh)})

    day = date(2031, 3, 3)
    node = AnonNode(
        node_id="n",
        date=day,
        fact=(statement("s1", "About 21,437 people signed.", "约21,437人签名。"),),
        opinion=AnonOpinion(
            statements=(statement("s2", "Many say 21,437 is few.", "许多人说21,437太少。"),),
            stances={"support": 1.0},
            themes=(statement("n-t1", "the 21,437 names", "21,437个名字"),),
            emotion="anger",
            n_items=3,
        ),
    )
    return AnonTimeline(
        public_id="p", lang="en", span=Span(observed_from=day, observed_until=day), nodes=(node,)
    )


def every_text(timeline: AnonTimeline) -> list[SegmentText]:
    return [t for _, s in statements(timeline) for t in s.text.values()]


def test_a_timeline_changes_in_fact_opinion_themes_and_both_editions_alike() -> None:
    timeline = small_timeline()
    changed = renumbered(timeline, plan_numbers(every_text(timeline), "round"))
    shown = [words(each) for each in every_text(changed)]
    assert len(shown) == 6
    assert all("21,000" in each and "21,437" not in each for each in shown)
    assert AnonTimeline.model_validate_json(changed.model_dump_json()) == changed
    assert renumbered(timeline, plan_numbers(every_text(timeline), "keep")) is timeline


def test_a_refused_policy_says_why_and_what_to_do() -> None:
    timeline = small_timeline()
    with pytest.raises(BadInput, match=r"names no amount of money; choose"):
        renumbered(timeline, plan_numbers(every_text(timeline), "scale", seed=1))


MONEY = {
    "event1_library": 0,
    "event2_trump_tariff": 92,
    "event3_tiktok": 17,
    "event4_us_iran": 2,
    "event5_smci": 52,
}
"""Published event -> amounts of money in its English context, counted independently."""


@pytest.mark.parametrize("event", MONEY)
def test_the_amounts_of_the_published_contexts_are_found(testdata: Path, event: str) -> None:
    longest = sorted((testdata / "official" / "demo" / "en" / event).glob("P*_context.md"))[-1]
    paragraphs = [p for p in longest.read_text("utf-8").split("\n\n") if not p.startswith("#")]
    texts = [(str(i), text(paragraph)) for i, paragraph in enumerate(paragraphs)]
    found = rare_numbers(texts)
    assert sum(each.kind == "money" for each in found) >= MONEY[event]
    plan = plan_numbers([each for _, each in texts], "round")
    values = [plan.values[value] for value in sorted(plan.values)]
    assert values == sorted(set(values))
