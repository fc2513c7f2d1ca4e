"""Pages that are gone: which copy is read, what its date is, and an archive that is left alone once it refuses."""

from __future__ import annotations

import contextlib
import json
import socket
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import Item
from sources.archive import read_captures
from sources.base import Cursor, Paused, Report
from sources.gdelt import Gdelt
from sources.http import Http, Response
from sources.rss import Rss
from sources.wayback import Wayback, split_query
from sources.web import Web, fetch_article, is_gone
from tests.sources.keyless import Doc, Platform, context, query, seen

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
PAGE = "http://paper.example/ferry/2026/stop"
ARCHIVE = "http://archive.example"


def page(dated: str, words: str = "The ferry between the islands stopped") -> bytes:
    said = (
        f"{words}, the operator said on the quay, and nobody could say for how long it would be. "
        * 5
    )
    stamp = f'<meta property="article:published_time" content="{dated}">' if dated else ""
    return (
        f"<html><head><title>Ferry stops</title>{stamp}</head><body><article><h1>Ferry stops</h1>"
        f"<p>{said}</p><p>{said}</p></article></body></html>"
    ).encode()


GONE = b"<html><head><title>404 Not Found</title></head><body>Page not found</body></html>"


@dataclass
class Machine(Platform):
    """Live pages and an archive: `copies` are (timestamp, address, body)."""

    live: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    copies: list[tuple[str, str, bytes]] = field(default_factory=list)
    index: list[tuple[int, bytes]] = field(default_factory=list)
    """Answers of the index that come before any real one."""
    raw: list[int] = field(default_factory=list)
    """Statuses of copies that come before any real one."""

    def get(self, url: str, *, headers: Any = None, robots: bool | None = None) -> Response:
        if url.startswith(ARCHIVE):
            assert robots is False
        found = super().get(url, headers=headers, robots=robots)
        if found.status == 0:
            return replace(found, outcome="error", note="ConnectError: paper.example is not known")
        return replace(found, outcome="error") if found.status >= 500 else found

    def answer(self, url: str) -> tuple[int, bytes]:
        if not url.startswith(ARCHIVE):
            return self.live.get(url, (404, GONE))
        path = url.removeprefix(ARCHIVE)
        if path.startswith("/web/"):
            if self.raw:
                return self.raw.pop(0), b""
            at, _, address = path.removeprefix("/web/").partition("id_/")
            return next(
                (200, body) for when, known, body in self.copies if (when, known) == (at, address)
            )
        assert path.startswith("/cdx/search/cdx?")
        if self.index:
            return self.index.pop(0)
        asked = parse_qs(urlsplit(url).query)
        assert asked["filter"] == ["statuscode:200", "mimetype:text/html"]
        assert asked["output"] == ["json"]
        wanted = asked["url"][0]
        rows = []
        for at, address, _ in sorted(self.copies):
            fits = address.startswith(wanted) if "matchType" in asked else address == wanted
            low, high = asked.get("from", ["0"])[0], asked.get("to", ["9"])[0] + "9"
            if fits and low <= at <= high:
                rows.append([at, address, "text/html", "200", "D"])
        limit = int(asked["limit"][0])
        rows = rows[:limit] if limit > 0 else rows[limit:]
        return 200, json.dumps(
            [["timestamp", "original", "mimetype", "statuscode", "digest"], *rows] if rows else []
        ).encode()


def fetch(
    machine: Machine, url: str = PAGE, listed: str = "", **settings: Any
) -> tuple[Item | None, Report]:
    made = context(machine, wayback_url=ARCHIVE, **({"wayback": "on"} | settings))
    report = Report()
    day = made.time(listed) if listed else None
    return fetch_article(
        url, made, report, source="rss", query="q", listed=day, listed_raw=listed
    ), report


@pytest.mark.parametrize("live", [(404, b""), (200, GONE), (0, b"")])
def test_a_page_that_is_gone_is_read_from_its_copy_and_the_item_says_so(
    live: tuple[int, bytes],
) -> None:
    machine = Machine(
        live={PAGE: live}, copies=[("20260311080000", PAGE, page("2026-03-10T20:15:00+08:00"))]
    )
    item, report = fetch(machine)
    assert item is not None
    assert item.published_at == datetime(2026, 3, 10, 12, 15, tzinfo=UTC), (
        "the page's date, not the copy's"
    )
    assert item.published_raw == "2026-03-10T20:15:00+08:00"
    assert (item.url, item.canonical_url) == (PAGE, PAGE)
    assert item.origin.archive == f"{ARCHIVE}/web/20260311080000id_/{PAGE}"
    assert item.fetched_at == datetime(2026, 6, 1, tzinfo=UTC)
    assert not report.refusals
    assert report.outcomes["ok"] == 2, "the index and the copy"
    assert sum(report.outcomes.values()) == 3
    assert any("archived copies" in note for note in report.notes)


def test_nothing_is_looked_up_unless_the_settings_say_so() -> None:
    machine = Machine(copies=[("20260311080000", PAGE, page("2026-03-10"))])
    item, report = fetch(machine, wayback="off")
    assert item is None
    assert machine.asked == [PAGE]
    assert [(row.reason, row.detail) for row in report.refusals] == [("soft404", "status 404")]


def test_a_wall_or_a_failing_server_is_not_taken_for_a_page_that_is_gone() -> None:
    for status in (403, 503):
        machine = Machine(
            live={PAGE: (status, b"")}, copies=[("20260311080000", PAGE, page("2026-03-10"))]
        )
        item, report = fetch(machine)
        assert item is None
        assert machine.asked == [PAGE]
        assert report.refusals[0].reason in ("blocked", "error")


def test_the_first_copy_after_publication_is_read() -> None:
    copies = [
        ("20240101000000", PAGE, page("2024-01-01", "Another article lived at this address once")),
        ("20260312000000", PAGE, page("2026-03-10")),
        ("20260501000000", PAGE, page("2026-03-10", "The page as it was edited much later")),
    ]
    item, _ = fetch(Machine(copies=copies), listed="2026-03-10T08:00:00+08:00")
    assert item is not None
    assert "20260312000000id_" in item.origin.archive
    assert "edited" not in item.text


def test_an_older_copy_is_read_when_there_is_none_after_publication() -> None:
    machine = Machine(copies=[("20260220000000", PAGE, page("2026-02-19"))])
    item, _ = fetch(machine, listed="2026-03-10")
    assert item is not None
    asked = machine.queries()
    assert [row.get("from") for row in asked[1:3]] == ["20260309", None]
    assert asked[2]["limit"] == "-1"


def test_a_copy_without_an_article_is_passed_over() -> None:
    wall = b"<html><title>Just a moment</title><body>Checking your browser</body></html>"
    copies = [("20260311000000", PAGE, wall), ("20260312000000", PAGE, page("2026-03-10"))]
    item, report = fetch(Machine(copies=copies))
    assert item is not None
    assert report.outcomes == {"soft404": 1, "ok": 2, "blocked": 1}


def test_relative_dates_count_back_from_the_copy() -> None:
    item, _ = fetch(Machine(copies=[("20260311080000", PAGE, page("3小时前"))]))
    assert item is not None
    assert item.published_at == datetime(2026, 3, 11, 5, tzinfo=UTC)
    assert item.tz_source == "relative"


def test_the_time_of_the_copy_never_becomes_the_publication() -> None:
    item, report = fetch(Machine(copies=[("20260311080000", PAGE, page(""))]))
    assert item is not None
    assert item.published_at is None
    later = Machine(copies=[("20260311080000", PAGE, page("2026-04-20T08:00:00Z"))])
    item, report = fetch(later)
    assert item is not None
    assert item.published_at is None, "a page cannot be older than its copy"
    assert any("no usable date" in note for note in report.notes)


def test_an_archive_that_refuses_is_left_alone_for_the_rest_of_the_run() -> None:
    machine = Machine(index=[(429, b"")], copies=[("20260311080000", PAGE, page("2026-03-10"))])
    made = context(machine, wayback_url=ARCHIVE, wayback="on")
    for url in (PAGE, PAGE + "/2"):
        with pytest.raises(Paused, match="the web archive allows no further request"):
            fetch_article(url, made, Report(), source="rss", query="q")
    assert sum(url.startswith(ARCHIVE) for url in machine.asked) == 1
    machine = Machine(index=[(429, b"")], copies=[("20260311080000", PAGE, page("2026-03-10"))])
    made = context(machine, wayback_url=ARCHIVE, wayback="on", on_limit="accept")
    report = Report()
    for url in (PAGE, PAGE + "/2", PAGE + "/3"):
        assert fetch_article(url, made, report, source="rss", query="q") is None
    assert sum(url.startswith(ARCHIVE) for url in machine.asked) == 1
    assert len(report.refusals) == 3
    assert any("left alone" in note for note in report.notes)


def test_an_index_that_fails_leaves_the_page_refused_with_the_reason() -> None:
    for answer in (
        (504, b""),
        (200, b"<html>busy</html>"),
        (200, b'{"error": 1}'),
        (200, b'[["x"]]'),
    ):
        item, report = fetch(Machine(index=[answer]))
        assert item is None
        assert report.refusals[0].reason == "soft404"
        assert any("index" in note for note in report.notes)


def test_feeds_gdelt_and_pages_recover_what_is_gone() -> None:
    feed = "http://paper.example/feed"
    rss = f"<rss><channel><title>Paper</title><item><title>Ferry</title><link>{PAGE}</link></item></channel></rss>"
    copies = [("20260311080000", PAGE, page("2026-03-10"))]
    machine = Machine(live={feed: (200, rss.encode())}, copies=copies)
    made = context(machine, wayback_url=ARCHIVE, wayback="on")
    [item] = Rss(made).search(query(Rss, feed), SINCE, UNTIL)
    assert (item.origin.source, bool(item.origin.archive)) == ("rss", True)
    made = context(Machine(copies=copies), wayback_url=ARCHIVE, wayback="on")
    [item] = Web(made).search(query(Web, PAGE), SINCE, UNTIL)
    assert item.origin.archive

    class Both(Doc):
        def answer(self, url: str) -> tuple[int, bytes]:
            if url.startswith(ARCHIVE):
                return Machine(copies=[("20260313080000", row["url"], page("2026-03-12"))]).answer(
                    url
                )
            return super().answer(url)

    row = seen(1, datetime(2026, 3, 12, tzinfo=UTC))
    made = context(
        Both(articles=[row]), wayback_url=ARCHIVE, wayback="on", gdelt_url="http://gdelt.example"
    )
    [item] = Gdelt(made).search(query(Gdelt), SINCE, UNTIL)
    assert item.origin.archive.startswith(ARCHIVE)
    assert item.published_raw == "2026-03-12"


# -- the connector --------------------------------------------------------------------------------


def search(
    machine: Machine, words: str, *, most: int = 200, cursor: Cursor | None = None, **settings: Any
) -> tuple[list[Item], Wayback]:
    source = Wayback(context(machine, wayback_url=ARCHIVE, cursor=cursor, **settings))
    return list(source.search(query(Wayback, words, max_items=most), SINCE, UNTIL)), source


def collection(count: int) -> Machine:
    return Machine(
        copies=[
            (
                f"202603{n + 1:02d}080000",
                f"http://paper.example/news/ferry-{n}",
                page(f"2026-03-{n + 1:02d}"),
            )
            for n in range(count)
        ]
        + [("20260305080000", "http://paper.example/news/budget", page("2026-03-05"))]
    )


def test_the_archive_is_asked_at_the_pace_that_it_bears() -> None:
    machine = collection(1)
    search(machine, "http://paper.example/news/ferry-0")
    assert machine.paced == {ARCHIVE: 2.5}


def test_an_address_gives_its_page() -> None:
    machine = collection(2)
    [item], source = search(machine, "http://paper.example/news/ferry-1")
    assert item.url == "http://paper.example/news/ferry-1"
    assert source.report.outcomes == {"ok": 2}
    none, source = search(machine, "http://paper.example/news/nothing")
    assert not none
    assert source.report.refusals[0].reason == "no archived copy with an article"


def test_a_prefix_gives_each_page_once_and_words_choose_by_address() -> None:
    machine = collection(4)
    machine.copies.append(
        ("20260320080000", "http://paper.example/news/ferry-0", page("2026-03-01"))
    )
    items, _ = search(machine, "http://paper.example/news/* Ferry")
    assert sorted(item.url[-7:] for item in items) == ["ferry-0", "ferry-1", "ferry-2", "ferry-3"]
    asked = machine.queries()[0]
    assert (asked["matchType"], asked["collapse"], asked["from"], asked["to"]) == (
        "prefix", "urlkey", "20260301", "20260501",
    )  # fmt: skip


def test_pages_that_the_limit_leaves_out_are_said() -> None:
    items, source = search(collection(6), "http://paper.example/news/*", wayback_pages=3)
    assert len(items) == 3
    assert source.report.capped
    assert [row.reason for row in source.report.refusals] == ["listed, not fetched"] * 4


@pytest.mark.parametrize(("most", "pages"), [(200, 5), (5, 100)])
def test_the_pages_of_a_prefix_that_are_read_cover_its_days(most: int, pages: int) -> None:
    machine = Machine(
        copies=[
            (
                f"202603{n // 4 + 1:02d}{n % 4 + 8:02d}0000",
                f"http://paper.example/news/ferry-{n}",
                page("2026-03-01"),
            )
            for n in range(40)
        ]
    )
    items, source = search(machine, "http://paper.example/news/*", most=most, wayback_pages=pages)
    days = sorted(int(item.url.rpartition("-")[2]) // 4 for item in items)
    assert len(set(days)) == 5
    assert days[-1] - days[0] >= 7
    assert any("35 of the pages listed" in note for note in source.report.notes)


def test_a_prefix_that_times_out_with_days_is_asked_without_them() -> None:
    machine = collection(2)
    machine.copies.append(("20250101080000", "http://paper.example/news/old", page("2025-01-01")))
    machine.index.append((504, b""))
    items, source = search(machine, "http://paper.example/news/*")
    assert {item.url.rpartition("/")[2] for item in items} == {"ferry-0", "ferry-1", "budget"}
    assert ["from" in row for row in machine.queries()[:2]] == [True, False]
    assert source.report.outcomes["error"] == 1


def test_a_killed_query_goes_on_at_its_cursor() -> None:
    machine, cursor = collection(5), Cursor()
    source = Wayback(context(machine, wayback_url=ARCHIVE, cursor=cursor))
    walk = source.search(query(Wayback, "http://paper.example/news/* ferry"), SINCE, UNTIL)
    first = [next(walk), next(walk)]
    walk.close()
    rest, _ = search(machine, "http://paper.example/news/* ferry", cursor=cursor)
    assert len({item.url for item in [*first, *rest]}) == 5
    assert sum("/cdx/" in url for url in machine.asked) == 1


def test_what_is_no_address_is_told_before_anything_is_fetched() -> None:
    assert Wayback.unfit("ferry", {})
    assert not Wayback.unfit("https://paper.example/news/* ferry", {})
    assert split_query("https://a.example/x* One two") == (
        "https://a.example/x",
        True,
        ("one", "two"),
    )


@given(st.binary(max_size=200))
def test_no_index_answer_crashes_anything_but_a_value_error(body: bytes) -> None:
    with contextlib.suppress(ValueError):
        read_captures(body)
    item, _ = fetch(Machine(index=[(200, body)]))
    assert item is None


@given(st.lists(st.tuples(st.text(max_size=16), st.text(max_size=20)), max_size=5))
def test_rows_of_the_index_never_crash(rows: list[tuple[str, str]]) -> None:
    body = json.dumps([["timestamp", "original"], *map(list, rows)]).encode()
    assert len(read_captures(body)) <= len(rows)


@pytest.mark.parametrize("name", ["sina", "people", "thepaper"])
def test_a_real_page_reads_the_same_from_its_copy(testdata: Path, name: str) -> None:
    path = sorted((testdata / "data/payloads/news_zh_gne" / name).glob("*.html"))[0]
    url = "https://news.example/article"
    machine = Machine(live={url: (200, path.read_bytes())})
    itself, _ = fetch(machine, url)
    machine = Machine(copies=[("20260501000000", url, path.read_bytes())])
    copy, _ = fetch(machine, url)
    assert itself is not None
    assert copy is not None
    kept = {"title", "text", "published_at", "published_raw", "precision", "item_id", "lang"}
    assert copy.model_dump(include=kept) == itself.model_dump(include=kept)


def test_a_host_without_an_address_is_gone_and_a_private_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the real client, whose words for the failure are what is recognised."""

    def unknown(*_: object, **__: object) -> object:
        raise socket.gaierror(-2, "Name or service not known")

    http = Http(user_agent="t", respect_robots=False, per_host_seconds=0.0, sleep=lambda _: None)
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert is_gone(http.get("http://closed.example/a"))
    assert not is_gone(http.get("http://127.0.0.1/a"))
    http.close()
