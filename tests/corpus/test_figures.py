"""Numbers by value: what differs is an update, what is only written differently is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.dedup.figures import contradict, figures, without_dates


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("约70万人将受益", "about 700,000 people benefit"),
        ("耗资186亿元", "cost 18.6 billion yuan"),
        ("下游1.8万名居民", "18,000 residents downstream"),
        ("3月1日起上调12%", "up 12 percent from 1 March"),
        ("持续11天的纠纷", "the eleven-day dispute"),
        ("下午3点集合", "gather at 3 pm"),
        ("三百二十人", "320 people"),
        ("两百万欧元 5", "2 million euros 5"),
    ],
)
def test_one_value_in_two_wordings_never_contradicts(left: str, right: str) -> None:
    assert not contradict(figures(left), figures(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The toll has risen to 41, 17 missing", "The toll has risen to 57, 9 missing"),
        ("基准利率升至4.50%，周四宣布", "基准利率降至4.00%，周四宣布"),
        ("北原2比1胜南门，观众31204人", "北原0比3负于南门，观众29877人"),
        ("70万人", "70人"),
    ],
)
def test_other_numbers_contradict(left: str, right: str) -> None:
    assert contradict(figures(left), figures(right))


def test_more_detail_is_no_contradiction() -> None:
    assert not contradict(figures("12 percent"), figures("12 percent, 3.40 instead of 3.05"))


@given(st.text(), st.text())
def test_contradiction_is_symmetric_and_nothing_contradicts_itself(a: str, b: str) -> None:
    left, right = figures(a), figures(b)
    assert contradict(left, right) == contradict(right, left)
    assert not contradict(left, left)


def test_absolute_dates_are_no_quantities() -> None:
    text = "2031年4月5日至7日，41人获救。On 5 April 2031 and 2031-04-06, 17 were missing."
    assert figures(without_dates(text)).digits == {41.0, 17.0}


@pytest.mark.parametrize(
    "text",
    [
        "5-7 April 2031",
        "April 5 to 7, 2031",
        "5 and 7 April",
        "4月5至7日",
        "4月5日、7日",
        "on the 5th.",
    ],
)
def test_a_span_of_days_is_a_date_to_its_end(text: str) -> None:
    assert figures(without_dates(text)).digits == set()
