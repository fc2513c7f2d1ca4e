"""Bodies unpacked piece by piece: bounded in memory, and whole or refused.

A packed body says itself where it ends. One whose end did not come was cut off on the way, and half an article
must not pass for one.
"""

from __future__ import annotations

import sys
import zlib
from typing import Any

PACKINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""Content encodings that are read; others can be bombs of other kinds and nobody asked for them."""
_GZIP_BITS = 16 + zlib.MAX_WBITS
_RAW_BITS = -zlib.MAX_WBITS
_MAGIC = b"\x1f\x8b"
_WINDOW_LOG = 23
"""Windows of 8 MiB, the largest that RFC 9659 allows in answers."""


class NotUnpacked(ValueError):
    """A body that is not what its encoding says, or that lacks its end; the message says which."""


class Unpacker:
    """One body of one of the `PACKINGS`. `x-gzip` is an old name of gzip (RFC 9110, 8.4.1.3)."""

    def __init__(self, packing: str) -> None:
        self._gzip = packing in ("gzip", "x-gzip")
        self._plain = packing in ("", "identity")
        self._stream: Any = zlib.decompressobj(_GZIP_BITS if self._gzip else zlib.MAX_WBITS)
        self._begun = False
        self._framed = self._gzip
        """Whether it is known if deflate comes with its frame."""
        self._rest = b""
        """Packed bytes put by because their words were not asked for yet."""

    def feed(self, data: bytes, most: int) -> bytes:
        """What a piece unpacks to, at most so many bytes of it. NotUnpacked when it cannot be."""
        if self._plain:
            return data
        self._begun = self._begun or bool(data)
        data, self._rest = self._rest + data, b""
        found = bytearray()
        while data and len(found) < most and (self._framed or len(data) > 1):
            if self._stream.eof:
                data = self._next_member(data)
                if not data:
                    break
            found += self._unpacked(data, most - len(found))
            data = self._stream.unconsumed_tail or self._stream.unused_data
        self._rest = data
        return bytes(found)

    def end(self) -> None:
        """NotUnpacked when the body stopped before its own end."""
        if self._begun and not self._stream.eof:
            raise NotUnpacked("the packed body was cut short")

    def _next_member(self, data: bytes) -> bytes:
        """Where another gzip member begins; padding and other bytes behind the end say nothing."""
        if not self._gzip or not data.startswith(_MAGIC):
            return b""
        self._stream = zlib.decompressobj(_GZIP_BITS)
        return data

    def _unpacked(self, data: bytes, most: int) -> bytes:
        known, self._framed = self._framed, True
        try:
            return bytes(self._stream.decompress(data, most))
        except zlib.error as error:
            if known:
                raise NotUnpacked(f"the body cannot be unpacked ({error})") from error
        self._stream = zlib.decompressobj(_RAW_BITS)  # some servers send deflate without its frame
        return self._unpacked(data, most)


def unpacked(body: bytes, packing: str, most: int) -> bytes:
    """A whole body unpacked. NotUnpacked when it cannot be, was cut short or is larger than `most`."""
    if packing not in PACKINGS:
        raise NotUnpacked(f"packed as {packing[:20]}")
    unpacker = Unpacker(packing)
    found = unpacker.feed(body, most + 1)
    if len(found) > most:
        raise NotUnpacked(f"larger than {most} bytes")
    unpacker.end()
    return found


def first_of_zstd(body: bytes, most: int) -> bytes:
    """At most so many bytes of a body packed as zstandard. NotUnpacked when it is damaged or cut short before."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    found, rest = bytearray(), body
    try:
        while rest and len(found) < most:
            frame = zstd.ZstdDecompressor(
                options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
            )
            data = rest
            while not frame.eof and len(found) < most:
                found += frame.decompress(data, most - len(found))
                data = b""
                if frame.needs_input and not frame.eof:
                    raise NotUnpacked("the packed body was cut short")
            rest = frame.unused_data if frame.eof else b""
    except zstd.ZstdError as error:
        raise NotUnpacked(f"the body cannot be unpacked ({error})") from error
    return bytes(found)
