"""Pictures of score pages: well-formed, escaped, described in words, the same bytes every time."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.svg import (
    Bar,
    BarGroup,
    Scale,
    bar_chart,
    interval_bar,
    number,
    reliability_plot,
    span,
)
from schemas import ReliabilityBin
from tests.score_cards import CONTROL, HOSTILE, LONG

finite = st.floats(-1e6, 1e6, allow_nan=False)
scores = st.floats(-300, 100, allow_nan=False)
names = st.text(min_size=1, max_size=60)


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def words(picture: str) -> str:
    root = parsed(picture)
    return f"{root.findtext('title')} | {root.findtext('desc')}"


def bins(*rows: tuple[int, float | None, float | None]) -> list[ReliabilityBin]:
    return [
        ReliabilityBin(
            low=index / 10, high=(index + 1) / 10, count=count, forecast=forecast, outcome=outcome
        )
        for index, (count, forecast, outcome) in enumerate(rows)
    ]


@given(finite)
def test_a_coordinate_has_at_most_two_decimals_and_no_negative_zero(value: float) -> None:
    text = number(value)
    assert re.fullmatch(r"-?\d+(\.\d{1,2})?", text)
    assert text != "-0"
    assert float(text) == pytest.approx(value, abs=0.0051)


@given(finite, st.floats(0.01, 1e5))
def test_ticks_lie_on_the_scale_and_are_evenly_spaced(low: float, width: float) -> None:
    ticks = Scale(low, low + width, 0, 100).ticks()
    assert 1 <= len(ticks) <= 6
    assert all(low - width * 1e-6 <= tick <= low + width * 1.000001 for tick in ticks)
    steps = [b - a for a, b in pairwise(ticks)]
    assert all(step == pytest.approx(steps[0], rel=1e-3) for step in steps)


@given(finite)
def test_no_value_leaves_the_picture(value: float) -> None:
    assert 10 <= Scale(0, 100, 10, 90).at(value) <= 90


@given(st.lists(finite, max_size=8))
def test_the_span_of_scores_holds_all_of_them_and_0_to_100(values: list[float]) -> None:
    low, high = span(values)
    assert low <= min([0.0, *values]) + 1e-9
    assert high >= max([100.0, *values]) - 1e-9


def test_the_span_does_not_look_at_what_is_not_finite() -> None:
    assert span([float("nan"), float("inf"), 50.0]) == (0.0, 100.0)


@given(st.lists(st.tuples(names, scores, st.floats(0, 20)), max_size=5))
def test_bars_are_well_formed_whatever_systems_are_called(
    rows: list[tuple[str, float, float]],
) -> None:
    groups = [
        BarGroup(name, (Bar(value, value - half, value + half, name="en"), Bar(None, name="zh")))
        for name, value, half in rows
    ]
    root = parsed(bar_chart(groups, title="Dates of an event"))
    assert root.get("role") == "img"
    assert len(root.findall("rect")) == len(rows)
    assert sum(node.text == "not scored" for node in root.findall("text")) == len(rows)


def test_bars_say_in_words_what_they_show() -> None:
    said = words(
        bar_chart(
            [
                BarGroup("model", (Bar(62.44, 60.0, 64.96, name="en"), Bar(None, name="zh"))),
                BarGroup("other", (Bar(-3.0, name="en", subset=True),)),
            ],
            title="Calibration of storm",
        )
    )
    assert said == (
        "Calibration of storm | model: en 62.4 (60.0 to 65.0), zh not scored; other: en -3.0 on a subset"
    )


def test_a_longer_bar_is_a_higher_score_and_starts_at_zero() -> None:
    groups = [BarGroup(name, (Bar(value),)) for name, value in (("a", 30.0), ("b", 60.0))]
    short, long = parsed(bar_chart(groups, title="t")).findall("rect")
    assert short.get("x") == long.get("x")
    assert float(long.get("width") or 0) == pytest.approx(
        2 * float(short.get("width") or 0), abs=0.02
    )


def test_a_negative_score_runs_to_the_left_of_zero() -> None:
    groups = [BarGroup("a", (Bar(-20.0),)), BarGroup("b", (Bar(20.0),))]
    below, above = parsed(bar_chart(groups, title="t")).findall("rect")
    end = float(below.get("x") or 0) + float(below.get("width") or 0)
    assert end == pytest.approx(float(above.get("x") or 0), abs=0.02)


@pytest.mark.parametrize("name", [HOSTILE, LONG, CONTROL, "豆包" * 40, "a & b < c"])
def test_names_from_outside_stay_text(name: str) -> None:
    picture = bar_chart([BarGroup(name, (Bar(50.0),))], title=name)
    assert "<script" not in picture
    assert not re.search(r"[\x00-\x1f\u202e]", picture)
    assert {node.tag for node in parsed(picture).iter()} <= {
        "svg",
        "title",
        "desc",
        "text",
        "line",
        "rect",
    }


def test_an_interval_bar_puts_its_mark_inside_its_band() -> None:
    root = parsed(interval_bar(62.0, 60.0, 65.0, ends=(40.0, 80.0), reference=64.4))
    band = next(node for node in root.findall("rect") if "band" in (node.get("class") or ""))
    mark = next(node for node in root.findall("line") if "mark" in (node.get("class") or ""))
    left = float(band.get("x") or 0)
    assert left < float(mark.get("x1") or 0) < left + float(band.get("width") or 0)
    reference = next(node for node in root.findall("line") if node.get("class") == "reference")
    assert float(reference.get("x1") or 0) == pytest.approx(61.0)
    assert root.findtext("title") == "62.0, interval 60.0 to 65.0"


def test_an_interval_bar_without_an_interval_has_no_band() -> None:
    root = parsed(interval_bar(62.0, None, None, ends=(0.0, 100.0)))
    assert not [node for node in root.findall("rect") if "band" in (node.get("class") or "")]
    assert root.findtext("title") == "62.0"


def test_reliability_dots_lie_where_the_bins_say_and_empty_bins_have_none() -> None:
    root = parsed(
        reliability_plot(bins((100, 0.0, 0.0), (0, None, None), (25, 1.0, 1.0)), title="R")
    )
    first, last = root.findall("circle")
    diagonal = next(node for node in root.findall("line") if node.get("class") == "diagonal")
    assert (first.get("cx"), first.get("cy")) == (diagonal.get("x1"), diagonal.get("y1"))
    assert (last.get("cx"), last.get("cy")) == (diagonal.get("x2"), diagonal.get("y2"))


def test_the_area_of_a_dot_grows_with_its_answers() -> None:
    root = parsed(reliability_plot(bins((400, 0.1, 0.2), (100, 0.2, 0.1)), title="R"))
    big, small = (float(node.get("r") or 0) for node in root.findall("circle"))
    assert big**2 == pytest.approx(4 * small**2)


def test_reliability_is_said_in_words_bin_by_bin() -> None:
    said = words(
        reliability_plot(bins((12, 0.04, 0.25), (0, None, None)), title="Reliability of x")
    )
    assert said == (
        "Reliability of x | 0.0 to 0.1: 12 answers, mean 0.04, came true 0.25; 0.1 to 0.2: no answers"
    )


def test_the_same_arguments_give_the_same_bytes() -> None:
    groups = [BarGroup("a", (Bar(1 / 3, 0.1, 0.7),))]
    assert bar_chart(groups, title="t") == bar_chart(groups, title="t")
