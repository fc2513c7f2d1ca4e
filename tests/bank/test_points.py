"""Promises of the cutoffs."""

from __future__ import annotations

import asyncio
import random
import re
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factory import points
from factory.errors import BadInput
from factory.points import candidates, spread
from factory.sections import PointsSettings
from factory.segments import context_text
from factory.settings import Settings
from schemas import AnonNode, AnonStatement, AnonTimeline, Entry, Plain, PointSet, SegmentText, Span
from tests.bank.story import START, timeline
from tests.scripted import make_context


def cut(
    root: Path,
    arc: AnonTimeline,
    *,
    wanted: int | None = None,
    entry: Entry = "topic",
    **setting: Any,
) -> PointSet:
    settings = Settings(points=PointsSettings(**setting))
    ctx = make_context(root, "points", settings=settings, points=wanted, entry=entry)
    ctx.workspace.write(points.ANON, arc)
    counts = asyncio.run(points.run(ctx))
    found = ctx.workspace.read(PointSet, points.POINTS)
    assert counts.kept == len(found.points)
    assert counts.rejected == len(ctx.rejections)
    return found


def test_day_zero_is_hidden_and_counts_as_future(tmp_path: Path) -> None:
    arc = timeline()
    found = cut(tmp_path, arc, preset="nodes", wanted=3)
    dates = {node.node_id: node.date for node in arc.nodes}
    for point in found.points:
        assert all(dates[n] < point.cutoff for n in point.context)
        assert all(dates[n] >= point.cutoff for n in point.truth)
        assert point.cutoff in dates.values()
        assert [*point.context, *point.truth] == [node.node_id for node in arc.nodes]


def test_every_day_considered_is_a_cutoff_or_has_a_reason(tmp_path: Path) -> None:
    arc = timeline()
    found = cut(tmp_path, arc, wanted=3)
    days = [p.cutoff for p in found.points] + [row.day for row in found.dropped]
    span = (arc.span.observed_until - arc.nodes[0].date).days + 1
    assert sorted(days) == [START + timedelta(days=n) for n in range(span)]


def test_every_cutoff_says_what_it_has(tmp_path: Path) -> None:
    arc = timeline()
    found = cut(tmp_path, arc, wanted=4)
    assert [row.day for row in found.kept] == [point.cutoff for point in found.points]
    days = [node.date for node in arc.nodes]
    for row, point in zip(found.kept, found.points, strict=True):
        end = min(point.cutoff + timedelta(days=90), arc.span.observed_until)
        later = sum(point.cutoff <= day <= end for day in days)
        assert (
            f"{len(point.context)} nodes before it, {later} in the {(end - point.cutoff).days} "
            in row.reason
        )


def test_another_seed_gives_other_cutoffs() -> None:
    days = [START + timedelta(days=n) for n in range(200)]
    assert spread(days, 8, 3, random.Random(1)) != spread(days, 8, 3, random.Random(2))


@given(gaps=st.lists(st.integers(1, 20), min_size=8, max_size=20), after=st.integers(7, 40))
@settings(max_examples=30)
def test_contexts_are_prefixes_of_the_master_timeline_to_the_byte(
    gaps: list[int], after: int
) -> None:
    first = timeline(nodes=1).nodes[0]
    days = [START + timedelta(days=sum(gaps[:i])) for i in range(len(gaps))]
    nodes = tuple(
        first.model_copy(update={"node_id": f"n{i}", "date": day}) for i, day in enumerate(days)
    )
    span = Span(observed_from=days[0], observed_until=days[-1] + timedelta(days=after))
    arc = timeline(nodes=1).model_copy(update={"nodes": nodes, "span": span})
    whole = context_text(nodes, arc.lang).encode()
    possible, _ = candidates(arc, PointsSettings(min_future=1))
    assert possible
    for cutoff in possible:
        context = context_text((n for n in nodes if n.date < cutoff), arc.lang).encode()
        assert whole.startswith(context)
        assert cutoff.isoformat().encode() not in context
        assert cutoff + timedelta(days=7) <= span.observed_until


def test_fewer_cutoffs_than_wanted_are_stated_not_padded(tmp_path: Path) -> None:
    ctx = make_context(tmp_path, "points", settings=Settings(), points=500)
    ctx.workspace.write(points.ANON, timeline())
    counts = asyncio.run(points.run(ctx))
    assert counts.received == 500 > counts.kept
    (row,) = ctx.rejections
    assert row.item == f"{500 - counts.kept} cutoffs"
    assert "no more" in row.reason


def test_a_point_at_which_not_even_the_shortest_window_is_observed_is_dropped() -> None:
    arc = timeline(after=3)
    possible, dropped = candidates(arc, PointsSettings(min_future=1))
    last = arc.span.observed_until - timedelta(days=7)
    assert max(possible) == last
    reasons = {row.day: row.reason for row in dropped}
    assert "observed" in reasons[last + timedelta(days=1)]


@pytest.mark.parametrize(
    ("entry", "next_step"),
    [
        ("topic", "widen the window of the event"),
        ("timeline", "import a timeline that covers more days"),
        ("anonymised", "import a timeline that covers more days"),
    ],
)
def test_an_arc_under_four_weeks_is_refused_with_the_reason(
    entry: Entry, next_step: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="covers 20 days and four weeks") as caught:
        cut(tmp_path, timeline(gaps=2, after=5), entry=entry)
    assert next_step in str(caught.value)
    assert ("--since" in str(caught.value)) == (entry == "topic")


def test_an_arc_with_too_few_nodes_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has 4 nodes"):
        cut(tmp_path, timeline(nodes=4))


def test_an_arc_with_wide_gaps_names_what_is_lacking(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="fewer than 3 nodes"):
        cut(tmp_path, timeline(gaps=200))


def test_the_same_seed_gives_the_same_cutoffs(tmp_path: Path) -> None:
    first = cut(tmp_path / "a", timeline(), wanted=4)
    assert first == cut(tmp_path / "b", timeline(), wanted=4)


def test_ids_are_opaque(tmp_path: Path) -> None:
    for point in cut(tmp_path, timeline(), wanted=3).points:
        assert point.cutoff.isoformat() not in point.point_id


@given(
    gaps=st.lists(st.integers(1, 40), min_size=4, max_size=40),
    after=st.integers(0, 60),
    preset=st.sampled_from(["days", "nodes"]),
    context=st.integers(1, 4),
    future=st.integers(1, 4),
)
@settings(max_examples=60)
def test_a_possible_day_has_context_future_and_an_observed_window(
    gaps: list[int], after: int, preset: Any, context: int, future: int
) -> None:
    arc = timeline(nodes=1)
    days = [START]
    for gap in gaps:
        days.append(days[-1] + timedelta(days=gap))
    nodes = tuple(
        arc.nodes[0].model_copy(update={"node_id": f"n{i}", "date": day})
        for i, day in enumerate(days)
    )
    until = days[-1] + timedelta(days=after)
    arc = arc.model_copy(
        update={"nodes": nodes, "span": arc.span.model_copy(update={"observed_until": until})}
    )
    rule = PointsSettings(min_context=context, min_future=future, preset=preset)
    possible, dropped = candidates(arc, rule)
    assert not set(possible) & {row.day for row in dropped}
    for day in possible:
        assert sum(d < day for d in days) >= context
        assert sum(day <= d <= day + timedelta(days=90) for d in days) >= future
        assert day + timedelta(days=7) <= until
        assert preset == "days" or day in days
    for row in dropped:
        assert (
            sum(d < row.day for d in days) < context
            or sum(row.day <= d <= row.day + timedelta(days=90) for d in days) < future
            or row.day + timedelta(days=7) > until
        )


@given(
    steps=st.lists(st.integers(1, 12), min_size=0, max_size=60),
    wanted=st.integers(1, 30),
    gap=st.integers(1, 20),
    seed=st.integers(0, 99),
)
@settings(max_examples=120)
def test_as_many_days_as_fit_are_chosen_and_never_closer_than_the_gap(
    steps: list[int], wanted: int, gap: int, seed: int
) -> None:
    days: list[date] = []
    for step in steps:
        days.append((days[-1] if days else START) + timedelta(days=step))
    chosen = spread(days, wanted, gap, random.Random(seed))
    fits, last = 0, None
    for day in days:
        if last is None or (day - last).days >= gap:
            fits, last = fits + 1, day
    assert len(chosen) == min(wanted, fits)
    assert set(chosen) <= set(days)
    assert all((b - a).days >= gap for a, b in pairwise(chosen))


def test_cutoffs_cover_the_arc_evenly() -> None:
    days = [START + timedelta(days=n) for n in range(300)]
    chosen = spread(days, 10, 3, random.Random(1))
    for number, day in enumerate(chosen):
        assert abs((day - START).days - (number + 0.5) * 30) <= 0.35 * 30 + 1


def published(path: Path) -> AnonTimeline:
    """A published context as a timeline whose span ends with its last node, as an import makes it."""
    parts = re.split(r"^### (\d{4}-\d{2}-\d{2})$", path.read_text(encoding="utf-8"), flags=re.M)[1:]
    nodes = tuple(
        AnonNode(
            node_id=f"n{i}",
            date=date.fromisoformat(day),
            fact=(AnonStatement(statement_id=f"s{i}", text={"zh": split(body)}),),
        )
        for i, (day, body) in enumerate(zip(parts[::2], parts[1::2], strict=True))
    )
    span = Span(observed_from=nodes[0].date, observed_until=nodes[-1].date)
    return AnonTimeline(public_id="e-real", lang="zh", span=span, nodes=nodes)


def split(body: str) -> SegmentText:
    return (Plain(text=body.strip()),)


@pytest.mark.parametrize("preset", ["days", "nodes"])
def test_every_published_arc_gets_its_cutoffs(tmp_path: Path, testdata: Path, preset: Any) -> None:
    folders = sorted((testdata / "official" / "demo" / "zh").iterdir())
    assert len(folders) == 5
    for folder in folders:
        arc = published(sorted(folder.glob("P*_context.md"))[-1])
        found = cut(tmp_path / folder.name, arc, preset=preset)
        days = [p.cutoff for p in found.points]
        assert all((b - a).days >= 3 for a, b in pairwise(days))
        assert days[-1] + timedelta(days=7) <= arc.span.observed_until
        # A short arc holds fewer than 25 cutoffs three days apart, and node days come in bursts.
        assert 25 >= len(days) >= (20 if preset == "days" else 10)
