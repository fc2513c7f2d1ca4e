"""Packed bodies come whole or not at all, however they are cut into pieces."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.unpacking import NotUnpacked, Unpacker, unpacked
from tests.sources.test_http import World, client


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
}


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.server.shutdown()
    made.server.server_close()


@given(
    st.binary(max_size=2_000), st.sampled_from(sorted(PACKERS)), st.booleans(), st.integers(1, 50)
)
def test_pieces_say_what_the_whole_says(body: bytes, packing: str, raw: bool, piece: int) -> None:
    packed = raw_deflate(body) if raw and packing == "deflate" else PACKERS[packing](body)
    unpacker, found = Unpacker(packing), b""
    for start in range(0, len(packed), piece):
        found += unpacker.feed(packed[start : start + piece], 10_000)
    unpacker.end()
    assert found == body == unpacked(packed, packing, 2_000)


@given(st.binary(min_size=1, max_size=500), st.sampled_from(sorted(PACKERS)), st.data())
def test_no_beginning_of_a_body_passes_for_the_body(
    body: bytes, packing: str, data: st.DataObject
) -> None:
    packed = PACKERS[packing](body)
    cut = data.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(NotUnpacked):
        unpacked(packed[:cut], packing, 10_000)


@given(st.lists(st.binary(max_size=200), min_size=2, max_size=4), st.binary(max_size=9))
def test_members_follow_each_other_and_padding_is_nothing(parts: list[bytes], rest: bytes) -> None:
    packed = b"".join(map(gzip.compress, parts)) + b"\0" + rest
    assert unpacked(packed, "gzip", 10_000) == b"".join(parts)


def test_a_bomb_is_not_unpacked_beyond_what_is_asked_for() -> None:
    bomb = gzip.compress(b"\0" * 30_000_000)
    assert len(Unpacker("gzip").feed(bomb, 1_000)) == 1_000
    with pytest.raises(NotUnpacked, match="larger than"):
        unpacked(bomb, "gzip", 1_000)


def test_nothing_packed_is_nothing() -> None:
    for packing in ("", *PACKERS):
        assert unpacked(b"", packing, 10) == b""


@pytest.mark.parametrize("packing", sorted(PACKERS))
def test_an_answer_that_is_cut_short_is_an_error_and_no_text(world: World, packing: str) -> None:
    packed = PACKERS[packing](b"<p>" + bytes(range(256)) * 40)
    encoding = {"content-encoding": packing}
    world.pages["/whole"] = (200, encoding, packed)
    world.pages["/cut"] = (200, encoding, packed[: len(packed) * 2 // 3])
    world.pages["/length"] = (200, {"content-length": "500"}, b"hello")
    whole = client().get(world.base + "/whole")
    assert (whole.outcome, len(whole.body)) == ("ok", 3 + 256 * 40)
    cut = client().get(world.base + "/cut")
    assert (cut.outcome, cut.body, cut.note) == ("error", b"", "the packed body was cut short")
    short = client().get(world.base + "/length")
    assert (short.outcome, short.body, short.note) == ("error", b"", "the answer was cut short")
    assert world.asked == ["/whole", "/cut", "/length"]


def test_chunks_without_their_end_are_cut_short(world: World) -> None:
    world.server.RequestHandlerClass.protocol_version = "HTTP/1.1"
    world.pages["/chunks"] = (
        200, {"transfer-encoding": "chunked", "connection": "close"}, b"5\r\nhello\r\n",
    )  # fmt: skip
    found = client().get(world.base + "/chunks")
    assert (found.outcome, found.body, found.note) == ("error", b"", "the answer was cut short")
