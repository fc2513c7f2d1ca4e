"""Searches shared out over the parts of a window: nothing lost, nothing twice, every part its share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas import Item, Origin
from sources.base import Cursor, Report
from sources.rounds import Page, Rounds, parts_of
from sources.windows import Window

START = datetime(2026, 3, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
WEEK = Window(START, START + timedelta(days=7))


def item(number: int, at: datetime) -> Item:
    return Item(
        item_id=f"i{number}", platform="p", kind="post", native_id=str(number), text="x",
        published_at=at, precision="second", fetched_at=START, origin=Origin(source="p"),
    )  # fmt: skip


class Platform:
    """Gives the newest or the best first, `reach` of a window at most."""

    def __init__(
        self, hours: list[int], *, reach: int, newest_first: bool = True, tokens: bool = True
    ) -> None:
        self.rows = [item(n, START + timedelta(seconds=hour * 37)) for n, hour in enumerate(hours)]
        self.reach, self.newest_first, self.tokens = reach, newest_first, tokens
        self.asked: list[tuple[Window, str, int]] = []

    def ask(self, window: Window, token: str, limit: int) -> Page:
        self.asked.append((window, token, limit))
        if token and not self.tokens:
            return Page(refused=True)
        found = [
            row
            for row in self.rows
            if row.published_at and window.start <= row.published_at < window.end
        ]
        if self.newest_first:
            found.sort(key=lambda row: (row.published_at or START, row.native_id), reverse=True)
        found = found[: self.reach]
        start = int(token or 0)
        page = found[start : start + limit]
        return Page(
            items=page,
            size=len(page),
            token=str(start + limit) if start + limit < len(found) else "",
            oldest=page[-1].published_at if page and self.newest_first else None,
        )


def rounds(platform: Platform, report: Report, cursor: Cursor, **options: int) -> Rounds:
    given_options = {"room": 10_000, "page": 10, "reach": platform.reach, "asks": 10_000} | options
    return Rounds(
        platform.ask, parts_of(WEEK, timedelta(days=1), 7), step=SECOND, report=report,
        cursor=cursor, seen=set(), **given_options,
    )  # fmt: skip


HOURS = st.lists(st.integers(0, 16_000), max_size=120, unique=True)


@settings(max_examples=60)
@example(list(range(11)), 10, False, True)
@given(HOURS, st.integers(10, 40), st.booleans(), st.booleans())
def test_everything_is_found_once_whatever_the_platform_caps(
    hours: list[int], reach: int, newest_first: bool, tokens: bool
) -> None:
    platform = Platform(
        hours, reach=reach, newest_first=newest_first, tokens=tokens or not newest_first
    )
    report = Report()
    found = [row for page in rounds(platform, report, Cursor()).pages() for row in page]
    ids = [row.native_id for row in found]
    assert len(ids) == len(set(ids))
    if set(ids) != {row.native_id for row in platform.rows}:
        assert report.capped
        assert not newest_first  # a window of less than two hours holds more than is paged through


@settings(max_examples=60)
@given(HOURS, st.integers(1, 60), st.integers(10, 40))
def test_the_room_is_kept_and_filled_while_there_is_more(
    hours: list[int], room: int, reach: int
) -> None:
    platform, report = Platform(hours, reach=reach), Report()
    search = rounds(platform, report, Cursor(), room=room)
    found = [row for page in search.pages() for row in page]
    assert len(found) == min(room, len(hours))
    assert search.room == room - len(found)
    search.finish()
    assert report.capped or len(found) == len(hours)


@settings(max_examples=60)
@given(HOURS, st.integers(1, 60), st.integers(0, 60), st.integers(10, 40), st.integers(1, 12))
def test_a_search_given_more_room_goes_on_and_asks_nothing_again(
    hours: list[int], room: int, more: int, reach: int, page: int
) -> None:
    platform, report, cursor = Platform(hours, reach=reach), Report(), Cursor()
    first = rounds(platform, report, cursor, room=room, page=page)
    before = [row for found in first.pages() for row in found]
    # a new process: what it knows is in the cursor
    again = Rounds(
        platform.ask, parts_of(WEEK, timedelta(days=1), 7), room=room, page=page, reach=reach,
        asks=10_000, step=SECOND, report=report, cursor=cursor,
        seen={row.native_id for row in before},
    )  # fmt: skip
    again.widen(room + more)
    after = [row for found in again.pages() for row in found]
    ids = [row.native_id for row in [*before, *after]]
    assert len(ids) == len(set(ids)) == min(room + more, len(hours))
    asked = [(window, token) for window, token, _ in platform.asked]
    assert len(asked) == len(set(asked))


def test_what_a_page_has_beyond_the_room_is_held_for_more() -> None:
    page = Page(items=[item(n, START + n * SECOND) for n in range(9)], size=9)
    calls: list[int] = []

    def ask(_window: Window, _token: str, limit: int) -> Page:
        calls.append(limit)
        return page

    report, cursor = Report(), Cursor()
    search = Rounds(
        ask, [WEEK], room=4, page=9, reach=99, asks=9, step=SECOND, report=report, cursor=cursor,
        seen=set(),
    )  # fmt: skip
    assert [row.native_id for found in search.pages() for row in found] == ["0", "1", "2", "3"]
    search.finish()
    assert report.capped
    search.widen(7)
    assert [row.native_id for found in search.pages() for row in found] == ["4", "5", "6"]
    assert calls == [4]


@settings(max_examples=40)
@given(HOURS, st.integers(10, 40), st.integers(0, 20), st.booleans())
def test_a_search_that_is_resumed_finds_the_rest(
    hours: list[int], reach: int, pages: int, tokens: bool
) -> None:
    platform = Platform(hours, reach=reach, tokens=tokens)
    cursor, report = Cursor(), Report()
    kept: set[str] = set()
    unsaved: set[str] = set()
    first = rounds(platform, report, cursor).pages()
    for _ in range(pages):
        page = next(first, None)  # asking on saves what came before
        kept |= unsaved
        unsaved = {row.native_id for row in page or ()}
        if page is None:
            break
    before = len(platform.asked)
    for page in rounds(platform, report, cursor).pages():
        kept |= {row.native_id for row in page}
    assert kept == {row.native_id for row in platform.rows}
    assert pages < 20 or len(platform.asked) - before < before + 20


@settings(max_examples=40)
@given(st.lists(st.integers(0, 30), min_size=7, max_size=7), st.integers(7, 150))
def test_no_part_has_more_than_one_that_wanted_more(sizes: list[int], room: int) -> None:
    hours = [day * 2336 + n for day, size in enumerate(sizes) for n in range(size)]
    platform = Platform(hours, reach=1000)
    search = rounds(platform, Report(), Cursor(), room=room, page=100)
    got = [0] * 7
    for page in search.pages():
        for row in page:
            assert row.published_at is not None
            got[(row.published_at - START).days] += 1
    starved = [have for have, size in zip(got, sizes, strict=True) if have < size]
    if starved:
        assert max(got) <= min(starved) + 1


def test_few_asks_are_spread_over_the_window() -> None:
    platform, report = Platform(list(range(0, 16_000, 50)), reach=1000), Report()
    list(rounds(platform, report, Cursor(), asks=4).pages())
    days = sorted((window.start - START).days for window, _, _ in platform.asked)
    assert len(platform.asked) == 4
    assert days[0] == 0
    assert max(b - a for a, b in pairwise(days)) <= 2
    assert report.capped


def test_three_failures_in_a_row_end_a_search_and_one_does_not() -> None:
    answers = [Page(failed=True), Page(items=[item(1, START)], size=1), *[Page(failed=True)] * 5]
    report = Report()
    search = Rounds(
        lambda *_: answers.pop(0), parts_of(WEEK, timedelta(days=1), 7), room=9, page=9, reach=9,
        asks=99, step=SECOND, report=report, cursor=Cursor(), seen=set(),
    )  # fmt: skip
    assert sum(map(len, search.pages())) == 1
    assert len(answers) == 2
    assert report.capped
    assert any("gave up" in note for note in report.notes)


def test_pages_that_lead_nowhere_end() -> None:
    same = Page(items=[item(1, START)], size=1, token="t")
    report = Report()
    search = Rounds(
        lambda *_: same, [WEEK], room=99, page=9, reach=999, asks=99, step=SECOND, report=report,
        cursor=Cursor(), seen=set(),
    )  # fmt: skip
    assert sum(map(len, search.pages())) == 1
    assert report.capped
    assert any("gave nothing new" in note for note in report.notes)


def test_what_the_caller_remembers_is_found_again() -> None:
    platform, cursor = Platform(list(range(30)), reach=100), Cursor()
    search = rounds(platform, Report(), cursor)
    for page in search.pages():
        search.memory["seen"] = search.memory.get("seen", 0) + len(page)
    assert rounds(platform, Report(), cursor).memory == {"seen": 30}


@given(st.integers(1, 4000), st.integers(1, 400), st.integers(1, 130))
def test_parts_cover_the_window_without_a_gap(hours: int, width: int, most: int) -> None:
    window = Window(START, START + timedelta(hours=hours))
    parts = parts_of(window, timedelta(hours=width), most)
    assert parts[0].start == window.start
    assert parts[-1].end == window.end
    assert all(a.end == b.start for a, b in pairwise(parts))
    assert len(parts) <= most
    assert all(part.width % timedelta(hours=width) == timedelta() for part in parts[:-1])


@pytest.mark.parametrize("count", [1, 2, 5, 30, 120])
def test_any_beginning_of_the_order_leaves_even_gaps(count: int) -> None:
    platform, report = Platform([], reach=10), Report()
    parts = parts_of(Window(START, START + timedelta(days=count)), timedelta(days=1), count)
    search = Rounds(
        platform.ask, parts, room=9, page=9, reach=9, asks=max(count // 3, 1), step=SECOND,
        report=report, cursor=Cursor(), seen=set(),
    )  # fmt: skip
    list(search.pages())
    days = sorted((window.start - START).days for window, _, _ in platform.asked)
    gaps = [b - a for a, b in zip(days, [*days[1:], count], strict=True)]
    assert max(gaps) <= 8
