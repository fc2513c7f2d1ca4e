"""Counts: what platforms and people write, its lower bound, and what only looks like a count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.calendar import parse_zh_numeral
from sources.counts import read_count

DIGITS = "零一二三四五六七八九"


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        ("十万+", 100_000), ("三百多", 300), ("两千多", 2000), ("三千余", 3000), ("上万", 10_000), ("过万", 10_000), ("近百", 100),
        ("超千", 1000), ("万余", 10_000), ("百万+", 10**6), ("数百", 100), ("几十", 10), ("好几千", 1000), ("几十万", 100_000),
        ("十几", 10), ("十几万", 100_000), ("二十多亿", 2 * 10**9), ("约三百", 300), ("超过两万", 20_000), ("三千以上", 3000),
        ("一万二", 12_000), ("三千五", 3500), ("两百五", 250), ("一亿三", 130_000_000), ("一万零二", 10_002), ("十五", 15),
        ("一亿三千万", 130_000_000), ("二〇二六", 2026), ("赞 三百多", 300), ("三百多条评论", 300), ("共三百个赞", 300), ("評論：兩千", 2000),
        ("10多万", 100_000), ("10几万", 100_000), ("30几", 30), ("3千多", 3000), ("100万以上", 10**6), ("≈3k", 3000), (">1000", 1000),
        ("1'234", 1234), ("1\u2019234\u2019567", 1_234_567), ("1.234万", 12_340), ("1.234k", 1234), ("12.0", 12), ("1234.000", 1234),
        ("👍 12", 12), ("(12)", 12), ("评论(0)", 0), ("Likes12", 12), ("Comments: 12", 12), ("12点赞", 12), ("12分享", 12), ("12 月票", 12),
        ("12成员", 12), ("2w", 20_000), ("5m", 5_000_000),
    ],
)  # fmt: skip
def test_the_lower_bound_of_what_is_written(raw: str, count: int) -> None:
    assert read_count(raw) == count


@pytest.mark.parametrize(
    "raw",
    [
        "1-2万", "1000-2000", "1~2万", "10–20", "1到两万", "一两万", "两三千", "三五百", "1k-2k",  # ranges
        "12:30", "12：30", "12点30分", "2026-03-05", "2026/03/05", "2026.03.05", "3月5日", "2026年", "March 5", "3小时前", "2 weeks", "5h",
        "50% off", "12%", "百分之五十", "百分之50", "8成", "9折", "3 of 10", "1/2", "3 MB",
        "1.234", "12.345", "1.234,5", "1 234", "1_000", "1\u066c234", "12 comments, 3 likes",
        "第3", "Top 10", "#3", "v2", "$5", "12元", "不到100", "不到一百", "100以下", "<100", "less than 50", "1兆",
        "-", "—", "--", "n/a", "hello", "转发微博", "千万别", "十分好", "万一", "一般", "成千上万", "万", "百万", "几", "()", "unlike this",
    ],
)  # fmt: skip
def test_what_is_no_count_is_none_and_never_a_wrong_one(raw: str) -> None:
    assert read_count(raw) is None


@pytest.mark.parametrize(
    "raw",
    ["赞", "点赞", "评论", "評論", "分享", "转发", "收藏", "喜欢", "点赞数", "添加评论", "抢首评", "暂无", "暂无评论", "无", "👍", "👍 赞", "like", "Likes",
     "Comment", "Comments", "Share", "Reply", "Views", "No comments yet", "Add a comment", "Be the first to comment", "None", "null", "", " ", None],
)  # fmt: skip
def test_known_labels_and_nothing_are_zero(raw: str | None) -> None:
    assert read_count(raw) == 0


@pytest.mark.parametrize("raw", [["5"], {"count": 5}, b"5", object()])
def test_what_is_no_text_and_no_number_is_no_count(raw: object) -> None:
    assert read_count(raw) is None


@given(
    st.integers(1, 9), st.integers(1, 9), st.sampled_from([("百", 100), ("千", 1000), ("万", 10**4), ("亿", 10**8)])
)  # fmt: skip
def test_a_last_digit_is_of_the_next_lower_unit_unless_a_zero_stands_before_it(
    high: int, low: int, unit: tuple[str, int]
) -> None:
    name, value = unit
    assert read_count(f"{DIGITS[high]}{name}{DIGITS[low]}") == high * value + low * value // 10
    assert read_count(f"{DIGITS[high]}{name}零{DIGITS[low]}") == high * value + low


@given(st.integers(1, 9), st.sampled_from(["百", "千", "万", "百万"]), st.sampled_from("多余几+"))
def test_more_than_a_number_is_read_as_that_number(high: int, unit: str, more: str) -> None:
    assert read_count(f"{DIGITS[high]}{unit}{more}") == read_count(f"{high}{unit}")


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_a_clock_a_range_and_a_pair_hold_no_count(one: int, other: int) -> None:
    for mark in (":", "-", "~", "/", "至", " of ", ", "):
        assert read_count(f"{one}{mark}{other}") is None


def test_numerals_beyond_a_hundred_million_keep_their_lower_units() -> None:
    assert parse_zh_numeral("一亿三千万") == 130_000_000
    assert parse_zh_numeral("两亿零五万三") == 200_050_003
    assert parse_zh_numeral("一万亿") == 10**12
