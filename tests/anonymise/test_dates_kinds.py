"""Date mentions by kind, in both languages, at the offsets +49, -63 and -175."""

from __future__ import annotations

from datetime import date

import pytest

from factory.anonymise.dates import find_dates, shift_text

# Offset, anchor, raw, shifted. A text that comes back as it was is "leave", or "flag" when it stands below.
SHIFTED = """
day            | +49 | 2026-03-10 | The vote is on 4 May.                              | The vote is on 22 June.
day            | -63 | 2026-01-06 | The vote was on January 20th, 2026.                | The vote was on November 18th, 2025.
day            |-175 | 2026-05-20 | 于2026年5月20日开庭。                              | 于2025年11月26日开庭。
ISO stamp      | +49 | 2026-03-10 | Filed at 2026-03-10T09:30:00Z.                     | Filed at 2026-04-28T09:30:00Z.
slashes        |-175 | 2026-05-20 | 2026-05-20，2026/5/20，20260520。                  | 2025-11-26，2025/11/26，20251126。
slashes        | +49 | 2026-03-10 | Fares rose in March/April.                         | Fares rose in May/June.
two-digit year | +49 | 2026-03-10 | It was filed on 12/31/25.                          | It was filed on 02/18/26.
two-digit year | +49 | 2026-03-10 | 26年3月10日开庭。                                  | 26年4月28日开庭。
spaced         | +49 | 2026-03-10 | 2026 年 3 月 10 日开庭。                           | 2026 年 4 月 28 日开庭。
full width     | +49 | 2026-03-10 | ２０２６年３月１０日开庭。                         | 2026年4月28日开庭。
numerals       | +49 | 2026-03-10 | 二〇二六年三月十日开庭。                           | 二〇二六年四月二十八日开庭。
numerals       | -63 | 2026-01-06 | 一月三十日复航。                                   | 十一月二十八日复航。
day of month   | +49 | 2026-03-10 | 10号开庭，12日宣判。                               | 28号开庭，30日宣判。
day of month   |-175 | 2026-05-20 | Two weeks later, on the 22nd, it opened.           | Two weeks later, on the 28th, it opened.
range          | +49 | 2026-03-10 | It sits from 30 March to 2 April 2026.             | It sits from 18 May to 21 May 2026.
range          |-175 | 2026-05-20 | 5月20日至6月3日停航。                              | 11月26日至12月10日停航。
two days       | -63 | 2026-03-10 | The hearings are on 15 and 21 March.               | The hearings are on 11 and 17 January.
rollover       | -63 | 2026-01-06 | It ran from 30 December 2025 to 6 January 2026.    | It ran from 28 October 2025 to 4 November 2025.
rollover       | +49 | 2025-12-20 | 2025年12月20日签约，明年动工。                     | 2026年2月7日签约，今年动工。
leap day       | +49 | 2024-02-29 | On Thursday, 29 February 2024 it opened.           | On Thursday, 18 April 2024 it opened.
leap day       | -63 | 2024-03-02 | 2月29日停航。                                      | 12月28日停航。
month          | +49 | 2026-03-10 | It ends in September 2026.                         | It ends in November 2026.
month          | +49 | 2026-03-10 | It has held since just May.                        | It has held since just July.
month          | +49 | 2026-03-10 | Ahead of May, fares rose.                          | Ahead of July, fares rose.
month          | -63 | 2026-01-06 | 市长曾在9月辞职。                                  | 市长曾在7月辞职。
month          |-175 | 2026-05-20 | 今年5月停航，前年5月开航。                         | 今年11月停航，前年11月开航。
third of month | +49 | 2026-03-10 | It ends by the end of August 2026.                 | It ends by mid-October 2026.
third of month | -63 | 2026-03-01 | At the start of March, on 3 March, it closed.      | In late December, on 30 December, it closed.
third of month | +49 | 2026-03-10 | 8月底完工。                                        | 10月中旬完工。
quarter        | +49 | 2026-03-10 | First-quarter sales fell.                          | Second-quarter sales fell.
quarter        | -63 | 2026-03-01 | Q1/2026 was weak.                                  | Q4/2025 was weak.
quarter        | +49 | 2026-03-10 | The first and second quarters of 2026 were weak.   | The second and third quarters of 2026 were weak.
quarter        | +49 | 2026-11-20 | The first and fourth quarters of 2026 were weak.   | The second quarter of 2026 and first quarter of 2027 were weak.
quarter        | +49 | 2026-03-10 | 第一、二季度亏损，三季度财报未出。                 | 第二、三季度亏损，四季度财报未出。
season         |-175 | 2026-05-20 | Spring 2026 was dry.                               | Autumn 2025 was dry.
season         |-175 | 2026-05-20 | 2026年春季少雨。                                   | 2025年秋季少雨。
weekday        | +49 | 2026-03-10 | 3月10日周二开庭。                                  | 4月28日周二开庭。
weekday        | -63 | 2026-03-10 | On Tuesday, 17 March it opens.                     | On Tuesday, 13 January it opens.
relative year  | +49 | 2026-12-20 | It fell last year.                                 | It fell the year before last.
relative year  | +49 | 2026-12-20 | 去年停航，明年复航。                               | 前年停航，今年复航。
that year      | +49 | 2026-03-10 | Sold in November 2025, shut on December 3 of that year. | Sold in January 2026, shut on January 21 of that year.
that year      | +49 | 2026-03-10 | Shut in 2025; in December of that year they met.   | Shut in 2025; in February 2026 they met.
that year      | +49 | 2026-03-10 | 2025年10月签约，同年12月3日动工。                  | 2025年12月签约，2026年1月21日动工。
that year      | +49 | 2026-03-10 | 2025年11月签约，同年12月动工。                     | 2026年1月签约，同年2月动工。
bare year      | +49 | 2026-03-10 | It ran from May 2026 to 2027.                      | It ran from July 2026 to 2027.
bare year      | +49 | 2026-03-10 | 2026年5月至2027年施工。                            | 2026年7月至2027年施工。
time           | -63 | 2026-01-06 | 1月6日晚9点30分开会。                              | 11月4日晚9点30分开会。
time           | -63 | 2026-03-01 | It opened at 6:30 on 1 March.                      | It opened at 6:30 on 28 December.
""".strip().splitlines()

LEFT = """
weekday    | -63 | 2026-01-06 | The council meets next Tuesday and every Friday.
weekday    | -63 | 2026-01-06 | 本周五表决，下周一公布，周末停航。
weeks      | +49 | 2026-03-10 | Last week, two weeks ago and the following week.
month      | -63 | 2026-01-06 | 上月停航，下月复航，月底表决。
part       |-175 | 2026-05-20 | It was signed earlier this year.
duration   | +49 | 2026-03-10 | Within 30 days, for three weeks, in 90-day terms.
duration   |-175 | 2026-05-20 | 历时3个月，30天内答复，为期两年。
age        | +49 | 2026-03-10 | A 49-year-old man, aged 63, with a boy of 7.
age        | -63 | 2026-01-06 | 一名22岁的学生和一位70多岁的老人。
version    | +49 | 2026-03-10 | Version 3.10.2026, build 20.26, release v2.0.19.
phone      | +49 | 2026-03-10 | Call 2026-555-0134 or 400-2026-0310.
phone      |-175 | 2026-05-20 | 电话2026-0520，版本5.20，第20号码头。
law        | -63 | 2026-03-01 | Section 230, Act No. 12 of 1999, Rule 10b-5.
law        | -63 | 2026-01-06 | 依据渡轮法第12条、刑法第二百三十条，985高校，90后。
decade     |-175 | 2026-05-20 | From 1990 to 1999 and in the 1980s.
fiscal     | +49 | 2026-03-10 | It has fiscal and monetary room.
number     | +49 | 2026-03-10 | Only 618 people and 511 boats; May we march on, an august company?
""".strip().splitlines()

FLAGGED = """
holiday        | +49 | 2026-03-10 | an April Fools' joke                | April Fools'
holiday        |-175 | 2026-05-20 | 赶在春节前复航                      | 春节
holiday        | +49 | 2026-03-10 | 618大促                             | 618
fiscal         | -63 | 2026-01-06 | for fiscal year 2025 first-quarter  | fiscal year 2025 first-quarter
fiscal         | +49 | 2026-03-10 | 2026财年第一季度亏损                | 2026财年第一季度
fiscal         |-175 | 2026-05-20 | FY2026 sales                        | FY2026
anniversary    | +49 | 2026-03-10 | its tenth anniversary               | tenth anniversary
anniversary    | -63 | 2026-01-06 | 成立三周年                          | 成立三周年
cohort         |-175 | 2026-05-20 | the class of 2010                   | class of 2010
cohort         | +49 | 2026-03-10 | 2010届学生                          | 2010届
birth          | -63 | 2026-01-06 | a woman born in 1987                | born in 1987
half year      | +49 | 2026-03-10 | 上半年亏损                          | 上半年
season         |-175 | 2026-05-20 | Summer 2026 was dry                 | Summer 2026
two thirds     | +49 | 2026-03-10 | 2026年3月中下旬开庭                 | 2026年3月中下旬
weekday        | +49 | 2026-03-10 | 3月10日，周三开庭                   | 3月10日，周三
bare year      | +49 | 2026-03-10 | from December 2026 to 2027          | 2027
bare year      | +49 | 2026-03-10 | 2026年12月至2027年施工              | 2027年
part of year   |-175 | 2026-07-20 | signed earlier this year            | earlier this year
no antecedent  | +49 | 2026-03-10 | 同年12月动工                        | 同年12月
no such day    | -63 | 2026-01-06 | 2月30日动工                         | 2月30日
""".strip().splitlines()


def cells(row: str) -> tuple[int, date, list[str]]:
    _, offset, anchor, *texts = (cell.strip() for cell in row.split("|"))
    return int(offset), date.fromisoformat(anchor), texts


@pytest.mark.parametrize("row", SHIFTED)
def test_a_mention_moves_in_the_words_it_was_written_in(row: str) -> None:
    offset, anchor, (text, expected) = cells(row)
    assert shift_text(text, anchor, offset) == expected
    assert all(m.kind != "flag" for m in find_dates(text, anchor, offset)) or "2027" in text


@pytest.mark.parametrize("row", LEFT)
def test_what_holds_no_date_or_stays_true_is_left(row: str) -> None:
    offset, anchor, (text,) = cells(row)
    assert shift_text(text, anchor, offset) == text
    assert [
        text[m.start : m.end] for m in find_dates(text, anchor, offset) if m.kind == "flag"
    ] == []


@pytest.mark.parametrize("row", FLAGGED)
def test_what_only_a_person_can_settle_is_flagged_whole(row: str) -> None:
    offset, anchor, (text, words) = cells(row)
    mentions = find_dates(text, anchor, offset)
    assert [text[m.start : m.end] for m in mentions if m.kind == "flag"] == [words]


@pytest.mark.parametrize(
    ("offset", "text", "expected"),
    [
        # Alone the unit of the larger overlap is named; beside a day that it held, the unit that still holds it.
        (35, "8月下旬完工。", "9月下旬完工。"),
        (35, "8月下旬完工，即8月29日。", "10月初完工，即10月3日。"),
        (49, "In March, on 2 March, it shut.", "In April, on 20 April, it shut."),
        (49, "In March it shut.", "In May it shut."),
        (49, "3月停航，3月2日公布。", "4月停航，4月20日公布。"),
    ],
)
def test_a_unit_goes_on_holding_the_day_that_it_held(offset: int, text: str, expected: str) -> None:
    assert (
        shift_text(text, date(2026, 7, 1) if "8月" in text else date(2026, 3, 10), offset)
        == expected
    )


def test_a_day_written_elsewhere_in_the_node_counts_too() -> None:
    text, anchor = "In March it shut.", date(2026, 3, 10)
    moved = [
        find_dates(text, anchor, 49, days=days)[0].surface for days in ((), (date(2026, 3, 2),))
    ]
    assert moved == ["May", "April"]


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("A ballot is planned for September.", 2024),
        ("The mayor resigned in September.", 2023),
        ("要求双方在9月29日前答复。", 2024),
        ("市长曾在9月29日辞职。", 2023),
    ],
)
def test_the_tense_of_the_sentence_gives_a_far_month_its_year(text: str, year: int) -> None:
    mention = next(m for m in find_dates(text, date(2024, 3, 1), 0) if m.kind == "shift")
    reference = mention.parts[0].ref
    assert not isinstance(reference, str)
    assert reference.start.year == year
