"""Questions that ask one thing over several windows are found by their text."""

from __future__ import annotations

import numpy as np
import pytest

from factory.published.pages import Published
from factory.published.windows import base_text, days_ahead, window_groups
from factory.score.sheet import Sheet
from schemas import Lang


@pytest.mark.parametrize(
    ("lang", "short", "long"),
    [
        ("en", "Will it sail within the next 7 days?", "Will it sail within the next 30 days?"),
        ("en", "Will it sail in a 7-day window?", "Will it sail in a 30-day window?"),
        ("en", "Will it sail within seven days?", "Will it sail within thirty days?"),
        ("zh", "渡轮是否会在未来7天内复航？", "渡轮是否会在未来30天内复航？"),
        ("zh", "渡轮是否在 7 天窗口内复航？", "渡轮是否在 30 天窗口内复航？"),
    ],
)
def test_one_text_over_two_windows_is_one_group(lang: Lang, short: str, long: str) -> None:
    assert base_text(short, 7, lang) == base_text(long, 30, lang)
    assert window_groups([short, long, short + "!"], [7, 30, 7], [1, 9, 1], lang, first=4) == [
        4,
        4,
        -1,
    ]


@pytest.mark.parametrize(
    ("lang", "a", "b", "windows"),
    [
        ("zh", "10月7日前复航？", "10月30日前复航？", (7, 30)),
        ("en", "Sail within 17 days?", "Sail within 130 days?", (7, 30)),
        ("en", "Sail within 7 days?", "Sail within 7 days?", (7, 7)),
        ("en", "", "", (7, 30)),
    ],
)
def test_other_texts_and_equal_windows_are_no_group(
    lang: Lang, a: str, b: str, windows: tuple[int, int]
) -> None:
    assert window_groups([a, b], windows, [3, 3], lang) == [-1, -1]


def test_windows_before_a_target_day_nest_only_for_one_target() -> None:
    texts = [f"截至目标日的{days}天内，渡轮是否复航？" for days in (7, 14, 30)]
    assert window_groups(texts, [7, 14, 30], [5, 5, 9], "zh") == [0, 0, -1]


def test_a_window_counted_from_the_cutoff_is_read_from_the_text() -> None:
    assert days_ahead("Will it sail within the next 14 days?", "en") == 14
    assert days_ahead("渡轮是否会在未来14天内复航？", "zh") == 14
    assert days_ahead("Will it sail within 14 days of the target date?", "en") is None
    assert days_ahead("In the next 7 days or within the next 14 days?", "en") is None


def broken_pairs(sheet: Sheet, system: str) -> float:
    """Share of pairs of a group in which the longer window is held less likely."""
    assert sheet.families is not None
    values = sheet.values[sheet.systems.index(system)]
    pairs, broken = 0, 0
    group = sheet.families.windows
    for code in range(int(group.max()) + 1):
        members = np.flatnonzero(group == code)
        for i in members:
            longer = members[sheet.window[members] > sheet.window[i]]
            longer = longer[~np.isnan(values[longer] + values[i])]
            pairs += len(longer)
            broken += int(np.sum(values[i] > values[longer] + 1e-9))
    return broken / pairs


def test_groups_of_the_published_bank_are_as_many_and_as_contradictory_as_known(
    published: Published,
) -> None:
    """About 1,559 groups; Gemini contradicts itself least, in about 1 pair of 100, Grok in 14."""
    sheet = published.calibration
    zh = sheet.rows(sheet.edition.codes == sheet.edition.names.index("zh"))
    assert zh.families is not None
    groups = len(np.unique(zh.families.windows[zh.families.windows >= 0]))
    assert groups == pytest.approx(1559, abs=60)
    shares = {system: broken_pairs(zh, system) for system in zh.systems}
    assert min(shares, key=lambda system: shares[system]) == "Gemini-3.5-Flash"
    assert max(shares, key=lambda system: shares[system]) == "Grok-3-Mini"
    assert shares["Gemini-3.5-Flash"] < 0.016
    assert shares["Grok-3-Mini"] == pytest.approx(0.138, abs=0.005)
