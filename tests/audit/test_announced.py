"""Dated events whose day the context announces: what counts as naming a day, and where it is told."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from factory.audit.announced import announced_days, announced_line, mentions
from factory.bundle import build_files
from factory.check import check_path, explain_question
from schemas import (
    AnnouncedDays,
    AnonStatement,
    AnonTimeline,
    DateRef,
    Plain,
    Segment,
)
from schemas.segment import DatePrecision
from tests import example_event as example
from tests.bank.arcs import Built, build, demo_arc
from tests.test_check import write
from tests.test_report_grounds import bundle_of

EVENT = example.events()[0]
CUTOFF = {p.point_id: p.cutoff for p in example.points().points}[EVENT.point_id]
DAY = EVENT.date


def ref(first: date, last: date, precision: DatePrecision, style: str = "full") -> DateRef:
    return DateRef(start=first, end=last, precision=precision, style=style)


def told(timeline: AnonTimeline, node: int, *said: Segment, lang: str = "both") -> AnonTimeline:
    """The timeline with one sentence more on one of its days."""
    langs = ("en", "zh") if lang == "both" else (lang,)
    text = {
        one: (Plain(text="The vote is on "), *said)
        if one in langs
        else (Plain(text="A vote is due"),)
        for one in ("en", "zh")
    }
    nodes = list(timeline.nodes)
    old = nodes[node]
    row = AnonStatement(statement_id="s-told", text=text)
    nodes[node] = old.model_copy(update={"fact": (*old.fact, row)})
    return timeline.model_copy(update={"nodes": tuple(nodes)})


@pytest.mark.parametrize("style", ["full", "short", "weekday"])
def test_a_day_that_is_named_alone_is_announced(style: str) -> None:
    timeline = told(example.anonymised(), 0, ref(DAY, DAY, "day", style))
    found = announced_days(example.points().points, [EVENT], timeline)
    assert found == AnnouncedDays(events=(EVENT.event_id,), total=1)
    assert [row.statement_id for row in mentions(timeline, CUTOFF, DAY)] == ["s-told"]


def test_a_span_of_one_day_names_it() -> None:
    timeline = told(example.anonymised(), 0, ref(DAY, DAY, "range"))
    assert list(mentions(timeline, CUTOFF, DAY))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_edition_is_enough(lang: str) -> None:
    timeline = told(example.anonymised(), 0, ref(DAY, DAY, "day"), lang=lang)
    assert list(mentions(timeline, CUTOFF, DAY))


@pytest.mark.parametrize(
    ("first", "last", "precision"),
    [
        (DAY - timedelta(days=1), DAY, "range"),
        (DAY, DAY + timedelta(days=1), "range"),
        (DAY.replace(day=1), DAY.replace(day=28), "month"),
        (DAY + timedelta(days=1), DAY + timedelta(days=1), "day"),
        (DAY - timedelta(days=1), DAY - timedelta(days=1), "day"),
    ],
)
def test_another_day_and_a_longer_span_do_not_name_it(
    first: date, last: date, precision: DatePrecision
) -> None:
    timeline = told(example.anonymised(), 0, ref(first, last, precision))
    found = announced_days(example.points().points, [EVENT], timeline)
    assert found == AnnouncedDays(events=(), total=1)


def test_words_that_are_no_date_do_not_name_it() -> None:
    timeline = told(example.anonymised(), 0, Plain(text=f"in three weeks, {DAY:%-d} people say"))
    assert not list(mentions(timeline, CUTOFF, DAY))


def test_what_is_told_from_the_cutoff_on_announces_nothing() -> None:
    timeline = example.anonymised()
    late = next(n for n, node in enumerate(timeline.nodes) if node.date >= CUTOFF)
    assert not list(mentions(told(timeline, late, ref(DAY, DAY, "day")), CUTOFF, DAY))


# -- where it is told ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def calendar() -> tuple[Built, AnonTimeline]:
    """A bank whose first sentence names the day of its first dated event."""
    built = build(demo_arc())
    day = built.bank.events[0].date
    return built, told(built.arc.timeline, 0, ref(day, day, "day"))


def test_the_check_counts_them_and_breaks_no_rule(
    calendar: tuple[Built, AnonTimeline], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built, timeline = calendar
    folder = write(tmp_path, build_files(bundle_of(built, timeline)))
    report = check_path(folder)
    assert report.announced is not None
    assert built.bank.events[0].event_id in report.announced.events
    assert report.announced.total == len(built.bank.events)
    assert not [f for f in report.findings if f.rule != "context-bytes"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    count = len(report.announced.events)
    assert "Date questions with an announced day" in card
    assert (
        f"(the day of a vote or a ruling, for instance): {count} of {report.announced.total}."
        in card
    )
    assert f"{report.announced.total}道日期题中，{count}道所问的日期已有预告" in card


def test_explaining_a_dated_event_says_it_in_either_case(
    calendar: tuple[Built, AnonTimeline], tmp_path: Path
) -> None:
    built, timeline = calendar
    event = built.bank.events[0].event_id
    without = write(tmp_path / "without", build_files(bundle_of(built, built.arc.timeline)))
    with_it = write(tmp_path / "with", build_files(bundle_of(built, timeline)))
    shown = explain_question(with_it, event)
    assert "announced day: the context names this day as a date" in shown
    assert "statement s-told: The vote is on " in shown
    assert "no announced day" in explain_question(without, event)
    assert "announced" not in explain_question(with_it, built.bank.questions[0].question_id)


def test_the_line_is_singular_for_one() -> None:
    assert announced_line(AnnouncedDays(events=(), total=1)).startswith("0 of 1 dated event: ")
