"""Threads share what is left of a query's items, and a reading that was killed goes on at its page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from schemas import Item, Origin
from sources.base import Cursor, Report
from sources.threads import Replies, begin, begun, discussions, most_discussed, note_talk


def item(native: str, **extra: Any) -> Item:
    return Item(
        item_id=native, platform="p", kind="comment", native_id=native, text="x",
        fetched_at=datetime(2026, 6, 1, tzinfo=UTC), origin=Origin(source="p"),
    ).model_copy(update=extra)  # fmt: skip


class Threads:
    """Threads of given lengths, in pages."""

    def __init__(self, sizes: list[int], page: int) -> None:
        self.sizes = sizes
        self.page = page
        self.asked: list[tuple[str, str]] = []

    def __call__(self, native: str, token: str, share: int) -> Replies:
        self.asked.append((native, token))
        first = int(token or 0)
        last = min(first + self.page, self.sizes[int(native)])
        following = str(last) if last < self.sizes[int(native)] else ""
        return Replies([item(f"{native}.{n}") for n in range(first, last)], following)


_SIZES = st.lists(st.integers(0, 30), max_size=6)


def read(sizes: list[int], page: int, room: int) -> tuple[list[Item], Report]:
    cursor, report = Cursor(), Report()
    begin(cursor, [str(n) for n in range(len(sizes))], room)
    assert begun(cursor)
    return list(discussions(Threads(sizes, page), cursor=cursor, report=report)), report


@given(_SIZES, st.integers(1, 9), st.integers(0, 120))
def test_all_is_given_where_there_is_room_and_never_more(
    sizes: list[int], page: int, room: int
) -> None:
    given_items, report = read(sizes, page, room)
    names = [found.native_id for found in given_items]
    assert len(set(names)) == len(names) <= room
    if room >= sum(sizes) and (not sizes or room // len(sizes) >= max(sizes)):
        assert len(names) == sum(sizes)
    assert report.capped or len(names) == sum(sizes)


@given(st.integers(1, 6), st.integers(1, 9), st.integers(6, 60))
def test_long_threads_get_equal_shares(count: int, page: int, room: int) -> None:
    names = [found.native_id.split(".")[0] for found in read([100] * count, page, room)[0]]
    shares = [names.count(str(n)) for n in range(count)]
    assert sum(shares) == room
    assert max(shares) - min(shares) <= 1


@given(_SIZES, st.integers(1, 9), st.integers(1, 90), st.integers(1, 12))
def test_a_killed_reading_goes_on_where_it_stood(
    sizes: list[int], page: int, room: int, saves: int
) -> None:
    whole, _ = read(sizes, page, room)
    cursor = Cursor()
    begin(cursor, [str(n) for n in range(len(sizes))], room)
    kept: list[Item] = []
    pending: list[Item] = []
    keep, left = cursor.save, [saves]

    def save(state: Any) -> None:
        keep(state)
        kept.extend(pending)
        pending.clear()
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    cursor.save = save  # type: ignore[method-assign]
    for _ in range(2):
        try:
            for found in discussions(Threads(sizes, page), cursor=cursor, report=Report()):
                pending.append(found)
            break
        except KeyboardInterrupt:
            pending.clear()
    assert [found.native_id for found in kept] == [found.native_id for found in whole]


def test_the_most_discussed_posts_are_kept_in_order() -> None:
    talk: dict[str, int] = {}
    posts = [item(str(n), kind="post", engagement={"replies": n % 4}) for n in range(8)]
    note_talk(talk, [*posts, item("c", engagement={"replies": 99})], 3)
    assert most_discussed(talk, 9) == ["3", "7", "2"]


@given(st.integers(0, 2**40), st.integers(1, 5000))
def test_equally_discussed_posts_are_chosen_in_no_order_of_time(first: int, step: int) -> None:
    """Ids grow with time on every platform; of 400 posts the twenty chosen are not the first or the last quarter."""
    ids = [str(first + step * n) for n in range(400)]
    chosen = [ids.index(native) for native in most_discussed(dict.fromkeys(ids, 3), 20)]
    assert len({place // 100 for place in chosen}) >= 2
    talk = dict.fromkeys(ids, 3) | {ids[7]: 4, ids[301]: 9}
    assert most_discussed(talk, 2) == [ids[301], ids[7]]
    assert most_discussed(dict(reversed(talk.items())), 50) == most_discussed(talk, 50)
