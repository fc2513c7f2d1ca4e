"""English mentions that a simpler reading would move in half: read whole, left where they stay true, or a doubt."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.dates import find_dates, offsets, shift_text
from factory.anonymise.match import Matcher
from factory.anonymise.segments import parse
from factory.anonymise.table import build_table
from factory.audit.calendar_net import residue
from factory.segments import render

ANCHOR = date(2025, 12, 3)
MATCHER = Matcher(build_table([], [], "salt"))
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

READ = """
+49 | The fifth and sixth of December were quiet. | The twenty-third and twenty-fourth of January were quiet.
-63 | From the third to the fifth of December 2025. | From the first to the third of October 2025.
+49 | Dec 5 thru 8 is closed.                     | Jan 23 thru 26 is closed.
+49 | December 5th through the 7th.               | January 23rd through the 25th.
+49 | Dec. 5 and 6 in Oslo.                       | Jan. 23 and 24 in Oslo.
+49 | Between Nov. 28 and 30 it rained.           | Between Jan. 16 and 18 it rained.
-63 | They met 2025-12-05–08.                     | They met 2025-10-03–06.
+49 | From 2025-12-29 to 31 it sat.               | From 2026-02-16 to 18 it sat.
+49 | It met in December (2025).                  | It met in February (2026).
+49 | It met on December 5 (2025).                | It met on January 23 (2026).
+49 | On 2025 Dec 5 they met.                     | On 2026 Jan 23 they met.
+49 | It was signed on 5 Dec 25.                  | It was signed on 23 Jan 26.
+49 | Fri Dec 05 10:11:12 +0000 2025              | Fri Jan 23 10:11:12 +0000 2026
+49 | MON 1 DEC was quiet.                        | MON 19 JAN was quiet.
+49 | It ended late in December.                  | It ended in mid-February.
+49 | Late in December 2025 it ended.             | In mid-February 2026 it ended.
+49 | It is planned for late in December.         | It is planned for mid-February.
+49 | Midway through November it broke.           | In early January it broke.
+49 | Mid-to-late November was wet.               | Early January to mid-January was wet.
-63 | Later in December it votes.                 | Later in October it votes.
+49 | On November 3 it sat and on the 19th it fell. | On December 22 it sat and on the 7th it fell.
+49 | On the night of 30 November/1 December.     | On the night of 18 January/19 January.
-63 | It shut 30 November-1 December.             | It shut 28 September-29 September.
+49 | "We had a record Q3," he said.              | "We had a record Q4," he said.
""".strip().splitlines()

RENDERED = """
The Q4 2025 results were weak.         | The first-quarter 2026 results were weak.
A Q3 2025 loss.                        | A fourth-quarter 2025 loss.
Its 4Q25 margin fell.                  | Its first-quarter 2026 margin fell.
Analysts liked the Q4 earnings.        | Analysts liked the first-quarter earnings.
The Q4'25 call is on.                  | The first-quarter 2026 call is on.
The firm's Q3 was weak.                | The firm's fourth quarter was weak.
The firm's third quarter was weak.     | The firm's fourth quarter was weak.
An upbeat Q4 came.                     | An upbeat first quarter came.
In Q4 2025 sales fell.                 | In the first quarter of 2026 sales fell.
Q3 sales fell.                         | Fourth-quarter sales fell.
Analysts liked Q4.                     | Analysts liked the first quarter.
A December 2 vote, an 11 December one. | A 20 January vote, a 29 January one.
Fri Dec 05 10:11:12 +0000 2025         | Friday 23 January 2026 10:11:12 +0000
Either the 5th or the 6th of December. | Either 23 January or 24 January.
""".strip().splitlines()

DOUBTS = """
Between December 5 and the eighth they slept.
It sat from December 5 till the eighth.
The sixth, the ninth and the twelfth of December.
They met on December 5 and 9 to talk.
They met on July Fourth.
The July Fourth parade and the May Fourth marches.
December first is near.
He paid in November's last week.
He had until November's end.
In December 25 people died.
It was signed on Dec 5 25.
On 5 Dec 25 people died.
It was very late in December.
Earlier in December it fell.
In 2025, on December 5, they met.
They met on December 5 at noon 2025.
They met on December 5 in 2025.
The Dec. quarter was weak.
The Sept. quarter was weak.
December quarter 2025 was weak.
The December 2025 quarter was weak.
The March-quarter loss.
Its fiscal third quarter ended.
In the fall the mayor resigned.
By fall, it was over.
Fall semester begins.
In the spring the mayor resigned.
The first nine months of 2025 were weak.
The first 10 months were weak.
The last quarter of 2025 was weak.
The remainder of 2025 is lost.
Closed Dec 24, 25, 26 for good.
In December 2025, 2026 and 2027.
Two Decembers ago it fell.
It lost 2% in the first of 2025.
By year's end it closes.
So far this year 31 died.
The year-to-date total.
H1 revenue fell.
Sales are up from the same period of 2024.
""".strip().splitlines()

PLAIN = """
After the fall of the government they left.
Prices fall in the east; the fall in prices went on.
In his first three months in office he signed them.
The first two months of the war were the worst.
He was second and third on the fourth try.
Over the last year and in the last month of his term he slept.
On November 3, 4 people came. | On December 22, 4 people came.
On November 3 and 4 people queued. | On December 22 and 4 people queued.
On Dec 5, 14 planes came. | On Jan 23, 14 planes came.
On December 5 the first responders came. | On January 23 the first responders came.
He sat in the sun and was wed at last.
The Sun said so. H1N1 spread.
""".strip().splitlines()


def doubtful(text: str, anchor: date, offset: int) -> bool:
    mentions = find_dates(text, anchor, offset)
    left = residue(text, [(m.start, m.end) for m in mentions])
    return bool(left) or any(m.kind == "flag" for m in mentions)


@pytest.mark.parametrize("row", READ)
def test_what_belongs_to_a_date_moves_with_it(row: str) -> None:
    offset, text, expected = (cell.strip() for cell in row.split(" | "))
    assert shift_text(text, ANCHOR, int(offset)) == expected
    assert not doubtful(text, ANCHOR, int(offset))


@pytest.mark.parametrize("row", RENDERED)
def test_references_read_as_english(row: str) -> None:
    text, expected = (cell.strip() for cell in row.split(" | "))
    parsed = parse(text, MATCHER, anchor=ANCHOR, offset=49)
    assert render(parsed.segments, "en") == expected
    assert parsed.doubts == ()


@pytest.mark.parametrize("text", DOUBTS)
def test_what_is_not_read_whole_is_a_doubt(text: str) -> None:
    assert doubtful(text, ANCHOR, 49)


@pytest.mark.parametrize("row", PLAIN)
def test_plain_words_are_no_doubt(row: str) -> None:
    text, _, expected = row.partition(" | ")
    assert shift_text(text, ANCHOR, 49) == (expected or text)
    assert not doubtful(text, ANCHOR, 49)


def test_a_year_beside_a_date_is_a_doubt_only_where_the_date_leaves_it() -> None:
    text = "In 2025, in November, they met on December 5 at noon, as in 2025."
    assert not doubtful(text, ANCHOR, -63)
    assert doubtful(text, ANCHOR, 49)


SAME = [
    "the same period last year", "the same quarter last year", "this time last year", "the same month last year", "the same quarter of last year",
    "the corresponding period last year", "last year's same period", "this time next month", "the same day last week", "At this point last year",
]  # fmt: skip


@pytest.mark.parametrize("words", SAME)
@given(st.dates(date(2000, 1, 1), date(2040, 12, 31)), st.sampled_from(offsets("weeks")))
def test_a_unit_from_the_day_of_the_text_stays(words: str, anchor: date, offset: int) -> None:
    text = f"It rose 3% from {words}."
    assert shift_text(text, anchor, offset) == text
    assert not doubtful(text, anchor, offset)


def test_last_year_itself_moves() -> None:
    anchor = date(2026, 1, 20)
    assert shift_text("After last year's election.", anchor, -49) == "After this year's election."


WEEK_WORDS = {
    "the week before last": -2,
    "last week": -1,
    "this week": 0,
    "next week": 1,
    "the week after next": 2,
}


@given(
    st.dates(date(2000, 1, 1), date(2040, 12, 31)),
    st.sampled_from(offsets("paper")),
    st.sampled_from(WEEKDAYS),
    st.sampled_from(("last week", "this week", "next week")),
)
def test_a_weekday_of_a_week_names_the_moved_day_or_is_a_doubt(
    anchor: date, offset: int, weekday: str, week: str
) -> None:
    def day(name: str, words: str, base: date) -> date:
        monday = base - timedelta(days=base.weekday())
        return monday + timedelta(days=7 * WEEK_WORDS[words] + WEEKDAYS.index(name))

    text = f"{weekday} {week}"
    moved = shift_text(text, anchor, offset)
    if doubtful(text, anchor, offset):
        assert moved == text
        return
    name, _, words = moved.partition(" ")
    then = anchor + timedelta(days=offset)
    assert day(name, words, then) == day(weekday, week, anchor) + timedelta(days=offset)
    assert offset % 7 or moved == text


@pytest.mark.parametrize(
    "text",
    ["Trams stop Mon. and Tue.", "See you Wed!", "see u on thurs", "by EOD Mon", "tmrw or wed", "Sat night", "Closed Sun & Mon.", "on Fri"],
)  # fmt: skip
def test_short_weekdays_stay_in_whole_weeks_and_are_doubts_elsewhere(text: str) -> None:
    assert shift_text(text, ANCHOR, 49) == shift_text(text, ANCHOR, -38) == text
    assert not doubtful(text, ANCHOR, 49)
    assert doubtful(text, ANCHOR, -38)


def test_a_weekday_in_capitals_moves_with_its_date() -> None:
    moved = shift_text("MON 5 JAN, MONDAY 5 JANUARY", date(2026, 1, 5), -38)
    assert moved == "FRI 28 NOV, FRIDAY 28 NOVEMBER"


def test_this_friday_is_a_doubt_where_it_leaves_its_week() -> None:
    anchor = date(2026, 1, 5)
    assert doubtful("It meets this Friday.", anchor, -38)
    assert shift_text("It meets this Tuesday.", anchor, -38) == "It meets this Saturday."
