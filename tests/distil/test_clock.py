"""Times of day are compared as times, in whatever form and language they are said."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.distil.clock import clock_times
from factory.distil.evidence import foreign_figures

EN_HOURS = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")  # fmt: skip
ZH_DIGITS = "零一二三四五六七八九"


def zh_number(value: int) -> str:
    if value < 10:
        return ZH_DIGITS[value]
    tens, ones = divmod(value, 10)
    return ("" if tens == 1 else ZH_DIGITS[tens]) + "十" + (ZH_DIGITS[ones] if ones else "")


def zh_period(hour: int) -> str:
    for end, name in ((5, "凌晨"), (9, "早上"), (12, "上午"), (13, "中午"), (18, "下午")):
        if hour < end:
            return name
    return "晚上"


def half(hour: int) -> str:
    return "a.m." if hour < 12 else "p.m."


def part(hour: int) -> str:
    return (
        "in the morning" if 0 < hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    )


def zh_minutes(minute: int) -> str:
    spoken = {0: "", 15: "一刻", 30: "半", 45: "三刻"}
    if minute in spoken:
        return spoken[minute]
    return ("零" if minute < 10 else "") + zh_number(minute) + "分"


def digits(minute: int, mark: str = ":") -> str:
    return f"{mark}{minute:02d}" if minute else ""


FORMS: tuple[Callable[[int, int], str], ...] = (
    lambda h, m: f"{h:02d}:{m:02d}",
    lambda h, m: f"{h % 12 or 12}:{m:02d} {half(h)}",
    lambda h, m: f"{h % 12 or 12}{digits(m)} {half(h)}",
    lambda h, m: f"{h % 12 or 12}{digits(m, '.')}{half(h).replace('.', '')}",
    lambda h, m: f"{h % 12 or 12}{digits(m)} {half(h).upper()}",
    lambda h, m: f"{EN_HOURS[h % 12]} {half(h)}" if not m else f"{h:02d}{m:02d} hours",
    lambda h, m: f"{EN_HOURS[h % 12]} {part(h)}" if h and not m else f"{h}:{m:02d}",
    lambda h, m: f"{EN_HOURS[h % 12]} o'clock {part(h)}" if h and not m else f"{h}:{m:02d}",
    lambda h, m: f"half past {EN_HOURS[h % 12]}" if m == 30 else f"{h}:{m:02d}",
    lambda h, m: f"quarter to {EN_HOURS[(h + 1) % 12]}" if m == 45 else f"{h}:{m:02d}",
    lambda h, m: f"{h}点{digits(m, '')}" + ("分" if m else ""),
    lambda h, m: f"{h}时{m}分" if m else f"{h}时",
    lambda h, m: f"{zh_number(h)}时{zh_minutes(m)}",
    lambda h, m: f"{zh_period(h)}{zh_number(h % 12 or (12 if h else 0))}点{zh_minutes(m)}",
    lambda h, m: f"{zh_period(h)}{h % 12 or (12 if h else 0)}点{zh_minutes(m)}",
    lambda h, m: f"{zh_period(h)}{h % 12 or (12 if h else 0)}:{m:02d}",
)  # fmt: skip
CLEAR = (FORMS[1], FORMS[3], FORMS[13], FORMS[14], FORMS[15])
"""Forms that say which half of the day they mean."""

hours = st.integers(0, 23)
minutes = st.sampled_from((0, 5, 10, 15, 20, 30, 45, 59))


@given(hours, minutes, st.sampled_from(FORMS), st.sampled_from(FORMS))
def test_a_time_in_one_form_supports_it_in_every_other(
    hour: int, minute: int, said: Callable[[int, int], str], quoted: Callable[[int, int], str]
) -> None:
    sentence, source = said(hour, minute), quoted(hour, minute)
    assert (
        foreign_figures(f"It began at {sentence}, they said.", [f"会议于{source}开始。"], []) == []
    )
    assert (
        foreign_figures(f"会议于{sentence}开始。", [f"It began at {source}, they said."], []) == []
    )


@given(hours, minutes, hours, minutes, st.sampled_from(CLEAR), st.sampled_from(CLEAR))
def test_two_times_never_read_alike(
    hour: int,
    minute: int,
    other_hour: int,
    other_minute: int,
    first: Callable[[int, int], str],
    second: Callable[[int, int], str],
) -> None:
    ((one,), _), ((two,), _) = (
        clock_times(first(hour, minute)),
        clock_times(second(other_hour, other_minute)),
    )
    same = (hour, minute) == (other_hour, other_minute)
    assert (one.readings == two.readings) == same


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("He resigned at 7 p.m.", "他于晚上七点辞职"),
        ("Voting opened at 10:30 a.m.", "上午十点半开始投票"),
        ("The talks ended at 3:15 p.m.", "会谈于下午三点一刻结束"),
        ("The ban took effect at 00:00.", "禁令自零点起生效"),
        ("The ban took effect at 12 a.m.", "禁令于午夜生效"),
        ("Roads closed at 22:00.", "22点起封路"),
        ("Roads closed at 10 p.m.", "二十二时起封路"),
        ("晚上10点起封路", "Roads close at 22:00"),
        ("下午1点复会", "The session resumed at one in the afternoon"),
        ("Doors were open from 7 p.m. to 9 p.m.", "晚上七至九点开放"),
        ("晚上7点至晚上9点开放", "Open from 7 to 9 p.m."),
        ("The boat left at 6:45.", "船差一刻七点离港"),
        ("The rally ended at 21:18.", "比分为21比18"),
        ("12时散会", "They broke up at noon"),
    ],
)  # fmt: skip
def test_what_is_said_in_the_source_stands(sentence: str, source: str) -> None:
    assert foreign_figures(sentence, [source], []) == []


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("He resigned at 7 p.m.", "他于早上七点辞职"),
        ("He resigned at 7 p.m.", "七名官员辞职，另有7人停职"),
        ("He resigned at 7 p.m.", "提出七点要求"),
        ("Roads closed at 22:30.", "22点起封路"),
        ("Roads closed at 22:00.", "20点起封路"),
        ("下午3点集合", "Gather at 3 a.m."),
        ("一小时后的20:00", "持续七小时"),
    ],
)
def test_what_is_not_said_falls(sentence: str, source: str) -> None:
    assert foreign_figures(sentence, [source], []) != []


def test_numbers_beside_times_stay_numbers() -> None:
    times, rest = clock_times("晚上7点20人到场，3小时内投2.5点，提出三点要求，说了一点。")
    assert [time.readings for time in times] == [{19 * 60}]
    assert "20人" in rest
    assert foreign_figures("At 7 p.m. 25 people came.", ["晚上七点20人到场"], []) == ["25"]
