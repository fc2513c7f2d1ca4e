"""Articles that a site lists: where they are looked for, which are of the window, and how far the search goes."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import Item
from sources.base import Cursor
from sources.discovery import feed_links
from sources.http import Response
from sources.site import Site, split_query
from sources.sitemaps import day_in_path, may_hold, read_sitemap, sitemaps_of_robots
from sources.text import decode
from tests.sources.keyless import Platform, context, query

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
HOME = "https://paper.example"
NEWS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'


def index(*rows: tuple[str, str]) -> bytes:
    parts = "".join(
        f"<sitemap><loc>{url}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</sitemap>"
        for url, day in rows
    )
    return f'<?xml version="1.0" encoding="UTF-8"?><sitemapindex {NEWS}>{parts}</sitemapindex>'.encode()


def pages(*rows: dict[str, str]) -> bytes:
    parts = ""
    for row in rows:
        news = ""
        if "published" in row:
            news = (
                f"<news:news><news:publication><news:name>Paper</news:name></news:publication><news:publication_date>"
                f"{row['published']}</news:publication_date><news:title>{row.get('title', '')}</news:title></news:news>"
            )
        changed = f"<lastmod>{row['changed']}</lastmod>" if "changed" in row else ""
        parts += f"<url><loc>{row['url']}</loc>{changed}{news}</url>"
    return f"<urlset {NEWS}>{parts}</urlset>".encode()


def article(words: str, dated: str = "") -> bytes:
    said = (
        f"{words} was the matter of the evening, said those who had waited on the quay since noon. "
        * 5
    )
    stamp = f'<meta property="article:published_time" content="{dated}">' if dated else ""
    return (
        f"<html><head><title>{words}</title>{stamp}</head><body><article><p>{said}</p></article></body></html>"
    ).encode()


@dataclass
class Host(Platform):
    """A site whose addresses are those of `files`."""

    files: dict[str, bytes] = field(default_factory=dict)

    def answer(self, url: str) -> tuple[int, bytes]:
        found = self.files.get(url)
        return (404, b"") if found is None else (200, found)

    def get(self, url: str, *, headers: Any = None, robots: bool | None = None) -> Response:
        assert (robots is False) == url.endswith("/robots.txt"), "robots.txt is asked of all else"
        return replace(super().get(url, headers=headers, robots=robots))


def search(
    host: Host,
    words: str = f"{HOME} ferry",
    *,
    most: int = 200,
    cursor: Cursor | None = None,
    **settings: Any,
) -> tuple[list[Item], Site]:
    source = Site(context(host, cursor=cursor, **settings))
    return list(source.search(query(Site, words, max_items=most), SINCE, UNTIL)), source


def newspaper() -> Host:
    """A paper with an index of months, a news sitemap and a feed."""
    return Host(
        files={
            f"{HOME}/robots.txt": f"User-agent: *\nSitemap: {HOME}/sitemap-index.xml\nsitemap:{HOME}/news.xml.gz\n".encode(),
            HOME: b'<html><head><link rel="alternate" type="application/rss+xml" href="/feed.rss"></head></html>',
            f"{HOME}/sitemap-index.xml": index(
                (f"{HOME}/sitemap-2026-02.xml", "2026-03-02"),
                (f"{HOME}/sitemap-2026-03.xml", "2026-04-01"),
                (f"{HOME}/pages.xml", "2026-02-20"),
            ),
            f"{HOME}/sitemap-2026-03.xml": pages(
                {"url": f"{HOME}/2026/03/04/ferry-stops-running", "changed": "2026-05-01"},
                {"url": f"{HOME}/2026/03/05/budget-vote-is-near", "changed": "2026-03-05"},
                {"url": f"{HOME}/2026/04/20/ferry-is-back-again"},
                {"url": "https://elsewhere.example/2026/03/06/ferry-advert"},
            ),
            f"{HOME}/news.xml.gz": gzip.compress(
                pages(
                    {"url": f"{HOME}/n/17", "published": "2026-03-20T09:00:00+08:00", "title": "Ferry talks open"},
                    {"url": f"{HOME}/n/18", "published": "2026-04-02T09:00:00+08:00", "title": "Ferry talks end"},
                )
            ),
            f"{HOME}/feed.rss": (
                "<rss><channel><title>Paper</title>"
                f"<item><title>Ferry in court</title><link>{HOME}/n/19</link><pubDate>Wed, 25 Mar 2026 08:00:00 +0800</pubDate></item>"
                f"<item><title>Ferry old</title><link>{HOME}/n/1</link><pubDate>Wed, 25 Feb 2026 08:00:00 +0800</pubDate></item>"
                "</channel></rss>"
            ).encode(),
            f"{HOME}/2026/03/04/ferry-stops-running": article("The ferry stop", "2026-03-04T10:00:00+08:00"),
            f"{HOME}/n/17": article("The ferry talk"),
            f"{HOME}/n/19": article("The ferry trial"),
        }
    )  # fmt: skip


def test_sitemaps_and_feeds_give_the_articles_of_the_window() -> None:
    host = newspaper()
    items, source = search(host)
    assert {item.url.removeprefix(HOME) for item in items} == {
        "/2026/03/04/ferry-stops-running", "/n/17", "/n/19",
    }  # fmt: skip
    assert {item.origin.source for item in items} == {"site"}
    assert {item.licence for item in items} == {"publisher"}
    assert not source.report.refusals
    assert sum(source.report.outcomes.values()) == len(host.asked)


def test_dates_of_listing_are_used_and_changes_are_not_publications() -> None:
    items, _ = search(newspaper())
    dates = {item.url.removeprefix(HOME): item.published_raw for item in items}
    assert dates["/n/17"] == "2026-03-20T09:00:00+08:00", "the news sitemap's date"
    assert dates["/2026/03/04/ferry-stops-running"] == "2026-03-04T10:00:00+08:00", (
        "not its lastmod"
    )


def test_parts_that_cannot_hold_the_window_are_never_fetched() -> None:
    host = newspaper()
    search(host)
    assert f"{HOME}/sitemap-2026-02.xml" not in host.asked
    assert f"{HOME}/pages.xml" not in host.asked, "last changed before the window"
    assert f"{HOME}/2026/03/05/budget-vote-is-near" not in host.asked, (
        "its address has no search word"
    )
    assert not any("elsewhere" in url for url in host.asked), "a sitemap speaks for its own site"


def test_articles_without_the_words_in_their_text_are_refused() -> None:
    host = newspaper()
    host.files[f"{HOME}/n/17"] = article("The harbour fire")
    items, source = search(host, f"{HOME} ferry")
    assert [(row.item, row.reason) for row in source.report.refusals] == [
        (f"{HOME}/n/17", "without the search words")
    ]
    assert len(items) == 2
    both, source = search(newspaper(), f'{HOME} ferry "was the matter"')
    assert len(both) == 3
    none, source = search(newspaper(), f"{HOME} ferry volcano")
    assert not none
    assert {row.reason for row in source.report.refusals} == {"without the search words"}


def test_usual_paths_are_tried_only_where_a_site_names_nothing() -> None:
    host = Host(
        files={
            HOME: b"<html><head></head></html>",
            f"{HOME}/sitemap.xml": pages({"url": f"{HOME}/2026/03/04/ferry-stops-running"}),
            f"{HOME}/2026/03/04/ferry-stops-running": article("The ferry stop"),
        }
    )
    items, source = search(host)
    assert len(items) == 1
    assert host.asked[:3] == [f"{HOME}/robots.txt", HOME, f"{HOME}/sitemap.xml"]
    assert f"{HOME}/rss" in host.asked
    assert not source.report.refusals, "a guess that misses is counted, not refused"
    named = newspaper()
    search(named)
    assert f"{HOME}/sitemap.xml" not in named.asked
    assert f"{HOME}/rss" not in named.asked


def test_a_site_that_lists_nothing_says_so() -> None:
    items, source = search(Host())
    assert not items
    assert "lists no article" in source.report.notes[0]


def test_the_number_of_sitemaps_and_pages_is_bounded_and_said() -> None:
    rows = [(f"{HOME}/part-{n}.xml", "2026-04-01") for n in range(50)]
    host = Host(
        files={
            f"{HOME}/robots.txt": f"Sitemap: {HOME}/all.xml".encode(),
            f"{HOME}/all.xml": index(*rows),
        }
    )
    for n, (url, _) in enumerate(rows):
        host.files[url] = pages({"url": f"{HOME}/2026/03/{n % 28 + 1:02d}/the-ferry-story-{n}"})
        host.files[f"{HOME}/2026/03/{n % 28 + 1:02d}/the-ferry-story-{n}"] = article(
            f"The ferry {n}"
        )
    items, source = search(host, site_sitemaps=11, site_articles=6)
    assert len(items) == 6
    assert source.report.capped
    assert any("40 sitemaps" in note for note in source.report.notes)
    assert any("4 of the articles listed" in note for note in source.report.notes)


def test_where_not_all_sitemaps_are_read_their_days_are_covered() -> None:
    days = [f"2026-03-{n + 1:02d}" for n in range(28)]
    host = Host(
        files={
            f"{HOME}/robots.txt": f"Sitemap: {HOME}/all.xml".encode(),
            f"{HOME}/all.xml": index(*((f"{HOME}/map-{day}.xml", "2026-04-01") for day in days)),
        }
    )
    for day in days:
        url = f"{HOME}/{day.replace('-', '/')}/the-ferry-story"
        host.files[f"{HOME}/map-{day}.xml"] = pages({"url": url})
        host.files[url] = article("The ferry")
    items, source = search(host, site_sitemaps=8)
    read = sorted(int(item.url.split("/")[5]) for item in items)
    assert len(read) == 7
    assert read[-1] - read[0] >= 20
    assert any("sitemaps" in note and "not read" in note for note in source.report.notes)


def test_an_index_that_names_itself_or_nests_without_end_ends() -> None:
    host = Host(files={f"{HOME}/robots.txt": f"Sitemap: {HOME}/0.xml".encode()})
    for n in range(40):
        host.files[f"{HOME}/{n}.xml"] = index((f"{HOME}/{n}.xml", ""), (f"{HOME}/{n + 1}.xml", ""))
    search(host)
    assert sum(url.endswith(".xml") for url in host.asked) <= 12


def test_a_killed_query_goes_on_without_listing_again() -> None:
    host, cursor = newspaper(), Cursor()
    walk = Site(context(host, cursor=cursor)).search(query(Site, f"{HOME} ferry"), SINCE, UNTIL)
    first = next(walk)
    walk.close()
    rest, _ = search(host, cursor=cursor)
    assert len({item.url for item in [first, *rest]}) == 3
    assert host.asked.count(f"{HOME}/robots.txt") == 1


@pytest.mark.parametrize(
    ("words", "home", "found"),
    [
        ("paper.example ferry", "https://paper.example", ("ferry",)),
        ('http://paper.example/ "New Ferry" 渡轮', "http://paper.example/", ("new ferry", "渡轮")),
        ("ferry strike", "", ("strike",)),
        ("3.5 magnitude", "", ("magnitude",)),
    ],
)
def test_a_query_is_an_address_and_words(words: str, home: str, found: tuple[str, ...]) -> None:
    assert split_query(words) == (home, found)
    assert bool(Site.unfit(words, {})) == (not home)


# -- parts ----------------------------------------------------------------------------------------


def test_feed_links_of_a_page() -> None:
    html = """<link rel='alternate' type='application/rss+xml' href='/a.rss'><LINK HREF=b.atom TYPE=application/atom+xml
    REL="alternate home"><link rel="stylesheet" href="x.css"><link rel=alternate hreflang=zh href=/zh>
    <link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">"""
    assert feed_links(html, "https://p.example/x/") == (
        "https://p.example/a.rss",
        "https://p.example/x/b.atom",
    )


def test_sitemap_lines_of_robots() -> None:
    text = "User-agent: *\nSITEMAP : https://p.example/a.xml\n# Sitemap: no\nSitemap: /b.xml\nSitemap: ftp://x/\n"
    assert sitemaps_of_robots(text, "https://p.example/robots.txt") == (
        "https://p.example/a.xml",
        "https://p.example/b.xml",
    )


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("https://p.example/sitemap-2026-03.xml", True), ("https://p.example/sitemap-2026-04.xml", False),
        ("https://p.example/sitemap_202603.xml", True), ("https://p.example/sitemap.xml?yyyy=2026&mm=03", True),
        ("https://p.example/2025.xml", False), ("https://p.example/2026.xml.gz", True),
        ("https://p.example/sitemap-12.xml", True), ("https://p.example/20260315.xml", True),
        ("https://p.example/20260415.xml", False),
    ],
)  # fmt: skip
def test_sitemaps_named_by_date(url: str, holds: bool) -> None:
    assert may_hold(url, SINCE, UNTIL) is holds


def test_days_in_addresses() -> None:
    assert day_in_path("https://p.example/2026/03/05/x") == date(2026, 3, 5)
    assert day_in_path("https://p.example/a/20260305/t123.html") == date(2026, 3, 5)
    assert day_in_path("https://p.example/2026/03/x") is None
    assert day_in_path("https://p.example/2026-02-30/x") is None


def test_gzip_bombs_and_entities_are_refused() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 80_000_000)
    assert read_sitemap(bomb, url=HOME).kind == "none"
    laughs = (
        b'<!DOCTYPE urlset [<!ENTITY a "https://p.example/"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b"<urlset><url><loc>&x;</loc></url><url><loc>https://p.example/&b;</loc></url></urlset>"
    )
    assert not any("root" in row.url for row in read_sitemap(laughs, url=HOME).rows)


def test_plain_lists_and_pages_that_are_no_sitemap() -> None:
    assert [row.url for row in read_sitemap(b"https://p.example/a\n\nnoise\n", url=HOME).rows] == [
        "https://p.example/a"
    ]
    for body in (b"", b"<html><body>x</body></html>", b"\x1f\x8bbroken", b"noise"):
        assert read_sitemap(body, url=HOME).kind == "none"


@given(st.integers(0, 400), st.binary(max_size=6))
def test_damaged_sitemaps_never_crash(place: int, junk: bytes) -> None:
    whole = pages({"url": f"{HOME}/n/17", "published": "2026-03-20", "title": "Ferry"})
    for row in read_sitemap(whole[:place] + junk + whole[place:], url=HOME).rows:
        assert row.url.startswith("http")


def test_a_real_front_page_names_its_feed(testdata: Path) -> None:
    body = (testdata / "data/payloads/news_zh_gne/sina/sina.html").read_bytes()
    assert feed_links(decode(body, "").text, "https://news.sina.com.cn/") == (
        "https://rss.sina.com.cn/news/marquee/ddt.xml",
    )
