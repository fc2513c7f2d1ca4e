"""No holiday stands in a release: the scanner's own list holds whatever the date engine flags, and lets words pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from factory.anonymise.date_holidays import HOLIDAYS
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


@pytest.mark.parametrize(
    "text",
    ["he lent it", "Lent money is owed", "the advent of rain", "Advent is a word", "the 618 votes", "618人参加", "an easterly wind", "eid",
     "EID", "a spring festival", "the golden weeks", "on election day", "Holistic", "Christmassy", "a double eleventh", "较高考虑", "集中考虑",
     "空中考察", "青春分享会", "这两会儿", "设立春季课程", "从今夏至明年", "修正月度计划", "大年纪的人", "盛大年会", "六一二号", "第六一届", "黑五类", "青春晚会", "春天", "今秋分批"],
)  # fmt: skip
def test_an_ordinary_word_is_no_holiday(text: str) -> None:
    assert list(holidays(text)) == []


def test_a_place_is_a_place_in_the_text_as_written() -> None:
    assert [("過了復活節")[at:] for at in holidays("過了復活節")] == ["復活節"]
