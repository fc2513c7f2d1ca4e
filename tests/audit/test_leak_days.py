"""Raw days in prose: every form with a year is read, every end of a range, in both languages, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.audit.leak_days import written_days
from factory.audit.scan import scan_files
from schemas import ReplacementTable

RAW = date(2026, 1, 12)


def days(text: str) -> set[date]:
    return {found.day for found in written_days(text)}


@pytest.mark.parametrize(
    "text",
    ["JANUARY 12, 2026", "january 12, 2026", "jan 12, 2026", "12 JAN 2026", "12th January 2026", "Sept. 3 to 12 January 2026",
     "the 12th of January, 2026", "January\u00a012, 2026", "January\u200912,\u20092026", "12\u201314 January 2026",
     "10\u201312 January 2026", "10, 11 and 12 January 2026", "January 10-12, 2026", "January 10 \u2013 12, 2026",
     "12 January to 3 February 2026", "10 December 2025 to 12 January", "30 December \u2013 12 January 2026",
     "January 3 to January 12, 2026", "Monday, 12 January to Friday, 16 January 2026", "2026 January 12", "2026-Jan-12",
     "In 2026, on January 12", "12th day of January 2026", "January the 12th, 2026", "January twelfth, 2026",
     "the twelfth of January 2026", "12 January (2026)", "12January2026", "Jan.12,2026", "**12** January **2026**",
     "12 <b>January</b> 2026", "12%20January%202026", "12 January\n2026", "12-Jan-2026", "12-Jan-26", "12 Jan '26",
     "2026年1月10日至12日", "2026年1月10日（周六）至12日（周一）", "2026年1月10-12日", "2026年1月10、12日", "2026年1月10日、11日和12日",
     "2025年12月30日至1月12日", "二〇二六年一月十二日", "二零二六年元月十二号", "２０２６年１月１２日", "2026 年 1 月 12 日", "26年1月12日",
     "2026-1-12", "2026.1.12", "2026/1/12", "2026_01_12", "12.01.2026", "12/01/2026", "01/12/2026", "12 / 01 / 2026",
     "1/12/26", "12/1/26", "26/1/12", "12.01.26", "2026\u201001\u201012", "2026\u201401\u201412", "2026\u221201\u221212", "20260112",
     "20260112T0930", "2026-W03-1", "2026-01-10/12", "1/10-12/2026", "10.-12.01.2026", "２０２６．１．１２"],
)  # fmt: skip
def test_a_raw_day_is_found_however_it_is_written(text: str) -> None:
    files = {"contexts/en/p1.md": f"they met {text} in town\n".encode()}
    found = scan_files(files, ReplacementTable(entities=()), raw_dates=[RAW])
    assert "leak-date" in {finding.rule for finding in found}


@pytest.mark.parametrize(
    "text",
    ["12 January", "January 2026", "1月12日", "2026年1月", "on 12 May we saw 2026 people", "3.12.5", "12 votes in January 2026",
     "2026年1月12个", "31 February 2026", "2026-13-40", "112 January 2026", "12 January 20260", "a march of 12 in 2026", "二〇二六年"],
)  # fmt: skip
def test_what_names_no_day_with_a_year_is_none(text: str) -> None:
    assert days(text) == set()


ENGLISH: dict[str, Callable[[date], str]] = {
    "day first": lambda d: f"{d.day} {d:%B} {d.year}",
    "month first": lambda d: f"{d:%B} {d.day}, {d.year}",
    "short": lambda d: f"{d:%b}. {d.day} {d.year}",
    "capitals": lambda d: f"{d.day} {d:%B} {d.year}".upper(),
    "dashes": lambda d: f"{d.day:02}-{d:%b}-{d.year}",
    "of": lambda d: f"the {d.day}th of {d:%B}, {d.year}",
    "iso": date.isoformat,
    "compact": lambda d: f"{d:%Y%m%d}",
    "dots": lambda d: f"{d.day}.{d.month}.{d.year}",
    "slashes": lambda d: f"{d.month}/{d.day}/{d.year}",
    "two figures": lambda d: f"{d.day}/{d.month}/{d:%y}",
    "chinese": lambda d: f"{d.year}年{d.month}月{d.day}日",
    "chinese characters": lambda d: f"{_spelt(d.year)}年{_number(d.month)}月{_number(d.day)}日",
    "week": lambda d: "{}-W{:02}-{}".format(*d.isocalendar()),
}


def _spelt(year: int) -> str:
    return "".join("〇一二三四五六七八九"[int(figure)] for figure in str(year))


def _number(n: int) -> str:
    tens, ones = divmod(n, 10)
    return ("" if tens == 0 else "十" if tens == 1 else "一二三"[tens - 1] + "十") + (
        "一二三四五六七八九"[ones - 1] if ones else ""
    )


@given(st.dates(date(1990, 1, 1), date(2089, 12, 31)), st.sampled_from(sorted(ENGLISH)))
def test_any_day_is_read_in_any_form(day: date, form: str) -> None:
    assert day in days(f"It was {ENGLISH[form](day)}, they said.")


@given(st.dates(date(1990, 1, 1), date(2089, 12, 1)), st.integers(1, 60))
def test_both_ends_of_a_range_are_read(first: date, length: int) -> None:
    last = date.fromordinal(first.toordinal() + length)
    assert {first, last} <= days(f"from {first.day} {first:%B} to {last.day} {last:%B} {last.year}")
    assert {first, last} <= days(f"{first:%B} {first.day}, {first.year} - {last:%B} {last.day}")
    assert {first, last} <= days(
        f"{first.year}年{first.month}月{first.day}日至{last.month}月{last.day}日"
    )


@given(st.dates(date(1990, 1, 1), date(2089, 12, 31)))
def test_a_rendered_day_is_read_as_itself_alone(day: date) -> None:
    for text in (
        f"{day.day} {day:%B} {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        str(day),
    ):
        assert days(text) == {day}


def test_a_day_that_no_raw_one_equals_is_no_finding() -> None:
    files = {
        "contexts/en/p1.md": b"### 2026-01-13\n\non 13 January 2026, and 11 to 14 January 2026\n"
    }
    assert scan_files(files, ReplacementTable(entities=()), raw_dates=[RAW]) == []


def test_a_day_broken_over_lines_is_reported_once() -> None:
    files = {"contexts/en/p1.md": b"they met on 12 January\n2026 and left\n"}
    (finding,) = scan_files(files, ReplacementTable(entities=()), raw_dates=[RAW])
    assert (finding.rule, finding.count) == ("leak-date", 1)
    assert "2026-01-12" in finding.examples[0]
