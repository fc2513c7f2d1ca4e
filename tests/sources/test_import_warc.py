"""Web archives: pages become articles dated by their crawl; everything else is counted."""

from __future__ import annotations

import base64
import gzip
import io
import json
import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from sources.imports.detect import detect
from sources.imports.stored_bodies import UnknownPacking, plain_body
from sources.unpacking import NotUnpacked
from tests.sources.reading import read, reasons, registered

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["registered"]

WORDS = "The council closed the ferry because of an inspection report that nobody had seen. "


def page(title: str = "The ferry stops", date: str = "2026-03-05T08:30:00+08:00") -> bytes:
    stamp = f"<meta property='article:published_time' content='{date}'>" if date else ""
    body = f"<p>{WORDS}</p>" * 6
    return (
        f"<html><head><title>{title}</title>{stamp}</head><body><article>{body}</article></body></html>"
    ).encode()


def archive(
    path: Path,
    *answers: tuple[str, str, str, bytes],
    packed: bool = True,
    kind: str = "response",
    headers: tuple[tuple[str, str], ...] = (),
) -> Path:
    """Records of (address, status, content type, body), crawled on 6 March 2026."""
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=packed)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "test"}))
        for url, status, content_type, body in answers:
            held = StatusAndHeaders(
                status, [("Content-Type", content_type), *headers], protocol="HTTP/1.1"
            )
            writer.write_record(
                writer.create_warc_record(
                    url, kind, payload=io.BytesIO(body), http_headers=held,
                    warc_headers_dict={"WARC-Date": "2026-03-06T02:00:00Z"},
                )
            )  # fmt: skip
    return path


@pytest.mark.parametrize("words", [b"<?xml version='1.0'?><rss></rss>", b"\xff\xd8\xff\xe0 photo"])
def test_another_file_is_no_web_archive(tmp_path: Path, words: bytes) -> None:
    (tmp_path / "other.warc").write_bytes(words)
    items, (refusal,) = read(tmp_path, "warc")
    assert not items
    assert "other.warc is no web archive; give a .warc" in refusal.detail


@pytest.mark.parametrize("packed", [True, False])
def test_pages_become_articles_with_address_and_crawl(tmp_path: Path, packed: bool) -> None:
    path = archive(
        tmp_path / ("a.warc.gz" if packed else "a.warc"),
        ("https://news.example/ferry?utm_source=x", "200 OK", "text/html; charset=utf-8", page()),
        ("https://news.example/logo.png", "200 OK", "image/png", b"\x89PNG"),
        ("https://news.example/old", "301 Moved", "text/html", b""),
        ("https://news.example/gone", "404 Not Found", "text/html", b"<html>gone</html>"),
        packed=packed,
    )
    assert detect(path) == "warc"
    (item,), refusals = read(path)
    assert (item.kind, item.platform, item.licence) == ("article", "web", "publisher")
    assert item.native_id == "https://news.example/ferry"
    assert item.published_at == datetime(2026, 3, 5, 0, 30, tzinfo=UTC)
    assert item.fetched_at == datetime(2026, 3, 6, 2, tzinfo=UTC)
    assert WORDS.strip() in item.text
    assert reasons(refusals) == {"no page but image/png": 1, "a redirect": 1, "status 404": 1}


def test_relative_dates_count_back_from_the_crawl(tmp_path: Path) -> None:
    html = page(date="").replace(b"<article>", "<article><p>发布时间：3小时前</p>".encode())
    html = html.replace(b"</head>", b"<meta name='pubdate' content='3 hours ago'></head>")
    path = archive(tmp_path / "a.warc.gz", ("https://a.example/1", "200 OK", "text/html", html))
    (item,), _ = read(path)
    assert item.published_at == datetime(2026, 3, 5, 23, tzinfo=UTC)
    assert item.tz_source == "relative"


def test_packed_bodies_are_read_up_to_a_bound(tmp_path: Path) -> None:
    small = gzip.compress(page())
    bomb = gzip.compress(b"<html>" + b"\x00" * 50_000_000)
    path = archive(
        tmp_path / "a.warc.gz",
        ("https://a.example/1", "200 OK", "text/html", small),
        ("https://a.example/2", "200 OK", "text/html", bomb),
        headers=(("Content-Encoding", "gzip"),),
    )
    items, refusals = read(path)
    assert [item.url for item in items] == ["https://a.example/1"]
    assert reasons(refusals) == {"larger than collect.max_bytes": 1}


def test_a_challenge_page_is_named_and_addresses_must_be_of_the_web(tmp_path: Path) -> None:
    wall = b"<html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>"
    path = archive(
        tmp_path / "a.warc.gz",
        ("https://a.example/1", "200 OK", "text/html", wall),
        ("https://a.example/2", "403 Forbidden", "text/html", wall),
    )
    items, refusals = read(path)
    assert not items
    assert [row.reason for row in refusals] == ["blocked", "status 403"]
    assert [row.item for row in refusals] == ["a.warc.gz#2", "a.warc.gz#3"]


def test_a_stored_resource_is_a_page_when_it_has_a_web_address(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=False)
        for url in ("https://a.example/1", "file:///home/me/1.html"):
            writer.write_record(
                writer.create_warc_record(
                    url, "resource", payload=io.BytesIO(page()), warc_content_type="text/html"
                )
            )
    items, refusals = read(path)
    assert [item.url for item in items] == ["https://a.example/1"]
    assert reasons(refusals) == {"no web address": 1}


@pytest.mark.parametrize("share", [0.02, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0.99, 0.999])
@pytest.mark.parametrize("packed", [True, False])
def test_a_truncated_archive_never_crashes_and_keeps_whole_pages(
    tmp_path: Path, share: float, packed: bool
) -> None:
    pages = [(f"https://a.example/{n}", "200 OK", "text/html", page(f"T{n}")) for n in range(8)]
    path = archive(tmp_path / "a.warc", *pages, packed=packed)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    items, refusals = read(path)
    assert len(items) <= 8
    assert len(items) >= int(8 * share) - 2
    assert refusals


# -- packings ------------------------------------------------------------------------------------

BROTLI = bytes.fromhex("0b0280") + zlib.compress(page())
"""Stands for a body in a packing that is not read: no letters, and no beginning that tells it."""


@pytest.mark.parametrize(
    ("packing", "body", "outcome"),
    [
        ("zstd", zstd.compress(page()), ""),
        ("ZSTD ", zstd.compress(page()), ""),
        ("zstd", zstd.compress(page()[:500]) + zstd.compress(page()[500:]), ""),
        ("zstd", page(), ""),
        ("x-gzip", gzip.compress(page()), ""),
        ("deflate", zlib.compress(page()), ""),
        ("br", page(), ""),
        ("br", page("Der Fährmann").decode().encode("utf-16"), ""),
        ("utf-8", page(), ""),
        ("br", BROTLI, "packed as br, which is not read"),
        ("gzip, br", BROTLI, "packed as gzip, br, which is not read"),
        ("zstd", zstd.compress(page())[:-40], "damaged answer"),
        ("zstd", BROTLI, "damaged answer"),
        ("zstd", zstd.compress(b"<html>" + b"\x00" * 50_000_000), "larger than collect.max_bytes"),
    ],
)
def test_an_answers_packing_is_undone_or_named(
    tmp_path: Path, packing: str, body: bytes, outcome: str
) -> None:
    path = archive(
        tmp_path / "a.warc.gz",
        ("https://a.example/1", "200 OK", "text/html", body),
        headers=(("Content-Encoding", packing),),
    )
    items, refusals = read(path)
    if outcome:
        assert not items
        assert reasons(refusals) == {outcome: 1}
        assert "https://a.example/1" in refusals[0].detail
    else:
        assert WORDS.strip() in items[0].text


@given(st.binary(max_size=3000), st.integers(1, 4000), st.sampled_from(["zstd", "gzip", "deflate"]))
def test_what_was_packed_is_given_up_to_the_bound(data: bytes, most: int, packing: str) -> None:
    pack = {"zstd": zstd.compress, "gzip": gzip.compress, "deflate": zlib.compress}[packing]
    body = pack(b"<html>" + bytes(range(256)) + data)
    if packing == "deflate" and plain_body(body, "deflate", most) == body:
        return  # too little of it to be told from words
    assert plain_body(body, packing, most) == (b"<html>" + bytes(range(256)) + data)[:most]


@given(st.text(min_size=0, max_size=300), st.sampled_from(["br", "zstd", "gzip", "deflate", "x"]))
def test_words_are_never_taken_for_packed(text: str, packing: str) -> None:
    words = "".join(char for char in text if char.isprintable() or char in "\n\t")
    assert plain_body(words.encode("utf-8", "replace"), packing, 10_000) == words.encode(
        "utf-8", "replace"
    )


def test_a_window_that_no_answer_may_have_is_refused() -> None:
    wide = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    body = wide.compress(b"<html>" * 9) + wide.flush()
    with pytest.raises(NotUnpacked, match="cannot be unpacked"):
        plain_body(body, "zstd", 1_000)
    with pytest.raises(UnknownPacking, match="packed as br, which"):
        plain_body(BROTLI, "br", 1_000)


@pytest.mark.parametrize(
    ("packing", "body", "status", "outcome"),
    [
        ("zstd", zstd.compress(page()), 200, ""),
        ("br", page(), 200, ""),
        ("br", BROTLI, 200, "packed as br, which is not read"),
        ("br", BROTLI, 404, "status 404"),
        ("zstd", zstd.compress(page())[:-40], 200, "damaged interaction"),
    ],
)
def test_a_recorded_answers_packing_is_undone_or_named(
    tmp_path: Path, packing: str, body: bytes, status: int, outcome: str
) -> None:
    recording = {
        "request": {"uri": "https://a.example/1", "method": "GET"},
        "response": {
            "status": {"code": status},
            "headers": {"content-type": ["text/html"], "content-encoding": [packing]},
            "body": {"base64_string": base64.b64encode(body).decode()},
        },
    }
    path = tmp_path / "traffic.json"
    path.write_text(json.dumps({"interactions": [recording]}), encoding="utf-8")
    items, refusals = read(path)
    assert reasons(refusals) == ({outcome: 1} if outcome else {})
    assert len(items) == (not outcome)
