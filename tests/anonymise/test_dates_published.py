"""Dates as they are published: what the rendering of the references says, not what the engine wrote beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.anonymise.dates import find_dates, offsets, shift_text
from factory.anonymise.match import Matcher
from factory.anonymise.segments import Doubt, parse
from factory.anonymise.table import build_table
from factory.audit.calendar_net import calendar_words
from factory.segments import MONTHS, from_tokens, render
from schemas import DateRef, Lang
from tests.anonymise.test_dates import CASES
from tests.anonymise.test_dates_kinds import SHIFTED, cells

NOBODY = Matcher(build_table([], [], "salt"))
ANCHOR = date(2024, 3, 20)


def published(text: str, anchor: date, offset: int, lang: Lang) -> str:
    return render(parse(text, NOBODY, anchor=anchor, offset=offset).segments, lang)


def doubts(text: str, offset: int, anchor: date = ANCHOR) -> tuple[Doubt, ...]:
    return parse(text, NOBODY, anchor=anchor, offset=offset).doubts


def all_cases(testdata: Path) -> Iterator[tuple[date, int, str, str]]:
    rows = (testdata / "data" / "dates" / "dates.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, rows):
        yield date.fromisoformat(row["anchor"]), row["offset_days"], row["text"], row["expected"]
    for offset, day, text, expected in CASES:
        yield date.fromisoformat(day), offset, text, expected
    for line in SHIFTED:
        offset, anchor, (text, expected) = cells(line)
        yield anchor, offset, text, expected


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_shifted_text_reads_as_the_text_written_at_the_shifted_day(
    testdata: Path, lang: Lang
) -> None:
    """The expected words, read without a shift on their own day, give the same published text."""
    wrong = []
    count = 0
    for anchor, offset, text, expected in all_cases(testdata):
        count += 1
        shown = published(text, anchor, offset, lang)
        if shown != published(expected, anchor + timedelta(days=offset), 0, lang):
            wrong.append((text, shown))
        assert not re.search(r"day s\b|\w  \w", shown), shown
        assert text[-1] not in ".。" or shown[-1] == text[-1], shown
    assert count > 220
    assert wrong == []


# Offset, raw, published in the language of the raw text.
PUBLISHED = """
 +49 | In January and November 2024 they met.            | In March 2024 and January 2025 they met.
 -63 | In January and November 2024 they met.            | In November 2023 and September 2024 they met.
 +28 | In January and October 2024 they met.             | In February and November 2024 they met.
 +49 | On 3 January, 5 March and 20 December 2024.       | On 21 February 2024, 23 April 2024 and 7 February 2025.
 -28 | On 3 March, 5 May and 20 December 2024.           | On 4 February, 7 April and 22 November 2024.
 +49 | Q3 and Q4 2024 were weak.                         | The fourth quarter of 2024 and the first quarter of 2025 were weak.
 -63 | Q1 and Q2 of 2024 were weak.                      | The fourth quarter of 2023 and the first quarter of 2024 were weak.
 -63 | Sales fell in Q1 of 2024.                         | Sales fell in the fourth quarter of 2023.
 -63 | They met on January 3 and March 5, 2024.          | They met on 1 November 2023 and 2 January 2024.
 +49 | From January to November 2024 it fell.            | From March 2024 to January 2025 it fell.
 +49 | It met in January and November of last year.      | It met in March 2023 and January 2024.
 +49 | They met in late January and early December 2024. | They met in mid-March 2024 and late January 2025.
 +49 | The third-quarter and fourth-quarter 2024 sales.  | The fourth-quarter 2024 and first-quarter 2025 sales.
 -21 | They met on January 3, 15 and 31, 2024.           | They met on 13 December 2023, 25 December 2023 and 10 January 2024.
 -21 | On the third and the thirty-first of January 2024. | On 13 December 2023 and 10 January 2024.
 -14 | It fell in early to mid-January 2024.             | It fell in late December 2023 to early January 2024.
 +49 | It met in November and January 2024.              | It met in January and March 2024.
 -63 | It met in December 2025 and January.              | It met in October 2025 and November.
 +49 | It met in March and January 2024.                 | It met in May and March 2024.
 +49 | In January, November 2023 data were out.          | In March, January 2024 data were out.
 -63 | On 3 and 5 March 2024 they met.                   | On 31 December 2023 and 2 January 2024 they met.
 -63 | 2024年1月3日和3月5日开会。                        | 2023年11月1日和2024年1月2日开会。
 +49 | 2024年2月3日、12月20日开会。                      | 2024年3月23日、2025年2月7日开会。
 -63 | 2024年2月和5月。                                  | 2023年12月和2024年3月。
 +49 | 2024年2月和5月。                                  | 2024年4月和7月。
 +49 | 2024年第三季度和第四季度亏损。                    | 2024年第四季度和2025年第一季度亏损。
 +49 | 去年1月和11月开会。                               | 2023年3月和2024年1月开会。
 -63 | 2024年1-3月。                                     | 2023年11月-2024年1月。
 -21 | 2024年1月3日、15日和31日。                        | 2023年12月13日、2023年12月25日和2024年1月10日。
 +49 | The Dec payrolls disappointed.                    | The February payrolls disappointed.
 -63 | The Jan and Feb figures were revised.             | The November and December figures were revised.
 +49 | The Nov, Dec and Jan payrolls fell.               | The January, February and March payrolls fell.
 +49 | Sales rose Jan to Mar.                            | Sales rose March to May.
 +49 | Sales rose from Jan. through March.               | Sales rose from March through May.
 +49 | China's Nov exports and US Dec CPI fell.          | China's January exports and US February CPI fell.
 +49 | In April, May and June it rained.                 | In June, July and August it rained.
 +49 | Jan. payrolls rose in Dec. They had to.           | March payrolls rose in February. They had to.
 +49 | In Dec. Apple sold them.                          | In February Apple sold them.
 +49 | The 12 March vote and the 5 Dec. one.             | The 30 April vote and the 23 January one.
 +49 | Ahead of the 12 and 14 March votes.               | Ahead of the 30 April and 2 May votes.
 +49 | Rallies were held on Fridays.                     | Rallies were held on Fridays.
 +49 | Three Fridays ago Tuesdays' trains ran.           | Three Fridays ago Tuesdays' trains ran.
 +49 | Mondays and Thursdays; every Friday and Saturday. | Mondays and Thursdays; every Friday and Saturday.
 +49 | Friday prayers; the Monday to Friday service.     | Friday prayers; the Monday to Friday service.
 +49 | 每周五集会，每周一、三、五和每逢周末开放。        | 每周五集会，每周一、三、五和每逢周末开放。
 +10 | 每周一次，每周三天，每周一至两次。                | 每周一次，每周三天，每周一至两次。
 +49 | 周一至周五开放，周五聚礼，每月第一个周三开会。    | 周一至周五开放，周五聚礼，每月第一个周三开会。
""".strip().splitlines()


@pytest.mark.parametrize("row", PUBLISHED)
def test_what_is_published(row: str) -> None:
    offset, text, expected = (cell.strip() for cell in row.split("|"))
    lang: Lang = "en" if text.isascii() else "zh"
    assert published(text, ANCHOR, int(offset), lang) == expected
    assert doubts(text, int(offset)) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Rallies were held on Fridays.", ["Fridays"]),
        ("Every other Tuesday and Thursday.", ["Every other Tuesday and Thursday"]),
        ("Friday prayers were held.", ["Friday prayers"]),
        ("The Monday to Friday service.", ["Monday to Friday"]),
        ("The first Monday of every month.", ["The first Monday of every month"]),
        ("每周五集会。", ["每周五"]),
        ("每逢周六和周日集会。", ["每逢周六和周日"]),
        ("周一至周五开放。", ["周一至周五"]),
    ],
)
def test_a_habit_stands_over_whole_weeks_and_is_a_doubt_else(text: str, words: list[str]) -> None:
    assert doubts(text, 49) == ()
    assert [doubt.words for doubt in doubts(text, 10)] == words
    lang: Lang = "en" if text.isascii() else "zh"
    assert published(text, ANCHOR, 49, lang) == published(text, ANCHOR, 10, lang) == text
    if "prayers" not in text:  # those of one week are a day as well
        assert published(text, ANCHOR, 49, "en") == published(text, ANCHOR, 49, "zh") == text
        assert {m.kind for m in find_dates(text, ANCHOR, 49)} == {"leave"}


@pytest.mark.parametrize("offset", [49, 10])
@pytest.mark.parametrize("name", ["Bloody Sunday", "Giving Tuesday", "血色星期日", "疯狂星期四"])
def test_a_named_weekday_is_a_doubt_under_every_offset(name: str, offset: int) -> None:
    assert [doubt.words for doubt in doubts(f"{name}.", offset)] == [name]
    assert published(f"{name}.", ANCHOR, offset, "zh") == f"{name}."


def test_one_weekday_with_work_is_a_day_and_moves() -> None:
    assert published("周一上班，周五开放。", ANCHOR, 10, "zh") == "周四上班，周一开放。"
    assert (
        published("On Monday it ran to Friday.", ANCHOR, 10, "en")
        == "On Thursday it ran to Monday."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ant and Dec returned.", ["Dec"]),
        ("Jan was here.", ["Jan"]),
        ("He gave it to Jan.", ["Jan."]),
        ("Jan Smith met Jan Hus and Li Jun.", []),
        ("Mar del Plata, Mar-a-Lago and Mar Vista.", []),
    ],
)  # fmt: skip
def test_a_short_month_that_may_be_a_name_waits_for_a_person(text: str, words: list[str]) -> None:
    assert [doubt.words for doubt in doubts(text, 49)] == words
    assert published(text, ANCHOR, 49, "en") == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Dec payrolls, Nov and Sept.", ["Dec", "Nov", "Sept"]),
        ("Jan to Mar", ["Jan", "Mar"]),
        ("Jan Hus; Li Jun; Mar-a-Lago; Jan-Michael; @Dec; Mar Vista", []),
        ("Feb. 3, 5 Dec 2024", ["Feb.", "Dec"]),
    ],
)
def test_the_net_sees_short_months_without_a_figure(text: str, words: list[str]) -> None:
    assert [found for _, _, found in calendar_words(text)] == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024/3/20", "2024/5/8"),
        ("2024-3-20", "2024-5-8"),
        ("2024.3.20", "2024.5.8"),
        ("2024/11/5", "2024/12/24"),
        ("2024/03/20", "2024/05/08"),
        ("2024-11-20", "2025-01-08"),
        ("3/20/2024", "5/8/2024"),
        ("20.3.2024", "8.5.2024"),
        ("2024年03月20日", "2024年05月08日"),
        ("2024年3月20日", "2024年5月8日"),
    ],
)
def test_month_and_day_are_padded_alike(text: str, expected: str) -> None:
    assert shift_text(text, ANCHOR, 49) == expected


LISTS = {
    "and": lambda a, b, y: f"In {MONTHS[a - 1]} and {MONTHS[b - 1]} {y} they met.",
    "three": lambda a, b, y: f"In {MONTHS[a - 1]}, {MONTHS[(a + b) // 2 - 1]} and {MONTHS[b - 1]} {y} they met.",
    "to": lambda a, b, y: f"From {MONTHS[a - 1]} to {MONTHS[b - 1]} {y} it fell.",
    "days": lambda a, b, y: f"On {MONTHS[a - 1]} 3 and {MONTHS[b - 1]} 17, {y} they met.",
    "days first": lambda a, b, y: f"On 3 {MONTHS[a - 1]} or 17 {MONTHS[b - 1]} {y} they met.",
    "zh months": lambda a, b, y: f"{y}年{a}月和{b}月开会。",
    "zh days": lambda a, b, y: f"{y}年{a}月3日、{b}月17日开会。",
}  # fmt: skip


@pytest.mark.parametrize("form", LISTS)
@given(
    st.lists(st.integers(1, 12), min_size=2, max_size=2, unique=True).map(sorted),
    st.dates(date(2010, 1, 1), date(2030, 12, 31)),
    st.integers(-1, 1),
    st.sampled_from(offsets("weeks")),
)
def test_a_list_that_shares_a_year_says_no_wrong_one(
    form: str, months: list[int], anchor: date, apart: int, offset: int
) -> None:
    """Each is read in the shared year, and carries its own unless all of them end in one."""
    year = anchor.year + apart
    text = LISTS[form](*months, year)
    found = parse(text, NOBODY, anchor=anchor, offset=offset)
    refs = [segment for segment in found.segments if isinstance(segment, DateRef)]
    assert found.doubts == ()
    assert len(refs) == (3 if form == "three" and (sum(months) // 2) not in months else len(refs))
    for month, ref in ((months[0], refs[0]), (months[1], refs[-1])):
        before = [day - timedelta(days=offset) for day in (ref.start, ref.end)]
        first = date(year, month, 1)
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        assert before[0] <= last
        assert first <= before[1]
        if ref.precision == "day":
            assert before[0] == date(year, month, 3 if ref is refs[0] else 17)
    parted = len({ref.start.year for ref in refs}) > 1
    written = [ref.style == "full" for ref in refs]
    assert all(written) if parted else sum(written) == 1


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ("⟦D:2031-08-18|short⟧、⟦D:2031-08-24|short⟧和⟦D:2031-09-02⟧", "2031年8月18日、8月24日和9月2日"),
        ("⟦M:2031-08|short⟧和⟦M:2031-09⟧", "2031年8月和9月"),
        ("⟦D:2030-12-30⟧、⟦D:2031-01-02⟧", "2030年12月30日、2031年1月2日"),
        ("⟦D:2031-08-18|short⟧，⟦D:2031-09-02⟧", "8月18日，2031年9月2日"),
    ],
)  # fmt: skip
def test_in_chinese_the_first_of_a_list_carries_the_year(tokens: str, words: str) -> None:
    assert render(from_tokens(tokens), "zh") == words
