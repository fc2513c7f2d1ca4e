"""Entries of a feed: each is told from the others or said to be repeated, and none is sent to a page that it has not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.feeds import Feed, read_feed
from sources.rss import Rss
from sources.site import Site
from tests.sources.keyless import Platform, context, query
from tests.sources.reading import read

FEED, HOME = "https://site.example/feed", "https://site.example/"
WORDS = "The council said on Monday that the ferry stays where it is, and nobody asked why. " * 8


def rss(*items: dict[str, str]) -> bytes:
    parts = "".join(
        "<item>" + "".join(f"<{tag}>{escape(value)}</{tag}>" for tag, value in item.items()) + "</item>"
        for item in items
    )  # fmt: skip
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Paper</title><link>{HOME}</link>{parts}</channel></rss>'.encode()


def feed(*items: dict[str, str], url: str = FEED) -> Feed:
    return read_feed(rss(*items), url=url)


def items_of(tmp_path: Path, *items: dict[str, str]) -> list[tuple[str, str, str]]:
    path = tmp_path / "f.xml"
    path.write_bytes(rss(*items))
    found, _ = read(path, "feed")
    assert len({item.item_id for item in found}) == len({item.native_id for item in found})
    return [(item.native_id, item.url, item.text) for item in found]


NUMBERS = (1, 2, 3)
CASES = {
    "one guid": [{"title": f"T{n}", "link": f"{HOME}{n}", "guid": HOME} for n in NUMBERS],
    "guid 0": [{"title": f"T{n}", "link": f"{HOME}{n}", "guid": "0"} for n in NUMBERS],
    "guid 0, no links": [{"title": f"T{n}", "guid": "0"} for n in NUMBERS],
    "places on a page": [{"title": f"T{n}", "link": f"{HOME}live#p{n}"} for n in NUMBERS],
    "places on the home page": [{"title": f"T{n}", "link": f"{HOME}#p{n}"} for n in NUMBERS],
    "routes": [{"title": f"T{n}", "link": f"{HOME}#/news/{n}"} for n in NUMBERS],
    "bytes": [{"title": f"T{n}", "link": f"{HOME}f?kw=%B1%B{n}"} for n in NUMBERS],
    "a ticker": [{"title": f"T{n}", "description": f"at {n}", "link": f"{HOME}live"} for n in NUMBERS],
    "a ticker with guids": [{"title": f"T{n}", "link": f"{HOME}live", "guid": f"g{n}"} for n in NUMBERS],
    "links home": [{"title": f"T{n}", "link": HOME} for n in NUMBERS],
    "no links": [{"title": f"T{n}"} for n in NUMBERS],
    "days": [{"title": "T", "pubDate": f"2026-03-0{n}"} for n in NUMBERS],
}  # fmt: skip


@pytest.mark.parametrize("items", CASES.values(), ids=CASES)
def test_different_entries_are_different_items(tmp_path: Path, items: list[dict[str, str]]) -> None:
    found = feed(*items)
    assert len({entry.native_id for entry in found.entries}) == 3
    assert not found.repeated
    assert len({native for native, _, _ in items_of(tmp_path, *items)}) == 3


@pytest.mark.parametrize(
    ("items", "native"),
    [
        ([{"title": "T", "link": f"{HOME}a?utm_source={n}"} for n in NUMBERS], f"{HOME}a"),
        ([{"title": "T", "link": f"{HOME}a", "guid": "g"} for _ in NUMBERS], "g"),
        ([{"title": f"T{n}", "link": f"{HOME}a", "guid": "g"} for n in NUMBERS], f"{HOME}a"),
        ([{"title": "T", "link": f"{HOME}a?utm_source={n}", "guid": "g"} for n in NUMBERS], "g"),
    ],
)
def test_what_is_said_again_is_kept_once_and_listed(
    tmp_path: Path, items: list[dict[str, str]], native: str
) -> None:
    found = feed(*items)
    assert [entry.native_id for entry in found.entries] == [native]
    assert len(found.repeated) == 2
    path = tmp_path / "f.xml"
    path.write_bytes(rss(*items))
    kept, refusals = read(path, "feed")
    assert len(kept) == 1
    assert [row.reason for row in refusals] == ["repeated in its feed"] * 2


@pytest.mark.parametrize(
    ("item", "link"),
    [
        ({"title": "T"}, ""),
        ({"title": "T", "guid": "12"}, ""),
        ({"title": "T", "guid": "tag:site.example,2026:1"}, ""),
        ({"title": "T", "link": ""}, ""),
        ({"title": "T", "link": FEED}, ""),
        ({"title": "T", "link": HOME}, ""),
        ({"title": "T", "link": "javascript:alert(1)"}, ""),
        ({"title": "T", "link": "mailto:a@site.example"}, ""),
        ({"title": "T", "guid": f"{HOME}12"}, f"{HOME}12"),
        ({"title": "T", "guid": "/12"}, f"{HOME}12"),
        ({"title": "T", "link": "12.html", "guid": "12"}, f"{HOME}12.html"),
        ({"title": "T", "link": f"{HOME}#p1"}, f"{HOME}#p1"),
    ],
)
def test_an_entry_has_the_page_that_it_names_or_none(item: dict[str, str], link: str) -> None:
    (entry,) = feed(item).entries
    assert entry.link == link
    (entry,) = feed(item, url="").entries
    assert entry.link in (link, FEED)  # a saved feed does not say where it was


def test_an_entry_without_a_page_is_an_item_with_its_words(tmp_path: Path) -> None:
    found = items_of(
        tmp_path, {"title": "A", "description": "what A said"}, {"guid": "12", "description": "b"}
    )
    assert [(url, text) for _, url, text in found] == [("", "what A said"), ("", "b")]
    assert found[1][0] == "Paper: 12"


class Feeds(Platform):
    """Feeds whose entries hold their own words."""

    def answer(self, url: str) -> tuple[int, bytes]:
        rows = [
            {"guid": f"tag:{url}:{n}", "title": f"T{n}", "description": "words", "pubDate": f"2026-03-{30 - n // 8:02d}"}
            for n in range(200)
        ]  # fmt: skip
        return 200, rss(*rows)


@pytest.mark.parametrize("feeds", [(FEED,), (f"{FEED}/a", f"{FEED}/b", f"{FEED}/c")])
def test_a_feed_that_is_longer_than_the_query_may_be_is_read_on_all_its_days(
    feeds: tuple[str, ...],
) -> None:
    """Feeds are newest first, so that whoever stops at the limit has the last days of the first feed."""
    words = FEED if len(feeds) == 1 else "words"
    source = Rss(context(Feeds(), zone="UTC", feeds=feeds))
    items = list(
        source.search(query(Rss, words, max_items=50), date(2026, 3, 1), date(2026, 3, 31))
    )
    assert len(items) == 50
    assert set(Counter(item.published_at for item in items).values()) == {2}
    assert source.report.capped
    assert source.report.notes == [
        f"{len(feeds) * 200 - 50} of {len(feeds) * 200} entries were not read, the days evenly; raise max_items for more"
    ]


def test_an_entry_without_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.xml"
    path.write_bytes(rss({"title": "A"}, {"guid": "12"}, {"pubDate": "2026-03-05"}))
    kept, refusals = read(path, "feed")
    assert [item.text for item in kept] == ["A"]
    assert [row.reason for row in refusals] == ["an entry without words"] * 2
    assert refusals[1].item.endswith("entry 3")


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "guid": st.sampled_from(["0", "1", HOME, f"{HOME}a"]),
                "link": st.sampled_from(["", HOME, f"{HOME}a", f"{HOME}a#p", "b", "x:y"]),
                "title": st.sampled_from(["", "A", "B"]),
                "description": st.sampled_from(["", "c", "d"]),
                "pubDate": st.sampled_from(["2026-03-05", "2026-03-06"]),
            },
        ),
        max_size=8,
    )
)
def test_every_entry_is_kept_or_listed(items: list[dict[str, str]]) -> None:
    found = feed(*items)
    assert len(found.entries) + len(found.repeated) == len(items)
    ids = [entry.native_id for entry in found.entries]
    assert len(set(ids)) == len(ids)
    assert {entry.native_id for entry in found.repeated} <= set(ids)
    assert all(entry.native_id for entry in found.entries)


# -- live ----------------------------------------------------------------------------------------


@dataclass
class Paper(Platform):
    """A site with one feed; every other address is an article."""

    items: tuple[dict[str, str], ...] = ()

    def answer(self, url: str) -> tuple[int, bytes]:
        if url == FEED:
            return 200, rss(*self.items)
        if url == HOME:
            link = f'<link rel="alternate" type="application/rss+xml" href="{FEED}">'
            return 200, f"<html><head>{link}</head><body>Paper</body></html>".encode()
        if "sitemap" in url or "robots" in url:
            return 404, b""
        page = f"<html><head><title>T</title></head><body><article><p>{WORDS}</p></article></body></html>"
        return 200, page.encode()


def live(*items: dict[str, str], words: str = FEED) -> tuple[Paper, Rss, list[str]]:
    paper = Paper(items=items)
    source = Rss(context(paper, feeds=[FEED]))
    found = source.search(query(Rss, words), date(2026, 1, 1), date(2026, 12, 31))
    return paper, source, [item.text for item in found]


def test_nothing_but_pages_of_entries_is_fetched() -> None:
    paper, source, texts = live(
        {"title": "A", "description": "what A said"}, {"title": "B", "guid": "12"}, {"title": "C", "link": HOME},
        {"title": "D", "link": f"{HOME}d"}, {"pubDate": "2026-03-05"},
    )  # fmt: skip
    assert paper.asked == [FEED, f"{HOME}d"]
    assert texts[:3] == ["what A said", "B", "C"]
    assert [row.reason for row in source.report.refusals] == ["an entry without words"]


def test_the_posts_of_a_ticker_are_items_with_their_own_words() -> None:
    ticker = [{"title": f"T{n}", "description": f"at {n}", "link": f"{HOME}live#p{n}"} for n in NUMBERS]  # fmt: skip
    paper, source, texts = live(*ticker)
    assert paper.asked == [FEED]
    assert texts == ["at 1", "at 2", "at 3"]
    assert not source.report.refusals


@pytest.mark.parametrize(("words", "count"), [(FEED, 1), ("ferry", 1), ("other", 0)])
def test_what_a_feed_repeats_is_reported_where_it_was_asked_for(words: str, count: int) -> None:
    again = {"title": "Ferry", "link": f"{HOME}a", "guid": "g"}
    _, source, texts = live(again, again, words=words)
    assert len(texts) == count
    assert [row.reason for row in source.report.refusals] == ["repeated in its feed"] * count


def test_a_site_says_which_entries_of_its_feed_have_no_page() -> None:
    source = Site(context(Paper(items=({"title": "A"}, {"title": "B", "link": f"{HOME}b"}))))
    asked = query(Site, "site.example")
    found = list(source.search(asked, date(2026, 1, 1), date(2026, 12, 31)))
    assert [item.url for item in found] == [f"{HOME}b"]
    assert "an entry without a page" in [row.reason for row in source.report.refusals]
