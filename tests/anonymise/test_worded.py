"""Figures spelled in words: found with their value, listed when rare, and never changed by half."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.number_plan import plan_numbers
from factory.anonymise.numbers import rare_numbers
from factory.anonymise.worded import chinese_numeral, worded
from tests.anonymise.test_numbers import text, words


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("损失五千三百二十七万美元。", [("money", 53270000.0, 4)]),
        ("以二百一十七票通过，一百零三票反对。", [("votes", 217.0, 3), ("votes", 103.0, 3)]),
        ("It passed by forty-one votes to thirty-nine.", [("votes", 41.0, 2), ("votes", 39.0, 2)]),
        ("Two hundred and seventeen people came.", [("figure", 217.0, 3)]),
        ("It cost one million two hundred thousand dollars.", [("money", 1200000.0, 2)]),
        ("A forty-two-year-old man paid.", [("age", 42.0, 2)]),
        ("支持率为百分之三十七。", [("percent", 37.0, 2)]),
    ],
)
def test_figures_in_words_are_listed(sentence: str, expected: list[tuple[str, float, int]]) -> None:
    found = rare_numbers([("s", text(sentence))])
    assert [(row.kind, row.value, row.digits) for row in found] == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Two people voted, and one of twenty paid a hundred dollars.",
        "It took two hundred and seventeen days.",
        "He was born in nineteen eighty-four.",
        "千万不要去，十分重要，一百元，百万人。",
        "二百一十七天之后，二〇二六年五月二十一日。",
        "第二百一十七条。",
        "Someone wonders often about tension and weight.",
    ],
)
def test_small_round_and_timely_figures_in_words_are_not(sentence: str) -> None:
    assert rare_numbers([("s", text(sentence))]) == []


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("五千三百二十七万", 53270000), ("五亿三千万", 530000000), ("三百五", 350), ("一万二", 12000), ("三百零五", 305),
        ("十五", 15), ("二十", 20), ("两千", 2000), ("一亿", 100000000), ("千万", 0),
    ],
)  # fmt: skip
def test_chinese_cardinals(written: str, value: int) -> None:
    assert chinese_numeral(written) == value


@given(st.integers(1, 999_999_999))
def test_english_cardinals_are_read_whole(value: int) -> None:
    written = spelled(value)
    assert [(row.start, row.end, row.value) for row in worded(written)] == [
        (0, len(written), value)
    ]


def spelled(value: int) -> str:
    """An English cardinal as style guides write it."""
    ones = [
        "", *["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"],
        "sixteen", "seventeen", "eighteen", "nineteen",
    ]  # fmt: skip
    tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

    def small(n: int) -> str:
        if n < 20:
            return ones[n]
        if n < 100:
            return tens[n // 10] + (f"-{ones[n % 10]}" if n % 10 else "")
        return f"{ones[n // 100]} hundred" + (f" and {small(n % 100)}" if n % 100 else "")

    parts = []
    for size, name in ((10**6, " million"), (10**3, " thousand"), (1, "")):
        if value // size:
            parts.append(small(value // size) + name)
            value %= size
    return " ".join(parts)


def test_no_policy_changes_half_of_a_figure() -> None:
    sentences = ["217 people came.", "Two hundred and seventeen people came, 1,234 stayed."]
    plan = plan_numbers([text(each) for each in sentences], "round")
    assert [words(plan.apply(text(each))) for each in sentences] == [
        "217 people came.",
        "Two hundred and seventeen people came, 1,200 stayed.",
    ]
    plan = plan_numbers(
        [text("It cost $77,123."), text("Forty-one million dollars went.")], "scale", seed=4
    )
    assert plan.state == "refused"
    assert "spelled in words" in plan.reason
