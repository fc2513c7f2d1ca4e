"""Days, windows and bases of published texts."""

from __future__ import annotations

from datetime import date

import pytest

from factory.audit.foreign_texts import (
    asks,
    base,
    days_named,
    displaced,
    internal_ids,
    lengths,
    months_named,
    plain,
)
from schemas import Lang


def test_plain_text_has_no_width_case_punctuation_or_spaces() -> None:
    assert plain("Ａ公司是否会，在７月前？") == plain("a公司是否会在7月前")
    assert plain("Will it, then?") == plain("will it then")


@pytest.mark.parametrize(
    ("lang", "texts"),
    [
        ("zh", ["截至目标日的7天内，渡轮是否复航？", "渡轮是否在30天窗口内复航？", "渡轮是否会复航？", "未来90天内渡轮是否会复航？"]),
        ("zh", ["在截至2025-10-05的7天内，渡轮是否复航", "在截至2025-11-02的三十天内，渡轮是否复航"]),
        ("en", ["Will the ferry sail within 7 days?", "Will the ferry sail over the next 30 days?", "Will the ferry sail in the next two weeks?"]),
    ],
)  # fmt: skip
def test_one_question_over_several_windows_has_one_base(lang: Lang, texts: list[str]) -> None:
    bases = {base(text, lang).replace("会", "") for text in texts}
    assert len(bases) == 1


def test_a_base_keeps_other_figures() -> None:
    assert base("未来7天内，票价是否超过30元？", "zh") != base(
        "未来7天内，票价是否超过40元？", "zh"
    )


@pytest.mark.parametrize(
    ("lang", "text", "exact", "about", "other"),
    [
        ("zh", "未来14天内", {14}, set(), set()),
        ("zh", "在十四天内", {14}, set(), set()),
        ("zh", "在六十天窗口内", {60}, set(), set()),
        ("zh", "约两周内", set(), {14}, set()),
        ("zh", "为期两周的停火", set(), set(), {14}),
        ("zh", "在2025年10月7日前", set(), set(), set()),
        ("zh", "35天均线", set(), set(), set()),
        ("zh", "未来三个月内", {90}, set(), set()),
        ("en", "within the next 14 days", {14}, set(), set()),
        ("en", "in the next two weeks", {14}, set(), set()),
        ("en", "about 30 days after", set(), {30}, set()),
        ("en", "a two-week truce", set(), set(), {14}),
        ("en", "a thirty-day window", {30}, set(), set()),
    ],
)
def test_lengths(lang: Lang, text: str, exact: set[int], about: set[int], other: set[int]) -> None:
    found = lengths(text, lang)
    assert (set(found.exact), set(found.about), set(found.other)) == (exact, about, other)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("by 2031-05-07", [(2031, 5, 7)]),
        ("在2031年5月7日前", [(2031, 5, 7)]),
        ("before May 7, 2031", [(2031, 5, 7)]),
        ("since the 7th of May 2031", [(2031, 5, 7)]),
        ("between May 25 and June 24, 2031", [(2031, 5, 25), (2031, 6, 24)]),
        ("2031年5月25日至6月24日", [(2031, 5, 25), (2031, 6, 24)]),
        ("on May 7", []),
    ],
)
def test_days_with_their_year(text: str, days: list[tuple[int, int, int]]) -> None:
    assert sorted(days_named(text).days) == [date(*day) for day in days]


def test_a_day_that_does_not_exist_is_told_apart() -> None:
    found = days_named("2031年2月30日")
    assert not found.days
    assert found.impossible == ("2031年2月30日",)


def test_months_with_their_year() -> None:
    assert months_named("at the end of February 2031 or 2031年4月") == {(2031, 2), (2031, 4)}
    assert months_named("2031-05-07") == {(2031, 5)}


@pytest.mark.parametrize("text", ["事件E01所述", "as in Event E12", "(E03)", "group D_2 of E04"])
def test_internal_ids(text: str) -> None:
    assert internal_ids(text)


@pytest.mark.parametrize("text", ["Company E earns", "the model E2000", "Office E-11", "E 5"])
def test_names_with_letters_are_no_internal_ids(text: str) -> None:
    assert not internal_ids(text)


def test_a_name_before_the_verb() -> None:
    assert displaced("Country X Has the highest level spoken?")
    assert not displaced("Has Country X spoken?")
    assert not displaced("Country X has spoken.")


def test_what_asks() -> None:
    assert asks("Will it rain?", "en")
    assert asks("是否会下雨", "zh")
    assert not asks("It rains.", "en")
    assert not asks("会下雨。", "zh")
