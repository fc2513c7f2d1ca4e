"""Windows: nothing is missed or given twice, caps are said, and a killed sweep goes on where it stood."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.base import Cursor, Report
from sources.windows import FAILURES, Haul, Window, day_window, listing, spread, sweep

START = datetime(2026, 3, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TIMES = st.lists(st.integers(0, 86_399), max_size=120)
SPAN = Window(START, START + timedelta(days=1))


class Archive:
    """Seconds of a day at which something was published; a request gives the newest `cap` of a window."""

    def __init__(self, seconds: list[int], cap: int) -> None:
        self.at = sorted(START + timedelta(seconds=second) for second in seconds)
        self.cap = cap
        self.asked: list[Window] = []
        self.answered: list[Window] = []

    def ask(self, window: Window) -> Haul[datetime]:
        self.asked.append(window)
        found = [at for at in self.at if window.start <= at < window.end]
        haul = Haul(found[::-1][: self.cap], len(found) > self.cap)
        self.answered.append(window)
        return haul


@given(TIMES, st.integers(1, 9), st.sampled_from([1, 60, 900, 7000, 86_400]), st.booleans())
def test_a_sweep_gives_all_or_says_what_is_cut(
    seconds: list[int], cap: int, smallest: int, newest_first: bool
) -> None:
    archive, report = Archive(seconds, cap), Report()
    step = timedelta(seconds=smallest)
    got = list(
        sweep(
            archive.ask,
            SPAN,
            smallest=step,
            report=report,
            cursor=Cursor(),
            newest_first=newest_first,
        )
    )
    missing = Counter(archive.at) - Counter(got)
    assert not Counter(got) - Counter(archive.at), "nothing twice, nothing invented"
    assert report.capped == bool(missing)
    for at in missing:
        (cut,) = (w for w in archive.asked if w.start <= at < w.end and w.halves(step) is None)
        assert str(cut) in " ".join(report.notes)
        assert cut.width < 2 * step


@given(TIMES, st.integers(1, 9), st.booleans())
def test_parts_come_in_the_order_asked_for(
    seconds: list[int], cap: int, newest_first: bool
) -> None:
    archive = Archive(seconds, cap)
    order: list[datetime] = []
    for _ in sweep(
        archive.ask,
        SPAN,
        smallest=MINUTE,
        report=Report(),
        cursor=Cursor(),
        newest_first=newest_first,
    ):
        order.append(archive.asked[-1].start)
    assert order == sorted(order, reverse=newest_first)


@given(TIMES, st.integers(1, 9), st.integers(0, 60))
def test_a_sweep_killed_anywhere_asks_no_answered_window_again(
    seconds: list[int], cap: int, killed_at: int
) -> None:
    archive, cursor = Archive(seconds, cap), Cursor()
    kept: list[datetime] = []
    stored: list[datetime] = []

    class Stored(Cursor):
        """Keeps items with the state, as the collector does."""

        def save(self, state: object) -> None:
            cursor.save(state)  # type: ignore[arg-type]
            stored.extend(kept[len(stored) :])

    class KilledError(Exception):
        pass

    def failing(window: Window) -> Haul[datetime]:
        if len(archive.answered) == killed_at:
            archive.asked.append(window)
            raise KilledError
        return archive.ask(window)

    try:
        for at in sweep(failing, SPAN, smallest=MINUTE, report=Report(), cursor=Stored()):
            kept.append(at)
    except KilledError:
        del kept[len(stored) :]
    kept += sweep(archive.ask, SPAN, smallest=MINUTE, report=Report(), cursor=Cursor(cursor.load()))
    whole = Archive(seconds, cap)
    assert kept == list(sweep(whole.ask, SPAN, smallest=MINUTE, report=Report(), cursor=Cursor()))
    assert len(archive.answered) == len(set(archive.answered)), "an answered window was asked again"


@given(st.integers(2, 10**6), st.integers(1, 10**4))
def test_halves_join_to_the_window_and_are_never_too_small(width: int, smallest: int) -> None:
    window = Window(START, START + timedelta(seconds=width))
    step = timedelta(seconds=smallest)
    halves = window.halves(step)
    if halves is None:
        assert window.width < 2 * step
        return
    early, late = halves
    assert (early.start, early.end, late.end) == (window.start, late.start, window.end)
    assert min(early.width, late.width) >= step
    assert not (early.width % step)


def test_days_are_those_of_the_zone_even_where_clocks_change() -> None:
    shanghai = day_window(date(2026, 3, 1), date(2026, 3, 2), "Asia/Shanghai")
    assert shanghai == Window(
        datetime(2026, 2, 28, 16, tzinfo=UTC), datetime(2026, 3, 2, 16, tzinfo=UTC)
    )
    assert day_window(date(2026, 3, 29), date(2026, 3, 29), "Europe/Berlin").width == timedelta(
        hours=23
    )
    assert day_window(date(2026, 10, 25), date(2026, 10, 25), "Europe/Berlin").width == timedelta(
        hours=25
    )


def test_impossible_windows_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot run"):
        Window(START, START)
    with pytest.raises(ValueError, match="time zone"):
        Window(datetime(2026, 1, 1), START)  # noqa: DTZ001
    with pytest.raises(ValueError, match="whole number of seconds"):
        next(
            sweep(
                Archive([], 1).ask,
                SPAN,
                smallest=timedelta(milliseconds=1),
                report=Report(),
                cursor=Cursor(),
            )
        )


def test_a_platform_that_does_not_answer_is_given_up_and_its_windows_are_named() -> None:
    archive, report = Archive(list(range(0, 86_400, 60)), 200), Report()

    def silent(window: Window) -> Haul[datetime]:
        if len(archive.asked) < 3:
            return archive.ask(window)
        archive.asked.append(window)
        return Haul((), capped=False, failed=True)

    assert not list(sweep(silent, SPAN, smallest=MINUTE, report=report, cursor=Cursor()))
    assert len(archive.asked) == 3 + FAILURES
    assert report.capped
    assert sum(note.startswith("no answer for 2026-03-01 ") for note in report.notes) == FAILURES
    assert report.notes[-1].endswith(f"not asked: {Window(archive.asked[-1].end, SPAN.end)}")


def test_a_platform_that_always_has_more_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.windows.MOST_ASKED", 50)
    asked: list[Window] = []

    def endless(window: Window) -> Haul[datetime]:
        asked.append(window)
        return Haul([window.start], capped=True)

    report, cursor = Report(), Cursor()
    got = list(sweep(endless, SPAN, smallest=MINUTE, report=report, cursor=cursor))
    assert len(asked) == 50
    assert got == sorted(set(got))
    assert report.capped
    assert report.notes[-1].startswith("gave up after 50 windows; not asked: 2026-03-01 ")
    assert not list(
        sweep(endless, SPAN, smallest=MINUTE, report=report, cursor=Cursor(cursor.load()))
    )


def test_a_listing_keeps_its_rows_in_the_cursor() -> None:
    rows = [{"id": number, "at": number * 600} for number in range(144)]
    asked: list[Window] = []

    def ask(window: Window) -> Haul[dict[str, int]]:
        asked.append(window)
        if len(asked) == 6:
            raise KeyboardInterrupt
        low, high = ((at - START).total_seconds() for at in (window.start, window.end))
        found = [row for row in rows if low <= row["at"] < high]
        return Haul(found[:20], len(found) > 20)

    cursor = Cursor()
    with pytest.raises(KeyboardInterrupt):
        listing(ask, SPAN, key="id", smallest=MINUTE, report=Report(), cursor=cursor)
    assert cursor.load()["rows"], "what was found is kept"
    again = Cursor(cursor.load())
    assert listing(ask, SPAN, key="id", smallest=MINUTE, report=Report(), cursor=again) == rows
    counts = Counter(asked)
    assert [window for window, count in counts.items() if count > 1] == [asked[5]], (
        "only the one in flight"
    )
    report = Report()
    assert (
        len(listing(ask, SPAN, key="id", smallest=MINUTE, report=report, cursor=Cursor(), most=30))
        == 30
    )
    assert report.capped
    assert report.notes == ["listing stopped at 30 results"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers()), max_size=80), st.integers(0, 80))
def test_any_number_of_spread_rows_covers_the_days_evenly(
    rows: list[tuple[int, int]], taken: int
) -> None:
    even = spread(rows, lambda row: row[0])
    assert Counter(even) == Counter(rows)
    got, there = Counter(day for day, _ in even[:taken]), Counter(day for day, _ in rows)
    for day in there:
        for other in there:
            if got[day] < there[day]:
                assert got[other] <= got[day] + 1


@given(st.integers(1, 400), st.data())
def test_fewer_rows_than_days_leave_even_gaps(count: int, data: st.DataObject) -> None:
    taken = data.draw(st.integers(1, count))
    even = spread([(day, row) for row in range(3) for day in range(count)], lambda row: row[0])
    days = sorted(day for day, _ in even[:taken])
    assert len(set(days)) == taken
    gaps = [after - before for before, after in pairwise([*days, count])]
    assert max(gaps) <= max(2 * count / taken, 1)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.integers())))
def test_a_cursor_gives_back_a_copy_of_what_was_saved(state: dict[str, object]) -> None:
    cursor = Cursor()
    part = cursor.part("a part")
    part.save(state)
    assert part.load() == state == cursor.load()["a part"]
    part.load()["changed"] = 1
    assert part.load() == state
    cursor.part("another").save({"x": 1})
    assert part.load() == state
    assert json.dumps(cursor.load())
    with pytest.raises(TypeError):
        cursor.save({"at": START})
