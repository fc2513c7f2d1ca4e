"""The date engine: the gold file, our own cases at three offsets, and what must hold for every date."""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.anonymise.dates import draw_offset, find_dates, offsets, shift_text
from factory.segments import MONTHS
from schemas import DateRef

ANCHOR = date(2026, 3, 10)
DAYS = st.dates(date(1990, 1, 1), date(2060, 12, 31))
OFFSETS = st.integers(-180, 180)
FORMS = (
    "{d:%Y-%m-%d}",
    "{d.day} {month} {d.year}",
    "{month} {d.day}, {d.year}",
    "{d.year}年{d.month}月{d.day}日",
    "{d:%Y/%m/%d}",
)


def written(form: str, day: date) -> str:
    return form.format(d=day, month=MONTHS[day.month - 1])


def refs(text: str, offset: int, anchor: date = ANCHOR) -> list[DateRef]:
    return [
        part.ref
        for mention in find_dates(text, anchor, offset)
        for part in mention.parts
        if isinstance(part.ref, DateRef)
    ]


def test_gold_file_every_case(testdata: Path) -> None:
    """Shift and leave cases are text-exact, flags are flagged, texts without dates are untouched."""
    wrong = []
    rows = (testdata / "data" / "dates" / "dates.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, rows):
        anchor, offset, text = date.fromisoformat(row["anchor"]), row["offset_days"], row["text"]
        mentions = find_dates(text, anchor, offset)
        flagged = [m for m in mentions if m.kind == "flag"]
        ok = shift_text(text, anchor, offset) == row["expected"]
        for span in row["spans"]:
            hit = any(m.start < span["end"] and span["start"] < m.end for m in flagged)
            ok &= hit == (span["kind"] == "flag")
        if not row["spans"]:
            ok &= all(m.kind == "leave" for m in mentions)
        if not ok:
            wrong.append(row["id"])
    assert len(rows) == 140
    assert wrong == []


CASES: tuple[tuple[int, str, str, str], ...] = (
    # offset, anchor, text, expected; whole weeks, both signs
    (
        49,
        "2026-03-10",
        "The hearing is on Tuesday, March 17, 2026.",
        "The hearing is on Tuesday, May 5, 2026.",
    ),
    (49, "2026-03-10", "They met on 3rd March.", "They met on 21st April."),
    (49, "2026-03-10", "Trials run from 30 March to 2 April.", "Trials run from 18 May to 21 May."),
    (49, "2026-03-10", "A strike is due next Friday.", "A strike is due next Friday."),
    (49, "2026-03-10", "They met over the weekend.", "They met over the weekend."),
    (49, "2026-03-10", "Work ended in mid-February.", "Work ended in early April."),
    (49, "2026-03-10", "Fares rose in the first quarter.", "Fares rose in the second quarter."),
    (49, "2025-12-20", "It will open next year.", "It will open this year."),
    (49, "2026-03-10", "Sales fell last month.", "Sales fell this month."),
    (
        49,
        "2026-03-10",
        "The 41X needs 55 minutes for 12 km.",
        "The 41X needs 55 minutes for 12 km.",
    ),
    (49, "2026-03-10", "May we march on?", "May we march on?"),
    (49, "2026-03-10", "3月17日（周二）开庭。", "5月5日（周二）开庭。"),
    (49, "2026-03-10", "2026年3月30日至4月2日停运。", "2026年5月18日至21日停运。"),
    (49, "2026-03-10", "下周五表决。", "下周五表决。"),
    (49, "2026-03-10", "去年12月签约。", "今年2月签约。"),
    (49, "2026-03-10", "3月上旬公布。", "4月下旬公布。"),
    (49, "2026-03-10", "三月三十一日生效。", "五月十九日生效。"),
    (49, "2026-03-10", "10号线明天停运，3号楼封闭。", "10号线明天停运，3号楼封闭。"),
    (49, "2026-03-10", "九点开会，共3000人，占12.5%。", "九点开会，共3000人，占12.5%。"),
    (-63, "2026-01-06", "The strike starts on January 12.", "The strike starts on November 10."),
    (
        -63,
        "2026-01-06",
        "The strike starts on January 12, 2026.",
        "The strike starts on November 10, 2025.",
    ),
    (-63, "2026-01-06", "This year fares rise.", "Next year fares rise."),
    (-63, "2026-01-06", "It was signed last year.", "It was signed this year."),
    (-63, "2026-01-06", "The survey of Q4 2025 is late.", "The survey of Q3 2025 is late."),
    (
        -63,
        "2026-01-06",
        "By the end of January 2026 all will be ready.",
        "By late November 2025 all will be ready.",
    ),
    (-63, "2026-01-06", "1月6日至8日罢工。", "11月4日至6日罢工。"),
    (-63, "2026-01-06", "今年将完工。", "明年将完工。"),
    (-63, "2026-01-06", "去年签约。", "今年签约。"),
    (-63, "2026-01-06", "2025年第四季度亏损。", "2025年第三季度亏损。"),
    (-63, "2026-01-06", "上周三开会。", "上周三开会。"),
    (-63, "2026-03-01", "2月底前答复。", "12月下旬前答复。"),
    (-175, "2026-05-20", "It opened on 29 February 2024.", "It opened on 7 September 2023."),
    (-175, "2026-05-20", "Votes were cast in May 2026.", "Votes were cast in November 2025."),
    (-175, "2026-05-20", "Votes were cast on 20/05/2026.", "Votes were cast on 26/11/2025."),
    (-175, "2026-05-20", "He spoke on Wednesday.", "He spoke on Wednesday."),
    (-175, "2026-05-20", "In the spring of 2025 it closed.", "In the autumn of 2024 it closed."),
    (-175, "2026-05-20", "2024年2月29日开通。", "2023年9月7日开通。"),
    (-175, "2026-05-20", "5月公布结果。", "11月公布结果。"),
    (-175, "2026-05-20", "须在30日内答复，为期90天。", "须在30日内答复，为期90天。"),
    (-175, "2026-05-20", "５月２０日开庭。", "11月26日开庭。"),
)


@pytest.mark.parametrize(("offset", "anchor", "text", "expected"), CASES)
def test_own_cases(offset: int, anchor: str, text: str, expected: str) -> None:
    assert shift_text(text, date.fromisoformat(anchor), offset) == expected


FLAGGED = (
    "before Christmas",
    "her 40th anniversary",
    "results of fiscal 2025",
    "in the first half of 2026",
    "by the autumn",
    "Tuesday, March 18, 2026",
    "on February 30",
    "春节后复工",
    "成立五周年",
    "今年秋天",
    "2月30日",
    "3月10日（周五）",
    "2026年上半年",
)


@pytest.mark.parametrize("text", FLAGGED)
def test_what_rules_cannot_settle_is_flagged_and_left_alone(text: str) -> None:
    assert [m.kind for m in find_dates(text, ANCHOR, 49)] == ["flag"]
    assert shift_text(text, ANCHOR, 49) == text


@given(DAYS, OFFSETS, st.sampled_from(FORMS))
def test_a_full_date_moves_by_exactly_the_offset(day: date, offset: int, form: str) -> None:
    text = f"On {written(form, day)} it opened."
    assert [(r.start, r.end) for r in refs(text, offset)] == [(day + timedelta(days=offset),) * 2]
    assert (
        shift_text(text, ANCHOR, offset)
        == f"On {written(form, day + timedelta(days=offset))} it opened."
    )


@given(DAYS, OFFSETS, OFFSETS, st.sampled_from(FORMS))
def test_shifts_add_up_and_undo_each_other(day: date, a: int, b: int, form: str) -> None:
    text = written(form, day)
    assert shift_text(shift_text(text, ANCHOR, a), ANCHOR, b) == shift_text(text, ANCHOR, a + b)
    assert shift_text(shift_text(text, ANCHOR, a), ANCHOR, -a) == text


@given(st.lists(DAYS, min_size=2, max_size=4), OFFSETS)
def test_gaps_between_days_never_change(days: list[date], offset: int) -> None:
    text = "；".join(written(FORMS[3], day) for day in days)
    moved = [r.start for r in refs(text, offset)]
    assert [b - a for a, b in pairwise(moved)] == [b - a for a, b in pairwise(days)]


@given(DAYS, OFFSETS)
def test_a_weekday_agrees_with_its_date_after_the_shift(day: date, offset: int) -> None:
    text = f"{day.month}月{day.day}日（周{'一二三四五六日'[day.weekday()]}）"
    to = day + timedelta(days=offset)
    expected = f"{to.month}月{to.day}日（周{'一二三四五六日'[to.weekday()]}）"
    assert shift_text(text, day, offset) == expected


@given(DAYS, st.sampled_from(offsets("weeks")))
def test_whole_weeks_leave_weekdays_and_weeks_alone(day: date, offset: int) -> None:
    for text in ("next Thursday", "on Monday", "last week", "下周五", "本周三", "周末"):
        assert shift_text(text, day, offset) == text


@given(
    st.integers(1, 12), st.integers(1, 31), st.integers(1, 12), st.integers(1, 31), DAYS, OFFSETS
)
@settings(max_examples=200)
def test_no_range_is_ever_invalid(
    m: int, d: int, m2: int, d2: int, anchor: date, offset: int
) -> None:
    for text in (
        f"{m}月{d}日至{m2}月{d2}日",
        f"from {MONTHS[m - 1]} {d} to {MONTHS[m2 - 1]} {d2}",
        f"{m}月{d}-{d2}日",
    ):
        for ref in refs(text, offset, anchor):
            assert ref.start <= ref.end


@given(st.text(max_size=60), DAYS, OFFSETS)
def test_any_text_gives_ordered_mentions_inside_it(text: str, anchor: date, offset: int) -> None:
    position = 0
    for mention in find_dates(text, anchor, offset):
        assert position <= mention.start < mention.end <= len(text)
        assert all(mention.start <= p.start < p.end <= mention.end for p in mention.parts)
        position = mention.end


def test_policies_draw_only_what_they_allow() -> None:
    weeks = offsets("weeks")
    assert len(weeks) == 44
    assert all(d % 7 == 0 and 28 <= abs(d) <= 175 for d in weeks)
    assert len(offsets("paper")) == 360
    assert all(draw_offset("weeks", other_than=28) in weeks for _ in range(50))
    assert 28 not in {draw_offset("weeks", other_than=28) for _ in range(200)}
