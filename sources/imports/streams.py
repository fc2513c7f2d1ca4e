"""Files as streams of bytes and lines: plain, gzip or zstandard, never whole in memory.

Archives of posts have many gigabytes. Every reader here holds one block of output and one line at most, says
where a packed file is damaged or cut short, and stops at a line that no row can be.
"""

from __future__ import annotations

import codecs
import hashlib
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

from sources.base import SourceError

BLOCK = 1 << 20
"""Bytes read, and bytes unpacked, at a time."""
MAX_ROW = 16 << 20
"""Bytes up to which a line is taken for a row."""
MAX_DOCUMENT = 64 << 20
"""Bytes up to which a page, a feed or a timeline is read."""
MAX_UNPACKED = 400 << 20
"""Bytes up to which a recording or a packed database is read; more is taken for a bomb."""
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPED = b"\x2a\x4d\x18"
"""Follows a byte 0x50 to 0x5f before frames that hold no data."""
_MAGIC = 4
"""Bytes that tell the packing."""
_WINDOW_LOG = 31
"""Archives of Reddit are packed with windows of 2 GiB; a reader's default refuses more than 128 MiB."""
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class _Unpacker(Protocol):
    """What the decompressors of both formats share."""

    @property
    def eof(self) -> bool:
        """Whether the packed member or frame has ended."""
        ...

    @property
    def unused_data(self) -> bytes:
        """What follows its end."""
        ...

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Blocks that these bytes unpack to."""
        ...


class _Gzip:
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def feed(self, data: bytes) -> Iterator[bytes]:
        full = True
        while (data or full) and not self._inner.eof:
            block = self._inner.decompress(data, BLOCK)
            full = len(block) == BLOCK
            data = self._inner.unconsumed_tail
            yield block


class _Zstd:
    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        self._inner = zstd.ZstdDecompressor(
            options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        )
        self._error = zstd.ZstdError

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            yield self._inner.decompress(data, BLOCK)
            while not self._inner.needs_input and not self._inner.eof:
                yield self._inner.decompress(b"", BLOCK)
        except self._error as error:
            raise zlib.error(str(error)) from error


def packing(head: bytes) -> str:
    """`gzip`, `zstd` or nothing, by the first bytes of a file."""
    if head.startswith(_GZIP):
        return "gzip"
    skippable = head[1:4] == _ZSTD_SKIPPED and head[0] & 0xF0 == 0x50
    return "zstd" if skippable or head.startswith(_ZSTD) else ""


def blocks(path: Path) -> Iterator[bytes]:
    """The unpacked bytes of a file in blocks of at most 1 MiB; members and frames of packed files in a row.

    SourceError, after what could be read, when a packed file is damaged or cut short.
    """
    with path.open("rb") as stream:
        data = stream.read(max(BLOCK, _MAGIC))
        packed = packing(data)
        if not packed:
            while data:
                yield data
                data = stream.read(BLOCK)
            return
        make = _Gzip if packed == "gzip" else _Zstd
        unpacker: _Unpacker = make()
        try:
            while data or (data := stream.read(BLOCK)):
                if unpacker.eof:
                    data += stream.read(_MAGIC) if len(data) < _MAGIC else b""
                    data = data if data.strip(b"\x00") else b""  # padding, which archivers append
                    if not data:
                        continue
                    if packing(data) != packed:
                        raise zlib.error("what follows its last part is none")
                    unpacker = make()
                yield from filter(None, unpacker.feed(data))
                data = unpacker.unused_data if unpacker.eof else b""
        except zlib.error as error:
            raise SourceError(
                f"{path.name} is a damaged {packed} file ({error}); fetch or export it again"
            ) from error
        if not unpacker.eof:
            raise SourceError(
                f"{path.name} is a {packed} file that is cut short; fetch or export it again"
            )


def document(path: Path, limit: int = MAX_DOCUMENT) -> bytes:
    """The unpacked bytes of a file that is one document. SourceError when it is damaged or beyond the limit."""
    found = bytearray()
    for block in blocks(path):
        found += block
        _check_size(path, len(found), limit)
    return bytes(found)


def _check_size(path: Path, size: int, limit: int) -> None:
    if size > limit:
        raise SourceError(
            f"{path.name} is larger than {limit >> 20} MiB, too large for one document; "
            "split it and import the parts"
        )


def head_of(path: Path, size: int) -> bytes:
    """The first unpacked bytes of a file, in UTF-8 when it is in a two- or four-byte encoding.

    Empty when a packed file is damaged from its start.
    """
    parts: list[bytes] = []
    try:
        for block in utf8_blocks(path):
            parts.append(block)
            if sum(map(len, parts)) >= size:
                break
    except SourceError:
        pass  # the importer of the file says so; what was read before the damage tells the format
    return b"".join(parts)[:size]


def utf8_blocks(path: Path) -> Iterator[bytes]:
    """The unpacked bytes without a byte order mark; two- and four-byte encodings come as UTF-8."""
    source = blocks(path)
    first = next(source, b"")
    wide = next((codec for mark, codec in _WIDE if first.startswith(mark)), None)
    if wide is None:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from source
        return
    decoder = codecs.getincrementaldecoder(wide)(errors="replace")
    yield decoder.decode(first).encode("utf-8", errors="replace")
    for block in source:
        yield decoder.decode(block).encode("utf-8", errors="replace")
    yield decoder.decode(b"", final=True).encode("utf-8", errors="replace")


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1, without its break.

    SourceError at a line beyond 16 MiB: what follows cannot be told from it.
    """
    return chain.from_iterable(_numbered(path))


def _numbered(path: Path) -> Iterator[Iterable[tuple[int, bytes]]]:
    """The numbered lines of each block: for each line in turn, a generator would cost as much as its split."""
    number = 1
    for part in _whole_lines(path.name, utf8_blocks(path)):
        found = part.split(b"\n")
        if not found[-1]:
            found.pop()
        if b"\r" in part:
            found = [line.removesuffix(b"\r") for line in found]
        yield enumerate(found, number)
        number += len(found)


def lines_holding(path: Path, needle: bytes) -> Iterator[bytes]:
    """The lines that hold these bytes, which no line break is among; found without splitting the others.

    SourceError as `lines`.
    """
    for part in _whole_lines(path.name, utf8_blocks(path)):
        found = part.find(needle)
        while found >= 0:
            start = part.rfind(b"\n", 0, found) + 1
            end = part.find(b"\n", found)
            end = len(part) if end < 0 else end
            yield part[start:end]
            found = part.find(needle, end)


def _whole_lines(name: str, source: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks of a file that are cut at line breaks. SourceError as `lines`."""
    rest = b""
    for block in source:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield rest + block[:cut]
            rest = block[cut:]
        else:
            rest += block
        _check_row(name, rest)
    if rest:
        yield rest


def holds_any(path: Path, needles: Sequence[bytes]) -> bool:
    """Whether a file holds one of these bytes, in capitals or not; False where it is damaged before that."""
    keep, rest = max(map(len, needles)) - 1, b""
    try:
        for block in utf8_blocks(path):
            part = rest + block.lower()
            if any(needle in part for needle in needles):
                return True
            rest = part[-keep:]
    except SourceError:
        pass  # the reading pass says so
    return False


@contextmanager
def unpacked(path: Path, limit: int = MAX_UNPACKED) -> Iterator[Path]:
    """The file itself, or what a packed one holds in a temporary file, for readers that need a path.

    SourceError when that is damaged or has more bytes than the limit.
    """
    with path.open("rb") as stream:
        plain = not packing(stream.read(_MAGIC))
    if plain:
        yield path
        return
    with NamedTemporaryFile(prefix="unpacked-") as copy:
        size = 0
        for block in blocks(path):
            size += len(block)
            _check_size(path, size, limit)
            copy.write(block)
        copy.flush()
        yield Path(copy.name)


def split_lines(name: str, source: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their breaks from blocks of one file. SourceError as `lines`."""
    for part in _whole_lines(name, source):
        *found, rest = part.split(b"\n")
        for line in found:
            yield line + b"\n"
        if rest:
            yield rest


def _check_row(name: str, rest: bytes) -> None:
    if len(rest) > MAX_ROW:
        raise SourceError(
            f"{name} has a line of more than {MAX_ROW >> 20} MiB, which is no row; "
            "what follows it was not read"
        )


def file_digest(path: Path) -> str:
    """Hex sha256 of a file as it lies on the disk."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
