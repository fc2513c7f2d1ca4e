"""What must hold for every text: invariants of the shift on random mixtures of dates, and of the search for them."""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from factory.anonymise.date_holidays import HOLIDAY_WORDS
from factory.anonymise.dates import RULES, Frame, find_dates, offsets, resolve, shift_text
from factory.audit.calendar_net import calendar_words, residue
from factory.segments import MONTHS, WEEKDAYS
from schemas import DateRef

ANCHOR = date(2026, 3, 10)
DAYS = st.dates(date(1990, 1, 1), date(2060, 12, 31))
NEAR = st.integers(-170, 170).map(lambda n: ANCHOR + timedelta(days=n))
OFFSETS = st.integers(-180, 180)
WEEKS = st.sampled_from(offsets("weeks"))

PIECES = st.sampled_from(
    (
        *MONTHS, *WEEKDAYS["en"], *WEEKDAYS["zh"], *"年月日号初底旬周季春夏秋冬第至到、，。（） /-.,",
        "2026", "1999年", "26", "12", "3", "31", "三十一", "二〇二六", "元", "５", " and ", " to ", "–", "the ", "The ", "of ", "in ",
        "on ", "until ", "since ", "last ", "next ", "this ", "year", "month", "quarter", "week", "days", "Q3", "first", "second", "third-",
        "early ", "mid-", "end of ", "at the end of ", "that year", "同年", "当年", "去年", "今年", "明年", "上半年", "财年", "fiscal ",
        "FY", "H1", "half of ", "born in ", "Class of ", "spring", "Summer", "weekend", "周末", "上个月", "本月", "每", "个", "内", "后",
        "1980s", "Act", "Cup", "Games ", "《", "》", "生于", "届", "将", "曾", "planned ", "had ", "earlier ", "within ", "for ", "ago",
        "hours", "daily", "weekly", "anniversary", "birthday", "周年", "农历", "A", "公司", "x", "\n", "T09:30", "Z", "20", "19", "0", "th ", "nd",
        " last year", " of this year", "next year's ", "earlier this month", "later this quarter", " & ", "15th", "the 12th", " he ", "Friday the ",
        "Mon-Wed", "on Fri", "tuesday", "MONDAYS", "12 MAR 2026", "march 3, 2026", "in april", "2026-03", "03/2026", "4Q25", "25Q4", "2026-W12", "Mar-26",
        "2026 - 03 - 12", "week of ", "third week of ", "fourteenth", "twenty-first", " day of ", "3、4、", "1-", "12/", "第二周", "前三季度", "次年",
        "今年", "上一季度", "9·11", "March–April", "3, 4 and 5 ", "半月", "月底4月初", "Sept. 11 attacks", "last year's ", "fourth-quarter ",
        "centuries", "年代", "世纪", "天", "前", "近", "小时", "中下旬", "618大促", "年内累计", "of the same year", "turn of the ",
        *HOLIDAY_WORDS["en"].split("|"), *HOLIDAY_WORDS["zh"].split("|"),
    )
)  # fmt: skip
MIXTURES = st.lists(PIECES, max_size=40).map("".join)
FILLER = (
    "The council met and the ferry stayed where it was, as it had for a long while before then. "
    * 3
)


def searched_everywhere(text: str, frame: Frame) -> list[object]:
    """The mentions without the search for trigger words: every rule over the whole text."""
    return list(
        resolve(text, frame, ((rule, m) for rule in RULES for m in rule.pattern.finditer(text)))
    )


@given(MIXTURES, st.booleans(), OFFSETS)
@settings(max_examples=300)
def test_looking_around_trigger_words_misses_nothing(text: str, apart: bool, offset: int) -> None:
    """The windows give exactly what every rule finds on the whole text."""
    whole = f"{FILLER}{text}{FILLER}" if apart else text
    frame = Frame(anchor=ANCHOR, offset=offset)
    assert find_dates(whole, ANCHOR, offset) == searched_everywhere(whole, frame)


def test_looking_around_trigger_words_misses_nothing_in_real_cases(testdata: Path) -> None:
    rows = (testdata / "data" / "dates" / "dates.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, rows):
        anchor = date.fromisoformat(row["anchor"])
        for text in (row["text"], FILLER + row["text"] + FILLER):
            frame = Frame(anchor=anchor, offset=row["offset_days"])
            found = find_dates(text, anchor, row["offset_days"])
            assert found == searched_everywhere(text, frame), row["id"]


def dated(days: list[date], lang: str) -> str:
    if lang == "zh":
        return "；".join(f"{d.year}年{d.month}月{d.day}日开庭" for d in days)
    return "; ".join(f"on {d.day} {MONTHS[d.month - 1]} {d.year} it sat" for d in days)


def moved_days(text: str, offset: int) -> list[date]:
    return [
        part.ref.start
        for mention in find_dates(text, ANCHOR, offset)
        for part in mention.parts
        if isinstance(part.ref, DateRef)
    ]


@given(st.lists(DAYS, min_size=1, max_size=5), OFFSETS, OFFSETS, st.sampled_from(("en", "zh")))
def test_shifting_back_restores_and_shifts_add_up(
    days: list[date], a: int, b: int, lang: str
) -> None:
    """I7."""
    text = dated(days, lang)
    assert shift_text(shift_text(text, ANCHOR, a), ANCHOR, -a) == text
    assert shift_text(shift_text(text, ANCHOR, a), ANCHOR, b) == shift_text(text, ANCHOR, a + b)


@given(st.lists(DAYS, min_size=2, max_size=6), OFFSETS, st.sampled_from(("en", "zh")))
def test_gaps_and_order_stay_and_the_body_moves_like_the_heading(
    days: list[date], offset: int, lang: str
) -> None:
    """I8: every day moves by the same number of days, that of the node's heading."""
    moved = moved_days(dated(days, lang), offset)
    assert [m - d for m, d in zip(moved, days, strict=True)] == [timedelta(days=offset)] * len(days)
    heading = f"### {days[0].isoformat()}"
    assert shift_text(heading, ANCHOR, offset) == f"### {moved[0].isoformat()}"


@given(DAYS, OFFSETS)
def test_a_weekday_beside_a_date_stays_its_weekday(day: date, offset: int) -> None:
    """I9 in every form in which a weekday stands beside a date."""
    to = day + timedelta(days=offset)
    forms = (
        "{en}, {m} {d}, {y}",
        "{en} {d} {m} {y}",
        "{y}年{n}月{d}日（{zh}）",
        "{y}年{n}月{d}日{zh}",
        "{y}年{n}月{d}日，{zh}",
    )
    for form in forms:
        before, after = (
            form.format(
                y=each.year, m=MONTHS[each.month - 1], n=each.month, d=each.day,
                en=WEEKDAYS["en"][each.weekday()], zh=WEEKDAYS["zh"][each.weekday()],
            )
            for each in (day, to)
        )  # fmt: skip
        assert shift_text(before, day, offset) == after


@given(NEAR, WEEKS)
def test_whole_weeks_leave_weekdays_and_weeks_alone(anchor: date, offset: int) -> None:
    """I9: with an offset of whole weeks no word of the week changes."""
    for text in (
        "next Thursday and every Monday, last week, over the weekend, two weeks later",
        "下周五、本周三、上周、周末、周一至周三、两周后",
    ):
        assert shift_text(text, anchor, offset) == text


@given(st.integers(0, 99), st.integers(1, 12), st.integers(1, 31), DAYS, OFFSETS)
@settings(max_examples=200)
def test_no_date_is_ever_invalid(
    year: int, month: int, day: int, anchor: date, offset: int
) -> None:
    """I10: leap days, rollovers, two-digit years and impossible days; an interval never ends before it starts."""
    name = MONTHS[month - 1]
    for text in (
        f"{year:02d}年{month}月{day}日", f"{month}月{day}日至{month % 12 + 1}月{day}日", f"{month}月{day}-{day % 28 + 1}日",
        f"{month}/{day}/{year:02d}", f"{name} {day} to {name} {day % 28 + 1}, 2024", f"on {day} {name}", f"{month}月底", f"end of {name} 2024",
        f"2024年{month}月", "2024年2月29日", "29 February 2024",
    ):  # fmt: skip
        for mention in find_dates(text, anchor, offset):
            for part in mention.parts:
                if isinstance(part.ref, DateRef):
                    assert part.ref.start <= part.ref.end
            if mention.kind != "shift":
                assert mention.surface == text[mention.start : mention.end]


def test_texts_without_dates_are_untouched_at_every_offset(testdata: Path) -> None:
    """I11 on the clean texts of the gold file, with every offset that the default policy draws."""
    rows = (testdata / "data" / "dates" / "dates.jsonl").read_text(encoding="utf-8").splitlines()
    clean = [row for row in map(json.loads, rows) if not row["spans"]]
    assert len(clean) == 21
    for row in clean:
        for offset in offsets("weeks"):
            assert shift_text(row["text"], date.fromisoformat(row["anchor"]), offset) == row["text"]


@given(st.integers(2, 99), st.integers(1, 30), WEEKS)
def test_ages_durations_versions_and_phones_are_untouched(a: int, b: int, offset: int) -> None:
    """I11 for any number in such a place."""
    for text in (
        f"a {a}-year-old man waited {b} days", f"within {a} days, {b} weeks later", f"version {a}.{b}.{a}",
        f"call {a:03d}-{b:04d}", f"Section {a}({b})", f"一名{a}岁的学生", f"{a}天内答复，历时{b}个月", f"版本{a}.{b}", f"第{a}条第{b}款", f"第{b}号码头",
    ):  # fmt: skip
        assert shift_text(text, ANCHOR, offset) == text


@given(MIXTURES, OFFSETS)
@settings(max_examples=200)
def test_every_calendar_word_is_in_one_mention_or_left_over(text: str, offset: int) -> None:
    """I12: mentions never overlap, and what the independent net finds is inside exactly one or in the residue."""
    mentions = find_dates(text, ANCHOR, offset)
    stretches = [(m.start, m.end) for m in mentions]
    assert all(a[1] <= b[0] for a, b in pairwise(stretches))
    left = residue(text, stretches)
    for hit in calendar_words(text):
        inside = sum(low <= hit[0] and hit[1] <= high for low, high in stretches)
        assert inside == (0 if hit in left else 1)


@given(st.lists(NEAR, min_size=1, max_size=3), WEEKS)
def test_the_words_of_a_month_never_contradict_its_day(days: list[date], offset: int) -> None:
    """A month named beside one of its days still holds that day after the shift."""
    day = days[0]
    text = f"{day.year}年{day.month}月停航，即{day.year}年{day.month}月{day.day}日。"
    month, exact = (
        part.ref
        for mention in find_dates(text, ANCHOR, offset)
        for part in mention.parts
        if isinstance(part.ref, DateRef)
    )
    assert month.start <= exact.start <= month.end
