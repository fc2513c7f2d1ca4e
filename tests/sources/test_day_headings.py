"""A heading is one clear day or says why not: no text of a timeline is put under a day that nobody wrote."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.base import SourceError
from sources.calendar import EN_MONTHS, EN_WEEKDAYS
from sources.imports.day_headings import read_day, read_heading
from sources.imports.timeline import read_timeline

FIRST = "### 2026-01-06\n\n**Event**: Velloway opened.\n\n"
BELOW = "\n\n**Event**: It closed.\n"


@pytest.mark.parametrize(
    "words",
    [
        "2026-01-13", "2026-1-13", "2026/01/13", "2026/1/13", "2026.01.13", "2026年1月13日", "2026年01月13日", "2026 年 1 月 13 日",
        "２０２６年１月１３日", "二〇二六年一月十三日", "2026年1月13日（周二）", "2026年1月13日 星期二", "2026-01-13 (Tuesday)",
        "2026-01-13, Tue", "13 January 2026", "13th January 2026", "13 Jan. 2026", "January 13, 2026", "Jan 13 2026",
        "Tuesday, 13 January 2026", "13 January 2026 (tuesday)", "**2026-01-13**", "2026-01-13:", "2026-01-13 ###",
    ],
)  # fmt: skip
def test_a_heading_that_is_wholly_one_clear_date_is_that_day(words: str) -> None:
    parsed = read_timeline(f"{FIRST}### {words}{BELOW}", "t.md")
    assert [(p.day, p.text) for p in parsed.paragraphs] == [
        (date(2026, 1, 6), "Velloway opened."),
        (date(2026, 1, 13), "It closed."),
    ]
    assert not parsed.title
    assert not parsed.loose


@pytest.mark.parametrize(
    ("heading", "reason"),
    [
        ("### 2026-01-13 (Monday)", "names another weekday than that day's, which is Tuesday"),
        ("### 2026年1月13日（周一）", "which is Tuesday"),
        ("### 2026-01-13 The strike ends", "is not one clear day"),
        ("### 13-14 January 2026", "is not one clear day"),
        ("### 2026-01-13 to 2026-01-14", "is not one clear day"),
        ("### 1月13日", "is not one clear day"),
        ("### January 13", "is not one clear day"),
        ("### 01/02/2026", "can be read as more than one day"),
        ("### 13.1.26", "can be read as more than one day"),
        ("### 2026-02-30", "is no day of the calendar"),
        ("### 2026年13月1日", "is no day of the calendar"),
        ("### 2100-01-05", "lies outside the years 1900 to 2099"),
        ("### 1850-01-05", "lies outside the years 1900 to 2099"),
        ("### January 2026", "names no day"),
        ("### 2026-01", "names no day"),
        ("# 2026-01-13", "has not two to four # signs"),
        ("##### 2026-01-13", "has not two to four # signs"),
        ("**2026-01-13**", "is in bold"),
        ("2026-01-13", "has no ### before it"),
        ("2026-01-13\n----------", "has no ### before it"),
    ],
)
def test_a_heading_that_holds_a_date_and_is_no_clear_day_is_refused(
    heading: str, reason: str
) -> None:
    with pytest.raises(SourceError) as error:
        read_timeline(f"{FIRST}{heading}{BELOW}", "t.md")
    said = str(error.value)
    assert said.startswith("t.md line 5: the heading ")
    assert reason in said
    assert heading.split("\n")[0].strip("#* ") in said
    assert "### YYYY-MM-DD" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "heading", ["### Aftermath", "## The second week", "### 第二周", "### 2026"]
)
def test_text_below_any_other_heading_is_left_out_with_its_line(heading: str) -> None:
    text = f"{FIRST}{heading}{BELOW}\n### 2026-01-20\n\n**Event**: It stayed shut.\n"
    parsed = read_timeline(text, "t.md")
    assert [(p.day.day, p.text) for p in parsed.paragraphs] == [
        (6, "Velloway opened."),
        (20, "It stayed shut."),
    ]
    assert [(row.number, row.text) for row in parsed.loose] == [
        (5, heading),
        (7, "**Event**: It closed."),
    ]
    assert not parsed.title


def test_headings_over_several_days_and_hashtags_stand_in_no_ones_way() -> None:
    text = (
        "# Ferry strike, 6 January 2026 to 20 January 2026\n\nAn introduction.\n\n## January 2026\n\n"
        f"{FIRST}**Public Opinion**: Anger was the mood.\n#ferry said many.\n"
    )
    parsed = read_timeline(text, "t.md")
    assert parsed.title.startswith("Ferry strike")
    assert [p.text for p in parsed.paragraphs] == [
        "Velloway opened.",
        "Anger was the mood.\n#ferry said many.",
    ]
    assert [row.number for row in parsed.loose] == [3]


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.integers(0, 6))
def test_every_writing_of_a_day_is_that_day_and_a_wrong_weekday_none(
    day: date, number: int
) -> None:
    month = EN_MONTHS[day.month - 1].capitalize()
    weekday = EN_WEEKDAYS[number].capitalize()
    for words in (
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
    ):
        assert read_day(words) == day
        assert (read_day(f"{words} ({weekday})") == day) == (number == day.weekday())


@given(st.text(max_size=40))
def test_no_heading_breaks_the_reader(words: str) -> None:
    heading = read_heading(f"### {words}")
    if heading is not None and heading.day is not None:
        assert not heading.why_not
        assert date(1900, 1, 1) <= heading.day < date(2099, 12, 31) + timedelta(days=1)


def test_a_very_long_heading_costs_no_time_and_is_no_day() -> None:
    for words in (
        "一" * 500_000,
        "*" * 500_000 + "x",
        "1 " * 250_000,
        "2026-01-13" + " 1" * 250_000,
    ):
        heading = read_heading(f"### {words}")
        assert heading is not None
        assert heading.day is None
