"""Recorded HTTP interactions (vcrpy cassettes in JSON or YAML): each answer goes to the parser of what it is.

Reddit listings and threads, Mastodon statuses, feeds and web pages are told by their content, not by their
address. Answers that hold no items (tokens, accounts, error texts) are refused by name.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from schemas import Item, Origin
from sources.articles import read_article
from sources.base import Importer, SourceContext, SourceError, digest
from sources.feeds import read_feed
from sources.imports.cells import has_halves, whole, whole_text
from sources.imports.rows import BAD_VALUES, suffix_of
from sources.imports.stored_bodies import UnknownPacking, plain_body
from sources.imports.streams import MAX_DOCUMENT, MAX_UNPACKED, document
from sources.mastodon_json import is_status, status_item
from sources.reddit_json import is_listing, thing_item, walk_things
from sources.rss import entry_item, refuse_repeated
from sources.text import decode
from sources.web import article_item


class Captures(Importer):
    """One cassette."""

    name = "captures"
    reads = "vcrpy cassettes (.yaml, .json) of Reddit, Mastodon, feeds and web pages"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """A file of recorded interactions."""
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t-")
        if suffix_of(path) in {".yaml", ".yml"}:
            return start.startswith((b"interactions:", b"version:")) and b"interactions:" in head
        return suffix_of(path) == ".json" and b'"interactions"' in head and b'"request"' in head

    def read(self, path: Path) -> Iterator[Item]:
        """Yield the items of every answer, in recorded order."""
        data = document(path, MAX_UNPACKED)
        mark = digest(data)
        for number, entry in enumerate(_interactions(path, data), 1):
            where = f"{path.name}#{number}"
            try:
                request, response = entry["request"], entry["response"]
                address = whole_text(str(request["uri"]))
                asked = _without_secrets(address)
                headers = _headers(response)
                status = _status(response)
                packing = headers.get("content-encoding", "") if status < 400 else ""
                body = _unpacked(_body(response), packing)
            except UnknownPacking as error:
                self.report.end("error")
                self.report.refuse(where, str(error), asked)
                continue
            except (*BAD_VALUES, AttributeError, LookupError, OSError, zlib.error) as error:
                self.report.end("error")
                self.report.refuse(where, "damaged interaction", f"{type(error).__name__}: {error}")
                continue
            context = replace(self.context, fetched_at=self._when(entry, headers))
            origin = Origin(source=self.name, query=asked, file=path.name, digest=mark)
            yield from self._items(where, status, body, headers, context, origin, address)

    def _when(self, entry: Mapping[str, Any], headers: Mapping[str, str]) -> datetime:
        raw = entry.get("recorded_at")
        moment = self.context.time(raw, "UTC") if raw else None
        if moment is not None and moment.at is not None:
            return moment.at
        try:
            at = parsedate_to_datetime(headers.get("date", ""))
        except (ValueError, OverflowError):
            return self.context.fetched_at
        return at if at.tzinfo is not None else at.replace(tzinfo=UTC)

    def _items(
        self,
        where: str,
        status: int,
        body: bytes,
        headers: Mapping[str, str],
        context: SourceContext,
        origin: Origin,
        address: str,
    ) -> Iterator[Item]:
        report = self.report
        if status >= 400:
            report.end(
                "soft404"
                if status in (404, 410)
                else "blocked"
                if status in (401, 403, 429)
                else "error"
            )
            report.refuse(where, f"status {status}", origin.query)
            return
        if not body.strip():
            report.end("empty")
            report.refuse(where, "empty", f"status {status} {origin.query}")
            return
        kind = headers.get("content-type", "")
        value = _json(body)
        if value is not None:
            yield from self._json_items(where, value, context, origin)
            return
        feed = read_feed(body, url=address, content_type=kind)
        if feed.outcome == "ok":
            report.end("ok")
            refuse_repeated(feed, report)
            for entry in feed.entries:
                if entry.summary or entry.title:
                    yield entry_item(entry, context, origin=origin)
                else:
                    report.refuse(f"{where} {entry.native_id}", "an entry without words")
            return
        if "html" in kind or body.lstrip()[:1] == b"<":
            article = read_article(
                body,
                url=address,
                content_type=kind,
                fetched_at=context.fetched_at,
                zone=context.zone,
                named=context.zone_named,
            )
            report.end(article.outcome)
            if article.outcome == "ok":
                yield article_item(article, context, url=address, origin=origin)
            else:
                report.refuse(where, article.outcome, article.note)
            return
        report.end("error")
        report.refuse(where, "not an item", f"{kind} {decode(body[:80]).text}")

    def _json_items(
        self, where: str, value: Any, context: SourceContext, origin: Origin
    ) -> Iterator[Item]:
        if is_listing(value):
            self.report.end("ok")
            for kind, data in walk_things(value):
                item = thing_item(kind, data, context, self.report, origin=origin)
                if item is not None:
                    yield item
            return
        statuses = list(_statuses(value))
        if statuses:
            self.report.end("ok")
            for status in statuses:
                item = status_item(status, context, self.report, origin=origin)
                if item is not None:
                    yield item
            return
        keys = sorted(value)[:6] if isinstance(value, Mapping) else type(value).__name__
        self.report.end("empty")
        self.report.refuse(where, "no items in the answer", f"{origin.query} {keys}")


def _interactions(path: Path, data: bytes) -> list[Any]:
    import yaml

    try:
        if suffix_of(path) in {".yaml", ".yml"}:
            value = yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        else:
            value = json.loads(data)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SourceError(f"{path.name} is no valid recording ({str(error)[:120]})") from error
    rows = value.get("interactions") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise SourceError(f"{path.name} has no list of interactions; it is no vcrpy recording")
    return rows


def _headers(response: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for name, value in (response.get("headers") or {}).items():
        said = str(value[0] if isinstance(value, list) and value else value)
        found[str(name).lower()] = whole_text(said)
    return found


def _status(response: Mapping[str, Any]) -> int:
    status = response.get("status") or response.get("status_code") or {}
    return int(status["code"] if isinstance(status, Mapping) else status)


def _body(response: Mapping[str, Any]) -> bytes:
    body = response.get("body") or {}
    raw = body.get("string", body.get("base64_string", "")) if isinstance(body, Mapping) else body
    if isinstance(body, Mapping) and "base64_string" in body:
        raw = base64.b64decode(body["base64_string"])
    data = raw if isinstance(raw, bytes) else str(raw or "").encode("utf-8", "replace")
    if data[:2] == b"\x1f\x8b":
        unpacked = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data, 50_000_000)
        return unpacked if unpacked else gzip.decompress(data[:1_000_000])
    return data


def _unpacked(body: bytes, packing: str) -> bytes:
    found = plain_body(body, packing, MAX_DOCUMENT + 1)
    if found is not body and len(found) > MAX_DOCUMENT:
        raise ValueError(f"larger than {MAX_DOCUMENT >> 20} MiB")
    return found


def _json(body: bytes) -> Any | None:
    if body.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return whole(json.loads(body)) if has_halves(body) else json.loads(body)
    except (ValueError, RecursionError):
        return None


def _statuses(value: Any) -> Iterator[Mapping[str, Any]]:
    """Statuses of a timeline, a search, a thread's context or a single answer."""
    if is_status(value):
        yield value
    elif isinstance(value, list):
        yield from (row for row in value if is_status(row))
    elif isinstance(value, Mapping):
        for name in ("statuses", "ancestors", "descendants", "quotes"):
            if isinstance(value.get(name), list):
                yield from (row for row in value[name] if is_status(row))


def _without_secrets(address: str) -> str:
    from sources.scrub import clean_address

    return clean_address(address)
