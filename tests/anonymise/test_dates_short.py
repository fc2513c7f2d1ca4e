"""Short and casual days of posts: what is certain moves, what may be a date is a doubt, what counts things is none.

Rows of MOVED are offset | raw day of the text | text | text after the shift.
"""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.dates import find_dates, offsets, shift_text
from factory.anonymise.dates_figures import NEAR
from factory.audit.calendar_net import calendar_words, residue

MOVED = """
+49 | 2025-12-03 | The office is shut 12/28-1/3.            | The office is shut 2/15-2/21.
-63 | 2025-12-03 | Join the Sat 12/6 rally.                 | Join the Sat 10/4 rally.
+49 | 2025-12-03 | Saturday, 6/12 at the depot              | Saturday, 24/1 at the depot
+49 | 2025-12-03 | 12/6 (Sat) at noon                       | 1/24 (Sat) at noon
+49 | 2025-12-03 | See you 12/3!                            | See you 1/21!
+49 | 2025-12-03 | The next hearing is on 12/7.             | The next hearing is on 1/25.
+49 | 2025-12-03 | The hearing is on 7/12, he said          | The hearing is on 25/1, he said
-28 | 2025-12-03 | Doors open 12/15 at 5pm.                 | Doors open 11/17 at 5pm.
+49 | 2025-12-03 | Closed from 12/5 to 12/7.                | Closed from 1/23 to 1/25.
+49 | 2025-12-03 | 12/5集合，不见不散。                       | 1/23集合，不见不散。
+49 | 2025-12-03 | 周五（12.5）开庭。                         | 周五（1.23）开庭。
+49 | 2025-12-03 | 12.5（周五）开庭。                         | 1.23（周五）开庭。
+49 | 2025-12-03 | 12.5讯，记者获悉                           | 1.23讯，记者获悉
-63 | 2025-12-03 | 12.5-12.7停课。                            | 10.3-10.5停课。
+49 | 2025-12-03 | 网友12-05 10:23发帖。                      | 网友01-23 10:23发帖。
+49 | 2026-01-03 | see you jan 5 at the depot               | see you feb 23 at the depot
+49 | 2026-05-03 | on may 5 they may vote                   | on june 23 they may vote
+49 | 2026-05-03 | due by mar 5, not sep 5, 2026            | due by apr 23, not oct 24, 2026
-63 | 2025-09-03 | sept 5, nov. 3, 5th dec and 7 oct        | jul 4, sept. 1, 3rd oct and 5 aug
+49 | 2025-12-03 | dec 9, 2025, and in oct 2025             | jan 27, 2026, and in dec 2025
+49 | 2025-12-03 | They met on 12-09-2025 and 8.12.2025.    | They met on 01-27-2026 and 26.1.2026.
+49 | 2025-12-03 | They met on 25.12.2025.                  | They met on 12.02.2026.
+49 | 2025-12-03 | Shot on 20251205T235959Z.                | Shot on 20260123T235959Z.
"""
DOUBTS = (
    "A strike was called for 12/15.", "Open 12/24, 12/25 and 12/26.", "Join the Sat 1/4 rally.", "The next hearing is on 6/6.", "Due 1/3.",
    "11.11活动", "6.18开始", "5 may", "See you 5 may!", "see you may 5", "sep 5", "it's already feb", "since nov it rains", "10.12.25", "They met 05-06-2025.",
    "IMG_20251205_101112.jpg", "IMG-20251205-WA0001.jpg", "Screenshot_20251205-101112.png", "VID20251205101112.mp4",
    "今年秋", "In the fall the mayor resigned.", "By fall it was over.", "late fall", "7/9/2025", "08-15", "jan 6 committee", "oct 7 attack",
)  # fmt: skip
NO_DATES = (
    "12/15 votes", "voted 12/15", "scored 10/10", "10/10 would go again", "1/2 teaspoon", "add 3/4 cup", "page 4/12", "24/7 support", "a 3-2 win", "won 12-5",
    "passed 24-21", "of the 12 members 5 may vote", "they may go", "march on", "the fall of the government", "prices fall", "in the fall of Rome", "a fall in prices",
    "1.5 million", "version 10.12.25", "Version 3.10.24", "4.5分", "12.5%", "12.5元", "12.5万人", "12.5-12.7元", "气温12.5-12.7度", "版本12.5发布", "iOS 12.5发布",
    "评分9.5发布", "约1/3的人", "2/3以上", "12/20比分", "1/4决赛", "上涨12.5）", "5/6 of them", "2/3 majority", "won 3/2 against", "11/12, 31/31 and 17/17",
    "call 12-09-2025-1", "Order #20240315-88", "his mar bar", "an oct value", "少年春", "三年夏旱",
)  # fmt: skip


def cells(row: str) -> tuple[int, date, str, str]:
    offset, anchor, text, expected = (cell.strip() for cell in row.split("|"))
    return int(offset), date.fromisoformat(anchor), text, expected


def doubted(text: str, anchor: date, offset: int) -> bool:
    """Whether a person sees it: flagged, or outside every mention for the net."""
    mentions = find_dates(text, anchor, offset)
    return any(m.kind == "flag" for m in mentions) or bool(
        residue(text, [(m.start, m.end) for m in mentions])
    )


@pytest.mark.parametrize("row", MOVED.strip().splitlines())
def test_a_short_day_that_is_certain_moves_in_its_form(row: str) -> None:
    offset, anchor, text, expected = cells(row)
    assert shift_text(text, anchor, offset) == expected
    assert not doubted(text, anchor, offset)
    assert len(list(calendar_words(text))) >= 1


@pytest.mark.parametrize("text", DOUBTS)
@pytest.mark.parametrize("offset", [49, -63, 175])
def test_what_may_be_a_day_stays_and_is_a_doubt(text: str, offset: int) -> None:
    anchor = date(2025, 12, 3)
    assert shift_text(text, anchor, offset) == text
    assert doubted(text, anchor, offset)


@pytest.mark.parametrize("text", NO_DATES)
def test_what_counts_things_is_neither_moved_nor_doubted(text: str) -> None:
    for anchor in (date(2025, 12, 3), date(2026, 3, 1)):
        assert shift_text(text, anchor, 49) == text
        assert not doubted(text, anchor, 49)
        assert list(calendar_words(text)) == []


FORMS = (
    "closed {d.month}/{d.day}-{e.month}/{e.day}", "{d:%a} {d.month}/{d.day} rally", "on {d.month}/{d.day}.", "since {d.day}/{d.month}.", "{d.month}/{d.day} 10:23",
    "{d.month}/{d.day}集合", "{d.month}.{d.day}讯", "{d.month}.{d.day}-{e.month}.{e.day}停课", "网友{d:%m-%d} 10:23发帖", "{d:%d.%m.%Y}", "{d:%d-%m-%Y}",
    "{d:%m/%d/%Y}", "{d:%d.%m.%y}", "IMG_{d:%Y%m%d}_101112.jpg", "{d:%Y%m%d}T101112Z",
)  # fmt: skip
NAMED = ("see you {name} {d.day}!", "{d.day} {name} it was", "{name} {d.day}, {d.year}")
WEEKS = st.sampled_from(offsets("weeks"))
ANCHORS = st.dates(date(2012, 1, 1), date(2035, 12, 31))


def share(text: str) -> bool:
    """The figures of a share or of a word, which a slashed pair may be."""
    return any(pair in text for pair in ("9/11", "24/7"))


@given(st.sampled_from(FORMS), ANCHORS, st.integers(-50, 50), WEEKS)
def test_no_short_day_is_left_in_silence(form: str, anchor: date, steps: int, offset: int) -> None:
    """It moves by the offset or a person sees it; a day whose order is open is taken near the day of its text."""
    day = anchor + timedelta(days=steps)
    text = form.format(d=day, e=day + timedelta(days=3))
    if share(text) or (day.day <= 12 and abs(steps) > NEAR):
        return
    mentions = find_dates(text, anchor, offset)
    moved = [m for m in mentions if m.kind == "shift"]
    if doubted(text, anchor, offset):
        assert not moved
    else:
        to = day + timedelta(days=offset)
        starts = {p.ref.start for m in moved for p in m.parts if not isinstance(p.ref, str)}
        assert starts == {to}


@given(st.sampled_from(NAMED), ANCHORS, st.integers(-50, 50), WEEKS)
def test_a_month_in_small_letters_is_no_hiding_place(
    form: str, anchor: date, steps: int, offset: int
) -> None:
    day = anchor + timedelta(days=steps)
    text = form.format(d=day, name=f"{day:%b}".lower())
    if doubted(text, anchor, offset) or (text.startswith(f"{day.day} may")):
        return
    to = day + timedelta(days=offset)
    [mention] = find_dates(text, anchor, offset)
    assert mention.kind == "shift"
    assert [part.ref.start for part in mention.parts if not isinstance(part.ref, str)] == [to]


@pytest.mark.parametrize(
    ("anchor", "text", "expected"),
    [
        ("2025-06-01", "filed 3/9/2025", None),
        ("2025-03-05", "filed 3/9/2025", date(2025, 3, 9)),
        ("2025-09-05", "filed 3/9/2025", date(2025, 9, 3)),
        ("2025-06-01", "filed 3/9/2025, then 13/9/2025", date(2025, 9, 3)),
        ("2025-06-01", "filed 3/9/2025, then 9/13/2025", date(2025, 3, 9)),
        ("2025-06-01", "seen on 5/8.", None),
        ("2025-06-01", "seen on 6/5.", date(2025, 6, 5)),
        ("2025-06-01", "seen Sunday 8/6", date(2025, 6, 8)),
    ],
)
def test_the_order_of_day_and_month_is_decided_or_doubted(
    anchor: str, text: str, expected: date | None
) -> None:
    first = find_dates(text, date.fromisoformat(anchor), 49)[0]
    if expected is None:
        assert first.kind == "flag"
    else:
        ref = first.parts[-1].ref
        assert not isinstance(ref, str)
        assert ref.start == expected + timedelta(days=49)
