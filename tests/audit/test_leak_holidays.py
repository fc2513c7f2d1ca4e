"""No holiday stands in a release: the scanner's own list holds whatever the date engine flags, and lets words pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import product
from typing import Any

import pytest

from factory.anonymise.date_holidays import HOLIDAYS
from factory.anonymise.dates import find_dates
from factory.audit.calendar_net import calendar_words, residue
from factory.audit.leak_holidays import holidays
from factory.audit.scan import scan_files
from schemas import Lang, ReplacementTable


def spelt(pattern: str) -> set[str]:
    """Every string that an expression can match; a repetition is taken at its least and at one more."""
    parser: Any = re._parser  # type: ignore[attr-defined]
    return set(_all(parser.parse(pattern)))


def _all(parsed: Any) -> Iterator[str]:
    for parts in product(*(list(_one(str(kind), value)) for kind, value in parsed)):
        yield "".join(parts)


def _one(kind: str, value: Any) -> Iterator[str]:
    match kind:
        case "LITERAL":
            yield chr(value)
        case "AT" | "ASSERT_NOT":
            yield ""
        case "IN":
            for inner, given in value:
                # \w stands for any letter.
                yield "a" if str(inner) == "CATEGORY" else chr(given)
        case "BRANCH":
            for branch in value[1]:
                yield from _all(branch)
        case "SUBPATTERN":
            yield from _all(value[3])
        case "MAX_REPEAT":
            least, most, inner = value
            for times in {least, min(most, max(least, 1))}:
                yield from ("".join(p) for p in product(list(_all(inner)), repeat=times))
        case "ASSERT":
            yield from _all(value[1])
        case _:
            raise AssertionError(f"no way to spell {kind}")


@pytest.mark.parametrize(("lang", "around"), [("en", "They met before {} and spoke."), ("zh", "他们在{}之前见面。")])  # fmt: skip
def test_whatever_the_date_engine_flags_the_scanner_reports(lang: Lang, around: str) -> None:
    names = spelt(HOLIDAYS[lang])
    assert len(names) > 60
    assert {"Good Friday", "Lent"} & names or {"复活节", "618大促"} <= names
    assert {name for name in names if not list(holidays(around.format(name)))} == set()


@pytest.mark.parametrize(
    "name",
    ["Good Friday", "GOOD FRIDAY", "good friday", "Boxing Day", "boxing-day", "Veterans Day", "Veterans’ Day", "Mother’s Day",
     "Mothers Day", "Father's Day", "Memorial Day", "Labor Day", "Labour Day", "Inauguration Day", "Presidents' Day",
     "Martin Luther King Jr. Day", "MLK Day", "Columbus Day", "Juneteenth", "St. Patrick’s Day", "Qingming", "Dragon Boat Festival",
     "Mid-Autumn", "mid\u2010autumn", "Double Eleven", "Singles' Day", "Lent", "Ramadan", "Eid", "Diwali", "Hanukkah", "Passover", "Pentecost",
     "Ascension", "Ascension Day", "christmas", "CHRISTMAS", "Christmas\u00a0Eve", "New Year’s Eve", "EASTER", "Super Tuesday", "bank holiday",
     "复活节", "復活節", "妇女节", "劳动节", "勞動節", "儿童节", "教师节", "两会", "正月初五", "冬至", "清明", "端午", "重阳", "平安夜", "618购物节",
     "618大促", "双十一", "雙十一", "双11", "春运", "除夕", "元宵", "感恩节", "万圣节", "開齋節", "中考", "高考", "立春", "春分", "大年初一"],
)  # fmt: skip
def test_a_holiday_is_reported(name: str) -> None:
    files = {"contexts/en/p1.md": f"they met before {name} and 在{name}之前\n".encode()}
    found = scan_files(files, ReplacementTable(entities=()))
    assert any("holiday" in example for f in found for example in f.examples)


CAPITALS = [
    "Super Tuesday", "Shrove Tuesday", "Maundy Thursday", "Mardi Gras", "Cinco de Mayo", "Nowruz", "Anzac Day", "Chuseok", "Purim", "Victory Day",
    "Burns Night", "Tax Day", "Day of the Dead", "Giving Tuesday", "Super Bowl Sunday", "New Year", "Liberation Day", "St. George's Day",
    "Hungry Ghost Festival", "Double Twelve", "Kwanzaa", "Holi",
]  # fmt: skip
ENGLISH = [
    *(f"They met before {name} and spoke." for name in CAPITALS), "They met in the new year.", "It fell during Tet.", "It fell on Lunar Tet.",
    "before good friday", "It opened on new year's eve.",
]  # fmt: skip
CHINESE = [
    *(f"他们在{name}前后见面。" for name in (
        "光棍节", "护士节", "宪法日", "中元节", "泼水节", "双12", "小长假", "国家公祭日", "黑色星期五", "新年", "光复节", "消费者权益日", "超级星期二",
        "鬼节", "就职日", "亡灵节", "世界读书日", "独立日",
    )),
    "七一前夕，他们见面。", "双十，他们见面。", "双十国庆，他们见面。", "520大促开始。", "520当天，销量上升。", "新年，他们见面。", "跨年，他们见面。",
]  # fmt: skip


@pytest.mark.parametrize("text", [*ENGLISH, *CHINESE])
def test_a_holiday_is_known_to_the_stage_its_net_and_the_scanner(text: str) -> None:
    """What a release is refused for is asked about where it can still be decided, and is not shifted by its parts."""
    assert list(holidays(text))
    assert list(calendar_words(text))
    mentions = find_dates(text, date(2026, 3, 10), 49)
    assert [m.kind for m in mentions if m.reason == "holiday"] == ["flag"]
    assert residue(text, [(m.start, m.end) for m in mentions]) == []


@pytest.mark.parametrize(
    "text",
    ["编号七一八", "他分到七一九班", "老七一把抱住他", "第七一届", "双十字会", "双十佳评选", "他收到520元", "共1520节车厢", "新年级的学生", "新年度预算",
     "创新年会", "公司公布最新年报", "高新年产值", "跨年度预算", "跨年级合作", "解放日报", "victory day by day", "a tax day rate", "Tet", "Mr Tet spoke",
     "a new year of study", "the day of the dead heat", "the victory", "Holistic care", "the super bowls"],
)  # fmt: skip
def test_an_ordinary_word_is_no_holiday_to_any_of_them(text: str) -> None:
    assert list(holidays(text)) == []
    assert list(calendar_words(text)) == []
    assert [m for m in find_dates(text, date(2026, 3, 10), 49) if m.reason == "holiday"] == []


@pytest.mark.parametrize(
    "name", ["Christmas", "christmas", "CHRISTMAS", "Good-Friday", "開齋節", "雙十一"]
)
def test_the_net_sees_whatever_the_scanner_refuses(name: str) -> None:
    text = f"Held before {name}, 在{name}。"
    seen = [(start, end) for start, end, _ in calendar_words(text)]
    assert all(any(a <= start and end <= b for a, b in seen) for start, end in holidays(text))


@pytest.mark.parametrize(
    "text",
    ["he lent it", "Lent money is owed", "the advent of rain", "Advent is a word", "the 618 votes", "618人参加", "an easterly wind", "eid",
     "EID", "a spring festival", "the golden weeks", "on election day", "Holistic", "Christmassy", "a double eleventh", "较高考虑", "集中考虑",
     "空中考察", "青春分享会", "这两会儿", "设立春季课程", "从今夏至明年", "修正月度计划", "大年纪的人", "盛大年会", "六一二号", "第六一届", "黑五类", "青春晚会", "春天", "今秋分批"],
)  # fmt: skip
def test_an_ordinary_word_is_no_holiday(text: str) -> None:
    assert list(holidays(text)) == []


def test_a_place_is_a_place_in_the_text_as_written() -> None:
    assert [("過了復活節")[start:end] for start, end in holidays("過了復活節")] == ["復活節"]
