"""Plots of the reports: true to their figures, well-formed, the same bytes every time; colours that can be read."""

from __future__ import annotations

import math
import re
from datetime import date, timedelta
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

import factory
from factory.report_plots import (
    NARROW,
    RIGHT,
    WIDE,
    Days,
    Panel,
    Series,
    count_chart,
    day_chart,
    mark_panel,
    point_chart,
    volume_panel,
    volume_step,
    window_panel,
)
from factory.report_shares import READABLE, by_step, share_panel, share_step
from factory.report_view import STANCES
from factory.report_volume import PLATFORMS

FIRST = date(2031, 1, 10)
days = st.integers(0, 900).map(lambda n: FIRST + timedelta(days=n))


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def styled(root: ElementTree.Element, style: str) -> list[ElementTree.Element]:
    return [node for node in root.iter() if node.get("class") == style]


def number(node: ElementTree.Element, name: str) -> float:
    return float(node.get(name) or "nan")


def chart(
    *panels: Panel,
    last: date = date(2031, 6, 30),
    width: float = WIDE,
    cuts: list[date] | None = None,
) -> ElementTree.Element:
    drawn = day_chart(
        panels, first=FIRST, last=last, width=width, title="t", description="d", cuts=cuts or []
    )
    return parsed(drawn)


# -- the calendar --------------------------------------------------------------------------------


@given(days, days, days)
def test_later_days_stand_further_right_and_none_leaves_the_scale(
    a: date, b: date, c: date
) -> None:
    first, last = min(a, b), max(a, b)
    scale = Days(first, last, 34, 868)
    assert 34 <= scale.at(c) <= 868
    assert scale.at(first) == 34
    assert scale.at(last + timedelta(days=1)) == pytest.approx(868)
    assert scale.at(c) <= scale.at(c + timedelta(days=1))


@given(days, st.integers(0, 1500), st.sampled_from([WIDE, NARROW]))
def test_names_of_the_calendar_have_room_and_stand_in_order(
    first: date, length: int, width: float
) -> None:
    scale = Days(first, first + timedelta(days=length), 34, width - RIGHT)
    ticks = scale.ticks()
    assert all(first <= day <= scale.last for day, _ in ticks)
    assert all(day.isoformat().find(name) >= 0 for day, name in ticks)
    places = [scale.at(day) for day, _ in ticks]
    assert all(b - a >= 40 for a, b in pairwise(places))


@pytest.mark.parametrize("length", [0, 20, 62, 63, 200, 900])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_any_span_has_names_on_its_calendar(length: int, width: float) -> None:
    scale = Days(FIRST, FIRST + timedelta(days=length), 34, width - RIGHT)
    assert scale.ticks()


def test_cutoffs_are_numbered_where_there_is_room() -> None:
    cuts = [FIRST + timedelta(days=n) for n in (10, 11, 60)]
    root = chart(mark_panel("m", []), cuts=cuts)
    assert len(styled(root, "cut")) == 3
    assert [node.text for node in styled(root, "cutname")] == ["1", "3"]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_no_line_crosses_the_name_of_a_panel_or_the_number_of_a_cutoff(width: float) -> None:
    panels = [mark_panel(name, []) for name in ("first", "second", "third")]
    root = chart(*panels, width=width, cuts=[FIRST + timedelta(days=2)])
    lines = [
        (float(top), float(bottom))
        for style in ("cut", "grid")
        for node in styled(root, style)
        for top, bottom in re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)", node.get("d") or "")
    ]
    names = [*styled(root, "panel"), *styled(root, "cutname")]
    assert len(names) == 4
    assert len(lines) >= 2 * len(panels)
    for name in names:
        foot = number(name, "y")
        assert all(bottom <= foot - 9 or top >= foot + 2 for top, bottom in lines)


def test_volume_is_drawn_by_day_where_a_day_has_room() -> None:
    assert [volume_step(FIRST, FIRST + timedelta(days=days), WIDE) for days in (265, 400, 450)] == [
        1,
        1,
        7,
    ]
    assert [volume_step(FIRST, FIRST + timedelta(days=days), NARROW) for days in (100, 265)] == [
        1,
        7,
    ]


# -- panels --------------------------------------------------------------------------------------


def test_a_bar_of_volume_is_as_tall_as_its_count() -> None:
    rows = [(FIRST, (3, 1)), (FIRST + timedelta(days=9), (0, 8))]
    root = chart(volume_panel("v", rows, step=1, height=80))
    (web,) = styled(root, "v0")
    first, second = styled(root, "v1")
    assert number(second, "height") == pytest.approx(80)
    assert number(web, "height") == pytest.approx(30)
    assert number(first, "height") == pytest.approx(10)
    assert number(first, "y") + number(first, "height") == pytest.approx(number(web, "y"), abs=0.02)


@given(st.lists(days, min_size=2, max_size=60, unique=True), st.sampled_from([WIDE, NARROW]))
def test_bars_of_volume_never_overlap_nor_leave_the_picture(
    found: list[date], width: float
) -> None:
    last = max(found)
    step = volume_step(FIRST, last, width)
    starts = sorted({FIRST + timedelta(days=(d - FIRST).days // step * step) for d in found})
    root = chart(volume_panel("v", [(d, (1,)) for d in starts], step=step), last=last, width=width)
    bars = sorted(styled(root, "v0"), key=lambda node: number(node, "x"))
    assert len(bars) == len(starts)
    for a, b in pairwise(bars):
        assert number(a, "x") + number(a, "width") <= number(b, "x") + 0.5
    assert number(bars[-1], "x") + number(bars[-1], "width") <= width - RIGHT + 0.5


def test_shares_fill_their_bar_and_an_empty_share_draws_nothing() -> None:
    shares = (("support", 0.25), ("neutral", 0.0), ("oppose", 0.75))
    root = chart(share_panel("s", [(FIRST + timedelta(days=3), shares)], height=80))
    (support,), (oppose,) = styled(root, "s-support"), styled(root, "s-oppose")
    assert not styled(root, "s-neutral")
    assert number(support, "height") == pytest.approx(20)
    assert number(oppose, "height") == pytest.approx(60)
    assert number(oppose, "y") == pytest.approx(number(support, "y") + 20, abs=0.02)


@pytest.mark.parametrize(
    ("width", "length", "gap", "step"),
    [
        (WIDE, 60, 1, 1),
        (WIDE, 265, 1, 7),
        (WIDE, 265, 3, 1),
        (NARROW, 40, 1, 1),
        (NARROW, 265, 3, 7),
        (NARROW, 265, 7, 1),
        (NARROW, 900, 1, 7),
    ],
)
def test_shares_are_drawn_by_week_where_bars_of_days_would_be_thin(
    width: float, length: int, gap: int, step: int
) -> None:
    last = FIRST + timedelta(days=length)
    shown = [FIRST, FIRST + timedelta(days=gap), last]
    assert share_step(FIRST, last, shown, width) == step
    rows = [(day, (("support", 1.0),), 3) for day in shown]
    panel = share_panel("s", by_step(rows, FIRST, step), step=step)
    bars = styled(chart(panel, last=last, width=width), "s-support")
    thin = min(number(bar, "width") for bar in bars)
    assert thin >= (READABLE if length <= 265 else 2)


@given(
    st.lists(st.tuples(days, st.integers(1, 90), st.integers(0, 100)), min_size=1, max_size=40),
    st.sampled_from([1, 7]),
)
def test_shares_of_a_week_are_those_of_its_posts(
    found: list[tuple[date, int, int]], step: int
) -> None:
    by_day = {day: (posts, percent / 100) for day, posts, percent in sorted(found)}
    rows = [(day, (("a", share), ("b", 1 - share)), n) for day, (n, share) in by_day.items()]
    grouped = by_step(rows, FIRST, step)
    assert [day for day, _ in grouped] == sorted({day for day, _ in grouped})
    for start, shares in grouped:
        inside = [by_day[d] for d in by_day if 0 <= (d - start).days < step]
        assert inside
        assert (start - FIRST).days % step == 0
        total = sum(posts for posts, _ in inside)
        assert dict(shares)["a"] * total == pytest.approx(sum(n * share for n, share in inside))
        assert sum(share for _, share in shares) == pytest.approx(1)


@given(st.lists(days, min_size=2, max_size=60, unique=True), st.sampled_from([WIDE, NARROW]))
def test_bars_of_shares_stay_in_the_picture_and_apart_where_they_can(
    found: list[date], width: float
) -> None:
    shown = sorted(found)
    step = share_step(FIRST, shown[-1], shown, width)
    rows = by_step([(day, (("support", 1.0),), 1) for day in shown], FIRST, step)
    root = chart(share_panel("s", rows, step=step), last=shown[-1], width=width)
    bars = sorted(styled(root, "s-support"), key=lambda node: number(node, "x"))
    assert len(bars) == len(rows)
    assert number(bars[-1], "x") + number(bars[-1], "width") <= width - RIGHT + 0.5
    for a, b in pairwise(bars[:-1]):  # the last one is moved into the picture
        assert number(a, "x") + number(a, "width") <= number(b, "x") + 0.5


def test_a_window_reaches_from_its_cutoff_to_its_last_day() -> None:
    end = FIRST + timedelta(days=59)
    root = chart(window_panel("w", [(FIRST, end, 12)]), last=FIRST + timedelta(days=119))
    (bar,) = styled(root, "reach")
    assert number(bar, "width") == pytest.approx((WIDE - RIGHT - number(bar, "x")) / 2, abs=0.02)
    assert [node.text for node in styled(root, "after")] == ["12"]


def test_a_figure_at_the_right_edge_stands_inside_its_bar() -> None:
    last = FIRST + timedelta(days=90)
    root = chart(window_panel("w", [(FIRST, last, 20)]), last=last)
    (figure,) = styled(root, "within")
    assert number(figure, "x") < WIDE - RIGHT


@given(st.lists(st.tuples(days, days, st.integers(0, 99)), max_size=30))
def test_a_picture_is_as_tall_as_its_panels(rows: list[tuple[date, date, int]]) -> None:
    windows = [(min(a, b), max(a, b), n) for a, b, n in rows]
    root = chart(window_panel("w", windows), mark_panel("m", []), last=FIRST + timedelta(days=900))
    tall = float((root.get("viewBox") or "").split()[3])
    assert all(number(node, "y") <= tall for node in root.iter("text"))
    assert all(number(node, "y") + number(node, "height") <= tall for node in root.iter("rect"))


@pytest.mark.parametrize("words", ['"><script>alert(1)</script>', "a & b < c", "舆论"])
def test_words_stay_words(words: str) -> None:
    drawn = day_chart(
        [mark_panel(words, [FIRST])],
        first=FIRST,
        last=FIRST,
        width=NARROW,
        title=words,
        description=words,
    )
    root = parsed(drawn)
    assert root.findtext("title") == words
    assert [node.text for node in styled(root, "panel")] == [words]
    assert "<script" not in drawn


def test_the_same_arguments_give_the_same_bytes() -> None:
    def draw() -> Markup:
        shares = [(FIRST, (("support", 1 / 3), ("oppose", 2 / 3)))]
        return day_chart(
            [share_panel("s", shares)],
            first=FIRST,
            last=FIRST,
            width=WIDE,
            title="",
            description="",
        )

    assert draw() == draw()


# -- points --------------------------------------------------------------------------------------


def test_columns_hold_the_counts_of_each_point() -> None:
    root = parsed(count_chart([(4, 0, 2), (0, 3, 0)], title="t", description="d"))
    heights = {
        style: [number(n, "height") for n in styled(root, style)] for style in ("w0", "w1", "w2")
    }
    assert heights["w0"][0] == pytest.approx(2 * heights["w2"][0], abs=0.02)
    assert heights["w1"][0] == pytest.approx(1.5 * heights["w2"][0], abs=0.02)
    assert [len(rows) for rows in heights.values()] == [1, 1, 1]


def test_a_range_reaches_from_the_lowest_to_the_highest_rule() -> None:
    root = parsed(point_chart([(20.0, 60.0), None, (50.0, 50.0)], [], title="t", description="d"))
    wide, flat = styled(root, "range")
    assert number(flat, "height") == pytest.approx(2.4)
    assert number(wide, "height") == pytest.approx(0.4 * 124, abs=0.02)


def test_a_system_has_a_dot_at_each_point_that_it_answered() -> None:
    series = [Series("a", (10.0, None, 90.0)), Series("b", (None, 50.0, None))]
    root = parsed(point_chart([None] * 3, series, title="t", description="d"))
    low, high = (node for node in root.iter("circle") if node.get("class") == "c0")
    assert number(low, "cy") > number(high, "cy")
    assert len([n for n in root.iter("circle") if n.get("class") == "c1"]) == 1
    assert [n.get("class") for n in root.iter("path")] == ["line c0"]


@given(st.lists(st.floats(-300, 100), min_size=1, max_size=30))
def test_no_score_leaves_the_chart(scores: list[float]) -> None:
    drawn = point_chart(
        [None] * len(scores), [Series("a", tuple(scores))], title="", description=""
    )
    root = parsed(drawn)
    for dot in root.iter("circle"):
        assert 8 <= number(dot, "cy") <= 132
        assert 34 <= number(dot, "cx") <= 288


# -- colours -------------------------------------------------------------------------------------

TEMPLATES = Path(factory.__file__).parent / "templates"


def themes() -> dict[str, dict[str, str]]:
    """Theme -> name of a colour -> its value, over all style sheets of the reports."""
    found: dict[str, dict[str, str]] = {"light": {}, "dark": {}}
    for name in ("report.css", "plots.css", "public.css"):
        css = (TEMPLATES / name).read_text(encoding="utf-8")
        dark = "".join(
            re.findall(r"prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}", css, re.DOTALL)
        )
        light = "".join(re.findall(r"^:root \{(.*?)\}", css, re.DOTALL | re.MULTILINE))
        for theme, block in (("light", light), ("dark", dark)):
            found[theme] |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    return found


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *((ink, ground) for ink in ("ink", "soft", "accent") for ground in ("paper", "card", "wash")),
        ("good", "card"), ("bad", "card"), ("warn", "card"), ("warn", "warn-wash"), ("good", "good-wash"),
        ("bad", "bad-wash"), ("ink", "mark"), ("paper", "accent"), ("reach-ink", "reach"),
    ],
)  # fmt: skip
def test_words_can_be_read_on_their_ground(theme: str, ink: str, ground: str) -> None:
    colours = themes()[theme]
    assert contrast(colours[ink], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "mark",
    [
        "accent",
        "rule",
        *(f"{kind}{n}" for kind in "vc" for n in range(6)),
        "w3",
        "w4",
        "support",
        "oppose",
    ],
)
def test_marks_can_be_seen_on_the_page(theme: str, mark: str) -> None:
    colours = themes()[theme]
    assert contrast(colours[mark], colours["card"]) >= 3


def apart(a: str, b: str) -> float:
    """Distance of two colours (CIE 1976, D65); from about 10 on nobody takes one for the other at a glance."""

    def lab(colour: str) -> tuple[float, float, float]:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
        y = 0.2126 * r + 0.7152 * g + 0.0722 * b
        z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
        x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
        return 116 * y - 16, 500 * (x - y), 200 * (y - z)

    return math.dist(lab(a), lab(b))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_platform_has_the_colour_of_a_stance_or_of_another_platform(theme: str) -> None:
    """Volume by platform stands above shares by stance, in one chart."""
    colours = themes()[theme]
    platforms = [colours[f"v{n}"] for n in range(PLATFORMS + 1)]
    assert min(apart(a, colours[stance]) for a in platforms for stance in STANCES) >= 25
    assert min(apart(a, b) for a, b in combinations(platforms, 2)) >= 25


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_neighbouring_windows_differ_in_lightness(theme: str) -> None:
    colours = themes()[theme]
    for a, b in pairwise(f"w{n}" for n in range(5)):
        assert contrast(colours[a], colours[b]) >= 1.3
