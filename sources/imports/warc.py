"""Web archives (WARC and ARC, plain, gzip or zstandard): every page that was answered, through the reading of saved pages.

Records are read by warcio one at a time. A page's address and the moment of its fetch come from its record, so
that relative dates are counted back from the crawl and the latest crawl of a page is the one that is kept.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemas import Item, Origin, Outcome
from sources.articles import read_article
from sources.base import Importer, SourceError, digest
from sources.imports.cells import whole_text
from sources.imports.stored_bodies import UnknownPacking, plain_body
from sources.imports.streams import blocks, head_of
from sources.urls import is_web_address
from sources.web import article_item

_REFUSED: dict[int, Outcome] = {
    401: "blocked",
    403: "blocked",
    429: "blocked",
    404: "soft404",
    410: "soft404",
}
_SILENT = frozenset({"warcinfo", "request", "metadata", "continuation", "arc_header"})
"""Records that hold nothing published."""


class Warc(Importer):
    """One archive file."""

    name = "warc"
    reads = "web archives (.warc, .warc.gz, .arc, .arc.gz): the HTML pages of their responses"

    @classmethod
    def fits(cls, path: Path, head: bytes) -> bool:
        """An archive by its first record."""
        return head.startswith((b"WARC/0.", b"WARC/1.", b"filedesc://"))

    def read(self, path: Path) -> Iterator[Item]:
        """Yield the articles of the archive in its order.

        What is no page (images, scripts, redirects, records of a repeated answer) is refused once a file and
        kind, with its number. SourceError where the archive is damaged.
        """
        head = head_of(path, 64).lstrip()
        if head and not self.fits(
            path, head
        ):  # warcio reads any words as the first line of an ARC file
            raise SourceError(
                f"{path.name} is no web archive; give a .warc or .arc file, or auto to have the format told"
            )
        others: Counter[str] = Counter()
        pages = 0
        try:
            for number, record in enumerate(_records(path), 1):
                other, item = _other(record), None
                if other:
                    others[other] += 1
                elif record.rec_type not in _SILENT:
                    pages += 1
                    item = self._page(record, f"{path.name}#{number}", path.name)
                _finish(record, path.name)
                if item is not None:
                    yield item
        finally:
            for what, count in sorted(others.items()):
                self.report.refuse(path.name, what, f"{count} records")
        if not pages:
            self.report.end("empty")

    def _page(self, record: Any, where: str, name: str) -> Item | None:
        report, headers = self.report, record.rec_headers
        url = whole_text(str(headers.get_header("WARC-Target-URI") or "").strip("<> "))
        status = _status(record)
        if status >= 400:
            report.end(_REFUSED.get(status, "error"))
            report.refuse(where, f"status {status}", url)
            return None
        if not is_web_address(url):
            report.end("error")
            report.refuse(where, "no web address", url)
            return None
        limit = int(self.context.setting("max_bytes", 5_000_000))
        try:
            body = _body(record, limit + 1)
        except UnknownPacking as error:
            report.end("error")
            report.refuse(where, str(error), url)
            return None
        except ValueError as error:
            report.end("error")
            report.refuse(where, "damaged answer", f"{url} {whole_text(str(error))}")
            return None
        if len(body) > limit:
            report.end("error")
            report.refuse(where, "larger than collect.max_bytes", url)
            return None
        crawled = self.context.time(headers.get_header("WARC-Date"), "UTC").at
        context = replace(self.context, fetched_at=crawled or self.context.fetched_at)
        article = read_article(
            body,
            url=url,
            content_type=_header(record, "Content-Type"),
            fetched_at=context.fetched_at,
            zone=context.zone,
            named=context.zone_named,
        )
        report.end(article.outcome)
        if article.outcome != "ok":
            report.refuse(where, article.outcome, f"{url} {article.note}")
            return None
        if article.moment.at is None:
            report.note(f"some pages have no usable date ({article.moment.note})")
        origin = Origin(source=self.name, query=url, file=name, digest=digest(body))
        return article_item(article, context, url=url, origin=origin)


class _Unpacked:
    """An archive as the stream of plain bytes that warcio reads; damage to its packing raises SourceError."""

    def __init__(self, path: Path) -> None:
        self._blocks = blocks(path)
        self._block = b""
        self._at = 0
        self._position = 0

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        if self._at >= len(self._block):
            self._block, self._at = next(self._blocks, b""), 0
        given = self._block[self._at : self._at + size]
        self._at += len(given)
        self._position += len(given)
        return given

    def tell(self) -> int:
        """Bytes given so far."""
        return self._position


def _records(path: Path) -> Iterator[Any]:
    """The records of an archive. SourceError where it is damaged, cut short, or none at all.

    A damaged head makes the parsers of warcio fail in any way, or pass the rest of the file over.
    """
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    stream, number = _Unpacked(path), 0
    try:
        archive = ArchiveIterator(stream, arc2warc=True)
        _bound_lines(archive.reader)
        for number, record in enumerate(archive, 1):  # noqa: B007
            if record.length is None or not record.rec_type:
                raise _damaged(path.name, "the head of a record is cut")
            yield record
    except (
        ArchiveLoadFailed,
        ArithmeticError,
        AttributeError,
        EOFError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise _damaged(path.name, f"after record {number}, {error}") from error
    if not number:
        raise SourceError(f"{path.name} has no records; it is no web archive")
    if archive.offset < stream.tell():
        raise _damaged(path.name, f"cut short after record {number}")


def _bound_lines(reader: Any) -> None:
    """Stop at a line of a head that no head has; warcio would gather it whole, in quadratic time."""
    real = reader.readline

    def readline(length: int | None = None) -> bytes:
        line: bytes = real(min(length or _MAX_LINE, _MAX_LINE))
        if len(line) >= _MAX_LINE:
            raise ValueError(f"a line of more than {_MAX_LINE >> 10} KiB in the head of a record")
        return line

    reader.readline = readline


_MAX_LINE = 1 << 20
"""Bytes of a line in the head of a record."""


def _damaged(name: str, what: str) -> SourceError:
    what = whole_text(" ".join(what.split()))[:120]
    return SourceError(f"{name} is a damaged web archive ({what}); fetch it again")


def _finish(record: Any, name: str) -> None:
    """Read a record to its end. SourceError when the file ends before: warcio itself passes that over."""
    while record.raw_stream.read(1 << 16):
        pass
    if getattr(record.raw_stream, "limit", 0) > 0:
        raise _damaged(name, "cut short")


def _body(record: Any, limit: int) -> bytes:
    """The decoded body up to a number of bytes, so that a packed one cannot grow beyond it.

    ValueError when its packing or its chunks are damaged, UnknownPacking when it is not read.
    """
    from warcio.bufferedreaders import ChunkedDataException

    found = bytearray()
    try:
        stream = record.content_stream()
        while len(found) < limit and (block := stream.read(limit - len(found))):
            found += block
    except (ChunkedDataException, zlib.error) as error:
        raise ValueError(str(error)) from error
    return plain_body(bytes(found), _header(record, "Content-Encoding"), limit)


def _status(record: Any) -> int:
    """Status of an answer; 200 for a resource that was stored without one."""
    if record.http_headers is None:
        return 200
    code = str(record.http_headers.get_statuscode() or "")
    return int(code) if code.isascii() and code.isdigit() else 200


def _header(record: Any, name: str) -> str:
    held = record.http_headers if record.http_headers is not None else record.rec_headers
    return str(held.get_header(name) or "")


def _other(record: Any) -> str:
    """What a record is when it is no page; nothing when it is one."""
    if record.rec_type in _SILENT:
        return ""
    if record.rec_type == "revisit":
        return "an answer that was stored before"
    if record.rec_type not in ("response", "resource"):
        return f"a record of type {whole_text(str(record.rec_type))[:40]}"
    kind = _header(record, "Content-Type").split(";")[0].strip().lower()
    if 300 <= _status(record) < 400:
        return "a redirect"
    if kind and "html" not in kind:
        return f"no page but {whole_text(kind)[:60]}"
    return ""
