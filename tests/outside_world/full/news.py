"""The four papers: pages with their copies and updates, feeds, addresses that give no article, and archived copies."""

from __future__ import annotations

import html
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from string import Template

from tests.outside_world.full.entries import Entry, moment, read_entries

HERE = Path(__file__).parent
SETTINGS = ("by", "copies", "drop", "swap", "add", "note", "archive", "stamp")
EVENING = "www.wuqianwanbao.example"
OBSERVER = "www.suqingguancha.example"
CHRONICLE = "www.wuqianchronicle.example"
GORGE = "gorgeandplain.example"
PAPERS: dict[str, tuple[str, str, str]] = {
    EVENING: ("梧阡晚报", "zh", "/rss/zhou.xml"),
    OBSERVER: ("溯青观察", "zh", "/atom/shenbian.xml"),
    CHRONICLE: ("The Wuqian Chronicle", "en", "/feeds/council.rss"),
    GORGE: ("Gorge & Plain", "en", "/feed.atom"),
}
"""Host -> name, language and path of its feed; those with `atom` in the path are Atom."""
FEEDS = tuple(f"http://{host}{feed}" for host, (_, _, feed) in PAPERS.items())


@dataclass(frozen=True)
class Page:
    """An article."""

    key: str
    host: str
    when: datetime
    title: str
    by: str
    paragraphs: tuple[str, ...]
    copies: str = ""
    """Key of the page whose words these mostly are."""
    archived: datetime | None = None
    """When the only copy that is left was made; the page itself is gone."""
    stamp: str = ""
    """What stands on the page in the place of its date."""

    @property
    def lang(self) -> str:
        """Language of its paper."""
        return PAPERS[self.host][1]

    @property
    def path(self) -> str:
        """Where it is on its host."""
        if self.host == OBSERVER:
            return f"/p/{self.when:%Y%m%d}/{self.key}.html"
        if self.host == EVENING:
            return f"/{self.when:%Y/%m/%d}/{self.key}.html"
        slug = re.sub(r"[^a-z0-9]+", "-", self.title.lower().replace("'", "")).strip("-")
        return f"/{self.when:%Y/%m/%d}/{slug}"

    @property
    def address(self) -> str:
        """Its whole address."""
        return f"http://{self.host}{self.path}"

    @property
    def words(self) -> str:
        """Headline and body."""
        return "\n".join((self.title, *self.paragraphs))


@dataclass(frozen=True)
class Trap:
    """An address that a feed lists and that gives no article."""

    address: str
    title: str
    when: datetime
    status: int
    html: str


@cache
def read_pages() -> Mapping[str, Page]:
    """All pages by key; copies are made of the page that they copy. ValueError when a change finds no place."""
    entries = {
        entry.fields[0]: (host, entry)
        for host in PAPERS
        for entry in read_entries(HERE / "pages" / f"{host}.md", SETTINGS)
    }
    written = {key: _page(host, entry) for key, (host, entry) in entries.items()}
    return {
        key: _copied(page, written[page.copies], entries[key][1]) if page.copies else page
        for key, page in written.items()
    }


def _page(host: str, entry: Entry) -> Page:
    key, when, title = entry.fields
    archived = entry.one("archive")
    return Page(
        key, host, moment(when), title, entry.one("by"), entry.paragraphs,
        copies=entry.one("copies"),
        archived=moment(archived) if archived else None,
        stamp=entry.one("stamp"),
    )  # fmt: skip


def _copied(page: Page, source: Page, entry: Entry) -> Page:
    paragraphs = list(source.paragraphs)
    for swap in entry.all("swap"):
        old, _, new = swap.partition(" -> ")
        if sum(old in text for text in paragraphs) != 1:
            raise ValueError(f"{page.key}: {old!r} does not stand once in {source.key}")
        paragraphs = [text.replace(old, new) for text in paragraphs]
    kept = paragraphs[: len(paragraphs) - int(entry.one("drop", "0"))]
    return replace(page, paragraphs=(*entry.all("note"), *kept, *entry.all("add")))


@cache
def read_traps() -> tuple[Trap, ...]:
    """Addresses that give no article."""
    kinds = tomllib.loads((HERE / "templates" / "traps.toml").read_text(encoding="utf-8"))
    rows = tomllib.loads((HERE / "pages" / "traps.toml").read_text(encoding="utf-8"))["trap"]
    return tuple(
        Trap(row["address"], row["title"], moment(row["when"]), **kinds[row["kind"]])
        for row in rows
    )


def page_html(page: Page) -> str:
    """A page as its paper lays it out, with links to the three before it."""
    earlier = sorted(
        (one for one in read_pages().values() if one.host == page.host and one.when < page.when),
        key=lambda one: one.when,
    )[-3:]
    template = (HERE / "templates" / f"{page.host}.html").read_text(encoding="utf-8")
    indent = "　　" if page.host == EVENING else ""
    written = {
        EVENING: f"{page.when:%Y-%m-%d %H:%M}",
        OBSERVER: f"{page.when.year}年{page.when.month}月{page.when.day}日 {page.when:%H:%M}",
    }.get(page.host, f"{page.when.day} {page.when:%B %Y, %H:%M}")
    declared = f'<meta property="article:published_time" content="{page.when.isoformat()}">'
    return Template(template).substitute(
        title=html.escape(page.title),
        by=html.escape(page.by),
        address=page.address,
        written=page.stamp or written,
        declared="" if page.stamp else declared,
        paragraphs="\n".join(f"<p>{indent}{html.escape(text)}</p>" for text in page.paragraphs),
        related="\n".join(
            f'<li><a href="{one.path}">{html.escape(one.title)}</a></li>'
            for one in reversed(earlier)
        ),
    )


def feed_xml(host: str) -> str:
    """The feed of a paper, newest first, with every page and trap of its host."""
    name, _, path = PAPERS[host]
    rows = [
        (page.when, page.title, page.address, page.paragraphs[0][:140])
        for page in read_pages().values()
        if page.host == host
    ]
    rows += [
        (trap.when, trap.title, trap.address, trap.title)
        for trap in read_traps()
        if trap.address.startswith(f"http://{host}/")
    ]
    rows.sort(reverse=True)
    make = _atom_entry if "atom" in path else _rss_item
    body = "\n".join(make(*row) for row in rows)
    title = html.escape(name)
    if "atom" in path:
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            f"<title>{title}</title><id>http://{host}/</id><updated>{_utc(rows[0][0])}</updated>\n{body}\n</feed>\n"
        )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{title}</title><link>http://{host}/</link><description>{title}</description>\n{body}\n</channel></rss>\n"
    )


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _atom_entry(at: datetime, title: str, address: str, summary: str) -> str:
    return (
        f'<entry><title>{html.escape(title)}</title><id>{address}</id><link rel="alternate" href="{address}"/>'
        f"<published>{_utc(at)}</published><updated>{_utc(at)}</updated>"
        f"<summary>{html.escape(summary)}</summary></entry>"
    )


def _rss_item(at: datetime, title: str, address: str, summary: str) -> str:
    return (
        f"<item><title>{html.escape(title)}</title><link>{address}</link><guid>{address}</guid>"
        f"<pubDate>{format_datetime(at)}</pubDate><description>{html.escape(summary)}</description></item>"
    )


class Archive:
    """The web archive: its index of captures and the bytes of each."""

    def __init__(self) -> None:
        self.pages = {
            page.address: page for page in read_pages().values() if page.archived is not None
        }

    def index(self, query: Mapping[str, str]) -> str:
        """Captures of one address as the index answers them; `[]` when there is none in the days asked for."""
        page = self.pages.get(query.get("url", ""))
        if page is None or page.archived is None:
            return "[]"
        stamp = f"{page.archived.astimezone(UTC):%Y%m%d%H%M%S}"
        if not query.get("from", "0") <= stamp or not stamp[:8] <= query.get("to", "9"):
            return "[]"
        names = ["timestamp", "original", "mimetype", "statuscode", "digest"]
        return json.dumps([names, [stamp, page.address, "text/html", "200", page.key.upper()]])

    def copy(self, path: str) -> str | None:
        """The HTML of a capture, by its path in the archive."""
        match = re.fullmatch(r"/web/(\d{14})id_/(.+)", path)
        page = self.pages.get(match[2]) if match else None
        return None if page is None else page_html(page)
