"""A mention is read whole or left to a person: no form of a date ever moves in part, at any offset.

The forms are written here by code of their own, before and after the shift, so that engine and expectation share
nothing but the calendar.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.dates import find_dates, offsets, shift_text
from factory.anonymise.dates_guard import BEFORE_DAY, BEFORE_UNIT, may_be_unread
from factory.audit.calendar_net import residue
from factory.segments import MONTHS

Form = Callable[[date, date], str | None]
"""A day or its unit in words, as a text of the anchor's day writes it; None where this form cannot."""

WEEKS = st.sampled_from(offsets("weeks"))
ANCHORS = st.dates(date(2000, 1, 1), date(2040, 12, 31))
TEENS = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
]  # fmt: skip
ORDINALS = [*TEENS, *(f"twenty-{word}" for word in TEENS[:9]), "thirtieth", "thirty-first"]


def nth(day: int) -> str:
    return f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def name(day: date) -> str:
    return MONTHS[day.month - 1]


def year_word(day: date, anchor: date, zh: bool = False) -> str | None:
    words = ("去年", "今年", "明年") if zh else ("last year", "this year", "next year")
    apart = day.year - anchor.year
    return words[apart + 1] if abs(apart) <= 1 else None


def with_year(text: str, day: date, anchor: date) -> str | None:
    word = year_word(day, anchor)
    return word and text.replace("@", word)


def zh_year(text: str, day: date, anchor: date) -> str | None:
    word = year_word(day, anchor, zh=True)
    return word and text.replace("@", word)


def three(day: date) -> list[date]:
    return [day + timedelta(days=step) for step in range(3)]


def month_first(day: date) -> str | None:
    words, before = [], 0
    for each in three(day):
        words.append(f"{each.day}" if each.month == before else f"{name(each)} {each.day}")
        before = each.month
    return None if day.year != three(day)[-1].year else f"{words[0]}, {words[1]} and {words[2]}"


def day_first(day: date) -> str | None:
    days = three(day)
    words = [
        f"{each.day}"
        if index < 2 and days[index + 1].month == each.month
        else f"{each.day} {name(each)}"
        for index, each in enumerate(days)
    ]
    return None if day.year != days[-1].year else f"{words[0]}, {words[1]} and {words[2]}"


def spelled_two(day: date) -> str | None:
    after = day + timedelta(days=1)
    if after.month != day.month:
        return None
    return f"{ORDINALS[day.day - 1]} and {ORDINALS[after.day - 1]} of {name(day)}"


def zh_days(day: date) -> str | None:
    after = day + timedelta(days=1)
    if after.year != day.year:
        return None
    if after.month != day.month:
        return f"{day.month}月{day.day}日、{after.month}月{after.day}日"
    return f"{day.month}月{day.day}、{after.day}日"


DAYS: dict[str, Form] = {
    "full": lambda d, a: f"{name(d)} {d.day}, {d.year}",
    "lower case": lambda d, a: f"{name(d).lower()} {d.day}, {d.year}",
    "capitals": lambda d, a: None if d.month == 5 else f"{d.day} {name(d)[:3].upper()} {d.year}",
    "hard space": lambda d, a: f"{name(d)}\u00a0{d.day}, {d.year}",
    "of the month": lambda d, a: f"the {nth(d.day)} of {name(d)}, {d.year}",
    "spelled": lambda d, a: f"the {ORDINALS[d.day - 1]} of {name(d)} {d.year}",
    "day of": lambda d, a: f"the {nth(d.day)} day of {name(d)} {d.year}",
    "relative year": lambda d, a: with_year(f"{d.day} {name(d)} @", d, a),
    "relative year, month first": lambda d, a: with_year(f"{name(d)} {d.day} of @", d, a),
    "dashes": lambda d, a: f"{d.year}–{d.month:02d}–{d.day:02d}",
    "spaced dashes": lambda d, a: f"{d.year} - {d.month:02d} - {d.day:02d}",
    "dots": lambda d, a: f"{d.year}.{d.month:02d}.{d.day:02d}",
    "year first": lambda d, a: f"{d.year} {name(d)} {d.day}",
    "brackets": lambda d, a: f"{name(d)} {d.day} ({d.year})",
    "two figures": lambda d, a: f"{d.day} {name(d)} {d.year % 100:02d}" if abs(d.year - a.year) < 2 else None,
    "stamp": lambda d, a: f"{name(d)} {d.day:02d} 10:11:12 +0000 {d.year}",
    "two spelled": lambda d, a: spelled_two(d) and f"the {spelled_two(d)} {d.year}",
    "three, month first": lambda d, a: month_first(d) and f"{month_first(d)}, {d.year}",
    "three, day first": lambda d, a: day_first(d) and f"{day_first(d)} {d.year}",
    "zh": lambda d, a: f"{d.year}年{d.month}月{d.day}日",
    "zh relative year": lambda d, a: zh_year(f"@{d.month}月{d.day}日", d, a),
    "zh two days": lambda d, a: zh_days(d) and f"{d.year}年{zh_days(d)}",
}  # fmt: skip


LISTS = frozenset({"two spelled", "three, month first", "three, day first", "zh two days"})
"""Forms that name a month once."""


def near(anchor: date, steps: int) -> date:
    return anchor + timedelta(days=steps)


def doubtful(text: str, anchor: date, offset: int) -> bool:
    mentions = find_dates(text, anchor, offset)
    left = residue(text, [(m.start, m.end) for m in mentions])
    return bool(left) or any(m.kind == "flag" for m in mentions)


@pytest.mark.parametrize("form", DAYS)
@given(ANCHORS, st.integers(-300, 300), WEEKS)
def test_a_day_moves_whole_or_is_a_doubt(form: str, anchor: date, steps: int, offset: int) -> None:
    step = timedelta(days=offset)
    day = near(anchor, steps)
    text, expected = DAYS[form](day, anchor), DAYS[form](day + step, anchor + step)
    if text is None or (form in LISTS and day.month != three(day)[-1].month):
        return
    if doubtful(f"It is {text}.", anchor, offset):
        return
    moved = shift_text(f"It is {text}.", anchor, offset)
    if expected is None:  # no such word for the year, or MAY, which is no short form
        assert str((day + step).year) in moved
    else:
        assert moved == f"It is {expected}.".replace("\u00a0", " ")


@pytest.mark.parametrize("form", DAYS)
def test_forms_of_days_are_read_and_seldom_doubted(form: str) -> None:
    draw = random.Random(form)
    read: Counter[bool] = Counter()
    for _ in range(300):
        anchor = date(2000, 1, 1) + timedelta(days=draw.randrange(14000))
        text = DAYS[form](near(anchor, draw.randint(-300, 300)), anchor)
        if text is not None:
            read[not doubtful(f"It is {text}.", anchor, draw.choice(offsets("weeks")))] += 1
    assert read[True] >= 0.9 * read.total()


def unit_after(first: date, last: date, offset: int, key: Callable[[date], int]) -> int:
    """The month or quarter, as a running number, that holds most of the moved days; the later one on a tie."""
    held: Counter[int] = Counter()
    for step in range((last - first).days + 1):
        held[key(first + timedelta(days=step + offset))] += 1
    return max(held, key=lambda unit: (held[unit], unit))


def of_month(day: date) -> int:
    return day.year * 12 + day.month - 1


def of_quarter(day: date) -> int:
    return day.year * 4 + (day.month - 1) // 3


def month_span(index: int) -> tuple[date, date]:
    first = date(index // 12, index % 12 + 1, 1)
    return first, date((index + 1) // 12, (index + 1) % 12 + 1, 1) - timedelta(days=1)


def quarter_span(index: int) -> tuple[date, date]:
    return month_span(index * 3)[0], month_span(index * 3 + 2)[1]


WORDS = ("first", "second", "third", "fourth")
UNITS: dict[str, tuple[str, Callable[[int, date], str | None]]] = {
    "month of last year": ("month", lambda u, a: with_year(f"{MONTHS[u % 12]} of @", date(u // 12, 1, 1), a)),
    "month this year": ("month", lambda u, a: with_year(f"in {MONTHS[u % 12]} @", date(u // 12, 1, 1), a)),
    "month in brackets": ("month", lambda u, a: f"in {MONTHS[u % 12]} ({u // 12})"),
    "Q4 2024": ("quarter", lambda u, a: f"Q{u % 4 + 1} {u // 4}"),
    "lower-case month": ("month", lambda u, a: None if u % 12 in (2, 4) else f"in {MONTHS[u % 12].lower()} {u // 12}"),
    "year and month": ("month", lambda u, a: f"{u // 12}-{u % 12 + 1:02d}"),
    "month and year": ("month", lambda u, a: f"{u % 12 + 1:02d}/{u // 12}"),
    "去年3月": ("month", lambda u, a: zh_year(f"@{u % 12 + 1}月", date(u // 12, 1, 1), a)),
    "quarter of last year": ("quarter", lambda u, a: with_year(f"the {WORDS[u % 4]} quarter of @", date(u // 4, 1, 1), a)),
    "last year's quarter": ("quarter", lambda u, a: with_year(f"@'s {WORDS[u % 4]} quarter", date(u // 4, 1, 1), a)),
    "fourth-quarter 2024": ("quarter", lambda u, a: f"{WORDS[u % 4]}-quarter {u // 4}"),
    "4Q24": ("quarter", lambda u, a: f"{u % 4 + 1}Q{u // 4 % 100:02d}"),
    "24Q4": ("quarter", lambda u, a: f"{u // 4 % 100:02d}Q{u % 4 + 1}"),
    "去年四季度": ("quarter", lambda u, a: zh_year(f"@{'一二三四'[u % 4]}季度", date(u // 4, 1, 1), a)),
    "2024年第四季度": ("quarter", lambda u, a: f"{u // 4}年第{'一二三四'[u % 4]}季度"),
}  # fmt: skip


@pytest.mark.parametrize("form", UNITS)
@given(ANCHORS, st.integers(-300, 300), WEEKS)
def test_a_unit_moves_with_its_year_or_is_a_doubt(
    form: str, anchor: date, steps: int, offset: int
) -> None:
    kind, written = UNITS[form]
    key, span = (of_month, month_span) if kind == "month" else (of_quarter, quarter_span)
    unit = key(near(anchor, steps))
    after = unit_after(*span(unit), offset, key)
    text = written(unit, anchor)
    expected = written(after, anchor + timedelta(days=offset))
    if text is None or doubtful(f"It was {text}.", anchor, offset):
        return
    moved = shift_text(f"It was {text}.", anchor, offset)
    if expected is None:
        assert str(after // (12 if kind == "month" else 4)) in moved
    else:
        assert moved == f"It was {expected}."


@pytest.mark.parametrize("form", UNITS)
def test_forms_of_units_are_read_and_seldom_doubted(form: str) -> None:
    draw = random.Random(form)
    kind, written = UNITS[form]
    read: Counter[bool] = Counter()
    for _ in range(300):
        anchor = date(2001, 1, 1) + timedelta(days=draw.randrange(14000))
        day = near(anchor, draw.randint(-300, 300))
        text = written(of_month(day) if kind == "month" else of_quarter(day), anchor)
        if text is not None:
            read[not doubtful(f"It was {text}.", anchor, draw.choice(offsets("weeks")))] += 1
    assert read[True] >= 0.9 * read.total()


ANCHOR = date(2025, 3, 20)
MOVED = """
+49 | On the 15th he resigned.                | On the 3rd he resigned.
-63 | It sat from the 12th to the 15th.       | It sat from the 8th to the 11th.
+49 | It met on the 3rd and the 5th of March. | It met on the 21st and the 23rd of April.
+49 | It opens on Friday the 14th.            | It opens on Friday the 2nd.
+49 | It met in March–April 2025.             | It met in May–June 2025.
+49 | An early-March vote, a mid-May one.     | A late April vote, an early July one.
+49 | 1-3月出口增长，3、4月份回落。           | 3-5月出口增长，5、6月份回落。
+49 | 3月底4月初复航。                        | 5月中旬5月下旬复航。
+49 | Filed 13/03/2025, heard 04/03/2025.     | Filed 01/05/2025, heard 22/04/2025.
+49 | It closed on THURSDAY and on friday.    | It closed on THURSDAY and on friday.
+49 | On the 15th floor, in the 21st century. | On the 15th floor, in the 21st century.
""".strip().splitlines()


@pytest.mark.parametrize("row", MOVED)
def test_lists_and_days_by_number_move_together(row: str) -> None:
    offset, text, expected = (cell.strip() for cell in row.split("|"))
    assert shift_text(text, ANCHOR, int(offset)) == expected
    assert not doubtful(text, ANCHOR, int(offset))


@pytest.mark.parametrize(
    "text",
    [
        "the third week of March", "the first half of April 2025", "the last day of March", "the first Monday in May", "the end of Q2",
        "late Q3", "March 12–15 and 18", "March 2nd week", "week 12 of 2025", "2025-W12", "Mar-25", "12-Mar-25", "2025H1", "2009-10",
        "05/06/2025", "5.6.2025", "05-06-2025", "Q3 FY2025", "third quarter of FY2025", "The March quarter", "March the fourteenth, he left", "at month-end",
        "the September 11 attacks", "9/11", "9·11事件", "前三季度", "前11个月", "三季度末", "上一季度", "3月第二周", "三月的第三个星期",
        "3月份前两周", "第12周", "下半月", "三月十四", "闰六月", "三四月间", "令和7年3月12日", "次年1月", "翌年3月", "前一年12月", "两年前的3月",
        "2025年春夏", "三季报", "半年报", "December 30, 31 and 1", "4、3月", "13月5日",
    ],
)  # fmt: skip
@pytest.mark.parametrize("offset", [49, -63, 175])
def test_what_is_not_read_whole_stays_and_is_a_doubt(text: str, offset: int) -> None:
    assert shift_text(f"It was {text}.", ANCHOR, offset) == f"It was {text}."
    assert doubtful(f"It was {text}.", ANCHOR, offset)


def test_months_that_end_in_two_years_carry_each_their_year() -> None:
    assert shift_text("今年1至3月。", ANCHOR, 49) == "今年3至5月。"
    assert shift_text("今年1至3月。", ANCHOR, -63) == "去年11月至今年1月。"
    assert not doubtful("今年1至3月。", ANCHOR, -63)


@pytest.mark.parametrize(
    ("anchor", "offset", "before", "after"),
    [
        (date(2025, 3, 2), 49, "earlier this month", "earlier this month"),
        (date(2025, 3, 20), 49, "earlier this month", "last month"),
        (date(2025, 3, 28), 49, "later this month", "later this month"),
        (date(2025, 3, 5), 49, "Later this month", "Next month"),
        (date(2025, 3, 20), 28, "later this quarter", "later this quarter"),
    ],
)
def test_a_side_of_this_month_says_where_most_of_it_falls(
    anchor: date, offset: int, before: str, after: str
) -> None:
    assert shift_text(before, anchor, offset) == after


def test_the_day_that_is_told_decides_a_side_of_this_month() -> None:
    assert shift_text("earlier this month", ANCHOR, 49, date(2025, 3, 18)) == "earlier this month"
    assert shift_text("earlier this month", ANCHOR, 49, date(2025, 3, 3)) == "last month"


@given(
    st.lists(
        st.sampled_from(
            (
                "first ", "last ", "third ", "fourteenth ", "The ", "the ", "week ", "weeks ", "Monday ", "days ", "half ", "of ", "in ", "end ",
                "early ", "mid-", "2025 ", "12, ", "12 and ", "3rd or ", "5/", "6–", "day ", "March–", "前", "闰", "次年", "两年前的", "3、", "12至", "x ", "，",
            )
        ),
        max_size=5,
    )
)  # fmt: skip
def test_the_quick_look_before_a_mention_misses_nothing(words: list[str]) -> None:
    text = "".join(words)
    for pattern, unit in ((BEFORE_UNIT, True), (BEFORE_DAY, False)):
        if pattern.search(text):
            assert may_be_unread(text, 0, len(text), unit)
