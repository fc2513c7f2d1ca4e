"""Years that a source names by a word count as stated."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.distil.evidence import foreign_figures
from factory.distil.relative import named_years

DAY = date(2026, 11, 28)


@pytest.mark.parametrize(
    ("words", "year"),
    [
        ("去年通过的法案", 2025), ("the law passed last year", 2025), ("the previous fiscal year", 2025),
        ("今年生效", 2026), ("later this year", 2026), ("明年年初", 2027), ("early next year", 2027),
        ("前年", 2024), ("the year before last", 2024), ("后年", 2028), ("三年前", 2023), ("两年多以前", 2024),
        ("three years ago", 2023), ("a year earlier", 2025), ("twenty-one years ago", 2005), ("5年后", 2031),
        ("within five years", 2031), ("14个月前", 2025), ("14 months ago", 2025), ("last December", 2025),
        ("next spring", 2027), ("上年同期", 2025),
    ],
)  # fmt: skip
def test_a_year_worked_out_from_a_word_stands(words: str, year: int) -> None:
    assert year in named_years(words, DAY)
    assert foreign_figures(f"It was so in {year}.", [words], [], DAY) == []
    assert foreign_figures(f"{year - 7} 以来，截至 {year}", [words], [], DAY) == [f"{year - 7}"]


@pytest.mark.parametrize("words", ["很久以前", "recently", "以后年年如此", "第三年", "空前年代"])
def test_words_that_name_no_year_allow_none(words: str) -> None:
    assert not named_years(words, DAY) - {DAY.year}


@pytest.mark.parametrize(
    "words", ["上月", "上个月", "last month", "昨天", "yesterday", "last Friday"]
)
def test_in_january_the_past_lies_in_the_year_before(words: str) -> None:
    assert 2025 in named_years(words, date(2026, 1, 1))
    assert 2025 not in named_years(words, date(2026, 7, 15))


@given(st.dates(date(1950, 1, 1), date(2100, 1, 1)))
def test_both_languages_name_the_same_year(day: date) -> None:
    for zh, en in (
        ("去年", "last year"), ("今年", "this year"), ("明年", "next year"), ("上月", "last month"),
        ("下月", "next month"), ("十年前", "ten years ago"), ("前年", "the year before last"),
    ):  # fmt: skip
        assert (
            named_years(zh, day) == named_years(f"it was {en}", day) or en == "the year before last"
        )
        assert named_years(zh, day) <= named_years(f"it was {en}", day)


def test_without_the_day_of_publication_a_word_names_nothing() -> None:
    assert foreign_figures("In 2025 it passed.", ["去年通过"], []) == ["2025"]


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("He will leave on 30 November 2026.", "他将于本月底离任"),
        ("He will leave on the 30th.", "他将于本月底离任"),
        ("他将于2026年11月30日离任", "He leaves at the end of the month"),
        ("Prices rose in October 2026.", "上月物价上涨"),
        ("2026年10月物价上涨", "Prices rose last month"),
        ("From 28 to 30 November trains stopped.", "本周末列车停运"),
        ("November 28-30, 2026 trains stopped.", "本周末列车停运"),
        ("11月28至30日列车停运", "Trains stop this weekend"),
    ],
)
def test_a_day_or_month_worked_out_stands(sentence: str, source: str) -> None:
    assert foreign_figures(sentence, [source], [], DAY) == []


def test_a_number_beside_a_date_is_still_checked() -> None:
    source = ["本月底"]
    assert foreign_figures("On 30 November 41 people left.", source, [], DAY) == ["41"]
    assert foreign_figures("November 28 and 30 people left.", source, [], DAY) == ["30"]
    assert foreign_figures("11月30日，57人离开，占12%", source, [], DAY) == ["12", "57"]
    assert foreign_figures("It fell from the 9th floor.", source, [], DAY) == ["9"]
    assert foreign_figures("Costs went from April 5 to 7 million.", source, [], DAY) == ["7e+06"]
