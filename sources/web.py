"""Web pages: an address becomes an article, or an outcome that says why not.

With `collect.wayback = "on"` a page that is gone (404, 410, a page that says so, a redirect to a front page, a host
that no longer exists) is read from its archived copy instead. An article is what its last address says it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from urllib.parse import urlsplit

from schemas import Item, Origin, Outcome, SourceQuery
from sources.archive import Archive, Capture
from sources.articles import Article, read_article
from sources.base import Connector, Report, SourceContext
from sources.http import Response
from sources.language import language
from sources.redirects import leads_away
from sources.scrub import clean_address
from sources.times import Moment, day_of
from sources.urls import canonical, is_web_address, site, without_tokens

_FETCHED = "some pages were found by an earlier query already"


def article_item(
    article: Article,
    context: SourceContext,
    *,
    url: str,
    origin: Origin,
    platform: str = "web",
    listed: Moment | None = None,
    listed_raw: str = "",
    title: str = "",
) -> Item:
    """An article as an item. `listed` is the date that a feed gave; the surer of both dates is kept."""
    moment, raw = article.moment, article.moment_raw
    if listed is not None and listed.at is not None and listed.confidence > moment.confidence:
        moment, raw = listed, listed_raw
    address = canonical(url)
    return Item(
        item_id=context.ids.item(platform, address),
        platform=platform,
        kind="article",
        native_id=address,
        url=without_tokens(url),
        canonical_url=address if is_web_address(address) else "",
        publisher=article.publisher or site(url),
        title=article.title or title,
        text=article.text,
        lang=language(article.text),
        published_at=moment.at,
        published_raw=raw,
        precision=moment.precision,
        tz_source=moment.tz_source,
        confidence=moment.confidence,
        fetched_at=context.fetched_at,
        licence="publisher",
        origin=origin,
    )


def fetch_article(
    url: str,
    context: SourceContext,
    report: Report,
    *,
    source: str,
    query: str,
    listed: Moment | None = None,
    listed_raw: str = "",
    title: str = "",
) -> Item | None:
    """Fetch one page. The outcome is counted; a page without an article is refused with its reason.

    A page already fetched in this run is not fetched again, or not kept again where a redirect led to it: it is
    refused as fetched before. A page that is gone is looked for in the archive when the settings say so.
    """

    def from_archive(outcome: Outcome, why: str) -> Item | None:
        if context.setting("wayback", "off") != "on":
            report.refuse(url, outcome, why)
            return None
        archive = Archive(context, report)
        since = None if listed is None else day_of(listed, context.zone)
        item = archived_article(
            url, archive, archive.candidates(url, since), source=source, query=query,
            listed=listed, listed_raw=listed_raw, title=title,
        )  # fmt: skip
        if item is None:
            report.refuse(url, outcome, f"{why}; no archived copy was read")
        return item

    address = canonical(url)
    if address in context.seen:
        report.refuse(url, "page fetched before")
        report.note(_FETCHED)
        return None
    context.seen.add(address)
    response = context.client.get(url)
    if response.outcome != "ok":
        report.end(response.outcome)
        if is_gone(response):
            return from_archive(response.outcome, response.note)
        report.refuse(url, response.outcome, response.note)
        return None
    kind = response.content_type.split(";")[0].strip().lower()
    if kind and "html" not in kind and "xml" not in kind and kind != "text/plain":
        report.end("error")
        report.refuse(url, "not a web page", kind)
        return None
    landed = _landed(url, response.url, context)
    if landed != url and leads_away(url, response.url):
        report.end("soft404")
        return from_archive("soft404", "a redirect to a front page, a section or an error page")
    if (target := canonical(landed)) != address:
        if target in context.seen:
            report.end("ok")
            report.refuse(url, "page fetched before", f"a redirect to {target}")
            report.note(_FETCHED)
            return None
        context.seen.add(target)
    article = read_article(
        response.body,
        url=response.url,
        content_type=response.content_type,
        fetched_at=context.fetched_at,
        zone=context.zone,
    )
    report.end(article.outcome)
    if article.outcome == "soft404":
        return from_archive(article.outcome, article.note)
    if article.outcome != "ok":
        report.refuse(url, article.outcome, article.note)
        return None
    if article.moment.at is None and article.moment.note:
        report.note(f"some pages have no usable date ({article.moment.note})")
    return article_item(
        article,
        context,
        url=landed,
        origin=Origin(source=source, query=query, digest=hashlib.sha256(response.body).hexdigest()),
        listed=listed,
        listed_raw=listed_raw,
        title=title,
    )


def _landed(url: str, final: str, context: SourceContext) -> str:
    """The address of the page that came: where redirects ended, so that a short link and its target are one.

    In a recording the address is the one that the recording keeps, or a replay would find another article.
    """
    if canonical(final) == canonical(url):
        return url
    return without_tokens(clean_address(final) if context.recorded else final)


def is_gone(response: Response) -> bool:
    """Whether a page no longer exists: gone by its status, or its host has no address any more."""
    return response.outcome == "soft404" or (response.status == 0 and "not known" in response.note)


def archived_article(
    url: str,
    archive: Archive,
    captures: Iterable[Capture],
    *,
    source: str,
    query: str,
    listed: Moment | None = None,
    listed_raw: str = "",
    title: str = "",
) -> Item | None:
    """The article of the first capture that holds one, or none; each fetch is counted.

    The page is read as of the capture: relative dates count back from it and later ones are none. The capture's
    own time never stands in for a publication.
    """
    context, report = archive.context, archive.report
    for capture in captures:
        response = archive.copy(capture)
        if urlsplit(response.url).netloc != urlsplit(archive.base).netloc:
            report.end("error")
            report.note("an archived copy led out of the archive and was not read")
            continue
        if response.outcome != "ok":
            report.end(response.outcome)
            continue
        if leads_away(capture.url, response.url.partition("id_/")[2] or capture.url):
            report.end("soft404")
            continue
        article = read_article(
            response.body,
            url=capture.url,
            content_type=response.content_type,
            fetched_at=capture.at,
            zone=context.zone,
        )
        report.end(article.outcome)
        if article.outcome != "ok":
            continue
        if article.moment.at is None and article.moment.note:
            report.note(f"some pages have no usable date ({article.moment.note})")
        report.note("some pages are gone and were read from archived copies")
        return article_item(
            article,
            context,
            url=url,
            origin=Origin(
                source=source,
                query=query,
                digest=hashlib.sha256(response.body).hexdigest(),
                archive=response.url,
            ),
            listed=listed,
            listed_raw=listed_raw,
            title=title,
        )
    return None


class Web(Connector):
    """One page address a query."""

    name = "web"
    takes = "the address of one page"
    asks = "address"
    cap = "one page a query"

    @classmethod
    def unfit(cls, query: str, env: Mapping[str, str]) -> str:
        """The query must be an address."""
        return "" if is_web_address(query) else f"{query[:80]} is no web address"

    def search(self, query: SourceQuery, since: date, until: date) -> Iterator[Item]:
        """Yield the article at the address."""
        if not is_web_address(query.query):
            self.report.refuse(query.query, "not a web address")
            return
        item = fetch_article(
            query.query, self.context, self.report, source=self.name, query=query.query
        )
        if item is not None:
            yield item
