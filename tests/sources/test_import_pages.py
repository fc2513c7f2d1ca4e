"""Saved pages: where they were, when they were saved, and pages with all their parts in one file."""

from __future__ import annotations

import base64
import gzip
import quopri
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import Item
from sources.base import SourceError
from sources.imports.detect import detect, open_importer
from sources.imports.mhtml import NoPage, is_mhtml, page_of
from sources.imports.saved_pages import saved
from tests.sources.reading import CONTEXT, FETCHED, read, registered

__all__ = ["registered"]

URL = "https://news.example.cn/a/1.html?id=5&p=2"
WORDS = "<p>渡轮停航了，港口的人说不知道什么时候恢复，旅客只能改乘巴士，排队的人很多。</p>" * 5
SAVED = datetime(2026, 3, 5, 12, 11, 12, tzinfo=UTC)
STAMP = "Thu Mar 05 2026 20:11:12 GMT+0800 (中国标准时间)"


def page(head: str = "", *, top: str = "", body: str = WORDS, charset: str = "utf-8") -> str:
    return (
        f"<!DOCTYPE html>\n{top}<html lang=zh><head><meta charset={charset}><title>渡轮停航</title>{head}</head>"
        f"<body><article><h1>渡轮停航</h1>{body}</article></body></html>"
    )


def single_file(url: str = URL, stamp: str = STAMP) -> str:
    return f"<!--\n Page saved with SingleFile \n url: {url} \n saved date: {stamp}\n-->"


def only(path: Path) -> Item:
    (item,), refusals = read(path)
    assert not refusals
    return item


# -- addresses -----------------------------------------------------------------------------------

OTHER = "https://other.example/"
_HREF = URL.replace("&", "&amp;")


@pytest.mark.parametrize(
    "head",
    [
        f'<link rel="canonical" href="{_HREF}">',
        f'<link href="{_HREF}" rel="canonical">',
        f"<link data-rh=true href='{_HREF}' rel='nofollow canonical' />",
        f"<LINK REL=canonical HREF={_HREF}>",
        f'<link\n  rel = "canonical"\n  href = "{_HREF}"\n>',
        f'<link title="a > b" rel="canonical" href="{_HREF}">',
        f'<link rel="canonical" href="{_HREF.removeprefix("https:")}">',
        f'<meta property="og:url" content="{_HREF}">',
        f'<meta content="{_HREF}" property="og:url">',
        f"<meta content={_HREF} name=og:url>",
        f'<link rel="canonical" href="/a/1.html"><meta property="og:url" content="{_HREF}">',
        f'<link rel="canonical" href=""><link rel="canonical" href="{_HREF}">',
        f'<meta property="og:url" content="{OTHER}"><link rel="canonical" href="{_HREF}">',
        f'<link rel="alternate" href="{OTHER}"><link rel="canonical" href="{_HREF}">',
        f'<!-- <link rel="canonical" href="{OTHER}"> --><link rel="canonical" href="{_HREF}">',
        f"<script>x = '<link rel=canonical href={OTHER}>'</script><link rel=canonical href={_HREF}>",
        f'<script>{"x" * 400_000}</script><link rel="canonical" href="{_HREF}">',
    ],
)  # fmt: skip
def test_a_page_names_its_address_in_any_form_of_its_tags(tmp_path: Path, head: str) -> None:
    path = tmp_path / "1.html"
    path.write_text(page(head), encoding="utf-8")
    assert only(path).url == URL


@pytest.mark.parametrize(
    ("top", "head"),
    [
        (f"<!-- saved from url=(0041){URL} -->\n", ""),
        (f"<!-- saved from url=(0041){URL} -->\n", f'<link rel="canonical" href="{OTHER}">'),
        ("<!-- saved from url=(0014)about:internet -->\n", f"<link rel=canonical href={_HREF}>"),
        ("<!-- saved from url=(0022)file:///home/me/1.html -->", f"<link rel=canonical href={_HREF}>"),
        (single_file(), ""),
        (single_file(), f'<link rel="canonical" href="{OTHER}">'),
        (single_file("about:blank"), f'<link rel="canonical" href="{_HREF}">'),
    ],
)  # fmt: skip
def test_the_address_that_a_page_was_saved_from_is_the_surest(
    tmp_path: Path, top: str, head: str
) -> None:
    path = tmp_path / "1.html"
    path.write_text(page(head, top=top), encoding="utf-8")
    assert only(path).url == URL


@pytest.mark.parametrize("head", ["", '<link rel="canonical" href="/a/1.html">', f'<link rel="canonicals" href="{URL}">',
                                  f'<meta property="og:image" content="{URL}">', f'<link rel="canonical" title="{URL}">'])  # fmt: skip
def test_a_page_without_an_address_is_known_by_its_bytes(tmp_path: Path, head: str) -> None:
    path = tmp_path / "1.html"
    path.write_text(page(head), encoding="utf-8")
    item = only(path)
    assert item.native_id.startswith("file:")
    assert item.fetched_at == FETCHED


def test_a_comment_mark_within_a_style_hides_nothing() -> None:
    assert (
        saved(f'<style>a{{b:"<!--"}}</style><link rel="canonical" href="{_HREF}">').address == URL
    )


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030"])
def test_an_address_is_found_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "1.html"
    html = page(f'<link href="{_HREF}" rel="canonical">', charset=encoding)
    path.write_bytes(html.encode(encoding))
    assert only(path).url == URL


@pytest.mark.parametrize(
    "part",
    ["<link ", '<meta content="', "<!--", "<!-- saved from url=(1)", "<script>", "<link a='", "<link x=y ", "<style", "<link>"],
)  # fmt: skip
def test_hostile_pages_are_looked_through_in_linear_time(part: str) -> None:
    started = time.process_time()
    assert saved(part * (3_000_000 // len(part))).address == ""
    assert time.process_time() - started < 5


# -- the moment of saving ------------------------------------------------------------------------


def test_a_relative_date_counts_back_from_the_moment_of_saving(tmp_path: Path) -> None:
    for name, top in (("with", single_file()), ("without", "")):
        path = tmp_path / f"{name}.html"
        path.write_text(page('<meta name="pubdate" content="3小时前">', top=top), encoding="utf-8")
    with_, without = read(tmp_path)[0]
    assert (with_.fetched_at, without.fetched_at) == (SAVED, FETCHED)
    assert (with_.published_at, with_.tz_source) == (SAVED.replace(hour=9), "relative")
    assert without.published_at is None


@pytest.mark.parametrize("stamp", ["", "yesterday", "soon", "Thu Mar 05 2099 20:11:12 GMT+0800"])
def test_a_moment_of_saving_that_is_none_is_not_guessed(tmp_path: Path, stamp: str) -> None:
    path = tmp_path / "1.html"
    html = page('<meta name="pubdate" content="3小时前">', top=single_file(stamp=stamp))
    path.write_text(html, encoding="utf-8")
    item = only(path)
    assert (item.url, item.fetched_at, item.published_at) == (URL, FETCHED, None)


# -- pages with all their parts ------------------------------------------------------------------


def part(body: bytes, kind: str, way: str, *headers: str) -> bytes:
    packed = {
        "quoted-printable": quopri.encodestring,
        "base64": base64.encodebytes,
        "8bit": bytes,
        "binary": bytes,
    }[way](body)
    lines = [f"Content-Type: {kind}", f"Content-Transfer-Encoding: {way}", *headers]
    return "\n".join(lines).encode() + b"\n\n" + packed


def mhtml(*parts: bytes, head: tuple[str, ...] = (), start: str = "", closed: bool = True) -> bytes:
    lines = [
        "From: <Saved by Blink>",
        *head,
        "Subject: =?utf-8?Q?=E6=B8=A1?=",
        "Date: Thu, 5 Mar 2026 12:11:12 -0000",
        "MIME-Version: 1.0",
        'Content-Type: multipart/related;\n\ttype="text/html";\n\tboundary="----x"' + start,
    ]
    joined = b"".join(b"\n------x\n" + found for found in parts)
    whole = "\n".join(lines).encode() + b"\n\n" + joined + (b"\n------x--\n" if closed else b"")
    return whole.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


SNAPSHOT = (f"Snapshot-Content-Location: {URL}",)
PICTURE = part(b"\x89PNG" * 9, "image/png", "base64", "Content-Location: https://a.example/1.png")
STYLE = part(b"body { color: red }", "text/css", "quoted-printable")


@pytest.mark.parametrize("way", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize("charset", ["utf-8", "gb18030"])
@pytest.mark.parametrize("where", ["header", "page"])
@pytest.mark.parametrize("name", ["1.mhtml", "1.mht", "1.mhtml.gz", "1"])
def test_a_page_with_its_parts_is_read_like_the_page(
    tmp_path: Path, way: str, charset: str, where: str, name: str
) -> None:
    kind = f"text/html; charset={charset}" if where == "header" else "text/html"
    html = page(charset=charset) if where == "page" else page().replace("<meta charset=utf-8>", "")
    data = mhtml(part(html.encode(charset), kind, way), STYLE, PICTURE, head=SNAPSHOT)
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert detect(path) == "html"
    item = only(path)
    plain = tmp_path / "plain.html"
    plain.write_text(page(), encoding="utf-8")
    assert (item.title, item.text) == ((whole := only(plain)).title, whole.text)
    assert (item.url, item.fetched_at) == (URL, SAVED)


def test_a_relative_date_counts_back_from_the_date_of_the_file(tmp_path: Path) -> None:
    html = page('<meta name="pubdate" content="3小时前">').encode()
    path = tmp_path / "1.mhtml"
    path.write_bytes(mhtml(part(html, "text/html", "quoted-printable"), head=SNAPSHOT))
    assert only(path).published_at == SAVED.replace(hour=9)


FRAME = part(
    page(body="<p>advert</p>").encode(),
    "text/html",
    "base64",
    "Content-Location: https://ads.example/",
)
MAIN = part(
    page().encode(), "text/html", "base64", "Content-ID: <main@x>", f"Content-Location: {URL}"
)


@pytest.mark.parametrize(
    "data",
    [
        mhtml(FRAME, MAIN, head=SNAPSHOT),
        mhtml(MAIN, FRAME),
        mhtml(FRAME, MAIN, start=';\n\tstart="<main@x>"'),
        mhtml(STYLE, MAIN, PICTURE),
        mhtml(MAIN, PICTURE, closed=False),
        mhtml(part(page(f"<link rel=canonical href={_HREF}>").encode(), "text/html", "base64")),
        b"MIME-Version: 1.0\nContent-Location: " + URL.encode() + b"\n" + part(page().encode(), "text/html", "base64"),
    ],
)  # fmt: skip
def test_the_page_among_the_parts_is_the_one_that_the_file_is_about(
    tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "1.mhtml"
    path.write_bytes(data)
    item = only(path)
    assert item.url == URL
    assert "渡轮停航了" in item.text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (mhtml(STYLE, PICTURE, head=SNAPSHOT), "it holds no page"),
        (mhtml(MAIN, head=SNAPSHOT)[:-200], "it is cut short"),
        (mhtml(head=SNAPSHOT), "it holds no page"),
    ],
)
def test_a_file_without_a_whole_page_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "1.mhtml"
    path.write_bytes(data)
    items, refusals = read(path)
    assert not items
    assert [(row.reason, row.detail) for row in refusals] == [("damaged page", why)]


@pytest.mark.parametrize(
    "head",
    [
        page().encode(),
        b"Subject: a letter\nContent-Type: text/plain\nMIME-Version: 1.0\n\n<html>",
        b"Subject: a letter\n\nMIME-Version: 1.0\nContent-Type: text/html\n\n<html>",
        b'{"mime-version:": 1,\n"content-type:": "text/html"}',
        b"text,date\nContent-Type: text/html,MIME-Version: 1\n",
        b"",
    ],
)
def test_other_files_are_no_pages_with_parts(head: bytes) -> None:
    assert not is_mhtml(head)


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cuts_and_foreign_bytes_never_crash_the_reading(
    tmp_path: Path, data: st.DataObject
) -> None:
    text = bytearray(mhtml(FRAME, MAIN, PICTURE, head=SNAPSHOT))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    del text[data.draw(st.integers(0, len(text))) :]
    path = tmp_path / "1.mhtml"
    path.write_bytes(bytes(text))
    reader = open_importer("html", path, CONTEXT)
    try:
        items = list(reader.read(path))
    except SourceError as error:
        reader.report.refuse(path.name, "unreadable", str(error))
        items = []
    assert len(items) + len(reader.report.refusals) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"".join(b'Content-Type: multipart/related; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3000)),
        mhtml(*[STYLE] * 5000, head=SNAPSHOT),
        mhtml(head=SNAPSHOT) + b"------x\n" * 500_000,
    ],
)  # fmt: skip
def test_hostile_files_end_soon(data: bytes) -> None:
    started = time.process_time()
    with suppress(NoPage):
        page_of(b"MIME-Version: 1.0\n" + data)
    assert time.process_time() - started < 10
