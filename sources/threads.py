"""The replies under the most-discussed posts of a query, which share what is left of its items evenly.

A connector notes how much its posts are discussed while it finds them, then reads their threads one after the
other, page by page. The position is the cursor's state, so that a query that was killed goes on at its page. What
the discussions leave goes to further posts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from schemas import Item
from sources.base import Cursor, Report
from sources.rounds import Rounds


@dataclass(frozen=True)
class Replies:
    """One answer about a thread."""

    items: Iterable[Item] = ()
    """Replies, best or first ones first; taken only as far as there is room."""
    token: str = ""
    """Where the next page starts; empty when there is none."""


Ask = Callable[[str, str, int], Replies]
"""Asks for about so many replies to a native id, from the start or from a token on."""


def note_talk(talk: dict[str, int], items: Iterable[Item], most: int) -> None:
    """Keep in `talk` the replies of the `most` most-discussed posts by native id."""
    for item in items:
        if item.kind == "post" and item.engagement.get("replies", 0):
            talk[item.native_id] = item.engagement["replies"]
    for native in most_discussed(talk, len(talk))[most:]:
        del talk[native]


def most_discussed(talk: Mapping[str, int], most: int) -> list[str]:
    """Native ids with most replies first; equal ones in no order of time, as ids would be."""
    return sorted(talk, key=lambda native: (-talk[native], by_chance(native)))[:most]


def by_chance(native: str) -> str:
    """A place for an id that says nothing of when it was given out, the same in every run."""
    return hashlib.sha256(native.encode()).hexdigest()


def begin(cursor: Cursor, todo: list[str], room: int) -> None:
    """Put down whose threads are read and how many replies may be given."""
    cursor.save({"todo": todo, "room": room, "token": "", "left": 0, "given": 0})


def begun(cursor: Cursor) -> bool:
    """Whether the search is over and its threads are being read."""
    return "todo" in cursor.load()


def replies_given(cursor: Cursor) -> int:
    """How many replies the discussions gave."""
    return int(cursor.load().get("given", 0))


def search_on(rounds: Rounds, most: int, *, cursor: Cursor) -> Iterator[Item]:
    """After the discussions: the search goes on with what they left of `most` items."""
    rounds.widen(most - replies_given(cursor))
    for items in rounds.pages():
        yield from items
    rounds.finish()


def discussions(ask: Ask, *, cursor: Cursor, report: Report) -> Iterator[Item]:
    """Yield the replies of each thread in turn, at most its share; what is left by one goes to those after it.

    The position is saved when the replies of a page were taken.
    """
    state = cursor.load()
    while state["todo"]:
        if state["room"] <= 0:
            report.capped = True
            report.note("some discussions were not fetched, because max_items was reached")
            return
        left = state["left"] if state["token"] else max(state["room"] // len(state["todo"]), 1)
        answer = ask(state["todo"][0], state["token"], left)
        given, longer = 0, bool(answer.token)
        for item in answer.items:
            if given >= left:
                longer = True
                break
            given += 1
            yield item
        left -= given
        if longer and left <= 0:
            report.capped = True
            report.note("some discussions are longer than their share of max_items")
        more = bool(answer.token) and answer.token != state["token"] and left > 0
        state = {
            "todo": state["todo"] if more else state["todo"][1:],
            "room": state["room"] - given,
            "token": answer.token if more else "",
            "left": left,
            "given": state.get("given", 0) + given,
        }
        cursor.save(state)
